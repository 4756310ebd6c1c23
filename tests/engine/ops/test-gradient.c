/* SPDX-License-Identifier: Apache-2.0
 * Gradients that take more than one node to see: through sequences and optionals, through
 * quantisation, with axes, positions and bounds that are computed; and that every operator has a
 * gradient or a reason not to. */
#include "engine/ops/sonde-build.h"
#include "tests/support/sonde-test-gradient.h"
#include "tests/support/sonde-test-tensor.h"

#include <string.h>

/* ---- graphs of more than one node ---------------------------------------- */

typedef struct
{
  SondeGraph *graph;
  GHashTable *feeds;
  GPtrArray *names;
} Net;

static void
net_clear (Net *net)
{
  g_clear_pointer (&net->graph, sonde_graph_unref);
  g_clear_pointer (&net->feeds, g_hash_table_unref);
  g_clear_pointer (&net->names, g_ptr_array_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Net, net_clear)

static void
net_init (Net *net)
{
  net->graph = sonde_graph_new ("net");
  net->feeds = sonde_test_feeds_new ();
  net->names = g_ptr_array_new ();
}

/* Of the values of @text; floats (float64, or as @dtype says) are differentiated with respect
 * to. */
static SondeGraphValue *
feed (Net *net, SondeDtype dtype, const char *text)
{
  g_autofree char *name = g_strdup_printf ("x%u", net->graph->inputs->len);
  g_autoptr (SondeTensor) tensor = sonde_test_tensor (dtype, text);
  SondeType type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  SondeGraphValue *value = sonde_graph_add_input (net->graph, name, &type);

  sonde_test_feeds_set (net->feeds, name, tensor);
  if (sonde_dtype_is_float (dtype))
    g_ptr_array_add (net->names, value->name);
  return value;
}

static SondeGraphValue *
number (Net *net, gint64 value)
{
  return sonde_build_scalar (net->graph, SONDE_DTYPE_I64, (double) value);
}

static SondeGraphValue *
add (Net *net, const char *op, SondeGraphValue *a, SondeGraphValue *b, SondeGraphValue *c)
{
  SondeGraphValue *inputs[] = { a, b, c };

  return sonde_build_op (net->graph, NULL, "", op, c ? 3 : b ? 2 : 1, inputs);
}

static SondeGraphValue *
set_int (Net *net, SondeGraphValue *value, const char *name, gint64 number)
{
  sonde_node_set_int (value->producer, name, number);
  g_assert_true (sonde_build_infer (net->graph, value->producer, NULL));
  return value;
}

static void
judge (char *problem)
{
  if (problem != NULL)
    {
      g_test_message ("%s", problem);
      g_test_fail ();
    }
  g_free (problem);
}

/* What comes out of a sequence has no type before the run: @like gives it. */
static void
check_net (Net *net, SondeGraphValue *y, SondeGraphValue *like)
{
  g_autoptr (SondeGraph) again = NULL;
  const char *const *names = (const char *const *) net->names->pdata;

  if (like != NULL)
    y->type = like->type;
  sonde_graph_add_output (net->graph, y);
  again = sonde_graph_copy (net->graph, FALSE);
  judge (sonde_test_check_gradient (net->graph, net->feeds, names, net->names->len));
  judge (sonde_test_check_second_gradient (again, net->feeds, names, net->names->len));
}

/* ---- sequences ----------------------------------------------------------- */

/* Made, one put in, one taken out, two read (one of them twice). */
static void
test_sequence (void)
{
  g_auto (Net) net = { NULL };
  SondeGraphValue *a, *b, *c, *list, *first, *last, *product;

  net_init (&net);
  a = feed (&net, SONDE_DTYPE_F64, "2: 1 2");
  b = feed (&net, SONDE_DTYPE_F64, "2: 3 -1");
  c = feed (&net, SONDE_DTYPE_F64, "2: 0.5 4");
  list = add (&net, "SequenceConstruct", a, b, NULL);
  list = add (&net, "SequenceInsert", list, c, number (&net, -1));
  list = add (&net, "SequenceInsert", list, a, NULL);
  list = add (&net, "SequenceErase", list, number (&net, 0), NULL);
  first = add (&net, "SequenceAt", list, number (&net, 0), NULL);
  last = add (&net, "SequenceAt", list, number (&net, -1), NULL);
  product = add (&net, "Mul", add (&net, "Mul", first, last, NULL),
                 add (&net, "SequenceAt", list, number (&net, 1), NULL), NULL);
  check_net (&net, product, a);
}

/* Cut into parts that are joined again in another order, or with a new dimension. */
static void
test_sequence_parts (gconstpointer data)
{
  gboolean stack = GPOINTER_TO_INT (data);
  g_auto (Net) net = { NULL };
  SondeGraphValue *x, *list, *y, *square;

  net_init (&net);
  x = feed (&net, SONDE_DTYPE_F64, "3x2: 1 2 3 4 5 6");
  list = set_int (&net, add (&net, "SplitToSequence", x, NULL, NULL), "keepdims", !stack);
  list = add (&net, "SequenceInsert", list, add (&net, "SequenceAt", list, number (&net, 2), NULL),
              number (&net, 0));
  y = set_int (
      &net,
      add (&net, "ConcatFromSequence", add (&net, "SequenceErase", list, NULL, NULL), NULL, NULL),
      "axis", 0);
  y = set_int (&net, y, "new_axis", stack);
  square = add (&net, "Mul", y, y, NULL);
  check_net (&net, square, x);
}

static void
test_sequence_listed (void)
{
  g_auto (Net) net = { NULL };
  const gint64 sizes[] = { 1, 3 };
  SondeGraphValue *x, *list, *y;

  net_init (&net);
  x = feed (&net, SONDE_DTYPE_F64, "2x4: 1 2 3 4 5 6 7 8");
  list = set_int (&net,
                  add (&net, "SplitToSequence", x, sonde_build_ints (net.graph, sizes, 2), NULL),
                  "axis", 1);
  y = set_int (&net, add (&net, "ConcatFromSequence", list, NULL, NULL), "axis", -1);
  check_net (&net, add (&net, "Exp", add (&net, "Identity", y, NULL, NULL), NULL, NULL), x);
}

static void
test_optional (void)
{
  g_auto (Net) net = { NULL };
  SondeGraphValue *x, *held, *y;

  net_init (&net);
  x = feed (&net, SONDE_DTYPE_F64, "3: 1 2 3");
  held = add (&net, "Optional", add (&net, "Sin", x, NULL, NULL), NULL, NULL);
  y = add (&net, "Mul", add (&net, "OptionalGetElement", held, NULL, NULL),
           add (&net, "OptionalGetElement", held, NULL, NULL), NULL);
  check_net (&net, y, x);
}

/* ---- what is computed ---------------------------------------------------- */

typedef struct
{
  const char *op;
  gint64 axis;
  gboolean keep;
} AxesCase;

static const AxesCase axes_cases[] = {
  { "ReduceSum", 1, TRUE },  { "ReduceSum", -2, FALSE },   { "ReduceMean", 1, FALSE },
  { "ReduceMax", 0, FALSE }, { "ReduceL2", -1, FALSE },    { "ReduceLogSumExp", 0, FALSE },
  { "ReduceL1", 1, TRUE },   { "ReduceLogSum", 1, FALSE }, { "ReduceSumSquare", -1, FALSE },
  { "ReduceMin", -1, TRUE },
};

/* Axes of a reduction that are an input of the graph. */
static void
test_late_axes (gconstpointer data)
{
  const AxesCase *row = data;
  g_auto (Net) net = { NULL };
  g_autofree char *axes = g_strdup_printf ("1: %" G_GINT64_FORMAT, row->axis);
  SondeGraphValue *x, *y;

  net_init (&net);
  x = feed (&net, SONDE_DTYPE_F64, "2x3: 1 2.5 3 4.5 0.5 6");
  y = add (&net, row->op, x, feed (&net, SONDE_DTYPE_I64, axes), NULL);
  check_net (&net, set_int (&net, y, "keepdims", row->keep), NULL);
}

static void
test_late_range (void)
{
  g_auto (Net) net = { NULL };
  SondeGraphValue *start, *limit;

  net_init (&net);
  start = feed (&net, SONDE_DTYPE_F64, "scalar: 1");
  limit = feed (&net, SONDE_DTYPE_F64, "scalar: 2.9");
  check_net (&net, add (&net, "Range", start, limit, feed (&net, SONDE_DTYPE_F64, "scalar: 0.5")),
             NULL);
}

static void
test_late_slice (void)
{
  g_auto (Net) net = { NULL };
  SondeGraphValue *x, *begin;

  net_init (&net);
  x = feed (&net, SONDE_DTYPE_F64, "5: 1 2 3 4 5");
  begin = feed (&net, SONDE_DTYPE_I64, "1: 1");
  check_net (&net, add (&net, "Slice", x, begin, feed (&net, SONDE_DTYPE_I64, "1: 4")), NULL);
}

/* ---- quantisation -------------------------------------------------------- */

static void
assert_gradient (GHashTable *values, const SondeGraphValue *gradient, const char *want_text)
{
  g_autoptr (SondeTensor) want = sonde_test_tensor (SONDE_DTYPE_F32, want_text);

  sonde_test_assert_close (g_hash_table_lookup (values, gradient), want, 1e-5, 1e-5,
                           gradient->name);
}

/* x → QuantizeLinear → DequantizeLinear, both with the same scale, int8 −128 … 127; the target is
 * the sum. Wanted: dx one inside and zero outside, and d scale as in the paper: round (x/s) − x/s
 * inside, the bound outside. */
static void
test_straight_through (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = NULL;
  g_auto (Net) net = { NULL };
  SondeGraphValue *x, *scale, *zero, *y, *gradients[2], *inputs[2];

  net_init (&net);
  inputs[0] = x = feed (&net, SONDE_DTYPE_F32, "5: 0.3 -0.6 100 -100 63.7");
  inputs[1] = scale = feed (&net, SONDE_DTYPE_F32, "scalar: 0.5");
  zero = feed (&net, SONDE_DTYPE_I8, "scalar: 0");
  y = add (&net, "DequantizeLinear", add (&net, "QuantizeLinear", x, scale, zero), scale, zero);
  y = set_int (&net, add (&net, "ReduceSum", y, NULL, NULL), "keepdims", 0);
  g_assert_true (sonde_pass_gradient (net.graph, y, NULL, inputs, 2, gradients, &error));
  values = sonde_test_evaluate (net.graph, net.feeds, &error);
  g_assert_no_error (error);
  assert_gradient (values, gradients[0], "5: 1 1 0 0 1");
  /* 1 − 0.6, −1 + 1.2, 127, −128, 127 − 127.4 */
  assert_gradient (values, gradients[1], "scalar: -0.8");
}

/* A scale for each row, and a zero point. */
static void
test_straight_through_rows (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = NULL;
  g_auto (Net) net = { NULL };
  SondeGraphValue *scale, *zero, *q, *y, *gradients[2], *inputs[2];

  net_init (&net);
  inputs[0] = feed (&net, SONDE_DTYPE_F32, "2x3: 0.3 -0.6 100 2.2 -300 300");
  inputs[1] = scale = feed (&net, SONDE_DTYPE_F32, "2: 0.5 2");
  zero = feed (&net, SONDE_DTYPE_U8, "2: 100 150");
  q = set_int (&net, add (&net, "QuantizeLinear", inputs[0], scale, zero), "axis", 0);
  y = set_int (&net, add (&net, "DequantizeLinear", q, scale, zero), "axis", 0);
  y = set_int (&net, add (&net, "ReduceSum", y, NULL, NULL), "keepdims", 0);
  g_assert_true (sonde_pass_gradient (net.graph, y, NULL, inputs, 2, gradients, &error));
  values = sonde_test_evaluate (net.graph, net.feeds, &error);
  g_assert_no_error (error);
  assert_gradient (values, gradients[0], "2x3: 1 1 0 1 1 0");
  /* row 0: 1 − 0.6, −1 + 1.2, 155; row 1: 1 − 1.1, 0, 105 */
  assert_gradient (values, gradients[1], "2: 155.6 104.9");
}

/* Weights of few bits: the gradient goes to what they are multiplied with. w = ((10 11 12 13) −
 * 10)·2 */
static void
test_matmul_bits (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GHashTable) values = NULL;
  g_auto (Net) net = { NULL };
  SondeGraphValue *inputs[6] = { NULL }, *wanted[2], *gradients[2], *y;
  const char *const names[] = { "K", "N", "bits", "block_size" };
  const gint64 numbers[] = { 4, 1, 8, 4 };

  net_init (&net);
  wanted[0] = inputs[0] = feed (&net, SONDE_DTYPE_F32, "2x4: 1 2 3 4 5 6 7 8");
  inputs[1] = feed (&net, SONDE_DTYPE_U8, "1x1x4: 10 11 12 13");
  inputs[2] = feed (&net, SONDE_DTYPE_F32, "1x1: 2");
  inputs[3] = feed (&net, SONDE_DTYPE_U8, "1x1: 10");
  wanted[1] = inputs[5] = feed (&net, SONDE_DTYPE_F32, "1: 100");
  y = sonde_build_op (net.graph, NULL, "sonde", "MatMulNBits", 6, inputs);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    sonde_node_set_int (y->producer, names[i], numbers[i]);
  g_assert_true (sonde_build_infer (net.graph, y->producer, NULL));
  y = set_int (&net, add (&net, "ReduceSum", add (&net, "Mul", y, y, NULL), NULL, NULL), "keepdims",
               0);
  g_assert_true (sonde_pass_gradient (net.graph, y, NULL, wanted, 2, gradients, &error));
  values = sonde_test_evaluate (net.graph, net.feeds, &error);
  g_assert_no_error (error);
  /* y = 140, 188 */
  assert_gradient (values, gradients[0], "2x4: 0 560 1120 1680 0 752 1504 2256");
  assert_gradient (values, gradients[1], "1: 656");
}

/* ---- the table ----------------------------------------------------------- */

typedef struct
{
  const char *name, *reason;
} WithoutGradient;

#define CLASSICAL "a model that is not trained by gradients"
#define UPDATE "an update of weights ends a training graph"
#define SIZES "its input is a size, or words"
#define WHOLE "its result is a whole number, a truth or a text"

/* Operators whose output may be a float and that have no gradient. */
static const WithoutGradient without_gradient[] = {
  { "BitCast", "the bits of a float are no smooth function of it" },
  { "Constant", "has no inputs" },
  { "DynamicQuantizeLinear", "its scale is that of the extremes; quantise with QuantizeLinear" },
  { "Unique", "the places of equal elements are chosen, and may meet" },
  { "And", WHOLE },
  { "ArgMax", WHOLE },
  { "ArgMin", WHOLE },
  { "BitShift", WHOLE },
  { "BitwiseAnd", WHOLE },
  { "BitwiseNot", WHOLE },
  { "BitwiseOr", WHOLE },
  { "BitwiseXor", WHOLE },
  { "ConvInteger", WHOLE },
  { "Equal", WHOLE },
  { "Greater", WHOLE },
  { "GreaterOrEqual", WHOLE },
  { "IsInf", WHOLE },
  { "IsNaN", WHOLE },
  { "Less", WHOLE },
  { "LessOrEqual", WHOLE },
  { "MatMulInteger", WHOLE },
  { "NonMaxSuppression", WHOLE },
  { "NonZero", WHOLE },
  { "Not", WHOLE },
  { "OptionalHasElement", WHOLE },
  { "Or", WHOLE },
  { "QLinearConv", WHOLE },
  { "QLinearMatMul", WHOLE },
  { "RegexFullMatch", WHOLE },
  { "SequenceLength", WHOLE },
  { "Shape", WHOLE },
  { "Size", WHOLE },
  { "StringConcat", WHOLE },
  { "StringNormalizer", WHOLE },
  { "StringSplit", WHOLE },
  { "Xor", WHOLE },
  { "BlackmanWindow", SIZES },
  { "HammingWindow", SIZES },
  { "HannWindow", SIZES },
  { "TfIdfVectorizer", SIZES },
  { "sonde.FixedPointScale", WHOLE },
  { "sonde.GlobalNorm", UPDATE },
  { "ai.onnx.ml.ArrayFeatureExtractor", CLASSICAL },
  { "ai.onnx.ml.Binarizer", CLASSICAL },
  { "ai.onnx.ml.CastMap", CLASSICAL },
  { "ai.onnx.ml.CategoryMapper", CLASSICAL },
  { "ai.onnx.ml.DictVectorizer", CLASSICAL },
  { "ai.onnx.ml.FeatureVectorizer", CLASSICAL },
  { "ai.onnx.ml.Imputer", CLASSICAL },
  { "ai.onnx.ml.LabelEncoder", CLASSICAL },
  { "ai.onnx.ml.LinearClassifier", CLASSICAL },
  { "ai.onnx.ml.LinearRegressor", CLASSICAL },
  { "ai.onnx.ml.Normalizer", CLASSICAL },
  { "ai.onnx.ml.OneHotEncoder", CLASSICAL },
  { "ai.onnx.ml.SVMClassifier", CLASSICAL },
  { "ai.onnx.ml.SVMRegressor", CLASSICAL },
  { "ai.onnx.ml.Scaler", CLASSICAL },
  { "ai.onnx.ml.TreeEnsemble", CLASSICAL },
  { "ai.onnx.ml.TreeEnsembleClassifier", CLASSICAL },
  { "ai.onnx.ml.TreeEnsembleRegressor", CLASSICAL },
  { "ai.onnx.ml.ZipMap", CLASSICAL },
  { NULL },
};

/* The pass itself goes through the bodies of these. */
static const char *const with_bodies[] = { "If", "Loop", "Scan", "sonde.BatchScan", NULL };

/* May have one or not: updates of weights, which end a training graph, and gradients, where only
 * those of smooth operators need one (the cases ask for it). */
static gboolean
is_open (const SondeOpClass *row, const char *name)
{
  return row->family == SONDE_FAMILY_OPTIMISER
         || (strcmp (row->domain, "sonde") == 0 && g_str_has_suffix (name, "Grad"))
         || g_strv_contains (with_bodies, name);
}

static gboolean
has_reason (const char *name)
{
  for (const WithoutGradient *row = without_gradient; row->name != NULL; row++)
    if (strcmp (row->name, name) == 0)
      return TRUE;
  return FALSE;
}

/* Every operator has a rule, is taken apart into operators that have one, or stands in the list;
 * and nothing stands there that has one. */
static void
test_every_operator (void)
{
  gsize n = 0;
  g_autofree const SondeOpClass **rows = sonde_op_table_list (&n);

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *name
          = g_strconcat (rows[i]->domain, *rows[i]->domain != '\0' ? "." : "", rows[i]->name, NULL);
      gboolean has = rows[i]->gradient != NULL || rows[i]->decompose != NULL;

      if (has != has_reason (name) || is_open (rows[i], name))
        continue;
      g_test_message ("%s: %s", name,
                      has ? "has a gradient and a reason not to"
                          : "has neither a gradient nor a reason");
      g_test_fail ();
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/ops/gradient/every-operator", test_every_operator);
  g_test_add_func ("/engine/ops/gradient/sequence", test_sequence);
  g_test_add_data_func ("/engine/ops/gradient/sequence-parts", GINT_TO_POINTER (FALSE),
                        test_sequence_parts);
  g_test_add_data_func ("/engine/ops/gradient/sequence-stacked", GINT_TO_POINTER (TRUE),
                        test_sequence_parts);
  g_test_add_func ("/engine/ops/gradient/sequence-listed", test_sequence_listed);
  g_test_add_func ("/engine/ops/gradient/optional", test_optional);
  for (gsize i = 0; i < G_N_ELEMENTS (axes_cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/engine/ops/gradient/late-axes/%s-%d",
                                               axes_cases[i].op, (int) axes_cases[i].axis);

      g_test_add_data_func (path, &axes_cases[i], test_late_axes);
    }
  g_test_add_func ("/engine/ops/gradient/late-range", test_late_range);
  g_test_add_func ("/engine/ops/gradient/late-slice", test_late_slice);
  g_test_add_func ("/engine/ops/gradient/matmul-bits", test_matmul_bits);
  g_test_add_func ("/engine/ops/gradient/straight-through", test_straight_through);
  g_test_add_func ("/engine/ops/gradient/straight-through-rows", test_straight_through_rows);
  return g_test_run ();
}
