/* SPDX-License-Identifier: Apache-2.0
 * Operators by family. */
#include "data/graph/sonde-family.h"

#include <string.h>

static const char *const family_names[SONDE_N_FAMILIES] = {
  "Other", "Convolution", "Matrix", "Normalisation", "Activation",
  "Shape", "Reduction", "Data", "Gradient", "Optimiser",
};

/* Sorted by nothing but reading: one line a family. */
static const struct
{
  SondeFamily family;
  const char *operators;
} family_table[] = {
  { SONDE_FAMILY_CONVOLUTION,
    " Conv ConvTranspose ConvInteger QLinearConv MaxPool AveragePool GlobalAveragePool GlobalMaxPool LpPool MaxUnpool " },
  { SONDE_FAMILY_MATRIX,
    " Gemm MatMul MatMulInteger QLinearMatMul Einsum Attention LSTM GRU RNN Linear Dense " },
  { SONDE_FAMILY_NORMALISATION,
    " BatchNormalization InstanceNormalization LayerNormalization GroupNormalization LRN LpNormalization "
    "MeanVarianceNormalization RMSNormalization Dropout " },
  { SONDE_FAMILY_ACTIVATION,
    " Relu LeakyRelu PRelu Elu Selu Celu Gelu Sigmoid HardSigmoid HardSwish Tanh Softmax LogSoftmax Softplus "
    "Softsign Mish Swish Clip Erf ThresholdedRelu " },
  { SONDE_FAMILY_SHAPE,
    " Reshape Flatten Transpose Squeeze Unsqueeze Concat Split Slice Gather GatherElements GatherND Scatter "
    "ScatterElements ScatterND Pad Expand Tile Shape Size Cast Identity Reorder Copy Resize DepthToSpace SpaceToDepth " },
  { SONDE_FAMILY_REDUCTION,
    " ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp "
    "ReduceSumSquare ArgMax ArgMin TopK SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss CumSum SumToShape " },
  { SONDE_FAMILY_DATA, " Constant ConstantOfShape Input Parameter RandomNormal RandomUniform Range EyeLike OneHot " },
};

const char *
sonde_family_name (SondeFamily family)
{
  return (guint) family < SONDE_N_FAMILIES ? family_names[family] : family_names[0];
}

SondeFamily
sonde_family_of_operator (const char *op)
{
  char word[64];

  if (op == NULL || strlen (op) > sizeof word - 3)
    return SONDE_FAMILY_OTHER;
  g_snprintf (word, sizeof word, " %s ", op);
  for (gsize i = 0; i < G_N_ELEMENTS (family_table); i++)
    if (strstr (family_table[i].operators, word) != NULL)
      return family_table[i].family;
  if (g_str_has_suffix (op, "Grad") || g_str_has_prefix (op, "Gradient"))
    return SONDE_FAMILY_GRADIENT;
  if (g_str_has_suffix (op, "Update") || g_str_has_suffix (op, "Momentum") || g_str_equal (op, "Adam")
      || g_str_equal (op, "Adagrad"))
    return SONDE_FAMILY_OPTIMISER;
  return SONDE_FAMILY_OTHER;
}

SondeFamily
sonde_node_get_family (const SondeNode *node)
{
  if (node->phase == SONDE_PHASE_BACKWARD)
    return SONDE_FAMILY_GRADIENT;
  if (node->phase == SONDE_PHASE_OPTIMISER)
    return SONDE_FAMILY_OPTIMISER;
  return sonde_family_of_operator (node->op);
}
