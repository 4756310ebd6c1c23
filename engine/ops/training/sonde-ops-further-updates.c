/* SPDX-License-Identifier: Apache-2.0
 * Updates of the less common optimisers, all (w, g, states…, lr, step) → (w', states'…), element by
 * element.
 *
 *   RmsPropUpdate: s = α·s + (1 − α)·g²; u = g / (√s + ε), or √(s − m²) with m = α·m + (1 − α)·g
 * where there is m; v = µ·v + u where there is v; w −= η·v. Source: Tieleman and Hinton 2012,
 * lecture 6.5; Graves 2013, eq. 38 to 40, ε outside the root as PyTorch. AdagradUpdate: s += g²; w
 * −= η/(1 + (t − 1)·λ) · g / (√s + ε). Source: Duchi, Hazan, Singer 2011; rate decay λ as PyTorch.
 *   AdadeltaUpdate: s = ρ·s + (1 − ρ)·g²; u = √(d + ε)/√(s + ε) · g; d = ρ·d + (1 − ρ)·u²; w −=
 * η·u. Source: Zeiler 2012. LionUpdate: w *= 1 − η·λ; w −= η·sign (β₁·m + (1 − β₁)·g); m = β₂·m +
 * (1 − β₂)·g. Source: Chen et al. 2023, algorithm 2. AdamDirection: Adam's m̂ / (√v̂ + ε) + λ·w,
 * what LAMB scales. Source: You et al. 2020, algorithm 2. TrustRatio (|w|, |u|): c·|w| / (|u| +
 * λ·|w| + ε), 1 where |w| or |u| is 0. Source: You, Gitman, Ginsburg 2017, eq. 6. The first three
 * add weight_decay·w to g. */
#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-op-dependency-rules.h"

#include <math.h>
#include <string.h>

#define MOST_TENSORS 5

/* @a, @b: α, ρ, the rate decay, or β₁ and β₂ */
typedef struct
{
  const void *in[MOST_TENSORS];
  void *out[MOST_TENSORS];
  double rate, step, a, b, epsilon, decay, momentum;
} UpdateCall;

#define square_root_f32 sqrtf
#define square_root_f64 sqrt

#define T float
#define S f32
#include "engine/ops/training/sonde-further-updates-template.h"
#define T double
#define S f64
#include "engine/ops/training/sonde-further-updates-template.h"

/* The last two inputs, after as many tensors as there are states. */
#define RATE(states) ((states) + 2)
#define STEP(states) ((states) + 3)

static UpdateCall
read_call (const SondeKernelContext *context, guint states, const char *a, const char *b)
{
  const SondeNode *node = context->node;
  UpdateCall call = {
    .rate = sonde_kernel_scalar (context, RATE (states), 0),
    .step = MAX (sonde_kernel_scalar (context, STEP (states), 1), 1),
    .a = a != NULL ? sonde_node_get_float (node, a, 0) : 0,
    .b = b != NULL ? sonde_node_get_float (node, b, 0) : 0,
    .epsilon = sonde_node_get_float (node, "epsilon", 0),
    .decay = sonde_node_get_float (node, "weight_decay", 0),
    .momentum = sonde_node_get_float (node, "momentum", 0),
  };

  for (guint k = 0; k < states + 2; k++)
    call.in[k]
        = k < context->n_inputs && context->inputs[k] != NULL ? context->inputs[k]->data : NULL;
  for (guint k = 0; k < states + 1; k++)
    {
      SondeTensor *output = sonde_kernel_output (context, k);

      call.out[k] = output != NULL ? output->data : NULL;
    }
  return call;
}

static gint64
count_elements (const SondeKernelContext *context, gint64 *cost)
{
  *cost = 6;
  return sonde_tensor_n_elements (context->inputs[0]);
}

/* compute_NAME and compute_NAME_part of one update. */
#define UPDATE(name, states, a, b)                                                                 \
  static void compute_##name##_part (const SondeKernelContext *context, gint64 begin, gint64 end)  \
  {                                                                                                \
    UpdateCall call = read_call (context, states, a, b);                                           \
                                                                                                   \
    SONDE_FLOAT_CALL (context->inputs[0]->dtype, name, &call, begin, end);                         \
  }                                                                                                \
                                                                                                   \
  static void compute_##name (const SondeKernelContext *context)                                   \
  {                                                                                                \
    compute_##name##_part (context, 0, sonde_tensor_n_elements (context->inputs[0]));              \
  }

UPDATE (rms_prop, 3, "alpha", NULL)
UPDATE (adagrad, 1, "rate_decay", NULL)
UPDATE (adadelta, 2, "rho", NULL)
UPDATE (lion, 1, "beta1", "beta2")
UPDATE (adam_direction, 2, "beta1", "beta2")

static void
compute_trust_ratio (const SondeKernelContext *context)
{
  const SondeNode *node = context->node;
  double w = sonde_kernel_scalar (context, 0, 0), u = sonde_kernel_scalar (context, 1, 0),
         ratio = 1;

  if (w > 0 && u > 0)
    ratio = sonde_node_get_float (node, "coefficient", 1) * w
            / (u + sonde_node_get_float (node, "weight_decay", 0) * w
               + sonde_node_get_float (node, "epsilon", 0));
  *(float *) (void *) context->outputs[0]->data = (float) ratio;
}

/* ---- shape rules ------------------------------------------------------------------------------
 */

/* How many states a row has: its inputs but w, g, lr, step. */
static gboolean
infer_update (SondeInferContext *context, GError **error)
{
  guint n_tensors = (guint) sonde_op_table_find (SONDE_DOMAIN, context->node->op)->max_inputs - 2;

  for (guint k = 2; k < n_tensors; k++)
    if (sonde_infer_input (context, k) != NULL
        && sonde_node_get_output (context->node, k - 1) == NULL)
      return sonde_infer_fail (error, "takes state %u, but does not make the next one (output %u)",
                               k - 2, k - 1);
  return sonde_infer_update (context, n_tensors, n_tensors, n_tensors + 1, error);
}

static gboolean
infer_ratio (SondeInferContext *context, GError **error)
{
  context->outputs[0] = sonde_infer_type (SONDE_DTYPE_F32, 0);
  return sonde_infer_need_float (context, 0, error) && sonde_infer_need_float (context, 1, error);
}

/* ---- rows -------------------------------------------------------------------------------------
 */

static void
cost_update (const SondeInferContext *context, SondeCost *cost)
{
  const SondeType *w = &context->inputs[0];

  cost->flops = 12.0 * MAX (w->rank >= 0 ? sonde_type_product (w, 0, w->rank) : 0, 0);
}

#define FLOAT(name)                                                                                \
  {                                                                                                \
    name, SONDE_ATTRIBUTE_FLOAT                                                                    \
  }

static const SondeAttributeRule rms_prop_rules[]
    = { FLOAT ("alpha"), FLOAT ("epsilon"), FLOAT ("weight_decay"), FLOAT ("momentum"), { NULL } };
static const SondeAttributeRule adagrad_rules[]
    = { FLOAT ("rate_decay"), FLOAT ("epsilon"), FLOAT ("weight_decay"), { NULL } };
static const SondeAttributeRule adadelta_rules[]
    = { FLOAT ("rho"), FLOAT ("epsilon"), FLOAT ("weight_decay"), { NULL } };
static const SondeAttributeRule lion_rules[]
    = { FLOAT ("beta1"), FLOAT ("beta2"), FLOAT ("weight_decay"), { NULL } };
static const SondeAttributeRule direction_rules[]
    = { FLOAT ("beta1"), FLOAT ("beta2"), FLOAT ("epsilon"), FLOAT ("weight_decay"), { NULL } };
static const SondeAttributeRule ratio_rules[]
    = { FLOAT ("coefficient"), FLOAT ("epsilon"), FLOAT ("weight_decay"), { NULL } };

#define ROW(label, least, states, rules, loop)                                                     \
  {                                                                                                \
    .domain = SONDE_DOMAIN, .name = label, .since = 1, .min_inputs = (least) + 2,                  \
    .max_inputs = (states) + 4, .min_outputs = (least) + 1, .max_outputs = (states) + 1,           \
    .flags = SONDE_OP_ELEMENTWISE | SONDE_OP_IN_PLACE | SONDE_OP_UPDATES,                          \
    .family = SONDE_FAMILY_OPTIMISER, .attributes = rules, .infer = infer_update,                  \
    .compute = compute_##loop, .cost = cost_update, .count_parts = count_elements,                 \
    .compute_part = compute_##loop##_part, .typing = SONDE_TYPING_OWN,                             \
  }

const SondeOpClass sonde_ops_further_updates[] = {
  ROW ("AdadeltaUpdate", 2, 2, adadelta_rules, adadelta),
  ROW ("AdagradUpdate", 1, 1, adagrad_rules, adagrad),
  ROW ("AdamDirection", 2, 2, direction_rules, adam_direction),
  ROW ("LionUpdate", 1, 1, lion_rules, lion),
  ROW ("RmsPropUpdate", 1, 3, rms_prop_rules, rms_prop),
  {
      .domain = SONDE_DOMAIN,
      .name = "TrustRatio",
      .since = 1,
      .min_inputs = 2,
      .max_inputs = 2,
      .min_outputs = 1,
      .max_outputs = 1,
      .family = SONDE_FAMILY_OPTIMISER,
      .attributes = ratio_rules,
      .infer = infer_ratio,
      .compute = compute_trust_ratio,
      .reach = { sonde_reach_everything, 0 },
      .typing = SONDE_TYPING_OWN,
  },
  { .name = NULL },
};
