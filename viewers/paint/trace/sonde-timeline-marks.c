/* SPDX-License-Identifier: Apache-2.0
 * What is drawn over a timeline: the selected stretch, the selected bar with its arrows, the pointer; and
 * what lies at a place. */
#include <math.h>

#include "viewers/paint/trace/sonde-timeline-parts-private.h"

#define BAR (SONDE_TIMELINE_ROW - 2)
#define MAX_ARROWS 64 /* of a selected span: more say nothing */
#define NEAR 5        /* px at which an instant is hit */

/* ---- places -------------------------------------------------------------- */

static void
get_area (int width, int height, cairo_rectangle_t *area)
{
  sonde_timeline_get_area (width, height, area);
  area->x = floor (area->x);
}

/* Where it stands, also beyond the area. */
static gboolean
find_box (const SondeTimelinePicture *picture, guint32 item, const cairo_rectangle_t *area,
          cairo_rectangle_t *box)
{
  const SondeTimelineIndex *index = picture->index;
  guint32 track, row, k;
  SondeTimelineItem it;
  double right;

  if (!sonde_timeline_index_find (index, item, &track, &row)
      || picture->places->heights[track] == 0)
    return FALSE;
  k = row - g_array_index (index->tracks, SondeTimelineTrack, track).first_row;
  if (k >= sonde_timeline_places_count_rows (picture->places, track))
    return FALSE;
  it = sonde_timeline_index_get_item (index, item);
  box->x = sonde_timeline_x (picture, area, sonde_timeline_since (index, it.start_ns));
  right = sonde_timeline_x (picture, area, sonde_timeline_since (index, it.end_ns));
  box->y = area->y - picture->scroll
           + (double) sonde_timeline_places_get_row_top (picture->places, track, k);
  box->width = MAX (right - box->x, 1);
  box->height = BAR;
  return TRUE;
}

gboolean
sonde_timeline_get_box (const SondeTimelinePicture *picture, guint32 item, int width, int height,
                        cairo_rectangle_t *box)
{
  cairo_rectangle_t area;
  double right;

  get_area (width, height, &area);
  if (!find_box (picture, item, &area, box))
    return FALSE;
  right = MIN (box->x + box->width, area.x + area.width);
  box->x = MAX (box->x, area.x);
  box->width = right - box->x;
  return box->width > 0 && box->y + box->height > area.y && box->y < area.y + area.height;
}

static guint32
find_near_instant (const SondeTimelinePicture *picture, const SondeTimelineTrack *track,
                   const cairo_rectangle_t *area, double since_ns)
{
  double near_ns = NEAR * (picture->end_ns - picture->start_ns) / area->width;
  guint32 i = sonde_timeline_find_instant (picture->index, track, since_ns - near_ns);
  guint32 instant;
  gint64 at;

  if (i >= track->first_instant + track->n_instants)
    return SONDE_TIMELINE_NONE;
  instant = g_array_index (picture->index->instants, guint32, i);
  at = g_array_index (picture->index->trace->instants, SondeTraceInstant, instant).at_ns;
  return sonde_timeline_since (picture->index, at) <= since_ns + near_ns ? instant
                                                                         : SONDE_TIMELINE_NONE;
}

void
sonde_timeline_hit (const SondeTimelinePicture *picture, int width, int height, double x, double y,
                    SondeTimelineHit *hit)
{
  const SondeTimelinePlaces *places = picture->places;
  const SondeTimelineTrack *track;
  cairo_rectangle_t area;
  SondeTimelineWindow window;
  double inside;
  guint t;

  get_area (width, height, &area);
  window = sonde_timeline_window (picture, &area);
  *hit = (SondeTimelineHit){ SONDE_TIMELINE_NONE, SONDE_TIMELINE_NONE, SONDE_TIMELINE_NONE,
                             x < area.x, 0 };
  hit->since_ns
      = picture->start_ns + (x - area.x) / area.width * (picture->end_ns - picture->start_ns);
  if (y < area.y || !sonde_timeline_places_find (places, y - area.y + picture->scroll, &t))
    return;
  hit->track = t;
  track = &g_array_index (picture->index->tracks, SondeTimelineTrack, t);
  if (hit->on_names)
    return;
  inside = y - area.y + picture->scroll - (double) sonde_timeline_places_get_row_top (places, t, 0);
  if (inside < 0 && track->n_instants > 0)
    hit->instant = find_near_instant (picture, track, &area, hit->since_ns);
  else if (inside >= 0
           && inside < (double) sonde_timeline_places_count_rows (places, t) * SONDE_TIMELINE_ROW)
    hit->item = sonde_timeline_row_pick (picture->index,
                                         track->first_row + (guint32) (inside / SONDE_TIMELINE_ROW),
                                         &window, x - area.x);
}

/* ---- marks --------------------------------------------------------------- */

static void
outline (cairo_t *cr, const cairo_rectangle_t *box, const SondeColor *color, double line)
{
  cairo_rectangle (cr, box->x + line / 2 - 1, box->y + line / 2 - 1, box->width + 2 - line,
                   box->height + 2 - line);
  sonde_paint_set_color (cr, color);
  cairo_set_line_width (cr, line);
  cairo_stroke (cr);
}

static void
paint_arrow (cairo_t *cr, double x0, double y0, double x1, double y1)
{
  double bend = CLAMP (fabs (x1 - x0) / 2, 20, 120);

  cairo_move_to (cr, x0, y0);
  cairo_curve_to (cr, x0 + bend, y0, x1 - bend, y1, x1 - 5, y1);
  cairo_stroke (cr);
  cairo_move_to (cr, x1, y1);
  cairo_line_to (cr, x1 - 7, y1 - 3.5);
  cairo_line_to (cr, x1 - 7, y1 + 3.5);
  cairo_close_path (cr);
  cairo_fill (cr);
}

static void
paint_arrows (cairo_t *cr, const SondeTheme *theme, const SondeTimelinePicture *picture,
              guint32 item, const cairo_rectangle_t *area)
{
  const SondeTimelineIndex *index = picture->index;
  g_autoptr (GArray) arrows = sonde_timeline_index_list_arrows (index, item, MAX_ARROWS);

  sonde_paint_set_color (cr, &theme->series[1]);
  cairo_set_line_width (cr, 1.5);
  for (guint i = 0; i < arrows->len; i++)
    {
      const SondeTraceArrow *arrow = &g_array_index (index->trace->arrows, SondeTraceArrow,
                                                     g_array_index (arrows, guint32, i));
      cairo_rectangle_t from, to;

      if (arrow->from == SONDE_TRACE_NONE || arrow->to == SONDE_TRACE_NONE
          || !find_box (picture, arrow->from, area, &from)
          || !find_box (picture, arrow->to, area, &to))
        continue;
      paint_arrow (cr,
                   sonde_timeline_x (picture, area, sonde_timeline_since (index, arrow->from_ns)),
                   from.y + BAR / 2.0,
                   sonde_timeline_x (picture, area, sonde_timeline_since (index, arrow->to_ns)),
                   to.y + BAR / 2.0);
    }
}

static void
paint_range (cairo_t *cr, const SondeTheme *theme, const SondeTimelinePicture *picture,
             const SondeTimelineMarks *marks, const cairo_rectangle_t *area)
{
  double x0 = MAX (sonde_timeline_x (picture, area, marks->range_start_ns), area->x);
  double x1 = MIN (sonde_timeline_x (picture, area, marks->range_end_ns), area->x + area->width);

  if (x1 < x0)
    return;
  cairo_rectangle (cr, x0, 0, x1 - x0, area->y + area->height);
  sonde_paint_set_color_alpha (cr, &theme->selection, 0.12);
  cairo_fill (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_rectangle (cr, round (x0), 0, 1, area->y + area->height);
  cairo_rectangle (cr, round (x1) - 1, 0, 1, area->y + area->height);
  cairo_fill (cr);
}

void
sonde_paint_timeline_marks (cairo_t *cr, const SondeTheme *theme,
                            const SondeTimelinePicture *picture, const SondeTimelineMarks *marks,
                            int width, int height)
{
  cairo_rectangle_t area, box;

  get_area (width, height, &area);
  cairo_save (cr);
  if (marks->has_range)
    paint_range (cr, theme, picture, marks, &area);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  if (marks->hovered != SONDE_TIMELINE_NONE && marks->hovered != marks->selected
      && sonde_timeline_get_box (picture, marks->hovered, width, height, &box))
    outline (cr, &box, &theme->foreground, 1);
  if (marks->selected != SONDE_TIMELINE_NONE)
    {
      if (sonde_timeline_get_box (picture, marks->selected, width, height, &box))
        outline (cr, &box, &theme->selection, 2);
      paint_arrows (cr, theme, picture, marks->selected, &area);
    }
  if (marks->pointer >= area.x)
    {
      sonde_paint_set_color_alpha (cr, &theme->crosshair, 0.6);
      cairo_rectangle (cr, floor (marks->pointer), area.y, 1, area.height);
      cairo_fill (cr);
    }
  cairo_restore (cr);
}
