/* SPDX-License-Identifier: Apache-2.0
 * Edits of a picture with a way back: brush, a region pasted elsewhere, blur, noise. */
#pragma once

#include "data/values/sonde-image.h"
#include "viewers/paint/sonde-box-paint.h"

G_BEGIN_DECLS

typedef struct _SondePictureEdit SondePictureEdit;

/* @image: referenced; stays the original. */
SondePictureEdit *sonde_picture_edit_new (const SondeImage *image);
void sonde_picture_edit_free (SondePictureEdit *edit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondePictureEdit, sonde_picture_edit_free)

/* as it is now; lent until the next call */
const SondeImage *sonde_picture_edit_get_image (SondePictureEdit *edit);
const SondeImage *sonde_picture_edit_get_original (SondePictureEdit *edit);
gboolean sonde_picture_edit_is_changed (SondePictureEdit *edit);

/* What follows until the next begin is one step of undo. What was undone is forgotten. At most 64
 * steps are kept. */
void sonde_picture_edit_begin (SondePictureEdit *edit);
/* FALSE: there is nothing more to undo (redo). */
gboolean sonde_picture_edit_undo (SondePictureEdit *edit);
gboolean sonde_picture_edit_redo (SondePictureEdit *edit);
gboolean sonde_picture_edit_can_undo (SondePictureEdit *edit);
gboolean sonde_picture_edit_can_redo (SondePictureEdit *edit);
/* Back to the original; one step that can be undone. */
void sonde_picture_edit_reset (SondePictureEdit *edit);

/* A disc of @radius pixels around the middle of each pixel on the way from (x0, y0) to (x1, y1).
 * @color: (array fixed-size=3): red, green, blue; of a grey picture the first counts. */
void sonde_picture_edit_brush (SondePictureEdit *edit, double x0, double y0, double x1, double y1,
                               double radius, const guint8 *color);
/* The region @from of the picture as it is now, its top left corner at (x, y); what lies outside is
 * left out. */
void sonde_picture_edit_paste (SondePictureEdit *edit, const SondeBox *from, int x, int y);
/* Gaussian, half-width ⌊3σ + ½⌋, edges of the picture clamped; @box: (nullable): all. @sigma > 0,
 * pixels. */
void sonde_picture_edit_blur (SondePictureEdit *edit, const SondeBox *box, double sigma);
/* Adds normal numbers of deviation @sigma (of 255) to each channel, drawn by @seed and the pixel's
 * place; clamped. */
void sonde_picture_edit_noise (SondePictureEdit *edit, const SondeBox *box, double sigma,
                               guint64 seed);

G_END_DECLS
