/* SPDX-License-Identifier: Apache-2.0
 * Chains of plain operators that runs nobody looks into replace by others: which are taken, which
 * only look like one, and that the results are those of the chain. */
#include "engine/plan/sonde-execution.h"
#include "tests/engine/plan/graph-lines.h"
#include "tests/support/sonde-test-tensor.h"

#include <math.h>
#include <string.h>

/* @wanted: another output beside y; @executed: the operators that are left, in order */
typedef struct
{
  const char *name;
  const char *input;
  const char *lines[16];
  const char *executed;
  const char *wanted;
} Case;

#define MEAN(x, y) "ReduceMean " x " :-1 > " y
#define LAYER                                                                                      \
  MEAN ("x", "m"), "Sub x m > d", "Pow d =2 > s", MEAN ("s", "v"), "Add v =0.00001 > e",           \
      "Sqrt e > r", "Div d r > n"

#define TURN(x) "Transpose " x " > k | perm=0,1,3,2"
#define SPLIT(x, between, result, perm)                                                            \
  "Reshape " x " :2,6,2,16 > " between, "Transpose " between " > " result " | perm=" perm

static const Case cases[] = {
  { "layer", "3x5x8", { LAYER, "Mul n #8 > g", "Add g #8 > y" }, "LayerNormalization" },
  { "layer-operands",
    "3x5x8",
    { MEAN ("x", "m"), "Sub x m > d", "Mul d d > s", MEAN ("s", "v"), "Add =0.00001 v > e",
      "Sqrt e > r", "Reciprocal r > i", "Mul i d > n", "Mul #1x1x8 n > g", "Add #1x8 g > y" },
    "LayerNormalization" },
  { "layer-two-axes",
    "3x5x8",
    { "ReduceMean x :2,-2 > m", "Sub x m > d", "Pow d =2 > s", "ReduceMean s :-2,-1 > v",
      "Add v =0.1 > e", "Sqrt e > r", "Div d r > n", "Mul n #5x8 > g", "Add g #5x8 > y" },
    "LayerNormalization" },
  { "layer-sub-twice",
    "3x5x8",
    { MEAN ("x", "m"), "Sub x m > d", "Sub x m > c", "Pow c =2 > s", MEAN ("s", "v"),
      "Add v =0.00001 > e", "Sqrt e > r", "Div d r > n", "Mul n #8 > y" },
    "LayerNormalization" },
  { "layer-without-factor", "3x5x8", { LAYER, "Add n #8 > y" }, "LayerNormalization Add" },
  { "layer-factor-first",
    "3x5x8",
    { MEAN ("x", "m"), "Sub x m > d", "Mul d d > s", MEAN ("s", "v"), "Add v =0.001 > e",
      "Sqrt e > r", "Reciprocal r > i", "Mul i #8 > f", "Mul x f > a", "Mul m f > b",
      "Sub #8 b > c", "Add a c > y" },
    "LayerNormalization" },
  { "layer-then-gelu",
    "3x5x8",
    { LAYER, "Mul n #8 > g", "Add g #8 > z", "Div z =1.4142135 > q", "Erf q > f", "Add f =1 > p",
      "Mul z p > h", "Mul h =0.5 > y" },
    "LayerNormalization Gelu" },
  { "layer-mean-wanted",
    "3x5x8",
    { LAYER, "Mul n #8 > g", "Add g #8 > y" },
    "ReduceMean Sub RMSNormalization Add",
    "m" },
  { "layer-variance-wanted",
    "3x5x8",
    { LAYER, "Mul n #8 > y" },
    "ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul",
    "v" },
  { "layer-variance-read",
    "3x5x8",
    { LAYER, "Mul n #8 > g", "Add g v > y" },
    "ReduceMean Sub Pow ReduceMean Add Sqrt Div Mul Add" },
  { "layer-first-axis",
    "3x5x8",
    { "ReduceMean x :1 > m", "Sub x m > d", "Pow d =2 > s", "ReduceMean s :1 > v", "Add v =0.1 > e",
      "Sqrt e > r", "Div d r > y" },
    "ReduceMean Sub Pow ReduceMean Add Sqrt Div" },
  { "layer-other-axes",
    "3x5x8",
    { MEAN ("x", "m"), "Sub x m > d", "Pow d =2 > s", "ReduceMean s :1,2 > v", "Add v =0.1 > e",
      "Sqrt e > r", "Div d r > y" },
    "ReduceMean Sub RMSNormalization" },
  { "layer-cubes",
    "3x5x8",
    { MEAN ("x", "m"), "Sub x m > d", "Pow d =4 > s", MEAN ("s", "v"), "Add v =0.1 > e",
      "Sqrt e > r", "Div d r > y" },
    "ReduceMean Sub Pow ReduceMean Add Sqrt Div" },
  { "layer-epsilon-outside",
    "3x5x8",
    { MEAN ("x", "m"), "Sub x m > d", "Pow d =2 > s", MEAN ("s", "v"), "Sqrt v > r",
      "Add r =0.1 > e", "Div d e > y" },
    "ReduceMean Sub Pow ReduceMean Sqrt Add Div" },
  { "layer-many-epsilons",
    "3x5x8",
    { MEAN ("x", "m"), "Sub x m > d", "Pow d =2 > s", MEAN ("s", "v"), "Add v +5x1 > e",
      "Sqrt e > r", "Div d r > y" },
    "ReduceMean Sub Pow ReduceMean Add Sqrt Div" },
  { "layer-factor-of-rows", "3x5x8", { LAYER, "Mul n #5x1 > y" }, "LayerNormalization Mul" },
  { "rms",
    "4x8",
    { "Pow x =2 > s", MEAN ("s", "v"), "Add v =0.001 > e", "Sqrt e > r", "Div x r > n",
      "Mul n #8 > y" },
    "RMSNormalization" },
  { "rms-reciprocal",
    "4x8",
    { "Mul x x > s", MEAN ("s", "v"), "Add v =0.001 > e", "Sqrt e > r", "Reciprocal r > i",
      "Mul x i > n", "Mul #8 n > y" },
    "RMSNormalization" },
  { "gelu-factor-last",
    "4x8",
    { "Div x =1.4142135 > d", "Erf d > e", "Add e =1 > p", "Mul x p > q", "Mul q =0.5 > y" },
    "Gelu" },
  { "gelu-half-first",
    "4x8",
    { "Mul x =0.70710677 > d", "Erf d > e", "Add =1 e > p", "Mul =0.5 x > h", "Mul h p > y" },
    "Gelu" },
  { "gelu-half-of-sum",
    "4x8",
    { "Mul x =0.70710677 > d", "Erf d > e", "Add =1@1x1 e > p", "Mul p =0.5 > h", "Mul x h > y" },
    "Gelu" },
  { "gelu-other-root",
    "4x8",
    { "Div x =1.41 > d", "Erf d > e", "Add e =1 > p", "Mul x p > q", "Mul q =0.5 > y" },
    "Div Erf Add Mul Mul" },
  { "gelu-other-half",
    "4x8",
    { "Div x =1.4142135 > d", "Erf d > e", "Add e =1 > p", "Mul x p > q", "Mul q =0.6 > y" },
    "Div Erf Add Mul Mul" },
  { "gelu-error-wanted",
    "4x8",
    { "Div x =1.4142135 > d", "Erf d > e", "Add e =1 > p", "Mul x p > q", "Mul q =0.5 > y" },
    "Div Erf Add Mul Mul",
    "e" },
  { "gelu-wider",
    "4x8",
    { "Div x =1.4142135@1x1x1 > d", "Erf d > e", "Add e =1 > p", "Mul x p > q", "Mul q =0.5 > y" },
    "Div Erf Add Mul Mul" },
  { "gelu-tanh-cube",
    "4x8",
    { "Pow x =3 > c", "Mul c =0.044715 > k", "Add x k > a", "Mul a =0.7978846 > b", "Tanh b > t",
      "Add t =1 > p", "Mul x p > q", "Mul q =0.5 > y" },
    "Gelu" },
  { "gelu-tanh-products",
    "4x8",
    { "Mul =0.044715 x > c", "Mul x c > k", "Mul x k > l", "Add x l > a", "Mul =0.7978846 a > b",
      "Tanh b > t", "Add =1 t > p", "Mul =0.5 p > q", "Mul x q > y" },
    "Gelu" },
  { "gelu-tanh-square",
    "4x8",
    { "Mul x x > c", "Mul c =0.044715 > k", "Add k =1 > a", "Mul x =0.7978846 > b", "Mul b a > i",
      "Tanh i > t", "Add t =1 > p", "Mul x =0.5 > h", "Mul h p > y" },
    "Gelu" },
  { "gelu-tanh-other",
    "4x8",
    { "Pow x =3 > c", "Mul c =0.05 > k", "Add x k > a", "Mul a =0.7978846 > b", "Tanh b > t",
      "Add t =1 > p", "Mul x p > q", "Mul q =0.5 > y" },
    "Pow Mul Add Mul Tanh Add Mul Mul" },
  { "swish", "4x8", { "Sigmoid x > s", "Mul x s > y" }, "Swish" },
  { "swish-number", "4x8", { "Mul x =1.702 > k", "Sigmoid k > s", "Mul s x > y" }, "Swish" },
  { "swish-of-another",
    "4x8",
    { "Relu x > z", "Sigmoid z > s", "Mul s x > y" },
    "Relu Sigmoid Mul" },
  { "swish-gate-wanted", "4x8", { "Sigmoid x > s", "Mul x s > y" }, "Sigmoid Mul", "s" },
  { "hard-swish",
    "4x8",
    { "Add x =3 > a", "Clip a =0 =6 > c", "Mul x c > m", "Div m =6 > y" },
    "HardSwish" },
  { "hard-swish-sixth",
    "4x8",
    { "Add x =3 > a", "Clip a =0 =6 > c", "Mul c =0.16666667 > m", "Mul m x > y" },
    "HardSwish" },
  { "hard-swish-sigmoid",
    "4x8",
    { "HardSigmoid x > s | alpha=0.16666667 beta=0.5", "Mul s x > y" },
    "HardSwish" },
  { "hard-swish-other-slope",
    "4x8",
    { "HardSigmoid x > s | alpha=0.2 beta=0.5", "Mul s x > y" },
    "HardSigmoid Mul" },
  { "hard-swish-other-limit",
    "4x8",
    { "Add x =3 > a", "Clip a =0 =5 > c", "Mul x c > m", "Div m =6 > y" },
    "Add Clip Mul Div" },
  { "squeeze",
    "2x6x9x1",
    { "Conv x #8x6x3x1 > c", "Squeeze c :3 > s", "Add s #1x8x1 > a", "Sigmoid a > g", "Mul g a > h",
      "Mul #8x7 h > m", "GlobalMaxPool m > y" },
    "Conv Add Swish Mul GlobalMaxPool Squeeze" },
  { "squeeze-operands",
    "2x6x9x1",
    { "Conv x #8x6x3x1 > c", "Squeeze c :-1 > s", "Sub #7 s > a", "Div a =2 > d", "Relu d > y" },
    "Conv Sub Div Relu Squeeze" },
  { "squeeze-first",
    "1x6x9x5",
    { "Conv x #8x6x3x3 > c", "Squeeze c :0 > s", "Add s #8x7x3 > a", "GlobalAveragePool a > y" },
    "Conv Add Squeeze GlobalAveragePool" },
  { "squeeze-wider",
    "1x6x9x5",
    { "Conv x #8x6x3x3 > c", "Squeeze c :0 > s", "Add s #2x8x7x3 > y" },
    "Conv Squeeze Add" },
  { "squeeze-wanted",
    "2x6x9x1",
    { "Conv x #8x6x3x1 > c", "Squeeze c :3 > s", "Relu s > y" },
    "Conv Squeeze Relu",
    "s" },
  { "squeeze-read-twice",
    "2x6x9x1",
    { "Conv x #8x6x3x1 > c", "Squeeze c :3 > s", "Relu s > r", "Add r s > y" },
    "Conv Squeeze Relu Add" },
  { "attention",
    "2x2x6x16",
    { TURN ("x"), "MatMul x k > s", "Mul s =0.25 > t", "Softmax t > w | axis=3",
      "MatMul w #2x2x6x32 > y" },
    "Attention" },
  { "attention-mask",
    "2x2x6x16",
    { TURN ("x"), "MatMul x k > s", "Div s =4 > t", "Add #2x1x1x6 t > u", "Softmax u > w | axis=-1",
      "MatMul w #2x2x6x16 > y" },
    "Attention" },
  { "attention-factor-first",
    "2x2x19x16",
    { "Mul x =0.25 > z", TURN ("x"), "MatMul z k > s", "Softmax s > w | axis=-1",
      "MatMul w x > y" },
    "Attention" },
  { "attention-packed",
    "2x6x32",
    { SPLIT ("x", "a", "q", "0,2,1,3"), "MatMul x #32x32 > l", SPLIT ("l", "b", "k", "0,2,3,1"),
      SPLIT ("x", "c", "v", "0,2,1,3"), "MatMul q k > s", "Div s =4 > t", "Add t #6x6 > u",
      "Softmax u > w | axis=-1", "MatMul w v > o", "Transpose o > p | perm=0,2,1,3",
      "Reshape p :2,6,32 > y" },
    "MatMul Attention" },
  { "attention-packed-twice-turned",
    "2x6x32",
    { SPLIT ("x", "a", "q", "0,2,1,3"), SPLIT ("x", "b", "h", "0,2,1,3"),
      "Transpose h > k | perm=0,1,3,2", SPLIT ("x", "c", "v", "0,2,1,3"), "MatMul q k > s",
      "Softmax s > w | axis=-1", "MatMul w v > o", "Transpose o > p | perm=0,2,1,3",
      "Reshape p :2,6,32 > y" },
    "Attention" },
  { "attention-packed-otherwise",
    "2x6x32",
    { SPLIT ("x", "a", "q", "0,2,1,3"), SPLIT ("x", "b", "k", "0,2,3,1"),
      SPLIT ("x", "c", "v", "0,2,1,3"), "MatMul q k > s", "Softmax s > w | axis=-1",
      "MatMul w v > o", "Transpose o > p | perm=1,2,0,3", "Reshape p :2,6,32 > y" },
    "Reshape Transpose Reshape Transpose Reshape Transpose MatMul Softmax MatMul Transpose "
    "Reshape" },
  { "attention-other-axis",
    "2x2x6x16",
    { TURN ("x"), "MatMul x k > s", "Softmax s > w | axis=2", "MatMul w x > y" },
    "Transpose MatMul Softmax MatMul" },
  { "attention-weights-wanted",
    "2x2x6x16",
    { TURN ("x"), "MatMul x k > s", "Softmax s > w | axis=3", "MatMul w x > y" },
    "Transpose MatMul Softmax MatMul",
    "w" },
  { "attention-short-mask",
    "2x2x6x16",
    { TURN ("x"), "MatMul x k > s", "Add s #6x1 > u", "Softmax u > w | axis=3", "MatMul w x > y" },
    "Transpose MatMul Add Softmax MatMul" },
  { "attention-many-factors",
    "2x2x6x16",
    { TURN ("x"), "MatMul x k > s", "Mul s #6x6 > t", "Softmax t > w | axis=3", "MatMul w x > y" },
    "Transpose MatMul Mul Softmax MatMul" },
  { "attention-other-turn",
    "2x6x6x6",
    { "Transpose x > k | perm=0,2,3,1", "MatMul x k > s", "Softmax s > w | axis=3",
      "MatMul w #2x6x6x16 > y" },
    "Transpose MatMul Softmax MatMul" },
  { "attention-repeated-values",
    "2x2x6x16",
    { TURN ("x"), "MatMul x k > s", "Softmax s > w | axis=3", "MatMul w #1x2x6x16 > y" },
    "Transpose MatMul Softmax MatMul" },
  { "attention-narrow",
    "2x2x6x8",
    { TURN ("x"), "MatMul x k > s", "Softmax s > w | axis=3", "MatMul w x > y" },
    "Transpose MatMul Softmax MatMul" },
  { "mish", "4x8", { "Softplus x > p", "Tanh p > t", "Mul x t > y" }, "Mish" },
};

/* ---- running ------------------------------------------------------------- */

static char *
list_operators (SondeGraph *graph)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, NULL);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < order->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "",
                            ((SondeNode *) g_ptr_array_index (order, i))->op);
  return g_string_free (text, FALSE);
}

static SondeTensor *
run (SondeGraph *graph, const char *device_name, int threads, SondeTensor *x, guint output)
{
  const SondePlanOptions options = { .no_fusion = g_str_equal (device_name, "reference") };
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeDevice) device = sonde_device_open (device_name, threads, &error);
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  SondeTensor *result;

  g_assert_no_error (error);
  plan = sonde_plan_new (graph, device, &options, &error);
  g_assert_no_error (error);
  execution = sonde_execution_new (plan, &error);
  g_assert_no_error (error);
  g_assert_true (sonde_execution_set_input (execution, "x", x, &error));
  g_assert_cmpint (sonde_execution_run (execution, &error), ==, SONDE_RUN_DONE);
  result = sonde_execution_read (execution, g_ptr_array_index (graph->outputs, output), &error);
  g_assert_no_error (error);
  return result;
}

/* Every node of the file is the origin of one that runs. */
static void
check_origins (SondeGraph *original, SondeGraph *executed)
{
  for (guint i = 0; i < original->nodes->len; i++)
    {
      const SondeNode *node = g_ptr_array_index (original->nodes, i);
      gboolean found = FALSE;

      for (guint k = 0; k < executed->nodes->len; k++)
        {
          const SondeNode *other = g_ptr_array_index (executed->nodes, k);

          for (guint o = 0; other != NULL && o < other->origins->len; o++)
            found = found || g_str_equal (g_ptr_array_index (other->origins, o), node->name);
        }
      if (!found)
        g_test_fail_printf ("nothing that runs comes from “%s”", node->name);
    }
}

static void
test_case (gconstpointer data)
{
  const Case *row = data;
  g_autoptr (SondeGraph) original = graph_of_lines (row->name, row->input, row->lines),
                         watched = NULL;
  g_autoptr (SondeTensor) x = graph_lines_random (row->input);
  g_autoptr (GError) error = NULL;

  if (row->wanted != NULL)
    sonde_graph_add_output (original, sonde_graph_find_value (original, row->wanted));
  watched = sonde_prepare_inference (original, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (sonde_graph_count_nodes (watched), ==, sonde_graph_count_nodes (original));

  for (int threads = 1; threads <= 2; threads++)
    {
      g_autoptr (SondeGraph) unwatched
          = sonde_prepare_unwatched_inference (original, NULL, 0, &error);
      g_autofree char *executed = NULL;

      g_assert_no_error (error);
      executed = list_operators (unwatched);
      if (!g_str_equal (executed, row->executed))
        g_test_fail_printf ("executed: %s", executed);
      check_origins (original, unwatched);
      for (guint k = 0; k < original->outputs->len; k++)
        {
          g_autoptr (SondeTensor) got = run (unwatched, "cpu", threads, x, k);
          g_autoptr (SondeTensor) want = run (watched, "reference", 1, x, k);

          sonde_test_assert_close (got, want, 2e-5, 2e-6, row->name);
        }
    }
}

/* A Softmax of nothing but -infinity is NaN, which an Attention of the standard makes zeros. */
static void
test_unseen_query (void)
{
  static const char *const lines[] = { TURN ("x"),       "MatMul x k > s",
                                       "Add s #6x6 > u", "Softmax u > w | axis=3",
                                       "MatMul w x > y", NULL };
  static const char *const devices[] = { "cpu", "reference" };
  g_autoptr (SondeGraph) original = graph_of_lines ("unseen", "2x2x6x16", lines), watched = NULL,
                         unwatched = NULL;
  g_autoptr (SondeTensor) x = graph_lines_random ("2x2x6x16"), want = NULL;
  SondeNode *add = sonde_graph_find_value (original, "u")->producer;
  SondeTensor *mask = sonde_value_get_tensor (sonde_node_get_input (add, 1)->constant);
  g_autofree char *executed = NULL;

  for (gint64 i = 0; i < 6; i++)
    sonde_tensor_set_double (mask, 12 + i, -INFINITY);
  watched = sonde_prepare_inference (original, NULL);
  unwatched = sonde_prepare_unwatched_inference (original, NULL, 0, NULL);
  executed = list_operators (unwatched);
  g_assert_cmpstr (executed, ==, "Attention");

  want = run (watched, "reference", 1, x, 0);
  g_assert_true (isnan (sonde_tensor_get_double (want, 2 * 16)));
  g_assert_false (isnan (sonde_tensor_get_double (want, 3 * 16)));
  for (gsize i = 0; i < G_N_ELEMENTS (devices); i++)
    {
      g_autoptr (SondeTensor) got = run (unwatched, devices[i], 1, x, 0);

      sonde_test_assert_close (got, want, 2e-5, 2e-6, devices[i]);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strconcat ("/engine/plan/patterns/", cases[i].name, NULL);

      g_test_add_data_func (path, &cases[i], test_case);
    }

  g_test_add_func ("/engine/plan/patterns/unseen-query", test_unseen_query);
  return g_test_run ();
}
