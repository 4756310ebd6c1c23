/* SPDX-License-Identifier: Apache-2.0
 * ATen's convolutions, pooling, resizing and padding. */
#include "data/models/pt2/sonde-pt2-lower.h"

#define MOST (SONDE_MAX_RANK - 2)

/* A list with one number an axis; one number stands for all. Absent or empty: @fallback. */
static void
get_sizes (SondePt2Lowering *self, const char *name, int n, gint64 fallback, gint64 *sizes)
{
  int found = sonde_pt2_arg_ints (self, name, sizes, n);

  for (int i = 0; i < n; i++)
    sizes[i] = found <= 0 ? fallback : sizes[found == 1 ? 0 : MIN (i, found - 1)];
}

static int
get_spatial_rank (SondePt2Lowering *self, const SondeGraphValue *x)
{
  int rank = sonde_pt2_rank (self, x);

  if (rank >= 3)
    return rank - 2;
  sonde_lowering_fail (self->out, SONDE_DATA_ERROR_UNSUPPORTED,
                       "a tensor of %d dimensions has no batch, channels and places", rank);
  return 1;
}

static void
set_pads (SondeNode *node, const gint64 *pad, const gint64 *extra, int n)
{
  gint64 pads[2 * MOST];

  for (int i = 0; i < n; i++)
    {
      pads[i] = pad[i];
      pads[n + i] = pad[i] + (extra != NULL ? extra[i] : 0);
    }
  sonde_node_set_ints (node, "pads", pads, 2 * (gsize) n);
}

/* ---- convolutions -------------------------------------------------------- */

/* "same": as many places out as in, an odd one at the end. */
static void
set_same (SondeNode *node, const SondeGraphValue *weight, const gint64 *dilation, int n)
{
  gint64 pads[2 * MOST];

  for (int i = 0; i < n; i++)
    {
      gint64 total = dilation[i] * (weight->type.dims[2 + i].size - 1);

      pads[i] = total / 2;
      pads[n + i] = total - total / 2;
    }
  sonde_node_set_ints (node, "pads", pads, 2 * (gsize) n);
}

static void
set_padding (SondePt2Lowering *self, SondeNode *node, const SondeGraphValue *weight,
             const gint64 *dilation, int n)
{
  const char *word = sonde_pt2_arg_text (self, "padding", "");
  gint64 pad[MOST];

  if (g_str_equal (word, "same"))
    {
      set_same (node, weight, dilation, n);
      return;
    }
  get_sizes (self, "padding", n, 0, pad);
  set_pads (node, pad, NULL, n);
}

static void
lower_convolution (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "input"), *y = NULL;
  SondeGraphValue *weight = sonde_pt2_needed (self, "weight"),
                  *bias = sonde_pt2_tensor (self, "bias");
  SondeGraphValue *const inputs[] = { x, weight, bias };
  gboolean transposed = self->op != NULL || sonde_pt2_arg_bool (self, "transposed", FALSE);
  int n = get_spatial_rank (self, x);
  gint64 stride[MOST], dilation[MOST], extra[MOST];

  if (weight->type.rank != n + 2)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_UNSUPPORTED,
                           "input and weight have %d and %d dimensions", n + 2, weight->type.rank);
      return;
    }
  y = sonde_lowering_op (self->out, transposed ? "ConvTranspose" : "Conv", inputs,
                         bias != NULL ? 3 : 2);
  get_sizes (self, "stride", n, 1, stride);
  get_sizes (self, "dilation", n, 1, dilation);
  get_sizes (self, "output_padding", n, 0, extra);
  sonde_node_set_ints (y->producer, "strides", stride, (gsize) n);
  sonde_node_set_ints (y->producer, "dilations", dilation, (gsize) n);
  sonde_node_set_int (y->producer, "group", sonde_pt2_arg_int (self, "groups", 1));
  set_padding (self, y->producer, weight, dilation, n);
  if (transposed)
    sonde_node_set_ints (y->producer, "output_padding", extra, (gsize) n);
  sonde_pt2_set_out (self, 0, y);
}

/* ---- pooling ------------------------------------------------------------- */

typedef struct
{
  int n;
  gint64 kernel[MOST], stride[MOST], pad[MOST], dilation[MOST];
} Window;

static void
get_window (SondePt2Lowering *self, int n, Window *window)
{
  window->n = n;
  get_sizes (self, "kernel_size", n, 1, window->kernel);
  get_sizes (self, "padding", n, 0, window->pad);
  get_sizes (self, "dilation", n, 1, window->dilation);
  get_sizes (self, "stride", n, 0, window->stride);
  for (int i = 0; i < n; i++)
    window->stride[i] = window->stride[i] > 0 ? window->stride[i] : window->kernel[i];
}

static void
set_window (SondeNode *node, const Window *window)
{
  sonde_node_set_ints (node, "kernel_shape", window->kernel, (gsize) window->n);
  sonde_node_set_ints (node, "strides", window->stride, (gsize) window->n);
}

/* Places that rounding up needs behind the padding; −1: unknown sizes. A window that begins in the
 * padding behind is left out, as PyTorch does. */
static gint64
extra_behind (const Window *window, int i, gint64 in)
{
  gint64 extent = window->dilation[i] * (window->kernel[i] - 1) + 1;
  gint64 span = in + 2 * window->pad[i] - extent, n = 0;

  if (in < 0)
    return -1;
  n = (span + window->stride[i] - 1) / window->stride[i] + 1;
  if ((n - 1) * window->stride[i] >= in + window->pad[i])
    n--;
  return MAX ((n - 1) * window->stride[i] - span, 0);
}

/* FALSE, with a refusal: to round up the sizes have to be known. */
static gboolean
get_extra (SondePt2Lowering *self, const SondeGraphValue *x, const Window *window, gint64 *extra)
{
  gboolean up = sonde_pt2_arg_bool (self, "ceil_mode", FALSE);

  for (int i = 0; i < window->n; i++)
    {
      extra[i] = up ? extra_behind (window, i, x->type.dims[2 + i].size) : 0;
      if (extra[i] < 0)
        {
          sonde_pt2_refuse (self, sonde_message_new ("it rounds up a size that is not known"),
                            sonde_message_new ("Fix the size of the input with --shape"));
          return FALSE;
        }
    }
  return TRUE;
}

static void
lower_max_pool (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");
  gint64 extra[MOST];
  Window window;
  SondeNode *node = NULL;

  get_window (self, get_spatial_rank (self, x), &window);
  if (!get_extra (self, x, &window, extra))
    return;
  node = sonde_lowering_node (self->out, "", "MaxPool", SONDE_VALUES (x), 1);
  set_window (node, &window);
  sonde_node_set_ints (node, "dilations", window.dilation, (gsize) window.n);
  set_pads (node, window.pad, extra, window.n);
  sonde_pt2_set_out (self, 0, sonde_node_get_output (node, 0));
}

static gboolean
has_any (const gint64 *numbers, int n)
{
  for (int i = 0; i < n; i++)
    if (numbers[i] != 0)
      return TRUE;
  return FALSE;
}

/* Elements that window @at counts along dimension @i: those of the padding where @counted, but none
 * beyond it. */
static gint64
count_elements (const Window *window, int i, gint64 in, gint64 at, gboolean counted)
{
  const gint64 start = at * window->stride[i] - window->pad[i], end = start + window->kernel[i];

  return MAX (counted ? MIN (end, in + window->pad[i]) - start : MIN (end, in) - MAX (start, 0), 1);
}

/* What averages over whole windows are multiplied by: [1, 1, sizes of the output]. */
static SondeGraphValue *
counts_factor (SondePt2Lowering *self, const SondeGraphValue *x, const Window *window,
               const gint64 *extra, gboolean counted)
{
  SondeShape shape = { .rank = window->n + 2, .dims = { 1, 1 } };
  g_autoptr (SondeTensor) factors = NULL;

  for (int i = 0; i < window->n; i++)
    shape.dims[i + 2]
        = (x->type.dims[i + 2].size + 2 * window->pad[i] + extra[i] - window->kernel[i])
              / window->stride[i]
          + 1;
  factors = sonde_tensor_try_new (x->type.dtype, &shape, NULL, "counts", NULL);
  for (gint64 e = 0; factors != NULL && e < sonde_tensor_n_elements (factors); e++)
    {
      double factor = 1;
      gint64 rest = e;

      for (int i = window->n - 1; i >= 0; rest /= shape.dims[2 + i], i--)
        factor *= (double) window->kernel[i]
                  / (double) count_elements (window, i, x->type.dims[i + 2].size,
                                             rest % shape.dims[2 + i], counted);
      sonde_tensor_set_double (factors, e, factor);
    }
  return factors != NULL ? sonde_lowering_constant (self->out, NULL, factors)
                         : sonde_pt2_number (self, x, 1);
}

static void
lower_average_pool (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self"), *y = NULL;
  gint64 extra[MOST], divisor = sonde_pt2_arg_int (self, "divisor_override", 0), area = 1;
  const gboolean counted = sonde_pt2_arg_bool (self, "count_include_pad", TRUE);
  gboolean beyond;
  Window window;

  get_window (self, get_spatial_rank (self, x), &window);
  if (!get_extra (self, x, &window, extra))
    return;
  beyond = has_any (extra, window.n);
  y = sonde_lowering_op (self->out, "AveragePool", SONDE_VALUES (x));
  set_window (y->producer, &window);
  set_pads (y->producer, window.pad, extra, window.n);
  sonde_node_set_int (y->producer, "count_include_pad", beyond || divisor != 0 || counted ? 1 : 0);
  for (int i = 0; i < window.n; i++)
    area *= window.kernel[i];
  if (divisor != 0)
    y = sonde_pt2_op2 (self, "Mul", y,
                       sonde_pt2_number (self, x, (double) area / (double) divisor));
  else if (beyond)
    y = sonde_pt2_op2 (self, "Mul", y, counts_factor (self, x, &window, extra, counted));
  sonde_pt2_set_out (self, 0, y);
}

/* [out, in]: row i averages from ⌊i · in / out⌋ to ⌈(i + 1) · in / out⌉. */
static SondeGraphValue *
averages_matrix (SondePt2Lowering *self, const SondeGraphValue *x, gint64 in, gint64 out)
{
  const SondeShape shape = { 2, { out, in } };
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (x->type.dtype, &shape);

  for (gint64 i = 0; i < out; i++)
    {
      gint64 from = i * in / out, to = ((i + 1) * in + out - 1) / out;

      for (gint64 k = from; k < to; k++)
        sonde_tensor_set_double (tensor, i * in + k, 1.0 / (double) (to - from));
    }
  return sonde_lowering_constant (self->out, NULL, tensor);
}

/* Windows of different sizes as two products: rows · x · columnsᵀ. */
static void
average_uneven (SondePt2Lowering *self, SondeGraphValue *x, const gint64 *sizes)
{
  static const gint64 turned[] = { 1, 0 };
  gint64 height = x->type.dims[2].size, width = x->type.dims[3].size;
  SondeGraphValue *rows = averages_matrix (self, x, height, sizes[0]);
  SondeGraphValue *columns = averages_matrix (self, x, width, sizes[1]), *y = NULL;

  columns = sonde_lowering_transpose (self->out, columns, turned, 2);
  y = sonde_pt2_op2 (self, "MatMul", sonde_pt2_op2 (self, "MatMul", rows, x), columns);
  sonde_pt2_set_out (self, 0, y);
}

static gboolean
is_small (gint64 size)
{
  return size > 0 && size <= 4096;
}

/* Windows from ⌊i · in / out⌋ to ⌈(i + 1) · in / out⌉: of one size when out divides in. */
static void
lower_adaptive_pool (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self"), *y = NULL;
  int n = get_spatial_rank (self, x);
  gint64 sizes[MOST], kernel[MOST];
  gboolean all = TRUE, one = TRUE;
  g_autofree char *global = g_strconcat ("Global", self->op, NULL);

  get_sizes (self, "output_size", n, 1, sizes);
  for (int i = 0; i < n; i++)
    {
      gint64 in = x->type.dims[2 + i].size;

      one = one && sizes[i] == 1;
      all = all && in > 0 && sizes[i] > 0 && in % sizes[i] == 0;
      kernel[i] = all ? in / sizes[i] : 1;
    }
  if (!one && !all && n == 2 && self->op[0] == 'A' && is_small (x->type.dims[2].size)
      && is_small (x->type.dims[3].size) && is_small (sizes[0]) && is_small (sizes[1]))
    {
      average_uneven (self, x, sizes);
      return;
    }
  if (!one && !all)
    {
      sonde_pt2_refuse (self, sonde_message_new ("its windows have different sizes"),
                        sonde_message_new ("Choose an output size that divides the input's"));
      return;
    }
  y = sonde_lowering_op (self->out, one ? global : self->op, SONDE_VALUES (x));
  if (!one)
    {
      sonde_node_set_ints (y->producer, "kernel_shape", kernel, (gsize) n);
      sonde_node_set_ints (y->producer, "strides", kernel, (gsize) n);
    }
  sonde_pt2_set_out (self, 0, y);
}

/* ---- resizing ------------------------------------------------------------ */

/* Given factors are the ratio, also where the sizes are rounded. */
static SondeGraphValue *
resize (SondePt2Lowering *self, SondeGraphValue *x, int n)
{
  gint64 sizes[SONDE_MAX_RANK];
  JsonNode *node = g_hash_table_lookup (self->arguments, "scale_factors");
  JsonArray *factors
      = node != NULL && JSON_NODE_HOLDS_ARRAY (node) ? json_node_get_array (node) : NULL;
  const SondeShape shape = { 1, { n + 2 } };
  g_autoptr (SondeTensor) scales = NULL;

  if (sonde_json_member_count (factors) != (guint) n)
    {
      sizes[0] = x->type.dims[0].size;
      sizes[1] = x->type.dims[1].size;
      get_sizes (self, sonde_pt2_has (self, "output_size") ? "output_size" : "size", n, 1,
                 sizes + 2);
      if (sizes[0] < 0)
        sonde_lowering_fail (self->out, SONDE_DATA_ERROR_UNSUPPORTED,
                             "the batch size is not known. Fix it with --shape");
      return sonde_lowering_op (
          self->out, "Resize",
          SONDE_VALUES (x, NULL, NULL, sonde_lowering_ints (self->out, sizes, (gsize) n + 2)));
    }
  scales = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (int i = 0; i < n + 2; i++)
    {
      double factor = 1;

      if (i >= 2)
        sonde_json_member_number (json_array_get_element (factors, (guint) i - 2), &factor);
      sonde_tensor_set_double (scales, i, factor);
    }
  return sonde_lowering_op (
      self->out, "Resize",
      SONDE_VALUES (x, NULL, sonde_lowering_constant (self->out, NULL, scales)));
}

static void
lower_resize (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_self (self);
  int n = get_spatial_rank (self, x);
  gboolean nearest = g_str_equal (self->op, "nearest");
  gboolean corners = sonde_pt2_arg_bool (self, "align_corners", FALSE);
  SondeGraphValue *y = resize (self, x, n);

  sonde_node_set_string (y->producer, "mode", self->op);
  sonde_node_set_string (y->producer, "coordinate_transformation_mode",
                         nearest   ? "asymmetric"
                         : corners ? "align_corners"
                                   : "pytorch_half_pixel");
  if (nearest)
    sonde_node_set_string (y->producer, "nearest_mode", "floor");
  else if (g_str_equal (self->op, "cubic"))
    sonde_node_set_float (y->producer, "cubic_coeff_a", -0.75);
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_pixel_shuffle (SondePt2Lowering *self)
{
  SondeGraphValue *y = sonde_lowering_op (self->out, "DepthToSpace",
                                          SONDE_VALUES (sonde_pt2_needed (self, "self")));

  sonde_node_set_int (y->producer, "blocksize", sonde_pt2_arg_int (self, "upscale_factor", 1));
  sonde_node_set_string (y->producer, "mode", "CRD");
  sonde_pt2_set_out (self, 0, y);
}

/* ---- padding ------------------------------------------------------------- */

/* PyTorch names the last dimension first: [left, right, top, bottom, …]. */
static void
set_padded (SondePt2Lowering *self, const char *mode, double number)
{
  static const char *const modes[][2] = {
    { "constant", "constant" },
    { "reflect", "reflect" },
    { "replicate", "edge" },
    { "circular", "wrap" },
  };
  SondeGraphValue *x = sonde_pt2_self (self);
  int rank = sonde_pt2_rank (self, x);
  gint64 given[2 * SONDE_MAX_RANK] = { 0 }, pads[2 * SONDE_MAX_RANK] = { 0 };
  int n = sonde_pt2_arg_ints (self, sonde_pt2_has (self, "padding") ? "padding" : "pad", given,
                              2 * rank);
  SondeGraphValue *y = NULL;

  for (int i = 0; i < n / 2; i++)
    {
      pads[rank - 1 - i] = given[2 * i];
      pads[2 * rank - 1 - i] = given[2 * i + 1];
    }
  y = sonde_lowering_op (self->out, "Pad",
                         SONDE_VALUES (x, sonde_lowering_ints (self->out, pads, 2 * (gsize) rank),
                                       sonde_pt2_number (self, x, number)));
  for (gsize i = 0; i < G_N_ELEMENTS (modes); i++)
    if (g_str_equal (mode, modes[i][0]))
      sonde_node_set_string (y->producer, "mode", modes[i][1]);
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_pad (SondePt2Lowering *self)
{
  const char *mode = self->op != NULL ? self->op : sonde_pt2_arg_text (self, "mode", "constant");

  set_padded (self, mode, sonde_pt2_arg_number (self, "value", 0));
}

const SondePt2Row sonde_pt2_window_rows[] = {
  { "adaptive_avg_pool1d.default", lower_adaptive_pool, "AveragePool" },
  { "adaptive_avg_pool2d.default", lower_adaptive_pool, "AveragePool" },
  { "_adaptive_avg_pool2d.default", lower_adaptive_pool, "AveragePool" },
  { "adaptive_avg_pool3d.default", lower_adaptive_pool, "AveragePool" },
  { "adaptive_max_pool2d.default", lower_adaptive_pool, "MaxPool" },
  { "avg_pool1d.default", lower_average_pool },
  { "avg_pool2d.default", lower_average_pool },
  { "avg_pool3d.default", lower_average_pool },
  { "constant_pad_nd.default", lower_pad, "constant" },
  { "conv1d.default", lower_convolution },
  { "conv1d.padding", lower_convolution },
  { "conv2d.default", lower_convolution },
  { "conv2d.padding", lower_convolution },
  { "conv3d.default", lower_convolution },
  { "conv3d.padding", lower_convolution },
  { "conv_transpose1d.default", lower_convolution, "transposed" },
  { "conv_transpose2d.input", lower_convolution, "transposed" },
  { "conv_transpose3d.input", lower_convolution, "transposed" },
  { "convolution.default", lower_convolution },
  { "max_pool1d.default", lower_max_pool },
  { "max_pool2d.default", lower_max_pool },
  { "max_pool2d_with_indices.default", lower_max_pool },
  { "max_pool3d.default", lower_max_pool },
  { "pad.default", lower_pad },
  { "pixel_shuffle.default", lower_pixel_shuffle },
  { "reflection_pad1d.default", lower_pad, "reflect" },
  { "reflection_pad2d.default", lower_pad, "reflect" },
  { "replication_pad1d.default", lower_pad, "replicate" },
  { "replication_pad2d.default", lower_pad, "replicate" },
  { "upsample_bicubic2d.default", lower_resize, "cubic" },
  { "upsample_bicubic2d.vec", lower_resize, "cubic" },
  { "upsample_bilinear2d.default", lower_resize, "linear" },
  { "upsample_bilinear2d.vec", lower_resize, "linear" },
  { "upsample_linear1d.vec", lower_resize, "linear" },
  { "upsample_nearest1d.vec", lower_resize, "nearest" },
  { "upsample_nearest2d.default", lower_resize, "nearest" },
  { "upsample_nearest2d.vec", lower_resize, "nearest" },
  { NULL },
};
