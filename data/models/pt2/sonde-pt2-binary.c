/* SPDX-License-Identifier: Apache-2.0
 * ATen's operators of two tensors, or of a tensor and a number. Types are promoted before: ONNX wants
 * both alike. */
#include "data/models/pt2/sonde-pt2-lower.h"

/* Booleans, whole numbers, floats. */
static int
category_of (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_BOOL ? 0 : sonde_dtype_is_float (dtype) ? 2 : 1;
}

static SondeDtype
promote (SondeDtype a, SondeDtype b)
{
  if (category_of (a) != category_of (b))
    return category_of (a) > category_of (b) ? a : b;
  return sonde_dtype_size (a) >= sonde_dtype_size (b) ? a : b;
}

static gboolean
is_real_number (SondePt2Lowering *self, const char *name)
{
  JsonNode *node = g_hash_table_lookup (self->arguments, name);

  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
         && json_node_get_value_type (node) == G_TYPE_DOUBLE;
}

/* The type in which the operands @a and @b are computed: a number gives way to a tensor of its
 * category. */
static SondeDtype
common_dtype (SondePt2Lowering *self, const char *a, const char *b)
{
  SondeGraphValue *one = sonde_pt2_tensor (self, a), *other = sonde_pt2_tensor (self, b);
  SondeDtype dtype = one != NULL     ? one->type.dtype
                     : other != NULL ? other->type.dtype
                                     : SONDE_DTYPE_F32;
  const char *number = one == NULL ? a : b;

  if (one != NULL && other != NULL && one->type.rank != 0 && other->type.rank == 0
      && category_of (one->type.dtype) >= category_of (other->type.dtype))
    return one->type.dtype;
  if (one != NULL && other != NULL && one->type.rank == 0 && other->type.rank != 0
      && category_of (other->type.dtype) >= category_of (one->type.dtype))
    return other->type.dtype;
  if (one != NULL && other != NULL)
    return promote (one->type.dtype, other->type.dtype);
  if (is_real_number (self, number))
    return promote (dtype, category_of (dtype) == 2 ? dtype : SONDE_DTYPE_F32);
  return dtype == SONDE_DTYPE_BOOL ? SONDE_DTYPE_I64 : dtype;
}

/* Both operands of "self" and "other" in @dtype. */
static SondeGraphValue *
combine (SondePt2Lowering *self, const char *op, SondeDtype dtype)
{
  return sonde_pt2_op2 (self, op, sonde_pt2_operand (self, "self", dtype),
                        sonde_pt2_operand (self, "other", dtype));
}

static void
lower_arithmetic (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, combine (self, self->op, sonde_pt2_out_dtype (self, 0)));
}

static void
lower_comparison (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, combine (self, self->op, common_dtype (self, "self", "other")));
}

static void
lower_unequal (SondePt2Lowering *self)
{
  SondeGraphValue *equal = combine (self, "Equal", common_dtype (self, "self", "other"));

  sonde_pt2_set_out (self, 0, sonde_pt2_op (self, "Not", equal));
}

static void
lower_logical (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, combine (self, self->op, SONDE_DTYPE_BOOL));
}

static void
lower_bitwise (SondePt2Lowering *self)
{
  gboolean logical = sonde_pt2_out_dtype (self, 0) == SONDE_DTYPE_BOOL;
  g_autofree char *op = g_strconcat (logical ? "" : "Bitwise", self->op, NULL);

  sonde_pt2_set_out (self, 0, combine (self, op, sonde_pt2_out_dtype (self, 0)));
}

/* self + alpha · other; rsub: other − alpha · self */
static void
lower_sum (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);
  gboolean reversed
      = g_str_has_prefix (sonde_json_member_text (self->node, "target"), "torch.ops.aten.rsub");
  SondeGraphValue *a = sonde_pt2_operand (self, reversed ? "other" : "self", dtype);
  SondeGraphValue *b = sonde_pt2_operand (self, reversed ? "self" : "other", dtype);

  if (sonde_pt2_has (self, "alpha") && sonde_pt2_arg_number (self, "alpha", 1) != 1)
    b = sonde_pt2_op2 (self, "Mul", b, sonde_pt2_operand (self, "alpha", dtype));
  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, self->op, a, b));
}

/* ---- division ------------------------------------------------------------ */

/* Toward minus infinity; in floats what is computed is floor(a / b). */
static SondeGraphValue *
floor_divide (SondePt2Lowering *self, SondeDtype dtype)
{
  SondeGraphValue *a = sonde_pt2_operand (self, "self", dtype);
  SondeGraphValue *b = sonde_pt2_operand (self, "other", dtype), *rest = NULL;

  if (sonde_dtype_is_float (dtype))
    return sonde_pt2_op (self, "Floor", sonde_pt2_op2 (self, "Div", a, b));
  rest = sonde_pt2_op2 (self, "Mod", a, b); /* with the sign of b */
  return sonde_pt2_op2 (self, "Div", sonde_pt2_op2 (self, "Sub", a, rest), b);
}

/* Toward zero; Div of whole numbers does so. */
static SondeGraphValue *
truncate_divide (SondePt2Lowering *self, SondeDtype dtype)
{
  SondeGraphValue *quotient = combine (self, "Div", dtype), *size = NULL;

  if (!sonde_dtype_is_float (dtype))
    return quotient;
  size = sonde_pt2_op (self, "Floor", sonde_pt2_op (self, "Abs", quotient));
  return sonde_pt2_op2 (self, "Mul", sonde_pt2_op (self, "Sign", quotient), size);
}

static void
lower_divide (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);
  const char *mode = sonde_pt2_arg_text (self, "rounding_mode", "");

  if (g_str_equal (mode, "floor"))
    sonde_pt2_set_out (self, 0, floor_divide (self, dtype));
  else if (g_str_equal (mode, "trunc"))
    sonde_pt2_set_out (self, 0, truncate_divide (self, dtype));
  else
    sonde_pt2_set_out (self, 0, combine (self, "Div", dtype));
}

static void
lower_floor_divide (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, floor_divide (self, sonde_pt2_out_dtype (self, 0)));
}

/* a − floor(a / b) · b in floats */
static void
lower_remainder (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);
  SondeGraphValue *a = NULL, *b = NULL;

  if (!sonde_dtype_is_float (dtype))
    {
      sonde_pt2_set_out (self, 0, combine (self, "Mod", dtype));
      return;
    }
  a = sonde_pt2_operand (self, "self", dtype);
  b = sonde_pt2_operand (self, "other", dtype);
  sonde_pt2_set_out (
      self, 0,
      sonde_pt2_op2 (self, "Sub", a, sonde_pt2_op2 (self, "Mul", floor_divide (self, dtype), b)));
}

static void
lower_fmod (SondePt2Lowering *self)
{
  SondeGraphValue *y = combine (self, "Mod", sonde_pt2_out_dtype (self, 0));

  sonde_node_set_int (y->producer, "fmod", 1);
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_power (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);

  sonde_pt2_set_out (self, 0,
                     sonde_pt2_op2 (self, "Pow", sonde_pt2_operand (self, "self", dtype),
                                    sonde_pt2_operand (self, "exponent", dtype)));
}

static void
lower_where (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);

  sonde_pt2_set_out (
      self, 0,
      sonde_lowering_op (self->out, "Where",
                         SONDE_VALUES (sonde_pt2_cast (self, sonde_pt2_needed (self, "condition"),
                                                       SONDE_DTYPE_BOOL),
                                       sonde_pt2_operand (self, "self", dtype),
                                       sonde_pt2_operand (self, "other", dtype))));
}

static void
lower_masked_fill (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);

  sonde_pt2_set_out (self, 0,
                     sonde_lowering_op (self->out, "Where",
                                        SONDE_VALUES (sonde_pt2_needed (self, "mask"),
                                                      sonde_pt2_operand (self, "value", dtype),
                                                      sonde_pt2_needed (self, "self"))));
}

/* start + weight · (end − start) */
static void
lower_lerp (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);
  SondeGraphValue *start = sonde_pt2_needed (self, "self");
  SondeGraphValue *step = sonde_pt2_op2 (self, "Sub", sonde_pt2_needed (self, "end"), start);

  step = sonde_pt2_op2 (self, "Mul", step, sonde_pt2_operand (self, "weight", dtype));
  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, "Add", start, step));
}

/* self + value · tensor1 ∘ tensor2 */
static void
lower_add_product (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self"), *y = NULL;
  double factor = sonde_pt2_arg_number (self, "value", 1);

  y = sonde_pt2_op2 (self, self->op, sonde_pt2_needed (self, "tensor1"),
                     sonde_pt2_needed (self, "tensor2"));
  if (factor != 1)
    y = sonde_pt2_op2 (self, "Mul", y, sonde_pt2_number (self, x, factor));
  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, "Add", x, y));
}

const SondePt2Row sonde_pt2_binary_rows[] = {
  { "__and__.Scalar", lower_bitwise, "And" },
  { "__and__.Tensor", lower_bitwise, "And" },
  { "__or__.Scalar", lower_bitwise, "Or" },
  { "__or__.Tensor", lower_bitwise, "Or" },
  { "__xor__.Scalar", lower_bitwise, "Xor" },
  { "__xor__.Tensor", lower_bitwise, "Xor" },
  { "add.Scalar", lower_sum, "Add" },
  { "add.Tensor", lower_sum, "Add" },
  { "addcdiv.default", lower_add_product, "Div" },
  { "addcmul.default", lower_add_product, "Mul" },
  { "bitwise_and.Scalar", lower_bitwise, "And" },
  { "bitwise_and.Tensor", lower_bitwise, "And" },
  { "bitwise_or.Scalar", lower_bitwise, "Or" },
  { "bitwise_or.Tensor", lower_bitwise, "Or" },
  { "bitwise_xor.Scalar", lower_bitwise, "Xor" },
  { "bitwise_xor.Tensor", lower_bitwise, "Xor" },
  { "div.Scalar", lower_divide },
  { "div.Scalar_mode", lower_divide },
  { "div.Tensor", lower_divide },
  { "div.Tensor_mode", lower_divide },
  { "eq.Scalar", lower_comparison, "Equal" },
  { "eq.Tensor", lower_comparison, "Equal" },
  { "floor_divide.Scalar", lower_floor_divide },
  { "floor_divide.default", lower_floor_divide },
  { "fmod.Scalar", lower_fmod },
  { "fmod.Tensor", lower_fmod },
  { "ge.Scalar", lower_comparison, "GreaterOrEqual" },
  { "ge.Tensor", lower_comparison, "GreaterOrEqual" },
  { "gt.Scalar", lower_comparison, "Greater" },
  { "gt.Tensor", lower_comparison, "Greater" },
  { "le.Scalar", lower_comparison, "LessOrEqual" },
  { "le.Tensor", lower_comparison, "LessOrEqual" },
  { "lerp.Scalar", lower_lerp },
  { "lerp.Tensor", lower_lerp },
  { "logical_and.default", lower_logical, "And" },
  { "logical_or.default", lower_logical, "Or" },
  { "logical_xor.default", lower_logical, "Xor" },
  { "lt.Scalar", lower_comparison, "Less" },
  { "lt.Tensor", lower_comparison, "Less" },
  { "masked_fill.Scalar", lower_masked_fill },
  { "masked_fill.Tensor", lower_masked_fill },
  { "maximum.default", lower_arithmetic, "Max" },
  { "minimum.default", lower_arithmetic, "Min" },
  { "max.other", lower_arithmetic, "Max" },
  { "min.other", lower_arithmetic, "Min" },
  { "mul.Scalar", lower_arithmetic, "Mul" },
  { "mul.Tensor", lower_arithmetic, "Mul" },
  { "ne.Scalar", lower_unequal },
  { "ne.Tensor", lower_unequal },
  { "pow.Scalar", lower_power },
  { "pow.Tensor_Scalar", lower_power },
  { "pow.Tensor_Tensor", lower_power },
  { "remainder.Scalar", lower_remainder },
  { "remainder.Tensor", lower_remainder },
  { "rsub.Scalar", lower_sum, "Sub" },
  { "rsub.Tensor", lower_sum, "Sub" },
  { "sub.Scalar", lower_sum, "Sub" },
  { "sub.Tensor", lower_sum, "Sub" },
  { "where.Scalar", lower_where },
  { "where.ScalarOther", lower_where },
  { "where.ScalarSelf", lower_where },
  { "where.self", lower_where },
  { NULL },
};
