/* SPDX-License-Identifier: Apache-2.0
 * What ran in a stretch of time, summed by label. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

G_BEGIN_DECLS

/**
 * SondeSpanStatistic:
 * @n: spans of the label that lie in the stretch at least in part
 * @total_ns: their time inside it; of those within one of the same label only the outer one counts
 * @self_ns: less what their direct children took
 */
typedef struct
{
  guint32 label;
  guint64 n;
  gint64 total_ns, self_ns;
} SondeSpanStatistic;

/* SondeSpanStatistic of all labels that ran in [start, end), most self time first. @cancelled: as of
 * sonde_span_walk(). Returns: (transfer full) (nullable): NULL when it was cancelled */
GArray *sonde_span_statistics_new (const SondeTimelineIndex *index, gint64 start_ns, gint64 end_ns,
                                   const int *cancelled);

/**
 * sonde_span_search:
 * @text: looked for in the names, in any case; "" finds nothing
 * @found: (out) (transfer full): by label, 1 where it is found
 * @n_found: (out): spans of these labels
 * @max: so many items at most are listed, the first of the trace
 *
 * Returns: (transfer full) (nullable): items by start, guint32; NULL when it was cancelled.
 */
GArray *sonde_span_search (const SondeTimelineIndex *index, const char *text, guint max,
                           guint8 **found, guint64 *n_found, const int *cancelled);

G_END_DECLS
