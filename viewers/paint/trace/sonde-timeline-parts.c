/* SPDX-License-Identifier: Apache-2.0
 * What stands around the bars: names, axis, grid, and the curves of series. */
#include "viewers/paint/trace/sonde-timeline-parts-private.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"

#define INDENT 12
#define ARROW 5 /* half a side of the sign of folding */

SondeTimelineWindow
sonde_timeline_window (const SondeTimelinePicture *picture, const cairo_rectangle_t *area)
{
  return (SondeTimelineWindow){ picture->start_ns, MAX (picture->end_ns, picture->start_ns + 1e-3),
                                MAX ((int) area->width, 1) };
}

double
sonde_timeline_x (const SondeTimelinePicture *picture, const cairo_rectangle_t *area,
                  double since_ns)
{
  double x = area->x
             + (since_ns - picture->start_ns) / (picture->end_ns - picture->start_ns) * area->width;

  /* Far outside a coordinate would overflow Cairo's. */
  return CLAMP (x, area->x - 1e5, area->x + area->width + 1e5);
}

/* ---- instants ------------------------------------------------------------ */

guint32
sonde_timeline_find_instant (const SondeTimelineIndex *index, const SondeTimelineTrack *track,
                             double since_ns)
{
  guint32 low = track->first_instant, high = low + track->n_instants;

  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      gint64 at = g_array_index (index->trace->instants, SondeTraceInstant,
                                 g_array_index (index->instants, guint32, middle))
                      .at_ns;

      if (sonde_timeline_since (index, at) < since_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* ---- series -------------------------------------------------------------- */

typedef struct
{
  double min, max, y, height;
} Scale;

static double
place_value (const Scale *scale, double value)
{
  double extent = scale->max - scale->min;

  return scale->y + scale->height
         - (extent > 0 ? (value - scale->min) / extent * scale->height : scale->height / 2);
}

/* From the first pixel that has a value, which is returned; @width when none has one. */
static int
trace_curve (cairo_t *cr, const Scale *scale, const double *low, const double *high,
             const double *last, int width, double x)
{
  int first = width;

  for (int i = 0; i < width; i++)
    {
      if (!isfinite (last[i]))
        continue;
      if (first == width)
        {
          first = i;
          cairo_move_to (cr, x + i, place_value (scale, last[i]));
        }
      if (isfinite (high[i]) && isfinite (low[i]))
        {
          cairo_line_to (cr, x + i, place_value (scale, high[i]));
          cairo_line_to (cr, x + i, place_value (scale, low[i]));
        }
      cairo_line_to (cr, x + i, place_value (scale, last[i]));
      cairo_line_to (cr, x + i + 1, place_value (scale, last[i]));
    }
  return first;
}

void
sonde_timeline_paint_series (cairo_t *cr, const SondeTheme *theme,
                             const SondeTimelinePicture *picture, guint32 s,
                             const cairo_rectangle_t *area, double y)
{
  const SondeTimelineSeries *series
      = &g_array_index (picture->index->series, SondeTimelineSeries, s);
  SondeTimelineWindow window = sonde_timeline_window (picture, area);
  g_autofree double *values = g_new (double, 3 * (gsize) window.width);
  double *low = values, *high = values + window.width, *last = values + 2 * window.width;
  Scale scale = { MIN (series->min, 0), series->max, y + 5, SONDE_TIMELINE_SERIES - 11 };
  SondeColor color = sonde_theme_series (theme, s).color;
  double base;
  int first;

  if (!isfinite (scale.min) || !isfinite (scale.max))
    return;
  sonde_timeline_series_cut (picture->index, s, &window, low, high, last);
  cairo_new_path (cr);
  first = trace_curve (cr, &scale, low, high, last, window.width, area->x);
  if (first == window.width)
    return;
  sonde_paint_set_color (cr, &color);
  cairo_set_line_width (cr, 1);
  cairo_stroke_preserve (cr);
  base = place_value (&scale, MAX (scale.min, MIN (0, scale.max)));
  cairo_line_to (cr, area->x + window.width, base);
  cairo_line_to (cr, area->x + first, base);
  cairo_close_path (cr);
  sonde_paint_set_color_alpha (cr, &color, 0.15);
  cairo_fill (cr);
}

/* ---- names --------------------------------------------------------------- */

static void
paint_fold_sign (cairo_t *cr, const SondeTheme *theme, double x, double y, gboolean folded)
{
  sonde_paint_set_color (cr, &theme->dim);
  if (folded)
    {
      cairo_move_to (cr, x - 2, y - ARROW + 1);
      cairo_line_to (cr, x + 3, y);
      cairo_line_to (cr, x - 2, y + ARROW - 1);
    }
  else
    {
      cairo_move_to (cr, x - ARROW + 1, y - 2);
      cairo_line_to (cr, x + ARROW - 1, y - 2);
      cairo_line_to (cr, x, y + 3);
    }
  cairo_close_path (cr);
  cairo_fill (cr);
}

static char *
dup_range (const SondeTimelineSeries *series)
{
  g_autofree char *low = sonde_counter_format (series->unit, series->min);
  g_autofree char *high = sonde_counter_format (series->unit, series->max);

  return g_str_equal (low, high) ? g_steal_pointer (&high) : g_strdup_printf ("%s … %s", low, high);
}

static void
paint_name (cairo_t *cr, const SondeTheme *theme, const SondeTimelinePicture *picture, guint t,
            const cairo_rectangle_t *area, double y)
{
  const SondeTimelineTrack *track = &g_array_index (picture->index->tracks, SondeTimelineTrack, t);
  gboolean is_head = track->kind == SONDE_TRACK_PROCESS;
  double x = is_head ? 20 : 20 + INDENT, width = area->x - x - 6;
  double middle = y + (is_head ? SONDE_TIMELINE_HEAD : 26) / 2.0;

  if (sonde_timeline_places_can_fold (picture->places, t))
    paint_fold_sign (cr, theme, x - 9, middle, picture->places->folded[t]);
  sonde_paint_set_color (cr, &theme->foreground);
  if (!is_head)
    sonde_trace_paint_label (cr, picture->labels, x, middle, width, track->name);
  else
    sonde_paint_text (cr, SONDE_FONT_STRONG, SONDE_ALIGN_START, x, middle, width, track->name);
  if (track->kind == SONDE_TRACK_SERIES)
    {
      g_autofree char *range
          = dup_range (&g_array_index (picture->index->series, SondeTimelineSeries, track->source));

      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, middle + 15, width, range);
    }
}

void
sonde_timeline_paint_names (cairo_t *cr, const SondeTheme *theme,
                            const SondeTimelinePicture *picture, guint first,
                            const cairo_rectangle_t *area)
{
  const SondeTimelinePlaces *places = picture->places;

  for (guint k = places->ranks[first]; k < places->n_tracks; k++)
    {
      const guint t = places->order[k];
      double y = area->y - picture->scroll + (double) places->tops[t];
      double height = (double) places->heights[t];

      if (y > area->y + area->height)
        break;
      if (height == 0)
        continue;
      /* The name of a track that is higher than the area stays in sight. */
      if (y < area->y)
        y = MIN (area->y, y + height - 26);
      paint_name (cr, theme, picture, t, area, y);
    }
  sonde_paint_set_color (cr, &theme->axis);
  cairo_rectangle (cr, area->x - 1, area->y, 1, area->height);
  cairo_fill (cr);
}

/* ---- axis ---------------------------------------------------------------- */

static SondeTimelineAxis
make_axis (const SondeTimelinePicture *picture, const cairo_rectangle_t *area)
{
  return sonde_timeline_axis_new (picture->start_ns, picture->end_ns,
                                  CLAMP ((int) area->width / 110, 2, SONDE_MAX_TICKS));
}

static double
tick_x (const SondeTimelinePicture *picture, const cairo_rectangle_t *area,
        const SondeTimelineAxis *axis, int i)
{
  return sonde_timeline_x (picture, area,
                           sonde_axis_ticks_get (&axis->ticks, i) * axis->unit_ns + axis->base_ns);
}

void
sonde_timeline_paint_grid (cairo_t *cr, const SondeTheme *theme,
                           const SondeTimelinePicture *picture, const cairo_rectangle_t *area)
{
  SondeTimelineAxis axis = make_axis (picture, area);

  sonde_paint_set_color (cr, &theme->grid);
  for (int i = 0; i < axis.ticks.n; i++)
    {
      cairo_rectangle (cr, round (tick_x (picture, area, &axis, i)), area->y, 1, area->height);
      cairo_fill (cr);
    }
}

/* One mark a pixel, however many were found there. */
static void
paint_hits (cairo_t *cr, const SondeTheme *theme, const SondeTimelinePicture *picture,
            const cairo_rectangle_t *area)
{
  const GArray *hits = picture->hits;
  double pixel_ns = (picture->end_ns - picture->start_ns) / area->width;
  guint i = 0;

  sonde_paint_set_color (cr, &theme->selection);
  while (hits != NULL && i < hits->len)
    {
      guint32 item = g_array_index (hits, guint32, i);
      double since = sonde_timeline_since (
          picture->index, sonde_timeline_index_get_item (picture->index, item).start_ns);
      guint low = i + 1, high = hits->len;
      double next = MAX (since, picture->start_ns) + pixel_ns;

      if (since > picture->end_ns)
        break;
      if (since >= picture->start_ns)
        cairo_rectangle (cr, floor (sonde_timeline_x (picture, area, since)), area->y - 5, 1, 5);
      while (low < high)
        {
          guint middle = low + (high - low) / 2;

          item = g_array_index (hits, guint32, middle);
          if (sonde_timeline_since (picture->index,
                                    sonde_timeline_index_get_item (picture->index, item).start_ns)
              < (since < picture->start_ns ? picture->start_ns : next))
            low = middle + 1;
          else
            high = middle;
        }
      i = low;
    }
  cairo_fill (cr);
}

void
sonde_timeline_paint_axis (cairo_t *cr, const SondeTheme *theme,
                           const SondeTimelinePicture *picture, const cairo_rectangle_t *area,
                           int width)
{
  SondeTimelineAxis axis = make_axis (picture, area);
  g_autofree char *base = sonde_timeline_axis_dup_base (&axis);
  double middle = area->y / 2 - 1;

  for (int i = 0; i < axis.ticks.n; i++)
    {
      g_autofree char *label = sonde_timeline_axis_dup_label (&axis, i);
      double x = round (tick_x (picture, area, &axis, i));
      double room = area->x + area->width - x - 6;

      if (x < area->x)
        continue;
      sonde_paint_set_color (cr, &theme->axis);
      cairo_rectangle (cr, x, area->y - 5, 1, 5);
      cairo_fill (cr);
      sonde_paint_set_color (cr, &theme->dim);
      if (sonde_text_measure (SONDE_FONT_SMALL, label, NULL) <= room)
        sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x + 4, middle, 0, label);
    }
  if (base != NULL)
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, area->x - 8, middle, area->x - 12,
                        base);
    }
  paint_hits (cr, theme, picture, area);
  sonde_paint_set_color (cr, &theme->axis);
  cairo_rectangle (cr, 0, area->y - 1, width, 1);
  cairo_fill (cr);
}
