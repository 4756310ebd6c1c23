/* SPDX-License-Identifier: Apache-2.0
 * What-if runs against the real thing: for each step that takes a tenth of a run or more, the saving
 * that sonde_what_if_run_new() tells and that of a graph in which the results of the step are constants,
 * in turns. bench-what-if [--threads N] [--rounds N] [MODEL…]; without a model a training step of LeNet. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-clock.h"
#include "data/models/sonde-model-file.h"
#include "data/profiles/sonde-rank-test.h"
#include "engine/profile/sonde-what-if-run.h"
#include "tests/engine/plan/training-net.h"

#define SHARE 0.1
#define PAIRS 20

typedef struct
{
  SondeDevice *device;
  int rounds;
  void (*give) (SondeExecution *execution, gpointer data);
  gpointer data;
  GArray *bindings; /* (element-type SondeBinding) */
} Bench;

static void
stop (const GError *error)
{
  if (error == NULL)
    return;
  fprintf (stderr, "bench-what-if: %s\n", error->message);
  exit (1);
}

/* ---- runs -------------------------------------------------------------------- */

static SondeExecution *
start (const Bench *bench, SondeGraph *graph, SondeMemoryMode memory)
{
  g_autoptr (GError) error = NULL;
  SondePlanOptions options = { .memory = memory,
                               .bindings = (const SondeBinding *) bench->bindings->data,
                               .n_bindings = bench->bindings->len };
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, bench->device, &options, &error);
  SondeExecution *execution = plan != NULL ? sonde_execution_new (plan, &error) : NULL;

  stop (error);
  bench->give (execution, bench->data);
  return execution;
}

static double
run_ms (SondeExecution *execution)
{
  g_autoptr (GError) error = NULL;
  gint64 begin = sonde_clock_monotonic_ns (NULL);

  sonde_execution_run (execution, &error);
  stop (error);
  return (double) (sonde_clock_monotonic_ns (NULL) - begin) / 1e6;
}

/* Difference of the medians of runs in turns. */
static double
compare (SondeExecution *base, SondeExecution *fed)
{
  double a[PAIRS], b[PAIRS];

  for (guint i = 0; i < PAIRS; i++)
    {
      if (i % 2 == 1)
        a[i] = run_ms (base);
      b[i] = run_ms (fed);
      if (i % 2 == 0)
        a[i] = run_ms (base);
    }
  return sonde_quantile (a, PAIRS, 0.5) - sonde_quantile (b, PAIRS, 0.5);
}

/* ---- one step ------------------------------------------------------------------ */

/* A copy of @graph in which what @step makes are constants, with what it made in @kept. */
static SondeGraph *
make_fed (SondeGraph *graph, const SondeStep *step, SondeExecution *kept)
{
  SondeGraph *fed = sonde_graph_copy (graph, FALSE);
  SondeGraph *kept_graph = sonde_plan_get_graph (sonde_execution_get_plan (kept));

  for (guint i = 0; i < step->n_nodes; i++)
    for (guint k = 0; k < step->nodes[i]->outputs->len; k++)
      {
        const SondeGraphValue *output = sonde_node_get_output (step->nodes[i], k);
        SondeGraphValue *value = output != NULL ? sonde_graph_find_value (fed, output->name) : NULL;
        g_autoptr (SondeTensor) tensor = NULL;
        g_autoptr (GError) error = NULL;

        if (value == NULL)
          continue;
        tensor = sonde_execution_read (kept, sonde_graph_find_value (kept_graph, output->name),
                                       &error);
        stop (error);
        sonde_graph_replace_value (
            fed, value, sonde_graph_add_initialiser (fed, NULL, tensor, SONDE_ROLE_CONSTANT));
      }
  for (guint i = 0; i < step->n_nodes; i++)
    sonde_graph_remove_node (fed, sonde_graph_find_node (fed, step->nodes[i]->name));
  return fed;
}

static void
measure_step (const Bench *bench, SondeExecution *base, SondeExecution *kept, guint index,
              double share)
{
  SondePlan *plan = sonde_execution_get_plan (base);
  const SondeStep *step = sonde_plan_get_step (plan, index);
  g_autoptr (SondeGraph) graph = make_fed (sonde_plan_get_graph (plan), step, kept);
  g_autoptr (SondeExecution) fed = start (bench, graph, SONDE_MEMORY_PLAN);
  g_autofree double *told = g_new (double, bench->rounds), *real = g_new (double, bench->rounds),
                    *ratio = g_new (double, bench->rounds);

  for (int round = 0; round < bench->rounds; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeWhatIfRun) run = sonde_what_if_run_new (base, step->name, PAIRS, &error);

      stop (error);
      told[round] = (run->result.base_ns - run->result.without_ns) / 1e6;
      real[round] = compare (base, fed);
      ratio[round] = told[round] / real[round];
    }
  printf ("  %-34.34s %4.1f %% of the run: told %.4f ms, real %.4f ms, ratio %.3f\n", step->name,
          100 * share, sonde_quantile (told, bench->rounds, 0.5),
          sonde_quantile (real, bench->rounds, 0.5), sonde_quantile (ratio, bench->rounds, 0.5));
}

static void
measure (const Bench *bench, SondeGraph *graph, const char *title)
{
  g_autoptr (SondeGraph) copy = sonde_graph_copy (graph, FALSE);
  g_autoptr (SondeExecution) base = start (bench, graph, SONDE_MEMORY_PLAN);
  g_autoptr (SondeExecution) kept = start (bench, copy, SONDE_MEMORY_KEEP);
  guint n = sonde_plan_get_n_steps (sonde_execution_get_plan (base));
  g_autofree double *times = g_new0 (double, n);
  double sum = 0;

  run_ms (kept);
  sonde_execution_set_timing (base, TRUE);
  for (guint i = 0; i < PAIRS; i++)
    run_ms (base);
  for (guint i = 0; i < n; i++)
    sum += times[i] = sonde_execution_get_step_ns (base, i);
  sonde_execution_set_timing (base, FALSE);
  printf ("%s\n", title);
  for (guint i = 0; i < n; i++)
    if (times[i] >= SHARE * sum
        && sonde_plan_get_step (sonde_execution_get_plan (base), i)->n_nodes > 0)
      measure_step (bench, base, kept, i, times[i] / sum);
}

/* ---- what is run --------------------------------------------------------------- */

static void
give_model (SondeExecution *execution, gpointer data)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));

  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->inputs, i);
      g_autoptr (SondeTensor) tensor = NULL;
      g_autoptr (GError) error = NULL;
      SondeShape shape;

      if (value->role != SONDE_ROLE_INPUT || !sonde_type_get_shape (&value->type, &shape))
        continue;
      tensor = sonde_tensor_new (value->type.dtype, &shape);
      for (gint64 k = 0; k < sonde_tensor_n_elements (tensor); k++)
        sonde_tensor_set_double (
            tensor, k,
            sonde_dtype_is_float (tensor->dtype) ? (double) (k * 7 % 23) / 11.0 - 1.0 : 0.0);
      sonde_execution_set_input (execution, value->name, tensor, &error);
      stop (error);
    }
}

static void
give_batch (SondeExecution *execution, gpointer data)
{
  g_autoptr (SondeTensor) images = training_net_images (data, 1);
  g_autoptr (SondeTensor) labels = training_net_labels (data, 1);
  g_autoptr (SondeTensor) rate = sonde_tensor_new_f32 (0.01f);
  g_autoptr (GError) error = NULL;

  sonde_execution_set_input (execution, "x", images, &error);
  stop (error);
  sonde_execution_set_input (execution, "labels", labels, &error);
  stop (error);
  sonde_execution_set_input (execution, "rate", rate, &error);
  stop (error);
}

static void
measure_model (Bench *bench, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_model_load (NULL, path, &error);
  g_autoptr (SondeGraph) graph = NULL;

  stop (error);
  graph = sonde_prepare_inference (model, &error);
  stop (error);
  bench->give = give_model;
  g_array_set_size (bench->bindings, 0);
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->inputs, i);
      SondeBinding binding = { value->name, value->type };

      for (int d = 0; d < binding.type.rank; d++)
        if (binding.type.dims[d].size < 0)
          binding.type.dims[d].size = 1;
      if (value->role == SONDE_ROLE_INPUT)
        g_array_append_val (bench->bindings, binding);
    }
  measure (bench, graph, path);
}

static void
measure_training (Bench *bench)
{
  g_autoptr (TrainingNet) net = training_net_new (64, 28, "sgd");

  bench->give = give_batch;
  bench->data = net;
  measure (bench, net->graph, "a training step of LeNet, batch 64");
}

int
main (int argc, char **argv)
{
  Bench bench = { .rounds = 5 };
  g_autoptr (GError) error = NULL;
  int threads = 1, i = 1;

  for (; i + 1 < argc && g_str_has_prefix (argv[i], "--"); i += 2)
    if (strcmp (argv[i], "--threads") == 0)
      threads = MAX (atoi (argv[i + 1]), 1);
    else
      bench.rounds = MAX (atoi (argv[i + 1]), 1);
  bench.device = sonde_device_open ("cpu", threads, &error);
  stop (error);
  bench.bindings = g_array_new (FALSE, FALSE, sizeof (SondeBinding));
  printf ("what if, %d threads, %d rounds of %d pairs\n", threads, bench.rounds, PAIRS);
  if (i == argc)
    measure_training (&bench);
  for (; i < argc; i++)
    measure_model (&bench, argv[i]);
  g_array_unref (bench.bindings);
  sonde_device_unref (bench.device);
  return 0;
}
