/* SPDX-License-Identifier: Apache-2.0
 * Layer-wise relevance propagation: the target's logit is sent back and split among the inputs. */
#include "explain/attribution/sonde-gradient-lrp.h"

#include <math.h>

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-gradient.h"

#define SEED "explain-seed"
#define LOW "explain-low"
#define HIGH "explain-high"

/**
 * Asked: of one pass
 * @layer: (nullable): value whose relevance is asked for instead of the input's
 */
typedef struct
{
  SondeLrp lrp;
  const char *layer;
} Asked;

/* R = z_c at the output, 0 for other classes. */
static gboolean
build_lrp (SondeExplainerPass *pass, gpointer data, GError **error)
{
  const Asked *asked = data;
  SondeLrp lrp = asked->lrp;
  SondeGraphValue *at = asked->layer != NULL
                            ? sonde_explainer_pass_find_value (pass, asked->layer, error)
                            : pass->input;
  SondeGraphValue *seed = sonde_explainer_pass_add_input (pass, SEED, &pass->logits->type),
                  *relevance;
  SondeGradientRequest request = {
    .targets = &pass->logits, .seeds = &seed, .n_targets = 1, .with_respect_to = &at, .n = 1
  };
  g_autofree SondeGradientRule *rules = sonde_lrp_make_rules (&lrp, &request.n_rules);

  if (at == NULL)
    return FALSE;
  lrp.input = pass->input;
  lrp.logits = pass->logits;
  lrp.low = sonde_explainer_pass_add_input (pass, LOW, &pass->input->type);
  lrp.high = sonde_explainer_pass_add_input (pass, HIGH, &pass->input->type);
  seed = sonde_build_binary (pass->graph, "Mul", seed, pass->logits);
  request.rules = rules;
  if (!sonde_pass_gradient_of (pass->graph, &request, &relevance, error))
    return FALSE;
  g_ptr_array_add (pass->results, relevance);
  g_ptr_array_add (pass->results, pass->logits);
  return TRUE;
}

/* One side of the range, spread over the images: numbers of SPEC, or each image's own least or
 * largest value. */
static SondeTensor *
make_bound (const SondeAttributionRequest *request, const char *key, GError **error)
{
  const char *text = sonde_attribution_spec_get (request->spec, key);
  g_auto (GStrv) items = g_strsplit (text, ",", -1);
  gboolean own = g_str_equal (text, "own"), high = g_str_equal (key, "high");
  guint n_items = g_strv_length (items);
  const SondeShape *shape = &request->inputs->shape;
  gint64 channels = shape->dims[1], plane = shape->dims[2] * shape->dims[3],
         size = channels * plane;
  const float *x = (const float *) (const void *) request->inputs->data;
  SondeTensor *bound;
  float *to;

  if (n_items != 1 && n_items != (guint64) channels)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "%s has %u numbers, but the samples have %" PRIi64
                       " channels; give one number or one per channel.",
                       key, n_items, channels);
      return NULL;
    }
  bound = sonde_tensor_new (SONDE_DTYPE_F32, shape);
  to = (float *) (void *) bound->data;
  for (gint64 i = 0; i < shape->dims[0]; i++, x += size)
    {
      float extreme = x[0];

      for (gint64 k = 1; own && k < size; k++)
        extreme = high ? fmaxf (extreme, x[k]) : fminf (extreme, x[k]);
      for (gint64 k = 0; k < size; k++)
        *to++ = own ? extreme : (float) g_ascii_strtod (items[n_items > 1 ? k / plane : 0], NULL);
    }
  return bound;
}

static SondeLrp
read_spec (const SondeAttributionSpec *spec)
{
  static const char *const kinds[] = { "epsilon", "gamma", "alpha-beta", "composite" };
  SondeLrp lrp = { .epsilon = sonde_attribution_spec_get_number (spec, "epsilon"),
                   .gamma = sonde_attribution_spec_get_number (spec, "gamma"),
                   .alpha = sonde_attribution_spec_get_number (spec, "alpha") };

  for (guint k = 0; k < G_N_ELEMENTS (kinds); k++)
    if (sonde_attribution_spec_is (spec, "rule", kinds[k]))
      lrp.kind = (SondeLrpKind) k;
  return lrp;
}

static gboolean
compute_lrp (SondeExplainer *explainer, const SondeAttributionRequest *request,
             SondeAttributionResult *result, GError **error)
{
  Asked asked = { .lrp = read_spec (request->spec) };
  const SondeLrp *lrp = &asked.lrp;
  const char *name = sonde_attribution_spec_get (request->spec, "layer");
  SondeExplainerLayer *layer
      = name != NULL ? sonde_explainer_find_layer (explainer, name, request->inputs, error) : NULL;
  gint64 n = request->inputs->shape.dims[0];
  g_autoptr (SondeTensor) seeds = name == NULL || layer != NULL
                                      ? sonde_gradient_make_seeds (explainer, request, error)
                                      : NULL;
  g_autoptr (SondeTensor) low = seeds != NULL ? make_bound (request, "low", error) : NULL;
  g_autoptr (SondeTensor) high = low != NULL ? make_bound (request, "high", error) : NULL,
                          logits = NULL;
  g_autofree double *bases = g_new0 (double, n);
  g_autofree char *key = NULL;
  const char *names[] = { NULL, SEED, LOW, HIGH };
  SondeTensor *rows[] = { request->inputs, seeds, low, high }, *results[2] = { NULL };
  SondeExplainerRun run = { .build = build_lrp,
                            .data = &asked,
                            .backward = TRUE,
                            .n_results = 2,
                            .names = names,
                            .rows = rows,
                            .n_rows = 4 };

  if (high == NULL)
    return FALSE;
  asked.layer = layer != NULL ? sonde_explainer_layer_get_name (layer) : NULL;
  run.key = key = g_strdup_printf ("lrp:%d:%.17g:%.17g:%.17g:%s", lrp->kind, lrp->epsilon,
                                   lrp->gamma, lrp->alpha, asked.layer != NULL ? asked.layer : "");
  if (!sonde_explainer_run_rows (explainer, &run, results, error))
    return FALSE;
  result->form = SONDE_MAP_CHANNELS;
  result->maps = results[0];
  logits = results[1];
  result->scores = sonde_gradient_take_scores (logits, seeds);
  result->gaps = sonde_gradient_make_gaps (result->maps, result->scores, bases);
  return TRUE;
}

#define BOUND(key, text)                                                                           \
  {                                                                                                \
    key, "own", SONDE_PARAMETER_NUMBERS, -1e30, 1e30, "own", text                                  \
  }

static const SondeAttributionParameter parameters[] = {
  { "rule", "composite", SONDE_PARAMETER_CHOICE, 0, 0, "composite|epsilon|gamma|alpha-beta",
    "how relevance is split" },
  { "epsilon", "1e-6", SONDE_PARAMETER_NUMBER, 1e-30, 1e6, NULL, "what keeps sums away from 0" },
  { "gamma", "0.25", SONDE_PARAMETER_NUMBER, 0, 1e6, NULL, "how much positive weights count more" },
  { "alpha", "2", SONDE_PARAMETER_NUMBER, 1, 1e6, NULL, "of alpha-beta; beta is one less" },
  BOUND ("low", "least value of an input: one, one a channel, or the image's own"),
  BOUND ("high", "largest value of an input: one, one a channel, or the image's own"),
  SONDE_PARAMETER_LAYER,
  SONDE_PARAMETER_TARGET,
  { NULL },
};

const SondeAttribution sonde_attribution_lrp = {
  .name = "lrp",
  .title = "Layer-wise relevance",
  .summary = N_ ("The pixel's share of the logit of the class, propagated back layer by layer; the "
                 "share of the biases is left out."),
  .parameters = parameters,
  .own_sums = TRUE,
  .aggregate = SONDE_AGGREGATE_SUM,
  .compute = compute_lrp,
};
