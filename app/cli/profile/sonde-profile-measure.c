/* SPDX-License-Identifier: Apache-2.0 */
#include "app/cli/profile/sonde-profile-measure.h"

#include <glib/gstdio.h>

#include "app/cli/models/sonde-cli-model-options.h"
#include "app/cli/sonde-cli.h"
#include "app/worker/sonde-inference-profile.h"
#include "app/worker/sonde-inference.h"
#include "app/worker/sonde-training-job.h"
#include "app/worker/sonde-worker-host.h"
#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-span-counters.h"
#include "data/models/sonde-model-file.h"
#include "engine/devices/sonde-device-counter.h"
#include "engine/session/sonde-model-keys.h"
#include "engine/plan/sonde-execution-spans.h"
#include "engine/profile/sonde-memory-timeline.h"
#include "engine/profile/sonde-recording.h"

#define HEAD_BYTES 4096
#define TELL_NS G_GINT64_CONSTANT (50000000)

/* What @log recorded, without memory. */
static SondeProfileFacts *
make_facts (SondeSpanLog *log, const char *kind, guint n_threads)
{
  SondeProfileFacts *facts = sonde_recording_make_facts (log, kind);

  facts->n_threads = n_threads;
  sonde_recording_add_ceilings (facts);
  return facts;
}

/* What cannot be counted is said, and everything else is recorded. */
static void
use_hardware (SondeSpanCounters *counters, const SondeProfileOptions *options)
{
  g_autoptr (GError) error = NULL;

  if (options->hardware && !sonde_span_counters_use_hardware (counters, &error))
    {
      g_autoptr (SondeMessage) message = sonde_error_dup_message (error);
      g_autofree char *text = sonde_message_dup_text (message);

      g_printerr (_ ("sonde profile: warning: %s\n"), text);
    }
}

/* Measures what @options ask for beside the profile, after it. */
static gboolean
run_without (SondeExecution *execution, const SondeProfileOptions *options,
             SondeProfileInput *input, GError **error)
{
  if (options->without == NULL)
    return TRUE;
  input->what_if = sonde_what_if_run_new (execution, options->without,
                                          MAX (options->n_runs, SONDE_WHAT_IF_RUNS), error);
  return input->what_if != NULL;
}

static void
clear_input (SondeProfileInput *input)
{
  g_clear_pointer (&input->trace, sonde_trace_free);
  g_clear_pointer (&input->facts, sonde_profile_facts_free);
  g_clear_pointer (&input->what_if, sonde_what_if_run_free);
}

/* ---- models -------------------------------------------------------------- */

gboolean
sonde_profile_accepts_model (const char *path)
{
  return g_file_test (path, G_FILE_TEST_EXISTS) && sonde_model_sniff (NULL, path, NULL) != NULL;
}

static gboolean
check_model_options (const SondeProfileOptions *options, GError **error)
{
  if (options->steps.n > 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "A model has no steps: use --runs to say how often it runs.");
  else if (options->sets != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "--set changes a recipe, but a model was given. To profile its training, make "
                     "a recipe whose model.name is the model.");
  else
    return TRUE;
  return FALSE;
}

/* A line of JSON on standard error for a program that waits, not more often than it can show. @told_ns: when it was done
 * last */
static void
tell (const SondeProfileOptions *options, guint done, guint n, gint64 *told_ns)
{
  gint64 now = sonde_clock_monotonic_ns (NULL);

  if (!options->progress || (done < n && now - *told_ns < TELL_NS))
    return;
  *told_ns = now;
  g_printerr ("{\"runs\":%u,\"of\":%u}\n", done, n);
}

/* @run_ns: (nullable): NULL: the one that warms up, of which nothing is told */
static gboolean
run_model (SondeExecution *execution, const SondeProfileOptions *options, guint n, GArray *run_ns,
           GError **error)
{
  gint64 told_ns = 0;

  for (guint i = 0; i < n; i++)
    {
      gint64 start = sonde_clock_monotonic_ns (NULL);
      double ns;

      if (sonde_execution_run (execution, error) != SONDE_RUN_DONE)
        return FALSE;
      ns = (double) (sonde_clock_monotonic_ns (NULL) - start);
      if (run_ns != NULL)
        g_array_append_val (run_ns, ns);
      if (run_ns != NULL)
        tell (options, i + 1, n, &told_ns);
    }
  return TRUE;
}

gboolean
sonde_profile_measure_model (const char *path, const SondeProfileOptions *options,
                             SondeProfileInput *input, GError **error)
{
  const SondeInferenceOptions open = { .choice = &options->choice,
                                       .inputs = (const char *const *) options->inputs,
                                       .device = options->device,
                                       .threads = options->threads };
  const SondeSpanLogOptions record = { .kernels = options->kernels };
  guint n = options->n_runs > 0 ? options->n_runs : SONDE_PROFILE_RUNS;
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (GArray) run_ns = g_array_new (FALSE, FALSE, sizeof (double));
  g_autoptr (SondeInference) inference = NULL;
  g_autoptr (SondeSpanCounters) counters = sonde_span_counters_new (log);
  SondeProfileFacts *facts;

  if (!check_model_options (options, error))
    return FALSE;
  inference = sonde_inference_open (path, &open, error);
  if (inference == NULL)
    return FALSE;
  sonde_cli_tell_weights (inference->weights);
  if (!run_model (inference->execution, options, 1, NULL, error))
    return FALSE;
  sonde_execution_set_spans (inference->execution, log, TRUE);
  sonde_device_count (counters, inference->device);
  use_hardware (counters, options);
  sonde_execution_prepare_spans (inference->execution); /* before anything is measured */
  sonde_span_log_start (log, &record);
  sonde_span_log_sample_now (
      log); /* reading the counters takes longer than a run of a small model */
  if (!run_model (inference->execution, options, n, run_ns, error))
    return FALSE;
  sonde_span_log_stop (log);
  facts = input->facts = make_facts (log, "model", inference->device->n_threads);
  g_array_unref (facts->run_ns); /* around the runs, not the spans of them */
  facts->run_ns = g_steal_pointer (&run_ns);
  sonde_memory_timeline_of_plan (facts, inference->plan, inference->execution);
  input->trace = sonde_recording_make_trace_with_memory (log, &facts->memory);
  sonde_execution_set_spans (inference->execution, NULL, FALSE);
  if ((options->run == NULL
       || sonde_inference_profile_write (options->run, input->trace, input->facts, error))
      && run_without (inference->execution, options, input, error))
    return TRUE;
  clear_input (input);
  return FALSE;
}

/* ---- recipes ------------------------------------------------------------- */

/* Whether the first line that says something is the name of a group. A trace may begin with “[”, too. */
static gboolean
begins_with_group (const char *path)
{
  int fd = sonde_io_open_regular (NULL, path, NULL, NULL);
  char head[HEAD_BYTES + 1];
  gssize n = fd >= 0 ? sonde_io_pread_full (NULL, fd, path, head, HEAD_BYTES, 0, NULL) : -1;

  if (fd >= 0)
    sonde_io_close (NULL, fd);
  head[MAX (n, 0)] = '\0';
  return g_utf8_validate (head, -1, NULL)
         && g_regex_match_simple ("^(\\s*(#.*)?\\n)*\\[[a-z-]+\\]\\s*\\n", head, 0, 0);
}

gboolean
sonde_profile_accepts_recipe (const char *path)
{
  /* what is not there may be a name, or a mistake that is named */
  return !g_file_test (path, G_FILE_TEST_EXISTS) || begins_with_group (path);
}

static gboolean
check_recipe_options (const SondeProfileOptions *options, GError **error)
{
  if (options->n_runs > 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "A training has steps: use --steps FIRST:COUNT instead of --runs.");
  else if (options->inputs != NULL)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "--input is for models; a training takes its inputs from data.source.");
  else
    return TRUE;
  return FALSE;
}

/* Up to behind the last step of @range, or the end of the training. */
static gboolean
train (SondeTrainingJob *job, const SondeStepRange *range, gboolean kernels, GError **error)
{
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  const SondeTrainerState *state = sonde_trainer_get_state (trainer);
  const SondeSpanLogOptions record
      = { .first = range->first, .n_steps = range->n, .kernels = kernels };
  SondeSpanLog *log = sonde_training_job_get_spans (job);
  guint64 end = MIN ((guint64) range->first + range->n, state->total_steps);
  SondeRunResult result = SONDE_RUN_DONE;
  SondeSpanLogStatus status;

  if (range->first >= state->total_steps)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "The training has %" PRIu64
                       " steps, the first of which is 0; --steps cannot "
                       "begin at %u.",
                       state->total_steps, range->first);
      return FALSE;
    }
  sonde_span_log_start (log, &record);
  while (result == SONDE_RUN_DONE && state->step < end && !state->stopped_early)
    result = sonde_trainer_run_step (trainer, error);
  sonde_span_log_stop (log);
  if (result == SONDE_RUN_FAILED)
    return FALSE;
  sonde_span_log_get_status (log, &status);
  if (status.steps == 0)
    sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                     "The training ended before step %u, the first that was to be profiled.",
                     range->first);
  return status.steps > 0;
}

static SondeTrainingJob *
open_job (const char *path, const SondeProfileOptions *options, const char *run, GError **error)
{
  const SondeModelChoice *choice = &options->choice;
  g_auto (GStrv) sets = sonde_model_keys_add (g_strdupv (options->sets), choice->signature,
                                              choice->weights, choice->shapes);
  g_autoptr (SondeRecipe) recipe
      = sonde_worker_load_recipe (path, (const char *const *) sets, error);
  g_autofree char *program = sonde_cli_dup_program ();
  SondeTrainingJobOptions open = { .recipe = recipe,
                                   .run = run,
                                   .memory = SONDE_MEMORY_PLAN,
                                   .device = options->device,
                                   .program = program };

  if (recipe != NULL && options->threads > 0)
    recipe->train_threads = (guint) options->threads;
  return recipe != NULL ? sonde_training_job_open (&open, error) : NULL;
}

static guint
get_n_threads (SondeTrainer *trainer)
{
  return sonde_plan_get_device (sonde_execution_get_plan (sonde_trainer_get_execution (trainer)))
      ->n_threads;
}

static gboolean
measure_into (const char *path, const SondeProfileOptions *options, const char *run,
              SondeProfileInput *input, GError **error)
{
  static const SondeStepRange usual = { SONDE_PROFILE_FIRST, SONDE_PROFILE_STEPS };
  g_autoptr (SondeTrainingJob) job = open_job (path, options, run, error);
  SondeProfileFacts *facts;
  SondeSpanLog *log;

  if (job != NULL)
    use_hardware (sonde_training_job_get_counters (job), options);
  if (job == NULL
      || !train (job, options->steps.n > 0 ? &options->steps : &usual, options->kernels, error))
    return FALSE;
  log = sonde_training_job_get_spans (job);
  facts = input->facts
      = make_facts (log, "recipe", get_n_threads (sonde_training_job_get_trainer (job)));
  sonde_memory_timeline_of_training (facts, sonde_training_job_get_trainer (job));
  input->trace = sonde_recording_make_trace_with_memory (log, &facts->memory);
  if (run_without (sonde_trainer_get_execution (sonde_training_job_get_trainer (job)), options,
                   input, error)
      && sonde_training_job_finish (job, error))
    return TRUE;
  clear_input (input);
  return FALSE;
}

/* A folder of ours, made by a training: no links are followed. */
static void
remove_folder (const char *path)
{
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *inside = g_build_filename (path, name, NULL);

      if (g_file_test (inside, G_FILE_TEST_IS_DIR) && !g_file_test (inside, G_FILE_TEST_IS_SYMLINK))
        remove_folder (inside);
      else
        g_unlink (inside);
    }
  g_rmdir (path);
}

gboolean
sonde_profile_measure_recipe (const char *path, const SondeProfileOptions *options,
                              SondeProfileInput *input, GError **error)
{
  g_autofree char *folder = NULL, *run = NULL;
  gboolean good;

  if (!check_recipe_options (options, error))
    return FALSE;
  if (options->run != NULL)
    return measure_into (path, options, options->run, input, error);
  folder = g_dir_make_tmp ("sonde-profile-XXXXXX", error);
  if (folder == NULL)
    return FALSE;
  run = g_build_filename (folder, "run", NULL);
  good = measure_into (path, options, run, input, error);
  remove_folder (folder);
  return good;
}
