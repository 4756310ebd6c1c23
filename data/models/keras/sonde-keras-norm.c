/* SPDX-License-Identifier: Apache-2.0
 * Normalisation, and scales of the data in front of a net. */
#include "data/models/keras/sonde-keras-lower.h"

/* @n ones or zeros where a layer has no weight for them. */
static SondeGraphValue *
constant_row (SondeKerasLowering *self, const char *what, gint64 n, double number)
{
  const SondeShape shape = { 1, { n } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *name = g_strdup_printf ("%s.%s", self->place.name, what);

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, number);
  return sonde_lowering_constant (self->out, name, tensor);
}

/* ---- BatchNormalization -------------------------------------------------- */

typedef struct
{
  SondeGraphValue *gamma, *beta, *mean, *variance;
  gint64 n;
} Batch;

static void
read_batch (SondeKerasLowering *self, gint64 n, Batch *batch)
{
  gboolean scale = sonde_keras_bool (self, "scale", TRUE);
  gboolean center = sonde_keras_bool (self, "center", TRUE);
  const SondeShape shape = { 1, { n } };
  guint index = (scale ? 1 : 0) + (center ? 1 : 0);

  batch->mean = sonde_keras_weight (self, NULL, "moving_mean", index, &shape);
  batch->n = batch->mean->type.dims[0].size;
  batch->variance = sonde_keras_weight (self, NULL, "moving_variance", index + 1, &shape);
  batch->gamma = scale ? sonde_keras_weight (self, NULL, "gamma", 0, &shape)
                       : constant_row (self, "gamma", batch->n, 1);
  batch->beta = center ? sonde_keras_weight (self, NULL, "beta", scale ? 1 : 0, &shape)
                       : constant_row (self, "beta", batch->n, 0);
}

/* ONNX normalises along axis 1. */
static void
lower_batch (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  JsonArray *axes = sonde_json_member_array (self->config, "axis");
  gint64 axis = sonde_json_member_count (axes) == 1 ? json_array_get_int_element (axes, 0)
                                                    : sonde_keras_int (self, "axis", -1);
  gboolean turned = FALSE;
  Batch batch;
  SondeType type;

  if (!sonde_keras_check_rank (self, 0, 2, SONDE_MAX_RANK))
    return;
  axis = sonde_keras_axis (self, axis, x->type.rank);
  if (axis != 1 && axis != x->type.rank - 1)
    {
      sonde_keras_refuse (self, sonde_message_new ("an axis in the middle is not read"), NULL);
      return;
    }
  read_batch (self, x->type.dims[axis].size, &batch);
  turned = axis != 1;
  x = turned ? sonde_lowering_channels_first (self->out, x) : x;
  type = x->type;
  y = sonde_lowering_op (self->out, "BatchNormalization",
                         SONDE_VALUES (x, batch.gamma, batch.beta, batch.mean, batch.variance));
  y->type = type;
  sonde_node_set_float (y->producer, "epsilon", sonde_keras_number (self, "epsilon", 1e-3));
  sonde_node_set_float (y->producer, "momentum", sonde_keras_number (self, "momentum", 0.99));
  sonde_keras_set_out (self, 0, turned ? sonde_lowering_channels_last (self->out, y) : y);
}

/* ---- over axes of one sample --------------------------------------------- */

/* Axes of @x as the configuration has them: one, or a list, from the front, sorted; 0: none that is
 * right. */
static int
read_axes (SondeKerasLowering *self, const SondeGraphValue *x, gint64 *axes)
{
  JsonArray *list = sonde_json_member_array (self->config, "axis");
  int n = list != NULL ? (int) MIN (sonde_json_member_count (list), SONDE_MAX_RANK) : 1;
  gboolean present[SONDE_MAX_RANK] = { FALSE };
  int count = 0;

  for (int i = 0; i < n; i++)
    {
      gint64 axis = list != NULL ? json_array_get_int_element (list, (guint) i)
                                 : sonde_keras_int (self, "axis", -1);

      present[sonde_keras_axis (self, axis, x->type.rank)] = TRUE;
    }
  for (int i = 0; i < x->type.rank; i++)
    if (present[i])
      axes[count++] = i;
  return count;
}

static SondeGraphValue *
reduce (SondeKerasLowering *self, const char *op, SondeGraphValue *x, const gint64 *axes, int n)
{
  SondeGraphValue *y = sonde_lowering_op (
      self->out, op, SONDE_VALUES (x, sonde_lowering_ints (self->out, axes, (gsize) n)));
  SondeShape shape = sonde_keras_shape_of (x);

  for (int i = 0; i < n; i++)
    shape.dims[axes[i]] = 1;
  return sonde_keras_shaped (y, x, &shape);
}

/* x · 1 / sqrt (mean (x²) + epsilon) */
static SondeGraphValue *
divide_by_rms (SondeKerasLowering *self, SondeGraphValue *x, SondeGraphValue *of,
               const gint64 *axes, int n, double epsilon)
{
  SondeGraphValue *square = sonde_keras_op2 (self, "Mul", of, of);
  SondeGraphValue *mean = reduce (self, "ReduceMean", square, axes, n);
  SondeGraphValue *sum
      = sonde_keras_op2 (self, "Add", mean, sonde_keras_scalar (self, mean, epsilon));

  return sonde_keras_op2 (self, "Div", x, sonde_keras_op1 (self, "Sqrt", sum));
}

/* A weight of the sizes of @axes, with ones between them. */
static SondeGraphValue *
read_along (SondeKerasLowering *self, const char *what, guint index, const SondeGraphValue *x,
            const gint64 *axes, int n)
{
  SondeShape shape = { .rank = n };
  gint64 sizes[SONDE_MAX_RANK];
  SondeGraphValue *weight = NULL;
  int rank = x->type.rank - (int) axes[0];

  for (int i = 0; i < n; i++)
    shape.dims[i] = x->type.dims[axes[i]].size;
  weight = sonde_keras_weight (self, NULL, what, index, &shape);
  for (int i = 0; i < rank; i++)
    sizes[i] = 1;
  for (int i = 0; i < n; i++)
    sizes[axes[i] - axes[0]] = weight->type.dims[i].size;
  return rank != n ? sonde_lowering_reshape (self->out, weight, sizes, rank) : weight;
}

static SondeGraphValue *
scale_along (SondeKerasLowering *self, const char *op, SondeGraphValue *y, const char *what,
             guint index, const gint64 *axes, int n)
{
  SondeGraphValue *weight = read_along (self, what, index, y, axes, n);
  SondeType type = y->type;

  y = sonde_keras_op2 (self, op, y, weight);
  y->type = type;
  return y;
}

/* The last axis alone is ONNX's own operator; others are written out. */
static SondeGraphValue *
normalise_last (SondeKerasLowering *self, SondeGraphValue *x, double epsilon)
{
  const SondeShape shape = { 1, { x->type.dims[x->type.rank - 1].size } };
  gboolean scale = sonde_keras_bool (self, "scale", TRUE);
  SondeGraphValue *gamma = scale ? sonde_keras_weight (self, NULL, "gamma", 0, &shape)
                                 : constant_row (self, "gamma", MAX (shape.dims[0], 0), 1);
  SondeGraphValue *beta = sonde_keras_bool (self, "center", TRUE)
                              ? sonde_keras_weight (self, NULL, "beta", scale ? 1 : 0, &shape)
                              : NULL;
  SondeGraphValue *y
      = sonde_lowering_op (self->out, "LayerNormalization",
                           (SondeGraphValue *const[]){ x, gamma, beta }, beta != NULL ? 3 : 2);

  y->type = x->type;
  sonde_node_set_int (y->producer, "axis", -1);
  sonde_node_set_float (y->producer, "epsilon", epsilon);
  return y;
}

static SondeGraphValue *
normalise (SondeKerasLowering *self, SondeGraphValue *x, const gint64 *axes, int n, double epsilon)
{
  gboolean scale = sonde_keras_bool (self, "scale", TRUE);
  SondeGraphValue *y = sonde_keras_op2 (self, "Sub", x, reduce (self, "ReduceMean", x, axes, n));

  y = divide_by_rms (self, y, y, axes, n, epsilon);
  if (scale)
    y = scale_along (self, "Mul", y, "gamma", 0, axes, n);
  if (sonde_keras_bool (self, "center", TRUE))
    y = scale_along (self, "Add", y, "beta", scale ? 1 : 0, axes, n);
  return y;
}

static void
lower_layer (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  double epsilon = sonde_keras_number (self, "epsilon", 1e-3);
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  int n = 0;

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  n = read_axes (self, x, axes);
  if (sonde_keras_bool (self, "rms_scaling", FALSE))
    {
      sonde_keras_refuse (self, sonde_message_new ("rms_scaling is not read"),
                          sonde_message_new ("Use RMSNormalization"));
      return;
    }
  y = n == 1 && axes[0] == x->type.rank - 1 ? normalise_last (self, x, epsilon)
                                            : normalise (self, x, axes, n, epsilon);
  sonde_keras_set_out (self, 0, y);
}

static void
lower_rms (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  int n = 0;

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  n = read_axes (self, x, axes);
  y = divide_by_rms (self, x, x, axes, n, sonde_keras_number (self, "epsilon", 1e-6));
  sonde_keras_set_out (self, 0, scale_along (self, "Mul", y, "scale", 0, axes, n));
}

/* x / sqrt (sum (x²)), which is at least 10⁻⁶ */
static void
lower_unit (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *sum = NULL;
  gint64 axes[SONDE_MAX_RANK] = { 0 };
  int n = 0;

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  n = read_axes (self, x, axes);
  sum = reduce (self, "ReduceSum", sonde_keras_op2 (self, "Mul", x, x), axes, n);
  sum = sonde_keras_op2 (self, "Max", sum, sonde_keras_scalar (self, sum, 1e-12));
  sonde_keras_set_out (self, 0,
                       sonde_keras_op2 (self, "Div", x, sonde_keras_op1 (self, "Sqrt", sum)));
}

/* ---- GroupNormalization -------------------------------------------------- */

/* ONNX's operator has channels first and a number a channel. */
static void
lower_group (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  gint64 axis = 0, groups = sonde_keras_int (self, "groups", 32), n = 0;
  gboolean scale = sonde_keras_bool (self, "scale", TRUE), turned = FALSE;
  SondeShape shape = { .rank = 1 };

  if (!sonde_keras_check_rank (self, 0, 3, SONDE_MAX_RANK))
    return;
  axis = sonde_keras_axis (self, sonde_keras_int (self, "axis", -1), x->type.rank);
  n = shape.dims[0] = x->type.dims[axis].size;
  groups = groups == -1 ? n : groups;
  if ((axis != 1 && axis != x->type.rank - 1) || n < 1 || groups < 1 || n % groups != 0)
    {
      sonde_keras_refuse (self,
                          sonde_message_new ("an axis in the middle, or groups that do not "
                                             "divide the channels, are not read"),
                          NULL);
      return;
    }
  turned = axis != 1;
  x = turned ? sonde_lowering_channels_first (self->out, x) : x;
  y = sonde_lowering_op (
      self->out, "GroupNormalization",
      SONDE_VALUES (x,
                    scale ? sonde_keras_weight (self, NULL, "gamma", 0, &shape)
                          : constant_row (self, "gamma", n, 1),
                    sonde_keras_bool (self, "center", TRUE)
                        ? sonde_keras_weight (self, NULL, "beta", scale ? 1 : 0, &shape)
                        : constant_row (self, "beta", n, 0)));
  y->type = x->type;
  sonde_node_set_int (y->producer, "num_groups", groups);
  sonde_node_set_float (y->producer, "epsilon", sonde_keras_number (self, "epsilon", 1e-3));
  sonde_keras_set_out (self, 0, turned ? sonde_lowering_channels_last (self->out, y) : y);
}

/* ---- scales of data ------------------------------------------------------ */

/* Numbers of a configuration, one or a list (of lists): a constant, of rank 1 or 0. */
static SondeGraphValue *
read_numbers (SondeKerasLowering *self, const SondeGraphValue *like, const char *name)
{
  JsonNode *node = json_object_get_member (self->config, name);
  JsonArray *list = NULL;
  g_autoptr (SondeTensor) tensor = NULL;
  g_autofree char *full = g_strdup_printf ("%s.%s", self->place.name, name);
  SondeShape shape = { .rank = 1 };

  while (node != NULL && JSON_NODE_HOLDS_ARRAY (node))
    {
      list = json_node_get_array (node);
      node = json_array_get_length (list) == 1 ? json_array_get_element (list, 0) : NULL;
    }
  if (list == NULL || json_array_get_length (list) == 1)
    {
      double number = 0;

      sonde_json_member_number (node, &number);
      return sonde_keras_scalar (self, like, number);
    }
  shape.dims[0] = json_array_get_length (list);
  tensor = sonde_tensor_new (like->type.dtype, &shape);
  for (guint i = 0; i < json_array_get_length (list); i++)
    {
      double number = 0;

      sonde_json_member_number (json_array_get_element (list, i), &number);
      sonde_tensor_set_double (tensor, i, number);
    }
  return sonde_lowering_constant (self->out, full, tensor);
}

/* Integers are real numbers from here on. */
static SondeGraphValue *
as_real (SondeKerasLowering *self, SondeGraphValue *x)
{
  SondeType type = x->type;

  if (sonde_dtype_is_float (type.dtype))
    return x;
  x = sonde_lowering_cast (self->out, x, SONDE_DTYPE_F32);
  type.dtype = SONDE_DTYPE_F32;
  x->type = type;
  return x;
}

static void
lower_rescaling (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = as_real (self, sonde_keras_in (self, 0));
  SondeGraphValue *y = sonde_keras_op2 (self, "Mul", x, read_numbers (self, x, "scale"));

  sonde_keras_set_out (self, 0, sonde_keras_op2 (self, "Add", y, read_numbers (self, x, "offset")));
}

/* (x - mean) / max (sqrt (variance), 10⁻⁷), with numbers that were given or learnt. */
static void
lower_normalization (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = as_real (self, sonde_keras_in (self, 0)), *mean = NULL, *variance = NULL;
  SondeGraphValue *deviation = NULL, *y = NULL;
  JsonArray *axes = sonde_json_member_array (self->config, "axis");
  gint64 axis = sonde_json_member_count (axes) == 1 ? json_array_get_int_element (axes, 0)
                                                    : sonde_keras_int (self, "axis", -1);
  gboolean given = sonde_keras_has (self, "mean");
  SondeShape shape = { 1, { -1 } };

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  if (sonde_json_member_count (axes) > 1 || sonde_keras_bool (self, "invert", FALSE)
      || sonde_keras_axis (self, axis, x->type.rank) != x->type.rank - 1)
    {
      sonde_keras_refuse (
          self, sonde_message_new ("inverted, or along other axes than the last, it is not read"),
          NULL);
      return;
    }
  mean
      = given ? read_numbers (self, x, "mean") : sonde_keras_weight (self, NULL, "mean", 0, &shape);
  variance = given ? read_numbers (self, x, "variance")
                   : sonde_keras_weight (self, NULL, "variance", 1, &shape);
  deviation = sonde_keras_op1 (self, "Sqrt", variance);
  deviation = sonde_keras_op2 (self, "Max", deviation, sonde_keras_scalar (self, x, 1e-7));
  y = sonde_keras_op2 (self, "Sub", x, mean);
  sonde_keras_set_out (self, 0, sonde_keras_op2 (self, "Div", y, deviation));
}

#define KEEPS SONDE_KERAS_KEEPS_MASK

const SondeKerasRow sonde_keras_norm_rows[] = {
  { "BatchNormalization", 1, KEEPS, lower_batch, NULL },
  { "GroupNormalization", 1, KEEPS, lower_group, NULL },
  { "LayerNormalization", 1, KEEPS, lower_layer, NULL },
  { "Normalization", 1, SONDE_KERAS_PLAIN, lower_normalization, NULL },
  { "RMSNormalization", 1, KEEPS, lower_rms, NULL },
  { "Rescaling", 1, SONDE_KERAS_PLAIN, lower_rescaling, NULL },
  { "SyncBatchNormalization", 1, KEEPS, lower_batch, NULL },
  { "UnitNormalization", 1, KEEPS, lower_unit, NULL },
  { NULL },
};
