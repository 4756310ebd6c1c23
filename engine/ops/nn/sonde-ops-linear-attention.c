/* SPDX-License-Identifier: Apache-2.0
 * LinearAttention (opset 27): a state S [d_k, d_v] of each head that is written and read once a
 * step, in float64. With g = exp (decay) where the rule has one: S ← g·S; u = v, or β·(v − Sᵀk) for
 * the delta rules; S ← S + k·uᵀ; y = scale·Sᵀq. Heads of queries share those of keys in runs, as in
 * Attention. */
#include "engine/ops/nn/sonde-linear-attention-private.h"
#include "engine/ops/sonde-op-dependency-private.h"

#include <math.h>
#include <string.h>

/* ---- shapes -------------------------------------------------------------- */

static gboolean
divide (const SondeType *type, gint64 heads, gint64 *width, GError **error)
{
  gint64 size = type->dims[2].size;

  if (size >= 0 && size % heads != 0)
    return sonde_infer_fail (
        error, "%" G_GINT64_FORMAT " heads cannot share a width of %" G_GINT64_FORMAT, heads, size);
  if (size >= 0 && *width >= 0 && size / heads != *width)
    return sonde_infer_fail (
        error, "heads of queries and keys have widths %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT,
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
    return sonde_infer_fail (
        error, "%" G_GINT64_FORMAT " heads of queries cannot share %" G_GINT64_FORMAT " of keys",
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
    return sonde_infer_fail (error, "the update rule %s input %u",
                             wanted ? "needs" : "does not take", k);
  if (!sonde_infer_need_sizes (context, k, 3, want, error))
    return FALSE;
  if (type != NULL && type->rank == 3 && type->dims[2].size >= 0 && wide >= 0
      && type->dims[2].size != wide && type->dims[2].size != narrow)
    return sonde_infer_fail (error,
                             "input %u has a last size of %" G_GINT64_FORMAT
                             ", but it must be %" G_GINT64_FORMAT " or %" G_GINT64_FORMAT,
                             k, type->dims[2].size, wide, narrow);
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

/* ---- kernel -------------------------------------------------------------- */

/* S ← g·S, row by row. @n_decay: sizes->width factors, or one for all */
static void
fade (double *state, const SondeLinearSizes *sizes, const double *decay, gint64 n_decay)
{
  for (gint64 i = 0; i < sizes->width; i++)
    {
      double factor = exp (decay[n_decay == 1 ? 0 : i]);

      for (gint64 j = 0; j < sizes->v_width; j++)
        state[i * sizes->v_width + j] *= factor;
    }
}

/* to[j] += factor·Σ_i v[i]·S[i, j] */
static void
read_state (const double *state, const SondeLinearSizes *sizes, const double *v, double factor,
            double *to)
{
  for (gint64 i = 0; i < sizes->width; i++)
    for (gint64 j = 0; j < sizes->v_width; j++)
      to[j] += factor * v[i] * state[i * sizes->v_width + j];
}

/* One head of one sample: @state [width, v_width]; @room: 2·width + 2·v_width elements */
static void
run_head (const SondeKernelContext *context, const SondeLinearSizes *s, gint64 batch, gint64 head,
          double scale, double *state, double *room)
{
  SondeTensor *const *in = context->inputs;
  SondeTensor *decay = sonde_kernel_input (context, SONDE_LINEAR_DECAY),
              *beta = sonde_kernel_input (context, SONDE_LINEAR_BETA);
  gint64 n_decay = decay != NULL ? decay->shape.dims[2] / s->kv_heads : 0,
         share = s->q_heads / s->kv_heads;
  double *k = room, *other = k + s->width, *v = other + s->width, *result = v + s->v_width;

  for (gint64 at = batch * s->steps; at < (batch + 1) * s->steps; at++)
    {
      sonde_kernel_load (in[SONDE_LINEAR_K], (at * s->kv_heads + head) * s->width, s->width, k);
      sonde_kernel_load (in[SONDE_LINEAR_V], (at * s->kv_heads + head) * s->v_width, s->v_width, v);
      if (s->gated)
        {
          sonde_kernel_load (decay, (at * s->kv_heads + head) * n_decay, n_decay, other);
          fade (state, s, other, n_decay);
        }
      if (s->delta)
        {
          gint64 n_beta = beta->shape.dims[2];
          double rate = sonde_tensor_get_double (beta, at * n_beta + (n_beta == 1 ? 0 : head));

          read_state (state, s, k, -1, v);
          for (gint64 j = 0; j < s->v_width; j++)
            v[j] *= rate;
        }
      for (gint64 i = 0; i < s->width; i++)
        for (gint64 j = 0; j < s->v_width; j++)
          state[i * s->v_width + j] += k[i] * v[j];
      for (gint64 q = head * share; q < (head + 1) * share; q++)
        {
          sonde_kernel_load (in[SONDE_LINEAR_Q], (at * s->q_heads + q) * s->width, s->width, other);
          memset (result, 0, sizeof (double) * (gsize) s->v_width);
          read_state (state, s, other, scale, result);
          sonde_kernel_store (result, s->v_width, context->outputs[0],
                              (at * s->q_heads + q) * s->v_width);
        }
    }
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

/* An item is one head of keys of one sample. */
static void
compute_heads (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *past = sonde_kernel_input (context, SONDE_LINEAR_PAST);
  g_autofree double *state = NULL, *room = NULL;
  double scale = sonde_node_get_float (context->node, "scale", 0);
  SondeLinearSizes s;

  sonde_linear_sizes_init (&s, context);
  if (scale == 0)
    scale = 1 / sqrt ((double) s.width);
  state = g_new (double, s.width *s.v_width + 1);
  room = g_new (double, 2 * (s.width + s.v_width) + 1);
  for (gint64 i = begin; i < end; i++)
    {
      gint64 n = s.width * s.v_width;

      if (past != NULL)
        sonde_kernel_load (past, i * n, n, state);
      else
        memset (state, 0, sizeof (double) * (gsize) n);
      run_head (context, &s, i / s.kv_heads, i % s.kv_heads, scale, state, room);
      sonde_kernel_store (state, n, sonde_kernel_output (context, 1), i * n);
    }
}

static gint64
count_heads (const SondeKernelContext *context, gint64 *cost)
{
  const SondeShape *k = &context->inputs[SONDE_LINEAR_K]->shape;
  gint64 heads = sonde_node_get_int (context->node, "kv_num_heads", 1), width = k->dims[2] / heads;

  *cost = k->dims[1] * width * width;
  return k->dims[0] * heads;
}

static void
compute_linear (const SondeKernelContext *context)
{
  gint64 cost;

  compute_heads (context, 0, count_heads (context, &cost));
}

static const char *const update_rules[] = { "linear", "gated", "delta", "gated_delta", NULL };
const SondeAttributeRule sonde_linear_rules[] = {
  { "chunk_size", SONDE_ATTRIBUTE_INT },
  { "kv_num_heads", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT32 },
  { "q_num_heads", SONDE_ATTRIBUTE_INT, TRUE, 1, G_MAXINT32 },
  { "scale", SONDE_ATTRIBUTE_FLOAT },
  { "update_rule", SONDE_ATTRIBUTE_STRING, .choices = update_rules },
  { NULL },
};

const SondeOpClass sonde_ops_linear_attention[] = {
  {
      .domain = "",
      .name = "LinearAttention",
      .since = 27,
      .min_inputs = 3,
      .max_inputs = 6,
      .min_outputs = 1,
      .max_outputs = 2,
      .family = SONDE_FAMILY_MATRIX,
      .attributes = sonde_linear_rules,
      .infer = sonde_linear_infer,
      .compute = compute_linear,
      .gradient = sonde_linear_gradient,
      .count_parts = count_heads,
      .compute_part = compute_heads,
      .reach = { sonde_reach_leading, 1 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
