/* SPDX-License-Identifier: Apache-2.0
 * Slice and its gradient. */
#include "engine/ops/sonde-gradient-rules.h"
#include "engine/ops/sonde-op-dependency-rules.h"
#include "engine/ops/sonde-strided.h"

#include <string.h>

/* Per dimension of the input: first element, step, number of elements; @open: sliced, but of
 * unknown size. */
typedef struct
{
  gint64 start[SONDE_MAX_RANK], step[SONDE_MAX_RANK], count[SONDE_MAX_RANK];
  gboolean open[SONDE_MAX_RANK];
} SliceRange;

/* Bounds as Python's: negative ones count from the end, then they are clamped. */
static gint64
clamp_bound (gint64 bound, gint64 size, gint64 low, gint64 high)
{
  if (bound < 0)
    bound = bound < -size ? -1 : bound + size;
  return CLAMP (bound, low, high);
}

static void
slice_dimension (SliceRange *range, int d, gint64 size, gint64 start, gint64 end, gint64 step)
{
  gint64 first
      = step > 0 ? clamp_bound (start, size, 0, size) : clamp_bound (start, size, -1, size - 1);
  gint64 last = step > 0 ? clamp_bound (end, size, 0, size) : clamp_bound (end, size, -1, size - 1);
  gint64 distance = step > 0 ? last - first : first - last;
  guint64 stride = step > 0 ? (guint64) step : -(guint64) step;

  range->start[d] = first;
  range->count[d] = distance <= 0 ? 0 : (gint64) (((guint64) distance - 1) / stride) + 1;
  /* A single element needs no step, and a huge step no product. */
  range->step[d] = range->count[d] > 1 ? step : 1;
}

/* Lists as they stand in the inputs; NULL where one is absent or unknown. */
typedef struct
{
  gint64 *starts, *ends, *axes, *steps;
  gsize n_starts, n_ends, n_axes, n_steps;
} SliceLists;

static void
slice_lists_clear (SliceLists *lists)
{
  g_free (lists->starts);
  g_free (lists->ends);
  g_free (lists->axes);
  g_free (lists->steps);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SliceLists, slice_lists_clear)

static gboolean
slice_lists_check (const SliceLists *lists, GError **error)
{
  gsize n = lists->n_starts;

  if (lists->n_ends != n || (lists->axes && lists->n_axes != n)
      || (lists->steps && lists->n_steps != n))
    return sonde_infer_fail (error, "starts, ends, axes and steps have different lengths");
  for (gsize i = 0; i < lists->n_steps; i++)
    if (lists->steps[i] == 0)
      return sonde_infer_fail (error, "step %zu is 0", i);
  return TRUE;
}

/* @dims: sizes, -1 unknown */
static gboolean
slice_read (const SliceLists *lists, int rank, const gint64 *dims, SliceRange *range,
            GError **error)
{
  if (!slice_lists_check (lists, error))
    return FALSE;
  for (int d = 0; d < rank; d++)
    {
      range->start[d] = 0;
      range->step[d] = 1;
      range->count[d] = dims[d];
      range->open[d] = FALSE;
    }
  for (gsize i = 0; i < lists->n_starts; i++)
    {
      int axis = 0;

      if (!sonde_infer_axis (lists->axes ? lists->axes[i] : (gint64) i, rank, &axis, error))
        return FALSE;
      if (dims[axis] >= 0)
        slice_dimension (range, axis, dims[axis], lists->starts[i], lists->ends[i],
                         lists->steps ? lists->steps[i] : 1);
      else
        range->open[axis] = TRUE;
    }
  return TRUE;
}

/* @first: index of the input with starts */
static void
slice_lists_known (SliceLists *lists, const SondeInferContext *context, guint first)
{
  lists->starts = sonde_infer_known_ints (context, first, &lists->n_starts);
  lists->ends = sonde_infer_known_ints (context, first + 1, &lists->n_ends);
  lists->axes = sonde_infer_known_ints (context, first + 2, &lists->n_axes);
  lists->steps = sonde_infer_known_ints (context, first + 3, &lists->n_steps);
}

/* The type of the slice of input @x_at, whose lists start at input @first. */
static gboolean
sliced_type (const SondeInferContext *context, guint x_at, guint first, SondeType *result,
             GError **error)
{
  const SondeType *x = &context->inputs[x_at];
  g_auto (SliceLists) lists = { NULL };
  gint64 dims[SONDE_MAX_RANK];
  SliceRange range;

  slice_lists_known (&lists, context, first);
  *result = sonde_infer_type (x->dtype, x->rank);
  if (lists.starts == NULL || lists.ends == NULL
      || (sonde_infer_input (context, first + 2) && lists.axes == NULL)
      || (sonde_infer_input (context, first + 3) && lists.steps == NULL))
    return TRUE;
  for (int d = 0; d < x->rank; d++)
    dims[d] = x->dims[d].size;
  if (!slice_read (&lists, x->rank, dims, &range, error))
    return FALSE;
  for (int d = 0; d < x->rank; d++)
    result->dims[d] = range.count[d] == dims[d] && !range.open[d]
                          ? x->dims[d]
                          : sonde_dimension (range.count[d]);
  return TRUE;
}

static gboolean
need_integers (const SondeInferContext *context, guint first, GError **error)
{
  for (guint k = first; k < context->n_inputs; k++)
    if (!sonde_infer_need_integer (context, k, error))
      return FALSE;
  return TRUE;
}

static gboolean
infer_slice (SondeInferContext *context, GError **error)
{
  if (!need_integers (context, 1, error))
    return FALSE;
  return !sonde_infer_ready (context, 1)
         || sliced_type (context, 0, 1, &context->outputs[0], error);
}

/* (dy, like x, starts, ends, axes?, steps?) → dx */
static gboolean
infer_slice_grad (SondeInferContext *context, GError **error)
{
  SondeType forward;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 1, error)
      || !need_integers (context, 2, error))
    return FALSE;
  if (!sonde_infer_ready (context, 2))
    return TRUE;
  context->outputs[0] = context->inputs[1];
  return sliced_type (context, 1, 2, &forward, error)
         && sonde_infer_need_shape (&context->inputs[0], &forward, N_ ("the gradient"), error);
}

/* Lists that are only known now may say something else than what the planner was told. */
static gboolean
slice_has_shape (const SliceRange *range, const SondeShape *shape)
{
  for (int d = 0; d < shape->rank; d++)
    if (range->count[d] != shape->dims[d])
      return FALSE;
  return TRUE;
}

/* Copies between the slice of @whole and the contiguous @part. */
static void
slice_copy (const SondeKernelContext *context, guint first, SondeTensor *whole, SondeTensor *part,
            gboolean into_whole)
{
  g_auto (SliceLists) lists = { NULL };
  gint64 own[SONDE_MAX_RANK], in_whole[SONDE_MAX_RANK], in_part[SONDE_MAX_RANK];
  gsize size = sonde_dtype_size (whole->dtype);
  gint64 offset = 0;
  SliceRange range;
  guint8 *start = NULL;

  lists.starts = sonde_kernel_ints (context, first, &lists.n_starts);
  lists.ends = sonde_kernel_ints (context, first + 1, &lists.n_ends);
  lists.axes = sonde_kernel_ints (context, first + 2, &lists.n_axes);
  lists.steps = sonde_kernel_ints (context, first + 3, &lists.n_steps);
  if (sonde_tensor_n_elements (part) == 0
      || !slice_read (&lists, whole->shape.rank, whole->shape.dims, &range, NULL)
      || !slice_has_shape (&range, &part->shape))
    return;
  sonde_strided_row_major (&whole->shape, own);
  sonde_strided_row_major (&part->shape, in_part);
  for (int d = 0; d < whole->shape.rank; d++)
    {
      in_whole[d] = own[d] * range.step[d];
      offset += own[d] * range.start[d];
    }
  start = whole->data + offset * (gint64) size;
  if (into_whole)
    sonde_strided_copy (&part->shape, size, part->data, in_part, start, in_whole);
  else
    sonde_strided_copy (&part->shape, size, start, in_whole, part->data, in_part);
}

static void
compute_slice (const SondeKernelContext *context)
{
  slice_copy (context, 1, context->inputs[0], context->outputs[0], FALSE);
  sonde_kernel_own_strings (context->outputs[0]);
}

static void
compute_slice_grad (const SondeKernelContext *context)
{
  SondeTensor *dx = context->outputs[0];

  memset (dx->data, 0, sonde_tensor_n_bytes (dx));
  slice_copy (context, 2, dx, context->inputs[0], TRUE);
}

static gboolean
gradient_slice (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[6] = { sonde_rule_dy (context) };
  guint n = context->node->inputs->len;

  for (guint k = 0; k < n; k++)
    inputs[k + 1] = sonde_rule_x (context, k);
  context->input_gradients[0]
      = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "SliceGrad", n + 1, inputs);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

/* Forwards, one after the other: then the same sizes are all there is. */
static gboolean
has_steps_of_one (const SondeNode *node)
{
  return sonde_identity_of_known_sizes (node) && sonde_identity_input_is_all (node, 4, 1);
}

const SondeOpClass sonde_ops_slice[] = {
  {
      .domain = "",
      .name = "Slice",
      .since = 10,
      .min_inputs = 3,
      .max_inputs = 5,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_SHAPE,
      .infer = infer_slice,
      .compute = compute_slice,
      .gradient = gradient_slice,
      .reach = { sonde_reach_moved, 0x1 },
      .typing = SONDE_TYPING_UNIFORM,
      .traits = SONDE_TRAIT_STRICT | SONDE_TRAIT_MOVES | SONDE_TRAIT_AUTOCAST,
      .changes_nothing = has_steps_of_one,
      .attribution = SONDE_ATTRIBUTION_MOVE,
  },
  {
      .domain = SONDE_DOMAIN,
      .name = "SliceGrad",
      .since = 1,
      .min_inputs = 4,
      .max_inputs = 6,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_GRADIENT,
      .infer = infer_slice_grad,
      .compute = compute_slice_grad,
      .gradient = sonde_gradient_slice_grad,
      .shape_only = 1 << 1,
      .reach = { sonde_reach_moved_back, 0x1 },
      .typing = SONDE_TYPING_LEADING (2),
      .traits = SONDE_TRAIT_STRICT,
  },
  { .name = NULL },
};
