/* SPDX-License-Identifier: Apache-2.0
 * Gradients of DFT and STFT. The transforms are linear: what is wanted is the transposed matrix,
 * which is the transform in the other direction without its scale. Real parts stand for a real
 * signal. */
#include "engine/ops/sonde-gradient-rules.h"

static SondeGraphValue *
number (SondeGradientContext *context, gint64 value)
{
  return sonde_build_scalar (context->graph, SONDE_DTYPE_I64, (double) value);
}

/* One size of @x as an int64 scalar. */
static SondeGraphValue *
size_of (SondeGradientContext *context, SondeGraphValue *x, SondeGraphValue *axis)
{
  return OP2 ("Gather", OP1 ("Shape", x), axis);
}

static SondeGraphValue *
transform (SondeGradientContext *context, SondeGraphValue *x, SondeGraphValue *length,
           SondeGraphValue *axis, gboolean inverse, gboolean onesided)
{
  SondeGraphValue *y = sonde_rule_op (context, "DFT", x, length, axis, NULL);

  sonde_node_set_int (y->producer, "inverse", inverse);
  sonde_node_set_int (y->producer, "onesided", onesided);
  return sonde_rule_infer (context, y);
}

static SondeGraphValue *
as_list (SondeGradientContext *context, SondeGraphValue *scalar)
{
  const gint64 one = 1;

  return OP2 ("Reshape", scalar, sonde_build_ints (context->graph, &one, 1));
}

static SondeGraphValue *
as_scalar (SondeGradientContext *context, SondeGraphValue *one)
{
  SondeGraphValue *wide = sonde_rule_cast_like (context, one, number (context, 0));

  return OP2 ("Reshape", wide, sonde_build_ints (context->graph, NULL, 0));
}

/* The real parts only, for an input that is real. */
static SondeGraphValue *
take_parts (SondeGradientContext *context, SondeGraphValue *x)
{
  const gint64 zero = 0, last = -1;
  SondeGraphValue *input = sonde_rule_x (context, 0), *parts = NULL;
  int rank = input->type.rank;

  if (rank > 0 && input->type.dims[rank - 1].size == 2)
    return x;
  parts = as_list (context, size_of (context, input, number (context, -1)));
  return sonde_rule_op (context, "Slice", x, sonde_build_ints (context->graph, &zero, 1), parts,
                        sonde_build_ints (context->graph, &last, 1), NULL);
}

/* @x with zeros behind it, or cut, to the size that the input has along the axis. */
static SondeGraphValue *
fit (SondeGradientContext *context, SondeGraphValue *x, SondeGraphValue *axis)
{
  SondeGraphValue *more
      = OP2 ("Sub", size_of (context, sonde_rule_x (context, 0), axis), size_of (context, x, axis));
  SondeGraphValue *pads
      = OP2 ("Concat", as_list (context, number (context, 0)), as_list (context, more));
  SondeGraphValue *inputs[] = { x, NULL, NULL, as_list (context, axis) };

  sonde_node_set_int (pads->producer, "axis", 0);
  inputs[1] = sonde_rule_infer (context, pads);
  return sonde_build_op (context->graph, NULL, "", "Pad", 4, inputs);
}

static SondeGraphValue *
with_type (SondeGraphValue *value, SondeGraphValue *x)
{
  value->type = x->type;
  return value;
}

/* How often a bin of a half spectrum stands in the whole: twice, but the first and the middle one
 * once. */
static SondeGraphValue *
bin_counts (SondeGradientContext *context, SondeGraphValue *dy, SondeGraphValue *length,
            SondeGraphValue *bins)
{
  SondeGraphValue *zero = number (context, 0), *two = number (context, 2);
  SondeGraphValue *places = sonde_rule_op (context, "Range", zero, bins, number (context, 1), NULL);
  SondeGraphValue *once
      = OP2 ("Or", OP2 ("Equal", places, zero), OP2 ("Equal", OP2 ("Mul", places, two), length));

  return sonde_rule_where (context, once, sonde_rule_number (context, dy, 1),
                           sonde_rule_number (context, dy, 2));
}

/* [n] → a list along @axis of rank @rank; @axis is known */
static SondeGraphValue *
along (SondeGradientContext *context, SondeGraphValue *list, int axis, int rank)
{
  gint64 axes[SONDE_MAX_RANK];
  gsize n = 0;

  for (int d = 0; d < rank; d++)
    if (d != axis)
      axes[n++] = d;
  return n > 0 ? OP2 ("Unsqueeze", list, sonde_build_ints (context->graph, axes, n)) : list;
}

/* Of real numbers made of a half spectrum: the half spectrum of dy, each bin as often as it was
 * used. */
static SondeGraphValue *
back_from_half (SondeGradientContext *context, SondeGraphValue *axis, int known_axis)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *length = size_of (context, dy, axis);
  SondeGraphValue *spectrum = transform (context, dy, length, axis, FALSE, TRUE);
  SondeGraphValue *counts = bin_counts (context, dy, length, size_of (context, spectrum, axis));
  SondeGraphValue *share = OP2 ("Div", counts, sonde_rule_cast_like (context, length, dy));

  return OP2 ("Mul", spectrum,
              along (context, share, known_axis, sonde_rule_x (context, 0)->type.rank));
}

/* Of a spectrum, whole or half (then what is missing is zeros). */
static SondeGraphValue *
back_from_spectrum (SondeGradientContext *context, SondeGraphValue *length, SondeGraphValue *axis,
                    gboolean inverse)
{
  SondeGraphValue *dy = sonde_rule_dy (context);
  SondeGraphValue *signal = transform (context, dy, length, axis, !inverse, FALSE);
  SondeGraphValue *scale = sonde_rule_cast_like (context, length, dy);

  return OP2 (inverse ? "Div" : "Mul", signal, scale);
}

/* (x, length?, axis?) */
gboolean
sonde_gradient_dft (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *x = sonde_rule_x (context, 0), *length = sonde_rule_x (context, 1),
                  *axis = sonde_rule_x (context, 2);
  gboolean inverse = sonde_node_get_int (context->node, "inverse", 0) != 0;
  gboolean half = inverse && sonde_node_get_int (context->node, "onesided", 0) != 0;
  gsize n = 0;
  g_autofree gint64 *known = sonde_rule_known_ints (axis, &n);
  SondeGraphValue *dx = NULL;
  int at = 0;

  if (x->type.rank < 0 || (axis != NULL && n != 1))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s” (DFT): no gradient without knowing its axis and rank",
                       context->node->name);
      return FALSE;
    }
  if (!sonde_infer_axis (axis ? known[0] : -2, x->type.rank, &at, error))
    return FALSE;
  axis = number (context, at);
  if (half)
    dx = back_from_half (context, axis, at);
  else
    dx = back_from_spectrum (
        context, length ? as_scalar (context, length) : size_of (context, x, axis), axis, inverse);
  dx = take_parts (context, dx);
  context->input_gradients[0]
      = with_type (length != NULL || half ? fit (context, dx, axis) : dx, x);
  return TRUE;
}

/* ---- STFT ---------------------------------------------------------------- */

/* Places in the signal of the elements of all frames, [frames, length]. */
static SondeGraphValue *
frame_places (SondeGradientContext *context, SondeGraphValue *length)
{
  const gint64 behind = 1;
  SondeGraphValue *zero = number (context, 0), *one = number (context, 1);
  SondeGraphValue *frames = size_of (context, sonde_rule_dy (context), one);
  SondeGraphValue *step = as_scalar (context, sonde_rule_x (context, 1));
  SondeGraphValue *starts
      = OP2 ("Mul", sonde_rule_op (context, "Range", zero, frames, one, NULL), step);
  SondeGraphValue *column
      = OP2 ("Unsqueeze", starts, sonde_build_ints (context->graph, &behind, 1));

  return OP2 ("Add", column, sonde_rule_op (context, "Range", zero, length, one, NULL));
}

/* (signal, step, window?, length?): frames are places of the signal times the window,
 * transformed. */
gboolean
sonde_gradient_stft (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *signal = sonde_rule_x (context, 0), *window = sonde_rule_x (context, 2),
                  *length = sonde_rule_x (context, 3);
  const gint64 last = -1, all_but_length[] = { 0, 1, 3 };
  gboolean flat = signal->type.rank == 2; /* a real signal without a dimension for its parts */
  SondeGraphValue *frames = NULL, *places = NULL, *column = NULL, *dx = NULL;

  length = length   ? as_scalar (context, length)
           : window ? size_of (context, window, number (context, 0))
                    : size_of (context, signal, number (context, 1));
  frames = back_from_spectrum (context, length, number (context, 2), FALSE);
  frames = flat ? OP2 ("Gather", frames, number (context, 0)) : take_parts (context, frames);
  if (flat)
    sonde_node_set_int (frames->producer, "axis", -1);
  places = frame_places (context, length);
  column = window && !flat ? OP2 ("Unsqueeze", window, sonde_build_ints (context->graph, &last, 1))
                           : window;
  if (context->wanted[0])
    {
      dx = sonde_rule_own (context, "GatherGrad", column ? OP2 ("Mul", frames, column) : frames,
                           signal, places, NULL);
      sonde_node_set_int (dx->producer, "axis", 1);
      context->input_gradients[0] = sonde_rule_infer (context, dx);
    }
  if (window != NULL && context->wanted[2])
    {
      SondeGraphValue *parts_of_signal = OP2 ("Gather", signal, places);

      sonde_node_set_int (parts_of_signal->producer, "axis", 1);
      dx = OP2 ("Mul", frames, sonde_rule_infer (context, parts_of_signal));
      dx = OP2 ("ReduceSum", dx, sonde_build_ints (context->graph, all_but_length, flat ? 2 : 3));
      sonde_node_set_int (dx->producer, "keepdims", 0);
      context->input_gradients[2] = sonde_rule_infer (context, dx);
    }
  return TRUE;
}
