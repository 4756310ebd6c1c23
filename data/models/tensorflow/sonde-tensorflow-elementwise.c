/* SPDX-License-Identifier: Apache-2.0
 * Operators on single elements that ONNX has, too, and those that give their input on. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- as they are --------------------------------------------------------- */

static void
build_direct (SondeTensorflowLower *lower)
{
  guint n = lower->row->inputs;
  SondeGraphValue *inputs[3];

  sonde_tensorflow_choose_layout (lower, n);
  for (guint k = 0; k < n; k++)
    inputs[k] = sonde_tensorflow_in_any (lower, k);
  sonde_tensorflow_out_any (lower, 0, sonde_lowering_op (lower->to, lower->row->to, inputs, n));
}

static void
build_not_equal (SondeTensorflowLower *lower)
{
  SondeGraphValue *equal;

  sonde_tensorflow_choose_layout (lower, 2);
  equal = sonde_tensorflow_op2 (lower, "Equal", sonde_tensorflow_in_any (lower, 0),
                                sonde_tensorflow_in_any (lower, 1));
  sonde_tensorflow_out_any (lower, 0, sonde_tensorflow_op1 (lower, "Not", equal));
}

/* A constant stays one: what depends on no input has no node. */
static void
pass (SondeTensorflowLower *lower, guint k)
{
  SondeGraphValue *value = sonde_tensorflow_in (lower, k);

  if (sonde_lowering_get_constant (value) != NULL)
    {
      sonde_tensorflow_alias (lower, k, value);
      return;
    }
  lower->first = sonde_lowering_find_channels_first (lower->to, value) != NULL;
  sonde_tensorflow_out_any (
      lower, k, sonde_tensorflow_op1 (lower, "Identity", sonde_tensorflow_in_any (lower, k)));
}

static void
build_identity (SondeTensorflowLower *lower)
{
  pass (lower, 0);
}

static void
build_identities (SondeTensorflowLower *lower)
{
  for (guint k = 0; k < lower->n_inputs; k++)
    pass (lower, k);
}

static void
build_dropped (SondeTensorflowLower *lower)
{
  pass (lower, 0);
  sonde_lowering_mark (lower->to, SONDE_LOWERED_DROPPED);
}

/* ---- activations --------------------------------------------------------- */

static void
build_relu6 (SondeTensorflowLower *lower)
{
  SondeGraphValue *x;

  sonde_tensorflow_choose_layout (lower, 1);
  x = sonde_tensorflow_in (lower, 0);
  sonde_tensorflow_out_any (lower, 0,
                            sonde_tensorflow_op3 (lower, "Clip", sonde_tensorflow_in_any (lower, 0),
                                                  sonde_tensorflow_number (lower, x, 0),
                                                  sonde_tensorflow_number (lower, x, 6)));
}

static void
build_leaky_relu (SondeTensorflowLower *lower)
{
  SondeGraphValue *value;

  sonde_tensorflow_choose_layout (lower, 1);
  value = sonde_tensorflow_op1 (lower, "LeakyRelu", sonde_tensorflow_in_any (lower, 0));
  sonde_node_set_float (value->producer, "alpha",
                        sonde_tensorflow_attr_float (lower->node, "alpha", 0.2));
  sonde_tensorflow_out_any (lower, 0, value);
}

/* ---- choosing ------------------------------------------------------------ */

/* A condition of one dimension chooses rows, in version 1. */
static void
build_select (SondeTensorflowLower *lower)
{
  SondeGraphValue *condition = sonde_tensorflow_in (lower, 0);
  int rank = sonde_tensorflow_in_rank (lower, 1);
  gint64 sizes[SONDE_MAX_RANK] = { -1 };

  if (condition->type.rank == 1 && rank > 1)
    {
      for (int i = 1; i < rank; i++)
        sizes[i] = 1;
      condition = sonde_lowering_reshape (lower->to, condition, sizes, rank);
    }
  sonde_tensorflow_out (lower, 0,
                        sonde_tensorflow_op3 (lower, "Where", condition,
                                              sonde_tensorflow_in (lower, 1),
                                              sonde_tensorflow_in (lower, 2)));
}

static void
build_clip (SondeTensorflowLower *lower)
{
  SondeGraphValue *value;

  sonde_tensorflow_choose_layout (lower, 3);
  value = sonde_tensorflow_op2 (lower, "Max", sonde_tensorflow_in_any (lower, 0),
                                sonde_tensorflow_in_any (lower, 1));
  value = sonde_tensorflow_op2 (lower, "Min", value, sonde_tensorflow_in_any (lower, 2));
  sonde_tensorflow_out_any (lower, 0, value);
}

/* ---- types --------------------------------------------------------------- */

static gboolean
refuse_type (SondeTensorflowLower *lower, const char *attribute)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (lower->node, attribute);

  if (sonde_tensorflow_attr_dtype (lower->node, attribute) != SONDE_DTYPE_INVALID
      && sonde_tensorflow_attr_dtype (lower->node, attribute) != SONDE_DTYPE_STRING)
    return FALSE;
  sonde_tensorflow_refuse (
      lower,
      sonde_message_new ("nothing is calculated with elements of type %s",
                         sonde_tensorflow_dtype_name (value != NULL ? value->type : 0)),
      NULL);
  return TRUE;
}

static void
build_cast (SondeTensorflowLower *lower)
{
  if (refuse_type (lower, "DstT") || refuse_type (lower, "SrcT"))
    return;
  sonde_tensorflow_choose_layout (lower, 1);
  sonde_tensorflow_out_any (
      lower, 0,
      sonde_lowering_cast (lower->to, sonde_tensorflow_in_any (lower, 0),
                           sonde_tensorflow_attr_dtype (lower->node, "DstT")));
}

/* The same bits: integers of the same size wrap, others have no operator. */
static void
build_bitcast (SondeTensorflowLower *lower)
{
  SondeDtype from = sonde_tensorflow_in_dtype (lower, 0);
  SondeDtype dtype = sonde_tensorflow_attr_dtype (lower->node, "type");

  if (!sonde_dtype_is_integer (from) || !sonde_dtype_is_integer (dtype)
      || sonde_dtype_size (from) != sonde_dtype_size (dtype))
    sonde_tensorflow_refuse (lower,
                             sonde_message_new ("the bits of %s cannot be taken for %s",
                                                sonde_dtype_name (from), sonde_dtype_name (dtype)),
                             NULL);
  else
    sonde_tensorflow_out (lower, 0,
                          sonde_lowering_cast (lower->to, sonde_tensorflow_in (lower, 0), dtype));
}

/* ---- constants ----------------------------------------------------------- */

static void
build_constant (SondeTensorflowLower *lower)
{
  const Tensorflow__AttrValue *value = sonde_tensorflow_attr (lower->node, "value");
  g_autofree char *what = g_strdup_printf ("“%s”", lower->node->name);
  g_autofree char *name = g_strconcat (lower->prefix, lower->node->name, NULL);
  g_autoptr (SondeTensor) tensor = NULL;
  GError *error = NULL;

  if (value == NULL || value->tensor == NULL)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "it has no value");
      return;
    }
  if (sonde_tensorflow_dtype (value->tensor->dtype) == SONDE_DTYPE_INVALID)
    {
      sonde_tensorflow_refuse (
          lower,
          sonde_message_new ("nothing is calculated with elements of type %s",
                             sonde_tensorflow_dtype_name (value->tensor->dtype)),
          NULL);
      return;
    }
  tensor = sonde_tensorflow_read_tensor (lower->file, value->tensor, what, &error);
  if (tensor == NULL)
    {
      sonde_prefix_error (&error, "“%s”: ", sonde_lowering_get_path (lower->to));
      sonde_lowering_take_error (lower->to, error);
      return;
    }
  if (g_hash_table_contains (lower->reserved, name))
    g_clear_pointer (&name, g_free);
  sonde_tensorflow_out (lower, 0, sonde_lowering_constant (lower->to, name, tensor));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_elementwise_rows[] = {
  { "Const", 0, build_constant, NULL },
  { "Abs", 1, build_direct, "Abs" },
  { "Acos", 1, build_direct, "Acos" },
  { "Acosh", 1, build_direct, "Acosh" },
  { "Asin", 1, build_direct, "Asin" },
  { "Asinh", 1, build_direct, "Asinh" },
  { "Atan", 1, build_direct, "Atan" },
  { "Atanh", 1, build_direct, "Atanh" },
  { "Ceil", 1, build_direct, "Ceil" },
  { "Cos", 1, build_direct, "Cos" },
  { "Cosh", 1, build_direct, "Cosh" },
  { "Elu", 1, build_direct, "Elu" },
  { "Erf", 1, build_direct, "Erf" },
  { "Exp", 1, build_direct, "Exp" },
  { "Floor", 1, build_direct, "Floor" },
  { "Inv", 1, build_direct, "Reciprocal" },
  { "Invert", 1, build_direct, "BitwiseNot" },
  { "IsInf", 1, build_direct, "IsInf" },
  { "IsNan", 1, build_direct, "IsNaN" },
  { "Log", 1, build_direct, "Log" },
  { "LogicalNot", 1, build_direct, "Not" },
  { "Neg", 1, build_direct, "Neg" },
  { "Reciprocal", 1, build_direct, "Reciprocal" },
  { "Relu", 1, build_direct, "Relu" },
  { "Rint", 1, build_direct, "Round" },
  { "Round", 1, build_direct, "Round" },
  { "Selu", 1, build_direct, "Selu" },
  { "Sigmoid", 1, build_direct, "Sigmoid" },
  { "Sign", 1, build_direct, "Sign" },
  { "Sin", 1, build_direct, "Sin" },
  { "Sinh", 1, build_direct, "Sinh" },
  { "Softplus", 1, build_direct, "Softplus" },
  { "Softsign", 1, build_direct, "Softsign" },
  { "Sqrt", 1, build_direct, "Sqrt" },
  { "Tan", 1, build_direct, "Tan" },
  { "Tanh", 1, build_direct, "Tanh" },
  { "Add", 2, build_direct, "Add" },
  { "AddV2", 2, build_direct, "Add" },
  { "BitwiseAnd", 2, build_direct, "BitwiseAnd" },
  { "BitwiseOr", 2, build_direct, "BitwiseOr" },
  { "BitwiseXor", 2, build_direct, "BitwiseXor" },
  { "Equal", 2, build_direct, "Equal" },
  { "Greater", 2, build_direct, "Greater" },
  { "GreaterEqual", 2, build_direct, "GreaterOrEqual" },
  { "Less", 2, build_direct, "Less" },
  { "LessEqual", 2, build_direct, "LessOrEqual" },
  { "LogicalAnd", 2, build_direct, "And" },
  { "LogicalOr", 2, build_direct, "Or" },
  { "Maximum", 2, build_direct, "Max" },
  { "Minimum", 2, build_direct, "Min" },
  { "Mul", 2, build_direct, "Mul" },
  { "Pow", 2, build_direct, "Pow" },
  { "RealDiv", 2, build_direct, "Div" },
  { "Sub", 2, build_direct, "Sub" },
  { "TruncateDiv", 2, build_direct, "Div" },
  { "Div", 2, build_direct, "Div" },
  { "SelectV2", 3, build_direct, "Where" },
  { "NotEqual", 2, build_not_equal, NULL },
  { "Select", 3, build_select, NULL },
  { "ClipByValue", 3, build_clip, NULL },
  { "Relu6", 1, build_relu6, NULL },
  { "LeakyRelu", 1, build_leaky_relu, NULL },
  { "Cast", 1, build_cast, NULL },
  { "Bitcast", 1, build_bitcast, NULL },
  { "Identity", 1, build_identity, NULL },
  { "IdentityN", 1, build_identities, NULL },
  { "DeepCopy", 1, build_identity, NULL },
  { "DisableCopyOnRead", 1, build_identity, NULL },
  { "EnsureShape", 1, build_identity, NULL },
  { "PlaceholderWithDefault", 1, build_identity, NULL },
  { "PreventGradient", 1, build_identity, NULL },
  { "Snapshot", 1, build_identity, NULL },
  { "StopGradient", 1, build_identity, NULL },
  { "CheckNumerics", 1, build_dropped, NULL },
  { "CheckNumericsV2", 1, build_dropped, NULL },
  { "Print", 1, build_dropped, NULL },
  { NULL, 0, NULL, NULL },
};
