/* SPDX-License-Identifier: Apache-2.0
 * Updates of parameters as nodes: SgdUpdate, AdamUpdate; GlobalNorm.
 *
 * Source: PyTorch's torch.optim.SGD and Adam, AdamW, whose numbers they must agree with.
 *   SGD:  g += λ·w; v = µ·v + g, after the first step µ·v + (1 − d)·g; w −= η·v, with Nesterov's
 *   form η·(g + µ·v)
 *   Adam: g += λ·w (decoupled: w *= 1 − η·λ instead); m = β₁·m + (1 − β₁)·g; v = β₂·v + (1 −
 *         β₂)·g²; w −= η/(1 − β₁ᵗ) · m / (√v/√(1 − β₂ᵗ) + ε), t = 1 at the first step */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

/* @fresh: share of the gradient in the velocity */
typedef struct
{
  double rate, momentum, decay, fresh;
  gboolean nesterov;
} SgdSettings;

typedef struct
{
  double rate, beta1, beta2, epsilon, decay, step;
  gboolean decoupled;
} AdamSettings;

#define square_root_f32 sqrtf
#define square_root_f64 sqrt

#define T float
#define S f32
#include "engine/ops/training/sonde-sgd-adam-update-template.h"
#define T double
#define S f64
#include "engine/ops/training/sonde-sgd-adam-update-template.h"

/* ---- shape rules --------------------------------------------------------- */

/* The first @n inputs (that are there) have one shape and float type; so have the outputs. */
static gboolean
infer_like_weight (SondeInferContext *context, guint n, GError **error)
{
  const SondeType *w = &context->inputs[0];

  if (!sonde_infer_need_float (context, 0, error)
      || !sonde_infer_need_same (context, 0, n - 1, error))
    return FALSE;
  for (guint k = 1; k < n; k++)
    {
      const SondeType *type = sonde_infer_input (context, k);
      g_autofree char *text = NULL;

      if (type == NULL || type->rank < 0 || w->rank < 0)
        continue;
      for (int d = 0; d < w->rank; d++)
        if (type->rank != w->rank
            || (type->dims[d].size >= 0 && w->dims[d].size >= 0
                && type->dims[d].size != w->dims[d].size))
          {
            text = sonde_type_to_string (type);
            return sonde_infer_fail (error, "input %u (%s) does not have the parameter's shape", k,
                                     text);
          }
    }
  for (guint k = 0; k < context->n_outputs; k++)
    context->outputs[k] = *w;
  return TRUE;
}

static gboolean
need_scalar (const SondeInferContext *context, guint k, const char *what, GError **error)
{
  const SondeType *type = sonde_infer_input (context, k);

  if (type == NULL)
    return sonde_infer_fail (error, "lacks its input %u, the %-s", k, what);
  if (type->rank > 0 && sonde_type_product (type, 0, type->rank) != 1)
    return sonde_infer_fail (error, "the %-s must be one number", what);
  return TRUE;
}

gboolean
sonde_infer_update (SondeInferContext *context, guint n_tensors, guint rate, guint step,
                    GError **error)
{
  return need_scalar (context, rate, N_ ("learning rate"), error)
         && (step == 0 || need_scalar (context, step, N_ ("step"), error))
         && infer_like_weight (context, n_tensors, error);
}

static gboolean
infer_sgd (SondeInferContext *context, GError **error)
{
  gboolean dampened = sonde_node_get_float (context->node, "dampening", 0) != 0;

  return sonde_infer_update (context, 3, 3, dampened ? 4 : 0, error);
}

static gboolean
infer_adam (SondeInferContext *context, GError **error)
{
  return sonde_infer_update (context, 4, 4, 5, error);
}

static gboolean
infer_norm (SondeInferContext *context, GError **error)
{
  for (guint k = 0; k < context->n_inputs; k++)
    if (sonde_infer_input (context, k) == NULL)
      return sonde_infer_fail (error, "input %u is missing", k);
    else if (!sonde_infer_need_float (context, k, error))
      return FALSE;
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_F32, 0);
  return TRUE;
}

/* ---- kernels ------------------------------------------------------------- */

static void *
data_of (SondeTensor *tensor)
{
  return tensor ? tensor->data : NULL;
}

static void
compute_sgd (const SondeKernelContext *context)
{
  const SondeNode *node = context->node;
  SondeTensor *w = context->inputs[0];
  SgdSettings settings = {
    .rate = sonde_kernel_scalar (context, 3, 0),
    .momentum = sonde_node_get_float (node, "momentum", 0),
    .decay = sonde_node_get_float (node, "weight_decay", 0),
    .fresh = sonde_kernel_scalar (context, 4, 1) <= 1
                 ? 1
                 : 1 - sonde_node_get_float (node, "dampening", 0),
    .nesterov = sonde_node_get_int (node, "nesterov", 0) != 0,
  };

  SONDE_FLOAT_CALL (w->dtype, sgd_update, &settings, sonde_tensor_n_elements (w), w->data,
                    context->inputs[1]->data, data_of (context->inputs[2]),
                    context->outputs[0]->data, data_of (sonde_kernel_output (context, 1)));
}

static void
compute_adam (const SondeKernelContext *context)
{
  const SondeNode *node = context->node;
  SondeTensor *const *in = context->inputs;
  SondeTensor *const *out = context->outputs;
  AdamSettings settings = {
    .rate = sonde_kernel_scalar (context, 4, 0),
    .step = MAX (sonde_kernel_scalar (context, 5, 1), 1),
    .beta1 = sonde_node_get_float (node, "beta1", 0.9),
    .beta2 = sonde_node_get_float (node, "beta2", 0.999),
    .epsilon = sonde_node_get_float (node, "epsilon", 1e-8),
    .decay = sonde_node_get_float (node, "weight_decay", 0),
    .decoupled = sonde_node_get_int (node, "decoupled", 0) != 0,
  };

  SONDE_FLOAT_CALL (in[0]->dtype, adam_update, &settings, sonde_tensor_n_elements (in[0]),
                    in[0]->data, in[1]->data, in[2]->data, in[3]->data, out[0]->data, out[1]->data,
                    out[2]->data);
}

static void
compute_norm (const SondeKernelContext *context)
{
  double sum = 0;

  for (guint k = 0; k < context->n_inputs; k++)
    {
      SondeTensor *x = context->inputs[k];
      gint64 n = sonde_tensor_n_elements (x);

      sum += x->dtype == SONDE_DTYPE_F64 ? sum_of_squares_f64 (n, x->data)
                                         : sum_of_squares_f32 (n, x->data);
    }
  *(float *) (void *) context->outputs[0]->data = (float) sqrt (sum);
}

/* ---- rows ---------------------------------------------------------------- */

static void
cost_update (const SondeInferContext *context, SondeCost *cost)
{
  double each = strcmp (context->node->op, "AdamUpdate") == 0  ? 14
                : strcmp (context->node->op, "SgdUpdate") == 0 ? 6
                                                               : 2;
  double n = 0;

  for (guint k = 0; k < (each > 2 ? 1 : context->n_inputs); k++)
    n += MAX (context->inputs[k].rank >= 0
                  ? sonde_type_product (&context->inputs[k], 0, context->inputs[k].rank)
                  : 0,
              0);
  cost->flops = each * n;
}

static const SondeAttributeRule sgd_rules[] = {
  { "momentum", SONDE_ATTRIBUTE_FLOAT },
  { "weight_decay", SONDE_ATTRIBUTE_FLOAT },
  { "dampening", SONDE_ATTRIBUTE_FLOAT },
  { "nesterov", SONDE_ATTRIBUTE_INT },
  { NULL },
};
static const SondeAttributeRule adam_rules[] = {
  { "beta1", SONDE_ATTRIBUTE_FLOAT },   { "beta2", SONDE_ATTRIBUTE_FLOAT },
  { "epsilon", SONDE_ATTRIBUTE_FLOAT }, { "weight_decay", SONDE_ATTRIBUTE_FLOAT },
  { "decoupled", SONDE_ATTRIBUTE_INT }, { NULL },
};

#define ROW(label, least, most, outs_least, outs, traits, kind, rules, rule, loop, ...)            \
  {                                                                                                \
    .domain = SONDE_DOMAIN, .name = label, .since = 1, .min_inputs = least, .max_inputs = most,    \
    .min_outputs = outs_least, .max_outputs = outs, .flags = traits, .family = kind,               \
    .attributes = rules, .infer = rule, .compute = loop, .cost = cost_update, __VA_ARGS__          \
  }

const SondeOpClass sonde_ops_sgd_adam_update[] = {
  ROW ("AdamUpdate", 6, 6, 3, 3, SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE | SONDE_OP_UPDATES,
       SONDE_FAMILY_OPTIMISER, adam_rules, infer_adam, compute_adam, .typing = SONDE_TYPING_OWN),
  ROW ("GlobalNorm", 1, -1, 1, 1, SONDE_OP_NONE, SONDE_FAMILY_REDUCTION, NULL, infer_norm,
       compute_norm, .reach = { sonde_reach_everything, 0 }, .typing = SONDE_TYPING_OWN),
  ROW ("SgdUpdate", 2, 5, 1, 2, SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE | SONDE_OP_UPDATES,
       SONDE_FAMILY_OPTIMISER, sgd_rules, infer_sgd, compute_sgd, .typing = SONDE_TYPING_OWN),
  { .name = NULL },
};
