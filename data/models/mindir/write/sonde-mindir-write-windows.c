/* SPDX-License-Identifier: Apache-2.0
 * Convolutions and pooling. MindSpore has few forms of padding; what it has not is padded before. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-term.h"
#include "data/models/mindir/write/sonde-mindir-writer.h"

#define IN(index) sonde_mindir_in (w, node, index)
#define CALL(primitive, ...) sonde_mindir_call (w, primitive, SONDE_NAMES (__VA_ARGS__))
#define VALUE(index) sonde_node_get_input (node, index)
#define MAX_SPATIAL 3

/**
 * Window: @n dimensions of space
 * @pairs: padding before and after, a pair a dimension
 * @mode: "same", "valid" or "pad"
 * @wide: a second dimension of size 1 was added before the only one
 */
typedef struct
{
  guint n;
  gint64 kernel[MAX_SPATIAL], strides[MAX_SPATIAL], dilations[MAX_SPATIAL];
  gint64 pairs[2 * MAX_SPATIAL];
  const char *mode;
  gboolean wide;
} Window;

static int
get_rank (const SondeGraphValue *value)
{
  return value != NULL && value->type.kind == SONDE_VALUE_TENSOR ? value->type.rank : -1;
}

/* ---- what the node says -------------------------------------------------- */

static void
get_numbers (const SondeNode *node, const char *name, guint n, gint64 fallback, gint64 *numbers)
{
  gsize there = 0;
  const gint64 *values = sonde_node_get_ints (node, name, &there);

  for (guint i = 0; i < n; i++)
    numbers[i] = values != NULL && i < there ? values[i] : fallback;
}

/* Along dimension @i: sizes of input and output; FALSE when they are not known. */
static gboolean
get_sizes (const SondeNode *node, guint i, gint64 *in, gint64 *out)
{
  const SondeGraphValue *x = VALUE (0), *y = sonde_node_get_output (node, 0);

  if (get_rank (x) <= (int) i + 2 || get_rank (y) != get_rank (x))
    return FALSE;
  *in = x->type.dims[i + 2].size;
  *out = y->type.dims[i + 2].size;
  return *in >= 0 && *out >= 0;
}

static gint64
get_reach (const Window *window, guint i, gint64 out)
{
  return (out - 1) * window->strides[i] + (window->kernel[i] - 1) * window->dilations[i] + 1;
}

/* Of SAME_LOWER the odd element comes first, which MindSpore cannot. */
static gboolean
pad_lower (const SondeNode *node, Window *window)
{
  for (guint i = 0; i < window->n; i++)
    {
      gint64 in, out, all;

      if (!get_sizes (node, i, &in, &out))
        return FALSE;
      all = MAX (get_reach (window, i, out) - in, 0);
      window->pairs[2 * i] = all - all / 2;
      window->pairs[2 * i + 1] = all / 2;
    }
  return TRUE;
}

/* A last window that goes beyond the padding has more of it. */
static gboolean
pad_beyond (const SondeNode *node, Window *window)
{
  for (guint i = 0; i < window->n; i++)
    {
      gint64 in, out, missing;

      if (!get_sizes (node, i, &in, &out))
        return FALSE;
      missing = get_reach (window, i, out) - in - window->pairs[2 * i] - window->pairs[2 * i + 1];
      window->pairs[2 * i + 1] += MAX (missing, 0);
    }
  return TRUE;
}

static gboolean
read_padding (const SondeNode *node, Window *window)
{
  const char *automatic = sonde_node_get_string (node, "auto_pad", "NOTSET");
  gint64 pads[2 * MAX_SPATIAL];

  get_numbers (node, "pads", 2 * window->n, 0, pads);
  for (guint i = 0; i < window->n; i++)
    {
      window->pairs[2 * i] = pads[i];
      window->pairs[2 * i + 1] = pads[window->n + i];
    }
  window->mode = "pad";
  if (strcmp (automatic, "SAME_UPPER") == 0)
    window->mode = "same";
  else if (strcmp (automatic, "VALID") == 0)
    window->mode = "valid";
  else if (strcmp (automatic, "SAME_LOWER") == 0)
    return pad_lower (node, window);
  return TRUE;
}

/* Numbers of one dimension as those of two. */
static void
widen_window (Window *window)
{
  const gint64 pads[] = { 0, 0, window->pairs[0], window->pairs[1] };

  window->kernel[1] = window->kernel[0];
  window->strides[1] = window->strides[0];
  window->dilations[1] = window->dilations[0];
  window->kernel[0] = window->strides[0] = window->dilations[0] = 1;
  memcpy (window->pairs, pads, sizeof pads);
  window->n = 2;
  window->wide = TRUE;
}

/* @weight: (nullable): where the size of the window is not an attribute. FALSE when MindSpore has no
 * such window. */
static gboolean
read_window (const SondeNode *node, const SondeGraphValue *weight, Window *window)
{
  const int rank = get_rank (weight != NULL ? weight : VALUE (0));
  gboolean any = FALSE;

  if (rank < 3 || rank > 2 + MAX_SPATIAL)
    return FALSE;
  window->n = (guint) rank - 2;
  get_numbers (node, "kernel_shape", window->n, 1, window->kernel);
  for (guint i = 0; weight != NULL && i < window->n; i++)
    window->kernel[i] = weight->type.dims[i + 2].size;
  get_numbers (node, "strides", window->n, 1, window->strides);
  get_numbers (node, "dilations", window->n, 1, window->dilations);
  if (!read_padding (node, window))
    return FALSE;
  if (sonde_node_get_int (node, "ceil_mode", 0) != 0 && strcmp (window->mode, "pad") == 0
      && !pad_beyond (node, window))
    return FALSE;
  for (guint i = 0; i < 2 * window->n; i++)
    any = any || window->pairs[i] != 0;
  if (!any && strcmp (window->mode, "pad") == 0)
    window->mode = "valid";
  if (window->n == 1)
    widen_window (window);
  return TRUE;
}

/* ---- one dimension as two ------------------------------------------------ */

static const char *
widen (SondeMindirWriter *w, const SondeNode *node, const Window *window, guint index)
{
  const char *wide;
  SondeType type;

  if (!window->wide)
    return IN (index);
  wide = CALL ("ExpandDims", IN (index), sonde_mindir_write_int (w, 2));
  type = VALUE (index)->type;
  type.rank = 4;
  type.dims[3] = type.dims[2];
  type.dims[2] = (SondeDimension){ .size = 1 };
  sonde_mindir_set_type (w, wide, &type);
  return wide;
}

static void
set_narrow (SondeMindirWriter *w, const SondeNode *node, const Window *window, const char *y)
{
  const gint64 axis = 2;

  sonde_mindir_set (w, node, 0,
                    window->wide ? CALL ("Squeeze", y, sonde_mindir_write_ints (w, &axis, 1)) : y);
}

/* ---- convolutions -------------------------------------------------------- */

/* Numbers of the window, with two ones before them for batch and channels where @full. */
static void
add_numbers (SondeMindirWriter *w, const char *name, const gint64 *numbers, guint n, gboolean full)
{
  gint64 all[2 + MAX_SPATIAL] = { 1, 1 };

  memcpy (all + 2, numbers, n * sizeof *numbers);
  sonde_mindir_attribute_ints (w, name, full ? all : all + 2, full ? n + 2 : n);
}

static void
add_window (SondeMindirWriter *w, const SondeNode *node, const Window *window)
{
  static const gint64 none[2 * MAX_SPATIAL];
  const gint64 *pads = strcmp (window->mode, "pad") == 0 ? window->pairs : none;
  const guint n = window->n;

  sonde_mindir_attribute_ints (w, "kernel_size", window->kernel, n);
  sonde_mindir_attribute_int (w, "mode", 1);
  sonde_mindir_attribute_text (w, "pad_mode", window->mode);
  sonde_mindir_attribute_ints (w, "pad", pads, 2 * n);
  add_numbers (w, "strides", window->strides, n, TRUE);
  add_numbers (w, "stride", window->strides, n, n == 2);
  add_numbers (w, "dilations", window->dilations, n, TRUE);
  add_numbers (w, "dilation", window->dilations, n, n == 2);
  sonde_mindir_attribute_int (w, "group", sonde_node_get_int (node, "group", 1));
  sonde_mindir_attribute_int (w, "groups", sonde_node_get_int (node, "group", 1));
  sonde_mindir_attribute_ints (w, "pad_list", pads, 2 * n);
  sonde_mindir_attribute_int (w, "offset_x", 0);
  sonde_mindir_attribute_text (w, "format", n == 2 ? "NCHW" : "NCDHW");
}

static const char *
add_bias (SondeMindirWriter *w, const char *y, const char *bias)
{
  return bias != NULL ? CALL ("BiasAdd", y, bias, sonde_mindir_write_int (w, 0)) : y;
}

static gboolean
is_known_weight (const SondeGraphValue *weight)
{
  for (int i = 0; i < get_rank (weight); i++)
    if (weight->type.dims[i].size < 0)
      return FALSE;
  return get_rank (weight) > 0;
}

static void
write_conv (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *weight = VALUE (1);
  Window window = { 0 };
  const char *x, *kernels, *y;

  if (!is_known_weight (weight) || !read_window (node, weight, &window))
    {
      sonde_mindir_cannot (w, node, N_ ("its window or its padding is not known"));
      return;
    }
  x = widen (w, node, &window, 0);
  kernels = widen (w, node, &window, 1);
  sonde_mindir_attribute_int (w, "out_channel", weight->type.dims[0].size);
  add_window (w, node, &window);
  y = sonde_mindir_call_old (w, window.n == 2 ? "Conv2D" : "Conv3D", SONDE_NAMES (x, kernels));
  set_narrow (w, node, &window, add_bias (w, y, IN (2)));
}

/* The size of the output is an input. */
static void
write_conv_transpose (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeGraphValue *weight = VALUE (1);
  g_autoptr (GArray) sizes = sonde_mindir_sizes (sonde_node_get_output (node, 0));
  Window window = { 0 };
  const gint64 one = 1;
  const char *x, *kernels, *shape, *y;

  if (sizes == NULL || !is_known_weight (weight) || !read_window (node, weight, &window)
      || window.n != 2)
    {
      sonde_mindir_cannot (w, node, N_ ("only one or two dimensions of known sizes are written"));
      return;
    }
  if (window.wide)
    g_array_insert_val (sizes, 2, one);
  x = widen (w, node, &window, 0);
  kernels = widen (w, node, &window, 1);
  shape = sonde_mindir_write_ints (w, (const gint64 *) (const void *) sizes->data, sizes->len);
  sonde_mindir_attribute_int (w, "out_channel", weight->type.dims[0].size);
  add_window (w, node, &window);
  y = sonde_mindir_call_old (w, "Conv2DTranspose", SONDE_NAMES (x, kernels, shape));
  set_narrow (w, node, &window, add_bias (w, y, IN (2)));
}

/* ---- pooling ------------------------------------------------------------- */

/* Pairs of the last dimension come first. */
static const char *
pad_image (SondeMindirWriter *w, const char *x, const Window *window, const char *value)
{
  gint64 paddings[2 * MAX_SPATIAL];

  for (guint i = 0; i < window->n; i++)
    {
      paddings[2 * i] = window->pairs[2 * (window->n - 1 - i)];
      paddings[2 * i + 1] = window->pairs[2 * (window->n - 1 - i) + 1];
    }
  sonde_mindir_attribute_text (w, "mode", "constant");
  sonde_mindir_attribute_bool (w, "paddings_contiguous", TRUE);
  return sonde_mindir_call_old (
      w, "PadV3",
      SONDE_NAMES (x, sonde_mindir_write_ints (w, paddings, 2 * (gsize) window->n), value));
}

/* Attributes of the pooling primitives of the old style. */
static void
add_pool (SondeMindirWriter *w, const Window *window, gboolean same)
{
  static const gint64 none[2 * MAX_SPATIAL];

  add_numbers (w, "kernel_size", window->kernel, window->n, TRUE);
  add_numbers (w, "strides", window->strides, window->n, TRUE);
  sonde_mindir_attribute_text (w, "pad_mode", same ? "SAME" : "VALID");
  sonde_mindir_attribute_text (w, "format", window->n == 2 ? "NCHW" : "NCDHW");
  if (window->n == 2)
    return;
  sonde_mindir_attribute_ints (w, "pad_list", none, 2 * MAX_SPATIAL);
  sonde_mindir_attribute_ints (w, "pad", none, 2 * MAX_SPATIAL);
  sonde_mindir_attribute_int (w, "ceil_mode", 0);
}

static const char *
pool_average (SondeMindirWriter *w, const Window *window, const char *x, gboolean same)
{
  if (window->n == 2)
    return CALL ("AvgPool", x, sonde_mindir_write_ints (w, window->kernel, 2),
                 sonde_mindir_write_ints (w, window->strides, 2),
                 sonde_mindir_write_int (w, same ? 1 : 2), sonde_mindir_write_int (w, 0));
  add_pool (w, window, same);
  sonde_mindir_attribute_bool (w, "count_include_pad", FALSE);
  sonde_mindir_attribute_int (w, "divisor_override", 0);
  return sonde_mindir_call_old (w, "AvgPool3D", SONDE_NAMES (x));
}

static const char *
pool_largest (SondeMindirWriter *w, const Window *window, const char *x, gboolean same)
{
  add_pool (w, window, same);
  return sonde_mindir_call_old (w, window->n == 2 ? "MaxPool" : "MaxPool3D", SONDE_NAMES (x));
}

/* How many elements of the input window @at along dimension @i covers. */
static gint64
count_covered (const Window *window, guint i, gint64 at, gint64 in)
{
  const gint64 first = at * window->strides[i] - window->pairs[2 * i];

  return MIN (first + window->kernel[i], in) - MAX (first, 0);
}

/* What averages over whole windows are multiplied by, so that elements that padding added do not count:
 * [1, 1, sizes of the output]. NULL when sizes are not known. */
static SondeTensor *
make_factors (const SondeNode *node, const Window *window)
{
  SondeShape shape = { .rank = (int) window->n + 2, .dims = { 1, 1 } };
  const guint skipped = window->wide ? 1 : 0;
  gint64 in[MAX_SPATIAL] = { 1, 1, 1 };
  SondeTensor *factors;

  shape.dims[2] = 1;
  for (guint i = skipped; i < window->n; i++)
    if (!get_sizes (node, i - skipped, &in[i], &shape.dims[i + 2]))
      return NULL;
  factors = sonde_tensor_try_new (VALUE (0)->type.dtype, &shape, NULL, node->name, NULL);
  for (gint64 e = 0; factors != NULL && e < sonde_tensor_n_elements (factors); e++)
    {
      double factor = 1;
      gint64 rest = e;

      for (guint i = window->n; i-- > 0; rest /= shape.dims[i + 2])
        factor *= (double) window->kernel[i]
                  / (double) MAX (count_covered (window, i, rest % shape.dims[i + 2], in[i]), 1);
      sonde_tensor_set_double (factors, e, factor);
    }
  return factors;
}

/* @counted: elements that padding added count, too. Without sizes the average of ones says how many do
 * not. */
static const char *
pool_padded (SondeMindirWriter *w, const SondeNode *node, const Window *window, const char *x,
             gboolean counted)
{
  const char *zero = sonde_mindir_write_number (w, 0, VALUE (0));
  const char *y = pool_average (w, window, pad_image (w, x, window, zero), FALSE), *ones;
  g_autoptr (SondeTensor) factors = counted ? NULL : make_factors (node, window);

  if (counted)
    return y;
  if (factors != NULL)
    return CALL ("Mul", y, sonde_mindir_write_tensor (w, factors));
  ones = pad_image (w, CALL ("OnesLike", x), window, zero);
  return CALL ("Div", y, pool_average (w, window, ones, FALSE));
}

#define LEAST -3.0e38 /* what padding is before the largest is taken */

static gboolean
is_plain (const SondeNode *node)
{
  const gboolean ceil = sonde_node_get_int (node, "ceil_mode", 0) != 0;
  gint64 dilations[MAX_SPATIAL];

  get_numbers (node, "dilations", MAX_SPATIAL, 1, dilations);
  return dilations[0] == 1 && dilations[1] == 1 && dilations[2] == 1
         && sonde_node_get_output (node, 1) == NULL
         && !(ceil && sonde_node_get_int (node, "count_include_pad", 0) != 0);
}

static void
write_pool (SondeMindirWriter *w, const SondeNode *node)
{
  const gboolean largest = strcmp (node->op, "MaxPool") == 0;
  const gboolean counted = sonde_node_get_int (node, "count_include_pad", 0) != 0;
  const gboolean half = VALUE (0)->type.dtype == SONDE_DTYPE_F16;
  Window window = { 0 };
  const char *x, *y;
  gboolean same;

  if (!is_plain (node) || !read_window (node, NULL, &window))
    {
      sonde_mindir_cannot (w, node, N_ ("its window is dilated, or gives places, too"));
      return;
    }
  x = widen (w, node, &window, 0);
  same = strcmp (window.mode, "same") == 0;
  if (strcmp (window.mode, "pad") != 0)
    y = largest ? pool_largest (w, &window, x, same) : pool_average (w, &window, x, same);
  else if (largest)
    y = pool_largest (
        w, &window,
        pad_image (w, x, &window, sonde_mindir_write_number (w, half ? -65504 : LEAST, VALUE (0))),
        FALSE);
  else
    y = pool_padded (w, node, &window, x, counted);
  set_narrow (w, node, &window, y);
}

const SondeMindirWriteRow sonde_mindir_write_window_rows[] = {
  { "Conv", write_conv, NULL, 0 },
  { "ConvTranspose", write_conv_transpose, NULL, 0 },
  { "MaxPool", write_pool, NULL, 0 },
  { "AveragePool", write_pool, NULL, 0 },
  { NULL, NULL, NULL, 0 },
};
