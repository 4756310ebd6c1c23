/* SPDX-License-Identifier: Apache-2.0
 * The table of dependencies, boxes, and the rules that need no more than broadcasting. */
#include "engine/debug/sonde-dependency-private.h"

#include <string.h>

static const SondeDependency rows[] = {
  { "", "Concat", sonde_reach_moved, 0xffffffff, TRUE },
  { "", "DepthToSpace", sonde_reach_moved, 0x1, TRUE },
  { "", "SpaceToDepth", sonde_reach_moved, 0x1, TRUE },
  { "", "Expand", sonde_reach_moved, 0x1, TRUE },
  { "", "Tile", sonde_reach_moved, 0x1, TRUE },
  { "", "Slice", sonde_reach_moved, 0x1, TRUE },
  { "", "Transpose", sonde_reach_moved, 0x1, TRUE },
  { "", "Trilu", sonde_reach_moved, 0x1, TRUE },
  { "", "Gather", sonde_reach_moved, 0x1, TRUE },
  { "", "GatherElements", sonde_reach_moved, 0x1, TRUE },
  { "", "GatherND", sonde_reach_moved, 0x1, TRUE },
  { "", "ReverseSequence", sonde_reach_moved, 0x1, TRUE },
  { "", "CenterCropPad", sonde_reach_moved, 0x1, TRUE },
  { "", "Split", sonde_reach_moved, 0x1, TRUE },
  { "", "Compress", sonde_reach_moved, 0x1, TRUE },
  { "", "MaxUnpool", sonde_reach_moved, 0x1, TRUE },
  { "", "Pad", sonde_reach_moved, 0x5, TRUE },
  { "", "BitCast", sonde_reach_same, 0x1, TRUE },
  { "", "Identity", sonde_reach_same, 0x1, TRUE },
  { "", "Reshape", sonde_reach_same, 0x1, TRUE },
  { "", "Flatten", sonde_reach_same, 0x1, TRUE },
  { "", "Squeeze", sonde_reach_same, 0x1, TRUE },
  { "", "Unsqueeze", sonde_reach_same, 0x1, TRUE },
  { "", "CastLike", sonde_reach_same, 0x1, TRUE },
  { "", "ScatterElements", sonde_reach_scatter, 0x5, TRUE },
  { "", "ScatterND", sonde_reach_scatter, 0x5, TRUE },
  { "", "TensorScatter", sonde_reach_moved, 0x3, TRUE },
  { "", "OneHot", sonde_reach_moved, 0x4, TRUE },
  { "", "Where", sonde_reach_moved, 0x6, TRUE },
  { "", "TopK", sonde_reach_line, 0x1, FALSE },
  { "", "ArgMax", sonde_reach_line, 0x1, FALSE },
  { "", "ArgMin", sonde_reach_line, 0x1, FALSE },
  { "", "Dropout", sonde_reach_same, 0x1, TRUE },
  { "", "Bernoulli", sonde_reach_same, 0x1, FALSE },
  { "", "PRelu", sonde_reach_elementwise, 0, TRUE },
  { "", "Constant", sonde_reach_nothing, 0, TRUE },
  { "", "EyeLike", sonde_reach_nothing, 0, TRUE },
  { "", "RandomNormal", sonde_reach_nothing, 0, TRUE },
  { "", "RandomNormalLike", sonde_reach_nothing, 0, TRUE },
  { "", "RandomUniform", sonde_reach_nothing, 0, TRUE },
  { "", "RandomUniformLike", sonde_reach_nothing, 0, TRUE },
  { "", "Shape", sonde_reach_nothing, 0, TRUE },
  { "", "Size", sonde_reach_nothing, 0, TRUE },
  { "", "ConstantOfShape", sonde_reach_nothing, 0, TRUE },
  { "", "ReduceL1", sonde_reach_reduced, 0x1, TRUE },
  { "", "ReduceL2", sonde_reach_reduced, 0x1, TRUE },
  { "", "ReduceMean", sonde_reach_reduced, 0x1, TRUE },
  { "", "ReduceSum", sonde_reach_reduced, 0x1, TRUE },
  { "", "ReduceSumSquare", sonde_reach_reduced, 0x1, TRUE },
  { "", "ReduceProd", sonde_reach_reduced, 0x1, FALSE },
  { "", "ReduceLogSum", sonde_reach_reduced, 0x1, FALSE },
  { "", "ReduceLogSumExp", sonde_reach_reduced, 0x1, FALSE },
  { "", "ReduceMax", sonde_reach_reduced, 0x1, FALSE },
  { "", "ReduceMin", sonde_reach_reduced, 0x1, FALSE },
  { "", "Softmax", sonde_reach_line, 0x1, FALSE },
  { "", "LogSoftmax", sonde_reach_line, 0x1, FALSE },
  { "", "Hardmax", sonde_reach_line, 0x1, FALSE },
  { "", "LpNormalization", sonde_reach_line, 0x1, FALSE },
  { "", "CumSum", sonde_reach_prefix, 0x1, TRUE },
  { "", "CumProd", sonde_reach_prefix, 0x1, TRUE },
  { "", "BatchNormalization", sonde_reach_batch_norm, 0x0, FALSE },
  { "", "LayerNormalization", sonde_reach_layer_norm, 0x0, FALSE },
  { "", "RMSNormalization", sonde_reach_layer_norm, 0x0, FALSE },
  { "", "InstanceNormalization", sonde_reach_channel_norm, 0x0, FALSE },
  { "", "GroupNormalization", sonde_reach_group_norm, 0x0, FALSE },
  { "", "LRN", sonde_reach_lrn, 0x0, FALSE },
  { "", "QuantizeLinear", sonde_reach_quantise, 0x0, FALSE },
  { "", "DequantizeLinear", sonde_reach_quantise, 0x0, FALSE },
  { "", "NegativeLogLikelihoodLoss", sonde_reach_scores, 0x0, FALSE },
  { "", "SoftmaxCrossEntropyLoss", sonde_reach_scores, 0x0, FALSE },
  { "", "GlobalAveragePool", sonde_reach_leading, 2, TRUE },
  { "", "GlobalMaxPool", sonde_reach_leading, 2, FALSE },
  { "", "GlobalLpPool", sonde_reach_leading, 2, FALSE },
  { "", "Conv", sonde_reach_conv, 0x0, TRUE },
  { "", "ConvInteger", sonde_reach_conv, 0x0, TRUE },
  { "", "QLinearConv", sonde_reach_conv, 0x0, TRUE },
  { "", "ConvTranspose", sonde_reach_conv_transposed, 0x0, FALSE },
  { "", "MaxPool", sonde_reach_pool, 0x1, FALSE },
  { "", "LpPool", sonde_reach_pool, 0x1, FALSE },
  { "", "AveragePool", sonde_reach_pool, 0x1, TRUE },
  { "", "Resize", sonde_reach_resize, 0x1, FALSE },
  { "", "CausalConvWithState", sonde_reach_leading, 1, FALSE },
  { "", "MatMul", sonde_reach_matmul, 0x0, TRUE },
  { "", "MatMulInteger", sonde_reach_matmul, 0x0, TRUE },
  { "", "QLinearMatMul", sonde_reach_matmul, 0x0, TRUE },
  { "", "Gemm", sonde_reach_gemm, 0x0, TRUE },
  { "", "Einsum", sonde_reach_einsum, 0x0, TRUE },
  { "", "RNN", sonde_reach_recurrent, 0x0, FALSE },
  { "", "GRU", sonde_reach_recurrent, 0x0, FALSE },
  { "", "LSTM", sonde_reach_recurrent, 0x0, FALSE },
  { "", "Attention", sonde_reach_leading, 1, FALSE },
  { "", "LinearAttention", sonde_reach_leading, 1, FALSE },
  { "", "RotaryEmbedding", sonde_reach_leading, 1, FALSE },
  { "", "GridSample", sonde_reach_leading, 1, FALSE },
  { "", "AffineGrid", sonde_reach_leading, 1, FALSE },
  { "", "Col2Im", sonde_reach_leading, 1, FALSE },
  { "", "DeformConv", sonde_reach_leading, 1, FALSE },
  { "", "STFT", sonde_reach_leading, 1, FALSE },
  { "", "Det", sonde_reach_leading, 1, FALSE },
  { "", "DFT", sonde_reach_leading, 1, FALSE },
  { "", "Multinomial", sonde_reach_leading, 1, FALSE },
  { "", "BlackmanWindow", NULL, 0, FALSE },
  { "", "HammingWindow", NULL, 0, FALSE },
  { "", "HannWindow", NULL, 0, FALSE },
  { "", "MelWeightMatrix", NULL, 0, FALSE },
  { "", "Range", NULL, 0, FALSE },
  { "", "DynamicQuantizeLinear", NULL, 0, FALSE },
  { "", "RoiAlign", NULL, 0, FALSE },
  { "", "MaxRoiPool", NULL, 0, FALSE },
  { "", "NonMaxSuppression", NULL, 0, FALSE },
  { "", "NonZero", NULL, 0, FALSE },
  { "", "Unique", NULL, 0, FALSE },
  { "", "TfIdfVectorizer", NULL, 0, FALSE },
  { "", "ConcatFromSequence", NULL, 0, FALSE },
  { "", "Optional", NULL, 0, FALSE },
  { "", "OptionalGetElement", NULL, 0, FALSE },
  { "", "OptionalHasElement", NULL, 0, FALSE },
  { "", "RegexFullMatch", NULL, 0, FALSE },
  { "", "SequenceAt", NULL, 0, FALSE },
  { "", "SequenceConstruct", NULL, 0, FALSE },
  { "", "SequenceEmpty", NULL, 0, FALSE },
  { "", "SequenceErase", NULL, 0, FALSE },
  { "", "SequenceInsert", NULL, 0, FALSE },
  { "", "SequenceLength", NULL, 0, FALSE },
  { "", "SplitToSequence", NULL, 0, FALSE },
  { "", "StringConcat", NULL, 0, FALSE },
  { "", "StringNormalizer", NULL, 0, FALSE },
  { "", "StringSplit", NULL, 0, FALSE },
  { "", "If", NULL, 0, FALSE },
  { "", "Loop", NULL, 0, FALSE },
  { "", "Scan", NULL, 0, FALSE },
  { "ai.onnx.ml", "ArrayFeatureExtractor", NULL, 0, FALSE },
  { "ai.onnx.ml", "Binarizer", NULL, 0, FALSE },
  { "ai.onnx.ml", "CastMap", NULL, 0, FALSE },
  { "ai.onnx.ml", "CategoryMapper", NULL, 0, FALSE },
  { "ai.onnx.ml", "DictVectorizer", NULL, 0, FALSE },
  { "ai.onnx.ml", "FeatureVectorizer", NULL, 0, FALSE },
  { "ai.onnx.ml", "Imputer", NULL, 0, FALSE },
  { "ai.onnx.ml", "LabelEncoder", NULL, 0, FALSE },
  { "ai.onnx.ml", "LinearClassifier", NULL, 0, FALSE },
  { "ai.onnx.ml", "LinearRegressor", NULL, 0, FALSE },
  { "ai.onnx.ml", "Normalizer", NULL, 0, FALSE },
  { "ai.onnx.ml", "OneHotEncoder", NULL, 0, FALSE },
  { "ai.onnx.ml", "SVMClassifier", NULL, 0, FALSE },
  { "ai.onnx.ml", "SVMRegressor", NULL, 0, FALSE },
  { "ai.onnx.ml", "Scaler", NULL, 0, FALSE },
  { "ai.onnx.ml", "TreeEnsemble", NULL, 0, FALSE },
  { "ai.onnx.ml", "TreeEnsembleClassifier", NULL, 0, FALSE },
  { "ai.onnx.ml", "TreeEnsembleRegressor", NULL, 0, FALSE },
  { "ai.onnx.ml", "ZipMap", NULL, 0, FALSE },
  { "ai.onnx.preview.training", "Adagrad", NULL, 0, FALSE },
  { "ai.onnx.preview.training", "Adam", NULL, 0, FALSE },
  { "ai.onnx.preview.training", "Momentum", NULL, 0, FALSE },
  { "sonde", "ReshapeLike", sonde_reach_same, 0x1, TRUE },
  { "sonde", "StopGradient", sonde_reach_same, 0x1, TRUE },
  { "sonde", "DropoutGrad", sonde_reach_same, 0x1, TRUE },
  { "sonde", "ConcatGrad", sonde_reach_moved, 0x1, TRUE },
  { "sonde", "MaxUnpoolGrad", sonde_reach_moved, 0x1, TRUE },
  { "sonde", "MaxPoolPick", sonde_reach_moved, 0x1, TRUE },
  { "sonde", "SliceGrad", sonde_reach_moved_back, 0x1, TRUE },
  { "sonde", "PadGrad", sonde_reach_moved_back, 0x1, TRUE },
  { "sonde", "TileGrad", sonde_reach_moved_back, 0x1, TRUE },
  { "sonde", "GatherGrad", sonde_reach_moved_back, 0x1, TRUE },
  { "sonde", "GatherNDGrad", sonde_reach_moved_back, 0x1, TRUE },
  { "sonde", "BroadcastLike", sonde_reach_unreduced, 0x1, TRUE },
  { "sonde", "ReduceToShape", sonde_reach_to_shape, 0x1, TRUE },
  { "sonde", "ReduceExtremeGrad", sonde_reach_extreme, 0x0, FALSE },
  { "sonde", "SoftmaxGrad", sonde_reach_line, 0x3, TRUE },
  { "sonde", "LogSoftmaxGrad", sonde_reach_line, 0x3, TRUE },
  { "sonde", "BatchNormalizationGrad", sonde_reach_batch_norm_grad, 0x0, FALSE },
  { "sonde", "LayerNormalizationGrad", sonde_reach_layer_norm_grad, 0x0, FALSE },
  { "sonde", "ConvGradInput", sonde_reach_conv_input, 0x0, FALSE },
  { "sonde", "ConvGradWeight", sonde_reach_conv_weight, 0x0, FALSE },
  { "sonde", "AveragePoolGrad", sonde_reach_pool_back, 0x0, FALSE },
  { "sonde", "SumPoolGrad", sonde_reach_pool_back, 0x0, FALSE },
  { "sonde", "MaxPoolGrad", sonde_reach_pool_back, 0x0, FALSE },
  { "sonde", "SumPool", sonde_reach_pool, 0x1, TRUE },
  { "sonde", "LinearScan", sonde_reach_prefix, 0x5, TRUE },
  { "sonde", "MseLoss", sonde_reach_scores, 0x0, FALSE },
  { "sonde", "MseLossGrad", sonde_reach_scores, 0x1, FALSE },
  { "sonde", "NegativeLogLikelihoodGrad", sonde_reach_scores, 0x1, FALSE },
  { "sonde", "SoftmaxCrossEntropyGrad", sonde_reach_scores, 0x1, FALSE },
  { "sonde", "MatMulNBits", sonde_reach_matmul_bits, 0x0, TRUE },
  { "sonde", "MatMulNBitsGrad", NULL, 0, FALSE },
  { "sonde", "AffineGridGrad", NULL, 0, FALSE },
  { "sonde", "Col2ImGrad", NULL, 0, FALSE },
  { "sonde", "GridSampleGrad", NULL, 0, FALSE },
  { "sonde", "ResizeGrad", NULL, 0, FALSE },
  { "sonde", "LinearAttentionGrad", NULL, 0, FALSE },
  { "sonde", "DeformConvGrad", NULL, 0, FALSE },
  { "sonde", "Cofactor", NULL, 0, FALSE },
  { "sonde", "Inverse", NULL, 0, FALSE },
  { "sonde", "CropAndResize", NULL, 0, FALSE },
  { "sonde", "CropAndResizeGrad", NULL, 0, FALSE },
  { "sonde", "CtcLoss", NULL, 0, FALSE },
  { "sonde", "CtcLossGrad", NULL, 0, FALSE },
  { "sonde", "MaxRoiPoolGrad", NULL, 0, FALSE },
  { "sonde", "RoiAlignGrad", NULL, 0, FALSE },
  { "sonde", "RNNGrad", NULL, 0, FALSE },
  { "sonde", "GRUGrad", NULL, 0, FALSE },
  { "sonde", "LSTMGrad", NULL, 0, FALSE },
  { "sonde", "AboveShareGrad", sonde_reach_elementwise, 0, FALSE },
  { "sonde", "BelowShareGrad", sonde_reach_elementwise, 0, FALSE },
  { "sonde", "ReluRescaleGrad", sonde_reach_elementwise, 0, FALSE },
  { "sonde", "ShareGrad", sonde_reach_elementwise, 0, FALSE },
  { "sonde", "SplitGrad", sonde_reach_elementwise, 0, FALSE },
  { "sonde", "GlobalNorm", NULL, 0, FALSE },
  { "sonde", "TrustRatio", NULL, 0, FALSE },
  { "sonde", "SequenceAdd", NULL, 0, FALSE },
  { "sonde", "SequenceAtGrad", NULL, 0, FALSE },
  { "sonde", "SequenceEraseGrad", NULL, 0, FALSE },
  { "sonde", "ConcatFromSequenceGrad", NULL, 0, FALSE },
  { "sonde", "BatchScan", NULL, 0, FALSE },
};

/* Those whose row in engine/ops says it: unary ones, and binary ones after broadcasting. */
static const SondeDependency elementwise = { "", "", sonde_reach_elementwise, 0, FALSE };
static const SondeDependency elementwise_strict = { "", "", sonde_reach_elementwise, 0, TRUE };
static const char *const strict_ops[]
    = { "Add", "Sub", "Mul", "Sum", "Mean", "Neg", "Abs", "Cast", "Identity" };

const SondeDependency *
sonde_dependency_find (const char *domain, const char *op)
{
  const SondeOpClass *klass;

  if (domain == NULL || strcmp (domain, "ai.onnx") == 0)
    domain = "";
  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (strcmp (rows[i].op, op) == 0 && strcmp (rows[i].domain, domain) == 0)
      return &rows[i];
  klass = sonde_op_table_find (domain, op);
  if (klass == NULL || !(klass->flags & SONDE_OP_ELEMENTWISE))
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (strict_ops); i++)
    if (*domain == '\0' && strcmp (strict_ops[i], op) == 0)
      return &elementwise_strict;
  return &elementwise;
}

gboolean
sonde_dependency_is_strict (const SondeDependency *row)
{
  return row != NULL && row->strict;
}

gboolean
sonde_dependency_is_whole (const SondeDependency *row)
{
  return row == NULL || row->rule == NULL;
}

/* ---- boxes --------------------------------------------------------------- */

const SondeTensor *
sonde_reach_input (const SondeReachContext *context, guint k)
{
  const SondeTensor *tensor = k < context->n_inputs ? context->inputs[k] : NULL;
  const SondeOpClass *klass = sonde_op_table_find (context->node->domain, context->node->op);

  if (tensor == NULL || !sonde_dtype_has_fractions (tensor->dtype))
    return NULL;
  return klass != NULL && (klass->shape_only >> MIN (k, 31) & 1) ? NULL : tensor;
}

SondeReach
sonde_reach_whole (const SondeTensor *tensor, guint k)
{
  SondeReach reach = { .input = k, .rank = tensor->shape.rank };

  for (int d = 0; d < reach.rank; d++)
    {
      reach.count[d] = tensor->shape.dims[d];
      reach.step[d] = 1;
    }
  return reach;
}

gboolean
sonde_reach_range (SondeReach *reach, int dimension, gint64 begin, gint64 end)
{
  const gint64 low = reach->begin[dimension], high = low + reach->count[dimension];

  begin = CLAMP (begin, low, high);
  end = CLAMP (end, begin, high);
  reach->begin[dimension] = begin;
  reach->count[dimension] = end - begin;
  return end > begin;
}

void
sonde_reach_at (SondeReach *reach, int dimension, gint64 position)
{
  sonde_reach_range (reach, dimension, position, position + 1);
}

gint64
sonde_reach_count (const SondeReach *reach)
{
  gint64 n = 1;

  for (int d = 0; d < reach->rank; d++)
    n *= reach->count[d]; /* at most the elements of a tensor */
  return n;
}

void
sonde_reach_add (SondeReachContext *context, const SondeReach *reach)
{
  if (sonde_reach_input (context, reach->input) != NULL && sonde_reach_count (reach) > 0)
    g_array_append_vals (context->reach, reach, 1);
}

void
sonde_reach_add_whole (SondeReachContext *context, guint k)
{
  const SondeTensor *tensor = sonde_reach_input (context, k);

  if (tensor != NULL)
    {
      SondeReach reach = sonde_reach_whole (tensor, k);

      sonde_reach_add (context, &reach);
    }
}

static void
unflatten (const SondeShape *shape, gint64 element, gint64 *index)
{
  for (int d = shape->rank - 1; d >= 0; d--)
    {
      const gint64 size = MAX (shape->dims[d], 1);

      index[d] = element % size;
      element /= size;
    }
}

void
sonde_reach_add_element (SondeReachContext *context, guint k, gint64 element)
{
  const SondeTensor *tensor = sonde_reach_input (context, k);
  gint64 index[SONDE_MAX_RANK];
  SondeReach reach;

  if (tensor == NULL || element < 0 || element >= sonde_tensor_n_elements (tensor))
    return;
  reach = sonde_reach_whole (tensor, k);
  unflatten (&tensor->shape, element, index);
  for (int d = 0; d < reach.rank; d++)
    sonde_reach_at (&reach, d, index[d]);
  sonde_reach_add (context, &reach);
}

void
sonde_reach_add_broadcast (SondeReachContext *context, guint k)
{
  const SondeTensor *tensor = sonde_reach_input (context, k);
  SondeReach reach;
  int shift;

  if (tensor == NULL)
    return;
  reach = sonde_reach_whole (tensor, k);
  shift = context->shape->rank - reach.rank;
  for (int d = 0; d < reach.rank; d++)
    if (reach.count[d] > 1 && d + shift >= 0 && context->shape->dims[d + shift] == reach.count[d])
      sonde_reach_at (&reach, d, context->index[d + shift]);
  sonde_reach_add (context, &reach);
}

int
sonde_reach_axis (const SondeReachContext *context, int rank, gint64 fallback)
{
  const gint64 axis = sonde_node_get_int (context->node, "axis", fallback);

  return (int) CLAMP (axis < 0 ? axis + rank : axis, 0, MAX (rank - 1, 0));
}

gint64 *
sonde_reach_ints (const SondeReachContext *context, const char *attribute, guint k, gsize *n)
{
  const SondeTensor *tensor = k < context->n_inputs ? context->inputs[k] : NULL;
  const gint64 *ints = attribute != NULL ? sonde_node_get_ints (context->node, attribute, n) : NULL;
  gint64 *result;

  if (ints != NULL)
    return g_memdup2 (ints, *n * sizeof *ints);
  *n = 0;
  if (tensor == NULL || !sonde_dtype_is_integer (tensor->dtype))
    return NULL;
  *n = (gsize) sonde_tensor_n_elements (tensor);
  result = g_new (gint64, *n + 1);
  for (gsize i = 0; i < *n; i++)
    result[i] = sonde_tensor_get_int (tensor, (gint64) i);
  return result;
}

void
sonde_reach_foreach (const SondeReach *reach, const SondeShape *shape, SondeReachEach each,
                     gpointer data)
{
  const gint64 n = sonde_reach_count (reach);
  gint64 at[SONDE_MAX_RANK] = { 0 };

  for (gint64 i = 0; i < n; i++)
    {
      gint64 element = 0;

      for (int d = 0; d < reach->rank; d++)
        element = element * shape->dims[d] + reach->begin[d] + at[d] * reach->step[d];
      if (!each (element, data))
        return;
      for (int d = reach->rank - 1; d >= 0 && ++at[d] == reach->count[d]; d--)
        at[d] = 0;
    }
}

/* ---- simple rules -------------------------------------------------------- */

gboolean
sonde_reach_nothing (SondeReachContext *context)
{
  return TRUE;
}

gboolean
sonde_reach_elementwise (SondeReachContext *context)
{
  for (guint k = 0; k < context->n_inputs; k++)
    sonde_reach_add_broadcast (context, k);
  return TRUE;
}

/* The element of the same number, shapes aside; further inputs are scalars. */
gboolean
sonde_reach_same (SondeReachContext *context)
{
  sonde_reach_add_element (context, 0, context->element);
  for (guint k = 1; k < context->n_inputs; k++)
    if (context->inputs[k] != NULL && sonde_tensor_n_elements (context->inputs[k]) == 1)
      sonde_reach_add_element (context, k, 0);
  return TRUE;
}

/* Of inputs with the output's first @mask sizes only what has the same first indices; of others
 * everything. */
gboolean
sonde_reach_leading (SondeReachContext *context)
{
  const int n = (int) context->mask;

  for (guint k = 0; k < context->n_inputs; k++)
    {
      const SondeTensor *tensor = sonde_reach_input (context, k);
      SondeReach reach;

      if (tensor == NULL)
        continue;
      reach = sonde_reach_whole (tensor, k);
      for (int d = 0; d < n && d < reach.rank && d < context->shape->rank; d++)
        if (context->shape->dims[d] == reach.count[d])
          sonde_reach_at (&reach, d, context->index[d]);
      sonde_reach_add (context, &reach);
    }
  return TRUE;
}

void
sonde_dependency_reach (const SondeNode *node, SondeTensor *const *inputs, guint n_inputs,
                        guint output, const SondeShape *shape, gint64 element, GArray *reach)
{
  const SondeDependency *row = sonde_dependency_find (node->domain, node->op);
  SondeReachContext context = { .node = node,
                                .n_inputs = n_inputs,
                                .inputs = inputs,
                                .output = output,
                                .shape = shape,
                                .element = element,
                                .reach = reach };
  const guint before = reach->len;

  unflatten (shape, element, context.index);
  context.mask = row != NULL ? row->mask : 0;
  if (row != NULL && row->rule != NULL && row->rule (&context))
    return;
  g_array_set_size (reach, before);
  for (guint k = 0; k < n_inputs; k++)
    sonde_reach_add_whole (&context, k);
}
