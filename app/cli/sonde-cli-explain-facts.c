/* SPDX-License-Identifier: Apache-2.0
 * What is known of the samples, for files. */
#include "app/cli/sonde-cli-explain-facts.h"

#include <math.h>
#include <string.h>

#include "app/cli/sonde-cli.h"
#include "explain/triage/sonde-calibration.h"

#define MAX_PAIRS 20

static const SondePrediction *
prediction_at (GPtrArray *predictions, guint i)
{
  return g_ptr_array_index (predictions, i);
}

static void
add_number (JsonBuilder *builder, const char *name, double value)
{
  json_builder_set_member_name (builder, name);
  sonde_cli_json_add_double (builder, value);
}

static void
add_count (JsonBuilder *builder, const char *name, guint value)
{
  json_builder_set_member_name (builder, name);
  json_builder_add_int_value (builder, value);
}

static char *
dup_class (SondeDataset *dataset, gint64 c)
{
  if (c < 0)
    return g_strdup ("");
  return (guint64) c < dataset->n_classes ? g_strdup (dataset->classes[c])
                                          : g_strdup_printf ("%" G_GINT64_FORMAT, c);
}

static void
add_measures (JsonBuilder *builder, const SondeCalibration *calibration)
{
  add_number (builder, "ece", calibration->ece);
  add_number (builder, "mce", calibration->mce);
  add_number (builder, "brier", calibration->brier);
  add_number (builder, "nll", calibration->nll);
  json_builder_set_member_name (builder, "bins");
  json_builder_begin_array (builder);
  for (guint b = 0; b < calibration->n_bins; b++)
    {
      json_builder_begin_object (builder);
      add_count (builder, "n", calibration->bins[b].n);
      add_number (builder, "confidence", calibration->bins[b].confidence);
      add_number (builder, "accuracy", calibration->bins[b].accuracy);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
add_confusion (JsonBuilder *builder, SondeDataset *dataset, const gint64 *labels,
               const gint64 *predicted, guint n, guint classes)
{
  g_autoptr (SondeConfusion) confusion = sonde_confusion_new (labels, predicted, n, classes);

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
  for (guint i = 0; i < MIN (confusion->pairs->len, MAX_PAIRS); i++)
    {
      const SondeConfusedPair *pair = &g_array_index (confusion->pairs, SondeConfusedPair, i);
      g_autofree char *label = dup_class (dataset, pair->label),
                      *answer = dup_class (dataset, pair->predicted);

      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "true");
      json_builder_add_string_value (builder, label);
      json_builder_set_member_name (builder, "predicted");
      json_builder_add_string_value (builder, answer);
      add_count (builder, "count", pair->count);
      add_number (builder, "low", pair->low);
      add_number (builder, "high", pair->high);
      add_number (builder, "lift", pair->lift);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

void
sonde_explain_add_calibration (JsonBuilder *builder, SondeDataset *dataset, GPtrArray *predictions)
{
  guint n = predictions->len, classes = n > 0 ? prediction_at (predictions, 0)->n_classes : 0;
  g_autofree float *logits = g_new (float, (gsize) n *classes + 1),
                   *p = g_new (float, (gsize) n *classes + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1), *predicted = g_new (gint64, n + 1);
  SondeCalibration before, after;
  double temperature;

  for (guint i = 0; i < n; i++)
    {
      const SondePrediction *prediction = prediction_at (predictions, i);

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
  add_number (builder, "accuracy_low", before.low);
  add_number (builder, "accuracy_high", before.high);
  add_measures (builder, &before);
  add_number (builder, "temperature", temperature);
  json_builder_set_member_name (builder, "after");
  json_builder_begin_object (builder);
  add_measures (builder, &after);
  json_builder_end_object (builder);
  json_builder_end_object (builder);
  add_confusion (builder, dataset, labels, predicted, n, classes);
}

void
sonde_explain_add_triage (JsonBuilder *builder, SondeDataset *dataset, GPtrArray *predictions,
                          const SondeTriage *triage)
{
  json_builder_set_member_name (builder, "triage");
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "reasons");
  json_builder_begin_object (builder);
  for (guint r = 0; r < SONDE_N_REASONS; r++)
    add_count (builder, sonde_reason_name (r), triage->counts[r]);
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
      add_count (builder, "errors", cue->n);
      add_count (builder, "sharing", cue->n_sharing);
      add_count (builder, "changed", cue->n_changed);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  add_count (builder, "label_suspects", triage->label_errors->n_suspects);
  add_number (builder, "energy_limit", triage->energy_limit);
  add_number (builder, "distance_limit", triage->distance_limit);
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < triage->notes->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (triage->notes, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

/* Tabs and newlines would break the table. */
static void
append_field (GString *text, const char *field)
{
  for (const char *p = field; *p != '\0'; p++)
    g_string_append_c (text, *p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p);
}

static void
append_neighbours (GString *text, const SondeTriage *triage, const SondeNeighbour *neighbours,
                   guint n)
{
  g_string_append_c (text, '\t');
  for (guint k = 0; k < n; k++)
    {
      g_string_append (text, k > 0 ? " " : "");
      append_field (text, prediction_at (triage->reference, neighbours[k].row)->name);
      g_string_append_printf (text, ":%.6g", neighbours[k].value);
    }
}

gboolean
sonde_explain_write_triage (const char *directory, SondeDataset *dataset, GPtrArray *predictions,
                            const SondeTriage *triage, GError **error)
{
  g_autofree char *path = g_build_filename (directory, "triage.tsv", NULL);
  g_autoptr (GString) text = g_string_new ("file\ttrue\tpredicted\treason\tothers\tevidence\tmargin"
                                           "\tentropy\tenergy\tdistance\tborder\tbox\t"
                                           "neighbours\tproponents\topponents\n");

  for (guint i = 0; i < triage->n; i++)
    {
      const SondePrediction *prediction = prediction_at (predictions, i);
      const SondeTriageRow *row = &triage->rows[i];
      g_autofree char *label = dup_class (dataset, prediction->label),
                      *answer = dup_class (dataset, prediction->predicted);

      if (row->reason == SONDE_N_REASONS)
        continue;
      append_field (text, prediction->name);
      g_string_append_printf (text, "\t%s\t%s\t%s\t", label, answer,
                              sonde_reason_name (row->reason));
      for (guint r = 0, first = 1; r < SONDE_REASON_UNKNOWN; r++)
        if (r != row->reason && (row->reasons >> r & 1) != 0)
          {
            g_string_append_printf (text, "%s%s", first ? "" : ",", sonde_reason_name (r));
            first = 0;
          }
      g_string_append_c (text, '\t');
      append_field (text, row->evidence);
      g_string_append_printf (text, "\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g\t%.6g", row->signed_margin,
                              row->entropy, row->energy, row->distance, row->border, row->box);
      append_neighbours (text, triage, row->neighbours, row->n_neighbours);
      append_neighbours (text, triage, row->proponents, row->n_influences);
      append_neighbours (text, triage, row->opponents, row->n_influences);
      g_string_append_c (text, '\n');
    }
  return sonde_io_replace_file (NULL, path, text->str, text->len, error);
}

gboolean
sonde_explain_write_label_errors (const char *directory, const char *name, const char *const *names,
                                  SondeDataset *dataset, const SondeLabelErrors *errors,
                                  const double *suspicion, GError **error)
{
  g_autofree char *file = g_strconcat (name, ".tsv", NULL),
                  *path = g_build_filename (directory, file, NULL);
  g_autoptr (GString) text
      = g_string_new ("file\tgiven\tsuggested\tsuspect\tself_confidence\tnormalised_"
                      "margin\tweighted_entropy\tscore\n");
  g_autofree guint *order
      = suspicion != NULL ? sonde_label_errors_rank (suspicion, errors->n) : NULL;

  for (guint k = 0; k < errors->n_labelled; k++)
    {
      guint i = order != NULL ? order[k] : errors->order[k];
      g_autofree char *given = dup_class (dataset, errors->labels[i]),
                      *suggested = dup_class (dataset, errors->confident[i]);

      append_field (text, names[i]);
      g_string_append_printf (text, "\t%s\t%s\t%s\t%.9g\t%.9g\t%.9g\t%.9g\n", given, suggested,
                              sonde_label_errors_is_suspect (errors, i) ? "yes" : "no",
                              errors->self_confidence[i], errors->normalised_margin[i],
                              errors->weighted_entropy[i],
                              suspicion != NULL ? suspicion[i] : errors->self_confidence[i]);
    }
  return sonde_io_replace_file (NULL, path, text->str, text->len, error);
}
