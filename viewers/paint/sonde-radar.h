/* SPDX-License-Identifier: Apache-2.0
 * A radar: an axis a metric, a closed line a method, 0 in the middle and 1 at the rim. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeRadar: nothing is owned
 * @axes: (array length=n_axes); @names: (array length=n_series)
 * @values: (array length=n_series*n_axes): in [0, 1], a row a series; NaN: not known, the line is
 * open there
 * @shown: (nullable) (array length=n_series)
 * @emphasised: series drawn thick and last, -1 none
 */
typedef struct
{
  const char *const *axes, *const *names;
  guint n_axes, n_series;
  const double *values;
  const gboolean *shown;
  int emphasised;
} SondeRadar;

/* Centre and radius of the chart in the rectangle. */
void sonde_radar_place (const SondeRadar *radar, double x, double y, double width, double height,
                        double *centre_x, double *centre_y, double *radius);

/* Where a value lies. FALSE: NaN. */
gboolean sonde_radar_get_point (const SondeRadar *radar, guint series, guint axis, double centre_x,
                                double centre_y, double radius, double *x, double *y);

/* Nothing but a sentence for fewer than three axes. */
void sonde_paint_radar (cairo_t *cr, const SondeTheme *theme, const SondeRadar *radar, double x,
                        double y, double width, double height);

G_END_DECLS
