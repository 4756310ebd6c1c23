/* SPDX-License-Identifier: Apache-2.0
 * The precision search: what it finds keeps the tolerance and nothing of it can be left out, as
 * whole runs of the recast graph say, which the search itself does not make. */
#include "engine/debug/searches/sonde-precision.h"

#include <math.h>
#include <string.h>

#include "engine/live/sonde-compare.h"
#include "engine/ops/sonde-build.h"
#include "tests/engine/plan/training-net.h"

#define SIDE 8
#define N_BLOCKS 30

typedef struct
{
  SondeGraph *graph;
  SondeDevice *device;
  SondePlan *plan;
  SondeExecution *execution;
} Run;

static void
run_clear (Run *run)
{
  g_clear_pointer (&run->execution, sonde_execution_free);
  g_clear_pointer (&run->plan, sonde_plan_unref);
  g_clear_pointer (&run->device, sonde_device_unref);
  g_clear_pointer (&run->graph, sonde_graph_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Run, run_clear)

static SondeGraphValue *
add (SondeGraph *graph, const char *stem, guint number, const char *op, SondeGraphValue *a,
     SondeGraphValue *b)
{
  SondeGraphValue *inputs[] = { a, b };
  g_autofree char *name = g_strdup_printf ("%s%u", stem, number);

  return sonde_build_op (graph, name, "", op, b != NULL ? 2 : 1, inputs);
}

static SondeGraphValue *
add_scalar (SondeGraph *graph, double number)
{
  SondeShape shape = { 0 };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  sonde_tensor_set_double (tensor, 0, number);
  return sonde_graph_add_initialiser (graph, NULL, tensor, SONDE_ROLE_CONSTANT);
}

/* Blocks that bear few bits, and every tenth one that takes the difference of two large numbers. */
static SondeGraph *
make_graph (guint32 seed)
{
  SondeGraph *graph = sonde_graph_new ("blocks");
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x, *h;

  sonde_graph_set_opset (graph, "", 17);
  h = x = sonde_graph_add_input (graph, "x", &type);
  for (guint i = 0; i < N_BLOCKS; i++)
    {
      g_autoptr (SondeTensor) tensor = random_f32 (&shape, 0.5, seed + i);
      SondeGraphValue *y;

      y = add (graph, "mm", i, "MatMul", h,
               sonde_graph_add_initialiser (graph, NULL, tensor, SONDE_ROLE_PARAMETER));
      y = add (graph, "tanh", i, "Tanh", y, NULL);
      if (i % 10 == 4)
        {
          SondeGraphValue *large = add (graph, "up", i, "Add", y, add_scalar (graph, 300));

          y = add (graph, "down", i, "Sub", large, add_scalar (graph, 300));
        }
      h = add (graph, "res", i, "Add", y,
               add (graph, "half", i, "Mul", h, add_scalar (graph, 0.5)));
    }
  h = add (graph, "out", 0, "Sigmoid", h, NULL);
  sonde_graph_rename_value (graph, h, "y");
  sonde_graph_add_output (graph, h);
  return graph;
}

static void
run_init (Run *run, SondeGraph *graph)
{
  g_autoptr (GError) error = NULL;
  SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };

  run->graph = graph;
  run->device = sonde_device_open ("cpu", 1, &error);
  g_assert_no_error (error);
  run->plan = sonde_plan_new (graph, run->device, &options, &error);
  g_assert_no_error (error);
  run->execution = sonde_execution_new (run->plan, &error);
  g_assert_no_error (error);
}

/* Error of a whole run with those nodes kept. */
static double
measure (Run *run, SondeDtype precision, const GPtrArray *kept, const GPtrArray *values,
         guint without)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  SondeReplicaOptions options = { .precision = precision }, single = { 0 };
  g_autoptr (SondeReplica) replica = NULL, reference = NULL;
  g_autoptr (GError) error = NULL;
  double worst = 0;

  for (guint i = 0; i < kept->len; i++)
    if (i != without)
      g_ptr_array_add (names, kept->pdata[i]);
  g_ptr_array_add (names, NULL);
  options.kept = (const char *const *) names->pdata;
  replica = sonde_replica_new (run->execution, &options, &error);
  g_assert_no_error (error);
  reference = sonde_replica_new (run->execution, &single, &error);
  g_assert_no_error (error);
  sonde_replica_run (replica, G_MAXUINT, NULL, NULL, &error);
  sonde_replica_run (reference, G_MAXUINT, NULL, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < values->len; i++)
    {
      g_autoptr (SondeValue) mine = sonde_replica_read (replica, values->pdata[i], &error);
      g_autoptr (SondeValue) wanted = sonde_replica_read (reference, values->pdata[i], &error);
      SondeComparison comparison;

      g_assert_no_error (error);
      g_assert_true (sonde_compare_tensors (sonde_value_get_tensor (mine),
                                            sonde_value_get_tensor (wanted), &comparison, &error));
      worst = MAX (worst, comparison.nan_mismatch > 0
                              ? INFINITY
                              : comparison.max_abs / comparison.max_reference);
    }
  return worst;
}

/* Every promise of the search, by whole runs. */
static void
check (Run *run, const SondePrecisionOptions *options, const SondePrecisionFound *found)
{
  g_test_message (
      "kept %u of %u nodes, reached %g of %g, all low %g, %u sets tried, as much as %.1f runs",
      found->kept->len, found->n_nodes, found->reached, found->tolerance, found->lowest,
      found->n_runs, found->whole_runs);
  g_assert_cmpfloat (found->reached, <=, options->tolerance);
  g_assert_cmpfloat (measure (run, options->precision, found->kept, found->values, G_MAXUINT), ==,
                     found->reached);
  for (guint i = 0; i < found->kept->len; i++)
    g_assert_cmpfloat (measure (run, options->precision, found->kept, found->values, i), >,
                       options->tolerance);
}

static void
test_blocks (void)
{
  static const SondePrecisionOptions cases[] = {
    { SONDE_DTYPE_BF16, 0.5 },   { SONDE_DTYPE_BF16, 0.05 }, { SONDE_DTYPE_BF16, 0.01 },
    { SONDE_DTYPE_BF16, 0.004 }, { SONDE_DTYPE_BF16, 1e-3 }, { SONDE_DTYPE_F16, 0.01 },
    { SONDE_DTYPE_F16, 1e-3 },   { SONDE_DTYPE_F16, 2e-4 },
  };
  g_auto (Run) run = { NULL };
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 3);
  g_autoptr (GError) error = NULL;
  guint last = 0;

  run_init (&run, make_graph (11));
  sonde_execution_set_input (run.execution, "x", x, &error);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondePrecisionFound) found
          = sonde_precision_search (run.execution, &cases[i], &error);

      g_assert_no_error (error);
      check (&run, &cases[i], found);
      g_assert_cmpuint (found->n_nodes, ==, N_BLOCKS * 4 + 2 * 3 + 1);
      if (i > 0 && cases[i].precision == cases[i - 1].precision)
        g_assert_cmpuint (found->kept->len + found->n_nodes / 10, >=, last);
      last = found->kept->len;
    }
}

/* Everything, nothing, and what cannot be. */
static void
test_ends (void)
{
  static const char *const inner[] = { "res3_output_0", NULL }, *const nothing[]
                                                                = { "nothing", NULL };
  SondePrecisionOptions options = { SONDE_DTYPE_BF16, 1e9 };
  g_auto (Run) run = { NULL };
  SondeShape shape = sonde_shape_make (2, SIDE, SIDE);
  g_autoptr (SondeTensor) x = random_f32 (&shape, 1, 3);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePrecisionFound) all = NULL, none = NULL;
  SondeGraphValue *value;

  run_init (&run, make_graph (11));
  sonde_execution_set_input (run.execution, "x", x, &error);
  all = sonde_precision_search (run.execution, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (all->kept->len, ==, 0);
  g_assert_cmpuint (all->n_runs, ==, 2);
  options.tolerance = 0;
  value = sonde_node_get_output (sonde_graph_find_node (run.graph, "res3"), 0);
  sonde_graph_rename_value (run.graph, value, inner[0]);
  options.values = inner;
  none = sonde_precision_search (run.execution, &options, &error);
  g_assert_no_error (error);
  check (&run, &options, none);
  g_assert_cmpfloat (none->reached, ==, 0);
  options.values = nothing;
  g_assert_null (sonde_precision_search (run.execution, &options, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_clear_error (&error);
  options = (SondePrecisionOptions){ SONDE_DTYPE_I8, 1 };
  g_assert_null (sonde_precision_search (run.execution, &options, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
}

/* A whole training step: loss and gradients. */
static void
test_training (void)
{
  g_autoptr (TrainingNet) net = training_net_new (4, 16, "sgd");
  g_autoptr (SondeTensor) images = training_net_images (net, 1),
                          labels = training_net_labels (net, 1);
  SondeShape scalar = { 0 };
  g_autoptr (SondeTensor) rate = sonde_tensor_new (SONDE_DTYPE_F32, &scalar);
  g_autoptr (GError) error = NULL;
  g_auto (Run) run = { NULL };
  SondePrecisionOptions options = { SONDE_DTYPE_BF16, 0.05 };
  g_autoptr (SondePrecisionFound) found = NULL;

  sonde_tensor_set_double (rate, 0, 0.1);
  run_init (&run, sonde_graph_ref (net->graph));
  sonde_execution_set_input (run.execution, "x", images, &error);
  sonde_execution_set_input (run.execution, "labels", labels, &error);
  sonde_execution_set_input (run.execution, "rate", rate, &error);
  sonde_execution_run (run.execution, &error);
  g_assert_no_error (error);
  found = sonde_precision_search (run.execution, &options, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (found->values->len, >, 8);
  g_assert_cmpuint (found->kept->len, >, 0);
  check (&run, &options, found);
}

static void
test_recipe (void)
{
  g_autoptr (SondePrecisionFound) found = sonde_precision_found_new ();
  g_autofree char *text = NULL;
  g_auto (GStrv) kept = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = make_graph (1);
  static const char *const unknown[] = { "tanh3", "no", NULL };
  static const char *const bad[]
      = { "", "[precision]\ndefault=f7\n", "nonsense", "[keep-f32]\nnodes=a;\n" };
  SondeDtype precision;

  found->precision = SONDE_DTYPE_F16;
  g_ptr_array_add (found->kept, g_strdup ("/a b;c=[3]\\/Mul"));
  g_ptr_array_add (found->kept, g_strdup ("grad(x, #y)"));
  text = sonde_precision_format (found);
  g_assert_true (sonde_precision_parse (text, &precision, &kept, &error));
  g_assert_cmpint (precision, ==, SONDE_DTYPE_F16);
  g_assert_cmpuint (g_strv_length (kept), ==, 2);
  g_assert_cmpstr (kept[0], ==, found->kept->pdata[0]);
  g_assert_cmpstr (kept[1], ==, found->kept->pdata[1]);
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_auto (GStrv) nodes = NULL;

      g_assert_false (sonde_precision_parse (bad[i], &precision, &nodes, &error));
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
      g_clear_error (&error);
    }
  g_assert_false (sonde_precision_apply (graph, SONDE_DTYPE_BF16, unknown, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/debug/precision/blocks", test_blocks);
  g_test_add_func ("/debug/precision/ends", test_ends);
  g_test_add_func ("/debug/precision/training", test_training);
  g_test_add_func ("/debug/precision/recipe", test_recipe);
  return g_test_run ();
}
