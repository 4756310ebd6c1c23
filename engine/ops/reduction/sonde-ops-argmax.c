/* SPDX-License-Identifier: Apache-2.0
 * ArgMax and ArgMin: positions, so without gradient. NaN is the extreme of all, as in NumPy; of
 * equal elements the first one counts, or with select_last_index the last one. */
#include "engine/ops/math/sonde-binary-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

/* ---- loops --------------------------------------------------------------- */

/* The place of a row's extreme: the extreme first, since that needs no branches, then where it
 * stands. */
#define ARGUMENT_ROW(name, T, order)                                                               \
  static gint64 name (const T *row, gint64 n, gboolean last)                                       \
  {                                                                                                \
    T lanes[32], best = row[0];                                                                    \
    gint32 strange[32] = { 0 }, any = 0;                                                           \
    gint64 i = 0;                                                                                  \
    for (int k = 0; k < 32; k++)                                                                   \
      lanes[k] = best;                                                                             \
    for (; i + 32 <= n; i += 32)                                                                   \
      _Pragma ("GCC unroll 1") for (int k = 0; k < 32; k++)                                        \
      {                                                                                            \
        const T x = row[i + k];                                                                    \
        lanes[k] = x order lanes[k] ? x : lanes[k];                                                \
        strange[k] |= x != x;                                                                      \
      }                                                                                            \
    for (; i < n; i++)                                                                             \
      {                                                                                            \
        best = row[i] order best ? row[i] : best;                                                  \
        any |= row[i] != row[i];                                                                   \
      }                                                                                            \
    for (int k = 0; k < 32; k++)                                                                   \
      {                                                                                            \
        best = lanes[k] order best ? lanes[k] : best;                                              \
        any |= strange[k];                                                                         \
      }                                                                                            \
    for (i = last ? n - 1 : 0; any ? row[i] == row[i] : row[i] != best;)                           \
      i += last ? -1 : 1;                                                                          \
    return i;                                                                                      \
  }

/* Columns of [n, inner]: for each of @columns that lie together the step at which its extreme
 * comes. */
#define ARGUMENT(name, T, order)                                                                   \
  ARGUMENT_ROW (name##_row, T, order)                                                              \
  static void name (const void *from, gint64 n, gint64 inner, gint64 columns, gboolean last,       \
                    void *best, gint64 *places)                                                    \
  {                                                                                                \
    const T *x_ = from;                                                                            \
    T *b_ = best;                                                                                  \
    if (inner == 1)                                                                                \
      {                                                                                            \
        places[0] = name##_row (x_, n, last);                                                      \
        return;                                                                                    \
      }                                                                                            \
    for (gint64 i = 0; i < columns; i++)                                                           \
      {                                                                                            \
        b_[i] = x_[i];                                                                             \
        places[i] = 0;                                                                             \
      }                                                                                            \
    for (gint64 k = 1; k < n; k++)                                                                 \
      for (gint64 i = 0; i < columns; i++)                                                         \
        {                                                                                          \
          const T x = x_[k * inner + i], b = b_[i];                                                \
          const gboolean better                                                                    \
              = (x order b) | ((x != x) & ((b == b) | last)) | (last & (x == b));                  \
          b_[i] = better ? x : b;                                                                  \
          places[i] = better ? k : places[i];                                                      \
        }                                                                                          \
  }
#define ARGUMENTS(suffix, T, U)                                                                    \
  ARGUMENT (largest_##suffix, T, >)                                                                \
  ARGUMENT (smallest_##suffix, T, <)
ARGUMENTS (f32, float, float)
ARGUMENTS (f64, double, double)
SONDE_FOR_INTEGERS (ARGUMENTS)

typedef void (*ArgumentLoop) (const void *from, gint64 n, gint64 inner, gint64 columns,
                              gboolean last, void *best, gint64 *places);

static const ArgumentLoop largest_loops[SONDE_N_DTYPES]
    = { SONDE_BINARY_FLOATS (largest), SONDE_BINARY_INTEGERS (largest) };
static const ArgumentLoop smallest_loops[SONDE_N_DTYPES]
    = { SONDE_BINARY_FLOATS (smallest), SONDE_BINARY_INTEGERS (smallest) };

/* ---- shape rule ---------------------------------------------------------- */

static gboolean
infer_argument (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  gboolean keep = sonde_node_get_int (context->node, "keepdims", 1) != 0;
  SondeType type;
  int axis = 0;

  if (x->dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (x->dtype)
      && !sonde_dtype_is_integer (x->dtype))
    return sonde_infer_fail (error, "input 0 is %s, but must be a number",
                             sonde_dtype_name (x->dtype));
  if (!sonde_infer_ready (context, 1))
    return TRUE;
  if (!sonde_infer_axis (sonde_node_get_int (context->node, "axis", 0), x->rank, &axis, error))
    return FALSE;
  if (x->dims[axis].size == 0)
    return sonde_infer_fail (error, "dimension %d is empty, so it has no extreme", axis);
  type = sonde_infer_type (SONDE_DTYPE_I64, 0);
  for (int d = 0; d < x->rank; d++)
    if (d != axis)
      type.dims[type.rank++] = x->dims[d];
    else if (keep)
      type.dims[type.rank++] = sonde_dimension (1);
  context->outputs[0] = type;
  return TRUE;
}

/* ---- kernels ------------------------------------------------------------- */

/* Items are columns: places in all dimensions but the axis. */
static gint64
argument_count (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *shape = &context->inputs[0]->shape;
  int axis = sonde_kernel_axis (context, 0);

  *cost = shape->dims[axis];
  return sonde_shape_product (shape, 0, axis) * sonde_shape_product (shape, axis + 1, shape->rank);
}

static void
run (const SondeKernelContext *context, const ArgumentLoop *loops, gint64 begin, gint64 end)
{
  const SondeTensor *x = context->inputs[0];
  gint64 *places = (gint64 *) (void *) context->outputs[0]->data;
  gboolean last = sonde_node_get_int (context->node, "select_last_index", 0) != 0;
  int axis = sonde_kernel_axis (context, 0);
  gint64 n = x->shape.dims[axis], inner = sonde_shape_product (&x->shape, axis + 1, x->shape.rank);
  g_autofree guint64 *best = g_new (guint64, MIN (inner, MAX (end - begin, 0)) + 1);

  for (gint64 item = begin; item < end;)
    {
      gint64 column = item % inner, columns = MIN (inner - column, end - item);
      gint64 first = item / inner * n * inner + column;

      loops[x->dtype](x->data + (gsize) first * sonde_dtype_size (x->dtype), n, inner, columns,
                      last, best, places + item);
      item += columns;
    }
}

static void
largest_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  run (context, largest_loops, begin, end);
}

static void
smallest_part (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  run (context, smallest_loops, begin, end);
}

#define largest_count argument_count
#define smallest_count argument_count
SONDE_COMPUTE_PARTS (largest)
SONDE_COMPUTE_PARTS (smallest)

/* ---- rows ---------------------------------------------------------------- */

static const SondeAttributeRule rules[] = {
  { "axis", SONDE_ATTRIBUTE_INT },
  { "keepdims", SONDE_ATTRIBUTE_INT },
  { "select_last_index", SONDE_ATTRIBUTE_INT },
  { NULL },
};

#define ROW(onnx, loop)                                                                            \
  {                                                                                                \
    .domain = "", .name = onnx, .since = 1, .min_inputs = 1, .max_inputs = 1, .min_outputs = 1,    \
    .max_outputs = 1, .family = SONDE_FAMILY_REDUCTION, .attributes = rules,                       \
    .infer = infer_argument, .compute = compute_##loop, .count_parts = argument_count,             \
    .compute_part = loop##_part, .reach = { sonde_reach_line, 0x1 }, .typing = SONDE_TYPING_OWN,   \
  }

const SondeOpClass sonde_ops_argmax[] = {
  ROW ("ArgMax", largest),
  ROW ("ArgMin", smallest),
  { .name = NULL },
};
