/* SPDX-License-Identifier: Apache-2.0
 * Operators that read by index, or find indices. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- gathering ----------------------------------------------------------- */

/* Of each batch its own indices: the axis is moved behind the @batch dimensions, and what lies
 * between them comes back in front of the indices' dimensions. */
static SondeGraphValue *
gather_batches (SondeTensorflowLower *lower, int axis, int batch, int rank, int n_indices)
{
  gint64 order[SONDE_MAX_RANK], back[SONDE_MAX_RANK];
  int n = 0;
  SondeGraphValue *value = sonde_tensorflow_in (lower, 0);
  SondeGraphValue *indices
      = sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, 1), SONDE_DTYPE_I64);

  for (int i = 0; i < batch; i++)
    order[n++] = i;
  order[n++] = axis;
  for (int i = batch; i < rank; i++)
    if (i != axis)
      order[n++] = i;
  if (axis != batch)
    value = sonde_lowering_transpose (lower->to, value, order, rank);
  value = sonde_tensorflow_op2 (lower, "GatherND", value,
                                sonde_lowering_unsqueeze (lower->to, indices, -1));
  sonde_node_set_int (value->producer, "batch_dims", batch);
  sonde_lowering_infer (lower->to, value);
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

static void
gather (SondeTensorflowLower *lower, gint64 axis)
{
  SondeGraphValue *value = sonde_tensorflow_op2 (lower, "Gather", sonde_tensorflow_in (lower, 0),
                                                 sonde_tensorflow_in (lower, 1));

  sonde_node_set_int (value->producer, "axis", axis);
  sonde_tensorflow_out (lower, 0, value);
}

/* Of a variable the handle is input 0: its value. */
static void
build_gather (SondeTensorflowLower *lower)
{
  gint64 batch = sonde_tensorflow_attr_int (lower->node, "batch_dims", 0), axis = 0;
  int rank = sonde_tensorflow_in_rank (lower, 0), n_indices = sonde_tensorflow_in_rank (lower, 1);

  if (lower->n_inputs > 2 && !sonde_tensorflow_need_int (lower, 2, N_ ("the axis"), &axis))
    return;
  if (rank >= 0 && !sonde_tensorflow_check_axis (lower, &axis, rank))
    return;
  if (batch == 0)
    {
      gather (lower, axis);
      return;
    }
  if ((rank = sonde_tensorflow_need_rank (lower, 0)) < 0
      || (n_indices = sonde_tensorflow_need_rank (lower, 1)) < 0)
    return;
  batch += batch < 0 ? n_indices : 0;
  axis = lower->n_inputs > 2 ? axis : batch;
  if (batch < 0 || batch > axis || batch > n_indices || axis >= rank
      || rank + n_indices > SONDE_MAX_RANK)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "%" PRIi64 " dimensions of batches do not fit the axis %" PRIi64, batch,
                         axis);
  else
    sonde_tensorflow_out (
        lower, 0, gather_batches (lower, (int) axis, (int) batch, rank, n_indices - (int) batch));
}

static void
build_gather_nd (SondeTensorflowLower *lower)
{
  SondeGraphValue *indices
      = sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, 1), SONDE_DTYPE_I64);

  sonde_tensorflow_out (
      lower, 0, sonde_tensorflow_op2 (lower, "GatherND", sonde_tensorflow_in (lower, 0), indices));
}

/* ---- finding ------------------------------------------------------------- */

static void
build_where (SondeTensorflowLower *lower)
{
  static const gint64 turned[] = { 1, 0 };
  SondeGraphValue *found = sonde_tensorflow_op1 (lower, "NonZero", sonde_tensorflow_in (lower, 0));

  sonde_lowering_infer (lower->to, found);
  sonde_tensorflow_out (lower, 0, sonde_lowering_transpose (lower->to, found, turned, 2));
}

/* Version 2 may have an axis; without one, or with that of a vector, elements are compared. */
static void
build_unique (SondeTensorflowLower *lower)
{
  SondeDtype dtype = sonde_tensorflow_attr_dtype (lower->node, "out_idx");
  SondeDtype own = sonde_tensorflow_in_dtype (lower, 0);
  SondeGraphValue *x = sonde_tensorflow_in (lower, 0);
  SondeNode *node;

  if (sonde_tensorflow_in_rank (lower, 0) != 1)
    {
      sonde_tensorflow_refuse (lower, sonde_message_new ("its input is no vector"), NULL);
      return;
    }
  if (dtype == SONDE_DTYPE_INVALID)
    dtype = SONDE_DTYPE_I32;
  if (sonde_dtype_is_integer (own))
    x = sonde_tensorflow_cast (lower, x,
                               SONDE_DTYPE_I64); /* other runtimes know no narrower ones */
  node = sonde_lowering_node (lower->to, "", "Unique", SONDE_VALUES (x), 4);
  sonde_node_set_int (node, "sorted", 0);
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_cast (lower, sonde_node_get_output (node, 0), own));
  sonde_tensorflow_out (lower, 1,
                        sonde_lowering_cast (lower->to, sonde_node_get_output (node, 2), dtype));
  sonde_tensorflow_out (lower, 2,
                        sonde_lowering_cast (lower->to, sonde_node_get_output (node, 3), dtype));
}

/* Each index against 0, 1, … : one that is none of them is off everywhere. */
static void
build_one_hot (SondeTensorflowLower *lower)
{
  SondeLowering *to = lower->to;
  int rank = sonde_tensorflow_need_rank (lower, 0) + 1;
  gint64 axis = sonde_tensorflow_attr_int (lower->node, "axis", -1), sizes[SONDE_MAX_RANK];
  SondeGraphValue *indices, *classes;

  if (rank == 0 || rank > SONDE_MAX_RANK || !sonde_tensorflow_check_axis (lower, &axis, rank))
    return;
  for (int i = 0; i < rank; i++)
    sizes[i] = i == axis ? -1 : 1;
  indices = sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, 0), SONDE_DTYPE_I64);
  indices = sonde_lowering_unsqueeze (to, indices, axis);
  classes = sonde_tensorflow_cast (lower, sonde_tensorflow_in_scalar (lower, 1), SONDE_DTYPE_I64);
  classes = sonde_tensorflow_op3 (lower, "Range", sonde_lowering_int (to, 0), classes,
                                  sonde_lowering_int (to, 1));
  classes = sonde_lowering_reshape (to, classes, sizes, rank);
  sonde_tensorflow_out (
      lower, 0,
      sonde_tensorflow_op3 (lower, "Where", sonde_tensorflow_op2 (lower, "Equal", indices, classes),
                            sonde_tensorflow_in_scalar (lower, 2),
                            sonde_tensorflow_in_scalar (lower, 3)));
}

/* How many boundaries are not above the number. */
static void
build_bucketize (SondeTensorflowLower *lower)
{
  const Tensorflow__AttrValue *attr = sonde_tensorflow_attr (lower->node, "boundaries");
  const gsize n = attr != NULL && attr->list != NULL ? attr->list->n_f : 0;
  const SondeShape shape = sonde_shape_make (1, (gint64) n);
  g_autoptr (SondeTensor) boundaries = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value, *above;
  gint64 last = -1;

  for (gsize i = 0; i < n; i++)
    sonde_tensor_set_double (boundaries, (gint64) i, (double) attr->list->f[i]);
  value = sonde_tensorflow_cast (lower, sonde_tensorflow_in (lower, 0), SONDE_DTYPE_F32);
  value = sonde_lowering_unsqueeze (lower->to, value, -1);
  above = sonde_tensorflow_op2 (lower, "GreaterOrEqual", value,
                                sonde_lowering_constant (lower->to, NULL, boundaries));
  above = sonde_lowering_cast (lower->to, above, SONDE_DTYPE_I32);
  above
      = sonde_tensorflow_op2 (lower, "ReduceSum", above, sonde_lowering_ints (lower->to, &last, 1));
  sonde_node_set_int (above->producer, "keepdims", 0);
  sonde_tensorflow_out (lower, 0, above);
}

/* ---- boxes --------------------------------------------------------------- */

/* @value, as many rows as were found, with zeros up to the greatest number of them. */
static SondeGraphValue *
fill_up (SondeTensorflowLower *lower, SondeGraphValue *value, SondeGraphValue *count,
         SondeGraphValue *most)
{
  gint64 zero = 0;
  SondeGraphValue *missing = sonde_tensorflow_op2 (lower, "Sub", most, count);
  SondeGraphValue *pads = sonde_lowering_concat (
      lower->to, SONDE_VALUES (sonde_lowering_ints (lower->to, &zero, 1), missing), 0);

  return sonde_tensorflow_op2 (lower, "Pad", value, pads);
}

/* Versions 2 and 3 give as many as were found, 4 and 5 their number and, where they are told to, zeros
 * up to the greatest. */
typedef struct
{
  gboolean scores, count, fills;
} BoxesForm;

static BoxesForm
find_form (const SondeTensorflowLower *lower)
{
  const char *op = lower->node->op;
  BoxesForm form = { .scores = g_str_has_suffix (op, "V5") };

  form.count = form.scores || g_str_has_suffix (op, "V4");
  form.fills
      = form.count && sonde_tensorflow_attr_bool (lower->node, "pad_to_max_output_size", FALSE);
  return form;
}

static gboolean
fades (SondeTensorflowLower *lower)
{
  const SondeTensor *sigma
      = lower->n_inputs > 5 ? sonde_lowering_get_constant (sonde_tensorflow_in (lower, 5)) : NULL;

  return lower->n_inputs > 5
         && (sigma == NULL || sonde_tensor_n_elements (sigma) != 1
             || sonde_tensor_get_double (sigma, 0) != 0);
}

/* Boxes [n, 4], scores [n], most, overlap, least score → indices of those that stay, [m]. */
static SondeGraphValue *
emit_boxes (SondeTensorflowLower *lower, SondeGraphValue *most)
{
  gint64 row[] = { 1, 1, -1 }, column = 2;
  SondeGraphValue *inputs[5]
      = { sonde_lowering_unsqueeze (lower->to, sonde_tensorflow_in (lower, 0), 0),
          sonde_lowering_reshape (lower->to, sonde_tensorflow_in (lower, 1), row, 3), most,
          sonde_tensorflow_in_scalar (lower, 3), NULL };
  SondeGraphValue *found;
  guint n = lower->n_inputs > 4 ? 5 : 4;

  if (n == 5)
    inputs[4] = sonde_tensorflow_in_scalar (lower, 4);
  found = sonde_lowering_op (lower->to, "NonMaxSuppression", inputs, n);
  found = sonde_tensorflow_op2 (lower, "Gather", found, sonde_lowering_int (lower->to, column));
  sonde_node_set_int (found->producer, "axis", 1);
  return found;
}

static void
build_boxes (SondeTensorflowLower *lower)
{
  const BoxesForm form = find_form (lower);
  SondeGraphValue *most, *found, *count, *scores;

  if (fades (lower))
    {
      sonde_tensorflow_refuse (
          lower, sonde_message_new ("scores that fade with the overlap have no operator"),
          sonde_message_new ("Export the model with soft_nms_sigma 0"));
      return;
    }
  most = sonde_tensorflow_in_ints (lower, 2);
  found = emit_boxes (lower, most);
  count = sonde_tensorflow_shape_of (lower, found);
  scores = form.scores
               ? sonde_tensorflow_op2 (lower, "Gather", sonde_tensorflow_in (lower, 1), found)
               : NULL;
  if (form.fills)
    found = fill_up (lower, found, count, most);
  if (form.fills && scores != NULL)
    scores = fill_up (lower, scores, count, most);
  sonde_tensorflow_out (lower, 0, sonde_lowering_cast (lower->to, found, SONDE_DTYPE_I32));
  if (scores != NULL)
    sonde_tensorflow_out (lower, 1, scores);
  if (form.count)
    sonde_tensorflow_out (lower, form.scores ? 2 : 1,
                          sonde_lowering_cast (lower->to,
                                               sonde_lowering_reshape (lower->to, count, NULL, 0),
                                               SONDE_DTYPE_I32));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_index_rows[] = {
  { "Bucketize", 1, build_bucketize, NULL },
  { "Gather", 2, build_gather, NULL },
  { "GatherNd", 2, build_gather_nd, NULL },
  { "GatherV2", 3, build_gather, NULL },
  { "NonMaxSuppressionV2", 4, build_boxes, NULL },
  { "NonMaxSuppressionV3", 5, build_boxes, NULL },
  { "NonMaxSuppressionV4", 5, build_boxes, NULL },
  { "NonMaxSuppressionV5", 6, build_boxes, NULL },
  { "OneHot", 4, build_one_hot, NULL },
  { "ResourceGather", 2, build_gather, NULL },
  { "ResourceGatherNd", 2, build_gather_nd, NULL },
  { "Unique", 1, build_unique, NULL },
  { "UniqueV2", 1, build_unique, NULL },
  { "UniqueWithCounts", 1, build_unique, NULL },
  { "Where", 1, build_where, NULL },
  { NULL, 0, NULL, NULL },
};
