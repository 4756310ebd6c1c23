/* SPDX-License-Identifier: Apache-2.0
 * Layers that slide windows: convolutions, pooling, normalisation over neighbours. Windows of
 * pooling may reach beyond the picture: sizes are rounded up. */
#include "data/models/caffe/sonde-caffe-lower.h"

#define MOST_SPATIAL (SONDE_MAX_RANK - 2)
#define MOST_WINDOW (1 << 20) /* sizes, strides, paddings */

/* Of each spatial axis. */
typedef struct
{
  int n;
  gint64 kernel[MOST_SPATIAL], stride[MOST_SPATIAL], pad[MOST_SPATIAL], dilation[MOST_SPATIAL];
} Window;

/* ---- what the layer says ------------------------------------------------- */

/* Field @name, one for all axes or one each, or its forms with _h and _w. */
static void
read_sizes (SondeCaffeLowering *self, const char *name, const char *stem, int n, gint64 fallback,
            gint64 least, gint64 *sizes)
{
  g_autofree char *of_height = g_strconcat (stem, "_h", NULL),
                  *of_width = g_strconcat (stem, "_w", NULL);
  guint count = sonde_caffe_count (self->param, name);

  for (int i = 0; i < n; i++)
    {
      const SondeCaffeEntry *entry
          = sonde_caffe_get_entry (self->param, name, count == 1 ? 0 : (guint) i);

      sizes[i] = entry != NULL ? (gint64) entry->number : fallback;
      if (n == 2 && sonde_caffe_has (self->param, i == 0 ? of_height : of_width))
        sizes[i] = sonde_caffe_get_int (self->param, i == 0 ? of_height : of_width, fallback);
      if (sizes[i] < least || sizes[i] > MOST_WINDOW)
        {
          sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "%s is %" PRId64, name,
                               sizes[i]);
          sizes[i] = MAX (least, 1);
        }
    }
}

static void
read_window (SondeCaffeLowering *self, int n, gint64 least_kernel, Window *window)
{
  window->n = n;
  read_sizes (self, "kernel_size", "kernel", n, 0, least_kernel, window->kernel);
  read_sizes (self, "stride", "stride", n, 1, 1, window->stride);
  read_sizes (self, "pad", "pad", n, 0, 0, window->pad);
  read_sizes (self, "dilation", "dilation", n, 1, 1, window->dilation);
}

/* FALSE, with a failure: a blob without spatial axes, or with too many. */
static gboolean
check_spatial (SondeCaffeLowering *self, const SondeShape *shape)
{
  if (shape->rank >= 3 && shape->rank <= SONDE_MAX_RANK)
    return TRUE;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                       "a blob of %d dimensions has no spatial ones", shape->rank);
  return FALSE;
}

/* ---- convolutions -------------------------------------------------------- */

/**
 * Convolution:
 * @outputs: @group: channels made, groups
 * @transposed: of Deconvolution
 */
typedef struct
{
  Window window;
  gint64 outputs, group;
  gboolean transposed, has_bias;
} Convolution;

static void
read_convolution (SondeCaffeLowering *self, const SondeShape *shape, Convolution *convolution)
{
  gboolean depthwise = g_str_equal (self->layer->type, "DepthwiseConvolution");

  read_window (self, shape->rank - 2, 1, &convolution->window);
  convolution->outputs = sonde_caffe_get_int (self->param, "num_output", 0);
  convolution->group = depthwise ? shape->dims[1] : sonde_caffe_get_int (self->param, "group", 1);
  convolution->transposed = g_str_equal (self->layer->type, "Deconvolution");
  convolution->has_bias = sonde_caffe_get_bool (self->param, "bias_term", TRUE);
  if (convolution->outputs >= 1 && convolution->outputs <= 1 << 24 && convolution->group >= 1
      && shape->dims[1] % convolution->group == 0 && convolution->outputs % convolution->group == 0)
    return;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                       "%" PRId64 " groups do not divide its %" PRId64 " channels and %" PRId64
                       " outputs",
                       convolution->group, shape->dims[1], convolution->outputs);
}

static SondeShape
shape_of_weights (const Convolution *convolution, const SondeShape *shape)
{
  SondeShape weights = { .rank = shape->rank };

  weights.dims[0] = convolution->transposed ? shape->dims[1] : convolution->outputs;
  weights.dims[1]
      = (convolution->transposed ? convolution->outputs : shape->dims[1]) / convolution->group;
  for (int i = 0; i < convolution->window.n; i++)
    weights.dims[2 + i] = convolution->window.kernel[i];
  return weights;
}

static void
set_window (SondeNode *node, const Window *window, gboolean dilated)
{
  gint64 pads[2 * MOST_SPATIAL];
  gsize n = (gsize) window->n;

  for (gsize i = 0; i < n; i++)
    pads[i] = pads[n + i] = window->pad[i];
  sonde_node_set_ints (node, "kernel_shape", window->kernel, n);
  sonde_node_set_ints (node, "strides", window->stride, n);
  sonde_node_set_ints (node, "pads", pads, 2 * n);
  if (dilated)
    sonde_node_set_ints (node, "dilations", window->dilation, n);
}

/* Sizes of what a convolution makes. */
static SondeShape
convolved_shape (SondeCaffeLowering *self, const Convolution *convolution, SondeShape shape)
{
  const Window *window = &convolution->window;

  shape.dims[1] = convolution->outputs;
  for (int i = 0; i < window->n; i++)
    {
      gint64 in = shape.dims[2 + i], extent = window->dilation[i] * (window->kernel[i] - 1) + 1;
      gint64 out = convolution->transposed
                       ? window->stride[i] * (in - 1) + extent - 2 * window->pad[i]
                       : (in + 2 * window->pad[i] - extent) / window->stride[i] + 1;

      if (out < 1 || (!convolution->transposed && in + 2 * window->pad[i] < extent))
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                             "its window of %" PRId64 " is larger than the padded size %" PRId64,
                             extent, in + 2 * window->pad[i]);
      shape.dims[2 + i] = MAX (out, 1);
    }
  return shape;
}

static SondeGraphValue *
convolve (SondeCaffeLowering *self, const Convolution *convolution, SondeGraphValue *x,
          SondeGraphValue *weights, SondeGraphValue *bias)
{
  SondeGraphValue *const inputs[] = { x, weights, bias };
  SondeGraphValue *y = sonde_lowering_op (
      self->out, convolution->transposed ? "ConvTranspose" : "Conv", inputs, bias != NULL ? 3 : 2);

  set_window (y->producer, &convolution->window, TRUE);
  sonde_node_set_int (y->producer, "group", convolution->group);
  return y;
}

/* Every bottom makes a top, with the same weights. */
static void
lower_convolution (SondeCaffeLowering *self)
{
  SondeShape shape = sonde_caffe_shape_of (sonde_caffe_bottom (self, 0)), weights, bias;
  SondeGraphValue *w = NULL, *b = NULL;
  Convolution convolution;

  if (!check_spatial (self, &shape))
    return;
  read_convolution (self, &shape, &convolution);
  if (sonde_lowering_has_failed (self->out))
    return;
  weights = shape_of_weights (&convolution, &shape);
  bias = (SondeShape){ 1, { convolution.outputs } };
  w = sonde_caffe_blob (self, 0, "weight", &weights);
  b = convolution.has_bias ? sonde_caffe_blob (self, 1, "bias", &bias) : NULL;
  for (guint i = 0; i < self->layer->bottoms->len; i++)
    {
      SondeGraphValue *x = sonde_caffe_bottom (self, i);
      SondeShape from = sonde_caffe_shape_of (x), made = { 0 };

      if (from.rank != shape.rank || from.dims[1] != shape.dims[1])
        {
          sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                               "bottoms 0 and %u have different channels", i);
          return;
        }
      made = convolved_shape (self, &convolution, from);
      sonde_caffe_set_top (self, i, convolve (self, &convolution, x, w, b), &made);
    }
}

/* ---- pooling ------------------------------------------------------------- */

/* Windows along one axis: rounded up, but none begins beyond the padding in front of the end. */
static gint64
count_windows (gint64 in, gint64 kernel, gint64 stride, gint64 pad, gboolean floor)
{
  gint64 span = in + 2 * pad - kernel, n = span / stride + 1;

  if (!floor && span % stride != 0)
    n++;
  if (pad > 0 && (n - 1) * stride >= in + pad)
    n--;
  return n;
}

/* How much the last window needs behind the picture. */
static gint64
pad_behind (const Window *window, int i, gint64 in, gint64 out)
{
  return MAX ((out - 1) * window->stride[i] + window->kernel[i] - in - window->pad[i], 0);
}

static SondeGraphValue *
pool_max (SondeCaffeLowering *self, SondeGraphValue *x, const Window *window,
          const SondeShape *from, const SondeShape *to)
{
  SondeGraphValue *y = sonde_lowering_op (self->out, "MaxPool", SONDE_VALUES (x));
  gint64 pads[2 * MOST_SPATIAL];

  set_window (y->producer, window, FALSE);
  for (int i = 0; i < window->n; i++)
    {
      pads[i] = window->pad[i];
      pads[window->n + i] = pad_behind (window, i, from->dims[2 + i], to->dims[2 + i]);
    }
  sonde_node_set_ints (y->producer, "pads", pads, 2 * (gsize) window->n);
  return y;
}

/* Numbers that window @at of axis @i divides by: its part of the picture with its padding. */
static gint64
window_length (const Window *window, int i, gint64 at, gint64 in)
{
  gint64 begin = at * window->stride[i] - window->pad[i];

  return MIN (begin + window->kernel[i], in + window->pad[i]) - begin;
}

/* Factors that turn sums over whole windows divided by their size into Caffe's averages; NULL when all
 * are one. @to: [N, C, spatial…]. (transfer full) */
static SondeTensor *
average_factors (const Window *window, const SondeShape *from, const SondeShape *to)
{
  SondeShape shape = *to;
  SondeTensor *factors = NULL;
  gboolean needed = FALSE;

  shape.dims[0] = shape.dims[1] = 1;
  factors = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 k = 0; k < sonde_tensor_n_elements (factors); k++)
    {
      gint64 rest = k;
      double factor = 1;

      for (int i = window->n - 1; i >= 0; i--)
        {
          gint64 at = rest % to->dims[2 + i];

          rest /= to->dims[2 + i];
          factor *= (double) window->kernel[i]
                    / (double) window_length (window, i, at, from->dims[2 + i]);
        }
      ((float *) factors->data)[k] = (float) factor;
      needed = needed || factor != 1;
    }
  if (!needed)
    g_clear_pointer (&factors, sonde_tensor_unref);
  return factors;
}

/* Zeros in front and behind, so that every window lies inside. */
static SondeGraphValue *
pad_for (SondeCaffeLowering *self, SondeGraphValue *x, const Window *window, const SondeShape *from,
         const SondeShape *to)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 };
  gboolean needed = FALSE;

  for (int i = 0; i < window->n; i++)
    {
      pads[2 + i] = window->pad[i];
      pads[from->rank + 2 + i] = pad_behind (window, i, from->dims[2 + i], to->dims[2 + i]);
      needed = needed || pads[2 + i] > 0 || pads[from->rank + 2 + i] > 0;
    }
  if (!needed)
    return x;
  return sonde_lowering_op (
      self->out, "Pad",
      SONDE_VALUES (x, sonde_lowering_ints (self->out, pads, 2 * (gsize) from->rank)));
}

/* The padding counts, what a window has beyond it does not: no mode of AveragePool says that, so the
 * sums are divided by the window's size and corrected where they reach too far. */
static SondeGraphValue *
pool_average (SondeCaffeLowering *self, SondeGraphValue *x, const Window *window,
              const SondeShape *from, const SondeShape *to)
{
  g_autoptr (SondeTensor) factors = average_factors (window, from, to);
  g_autofree char *name = g_strconcat (self->layer->name, ".factor", NULL);
  SondeGraphValue *y = NULL;

  y = sonde_lowering_op (self->out, "AveragePool",
                         SONDE_VALUES (factors != NULL ? pad_for (self, x, window, from, to) : x));
  set_window (y->producer, window, FALSE);
  if (factors == NULL)
    {
      sonde_node_set_int (y->producer, "count_include_pad", 1);
      return y;
    }
  sonde_node_set_ints (y->producer, "pads", (const gint64[2 * MOST_SPATIAL]){ 0 },
                       2 * (gsize) window->n);
  return sonde_lowering_op (self->out, "Mul",
                            SONDE_VALUES (y, sonde_lowering_constant (self->out, name, factors)));
}

/* @to: (out): the shape of what comes out. (nullable) after a failure */
static SondeGraphValue *
pool (SondeCaffeLowering *self, SondeGraphValue *x, const Window *window, gint64 kind,
      gboolean floor, SondeShape *to)
{
  SondeShape from = sonde_caffe_shape_of (x);

  *to = from;
  for (int i = 0; i < window->n; i++)
    {
      if (window->pad[i] >= window->kernel[i]
          || from.dims[2 + i] + 2 * window->pad[i] < window->kernel[i])
        {
          sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                               "its window of %" PRId64 " does not fit a size of %" PRId64
                               " with a padding of %" PRId64,
                               window->kernel[i], from.dims[2 + i], window->pad[i]);
          return NULL;
        }
      to->dims[2 + i] = count_windows (from.dims[2 + i], window->kernel[i], window->stride[i],
                                       window->pad[i], floor);
    }
  return kind == 1 ? pool_average (self, x, window, &from, to)
                   : pool_max (self, x, window, &from, to);
}

static void
read_pooling (SondeCaffeLowering *self, const SondeShape *shape, Window *window)
{
  gboolean all = sonde_caffe_get_bool (self->param, "global_pooling", FALSE);

  read_window (self, shape->rank - 2, all ? 0 : 1, window);
  for (int i = 0; all && i < window->n; i++)
    {
      window->kernel[i] = shape->dims[2 + i];
      window->stride[i] = 1;
      window->pad[i] = 0;
    }
}

static void
lower_pooling (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL;
  SondeShape from = sonde_caffe_shape_of (x), to = { 0 };
  gint64 kind = sonde_caffe_get_int (self->param, "pool", 0);
  gboolean floor = sonde_caffe_get_int (self->param, "round_mode", 0) == 1;
  Window window = { 0 };

  if (!check_spatial (self, &from))
    return;
  if (kind == 2 || self->layer->tops->len > 1)
    {
      sonde_caffe_refuse (self,
                          kind == 2 ? sonde_message_new ("stochastic pooling draws at random")
                                    : sonde_message_new ("its second top is a mask of places"),
                          sonde_message_new ("Use MAX or AVE pooling with one top"));
      return;
    }
  read_pooling (self, &from, &window);
  y = sonde_lowering_has_failed (self->out) ? NULL : pool (self, x, &window, kind, floor, &to);
  if (y != NULL)
    sonde_caffe_set_top (self, 0, y, &to);
}

/* ---- SPP: a pyramid of poolings ------------------------------------------ */

/* Level @level: 2^level windows along each axis. */
static void
pyramid_window (const SondeShape *shape, guint level, Window *window)
{
  gint64 bins = (gint64) 1 << level;

  window->n = 2;
  for (int i = 0; i < 2; i++)
    {
      gint64 in = shape->dims[2 + i];

      window->kernel[i] = window->stride[i] = (in + bins - 1) / bins;
      window->pad[i] = (window->kernel[i] * bins - in + 1) / 2;
      window->dilation[i] = 1;
    }
}

static void
lower_pyramid (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *levels[8] = { NULL }, *y = NULL;
  SondeShape from = sonde_caffe_shape_of (x), flat = { 2, { from.dims[0], 0 } };
  gint64 height = sonde_caffe_get_int (self->param, "pyramid_height", 0), all = 0;
  gint64 kind = sonde_caffe_get_int (self->param, "pool", 0);

  if (from.rank != 4 || height < 1 || height > 8 || kind == 2)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "a pyramid of height %" PRId64 " cannot be made", height);
      return;
    }
  for (guint i = 0; i < (guint) height; i++)
    {
      SondeShape to = { 0 };
      Window window = { 0 };

      pyramid_window (&from, i, &window);
      levels[i] = pool (self, x, &window, kind, FALSE, &to);
      if (levels[i] == NULL)
        return;
      flat.dims[1] = sonde_caffe_count_sizes (&to, 1, 4);
      levels[i] = sonde_caffe_reshape (self, levels[i], &flat);
      all += flat.dims[1];
    }
  y = sonde_lowering_op (self->out, "Concat", levels, (guint) height);
  sonde_node_set_int (y->producer, "axis", 1);
  flat.dims[1] = all;
  sonde_caffe_set_top (self, 0, y, &flat);
}

/* ---- LRN ----------------------------------------------------------------- */

/* x · (1 + alpha · average of x²)^−beta, over a square of @size; k is not used. */
static SondeGraphValue *
normalise_within (SondeCaffeLowering *self, SondeGraphValue *x, gint64 size, double alpha,
                  double beta)
{
  SondeShape to = { 0 };
  const Window window
      = { 2, { size, size }, { 1, 1 }, { (size - 1) / 2, (size - 1) / 2 }, { 1, 1 } };
  SondeShape shape = sonde_caffe_shape_of (x);
  SondeGraphValue *square = sonde_lowering_op (self->out, "Mul", SONDE_VALUES (x, x)), *y = NULL;

  square->type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  y = pool (self, square, &window, 1, FALSE, &to);
  if (y == NULL)
    return x;
  y = sonde_lowering_op (self->out, "Mul", SONDE_VALUES (y, sonde_caffe_number (self, alpha)));
  y = sonde_lowering_op (self->out, "Add", SONDE_VALUES (y, sonde_caffe_number (self, 1)));
  y = sonde_lowering_op (self->out, "Pow", SONDE_VALUES (y, sonde_caffe_number (self, -beta)));
  return sonde_lowering_op (self->out, "Mul", SONDE_VALUES (x, y));
}

static void
lower_lrn (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL;
  SondeShape shape = sonde_caffe_shape_of (x);
  gint64 size = sonde_caffe_get_int (self->param, "local_size", 5);
  double alpha = sonde_caffe_get_number (self->param, "alpha", 1);
  double beta = sonde_caffe_get_number (self->param, "beta", 0.75);

  if (!check_spatial (self, &shape))
    return;
  if (size < 1 || size > MOST_WINDOW || size % 2 == 0)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "local_size is %" PRId64 ", it has to be odd", size);
      return;
    }
  if (sonde_caffe_get_int (self->param, "norm_region", 0) == 1)
    {
      sonde_caffe_set_same (self, normalise_within (self, x, size, alpha, beta));
      return;
    }
  y = sonde_lowering_op (self->out, "LRN", SONDE_VALUES (x));
  sonde_node_set_int (y->producer, "size", size);
  sonde_node_set_float (y->producer, "alpha", alpha);
  sonde_node_set_float (y->producer, "beta", beta);
  sonde_node_set_float (y->producer, "bias", sonde_caffe_get_number (self->param, "k", 1));
  sonde_caffe_set_same (self, y);
}

/* ---- Interp (forks): bilinear, corners aligned --------------------------- */

static void
lower_interp (SondeCaffeLowering *self)
{
  SondeGraphValue *x = sonde_caffe_bottom (self, 0), *y = NULL;
  SondeShape shape = sonde_caffe_shape_of (x);
  gint64 shrink = sonde_caffe_get_int (self->param, "shrink_factor", 1);
  gint64 zoom = sonde_caffe_get_int (self->param, "zoom_factor", 1);

  if (shape.rank != 4 || shrink < 1 || zoom < 1 || zoom > 1024
      || sonde_caffe_get_int (self->param, "pad_beg", 0) != 0
      || sonde_caffe_get_int (self->param, "pad_end", 0) != 0)
    {
      sonde_caffe_refuse (self, sonde_message_new ("its padding or its factors are not known"),
                          NULL);
      return;
    }
  for (int i = 2; i < 4; i++)
    {
      gint64 size = (shape.dims[i] - 1) / shrink + 1;

      shape.dims[i] = sonde_caffe_get_int (self->param, i == 2 ? "height" : "width",
                                           size + (size - 1) * (zoom - 1));
      if (shape.dims[i] < 1 || shape.dims[i] > MOST_WINDOW)
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "its size is %" PRId64,
                             shape.dims[i]);
    }
  y = sonde_lowering_op (
      self->out, "Resize",
      SONDE_VALUES (x, NULL, NULL, sonde_lowering_ints (self->out, shape.dims, 4)));
  sonde_node_set_string (y->producer, "mode", "linear");
  sonde_node_set_string (y->producer, "coordinate_transformation_mode", "align_corners");
  sonde_caffe_set_top (self, 0, y, &shape);
}

const SondeCaffeRow sonde_caffe_spatial_rows[] = {
  { "Convolution", "convolution_param", 1, G_MAXUINT, lower_convolution },
  { "Deconvolution", "convolution_param", 1, G_MAXUINT, lower_convolution },
  { "DepthwiseConvolution", "convolution_param", 1, G_MAXUINT, lower_convolution },
  { "Interp", "interp_param", 1, 1, lower_interp },
  { "LRN", "lrn_param", 1, 1, lower_lrn },
  { "Pooling", "pooling_param", 1, 1, lower_pooling },
  { "SPP", "spp_param", 1, 1, lower_pyramid },
  { NULL },
};
