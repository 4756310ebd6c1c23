/* SPDX-License-Identifier: Apache-2.0
 * Where the ticks of an axis stand, and numbers as short text. Pure functions. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Four significant digits: "0.01234", "1.5", "12.35 M", "3.1e-07", "nan", "−inf" as "-inf".
 * From 10,000 on with k, M, G, T. Returns: (transfer full) */
char *sonde_format_number (double value);
/* Shortest text that reads back to the same double. Returns: (transfer full) */
char *sonde_format_exact (double value);
/* Whole numbers in groups of three: "1,200,000". Returns: (transfer full) */
char *sonde_format_count (gint64 value);
/* "512 B", "1.5 MiB". Returns: (transfer full) */
char *sonde_format_bytes (guint64 bytes);
/* "350 ns", "1.2 µs", "12.3 ms", "4.5 s", "2 min 3 s", "1 h 5 min". Returns: (transfer full) */
char *sonde_format_duration (gint64 ns);
/* "just now", "12 s ago", "3 min ago", "2 h ago", "5 days ago". Returns: (transfer full) */
char *sonde_format_ago (gint64 ns);

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
 * sonde_ticks_linear:
 * @low, @high: limits of the axis, in either order; equal or non-finite limits give no tick
 * @max_ticks: 2 … SONDE_MAX_TICKS
 *
 * Steps of 1, 2 or 5 times a power of ten; as many as fit, inside the limits.
 */
SondeAxisTicks sonde_ticks_linear (double low, double high, int max_ticks);

/* The same for whole numbers: no step below 1. */
SondeAxisTicks sonde_ticks_integer (double low, double high, int max_ticks);

/* @low, @high are log10 of the limits: ticks on whole decades, or on every n-th. When fewer than
 * two decades fit, linear ticks of the exponent. */
SondeAxisTicks sonde_ticks_decades (double low, double high, int max_ticks);

double sonde_ticks_get (const SondeAxisTicks *ticks, int i);

/* Label of tick @i with the decimals common to all ("0.5", "1.0"; large ones "12 k"). (transfer
 * full) */
char *sonde_ticks_label (const SondeAxisTicks *ticks, int i);
/* Label of a decade: "1e-05", "0.01", "1", "100", "1e+06". (transfer full) */
char *sonde_ticks_decade_label (const SondeAxisTicks *ticks, int i);

G_END_DECLS
