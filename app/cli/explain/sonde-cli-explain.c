/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain`: classifies a dataset, explains its errors, writes maps, tables, records and a
 * report. The explanation session computes; sonde-cli-explain-files.c writes the files,
 * sonde-cli-explain-summary.c the summary. */
#include <string.h>

#include "app/cli/explain/sonde-cli-explain-batch.h"
#include "app/cli/explain/sonde-cli-explain-counterfactual.h"
#include "app/cli/explain/sonde-cli-explain-private.h"
#include "app/worker/sonde-explain-open.h"
#include "data/base/sonde-error.h"
#include "explain/metrics/sonde-pointing.h"
#include "explain/report/sonde-explanation-metrics.h"
#include "explain/report/sonde-explanation-output.h"
#include "explain/session/sonde-counterfactual-record.h"

#define FLIP "by=flip:prune=yes" /* what --hoc auto adds for errors */

/* ---- maps ---------------------------------------------------------------- */

static gboolean
take_map (const SondeAttributionMap *map, const SondeSampleResult *sample, gpointer data,
          GError **error)
{
  Explain *explain = data;
  gint64 position = GPOINTER_TO_UINT (
      g_hash_table_lookup (explain->positions, GUINT_TO_POINTER (map->sample + 1)));

  explain->n_maps++;
  sonde_pointing_add (explain->scores, explain->dataset, map);
  sonde_cli_progress (&explain->line, _ ("%u maps computed"), explain->n_maps);
  return (explain->evaluation == NULL
          || sonde_evaluation_add (explain->evaluation, explain->spec, map, sample, error))
         && (explain->options->output == NULL
             || sonde_explain_write_map (explain, map, sample, error))
         && (explain->writer == NULL
             || sonde_explain_record (explain->writer, explain->dataset, map, sample, position,
                                      error))
         && (explain->report == NULL
             || sonde_explain_report_add_map (explain->report, map, sample, error));
}

/* Shows the progress of the session; @data: the Explain */
static gboolean
show_progress (const char *what, double fraction, double seconds_left, gpointer data,
               GError **error)
{
  Explain *explain = data;
  guint total = explain->session != NULL ? sonde_explain_session_get_n_asked (explain->session) : 0;

  if (fraction >= 0 && g_str_has_prefix (what, "Predicting"))
    sonde_cli_progress (&explain->line, _ ("%u of %u images classified"),
                        (guint) (fraction * total + 0.5), total);
  return TRUE;
}

/* ---- choosing ------------------------------------------------------------ */

static GPtrArray *
choose_samples (const char *images, GPtrArray *predictions)
{
  GPtrArray *chosen = g_ptr_array_new ();
  gboolean errors = images == NULL || g_str_equal (images, "errors");
  gboolean all = !errors && g_str_equal (images, "all");
  g_autoptr (GPatternSpec) spec = !errors && !all ? g_pattern_spec_new (images) : NULL;

  for (guint i = 0; i < predictions->len; i++)
    {
      SondeSampleResult *prediction = g_ptr_array_index (predictions, i);

      if (all || (errors && sonde_sample_result_is_error (prediction))
          || (spec != NULL && g_pattern_spec_match_string (spec, prediction->name)))
        g_ptr_array_add (chosen, prediction);
    }
  return chosen;
}

/* "predicted", "true", or the name or number of a class. */
static gboolean
resolve_target (SondeDataset *dataset, const char *text, const char **target_is, gint64 *target,
                GError **error)
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

      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
          "--target must be “predicted”, “true” or a class, not “%s”. The classes are: %s.", text,
          names);
      return FALSE;
    }
  return TRUE;
}

/* One method for all targets; a method that takes pairs only for the first. */
static gboolean
explain_by (Explain *explain, GPtrArray *chosen, const SondeAttributionSpec *spec, GError **error)
{
  static const char *const default_targets[] = { "predicted", "true", NULL };
  const char *const *targets = explain->options->targets != NULL
                                   ? (const char *const *) explain->options->targets
                                   : default_targets;
  gboolean pairs = sonde_attribution_spec_get_method (spec)->takes_pair;
  gboolean channels = explain->options->channels || explain->evaluation != NULL;

  for (gsize t = 0; targets[t] != NULL && (t == 0 || !pairs); t++)
    {
      const char *target_is;
      gint64 target;

      if (!resolve_target (explain->dataset, targets[t], &target_is, &target, error)
          || !sonde_explain_session_explain (explain->session, chosen, spec, target_is, target,
                                             channels, take_map, explain, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
explain_all (Explain *explain, GPtrArray *chosen, GError **error)
{
  g_autoptr (GPtrArray) specs = sonde_explain_parse_methods (explain->options->methods, error);

  for (guint i = 0; i < chosen->len; i++)
    g_hash_table_insert (
        explain->positions,
        GUINT_TO_POINTER (((SondeSampleResult *) g_ptr_array_index (chosen, i))->sample + 1),
        GUINT_TO_POINTER (i));
  explain->n_methods = specs != NULL ? specs->len : 0;
  for (guint m = 0; m < explain->n_methods; m++)
    {
      const SondeAttributionSpec *spec = g_ptr_array_index (specs, m);
      g_autoptr (GError) problem = NULL;

      explain->spec = spec;
      if (explain_by (explain, chosen, spec, &problem))
        continue;
      sonde_cli_progress_end (&explain->line);
      if (sonde_explain_skip_method (explain->failed, specs->len, spec, &problem))
        continue;
      g_propagate_error (error, g_steal_pointer (&problem));
      return FALSE;
    }
  return specs != NULL
         && (explain->evaluation == NULL
             || sonde_evaluation_randomise (
                 explain->evaluation, sonde_explain_session_get_model (explain->session),
                 explain->options->settings.device, explain->options->settings.threads, error));
}

/* DIR/hoc/BY/CLASS/NAME.json, and a record of the run. A flip goes to the true class, the others
 * keep or destroy the predicted one. */
static gboolean
write_boxes (Explain *explain, SondeExplainer *explainer, const SondeSampleResult *prediction,
             const SondeOcclusionSpec *spec, const char *text, GError **error)
{
  const SondeDataset *dataset = explain->dataset;
  SondeShape shape = sonde_shape_make (3, dataset->channels, dataset->height, dataset->width);
  g_autoptr (SondeTensor) image = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autofree char *inside = g_build_filename ("hoc", sonde_occlusion_goal_name (spec->goal), NULL),
                  *path = NULL;
  gboolean flip = spec->goal == SONDE_OCCLUSION_FLIP;
  g_autoptr (SondeCounterfactual) boxes = NULL;
  guint position = GPOINTER_TO_UINT (
      g_hash_table_lookup (explain->positions, GUINT_TO_POINTER (prediction->sample + 1)));

  if (flip && prediction->label < 0)
    return TRUE;
  if (explain->options->output != NULL
      && (path = sonde_explain_make_sample_path (explain, prediction, inside, ".json", error))
             == NULL)
    return FALSE;
  if (!sonde_dataset_fill (explain->dataset, prediction->sample, image->data, error)
      || !sonde_explain_counterfactual_write (explainer, image,
                                              flip ? prediction->label : prediction->predicted,
                                              spec, path, &boxes, error))
    return FALSE;
  boxes->sample = prediction->sample;
  boxes->spec = g_strdup (text);
  return explain->writer == NULL
         || sonde_counterfactual_record (explain->writer, explain->dataset, prediction, boxes,
                                         position, error);
}

/* --hoc of every chosen image; auto adds the flip to the truth for errors. */
static gboolean
explain_boxes (Explain *explain, SondeExplainer *explainer, GPtrArray *chosen, GError **error)
{
  const char *text = explain->options->hoc;
  g_autoptr (SondeOcclusionSpec) spec
      = text != NULL ? sonde_occlusion_spec_parse (text, error) : NULL;
  g_autoptr (SondeOcclusionSpec) flip = sonde_occlusion_spec_parse (FLIP, NULL);
  gboolean automatic = g_strcmp0 (text, "auto") == 0;

  if (text != NULL && spec != NULL && explain->options->output == NULL && explain->writer == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                       "--hoc requires --output DIR for its files or --run RUN for its records.");
      return FALSE;
    }
  for (guint i = 0; spec != NULL && i < chosen->len; i++)
    {
      const SondeSampleResult *prediction = g_ptr_array_index (chosen, i);

      sonde_cli_progress (&explain->line, _ ("hierarchical occlusion: image %u of %u"), i + 1,
                          chosen->len);
      if (!write_boxes (explain, explainer, prediction, spec, text, error)
          || (automatic && sonde_sample_result_is_error (prediction)
              && !write_boxes (explain, explainer, prediction, flip, FLIP, error)))
        return FALSE;
    }
  return text == NULL || spec != NULL;
}

/* ---- the whole ----------------------------------------------------------- */

static gboolean
open_outputs (Explain *explain, const char *model, GError **error)
{
  const ExplainOptions *options = explain->options;
  SondeSummaryWriterOptions writer = { .program = "sonde " SONDE_VERSION };

  if (options->output != NULL && !sonde_io_make_directories (NULL, options->output, error))
    return FALSE;
  if (options->report != NULL && !g_str_has_suffix (options->report, ".html")
      && !g_str_has_suffix (options->report, ".pdf"))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "--report “%s” must end in .html or .pdf.", options->report);
      return FALSE;
    }
  if (options->report != NULL)
    explain->report = sonde_explain_report_new (_ ("Explained Errors"), model, explain->dataset);
  if (options->run != NULL)
    explain->writer = sonde_summary_writer_open (options->run, &writer, error);
  return options->run == NULL || explain->writer != NULL;
}

static void
print_summary (Explain *explain, guint n_images, guint n_errors, guint n_chosen)
{
  const char *report = explain->options->report;

  g_print (_ ("%u images, %u errors (accuracy %.2f %%); %u images explained by %u maps.\n"),
           n_images, n_errors, n_images > 0 ? 100.0 * (n_images - n_errors) / n_images : 0.0,
           n_chosen, explain->n_maps);
  if (sonde_explain_session_get_warning (explain->session) != NULL)
    {
      g_autofree char *text = sonde_preprocessing_trial_to_text (explain->trial);

      g_print (_ ("Preprocessing not chosen: %s\n"), text);
    }
  if (report != NULL)
    g_print (_ ("Report: %s\n"), report);
  if (explain->evaluation != NULL)
    {
      g_autofree char *text = sonde_explain_scores_to_text (explain->evaluation);

      g_print ("%s", text);
    }
}

/* --output DIR, but for maps and boxes, which are written as they come. */
static gboolean
write_folder (Explain *explain, GPtrArray *predictions, JsonNode *metrics, GError **error)
{
  const char *folder = explain->options->output;
  const SondeExplanationOutput output = { .folder = folder,
                                          .dataset = explain->dataset,
                                          .predictions = predictions,
                                          .triage = explain->triage,
                                          .probabilities = explain->options->probabilities };

  return sonde_explanation_output_write (&output, error)
         && sonde_explanation_metrics_write (folder, metrics, error)
         && sonde_explain_write_settings (explain, error);
}

static gboolean
finish (Explain *explain, GPtrArray *predictions, guint n_chosen, GError **error)
{
  const SondeExplanationMetrics measured = { .dataset = explain->dataset,
                                             .predictions = predictions,
                                             .n_explained = n_chosen,
                                             .n_maps = explain->n_maps,
                                             .n_unreadable = explain->n_unreadable,
                                             .failed = explain->failed,
                                             .triage = explain->triage,
                                             .pointing = explain->scores,
                                             .evaluation = explain->evaluation };
  g_autoptr (JsonNode) metrics = sonde_explanation_metrics_to_json (&measured);
  guint n_errors = 0;

  for (guint i = 0; i < predictions->len; i++)
    n_errors += sonde_sample_result_is_error (g_ptr_array_index (predictions, i));
  if (explain->options->output != NULL && !write_folder (explain, predictions, metrics, error))
    return FALSE;
  if (explain->report != NULL && !sonde_explain_write_report (explain, predictions, error))
    return FALSE;
  if (explain->writer != NULL
      && !sonde_summary_writer_close (g_steal_pointer (&explain->writer), error))
    return FALSE;
  sonde_cli_progress_end (&explain->line);
  if (explain->options->json)
    sonde_cli_print_json (g_steal_pointer (&metrics), TRUE);
  else
    print_summary (explain, predictions->len, n_errors, n_chosen);
  return TRUE;
}

/* A doubtful preprocessing, unreadable images and implicit conversions of images, on stderr. */
static void
tell_notes (Explain *explain, guint n_asked, guint n_read)
{
  GPtrArray *notes = sonde_explain_session_get_info (explain->session)->notes;
  const SondeMessage *warning = sonde_explain_session_get_warning (explain->session);
  guint faults = sonde_dataset_get_n_faults (explain->dataset);

  explain->n_unreadable = n_asked - n_read;
  sonde_cli_progress_end (&explain->line);
  if (warning != NULL)
    g_printerr ("sonde explain: %s\n", sonde_message_get_text (warning));
  for (guint i = 0; i < notes->len; i++)
    g_printerr ("sonde explain: %s\n", sonde_message_get_text (g_ptr_array_index (notes, i)));
  for (guint i = 0; i < MIN (faults, 10); i++)
    {
      g_autoptr (SondeMessage) fault = sonde_dataset_dup_fault (explain->dataset, i);

      g_printerr ("sonde explain: %s\n", sonde_message_get_text (fault));
    }
  if (faults > 10)
    g_printerr (P_ ("sonde explain: … and %u more message.\n",
                    "sonde explain: … and %u more messages.\n", faults - 10),
                faults - 10);
}

static gboolean
run (Explain *explain, GError **error)
{
  const ExplainOptions *options = explain->options;
  SondeExplainListener listener = { .tick = show_progress, .data = explain };
  SondeExplainer *explainer = sonde_explain_session_get_explainer (explain->session);
  GPtrArray *predictions;
  g_autoptr (GPtrArray) chosen = NULL;

  if (!open_outputs (explain, explain->subject, error))
    return FALSE;
  sonde_explain_session_set_listener (explain->session, &listener);
  explain->trial = sonde_explain_session_try_preprocessings (explain->session, error);
  predictions
      = explain->trial != NULL ? sonde_explain_session_classify (explain->session, error) : NULL;
  if (predictions == NULL)
    return FALSE;
  tell_notes (explain, sonde_explain_session_get_n_asked (explain->session), predictions->len);
  if (options->triage
      && (explain->triage = sonde_explain_session_get_triage (explain->session, error)) == NULL)
    return FALSE;
  if (options->metrics != NULL)
    {
      explain->evaluation = sonde_evaluation_new (options->metrics, explainer, explain->dataset,
                                                  (guint64) options->settings.seed, error);
      if (explain->evaluation == NULL)
        return FALSE;
    }
  chosen = choose_samples (options->images, predictions);
  return explain_all (explain, chosen, error) && explain_boxes (explain, explainer, chosen, error)
         && finish (explain, predictions, chosen->len, error)
         && sonde_explain_check_methods (explain->failed, explain->n_methods, error);
}

/* --mean auto: the session again with what a trial found, which is said. */
static gboolean
choose_preprocessing (ExplainOptions *options, const char *program, const char *cache,
                      SondeExplainSession **session, GError **error)
{
  const SondePreprocessingTrial *trial = sonde_explain_session_try_preprocessings (*session, error);
  g_autoptr (SondeExplanationSettings) chosen = NULL;
  g_autofree char *text = NULL;

  if (trial == NULL)
    return FALSE;
  if (!sonde_preprocessing_trial_is_clear (trial))
    return TRUE; /* a note of the session says so */
  text = sonde_preprocessing_trial_to_text (trial);
  g_printerr (_ ("sonde explain: Preprocessing chosen: %s\n"), text);
  chosen
      = sonde_preprocessing_apply (sonde_preprocessing_trial_get_best (trial), &options->settings);
  sonde_explanation_settings_clear (&options->settings);
  options->settings = *chosen;
  *chosen = (SondeExplanationSettings){ NULL };
  sonde_explain_session_free (*session);
  *session = sonde_explain_session_open_settings (&options->settings, program, cache, NULL, FALSE,
                                                  error);
  return *session != NULL;
}

/* TRUE: --mean auto was given, and is taken out of the settings. */
static gboolean
take_automatic (SondeExplanationSettings *settings)
{
  if (g_strcmp0 (settings->mean, "auto") != 0 || settings->std != NULL)
    return FALSE;
  g_clear_pointer (&settings->mean, g_free);
  return TRUE;
}

static gboolean
explain_subject (const SondeCliCommand *command, ExplainOptions *options, const char *subject,
                 GError **error)
{
  Explain explain = {
    .command = command, .subject = subject, .begun = g_get_monotonic_time (), .options = options
  };
  g_autofree char *program = sonde_cli_dup_program ();
  g_autofree char *cache = options->no_cache ? NULL : sonde_explain_cache_dup_root ();
  gboolean automatic = take_automatic (&options->settings), good;

  options->settings.model = g_strdup (subject);
  options->settings.signature = g_strdup (options->choice.signature);
  options->settings.weights = g_strdup (options->choice.weights);
  options->settings.shapes
      = options->choice.shapes != NULL ? g_strjoinv (";", options->choice.shapes) : NULL;
  explain.session = sonde_explain_session_open_settings (&options->settings, program, cache, NULL,
                                                         FALSE, error);
  if (explain.session != NULL && automatic
      && !choose_preprocessing (options, program, cache, &explain.session, error))
    g_clear_pointer (&explain.session, sonde_explain_session_free);
  if (explain.session == NULL)
    return FALSE;
  explain.dataset = sonde_explain_session_get_dataset (explain.session);
  explain.positions = g_hash_table_new (NULL, NULL);
  explain.scores = sonde_pointing_new_list ();
  explain.failed = g_ptr_array_new_with_free_func (g_free);
  good = run (&explain, error);
  sonde_cli_progress_end (&explain.line);
  if (explain.writer != NULL)
    sonde_summary_writer_close (explain.writer, NULL);
  sonde_explain_report_free (explain.report);
  g_hash_table_unref (explain.positions);
  g_ptr_array_unref (explain.scores);
  g_ptr_array_unref (explain.failed);
  sonde_evaluation_free (explain.evaluation);
  sonde_explain_session_free (explain.session);
  return good;
}

/* --input and --targets: raw tensors instead of images. */
static gboolean
explain_batch (const ExplainOptions *options, const char *model, GError **error)
{
  SondeExplainBatch batch = { .model = model,
                              .input = options->batch_input,
                              .targets = options->batch_targets,
                              .output = options->output,
                              .device = options->settings.device,
                              .methods = options->methods,
                              .threads = options->settings.threads,
                              .seed = options->settings.seed,
                              .hoc = options->hoc,
                              .choice = &options->choice };

  if (options->batch_input != NULL && options->batch_targets != NULL && options->output != NULL
      && options->settings.data == NULL)
    return sonde_explain_batch_run (&batch, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "--input, --targets and --output must be given together, without --data.");
  return FALSE;
}

static void
options_clear (ExplainOptions *options)
{
  sonde_explanation_settings_clear (&options->settings);
  sonde_model_choice_clear (&options->choice);
  g_free (options->probabilities);
  g_free (options->output);
  g_free (options->report);
  g_free (options->run);
  g_free (options->images);
  g_free (options->batch_input);
  g_free (options->batch_targets);
  g_free (options->hoc);
  g_free (options->metrics);
  g_strfreev (options->methods);
  g_strfreev (options->targets);
}

/* Where in ExplainOptions each goes. */
static const struct
{
  GOptionEntry entry;
  gsize offset;
} command_options[] = {
  { { "data", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Images to classify (default: the run's test data)"), N_ ("DIR|SOURCE") },
    G_STRUCT_OFFSET (ExplainOptions, settings.data) },
  { { "method", 'm', 0, G_OPTION_ARG_STRING_ARRAY, NULL,
      N_ ("Method as [LABEL=]NAME:KEY=VALUE…, see docs/explain.md (default: saliency)"),
      N_ ("SPEC") },
    G_STRUCT_OFFSET (ExplainOptions, methods) },
  { { "target", 't', 0, G_OPTION_ARG_STRING_ARRAY, NULL,
      N_ ("Class to explain (default: predicted and true)"), "predicted|true|LABEL" },
    G_STRUCT_OFFSET (ExplainOptions, targets) },
  { { "images", 0, 0, G_OPTION_ARG_STRING, NULL, N_ ("Images to explain (default: errors)"),
      "errors|all|GLOB" },
    G_STRUCT_OFFSET (ExplainOptions, images) },
  { { "output", 'o', 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Write predictions.tsv, metrics.json, settings.json and maps/ to this folder"),
      N_ ("DIR") },
    G_STRUCT_OFFSET (ExplainOptions, output) },
  { { "report", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Write a report as one self-contained HTML page or as PDF"), "F.html|F.pdf" },
    G_STRUCT_OFFSET (ExplainOptions, report) },
  { { "triage", 0, 0, G_OPTION_ARG_NONE, NULL,
      N_ ("Assign each error to a category; write triage.tsv and label-errors.tsv"), NULL },
    G_STRUCT_OFFSET (ExplainOptions, triage) },
  { { "labels", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Class names in the order of the model's outputs, one per line (default: the order of "
          "the folders)"),
      N_ ("FILE") },
    G_STRUCT_OFFSET (ExplainOptions, settings.labels) },
  { { "mean", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Channel means, subtracted from the images after division by 255; auto: the usual mean "
          "and "
          "std that classify most labelled images correctly"),
      "R,G,B|auto" },
    G_STRUCT_OFFSET (ExplainOptions, settings.mean) },
  { { "std", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Channel standard deviations, by which the images are then divided"), "R,G,B" },
    G_STRUCT_OFFSET (ExplainOptions, settings.std) },
  { { "size", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Scale images to cover this size and crop the centre (default: the model's input size)"),
      N_ ("WxH") },
    G_STRUCT_OFFSET (ExplainOptions, settings.size) },
  { { "channels", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Channel order (default: rgb, or the model's)"), "rgb|bgr|grey" },
    G_STRUCT_OFFSET (ExplainOptions, settings.channels) },
  { { "train-data", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("With --triage: training images, to find neighbours, influential samples and "
          "duplicates"),
      N_ ("DIR|SOURCE") },
    G_STRUCT_OFFSET (ExplainOptions, settings.training) },
  { { "given-labels", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Labels to check for errors (columns file and given), of the training images or of "
          "--data"),
      "F.tsv" },
    G_STRUCT_OFFSET (ExplainOptions, settings.given_labels) },
  { { "probabilities", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Out-of-sample probabilities of the same images, to find label errors"), "F.npy" },
    G_STRUCT_OFFSET (ExplainOptions, probabilities) },
  { { "run", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("Add the maps and regions to this run as records"), N_ ("DIR") },
    G_STRUCT_OFFSET (ExplainOptions, run) },
  { { "input", 0, 0, G_OPTION_ARG_FILENAME, NULL, N_ ("Preprocessed samples instead of images"),
      "X.npy" },
    G_STRUCT_OFFSET (ExplainOptions, batch_input) },
  { { "targets", 0, 0, G_OPTION_ARG_FILENAME, NULL,
      N_ ("With --input: classes as int64 [N] or [N, K]"), "T.npy" },
    G_STRUCT_OFFSET (ExplainOptions, batch_targets) },
  { { "hoc", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Hierarchical occlusion, by=unmasking|masking|flip:threshold=…, see docs/explain.md"),
      N_ ("SPEC|auto") },
    G_STRUCT_OFFSET (ExplainOptions, hoc) },
  { { "metrics", 0, 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Evaluate the maps: “all”, or comma-separated metrics with optional weights, such as "
          "deletion,insertion=2"),
      N_ ("LIST") },
    G_STRUCT_OFFSET (ExplainOptions, metrics) },
  { { "seed", 0, 0, G_OPTION_ARG_INT64, NULL, N_ ("Random seed (default: 0)"), "N" },
    G_STRUCT_OFFSET (ExplainOptions, settings.seed) },
  { { "map-channels", 0, 0, G_OPTION_ARG_NONE, NULL,
      N_ ("Write maps as [C, H, W] instead of [H, W]"), NULL },
    G_STRUCT_OFFSET (ExplainOptions, channels) },
  { { "no-cache", 0, 0, G_OPTION_ARG_NONE, NULL,
      N_ ("Do not use the cache that is shared with the Explain page"), NULL },
    G_STRUCT_OFFSET (ExplainOptions, no_cache) },
  { { "device", 'd', 0, G_OPTION_ARG_STRING, NULL,
      N_ ("Compute device: cpu (default) or reference"), N_ ("DEVICE") },
    G_STRUCT_OFFSET (ExplainOptions, settings.device) },
  { { "threads", 0, 0, G_OPTION_ARG_INT, NULL, N_ ("Number of threads (default: all)"), "N" },
    G_STRUCT_OFFSET (ExplainOptions, settings.threads) },
  { { "json", 0, 0, G_OPTION_ARG_NONE, NULL, N_ ("Print metrics as one JSON object"), NULL },
    G_STRUCT_OFFSET (ExplainOptions, json) },
};

static gboolean
parse (const SondeCliCommand *command, int argc, char **argv, ExplainOptions *options,
       char ***operands, int *status)
{
  const GOptionEntry of_model[] = { SONDE_CLI_MODEL_OPTIONS (options->choice) };
  GOptionEntry entries[G_N_ELEMENTS (command_options) + G_N_ELEMENTS (of_model) + 1] = { 0 };

  for (gsize i = 0; i < G_N_ELEMENTS (command_options); i++)
    {
      entries[i] = command_options[i].entry;
      entries[i].arg_data = G_STRUCT_MEMBER_P (options, command_options[i].offset);
    }
  memcpy (entries + G_N_ELEMENTS (command_options), of_model, sizeof of_model);
  return sonde_cli_parse (command, argc, argv, entries, 1, 1, operands, status);
}

static int
run_explain (const SondeCliCommand *command, int argc, char **argv)
{
  ExplainOptions options = { 0 };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  int status = SONDE_EXIT_DONE;

  if (parse (command, argc, argv, &options, &operands, &status)
      && !(options.batch_input != NULL || options.batch_targets != NULL
               ? explain_batch (&options, operands[0], &error)
               : explain_subject (command, &options, operands[0], &error)))
    status = sonde_cli_fail (command, error);
  options_clear (&options);
  return status;
}

const SondeCliCommand sonde_cli_command_explain = {
  .name = "explain",
  .synopsis = N_ ("MODEL|RUN"),
  .summary = N_ ("Classify images and explain the misclassifications with saliency maps."),
  .details
  = N_ ("MODEL is an ONNX file. RUN is a run folder; its final model and test data are used.\n"
        "With --input and --targets, the samples are raw tensors, and maps/LABEL.npy and "
        "settings.json are written to the --output folder."),
  .run = run_explain,
  .computes = TRUE,
};
