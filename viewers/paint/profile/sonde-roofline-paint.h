/* SPDX-License-Identifier: Apache-2.0
 * The roofline of a machine with a mark for each operator: operations a second over operations a byte,
 * both logarithmic. The area of a mark is its share of the time, its colour and shape what bounds it.
 * Source: S. Williams, A. Waterman, D. Patterson, CACM 52 (2009). */
#pragma once

#include "data/profiles/sonde-operator-class.h"
#include "viewers/paint/sonde-axis.h"

G_BEGIN_DECLS

/**
 * SondeRooflineMark:
 * @intensity: FLOPs a byte; @gflops: 10⁹ FLOPs a second; a mark where one is not above 0 is not drawn
 * @share: of the time of a step
 */
typedef struct
{
  const char *name;
  double intensity, gflops, share;
  SondeOperatorClass operator_class;
} SondeRooflineMark;

/**
 * SondeRooflinePlot: nothing is owned
 * @marks: the largest share first, so that smaller ones lie over it
 * @ceilings: NaN: not known, and without its line
 * @low_x … @high_y: log10 at the ends of the axes
 * @selected: index of a mark; -1: none
 * @message: (nullable): a sentence in place of the picture
 */
typedef struct
{
  const SondeRooflineMark *marks;
  gsize n_marks;
  SondeCeilings ceilings;
  double low_x, high_x, low_y, high_y;
  gint64 selected;
  const char *message;
} SondeRooflinePlot;

/* 10⁹ FLOPs a second that the ceilings allow at an intensity; NaN where they are not known. */
double sonde_roofline_get_roof (const SondeCeilings *ceilings, double intensity);

/* The class's number of sonde_theme_series(); -1: the theme's grey. */
int sonde_roofline_get_hue (SondeOperatorClass value);

/* All marks and the ridge, on whole decades. */
void sonde_roofline_plot_fit (SondeRooflinePlot *plot);
void sonde_roofline_plot_get_area (int width, int height, cairo_rectangle_t *area);
void sonde_paint_roofline (cairo_t *cr, const SondeTheme *theme, const SondeRooflinePlot *plot,
                           int width, int height);
/* The uppermost mark at a px; -1: none. @box: (out) (optional): px around it */
gint64 sonde_roofline_plot_pick (const SondeRooflinePlot *plot, int width, int height, double x,
                                 double y, cairo_rectangle_t *box);
/* Px of its middle and radius; FALSE: it is not drawn. */
gboolean sonde_roofline_plot_place (const SondeRooflinePlot *plot, int width, int height,
                                    gsize mark, double *x, double *y, double *radius);

G_END_DECLS
