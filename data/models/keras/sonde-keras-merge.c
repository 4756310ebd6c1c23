/* SPDX-License-Identifier: Apache-2.0
 * Layers that join several tensors. */
#include "data/models/keras/sonde-keras-lower.h"

/* Steps count where they do in all tensors that say. */
static void
join_masks (SondeKerasLowering *self)
{
  SondeGraphValue *joined = NULL;

  for (guint i = 0; i < self->inputs->len; i++)
    {
      SondeGraphValue *mask = g_hash_table_lookup (self->masks, sonde_keras_in (self, i));

      if (mask == NULL || mask == joined)
        continue;
      joined = joined == NULL ? mask : sonde_keras_op2 (self, "And", joined, mask);
    }
  if (joined != NULL)
    g_hash_table_insert (self->masks, self->outputs->pdata[0], joined);
}

/* From the left. Tensors of fewer dimensions get theirs behind the batch, as Keras does it. */
static void
lower_pairs (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *y = sonde_keras_in (self, 0);

  for (guint i = 1; i < self->inputs->len; i++)
    {
      SondeGraphValue *x = sonde_keras_in (self, i);

      if (x->type.rank != y->type.rank && x->type.rank > 0 && y->type.rank > 0)
        {
          sonde_keras_refuse (self, sonde_message_new ("tensors of different rank are not joined"),
                              sonde_message_new ("Put a Reshape layer in front"));
          return;
        }
      y = sonde_keras_op2 (self, op, y, x);
    }
  sonde_keras_set_out (self, 0, y);
  join_masks (self);
}

static void
lower_average (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *sum = NULL;

  lower_pairs (self, "Add");
  if (self->outputs->len == 0)
    return;
  sum = self->outputs->pdata[0];
  sonde_keras_set_out (
      self, 0,
      sonde_keras_op2 (self, "Div", sum,
                       sonde_keras_scalar (self, sum, MAX (self->inputs->len, 1))));
  join_masks (self);
}

/* ---- Concatenate --------------------------------------------------------- */

static SondeShape
joined_shape (SondeKerasLowering *self, int axis)
{
  SondeShape shape = sonde_keras_shape_of (sonde_keras_in (self, 0));

  for (guint i = 1; i < self->inputs->len; i++)
    {
      gint64 size = sonde_keras_in (self, i)->type.dims[axis].size;

      shape.dims[axis] = size < 0 || shape.dims[axis] < 0 ? -1 : shape.dims[axis] + size;
      for (int k = 0; k < shape.rank; k++)
        if (k != axis && shape.dims[k] < 0)
          shape.dims[k] = sonde_keras_in (self, i)->type.dims[k].size;
    }
  return shape;
}

/* Images that are all there with channels first are joined so. */
static gboolean
all_have_first (SondeKerasLowering *self)
{
  for (guint i = 0; i < self->inputs->len; i++)
    if (sonde_lowering_find_channels_first (self->out, sonde_keras_in (self, i)) == NULL)
      return FALSE;
  return TRUE;
}

static SondeGraphValue *
join (SondeKerasLowering *self, int axis)
{
  SondeShape shape = joined_shape (self, axis), first = shape;
  gboolean turned = axis == shape.rank - 1 && all_have_first (self);
  g_autofree SondeGraphValue **values = g_new (SondeGraphValue *, self->inputs->len);
  SondeGraphValue *y = NULL;

  for (guint i = 0; i < self->inputs->len; i++)
    values[i] = turned ? sonde_lowering_channels_first (self->out, sonde_keras_in (self, i))
                       : sonde_keras_in (self, i);
  y = sonde_lowering_concat (self->out, values, self->inputs->len, turned ? 1 : axis);
  if (!turned)
    return sonde_keras_shaped (y, values[0], &shape);
  first.dims[1] = shape.dims[shape.rank - 1];
  for (int i = 2; i < shape.rank; i++)
    first.dims[i] = shape.dims[i - 1];
  return sonde_lowering_channels_last (self->out, sonde_keras_shaped (y, values[0], &first));
}

/* A tensor that says nothing counts everywhere. */
static SondeGraphValue *
find_mask (SondeKerasLowering *self, guint index)
{
  SondeGraphValue *x = sonde_keras_in (self, index);

  return g_hash_table_lookup (self->masks, x);
}

/* Along the steps masks are joined too, along other axes a step counts where it does in all. */
static void
concatenate_masks (SondeKerasLowering *self, int axis)
{
  g_autofree SondeGraphValue **masks = g_new0 (SondeGraphValue *, self->inputs->len);
  guint n = 0;

  for (guint i = 0; i < self->inputs->len; i++)
    {
      masks[i] = find_mask (self, i);
      n += masks[i] != NULL ? 1 : 0;
    }
  if (n == 0)
    return;
  if (axis != 1)
    join_masks (self);
  else if (n == self->inputs->len)
    {
      SondeGraphValue *mask = sonde_lowering_concat (self->out, masks, n, 1);
      SondeShape shape = { 2, { -1, -1 } };

      g_hash_table_insert (self->masks, self->outputs->pdata[0],
                           sonde_keras_shaped (mask, masks[0], &shape));
    }
}

static void
lower_concatenate (SondeKerasLowering *self, const char *op)
{
  int rank = sonde_keras_in (self, 0)->type.rank, axis = 0;

  for (guint i = 0; i < self->inputs->len; i++)
    if (!sonde_keras_check_rank (self, i, MAX (rank, 1), MAX (rank, 1)))
      return;
  axis = sonde_keras_axis (self, sonde_keras_int (self, "axis", -1), rank);
  sonde_keras_set_out (self, 0, join (self, axis));
  concatenate_masks (self, axis);
}

/* ---- Dot ----------------------------------------------------------------- */

/* x / sqrt (max (sum (x²), 10⁻¹²)) along @axis */
static SondeGraphValue *
to_unit (SondeKerasLowering *self, SondeGraphValue *x, gint64 axis)
{
  SondeGraphValue *sum = sonde_lowering_op (
      self->out, "ReduceSumSquare", SONDE_VALUES (x, sonde_lowering_ints (self->out, &axis, 1)));
  SondeShape shape = sonde_keras_shape_of (x);

  shape.dims[axis] = 1;
  sonde_keras_shaped (sum, x, &shape);
  sum = sonde_keras_op2 (self, "Max", sum, sonde_keras_scalar (self, sum, 1e-12));
  return sonde_keras_op2 (self, "Div", x, sonde_keras_op1 (self, "Sqrt", sum));
}

/* @axis comes last, or second. */
static SondeGraphValue *
turn (SondeKerasLowering *self, SondeGraphValue *x, int axis, gboolean last)
{
  static const gint64 swapped[] = { 0, 2, 1 };

  if (x->type.rank == 2)
    {
      SondeShape shape = { 3,
                           { x->type.dims[0].size, last ? 1 : x->type.dims[1].size,
                             last ? x->type.dims[1].size : 1 } };

      return sonde_keras_shaped (sonde_lowering_unsqueeze (self->out, x, last ? 1 : 2), x, &shape);
    }
  return (axis == 2) == last ? x : sonde_lowering_transpose (self->out, x, swapped, 3);
}

static void
lower_dot (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *a = sonde_keras_in (self, 0), *b = sonde_keras_in (self, 1), *y = NULL;
  JsonArray *list = sonde_json_member_array (self->config, "axes");
  gint64 one = sonde_keras_int (self, "axes", -1);
  int axis_a = 0, axis_b = 0;
  SondeShape shape = { .rank = 0 };

  if (!sonde_keras_check_rank (self, 0, 2, 3) || !sonde_keras_check_rank (self, 1, 2, 3))
    return;
  axis_a = sonde_keras_axis (
      self, sonde_json_member_count (list) == 2 ? json_array_get_int_element (list, 0) : one,
      a->type.rank);
  axis_b = sonde_keras_axis (
      self, sonde_json_member_count (list) == 2 ? json_array_get_int_element (list, 1) : one,
      b->type.rank);
  if (sonde_keras_bool (self, "normalize", FALSE))
    {
      a = to_unit (self, a, axis_a);
      b = to_unit (self, b, axis_b);
    }
  shape.dims[shape.rank++] = a->type.dims[0].size;
  if (a->type.rank == 3)
    shape.dims[shape.rank++] = a->type.dims[3 - axis_a].size;
  if (b->type.rank == 3)
    shape.dims[shape.rank++] = b->type.dims[3 - axis_b].size;
  y = sonde_lowering_op (
      self->out, "MatMul",
      SONDE_VALUES (turn (self, a, axis_a, TRUE), turn (self, b, axis_b, FALSE)));
  if (b->type.rank == 2)
    y = sonde_lowering_squeeze (self->out, y, a->type.rank == 2 ? 1 : 2);
  else if (a->type.rank == 2)
    y = sonde_lowering_squeeze (self->out, y, 1);
  if (shape.rank == 1)
    shape.dims[shape.rank++] = 1;
  sonde_keras_set_out (self, 0, sonde_keras_shaped (y, a, &shape));
}

#define ANYWHERE SONDE_KERAS_ANYWHERE

const SondeKerasRow sonde_keras_merge_rows[] = {
  { "Add", 1, ANYWHERE, lower_pairs, "Add" },
  { "Average", 1, ANYWHERE, lower_average, NULL },
  { "Concatenate", 1, SONDE_KERAS_PLAIN, lower_concatenate, NULL },
  { "Dot", 2, SONDE_KERAS_PLAIN, lower_dot, NULL },
  { "Maximum", 1, ANYWHERE, lower_pairs, "Max" },
  { "Minimum", 1, ANYWHERE, lower_pairs, "Min" },
  { "Multiply", 1, ANYWHERE, lower_pairs, "Mul" },
  { "Subtract", 2, ANYWHERE, lower_pairs, "Sub" },
  { NULL },
};
