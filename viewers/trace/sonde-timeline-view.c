/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/trace/sonde-timeline-view.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/layout/trace/sonde-span-neighbours.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"
#include "viewers/paint/trace/sonde-timeline-paint.h"

/* Numbers of what is picked: items, then these. */
#define FIRST_INSTANT (G_GINT64_CONSTANT (1) << 33)
#define FIRST_NAME (G_GINT64_CONSTANT (1) << 34)  /* of tracks */
#define FIRST_SPACE (G_GINT64_CONSTANT (1) << 35) /* beside bars, of tracks */
#define MARGIN 0.01                               /* of the trace on either side */
#define MIN_EXTENT_NS 20
#define LEAST_PX 4 /* a bar that is revealed is at least so wide */

struct _SondeTimelineView
{
  SondeTraceView parent_instance;
  const SondeTimelineIndex *index; /* (nullable): of @owner */
  GObject *owner;
  SondeTimelinePlaces places;
  gboolean has_range;
  double range_start_ns, range_end_ns; /* since the start */
  guint8 *found;
  GArray *hits;
};

G_DEFINE_FINAL_TYPE (SondeTimelineView, sonde_timeline_view, SONDE_TYPE_TRACE_VIEW)

static guint range_changed_signal;

static SondeTimelinePicture
describe_picture (SondeTimelineView *view, int width, int height)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  return (SondeTimelinePicture){ .index = view->index,
                                 .places = &view->places,
                                 .start_ns = v.x0,
                                 .end_ns = v.x1,
                                 .scroll = sonde_trace_view_get_scroll (SONDE_TRACE_VIEW (view)),
                                 .found = view->found,
                                 .hits = view->hits,
                                 .labels = sonde_trace_view_get_labels (SONDE_TRACE_VIEW (view)) };
}

/* ---- drawing ------------------------------------------------------------- */

static void
sonde_timeline_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  SondeTimelinePicture picture;

  if (view->index == NULL)
    return;
  picture = describe_picture (view, width, height);
  sonde_paint_timeline (cr, sonde_view_get_theme (base), &picture, width, height);
}

static guint32
as_item (SondeTimelineView *view, gint64 id)
{
  return id >= 0 && id < view->index->n_items ? (guint32) id : SONDE_TIMELINE_NONE;
}

static void
sonde_timeline_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  SondeTimelinePicture picture;
  SondeTimelineMarks marks;
  double x, y;

  if (view->index == NULL)
    return;
  picture = describe_picture (view, width, height);
  marks = (SondeTimelineMarks){ .selected = as_item (view, sonde_view_get_selection (base)),
                                .hovered = as_item (view, sonde_view_get_hovered (base)),
                                .has_range = view->has_range,
                                .range_start_ns = view->range_start_ns,
                                .range_end_ns = view->range_end_ns,
                                .pointer = sonde_view_get_pointer (base, &x, &y) ? x : -1 };
  sonde_paint_timeline_marks (cr, sonde_view_get_theme (base), &picture, &marks, width, height);
}

static void
sonde_timeline_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  sonde_timeline_get_area (width, height, area);
  area->x = floor (area->x);
}

static void
sonde_timeline_view_prepare (SondeView *base, int width, int height)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);

  if (view->index != NULL)
    sonde_view_set_bounds (base, &(SondeViewport){ -MARGIN * view->index->length_ns, 0,
                                                   (1 + MARGIN) * view->index->length_ns, 1 });
}

static double
sonde_timeline_view_get_height (SondeTraceView *base)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);

  return view->index != NULL ? (double) view->places.tops[view->places.n_tracks] : 0;
}

/* ---- what is under the pointer ------------------------------------------- */

static gboolean
sonde_timeline_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  int width = sonde_view_get_width (base);
  int height = sonde_view_get_height (base);
  SondeTimelinePicture picture;
  SondeTimelineHit hit;

  if (view->index == NULL)
    return FALSE;
  picture = describe_picture (view, width, height);
  sonde_timeline_hit (&picture, width, height, x, y, &hit);
  if (hit.track == SONDE_TIMELINE_NONE)
    return FALSE;
  pick->area = (SondeViewRect){ x - 2, y - 2, 4, 4 };
  if (hit.on_names)
    pick->id = FIRST_NAME + hit.track;
  else if (hit.item != SONDE_TIMELINE_NONE)
    {
      pick->id = hit.item;
      if (!sonde_timeline_get_box (&picture, hit.item, width, height, &pick->area))
        pick->area = (SondeViewRect){ x - 2, y - 2, 4, 4 };
    }
  else if (hit.instant != SONDE_TIMELINE_NONE)
    pick->id = FIRST_INSTANT + hit.instant;
  else
    pick->id = FIRST_SPACE + hit.track;
  return TRUE;
}

static char *
describe_item (SondeTimelineView *view, guint32 item)
{
  SondeTimelineItem it = sonde_timeline_index_get_item (view->index, item);
  const SondeTraceLabel *label = sonde_trace_get_label (view->index->trace, it.label);
  g_autofree char *name = sonde_text_make_visible (label->name);
  g_autofree char *start
      = sonde_timeline_dup_time (sonde_timeline_since (view->index, it.start_ns));
  g_autofree char *lasts = sonde_timeline_dup_time ((double) (it.end_ns - it.start_ns));

  if (*label->category == '\0')
    return g_strdup_printf (_ ("%s\n%s, from %s"), name, lasts, start);
  else
    {
      g_autofree char *category = sonde_text_make_visible (label->category);

      return g_strdup_printf (_ ("%s\n%s, from %s\n%s"), name, lasts, start, category);
    }
}

static char *
describe_series (SondeTimelineView *view, const SondeTimelineTrack *track, double x)
{
  const SondeTimelineSeries *series
      = &g_array_index (view->index->series, SondeTimelineSeries, track->source);
  g_autofree char *name = sonde_text_make_visible (series->name);
  g_autofree char *time = NULL, *text = NULL;
  double since, y, value;

  sonde_view_view_to_world (SONDE_VIEW (view), x, 0, &since, &y);
  value = sonde_timeline_series_get (view->index, track->source, since);
  if (isnan (value))
    return g_steal_pointer (&name);
  time = sonde_timeline_dup_time (since);
  text = sonde_counter_format (series->unit, value);
  return g_strdup_printf (_ ("%s: %s at %s"), name, text, time);
}

static char *
describe_instant (SondeTimelineView *view, guint32 i)
{
  const SondeTraceInstant *instant
      = &g_array_index (view->index->trace->instants, SondeTraceInstant, i);
  g_autofree char *name
      = sonde_text_make_visible (sonde_trace_get_label (view->index->trace, instant->label)->name);
  g_autofree char *time
      = sonde_timeline_dup_time (sonde_timeline_since (view->index, instant->at_ns));

  return g_strdup_printf (_ ("%s\nat %s"), name, time);
}

static char *
sonde_timeline_view_dup_tooltip (SondeView *base, const SondeViewPick *pick)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  const SondeTimelineTrack *track;

  if (pick->id < FIRST_INSTANT)
    return describe_item (view, (guint32) pick->id);
  if (pick->id < FIRST_NAME)
    return describe_instant (view, (guint32) (pick->id - FIRST_INSTANT));
  track = &g_array_index (view->index->tracks, SondeTimelineTrack,
                          pick->id - (pick->id < FIRST_SPACE ? FIRST_NAME : FIRST_SPACE));
  if (pick->id < FIRST_SPACE)
    return sonde_text_make_visible (track->detail);
  return track->kind == SONDE_TRACK_SERIES
             ? describe_series (view, track, pick->area.x + pick->area.width / 2)
             : NULL;
}

static void
on_picked (SondeTimelineView *view, gint64 id, int n_presses, double x, double y)
{
  if (id >= FIRST_NAME && id < FIRST_SPACE && n_presses == 1)
    {
      guint track = (guint) (id - FIRST_NAME);

      sonde_timeline_places_fold (&view->places, track, !view->places.folded[track]);
      sonde_trace_view_height_changed (SONDE_TRACE_VIEW (view));
      sonde_view_invalidate (SONDE_VIEW (view));
    }
  else if (id < FIRST_NAME)
    {
      sonde_view_set_selection (SONDE_VIEW (view), id < FIRST_INSTANT ? id : SONDE_VIEW_NOTHING);
      if (n_presses == 2 && id >= 0 && id < FIRST_INSTANT)
        SONDE_TRACE_VIEW_GET_CLASS (view)->show_selection (SONDE_TRACE_VIEW (view));
    }
  else
    sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
}

/* ---- words --------------------------------------------------------------- */

static char *
sonde_timeline_view_describe (SondeView *base)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  const char *title = sonde_view_get_title (base);
  guint32 item;
  g_autofree char *spans = NULL, *lasts = NULL, *shown = NULL, *selected = NULL;
  SondeViewport v;

  if (view->index == NULL)
    return g_strdup_printf (_ ("%s: no trace."), title != NULL ? title : _ ("Timeline"));
  sonde_view_get_viewport (base, &v);
  spans = sonde_format_count (view->index->n_items);
  lasts = sonde_format_duration ((gint64) MIN (view->index->length_ns, 9e18));
  shown = sonde_format_duration ((gint64) MIN (v.x1 - v.x0, 9e18));
  item = as_item (view, sonde_view_get_selection (base));
  selected = item != SONDE_TIMELINE_NONE ? describe_item (view, item) : g_strdup ("");
  return g_strdup_printf (_ ("%s: %s spans in %s, of which %s are in sight. %s"),
                          title != NULL ? title : _ ("Timeline"), spans, lasts, shown, selected);
}

static char *
sonde_timeline_view_dup_table (SondeView *base, char separator)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "process%cthread%cname%cspans%cbusy_ns\n", separator, separator,
                          separator, separator);
  for (guint t = 0; view->index != NULL && t < view->index->tracks->len; t++)
    {
      const SondeTimelineTrack *track = &g_array_index (view->index->tracks, SondeTimelineTrack, t);
      const SondeTraceThread *thread;

      if (track->kind != SONDE_TRACK_THREAD)
        continue;
      thread = sonde_trace_get_thread (view->index->trace, track->source);
      g_string_append_printf (text, "%s%c%s%c%s%c%" PRIu64 "%c%" PRIi64 "\n", thread->pid,
                              separator, thread->tid, separator, track->name, separator, thread->n,
                              separator, thread->busy_ns);
    }
  return g_string_free (text, FALSE);
}

/* ---- the stretch --------------------------------------------------------- */

static void
change_range (SondeTimelineView *view, gboolean has_range, double start_ns, double end_ns,
              gboolean done)
{
  view->has_range = has_range;
  view->range_start_ns = start_ns;
  view->range_end_ns = end_ns;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
  g_signal_emit (view, range_changed_signal, 0, done);
}

static void
sonde_timeline_view_select_range (SondeView *base, double x0, double x1, gboolean done)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);

  if (view->index != NULL)
    change_range (view, TRUE, CLAMP (x0, 0, view->index->length_ns),
                  CLAMP (x1, 0, view->index->length_ns), done);
}

gboolean
sonde_timeline_view_get_range (SondeTimelineView *view, gint64 *start_ns, gint64 *end_ns)
{
  g_return_val_if_fail (SONDE_IS_TIMELINE_VIEW (view), FALSE);
  if (!view->has_range || view->index == NULL)
    return FALSE;
  *start_ns = sonde_timeline_at (view->index, view->range_start_ns);
  *end_ns = sonde_timeline_at (view->index, view->range_end_ns);
  return TRUE;
}

void
sonde_timeline_view_set_range (SondeTimelineView *view, gint64 start_ns, gint64 end_ns)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view));
  if (view->index != NULL)
    change_range (view, TRUE, sonde_timeline_since (view->index, start_ns),
                  sonde_timeline_since (view->index, end_ns), TRUE);
}

void
sonde_timeline_view_clear_range (SondeTimelineView *view)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view));
  if (view->has_range)
    change_range (view, FALSE, 0, 0, TRUE);
}

void
sonde_timeline_view_get_shown (SondeTimelineView *view, gint64 *start_ns, gint64 *end_ns)
{
  SondeViewport v;

  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view));
  sonde_view_get_viewport (SONDE_VIEW (view), &v);
  *start_ns = sonde_timeline_at (view->index, MAX (v.x0, 0));
  *end_ns = sonde_timeline_at (view->index, MIN (v.x1, view->index->length_ns));
}

static gboolean
sonde_timeline_view_let_go (SondeTraceView *base)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  gboolean held
      = view->has_range || sonde_view_get_selection (SONDE_VIEW (view)) != SONDE_VIEW_NOTHING;

  sonde_timeline_view_clear_range (view);
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  return held;
}

/* The selected stretch, else the selected bar, over most of the width. */
static void
sonde_timeline_view_show_selection (SondeTraceView *base)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  double start = view->range_start_ns, end = view->range_end_ns, margin;
  guint32 item;

  if (view->index == NULL)
    return;
  item = as_item (view, sonde_view_get_selection (SONDE_VIEW (view)));
  if (item != SONDE_TIMELINE_NONE)
    {
      SondeTimelineItem it = sonde_timeline_index_get_item (view->index, item);

      start = sonde_timeline_since (view->index, it.start_ns);
      end = sonde_timeline_since (view->index, it.end_ns);
    }
  else if (!view->has_range)
    return;
  margin = MAX ((end - start) * 0.1, MIN_EXTENT_NS);
  sonde_view_set_viewport (SONDE_VIEW (view),
                           &(SondeViewport){ start - margin, 0, end + margin, 1 });
}

/* ---- going there --------------------------------------------------------- */

static void
bring_into_sight (SondeTimelineView *view, guint32 item)
{
  SondeTimelineItem it = sonde_timeline_index_get_item (view->index, item);
  double start = sonde_timeline_since (view->index, it.start_ns);
  double end = sonde_timeline_since (view->index, it.end_ns), extent, least;
  SondeViewRect area;
  SondeViewport v;

  sonde_view_get_viewport (SONDE_VIEW (view), &v);
  sonde_view_get_area (SONDE_VIEW (view), sonde_view_get_width (SONDE_VIEW (view)),
                       sonde_view_get_height (SONDE_VIEW (view)), &area);
  extent = v.x1 - v.x0;
  least = MAX (end - start, MIN_EXTENT_NS / 10.0);
  if (least / extent * area.width < LEAST_PX)
    extent = least * area.width / 40;
  else if (start >= v.x0 && end <= v.x1)
    return;
  extent = MAX (extent, (end - start) * 1.2);
  sonde_view_set_viewport (SONDE_VIEW (view), &(SondeViewport){ (start + end - extent) / 2, 0,
                                                                (start + end + extent) / 2, 1 });
}

void
sonde_timeline_view_reveal (SondeTimelineView *view, guint32 item)
{
  guint32 track, row, k;

  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view));
  if (view->index == NULL || !sonde_timeline_index_find (view->index, item, &track, &row))
    return;
  sonde_timeline_places_reveal (&view->places, track);
  sonde_trace_view_height_changed (SONDE_TRACE_VIEW (view));
  k = row - g_array_index (view->index->tracks, SondeTimelineTrack, track).first_row;
  sonde_trace_view_scroll_to (SONDE_TRACE_VIEW (view),
                              (double) sonde_timeline_places_get_row_top (&view->places, track, k)
                                  - SONDE_TIMELINE_HEAD,
                              2 * SONDE_TIMELINE_HEAD + SONDE_TIMELINE_ROW);
  bring_into_sight (view, item);
  sonde_view_set_selection (SONDE_VIEW (view), item);
  sonde_view_invalidate (SONDE_VIEW (view));
}

/* The stretch of the selected span. */
static gboolean
sonde_timeline_view_mark (SondeTraceView *base)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  guint32 item = view->index != NULL ? as_item (view, sonde_view_get_selection (SONDE_VIEW (view)))
                                     : SONDE_TIMELINE_NONE;
  SondeTimelineItem it;

  if (item == SONDE_TIMELINE_NONE)
    return FALSE;
  it = sonde_timeline_index_get_item (view->index, item);
  sonde_timeline_view_set_range (view, it.start_ns, it.end_ns);
  return TRUE;
}

static gboolean
sonde_timeline_view_step (SondeTraceView *base, int step, gboolean by_arrow)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (base);
  guint32 item = view->index != NULL ? as_item (view, sonde_view_get_selection (SONDE_VIEW (view)))
                                     : SONDE_TIMELINE_NONE;

  if (item == SONDE_TIMELINE_NONE)
    return FALSE;
  item = by_arrow ? sonde_span_find_across_arrow (view->index, item, step)
                  : sonde_span_find_neighbour (view->index, item, step);
  if (item != SONDE_TIMELINE_NONE)
    sonde_timeline_view_reveal (view, item);
  else
    gtk_widget_error_bell (GTK_WIDGET (view));
  return TRUE;
}

void
sonde_timeline_view_set_found (SondeTimelineView *view, guint8 *found, GArray *hits)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view));
  g_free (view->found);
  g_clear_pointer (&view->hits, g_array_unref);
  view->found = found;
  view->hits = hits;
  sonde_view_invalidate (SONDE_VIEW (view));
}

/* Place in the hits of the first that is not before @item. */
static guint
find_hit (SondeTimelineView *view, guint32 item)
{
  gint64 at = sonde_timeline_index_get_item (view->index, item).start_ns;
  guint low = 0, high = view->hits->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      guint32 other = g_array_index (view->hits, guint32, middle);
      gint64 start = sonde_timeline_index_get_item (view->index, other).start_ns;

      if (start < at || (start == at && other < item))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

guint32
sonde_timeline_view_find_next (SondeTimelineView *view, gboolean forward, guint *place)
{
  guint32 item;
  guint n, i;

  g_return_val_if_fail (SONDE_IS_TIMELINE_VIEW (view), SONDE_TIMELINE_NONE);
  if (view->index == NULL || view->hits == NULL || view->hits->len == 0)
    return SONDE_TIMELINE_NONE;
  n = view->hits->len;
  item = as_item (view, sonde_view_get_selection (SONDE_VIEW (view)));
  if (item == SONDE_TIMELINE_NONE)
    i = forward ? 0 : n - 1;
  else
    {
      gboolean is_hit;

      i = find_hit (view, item);
      is_hit = i < n && g_array_index (view->hits, guint32, i) == item;
      i = forward ? (i + (guint) is_hit) % n : (i + n - 1) % n;
    }
  *place = i;
  return g_array_index (view->hits, guint32, i);
}

/* ---- tracks -------------------------------------------------------------- */

static void
places_changed (SondeTimelineView *view)
{
  sonde_trace_view_height_changed (SONDE_TRACE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_timeline_view_fold_all (SondeTimelineView *view, gboolean folded)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view) && view->index != NULL);
  sonde_timeline_places_fold_all (&view->places, folded);
  places_changed (view);
}

const SondeTimelinePlaces *
sonde_timeline_view_get_places (SondeTimelineView *view)
{
  g_return_val_if_fail (SONDE_IS_TIMELINE_VIEW (view), NULL);
  return &view->places;
}

guint32
sonde_timeline_view_find_track (SondeTimelineView *view, gint64 id)
{
  guint32 track, row;

  g_return_val_if_fail (SONDE_IS_TIMELINE_VIEW (view), SONDE_TIMELINE_NONE);
  if (id >= FIRST_SPACE)
    return (guint32) (id - FIRST_SPACE);
  if (id >= FIRST_NAME)
    return (guint32) (id - FIRST_NAME);
  return view->index != NULL && as_item (view, id) != SONDE_TIMELINE_NONE
                 && sonde_timeline_index_find (view->index, (guint32) id, &track, &row)
             ? track
             : SONDE_TIMELINE_NONE;
}

void
sonde_timeline_view_pin (SondeTimelineView *view, guint32 track, gboolean pinned)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view) && track < view->places.n_tracks);
  sonde_timeline_places_pin (&view->places, track, pinned);
  places_changed (view);
}

void
sonde_timeline_view_hide (SondeTimelineView *view, guint32 track)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view) && track < view->places.n_tracks);
  sonde_timeline_places_hide (&view->places, track);
  places_changed (view);
}

void
sonde_timeline_view_show_all (SondeTimelineView *view)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view) && view->index != NULL);
  sonde_timeline_places_show_all (&view->places);
  places_changed (view);
}

void
sonde_timeline_view_sort (SondeTimelineView *view, SondeTimelineSort sort)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view) && view->index != NULL);
  sonde_timeline_places_sort (&view->places, sort);
  places_changed (view);
}

/* ---- class --------------------------------------------------------------- */

void
sonde_timeline_view_set_index (SondeTimelineView *view, const SondeTimelineIndex *index,
                               GObject *owner)
{
  g_return_if_fail (SONDE_IS_TIMELINE_VIEW (view));
  sonde_timeline_view_set_found (view, NULL, NULL);
  sonde_timeline_places_clear (&view->places);
  sonde_trace_view_forget_labels (SONDE_TRACE_VIEW (view));
  g_set_object (&view->owner, owner);
  view->index = index;
  view->has_range = FALSE;
  sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
  if (index != NULL)
    sonde_timeline_places_init (&view->places, index);
  sonde_trace_view_height_changed (SONDE_TRACE_VIEW (view));
  sonde_view_invalidate (SONDE_VIEW (view));
}

static void
sonde_timeline_view_finalize (GObject *object)
{
  SondeTimelineView *view = SONDE_TIMELINE_VIEW (object);

  sonde_timeline_places_clear (&view->places);
  g_clear_object (&view->owner);
  g_free (view->found);
  g_clear_pointer (&view->hits, g_array_unref);
  G_OBJECT_CLASS (sonde_timeline_view_parent_class)->finalize (object);
}

static void
sonde_timeline_view_class_init (SondeTimelineViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);
  SondeTraceViewClass *trace_class = SONDE_TRACE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_timeline_view_finalize;
  view_class->paint = sonde_timeline_view_paint;
  view_class->paint_overlay = sonde_timeline_view_paint_overlay;
  view_class->area = sonde_timeline_view_area;
  view_class->prepare = sonde_timeline_view_prepare;
  view_class->describe = sonde_timeline_view_describe;
  view_class->pick = sonde_timeline_view_pick;
  view_class->dup_tooltip = sonde_timeline_view_dup_tooltip;
  view_class->dup_table = sonde_timeline_view_dup_table;
  view_class->select_range = sonde_timeline_view_select_range;
  trace_class->get_height = sonde_timeline_view_get_height;
  trace_class->show_selection = sonde_timeline_view_show_selection;
  trace_class->let_go = sonde_timeline_view_let_go;
  trace_class->mark = sonde_timeline_view_mark;
  trace_class->step = sonde_timeline_view_step;
  range_changed_signal
      = g_signal_new ("range-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                      NULL, G_TYPE_NONE, 1, G_TYPE_BOOLEAN);
}

static void
sonde_timeline_view_init (SondeTimelineView *view)
{
  sonde_view_set_min_extent (SONDE_VIEW (view), MIN_EXTENT_NS);
  g_signal_connect (view, "picked", G_CALLBACK (on_picked), NULL);
}

GtkWidget *
sonde_timeline_view_new (void)
{
  return g_object_new (SONDE_TYPE_TIMELINE_VIEW, NULL);
}
