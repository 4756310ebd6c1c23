/* SPDX-License-Identifier: Apache-2.0
 * Reductions over axes. Floats are summed in double; integers wrap, in 64 bits; what needs a root
 * or a logarithm is done in double for them, too. Of no elements the sum is 0, the product 1, the
 * logarithm of a sum −Inf, the extremes the ends of the type's range. What gradients need is in
 * sonde-ops-reduce-gradient-kernels.c, ArgMax in sonde-ops-argmax.c. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/reduction/sonde-reduce-private.h"

#include <math.h>
#include <string.h>

#define T float
#define A double
#define M double
#define EXPONENTIAL expf
#define S f32
#include "engine/ops/reduction/sonde-reduce-template.h"
#define T double
#define A double
#define M double
#define EXPONENTIAL exp
#define S f64
#include "engine/ops/reduction/sonde-reduce-template.h"
#define T gint64
#define A guint64
#define M gint64
#define S i64
#include "engine/ops/reduction/sonde-reduce-template.h"
#define T guint64
#define A guint64
#define M guint64
#define S u64
#include "engine/ops/reduction/sonde-reduce-template.h"

/* ---- axes ---------------------------------------------------------------- */

gboolean
sonde_reduce_mark_axes (const gint64 *axes, gsize n, gboolean empty_is_none, int rank,
                        gboolean *marks, GError **error)
{
  for (int d = 0; d < rank; d++)
    marks[d] = n == 0 && !empty_is_none;
  for (gsize i = 0; i < n; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (axes[i], rank, &axis, error))
        return FALSE;
      marks[axis] = TRUE;
    }
  return TRUE;
}

/* @x without its marked dimensions, or with ones in their places. */
SondeType
sonde_reduce_type (const SondeType *x, const gboolean *marks, gboolean keep)
{
  SondeType type = sonde_infer_type (x->dtype, 0);

  for (int d = 0; d < x->rank; d++)
    if (!marks[d])
      type.dims[type.rank++] = x->dims[d];
    else if (keep)
      type.dims[type.rank++] = sonde_dimension (1);
  return type;
}

static gboolean
infer_axes (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean keep = sonde_node_get_int (context->node, "keepdims", 1) != 0;
  gboolean none = sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0;
  gboolean given = sonde_infer_input (context, 1) != NULL;
  gsize n = 0;
  g_autofree gint64 *axes = sonde_infer_known_ints (context, 1, &n);
  gboolean marks[SONDE_MAX_RANK];

  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (given && axes == NULL)
    {
      if (keep)
        context->outputs[0] = sonde_infer_type (x->dtype, x->rank);
      return TRUE;
    }
  if (!sonde_reduce_mark_axes (axes, n, none, x->rank, marks, error))
    return FALSE;
  context->outputs[0] = sonde_reduce_type (x, marks, keep);
  return TRUE;
}

static gboolean
infer_reduce (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  if (dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (dtype)
      && !sonde_dtype_is_integer (dtype))
    return sonde_infer_fail (error, "input 0 is %s, but must be a number",
                             sonde_dtype_name (dtype));
  return infer_axes (context, error);
}

static gboolean
infer_extreme (SondeInferContext *context, GError **error)
{
  return context->inputs[0].dtype == SONDE_DTYPE_BOOL ? infer_axes (context, error)
                                                      : infer_reduce (context, error);
}

/* Rows over @shape with the strides of a reduced tensor (0 along marked dimensions) as operand
 * 1. */
void
sonde_reduce_rows (const SondeShape *shape, const gboolean *marks, SondeStrided *rows)
{
  gint64 whole[SONDE_MAX_RANK], reduced[SONDE_MAX_RANK];
  const gint64 *strides[] = { whole, reduced };
  gint64 step = 1;

  sonde_strided_row_major (shape, whole);
  for (int d = shape->rank - 1; d >= 0; d--)
    {
      reduced[d] = marks[d] ? 0 : step;
      step *= marks[d] ? 1 : shape->dims[d];
    }
  sonde_strided_init (rows, shape, 2, strides);
  /* One lone element has no stride to speak of: take it as reduced. */
  if (rows->rank == 1 && rows->dims[0] == 1)
    rows->strides[1][0] = 0;
}

/* ---- kinds --------------------------------------------------------------- */

typedef enum
{
  SUM,
  MEAN,
  SUM_SQUARE,
  L1,
  L2,
  LOG_SUM,
  LOG_SUM_EXP,
  PRODUCT,
  MAXIMUM,
  MINIMUM,
} Kind;

typedef void (*ReduceLoop) (const SondeStrided *rows, const void *from, void *to);

#define LOOPS(name)                                                                                \
  {                                                                                                \
    name##_f32, name##_f64, name##_i64, name##_u64                                                 \
  }
static const ReduceLoop loops[][4] = {
  [SUM] = LOOPS (add),          [MEAN] = LOOPS (add),        [SUM_SQUARE] = LOOPS (add_square),
  [L1] = LOOPS (add_absolute),  [L2] = LOOPS (add_square),   [LOG_SUM] = LOOPS (add),
  [PRODUCT] = LOOPS (multiply), [MAXIMUM] = LOOPS (maximum), [MINIMUM] = LOOPS (minimum),
};

/* The loop for elements of @dtype: float32, float64, int64 or uint64. */
static ReduceLoop
find_loop (Kind kind, SondeDtype dtype)
{
  return loops[kind][dtype == SONDE_DTYPE_F32   ? 0
                     : dtype == SONDE_DTYPE_F64 ? 1
                     : dtype == SONDE_DTYPE_I64 ? 2
                                                : 3];
}

/* ---- floats -------------------------------------------------------------- */

static void
fill (double *values, gint64 n, double value)
{
  for (gint64 i = 0; i < n; i++)
    values[i] = value;
}

/* log Σ exp (x) = m + log Σ exp (x − m) with m the largest x, so that nothing overflows. */
static void
reduce_log_sum_exp (const SondeTensor *x, const SondeStrided *rows, gint64 n, double *sums)
{
  g_autofree double *largest = g_new (double, n + 1);

  fill (largest, n, -INFINITY);
  find_loop (MAXIMUM, x->dtype) (rows, x->data, largest);
  for (gint64 i = 0; i < n; i++)
    largest[i] = isfinite (largest[i]) ? largest[i] : 0;
  SONDE_FLOAT_CALL (x->dtype, add_exponentials, rows, x->data, largest, sums);
  for (gint64 i = 0; i < n; i++)
    sums[i] = largest[i] + log (sums[i]);
}

static void
reduce_floats (SondeTensor *x, const gboolean *marks, Kind kind, SondeTensor *y)
{
  gint64 n = sonde_tensor_n_elements (y);
  g_autofree double *results = g_new (double, n + 1);
  double scale = (double) n / (double) sonde_tensor_n_elements (x);
  SondeStrided rows;

  sonde_reduce_rows (&x->shape, marks, &rows);
  fill (results, n,
        kind == PRODUCT   ? 1
        : kind == MAXIMUM ? -INFINITY
        : kind == MINIMUM ? INFINITY
                          : 0);
  if (kind == LOG_SUM_EXP)
    reduce_log_sum_exp (x, &rows, n, results);
  else
    find_loop (kind, x->dtype) (&rows, x->data, results);
  for (gint64 i = 0; i < n && kind == MEAN; i++)
    results[i] *= scale;
  for (gint64 i = 0; i < n && kind == L2; i++)
    results[i] = sqrt (results[i]);
  for (gint64 i = 0; i < n && kind == LOG_SUM; i++)
    results[i] = log (results[i]);
  sonde_dtype_convert (SONDE_DTYPE_F64, results, y->dtype, y->data, (gsize) n);
}

void
sonde_reduce_sum (SondeTensor *x, const gboolean *marks, gboolean mean, SondeTensor *y)
{
  reduce_floats (x, marks, mean ? MEAN : SUM, y);
}

/* ---- integers ------------------------------------------------------------ */

/* The result of no elements, as a number of 64 bits. */
static gint64
integer_start (Kind kind, SondeDtype dtype)
{
  gint64 smallest = 0, largest = 0;

  (void) sonde_dtype_get_range (dtype, &smallest, &largest);
  if (dtype == SONDE_DTYPE_U64)
    largest = -1;
  return kind == PRODUCT ? 1 : kind == MAXIMUM ? smallest : kind == MINIMUM ? largest : 0;
}

/* They are few, so clarity wins over speed: all go through int64 or uint64. */
static void
reduce_integers (SondeTensor *x, const gboolean *marks, Kind kind, SondeTensor *y)
{
  gint64 n = sonde_tensor_n_elements (y);
  gint64 start = integer_start (kind, x->dtype);
  gint64 count = n > 0 ? MAX (sonde_tensor_n_elements (x) / n, 1) : 1;
  g_autofree gint64 *results = g_new (gint64, n + 1);
  SondeDtype dtype = x->dtype == SONDE_DTYPE_U64 ? SONDE_DTYPE_U64 : SONDE_DTYPE_I64;
  g_autoptr (SondeTensor) wide = sonde_tensor_cast (x, dtype);
  SondeStrided rows;

  for (gint64 i = 0; i < n; i++)
    results[i] = start;
  sonde_reduce_rows (&x->shape, marks, &rows);
  find_loop (kind, dtype) (&rows, wide->data, results);
  for (gint64 i = 0; i < n && kind == MEAN; i++)
    results[i] = dtype == SONDE_DTYPE_U64 ? (gint64) ((guint64) results[i] / (guint64) count)
                                          : results[i] / count;
  sonde_dtype_convert (dtype, results, y->dtype, y->data, (gsize) n);
}

/* ---- kernels ------------------------------------------------------------- */

static void
read_marks (const SondeKernelContext *context, gboolean *marks)
{
  gboolean none = sonde_node_get_int (context->node, "noop_with_empty_axes", 0) != 0;
  gsize n = 0;
  g_autofree gint64 *axes = sonde_kernel_ints (context, 1, &n);

  (void) sonde_reduce_mark_axes (axes, n, none, context->inputs[0]->shape.rank, marks, NULL);
}

static void
reduce (SondeTensor *x, const gboolean *marks, Kind kind, SondeTensor *y)
{
  gboolean whole = !sonde_dtype_is_float (x->dtype);
  gboolean through_floats = whole && (kind == L2 || kind == LOG_SUM || kind == LOG_SUM_EXP);
  g_autoptr (SondeTensor) wide = through_floats ? sonde_tensor_cast (x, SONDE_DTYPE_F64) : NULL;

  if (whole && !through_floats)
    reduce_integers (x, marks, kind, y);
  else
    reduce_floats (wide ? wide : x, marks, kind, y);
}

/* How many dimensions stand before the first that is reduced. */
static int
count_outer (const SondeShape *shape, const gboolean *marks)
{
  int n = 0;

  while (n < shape->rank && !marks[n])
    n++;
  return n;
}

/* Items are the places of the dimensions before the first reduced one. */
static gint64
reduce_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  gboolean marks[SONDE_MAX_RANK];
  int outer = 0;

  read_marks (context, marks);
  outer = count_outer (shape, marks);
  *cost = sonde_shape_product (shape, outer, shape->rank);
  return outer == 0 || *cost == 0 ? -1 : sonde_shape_product (shape, 0, outer);
}

/* Dimension 0 of the part stands for those before the first reduced one. */
static void
reduce_part (const SondeKernelContext *context, Kind kind, gint64 begin, gint64 end)
{
  SondeTensor *x = context->inputs[0], *y = context->outputs[0];
  gboolean marks[SONDE_MAX_RANK], part_marks[SONDE_MAX_RANK + 1] = { FALSE };
  SondeShape from = sonde_shape_make (1, end - begin), to = from;
  gint64 cost, results = 1;
  int outer = 0;
  g_autoptr (SondeTensor) part_x = NULL, part_y = NULL;

  read_marks (context, marks);
  outer = count_outer (&x->shape, marks);
  for (int d = outer; d < x->shape.rank; d++)
    {
      part_marks[from.rank] = marks[d];
      from.dims[from.rank++] = x->shape.dims[d];
      results *= marks[d] ? 1 : x->shape.dims[d];
    }
  cost = sonde_shape_product (&x->shape, outer, x->shape.rank);
  to.dims[0] = (end - begin) * results;
  part_x = sonde_tensor_new_take (
      x->dtype, &from, x->data + (gsize) (begin * cost) * sonde_dtype_size (x->dtype), NULL, NULL);
  part_y = sonde_tensor_new_take (
      y->dtype, &to, y->data + (gsize) (begin * results) * sonde_dtype_size (y->dtype), NULL, NULL);
  reduce (part_x, part_marks, kind, part_y);
}

#define KERNEL(name, kind)                                                                         \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    gboolean marks[SONDE_MAX_RANK];                                                                \
    read_marks (context, marks);                                                                   \
    reduce (context->inputs[0], marks, kind, context->outputs[0]);                                 \
  }                                                                                                \
  static void name##_part (const SondeKernelContext *context, gint64 begin, gint64 end)            \
  {                                                                                                \
    reduce_part (context, kind, begin, end);                                                       \
  }
KERNEL (sum, SUM)
KERNEL (mean, MEAN)
KERNEL (sum_square, SUM_SQUARE)
KERNEL (l1, L1)
KERNEL (l2, L2)
KERNEL (log_sum, LOG_SUM)
KERNEL (log_sum_exp, LOG_SUM_EXP)
KERNEL (product, PRODUCT)
KERNEL (maximum, MAXIMUM)
KERNEL (minimum, MINIMUM)

/* ---- rows ---------------------------------------------------------------- */

void
sonde_reduce_cost (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *x = &context->inputs[0];
  gint64 n = x->rank >= 0 ? sonde_type_product (x, 0, x->rank) : -1;

  cost->flops = n > 0 ? (double) n : 0;
}

static const SondeAttributeRule reduce_rules[] = {
  { "keepdims", SONDE_ATTRIBUTE_INT },
  { "noop_with_empty_axes", SONDE_ATTRIBUTE_INT },
  { NULL },
};
#define REDUCE_ROW(onnx, opset, rule, loop, derivative, ...)                                       \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = 1, .max_inputs = 2,                  \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_REDUCTION,                          \
    .attributes = reduce_rules, .infer = rule, .compute = compute_##loop, .gradient = derivative,  \
    .cost = sonde_reduce_cost, .count_parts = reduce_count, .compute_part = loop##_part,           \
    .reach = { sonde_reach_reduced, 0x1 }, __VA_ARGS__                                             \
  }
const SondeOpClass sonde_ops_reduce[] = {
  REDUCE_ROW ("ReduceL1", 18, infer_reduce, l1, sonde_gradient_reduce_l1,
              .typing = SONDE_TYPING_LEADING (1), .traits = SONDE_TRAIT_STRICT),
  REDUCE_ROW ("ReduceL2", 18, infer_reduce, l2, sonde_gradient_reduce_l2,
              .typing = SONDE_TYPING_LEADING (1), .traits = SONDE_TRAIT_STRICT),
  REDUCE_ROW ("ReduceLogSum", 18, infer_reduce, log_sum, sonde_gradient_reduce_log_sum,
              .typing = SONDE_TYPING_LEADING (1)),
  REDUCE_ROW ("ReduceLogSumExp", 18, infer_reduce, log_sum_exp, sonde_gradient_reduce_log_sum_exp,
              .typing = SONDE_TYPING_LEADING (1)),
  REDUCE_ROW ("ReduceMax", 18, infer_extreme, maximum, sonde_gradient_reduce_extreme,
              .typing = SONDE_TYPING_UNIFORM, .attribution = SONDE_ATTRIBUTION_MOVE,
              .traits = SONDE_TRAIT_KEEPS_POSITIVE),
  REDUCE_ROW ("ReduceMean", 18, infer_reduce, mean, sonde_gradient_reduce_mean,
              .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_STRICT,
              .attribution = SONDE_ATTRIBUTION_LINEAR, .id = SONDE_OP_ID_REDUCE_MEAN),
  REDUCE_ROW ("ReduceMin", 18, infer_extreme, minimum, sonde_gradient_reduce_extreme,
              .typing = SONDE_TYPING_UNIFORM),
  REDUCE_ROW ("ReduceProd", 18, infer_reduce, product, sonde_gradient_reduce_product,
              .typing = SONDE_TYPING_LEADING (1)),
  REDUCE_ROW ("ReduceSum", 13, infer_reduce, sum, sonde_gradient_reduce_sum,
              .typing = SONDE_TYPING_UNIFORM, .traits = SONDE_TRAIT_STRICT,
              .attribution = SONDE_ATTRIBUTION_LINEAR),
  REDUCE_ROW ("ReduceSumSquare", 18, infer_reduce, sum_square, sonde_gradient_reduce_sum_square,
              .typing = SONDE_TYPING_LEADING (1), .traits = SONDE_TRAIT_STRICT),
  { .name = NULL },
};
