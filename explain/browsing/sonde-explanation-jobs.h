/* SPDX-License-Identifier: Apache-2.0
 * What is computed in a session, one job after the other: open, predict, categorise errors, maps, a
 * second model, the report; how far it is, and what is offered next with its cost. Short jobs follow
 * by themselves. What does not live here: widgets. */
#pragma once

#include "explain/browsing/sonde-model-comparison.h"
#include "explain/browsing/sonde-prediction-list.h"
#include "explain/session/sonde-preprocessing.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLANATION_JOBS (sonde_explanation_jobs_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplanationJobs, sonde_explanation_jobs, SONDE, EXPLANATION_JOBS,
                      GObject)

/* What a user can ask for next. */
typedef enum
{
  SONDE_JOB_NONE,
  SONDE_JOB_OPEN,
  SONDE_JOB_PREDICT,
  SONDE_JOB_TRIAGE,
  SONDE_JOB_MAPS,
  SONDE_JOB_REPORT,
  SONDE_JOB_COMPARE,
} SondeJob;

/* A sentence, and the button beside it. Translated. @label: (nullable): no button */
typedef struct
{
  char *text;
  const char *label;
  SondeJob job;
} SondeJobOffer;

/**
 * sonde_explanation_jobs_new:
 * @client: referenced
 * @comparison: gets the second model's predictions; referenced
 *
 * Signals:
 * - "began" (): a job; "changed" (): whether one runs
 * - "opened" (): the settings are good; "open-failed" (const char *text): nullable: it was cancelled
 * - "preprocessing-changed" (): see is_doubtful()
 * - "predicted" (): see the prediction list; "categorised" (): see get_triage()
 * - "offers-changed" (): see the three offers
 * - "compared" (): both models are known
 * - "settled" (): what follows by itself has ended
 */
SondeExplanationJobs *sonde_explanation_jobs_new (SondeExplainClient *client,
                                                  SondeModelComparison *comparison);

/* Each cancels what runs. What was computed before it was cancelled is kept. */
void sonde_explanation_jobs_open (SondeExplanationJobs *jobs,
                                  const SondeExplanationSettings *settings);
void sonde_explanation_jobs_reopen (SondeExplanationJobs *jobs); /* with the settings of the last */
void sonde_explanation_jobs_predict (SondeExplanationJobs *jobs);
void sonde_explanation_jobs_categorise (SondeExplanationJobs *jobs);
void
sonde_explanation_jobs_compute_maps (SondeExplanationJobs *jobs); /* of all misclassifications */
void sonde_explanation_jobs_write_report (SondeExplanationJobs *jobs, const char *path);
void sonde_explanation_jobs_compare (SondeExplanationJobs *jobs, const char *model);
void sonde_explanation_jobs_cancel (SondeExplanationJobs *jobs);
/* Errors are categorised after predicting, whatever that costs. */
void sonde_explanation_jobs_want_categories (SondeExplanationJobs *jobs);

/* Where no mean and std were set, the usual preprocessings are tried before predicting. Is another one
 * clearly better, and nobody has chosen yet? Then errors are not categorised by themselves: they may
 * not be the model's. */
gboolean sonde_explanation_jobs_is_doubtful (SondeExplanationJobs *jobs);
/* (nullable): not tried. Lent until it is opened again. */
const SondePreprocessingTrial *sonde_explanation_jobs_get_trial (SondeExplanationJobs *jobs);
void sonde_explanation_jobs_use_best_preprocessing (SondeExplanationJobs *jobs); /* opens again */
void sonde_explanation_jobs_keep_preprocessing (SondeExplanationJobs *jobs);

gboolean sonde_explanation_jobs_is_running (SondeExplanationJobs *jobs);
/* What runs, translated; NULL: nothing. */
const char *sonde_explanation_jobs_get_title (SondeExplanationJobs *jobs);
/* Of the session; beside the samples, where there are none; beside the categories, where there are
 * none. Lent until the next signal. */
const SondeJobOffer *sonde_explanation_jobs_get_offer (SondeExplanationJobs *jobs);
const SondeJobOffer *sonde_explanation_jobs_get_samples_offer (SondeExplanationJobs *jobs);
const SondeJobOffer *sonde_explanation_jobs_get_categories_offer (SondeExplanationJobs *jobs);

SondePredictionList *sonde_explanation_jobs_get_predictions (SondeExplanationJobs *jobs);
/* Lent until "offers-changed". (nullable) */
const SondeTriageResult *sonde_explanation_jobs_get_triage (SondeExplanationJobs *jobs);
/* Of the session that was opened last. (nullable) */
const SondeExplanationSettings *sonde_explanation_jobs_get_settings (SondeExplanationJobs *jobs);
/* Predictions that came from the cache. */
guint sonde_explanation_jobs_get_n_restored (SondeExplanationJobs *jobs);

G_END_DECLS
