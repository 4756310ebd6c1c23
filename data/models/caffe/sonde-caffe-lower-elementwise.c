/* SPDX-License-Identifier: Apache-2.0
 * Layers that work number by number. */
#include <math.h>

#include "data/models/caffe/sonde-caffe-lower.h"

static SondeGraphValue *
apply (SondeCaffeLowering *self, const char *op, SondeGraphValue *a)
{
  return sonde_lowering_op (self->out, op, SONDE_VALUES (a));
}

/* OP with a number, unless that is @neutral. */
static SondeGraphValue *
apply_number (SondeCaffeLowering *self, const char *op, SondeGraphValue *value, double number,
              double neutral)
{
  return number == neutral ? value
                           : sonde_caffe_op2 (self, op, value, sonde_caffe_number (self, number));
}

/* ---- one operator -------------------------------------------------------- */

static void
lower_relu (SondeCaffeLowering *self)
{
  double slope = sonde_caffe_get_number (self->param, "negative_slope", 0);
  SondeGraphValue *y
      = apply (self, slope == 0 ? "Relu" : "LeakyRelu", sonde_caffe_bottom (self, 0));

  if (slope != 0)
    sonde_node_set_float (y->producer, "alpha", slope);
  sonde_caffe_set_same (self, y);
}

static void
lower_relu6 (SondeCaffeLowering *self)
{
  sonde_caffe_set_same (self, sonde_lowering_op (self->out, "Clip",
                                                 SONDE_VALUES (sonde_caffe_bottom (self, 0),
                                                               sonde_caffe_number (self, 0),
                                                               sonde_caffe_number (self, 6))));
}

static void
lower_elu (SondeCaffeLowering *self)
{
  SondeGraphValue *y = apply (self, "Elu", sonde_caffe_bottom (self, 0));

  sonde_node_set_float (y->producer, "alpha", sonde_caffe_get_number (self->param, "alpha", 1));
  sonde_caffe_set_same (self, y);
}

/* Slope a channel, or one for all; [C,1,1] is what ONNX spreads over the channels. */
static void
lower_prelu (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  SondeShape shape = sonde_caffe_shape_of (x), slope = { 0 };
  gboolean shared = sonde_caffe_get_bool (self->param, "channel_shared", FALSE);

  for (int i = 1; i < shape.rank; i++)
    slope.dims[slope.rank++] = i == 1 && !shared ? shape.dims[1] : 1;
  sonde_caffe_set_same (
      self, sonde_caffe_op2 (self, "PRelu", x, sonde_caffe_blob (self, 0, "slope", &slope)));
}

static void
lower_sigmoid (SondeCaffeLowering *self)
{
  sonde_caffe_set_same (self, apply (self, "Sigmoid", sonde_caffe_bottom (self, 0)));
}

static void
lower_tanh (SondeCaffeLowering *self)
{
  sonde_caffe_set_same (self, apply (self, "Tanh", sonde_caffe_bottom (self, 0)));
}

static void
lower_abs (SondeCaffeLowering *self)
{
  sonde_caffe_set_same (self, apply (self, "Abs", sonde_caffe_bottom (self, 0)));
}

/* log(1 + e^x) */
static void
lower_bnll (SondeCaffeLowering *self)
{
  sonde_caffe_set_same (self, apply (self, "Softplus", sonde_caffe_bottom (self, 0)));
}

static void
lower_clip (SondeCaffeLowering *self)
{
  SondeGraphValue *low
      = sonde_caffe_number (self, sonde_caffe_get_number (self->param, "min", -G_MAXFLOAT));
  SondeGraphValue *high
      = sonde_caffe_number (self, sonde_caffe_get_number (self->param, "max", G_MAXFLOAT));

  sonde_caffe_set_same (self,
                        sonde_lowering_op (self->out, "Clip",
                                           SONDE_VALUES (sonde_caffe_bottom (self, 0), low, high)));
}

/* ---- formulas ------------------------------------------------------------ */

/* x · sigmoid(beta · x) */
static void
lower_swish (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0);
  double beta = sonde_caffe_get_number (self->param, "beta", 1);

  sonde_caffe_set_same (
      self, sonde_caffe_op2 (self, "Mul", x,
                             apply (self, "Sigmoid", apply_number (self, "Mul", x, beta, 1))));
}

static void
lower_threshold (SondeCaffeLowering *self)
{
  double threshold = sonde_caffe_get_number (self->param, "threshold", 0);
  SondeGraphValue *above = sonde_caffe_op2 (self, "Greater", sonde_caffe_bottom (self, 0),
                                            sonde_caffe_number (self, threshold));
  SondeGraphValue *y = apply (self, "Cast", above);

  sonde_node_set_int (y->producer, "to", 1); /* float32 */
  sonde_caffe_set_same (self, y);
}

static SondeGraphValue *
scale_and_shift (SondeCaffeLowering *self, SondeGraphValue *x)
{
  x = apply_number (self, "Mul", x, sonde_caffe_get_number (self->param, "scale", 1), 1);
  return apply_number (self, "Add", x, sonde_caffe_get_number (self->param, "shift", 0), 0);
}

/* (shift + scale · x)^power */
static void
lower_power (SondeCaffeLowering *self)
{
  SondeGraphValue *y = scale_and_shift (self, sonde_caffe_bottom (self, 0));

  sonde_caffe_set_same (
      self, apply_number (self, "Pow", y, sonde_caffe_get_number (self->param, "power", 1), 1));
}

/* log of the base, 1 for e (said as −1); a base that is none is a failure. */
static double
log_of_base (SondeCaffeLowering *self)
{
  double base = sonde_caffe_get_number (self->param, "base", -1);

  if (base == -1)
    return 1;
  if (base > 0 && base != 1)
    return log (base);
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "%g is no base of a logarithm", base);
  return 1;
}

/* base^(shift + scale · x) */
static void
lower_exp (SondeCaffeLowering *self)
{
  SondeGraphValue *y = scale_and_shift (self, sonde_caffe_bottom (self, 0));

  sonde_caffe_set_same (self,
                        apply (self, "Exp", apply_number (self, "Mul", y, log_of_base (self), 1)));
}

/* log_base(shift + scale · x) */
static void
lower_log (SondeCaffeLowering *self)
{
  SondeGraphValue *y = apply (self, "Log", scale_and_shift (self, sonde_caffe_bottom (self, 0)));

  sonde_caffe_set_same (self, apply_number (self, "Mul", y, 1 / log_of_base (self), 1));
}

/* ---- several bottoms ----------------------------------------------------- */

static gboolean
check_same_shapes (SondeCaffeLowering *self)
{
  SondeShape first = sonde_caffe_shape_of (sonde_caffe_bottom (self, 0));

  for (guint i = 1; i < self->layer->bottoms->len; i++)
    {
      SondeShape other = sonde_caffe_shape_of (sonde_caffe_bottom (self, i));

      if (sonde_shape_equal (&first, &other))
        continue;
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "bottoms 0 and %u have different shapes", i);
      return FALSE;
    }
  return TRUE;
}

/* Operand @index of a sum, times its coefficient. */
static SondeGraphValue *
get_operand (SondeCaffeLowering *self, guint index)
{
  const SondeCaffeEntry *coefficient = sonde_caffe_get_entry (self->param, "coeff", index);

  return apply_number (self, "Mul", sonde_caffe_bottom (self, index),
                       coefficient != NULL ? coefficient->number : 1, 1);
}

static void
lower_eltwise (SondeCaffeLowering *self)
{
  static const char *const ops[] = { "Mul", "Add", "Max" };
  gint64 operation = CLAMP (sonde_caffe_get_int (self->param, "operation", 1), 0, 2);
  guint coefficients = sonde_caffe_count (self->param, "coeff");
  SondeGraphValue *y = NULL;

  if (!check_same_shapes (self))
    return;
  if (coefficients != 0 && (operation != 1 || coefficients != self->layer->bottoms->len))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "it has %u coefficients for %u bottoms", coefficients,
                         self->layer->bottoms->len);
  y = get_operand (self, 0);
  for (guint i = 1; i < self->layer->bottoms->len; i++)
    y = sonde_caffe_op2 (self, ops[operation], y, get_operand (self, i));
  sonde_caffe_set_same (self, y);
}

/* ---- nothing in inference ------------------------------------------------ */

static void
drop (SondeCaffeLowering *self)
{
  SondeShape shape = sonde_caffe_shape_of (sonde_caffe_bottom (self, 0));

  for (guint i = 0; i < self->layer->tops->len; i++)
    sonde_caffe_set_top (self, i, sonde_caffe_bottom (self, 0), &shape);
  sonde_lowering_mark (self->out, SONDE_LOWERED_DROPPED);
}

/* A loss, a measure: its tops are no outputs. */
static void
drop_all (SondeCaffeLowering *self)
{
  sonde_lowering_mark (self->out, SONDE_LOWERED_DROPPED);
}

const SondeCaffeRow sonde_caffe_elementwise_rows[] = {
  { "AbsVal", NULL, 1, 1, lower_abs },
  { "BNLL", NULL, 1, 1, lower_bnll },
  { "Clip", "clip_param", 1, 1, lower_clip },
  { "Dropout", "dropout_param", 1, 1, drop },
  { "ELU", "elu_param", 1, 1, lower_elu },
  { "Eltwise", "eltwise_param", 2, G_MAXUINT, lower_eltwise },
  { "Exp", "exp_param", 1, 1, lower_exp },
  { "Log", "log_param", 1, 1, lower_log },
  { "PReLU", "prelu_param", 1, 1, lower_prelu },
  { "Power", "power_param", 1, 1, lower_power },
  { "ReLU", "relu_param", 1, 1, lower_relu },
  { "ReLU6", NULL, 1, 1, lower_relu6 },
  { "Sigmoid", NULL, 1, 1, lower_sigmoid },
  { "Split", NULL, 1, 1, drop },
  { "Swish", "swish_param", 1, 1, lower_swish },
  { "TanH", NULL, 1, 1, lower_tanh },
  { "Threshold", "threshold_param", 1, 1, lower_threshold },
  { "Silence", NULL, 0, 0, drop_all },
  { "Accuracy", NULL, 0, 0, drop_all },
  { "ContrastiveLoss", NULL, 0, 0, drop_all },
  { "EuclideanLoss", NULL, 0, 0, drop_all },
  { "HDF5Output", NULL, 0, 0, drop_all },
  { "HingeLoss", NULL, 0, 0, drop_all },
  { "InfogainLoss", NULL, 0, 0, drop_all },
  { "MultinomialLogisticLoss", NULL, 0, 0, drop_all },
  { "SigmoidCrossEntropyLoss", NULL, 0, 0, drop_all },
  { NULL },
};
