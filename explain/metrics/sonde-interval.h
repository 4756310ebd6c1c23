/* SPDX-License-Identifier: Apache-2.0
 * How sure a share or a mean is. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double value, low, high;
} SondeInterval;

/* 95 % Wilson interval of @hits of @n; @value is hits / n. All NaN for n = 0. */
SondeInterval sonde_interval_of_rate (guint hits, guint n);

/**
 * sonde_interval_bootstrap:
 * @values: (array length=n): NaN and infinity are left out
 * @n_valid: (out) (optional): how many were not
 *
 * Mean and its 95 % percentile interval over 1000 resamples, drawn from @seed. All NaN without a
 * valid value; of a single one the interval is that value.
 */
SondeInterval sonde_interval_bootstrap (const double *values, gsize n, guint64 seed,
                                        gsize *n_valid);

G_END_DECLS
