/* SPDX-License-Identifier: Apache-2.0
 * TensorFlow's strided slice with its five masks. Source: tensorflow/core/util/strided_slice_op.cc
 * (what the masks mean). */
#include "data/models/lowering/sonde-lowering-shapes.h"

/* What the positions of begin, end and strides come to: @places: positions that slice a dimension,
 * @axes: which one; @shrunk: axes that go; @added: axes of the result that are new. */
typedef struct
{
  int n, n_shrunk, n_added;
  gint64 places[SONDE_MAX_RANK], axes[SONDE_MAX_RANK];
  gint64 shrunk[SONDE_MAX_RANK], added[SONDE_MAX_RANK];
} Positions;

static gboolean
has_bit (guint mask, int bit)
{
  return (mask & (1u << bit)) != 0;
}

/* Dimensions that the ellipsis stands for. */
static int
count_covered (const SondeLoweringSlice *slice, int rank)
{
  int covered = rank;

  for (int i = 0; i < slice->n; i++)
    if (!has_bit (slice->ellipsis_mask, i) && !has_bit (slice->new_axis_mask, i))
      covered--;
  return covered;
}

static gboolean
find_positions (const SondeLoweringSlice *slice, int rank, Positions *found)
{
  int covered = count_covered (slice, rank), axis = 0, result = 0;
  gboolean seen = FALSE;

  for (int i = 0; i < slice->n; i++)
    {
      if (has_bit (slice->ellipsis_mask, i))
        {
          if (seen || covered < 0)
            return FALSE;
          seen = TRUE;
          axis += covered;
          result += covered;
        }
      else if (has_bit (slice->new_axis_mask, i))
        found->added[found->n_added++] = result++;
      else if (axis >= rank)
        return FALSE;
      else
        {
          found->places[found->n] = i;
          found->axes[found->n++] = axis;
          if (has_bit (slice->shrink_axis_mask, i))
            found->shrunk[found->n_shrunk++] = axis;
          else
            result++;
          axis++;
        }
    }
  return result + (rank - axis) <= SONDE_MAX_RANK;
}

/* ---- where it begins and ends -------------------------------------------- */

/* int64 of rank 1: the entries of @value at @places; known numbers are computed here. */
static SondeGraphValue *
pick (SondeLowering *lowering, SondeGraphValue *value, const Positions *found)
{
  const SondeTensor *known = sonde_lowering_get_constant (value);
  gint64 numbers[SONDE_MAX_RANK];
  SondeGraphValue *picked;

  if (known == NULL)
    {
      picked = sonde_lowering_op (
          lowering, "Gather",
          SONDE_VALUES (value, sonde_lowering_ints (lowering, found->places, (gsize) found->n)));
      return sonde_lowering_cast (lowering, picked, SONDE_DTYPE_I64);
    }
  for (int i = 0; i < found->n; i++)
    numbers[i] = sonde_tensor_get_int (known, found->places[i]);
  return sonde_lowering_ints (lowering, numbers, (gsize) found->n);
}

/* @yes where @use is set, else @no. */
static SondeGraphValue *
choose (SondeLowering *lowering, const gboolean *use, SondeGraphValue *yes, SondeGraphValue *no,
        int n)
{
  const SondeTensor *known_yes = sonde_lowering_get_constant (yes);
  const SondeTensor *known_no = sonde_lowering_get_constant (no);
  const SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) mask = NULL;
  gint64 numbers[SONDE_MAX_RANK];

  if (known_yes == NULL || known_no == NULL)
    {
      mask = sonde_tensor_new (SONDE_DTYPE_BOOL, &shape);
      for (int i = 0; i < n; i++)
        mask->data[i] = use[i] != FALSE;
      return sonde_lowering_op (
          lowering, "Where",
          SONDE_VALUES (sonde_lowering_constant (lowering, NULL, mask), yes, no));
    }
  for (int i = 0; i < n; i++)
    numbers[i] = sonde_tensor_get_int (use[i] ? known_yes : known_no, i);
  return sonde_lowering_ints (lowering, numbers, (gsize) n);
}

static SondeGraphValue *
add (SondeLowering *lowering, SondeGraphValue *a, SondeGraphValue *b, int n)
{
  const SondeTensor *known_a = sonde_lowering_get_constant (a);
  const SondeTensor *known_b = sonde_lowering_get_constant (b);
  gint64 numbers[SONDE_MAX_RANK];

  if (known_a == NULL || known_b == NULL)
    return sonde_lowering_op (lowering, "Add", SONDE_VALUES (a, b));
  for (int i = 0; i < n; i++)
    numbers[i] = (gint64) ((guint64) sonde_tensor_get_int (known_a, i)
                           + (guint64) sonde_tensor_get_int (known_b, i));
  return sonde_lowering_ints (lowering, numbers, (gsize) n);
}

static SondeGraphValue *
find_starts (SondeLowering *lowering, const SondeLoweringSlice *slice, const Positions *found)
{
  gboolean use[SONDE_MAX_RANK];
  gint64 other[SONDE_MAX_RANK];

  for (int i = 0; i < found->n; i++)
    {
      int place = (int) found->places[i];

      use[i] = has_bit (slice->begin_mask, place) && !has_bit (slice->shrink_axis_mask, place);
      other[i] = slice->strides[place] < 0 ? G_MAXINT64 : 0;
    }
  return choose (lowering, use, sonde_lowering_ints (lowering, other, (gsize) found->n),
                 pick (lowering, slice->begin, found), found->n);
}

/* The element behind the one at @starts; the last one has none, counted from the end. */
static SondeGraphValue *
find_next (SondeLowering *lowering, SondeGraphValue *starts, int n)
{
  const SondeTensor *known = sonde_lowering_get_constant (starts);
  gint64 numbers[SONDE_MAX_RANK];
  SondeGraphValue *next, *last;

  if (known == NULL)
    {
      next = sonde_lowering_op (lowering, "Add",
                                SONDE_VALUES (starts, sonde_lowering_int (lowering, 1)));
      last = sonde_lowering_op (lowering, "Equal",
                                SONDE_VALUES (starts, sonde_lowering_int (lowering, -1)));
      return sonde_lowering_op (
          lowering, "Where", SONDE_VALUES (last, sonde_lowering_int (lowering, G_MAXINT64), next));
    }
  for (int i = 0; i < n; i++)
    {
      gint64 start = sonde_tensor_get_int (known, i);

      numbers[i] = start == -1 || start == G_MAXINT64 ? G_MAXINT64 : start + 1;
    }
  return sonde_lowering_ints (lowering, numbers, (gsize) n);
}

static SondeGraphValue *
find_ends (SondeLowering *lowering, const SondeLoweringSlice *slice, const Positions *found,
           SondeGraphValue *starts)
{
  SondeGraphValue *ends = pick (lowering, slice->end, found);
  gboolean use[SONDE_MAX_RANK], shrinks[SONDE_MAX_RANK];
  gint64 other[SONDE_MAX_RANK];

  if (slice->end_is_length)
    ends = add (lowering, starts, ends, found->n);
  for (int i = 0; i < found->n; i++)
    {
      int place = (int) found->places[i];

      shrinks[i] = has_bit (slice->shrink_axis_mask, place);
      use[i] = has_bit (slice->end_mask, place) && !shrinks[i];
      other[i] = slice->strides[place] < 0 ? G_MININT64 : G_MAXINT64;
    }
  ends = choose (lowering, use, sonde_lowering_ints (lowering, other, (gsize) found->n), ends,
                 found->n);
  if (found->n_shrunk == 0)
    return ends;
  return choose (lowering, shrinks, find_next (lowering, starts, found->n), ends, found->n);
}

/* ---- the slice ----------------------------------------------------------- */

/* An axis that goes keeps one element, whatever its stride. */
static SondeGraphValue *
find_steps (SondeLowering *lowering, const SondeLoweringSlice *slice, const Positions *found)
{
  gint64 steps[SONDE_MAX_RANK];

  for (int i = 0; i < found->n; i++)
    {
      int place = (int) found->places[i];

      steps[i] = has_bit (slice->shrink_axis_mask, place) ? 1 : slice->strides[place];
    }
  return sonde_lowering_ints (lowering, steps, (gsize) found->n);
}

SondeGraphValue *
sonde_lowering_strided_slice (SondeLowering *lowering, SondeGraphValue *value, int rank,
                              const SondeLoweringSlice *slice)
{
  Positions found = { 0 };
  SondeGraphValue *starts;

  if (slice->n > SONDE_MAX_RANK || !find_positions (slice, rank, &found))
    return NULL;
  if (found.n > 0)
    {
      starts = find_starts (lowering, slice, &found);
      value = sonde_lowering_op (
          lowering, "Slice",
          SONDE_VALUES (value, starts, find_ends (lowering, slice, &found, starts),
                        sonde_lowering_ints (lowering, found.axes, (gsize) found.n),
                        find_steps (lowering, slice, &found)));
    }
  if (found.n_shrunk > 0)
    value = sonde_lowering_op (
        lowering, "Squeeze",
        SONDE_VALUES (value, sonde_lowering_ints (lowering, found.shrunk, (gsize) found.n_shrunk)));
  if (found.n_added > 0)
    value = sonde_lowering_op (
        lowering, "Unsqueeze",
        SONDE_VALUES (value, sonde_lowering_ints (lowering, found.added, (gsize) found.n_added)));
  return value;
}
