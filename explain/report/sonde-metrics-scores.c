/* SPDX-License-Identifier: Apache-2.0
 * The scorecard as members of metrics.json. */
#include "explain/report/sonde-metrics-scores.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-json.h"

static void
add_summary (JsonBuilder *builder, const SondeScoreSummary *summary)
{
  sonde_json_set_double (builder, "mean", summary->interval.value);
  sonde_json_set_double (builder, "low", summary->interval.low);
  sonde_json_set_double (builder, "high", summary->interval.high);
  sonde_json_set_int (builder, "n", summary->n);
  sonde_json_set_int (builder, "n_valid", summary->n_valid);
}

/* "random-map/TARGET" for "LABEL/TARGET". */
static char *
control_of (const char *method)
{
  const char *slash = strrchr (method, '/');

  return g_strconcat (SONDE_EVALUATION_RANDOM, slash != NULL ? slash : "", NULL);
}

static gboolean
is_control (const char *method)
{
  return g_str_has_prefix (method, SONDE_EVALUATION_RANDOM "/")
         || g_str_has_prefix (method, SONDE_EVALUATION_CENTRE "/");
}

static void
add_classes (SondeScorecard *scorecard, const SondeMapMetric *metric, const char *method,
             char **classes, guint n_classes, JsonBuilder *builder)
{
  json_builder_set_member_name (builder, "classes");
  json_builder_begin_object (builder);
  for (guint c = 0; c < n_classes; c++)
    {
      SondeScoreSummary summary = sonde_scorecard_summarise (scorecard, metric, method, c);

      if (summary.n == 0)
        continue;
      json_builder_set_member_name (builder, classes[c]);
      json_builder_begin_object (builder);
      add_summary (builder, &summary);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
  sonde_json_set_double (builder, "class_mean",
                         sonde_scorecard_class_mean (scorecard, metric, method));
}

static void
add_method (SondeEvaluation *evaluation, const char *method, char **classes, guint n_classes,
            JsonBuilder *builder)
{
  SondeScorecard *scorecard = sonde_evaluation_get_scorecard (evaluation);
  const double *weights;
  guint n;
  const SondeMapMetric *const *metrics = sonde_evaluation_get_metrics (evaluation, &weights, &n);
  g_autofree char *control = control_of (method);

  json_builder_set_member_name (builder, method);
  json_builder_begin_object (builder);
  for (guint i = 0; i < n; i++)
    {
      SondeScoreSummary summary = sonde_scorecard_summarise (scorecard, metrics[i], method, -1);

      if (summary.n == 0)
        continue;
      json_builder_set_member_name (builder, metrics[i]->name);
      json_builder_begin_object (builder);
      add_summary (builder, &summary);
      json_builder_set_member_name (builder, "better");
      json_builder_add_string_value (builder, metrics[i]->rises ? "higher" : "lower");
      if (!is_control (method)
          && sonde_scorecard_summarise (scorecard, metrics[i], control, -1).n > 0)
        {
          json_builder_set_member_name (builder, "beats_random_map");
          json_builder_add_boolean_value (
              builder, sonde_scorecard_beats (scorecard, metrics[i], method, control));
        }
      add_classes (scorecard, metrics[i], method, classes, n_classes, builder);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
}

static void
add_composites (SondeEvaluation *evaluation, JsonBuilder *builder)
{
  SondeScorecard *scorecard = sonde_evaluation_get_scorecard (evaluation);
  GPtrArray *methods = sonde_scorecard_get_methods (scorecard);
  const double *weights;
  guint n;
  const SondeMapMetric *const *metrics = sonde_evaluation_get_metrics (evaluation, &weights, &n);

  json_builder_set_member_name (builder, "composite");
  json_builder_begin_object (builder);
  for (guint i = 0; i < methods->len; i++)
    {
      const char *method = g_ptr_array_index (methods, i);
      g_autofree char *control = control_of (method);
      double share, value = sonde_scorecard_composite (scorecard, metrics, weights, n, method,
                                                       control, &share);

      if (is_control (method))
        continue;
      json_builder_set_member_name (builder, method);
      json_builder_begin_object (builder);
      sonde_json_set_double (builder, "value", value);
      sonde_json_set_double (builder, "share_of_weights", share);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
}

/* The values of each sample: {"sample", "METHOD": {"METRIC": value}}. */
static void
add_samples (SondeEvaluation *evaluation, JsonBuilder *builder)
{
  SondeScorecard *scorecard = sonde_evaluation_get_scorecard (evaluation);
  GPtrArray *methods = sonde_scorecard_get_methods (scorecard);
  const double *weights;
  guint n;
  const SondeMapMetric *const *metrics = sonde_evaluation_get_metrics (evaluation, &weights, &n);
  g_autoptr (GArray) labels = NULL;
  g_autoptr (GArray) samples = sonde_scorecard_get_samples (scorecard, &labels);

  json_builder_set_member_name (builder, "samples");
  json_builder_begin_array (builder);
  for (guint s = 0; s < samples->len; s++)
    {
      guint sample = g_array_index (samples, guint, s);

      json_builder_begin_object (builder);
      sonde_json_set_int (builder, "sample", sample);
      for (guint m = 0; m < methods->len; m++)
        {
          const char *method = g_ptr_array_index (methods, m);

          json_builder_set_member_name (builder, method);
          json_builder_begin_object (builder);
          for (guint i = 0; i < n; i++)
            {
              double value;

              if (sonde_scorecard_find (scorecard, metrics[i], method, sample, &value))
                sonde_json_set_double (builder, metrics[i]->name, value);
            }
          json_builder_end_object (builder);
        }
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

void
sonde_metrics_add_scores (JsonBuilder *builder, SondeEvaluation *evaluation, char **classes,
                          guint n_classes)
{
  GPtrArray *methods = sonde_scorecard_get_methods (sonde_evaluation_get_scorecard (evaluation));
  const double *weights;
  guint n;
  const SondeMapMetric *const *metrics = sonde_evaluation_get_metrics (evaluation, &weights, &n);

  json_builder_set_member_name (builder, "weights");
  json_builder_begin_object (builder);
  for (guint i = 0; i < n; i++)
    sonde_json_set_double (builder, metrics[i]->name, weights[i]);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "scores");
  json_builder_begin_object (builder);
  for (guint i = 0; i < methods->len; i++)
    add_method (evaluation, g_ptr_array_index (methods, i), classes, n_classes, builder);
  json_builder_end_object (builder);
  add_composites (evaluation, builder);
  add_samples (evaluation, builder);
}
