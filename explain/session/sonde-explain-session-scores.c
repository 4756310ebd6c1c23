/* SPDX-License-Identifier: Apache-2.0
 * Methods by metrics: the scorecard as rows. */
#include <math.h>
#include <string.h>

#include "explain/session/sonde-explain-session-work.h"
#include "explain/session/sonde-metric-values.h"

#define FEW_ERRORS 8u

/* The first errors; where there are few, the first samples. (element-type SondeSampleResult) */
static GPtrArray *
choose (GPtrArray *predictions, guint most)
{
  GPtrArray *chosen = g_ptr_array_new ();
  guint errors = 0;

  for (guint i = 0; i < predictions->len; i++)
    errors += sonde_sample_result_is_error (g_ptr_array_index (predictions, i));
  for (guint i = 0; i < predictions->len && chosen->len < most; i++)
    if (errors < FEW_ERRORS || sonde_sample_result_is_error (g_ptr_array_index (predictions, i)))
      g_ptr_array_add (chosen, g_ptr_array_index (predictions, i));
  return chosen;
}

/* (element-type SondeAttributionSpec) */
static GPtrArray *
parse_specs (const char *const *texts, GError **error)
{
  g_autoptr (GPtrArray) specs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_attribution_spec_free);

  for (gsize i = 0; texts[i] != NULL; i++)
    {
      SondeAttributionSpec *spec = sonde_attribution_spec_parse (texts[i], error);

      if (spec == NULL)
        return NULL;
      g_ptr_array_add (specs, spec);
    }
  return g_steal_pointer (&specs);
}

/* ---- rows ---------------------------------------------------------------- */

/* The best that a metric can be. */
static double
best_of (const SondeMapMetric *metric)
{
  return metric->rises ? metric->high : metric->low;
}

static void
add_score (GPtrArray *scores, SondeScorecard *scorecard, const SondeMapMetric *metric,
           const char *method, gint64 label)
{
  SondeScoreSummary summary = sonde_scorecard_summarise (scorecard, metric, method, label), control;
  const char *slash = strrchr (method, '/');
  g_autofree char *random = g_strconcat (SONDE_EVALUATION_RANDOM, slash != NULL ? slash : "", NULL);
  SondeMetricScore *score;

  if (summary.n == 0)
    return;
  control = sonde_scorecard_summarise (scorecard, metric, random, label);
  score = g_new0 (SondeMetricScore, 1);
  score->method = slash != NULL ? g_strndup (method, (gsize) (slash - method)) : g_strdup (method);
  score->metric = g_strdup (metric->name);
  score->metric_title = g_strdup (metric->title);
  score->label = label;
  score->rises = metric->rises;
  score->best = best_of (metric);
  score->mean = summary.interval.value;
  score->low = summary.interval.low;
  score->high = summary.interval.high;
  score->n = (guint) summary.n;
  score->n_valid = (guint) summary.n_valid;
  score->rating = control.n_valid > 0
                      ? sonde_map_metric_rate (metric, score->mean, control.interval.value)
                      : NAN;
  g_ptr_array_add (scores, score);
}

static GPtrArray *
make_scores (SondeExplainSession *session, SondeEvaluation *evaluation, SondeScorecard *scorecard)
{
  GPtrArray *scores = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_metric_score_free);
  GPtrArray *methods = sonde_scorecard_get_methods (scorecard);
  guint n, n_classes = sonde_explain_session_get_info (session)->n_classes;
  const double *weights;
  const SondeMapMetric *const *metrics = sonde_evaluation_get_metrics (evaluation, &weights, &n);

  for (guint m = 0; m < methods->len; m++)
    for (guint i = 0; i < n; i++)
      for (gint64 label = -1; label < n_classes; label++)
        add_score (scores, scorecard, metrics[i], g_ptr_array_index (methods, m), label);
  return scores;
}

GPtrArray *
sonde_explain_session_score (SondeExplainSession *session, const char *const *texts,
                             const char *metrics, guint max_samples, GError **error)
{
  g_autoptr (GPtrArray) specs = parse_specs (texts, error);
  GPtrArray *predictions = specs != NULL ? sonde_explain_session_classify (session, error) : NULL;
  g_autoptr (GPtrArray) chosen = predictions != NULL ? choose (predictions, max_samples) : NULL;
  g_autoptr (SondeEvaluation) evaluation
      = chosen != NULL
            ? sonde_evaluation_new (metrics, sonde_explain_session_get_explainer (session),
                                    sonde_explain_session_get_dataset (session),
                                    (guint64) sonde_explain_session_get_settings (session)->seed,
                                    error)
            : NULL;
  g_autoptr (SondeMetricValues) values
      = evaluation != NULL ? sonde_metric_values_new (session, chosen, specs, evaluation) : NULL;
  g_autoptr (SondeScorecard) scorecard = NULL;

  if (values == NULL || !sonde_metric_values_complete (values, error))
    return NULL;
  scorecard = sonde_metric_values_make_scorecard (values);
  return make_scores (session, evaluation, scorecard);
}
