/* SPDX-License-Identifier: Apache-2.0
 * DeepLift, rescale rule: multipliers instead of derivatives. The baseline runs once, forward only;
 * what non-linear nodes read and made there are inputs of the backward graph. */
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-gradient-rule.h"
#include "explain/attribution/sonde-gradient.h"

#define LEAST_DIFFERENCE 1e-10
#define SEED "explain-seed"

static char *
reference_name (const SondeGraphValue *value)
{
  return g_strdup_printf ("reference(%s)", value->name);
}

/* ---- the run of the baseline --------------------------------------------- */

static SondeAttributionClass
class_of (const SondeNode *node)
{
  const SondeOpClass *klass = node != NULL ? sonde_op_of_node (node) : NULL;

  return klass != NULL ? klass->attribution : SONDE_ATTRIBUTION_GRADIENT;
}

static gboolean
is_rescaled (SondeAttributionClass attribution)
{
  return attribution == SONDE_ATTRIBUTION_ACTIVATION || attribution == SONDE_ATTRIBUTION_NONLINEAR;
}

/* Linear in each of two inputs. */
static gboolean
is_bilinear (SondeAttributionClass attribution)
{
  return attribution == SONDE_ATTRIBUTION_PRODUCT || attribution == SONDE_ATTRIBUTION_MATMUL;
}

static void
add_result (SondeExplainerPass *pass, SondeGraphValue *value)
{
  if (value != NULL && value->constant == NULL && value->type.dtype == SONDE_DTYPE_F32
      && !g_ptr_array_find (pass->results, value, NULL))
    g_ptr_array_add (pass->results, value);
}

/* The logits, and what rules compare with. */
static gboolean
build_reference (SondeExplainerPass *pass, gpointer data, GError **error)
{
  (void) data;
  (void) error;
  g_ptr_array_add (pass->results, pass->logits);
  for (guint i = 0; i < pass->graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (pass->graph->nodes, i);
      const SondeAttributionClass attribution = class_of (node);
      const gboolean pair = is_bilinear (attribution);

      if (!pair && !is_rescaled (attribution) && attribution != SONDE_ATTRIBUTION_MAX_POOL)
        continue;
      add_result (pass, sonde_node_get_input (node, 0));
      if (!sonde_node_is (node, SONDE_OP_ID_RELU))
        add_result (pass, pair ? sonde_node_get_input (node, 1) : sonde_node_get_output (node, 0));
    }
  return TRUE;
}

/* ---- rules --------------------------------------------------------------- */

/**
 * Deep: of the rules
 * @alone: one baseline for all samples
 * @layer: (nullable): value whose multipliers are asked for instead of the input's
 */
typedef struct
{
  SondeExplainerPass *pass;
  gboolean alone;
  const char *layer;
} Deep;

/* The value as it was for the baseline. */
static SondeGraphValue *
make_reference (Deep *deep, SondeGraphValue *value)
{
  g_autofree char *name = reference_name (value);
  SondeGraphValue *known = sonde_graph_find_value (deep->pass->graph, name);
  SondeType type = value->type;
  SondeShape shape;

  if (known != NULL)
    return known;
  if (deep->alone && sonde_type_get_shape (&value->type, &shape) && shape.rank > 0)
    {
      shape.dims[0] = 1;
      type = sonde_type_tensor (value->type.dtype, &shape);
    }
  return sonde_explainer_pass_add_input (deep->pass, name, &type);
}

/* @top / @difference where that is one, else @plain: what the division gives there is not taken. */
static SondeGraphValue *
divide (SondeGradientContext *context, SondeGraphValue *top, SondeGraphValue *difference,
        SondeGraphValue *plain)
{
  SondeGraphValue *size = sonde_build_unary (context->graph, "Abs", difference);
  SondeGraphValue *none = sonde_gradient_rule_with_number (context, "Less", size, LEAST_DIFFERENCE);

  return sonde_gradient_rule_where (context, none, plain,
                                    sonde_gradient_rule_binary (context, "Div", top, difference));
}

/* Rescaling of Relu in one node. */
static void
rescale_relu (SondeGradientContext *context, gpointer data)
{
  SondeGraphValue *x = sonde_gradient_rule_x (context, 0);
  SondeGraphValue *inputs[] = { sonde_gradient_rule_dy (context), x, make_reference (data, x) };

  context->input_gradients[0]
      = sonde_build_op (context->graph, NULL, SONDE_DOMAIN, "ReluRescaleGrad", 3, inputs);
}

static gboolean
build_rescale (SondeGradientContext *context, gpointer data, GError **error)
{
  SondeGraphValue *dy = sonde_gradient_rule_dy (context), *x = sonde_gradient_rule_x (context, 0);
  SondeGraphValue *y = sonde_node_get_output (context->node, 0), *plain, *top, *difference;

  if (sonde_node_is (context->node, SONDE_OP_ID_RELU))
    {
      rescale_relu (context, data);
      return TRUE;
    }
  plain = sonde_gradient_rule_own_first (context, context->node, dy, error);
  if (plain == NULL)
    return FALSE;
  difference = sonde_gradient_rule_binary (context, "Sub", x, make_reference (data, x));
  top = sonde_gradient_rule_binary (
      context, "Mul", dy, sonde_gradient_rule_binary (context, "Sub", y, make_reference (data, y)));
  context->input_gradients[0] = divide (context, top, difference, plain);
  return TRUE;
}

/* To the winner of x goes what the larger output is above the baseline's, to the winner of the
 * baseline what the output is above the larger one: together the difference of the outputs. */
static gboolean
build_max_pool (SondeGradientContext *context, gpointer data, GError **error)
{
  SondeGraphValue *dy = sonde_gradient_rule_dy (context), *x = sonde_gradient_rule_x (context, 0);
  SondeGraphValue *y = sonde_node_get_output (context->node, 0);
  SondeGraphValue *x0 = make_reference (data, x), *y0 = make_reference (data, y), *parts[3],
                  *wide[2], *most;
  SondeNode *reference;
  SondeShape shape;

  if (!sonde_type_get_shape (&x->type, &shape))
    return FALSE;
  wide[0] = x0;
  wide[1] = sonde_build_ints (context->graph, shape.dims, (gsize) shape.rank);
  x0 = sonde_build_op (context->graph, NULL, "", "Expand", 2, wide);
  most = sonde_gradient_rule_binary (context, "Max", y, y0);
  reference = sonde_gradient_rule_copy (context, &x0, 1);
  parts[0] = sonde_gradient_rule_own_first (
      context, context->node,
      sonde_gradient_rule_binary (context, "Mul", dy,
                                  sonde_gradient_rule_binary (context, "Sub", most, y0)),
      error);
  parts[1] = parts[0] == NULL
                 ? NULL
                 : sonde_gradient_rule_own_first (
                     context, reference,
                     sonde_gradient_rule_binary (
                         context, "Mul", dy, sonde_gradient_rule_binary (context, "Sub", y, most)),
                     error);
  parts[2]
      = parts[1] == NULL ? NULL : sonde_gradient_rule_own_first (context, context->node, dy, error);
  if (parts[2] == NULL)
    return FALSE;
  context->input_gradients[0]
      = divide (context, sonde_gradient_rule_binary (context, "Add", parts[0], parts[1]),
                sonde_gradient_rule_binary (context, "Sub", x, x0), parts[2]);
  return TRUE;
}

/* Of a product of two that vary: each at the mean of the other. */
static gboolean
build_bilinear (SondeGradientContext *context, gpointer data, GError **error)
{
  SondeGraphValue *means[2];

  if (!context->wanted[0] || !context->wanted[1])
    return sonde_gradient_rule_own (context, context->node, sonde_gradient_rule_dy (context),
                                    context->input_gradients, error);
  for (guint k = 0; k < 2; k++)
    {
      SondeGraphValue *x = sonde_gradient_rule_x (context, k);

      means[k] = sonde_gradient_rule_with_number (
          context, "Mul", sonde_gradient_rule_binary (context, "Add", x, make_reference (data, x)),
          0.5);
    }
  return sonde_gradient_rule_own (context, sonde_gradient_rule_copy (context, means, 2),
                                  sonde_gradient_rule_dy (context), context->input_gradients,
                                  error);
}

static SondeGradientRuleBuild *const builds[SONDE_N_ATTRIBUTION_CLASSES] = {
  [SONDE_ATTRIBUTION_ACTIVATION] = build_rescale, [SONDE_ATTRIBUTION_NONLINEAR] = build_rescale,
  [SONDE_ATTRIBUTION_PRODUCT] = build_bilinear,   [SONDE_ATTRIBUTION_MATMUL] = build_bilinear,
  [SONDE_ATTRIBUTION_MAX_POOL] = build_max_pool,
};

static gboolean
build_deeplift (SondeExplainerPass *pass, gpointer data, GError **error)
{
  const Deep *asked = data;
  Deep deep = { pass, asked->alone, asked->layer };
  SondeGraphValue *at = asked->layer != NULL
                            ? sonde_explainer_pass_find_value (pass, asked->layer, error)
                            : pass->input;
  SondeGraphValue *seed = sonde_explainer_pass_add_input (pass, SEED, &pass->logits->type),
                  *gradient;
  SondeGradientRequest request = {
    .targets = &pass->logits, .seeds = &seed, .n_targets = 1, .with_respect_to = &at, .n = 1
  };
  g_autofree SondeGradientRule *rules = NULL;

  if (at == NULL)
    return FALSE;
  rules = sonde_gradient_rules_of_classes (builds, NULL, "deeplift", &deep, &request.n_rules);
  request.rules = rules;
  if (!sonde_pass_gradient_of (pass->graph, &request, &gradient, error))
    return FALSE;
  g_ptr_array_add (pass->results, gradient);
  g_ptr_array_add (pass->results, pass->logits);
  return TRUE;
}

/* ---- the method ---------------------------------------------------------- */

/* (element-type SondeTensor): what build_reference() names, and those names. */
static GPtrArray *
run_baseline (SondeExplainer *explainer, SondeTensor *baseline, GPtrArray *names, GError **error)
{
  SondeShape one = baseline->shape;
  const char *input = NULL;
  SondeExplainerRun run = { .key = "deeplift-reference",
                            .build = build_reference,
                            .names = &input,
                            .rows = &baseline,
                            .n_rows = 1 };
  g_autoptr (GPtrArray) results
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeExplainerPass *pass;

  one.dims[0] = MIN (one.dims[0], sonde_explainer_get_batch (explainer, baseline, FALSE));
  pass = sonde_explainer_find_pass (explainer, run.key, &one, run.build, run.data, error);
  if (pass == NULL)
    return NULL;
  for (guint k = 0; k < pass->results->len; k++)
    g_ptr_array_add (names, reference_name (g_ptr_array_index (pass->results, k)));
  run.n_results = pass->results->len;
  g_ptr_array_set_size (results, (int) run.n_results);
  return sonde_explainer_run_rows (explainer, &run, (SondeTensor **) results->pdata, error)
             ? g_steal_pointer (&results)
             : NULL;
}

/* Multipliers and logits. */
static gboolean
run_samples (SondeExplainer *explainer, const SondeAttributionRequest *request, SondeTensor *seeds,
             GPtrArray *references, GPtrArray *names, const Deep *deep, SondeTensor **results,
             GError **error)
{
  g_autoptr (GPtrArray) row_names = g_ptr_array_new (), rows = g_ptr_array_new ();
  g_autofree char *key = g_strdup_printf ("deeplift:%s:%s", deep->alone ? "one" : "each",
                                          deep->layer != NULL ? deep->layer : "");
  SondeExplainerRun run = {
    .key = key, .build = build_deeplift, .data = (gpointer) deep, .backward = TRUE, .n_results = 2
  };

  g_ptr_array_add (row_names, NULL);
  g_ptr_array_add (rows, request->inputs);
  g_ptr_array_add (row_names, (gpointer) SEED);
  g_ptr_array_add (rows, seeds);
  for (guint k = 0; !deep->alone && k < names->len; k++)
    {
      g_ptr_array_add (row_names, g_ptr_array_index (names, k));
      g_ptr_array_add (rows, g_ptr_array_index (references, k));
    }
  run.names = (const char *const *) row_names->pdata;
  run.rows = (SondeTensor *const *) rows->pdata;
  run.n_rows = rows->len;
  run.fixed_names = (const char *const *) names->pdata;
  run.fixed = (SondeTensor *const *) references->pdata;
  run.n_fixed = deep->alone ? names->len : 0;
  return sonde_explainer_run_rows (explainer, &run, results, error);
}

/* map = multiplier · (x − b) */
static void
multiply_difference (SondeTensor *multipliers, SondeTensor *inputs, SondeTensor *baseline,
                     SondeTensor *maps)
{
  gint64 n = inputs->shape.dims[0], size = sonde_tensor_n_elements (inputs) / n;
  const float *m = (const float *) (const void *) multipliers->data,
              *x = (const float *) (const void *) inputs->data;
  float *to = (float *) (void *) maps->data;

  for (gint64 i = 0; i < n; i++)
    {
      const float *b = (const float *) (const void *) baseline->data
                       + (baseline->shape.dims[0] == 1 ? 0 : i * size);

      for (gint64 k = 0; k < size; k++)
        to[i * size + k] = m[i * size + k] * (x[i * size + k] - b[k]);
    }
}

static double *
take_bases (SondeTensor *logits, SondeTensor *seeds)
{
  gint64 n = seeds->shape.dims[0];
  double *bases = g_new (double, n);

  for (gint64 i = 0; i < n; i++)
    bases[i] = sonde_gradient_combine (logits, logits->shape.dims[0] == 1 ? 0 : i, seeds, i);
  return bases;
}

static gboolean
compute_deeplift (SondeExplainer *explainer, const SondeAttributionRequest *request,
                  SondeAttributionResult *result, GError **error)
{
  g_autoptr (SondeTensor) baseline
      = sonde_attribution_spec_make_baseline (request->spec, request->inputs, error),
      base = NULL;
  g_autoptr (SondeTensor) seeds
      = baseline != NULL ? sonde_gradient_make_seeds (explainer, request, error) : NULL;
  g_autoptr (SondeTensor) multipliers = NULL, logits = NULL;
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free), references = NULL;
  g_auto (SondeGradientPlace) place = { NULL };
  g_autofree double *bases = NULL;
  SondeTensor *results[2] = { NULL };
  Deep deep = { .alone = baseline != NULL && baseline->shape.dims[0] == 1 };

  if (seeds == NULL || !sonde_gradient_place_init (&place, explainer, request, error))
    return FALSE;
  deep.layer = place.layer != NULL ? sonde_explainer_layer_get_name (place.layer) : NULL;
  base = sonde_gradient_place_move (&place, baseline, error);
  references = base != NULL ? run_baseline (explainer, baseline, names, error) : NULL;
  if (references == NULL
      || !run_samples (explainer, request, seeds, references, names, &deep, results, error))
    return FALSE;
  multipliers = results[0];
  logits = results[1];
  result->form = SONDE_MAP_CHANNELS;
  result->maps = sonde_tensor_new (SONDE_DTYPE_F32, &place.request.inputs->shape);
  multiply_difference (multipliers, place.request.inputs, base, result->maps);
  result->scores = sonde_gradient_take_scores (logits, seeds);
  bases = take_bases (g_ptr_array_index (references, 0), seeds);
  result->gaps = sonde_gradient_make_gaps (result->maps, result->scores, bases);
  return TRUE;
}

static const SondeAttributionParameter parameters[] = {
  SONDE_PARAMETER_BASELINE,
  SONDE_PARAMETER_LAYER,
  SONDE_PARAMETER_TARGET,
  SONDE_PARAMETER_NEURON,
  { NULL },
};

const SondeAttribution sonde_attribution_deeplift = {
  .name = "deeplift",
  .title = "DeepLift",
  .summary = N_ ("How much the pixel's difference from the baseline adds to the logit of the "
                 "class; the pixels sum to the total difference."),
  .parameters = parameters,
  .own_sums = TRUE,
  .aggregate = SONDE_AGGREGATE_SUM,
  .compute = compute_deeplift,
};
