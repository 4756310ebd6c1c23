/* SPDX-License-Identifier: Apache-2.0
 * Built-in models: layers, parameter counts, initialisation, one step of training, errors. */
#include "engine/nn/sonde-zoo.h"

#include <math.h>

#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-model-summary.h"
#include "engine/nn/sonde-trainer.h"

/* Trained parameters of the usual input, as published:
 * mlp, lenet: models/models.tsv of the samples, written by another program;
 * alexnet … mobilenet-v2: "num_params" of the weights of torchvision 0.15 (IMAGENET1K_V1), classes
 * 1000; resnet20: 269,722 of He et al.'s net with shortcuts without weights (0.27 M in table 6) and
 * 2,752 of two 1×1 projections
 *   with their norms; the others: by hand, below. */
static const struct
{
  const char *name;
  guint64 parameters;
  double least_flops, most_flops;
} counts[] = {
  { "mlp", 52650, 1.0e5, 1.1e5 },
  { "lenet", 61706, 0.8e6, 0.9e6 },
  { "alexnet", 61100840, 1.4e9, 1.5e9 },
  { "vgg11", 132863336, 15.1e9, 15.4e9 },
  { "resnet18", 11689512, 3.6e9, 3.7e9 },
  { "resnet20", 272474, 8.1e7, 8.4e7 },
  { "resnet50", 25557032, 8.1e9, 8.3e9 },
  { "mobilenet-v2", 3504872, 0.59e9, 0.65e9 },
  /* embedding 1000·64, W 512·64, R 512·128, B 1024, fc 258 */
  { "lstm-classifier", 64000 + 32768 + 65536 + 1024 + 258, 6.2e6, 6.7e6 },
  /* embedding, places 32·64, two blocks of 4·64·64 + 4·64 and 2·64·256 + 256 + 64 and norms 4·64,
   * last norm 128, fc 130 */
  { "transformer-encoder", 64000 + 2048 + 2 * (16384 + 256 + 32768 + 320 + 256) + 128 + 130, 6.0e6,
    7.5e6 },
  { "autoencoder", 784 * 256 + 256 + 256 * 64 + 64 + 64 * 256 + 256 + 256 * 784 + 784, 0.8e6,
    0.9e6 },
};

static void
test_counts (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autoptr (GError) error = NULL;
      const SondeZooModel *model = sonde_zoo_find (counts[i].name);
      g_autoptr (SondeGraph) graph = sonde_zoo_outline (counts[i].name, &model->usual, &error);
      g_autoptr (SondeModelSummary) summary = NULL;

      g_assert_no_error (error);
      summary = sonde_model_summary_new (graph, NULL, 0, &error);
      g_assert_no_error (error);
      g_test_message ("%s: %" G_GUINT64_FORMAT " parameters, %g FLOP", counts[i].name,
                      summary->trainable, summary->flops);
      g_assert_cmpuint (summary->trainable, ==, counts[i].parameters);
      g_assert_cmpfloat (summary->flops, >=, counts[i].least_flops);
      g_assert_cmpfloat (summary->flops, <=, counts[i].most_flops);
    }
}

/* lenet and mlp stay what they were: the order of nodes and parameters, by which recorded runs are
 * compared. */
static void
test_lenet (void)
{
  static const char *const nodes[] = { "conv1",   "relu1", "pool1", "conv2", "relu2", "pool2",
                                       "flatten", "fc1",   "relu3", "fc2",   "relu4", "fc3" };
  static const char *const values[]
      = { "input", "conv1.weight", "conv1.bias", "conv1_output_0", "relu1_output_0" };
  g_autoptr (SondeGraph) graph = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, NULL);
  SondeTensor *weight
      = sonde_value_get_tensor (sonde_graph_find_value (graph, "conv1.weight")->constant);

  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, G_N_ELEMENTS (nodes));
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_assert_cmpstr (((SondeNode *) graph->nodes->pdata[i])->name, ==, nodes[i]);
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_assert_cmpstr (((SondeGraphValue *) graph->values->pdata[i])->name, ==, values[i]);
  g_assert_cmpstr (((SondeGraphValue *) graph->outputs->pdata[0])->name, ==, "logits");
  /* As they were before this model was written by layers. */
  g_assert_cmpfloat (sonde_tensor_get_double (weight, 0), ==, 0.0860999078f);
  g_assert_cmpfloat (sonde_tensor_get_double (weight, 149), ==, 0.0897225216f);
}

/* Uniform within ±1/√fan_in: bound kept, nearly reached, mean near 0, another seed gives others. */
static void
test_initialisation (void)
{
  g_autoptr (SondeGraph) a = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, NULL);
  g_autoptr (SondeGraph) b = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, NULL);
  g_autoptr (SondeGraph) c = sonde_zoo_build ("lenet", 1, 28, 28, 10, 2, NULL);
  SondeTensor *w = sonde_value_get_tensor (sonde_graph_find_value (a, "fc1.weight")->constant);
  double bound = 1.0 / sqrt (400.0), largest = 0, sum = 0;
  gint64 n = sonde_tensor_n_elements (w);

  for (gint64 i = 0; i < n; i++)
    {
      double value = sonde_tensor_get_double (w, i);

      g_assert_cmpfloat (fabs (value), <=, bound * (1 + 1e-6));
      largest = fmax (largest, fabs (value));
      sum += value;
    }
  g_assert_cmpfloat (largest, >, 0.99 * bound);
  /* Deviation of the mean of n uniform numbers is bound / √(3n). */
  g_assert_cmpfloat (fabs (sum / (double) n), <, 5 * bound / sqrt (3.0 * (double) n));
  g_assert_true (sonde_tensor_equal (
      w, sonde_value_get_tensor (sonde_graph_find_value (b, "fc1.weight")->constant)));
  g_assert_false (sonde_tensor_equal (
      w, sonde_value_get_tensor (sonde_graph_find_value (c, "fc1.weight")->constant)));
}

/* ---- one step ------------------------------------------------------------ */

#define BATCH 4

/* Small inputs, so that each model trains in a moment. */
static const struct
{
  const char *name;
  SondeZooInput input;
  guint steps; /* 0: 4 */
} small[] = {
  { "mlp", { 1, 8, 8, 0, 0, 3 } },
  { "lenet", { 1, 16, 16, 0, 0, 3 } },
  { "alexnet", { 3, 16, 16, 0, 0, 3 } },
  { "vgg11", { 3, 8, 8, 0, 0, 3 } },
  { "resnet18", { 3, 8, 8, 0, 0, 3 } },
  { "resnet20", { 3, 8, 8, 0, 0, 3 } },
  { "resnet50", { 3, 8, 8, 0, 0, 3 }, 3 },
  { "mobilenet-v2", { 3, 16, 16, 0, 0, 3 }, 8 },
  { "unet", { 1, 8, 8, 0, 0, 3 } },
  { "lstm-classifier", { 0, 0, 0, 6, 11, 3 } },
  { "lstm-classifier", { 1, 8, 8, 0, 0, 3 } },
  { "transformer-encoder", { 0, 0, 0, 6, 11, 3 } },
  { "transformer-encoder", { 1, 8, 8, 0, 0, 3 } },
  { "autoencoder", { 1, 8, 8, 0, 0, 0 } },
};

typedef struct
{
  SondeBatchSource base;
  const SondeZooModel *model;
  SondeZooInput input;
} Source;

/* The same batch each time: class i mod 3 is bright in column i mod 3, or has token i mod 3
 * everywhere. */
static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  const SondeZooInput *input = &((Source *) base)->input;
  gboolean pixels = g_str_equal (((Source *) base)->model->name, "unet");
  SondeShape tokens = sonde_shape_make (2, BATCH, input->length);
  SondeShape image = sonde_shape_make (4, BATCH, input->channels, input->height, input->width);
  SondeShape classes = sonde_shape_make (1, BATCH),
             map = sonde_shape_make (3, BATCH, input->height, input->width);
  gint64 per_sample;

  inputs[0] = input->length > 0 ? sonde_tensor_new (SONDE_DTYPE_I64, &tokens)
                                : sonde_tensor_new (SONDE_DTYPE_F32, &image);
  per_sample = sonde_tensor_n_elements (inputs[0]) / BATCH;
  for (gint64 i = 0; i < BATCH * per_sample; i++)
    sonde_tensor_set_double (inputs[0], i,
                             input->length > 0 ? (double) (i / per_sample % 3)
                                               : (i % input->width == i / per_sample % 3)
                                                     + 0.1 * sin ((double) i));
  if (((Source *) base)->model->labels_are_input)
    {
      *labels = sonde_tensor_ref (inputs[0]);
      return TRUE;
    }
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, pixels ? &map : &classes);
  per_sample = sonde_tensor_n_elements (*labels) / BATCH;
  for (gint64 i = 0; i < BATCH * per_sample; i++)
    sonde_tensor_set_double (*labels, i, (double) (i / per_sample % 3));
  return TRUE;
}

/* Steps on one batch lower its loss; the loss and every gradient's norm stay finite. */
static void
test_steps (gconstpointer data)
{
  gsize row = GPOINTER_TO_SIZE (data);
  g_autoptr (GError) error = NULL;
  Source source = { { BATCH, 0, load }, sonde_zoo_find (small[row].name), small[row].input };
  g_autoptr (SondeGraph) model
      = sonde_zoo_build_for (small[row].name, &small[row].input, 1, &error);
  SondeTrainerOptions options
      = { .optimiser = "adam", .learning_rate = 1e-3, .steps = 4, .batch = BATCH, .seed = 1 };
  g_autoptr (SondeTrainer) trainer = NULL;
  double first = 0;

  g_assert_no_error (error);
  options.loss = source.model->loss;
  options.steps = small[row].steps > 0 ? small[row].steps : options.steps;
  trainer = sonde_trainer_new (model, &source.base, &options, &error);
  g_assert_no_error (error);
  for (guint step = 0; step < options.steps; step++)
    {
      const SondeTrainerState *state = sonde_trainer_get_state (trainer);

      sonde_trainer_run_step (trainer, &error);
      g_assert_no_error (error);
      g_assert_true (isfinite (state->loss));
      g_assert_true (isfinite (state->gradient_norm) && state->gradient_norm > 0);
      first = step == 0 ? state->loss : first;
    }
  g_test_message ("%g -> %g", first, sonde_trainer_get_state (trainer)->loss);
  g_assert_cmpfloat (sonde_trainer_get_state (trainer)->loss, <, first);
}

/* ---- errors -------------------------------------------------------------- */

static void
test_list (void)
{
  const char *const *names = sonde_zoo_list ();
  guint n = 0;

  for (; names[n] != NULL; n++)
    {
      const SondeZooModel *model = sonde_zoo_find (names[n]);

      g_assert_cmpstr (model->name, ==, names[n]);
      g_assert_cmpint (strlen (model->description), >, 10);
    }
  g_assert_cmpuint (n, ==, 12);
  g_assert_null (sonde_zoo_find ("lenett"));
}

static void
test_errors (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_zoo_build ("lenett", 1, 28, 28, 10, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "mlp, lenet, "));
  g_clear_error (&error);
  g_assert_null (sonde_zoo_build ("lenet", 1, 4, 4, 10, 1, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "1×4×4"));
  g_assert_nonnull (strstr (error->message, "conv2"));
  g_clear_error (&error);
  g_assert_null (sonde_zoo_build ("resnet18", 3, 0, 32, 10, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_null (sonde_zoo_build ("mlp", 3, 32, 32, 0, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/zoo/counts", test_counts);
  g_test_add_func ("/engine/nn/zoo/lenet", test_lenet);
  g_test_add_func ("/engine/nn/zoo/initialisation", test_initialisation);
  for (gsize i = 0; i < G_N_ELEMENTS (small); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/nn/zoo/steps/%s%s", small[i].name,
                                               small[i].input.length > 0 ? "-of-tokens" : "");

      g_test_add_data_func (path, GSIZE_TO_POINTER (i), test_steps);
    }
  g_test_add_func ("/engine/nn/zoo/list", test_list);
  g_test_add_func ("/engine/nn/zoo/errors", test_errors);
  return g_test_run ();
}
