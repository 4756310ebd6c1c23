/* SPDX-License-Identifier: Apache-2.0
 * ATen's operators of one tensor, number by number. */
#include <math.h>

#include "data/models/pt2/sonde-pt2-lower.h"

/* Whole numbers become floats first, as the result is. */
static SondeGraphValue *
get_float_self (SondePt2Lowering *self)
{
  return sonde_pt2_cast (self, sonde_pt2_self (self), sonde_pt2_out_dtype (self, 0));
}

static void
lower_one (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, sonde_pt2_op (self, self->op, sonde_pt2_self (self)));
}

static void
lower_float (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, sonde_pt2_op (self, self->op, get_float_self (self)));
}

/* A copy, a detached tensor, a dropout in inference. */
static void
lower_same (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, sonde_pt2_self (self));
}

static void
lower_dropout (SondePt2Lowering *self)
{
  if (sonde_pt2_arg_bool (self, "train", FALSE) && sonde_pt2_arg_number (self, "p", 0.5) != 0)
    sonde_lowering_note (
        self->out, SONDE_NOTE_WARNING,
        sonde_message_new ("the program was exported in training mode; this dropout "
                           "is left out"),
        sonde_message_new ("Export it after model.eval()"));
  sonde_pt2_set_out (self, 0, sonde_pt2_self (self));
  sonde_lowering_mark (self->out, SONDE_LOWERED_DROPPED);
}

static void
lower_cast (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);

  if (dtype == SONDE_DTYPE_INVALID)
    sonde_pt2_refuse (self, sonde_message_new ("its type is not known"), NULL);
  else
    sonde_pt2_set_out (self, 0, sonde_pt2_cast (self, x, dtype));
}

/* ---- with a number ------------------------------------------------------- */

static void
set_with_number (SondePt2Lowering *self, const char *attribute, double number)
{
  SondeGraphValue *y = sonde_pt2_op (self, self->op, sonde_pt2_self (self));

  sonde_node_set_float (y->producer, attribute, number);
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_leaky (SondePt2Lowering *self)
{
  set_with_number (self, "alpha", sonde_pt2_arg_number (self, "negative_slope", 0.01));
}

/* scale · (x > 0 ? x : alpha · (e^(input_scale · x) − 1)) */
static void
lower_elu (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self), *y = NULL;
  double scale = sonde_pt2_arg_number (self, "scale", 1);
  double inner = sonde_pt2_arg_number (self, "input_scale", 1);

  if (inner != 1)
    {
      sonde_pt2_refuse (self, sonde_message_new ("input_scale is %g", inner), NULL);
      return;
    }
  y = sonde_pt2_op (self, "Elu", x);
  sonde_node_set_float (y->producer, "alpha", sonde_pt2_arg_number (self, "alpha", 1));
  if (scale != 1)
    y = sonde_pt2_op2 (self, "Mul", y, sonde_pt2_number (self, x, scale));
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_celu (SondePt2Lowering *self)
{
  set_with_number (self, "alpha", sonde_pt2_arg_number (self, "alpha", 1));
}

static void
lower_prelu (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self), *slope = sonde_pt2_needed (self, "weight");
  int rank = sonde_pt2_rank (self, x);
  gint64 sizes[SONDE_MAX_RANK];

  for (int i = 0; i < rank - 1; i++)
    sizes[i] = i == 0 ? -1 : 1;
  if (rank > 2)
    slope = sonde_lowering_reshape (self->out, slope, sizes, rank - 1);
  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, "PRelu", x, slope));
}

static SondeGraphValue *
clip (SondePt2Lowering *self, SondeGraphValue *x, SondeGraphValue *low, SondeGraphValue *high)
{
  SondeGraphValue *y = sonde_lowering_op (self->out, "Clip", SONDE_VALUES (x, low, high));

  y->type = x->type;
  return y;
}

static SondeGraphValue *
clip_numbers (SondePt2Lowering *self, SondeGraphValue *x, double low, double high)
{
  return clip (self, x, sonde_pt2_number (self, x, low), sonde_pt2_number (self, x, high));
}

/* min and max are numbers, or tensors that spread. */
static void
lower_clamp (SondePt2Lowering *self)
{
  SondeDtype dtype = sonde_pt2_out_dtype (self, 0);
  SondeGraphValue *x = sonde_pt2_cast (self, sonde_pt2_self (self), dtype);

  if (sonde_pt2_has (self, "min"))
    x = sonde_pt2_op2 (self, "Max", x, sonde_pt2_operand (self, "min", dtype));
  if (sonde_pt2_has (self, "max"))
    x = sonde_pt2_op2 (self, "Min", x, sonde_pt2_operand (self, "max", dtype));
  sonde_pt2_set_out (self, 0, x);
}

static void
lower_hardtanh (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0,
                     clip_numbers (self, sonde_pt2_self (self),
                                   sonde_pt2_arg_number (self, "min_val", -1),
                                   sonde_pt2_arg_number (self, "max_val", 1)));
}

static void
lower_relu6 (SondePt2Lowering *self)
{
  sonde_pt2_set_out (self, 0, clip_numbers (self, sonde_pt2_self (self), 0, 6));
}

static void
lower_hardsigmoid (SondePt2Lowering *self)
{
  SondeGraphValue *y = sonde_pt2_op (self, "HardSigmoid", sonde_pt2_self (self));

  sonde_node_set_float (y->producer, "alpha", 1.0 / 6);
  sonde_node_set_float (y->producer, "beta", 0.5);
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_gelu (SondePt2Lowering *self)
{
  SondeGraphValue *y = sonde_pt2_op (self, "Gelu", sonde_pt2_self (self));

  sonde_node_set_string (y->producer, "approximate",
                         sonde_pt2_arg_text (self, "approximate", "none"));
  sonde_pt2_set_out (self, 0, y);
}

/* log(1 + e^(beta·x)) / beta; x itself where beta·x is above the threshold, where both are equal in
 * float32 */
static void
lower_softplus (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self), *y = x;
  double beta = sonde_pt2_arg_number (self, "beta", 1);

  if (beta != 1)
    y = sonde_pt2_op2 (self, "Mul", x, sonde_pt2_number (self, x, beta));
  y = sonde_pt2_op (self, "Softplus", y);
  if (beta != 1)
    y = sonde_pt2_op2 (self, "Div", y, sonde_pt2_number (self, x, beta));
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_threshold (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self), *above = NULL;

  above = sonde_pt2_op2 (self, "Greater", x,
                         sonde_pt2_number (self, x, sonde_pt2_arg_number (self, "threshold", 0)));
  sonde_pt2_set_out (
      self, 0,
      sonde_lowering_op (
          self->out, "Where",
          SONDE_VALUES (above, x,
                        sonde_pt2_number (self, x, sonde_pt2_arg_number (self, "value", 0)))));
}

/* ---- formulas ------------------------------------------------------------ */

/* x · sigmoid(x) */
static void
lower_silu (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);

  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, "Mul", x, sonde_pt2_op (self, "Sigmoid", x)));
}

static void
lower_log_sigmoid (SondePt2Lowering *self)
{
  SondeGraphValue *y = sonde_pt2_op (self, "Neg", sonde_pt2_self (self));

  y = sonde_pt2_op (self, "Softplus", y);
  sonde_pt2_set_out (self, 0, sonde_pt2_op (self, "Neg", y));
}

static void
lower_rsqrt (SondePt2Lowering *self)
{
  SondeGraphValue *y = sonde_pt2_op (self, "Sqrt", get_float_self (self));

  sonde_pt2_set_out (self, 0, sonde_pt2_op (self, "Reciprocal", y));
}

static void
lower_square (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);

  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, "Mul", x, x));
}

static void
lower_log1p (SondePt2Lowering *self)
{
  SondeGraphValue *x = get_float_self (self);

  x = sonde_pt2_op2 (self, "Add", x, sonde_pt2_number (self, x, 1));
  sonde_pt2_set_out (self, 0, sonde_pt2_op (self, "Log", x));
}

static void
lower_expm1 (SondePt2Lowering *self)
{
  SondeGraphValue *x = get_float_self (self), *y = sonde_pt2_op (self, "Exp", x);

  sonde_pt2_set_out (self, 0, sonde_pt2_op2 (self, "Sub", y, sonde_pt2_number (self, x, 1)));
}

static void
set_log (SondePt2Lowering *self, double base)
{
  SondeGraphValue *x = get_float_self (self), *y = sonde_pt2_op (self, "Log", x);

  sonde_pt2_set_out (self, 0,
                     sonde_pt2_op2 (self, "Mul", y, sonde_pt2_number (self, x, 1 / log (base))));
}

static void
lower_log2 (SondePt2Lowering *self)
{
  set_log (self, 2);
}

static void
lower_log10 (SondePt2Lowering *self)
{
  set_log (self, 10);
}

static void
lower_not (SondePt2Lowering *self)
{
  sonde_pt2_set_out (
      self, 0,
      sonde_pt2_op (self, "Not", sonde_pt2_cast (self, sonde_pt2_self (self), SONDE_DTYPE_BOOL)));
}

/* Of booleans it is Not, of numbers BitwiseNot. */
static void
lower_bitwise_not (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);

  sonde_pt2_set_out (
      self, 0, sonde_pt2_op (self, x->type.dtype == SONDE_DTYPE_BOOL ? "Not" : "BitwiseNot", x));
}

const SondePt2Row sonde_pt2_elementwise_rows[] = {
  { "abs.default", lower_one, "Abs" },
  { "acos.default", lower_float, "Acos" },
  { "acosh.default", lower_float, "Acosh" },
  { "alias.default", lower_same },
  { "alpha_dropout.default", lower_dropout },
  { "asin.default", lower_float, "Asin" },
  { "asinh.default", lower_float, "Asinh" },
  { "atan.default", lower_float, "Atan" },
  { "atanh.default", lower_float, "Atanh" },
  { "bitwise_not.default", lower_bitwise_not },
  { "ceil.default", lower_one, "Ceil" },
  { "celu.default", lower_celu, "Celu" },
  { "clamp.Tensor", lower_clamp },
  { "clamp.default", lower_clamp },
  { "clamp_max.default", lower_clamp },
  { "clamp_min.default", lower_clamp },
  { "clip.default", lower_clamp },
  { "clone.default", lower_same },
  { "contiguous.default", lower_same },
  { "cos.default", lower_float, "Cos" },
  { "cosh.default", lower_float, "Cosh" },
  { "detach.default", lower_same },
  { "detach_.default", lower_same },
  { "dropout.default", lower_dropout },
  { "elu.default", lower_elu },
  { "erf.default", lower_float, "Erf" },
  { "exp.default", lower_float, "Exp" },
  { "expm1.default", lower_expm1 },
  { "feature_alpha_dropout.default", lower_dropout },
  { "feature_dropout.default", lower_dropout },
  { "floor.default", lower_one, "Floor" },
  { "gelu.default", lower_gelu },
  { "hardsigmoid.default", lower_hardsigmoid },
  { "hardswish.default", lower_one, "HardSwish" },
  { "hardtanh.default", lower_hardtanh },
  { "isinf.default", lower_one, "IsInf" },
  { "isnan.default", lower_one, "IsNaN" },
  { "leaky_relu.default", lower_leaky, "LeakyRelu" },
  { "lift_fresh_copy.default", lower_same },
  { "log.default", lower_float, "Log" },
  { "log10.default", lower_log10 },
  { "log1p.default", lower_log1p },
  { "log2.default", lower_log2 },
  { "log_sigmoid.default", lower_log_sigmoid },
  { "logical_not.default", lower_not },
  { "mish.default", lower_one, "Mish" },
  { "neg.default", lower_one, "Neg" },
  { "prelu.default", lower_prelu },
  { "reciprocal.default", lower_float, "Reciprocal" },
  { "relu.default", lower_one, "Relu" },
  { "relu6.default", lower_relu6 },
  { "round.default", lower_one, "Round" },
  { "rsqrt.default", lower_rsqrt },
  { "selu.default", lower_one, "Selu" },
  { "sigmoid.default", lower_float, "Sigmoid" },
  { "sign.default", lower_one, "Sign" },
  { "silu.default", lower_silu },
  { "sin.default", lower_float, "Sin" },
  { "sinh.default", lower_float, "Sinh" },
  { "softplus.default", lower_softplus },
  { "softsign.default", lower_one, "Softsign" },
  { "sqrt.default", lower_float, "Sqrt" },
  { "square.default", lower_square },
  { "tan.default", lower_float, "Tan" },
  { "tanh.default", lower_float, "Tanh" },
  { "threshold.default", lower_threshold },
  { "to.device", lower_cast },
  { "to.dtype", lower_cast },
  { "to.dtype_layout", lower_cast },
  { "_to_copy.default", lower_cast },
  { "type_as.default", lower_cast },
  { NULL },
};
