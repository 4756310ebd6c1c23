/* SPDX-License-Identifier: Apache-2.0
 * Products with weights, and rows of tables. */
#include <string.h>

#include "data/models/keras/sonde-keras-lower.h"

/* ---- Dense --------------------------------------------------------------- */

static void
lower_dense (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *y = NULL;
  SondeShape shape = sonde_keras_shape_of (x);
  gint64 units = sonde_keras_int (self, "units", -1);
  SondeShape kernel = { 2, { shape.rank > 0 ? shape.dims[shape.rank - 1] : -1, units } };
  SondeShape bias = { 1, { units } };

  if (!sonde_keras_check_rank (self, 0, 2, SONDE_MAX_RANK))
    return;
  y = sonde_keras_op2 (self, "MatMul", x, sonde_keras_weight (self, NULL, "kernel", 0, &kernel));
  shape.dims[shape.rank - 1] = units;
  sonde_keras_shaped (y, x, &shape);
  if (sonde_keras_bool (self, "use_bias", TRUE))
    y = sonde_keras_op2 (self, "Add", y, sonde_keras_weight (self, NULL, "bias", 1, &bias));
  sonde_keras_set_out (self, 0, sonde_keras_activate (self, y, "activation"));
}

/* ---- EinsumDense --------------------------------------------------------- */

/* "...x,xy->...y" has a letter for each dimension in ONNX, too; the ellipsis stays. */
static int
count_letters (const char *from, const char *to)
{
  int n = 0;

  for (; from < to; from++)
    n += g_ascii_isalpha (*from) ? 1 : 0;
  return n;
}

/* Sizes of the result where they are those of the kernel or of the input. */
static SondeShape
einsum_shape (const char *equation, const SondeShape *a, const SondeShape *b, int a_extra)
{
  const char *comma = strchr (equation, ','), *arrow = strstr (equation, "->");
  SondeShape shape = { .rank = 0 };

  for (const char *at = arrow + 2; *at != '\0' && shape.rank < SONDE_MAX_RANK; at++)
    {
      const char *in_a = memchr (equation, *at, (gsize) (comma - equation));
      const char *in_b = memchr (comma, *at, (gsize) (arrow - comma));
      gint64 size = -1;

      if (*at == '.' && at[1] == '.' && at[2] == '.')
        {
          for (int i = 0; i < a_extra && shape.rank < SONDE_MAX_RANK; i++)
            shape.dims[shape.rank++] = a->dims[i];
          at += 2;
          continue;
        }
      if (in_b != NULL && count_letters (comma, in_b) < b->rank)
        size = b->dims[count_letters (comma, in_b)];
      else if (in_a != NULL && a_extra + count_letters (equation, in_a) < a->rank)
        size = a->dims[a_extra + count_letters (equation, in_a)];
      shape.dims[shape.rank++] = size;
    }
  return shape;
}

/* Letters of the result that the bias has: each one a size, 1 between them. */
static SondeGraphValue *
add_bias (SondeKerasLowering *self, SondeGraphValue *y, const char *equation)
{
  const char *axes = sonde_keras_text (self, "bias_axes", "");
  const char *made = strstr (equation, "->") + 2;
  SondeShape full = sonde_keras_shape_of (y), bias = { .rank = 0 };
  int extra = full.rank - count_letters (made, made + strlen (made)), position = 0;
  gboolean begun = FALSE;

  for (const char *at = made; *at != '\0'; at++)
    {
      if (!g_ascii_isalpha (*at))
        continue;
      begun |= strchr (axes, *at) != NULL;
      if (begun && bias.rank < SONDE_MAX_RANK)
        bias.dims[bias.rank++]
            = strchr (axes, *at) != NULL && extra >= 0 ? full.dims[extra + position] : 1;
      position++;
    }
  return sonde_keras_op2 (self, "Add", y, sonde_keras_weight (self, NULL, "bias", 1, &bias));
}

static void
lower_einsum (SondeKerasLowering *self, const char *op)
{
  const char *equation = sonde_keras_text (self, "equation", "");
  const char *comma = strchr (equation, ','), *arrow = strstr (equation, "->");
  SondeGraphValue *x = sonde_keras_in (self, 0), *kernel = NULL, *y = NULL;
  SondeShape weights = { .rank = 0 }, a = sonde_keras_shape_of (x), b, made;
  int extra = 0;

  if (!sonde_keras_check_rank (self, 0, 1, SONDE_MAX_RANK))
    return;
  if (comma == NULL || arrow == NULL || comma > arrow
      || count_letters (comma, arrow) > SONDE_MAX_RANK || count_letters (equation, comma) > a.rank)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED, "its equation “%s” is none",
                           equation);
      return;
    }
  weights.rank = count_letters (comma, arrow);
  for (int i = 0; i < weights.rank; i++)
    weights.dims[i] = -1;
  kernel = sonde_keras_weight (self, NULL, "kernel", 0, &weights);
  b = sonde_keras_shape_of (kernel);
  extra = strstr (equation, "...") != NULL ? a.rank - count_letters (equation, comma) : 0;
  made = einsum_shape (equation, &a, &b, extra);
  y = sonde_keras_op2 (self, "Einsum", x, kernel);
  sonde_node_set_string (y->producer, "equation", equation);
  sonde_keras_shaped (y, x, &made);
  if (sonde_keras_has (self, "bias_axes"))
    y = add_bias (self, y, equation);
  sonde_keras_set_out (self, 0, sonde_keras_activate (self, y, "activation"));
}

/* ---- Embedding ----------------------------------------------------------- */

static void
set_mask (SondeKerasLowering *self, SondeGraphValue *ids, SondeGraphValue *made)
{
  SondeGraphValue *zero
      = sonde_keras_op2 (self, "Equal", ids, sonde_lowering_number (self->out, ids->type.dtype, 0));
  SondeGraphValue *mask = NULL;

  zero->type.dtype = SONDE_DTYPE_BOOL;
  mask = sonde_keras_op1 (self, "Not", zero);
  g_hash_table_insert (self->masks, made, mask);
}

static void
lower_embedding (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *ids = sonde_keras_in (self, 0), *table = NULL, *y = NULL;
  SondeShape rows
      = { 2,
          { sonde_keras_int (self, "input_dim", -1), sonde_keras_int (self, "output_dim", -1) } };
  SondeShape shape = sonde_keras_shape_of (ids);

  if (!sonde_keras_check_rank (self, 0, 0, SONDE_MAX_RANK - 1))
    return;
  table = sonde_keras_weight (self, NULL, "embeddings", 0, &rows);
  if (ids->type.dtype != SONDE_DTYPE_I32 && ids->type.dtype != SONDE_DTYPE_I64)
    {
      SondeType type = ids->type;

      ids = sonde_lowering_cast (self->out, ids, SONDE_DTYPE_I32);
      type.dtype = SONDE_DTYPE_I32;
      ids->type = type;
    }
  y = sonde_lowering_op (self->out, "Gather", SONDE_VALUES (table, ids));
  shape.dims[shape.rank++] = rows.dims[1];
  sonde_keras_shaped (y, table, &shape);
  if (shape.rank > 1)
    y->type.dims[0] = ids->type.dims[0];
  if (sonde_keras_bool (self, "mask_zero", FALSE))
    set_mask (self, ids, y);
  sonde_keras_set_out (self, 0, y);
}

/* Steps that hold nothing but one number do not count, and become zeros. */
static void
lower_masking (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *x = sonde_keras_in (self, 0), *other = NULL, *any = NULL, *y = NULL;
  SondeShape shape = sonde_keras_shape_of (x);
  const gint64 last = -1;
  double number = sonde_keras_number (self, "mask_value", 0);

  if (!sonde_keras_check_rank (self, 0, 2, SONDE_MAX_RANK))
    return;
  other = sonde_keras_op2 (self, "Equal", x, sonde_keras_scalar (self, x, number));
  other->type.dtype = SONDE_DTYPE_BOOL;
  other = sonde_lowering_cast (self->out, sonde_keras_op1 (self, "Not", other), x->type.dtype);
  any = sonde_lowering_op (self->out, "ReduceMax",
                           SONDE_VALUES (other, sonde_lowering_ints (self->out, &last, 1)));
  shape.dims[shape.rank - 1] = 1;
  sonde_keras_shaped (any, x, &shape);
  y = sonde_keras_op2 (self, "Mul", x, any);
  sonde_keras_set_out (self, 0, y);
  any = sonde_lowering_cast (self->out, sonde_lowering_squeeze (self->out, any, -1),
                             SONDE_DTYPE_BOOL);
  shape.rank--;
  sonde_keras_shaped (any, x, &shape);
  any->type.dtype = SONDE_DTYPE_BOOL;
  g_hash_table_insert (self->masks, y, any);
}

const SondeKerasRow sonde_keras_dense_rows[] = {
  { "Dense", 1, SONDE_KERAS_KEEPS_MASK, lower_dense, NULL },
  { "EinsumDense", 1, SONDE_KERAS_KEEPS_MASK, lower_einsum, NULL },
  { "Embedding", 1, SONDE_KERAS_PLAIN, lower_embedding, NULL },
  { "Masking", 1, SONDE_KERAS_PLAIN, lower_masking, NULL },
  { NULL },
};
