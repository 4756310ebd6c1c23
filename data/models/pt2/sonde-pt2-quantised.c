/* SPDX-License-Identifier: Apache-2.0
 * Programs that PyTorch's quantisation made: numbers between quantize and dequantize. */
#include "data/models/pt2/sonde-pt2-lower.h"

static gboolean
has_linear_form (SondeDtype dtype)
{
  return dtype == SONDE_DTYPE_I8 || dtype == SONDE_DTYPE_U8 || dtype == SONDE_DTYPE_I16
         || dtype == SONDE_DTYPE_U16;
}

/* One for the tensor, or one a channel. */
static SondeGraphValue *
get_scale (SondePt2Lowering *self)
{
  if (sonde_pt2_has (self, "scales"))
    return sonde_pt2_cast (self, sonde_pt2_needed (self, "scales"), SONDE_DTYPE_F32);
  return sonde_pt2_operand (self, "scale", SONDE_DTYPE_F32);
}

static SondeGraphValue *
get_zero (SondePt2Lowering *self, SondeDtype dtype)
{
  if (sonde_pt2_has (self, "zero_points"))
    return sonde_pt2_cast (self, sonde_pt2_needed (self, "zero_points"), dtype);
  return sonde_pt2_operand (self, "zero_point", dtype);
}

static SondeGraphValue *
emit (SondePt2Lowering *self, const char *op, SondeGraphValue *x, SondeDtype dtype)
{
  SondeGraphValue *y = sonde_lowering_op (
      self->out, op, SONDE_VALUES (x, get_scale (self), get_zero (self, dtype)));

  if (sonde_pt2_has (self, "axis"))
    sonde_node_set_int (
        y->producer, "axis",
        sonde_pt2_axis (self, sonde_pt2_arg_int (self, "axis", 0), sonde_pt2_rank (self, x)));
  return y;
}

/* A range within that of the type cuts off. */
static SondeGraphValue *
clip (SondePt2Lowering *self, SondeGraphValue *y, SondeDtype dtype)
{
  gint64 least = 0, most = 0, low, high;

  sonde_dtype_get_range (dtype, &least, &most);
  low = sonde_pt2_arg_int (self, "quant_min", least);
  high = sonde_pt2_arg_int (self, "quant_max", most);
  if (low <= least && high >= most)
    return y;
  y->type.kind = SONDE_VALUE_TENSOR;
  y->type.dtype = dtype;
  return sonde_lowering_op (
      self->out, "Clip",
      SONDE_VALUES (y, sonde_lowering_number (self->out, dtype, (double) CLAMP (low, least, most)),
                    sonde_lowering_number (self->out, dtype, (double) CLAMP (high, least, most))));
}

static void
refuse (SondePt2Lowering *self)
{
  sonde_pt2_refuse (self, sonde_message_new ("numbers of this type are not quantised here"),
                    sonde_message_new ("Quantise to 8 or 16 bits"));
}

static void
lower_quantise (SondePt2Lowering *self)
{
  const SondeDtype dtype = sonde_pt2_out_dtype (self, 0);

  if (!has_linear_form (dtype))
    refuse (self);
  else
    sonde_pt2_set_out (
        self, 0,
        clip (self, emit (self, "QuantizeLinear", sonde_pt2_needed (self, "input"), dtype), dtype));
}

static void
lower_dequantise (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y;

  if (!has_linear_form (x->type.dtype) && x->type.dtype != SONDE_DTYPE_I32)
    {
      refuse (self);
      return;
    }
  y = emit (self, "DequantizeLinear", x, x->type.dtype);
  y->type.kind = SONDE_VALUE_TENSOR;
  y->type.dtype = SONDE_DTYPE_F32;
  sonde_pt2_set_out (self, 0, sonde_pt2_cast (self, y, sonde_pt2_out_dtype (self, 0)));
}

const SondePt2Row sonde_pt2_quantised_rows[] = {
  { "quantize_per_tensor.default", lower_quantise },
  { "quantize_per_tensor.tensor", lower_quantise },
  { "quantize_per_channel.default", lower_quantise },
  { "dequantize_per_tensor.default", lower_dequantise },
  { "dequantize_per_tensor.tensor", lower_dequantise },
  { "dequantize_per_channel.default", lower_dequantise },
  { NULL },
};
