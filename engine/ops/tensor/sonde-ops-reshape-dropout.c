/* SPDX-License-Identifier: Apache-2.0
 * The same bytes with another shape: Reshape, Flatten, Squeeze, Unsqueeze, Identity; and Dropout,
 * which is the identity outside of training. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sequence/sonde-sequence-private.h"

#include "data/base/sonde-checked.h"
#include "data/base/sonde-random.h"

#include <string.h>

static void
compute_copy (const SondeKernelContext *context)
{
  if (context->outputs[0] != NULL)
    sonde_kernel_copy (context->inputs[0], context->outputs[0]);
}

static gboolean
gradient_reshape (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_own (context, "ReshapeLike", sonde_rule_dy (context),
                                                sonde_rule_x (context, 0), NULL);
  return TRUE;
}

/* ---- Reshape ------------------------------------------------------------- */

/* Product of the sizes that are known, without dimension @skip; -1 when it is too big. */
static gint64
known_product (const SondeType *type, int skip)
{
  gint64 product = 1;

  for (int d = 0; d < type->rank; d++)
    if (d != skip && type->dims[d].size >= 0
        && !sonde_checked_mul (&product, product, type->dims[d].size))
      return -1;
  return product;
}

/* -1 in @type takes what the other sizes leave of @x. */
static gboolean
fill_remainder (const SondeType *x, SondeType *type, int open, GError **error)
{
  gint64 total = sonde_type_product (x, 0, x->rank);
  gint64 rest = known_product (type, open);

  for (int d = 0; d < type->rank; d++)
    if (d != open && type->dims[d].size < 0)
      return TRUE;
  if (rest < 0)
    return sonde_infer_fail (error, "the new shape has more elements than can be counted");
  if (total < 0)
    return TRUE;
  if (open < 0 ? rest != total : rest == 0 ? total != 0 : total % rest != 0)
    return open < 0 ? sonde_infer_fail (
               error, "%" PRIi64 " elements do not fit a shape of %" PRIi64, total, rest)
                    : sonde_infer_fail (error,
                                        "%" PRIi64 " elements do not fit a shape of %" PRIi64
                                        " times a whole number",
                                        total, rest);
  if (open >= 0)
    type->dims[open].size = rest == 0 ? 0 : total / rest;
  return TRUE;
}

/* When only one size of input and output is unknown and the known ones multiply to the same number,
 * the unknown sizes are the same: [N, 16, 5, 5] → [-1, 400] keeps "N". */
static void
carry_symbol (const SondeType *x, SondeType *type, int open)
{
  int unknown = -1;

  for (int d = 0; d < x->rank; d++)
    if (x->dims[d].size < 0 && unknown >= 0)
      return;
    else if (x->dims[d].size < 0)
      unknown = d;
  for (int d = 0; d < type->rank; d++)
    if (d != open && type->dims[d].size < 0)
      return;
  if (unknown >= 0 && known_product (x, -1) == known_product (type, open))
    type->dims[open] = x->dims[unknown];
}

static gboolean
read_target (const SondeNode *node, const SondeType *x, const gint64 *sizes, gsize n,
             SondeType *type, GError **error)
{
  gboolean zero_is_zero = sonde_node_get_int (node, "allowzero", 0) != 0;
  int open = -1;

  *type = sonde_infer_type (x->dtype, (int) n);
  for (int d = 0; d < (int) n; d++)
    {
      if (sizes[d] < -1 || (sizes[d] == -1 && open >= 0))
        return sizes[d] < -1 ? sonde_infer_fail (error, "the new shape has a size below -1")
                             : sonde_infer_fail (error, "the new shape has two sizes -1");
      if (sizes[d] == 0 && !zero_is_zero && d >= x->rank)
        return sonde_infer_fail (error, "the new shape keeps dimension %d, but the input has %d", d,
                                 x->rank);
      if (sizes[d] == -1)
        open = d;
      else if (sizes[d] == 0 && !zero_is_zero)
        type->dims[d] = x->dims[d];
      else
        type->dims[d].size = sizes[d];
    }
  if (!fill_remainder (x, type, open, error))
    return FALSE;
  if (open >= 0 && type->dims[open].size < 0)
    carry_symbol (x, type, open);
  return TRUE;
}

static gboolean
infer_reshape (SondeInferContext *context, GError **error)
{
  gsize n = 0;
  g_autofree gint64 *sizes = sonde_infer_known_ints (context, 1, &n);
  const SondeType *shape = &context->inputs[1];

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (n > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "%zu dimensions are more than %d", n, SONDE_MAX_RANK);
  if (sizes != NULL)
    return read_target (context->node, &context->inputs[0], sizes, n, &context->outputs[0], error);
  if (shape->rank == 1 && shape->dims[0].size >= 0 && shape->dims[0].size <= SONDE_MAX_RANK)
    context->outputs[0] = sonde_infer_type (context->inputs[0].dtype, (int) shape->dims[0].size);
  return TRUE;
}

static gboolean
infer_reshape_like (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *like = &context->inputs[1];
  gint64 have = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;
  gint64 want = like->rank >= 0 ? sonde_type_product (like, 0, like->rank) : -1;

  if (have >= 0 && want >= 0 && have != want)
    return sonde_infer_fail (error, "%" PRIi64 " elements do not fit a shape of %" PRIi64, have,
                             want);
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  context->outputs[0] = *like;
  context->outputs[0].dtype = x->dtype;
  return TRUE;
}

/* ---- Flatten ------------------------------------------------------------- */

/* One dimension for those from @first to before @last; a lone symbol goes through. */
static SondeDimension
join_dimensions (const SondeType *x, int first, int last)
{
  SondeDimension joined = sonde_dimension (1);

  for (int d = first; d < last; d++)
    if (joined.size == 1)
      joined = x->dims[d];
    else if (x->dims[d].size != 1
             && (joined.size < 0 || x->dims[d].size < 0
                 || !sonde_checked_mul (&joined.size, joined.size, x->dims[d].size)))
      return sonde_dimension (-1);
  return joined;
}

static gboolean
infer_flatten (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gint64 given = sonde_node_get_int (context->node, "axis", 1);
  int axis = 0;

  if (!sonde_infer_ready (context, 1))
    return TRUE;
  /* From 0 to the rank itself; negative ones count from the rank, as elsewhere. */
  if (!sonde_infer_axis (given < 0 ? given + x->rank : given, x->rank + 1, &axis, error))
    return FALSE;
  context->outputs[0] = sonde_infer_type (x->dtype, 2);
  context->outputs[0].dims[0] = join_dimensions (x, 0, axis);
  context->outputs[0].dims[1] = join_dimensions (x, axis, x->rank);
  return TRUE;
}

/* ---- Squeeze, Unsqueeze -------------------------------------------------- */

/* Marks the named axes. FALSE with @error when one is outside or named twice. */
static gboolean
mark_axes (const gint64 *axes, gsize n, int limit, gboolean *marks, GError **error)
{
  memset (marks, 0, sizeof (gboolean) * SONDE_MAX_RANK);
  for (gsize i = 0; i < n; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (axes[i], limit, &axis, error))
        return FALSE;
      if (marks[axis])
        return sonde_infer_fail (error, "axis %d is named twice", axis);
      marks[axis] = TRUE;
    }
  return TRUE;
}

static gboolean
infer_squeeze (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean given = sonde_infer_input (context, 1) != NULL;
  gsize n = 0;
  g_autofree gint64 *axes = sonde_infer_known_ints (context, 1, &n);
  gboolean marks[SONDE_MAX_RANK];
  SondeType type = sonde_infer_type (x->dtype, 0);

  if (!sonde_infer_ready (context, 1) || (given && axes == NULL))
    return TRUE;
  if (!mark_axes (axes, n, x->rank, marks, error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    {
      if (!given && x->dims[d].size < 0)
        return TRUE;
      if (given && marks[d] && x->dims[d].size > 1)
        return sonde_infer_fail (error, "dimension %d has size %" PRIi64 ", only 1 can go", d,
                                 x->dims[d].size);
      if (given ? !marks[d] : x->dims[d].size != 1)
        type.dims[type.rank++] = x->dims[d];
    }
  context->outputs[0] = type;
  return TRUE;
}

static gboolean
infer_unsqueeze (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0;
  g_autofree gint64 *axes = sonde_infer_known_ints (context, 1, &n);
  gboolean marks[SONDE_MAX_RANK];
  SondeType type;

  if (!sonde_infer_ready (context, 1) || axes == NULL)
    return TRUE;
  if (x->rank + (gint64) n > SONDE_MAX_RANK)
    return sonde_infer_fail (error, "the result would have more than %d dimensions",
                             SONDE_MAX_RANK);
  type = sonde_infer_type (x->dtype, x->rank + (int) n);
  if (!mark_axes (axes, n, type.rank, marks, error))
    return FALSE;
  for (int d = 0, from = 0; d < type.rank; d++)
    type.dims[d] = marks[d] ? sonde_dimension (1) : x->dims[from++];
  context->outputs[0] = type;
  return TRUE;
}

/* ---- Dropout ------------------------------------------------------------- */

static gboolean
infer_dropout (SondeInferContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  if (context->n_outputs > 1)
    {
      context->outputs[1] = context->inputs[0];
      context->outputs[1].dtype = SONDE_DTYPE_BOOL;
    }
  return sonde_infer_need_float (context, 0, error);
}

static gboolean
dropout_is_active (const SondeKernelContext *context, double *ratio)
{
  *ratio = sonde_kernel_scalar (context, 1, 0.5);
  return sonde_kernel_scalar (context, 2, 0) != 0 && *ratio > 0;
}

#define DROP_LOOP(suffix, T)                                                                       \
  static void drop_##suffix (gint64 n, const void *x, const guint8 *mask, double scale, void *y)   \
  {                                                                                                \
    const T *x_ = x;                                                                               \
    T *y_ = y;                                                                                     \
    const T s = (T) scale;                                                                         \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++) y_[i] = mask[i] ? x_[i] * s : 0;          \
  }
DROP_LOOP (f32, float)
DROP_LOOP (f64, double)

static void
compute_dropout (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  SondeTensor *mask = sonde_kernel_output (context, 1);
  gint64 n = sonde_tensor_n_elements (x);
  guint64 stream = sonde_random_stream (context->node->name) + context->step;
  gboolean seeded = sonde_node_find_attribute (context->node, "seed") != NULL;
  guint64 seed = seeded ? (guint64) sonde_node_get_int (context->node, "seed", 0) : context->seed;
  g_autofree guint8 *own = NULL;
  guint8 *keep = mask ? mask->data : NULL;
  double ratio = 0;

  if (!dropout_is_active (context, &ratio))
    {
      if (keep != NULL)
        memset (keep, 1, (gsize) n);
      compute_copy (context);
      return;
    }
  if (keep == NULL)
    keep = own = g_malloc ((gsize) n);
  for (gint64 i = 0; i < n; i++)
    keep[i] = sonde_random_uniform (seed, stream, (guint64) i) >= ratio;
  if (y != NULL)
    SONDE_FLOAT_CALL (x->dtype, drop, n, x->data, keep, ratio < 1 ? 1 / (1 - ratio) : 0, y->data);
}

/* dx = dy where the mask kept, scaled alike; without training the mask is all ones and the scale
 * 1. */
static void
compute_dropout_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  double ratio = sonde_kernel_scalar (context, 2, 0.5);
  double scale = sonde_kernel_scalar (context, 3, 0) == 0 ? 1 : ratio < 1 ? 1 / (1 - ratio) : 0;

  SONDE_FLOAT_CALL (dy->dtype, drop, sonde_tensor_n_elements (dy), dy->data,
                    context->inputs[1]->data, scale, context->outputs[0]->data);
}

/* (dy, mask, ratio?, training_mode?) → dx */
static gboolean
infer_dropout_grad (SondeInferContext *context, GError **error)
{
  SondeDtype mask = context->inputs[1].dtype;

  context->outputs[0] = context->inputs[0];
  if (mask != SONDE_DTYPE_BOOL && mask != SONDE_DTYPE_INVALID)
    return sonde_infer_fail (error, "the mask is %s, but must be bool", sonde_dtype_name (mask));
  return sonde_infer_need_float (context, 0, error)
         && sonde_infer_need_shape (&context->inputs[1], &context->inputs[0], N_ ("the mask"),
                                    error);
}

static gboolean
gradient_dropout (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[4] = { sonde_rule_dy (context) };

  if (sonde_rule_x (context, 2) == NULL)
    {
      context->input_gradients[0] = inputs[0];
      return TRUE;
    }
  inputs[1] = sonde_rule_ensure_y (context, 1);
  inputs[2] = sonde_rule_x (context, 1);
  inputs[3] = sonde_rule_x (context, 2);
  context->input_gradients[0]
      = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "DropoutGrad", 4, inputs);
  return TRUE;
}

static gboolean
gradient_identity (SondeGradientContext *context, GError **error)
{
  context->input_gradients[0] = sonde_rule_dy (context);
  return TRUE;
}

/* Of sequences, optionals, maps. */
static gboolean
compute_identity (const SondeValueContext *context, GError **error)
{
  context->outputs[0] = sonde_sequence_keep (context->inputs[0]);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule reshape_rules[]
    = { { "allowzero", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule axis_rule[] = { { "axis", SONDE_ATTRIBUTE_INT }, { NULL } };
static const SondeAttributeRule seed_rule[] = { { "seed", SONDE_ATTRIBUTE_INT }, { NULL } };

static gboolean
drops_nothing (const SondeNode *node)
{
  return sonde_node_get_input (node, 2) == NULL && sonde_node_get_output (node, 1) == NULL;
}

#define VIEW(onnx, opset, least, most, rules, rule, derivative, identity)                          \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = least, .max_inputs = most,           \
    .min_outputs = 1, .max_outputs = 1, .flags = SONDE_OP_VIEW | SONDE_OP_IN_PLACE,                \
    .family = SONDE_FAMILY_SHAPE, .attributes = rules, .infer = rule, .compute = compute_copy,     \
    .gradient = derivative, .reach = { sonde_reach_same, 0x1 }, .typing = SONDE_TYPING_UNIFORM,    \
    .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_MOVES | SONDE_TRAIT_PERMUTES | SONDE_TRAIT_AUTOCAST \
              | SONDE_TRAIT_KEEPS_POSITIVE,                                                        \
    .changes_nothing = sonde_identity_of_known_sizes, .attribution = SONDE_ATTRIBUTION_MOVE,       \
    .id = identity,                                                                                \
  }

const SondeOpClass sonde_ops_reshape_dropout[] = {
  VIEW ("Flatten", 1, 1, 1, axis_rule, infer_flatten, gradient_reshape, SONDE_OP_ID_FLATTEN),
  {
      .domain = "",
      .name = "Identity",
      .since = 1,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_VIEW | SONDE_OP_IN_PLACE,
      .family = SONDE_FAMILY_SHAPE,
      .infer = sonde_infer_like_first,
      .compute = compute_copy,
      .compute_values = compute_identity,
      .gradient = gradient_identity,
      .reach = { sonde_reach_same, 0x1 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_KEEPS_POSITIVE,
      .changes_nothing = sonde_identity_always,
      .attribution = SONDE_ATTRIBUTION_MOVE,
      .id = SONDE_OP_ID_IDENTITY,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "StopGradient",
      .since = 1,
      .min_inputs = 1,
      .max_inputs = 1,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_VIEW | SONDE_OP_IN_PLACE,
      .family = SONDE_FAMILY_SHAPE,
      .infer = sonde_infer_like_first,
      .compute = compute_copy,
      .compute_values = compute_identity,
      .gradient = sonde_rule_flat,
      .reach = { sonde_reach_same, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_STOP_GRADIENT,
  },
  VIEW ("Reshape", 5, 2, 2, reshape_rules, infer_reshape, gradient_reshape, SONDE_OP_ID_RESHAPE),
  VIEW ("Squeeze", 13, 1, 2, NULL, infer_squeeze, gradient_reshape, SONDE_OP_ID_SQUEEZE),
  VIEW ("Unsqueeze", 13, 2, 2, NULL, infer_unsqueeze, gradient_reshape, SONDE_OP_ID_NONE),
  {
      .domain = SONDE_DOMAIN,
      .name = "ReshapeLike",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_VIEW | SONDE_OP_IN_PLACE,
      .family = SONDE_FAMILY_SHAPE,
      .infer = infer_reshape_like,
      .compute = compute_copy,
      .gradient = gradient_reshape,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_same, 0x1 },
      .typing = SONDE_TYPING_LEADING (2),
      .traits = SONDE_TRAIT_STRICT,
  },
  {
      .domain = "",
      .name = "Dropout",
      .since = 12,
      .min_inputs = 1,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 2,
      .flags = SONDE_OP_RANDOM,
      .family = SONDE_FAMILY_OTHER,
      .attributes = seed_rule,
      .infer = infer_dropout,
      .compute = compute_dropout,
      .gradient = gradient_dropout,
      .reach = { sonde_reach_same, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_KEEPS_POSITIVE,
      .changes_nothing = drops_nothing,
      .attribution = SONDE_ATTRIBUTION_MOVE,
      .id = SONDE_OP_ID_DROPOUT,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "DropoutGrad",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .infer = infer_dropout_grad,
      .compute = compute_dropout_grad,
      .gradient = sonde_gradient_own_inverse,
      .reach = { sonde_reach_same, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
