/* SPDX-License-Identifier: Apache-2.0
 * Sets of time: half-open intervals of nanoseconds that do not touch each other, for unions, differences
 * and how much of a set lies in a stretch of time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 start_ns, end_ns;
} SondeTimeSpan;

/**
 * SondeIntervals:
 * @list: SondeTimeSpan, sorted and disjoint once settled
 * @before_ns: gint64: how long the intervals before each are together
 */
typedef struct
{
  GArray *list;
  GArray *before_ns;
} SondeIntervals;

void sonde_intervals_init (SondeIntervals *set);
void sonde_intervals_clear (SondeIntervals *set);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeIntervals, sonde_intervals_clear)

/* In any order; nothing for an empty interval. To be settled before it is asked. */
void sonde_intervals_add (SondeIntervals *set, gint64 start_ns, gint64 end_ns);
void sonde_intervals_settle (SondeIntervals *set);

/* How long the set lasts in [start, end). */
gint64 sonde_intervals_measure (const SondeIntervals *set, gint64 start_ns, gint64 end_ns);

/* What is in @a and not in @b, both settled; settled. @result: initialised, replaced */
void sonde_intervals_subtract (const SondeIntervals *a, const SondeIntervals *b,
                               SondeIntervals *result);

G_END_DECLS
