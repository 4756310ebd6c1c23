/* SPDX-License-Identifier: Apache-2.0
 * Edits of an image with a way back: brush, a region pasted elsewhere, blur, noise. */
#pragma once

#include "data/values/sonde-image.h"
#include "viewers/paint/sonde-box-paint.h"

G_BEGIN_DECLS

typedef struct _SondeImageEdit SondeImageEdit;

/* @image: referenced; stays the original. */
SondeImageEdit *sonde_image_edit_new (const SondeImage *image);
void sonde_image_edit_free (SondeImageEdit *edit);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeImageEdit, sonde_image_edit_free)

/* as it is now; (transfer none) until the next call */
const SondeImage *sonde_image_edit_get_image (SondeImageEdit *edit);
gboolean sonde_image_edit_is_changed (SondeImageEdit *edit);

/* What follows until the next begin is one step of undo. What was undone is forgotten. At most 64
 * steps are kept. */
void sonde_image_edit_begin (SondeImageEdit *edit);
/* FALSE: there is nothing more to undo (redo). */
gboolean sonde_image_edit_undo (SondeImageEdit *edit);
gboolean sonde_image_edit_redo (SondeImageEdit *edit);
gboolean sonde_image_edit_can_undo (SondeImageEdit *edit);
gboolean sonde_image_edit_can_redo (SondeImageEdit *edit);
/* Back to the original; one step that can be undone. */
void sonde_image_edit_reset (SondeImageEdit *edit);

/* A disc of @radius pixels around the middle of each pixel on the way from (x0, y0) to (x1, y1).
 * @color: (array fixed-size=3): red, green, blue; of a grey image the first counts. */
void sonde_image_edit_brush (SondeImageEdit *edit, double x0, double y0, double x1, double y1,
                             double radius, const guint8 *color);
/* The region @from of the image as it is now, its top left corner at (x, y); what lies outside is
 * left out. */
void sonde_image_edit_paste (SondeImageEdit *edit, const SondeBox *from, int x, int y);
/* Gaussian, half-width ⌊3σ + ½⌋, edges of the image clamped; @box: (nullable): all. @sigma > 0,
 * pixels. */
void sonde_image_edit_blur (SondeImageEdit *edit, const SondeBox *box, double sigma);
/* Adds normal numbers of standard deviation @sigma (of 255) to each channel, drawn by @seed and the pixel's
 * place; clamped. */
void sonde_image_edit_noise (SondeImageEdit *edit, const SondeBox *box, double sigma, guint64 seed);

G_END_DECLS
