/* SPDX-License-Identifier: Apache-2.0
 * Ticks of time axes: seconds since a start in units people use, and the clock of the day. Pure. */
#pragma once

#include "viewers/layout/sonde-axis-ticks.h"

G_BEGIN_DECLS

/**
 * sonde_axis_ticks_duration:
 * @low, @high: seconds
 * @unit: (out): "s", "min", "h" or "days", in the user's language; @unit_seconds: (out): its length
 *
 * Ticks in @unit: multiply sonde_axis_ticks_get() by *@unit_seconds for the place on the axis.
 */
SondeAxisTicks sonde_axis_ticks_duration (double low, double high, int max_ticks, const char **unit,
                                          double *unit_seconds);

/* @low, @high: seconds since 1970 UTC. Ticks on round local times; @zone: (nullable): local
 * zone. */
SondeAxisTicks sonde_axis_ticks_clock (double low, double high, int max_ticks, GTimeZone *zone);

/* "14:05:30", "14:05" or "3 May" by the distance of the ticks. Returns: (transfer full) */
char *sonde_axis_ticks_clock_label (const SondeAxisTicks *ticks, int i, GTimeZone *zone);

G_END_DECLS
