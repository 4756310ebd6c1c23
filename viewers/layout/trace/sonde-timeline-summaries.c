/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-timeline-summaries-private.h"

#define BLOCK SONDE_TIMELINE_BLOCK
#define GROUP SONDE_TIMELINE_GROUP

static gint64
lasting (const SondeTimelineIndex *index, guint32 item)
{
  SondeTimelineItem it = sonde_timeline_index_get_item (index, item);

  return it.end_ns - it.start_ns;
}

/* 0 is code 0, 1 ns code 1. @up: not less than it is, else not more */
static guint16
encode_ns (gint64 ns, int shift, gboolean up)
{
  union
  {
    float value;
    guint32 bits;
  } as = { (float) ns };
  guint32 most = (1u << (29 - shift)) - 1;

  if (ns <= 0)
    return 0;
  return (guint16) MIN (((as.bits - 0x3f800000u + (up ? (1u << shift) - 1 : 0)) >> shift) + 1,
                        most);
}

static void
summarise_group (SondeTimelineIndex *index, guint32 first)
{
  gint64 busy = 0, most = -1;
  guint32 longest = 0;
  SondeTimelineGroup group;

  for (guint32 i = 0; i < GROUP; i++)
    {
      gint64 ns = lasting (index, index->order[first + i]);

      busy += ns;
      if (ns > most)
        {
          most = ns;
          longest = i;
        }
    }
  group.longest = encode_ns (most, SONDE_TIMELINE_CODE_SHIFT, TRUE);
  group.busy = (guint16) (encode_ns (busy, SONDE_TIMELINE_BUSY_SHIFT, TRUE) << 2 | longest);
  g_array_append_val (index->groups, group);
}

/* Of the items at [first, first + BLOCK) of the order. */
static void
summarise_block (SondeTimelineIndex *index, guint32 first)
{
  const guint32 *items = index->order + first;
  SondeTimelineBlock block
      = { .longest = items[0],
          .start_ns = sonde_timeline_index_get_item (index, items[0]).start_ns };
  gint64 most = -1;

  for (guint32 i = 0; i < BLOCK; i++)
    {
      SondeTimelineItem it = sonde_timeline_index_get_item (index, items[i]);
      gint64 ns = it.end_ns - it.start_ns, offset = G_MAXINT64;

      /* Times are anything; what cannot be told is far. */
      if (!__builtin_sub_overflow (it.start_ns, block.start_ns, &offset))
        offset = MAX (offset, 0);
      else
        offset = G_MAXINT64;
      index->codes[first + i]
          = (SondeTimelineCode){ encode_ns (offset, SONDE_TIMELINE_CODE_SHIFT, FALSE),
                                 encode_ns (ns, SONDE_TIMELINE_CODE_SHIFT, TRUE) };
      block.busy_ns += ns;
      if (ns > most)
        {
          most = ns;
          block.longest = items[i];
        }
    }
  block.longest_ns = (float) most;
  g_array_append_val (index->blocks, block);
  for (guint32 i = 0; i < BLOCK; i += GROUP)
    summarise_group (index, first + i);
}

static void
summarise_row (SondeTimelineIndex *index, SondeTimelineRow *row)
{
  row->first_block = index->blocks->len;
  for (guint32 b = 0; b < row->n / BLOCK; b++)
    summarise_block (index, row->first + b * BLOCK);
}

void
sonde_timeline_summarise (SondeTimelineIndex *index)
{
  for (guint r = 0; r < index->rows->len; r++)
    summarise_row (index, &g_array_index (index->rows, SondeTimelineRow, r));
}
