/* SPDX-License-Identifier: Apache-2.0
 * What each series of a scalar view says: at one place its own value at that step, or where it ended, where nothing is
 * taken from another step without saying so; and all of them in words and as a table. */
#include "viewers/sonde-scalar-view-private.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)
#define MAX_DESCRIBED 20         /* curves: nobody listens to more */
#define MAX_TABLE_POINTS 2000000 /* copied as text */
#define MAX_LINES 40
#define SAME_PLACE 0.5 /* px */

void
sonde_scalar_view_get_axes (SondeScalarView *view, int width, int height, SondeAxis *x,
                            SondeAxis *y)
{
  SondeViewport v;

  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &v);
  *x = (SondeAxis){ sonde_scalar_view_is_log_x (view) ? SONDE_AXIS_LOG : SONDE_AXIS_LINEAR, v.x0,
                    v.x1, NULL };
  *y = (SondeAxis){ view->log_y ? SONDE_AXIS_LOG : SONDE_AXIS_LINEAR, v.y1, v.y0, NULL };
}

static double
x_of_point (const SondeScalarItem *item, SondeScalarX x, const SondePoint *point)
{
  return sonde_scalar_item_x_of (item, x, point->step, point->wall_time_ns);
}

/* Where the crosshair stands: at the recorded point that is nearest in x, of several there the one
 * nearest in y. FALSE without points. */
static gboolean
find_anchor (SondeScalarView *view, const SondeAxis *x_axis, const SondeAxis *y_axis,
             const SondeViewRect *area, double px, double py, SondePlace *place)
{
  double value = sonde_scalar_view_x_from_world (
      view, x_axis->low + (px - area->x) / area->width * (x_axis->high - x_axis->low));
  double best_x = INFINITY, best_y = INFINITY;

  for (guint i = 0; i < view->items->len; i++)
    {
      const SondeScalarItem *item = view->items->pdata[i];
      SondePoint point;
      double x, dx, dy;

      if (item->is_bound || !sonde_scalar_item_nearest (item, view->x, value, &point))
        continue;
      x = x_of_point (item, view->x, &point);
      dx = fabs (sonde_axis_x (x_axis, area, x) - px);
      dy = fabs (sonde_axis_y (y_axis, area, point.value) - py);
      if (dx > best_x + SAME_PLACE || (dx > best_x - SAME_PLACE && !(dy < best_y)))
        continue;
      best_x = dx;
      best_y = dy;
      *place = (SondePlace){ item, point.step, point.wall_time_ns, x };
    }
  return isfinite (best_x);
}

static gboolean
find_step (const SondeScalarItem *item, gint64 step, SondePoint *point)
{
  g_autoptr (GArray) at = sonde_series_query (item->series, step, step, 64);
  const SondeBucket *bucket;

  if (at->len == 0)
    return FALSE;
  bucket = &g_array_index (at, SondeBucket, at->len - 1);
  *point = (SondePoint){ bucket->last_step, bucket->last_wall_ns, bucket->last, bucket->session };
  return TRUE;
}

/* The mean that is drawn at a point; NaN when there is none yet. */
static double
find_mean (const SondeScalarItem *item, const SondePoint *point)
{
  g_autoptr (GArray) at = NULL;

  if (item->smoother == NULL)
    return NAN;
  at = sonde_smoother_query (item->smoother, point->step, point->step, 64);
  for (guint i = at->len; i-- > 0;)
    {
      const SondeBucket *bucket = &g_array_index (at, SondeBucket, i);
      if (bucket->last_wall_ns == point->wall_time_ns)
        return bucket->last;
    }
  return NAN;
}

static void
locate (SondeScalarView *view, const SondeAxis *x_axis, const SondeAxis *y_axis,
        const SondeViewRect *area, double py, SondeReading *reading)
{
  double shown;

  reading->mean = find_mean (reading->item, &reading->point);
  shown = isnan (reading->mean) ? reading->point.value : reading->mean;
  reading->x = sonde_axis_x (x_axis, area, x_of_point (reading->item, view->x, &reading->point));
  reading->y = sonde_axis_y (y_axis, area, shown);
  reading->distance = isfinite (reading->y) && isfinite (py) ? fabs (reading->y - py) : 0;
}

/* What @reading->item says at @place. FALSE: it has no point at all. */
static gboolean
read_item (SondeScalarView *view, const SondePlace *place, SondeReading *reading)
{
  const SondeScalarItem *item = reading->item;

  if (find_step (item, place->step, &reading->point)
      && (view->x == SONDE_SCALAR_X_STEP || item == place->item))
    {
      reading->kind = SONDE_READING_THERE;
      return TRUE;
    }
  if (!(item->x_low <= item->x_high))
    return FALSE;
  if (place->x > item->x_high || place->x < item->x_low)
    {
      reading->kind = place->x > item->x_high ? SONDE_READING_ENDED : SONDE_READING_NOT_BEGUN;
      return sonde_scalar_item_nearest (item, view->x, place->x, &reading->point)
             || sonde_series_get_last (item->series, &reading->point);
    }
  reading->kind = SONDE_READING_BESIDE;
  return sonde_scalar_item_nearest (item, view->x, place->x, &reading->point);
}

static int
compare_readings (const void *a, const void *b)
{
  const SondeReading *x = a, *y = b;
  gboolean x_there = sonde_reading_has_value (x), y_there = sonde_reading_has_value (y);

  if (x_there != y_there)
    return x_there ? -1 : 1;
  return (x->distance > y->distance) - (x->distance < y->distance);
}

static double
get_shown (const SondeReading *reading)
{
  return isnan (reading->mean) ? reading->point.value : reading->mean;
}

/* Those without a value, and then those without a number, are last. */
static int
compare_values (const void *a, const void *b, void *order)
{
  const SondeReading *x = a, *y = b;
  double one = sonde_reading_has_value (x) ? get_shown (x) : NAN,
         other = sonde_reading_has_value (y) ? get_shown (y) : NAN;
  int sign = GPOINTER_TO_INT (order) == SONDE_CHART_ORDER_GREATEST ? -1 : 1;

  if (isnan (one) || isnan (other))
    return isnan (one) != isnan (other) ? isnan (one) - isnan (other)
                                        : sonde_reading_has_value (y) - sonde_reading_has_value (x);
  return sign * ((one > other) - (one < other));
}

static void
sort_readings (SondeScalarView *view, GArray *readings)
{
  if (view->order == SONDE_CHART_ORDER_NEAREST)
    g_array_sort (readings, compare_readings);
  else if (view->order != SONDE_CHART_ORDER_RUNS)
    g_array_sort_with_data (readings, compare_values, GINT_TO_POINTER (view->order));
}

guint
sonde_scalar_view_find_nearest (GArray *readings)
{
  guint nearest = 0;

  for (guint i = 1; i < readings->len; i++)
    if (compare_readings (&g_array_index (readings, SondeReading, i),
                          &g_array_index (readings, SondeReading, nearest))
        < 0)
      nearest = i;
  return nearest;
}

static GArray *
read_at_place (SondeScalarView *view, const SondeViewRect *area, int width, int height,
               const SondePlace *place, double py)
{
  GArray *readings = g_array_new (FALSE, FALSE, sizeof (SondeReading));
  SondeAxis x_axis, y_axis;

  sonde_scalar_view_get_axes (view, width, height, &x_axis, &y_axis);
  for (guint i = 0; i < view->items->len; i++)
    {
      SondeReading reading = { .item = view->items->pdata[i] };

      if (reading.item->is_bound || !read_item (view, place, &reading))
        continue;
      locate (view, &x_axis, &y_axis, area, py, &reading);
      g_array_append_val (readings, reading);
    }
  if (isfinite (py))
    sort_readings (view, readings);
  return readings;
}

GArray *
sonde_scalar_view_read_at (SondeScalarView *view, const SondeViewRect *area, int width, int height,
                           double px, double py, SondePlace *place)
{
  SondeAxis x_axis, y_axis;

  sonde_scalar_view_remember (view);
  sonde_scalar_view_get_axes (view, width, height, &x_axis, &y_axis);
  if (!find_anchor (view, &x_axis, &y_axis, area, px, py, place))
    return g_array_new (FALSE, FALSE, sizeof (SondeReading));
  return read_at_place (view, area, width, height, place, py);
}

GArray *
sonde_scalar_view_read_step (SondeScalarView *view, const SondeViewRect *area, int width,
                             int height, gint64 step)
{
  GArray *readings = g_array_new (FALSE, FALSE, sizeof (SondeReading));
  SondeAxis x_axis, y_axis;

  if (step != SONDE_SCALAR_NO_STEP)
    sonde_scalar_view_remember (view);
  sonde_scalar_view_get_axes (view, width, height, &x_axis, &y_axis);
  for (guint i = 0; step != SONDE_SCALAR_NO_STEP && i < view->items->len; i++)
    {
      SondeReading reading = { .item = view->items->pdata[i], .kind = SONDE_READING_THERE };

      if (reading.item->is_bound || !find_step (reading.item, step, &reading.point))
        continue;
      locate (view, &x_axis, &y_axis, area, NAN, &reading);
      g_array_append_val (readings, reading);
    }
  return readings;
}

/* ---- as text ------------------------------------------------------------- */

static char *
dup_time (const SondeScalarItem *item, SondeScalarX x, gint64 wall_ns)
{
  SondeRun *run = sonde_series_get_run (item->series);
  g_autofree char *clock = NULL;
  const char *space;

  if (x != SONDE_SCALAR_X_WALL)
    return run != NULL ? sonde_format_duration (wall_ns - sonde_run_get_start_ns (run)) : NULL;
  clock = sonde_format_clock (wall_ns, NULL);
  space = strchr (clock, ' ');
  return g_strdup (space != NULL ? space + 1 : clock);
}

static char *
dup_head (SondeScalarView *view, const SondePlace *place)
{
  g_autofree char *text = NULL;

  if (view->x == SONDE_SCALAR_X_WALL)
    return sonde_format_clock (place->wall_time_ns, NULL);
  if (view->x == SONDE_SCALAR_X_RELATIVE)
    {
      text = dup_time (place->item, view->x, place->wall_time_ns);
      return g_strdup_printf (_ ("%s after the start"), text != NULL ? text : "");
    }
  text = sonde_format_count (place->step);
  if (view->x == SONDE_SCALAR_X_METRIC)
    {
      g_autofree char *value = sonde_format_number (place->x);

      return g_strdup_printf (_ ("%s %s, step %s"), sonde_scalar_view_get_x_title (view), value,
                              text);
    }
  return g_strdup_printf (_ ("Step %s"), text);
}

/* A run that is still written to has not ended. */
static char *
dup_absence (const SondeReading *reading, const char *step)
{
  SondeRun *run = sonde_series_get_run (reading->item->series);

  if (reading->kind == SONDE_READING_NOT_BEGUN)
    return g_strdup_printf (_ ("begins at %s"), step);
  return g_strdup_printf (
      run != NULL && sonde_run_is_live (run) ? _ ("so far to %s") : _ ("ended at %s"), step);
}

static void
fill_cells (SondeScalarView *view, const SondeReading *reading, SondeReadoutRow *row)
{
  g_autofree char *step = sonde_format_count (reading->point.step);

  row->is_there = sonde_reading_has_value (reading);
  if (!row->is_there)
    {
      row->cells[SONDE_READOUT_VALUE] = g_strdup ("–");
      row->cells[SONDE_READOUT_STEP] = dup_absence (reading, step);
      return;
    }
  row->cells[SONDE_READOUT_VALUE]
      = sonde_format_number (isnan (reading->mean) ? reading->point.value : reading->mean);
  if (!isnan (reading->mean))
    row->cells[SONDE_READOUT_RAW] = sonde_format_number (reading->point.value);
  if (reading->kind == SONDE_READING_BESIDE || view->x != SONDE_SCALAR_X_STEP)
    row->cells[SONDE_READOUT_STEP] = g_steal_pointer (&step);
  row->cells[SONDE_READOUT_TIME] = dup_time (reading->item, view->x, reading->point.wall_time_ns);
}

SondeReadout *
sonde_scalar_view_make_readout (SondeScalarView *view, const SondePlace *place, GArray *readings,
                                int height)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (view));
  g_autofree char *head = dup_head (view, place);
  SondeReadout *readout = sonde_readout_new (head);
  guint nearest = sonde_scalar_view_find_nearest (readings);
  guint n = MIN (readings->len, MIN (MAX_LINES, sonde_readout_count_lines (height)));

  view->n_lines = n;
  view->n_hidden = readings->len - n;
  view->first_line = MIN (view->first_line, view->n_hidden);
  for (guint i = view->first_line; i < view->first_line + n; i++)
    {
      const SondeReading *reading = &g_array_index (readings, SondeReading, i);
      SondeReadoutRow row
          = { .stroke = sonde_theme_series (theme, reading->item->color_index),
              .name = g_strdup (reading->item->title != NULL ? reading->item->title : ""),
              .is_nearest = i == nearest && readings->len > 1 };

      fill_cells (view, reading, &row);
      sonde_readout_take (readout, &row);
    }
  if (view->n_hidden > 0)
    readout->more = g_strdup_printf (_ ("%u–%u of %u · Alt+wheel"), view->first_line + 1,
                                     view->first_line + n, readings->len);
  return readout;
}

/* ---- all of it, as words and as a table ---------------------------------- */

char *
sonde_scalar_view_describe (SondeView *base)
{
  SondeScalarView *view = (SondeScalarView *) base;
  const char *title = sonde_view_get_title (base);
  g_autoptr (GString) text = g_string_new (NULL);

  g_string_append_printf (
      text, P_ ("Chart of %s over %s, %u run.", "Chart of %s over %s, %u runs.", view->items->len),
      title != NULL ? title : _ ("scalars"), sonde_scalar_view_get_x_title (view),
      view->items->len);
  for (guint i = 0; i < MIN (view->items->len, MAX_DESCRIBED); i++)
    {
      SondeScalarItem *item = view->items->pdata[i];
      gint64 first_step, last_step;
      double min, max;
      SondePoint last;
      g_autofree char *count
          = sonde_format_count ((gint64) sonde_series_get_n_points (item->series));
      g_autofree char *value = NULL, *low = NULL, *high = NULL;

      if (item->is_bound || !sonde_series_get_last (item->series, &last)
          || !sonde_series_get_range (item->series, &first_step, &last_step, &min, &max))
        continue;
      value = sonde_format_number (last.value);
      low = sonde_format_number (min);
      high = sonde_format_number (max);
      g_string_append_printf (
          text, _ (" %s: %s points, steps %" PRIi64 " to %" PRIi64 ", from %s to %s, last %s."),
          item->title, count, first_step, last_step, low, high, value);
    }
  sonde_scalar_view_describe_hidden (view, text);
  if (view->items->len > MAX_DESCRIBED)
    g_string_append_printf (
        text, P_ (" %u more run.", " %u more runs.", view->items->len - MAX_DESCRIBED),
        view->items->len - MAX_DESCRIBED);
  if (!view->smoothed)
    g_string_append_printf (text, " %s", _ ("The smoothed curve is being computed."));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* A name as a cell: quoted where the format asks for it. */
static void
append_cell (GString *text, const char *cell, char separator)
{
  gboolean quote = separator == ',' && strpbrk (cell, ",\"\n\r") != NULL;

  if (quote)
    g_string_append_c (text, '"');
  for (const char *p = cell; *p != '\0'; p++)
    {
      if (quote && *p == '"')
        g_string_append_c (text, '"');
      g_string_append_c (text, separator == '\t' && (*p == '\t' || *p == '\n') ? ' ' : *p);
    }
  if (quote)
    g_string_append_c (text, '"');
}

static void
append_points (SondeScalarView *view, SondeScalarItem *item, const SondeViewport *v, char separator,
               GString *text, guint64 *left)
{
  SondePoint points[1024];
  gsize n;

  for (guint64 first = 0;
       *left > 0 && (n = sonde_series_copy_points (item->series, first, 1024, points)) > 0;
       first += n)
    for (gsize i = 0; i<n && * left> 0; i++)
      {
        double x = sonde_scalar_item_x_of (item, view->x, points[i].step, points[i].wall_time_ns);
        g_autofree char *value = NULL;

        x = sonde_scalar_view_x_to_world (view, x);
        if (!(x >= v->x0 && x <= v->x1))
          continue;
        value = sonde_format_exact (points[i].value);
        append_cell (text, item->title, separator);
        g_string_append_printf (text, "%c%" PRIi64 "%c%" PRIi64 ".%09d%c%s\n", separator,
                                points[i].step, separator, points[i].wall_time_ns / NS_PER_SECOND,
                                (int) (points[i].wall_time_ns % NS_PER_SECOND), separator, value);
        --*left;
      }
}

/* Every point of the window, as recorded. */
char *
sonde_scalar_view_dup_table (SondeView *base, char separator)
{
  SondeScalarView *view = (SondeScalarView *) base;
  GString *text = g_string_new (NULL);
  guint64 left = MAX_TABLE_POINTS;
  SondeViewport v;

  sonde_view_get_viewport (base, &v);
  g_string_append_printf (text, "run%cstep%cwall_time%cvalue\n", separator, separator, separator);
  for (guint i = 0; i < view->items->len; i++)
    append_points (view, view->items->pdata[i], &v, separator, text, &left);
  return g_string_free (text, FALSE);
}

/* ---- pgfplots ------------------------------------------------------------ */

/* What TeX would take for a command stands for itself. */
static void
append_tex (GString *text, const char *words)
{
  for (const char *p = words; *p != '\0'; p++)
    if (strchr ("#$%&_{}", *p) != NULL)
      g_string_append_printf (text, "\\%c", *p);
    else if (*p == '\\')
      g_string_append (text, "\\textbackslash{}");
    else if (*p == '^' || *p == '~')
      g_string_append_printf (text, "\\%c{}", *p);
    else
      g_string_append_c (text, *p);
}

static void
append_coordinate (GString *text, double x, double y)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];

  if (!isfinite (x) || !isfinite (y))
    return;
  g_string_append_printf (text, "    %s", g_ascii_dtostr (digits, sizeof digits, x));
  g_string_append_printf (text, " %s\n", g_ascii_dtostr (digits, sizeof digits, y));
}

/* The line as it is drawn: where a stretch holds many points its first, extremes and last. */
static void
append_plot (GString *text, const SondeTheme *theme, const SondeScalarItem *item)
{
  const GArray *buckets = item->smooth != NULL ? item->smooth : item->raw;
  SondeColor color = sonde_theme_series (theme, item->color_index).color;

  g_string_append_printf (text,
                          "  \\addplot[color={rgb,255:red,%d;green,%d;blue,%d}, thick] table {\n",
                          (int) (color.red * 255 + 0.5), (int) (color.green * 255 + 0.5),
                          (int) (color.blue * 255 + 0.5));
  for (guint i = 0; buckets != NULL && i < buckets->len; i++)
    {
      const SondeChartBucket *bucket = &g_array_index (buckets, SondeChartBucket, i);
      double middle = (bucket->x0 + bucket->x1) / 2;

      append_coordinate (text, bucket->x0, bucket->first);
      if (bucket->count < 2)
        continue;
      append_coordinate (text, middle, bucket->min);
      append_coordinate (text, middle, bucket->max);
      append_coordinate (text, bucket->x1, bucket->last);
    }
  g_string_append (text, "  };\n  \\addlegendentry{");
  append_tex (text, item->title != NULL ? item->title : "");
  g_string_append (text, "}\n");
}

char *
sonde_scalar_view_dup_pgfplots (SondeView *base)
{
  SondeScalarView *view = (SondeScalarView *) base;
  const char *title = sonde_view_get_title (base);
  GString *text = g_string_new ("\\documentclass{standalone}\n\\usepackage{pgfplots}\n"
                                "\\pgfplotsset{compat=1.16}\n\\begin{document}\n"
                                "\\begin{tikzpicture}\n\\begin{axis}[xlabel={");

  append_tex (text, sonde_scalar_view_get_x_title (view));
  g_string_append (text, "}, ylabel={");
  append_tex (text, title != NULL ? title : "");
  g_string_append_printf (text, "}, xmode=%s, ymode=%s, grid=major, legend pos=outer north east]\n",
                          sonde_scalar_view_is_log_x (view) ? "log" : "normal",
                          view->log_y ? "log" : "normal");
  for (guint i = 0; i < view->items->len; i++)
    if (!((SondeScalarItem *) view->items->pdata[i])->is_bound)
      append_plot (text, sonde_theme_get (FALSE), view->items->pdata[i]);
  g_string_append (text, "\\end{axis}\n\\end{tikzpicture}\n\\end{document}\n");
  return g_string_free (text, FALSE);
}
