/* SPDX-License-Identifier: Apache-2.0
 * A loss landscape as contours with the path of the training; place and height under the
 * pointer. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LANDSCAPE_VIEW (sonde_landscape_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeLandscapeView, sonde_landscape_view, SONDE, LANDSCAPE_VIEW, SondeView)

GtkWidget *sonde_landscape_view_new (void);

/**
 * sonde_landscape_view_set_surface:
 * @x: [W], @y: [H]: rising; @z: [H, W]; any numeric dtypes. All NULL: nothing is shown
 * @x_title, @y_title: (nullable): of the axes
 *
 * Returns: FALSE when the shapes do not fit or an axis does not rise: nothing is shown then
 */
gboolean sonde_landscape_view_set_surface (SondeLandscapeView *view, SondeTensor *x, SondeTensor *y,
                                           SondeTensor *z, const char *x_title,
                                           const char *y_title);
/* @x, @y: (nullable): 1-D, of one length; otherwise there is no path. @z: (nullable) the loss
 * there.
 * @end_x, @end_y: NaN: unknown */
void sonde_landscape_view_set_path (SondeLandscapeView *view, SondeTensor *x, SondeTensor *y,
                                    SondeTensor *z, double end_x, double end_y);

G_END_DECLS
