/* SPDX-License-Identifier: Apache-2.0
 * Trainings that are stopped anywhere in a step: the final checkpoint is written, of a step that was
 * done to its end, and a run that is resumed from it has the losses and the weights of one that was
 * never stopped. */
#include <string.h>

#include "app/worker/sonde-training-job.h"
#include "app/worker/sonde-worker-host.h"
#include "data/records/sonde-record-reader.h"
#include "engine/devices/sonde-device.h"
#include "engine/nn/sonde-trainer-history.h"
#include "tests/support/sonde-test-program.h"

#define MOST_STEPS 64
#define TRIES 24 /* of a case, spread over its run */
#define SMALL                                                                                      \
  "data.workers=0", "train.threads=1", "data.source=glyphs:size=16", "data.test=6",                \
      "train.learning-rate=0.01", "train.schedule=plateau:patience=1"

typedef struct
{
  const char *name;
  SondeMemoryMode memory;
  gboolean updates_in_place;
  const char *sets[14];
} Case;

static const Case cases[] = {
  { "planned",
    SONDE_MEMORY_PLAN,
    TRUE,
    { SMALL, "data.train=22", "data.batch=8", "train.epochs=2", "train.optimiser=adam" } },
  { "kept",
    SONDE_MEMORY_KEEP,
    FALSE,
    { SMALL, "data.train=22", "data.batch=8", "train.epochs=2", "train.momentum=0.9" } },
  { "accumulated",
    SONDE_MEMORY_PLAN,
    TRUE,
    { SMALL, "data.train=30", "data.batch=4", "train.epochs=2", "train.accumulate=3",
      "train.momentum=0.9" } },
  { "sunk",
    SONDE_MEMORY_PLAN,
    TRUE,
    { SMALL, "data.train=40", "data.batch=8", "train.epochs=2", "train.sink=4" } },
};

/* ---- a device whose kernels are counted ---------------------------------- */

static struct
{
  SondeDeviceClass klass;
  const SondeDeviceClass *real;
  SondeTrainer *trainer;
  guint n_runs, stop_at; /* 0: never */
} counted;

static gboolean
run_counted (SondeDevice *device, SondeKernel *kernel, const SondeRunArguments *arguments,
             GError **error)
{
  if (++counted.n_runs == counted.stop_at)
    sonde_trainer_interrupt (counted.trainer);
  return counted.real->run (device, kernel, arguments, error);
}

static void
count_kernels (SondeTrainingJob *job, guint stop_at)
{
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  SondePlan *plan = sonde_execution_get_plan (sonde_trainer_get_execution (trainer));
  SondeDevice *device = sonde_plan_get_device (plan);

  counted.real = device->klass;
  counted.klass = *device->klass;
  counted.klass.run = run_counted;
  counted.trainer = trainer;
  counted.n_runs = 0;
  counted.stop_at = stop_at;
  device->klass = &counted.klass;
}

/* ---- a run --------------------------------------------------------------- */

static SondeTrainingJob *
open_job (const Case *the_case, const char *run, gboolean resume)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe = sonde_worker_load_recipe ("mlp", the_case->sets, &error);
  SondeTrainingJobOptions options
      = { .recipe = recipe, .run = run, .resume = resume, .memory = the_case->memory };
  SondeTrainingJob *job = sonde_training_job_open (&options, &error);

  g_assert_no_error (error);
  return job;
}

/* To the end, or until it is interrupted. */
static SondeRunResult
run_job (SondeTrainingJob *job, SondeActivity *activity)
{
  g_autoptr (GError) error = NULL;
  SondeRunResult result = activity->klass->run (activity, &error);

  g_assert_no_error (error);
  return result;
}

/* The losses of all sessions of a run by step, each exactly once. Returns how many there are. */
static guint
read_losses (const char *run, double *losses)
{
  gboolean there[MOST_STEPS] = { FALSE };
  guint n = 0;

  for (guint session = 1; session < 4; session++)
    {
      g_autofree char *name = g_strdup_printf ("%06u.sonde", session),
                      *path = g_build_filename (run, "records", name, NULL);
      g_autoptr (SondeRecordReader) reader = sonde_record_reader_open (NULL, path, NULL);
      SondeRecord record = { 0 };

      while (reader != NULL
             && sonde_record_reader_next (reader, &record, NULL, NULL) == SONDE_FRAME_RECORD)
        {
          for (gsize i = 0; record.kind == SONDE_RECORD_SCALARS && i < record.u.scalars.n; i++)
            if (g_str_equal (record.u.scalars.items[i].tag, "loss"))
              {
                g_assert_cmpint (record.step, >=, 1);
                g_assert_cmpint (record.step, <, MOST_STEPS);
                g_assert_false (there[record.step]);
                there[record.step] = TRUE;
                losses[record.step] = record.u.scalars.items[i].value;
                n++;
              }
          sonde_record_clear (&record);
        }
    }
  return n;
}

static char *
checksum_of (const char *run, const char *name)
{
  g_autofree char *path = g_build_filename (run, "checkpoints", name, NULL), *bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize length;

  g_file_get_contents (path, &bytes, &length, &error);
  g_assert_no_error (error);
  return g_compute_checksum_for_data (G_CHECKSUM_SHA1, (const guchar *) bytes, length);
}

/* ---- the run that is not stopped ----------------------------------------- */

typedef struct
{
  guint n_kernels, n_steps;
  double losses[MOST_STEPS];
  char *weights, *state;
} Whole;

static void
whole_init (Whole *whole, const Case *the_case, const char *run)
{
  g_autoptr (SondeTrainingJob) job = open_job (the_case, run, FALSE);
  SondeActivity *activity = sonde_training_job_dup_activity (job);

  count_kernels (job, 0);
  g_assert_cmpint (run_job (job, activity), ==, SONDE_RUN_DONE);
  whole->n_kernels = counted.n_runs;
  whole->n_steps = read_losses (run, whole->losses);
  g_assert_cmpuint (whole->n_steps, ==,
                    sonde_trainer_get_state (sonde_training_job_get_trainer (job))->step);
  whole->weights = checksum_of (run, "final.npz");
  whole->state = checksum_of (run, "final.state.npz");
  activity->klass->free (activity);
}

static void
whole_clear (Whole *whole)
{
  g_free (whole->weights);
  g_free (whole->state);
}

/* ---- one that is --------------------------------------------------------- */

/* @n_in_place: stopped after updates in place; @n_given_up: whose step was given up */
typedef struct
{
  guint n_stopped, n_in_place, n_given_up;
} Counts;

static void
assert_ended (SondeTrainingJob *job, guint64 before, gboolean begun, gboolean completes,
              Counts *counts)
{
  guint64 after = sonde_trainer_get_state (sonde_training_job_get_trainer (job))->step;

  g_assert_cmpuint (after, >=, before);
  g_assert_cmpuint (after, <=, before + 1);
  if (completes)
    g_assert_cmpuint (after, ==, before + (begun ? 1 : 0));
  counts->n_given_up += begun && after == before;
}

/* Stops it where kernel @at is done. */
static void
stop_job (const Case *the_case, const char *run, guint at, gboolean completes, Counts *counts)
{
  g_autoptr (SondeTrainingJob) job = open_job (the_case, run, FALSE);
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  SondeActivity *activity = sonde_training_job_dup_activity (job);
  g_autoptr (GError) error = NULL;

  count_kernels (job, at);
  if (run_job (job, activity) == SONDE_RUN_PAUSED)
    {
      SondeExecution *execution = sonde_trainer_get_execution (trainer);
      guint64 step = sonde_trainer_get_state (trainer)->step;
      gboolean begun = sonde_execution_get_position (execution) > 0
                       || sonde_trainer_get_batch (trainer)
                              > sonde_trainer_first_batch_of_step (trainer, step + 1);

      counts->n_stopped++;
      counts->n_in_place += sonde_execution_has_updated_in_place (execution);
      if (completes)
        activity->klass->complete_step (activity, &error);
      g_assert_no_error (error);
      activity->klass->finish (activity, &error);
      g_assert_no_error (error);
      assert_ended (job, step, begun, completes, counts);
    }
  activity->klass->free (activity);
}

static void
check_resumed (const Case *the_case, const char *run, const Whole *whole)
{
  g_autoptr (SondeTrainingJob) job = open_job (the_case, run, TRUE);
  SondeActivity *activity = sonde_training_job_dup_activity (job);
  g_autofree char *weights = NULL, *state = NULL;
  double losses[MOST_STEPS];

  g_assert_cmpuint (sonde_training_job_get_warnings (job)->len, ==, 0);
  g_assert_cmpint (run_job (job, activity), ==, SONDE_RUN_DONE);
  activity->klass->free (activity);
  g_assert_cmpuint (read_losses (run, losses), ==, whole->n_steps);
  for (guint step = 1; step <= whole->n_steps; step++)
    g_assert_cmpfloat (losses[step], ==, whole->losses[step]);
  weights = checksum_of (run, "final.npz");
  state = checksum_of (run, "final.state.npz");
  g_assert_cmpstr (weights, ==, whole->weights);
  g_assert_cmpstr (state, ==, whole->state);
}

static void
stop_everywhere (const Case *the_case, gboolean completes, Counts *counts)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *unbroken = g_build_filename (folder, "whole", NULL);
  Whole whole;

  whole_init (&whole, the_case, unbroken);
  for (guint i = 0; i < TRIES; i++)
    {
      g_autofree char *name = g_strdup_printf ("stopped-%u", i),
                      *run = g_build_filename (folder, name, NULL);

      stop_job (the_case, run, 1 + i * (whole.n_kernels - 1) / TRIES, completes, counts);
      check_resumed (the_case, run, &whole);
    }
  whole_clear (&whole);
  sonde_test_folder_free (folder);
}

/* As a signal does it. */
static void
test_complete (gconstpointer data)
{
  const Case *the_case = data;
  Counts counts = { 0 };

  stop_everywhere (the_case, TRUE, &counts);
  g_assert_cmpuint (counts.n_stopped, >, TRIES / 2);
  g_assert_cmpuint (counts.n_given_up, ==, 0);
  g_assert_true (!the_case->updates_in_place || counts.n_in_place > 0);
}

/* As a debugger's quit does it. */
static void
test_leave (gconstpointer data)
{
  const Case *the_case = data;
  Counts counts = { 0 };

  stop_everywhere (the_case, FALSE, &counts);
  g_assert_cmpuint (counts.n_stopped, >, TRIES / 2);
  g_assert_cmpuint (counts.n_given_up, >, 0);
  g_assert_true (!the_case->updates_in_place || counts.n_in_place > 0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *complete
          = g_strconcat ("/app/worker/training-stop/complete/", cases[i].name, NULL),
          *leave = g_strconcat ("/app/worker/training-stop/leave/", cases[i].name, NULL);

      g_test_add_data_func (complete, &cases[i], test_complete);
      g_test_add_data_func (leave, &cases[i], test_leave);
    }
  return g_test_run ();
}
