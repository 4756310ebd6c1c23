/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-image-levels.h"

#include "data/base/sonde-text.h"

struct _SondeImageLevels
{
  GObject parent_instance;
  double brightness, contrast;
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
sonde_image_levels_get (SondeImageLevels *levels, double *brightness, double *contrast)
{
  g_return_if_fail (SONDE_IS_IMAGE_LEVELS (levels));
  *brightness = levels->brightness;
  *contrast = levels->contrast;
}

SondeImage *
sonde_image_levels_apply (SondeImageLevels *levels, const SondeImage *image)
{
  g_return_val_if_fail (SONDE_IS_IMAGE_LEVELS (levels), NULL);
  if (image == NULL)
    return NULL;
  return is_plain (levels) ? sonde_image_ref (image)
                           : sonde_image_new_adjusted (image, levels->brightness, levels->contrast);
}

char *
sonde_image_levels_describe (SondeImageLevels *levels)
{
  g_return_val_if_fail (SONDE_IS_IMAGE_LEVELS (levels), NULL);
  if (is_plain (levels))
    return NULL;
  return g_strdup_printf (_ ("brightness %+.0f %%, contrast %.0f %%"), levels->brightness * 100,
                          levels->contrast * 100);
}

static void
sonde_image_levels_class_init (SondeImageLevelsClass *klass)
{
  signals[CHANGED] = g_signal_new ("changed", SONDE_TYPE_IMAGE_LEVELS, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_image_levels_init (SondeImageLevels *levels)
{
  levels->contrast = 1;
}

SondeImageLevels *
sonde_image_levels_new (void)
{
  return g_object_new (SONDE_TYPE_IMAGE_LEVELS, NULL);
}
