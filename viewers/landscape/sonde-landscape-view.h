/* SPDX-License-Identifier: Apache-2.0
 * A loss landscape as contours with the path of the training; place and height under the
 * pointer, points of the path by arrow keys; or in space. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/paint/landscape/sonde-surface.h"
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
/**
 * SondeLandscapePath: of the training
 * @x, @y: 1-D, of one length; otherwise there is no path
 * @z: (nullable): the loss there; @steps: (nullable): which step, or @unit, each point is
 * @unit: (nullable): "step", "epoch" or the file's own word
 * @end: x, y and loss where the training ended; NaN: unknown
 */
typedef struct
{
  SondeTensor *x, *y, *z, *steps;
  const char *unit;
  double end[3];
} SondeLandscapePath;

/* Points of the path are chosen by arrow keys and clicks. */
void sonde_landscape_view_set_path (SondeLandscapeView *view, const SondeLandscapePath *path);
/* Whether levels and colours are a factor apart; they are by themselves where heights differ widely. */
void sonde_landscape_view_set_scale (SondeLandscapeView *view, SondeContourScale scale);
/* Of the finite heights. FALSE: there are none */
gboolean sonde_landscape_view_get_range (SondeLandscapeView *view, double *low, double *high);
/* Levels and colours are those of heights in these limits, for landscapes that are compared; equal: its own. */
void sonde_landscape_view_set_limits (SondeLandscapeView *view, double low, double high);
/* Whether both axes reach as far as those of @other. */
gboolean sonde_landscape_view_has_axes_of (SondeLandscapeView *view, SondeLandscapeView *other);
/* As it is shown. */
gboolean sonde_landscape_view_is_logarithmic (SondeLandscapeView *view);

/* In space instead of from above: drag and arrow keys turn it, the wheel goes nearer. */
void sonde_landscape_view_set_solid (SondeLandscapeView *view, gboolean solid);
void sonde_landscape_view_turn (SondeLandscapeView *view, double yaw,
                                double pitch); /* degrees more */
/* Signal "turned" (): by a hand or sonde_landscape_view_turn(); not by set_camera. (transfer none) */
const SondeSurfaceCamera *sonde_landscape_view_get_camera (SondeLandscapeView *view);
void sonde_landscape_view_set_camera (SondeLandscapeView *view, const SondeSurfaceCamera *camera);

G_END_DECLS
