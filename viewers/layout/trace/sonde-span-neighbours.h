/* SPDX-License-Identifier: Apache-2.0
 * From a span to others: beside it, and where its arrows lead. */
#pragma once

#include "viewers/layout/trace/sonde-timeline-index.h"

G_BEGIN_DECLS

/* The item behind @item in its row (@step > 0) or before it; SONDE_TIMELINE_NONE at the ends. */
guint32 sonde_span_find_neighbour (const SondeTimelineIndex *index, guint32 item, int step);

/* The span that the first arrow from @item leads to (@step > 0), or that the first to it comes from;
 * SONDE_TIMELINE_NONE when there is none. */
guint32 sonde_span_find_across_arrow (const SondeTimelineIndex *index, guint32 item, int step);

G_END_DECLS
