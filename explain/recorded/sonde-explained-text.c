/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/recorded/sonde-explained-text.h"

#include <math.h>

#include "data/base/sonde-text.h"

char *
sonde_explained_dup_heading (const SondeExplanationSample *sample)
{
  const SondeSampleResult *result = sample->result;

  return result->label >= 0 && result->label == result->predicted
             ? g_strdup_printf (_ ("“%s” classified correctly"), result->label_name)
             : g_strdup_printf (_ ("“%s” classified as “%s”"), result->label_name,
                                result->predicted_name);
}

char *
sonde_explained_dup_detail (const SondeExplanationSample *sample)
{
  const SondeSampleResult *result = sample->result;

  return g_strdup_printf ("%s · p(%s) = %.3f · p(%s) = %.3f", result->name, result->predicted_name,
                          result->p_predicted, result->label_name, result->p_label);
}

static gboolean
is_zero (const SondeTensor *map)
{
  for (gint64 i = 0; i < sonde_tensor_n_elements (map); i++)
    if (fabs (sonde_tensor_get_double (map, i)) > 0)
      return FALSE;
  return TRUE;
}

/* TRUE: all are there, and nothing is in them. */
static gboolean
are_zero (GPtrArray *maps)
{
  for (guint i = 0; i < maps->len; i++)
    {
      const SondeAttributionMap *map = g_ptr_array_index (maps, i);

      if (map->map == NULL || !is_zero (map->map))
        return FALSE;
    }
  return TRUE;
}

char *
sonde_explained_dup_note (const SondeExplanationSample *sample)
{
  GString *text = g_string_new (NULL);
  GPtrArray *maps = sample->maps;
  const char *parameters
      = maps->len > 0 ? ((SondeAttributionMap *) g_ptr_array_index (maps, 0))->parameters : NULL;

  if (parameters != NULL && *parameters != '\0')
    g_string_append_printf (text, _ ("Recorded with: %s."), _ (parameters));
  if (maps->len == 0)
    g_string_append (text, _ ("No map of this image was recorded."));
  else if (are_zero (maps))
    {
      g_string_append_c (text, ' ');
      g_string_append (text, _ ("The maps are zero everywhere: the prediction does not depend on "
                                "small changes of this image."));
    }
  if (sample->mask != NULL)
    {
      g_string_append_c (text, ' ');
      g_string_append (text, _ ("The outline is the object as it was drawn."));
    }
  return g_strstrip (g_string_free (text, FALSE));
}

/* Why a recorded map explains its class. (nullable) */
static const char *
get_role (const SondeAttributionMap *map)
{
  static const struct
  {
    const char *name, *title;
  } roles[] = { { "predicted", N_ ("predicted") },
                { "true", N_ ("true class") },
                { "contrast", N_ ("contrast") },
                { "class", N_ ("chosen") } };

  for (gsize i = 0; map->target_is != NULL && i < G_N_ELEMENTS (roles); i++)
    if (g_str_equal (map->target_is, roles[i].name))
      return _ (roles[i].title);
  return map->target_is;
}

char *
sonde_explained_dup_caption (const SondeAttributionMap *map, const char *name)
{
  const char *role = get_role (map);

  return role != NULL ? g_strdup_printf (_ ("For “%s” · %s"), name, role)
                      : g_strdup_printf (_ ("For “%s”"), name);
}
