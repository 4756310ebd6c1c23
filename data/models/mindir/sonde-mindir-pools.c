/* SPDX-License-Identifier: Apache-2.0
 * Pooling. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-window.h"

#define MAX_SPATIAL 3

/* ---- windows ------------------------------------------------------------- */

static const char *
pick (SondeMindirCall *call, const char *one, const char *other)
{
  return sonde_mindir_has (call, one) ? one : other;
}

/* The stride is the kernel's size when nothing is said. */
static void
set_window (SondeMindirCall *call, SondeNode *node, guint n)
{
  gint64 kernel[MAX_SPATIAL], stride[MAX_SPATIAL];
  const char *name = pick (call, "strides", "stride");

  sonde_mindir_spatial (call, pick (call, "ksize", "kernel_size"), n, 1, kernel);
  memcpy (stride, kernel, sizeof kernel);
  if (sonde_mindir_has (call, name))
    sonde_mindir_spatial (call, name, n, 1, stride);
  sonde_node_set_ints (node, "kernel_shape", kernel, n);
  sonde_node_set_ints (node, "strides", stride, n);
}

/* Padding of the old primitives: a mode. */
static const SondeMindirTerm *
build_pool (SondeMindirCall *call)
{
  const guint n = (guint) call->row->number;
  const gboolean last = sonde_mindir_is_channels_last (call);
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *y;

  if (last)
    x = sonde_lowering_channels_first (call->l, x);
  y = OP1 (call, call->row->text, x);
  set_window (call, y->producer, n);
  sonde_mindir_set_padding (call, y->producer, sonde_mindir_pad_mode (call, SONDE_MINDIR_VALID), n);
  if (sonde_mindir_has (call, "ceil_mode"))
    sonde_node_set_int (y->producer, "ceil_mode", sonde_mindir_flag (call, "ceil_mode", FALSE));
  if (strcmp (call->row->text, "AveragePool") == 0)
    sonde_node_set_int (y->producer, "count_include_pad",
                        sonde_mindir_flag (call, "count_include_pad", FALSE));
  sonde_mindir_typed (y, x->type.dtype, (int) n + 2);
  return sonde_mindir_give (call, last ? sonde_lowering_channels_last (call->l, y) : y);
}

/* Padding of the newer ones: numbers on both sides. */
static SondeGraphValue *
pool_padded (SondeMindirCall *call, SondeGraphValue *x, const char *op, guint n)
{
  SondeGraphValue *y = OP1 (call, op, x);
  gint64 pads[2 * MAX_SPATIAL], dilation[MAX_SPATIAL];

  set_window (call, y->producer, n);
  sonde_mindir_spatial (call, pick (call, "padding", "pads"), n, 0, pads);
  memcpy (pads + n, pads, n * sizeof *pads);
  sonde_node_set_ints (y->producer, "pads", pads, 2 * n);
  sonde_node_set_int (y->producer, "ceil_mode", sonde_mindir_flag (call, "ceil_mode", FALSE));
  if (sonde_mindir_has (call, "dilation"))
    {
      sonde_mindir_spatial (call, "dilation", n, 1, dilation);
      sonde_node_set_ints (y->producer, "dilations", dilation, n);
    }
  return sonde_mindir_typed (y, x->type.dtype, (int) n + 2);
}

static const SondeMindirTerm *
build_average (SondeMindirCall *call)
{
  const guint n = (guint) call->row->number;
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  SondeGraphValue *y = pool_padded (call, x, "AveragePool", n);
  gint64 kernel[MAX_SPATIAL], size = 1, divisor;

  sonde_node_set_int (y->producer, "count_include_pad",
                      sonde_mindir_flag (call, "count_include_pad", TRUE));
  divisor = sonde_mindir_int (call, "divisor_override", 0);
  if (divisor == 0)
    return sonde_mindir_give (call, y);
  sonde_node_set_int (y->producer, "count_include_pad", 1);
  sonde_mindir_spatial (call, "kernel_size", n, 1, kernel);
  for (guint i = 0; i < n; i++)
    size *= kernel[i];
  return sonde_mindir_give (
      call,
      OP2 (call, "Mul", y, sonde_mindir_number_like (call, (double) size / (double) divisor, x)));
}

static const SondeMindirTerm *
build_max_with_places (SondeMindirCall *call)
{
  SondeGraphValue *y
      = pool_padded (call, sonde_mindir_tensor (call, "x"), "MaxPool", (guint) call->row->number);

  if (sonde_mindir_reads_item (call, 1))
    return sonde_mindir_refuse (call, N_ ("the places of the largest elements are read"),
                                N_ ("use MaxPool, which gives the elements alone"));
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ y, NULL }, 2);
}

/* ---- windows that fit the output ----------------------------------------- */

/* One dimension, whose @out windows overlap where the sizes do not divide. */
static SondeGraphValue *
adapt (SondeMindirCall *call, SondeGraphValue *x, gint64 axis, gint64 in, gint64 out,
       const char *op)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));

  g_array_append_val (axes, axis);
  for (gint64 i = 0; i < out; i++)
    {
      gint64 start = i * in / out, end = ((i + 1) * in + out - 1) / out;

      g_ptr_array_add (
          parts, sonde_mindir_reduce (call, op, sonde_mindir_slice (call, x, axis, start, end, 1),
                                      axes, TRUE));
    }
  return sonde_mindir_concat (call, parts, axis);
}

/* The same window everywhere: a plain pooling. */
static SondeGraphValue *
pool_evenly (SondeMindirCall *call, SondeGraphValue *x, const gint64 *in, const gint64 *out,
             guint n, const char *op)
{
  SondeGraphValue *y = OP1 (call, op, x);
  gint64 kernel[MAX_SPATIAL];

  for (guint i = 0; i < n; i++)
    kernel[i] = in[i] / out[i];
  sonde_node_set_ints (y->producer, "kernel_shape", kernel, n);
  sonde_node_set_ints (y->producer, "strides", kernel, n);
  return y;
}

#define MAX_WINDOWS 1024

static const SondeMindirTerm *
build_adaptive (SondeMindirCall *call)
{
  const guint n = (guint) call->row->number;
  const gboolean maximum = strcmp (call->row->text, "Max") == 0;
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const int rank = sonde_mindir_rank (call, x);
  gint64 out[MAX_SPATIAL], in[MAX_SPATIAL];
  gboolean single = TRUE, even = TRUE, known = TRUE;

  sonde_mindir_spatial (call, "output_size", n, -1, out);
  for (guint i = 0; i < n; i++)
    {
      in[i] = sonde_mindir_size (x, rank - (int) n + (int) i);
      out[i] = out[i] <= 0 ? in[i] : out[i];
      single = single && out[i] == 1;
      known = known && in[i] > 0 && out[i] <= MAX_WINDOWS;
      even = even && known && in[i] % out[i] == 0;
    }
  if (single && rank == (int) n + 2)
    x = OP1 (call, maximum ? "GlobalMaxPool" : "GlobalAveragePool", x);
  else if (!known)
    return sonde_mindir_refuse (call, N_ ("the size of its input is not known"),
                                N_ ("export the model with fixed sizes"));
  else if (even && rank == (int) n + 2)
    x = pool_evenly (call, x, in, out, n, maximum ? "MaxPool" : "AveragePool");
  else
    for (guint i = 0; i < n; i++)
      x = adapt (call, x, rank - (int) n + (int) i, in[i], out[i],
                 maximum ? "ReduceMax" : "ReduceMean");
  if (maximum)
    return sonde_mindir_give_tuple (call, (SondeGraphValue *const[]){ x, NULL }, 2);
  return sonde_mindir_give (call, x);
}

const SondeMindirRow sonde_mindir_pooling_rows[] = {
  { "MaxPool", "x kernel_size strides pad_mode data_format", build_pool, "MaxPool", 2 },
  { "MaxPool3D", "x", build_pool, "MaxPool", 3 },
  { "AvgPool", "x kernel_size strides pad_mode data_format", build_pool, "AveragePool", 2 },
  { "AvgPool3D", "x", build_pool, "AveragePool", 3 },
  { "AvgPool1D", "x kernel_size stride padding ceil_mode count_include_pad", build_average, NULL,
    1 },
  { "AvgPool2D", "x kernel_size stride padding ceil_mode count_include_pad divisor_override",
    build_average, NULL, 2 },
  { "AvgPool3DExt", "x kernel_size stride padding ceil_mode count_include_pad divisor_override",
    build_average, NULL, 3 },
  { "MaxPoolWithMask", "x kernel_size strides pads dilation ceil_mode argmax_type",
    build_max_with_places, NULL, 2 },
  { "MaxPoolWithIndices", "x kernel_size strides pads dilation ceil_mode argmax_type",
    build_max_with_places, NULL, 2 },
  { "MaxPoolWithArgmaxV2", "x", build_max_with_places, NULL, 2 },
  { "MaxPool3DWithArgmax", "x", build_max_with_places, NULL, 3 },
  { "AdaptiveAvgPool1D", "x output_size", build_adaptive, "Average", 1 },
  { "AdaptiveAvgPool2D", "x output_size", build_adaptive, "Average", 2 },
  { "AdaptiveAvgPool2DExt", "x output_size", build_adaptive, "Average", 2 },
  { "AdaptiveAvgPool3D", "x output_size", build_adaptive, "Average", 3 },
  { "AdaptiveAvgPool3DExt", "x output_size", build_adaptive, "Average", 3 },
  { "AdaptiveMaxPool2D", "x output_size", build_adaptive, "Max", 2 },
  { "AdaptiveMaxPool3D", "x output_size", build_adaptive, "Max", 3 },
  { NULL, NULL, NULL, NULL, 0 },
};
