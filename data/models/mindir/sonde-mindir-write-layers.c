/* SPDX-License-Identifier: Apache-2.0
 * ONNX layers as primitives: products, convolutions, pooling, normalisation, reductions. */
#include <math.h>
#include <string.h>

#include "data/models/mindir/sonde-mindir-term.h"
#include "data/models/mindir/sonde-mindir-writer.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)
#define MAX_SPATIAL 3

static int
get_rank (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR ? value->type.rank : -1;
}

/* ---- products ------------------------------------------------------------ */

static const char *
multiply (SondeMindirWriter *w, const char *a, const char *b, gboolean turn_a, gboolean turn_b)
{
  return CALL ("MatMul", a, b, sonde_mindir_write_bool (w, turn_a),
               sonde_mindir_write_bool (w, turn_b));
}

static void
write_mat_mul (SondeMindirWriter *w, const SondeNode *node)
{
  const int a = get_rank (VALUE (0)), b = get_rank (VALUE (1));

  sonde_mindir_set (w, node, 0,
                    a == 2 && b == 2 ? multiply (w, IN (0), IN (1), FALSE, FALSE)
                                     : CALL ("MatMulExt", IN (0), IN (1)));
}

static const char *
scale (SondeMindirWriter *w, const SondeNode *node, const char *x, const char *name)
{
  const double factor = sonde_node_get_float (node, name, 1);

  return factor != 1 ? CALL ("Mul", x, sonde_mindir_write_number (w, factor, VALUE (0))) : x;
}

static void
write_gemm (SondeMindirWriter *w, const SondeNode *node)
{
  const char *y = multiply (w, IN (0), IN (1), sonde_node_get_int (node, "transA", 0) != 0,
                            sonde_node_get_int (node, "transB", 0) != 0);

  y = scale (w, node, y, "alpha");
  if (IN (2) != NULL)
    y = CALL ("Add", y, scale (w, node, IN (2), "beta"));
  sonde_mindir_set (w, node, 0, y);
}

/* ---- windows ------------------------------------------------------------- */

static void
get_numbers (const SondeNode *node, const char *name, guint n, gint64 fallback, gint64 *numbers)
{
  gsize there = 0;
  const gint64 *values = sonde_node_get_ints (node, name, &there);

  for (guint i = 0; i < n; i++)
    numbers[i] = values != NULL && i < there ? values[i] : fallback;
}

/* "top, bottom, left, right" of "top, left, bottom, right"; SAME_LOWER is no mode of MindSpore. FALSE then.
 * @mode: (out): "same", "valid" or "pad" */
static gboolean
get_padding (const SondeNode *node, guint n, gint64 *pairs, const char **mode)
{
  const char *automatic = sonde_node_get_string (node, "auto_pad", "NOTSET");
  gint64 pads[2 * MAX_SPATIAL];
  gboolean any = FALSE;

  get_numbers (node, "pads", 2 * n, 0, pads);
  for (guint i = 0; i < n; i++)
    {
      pairs[2 * i] = pads[i];
      pairs[2 * i + 1] = pads[n + i];
      any = any || pads[i] != 0 || pads[n + i] != 0;
    }
  *mode = any ? "pad" : "valid";
  if (strcmp (automatic, "SAME_UPPER") == 0)
    *mode = "same";
  else if (strcmp (automatic, "VALID") == 0)
    *mode = "valid";
  return strcmp (automatic, "SAME_LOWER") != 0;
}

static void
add_window (SondeMindirWriter *w, const SondeNode *node, const SondeGraphValue *weight, guint n,
            const char *mode, const gint64 *pairs)
{
  gint64 kernel[MAX_SPATIAL], numbers[2 + MAX_SPATIAL] = { 1, 1 };
  static const gint64 none[2 * MAX_SPATIAL];

  for (guint i = 0; i < n; i++)
    kernel[i] = weight->type.dims[i + 2].size;
  sonde_mindir_attribute_ints (w, "kernel_size", kernel, n);
  sonde_mindir_attribute_int (w, "mode", 1);
  sonde_mindir_attribute_text (w, "pad_mode", mode);
  sonde_mindir_attribute_ints (w, "pad", strcmp (mode, "pad") == 0 ? pairs : none, 2 * n);
  get_numbers (node, "strides", n, 1, numbers + 2);
  sonde_mindir_attribute_ints (w, "strides", numbers, n + 2);
  sonde_mindir_attribute_ints (w, "stride", n == 2 ? numbers : numbers + 2, n == 2 ? n + 2 : n);
  get_numbers (node, "dilations", n, 1, numbers + 2);
  sonde_mindir_attribute_ints (w, "dilations", numbers, n + 2);
  sonde_mindir_attribute_ints (w, "dilation", n == 2 ? numbers : numbers + 2, n == 2 ? n + 2 : n);
  sonde_mindir_attribute_int (w, "group", sonde_node_get_int (node, "group", 1));
  sonde_mindir_attribute_int (w, "groups", sonde_node_get_int (node, "group", 1));
  sonde_mindir_attribute_ints (w, "pad_list", strcmp (mode, "pad") == 0 ? pairs : none, 2 * n);
  sonde_mindir_attribute_int (w, "offset_x", 0);
  sonde_mindir_attribute_text (w, "format", n == 2 ? "NCHW" : "NCDHW");
}

static const char *
add_bias (SondeMindirWriter *w, const char *y, const char *bias)
{
  return bias != NULL ? CALL ("BiasAdd", y, bias, sonde_mindir_write_int (w, 0)) : y;
}

static void
write_conv (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *weight = VALUE (1);
  const int n = get_rank (weight) - 2;
  gint64 pairs[2 * MAX_SPATIAL];
  const char *mode, *y;

  if (n < 2 || n > 3 || weight->type.dims[0].size < 0
      || !get_padding (node, (guint) n, pairs, &mode))
    {
      sonde_mindir_cannot (w, node, N_ ("only two and three dimensions are written"));
      return;
    }
  sonde_mindir_attribute_int (w, "out_channel", weight->type.dims[0].size);
  add_window (w, node, weight, (guint) n, mode, pairs);
  y = sonde_mindir_call_old (w, n == 2 ? "Conv2D" : "Conv3D", SONDE_NAMES (IN (0), IN (1)));
  sonde_mindir_set (w, node, 0, add_bias (w, y, IN (2)));
}

static void
write_conv_transpose (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *weight = VALUE (1);
  g_autoptr (GArray) sizes = sonde_mindir_sizes (sonde_node_get_output (node, 0));
  gint64 pairs[2 * MAX_SPATIAL];
  const char *mode, *y;

  if (get_rank (weight) != 4 || sizes == NULL || weight->type.dims[0].size < 0
      || !get_padding (node, 2, pairs, &mode))
    {
      sonde_mindir_cannot (w, node, N_ ("only two dimensions of known sizes are written"));
      return;
    }
  sonde_mindir_attribute_int (w, "out_channel", weight->type.dims[0].size);
  add_window (w, node, weight, 2, mode, pairs);
  y = sonde_mindir_call_old (
      w, "Conv2DTranspose",
      SONDE_NAMES (
          IN (0), IN (1),
          sonde_mindir_write_ints (w, (const gint64 *) (const void *) sizes->data, sizes->len)));
  sonde_mindir_set (w, node, 0, add_bias (w, y, IN (2)));
}

/* ---- pooling ------------------------------------------------------------- */

/* Padding comes before: pooling has none of its own. */
static const char *
pad_image (SondeMindirWriter *w, const char *x, const gint64 *pairs, const char *value)
{
  const gint64 paddings[] = { pairs[2], pairs[3], pairs[0], pairs[1] };

  sonde_mindir_attribute_text (w, "mode", "constant");
  sonde_mindir_attribute_bool (w, "paddings_contiguous", TRUE);
  return sonde_mindir_call_old (w, "PadV3",
                                SONDE_NAMES (x, sonde_mindir_write_ints (w, paddings, 4), value));
}

static const char *
pool_average (SondeMindirWriter *w, const SondeNode *node, const char *x, gboolean same)
{
  gint64 kernel[2], strides[2];

  get_numbers (node, "kernel_shape", 2, 1, kernel);
  get_numbers (node, "strides", 2, 1, strides);
  return CALL ("AvgPool", x, sonde_mindir_write_ints (w, kernel, 2),
               sonde_mindir_write_ints (w, strides, 2), sonde_mindir_write_int (w, same ? 1 : 2),
               sonde_mindir_write_int (w, 0));
}

static const char *
pool_largest (SondeMindirWriter *w, const SondeNode *node, const char *x, gboolean same)
{
  gint64 kernel[4] = { 1, 1 }, strides[4] = { 1, 1 };

  get_numbers (node, "kernel_shape", 2, 1, kernel + 2);
  get_numbers (node, "strides", 2, 1, strides + 2);
  sonde_mindir_attribute_ints (w, "kernel_size", kernel, 4);
  sonde_mindir_attribute_ints (w, "strides", strides, 4);
  sonde_mindir_attribute_text (w, "pad_mode", same ? "SAME" : "VALID");
  sonde_mindir_attribute_text (w, "format", "NCHW");
  return sonde_mindir_call_old (w, "MaxPool", SONDE_NAMES (x));
}

static gboolean
is_plain (const SondeNode *node)
{
  gint64 dilations[2];

  get_numbers (node, "dilations", 2, 1, dilations);
  return sonde_node_get_int (node, "ceil_mode", 0) == 0 && dilations[0] == 1 && dilations[1] == 1
         && sonde_node_get_output (node, 1) == NULL;
}

/* Elements that padding added count only where ONNX counts them: the average of ones says how many. */
static void
write_pool (SondeMindirWriter *w, const SondeNode *node)
{
  const gboolean largest = strcmp (node->op, "MaxPool") == 0;
  const gboolean counted = sonde_node_get_int (node, "count_include_pad", 0) != 0;
  const char *mode, *x = IN (0), *y, *ones;
  gint64 pairs[2 * MAX_SPATIAL];
  gboolean same;

  if (get_rank (VALUE (0)) != 4 || !get_padding (node, 2, pairs, &mode) || !is_plain (node))
    {
      sonde_mindir_cannot (w, node, N_ ("only plain windows over two dimensions are written"));
      return;
    }
  same = strcmp (mode, "same") == 0;
  if (strcmp (mode, "pad") != 0)
    y = largest ? pool_largest (w, node, x, same) : pool_average (w, node, x, same);
  else if (largest)
    y = pool_largest (
        w, node, pad_image (w, x, pairs, sonde_mindir_write_number (w, -3.0e38, VALUE (0))), FALSE);
  else
    {
      const char *zero = sonde_mindir_write_number (w, 0, VALUE (0));

      y = pool_average (w, node, pad_image (w, x, pairs, zero), FALSE);
      ones = pad_image (w, CALL ("OnesLike", x), pairs, zero);
      if (!counted)
        y = CALL ("Div", y, pool_average (w, node, ones, FALSE));
    }
  sonde_mindir_set (w, node, 0, y);
}

/* ---- reductions ---------------------------------------------------------- */

static const char *
reduce (SondeMindirWriter *w, const char *primitive, const char *x, const GArray *axes,
        gboolean keep)
{
  const char *which = sonde_mindir_write_ints (
      w, axes != NULL ? (const gint64 *) (const void *) axes->data : NULL,
      axes != NULL ? axes->len : 0);

  if (strcmp (primitive, "ReduceSum") == 0)
    return CALL (primitive, x, which, sonde_mindir_write_bool (w, keep),
                 sonde_mindir_write_bool (w, FALSE));
  return CALL (primitive, x, which, sonde_mindir_write_bool (w, keep));
}

/* All but batch and channels. */
static void
write_global (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));
  const int rank = get_rank (VALUE (0));

  for (gint64 i = 2; i < rank; i++)
    g_array_append_val (axes, i);
  if (axes->len == 0)
    sonde_mindir_cannot (w, node, N_ ("the number of its dimensions is not known"));
  else
    sonde_mindir_set (w, node, 0,
                      reduce (w, sonde_mindir_writer_row (w)->text, IN (0), axes, TRUE));
}

/* The row's number: 1 of magnitudes, 2 of squares; 4 its root; 8 its logarithm; 16 of powers of e. */
static void
write_reduce (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeMindirWriteRow *row = sonde_mindir_writer_row (w);
  g_autoptr (GArray) axes = sonde_mindir_known_ints (node, 1, "axes");
  const gboolean keep = sonde_node_get_int (node, "keepdims", 1) != 0;
  const char *x = IN (0);

  if (axes == NULL && (VALUE (1) != NULL || sonde_node_get_int (node, "noop_with_empty_axes", 0)))
    {
      sonde_mindir_cannot (w, node, N_ ("its dimensions are not known before the net runs"));
      return;
    }
  if (row->number & 1)
    x = CALL ("Abs", x);
  if (row->number & 2)
    x = CALL ("Mul", x, x);
  if (row->number & 16)
    x = CALL ("Exp", x);
  x = reduce (w, row->text, x, axes, keep);
  if (row->number & 4)
    x = CALL ("Sqrt", x);
  if (row->number & 8)
    x = CALL ("Log", x);
  sonde_mindir_set (w, node, 0, x);
}

static void
write_place (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 axis = sonde_node_get_int (node, "axis", 0);
  const char *y = CALL (sonde_mindir_writer_row (w)->text, IN (0), sonde_mindir_write_int (w, axis),
                        sonde_mindir_write_int (w, sonde_mindir_id_of_dtype (SONDE_DTYPE_I32)));

  y = CALL ("Cast", y, sonde_mindir_write_int (w, sonde_mindir_id_of_dtype (SONDE_DTYPE_I64)));
  if (sonde_node_get_int (node, "keepdims", 1) != 0)
    y = CALL ("ExpandDims", y, sonde_mindir_write_int (w, axis));
  sonde_mindir_set (w, node, 0, y);
}

static void
write_cumulative (SondeMindirWriter *w, const SondeNode *node)
{
  g_autoptr (GArray) axis = sonde_mindir_known_ints (node, 1, NULL);

  if (axis == NULL || axis->len != 1)
    sonde_mindir_cannot (w, node, N_ ("its dimensions are not known before the net runs"));
  else
    sonde_mindir_set (
        w, node, 0,
        CALL ("CumSum", IN (0), sonde_mindir_write_int (w, g_array_index (axis, gint64, 0)),
              sonde_mindir_write_bool (w, sonde_node_get_int (node, "exclusive", 0) != 0),
              sonde_mindir_write_bool (w, sonde_node_get_int (node, "reverse", 0) != 0)));
}

/* ---- normalisation ------------------------------------------------------- */

static void
write_batch_norm (SondeMindirWriter *w, const SondeNode *node)
{
  const char *y = CALL ("BatchNorm", IN (0), IN (1), IN (2), IN (3), IN (4),
                        sonde_mindir_write_bool (w, FALSE),
                        sonde_mindir_write_float (w, sonde_node_get_float (node, "epsilon", 1e-5)),
                        sonde_mindir_write_float (w, 0.1), sonde_mindir_write_int (w, 0));

  sonde_mindir_set (w, node, 0, sonde_mindir_item (w, y, 0));
}

static void
write_layer_norm (SondeMindirWriter *w, const SondeNode *node)
{
  const int rank = get_rank (VALUE (0));
  gint64 axis = sonde_node_get_int (node, "axis", -1);
  const char *bias = IN (2), *y;

  axis += axis < 0 ? rank : 0;
  if (rank < 1 || sonde_node_get_output (node, 1) != NULL)
    {
      sonde_mindir_cannot (w, node, N_ ("the number of its dimensions is not known"));
      return;
    }
  if (bias == NULL)
    bias = CALL ("ZerosLike", IN (1));
  y = CALL ("LayerNorm", IN (0), IN (1), bias, sonde_mindir_write_int (w, axis),
            sonde_mindir_write_int (w, axis),
            sonde_mindir_write_float (w, sonde_node_get_float (node, "epsilon", 1e-5)));
  sonde_mindir_set (w, node, 0, sonde_mindir_item (w, y, 0));
}

/* An instance is a group of one channel. */
static void
write_group_norm (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *x = VALUE (0);
  const gint64 channels = get_rank (x) > 1 ? x->type.dims[1].size : -1;
  const gint64 groups = sonde_node_get_int (node, "num_groups", channels);
  const char *y;

  if (groups < 1)
    {
      sonde_mindir_cannot (w, node, N_ ("the number of its channels is not known"));
      return;
    }
  y = CALL ("GroupNorm", IN (0), sonde_mindir_write_int (w, groups), IN (1), IN (2),
            sonde_mindir_write_float (w, sonde_node_get_float (node, "epsilon", 1e-5)));
  sonde_mindir_set (w, node, 0, sonde_mindir_item (w, y, 0));
}

static void
write_softmax (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 axis = sonde_node_get_int (node, "axis", -1);

  sonde_mindir_set (w, node, 0, CALL ("Softmax", IN (0), sonde_mindir_write_ints (w, &axis, 1)));
}

static void
write_log_softmax (SondeMindirWriter *w, const SondeNode *node)
{
  sonde_mindir_set (w, node, 0,
                    CALL ("LogSoftmax", IN (0),
                          sonde_mindir_write_int (w, sonde_node_get_int (node, "axis", -1))));
}

/* MindSpore's alpha is that of one channel in the window. */
static void
write_lrn (SondeMindirWriter *w, const SondeNode *node)
{
  const gint64 size = MAX (sonde_node_get_int (node, "size", 1), 1);

  if (size % 2 == 0)
    {
      sonde_mindir_cannot (w, node, N_ ("its window has no middle"));
      return;
    }
  sonde_mindir_attribute_int (w, "depth_radius", (size - 1) / 2);
  sonde_mindir_attribute_float (w, "bias", sonde_node_get_float (node, "bias", 1));
  sonde_mindir_attribute_float (w, "alpha",
                                sonde_node_get_float (node, "alpha", 1e-4) / (double) size);
  sonde_mindir_attribute_float (w, "beta", sonde_node_get_float (node, "beta", 0.75));
  sonde_mindir_attribute_text (w, "norm_region", "ACROSS_CHANNELS");
  sonde_mindir_set (w, node, 0, sonde_mindir_call_old (w, "LRN", SONDE_NAMES (IN (0))));
}

const SondeMindirWriteRow sonde_mindir_write_layer_rows[] = {
  { "LRN", write_lrn, NULL, 0 },
  { "MatMul", write_mat_mul, NULL, 0 },
  { "Gemm", write_gemm, NULL, 0 },
  { "Conv", write_conv, NULL, 0 },
  { "ConvTranspose", write_conv_transpose, NULL, 0 },
  { "MaxPool", write_pool, NULL, 0 },
  { "AveragePool", write_pool, NULL, 0 },
  { "GlobalAveragePool", write_global, "ReduceMean", 0 },
  { "GlobalMaxPool", write_global, "ReduceMax", 0 },
  { "ReduceSum", write_reduce, "ReduceSum", 0 },
  { "ReduceMean", write_reduce, "ReduceMean", 0 },
  { "ReduceMax", write_reduce, "ReduceMax", 0 },
  { "ReduceMin", write_reduce, "ReduceMin", 0 },
  { "ReduceProd", write_reduce, "ReduceProd", 0 },
  { "ReduceL1", write_reduce, "ReduceSum", 1 },
  { "ReduceL2", write_reduce, "ReduceSum", 2 + 4 },
  { "ReduceSumSquare", write_reduce, "ReduceSum", 2 },
  { "ReduceLogSum", write_reduce, "ReduceSum", 8 },
  { "ReduceLogSumExp", write_reduce, "ReduceSum", 8 + 16 },
  { "ArgMax", write_place, "Argmax", 0 },
  { "ArgMin", write_place, "Argmin", 0 },
  { "CumSum", write_cumulative, NULL, 0 },
  { "BatchNormalization", write_batch_norm, NULL, 0 },
  { "LayerNormalization", write_layer_norm, NULL, 0 },
  { "GroupNormalization", write_group_norm, NULL, 0 },
  { "InstanceNormalization", write_group_norm, NULL, 0 },
  { "Softmax", write_softmax, NULL, 0 },
  { "LogSoftmax", write_log_softmax, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
