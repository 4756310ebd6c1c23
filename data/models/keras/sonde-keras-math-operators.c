/* SPDX-License-Identifier: Apache-2.0
 * Operators on tensors that compute. */
#include "data/models/keras/sonde-keras-operands.h"

/* ---- one tensor ---------------------------------------------------------- */

static SondeGraphValue *
as_real (SondeKerasLowering *self, SondeGraphValue *x)
{
  return sonde_dtype_is_float (x->type.dtype) ? x
                                              : sonde_lowering_cast (self->out, x, SONDE_DTYPE_F32);
}

static void
lower_unary (SondeKerasLowering *self, const char *op)
{
  sonde_keras_set_inferred (
      self, 0, sonde_lowering_op (self->out, op, SONDE_VALUES (sonde_keras_in (self, 0))));
}

static void
lower_square (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);

  sonde_keras_set_inferred (self, 0, sonde_lowering_op (self->out, "Mul", SONDE_VALUES (x, x)));
}

static void
lower_rsqrt (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *root
      = sonde_lowering_op (self->out, "Sqrt", SONDE_VALUES (sonde_keras_in (self, 0)));

  sonde_keras_set_inferred (self, 0,
                            sonde_lowering_op (self->out, "Reciprocal", SONDE_VALUES (root)));
}

/* log (1 + x), exp (x) - 1 */
static void
lower_near_one (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = as_real (self, sonde_keras_in (self, 0));
  SondeGraphValue *one = sonde_keras_scalar (self, x, 1);

  if (g_str_equal (op, "Log"))
    x = sonde_lowering_op (
        self->out, "Log",
        SONDE_VALUES (sonde_lowering_op (self->out, "Add", SONDE_VALUES (x, one))));
  else
    x = sonde_lowering_op (
        self->out, "Sub",
        SONDE_VALUES (sonde_lowering_op (self->out, "Exp", SONDE_VALUES (x)), one));
  sonde_keras_set_inferred (self, 0, x);
}

static void
lower_function (SondeKerasLowering *self, const char *name)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);

  if (g_str_equal (name, "gelu")
      && sonde_keras_param_bool (self, 1, "approximate", self->version >= 3))
    {
      x = sonde_keras_op1 (self, "Gelu", x);
      sonde_node_set_string (x->producer, "approximate", "tanh");
      sonde_keras_set_out (self, 0, x);
      return;
    }
  sonde_keras_set_out (self, 0, sonde_keras_apply (self, name, x));
}

/* Functions with a slope of their own. */
static void
lower_slope (SondeKerasLowering *self, const char *op)
{
  gboolean leaky = g_str_equal (op, "LeakyRelu");
  JsonNode *node = sonde_keras_param (self, 1, leaky ? "negative_slope" : "alpha");
  SondeGraphValue *y = sonde_keras_op1 (self, op, sonde_keras_in (self, 0));
  double slope = leaky ? 0.2 : 1;

  sonde_json_member_number (node, &slope);
  sonde_node_set_float (y->producer, "alpha", slope);
  sonde_keras_set_out (self, 0, y);
}

static void
lower_softmax (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *y = sonde_lowering_op (self->out, op, SONDE_VALUES (sonde_keras_in (self, 0)));

  sonde_node_set_int (y->producer, "axis", sonde_keras_param_int (self, 1, "axis", -1));
  sonde_keras_set_inferred (self, 0, y);
}

static void
lower_clip (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  SondeGraphValue *least = sonde_keras_operand (self, 1, "x_min", x->type.dtype);
  SondeGraphValue *most = sonde_keras_operand (self, 2, "x_max", x->type.dtype);

  least = least != NULL ? least : sonde_keras_operand (self, -1, "clip_value_min", x->type.dtype);
  most = most != NULL ? most : sonde_keras_operand (self, -1, "clip_value_max", x->type.dtype);
  sonde_keras_set_inferred (self, 0,
                            sonde_lowering_op (self->out, "Clip", SONDE_VALUES (x, least, most)));
}

static void
lower_cast (SondeKerasLowering *self, const char *op)
{
  JsonNode *node = sonde_keras_param (self, 1, "dtype");
  const char *name
      = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  SondeDtype dtype = name != NULL ? sonde_dtype_from_name (name) : SONDE_DTYPE_F32;

  sonde_keras_set_inferred (self, 0,
                            sonde_lowering_cast (self->out, sonde_keras_in (self, 0), dtype));
}

/* ---- two tensors --------------------------------------------------------- */

/* A number with a fraction makes integers real. */
static gboolean
has_fraction (JsonNode *node)
{
  return node != NULL && JSON_NODE_HOLDS_VALUE (node)
         && json_node_get_value_type (node) == G_TYPE_DOUBLE;
}

/* Both operands, of one type. @reals: integers become real numbers. FALSE: refused */
static gboolean
read_pair (SondeKerasLowering *self, gboolean reals, SondeGraphValue **a, SondeGraphValue **b)
{
  const char *first = sonde_keras_param (self, 0, "x1") != NULL ? "x1" : "x", *second = "x2";
  SondeDtype dtype = sonde_keras_in (self, 0)->type.dtype;
  gboolean whole = FALSE;

  second = sonde_keras_param (self, 1, "x2") != NULL ? "x2" : "y";
  whole = !sonde_dtype_is_float (dtype)
          && (reals || has_fraction (sonde_keras_param (self, 0, first))
              || has_fraction (sonde_keras_param (self, 1, second)));
  for (guint i = 0; i < self->inputs->len; i++)
    if (sonde_dtype_is_float (sonde_keras_in (self, i)->type.dtype))
      dtype = sonde_keras_in (self, i)->type.dtype;
  dtype = whole && !sonde_dtype_is_float (dtype) ? SONDE_DTYPE_F32 : dtype;
  *a = sonde_keras_operand (self, 0, first, dtype);
  *b = sonde_keras_operand (self, 1, second, dtype);
  if (*a == NULL || *b == NULL)
    {
      sonde_keras_refuse (self,
                          sonde_message_new ("an operand that is no tensor and no number is "
                                             "not read"),
                          NULL);
      return FALSE;
    }
  if ((*a)->type.dtype != dtype)
    *a = sonde_lowering_cast (self->out, *a, dtype);
  if ((*b)->type.dtype != dtype)
    *b = sonde_lowering_cast (self->out, *b, dtype);
  return TRUE;
}

static void
lower_binary (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *a = NULL, *b = NULL;

  if (read_pair (self, FALSE, &a, &b))
    sonde_keras_set_inferred (self, 0, sonde_lowering_op (self->out, op, SONDE_VALUES (a, b)));
}

static void
lower_divide (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *a = NULL, *b = NULL;

  if (read_pair (self, TRUE, &a, &b))
    sonde_keras_set_inferred (self, 0, sonde_lowering_op (self->out, "Div", SONDE_VALUES (a, b)));
}

static void
lower_floor_divide (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *a = NULL, *b = NULL, *y = NULL;

  if (!read_pair (self, TRUE, &a, &b))
    return;
  y = sonde_lowering_op (self->out, "Div", SONDE_VALUES (a, b));
  sonde_keras_set_inferred (self, 0, sonde_lowering_op (self->out, "Floor", SONDE_VALUES (y)));
}

static void
lower_not_equal (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *a = NULL, *b = NULL, *y = NULL;

  if (!read_pair (self, FALSE, &a, &b))
    return;
  y = sonde_lowering_op (self->out, "Equal", SONDE_VALUES (a, b));
  sonde_keras_set_inferred (self, 0, sonde_lowering_op (self->out, "Not", SONDE_VALUES (y)));
}

static void
lower_where (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *condition = sonde_keras_in (self, 0);
  SondeDtype dtype = sonde_keras_in (self, self->inputs->len - 1)->type.dtype;
  SondeGraphValue *then = sonde_keras_operand (self, 1, "x1", dtype);
  SondeGraphValue *otherwise = sonde_keras_operand (self, 2, "x2", dtype);

  if (then == NULL || otherwise == NULL || then->type.dtype != otherwise->type.dtype)
    {
      sonde_keras_refuse (
          self, sonde_message_new ("without two tensors of one type it is not read"), NULL);
      return;
    }
  if (condition->type.dtype != SONDE_DTYPE_BOOL)
    condition = sonde_lowering_cast (self->out, condition, SONDE_DTYPE_BOOL);
  sonde_keras_set_inferred (
      self, 0, sonde_lowering_op (self->out, "Where", SONDE_VALUES (condition, then, otherwise)));
}

static void
lower_einsum (SondeKerasLowering *self, const char *op)
{
  JsonNode *node = sonde_keras_param (self, -1, "subscripts");
  const char *text
      = node != NULL && JSON_NODE_HOLDS_VALUE (node) ? json_node_get_string (node) : NULL;
  SondeGraphValue *y = sonde_lowering_op (
      self->out, "Einsum", (SondeGraphValue *const *) self->inputs->pdata, self->inputs->len);

  sonde_node_set_string (y->producer, "equation", text != NULL ? text : "");
  sonde_keras_set_inferred (self, 0, y);
}

/* ---- reductions ---------------------------------------------------------- */

static SondeGraphValue *
reduce (SondeKerasLowering *self, const char *op, SondeGraphValue *x)
{
  gint64 axes[SONDE_MAX_RANK];
  int n = sonde_keras_param_ints (self, 1, "axis", axes);
  SondeGraphValue *y
      = sonde_lowering_op (self->out, op,
                           (SondeGraphValue *const[]){
                               x, n > 0 ? sonde_lowering_ints (self->out, axes, (gsize) n) : NULL },
                           n > 0 ? 2 : 1);

  sonde_node_set_int (y->producer, "keepdims",
                      sonde_keras_param_bool (self, 2, "keepdims", FALSE) ? 1 : 0);
  return y;
}

static void
lower_reduction (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);

  if (g_str_equal (op, "ReduceMean"))
    x = as_real (self, x);
  sonde_keras_set_inferred (self, 0, reduce (self, op, x));
}

/* Any is the largest truth value, All the smallest. */
static void
lower_truth (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_lowering_cast (self->out, sonde_keras_in (self, 0), SONDE_DTYPE_BOOL);

  x = reduce (self, op, sonde_lowering_cast (self->out, x, SONDE_DTYPE_I32));
  sonde_keras_set_inferred (self, 0, sonde_lowering_cast (self->out, x, SONDE_DTYPE_BOOL));
}

static void
lower_index (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  gint64 axis = 0;
  const gint64 flat[] = { -1 };

  if (sonde_keras_param_ints (self, 1, "axis", &axis) < 1)
    x = sonde_lowering_reshape (self->out, x, flat, 1);
  y = sonde_lowering_op (self->out, op, SONDE_VALUES (x));
  sonde_node_set_int (y->producer, "axis", axis);
  sonde_node_set_int (y->producer, "keepdims",
                      sonde_keras_param_bool (self, 2, "keepdims", FALSE) ? 1 : 0);
  sonde_keras_set_inferred (self, 0, sonde_lowering_cast (self->out, y, SONDE_DTYPE_I32));
}

const SondeKerasOperator sonde_keras_math_operators[] = {
  { "Absolute", "math.abs", lower_unary, "Abs" },
  { "Add", "math.add", lower_binary, "Add" },
  { "Add", "__operators__.add", lower_binary, "Add" },
  { "All", "math.reduce_all", lower_truth, "ReduceMin" },
  { "Any", "math.reduce_any", lower_truth, "ReduceMax" },
  { "Argmax", "math.argmax", lower_index, "ArgMax" },
  { "Argmin", "math.argmin", lower_index, "ArgMin" },
  { "Cast", "cast", lower_cast, NULL },
  { "Ceil", "math.ceil", lower_unary, "Ceil" },
  { "Celu", NULL, lower_slope, "Celu" },
  { "Clip", "clip_by_value", lower_clip, NULL },
  { "Cos", "math.cos", lower_unary, "Cos" },
  { "Divide", "math.divide", lower_divide, NULL },
  { "Einsum", NULL, lower_einsum, NULL },
  { "Elu", "nn.elu", lower_slope, "Elu" },
  { "Equal", "math.equal", lower_binary, "Equal" },
  { "Erf", "math.erf", lower_unary, "Erf" },
  { "Exp", "math.exp", lower_unary, "Exp" },
  { "Expm1", "math.expm1", lower_near_one, "Exp" },
  { "Floor", "math.floor", lower_unary, "Floor" },
  { "FloorDivide", "math.floordiv", lower_floor_divide, NULL },
  { "Gelu", "nn.gelu", lower_function, "gelu" },
  { "Greater", "math.greater", lower_binary, "Greater" },
  { "GreaterEqual", "math.greater_equal", lower_binary, "GreaterOrEqual" },
  { "HardSigmoid", NULL, lower_function, "hard_sigmoid" },
  { "HardSilu", NULL, lower_function, "hard_silu" },
  { "Isnan", "math.is_nan", lower_unary, "IsNaN" },
  { "LeakyRelu", "nn.leaky_relu", lower_slope, "LeakyRelu" },
  { "Less", "math.less", lower_binary, "Less" },
  { "LessEqual", "math.less_equal", lower_binary, "LessOrEqual" },
  { "Log", "math.log", lower_unary, "Log" },
  { "Log1p", "math.log1p", lower_near_one, "Log" },
  { "LogSigmoid", "math.log_sigmoid", lower_function, "log_sigmoid" },
  { "LogSoftmax", "nn.log_softmax", lower_softmax, "LogSoftmax" },
  { "LogicalAnd", "math.logical_and", lower_binary, "And" },
  { "LogicalNot", "math.logical_not", lower_unary, "Not" },
  { "LogicalOr", "math.logical_or", lower_binary, "Or" },
  { "LogicalXor", "math.logical_xor", lower_binary, "Xor" },
  { "Logsumexp", "math.reduce_logsumexp", lower_reduction, "ReduceLogSumExp" },
  { "Matmul", "linalg.matmul", lower_binary, "MatMul" },
  { "Max", "math.reduce_max", lower_reduction, "ReduceMax" },
  { "Maximum", "math.maximum", lower_binary, "Max" },
  { "Mean", "math.reduce_mean", lower_reduction, "ReduceMean" },
  { "Min", "math.reduce_min", lower_reduction, "ReduceMin" },
  { "Minimum", "math.minimum", lower_binary, "Min" },
  { "Mish", NULL, lower_function, "mish" },
  { "Multiply", "math.multiply", lower_binary, "Mul" },
  { "Negative", "math.negative", lower_unary, "Neg" },
  { "NotEqual", "math.not_equal", lower_not_equal, NULL },
  { "Power", "math.pow", lower_binary, "Pow" },
  { "Prod", "math.reduce_prod", lower_reduction, "ReduceProd" },
  { "Reciprocal", "math.reciprocal", lower_unary, "Reciprocal" },
  { "Relu", "nn.relu", lower_unary, "Relu" },
  { "Relu6", "nn.relu6", lower_function, "relu6" },
  { "Round", "math.round", lower_unary, "Round" },
  { "Rsqrt", "math.rsqrt", lower_rsqrt, NULL },
  { "Selu", "nn.selu", lower_unary, "Selu" },
  { "Sigmoid", "math.sigmoid", lower_unary, "Sigmoid" },
  { "Sigmoid", "nn.sigmoid", lower_unary, "Sigmoid" },
  { "Sign", "math.sign", lower_unary, "Sign" },
  { "Silu", "nn.silu", lower_function, "silu" },
  { "Sin", "math.sin", lower_unary, "Sin" },
  { "Softmax", "nn.softmax", lower_softmax, "Softmax" },
  { "Softplus", "math.softplus", lower_unary, "Softplus" },
  { "Softsign", "nn.softsign", lower_unary, "Softsign" },
  { "Sqrt", "math.sqrt", lower_unary, "Sqrt" },
  { "Square", "math.square", lower_square, NULL },
  { "StopGradient", "stop_gradient", lower_unary, "Identity" },
  { "Subtract", "math.subtract", lower_binary, "Sub" },
  { "Sum", "math.reduce_sum", lower_reduction, "ReduceSum" },
  { "Tan", "math.tan", lower_unary, "Tan" },
  { "Tanh", "math.tanh", lower_unary, "Tanh" },
  { "TrueDivide", "math.truediv", lower_divide, NULL },
  { "Where", "where", lower_where, NULL },
  { NULL, NULL },
};
