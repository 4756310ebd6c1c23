/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-image-levels.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

struct _SondeImageLevels
{
  GObject parent_instance;
  double brightness, contrast;
  gboolean difference;
  GPtrArray *images, *kept; /* SondeImage, (nullable) entries; @kept: (nullable) */
  gint64 step, kept_step;
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeImageLevels, sonde_image_levels, G_TYPE_OBJECT)

static gboolean
is_plain (SondeImageLevels *levels)
{
  return levels->brightness == 0 && levels->contrast == 1;
}

static void
free_image (void *image)
{
  sonde_image_unref (image);
}

static SondeImage *
ref_image (const SondeImage *image)
{
  return image != NULL ? sonde_image_ref (image) : NULL;
}

/* Images are not changed once they are made: they are shared. */
static GPtrArray *
ref_all (GPtrArray *images)
{
  GPtrArray *all = g_ptr_array_new_full (images->len, free_image);

  for (guint i = 0; i < images->len; i++)
    g_ptr_array_add (all, ref_image (images->pdata[i]));
  return all;
}

static void
keep (SondeImageLevels *levels)
{
  levels->kept = ref_all (levels->images);
  levels->kept_step = levels->step;
}

void
sonde_image_levels_set_difference (SondeImageLevels *levels, gboolean difference)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  if (levels->difference == difference)
    return;
  levels->difference = difference;
  g_clear_pointer (&levels->kept, g_ptr_array_unref);
  if (difference && levels->images->len > 0)
    keep (levels);
  g_signal_emit (levels, signals[CHANGED], 0);
}

void
sonde_image_levels_set (SondeImageLevels *levels, double brightness, double contrast)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  if (levels->brightness == brightness && levels->contrast == contrast)
    return;
  levels->brightness = brightness;
  levels->contrast = contrast;
  g_signal_emit (levels, signals[CHANGED], 0);
}

void
sonde_image_levels_set_images (SondeImageLevels *levels, GPtrArray *images, gint64 step)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  g_ptr_array_unref (levels->images);
  levels->images = ref_all (images);
  levels->step = step;
  if (levels->difference && levels->kept == NULL && images->len > 0)
    keep (levels);
}

void
sonde_image_levels_reset (SondeImageLevels *levels)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  g_ptr_array_set_size (levels->images, 0);
  g_clear_pointer (&levels->kept, g_ptr_array_unref);
}

SondeImage *
sonde_image_levels_apply (SondeImageLevels *levels, guint index)
{
  const SondeImage *image = index < levels->images->len ? levels->images->pdata[index] : NULL;
  const SondeImage *kept
      = levels->kept != NULL && index < levels->kept->len ? levels->kept->pdata[index] : NULL;
  g_autoptr (SondeImage) difference = NULL;

  if (image == NULL)
    return NULL;
  /* one that has nothing to be compared with stays as it is */
  if (levels->kept != NULL)
    difference = sonde_image_new_difference (image, kept);
  if (difference != NULL)
    image = difference;
  return is_plain (levels) ? ref_image (image)
                           : sonde_image_new_adjusted (image, levels->brightness, levels->contrast);
}

char *
sonde_image_levels_describe (SondeImageLevels *levels)
{
  g_autofree char *count = sonde_format_count (levels->kept_step);
  g_autofree char *difference = NULL, *adjusted = NULL;

  if (levels->kept != NULL)
    difference = g_strdup_printf (_ ("difference from step %s, grey means equal"), count);
  if (!is_plain (levels))
    adjusted = g_strdup_printf (_ ("brightness %+.0f %%, contrast %.0f %%"),
                                levels->brightness * 100, levels->contrast * 100);
  if (difference != NULL && adjusted != NULL)
    return g_strdup_printf (_ ("%s; %s"), difference, adjusted);
  return difference != NULL ? g_steal_pointer (&difference) : g_steal_pointer (&adjusted);
}

static void
sonde_image_levels_finalize (GObject *object)
{
  SondeImageLevels *levels = SONDE_IMAGE_LEVELS (object);

  g_ptr_array_unref (levels->images);
  g_clear_pointer (&levels->kept, g_ptr_array_unref);
  G_OBJECT_CLASS (sonde_image_levels_parent_class)->finalize (object);
}

static void
sonde_image_levels_class_init (SondeImageLevelsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = sonde_image_levels_finalize;
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_IMAGE_LEVELS, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_image_levels_init (SondeImageLevels *levels)
{
  levels->contrast = 1;
  levels->images = g_ptr_array_new_with_free_func (free_image);
}

SondeImageLevels *
sonde_image_levels_new (void)
{
  return g_object_new (SONDE_TYPE_IMAGE_LEVELS, NULL);
}
