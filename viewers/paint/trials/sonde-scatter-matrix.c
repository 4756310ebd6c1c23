/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/trials/sonde-scatter-matrix.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEFT 56 /* px for the numbers of the rows */
#define BOTTOM 22
#define EDGE 6  /* at the top and on the right */
#define GAP 3   /* half of what is between cells */
#define INSET 7 /* between a cell's frame and its outermost points */
#define N_BINS 10
#define N_SHADES 16
#define MANY 2000 /* points that are drawn small */
#define LABEL_GAP 4

/* ---- places -------------------------------------------------------------- */

guint
sonde_scatter_matrix_get_n (const SondeParallel *trials)
{
  return MIN (trials->n_axes, SONDE_SCATTER_MATRIX_MOST);
}

void
sonde_scatter_matrix_get_cell (guint n, guint row, guint column, int width, int height,
                               cairo_rectangle_t *cell)
{
  double w = (double) MAX (width - LEFT - EDGE, 1) / MAX (n, 1);
  double h = (double) MAX (height - BOTTOM - EDGE, 1) / MAX (n, 1);

  *cell = (cairo_rectangle_t){ LEFT + column * w + GAP, EDGE + row * h + GAP, fmax (w - 2 * GAP, 1),
                               fmax (h - 2 * GAP, 1) };
}

gboolean
sonde_scatter_matrix_find_cell (guint n, double x, double y, int width, int height, guint *row,
                                guint *column)
{
  for (guint i = 0; i < n * n; i++)
    {
      cairo_rectangle_t cell;

      sonde_scatter_matrix_get_cell (n, i / n, i % n, width, height, &cell);
      if (x < cell.x || y < cell.y || x > cell.x + cell.width || y > cell.y + cell.height)
        continue;
      *row = i / n;
      *column = i % n;
      return TRUE;
    }
  return FALSE;
}

void
sonde_scatter_matrix_get_places (const cairo_rectangle_t *cell, double x, double y, double *place_x,
                                 double *place_y)
{
  *place_x = CLAMP ((x - cell->x - INSET) / fmax (cell->width - 2 * INSET, 1), 0, 1);
  *place_y = CLAMP (1 - (y - cell->y - INSET) / fmax (cell->height - 2 * INSET, 1), 0, 1);
}

static double
get_x (const cairo_rectangle_t *cell, double place)
{
  return cell->x + INSET + place * fmax (cell->width - 2 * INSET, 1);
}

static double
get_y (const cairo_rectangle_t *cell, double place)
{
  return cell->y + INSET + (1 - place) * fmax (cell->height - 2 * INSET, 1);
}

static double
get_place (const SondeParallel *trials, guint line, guint axis)
{
  return sonde_parallel_get_place (&trials->axes[axis],
                                   trials->values[(gsize) line * trials->n_axes + axis]);
}

gboolean
sonde_scatter_matrix_get_point (const SondeParallel *trials, guint line, guint row, guint column,
                                const cairo_rectangle_t *cell, double *x, double *y)
{
  *x = get_x (cell, get_place (trials, line, column));
  *y = get_y (cell, get_place (trials, line, row));
  return isfinite (*x) && isfinite (*y);
}

/* ---- points -------------------------------------------------------------- */

/* Of its colour; N_SHADES: outside of the brushes. */
static guint
find_shade (const SondeParallel *trials, guint line)
{
  double place;

  if (!sonde_parallel_is_in (trials, line))
    return N_SHADES;
  if (trials->color_axis < 0 || (guint) trials->color_axis >= trials->n_axes)
    return 0;
  place = get_place (trials, line, (guint) trials->color_axis);
  return isnan (place) ? N_SHADES : (guint) CLAMP (place * (N_SHADES - 1) + 0.5, 0, N_SHADES - 1);
}

static SondeColor
get_shade_color (const SondeTheme *theme, const SondeParallel *trials, guint shade)
{
  if (shade == N_SHADES)
    return theme->masked;
  return trials->color_axis < 0 ? theme->series[0]
                                : sonde_parallel_get_shade (theme, shade / (N_SHADES - 1.0));
}

/* One path a shade: a fill for each point would take seconds. @shades: [n_lines] */
static void
paint_points (cairo_t *cr, const SondeTheme *theme, const SondeParallel *trials,
              const guint8 *shades, guint row, guint column, const cairo_rectangle_t *cell)
{
  double size = trials->n_lines > MANY ? 2 : 5, x, y;

  /* What is outside lies below. */
  for (int shade = N_SHADES; shade >= 0; shade--)
    {
      SondeColor color = get_shade_color (theme, trials, (guint) shade);

      for (guint i = 0; i < trials->n_lines; i++)
        if (shades[i] == shade
            && sonde_scatter_matrix_get_point (trials, i, row, column, cell, &x, &y))
          cairo_rectangle (cr, floor (x - size / 2), floor (y - size / 2), size, size);
      sonde_paint_set_color_alpha (cr, &color, shade == N_SHADES ? 0.35 : 0.9);
      cairo_fill (cr);
    }
}

static void
paint_brush (cairo_t *cr, const SondeTheme *theme, const SondeParallel *trials, guint row,
             guint column, const cairo_rectangle_t *cell)
{
  const SondeParallelAxis *across = &trials->axes[column], *up = &trials->axes[row];
  double x0 = 0, x1 = 1, y0 = 0, y1 = 1;

  if (!across->has_brush && !up->has_brush)
    return;
  if (across->has_brush)
    {
      x0 = CLAMP (sonde_parallel_get_place (across, across->from), 0, 1);
      x1 = CLAMP (sonde_parallel_get_place (across, across->to), 0, 1);
    }
  if (up->has_brush)
    {
      y0 = CLAMP (sonde_parallel_get_place (up, up->from), 0, 1);
      y1 = CLAMP (sonde_parallel_get_place (up, up->to), 0, 1);
    }
  cairo_rectangle (cr, get_x (cell, x0), get_y (cell, y1), get_x (cell, x1) - get_x (cell, x0),
                   get_y (cell, y0) - get_y (cell, y1));
  sonde_paint_set_color_alpha (cr, &theme->selection, 0.15);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

/* ---- the diagonal and above ---------------------------------------------- */

static void
paint_histogram (cairo_t *cr, const SondeTheme *theme, const SondeParallel *trials, guint axis,
                 const cairo_rectangle_t *cell)
{
  guint counts[2][N_BINS] = { { 0 } }, most = 1;
  double room = fmax (cell->height - 24, 1), step = fmax (cell->width - 2 * INSET, 1) / N_BINS;

  for (guint i = 0; i < trials->n_lines; i++)
    {
      double place = get_place (trials, i, axis);
      guint bin = isnan (place) ? N_BINS : (guint) CLAMP (place * N_BINS, 0, N_BINS - 1);

      if (bin == N_BINS)
        continue;
      counts[0][bin]++;
      counts[1][bin] += sonde_parallel_is_in (trials, i);
      most = MAX (most, counts[0][bin]);
    }
  for (int in = 0; in < 2; in++)
    for (guint k = 0; k < N_BINS; k++)
      {
        double tall = room * counts[in][k] / most;

        cairo_rectangle (cr, cell->x + INSET + k * step, cell->y + cell->height - tall, step - 1,
                         tall);
        sonde_paint_set_color_alpha (cr, in ? &theme->series[0] : &theme->masked, in ? 0.8 : 0.35);
        cairo_fill (cr);
      }
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_STRONG, SONDE_ALIGN_CENTER, cell->x + cell->width / 2,
                    cell->y + 11, cell->width - 8, trials->axes[axis].title);
}

/* The stronger, the fuller; the sign is in the number. */
static void
paint_correlation (cairo_t *cr, const SondeTheme *theme, const SondeScatterMatrix *matrix,
                   guint row, guint column, const cairo_rectangle_t *cell)
{
  double rho = matrix->correlation != NULL
                   ? matrix->correlation[row * matrix->trials->n_axes + column]
                   : NAN;
  g_autofree char *text = isnan (rho) ? g_strdup ("–") : g_strdup_printf ("ρ %.2f", rho);

  if (!isnan (rho))
    {
      cairo_rectangle (cr, cell->x, cell->y, cell->width, cell->height);
      sonde_paint_set_color_alpha (cr, rho > 0 ? &theme->series[0] : &theme->series[1],
                                   0.3 * fabs (rho));
      cairo_fill (cr);
    }
  sonde_paint_set_color (cr, isnan (rho) ? &theme->dim : &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, cell->x + cell->width / 2,
                    cell->y + cell->height / 2, cell->width, text);
}

/* ---- scales -------------------------------------------------------------- */

/* What stands at the end of an axis. (transfer full) */
static char *
dup_end (const SondeParallelAxis *axis, gboolean high)
{
  if (axis->names != NULL)
    return g_strdup (axis->names[high ? axis->n_names - 1 : 0]);
  return sonde_format_number (high ? axis->high : axis->low);
}

static void
paint_row_scale (cairo_t *cr, const SondeParallel *trials, guint row, const cairo_rectangle_t *cell)
{
  g_autofree char *low = dup_end (&trials->axes[row], FALSE),
                  *high = dup_end (&trials->axes[row], TRUE);

  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, cell->x - LABEL_GAP, get_y (cell, 0),
                    LEFT - LABEL_GAP, low);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, cell->x - LABEL_GAP, get_y (cell, 1),
                    LEFT - LABEL_GAP, high);
}

static void
paint_column_scale (cairo_t *cr, const SondeParallel *trials, guint column,
                    const cairo_rectangle_t *cell)
{
  g_autofree char *low = dup_end (&trials->axes[column], FALSE),
                  *high = dup_end (&trials->axes[column], TRUE);
  double y = cell->y + cell->height + BOTTOM / 2.0, room = cell->width / 2 - LABEL_GAP;

  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, cell->x, y, room, low);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, cell->x + cell->width, y, room, high);
}

/* ---- all ----------------------------------------------------------------- */

static void
paint_cell (cairo_t *cr, const SondeTheme *theme, const SondeScatterMatrix *matrix,
            const guint8 *shades, guint row, guint column, const cairo_rectangle_t *cell)
{
  gboolean focused = matrix->row == (int) row && matrix->column == (int) column;

  cairo_save (cr);
  cairo_rectangle (cr, cell->x, cell->y, cell->width, cell->height);
  cairo_clip (cr);
  if (row == column)
    paint_histogram (cr, theme, matrix->trials, row, cell);
  else if (column > row)
    paint_correlation (cr, theme, matrix, row, column, cell);
  else
    {
      paint_points (cr, theme, matrix->trials, shades, row, column, cell);
      paint_brush (cr, theme, matrix->trials, row, column, cell);
    }
  cairo_restore (cr);
  cairo_rectangle (cr, floor (cell->x) + 0.5, floor (cell->y) + 0.5, floor (cell->width),
                   floor (cell->height));
  sonde_paint_set_color (cr, focused ? &theme->selection : &theme->grid);
  cairo_set_line_width (cr, focused ? 2 : 1);
  cairo_stroke (cr);
}

void
sonde_paint_scatter_matrix (cairo_t *cr, const SondeTheme *theme, const SondeScatterMatrix *matrix,
                            int width, int height)
{
  const SondeParallel *trials = matrix->trials;
  guint n = sonde_scatter_matrix_get_n (trials);
  g_autofree guint8 *shades = g_new (guint8, MAX (trials->n_lines, 1));
  cairo_rectangle_t cell;

  for (guint i = 0; i < trials->n_lines; i++)
    shades[i] = (guint8) find_shade (trials, i);
  for (guint i = 0; i < n * n; i++)
    {
      sonde_scatter_matrix_get_cell (n, i / n, i % n, width, height, &cell);
      paint_cell (cr, theme, matrix, shades, i / n, i % n, &cell);
    }
  sonde_paint_set_color (cr, &theme->dim);
  for (guint k = 0; k < n; k++)
    {
      sonde_scatter_matrix_get_cell (n, k, 0, width, height, &cell);
      if (k > 0)
        paint_row_scale (cr, trials, k, &cell);
      sonde_scatter_matrix_get_cell (n, n - 1, k, width, height, &cell);
      paint_column_scale (cr, trials, k, &cell);
    }
  if (trials->emphasised >= 0 && (guint) trials->emphasised < trials->n_lines)
    sonde_paint_scatter_matrix_line (cr, theme, matrix, (guint) trials->emphasised, width, height);
}

void
sonde_paint_scatter_matrix_line (cairo_t *cr, const SondeTheme *theme,
                                 const SondeScatterMatrix *matrix, guint line, int width,
                                 int height)
{
  guint n = sonde_scatter_matrix_get_n (matrix->trials);
  guint shade = find_shade (matrix->trials, line);
  SondeColor color = get_shade_color (theme, matrix->trials, shade);

  for (guint row = 1; row < n; row++)
    for (guint column = 0; column < row; column++)
      {
        cairo_rectangle_t cell;
        double x, y;

        sonde_scatter_matrix_get_cell (n, row, column, width, height, &cell);
        if (!sonde_scatter_matrix_get_point (matrix->trials, line, row, column, &cell, &x, &y))
          continue;
        cairo_arc (cr, x, y, 5, 0, 2 * G_PI);
        sonde_paint_set_color (cr, &color);
        cairo_fill_preserve (cr);
        sonde_paint_set_color (cr, &theme->foreground);
        cairo_set_line_width (cr, 1.5);
        cairo_stroke (cr);
      }
}
