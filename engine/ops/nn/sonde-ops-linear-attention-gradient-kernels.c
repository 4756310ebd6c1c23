/* SPDX-License-Identifier: Apache-2.0
 * The gradient of LinearAttention: the states run once more and are kept, then the recurrence goes
 * backwards in float64. With S the state before a step, F = g·S the faded one, u what is written,
 * S' = F + k·uᵀ:
 *   dS' += scale·q·dyᵀ, dq = scale·S'·dy; dk = dS'·u, du = dS'ᵀ·k; dF = dS'
 *   delta rules, u = β·(v − Fᵀk): dβ = du·(v − Fᵀk), e = β·du, dv = e, dk −= F·e, dF −= k·eᵀ
 *   dS = g·dF, ddecay = g·Σ dF·S over what the factor fades */
#include "engine/ops/nn/sonde-linear-attention-private.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

/* (q, k, v, past?, decay?, beta?, dy?, dstate?) → dq, dk, dv, dpast?, ddecay?, dbeta? */
enum
{
  INPUT_DY = SONDE_LINEAR_INPUTS,
  INPUT_DSTATE,
  N_INPUTS,
};

static gboolean
infer_grad (SondeInferContext *context, GError **error)
{
  SondeInferContext forward = *context;
  SondeType results[2] = { { .kind = SONDE_VALUE_NONE } };

  forward.n_inputs = MIN (context->n_inputs, SONDE_LINEAR_INPUTS);
  forward.n_outputs = G_N_ELEMENTS (results);
  forward.outputs = results;
  if (!sonde_linear_infer (&forward, error))
    return FALSE;
  for (guint k = 0; k < G_N_ELEMENTS (results); k++)
    {
      const SondeType *gradient = sonde_infer_input (context, INPUT_DY + k);

      if (gradient != NULL && results[k].kind != SONDE_VALUE_NONE
          && (!sonde_infer_need_float (context, INPUT_DY + k, error)
              || !sonde_infer_need_shape (gradient, &results[k], N_ ("the gradient"), error)))
        return FALSE;
    }
  for (guint k = 0; k < context->n_outputs && k < SONDE_LINEAR_INPUTS; k++)
    {
      const SondeType *operand = sonde_infer_input (context, k);

      if (operand == NULL && context->node->outputs->pdata[k] != NULL)
        return sonde_infer_fail (error, "has output %u, but not the operand that it is for", k);
      if (operand != NULL)
        context->outputs[k] = *operand;
    }
  return TRUE;
}

/* Operands and sums of the whole node as doubles (NULL where absent), and one head's scratch memory. @states:
 * before each step, [steps, width, v_width]; @ds: of the state that runs; @errors, @written: v −
 * Fᵀk and u */
typedef struct
{
  SondeLinearSizes s;
  double scale;
  gint64 n_decay, n_beta; /* numbers a head's step has, and a step */
  double *in[SONDE_LINEAR_INPUTS], *out[SONDE_LINEAR_INPUTS], *dy, *dstate;
  double *states, *faded, *ds, *errors, *written, *du;
} Back;

static void
back_clear (Back *back)
{
  double *owned[] = { back->dy, back->dstate, back->states,  back->faded,
                      back->ds, back->errors, back->written, back->du };

  for (guint k = 0; k < SONDE_LINEAR_INPUTS; k++)
    {
      g_free (back->in[k]);
      g_free (back->out[k]);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (owned); i++)
    g_free (owned[i]);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Back, back_clear)

static void
back_init (Back *back, const SondeKernelContext *context)
{
  SondeTensor *dy = sonde_kernel_input (context, INPUT_DY),
              *dstate = sonde_kernel_input (context, INPUT_DSTATE);
  gint64 n;

  sonde_linear_sizes_init (&back->s, context);
  back->scale = sonde_node_get_float (context->node, "scale", 0);
  if (back->scale == 0)
    back->scale = 1 / sqrt ((double) back->s.width);
  for (guint k = 0; k < SONDE_LINEAR_INPUTS; k++)
    if (sonde_kernel_input (context, k) != NULL)
      {
        back->in[k] = sonde_kernel_doubles (context->inputs[k]);
        back->out[k] = g_new0 (double, sonde_tensor_n_elements (context->inputs[k]) + 1);
      }
  back->n_decay
      = back->s.gated ? context->inputs[SONDE_LINEAR_DECAY]->shape.dims[2] / back->s.kv_heads : 0;
  back->n_beta = back->s.delta ? context->inputs[SONDE_LINEAR_BETA]->shape.dims[2] : 0;
  back->dy = dy ? sonde_kernel_doubles (dy) : NULL;
  back->dstate = dstate ? sonde_kernel_doubles (dstate) : NULL;
  n = back->s.width * back->s.v_width;
  back->states = g_new (double, (back->s.steps + 1) * n + 1);
  back->faded = g_new (double, n + 1);
  back->ds = g_new (double, n + 1);
  back->errors = g_new (double, back->s.v_width + 1);
  back->written = g_new (double, back->s.v_width + 1);
  back->du = g_new (double, back->s.v_width + 1);
}

/* exp (decay) of row @i; 1 without */
static double
fading (const Back *back, gint64 at, gint64 head, gint64 i)
{
  if (!back->s.gated)
    return 1;
  return exp (back->in[SONDE_LINEAR_DECAY][(at * back->s.kv_heads + head) * back->n_decay
                                           + (back->n_decay == 1 ? 0 : i)]);
}

static gint64
beta_index (const Back *back, gint64 at, gint64 head)
{
  return at * back->n_beta + (back->n_beta == 1 ? 0 : head);
}

/* From the state before the step: faded state, error and what is written. */
static void
begin_step (Back *back, const double *state, gint64 at, gint64 head)
{
  const SondeLinearSizes *s = &back->s;
  const double *k = back->in[SONDE_LINEAR_K] + (at * s->kv_heads + head) * s->width;
  const double *v = back->in[SONDE_LINEAR_V] + (at * s->kv_heads + head) * s->v_width;
  const double rate = s->delta ? back->in[SONDE_LINEAR_BETA][beta_index (back, at, head)] : 1;

  memcpy (back->errors, v, sizeof (double) * (gsize) s->v_width);
  for (gint64 i = 0; i < s->width; i++)
    {
      const double factor = fading (back, at, head, i);

      for (gint64 j = 0; j < s->v_width; j++)
        {
          back->faded[i * s->v_width + j] = factor * state[i * s->v_width + j];
          back->errors[j] -= s->delta ? k[i] * back->faded[i * s->v_width + j] : 0;
        }
    }
  for (gint64 j = 0; j < s->v_width; j++)
    back->written[j] = rate * back->errors[j];
}

static void
run_forward (Back *back, gint64 batch, gint64 head)
{
  const SondeLinearSizes *s = &back->s;
  const gint64 n = s->width * s->v_width;
  const double *past = back->in[SONDE_LINEAR_PAST];

  memset (back->states, 0, sizeof (double) * (gsize) n);
  if (past != NULL)
    memcpy (back->states, past + (batch * s->kv_heads + head) * n, sizeof (double) * (gsize) n);
  for (gint64 t = 0; t < s->steps; t++)
    {
      const gint64 at = batch * s->steps + t;
      const double *k = back->in[SONDE_LINEAR_K] + (at * s->kv_heads + head) * s->width;

      begin_step (back, back->states + t * n, at, head);
      for (gint64 i = 0; i < n; i++)
        back->states[(t + 1) * n + i]
            = back->faded[i] + k[i / s->v_width] * back->written[i % s->v_width];
    }
}

/* What was read from the state after the step, by all heads of queries that share it. */
static void
back_reads (Back *back, const double *state, gint64 at, gint64 head)
{
  const SondeLinearSizes *s = &back->s;
  const gint64 share = s->q_heads / s->kv_heads;

  for (gint64 h = head * share; h < (head + 1) * share && back->dy != NULL; h++)
    {
      const double *q = back->in[SONDE_LINEAR_Q] + (at * s->q_heads + h) * s->width;
      const double *dy = back->dy + (at * s->q_heads + h) * s->v_width;
      double *dq = back->out[SONDE_LINEAR_Q] + (at * s->q_heads + h) * s->width;

      for (gint64 i = 0; i < s->width * s->v_width; i++)
        {
          dq[i / s->v_width] += back->scale * state[i] * dy[i % s->v_width];
          back->ds[i] += back->scale * q[i / s->v_width] * dy[i % s->v_width];
        }
    }
}

/* What was written: du, and for the delta rules back to value, rate and the faded state. */
static void
back_writes (Back *back, gint64 at, gint64 head)
{
  const SondeLinearSizes *s = &back->s;
  const gint64 step = at * s->kv_heads + head;
  const double *k = back->in[SONDE_LINEAR_K] + step * s->width;
  double *dk = back->out[SONDE_LINEAR_K] + step * s->width,
         *dv = back->out[SONDE_LINEAR_V] + step * s->v_width;
  const double rate = s->delta ? back->in[SONDE_LINEAR_BETA][beta_index (back, at, head)] : 1;

  memset (back->du, 0, sizeof (double) * (gsize) s->v_width);
  for (gint64 i = 0; i < s->width * s->v_width; i++)
    {
      dk[i / s->v_width] += back->ds[i] * back->written[i % s->v_width];
      back->du[i % s->v_width] += back->ds[i] * k[i / s->v_width];
    }
  for (gint64 j = 0; j < s->v_width; j++)
    {
      if (s->delta)
        back->out[SONDE_LINEAR_BETA][beta_index (back, at, head)] += back->du[j] * back->errors[j];
      back->du[j] *= rate;
      dv[j] += back->du[j];
    }
  for (gint64 i = 0; i < s->width * s->v_width && s->delta; i++)
    {
      dk[i / s->v_width] -= back->faded[i] * back->du[i % s->v_width];
      back->ds[i] -= k[i / s->v_width] * back->du[i % s->v_width];
    }
}

/* dF in back->ds becomes dS. */
static void
back_fade (Back *back, const double *state, gint64 at, gint64 head)
{
  const SondeLinearSizes *s = &back->s;

  for (gint64 i = 0; i < s->width && s->gated; i++)
    {
      const double factor = fading (back, at, head, i);
      const gint64 which = (at * s->kv_heads + head) * back->n_decay + (back->n_decay == 1 ? 0 : i);
      double sum = 0;

      for (gint64 j = 0; j < s->v_width; j++)
        {
          sum += back->ds[i * s->v_width + j] * state[i * s->v_width + j];
          back->ds[i * s->v_width + j] *= factor;
        }
      back->out[SONDE_LINEAR_DECAY][which] += factor * sum;
    }
}

static void
run_backward (Back *back, gint64 batch, gint64 head)
{
  const SondeLinearSizes *s = &back->s;
  const gint64 n = s->width * s->v_width, block = (batch * s->kv_heads + head) * n;

  memset (back->ds, 0, sizeof (double) * (gsize) n);
  if (back->dstate != NULL)
    memcpy (back->ds, back->dstate + block, sizeof (double) * (gsize) n);
  for (gint64 t = s->steps; t-- > 0;)
    {
      const gint64 at = batch * s->steps + t;

      begin_step (back, back->states + t * n, at, head);
      back_reads (back, back->states + (t + 1) * n, at, head);
      back_writes (back, at, head);
      back_fade (back, back->states + t * n, at, head);
    }
  if (back->out[SONDE_LINEAR_PAST] != NULL)
    memcpy (back->out[SONDE_LINEAR_PAST] + block, back->ds, sizeof (double) * (gsize) n);
}

static void
compute_grad (const SondeKernelContext *context)
{
  g_auto (Back) back = { .dy = NULL };

  back_init (&back, context);
  for (gint64 i = 0; i < back.s.batch * back.s.kv_heads; i++)
    {
      run_forward (&back, i / back.s.kv_heads, i % back.s.kv_heads);
      run_backward (&back, i / back.s.kv_heads, i % back.s.kv_heads);
    }
  for (guint k = 0; k < SONDE_LINEAR_INPUTS; k++)
    if (back.out[k] != NULL)
      sonde_kernel_store (back.out[k], sonde_tensor_n_elements (context->inputs[k]),
                          sonde_kernel_output (context, k), 0);
}

/* ---- rule ---------------------------------------------------------------- */

gboolean
sonde_linear_gradient (SondeGradientContext *context, GError **error)
{
  guint n = context->node->inputs->len;
  SondeNode *node = sonde_graph_add_node (context->graph, NULL, SONDE_DOMAIN, "LinearAttentionGrad",
                                          NULL, 0, 0);

  for (guint k = 0; k < n; k++)
    if (sonde_rule_x (context, k) != NULL)
      sonde_node_set_input (context->graph, node, k, sonde_rule_x (context, k));
  for (guint k = 0; k < context->node->outputs->len; k++)
    if (context->output_gradients[k] != NULL)
      sonde_node_set_input (context->graph, node, INPUT_DY + k, context->output_gradients[k]);
  sonde_rule_copy_attributes (node, context->node);
  for (guint k = 0; k < n; k++)
    if (sonde_rule_x (context, k) != NULL && (k == 0 || context->wanted[k]))
      {
        g_autofree char *name = g_strdup_printf ("%s_output_%u", node->name, k);
        SondeGraphValue *value = sonde_graph_add_value (context->graph, name, NULL);

        sonde_node_set_output (context->graph, node, k, value);
        if (context->wanted[k])
          context->input_gradients[k] = value;
      }
  (void) sonde_build_infer (context->graph, node, NULL);
  return TRUE;
}

/* ---- rows ---------------------------------------------------------------- */

const SondeOpClass sonde_ops_linear_attention_gradient_kernels[] = {
  {
      .domain = SONDE_DOMAIN,
      .name = "LinearAttentionGrad",
      .since = 1,
      .min_inputs = 3,
      .max_inputs = N_INPUTS,
      .min_outputs = 1,
      .max_outputs = SONDE_LINEAR_INPUTS,
      .family = SONDE_FAMILY_GRADIENT,
      .attributes = sonde_linear_rules,
      .infer = infer_grad,
      .compute = compute_grad,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
