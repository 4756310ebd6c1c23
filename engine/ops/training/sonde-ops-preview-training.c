/* SPDX-License-Identifier: Apache-2.0
 * The domain ai.onnx.preview.training: updates of n tensors at once. Inputs: rate R, number of
 * updates T, the tensors X1 … Xn, their gradients G1 … Gn, then their state (accumulated V1 … Vn,
 * H1 … Hn); outputs: the new X, then the new state. With G' = c·X + G:
 *   Adagrad: r = R / (1 + T·d); H' = H + G'²; X' = X − r·G' / (√H' + ε)
 *   Adam: V' = αV + (1−α)G'; H' = βH + (1−β)G'²; r = R·√(1−βᵀ)/(1−αᵀ) when T > 0, else R;
 *     X' = (1−c_post)·(X − r·V' / (√H' + ε))
 *   Momentum: V' = αV + (β if T > 0, else 1)·G'; X' = X − R·V', or nesterov X − R·(G' + αV')
 * Source: the operator texts of ONNX. Gradient of that domain is no kernel: legalise builds it. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define DOMAIN "ai.onnx.preview.training"

/* Tensors that belong to one X: itself, gradient, state. */
static guint
group_size (const SondeNode *node)
{
  return strcmp (node->op, "Adam") == 0 ? 4 : 3;
}

/* Tensor @part of the group of X number @i, of @n. */
static guint
input_of (guint part, guint i, guint n)
{
  return 2 + part * n + i;
}

static gboolean
is_scalar (const SondeType *type)
{
  return type->kind == SONDE_VALUE_NONE || type->rank <= 0
         || (type->rank == 1 && type->dims[0].size <= 1);
}

static gboolean
infer_group (SondeInferContext *context, guint i, guint n, GError **error)
{
  guint parts = group_size (context->node);
  SondeType type = context->inputs[input_of (0, i, n)];

  for (guint part = 1; part < parts; part++)
    {
      const SondeType *other = &context->inputs[input_of (part, i, n)];

      if (other->kind != SONDE_VALUE_TENSOR || type.kind != SONDE_VALUE_TENSOR || other->rank < 0
          || type.rank < 0)
        continue;
      if (other->dtype != type.dtype)
        return sonde_infer_fail (error, "inputs %u and %u have other element types",
                                 input_of (0, i, n), input_of (part, i, n));
      if (!sonde_infer_need_shape (other, &type, "what belongs to a tensor", error))
        return FALSE;
    }
  for (guint part = 0; part + 1 < parts; part++)
    if (part * n + i < context->n_outputs)
      context->outputs[part * n + i] = type;
  return TRUE;
}

static gboolean
infer_update (SondeInferContext *context, GError **error)
{
  guint parts = group_size (context->node), n = (context->n_inputs - 2) / parts;

  if ((context->n_inputs - 2) % parts != 0 || context->n_outputs > n * (parts - 1))
    return sonde_infer_fail (
        error, "has %u inputs and %u outputs, but needs R, T and then %u inputs for %u outputs",
        context->n_inputs, context->n_outputs, parts, parts - 1);
  if (!sonde_infer_need_float (context, 0, error) || !sonde_infer_need_integer (context, 1, error))
    return FALSE;
  if (!is_scalar (&context->inputs[0]) || !is_scalar (&context->inputs[1]))
    return sonde_infer_fail (error, "R and T must be scalars");
  for (guint k = 2; k < context->n_inputs; k++)
    if (sonde_infer_input (context, k) == NULL)
      return sonde_infer_fail (error, "input %u is missing", k);
    else if (!sonde_infer_need_float (context, k, error))
      return FALSE;
  for (guint i = 0; i < n; i++)
    if (!infer_group (context, i, n, error))
      return FALSE;
  return TRUE;
}

/* ---- kernels ------------------------------------------------------------- */

/**
 * Rates: what is the same for all elements
 * @nesterov: of Momentum
 * @c: the regularisation; @keep: 1 − c_post
 */
typedef struct
{
  double rate, c, keep, alpha, beta, epsilon;
  gboolean nesterov;
} Rates;

/**
 * Group: arrays of one X; the new ones may be NULL
 */
typedef struct
{
  const void *x, *g, *v, *h;
  void *new_x, *new_v, *new_h;
  gint64 n;
} Group;

#define UPDATES(suffix, T, root)                                                                   \
  static void adagrad_##suffix (const Rates *rates, const Group *group)                            \
  {                                                                                                \
    const T *x = group->x, *g = group->g, *h = group->v;                                           \
    T *new_x = group->new_x, *new_h = group->new_v;                                                \
    const T rate = (T) rates->rate, c = (T) rates->c, epsilon = (T) rates->epsilon;                \
    for (gint64 i = 0; i < group->n; i++)                                                          \
      {                                                                                            \
        T slope = c * x[i] + g[i], sum = h[i] + slope * slope;                                     \
        if (new_h != NULL)                                                                         \
          new_h[i] = sum;                                                                          \
        if (new_x != NULL)                                                                         \
          new_x[i] = x[i] - rate * slope / (root (sum) + epsilon);                                 \
      }                                                                                            \
  }                                                                                                \
  static void adam_##suffix (const Rates *rates, const Group *group)                               \
  {                                                                                                \
    const T *x = group->x, *g = group->g, *v = group->v, *h = group->h;                            \
    T *new_x = group->new_x, *new_v = group->new_v, *new_h = group->new_h;                         \
    const T rate = (T) rates->rate, c = (T) rates->c, epsilon = (T) rates->epsilon;                \
    const T alpha = (T) rates->alpha, beta = (T) rates->beta, keep = (T) rates->keep;              \
    for (gint64 i = 0; i < group->n; i++)                                                          \
      {                                                                                            \
        T slope = c * x[i] + g[i];                                                                 \
        T mean = alpha * v[i] + (1 - alpha) * slope,                                               \
          square = beta * h[i] + (1 - beta) * slope * slope;                                       \
        if (new_v != NULL)                                                                         \
          new_v[i] = mean;                                                                         \
        if (new_h != NULL)                                                                         \
          new_h[i] = square;                                                                       \
        if (new_x != NULL)                                                                         \
          new_x[i] = keep * (x[i] - rate * mean / (root (square) + epsilon));                      \
      }                                                                                            \
  }                                                                                                \
  static void momentum_##suffix (const Rates *rates, const Group *group)                           \
  {                                                                                                \
    const T *x = group->x, *g = group->g, *v = group->v;                                           \
    T *new_x = group->new_x, *new_v = group->new_v;                                                \
    const T rate = (T) rates->rate, c = (T) rates->c, alpha = (T) rates->alpha,                    \
            beta = (T) rates->beta;                                                                \
    for (gint64 i = 0; i < group->n; i++)                                                          \
      {                                                                                            \
        T slope = c * x[i] + g[i], speed = alpha * v[i] + beta * slope;                            \
        if (new_v != NULL)                                                                         \
          new_v[i] = speed;                                                                        \
        if (new_x != NULL)                                                                         \
          new_x[i] = x[i] - rate * (rates->nesterov ? slope + alpha * speed : speed);              \
      }                                                                                            \
  }
UPDATES (f32, float, sqrtf)
UPDATES (f64, double, sqrt)

static const void *
input_bytes (const SondeKernelContext *context, guint k)
{
  return k < context->n_inputs ? context->inputs[k]->data : NULL;
}

static void *
output_bytes (const SondeKernelContext *context, guint k)
{
  SondeTensor *output = k < context->n_outputs ? sonde_kernel_output (context, k) : NULL;

  return output ? output->data : NULL;
}

static SondeDtype
group_init (const SondeKernelContext *context, guint i, guint n, Group *group)
{
  gboolean two_states = group_size (context->node) == 4;

  *group = (Group){
    .x = input_bytes (context, input_of (0, i, n)),
    .g = input_bytes (context, input_of (1, i, n)),
    .v = input_bytes (context, input_of (2, i, n)),
    .h = two_states ? input_bytes (context, input_of (3, i, n)) : NULL,
    .new_x = output_bytes (context, i),
    .new_v = output_bytes (context, n + i),
    .new_h = two_states ? output_bytes (context, 2 * n + i) : NULL,
    .n = sonde_tensor_n_elements (context->inputs[input_of (0, i, n)]),
  };
  return context->inputs[input_of (0, i, n)]->dtype;
}

static void
rates_init (const SondeKernelContext *context, Rates *rates)
{
  const SondeNode *node = context->node;

  *rates = (Rates){
    .rate = sonde_kernel_scalar (context, 0, 0),
    .c = sonde_node_get_float (node, "norm_coefficient", 0),
    .keep = 1 - sonde_node_get_float (node, "norm_coefficient_post", 0),
    .alpha = sonde_node_get_float (node, "alpha", 0.9),
    .beta = sonde_node_get_float (node, "beta", 0.999),
    .epsilon = sonde_node_get_float (node, "epsilon", 1e-6),
    .nesterov = strcmp (sonde_node_get_string (node, "mode", "standard"), "nesterov") == 0,
  };
}

static void
compute_adagrad (const SondeKernelContext *context)
{
  guint n = (context->n_inputs - 2) / 3;
  double updates = sonde_kernel_scalar (context, 1, 0);
  Rates rates;

  rates_init (context, &rates);
  rates.rate /= 1 + updates * sonde_node_get_float (context->node, "decay_factor", 0);
  for (guint i = 0; i < n; i++)
    {
      Group group;

      SONDE_FLOAT_CALL (group_init (context, i, n, &group), adagrad, &rates, &group);
    }
}

static void
compute_adam (const SondeKernelContext *context)
{
  guint n = (context->n_inputs - 2) / 4;
  double updates = sonde_kernel_scalar (context, 1, 0);
  Rates rates;

  rates_init (context, &rates);
  if (updates > 0)
    rates.rate *= sqrt (1 - pow (rates.beta, updates)) / (1 - pow (rates.alpha, updates));
  for (guint i = 0; i < n; i++)
    {
      Group group;

      SONDE_FLOAT_CALL (group_init (context, i, n, &group), adam, &rates, &group);
    }
}

static void
compute_momentum (const SondeKernelContext *context)
{
  guint n = (context->n_inputs - 2) / 3;
  Rates rates;

  rates_init (context, &rates);
  if (sonde_kernel_scalar (context, 1, 0) <= 0)
    rates.beta = 1;
  for (guint i = 0; i < n; i++)
    {
      Group group;

      SONDE_FLOAT_CALL (group_init (context, i, n, &group), momentum, &rates, &group);
    }
}

/* ---- rows ---------------------------------------------------------------- */

static const char *const modes[] = { "nesterov", "standard", NULL };
static const SondeAttributeRule adagrad_rules[] = {
  { "decay_factor", SONDE_ATTRIBUTE_FLOAT },
  { "epsilon", SONDE_ATTRIBUTE_FLOAT },
  { "norm_coefficient", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule adam_rules[] = {
  { "alpha", SONDE_ATTRIBUTE_FLOAT },
  { "beta", SONDE_ATTRIBUTE_FLOAT },
  { "epsilon", SONDE_ATTRIBUTE_FLOAT },
  { "norm_coefficient", SONDE_ATTRIBUTE_FLOAT },
  { "norm_coefficient_post", SONDE_ATTRIBUTE_FLOAT },
  { NULL },
};
static const SondeAttributeRule momentum_rules[] = {
  { "alpha", SONDE_ATTRIBUTE_FLOAT, TRUE },
  { "beta", SONDE_ATTRIBUTE_FLOAT, TRUE },
  { "mode", SONDE_ATTRIBUTE_STRING, TRUE, 0, 0, modes },
  { "norm_coefficient", SONDE_ATTRIBUTE_FLOAT, TRUE },
  { NULL },
};

#define UPDATE(onnx, least, rules, kernel)                                                         \
  {                                                                                                \
    .domain = DOMAIN, .name = onnx, .since = 1, .min_inputs = least, .max_inputs = -1,             \
    .min_outputs = 1, .max_outputs = -1, .family = SONDE_FAMILY_OPTIMISER, .attributes = rules,    \
    .infer = infer_update, .compute = kernel, .reach = { sonde_reach_everything, 0 },              \
    .typing = SONDE_TYPING_OWN,                                                                    \
  }

const SondeOpClass sonde_ops_preview_training[] = {
  UPDATE ("Adagrad", 5, adagrad_rules, compute_adagrad),
  UPDATE ("Adam", 6, adam_rules, compute_adam),
  UPDATE ("Momentum", 5, momentum_rules, compute_momentum),
  { .name = NULL },
};
