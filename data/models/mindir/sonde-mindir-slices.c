/* SPDX-License-Identifier: Apache-2.0
 * Parts of tensors by range. */
#include <string.h>

#include "data/models/mindir/sonde-mindir-build.h"

/* ---- strided slices ------------------------------------------------------ */

/* What an entry of the specification does; entry k of begin, end and stride. */
typedef struct
{
  GArray *begin, *end, *step;
  gint64 begin_mask, end_mask, ellipsis, fresh, shrink;
} Spec;

/* Starts, ends, axes, steps of the slice; dimensions that vanish, by the input; that appear, by the
 * output. */
typedef struct
{
  GArray *starts, *ends, *axes, *steps, *gone, *fresh;
} Cut;

static gint64
at (const GArray *numbers, guint index, gint64 fallback)
{
  return numbers != NULL && index < numbers->len ? g_array_index (numbers, gint64, index)
                                                 : fallback;
}

static gboolean
has_bit (gint64 mask, guint k)
{
  return k < 63 && (mask >> k & 1) != 0;
}

static void
add_range (Cut *cut, const Spec *spec, guint k, gint64 axis)
{
  const gboolean single = has_bit (spec->shrink, k);
  gint64 start = at (spec->begin, k, 0), end = at (spec->end, k, 0);
  gint64 step = single ? 1 : at (spec->step, k, 1);

  if (single)
    end = start == -1 ? G_MAXINT64 : start + 1;
  else
    {
      if (has_bit (spec->begin_mask, k))
        start = step > 0 ? 0 : G_MAXINT64;
      if (has_bit (spec->end_mask, k))
        end = step > 0 ? G_MAXINT64 : G_MININT64;
    }
  g_array_append_val (cut->starts, start);
  g_array_append_val (cut->ends, end);
  g_array_append_val (cut->axes, axis);
  g_array_append_val (cut->steps, step);
  if (single)
    g_array_append_val (cut->gone, axis);
}

static guint
count_taken (const Spec *spec)
{
  guint n = 0;

  for (guint k = 0; k < spec->begin->len; k++)
    n += has_bit (spec->fresh, k) || has_bit (spec->ellipsis, k) ? 0 : 1;
  return n;
}

/* @out: dimensions of the result that were passed, for those that appear */
static void
read_spec (Cut *cut, const Spec *spec, int rank)
{
  gint64 axis = 0, out = 0;

  for (guint k = 0; k < spec->begin->len; k++)
    {
      if (has_bit (spec->ellipsis, k))
        {
          axis += MAX (rank - (gint64) count_taken (spec), 0);
          out += MAX (rank - (gint64) count_taken (spec), 0);
        }
      else if (has_bit (spec->fresh, k))
        {
          g_array_append_val (cut->fresh, out);
          out++;
        }
      else
        {
          add_range (cut, spec, k, axis++);
          out += has_bit (spec->shrink, k) ? 0 : 1;
        }
    }
}

static SondeGraphValue *
to_ints (SondeMindirCall *call, const GArray *numbers)
{
  return sonde_lowering_ints (call->l, (const gint64 *) (const void *) numbers->data, numbers->len);
}

static SondeGraphValue *
apply (SondeMindirCall *call, SondeGraphValue *x, const Cut *cut)
{
  if (cut->axes->len > 0)
    x = sonde_lowering_op (call->l, "Slice",
                           SONDE_VALUES (x, to_ints (call, cut->starts), to_ints (call, cut->ends),
                                         to_ints (call, cut->axes), to_ints (call, cut->steps)));
  if (cut->gone->len > 0)
    x = OP2 (call, "Squeeze", x, to_ints (call, cut->gone));
  if (cut->fresh->len > 0)
    x = OP2 (call, "Unsqueeze", x, to_ints (call, cut->fresh));
  return x;
}

static const SondeMindirTerm *
build_strided_slice (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) begin = sonde_mindir_ints (call, "begin");
  g_autoptr (GArray) end = sonde_mindir_ints (call, "end");
  g_autoptr (GArray) step = sonde_mindir_ints (call, "strides");
  const Spec spec = { .begin = begin,
                      .end = end,
                      .step = step,
                      .begin_mask = sonde_mindir_int (call, "begin_mask", 0),
                      .end_mask = sonde_mindir_int (call, "end_mask", 0),
                      .ellipsis = sonde_mindir_int (call, "ellipsis_mask", 0),
                      .fresh = sonde_mindir_int (call, "new_axis_mask", 0),
                      .shrink = sonde_mindir_int (call, "shrink_axis_mask", 0) };
  GArray *lists[6];
  SondeGraphValue *y;
  Cut cut;

  if (begin == NULL || end == NULL)
    return sonde_mindir_refuse (call, N_ ("where it begins or ends is not known"), NULL);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    lists[i] = g_array_new (FALSE, FALSE, sizeof (gint64));
  cut = (Cut){ lists[0], lists[1], lists[2], lists[3], lists[4], lists[5] };
  read_spec (&cut, &spec, spec.ellipsis != 0 ? sonde_mindir_rank (call, x) : 0);
  y = apply (call, x, &cut);
  for (guint i = 0; i < G_N_ELEMENTS (lists); i++)
    g_array_unref (lists[i]);
  return sonde_mindir_give (call, y);
}

/* ---- plain ones ---------------------------------------------------------- */

/* A size of −1 goes to the end. */
static const SondeMindirTerm *
build_slice (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) begin = sonde_mindir_ints (call, "begin");
  g_autoptr (GArray) size = sonde_mindir_ints (call, "size");
  g_autoptr (GArray) axes = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (begin == NULL || size == NULL || begin->len != size->len)
    return sonde_mindir_refuse (call, N_ ("where it begins or ends is not known"), NULL);
  for (guint i = 0; i < begin->len; i++)
    {
      const gint64 axis = i, length = g_array_index (size, gint64, i);

      g_array_append_val (axes, axis);
      g_array_index (size, gint64, i)
          = length < 0 ? G_MAXINT64 : g_array_index (begin, gint64, i) + length;
    }
  return sonde_mindir_give (
      call, sonde_lowering_op (call->l, "Slice",
                               SONDE_VALUES (x, to_ints (call, begin), to_ints (call, size),
                                             to_ints (call, axes))));
}

static SondeGraphValue *
take_ints (SondeMindirCall *call, const char *name)
{
  const gint64 one = 1;

  return sonde_mindir_reshape (
      call, sonde_mindir_cast (call, sonde_mindir_tensor (call, name), SONDE_DTYPE_I64), &one, 1);
}

static const SondeMindirTerm *
build_slice_ext (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  const SondeMindirTerm *start = sonde_mindir_argument (call, "start");
  const SondeMindirTerm *end = sonde_mindir_argument (call, "end");
  const gint64 axis = sonde_mindir_int (call, "dim", 0), step = sonde_mindir_int (call, "step", 1);

  if (start != NULL && end != NULL && sonde_mindir_term_get_ints (start, numbers)
      && sonde_mindir_term_get_ints (end, numbers) && numbers->len == 2)
    return sonde_mindir_give (call,
                              sonde_mindir_slice (call, x, axis, g_array_index (numbers, gint64, 0),
                                                  g_array_index (numbers, gint64, 1), step));
  return sonde_mindir_give (
      call, sonde_lowering_op (call->l, "Slice",
                               SONDE_VALUES (x, take_ints (call, "start"), take_ints (call, "end"),
                                             sonde_mindir_ints1 (call, axis),
                                             sonde_mindir_ints1 (call, step))));
}

static const SondeMindirTerm *
build_narrow (SondeMindirCall *call)
{
  const gint64 start = sonde_mindir_int (call, "start", 0);

  return sonde_mindir_give (
      call, sonde_mindir_slice (
                call, sonde_mindir_tensor (call, "x"), sonde_mindir_int (call, "dim", 0), start,
                start + CLAMP (sonde_mindir_int (call, "length", 0), 0, G_MAXINT32), 1));
}

static const SondeMindirTerm *
build_select_one (SondeMindirCall *call)
{
  SondeGraphValue *y = OP2 (call, "Gather", sonde_mindir_tensor (call, "x"),
                            sonde_lowering_int (call->l, sonde_mindir_int (call, "index", 0)));

  sonde_node_set_int (y->producer, "axis", sonde_mindir_int (call, "dim", 0));
  return sonde_mindir_give (call, y);
}

/* ---- reversed, rolled, triangles ----------------------------------------- */

static const SondeMindirTerm *
build_reverse (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x");
  g_autoptr (GArray) axes = sonde_mindir_ints (call, "axis");

  for (guint i = 0; axes != NULL && i < axes->len; i++)
    x = sonde_mindir_slice (call, x, g_array_index (axes, gint64, i), G_MAXINT64, G_MININT64, -1);
  return sonde_mindir_give (call, axes == NULL || axes->len == 0 ? OP1 (call, "Identity", x) : x);
}

/* The end comes to the front. */
static SondeGraphValue *
roll (SondeMindirCall *call, SondeGraphValue *x, gint64 axis, gint64 by)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  const gint64 size = sonde_mindir_size (x, axis);

  if (size > 0)
    by %= size;
  if (by == 0)
    return x;
  g_ptr_array_add (parts, sonde_mindir_slice (call, x, axis, -by, G_MAXINT64, 1));
  g_ptr_array_add (parts, sonde_mindir_slice (call, x, axis, 0, -by, 1));
  x = sonde_mindir_concat (call, parts, axis);
  return x;
}

static const SondeMindirTerm *
build_roll (SondeMindirCall *call)
{
  SondeGraphValue *x = sonde_mindir_tensor (call, "x"), *y;
  g_autoptr (GArray) shifts = sonde_mindir_ints (call, "shifts");
  g_autoptr (GArray) axes = sonde_mindir_ints (call, "dims");
  const SondeType type = x->type;

  if (shifts == NULL || axes == NULL || axes->len != shifts->len || type.rank < 0)
    return sonde_mindir_refuse (call, N_ ("by how much or where it rolls is not known"), NULL);
  y = x;
  for (guint i = 0; i < axes->len; i++)
    {
      y = roll (call, y, g_array_index (axes, gint64, i), g_array_index (shifts, gint64, i));
      if (y != x)
        y->type = type;
    }
  return sonde_mindir_give (call, y == x ? OP1 (call, "Identity", x) : y);
}

static const SondeMindirTerm *
build_triangle (SondeMindirCall *call)
{
  SondeGraphValue *y = OP2 (call, "Trilu", sonde_mindir_tensor (call, "x"),
                            sonde_lowering_int (call->l, sonde_mindir_int (call, "diagonal", 0)));

  sonde_node_set_int (y->producer, "upper", call->row->number);
  return sonde_mindir_give (call, y);
}

const SondeMindirRow sonde_mindir_slice_rows[] = {
  { "StridedSlice",
    "x begin end strides begin_mask end_mask ellipsis_mask new_axis_mask shrink_axis_mask",
    build_strided_slice, NULL, 0 },
  { "Slice", "x begin size", build_slice, NULL, 0 },
  { "SliceExt", "x dim start end step", build_slice_ext, NULL, 0 },
  { "SliceExtView", "x dim start end step", build_slice_ext, NULL, 0 },
  { "Narrow", "x dim start length", build_narrow, NULL, 0 },
  { "NarrowView", "x dim start length", build_narrow, NULL, 0 },
  { "SelectExtView", "x dim index", build_select_one, NULL, 0 },
  { "ReverseV2", "x axis", build_reverse, NULL, 0 },
  { "Roll", "x shifts dims", build_roll, NULL, 0 },
  { "Tril", "x diagonal", build_triangle, NULL, 0 },
  { "TrilExt", "x diagonal", build_triangle, NULL, 0 },
  { "Triu", "x diagonal", build_triangle, NULL, 1 },
  { NULL, NULL, NULL, NULL, 0 },
};
