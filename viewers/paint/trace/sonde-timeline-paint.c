/* SPDX-License-Identifier: Apache-2.0
 * A row of bars is a line of pixels, stretched to the height of the bars: however much it holds, it costs
 * as much as it is wide. Text stands on it as text. */
#include "viewers/paint/trace/sonde-timeline-paint.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"
#include "viewers/paint/trace/sonde-timeline-parts-private.h"

#define BAR (SONDE_TIMELINE_ROW - 2)
#define PALE 0.25  /* what was not looked for */
#define LEAST 0.65 /* of a pixel in which little happens */

void
sonde_timeline_get_area (int width, int height, cairo_rectangle_t *area)
{
  double names = CLAMP (width * 0.18, 80, 230);

  *area = (cairo_rectangle_t){ names, SONDE_TIMELINE_TOP, MAX (width - names, 1),
                               MAX (height - SONDE_TIMELINE_TOP, 1) };
}

/* ---- bars ---------------------------------------------------------------- */

typedef struct
{
  cairo_t *cr;
  const SondeTheme *theme;
  const SondeTimelinePicture *picture;
  cairo_rectangle_t area;
  SondeTimelineWindow window;
  GArray *bars;
} Painting;

static gboolean
is_pale (const Painting *p, guint32 label)
{
  return p->picture->found != NULL && p->picture->found[label] == 0;
}

static void
fill_pixels (const Painting *p, guint32 *pixels, const SondeTimelineBar *bar)
{
  const SondeTimelineIndex *index = p->picture->index;
  guint32 label = sonde_timeline_index_get_item (index, bar->item).label;
  double alpha = bar->cover < 1 ? LEAST + (1 - LEAST) * bar->cover : 1;
  int x0 = (int) floor (bar->x0 + 0.25), x1 = (int) floor (bar->x1 + 0.25);
  guint32 pixel;

  x0 = CLAMP (x0, 0, p->window.width - 1);
  x1 = CLAMP (x1, x0 + 1, p->window.width);
  if (bar->x1 - bar->x0 > 4)
    {
      alpha = 1;
      x1--; /* the gap to the next */
    }
  pixel = sonde_trace_get_pixel (p->theme, index->hues[label],
                                 is_pale (p, label) ? alpha * PALE : alpha);
  for (int x = x0; x < x1; x++)
    pixels[x] = pixel;
}

static void
paint_pixels (const Painting *p, cairo_surface_t *line, double y)
{
  cairo_pattern_t *pattern = cairo_pattern_create_for_surface (line);
  cairo_matrix_t matrix;

  cairo_matrix_init_scale (&matrix, 1, 1.0 / BAR);
  cairo_matrix_translate (&matrix, -p->area.x, -y);
  cairo_pattern_set_matrix (pattern, &matrix);
  cairo_pattern_set_filter (pattern, CAIRO_FILTER_NEAREST);
  cairo_set_source (p->cr, pattern);
  cairo_rectangle (p->cr, p->area.x, y, p->window.width, BAR);
  cairo_fill (p->cr);
  cairo_pattern_destroy (pattern);
}

static void
label_bars (const Painting *p, double y)
{
  const SondeTimelineIndex *index = p->picture->index;
  SondeColor ink = sonde_trace_get_ink (p->theme);

  for (guint i = 0; i < p->bars->len; i++)
    {
      const SondeTimelineBar *bar = &g_array_index (p->bars, SondeTimelineBar, i);
      guint32 label;

      if (bar->x1 - bar->x0 < SONDE_TRACE_LABEL_MIN)
        continue;
      label = sonde_timeline_index_get_item (index, bar->item).label;
      sonde_paint_set_color_alpha (p->cr, &ink, is_pale (p, label) ? 0.5 : 1);
      sonde_trace_paint_label (p->cr, p->picture->labels, p->area.x + bar->x0 + 4, y + BAR / 2.0,
                               bar->x1 - bar->x0 - 9,
                               sonde_trace_get_label (index->trace, label)->name);
    }
}

static void
paint_row (const Painting *p, guint32 row, double y)
{
  cairo_surface_t *line = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, p->window.width, 1);
  guint32 *pixels = (guint32 *) (void *) cairo_image_surface_get_data (line);

  sonde_timeline_row_cut (p->picture->index, row, &p->window, p->bars);
  if (pixels != NULL && p->bars->len > 0)
    {
      cairo_surface_flush (line);
      for (guint i = 0; i < p->bars->len; i++)
        fill_pixels (p, pixels, &g_array_index (p->bars, SondeTimelineBar, i));
      cairo_surface_mark_dirty (line);
      paint_pixels (p, line, y);
      label_bars (p, y);
    }
  cairo_surface_destroy (line);
}

/* ---- tracks -------------------------------------------------------------- */

/* Marks of what happened at one moment, one a pixel at most. */
static void
paint_instants (const Painting *p, const SondeTimelineTrack *track, double y)
{
  const SondeTimelineIndex *index = p->picture->index;
  double last = -10;

  sonde_paint_set_color (p->cr, &p->theme->dim);
  for (guint32 i = sonde_timeline_find_instant (index, track, p->window.start_ns);
       i < track->first_instant + track->n_instants;)
    {
      gint64 at = g_array_index (index->trace->instants, SondeTraceInstant,
                                 g_array_index (index->instants, guint32, i))
                      .at_ns;
      double since = sonde_timeline_since (index, at), x;

      if (since > p->window.end_ns)
        break;
      x = sonde_timeline_x (p->picture, &p->area, since);
      if (x - last >= 3)
        {
          cairo_move_to (p->cr, x - 3, y);
          cairo_line_to (p->cr, x + 3, y);
          cairo_line_to (p->cr, x, y + 7);
          cairo_close_path (p->cr);
          cairo_fill (p->cr);
          last = x;
        }
      /* The next that is seen beside this one. */
      since += 3 * (p->window.end_ns - p->window.start_ns) / p->window.width;
      i = MAX (i + 1, sonde_timeline_find_instant (index, track, since));
    }
}

static void
paint_track (const Painting *p, guint t)
{
  const SondeTimelinePlaces *places = p->picture->places;
  const SondeTimelineTrack *track
      = &g_array_index (p->picture->index->tracks, SondeTimelineTrack, t);
  double top = p->area.y - p->picture->scroll, bottom = p->area.y + p->area.height;
  guint32 n = sonde_timeline_places_count_rows (places, t);
  double first = top + (double) sonde_timeline_places_get_row_top (places, t, 0);
  guint32 k = first < p->area.y - SONDE_TIMELINE_ROW
                  ? (guint32) MIN ((p->area.y - first) / SONDE_TIMELINE_ROW, n)
                  : 0;

  if (track->n_instants > 0)
    paint_instants (p, track, top + (double) places->tops[t] + SONDE_TIMELINE_PAD);
  for (; k < n; k++)
    {
      double y = first + (double) k * SONDE_TIMELINE_ROW;

      if (y > bottom)
        break;
      paint_row (p, track->first_row + k, y);
    }
}

/* Stripes that are the same in the names and beside them. */
static void
paint_grounds (const Painting *p, guint first, int width)
{
  const SondeTimelinePlaces *places = p->picture->places;

  for (guint t = first; t < places->n_tracks; t++)
    {
      double y = p->area.y - p->picture->scroll + (double) places->tops[t];
      double height = (double) (places->tops[t + 1] - places->tops[t]);
      gboolean is_head = g_array_index (places->index->tracks, SondeTimelineTrack, t).kind
                         == SONDE_TRACK_PROCESS;

      if (y > p->area.y + p->area.height)
        break;
      if (height == 0)
        continue;
      cairo_rectangle (p->cr, 0, y, width, height);
      sonde_paint_set_color_alpha (p->cr, &p->theme->axis, is_head ? 0.28 : 0);
      cairo_fill (p->cr);
      cairo_rectangle (p->cr, 0, round (y + height) - 1, width, 1);
      sonde_paint_set_color (p->cr, &p->theme->grid);
      cairo_fill (p->cr);
    }
}

static void
paint_tracks (const Painting *p, guint first)
{
  const SondeTimelinePlaces *places = p->picture->places;

  for (guint t = first; t < places->n_tracks; t++)
    {
      const SondeTimelineTrack *track
          = &g_array_index (p->picture->index->tracks, SondeTimelineTrack, t);
      double y = p->area.y - p->picture->scroll + (double) places->tops[t];

      if (y > p->area.y + p->area.height)
        break;
      if (places->tops[t + 1] == places->tops[t])
        continue;
      if (track->kind == SONDE_TRACK_SERIES)
        sonde_timeline_paint_series (p->cr, p->theme, p->picture, track->source, &p->area, y);
      else if (track->kind != SONDE_TRACK_PROCESS)
        paint_track (p, t);
    }
}

static void
clip_to (cairo_t *cr, double x, double y, double width, double height)
{
  cairo_rectangle (cr, x, y, width, height);
  cairo_clip (cr);
}

void
sonde_paint_timeline (cairo_t *cr, const SondeTheme *theme, const SondeTimelinePicture *picture,
                      int width, int height)
{
  Painting p = { .cr = cr, .theme = theme, .picture = picture };
  guint first = 0;

  sonde_timeline_get_area (width, height, &p.area);
  p.area.x = floor (p.area.x);
  p.window = sonde_timeline_window (picture, &p.area);
  p.bars = g_array_new (FALSE, FALSE, sizeof (SondeTimelineBar));
  if (sonde_timeline_places_find (picture->places, MAX (picture->scroll, 0), &first))
    {
      cairo_save (cr);
      clip_to (cr, 0, p.area.y, width, p.area.height);
      paint_grounds (&p, first, width);
      sonde_timeline_paint_names (cr, theme, picture, first, &p.area);
      cairo_restore (cr);
      cairo_save (cr);
      clip_to (cr, p.area.x, p.area.y, p.area.width, p.area.height);
      sonde_timeline_paint_grid (cr, theme, picture, &p.area);
      paint_tracks (&p, first);
      cairo_restore (cr);
    }
  sonde_timeline_paint_axis (cr, theme, picture, &p.area, width);
  g_array_unref (p.bars);
}
