/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-legend.h"

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

static void
paint_entry (cairo_t *cr, const SondeTheme *theme, const SondeLegendEntry *entry, double x,
             double y)
{
  sonde_paint_set_color (cr, &entry->stroke.color);
  cairo_set_line_width (cr, 2.5);
  cairo_set_dash (cr, entry->stroke.dashes, entry->stroke.n_dashes, 0);
  cairo_move_to (cr, x, y);
  cairo_line_to (cr, x + STROKE_WIDTH - 6, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, x + STROKE_WIDTH, y, MAX_LABEL,
                    entry->label);
}

void
sonde_paint_legend (cairo_t *cr, const SondeTheme *theme, const SondeLegendEntry *entries,
                    gsize n_entries, double x, double y, double width, guint max_lines)
{
  Flow flow = { .width = width, .max_lines = max_lines };
  g_autofree char *rest = NULL;
  double at;

  for (gsize i = 0; i < n_entries; i++)
    {
      if (!flow_place (&flow, measure_entry (&entries[i]), i + 1 == n_entries, &at))
        {
          rest = g_strdup_printf (_ ("and %u more"), (guint) (n_entries - i));
          sonde_paint_set_color (cr, &theme->dim);
          sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_START, x + flow.at,
                            y + (flow.line + 0.5) * LINE_HEIGHT, 0, rest);
          return;
        }
      paint_entry (cr, theme, &entries[i], x + at, y + (flow.line + 0.5) * LINE_HEIGHT);
    }
}
