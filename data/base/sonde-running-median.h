/* SPDX-License-Identifier: Apache-2.0
 * The median of all numbers so far, after each of them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Zero-initialise; @low: the smaller half, a heap with the greatest first; @high: the others, the least
 * first. Either has at most one more than the other. */
typedef struct
{
  GArray *low, *high;
} SondeRunningMedian;

void sonde_running_median_clear (SondeRunningMedian *median);

/* In logarithmic time. */
void sonde_running_median_add (SondeRunningMedian *median, double number);

/* Of an even count the mean of the middle two; NaN of none. */
double sonde_running_median_get (const SondeRunningMedian *median);
guint sonde_running_median_get_count (const SondeRunningMedian *median);

G_END_DECLS
