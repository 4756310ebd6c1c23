/* SPDX-License-Identifier: Apache-2.0
 * Operators that join values and part them. */
#include "data/models/lowering/sonde-lowering-shapes.h"
#include "data/models/tensorflow/sonde-tensorflow-lower.h"

/* Where @axis of a value of @rank is with channels first. */
static gint64
first_axis (gint64 axis, int rank)
{
  return axis == 0 ? 0 : axis == rank - 1 ? 1 : axis + 1;
}

/* The most that any of inputs @from to before @to has; −1: not known */
static int
common_rank (SondeTensorflowLower *lower, guint from, guint to)
{
  int rank = -1;

  for (guint k = from; k < to; k++)
    rank = MAX (rank, sonde_tensorflow_in_rank (lower, k));
  return rank;
}

/* ---- concatenation ------------------------------------------------------- */

/* Inputs @from to before @to along @axis. */
static void
concatenate (SondeTensorflowLower *lower, guint from, guint to, gint64 axis)
{
  int rank = common_rank (lower, from, to);
  g_autofree SondeGraphValue **inputs = g_new (SondeGraphValue *, MAX (to - from, 1));

  if (rank >= 0 && !sonde_tensorflow_check_axis (lower, &axis, rank))
    return;
  lower->first = rank >= 3;
  for (guint k = from; k < to; k++)
    lower->first
        &= sonde_lowering_find_channels_first (lower->to, sonde_tensorflow_in (lower, k)) != NULL;
  for (guint k = from; k < to; k++)
    inputs[k - from] = lower->first ? sonde_tensorflow_in_first (lower, k, rank)
                                    : sonde_tensorflow_in (lower, k);
  sonde_tensorflow_out_any (lower, 0,
                            sonde_lowering_concat (lower->to, inputs, to - from,
                                                   lower->first ? first_axis (axis, rank) : axis));
}

/* The axis is the last input. */
static void
build_concat_v2 (SondeTensorflowLower *lower)
{
  gint64 axis = 0;

  if (sonde_tensorflow_need_int (lower, lower->n_inputs - 1, N_ ("the axis"), &axis))
    concatenate (lower, 0, lower->n_inputs - 1, axis);
}

/* The axis is the first input. */
static void
build_concat (SondeTensorflowLower *lower)
{
  gint64 axis = 0;

  if (sonde_tensorflow_need_int (lower, 0, N_ ("the axis"), &axis))
    concatenate (lower, 1, lower->n_inputs, axis);
}

static void
build_pack (SondeTensorflowLower *lower)
{
  guint n = lower->n_inputs;
  gint64 axis = sonde_tensorflow_attr_int (lower->node, "axis", 0);
  int rank = common_rank (lower, 0, n);
  g_autofree SondeGraphValue **inputs = g_new (SondeGraphValue *, n);

  if (rank >= 0 && !sonde_tensorflow_check_axis (lower, &axis, rank + 1))
    return;
  for (guint k = 0; k < n; k++)
    inputs[k] = sonde_lowering_unsqueeze (lower->to, sonde_tensorflow_in (lower, k), axis);
  sonde_tensorflow_out (lower, 0, sonde_lowering_concat (lower->to, inputs, n, axis));
}

/* ---- parting ------------------------------------------------------------- */

static SondeNode *
emit_split (SondeTensorflowLower *lower, guint x, gint64 axis, guint n, SondeGraphValue *sizes)
{
  SondeGraphValue *inputs[] = { sonde_tensorflow_in (lower, x), sizes };
  SondeNode *node = sonde_lowering_node (lower->to, "", "Split", inputs, sizes != NULL ? 2 : 1, n);

  sonde_node_set_int (node, "axis", axis);
  if (sizes == NULL)
    sonde_node_set_int (node, "num_outputs", n);
  return node;
}

#define MOST_PARTS 100000

/* How many outputs an attribute says; 0 after a failure. */
static guint
count_parts (SondeTensorflowLower *lower, const char *name)
{
  gint64 n = sonde_tensorflow_attr_int (lower->node, name, 0);

  if (n >= 1 && n <= MOST_PARTS)
    return (guint) n;
  sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "it has %" PRIi64 " parts", n);
  return 0;
}

static void
build_unpack (SondeTensorflowLower *lower)
{
  gint64 axis = sonde_tensorflow_attr_int (lower->node, "axis", 0);
  guint n = count_parts (lower, "num");
  int rank = sonde_tensorflow_in_rank (lower, 0);
  SondeNode *node;

  if (n == 0 || (rank >= 0 && !sonde_tensorflow_check_axis (lower, &axis, rank)))
    return;
  node = emit_split (lower, 0, axis, n, NULL);
  for (guint k = 0; k < n; k++)
    sonde_tensorflow_out (
        lower, k, sonde_lowering_squeeze (lower->to, sonde_node_get_output (node, k), axis));
}

/* The axis is the first input. */
static void
build_split (SondeTensorflowLower *lower)
{
  gint64 axis = 0;
  guint n = count_parts (lower, "num_split");
  int rank = sonde_tensorflow_in_rank (lower, 1);

  if (n > 0 && sonde_tensorflow_need_int (lower, 0, N_ ("the axis"), &axis)
      && (rank < 0 || sonde_tensorflow_check_axis (lower, &axis, rank)))
    sonde_tensorflow_out_all (lower, emit_split (lower, 1, axis, n, NULL));
}

/* Which size is −1: what the others leave; −1: none. @sum: of the others */
static int
find_open (const gint64 *sizes, guint n, gint64 *sum)
{
  int open = -1;

  *sum = 0;
  for (guint i = 0; i < n; i++)
    if (sizes[i] < 0)
      open = (int) i;
    else
      *sum += MIN (sizes[i], G_MAXINT32);
  return open;
}

/* @sizes with the one that is computed when the model runs. */
static SondeGraphValue *
join_sizes (SondeTensorflowLower *lower, gint64 axis, const gint64 *sizes, guint n, int open,
            gint64 sum)
{
  SondeGraphValue *parts[3], *rest;
  guint count = 0;

  rest = sonde_tensorflow_shape_of (lower, sonde_tensorflow_in (lower, 0));
  rest = sonde_tensorflow_op2 (lower, "Gather", rest, sonde_lowering_ints (lower->to, &axis, 1));
  rest = sonde_tensorflow_op2 (lower, "Sub", rest, sonde_lowering_int (lower->to, sum));
  if (open > 0)
    parts[count++] = sonde_lowering_ints (lower->to, sizes, (gsize) open);
  parts[count++] = rest;
  if (open + 1 < (int) n)
    parts[count++] = sonde_lowering_ints (lower->to, sizes + open + 1, n - (guint) open - 1);
  return sonde_lowering_concat (lower->to, parts, count, 0);
}

static SondeGraphValue *
complete_sizes (SondeTensorflowLower *lower, gint64 axis, gint64 *sizes, guint n)
{
  const SondeType *type = &sonde_tensorflow_in (lower, 0)->type;
  gint64 whole = type->rank > 0 ? type->dims[axis < 0 ? axis + type->rank : axis].size : -1, sum;
  int open = find_open (sizes, n, &sum);

  if (open >= 0 && whole < 0)
    return join_sizes (lower, axis, sizes, n, open, sum);
  if (open >= 0)
    sizes[open] = MAX (whole - sum, 0);
  return sonde_lowering_ints (lower->to, sizes, n);
}

/* Sizes second, axis last. */
static void
build_split_v (SondeTensorflowLower *lower)
{
  gint64 axis = 0;
  guint n = 0;
  g_autofree gint64 *sizes = NULL;
  int rank = sonde_tensorflow_in_rank (lower, 0);

  if (!sonde_tensorflow_need_int (lower, 2, N_ ("the axis"), &axis)
      || (rank >= 0 && !sonde_tensorflow_check_axis (lower, &axis, rank)))
    return;
  sizes = sonde_tensorflow_need_ints (lower, 1, N_ ("the sizes of the parts"), &n);
  if (sizes == NULL)
    return;
  if (n == 0 || n > MOST_PARTS)
    sonde_lowering_fail (lower->to, SONDE_DATA_ERROR_DAMAGED, "it has %" PRIi64 " parts",
                         (gint64) n);
  else
    sonde_tensorflow_out_all (
        lower, emit_split (lower, 0, axis, n, complete_sizes (lower, axis, sizes, n)));
}

/* ---- the table ----------------------------------------------------------- */

const SondeTensorflowRow sonde_tensorflow_join_rows[] = {
  { "Concat", 2, build_concat, NULL },
  { "ConcatV2", 2, build_concat_v2, NULL },
  { "Pack", 1, build_pack, NULL },
  { "Split", 2, build_split, NULL },
  { "SplitV", 3, build_split_v, NULL },
  { "Unpack", 1, build_unpack, NULL },
  { NULL, 0, NULL, NULL },
};
