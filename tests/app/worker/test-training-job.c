/* SPDX-License-Identifier: Apache-2.0
 * Trainings as jobs: every built-in model out of a recipe, the model that is left to be used,
 * finished runs, minutes between checkpoints. */
#include "app/worker/sonde-training-job.h"

#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "app/worker/sonde-training-saver.h"
#include "app/worker/sonde-worker-host.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-grad.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/support/sonde-test-program.h"

#define SMALL "data.train=8", "data.test=4", "data.batch=4", "data.workers=0", "train.threads=1"

static SondeTrainingJob *
open_job (const char *model, const char *const *sets, const char *run, gboolean resume)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe = sonde_worker_load_recipe (model, sets, &error);
  SondeTrainingJobOptions options = { .recipe = recipe, .run = run, .resume = resume };
  SondeTrainingJob *job;

  g_assert_no_error (error);
  job = sonde_training_job_open (&options, &error);
  g_assert_no_error (error);
  return job;
}

static void
run_job (SondeTrainingJob *job)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (sonde_trainer_run (sonde_training_job_get_trainer (job), &error), ==,
                   SONDE_RUN_DONE);
  g_assert_no_error (error);
  sonde_training_job_finish (job, &error);
  g_assert_no_error (error);
}

/* ---- built-in models ----------------------------------------------------- */

static const char *
source_of (const char *model)
{
  if (sonde_zoo_find (model)->takes_sequences)
    return "data.source=tokens:task=parity;length=6;vocabulary=5";
  return g_str_equal (model, "unet") ? "data.source=glyphs:size=16;labels=pixels"
                                     : "data.source=glyphs:size=16;channels=3";
}

static void
test_model (gconstpointer name)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = g_build_filename (folder, "r", NULL),
                  *onnx = g_build_filename (run, "checkpoints", "final.onnx", NULL);
  const char *const sets[] = { source_of (name), SMALL, "train.steps=2", NULL };
  g_autoptr (SondeTrainingJob) job = open_job (name, sets, run, FALSE);
  const SondeTrainerState *state = sonde_trainer_get_state (sonde_training_job_get_trainer (job));

  run_job (job);
  g_assert_cmpuint (state->step, ==, 2);
  g_assert_true (isfinite (state->loss) && isfinite (state->test_loss));
  g_assert_true (g_file_test (onnx, G_FILE_TEST_EXISTS));
  sonde_test_folder_free (folder);
}

static void
assert_refused_with (const char *model, const char *source, const char *set, const char *wanted)
{
  const char *const sets[] = { source, SMALL, set, NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe = sonde_worker_load_recipe (model, sets, &error);
  SondeTrainingJobOptions options = { .recipe = recipe, .run = "never-made" };
  g_autoptr (SondeTrainingJob) job = NULL;

  g_assert_no_error (error);
  job = sonde_training_job_open (&options, &error);
  g_assert_null (job);
  g_assert_nonnull (error);
  if (strstr (error->message, wanted) == NULL)
    g_error ("“%s” does not say “%s”", error->message, wanted);
  g_assert_false (g_file_test ("never-made", G_FILE_TEST_EXISTS));
}

static void
assert_refused (const char *model, const char *source, const char *wanted)
{
  assert_refused_with (model, source, "train.seed=1", wanted);
}

static void
test_misfits (void)
{
  assert_refused ("lenet", "data.source=tokens:task=parity",
                  "lstm-classifier or transformer-encoder");
  assert_refused ("lstm-classifier", "data.source=tokens:task=sort", "parity and majority");
  assert_refused ("unet", "data.source=glyphs:size=16", "labels=pixels");
  assert_refused ("lenet", "data.source=glyphs:labels=pixels", "unet");
  assert_refused_with ("unet", "data.source=glyphs:labels=pixels", "data.transforms=random-flip",
                       "moves pixels");
}

static void
test_no_memory (void)
{
  assert_refused_with ("lenet", "data.source=glyphs", "train.memory=100kB",
                       "A smaller data.batch (now 4)");
  assert_refused_with ("lenet", "data.source=glyphs", "train.memory=100kB", "a step would take");
}

/* ---- final.onnx ---------------------------------------------------------- */

static gboolean
is_random_or_trains (const SondeNode *node)
{
  return g_str_equal (node->op, "Dropout") || sonde_node_get_int (node, "training_mode", 0) != 0;
}

/* Mean over the rows of logits [N, C] of −log softmax at the label. */
static double
cross_entropy (SondeTensor *logits, SondeTensor *labels)
{
  gint64 n = logits->shape.dims[0], classes = logits->shape.dims[1];
  double loss = 0;

  for (gint64 i = 0; i < n; i++)
    {
      double sum = 0;

      for (gint64 c = 0; c < classes; c++)
        sum += exp (sonde_tensor_get_double (logits, i * classes + c));
      loss += log (sum)
              - sonde_tensor_get_double (logits, i * classes + sonde_tensor_get_int (labels, i));
    }
  return loss / (double) n;
}

/* The test batch of a recipe, as the training had it. */
static void
load_test_batch (const char *const *sets, const char *model, SondeTensor **x, SondeTensor **y)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe = sonde_worker_load_recipe (model, sets, &error);
  SondeSplitPart split = { 0 };
  g_autoptr (SondeDataset) dataset = sonde_training_job_open_dataset (recipe, NULL, &split, &error);
  SondeBatchesOptions options = { .batch = split.n_test, .samples = split.test, .n = split.n_test };
  g_autoptr (SondeBatches) batches = sonde_batches_new (dataset, &options, &error);

  g_assert_no_error (error);
  g_assert_true (sonde_batches_load (batches, 0, 0, x, y, NULL, &error));
  sonde_split_part_clear (&split);
}

static void
test_final_model (gconstpointer name)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = g_build_filename (folder, "r", NULL),
                  *path = g_build_filename (run, "checkpoints", "final.onnx", NULL);
  const char *const sets[]
      = { source_of (name), SMALL, "train.steps=6", "train.learning-rate=0.05", NULL };
  g_autoptr (SondeTrainingJob) job = open_job (name, sets, run, FALSE);
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  g_auto (GStrv) parameters = sonde_trainer_list_parameters (trainer, FALSE);
  g_autoptr (SondeTensor) x = NULL, y = NULL, logits = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (GError) error = NULL;
  const char *input = "input";

  run_job (job);
  graph = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < graph->nodes->len; i++)
    if (graph->nodes->pdata[i] != NULL && is_random_or_trains (graph->nodes->pdata[i]))
      g_error ("node “%s” (%s) is of training", ((SondeNode *) graph->nodes->pdata[i])->name,
               ((SondeNode *) graph->nodes->pdata[i])->op);
  for (gsize i = 0; parameters[i] != NULL; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (graph, parameters[i]);
      g_autoptr (SondeTensor) trained = sonde_trainer_read_parameter (trainer, parameters[i], NULL);

      if (value == NULL || value->constant == NULL
          || !sonde_tensor_equal (sonde_value_get_tensor (value->constant), trained))
        g_error ("“%s” is not in final.onnx as it was trained", parameters[i]);
    }
  load_test_batch (sets, name, &x, &y);
  g_assert_true (sonde_graph_run (graph, NULL, &input, &x, 1, &logits, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (cross_entropy (logits, y),
                                  sonde_trainer_get_state (trainer)->test_loss, 2e-5);
  sonde_test_folder_free (folder);
}

/* ---- a finished run ------------------------------------------------------ */

static gboolean evaluated_again;

static void
note_evaluation (SondeTrainerListener *listener, SondeTrainer *trainer)
{
  evaluated_again = TRUE;
}

/* It is there as it ended: nothing is run or evaluated once more, and the last test numbers are
 * known. */
static void
test_finished (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = g_build_filename (folder, "r", NULL);
  const char *const sets[] = {
    "data.source=glyphs:size=16",       SMALL, "train.steps=4", "train.schedule=plateau:patience=1",
    "train.early-stop=loss:patience=9", NULL
  };
  g_autoptr (SondeTrainingJob) job = open_job ("mlp", sets, run, FALSE), again = NULL;
  SondeTrainerListener listener = { .evaluated = note_evaluation };
  g_autoptr (SondeTensor) progress = NULL, progress_again = NULL;
  double loss, accuracy;

  run_job (job);
  progress = sonde_trainer_dup_progress (sonde_training_job_get_trainer (job));
  loss = sonde_trainer_get_state (sonde_training_job_get_trainer (job))->test_loss;
  accuracy = sonde_trainer_get_state (sonde_training_job_get_trainer (job))->test_accuracy;
  again = open_job ("mlp", sets, run, TRUE);
  evaluated_again = FALSE;
  sonde_trainer_set_listener (sonde_training_job_get_trainer (again), &listener);
  run_job (again);
  g_assert_false (evaluated_again);
  g_assert_cmpfloat (sonde_trainer_get_state (sonde_training_job_get_trainer (again))->test_loss,
                     ==, loss);
  g_assert_cmpfloat (
      sonde_trainer_get_state (sonde_training_job_get_trainer (again))->test_accuracy, ==,
      accuracy);
  progress_again = sonde_trainer_dup_progress (sonde_training_job_get_trainer (again));
  g_assert_true (sonde_tensor_equal (progress, progress_again));
  sonde_test_folder_free (folder);
}

/* ---- minutes ------------------------------------------------------------- */

typedef struct
{
  SondeClock base;
  gint64 now;
} Clock;

static gint64
get_now (const SondeClock *clock)
{
  return ((const Clock *) clock)->now;
}

static guint
count_states (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_prefix (name, "step-") && g_str_has_suffix (name, ".state.npz");
  return n;
}

/* A step takes half a minute, three minutes are between checkpoints: one after steps 6 and 12 of
 * 14. */
static void
test_minutes (void)
{
  char *folder = sonde_test_folder_new ();
  g_autofree char *run = g_build_filename (folder, "r", NULL),
                  *checkpoints = g_build_filename (run, "checkpoints", NULL);
  const char *const sets[] = { "data.source=glyphs:size=16",
                               "data.train=80",
                               "data.test=4",
                               "data.batch=4",
                               "train.steps=14",
                               "checkpoint.minutes=3",
                               "checkpoint.keep=0",
                               NULL };
  g_autoptr (SondeTrainingJob) job = open_job ("mlp", sets, run, FALSE);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeRecipe) recipe = sonde_worker_load_recipe ("mlp", sets, &error);
  SondeTrainer *trainer = sonde_training_job_get_trainer (job);
  g_autoptr (SondeTrainingSaver) saver = sonde_training_saver_new (recipe, run, trainer);
  Clock clock = { { get_now, get_now }, 5 };

  sonde_trainer_set_listener (trainer, NULL);
  sonde_training_saver_set_clock (saver, &clock.base);
  for (guint step = 1; step <= 14; step++)
    {
      sonde_trainer_run_step (trainer, &error);
      g_assert_no_error (error);
      clock.now += (gint64) 30 * 1000000000;
      sonde_training_saver_step_done (saver);
      g_assert_cmpuint (count_states (checkpoints), ==, step / 6);
    }
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; sonde_zoo_list ()[i] != NULL; i++)
    {
      g_autofree char *path
          = g_strconcat ("/app/worker/training-job/models/", sonde_zoo_list ()[i], NULL);

      g_test_add_data_func (path, sonde_zoo_list ()[i], test_model);
    }
  g_test_add_func ("/app/worker/training-job/misfits", test_misfits);
  g_test_add_func ("/app/worker/training-job/no-memory", test_no_memory);
  g_test_add_data_func ("/app/worker/training-job/final-model/resnet20", "resnet20",
                        test_final_model);
  g_test_add_data_func ("/app/worker/training-job/final-model/transformer-encoder",
                        "transformer-encoder", test_final_model);
  g_test_add_func ("/app/worker/training-job/finished", test_finished);
  g_test_add_func ("/app/worker/training-job/minutes", test_minutes);
  return g_test_run ();
}
