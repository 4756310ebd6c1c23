/* SPDX-License-Identifier: Apache-2.0
 * Pad in its four modes, and its gradient. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>

/* Elements before and after each dimension; negative ones crop. */
typedef struct
{
  gint64 before[SONDE_MAX_RANK], after[SONDE_MAX_RANK];
} Pads;

static gboolean
is_possible (gint64 pad)
{
  return pad >= -G_MAXINT32 && pad <= G_MAXINT32;
}

static gboolean
pads_read (const gint64 *values, gsize n_values, const gint64 *axes, gsize n_axes, int rank,
           Pads *pads, GError **error)
{
  gsize n = axes ? n_axes : (gsize) rank;

  memset (pads, 0, sizeof *pads);
  if (n_values != 2 * n)
    return sonde_infer_fail (error, "%zu pads for %zu dimensions, but needs two for each", n_values,
                             n);
  for (gsize i = 0; i < n; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (axes ? axes[i] : (gint64) i, rank, &axis, error))
        return FALSE;
      if (!is_possible (values[i]) || !is_possible (values[i + n]))
        return sonde_infer_fail (error, "the pads of dimension %d are impossible", axis);
      pads->before[axis] = values[i];
      pads->after[axis] = values[i + n];
    }
  return TRUE;
}

static const char *
pad_mode (const SondeNode *node)
{
  return sonde_node_get_string (node, "mode", "constant");
}

/* @first: index of the input with pads; @axes: of that with axes */
static gboolean
pads_known (const SondeInferContext *context, guint first, guint axes_at, int rank, Pads *pads,
            gboolean *known, GError **error)
{
  gsize n = 0, n_axes = 0;
  g_autofree gint64 *values = sonde_infer_known_ints (context, first, &n);
  g_autofree gint64 *axes = sonde_infer_known_ints (context, axes_at, &n_axes);

  *known = values != NULL && (sonde_infer_input (context, axes_at) == NULL || axes != NULL);
  return !*known || pads_read (values, n, axes, n_axes, rank, pads, error);
}

static gboolean
pad_dimension (const SondeType *x, int d, const Pads *pads, const char *mode,
               SondeDimension *result, GError **error)
{
  gint64 size = x->dims[d].size;
  gint64 most = MAX (pads->before[d], pads->after[d]);
  gint64 padded = size + pads->before[d] + pads->after[d];

  *result = x->dims[d];
  if (pads->before[d] == 0 && pads->after[d] == 0)
    return TRUE;
  *result = sonde_dimension (-1);
  if (size < 0)
    return TRUE;
  if (padded < 0 || size + MIN (pads->before[d], 0) < 0 || size + MIN (pads->after[d], 0) < 0)
    return sonde_infer_fail (error, "crops more than size %" PRIi64 " of dimension %d", size, d);
  if (most > 0
      && ((strcmp (mode, "reflect") == 0 && most >= size)
          || (strcmp (mode, "constant") != 0 && size == 0)))
    return sonde_infer_fail (
        error, "mode %s cannot make %" PRIi64 " elements from size %" PRIi64 " of dimension %d",
        mode, most, size, d);
  result->size = padded;
  return TRUE;
}

/* The type of input @x_at padded by the inputs @pads_at and @axes_at. */
static gboolean
padded_type (const SondeInferContext *context, guint x_at, guint pads_at, guint axes_at,
             SondeType *result, GError **error)
{
  const SondeType *x = &context->inputs[x_at];
  gboolean known = FALSE;
  Pads pads;

  if (!sonde_infer_need_integer (context, pads_at, error)
      || !sonde_infer_need_integer (context, axes_at, error)
      || !pads_known (context, pads_at, axes_at, x->rank, &pads, &known, error))
    return FALSE;
  *result = sonde_infer_type (x->dtype, x->rank);
  for (int d = 0; d < x->rank && known; d++)
    if (!pad_dimension (x, d, &pads, pad_mode (context->node), &result->dims[d], error))
      return FALSE;
  return TRUE;
}

static gboolean
infer_pad (SondeInferContext *context, GError **error)
{
  const SondeType *x = &context->inputs[0];
  const SondeType *value = sonde_infer_input (context, 2);

  if (value != NULL && value->kind == SONDE_VALUE_TENSOR && x->kind == SONDE_VALUE_TENSOR
      && value->dtype != x->dtype)
    return sonde_infer_fail (error, "the value is %s, but the input is %s",
                             sonde_dtype_name (value->dtype), sonde_dtype_name (x->dtype));
  return !sonde_infer_ready (context, 1)
         || padded_type (context, 0, 1, 3, &context->outputs[0], error);
}

/* (dy, like x, pads, axes?) → dx */
static gboolean
infer_pad_grad (SondeInferContext *context, GError **error)
{
  SondeType forward;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  context->outputs[0] = context->inputs[1];
  return padded_type (context, 1, 2, 3, &forward, error)
         && sonde_infer_need_shape (&context->inputs[0], &forward, N_ ("the gradient"), error);
}

/* Which element of the input stands at padded position @at; -1: the constant. */
static gint64
pad_source (gint64 at, gint64 size, const char *mode)
{
  if (at >= 0 && at < size)
    return at;
  if (strcmp (mode, "edge") == 0)
    return at < 0 ? 0 : size - 1;
  if (strcmp (mode, "wrap") == 0)
    return (at % size + size) % size;
  if (strcmp (mode, "reflect") == 0)
    return at < 0 ? -at : 2 * (size - 1) - at;
  return -1;
}

/* For each dimension a table from output position to input position; -1: outside. */
static gint64 *
pad_table (const SondeShape *whole, const SondeShape *x, const Pads *pads, const char *mode,
           gint64 **tables)
{
  gint64 n = 0;
  gint64 *memory = NULL;

  for (int d = 0; d < whole->rank; d++)
    n += whole->dims[d];
  memory = g_new (gint64, n + 1);
  n = 0;
  for (int d = 0; d < whole->rank; d++)
    {
      tables[d] = memory + n;
      for (gint64 i = 0; i < whole->dims[d]; i++)
        memory[n++] = pad_source (i - pads->before[d], x->dims[d], mode);
    }
  return memory;
}

/* Walks rows of the padded tensor; @visit gets the row's place in both. */
typedef void (*PadRow) (gpointer data, gint64 padded_offset,
                        gint64 x_offset, /* -1: the whole row is outside */
                        gint64 n, const gint64 *columns);

static void
pad_walk (const SondeShape *whole, const SondeShape *x, const Pads *pads, const char *mode,
          PadRow visit, gpointer data)
{
  gint64 *tables[SONDE_MAX_RANK];
  g_autofree gint64 *memory = pad_table (whole, x, pads, mode, tables);
  gint64 own[SONDE_MAX_RANK];
  gint64 index[SONDE_MAX_RANK] = { 0 };
  int last = whole->rank - 1;
  gint64 total = sonde_shape_product (whole, 0, whole->rank);

  sonde_strided_row_major (x, own);
  for (gint64 done = 0; done < total; done += whole->dims[last])
    {
      gint64 offset = 0;

      for (int d = 0; d < last && offset >= 0; d++)
        offset = tables[d][index[d]] < 0 ? -1 : offset + tables[d][index[d]] * own[d];
      visit (data, done, offset, whole->dims[last], tables[last]);
      for (int d = last - 1; d >= 0; d--)
        {
          if (++index[d] < whole->dims[d])
            break;
          index[d] = 0;
        }
    }
}

typedef struct
{
  gsize size;
  const guint8 *x;
  const guint8 *value;
  guint8 *y;
} PadCopy;

static void
pad_copy_row (gpointer data, gint64 padded_offset, gint64 x_offset, gint64 n, const gint64 *columns)
{
  PadCopy *copy = data;
  gsize size = copy->size;

  for (gint64 i = 0; i < n; i++)
    memcpy (copy->y + (gsize) (padded_offset + i) * size,
            x_offset < 0 || columns[i] < 0 ? copy->value
                                           : copy->x + (gsize) (x_offset + columns[i]) * size,
            size);
}

static gboolean
pads_of_kernel (const SondeKernelContext *context, guint first, guint axes_at, int rank, Pads *pads)
{
  gsize n = 0, n_axes = 0;
  g_autofree gint64 *values = sonde_kernel_ints (context, first, &n);
  g_autofree gint64 *axes = sonde_kernel_ints (context, axes_at, &n_axes);

  return pads_read (values, n, axes, n_axes, rank, pads, NULL);
}

/* Pads that are only known now may say something else than what the planner was told. */
static gboolean
pads_fit (const Pads *pads, const SondeShape *x, const SondeShape *whole)
{
  for (int d = 0; d < x->rank; d++)
    if (x->dims[d] + pads->before[d] + pads->after[d] != whole->dims[d])
      return FALSE;
  return TRUE;
}

static void
compute_pad (const SondeKernelContext *context)
{
  SondeTensor *x = context->inputs[0];
  SondeTensor *y = context->outputs[0];
  SondeTensor *value = sonde_kernel_input (context, 2);
  guint64 zero = 0;
  gboolean given = value != NULL && sonde_tensor_n_elements (value) > 0;
  PadCopy copy
      = { sonde_dtype_size (x->dtype), x->data, given ? value->data : (guint8 *) &zero, y->data };
  Pads pads;

  if (x->shape.rank == 0)
    sonde_kernel_copy (x, y);
  else if (pads_of_kernel (context, 1, 3, x->shape.rank, &pads)
           && pads_fit (&pads, &x->shape, &y->shape))
    {
      pad_walk (&y->shape, &x->shape, &pads, pad_mode (context->node), pad_copy_row, &copy);
      sonde_kernel_own_strings (y);
    }
}

#define PAD_ADD_ROW(suffix, T)                                                                     \
  static void pad_add_row_##suffix (gpointer data, gint64 padded_offset, gint64 x_offset,          \
                                    gint64 n, const gint64 *columns)                               \
  {                                                                                                \
    PadCopy *copy = data;                                                                          \
    const T *dy = (const T *) (const void *) copy->x + padded_offset;                              \
    T *dx = (T *) (void *) copy->y + x_offset;                                                     \
    for (gint64 i = 0; i < n && x_offset >= 0; i++)                                                \
      if (columns[i] >= 0)                                                                         \
        dx[columns[i]] += dy[i];                                                                   \
  }
PAD_ADD_ROW (f32, float)
PAD_ADD_ROW (f64, double)

static void
compute_pad_grad (const SondeKernelContext *context)
{
  SondeTensor *dy = context->inputs[0];
  SondeTensor *dx = context->outputs[0];
  PadCopy copy = { 0, dy->data, NULL, dx->data };
  Pads pads;

  if (dx->shape.rank == 0)
    {
      sonde_kernel_copy (dy, dx);
      return;
    }
  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  if (pads_of_kernel (context, 2, 3, dx->shape.rank, &pads)
      && pads_fit (&pads, &dx->shape, &dy->shape))
    pad_walk (&dy->shape, &dx->shape, &pads, pad_mode (context->node),
              dx->dtype == SONDE_DTYPE_F64 ? pad_add_row_f64 : pad_add_row_f32, &copy);
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const pad_modes[] = { "constant", "reflect", "edge", "wrap", NULL };
static const SondeAttributeRule mode_rule[]
    = { { "mode", SONDE_ATTRIBUTE_STRING, .choices = pad_modes }, { NULL } };

static gboolean
pads_nothing (const SondeNode *node)
{
  return sonde_identity_of_known_sizes (node) && sonde_identity_input_is_all (node, 1, 0);
}

const SondeOpClass sonde_ops_pad[] = {
  {
      .domain = "",
      .name = "Pad",
      .since = 11,
      .min_inputs = 2,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .attributes = mode_rule,
      .infer = infer_pad,
      .compute = compute_pad,
      .gradient = sonde_gradient_pad,
      .reach = { sonde_reach_moved, 0x5 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT,
      .changes_nothing = pads_nothing,
      .attribution = SONDE_ATTRIBUTION_MOVE,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "PadGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = 4,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = mode_rule,
      .infer = infer_pad_grad,
      .compute = compute_pad_grad,
      .gradient = sonde_gradient_pad_grad,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_moved_back, 0x1 },
      .typing = SONDE_TYPING_LEADING (2),
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
