/* SPDX-License-Identifier: Apache-2.0
 * Groups of nodes that run as one kernel against the same nodes one by one: every value, on
 * ordinary numbers and with NaN and infinities among them. */
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/graph-lines.h"

#include <math.h>
#include <string.h>

/* @lines: see graph-lines.h */
typedef struct
{
  const char *name;
  const char *input; /* shape of x */
  const char *lines[13];
  guint steps;      /* of the fused plan, without reorders */
  const char *uses; /* (nullable): an implementation that steps have where every value is kept */
} Case;

static const Case cases[] = {
  { "conv-batch-add-relu",
    "2x16x9x7",
    { "Conv x #16x16x3x3 > c | pads=1,1,1,1", "BatchNormalization c #16 #16 #16 +16 > n",
      "Add n x > a", "Relu a > y" },
    1 },
  { "conv-clip", "1x8x9x7", { "Conv x #24x8x1x1 #24 > c", "Clip c =0 =6 > y" }, 1 },
  { "conv-hard-swish", "1x8x9x7", { "Conv x #24x8x1x1 #24 > c", "HardSwish c > y" }, 1 },
  { "conv-hard-swish-nodes",
    "1x8x9x7",
    { "Conv x #24x8x1x1 #24 > c", "Add c =3 > p", "Clip p =0 =6 > q", "Mul c q > m",
      "Div m =6 > y" },
    1 },
  { "conv-silu", "1x8x9x7", { "Conv x #24x8x1x1 #24 > c", "Sigmoid c > s", "Mul c s > y" }, 1 },
  { "conv-affine",
    "1x16x9x7",
    { "Conv x #24x16x3x3 > c", "BatchNormalization c #24 #24 #24 +24 > n", "Mul n #24x1x1 > m",
      "Add m #24x1x1 > a", "Relu a > y" },
    1 },
  { "conv-groups-sum",
    "1x16x9x7",
    { "Conv x #16x4x1x1 > c | group=4", "BatchNormalization c #16 #16 #16 +16 > n", "Sum n x > a",
      "Relu a > y" },
    1 },
  { "conv-padded-sum",
    "4x8x4x6",
    { "Conv x #8x8x1x1 > c | pads=0,1,0,0", "Add c #4x8x4x7 > a", "Relu a > y" },
    3 },
  { "conv-padded-gate",
    "2x8x6",
    { "Conv x #6x8x1 > c | pads=0,1", "Mul c #2x6x1 > m", "Relu m > y" },
    3 },
  { "fewer-dimensions",
    "2x4x8",
    { "Conv x #4x1x3 > c | group=4 pads=1,1", "Unsqueeze x :0 > u",
      "BatchNormalization u #2 #2 #2 +2 > n", "Add c n > y" },
    4 },
  { "conv-depthwise-leaky",
    "1x16x9x7",
    { "Conv x #16x1x3x3 > c | group=16 pads=1,1,1,1", "LeakyRelu c > y" },
    1 },
  { "winograd",
    "1x32x14x14",
    { "Conv x #48x32x3x3 > c | pads=1,1,1,1", "BatchNormalization c #48 #48 #48 +48 > n",
      "Relu n > y" },
    1 },
  { "winograd-add",
    "1x32x14x14",
    { "Conv x #32x32x3x3 #32 > c | pads=1,1,1,1", "Add c x > a", "Relu a > y" },
    1 },
  { "batch-affine-relu",
    "1x16x9x7",
    { "BatchNormalization x #16 #16 #16 +16 > n", "Mul n #16x1x1 > m", "Add m #16x1x1 > a",
      "Relu a > y" },
    1 },
  { "matmul-bias-gelu",
    "2x5x16",
    { "MatMul x #16x24 > m", "Add #24 m > a", "Div a =1.4142135 > d", "Erf d > e", "Add e =1 > p",
      "Mul a p > q", "Mul q =0.5 > y" },
    1 },
  { "matmul-bias-residual",
    "2x5x16",
    { "MatMul x #16x16 > m", "Add #16 m > a", "Add a x > y" },
    1 },
  { "matmul-scale", "2x3x5x16", { "MatMul x #2x3x16x7 > m", "Div m =8 > y" }, 1 },
  { "gemm-tanh", "5x16", { "Gemm x #24x16 #24 > g | transB=1", "Tanh g > y" }, 1 },
  { "gemm-relu", "5x16", { "Gemm x #16x24 #24 > g", "Relu g > y" }, 1 },
  { "shuffle-3",
    "1x16x9x7",
    { "Conv x #24x16x1x1 > c", "Reshape c :1,3,8,9,7 > s", "Transpose s > t | perm=0,2,1,3,4",
      "Reshape t :1,24,9,7 > r", "Conv r #8x24x1x1 > y" },
    3,
    "channels-last" },
  { "shuffle-5",
    "2x16x9x7",
    { "Conv x #20x16x1x1 > c", "Reshape c :2,5,4,63 > s", "Transpose s > t | perm=0,2,1,3",
      "Reshape t :2,20,9,7 > r", "Conv r #8x20x1x1 > y" },
    3,
    "channels-last" },
  { "read-twice", "5x16", { "MatMul x #16x16 > m", "Relu m > r", "Add r m > y" }, 2 },
  { "chain-rows-and-columns",
    "3x5x16",
    { "ReduceMean x > r | axes=2", "Sub x r > d", "Pow d =2 > q", "ReduceMean q > v | axes=2",
      "Add v =0.5 > w", "Sqrt w > s", "Div d s > n", "Mul n #16 > m", "Add m #16 > y" },
    5 },
  { "chain-large",
    "1x64x33x31",
    { "Mul x =0.7 > a", "Add a =3 > p", "Clip p =0 =6 > q", "Mul a q > m", "Div m =6 > d",
      "Max d #31 > y" },
    1 },
  { "chain-odd",
    "2x65x1x508",
    { "Add x #508 > a", "Sigmoid a > s", "Mul a s > m", "Add m =1 > y" },
    1 },
  { "chain-wide",
    "3x12345",
    { "Add x #12345 > a", "Erf a > e", "Mul a e > m", "Sub m #3x1 > y" },
    1 },
  { "chain-wide-lines",
    "3x20480",
    { "Mul x #20480 > a", "Erf a > e", "Mul a e > m", "Sub m #3x1 > y" },
    1 },
  { "chain-broken",
    "1x8x9x7",
    { "Mul x =0.7 > a", "Add a =3 > p", "Max p #8x1x1 > m", "Neg m > n", "Abs n > y" },
    3 },
  { "few-channels",
    "1x1x28x28",
    { "Conv x #6x1x5x5 #6 > c | pads=2,2,2,2", "Relu c > r",
      "MaxPool r > p | kernel_shape=2,2 strides=2,2", "Conv p #8x6x3x3 #8 > d", "LeakyRelu d > y" },
    3,
    "direct" },
  { "chain-read-between",
    "1x16x9x7",
    { "BatchNormalization x #16 #16 #16 +16 > n", "Relu n > r",
      "Conv r #16x16x3x3 > c | pads=1,1,1,1", "Sigmoid c > s", "Mul s r > t", "Sub t n > u",
      "Conv u #8x16x1x1 > y" },
    4 },
};

/* 1.4 MiB each: made in memory that is used again, looked at in other shapes, copied to where they
 * stay. */
static const Case much
    = { "kept-much",
        "1x16x180x128",
        { "Conv x #16x16x1x1 > c", "Reshape c :1,2,8,180,128 > s",
          "Transpose s > t | perm=0,2,1,3,4", "Reshape t :1,16,180,128 > r",
          "Conv r #16x16x1x1 > d", "Softmax d > f | axis=3", "Reshape f :16,180,128 > g",
          "Transpose g > h | perm=0,2,1", "Reshape h :16,23040 > i", "Softmax i > j", "Mul j i > m",
          "Neg m > y" } };

static SondeGraph *
make_graph (const Case *row)
{
  return graph_of_lines (row->name, row->input, row->lines);
}

/* ---- comparing ----------------------------------------------------------- */

static SondeExecution *
run (SondeGraph *graph, SondeDevice *device, gboolean fuse, const char *const *kept, SondeTensor *x)
{
  const SondePlanOptions options
      = { .memory = SONDE_MEMORY_PLAN, .no_fusion = !fuse, .kept = kept };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, device, &options, &error);
  SondeExecution *execution;

  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  return execution;
}

static void
compare (SondeTensor *ours, SondeTensor *theirs, const char *name)
{
  double scale = 0;

  for (gint64 i = 0; i < sonde_tensor_n_elements (theirs); i++)
    {
      double value = fabs (sonde_tensor_get_double (theirs, i));

      scale = isfinite (value) ? MAX (scale, value) : scale;
    }

  for (gint64 i = 0; i < sonde_tensor_n_elements (ours); i++)
    {
      double a = sonde_tensor_get_double (ours, i), b = sonde_tensor_get_double (theirs, i);

      if (!(fabs (a - b) <= 2e-5 * (0.1 + scale)) && a != b && !(isnan (a) && isnan (b)))
        g_error ("value “%s”, element %" G_GINT64_FORMAT ": %.9g instead of %.9g", name, i, a, b);
    }
}

static void
check_values (const Case *row, SondeTensor *x, int threads)
{
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", threads, NULL);
  g_autoptr (SondeDevice) reference = sonde_device_open ("reference", 1, NULL);
  g_autoptr (SondeGraph) a = make_graph (row), b = make_graph (row);
  g_autoptr (SondeExecution) fused = run (a, cpu, TRUE, NULL, x),
                             single = run (b, reference, FALSE, NULL, x);
  SondePlan *plan = sonde_execution_get_plan (fused);
  guint steps = 0;

  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    steps += sonde_plan_get_step (plan, k)->n_nodes > 0;
  g_assert_cmpuint (steps, ==, row->steps);

  for (guint i = 0; i < a->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (a->values, i);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) ours = sonde_execution_read (fused, value, &error);
      g_autoptr (SondeTensor) theirs
          = sonde_execution_read (single, sonde_graph_find_value (b, value->name), &error);

      g_assert_no_error (error);
      compare (ours, theirs, value->name);
    }
}

static gboolean
is_equal (SondeTensor *a, SondeTensor *b)
{
  for (gint64 i = 0; i < sonde_tensor_n_elements (a); i++)
    {
      double x = sonde_tensor_get_double (a, i), y = sonde_tensor_get_double (b, i);

      if (x != y && !(isnan (x) && isnan (y)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
uses (SondePlan *plan, const char *implementation)
{
  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    if (g_strcmp0 (sonde_plan_get_step (plan, k)->implementation, implementation) == 0)
      return TRUE;
  return FALSE;
}

/* Every value, or each second one, is kept: it lies there after the run. All kept, no step has a
 * result of its own that differs from what its node gives alone. */
static void
check_kept (const Case *row, SondeTensor *x, int threads, guint each)
{
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", threads, NULL);
  g_autoptr (SondeDevice) reference = sonde_device_open ("reference", 1, NULL);
  g_autoptr (SondeGraph) a = make_graph (row), b = make_graph (row), c = make_graph (row);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (SondeExecution) kept = NULL, alone = run (b, cpu, FALSE, NULL, x),
                             plain = run (c, reference, FALSE, NULL, x);

  for (guint i = 0; i < a->nodes->len; i += each)
    g_ptr_array_add (names, sonde_node_get_output (g_ptr_array_index (a->nodes, i), 0)->name);
  g_ptr_array_add (names, NULL);
  kept = run (a, cpu, TRUE, (const char *const *) names->pdata, x);
  if (row->uses != NULL && each == 1)
    g_assert_true (uses (sonde_execution_get_plan (kept), row->uses));

  for (guint i = 0; names->pdata[i] != NULL; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (a, names->pdata[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeTensor) ours = sonde_execution_read (kept, value, &error);
      g_autoptr (SondeTensor) single
          = sonde_execution_read (alone, sonde_graph_find_value (b, value->name), &error);
      g_autoptr (SondeTensor) theirs
          = sonde_execution_read (plain, sonde_graph_find_value (c, value->name), &error);

      g_assert_no_error (error);
      compare (ours, theirs, value->name);
      if (each == 1 && !is_equal (ours, single))
        g_error ("value “%s” has other bits than its node alone gives", value->name);
    }
}

static void
test_case (gconstpointer data)
{
  static const double unusual[] = { NAN, INFINITY, -INFINITY };
  const Case *row = data;
  g_autoptr (SondeTensor) x = graph_lines_random (row->input);

  check_values (row, x, 1);
  check_values (row, x, 2);
  for (guint each = 1; each <= 3; each++)
    {
      check_kept (row, x, 1, each);
      check_kept (row, x, 2, each);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (unusual); i++)
    {
      g_autoptr (SondeTensor) changed = sonde_tensor_copy (x);

      sonde_tensor_set_double (changed, sonde_tensor_n_elements (x) / 3, unusual[i]);
      check_values (row, changed, 2);
      check_kept (row, changed, 2, 1);
    }
}

static void
test_much (void)
{
  g_autoptr (SondeTensor) x = graph_lines_random (much.input);

  check_kept (&much, x, 1, 1);
  check_kept (&much, x, 2, 2);
}

/* Of a kept value that steps read elsewhere, both places are written. */
static void
test_much_written (void)
{
  static const char *const kept[] = { "c", "d", "f", "h", "i", "j", "m", "y", NULL };
  const SondePlanOptions options = { .memory = SONDE_MEMORY_PLAN, .kept = kept };
  g_autoptr (SondeTensor) x = graph_lines_random (much.input), y = NULL, back = NULL;
  g_autoptr (SondeTensor) zeros = sonde_tensor_new (SONDE_DTYPE_F32, &x->shape);
  g_autoptr (SondeDevice) cpu = sonde_device_open ("cpu", 1, NULL);
  g_autoptr (SondeGraph) graph = make_graph (&much);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePlan) plan = sonde_plan_new (graph, cpu, &options, &error);
  g_autoptr (SondeExecution) execution = sonde_execution_new (plan, &error);
  SondeGraphValue *value = sonde_graph_find_value (graph, "f");

  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  sonde_execution_run_to (execution, (guint) sonde_plan_find_step (plan, value->producer) + 1,
                          &error);
  g_assert_true (sonde_execution_write (execution, value, zeros, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  back = sonde_execution_read (execution, value, &error);
  y = sonde_execution_read (execution, sonde_graph_find_value (graph, "y"), &error);
  g_assert_no_error (error);
  g_assert_true (sonde_tensor_equal (back, zeros));
  for (gint64 i = 0; i < sonde_tensor_n_elements (y); i++)
    g_assert_cmpfloat (sonde_tensor_get_double (y, i), ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/plan/fusion/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }
  g_test_add_func ("/engine/plan/fusion/kept-much", test_much);
  g_test_add_func ("/engine/plan/fusion/kept-much-written", test_much_written);

  return g_test_run ();
}
