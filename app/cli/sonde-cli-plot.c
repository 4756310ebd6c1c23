/* SPDX-License-Identifier: Apache-2.0
 * `sonde plot`: curves of scalar tags as an image, without a display; the painter is the
 * window's. */
#include <math.h>
#include <stdio.h>

#include "app/cli/sonde-cli-runs.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-chart-sheet.h"
#include "viewers/paint/sonde-figure.h"

#define DEFAULT_WIDTH 900
#define DEFAULT_HEIGHT 540

/* What is drawn, and what owns it. */
typedef struct
{
  SondeRunStore *store;
  GPtrArray *tags;    /* interned */
  GPtrArray *series;  /* GArray of SondeChartSeries, one a tag */
  GPtrArray *buckets; /* GArray of SondeChartBucket, one a curve */
  GPtrArray *labels;  /* owned strings, one a run that has a curve */
  GArray *entries;    /* SondeLegendEntry */
  GArray *panels;     /* SondeChartPanel */
  const SondeTheme *theme;
  gboolean log_y;
} Plot;

static void
plot_clear (Plot *plot)
{
  g_clear_object (&plot->store);
  g_clear_pointer (&plot->tags, g_ptr_array_unref);
  g_clear_pointer (&plot->series, g_ptr_array_unref);
  g_clear_pointer (&plot->buckets, g_ptr_array_unref);
  g_clear_pointer (&plot->labels, g_ptr_array_unref);
  g_clear_pointer (&plot->entries, g_array_unref);
  g_clear_pointer (&plot->panels, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Plot, plot_clear)

static void
plot_init (Plot *plot, gboolean dark, gboolean log_y)
{
  *plot = (Plot){ .theme = sonde_theme_get (dark), .log_y = log_y };
  plot->tags = g_ptr_array_new ();
  plot->series = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  plot->buckets = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  plot->labels = g_ptr_array_new_with_free_func (g_free);
  plot->entries = g_array_new (FALSE, FALSE, sizeof (SondeLegendEntry));
  plot->panels = g_array_new (FALSE, FALSE, sizeof (SondeChartPanel));
}

static int
compare_tags (const void *a, const void *b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

/* Scalar tags of any run that match @glob. */
static gboolean
find_tags (Plot *plot, const char *path, const char *glob, GError **error)
{
  g_autoptr (GPatternSpec) pattern = g_pattern_spec_new (glob);
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  const char *one = NULL;

  for (guint i = 0; i < sonde_cli_count_runs (plot->store); i++)
    {
      GPtrArray *tags = sonde_run_get_tags (sonde_cli_get_run (plot->store, i));

      for (guint k = 0; k < tags->len; k++)
        {
          const SondeRunTag *tag = tags->pdata[k];
          g_autofree char *valid = g_utf8_make_valid (tag->tag, -1);

          if (tag->kind != SONDE_RECORD_SCALARS)
            continue;
          one = tag->tag;
          if (g_pattern_spec_match_string (pattern, valid)
              && g_hash_table_add (seen, (char *) tag->tag))
            g_ptr_array_add (plot->tags, (char *) tag->tag);
        }
    }
  g_ptr_array_sort (plot->tags, compare_tags);
  if (plot->tags->len > 0)
    return TRUE;
  if (one == NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
                     "“%s” contains no scalars.", path);
  else
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
        "No scalar tag of “%s” matches “%s”. One of its tags is “%s”; “sonde inspect” lists all of "
        "them.",
        path, glob, one);
  return FALSE;
}

static GArray *
to_chart (GArray *query)
{
  GArray *buckets = g_array_sized_new (FALSE, FALSE, sizeof (SondeChartBucket), query->len);

  for (guint i = 0; i < query->len; i++)
    {
      const SondeBucket *b = &g_array_index (query, SondeBucket, i);
      SondeChartBucket bucket = {
        .x0 = (double) b->first_step,
        .x1 = (double) b->last_step,
        .min = b->min,
        .max = b->max,
        .first = b->first,
        .last = b->last,
        .count = b->count,
        .n_nan = b->n_nan,
        .starts = i == 0 || b[-1].session != b->session || b->first_step < b[-1].last_step,
      };
      g_array_append_val (buckets, bucket);
    }
  return buckets;
}

static void
widen (const GArray *buckets, gboolean log_y, double limits[4])
{
  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeChartBucket *b = &g_array_index (buckets, SondeChartBucket, i);
      const double values[] = { b->min, b->max, b->first, b->last };

      limits[0] = fmin (limits[0], fmin (b->x0, b->x1));
      limits[1] = fmax (limits[1], fmax (b->x0, b->x1));
      for (gsize k = 0; k < G_N_ELEMENTS (values); k++)
        if (isfinite (values[k]) && (!log_y || values[k] > 0))
          {
            limits[2] = fmin (limits[2], values[k]);
            limits[3] = fmax (limits[3], values[k]);
          }
    }
}

/* One tag: its curves in all runs, and axes that hold them. */
static void
add_panel (Plot *plot, const char *tag, int width)
{
  GArray *series = g_array_new (FALSE, FALSE, sizeof (SondeChartSeries));
  SondeChartPanel panel = { .title = tag };
  SondeAxisKind y_kind = plot->log_y ? SONDE_AXIS_LOG : SONDE_AXIS_LINEAR;
  double limits[4] = { INFINITY, -INFINITY, INFINITY, -INFINITY }, low, high, air;

  for (guint i = 0; i < sonde_cli_count_runs (plot->store); i++)
    {
      SondeRun *run = sonde_cli_get_run (plot->store, i);
      SondeSeries *data = sonde_run_get_series (run, tag);
      g_autoptr (GArray) query = NULL;
      SondeChartSeries curve = { 0 };
      GArray *buckets;

      if (data == NULL)
        continue;
      query = sonde_series_query (data, G_MININT64, G_MAXINT64, (guint) width);
      buckets = to_chart (query);
      g_ptr_array_add (plot->buckets, buckets);
      curve.stroke = sonde_theme_series (plot->theme, sonde_run_get_color_index (run));
      curve.raw = (const SondeChartBucket *) buckets->data;
      curve.n_raw = buckets->len;
      g_array_append_val (series, curve);
      widen (buckets, plot->log_y, limits);
    }
  if (!(limits[0] <= limits[1]))
    limits[0] = limits[1] = 0;
  if (!(limits[2] <= limits[3]))
    {
      panel.chart.message = _ ("No finite values");
      limits[2] = limits[3] = plot->log_y ? 1 : 0;
    }
  air = limits[1] > limits[0] ? (limits[1] - limits[0]) * 0.01 : 0.5;
  sonde_chart_pad_limits (y_kind, limits[2], limits[3], &low, &high);
  panel.chart.x = (SondeAxis){ SONDE_AXIS_STEP, limits[0] - air, limits[1] + air, "step" };
  panel.chart.y = (SondeAxis){ y_kind, low, high, NULL };
  panel.chart.series = (const SondeChartSeries *) series->data;
  panel.chart.n_series = series->len;
  g_array_append_val (plot->panels, panel);
  g_ptr_array_add (plot->series, series);
}

static void
add_legend (Plot *plot)
{
  for (guint i = 0; i < sonde_cli_count_runs (plot->store); i++)
    {
      SondeRun *run = sonde_cli_get_run (plot->store, i);
      SondeLegendEntry entry
          = { .stroke = sonde_theme_series (plot->theme, sonde_run_get_color_index (run)) };
      gboolean has_curve = FALSE;

      for (guint k = 0; k < plot->tags->len && !has_curve; k++)
        has_curve = sonde_run_get_series (run, plot->tags->pdata[k]) != NULL;
      if (!has_curve)
        continue;
      g_ptr_array_add (plot->labels, g_str_equal (sonde_run_get_name (run), ".")
                                         ? g_path_get_basename (sonde_run_get_path (run))
                                         : g_strdup (sonde_run_get_name (run)));
      entry.label = plot->labels->pdata[plot->labels->len - 1];
      g_array_append_val (plot->entries, entry);
    }
}

static SondeChartSheet
get_sheet (const Plot *plot)
{
  return (SondeChartSheet){
    .panels = (const SondeChartPanel *) plot->panels->data,
    .n_panels = plot->panels->len,
    .entries = (const SondeLegendEntry *) plot->entries->data,
    .n_entries = plot->entries->len,
  };
}

static void
paint (cairo_t *cr, int width, int height, void *user_data)
{
  const Plot *plot = user_data;
  SondeChartSheet sheet = get_sheet (plot);

  sonde_paint_chart_sheet (cr, plot->theme, &sheet, width, height);
}

static gboolean
fits (const Plot *plot, int width, int height, GError **error)
{
  SondeChartSheet sheet = get_sheet (plot);
  cairo_rectangle_t place;

  if (sonde_chart_sheet_place (&sheet, 0, width, height, &place))
    return TRUE;
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
      "%u charts do not fit into %d×%d pixels; select fewer with --tag, or use a larger --size.",
      plot->tags->len, width, height);
  return FALSE;
}

static gboolean
plot_run (Plot *plot, const char *path, const char *glob, int width, int height, const char *output,
          GError **error)
{
  if (!find_tags (plot, path, glob, error))
    return FALSE;
  add_legend (plot);
  for (guint i = 0; i < plot->tags->len; i++)
    add_panel (plot, plot->tags->pdata[i], width);
  return fits (plot, width, height, error)
         && sonde_figure_save (NULL, output, width, height, 1, &plot->theme->card, paint, plot,
                               error);
}

static int
run (const SondeCliCommand *command, int argc, char **argv)
{
  g_autofree char *glob = NULL, *output = NULL, *size = NULL;
  gboolean dark = FALSE, log_y = FALSE;
  const GOptionEntry entries[] = {
    { "tag", 't', 0, G_OPTION_ARG_STRING, &glob,
      N_ ("Scalar tags; * and ? are wildcards (default: all)"), "GLOB" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("Output file: .png, .svg or .pdf"),
      "FILE" },
    { "size", 0, 0, G_OPTION_ARG_STRING, &size, N_ ("Size in pixels (default 900x540)"),
      N_ ("WxH") },
    { "log", 0, 0, G_OPTION_ARG_NONE, &log_y, N_ ("Logarithmic y axis"), NULL },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, N_ ("Dark style"), NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (Plot) plot = { 0 };
  SondeFigureFormat format;
  int status, width = DEFAULT_WIDTH, height = DEFAULT_HEIGHT;

  if (!sonde_cli_parse (command, argc, argv, entries, 1, 1, &operands, &status))
    return status;
  if (output == NULL)
    return sonde_cli_misuse (command, "--output is missing.");
  if (!sonde_figure_format_from_path (output, &format, &error))
    return sonde_cli_misuse (command, "%s", error->message);
  if (size != NULL && !sonde_cli_parse_size (size, &width, &height))
    return sonde_cli_misuse (
        command, "--size must have the form 900x540 with sides from 1 to 16384, not “%s”.", size);

  plot_init (&plot, dark, log_y);
  plot.store = sonde_cli_open_runs (operands[0], &error);
  if (plot.store == NULL || !sonde_cli_read_something (operands[0], plot.store, &error))
    return sonde_cli_fail (command, error);
  sonde_cli_report_damage (command, operands[0], plot.store);
  if (!plot_run (&plot, operands[0], glob != NULL ? glob : "*", width, height, output, &error))
    return sonde_cli_fail (command, error);
  return SONDE_EXIT_DONE;
}

const SondeCliCommand sonde_cli_command_plot = {
  .name = "plot",
  .synopsis = N_ ("RUN --output FILE.png|svg|pdf [--tag GLOB] [--size WxH]"),
  .summary = N_ ("Plot the curves of a run to an image file, without a display."),
  .details
  = N_ ("RUN is a run folder, a folder of runs or a record file. One chart is drawn for each "
        "matching scalar tag, with all runs in it; extremes of the recorded points are preserved."),
  .run = run,
};
