/* SPDX-License-Identifier: Apache-2.0
 * Convolutions, pooling and what else looks at neighbours. Inputs have channels last; weights of
 * convolutions are [out, height, width, in]. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tflite/sonde-tflite-builders.h"

/* ---- windows ------------------------------------------------------------- */

/* Each size at least 1. */
static gboolean
check_window (SondeTfliteLower *lower, const SondeLoweringWindow *window)
{
  for (int i = 0; i < window->n; i++)
    if (window->kernel[i] < 1 || window->strides[i] < 1 || window->dilations[i] < 1
        || window->kernel[i] > G_MAXINT32 || window->strides[i] > G_MAXINT32)
      {
        sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                             "a window of %" PRIi64 " with stride %" PRIi64 " and dilation %" PRIi64
                             " is none",
                             window->kernel[i], window->strides[i], window->dilations[i]);
        return FALSE;
      }
  return TRUE;
}

/* Spatial sizes of input @k, all but the first and the last. */
static void
set_sizes (SondeTfliteLower *lower, guint k, SondeLoweringWindow *window)
{
  const SondeTfliteTensor *tensor = sonde_tflite_in_tensor (lower, k);

  window->n = tensor->signature.rank - 2;
  for (int i = 0; i < window->n; i++)
    window->sizes[i] = tensor->signature.dims[i + 1];
}

static gboolean
is_same (SondeTfliteLower *lower)
{
  return sonde_tflite_option8 (lower, 0) == SONDE_TFLITE_PADDING_SAME;
}

/* ---- convolutions -------------------------------------------------------- */

/* The kernel's sizes from dimension 1 of the weights on. */
static void
set_kernel (const SondeTfliteTensor *weights, int from, SondeLoweringWindow *window)
{
  for (int i = 0; i < window->n; i++)
    window->kernel[i] = weights->shape.dims[i + from];
}

/* @weights: in ONNX's order. */
static SondeGraphValue *
emit_conv (SondeTfliteLower *lower, const SondeLoweringWindow *window, SondeGraphValue *weights,
           gint64 groups)
{
  SondeGraphValue *inputs[3] = { NULL, weights, NULL }, *value;

  if (lower->exact)
    value = sonde_tflite_emit_conv_integer (lower, weights);
  else
    {
      inputs[0] = sonde_tflite_in_first (lower, 0);
      inputs[2] = sonde_tflite_in (lower, 2);
      value = sonde_lowering_op (lower->to, "Conv", inputs, inputs[2] ? 3 : 2);
    }
  sonde_node_set_ints (value->producer, "kernel_shape", window->kernel, (gsize) window->n);
  if (groups != 1)
    sonde_node_set_int (value->producer, "group", groups);
  sonde_lowering_set_window (value->producer, window, is_same (lower));
  return value;
}

static SondeGraphValue *
finish_conv (SondeTfliteLower *lower, SondeGraphValue *value, int activation)
{
  return lower->exact ? sonde_tflite_emit_conv_output (lower, value, activation)
                      : sonde_tflite_activate (lower, value, activation);
}

void
sonde_tflite_build_conv (SondeTfliteLower *lower)
{
  SondeLoweringWindow window = { 0 };
  const SondeTfliteTensor *x = sonde_tflite_in_tensor (lower, 0);
  const SondeTfliteTensor *weights = sonde_tflite_in_tensor (lower, 1);
  SondeGraphValue *value;
  gint64 channels;

  if (!sonde_tflite_check_rank (lower, 0, 4) || !sonde_tflite_check_rank (lower, 1, 4))
    return;
  set_sizes (lower, 0, &window);
  set_kernel (weights, 1, &window);
  window.strides[1] = sonde_tflite_option (lower, 1, 0);
  window.strides[0] = sonde_tflite_option (lower, 2, 0);
  window.dilations[1] = sonde_tflite_option (lower, 4, 1);
  window.dilations[0] = sonde_tflite_option (lower, 5, 1);
  channels = x->signature.dims[3];
  if (!check_window (lower, &window))
    return;
  if (weights->shape.dims[3] < 1 || (channels >= 0 && channels % weights->shape.dims[3] != 0))
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "its input has %" PRIi64 " channels, its weights %" PRIi64, channels,
                           weights->shape.dims[3]);
      return;
    }
  value = emit_conv (lower, &window, sonde_tflite_in_first (lower, 1),
                     channels < 0 ? 1 : channels / weights->shape.dims[3]);
  sonde_tflite_out_first (lower, 0, finish_conv (lower, value, sonde_tflite_option8 (lower, 3)));
}

/* Weights [1, height, width, channels · multiplier]. */
void
sonde_tflite_build_depthwise (SondeTfliteLower *lower)
{
  static const gint64 order[] = { 3, 0, 1, 2 };
  SondeLoweringWindow window = { 0 };
  const SondeTfliteTensor *weights = sonde_tflite_in_tensor (lower, 1);
  gint64 channels;
  SondeGraphValue *value;

  if (!sonde_tflite_check_rank (lower, 0, 4) || !sonde_tflite_check_rank (lower, 1, 4))
    return;
  channels = sonde_tflite_in_tensor (lower, 0)->signature.dims[3];
  set_sizes (lower, 0, &window);
  set_kernel (weights, 1, &window);
  window.strides[1] = sonde_tflite_option (lower, 1, 0);
  window.strides[0] = sonde_tflite_option (lower, 2, 0);
  window.dilations[1] = sonde_tflite_option (lower, 5, 1);
  window.dilations[0] = sonde_tflite_option (lower, 6, 1);
  if (!check_window (lower, &window))
    return;
  if (channels < 1 || weights->shape.dims[3] % channels != 0 || weights->shape.dims[0] != 1)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "its input has %" PRIi64 " channels, its weights %" PRIi64, channels,
                           weights->shape.dims[3]);
      return;
    }
  value = emit_conv (lower, &window,
                     sonde_lowering_permute (lower->to, sonde_tflite_in (lower, 1), order, 4),
                     channels);
  sonde_tflite_out_first (lower, 0, finish_conv (lower, value, sonde_tflite_option8 (lower, 4)));
}

/* Weights [depth, height, width, in, out]. */
void
sonde_tflite_build_conv_3d (SondeTfliteLower *lower)
{
  static const gint64 order[] = { 4, 3, 0, 1, 2 };
  SondeLoweringWindow window = { 0 };
  SondeGraphValue *value;

  if (!sonde_tflite_check_rank (lower, 0, 5) || !sonde_tflite_check_rank (lower, 1, 5))
    return;
  set_sizes (lower, 0, &window);
  set_kernel (sonde_tflite_in_tensor (lower, 1), 0, &window);
  window.strides[0] = sonde_tflite_option (lower, 1, 0);
  window.strides[2] = sonde_tflite_option (lower, 2, 0);
  window.strides[1] = sonde_tflite_option (lower, 3, 0);
  window.dilations[0] = sonde_tflite_option (lower, 5, 1);
  window.dilations[2] = sonde_tflite_option (lower, 6, 1);
  window.dilations[1] = sonde_tflite_option (lower, 7, 1);
  if (!check_window (lower, &window))
    return;
  value = emit_conv (lower, &window,
                     sonde_lowering_permute (lower->to, sonde_tflite_in (lower, 1), order, 5), 1);
  sonde_tflite_out_first (lower, 0, finish_conv (lower, value, sonde_tflite_option8 (lower, 4)));
}

/* ---- transposed convolutions --------------------------------------------- */

/* The padding is that of the convolution that would make the input of the output. Source:
 * ComputePaddingHeightWidth of tensorflow/lite/kernels/padding.h. @outs: the output's sizes. FALSE
 * when no pads of ONNX say the same. */
static gboolean
set_transposed_window (SondeNode *node, const SondeLoweringWindow *window, const gint64 *outs,
                       gboolean same)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, extra[SONDE_MAX_RANK] = { 0 };
  gboolean has_extra = FALSE;

  for (int i = 0; i < window->n; i++)
    {
      gint64 stride = window->strides[i], kernel = window->kernel[i];
      gint64 steps = (outs[i] + stride - 1) / stride;
      gint64 total = same ? MAX ((steps - 1) * stride + kernel - outs[i], 0) : 0;
      gint64 end;

      pads[i] = total / 2;
      end = (window->sizes[i] - 1) * stride + kernel - pads[i] - outs[i];
      pads[window->n + i] = MAX (end, 0);
      extra[i] = MAX (-end, 0);
      has_extra |= extra[i] > 0;
      if (extra[i] >= stride)
        return FALSE;
    }
  sonde_node_set_ints (node, "pads", pads, 2 * (gsize) window->n);
  sonde_node_set_ints (node, "strides", window->strides, (gsize) window->n);
  if (has_extra)
    sonde_node_set_ints (node, "output_padding", extra, (gsize) window->n);
  return TRUE;
}

/* @order: of the weights; inputs: output's shape, weights, x, bias. */
static void
build_transposed (SondeTfliteLower *lower, SondeLoweringWindow *window, const gint64 *order,
                  int activation)
{
  const SondeTfliteTensor *out = sonde_tflite_out_tensor (lower, 0);
  SondeGraphValue *inputs[3], *value;
  guint n = 0;
  g_autofree gint64 *shape = sonde_tflite_need_ints (lower, 0, N_ ("the shape of the output"), &n);
  int rank = window->n + 2;

  if (shape == NULL)
    return;
  if ((int) n != rank || out->signature.rank != rank)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED,
                           "the shape of its output has %u numbers; %d are needed", n, rank);
      return;
    }
  for (int i = 0; i < window->n; i++)
    if (window->sizes[i] < 0)
      {
        sonde_tflite_refuse (lower, sonde_message_new ("the sizes of its input must be known"),
                             NULL);
        return;
      }
  inputs[1] = sonde_lowering_permute (lower->to, sonde_tflite_in (lower, 1), order, rank);
  if (lower->exact)
    value = sonde_tflite_emit_wide_conv (lower, "ConvTranspose", inputs[1]);
  else
    {
      inputs[0] = sonde_tflite_in_first (lower, 2);
      inputs[2] = sonde_tflite_in (lower, 3);
      value = sonde_lowering_op (lower->to, "ConvTranspose", inputs, inputs[2] ? 3 : 2);
    }
  sonde_node_set_ints (value->producer, "kernel_shape", window->kernel, (gsize) window->n);
  if (!set_transposed_window (value->producer, window, shape + 1, is_same (lower)))
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_UNSUPPORTED,
                         "its output is larger than its windows reach");
  sonde_tflite_out_first (lower, 0, finish_conv (lower, value, activation));
}

/* Weights [out, height, width, in]. */
void
sonde_tflite_build_transpose_conv (SondeTfliteLower *lower)
{
  static const gint64 order[] = { 3, 0, 1, 2 };
  SondeLoweringWindow window = { .dilations = { 1, 1 } };

  if (!sonde_tflite_check_rank (lower, 2, 4) || !sonde_tflite_check_rank (lower, 1, 4))
    return;
  set_sizes (lower, 2, &window);
  set_kernel (sonde_tflite_in_tensor (lower, 1), 1, &window);
  window.strides[1] = sonde_tflite_option (lower, 1, 0);
  window.strides[0] = sonde_tflite_option (lower, 2, 0);
  if (check_window (lower, &window))
    build_transposed (lower, &window, order, sonde_tflite_option8 (lower, 3));
}

/* Weights [depth, height, width, out, in]. */
void
sonde_tflite_build_conv_3d_transpose (SondeTfliteLower *lower)
{
  static const gint64 order[] = { 4, 3, 0, 1, 2 };
  SondeLoweringWindow window = { .dilations = { 1, 1, 1 } };

  if (!sonde_tflite_check_rank (lower, 2, 5) || !sonde_tflite_check_rank (lower, 1, 5))
    return;
  set_sizes (lower, 2, &window);
  set_kernel (sonde_tflite_in_tensor (lower, 1), 0, &window);
  window.strides[0] = sonde_tflite_option (lower, 1, 0);
  window.strides[2] = sonde_tflite_option (lower, 2, 0);
  window.strides[1] = sonde_tflite_option (lower, 3, 0);
  if (check_window (lower, &window))
    build_transposed (lower, &window, order, sonde_tflite_option8 (lower, 4));
}

/* ---- pooling ------------------------------------------------------------- */

void
sonde_tflite_build_pool (SondeTfliteLower *lower)
{
  enum
  {
    L2 = 12,
    MAX_OF = 17
  };
  SondeLoweringWindow window = { .dilations = { 1, 1 } };
  SondeGraphValue *value;
  int code = lower->op->code;

  if (!sonde_tflite_check_rank (lower, 0, 4))
    return;
  set_sizes (lower, 0, &window);
  window.strides[1] = sonde_tflite_option (lower, 1, 0);
  window.strides[0] = sonde_tflite_option (lower, 2, 0);
  window.kernel[1] = sonde_tflite_option (lower, 3, 0);
  window.kernel[0] = sonde_tflite_option (lower, 4, 0);
  if (!check_window (lower, &window))
    return;
  value = sonde_tflite_in_first (lower, 0);
  if (lower->exact)
    value = sonde_lowering_cast (lower->to, value, SONDE_DTYPE_F64);
  if (code == L2)
    value = sonde_lowering_op (lower->to, "Mul", SONDE_VALUES (value, value));
  value = sonde_lowering_op (lower->to, code == MAX_OF ? "MaxPool" : "AveragePool",
                             SONDE_VALUES (value));
  sonde_node_set_ints (value->producer, "kernel_shape", window.kernel, 2);
  sonde_lowering_set_window (value->producer, &window, is_same (lower));
  if (code == L2)
    value = sonde_lowering_op (lower->to, "Sqrt", SONDE_VALUES (value));
  value = lower->exact ? sonde_tflite_emit_rounded (lower, value, sonde_tflite_option8 (lower, 5))
                       : sonde_tflite_activate (lower, value, sonde_tflite_option8 (lower, 5));
  sonde_tflite_out_first (lower, 0, value);
}

/* ---- normalisation over channels ----------------------------------------- */

/* ONNX divides alpha by the size. */
void
sonde_tflite_build_lrn (SondeTfliteLower *lower)
{
  int radius = sonde_tflite_option (lower, 0, 0), size;
  SondeGraphValue *value;

  if (!sonde_tflite_check_rank (lower, 0, 4))
    return;
  if (radius < 0 || radius > 1 << 20)
    {
      sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "the radius %d is none", radius);
      return;
    }
  size = 2 * radius + 1;
  value = sonde_lowering_op (lower->to, "LRN", SONDE_VALUES (sonde_tflite_in_first (lower, 0)));
  sonde_node_set_int (value->producer, "size", size);
  sonde_node_set_float (value->producer, "bias", (double) sonde_tflite_option_float (lower, 1));
  sonde_node_set_float (value->producer, "alpha",
                        (double) sonde_tflite_option_float (lower, 2) * size);
  sonde_node_set_float (value->producer, "beta", (double) sonde_tflite_option_float (lower, 3));
  sonde_tflite_out_first (lower, 0, value);
}

/* ---- in integers --------------------------------------------------------- */

/* Emits what it would of real numbers, with sums of integers in their place. */
static gboolean
build_exact (SondeTfliteLower *lower, void (*build) (SondeTfliteLower *lower), gboolean fits)
{
  lower->exact = fits;
  if (fits)
    build (lower);
  lower->exact = FALSE;
  return fits;
}

gboolean
sonde_tflite_exact_conv (SondeTfliteLower *lower)
{
  return build_exact (lower, sonde_tflite_build_conv,
                      sonde_tflite_fits_product (lower, sonde_tflite_option8 (lower, 3), TRUE));
}

gboolean
sonde_tflite_exact_depthwise (SondeTfliteLower *lower)
{
  return build_exact (lower, sonde_tflite_build_depthwise,
                      sonde_tflite_fits_product (lower, sonde_tflite_option8 (lower, 4), TRUE));
}

gboolean
sonde_tflite_exact_transpose_conv (SondeTfliteLower *lower)
{
  return build_exact (lower, sonde_tflite_build_transpose_conv,
                      sonde_tflite_fits_product (lower, sonde_tflite_option8 (lower, 3), TRUE));
}

gboolean
sonde_tflite_exact_average_pool (SondeTfliteLower *lower)
{
  return build_exact (lower, sonde_tflite_build_pool,
                      sonde_tflite_fits_pool (lower, sonde_tflite_option8 (lower, 5)));
}
