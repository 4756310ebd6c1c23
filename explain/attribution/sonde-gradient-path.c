/* SPDX-License-Identifier: Apache-2.0
 * Gradients along the straight path from a baseline: integrated and expected gradients. */
#include <math.h>

#include "data/base/sonde-random.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/attribution/sonde-gradient.h"

#define FIRST_STEPS 50
#define MOST_STEPS 800

/**
 * Path:
 * @request: of @place, whose values are images or a layer's
 * @baselines: rows of such values: 1, one a sample, or any number to draw from
 * @draw: a random one each time, and a random place on its stretch of the path
 * @alphas, @weights: (array length=n): of the other
 * @sums: double [n, size]
 */
typedef struct
{
  SondeGradientPlace *place;
  const SondeAttributionRequest *request;
  SondeTensor *baselines, *seeds;
  gboolean draw;
  gint64 n;
  double *alphas, *weights;
  double *sums;
} Path;

static gint64
get_sample (const Path *path, gint64 i)
{
  return path->request->samples != NULL ? (gint64) path->request->samples[i] : i;
}

static double
draw (const Path *path, const char *what, gint64 i, gint64 s)
{
  guint64 stream
      = sonde_random_stream (what) + (guint64) get_sample (path, i) * 0x9e3779b97f4a7c15u;

  return sonde_random_uniform (path->request->seed, stream, (guint64) s);
}

static gint64
find_row (const Path *path, gint64 i, gint64 s)
{
  gint64 rows = path->baselines->shape.dims[0];

  if (rows == 1 || !path->draw)
    return rows == 1 ? 0 : i;
  return (gint64) (draw (path, "explain-background", i, s) * (double) rows);
}

static const float *
find_baseline (const Path *path, gint64 i, gint64 s, gsize size)
{
  return (const float *) (const void *) path->baselines->data
         + (gsize) find_row (path, i, s) * size;
}

static void
fill_point (gint64 i, gint64 s, const float *x, float *to, gsize n, gpointer data)
{
  const Path *path = data;
  const float *b = find_baseline (path, i, s, n);
  double alpha = path->draw ? ((double) s + draw (path, "explain-alpha", i, s)) / (double) path->n
                            : path->alphas[s];

  for (gsize k = 0; k < n; k++)
    to[k] = (float) ((double) b[k] + alpha * ((double) x[k] - (double) b[k]));
}

static void
take_point (gint64 i, gint64 s, const float *gradient, gsize n, gpointer data)
{
  const Path *path = data;
  const float *x = (const float *) (const void *) path->request->inputs->data + (gsize) i * n;
  const float *b = find_baseline (path, i, s, n);
  double *sums = path->sums + (gsize) i * n,
         weight = path->draw ? 1.0 / (double) path->n : path->weights[s];

  for (gsize k = 0; k < n; k++)
    sums[k] += weight * (double) gradient[k] * ((double) x[k] - (double) b[k]);
}

/* Nodes and weights on [0, 1]; Newton on the Legendre polynomial, whose roots are close to
 * cosines. */
static void
make_gauss_legendre (gint64 n, double *nodes, double *weights)
{
  for (gint64 k = 0; k < n; k++)
    {
      double x = cos (G_PI * ((double) k + 0.75) / ((double) n + 0.5)), slope = 1.0;

      for (int round = 0; round < 100; round++)
        {
          double last = 1.0, value = x, step;

          for (gint64 j = 2; j <= n; j++)
            {
              double next
                  = ((2.0 * (double) j - 1.0) * x * value - ((double) j - 1.0) * last) / (double) j;

              last = value;
              value = next;
            }
          slope = (double) n * (x * value - last) / (x * x - 1.0);
          step = value / slope;
          x -= step;
          if (fabs (step) < 1e-15)
            break;
        }
      nodes[n - 1 - k] = 0.5 * (x + 1.0);
      weights[n - 1 - k] = 1.0 / ((1.0 - x * x) * slope * slope);
    }
}

static void
make_rule (const SondeAttributionSpec *spec, gint64 n, double *nodes, double *weights)
{
  if (n > 1 && sonde_attribution_spec_is (spec, "rule", "gauss-legendre"))
    {
      make_gauss_legendre (n, nodes, weights);
      return;
    }
  for (gint64 k = 0; k < n; k++)
    {
      nodes[k] = ((double) k + 0.5) / (double) n;
      weights[k] = 1.0 / (double) n;
    }
}

/* The sums of the samples in @pending anew, with @steps points. */
static gboolean
integrate (Path *path, gint64 steps, const gint64 *pending, gint64 n_pending, gsize size,
           GError **error)
{
  const SondeAttributionSpec *spec = path->request->spec;
  g_autofree double *nodes = g_new (double, steps), *weights = g_new (double, steps);
  SondeGradientSamples samples = { .score = sonde_attribution_spec_get_score (spec),
                                   .n_points = steps,
                                   .pending = pending,
                                   .n_pending = n_pending,
                                   .fill = fill_point,
                                   .take = take_point,
                                   .data = path };

  if (!path->draw)
    make_rule (spec, steps, nodes, weights);
  path->n = steps;
  path->alphas = nodes;
  path->weights = weights;
  for (gint64 p = 0; p < n_pending; p++)
    for (gsize k = 0; k < size; k++)
      path->sums[(gsize) pending[p] * size + k] = 0.0;
  return sonde_gradient_sample (path->place, path->seeds, &samples, error);
}

static void
take_sums (const Path *path, SondeAttributionResult *result, const double *bases)
{
  gint64 total = sonde_tensor_n_elements (path->request->inputs);
  float *to;

  result->form = SONDE_MAP_CHANNELS;
  if (result->maps == NULL)
    result->maps = sonde_tensor_new (SONDE_DTYPE_F32, &path->request->inputs->shape);
  to = (float *) (void *) result->maps->data;
  for (gint64 k = 0; k < total; k++)
    to[k] = (float) path->sums[k];
  g_free (result->gaps);
  result->gaps = sonde_gradient_make_gaps (result->maps, result->scores, bases);
}

static gboolean
is_complete (double gap, double score, double base)
{
  return fabs (gap) <= fmax (0.01 * fabs (score - base), 1e-4 * (1.0 + fabs (score)));
}

/* Integrates; with steps=auto again and again with twice the points for the samples whose sum is
 * not the difference yet. */
static gboolean
integrate_until_complete (Path *path, const double *bases, SondeAttributionResult *result,
                          GError **error)
{
  const SondeAttributionRequest *request = path->request;
  gint64 n = request->inputs->shape.dims[0], n_pending = n;
  gsize size = (gsize) (sonde_tensor_n_elements (request->inputs) / n);
  gboolean more = sonde_attribution_spec_is (request->spec, "steps", "auto");
  gint64 steps = more ? FIRST_STEPS : sonde_attribution_spec_get_count (request->spec, "steps");
  g_autofree gint64 *pending = g_new (gint64, n);

  for (gint64 i = 0; i < n; i++)
    pending[i] = i;
  for (; n_pending > 0; steps *= 2)
    {
      gint64 left = 0;

      if (!integrate (path, steps, pending, n_pending, size, error))
        return FALSE;
      take_sums (path, result, bases);
      for (gint64 p = 0; more && 2 * steps <= MOST_STEPS && p < n_pending; p++)
        if (!is_complete (result->gaps[pending[p]],
                          sonde_tensor_get_double (result->scores, pending[p]), bases[pending[p]]))
          pending[left++] = pending[p];
      n_pending = left;
    }
  return TRUE;
}

/* "3 of 12 maps are not complete: …" */
static void
note_gaps (SondeAttributionResult *result, const double *bases)
{
  gint64 n = result->maps->shape.dims[0], open = 0;
  double worst = 0.0;

  for (gint64 i = 0; i < n; i++)
    {
      double score = sonde_tensor_get_double (result->scores, i);

      if (is_complete (result->gaps[i], score, bases[i]))
        continue;
      open++;
      worst = fmax (worst, fabs (result->gaps[i]) / fmax (fabs (score - bases[i]), 1e-30));
    }
  if (open > 0 && n == 1)
    sonde_note_add (&result->note,
                    "The map does not add up to the score less that of the baseline (by %.2g %% of "
                    "it): more steps help.",
                    100.0 * worst);
  else if (open > 0)
    sonde_note_add (&result->note,
                    "%" PRIi64 " of %" PRIi64
                    " maps do not add up to the score less that of the baseline "
                    "(by up to %.2g %% of it): more steps help.",
                    open, n, 100.0 * worst);
}

static gboolean
compute_integrated (SondeExplainer *explainer, const SondeAttributionRequest *request,
                    SondeAttributionResult *result, GError **error)
{
  SondeScore score = sonde_attribution_spec_get_score (request->spec);
  g_autoptr (SondeTensor) images
      = sonde_attribution_spec_make_baseline (request->spec, request->inputs, error),
      baseline = NULL;
  g_autoptr (SondeTensor) seeds
      = images != NULL ? sonde_gradient_make_seeds (explainer, request, error) : NULL;
  g_auto (SondeGradientPlace) place = { NULL };
  g_autofree double *bases = NULL, *sums = NULL;
  Path path = { .place = &place, .request = &place.request, .seeds = seeds };

  if (seeds == NULL || !sonde_gradient_place_init (&place, explainer, request, error))
    return FALSE;
  path.baselines = baseline = sonde_gradient_place_move (&place, images, error);
  path.sums = sums = g_new0 (double, sonde_tensor_n_elements (place.request.inputs));
  result->scores = baseline != NULL ? sonde_gradient_score (&place, seeds, score, error) : NULL;
  bases = result->scores != NULL
              ? sonde_gradient_score_baseline (&place, baseline, seeds, score, error)
              : NULL;
  if (bases == NULL || !integrate_until_complete (&path, bases, result, error))
    return FALSE;
  note_gaps (result, bases);
  return TRUE;
}

/* ---- expected gradients -------------------------------------------------- */

/* The images that baselines are drawn from. */
static SondeTensor *
read_background (const SondeAttributionRequest *request, GError **error)
{
  SondeShape shape = request->inputs->shape;

  if (sonde_attribution_spec_get (request->spec, "background") == NULL)
    return sonde_attribution_spec_make_baseline (request->spec, request->inputs, error);
  shape.dims[0] = -1;
  return sonde_attribution_spec_read (request->spec, "background", &shape, error);
}

/* Mean score of the drawn baselines, of each target; behind a layer, of each with what passes by
 * it. */
static double *
score_background (const Path *path, SondeScore score, gint64 n_points, GError **error)
{
  gint64 n = path->seeds->shape.dims[0], rows = path->baselines->shape.dims[0];
  g_autofree double *bases = g_new0 (double, n);
  g_autofree gint64 *counts = g_new0 (gint64, n * rows);

  for (gint64 i = 0; i < n; i++)
    for (gint64 s = 0; s < n_points; s++)
      counts[i * rows + find_row (path, i, s)]++;
  if (path->place->layer == NULL)
    {
      g_autoptr (SondeTensor) scores
          = sonde_gradient_place_forward (path->place, NULL, path->baselines, score, error);

      for (gint64 i = 0; scores != NULL && i < n; i++)
        for (gint64 b = 0; b < rows; b++)
          if (counts[i * rows + b] > 0)
            bases[i] += sonde_gradient_combine (scores, b, path->seeds, i)
                        * (double) counts[i * rows + b] / (double) n_points;
      return scores != NULL ? g_steal_pointer (&bases) : NULL;
    }
  for (gint64 b = 0; b < rows; b++)
    {
      g_autoptr (GPtrArray) all = g_ptr_array_new (), one = NULL;
      g_autofree double *scores = NULL;

      g_ptr_array_add (all, path->baselines);
      one = sonde_explainer_layer_gather (all, &b, 1);
      scores
          = sonde_gradient_score_baseline (path->place, one->pdata[0], path->seeds, score, error);
      for (gint64 i = 0; scores != NULL && i < n; i++)
        bases[i] += scores[i] * (double) counts[i * rows + b] / (double) n_points;
      if (scores == NULL)
        return NULL;
    }
  return g_steal_pointer (&bases);
}

static gboolean
compute_expected (SondeExplainer *explainer, const SondeAttributionRequest *request,
                  SondeAttributionResult *result, GError **error)
{
  SondeScore score = sonde_attribution_spec_get_score (request->spec);
  gint64 n = request->inputs->shape.dims[0],
         n_points = sonde_attribution_spec_get_count (request->spec, "samples");
  g_autoptr (SondeTensor) images = read_background (request, error), background = NULL;
  g_autoptr (SondeTensor) seeds
      = images != NULL ? sonde_gradient_make_seeds (explainer, request, error) : NULL;
  g_auto (SondeGradientPlace) place = { NULL };
  g_autofree double *bases = NULL, *sums = NULL;
  g_autofree gint64 *all = g_new (gint64, n);
  Path path
      = { .place = &place, .request = &place.request, .seeds = seeds, .draw = TRUE, .n = n_points };
  gint64 total;

  for (gint64 i = 0; i < n; i++)
    all[i] = i;
  if (seeds == NULL || !sonde_gradient_place_init (&place, explainer, request, error))
    return FALSE;
  total = sonde_tensor_n_elements (place.request.inputs);
  path.baselines = background = sonde_gradient_place_move (&place, images, error);
  path.sums = sums = g_new0 (double, total);
  result->scores = background != NULL ? sonde_gradient_score (&place, seeds, score, error) : NULL;
  bases = result->scores != NULL ? score_background (&path, score, n_points, error) : NULL;
  if (bases == NULL || !integrate (&path, n_points, all, n, (gsize) (total / n), error))
    return FALSE;
  take_sums (&path, result, bases);
  return TRUE;
}

static const SondeAttributionParameter integrated_parameters[] = {
  SONDE_PARAMETER_SCORE ("logit"),
  { "steps", "50", SONDE_PARAMETER_COUNT, 1, 100000, "auto",
    "points of the path; auto: 50, doubled to at most 800 until complete" },
  { "rule", "midpoint", SONDE_PARAMETER_CHOICE, 0, 0, "midpoint|gauss-legendre",
    "where the points lie" },
  SONDE_PARAMETER_BASELINE,
  SONDE_PARAMETER_LAYER,
  SONDE_PARAMETER_TARGET,
  SONDE_PARAMETER_NEURON,
  { NULL },
};

static const SondeAttributionParameter expected_parameters[] = {
  SONDE_PARAMETER_SCORE ("logit"),
  { "samples", "200", SONDE_PARAMETER_COUNT, 1, 100000, NULL, "points" },
  { "background", NULL, SONDE_PARAMETER_TEXT, 0, 0, NULL,
    ".npy of images [B, C, H, W] to draw baselines from" },
  SONDE_PARAMETER_BASELINE,
  SONDE_PARAMETER_LAYER,
  SONDE_PARAMETER_TARGET,
  SONDE_PARAMETER_NEURON,
  { NULL },
};

const SondeAttribution sonde_attribution_integrated_gradients = {
  .name = "integrated-gradients",
  .title = "Integrated gradients",
  .summary = N_ ("How much the pixel adds to the score of the class along the path from the "
                 "baseline; the pixels sum to the difference."),
  .parameters = integrated_parameters,
  .own_sums = TRUE,
  .aggregate = SONDE_AGGREGATE_SUM,
  .compute = compute_integrated,
};

const SondeAttribution sonde_attribution_expected_gradients = {
  .name = "expected-gradients",
  .title = "Expected gradients",
  .summary = N_ ("How much the pixel adds to the score of the class along the path from a random "
                 "background image, on average."),
  .parameters = expected_parameters,
  .own_sums = TRUE,
  .aggregate = SONDE_AGGREGATE_SUM,
  .compute = compute_expected,
};
