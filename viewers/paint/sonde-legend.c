/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-legend.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LINE_HEIGHT 20
#define STROKE_WIDTH 22
#define GAP 18
#define MAX_LABEL 260
#define REST_ROOM 90 /* px for "and 12 more" at the end of the last line */

/* The place of the entry that comes next. */
typedef struct
{
  double at, width; /* px from the left */
  guint line, max_lines;
} Flow;

double
sonde_legend_measure_label (const char *label)
{
  return sonde_text_measure (SONDE_FONT_LABEL, label, NULL);
}

static double
measure_entry (const SondeLegendEntry *entry)
{
  double width
      = entry->label_width > 0 ? entry->label_width : sonde_legend_measure_label (entry->label);

  return STROKE_WIDTH + MIN (width, MAX_LABEL);
}

/* FALSE: there is no room for an entry of @room px; @is_last: nothing has to be said after it. */
static gboolean
flow_place (Flow *flow, double room, gboolean is_last, double *x)
{
  double end = flow->width;

  if (flow->at > 0 && flow->at + room > flow->width && flow->line + 1 < flow->max_lines)
    {
      flow->line++;
      flow->at = 0;
    }
  if (flow->line + 1 == flow->max_lines && !is_last)
    end -= REST_ROOM;
  if (flow->at > 0 && flow->at + room > end)
    return FALSE;
  *x = flow->at;
  flow->at += room + GAP;
  return TRUE;
}

double
sonde_legend_measure (const SondeLegendEntry *entries, gsize n_entries, double width,
                      guint max_lines, gsize *n_shown)
{
  Flow flow = { .width = width, .max_lines = max_lines };
  gsize n = 0;
  double x;

  while (n < n_entries && flow_place (&flow, measure_entry (&entries[n]), n + 1 == n_entries, &x))
    n++;
  if (n_shown != NULL)
    *n_shown = n;
  return n_entries == 0 ? 0 : (flow.line + 1) * LINE_HEIGHT;
}

/* Where one is that was scrolled to, something is to be said after the last one, too. */
static gboolean
is_last (gsize i, gsize n_entries, guint first)
{
  return i + 1 == n_entries && first == 0;
}

guint
sonde_legend_count (const SondeLegendEntry *entries, gsize n_entries, guint first, double width,
                    guint max_lines)
{
  Flow flow = { .width = width, .max_lines = max_lines };
  gsize n = first;
  double x;

  while (n < n_entries
         && flow_place (&flow, measure_entry (&entries[n]), is_last (n, n_entries, first), &x))
    n++;
  return (guint) (n - MIN (n, first));
}

gboolean
sonde_legend_find (const SondeLegendEntry *entries, gsize n_entries, guint first, double width,
                   guint max_lines, double x, double y, guint *entry)
{
  Flow flow = { .width = width, .max_lines = max_lines };
  double at;

  for (gsize i = first; i < n_entries; i++)
    {
      double room = measure_entry (&entries[i]);

      if (!flow_place (&flow, room, is_last (i, n_entries, first), &at))
        return FALSE;
      *entry = (guint) i;
      if (x >= at && x < at + room && y >= flow.line * LINE_HEIGHT
          && y < (flow.line + 1) * LINE_HEIGHT)
        return TRUE;
    }
  return FALSE;
}

/* ---- ink ----------------------------------------------------------------- */

static void
paint_line (cairo_t *cr, double x0, double x1, double y)
{
  cairo_move_to (cr, x0, y);
  cairo_line_to (cr, x1, y);
  cairo_stroke (cr);
}

static void
paint_focus (cairo_t *cr, const SondeTheme *theme, double x, double y, double width)
{
  sonde_paint_round_rectangle (cr, x - 4.5, y - LINE_HEIGHT / 2.0 + 1.5, width + 9, LINE_HEIGHT - 3,
                               4);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}

static void
paint_entry (cairo_t *cr, const SondeTheme *theme, const SondeLegendEntry *entry, double x,
             double y)
{
  double width;

  sonde_paint_set_color_alpha (cr, &entry->stroke.color, entry->is_hidden ? 0.35 : 1);
  cairo_set_line_width (cr, 2.5);
  cairo_set_dash (cr, entry->stroke.dashes, entry->stroke.n_dashes, 0);
  paint_line (cr, x, x + STROKE_WIDTH - 6, y);
  cairo_set_dash (cr, NULL, 0, 0);
  sonde_paint_set_color (cr, entry->is_hidden ? &theme->dim : &theme->foreground);
  width = sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, x + STROKE_WIDTH, y, MAX_LABEL,
                            entry->label);
  cairo_set_line_width (cr, 1);
  if (entry->is_hidden)
    paint_line (cr, x + STROKE_WIDTH, x + STROKE_WIDTH + width, floor (y) + 0.5);
  if (entry->has_focus)
    paint_focus (cr, theme, x, y, STROKE_WIDTH + width);
}

static char *
dup_rest (gsize n_entries, guint first, gsize end)
{
  if (first > 0)
    return g_strdup_printf (_ ("%u–%u of %u"), first + 1, (guint) end, (guint) n_entries);
  return end < n_entries ? g_strdup_printf (_ ("and %u more"), (guint) (n_entries - end)) : NULL;
}

void
sonde_paint_legend_from (cairo_t *cr, const SondeTheme *theme, const SondeLegendEntry *entries,
                         gsize n_entries, guint first, double x, double y, double width,
                         guint max_lines)
{
  Flow flow = { .width = width, .max_lines = max_lines };
  g_autofree char *rest = NULL;
  gsize end = first;
  double at;

  while (end < n_entries
         && flow_place (&flow, measure_entry (&entries[end]), is_last (end, n_entries, first), &at))
    paint_entry (cr, theme, &entries[end++], x + at, y + (flow.line + 0.5) * LINE_HEIGHT);
  rest = dup_rest (n_entries, first, end);
  if (rest == NULL)
    return;
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, x + flow.at,
                    y + (flow.line + 0.5) * LINE_HEIGHT, 0, rest);
}

void
sonde_paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeLegendEntry *entries,
                    gsize n_entries, double x, double y, double width, guint max_lines)
{
  sonde_paint_legend_from (cr, theme, entries, n_entries, 0, x, y, width, max_lines);
}
