/* SPDX-License-Identifier: Apache-2.0
 * Operators by family. */
#include "data/graph/sonde-family.h"

#include <string.h>

static const char *const names[SONDE_N_FAMILIES] = {
  [SONDE_FAMILY_OTHER] = "other",
  [SONDE_FAMILY_CONVOLUTION] = "convolution",
  [SONDE_FAMILY_MATRIX] = "matrix",
  [SONDE_FAMILY_NORMALISATION] = "normalisation",
  [SONDE_FAMILY_ACTIVATION] = "activation",
  [SONDE_FAMILY_SHAPE] = "shape",
  [SONDE_FAMILY_REDUCTION] = "reduction",
  [SONDE_FAMILY_DATA] = "data",
  [SONDE_FAMILY_GRADIENT] = "gradient",
  [SONDE_FAMILY_OPTIMISER] = "optimiser",
};

/* Space-separated operator names of each family. */
static const char *const operators[SONDE_N_FAMILIES] = {
  [SONDE_FAMILY_CONVOLUTION] = " Conv ConvTranspose ConvInteger QLinearConv DeformConv MaxPool AveragePool LpPool "
                               "GlobalAveragePool GlobalMaxPool GlobalLpPool MaxUnpool Col2Im ",
  [SONDE_FAMILY_MATRIX] = " MatMul Gemm MatMulInteger QLinearMatMul Einsum Attention LSTM GRU RNN FusedMatMul ",
  [SONDE_FAMILY_NORMALISATION] = " BatchNormalization LayerNormalization InstanceNormalization GroupNormalization "
                                 "RMSNormalization LRN LpNormalization MeanVarianceNormalization Dropout ",
  [SONDE_FAMILY_ACTIVATION] = " Relu LeakyRelu PRelu Elu Selu Celu Sigmoid HardSigmoid HardSwish Tanh Softplus Softsign "
                              "Softmax LogSoftmax Hardmax Gelu Mish Swish Clip ThresholdedRelu Erf ",
  [SONDE_FAMILY_SHAPE] = " Reshape Flatten Transpose Squeeze Unsqueeze Concat Split Slice Gather GatherElements GatherND "
                         "Expand Tile Pad Shape Size Resize DepthToSpace SpaceToDepth Reorder Identity Cast CastLike ",
  [SONDE_FAMILY_REDUCTION] = " ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum "
                             "ReduceLogSumExp ReduceSumSquare ArgMax ArgMin TopK CumSum SoftmaxCrossEntropyLoss "
                             "NegativeLogLikelihoodLoss GlobalNorm ",
  [SONDE_FAMILY_DATA] = " Constant ConstantOfShape Range RandomNormal RandomUniform RandomNormalLike RandomUniformLike "
                        "EyeLike QuantizeLinear DequantizeLinear DynamicQuantizeLinear ",
};

SondeFamily
sonde_node_get_family (const SondeNode *node)
{
  g_autofree char *key = NULL;

  if (node->phase == SONDE_PHASE_BACKWARD)
    return SONDE_FAMILY_GRADIENT;
  if (node->phase == SONDE_PHASE_OPTIMISER)
    return SONDE_FAMILY_OPTIMISER;
  key = g_strconcat (" ", node->op, " ", NULL);
  for (int family = 0; family < SONDE_N_FAMILIES; family++)
    if (operators[family] != NULL && strstr (operators[family], key) != NULL)
      return (SondeFamily) family;
  return SONDE_FAMILY_OTHER;
}

const char *
sonde_family_name (SondeFamily family)
{
  return names[family];
}
