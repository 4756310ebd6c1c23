/* SPDX-License-Identifier: Apache-2.0
 * Linear models of the score as a function of which segments are there: KernelSHAP, whose
 * coefficients are Shapley values, and LIME. The equations' matrix is that of the subsets alone: it
 * is factorised once. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "explain/attribution/sonde-coalitions.h"
#include "explain/attribution/sonde-segments-private.h"
#include "explain/attribution/sonde-symmetric.h"

#define STREAM "lime-subsets"
#define LEAD 2 /* rows before the subsets: whole and none */

/**
 * Surrogate: one request
 * @sets: [n, m], 0 or 1; @weights: [n]
 * @means: of LIME: weighted means of the columns of @sets
 * @least, @most: R² of the models so far
 */
typedef struct
{
  gint64 n, m;
  guint8 *sets;
  double *weights, *means, *right;
  SondeSymmetric symmetric;
  double least, most;
} Surrogate;

static void
surrogate_clear (Surrogate *surrogate)
{
  g_free (surrogate->sets);
  g_free (surrogate->weights);
  g_free (surrogate->means);
  g_free (surrogate->right);
  sonde_symmetric_clear (&surrogate->symmetric);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Surrogate, surrogate_clear)

static void
subset (gpointer data, gint64 row, guint8 *present)
{
  const Surrogate *surrogate = data;

  if (row < LEAD)
    memset (present, row == 0, (gsize) surrogate->m);
  else
    memcpy (present, surrogate->sets + (row - LEAD) * surrogate->m, (gsize) surrogate->m);
}

/* ---- subsets from files -------------------------------------------------- */

static gboolean
read_sets (Surrogate *surrogate, const SondeAttributionSpec *spec, GError **error)
{
  SondeShape shape = sonde_shape_make (2, -1, surrogate->m);
  g_autoptr (SondeTensor) masks = sonde_attribution_spec_read (spec, "masks", &shape, error);

  if (masks == NULL)
    return FALSE;
  surrogate->n = masks->shape.dims[0];
  surrogate->sets = g_new (guint8, MAX (surrogate->n * surrogate->m, 1));
  for (gint64 i = 0; i < surrogate->n * surrogate->m; i++)
    {
      double value = sonde_tensor_get_double (masks, i);

      if (value != 0.0 && value != 1.0)
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "masks=%s: row %" PRIi64
                           " contains %g; entries must be 1 (segment present) or 0 (absent).",
                           sonde_attribution_spec_get (spec, "masks"), i / surrogate->m, value);
          return FALSE;
        }
      surrogate->sets[i] = value == 1.0;
    }
  return TRUE;
}

static gboolean
read_weights (Surrogate *surrogate, const SondeAttributionSpec *spec, GError **error)
{
  SondeShape shape = sonde_shape_make (1, surrogate->n);
  g_autoptr (SondeTensor) weights = sonde_attribution_spec_read (spec, "weights", &shape, error);

  if (weights == NULL)
    return FALSE;
  g_free (surrogate->weights);
  surrogate->weights = g_new (double, surrogate->n + 1);
  for (gint64 i = 0; i < surrogate->n; i++)
    {
      surrogate->weights[i] = sonde_tensor_get_double (weights, i);
      if (!(surrogate->weights[i] >= 0.0 && isfinite (surrogate->weights[i])))
        {
          sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                           "weights=%s: weight %" PRIi64 " is %g; weights must not be negative.",
                           sonde_attribution_spec_get (spec, "weights"), i, surrogate->weights[i]);
          return FALSE;
        }
    }
  return TRUE;
}

static gboolean
check_count (const Surrogate *surrogate, const char *method, GError **error)
{
  if (surrogate->m >= 2)
    return TRUE;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "%s requires at least two segments.", method);
  return FALSE;
}

/* ---- KernelSHAP: y = v − v(∅) − z_m Δ on z_j − z_m, j < m; φ_m = Δ − Σ φ ---- */

static gboolean
make_shap_equations (Surrogate *surrogate, GError **error)
{
  gint64 k = surrogate->m - 1;
  double *matrix = g_new0 (double, MAX (k * k, 1));
  g_autofree double *x = g_new (double, MAX (k, 1));

  for (gint64 i = 0; i < surrogate->n; i++)
    {
      const guint8 *set = surrogate->sets + i * surrogate->m;

      for (gint64 j = 0; j < k; j++)
        x[j] = (double) set[j] - (double) set[k];
      for (gint64 j = 0; j < k; j++)
        for (gint64 l = 0; x[j] != 0.0 && l < k; l++)
          matrix[j * k + l] += surrogate->weights[i] * x[j] * x[l];
    }
  surrogate->right = g_new (double, MAX (k, 1));
  return sonde_symmetric_init (&surrogate->symmetric, matrix, k, error);
}

static double
solve_shap (gpointer data, const double *values, double *map)
{
  Surrogate *surrogate = data;
  gint64 k = surrogate->m - 1;
  double delta = values[0] - values[1], sum = 0.0;

  memset (surrogate->right, 0, sizeof (double) * (gsize) k);
  for (gint64 i = 0; k > 0 && i < surrogate->n; i++)
    {
      const guint8 *set = surrogate->sets + i * surrogate->m;
      double y = surrogate->weights[i] * (values[LEAD + i] - values[1] - set[k] * delta);

      for (gint64 j = 0; j < k; j++)
        surrogate->right[j] += y * ((double) set[j] - (double) set[k]);
    }
  sonde_symmetric_solve (&surrogate->symmetric, surrogate->right, map);
  for (gint64 j = 0; j < k; j++)
    sum += map[j];
  map[k] = delta - sum;
  return sum + map[k] - delta;
}

static gboolean
kernelshap_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
                    SondeAttributionResult *result, GError **error)
{
  const SondeAttributionSpec *spec = request->spec;
  g_auto (SondeSegments) segments = { NULL };
  g_auto (Surrogate) surrogate = { 0 };
  SondeDesign design
      = { .whole = 0, .none = 1, .subset = subset, .solve = solve_shap, .data = &surrogate };
  gboolean given = sonde_attribution_spec_get (spec, "masks") != NULL;

  if (!sonde_segments_init (&segments, request, error))
    return FALSE;
  surrogate.m = segments.m;
  if (given != (sonde_attribution_spec_get (spec, "weights") != NULL))
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "KernelSHAP requires both masks and weights, or neither.");
      return FALSE;
    }
  if (given && (!read_sets (&surrogate, spec, error) || !read_weights (&surrogate, spec, error)))
    return FALSE;
  if (!given && surrogate.m > 1)
    surrogate.sets = sonde_coalitions_new (surrogate.m,
                                           sonde_attribution_spec_get (spec, "samples") != NULL
                                               ? sonde_attribution_spec_get_count (spec, "samples")
                                               : sonde_coalitions_budget (surrogate.m),
                                           request->seed, &surrogate.n, &surrogate.weights);
  if (!make_shap_equations (&surrogate, error))
    return FALSE;
  if (surrogate.symmetric.singular)
    sonde_note_add (
        &result->note,
        "The subsets do not distinguish all segments; this is the solution of minimum norm.");
  design.rows = LEAD + surrogate.n;
  return sonde_segments_run (&segments, explainer, &design, result, error);
}

/* ---- LIME: weighted ridge with an intercept ------------------------------ */

/* The first set is whole, segments of the others are there with probability ½. */
static void
draw_sets (Surrogate *surrogate, gint64 n, guint64 seed)
{
  guint64 stream = sonde_random_stream (STREAM);

  surrogate->n = n;
  surrogate->sets = g_new (guint8, n * surrogate->m);
  for (gint64 i = 0; i < n * surrogate->m; i++)
    surrogate->sets[i] = i < surrogate->m || sonde_random_uniform (seed, stream, (guint64) i) < 0.5;
}

/* π = √exp (−d² / w²), d = 1 − √(k / m): the cosine distance to the whole set. */
static void
make_lime_weights (Surrogate *surrogate, double width)
{
  surrogate->weights = g_new (double, surrogate->n + 1);
  for (gint64 i = 0; i < surrogate->n; i++)
    {
      double count = 0.0, distance;

      for (gint64 j = 0; j < surrogate->m; j++)
        count += surrogate->sets[i * surrogate->m + j];
      distance = 1.0 - sqrt (count / (double) surrogate->m);
      surrogate->weights[i] = sqrt (exp (-distance * distance / (width * width)));
    }
}

static gboolean
make_lime_equations (Surrogate *surrogate, double ridge, GError **error)
{
  gint64 m = surrogate->m;
  double *matrix = g_new0 (double, m *m), sum = 0.0;

  surrogate->means = g_new0 (double, m);
  surrogate->right = g_new (double, m);
  for (gint64 i = 0; i < surrogate->n; i++)
    {
      sum += surrogate->weights[i];
      for (gint64 j = 0; j < m; j++)
        surrogate->means[j] += surrogate->weights[i] * surrogate->sets[i * m + j];
    }
  for (gint64 j = 0; j < m && sum > 0.0; j++)
    surrogate->means[j] /= sum;
  for (gint64 i = 0; i < surrogate->n; i++)
    for (gint64 j = 0; j < m; j++)
      {
        double x = surrogate->weights[i] * (surrogate->sets[i * m + j] - surrogate->means[j]);

        for (gint64 l = 0; l < m; l++)
          matrix[j * m + l] += x * (surrogate->sets[i * m + l] - surrogate->means[l]);
      }
  for (gint64 j = 0; j < m; j++)
    matrix[j * m + j] += ridge;
  return sonde_symmetric_init (&surrogate->symmetric, matrix, m, error);
}

/* 1 − Σ π (y − ŷ)² / Σ π (y − ȳ)² */
static void
note_fit (Surrogate *surrogate, const double *values, double mean, const double *map)
{
  double wrong = 0.0, all = 0.0, fit;

  for (gint64 i = 0; i < surrogate->n; i++)
    {
      double error = values[LEAD + i] - mean, about = error;

      for (gint64 j = 0; j < surrogate->m; j++)
        error -= map[j] * (surrogate->sets[i * surrogate->m + j] - surrogate->means[j]);
      wrong += surrogate->weights[i] * error * error;
      all += surrogate->weights[i] * about * about;
    }
  fit = all > 0.0 ? 1.0 - wrong / all : NAN;
  surrogate->least = fmin (surrogate->least, fit);
  surrogate->most = fmax (surrogate->most, fit);
}

static double
solve_lime (gpointer data, const double *values, double *map)
{
  Surrogate *surrogate = data;
  gint64 m = surrogate->m;
  double mean = 0.0, sum = 0.0;

  for (gint64 i = 0; i < surrogate->n; i++)
    {
      mean += surrogate->weights[i] * values[LEAD + i];
      sum += surrogate->weights[i];
    }
  mean = sum > 0.0 ? mean / sum : 0.0;
  memset (surrogate->right, 0, sizeof (double) * (gsize) m);
  for (gint64 i = 0; i < surrogate->n; i++)
    for (gint64 j = 0; j < m; j++)
      surrogate->right[j] += surrogate->weights[i] * (values[LEAD + i] - mean)
                             * (surrogate->sets[i * m + j] - surrogate->means[j]);
  sonde_symmetric_solve (&surrogate->symmetric, surrogate->right, map);
  note_fit (surrogate, values, mean, map);
  return NAN;
}

static gboolean
lime_compute (SondeExplainer *explainer, const SondeAttributionRequest *request,
              SondeAttributionResult *result, GError **error)
{
  const SondeAttributionSpec *spec = request->spec;
  g_auto (SondeSegments) segments = { NULL };
  g_auto (Surrogate) surrogate = { .least = INFINITY, .most = -INFINITY };
  SondeDesign design
      = { .whole = 0, .none = 1, .subset = subset, .solve = solve_lime, .data = &surrogate };

  if (!sonde_segments_init (&segments, request, error))
    return FALSE;
  surrogate.m = segments.m;
  if (!check_count (&surrogate, "LIME", error))
    return FALSE;
  if (sonde_attribution_spec_get (spec, "masks") == NULL)
    draw_sets (&surrogate, sonde_attribution_spec_get_count (spec, "samples"), request->seed);
  else if (!read_sets (&surrogate, spec, error))
    return FALSE;
  if (sonde_attribution_spec_get (spec, "weights") == NULL)
    make_lime_weights (&surrogate, sonde_attribution_spec_get_number (spec, "width"));
  else if (!read_weights (&surrogate, spec, error))
    return FALSE;
  if (!make_lime_equations (&surrogate, sonde_attribution_spec_get_number (spec, "ridge"), error))
    return FALSE;
  if (surrogate.symmetric.singular)
    sonde_note_add (
        &result->note,
        "The subsets do not distinguish all segments; this is the solution of minimum norm.");
  design.rows = LEAD + surrogate.n;
  if (!sonde_segments_run (&segments, explainer, &design, result, error))
    return FALSE;
  g_clear_pointer (&result->gaps, g_free);
  sonde_note_add (&result->note, "Weighted R² of the linear models: %.3f to %.3f.", surrogate.least,
                  surrogate.most);
  return TRUE;
}

#define SET_PARAMETERS                                                                             \
  { "masks",                                                                                       \
    NULL,                                                                                          \
    SONDE_PARAMETER_TEXT,                                                                          \
    0,                                                                                             \
    0,                                                                                             \
    NULL,                                                                                          \
    "subsets [N, M] of 0 and 1 in a .npy file; else drawn" },                                      \
  {                                                                                                \
    "weights", NULL, SONDE_PARAMETER_TEXT, 0, 0, NULL,                                             \
        "how much each of them counts, [N] in a .npy file"                                         \
  }

static const SondeAttributionParameter kernelshap_parameters[]
    = { SONDE_SEGMENT_PARAMETERS,
        SET_PARAMETERS,
        { "samples", NULL, SONDE_PARAMETER_COUNT, 2, 1 << 22, NULL,
          "subsets that are looked at; else 2 M + 2048" },
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        SONDE_PARAMETER_NEURON,
        { NULL } };
static const SondeAttributionParameter lime_parameters[]
    = { SONDE_SEGMENT_PARAMETERS,
        SET_PARAMETERS,
        { "samples", "1000", SONDE_PARAMETER_COUNT, 2, 1 << 22, NULL, "subsets that are drawn" },
        { "width", "0.25", SONDE_PARAMETER_NUMBER, 1e-6, 1e6, NULL,
          "of the kernel, in cosine distance to the whole image" },
        { "ridge", "1", SONDE_PARAMETER_NUMBER, 0, 1e12, NULL,
          "penalty on the squared coefficients" },
        SONDE_PARAMETER_SCORE ("probability"),
        SONDE_PARAMETER_TARGET,
        SONDE_PARAMETER_NEURON,
        { NULL } };

const SondeAttribution sonde_attribution_kernelshap = {
  .name = "kernelshap",
  .title = "KernelSHAP",
  .summary = N_ ("The segment's Shapley value, estimated with a weighted linear model of the score "
                 "over subsets of segments."),
  .parameters = kernelshap_parameters,
  .compute = kernelshap_compute,
};

const SondeAttribution sonde_attribution_lime = {
  .name = "lime",
  .title = "LIME",
  .summary = N_ ("The segment's coefficient in a linear model of the score for images that lack a "
                 "few segments."),
  .parameters = lime_parameters,
  .compute = lime_compute,
};
