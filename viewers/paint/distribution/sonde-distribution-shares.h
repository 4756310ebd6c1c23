/* SPDX-License-Identifier: Apache-2.0
 * What of a histogram's elements does not work: zero, saturated, not finite; and these as curves over steps. */
#pragma once

#include "viewers/paint/distribution/sonde-distribution.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_BIN_SHARE_ZERO, /* exactly */
  SONDE_BIN_SHARE_SATURATED, /* at least 2^(-1/8) in magnitude, where no value is beyond 1: what Tanh and Sigmoid make */
  SONDE_BIN_SHARE_NOT_FINITE,
  SONDE_N_BIN_SHARES,
} SondeBinShare;

/* Of all elements, 0 to 1. NaN: these bins do not tell it, as one that reaches over zero does not, or it makes no
 * sense, as what is saturated does not where values are beyond 1. */
double sonde_bins_get_share (const SondeBins *bins, SondeBinShare share);

const char *sonde_bin_share_get_title (SondeBinShare share); /* message id */

void sonde_distribution_paint_shares (cairo_t *cr, const SondeTheme *theme,
                                      const SondeDistribution *d, const cairo_rectangle_t *area);

G_END_DECLS
