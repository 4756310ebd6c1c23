/* SPDX-License-Identifier: Apache-2.0
 * Lists of tensors (TensorArray), which loops read from and write into: sequences. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- sequences ----------------------------------------------------------- */

static SondeGraphValue *
as_sequence (SondeGraphValue *value, SondeDtype dtype)
{
  value->type = sonde_type_unknown ();
  value->type.kind = SONDE_VALUE_SEQUENCE;
  value->type.dtype = dtype;
  return value;
}

/* @value, out of a sequence. The element's shape as input @k says it, −1 for no such input: from
 * dimension @from on. */
static SondeGraphValue *
as_element (SondeTensorflowLower *lower, SondeGraphValue *value, int k, int from)
{
  gint64 sizes[SONDE_LOWERING_MAX_NUMBERS];
  SondeGraphValue *shape = k >= 0 ? sonde_tensorflow_in (lower, (guint) k) : NULL;
  int n = shape != NULL && shape->type.rank == 1 /* a scalar −1: nothing is known */
              ? sonde_lowering_get_numbers (lower->to, shape, sizes)
              : -1;

  value->type = sonde_type_unknown ();
  value->type.kind = SONDE_VALUE_TENSOR;
  value->type.dtype = sonde_tensorflow_attr_dtype (lower->node, "element_dtype");
  if (n < 0 || n + from > SONDE_MAX_RANK)
    return value;
  value->type.rank = n + from;
  for (int i = 0; i < n + from; i++)
    value->type.dims[i]
        = (SondeDimension){ .size = i < from ? -1 : MAX (sizes[i - from], (gint64) -1) };
  return value;
}

static SondeDtype
element_dtype (const SondeTensorflowLower *lower)
{
  return sonde_tensorflow_attr_dtype (lower->node, "element_dtype");
}

static SondeGraphValue *
index_of (SondeTensorflowLower *lower, guint k)
{
  return sonde_tensorflow_cast (lower, sonde_tensorflow_in_scalar (lower, k), SONDE_DTYPE_I64);
}

/* ---- making -------------------------------------------------------------- */

/* Reserved places are filled one after the other. */
static void
build_empty (SondeTensorflowLower *lower)
{
  SondeGraphValue *list = sonde_lowering_op (lower->to, "SequenceEmpty", NULL, 0);

  sonde_node_set_int (list->producer, "dtype", sonde_lowering_onnx_dtype (element_dtype (lower)));
  sonde_tensorflow_out (lower, 0, as_sequence (list, element_dtype (lower)));
}

static void
build_from_tensor (SondeTensorflowLower *lower)
{
  SondeGraphValue *list
      = sonde_tensorflow_op1 (lower, "SplitToSequence", sonde_tensorflow_in (lower, 0));

  sonde_node_set_int (list->producer, "axis", 0);
  sonde_node_set_int (list->producer, "keepdims", 0);
  sonde_tensorflow_out (lower, 0, as_sequence (list, element_dtype (lower)));
}

/* ---- writing ------------------------------------------------------------- */

/* One branch of what is written at @index of @list: @taken: an element is there already. */
static SondeGraph *
build_writing (SondeTensorflowLower *lower, SondeGraphValue *list, SondeGraphValue *index,
               SondeGraphValue *element, gboolean taken)
{
  const char *part = taken ? "replace" : "append";
  g_autofree char *name = g_strconcat (lower->prefix, lower->node->name, "/", part, NULL);

  sonde_lowering_push_graph (lower->to, part);
  if (taken)
    list = as_sequence (sonde_tensorflow_op2 (lower, "SequenceErase", list, index),
                        element_dtype (lower));
  list = as_sequence (sonde_tensorflow_op3 (lower, "SequenceInsert", list, element, index),
                      element_dtype (lower));
  sonde_lowering_add_output (lower->to, list, name);
  return sonde_lowering_pop_graph (lower->to);
}

/* list, index, element */
static void
build_set (SondeTensorflowLower *lower)
{
  SondeGraphValue *list = sonde_tensorflow_in (lower, 0), *index = index_of (lower, 1);
  SondeGraphValue *element = sonde_tensorflow_in (lower, 2);
  SondeGraphValue *length = sonde_tensorflow_op1 (lower, "SequenceLength", list);
  SondeNode *node = sonde_lowering_node (
      lower->to, "", "If", SONDE_VALUES (sonde_tensorflow_op2 (lower, "Less", index, length)), 1);

  sonde_node_take_graph (node, "then_branch", build_writing (lower, list, index, element, TRUE));
  sonde_node_take_graph (node, "else_branch", build_writing (lower, list, index, element, FALSE));
  sonde_tensorflow_out (lower, 0,
                        as_sequence (sonde_node_get_output (node, 0), element_dtype (lower)));
}

static void
build_push (SondeTensorflowLower *lower)
{
  sonde_tensorflow_out (
      lower, 0,
      as_sequence (sonde_tensorflow_op2 (lower, "SequenceInsert", sonde_tensorflow_in (lower, 0),
                                         sonde_tensorflow_in (lower, 1)),
                   element_dtype (lower)));
}

static void
build_pop (SondeTensorflowLower *lower)
{
  SondeGraphValue *list = sonde_tensorflow_in (lower, 0);
  SondeGraphValue *last = sonde_lowering_int (lower->to, -1);

  sonde_tensorflow_out (lower, 0,
                        as_sequence (sonde_tensorflow_op2 (lower, "SequenceErase", list, last),
                                     element_dtype (lower)));
  sonde_tensorflow_out (
      lower, 1, as_element (lower, sonde_tensorflow_op2 (lower, "SequenceAt", list, last), 1, 0));
}

/* ---- reading ------------------------------------------------------------- */

/* list, index, shape of the element */
static void
build_get (SondeTensorflowLower *lower)
{
  SondeGraphValue *element = sonde_tensorflow_op2 (
      lower, "SequenceAt", sonde_tensorflow_in (lower, 0), index_of (lower, 1));

  sonde_tensorflow_out (lower, 0, as_element (lower, element, 2, 0));
}

static void
join (SondeTensorflowLower *lower, gboolean new_axis)
{
  SondeGraphValue *value
      = sonde_tensorflow_op1 (lower, "ConcatFromSequence", sonde_tensorflow_in (lower, 0));

  sonde_node_set_int (value->producer, "axis", 0);
  sonde_node_set_int (value->producer, "new_axis", new_axis);
  sonde_tensorflow_out (lower, 0, as_element (lower, value, 1, new_axis ? 1 : 0));
}

/* list, shape of an element[, how many] */
static void
build_stack (SondeTensorflowLower *lower)
{
  join (lower, TRUE);
}

/* list, shape of an element, … ; along the first dimension, of any size */
static void
build_concat (SondeTensorflowLower *lower)
{
  join (lower, FALSE);
}

static void
build_length (SondeTensorflowLower *lower)
{
  SondeGraphValue *length
      = sonde_tensorflow_op1 (lower, "SequenceLength", sonde_tensorflow_in (lower, 0));

  length->type = (SondeType){ .kind = SONDE_VALUE_TENSOR, .dtype = SONDE_DTYPE_I64 };
  sonde_tensorflow_out (lower, 0, sonde_tensorflow_cast (lower, length, SONDE_DTYPE_I32));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_list_rows[] = {
  { "EmptyTensorList", 2, build_empty, NULL },
  { "TensorListConcatV2", 2, build_concat, NULL },
  { "TensorListFromTensor", 2, build_from_tensor, NULL },
  { "TensorListGetItem", 3, build_get, NULL },
  { "TensorListLength", 1, build_length, NULL },
  { "TensorListPopBack", 2, build_pop, NULL },
  { "TensorListPushBack", 2, build_push, NULL },
  { "TensorListReserve", 2, build_empty, NULL },
  { "TensorListSetItem", 3, build_set, NULL },
  { "TensorListStack", 2, build_stack, NULL },
  { NULL, 0, NULL, NULL },
};
