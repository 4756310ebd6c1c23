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

/**
 * Places: what indexes a tensor
 * @tensors, @dimensions: @n, by dimension
 */
typedef struct
{
  SondeGraphValue *tensors[SONDE_MAX_RANK];
  int dimensions[SONDE_MAX_RANK];
  int n;
} Places;

static gboolean
are_adjacent (const Places *places)
{
  return places->dimensions[places->n - 1] - places->dimensions[0] + 1 == places->n;
}

/* The dimensions of @places first, in their order, then the others. */
static SondeGraphValue *
move_first (SondePt2Lowering *self, SondeGraphValue *x, const Places *places)
{
  int rank = sonde_pt2_rank (self, x), n = 0;
  gint64 order[SONDE_MAX_RANK];
  gboolean moves = FALSE;

  for (int i = 0; i < places->n; i++)
    order[n++] = places->dimensions[i];
  for (int d = 0, k = 0; d < rank; d++)
    if (k < places->n && places->dimensions[k] == d)
      k++;
    else
      order[n++] = d;
  for (int i = 0; i < n; i++)
    moves = moves || order[i] != i;
  return moves ? sonde_lowering_transpose (self->out, x, order, rank) : x;
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

/* Several tensors of places: GatherND. Their common shape takes the place of their dimensions where
 * those lie side by side; else it comes first. */
static void
index_several (SondePt2Lowering *self, SondeGraphValue *x, const Places *places)
{
  SondeGraphValue *shape = NULL, *sum = places->tensors[0], *y = NULL;
  SondeGraphValue *columns[SONDE_MAX_RANK];
  const int n = places->n, all = sonde_pt2_rank (self, x);
  int rank = 0;

  for (int i = 0; i < n; i++)
    {
      rank = MAX (rank, sonde_pt2_rank (self, places->tensors[i]));
      /* for its shape */
      sum = i > 0 ? sonde_pt2_op2 (self, "Add", sum, places->tensors[i]) : sum;
    }
  if (rank + all - n > SONDE_MAX_RANK)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_LIMIT, "its result has too many dimensions");
      return;
    }
  shape = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (sum));
  for (int i = 0; i < n; i++)
    columns[i] = sonde_lowering_unsqueeze (
        self->out, sonde_pt2_op2 (self, "Expand", places->tensors[i], shape), rank);
  y = sonde_pt2_op2 (self, "GatherND", move_first (self, x, places),
                     sonde_lowering_concat (self->out, columns, (guint) n, rank));
  if (are_adjacent (places))
    y = move_back (self, y, rank + all - n, places->dimensions[0], rank);
  sonde_pt2_set_out (self, 0, y);
}

/* A mask stands for the places where it is true: a list a dimension of it. */
static void
add_mask (SondePt2Lowering *self, Places *places, SondeGraphValue *mask, int dimension)
{
  const int rank = sonde_pt2_rank (self, mask);
  SondeGraphValue *rows = sonde_lowering_op (self->out, "NonZero", SONDE_VALUES (mask));

  for (int i = 0; i < rank && places->n < SONDE_MAX_RANK; i++)
    {
      SondeGraphValue *row = sonde_lowering_op (
          self->out, "Gather", SONDE_VALUES (rows, sonde_lowering_int (self->out, i)));

      row->type = sonde_type_unknown ();
      row->type.kind = SONDE_VALUE_TENSOR;
      row->type.dtype = SONDE_DTYPE_I64;
      row->type.rank = 1;
      row->type.dims[0].size = -1;
      places->dimensions[places->n] = dimension + i;
      places->tensors[places->n++] = row;
    }
}

static void
collect_places (SondePt2Lowering *self, const GPtrArray *given, Places *places)
{
  int dimension = 0;

  for (guint i = 0; i < given->len && places->n < SONDE_MAX_RANK; i++)
    {
      SondeGraphValue *value = given->pdata[i];

      if (value != NULL && value->type.dtype == SONDE_DTYPE_BOOL)
        {
          add_mask (self, places, value, dimension);
          dimension += MAX (sonde_pt2_rank (self, value), 0);
          continue;
        }
      if (value != NULL)
        {
          places->dimensions[places->n] = dimension;
          places->tensors[places->n++] = value;
        }
      dimension++;
    }
}

static void
lower_index (SondePt2Lowering *self)
{
  SondeGraphValue *x = sonde_pt2_needed (self, "self");
  g_autoptr (GPtrArray) given = sonde_pt2_tensors (self, "indices");
  Places places = { .n = 0 };

  if (sonde_lowering_has_failed (self->out))
    return;
  collect_places (self, given, &places);
  if (places.n == 0 || places.dimensions[places.n - 1] >= sonde_pt2_rank (self, x))
    sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                         "its indices do not go with a tensor of %d dimensions",
                         sonde_pt2_rank (self, x));
  else if (places.n == 1)
    set_gathered (self, x, places.tensors[0], places.dimensions[0]);
  else
    index_several (self, x, &places);
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
