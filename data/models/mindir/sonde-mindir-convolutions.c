/* SPDX-License-Identifier: Apache-2.0
 * Convolutions, forward and transposed. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-window.h"

#define MAX_SPATIAL 3

/* ---- windows ------------------------------------------------------------- */

SondeMindirPadMode
sonde_mindir_pad_mode (SondeMindirCall *call, SondeMindirPadMode fallback)
{
  const char *word = sonde_mindir_text (call, "pad_mode", NULL);

  if (word == NULL)
    return sonde_mindir_has (call, "pad_mode")
               ? (SondeMindirPadMode) CLAMP (sonde_mindir_int (call, "pad_mode", 0), 0, 2)
               : fallback;
  if (g_ascii_strcasecmp (word, "same") == 0)
    return SONDE_MINDIR_SAME;
  return g_ascii_strcasecmp (word, "valid") == 0 ? SONDE_MINDIR_VALID : SONDE_MINDIR_PAD;
}

void
sonde_mindir_spatial (SondeMindirCall *call, const char *name, guint n, gint64 fallback,
                      gint64 *sizes)
{
  g_autoptr (GArray) ints = sonde_mindir_ints (call, name);

  for (guint i = 0; i < n; i++)
    {
      guint from = ints == NULL || ints->len == 0 ? 0 : ints->len >= n ? ints->len - n + i : 0;

      sizes[i] = ints != NULL && ints->len > 0 ? g_array_index (ints, gint64, from) : fallback;
    }
}

void
sonde_mindir_pads (SondeMindirCall *call, const char *name, guint n, gint64 *pads)
{
  g_autoptr (GArray) ints = sonde_mindir_ints (call, name);
  const guint there = ints != NULL ? ints->len : 0;

  for (guint i = 0; i < n; i++)
    {
      const gboolean paired = there == 2 * n;
      guint begin = paired ? 2 * i : there == n ? i : 0, end = paired ? begin + 1 : begin;

      pads[i] = there > 0 ? g_array_index (ints, gint64, begin) : 0;
      pads[n + i] = there > 0 ? g_array_index (ints, gint64, end) : 0;
    }
}

void
sonde_mindir_set_padding (SondeMindirCall *call, SondeNode *node, SondeMindirPadMode mode, guint n)
{
  const char *name = sonde_mindir_has (call, "pad") ? "pad" : "pad_list";
  gint64 pads[2 * MAX_SPATIAL];

  if (mode == SONDE_MINDIR_SAME)
    sonde_node_set_string (node, "auto_pad", "SAME_UPPER");
  if (mode != SONDE_MINDIR_PAD)
    return;
  sonde_mindir_pads (call, name, n, pads);
  sonde_node_set_ints (node, "pads", pads, 2 * n);
}

static gint64
get_groups (SondeMindirCall *call, SondeGraphValue *x)
{
  if (call->row->number > 10) /* a kernel a channel */
    return MAX (sonde_mindir_size (x, 1), 1);
  return sonde_mindir_int (call, sonde_mindir_has (call, "groups") ? "groups" : "group", 1);
}

static void
set_window (SondeMindirCall *call, SondeNode *node, guint n)
{
  gint64 sizes[MAX_SPATIAL];
  const char *stride = sonde_mindir_has (call, "stride") ? "stride" : "strides";

  sonde_mindir_spatial (call, stride, n, 1, sizes);
  sonde_node_set_ints (node, "strides", sizes, n);
  sonde_mindir_spatial (call, sonde_mindir_has (call, "dilations") ? "dilations" : "dilation", n, 1,
                        sizes);
  sonde_node_set_ints (node, "dilations", sizes, n);
}

/* ---- forward ------------------------------------------------------------- */

/* [H, W, …, C] of the file before, [C, H, W, …] within. */
static const SondeMindirTerm *
give_in_layout (SondeMindirCall *call, SondeGraphValue *y, gboolean last, int rank)
{
  sonde_mindir_typed (y, SONDE_DTYPE_INVALID, rank);
  return sonde_mindir_give (call, last ? sonde_lowering_channels_last (call->l, y) : y);
}

static const SondeMindirTerm *
build_conv (SondeMindirCall *call)
{
  const guint n = (guint) call->row->number % 10;
  const gboolean last = sonde_mindir_is_channels_last (call);
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *w = sonde_mindir_tensor (call, "w");
  SondeGraphValue *bias = sonde_mindir_tensor_or_null (call, "bias"), *y;

  if (last && x->type.rank == (int) n + 2)
    {
      x = sonde_lowering_channels_first (call->l, x);
      w = sonde_lowering_channels_first (call->l, w);
    }
  y = bias != NULL ? OP3 (call, "Conv", x, w, bias) : OP2 (call, "Conv", x, w);
  sonde_node_set_int (y->producer, "group", get_groups (call, x));
  set_window (call, y->producer, n);
  sonde_mindir_set_padding (call, y->producer, sonde_mindir_pad_mode (call, SONDE_MINDIR_VALID), n);
  return give_in_layout (call, y, last, (int) n + 2);
}

/* "same" and "valid" as words in the place of numbers. */
static void
set_padding_argument (SondeMindirCall *call, SondeNode *node, guint n)
{
  const char *word = sonde_mindir_text (call, "padding", NULL);
  gint64 pads[2 * MAX_SPATIAL];

  if (word != NULL)
    {
      if (g_ascii_strcasecmp (word, "same") == 0)
        sonde_node_set_string (node, "auto_pad", "SAME_UPPER");
      return;
    }
  sonde_mindir_spatial (call, "padding", n, 0, pads);
  memcpy (pads + n, pads, n * sizeof *pads);
  sonde_node_set_ints (node, "pads", pads, 2 * n);
}

/* What the numbers in the row say, or the weight. */
static guint
count_spatial (SondeMindirCall *call, const SondeGraphValue *w)
{
  if (call->row->number > 0)
    return (guint) call->row->number % 10;
  return w->type.rank > 2 && w->type.rank <= 2 + MAX_SPATIAL ? (guint) w->type.rank - 2 : 2;
}

static const SondeMindirTerm *
build_conv_argued (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *w = sonde_mindir_tensor (call, "w");
  SondeGraphValue *bias = sonde_mindir_tensor_or_null (call, "bias"), *y;
  const gboolean turned = sonde_mindir_flag (call, "transposed", strcmp (call->row->text, "Conv"));
  const char *op = turned ? "ConvTranspose" : "Conv";
  const guint n = count_spatial (call, w);
  gint64 sizes[MAX_SPATIAL];

  y = bias != NULL ? OP3 (call, op, x, w, bias) : OP2 (call, op, x, w);
  sonde_node_set_int (y->producer, "group", get_groups (call, x));
  set_window (call, y->producer, n);
  set_padding_argument (call, y->producer, n);
  if (!turned)
    return sonde_mindir_give (call, y);
  sonde_mindir_spatial (call, "output_padding", n, 0, sizes);
  sonde_node_set_ints (y->producer, "output_padding", sizes, n);
  return sonde_mindir_give (call, y);
}

/* ---- transposed ---------------------------------------------------------- */

/* What the window would give without padding is so much more than the output, at one dimension; a lack is
 * made up at the end. */
static void
fit_output (const SondeNode *node, const SondeGraphValue *x, const SondeGraphValue *w,
            gint64 wanted, guint axis, guint n, SondeMindirPadMode mode, gint64 *pads,
            gint64 *extra)
{
  gsize count;
  const gint64 stride = sonde_node_get_ints (node, "strides", &count)[axis];
  const gint64 dilation = sonde_node_get_ints (node, "dilations", &count)[axis];
  const gint64 in = sonde_mindir_size (x, axis + 2), kernel = sonde_mindir_size (w, axis + 2);
  gint64 surplus;

  extra[axis] = 0;
  if (in < 0 || kernel < 0 || wanted < 0 || in > G_MAXINT32 || kernel > G_MAXINT32
      || wanted > G_MAXINT32 || ABS (stride) > G_MAXINT16 || ABS (dilation) > G_MAXINT16)
    return;
  surplus = stride * (in - 1) + (kernel - 1) * dilation + 1 - wanted;
  if (mode == SONDE_MINDIR_SAME)
    {
      pads[axis] = MAX (surplus, 0) / 2;
      pads[n + axis] = MAX (surplus, 0) - pads[axis];
    }
  extra[axis] = CLAMP (pads[axis] + pads[n + axis] - surplus, 0, MAX (stride, dilation) - 1);
}

static const SondeMindirTerm *
build_conv_turned (SondeMindirCall *call)
{
  const guint n = (guint) call->row->number;
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *w = sonde_mindir_tensor (call, "w");
  const SondeMindirPadMode mode = sonde_mindir_pad_mode (call, SONDE_MINDIR_VALID);
  const SondeType *output = sonde_mindir_output_type (call, 0);
  SondeGraphValue *y = OP2 (call, "ConvTranspose", x, w);
  gint64 pads[2 * MAX_SPATIAL] = { 0 }, extra[MAX_SPATIAL] = { 0 }, shape[MAX_SPATIAL];

  set_window (call, y->producer, n);
  sonde_node_set_int (y->producer, "group", get_groups (call, x));
  if (mode == SONDE_MINDIR_PAD)
    sonde_mindir_pads (call, sonde_mindir_has (call, "pad") ? "pad" : "pad_list", n, pads);
  for (guint i = 0; i < n; i++)
    shape[i] = output != NULL && output->rank == (int) n + 2 ? output->dims[i + 2].size : -1;
  if (output == NULL && sonde_mindir_has (call, "size"))
    sonde_mindir_spatial (call, "size", n, -1, shape);
  for (guint i = 0; i < n; i++)
    fit_output (y->producer, x, w, shape[i], i, n, mode, pads, extra);
  sonde_node_set_ints (y->producer, "pads", pads, 2 * n);
  sonde_node_set_ints (y->producer, "output_padding", extra, n);
  return sonde_mindir_give (call, sonde_mindir_typed (y, x->type.dtype, (int) n + 2));
}

const SondeMindirRow sonde_mindir_convolution_rows[] = {
  { "Conv2D", "x w bias", build_conv, NULL, 2 },
  { "Conv3D", "x w bias", build_conv, NULL, 3 },
  { "DepthwiseConv2dNative", "x w bias", build_conv, NULL, 12 },
  { "Conv2DTranspose", "x w size", build_conv_turned, NULL, 2 },
  { "Conv2DBackpropInput", "x w size", build_conv_turned, NULL, 2 },
  { "Conv3DTranspose", "x w size", build_conv_turned, NULL, 3 },
  { "Conv1DExt", "x w bias stride padding dilation groups", build_conv_argued, "Conv", 1 },
  { "Conv2DExt", "x w bias stride padding dilation groups", build_conv_argued, "Conv", 2 },
  { "Conv3DExt", "x w bias stride padding dilation groups", build_conv_argued, "Conv", 3 },
  { "Conv1DPadding", "x w bias stride padding dilation groups", build_conv_argued, "Conv", 1 },
  { "Conv2DPadding", "x w bias stride padding dilation groups", build_conv_argued, "Conv", 2 },
  { "Conv3DPadding", "x w bias stride padding dilation groups", build_conv_argued, "Conv", 3 },
  { "Convolution", "x w bias stride padding dilation transposed output_padding groups",
    build_conv_argued, "Conv", 0 },
  { "ConvTranspose2D", "x w bias stride padding output_padding groups dilation", build_conv_argued,
    "ConvTranspose", 2 },
  { NULL, NULL, NULL, NULL, 0 },
};
