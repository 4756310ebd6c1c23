/* SPDX-License-Identifier: Apache-2.0
 * Goes through the spans of a stretch of time as calls: entered and left in order, cut off at the ends
 * of the stretch. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

G_BEGIN_DECLS

/**
 * SondeSpanVisit:
 * @span: index of SondeTrace.spans; @parent: the open span that contains it, or SONDE_TRACE_NONE
 * @ns: how much of it lies in the stretch
 * @slot: state of the visitor for each open span: what enter() returned for @parent, else that of
 *   begin_thread()
 */
typedef struct
{
  guint32 span, parent, lane;
  gint64 ns;
  guint32 slot;
} SondeSpanVisit;

/**
 * SondeSpanVisitor: all but @enter optional
 * @begin_thread: before the spans of @thread; returns the slot of what has no parent there
 * @enter: returns the slot for what is inside
 * @leave: for each that was entered, before anything behind it is entered in its lane
 */
typedef struct
{
  guint32 (*begin_thread) (guint32 thread, gpointer data);
  guint32 (*enter) (const SondeSpanVisit *visit, gpointer data);
  void (*leave) (guint32 span, guint32 lane, gpointer data);
} SondeSpanVisitor;

/* [start, end) of the file's clock. @cancelled: (nullable): set to something else than 0 from any
 * thread, it ends the walk. Returns FALSE when it did. */
gboolean sonde_span_walk (const SondeTimelineIndex *index, gint64 start_ns, gint64 end_ns,
                          const SondeSpanVisitor *visitor, gpointer data, const int *cancelled);

/* Adds to a sum that stops at the ends of 64 bits: files give any times. */
static inline void
sonde_span_add_ns (gint64 *sum, gint64 ns)
{
  if (__builtin_add_overflow (*sum, ns, sum))
    *sum = ns > 0 ? G_MAXINT64 : G_MININT64;
}

/* Two numbers as the key of a GHashTable, and the hash for it: g_direct_hash() sees half of it alone. */
static inline gpointer
sonde_span_pair (guint32 high, guint32 low)
{
  return (gpointer) (((guint64) high << 32) | low);
}

static inline guint
sonde_span_hash_pair (gconstpointer pair)
{
  return (guint) (((guint64) pair * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15)) >> 32);
}

G_END_DECLS
