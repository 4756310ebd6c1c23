/* SPDX-License-Identifier: Apache-2.0
 * One explanation map over its image, with its scale; value under the pointer. */
#pragma once

#include "data/values/sonde-image.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SALIENCY_VIEW (sonde_saliency_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeSaliencyView, sonde_saliency_view, SONDE, SALIENCY_VIEW, SondeView)

GtkWidget *sonde_saliency_view_new (void);

/**
 * sonde_saliency_view_set_content:
 * @image: (nullable) (transfer full): the image that was explained
 * @map: (nullable): float32 [H, W] of the image's size; referenced. NULL shows the image alone
 * @mask: (nullable): u8 [H, W], outline of the object; referenced
 * @limit: the scale is [-limit, limit], so that maps side by side share it; ≤ 0: the map's own
 */
void sonde_saliency_view_set_content (SondeSaliencyView *view, SondeImage *image, SondeTensor *map,
                                      SondeTensor *mask, double limit);

/* > 0: the view asks for the height that its image has at its width, with a side of at most that
 * many px. */
void sonde_saliency_view_set_max_side (SondeSaliencyView *view, int max_side);

/* Ctrl+wheel, + and − magnify, a drag moves, 0 fits. Default: off. Views that show the same: see
 * "viewport-changed". */
void sonde_saliency_view_set_zoomable (SondeSaliencyView *view, gboolean zoomable);

/* The pixel (row × width + column) that a crosshair marks, with its value; SONDE_VIEW_NOTHING:
 * none. The pointer and the arrow keys set it and emit "pixel-changed" (gint64); this call does
 * not. */
void sonde_saliency_view_set_pixel (SondeSaliencyView *view, gint64 pixel);
gint64 sonde_saliency_view_get_pixel (SondeSaliencyView *view);

/* Room for the scale below the image, with or without a map. Default: yes. */
void sonde_saliency_view_set_legend (SondeSaliencyView *view, gboolean legend);

/* 0 the image alone … 1 the map alone. Default 1. */
void sonde_saliency_view_set_blend (SondeSaliencyView *view, double blend);

G_END_DECLS
