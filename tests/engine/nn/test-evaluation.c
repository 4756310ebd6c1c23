/* SPDX-License-Identifier: Apache-2.0
 * Evaluation beside training: BatchNormalization takes its running statistics, Dropout drops
 * nothing; against the loss computed by hand from what the trainer says its parameters are. */
#include <math.h>

#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-training-graph.h"

#define FEATURES 2
#define BATCH 8
#define N_TEST 3
#define STEPS 5

static double
feature (guint sample, guint k)
{
  return 3 + 2 * sin (1.7 * sample + k) + (sample % 2 == k ? 1 : 0);
}

static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  guint n = test ? N_TEST : BATCH;
  SondeShape shape = sonde_shape_make (2, n, FEATURES), label_shape = sonde_shape_make (1, n);

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &label_shape);
  for (guint i = 0; i < n; i++)
    {
      sonde_tensor_set_double (*labels, i, i % 2);
      for (guint k = 0; k < FEATURES; k++)
        sonde_tensor_set_double (inputs[0], i * FEATURES + k, feature (i, k));
    }
  return TRUE;
}

static SondeGraph *
build (void)
{
  g_autoptr (GError) error = NULL;
  SondeLayers *layers = sonde_layers_new ("evaluated", 3);
  SondeGraphValue *x
      = sonde_layers_input (layers, "x", SONDE_DTYPE_F32, 2, (gint64[]){ -1, FEATURES });
  SondeGraph *graph;

  x = sonde_layers_batch_norm (layers, "norm", x);
  x = sonde_layers_dropout (layers, "dropout", x, 0.5);
  x = sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = 2 });
  sonde_layers_output (layers, "logits", x);
  graph = sonde_layers_finish (layers, &error);
  g_assert_no_error (error);
  return graph;
}

static double
read_number (SondeTrainer *trainer, const char *name, guint i)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) tensor = sonde_trainer_read_parameter (trainer, name, &error);

  g_assert_no_error (error);
  return sonde_tensor_get_double (tensor, i);
}

static double
loss_by_hand (SondeTrainer *trainer)
{
  double loss = 0;

  for (guint i = 0; i < N_TEST; i++)
    {
      double logits[2]
          = { read_number (trainer, "fc.bias", 0), read_number (trainer, "fc.bias", 1) };

      for (guint k = 0; k < FEATURES; k++)
        {
          double x = (feature (i, k) - read_number (trainer, "norm.running_mean", k))
                         / sqrt (read_number (trainer, "norm.running_var", k) + 1e-5)
                         * read_number (trainer, "norm.weight", k)
                     + read_number (trainer, "norm.bias", k);

          for (guint c = 0; c < 2; c++)
            logits[c] += x * read_number (trainer, "fc.weight", c * FEATURES + k);
        }
      loss += log (exp (logits[0]) + exp (logits[1])) - logits[i % 2];
    }
  return loss / N_TEST;
}

static void
test_loss (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = build ();
  SondeBatchSource source = { BATCH, N_TEST, load };
  SondeTrainerOptions options = { .loss = "cross-entropy",
                                  .optimiser = "sgd",
                                  .learning_rate = 0.1,
                                  .steps = STEPS,
                                  .batch = BATCH,
                                  .seed = 1 };
  g_autoptr (SondeTrainer) trainer = sonde_trainer_new (model, &source, &options, &error);

  g_assert_no_error (error);
  g_assert_cmpint (sonde_trainer_run (trainer, &error), ==, SONDE_RUN_DONE);
  g_assert_no_error (error);
  /* mean' = 0.9·mean + 0.1·3.5 or so, five times from 0 */
  g_assert_cmpfloat (read_number (trainer, "norm.running_mean", 0), >, 0.5);
  g_assert_cmpfloat_with_epsilon (sonde_trainer_get_state (trainer)->test_loss,
                                  loss_by_hand (trainer), 1e-5);
}

/* The training graph has both on, the evaluation's both off; the model stays as it is. */
static void
test_graphs (void)
{
  static const SondeTrainingKind kinds[] = { SONDE_TRAINING_STEP, SONDE_TRAINING_EVALUATION };
  g_autoptr (SondeGraph) model = build ();

  for (int evaluation = 0; evaluation < 2; evaluation++)
    {
      g_autoptr (GError) error = NULL;
      SondeTrainerOptions options = { .loss = "cross-entropy", .optimiser = "sgd" };
      g_autoptr (SondeTrainingGraph) training
          = sonde_training_graph_build (model, &options, BATCH, kinds[evaluation], &error);
      SondeNode *norm, *dropout;

      g_assert_no_error (error);
      norm = sonde_graph_find_node (training->graph, "norm");
      dropout = sonde_graph_find_node (training->graph, "dropout");
      g_assert_cmpint (sonde_node_get_int (norm, "training_mode", 0), ==, !evaluation);
      g_assert_cmpint (sonde_node_get_input (dropout, 2) != NULL, ==, !evaluation);
      g_assert_cmpint (sonde_graph_find_value (training->graph, "norm.running_mean")->role, ==,
                       SONDE_ROLE_STATE);
    }
  g_assert_cmpint (sonde_node_get_int (sonde_graph_find_node (model, "norm"), "training_mode", 0),
                   ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/evaluation/loss", test_loss);
  g_test_add_func ("/engine/nn/evaluation/graphs", test_graphs);
  return g_test_run ();
}
