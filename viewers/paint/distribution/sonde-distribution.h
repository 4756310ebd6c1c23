/* SPDX-License-Identifier: Apache-2.0
 * Histograms over steps: as ridges (newest in front), as a heat map, as percentile bands, as shares of
 * what is zero, saturated or not finite; or of several runs, one over the other. Bins are never split: neighbours narrower than a few pixels are joined, nothing is interpolated. */
#pragma once

#include "data/values/sonde-bins.h"
#include "viewers/paint/sonde-axis.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_DISTRIBUTION_RIDGES, /* x: value, steps go from the back to the front */
  SONDE_DISTRIBUTION_HEAT,   /* x: step, y: value, colour: density as a share of the step's peak */
  SONDE_DISTRIBUTION_BANDS,  /* x: step, y: value, bands around the median */
  /* x: value, y: density as a share of the highest, each row an outline of its own colour */
  SONDE_DISTRIBUTION_OVERLAY,
  SONDE_DISTRIBUTION_SHARES, /* x: step, y: percent: see sonde-distribution-shares.h */
} SondeDistributionKind;

/* One histogram. Not owned. @title, @color_index: of OVERLAY */
typedef struct
{
  gint64 step;
  const SondeBins *bins;
  const char *title;
  guint color_index;
} SondeDistributionRow;

/**
 * SondeDistribution:
 * @rows: sorted by step, oldest first
 * @x_low … @y_high: limits of the axes; of RIDGES only x is used
 * @color: of the run
 * @log: densities by their logarithm, over SONDE_DISTRIBUTION_DECADES decades below the highest; not of BANDS and SHARES
 * @message: (nullable): in place of the image
 */
typedef struct
{
  SondeDistributionKind kind;
  const SondeDistributionRow *rows;
  gsize n_rows;
  double x_low, x_high, y_low, y_high;
  SondeColor color;
  gboolean log;
  const char *message;
} SondeDistribution;

#define SONDE_DISTRIBUTION_DECADES 3

/* 0 … 1: how high a density is drawn that is @share of the highest. */
double sonde_distribution_get_height (const SondeDistribution *distribution, double share);

void sonde_distribution_get_area (SondeDistributionKind kind, int width, int height,
                                  cairo_rectangle_t *area);

/* Limits of the finite values of all rows; FALSE when there are none. */
gboolean sonde_distribution_get_range (const SondeDistributionRow *rows, gsize n_rows, double *low,
                                       double *high);

void sonde_paint_distribution (cairo_t *cr, const SondeTheme *theme,
                               const SondeDistribution *distribution, int width, int height);

/* One row again, strong: under the pointer or at the cursor. */
void sonde_paint_distribution_row (cairo_t *cr, const SondeTheme *theme,
                                   const SondeDistribution *distribution, gsize row, int width,
                                   int height);

/* The row at a place of the image; -1 when there is none. */
int sonde_distribution_row_at (const SondeDistribution *distribution, int width, int height,
                               double x, double y);

G_END_DECLS
