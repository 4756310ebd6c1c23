/* SPDX-License-Identifier: Apache-2.0
 * Five steps of the trainer on the processor against PyTorch's: losses, gradients and weights of
 * five nets with three optimisers, on one thread and two (models/README.md, training/). */
#include "engine/nn/sonde-trainer.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "tests/support/sonde-test-tensor.h"

#define N_STEPS 5

typedef struct
{
  const char *net, *optimiser;
  int threads;
} Reference;

typedef struct
{
  SondeBatchSource base;
  SondeNamedTensors *batches;
} Source;

static gboolean
load_batch (SondeBatchSource *base, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
            SondeTensor **labels, GError **error)
{
  SondeNamedTensors *batches = ((Source *) base)->batches;
  g_autofree char *x = g_strdup_printf ("x%u", batch), *y = g_strdup_printf ("y%u", batch);

  inputs[0] = sonde_tensor_ref (sonde_named_tensors_lookup (batches, x));
  inputs[1] = sonde_tensor_ref (sonde_named_tensors_lookup (batches, y));
  return TRUE;
}

static char *
path_of (const char *net, const char *file)
{
  g_autofree char *relative = g_strdup_printf ("models/training/%s/%s", net, file);

  return sonde_test_shared_path (relative);
}

static SondeNamedTensors *
read_arrays (const char *net, const char *file)
{
  g_autofree char *path = path_of (net, file);
  g_autoptr (GError) error = NULL;
  SondeNamedTensors *tensors = sonde_npz_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensors;
}

/* PyTorch's names of what ONNX's LSTM has as W, R and B, whose gates come as input, output, forget,
 * cell. */
static const struct
{
  const char *name, *parts[2];
} recurrent[] = {
  { "W", { "rnn.weight_ih_l0" } },
  { "R", { "rnn.weight_hh_l0" } },
  { "B", { "rnn.bias_ih_l0", "rnn.bias_hh_l0" } },
};

static const int gate_order[] = { 0, 3, 1, 2 };

/* PREFIX/NAME of the file as the parameter lies. (transfer full) (nullable): the file does not have
 * it */
static SondeTensor *
look_up (SondeNamedTensors *arrays, const char *prefix, const char *name)
{
  g_autofree char *key = g_strdup_printf ("%s/%s", prefix, name);
  SondeTensor *found = sonde_named_tensors_lookup (arrays, key), *gates;
  SondeShape shape;
  gint64 at = 0;

  if (found != NULL)
    return sonde_tensor_contiguous (found);
  for (gsize i = 0; i < G_N_ELEMENTS (recurrent); i++)
    {
      g_autoptr (SondeTensor) joined = NULL;

      if (!g_str_equal (name, recurrent[i].name))
        continue;
      for (guint k = 0; k < 2 && recurrent[i].parts[k] != NULL; k++)
        {
          g_autofree char *part = g_strdup_printf ("%s/%s", prefix, recurrent[i].parts[k]);
          gint64 n, size;

          gates = sonde_named_tensors_lookup (arrays, part);
          if (gates == NULL)
            return NULL;
          n = sonde_tensor_n_elements (gates);
          size = n / 4;
          if (joined == NULL)
            {
              shape = sonde_shape_make (1, (int) (recurrent[i].parts[1] != NULL ? 2 * n : n));
              joined = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
            }
          for (int g = 0; g < 4; g++)
            for (gint64 e = 0; e < size; e++)
              sonde_tensor_set_double (joined, at++,
                                       sonde_tensor_get_double (gates, gate_order[g] * size + e));
        }
      return g_steal_pointer (&joined);
    }
  return NULL;
}

static double
norm_of (SondeTensor *tensor)
{
  double sum = 0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sum += sonde_tensor_get_double (tensor, i) * sonde_tensor_get_double (tensor, i);
  return sqrt (sum);
}

/* The first elements of @got: files hold only the first rows of large parameters. */
static void
assert_near (SondeTensor *got, SondeTensor *want, double tolerance, const char *what,
             const char *name)
{
  g_assert_cmpint (sonde_tensor_n_elements (got), >=, sonde_tensor_n_elements (want));
  for (gint64 i = 0; i < sonde_tensor_n_elements (want); i++)
    {
      double a = sonde_tensor_get_double (got, i), b = sonde_tensor_get_double (want, i);

      if (!(fabs (a - b) <= tolerance))
        g_error ("%s of %s, element %" G_GINT64_FORMAT ": %.9g, not %.9g (tolerance %.3g)", what,
                 name, i, a, b, tolerance);
    }
}

/* Gradients with rtol 1e-4 of their norm; a bias before a normalisation has one of nothing but
 * rounding. */
static void
compare_gradients (SondeTrainer *trainer, SondeNamedTensors *wanted, guint step)
{
  g_autofree char *prefix = g_strdup_printf ("grad%u", step);
  GPtrArray *parameters = sonde_trainer_get_parameters (trainer);

  for (guint i = 0; i < parameters->len; i++)
    {
      SondeGraphValue *parameter = g_ptr_array_index (parameters, i);
      g_autoptr (SondeTensor) want = look_up (wanted, prefix, parameter->name), got = NULL;
      g_autoptr (GError) error = NULL;

      if (want == NULL)
        continue;
      got = sonde_execution_read (sonde_trainer_get_execution (trainer),
                                  sonde_trainer_get_gradient (trainer, parameter), &error);
      g_assert_no_error (error);
      assert_near (got, want, 1e-4 * norm_of (want) + 1e-6, prefix, parameter->name);
    }
}

/* Where a gradient is near 0, Adam's sign is noise: err32 says how much (models/README.md). */
static void
compare_weights (SondeTrainer *trainer, SondeNamedTensors *wanted)
{
  double noise = 4 * sonde_tensor_get_double (sonde_named_tensors_lookup (wanted, "err32"), 0);
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, FALSE);
  guint n = 0;

  for (gsize i = 0; names[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) want = look_up (wanted, "final", names[i]), got = NULL;

      if (want == NULL)
        continue;
      got = sonde_trainer_read_parameter (trainer, names[i], &error);
      g_assert_no_error (error);
      assert_near (got, want, noise + 1e-6, "weights", names[i]);
      n++;
    }
  g_assert_cmpuint (n, >=, 3);
}

static SondeTrainerOptions
options_of (const Reference *row, guint batch)
{
  SondeTrainerOptions options = { .loss = "output:loss",
                                  .optimiser = row->optimiser,
                                  .steps = N_STEPS,
                                  .batch = batch,
                                  .learning_rate = 0.001,
                                  .memory = SONDE_MEMORY_KEEP,
                                  .threads = row->threads };

  if (g_str_equal (row->optimiser, "sgd"))
    {
      options.learning_rate = 0.05;
      options.momentum = 0.9;
      options.weight_decay = 0.0005;
    }
  if (g_str_equal (row->optimiser, "adamw"))
    options.weight_decay = 0.01;
  return options;
}

static void
test_steps (gconstpointer data)
{
  const Reference *row = data;
  g_autofree char *path = path_of (row->net, "forward.onnx"),
                  *file = g_strconcat (row->optimiser, ".npz", NULL);
  g_autoptr (SondeNamedTensors) batches = NULL, wanted = NULL;
  g_autoptr (SondeGraph) model = NULL;
  g_autoptr (SondeTrainer) trainer = NULL;
  g_autoptr (GError) error = NULL;
  SondeTrainerOptions options;
  SondeTensor *losses;
  Source source;
  guint batch;

  if (path == NULL)
    return;
  batches = read_arrays (row->net, "batches.npz");
  wanted = read_arrays (row->net, file);
  losses = sonde_named_tensors_lookup (wanted, "loss");
  batch = (guint) sonde_named_tensors_lookup (batches, "x0")->shape.dims[0];
  model = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  source = (Source){ { batch * N_STEPS, 0, load_batch }, batches };
  options = options_of (row, batch);
  trainer = sonde_trainer_new (model, &source.base, &options, &error);
  g_assert_no_error (error);
  for (guint step = 0; step < N_STEPS; step++)
    {
      g_assert_cmpint (sonde_trainer_run_step (trainer, &error), ==, SONDE_RUN_DONE);
      g_assert_no_error (error);
      g_assert_cmpfloat_with_epsilon (sonde_trainer_get_state (trainer)->loss,
                                      sonde_tensor_get_double (losses, step), 5e-6);
      compare_gradients (trainer, wanted, step);
    }
  compare_weights (trainer, wanted);
}

static const char *const nets[] = { "mlp", "lenet", "bn-resnet", "lstm", "encoder" };
static const char *const optimisers[] = { "sgd", "adam", "adamw" };

int
main (int argc, char **argv)
{
  static Reference rows[G_N_ELEMENTS (nets) * G_N_ELEMENTS (optimisers) * 2];
  gsize n = 0;

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (nets); i++)
    for (gsize k = 0; k < G_N_ELEMENTS (optimisers); k++)
      for (int threads = 1; threads <= 2; threads++)
        {
          g_autofree char *name
              = g_strdup_printf ("/engine/nn/references/%s/%s/%d", nets[i], optimisers[k], threads);

          rows[n] = (Reference){ nets[i], optimisers[k], threads };
          g_test_add_data_func (name, &rows[n++], test_steps);
        }
  return g_test_run ();
}
