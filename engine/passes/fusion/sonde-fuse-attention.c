/* SPDX-License-Identifier: Apache-2.0
 * Softmax of products of queries and keys, times values, as one Attention: of operands [batch,
 * heads, rows, width], or of [batch, rows, heads · width], where the chain takes the heads apart
 * and puts them together again. */
#include "engine/ops/nn/sonde-attention-private.h"
#include "engine/passes/fusion/sonde-fuse-private.h"

#include <string.h>

/* What the chain works on. @shapes: of q, k turned, v, each [batch, heads, …] */
typedef struct
{
  SondeNode *weigh; /* MatMul of weights and values */
  SondeNode *score; /* MatMul of queries and keys */
  SondeNode *softmax;
  SondeShape q, k, v;
} Chain;

static const gint64 split[4] = { 0, 2, 1, 3 }; /* [batch, rows, heads, width] */
static const gint64 split_turned[4] = { 0, 2, 3, 1 };
static const gint64 turned[4] = { 0, 1, 3, 2 };

/* Dimension d of @value is dimension @permutation[d] of what the Transposes before it read.
 * Returns: that; @value when there are none; NULL: they are none of four dimensions */
static SondeGraphValue *
before_transposes (SondeGraphValue *value, gint64 permutation[4])
{
  for (int d = 0; d < 4; d++)
    permutation[d] = d;
  while (sonde_node_is (value->producer, SONDE_OP_ID_TRANSPOSE))
    {
      gsize n = 0;
      const gint64 *perm = sonde_node_get_ints (value->producer, "perm", &n);

      if (perm == NULL || n != 4)
        return NULL;
      for (int d = 0; d < 4; d++)
        permutation[d] = perm[permutation[d]];
      value = sonde_node_get_input (value->producer, 0);
    }
  return value;
}

static gboolean
is_turned_like (SondeGraphValue *value, const gint64 wanted[4], SondeGraphValue **before)
{
  gint64 permutation[4];

  *before = before_transposes (value, permutation);
  return *before != NULL && memcmp (permutation, wanted, sizeof permutation) == 0;
}

/* The chain's nodes; sizes are known and no operand is repeated along batch or heads. */
static gboolean
read_chain (const SondeMatch *match, Chain *chain)
{
  SondeNode *last = match->nodes[0];
  SondeShape y;

  while (!sonde_node_is (last, SONDE_OP_ID_MATMUL))
    last = sonde_node_get_input (last, 0)->producer;
  chain->weigh = last;
  chain->softmax = sonde_node_get_input (last, 0)->producer;
  chain->score = NULL;
  for (guint i = 0; i < match->n_nodes; i++)
    if (sonde_node_is (match->nodes[i], SONDE_OP_ID_MATMUL) && match->nodes[i] != last)
      chain->score = match->nodes[i];

  return chain->score != NULL && sonde_node_get_input (last, 1)->type.dtype == SONDE_DTYPE_F32
         && sonde_type_get_shape (&sonde_node_get_input (chain->score, 0)->type, &chain->q)
         && sonde_type_get_shape (&sonde_node_get_input (chain->score, 1)->type, &chain->k)
         && sonde_type_get_shape (&sonde_node_get_input (last, 1)->type, &chain->v)
         && sonde_type_get_shape (&sonde_node_get_output (chain->softmax, 0)->type, &y)
         && chain->q.rank == 4 && chain->k.rank == 4 && chain->v.rank == 4 && y.rank == 4
         && chain->q.dims[0] == chain->k.dims[0] && chain->q.dims[0] == chain->v.dims[0]
         && chain->q.dims[1] == chain->k.dims[1] && chain->q.dims[1] == chain->v.dims[1]
         && y.dims[0] == chain->q.dims[0] && y.dims[1] == chain->q.dims[1]
         && y.dims[2] == chain->q.dims[2] && y.dims[3] == chain->k.dims[3]
         && sonde_shape_n_elements (&y) > 0
         && (sonde_node_get_int (chain->softmax, "axis", -1) == -1
             || sonde_node_get_int (chain->softmax, "axis", -1) == 3);
}

/* The mask of an Attention ends where its last dimension does, which an Add repeats. */
static gboolean
is_mask (const SondeGraphValue *mask, const Chain *chain)
{
  SondeShape shape;

  return mask == NULL
         || (mask->type.dtype == SONDE_DTYPE_F32 && sonde_type_get_shape (&mask->type, &shape)
             && shape.rank >= 1 && shape.rank <= 4
             && shape.dims[shape.rank - 1] == chain->k.dims[3]);
}

/* The factor of the scores. FALSE: it is not one number. */
static gboolean
read_scale (const SondeMatch *match, double *scale)
{
  SondeGraphValue *divisor = sonde_match_get (match, "divisor"),
                  *factor = sonde_match_get (match, "factor");
  SondeGraphValue *first = sonde_match_get (match, "first");
  double number;

  *scale = 1;
  if (divisor != NULL)
    {
      if (!sonde_match_number (divisor, &number) || number == 0)
        return FALSE;
      *scale /= number;
    }
  if (factor != NULL)
    {
      if (!sonde_match_number (factor, &number))
        return FALSE;
      *scale *= number;
    }
  if (first != NULL)
    {
      if (!sonde_match_number (first, &number))
        return FALSE;
      *scale *= number;
    }
  return TRUE;
}

/* Heads as wide as a vector, or several of them: others are slower here. */
static gboolean
is_worth_it (const Chain *chain)
{
  return chain->v.dims[3] % 16 == 0 && chain->q.dims[2] >= 4;
}

static void
add_attention (SondeGraph *graph, const SondeMatch *match, SondeGraphValue *q, SondeGraphValue *k,
               SondeGraphValue *v, double scale, gint64 heads) /* 0: dimensions of their own */
{
  SondeGraphValue *mask = sonde_match_get (match, "mask"), *inputs[] = { q, k, v, mask };
  SondeNode *node = sonde_match_replace (graph, match, "Attention", inputs, mask != NULL ? 4 : 3);

  sonde_node_set_float (node, "scale", scale);
  sonde_node_set_int (node, SONDE_ATTENTION_UNDEFINED, 1);
  if (heads > 0)
    {
      sonde_node_set_int (node, "q_num_heads", heads);
      sonde_node_set_int (node, "kv_num_heads", heads);
    }
}

gboolean
sonde_fuse_attention (SondeGraph *graph, const SondeMatch *match, const SondeRule *rule)
{
  SondeGraphValue *k;
  Chain chain;
  double scale;

  if (!read_chain (match, &chain) || !is_mask (sonde_match_get (match, "mask"), &chain)
      || !read_scale (match, &scale) || !is_worth_it (&chain)
      || !is_turned_like (sonde_node_get_input (chain.score, 1), turned, &k)
      || k != sonde_match_get (match, "k"))
    return FALSE;

  add_attention (graph, match, sonde_match_get (match, "q"), k, sonde_match_get (match, "v"), scale,
                 0);
  return TRUE;
}

/* @value is what was made of @packed [batch, rows, heads · width] by a Reshape and Transposes in
 * that order. */
static gboolean
is_split (SondeGraphValue *value, const gint64 order[4], const SondeGraphValue *packed,
          gint64 heads)
{
  SondeGraphValue *between;
  SondeShape x, y;

  return is_turned_like (value, order, &between)
         && sonde_node_is (between->producer, SONDE_OP_ID_RESHAPE)
         && sonde_node_get_input (between->producer, 0) == packed
         && sonde_type_get_shape (&packed->type, &x) && sonde_type_get_shape (&between->type, &y)
         && x.rank == 3 && y.rank == 4 && x.dims[0] == y.dims[0] && x.dims[1] == y.dims[1]
         && y.dims[2] == heads;
}

/* The heads are put together again: [batch, rows, heads · width]. */
static gboolean
is_joined (const SondeMatch *match, const Chain *chain)
{
  const SondeNode *turn = sonde_node_get_input (match->nodes[0], 0)->producer;
  gsize n = 0;
  const gint64 *perm = sonde_node_get_ints (turn, "perm", &n);
  SondeShape y;

  return perm != NULL && n == 4 && memcmp (perm, split, sizeof split) == 0
         && sonde_type_get_shape (&sonde_node_get_output (match->nodes[0], 0)->type, &y)
         && y.rank == 3 && y.dims[0] == chain->q.dims[0] && y.dims[1] == chain->q.dims[2];
}

gboolean
sonde_fuse_packed_attention (SondeGraph *graph, const SondeMatch *match, const SondeRule *rule)
{
  SondeGraphValue *q = sonde_match_get (match, "q"), *k = sonde_match_get (match, "k"),
                  *v = sonde_match_get (match, "v");
  Chain chain;
  double scale;

  if (!read_chain (match, &chain) || !is_mask (sonde_match_get (match, "mask"), &chain)
      || !read_scale (match, &scale) || !is_worth_it (&chain) || !is_joined (match, &chain)
      || !is_split (sonde_node_get_input (chain.score, 0), split, q, chain.q.dims[1])
      || !is_split (sonde_node_get_input (chain.score, 1), split_turned, k, chain.q.dims[1])
      || !is_split (sonde_node_get_input (chain.weigh, 1), split, v, chain.q.dims[1]))
    return FALSE;

  add_attention (graph, match, q, k, v, scale, chain.q.dims[1]);
  return TRUE;
}
