/* SPDX-License-Identifier: Apache-2.0
 * What a recording costs a run: `bench-profile NET compare|off|on [RUNS]`. NET is a model file, "resnet50",
 * "densenet121", "shufflenet" (224 × 224) or "train:NAME" for steps of a built-in model on images of 32 × 32. compare: runs with and without, in turns,
 * their least times, and ns a step of the plan; off, on: only such runs, for programs that count instructions. */
#include "data/base/sonde-clock.h"
#include "data/base/sonde-span-counters.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-zoo.h"
#include "engine/plan/sonde-execution-spans.h"
#include "tests/bench/profile-nets.h"
#include "tests/bench/resnet-net.h"

#include <stdlib.h>
#include <string.h>

#define BATCH 8
#define BLOCK                                                                                      \
  20 /* runs in turns; the memory of short ones is counted in the first 8 and then now and then */

/* Either an execution or a trainer. */
typedef struct
{
  SondeExecution *execution;
  SondeTrainer *trainer;
  SondeSpanLog *log;
} Net;

static void
fail (const GError *error)
{
  g_printerr ("%s\n", error->message);
  exit (1);
}

/* ---- nets ----------------------------------------------------------------------- */

static void
fill_inputs (SondeExecution *execution, SondeGraph *graph)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      g_autoptr (SondeTensor) tensor = NULL;
      SondeShape shape;

      sonde_type_get_shape (&input->type, &shape);
      tensor = sonde_tensor_new (input->type.dtype, &shape);
      for (gint64 k = 0; k < sonde_tensor_n_elements (tensor); k++)
        sonde_tensor_set_double (tensor, k, (double) (k % 3));
      if (!sonde_execution_set_input (execution, input->name, tensor, &error))
        fail (error);
    }
}

/* Sizes that the model leaves open are 1. */
static GArray *
bind_inputs (const SondeGraph *graph)
{
  GArray *bindings = g_array_new (FALSE, TRUE, sizeof (SondeBinding));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (graph->inputs, i);
      SondeBinding binding = { input->name, input->type };

      for (int d = 0; d < binding.type.rank; d++)
        if (binding.type.dims[d].size < 0)
          binding.type.dims[d] = (SondeDimension){ 1, NULL };
      g_array_append_val (bindings, binding);
    }
  return bindings;
}

static void
open_inference (Net *net, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) original
      = g_str_equal (name, "resnet50") ? resnet_net_new (1, 224) : profile_net_new (name);
  g_autoptr (GArray) bindings = NULL;
  g_autoptr (SondeGraph) graph = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
  g_autoptr (SondePlan) plan = NULL;
  SondePlanOptions options = { 0 };

  if (original == NULL)
    original = sonde_model_load (NULL, name, &error);
  if (original == NULL)
    fail (error);
  bindings = bind_inputs (original);
  options.bindings = (const SondeBinding *) (void *) bindings->data;
  options.n_bindings = bindings->len;
  graph = sonde_prepare_unwatched_inference (original, options.bindings, bindings->len, &error);
  if (graph == NULL || (plan = sonde_plan_new (graph, device, &options, &error)) == NULL
      || (net->execution = sonde_execution_new (plan, &error)) == NULL)
    fail (error);
  fill_inputs (net->execution, graph);
  sonde_execution_set_spans (net->execution, net->log, TRUE);
}

static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  SondeShape shape = sonde_shape_make (4, BATCH, 3, 32, 32),
             label_shape = sonde_shape_make (1, BATCH);

  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_I64, &label_shape);
  return TRUE;
}

static void
open_training (Net *net, const char *name, SondeBatchSource *source)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build (name, 3, 32, 32, 10, 1, &error);
  SondeTrainerOptions options = { .learning_rate = 0.01,
                                  .steps = 1u << 30,
                                  .batch = BATCH,
                                  .update_in_place = TRUE,
                                  .on_nan = SONDE_NAN_WARN,
                                  .threads = 1 };

  *source = (SondeBatchSource){ BATCH << 20, 0, load };
  if (model == NULL || (net->trainer = sonde_trainer_new (model, source, &options, &error)) == NULL)
    fail (error);
  sonde_trainer_set_spans (net->trainer, net->log);
}

/* ---- runs ------------------------------------------------------------------------- */

static double
run (Net *net)
{
  g_autoptr (GError) error = NULL;
  gint64 start = sonde_clock_monotonic_ns (NULL);
  SondeRunResult result = net->trainer != NULL ? sonde_trainer_run_step (net->trainer, &error)
                                               : sonde_execution_run (net->execution, &error);

  if (result != SONDE_RUN_DONE)
    fail (error);
  return (double) (sonde_clock_monotonic_ns (NULL) - start);
}

/* The least of @n runs, not of the first one, where rings and labels are made. */
static double
run_block (Net *net, guint n)
{
  double least = G_MAXDOUBLE;

  run (net);
  for (guint i = 0; i < n; i++)
    least = MIN (least, run (net));
  return least;
}

static void
compare (Net *net, const char *name, guint n)
{
  SondePlan *plan = sonde_execution_get_plan (
      net->trainer != NULL ? sonde_trainer_get_execution (net->trainer) : net->execution);
  guint n_steps = sonde_plan_get_n_steps (plan);
  double off = G_MAXDOUBLE, on = G_MAXDOUBLE;

  guint block = MIN (n, BLOCK);

  for (guint i = 0; i < n / block; i++)
    {
      sonde_span_log_stop (net->log);
      off = MIN (off, run_block (net, block));
      sonde_span_log_start (net->log, NULL);
      on = MIN (on, run_block (net, block));
    }
  g_print ("%s: %u steps, off %.1f us, on %.1f us: x %.4f, %.1f ns a step\n", name, n_steps,
           off / 1e3, on / 1e3, on / off, (on - off) / n_steps);
}

int
main (int argc, char *argv[])
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeSpanCounters) counters = sonde_span_counters_new (log);
  Net net = { .log = log };
  SondeBatchSource source;
  guint n = argc > 3 ? (guint) strtoul (argv[3], NULL, 10) : 200;

  if (argc < 3)
    {
      g_printerr ("Use: bench-profile NET compare|off|on [RUNS]\n");
      return 2;
    }
  if (g_str_has_prefix (argv[1], "train:"))
    open_training (&net, argv[1] + strlen ("train:"), &source);
  else
    open_inference (&net, argv[1]);
  run (&net);
  if (g_str_equal (argv[2], "compare"))
    compare (&net, argv[1], n);
  else
    {
      if (g_str_equal (argv[2], "on"))
        sonde_span_log_start (log, NULL);
      for (guint i = 0; i < n; i++)
        run (&net);
    }
  sonde_trainer_free (net.trainer);
  sonde_execution_free (net.execution);
  return 0;
}
