/* SPDX-License-Identifier: Apache-2.0
 * GroupQueryAttention of com.microsoft. Its cache is a buffer: past and present are as long as they
 * like, seqlens_k says how many keys of it each sequence has. The new ones come behind those; what
 * follows them in the present is zeros. Where past and present are the same memory in ONNX Runtime,
 * the rest of the past stays there instead: nobody reads either. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"

#include <math.h>

enum
{
  GROUP_Q,
  GROUP_K,
  GROUP_V,
  GROUP_PAST_K,
  GROUP_PAST_V,
  GROUP_LENGTHS,
  GROUP_TOTAL,
  GROUP_COS,
  GROUP_SIN,
  GROUP_POSITIONS,
  GROUP_BIAS,
  GROUP_FURTHER,
};

static gboolean
refuse_group_extras (const SondeNode *node, GError **error)
{
  static const char *const unset[]
      = { "kv_cache_bit_width", "qk_output", "sliding_window_cache", NULL };

  for (const char *const *name = unset; *name != NULL; name++)
    if (sonde_node_get_int (node, *name, 0) != 0)
      return sonde_contrib_unsupported (error, "its attribute %s is not implemented", *name);
  if (sonde_node_get_int (node, "smooth_softmax", -1) > 0)
    return sonde_contrib_unsupported (error, "its attribute smooth_softmax is not implemented");
  for (guint k = GROUP_FURTHER; k < node->inputs->len; k++)
    if (operand (node, k) != NULL)
      return sonde_contrib_unsupported (error, "its input %u is not implemented", k);
  return TRUE;
}

static gboolean
read_group_operands (SondeGraph *graph, SondeNode *node, SondeContribAttend *what, GError **error)
{
  gint64 all, each, sizes[3];

  what->q = operand (node, GROUP_Q);
  what->k = operand (node, GROUP_K);
  what->v = operand (node, GROUP_V);
  if (what->k != NULL && what->v != NULL)
    return TRUE;
  all = size_of (what->q, 2);
  if (all < 0 || what->heads < 1 || what->kv_heads < 1 || what->heads > G_MAXINT32
      || what->kv_heads > G_MAXINT32)
    return sonde_contrib_unsupported (error, "the width of its packed operand is not known");
  each = all / (what->heads + 2 * what->kv_heads);
  sizes[0] = each * what->heads;
  sizes[1] = sizes[2] = each * what->kv_heads;
  what->q = sonde_contrib_split (graph, what->q, -1, sizes);
  what->k = sonde_contrib_output (graph, what->q, 1);
  what->v = sonde_contrib_output (graph, what->q, 2);
  return TRUE;
}

/* Where the new keys of each sequence start, [B, 1]: at the end of its @lengths, 0 at the earliest
 * (a first call with padding on the right). */
static SondeGraphValue *
group_starts (SondeGraph *graph, SondeGraphValue *lengths, SondeGraphValue *steps)
{
  return emit (graph, "Max", emit (graph, "Sub", lengths, steps), sonde_contrib_int (graph, 0));
}

/* ---- its cache: a buffer of any length ----------------------------------- */

/**
 * Cache: what the keys of a call lie in
 * @starts: [B, 1]: keys of each sequence that the past holds
 * @steps, @past, @total: scalars: new keys, room of the past, room of the present
 */
typedef struct
{
  SondeGraphValue *starts, *steps, *past, *total;
} Cache;

/* The present is as long as the past unless that has no room for all keys. */
static void
find_cache_sizes (SondeGraph *graph, SondeGraphValue *past, SondeGraphValue *total, Cache *cache)
{
  cache->past = sonde_contrib_size (graph, past, 2);
  total
      = sonde_contrib_reshape (graph, sonde_contrib_cast (graph, total, SONDE_DTYPE_I64), 0, NULL);
  cache->total = emit (graph, "Max", total, cache->past);
}

/* By position of the present, [B, T, 1]: the row of past, new keys and a row of zeros that lies
 * there. */
static SondeGraphValue *
cache_rows (SondeGraph *graph, const Cache *cache)
{
  SondeGraphValue *at = sonde_contrib_count_up (graph, cache->total);
  SondeGraphValue *ends = emit (graph, "Add", cache->starts, cache->steps);
  SondeGraphValue *new = emit (graph, "Add", emit (graph, "Sub", at, cache->starts), cache->past);
  SondeGraphValue *zeros = emit (graph, "Add", cache->past, cache->steps);
  SondeGraphValue *rows = emit (graph, "Where", emit (graph, "Less", at, ends), new, zeros);

  return sonde_contrib_unsqueeze (
      graph, emit (graph, "Where", emit (graph, "Less", at, cache->starts), at, rows), 2);
}

/* The new keys @x [B, S, N·h] behind those of @past [B, N, P, h], as [B, T, N, h]. */
static SondeGraphValue *
update_cache (SondeGraph *graph, SondeGraphValue *past, SondeGraphValue *x, SondeGraphValue *rows,
              gint64 heads)
{
  const gint64 order[] = { 0, 2, 1, 3 }, apart[] = { 0, 0, heads, size_of (past, 3) };
  const gint64 one_row[] = { 0, 0, 0, 0, 0, 1, 0, 0 };
  SondeGraphValue *all = NULL;

  past = sonde_contrib_transpose (graph, past, 4, order);
  all = emit (graph, "Concat", past, sonde_contrib_reshape (graph, x, 4, apart));
  all = sonde_contrib_with_int (graph, all, "axis", 1);
  all = emit (graph, "Pad", all, sonde_build_ints (graph, one_row, 8));
  return sonde_contrib_with_int (graph, emit (graph, "GatherND", all, rows), "batch_dims", 1);
}

/* Past keys and values are taken into @what's own, presents are given. */
static void
use_cache (SondeGraph *graph, SondeNode *node, const Cache *cache, SondeContribAttend *what)
{
  const gint64 order[] = { 0, 2, 1, 3 }, flat[] = { 0, 0, -1 }, line[] = { -1 };
  SondeGraphValue *rows = cache_rows (graph, cache);
  SondeGraphValue *k = update_cache (graph, what->past_k, what->k, rows, what->kv_heads);
  SondeGraphValue *v = update_cache (graph, what->past_v, what->v, rows, what->kv_heads);

  if (sonde_node_get_output (node, 1) != NULL)
    sonde_contrib_give (graph, node, 1, sonde_contrib_transpose (graph, k, 4, order));
  if (sonde_node_get_output (node, 2) != NULL)
    sonde_contrib_give (graph, node, 2, sonde_contrib_transpose (graph, v, 4, order));
  what->k = sonde_contrib_reshape (graph, k, 3, flat);
  what->v = sonde_contrib_reshape (graph, v, 3, flat);
  what->lengths
      = sonde_contrib_reshape (graph, emit (graph, "Add", cache->starts, cache->steps), 1, line);
  what->past_k = what->past_v = NULL;
}

/* Keys behind a sequence's length are masked; @bias is added where they are not. */
static SondeGraphValue *
group_mask (SondeGraph *graph, SondeGraphValue *lengths, SondeGraphValue *total,
            SondeGraphValue *bias)
{
  const gint64 middle[] = { 1, 2 };
  SondeGraphValue *n = bias != NULL ? sonde_contrib_size (graph, bias, 3) : total;
  SondeGraphValue *mask
      = emit (graph, "Unsqueeze", emit (graph, "Less", sonde_contrib_count_up (graph, n), lengths),
              sonde_build_ints (graph, middle, 2));

  return bias == NULL ? mask
                      : emit (graph, "Where", mask, bias,
                              sonde_build_scalar (graph, bias->type.dtype, -INFINITY));
}

static gboolean
rotate_group (SondeGraph *graph, SondeNode *node, const Cache *cache, SondeContribAttend *what,
              GError **error)
{
  SondeGraphValue *positions = operand (node, GROUP_POSITIONS);
  SondeGraphValue *cosines = operand (node, GROUP_COS), *sines = operand (node, GROUP_SIN);
  gboolean interleaved = sonde_node_get_int (node, "rotary_interleaved", 0) != 0;

  if (sonde_node_get_int (node, "do_rotary", 0) == 0)
    return TRUE;
  if (cosines == NULL || sines == NULL)
    return sonde_contrib_unsupported (error, "rotation needs caches of cosines and sines");
  if (positions == NULL)
    positions = emit (graph, "Add", cache->starts, sonde_contrib_count_up (graph, cache->steps));
  what->q
      = sonde_contrib_rotate (graph, what->q, cosines, sines, positions, what->heads, interleaved);
  what->k = sonde_contrib_rotate (graph, what->k, cosines, sines, positions, what->kv_heads,
                                  interleaved);
  return TRUE;
}

/* A past of no keys, which is the first call. */
static gboolean
is_first (const SondeContribAttend *what)
{
  return what->past_k == NULL || what->past_v == NULL || size_of (what->past_k, 2) == 0;
}

gboolean
sonde_contrib_group_query_attention (SondeGraph *graph, SondeNode *node, int version,
                                     GError **error)
{
  const gint64 column[] = { -1, 1 };
  SondeContribAttend what = {
    .heads = sonde_node_get_int (node, "num_heads", 1),
    .kv_heads = sonde_node_get_int (node, "kv_num_heads", 1),
    .causal = sonde_node_get_int (node, "causal", 1) != 0,
    .softcap = sonde_node_get_float (node, "softcap", 0),
    .window = sonde_node_get_int (node, "local_window_size", -1),
    .past_k = operand (node, GROUP_PAST_K),
    .past_v = operand (node, GROUP_PAST_V),
  };
  SondeGraphValue *lengths = operand (node, GROUP_LENGTHS), *y = NULL;
  gboolean first = is_first (&what);
  Cache cache = { NULL };

  if (!refuse_group_extras (node, error) || !read_group_operands (graph, node, &what, error))
    return FALSE;
  if (!first && (operand (node, GROUP_TOTAL) == NULL || size_of (what.past_k, 3) < 1))
    return sonde_contrib_unsupported (
        error, "past keys need a total_sequence_length and heads of a known width");
  lengths = sonde_contrib_reshape (graph, sonde_contrib_cast (graph, lengths, SONDE_DTYPE_I64), 2,
                                   column);
  lengths = emit (graph, "Add", lengths, sonde_contrib_int (graph, 1));
  cache.steps = sonde_contrib_size (graph, what.q, 1);
  cache.starts = group_starts (graph, lengths, cache.steps);
  if (!rotate_group (graph, node, &cache, &what, error))
    return FALSE;
  if (first)
    cache.total = sonde_contrib_count_keys (graph, what.k, what.past_k);
  else
    {
      find_cache_sizes (graph, what.past_k, operand (node, GROUP_TOTAL), &cache);
      use_cache (graph, node, &cache, &what);
    }
  what.bias = group_mask (graph, lengths, cache.total, operand (node, GROUP_BIAS));
  y = sonde_contrib_attend (graph, node, &what);
  for (guint k = 1; k < 3 && first; k++)
    if (sonde_node_get_output (node, k) != NULL)
      sonde_contrib_give (graph, node, k, sonde_contrib_output (graph, y, k));
  sonde_contrib_give (graph, node, 0, y);
  return TRUE;
}
