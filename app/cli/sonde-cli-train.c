/* SPDX-License-Identifier: Apache-2.0
 * `sonde train`: trains a recipe or a model here, records the run, and lets a debugger come and
 * go. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli-outline.h"
#include "app/cli/sonde-cli-table.h"
#include "app/cli/sonde-cli.h"
#include "app/worker/sonde-training-job.h"
#include "app/worker/sonde-worker-host.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-text.h"
#include "engine/session/sonde-model-keys.h"
#include "engine/session/activity/sonde-session-serve.h"

typedef struct
{
  char **sets;
  char *run, *device;
  gboolean resume, json, list, dry_run;
  char *lost, *profile;
  gboolean hardware, kernels;
} TrainOptions;

typedef struct
{
  SondeSessionServer *server;
  SondeProgressLine line;
  char *banner;       /* the last one that was shown */
  guint64 first_step; /* of this session */
} Progress;

/* "FIRST:COUNT": COUNT ≥ 1 steps from number FIRST on; "slower:K": those that take K > 0 times the median.
 * FALSE: it is neither */
static gboolean
parse_profile (const char *text, SondeSpanLogOptions *options)
{
  static const char slower[] = "slower:";
  g_auto (GStrv) parts = g_strsplit (text, ":", 2);
  char *end = NULL;

  *options = (SondeSpanLogOptions){ 0 };
  if (!g_str_has_prefix (text, slower))
    return g_strv_length (parts) == 2
           && g_ascii_string_to_unsigned (parts[0], 10, 0, G_MAXINT64, &options->first, NULL)
           && g_ascii_string_to_unsigned (parts[1], 10, 1, G_MAXINT64, &options->n_steps, NULL);
  options->slower = g_ascii_strtod (parts[1], &end);
  return g_ascii_isdigit (*parts[1]) && *end == '\0' && isfinite (options->slower)
         && options->slower > 0;
}

/* The only things a signal handler may touch. */
static _Atomic (SondeSessionServer *) signalled_server;
static _Atomic int signal_number;

static void
on_signal (int number)
{
  SondeSessionServer *server = signalled_server;

  if (signal_number == 0) /* the first one says what the exit status is */
    signal_number = number;
  if (server != NULL)
    sonde_session_server_quit (server);
}

static void
catch_signals (SondeSessionServer *server)
{
  struct sigaction action = { .sa_handler = on_signal };

  sigemptyset (&action.sa_mask);
  sigaddset (&action.sa_mask, SIGINT); /* one after the other */
  sigaddset (&action.sa_mask, SIGTERM);
  signalled_server = server;
  sigaction (SIGINT, &action, NULL);
  sigaction (SIGTERM, &action, NULL);
}

/* A failing record file is said once, and once more when it works again. */
static void
show_banner (SondeTrainingJob *job, Progress *progress)
{
  g_autoptr (SondeMessage) message = sonde_training_job_dup_banner (job);
  g_autofree char *banner = message != NULL ? sonde_message_dup_english (message) : NULL;

  if (g_strcmp0 (banner, progress->banner) == 0)
    return;
  sonde_cli_progress_end (&progress->line);
  if (message != NULL)
    {
      g_autofree char *text = sonde_message_dup_text (message);

      g_printerr (_ ("sonde train: warning: %s (training continues)\n"), text);
    }
  else
    {
      g_printerr (_ ("sonde train: recording works again; lost records are counted in the run.\n"));
      message = sonde_message_new ("Recording works again.");
    }
  sonde_session_server_log (progress->server, message);
  g_free (progress->banner);
  progress->banner = g_steal_pointer (&banner);
}

/* "3 min 20 s", from the steps of this session. (transfer full) */
static char *
format_time_left (const SondeTrainerState *state, guint64 first_step)
{
  guint64 done = state->step - MIN (state->step, first_step);
  double seconds = (double) state->training_ns / 1e9 / (double) MAX (done, 1)
                   * (double) (state->total_steps - MIN (state->step, state->total_steps));

  if (seconds < 60)
    return g_strdup_printf ("%.0f s", seconds);
  if (seconds < 3600)
    return g_strdup_printf (_ ("%d min %d s"), (int) seconds / 60, (int) seconds % 60);
  return g_strdup_printf (_ ("%.0f h %d min"), floor (seconds / 3600),
                          (int) fmod (seconds / 60, 60));
}

static void
on_progress (SondeTrainingJob *job, gpointer data)
{
  Progress *progress = data;
  const SondeTrainerState *state = sonde_trainer_get_state (sonde_training_job_get_trainer (job));
  double speed = sonde_training_job_get_speed (job);
  g_autofree char *left = format_time_left (state, progress->first_step);

  sonde_session_server_report_progress (progress->server);
  show_banner (job, progress);
  sonde_cli_progress (&progress->line,
                      _ ("step %" PRIu64 " of %" PRIu64
                         "  epoch %u  loss %.4f  accuracy %.1f %%  %.0f samples/s  %s left"),
                      state->step, state->total_steps, state->epoch + 1, state->loss,
                      100 * state->accuracy, isnan (speed) ? 0 : speed, left);
}

/* Calls @add for each metric of the last evaluation. */
static void
each_metric (SondeTrainingJob *job, void (*add) (const char *name, double value, gpointer data),
             gpointer data)
{
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);

  if (!isnan (state->test_accuracy))
    add ("accuracy", state->test_accuracy, data);
  if (!isnan (state->test_loss))
    add ("loss", state->test_loss, data);
  for (guint i = 0; i < state->n_metrics; i++)
    if (!isnan (state->metrics[i])
        && !g_str_equal (sonde_trainer_get_metric_name (trainer, i), "accuracy"))
      add (sonde_trainer_get_metric_name (trainer, i), state->metrics[i], data);
}

static void
add_json_metric (const char *name, double value, gpointer builder)
{
  json_builder_set_member_name (builder, name);
  sonde_json_add_double (builder, value);
}

static void
print_metric (const char *name, double value, gpointer data)
{
  if (g_str_equal (name, "accuracy"))
    g_print (_ ("test accuracy: %.2f %%\n"), 100 * value);
  else if (g_str_equal (name, "loss"))
    g_print (_ ("test loss: %.4g\n"), value);
  else
    g_print (_ ("test metric %s: %.4g\n"), name, value);
}

static void
print_json (SondeTrainingJob *job)
{
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);
  double seconds = (double) state->training_ns / 1e9, speed = sonde_training_job_get_speed (job);
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "run");
  json_builder_add_string_value (builder, sonde_training_job_get_run (job));
  json_builder_set_member_name (builder, "steps");
  json_builder_add_int_value (builder, (gint64) state->step);
  json_builder_set_member_name (builder, "epochs");
  json_builder_add_double_value (builder, (double) state->step / MAX (state->steps_per_epoch, 1));
  json_builder_set_member_name (builder, "loss");
  sonde_json_add_double (builder, state->loss);
  json_builder_set_member_name (builder, "metrics");
  json_builder_begin_object (builder);
  each_metric (job, add_json_metric, builder);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "seconds");
  json_builder_add_double_value (builder, seconds);
  json_builder_set_member_name (builder, "samples_per_second");
  json_builder_add_double_value (builder, isnan (speed) ? 0 : speed);
  json_builder_set_member_name (builder, "planned_bytes");
  json_builder_add_int_value (builder, (gint64) sonde_trainer_get_planned_bytes (trainer));
  json_builder_set_member_name (builder, "peak_bytes");
  json_builder_add_int_value (builder, (gint64) sonde_trainer_get_peak_bytes (trainer));
  json_builder_end_object (builder);
  sonde_cli_print_json (json_builder_get_root (builder), TRUE);
}

static void
print_text (SondeTrainingJob *job)
{
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);
  double seconds = (double) state->training_ns / 1e9, speed = sonde_training_job_get_speed (job);
  g_autofree char *peak
      = g_format_size_full (sonde_trainer_get_peak_bytes (trainer), G_FORMAT_SIZE_IEC_UNITS);

  g_print (_ ("%" PRIu64 " steps in %.1f s (%.0f samples/s), loss %.4f\n"), state->step, seconds,
           isnan (speed) ? 0 : speed, state->loss);
  each_metric (job, print_metric, NULL);
  if (state->stopped_early)
    g_print (_ ("Stopped early: the metric of train.early-stop no longer improves.\n"));
  if (state->n_not_finite > 0)
    g_print (_ ("steps with non-finite values: %" PRIu64 ", rollbacks: %" PRIu64 "\n"),
             state->n_not_finite, state->n_rolled_back);
  if (sonde_training_job_get_lost_checkpoints (job) > 0)
    g_print (_ ("checkpoints that could not be written: %" PRIu64 "\n"),
             sonde_training_job_get_lost_checkpoints (job));
  g_print (_ ("peak tensor memory: %s\n"), peak);
  g_print (_ ("run: %s\n"), sonde_training_job_get_run (job));
}

/* With --json, stdout holds only the result; the plan then goes to a terminal only, as progress does. */
static void
show_plan (SondeTrainingJob *job, const TrainOptions *options)
{
  g_autofree char *bytes
      = g_format_size_full (sonde_trainer_get_planned_bytes (sonde_training_job_get_trainer (job)),
                            G_FORMAT_SIZE_IEC_UNITS);

  if (!options->json)
    g_print (_ ("planned peak memory: %s\n"), bytes);
  else if (isatty (STDERR_FILENO))
    g_printerr (_ ("planned peak memory: %s\n"), bytes);
}

/* From number @first on. Returns how many there are. */
static guint
show_warnings (SondeTrainingJob *job, guint first)
{
  const GPtrArray *warnings = sonde_training_job_get_warnings (job);

  for (guint i = first; i < warnings->len; i++)
    {
      g_autofree char *text = sonde_message_dup_text (g_ptr_array_index (warnings, i));
      g_autofree char *warning = sonde_cli_make_printable_lines (text);

      g_printerr (_ ("sonde train: warning: %s\n"), warning);
    }
  return warnings->len;
}

/* What cannot be counted is said, and everything else is recorded. */
static void
use_hardware (SondeTrainingJob *job)
{
  g_autoptr (GError) error = NULL;

  if (!sonde_span_counters_use_hardware (sonde_training_job_get_counters (job), &error))
    {
      g_autoptr (SondeMessage) message = sonde_error_dup_message (error);
      g_autofree char *text = sonde_message_dup_text (message);

      g_printerr (_ ("sonde train: warning: %s\n"), text);
    }
}

/* Runs the session to its end. Returns the exit status. */
static int
serve (const SondeCliCommand *command, SondeTrainingJob *job, const TrainOptions *options,
       GError **error)
{
  g_autofree char *program = sonde_cli_dup_program ();
  g_autoptr (SondeWorkerHost) host = sonde_worker_host_new (program);
  SondeSessionServerOptions server_options
      = { .client_lost = SONDE_CLIENT_LOST_CONTINUE, .listen = TRUE };
  g_autoptr (SondeSessionServer) server = NULL;
  g_autoptr (GError) finish_error = NULL;
  Progress progress = { 0 };
  SondeSessionResult result;
  guint n_shown;

  if (g_strcmp0 (options->lost, "wait") == 0)
    server_options.client_lost = SONDE_CLIENT_LOST_WAIT;
  server_options.host = sonde_worker_host_get_session_host (host);
  server_options.title = sonde_training_job_get_run (job);
  server = sonde_session_server_new (&server_options, error);
  if (server == NULL)
    return sonde_cli_fail (command, *error);
  n_shown = show_warnings (job, 0);
  show_plan (job, options);
  progress.first_step = sonde_trainer_get_state (sonde_training_job_get_trainer (job))->step;
  progress.server = server;
  sonde_training_job_set_progress (job, on_progress, &progress);
  catch_signals (server);
  result = sonde_session_server_serve (server, sonde_training_job_dup_activity (job), TRUE, error);
  signalled_server = NULL;
  sonde_cli_progress_end (&progress.line);
  g_free (progress.banner);
  if (!sonde_training_job_finish (job, &finish_error) && *error == NULL)
    g_propagate_error (error, g_steal_pointer (&finish_error));
  show_warnings (job, n_shown);
  if (*error != NULL)
    sonde_cli_fail (command, *error);
  if (*error != NULL && sonde_trainer_get_state (sonde_training_job_get_trainer (job))->step == 0)
    return SONDE_EXIT_FAILED; /* there is nothing to report */
  if (options->json)
    print_json (job);
  else
    print_text (job);
  if (signal_number != 0)
    return 128 + signal_number;
  return *error != NULL || result == SONDE_SESSION_FAILED ? SONDE_EXIT_FAILED : SONDE_EXIT_DONE;
}

static int
outline (const SondeCliCommand *command, const TrainOptions *options,
         const SondeTrainingJobOptions *job_options)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrainingOutline) outline = sonde_training_outline_new (job_options, &error);

  if (outline == NULL)
    return sonde_cli_fail (command, error);
  sonde_cli_print_outline (job_options->recipe, outline, options->json);
  return SONDE_EXIT_DONE;
}

static int
train (const SondeCliCommand *command, const TrainOptions *options, const char *subject)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe
      = sonde_worker_load_recipe (subject, (const char *const *) options->sets, &error);
  g_autofree char *run = NULL, *program = sonde_cli_dup_program ();
  g_autoptr (SondeTrainingJob) job = NULL;
  SondeTrainingJobOptions job_options = { 0 };

  if (recipe == NULL)
    return sonde_cli_fail (command, error);
  run = options->run != NULL ? g_strdup (options->run) : sonde_training_job_suggest_run (recipe);
  job_options.recipe = recipe;
  job_options.run = run;
  job_options.resume = options->resume;
  job_options.memory = SONDE_MEMORY_PLAN;
  job_options.device = options->device;
  job_options.program = program;
  if (options->dry_run)
    return outline (command, options, &job_options);
  job = sonde_training_job_open (&job_options, &error);
  if (job != NULL && options->profile != NULL)
    {
      SondeSpanLogOptions record;

      parse_profile (options->profile, &record); /* checked before */
      record.kernels = options->kernels;
      if (options->hardware)
        use_hardware (job);
      sonde_span_log_start (sonde_training_job_get_spans (job), &record);
    }
  return job != NULL ? serve (command, job, options, &error) : sonde_cli_fail (command, error);
}

/* @subject: (nullable) */
static int
run_parsed (const SondeCliCommand *command, const TrainOptions *options, const char *subject)
{
  SondeSpanLogOptions record;

  if (options->list)
    return subject == NULL ? sonde_cli_list_models (command, options->json)
                           : sonde_cli_misuse (
                               command, "--list takes no operands, but “%s” was given.", subject);
  if (subject == NULL)
    return sonde_cli_misuse (command, "Missing argument.");
  if (options->lost != NULL && !g_str_equal (options->lost, "continue")
      && !g_str_equal (options->lost, "wait"))
    return sonde_cli_misuse (command, "--debugger-lost must be continue or wait, not “%s”.",
                             options->lost);
  if (options->profile != NULL && !parse_profile (options->profile, &record))
    return sonde_cli_misuse (command,
                             "--profile needs FIRST:COUNT, such as 5:20, or slower:K, such as "
                             "slower:2; “%s” is not that.",
                             options->profile);
  if (options->hardware && options->profile == NULL)
    return sonde_cli_misuse (command, "--hardware requires --profile.");
  if (options->kernels && options->profile == NULL)
    return sonde_cli_misuse (command, "--kernels requires --profile.");
  if (options->dry_run && options->resume)
    return sonde_cli_misuse (command, "--dry-run checks a new training; leave out --resume.");
  if (options->resume && options->run == NULL)
    return sonde_cli_misuse (command, "--resume requires --run with the run to resume.");
  return train (command, options, subject);
}

static int
run_train (const SondeCliCommand *command, int argc, char **argv)
{
  TrainOptions options = { 0 };
  SondeModelChoice choice = { NULL };
  const GOptionEntry entries[] = {
    { "set", 0, 0, G_OPTION_ARG_STRING_ARRAY, &options.sets, N_ ("Set a key of the recipe"),
      N_ ("section.key=VALUE") },
    SONDE_CLI_MODEL_OPTIONS (choice),
    { "run", 0, 0, G_OPTION_ARG_FILENAME, &options.run, N_ ("Run folder (default: runs/NAME-DATE)"),
      "DIR" },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device,
      N_ ("Compute device: cpu (default) or reference"), N_ ("DEVICE") },
    { "resume", 0, 0, G_OPTION_ARG_NONE, &options.resume,
      N_ ("Continue the run from its newest checkpoint"), NULL },
    { "debugger-lost", 0, 0, G_OPTION_ARG_STRING, &options.lost,
      N_ ("What to do when an attached debugger dies while the run is paused"), "continue|wait" },
    { "profile", 0, 0, G_OPTION_ARG_STRING, &options.profile,
      N_ ("Record what COUNT steps from number FIRST (from 0) do and when, or all steps that take "
          "more than K × the median"),
      "FIRST:COUNT|slower:K" },
    { "hardware", 0, 0, G_OPTION_ARG_NONE, &options.hardware,
      N_ ("With --profile, count instructions, cycles and cache misses of each step, too"), NULL },
    { "kernels", 0, 0, G_OPTION_ARG_NONE, &options.kernels,
      N_ ("With --profile, record kernels, with their parts on threads, and allocations, too"),
      NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, N_ ("Print one JSON object at the end"),
      NULL },
    { "dry-run", 0, 0, G_OPTION_ARG_NONE, &options.dry_run,
      N_ ("Check recipe, data and model, print what the training would be, and exit"), NULL },
    { "list", 0, 0, G_OPTION_ARG_NONE, &options.list, N_ ("List the built-in models and exit"),
      NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  int status = SONDE_EXIT_DONE;

  if (sonde_cli_parse (command, argc, argv, entries, 0, 1, &operands, &status))
    {
      options.sets
          = sonde_model_keys_add (options.sets, choice.signature, choice.weights, choice.shapes);
      status = run_parsed (command, &options, operands[0]);
    }
  sonde_model_choice_clear (&choice);
  g_strfreev (options.sets);
  g_free (options.run);
  g_free (options.device);
  g_free (options.lost);
  g_free (options.profile);
  return status;
}

const SondeCliCommand sonde_cli_command_train = {
  .name = "train",
  .synopsis = "RECIPE|MODEL",
  .summary
  = N_ ("Train a recipe, a built-in model (see --list) or an ONNX model, and record the run."),
  .details = N_ ("The run folder receives the recipe as it was run, the records and the "
                 "checkpoints. While the training runs, “sonde debug --attach” can attach to it. "
                 "SIGINT and SIGTERM finish the current step, even if a debugger has paused it, "
                 "and write the final checkpoint; further signals change nothing. SIGKILL ends the "
                 "training at once; --resume then continues from the newest checkpoint."),
  .run = run_train,
  .computes = TRUE,
};
