/* SPDX-License-Identifier: Apache-2.0
 * A row of bars is a line of pixels, repeated to the height of the bars: however much it holds, it costs
 * as much as it is wide. Text stands on it as text. */
#include "viewers/paint/trace/sonde-timeline-paint.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-format.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"
#include "viewers/paint/trace/sonde-timeline-parts-private.h"

#define BAR (SONDE_TIMELINE_ROW - 2)
#define PALE 0.25  /* what was not looked for */
#define LEAST 0.65 /* of a pixel in which little happens */
#define SHADES 64  /* of what a pixel may be covered */
#define AHEAD 16   /* bars whose items are fetched before they are looked at */

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
  guint32 shades[2][SONDE_TRACE_N_COLORS][SHADES + 1]; /* pale and not; by cover */
} Painting;

static void
mix_shades (Painting *p)
{
  for (guint hue = 0; hue < SONDE_TRACE_N_COLORS; hue++)
    for (int k = 0; k <= SHADES; k++)
      {
        double alpha = LEAST + (1 - LEAST) * k / SHADES;

        p->shades[0][hue][k] = sonde_trace_get_pixel (p->theme, hue, alpha);
        p->shades[1][hue][k] = sonde_trace_get_pixel (p->theme, hue, alpha * PALE);
      }
}

static gboolean
is_pale (const Painting *p, guint32 label)
{
  return p->picture->found != NULL && p->picture->found[label] == 0;
}

static void
fill_pixels (const Painting *p, guint32 *pixels, const SondeTimelineBar *bar)
{
  const SondeTimelineIndex *index = p->picture->index;
  guint32 label = sonde_timeline_index_get_item (index, bar->item).label, pixel;
  int shade = (int) (bar->cover * SHADES + 0.5);
  int x0 = (int) (bar->x0 + 0.25), x1 = (int) (bar->x1 + 0.25);

  x0 = CLAMP (x0, 0, p->window.width - 1);
  x1 = CLAMP (x1, x0 + 1, p->window.width);
  if (bar->x1 - bar->x0 > 4)
    {
      shade = SHADES;
      x1--; /* the gap to the next */
    }
  pixel = p->shades[is_pale (p, label)][index->hues[label] % SONDE_TRACE_N_COLORS][shade];
  for (int x = x0; x < x1; x++)
    pixels[x] = pixel;
}

static void
fill_line (const Painting *p, guint32 *pixels)
{
  const SondeTrace *trace = p->picture->index->trace;
  const SondeTimelineBar *bars = (const SondeTimelineBar *) (void *) p->bars->data;

  for (guint i = 0; i < p->bars->len; i++)
    {
      if (i + AHEAD < p->bars->len && bars[i + AHEAD].item < trace->n_spans)
        __builtin_prefetch (&trace->spans[bars[i + AHEAD].item].label);
      fill_pixels (p, pixels, &bars[i]);
    }
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

/* A picture of its own for each row: one that were used again would be copied first where drawing is
 * recorded. */
static void
paint_row (const Painting *p, guint32 row, double y)
{
  cairo_surface_t *strip;
  guint8 *data;
  int stride;

  sonde_timeline_row_cut (p->picture->index, row, &p->window, p->bars);
  if (p->bars->len == 0)
    return;
  strip = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, p->window.width, BAR);
  data = cairo_image_surface_get_data (strip);
  stride = cairo_image_surface_get_stride (strip);
  if (data != NULL)
    {
      fill_line (p, (guint32 *) (void *) data);
      for (int k = 1; k < BAR; k++)
        memcpy (data + (gsize) k * (gsize) stride, data,
                (gsize) p->window.width * sizeof (guint32));
      cairo_surface_mark_dirty (strip);
      cairo_set_source_surface (p->cr, strip, p->area.x, y);
      cairo_pattern_set_filter (cairo_get_source (p->cr), CAIRO_FILTER_NEAREST);
      cairo_rectangle (p->cr, p->area.x, y, p->window.width, BAR);
      cairo_fill (p->cr);
      label_bars (p, y);
    }
  cairo_surface_destroy (strip);
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

  for (guint k = places->ranks[first]; k < places->n_tracks; k++)
    {
      const guint t = places->order[k];
      double y = p->area.y - p->picture->scroll + (double) places->tops[t];
      double height = (double) places->heights[t];
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

  for (guint k = places->ranks[first]; k < places->n_tracks; k++)
    {
      const guint t = places->order[k];
      const SondeTimelineTrack *track
          = &g_array_index (p->picture->index->tracks, SondeTimelineTrack, t);
      double y = p->area.y - p->picture->scroll + (double) places->tops[t];

      if (y > p->area.y + p->area.height)
        break;
      if (places->heights[t] == 0)
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
  mix_shades (&p);
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
