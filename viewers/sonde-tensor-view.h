/* SPDX-License-Identifier: Apache-2.0
 * Any tensor as a heat map of tiles with its scale; index and value under the pointer. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TENSOR_VIEW (sonde_tensor_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeTensorView, sonde_tensor_view, SONDE, TENSOR_VIEW, SondeView)

GtkWidget *sonde_tensor_view_new (void);

/* @tensor: (nullable). Returns: whether it can be shown; see sonde_tensor_image_new(). */
gboolean sonde_tensor_view_set_tensor (SondeTensorView *view, SondeTensor *tensor);

/* What is shown, in words: "16 tiles of 10 × 10", with the tiles there was no room for. (transfer
 * full) */
char *sonde_tensor_view_dup_caption (SondeTensorView *view);

/* Height at which the image with its scale fills @width, at most a square. */
int sonde_tensor_view_get_wanted_height (SondeTensorView *view, int width);

G_END_DECLS
