/* SPDX-License-Identifier: Apache-2.0
 * Relevance through layers with weights. Each rule is a·∂(layer with other weights)/∂a, seeded with
 * relevance divided by what that layer gives, so that it runs on the operators' own kernels. */
#include <math.h>
#include <string.h>

#include "explain/attribution/sonde-gradient-lrp.h"

SondeGraphValue *
sonde_lrp_share (const SondeLrp *lrp, const SondeGradientContext *context,
                 SondeGraphValue *relevance, SondeGraphValue *z)
{
  SondeGraphValue *inputs[] = { relevance, z };
  SondeGraphValue *shared
      = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "ShareGrad", 2, inputs);

  sonde_node_set_float (shared->producer, "epsilon", lrp->epsilon);
  return shared;
}

SondeGraphValue *
sonde_lrp_find_relu (const SondeLrp *lrp, const SondeGraphValue *value)
{
  SondeNode *user = NULL;

  if (value == lrp->logits)
    return NULL;
  for (guint i = 0; i < value->users->len; i++)
    {
      SondeNode *reader = g_ptr_array_index (value->users, i);

      if (reader->phase != SONDE_PHASE_FORWARD)
        continue;
      if (user != NULL)
        return NULL;
      user = reader;
    }
  return user != NULL && sonde_node_is (user, SONDE_OP_ID_RELU) ? sonde_node_get_output (user, 0)
                                                                : NULL;
}

/* Weights of the layer, with a batch normalisation behind it folded in. @bias: (nullable) */
typedef struct
{
  SondeTensor *weight, *bias;
} Weights;

static void
weights_clear (Weights *weights)
{
  g_clear_pointer (&weights->weight, sonde_tensor_unref);
  g_clear_pointer (&weights->bias, sonde_tensor_unref);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Weights, weights_clear)

SondeNode *
sonde_lrp_find_normalisation (const SondeNode *node)
{
  SondeGraphValue *output = sonde_node_get_output (node, 0);
  SondeNode *user = NULL;

  if (!sonde_node_is (node, SONDE_OP_ID_CONV) || output == NULL)
    return NULL;
  for (guint i = 0; i < output->users->len; i++)
    {
      SondeNode *reader = g_ptr_array_index (output->users, i);

      if (reader->phase != SONDE_PHASE_FORWARD)
        continue;
      if (user != NULL)
        return NULL;
      user = reader;
    }
  if (user == NULL || !sonde_node_is (user, SONDE_OP_ID_BATCH_NORMALIZATION)
      || sonde_node_get_input (user, 0) != output)
    return NULL;
  for (guint k = 1; k < 5; k++)
    if (sonde_gradient_rule_constant (sonde_node_get_input (user, k)) == NULL)
      return NULL;
  return user;
}

/* w·s and (b − mean)·s + shift, with s = scale / √(variance + ε), one an output channel. */
static void
fold (Weights *weights, const SondeNode *normalisation)
{
  SondeTensor *info[5] = { NULL };
  gint64 n = weights->weight->shape.dims[0], each = sonde_tensor_n_elements (weights->weight) / n;
  const SondeAttribute *attribute = sonde_node_find_attribute (normalisation, "epsilon");
  double epsilon = attribute != NULL ? attribute->u.f : 1e-5;
  SondeShape shape = sonde_shape_from_array (1, &n);
  SondeTensor *bias = sonde_tensor_new (SONDE_DTYPE_F32, &shape),
              *weight = sonde_tensor_copy (weights->weight);

  for (guint k = 1; k < 5; k++)
    info[k] = sonde_gradient_rule_constant (sonde_node_get_input (normalisation, k));
  for (gint64 o = 0; o < n; o++)
    {
      double s = sonde_tensor_get_double (info[1], o)
                 / sqrt (sonde_tensor_get_double (info[4], o) + epsilon);
      double b = weights->bias != NULL ? sonde_tensor_get_double (weights->bias, o) : 0.0;

      sonde_tensor_set_double (bias, o,
                               (b - sonde_tensor_get_double (info[3], o)) * s
                                   + sonde_tensor_get_double (info[2], o));
      for (gint64 i = o * each; i < (o + 1) * each; i++)
        sonde_tensor_set_double (weight, i, sonde_tensor_get_double (weights->weight, i) * s);
    }
  weights_clear (weights);
  *weights = (Weights){ weight, bias };
}

static gboolean
read_weights (const SondeNode *node, Weights *weights, GError **error)
{
  SondeTensor *weight = sonde_gradient_rule_constant (sonde_node_get_input (node, 1));
  SondeGraphValue *third = node->inputs->len > 2 ? sonde_node_get_input (node, 2) : NULL;
  SondeTensor *bias = sonde_gradient_rule_constant (third);
  SondeNode *normalisation = sonde_lrp_find_normalisation (node);

  if (weight == NULL || weight->dtype != SONDE_DTYPE_F32 || (third != NULL && bias == NULL))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                       "node “%s”: relevance can be propagated through %s only if its weights are "
                       "constant float32",
                       node->name, node->op);
      return FALSE;
    }
  *weights = (Weights){ sonde_tensor_contiguous (weight),
                        bias != NULL ? sonde_tensor_contiguous (bias) : NULL };
  if (normalisation != NULL)
    fold (weights, normalisation);
  return TRUE;
}

/* w + factor·max (w, 0), or one side of w; NULL of NULL. */
static SondeTensor *
add_positive (SondeTensor *tensor, double rest, double positive, double negative)
{
  SondeTensor *result = tensor != NULL ? sonde_tensor_copy (tensor) : NULL;
  float *to = result != NULL ? (float *) (void *) result->data : NULL;

  for (gint64 i = 0; result != NULL && i < sonde_tensor_n_elements (result); i++)
    to[i]
        = (float) (rest * to[i] + positive * fmaxf (to[i], 0.0f) + negative * fminf (to[i], 0.0f));
  return result;
}

static Weights
change (const Weights *weights, double rest, double positive, double negative)
{
  return (Weights){ add_positive (weights->weight, rest, positive, negative),
                    add_positive (weights->bias, rest, positive, negative) };
}

/* The layer on @a with those weights. */
static SondeNode *
apply (const SondeGradientContext *context, SondeGraphValue *a, const Weights *weights,
       gboolean with_bias)
{
  SondeGraphValue *inputs[3]
      = { a, sonde_build_constant (context->graph, NULL, weights->weight), NULL };

  with_bias = with_bias && weights->bias != NULL;
  if (with_bias)
    inputs[2] = sonde_build_constant (context->graph, NULL, weights->bias);
  return sonde_gradient_rule_copy (context, inputs, with_bias ? 3 : 2);
}

static SondeGraphValue *
multiply (const SondeGradientContext *context, SondeGraphValue *a, SondeGraphValue *b)
{
  return sonde_gradient_rule_binary (context, "Mul", a, b);
}

/* a ⊙ what flows back through @layer from R / z; NULL on errors. */
static SondeGraphValue *
send (const SondeGradientContext *context, SondeGraphValue *a, SondeNode *layer,
      SondeGraphValue *share, GError **error)
{
  SondeGraphValue *back = sonde_gradient_rule_own_first (context, layer, share, error);

  return back != NULL ? multiply (context, a, back) : NULL;
}

/* What the layer gives, the normalisation that was folded into it included. */
static SondeGraphValue *
find_output (const SondeNode *node)
{
  const SondeNode *last = sonde_lrp_find_normalisation (node);

  return sonde_node_get_output (last != NULL ? last : node, 0);
}

/* R_j = Σ_k a_j w_jk / (z_k ± ε) R_k. The layer's own output is z; where a Relu follows, R is 0
 * wherever Relu changes z. */
static gboolean
propagate (SondeGradientContext *context, const SondeLrp *lrp, const Weights *weights,
           GError **error)
{
  SondeGraphValue *a = sonde_gradient_rule_x (context, 0), *z = find_output (context->node),
                  *relu = sonde_lrp_find_relu (lrp, z);
  gboolean folded = sonde_lrp_find_normalisation (context->node) != NULL;
  SondeNode *layer = folded ? apply (context, a, weights, TRUE) : context->node;

  context->input_gradients[0] = send (
      context, a, layer,
      sonde_lrp_share (lrp, context, sonde_gradient_rule_dy (context), relu != NULL ? relu : z),
      error);
  return context->input_gradients[0] != NULL;
}

static gboolean
has_trait (const SondeNode *node, SondeOpTraits trait)
{
  const SondeOpClass *klass = node != NULL ? sonde_op_of_node (node) : NULL;

  return klass != NULL && (klass->traits & trait) != 0;
}

/* Is @value the network's input, only moved? */
static gboolean
is_input (const SondeLrp *lrp, const SondeGraphValue *value)
{
  while (value != lrp->input && value != NULL && value->producer != NULL)
    {
      if (!sonde_node_is (value->producer, SONDE_OP_ID_IDENTITY)
          && !has_trait (value->producer, SONDE_TRAIT_PERMUTES))
        return FALSE;
      value = sonde_node_get_input (value->producer, 0);
    }
  return value == lrp->input;
}

/* @bound, moved as the input was to become @value. */
static SondeGraphValue *
move_bound (const SondeGradientContext *context, const SondeLrp *lrp, SondeGraphValue *value,
            SondeGraphValue *bound)
{
  g_autoptr (GPtrArray) moves = g_ptr_array_new ();

  for (; value != lrp->input; value = sonde_node_get_input (value->producer, 0))
    g_ptr_array_add (moves, value->producer);
  for (guint k = moves->len; k-- > 0;)
    {
      SondeNode *move = g_ptr_array_index (moves, k);
      SondeGradientContext like = *context;
      SondeGraphValue *inputs[2]
          = { bound, move->inputs->len > 1 ? sonde_node_get_input (move, 1) : NULL };

      like.node = move;
      bound = sonde_node_get_output (
          sonde_gradient_rule_copy (&like, inputs, move->inputs->len > 1 ? 2 : 1), 0);
    }
  return bound;
}

/* z^B: R_j = Σ_k (a_j w_jk − l_j w⁺_jk − h_j w⁻_jk) / (their sum) R_k */
static gboolean
propagate_bounded (SondeGradientContext *context, const SondeLrp *lrp, const Weights *weights,
                   GError **error)
{
  g_auto (Weights) positive = change (weights, 0, 1, 0), negative = change (weights, 0, 0, 1);
  const Weights *of[] = { weights, &positive, &negative };
  SondeGraphValue *a = sonde_gradient_rule_x (context, 0), *z = NULL, *share, *sum = NULL;
  SondeGraphValue *from[]
      = { a, move_bound (context, lrp, a, lrp->low), move_bound (context, lrp, a, lrp->high) };
  SondeNode *layers[3];

  for (int k = 0; k < 3; k++)
    {
      layers[k] = apply (context, from[k], of[k], FALSE);
      z = k == 0 ? sonde_node_get_output (layers[k], 0)
                 : sonde_gradient_rule_binary (context, "Sub", z,
                                               sonde_node_get_output (layers[k], 0));
    }
  share = sonde_lrp_share (lrp, context, sonde_gradient_rule_dy (context), z);
  for (int k = 0; k < 3; k++)
    {
      SondeGraphValue *part = send (context, from[k], layers[k], share, error);

      if (part == NULL)
        return FALSE;
      sum = k == 0 ? part : sonde_gradient_rule_binary (context, "Sub", sum, part);
    }
  context->input_gradients[0] = sum;
  return TRUE;
}

/* factor · Σ_k of one sign of a_j w_jk, over its sum: @same are weights of that sign, @other of the
 * other, by a⁻. */
static SondeGraphValue *
propagate_sign (SondeGradientContext *context, const SondeLrp *lrp, SondeGraphValue *const sides[2],
                const Weights *same, const Weights *other, double factor, GError **error)
{
  SondeNode *layers[2]
      = { apply (context, sides[0], same, TRUE), apply (context, sides[1], other, FALSE) };
  SondeGraphValue *z = sonde_gradient_rule_binary (
      context, "Add", sonde_node_get_output (layers[0], 0), sonde_node_get_output (layers[1], 0));
  SondeGraphValue *relevance
      = sonde_gradient_rule_with_number (context, "Mul", sonde_gradient_rule_dy (context), factor);
  SondeGraphValue *share = sonde_lrp_share (lrp, context, relevance, z);
  SondeGraphValue *first = send (context, sides[0], layers[0], share, error);
  SondeGraphValue *second
      = first != NULL ? send (context, sides[1], layers[1], share, error) : NULL;

  return second != NULL ? sonde_gradient_rule_binary (context, "Add", first, second) : NULL;
}

/* α (a w)⁺ / Σ (a w)⁺ − β (a w)⁻ / Σ (a w)⁻ */
static gboolean
propagate_alpha_beta (SondeGradientContext *context, const SondeLrp *lrp, const Weights *weights,
                      GError **error)
{
  g_auto (Weights) positive = change (weights, 0, 1, 0), negative = change (weights, 0, 0, 1);
  SondeGraphValue *a = sonde_gradient_rule_x (context, 0), *sides[2], *gain, *loss = NULL;

  sides[0] = sonde_build_unary (context->graph, "Relu", a);
  sides[1] = sonde_gradient_rule_binary (context, "Sub", a, sides[0]);
  gain = propagate_sign (context, lrp, sides, &positive, &negative, lrp->alpha, error);
  if (gain != NULL && lrp->alpha > 1.0)
    loss = propagate_sign (context, lrp, sides, &negative, &positive, lrp->alpha - 1.0, error);
  if (gain == NULL || (lrp->alpha > 1.0 && loss == NULL))
    return FALSE;
  context->input_gradients[0]
      = loss != NULL ? sonde_gradient_rule_binary (context, "Sub", gain, loss) : gain;
  return TRUE;
}

/* Is nothing in it negative? */
static gboolean
is_positive (const SondeGraphValue *value)
{
  while (has_trait (value->producer, SONDE_TRAIT_KEEPS_POSITIVE))
    value = sonde_node_get_input (value->producer, 0);
  return has_trait (value->producer, SONDE_TRAIT_POSITIVE);
}

/* Σ over @sides of a ⊙ what flows back of @share by that side's weights: of outputs ≥ 0 @swap 0,
 * below 1. */
static SondeGraphValue *
send_sides (const SondeGradientContext *context, SondeGraphValue *const sides[2], guint n_sides,
            const Weights *const weights[2], guint swap, SondeGraphValue *share, GError **error)
{
  SondeGraphValue *sum = NULL;

  for (guint k = 0; k < n_sides; k++)
    {
      SondeGraphValue *part
          = send (context, sides[k], apply (context, sides[k], weights[(k + swap) % 2], FALSE),
                  share, error);

      if (part == NULL)
        return NULL;
      sum = k == 0 ? part : sonde_gradient_rule_binary (context, "Add", sum, part);
    }
  return sum;
}

/* R where the output is below 0, over z + γ·its negative contributions, which is (2 + γ)·z less
 * @z. */
static SondeGraphValue *
share_below (const SondeGradientContext *context, const SondeLrp *lrp, SondeGraphValue *y,
             SondeGraphValue *z)
{
  SondeGraphValue *inputs[] = { sonde_gradient_rule_dy (context), y, z };
  SondeGraphValue *share
      = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "BelowShareGrad", 3, inputs);

  sonde_node_set_float (share->producer, "epsilon", lrp->epsilon);
  sonde_node_set_float (share->producer, "factor", 2.0 + lrp->gamma);
  return share;
}

static SondeGraphValue *
share_above (const SondeGradientContext *context, const SondeLrp *lrp, SondeGraphValue *y,
             SondeGraphValue *z)
{
  SondeGraphValue *inputs[] = { sonde_gradient_rule_dy (context), y, z };
  SondeGraphValue *share
      = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "AboveShareGrad", 3, inputs);

  sonde_node_set_float (share->producer, "epsilon", lrp->epsilon);
  return share;
}

/* z + γ·the positive contributions. */
static SondeGraphValue *
apply_positive (const SondeGradientContext *context, SondeGraphValue *const sides[2], guint n_sides,
                const Weights *const weights[2])
{
  SondeGraphValue *z = sonde_node_get_output (apply (context, sides[0], weights[0], TRUE), 0);

  if (n_sides == 2)
    z = sonde_gradient_rule_binary (
        context, "Add", z, sonde_node_get_output (apply (context, sides[1], weights[1], FALSE), 0));
  return z;
}

/* Of inputs ≥ 0: a ⊙ what flows back of both signs of the output, each by its own weights. */
static SondeGraphValue *
send_signs (const SondeGradientContext *context, SondeGraphValue *a,
            const Weights *const weights[2], SondeGraphValue *const shares[2], GError **error)
{
  SondeGraphValue *back[2];

  for (guint k = 0; k < 2; k++)
    {
      back[k] = sonde_gradient_rule_own_first (context, apply (context, a, weights[k], FALSE),
                                               shares[k], error);
      if (back[k] == NULL)
        return NULL;
    }
  return multiply (context, a, sonde_gradient_rule_binary (context, "Add", back[0], back[1]));
}

/* γ counts the contributions of the output's own sign more, so that the divisor is never less than
 * the output: for inputs and outputs above 0 that is w + γ·max (w, 0). Where a Relu follows,
 * outputs below 0 have no relevance. */
static gboolean
propagate_gamma (SondeGradientContext *context, const SondeLrp *lrp, const Weights *weights,
                 GError **error)
{
  g_auto (Weights) more = change (weights, 1, lrp->gamma, 0),
                   less = change (weights, 1, 0, lrp->gamma);
  const Weights *of[] = { &more, &less };
  SondeGraphValue *a = sonde_gradient_rule_x (context, 0), *y = find_output (context->node),
                  *sides[2] = { a }, *shares[2], *z, *first, *second;
  guint n_sides = is_positive (a) ? 1 : 2;

  if (n_sides == 2)
    {
      sides[0] = sonde_build_unary (context->graph, "Relu", a);
      sides[1] = sonde_gradient_rule_binary (context, "Sub", a, sides[0]);
    }
  z = apply_positive (context, sides, n_sides, of);
  if (sonde_lrp_find_relu (lrp, y) != NULL)
    {
      context->input_gradients[0]
          = send_sides (context, sides, n_sides, of, 0,
                        sonde_lrp_share (lrp, context, sonde_gradient_rule_dy (context), z), error);
      return context->input_gradients[0] != NULL;
    }
  shares[0] = share_above (context, lrp, y, z);
  shares[1] = share_below (context, lrp, y, z);
  if (n_sides == 1)
    {
      context->input_gradients[0] = send_signs (context, a, of, shares, error);
      return context->input_gradients[0] != NULL;
    }
  first = send_sides (context, sides, n_sides, of, 0, shares[0], error);
  second = first != NULL ? send_sides (context, sides, n_sides, of, 1, shares[1], error) : NULL;
  if (second == NULL)
    return FALSE;
  context->input_gradients[0] = sonde_gradient_rule_binary (context, "Add", first, second);
  return TRUE;
}

gboolean
sonde_lrp_build_weighted (SondeGradientContext *context, gpointer data, GError **error)
{
  const SondeLrp *lrp = data;
  gboolean convolves = sonde_op_of_node (context->node)->family == SONDE_FAMILY_CONVOLUTION;
  gboolean composite = lrp->kind == SONDE_LRP_COMPOSITE;
  g_auto (Weights) weights = { NULL };

  if (!read_weights (context->node, &weights, error))
    return FALSE;
  if (composite && is_input (lrp, sonde_gradient_rule_x (context, 0)))
    return propagate_bounded (context, lrp, &weights, error);
  if (lrp->kind == SONDE_LRP_ALPHA_BETA)
    return propagate_alpha_beta (context, lrp, &weights, error);
  if (lrp->kind == SONDE_LRP_EPSILON || (composite && !convolves))
    return propagate (context, lrp, &weights, error);
  return propagate_gamma (context, lrp, &weights, error);
}
