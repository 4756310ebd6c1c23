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
  SondeDecomposition *context;
  SondeAttentionSizes sizes;
  SondeGraphValue *q, *k, *queries, *total, *minus;
} Attention;

/* The mask as numbers to add, as wide as there are keys: further ones are masked. */
static SondeGraphValue *
mask_as_numbers (Attention *attention, SondeGraphValue *mask, SondeDtype dtype)
{
  SondeDecomposition *context = attention->context;
  const gint64 one = 1;
  int rank = mask->type.rank;
  gint64 zeros[2 * SONDE_MAX_RANK] = { 0 };
  SondeGraphValue *numbers = sonde_decompose_cast (context, mask, dtype), *pads = NULL;
  SondeGraphValue *inputs[3] = { NULL };

  if (mask->type.dtype == SONDE_DTYPE_BOOL)
    numbers = sonde_decompose_where (
        context, mask, sonde_decompose_number (context, attention->minus, 0), attention->minus);
  if (mask->type.dims[rank - 1].size >= 0
      && mask->type.dims[rank - 1].size == attention->sizes.total)
    return numbers;
  pads = sonde_decompose_sub (context, attention->total,
                              sonde_decompose_size (context, mask, rank - 1));
  pads = sonde_decompose_concat (context, 0,
                                 sonde_build_ints (context->graph, zeros, 2 * (gsize) rank - 1),
                                 sonde_decompose_reshape (context, pads, &one, 1));
  inputs[0] = numbers;
  inputs[1] = pads;
  inputs[2] = attention->minus;
  return sonde_build_op (context->graph, NULL, "", "Pad", G_N_ELEMENTS (inputs), inputs);
}

static SondeGraphValue *
both (SondeDecomposition *context, SondeGraphValue *a, SondeGraphValue *b)
{
  return a == NULL ? b : sonde_rule_binary (context, "And", a, b);
}

/* Which keys a query may see by its position: [L, T], or [B, 1, L, T] where samples differ.
 * (nullable): all */
static SondeGraphValue *
seen_keys (Attention *attention)
{
  const gint64 a_sample[] = { -1, 1, 1, 1 };
  SondeDecomposition *context = attention->context;
  const SondeNode *node = context->node;
  SondeGraphValue *lengths = sonde_rule_x (context, SONDE_ATTENTION_LENGTHS);
  SondeGraphValue *past = sonde_rule_x (context, SONDE_ATTENTION_PAST_K);
  gboolean causal = sonde_node_get_int (node, "is_causal", 0) != 0;
  gint64 left = CLAMP (sonde_node_get_int (node, "left_window_size", -1), -1, G_MAXINT32);
  gint64 right = CLAMP (sonde_node_get_int (node, "right_window_size", -1), -1, G_MAXINT32);
  SondeGraphValue *key = NULL, *position = NULL, *seen = NULL;

  if (lengths == NULL && !causal && left < 0 && right < 0)
    return NULL;
  key = sonde_decompose_range (context, attention->total);
  position
      = sonde_decompose_unsqueeze (context, sonde_decompose_range (context, attention->queries), 1);
  if (lengths != NULL)
    {
      lengths = sonde_decompose_reshape (context, lengths, a_sample, G_N_ELEMENTS (a_sample));
      position = sonde_decompose_add (context, position,
                                      sonde_decompose_sub (context, lengths, attention->queries));
      seen = sonde_rule_binary (context, "Less", key, lengths);
    }
  else if (past != NULL)
    position = sonde_decompose_add (context, position, sonde_decompose_size (context, past, 2));
  if (causal)
    seen = both (context, seen, sonde_rule_binary (context, "LessOrEqual", key, position));
  if (left >= 0)
    seen = both (context, seen,
                 sonde_rule_binary (context, "GreaterOrEqual", key,
                                    sonde_decompose_plus (context, position, -(double) left)));
  if (right >= 0)
    seen = both (context, seen,
                 sonde_rule_binary (context, "LessOrEqual", key,
                                    sonde_decompose_plus (context, position, (double) right)));
  return seen;
}

/* Masks @scores. @blind: (out): queries that see no key, NULL when there is no mask */
static SondeGraphValue *
mask_scores (Attention *attention, SondeGraphValue *scores, SondeGraphValue **blind)
{
  SondeDecomposition *context = attention->context;
  SondeGraphValue *mask = sonde_rule_x (context, SONDE_ATTENTION_MASK), *seen = NULL, *added = NULL;
  const gint64 last = -1;

  attention->minus = sonde_decompose_number (context, scores, -INFINITY);
  seen = seen_keys (attention);
  if (mask != NULL)
    {
      added = mask_as_numbers (attention, mask, scores->type.dtype);
      scores = sonde_decompose_add (context, scores, added);
    }
  if (seen != NULL)
    {
      scores = sonde_decompose_where (context, seen, scores, attention->minus);
      added = sonde_decompose_where (context, seen,
                                     added ? added : sonde_decompose_number (context, scores, 0),
                                     attention->minus);
    }
  if (added != NULL)
    *blind = sonde_rule_binary (context, "Equal",
                                sonde_decompose_reduce (context, "ReduceMax", added, &last, 1),
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
  x = sonde_decompose_reshape (attention->context, x, shape, G_N_ELEMENTS (shape));
  return sonde_decompose_transpose (attention->context, x, swapped, G_N_ELEMENTS (swapped));
}

/* Heads of queries that share one of keys become more queries of it, and back. @heads: of @like,
 * -1: known in the run only */
static SondeGraphValue *
group_heads (Attention *attention, SondeGraphValue *x, gint64 heads, SondeGraphValue *like)
{
  SondeDecomposition *context = attention->context;
  const gint64 shape[] = { 0, heads, -1, 0 };
  SondeGraphValue *number = NULL, *sizes = NULL;

  if (attention->sizes.q_heads >= 0 && attention->sizes.q_heads == attention->sizes.kv_heads)
    return x;
  if (heads >= 0)
    return sonde_decompose_reshape (context, x, shape, G_N_ELEMENTS (shape));
  number = sonde_rule_unary (context, "Shape", like);
  sonde_node_set_int (number->producer, "start", 1);
  sonde_node_set_int (number->producer, "end", 2);
  sizes = sonde_decompose_concat (context, 0, sonde_build_ints (context->graph, shape, 1),
                                  sonde_rule_infer (context, number));
  sizes
      = sonde_decompose_concat (context, 0, sizes, sonde_build_ints (context->graph, shape + 2, 2));
  return sonde_rule_binary (context, "Reshape", x, sizes);
}

static SondeGraphValue *
score (Attention *attention)
{
  const gint64 turned[] = { 0, 1, 3, 2 };
  SondeDecomposition *context = attention->context;
  const SondeAttribute *scale = sonde_node_find_attribute (context->node, "scale");
  SondeGraphValue *root = NULL, *q = attention->q, *k = NULL;

  if (scale != NULL)
    q = sonde_decompose_times (context, q, sonde_node_get_float (context->node, "scale", 1));
  else if (attention->sizes.width > 0)
    q = sonde_decompose_times (context, q, 1 / sqrt ((double) attention->sizes.width));
  else
    {
      root = sonde_decompose_cast (context, sonde_decompose_size (context, q, 3), q->type.dtype);
      q = sonde_decompose_div (context, q, sonde_rule_unary (context, "Sqrt", root));
    }
  k = sonde_decompose_transpose (context, attention->k, turned, G_N_ELEMENTS (turned));
  q = sonde_rule_binary (context, "MatMul",
                         group_heads (attention, q, attention->sizes.kv_heads, attention->k), k);
  return group_heads (attention, q, attention->sizes.q_heads, attention->q);
}

static SondeGraphValue *
join_past (SondeDecomposition *context, guint past, SondeGraphValue *now)
{
  SondeGraphValue *before = sonde_rule_x (context, past);

  return before != NULL ? sonde_decompose_concat (context, 2, before, now) : now;
}

/* @stages: (out): what output 3 may show */
static SondeGraphValue *
attend (Attention *attention, SondeGraphValue *scores, SondeGraphValue *v, SondeGraphValue **stages)
{
  SondeDecomposition *context = attention->context;
  const gint64 flat[] = { 0, 0, -1 };
  double cap = sonde_node_get_float (context->node, "softcap", 0);
  SondeGraphValue *blind = NULL, *y = NULL;

  stages[0] = stages[1] = scores;
  if (cap > 0)
    stages[1] = sonde_decompose_times (
        context,
        sonde_rule_unary (context, "Tanh", sonde_decompose_times (context, scores, 1 / cap)), cap);
  stages[2] = mask_scores (attention, stages[1], &blind);
  y = stages[2];
  if (blind != NULL)
    y = sonde_decompose_where (context, blind, sonde_decompose_number (context, y, 0), y);
  y = sonde_rule_unary (context, "Softmax", y);
  if (blind != NULL)
    y = sonde_decompose_where (context, blind, sonde_decompose_number (context, y, 0), y);
  stages[3] = y;
  y = sonde_rule_binary (context, "MatMul",
                         group_heads (attention, y, attention->sizes.kv_heads, v),
                         sonde_decompose_cast (context, v, y->type.dtype));
  y = group_heads (attention, y, attention->sizes.q_heads, attention->q);
  if (!attention->sizes.packed)
    return y;
  y = sonde_decompose_transpose (context, y, swapped, G_N_ELEMENTS (swapped));
  return sonde_decompose_reshape (context, y, flat, G_N_ELEMENTS (flat));
}

static gboolean
attention_init (Attention *attention, SondeDecomposition *context, GError **error)
{
  SondeGraphValue *mask = sonde_rule_x (context, SONDE_ATTENTION_MASK),
                  *past = sonde_rule_x (context, SONDE_ATTENTION_PAST_K);
  const SondeType *types[3];

  *attention = (Attention){ .context = context };
  for (guint k = 0; k < 3; k++)
    {
      if (!sonde_decompose_need_rank (context, k, 3, error))
        return FALSE;
      types[k] = &sonde_rule_x (context, k)->type;
    }
  if (past != NULL && past->type.rank != 4)
    return sonde_decompose_fail (context, N_ ("the number of dimensions of the past"), error);
  if (!sonde_attention_read_sizes (&attention->sizes, context->node, types,
                                   past ? &past->type : NULL, error))
    return FALSE;
  return mask == NULL || sonde_decompose_need_rank (context, SONDE_ATTENTION_MASK, 1, error);
}

gboolean
sonde_decompose_attention (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  Attention attention;
  SondeGraphValue *v = NULL, *y = NULL, *stages[4];
  gint64 show = CLAMP (sonde_node_get_int (context->node, "qk_matmul_output_mode", 0), 0, 3);

  if (!attention_init (&attention, context, error))
    return FALSE;
  attention.q
      = unpack (&attention, sonde_rule_x (context, SONDE_ATTENTION_Q), attention.sizes.q_heads);
  attention.k
      = unpack (&attention, sonde_rule_x (context, SONDE_ATTENTION_K), attention.sizes.kv_heads);
  v = unpack (&attention, sonde_rule_x (context, SONDE_ATTENTION_V), attention.sizes.kv_heads);
  attention.k = join_past (context, SONDE_ATTENTION_PAST_K, attention.k);
  v = join_past (context, SONDE_ATTENTION_PAST_V, v);
  for (guint i = 1; i < 3 && i < context->node->outputs->len; i++)
    outputs[i] = i == 1 ? attention.k : v;
  attention.q = sonde_decompose_upcast (context, attention.q);
  attention.k = sonde_decompose_upcast (context, attention.k);
  attention.queries = sonde_decompose_size (context, attention.q, 2);
  attention.total = sonde_decompose_size (context, attention.k, 2);
  y = attend (&attention, score (&attention), v, stages);
  outputs[0] = sonde_decompose_cast (context, y, sonde_rule_x (context, 0)->type.dtype);
  if (context->node->outputs->len > 3)
    outputs[3]
        = sonde_decompose_cast (context, stages[show], sonde_rule_x (context, 0)->type.dtype);
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

  context->by_decomposition = context->wanted[1] || context->wanted[2];
  if (context->by_decomposition)
    return TRUE;
  inputs[2] = sonde_rule_unary (context, "Neg", inputs[2]);
  dx = sonde_build_op (context->graph, NULL, "", "RotaryEmbedding", inputs[3] ? 4 : 3, inputs);
  sonde_rule_copy_attributes (dx->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, dx);
  return TRUE;
}

/* Element @i of dimension @axis. */
static SondeGraphValue *
pick (SondeDecomposition *context, SondeGraphValue *x, gint64 i, gint64 axis)
{
  return sonde_decompose_gather (
      context, x, sonde_build_scalar (context->graph, SONDE_DTYPE_I64, (double) i), axis);
}

/* (cos·a − sin·b, sin·a + cos·b) of the pairs of @x [B, S, H, turned] */
static SondeGraphValue *
turn (SondeDecomposition *context, SondeGraphValue *x)
{
  const gint64 beside[] = { 0, 0, 0, -1, 2 }, apart[] = { 0, 0, 0, 2, -1 };
  gboolean interleaved = sonde_node_get_int (context->node, "interleaved", 0) != 0;
  const gint64 axis = interleaved ? 4 : 3;
  SondeGraphValue *positions = sonde_rule_x (context, 3), *turns[2], *pairs = NULL, *a = NULL,
                  *b = NULL, *y[2];

  for (guint k = 0; k < 2; k++)
    {
      turns[k] = sonde_rule_x (context, k + 1);
      if (positions != NULL)
        turns[k] = sonde_decompose_gather (context, turns[k], positions, 0);
      turns[k] = sonde_decompose_unsqueeze (context, turns[k], 2);
    }
  pairs = sonde_decompose_reshape (context, x, interleaved ? beside : apart, 5);
  a = pick (context, pairs, 0, axis);
  b = pick (context, pairs, 1, axis);
  y[0] = sonde_decompose_sub (context, sonde_decompose_mul (context, turns[0], a),
                              sonde_decompose_mul (context, turns[1], b));
  y[1] = sonde_decompose_add (context, sonde_decompose_mul (context, turns[1], a),
                              sonde_decompose_mul (context, turns[0], b));
  pairs = sonde_decompose_concat (context, axis, sonde_decompose_unsqueeze (context, y[0], axis),
                                  sonde_decompose_unsqueeze (context, y[1], axis));
  return sonde_decompose_reshape_like (context, pairs, x);
}

gboolean
sonde_decompose_rotary (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  gint64 turned = sonde_node_get_int (context->node, "rotary_embedding_dim", 0);
  const gint64 heads[] = { 0, 0, sonde_node_get_int (context->node, "num_heads", 0), -1 };
  SondeGraphValue *x = sonde_rule_x (context, 0), *y = NULL;

  if (!sonde_decompose_need_rank (context, 0, 3, error))
    return FALSE;
  y = x->type.rank == 3 ? sonde_decompose_reshape (context, x, heads, G_N_ELEMENTS (heads))
                        : sonde_decompose_transpose (context, x, swapped, G_N_ELEMENTS (swapped));
  y = turned == 0 ? turn (context, y)
                  : sonde_decompose_concat (
                      context, 3, turn (context, sonde_decompose_slice (context, y, 3, 0, turned)),
                      sonde_decompose_slice (context, y, 3, turned, G_MAXINT64));
  outputs[0] = x->type.rank == 3
                   ? sonde_decompose_reshape_like (context, y, x)
                   : sonde_decompose_transpose (context, y, swapped, G_N_ELEMENTS (swapped));
  return TRUE;
}

/* ---- CausalConvWithState ------------------------------------------------- */

static SondeGraphValue *
filter (SondeDecomposition *context, SondeGraphValue *line, SondeGraphValue *w, gint64 before)
{
  const gint64 pads[] = { before, 0 };
  SondeGraphValue *inputs[] = { line, w, sonde_rule_x (context, 2) };
  SondeGraphValue *y = sonde_build_op (context->graph, NULL, "", "Conv", inputs[2] ? 3 : 2, inputs);

  sonde_node_set_int (y->producer, "group", w->type.dims[0].size);
  sonde_node_set_ints (y->producer, "pads", pads, G_N_ELEMENTS (pads));
  return sonde_rule_infer (context, y);
}

gboolean
sonde_decompose_causal_conv (SondeDecomposition *context, SondeGraphValue **outputs, GError **error)
{
  SondeGraphValue *x = sonde_rule_x (context, 0), *w = sonde_rule_x (context, 1),
                  *past = sonde_rule_x (context, 3);
  gint64 channels = w->type.rank == 3 ? w->type.dims[0].size : -1,
         before = w->type.rank == 3 ? w->type.dims[2].size - 1 : -1;
  const gint64 front[] = { 0, 0, before, 0, 0, 0 };
  SondeGraphValue *line = past != NULL ? sonde_decompose_concat (context, 2, past, x) : x,
                  *y = NULL;

  if (channels < 1 || before < 0)
    return sonde_decompose_fail (context, N_ ("the size of its filters"), error);
  y = filter (context, line, w, past != NULL ? 0 : before);
  if (strcmp (sonde_node_get_string (context->node, "activation", "none"), "none") != 0)
    y = sonde_decompose_mul (context, y, sonde_rule_unary (context, "Sigmoid", y));
  outputs[0] = y;
  if (context->node->outputs->len < 2 || before == 0)
    return TRUE;
  if (past == NULL)
    line = sonde_rule_binary (context, "Pad", x,
                              sonde_build_ints (context->graph, front, G_N_ELEMENTS (front)));
  outputs[1] = sonde_decompose_slice (context, line, 2, -before, G_MAXINT64);
  return TRUE;
}
