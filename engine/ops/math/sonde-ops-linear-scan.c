/* SPDX-License-Identifier: Apache-2.0
 * sonde.LinearScan: hₜ = bₜ + aₜ·hₜ₋₁ along an axis, carried in double; and the gradients of
 * running sums and products, which are such scans. No division: a zero among the factors is nothing
 * special. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-index.h"

#define RULE SONDE_GRADIENT

enum
{
  INPUT_B,
  INPUT_AXIS,
  INPUT_A,
};

/* ---- the operator -------------------------------------------------------- */

static gboolean
infer_linear (SondeInferContext *context, GError **error)
{
  const SondeType *b = &context->inputs[INPUT_B];
  gsize n = 0;
  g_autofree gint64 *axes = sonde_infer_known_ints (context, INPUT_AXIS, &n);
  int axis = 0;

  context->outputs[0] = *b;
  if (!sonde_infer_need_float (context, INPUT_B, error)
      || !sonde_infer_need_integer (context, INPUT_AXIS, error)
      || !sonde_infer_need_shape (&context->inputs[INPUT_A], b, N_ ("the tensor of factors"),
                                  error))
    return FALSE;
  if (b->dtype != SONDE_DTYPE_INVALID && context->inputs[INPUT_A].dtype != SONDE_DTYPE_INVALID
      && b->dtype != context->inputs[INPUT_A].dtype)
    return sonde_infer_fail (error, "the factors are %s, but what is added is %s",
                             sonde_dtype_name (context->inputs[INPUT_A].dtype),
                             sonde_dtype_name (b->dtype));
  if (axes != NULL && n != 1)
    return sonde_infer_fail (error, "the axis must be one number");
  return axes == NULL || b->rank < 0 || sonde_infer_axis (axes[0], b->rank, &axis, error);
}

static int
scan_axis (const SondeKernelContext *context, GError **error)
{
  const SondeTensor *tensor = context->inputs[INPUT_AXIS];
  int axis = -1;

  if (sonde_tensor_n_elements (tensor) != 1)
    (void) sonde_infer_fail (error, "the axis must be one number");
  else if (!sonde_infer_axis (sonde_index_read (tensor, 0), context->inputs[INPUT_B]->shape.rank,
                              &axis, error))
    axis = -1;
  return axis;
}

static gboolean
check_linear (const SondeKernelContext *context, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (scan_axis (context, &problem) >= 0)
    return TRUE;
  sonde_set_error_from (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, problem);
  return FALSE;
}

/* Items are columns: places in all dimensions but the axis. */
static gint64
linear_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[INPUT_B]->shape;
  int axis = scan_axis (context, NULL);

  *cost = axis >= 0 ? 2 * shape->dims[axis] : 0;
  return *cost > 0 ? sonde_shape_product (shape, 0, axis)
                         * sonde_shape_product (shape, axis + 1, shape->rank)
                   : 0;
}

#define LINEAR_LOOP(suffix, T)                                                                     \
  static void columns_##suffix (const void *from, const void *factors, void *to, gint64 n,         \
                                gint64 stride, gint64 columns, double *carry)                      \
  {                                                                                                \
    const T *b = from, *a = factors;                                                               \
    T *h = to;                                                                                     \
    for (gint64 i = 0; i < columns; i++)                                                           \
      carry[i] = 0;                                                                                \
    for (gint64 k = 0; k < n; k++, a += stride, b += stride, h += stride)                          \
      for (gint64 i = 0; i < columns; i++)                                                         \
        h[i] = (T) (carry[i] = (k > 0 ? (double) a[i] * carry[i] : 0) + (double) b[i]);            \
  }
LINEAR_LOOP (f32, float)
LINEAR_LOOP (f64, double)

static void
linear_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *b = context->inputs[INPUT_B], *a = context->inputs[INPUT_A];
  gsize size = sonde_dtype_size (b->dtype);
  int axis = scan_axis (context, NULL);
  gboolean reverse = sonde_node_get_int (context->node, "reverse", 0) != 0;
  g_autofree double *carry = NULL;
  gint64 n, inner;

  if (begin >= end)
    return;
  n = b->shape.dims[axis];
  inner = sonde_shape_product (&b->shape, axis + 1, b->shape.rank);
  carry = g_new (double, MIN (inner, end - begin));
  for (gint64 item = begin; item < end;)
    {
      gint64 column = item % inner, columns = MIN (inner - column, end - item);
      gsize first
          = (gsize) (item / inner * n * inner + column + (reverse ? (n - 1) * inner : 0)) * size;

      SONDE_FLOAT_CALL (b->dtype, columns, b->data + first, a->data + first,
                        context->outputs[0]->data + first, n, reverse ? -inner : inner, columns,
                        carry);
      item += columns;
    }
}

SONDE_COMPUTE_PARTS (linear)

/* ---- gradients ----------------------------------------------------------- */

/* @x moved by one place along the axis, so that each place holds what is @later (or before it) in
 * the order of the scan; zero comes in. */
static SondeGraphValue *
shift (SondeGradientContext *context, SondeGraphValue *x, gboolean later)
{
  gboolean reverse = sonde_node_get_int (context->node, "reverse", 0) != 0;
  const gint64 one = 1, step = later != reverse ? -1 : 1;
  const gint64 pads[] = { step, -step };
  SondeGraphValue *axis
      = OP2 ("Reshape", sonde_rule_x (context, 1), sonde_build_ints (context->graph, &one, 1));
  SondeGraphValue *inputs[] = { x, sonde_build_ints (context->graph, pads, 2), NULL, axis };

  return sonde_build_op (context->graph, NULL, "", "Pad", 4, inputs);
}

/* Against the order of the node's own scan. */
static SondeGraphValue *
scan_back (SondeGradientContext *context, SondeGraphValue *b, SondeGraphValue *a)
{
  SondeGraphValue *h
      = sonde_rule_own (context, "LinearScan", b, sonde_rule_x (context, 1), a, NULL);

  sonde_node_set_int (h->producer, "reverse",
                      sonde_node_get_int (context->node, "reverse", 0) == 0);
  return sonde_rule_infer (context, h);
}

/* db = g with gₜ = dhₜ + aₜ₊₁·gₜ₊₁; daₜ = gₜ·hₜ₋₁ */
RULE (linear_scan)
{
  SondeGraphValue *g = scan_back (context, sonde_rule_dy (context),
                                  shift (context, sonde_rule_x (context, INPUT_A), TRUE));

  context->input_gradients[INPUT_B] = g;
  if (context->wanted[INPUT_A])
    context->input_gradients[INPUT_A]
        = OP2 ("Mul", g, shift (context, sonde_rule_y (context, 0), FALSE));
  return TRUE;
}

/* The same sum from the other end. */
RULE (running_sum)
{
  SondeGraphValue *dx = OP2 ("CumSum", sonde_rule_dy (context), sonde_rule_x (context, 1));

  sonde_rule_copy_attributes (dx->producer, context->node);
  sonde_node_set_int (dx->producer, "reverse",
                      sonde_node_get_int (context->node, "reverse", 0) == 0);
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

/* dxᵢ = (Π of those before i)·sᵢ with sᵢ = dyᵢ + xᵢ₊₁·sᵢ₊₁ (dyᵢ₊₁ where the product leaves out its
 * own place) */
RULE (running_product)
{
  SondeGraphValue *x = sonde_rule_x (context, 0), *dy = sonde_rule_dy (context);
  SondeGraphValue *before = OP2 ("CumProd", x, sonde_rule_x (context, 1));

  if (sonde_node_get_int (context->node, "exclusive", 0) != 0)
    dy = shift (context, dy, TRUE);
  sonde_node_set_int (before->producer, "exclusive", 1);
  sonde_node_set_int (before->producer, "reverse",
                      sonde_node_get_int (context->node, "reverse", 0));
  context->input_gradients[0] = OP2 ("Mul", sonde_rule_infer (context, before),
                                     scan_back (context, dy, shift (context, x, TRUE)));
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule reverse_rule[] = { { "reverse", SONDE_ATTRIBUTE_INT }, { NULL } };

const SondeOpClass sonde_ops_linear_scan[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "LinearScan",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_REDUCTION,
      .attributes = reverse_rule,
      .infer = infer_linear,
      .compute = compute_linear,
      .check = check_linear,
      .gradient = sonde_gradient_linear_scan,
      .count_parts = linear_count,
      .compute_part = linear_part,
      .reach = { sonde_reach_prefix, 0x5 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
