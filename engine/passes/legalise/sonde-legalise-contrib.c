/* SPDX-License-Identifier: Apache-2.0
 * The domain com.microsoft as operators of the standard: the table of the rules, which are in the
 * files beside this one. SimplifiedLayerNormalization stands in the standard's domain though it is
 * none of its operators. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"

#include "engine/passes/sonde-legalise.h"

#define MS "com.microsoft"

/* Rules may count on their operands: @required has a bit for each input that must be there. */
static gboolean
has_inputs (const SondeNode *node, guint required, GError **error)
{
  for (guint k = 0; required >> k != 0; k++)
    if ((required & (1u << k)) != 0 && sonde_node_get_input (node, k) == NULL)
      {
        sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                         "its input %u is missing", k);
        return FALSE;
      }
  return TRUE;
}

#define NEEDS(name, required)                                                                      \
  static gboolean checked_##name (SondeGraph *graph, SondeNode *node, int version, GError **error) \
  {                                                                                                \
    return has_inputs (node, required, error)                                                      \
           && sonde_contrib_##name (graph, node, version, error);                                  \
  }
NEEDS (attention, 0x3)
NEEDS (bias_add, 0x3)
NEEDS (bias_gelu, 0x3)
NEEDS (bias_split_gelu, 0x3)
NEEDS (crop_and_resize, 0xf)
NEEDS (dynamic_quantise_lstm, 0x507)
NEEDS (dynamic_quantise_matmul, 0x7)
NEEDS (embed_layer_normalization, 0x2d)
NEEDS (expand_dims, 0x3)
NEEDS (fast_gelu, 0x1)
NEEDS (fused_conv, 0x3)
NEEDS (fused_gemm, 0x3)
NEEDS (fused_matmul, 0x3)
NEEDS (gather_block_quantised, 0x7)
NEEDS (grid_sample, 0x3)
NEEDS (group_norm, 0x7)
NEEDS (group_query_attention, 0x21)
NEEDS (inverse, 0x1)
NEEDS (layer_normalization, 0x3)
NEEDS (matmul_bits, 0x7)
NEEDS (matmul_integer_to_float, 0xf)
NEEDS (multi_head_attention, 0x1)
NEEDS (nhwc_conv, 0x3)
NEEDS (nhwc_max_pool, 0x1)
NEEDS (quantise_linear, 0x3)
NEEDS (quantised_add, 0x5b)
NEEDS (quantised_attention, 0x1f)
NEEDS (quantised_average_pool, 0xb)
NEEDS (quantised_concat, 0xf)
NEEDS (quantised_conv, 0xff)
NEEDS (quantised_gemm, 0x1f)
NEEDS (quantised_global_average_pool, 0xb)
NEEDS (quantised_mul, 0x5b)
NEEDS (quantised_reduce_mean, 0xb)
NEEDS (quantised_softmax, 0xb)
NEEDS (quantised_unary, 0xb)
NEEDS (quantised_where, 0xb7)
NEEDS (quick_gelu, 0x1)
NEEDS (range, 0x3)
NEEDS (rename, 0x1)
NEEDS (rfft, 0x1)
NEEDS (rotary_embedding, 0xf)
NEEDS (sample, 0x1)
NEEDS (simplified_layer_normalization, 0x3)
NEEDS (skip_group_norm, 0xf)
NEEDS (skip_layer_normalization, 0x7)
NEEDS (skip_simplified_layer_normalization, 0x7)
NEEDS (unique, 0x1)

const SondeLegalisation sonde_legalisations_contrib[] = {
  { "SimplifiedLayerNormalization", 0, checked_simplified_layer_normalization, NULL },
  { "Attention", 0, checked_attention, MS },
  { "BiasAdd", 0, checked_bias_add, MS },
  { "BiasGelu", 0, checked_bias_gelu, MS },
  { "BiasSplitGelu", 0, checked_bias_split_gelu, MS },
  { "CropAndResize", 0, checked_crop_and_resize, MS },
  { "DequantizeLinear", 0, checked_quantise_linear, MS },
  { "DynamicQuantizeLSTM", 0, checked_dynamic_quantise_lstm, MS },
  { "DynamicQuantizeMatMul", 0, checked_dynamic_quantise_matmul, MS },
  { "EmbedLayerNormalization", 0, checked_embed_layer_normalization, MS },
  { "ExpandDims", 0, checked_expand_dims, MS },
  { "FastGelu", 0, checked_fast_gelu, MS },
  { "FusedConv", 0, checked_fused_conv, MS },
  { "FusedGemm", 0, checked_fused_gemm, MS },
  { "FusedMatMul", 0, checked_fused_matmul, MS },
  { "FusedMatMulActivation", 0, checked_fused_matmul, MS },
  { "GatherBlockQuantized", 0, checked_gather_block_quantised, MS },
  { "GatherND", 0, checked_rename, MS },
  { "Gelu", 0, checked_rename, MS },
  { "GridSample", 0, checked_grid_sample, MS },
  { "GroupNorm", 0, checked_group_norm, MS },
  { "GroupQueryAttention", 0, checked_group_query_attention, MS },
  { "Inverse", 0, checked_inverse, MS },
  { "LayerNormalization", 0, checked_layer_normalization, MS },
  { "MatMulIntegerToFloat", 0, checked_matmul_integer_to_float, MS },
  { "MatMulNBits", 0, checked_matmul_bits, MS },
  { "MultiHeadAttention", 0, checked_multi_head_attention, MS },
  { "NhwcConv", 0, checked_nhwc_conv, MS },
  { "NhwcFusedConv", 0, checked_nhwc_conv, MS },
  { "NhwcMaxPool", 0, checked_nhwc_max_pool, MS },
  { "Pad", 0, checked_rename, MS },
  { "QAttention", 0, checked_quantised_attention, MS },
  { "QGemm", 0, checked_quantised_gemm, MS },
  { "QLinearAdd", 0, checked_quantised_add, MS },
  { "QLinearAveragePool", 0, checked_quantised_average_pool, MS },
  { "QLinearConcat", 0, checked_quantised_concat, MS },
  { "QLinearConv", 0, checked_quantised_conv, MS },
  { "QLinearGlobalAveragePool", 0, checked_quantised_global_average_pool, MS },
  { "QLinearLeakyRelu", 0, checked_quantised_unary, MS },
  { "QLinearMul", 0, checked_quantised_mul, MS },
  { "QLinearReduceMean", 0, checked_quantised_reduce_mean, MS },
  { "QLinearSigmoid", 0, checked_quantised_unary, MS },
  { "QLinearSoftmax", 0, checked_quantised_softmax, MS },
  { "QLinearWhere", 0, checked_quantised_where, MS },
  { "QuantizeLinear", 0, checked_quantise_linear, MS },
  { "QuickGelu", 0, checked_quick_gelu, MS },
  { "Range", 0, checked_range, MS },
  { "Rfft", 0, checked_rfft, MS },
  { "RotaryEmbedding", 0, checked_rotary_embedding, MS },
  { "SampleOp", 0, checked_sample, MS },
  { "SkipGroupNorm", 0, checked_skip_group_norm, MS },
  { "SkipLayerNormalization", 0, checked_skip_layer_normalization, MS },
  { "SkipSimplifiedLayerNormalization", 0, checked_skip_simplified_layer_normalization, MS },
  { "TransposeMatMul", 0, checked_fused_matmul, MS },
  { "Trilu", 0, checked_rename, MS },
  { "Unique", 0, checked_unique, MS },
  { NULL },
};
