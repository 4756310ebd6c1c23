/* SPDX-License-Identifier: Apache-2.0
 * Operators by family. */
#include "data/graph/sonde-family.h"

#include <string.h>

#include "data/base/sonde-text.h"

static const char *const family_names[SONDE_N_FAMILIES] = {
  N_ ("Other"), N_ ("Convolution"), N_ ("Matrix"), N_ ("Normalisation"), N_ ("Activation"),
  N_ ("Shape"), N_ ("Reduction"),   N_ ("Data"),   N_ ("Gradient"),      N_ ("Optimiser"),
};

/* Sorted by nothing but reading: one line a family. */
static const struct
{
  SondeFamily family;
  const char *operators;
} family_table[] = {
  { SONDE_FAMILY_CONVOLUTION,
    " Conv ConvTranspose ConvInteger QLinearConv MaxPool AveragePool GlobalAveragePool "
    "GlobalMaxPool LpPool MaxUnpool "
    "Conv1D Conv2D Conv3D DepthwiseConv2dNative DepthwiseConv2D Conv2DTranspose AvgPool MaxPool2D "
    "MaxPooling2D "
    "AveragePooling2D GlobalAveragePooling2D _convolution convolution conv2d max_pool2d avg_pool2d "
    "adaptive_avg_pool2d " },
  { SONDE_FAMILY_MATRIX,
    " Gemm MatMul MatMulInteger QLinearMatMul Einsum Attention LSTM GRU RNN Linear Dense "
    "BatchMatMul BatchMatMulV2 BiasAdd MultiHeadAttention addmm linear matmul bmm mm lstm gru " },
  { SONDE_FAMILY_NORMALISATION, " BatchNormalization InstanceNormalization LayerNormalization "
                                "GroupNormalization LRN LpNormalization "
                                "MeanVarianceNormalization RMSNormalization Dropout "
                                "FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3 BatchNorm "
                                "LayerNorm batch_norm layer_norm group_norm dropout " },
  { SONDE_FAMILY_ACTIVATION, " Relu LeakyRelu PRelu Elu Selu Celu Gelu Sigmoid HardSigmoid "
                             "HardSwish Tanh Softmax LogSoftmax Softplus "
                             "Softsign Mish Swish Clip Erf ThresholdedRelu "
                             "Relu6 ReLU ReLU6 relu relu_ sigmoid tanh gelu softmax log_softmax " },
  { SONDE_FAMILY_SHAPE, " Reshape Flatten Transpose Squeeze Unsqueeze Concat Split Slice Gather "
                        "GatherElements GatherND Scatter "
                        "ScatterElements ScatterND Pad Expand Tile Shape Size Cast Identity "
                        "Reorder Copy Resize DepthToSpace SpaceToDepth "
                        "ExpandDims ConcatV2 StridedSlice Pack Unpack GatherV2 BroadcastTo view "
                        "reshape flatten permute transpose cat "
                        "size squeeze unsqueeze slice select contiguous " },
  { SONDE_FAMILY_REDUCTION,
    " ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSum "
    "ReduceLogSumExp "
    "ReduceSumSquare ArgMax ArgMin TopK SoftmaxCrossEntropyLoss NegativeLogLikelihoodLoss CumSum "
    "SumToShape "
    "Prod SoftmaxCrossEntropyWithLogits SparseSoftmaxCrossEntropyWithLogits sum mean nll_loss "
    "cross_entropy_loss " },
  { SONDE_FAMILY_DATA,
    " Constant ConstantOfShape Input Parameter RandomNormal RandomUniform Range EyeLike OneHot "
    "Const Placeholder PlaceholderV2 Variable VariableV2 VarHandleOp ReadVariableOp InputLayer "
    "Param GetAttr _Arg "
    "IteratorGetNext RandomStandardNormal Load " },
};

const char *
sonde_family_name (SondeFamily family)
{
  return (guint) family < SONDE_N_FAMILIES ? family_names[family] : family_names[0];
}

SondeFamily
sonde_family_of_operator (const char *op)
{
  const char *space = op != NULL ? g_strrstr (op, "::") : NULL;
  char word[64];

  /* TorchScript names the library first: "aten::linear". */
  if (space != NULL)
    op = space + 2;
  if (op == NULL || strlen (op) > sizeof word - 3)
    return SONDE_FAMILY_OTHER;
  g_snprintf (word, sizeof word, " %s ", op);
  for (gsize i = 0; i < G_N_ELEMENTS (family_table); i++)
    if (strstr (family_table[i].operators, word) != NULL)
      return family_table[i].family;
  if (g_str_has_suffix (op, "Grad") || g_str_has_prefix (op, "Gradient"))
    return SONDE_FAMILY_GRADIENT;
  if (g_str_has_suffix (op, "Update") || g_str_has_suffix (op, "Momentum")
      || g_str_equal (op, "Adam") || g_str_equal (op, "Adagrad"))
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
