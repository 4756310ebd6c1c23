/* SPDX-License-Identifier: Apache-2.0
 * Attention, written out so that its scores can be looked at. */
#include <math.h>

#include "data/models/keras/sonde-keras-lower.h"

/* ---- masks --------------------------------------------------------------- */

/* Ones on and below the diagonal of the last two dimensions of @scores: no step looks ahead. */
static SondeGraphValue *
causal_mask (SondeKerasLowering *self, SondeGraphValue *scores)
{
  static const SondeShape scalar = { .rank = 1, .dims = { 1 } };
  g_autoptr (SondeTensor) one = sonde_tensor_new (SONDE_DTYPE_F32, &scalar);
  SondeGraphValue *sizes = sonde_lowering_op (self->out, "Shape", SONDE_VALUES (scores));
  SondeGraphValue *ones = NULL, *mask = NULL;

  sonde_node_set_int (sizes->producer, "start", -2);
  ones = sonde_lowering_op (self->out, "ConstantOfShape", SONDE_VALUES (sizes));
  sonde_tensor_set_double (one, 0, 1);
  sonde_node_set_tensor (ones->producer, "value", one);
  mask = sonde_lowering_op (self->out, "Trilu", SONDE_VALUES (ones));
  sonde_node_set_int (mask->producer, "upper", 0);
  return sonde_lowering_cast (self->out, mask, SONDE_DTYPE_BOOL);
}

/* (nullable) both */
static SondeGraphValue *
both (SondeKerasLowering *self, SondeGraphValue *a, SondeGraphValue *b)
{
  if (a == NULL || b == NULL)
    return a != NULL ? a : b;
  return sonde_lowering_op (self->out, "And", SONDE_VALUES (a, b));
}

/* The mask of @value with a dimension more at @axis; (nullable) */
static SondeGraphValue *
find_mask (SondeKerasLowering *self, SondeGraphValue *value, gint64 axis)
{
  SondeGraphValue *mask = g_hash_table_lookup (self->masks, value);

  return mask != NULL ? sonde_lowering_unsqueeze (self->out, mask, axis) : NULL;
}

static gboolean
is_causal (SondeKerasLowering *self)
{
  JsonNode *node = sonde_keras_arg (self, -1, "use_causal_mask");

  return sonde_keras_bool (self, "causal", FALSE)
         || (node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_boolean (node));
}

static gboolean
wants_scores (SondeKerasLowering *self)
{
  JsonNode *node = sonde_keras_arg (self, -1, "return_attention_scores");

  return node != NULL && JSON_NODE_HOLDS_VALUE (node) && json_node_get_boolean (node);
}

/* Softmax of @scores where @mask, (nullable), holds. */
static SondeGraphValue *
weigh (SondeKerasLowering *self, SondeGraphValue *scores, SondeGraphValue *mask)
{
  const SondeType type = scores->type;

  if (mask != NULL)
    scores = sonde_lowering_op (
        self->out, "Where",
        SONDE_VALUES (
            mask, scores,
            sonde_keras_scalar (self, scores, type.dtype == SONDE_DTYPE_F16 ? -3e4 : -1e9)));
  scores->type = type;
  return sonde_keras_op1 (self, "Softmax", scores);
}

/* ---- MultiHeadAttention -------------------------------------------------- */

/**
 * Heads: of the open layer
 * @query, @value, @key: [batch, steps, size]
 */
typedef struct
{
  SondeGraphValue *query, *value, *key;
  gint64 n, key_size, value_size;
} Heads;

/* A kernel and a bias that stand for an EinsumDense, as matrix and row. */
static SondeGraphValue *
project (SondeKerasLowering *self, SondeGraphValue *x, const SondeKerasPart *part,
         const SondeShape *kernel_shape, const SondeShape *bias_shape, gint64 rows, gint64 columns)
{
  const gint64 matrix[] = { rows, columns }, row[] = { columns };
  SondeShape shape = sonde_keras_shape_of (x);
  SondeGraphValue *kernel = sonde_keras_weight (self, part, "kernel", 0, kernel_shape), *y = NULL;

  y = sonde_lowering_op (self->out, "MatMul",
                         SONDE_VALUES (x, sonde_lowering_reshape (self->out, kernel, matrix, 2)));
  if (sonde_keras_bool (self, "use_bias", TRUE))
    {
      SondeGraphValue *bias = sonde_keras_weight (self, part, "bias", 1, bias_shape);

      if (bias_shape->rank > 1)
        bias = sonde_lowering_reshape (self->out, bias, row, 1);
      y = sonde_lowering_op (self->out, "Add", SONDE_VALUES (y, bias));
    }
  shape.dims[shape.rank - 1] = columns;
  return sonde_keras_shaped (y, x, &shape);
}

/* [batch, steps, in] -> [batch, heads, steps, size], or [batch, heads, size, steps] */
static SondeGraphValue *
split_heads (SondeKerasLowering *self, const Heads *heads, SondeGraphValue *x,
             const SondeKerasPart *part, gint64 size, gboolean turned)
{
  static const gint64 order[] = { 0, 2, 1, 3 }, turned_order[] = { 0, 2, 3, 1 };
  gint64 in = x->type.dims[x->type.rank - 1].size;
  const SondeShape kernel = { 3, { in, heads->n, size } }, bias = { 2, { heads->n, size } };
  const gint64 sizes[] = { 0, 0, heads->n, size };
  SondeShape split = { 4, { x->type.dims[0].size, x->type.dims[1].size, heads->n, size } };
  SondeGraphValue *y = project (self, x, part, &kernel, &bias, -1, heads->n * size);

  y = sonde_lowering_op (self->out, "Reshape",
                         SONDE_VALUES (y, sonde_lowering_ints (self->out, sizes, 4)));
  sonde_keras_shaped (y, x, &split);
  return sonde_lowering_transpose (self->out, y, turned ? turned_order : order, 4);
}

/* [batch, heads, steps, size] -> [batch, steps, out] */
static SondeGraphValue *
join_heads (SondeKerasLowering *self, const Heads *heads, SondeGraphValue *y)
{
  static const gint64 order[] = { 0, 2, 1, 3 };
  const SondeKerasPart part = { self->version < 3 ? "_output_dense" : "output_dense",
                                "attention_output", "attention_output" };
  JsonArray *shape = sonde_json_member_array (self->config, "output_shape");
  gint64 out = sonde_json_member_count (shape) == 1 ? json_array_get_int_element (shape, 0)
                                                    : heads->query->type.dims[2].size;
  gint64 size = heads->n * heads->value_size;
  const SondeShape kernel = { 3, { heads->n, heads->value_size, out } }, bias = { 1, { out } };
  SondeShape joined
      = { 3, { heads->query->type.dims[0].size, heads->query->type.dims[1].size, size } };
  const gint64 sizes[] = { 0, 0, size };

  y = sonde_lowering_transpose (self->out, y, order, 4);
  y = sonde_lowering_op (self->out, "Reshape",
                         SONDE_VALUES (y, sonde_lowering_ints (self->out, sizes, 3)));
  sonde_keras_shaped (y, heads->query, &joined);
  return project (self, y, &part, &kernel, &bias, size, out);
}

/* [batch, 1, steps, steps], or what broadcasts to it; (nullable) */
static SondeGraphValue *
head_mask (SondeKerasLowering *self, const Heads *heads, SondeGraphValue *scores)
{
  SondeGraphValue *mask
      = both (self, find_mask (self, heads->query, -1), find_mask (self, heads->value, -2));
  SondeGraphValue *given = sonde_keras_arg_tensor (self, -1, "attention_mask");

  if (heads->key != heads->value)
    mask = both (self, mask, find_mask (self, heads->key, -2));
  if (given != NULL && given->type.dtype != SONDE_DTYPE_BOOL)
    given = sonde_lowering_cast (self->out, given, SONDE_DTYPE_BOOL);
  mask = both (self, mask, given);
  if (mask != NULL)
    mask = sonde_lowering_unsqueeze (self->out, mask, 1);
  return is_causal (self) ? both (self, mask, causal_mask (self, scores)) : mask;
}

static gboolean
read_heads (SondeKerasLowering *self, Heads *heads)
{
  JsonArray *axes = sonde_json_member_array (self->config, "attention_axes");

  heads->query = sonde_keras_arg_tensor (self, 0, "query");
  heads->value = sonde_keras_arg_tensor (self, 1, "value");
  heads->key = sonde_keras_arg_tensor (self, 2, "key");
  heads->key = heads->key != NULL ? heads->key : heads->value;
  heads->n = sonde_keras_int (self, "num_heads", 1);
  heads->key_size = sonde_keras_int (self, "key_dim", 1);
  heads->value_size = sonde_keras_int (self, "value_dim", heads->key_size);
  if (heads->query == NULL || heads->value == NULL || heads->n < 1 || heads->key_size < 1
      || heads->value_size < 1
      || MAX (heads->n, MAX (heads->key_size, heads->value_size)) > 1 << 20)
    {
      sonde_lowering_fail (self->out, SONDE_DATA_ERROR_DAMAGED,
                           "it needs a query, a value, and heads of at least one number");
      return FALSE;
    }
  if (heads->query->type.rank == 3 && heads->value->type.rank == 3
      && (axes == NULL
          || (json_array_get_length (axes) == 1 && json_array_get_int_element (axes, 0) == 1)))
    return TRUE;
  sonde_keras_refuse (self, sonde_message_new ("attention over several axes is not read"), NULL);
  return FALSE;
}

/* Keras 3 takes the masks away from what it has read: who reads it later sees none. */
static void
forget_masks (SondeKerasLowering *self, const Heads *heads)
{
  g_hash_table_remove (self->masks, heads->query);
  g_hash_table_remove (self->masks, heads->value);
  g_hash_table_remove (self->masks, heads->key);
}

static void
lower_heads (SondeKerasLowering *self, const char *op)
{
  gboolean old = self->version < 3;
  const SondeKerasPart query = { old ? "_query_dense" : "query_dense", "query", "query" };
  const SondeKerasPart key = { old ? "_key_dense" : "key_dense", "key", "key" };
  const SondeKerasPart value = { old ? "_value_dense" : "value_dense", "value", "value" };
  SondeGraphValue *q = NULL, *scores = NULL, *weights = NULL, *mask = NULL;
  Heads heads = { NULL };
  SondeShape shape = { 4, { -1 } };

  if (!read_heads (self, &heads))
    return;
  q = split_heads (self, &heads, heads.query, &query, heads.key_size, FALSE);
  q = sonde_keras_op2 (self, "Mul", q,
                       sonde_keras_scalar (self, q, 1 / sqrt ((double) heads.key_size)));
  scores = sonde_lowering_op (
      self->out, "MatMul",
      SONDE_VALUES (q, split_heads (self, &heads, heads.key, &key, heads.key_size, TRUE)));
  shape = sonde_keras_shape_of (q);
  shape.dims[3] = heads.key->type.dims[1].size;
  sonde_keras_shaped (scores, q, &shape);
  weights = weigh (self, scores, head_mask (self, &heads, scores));
  q = sonde_lowering_op (self->out, "MatMul",
                         SONDE_VALUES (weights, split_heads (self, &heads, heads.value, &value,
                                                             heads.value_size, FALSE)));
  shape.dims[3] = heads.value_size;
  sonde_keras_set_out (self, 0, join_heads (self, &heads, sonde_keras_shaped (q, scores, &shape)));
  if (wants_scores (self))
    sonde_keras_set_out (self, 1, weights);
  mask = g_hash_table_lookup (self->masks, heads.query);
  if (mask != NULL)
    g_hash_table_insert (self->masks, self->outputs->pdata[0], mask);
  if (!old)
    forget_masks (self, &heads);
}

/* ---- Attention, AdditiveAttention ---------------------------------------- */

/* Sums over the last dimension of a function of all pairs: [batch, queries, keys] */
static SondeGraphValue *
score_pairs (SondeKerasLowering *self, SondeGraphValue *q, SondeGraphValue *k,
             SondeGraphValue *inside, SondeGraphValue *outside)
{
  const gint64 last = -1;
  SondeGraphValue *sum
      = sonde_lowering_op (self->out, "Add",
                           SONDE_VALUES (sonde_lowering_unsqueeze (self->out, q, -2),
                                         sonde_lowering_unsqueeze (self->out, k, -3)));

  if (inside != NULL)
    sum = sonde_lowering_op (self->out, "Mul", SONDE_VALUES (sum, inside));
  sum = sonde_lowering_op (self->out, "Tanh", SONDE_VALUES (sum));
  if (outside != NULL)
    sum = sonde_lowering_op (self->out, "Mul", SONDE_VALUES (sum, outside));
  sum = sonde_lowering_op (self->out, "ReduceSum",
                           SONDE_VALUES (sum, sonde_lowering_ints (self->out, &last, 1)));
  sonde_node_set_int (sum->producer, "keepdims", 0);
  return sum;
}

static SondeGraphValue *
score_products (SondeKerasLowering *self, SondeGraphValue *q, SondeGraphValue *k,
                SondeGraphValue *scale)
{
  static const gint64 order[] = { 0, 2, 1 };
  SondeGraphValue *scores = sonde_lowering_op (
      self->out, "MatMul", SONDE_VALUES (q, sonde_lowering_transpose (self->out, k, order, 3)));

  return scale != NULL ? sonde_lowering_op (self->out, "Mul", SONDE_VALUES (scores, scale))
                       : scores;
}

static SondeGraphValue *
score (SondeKerasLowering *self, SondeGraphValue *q, SondeGraphValue *k, gboolean additive)
{
  const SondeShape scalar = { .rank = 0 }, row = { 1, { q->type.dims[2].size } };
  gboolean pairs = g_str_equal (sonde_keras_text (self, "score_mode", "dot"), "concat");
  gboolean scaled = sonde_keras_bool (self, "use_scale", additive);
  SondeGraphValue *scale
      = scaled ? sonde_keras_weight (self, NULL, "scale", 0, additive ? &row : &scalar) : NULL;

  if (additive)
    return score_pairs (self, q, k, NULL, scale);
  if (pairs)
    return score_pairs (
        self, q, k, scale,
        sonde_keras_weight (self, NULL, "concat_score_weight", scaled ? 1 : 0, &scalar));
  return score_products (self, q, k, scale);
}

/* Steps that do not count give zeros. */
static SondeGraphValue *
clear_rest (SondeKerasLowering *self, SondeGraphValue *y, SondeGraphValue *query)
{
  SondeGraphValue *mask = g_hash_table_lookup (self->masks, query);
  const SondeType type = y->type;

  if (mask == NULL)
    return y;
  y = sonde_lowering_op (self->out, "Where",
                         SONDE_VALUES (sonde_lowering_unsqueeze (self->out, mask, -1), y,
                                       sonde_keras_scalar (self, query, 0)));
  y->type = type;
  g_hash_table_insert (self->masks, y, mask);
  return y;
}

static void
lower_attention (SondeKerasLowering *self, const char *op)
{
  SondeGraphValue *q = sonde_keras_in (self, 0), *v = sonde_keras_in (self, 1), *k = v;
  SondeGraphValue *scores = NULL, *weights = NULL, *mask = NULL, *y = NULL;
  SondeShape shape = sonde_keras_shape_of (q);

  if (!sonde_keras_check_rank (self, 0, 3, 3) || !sonde_keras_check_rank (self, 1, 3, 3))
    return;
  k = self->inputs->len > 2 ? sonde_keras_in (self, 2) : v;
  scores = score (self, q, k, g_str_equal (op, "additive"));
  shape.dims[2] = v->type.dims[1].size;
  sonde_keras_shaped (scores, q, &shape);
  mask = find_mask (self, v, -2);
  if (is_causal (self))
    mask = both (self, mask, causal_mask (self, scores));
  weights = weigh (self, scores, mask);
  y = sonde_lowering_op (self->out, "MatMul", SONDE_VALUES (weights, v));
  shape.dims[2] = v->type.dims[2].size;
  sonde_keras_set_out (self, 0, clear_rest (self, sonde_keras_shaped (y, q, &shape), q));
  if (wants_scores (self))
    sonde_keras_set_out (self, 1, weights);
}

const SondeKerasRow sonde_keras_attention_rows[] = {
  { "AdditiveAttention", 2, SONDE_KERAS_PLAIN, lower_attention, "additive" },
  { "Attention", 2, SONDE_KERAS_PLAIN, lower_attention, "dot" },
  { "MultiHeadAttention", 1, SONDE_KERAS_PLAIN, lower_heads, NULL },
  { NULL },
};
