/* SPDX-License-Identifier: Apache-2.0
 * Attention: what its operands must be, and what follows from their types. */
#include "engine/ops/nn/sonde-attention-private.h"

/* ---- sizes --------------------------------------------------------------- */

/* Size of dimension @d of @type, divided by @parts. */
static gboolean
divide_size (const SondeType *type, int d, gint64 parts, const char *what, gint64 *result,
             GError **error)
{
  gint64 size = type->dims[d].size;

  if (size >= 0 && size % parts != 0)
    return sonde_infer_fail (
        error, "%s has width %" PRIi64 ", which %" PRIi64 " heads cannot share", what, size, parts);
  *result = size < 0 ? -1 : size / parts;
  return TRUE;
}

static gboolean
join (gint64 *size, gint64 other, const char *what, GError **error)
{
  if (*size >= 0 && other >= 0 && *size != other)
    return sonde_infer_fail (error, "%-s differ: %" PRIi64 " and %" PRIi64, what, *size, other);
  *size = MAX (*size, other);
  return TRUE;
}

static gboolean
read_packed (SondeAttentionSizes *sizes, const SondeNode *node, const SondeType *q,
             const SondeType *k, const SondeType *v, GError **error)
{
  gint64 k_width = -1;

  sizes->q_heads = sonde_node_get_int (node, "q_num_heads", 0);
  sizes->kv_heads = sonde_node_get_int (node, "kv_num_heads", 0);
  sizes->queries = q->dims[1].size;
  sizes->keys = k->dims[1].size;
  if (sizes->q_heads < 1 || sizes->q_heads > G_MAXINT32 || sizes->kv_heads < 1)
    return sonde_infer_fail (error,
                             "operands of three dimensions need q_num_heads and kv_num_heads");
  return divide_size (q, 2, sizes->q_heads, "q", &sizes->width, error)
         && divide_size (k, 2, sizes->kv_heads, "k", &k_width, error)
         && divide_size (v, 2, sizes->kv_heads, "v", &sizes->v_width, error)
         && join (&sizes->width, k_width, N_ ("the widths of heads of q and k"), error)
         && join (&sizes->keys, v->dims[1].size, N_ ("the lengths of k and v"), error);
}

static gboolean
read_plain (SondeAttentionSizes *sizes, const SondeType *q, const SondeType *k, const SondeType *v,
            GError **error)
{
  sizes->q_heads = q->dims[1].size;
  sizes->kv_heads = k->dims[1].size;
  sizes->queries = q->dims[2].size;
  sizes->keys = k->dims[2].size;
  sizes->width = q->dims[3].size;
  sizes->v_width = v->dims[3].size;
  return join (&sizes->width, k->dims[3].size, N_ ("the widths of heads of q and k"), error)
         && join (&sizes->kv_heads, v->dims[1].size, N_ ("the heads of k and v"), error)
         && join (&sizes->keys, v->dims[2].size, N_ ("the lengths of k and v"), error);
}

gboolean
sonde_attention_read_sizes (SondeAttentionSizes *sizes, const SondeNode *node,
                            const SondeType *const types[3], const SondeType *past, GError **error)
{
  const SondeType *q = types[0], *k = types[1], *v = types[2];

  *sizes = (SondeAttentionSizes){ .packed = q->rank == 3 };
  if ((q->rank != 3 && q->rank != 4) || k->rank != q->rank || v->rank != q->rank)
    return sonde_infer_fail (
        error, "q, k and v must all have 3 or all have 4 dimensions, but have %d, %d and %d",
        q->rank, k->rank, v->rank);
  sizes->batch = q->dims[0].size;
  if (!(sizes->packed ? read_packed (sizes, node, q, k, v, error)
                      : read_plain (sizes, q, k, v, error))
      || !join (&sizes->batch, k->dims[0].size, N_ ("the batches of q and k"), error)
      || !join (&sizes->batch, v->dims[0].size, N_ ("the batches of q and v"), error))
    return FALSE;
  if (sizes->kv_heads == 0
      || (sizes->kv_heads > 0 && sizes->q_heads >= 0 && sizes->q_heads % sizes->kv_heads != 0))
    return sonde_infer_fail (error,
                             "%" PRIi64 " heads of q cannot share %" PRIi64 " heads of k and v",
                             sizes->q_heads, sizes->kv_heads);
  sizes->past = past != NULL ? past->dims[2].size : 0;
  if (sizes->past > G_MAXINT64 / 4 || sizes->keys > G_MAXINT64 / 4)
    return sonde_infer_fail (error, "has more keys than can be counted");
  sizes->total = sizes->past >= 0 && sizes->keys >= 0 ? sizes->past + sizes->keys : -1;
  return TRUE;
}

/* ---- shapes -------------------------------------------------------------- */

/* The mask broadcasts to [B, Hq, L, T]; its last dimension may be shorter than T. */
static gboolean
check_mask (const SondeInferContext *context, const SondeAttentionSizes *sizes, GError **error)
{
  const SondeType *mask = sonde_infer_input (context, SONDE_ATTENTION_MASK);
  gint64 want[] = { sizes->batch, sizes->q_heads, sizes->queries, sizes->total };

  if (mask == NULL || mask->rank < 0)
    return TRUE;
  if (mask->rank < 1 || mask->rank > 4)
    return sonde_infer_fail (error, "the mask must have 1 to 4 dimensions, but has %d", mask->rank);
  for (int d = 0; d < mask->rank; d++)
    {
      gint64 have = mask->dims[d].size, most = want[4 - mask->rank + d];
      gboolean last = d == mask->rank - 1;

      if (have >= 0 && most >= 0 && (last ? have > most : have != most && have != 1))
        return sonde_infer_fail (
            error, "the mask has size %" PRIi64 " in dimension %d, but the scores %" PRIi64, have,
            d, most);
    }
  if (mask->dtype == SONDE_DTYPE_STRING)
    return sonde_infer_fail (error, "the mask is string, but must be bool or a number");
  return TRUE;
}

static gboolean
check_cache (const SondeInferContext *context, const SondeAttentionSizes *sizes, GError **error)
{
  gint64 past_k[] = { sizes->batch, sizes->kv_heads, -1, sizes->width };
  gint64 past_v[] = { sizes->batch, sizes->kv_heads, sizes->past, sizes->v_width };
  const SondeType *lengths = sonde_infer_input (context, SONDE_ATTENTION_LENGTHS);
  gboolean has_past = sonde_infer_input (context, SONDE_ATTENTION_PAST_K) != NULL;

  if (has_past != (sonde_infer_input (context, SONDE_ATTENTION_PAST_V) != NULL))
    return sonde_infer_fail (error, "past_key and past_value must be there together");
  if (has_past && lengths != NULL)
    return sonde_infer_fail (error, "nonpad_kv_seqlen does not go with past keys");
  if (lengths != NULL && lengths->dtype != SONDE_DTYPE_INVALID && lengths->dtype != SONDE_DTYPE_I64)
    return sonde_infer_fail (error, "nonpad_kv_seqlen is %s, but must be int64",
                             sonde_dtype_name (lengths->dtype));
  return sonde_infer_need_sizes (context, SONDE_ATTENTION_PAST_K, 4, past_k, error)
         && sonde_infer_need_sizes (context, SONDE_ATTENTION_PAST_V, 4, past_v, error)
         && sonde_infer_need_sizes (context, SONDE_ATTENTION_LENGTHS, 1, &sizes->batch, error);
}

/* q, k and past keys have one element type, v and past values another. */
static gboolean
check_types (const SondeInferContext *context, GError **error)
{
  static const guint pairs[][2] = {
    { SONDE_ATTENTION_Q, SONDE_ATTENTION_K },
    { SONDE_ATTENTION_Q, SONDE_ATTENTION_PAST_K },
    { SONDE_ATTENTION_V, SONDE_ATTENTION_PAST_V },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (pairs); i++)
    {
      const SondeType *a = sonde_infer_input (context, pairs[i][0]),
                      *b = sonde_infer_input (context, pairs[i][1]);

      if (a != NULL && b != NULL && a->dtype != SONDE_DTYPE_INVALID
          && b->dtype != SONDE_DTYPE_INVALID && a->dtype != b->dtype)
        return sonde_infer_fail (error, "input %u is %s, but input %u is %s: insert a Cast",
                                 pairs[i][1], sonde_dtype_name (b->dtype), pairs[i][0],
                                 sonde_dtype_name (a->dtype));
    }
  return sonde_infer_need_float (context, SONDE_ATTENTION_Q, error)
         && sonde_infer_need_float (context, SONDE_ATTENTION_V, error);
}

static SondeType
type_of_four (SondeDtype dtype, gint64 a, gint64 b, gint64 c, gint64 d)
{
  SondeType type = sonde_infer_type (dtype, 4);
  gint64 sizes[] = { a, b, c, d };

  for (int i = 0; i < 4; i++)
    type.dims[i].size = sizes[i];
  return type;
}

static void
set_outputs (SondeInferContext *context, const SondeAttentionSizes *s)
{
  SondeDtype dtype = context->inputs[SONDE_ATTENTION_Q].dtype;
  SondeType outputs[] = {
    type_of_four (dtype, s->batch, s->q_heads, s->queries, s->v_width),
    type_of_four (dtype, s->batch, s->kv_heads, s->total, s->width),
    type_of_four (context->inputs[SONDE_ATTENTION_V].dtype, s->batch, s->kv_heads, s->total,
                  s->v_width),
    type_of_four (dtype, s->batch, s->q_heads, s->queries, s->total),
  };

  if (s->packed)
    {
      outputs[0] = context->inputs[SONDE_ATTENTION_Q];
      outputs[0].dims[2] = sonde_dimension (-1);
      if (s->v_width >= 0 && s->q_heads <= G_MAXINT64 / MAX (s->v_width, 1))
        outputs[0].dims[2].size = s->q_heads * s->v_width;
    }
  for (guint k = 0; k < context->n_outputs; k++)
    context->outputs[k] = outputs[k];
}

gboolean
sonde_attention_infer (SondeInferContext *context, GError **error)
{
  const SondeType *types[] = { &context->inputs[0], &context->inputs[1], &context->inputs[2] };
  const SondeType *past = sonde_infer_input (context, SONDE_ATTENTION_PAST_K);
  SondeAttentionSizes sizes;

  if (!check_types (context, error)
      || !sonde_infer_need_rank (context, SONDE_ATTENTION_PAST_K, 4, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3) || (past != NULL && past->rank != 4))
    return TRUE;
  if (!sonde_attention_read_sizes (&sizes, context->node, types, past, error)
      || !check_mask (context, &sizes, error) || !check_cache (context, &sizes, error))
    return FALSE;
  set_outputs (context, &sizes);
  return TRUE;
}

/* ---- cost ---------------------------------------------------------------- */

void
sonde_attention_cost (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *types[] = { &context->inputs[0], &context->inputs[1], &context->inputs[2] };
  const SondeType *past = sonde_infer_input (context, SONDE_ATTENTION_PAST_K);
  SondeAttentionSizes s;

  if (!sonde_infer_ready (context, 3) || (past != NULL && past->rank != 4)
      || !sonde_attention_read_sizes (&s, context->node, types, past, NULL) || s.batch < 0
      || s.q_heads < 0 || s.queries < 0 || s.total < 0 || s.width < 0 || s.v_width < 0)
    return;
  cost->flops = 2.0 * (double) s.batch * (double) s.q_heads * (double) s.queries * (double) s.total
                * ((double) s.width + (double) s.v_width);
}
