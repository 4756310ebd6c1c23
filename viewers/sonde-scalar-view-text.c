/* SPDX-License-Identifier: Apache-2.0
 * A scalar view as words and as a table. */
#include "viewers/sonde-scalar-view-private.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

#define NS_PER_SECOND G_GINT64_CONSTANT (1000000000)
#define MAX_DESCRIBED 20         /* curves: nobody listens to more */
#define MAX_TABLE_POINTS 2000000 /* copied as text */

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
  if (view->items->len > MAX_DESCRIBED)
    g_string_append_printf (
        text, P_ (" %u more run.", " %u more runs.", view->items->len - MAX_DESCRIBED),
        view->items->len - MAX_DESCRIBED);
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
