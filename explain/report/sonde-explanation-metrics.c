/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/report/sonde-explanation-metrics.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-json-text.h"
#include "data/arrays/sonde-json.h"
#include "data/base/sonde-io.h"
#include "explain/metrics/sonde-pointing.h"
#include "explain/report/sonde-metrics-errors.h"
#include "explain/report/sonde-metrics-scores.h"

static void
add_localisation (JsonBuilder *builder, const SondeExplanationMetrics *metrics)
{
  double centre = sonde_pointing_measure_centre (metrics->dataset, metrics->predictions);

  json_builder_set_member_name (builder, "localisation");
  json_builder_begin_object (builder);
  if (!isnan (centre))
    {
      json_builder_set_member_name (builder, "centre_baseline");
      json_builder_add_double_value (builder, centre);
    }
  for (guint i = 0; i < metrics->pointing->len; i++)
    {
      const SondePointing *score = g_ptr_array_index (metrics->pointing, i);

      json_builder_set_member_name (builder, score->key);
      json_builder_begin_object (builder);
      sonde_json_set_double (builder, "pointing",
                             score->n > 0 ? (double) score->hits / score->n : NAN);
      sonde_json_set_double (builder, "mass", score->n > 0 ? score->mass / score->n : NAN);
      sonde_json_set_int (builder, "n", score->n);
      sonde_json_set_int (builder, "undefined", score->n_undefined);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
}

static void
add_counts (JsonBuilder *builder, const SondeExplanationMetrics *metrics)
{
  guint known = 0, errors = 0;

  for (guint i = 0; i < metrics->predictions->len; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (metrics->predictions, i);

      known += prediction->label >= 0;
      errors += sonde_sample_result_is_error (prediction);
    }
  sonde_json_set_int (builder, "pictures", metrics->predictions->len);
  sonde_json_set_int (builder, "labelled", known);
  sonde_json_set_int (builder, "errors", errors);
  sonde_json_set_double (builder, "accuracy", known > 0 ? 1.0 - (double) errors / known : NAN);
  sonde_json_set_int (builder, "explained", metrics->n_explained);
  sonde_json_set_int (builder, "maps", metrics->n_maps);
  sonde_json_set_int (builder, "unreadable", metrics->n_unreadable);
  json_builder_set_member_name (builder, "failed_methods");
  json_builder_begin_array (builder);
  for (guint i = 0; i < metrics->failed->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (metrics->failed, i));
  json_builder_end_array (builder);
}

JsonNode *
sonde_explanation_metrics_to_json (const SondeExplanationMetrics *metrics)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();

  json_builder_begin_object (builder);
  add_counts (builder, metrics);
  sonde_metrics_add_calibration (builder, metrics->dataset, metrics->predictions);
  if (metrics->triage != NULL)
    sonde_metrics_add_triage (builder, metrics->dataset, metrics->triage);
  add_localisation (builder, metrics);
  if (metrics->evaluation != NULL)
    sonde_metrics_add_scores (builder, metrics->evaluation, metrics->dataset->classes,
                              metrics->dataset->n_classes);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

gboolean
sonde_explanation_metrics_write (const char *folder, JsonNode *metrics, GError **error)
{
  g_autofree char *path = g_build_filename (folder, "metrics.json", NULL);
  g_autofree char *text = sonde_json_node_to_text (metrics, TRUE);

  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}
