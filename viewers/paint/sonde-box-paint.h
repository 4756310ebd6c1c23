/* SPDX-License-Identifier: Apache-2.0
 * A counterfactual by boxes: the image whose boxes are shown or hidden by the real mask, their
 * outlines, and the output after each step as a line. */
#pragma once

#include "data/values/sonde-box.h"
#include "data/values/sonde-image.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeBoxImage: nothing is owned
 * @image: the image; @mask: (nullable): what covers it, of the same size and channels
 * @reveal: boxes of @image on @mask (a small region that suffices); else boxes of @mask on @image
 * @boxes: (array length=n_boxes): may overlap and reach over the edge
 * @newest: index of the box outlined strongly, -1 none
 */
typedef struct
{
  const SondeImage *image, *mask;
  gboolean reveal;
  const SondeBox *boxes;
  guint n_boxes;
  int newest;
} SondeBoxImage;

/* What the network was shown. Without a mask grey 128 covers. (transfer full) */
SondeImage *sonde_box_image_compose (const SondeBoxImage *drawing);

/* The composed image in the rectangle, pixels as squares, boxes outlined. */
void sonde_paint_boxes (cairo_t *cr, const SondeTheme *theme, const SondeBoxImage *drawing,
                        double x, double y, double width, double height);

/**
 * SondeBoxTrace: output along the steps
 * @values: (array length=n): values[0] before the first step
 * @threshold: NaN none; @at: the step shown
 * @label: lent: of what it is the output: "p(“cat”)"
 */
typedef struct
{
  const double *values;
  guint n, at;
  double threshold;
  const char *label;
} SondeBoxTrace;

/* Value axis of the trace: holds 0…1 when all values do. */
void sonde_box_trace_get_limits (const SondeBoxTrace *trace, double *low, double *high);
/* px of step @step in a trace that begins at @x. */
double sonde_box_trace_get_x (const SondeBoxTrace *trace, double x, double width, guint step);

void sonde_paint_box_trace (cairo_t *cr, const SondeTheme *theme, const SondeBoxTrace *trace,
                            double x, double y, double width, double height);

G_END_DECLS
