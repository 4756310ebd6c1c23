/* SPDX-License-Identifier: Apache-2.0
 * com.microsoft: Attention, QAttention, MultiHeadAttention, RotaryEmbedding as the standard's
 * Attention and RotaryEmbedding. Masks of integers become numbers to add (mask_filter_value where
 * they are 0). Not taken over: caches that past and present share, beams, sinks, quantised
 * caches. */
#include "engine/passes/legalise/sonde-legalise-contrib.h"

#include <math.h>

SondeGraphValue *
sonde_contrib_attend (SondeGraph *graph, SondeNode *node, const SondeContribAttend *what)
{
  SondeGraphValue *y = emit (graph, "Attention", what->q, what->k, what->v, what->bias,
                             what->past_k, what->past_v, what->lengths);
  SondeNode *made = y->producer;

  sonde_node_set_int (made, "q_num_heads", what->heads);
  sonde_node_set_int (made, "kv_num_heads", what->kv_heads);
  if (sonde_node_get_float (node, "scale", 0) != 0)
    sonde_node_set_float (made, "scale", sonde_node_get_float (node, "scale", 0));
  if (what->causal)
    sonde_node_set_int (made, "is_causal", 1);
  if (what->window > 0)
    sonde_node_set_int (made, "left_window_size", what->window - 1);
  if (what->softcap > 0)
    sonde_node_set_float (made, "softcap", what->softcap);
  (void) sonde_build_infer (graph, made, NULL);
  return y;
}

SondeGraphValue *
sonde_contrib_split (SondeGraph *graph, SondeGraphValue *x, gint64 axis, const gint64 sizes[3])
{
  return sonde_contrib_with_int (
      graph, emit (graph, "Split", x, sonde_build_ints (graph, sizes, 3)), "axis", axis);
}

/* ---- masks --------------------------------------------------------------- */

SondeGraphValue *
sonde_contrib_count_up (SondeGraph *graph, SondeGraphValue *n)
{
  SondeGraphValue *numbers
      = emit (graph, "Range", sonde_contrib_int (graph, 0), n, sonde_contrib_int (graph, 1));

  return sonde_contrib_unsqueeze (graph, numbers, 0);
}

SondeGraphValue *
sonde_contrib_count_keys (SondeGraph *graph, SondeGraphValue *k, SondeGraphValue *past)
{
  SondeGraphValue *n = sonde_contrib_size (graph, k, 1);

  return past != NULL ? emit (graph, "Add", n, sonde_contrib_size (graph, past, 2)) : n;
}

/* Lengths [B] as the bool mask [B, T]. */
static SondeGraphValue *
mask_of_lengths (SondeGraph *graph, SondeGraphValue *lengths, SondeGraphValue *total)
{
  const gint64 column[] = { -1, 1 };

  lengths = sonde_contrib_reshape (graph, sonde_contrib_cast (graph, lengths, SONDE_DTYPE_I64), 2,
                                   column);
  return emit (graph, "Less", sonde_contrib_count_up (graph, total), lengths);
}

/* A mask of integers, [B] (lengths), [B, T] or [B, S, T], as numbers to add to scores. */
static gboolean
read_mask (SondeGraph *graph, SondeNode *node, SondeGraphValue *mask,
           const SondeContribAttend *what, SondeGraphValue **bias, GError **error)
{
  SondeDtype dtype
      = what->q->type.dtype != SONDE_DTYPE_INVALID ? what->q->type.dtype : SONDE_DTYPE_F32;
  const gint64 middle[] = { 1, 2 };
  double filter = sonde_node_get_float (node, "mask_filter_value", -10000);
  int rank = mask->type.rank;

  if (rank == 1 && size_of (mask, 0) >= 0 && size_of (what->q, 0) >= 0
      && size_of (mask, 0) != size_of (what->q, 0))
    return sonde_contrib_unsupported (
        error, "a mask of %" PRIi64 " positions for %" PRIi64 " sequences is not implemented",
        size_of (mask, 0), size_of (what->q, 0));
  if (rank < 1 || rank > 3)
    return sonde_contrib_unsupported (error, "a mask of %d dimensions is not implemented", rank);
  if (rank == 1)
    mask = mask_of_lengths (graph, mask, sonde_contrib_count_keys (graph, what->k, what->past_k));
  else
    mask = sonde_contrib_with_int (graph, emit (graph, "Cast", mask), "to",
                                   sonde_dtype_to_onnx (SONDE_DTYPE_BOOL));
  mask = rank == 3 ? sonde_contrib_unsqueeze (graph, mask, 1)
                   : emit (graph, "Unsqueeze", mask, sonde_build_ints (graph, middle, 2));
  *bias = sonde_contrib_add (graph,
                             emit (graph, "Where", mask, sonde_build_scalar (graph, dtype, 0),
                                   sonde_build_scalar (graph, dtype, filter)),
                             *bias);
  return TRUE;
}

/* ---- Attention ----------------------------------------------------------- */

static gboolean
read_hidden_sizes (SondeNode *node, SondeGraphValue *projected, gint64 sizes[3], GError **error)
{
  gsize n = 0;
  const gint64 *given = sonde_node_get_ints (node, "qkv_hidden_sizes", &n);
  gint64 all = size_of (projected, 2);

  if (projected->type.rank != 3 || all < 0)
    return sonde_contrib_unsupported (error, "the width of its projections is not known");
  for (int k = 0; k < 3; k++)
    sizes[k] = n == 3 ? given[k] : all / 3;
  if (sizes[0] < 0 || sizes[1] < 0 || sizes[2] < 0 || sizes[0] > all || sizes[1] > all - sizes[0]
      || sizes[2] != all - sizes[0] - sizes[1])
    return sonde_contrib_unsupported (
        error, "its projections have a width of %" PRIi64 ", which q, k and v do not add up to",
        all);
  return TRUE;
}

/* Part @k of [2, B, N, P, h]. */
static SondeGraphValue *
past_part (SondeGraph *graph, SondeGraphValue *past, gint64 k)
{
  return past != NULL ? emit (graph, "Gather", past, sonde_contrib_int (graph, k)) : NULL;
}

gboolean
sonde_contrib_attend_projected (SondeGraph *graph, SondeNode *node, SondeGraphValue *projected,
                                SondeGraphValue *mask, SondeGraphValue *past, SondeGraphValue *bias,
                                GError **error)
{
  gint64 sizes[3];
  SondeContribAttend what = {
    .heads = sonde_node_get_int (node, "num_heads", 1),
    .kv_heads = sonde_node_get_int (node, "num_heads", 1),
    .causal = sonde_node_get_int (node, "unidirectional", 0) != 0,
    .bias = bias,
  };
  SondeGraphValue *y = NULL;

  if (sonde_node_get_int (node, "do_rotary", 0) != 0
      || sonde_node_get_int (node, "past_present_share_buffer", 0) != 0)
    return sonde_contrib_unsupported (
        error,
        "rotation inside the operator and a cache shared by past and present are not implemented");
  if (!read_hidden_sizes (node, projected, sizes, error))
    return FALSE;
  what.q = sonde_contrib_split (graph, projected, -1, sizes);
  what.k = sonde_contrib_output (graph, what.q, 1);
  what.v = sonde_contrib_output (graph, what.q, 2);
  what.past_k = past_part (graph, past, 0);
  what.past_v = past_part (graph, past, 1);
  if (mask != NULL && !read_mask (graph, node, mask, &what, &what.bias, error))
    return FALSE;
  y = sonde_contrib_attend (graph, node, &what);
  if (sonde_node_get_output (node, 1) != NULL)
    {
      SondeGraphValue *k = sonde_contrib_unsqueeze (graph, sonde_contrib_output (graph, y, 1), 0);
      SondeGraphValue *v = sonde_contrib_unsqueeze (graph, sonde_contrib_output (graph, y, 2), 0);

      sonde_contrib_give (graph, node, 1,
                          sonde_contrib_with_int (graph, emit (graph, "Concat", k, v), "axis", 0));
    }
  sonde_contrib_give (graph, node, 0, y);
  return TRUE;
}

/* [B, S, width] by definition, also where nothing is known of what is projected. */
static SondeGraphValue *
with_width (SondeGraph *graph, SondeGraphValue *projected, SondeGraphValue *weights)
{
  const gint64 sizes[] = { 0, 0, weights->type.rank == 2 ? size_of (weights, 1) : -1 };

  if ((projected->type.rank == 3 && size_of (projected, 2) >= 0) || sizes[2] <= 0)
    return projected;
  projected = sonde_contrib_reshape (graph, projected, 3, sizes);
  if (projected->type.rank != 3)
    {
      SondeShape shape = sonde_shape_make (3, 0, 0, sizes[2]);

      projected->type = sonde_type_tensor (weights->type.dtype, &shape);
      projected->type.dims[0].size = projected->type.dims[1].size = -1;
    }
  return projected;
}

gboolean
sonde_contrib_attention (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = with_width (
      graph, emit (graph, "MatMul", operand (node, 0), operand (node, 1)), operand (node, 1));

  if (operand (node, 6) != NULL)
    return sonde_contrib_unsupported (error,
                                      "a cache shared by past and present is not implemented");
  return sonde_contrib_attend_projected (
      graph, node, sonde_contrib_add (graph, x, operand (node, 2)), operand (node, 3),
      operand (node, 4), operand (node, 5), error);
}

/* (input, weight, bias, input scale, weight scale, mask, input zero, weight zero, past) */
gboolean
sonde_contrib_quantised_attention (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *scale = emit (graph, "Mul", operand (node, 3), operand (node, 4));
  SondeGraphValue *x = sonde_contrib_integer_product (graph, operand (node, 0), operand (node, 1),
                                                      operand (node, 6), operand (node, 7), scale,
                                                      operand (node, 2));

  x = with_width (graph, x, operand (node, 1));
  return sonde_contrib_attend_projected (graph, node, x, operand (node, 5), operand (node, 8), NULL,
                                         error);
}

/* ---- MultiHeadAttention -------------------------------------------------- */

/* Part @k of what is packed along @axis, 3: [B, S, N, parts, h] -> [B, S, N·h]. */
static SondeGraphValue *
unpack (SondeGraph *graph, SondeGraphValue *x, gint64 k)
{
  const gint64 flat[] = { 0, 0, -1 };

  x = sonde_contrib_with_int (graph, emit (graph, "Gather", x, sonde_contrib_int (graph, k)),
                              "axis", 3);
  return sonde_contrib_reshape (graph, x, 3, flat);
}

/* [B, N, S, h] -> [B, S, N·h] */
static SondeGraphValue *
join_heads (SondeGraph *graph, SondeGraphValue *x)
{
  const gint64 order[] = { 0, 2, 1, 3 }, flat[] = { 0, 0, -1 };

  return x->type.rank == 4
             ? sonde_contrib_reshape (graph, sonde_contrib_transpose (graph, x, 4, order), 3, flat)
             : x;
}

static gboolean
read_operands (SondeGraph *graph, SondeNode *node, SondeContribAttend *what, GError **error)
{
  SondeGraphValue *q = operand (node, 0), *k = operand (node, 1), *v = operand (node, 2);

  what->q = q;
  if (k == NULL && q->type.rank == 5)
    {
      what->q = unpack (graph, q, 0);
      what->k = unpack (graph, q, 1);
      what->v = unpack (graph, q, 2);
      return TRUE;
    }
  if (k != NULL && k->type.rank == 5)
    {
      what->k = unpack (graph, k, 0);
      what->v = unpack (graph, k, 1);
      return TRUE;
    }
  if (k == NULL || v == NULL || q->type.rank != 3)
    return sonde_contrib_unsupported (
        error, "its operands must be q, k and v, or be packed with 5 dimensions");
  what->k = join_heads (graph, k);
  what->v = join_heads (graph, v);
  return TRUE;
}

static gboolean
add_projection_bias (SondeGraph *graph, SondeGraphValue *bias, SondeContribAttend *what,
                     GError **error)
{
  gint64 sizes[] = { size_of (what->q, 2), size_of (what->k, 2), size_of (what->v, 2) };
  SondeGraphValue *part = NULL;

  if (sizes[0] < 0 || sizes[1] < 0 || sizes[2] < 0)
    return sonde_contrib_unsupported (
        error, "the widths of its operands are not known, so the bias cannot be split");
  part = sonde_contrib_split (graph, bias, 0, sizes);
  what->q = emit (graph, "Add", what->q, part);
  what->k = emit (graph, "Add", what->k, sonde_contrib_output (graph, part, 1));
  what->v = emit (graph, "Add", what->v, sonde_contrib_output (graph, part, 2));
  return TRUE;
}

/* (q, k, v, bias, mask, attention bias, past k, past v, past length, beams) → y, present k, present
 * v, scores */
gboolean
sonde_contrib_multi_head_attention (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *bias = operand (node, 3), *mask = operand (node, 4), *y = NULL;
  gint64 heads = sonde_node_get_int (node, "num_heads", 1);
  SondeContribAttend what = {
    .bias = operand (node, 5),
    .past_k = operand (node, 6),
    .past_v = operand (node, 7),
    .heads = heads,
    .kv_heads = heads,
    .causal = sonde_node_get_int (node, "unidirectional", 0) != 0,
  };

  if (operand (node, 8) != NULL || operand (node, 9) != NULL
      || sonde_node_get_output (node, 3) != NULL)
    return sonde_contrib_unsupported (
        error, "shared caches, beam search and the output of scores are not implemented");
  if (!read_operands (graph, node, &what, error)
      || (bias != NULL && !add_projection_bias (graph, bias, &what, error))
      || (mask != NULL && !read_mask (graph, node, mask, &what, &what.bias, error)))
    return FALSE;
  y = sonde_contrib_attend (graph, node, &what);
  for (guint k = 1; k < 3; k++)
    if (sonde_node_get_output (node, k) != NULL)
      sonde_contrib_give (graph, node, k, sonde_contrib_output (graph, y, k));
  sonde_contrib_give (graph, node, 0, y);
  return TRUE;
}

/* ---- rotation ------------------------------------------------------------ */

SondeGraphValue *
sonde_contrib_rotate (SondeGraph *graph, SondeGraphValue *x, SondeGraphValue *cosines,
                      SondeGraphValue *sines, SondeGraphValue *positions, gint64 heads,
                      gboolean interleaved)
{
  SondeGraphValue *y = emit (graph, "RotaryEmbedding", x, cosines, sines,
                             sonde_contrib_cast (graph, positions, SONDE_DTYPE_I64));

  if (x->type.rank != 4)
    sonde_node_set_int (y->producer, "num_heads", heads);
  if (size_of (cosines, 1) > 0)
    sonde_node_set_int (y->producer, "rotary_embedding_dim", 2 * size_of (cosines, 1));
  return sonde_contrib_with_int (graph, y, "interleaved", interleaved);
}

/* Where the steps of @x stand: [B, S] is @positions itself; one number is where the first one of
 * each stands. */
static SondeGraphValue *
spread_positions (SondeGraph *graph, SondeGraphValue *x, SondeGraphValue *positions)
{
  const gint64 one[] = { 1 };
  gint64 step_axis = x->type.rank == 4 ? 2 : 1;
  SondeGraphValue *steps = NULL, *sizes = NULL, *batch = NULL;

  if (positions->type.rank != 1)
    return positions;
  steps = emit (graph, "Add",
                sonde_contrib_count_up (graph, sonde_contrib_size (graph, x, step_axis)),
                sonde_contrib_cast (graph, positions, SONDE_DTYPE_I64));
  batch = sonde_contrib_reshape (graph, sonde_contrib_size (graph, x, 0), 1, one);
  sizes = sonde_contrib_with_int (
      graph, emit (graph, "Concat", batch, sonde_build_ints (graph, one, 1)), "axis", 0);
  return emit (graph, "Expand", steps, sizes);
}

gboolean
sonde_contrib_rotary_embedding (SondeGraph *graph, SondeNode *node, int version, GError **error)
{
  SondeGraphValue *x = operand (node, 0), *positions = operand (node, 1);
  SondeGraphValue *cosines = operand (node, 2), *sines = operand (node, 3);
  gint64 heads = sonde_node_get_int (node, "num_heads", 0), width = size_of (cosines, 1);

  if (sonde_node_get_int (node, "is_packed_batching", 0) != 0
      || sonde_node_get_float (node, "scale", 1) != 1)
    return sonde_contrib_unsupported (error, "packed batches and scales are not implemented");
  if (heads < 1 && x->type.rank != 4)
    {
      if (x->type.rank != 3 || size_of (x, 2) < 0 || width < 1 || size_of (x, 2) % (2 * width) != 0)
        return sonde_contrib_unsupported (
            error, "the number of heads cannot be inferred from its operands");
      heads = size_of (x, 2) / (2 * width);
    }
  sonde_contrib_give (graph, node, 0,
                      sonde_contrib_rotate (graph, x, cosines, sines,
                                            spread_positions (graph, x, positions), heads,
                                            sonde_node_get_int (node, "interleaved", 0) != 0));
  return TRUE;
}
