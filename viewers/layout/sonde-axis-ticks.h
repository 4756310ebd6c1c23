/* SPDX-License-Identifier: Apache-2.0
 * Where the ticks of an axis stand, and their labels. Pure functions. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeAxisTicks:
 * @first: value of the first tick; @step: distance; @n: how many, ≤ SONDE_MAX_TICKS
 * @decimals: digits behind the point that all labels need; -1: labels in powers (see label())
 */
#define SONDE_MAX_TICKS 16

typedef struct
{
  double first, step;
  int n;
  int decimals;
} SondeAxisTicks;

/**
 * sonde_axis_ticks_linear:
 * @low, @high: limits of the axis, in either order; equal or non-finite limits give no tick
 * @max_ticks: 2 … SONDE_MAX_TICKS
 *
 * Steps of 1, 2 or 5 times a power of ten; as many as fit, inside the limits.
 */
SondeAxisTicks sonde_axis_ticks_linear (double low, double high, int max_ticks);

/* The same for whole numbers: no step below 1. */
SondeAxisTicks sonde_axis_ticks_integer (double low, double high, int max_ticks);

/* @low, @high are log10 of the limits: ticks on whole decades, or on every n-th. When fewer than
 * two decades fit, linear ticks of the exponent. */
SondeAxisTicks sonde_axis_ticks_decades (double low, double high, int max_ticks);

double sonde_axis_ticks_get (const SondeAxisTicks *ticks, int i);

/* Label of tick @i with the decimals common to all ("0.5", "1.0"; large ones "12 k"). (transfer
 * full) */
char *sonde_axis_ticks_label (const SondeAxisTicks *ticks, int i);
/* The same in powers of ten, "5e-05", "1.5e-04": for a column that has no room for the digits.
 * (transfer full) */
char *sonde_axis_ticks_short_label (const SondeAxisTicks *ticks, int i);
/* @low, @high are log10 of the limits, with less than two whole decades between: @values takes at
 * most SONDE_MAX_TICKS values at 1-2-5 steps. Returns: how many. */
int sonde_axis_ticks_within_decades (double low, double high, double *values);
/* Label of a decade: "1e-05", "0.01", "1", "100", "1e+06". (transfer full) */
char *sonde_axis_ticks_decade_label (const SondeAxisTicks *ticks, int i);

G_END_DECLS
