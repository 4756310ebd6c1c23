/* SPDX-License-Identifier: Apache-2.0
 * Activations, as layers and as members of other layers' configurations. */
#include "data/models/keras/sonde-keras-lower.h"

#include <math.h>

/* ---- short forms --------------------------------------------------------- */

static SondeGraphValue *
with_number (SondeKerasLowering *self, const char *op, SondeGraphValue *x, double number)
{
  return sonde_keras_op2 (self, op, x, sonde_keras_scalar (self, x, number));
}

static SondeGraphValue *
with_attribute (SondeKerasLowering *self, const char *op, SondeGraphValue *x, const char *name,
                double number)
{
  SondeGraphValue *value = sonde_keras_op1 (self, op, x);

  sonde_node_set_float (value->producer, name, number);
  return value;
}

/* Between @least and @most. */
static SondeGraphValue *
clip (SondeKerasLowering *self, SondeGraphValue *x, double least, double most)
{
  SondeGraphValue *value = sonde_lowering_op (
      self->out, "Clip",
      SONDE_VALUES (x, sonde_keras_scalar (self, x, least),
                    isfinite (most) ? sonde_keras_scalar (self, x, most) : NULL));

  value->type = x->type;
  return value;
}

/* Where @condition holds @then, else @otherwise. */
static SondeGraphValue *
choose (SondeKerasLowering *self, SondeGraphValue *condition, SondeGraphValue *then,
        SondeGraphValue *otherwise)
{
  SondeGraphValue *value
      = sonde_lowering_op (self->out, "Where", SONDE_VALUES (condition, then, otherwise));

  value->type = then->type.rank > 0 ? then->type : otherwise->type;
  return value;
}

/* ---- functions ----------------------------------------------------------- */

/* relu6 (x + 3) / 6; before Keras 3 0.2 x + 0.5 */
static SondeGraphValue *
hard_sigmoid (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeGraphValue *value
      = with_attribute (self, "HardSigmoid", x, "alpha", self->version < 3 ? 0.2 : 1.0 / 6);

  sonde_node_set_float (value->producer, "beta", 0.5);
  return value;
}

static SondeGraphValue *
hard_silu (SondeKerasLowering *self, SondeGraphValue *x)
{
  return sonde_keras_op1 (self, "HardSwish", x);
}

static SondeGraphValue *
silu (SondeKerasLowering *self, SondeGraphValue *x)
{
  return sonde_keras_op2 (self, "Mul", x, sonde_keras_op1 (self, "Sigmoid", x));
}

static SondeGraphValue *
relu6 (SondeKerasLowering *self, SondeGraphValue *x)
{
  return clip (self, x, 0, 6);
}

static SondeGraphValue *
leaky (SondeKerasLowering *self, SondeGraphValue *x)
{
  return with_attribute (self, "LeakyRelu", x, "alpha", 0.2);
}

static SondeGraphValue *
gelu (SondeKerasLowering *self, SondeGraphValue *x)
{
  return sonde_keras_op1 (self, "Gelu", x);
}

static SondeGraphValue *
log_sigmoid (SondeKerasLowering *self, SondeGraphValue *x)
{
  return sonde_keras_op1 (self, "Neg",
                          sonde_keras_op1 (self, "Softplus", sonde_keras_op1 (self, "Neg", x)));
}

static SondeGraphValue *
tanh_shrink (SondeKerasLowering *self, SondeGraphValue *x)
{
  return sonde_keras_op2 (self, "Sub", x, sonde_keras_op1 (self, "Tanh", x));
}

static SondeGraphValue *
soft_shrink (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeGraphValue *value = with_attribute (self, "Shrink", x, "lambd", 0.5);

  sonde_node_set_float (value->producer, "bias", 0.5);
  return value;
}

static SondeGraphValue *
hard_shrink (SondeKerasLowering *self, SondeGraphValue *x)
{
  return with_attribute (self, "Shrink", x, "lambd", 0.5);
}

static SondeGraphValue *
hard_tanh (SondeKerasLowering *self, SondeGraphValue *x)
{
  return clip (self, x, -1, 1);
}

/* 0 below -1, x above 1, (x + 1)² / 4 between */
static SondeGraphValue *
sparse_plus (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeGraphValue *more = with_number (self, "Add", x, 1);
  SondeGraphValue *curve
      = with_number (self, "Mul", sonde_keras_op2 (self, "Mul", more, more), 0.25);
  SondeGraphValue *low = sonde_keras_op2 (self, "LessOrEqual", x, sonde_keras_scalar (self, x, -1));
  SondeGraphValue *high
      = sonde_keras_op2 (self, "GreaterOrEqual", x, sonde_keras_scalar (self, x, 1));

  low->type.dtype = high->type.dtype = SONDE_DTYPE_BOOL;
  return choose (self, low, sonde_keras_scalar (self, x, 0), choose (self, high, x, curve));
}

static SondeGraphValue *
sparse_sigmoid (SondeKerasLowering *self, SondeGraphValue *x)
{
  return clip (self, with_number (self, "Mul", with_number (self, "Add", x, 1), 0.5), 0, 1);
}

/* (x + sqrt (x² + 4)) / 2 */
static SondeGraphValue *
square_plus (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeGraphValue *root = sonde_keras_op1 (
      self, "Sqrt", with_number (self, "Add", sonde_keras_op2 (self, "Mul", x, x), 4));

  return with_number (self, "Mul", sonde_keras_op2 (self, "Add", x, root), 0.5);
}

static SondeGraphValue *
threshold (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeGraphValue *above = sonde_keras_op2 (self, "Greater", x, sonde_keras_scalar (self, x, 0));

  above->type.dtype = SONDE_DTYPE_BOOL;
  return choose (self, above, x, sonde_keras_scalar (self, x, 0));
}

static SondeGraphValue *
linear (SondeKerasLowering *self, SondeGraphValue *x)
{
  return x;
}

/* One half times the sigmoid of the other, along the last axis. */
static SondeGraphValue *
glu (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeNode *node = sonde_lowering_node (self->out, "", "Split", SONDE_VALUES (x), 2);
  SondeShape shape = sonde_keras_shape_of (x);

  sonde_node_set_int (node, "axis", -1);
  sonde_node_set_int (node, "num_outputs", 2);
  if (shape.rank > 0 && shape.dims[shape.rank - 1] > 0)
    shape.dims[shape.rank - 1] /= 2;
  for (guint i = 0; i < 2; i++)
    sonde_keras_shaped (sonde_node_get_output (node, i), x, &shape);
  return sonde_keras_op2 (self, "Mul", sonde_node_get_output (node, 0),
                          sonde_keras_op1 (self, "Sigmoid", sonde_node_get_output (node, 1)));
}

/* @op: an operator that is the function itself, else @lower; @along: it looks along the last axis */
typedef struct
{
  const char *name, *op;
  SondeGraphValue *(*lower) (SondeKerasLowering *self, SondeGraphValue *x);
  gboolean along;
} Function;

static const Function functions[] = {
  { "celu", "Celu", NULL },
  { "elu", "Elu", NULL },
  { "exponential", "Exp", NULL },
  { "gelu", NULL, gelu },
  { "glu", NULL, glu, TRUE },
  { "hard_shrink", NULL, hard_shrink },
  { "hard_sigmoid", NULL, hard_sigmoid },
  { "hard_silu", NULL, hard_silu },
  { "hard_swish", NULL, hard_silu },
  { "hard_tanh", NULL, hard_tanh },
  { "leaky_relu", NULL, leaky },
  { "linear", NULL, linear },
  { "log_sigmoid", NULL, log_sigmoid },
  { "log_softmax", "LogSoftmax", NULL, TRUE },
  { "mish", "Mish", NULL },
  { "relu", "Relu", NULL },
  { "relu6", NULL, relu6 },
  { "selu", "Selu", NULL },
  { "sigmoid", "Sigmoid", NULL },
  { "silu", NULL, silu },
  { "soft_shrink", NULL, soft_shrink },
  { "softmax", "Softmax", NULL, TRUE },
  { "softplus", "Softplus", NULL },
  { "softsign", "Softsign", NULL },
  { "sparse_plus", NULL, sparse_plus },
  { "sparse_sigmoid", NULL, sparse_sigmoid },
  { "squareplus", NULL, square_plus },
  { "swish", NULL, silu },
  { "tanh", "Tanh", NULL },
  { "tanh_shrink", NULL, tanh_shrink },
  { "threshold", NULL, threshold },
};

/* The name of a function, or of an object that stands for one: {"class_name": "function", "config":
 * "relu"}. (nullable) */
static const char *
find_function_name (JsonNode *node)
{
  JsonObject *object = NULL;
  const char *name = NULL;

  if (node != NULL && JSON_NODE_HOLDS_VALUE (node)
      && json_node_get_value_type (node) == G_TYPE_STRING)
    return json_node_get_string (node);
  if (node == NULL || !JSON_NODE_HOLDS_OBJECT (node))
    return NULL;
  object = json_node_get_object (node);
  name = sonde_json_member_text (object, "config");
  return name != NULL ? name : sonde_json_member_text (object, "class_name");
}

static SondeGraphValue *
refuse_function (SondeKerasLowering *self, SondeGraphValue *x, const char *name)
{
  SondeNode *node = sonde_lowering_refuse (
      self->out, SONDE_VALUES (x), 1,
      sonde_message_new ("the activation “%s” is not read", name != NULL ? name : "?"),
      sonde_message_new ("In Keras: model.export (\"FOLDER\"), and give that folder"));

  sonde_node_get_output (node, 0)->type = x->type;
  return sonde_node_get_output (node, 0);
}

/* An object may be a layer: {"class_name": "LeakyReLU", "config": {…}}. */
static SondeGraphValue *
activate_by_layer (SondeKerasLowering *self, SondeGraphValue *x, JsonObject *json)
{
  const SondeKerasRow *row
      = sonde_keras_find_row (sonde_json_member_text (json, "class_name") != NULL
                                  ? sonde_json_member_text (json, "class_name")
                                  : "");
  SondeKerasLowering saved = *self;
  SondeGraphValue *value = NULL;

  if (row == NULL || sonde_json_member_object (json, "config") == NULL)
    return refuse_function (self, x, sonde_json_member_text (json, "class_name"));
  self->config = sonde_json_member_object (json, "config");
  self->inputs = g_ptr_array_new ();
  self->outputs = g_ptr_array_new ();
  g_ptr_array_add (self->inputs, x);
  row->lower (self, row->op);
  value = self->outputs->len > 0 ? self->outputs->pdata[0] : x;
  g_ptr_array_unref (self->inputs);
  g_ptr_array_unref (self->outputs);
  *self = saved;
  return value;
}

/* (nullable) */
static const Function *
find_function (const char *name)
{
  for (gsize i = 0; i < G_N_ELEMENTS (functions); i++)
    if (g_str_equal (functions[i].name, name))
      return &functions[i];
  return NULL;
}

/* In the layout that is there. */
static SondeGraphValue *
apply (SondeKerasLowering *self, const Function *function, SondeGraphValue *x)
{
  SondeGraphValue *first
      = function->along ? NULL : sonde_lowering_find_channels_first (self->out, x);
  SondeGraphValue *from = first != NULL ? first : x;
  SondeGraphValue *y = function->op != NULL ? sonde_keras_op1 (self, function->op, from)
                                            : function->lower (self, from);

  return first != NULL ? sonde_lowering_channels_last (self->out, y) : y;
}

SondeGraphValue *
sonde_keras_apply (SondeKerasLowering *self, const char *name, SondeGraphValue *x)
{
  const Function *function = find_function (name);

  g_return_val_if_fail (function != NULL, x);
  return apply (self, function, x);
}

SondeGraphValue *
sonde_keras_activate (SondeKerasLowering *self, SondeGraphValue *x, const char *member)
{
  JsonNode *node = json_object_get_member (self->config, member);
  const char *name = find_function_name (node);

  if (!sonde_keras_has (self, member))
    return x;
  if (name != NULL && find_function (name) != NULL)
    return apply (self, find_function (name), x);
  if (JSON_NODE_HOLDS_OBJECT (node)
      && sonde_json_member_text (json_node_get_object (node), "config") == NULL)
    return activate_by_layer (self, x, json_node_get_object (node));
  return refuse_function (self, x, name);
}

/* ---- layers -------------------------------------------------------------- */

static void
lower_activation (SondeKerasLowering *self, const char *op)
{
  sonde_keras_set_out (self, 0,
                       sonde_keras_activate (self, sonde_keras_in (self, 0), "activation"));
}

/* x above the threshold, at most max_value; slope · (x - threshold) below. */
static void
lower_relu (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL, *above = NULL;
  double most = sonde_keras_number (self, "max_value", INFINITY);
  double slope = sonde_keras_number (self, "negative_slope", 0);
  double from = sonde_keras_number (self, "threshold", sonde_keras_number (self, "theta", 0));

  if (g_str_equal (op, "ThresholdedRelu") && from == 0)
    from = 1;
  if (from == 0 && slope == 0)
    y = isfinite (most) ? clip (self, x, 0, most) : sonde_keras_op1 (self, "Relu", x);
  else if (from == 0)
    y = with_attribute (self, "LeakyRelu", x, "alpha", slope);
  else
    {
      above = sonde_keras_op2 (self,
                               g_str_equal (op, "ThresholdedRelu") ? "Greater" : "GreaterOrEqual",
                               x, sonde_keras_scalar (self, x, from));
      above->type.dtype = SONDE_DTYPE_BOOL;
      y = slope == 0 ? sonde_keras_scalar (self, x, 0)
                     : with_number (self, "Mul", with_number (self, "Sub", x, from), slope);
      y = choose (self, above, x, y);
    }
  if (isfinite (most) && (from != 0 || slope != 0))
    y = sonde_keras_op2 (self, "Min", y, sonde_keras_scalar (self, x, most));
  sonde_keras_set_out (self, 0, y);
}

/* Keras 2 calls the slope alpha. */
static void
lower_slope (SondeKerasLowering *self, const char *op)
{
  gboolean elu = g_str_equal (op, "Elu");
  double fallback = sonde_keras_number (self, "alpha", elu ? 1 : 0.3);
  double alpha = sonde_keras_number (self, "negative_slope", fallback);

  sonde_keras_set_out (self, 0,
                       with_attribute (self, op, sonde_keras_in (self, 0), "alpha", alpha));
}

static void
lower_prelu (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);
  SondeShape shape = sonde_keras_shape_of (x);

  if (!sonde_keras_check_rank (self, 0, 2, SONDE_MAX_RANK))
    return;
  shape.rank--;
  for (int i = 0; i < shape.rank; i++)
    shape.dims[i] = -1; /* one for all along shared axes */
  sonde_keras_set_out (
      self, 0,
      sonde_keras_op2 (self, "PRelu", x, sonde_keras_weight (self, NULL, "alpha", 0, &shape)));
}

/* One axis, or several that are flattened for it. */
static void
lower_softmax (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  JsonArray *axes = sonde_json_member_array (self->config, "axis");
  gint64 axis = sonde_json_member_count (axes) == 1 ? json_array_get_int_element (axes, 0)
                                                    : sonde_keras_int (self, "axis", -1);

  if (sonde_json_member_count (axes) > 1 || self->inputs->len > 1)
    {
      sonde_keras_refuse (self, sonde_message_new ("several axes, and masks, are not read"), NULL);
      return;
    }
  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  y = sonde_keras_op1 (self, "Softmax", x);
  sonde_node_set_int (y->producer, "axis", sonde_keras_axis (self, axis, x->type.rank));
  sonde_keras_set_out (self, 0, y);
}

/* Layers that do something in training alone. */
static void
drop (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0);

  sonde_lowering_mark (self->out, SONDE_LOWERED_DROPPED);
  sonde_keras_set_out (self, 0, self->is_first ? sonde_keras_op1 (self, "Identity", x) : x);
}

#define BOTH (SONDE_KERAS_KEEPS_MASK | SONDE_KERAS_ANYWHERE)

const SondeKerasRow sonde_keras_activation_rows[] = {
  { "Activation", 1, SONDE_KERAS_KEEPS_MASK, lower_activation, NULL },
  { "ActivityRegularization", 1, BOTH, drop, NULL },
  { "AlphaDropout", 1, BOTH, drop, NULL },
  { "Dropout", 1, BOTH, drop, NULL },
  { "ELU", 1, BOTH, lower_slope, "Elu" },
  { "GaussianDropout", 1, BOTH, drop, NULL },
  { "GaussianNoise", 1, BOTH, drop, NULL },
  { "Identity", 1, BOTH, drop, NULL },
  { "LeakyReLU", 1, BOTH, lower_slope, "LeakyRelu" },
  { "PReLU", 1, SONDE_KERAS_KEEPS_MASK, lower_prelu, NULL },
  { "RandomBrightness", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomColorDegeneration", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomColorJitter", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomContrast", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomErasing", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomFlip", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomGaussianBlur", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomGrayscale", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomHue", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomPerspective", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomPosterization", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomRotation", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomSaturation", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomSharpness", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomShear", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomTranslation", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "RandomZoom", 1, SONDE_KERAS_ANYWHERE, drop, NULL },
  { "ReLU", 1, BOTH, lower_relu, "Relu" },
  { "Softmax", 1, SONDE_KERAS_KEEPS_MASK, lower_softmax, NULL },
  { "SpatialDropout1D", 1, BOTH, drop, NULL },
  { "SpatialDropout2D", 1, BOTH, drop, NULL },
  { "SpatialDropout3D", 1, BOTH, drop, NULL },
  { "ThresholdedReLU", 1, BOTH, lower_relu, "ThresholdedRelu" },
  { NULL },
};
