/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-readout.h"

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LINE_HEIGHT 18
#define PADDING 8
#define STROKE_WIDTH 16
#define GAP 10
#define MIN_NAME 48
#define MAX_NAME 150
#define OPACITY 0.7 /* the curves that are read are seen through it */

static const char *const heads[SONDE_READOUT_N_COLUMNS] = {
  [SONDE_READOUT_VALUE] = N_ ("value"),
  [SONDE_READOUT_RAW] = N_ ("recorded"),
  [SONDE_READOUT_STEP] = N_ ("own step"),
  [SONDE_READOUT_TIME] = N_ ("time"),
};

/* In px; a column that nobody uses, or that has no room, is 0 wide. */
typedef struct
{
  double name, columns[SONDE_READOUT_N_COLUMNS];
} Widths;

SondeReadout *
sonde_readout_new (const char *head)
{
  SondeReadout *readout = g_new0 (SondeReadout, 1);

  readout->head = g_strdup (head);
  readout->rows = g_array_new (FALSE, FALSE, sizeof (SondeReadoutRow));
  return readout;
}

void
sonde_readout_free (SondeReadout *readout)
{
  for (guint i = 0; i < readout->rows->len; i++)
    {
      SondeReadoutRow *row = &g_array_index (readout->rows, SondeReadoutRow, i);

      g_free (row->name);
      for (int k = 0; k < SONDE_READOUT_N_COLUMNS; k++)
        g_free (row->cells[k]);
    }
  g_array_unref (readout->rows);
  g_free (readout->head);
  g_free (readout->more);
  g_free (readout);
}

void
sonde_readout_take (SondeReadout *readout, const SondeReadoutRow *row)
{
  g_array_append_vals (readout->rows, row, 1);
}

guint
sonde_readout_count_lines (int height)
{
  return (guint) MAX ((height - 2 * PADDING) / LINE_HEIGHT - 2, 1);
}

char *
sonde_readout_dup_text (const SondeReadout *readout)
{
  GString *text = g_string_new (readout->head);

  g_string_append_c (text, '\n');
  for (guint i = 0; i < readout->rows->len; i++)
    {
      const SondeReadoutRow *row = &g_array_index (readout->rows, SondeReadoutRow, i);

      g_string_append (text, row->name);
      for (int k = 0; k < SONDE_READOUT_N_COLUMNS; k++)
        g_string_append_printf (text, "\t%s", row->cells[k] != NULL ? row->cells[k] : "");
      g_string_append_c (text, '\n');
    }
  if (readout->more != NULL)
    g_string_append_printf (text, "%s\n", readout->more);
  return g_string_free (text, FALSE);
}

/* Where the line shows means, its numbers are none of the record. */
static const char *
get_head (const SondeReadout *readout, int column)
{
  for (guint i = 0; column == SONDE_READOUT_VALUE && i < readout->rows->len; i++)
    if (g_array_index (readout->rows, SondeReadoutRow, i).cells[SONDE_READOUT_RAW] != NULL)
      return _ ("smoothed");
  return _ (heads[column]);
}

/* ---- places -------------------------------------------------------------- */

static double
measure_column (const SondeReadout *readout, int column)
{
  double width = 0;

  for (guint i = 0; i < readout->rows->len; i++)
    {
      const char *cell = g_array_index (readout->rows, SondeReadoutRow, i).cells[column];

      if (cell != NULL)
        width = MAX (width, sonde_text_measure (SONDE_FONT_STRONG, cell, NULL));
    }
  return width > 0
             ? MAX (width, sonde_text_measure (SONDE_FONT_SMALL, get_head (readout, column), NULL))
             : 0;
}

static double
sum_widths (const Widths *widths)
{
  double sum = STROKE_WIDTH + widths->name;

  for (int k = 0; k < SONDE_READOUT_N_COLUMNS; k++)
    sum += widths->columns[k] > 0 ? widths->columns[k] + GAP : 0;
  return sum;
}

static Widths
measure (const SondeReadout *readout, double room)
{
  static const SondeReadoutColumn dispensable[] = { SONDE_READOUT_TIME, SONDE_READOUT_RAW };
  Widths widths = { 0 };

  widths.name = sonde_text_measure (SONDE_FONT_SMALL, readout->head, NULL) - STROKE_WIDTH;
  for (guint i = 0; i < readout->rows->len; i++)
    widths.name
        = MAX (widths.name,
               sonde_text_measure (SONDE_FONT_STRONG,
                                   g_array_index (readout->rows, SondeReadoutRow, i).name, NULL));
  widths.name = MIN (widths.name + 1, MAX_NAME);
  for (int k = 0; k < SONDE_READOUT_N_COLUMNS; k++)
    widths.columns[k] = measure_column (readout, k);
  for (gsize i = 0; i < G_N_ELEMENTS (dispensable); i++)
    if (sum_widths (&widths) > room && sum_widths (&widths) - widths.name + MIN_NAME > room)
      widths.columns[dispensable[i]] = 0;
  if (sum_widths (&widths) > room)
    widths.name = MAX (widths.name - (sum_widths (&widths) - room), MIN_NAME);
  return widths;
}

/* ---- ink ----------------------------------------------------------------- */

static void
paint_box (cairo_t *cr, const SondeTheme *theme, const cairo_rectangle_t *box)
{
  sonde_paint_round_rectangle (cr, box->x + 0.5, box->y + 0.5, box->width, box->height, 6);
  sonde_paint_set_color_alpha (cr, &theme->card, OPACITY);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->axis);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
paint_head (cairo_t *cr, const SondeTheme *theme, const SondeReadout *readout, const Widths *widths,
            double x, double y)
{
  double right = x + STROKE_WIDTH + widths->name;

  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y, STROKE_WIDTH + widths->name,
                    readout->head);
  for (int k = 0; k < SONDE_READOUT_N_COLUMNS; k++)
    if (widths->columns[k] > 0)
      {
        right += GAP + widths->columns[k];
        sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, right, y, 0,
                          get_head (readout, k));
      }
}

static void
paint_stroke (cairo_t *cr, const SondeStroke *stroke, double x, double y)
{
  sonde_paint_set_color (cr, &stroke->color);
  cairo_set_line_width (cr, 3);
  cairo_set_dash (cr, stroke->dashes, stroke->n_dashes, 0);
  cairo_move_to (cr, x, y);
  cairo_line_to (cr, x + STROKE_WIDTH - 4, y);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
paint_row (cairo_t *cr, const SondeTheme *theme, const SondeReadoutRow *row, const Widths *widths,
           double x, double y)
{
  SondeFont font = row->is_nearest ? SONDE_FONT_STRONG : SONDE_FONT_LABEL;
  double right = x + STROKE_WIDTH + widths->name;

  paint_stroke (cr, &row->stroke, x, y);
  sonde_paint_set_color (cr, row->is_there ? &theme->foreground : &theme->dim);
  sonde_paint_text (cr, font, SONDE_ALIGN_START, x + STROKE_WIDTH, y, widths->name, row->name);
  for (int k = 0; k < SONDE_READOUT_N_COLUMNS; k++)
    {
      if (widths->columns[k] <= 0)
        continue;
      right += GAP + widths->columns[k];
      if (row->cells[k] == NULL)
        continue;
      sonde_paint_set_color (cr, k == SONDE_READOUT_VALUE && row->is_there ? &theme->foreground
                                                                           : &theme->dim);
      sonde_paint_text (cr, k == SONDE_READOUT_VALUE ? font : SONDE_FONT_LABEL, SONDE_ALIGN_END,
                        right, y, 0, row->cells[k]);
    }
}

void
sonde_paint_readout (cairo_t *cr, const SondeTheme *theme, const SondeReadout *readout, double px,
                     double py, int width, int height)
{
  guint n = readout->rows->len;
  Widths widths = measure (readout, width - 2 * PADDING - 4);
  double w = sum_widths (&widths) + 2 * PADDING, x, y;
  double h = (double) (n + 1 + (readout->more != NULL)) * LINE_HEIGHT + 2 * PADDING - 2;

  x = px + 14 + w <= width ? px + 14 : px - 14 - w;
  x = CLAMP (x, 2, MAX (width - w - 2, 2));
  y = CLAMP (py - h / 2, 2, MAX (height - h - 2, 2));
  paint_box (cr, theme, &(cairo_rectangle_t){ x, y, w, h });
  x += PADDING;
  y += PADDING + LINE_HEIGHT / 2.0 - 1;
  paint_head (cr, theme, readout, &widths, x, y);
  for (guint i = 0; i < n; i++)
    paint_row (cr, theme, &g_array_index (readout->rows, SondeReadoutRow, i), &widths, x,
               y + (i + 1) * LINE_HEIGHT);
  if (readout->more == NULL)
    return;
  sonde_paint_set_color (cr, &theme->dim);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, x, y + (n + 1) * LINE_HEIGHT,
                    w - 2 * PADDING, readout->more);
}
