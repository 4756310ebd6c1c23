/* SPDX-License-Identifier: Apache-2.0
 * Along one axis: CumSum and CumProd, which carry float elements in double and let integers wrap,
 * and ReverseSequence. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-op-index.h"

#include <string.h>

#define T float
#define W double
#define S f32
#include "engine/ops/math/sonde-cumulative-template.h"
#define T double
#define W double
#define S f64
#include "engine/ops/math/sonde-cumulative-template.h"
#define T guint8
#define W guint64
#define S u8
#include "engine/ops/math/sonde-cumulative-template.h"
#define T guint16
#define W guint64
#define S u16
#include "engine/ops/math/sonde-cumulative-template.h"
#define T guint32
#define W guint64
#define S u32
#include "engine/ops/math/sonde-cumulative-template.h"
#define T guint64
#define W guint64
#define S u64
#include "engine/ops/math/sonde-cumulative-template.h"

typedef void (*ScanLoop) (const void *from, void *to, gint64 n, gint64 stride, gint64 columns,
                          gboolean exclusive, void *carry);

/* Wrapping arithmetic is the same for signed integers. */
#define LOOPS(name)                                                                                \
  {                                                                                                \
    [SONDE_DTYPE_F32] = name##_f32, [SONDE_DTYPE_F64] = name##_f64, [SONDE_DTYPE_I8] = name##_u8,  \
    [SONDE_DTYPE_U8] = name##_u8, [SONDE_DTYPE_I16] = name##_u16, [SONDE_DTYPE_U16] = name##_u16,  \
    [SONDE_DTYPE_I32] = name##_u32, [SONDE_DTYPE_U32] = name##_u32,                                \
    [SONDE_DTYPE_I64] = name##_u64, [SONDE_DTYPE_U64] = name##_u64,                                \
  }
static const ScanLoop sum_loops[SONDE_N_DTYPES] = LOOPS (running_sum);
static const ScanLoop product_loops[SONDE_N_DTYPES] = LOOPS (running_product);

/* ---- CumSum, CumProd ----------------------------------------------------- */

static gboolean
infer_running (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gsize n = 0;
  g_autofree gint64 *axes = sonde_infer_known_ints (context, 1, &n);
  SondeDtype dtype = x->dtype;
  int axis = 0;

  context->outputs[0] = *x;
  if (dtype != SONDE_DTYPE_INVALID && dtype != SONDE_DTYPE_F16 && dtype != SONDE_DTYPE_BF16
      && sum_loops[dtype] == NULL)
    return sonde_infer_fail (error, "input 0 is %s, but must be a number",
                             sonde_dtype_name (dtype));
  if (!sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (axes != NULL && n != 1)
    return sonde_infer_fail (error, "the axis must be one number");
  return axes == NULL || x->rank < 0 || sonde_infer_axis (axes[0], x->rank, &axis, error);
}

static int
running_axis (const SondeKernelContext *context, GError **error)
{
  const SondeTensor *tensor = context->inputs[1];
  int axis = 0;

  if (sonde_tensor_n_elements (tensor) != 1
      || !sonde_infer_axis (sonde_index_read (tensor, 0), context->inputs[0]->shape.rank, &axis,
                            error))
    return -1;
  return axis;
}

static gboolean
check_running (const SondeKernelContext *context, GError **error)
{
  g_autoptr (GError) problem = NULL;

  if (running_axis (context, &problem) >= 0)
    return TRUE;
  if (problem != NULL)
    sonde_set_error_from (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, problem);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "the axis must be one number");
  return FALSE;
}

/* Items are columns: places in all dimensions but the axis. */
static gint64
running_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int axis = running_axis (context, NULL);

  *cost = axis >= 0 ? shape->dims[axis] : 0;
  return *cost > 0 ? sonde_shape_product (shape, 0, axis)
                         * sonde_shape_product (shape, axis + 1, shape->rank)
                   : 0;
}

static void
run_scan (const SondeKernelContext *context, const ScanLoop *loops, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  int axis = running_axis (context, NULL);
  gboolean reverse = sonde_node_get_int (context->node, "reverse", 0) != 0;
  gboolean exclusive = sonde_node_get_int (context->node, "exclusive", 0) != 0;
  gsize size = sonde_dtype_size (x->dtype);
  gint64 n, inner, most;
  g_autofree guint64 *carry = NULL;

  if (begin >= end)
    return;
  n = x->shape.dims[axis];
  inner = sonde_shape_product (&x->shape, axis + 1, x->shape.rank);
  most = MIN (inner, end - begin);
  carry = g_new (guint64, most);
  for (gint64 item = begin; item < end;)
    {
      gint64 column = item % inner, columns = MIN (inner - column, end - item);
      gint64 first = item / inner * n * inner + column + (reverse ? (n - 1) * inner : 0);

      loops[x->dtype](x->data + (gsize) first * size, y->data + (gsize) first * size, n,
                      reverse ? -inner : inner, columns, exclusive, carry);
      item += columns;
    }
}

static void
sum_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  run_scan (context, sum_loops, begin, end);
}

static void
product_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  run_scan (context, product_loops, begin, end);
}

#define sum_count running_count
#define product_count running_count
SONDE_COMPUTE_PARTS (sum)
SONDE_COMPUTE_PARTS (product)

/* ---- ReverseSequence ----------------------------------------------------- */

static gboolean
infer_sequence (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *lengths = &context->inputs[1];
  gint64 time = sonde_node_get_int (context->node, "time_axis", 0);
  gint64 batch = sonde_node_get_int (context->node, "batch_axis", 1);

  context->outputs[0] = *x;
  if (time < 0 || time > 1 || batch != 1 - time)
    return sonde_infer_fail (error, "time_axis and batch_axis must be 0 and 1, or 1 and 0");
  if (!sonde_infer_need_integer (context, 1, error)
      || !sonde_infer_need_rank (context, 1, 1, error))
    return FALSE;
  if (x->rank >= 0 && x->rank < 2)
    return sonde_infer_fail (error, "the input has %d dimensions, but needs time and batch",
                             x->rank);
  if (x->rank >= 2 && lengths->rank == 1 && x->dims[batch].size >= 0 && lengths->dims[0].size >= 0
      && lengths->dims[0].size != x->dims[batch].size)
    return sonde_infer_fail (error, "there are %" PRIi64 " lengths for a batch of %" PRIi64,
                             lengths->dims[0].size, x->dims[batch].size);
  return TRUE;
}

static gboolean
check_sequence (const SondeKernelContext *context, GError **error)
{
  gint64 time = context->inputs[0]->shape.dims[sonde_node_get_int (context->node, "time_axis", 0)];

  for (gint64 i = 0; i < sonde_tensor_n_elements (context->inputs[1]); i++)
    {
      gint64 length = sonde_index_read (context->inputs[1], i);

      if (length < 0 || length > time)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "length %" PRIi64 " of sample %" PRIi64 " is outside of 0 to %" PRIi64,
                           length, i, time);
          return FALSE;
        }
    }
  return TRUE;
}

/* Items are the places of the first two dimensions. */
static gint64
sequence_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;

  *cost = sonde_shape_product (shape, 2, shape->rank);
  return *cost > 0 ? sonde_shape_product (shape, 0, 2) : 0;
}

static void
sequence_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0];
  int time = (int) sonde_node_get_int (context->node, "time_axis", 0);
  gint64 second = x->shape.dims[1];
  gsize bytes
      = (gsize) sonde_shape_product (&x->shape, 2, x->shape.rank) * sonde_dtype_size (x->dtype);

  for (gint64 item = begin; item < end; item++)
    {
      gint64 place[2] = { item / second, item % second };
      gint64 length = sonde_index_read (context->inputs[1], place[1 - time]);

      if (place[time] < MIN (length, x->shape.dims[time]))
        place[time] = length - 1 - place[time];
      memcpy (context->outputs[0]->data + (gsize) item * bytes,
              x->data + (gsize) (place[0] * second + place[1]) * bytes, bytes);
    }
}

static void
compute_sequence (const SondeKernelContext *context)
{
  gint64 cost = 0;

  sequence_part (context, 0, sequence_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule running_rules[] = {
  { "exclusive", SONDE_ATTRIBUTE_INT },
  { "reverse", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule sequence_rules[] = {
  { "batch_axis", SONDE_ATTRIBUTE_INT },
  { "time_axis", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define RUNNING(onnx, opset, base, ...)                                                            \
  {                                                                                                \
    .domain = "", .name = onnx, .since = opset, .min_inputs = 2, .max_inputs = 2,                  \
    .min_outputs = 1, .max_outputs = 1, .family = SONDE_FAMILY_REDUCTION,                          \
    .attributes = running_rules, .infer = infer_running, .compute = compute_##base,                \
    .check = check_running, .gradient = sonde_gradient_running_##base,                             \
    .count_parts = running_count, .compute_part = base##_part,                                     \
    .reach = { sonde_reach_prefix, 0x1 }, .traits = SONDE_TRAIT_STRICT, __VA_ARGS__                \
  }

const SondeOpClass sonde_ops_cumsum_reverse_sequence[] = {
  RUNNING ("CumSum", 11, sum, .typing = SONDE_TYPING_LEADING (1)),
  RUNNING ("CumProd", 26, product, .typing = SONDE_TYPING_OWN),
  {
      .domain = "",
      .name = "ReverseSequence",
      .since = 10,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = sequence_rules,
      .infer = infer_sequence,
      .compute = compute_sequence,
      .gradient = sonde_gradient_own_inverse,
      .check = check_sequence,
      .count_parts = sequence_count,
      .compute_part = sequence_part,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_OWN,
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
