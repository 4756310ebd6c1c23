/* SPDX-License-Identifier: Apache-2.0
 * How pictures are looked at: brightness, contrast, difference from the pictures of a step that was
 * kept. */
#pragma once

#include <adwaita.h>

#include "data/values/sonde-image.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PICTURE_LEVELS (sonde_picture_levels_get_type ())
G_DECLARE_FINAL_TYPE (SondePictureLevels, sonde_picture_levels, SONDE, PICTURE_LEVELS, GtkBox)

/* Signal "changed" (): sonde_picture_levels_apply() gives other pictures. */

/* The pictures of @step as they are, in place of those before. @images: (element-type SondeImage)
 * (transfer none): entries may be NULL */
void sonde_picture_levels_set_pictures (SondePictureLevels *levels, GPtrArray *images, gint64 step);
/* Another tag or run: what was kept is of no use. */
void sonde_picture_levels_reset (SondePictureLevels *levels);

/* Picture @index of the last sonde_picture_levels_set_pictures() as it is to be shown. (transfer
 * full) (nullable) */
SondeImage *sonde_picture_levels_apply (SondePictureLevels *levels, guint index);
/* "brightness +20 %, difference from step 5"; (transfer full) (nullable): NULL when nothing is
 * changed */
char *sonde_picture_levels_describe (SondePictureLevels *levels);

void sonde_picture_levels_set (SondePictureLevels *levels, double brightness, /* −1…1 */
                               double contrast);                              /* 0…4 */
/* TRUE: the pictures of now are those that later ones are compared with. */
void sonde_picture_levels_set_difference (SondePictureLevels *levels, gboolean difference);

G_END_DECLS
