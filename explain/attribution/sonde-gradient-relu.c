/* SPDX-License-Identifier: Apache-2.0
 * Guided back-propagation and deconvolution: the gradient with another rule for ReLU. */
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-gradient-rule.h"
#include "explain/attribution/sonde-gradient.h"

/* max (dy, 0) and then the operator's own rule. */
static gboolean
build_guided (SondeGradientContext *context, gpointer data, GError **error)
{
  SondeGraphValue *positive
      = sonde_build_unary (context->graph, "Relu", sonde_gradient_rule_dy (context));

  (void) data;
  context->input_gradients[0]
      = sonde_gradient_rule_own_first (context, context->node, positive, error);
  return context->input_gradients[0] != NULL;
}

/* max (dy, 0), whatever the input was. */
static gboolean
build_deconvolution (SondeGradientContext *context, gpointer data, GError **error)
{
  (void) data;
  (void) error;
  context->input_gradients[0]
      = sonde_build_unary (context->graph, "Relu", sonde_gradient_rule_dy (context));
  return TRUE;
}

static gboolean
compute_with (SondeExplainer *explainer, const SondeAttributionRequest *request, const char *name,
              gboolean (*build) (SondeGradientContext *context, gpointer data, GError **error),
              SondeAttributionResult *result, GError **error)
{
  const SondeGradientRule rules[] = {
    { .domain = "", .op = "Relu", .name = name, .build = build },
    { .domain = "", .op = "Clip", .name = name, .build = build },
  };
  SondeExplainerBackward how = { .score = sonde_attribution_spec_get_score (request->spec),
                                 .layer = sonde_attribution_spec_get (request->spec, "layer"),
                                 .name = name,
                                 .rules = rules,
                                 .n_rules = G_N_ELEMENTS (rules) };

  if (!sonde_gradient_compute (explainer, request, &how, result, NULL, error))
    return FALSE;
  if (!sonde_explainer_has_op (explainer, SONDE_OP_ID_RELU)
      && !sonde_explainer_has_op (explainer, SONDE_OP_ID_CLIP))
    sonde_note_add (&result->note, "The network has no ReLU, so the map equals the gradient.");
  return TRUE;
}

static gboolean
compute_guided (SondeExplainer *explainer, const SondeAttributionRequest *request,
                SondeAttributionResult *result, GError **error)
{
  return compute_with (explainer, request, "guided-backprop", build_guided, result, error);
}

static gboolean
compute_deconvolution (SondeExplainer *explainer, const SondeAttributionRequest *request,
                       SondeAttributionResult *result, GError **error)
{
  return compute_with (explainer, request, "deconvolution", build_deconvolution, result, error);
}

static const SondeAttributionParameter parameters[] = {
  SONDE_PARAMETER_SCORE ("logit"),
  SONDE_PARAMETER_LAYER,
  SONDE_PARAMETER_TARGET,
  SONDE_PARAMETER_NEURON,
  { NULL },
};

const SondeAttribution sonde_attribution_guided_backprop = {
  .name = "guided-backprop",
  .title = "Guided back-propagation",
  .summary = N_ ("The gradient along paths on which every step supports the class; it hardly "
                 "depends on the class."),
  .parameters = parameters,
  .own_sums = TRUE,
  .compute = compute_guided,
};

const SondeAttribution sonde_attribution_deconvolution = {
  .name = "deconvolution",
  .title = "Deconvolution",
  .summary = N_ ("The class propagated back through the network, positive parts only; it hardly "
                 "depends on the class."),
  .parameters = parameters,
  .own_sums = TRUE,
  .compute = compute_deconvolution,
};
