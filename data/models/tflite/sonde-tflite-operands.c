/* SPDX-License-Identifier: Apache-2.0
 * What the functions of rows read and write: operands, options, real numbers of quantised ones. */
#include <math.h>

#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-lower-private.h"

/* ---- tensors ------------------------------------------------------------- */

const SondeTfliteTensor *
sonde_tflite_in_tensor (const SondeTfliteLower *lower, guint k)
{
  const SondeTfliteOperator *op = lower->op;

  if (k >= op->n_inputs || op->inputs[k] == SONDE_TFLITE_ABSENT)
    return NULL;
  return &lower->graph->tensors[op->inputs[k]];
}

const SondeTfliteTensor *
sonde_tflite_out_tensor (const SondeTfliteLower *lower, guint k)
{
  return k < lower->op->n_outputs ? &lower->graph->tensors[lower->op->outputs[k]] : NULL;
}

int
sonde_tflite_in_rank (const SondeTfliteLower *lower, guint k)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);

  return tensor != NULL ? tensor->shape.rank : 0;
}

gboolean
sonde_tflite_is_quantised (const SondeTfliteTensor *tensor)
{
  return tensor != NULL && tensor->quantisation.n > 0 && sonde_dtype_is_integer (tensor->dtype);
}

/* ---- values -------------------------------------------------------------- */

SondeGraphValue *
sonde_tflite_in_raw (SondeTfliteLower *lower, guint k)
{
  return sonde_tflite_in_tensor (lower, k) != NULL
             ? sonde_tflite_value (lower, (guint) lower->op->inputs[k])
             : NULL;
}

SondeGraphValue *
sonde_tflite_in (SondeTfliteLower *lower, guint k)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);
  SondeGraphValue *value = sonde_tflite_in_raw (lower, k);

  if (lower->floats && sonde_tflite_is_quantised (tensor))
    return sonde_tflite_dequantise (lower, value, tensor);
  return value;
}

/* The type, whose rank a change of layout needs, where nothing but the file says it. @dtype: of @value */
static void
assume_type (SondeTfliteLower *lower, guint k, SondeGraphValue *value, SondeDtype dtype)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);

  if (value->type.rank >= 0 && value->type.dtype != SONDE_DTYPE_INVALID)
    return;
  value->type
      = (SondeType){ .kind = SONDE_VALUE_TENSOR, .dtype = dtype, .rank = tensor->signature.rank };
  for (int i = 0; i < value->type.rank; i++)
    value->type.dims[i].size = tensor->signature.dims[i];
}

SondeGraphValue *
sonde_tflite_in_first (SondeTfliteLower *lower, guint k)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);
  SondeGraphValue *value = sonde_tflite_in_raw (lower, k);

  if (!lower->floats || !sonde_tflite_is_quantised (tensor))
    {
      assume_type (lower, k, value, tensor->dtype);
      return sonde_lowering_channels_first (lower->to, value);
    }
  if (tensor->quantisation.n > 1)
    {
      value = sonde_tflite_dequantise (lower, value, tensor);
      assume_type (lower, k, value, SONDE_DTYPE_F32);
      return sonde_lowering_channels_first (lower->to, value);
    }
  assume_type (lower, k, value, tensor->dtype);
  return sonde_tflite_dequantise (lower, sonde_lowering_channels_first (lower->to, value), tensor);
}

SondeGraphValue *
sonde_tflite_in_scalar (SondeTfliteLower *lower, guint k)
{
  return sonde_lowering_reshape (lower->to, sonde_tflite_in (lower, k), NULL, 0);
}

/* ---- either layout ------------------------------------------------------- */

static gboolean
has_first (const SondeTfliteLower *lower, guint k, int rank)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);
  const SondeGraphValue *value = lower->values[lower->op->inputs[k]];

  return value != NULL && tensor->shape.rank == rank
         && sonde_lowering_find_channels_first (lower->to, (SondeGraphValue *) value) != NULL;
}

/* One number, which is the same in every layout. */
static gboolean
is_single (const SondeTfliteLower *lower, guint k)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);

  return tensor->data != NULL && sonde_shape_n_elements (&tensor->shape) == 1
         && tensor->quantisation.n <= 1;
}

void
sonde_tflite_choose_layout_of (SondeTfliteLower *lower)
{
  lower->first = has_first (lower, 0, sonde_tflite_in_rank (lower, 0));
}

void
sonde_tflite_choose_layout (SondeTfliteLower *lower, guint n)
{
  int rank = 0;

  lower->first = FALSE;
  for (guint k = 0; k < n; k++)
    rank = MAX (rank, sonde_tflite_in_rank (lower, k));
  if (rank < 3 || sonde_tflite_out_tensor (lower, 0)->shape.rank != rank)
    return;
  for (guint k = 0; k < n; k++)
    {
      if (sonde_tflite_in_tensor (lower, k) == NULL)
        return;
      lower->first |= has_first (lower, k, rank);
    }
  for (guint k = 0; k < n; k++)
    lower->first &= has_first (lower, k, rank) || is_single (lower, k);
}

SondeGraphValue *
sonde_tflite_in_any (SondeTfliteLower *lower, guint k)
{
  return lower->first && !is_single (lower, k) ? sonde_tflite_in_first (lower, k)
                                               : sonde_tflite_in (lower, k);
}

void
sonde_tflite_out_any (SondeTfliteLower *lower, guint k, SondeGraphValue *value)
{
  if (lower->first)
    sonde_tflite_out_first (lower, k, value);
  else
    sonde_tflite_out (lower, k, value);
}

static SondeGraphValue *
quantise_output (SondeTfliteLower *lower, guint k, SondeGraphValue *value)
{
  const SondeTfliteTensor *tensor = sonde_tflite_out_tensor (lower, k);

  if (lower->floats && sonde_tflite_is_quantised (tensor))
    return sonde_tflite_quantise (lower, value, tensor);
  return value;
}

void
sonde_tflite_out (SondeTfliteLower *lower, guint k, SondeGraphValue *value)
{
  sonde_tflite_set_value (lower, (guint) lower->op->outputs[k], quantise_output (lower, k, value));
}

void
sonde_tflite_out_first (SondeTfliteLower *lower, guint k, SondeGraphValue *value)
{
  const SondeTfliteTensor *tensor = sonde_tflite_out_tensor (lower, k);
  int rank = tensor->signature.rank;

  value = quantise_output (lower, k, value);
  value->type = (SondeType){ .kind = SONDE_VALUE_TENSOR, .dtype = tensor->dtype, .rank = rank };
  for (int i = 0; i < rank; i++)
    value->type.dims[i].size = tensor->signature.dims[i == 0 ? 0 : i == 1 ? rank - 1 : i - 1];
  sonde_tflite_set_value (lower, (guint) lower->op->outputs[k],
                          sonde_lowering_channels_last (lower->to, value));
}

void
sonde_tflite_set_handle (SondeTfliteLower *lower, SondeGraphValue *handle)
{
  lower->values[lower->op->outputs[0]] = handle;
}

void
sonde_tflite_refuse (SondeTfliteLower *lower, SondeMessage *what, SondeMessage *advice)
{
  const SondeTfliteOperator *op = lower->op;
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, op->n_inputs + 1);
  SondeNode *node;

  for (guint k = 0; k < op->n_inputs; k++)
    inputs[k] = sonde_tflite_in_raw (lower, k);
  node = sonde_lowering_refuse (lower->to, inputs, op->n_inputs, op->n_outputs, what, advice);
  for (guint k = 0; k < op->n_outputs; k++)
    sonde_tflite_set_value (lower, (guint) op->outputs[k], sonde_node_get_output (node, k));
}

/* ---- options ------------------------------------------------------------- */

int
sonde_tflite_option (const SondeTfliteLower *lower, guint slot, int fallback)
{
  return sonde_flat_table_get_i32 (&lower->op->options, slot, fallback);
}

int
sonde_tflite_option8 (const SondeTfliteLower *lower, guint slot)
{
  return sonde_flat_table_get_i8 (&lower->op->options, slot, 0);
}

gboolean
sonde_tflite_option_bool (const SondeTfliteLower *lower, guint slot)
{
  return sonde_flat_table_get_bool (&lower->op->options, slot);
}

float
sonde_tflite_option_float (const SondeTfliteLower *lower, guint slot)
{
  return sonde_flat_table_get_f32 (&lower->op->options, slot, 0);
}

/* ---- numbers ------------------------------------------------------------- */

gint64 *
sonde_tflite_dup_ints (SondeTfliteLower *lower, guint k, guint *n)
{
  const SondeTensor *tensor = NULL;
  SondeGraphValue *value = sonde_tflite_in_raw (lower, k);
  gint64 *numbers;

  *n = 0;
  tensor = sonde_lowering_get_constant (value);
  if (tensor == NULL || !sonde_dtype_is_integer (tensor->dtype))
    return NULL;
  *n = (guint) sonde_tensor_n_elements (tensor);
  numbers = g_new (gint64, MAX (*n, 1));
  for (guint i = 0; i < *n; i++)
    numbers[i] = sonde_tensor_get_int (tensor, i);
  return numbers;
}

gint64 *
sonde_tflite_need_ints (SondeTfliteLower *lower, guint k, const char *what, guint *n)
{
  gint64 *numbers = sonde_tflite_dup_ints (lower, k, n);

  if (numbers == NULL)
    sonde_tflite_refuse (
        lower, sonde_message_new ("%-s is computed by the model; it must be a constant", what),
        NULL);
  return numbers;
}

gboolean
sonde_tflite_need_int (SondeTfliteLower *lower, guint k, const char *what, gint64 *number)
{
  guint n = 0;
  g_autofree gint64 *numbers = sonde_tflite_need_ints (lower, k, what, &n);

  if (numbers == NULL)
    return FALSE;
  if (n != 1)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "%-s has %u numbers, not one", what,
                         n);
  *number = n == 1 ? numbers[0] : 0;
  return n == 1;
}

gboolean
sonde_tflite_check_axis (SondeTfliteLower *lower, gint64 *axis, int rank)
{
  if (*axis >= -rank && *axis < rank)
    {
      *axis += *axis < 0 ? rank : 0;
      return TRUE;
    }
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "the axis %" PRIi64 " is none of %d dimensions", *axis, rank);
  return FALSE;
}

gboolean
sonde_tflite_check_rank (SondeTfliteLower *lower, guint k, int rank)
{
  if (sonde_tflite_in_rank (lower, k) == rank)
    return TRUE;
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                       "input %u has %d dimensions; %d are needed", k,
                       sonde_tflite_in_rank (lower, k), rank);
  return FALSE;
}

/* ---- emitting ------------------------------------------------------------ */

/* By ActivationFunctionType. */
enum
{
  ACTIVATION_NONE = 0,
  ACTIVATION_RELU = 1,
  ACTIVATION_RELU_N1_TO_1 = 2,
  ACTIVATION_RELU6 = 3,
  ACTIVATION_TANH = 4,
};

static SondeGraphValue *
clip (SondeTfliteLower *lower, SondeGraphValue *value, double least, double most)
{
  SondeDtype dtype = lower->floats ? SONDE_DTYPE_F32 : sonde_tflite_out_tensor (lower, 0)->dtype;

  return sonde_lowering_op (lower->to, "Clip",
                            SONDE_VALUES (value, sonde_lowering_number (lower->to, dtype, least),
                                          sonde_lowering_number (lower->to, dtype, most)));
}

SondeGraphValue *
sonde_tflite_activate (SondeTfliteLower *lower, SondeGraphValue *value, int activation)
{
  switch (activation)
    {
    case ACTIVATION_NONE:
      return value;
    case ACTIVATION_RELU:
      return sonde_lowering_op (lower->to, "Relu", SONDE_VALUES (value));
    case ACTIVATION_RELU_N1_TO_1:
      return clip (lower, value, -1, 1);
    case ACTIVATION_RELU6:
      return clip (lower, value, 0, 6);
    case ACTIVATION_TANH:
      return sonde_lowering_op (lower->to, "Tanh", SONDE_VALUES (value));
    default:
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_UNSUPPORTED,
                           "the fused activation number %d is not supported", activation);
      return value;
    }
}

SondeGraphValue *
sonde_tflite_as_ints (SondeTfliteLower *lower, SondeGraphValue *value)
{
  const SondeTensor *known = sonde_lowering_get_constant (value);
  g_autofree gint64 *numbers = NULL;
  gint64 all = -1, n;

  if (known == NULL || !sonde_dtype_is_integer (known->dtype))
    return sonde_lowering_reshape (
        lower->to, sonde_lowering_cast (lower->to, value, SONDE_DTYPE_I64), &all, 1);
  n = sonde_tensor_n_elements (known);
  numbers = g_new (gint64, MAX (n, 1));
  for (gint64 i = 0; i < n; i++)
    numbers[i] = sonde_tensor_get_int (known, i);
  return sonde_lowering_ints (lower->to, numbers, (gsize) n);
}

/* ---- quantised ----------------------------------------------------------- */

static gboolean
check_scales (SondeTfliteLower *lower, const SondeTfliteTensor *tensor)
{
  const SondeTfliteQuantisation *quantisation = &tensor->quantisation;
  gint64 least = 0, most = 0;

  sonde_dtype_get_range (tensor->dtype, &least, &most);
  for (guint i = 0; i < quantisation->n; i++)
    if (!isfinite (quantisation->scales[i]) || quantisation->scales[i] <= 0
        || quantisation->zero_points[i] < least || quantisation->zero_points[i] > most)
      {
        sonde_lowering_fail (
            lower->to, SONDE_DATA_ERROR_DAMAGED,
            "tensor “%s” has the scale %g and the zero point %" PRIi64 " at place %u", tensor->name,
            (double) quantisation->scales[i], quantisation->zero_points[i], i);
        return FALSE;
      }
  return TRUE;
}

static SondeGraphValue *
add_scales (SondeTfliteLower *lower, const SondeTfliteTensor *tensor)
{
  const SondeTfliteQuantisation *from = &tensor->quantisation;
  const SondeShape shape = { .rank = from->n > 1, .dims = { from->n } };
  g_autoptr (SondeTensor) scales
      = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, from->scales);

  return sonde_lowering_constant (lower->to, NULL, scales);
}

static SondeGraphValue *
add_zero_points (SondeTfliteLower *lower, const SondeTfliteTensor *tensor)
{
  const SondeTfliteQuantisation *from = &tensor->quantisation;
  const SondeShape shape = { .rank = from->n > 1, .dims = { from->n } };
  g_autoptr (SondeTensor) wide
      = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &shape, from->zero_points);
  g_autoptr (SondeTensor) zero_points = sonde_tensor_cast (wide, tensor->dtype);

  return sonde_lowering_constant (lower->to, NULL, zero_points);
}

static SondeGraphValue *
convert (SondeTfliteLower *lower, const char *op, SondeGraphValue *value,
         const SondeTfliteTensor *tensor, gboolean has_zero_points)
{
  SondeGraphValue *result;

  if (!check_scales (lower, tensor))
    return value;
  result
      = sonde_lowering_op (lower->to, op,
                           SONDE_VALUES (value, add_scales (lower, tensor),
                                         has_zero_points ? add_zero_points (lower, tensor) : NULL));
  if (tensor->quantisation.n > 1)
    sonde_node_set_int (result->producer, "axis", tensor->quantisation.dimension);
  return result;
}

SondeGraphValue *
sonde_tflite_dequantise (SondeTfliteLower *lower, SondeGraphValue *value,
                         const SondeTfliteTensor *tensor)
{
  if (tensor->dtype
      == SONDE_DTYPE_I64) /* sums of 16-bit activations: no type of DequantizeLinear */
    return sonde_lowering_op (lower->to, "Mul",
                              SONDE_VALUES (sonde_lowering_cast (lower->to, value, SONDE_DTYPE_F32),
                                            add_scales (lower, tensor)));
  return convert (lower, "DequantizeLinear", value, tensor, tensor->dtype != SONDE_DTYPE_I32);
}

SondeGraphValue *
sonde_tflite_quantise (SondeTfliteLower *lower, SondeGraphValue *value,
                       const SondeTfliteTensor *tensor)
{
  return convert (lower, "QuantizeLinear", value, tensor, TRUE);
}
