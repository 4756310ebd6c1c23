/* SPDX-License-Identifier: Apache-2.0
 * Gradients of images with noise: their mean, mean square and variance. */
#include <math.h>

#include "data/base/sonde-random-fill.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-gradient.h"

/**
 * Noise:
 * @given: (nullable): standard normal numbers [samples, C, H, W], the same for every image
 * @sigmas: (array length=n): of each image
 * @sums, @squares: double [n, size]
 */
typedef struct
{
  const SondeAttributionRequest *request;
  SondeTensor *given;
  double *sigmas, *sums, *squares;
} Noise;

static void
fill_point (gint64 i, gint64 s, const float *x, float *to, gsize n, gpointer data)
{
  const Noise *noise = data;
  const SondeAttributionRequest *request = noise->request;
  guint64 sample = request->samples != NULL ? request->samples[i] : (guint64) i;
  guint64 stream = sonde_random_stream ("explain-noise") + sample * 0x9e3779b97f4a7c15u;
  guint64 first = (guint64) s * ((n + 1) / 2);
  float sigma = (float) noise->sigmas[i];

  if (noise->given != NULL)
    {
      const float *given = (const float *) (const void *) noise->given->data + (gsize) s * n;

      for (gsize k = 0; k < n; k++)
        to[k] = x[k] + sigma * given[k];
      return;
    }
  /* two numbers from two, so that each belongs to its place */
  for (gsize k = 0; k < n; k += 2 * SONDE_RANDOM_BLOCK)
    {
      double pairs[2][SONDE_RANDOM_BLOCK];
      gsize count = MIN (2 * SONDE_RANDOM_BLOCK, n - k);

      sonde_random_fill_normal (request->seed, stream, first + k / 2, pairs[0], pairs[1]);
      for (gsize p = 0; p < count; p++)
        to[k + p] = x[k + p] + sigma * (float) pairs[p % 2][p / 2];
    }
}

static void
take_point (gint64 i, gint64 s, const float *gradient, gsize n, gpointer data)
{
  const Noise *noise = data;
  double *sums = noise->sums + (gsize) i * n, *squares = noise->squares + (gsize) i * n;

  (void) s;
  for (gsize k = 0; k < n; k++)
    {
      sums[k] += gradient[k];
      squares[k] += (double) gradient[k] * gradient[k];
    }
}

/* sigma × (max − min) of each image. Returns how many have none. */
static gint64
measure_sigmas (const SondeAttributionRequest *request, double *sigmas)
{
  double factor = sonde_attribution_spec_get_number (request->spec, "sigma");
  gint64 n = request->inputs->shape.dims[0], size = sonde_tensor_n_elements (request->inputs) / n,
         flat = 0;
  const float *x = (const float *) (const void *) request->inputs->data;

  for (gint64 i = 0; i < n; i++, x += size)
    {
      float least = x[0], most = x[0];

      for (gint64 k = 1; k < size; k++)
        {
          least = fminf (least, x[k]);
          most = fmaxf (most, x[k]);
        }
      sigmas[i] = factor * ((double) most - (double) least);
      flat += most == least;
    }
  return flat;
}

/* samples= where it is given, else as many as the file of noise holds. */
static gboolean
read_noise (const SondeAttributionRequest *request, gint64 *n_points, SondeTensor **given,
            GError **error)
{
  SondeShape shape = request->inputs->shape;

  *n_points = sonde_attribution_spec_get_count (request->spec, "samples");
  if (sonde_attribution_spec_get (request->spec, "noise") == NULL)
    return TRUE;
  shape.dims[0] = sonde_attribution_spec_has (request->spec, "samples") ? *n_points : -1;
  *given = sonde_attribution_spec_read (request->spec, "noise", &shape, error);
  if (*given == NULL)
    return FALSE;
  *n_points = (*given)->shape.dims[0];
  if (*n_points > 0)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "noise: the file contains no samples.");
  return FALSE;
}

static gboolean
sample_noise (SondeGradientPlace *place, SondeTensor *seeds, Noise *noise, gint64 *n_points,
              SondeAttributionResult *result, GError **error)
{
  SondeScore score = sonde_attribution_spec_get_score (place->request.spec);
  SondeGradientSamples samples
      = { .score = score, .fill = fill_point, .take = take_point, .data = noise };

  if (!read_noise (&place->request, n_points, &noise->given, error))
    return FALSE;
  samples.n_points = *n_points;
  result->scores = sonde_gradient_score (place, seeds, score, error);
  return result->scores != NULL && sonde_gradient_sample (place, seeds, &samples, error);
}

typedef double (*Moment) (double mean, double square);

static double
moment_mean (double mean, double square)
{
  (void) square;
  return mean;
}

static double
moment_square (double mean, double square)
{
  (void) mean;
  return square;
}

static double
moment_variance (double mean, double square)
{
  return fmax (square - mean * mean, 0.0);
}

static gboolean
compute_moment (SondeExplainer *explainer, const SondeAttributionRequest *request, Moment moment,
                SondeAttributionResult *result, GError **error)
{
  g_autoptr (SondeTensor) seeds = sonde_gradient_make_seeds (explainer, request, error);
  g_auto (SondeGradientPlace) place = { NULL };
  g_autofree double *sigmas = NULL, *sums = NULL, *squares = NULL;
  Noise noise = { .request = &place.request };
  gint64 total, n_points = 1, flat;
  gboolean good;
  float *to;

  if (seeds == NULL || !sonde_gradient_place_init (&place, explainer, request, error))
    return FALSE;
  total = sonde_tensor_n_elements (place.request.inputs);
  noise.sigmas = sigmas = g_new0 (double, request->inputs->shape.dims[0]);
  noise.sums = sums = g_new0 (double, total);
  noise.squares = squares = g_new0 (double, total);
  flat = measure_sigmas (&place.request, sigmas);
  good = sample_noise (&place, seeds, &noise, &n_points, result, error);
  g_clear_pointer (&noise.given, sonde_tensor_unref);
  if (!good)
    return FALSE;
  result->form = SONDE_MAP_CHANNELS;
  result->maps = sonde_tensor_new (SONDE_DTYPE_F32, &place.request.inputs->shape);
  to = (float *) (void *) result->maps->data;
  for (gint64 k = 0; k < total; k++)
    to[k] = (float) moment (sums[k] / (double) n_points, squares[k] / (double) n_points);
  if (flat > 0)
    sonde_note_add (&result->note, "%" PRIi64 " images are constant: they got no noise.", flat);
  return TRUE;
}

#define ROW(symbol, key, moment, heading, text)                                                    \
  static gboolean compute_##symbol (SondeExplainer *explainer,                                     \
                                    const SondeAttributionRequest *request,                        \
                                    SondeAttributionResult *result, GError **error)                \
  {                                                                                                \
    return compute_moment (explainer, request, moment, result, error);                             \
  }                                                                                                \
  const SondeAttribution sonde_attribution_##symbol = {                                            \
    .name = key,                                                                                   \
    .title = heading,                                                                              \
    .summary = text,                                                                               \
    .parameters = parameters,                                                                      \
    .own_sums = TRUE,                                                                              \
    .compute = compute_##symbol,                                                                   \
  };

static const SondeAttributionParameter parameters[] = {
  SONDE_PARAMETER_SCORE ("logit"),
  { "samples", "32", SONDE_PARAMETER_COUNT, 1, 100000, NULL, "images with noise" },
  { "sigma", "0.15", SONDE_PARAMETER_NUMBER, 0, 1e6, NULL,
    "of the noise, × (max − min) of the image or of the layer's values" },
  { "noise", NULL, SONDE_PARAMETER_TEXT, 0, 0, NULL,
    ".npy of normal numbers [samples, C, H, W] instead of drawn ones" },
  SONDE_PARAMETER_LAYER,
  SONDE_PARAMETER_TARGET,
  SONDE_PARAMETER_NEURON,
  { NULL },
};

ROW (smoothgrad, "smoothgrad", moment_mean, "SmoothGrad",
     N_ ("The gradient, averaged over images with added noise."))
ROW (smoothgrad_sq, "smoothgrad-sq", moment_square, "SmoothGrad²",
     N_ ("The squared gradient, averaged over images with added noise; it has no sign."))
ROW (vargrad, "vargrad", moment_variance, "VarGrad",
     N_ ("The variance of the gradient over images with added noise; it has no sign."))
