/* SPDX-License-Identifier: Apache-2.0
 * ATen's operators that pick and put by places. */
#include "data/models/pt2/sonde-pt2-lower.h"

static int
get_axis (SondePt2Lowering *self, const SondeGraphValue *x)
{
  return sonde_pt2_axis (self, sonde_pt2_arg_int (self, "dim", 0), sonde_pt2_rank (self, x));
}

/* ---- by numbers ---------------------------------------------------------- */

static void
lower_slice (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");
  const gint64 axis = get_axis (self, x);

  sonde_pt2_set_out (self, 0,
                     sonde_lowering_op (self->out, "Slice",
                                        SONDE_VALUES (x, sonde_pt2_size (self, "start", 0),
                                                      sonde_pt2_size (self, "end", G_MAXINT64),
                                                      sonde_lowering_ints (self->out, &axis, 1),
                                                      sonde_pt2_size (self, "step", 1))));
}

static void
set_gathered (SondePt2Lowering *self, SondeGraphValue *x, SondeGraphValue *places, int axis)
{
  SondeGraphValue *y = sonde_pt2_op2 (self, "Gather", x, places);

  sonde_node_set_int (y->producer, "axis", axis);
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_select (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");

  set_gathered (self, x, sonde_pt2_operand (self, "index", SONDE_DTYPE_I64), get_axis (self, x));
}

static void
lower_index_select (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");

  set_gathered (self, x, sonde_pt2_needed (self, "index"), get_axis (self, x));
}

/* ---- by tensors ---------------------------------------------------------- */

/* x[:, :, places, …]: one list of places, which may have any shape. */
static void
index_one (SondePt2Lowering *self, SondeGraphValue *x, SondeGraphValue *places, int axis)
{
  set_gathered (self, x, places, axis);
}

/* The dimensions [@from, @from + @n) first. */
static SondeGraphValue *
move_first (SondePt2Lowering *self, SondeGraphValue *x, int from, int n)
{
  int rank = sonde_pt2_rank (self, x);
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    order[i] = i < n ? from + i : i < from + n ? i - n : i;
  return from == 0 ? x : sonde_lowering_transpose (self->out, x, order, rank);
}

/* Back: the first @n dimensions of @rank to @to. */
static SondeGraphValue *
move_back (SondePt2Lowering *self, SondeGraphValue *x, int rank, int to, int n)
{
  gint64 order[SONDE_MAX_RANK];

  for (int i = 0; i < rank; i++)
    order[i] = i < to ? n + i : i < to + n ? i - to : i;
  return to == 0 ? x : sonde_lowering_transpose (self->out, x, order, rank);
}

/* Tensors of places for the dimensions from @from on, one behind the other: GatherND. Their common
 * shape takes the place of these dimensions. */
static void
index_several (SondePt2Lowering *self, SondeGraphValue *x, SondeGraphValue *const *places, int n,
               int from)
{
  SondeGraphValue *shape = NULL, *sum = places[0], *y = NULL;
  SondeGraphValue *columns[SONDE_MAX_RANK];
  int rank = 0, all = sonde_pt2_rank (self, x);

  for (int i = 0; i < n; i++)
    {
      rank = MAX (rank, sonde_pt2_rank (self, places[i]));
      sum = i > 0 ? sonde_pt2_op2 (self, "Add", sum, places[i]) : sum; /* for its shape */
    }
  if (rank + all - n > SONDE_MAX_RANK || n > all)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_LIMIT, "its result has too many dimensions");
      return;
    }
  shape = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (sum));
  for (int i = 0; i < n; i++)
    columns[i] = sonde_lowering_unsqueeze (self->out,
                                           sonde_pt2_op2 (self, "Expand", places[i], shape), rank);
  y = sonde_pt2_op2 (self, "GatherND", move_first (self, x, from, n),
                     sonde_lowering_concat (self->out, columns, (guint) n, rank));
  sonde_pt2_set_out (self, 0, move_back (self, y, rank + all - n, from, rank));
}

static void
lower_index (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");
  g_autoptr (GPtrArray) places = sonde_pt2_tensors (self, "indices");
  SondeGraphValue *given[SONDE_MAX_RANK];
  int n = 0, first = -1, last = -1;
  gboolean masks = FALSE;

  for (guint i = 0; i < MIN (places->len, SONDE_MAX_RANK); i++)
    if (places->pdata[i] != NULL)
      {
        given[n] = places->pdata[i];
        masks = masks || given[n]->type.dtype == SONDE_DTYPE_BOOL;
        first = n == 0 ? (int) i : first;
        last = (int) i;
        n++;
      }
  if (sonde_lowering_has_failed (self->out))
    return;
  if (n == 1 && !masks)
    index_one (self, x, given[0], first);
  else if (n > 1 && !masks && last - first + 1 == n)
    index_several (self, x, given, n, first);
  else
    sonde_pt2_refuse (
        self, sonde_message_new ("this mixture of places is not read"),
        sonde_message_new ("Index one dimension at a time, or with masked_fill and where"));
}

static void
lower_gather (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");
  SondeGraphValue *y = sonde_pt2_op2 (self, "GatherElements", x, sonde_pt2_needed (self, "index"));

  sonde_node_set_int (y->producer, "axis", get_axis (self, x));
  sonde_pt2_set_out (self, 0, y);
}

static void
lower_scatter (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self"), *places = sonde_pt2_needed (self, "index");
  SondeGraphValue *values = sonde_pt2_tensor (self, "src"), *y = NULL;

  if (values == NULL)
    values = sonde_pt2_op2 (self, "Expand", sonde_pt2_operand (self, "value", x->type.dtype),
                            sonde_lowering_op (self->out, "Shape", SONDE_VALUES (places)));
  y = sonde_lowering_op (self->out, "ScatterElements", SONDE_VALUES (x, places, values));
  sonde_node_set_int (y->producer, "axis", get_axis (self, x));
  if (self->op != NULL)
    sonde_node_set_string (y->producer, "reduction", self->op);
  sonde_pt2_set_out (self, 0, y);
}

/* Places of all numbers that are not 0, a row each. */
static void
lower_nonzero (SondePt2Lowering *self)
{
  static const gint64 order[] = { 1, 0 };
  SondeGraphValue *y
      = sonde_lowering_op (self->out, "NonZero", SONDE_VALUES (sonde_pt2_needed (self, "self")));

  y->type.rank = 2;
  y->type.dims[0].size = y->type.dims[1].size = -1;
  sonde_pt2_set_out (self, 0, sonde_lowering_transpose (self->out, y, order, 2));
}

const SondePt2Row sonde_pt2_index_rows[] = {
  { "gather.default", lower_gather },
  { "index.Tensor", lower_index },
  { "index_select.default", lower_index_select },
  { "nonzero.default", lower_nonzero },
  { "scatter.src", lower_scatter },
  { "scatter.value", lower_scatter },
  { "scatter_add.default", lower_scatter, "add" },
  { "select.int", lower_select },
  { "slice.Tensor", lower_slice },
  { NULL },
};
