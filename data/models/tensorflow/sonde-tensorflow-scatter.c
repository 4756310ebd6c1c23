/* SPDX-License-Identifier: Apache-2.0
 * Operators that write by index. */
#include <float.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

static SondeGraphValue *
scatter (SondeTensorflowLower *lower, SondeGraphValue *data, SondeGraphValue *indices,
         SondeGraphValue *updates, const char *reduction)
{
  SondeGraphValue *value = sonde_tensorflow_op3 (lower, "ScatterND", data, indices, updates);

  if (reduction != NULL)
    sonde_node_set_string (value->producer, "reduction", reduction);
  return value;
}

static SondeGraphValue *
expand (SondeTensorflowLower *lower, SondeGraphValue *value, SondeGraphValue *shape)
{
  return sonde_tensorflow_op2 (lower, "Expand", value, shape);
}

static SondeGraphValue *
in_i64 (SondeTensorflowLower *lower, guint k)
{
  return sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, k), SONDE_DTYPE_I64);
}

/* What is summed up in: no sums of booleans and of narrow integers. */
static SondeDtype
sum_type (SondeDtype dtype)
{
  return sonde_dtype_is_float (dtype) ? dtype : SONDE_DTYPE_I64;
}

/* ---- to a new value ------------------------------------------------------ */

/* Indices, updates, shape: what falls on the same place is added. */
static void
build_scatter_nd (SondeTensorflowLower *lower)
{
  SondeDtype dtype = sonde_tensorflow_in_dtype (lower, 1), sum = sum_type (dtype);
  SondeGraphValue *zeros = expand (lower, sonde_lowering_number (lower->to, sum, 0),
                                   sonde_tensorflow_in_ints (lower, 2));
  SondeGraphValue *updates = sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, 1), sum);

  sonde_tensorflow_out (
      lower, 0,
      sonde_tensorflow_cast (lower, scatter (lower, zeros, in_i64 (lower, 0), updates, "add"),
                             dtype));
}

/* Indices (none, one or two dimensions), shape, values, filling. */
static void
build_sparse_to_dense (SondeTensorflowLower *lower)
{
  const SondeType *shape = &sonde_tensorflow_in (lower, 1)->type;
  gint64 rows[] = { -1, shape->rank == 1 ? shape->dims[0].size : -1 };
  gint64 zero = 0, one = 1;
  SondeGraphValue *indices = in_i64 (lower, 0), *count, *values;

  if (rows[1] < 1)
    {
      sonde_tensorflow_refuse (
          lower, sonde_message_new ("how many dimensions input %u has is not known", 1u), NULL);
      return;
    }
  indices = sonde_lowering_reshape (lower->to, indices, rows, 2);
  count = sonde_tensorflow_op3 (lower, "Slice", sonde_tensorflow_shape_of (lower, indices),
                                sonde_lowering_ints (lower->to, &zero, 1),
                                sonde_lowering_ints (lower->to, &one, 1));
  values = expand (lower, sonde_tensorflow_in (lower, 2), count);
  sonde_tensorflow_out (lower, 0,
                        scatter (lower,
                                 expand (lower, sonde_tensorflow_in_scalar (lower, 3),
                                         sonde_tensorflow_in_ints (lower, 1)),
                                 indices, values, NULL));
}

/* ---- over a value -------------------------------------------------------- */

/* tensor, indices, updates */
static void
build_update (SondeTensorflowLower *lower)
{
  sonde_tensorflow_out (lower, 0,
                        scatter (lower, sonde_tensorflow_in (lower, 0), in_i64 (lower, 1),
                                 sonde_tensorflow_in (lower, 2), lower->row->to));
}

static void
build_update_sub (SondeTensorflowLower *lower)
{
  SondeGraphValue *updates = sonde_tensorflow_op1 (lower, "Neg", sonde_tensorflow_in (lower, 2));

  sonde_tensorflow_out (
      lower, 0, scatter (lower, sonde_tensorflow_in (lower, 0), in_i64 (lower, 1), updates, "add"));
}

/* ---- segments ------------------------------------------------------------ */

/* [@rows] + the sizes of @data from dimension @from on. */
static SondeGraphValue *
segment_shape (SondeTensorflowLower *lower, SondeGraphValue *data, SondeGraphValue *rows,
               gint64 from)
{
  SondeGraphValue *rest = sonde_tensorflow_op1 (lower, "Shape", data);

  sonde_node_set_int (rest->producer, "start", from);
  return sonde_lowering_concat (lower->to, SONDE_VALUES (rows, rest), 0);
}

/* What a segment without elements holds. */
static double
segment_start (const char *reduction, SondeDtype dtype)
{
  gint64 least = 0, most = 0;

  if (g_str_equal (reduction, "mul"))
    return 1;
  if (g_str_equal (reduction, "add"))
    return 0;
  if (sonde_dtype_get_range (dtype, &least, &most))
    return (double) (g_str_equal (reduction, "max") ? least : most);
  return g_str_equal (reduction, "max") ? -FLT_MAX : FLT_MAX;
}

/* The ids are sorted: as many rows as the last one says; what has none is 0. */
static void
build_segment (SondeTensorflowLower *lower)
{
  SondeGraphValue *data = sonde_tensorflow_in (lower, 0), *ids = in_i64 (lower, 1), *rows, *start;
  gint64 last = -1;

  rows = sonde_lowering_slice (lower->to, ids, 0, last, G_MAXINT64, 1);
  rows = sonde_tensorflow_op2 (lower, "Add", rows, sonde_lowering_int (lower->to, 1));
  start = expand (lower, sonde_tensorflow_number (lower, data, 0),
                  segment_shape (lower, data, rows, 1));
  sonde_tensorflow_out (
      lower, 0,
      scatter (lower, start, sonde_lowering_unsqueeze (lower->to, ids, -1), data, lower->row->to));
}

/* Ids of any shape; negative ones go into a row of their own, which is cut off. */
static void
build_unsorted_segment (SondeTensorflowLower *lower)
{
  int n_ids = sonde_tensorflow_need_rank (lower, 1);
  SondeDtype dtype = sonde_tensorflow_in_dtype (lower, 0);
  SondeGraphValue *data = sonde_tensorflow_in (lower, 0), *ids, *rows, *start, *value;
  gint64 first = 0;

  if (n_ids < 0)
    return;
  ids = in_i64 (lower, 1);
  rows = sonde_tensorflow_in_ints (lower, 2);
  ids = sonde_tensorflow_op3 (
      lower, "Where", sonde_tensorflow_op2 (lower, "Less", ids, sonde_lowering_int (lower->to, 0)),
      rows, ids);
  value = sonde_tensorflow_op2 (lower, "Add", rows, sonde_lowering_int (lower->to, 1));
  start = sonde_lowering_number (lower->to, dtype, segment_start (lower->row->to, dtype));
  start = expand (lower, start, segment_shape (lower, data, value, n_ids));
  value
      = scatter (lower, start, sonde_lowering_unsqueeze (lower->to, ids, -1), data, lower->row->to);
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op3 (lower, "Slice", value,
                                              sonde_lowering_ints (lower->to, &first, 1), rows));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_scatter_rows[] = {
  { "ScatterNd", 3, build_scatter_nd, NULL },
  { "SegmentSum", 2, build_segment, "add" },
  { "SparseToDense", 4, build_sparse_to_dense, NULL },
  { "TensorScatterAdd", 3, build_update, "add" },
  { "TensorScatterMax", 3, build_update, "max" },
  { "TensorScatterMin", 3, build_update, "min" },
  { "TensorScatterSub", 3, build_update_sub, NULL },
  { "TensorScatterUpdate", 3, build_update, NULL },
  { "UnsortedSegmentMax", 3, build_unsorted_segment, "max" },
  { "UnsortedSegmentMin", 3, build_unsorted_segment, "min" },
  { "UnsortedSegmentProd", 3, build_unsorted_segment, "mul" },
  { "UnsortedSegmentSum", 3, build_unsorted_segment, "add" },
  { NULL, 0, NULL, NULL },
};
