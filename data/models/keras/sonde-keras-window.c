/* SPDX-License-Identifier: Apache-2.0
 * Convolutions. Kernels are [spatial…, in, out] in the file; ONNX gets them by a Transpose that is
 * inserted, so that a training moves what the file holds. */
#include "data/models/keras/sonde-keras-lower.h"

/**
 * Geometry: of the open layer
 * @n: spatial dimensions; @shape: of its input with channels first
 * @causal: padded in front alone
 */
typedef struct
{
  SondeLoweringWindow window;
  SondeShape shape;
  gboolean same, causal;
} Geometry;

/* [N, C, spatial…] whatever the layer's own order. */
static SondeShape
first_shape (SondeKerasLowering *self, const SondeGraphValue *value)
{
  SondeShape shape = sonde_keras_shape_of (value), first = shape;

  if (!sonde_keras_is_last (self))
    return shape;
  first.dims[1] = shape.dims[shape.rank - 1];
  for (int i = 2; i < shape.rank; i++)
    first.dims[i] = shape.dims[i - 1];
  return first;
}

static gboolean
read_geometry (SondeKerasLowering *self, int n, Geometry *geometry)
{
  const char *padding = sonde_keras_text (self, "padding", "valid");

  if (!sonde_keras_check_rank (self, 0, n + 2, n + 2))
    return FALSE;
  geometry->window.n = n;
  geometry->shape = first_shape (self, sonde_keras_in (self, 0));
  sonde_keras_ints (self, "kernel_size", n, 1, geometry->window.kernel);
  sonde_keras_ints (self, "strides", n, 1, geometry->window.strides);
  sonde_keras_ints (self, "dilation_rate", n, 1, geometry->window.dilations);
  for (int i = 0; i < n; i++)
    {
      geometry->window.sizes[i] = geometry->shape.dims[2 + i];
      if (geometry->window.kernel[i] < 1 || geometry->window.strides[i] < 1
          || geometry->window.dilations[i] < 1)
        {
          sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                               "its window, strides and dilations are not all above 0");
          return FALSE;
        }
    }
  geometry->same = g_str_equal (padding, "same");
  geometry->causal = g_str_equal (padding, "causal") && n == 1;
  return TRUE;
}

static gint64
reach_of (const SondeLoweringWindow *window, int i)
{
  return (window->kernel[i] - 1) * window->dilations[i] + 1;
}

/* Sizes of what a convolution with @channels makes. */
static SondeShape
convolved (const Geometry *geometry, gint64 channels)
{
  SondeShape shape = geometry->shape;

  shape.dims[1] = channels;
  for (int i = 0; i < geometry->window.n; i++)
    {
      gint64 size = shape.dims[2 + i], stride = geometry->window.strides[i];

      if (size < 0)
        continue;
      if (!geometry->same && !geometry->causal)
        size -= reach_of (&geometry->window, i) - 1;
      shape.dims[2 + i] = MAX ((size + stride - 1) / stride, 0);
    }
  return shape;
}

static void
set_geometry (SondeNode *node, const Geometry *geometry)
{
  const SondeLoweringWindow *window = &geometry->window;

  sonde_node_set_ints (node, "kernel_shape", window->kernel, (gsize) window->n);
  sonde_lowering_set_window (node, window, geometry->same);
  if (geometry->causal)
    sonde_node_set_ints (node, "pads", (const gint64[]){ reach_of (window, 0) - 1, 0 }, 2);
}

/* [spatial…, a, b] -> [b, a, spatial…], or [a, b, spatial…] when @keep */
static SondeGraphValue *
turn_kernel (SondeKerasLowering *self, SondeGraphValue *kernel, int n, gboolean keep)
{
  gint64 permutation[SONDE_MAX_RANK];

  permutation[0] = keep ? n : n + 1;
  permutation[1] = keep ? n + 1 : n;
  for (int i = 0; i < n; i++)
    permutation[2 + i] = i;
  return sonde_lowering_permute (self->out, kernel, permutation, n + 2);
}

static SondeShape
kernel_shape (const Geometry *geometry, gint64 a, gint64 b)
{
  SondeShape shape = { .rank = geometry->window.n + 2 };

  for (int i = 0; i < geometry->window.n; i++)
    shape.dims[i] = geometry->window.kernel[i];
  shape.dims[shape.rank - 2] = a;
  shape.dims[shape.rank - 1] = b;
  return shape;
}

/* @y: with channels first: activated, in the layer's order, the output of the open layer. */
static void
finish (SondeKerasLowering *self, SondeGraphValue *y)
{
  y = sonde_keras_from_first (self, y);
  sonde_keras_set_out (self, 0, sonde_keras_activate (self, y, "activation"));
}

/* The bias of @n numbers, weight @index; NULL: none */
static SondeGraphValue *
find_bias (SondeKerasLowering *self, guint index, gint64 n)
{
  const SondeShape shape = { 1, { n } };

  return sonde_keras_bool (self, "use_bias", TRUE)
             ? sonde_keras_weight (self, NULL, "bias", index, &shape)
             : NULL;
}

static int
spatial_of (const char *op)
{
  return op[0] - '0';
}

/* ---- Conv ---------------------------------------------------------------- */

static void
lower_conv (SondeKerasLowering *self, const char *op)
{
  int n = spatial_of (op);
  gint64 filters = sonde_keras_int (self, "filters", -1),
         groups = sonde_keras_int (self, "groups", 1);
  SondeGraphValue *x = NULL, *kernel = NULL, *bias = NULL, *y = NULL;
  Geometry geometry = { 0 };
  SondeShape shape, made;

  if (!read_geometry (self, n, &geometry))
    return;
  groups = MAX (groups, 1);
  shape = kernel_shape (&geometry,
                        geometry.shape.dims[1] < 0 ? -1 : geometry.shape.dims[1] / groups, filters);
  made = convolved (&geometry, filters);
  x = sonde_keras_to_first (self, sonde_keras_in (self, 0));
  kernel = turn_kernel (self, sonde_keras_weight (self, NULL, "kernel", 0, &shape), n, FALSE);
  bias = find_bias (self, 1, filters);
  y = sonde_lowering_op (self->out, "Conv", (SondeGraphValue *const[]){ x, kernel, bias },
                         bias != NULL ? 3 : 2);
  set_geometry (y->producer, &geometry);
  if (groups > 1)
    sonde_node_set_int (y->producer, "group", groups);
  finish (self, sonde_keras_shaped (y, x, &made));
}

/* ---- depthwise, separable ------------------------------------------------ */

/* Channel c of the input makes channels c·m … c·m + m - 1. @what: the kernel's name */
static SondeGraphValue *
convolve_depthwise (SondeKerasLowering *self, const Geometry *geometry, const char *what,
                    SondeGraphValue *bias, gint64 channels, gint64 multiplier)
{
  int n = geometry->window.n;
  SondeShape shape = kernel_shape (geometry, channels, multiplier), made;
  SondeGraphValue *x = sonde_keras_to_first (self, sonde_keras_in (self, 0));
  SondeGraphValue *kernel
      = turn_kernel (self, sonde_keras_weight (self, NULL, what, 0, &shape), n, TRUE),
      *y = NULL;
  gint64 sizes[SONDE_MAX_RANK] = { channels * multiplier, 1 };

  for (int i = 0; i < n; i++)
    sizes[2 + i] = geometry->window.kernel[i];
  made = convolved (geometry, channels * multiplier);
  kernel = sonde_lowering_reshape (self->out, kernel, sizes, n + 2);
  y = sonde_lowering_op (self->out, "Conv", (SondeGraphValue *const[]){ x, kernel, bias },
                         bias != NULL ? 3 : 2);
  set_geometry (y->producer, geometry);
  sonde_node_set_int (y->producer, "group", channels);
  return sonde_keras_shaped (y, x, &made);
}

/* FALSE: the number of channels is not known, or cannot be, which was said. */
static gboolean
check_channels (SondeKerasLowering *self, const Geometry *geometry, gint64 multiplier)
{
  if (geometry->shape.dims[1] >= 1 && multiplier >= 1 && multiplier <= G_MAXINT32
      && geometry->shape.dims[1] <= G_MAXINT32)
    return TRUE;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                       "%" PRId64 " channels with the multiplier %" PRId64 " cannot be",
                       geometry->shape.dims[1], multiplier);
  return FALSE;
}

static void
lower_depthwise (SondeKerasLowering *self, const char *op)
{
  gint64 multiplier = sonde_keras_int (self, "depth_multiplier", 1);
  Geometry geometry = { 0 };
  gint64 channels = 0;

  if (!read_geometry (self, spatial_of (op), &geometry)
      || !check_channels (self, &geometry, multiplier))
    return;
  channels = geometry.shape.dims[1];
  finish (self,
          convolve_depthwise (self, &geometry, self->version < 3 ? "depthwise_kernel" : "kernel",
                              find_bias (self, 1, channels * multiplier), channels, multiplier));
}

static void
lower_separable (SondeKerasLowering *self, const char *op)
{
  gint64 multiplier = sonde_keras_int (self, "depth_multiplier", 1);
  gint64 filters = sonde_keras_int (self, "filters", -1);
  SondeGraphValue *y = NULL, *kernel = NULL, *bias = NULL;
  Geometry geometry = { 0 };
  SondeShape shape, made;

  if (!read_geometry (self, spatial_of (op), &geometry)
      || !check_channels (self, &geometry, multiplier))
    return;
  shape = kernel_shape (&geometry, geometry.shape.dims[1] * multiplier, filters);
  for (int i = 0; i < geometry.window.n; i++)
    shape.dims[i] = 1;
  y = convolve_depthwise (self, &geometry, "depthwise_kernel", NULL, geometry.shape.dims[1],
                          multiplier);
  made = sonde_keras_shape_of (y);
  made.dims[1] = filters;
  kernel = turn_kernel (self, sonde_keras_weight (self, NULL, "pointwise_kernel", 1, &shape),
                        geometry.window.n, FALSE);
  bias = find_bias (self, 2, filters);
  y = sonde_lowering_op (self->out, "Conv", (SondeGraphValue *const[]){ y, kernel, bias },
                         bias != NULL ? 3 : 2);
  finish (self, sonde_keras_shaped (y, sonde_keras_in (self, 0), &made));
}

/* ---- transposed ---------------------------------------------------------- */

/* Padding is what is cut off: what the window reaches beyond the size that Keras says. */
static void
set_cut (SondeKerasLowering *self, SondeNode *node, const Geometry *geometry, SondeShape *made)
{
  const SondeLoweringWindow *window = &geometry->window;
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 }, more[SONDE_MAX_RANK] = { 0 }, given[SONDE_MAX_RANK];
  gboolean is_given = sonde_keras_has (self, "output_padding");

  sonde_keras_ints (self, "output_padding", window->n, 0, given);
  for (int i = 0; i < window->n; i++)
    {
      gint64 reach = reach_of (window, i), size = made->dims[2 + i], cut = 0;

      if (is_given)
        cut = (geometry->same ? 2 * (reach / 2) : 0) - given[i];
      else
        cut = geometry->same ? reach - window->strides[i] : MIN (reach - window->strides[i], 0);
      more[i] = MAX (-cut, 0);
      cut = MAX (cut, 0);
      pads[i] = cut / 2;
      pads[window->n + i] = cut - cut / 2;
      if (size >= 0)
        made->dims[2 + i] = (size - 1) * window->strides[i] + reach - cut + more[i];
    }
  sonde_node_set_ints (node, "kernel_shape", window->kernel, (gsize) window->n);
  sonde_lowering_set_window (node, window, FALSE);
  sonde_node_set_ints (node, "pads", pads, 2 * (gsize) window->n);
  sonde_node_set_ints (node, "output_padding", more, (gsize) window->n);
}

static void
lower_transposed (SondeKerasLowering *self, const char *op)
{
  int n = spatial_of (op);
  gint64 filters = sonde_keras_int (self, "filters", -1);
  SondeGraphValue *x = NULL, *kernel = NULL, *bias = NULL, *y = NULL;
  Geometry geometry = { 0 };
  SondeShape shape, made;

  if (!read_geometry (self, n, &geometry))
    return;
  shape = kernel_shape (&geometry, filters, geometry.shape.dims[1]);
  x = sonde_keras_to_first (self, sonde_keras_in (self, 0));
  kernel = turn_kernel (self, sonde_keras_weight (self, NULL, "kernel", 0, &shape), n, FALSE);
  bias = find_bias (self, 1, filters);
  y = sonde_lowering_op (self->out, "ConvTranspose", (SondeGraphValue *const[]){ x, kernel, bias },
                         bias != NULL ? 3 : 2);
  made = geometry.shape;
  made.dims[1] = filters;
  set_cut (self, y->producer, &geometry, &made);
  finish (self, sonde_keras_shaped (y, x, &made));
}

const SondeKerasRow sonde_keras_window_rows[] = {
  { "Conv1D", 1, SONDE_KERAS_PLAIN, lower_conv, "1" },
  { "Conv1DTranspose", 1, SONDE_KERAS_PLAIN, lower_transposed, "1" },
  { "Conv2D", 1, SONDE_KERAS_PLAIN, lower_conv, "2" },
  { "Conv2DTranspose", 1, SONDE_KERAS_PLAIN, lower_transposed, "2" },
  { "Conv3D", 1, SONDE_KERAS_PLAIN, lower_conv, "3" },
  { "Conv3DTranspose", 1, SONDE_KERAS_PLAIN, lower_transposed, "3" },
  { "Convolution1D", 1, SONDE_KERAS_PLAIN, lower_conv, "1" },
  { "Convolution2D", 1, SONDE_KERAS_PLAIN, lower_conv, "2" },
  { "DepthwiseConv1D", 1, SONDE_KERAS_PLAIN, lower_depthwise, "1" },
  { "DepthwiseConv2D", 1, SONDE_KERAS_PLAIN, lower_depthwise, "2" },
  { "SeparableConv1D", 1, SONDE_KERAS_PLAIN, lower_separable, "1" },
  { "SeparableConv2D", 1, SONDE_KERAS_PLAIN, lower_separable, "2" },
  { NULL },
};
