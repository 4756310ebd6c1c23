/* SPDX-License-Identifier: Apache-2.0
 * Calibration, confusion and error categories as members of metrics.json. */
#include "explain/report/sonde-metrics-errors.h"

#include <math.h>
#include <string.h>

#include "data/arrays/sonde-json.h"
#include "data/values/sonde-confusion.h"
#include "explain/triage/sonde-calibration.h"

#define MAX_PAIRS 20

static const SondeSampleResult *
prediction_at (GPtrArray *predictions, guint i)
{
  return g_ptr_array_index (predictions, i);
}

static char *
dup_class (SondeDataset *dataset, gint64 c)
{
  if (c < 0)
    return g_strdup ("");
  return (guint64) c < dataset->n_classes ? g_strdup (dataset->classes[c])
                                          : g_strdup_printf ("%" PRIi64, c);
}

static void
add_measures (JsonBuilder *builder, const SondeCalibration *calibration)
{
  sonde_json_set_double (builder, "ece", calibration->ece);
  sonde_json_set_double (builder, "mce", calibration->mce);
  sonde_json_set_double (builder, "brier", calibration->brier);
  sonde_json_set_double (builder, "nll", calibration->nll);
  json_builder_set_member_name (builder, "bins");
  json_builder_begin_array (builder);
  for (guint b = 0; b < calibration->n_bins; b++)
    {
      json_builder_begin_object (builder);
      sonde_json_set_int (builder, "n", calibration->bins[b].n);
      sonde_json_set_double (builder, "confidence", calibration->bins[b].confidence);
      sonde_json_set_double (builder, "accuracy", calibration->bins[b].accuracy);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_confusion (JsonBuilder *builder, SondeDataset *dataset, const gint64 *labels,
               const gint64 *predicted, guint n, guint classes)
{
  g_autoptr (SondeConfusion) confusion = sonde_confusion_new (labels, predicted, n, classes);
  g_autoptr (GArray) pairs = sonde_confusion_list_pairs (confusion);

  json_builder_set_member_name (builder, "confusion");
  json_builder_begin_array (builder);
  for (guint y = 0; y < classes; y++)
    {
      json_builder_begin_array (builder);
      for (guint c = 0; c < classes; c++)
        json_builder_add_int_value (builder, confusion->counts[(gsize) y * classes + c]);
      json_builder_end_array (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "pairs");
  json_builder_begin_array (builder);
  for (guint i = 0; i < MIN (pairs->len, MAX_PAIRS); i++)
    {
      const SondeConfusedPair *pair = &g_array_index (pairs, SondeConfusedPair, i);
      g_autofree char *label = dup_class (dataset, pair->label),
                      *answer = dup_class (dataset, pair->predicted);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "true");
      json_builder_add_string_value (builder, label);
      json_builder_set_member_name (builder, "predicted");
      json_builder_add_string_value (builder, answer);
      sonde_json_set_int (builder, "count", pair->count);
      sonde_json_set_double (builder, "low", pair->low);
      sonde_json_set_double (builder, "high", pair->high);
      sonde_json_set_double (builder, "lift", pair->lift);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

void
sonde_metrics_add_calibration (JsonBuilder *builder, SondeDataset *dataset, GPtrArray *predictions)
{
  guint n = predictions->len, classes = n > 0 ? prediction_at (predictions, 0)->n_classes : 0;
  g_autofree float *logits = g_new (float, (gsize) n *classes + 1),
                   *p = g_new (float, (gsize) n *classes + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1), *predicted = g_new (gint64, n + 1);
  SondeCalibration before, after;
  double temperature;

  for (guint i = 0; i < n; i++)
    {
      const SondeSampleResult *prediction = prediction_at (predictions, i);

      memcpy (logits + (gsize) i * classes, prediction->logits, classes * sizeof *logits);
      memcpy (p + (gsize) i * classes, prediction->probabilities, classes * sizeof *p);
      labels[i] = prediction->label;
      predicted[i] = prediction->predicted;
    }
  sonde_calibration_measure (&before, p, labels, n, classes, SONDE_CALIBRATION_BINS);
  temperature = sonde_calibration_find_temperature (logits, labels, n, classes);
  sonde_calibration_apply_temperature (logits, n, classes, isnan (temperature) ? 1 : temperature,
                                       p);
  sonde_calibration_measure (&after, p, labels, n, classes, SONDE_CALIBRATION_BINS);
  json_builder_set_member_name (builder, "calibration");
  json_builder_begin_object (builder);
  sonde_json_set_double (builder, "accuracy_low", before.low);
  sonde_json_set_double (builder, "accuracy_high", before.high);
  add_measures (builder, &before);
  sonde_json_set_double (builder, "temperature", temperature);
  json_builder_set_member_name (builder, "after");
  json_builder_begin_object (builder);
  add_measures (builder, &after);
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  add_confusion (builder, dataset, labels, predicted, n, classes);
}

void
sonde_metrics_add_triage (JsonBuilder *builder, SondeDataset *dataset, const SondeTriage *triage)
{
  json_builder_set_member_name (builder, "triage");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "reasons");
  json_builder_begin_object (builder);
  for (guint r = 0; r < SONDE_N_CATEGORIES; r++)
    sonde_json_set_int (builder, sonde_error_category_get_name (r), triage->counts[r]);
  json_builder_end_object (builder);
  json_builder_set_member_name (builder, "cues");
  json_builder_begin_array (builder);
  for (guint k = 0; k < triage->cues->len; k++)
    {
      const SondeCue *cue = &g_array_index (triage->cues, SondeCue, k);
      g_autofree char *answer = dup_class (dataset, cue->predicted);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "predicted");
      json_builder_add_string_value (builder, answer);
      json_builder_set_member_name (builder, "box");
      json_builder_begin_array (builder);
      for (int i = 0; i < 4; i++)
        json_builder_add_int_value (builder, (int[]){ cue->x, cue->y, cue->side, cue->side }[i]);
      json_builder_end_array (builder);
      sonde_json_set_int (builder, "errors", cue->n);
      sonde_json_set_int (builder, "sharing", cue->n_sharing);
      sonde_json_set_int (builder, "changed", cue->n_changed);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  sonde_json_set_int (builder, "label_suspects", triage->label_errors->n_suspects);
  sonde_json_set_double (builder, "energy_limit", triage->energy_limit);
  sonde_json_set_double (builder, "distance_limit", triage->distance_limit);
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < triage->notes->len; i++)
    json_builder_add_string_value (
        builder, sonde_message_get_english (g_ptr_array_index (triage->notes, i)));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}
