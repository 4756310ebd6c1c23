/* SPDX-License-Identifier: Apache-2.0
 * The plain gradient, its product with the input, and the gradient of a difference. */
#include "explain/attribution/sonde-gradient.h"

#include <string.h>

#include "explain/attribution/sonde-attribution-spec.h"

SondeTensor *
sonde_gradient_make_seeds (SondeExplainer *explainer, const SondeAttributionRequest *request,
                           GError **error)
{
  SondeTensor *targets = request->targets;
  gint64 n = targets->shape.dims[0],
         classes = sonde_explainer_get_n_classes (explainer, request->inputs, error);
  SondeShape shape = sonde_shape_from_array (2, (gint64[]){ n, classes });
  g_autofree float *factors = NULL;
  SondeTensor *seeds;
  float *to;

  if (classes < 0 || !sonde_attribution_spec_make_target (request->spec, classes, &factors, error))
    return NULL;
  seeds = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  to = (float *) (void *) seeds->data;
  for (gint64 i = 0; i < n; i++)
    if (factors != NULL)
      memcpy (to + i * classes, factors, (gsize) classes * sizeof (float));
    else if (targets->shape.rank == 1)
      to[i * classes + sonde_tensor_get_int (targets, i)] = 1.0f;
    else
      {
        to[i * classes + sonde_tensor_get_int (targets, 2 * i)] += 1.0f;
        to[i * classes + sonde_tensor_get_int (targets, 2 * i + 1)] -= 1.0f;
      }
  return seeds;
}

double
sonde_gradient_combine (SondeTensor *scores, gint64 at, SondeTensor *seeds, gint64 row)
{
  gint64 classes = seeds->shape.dims[1];
  const float *factors = (const float *) (const void *) seeds->data + row * classes;
  double sum = 0.0;

  for (gint64 c = 0; c < classes; c++)
    if (factors[c] != 0)
      sum += (double) factors[c] * sonde_tensor_get_double (scores, at * classes + c);
  return sum;
}

SondeTensor *
sonde_gradient_take_scores (SondeTensor *scores, SondeTensor *seeds)
{
  gint64 n = seeds->shape.dims[0];
  SondeShape shape = sonde_shape_from_array (1, &n);
  SondeTensor *taken = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < n; i++)
    sonde_tensor_set_double (taken, i, sonde_gradient_combine (scores, i, seeds, i));
  return taken;
}

void
sonde_gradient_multiply (SondeTensor *a, SondeTensor *b, SondeTensor *to)
{
  const float *x = (const float *) (const void *) a->data,
              *y = (const float *) (const void *) b->data;
  float *z = (float *) (void *) to->data;
  gint64 n = sonde_tensor_n_elements (to);

  for (gint64 i = 0; i < n; i++)
    z[i] = x[i] * y[i];
}

gboolean
sonde_gradient_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                        const SondeExplainerBackward *how, SondeAttributionResult *result,
                        SondeTensor **values, GError **error)
{
  g_autoptr (SondeTensor) seeds = sonde_gradient_make_seeds (explainer, request, error),
                          scores = NULL;

  if (seeds == NULL)
    return FALSE;
  result->form = SONDE_MAP_CHANNELS;
  result->maps
      = sonde_explainer_backward (explainer, request->inputs, seeds, how, &scores, values, error);
  if (result->maps == NULL)
    return FALSE;
  result->scores = sonde_gradient_take_scores (scores, seeds);
  return TRUE;
}

static SondeExplainerBackward
read_how (const SondeAttributionRequest *request)
{
  return (SondeExplainerBackward){ .score = sonde_attribution_spec_get_score (request->spec),
                                   .layer = sonde_attribution_spec_get (request->spec, "layer") };
}

static gboolean
compute_saliency (SondeExplainer *explainer, const SondeAttributionRequest *request,
                  SondeAttributionResult *result, GError **error)
{
  SondeExplainerBackward how = read_how (request);

  return sonde_gradient_compute (explainer, request, &how, result, NULL, error);
}

static gboolean
compute_input_x_gradient (SondeExplainer *explainer, const SondeAttributionRequest *request,
                          SondeAttributionResult *result, GError **error)
{
  SondeExplainerBackward how = read_how (request);
  g_autoptr (SondeTensor) values = NULL, product = NULL;

  if (!sonde_gradient_compute (explainer, request, &how, result, &values, error))
    return FALSE;
  product = sonde_tensor_new (SONDE_DTYPE_F32, &result->maps->shape);
  sonde_gradient_multiply (values, result->maps, product);
  sonde_tensor_unref (result->maps);
  result->maps = g_steal_pointer (&product);
  return TRUE;
}

static const SondeAttributionParameter parameters[] = {
  SONDE_PARAMETER_SCORE ("logit"),
  SONDE_PARAMETER_LAYER,
  SONDE_PARAMETER_TARGET,
  SONDE_PARAMETER_NEURON,
  { NULL },
};

static const SondeAttributionParameter pair_parameters[] = {
  SONDE_PARAMETER_SCORE ("logit"),
  SONDE_PARAMETER_LAYER,
  { NULL },
};

const SondeAttribution sonde_attribution_saliency = {
  .name = "saliency",
  .title = "Gradient",
  .summary = N_ ("How much the score of the class rises when the pixel value rises slightly; "
                 "negative where it falls."),
  .parameters = parameters,
  .own_sums = TRUE,
  .compute = compute_saliency,
};

const SondeAttribution sonde_attribution_input_x_gradient = {
  .name = "input-x-gradient",
  .title = "Input × gradient",
  .summary = N_ ("The pixel's contribution to the score of the class in a linear approximation."),
  .parameters = parameters,
  .own_sums = TRUE,
  .aggregate = SONDE_AGGREGATE_SUM,
  .compute = compute_input_x_gradient,
};

const SondeAttribution sonde_attribution_contrast_gradient = {
  .name = "contrast-gradient",
  .title = "Contrast gradient",
  .summary = N_ ("How much the lead of the predicted class over the true class rises when the "
                 "pixel value rises slightly."),
  .parameters = pair_parameters,
  .takes_pair = TRUE,
  .compute = compute_saliency,
};
