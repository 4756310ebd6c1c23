/* SPDX-License-Identifier: Apache-2.0
 * Attention and its kin as formulas: products, masks and softmax as nodes of their own, through
 * which their gradients go. */
#include "engine/ops/nn/sonde-attention-private.h"
#include "engine/ops/sonde-decompose-rules.h"

#include <math.h>
#include <string.h>

static const gint64 swapped[] = { 0, 2, 1, 3 };

/* ---- masks --------------------------------------------------------------- */

/* @q, @k: with a dimension of heads; @queries, @total: how many, and how many keys, int64 scalars;
 * @minus: −∞ */
typedef struct
{
  SondeDecomposition *parts;
  SondeAttentionSizes sizes;
  SondeGraphValue *q, *k, *queries, *total, *minus;
} Attention;

/* The mask as numbers to add, as wide as there are keys: further ones are masked. */
static SondeGraphValue *
mask_as_numbers (Attention *attention, SondeGraphValue *mask, SondeDtype dtype)
{
  SondeDecomposition *parts = attention->parts;
  const gint64 one = 1;
  int rank = mask->type.rank;
  gint64 zeros[2 * SONDE_MAX_RANK] = { 0 };
  SondeGraphValue *numbers = sonde_decompose_cast (parts, mask, dtype), *pads = NULL;
  SondeGraphValue *inputs[3] = { NULL };

  if (mask->type.dtype == SONDE_DTYPE_BOOL)
    numbers = sonde_decompose_where (
        parts, mask, sonde_decompose_number (parts, attention->minus, 0), attention->minus);
  if (mask->type.dims[rank - 1].size >= 0
      && mask->type.dims[rank - 1].size == attention->sizes.total)
    return numbers;
  pads
      = sonde_decompose_sub (parts, attention->total, sonde_decompose_size (parts, mask, rank - 1));
  pads = sonde_decompose_concat (parts, 0,
                                 sonde_build_ints (parts->graph, zeros, 2 * (gsize) rank - 1),
                                 sonde_decompose_reshape (parts, pads, &one, 1));
  inputs[0] = numbers;
  inputs[1] = pads;
  inputs[2] = attention->minus;
  return sonde_build_op (parts->graph, NULL, "", "Pad", G_N_ELEMENTS (inputs), inputs);
}

static SondeGraphValue *
both (SondeDecomposition *parts, SondeGraphValue *a, SondeGraphValue *b)
{
  return a == NULL ? b : sonde_rule_binary (parts, "And", a, b);
}

/* Which keys a query may see by its position: [L, T], or [B, 1, L, T] where samples differ.
 * (nullable): all */
static SondeGraphValue *
seen_keys (Attention *attention)
{
  const gint64 a_sample[] = { -1, 1, 1, 1 };
  SondeDecomposition *parts = attention->parts;
  const SondeNode *node = parts->node;
  SondeGraphValue *lengths = sonde_rule_x (parts, SONDE_ATTENTION_LENGTHS);
  SondeGraphValue *past = sonde_rule_x (parts, SONDE_ATTENTION_PAST_K);
  gboolean causal = sonde_node_get_int (node, "is_causal", 0) != 0;
  gint64 left = CLAMP (sonde_node_get_int (node, "left_window_size", -1), -1, G_MAXINT32);
  gint64 right = CLAMP (sonde_node_get_int (node, "right_window_size", -1), -1, G_MAXINT32);
  SondeGraphValue *key = NULL, *position = NULL, *seen = NULL;

  if (lengths == NULL && !causal && left < 0 && right < 0)
    return NULL;
  key = sonde_decompose_range (parts, attention->total);
  position
      = sonde_decompose_unsqueeze (parts, sonde_decompose_range (parts, attention->queries), 1);
  if (lengths != NULL)
    {
      lengths = sonde_decompose_reshape (parts, lengths, a_sample, G_N_ELEMENTS (a_sample));
      position = sonde_decompose_add (parts, position,
                                      sonde_decompose_sub (parts, lengths, attention->queries));
      seen = sonde_rule_binary (parts, "Less", key, lengths);
    }
  else if (past != NULL)
    position = sonde_decompose_add (parts, position, sonde_decompose_size (parts, past, 2));
  if (causal)
    seen = both (parts, seen, sonde_rule_binary (parts, "LessOrEqual", key, position));
  if (left >= 0)
    seen = both (parts, seen,
                 sonde_rule_binary (parts, "GreaterOrEqual", key,
                                    sonde_decompose_plus (parts, position, -(double) left)));
  if (right >= 0)
    seen = both (parts, seen,
                 sonde_rule_binary (parts, "LessOrEqual", key,
                                    sonde_decompose_plus (parts, position, (double) right)));
  return seen;
}

/* Masks @scores. @blind: (out): queries that see no key, NULL when there is no mask */
static SondeGraphValue *
mask_scores (Attention *attention, SondeGraphValue *scores, SondeGraphValue **blind)
{
  SondeDecomposition *parts = attention->parts;
  SondeGraphValue *mask = sonde_rule_x (parts, SONDE_ATTENTION_MASK), *seen = NULL, *added = NULL;
  const gint64 last = -1;

  attention->minus = sonde_decompose_number (parts, scores, -INFINITY);
  seen = seen_keys (attention);
  if (mask != NULL)
    {
      added = mask_as_numbers (attention, mask, scores->type.dtype);
      scores = sonde_decompose_add (parts, scores, added);
    }
  if (seen != NULL)
    {
      scores = sonde_decompose_where (parts, seen, scores, attention->minus);
      added = sonde_decompose_where (
          parts, seen, added ? added : sonde_decompose_number (parts, scores, 0), attention->minus);
    }
  if (added != NULL)
    *blind = sonde_rule_binary (parts, "Equal",
                                sonde_decompose_reduce (parts, "ReduceMax", added, &last, 1),
                                attention->minus);
  return scores;
}

/* ---- Attention ----------------------------------------------------------- */

/* As [B, heads, n, width]. */
static SondeGraphValue *
unpack (Attention *attention, SondeGraphValue *x, gint64 heads)
{
  const gint64 shape[] = { 0, 0, heads, -1 };

  if (!attention->sizes.packed)
    return x;
  x = sonde_decompose_reshape (attention->parts, x, shape, G_N_ELEMENTS (shape));
  return sonde_decompose_transpose (attention->parts, x, swapped, G_N_ELEMENTS (swapped));
}

/* Heads of queries that share one of keys become more queries of it, and back. @heads: of @like,
 * -1: known in the run only */
static SondeGraphValue *
group_heads (Attention *attention, SondeGraphValue *x, gint64 heads, SondeGraphValue *like)
{
  SondeDecomposition *parts = attention->parts;
  const gint64 shape[] = { 0, heads, -1, 0 };
  SondeGraphValue *number = NULL, *sizes = NULL;

  if (attention->sizes.q_heads >= 0 && attention->sizes.q_heads == attention->sizes.kv_heads)
    return x;
  if (heads >= 0)
    return sonde_decompose_reshape (parts, x, shape, G_N_ELEMENTS (shape));
  number = sonde_rule_unary (parts, "Shape", like);
  sonde_node_set_int (number->producer, "start", 1);
  sonde_node_set_int (number->producer, "end", 2);
  sizes = sonde_decompose_concat (parts, 0, sonde_build_ints (parts->graph, shape, 1),
                                  sonde_rule_infer (parts, number));
  sizes = sonde_decompose_concat (parts, 0, sizes, sonde_build_ints (parts->graph, shape + 2, 2));
  return sonde_rule_binary (parts, "Reshape", x, sizes);
}

static SondeGraphValue *
score (Attention *attention)
{
  const gint64 turned[] = { 0, 1, 3, 2 };
  SondeDecomposition *parts = attention->parts;
  const SondeAttribute *scale = sonde_node_find_attribute (parts->node, "scale");
  SondeGraphValue *root = NULL, *q = attention->q, *k = NULL;

  if (scale != NULL)
    q = sonde_decompose_times (parts, q, sonde_node_get_float (parts->node, "scale", 1));
  else if (attention->sizes.width > 0)
    q = sonde_decompose_times (parts, q, 1 / sqrt ((double) attention->sizes.width));
  else
    {
      root = sonde_decompose_cast (parts, sonde_decompose_size (parts, q, 3), q->type.dtype);
      q = sonde_decompose_div (parts, q, sonde_rule_unary (parts, "Sqrt", root));
    }
  k = sonde_decompose_transpose (parts, attention->k, turned, G_N_ELEMENTS (turned));
  q = sonde_rule_binary (parts, "MatMul",
                         group_heads (attention, q, attention->sizes.kv_heads, attention->k), k);
  return group_heads (attention, q, attention->sizes.q_heads, attention->q);
}

static SondeGraphValue *
join_past (SondeDecomposition *parts, guint past, SondeGraphValue *now)
{
  SondeGraphValue *before = sonde_rule_x (parts, past);

  return before != NULL ? sonde_decompose_concat (parts, 2, before, now) : now;
}

/* @stages: (out): what output 3 may show */
static SondeGraphValue *
attend (Attention *attention, SondeGraphValue *scores, SondeGraphValue *v, SondeGraphValue **stages)
{
  SondeDecomposition *parts = attention->parts;
  const gint64 flat[] = { 0, 0, -1 };
  double cap = sonde_node_get_float (parts->node, "softcap", 0);
  SondeGraphValue *blind = NULL, *y = NULL;

  stages[0] = stages[1] = scores;
  if (cap > 0)
    stages[1] = sonde_decompose_times (
        parts, sonde_rule_unary (parts, "Tanh", sonde_decompose_times (parts, scores, 1 / cap)),
        cap);
  stages[2] = mask_scores (attention, stages[1], &blind);
  y = stages[2];
  if (blind != NULL)
    y = sonde_decompose_where (parts, blind, sonde_decompose_number (parts, y, 0), y);
  y = sonde_rule_unary (parts, "Softmax", y);
  if (blind != NULL)
    y = sonde_decompose_where (parts, blind, sonde_decompose_number (parts, y, 0), y);
  stages[3] = y;
  y = sonde_rule_binary (parts, "MatMul", group_heads (attention, y, attention->sizes.kv_heads, v),
                         sonde_decompose_cast (parts, v, y->type.dtype));
  y = group_heads (attention, y, attention->sizes.q_heads, attention->q);
  if (!attention->sizes.packed)
    return y;
  y = sonde_decompose_transpose (parts, y, swapped, G_N_ELEMENTS (swapped));
  return sonde_decompose_reshape (parts, y, flat, G_N_ELEMENTS (flat));
}

static gboolean
attention_init (Attention *attention, SondeDecomposition *parts, GError **error)
{
  SondeGraphValue *mask = sonde_rule_x (parts, SONDE_ATTENTION_MASK),
                  *past = sonde_rule_x (parts, SONDE_ATTENTION_PAST_K);
  const SondeType *types[3];

  *attention = (Attention){ .parts = parts };
  for (guint k = 0; k < 3; k++)
    {
      if (!sonde_decompose_need_rank (parts, k, 3, error))
        return FALSE;
      types[k] = &sonde_rule_x (parts, k)->type;
    }
  if (past != NULL && past->type.rank != 4)
    return sonde_decompose_fail (parts, N_ ("the number of dimensions of the past"), error);
  if (!sonde_attention_read_sizes (&attention->sizes, parts->node, types, past ? &past->type : NULL,
                                   error))
    return FALSE;
  return mask == NULL || sonde_decompose_need_rank (parts, SONDE_ATTENTION_MASK, 1, error);
}

gboolean
sonde_decompose_attention (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  Attention attention;
  SondeGraphValue *v = NULL, *y = NULL, *stages[4];
  gint64 show = CLAMP (sonde_node_get_int (parts->node, "qk_matmul_output_mode", 0), 0, 3);

  if (!attention_init (&attention, parts, error))
    return FALSE;
  attention.q
      = unpack (&attention, sonde_rule_x (parts, SONDE_ATTENTION_Q), attention.sizes.q_heads);
  attention.k
      = unpack (&attention, sonde_rule_x (parts, SONDE_ATTENTION_K), attention.sizes.kv_heads);
  v = unpack (&attention, sonde_rule_x (parts, SONDE_ATTENTION_V), attention.sizes.kv_heads);
  attention.k = join_past (parts, SONDE_ATTENTION_PAST_K, attention.k);
  v = join_past (parts, SONDE_ATTENTION_PAST_V, v);
  for (guint i = 1; i < 3 && i < parts->node->outputs->len; i++)
    outputs[i] = i == 1 ? attention.k : v;
  attention.q = sonde_decompose_upcast (parts, attention.q);
  attention.k = sonde_decompose_upcast (parts, attention.k);
  attention.queries = sonde_decompose_size (parts, attention.q, 2);
  attention.total = sonde_decompose_size (parts, attention.k, 2);
  y = attend (&attention, score (&attention), v, stages);
  outputs[0] = sonde_decompose_cast (parts, y, sonde_rule_x (parts, 0)->type.dtype);
  if (parts->node->outputs->len > 3)
    outputs[3] = sonde_decompose_cast (parts, stages[show], sonde_rule_x (parts, 0)->type.dtype);
  return TRUE;
}

/* ---- RotaryEmbedding ----------------------------------------------------- */

/* Its inverse turns the gradient back; parameters are caches, of which the formula tells. */
gboolean
sonde_rotary_gradient (SondeGradientContext *context, GError **error)
{
  SondeGraphValue *inputs[] = { sonde_rule_dy (context), sonde_rule_x (context, 1),
                                sonde_rule_x (context, 2), sonde_rule_x (context, 3) };
  SondeGraphValue *dx = NULL;

  context->by_parts = context->wanted[1] || context->wanted[2];
  if (context->by_parts)
    return TRUE;
  inputs[2] = sonde_rule_unary (context, "Neg", inputs[2]);
  dx = sonde_build_op (context->graph, NULL, "", "RotaryEmbedding", inputs[3] ? 4 : 3, inputs);
  sonde_rule_copy_attributes (dx->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

/* Element @i of dimension @axis. */
static SondeGraphValue *
pick (SondeDecomposition *parts, SondeGraphValue *x, gint64 i, gint64 axis)
{
  return sonde_decompose_gather (
      parts, x, sonde_build_scalar (parts->graph, SONDE_DTYPE_I64, (double) i), axis);
}

/* (cos·a − sin·b, sin·a + cos·b) of the pairs of @x [B, S, H, turned] */
static SondeGraphValue *
turn (SondeDecomposition *parts, SondeGraphValue *x)
{
  const gint64 beside[] = { 0, 0, 0, -1, 2 }, apart[] = { 0, 0, 0, 2, -1 };
  gboolean interleaved = sonde_node_get_int (parts->node, "interleaved", 0) != 0;
  const gint64 axis = interleaved ? 4 : 3;
  SondeGraphValue *positions = sonde_rule_x (parts, 3), *turns[2], *pairs = NULL, *a = NULL,
                  *b = NULL, *y[2];

  for (guint k = 0; k < 2; k++)
    {
      turns[k] = sonde_rule_x (parts, k + 1);
      if (positions != NULL)
        turns[k] = sonde_decompose_gather (parts, turns[k], positions, 0);
      turns[k] = sonde_decompose_unsqueeze (parts, turns[k], 2);
    }
  pairs = sonde_decompose_reshape (parts, x, interleaved ? beside : apart, 5);
  a = pick (parts, pairs, 0, axis);
  b = pick (parts, pairs, 1, axis);
  y[0] = sonde_decompose_sub (parts, sonde_decompose_mul (parts, turns[0], a),
                              sonde_decompose_mul (parts, turns[1], b));
  y[1] = sonde_decompose_add (parts, sonde_decompose_mul (parts, turns[1], a),
                              sonde_decompose_mul (parts, turns[0], b));
  pairs = sonde_decompose_concat (parts, axis, sonde_decompose_unsqueeze (parts, y[0], axis),
                                  sonde_decompose_unsqueeze (parts, y[1], axis));
  return sonde_decompose_reshape_like (parts, pairs, x);
}

gboolean
sonde_decompose_rotary (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  gint64 turned = sonde_node_get_int (parts->node, "rotary_embedding_dim", 0);
  const gint64 heads[] = { 0, 0, sonde_node_get_int (parts->node, "num_heads", 0), -1 };
  SondeGraphValue *x = sonde_rule_x (parts, 0), *y = NULL;

  if (!sonde_decompose_need_rank (parts, 0, 3, error))
    return FALSE;
  y = x->type.rank == 3 ? sonde_decompose_reshape (parts, x, heads, G_N_ELEMENTS (heads))
                        : sonde_decompose_transpose (parts, x, swapped, G_N_ELEMENTS (swapped));
  y = turned == 0
          ? turn (parts, y)
          : sonde_decompose_concat (parts, 3,
                                    turn (parts, sonde_decompose_slice (parts, y, 3, 0, turned)),
                                    sonde_decompose_slice (parts, y, 3, turned, G_MAXINT64));
  outputs[0] = x->type.rank == 3
                   ? sonde_decompose_reshape_like (parts, y, x)
                   : sonde_decompose_transpose (parts, y, swapped, G_N_ELEMENTS (swapped));
  return TRUE;
}

/* ---- CausalConvWithState ------------------------------------------------- */

static SondeGraphValue *
filter (SondeDecomposition *parts, SondeGraphValue *line, SondeGraphValue *w, gint64 before)
{
  const gint64 pads[] = { before, 0 };
  SondeGraphValue *inputs[] = { line, w, sonde_rule_x (parts, 2) };
  SondeGraphValue *y = sonde_build_op (parts->graph, NULL, "", "Conv", inputs[2] ? 3 : 2, inputs);

  sonde_node_set_int (y->producer, "group", w->type.dims[0].size);
  sonde_node_set_ints (y->producer, "pads", pads, G_N_ELEMENTS (pads));
  return sonde_rule_infer (parts, y);
}

gboolean
sonde_decompose_causal_conv (SondeDecomposition *parts, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_rule_x (parts, 0), *w = sonde_rule_x (parts, 1),
                  *past = sonde_rule_x (parts, 3);
  gint64 channels = w->type.rank == 3 ? w->type.dims[0].size : -1,
         before = w->type.rank == 3 ? w->type.dims[2].size - 1 : -1;
  const gint64 front[] = { 0, 0, before, 0, 0, 0 };
  SondeGraphValue *line = past != NULL ? sonde_decompose_concat (parts, 2, past, x) : x, *y = NULL;

  if (channels < 1 || before < 0)
    return sonde_decompose_fail (parts, N_ ("the size of its filters"), error);
  y = filter (parts, line, w, past != NULL ? 0 : before);
  if (strcmp (sonde_node_get_string (parts->node, "activation", "none"), "none") != 0)
    y = sonde_decompose_mul (parts, y, sonde_rule_unary (parts, "Sigmoid", y));
  outputs[0] = y;
  if (parts->node->outputs->len < 2 || before == 0)
    return TRUE;
  if (past == NULL)
    line = sonde_rule_binary (parts, "Pad", x,
                              sonde_build_ints (parts->graph, front, G_N_ELEMENTS (front)));
  outputs[1] = sonde_decompose_slice (parts, line, 2, -before, G_MAXINT64);
  return TRUE;
}
