/* SPDX-License-Identifier: Apache-2.0
 * Where and Clip. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-strided.h"

#include <math.h>
#include <string.h>

/* ---- Where --------------------------------------------------------------- */

/* Without branches, since conditions may be as good as random. */
#define WHERE_LOOP(T, choice_step, a_step, b_step)                                                 \
  for (gint64 i = 0; i < n; i++)                                                                   \
    {                                                                                              \
      const T mask = (T) - (T) (choice[i * (choice_step)] != 0);                                   \
      c_[i] = (T) ((a_[i * (a_step)] & mask) | (b_[i * (b_step)] & (T) ~mask));                    \
    }

#define WHERE_ROW(T)                                                                               \
  G_STMT_START                                                                                     \
  {                                                                                                \
    const T *a_ = (const T *) (const void *) a, *b_ = (const T *) (const void *) b;                \
    T *c_ = (T *) (void *) c;                                                                      \
    if (steps[0] == 1 && steps[1] == 1 && steps[2] == 1)                                           \
      WHERE_LOOP (T, 1, 1, 1)                                                                      \
    else if (steps[0] == 1 && steps[1] == 1 && steps[2] == 0)                                      \
      WHERE_LOOP (T, 1, 1, 0)                                                                      \
    else if (steps[0] == 1 && steps[1] == 0 && steps[2] == 1)                                      \
      WHERE_LOOP (T, 1, 0, 1)                                                                      \
    else                                                                                           \
      WHERE_LOOP (T, steps[0], steps[1], steps[2])                                                 \
  }                                                                                                \
  G_STMT_END

static void
where_row (gsize size, gint64 n, const guint8 *choice, const guint8 *a, const guint8 *b, guint8 *c,
           const gint64 *steps)
{
  if (size == 1)
    WHERE_ROW (guint8);
  else if (size == 2)
    WHERE_ROW (guint16);
  else if (size == 4)
    WHERE_ROW (guint32);
  else
    WHERE_ROW (guint64);
}

static void
init_where (const SondeKernelContext *context, SondeStrided *rows)
{
  const SondeShape *shape = &context->outputs[0]->shape;
  gint64 strides[4][SONDE_MAX_RANK];
  const gint64 *pointers[] = { strides[0], strides[1], strides[2], strides[3] };

  for (int k = 0; k < 3; k++)
    sonde_strided_broadcast (&context->inputs[k]->shape, shape, strides[k]);
  sonde_strided_row_major (shape, strides[3]);
  sonde_strided_init (rows, shape, 4, pointers);
}

/* Items are rows, or elements where there is one row only. */
static gint64
where_count (const SondeKernelContext *context, gint64 *cost)
{
  SondeStrided rows;

  if (sonde_tensor_n_elements (context->outputs[0]) == 0)
    return 0;
  init_where (context, &rows);
  *cost = rows.rank > 1 ? rows.dims[rows.rank - 1] : 1;
  return rows.rank > 1 ? sonde_strided_count (&rows) : rows.dims[0];
}

static void
where_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  gint64 size = (gint64) sonde_dtype_size (context->outputs[0]->dtype);
  gint64 steps[3], n, rows_a_turn;
  SondeStrided rows;
  SondeCursor cursor;

  if (begin >= end)
    return;
  init_where (context, &rows);
  n = rows.rank > 1 ? rows.dims[rows.rank - 1] : end - begin;
  for (int k = 0; k < 3; k++)
    steps[k] = rows.strides[k][rows.rank - 1];
  sonde_strided_seek (&rows, &cursor, rows.rank > 1 ? begin : 0);
  for (int k = 0; k < 4 && rows.rank == 1; k++)
    cursor.offsets[k] = begin * rows.strides[k][0];
  rows_a_turn = rows.rank > 1 ? 1 : n;
  for (gint64 row = begin; row < end; row += rows_a_turn)
    {
      where_row ((gsize) size, n, context->inputs[0]->data + cursor.offsets[0],
                 context->inputs[1]->data + cursor.offsets[1] * size,
                 context->inputs[2]->data + cursor.offsets[2] * size,
                 context->outputs[0]->data + cursor.offsets[3] * size, steps);
      (void) sonde_strided_next (&rows, &cursor);
    }
}

static void
compute_where (const SondeKernelContext *context)
{
  gint64 cost = 0;

  where_part (context, 0, where_count (context, &cost));
  sonde_kernel_own_strings (context->outputs[0]);
}

static gboolean
infer_where (SondeInferContext *context, GError **error)
{
  SondeType type;

  if (context->inputs[0].dtype != SONDE_DTYPE_INVALID
      && context->inputs[0].dtype != SONDE_DTYPE_BOOL)
    return sonde_infer_fail (error, "the condition is %s, but must be bool",
                             sonde_dtype_name (context->inputs[0].dtype));
  if (!sonde_infer_need_same (context, 1, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (!sonde_infer_broadcast (&context->inputs[1], &context->inputs[2], &type, error)
      || !sonde_infer_broadcast (&type, &context->inputs[0], &type, error))
    return FALSE;
  context->outputs[0] = type;
  return TRUE;
}

static gboolean
gradient_where (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *condition = sonde_rule_x (context, 0), *dy = sonde_rule_dy (context);

  for (guint k = 1; k < 3; k++)
    if (context->wanted[k])
      context->input_gradients[k] = sonde_rule_unbroadcast (
          context, sonde_rule_where (context, condition, k == 1 ? dy : NULL, k == 1 ? NULL : dy),
          sonde_rule_x (context, k));
  return TRUE;
}

/* ---- Clip ---------------------------------------------------------------- */

/* As NumPy's minimum (maximum (x, low), high): high wins over low; NaN stays. */
#define CLIP_LOOP(suffix, T)                                                                       \
  static void clip_##suffix (gint64 n, const void *from, void *to, const void *low,                \
                             const void *high)                                                     \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    T *y_ = to;                                                                                    \
    const T a = *(const T *) low, b = *(const T *) high;                                           \
    _Pragma ("GCC ivdep") for (gint64 i = 0; i < n; i++)                                           \
    {                                                                                              \
      const T x = x_[i] < a ? a : x_[i];                                                           \
      y_[i] = x > b ? b : x;                                                                       \
    }                                                                                              \
  }
CLIP_LOOP (f32, float)
CLIP_LOOP (f64, double)
CLIP_LOOP (i8, gint8)
CLIP_LOOP (i16, gint16)
CLIP_LOOP (i32, gint32)
CLIP_LOOP (i64, gint64)
CLIP_LOOP (u8, guint8)
CLIP_LOOP (u16, guint16)
CLIP_LOOP (u32, guint32)
CLIP_LOOP (u64, guint64)

typedef void (*ClipLoop) (gint64 n, const void *from, void *to, const void *low, const void *high);

static const ClipLoop clip_loops[SONDE_N_DTYPES] = {
  [SONDE_DTYPE_F32] = clip_f32, [SONDE_DTYPE_F64] = clip_f64, [SONDE_DTYPE_I8] = clip_i8,
  [SONDE_DTYPE_I16] = clip_i16, [SONDE_DTYPE_I32] = clip_i32, [SONDE_DTYPE_I64] = clip_i64,
  [SONDE_DTYPE_U8] = clip_u8,   [SONDE_DTYPE_U16] = clip_u16, [SONDE_DTYPE_U32] = clip_u32,
  [SONDE_DTYPE_U64] = clip_u64,
};

/* A bound that is absent is the end of the type's range, which conversion from ±Inf gives. */
static void
clip_bound (const SondeKernelContext *context, guint k, double infinity, guint64 *bound)
{
  SondeTensor *tensor = sonde_kernel_input (context, k);
  SondeDtype dtype = context->inputs[0]->dtype;

  if (tensor != NULL && sonde_tensor_n_elements (tensor) > 0)
    memcpy (bound, tensor->data, sonde_dtype_size (dtype));
  else
    sonde_dtype_convert (SONDE_DTYPE_F64, &infinity, dtype, bound, 1);
}

static void
compute_clip (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  guint64 low = 0, high = 0;

  clip_bound (context, 1, -INFINITY, &low);
  clip_bound (context, 2, INFINITY, &high);
  clip_loops[x->dtype](sonde_tensor_n_elements (x), x->data, context->outputs[0]->data, &low,
                       &high);
}

static gboolean
infer_clip (SondeInferContext *context, GError **error)
{
  SondeDtype dtype = context->inputs[0].dtype;

  context->outputs[0] = context->inputs[0];
  if (dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (dtype)
      && !sonde_dtype_is_integer (dtype))
    return sonde_infer_fail (error, "the input is %s, but must be a number",
                             sonde_dtype_name (dtype));
  return sonde_infer_need_same (context, 0, 2, error);
}

/* A bound gets dy where it is what came out: the upper one wins over the lower one. */
static void
give_bounds (SondeGradientContext *context)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *x = sonde_rule_x (context, 0);
  SondeGraphValue *low = sonde_rule_x (context, 1), *high = sonde_rule_x (context, 2);
  SondeGraphValue *above = high ? OP2 ("Greater", low ? OP2 ("Max", x, low) : x, high) : NULL;

  if (low != NULL && context->wanted[1])
    {
      SondeGraphValue *part = sonde_rule_where (context, OP2 ("Less", x, low), dy, NULL);

      part = above ? sonde_rule_where (context, above, NULL, part) : part;
      context->input_gradients[1] = sonde_rule_unbroadcast (context, part, low);
    }
  if (high != NULL && context->wanted[2])
    context->input_gradients[2]
        = sonde_rule_unbroadcast (context, sonde_rule_where (context, above, dy, NULL), high);
}

static gboolean
gradient_clip (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[] = { sonde_rule_dy (context), sonde_rule_x (context, 0),
                                sonde_rule_x (context, 1), sonde_rule_x (context, 2) };

  if (context->wanted[0])
    context->input_gradients[0]
        = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "ClipGrad", 4, inputs);
  if (context->node->inputs->len > 1
      && (context->wanted[1] || (inputs[3] != NULL && context->wanted[2])))
    give_bounds (context);
  return TRUE;
}

const SondeOpClass sonde_ops_where_clip[] = {
  {
      .domain = "",
      .name = "Where",
      .since = 9,
      .min_inputs = 3,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_ELEMENTWISE | SONDE_OP_RAW_HALF,
      .family = SONDE_FAMILY_OTHER,
      .infer = infer_where,
      .compute = compute_where,
      .gradient = gradient_where,
      .count_parts = where_count,
      .compute_part = where_part,
      .reach = { sonde_reach_moved, 0x6 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT,
      .id = SONDE_OP_ID_WHERE,
  },
  {
      .domain = "",
      .name = "Clip",
      .since = 11,
      .min_inputs = 1,
      .max_inputs = 3,
      .min_outputs = 1,
      .max_outputs = 1,
      .flags = SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE,
      .family = SONDE_FAMILY_ACTIVATION,
      .infer = infer_clip,
      .compute = compute_clip,
      .gradient = gradient_clip,
      .typing = SONDE_TYPING_UNIFORM,
      .attribution = SONDE_ATTRIBUTION_ACTIVATION,
      .id = SONDE_OP_ID_CLIP,
  },
  { .name = NULL },
};
