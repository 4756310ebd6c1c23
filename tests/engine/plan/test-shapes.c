/* SPDX-License-Identifier: Apache-2.0
 * Inputs of changing sizes: plans that are kept, weights that are there once. */
#include "data/arrays/sonde-npz.h"
#include "data/models/sonde-model-file.h"
#include "engine/ops/sonde-build.h"
#include "engine/plan/execution/sonde-execution-state.h"
#include "engine/plan/sonde-runner.h"
#include "tests/engine/plan/plan-fixture.h"

#include <math.h>
#include <string.h>

/* ---- a net with symbolic sizes ------------------------------------------- */

/* x [N, T] → MatMul (w) → Conv over it (k) → outputs "product" and "y". */
static SondeGraph *
symbolic_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("symbolic");
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_F32, .rank = 2 };
  SondeShape w_shape = sonde_shape_make (2, 16, 16), k_shape = sonde_shape_make (4, 16, 1, 3, 3);
  g_autoptr (SondeTensor) w = sonde_tensor_new (SONDE_DTYPE_F32, &w_shape);
  g_autoptr (SondeTensor) k = sonde_tensor_new (SONDE_DTYPE_F32, &k_shape);
  static const gint64 pads[] = { 1, 1, 1, 1 };
  SondeGraphValue *x, *y, *inputs[2];

  for (gint64 i = 0; i < 256; i++)
    sonde_tensor_set_double (w, i, (double) (i % 7) - 3);
  for (gint64 i = 0; i < 144; i++)
    sonde_tensor_set_double (k, i, (double) (i % 5) - 2);
  type.dims[0] = (SondeDimension){ -1, g_intern_string ("N") };
  type.dims[1] = (SondeDimension){ 16, NULL };
  sonde_graph_set_opset (graph, "", 28);
  x = sonde_graph_add_input (graph, "x", &type);
  y = sonde_build_binary (graph, "MatMul", x,
                          sonde_graph_add_initialiser (graph, "w", w, SONDE_ROLE_PARAMETER));
  sonde_graph_rename_value (graph, y, "product");
  sonde_graph_add_output (graph, y);
  {
    g_autoptr (SondeTensor) axes = sonde_tensor_new_from_data (
        SONDE_DTYPE_I64, &(SondeShape){ .rank = 1, .dims = { 2 } }, (const gint64[]){ 0, 1 });

    y = sonde_build_binary (graph, "Unsqueeze", y, sonde_build_constant (graph, NULL, axes));
  }
  inputs[0] = y;
  inputs[1] = sonde_graph_add_initialiser (graph, "k", k, SONDE_ROLE_PARAMETER);
  y = sonde_build_op (graph, NULL, "", "Conv", 2, inputs);
  sonde_node_set_ints (y->producer, "pads", pads, 4);
  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_add_output (graph, y);
  return graph;
}

static SondeValue *
rows (gint64 n)
{
  SondeShape shape = sonde_shape_make (2, n, 16);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < n * 16; i++)
    sonde_tensor_set_double (tensor, i, (double) (i % 11) / 8);
  return sonde_value_new_tensor (tensor);
}

static SondeExecution *
prepare (SondeRunner *runner, gint64 n)
{
  const char *name = "x";
  g_autoptr (SondeValue) x = rows (n);
  g_autoptr (GError) error = NULL;
  SondeExecution *execution = sonde_runner_prepare (runner, &name, &x, 1, &error);

  g_assert_no_error (error);
  return execution;
}

static SondeTensor *
read_named (SondeExecution *execution, const char *name)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor
      = sonde_execution_read (execution, sonde_graph_find_value (graph, name), &error);

  g_assert_no_error (error);
  return tensor;
}

/* The first rows do not depend on how many there are. */
static void
test_sizes (void)
{
  const char *const devices[] = { "cpu", "reference" };

  for (guint d = 0; d < 2; d++)
    {
      g_autoptr (SondeGraph) graph = symbolic_graph ();
      g_autoptr (SondeDevice) device = sonde_device_open (devices[d], 1, NULL);
      g_autoptr (SondeRunner) runner = sonde_runner_new (graph, device, NULL, 3);
      g_autoptr (SondeTensor) first = NULL;
      const gint64 sizes[] = { 5, 9, 5, 1, 9, 5, 0, 5 };

      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          SondeExecution *execution = prepare (runner, sizes[i]);
          g_autoptr (SondeTensor) product = NULL, y = NULL;

          plan_fixture_run (execution);
          product = read_named (execution, "product");
          y = read_named (execution, "y");
          g_assert_cmpint (product->shape.dims[0], ==, sizes[i]);
          g_assert_cmpint (y->shape.dims[2], ==, sizes[i]);
          if (first == NULL)
            first = sonde_tensor_ref (product);
          for (gint64 k = 0; k < 16 * MIN (sizes[i], 5); k++)
            g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (product, k),
                                            sonde_tensor_get_double (first, k), 1e-4);
        }

      g_assert_cmpuint (sonde_runner_get_n_plans (runner), ==, 4);
      /* The graph stays as it was: nobody bound its sizes. */
      g_assert_cmpint (sonde_graph_find_value (graph, "x")->type.dims[0].size, ==, -1);
    }
}

/* Slots of the same weight in the same layout are the same memory. */
static guint
count_shared (SondeExecution *a, SondeExecution *b)
{
  guint n = 0;

  for (guint i = 0; i < a->plan->slots->len; i++)
    for (guint k = 0; k < b->plan->slots->len; k++)
      if (sonde_plan_slot (a->plan, i)->storage == SONDE_STORAGE_WEIGHT
          && a->storage.memory[i] != NULL && a->storage.memory[i] == b->storage.memory[k])
        n++;

  return n;
}

static void
test_weights (void)
{
  g_autoptr (SondeGraph) graph = symbolic_graph ();
  g_autoptr (SondeDevice) device = sonde_device_open ("reference", 1, NULL);
  g_autoptr (SondeRunner) runner = sonde_runner_new (graph, device, NULL, 0);
  SondeExecution *five = prepare (runner, 5), *nine = prepare (runner, 9);
  g_autoptr (SondeTensor) before = NULL, after = NULL, changed = NULL, w = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpuint (count_shared (five, nine), >=, 2);
  plan_fixture_run (five);
  plan_fixture_run (nine);
  before = read_named (nine, "product");

  /* Writing a weight of one execution leaves the others and the graph alone. */
  w = read_named (five, "w");
  changed = sonde_tensor_copy (w);
  sonde_tensor_set_double (changed, 0, 100);
  g_assert_true (sonde_execution_write (
      five, sonde_graph_find_value (sonde_plan_get_graph (five->plan), "w"), changed, &error));
  plan_fixture_run (five);
  plan_fixture_run (nine);
  after = read_named (nine, "product");
  g_assert_true (sonde_tensor_equal (before, after));
  g_clear_pointer (&after, sonde_tensor_unref);
  after = read_named (five, "product");
  g_assert_cmpfloat (sonde_tensor_get_double (after, 16), !=, sonde_tensor_get_double (before, 16));
  g_assert_cmpfloat (sonde_tensor_get_double (
                         sonde_value_get_tensor (sonde_graph_find_value (graph, "w")->constant), 0),
                     ==, -3);
}

/* ---- a model from a file ------------------------------------------------- */

static const char *const output_names[] = { "y", "topv", "topi", "nz", "rs", "ones" };

static char *
shared_file (const char *file)
{
  const char *shared = g_getenv ("SONDE_SHARED");

  return g_build_filename (shared != NULL ? shared : "", "models", "dynamic-shapes", file, NULL);
}

static SondeTensor *
stored (SondeNamedTensors *tensors, const char *name, guint number)
{
  g_autofree char *key = g_strdup_printf ("%s#%u", name, number);
  SondeTensor *tensor = sonde_named_tensors_lookup (tensors, key);

  g_assert_nonnull (tensor);
  return tensor;
}

static void
compare (SondeTensor *ours, SondeTensor *theirs)
{
  g_assert_true (sonde_shape_equal (&ours->shape, &theirs->shape));
  for (gint64 i = 0; i < sonde_tensor_n_elements (ours); i++)
    g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (ours, i),
                                    sonde_tensor_get_double (theirs, i), 2e-5);
}

/* Every value of the top level is stored for case 0. */
static void
compare_intermediates (SondeExecution *execution)
{
  g_autofree char *list_path = shared_file ("intermediates.tsv"),
                  *values_path = shared_file ("intermediates.npz");
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  g_autofree char *list = NULL;
  g_autoptr (SondeNamedTensors) values = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) lines = NULL;
  guint n = 0;

  g_file_get_contents (list_path, &list, NULL, &error);
  g_assert_no_error (error);
  values = sonde_npz_read (NULL, values_path, &error);
  g_assert_no_error (error);
  lines = g_strsplit (list, "\n", -1);
  for (guint i = 1; lines[i] != NULL && lines[i][0] != '\0'; i++)
    {
      g_auto (GStrv) fields = g_strsplit (lines[i], "\t", -1);
      SondeTensor *theirs = sonde_named_tensors_lookup (values, fields[0]);
      g_autoptr (SondeTensor) ours = NULL;

      if (theirs == NULL)
        continue;
      if (sonde_graph_find_value (graph, fields[4]) == NULL)
        g_error ("nobody makes “%s”", fields[4]); /* also what no output needs is there */

      ours = read_named (execution, fields[4]);
      compare (ours, theirs);
      n++;
    }
  g_assert_cmpuint (n, >, 10);
}

static void
test_model (void)
{
  g_autofree char *model_path = shared_file ("dynamic-shapes.onnx"),
                  *inputs_path = shared_file ("inputs.npz");
  g_autofree char *outputs_path = shared_file ("outputs.npz");
  g_autoptr (SondeNamedTensors) inputs = NULL, outputs = NULL;
  g_autoptr (SondeGraph) original = NULL, graph = NULL;
  g_autoptr (GError) error = NULL;
  const char *name = "ids";

  if (!g_file_test (model_path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("no reference folder");
      return;
    }

  original = sonde_model_load (NULL, model_path, &error);
  g_assert_no_error (error);
  graph = sonde_prepare_inference (original, &error);
  g_assert_no_error (error);
  inputs = sonde_npz_read (NULL, inputs_path, &error);
  g_assert_no_error (error);
  outputs = sonde_npz_read (NULL, outputs_path, &error);
  g_assert_no_error (error);

  for (guint keep = 0; keep < 2; keep++)
    {
      const SondePlanOptions options = { .memory = keep ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN };
      g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
      g_autoptr (SondeRunner) runner = sonde_runner_new (graph, device, &options, 0);

      for (guint round = 0; round < 6; round++)
        {
          guint k = round % 3;
          g_autoptr (SondeValue) ids = sonde_value_new_tensor (stored (inputs, name, k));
          SondeExecution *execution = sonde_runner_prepare (runner, &name, &ids, 1, &error);

          g_assert_no_error (error);
          plan_fixture_run (execution);
          for (guint i = 0; i < G_N_ELEMENTS (output_names); i++)
            {
              g_autoptr (SondeTensor) ours = read_named (execution, output_names[i]);

              compare (ours, stored (outputs, output_names[i], k));
            }
          if (k == 0)
            compare_intermediates (execution);
        }
      g_assert_cmpuint (sonde_runner_get_n_plans (runner), ==, 3);
    }
}

/* ---- what only sizes tell ------------------------------------------------ */

/* Relu of x, of which only the shape is read → Expand of w to it. */
static SondeGraph *
sized_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("sized");
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_F32, .rank = 2 };
  g_autoptr (SondeTensor) w = sonde_tensor_new_f32 (3);
  SondeGraphValue *relu, *shape, *y;

  type.dims[0] = (SondeDimension){ -1, g_intern_string ("N") };
  type.dims[1] = (SondeDimension){ 16, NULL };
  sonde_graph_set_opset (graph, "", 28);
  relu = sonde_build_unary (graph, "Relu", sonde_graph_add_input (graph, "x", &type));
  sonde_graph_rename_value (graph, relu, "relu");
  shape = sonde_build_unary (graph, "Shape", relu);
  sonde_graph_rename_value (graph, shape, "shape");
  y = sonde_build_binary (graph, "Expand",
                          sonde_graph_add_initialiser (graph, "w", w, SONDE_ROLE_PARAMETER), shape);
  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_add_output (graph, y);
  return graph;
}

static void
test_kept_sizes (void)
{
  static const char *const kept[] = { "relu", "shape", "y", NULL };
  g_autoptr (SondeGraph) original = sized_graph (), graph = NULL;
  g_autoptr (SondeValue) x = rows (5);
  SondeTensor *tensor = sonde_value_get_tensor (x);
  const SondeBinding binding = { "x", sonde_type_tensor (tensor->dtype, &tensor->shape) };
  const SondePlanOptions options = { .kept = kept, .bindings = &binding, .n_bindings = 1 };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open ("cpu", 1, NULL);
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeTensor) shape = NULL, relu = NULL;

  graph = sonde_prepare_kept_inference (original, &binding, 1, kept, &error);
  g_assert_no_error (error);
  g_assert_null (sonde_graph_find_value (graph, "shape")->producer);
  g_assert_nonnull (sonde_graph_find_value (graph, "relu")->producer);

  plan = sonde_plan_new (graph, device, &options, &error);
  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", tensor, &error));
  plan_fixture_run (execution);
  shape = read_named (execution, "shape");
  relu = read_named (execution, "relu");
  g_assert_cmpint (sonde_tensor_get_int (shape, 0), ==, 5);
  g_assert_cmpint (sonde_tensor_get_int (shape, 1), ==, 16);
  g_assert_cmpfloat (sonde_tensor_get_double (relu, 3), ==, sonde_tensor_get_double (tensor, 3));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/plan/shapes/sizes", test_sizes);
  g_test_add_func ("/engine/plan/shapes/weights", test_weights);
  g_test_add_func ("/engine/plan/shapes/model", test_model);
  g_test_add_func ("/engine/plan/shapes/kept-sizes", test_kept_sizes);
  return g_test_run ();
}
