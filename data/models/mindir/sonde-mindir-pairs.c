/* SPDX-License-Identifier: Apache-2.0
 * Primitives of two tensors, element by element, and those that choose between them. MindSpore widens the
 * narrower of two types itself; ONNX wants both alike. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

static int
get_width (SondeDtype dtype)
{
  static const SondeDtype order[]
      = { SONDE_DTYPE_BOOL, SONDE_DTYPE_U8,  SONDE_DTYPE_I8,  SONDE_DTYPE_U16, SONDE_DTYPE_I16,
          SONDE_DTYPE_U32,  SONDE_DTYPE_I32, SONDE_DTYPE_U64, SONDE_DTYPE_I64, SONDE_DTYPE_F16,
          SONDE_DTYPE_BF16, SONDE_DTYPE_F32, SONDE_DTYPE_F64 };

  for (guint i = 0; i < G_N_ELEMENTS (order); i++)
    if (order[i] == dtype)
      return (int) i;
  return -1;
}

static gboolean
is_float_number (const SondeMindirTerm *term)
{
  return term != NULL && term->kind == SONDE_MINDIR_TERM_CONSTANT
         && term->constant->kind == SONDE_MINDIR_FLOAT;
}

/* A plain number takes the type of the tensor beside it, unless it is a fraction and that is not. */
static SondeGraphValue *
take_beside (SondeMindirCall *call, const char *name, SondeGraphValue *beside)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, name);

  if (is_float_number (term) && beside->type.dtype != SONDE_DTYPE_INVALID
      && !sonde_dtype_is_float (beside->type.dtype))
    return sonde_mindir_tensor (call, name);
  return sonde_mindir_tensor_like (call, name, beside);
}

static void
take_two (SondeMindirCall *call, const char *first, const char *second, SondeGraphValue **a,
          SondeGraphValue **b)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, first);
  int widths[2];

  if (term != NULL && term->kind == SONDE_MINDIR_TERM_CONSTANT
      && term->constant->kind != SONDE_MINDIR_TENSOR)
    {
      *b = sonde_mindir_tensor (call, second);
      *a = take_beside (call, first, *b);
    }
  else
    {
      *a = sonde_mindir_tensor (call, first);
      *b = take_beside (call, second, *a);
    }
  widths[0] = get_width ((*a)->type.dtype);
  widths[1] = get_width ((*b)->type.dtype);
  if (widths[0] < 0 || widths[1] < 0)
    return;
  if (widths[0] < widths[1])
    *a = sonde_mindir_cast (call, *a, (*b)->type.dtype);
  else
    *b = sonde_mindir_cast (call, *b, (*a)->type.dtype);
}

static const SondeMindirTerm *
build_two (SondeMindirCall *call)
{
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (call, OP2 (call, call->row->text, a, b));
}

static const SondeMindirTerm *
build_unequal (SondeMindirCall *call)
{
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (call, OP1 (call, "Not", OP2 (call, "Equal", a, b)));
}

static gboolean
is_whole (const SondeGraphValue *value)
{
  return value->type.dtype != SONDE_DTYPE_INVALID && !sonde_dtype_is_float (value->type.dtype);
}

static SondeGraphValue *
divide (SondeMindirCall *call, SondeGraphValue *a, SondeGraphValue *b)
{
  if (!is_whole (a))
    return OP2 (call, "Div", a, b);
  return OP2 (call, "Div", sonde_mindir_cast (call, a, SONDE_DTYPE_F32),
              sonde_mindir_cast (call, b, SONDE_DTYPE_F32));
}

static SondeGraphValue *
divide_down (SondeMindirCall *call, SondeGraphValue *a, SondeGraphValue *b)
{
  if (!is_whole (a))
    return OP1 (call, "Floor", OP2 (call, "Div", a, b));
  return OP2 (call, "Div", OP2 (call, "Sub", a, OP2 (call, "Mod", a, b)), b);
}

static SondeGraphValue *
divide_to_zero (SondeMindirCall *call, SondeGraphValue *a, SondeGraphValue *b)
{
  SondeGraphValue *quotient = OP2 (call, "Div", a, b);

  return is_whole (a) ? quotient
                      : OP2 (call, "Mul", OP1 (call, "Sign", quotient),
                             OP1 (call, "Floor", OP1 (call, "Abs", quotient)));
}

static const SondeMindirTerm *
build_divide (SondeMindirCall *call)
{
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (call, divide (call, a, b));
}

static const SondeMindirTerm *
build_divide_down (SondeMindirCall *call)
{
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (call, divide_down (call, a, b));
}

static const SondeMindirTerm *
build_divide_to_zero (SondeMindirCall *call)
{
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (call, divide_to_zero (call, a, b));
}

/* Rounding: none, 1 towards zero, 2 down; or in words. */
static const SondeMindirTerm *
build_divide_rounded (SondeMindirCall *call)
{
  const char *word = sonde_mindir_text (call, "rounding_mode", NULL);
  gint64 mode = 0;
  SondeGraphValue *a, *b;

  if (word != NULL)
    mode = strcmp (word, "trunc") == 0 ? 1 : strcmp (word, "floor") == 0 ? 2 : 0;
  else
    mode = sonde_mindir_int (call, "rounding_mode", 0);
  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (call, mode == 1   ? divide_to_zero (call, a, b)
                                  : mode == 2 ? divide_down (call, a, b)
                                              : divide (call, a, b));
}

/* The remainder has the sign of the divisor. */
static const SondeMindirTerm *
build_floor_mod (SondeMindirCall *call)
{
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  if (is_whole (a))
    return sonde_mindir_give (call, OP2 (call, "Mod", a, b));
  return sonde_mindir_give (call,
                            OP2 (call, "Sub", a, OP2 (call, "Mul", divide_down (call, a, b), b)));
}

/* The remainder has the sign of the dividend. */
static const SondeMindirTerm *
build_mod (SondeMindirCall *call)
{
  SondeGraphValue *a, *b, *result;

  take_two (call, "x", "y", &a, &b);
  result = OP2 (call, "Mod", a, b);
  sonde_node_set_int (result->producer, "fmod", 1);
  return sonde_mindir_give (call, result);
}

/* x ± alpha · y */
static const SondeMindirTerm *
build_scaled (SondeMindirCall *call)
{
  const double alpha = sonde_mindir_number (call, "alpha", 1);
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  if (alpha != 1)
    b = OP2 (call, "Mul", b, sonde_mindir_number_like (call, alpha, b));
  return sonde_mindir_give (call, OP2 (call, call->row->text, a, b));
}

/* Bits of numbers, truth of truth values. */
static const SondeMindirTerm *
build_bits (SondeMindirCall *call)
{
  SondeGraphValue *a, *b;
  g_autofree char *bits = g_strconcat ("Bitwise", call->row->text, NULL);

  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (
      call, OP2 (call, a->type.dtype == SONDE_DTYPE_BOOL ? call->row->text : bits, a, b));
}

static const SondeMindirTerm *
build_truth (SondeMindirCall *call)
{
  SondeGraphValue *a = sonde_mindir_cast (call, sonde_mindir_tensor (call, "x"), SONDE_DTYPE_BOOL);
  SondeGraphValue *b = sonde_mindir_cast (call, sonde_mindir_tensor (call, "y"), SONDE_DTYPE_BOOL);

  return sonde_mindir_give (call, OP2 (call, call->row->text, a, b));
}

static const SondeMindirTerm *
build_squared_difference (SondeMindirCall *call)
{
  SondeGraphValue *a, *b, *difference;

  take_two (call, "x", "y", &a, &b);
  difference = OP2 (call, "Sub", a, b);
  return sonde_mindir_give (call, OP2 (call, "Mul", difference, difference));
}

/* ---- three --------------------------------------------------------------- */

static const SondeMindirTerm *
build_select (SondeMindirCall *call)
{
  SondeGraphValue *condition
      = sonde_mindir_cast (call, sonde_mindir_tensor (call, "condition"), SONDE_DTYPE_BOOL);
  SondeGraphValue *a, *b;

  take_two (call, "x", "y", &a, &b);
  return sonde_mindir_give (call, OP3 (call, "Where", condition, a, b));
}

static const SondeMindirTerm *
build_masked_fill (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *value = sonde_mindir_tensor_like (call, "value", x);
  SondeGraphValue *mask
      = sonde_mindir_cast (call, sonde_mindir_tensor (call, "mask"), SONDE_DTYPE_BOOL);

  if (x->type.dtype != SONDE_DTYPE_INVALID)
    value = sonde_mindir_cast (call, value, x->type.dtype);
  return sonde_mindir_give (call, OP3 (call, "Where", mask, value, x));
}

/* Bounds that are tensors need not be scalars. */
static const SondeMindirTerm *
build_clamp (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");

  if (sonde_mindir_has (call, "min"))
    x = OP2 (call, "Max", x, sonde_mindir_tensor_like (call, "min", x));
  if (sonde_mindir_has (call, "max"))
    x = OP2 (call, "Min", x, sonde_mindir_tensor_like (call, "max", x));
  return sonde_mindir_give (call, x);
}

static const SondeMindirTerm *
build_clip (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *min = NULL, *max = NULL;

  if (sonde_mindir_has (call, "min"))
    min = sonde_mindir_tensor_like (call, "min", x);
  if (sonde_mindir_has (call, "max"))
    max = sonde_mindir_tensor_like (call, "max", x);
  return sonde_mindir_give (call, OP3 (call, "Clip", x, min, max));
}

/* x + value · a ∘ b, where ∘ is the row's operator */
static const SondeMindirTerm *
build_add_combined (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *both = OP2 (call, call->row->text, sonde_mindir_tensor (call, "a"),
                               sonde_mindir_tensor (call, "b"));

  if (sonde_mindir_has (call, "value"))
    both = OP2 (call, "Mul", both, sonde_mindir_tensor_like (call, "value", x));
  return sonde_mindir_give (call, OP2 (call, "Add", x, both));
}

static const SondeMindirTerm *
build_lerp (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *way = OP2 (call, "Sub", sonde_mindir_tensor (call, "end"), x);

  return sonde_mindir_give (
      call,
      OP2 (call, "Add", x, OP2 (call, "Mul", way, sonde_mindir_tensor_like (call, "weight", x))));
}

static const SondeMindirTerm *
build_sum (SondeMindirCall *call)
{
  g_autoptr (GPtrArray) values = sonde_mindir_tensors (call, 0);

  return sonde_mindir_give (
      call,
      sonde_lowering_op (call->l, "Sum", (SondeGraphValue *const *) values->pdata, values->len));
}

const SondeMindirRow sonde_mindir_pair_rows[] = {
  { "Add", "x y", build_two, "Add", 0 },
  { "Adds", "x y", build_two, "Add", 0 },
  { "Sub", "x y", build_two, "Sub", 0 },
  { "Subs", "x y", build_two, "Sub", 0 },
  { "Mul", "x y", build_two, "Mul", 0 },
  { "Muls", "x y", build_two, "Mul", 0 },
  { "Div", "x y", build_divide, NULL, 0 },
  { "Divs", "x y", build_divide, NULL, 0 },
  { "RealDiv", "x y", build_divide, NULL, 0 },
  { "DivNoNan", "x y", build_divide, NULL, 0 },
  { "DivMod", "x y rounding_mode", build_divide_rounded, NULL, 0 },
  { "DivMods", "x y rounding_mode", build_divide_rounded, NULL, 0 },
  { "FloorDiv", "x y", build_divide_down, NULL, 0 },
  { "FloorDivScalar", "x y", build_divide_down, NULL, 0 },
  { "TruncateDiv", "x y", build_divide_to_zero, NULL, 0 },
  { "FloorMod", "x y", build_floor_mod, NULL, 0 },
  { "RemainderTensorTensor", "x y", build_floor_mod, NULL, 0 },
  { "RemainderTensorScalar", "x y", build_floor_mod, NULL, 0 },
  { "RemainderScalarTensor", "x y", build_floor_mod, NULL, 0 },
  { "Mod", "x y", build_mod, NULL, 0 },
  { "TruncateMod", "x y", build_mod, NULL, 0 },
  { "FmodTensor", "x y", build_mod, NULL, 0 },
  { "FmodScalar", "x y", build_mod, NULL, 0 },
  { "Maximum", "x y", build_two, "Max", 0 },
  { "Minimum", "x y", build_two, "Min", 0 },
  { "Pow", "x y", build_two, "Pow", 0 },
  { "PowTensorScalar", "x y", build_two, "Pow", 0 },
  { "PowScalarTensor", "x y", build_two, "Pow", 0 },
  { "AddExt", "x y alpha", build_scaled, "Add", 0 },
  { "AddScalar", "x y alpha", build_scaled, "Add", 0 },
  { "SubExt", "x y alpha", build_scaled, "Sub", 0 },
  { "SubScalar", "x y alpha", build_scaled, "Sub", 0 },
  { "LogicalAnd", "x y", build_truth, "And", 0 },
  { "LogicalOr", "x y", build_truth, "Or", 0 },
  { "LogicalXor", "x y", build_truth, "Xor", 0 },
  { "Equal", "x y", build_two, "Equal", 0 },
  { "NotEqual", "x y", build_unequal, NULL, 0 },
  { "NeScalar", "x y", build_unequal, NULL, 0 },
  { "EqScalar", "x y", build_two, "Equal", 0 },
  { "Greater", "x y", build_two, "Greater", 0 },
  { "GreaterScalar", "x y", build_two, "Greater", 0 },
  { "GreaterEqual", "x y", build_two, "GreaterOrEqual", 0 },
  { "GreaterEqualScalar", "x y", build_two, "GreaterOrEqual", 0 },
  { "Less", "x y", build_two, "Less", 0 },
  { "LessScalar", "x y", build_two, "Less", 0 },
  { "LessEqual", "x y", build_two, "LessOrEqual", 0 },
  { "LessEqualScalar", "x y", build_two, "LessOrEqual", 0 },
  { "BitwiseAnd", "x y", build_bits, "And", 0 },
  { "BitwiseAndTensor", "x y", build_bits, "And", 0 },
  { "BitwiseAndScalar", "x y", build_bits, "And", 0 },
  { "BitwiseOr", "x y", build_bits, "Or", 0 },
  { "BitwiseOrTensor", "x y", build_bits, "Or", 0 },
  { "BitwiseOrScalar", "x y", build_bits, "Or", 0 },
  { "BitwiseXor", "x y", build_bits, "Xor", 0 },
  { "BitwiseXorTensor", "x y", build_bits, "Xor", 0 },
  { "BitwiseXorScalar", "x y", build_bits, "Xor", 0 },
  { "SquaredDifference", "x y", build_squared_difference, NULL, 0 },
  { "Select", "condition x y", build_select, NULL, 0 },
  { "SelectV2", "condition x y", build_select, NULL, 0 },
  { "MaskedFill", "x mask value", build_masked_fill, NULL, 0 },
  { "MaskedFillScalar", "x mask value", build_masked_fill, NULL, 0 },
  { "ClampScalar", "x min max", build_clip, NULL, 0 },
  { "ClampTensor", "x min max", build_clamp, NULL, 0 },
  { "Addcmul", "x a b value", build_add_combined, "Mul", 0 },
  { "AddcmulExt", "x a b value", build_add_combined, "Mul", 0 },
  { "Addcdiv", "x a b value", build_add_combined, "Div", 0 },
  { "AddcdivExt", "x a b value", build_add_combined, "Div", 0 },
  { "Lerp", "x end weight", build_lerp, NULL, 0 },
  { "LerpScalar", "x end weight", build_lerp, NULL, 0 },
  { "AddN", "x", build_sum, NULL, 0 },
  { "AccumulateNV2", "x", build_sum, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
