/* SPDX-License-Identifier: Apache-2.0
 * LinearAttention (opset 27): a state S [d_k, d_v] of each head that is written and read once a
 * step, in float64. With g = exp (decay) where the rule has one: S ← g·S; u = v, or β·(v − Sᵀk) for
 * the delta rules; S ← S + k·uᵀ; y = scale·Sᵀq. Heads of queries share those of keys in runs, as in
 * Attention. */
#include "engine/ops/nn/sonde-linear-attention-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

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

/* One head of one sample: @state [width, v_width]; @scratch: 2·width + 2·v_width elements */
static void
run_head (const SondeKernelContext *context, const SondeLinearSizes *s, gint64 batch, gint64 head,
          double scale, double *state, double *scratch)
{
  SondeTensor *const *in = context->inputs;
  SondeTensor *decay = sonde_kernel_input (context, SONDE_LINEAR_DECAY),
              *beta = sonde_kernel_input (context, SONDE_LINEAR_BETA);
  gint64 n_decay = decay != NULL ? decay->shape.dims[2] / s->kv_heads : 0,
         share = s->q_heads / s->kv_heads;
  double *k = scratch, *other = k + s->width, *v = other + s->width, *result = v + s->v_width;

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

/* An item is one head of keys of one sample. */
static void
compute_heads (const SondeKernelContext *context, gint64 begin, gint64 end)
{
  SondeTensor *past = sonde_kernel_input (context, SONDE_LINEAR_PAST);
  g_autofree double *state = NULL, *scratch = NULL;
  double scale = sonde_node_get_float (context->node, "scale", 0);
  SondeLinearSizes s;

  sonde_linear_sizes_init (&s, context);
  if (scale == 0)
    scale = 1 / sqrt ((double) s.width);
  state = g_new (double, s.width *s.v_width + 1);
  scratch = g_new (double, 2 * (s.width + s.v_width) + 1);
  for (gint64 i = begin; i < end; i++)
    {
      gint64 n = s.width * s.v_width;

      if (past != NULL)
        sonde_kernel_load (past, i * n, n, state);
      else
        memset (state, 0, sizeof (double) * (gsize) n);
      run_head (context, &s, i / s.kv_heads, i % s.kv_heads, scale, state, scratch);
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
