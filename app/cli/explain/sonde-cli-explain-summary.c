/* SPDX-License-Identifier: Apache-2.0
 * The results of `sonde explain`: metrics.json and the report. */
#include <math.h>

#include "app/cli/explain/sonde-cli-explain-errors.h"
#include "app/cli/explain/sonde-cli-explain-metrics.h"
#include "app/cli/explain/sonde-cli-explain-private.h"
#include "data/arrays/sonde-json.h"
#include "explain/metrics/sonde-localisation.h"

/* Pointing at the object, per method and target. */
typedef struct
{
  char *key; /* METHOD/TARGET */
  guint n, hits, n_undefined;
  double mass;
} Score;

static void
score_free (void *data)
{
  Score *score = data;

  g_free (score->key);
  g_free (score);
}

GPtrArray *
sonde_explain_new_pointing (void)
{
  return g_ptr_array_new_with_free_func (score_free);
}

static Score *
find_score (Explain *explain, const SondeExplainedMap *map)
{
  g_autofree char *key
      = g_strdup_printf ("%s/%s", sonde_attribution_spec_get_label (map->spec), map->target_is);
  Score *score;

  for (guint i = 0; i < explain->scores->len; i++)
    {
      score = g_ptr_array_index (explain->scores, i);
      if (g_str_equal (score->key, key))
        return score;
    }
  score = g_new0 (Score, 1);
  score->key = g_steal_pointer (&key);
  g_ptr_array_add (explain->scores, score);
  return score;
}

void
sonde_explain_add_pointing (Explain *explain, const SondeExplainedMap *map)
{
  SondeShape shape = sonde_shape_make (2, explain->dataset->height, explain->dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  SondeBox box;
  Score *score;
  int points;

  if (!sonde_dataset_get_truth (explain->dataset, map->prediction->sample, &box, mask->data))
    return;
  score = find_score (explain, map);
  points = sonde_localisation_points (map->map->map, mask);
  if (points < 0)
    {
      score->n_undefined++;
      return;
    }
  score->n++;
  score->hits += (guint) points;
  score->mass += sonde_localisation_mass (map->map->map, mask);
}

/* Share of samples whose centre pixel is in the object; NaN without truth. */
static double
centre_baseline (SondeDataset *dataset, GPtrArray *predictions)
{
  SondeShape shape = sonde_shape_make (2, dataset->height, dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  guint n = 0, hits = 0;

  for (guint i = 0; i < predictions->len; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (predictions, i);
      SondeBox box;

      if (!sonde_dataset_get_truth (dataset, prediction->sample, &box, mask->data))
        continue;
      n++;
      hits += sonde_localisation_centre_points (mask);
    }
  return n > 0 ? (double) hits / n : NAN;
}

JsonNode *
sonde_explain_make_metrics (Explain *explain, GPtrArray *predictions, guint n_errors,
                            guint n_chosen)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  double centre = centre_baseline (explain->dataset, predictions);
  guint known = 0;

  for (guint i = 0; i < predictions->len; i++)
    known += ((SondePrediction *) g_ptr_array_index (predictions, i))->label >= 0;
  json_builder_begin_object (builder);
  sonde_json_set_int (builder, "pictures", predictions->len);
  sonde_json_set_int (builder, "labelled", known);
  sonde_json_set_int (builder, "errors", n_errors);
  sonde_json_set_double (builder, "accuracy", known > 0 ? 1.0 - (double) n_errors / known : NAN);
  sonde_json_set_int (builder, "explained", n_chosen);
  sonde_json_set_int (builder, "maps", explain->n_maps);
  sonde_json_set_int (builder, "unreadable", explain->n_unreadable);
  json_builder_set_member_name (builder, "failed_methods");
  json_builder_begin_array (builder);
  for (guint i = 0; i < explain->failed->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (explain->failed, i));
  json_builder_end_array (builder);
  sonde_explain_add_calibration (builder, explain->dataset, predictions);
  if (explain->triage != NULL)
    sonde_explain_add_triage (builder, explain->dataset, predictions, explain->triage);
  json_builder_set_member_name (builder, "localisation");
  json_builder_begin_object (builder);
  if (!isnan (centre))
    {
      json_builder_set_member_name (builder, "centre_baseline");
      json_builder_add_double_value (builder, centre);
    }
  for (guint i = 0; i < explain->scores->len; i++)
    {
      const Score *score = g_ptr_array_index (explain->scores, i);

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
  if (explain->evaluation != NULL)
    sonde_explain_metrics_build (explain->evaluation, explain->dataset->classes,
                                 explain->dataset->n_classes, builder);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

/* ---- the report ---------------------------------------------------------- */

static void
add_report_settings (Explain *explain)
{
  const ExplainOptions *options = explain->options;
  const SondeExplanationSettings *settings = &options->settings;
  g_autofree char *input = g_strdup_printf ("%d×%d×%d", explain->dataset->channels,
                                            explain->dataset->height, explain->dataset->width);
  g_autofree char *methods
      = options->methods != NULL ? g_strjoinv (", ", options->methods) : g_strdup ("saliency");
  g_autofree char *targets = options->targets != NULL ? g_strjoinv (", ", options->targets)
                                                      : g_strdup ("predicted, true");
  g_autofree char *seed = g_strdup_printf ("%" PRIi64, options->settings.seed);
  g_autofree char *cost
      = g_strdup_printf (_ ("%.1f s so far, %u maps, device %s"),
                         (double) (g_get_monotonic_time () - explain->begun) / 1e6, explain->n_maps,
                         options->settings.device != NULL ? options->settings.device : "cpu");
  const struct
  {
    const char *name, *value;
  } rows[] = {
    { N_ ("model"), explain->subject },
    { N_ ("data"), settings->data },
    { N_ ("labels"), settings->labels },
    { N_ ("input"), input },
    { N_ ("mean"), settings->mean },
    { N_ ("std"), settings->std },
    { N_ ("size"), settings->size },
    { N_ ("channels"), settings->channels },
    { N_ ("training data"), settings->training },
    { N_ ("given labels"), settings->given_labels },
    { N_ ("probabilities"), options->probabilities },
    { N_ ("methods"), methods },
    { N_ ("targets"), targets },
    { N_ ("explained"), options->images != NULL ? options->images : "errors" },
    { N_ ("seed"), seed },
    { N_ ("cost"), cost },
    { N_ ("program"), "sonde " SONDE_VERSION },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].value != NULL)
      sonde_explain_report_add_setting (explain->report, _ (rows[i].name), rows[i].value);
}

gboolean
sonde_explain_write_report (Explain *explain, GPtrArray *predictions, GError **error)
{
  double centre = centre_baseline (explain->dataset, predictions);

  for (guint i = 0; i < explain->scores->len; i++)
    {
      const Score *score = g_ptr_array_index (explain->scores, i);
      g_autofree char *sentence = g_strdup_printf (
          _ ("%s: the strongest pixel lies within the object in %u of %u images (%.0f %%; the "
             "centre "
             "pixel does in %.0f %% of all images); the object contains %.0f %% of the map's "
             "mass."),
          score->key, score->hits, score->n, 100.0 * score->hits / MAX (score->n, 1),
          100.0 * centre, 100.0 * score->mass / MAX (score->n, 1));

      sonde_explain_report_add_fact (explain->report, sentence);
    }
  sonde_explain_report_set_predictions (explain->report, predictions);
  sonde_explain_report_set_triage (explain->report, explain->triage);
  if (explain->evaluation != NULL)
    sonde_explain_report_set_scorecard (explain->report,
                                        sonde_evaluation_get_scorecard (explain->evaluation));
  add_report_settings (explain);
  return sonde_explain_report_write (explain->report, NULL, explain->options->report, error);
}
