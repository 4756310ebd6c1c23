/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-span-neighbours.h"

#include "viewers/layout/trace/sonde-timeline-bars.h"

#define MAX_ARROWS 4096

guint32
sonde_span_find_neighbour (const SondeTimelineIndex *index, guint32 item, int step)
{
  SondeTimelineItem it = sonde_timeline_index_get_item (index, item);
  const SondeTimelineRow *row;
  guint32 track, r, i;

  if (!sonde_timeline_index_find (index, item, &track, &r))
    return SONDE_TIMELINE_NONE;
  row = &g_array_index (index->rows, SondeTimelineRow, r);
  i = sonde_timeline_row_find_start (index, r, sonde_timeline_since (index, it.start_ns));
  /* Empty spans of one time stand beside each other. */
  while (i < row->n && index->order[row->first + i] != item)
    i++;
  if (i == row->n || (step < 0 && i == 0) || (step > 0 && i + 1 == row->n))
    return SONDE_TIMELINE_NONE;
  return index->order[row->first + (step < 0 ? i - 1 : i + 1)];
}

guint32
sonde_span_find_across_arrow (const SondeTimelineIndex *index, guint32 item, int step)
{
  g_autoptr (GArray) arrows = sonde_timeline_index_list_arrows (index, item, MAX_ARROWS);

  for (guint i = 0; i < arrows->len; i++)
    {
      const SondeTraceArrow *arrow = &g_array_index (index->trace->arrows, SondeTraceArrow,
                                                     g_array_index (arrows, guint32, i));
      guint32 here = step < 0 ? arrow->to : arrow->from;
      guint32 there = step < 0 ? arrow->from : arrow->to;

      if (here == item && there != SONDE_TRACE_NONE && there != item)
        return there;
    }
  return SONDE_TIMELINE_NONE;
}
