/* SPDX-License-Identifier: Apache-2.0
 * Time of a training step (forward, loss, gradients, SGD with momentum) of nets that peers are
 * measured with; tests/bench/training-peers.py runs both in turn.
 * bench-training NET [--threads N] [--rounds N] [--batch N] [--device NAME] [--bf16] [--steps]
 * [--beside] --beside: updates are made beside what they replace, and first values stay */
#include "data/base/sonde-clock.h"
#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-training-graph.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/plan/sonde-execution.h"
#include "tests/bench/bench-steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SEED 7

/* ---- nets ---------------------------------------------------------------- */

static SondeGraph *
build_mlp (GError **error)
{
  SondeLayers *layers = sonde_layers_new ("mlp", SEED);
  SondeGraphValue *x
      = sonde_layers_input (layers, "input", SONDE_DTYPE_F32, 2, (gint64[]){ -1, 784 });

  x = sonde_layers_activation (
      layers, "relu1", sonde_layers_dense (layers, "fc1", x, &(SondeDense){ .outputs = 512 }),
      "relu");
  x = sonde_layers_activation (
      layers, "relu2", sonde_layers_dense (layers, "fc2", x, &(SondeDense){ .outputs = 512 }),
      "relu");
  sonde_layers_output (layers, "logits",
                       sonde_layers_dense (layers, "fc3", x, &(SondeDense){ .outputs = 10 }));
  return sonde_layers_finish (layers, error);
}

static SondeGraph *
build_lstm (GError **error)
{
  SondeLayers *layers = sonde_layers_new ("lstm", SEED);
  SondeGraphValue *x
      = sonde_layers_input (layers, "input", SONDE_DTYPE_F32, 3, (gint64[]){ -1, 32, 64 }),
      *last = NULL;

  (void) sonde_layers_recurrent (layers, "lstm", x, SONDE_RECURRENT_LSTM, 256, FALSE, &last);
  sonde_layers_output (layers, "logits",
                       sonde_layers_dense (layers, "fc", last, &(SondeDense){ .outputs = 10 }));
  return sonde_layers_finish (layers, error);
}

static SondeGraph *
build_encoder (GError **error)
{
  const SondeTransformerBlock block = { .heads = 8, .feed_forward = 1024, .activation = "gelu" };
  SondeLayers *layers = sonde_layers_new ("encoder", SEED);
  SondeGraphValue *x
      = sonde_layers_input (layers, "input", SONDE_DTYPE_F32, 3, (gint64[]){ -1, 64, 256 });

  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *name = g_strdup_printf ("%u", i);

      x = sonde_layers_transformer_block (layers, name, x, &block);
    }
  x = sonde_layers_mean (layers, "mean", x, 1);
  sonde_layers_output (layers, "logits",
                       sonde_layers_dense (layers, "fc", x, &(SondeDense){ .outputs = 10 }));
  return sonde_layers_finish (layers, error);
}

static SondeGraph *
build_lenet (GError **error)
{
  return sonde_zoo_build_for (
      "lenet", &(SondeZooInput){ .channels = 1, .height = 28, .width = 28, .classes = 10 }, SEED,
      error);
}

static SondeGraph *
build_resnet20 (GError **error)
{
  return sonde_zoo_build_for (
      "resnet20", &(SondeZooInput){ .channels = 3, .height = 32, .width = 32, .classes = 10 }, SEED,
      error);
}

static SondeGraph *
build_resnet50 (GError **error)
{
  return sonde_zoo_build_for (
      "resnet50", &(SondeZooInput){ .channels = 3, .height = 224, .width = 224, .classes = 1000 },
      SEED, error);
}

static const struct
{
  const char *name;
  guint batch;
  SondeGraph *(*build) (GError **error);
} nets[] = {
  { "mlp", 64, build_mlp },   { "lenet", 64, build_lenet },    { "resnet20", 64, build_resnet20 },
  { "lstm", 32, build_lstm }, { "encoder", 8, build_encoder }, { "resnet50", 8, build_resnet50 },
};

/* ---- running ------------------------------------------------------------- */

/* Small numbers of both signs; labels 0, 1, … */
static SondeTensor *
new_input (const SondeGraphValue *input, guint batch)
{
  SondeType type = input->type;
  SondeTensor *tensor;
  SondeShape shape;
  gint64 n;

  if (type.rank > 0 && type.dims[0].size < 0)
    type.dims[0] = (SondeDimension){ batch, NULL };
  if (!sonde_type_get_shape (&type, &shape))
    return NULL;

  tensor = sonde_tensor_new (type.dtype, &shape);
  n = sonde_tensor_n_elements (tensor);
  for (gint64 i = 0; i < n; i++)
    if (type.dtype == SONDE_DTYPE_F32)
      sonde_tensor_set_double (tensor, i,
                               (double) ((guint32) i * 2654435761u >> 8) / (1 << 23) - 1);
    else
      sonde_tensor_set_double (tensor, i, (double) (i % 10));
  return tensor;
}

static void
set_inputs (SondeExecution *execution, SondeTrainingGraph *training, guint batch)
{
  SondeGraph *graph = training->graph;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      g_autoptr (SondeTensor) tensor = input == training->learning_rate
                                           ? sonde_tensor_new_f32 (1e-4f)
                                       : input == training->step ? sonde_tensor_new_i64 (1)
                                                                 : new_input (input, batch);

      if (tensor != NULL)
        sonde_execution_set_input (execution, input->name, tensor, NULL);
    }
}

static int
compare_times (gconstpointer a, gconstpointer b)
{
  return *(const gint64 *) a < *(const gint64 *) b ? -1 : *(const gint64 *) a > *(const gint64 *) b;
}

static gboolean
measure (SondeExecution *execution, int rounds, GError **error)
{
  g_autofree gint64 *times = g_new (gint64, rounds);

  for (int i = -1; i < rounds; i++)
    {
      gint64 started = sonde_clock_monotonic_ns (NULL);

      if (sonde_execution_run (execution, error) != SONDE_RUN_DONE)
        return FALSE;
      if (i >= 0)
        times[i] = sonde_clock_monotonic_ns (NULL) - started;
    }

  qsort (times, (gsize) rounds, sizeof (gint64), compare_times);
  printf ("min_ms %.3f median_ms %.3f\n", times[0] * 1e-6, times[rounds / 2] * 1e-6);
  return TRUE;
}

/* Of the model as it was built, those that the plan does not let go: a training keeps them. @plan:
 * (nullable): all */
static guint64
parameter_bytes (const SondeGraph *model, SondePlan *plan)
{
  guint64 bytes = 0;

  for (guint i = 0; i < model->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (model->values, i);

      if (value != NULL && value->role == SONDE_ROLE_PARAMETER && value->constant != NULL
          && (plan == NULL || !sonde_training_lets_go (value, plan)))
        bytes += sonde_tensor_n_bytes (sonde_value_get_tensor (value->constant));
    }
  return bytes;
}

static gboolean
bench (gsize net, const char *device_name, int threads, int rounds, guint batch,
       SondeDtype precision, gboolean steps, gboolean in_place, GError **error)
{
  const SondeTrainerOptions options = { .loss = "cross-entropy",
                                        .optimiser = "sgd",
                                        .momentum = 0.9,
                                        .batch = batch,
                                        .precision = precision };
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, threads, error);
  g_autoptr (SondeGraph) model = device != NULL ? nets[net].build (error) : NULL;
  g_autoptr (SondeTrainingGraph) training
      = model != NULL ? sonde_training_graph_build (model, &options, batch, FALSE, error) : NULL;
  g_autoptr (GArray) bindings
      = training != NULL ? sonde_training_bind_inputs (training->graph, batch) : NULL;
  SondePlanOptions plan_options = { .memory = SONDE_MEMORY_PLAN, .update_in_place = in_place };
  SondePlanMemory memory;
  guint64 first, kept;
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;

  if (training == NULL)
    return FALSE;

  plan_options.bindings = (SondeBinding *) (void *) bindings->data;
  plan_options.n_bindings = bindings->len;
  plan = sonde_plan_new (training->graph, device, &plan_options, error);
  execution = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  if (execution == NULL)
    return FALSE;

  first = parameter_bytes (model, NULL) + sonde_device_get_peak_bytes (device);
  kept = parameter_bytes (model, in_place ? plan : NULL);
  if (in_place)
    {
      sonde_training_let_go (training->graph, plan);
      sonde_training_let_go (model, plan);
    }
  set_inputs (execution, training, batch);
  if (!measure (execution, rounds, error))
    return FALSE;
  if (steps)
    bench_print_steps (execution, rounds);
  sonde_plan_get_memory (plan, &memory);
  printf ("planned_bytes %" G_GUINT64_FORMAT " peak_bytes %" G_GUINT64_FORMAT
          " arena %" G_GUINT64_FORMAT "\n",
          MAX (first, memory.bytes + kept),
          MAX (first, sonde_device_get_peak_bytes (device) + kept),
          sonde_plan_get_arena_bytes (plan));
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  const char *device = "cpu";
  SondeDtype precision = SONDE_DTYPE_F32;
  gboolean steps = FALSE, in_place = TRUE;
  int threads = 1, rounds = 20, batch = 0;
  gsize net = 0;

  for (int i = 1; i < argc; i++)
    if (strcmp (argv[i], "--steps") == 0)
      steps = TRUE;
    else if (strcmp (argv[i], "--beside") == 0)
      in_place = FALSE;
    else if (strcmp (argv[i], "--bf16") == 0)
      precision = SONDE_DTYPE_BF16;
    else if (strcmp (argv[i], "--threads") == 0 && i + 1 < argc)
      threads = (int) g_ascii_strtoll (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--rounds") == 0 && i + 1 < argc)
      rounds = (int) g_ascii_strtoll (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--batch") == 0 && i + 1 < argc)
      batch = (int) g_ascii_strtoll (argv[++i], NULL, 10);
    else if (strcmp (argv[i], "--device") == 0 && i + 1 < argc)
      device = argv[++i];
    else
      for (gsize k = 0; k < G_N_ELEMENTS (nets); k++)
        if (strcmp (argv[i], nets[k].name) == 0)
          net = k;

  if (!bench (net, device, threads, CLAMP (rounds, 1, 10000),
              batch > 0 ? (guint) batch : nets[net].batch, precision, steps, in_place, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  return 0;
}
