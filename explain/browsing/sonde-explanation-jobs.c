/* SPDX-License-Identifier: Apache-2.0
 * One cancellable at a time: an answer whose cancellable is not the current one is for nobody. */
#include "explain/browsing/sonde-explanation-jobs.h"

#include <math.h>

#include "explain/browsing/sonde-explain-text.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"

#define PATIENCE 30 /* seconds: longer jobs are offered, not begun */
#define MAP_SPEC "gradcam"

struct _SondeExplanationJobs
{
  GObject parent_instance;

  SondeExplainClient *client;
  SondeModelComparison *comparison;
  SondePredictionList *predictions;
  SondeExplanationSettings *settings; /* (nullable) */
  SondeTriageResult *triage;          /* (nullable) */
  SondePreprocessingTrial *trial;     /* (nullable) */
  GCancellable *cancellable;          /* (nullable): of what runs */
  char *title, *compared;             /* (nullable): compared: path of the second model */
  SondeJobOffer offer, samples_offer, categories_offer;
  gboolean wants_categories, keeps_preprocessing;
  guint n_restored;
};

enum
{
  BEGAN,
  CHANGED,
  OPENED,
  OPEN_FAILED,
  PREPROCESSING_CHANGED,
  PREDICTED,
  CATEGORISED,
  OFFERS_CHANGED,
  COMPARED,
  SETTLED,
  N_SIGNALS
};

static const char *const signal_names[N_SIGNALS]
    = { "began",     "changed",     "opened",         "open-failed", "preprocessing-changed",
        "predicted", "categorised", "offers-changed", "compared",    "settled" };
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeExplanationJobs, sonde_explanation_jobs, G_TYPE_OBJECT)

/* ---- one job --------------------------------------------------------------- */

/* One call of the client. */
typedef struct
{
  SondeExplanationJobs *jobs;
  GCancellable *cancellable;
} Job;

/* Cancels what ran before. @title: translated */
static Job *
job_begin (SondeExplanationJobs *self, const char *title)
{
  Job *job = g_new0 (Job, 1);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  self->cancellable = g_cancellable_new ();
  g_free (self->title);
  self->title = g_strdup (title);
  job->jobs = g_object_ref (self);
  job->cancellable = g_object_ref (self->cancellable);
  g_signal_emit (self, signals[BEGAN], 0);
  g_signal_emit (self, signals[CHANGED], 0);
  return job;
}

/* Returns: whether the answer still counts. */
static gboolean
job_end (Job *job)
{
  gboolean ours = job->cancellable == job->jobs->cancellable;

  if (ours)
    g_clear_object (&job->jobs->cancellable);
  return ours;
}

static void
job_free (Job *job)
{
  g_signal_emit (job->jobs, signals[CHANGED], 0);
  g_object_unref (job->jobs);
  g_object_unref (job->cancellable);
  g_free (job);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Job, job_free)

static gboolean
was_cancelled (const GError *error)
{
  return g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static const SondeExplainInfo *
get_info (SondeExplanationJobs *self)
{
  return sonde_explain_client_get_info (self->client);
}

/* ---- offers ---------------------------------------------------------------- */

static void
set_offer (SondeExplanationJobs *self, SondeJobOffer *offer, const char *text, const char *label,
           SondeJob job)
{
  g_free (offer->text);
  offer->text = g_strdup (text);
  offer->label = label;
  offer->job = job;
  g_signal_emit (self, signals[OFFERS_CHANGED], 0);
}

static void
say (SondeExplanationJobs *self, const char *text)
{
  set_offer (self, &self->offer, text, NULL, SONDE_JOB_NONE);
}

/* The end of the engine is shown by others, too. */
static void
say_error (SondeExplanationJobs *self, const GError *error, SondeJob job)
{
  if (!sonde_explain_client_is_open (self->client))
    set_offer (self, &self->offer, _ ("The engine is not running."), _ ("Reopen"), SONDE_JOB_OPEN);
  else
    set_offer (self, &self->offer, sonde_error_get_text (error), _ ("Try Again"), job);
}

/* ---- open ------------------------------------------------------------------ */

static void
offer_predictions (SondeExplanationJobs *self)
{
  const SondeExplainInfo *info = get_info (self);
  g_autofree char *time = sonde_explain_duration_text (info->forward_seconds * info->n_samples);
  g_autofree char *text = NULL;

  if (info->n_cached_rows > 0)
    text = g_strdup_printf (
        P_ ("Predicting %u sample takes about %s; %u prediction is restored from the cache.",
            "Predicting %u samples takes about %s; %u predictions are restored from the cache.",
            info->n_samples),
        info->n_samples, time, info->n_cached_rows);
  else
    text = g_strdup_printf (P_ ("Predicting %u sample takes about %s.",
                                "Predicting %u samples takes about %s.", info->n_samples),
                            info->n_samples, time);
  set_offer (self, &self->offer, text, _ ("Predict"), SONDE_JOB_PREDICT);
  set_offer (self, &self->samples_offer, _ ("The images have not been classified yet."),
             _ ("Predict"), SONDE_JOB_PREDICT);
}

/* Begins or offers what comes next. */
static void
after_open (SondeExplanationJobs *self)
{
  const SondeExplainInfo *info = get_info (self);

  if (info != NULL
      && info->forward_seconds * (info->n_samples - MIN (info->n_cached_rows, info->n_samples))
             > PATIENCE)
    offer_predictions (self);
  else
    sonde_explanation_jobs_predict (self);
}

static void
on_tried (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  SondeExplanationJobs *self = job->jobs;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondePreprocessingTrial) trial = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_PREPROCESSINGS, &error);

  if (!job_end (job))
    return;
  self->trial = g_steal_pointer (&trial);
  g_signal_emit (self, signals[PREPROCESSING_CHANGED], 0);
  if (was_cancelled (error))
    offer_predictions (self);
  else /* what has stopped the network will stop it again, and is said then */
    after_open (self);
}

static void
try_preprocessings (SondeExplanationJobs *self)
{
  Job *job = job_begin (self, _ ("Trying preprocessings"));

  sonde_explain_client_ask_async (self->client, SONDE_EXPLAIN_PREPROCESSINGS, NULL,
                                  self->cancellable, on_tried, job);
}

static void
on_opened (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  SondeExplanationJobs *self = job->jobs;
  g_autoptr (GError) error = NULL;
  const SondeExplainInfo *info
      = sonde_explain_client_open_finish (SONDE_EXPLAIN_CLIENT (source), result, &error);

  if (!job_end (job))
    return;
  if (info == NULL)
    {
      say (self, "");
      g_signal_emit (self, signals[OPEN_FAILED], 0,
                     was_cancelled (error) ? NULL : sonde_error_get_text (error));
      return;
    }
  self->n_restored = info->n_cached_rows;
  g_signal_emit (self, signals[OPENED], 0);
  if (self->settings->mean == NULL && self->settings->std == NULL)
    try_preprocessings (self);
  else
    after_open (self);
}

void
sonde_explanation_jobs_open (SondeExplanationJobs *jobs, const SondeExplanationSettings *settings)
{
  SondeExplanationSettings *copy;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  copy = sonde_explanation_settings_copy (settings);
  g_clear_pointer (&jobs->settings, sonde_explanation_settings_free);
  jobs->settings = copy;
  jobs->wants_categories = FALSE;
  sonde_explanation_jobs_reopen (jobs);
}

void
sonde_explanation_jobs_reopen (SondeExplanationJobs *jobs)
{
  Job *job;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  if (jobs->settings == NULL)
    return;
  sonde_prediction_list_clear (jobs->predictions);
  g_clear_pointer (&jobs->triage, sonde_triage_result_free);
  g_clear_pointer (&jobs->trial, sonde_preprocessing_trial_free);
  jobs->keeps_preprocessing = FALSE;
  sonde_model_comparison_clear (jobs->comparison);
  set_offer (jobs, &jobs->samples_offer, _ ("The model and the images are being opened."), NULL,
             SONDE_JOB_NONE);
  set_offer (jobs, &jobs->categories_offer,
             _ ("Errors are categorised once all samples are predicted."), NULL, SONDE_JOB_NONE);
  job = job_begin (jobs, _ ("Opening the model and the images"));
  sonde_explain_client_open_async (jobs->client, jobs->settings, jobs->cancellable, on_opened, job);
}

/* ---- predict --------------------------------------------------------------- */

static void
say_nothing_to_categorise (SondeExplanationJobs *self)
{
  gboolean labels = get_info (self)->has_labels;

  set_offer (self, &self->categories_offer,
             labels ? _ ("There are no misclassifications to categorise.")
                    : _ ("The images have no labels, so misclassifications cannot be identified."),
             NULL, SONDE_JOB_NONE);
  say (self, labels ? _ ("All predictions are correct.") : _ ("The images have no labels."));
  g_signal_emit (self, signals[SETTLED], 0);
}

/* Reasons of errors that may not be the model's are not facts. */
static void
offer_doubtful_categories (SondeExplanationJobs *self, guint errors)
{
  g_autofree char *count = sonde_format_count (errors);
  g_autofree char *text = g_strdup_printf (
      P_ ("%s misclassification, which may come from the preprocessing: choose one first.",
          "%s misclassifications, many of which may come from the preprocessing: choose one first.",
          errors),
      count);

  set_offer (self, &self->categories_offer, text, _ ("Categorise Anyway"), SONDE_JOB_TRIAGE);
  set_offer (self, &self->offer, text, NULL, SONDE_JOB_NONE);
  g_signal_emit (self, signals[SETTLED], 0);
}

/* Begins or offers what comes next. */
static void
after_predict (SondeExplanationJobs *self)
{
  guint errors = sonde_prediction_list_count_errors (self->predictions);
  double seconds;
  g_autofree char *time = NULL, *text = NULL, *count = sonde_format_count (errors);

  if (self->triage != NULL)
    return;
  if (errors == 0)
    {
      say_nothing_to_categorise (self);
      return;
    }
  if (sonde_explanation_jobs_is_doubtful (self) && !self->wants_categories)
    {
      offer_doubtful_categories (self, errors);
      return;
    }
  seconds = sonde_explain_estimate_triage (
      get_info (self), sonde_prediction_list_get_items (self->predictions)->len, errors);
  if (seconds <= PATIENCE || self->wants_categories)
    {
      sonde_explanation_jobs_categorise (self);
      return;
    }
  time = sonde_explain_duration_text (seconds);
  text = g_strdup_printf (P_ ("Categorising %s misclassification takes about %s.",
                              "Categorising %s misclassifications takes about %s.", errors),
                          count, time);
  set_offer (self, &self->categories_offer, text, _ ("Categorise Errors"), SONDE_JOB_TRIAGE);
  set_offer (self, &self->offer, text, _ ("Categorise Errors"), SONDE_JOB_TRIAGE);
  g_signal_emit (self, signals[SETTLED], 0);
}

static void
say_stopped (SondeExplanationJobs *self)
{
  const SondeExplainInfo *info = get_info (self);
  g_autofree char *done
      = sonde_format_count (sonde_prediction_list_get_items (self->predictions)->len),
      *all = sonde_format_count (info != NULL ? info->n_samples : 0);
  g_autofree char *text
      = g_strdup_printf (_ ("Stopped after %s of %s predictions, which are kept."), done, all);

  set_offer (self, &self->offer, text, _ ("Continue"), SONDE_JOB_PREDICT);
}

static void
on_predicted (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  SondeExplanationJobs *self = job->jobs;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_PREDICT, &error);

  if (!job_end (job))
    return;
  if (rows == NULL)
    {
      sonde_prediction_list_flush (self->predictions);
      if (was_cancelled (error))
        say_stopped (self);
      else
        say_error (self, error, SONDE_JOB_PREDICT);
      return;
    }
  set_offer (self, &self->samples_offer, _ ("There are no samples here."), NULL, SONDE_JOB_NONE);
  sonde_prediction_list_set_rows (self->predictions, rows);
  after_predict (self);
}

void
sonde_explanation_jobs_predict (SondeExplanationJobs *jobs)
{
  g_autofree char *title = NULL, *restored = NULL, *all = NULL;
  Job *job;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  if (get_info (jobs) == NULL)
    return;
  restored = sonde_format_count (jobs->n_restored);
  all = sonde_format_count (get_info (jobs)->n_samples);
  title = jobs->n_restored > 0
              ? g_strdup_printf (_ ("Predicting (%s of %s restored)"), restored, all)
              : g_strdup (_ ("Predicting"));
  set_offer (jobs, &jobs->samples_offer, _ ("The first predictions will appear shortly."), NULL,
             SONDE_JOB_NONE);
  sonde_prediction_list_begin (jobs->predictions);
  job = job_begin (jobs, title);
  sonde_explain_client_ask_async (jobs->client, SONDE_EXPLAIN_PREDICT, NULL, jobs->cancellable,
                                  on_predicted, job);
}

/* ---- the preprocessing ----------------------------------------------------- */

gboolean
sonde_explanation_jobs_is_doubtful (SondeExplanationJobs *jobs)
{
  return jobs->trial != NULL && !jobs->keeps_preprocessing
         && sonde_preprocessing_trial_is_clear (jobs->trial);
}

const SondePreprocessingTrial *
sonde_explanation_jobs_get_trial (SondeExplanationJobs *jobs)
{
  return jobs->trial;
}

void
sonde_explanation_jobs_use_best_preprocessing (SondeExplanationJobs *jobs)
{
  g_autoptr (SondeExplanationSettings) settings = NULL;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  if (jobs->trial == NULL || sonde_preprocessing_trial_get_best (jobs->trial) == NULL)
    return;
  settings = sonde_preprocessing_apply (sonde_preprocessing_trial_get_best (jobs->trial),
                                        jobs->settings);
  sonde_explanation_jobs_open (jobs, settings);
}

void
sonde_explanation_jobs_keep_preprocessing (SondeExplanationJobs *jobs)
{
  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  jobs->keeps_preprocessing = TRUE;
  g_signal_emit (jobs, signals[PREPROCESSING_CHANGED], 0);
  if (jobs->cancellable == NULL && sonde_prediction_list_is_complete (jobs->predictions))
    after_predict (jobs);
}

/* ---- categories ------------------------------------------------------------ */

/* Maps of all misclassifications, with their cost. */
static void
offer_maps (SondeExplanationJobs *self)
{
  const SondeExplainInfo *info = get_info (self);
  guint errors = sonde_prediction_list_count_errors (self->predictions), n = 2 * errors;
  double seconds = sonde_explain_estimate_maps (info, MAP_SPEC, n);
  g_autofree char *time = sonde_explain_duration_text (seconds), *text = NULL, *restored = NULL,
                  *both = NULL, *count = sonde_format_count (errors),
                  *n_maps = sonde_format_count (n);

  text = isfinite (seconds)
             ? g_strdup_printf (
                 P_ ("%s misclassification. Its %s maps (Grad-CAM, predicted and true class) take "
                     "about %s.",
                     "%s misclassifications. Their %s maps (Grad-CAM, predicted and true class) "
                     "take about %s.",
                     errors),
                 count, n_maps, time)
             : g_strdup_printf (P_ ("%s misclassification.", "%s misclassifications.", errors),
                                count);
  if (self->n_restored > 0)
    {
      g_autofree char *old = sonde_format_count (MIN (self->n_restored, info->n_samples)),
                      *all = sonde_format_count (info->n_samples);

      restored = g_strdup_printf (_ ("Restored %s of %s predictions."), old, all);
    }
  both = g_strjoin (" ", text, restored, NULL);
  set_offer (self, &self->offer, both, isfinite (seconds) ? _ ("Compute Maps") : NULL,
             SONDE_JOB_MAPS);
}

static void
on_categorised (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  SondeExplanationJobs *self = job->jobs;
  g_autoptr (GError) error = NULL;
  SondeTriageResult *triage = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_TRIAGE, &error);
  const char *text;

  if (!job_end (job))
    {
      g_clear_pointer (&triage, sonde_triage_result_free);
      return;
    }
  if (triage == NULL)
    {
      text = was_cancelled (error) ? _ ("Categorising errors was stopped.")
                                   : sonde_error_get_text (error);
      set_offer (self, &self->categories_offer, text, _ ("Categorise Errors"), SONDE_JOB_TRIAGE);
      if (was_cancelled (error))
        set_offer (self, &self->offer, text, _ ("Categorise Errors"), SONDE_JOB_TRIAGE);
      else
        say_error (self, error, SONDE_JOB_TRIAGE);
    }
  else
    {
      g_clear_pointer (&self->triage, sonde_triage_result_free);
      self->triage = triage;
      sonde_prediction_list_set_rows (self->predictions, triage->rows);
      g_signal_emit (self, signals[CATEGORISED], 0);
      offer_maps (self);
    }
  g_signal_emit (self, signals[SETTLED], 0);
}

void
sonde_explanation_jobs_categorise (SondeExplanationJobs *jobs)
{
  Job *job;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  job = job_begin (jobs, _ ("Categorising errors"));
  set_offer (jobs, &jobs->categories_offer, _ ("Categorising errors…"), NULL, SONDE_JOB_NONE);
  sonde_explain_client_ask_async (jobs->client, SONDE_EXPLAIN_TRIAGE, NULL, jobs->cancellable,
                                  on_categorised, job);
}

void
sonde_explanation_jobs_want_categories (SondeExplanationJobs *jobs)
{
  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  jobs->wants_categories = TRUE;
}

/* ---- maps of all misclassifications ---------------------------------------- */

static void
on_maps (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  SondeExplanationJobs *self = job->jobs;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) maps = sonde_explain_client_ask_finish (SONDE_EXPLAIN_CLIENT (source),
                                                                result, SONDE_EXPLAIN_MAPS, &error);
  g_autofree char *text = NULL;

  if (!job_end (job))
    return;
  if (maps != NULL)
    {
      text = g_strdup_printf (P_ ("%u map is ready.", "%u maps are ready.", maps->len), maps->len);
      say (self, text);
    }
  else if (was_cancelled (error))
    set_offer (self, &self->offer, _ ("Stopped; the maps computed so far are kept."),
               _ ("Continue"), SONDE_JOB_MAPS);
  else
    say_error (self, error, SONDE_JOB_MAPS);
}

void
sonde_explanation_jobs_compute_maps (SondeExplanationJobs *jobs)
{
  g_autoptr (GArray) samples = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autoptr (GArray) targets = g_array_new (FALSE, FALSE, sizeof (gint64));
  GPtrArray *items;
  Job *job;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  items = sonde_prediction_list_get_items (jobs->predictions);
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);
      const SondeSampleResult *result = sonde_explain_item_get_result (item);

      if (!sonde_explain_item_is_error (item))
        continue;
      g_array_append_val (samples, result->sample);
      g_array_append_val (targets, result->predicted);
      g_array_append_val (samples, result->sample);
      g_array_append_val (targets, result->label);
    }
  job = job_begin (jobs, _ ("Computing maps"));
  sonde_explain_client_ask_async (
      jobs->client, SONDE_EXPLAIN_MAPS,
      &(SondeExplainArguments){ .samples = samples, .targets = targets, .spec = MAP_SPEC },
      jobs->cancellable, on_maps, job);
}

/* ---- second model ---------------------------------------------------------- */

static void
on_compared (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  SondeExplanationJobs *self = job->jobs;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) rows = sonde_explain_client_ask_finish (
      SONDE_EXPLAIN_CLIENT (source), result, SONDE_EXPLAIN_COMPARE, &error);

  if (!job_end (job))
    return;
  if (rows == NULL)
    {
      set_offer (self, &self->offer,
                 was_cancelled (error) ? _ ("The comparison was stopped.")
                                       : sonde_error_get_text (error),
                 _ ("Another Model…"), SONDE_JOB_COMPARE);
      return;
    }
  sonde_model_comparison_set (self->comparison, self->compared, rows, self->settings);
  say (self, _ ("Both models have been compared."));
  g_signal_emit (self, signals[COMPARED], 0);
}

void
sonde_explanation_jobs_compare (SondeExplanationJobs *jobs, const char *model)
{
  Job *job;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  sonde_model_comparison_clear (jobs->comparison);
  g_free (jobs->compared);
  jobs->compared = g_strdup (model);
  job = job_begin (jobs, _ ("Running the second model"));
  sonde_explain_client_ask_async (jobs->client, SONDE_EXPLAIN_COMPARE,
                                  &(SondeExplainArguments){ .model = model }, jobs->cancellable,
                                  on_compared, job);
}

/* ---- report ---------------------------------------------------------------- */

static void
on_reported (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (Job) job = data;
  SondeExplanationJobs *self = job->jobs;
  g_autoptr (GError) error = NULL;
  gboolean done = sonde_explain_client_ask_finish (SONDE_EXPLAIN_CLIENT (source), result,
                                                   SONDE_EXPLAIN_REPORT, &error)
                  != NULL;

  if (!job_end (job))
    return;
  if (done)
    say (self, _ ("The report has been saved."));
  else if (was_cancelled (error))
    say (self, _ ("The report was not saved."));
  else
    say_error (self, error, SONDE_JOB_REPORT);
}

void
sonde_explanation_jobs_write_report (SondeExplanationJobs *jobs, const char *path)
{
  Job *job;

  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  job = job_begin (jobs, _ ("Writing the report"));
  sonde_explain_client_ask_async (jobs->client, SONDE_EXPLAIN_REPORT,
                                  &(SondeExplainArguments){ .path = path }, jobs->cancellable,
                                  on_reported, job);
}

/* ---- state ----------------------------------------------------------------- */

void
sonde_explanation_jobs_cancel (SondeExplanationJobs *jobs)
{
  g_return_if_fail (SONDE_IS_EXPLANATION_JOBS (jobs));
  g_cancellable_cancel (jobs->cancellable);
}

gboolean
sonde_explanation_jobs_is_running (SondeExplanationJobs *jobs)
{
  return jobs->cancellable != NULL;
}

const char *
sonde_explanation_jobs_get_title (SondeExplanationJobs *jobs)
{
  return jobs->cancellable != NULL ? jobs->title : NULL;
}

const SondeJobOffer *
sonde_explanation_jobs_get_offer (SondeExplanationJobs *jobs)
{
  return &jobs->offer;
}

const SondeJobOffer *
sonde_explanation_jobs_get_samples_offer (SondeExplanationJobs *jobs)
{
  return &jobs->samples_offer;
}

const SondeJobOffer *
sonde_explanation_jobs_get_categories_offer (SondeExplanationJobs *jobs)
{
  return &jobs->categories_offer;
}

SondePredictionList *
sonde_explanation_jobs_get_predictions (SondeExplanationJobs *jobs)
{
  return jobs->predictions;
}

const SondeTriageResult *
sonde_explanation_jobs_get_triage (SondeExplanationJobs *jobs)
{
  return jobs->triage;
}

const SondeExplanationSettings *
sonde_explanation_jobs_get_settings (SondeExplanationJobs *jobs)
{
  return jobs->settings;
}

guint
sonde_explanation_jobs_get_n_restored (SondeExplanationJobs *jobs)
{
  return jobs->n_restored;
}

/* ---- object ---------------------------------------------------------------- */

static void
on_rows (SondeExplanationJobs *self, GPtrArray *rows)
{
  sonde_prediction_list_add (self->predictions, rows);
}

static void
on_predictions_changed (SondeExplanationJobs *self)
{
  g_signal_emit (self, signals[PREDICTED], 0);
}

static void
on_lost (SondeExplanationJobs *self)
{
  if (self->settings != NULL)
    set_offer (self, &self->offer, _ ("The engine is not running."), _ ("Reopen"), SONDE_JOB_OPEN);
}

static void
sonde_explanation_jobs_dispose (GObject *object)
{
  SondeExplanationJobs *self = SONDE_EXPLANATION_JOBS (object);

  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  if (self->client != NULL)
    g_signal_handlers_disconnect_by_data (self->client, self);
  if (self->predictions != NULL)
    g_signal_handlers_disconnect_by_data (self->predictions, self);
  g_clear_object (&self->client);
  g_clear_object (&self->comparison);
  g_clear_object (&self->predictions);
  G_OBJECT_CLASS (sonde_explanation_jobs_parent_class)->dispose (object);
}

static void
sonde_explanation_jobs_finalize (GObject *object)
{
  SondeExplanationJobs *self = SONDE_EXPLANATION_JOBS (object);

  g_clear_pointer (&self->settings, sonde_explanation_settings_free);
  g_clear_pointer (&self->triage, sonde_triage_result_free);
  g_clear_pointer (&self->trial, sonde_preprocessing_trial_free);
  g_free (self->title);
  g_free (self->compared);
  g_free (self->offer.text);
  g_free (self->samples_offer.text);
  g_free (self->categories_offer.text);
  G_OBJECT_CLASS (sonde_explanation_jobs_parent_class)->finalize (object);
}

static void
sonde_explanation_jobs_class_init (SondeExplanationJobsClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = sonde_explanation_jobs_dispose;
  G_OBJECT_CLASS (klass)->finalize = sonde_explanation_jobs_finalize;
  for (guint i = 0; i < N_SIGNALS; i++)
    if (i == OPEN_FAILED)
      signals[i] = g_signal_new (signal_names[i], G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                 NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
    else
      signals[i] = g_signal_new (signal_names[i], G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                 NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_explanation_jobs_init (SondeExplanationJobs *self)
{
}

SondeExplanationJobs *
sonde_explanation_jobs_new (SondeExplainClient *client, SondeModelComparison *comparison)
{
  SondeExplanationJobs *self = g_object_new (SONDE_TYPE_EXPLANATION_JOBS, NULL);

  self->client = g_object_ref (client);
  self->comparison = g_object_ref (comparison);
  self->predictions = sonde_prediction_list_new (client);
  g_signal_connect_swapped (client, "rows", G_CALLBACK (on_rows), self);
  g_signal_connect_swapped (client, "lost", G_CALLBACK (on_lost), self);
  g_signal_connect_swapped (self->predictions, "changed", G_CALLBACK (on_predictions_changed),
                            self);
  return self;
}
