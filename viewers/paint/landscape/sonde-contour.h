/* SPDX-License-Identifier: Apache-2.0
 * A surface over a plane seen from above: bands of colour between levels, a line with its value at each
 * level, and a path on it; loss landscapes. Between the grid's points values are bilinear, nothing is
 * smoothed. */
#pragma once

#include "viewers/paint/sonde-axis.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_CONTOUR_AUTOMATIC, /* LOGARITHMIC when the largest height is more than thirty times the least */
  SONDE_CONTOUR_LINEAR,
  SONDE_CONTOUR_LOGARITHMIC, /* LINEAR where a height is not positive */
} SondeContourScale;

/**
 * SondeContour: not owned
 * @x: (array length=n_x), @y: (array length=n_y): rising; @z: [n_y][n_x], NaN where unknown
 * @path_x, @path_y: (array length=n_path) (nullable)
 * @path_labels: (array length=n_path) (nullable): what each point is called; shown where there is room
 * @chosen: of the path, drawn larger; -1: none
 * @end_x, @end_y: where the training ended; NaN: unknown; @end_label: (nullable)
 * @scale: of the levels and colours; @level_low, @level_high: heights that these are for; equal: those of the surface
 * @x_low … @y_high: limits of the axes
 * @z_title: what the height is ("loss"); @x_title, @y_title, @message: (nullable); the last in
 *   place of the image
 */
typedef struct
{
  const double *x, *y, *z;
  gsize n_x, n_y;
  const double *path_x, *path_y;
  gsize n_path;
  const char *const *path_labels;
  gssize chosen;
  double end_x, end_y;
  const char *end_label;
  SondeContourScale scale;
  double level_low, level_high;
  double x_low, x_high, y_low, y_high;
  const char *x_title, *y_title, *z_title, *message;
} SondeContour;

#define SONDE_CONTOUR_MAX_LEVELS 24

/**
 * SondeContourLevels: where the lines are
 * @logarithmic: the levels are a factor apart
 * @low, @high: that levels and colours are for
 * @least, @largest: of the finite heights; @lowest_x, @lowest_y: where @least is
 * @n_unknown: heights that are not finite
 * @decimals: behind the point, that tell one level from the next; -1: four significant digits do
 */
typedef struct
{
  double levels[SONDE_CONTOUR_MAX_LEVELS];
  int n;
  gboolean logarithmic;
  double low, high, least, largest, lowest_x, lowest_y;
  gsize n_unknown;
  int decimals;
} SondeContourLevels;

void sonde_contour_get_area (int width, int height, cairo_rectangle_t *area);

/* FALSE when no height is finite. */
gboolean sonde_contour_find_levels (const SondeContour *contour, SondeContourLevels *levels);

/* A height with as many digits as all of the map have. (transfer full) */
char *sonde_contour_format (const SondeContourLevels *levels, double height);

/* The height at a place; NaN outside of the grid and beside unknown heights. */
double sonde_contour_value_at (const SondeContour *contour, double x, double y);

void sonde_paint_contour (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
                          int width, int height);

G_END_DECLS
