/* SPDX-License-Identifier: Apache-2.0
 * Matrix products: Gemm and MatMul (with NumPy's broadcasting of batches). */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>

#define T float
#define S f32
#include "engine/ops/math/sonde-matmul-template.h"
#define T double
#define S f64
#include "engine/ops/math/sonde-matmul-template.h"
#define T guint64
#define S i64
#include "engine/ops/math/sonde-matmul-template.h"

/* Integers are multiplied in 64 bits and wrap. */
#define MATRIX_CALL(dtype, name, ...)                                                              \
  G_STMT_START                                                                                     \
  {                                                                                                \
    if ((dtype) == SONDE_DTYPE_I64)                                                                \
      name##_i64 (__VA_ARGS__);                                                                    \
    else                                                                                           \
      SONDE_FLOAT_CALL (dtype, name, __VA_ARGS__);                                                 \
  }                                                                                                \
  G_STMT_END

static gboolean
need_number (const SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  if (dtype == SONDE_DTYPE_INVALID || sonde_dtype_is_float (dtype) || dtype == SONDE_DTYPE_I32
      || dtype == SONDE_DTYPE_I64 || dtype == SONDE_DTYPE_U32 || dtype == SONDE_DTYPE_U64)
    return TRUE;
  return sonde_infer_fail (
      error, "the operands are %s, but must be of a float type or integers of 32 or 64 bits",
      sonde_dtype_name (dtype));
}

/* @compute with everything in @wide instead. */
static void
compute_as (const SondeKernelContext *context, SondeDtype wide,
            void (*compute) (const SondeKernelContext *context))
{
  g_autoptr (GPtrArray) inputs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeTensor *y = context->outputs[0];
  g_autoptr (SondeTensor) result = sonde_tensor_new (wide, &y->shape);
  SondeKernelContext other = *context;

  for (guint k = 0; k < context->n_inputs; k++)
    g_ptr_array_add (inputs,
                     context->inputs[k] ? sonde_tensor_cast (context->inputs[k], wide) : NULL);
  other.inputs = (SondeTensor *const *) inputs->pdata;
  other.outputs = &result;
  compute (&other);
  sonde_dtype_convert (wide, result->data, y->dtype, y->data, (gsize) sonde_tensor_n_elements (y));
}

/* ---- Gemm ---------------------------------------------------------------- */

static gboolean
transposed (const SondeNode *node, const char *name)
{
  return sonde_node_get_int (node, name, 0) != 0;
}

static gboolean
infer_gemm (SondeInferContext *context, GError **error)
{
  const SondeType *a = &context->inputs[0];
  const SondeType *b = &context->inputs[1];
  gboolean ta = transposed (context->node, "transA"), tb = transposed (context->node, "transB");
  SondeType type;
  SondeDimension inner;

  if (!need_number (context, error) || !sonde_infer_need_same (context, 0, 2, error)
      || !sonde_infer_need_rank (context, 0, 2, error)
      || !sonde_infer_need_rank (context, 1, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  type = sonde_infer_type (a->dtype, 2);
  type.dims[0] = a->dims[ta];
  type.dims[1] = b->dims[!tb];
  if (!sonde_dimension_unify (&a->dims[!ta], &b->dims[tb], &inner))
    return sonde_infer_fail (
        error, "cannot multiply: A has %" PRIi64 " columns%s, but B has %" PRIi64 " rows%s",
        a->dims[!ta].size, ta ? " (transA)" : "", b->dims[tb].size, tb ? " (transB)" : "");
  if (sonde_infer_input (context, 2) != NULL && context->inputs[2].rank >= 0)
    {
      SondeType joined;

      if (!sonde_infer_broadcast (&type, &context->inputs[2], &joined, error))
        return FALSE;
      for (int d = 0; d < joined.rank; d++)
        if (joined.rank != 2
            || (type.dims[d].size >= 0 && joined.dims[d].size != type.dims[d].size))
          return sonde_infer_fail (error, "C is bigger than the product of A and B");
    }
  context->outputs[0] = type;
  return TRUE;
}

/* The output starts as beta·C, or zeros. */
static void
start_gemm (const SondeKernelContext *context, SondeTensor *y)
{
  SondeTensor *c = sonde_kernel_input (context, 2);
  double beta = sonde_node_get_float (context->node, "beta", 1);
  gint64 from[SONDE_MAX_RANK], to[SONDE_MAX_RANK];
  const gint64 *strides[] = { from, to };
  SondeStrided rows;

  if (c == NULL || beta == 0)
    {
      memset (y->data, 0, sonde_tensor_n_bytes (y));
      return;
    }
  sonde_strided_broadcast (&c->shape, &y->shape, from);
  sonde_strided_row_major (&y->shape, to);
  sonde_strided_init (&rows, &y->shape, 2, strides);
  MATRIX_CALL (y->dtype, fill_scaled, &rows, c->data, beta, y->data);
}

static void
compute_gemm (const SondeKernelContext *context)
{
  SondeTensor *a = context->inputs[0];
  SondeTensor *b = context->inputs[1];
  SondeTensor *y = context->outputs[0];
  gboolean ta = transposed (context->node, "transA"), tb = transposed (context->node, "transB");
  gint64 a_width = a->shape.dims[1], b_width = b->shape.dims[1];
  gboolean plain = sonde_node_get_float (context->node, "alpha", 1) == 1
                   && sonde_node_get_float (context->node, "beta", 1) == 1;

  /* Factors of integers need not be integers. */
  if (sonde_dtype_is_integer (y->dtype) && (!plain || y->dtype != SONDE_DTYPE_I64))
    {
      compute_as (context, plain ? SONDE_DTYPE_I64 : SONDE_DTYPE_F64, compute_gemm);
      return;
    }
  start_gemm (context, y);
  MATRIX_CALL (y->dtype, multiply, y->shape.dims[0], y->shape.dims[1], a->shape.dims[!ta],
               sonde_node_get_float (context->node, "alpha", 1), a->data, ta ? 1 : a_width,
               ta ? a_width : 1, b->data, tb ? 1 : b_width, tb ? b_width : 1, y->data);
}

/* What a matrix is the transposition of: read in its place, so that both need not be kept for the
 * backward phase. */
static SondeGraphValue *
look_behind (SondeGraphValue *matrix, gboolean *transposed)
{
  const SondeNode *node = matrix->producer;
  const gint64 *permutation;
  gsize n = 0;

  if (node == NULL || !sonde_node_is (node, SONDE_OP_ID_TRANSPOSE) || matrix->type.rank != 2)
    return matrix;
  permutation = sonde_node_get_ints (node, "perm", &n);
  if (permutation != NULL && (n != 2 || permutation[0] != 1))
    return matrix;
  *transposed = !*transposed;
  return sonde_node_get_input (node, 0);
}

static SondeGraphValue *
build_gemm (SondeGradientContext *context, SondeGraphValue *a, gboolean ta, SondeGraphValue *b,
            gboolean tb)
{
  SondeGraphValue *left = look_behind (a, &ta), *right = look_behind (b, &tb);
  SondeGraphValue *y = sonde_rule_binary (context, "Gemm", left, right);

  if (ta)
    sonde_node_set_int (y->producer, "transA", 1);
  if (tb)
    sonde_node_set_int (y->producer, "transB", 1);
  if (sonde_node_get_float (context->node, "alpha", 1) != 1)
    sonde_node_set_float (y->producer, "alpha", sonde_node_get_float (context->node, "alpha", 1));
  return sonde_rule_infer (context, y);
}

/* Y = α·op (A)·op (B) + β·C: the four cases of dA and dB avoid every transposition. */
static gboolean
gradient_gemm (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *dy = sonde_rule_dy (context);
  SondeGraphValue *a = sonde_rule_x (context, 0);
  SondeGraphValue *b = sonde_rule_x (context, 1);
  gboolean ta = transposed (context->node, "transA"), tb = transposed (context->node, "transB");
  double beta = sonde_node_get_float (context->node, "beta", 1);

  if (context->wanted[0])
    context->input_gradients[0]
        = ta ? build_gemm (context, b, tb, dy, TRUE) : build_gemm (context, dy, FALSE, b, !tb);
  if (context->wanted[1])
    context->input_gradients[1]
        = tb ? build_gemm (context, dy, TRUE, a, ta) : build_gemm (context, a, !ta, dy, FALSE);
  if (sonde_rule_x (context, 2) != NULL && context->wanted[2])
    {
      SondeGraphValue *dc = sonde_rule_unbroadcast (context, dy, sonde_rule_x (context, 2));

      if (beta != 1)
        dc = sonde_rule_binary (context, "Mul", dc, sonde_rule_scalar (context, beta));
      context->input_gradients[2] = dc;
    }
  return TRUE;
}

static void
cost_gemm (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *a = &context->inputs[0];
  const SondeType *y = &context->outputs[0];
  gint64 n = y->rank >= 0 ? sonde_type_product (y, 0, y->rank) : -1;
  gint64 k = a->rank == 2 ? a->dims[!transposed (context->node, "transA")].size : -1;

  cost->flops = n >= 0 && k >= 0 ? 2.0 * (double) n * (double) k : 0;
}

/* ---- MatMul -------------------------------------------------------------- */

/* A list becomes a row (left operand) or a column (right operand). */
static SondeType
as_matrix (const SondeType *type, gboolean left)
{
  SondeType matrix = *type;

  if (type->rank != 1)
    return matrix;
  matrix.rank = 2;
  matrix.dims[left ? 1 : 0] = type->dims[0];
  matrix.dims[left ? 0 : 1] = sonde_dimension (1);
  return matrix;
}

static gboolean
infer_matmul (SondeInferContext *context, GError **error)
{
  SondeType a, b, a_batch, b_batch, type;
  SondeDimension inner;

  if (!need_number (context, error) || !sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  if (context->inputs[0].rank < 1 || context->inputs[1].rank < 1)
    return sonde_infer_fail (error, "a scalar is not a matrix");
  a_batch = a = as_matrix (&context->inputs[0], TRUE);
  b_batch = b = as_matrix (&context->inputs[1], FALSE);
  if (!sonde_dimension_unify (&a.dims[a.rank - 1], &b.dims[b.rank - 2], &inner))
    return sonde_infer_fail (error,
                             "cannot multiply: the left one has %" PRIi64
                             " columns, but the right one %" PRIi64 " rows",
                             a.dims[a.rank - 1].size, b.dims[b.rank - 2].size);
  a_batch.rank -= 2;
  b_batch.rank -= 2;
  if (!sonde_infer_broadcast (&a_batch, &b_batch, &type, error))
    return FALSE;
  if (context->inputs[0].rank > 1)
    type.dims[type.rank++] = a.dims[a.rank - 2];
  if (context->inputs[1].rank > 1)
    type.dims[type.rank++] = b.dims[b.rank - 1];
  context->outputs[0] = type;
  return TRUE;
}

/* Shape without its last two dimensions (or scalar, for a list). */
static SondeShape
batch_shape (const SondeShape *shape)
{
  SondeShape batch = *shape;

  batch.rank = MAX (shape->rank - 2, 0);
  return batch;
}

static void
compute_matmul (const SondeKernelContext *context)
{
  SondeTensor *a = context->inputs[0];
  SondeTensor *b = context->inputs[1];
  SondeTensor *y = context->outputs[0];
  SondeShape a_batch = batch_shape (&a->shape), b_batch = batch_shape (&b->shape), batch;
  gint64 size = (gint64) sonde_dtype_size (y->dtype);
  gint64 m = a->shape.rank > 1 ? a->shape.dims[a->shape.rank - 2] : 1;
  gint64 k = a->shape.dims[a->shape.rank - 1];
  gint64 n = b->shape.rank > 1 ? b->shape.dims[b->shape.rank - 1] : 1;
  gint64 a_strides[SONDE_MAX_RANK], b_strides[SONDE_MAX_RANK], y_strides[SONDE_MAX_RANK];
  const gint64 *strides[] = { a_strides, b_strides, y_strides };
  SondeStrided rows;
  SondeCursor cursor;
  int last;

  if (sonde_dtype_is_integer (y->dtype) && y->dtype != SONDE_DTYPE_I64)
    {
      compute_as (context, SONDE_DTYPE_I64, compute_matmul);
      return;
    }
  (void) sonde_shape_broadcast (&a_batch, &b_batch, &batch);
  sonde_strided_broadcast (&a_batch, &batch, a_strides);
  sonde_strided_broadcast (&b_batch, &batch, b_strides);
  sonde_strided_row_major (&batch, y_strides);
  sonde_strided_init (&rows, &batch, 3, strides);
  last = rows.rank - 1;
  memset (y->data, 0, sonde_tensor_n_bytes (y));
  if (!sonde_strided_start (&rows, &cursor))
    return;
  do
    for (gint64 i = 0; i < rows.dims[last]; i++)
      {
        gint64 ma = cursor.offsets[0] + i * rows.strides[0][last];
        gint64 mb = cursor.offsets[1] + i * rows.strides[1][last];
        gint64 my = cursor.offsets[2] + i * rows.strides[2][last];

        MATRIX_CALL (y->dtype, multiply, m, n, k, 1, a->data + ma * m * k * size, k, 1,
                     b->data + mb * k * n * size, n, 1, y->data + my * m * n * size);
      }
  while (sonde_strided_next (&rows, &cursor));
}

static SondeGraphValue *
unsqueeze (SondeGradientContext *context, SondeGraphValue *x, gint64 axis)
{
  return sonde_rule_binary (context, "Unsqueeze", x, sonde_build_ints (context->graph, &axis, 1));
}

/* x [rows, n] of all its rows. */
static SondeGraphValue *
flatten_rows (SondeGradientContext *context, SondeGraphValue *x)
{
  SondeGraphValue *y = sonde_rule_unary (context, "Flatten", x);

  sonde_node_set_int (y->producer, "axis", x->type.rank - 1);
  return sonde_rule_infer (context, y);
}

/* a [batch…, m, k] times one matrix: one product of all rows, not one a batch and a sum of them. */
static void
gradient_by_rows (SondeGradientContext *context, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *rows = flatten_rows (context, sonde_rule_dy (context));

  if (context->wanted[0])
    context->input_gradients[0] = sonde_rule_own (
        context, "ReshapeLike", build_gemm (context, rows, FALSE, b, TRUE), a, NULL);
  if (context->wanted[1])
    context->input_gradients[1]
        = build_gemm (context, flatten_rows (context, a), TRUE, rows, FALSE);
}

/* Lists are made matrices first; what was made is taken back by reshaping to the input's shape. */
static gboolean
gradient_matmul (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[] = { sonde_rule_x (context, 0), sonde_rule_x (context, 1) };
  SondeGraphValue *a = inputs[0], *b = inputs[1], *dy = sonde_rule_dy (context);

  if (a->type.rank < 1 || b->type.rank < 1)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s” (MatMul): no gradient without the ranks of its inputs",
                       context->node->name);
      return FALSE;
    }
  if (a->type.rank > 2 && b->type.rank == 2)
    {
      gradient_by_rows (context, a, b);
      return TRUE;
    }
  if (inputs[1]->type.rank == 1)
    {
      b = unsqueeze (context, b, 1);
      dy = unsqueeze (context, dy, -1);
    }
  if (inputs[0]->type.rank == 1)
    {
      a = unsqueeze (context, a, 0);
      dy = unsqueeze (context, dy, -2);
    }
  for (guint k = 0; k < 2; k++)
    {
      SondeGraphValue *matrix = k == 0 ? a : b;
      SondeGraphValue *dx = NULL;

      if (!context->wanted[k])
        continue;
      dx = k == 0 ? sonde_rule_binary (context, "MatMul", dy, sonde_rule_flip (context, b))
                  : sonde_rule_binary (context, "MatMul", sonde_rule_flip (context, a), dy);
      dx = sonde_rule_unbroadcast (context, dx, matrix);
      if (matrix != inputs[k])
        dx = sonde_rule_own (context, "ReshapeLike", dx, inputs[k], NULL);
      context->input_gradients[k] = dx;
    }
  return TRUE;
}

static void
cost_matmul (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *a = &context->inputs[0];
  const SondeType *y = &context->outputs[0];
  gint64 n = y->rank >= 0 ? sonde_type_product (y, 0, y->rank) : -1;
  gint64 k = a->rank >= 1 ? a->dims[a->rank - 1].size : -1;

  cost->flops = n >= 0 && k >= 0 ? 2.0 * (double) n * (double) k : 0;
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule gemm_rules[] = {
  { "alpha", SONDE_ATTRIBUTE_FLOAT },
  { "beta", SONDE_ATTRIBUTE_FLOAT },
  { "transA", SONDE_ATTRIBUTE_INT },
  { "transB", SONDE_ATTRIBUTE_INT },
  { NULL },
};

/* ---- dependency ---------------------------------------------------------- */

/* Batch dimensions of @tensor, which has @own others behind them, broadcast to the output's, which
 * has @others. */
static void
narrow_batch (const SondeReachContext *context, SondeReach *reach, int own, int others)
{
  const int n = reach->rank - own, batch = context->shape->rank - others;

  for (int d = 0; d < n; d++)
    {
      const int at = d + batch - n;

      if (at >= 0 && reach->count[d] > 1 && context->shape->dims[at] == reach->count[d])
        sonde_reach_at (reach, d, context->index[at]);
    }
}

static gboolean
reach_matmul (SondeReachContext *context)
{
  const SondeTensor *a = sonde_reach_input (context, 0), *b = sonde_reach_input (context, 1);
  SondeReach reach;
  int rows, columns;

  if (a == NULL || b == NULL || a->shape.rank < 1 || b->shape.rank < 1)
    return FALSE;
  rows = a->shape.rank > 1;
  columns = b->shape.rank > 1;
  if (context->shape->rank < rows + columns)
    return FALSE;
  reach = sonde_reach_whole (a, 0);
  narrow_batch (context, &reach, MIN (reach.rank, 2), rows + columns);
  if (rows)
    sonde_reach_at (&reach, reach.rank - 2, context->index[context->shape->rank - columns - 1]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (b, 1);
  narrow_batch (context, &reach, MIN (reach.rank, 2), rows + columns);
  if (columns)
    sonde_reach_at (&reach, reach.rank - 1, context->index[context->shape->rank - 1]);
  sonde_reach_add (context, &reach);
  return TRUE;
}

static gboolean
reach_gemm (SondeReachContext *context)
{
  const SondeTensor *a = sonde_reach_input (context, 0), *b = sonde_reach_input (context, 1);
  SondeReach reach;

  if (a == NULL || b == NULL || a->shape.rank != 2 || b->shape.rank != 2
      || context->shape->rank != 2)
    return FALSE;
  reach = sonde_reach_whole (a, 0);
  sonde_reach_at (&reach, sonde_node_get_int (context->node, "transA", 0) != 0, context->index[0]);
  sonde_reach_add (context, &reach);
  reach = sonde_reach_whole (b, 1);
  sonde_reach_at (&reach, sonde_node_get_int (context->node, "transB", 0) == 0, context->index[1]);
  sonde_reach_add (context, &reach);
  if (sonde_node_get_float (context->node, "beta", 1) != 0)
    sonde_reach_add_broadcast (context, 2);
  return TRUE;
}

const SondeOpClass sonde_ops_matmul_gemm[] = {
  {
      .domain = "",
      .name = "Gemm",
      .since = 7,
      .min_inputs = 2,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_MATRIX,
      .attributes = gemm_rules,
      .infer = infer_gemm,
      .compute = compute_gemm,
      .gradient = gradient_gemm,
      .cost = cost_gemm,
      .reach = { reach_gemm, 0 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_WEIGHTS,
      .attribution = SONDE_ATTRIBUTION_WEIGHTED,
      .id = SONDE_OP_ID_GEMM,
  },
  {
      .domain = "",
      .name = "MatMul",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_MATRIX,
      .infer = infer_matmul,
      .compute = compute_matmul,
      .gradient = gradient_matmul,
      .cost = cost_matmul,
      .reach = { reach_matmul, 0 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_WEIGHTS,
      .attribution = SONDE_ATTRIBUTION_MATMUL,
      .id = SONDE_OP_ID_MATMUL,
  },
  { .name = NULL },
};
