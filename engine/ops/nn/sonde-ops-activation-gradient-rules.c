/* SPDX-License-Identifier: Apache-2.0
 * Gradients of activations that are made of other operators, and the second derivatives of those
 * that have a gradient operator of their own. At a kink the derivative is that of PyTorch
 * (docs/engine.md, Gradients). */
#include "engine/ops/sonde-gradient-rules.h"

#include <string.h>

#define RULE SONDE_GRADIENT
#define NUMBER(value) sonde_rule_number (context, sonde_rule_x (context, 0), value)
#define PLUS(a, value) OP2 ("Add", a, NUMBER (value))
#define TIMES(a, value) sonde_rule_scale (context, a, value)

static double
alpha_of (const SondeGradientContext *context)
{
  return sonde_node_get_float (context->node, "alpha", 1);
}

/* ---- first derivatives --------------------------------------------------- */

/* Celu (x) = α·Elu (x/α) */
RULE (celu)
{
  SondeGraphValue *x = OP2 ("Div", sonde_rule_x (context, 0), NUMBER (alpha_of (context)));

  context->input_gradients[0]
      = sonde_rule_own (context, "EluGrad", sonde_rule_dy (context), x, NULL);
  return TRUE;
}

/* t + x·(1 − t²)·σ (x) with t = tanh (softplus (x)) */
RULE (mish)
{
  SondeGraphValue *x = sonde_rule_x (context, 0);
  SondeGraphValue *t = OP1 ("Tanh", OP1 ("Softplus", x));
  SondeGraphValue *inner
      = OP2 ("Mul", OP2 ("Sub", NUMBER (1), OP2 ("Mul", t, t)), OP2 ("Mul", x, OP1 ("Sigmoid", x)));

  context->input_gradients[0] = OP2 ("Mul", sonde_rule_dy (context), OP2 ("Add", t, inner));
  return TRUE;
}

/* (α·x, σ (α·x)) */
static SondeGraphValue *
gate (SondeGradientContext *context, SondeGraphValue *x, SondeGraphValue **scaled)
{
  *scaled = TIMES (x, alpha_of (context));
  return OP1 ("Sigmoid", *scaled);
}

/* d/dx x·s = s·(1 + αx·(1 − s)) with s = σ (αx) */
static SondeGraphValue *
gate_slope (SondeGradientContext *context, SondeGraphValue *scaled, SondeGraphValue *s)
{
  return OP2 ("Mul", s, PLUS (OP2 ("Mul", scaled, OP2 ("Sub", NUMBER (1), s)), 1));
}

RULE (swish)
{
  SondeGraphValue *scaled = NULL;
  SondeGraphValue *s = gate (context, sonde_rule_x (context, 0), &scaled);

  context->input_gradients[0]
      = OP2 ("Mul", sonde_rule_dy (context), gate_slope (context, scaled, s));
  return TRUE;
}

/* y = g·σ (αg)·v */
RULE (swiglu)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *g = sonde_rule_x (context, 0),
                  *v = sonde_rule_x (context, 1);
  SondeGraphValue *scaled = NULL;
  SondeGraphValue *s = gate (context, g, &scaled);

  if (context->wanted[0])
    context->input_gradients[0] = OP2 ("Mul", OP2 ("Mul", dy, v), gate_slope (context, scaled, s));
  if (context->wanted[1])
    context->input_gradients[1] = OP2 ("Mul", dy, OP2 ("Mul", g, s));
  return TRUE;
}

RULE (shrink)
{
  SondeGraphValue *border = NUMBER (sonde_node_get_float (context->node, "lambd", 0.5));

  context->input_gradients[0]
      = sonde_rule_where (context, OP2 ("Greater", OP1 ("Abs", sonde_rule_x (context, 0)), border),
                          sonde_rule_dy (context), NULL);
  return TRUE;
}

RULE (thresholded_relu)
{
  SondeGraphValue *passes = OP2 ("Greater", sonde_rule_x (context, 0), NUMBER (alpha_of (context)));

  context->input_gradients[0] = sonde_rule_where (context, passes, sonde_rule_dy (context), NULL);
  return TRUE;
}

RULE (prelu)
{
  SondeGraphValue *dy = sonde_rule_dy (context), *x = sonde_rule_x (context, 0),
                  *slope = sonde_rule_x (context, 1);
  SondeGraphValue *positive = OP2 ("Greater", x, NUMBER (0));

  if (context->wanted[0])
    context->input_gradients[0] = sonde_rule_where (context, positive, dy, OP2 ("Mul", dy, slope));
  if (context->wanted[1])
    context->input_gradients[1] = sonde_rule_unbroadcast (
        context, sonde_rule_where (context, positive, NULL, OP2 ("Mul", dy, x)), slope);
  return TRUE;
}

/* ---- second derivatives -------------------------------------------------- */

/* Of z = g·f′(v), operator with inputs g and v: dg is the same operator on dz; dv = dz·g·f″(v). */
static void
give_factor (SondeGradientContext *context)
{
  SondeGraphValue *inputs[4] = { sonde_rule_dy (context) };
  guint n = context->node->inputs->len;
  SondeGraphValue *dg = NULL;

  if (!context->wanted[0])
    return;
  for (guint k = 1; k < n; k++)
    inputs[k] = sonde_rule_x (context, k);
  dg = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, context->node->op, n, inputs);
  sonde_rule_copy_attributes (dg->producer, context->node);
  context->input_gradients[0] = sonde_rule_infer (context, dg);
}

/* @curve: an expression of g and v, of z and dz: dv without a factor dz */
#define SECOND(name, curve)                                                                        \
  RULE (name)                                                                                      \
  {                                                                                                \
    SondeGraphValue *g G_GNUC_UNUSED = sonde_rule_x (context, 0);                                  \
    SondeGraphValue *v = sonde_rule_x (context, 1);                                                \
    SondeGraphValue *z G_GNUC_UNUSED = sonde_rule_y (context, 0);                                  \
    give_factor (context);                                                                         \
    if (context->wanted[1])                                                                        \
      context->input_gradients[1] = OP2 ("Mul", sonde_rule_dy (context), curve);                   \
    return TRUE;                                                                                   \
  }

RULE (linear_grad)
{
  give_factor (context);
  return TRUE;
}

/* f″ = f′ below zero */
#define BELOW sonde_rule_where (context, OP2 ("Greater", v, NUMBER (0)), NULL, z)
SECOND (elu_grad, BELOW)
SECOND (selu_grad, BELOW)
SECOND (erf_grad, OP2 ("Mul", z, TIMES (v, -2)))
SECOND (sigmoid_grad, OP2 ("Mul", g, PLUS (TIMES (v, -2), 1)))
SECOND (softplus_grad, sonde_rule_own (context, "SigmoidGrad", g, OP1 ("Sigmoid", v), NULL))
SECOND (tanh_grad, OP2 ("Mul", g, TIMES (v, -2)))
/* z = g/(1 + |v|)² */
SECOND (softsign_grad,
        OP2 ("Div", OP2 ("Mul", z, TIMES (OP1 ("Sign", v), -2)), PLUS (OP1 ("Abs", v), 1)))
SECOND (hard_swish_grad, sonde_rule_where (context, OP2 ("Less", OP1 ("Abs", v), NUMBER (3)),
                                           TIMES (g, 1.0 / 3), NULL))

/* φ (v)·(2 − v²), φ the normal density */
static SondeGraphValue *
gelu_curve (SondeGradientContext *context, SondeGraphValue *v)
{
  SondeGraphValue *square = OP2 ("Mul", v, v);
  SondeGraphValue *density = TIMES (OP1 ("Exp", TIMES (square, -0.5)), 0.39894228040143267794);

  return OP2 ("Mul", density, OP2 ("Sub", NUMBER (2), square));
}

/* With u = k·(v + c·v³), t = tanh u: (1 − t²)·(u′ − v·t·u′² + v·u″/2) */
static SondeGraphValue *
gelu_tanh_curve (SondeGradientContext *context, SondeGraphValue *v)
{
  const double k = 0.79788456080286535588, c = 0.044715;
  SondeGraphValue *square = OP2 ("Mul", v, v);
  SondeGraphValue *t = OP1 ("Tanh", OP2 ("Mul", v, PLUS (TIMES (square, k * c), k)));
  SondeGraphValue *slope = PLUS (TIMES (square, 3 * k * c), k);
  SondeGraphValue *bend = OP2 ("Mul", OP2 ("Mul", v, t), OP2 ("Mul", slope, slope));
  SondeGraphValue *sum = OP2 ("Sub", OP2 ("Add", slope, TIMES (square, 3 * k * c)), bend);

  return OP2 ("Mul", OP2 ("Sub", NUMBER (1), OP2 ("Mul", t, t)), sum);
}

SECOND (gelu_grad,
        OP2 ("Mul", g,
             strcmp (sonde_node_get_string (context->node, "approximate", "none"), "tanh") == 0
                 ? gelu_tanh_curve (context, v)
                 : gelu_curve (context, v)))
