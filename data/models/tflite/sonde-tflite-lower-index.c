/* SPDX-License-Identifier: Apache-2.0
 * Operators that read or write by index. */
#include <float.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

static SondeGraphValue *
last_unsqueezed (SondeTfliteLower *lower, SondeGraphValue *value)
{
  return sonde_lowering_unsqueeze (lower->to, value, -1);
}

/* ---- gathering ----------------------------------------------------------- */

/* Of each batch its own indices: the axis is moved behind the @batch dimensions, and what lies
 * between them comes back in front of the indices' dimensions. */
static SondeGraphValue *
gather_batches (SondeTfliteLower *lower, int axis, int batch)
{
  int rank = sonde_tflite_in_rank (lower, 0), n_indices = sonde_tflite_in_rank (lower, 1) - batch;
  gint64 order[SONDE_MAX_RANK], back[SONDE_MAX_RANK];
  int n = 0;
  SondeGraphValue *value = sonde_tflite_in (lower, 0);
  SondeGraphValue *indices
      = sonde_lowering_cast (lower->to, sonde_tflite_in (lower, 1), SONDE_DTYPE_I64);

  for (int i = 0; i < batch; i++)
    order[n++] = i;
  order[n++] = axis;
  for (int i = batch; i < rank; i++)
    if (i != axis)
      order[n++] = i;
  if (axis != batch)
    value = sonde_lowering_transpose (lower->to, value, order, rank);
  value = sonde_lowering_op (lower->to, "GatherND",
                             SONDE_VALUES (value, last_unsqueezed (lower, indices)));
  sonde_node_set_int (value->producer, "batch_dims", batch);
  if (axis == batch)
    return value;
  n = 0;
  for (int i = 0; i < batch; i++)
    back[n++] = i;
  for (int i = batch; i < axis; i++)
    back[n++] = i + n_indices;
  for (int i = 0; i < n_indices; i++)
    back[n++] = batch + i;
  for (int i = axis; i < rank - 1; i++)
    back[n++] = i + n_indices;
  return sonde_lowering_transpose (lower->to, value, back, n);
}

void
sonde_tflite_build_gather (SondeTfliteLower *lower)
{
  int rank = sonde_tflite_in_rank (lower, 0), n_indices = sonde_tflite_in_rank (lower, 1);
  gint64 axis = sonde_tflite_option (lower, 0, 0), batch = sonde_tflite_option (lower, 1, 0);
  SondeGraphValue *value;

  if (!sonde_tflite_check_axis (lower, &axis, rank))
    return;
  batch += batch < 0 ? n_indices : 0;
  if (batch < 0 || batch > axis || batch > n_indices || rank + n_indices > SONDE_MAX_RANK)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "%" PRIi64 " dimensions of batches do not fit the axis %" PRIi64, batch,
                           axis);
      return;
    }
  if (batch > 0)
    value = gather_batches (lower, (int) axis, (int) batch);
  else
    {
      value = sonde_lowering_op (
          lower->to, "Gather",
          SONDE_VALUES (sonde_tflite_in (lower, 0), sonde_tflite_in (lower, 1)));
      sonde_node_set_int (value->producer, "axis", axis);
    }
  sonde_tflite_out (lower, 0, value);
}

void
sonde_tflite_build_gather_nd (SondeTfliteLower *lower)
{
  SondeGraphValue *indices
      = sonde_lowering_cast (lower->to, sonde_tflite_in (lower, 1), SONDE_DTYPE_I64);

  sonde_tflite_out (lower, 0,
                    sonde_lowering_op (lower->to, "GatherND",
                                       SONDE_VALUES (sonde_tflite_in (lower, 0), indices)));
}

/* Input 0 are the indices. */
void
sonde_tflite_build_embedding_lookup (SondeTfliteLower *lower)
{
  sonde_tflite_out (
      lower, 0,
      sonde_lowering_op (lower->to, "Gather",
                         SONDE_VALUES (sonde_tflite_in (lower, 1), sonde_tflite_in (lower, 0))));
}

/* ---- scattering ---------------------------------------------------------- */

static SondeGraphValue *
expand (SondeTfliteLower *lower, SondeGraphValue *value, SondeGraphValue *shape)
{
  return sonde_lowering_op (lower->to, "Expand", SONDE_VALUES (value, shape));
}

static SondeGraphValue *
scatter (SondeTfliteLower *lower, SondeGraphValue *data, SondeGraphValue *indices,
         SondeGraphValue *updates, const char *reduction)
{
  SondeGraphValue *value
      = sonde_lowering_op (lower->to, "ScatterND", SONDE_VALUES (data, indices, updates));

  if (reduction != NULL)
    sonde_node_set_string (value->producer, "reduction", reduction);
  return value;
}

/* Indices, updates, shape: what falls on the same place is added. */
void
sonde_tflite_build_scatter_nd (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeDtype dtype = sonde_tflite_out_tensor (lower, 0)->dtype;
  SondeDtype summed = dtype == SONDE_DTYPE_F32 || lower->floats ? SONDE_DTYPE_F32 : SONDE_DTYPE_I64;
  SondeGraphValue *indices = sonde_lowering_cast (to, sonde_tflite_in (lower, 0), SONDE_DTYPE_I64);
  SondeGraphValue *updates = sonde_lowering_cast (to, sonde_tflite_in (lower, 1), summed);
  SondeGraphValue *shape = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 2));
  SondeGraphValue *zeros = expand (lower, sonde_lowering_number (to, summed, 0), shape);
  SondeGraphValue *value = scatter (lower, zeros, indices, updates, "add");

  sonde_tflite_out (
      lower, 0, summed == dtype || lower->floats ? value : sonde_lowering_cast (to, value, dtype));
}

/* Indices (none, one or two dimensions), shape, values, default. */
void
sonde_tflite_build_sparse_to_dense (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *indices = sonde_lowering_cast (to, sonde_tflite_in (lower, 0), SONDE_DTYPE_I64);
  SondeGraphValue *shape = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 1));
  SondeGraphValue *values = sonde_tflite_in (lower, 2), *count;
  gint64 width = sonde_tflite_in_tensor (lower, 1)->shape.dims[0], rows[] = { -1, width };
  gint64 zero = 0, one = 1;

  if (sonde_tflite_in_rank (lower, 1) != 1 || width < 1)
    {
      sonde_lowering_fail (to, SONDE_DATA_ERROR_DAMAGED, "its output has no shape");
      return;
    }
  indices = sonde_lowering_reshape (to, indices, rows, 2);
  count = sonde_lowering_op (to, "Shape", SONDE_VALUES (indices));
  count = sonde_lowering_op (
      to, "Slice",
      SONDE_VALUES (count, sonde_lowering_ints (to, &zero, 1), sonde_lowering_ints (to, &one, 1)));
  values = expand (lower, values, count);
  sonde_tflite_out (lower, 0,
                    scatter (lower, expand (lower, sonde_tflite_in_scalar (lower, 3), shape),
                             indices, values, NULL));
}

/* ---- segments ------------------------------------------------------------ */

/* [@rows] + the sizes of @data from dimension @from on. */
static SondeGraphValue *
segment_shape (SondeTfliteLower *lower, SondeGraphValue *data, SondeGraphValue *rows, gint64 from)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *rest = sonde_lowering_op (to, "Shape", SONDE_VALUES (data));

  sonde_node_set_int (rest->producer, "start", from);
  return sonde_lowering_concat (to, SONDE_VALUES (rows, rest), 0);
}

/* The ids are sorted: as many rows as the last one says. */
void
sonde_tflite_build_segment_sum (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *data = sonde_tflite_in (lower, 0);
  SondeGraphValue *ids = sonde_lowering_cast (to, sonde_tflite_in (lower, 1), SONDE_DTYPE_I64);
  SondeGraphValue *rows = sonde_lowering_slice (to, ids, 0, -1, G_MAXINT64, 1), *zeros;

  rows = sonde_lowering_op (to, "Add", SONDE_VALUES (rows, sonde_lowering_int (to, 1)));
  zeros = expand (lower, sonde_lowering_number (to, sonde_tflite_in_tensor (lower, 0)->dtype, 0),
                  segment_shape (lower, data, rows, 1));
  sonde_tflite_out (lower, 0, scatter (lower, zeros, last_unsqueezed (lower, ids), data, "add"));
}

/* What a segment without elements holds. */
static double
segment_start (int code, SondeDtype dtype)
{
  gint64 least = 0, most = 0;

  if (code == 153)
    return 1;
  if (code == 155)
    return 0;
  if (sonde_dtype_get_range (dtype, &least, &most))
    return (double) (code == 154 ? least : most);
  return code == 154 ? -FLT_MAX : FLT_MAX;
}

/* Ids of any shape; negative ones go into a row of their own, which is cut off. */
void
sonde_tflite_build_unsorted_segment (SondeTfliteLower *lower)
{
  static const char *const reductions[] = { "mul", "max", "add", NULL, "min" };
  SondeLowering *to = lower->to;
  int code = lower->op->code, n_ids = sonde_tflite_in_rank (lower, 1);
  SondeDtype dtype = sonde_tflite_in_tensor (lower, 0)->dtype;
  SondeGraphValue *data = sonde_tflite_in (lower, 0), *start, *value, *zero, *one_more;
  SondeGraphValue *ids = sonde_lowering_cast (to, sonde_tflite_in (lower, 1), SONDE_DTYPE_I64);
  SondeGraphValue *rows = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 2));
  gint64 first = 0;

  if (n_ids > sonde_tflite_in_rank (lower, 0))
    {
      sonde_lowering_fail (to, SONDE_DATA_ERROR_DAMAGED, "it has more ids than elements");
      return;
    }
  zero = sonde_lowering_int (to, 0);
  ids = sonde_lowering_op (
      to, "Where",
      SONDE_VALUES (sonde_lowering_op (to, "Less", SONDE_VALUES (ids, zero)), rows, ids));
  one_more = sonde_lowering_op (to, "Add", SONDE_VALUES (rows, sonde_lowering_int (to, 1)));
  start = sonde_lowering_number (to, dtype, segment_start (code, dtype));
  start = expand (lower, start, segment_shape (lower, data, one_more, n_ids));
  value = scatter (lower, start, last_unsqueezed (lower, ids), data, reductions[code - 153]);
  value = sonde_lowering_op (to, "Slice",
                             SONDE_VALUES (value, sonde_lowering_ints (to, &first, 1), rows));
  sonde_tflite_out (lower, 0, value);
}

/* ---- updates ------------------------------------------------------------- */

/* Start of the update along @axis, so that it lies inside. */
static SondeGraphValue *
clamped_start (SondeTfliteLower *lower, gint64 axis, gint64 room)
{
  SondeLowering *to = lower->to;
  SondeGraphValue *start = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 2));

  start = sonde_lowering_slice (to, start, 0, axis, axis + 1, 1);
  return sonde_lowering_op (
      to, "Clip", SONDE_VALUES (start, sonde_lowering_int (to, 0), sonde_lowering_int (to, room)));
}

static SondeGraphValue *
slice_between (SondeTfliteLower *lower, SondeGraphValue *value, gint64 axis, SondeGraphValue *from,
               SondeGraphValue *to)
{
  return sonde_lowering_op (
      lower->to, "Slice",
      SONDE_VALUES (value, from, to, sonde_lowering_ints (lower->to, &axis, 1)));
}

/* @update, smaller than @whole along @axes from number @i on, laid over it: along each axis what is
 * before and behind, and between them the same along the next. */
static SondeGraphValue *
lay_over (SondeTfliteLower *lower, SondeGraphValue *whole, SondeGraphValue *update,
          const gint64 *axes, int i, int n)
{
  const SondeShape *outer = &sonde_tflite_in_tensor (lower, 0)->shape;
  const SondeShape *inner = &sonde_tflite_in_tensor (lower, 1)->shape;
  gint64 zero = 0, end = G_MAXINT64;
  SondeGraphValue *start, *stop, *between;

  if (i == n)
    return update;
  start = clamped_start (lower, axes[i], outer->dims[axes[i]] - inner->dims[axes[i]]);
  stop = sonde_lowering_op (
      lower->to, "Add", SONDE_VALUES (start, sonde_lowering_int (lower->to, inner->dims[axes[i]])));
  between = slice_between (lower, whole, axes[i], start, stop);
  return sonde_lowering_concat (
      lower->to,
      SONDE_VALUES (
          slice_between (lower, whole, axes[i], sonde_lowering_ints (lower->to, &zero, 1), start),
          lay_over (lower, between, update, axes, i + 1, n),
          slice_between (lower, whole, axes[i], stop, sonde_lowering_ints (lower->to, &end, 1))),
      axes[i]);
}

void
sonde_tflite_build_dynamic_update_slice (SondeTfliteLower *lower)
{
  const SondeShape *outer = &sonde_tflite_in_tensor (lower, 0)->shape;
  const SondeShape *inner = &sonde_tflite_in_tensor (lower, 1)->shape;
  gint64 axes[SONDE_MAX_RANK];
  int n = 0;
  SondeGraphValue *update = sonde_tflite_in (lower, 1), *value;

  for (int i = 0; i < outer->rank && inner->rank == outer->rank; i++)
    if (inner->dims[i] < outer->dims[i])
      axes[n++] = i;
  value = lay_over (lower, sonde_tflite_in (lower, 0), update, axes, 0, n);
  if (inner->rank != outer->rank)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "its update has %d dimensions; %d are needed", inner->rank, outer->rank);
  else if (value == update)
    sonde_tflite_out (lower, 0, sonde_lowering_op (lower->to, "Identity", SONDE_VALUES (value)));
  else
    sonde_tflite_out (lower, 0, value);
}

/* ---- finding ------------------------------------------------------------- */

void
sonde_tflite_build_where (SondeTfliteLower *lower)
{
  static const gint64 turned[] = { 1, 0 };
  SondeGraphValue *found
      = sonde_lowering_op (lower->to, "NonZero", SONDE_VALUES (sonde_tflite_in (lower, 0)));

  sonde_tflite_out (lower, 0, sonde_lowering_transpose (lower->to, found, turned, 2));
}

void
sonde_tflite_build_unique (SondeTfliteLower *lower)
{
  SondeNode *node
      = sonde_lowering_node (lower->to, "", "Unique", SONDE_VALUES (sonde_tflite_in (lower, 0)), 4);

  sonde_node_set_int (node, "sorted", 0);
  sonde_tflite_out (lower, 0, sonde_node_get_output (node, 0));
  sonde_tflite_out (lower, 1,
                    sonde_lowering_cast (lower->to, sonde_node_get_output (node, 2),
                                         sonde_tflite_out_tensor (lower, 1)->dtype));
}

/* Each index against 0, 1, … : one that is none of them is off everywhere. */
void
sonde_tflite_build_one_hot (SondeTfliteLower *lower)
{
  SondeLowering *to = lower->to;
  int rank = sonde_tflite_in_rank (lower, 0) + 1;
  gint64 axis = sonde_tflite_option (lower, 0, 0), sizes[SONDE_MAX_RANK];
  SondeGraphValue *indices, *classes, *equal;

  if (!sonde_tflite_check_axis (lower, &axis, rank))
    return;
  for (int i = 0; i < rank; i++)
    sizes[i] = i == axis ? -1 : 1;
  indices = sonde_lowering_cast (to, sonde_tflite_in (lower, 0), SONDE_DTYPE_I64);
  indices = sonde_lowering_unsqueeze (to, indices, axis);
  classes = sonde_lowering_cast (to, sonde_tflite_in_scalar (lower, 1), SONDE_DTYPE_I64);
  classes = sonde_lowering_op (
      to, "Range", SONDE_VALUES (sonde_lowering_int (to, 0), classes, sonde_lowering_int (to, 1)));
  classes = sonde_lowering_reshape (to, classes, sizes, rank);
  equal = sonde_lowering_op (to, "Equal", SONDE_VALUES (indices, classes));
  sonde_tflite_out (lower, 0,
                    sonde_lowering_op (to, "Where",
                                       SONDE_VALUES (equal, sonde_tflite_in_scalar (lower, 2),
                                                     sonde_tflite_in_scalar (lower, 3))));
}

void
sonde_tflite_build_top_k (SondeTfliteLower *lower)
{
  SondeNode *node = sonde_lowering_node (
      lower->to, "", "TopK",
      SONDE_VALUES (sonde_tflite_in (lower, 0),
                    sonde_tflite_as_ints (lower, sonde_tflite_in_raw (lower, 1))),
      2);

  sonde_tflite_out (lower, 0, sonde_node_get_output (node, 0));
  sonde_tflite_out (lower, 1,
                    sonde_lowering_cast (lower->to, sonde_node_get_output (node, 1),
                                         sonde_tflite_out_tensor (lower, 1)->dtype));
}

void
sonde_tflite_build_arg (SondeTfliteLower *lower)
{
  enum
  {
    ARG_MAX = 56
  };
  gint64 axis = 0;
  SondeGraphValue *value;

  if (!sonde_tflite_need_int (lower, 1, N_ ("the axis"), &axis)
      || !sonde_tflite_check_axis (lower, &axis, sonde_tflite_in_rank (lower, 0)))
    return;
  value = sonde_lowering_op (lower->to, lower->op->code == ARG_MAX ? "ArgMax" : "ArgMin",
                             SONDE_VALUES (sonde_tflite_in_raw (lower, 0)));
  sonde_node_set_int (value->producer, "axis", axis);
  sonde_node_set_int (value->producer, "keepdims", 0);
  sonde_tflite_out (
      lower, 0, sonde_lowering_cast (lower->to, value, sonde_tflite_out_tensor (lower, 0)->dtype));
}

/* ---- boxes --------------------------------------------------------------- */

/* @value, as many rows as were found, with zeros up to the greatest number of them. */
static SondeGraphValue *
fill_up (SondeTfliteLower *lower, SondeGraphValue *value, SondeGraphValue *count,
         SondeGraphValue *most)
{
  SondeLowering *to = lower->to;
  gint64 zero = 0;
  SondeGraphValue *missing = sonde_lowering_op (to, "Sub", SONDE_VALUES (most, count));
  SondeGraphValue *pads
      = sonde_lowering_concat (to, SONDE_VALUES (sonde_lowering_ints (to, &zero, 1), missing), 0);

  return sonde_lowering_op (to, "Pad", SONDE_VALUES (value, pads));
}

/* Boxes [n, 4], scores [n], most, overlap, least score[, sigma] → indices, (scores,) count. */
void
sonde_tflite_build_non_max_suppression (SondeTfliteLower *lower)
{
  enum
  {
    V5 = 121
  };
  SondeLowering *to = lower->to;
  gboolean soft = lower->op->code == V5;
  const SondeTensor *sigma = soft ? sonde_lowering_get_constant (sonde_tflite_in (lower, 5)) : NULL;
  gint64 one_row[] = { 1, 1, -1 }, column = 2;
  SondeGraphValue *found, *count, *most, *scores, *all;

  if (soft
      && (sigma == NULL || sonde_tensor_n_elements (sigma) != 1
          || sonde_tensor_get_double (sigma, 0) != 0))
    {
      sonde_tflite_refuse (lower,
                           sonde_message_new ("scores that fade with the overlap have no operator"),
                           sonde_message_new ("Export the model with soft_nms_sigma 0"));
      return;
    }
  most = sonde_tflite_as_ints (lower, sonde_tflite_in (lower, 2));
  all = sonde_tflite_in (lower, 1);
  found = sonde_lowering_op (
      to, "NonMaxSuppression",
      SONDE_VALUES (sonde_lowering_unsqueeze (to, sonde_tflite_in (lower, 0), 0),
                    sonde_lowering_reshape (to, all, one_row, 3), most, sonde_tflite_in (lower, 3),
                    sonde_tflite_in (lower, 4)));
  found = sonde_lowering_op (to, "Gather", SONDE_VALUES (found, sonde_lowering_int (to, column)));
  sonde_node_set_int (found->producer, "axis", 1);
  count = sonde_lowering_op (to, "Shape", SONDE_VALUES (found));
  if (soft)
    {
      scores = sonde_lowering_op (to, "Gather", SONDE_VALUES (all, found));
      sonde_tflite_out (lower, 1, fill_up (lower, scores, count, most));
    }
  sonde_tflite_out (lower, 0,
                    sonde_lowering_cast (to, fill_up (lower, found, count, most), SONDE_DTYPE_I32));
  count = sonde_lowering_reshape (to, count, NULL, 0);
  sonde_tflite_out (lower, soft ? 2 : 1, sonde_lowering_cast (to, count, SONDE_DTYPE_I32));
}
