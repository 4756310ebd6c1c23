/* SPDX-License-Identifier: Apache-2.0
 * Mixed precision: which values become bfloat16 and which stay, what the gradients and losses are
 * beside float32, and that a resumed training has the bits of one that was never stopped. */
#include "engine/nn/sonde-trainer.h"

#include "engine/nn/sonde-training-graph.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/ops/sonde-build.h"

#include <math.h>

#define BATCH 16

/* ---- data: class k is a bar at place k, with noise ----------------------- */

typedef struct
{
  SondeBatchSource base;
  SondeZooInput input;
} Source;

static gboolean
load (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  const SondeZooInput *input = &((Source *) base)->input;
  g_autoptr (GRand) random = g_rand_new_with_seed (1 + epoch * 1000 + batch);
  SondeShape shape = sonde_shape_make (4, BATCH, input->channels, input->height, input->width);
  SondeShape label_shape = sonde_shape_make (1, BATCH);
  gint64 plane = (gint64) input->channels * input->height * input->width;

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &label_shape);
  for (gint64 i = 0; i < BATCH * plane; i++)
    sonde_tensor_set_double (inputs[0], i, g_rand_double_range (random, -0.3, 0.3));
  for (gint64 n = 0; n < BATCH; n++)
    {
      gint64 label = g_rand_int_range (random, 0, input->classes);

      sonde_tensor_set_double (*labels, n, (double) label);
      for (gint64 at = 2 * label + 1; at < plane; at += input->width)
        sonde_tensor_set_double (inputs[0], n * plane + at, 1);
    }
  return TRUE;
}

typedef struct
{
  const char *name;
  SondeZooInput input;
  guint steps;
  double rate, tolerance;
} Net;

/* @tolerance: of the gradients' norm; roundings of many normalised layers add up. */
static const Net nets[] = {
  { "mlp", { .channels = 1, .height = 28, .width = 28, .classes = 10 }, 30, 0.05, 0.02 },
  { "lenet", { .channels = 1, .height = 28, .width = 28, .classes = 10 }, 60, 0.05, 0.02 },
  { "resnet20", { .channels = 3, .height = 16, .width = 24, .classes = 10 }, 12, 0.05, 0.05 },
};

static SondeTrainer *
make_trainer (const Net *net, Source *source, SondeDtype precision, GError **error)
{
  g_autoptr (SondeGraph) model = sonde_zoo_build_for (net->name, &net->input, 5, error);
  SondeTrainerOptions options = { .learning_rate = net->rate,
                                  .momentum = 0.9,
                                  .steps = net->steps,
                                  .batch = BATCH,
                                  .precision = precision };

  g_assert_nonnull (model);
  *source = (Source){ { BATCH * 1000, 0, load }, net->input };
  return sonde_trainer_new (model, &source->base, &options, error);
}

static void
run_steps (SondeTrainer *trainer, guint n)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (sonde_trainer_run_step (trainer, &error), ==, SONDE_RUN_DONE);
      g_assert_no_error (error);
    }
}

/* ---- the graph ----------------------------------------------------------- */

static SondeDtype
dtype_of (const SondeGraphValue *value)
{
  return value != NULL ? value->type.dtype : SONDE_DTYPE_INVALID;
}

static void
test_graph (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build_for ("resnet20", &nets[2].input, 5, &error);
  SondeTrainerOptions options = { .learning_rate = 0.1, .precision = SONDE_DTYPE_BF16 };
  g_autoptr (SondeTrainingGraph) training
      = sonde_training_graph_build (model, &options, 4, SONDE_TRAINING_STEP, &error);
  guint n_convolutions = 0, n_gradients = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < training->parameters->len; i++)
    {
      const SondeGraphValue *parameter = g_ptr_array_index (training->parameters, i);
      const SondeGraphValue *gradient = g_ptr_array_index (training->gradients, i);

      g_assert_cmpint (dtype_of (parameter), ==, SONDE_DTYPE_F32);
      g_assert_cmpint (dtype_of (gradient), ==, SONDE_DTYPE_F32);
    }
  for (guint i = 0; i < training->graph->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (training->graph->nodes, i);
      const SondeGraphValue *x = node != NULL ? sonde_node_get_input (node, 0) : NULL;

      if (node == NULL)
        continue;
      if (sonde_node_is (node, SONDE_OP_ID_CONV))
        {
          const SondeGraphValue *weight = sonde_node_get_input (node, 1);

          g_assert_cmpint (dtype_of (x), ==, SONDE_DTYPE_BF16);
          g_assert_cmpint (dtype_of (sonde_node_get_output (node, 0)), ==, SONDE_DTYPE_BF16);
          /* What it learns is the parameter, and this is seen. */
          g_assert_true (sonde_node_is (weight->producer, SONDE_OP_ID_CAST));
          g_assert_cmpint (weight->producer->origin_kind, ==, SONDE_ORIGIN_INSERTED);
          g_assert_cmpint (sonde_node_get_input (weight->producer, 0)->role, ==,
                           SONDE_ROLE_PARAMETER);
          n_convolutions++;
        }
      else if (sonde_node_is (node, SONDE_OP_ID_BATCH_NORMALIZATION))
        {
          g_assert_cmpint (dtype_of (x), ==, SONDE_DTYPE_BF16);
          for (guint k = 1; k < node->inputs->len; k++)
            g_assert_cmpint (dtype_of (sonde_node_get_input (node, k)), ==, SONDE_DTYPE_F32);
          for (guint k = 1; k < node->outputs->len; k++)
            if (sonde_node_get_output (node, k) != NULL)
              g_assert_cmpint (dtype_of (sonde_node_get_output (node, k)), ==, SONDE_DTYPE_F32);
        }
      else if (sonde_node_is (node, SONDE_OP_ID_RELU))
        g_assert_cmpint (dtype_of (x), ==, SONDE_DTYPE_BF16);
      else if (g_str_equal (node->op, "ConvGradWeight") || g_str_equal (node->op, "ConvGradInput"))
        {
          g_assert_cmpint (dtype_of (x), ==, SONDE_DTYPE_BF16);
          n_gradients++;
        }
      else if (g_str_equal (node->op, "SgdUpdate") || g_str_equal (node->op, "GlobalNorm")
               || g_str_has_prefix (node->op, "Softmax"))
        g_assert_cmpint (dtype_of (x), ==, SONDE_DTYPE_F32);
    }
  g_assert_cmpuint (n_convolutions, ==, 21);
  g_assert_cmpuint (n_gradients, ==, 41); /* none for the image */
  g_assert_cmpint (dtype_of (training->loss), ==, SONDE_DTYPE_F32);
  g_assert_cmpint (dtype_of (training->logits), ==, SONDE_DTYPE_F32);
  g_assert_cmpstr (training->logits->name, ==, "logits");
}

static void
test_refused (void)
{
  g_autoptr (GError) error = NULL;
  Source source;

  g_assert_null (make_trainer (&nets[0], &source, SONDE_DTYPE_F16, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "train.precision"));
  g_assert_nonnull (strstr (error->message, "cpu"));
}

/* ---- numbers ------------------------------------------------------------- */

/* Of all gradients as one vector: |a − b| / |b|. */
static double
distance (SondeTrainer *a, SondeTrainer *b)
{
  GPtrArray *parameters = sonde_trainer_get_parameters (b);
  double difference = 0, norm = 0;

  for (guint i = 0; i < parameters->len; i++)
    {
      SondeGraphValue *of_b = g_ptr_array_index (parameters, i),
                      *of_a = g_ptr_array_index (sonde_trainer_get_parameters (a), i);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) x = sonde_execution_read (
          sonde_trainer_get_execution (a), sonde_trainer_get_gradient (a, of_a), &error);
      g_autoptr (SondeTensor) y = sonde_execution_read (
          sonde_trainer_get_execution (b), sonde_trainer_get_gradient (b, of_b), &error);

      g_assert_no_error (error);
      g_assert_cmpstr (of_a->name, ==, of_b->name);
      for (gint64 k = 0; k < sonde_tensor_n_elements (x); k++)
        {
          double gap = sonde_tensor_get_double (x, k) - sonde_tensor_get_double (y, k);

          difference += gap * gap;
          norm += sonde_tensor_get_double (y, k) * sonde_tensor_get_double (y, k);
        }
    }
  return sqrt (difference / norm);
}

static void
test_numbers (gconstpointer data)
{
  const Net *net = data;
  g_autoptr (GError) error = NULL;
  Source wide_source, narrow_source;
  g_autoptr (SondeTrainer) wide = make_trainer (net, &wide_source, SONDE_DTYPE_F32, &error);
  g_autoptr (SondeTrainer) narrow = make_trainer (net, &narrow_source, SONDE_DTYPE_BF16, &error);
  double first;

  g_assert_no_error (error);
  run_steps (wide, 1);
  run_steps (narrow, 1);
  first = sonde_trainer_get_state (wide)->loss;
  g_assert_cmpfloat_with_epsilon (sonde_trainer_get_state (narrow)->loss, first, 0.02 * first);
  g_assert_cmpfloat_with_epsilon (sonde_trainer_get_state (narrow)->gradient_norm,
                                  sonde_trainer_get_state (wide)->gradient_norm,
                                  net->tolerance * sonde_trainer_get_state (wide)->gradient_norm);
  run_steps (wide, net->steps - 1);
  run_steps (narrow, net->steps - 1);
  g_assert_cmpfloat (sonde_trainer_get_state (wide)->loss, <, 0.8 * first);
  g_assert_cmpfloat_with_epsilon (sonde_trainer_get_state (narrow)->loss,
                                  sonde_trainer_get_state (wide)->loss, 0.05 * first);
}

/* Deep nets gather roundings; in few layers every gradient is near. */
static void
test_gradients (void)
{
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GError) error = NULL;
      Net net = nets[i];
      Source sources[2];
      g_autoptr (SondeGraph) model = sonde_zoo_build_for (net.name, &net.input, 5, &error);
      SondeTrainerOptions options
          = { .learning_rate = 0.01, .steps = 1, .batch = BATCH, .memory = SONDE_MEMORY_KEEP };
      g_autoptr (SondeTrainer) wide = NULL;
      g_autoptr (SondeTrainer) narrow = NULL;

      sources[0] = sources[1] = (Source){ { BATCH * 1000, 0, load }, net.input };
      wide = sonde_trainer_new (model, &sources[0].base, &options, &error);
      options.precision = SONDE_DTYPE_BF16;
      narrow = sonde_trainer_new (model, &sources[1].base, &options, &error);
      g_assert_no_error (error);
      run_steps (wide, 1);
      run_steps (narrow, 1);
      g_test_message ("%s: %.4f", net.name, distance (narrow, wide));
      g_assert_cmpfloat (distance (narrow, wide), <, 0.03);
      g_assert_cmpfloat (distance (narrow, wide), >, 0); /* it is not the same computation */
    }
}

/* Three steps, all that a checkpoint keeps, three steps more in another trainer: the bits of six
 * steps. */
static void
test_resume (void)
{
  g_autoptr (GError) error = NULL;
  Source sources[3];
  g_autoptr (SondeTrainer) whole = make_trainer (&nets[1], &sources[0], SONDE_DTYPE_BF16, &error);
  g_autoptr (SondeTrainer) begun = make_trainer (&nets[1], &sources[1], SONDE_DTYPE_BF16, &error);
  g_autoptr (SondeTrainer) resumed = make_trainer (&nets[1], &sources[2], SONDE_DTYPE_BF16, &error);
  g_autoptr (SondeTensor) progress = NULL;
  g_auto (GStrv) names = sonde_trainer_list_parameters (whole, TRUE);

  g_assert_no_error (error);
  run_steps (whole, 6);
  run_steps (begun, 3);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) tensor = sonde_trainer_read_parameter (begun, names[i], &error);

      g_assert_no_error (error);
      g_assert_true (sonde_trainer_write_parameter (resumed, names[i], tensor, &error));
    }
  progress = sonde_trainer_dup_progress (begun);
  g_assert_true (sonde_trainer_set_progress (resumed, progress, &error));
  run_steps (resumed, 3);
  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (SondeTensor) x = sonde_trainer_read_parameter (whole, names[i], &error);
      g_autoptr (SondeTensor) y = sonde_trainer_read_parameter (resumed, names[i], &error);

      g_assert_cmpint (x->dtype, ==, SONDE_DTYPE_F32);
      g_assert_true (sonde_tensor_equal (x, y));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/mixed-precision/graph", test_graph);
  g_test_add_func ("/engine/nn/mixed-precision/refused", test_refused);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    {
      g_autofree char *path
          = g_strdup_printf ("/engine/nn/mixed-precision/numbers-%s", nets[i].name);

      g_test_add_data_func (path, &nets[i], test_numbers);
    }
  g_test_add_func ("/engine/nn/mixed-precision/gradients", test_gradients);
  g_test_add_func ("/engine/nn/mixed-precision/resume", test_resume);
  return g_test_run ();
}
