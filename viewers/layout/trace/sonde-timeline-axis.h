/* SPDX-License-Identifier: Apache-2.0
 * Ticks of an axis of nanoseconds: short labels in the unit that fits, and once what has to be added to
 * them. Pure functions. */
#pragma once

#include "viewers/layout/sonde-axis-ticks.h"

G_BEGIN_DECLS

/**
 * SondeTimelineAxis:
 * @ticks: in @unit, counted from @base_ns; sonde_axis_ticks_get() × @unit_ns + @base_ns is the place
 * @unit: "ns", "µs", "ms" or "s"
 * @base_ns: 0 where labels are short enough without
 */
typedef struct
{
  SondeAxisTicks ticks;
  const char *unit;
  double unit_ns, base_ns;
} SondeTimelineAxis;

/* @start_ns, @end_ns: at the ends of the axis; end > start */
SondeTimelineAxis sonde_timeline_axis_new (double start_ns, double end_ns, int max_ticks);

/* "12.5 ms". (transfer full) */
char *sonde_timeline_axis_dup_label (const SondeTimelineAxis *axis, int i);
/* "3.2 s +"; NULL without a base. (transfer full) */
char *sonde_timeline_axis_dup_base (const SondeTimelineAxis *axis);

/* A time since the start with all its digits: "1.234567891 s". (transfer full) */
char *sonde_timeline_dup_time (double since_ns);

G_END_DECLS
