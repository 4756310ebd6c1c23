/* SPDX-License-Identifier: Apache-2.0
 * `sonde profile`: what takes time, and why. Operands: sonde-profile-operand.c; the text form:
 * sonde-profile-print.c. */
#include <string.h>

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/profile/sonde-profile-operand.h"
#include "app/cli/profile/sonde-profile-print.h"
#include "app/cli/sonde-cli.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "data/profiles/report/sonde-profile-report.h"
#include "data/profiles/sonde-profile-details.h"
#include "data/profiles/sonde-profile-json.h"
#include "data/traces/writers/sonde-trace-writer.h"

#define NOT_GIVEN G_MININT

/* @compare: (nullable); @traces: (nullable) (array zero-terminated=1): files to write */
typedef struct
{
  SondeProfileOptions profile;
  char *compare;
  char **traces;
  gboolean json;
} Arguments;

/* "5:20": FIRST and COUNT, which is at least 1. */
static gboolean
parse_steps (const char *text, SondeStepRange *range)
{
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);
  guint64 first, n;

  if (g_strv_length (parts) != 2
      || !g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXUINT / 2, &first, NULL)
      || !g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXUINT / 2, &n, NULL))
    return FALSE;
  *range = (SondeStepRange){ (guint) first, (guint) n };
  return TRUE;
}

/* ---- files --------------------------------------------------------------- */

static gboolean
is_report (const char *path)
{
  return g_str_has_suffix (path, SONDE_PROFILE_REPORT_ENDING);
}

/* @comparison: (nullable) */
static gboolean
write_files (const Arguments *arguments, SondeProfile *profile,
             const SondeProfileComparison *comparison, const char *operand, GError **error)
{
  g_autofree char *title = g_path_get_basename (operand);

  if (arguments->traces != NULL)
    sonde_profile_add_details (profile);
  for (guint i = 0; arguments->traces != NULL && arguments->traces[i] != NULL; i++)
    {
      const char *path = arguments->traces[i];

      if (is_report (path) ? !sonde_profile_report_write (profile, comparison, title, path, error)
                           : !sonde_trace_writer_for_path (path) (profile->trace, path, error))
        return FALSE;
    }
  return TRUE;
}

/* ---- the command --------------------------------------------------------- */

static gboolean
compare (const Arguments *arguments, const char *path, const SondeProfile *base,
         SondeProfile **other, SondeProfileComparison **comparison, GError **error)
{
  SondeProfileOptions options = arguments->profile;
  SondeWhatIfRun *none = NULL;
  g_autoptr (SondeProfile) profile = NULL;

  options.without = NULL; /* a question about the first */
  if (sonde_profile_operand_runs (path))
    options.run = NULL; /* one run does not hold both */
  profile = sonde_profile_operand_analyse (arguments->compare, &options, &none, error);
  if (profile == NULL)
    return FALSE;
  if (sonde_profile_is_sampled (base) || sonde_profile_is_sampled (profile))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "“%s” holds sampled stacks, which have no times to compare.",
                       sonde_profile_is_sampled (base) ? path : arguments->compare);
      return FALSE;
    }
  *comparison = sonde_profile_comparison_new (base, profile);
  *other = g_steal_pointer (&profile);
  return TRUE;
}

/* The first option that only says how something is run; NULL: none is given. */
static const char *
find_option_of_runs (const SondeProfileOptions *options)
{
  const struct
  {
    gboolean is_given;
    const char *name;
  } all[] = { { options->n_runs > 0, "--runs" },       { options->threads > 0, "--threads" },
              { options->device != NULL, "--device" }, { options->inputs != NULL, "--input" },
              { options->sets != NULL, "--set" },      { options->run != NULL, "--run" },
              { options->hardware, "--hardware" },     { options->kernels, "--kernels" } };
  const char *option = sonde_cli_find_model_option (&options->choice);

  if (option != NULL)
    return option;
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    if (all[i].is_given)
      return all[i].name;
  return NULL;
}

/* FALSE with @error: an option would be without effect. */
static gboolean
check_options (const Arguments *arguments, const char *path, GError **error)
{
  const char *option = find_option_of_runs (&arguments->profile);

  if (option == NULL || sonde_profile_operand_runs (path)
      || (arguments->compare != NULL && sonde_profile_operand_runs (arguments->compare)))
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "%s is for a model or a recipe that is run now, but “%s” was recorded before.",
                   option, path);
  return FALSE;
}

static gboolean
profile_operand (const Arguments *arguments, const char *path, GError **error)
{
  g_autoptr (SondeWhatIfRun) what_if = NULL;
  g_autoptr (SondeProfile) profile
      = sonde_profile_operand_analyse (path, &arguments->profile, &what_if, error);
  g_autoptr (SondeProfile) other = NULL;
  g_autoptr (SondeProfileComparison) comparison = NULL;

  if (profile == NULL)
    return FALSE;
  if (arguments->compare != NULL && !compare (arguments, path, profile, &other, &comparison, error))
    return FALSE;
  if (!write_files (arguments, profile, comparison, path, error))
    return FALSE;
  if (arguments->json)
    {
      sonde_cli_print_json (
          sonde_profile_to_json (profile, comparison, what_if != NULL ? &what_if->result : NULL),
          TRUE);
      return TRUE;
    }
  sonde_profile_print (path, profile);
  if (comparison != NULL)
    sonde_profile_print_comparison (arguments->compare, comparison);
  if (what_if != NULL)
    sonde_profile_print_what_if (&what_if->result);
  return TRUE;
}

static int
check_and_run (const SondeCliCommand *command, const Arguments *arguments, const char *path)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; arguments->traces != NULL && arguments->traces[i] != NULL; i++)
    if (!is_report (arguments->traces[i])
        && sonde_trace_writer_for_path (arguments->traces[i]) == NULL)
      return sonde_cli_misuse (command, "“%s” has none of the endings that can be written: %s, %s.",
                               arguments->traces[i], sonde_trace_writer_get_endings (),
                               SONDE_PROFILE_REPORT_ENDING);
  return check_options (arguments, path, &error) && profile_operand (arguments, path, &error)
             ? SONDE_EXIT_DONE
             : sonde_cli_fail (command, error);
}

static int
run_profile (const SondeCliCommand *command, int argc, char **argv)
{
  Arguments arguments = { 0 };
  SondeProfileOptions *options = &arguments.profile;
  g_autofree char *steps = NULL;
  int runs = NOT_GIVEN;
  const GOptionEntry entries[] = {
    { "steps", 0, 0, G_OPTION_ARG_STRING, &steps,
      N_ ("Analyse COUNT steps from FIRST, from 0 (of a recipe: 5:20)"), N_ ("FIRST:COUNT") },
    { "runs", 0, 0, G_OPTION_ARG_INT, &runs,
      N_ ("Timed runs of a model after one untimed run (20)"), "N" },
    { "input", 'i', 0, G_OPTION_ARG_FILENAME_ARRAY, &options->inputs,
      N_ ("Value of an input (default: zeros)"), N_ ("[NAME=]FILE.npy") },
    SONDE_CLI_MODEL_OPTIONS (options->choice),
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options->sets, N_ ("Set a key of the recipe"),
      N_ ("section.key=VALUE") },
    { "run", 0, 0, G_OPTION_ARG_FILENAME, &options->run,
      N_ ("Keep what a recipe trains, or the profile of a model, in this run folder"), N_ ("DIR") },
    { "hardware", 0, 0, G_OPTION_ARG_NONE, &options->hardware,
      N_ ("Count instructions, cycles and cache misses of each run or step, too"), NULL },
    { "kernels", 0, 0, G_OPTION_ARG_NONE, &options->kernels,
      N_ ("Record kernels, with their parts on threads, and allocations, too"), NULL },
    { "progress", 0, 0, G_OPTION_ARG_NONE, &options->progress,
      N_ ("Tell on standard error how many runs of a model are done, as lines of JSON"), NULL },
    { "without", 0, 0, G_OPTION_ARG_STRING, &options->without,
      N_ ("Measure what a run or step would take without this node of a model or recipe"),
      N_ ("NODE") },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &options->device,
      N_ ("Compute device: cpu (default) or reference"), N_ ("DEVICE") },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options->threads, N_ ("Number of threads (default: all)"),
      "N" },
    { "compare", 0, 0, G_OPTION_ARG_FILENAME, &arguments.compare,
      N_ ("Compare with another one: what differs beyond noise"), N_ ("OTHER") },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &arguments.traces,
      N_ ("Write FILE for other programs, or a report; its ending decides. May be repeated"),
      N_ ("FILE") },
    { "json", 0, 0, G_OPTION_ARG_NONE, &arguments.json, N_ ("Print one JSON object"), NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  int status;

  if (sonde_cli_parse (command, argc, argv, entries, 1, 1, &operands, &status))
    {
      options->n_runs = (guint) MAX (runs, 0);
      if (steps != NULL && !parse_steps (steps, &options->steps))
        status = sonde_cli_misuse (
            command, "--steps needs FIRST:COUNT, such as 5:20; “%s” is not that.", steps);
      else if (runs < 1 && runs != NOT_GIVEN)
        status = sonde_cli_misuse (command, "--runs must be at least 1.");
      else if (options->threads < 0)
        status = sonde_cli_misuse (command, "--threads must not be negative.");
      else
        status = check_and_run (command, &arguments, operands[0]);
    }
  g_free (arguments.compare);
  g_strfreev (arguments.traces);
  sonde_model_choice_clear (&options->choice);
  g_strfreev (options->inputs);
  g_strfreev (options->sets);
  g_free (options->run);
  g_free (options->without);
  g_free (options->device);
  return status;
}

const SondeCliCommand sonde_cli_command_profile = {
  .name = "profile",
  .synopsis = "MODEL|RECIPE|RUN|TRACE",
  .summary = N_ ("Show what takes time, what bounds it and what to change."),
  .details = N_ (
      "MODEL is run once untimed and then --runs times; RECIPE, or a built-in model, is trained up "
      "to the last of --steps. TRACE is a file of PyTorch, ONNX Runtime, MindSpore, TensorFlow, "
      "Perfetto, perf and others, recognised by its contents, or the folder of MindSpore's "
      "profiler. --without gives the results of a node from memory, in turn with runs as they are. "
      "--compare finds the operators that became faster or slower, with a test that "
      "knows "
      "noise. --trace writes .json or .json.gz (Chrome), .pftrace (Perfetto), .collapsed (flame "
      "graphs), .csv, .pprof and .html (a report to keep and to send)."),
  .run = run_profile,
  .computes = TRUE,
};
