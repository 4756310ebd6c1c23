/* SPDX-License-Identifier: Apache-2.0
 * LinearAttention: sizes of its operands, what is wrong with them, and types of its results. For the
 * operator and its gradient. */
#include "engine/ops/nn/sonde-linear-attention-private.h"

static gboolean
divide (const SondeType *type, gint64 heads, gint64 *width, GError **error)
{
  gint64 size = type->dims[2].size;

  if (size >= 0 && size % heads != 0)
    return sonde_infer_fail (error, "%" PRIi64 " heads cannot share a width of %" PRIi64, heads,
                             size);
  if (size >= 0 && *width >= 0 && size / heads != *width)
    return sonde_infer_fail (error,
                             "heads of queries and keys have widths %" PRIi64 " and %" PRIi64,
                             *width, size / heads);
  *width = size >= 0 ? size / heads : *width;
  return TRUE;
}

static gboolean
read_sizes (SondeLinearSizes *sizes, const SondeNode *node, const SondeType *const types[3],
            GError **error)
{
  const char *rule = sonde_node_get_string (node, "update_rule", "gated_delta");

  *sizes = (SondeLinearSizes){ .gated = g_str_has_prefix (rule, "gated"),
                               .delta = g_str_has_suffix (rule, "delta"),
                               .width = -1,
                               .v_width = -1 };
  sizes->q_heads = sonde_node_get_int (node, "q_num_heads", 0);
  sizes->kv_heads = sonde_node_get_int (node, "kv_num_heads", 0);
  if (sizes->q_heads < 1 || sizes->q_heads > G_MAXINT32 || sizes->kv_heads < 1
      || sizes->q_heads % sizes->kv_heads != 0)
    return sonde_infer_fail (error, "%" PRIi64 " heads of queries cannot share %" PRIi64 " of keys",
                             sizes->q_heads, sizes->kv_heads);
  for (int k = 0; k < 3; k++)
    if (types[k]->rank != 3)
      return sonde_infer_fail (error, "input %d must be [B, T, H·D], but has %d dimensions", k,
                               types[k]->rank);
  sizes->batch = types[0]->dims[0].size;
  sizes->steps = types[0]->dims[1].size;
  return divide (types[0], sizes->q_heads, &sizes->width, error)
         && divide (types[1], sizes->kv_heads, &sizes->width, error)
         && divide (types[2], sizes->kv_heads, &sizes->v_width, error);
}

/* Decay and beta are there if and only if the rule has them; their last size is one of two. */
static gboolean
check_gate (const SondeInferContext *context, const SondeLinearSizes *sizes, guint k,
            gboolean wanted, gint64 wide, gint64 narrow, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);
  gint64 want[] = { sizes->batch, sizes->steps, -1 };

  if ((type != NULL) != wanted)
    return wanted ? sonde_infer_fail (error, "the update rule needs input %u", k)
                  : sonde_infer_fail (error, "the update rule does not take input %u", k);
  if (!sonde_infer_need_sizes (context, k, 3, want, error))
    return FALSE;
  if (type != NULL && type->rank == 3 && type->dims[2].size >= 0 && wide >= 0
      && type->dims[2].size != wide && type->dims[2].size != narrow)
    return sonde_infer_fail (
        error, "input %u has a last size of %" PRIi64 ", but it must be %" PRIi64 " or %" PRIi64, k,
        type->dims[2].size, wide, narrow);
  return TRUE;
}

static gboolean
check_operands (const SondeInferContext *context, const SondeLinearSizes *s, GError **error)
{
  gint64 steps[] = { s->batch, s->steps, -1 };
  gint64 state[] = { s->batch, s->kv_heads, s->width, s->v_width };
  gint64 wide = s->width >= 0 && s->width < G_MAXINT32 ? s->kv_heads * s->width : -1;

  return sonde_infer_need_sizes (context, SONDE_LINEAR_K, 3, steps, error)
         && sonde_infer_need_sizes (context, SONDE_LINEAR_V, 3, steps, error)
         && sonde_infer_need_sizes (context, SONDE_LINEAR_PAST, 4, state, error)
         && sonde_infer_need_float (context, SONDE_LINEAR_PAST, error)
         && check_gate (context, s, SONDE_LINEAR_DECAY, s->gated, wide, s->kv_heads, error)
         && check_gate (context, s, SONDE_LINEAR_BETA, s->delta, s->kv_heads, 1, error);
}

gboolean
sonde_linear_infer (SondeInferContext *context, GError **error)
{
  const SondeType *types[] = { &context->inputs[0], &context->inputs[1], &context->inputs[2] };
  const SondeType *past = sonde_infer_input (context, SONDE_LINEAR_PAST);
  SondeLinearSizes s;

  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_same (context, 0, 2, error)
      || !sonde_infer_need_float (context, SONDE_LINEAR_DECAY, error)
      || !sonde_infer_need_float (context, SONDE_LINEAR_BETA, error))
    return FALSE;
  if (!sonde_infer_ready (context, 3))
    return TRUE;
  if (!read_sizes (&s, context->node, types, error) || !check_operands (context, &s, error))
    return FALSE;
  context->outputs[0] = *types[0];
  context->outputs[0].dims[2]
      = sonde_dimension (s.v_width >= 0 && s.v_width < G_MAXINT32 ? s.q_heads * s.v_width : -1);
  if (context->n_outputs > 1)
    {
      gint64 state[] = { s.batch, s.kv_heads, s.width, s.v_width };

      context->outputs[1] = sonde_infer_type (past != NULL ? past->dtype : types[0]->dtype, 4);
      for (int d = 0; d < 4; d++)
        context->outputs[1].dims[d].size = state[d];
    }
  return TRUE;
}

void
sonde_linear_sizes_init (SondeLinearSizes *sizes, const SondeKernelContext *context)
{
  SondeType types[3];
  const SondeType *pointers[] = { &types[0], &types[1], &types[2] };

  for (guint k = 0; k < 3; k++)
    types[k] = sonde_type_tensor (context->inputs[k]->dtype, &context->inputs[k]->shape);
  (void) read_sizes (sizes, context->node, pointers, NULL);
}
