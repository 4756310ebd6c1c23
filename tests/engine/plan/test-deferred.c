/* SPDX-License-Identifier: Apache-2.0
 * Steps whose sizes are known only in the run, values that are no tensors of numbers, and steps
 * with nothing to compute. */
#include "engine/ops/sonde-build.h"
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/plan-fixture.h"

#include <string.h>

static SondeType
type_of (SondeDtype dtype, int rank, gint64 size)
{
  SondeType type = { .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = rank };

  for (int d = 0; d < rank; d++)
    type.dims[d].size = size;
  return type;
}

static SondeTensor *
ints (gint64 n, const gint64 *values)
{
  SondeShape shape = sonde_shape_make (1, n);

  return sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, values);
}

static SondeTensor *
floats (gint64 n, const float *values)
{
  SondeShape shape = sonde_shape_make (1, n);

  return sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
}

static SondeGraphValue *
constant (SondeGraph *graph, const char *name, SondeTensor *tensor) /* (transfer full) */
{
  SondeGraphValue *value = sonde_build_constant (graph, name, tensor);

  sonde_tensor_unref (tensor);
  return value;
}

static SondeTensor *
read_named (SondeExecution *execution, const char *name)
{
  SondeGraphValue *value
      = sonde_graph_find_value (sonde_plan_get_graph (sonde_execution_get_plan (execution)), name);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_execution_read (execution, value, &error);

  g_assert_no_error (error);
  return tensor;
}

/* ---- sizes from values --------------------------------------------------- */

/* x [6] → Relu → Reshape to the input "sizes" → two readers → ReduceSum to a scalar: of known size
 * again → Neg. */
static SondeGraph *
reshape_graph (void)
{
  SondeGraph *graph = sonde_graph_new ("late");
  SondeType x_type = type_of (SONDE_DTYPE_F32, 1, 6), sizes_type = type_of (SONDE_DTYPE_I64, 1, 2);
  SondeGraphValue *x, *sizes, *y, *sum, *one;

  sonde_graph_set_opset (graph, "", 28);
  x = sonde_graph_add_input (graph, "x", &x_type);
  sizes = sonde_graph_add_input (graph, "sizes", &sizes_type);
  y = sonde_build_binary (graph, "Reshape", sonde_build_unary (graph, "Relu", x), sizes);
  sonde_graph_rename_value (graph, y, "shaped");
  one = constant (graph, NULL, sonde_tensor_new_f32 (1));
  y = sonde_build_binary (graph, "Add", y, one);
  sonde_graph_rename_value (graph, y, "added");
  sum = sonde_build_unary (graph, "ReduceSum", y);
  sonde_node_set_int (sum->producer, "keepdims", 0);
  sonde_graph_rename_value (graph, sum, "sum");
  y = sonde_build_unary (graph, "Exp", y);
  sonde_graph_rename_value (graph, y, "exp");
  sonde_graph_add_output (graph, y);
  sum = sonde_build_unary (graph, "Neg", sum);
  sonde_graph_rename_value (graph, sum, "negative");
  sonde_graph_add_output (graph, sum);
  return graph;
}

static void
check_reshaped (SondeExecution *execution, gint64 rows, gint64 columns)
{
  static const float x[] = { -1, 1, 2, -3, 0.5f, 0.25f };
  g_autoptr (SondeTensor) shaped = NULL, negative = NULL, exp = NULL;

  plan_fixture_give (execution, "x", floats (6, x));
  plan_fixture_give (execution, "sizes", ints (2, (const gint64[]){ rows, columns }));
  plan_fixture_run (execution);
  exp = read_named (execution, "exp");
  g_assert_cmpint (exp->shape.rank, ==, 2);
  g_assert_cmpint (exp->shape.dims[0], ==, rows);
  g_assert_cmpint (exp->shape.dims[1], ==, columns);
  g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (exp, 1), 7.3890561, 1e-5);
  negative = read_named (execution, "negative");
  g_assert_cmpint (negative->shape.rank, ==, 0);
  g_assert_cmpfloat (sonde_tensor_get_double (negative, 0), ==, -9.75);
  /* Let go in the run, and made again to be looked at. */
  shaped = read_named (execution, "shaped");
  g_assert_cmpint (shaped->shape.dims[0], ==, rows);
  g_assert_cmpfloat (sonde_tensor_get_double (shaped, 4), ==, 0.5);
}

static void
test_sizes (void)
{
  const char *const devices[] = { "cpu", "reference" };

  for (guint i = 0; i < 2; i++)
    for (guint keep = 0; keep < 2; keep++)
      {
        const SondePlanOptions options = { .memory = keep ? SONDE_MEMORY_KEEP : SONDE_MEMORY_PLAN };
        g_autoptr (SondeGraph) graph = reshape_graph ();
        g_autoptr (SondeExecution) execution = plan_fixture_start (graph, devices[i], &options);

        /* More types than one step keeps kernels for, and the first again. */
        for (guint round = 0; round < 20; round++)
          {
            check_reshaped (execution, 2, 3);
            check_reshaped (execution, 3, 2);
            check_reshaped (execution, 6, 1);
          }
      }
}

static void
test_many_types (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("many");
  SondeType n_type = type_of (SONDE_DTYPE_I64, 0, 0);
  SondeGraphValue *zero, *one, *n, *inputs[3], *y;
  g_autoptr (SondeExecution) execution = NULL;

  sonde_graph_set_opset (graph, "", 28);
  n = sonde_graph_add_input (graph, "n", &n_type);
  zero = constant (graph, NULL, sonde_tensor_new_i64 (0));
  one = constant (graph, NULL, sonde_tensor_new_i64 (1));
  inputs[0] = zero;
  inputs[1] = n;
  inputs[2] = one;
  y = sonde_build_op (graph, NULL, "", "Range", 3, inputs);
  y = sonde_build_binary (graph, "Mul", y, y);
  sonde_graph_rename_value (graph, y, "squares");
  sonde_graph_add_output (graph, y);
  execution = plan_fixture_start (graph, "cpu", NULL);

  for (gint64 i = 0; i < 100; i++)
    {
      gint64 count = i % 40;
      g_autoptr (SondeTensor) squares = NULL;

      plan_fixture_give (execution, "n", sonde_tensor_new_i64 (count));
      plan_fixture_run (execution);
      squares = read_named (execution, "squares");
      g_assert_cmpint (sonde_tensor_n_elements (squares), ==, count);
      for (gint64 k = 0; k < count; k++)
        g_assert_cmpint (sonde_tensor_get_int (squares, k), ==, k * k);
    }
}

static void
check_too_big (SondeExecution *execution, gint64 n)
{
  g_autoptr (GError) error = NULL;

  plan_fixture_give (execution, "n", sonde_tensor_new_i64 (n));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_FAILED);
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "Range"));
  if (n == (gint64) 1 << 38)
    g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
}

/* Sizes that nobody has memory for are an error of the run, and the next run works. */
static void
test_too_big (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("big");
  SondeType n_type = type_of (SONDE_DTYPE_I64, 0, 0);
  SondeGraphValue *inputs[3], *y;
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeTensor) result = NULL;
  g_autoptr (GError) error = NULL;

  sonde_graph_set_opset (graph, "", 28);
  inputs[0] = constant (graph, NULL, sonde_tensor_new_i64 (0));
  inputs[1] = sonde_graph_add_input (graph, "n", &n_type);
  inputs[2] = constant (graph, NULL, sonde_tensor_new_i64 (1));
  y = sonde_build_op (graph, "make", "", "Range", 3, inputs);
  sonde_graph_rename_value (graph, y, "y");
  sonde_graph_add_output (graph, y);
  execution = plan_fixture_start (graph, "cpu", NULL);

  check_too_big (execution, (gint64) 1 << 38);
  check_too_big (execution, (gint64) 1 << 60);
  check_too_big (execution, G_MAXINT64);
  sonde_execution_set_memory_limit (execution, 1000);
  plan_fixture_give (execution, "n", sonde_tensor_new_i64 (126));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_FAILED);
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY);
  g_assert_nonnull (strstr (error->message, "make"));
  /* What one run held is given back for the next. */
  for (guint i = 0; i < 3; i++)
    {
      plan_fixture_give (execution, "n", sonde_tensor_new_i64 (124));
      plan_fixture_run (execution);
    }
  result = read_named (execution, "y");
  g_assert_cmpint (sonde_tensor_n_elements (result), ==, 124);
}

/* ---- no numbers ---------------------------------------------------------- */

static SondeTensor *
strings (void)
{
  static const char *const words[] = { "one", "two", "three" };
  SondeShape shape = sonde_shape_make (1, 3);

  return sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &shape, words);
}

static void
test_strings (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("strings");
  SondeType type = type_of (SONDE_DTYPE_STRING, 1, 3);
  SondeGraphValue *inputs[2], *y;
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (SondeTensor) both = NULL;
  g_autoptr (SondeValue) value = NULL;
  g_autoptr (GError) error = NULL;
  SondeStatistics statistics;

  sonde_graph_set_opset (graph, "", 28);
  inputs[0] = sonde_graph_add_input (graph, "words", &type);
  inputs[1] = constant (graph, "fixed", strings ());
  y = sonde_build_op (graph, NULL, "", "Concat", 2, inputs);
  sonde_node_set_int (y->producer, "axis", 0);
  sonde_graph_rename_value (graph, y, "both");
  sonde_graph_add_output (graph, y);
  execution = plan_fixture_start (graph, "cpu", NULL);

  plan_fixture_give (execution, "words", strings ());
  plan_fixture_run (execution);
  both = read_named (execution, "both");
  g_assert_cmpint (both->shape.dims[0], ==, 6);
  g_assert_cmpstr (((char **) (void *) both->data)[5], ==, "three");
  value = sonde_execution_read_value (execution, y, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_tensor_equal (sonde_value_get_tensor (value), both));
  g_assert_false (sonde_execution_read_statistics (execution, y, &statistics, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
}

/* A sequence goes in and comes out as it is. */
static void
test_sequence_input (void)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("sequence");
  SondeType type = { .kind = SONDE_VALUE_SEQUENCE, .dtype = SONDE_DTYPE_F32, .rank = -1 };
  g_autoptr (SondeTensor) item = sonde_tensor_new_f32 (3);
  g_autoptr (SondeValue) first = sonde_value_new_tensor (item);
  g_autoptr (SondeValue) list = sonde_value_new_sequence (&first, 1), read = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  g_autoptr (GError) error = NULL;
  SondeGraphValue *x;

  sonde_graph_set_opset (graph, "", 28);
  x = sonde_graph_add_input (graph, "list", &type);
  sonde_graph_add_output (graph, x);
  execution = plan_fixture_start (graph, "cpu", NULL);

  g_assert_false (sonde_execution_set_input (execution, "list", item, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_SHAPE);
  g_clear_error (&error);
  g_assert_true (sonde_execution_set_input_value (execution, "list", list, &error));
  plan_fixture_run (execution);
  read = sonde_execution_read_value (execution, x, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_value_get_kind (read), ==, SONDE_VALUE_SEQUENCE);
  g_assert_null (sonde_execution_read (execution, x, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE);
  g_assert_nonnull (strstr (error->message, "sequence"));
}

/* ---- nothing to compute -------------------------------------------------- */

static void
test_empty (void)
{
  const char *const devices[] = { "cpu", "reference" };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("empty");
      SondeShape empty = sonde_shape_make (2, 0, 4), weights = sonde_shape_make (2, 4, 5);
      SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &empty);
      g_autoptr (SondeTensor) w = sonde_tensor_new (SONDE_DTYPE_F32, &weights), y = NULL,
                              sum = NULL;
      g_autoptr (SondeExecution) execution = NULL;
      SondeGraphValue *x, *product;

      sonde_graph_set_opset (graph, "", 28);
      x = sonde_graph_add_input (graph, "x", &type);
      product = sonde_build_binary (graph, "MatMul", x, sonde_build_constant (graph, "w", w));
      product = sonde_build_unary (graph, "Relu", product);
      product = sonde_build_unary (graph, "Softmax", product);
      sonde_graph_rename_value (graph, product, "y");
      sonde_graph_add_output (graph, product);
      product = sonde_build_unary (graph, "ReduceSum", product);
      sonde_graph_rename_value (graph, product, "sum");
      sonde_graph_add_output (graph, product);
      execution = plan_fixture_start (graph, devices[i], NULL);

      plan_fixture_give (execution, "x", sonde_tensor_new (SONDE_DTYPE_F32, &empty));
      plan_fixture_run (execution);
      y = read_named (execution, "y");
      g_assert_cmpint (y->shape.dims[0], ==, 0);
      g_assert_cmpint (y->shape.dims[1], ==, 5);
      sum = read_named (execution, "sum");
      g_assert_cmpint (sonde_tensor_n_elements (sum), ==, 1);
      g_assert_cmpfloat (sonde_tensor_get_double (sum, 0), ==, 0);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  g_test_add_func ("/engine/plan/late/sizes", test_sizes);
  g_test_add_func ("/engine/plan/late/many-types", test_many_types);
  g_test_add_func ("/engine/plan/late/too-big", test_too_big);
  g_test_add_func ("/engine/plan/late/strings", test_strings);
  g_test_add_func ("/engine/plan/late/sequence-input", test_sequence_input);
  g_test_add_func ("/engine/plan/late/empty", test_empty);
  return g_test_run ();
}
