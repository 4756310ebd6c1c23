/* SPDX-License-Identifier: Apache-2.0
 * How the images of one tag are looked at: brightness, contrast, difference from the images of a step
 * that was kept. */
#pragma once

#include <glib-object.h>

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

#define SONDE_TYPE_IMAGE_LEVELS (sonde_image_levels_get_type ())
G_DECLARE_FINAL_TYPE (SondeImageLevels, sonde_image_levels, SONDE, IMAGE_LEVELS, GObject)

SondeImageLevels *sonde_image_levels_new (void);

/* Signal "changed" (): sonde_image_levels_apply() gives other images. */

/* The images of @step as they are, in place of those before. @images: (element-type SondeImage)
 * (transfer none): entries may be NULL */
void sonde_image_levels_set_images (SondeImageLevels *levels, GPtrArray *images, gint64 step);
/* Another tag or run: what was kept is of no use. Where a difference is wanted, the next images are
 * those that later ones are compared with. */
void sonde_image_levels_reset (SondeImageLevels *levels);

/* Image @index of the last sonde_image_levels_set_images() as it is to be shown. (transfer
 * full) (nullable) */
SondeImage *sonde_image_levels_apply (SondeImageLevels *levels, guint index);
/* "brightness +20 %, difference from step 5"; (transfer full) (nullable): NULL when nothing is
 * changed */
char *sonde_image_levels_describe (SondeImageLevels *levels);

void sonde_image_levels_set (SondeImageLevels *levels, double brightness, /* −1…1 */
                             double contrast);                            /* 0…4 */
/* TRUE: the images of now are those that later ones are compared with. */
void sonde_image_levels_set_difference (SondeImageLevels *levels, gboolean difference);

G_END_DECLS
