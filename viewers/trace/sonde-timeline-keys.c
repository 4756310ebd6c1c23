/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trace/sonde-timeline-keys-private.h"

#include "viewers/layout/trace/sonde-timeline-bars.h"

#define MAX_ARROWS 4096

/* The selected item, or SONDE_TIMELINE_NONE. */
static guint32
get_selected (SondeTimelineView *view)
{
  const SondeTimelineIndex *index = sonde_timeline_view_get_index (view);
  gint64 id = sonde_view_get_selection (SONDE_VIEW (view));

  return index != NULL && id >= 0 && id < index->n_items ? (guint32) id : SONDE_TIMELINE_NONE;
}

static gboolean
on_mark (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (widget);
  guint32 item = get_selected (view);
  SondeTimelineItem it;

  if (item == SONDE_TIMELINE_NONE)
    return FALSE;
  it = sonde_timeline_index_get_item (sonde_timeline_view_get_index (view), item);
  sonde_timeline_view_set_range (view, it.start_ns, it.end_ns);
  return TRUE;
}

/* ---- neighbours ---------------------------------------------------------- */

static guint32
find_neighbour (const SondeTimelineIndex *index, guint32 item, int step)
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

static guint32
find_across_arrow (const SondeTimelineIndex *index, guint32 item, int step)
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

/* @arguments: (ib): back or on, and whether across an arrow */
static gboolean
on_step (GtkWidget *widget, GVariant *arguments, gpointer data)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (widget);
  guint32 item = get_selected (view), other;
  gboolean by_arrow;
  int step;

  g_variant_get (arguments, "(ib)", &step, &by_arrow);
  if (item == SONDE_TIMELINE_NONE)
    return FALSE;
  other = by_arrow ? find_across_arrow (sonde_timeline_view_get_index (view), item, step)
                   : find_neighbour (sonde_timeline_view_get_index (view), item, step);
  if (other != SONDE_TIMELINE_NONE)
    sonde_timeline_view_reveal (view, other);
  else
    gtk_widget_error_bell (widget);
  return TRUE;
}

void
sonde_timeline_keys_add (GtkWidgetClass *class)
{
  static const struct
  {
    guint key;
    int step;
    gboolean by_arrow;
  } keys[] = {
    { GDK_KEY_comma, -1, FALSE },
    { GDK_KEY_period, 1, FALSE },
    { GDK_KEY_bracketleft, -1, TRUE },
    { GDK_KEY_bracketright, 1, TRUE },
  };

  gtk_widget_class_add_binding (class, GDK_KEY_m, 0, on_mark, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    gtk_widget_class_add_binding (class, keys[i].key, 0, on_step, "(ib)", keys[i].step,
                                  keys[i].by_arrow);
}
