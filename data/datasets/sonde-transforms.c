/* SPDX-License-Identifier: Apache-2.0
 * The list of transforms: reading, planning, and running them one behind the other in two rooms. */
#include "data/datasets/sonde-transform-private.h"

#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"

#include <string.h>

struct _SondeTransforms
{
  SondeTransform *items; /* owned */
  guint n;
  gsize room; /* floats of the largest sample between two transforms */
  gboolean random, changes_image;
  char *text;
};

static const SondeTransformClass *const classes[] = {
  &sonde_transform_resize,      &sonde_transform_grey,        &sonde_transform_rgb,
  &sonde_transform_crop,        &sonde_transform_centre_crop, &sonde_transform_random_crop,
  &sonde_transform_random_flip, &sonde_transform_normalise,
};

gboolean
sonde_transform_parse (SondeTransform *transform, const char *text, GError **error)
{
  gsize length = strcspn (text, ":");
  g_autoptr (GString) usages = g_string_new (NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (classes); i++)
    {
      if (strlen (classes[i]->name) == length && strncmp (classes[i]->name, text, length) == 0)
        {
          *transform = (SondeTransform){ .klass = classes[i] };
          if (classes[i]->parse (transform,
                                 text[length] == ':' ? text + length + 1 : text + length))
            return TRUE;
        }
      g_string_append_printf (usages, "%s%s", i > 0 ? ", " : "", classes[i]->usage);
    }
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "“%s” is not a transform; available are %s", text, usages->str);
  return FALSE;
}

static gsize
n_elements (const SondeTransformsPlace *place)
{
  return (gsize) place->channels * (gsize) place->height * (gsize) place->width;
}

static gboolean
plan (SondeTransforms *transforms, guint index, const char *text, SondeTransformsPlace *place,
      GError **error)
{
  SondeTransform *transform = &transforms->items[index];

  if (!sonde_transform_parse (transform, text, error))
    return FALSE;
  transform->stream = sonde_random_mix (sonde_random_stream (transform->klass->name) + index);
  transform->before = *place;
  if (!transform->klass->plan (transform, place, error))
    {
      sonde_prefix_error (error, "the transform %s: ", text);
      return FALSE;
    }
  transform->after = *place;
  if (transform->klass != &sonde_transform_normalise
      && (!transform->klass->random || transform->size != 0))
    transforms->changes_image = TRUE;
  transforms->random = transforms->random || transform->klass->random;
  transforms->room = MAX (transforms->room, n_elements (place));
  return TRUE;
}

SondeTransforms *
sonde_transforms_new (const char *const *texts, SondeTransformsPlace *place, GError **error)
{
  g_autoptr (SondeTransforms) transforms = g_new0 (SondeTransforms, 1);
  guint n = g_strv_length ((char **) texts);

  transforms->items = g_new0 (SondeTransform, MAX (n, 1));
  transforms->text = g_strjoinv ("; ", (char **) texts);
  for (; transforms->n < n; transforms->n++)
    {
      if (!plan (transforms, transforms->n, texts[transforms->n], place, error))
        return NULL;
    }
  return g_steal_pointer (&transforms);
}

void
sonde_transforms_free (SondeTransforms *transforms)
{
  if (transforms == NULL)
    return;
  for (guint i = 0; i < transforms->n; i++)
    {
      g_free (transforms->items[i].weights);
      g_free (transforms->items[i].starts);
    }
  g_free (transforms->items);
  g_free (transforms->text);
  g_free (transforms);
}

gsize
sonde_transforms_get_room (const SondeTransforms *transforms)
{
  return 2 * transforms->room * sizeof (float);
}

gboolean
sonde_transforms_keep_image (const SondeTransforms *transforms)
{
  return !transforms->changes_image;
}

gboolean
sonde_transforms_are_random (const SondeTransforms *transforms)
{
  return transforms->random;
}

char *
sonde_transforms_describe (const SondeTransforms *transforms)
{
  return g_strdup (transforms->text);
}

void
sonde_transforms_apply (const SondeTransforms *transforms, const SondeDraw *draw, const float *from,
                        float *into, void *room)
{
  float *rooms[2] = { room, (float *) room + transforms->room };

  for (guint i = 0; i < transforms->n; i++)
    {
      const SondeTransform *transform = &transforms->items[i];
      float *to = i + 1 == transforms->n ? into : rooms[i % 2];

      transform->klass->apply (transform, draw, from, to);
      from = to;
    }
}
