/* SPDX-License-Identifier: Apache-2.0
 * How images are looked at: brightness and contrast. */
#pragma once

#include <glib-object.h>

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

#define SONDE_TYPE_IMAGE_LEVELS (sonde_image_levels_get_type ())
G_DECLARE_FINAL_TYPE (SondeImageLevels, sonde_image_levels, SONDE, IMAGE_LEVELS, GObject)

SondeImageLevels *sonde_image_levels_new (void);

/* Signal "changed" (): sonde_image_levels_apply() gives other images. */

/* @image: (nullable): as it is to be shown. (transfer full) (nullable) */
SondeImage *sonde_image_levels_apply (SondeImageLevels *levels, const SondeImage *image);
/* "brightness +20 %, contrast 150 %"; (transfer full) (nullable): NULL when nothing is changed */
char *sonde_image_levels_describe (SondeImageLevels *levels);

void sonde_image_levels_set (SondeImageLevels *levels, double brightness, /* −1…1 */
                             double contrast);                            /* 0…4 */
void sonde_image_levels_get (SondeImageLevels *levels, double *brightness, double *contrast);

G_END_DECLS
