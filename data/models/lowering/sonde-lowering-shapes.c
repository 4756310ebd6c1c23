/* SPDX-License-Identifier: Apache-2.0
 * Moves that several formats need. */
#include "data/models/lowering/sonde-lowering-shapes.h"

#include "data/models/lowering/sonde-lowering-private.h"

gint64
sonde_lowering_onnx_dtype (SondeDtype dtype)
{
  static const struct
  {
    SondeDtype dtype;
    gint64 number;
  } numbers[] = {
    { SONDE_DTYPE_F32, 1 },  { SONDE_DTYPE_U8, 2 },     { SONDE_DTYPE_I8, 3 },
    { SONDE_DTYPE_U16, 4 },  { SONDE_DTYPE_I16, 5 },    { SONDE_DTYPE_I32, 6 },
    { SONDE_DTYPE_I64, 7 },  { SONDE_DTYPE_STRING, 8 }, { SONDE_DTYPE_BOOL, 9 },
    { SONDE_DTYPE_F16, 10 }, { SONDE_DTYPE_F64, 11 },   { SONDE_DTYPE_U32, 12 },
    { SONDE_DTYPE_U64, 13 }, { SONDE_DTYPE_BF16, 16 },  { SONDE_DTYPE_U4, 21 },
    { SONDE_DTYPE_I4, 22 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (numbers[i].dtype == dtype)
      return numbers[i].number;
  return 0;
}

SondeGraphValue *
sonde_lowering_cast (SondeLowering *lowering, SondeGraphValue *value, SondeDtype dtype)
{
  SondeGraphValue *result = sonde_lowering_op (lowering, "Cast", SONDE_VALUES (value));
  gint64 number = sonde_lowering_onnx_dtype (dtype);

  if (number == 0)
    sonde_lowering_fail (lowering, SONDE_DATA_ERROR_UNSUPPORTED,
                         "nothing can be converted to the type %s here", sonde_dtype_name (dtype));
  sonde_node_set_int (result->producer, "to", number);
  return result;
}

static void
set_permuted_type (SondeGraphValue *result, const SondeGraphValue *value, const gint64 *permutation,
                   int rank)
{
  sonde_node_set_ints (result->producer, "perm", permutation, (gsize) rank);
  if (value->type.rank != rank)
    return;
  result->type = value->type;
  for (int i = 0; i < rank; i++)
    result->type.dims[i] = value->type.dims[permutation[i]];
}

SondeGraphValue *
sonde_lowering_permute (SondeLowering *lowering, SondeGraphValue *value, const gint64 *permutation,
                        int rank)
{
  SondeGraphValue *result = sonde_lowering_insert (lowering, "Transpose", value);

  set_permuted_type (result, value, permutation, rank);
  return result;
}

SondeGraphValue *
sonde_lowering_transpose (SondeLowering *lowering, SondeGraphValue *value,
                          const gint64 *permutation, int rank)
{
  SondeGraphValue *result = sonde_lowering_op (lowering, "Transpose", SONDE_VALUES (value));

  set_permuted_type (result, value, permutation, rank);
  return result;
}

SondeGraphValue *
sonde_lowering_reshape (SondeLowering *lowering, SondeGraphValue *value, const gint64 *sizes,
                        int rank)
{
  SondeGraphValue *shape = sonde_lowering_ints (lowering, sizes, (gsize) rank);
  SondeGraphValue *result = sonde_lowering_op (lowering, "Reshape", SONDE_VALUES (value, shape));
  gboolean zero = FALSE, rest = FALSE;

  for (int i = 0; i < rank; i++)
    {
      zero |= sizes[i] == 0;
      rest |= sizes[i] < 0;
    }
  if (zero && !rest)
    sonde_node_set_int (result->producer, "allowzero", 1);
  return result;
}

SondeGraphValue *
sonde_lowering_unsqueeze (SondeLowering *lowering, SondeGraphValue *value, gint64 axis)
{
  return sonde_lowering_op (lowering, "Unsqueeze",
                            SONDE_VALUES (value, sonde_lowering_ints (lowering, &axis, 1)));
}

SondeGraphValue *
sonde_lowering_squeeze (SondeLowering *lowering, SondeGraphValue *value, gint64 axis)
{
  return sonde_lowering_op (lowering, "Squeeze",
                            SONDE_VALUES (value, sonde_lowering_ints (lowering, &axis, 1)));
}

SondeGraphValue *
sonde_lowering_slice (SondeLowering *lowering, SondeGraphValue *value, gint64 axis, gint64 start,
                      gint64 end, gint64 step)
{
  return sonde_lowering_op (lowering, "Slice",
                            SONDE_VALUES (value, sonde_lowering_ints (lowering, &start, 1),
                                          sonde_lowering_ints (lowering, &end, 1),
                                          sonde_lowering_ints (lowering, &axis, 1),
                                          sonde_lowering_ints (lowering, &step, 1)));
}

SondeGraphValue *
sonde_lowering_concat (SondeLowering *lowering, SondeGraphValue *const *values, guint n,
                       gint64 axis)
{
  SondeGraphValue *result = sonde_lowering_op (lowering, "Concat", values, n);

  sonde_node_set_int (result->producer, "axis", axis);
  return result;
}

/* ---- windows ------------------------------------------------------------- */

static void
same_padding (const SondeLoweringWindow *window, gint64 *pads)
{
  for (int i = 0; i < window->n; i++)
    {
      gint64 size = window->sizes[i], stride = window->strides[i];
      gint64 reach = (window->kernel[i] - 1) * window->dilations[i] + 1;
      gint64 out = (size + stride - 1) / stride;
      gint64 total = size < 0 ? reach - 1 : MAX ((out - 1) * stride + reach - size, 0);

      pads[i] = total / 2;
      pads[window->n + i] = total - total / 2;
    }
}

/* With a stride of 1 the padding is the same for all sizes. */
static gboolean
knows_padding (const SondeLoweringWindow *window)
{
  for (int i = 0; i < window->n; i++)
    if (window->sizes[i] < 0 && window->strides[i] != 1)
      return FALSE;
  return TRUE;
}

void
sonde_lowering_set_window (SondeNode *node, const SondeLoweringWindow *window, gboolean same)
{
  gint64 pads[2 * SONDE_MAX_RANK] = { 0 };

  if (same && !knows_padding (window))
    sonde_node_set_string (node, "auto_pad", "SAME_UPPER");
  else if (same)
    {
      same_padding (window, pads);
      sonde_node_set_ints (node, "pads", pads, 2 * (gsize) window->n);
    }
  sonde_node_set_ints (node, "strides", window->strides, (gsize) window->n);
  for (int i = 0; i < window->n; i++)
    if (window->dilations[i] != 1)
      {
        sonde_node_set_ints (node, "dilations", window->dilations, (gsize) window->n);
        return;
      }
}

/* ---- mirroring ----------------------------------------------------------- */

SondeGraphValue *
sonde_lowering_mirror (SondeLowering *lowering, SondeGraphValue *value, gint64 axis, gint64 before,
                       gint64 after, gboolean twice)
{
  gint64 skipped = twice ? 0 : 1;
  SondeGraphValue *parts[3];
  guint n = 0;

  if (before > 0) /* backwards from the last one that is mirrored to the first */
    parts[n++] = sonde_lowering_slice (lowering, value, axis, before - 1 + skipped,
                                       twice ? G_MININT64 : 0, -1);
  parts[n++] = value;
  if (after > 0)
    parts[n++]
        = sonde_lowering_slice (lowering, value, axis, -1 - skipped, -1 - skipped - after, -1);
  return n > 1 ? sonde_lowering_concat (lowering, parts, n, axis) : value;
}
