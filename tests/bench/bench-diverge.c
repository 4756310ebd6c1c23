/* SPDX-License-Identifier: Apache-2.0
 * What the first divergent node costs: a random graph of 1,000 nodes with the reference of plain
 * kernels, against what the two runs take by themselves (set up and run from nothing, and run
 * again). --model FILE writes a net with a value of ten million elements instead, for
 * tests/bench/debugger-latency.py. bench-diverge [--nodes N] [--side N] [--rounds N] */
#include "data/base/sonde-clock.h"
#include "data/models/sonde-model-file.h"
#include "engine/debug/searches/sonde-diverge.h"
#include "engine/ops/sonde-build.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct
{
  int nodes, rounds;
  gint64 side;
  const char *model;
} Options;

static void
die (const GError *error)
{
  fprintf (stderr, "bench-diverge: %s\n", error->message);
  exit (1);
}

static double
since (gint64 start)
{
  return (double) (sonde_clock_monotonic_ns (NULL) - start) / 1e6;
}

static SondeTensor *
random_square (gint64 side, guint seed)
{
  const SondeShape shape = sonde_shape_make (2, (int) side, (int) side);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GRand) random = g_rand_new_with_seed (seed);

  for (gint64 i = 0; i < side * side; i++)
    ((float *) tensor->data)[i] = (float) g_rand_double_range (random, -1, 1) / (float) side * 8;
  return tensor;
}

/* Products, differences and curves of the value before, and one of the twelve before it. */
static SondeGraph *
make_graph (const Options *options)
{
  static const char *const curves[] = { "Tanh", "Sigmoid", "Relu", "Softmax", "Neg" };
  SondeGraph *graph = sonde_graph_new ("random");
  const SondeShape shape = sonde_shape_make (2, (int) options->side, (int) options->side);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  g_autoptr (GRand) random = g_rand_new_with_seed (5);
  g_autoptr (GPtrArray) made = g_ptr_array_new ();

  sonde_graph_set_opset (graph, "", 17);
  g_ptr_array_add (made, sonde_graph_add_input (graph, "x", &type));
  for (int i = 0; i < options->nodes; i++)
    {
      gint32 reach = (gint32) MIN (made->len, 12);
      SondeGraphValue *inputs[2]
          = { made->pdata[made->len - 1], /* so that none is in vain */
              made->pdata[made->len - 1 - (guint) g_rand_int_range (random, 0, reach)] };
      int kind = g_rand_int_range (random, 0, 8);

      if (kind < 2)
        {
          g_autoptr (SondeTensor) weight = random_square (options->side, (guint) i);

          inputs[1] = sonde_graph_add_initialiser (graph, NULL, weight, SONDE_ROLE_PARAMETER);
        }
      g_ptr_array_add (made, kind < 2 ? sonde_build_op (graph, NULL, "", "MatMul", 2, inputs)
                             : kind == 2
                                 ? sonde_build_op (graph, NULL, "", "Sub", 2, inputs)
                                 : sonde_build_op (graph, NULL, "", curves[kind - 3], 1, inputs));
    }
  sonde_graph_add_output (graph, made->pdata[made->len - 1]);
  return graph;
}

/* A run as a debugger has it. (transfer full) */
static SondeExecution *
start (SondeGraph *model, const char *name, SondeTensor *x)
{
  GError *error = NULL;
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (model, &error);
  g_autoptr (SondeDevice) device = sonde_device_open (name, 1, &error);
  const SondePlanOptions plan_options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  g_autoptr (SondePlan) plan = graph != NULL && device != NULL
                                   ? sonde_plan_new (graph, device, &plan_options, &error)
                                   : NULL;
  SondeExecution *execution = plan != NULL ? sonde_execution_new (plan, &error) : NULL;

  if (execution == NULL || !sonde_execution_set_input (execution, "x", x, &error)
      || sonde_execution_run (execution, &error) != SONDE_RUN_DONE)
    die (error);
  return execution;
}

static double
run_again (SondeExecution *execution)
{
  gint64 begin = sonde_clock_monotonic_ns (NULL);

  sonde_execution_run (execution, NULL);
  return since (begin);
}

static void
measure (const Options *options)
{
  g_autoptr (SondeGraph) model = make_graph (options);
  g_autoptr (SondeTensor) x = random_square (options->side, 99);
  double together = 1e18, first = 1e18, again = 1e18;
  guint n = 0;

  for (int round = 0; round < options->rounds; round++)
    {
      SondeDivergeOptions diverge
          = { .reference = { .device = "reference", .threads = 1 }, .rtol = -1 };
      gint64 begin = sonde_clock_monotonic_ns (NULL);
      g_autoptr (SondeExecution) run = start (model, "cpu", x),
                                 other = start (model, "reference", x);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeDivergence) found = NULL;

      first = MIN (first, since (begin));
      again = MIN (again, run_again (run) + run_again (other));
      begin = sonde_clock_monotonic_ns (NULL);
      found = sonde_diverge (run, &diverge, &error);
      if (found == NULL)
        die (error);
      together = MIN (together, since (begin));
      n = found->values->len;
    }
  printf ("%u values compared: %.1f ms; both runs from nothing %.1f ms (ratio %.2f), run again "
          "%.1f ms (ratio %.2f)\n",
          n, together, first, together / first, again, together / again);
}

/* x [10, 1000, 1000] -> Relu -> Neg */
static void
write_model (const char *path)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("wide");
  const SondeShape shape = sonde_shape_make (3, 10, 1000, 1000);
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x = sonde_graph_add_input (graph, "x", &type), *y, *z;
  g_autoptr (GError) error = NULL;

  sonde_graph_set_opset (graph, "", 17);
  y = sonde_build_op (graph, "relu", "", "Relu", 1, &x);
  z = sonde_build_op (graph, "neg", "", "Neg", 1, &y);
  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_add_output (graph, z);
  if (!sonde_model_save (NULL, path, graph, &error))
    die (error);
}

int
main (int argc, char *argv[])
{
  Options options = { .nodes = 1000, .rounds = 5, .side = 64 };

  for (int i = 1; i + 1 < argc; i += 2)
    {
      if (strcmp (argv[i], "--nodes") == 0)
        options.nodes = atoi (argv[i + 1]);
      else if (strcmp (argv[i], "--side") == 0)
        options.side = atoi (argv[i + 1]);
      else if (strcmp (argv[i], "--rounds") == 0)
        options.rounds = atoi (argv[i + 1]);
      else if (strcmp (argv[i], "--model") == 0)
        options.model = argv[i + 1];
    }
  if (options.model != NULL)
    write_model (options.model);
  else
    measure (&options);
  return 0;
}
