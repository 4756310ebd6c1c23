/* SPDX-License-Identifier: Apache-2.0
 * Chains of plain operators, as exporters write them, become the one operator of the standard that
 * means the same. docs/engine.md lists them. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/fusion/sonde-fuse-private.h"

#include <math.h>

typedef SondeRule Rule;

/* ---- what values are ----------------------------------------------------- */

/* Numbers beside @x did not give the result more dimensions, and it is none that the operator does
 * not take. */
static gboolean
is_like_result (const SondeMatch *match, const SondeGraphValue *x)
{
  const SondeGraphValue *y = sonde_node_get_output (match->nodes[0], 0);

  return sonde_dtype_is_float (x->type.dtype) && x->type.dtype == y->type.dtype && x->type.rank >= 0
         && x->type.rank == y->type.rank;
}

/* ---- functions of one operand -------------------------------------------- */

static gboolean
replace_function (SondeGraph *graph, const SondeMatch *match, const Rule *rule)
{
  SondeGraphValue *x = sonde_match_get (match, "x");
  double number = rule->number;
  SondeNode *node;

  if (!is_like_result (match, x)
      || (sonde_match_get (match, "a") != NULL
          && !sonde_match_number (sonde_match_get (match, "a"), &number)))
    return FALSE;

  node = sonde_match_replace (graph, match, rule->op, &x, 1);
  if (rule->text != NULL)
    sonde_node_set_string (node, rule->attribute, rule->text);
  else if (rule->attribute != NULL)
    sonde_node_set_float (node, rule->attribute, number);
  return TRUE;
}

/* x·HardSigmoid (x) with the numbers of HardSwish. */
static gboolean
replace_hard_swish (SondeGraph *graph, const SondeMatch *match, const Rule *rule)
{
  const SondeNode *node = match->nodes[1];

  return fabs (sonde_node_get_float (node, "alpha", 0.2) - 1.0 / 6) < 1e-6
         && sonde_node_get_float (node, "beta", 0.5) == 0.5
         && replace_function (graph, match, rule);
}

/* ---- normalisation of the last dimensions -------------------------------- */

/* The first of the dimensions that a ReduceMean takes together, which are the last ones of its
 * operand and stay as ones; -1: others. */
static int
first_axis (const SondeNode *node)
{
  const SondeGraphValue *x = sonde_node_get_input (node, 0), *axes = sonde_node_get_input (node, 1);
  SondeTensor *tensor = axes != NULL && sonde_fixed_value (axes) != NULL
                            ? sonde_value_get_tensor (sonde_fixed_value (axes))
                            : NULL;
  const int rank = x->type.rank;
  guint seen = 0;
  gint64 n;

  if (tensor == NULL || rank < 1 || sonde_node_get_int (node, "keepdims", 1) != 1)
    return -1;

  n = sonde_tensor_n_elements (tensor);
  for (gint64 i = 0; i < n; i++)
    {
      gint64 axis = sonde_tensor_get_int (tensor, i);

      axis += axis < 0 ? rank : 0;
      if (axis < rank - n || axis >= rank || (seen & (1u << axis)) != 0)
        return -1;
      seen |= 1u << axis;
    }
  return n > 0 ? rank - (int) n : -1;
}

/* All means of the match are of the same dimensions. */
static int
common_axis (const SondeMatch *match)
{
  int axis = -1;

  for (guint i = 0; i < match->n_nodes; i++)
    {
      int this_axis;

      if (!sonde_node_is (match->nodes[i], SONDE_OP_ID_REDUCE_MEAN))
        continue;
      this_axis = first_axis (match->nodes[i]);
      if (this_axis < 0 || (axis >= 0 && axis != this_axis))
        return -1;
      axis = this_axis;
    }
  return axis;
}

/* The sizes from @axis on, all known. */
static gboolean
get_inner_shape (const SondeGraphValue *x, int axis, SondeShape *shape)
{
  *shape = sonde_shape_make (0);
  for (int d = axis; d < x->type.rank; d++)
    {
      if (x->type.dims[d].size <= 0)
        return FALSE;
      shape->dims[shape->rank++] = x->type.dims[d].size;
    }
  return TRUE;
}

/* A factor or term as the operator takes it: of the shape of what is normalised. Ones before it are
 * left out of a constant. NULL: it is another. */
static SondeGraphValue *
fit_operand (SondeGraph *graph, SondeGraphValue *value, const SondeShape *shape)
{
  g_autoptr (SondeTensor) view = NULL;
  SondeShape own;
  int more;

  if (!sonde_type_get_shape (&value->type, &own) || own.rank < shape->rank)
    return NULL;
  more = own.rank - shape->rank;
  for (int d = 0; d < own.rank; d++)
    if (own.dims[d] != (d < more ? 1 : shape->dims[d - more]))
      return NULL;
  if (more == 0)
    return value;

  if (sonde_fixed_value (value) == NULL)
    return NULL;
  view = sonde_tensor_reshape (sonde_value_get_tensor (sonde_fixed_value (value)), shape);
  return sonde_build_constant (graph, value->name, view);
}

static SondeGraphValue *
add_ones (SondeGraph *graph, SondeDtype dtype, const SondeShape *shape)
{
  g_autoptr (SondeTensor) ones = sonde_tensor_new (dtype, shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (ones); i++)
    sonde_tensor_set_double (ones, i, 1);
  return sonde_build_constant (graph, "ones", ones);
}

static gboolean
replace_normalisation (SondeGraph *graph, const SondeMatch *match, const Rule *rule)
{
  SondeGraphValue *x = sonde_match_get (match, "x"), *scale = sonde_match_get (match, "scale");
  SondeGraphValue *bias = sonde_match_get (match, "bias");
  SondeGraphValue *inputs[3] = { x, scale, bias };
  int axis = common_axis (match);
  SondeShape shape;
  double epsilon;
  SondeNode *node;

  if (axis < 0 || !is_like_result (match, x) || x->type.dtype == SONDE_DTYPE_F64
      || !sonde_match_number (sonde_match_get (match, "epsilon"), &epsilon) || !(epsilon >= 0)
      || !get_inner_shape (x, axis, &shape))
    return FALSE;
  for (guint k = 1; k < 3; k++)
    if (inputs[k] != NULL
        && (inputs[k]->type.rank > x->type.rank
            || (inputs[k] = fit_operand (graph, inputs[k], &shape)) == NULL))
      return FALSE;
  if (scale == NULL)
    inputs[1] = add_ones (graph, x->type.dtype, &shape);

  node = sonde_match_replace (graph, match, rule->op, inputs, bias != NULL ? 3 : 2);
  sonde_node_set_int (node, "axis", axis);
  sonde_node_set_float (node, "epsilon", epsilon);
  return TRUE;
}

/* ---- the table ----------------------------------------------------------- */

/* Gelu: half of x times one plus an odd function of x. */
#define ERF "Add (Erf ({Div (x, 1.4142135623730951) | Mul (x, 0.7071067811865476)}), 1)"
#define CUBE "{Pow (x, 3) | Mul (Mul (x, x), x)}"
#define TANH_INNER                                                                                 \
  "{Add (Mul (Mul (Mul (x, 0.044715), x), x), x) | Add (Mul (" CUBE ", 0.044715), x) "             \
  "| Mul (Add (Mul (Mul (x, x), 0.044715), 1), x) | Mul (Add (Mul (Mul (x, 0.044715), x), 1), x)}"
#define TANH                                                                                       \
  "Add (Tanh ({Mul (" TANH_INNER ", 0.7978845608028654) "                                          \
  "| Mul (Add (Mul (Mul (x, x), 0.044715), 1), Mul (x, 0.7978845608028654)) "                      \
  "| Mul (Add (Mul (Mul (x, 0.044715), x), 1), Mul (x, 0.7978845608028654))}), 1)"
#define HALF(p)                                                                                    \
  "{Mul (Mul (" p ", x), 0.5) | Mul (Mul (" p ", 0.5), x) | Mul (" p                               \
  ", Mul (x, 0.5)) | Div (Mul (" p ", x), 2)}"

/* Normalisation: distances d, the mean of their squares, and one over its root. */
#define DISTANCE "d: Sub (x, m: ReduceMean (x))"
#define SQUARES "{Pow ({d | Sub (x, m)}, 2) | Mul (d, d)}"
#define ROOT(squares) "Sqrt (Add (ReduceMean (" squares "), epsilon))"
#define OVER(p, root)                                                                              \
  "{Div (" p ", " root ") | Mul (" p ", Reciprocal (" root ")) | Mul (" p ", Div (1, " root "))}"
#define LAYER OVER (DISTANCE, ROOT (SQUARES))
#define AFFINE_LAYER                                                                               \
  "Add (Mul (f: Mul (Reciprocal (Sqrt (Add (ReduceMean ({Pow (d: Sub (x, m: ReduceMean (x)), 2) "  \
  "| Mul (d: Sub (x, m: ReduceMean (x)), d)}), epsilon))), scale), x), Sub (bias, Mul (m, f)))"
#define RMS OVER ("x", ROOT ("{Pow (x, 2) | Mul (x, x)}"))

/* Attention: the weights of products p. */
#define SCALED(p) "{Div (" p ", divisor) | Mul (" p ", factor) | " p "}"
#define ATTEND(p, v) "MatMul (Softmax ({Add (" SCALED (p) ", mask) | " SCALED (p) "}), " v ")"
#define HEADS(x) "{Transpose (Reshape (" x ")) | Transpose (Transpose (Reshape (" x ")))}"

/* Of several that end with the same node, the longest stands first. */
static const Rule rules[] = {
  { "Add (Mul (" LAYER ", scale), bias)", "LayerNormalization", replace_normalisation },
  { AFFINE_LAYER, "LayerNormalization", replace_normalisation },
  { "Mul (" LAYER ", scale)", "LayerNormalization", replace_normalisation },
  { LAYER, "LayerNormalization", replace_normalisation },
  { "Mul (" RMS ", scale)", "RMSNormalization", replace_normalisation },
  { RMS, "RMSNormalization", replace_normalisation },
  { HALF (ERF), "Gelu", replace_function, "approximate", "none" },
  { HALF (TANH), "Gelu", replace_function, "approximate", "tanh" },
  { "Mul (Sigmoid (x), x)", "Swish", replace_function, "alpha", NULL, 1 },
  { "Mul (Sigmoid (Mul (x, a)), x)", "Swish", replace_function, "alpha" },
  { "Mul (HardSigmoid (x), x)", "HardSwish", replace_hard_swish },
  { "{Div (Mul (Clip (Add (x, 3), 0, 6), x), 6) | Mul (Mul (Clip (Add (x, 3), 0, 6), x), "
    "0.16666666666666667) "
    "| Mul (Div (Clip (Add (x, 3), 0, 6), 6), x) | Mul (Mul (Clip (Add (x, 3), 0, 6), "
    "0.16666666666666667), x)}",
    "HardSwish", replace_function },
  { "Reshape (Transpose (" ATTEND ("MatMul (" HEADS ("q") ", " HEADS ("k") ")", HEADS ("v")) "))",
    "Attention", sonde_fuse_packed_attention },
  { ATTEND ("MatMul (Mul (q, first), Transpose (k))", "v"), "Attention", sonde_fuse_attention },
  { ATTEND ("MatMul (q, Transpose (k))", "v"), "Attention", sonde_fuse_attention },
  { "Mul (Tanh (Softplus (x)), x)", "Mish", replace_function },
};

static void
fuse_node (SondeGraph *graph, SondeNode *node)
{
  SondeMatch match;

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    if (sonde_match_read (graph, node, rules[i].pattern, &match)
        && rules[i].replace (graph, &match, &rules[i]))
      return;
}

/* Backwards, so that a chain is seen from its end. */
gboolean
sonde_pass_fuse (SondeGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return FALSE;

  for (guint i = order->len; i-- > 0;)
    fuse_node (graph, g_ptr_array_index (order, i));
  sonde_pass_dce (graph);
  return TRUE;
}
