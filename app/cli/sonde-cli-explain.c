/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain`: classifies a dataset, explains its errors, writes maps, tables, records and a report. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "app/cli/sonde-cli-explain-batch.h"
#include "app/cli/sonde-cli-explain-hoc.h"
#include "app/cli/sonde-cli-explain-facts.h"
#include "app/cli/sonde-cli-explain-metrics.h"
#include "app/cli/sonde-cli.h"
#include "app/worker/sonde-training-job.h"
#include "app/worker/sonde-worker-host.h"
#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "explain/metrics/sonde-localisation.h"
#include "explain/report/sonde-explain-report.h"
#include "explain/study/sonde-study-data.h"

typedef struct
{
  SondeStudySettings pictures;
  char *probabilities;
  char *output, *report, *run, *images, *device, *batch_input, *batch_targets, *hoc, *metrics;
  char **methods, **targets;
  int threads;
  gint64 seed;
  gboolean json, channels, triage;
} ExplainOptions;

/* Pointing at the object, per method and target. */
typedef struct
{
  char *key; /* METHOD/TARGET */
  guint n, hits, n_undefined;
  double mass;
} Score;

typedef struct
{
  const SondeCommand *command;
  const char *subject;
  gint64 begun; /* of the monotonic clock, µs */
  ExplainOptions *options;
  SondeDataset *dataset;
  GPtrArray *notes; /* (element-type utf8): what was done to the pictures without being asked */
  SondeTriage *triage; /* NULL: not asked for */
  SondeExplainReport *report;
  SondeSummaryWriter *writer;
  GHashTable *positions; /* sample -> position among the explained */
  GPtrArray *scores;     /* (element-type Score) */
  SondeEvaluation *evaluation; /* (nullable) */
  SondeProgressLine line;
  guint n_maps, n_unreadable;
} Explain;

static void
score_free (void *data)
{
  Score *score = data;

  g_free (score->key);
  g_free (score);
}

/* ---- where model and data come from ----------------------------------------------------------- */

/* A run folder stands for its final model, on the test part of its own data. */
static gboolean
open_run (const char     *run,
          const char     *program,
          SondeGraph    **model,
          SondeDataset  **dataset,
          SondeSplitPart *split,
          GError        **error)
{
  g_autofree char *recipe_path = g_build_filename (run, "run.ini", NULL);
  g_autoptr (SondeRecipe) recipe = sonde_recipe_load (NULL, recipe_path, error);
  g_autofree char *path = NULL;

  if (recipe == NULL)
    return FALSE;
  path = g_path_is_absolute (recipe->checkpoint_directory)
             ? g_build_filename (recipe->checkpoint_directory, "final.onnx", NULL)
             : g_build_filename (run, recipe->checkpoint_directory, "final.onnx", NULL);
  *model = sonde_model_load (NULL, path, error);
  if (*model == NULL)
    return g_prefix_error (error, "The run has no trained model yet: "), FALSE;
  *dataset = sonde_training_job_open_dataset (recipe, program, split, error);
  return *dataset != NULL;
}

/* ---- results ---------------------------------------------------------------------------------- */

static char *
safe_name (const char *name)
{
  char *safe = g_strdup (name);

  for (char *p = safe; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '.' && *p != '-' && *p != '_')
      *p = '_';
  return safe;
}

/* OUTPUT/FOLDER/CLASS/NAME.EXTENSION, its folder made; CLASS is the true class. */
static char *
make_sample_path (Explain               *explain,
                  const SondePrediction *prediction,
                  const char            *inside,
                  const char            *extension,
                  GError               **error)
{
  const SondeDataset *dataset = explain->dataset;
  g_autofree char *base = g_path_get_basename (prediction->name);
  g_autofree char *class_name
      = prediction->label >= 0 && (guint64) prediction->label < dataset->n_classes
            ? safe_name (dataset->classes[prediction->label])
            : g_strdup ("unknown");
  g_autofree char *folder = g_build_filename (explain->options->output, inside, class_name, NULL);
  char *dot = strrchr (base, '.');
  g_autofree char *stem = g_strndup (base, dot != NULL && dot != base ? (gsize) (dot - base) : strlen (base));
  g_autofree char *file = g_strconcat (stem, extension, NULL);

  return sonde_io_make_directories (NULL, folder, error) ? g_build_filename (folder, file, NULL) : NULL;
}

/* DIR/maps/METHOD/TARGET/CLASS/NAME.npy */
static gboolean
write_map (Explain                 *explain,
           const SondeExplainedMap *map,
           GError                 **error)
{
  g_autofree char *inside
      = g_build_filename ("maps", sonde_attribution_spec_get_label (map->spec), map->target_is, NULL);
  g_autofree char *path = make_sample_path (explain, map->prediction, inside, ".npy", error);

  return path != NULL
         && sonde_npy_write (sonde_io_hasty (), path, explain->options->channels && map->channels != NULL ? map->channels : map->map,
                             error);
}

static Score *
find_score (Explain                 *explain,
            const SondeExplainedMap *map)
{
  g_autofree char *key = g_strdup_printf ("%s/%s", sonde_attribution_spec_get_label (map->spec), map->target_is);
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

static void
add_score (Explain                 *explain,
           const SondeExplainedMap *map)
{
  SondeShape shape = sonde_shape_make (2, explain->dataset->height, explain->dataset->width);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  SondeBox box;
  Score *score;
  int points;

  if (!sonde_dataset_get_truth (explain->dataset, map->prediction->sample, &box, mask->data))
    return;
  score = find_score (explain, map);
  points = sonde_localisation_points (map->map, mask);
  if (points < 0)
    {
      score->n_undefined++;
      return;
    }
  score->n++;
  score->hits += (guint) points;
  score->mass += sonde_localisation_mass (map->map, mask);
}

static gboolean
take_map (const SondeExplainedMap *map,
          gpointer                 data,
          GError                 **error)
{
  Explain *explain = data;
  gint64 position = GPOINTER_TO_UINT (
      g_hash_table_lookup (explain->positions, GUINT_TO_POINTER (map->prediction->sample + 1)));

  explain->n_maps++;
  add_score (explain, map);
  sonde_cli_progress (&explain->line, "explained %u maps", explain->n_maps);
  return (explain->evaluation == NULL || sonde_evaluation_add (explain->evaluation, map, error))
         && (explain->options->output == NULL || write_map (explain, map, error))
         && (explain->writer == NULL || sonde_explain_record (explain->writer, explain->dataset, map, position, error))
         && (explain->report == NULL || sonde_explain_report_add_map (explain->report, map, error));
}

static gboolean
show_progress (guint    done,
               guint    total,
               gpointer data,
               GError **error)
{
  sonde_cli_progress (&((Explain *) data)->line, "classified %u of %u", done, total);
  return TRUE;
}

/* Tabs and newlines of a file name would break the table. */
static void
append_field (GString    *text,
              const char *field)
{
  for (const char *p = field; *p != '\0'; p++)
    g_string_append_c (text, *p == '\t' || *p == '\n' || *p == '\r' ? ' ' : *p);
}

static gboolean
write_predictions (Explain   *explain,
                   GPtrArray *predictions,
                   GError   **error)
{
  g_autofree char *path = g_build_filename (explain->options->output, "predictions.tsv", NULL);
  g_autoptr (GString) text = g_string_new ("file\ttrue\tpredicted\tp_true\tp_predicted\tmargin\treason\n");

  for (guint i = 0; i < predictions->len; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (predictions, i);
      const SondeDataset *dataset = explain->dataset;
      const gint64 classes[] = { prediction->label, prediction->predicted };

      append_field (text, prediction->name);
      for (gsize k = 0; k < G_N_ELEMENTS (classes); k++)
        {
          g_string_append_c (text, '\t');
          if (classes[k] >= 0 && (guint64) classes[k] < dataset->n_classes)
            append_field (text, dataset->classes[classes[k]]);
          else if (classes[k] >= 0)
            g_string_append_printf (text, "%" G_GINT64_FORMAT, classes[k]);
        }
      g_string_append_printf (text, "\t%.9g\t%.9g\t%.9g\t%s\n",
                              sonde_prediction_get_probability (prediction, prediction->label),
                              sonde_prediction_get_probability (prediction, prediction->predicted),
                              sonde_prediction_get_margin (prediction),
                              explain->triage != NULL ? sonde_reason_name (explain->triage->rows[i].reason) : "");
    }
  return sonde_io_replace_file (NULL, path, text->str, text->len, error);
}

/* Share of samples whose centre pixel is in the object; NaN without truth. */
static double
centre_baseline (SondeDataset *dataset,
                 GPtrArray    *predictions)
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

static JsonNode *
make_metrics (Explain    *explain,
              GPtrArray  *predictions,
              guint       n_errors,
              guint       n_chosen)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  double centre = centre_baseline (explain->dataset, predictions);
  guint known = 0;

  for (guint i = 0; i < predictions->len; i++)
    known += ((SondePrediction *) g_ptr_array_index (predictions, i))->label >= 0;
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "pictures");
  json_builder_add_int_value (builder, predictions->len);
  json_builder_set_member_name (builder, "labelled");
  json_builder_add_int_value (builder, known);
  json_builder_set_member_name (builder, "errors");
  json_builder_add_int_value (builder, n_errors);
  json_builder_set_member_name (builder, "accuracy");
  sonde_cli_json_add_double (builder, known > 0 ? 1.0 - (double) n_errors / known : NAN);
  json_builder_set_member_name (builder, "explained");
  json_builder_add_int_value (builder, n_chosen);
  json_builder_set_member_name (builder, "maps");
  json_builder_add_int_value (builder, explain->n_maps);
  json_builder_set_member_name (builder, "unreadable");
  json_builder_add_int_value (builder, explain->n_unreadable);
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
      json_builder_set_member_name (builder, "pointing");
      sonde_cli_json_add_double (builder, score->n > 0 ? (double) score->hits / score->n : NAN);
      json_builder_set_member_name (builder, "mass");
      sonde_cli_json_add_double (builder, score->n > 0 ? score->mass / score->n : NAN);
      json_builder_set_member_name (builder, "n");
      json_builder_add_int_value (builder, score->n);
      json_builder_set_member_name (builder, "undefined");
      json_builder_add_int_value (builder, score->n_undefined);
      json_builder_end_object (builder);
    }
  json_builder_end_object (builder);
  if (explain->evaluation != NULL)
    sonde_explain_metrics_build (explain->evaluation, explain->dataset->classes, explain->dataset->n_classes, builder);
  json_builder_end_object (builder);
  return json_builder_get_root (builder);
}

static gboolean
write_metrics (Explain  *explain,
               JsonNode *metrics,
               GError  **error)
{
  g_autofree char *path = g_build_filename (explain->options->output, "metrics.json", NULL);
  g_autofree char *text = json_to_string (metrics, TRUE);

  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

/* Everything that is needed to do the same again. */
static gboolean
write_settings (Explain *explain,
                GError **error)
{
  const ExplainOptions *options = explain->options;
  const SondeStudySettings *pictures = &options->pictures;
  const struct { const char *name, *value; } texts[] = {
    { "model", explain->subject }, { "data", pictures->data }, { "labels", pictures->labels }, { "mean", pictures->mean },
    { "std", pictures->deviation }, { "size", pictures->size }, { "channels", pictures->channels },
    { "train_data", pictures->training }, { "given_labels", pictures->given_labels },
    { "probabilities", options->probabilities }, { "images", options->images },
    { "device", options->device != NULL ? options->device : "cpu" }, { "version", SONDE_VERSION },
  };
  const struct { const char *name; char **values; } lists[] = { { "methods", options->methods }, { "targets", options->targets } };
  g_autofree char *path = g_build_filename (options->output, "settings.json", NULL), *text = NULL;
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) node = NULL;

  json_builder_begin_object (builder);
  for (gsize i = 0; i < G_N_ELEMENTS (texts); i++)
    if (texts[i].value != NULL)
      {
        json_builder_set_member_name (builder, texts[i].name);
        json_builder_add_string_value (builder, texts[i].value);
      }
  for (gsize i = 0; i < G_N_ELEMENTS (lists); i++)
    {
      json_builder_set_member_name (builder, lists[i].name);
      json_builder_begin_array (builder);
      for (gsize k = 0; lists[i].values != NULL && lists[i].values[k] != NULL; k++)
        json_builder_add_string_value (builder, lists[i].values[k]);
      json_builder_end_array (builder);
    }
  json_builder_set_member_name (builder, "input");
  json_builder_begin_array (builder);
  for (int i = 0; i < 3; i++)
    json_builder_add_int_value (builder, (int[]) { explain->dataset->channels, explain->dataset->height, explain->dataset->width }[i]);
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "threads");
  json_builder_add_int_value (builder, options->threads);
  json_builder_set_member_name (builder, "seed");
  json_builder_add_int_value (builder, options->seed);
  json_builder_set_member_name (builder, "triage");
  json_builder_add_boolean_value (builder, options->triage);
  json_builder_set_member_name (builder, "map_channels");
  json_builder_add_boolean_value (builder, options->channels);
  json_builder_set_member_name (builder, "notes");
  json_builder_begin_array (builder);
  for (guint i = 0; i < explain->notes->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (explain->notes, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
  node = json_builder_get_root (builder);
  text = json_to_string (node, TRUE);
  return sonde_io_replace_file (NULL, path, text, strlen (text), error);
}

static void
add_report_settings (Explain *explain)
{
  const ExplainOptions *options = explain->options;
  const SondeStudySettings *pictures = &options->pictures;
  g_autofree char *input = g_strdup_printf ("%d×%d×%d", explain->dataset->channels, explain->dataset->height, explain->dataset->width);
  g_autofree char *methods = options->methods != NULL ? g_strjoinv (", ", options->methods) : g_strdup ("saliency");
  g_autofree char *targets = options->targets != NULL ? g_strjoinv (", ", options->targets) : g_strdup ("predicted, true");
  g_autofree char *seed = g_strdup_printf ("%" G_GINT64_FORMAT, options->seed);
  g_autofree char *cost = g_strdup_printf ("%.1f s so far, %u maps, device %s", (double) (g_get_monotonic_time () - explain->begun) / 1e6,
                                           explain->n_maps, options->device != NULL ? options->device : "cpu");
  const struct { const char *name, *value; } settings[] = {
    { "model", explain->subject }, { "data", pictures->data }, { "labels", pictures->labels }, { "input", input },
    { "mean", pictures->mean }, { "std", pictures->deviation }, { "size", pictures->size }, { "channels", pictures->channels },
    { "training data", pictures->training }, { "given labels", pictures->given_labels }, { "probabilities", options->probabilities },
    { "methods", methods }, { "targets", targets }, { "explained", options->images != NULL ? options->images : "errors" },
    { "seed", seed }, { "cost", cost }, { "program", "sonde " SONDE_VERSION },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (settings); i++)
    if (settings[i].value != NULL)
      sonde_explain_report_add_setting (explain->report, settings[i].name, settings[i].value);
}

static gboolean
write_report (Explain   *explain,
              GPtrArray *predictions,
              GError   **error)
{
  double centre = centre_baseline (explain->dataset, predictions);

  for (guint i = 0; i < explain->scores->len; i++)
    {
      const Score *score = g_ptr_array_index (explain->scores, i);
      g_autofree char *sentence = g_strdup_printf (
          "%s: the strongest pixel lies in the object on %u of %u pictures (%.0f %%; always guessing the centre: %.0f %% "
          "of all pictures); %.0f %% of the map's mass lies in it.",
          score->key, score->hits, score->n, 100.0 * score->hits / MAX (score->n, 1), 100.0 * centre,
          100.0 * score->mass / MAX (score->n, 1));

      sonde_explain_report_add_fact (explain->report, sentence);
    }
  sonde_explain_report_set_predictions (explain->report, predictions);
  sonde_explain_report_set_triage (explain->report, explain->triage);
  if (explain->evaluation != NULL)
    sonde_explain_report_set_scorecard (explain->report, sonde_evaluation_get_scorecard (explain->evaluation));
  add_report_settings (explain);
  return sonde_explain_report_write (explain->report, NULL, explain->options->report, error);
}

/* ---- choosing --------------------------------------------------------------------------------- */

static GPtrArray *
choose_samples (const char *images,
                GPtrArray  *predictions)
{
  GPtrArray *chosen = g_ptr_array_new ();
  gboolean errors = images == NULL || g_str_equal (images, "errors");
  gboolean all = !errors && g_str_equal (images, "all");
  g_autoptr (GPatternSpec) spec = !errors && !all ? g_pattern_spec_new (images) : NULL;

  for (guint i = 0; i < predictions->len; i++)
    {
      SondePrediction *prediction = g_ptr_array_index (predictions, i);

      if (all || (errors && sonde_prediction_is_error (prediction))
          || (spec != NULL && g_pattern_spec_match_string (spec, prediction->name)))
        g_ptr_array_add (chosen, prediction);
    }
  return chosen;
}

/* "predicted", "true", or the name or number of a class. */
static gboolean
resolve_target (SondeDataset *dataset,
                const char   *text,
                const char  **target_is,
                gint64       *target,
                GError      **error)
{
  *target = -1;
  *target_is = text;
  if (g_str_equal (text, "predicted") || g_str_equal (text, "true"))
    return TRUE;
  *target_is = "class";
  for (guint c = 0; c < dataset->n_classes; c++)
    if (g_str_equal (dataset->classes[c], text))
      *target = c;
  if (*target < 0 && !g_ascii_string_to_signed (text, 10, 0, G_MAXINT, target, NULL))
    {
      g_autofree char *names = g_strjoinv (", ", dataset->classes);

      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--target %s: write “predicted”, “true”, or one of the classes %s.", text, names);
      return FALSE;
    }
  return TRUE;
}

/* One method for all targets; a method that takes pairs for one. */
static gboolean
explain_by (Explain                    *explain,
            SondeExplainer             *explainer,
            GPtrArray                  *chosen,
            const SondeAttributionSpec *spec,
            GError                    **error)
{
  static const char *const default_targets[] = { "predicted", "true", NULL };
  const char *const *targets = explain->options->targets != NULL ? (const char *const *) explain->options->targets
                                                                 : default_targets;
  gboolean pairs = sonde_attribution_spec_get_method (spec)->takes_pair;

  for (gsize t = 0; targets[t] != NULL && (t == 0 || !pairs); t++)
    {
      const char *target_is;
      gint64 target;

      if (!resolve_target (explain->dataset, targets[t], &target_is, &target, error)
          || !sonde_explain_maps (explainer, explain->dataset, chosen, spec, target_is, target, (guint64) explain->options->seed,
                                  take_map, explain, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
explain_all (Explain        *explain,
             SondeGraph     *model,
             SondeExplainer *explainer,
             GPtrArray      *chosen,
             GError        **error)
{
  g_autoptr (GPtrArray) specs = sonde_explain_parse_methods (explain->options->methods, error);

  for (guint i = 0; i < chosen->len; i++)
    g_hash_table_insert (explain->positions,
                         GUINT_TO_POINTER (((SondePrediction *) g_ptr_array_index (chosen, i))->sample + 1),
                         GUINT_TO_POINTER (i));
  for (guint m = 0; specs != NULL && m < specs->len; m++)
    if (!explain_by (explain, explainer, chosen, g_ptr_array_index (specs, m), error))
      return FALSE;
  return specs != NULL
         && (explain->evaluation == NULL
             || sonde_evaluation_randomise (explain->evaluation, model, explain->options->device, explain->options->threads, error));
}

/* DIR/hoc/BY/CLASS/NAME.json. A flip goes to the true class, the others keep or destroy the predicted one. */
static gboolean
write_boxes (Explain                  *explain,
             SondeExplainer           *explainer,
             const SondePrediction    *prediction,
             const SondeOcclusionSpec *spec,
             GError                  **error)
{
  const SondeDataset *dataset = explain->dataset;
  SondeShape shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) image = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *inside = g_build_filename ("hoc", sonde_explain_hoc_goal_name (spec->goal), NULL), *path = NULL;
  gboolean flip = spec->goal == SONDE_OCCLUSION_FLIP;

  if (flip && prediction->label < 0)
    return TRUE;
  path = make_sample_path (explain, prediction, inside, ".json", error);
  return path != NULL && sonde_dataset_fill (explain->dataset, prediction->sample, image->data, error)
         && sonde_explain_hoc_write (explainer, image, flip ? prediction->label : prediction->predicted, spec, path, error);
}

/* --hoc of every chosen picture; auto adds the flip to the truth for errors. */
static gboolean
explain_boxes (Explain        *explain,
               SondeExplainer *explainer,
               GPtrArray      *chosen,
               GError        **error)
{
  const char *text = explain->options->hoc;
  g_autoptr (SondeOcclusionSpec) spec = text != NULL ? sonde_occlusion_spec_parse (text, error) : NULL;
  g_autoptr (SondeOcclusionSpec) flip = sonde_occlusion_spec_parse ("by=flip:prune=yes", NULL);
  gboolean automatic = g_strcmp0 (text, "auto") == 0;

  if (text != NULL && spec != NULL && explain->options->output == NULL)
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID, "--hoc writes files: say where with --output DIR.");
      return FALSE;
    }
  for (guint i = 0; spec != NULL && i < chosen->len; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (chosen, i);

      sonde_cli_progress (&explain->line, "hierarchical occlusion of %u of %u", i + 1, chosen->len);
      if (!write_boxes (explain, explainer, prediction, spec, error)
          || (automatic && sonde_prediction_is_error (prediction)
              && !write_boxes (explain, explainer, prediction, flip, error)))
        return FALSE;
    }
  return text == NULL || spec != NULL;
}

static gboolean
open_outputs (Explain    *explain,
              const char *model,
              GError    **error)
{
  const ExplainOptions *options = explain->options;
  SondeSummaryWriterOptions writer = { .program = "sonde " SONDE_VERSION };

  if (options->output != NULL && !sonde_io_make_directories (NULL, options->output, error))
    return FALSE;
  if (options->report != NULL && !g_str_has_suffix (options->report, ".html") && !g_str_has_suffix (options->report, ".pdf"))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                   "--report %s: a report is written as .html or .pdf.", options->report);
      return FALSE;
    }
  if (options->report != NULL)
    explain->report = sonde_explain_report_new ("Explained errors", model, explain->dataset);
  if (options->run != NULL)
    explain->writer = sonde_summary_writer_open (options->run, &writer, error);
  return options->run == NULL || explain->writer != NULL;
}

/* Label errors of @predictions by --probabilities. */
static gboolean
write_label_errors (Explain      *explain,
                    const char   *name,
                    GPtrArray    *predictions,
                    const double *suspicion,
                    GError      **error)
{
  guint n = predictions->len, classes = n > 0 ? ((SondePrediction *) g_ptr_array_index (predictions, 0))->n_classes : 0;
  g_autoptr (SondeTensor) given = explain->options->probabilities != NULL ? sonde_npy_read (NULL, explain->options->probabilities, error) : NULL;
  g_autofree float *p = g_new (float, (gsize) n * classes + 1);
  g_autofree gint64 *labels = g_new (gint64, n + 1);
  g_autofree const char **names = g_new (const char *, n + 1);
  g_autoptr (SondeLabelErrors) errors = NULL;

  if (explain->options->probabilities != NULL && given == NULL)
    return FALSE;
  if (given != NULL && (given->shape.rank != 2 || given->shape.dims[0] != n || given->shape.dims[1] != classes))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--probabilities %s: must be [%u, %u], a row for each picture in their order and a column for each class.",
                   explain->options->probabilities, n, classes);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      const SondePrediction *prediction = g_ptr_array_index (predictions, i);

      labels[i] = prediction->label;
      names[i] = prediction->name;
      for (guint c = 0; c < classes; c++)
        p[(gsize) i * classes + c] = given != NULL ? (float) sonde_tensor_get_double (given, (gint64) i * classes + c)
                                                   : prediction->probabilities[c];
    }
  errors = sonde_label_errors_new (p, labels, n, classes);
  return sonde_explain_write_label_errors (explain->options->output, name, names, explain->dataset, errors,
                                           given == NULL ? suspicion : NULL, error);
}

static gboolean
write_own_label_errors (Explain      *explain,
                        GPtrArray    *predictions,
                        const double *suspicion,
                        GError      **error)
{
  g_autofree const char **names = g_new (const char *, predictions->len + 1);

  for (guint i = 0; i < predictions->len; i++)
    names[i] = ((SondePrediction *) g_ptr_array_index (predictions, i))->name;
  return sonde_explain_write_label_errors (explain->options->output, "label-errors", names, explain->dataset,
                                           explain->triage->label_errors, suspicion, error);
}

static gboolean
write_facts (Explain   *explain,
             GPtrArray *predictions,
             GError   **error)
{
  const SondeTriage *triage = explain->triage;
  g_autofree double *suspicion = g_new (double, predictions->len + 1);
  gboolean of_training = triage != NULL && triage->has_training;

  if (triage == NULL)
    return TRUE;
  for (guint i = 0; i < predictions->len; i++)
    suspicion[i] = triage->rows[i].suspicion;
  if (!sonde_explain_write_triage (explain->options->output, explain->dataset, predictions, triage, error))
    return FALSE;
  if (!of_training)
    return write_label_errors (explain, "label-errors", predictions, suspicion, error);
  return write_own_label_errors (explain, predictions, suspicion, error)
         && write_label_errors (explain, "train-label-errors", triage->reference, NULL, error);
}

static gboolean
finish (Explain   *explain,
        GPtrArray *predictions,
        guint      n_chosen,
        GError   **error)
{
  guint n_errors = 0;
  g_autoptr (JsonNode) metrics = NULL;

  for (guint i = 0; i < predictions->len; i++)
    n_errors += sonde_prediction_is_error (g_ptr_array_index (predictions, i));
  metrics = make_metrics (explain, predictions, n_errors, n_chosen);
  if (explain->options->output != NULL
      && (!write_predictions (explain, predictions, error) || !write_metrics (explain, metrics, error)
          || !write_settings (explain, error) || !write_facts (explain, predictions, error)))
    return FALSE;
  if (explain->report != NULL && !write_report (explain, predictions, error))
    return FALSE;
  if (explain->writer != NULL && !sonde_summary_writer_close (g_steal_pointer (&explain->writer), error))
    return FALSE;
  sonde_cli_progress_end (&explain->line);
  if (explain->options->json)
    sonde_cli_print_json (g_steal_pointer (&metrics), TRUE);
  else
    g_print ("%u pictures, %u errors (%.2f %% right); %u explained by %u maps%s%s\n", predictions->len, n_errors,
             predictions->len > 0 ? 100.0 * (predictions->len - n_errors) / predictions->len : 0.0, n_chosen,
             explain->n_maps, explain->options->report != NULL ? "; report: " : "",
             explain->options->report != NULL ? explain->options->report : "");
  if (!explain->options->json && explain->evaluation != NULL)
    {
      g_autofree char *text = sonde_explain_metrics_to_text (explain->evaluation);

      g_print ("%s", text);
    }
  return TRUE;
}

/* What the dataset could not read, and what was done to the pictures unasked, on stderr. */
static void
tell_notes (Explain     *explain,
            guint        n_asked,
            guint        n_read)
{
  guint faults = sonde_dataset_get_n_faults (explain->dataset);

  explain->n_unreadable = n_asked - n_read;
  sonde_cli_progress_end (&explain->line);
  for (guint i = 0; i < explain->notes->len; i++)
    g_printerr ("sonde explain: %s\n", (const char *) g_ptr_array_index (explain->notes, i));
  for (guint i = 0; i < MIN (faults, 10); i++)
    {
      g_autofree char *fault = sonde_dataset_dup_fault (explain->dataset, i);

      g_printerr ("sonde explain: %s\n", fault);
    }
  if (faults > 10)
    g_printerr ("sonde explain: … and %u more.\n", faults - 10);
}

/* Training samples as the model sees them, with the labels given. */
static gboolean
open_training (Explain        *explain,
               SondeExplainer *explainer,
               SondeGraph     *model,
               SondeDataset  **dataset,
               GPtrArray     **predictions,
               GError        **error)
{
  const SondeStudySettings *pictures = &explain->options->pictures;
  g_autofree char *program = sonde_cli_dup_program ();
  SondeSplitPart split = { 0 };

  *dataset = sonde_study_open_data (pictures, pictures->training, TRUE, model, program, &split, explain->notes, error);
  *predictions = *dataset != NULL ? sonde_explain_classify (explainer, *dataset, split.test, split.n_test, show_progress, explain, error)
                                  : NULL;
  sonde_split_part_clear (&split);
  return *predictions != NULL
         && (pictures->given_labels == NULL
             || sonde_study_apply_given_labels (pictures->given_labels, *dataset, *predictions, error));
}

static gboolean
run_triage (Explain        *explain,
            SondeExplainer *explainer,
            SondeGraph     *model,
            GPtrArray      *predictions,
            GError        **error)
{
  const SondeStudySettings *pictures = &explain->options->pictures;
  g_autoptr (SondeDataset) training_data = NULL;
  g_autoptr (GPtrArray) training = NULL;

  if (pictures->training != NULL && !open_training (explain, explainer, model, &training_data, &training, error))
    return FALSE;
  if (pictures->training == NULL && pictures->given_labels != NULL
      && !sonde_study_apply_given_labels (pictures->given_labels, explain->dataset, predictions, error))
    return FALSE;
  explain->triage = sonde_triage_new (explainer, explain->dataset, predictions, training_data, training, error);
  return explain->triage != NULL;
}

static gboolean
run_on (Explain              *explain,
        const char           *subject,
        SondeGraph           *model,
        const SondeSplitPart *split,
        GError              **error)
{
  g_autoptr (SondeExplainer) explainer
      = sonde_explainer_new (model, explain->options->device, explain->options->threads, error);
  g_autoptr (GPtrArray) predictions = NULL, chosen = NULL;

  if (explainer == NULL || !open_outputs (explain, subject, error))
    return FALSE;
  predictions = sonde_explain_classify (explainer, explain->dataset, split->test, split->n_test, show_progress, explain,
                                        error);
  if (predictions == NULL)
    return FALSE;
  tell_notes (explain, split->n_test, predictions->len);
  if (predictions->len > 0
      && !sonde_study_check_classes (&explain->options->pictures, explain->dataset,
                                       ((SondePrediction *) g_ptr_array_index (predictions, 0))->n_classes, error))
    return FALSE;
  if (explain->options->triage && !run_triage (explain, explainer, model, predictions, error))
    return FALSE;
  if (explain->options->metrics != NULL)
    {
      explain->evaluation = sonde_evaluation_new (explain->options->metrics, explainer, explain->dataset,
                                                  (guint64) explain->options->seed, error);
      if (explain->evaluation == NULL)
        return FALSE;
    }
  chosen = choose_samples (explain->options->images, predictions);
  return explain_all (explain, model, explainer, chosen, error) && explain_boxes (explain, explainer, chosen, error)
         && finish (explain, predictions, chosen->len, error);
}

static gboolean
explain_subject (const SondeCommand   *command,
                 ExplainOptions       *options,
                 const char           *subject,
                 GError              **error)
{
  Explain explain = { .command = command, .subject = subject, .begun = g_get_monotonic_time (), .options = options };
  g_autofree char *program = sonde_cli_dup_program ();
  g_autoptr (SondeGraph) model = NULL;
  g_autoptr (SondeDataset) dataset = NULL;
  SondeSplitPart split = { 0 };
  gboolean good;

  explain.notes = g_ptr_array_new_with_free_func (g_free);
  if (g_file_test (subject, G_FILE_TEST_IS_DIR))
    good = open_run (subject, program, &model, &dataset, &split, error);
  else
    good = (model = sonde_model_load (NULL, subject, error)) != NULL;
  if (good && options->pictures.data != NULL)
    {
      g_clear_pointer (&dataset, sonde_dataset_free);
      sonde_split_part_clear (&split);
      dataset = sonde_study_open_data (&options->pictures, options->pictures.data, FALSE, model, program, &split, explain.notes, error);
      good = dataset != NULL;
    }
  if (good && dataset == NULL)
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--data is missing: which pictures? A folder, a list FILE.tsv, “mnist:DIR”, “cifar10:DIR”, “images:DIR” or “glyphs”.");
      good = FALSE;
    }
  explain.dataset = dataset;
  explain.positions = g_hash_table_new (NULL, NULL);
  explain.scores = g_ptr_array_new_with_free_func (score_free);
  good = good && run_on (&explain, subject, model, &split, error);
  sonde_cli_progress_end (&explain.line);
  if (explain.writer != NULL)
    sonde_summary_writer_close (explain.writer, NULL);
  sonde_explain_report_free (explain.report);
  sonde_triage_free (explain.triage);
  g_hash_table_unref (explain.positions);
  g_ptr_array_unref (explain.scores);
  g_ptr_array_unref (explain.notes);
  sonde_evaluation_free (explain.evaluation);
  sonde_split_part_clear (&split);
  return good;
}

/* --input and --targets: raw tensors instead of pictures. */
static gboolean
explain_batch (const ExplainOptions *options,
               const char           *model,
               GError              **error)
{
  SondeExplainBatch batch = { .model = model, .input = options->batch_input, .targets = options->batch_targets,
                              .output = options->output, .device = options->device, .methods = options->methods,
                              .threads = options->threads, .seed = options->seed, .hoc = options->hoc };

  if (options->batch_input != NULL && options->batch_targets != NULL && options->output != NULL && options->pictures.data == NULL)
    return sonde_explain_batch_run (&batch, error);
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
               "--input X.npy, --targets T.npy and --output DIR belong together, without --data.");
  return FALSE;
}

static int
run_explain (const SondeCommand *command,
             int                 argc,
             char              **argv)
{
  ExplainOptions options = { 0 };
  const GOptionEntry entries[] = {
    { "data", 0, 0, G_OPTION_ARG_STRING, &options.pictures.data, "Pictures to classify (default: the run's test part)", "DIR|SOURCE" },
    { "method", 'm', 0, G_OPTION_ARG_STRING_ARRAY, &options.methods, "saliency (default); [LABEL=]name:key=value…, see docs/explain.md", "SPEC" },
    { "target", 't', 0, G_OPTION_ARG_STRING_ARRAY, &options.targets, "Class to explain (default: predicted and true)", "predicted|true|LABEL" },
    { "images", 0, 0, G_OPTION_ARG_STRING, &options.images, "Which pictures are explained (default: errors)", "errors|all|GLOB" },
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "Write predictions.tsv, metrics.json and maps/ here", "DIR" },
    { "report", 0, 0, G_OPTION_ARG_FILENAME, &options.report, "Write one self-contained page, or PDF", "F.html|F.pdf" },
    { "triage", 0, 0, G_OPTION_ARG_NONE, &options.triage, "Say why each error happened: column reason, triage.tsv, label-errors.tsv", NULL },
    { "labels", 0, 0, G_OPTION_ARG_FILENAME, &options.pictures.labels, "Names of the model's classes in their order, one a line (default: the folders' order)", "FILE" },
    { "mean", 0, 0, G_OPTION_ARG_STRING, &options.pictures.mean, "Taken from the pictures after division by 255", "R,G,B" },
    { "std", 0, 0, G_OPTION_ARG_STRING, &options.pictures.deviation, "By which they are divided then", "R,G,B" },
    { "size", 0, 0, G_OPTION_ARG_STRING, &options.pictures.size, "Scale pictures to cover this and cut around the middle (default: as the model takes them)", "WxH" },
    { "channels", 0, 0, G_OPTION_ARG_STRING, &options.pictures.channels, "Order of the planes (default: rgb, or as the model takes them)", "rgb|bgr|grey" },
    { "train-data", 0, 0, G_OPTION_ARG_STRING, &options.pictures.training, "With --triage: training pictures, for neighbours, influence and duplicates", "DIR|SOURCE" },
    { "given-labels", 0, 0, G_OPTION_ARG_FILENAME, &options.pictures.given_labels, "Labels to doubt (columns file and given) of the training pictures, or without them of --data", "F.tsv" },
    { "probabilities", 0, 0, G_OPTION_ARG_FILENAME, &options.probabilities, "Out-of-sample probabilities of the same pictures, for label errors", "F.npy" },
    { "run", 0, 0, G_OPTION_ARG_FILENAME, &options.run, "Add the maps as records to this run", "DIR" },
    { "input", 0, 0, G_OPTION_ARG_FILENAME, &options.batch_input, "Samples float32 [N, C, H, W] instead of pictures", "X.npy" },
    { "targets", 0, 0, G_OPTION_ARG_FILENAME, &options.batch_targets, "With --input: classes int64 [N] or [N, K]", "T.npy" },
    { "hoc", 0, 0, G_OPTION_ARG_STRING, &options.hoc, "Hierarchical occlusion: by=unmasking|masking|flip:threshold=…, see docs/explain.md", "SPEC|auto" },
    { "metrics", 0, 0, G_OPTION_ARG_STRING, &options.metrics, "Evaluate the maps: all, or names between commas, as deletion,insertion=2 (weight)", "LIST" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &options.seed, "Of random numbers (default 0)", "N" },
    { "map-channels", 0, 0, G_OPTION_ARG_NONE, &options.channels, "Maps as [C, H, W] instead of [H, W]", NULL },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &options.device, "cpu (default) or reference", "DEVICE" },
    { "threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "Threads (default: all)", "N" },
    { "json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print metrics as one JSON object", NULL },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  int status = SONDE_EXIT_DONE;

  if (sonde_cli_parse (command, argc, argv, entries, 1, 1, &operands, &status)
      && !(options.batch_input != NULL || options.batch_targets != NULL ? explain_batch (&options, operands[0], &error)
                                                                       : explain_subject (command, &options, operands[0], &error)))
    status = sonde_cli_fail (command, error);
  sonde_study_settings_clear (&options.pictures);
  g_free (options.probabilities);
  g_free (options.output);
  g_free (options.report);
  g_free (options.run);
  g_free (options.images);
  g_free (options.device);
  g_free (options.batch_input);
  g_free (options.batch_targets);
  g_free (options.hoc);
  g_free (options.metrics);
  g_strfreev (options.methods);
  g_strfreev (options.targets);
  return status;
}

const SondeCommand sonde_command_explain = {
  .name = "explain",
  .synopsis = "MODEL|RUN",
  .summary = "Classifies pictures and explains the errors by maps.",
  .details = "MODEL is an ONNX file; RUN is a run folder, which stands for its final model and the test part of its data.\n"
             "With --input and --targets the samples are raw tensors, and DIR gets maps/LABEL.npy and settings.json.",
  .run = run_explain,
  .computes = TRUE,
};
