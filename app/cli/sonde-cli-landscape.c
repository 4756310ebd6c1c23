/* SPDX-License-Identifier: Apache-2.0
 * `sonde landscape`: the loss around a run's weights, computed and recorded into the run. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "app/cli/sonde-cli.h"
#include "app/worker/landscape/sonde-landscape-job.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"
#include "engine/landscape/sonde-landscape-grid.h"

#define PROGRESS_NS 200000000 /* between two lines of --progress */

static _Atomic int signal_number;

static void
on_signal (int number)
{
  signal_number = number;
}

static void
catch_signals (void)
{
  struct sigaction action = { .sa_handler = on_signal };

  sigemptyset (&action.sa_mask);
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

/* ---- progress ------------------------------------------------------------ */

typedef struct
{
  SondeProgressLine line;
  gboolean as_lines;
  gint64 begin_ns, told_ns;
} Progress;

static gboolean
on_progress (guint done, guint n, gpointer data)
{
  Progress *progress = data;
  gint64 now = sonde_clock_monotonic_ns (NULL);
  double seconds = (double) (now - progress->begin_ns) / 1e9;

  if (progress->as_lines && (done == n || now - progress->told_ns > PROGRESS_NS))
    {
      g_printerr ("{\"points\":%u,\"of\":%u}\n", done, n);
      progress->told_ns = now;
    }
  else if (!progress->as_lines)
    sonde_cli_progress (&progress->line, _ ("point %u of %u  %.1f points/s  %.0f s left"), done, n,
                        done / seconds, seconds / done * (n - done));
  return signal_number == 0;
}

/* ---- the result ---------------------------------------------------------- */

/* Of the finite heights of the grid. */
typedef struct
{
  double x, y, loss;
  guint n_not_finite;
} Lowest;

static Lowest
find_lowest (const SondeRecord *record)
{
  const SondeTensor *x = record->u.landscape.x, *z = record->u.landscape.z;
  gint64 n = sonde_tensor_n_elements (z), columns = sonde_tensor_n_elements (x);
  Lowest lowest = { NAN, NAN, NAN, 0 };

  for (gint64 i = 0; i < n; i++)
    {
      double loss = sonde_tensor_get_double (z, i);

      lowest.n_not_finite += !isfinite (loss);
      if (isfinite (loss) && !(loss >= lowest.loss))
        lowest = (Lowest){ sonde_tensor_get_double (x, i % columns),
                           sonde_tensor_get_double (record->u.landscape.y, i / columns), loss,
                           lowest.n_not_finite };
    }
  return lowest;
}

static void
add_number (JsonBuilder *builder, const char *name, double number)
{
  json_builder_set_member_name (builder, name);
  sonde_json_add_double (builder, number);
}

static void
add_text (JsonBuilder *builder, const char *name, const char *text)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_string_value (builder, text);
}

static void
add_count (JsonBuilder *builder, const char *name, gint64 count)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, count);
}

static void
add_place (JsonBuilder *builder, const char *name, double x, double y, double loss)
{
  json_builder_set_member_name (builder, name);
  json_builder_begin_object (builder);
  add_number (builder, "x", x);
  add_number (builder, "y", y);
  add_number (builder, "loss", loss);
  json_builder_end_object (builder);
}

static void
add_path (JsonBuilder *builder, const SondeRecord *record)
{
  json_builder_set_member_name (builder, "path");
  json_builder_begin_array (builder);
  for (gint64 i = 0; i < sonde_tensor_n_elements (record->u.landscape.path_x); i++)
    {
      json_builder_begin_object (builder);
      add_count (builder, "step", sonde_tensor_get_int (record->u.landscape.intervals, i));
      add_number (builder, "x", sonde_tensor_get_double (record->u.landscape.path_x, i));
      add_number (builder, "y", sonde_tensor_get_double (record->u.landscape.path_y, i));
      add_number (builder, "loss", sonde_tensor_get_double (record->u.landscape.path_z, i));
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static double
rate (double points, double seconds)
{
  return seconds > 0 ? points / seconds : NAN;
}

static void
print_json (const char *run, const SondeLandscapeResult *result)
{
  const SondeRecord *record = &result->record;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  const double *end = record->u.landscape.found;
  Lowest lowest = find_lowest (record);
  gint64 n = sonde_tensor_n_elements (record->u.landscape.z);

  json_builder_begin_object (builder);
  add_text (builder, "run", run);
  add_text (builder, "tag", record->tag);
  add_count (builder, "step", record->step);
  json_builder_set_member_name (builder, "reused");
  json_builder_add_boolean_value (builder, result->reused);
  add_text (builder, "directions", record->u.landscape.decomposition);
  add_text (builder, "loss", record->u.landscape.loss);
  add_text (builder, "part", record->u.landscape.part);
  add_count (builder, "samples", (gint64) record->u.landscape.samples);
  add_count (builder, "seed", (gint64) record->u.landscape.seed);
  add_count (builder, "points", n);
  add_count (builder, "not_finite", lowest.n_not_finite);
  add_place (builder, "end", end[0], end[1], end[2]);
  add_place (builder, "lowest", lowest.x, lowest.y, lowest.loss);
  add_path (builder, record);
  json_builder_set_member_name (builder, "shares");
  json_builder_begin_array (builder);
  sonde_json_add_double (builder, record->u.landscape.shares[0]);
  sonde_json_add_double (builder, record->u.landscape.shares[1]);
  json_builder_end_array (builder);
  add_number (builder, "seconds", result->seconds);
  add_number (builder, "points_per_second", rate ((double) n, result->seconds));
  add_number (builder, "plain_points_per_second", rate (1, result->plain_seconds));
  json_builder_end_object (builder);
  sonde_cli_print_json (json_builder_get_root (builder), TRUE);
}

static void
print_speed (const SondeLandscapeResult *result)
{
  double n = (double) sonde_tensor_n_elements (result->record.u.landscape.z);

  if (result->reused)
    g_print (_ ("The run already has this landscape; --again computes it anew.\n"));
  else
    g_print (_ ("%.0f points in %.1f s (%.1f points/s, %.2f of plain evaluation)\n"), n,
             result->seconds, rate (n, result->seconds),
             result->plain_seconds * rate (n, result->seconds));
}

static void
print_text (const SondeLandscapeResult *result)
{
  const SondeRecord *record = &result->record;
  const double *shares = record->u.landscape.shares;
  Lowest lowest = find_lowest (record);
  g_autofree char *end = sonde_format_number (record->u.landscape.found[2]);
  g_autofree char *least = sonde_format_number (lowest.loss);
  g_autofree char *x = sonde_format_number (lowest.x), *y = sonde_format_number (lowest.y);

  g_print (_ ("%s: loss %s at the end of the training; lowest loss of the grid %s at (%s, %s)\n"),
           record->tag, end, least, x, y);
  if (lowest.n_not_finite > 0)
    g_print (_ ("points without a finite loss: %u\n"), lowest.n_not_finite);
  if (!isnan (shares[0]))
    g_print (_ ("path: %" PRIi64 " checkpoints of %u; %.1f %% of it lies in the plane "
                "(%.1f %% and %.1f %%)\n"),
             sonde_tensor_n_elements (record->u.landscape.path_x), result->n_found,
             100 * (shares[0] + shares[1]), 100 * shares[0], 100 * shares[1]);
  print_speed (result);
}

/* ---- options ------------------------------------------------------------- */

typedef struct
{
  char **sets;
  char *directions, *part, *batches;
  int grid, stations, threads;
  gint64 seed;
  double range;
  gboolean again, json, progress;
} LandscapeArguments;

static gboolean
is_one_of (const char *text, const char *first, const char *second)
{
  return text == NULL || g_str_equal (text, first) || g_str_equal (text, second);
}

/* NULL: they are fine; else what is wrong with them. */
static const char *
find_misuse (const LandscapeArguments *arguments, SondeLandscapeOptions *options)
{
  guint64 batches = SONDE_LANDSCAPE_DEFAULT_BATCHES;

  if (!is_one_of (arguments->directions, "random", "pca"))
    return N_ ("--directions must be random or pca.");
  if (!is_one_of (arguments->part, "train", "test"))
    return N_ ("--part must be train or test.");
  if (arguments->grid < SONDE_LANDSCAPE_LEAST_GRID || arguments->grid > SONDE_LANDSCAPE_MOST_GRID)
    return N_ ("--grid takes a number from 3 to 256.");
  if (!isfinite (arguments->range) || arguments->range < 0)
    return N_ ("--range takes a positive number.");
  if (arguments->seed < 0 || arguments->threads < 0 || arguments->stations < 2)
    return N_ ("--seed and --threads take numbers from 0 on, --checkpoints from 2 on.");
  if (g_strcmp0 (arguments->batches, "all") == 0)
    batches = 0;
  else if (arguments->batches != NULL
           && !g_ascii_string_to_unsigned (arguments->batches, 10, 1, G_MAXINT, &batches, NULL))
    return N_ ("--batches takes a number from 1 on, or all.");
  options->kind = g_strcmp0 (arguments->directions, "pca") == 0 ? SONDE_LANDSCAPE_PATH
                                                                : SONDE_LANDSCAPE_RANDOM;
  options->batches = (guint) batches;
  return NULL;
}

static int
compute (const SondeCliCommand *command, const LandscapeArguments *arguments,
         SondeLandscapeOptions *options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeLandscapeResult) result = NULL;
  g_autofree char *program = sonde_cli_dup_program ();
  Progress progress
      = { .as_lines = arguments->progress, .begin_ns = sonde_clock_monotonic_ns (NULL) };

  options->program = program;
  options->progress = on_progress;
  options->data = &progress;
  catch_signals ();
  result = sonde_landscape_job_run (options, &error);
  sonde_cli_progress_end (&progress.line);
  if (g_error_matches (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED))
    return 128 + signal_number;
  if (result == NULL)
    return sonde_cli_fail (command, error);
  if (arguments->json)
    print_json (options->run, result);
  else
    print_text (result);
  return SONDE_EXIT_DONE;
}

static int
run_parsed (const SondeCliCommand *command, const LandscapeArguments *arguments, const char *run)
{
  SondeLandscapeOptions options = { .run = run,
                                    .sets = (const char *const *) arguments->sets,
                                    .grid = (guint) arguments->grid,
                                    .range = arguments->range,
                                    .seed = (guint64) arguments->seed,
                                    .stations = (guint) arguments->stations,
                                    .threads = (guint) arguments->threads,
                                    .test = g_strcmp0 (arguments->part, "test") == 0,
                                    .again = arguments->again };
  const char *misuse = find_misuse (arguments, &options);

  return misuse != NULL ? sonde_cli_misuse (command, "%s", _ (misuse))
                        : compute (command, arguments, &options);
}

static int
run (const SondeCliCommand *command, int argc, char **argv)
{
  LandscapeArguments a = { .grid = SONDE_LANDSCAPE_DEFAULT_GRID,
                           .stations = SONDE_LANDSCAPE_DEFAULT_STATIONS,
                           .seed = 1 };
  const GOptionEntry entries[] = {
    { "directions", 0, 0, G_OPTION_ARG_STRING, &a.directions,
      N_ ("Axes of the plane: two random directions (default), or the two in which the path of the "
          "training lies"),
      "random|pca" },
    { "grid", 0, 0, G_OPTION_ARG_INT, &a.grid, N_ ("Points on a side, 3 to 256 (default 41)"),
      "N" },
    { "range", 0, 0, G_OPTION_ARG_DOUBLE, &a.range,
      N_ ("Half the width around the last weights (default: 1 with random directions; what holds "
          "the path with pca)"),
      "R" },
    { "batches", 0, 0, G_OPTION_ARG_STRING, &a.batches,
      N_ ("Batches that each loss is measured on (default 8), or all"), "K" },
    { "part", 0, 0, G_OPTION_ARG_STRING, &a.part,
      N_ ("Samples of the training part (default) or the test part"), "train|test" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &a.seed,
      N_ ("Seed of the random directions and of which batches (default 1)"), "S" },
    { "checkpoints", 0, 0, G_OPTION_ARG_INT, &a.stations,
      N_ ("Most checkpoints of the path, evenly chosen (default 100)"), "N" },
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &a.sets,
      N_ ("Set a key of the recipe, such as data.source where the data were moved"),
      N_ ("section.key=VALUE") },
    { "again", 0, 0, G_OPTION_ARG_NONE, &a.again,
      N_ ("Compute even if the run already has this landscape"), NULL },
    { "threads", 0, 0, G_OPTION_ARG_INT, &a.threads,
      N_ ("Compute threads (default: those of the recipe)"), "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &a.json, N_ ("Print one JSON object at the end"), NULL },
    { "progress", 0, G_OPTION_FLAG_HIDDEN, G_OPTION_ARG_NONE, &a.progress, NULL, NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  int status = SONDE_EXIT_DONE;

  if (sonde_cli_parse (command, argc, argv, entries, 1, 1, &operands, &status))
    status = run_parsed (command, &a, operands[0]);
  g_strfreev (a.sets);
  g_free (a.directions);
  g_free (a.part);
  g_free (a.batches);
  return status;
}

const SondeCliCommand sonde_cli_command_landscape = {
  .name = "landscape",
  .synopsis = N_ ("RUN [--directions random|pca] [--grid N]"),
  .summary = N_ ("Compute the loss around the weights of a run, and record it into the run."),
  .details
  = N_ ("RUN is a run folder of “sonde train”. The loss of its model is measured on a grid in a "
        "plane through the last weights: model, data and loss are those of run.ini, the path is "
        "that of the checkpoints. The landscape is recorded into the run, where the window and "
        "“sonde export” find it; the same one is not computed twice. SIGINT and SIGTERM end the "
        "work, and nothing is recorded."),
  .run = run,
  .computes = TRUE,
};
