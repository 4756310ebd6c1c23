/* SPDX-License-Identifier: Apache-2.0
 * Padding, tensors made of nothing, blocks. */
#include <math.h>
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

/* ---- padding ------------------------------------------------------------- */

/* All begins, then all ends, of all dimensions, from pairs whose first belongs to the last dimension, or
 * to the first. */
static SondeGraphValue *
order_pads (SondeMindirCall *call, const GArray *pairs, int rank, gboolean last_first)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 };

  for (guint i = 0; 2 * i + 1 < pairs->len && (int) i < rank; i++)
    {
      guint axis = last_first ? (guint) rank - 1 - i : i;

      pads[axis] = g_array_index (pairs, gint64, 2 * i);
      pads[(guint) rank + axis] = g_array_index (pairs, gint64, 2 * i + 1);
    }
  return sonde_lowering_ints (call->l, pads, 2 * (gsize) MAX (rank, 0));
}

static const SondeMindirTerm *
pad (SondeMindirCall *call, const char *name, const char *mode, gboolean last_first)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *value = NULL, *pads, *y;
  g_autoptr (GArray) pairs = sonde_mindir_ints (call, name);

  if (pairs == NULL)
    return sonde_mindir_refuse (call, N_ ("how much it pads is not known"), NULL);
  pads = order_pads (call, pairs, sonde_mindir_rank (call, x), last_first);
  if (strcmp (mode, "constant") == 0 && sonde_mindir_has (call, "value"))
    value = sonde_mindir_tensor_like (call, "value", x);
  y = value != NULL ? OP3 (call, "Pad", x, pads, value) : OP2 (call, "Pad", x, pads);
  sonde_node_set_string (y->producer, "mode", mode);
  return sonde_mindir_give (call, y);
}

/* What MindSpore calls circular is ONNX's wrap. With paddings_contiguous off, all begins come first. */
static const SondeMindirTerm *
build_pad_v3 (SondeMindirCall *call)
{
  const char *mode = sonde_mindir_text (call, "mode", "constant");

  if (!sonde_mindir_flag (call, "paddings_contiguous", TRUE))
    return sonde_mindir_refuse (call, N_ ("its paddings are not ordered as pairs"),
                                N_ ("set paddings_contiguous"));
  return pad (call, "paddings", strcmp (mode, "circular") == 0 ? "wrap" : mode, TRUE);
}

static const SondeMindirTerm *
build_pad_by_row (SondeMindirCall *call)
{
  return pad (call, "paddings", call->row->text, call->row->number != 0);
}

static const SondeMindirTerm *
build_mirror_pad (SondeMindirCall *call)
{
  const char *mode = sonde_mindir_text (call, "mode", "REFLECT");

  if (strcmp (mode, "REFLECT") != 0)
    return sonde_mindir_refuse (call, N_ ("its mode SYMMETRIC has no counterpart"),
                                N_ ("use the mode REFLECT"));
  return pad (call, "paddings", "reflect", FALSE);
}

const SondeMindirRow sonde_mindir_padding_rows[] = {
  { "PadV3", "x paddings value", build_pad_v3, NULL, 0 },
  { "Pad", "x paddings", build_pad_by_row, "constant", 0 },
  { "PadV2", "x paddings value", build_pad_by_row, "constant", 0 },
  { "MirrorPad", "x paddings", build_mirror_pad, NULL, 0 },
  { "ConstantPadND", "x paddings value", build_pad_by_row, "constant", 1 },
  { "ReflectionPad1D", "x paddings", build_pad_by_row, "reflect", 1 },
  { "ReflectionPad2D", "x paddings", build_pad_by_row, "reflect", 1 },
  { "ReflectionPad3D", "x paddings", build_pad_by_row, "reflect", 1 },
  { "ReplicationPad1D", "x paddings", build_pad_by_row, "edge", 1 },
  { "ReplicationPad2D", "x paddings", build_pad_by_row, "edge", 1 },
  { "ReplicationPad3D", "x paddings", build_pad_by_row, "edge", 1 },
  { NULL, NULL, NULL, NULL, 0 },
};

/* ---- of nothing ---------------------------------------------------------- */

static SondeDtype
take_dtype (SondeMindirCall *call, SondeDtype fallback)
{
  SondeDtype dtype = sonde_mindir_output_dtype (call, 0);

  if (sonde_mindir_has (call, "dtype"))
    dtype = sonde_mindir_dtype_of_id (sonde_mindir_int (call, "dtype", 0));
  return dtype != SONDE_DTYPE_INVALID ? dtype : fallback;
}

static const SondeMindirTerm *
build_range (SondeMindirCall *call)
{
  const SondeDtype dtype = take_dtype (call, SONDE_DTYPE_I64);
  SondeGraphValue *parts[3];
  static const char *const names[] = { "start", "end", "step" };

  for (guint i = 0; i < 3; i++)
    {
      const SondeMindirTerm *term = sonde_mindir_argument (call, names[i]);

      parts[i] = term != NULL ? sonde_mindir_term_to_value (call->lowering, term, dtype) : NULL;
      if (parts[i] == NULL)
        parts[i] = sonde_lowering_number (call->l, dtype, i == 2 ? 1 : 0);
      parts[i] = sonde_mindir_cast (call, parts[i], dtype);
    }
  return sonde_mindir_give (call, OP3 (call, "Range", parts[0], parts[1], parts[2]));
}

static SondeGraphValue *
take_shape (SondeMindirCall *call)
{
  const gint64 all = -1;

  return sonde_mindir_reshape (
      call, sonde_mindir_cast (call, sonde_mindir_tensor (call, "shape"), SONDE_DTYPE_I64), &all,
      1);
}

static const SondeMindirTerm *
build_fill (SondeMindirCall *call)
{
  const SondeMindirTerm *term = sonde_mindir_argument (call, "value");
  const SondeDtype dtype = take_dtype (call, SONDE_DTYPE_INVALID);
  SondeGraphValue *value
      = term != NULL ? sonde_mindir_term_to_value (call->lowering, term, dtype) : NULL;

  if (value == NULL)
    return sonde_mindir_refuse (call, N_ ("the number that it fills with is not known"), NULL);
  return sonde_mindir_give (
      call, OP2 (call, "Expand", sonde_mindir_cast (call, value, dtype), take_shape (call)));
}

/* The row's number everywhere. */
static const SondeMindirTerm *
build_same_number (SondeMindirCall *call)
{
  const SondeDtype dtype = take_dtype (call, SONDE_DTYPE_F32);

  return sonde_mindir_give (call, OP2 (call, "Expand",
                                       sonde_lowering_number (call->l, dtype, call->row->number),
                                       take_shape (call)));
}

static const SondeMindirTerm *
build_like (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  const SondeDtype dtype = take_dtype (call, sonde_mindir_dtype (x));

  return sonde_mindir_give (call, OP2 (call, "Expand",
                                       sonde_lowering_number (call->l, dtype, call->row->number),
                                       OP1 (call, "Shape", x)));
}

#define MAX_SIDE 16384

static const SondeMindirTerm *
build_eye (SondeMindirCall *call)
{
  const gint64 n = sonde_mindir_int (call, "n", 0), m = sonde_mindir_int (call, "m", n);
  const SondeDtype dtype = take_dtype (call, SONDE_DTYPE_F32);
  const SondeShape shape = sonde_shape_make (2, CLAMP (n, 0, MAX_SIDE), CLAMP (m, 0, MAX_SIDE));
  g_autoptr (SondeTensor) tensor = NULL;
  GError *error = NULL;

  tensor = sonde_tensor_try_new (dtype, &shape, NULL, call->node->label, &error);
  if (tensor == NULL)
    {
      sonde_lowering_take_error (call->l, error);
      return sonde_mindir_give (call, NULL);
    }
  for (gint64 i = 0; i < MIN (shape.dims[0], shape.dims[1]); i++)
    sonde_tensor_set_double (tensor, i * shape.dims[1] + i, 1);
  return sonde_mindir_give (
      call, OP1 (call, "Identity", sonde_lowering_constant (call->l, NULL, tensor)));
}

/* start + k · (stop − start) / (n − 1) */
static const SondeMindirTerm *
build_line (SondeMindirCall *call)
{
  const gint64 n = sonde_mindir_int (call, "num", 1);
  SondeGraphValue *start = sonde_mindir_tensor (call, "start");
  SondeGraphValue *stop = sonde_mindir_tensor_like (call, "stop", start), *way, *k;
  const SondeDtype dtype = take_dtype (call, SONDE_DTYPE_F32);

  start = sonde_mindir_cast (call, start, dtype);
  way = OP2 (call, "Sub", sonde_mindir_cast (call, stop, dtype), start);
  k = OP3 (call, "Range", sonde_lowering_number (call->l, dtype, 0),
           sonde_lowering_number (call->l, dtype, (double) n),
           sonde_lowering_number (call->l, dtype, 1));
  k = OP2 (call, "Div", k, sonde_lowering_number (call->l, dtype, (double) MAX (n - 1, 1)));
  return sonde_mindir_give (call, OP2 (call, "Add", start, OP2 (call, "Mul", k, way)));
}

/* Each input along a dimension of its own, all of them of all sizes. */
static const SondeMindirTerm *
build_meshgrid (SondeMindirCall *call)
{
  const SondeMindirTerm *last = call->n > 1 ? call->inputs[call->n - 1] : NULL;
  const gboolean flat = last != NULL && last->kind == SONDE_MINDIR_TERM_CONSTANT
                        && (last->constant->kind == SONDE_MINDIR_STRING
                            || last->constant->kind == SONDE_MINDIR_INT);
  const char *word = sonde_mindir_text (call, "indexing", "xy");
  g_autoptr (GPtrArray) values = sonde_mindir_tensors (call, flat ? 1 : 0);
  g_autoptr (GPtrArray) sizes = g_ptr_array_new ();
  gboolean swapped = strcmp (word, "xy") == 0 && values->len > 1;
  SondeGraphValue *shape;

  if (flat && last->constant->kind == SONDE_MINDIR_STRING)
    swapped = strcmp (last->constant->string, "xy") == 0 && values->len > 1;
  if (flat && last->constant->kind == SONDE_MINDIR_INT)
    swapped = last->constant->i == 1 && values->len > 1;
  for (guint i = 0; i < values->len; i++)
    g_ptr_array_add (sizes, OP1 (call, "Shape", values->pdata[swapped && i < 2 ? 1 - i : i]));
  shape = sonde_mindir_concat (call, sizes, 0);
  for (guint i = 0; i < values->len; i++)
    {
      gint64 form[SONDE_MAX_RANK];
      const guint axis = swapped && i < 2 ? 1 - i : i;

      for (guint k = 0; k < MIN (values->len, SONDE_MAX_RANK); k++)
        form[k] = k == axis ? -1 : 1;
      values->pdata[i] = OP2 (
          call, "Expand",
          sonde_mindir_reshape (call, values->pdata[i], form, MIN (values->len, SONDE_MAX_RANK)),
          shape);
    }
  return sonde_mindir_give_tuple (call, (SondeGraphValue *const *) values->pdata, values->len);
}

const SondeMindirRow sonde_mindir_filling_rows[] = {
  { "Range", "start end step maxlen", build_range, NULL, 0 },
  { "Arange", "start end step dtype", build_range, NULL, 0 },
  { "FillV2", "shape value", build_fill, NULL, 0 },
  { "Fill", "dtype shape value", build_fill, NULL, 0 },
  { "FillScalar", "shape value dtype", build_fill, NULL, 0 },
  { "FillTensor", "shape value dtype", build_fill, NULL, 0 },
  { "Zeros", "shape dtype", build_same_number, NULL, 0 },
  { "Ones", "shape dtype", build_same_number, NULL, 1 },
  { "ZerosLike", "x", build_like, NULL, 0 },
  { "ZerosLikeExt", "x dtype", build_like, NULL, 0 },
  { "OnesLike", "x", build_like, NULL, 1 },
  { "OnesLikeExt", "x dtype", build_like, NULL, 1 },
  { "Eye", "n m dtype", build_eye, NULL, 0 },
  { "LinSpace", "start stop num", build_line, NULL, 0 },
  { "LinSpaceExt", "start stop num dtype", build_line, NULL, 0 },
  { "Meshgrid", "", build_meshgrid, NULL, 0 },
  { NULL, NULL, NULL, NULL, 0 },
};
