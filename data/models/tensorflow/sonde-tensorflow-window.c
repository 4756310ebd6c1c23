/* SPDX-License-Identifier: Apache-2.0
 * Convolutions, pooling and what else looks at neighbours. Attributes have an entry a dimension, in the
 * order of data_format; filters are [height, width, in, out]. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* ---- windows ------------------------------------------------------------- */

/* Where spatial dimension @i stands among all of a value. */
static int
place (const SondeTensorflowLower *lower, int i)
{
  return sonde_tensorflow_has_channels_first (lower) ? i + 2 : i + 1;
}

/* Entries of a list attribute for the spatial dimensions; 1 where it is absent. FALSE: other
 * dimensions have a step, too, or there are too few */
static gboolean
read_list (const SondeTensorflowLower *lower, const char *name, int n, gint64 *entries)
{
  const gint64 *list;
  gsize count = sonde_tensorflow_attr_ints (lower->node, name, &list);

  for (int i = 0; i < n; i++)
    entries[i] = 1;
  if (count == 0)
    return TRUE;
  if ((int) count != n + 2 || list[0] != 1 || list[place (lower, 0) == 2 ? 1 : n + 1] != 1)
    return FALSE;
  for (int i = 0; i < n; i++)
    entries[i] = list[place (lower, i)];
  return TRUE;
}

static gboolean
check_window (SondeTensorflowLower *lower, const SondeLoweringWindow *window)
{
  for (int i = 0; i < window->n; i++)
    if (window->kernel[i] < 1 || window->strides[i] < 1 || window->dilations[i] < 1
        || window->kernel[i] > G_MAXINT32 || window->strides[i] > G_MAXINT32
        || window->dilations[i] > G_MAXINT32)
      {
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                             "a window of %" PRIi64 " with stride %" PRIi64 " and dilation %" PRIi64
                             " is none",
                             window->kernel[i], window->strides[i], window->dilations[i]);
        return FALSE;
      }
  return TRUE;
}

/* Sizes, strides and dilations of a window over input @k with @n spatial dimensions. */
static gboolean
read_window (SondeTensorflowLower *lower, guint k, int n, SondeLoweringWindow *window)
{
  SondeGraphValue *x = sonde_tensorflow_in (lower, k);

  window->n = n;
  if (!sonde_tensorflow_check_rank (lower, k, n + 2))
    return FALSE;
  for (int i = 0; i < n; i++)
    {
      gint64 size = x->type.rank > 0 ? x->type.dims[place (lower, i)].size : -1;

      window->sizes[i] = size <= G_MAXINT32 ? size : -1;
    }
  if (read_list (lower, "strides", n, window->strides)
      && read_list (lower, "dilations", n, window->dilations))
    return TRUE;
  sonde_tensorflow_refuse (
      lower, sonde_message_new ("its steps along batches or channels have no operator"), NULL);
  return FALSE;
}

static gboolean
is_same (const SondeTensorflowLower *lower)
{
  return sonde_tensorflow_attr_is (lower->node, "padding", "SAME");
}

static void
set_explicit_pads (SondeTensorflowLower *lower, SondeNode *node, int n)
{
  const gint64 *list;
  gsize count = sonde_tensorflow_attr_ints (lower->node, "explicit_paddings", &list);
  gint64 pads[2 * SONDE_MAX_RANK];

  if ((int) count != 2 * (n + 2))
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "it has %zu explicit paddings; %d are needed", count, 2 * (n + 2));
      return;
    }
  for (int i = 0; i < n; i++)
    {
      pads[i] = list[2 * place (lower, i)];
      pads[n + i] = list[2 * place (lower, i) + 1];
    }
  sonde_node_set_ints (node, "pads", pads, 2 * (gsize) n);
}

static void
set_window (SondeTensorflowLower *lower, SondeNode *node, const SondeLoweringWindow *window)
{
  sonde_node_set_ints (node, "kernel_shape", window->kernel, (gsize) window->n);
  sonde_lowering_set_window (node, window, is_same (lower));
  if (sonde_tensorflow_attr_is (lower->node, "padding", "EXPLICIT"))
    set_explicit_pads (lower, node, window->n);
}

/* Input @k and output 0 with channels first, however the node has them. */
static SondeGraphValue *
take_first (SondeTensorflowLower *lower, guint k, int rank)
{
  return sonde_tensorflow_has_channels_first (lower) ? sonde_tensorflow_in (lower, k)
                                                     : sonde_tensorflow_in_first (lower, k, rank);
}

static void
give_first (SondeTensorflowLower *lower, SondeGraphValue *value)
{
  if (sonde_tensorflow_has_channels_first (lower))
    sonde_tensorflow_out (lower, 0, value);
  else
    sonde_tensorflow_out_first (lower, 0, value);
}

/* ---- convolutions -------------------------------------------------------- */

/* All sizes of a filter must be known. */
static gboolean
get_filter (SondeTensorflowLower *lower, int rank, SondeShape *shape)
{
  if (!sonde_tensorflow_check_rank (lower, 1, rank))
    return FALSE;
  if (sonde_type_get_shape (&sonde_tensorflow_in (lower, 1)->type, shape)
      && sonde_shape_n_elements (shape) > 0)
    return TRUE;
  sonde_tensorflow_refuse (lower, sonde_message_new ("the sizes of its filter are not known"),
                           NULL);
  return FALSE;
}

static gint64
get_channels (SondeTensorflowLower *lower, guint k, int rank)
{
  const SondeType *type = &sonde_tensorflow_in (lower, k)->type;

  if (type->rank < 0)
    return -1;
  return type->dims[sonde_tensorflow_has_channels_first (lower) ? 1 : rank - 1].size;
}

/* Filters [D1, …, in, out] as [out, in, D1, …]. */
static SondeGraphValue *
turn_filter (SondeTensorflowLower *lower, SondeGraphValue *filter, int n)
{
  gint64 order[SONDE_MAX_RANK] = { n + 1, n };

  for (int i = 0; i < n; i++)
    order[i + 2] = i;
  return sonde_lowering_permute (lower->to, filter, order, n + 2);
}

static void
emit_conv (SondeTensorflowLower *lower, const SondeLoweringWindow *window, SondeGraphValue *filter,
           gint64 groups)
{
  SondeGraphValue *value = sonde_tensorflow_op2 (
      lower, "Conv", take_first (lower, 0, window->n + 2), turn_filter (lower, filter, window->n));

  if (groups != 1)
    sonde_node_set_int (value->producer, "group", groups);
  set_window (lower, value->producer, window);
  give_first (lower, value);
}

static void
build_conv_of (SondeTensorflowLower *lower, int n)
{
  SondeLoweringWindow window = { 0 };
  gint64 channels, groups = 1;
  SondeShape filter;

  if (!get_filter (lower, n + 2, &filter) || !read_window (lower, 0, n, &window))
    return;
  for (int i = 0; i < n; i++)
    window.kernel[i] = filter.dims[i];
  if (!check_window (lower, &window))
    return;
  channels = get_channels (lower, 0, n + 2);
  if (channels > 0 && filter.dims[n] > 0)
    groups = channels / filter.dims[n];
  if (filter.dims[n] < 1 || (channels > 0 && (channels % filter.dims[n] != 0 || groups < 1)))
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                         "its input has %" PRIi64 " channels, its weights %" PRIi64, channels,
                         filter.dims[n]);
  else
    emit_conv (lower, &window, sonde_tensorflow_in (lower, 1), groups);
}

static void
build_conv (SondeTensorflowLower *lower)
{
  build_conv_of (lower, 2);
}

static void
build_conv_3d (SondeTensorflowLower *lower)
{
  build_conv_of (lower, 3);
}

/* Filters [height, width, channels, multiplier]: output c·multiplier + k. */
static void
build_depthwise (SondeTensorflowLower *lower)
{
  SondeLoweringWindow window = { 0 };
  SondeGraphValue *flat;
  SondeShape filter;
  gint64 sizes[4];

  if (!get_filter (lower, 4, &filter) || !read_window (lower, 0, 2, &window))
    return;
  sizes[0] = window.kernel[0] = filter.dims[0];
  sizes[1] = window.kernel[1] = filter.dims[1];
  sizes[2] = 1;
  sizes[3] = filter.dims[2] * filter.dims[3];
  if (!check_window (lower, &window))
    return;
  flat = sonde_lowering_reshape (lower->to, sonde_tensorflow_in (lower, 1), sizes, 4);
  sonde_lowering_infer (lower->to, flat);
  emit_conv (lower, &window, flat, filter.dims[2]);
}

/* ---- transposed convolutions --------------------------------------------- */

/* Pads of the convolution whose gradient this is; the output's sizes are in @outs, or −1: then those
 * that whoever wrote the model reckons with, a multiple of the input's. Source: the padding of
 * tensorflow/core/kernels/conv_grad_shape_utils.cc. FALSE: no pads of ONNX say the same */
static gboolean
set_transposed_window (SondeNode *node, const SondeLoweringWindow *window, const gint64 *outs,
                       gboolean same)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, extra[SONDE_MAX_RANK] = { 0 };

  for (int i = 0; i < window->n; i++)
    {
      gint64 stride = window->strides[i];
      gint64 reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
      gint64 total = same ? MAX (reach - stride, 0) : 0, missing = MAX (stride - reach, 0);

      pads[i] = total / 2;
      if (outs[i] >= 0 && window->sizes[i] >= 0)
        {
          gint64 steps = (outs[i] + stride - 1) / stride;

          total = same ? MAX ((steps - 1) * stride + reach - outs[i], 0) : 0;
          pads[i] = total / 2;
          missing = outs[i] - ((window->sizes[i] - 1) * stride + reach - pads[i]);
        }
      else
        missing -= total - pads[i];
      pads[window->n + i] = MAX (-missing, 0);
      extra[i] = MAX (missing, 0);
      if (extra[i] >= MAX (stride, window->dilations[i]))
        return FALSE;
    }
  sonde_node_set_ints (node, "pads", pads, 2 * (gsize) window->n);
  sonde_node_set_ints (node, "strides", window->strides, (gsize) window->n);
  sonde_node_set_ints (node, "dilations", window->dilations, (gsize) window->n);
  sonde_node_set_ints (node, "output_padding", extra, (gsize) window->n);
  return TRUE;
}

/* The sizes of the output as input 0 says them. */
static gboolean
read_output_sizes (SondeTensorflowLower *lower, int n, gint64 *outs)
{
  gint64 numbers[SONDE_LOWERING_MAX_NUMBERS];
  int count = sonde_lowering_get_numbers (lower->to, sonde_tensorflow_in (lower, 0), numbers);

  for (int i = 0; i < n; i++)
    outs[i] = count == n + 2 ? MAX (numbers[place (lower, i)], -1) : -1;
  return count < 0 || count == n + 2 || count == n;
}

/* Inputs: sizes of the output, filters [D1, …, out, in], x. */
static void
build_transposed_of (SondeTensorflowLower *lower, int n)
{
  SondeLoweringWindow window = { 0 };
  gint64 outs[SONDE_MAX_RANK];
  SondeGraphValue *value;
  SondeShape filter;

  if (!get_filter (lower, n + 2, &filter) || !read_window (lower, 2, n, &window))
    return;
  for (int i = 0; i < n; i++)
    window.kernel[i] = filter.dims[i];
  if (!check_window (lower, &window))
    return;
  value = sonde_tensorflow_op2 (lower, "ConvTranspose", take_first (lower, 2, n + 2),
                                turn_filter (lower, sonde_tensorflow_in (lower, 1), n));
  sonde_node_set_ints (value->producer, "kernel_shape", window.kernel, (gsize) n);
  if (!read_output_sizes (lower, n, outs))
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "the size of its output is none");
  else if (!set_transposed_window (value->producer, &window, outs, is_same (lower)))
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_UNSUPPORTED,
                         "its output is larger than its windows reach");
  sonde_lowering_infer (lower->to, value);
  for (int i = 0; i < n && value->type.rank == n + 2; i++)
    value->type.dims[i + 2].size = outs[i];
  give_first (lower, value);
}

static void
build_transposed (SondeTensorflowLower *lower)
{
  build_transposed_of (lower, 2);
}

static void
build_transposed_3d (SondeTensorflowLower *lower)
{
  build_transposed_of (lower, 3);
}

/* ---- pooling ------------------------------------------------------------- */

/* Version 2 has the sizes as inputs. */
static gboolean
read_pool_input (SondeTensorflowLower *lower, guint k, const char *what, gint64 *entries)
{
  guint n = 0;
  g_autofree gint64 *numbers = sonde_tensorflow_need_ints (lower, k, what, &n);

  if (numbers == NULL)
    return FALSE;
  if (n != 4)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "input %u has not %u numbers", k,
                           4);
      return FALSE;
    }
  for (int i = 0; i < 2; i++)
    entries[i] = numbers[place (lower, i)];
  return TRUE;
}

static void
build_pool_of (SondeTensorflowLower *lower, int n)
{
  SondeLoweringWindow window = { 0 };
  SondeGraphValue *value;

  if (!read_window (lower, 0, n, &window))
    return;
  if (!read_list (lower, "ksize", n, window.kernel))
    {
      sonde_tensorflow_refuse (
          lower, sonde_message_new ("its steps along batches or channels have no operator"), NULL);
      return;
    }
  if (lower->n_inputs > 1
      && (!read_pool_input (lower, 1, N_ ("the size of the window"), window.kernel)
          || !read_pool_input (lower, 2, N_ ("the stride"), window.strides)))
    return;
  if (!check_window (lower, &window))
    return;
  value = sonde_tensorflow_op1 (lower, lower->row->to, take_first (lower, 0, n + 2));
  set_window (lower, value->producer, &window);
  give_first (lower, value);
}

static void
build_pool (SondeTensorflowLower *lower)
{
  build_pool_of (lower, 2);
}

static void
build_pool_3d (SondeTensorflowLower *lower)
{
  build_pool_of (lower, 3);
}

/* ---- normalisation ------------------------------------------------------- */

/* ONNX divides alpha by the size. */
static void
build_lrn (SondeTensorflowLower *lower)
{
  gint64 radius = sonde_tensorflow_attr_int (lower->node, "depth_radius", 5), size;
  SondeGraphValue *value;

  if (!sonde_tensorflow_check_rank (lower, 0, 4))
    return;
  if (radius < 0 || radius > 1 << 20)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "the radius %" PRIi64 " is none",
                           radius);
      return;
    }
  size = 2 * radius + 1;
  value = sonde_tensorflow_op1 (lower, "LRN", take_first (lower, 0, 4));
  sonde_node_set_int (value->producer, "size", size);
  sonde_node_set_float (value->producer, "bias",
                        sonde_tensorflow_attr_float (lower->node, "bias", 1));
  sonde_node_set_float (value->producer, "alpha",
                        sonde_tensorflow_attr_float (lower->node, "alpha", 1) * (double) size);
  sonde_node_set_float (value->producer, "beta",
                        sonde_tensorflow_attr_float (lower->node, "beta", 0.5));
  give_first (lower, value);
}

static int
norm_rank (SondeTensorflowLower *lower)
{
  int rank = sonde_tensorflow_in_rank (lower, 0);

  return rank > 0 ? rank : 4;
}

/* Mean and variance of each channel of @x, which has channels first; as vectors. */
static void
emit_moments (SondeTensorflowLower *lower, SondeGraphValue *x, int rank, SondeGraphValue **mean,
              SondeGraphValue **variance)
{
  gint64 axes[SONDE_MAX_RANK], all = -1;
  int n = 0;
  SondeGraphValue *difference;

  for (int i = 0; i < rank; i++)
    if (i != 1)
      axes[n++] = i;
  *mean = sonde_tensorflow_op2 (lower, "ReduceMean", x,
                                sonde_lowering_ints (lower->to, axes, (gsize) n));
  difference = sonde_tensorflow_op2 (lower, "Sub", x, *mean);
  *variance = sonde_tensorflow_op2 (lower, "ReduceMean",
                                    sonde_tensorflow_op2 (lower, "Mul", difference, difference),
                                    sonde_lowering_ints (lower->to, axes, (gsize) n));
  *mean = sonde_lowering_reshape (lower->to, *mean, &all, 1);
  *variance = sonde_lowering_reshape (lower->to, *variance, &all, 1);
}

/* x, scale, offset, mean, variance. In training, which is the default, the batch's own moments. */
static void
build_batch_norm (SondeTensorflowLower *lower)
{
  gboolean training = sonde_tensorflow_attr_bool (lower->node, "is_training", TRUE);
  int rank = norm_rank (lower);
  SondeGraphValue *inputs[5], *value;

  inputs[0] = take_first (lower, 0, rank);
  for (guint k = 1; k < 5; k++)
    inputs[k] = sonde_tensorflow_in (lower, k);
  if (training)
    emit_moments (lower, inputs[0], rank, &inputs[3], &inputs[4]);
  value = sonde_lowering_op (lower->to, "BatchNormalization", inputs, 5);
  sonde_node_set_float (value->producer, "epsilon",
                        sonde_tensorflow_attr_float (lower->node, "epsilon", 1e-4));
  give_first (lower, value);
  for (guint k = 1; k < 3; k++)
    sonde_tensorflow_alias (lower, k, inputs[k + 2]);
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_window_rows[] = {
  { "AvgPool", 1, build_pool, "AveragePool" },
  { "AvgPool3D", 1, build_pool_3d, "AveragePool" },
  { "Conv2D", 2, build_conv, NULL },
  { "Conv2DBackpropInput", 3, build_transposed, NULL },
  { "Conv3D", 2, build_conv_3d, NULL },
  { "Conv3DBackpropInputV2", 3, build_transposed_3d, NULL },
  { "DepthwiseConv2dNative", 2, build_depthwise, NULL },
  { "FusedBatchNorm", 5, build_batch_norm, NULL },
  { "FusedBatchNormV2", 5, build_batch_norm, NULL },
  { "FusedBatchNormV3", 5, build_batch_norm, NULL },
  { "LRN", 1, build_lrn, NULL },
  { "MaxPool", 1, build_pool, "MaxPool" },
  { "MaxPool3D", 1, build_pool_3d, "MaxPool" },
  { "MaxPoolV2", 3, build_pool, "MaxPool" },
  { NULL, 0, NULL, NULL },
};
