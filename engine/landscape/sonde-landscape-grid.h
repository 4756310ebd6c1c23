/* SPDX-License-Identifier: Apache-2.0
 * Losses over a grid of a plane through the weights of a model. */
#pragma once

#include "engine/landscape/sonde-loss-probe.h"
#include "engine/landscape/sonde-weight-plane.h"

G_BEGIN_DECLS

/* Points on a side. */
#define SONDE_LANDSCAPE_LEAST_GRID 3
#define SONDE_LANDSCAPE_MOST_GRID 256

/**
 * SondeLandscapeGrid:
 * @origin: [n] of the probe's space: the point (0, 0)
 * @x, @y: (array length=n_side): places on the plane's axes
 * @n_side: SONDE_LANDSCAPE_LEAST_GRID … SONDE_LANDSCAPE_MOST_GRID
 * @point_done: (nullable): after each point, with how many are done; FALSE ends the work
 */
typedef struct
{
  SondeLossProbe *probe;
  const SondeWeightPlane *plane;
  const float *origin;
  const double *x, *y;
  guint n_side;
  gboolean (*point_done) (guint done, gpointer data);
  gpointer data;
} SondeLandscapeGrid;

/**
 * sonde_landscape_grid_measure:
 * @losses: (out caller-allocates): [n_side, n_side], row by row of @y; what is not finite is left so
 *
 * The probe has other weights afterwards. Errors: of the probe; CANCELLED (of the domain of data) by @point_done.
 */
gboolean sonde_landscape_grid_measure (const SondeLandscapeGrid *grid, double *losses,
                                       GError **error);

/* @n places from @low to @high, ends included; those of a range around 0 mirror each other to the bit. */
void sonde_landscape_grid_spread (double low, double high, guint n, double *places);

G_END_DECLS
