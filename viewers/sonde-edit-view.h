/* SPDX-License-Identifier: Apache-2.0
 * An image that is edited with the pointer or the keys: brush, regions to blur, to fill with noise, to paste elsewhere. */
#pragma once

#include "viewers/paint/sonde-image-edit.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EDIT_VIEW (sonde_edit_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeEditView, sonde_edit_view, SONDE, EDIT_VIEW, SondeView)

/**
 * SondeEditTool:
 * @SONDE_EDIT_BRUSH: a press or a drag paints
 * @SONDE_EDIT_BLUR, @SONDE_EDIT_NOISE: a drag marks the region that is changed
 * @SONDE_EDIT_PASTE: a drag marks a region; the next click puts a copy of it there, around the
 * pointer
 */
typedef enum
{
  SONDE_EDIT_BRUSH,
  SONDE_EDIT_BLUR,
  SONDE_EDIT_NOISE,
  SONDE_EDIT_PASTE,
} SondeEditTool;

/* Emits "edited" after each change of the image: while a brush moves, on undo and redo too. The
 * arrow keys move a cursor, Space or Enter use the tool there (of a region: a square of the tool's
 * size); Ctrl+Z, Ctrl+Shift+Z. */

/* @image: (nullable): copied; edits begin anew */
void sonde_edit_view_set_image (SondeEditView *view, const SondeImage *image);
/* (nullable) as it is now; (transfer none) */
const SondeImage *sonde_edit_view_get_image (SondeEditView *view);
SondeImageEdit *sonde_edit_view_get_edit (SondeEditView *view); /* (nullable) (transfer none) */

void sonde_edit_view_set_tool (SondeEditView *view, SondeEditTool tool);
/* @size: pixels: diameter of the brush, side of a keyboard region; @color: of the brush; @strength:
 * σ of blur in pixels, and of noise in 20 of 255 */
void sonde_edit_view_set_brush (SondeEditView *view, int size, const guint8 *color,
                                double strength);

gboolean sonde_edit_view_undo (SondeEditView *view);
gboolean sonde_edit_view_redo (SondeEditView *view);
void sonde_edit_view_reset (SondeEditView *view);

/* What the pointer does, in pixels of the image; gestures call these. One press … release is one
 * step of undo. */
void sonde_edit_view_press (SondeEditView *view, double x, double y);
void sonde_edit_view_move (SondeEditView *view, double x, double y);
void sonde_edit_view_release (SondeEditView *view, double x, double y);

G_END_DECLS
