/* SPDX-License-Identifier: Apache-2.0
 * One rule a family of operators: from the types of inputs to that of an output. */
#include "data/models/lowering/sonde-lowering-types.h"

#include <string.h>

#include "data/models/lowering/sonde-lowering-numbers.h"
#include "data/models/lowering/sonde-lowering-rules.h"
#include "data/models/lowering/sonde-lowering-shapes.h"

/* ---- the same for all elements ------------------------------------------- */

static void
infer_same (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  *type = sonde_rule_type_of (node, 0);
}

static void
infer_broadcast (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  *type = sonde_rule_type_of (node, 0);
  for (guint k = 1; k < node->inputs->len; k++)
    {
      const SondeType other = sonde_rule_type_of (node, k);

      sonde_rule_broadcast (type, &other);
    }
}

static void
infer_test (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  infer_broadcast (l, node, output, type);
  type->dtype = SONDE_DTYPE_BOOL;
}

static void
infer_where (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  infer_broadcast (l, node, output, type);
  type->dtype = sonde_rule_type_of (node, 1).dtype;
}

static void
infer_cast (SondeLowering *l, const SondeNode *node, guint output, SondeType *type)
{
  gint64 number = sonde_node_get_int (node, "to", 0);

  *type = sonde_rule_type_of (node, 0);
  type->dtype = SONDE_DTYPE_INVALID;
  for (int dtype = 1; dtype < SONDE_N_DTYPES; dtype++)
    if (sonde_lowering_onnx_dtype ((SondeDtype) dtype) == number)
      type->dtype = (SondeDtype) dtype;
}

/* ---- the table ----------------------------------------------------------- */

typedef void (*Rule) (SondeLowering *l, const SondeNode *node, guint output, SondeType *type);

/* What is not listed keeps the type of its first input. */
static const struct
{
  Rule rule;
  const char *ops; /* each between blanks */
} rules[] = {
  { infer_broadcast, " Add Sub Mul Div Pow Mod Max Min Sum Mean And Or Xor PRelu BitwiseAnd "
                     "BitwiseOr BitwiseXor BitShift " },
  { infer_test, " Equal Less LessOrEqual Greater GreaterOrEqual IsNaN IsInf " },
  { infer_where, " Where " },
  { infer_cast, " Cast " },
  { sonde_rule_shape, " Shape " },
  { sonde_rule_size, " Size " },
  { sonde_rule_reshape, " Reshape " },
  { sonde_rule_expand, " Expand " },
  { sonde_rule_filled, " ConstantOfShape " },
  { sonde_rule_tile, " Tile " },
  { sonde_rule_squeeze, " Squeeze " },
  { sonde_rule_unsqueeze, " Unsqueeze " },
  { sonde_rule_slice, " Slice " },
  { sonde_rule_concat, " Concat " },
  { sonde_rule_split, " Split " },
  { sonde_rule_gather, " Gather " },
  { sonde_rule_gather_nd, " GatherND " },
  { sonde_rule_second_shape, " GatherElements " },
  { sonde_rule_pad, " Pad " },
  { sonde_rule_transpose, " Transpose " },
  { sonde_rule_reduce, " ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 "
                       "ReduceLogSum ReduceLogSumExp ReduceSumSquare " },
  { sonde_rule_arg, " ArgMax ArgMin " },
  { sonde_rule_top_k, " TopK " },
  { sonde_rule_indices, " NonZero " },
  { sonde_rule_boxes, " NonMaxSuppression " },
  { sonde_rule_unique, " Unique " },
  { sonde_rule_range, " Range " },
  { sonde_rule_matmul, " MatMul " },
  { sonde_rule_gemm, " Gemm " },
  { sonde_rule_window, " Conv MaxPool AveragePool " },
  { sonde_rule_transposed_window, " ConvTranspose " },
  { sonde_rule_resize, " Resize " },
  { sonde_rule_blocks, " DepthToSpace SpaceToDepth " },
};

static Rule
find_rule (const char *op)
{
  gsize length = strlen (op);

  for (gsize i = 0; i < G_N_ELEMENTS (rules); i++)
    for (const char *at = strstr (rules[i].ops, op); at != NULL; at = strstr (at + 1, op))
      if (at[-1] == ' ' && at[length] == ' ')
        return rules[i].rule;
  return infer_same;
}

static gboolean
is_known (const SondeGraphValue *value)
{
  return value->type.kind != SONDE_VALUE_NONE && value->type.dtype != SONDE_DTYPE_INVALID;
}

/* Operators whose outputs have types of their own are told by whoever emits them. */
static gboolean
has_rule (const SondeNode *node)
{
  return *node->domain == '\0'
         && strstr (" If Loop Scan Einsum LSTM GRU RNN OneHot ", node->op) == NULL;
}

static void
infer_node (SondeLowering *lowering, const SondeNode *node)
{
  Rule rule = find_rule (node->op);

  for (guint i = 0; i < node->outputs->len; i++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, i);
      SondeType type = sonde_type_unknown ();

      if (value == NULL || is_known (value))
        continue;
      type.kind = SONDE_VALUE_TENSOR;
      if (has_rule (node))
        rule (lowering, node, i, &type);
      value->type = type;
      sonde_lowering_infer_numbers (lowering, node, value);
    }
}

/* What was emitted for one node of the source hangs together in a short chain; everything before it
 * has its type. */
void
sonde_lowering_infer (SondeLowering *lowering, SondeGraphValue *value)
{
  const SondeNode *node = value->producer;

  if (is_known (value))
    return;
  if (node == NULL)
    {
      if (value->outer != NULL)
        {
          sonde_lowering_infer (lowering, value->outer);
          value->type = value->outer->type;
        }
      return;
    }
  for (guint k = 0; k < node->inputs->len; k++)
    {
      SondeGraphValue *input = sonde_node_get_input (node, k);

      if (input != NULL)
        sonde_lowering_infer (lowering, input);
    }
  infer_node (lowering, node);
}
