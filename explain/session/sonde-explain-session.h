/* SPDX-License-Identifier: Apache-2.0
 * A session of one model on one data source: predictions, maps, counterfactuals, ratings and scores,
 * computed when they are asked for and kept in a cache. Synchronous, one thread; a listener hears
 * how far it is and may stop it. `sonde explain` and the Explain page both go through it. What does
 * not live here: files of the command, sessions, widgets. */
#pragma once

#include "explain/sonde-explain-maps.h"
#include "explain/session/sonde-explain-cache.h"
#include "explain/session/sonde-explain-types.h"
#include "explain/session/sonde-preprocessing.h"

G_BEGIN_DECLS

typedef struct _SondeExplainSession SondeExplainSession;

/**
 * SondeExplainListener: all entries are nullable
 * @tick: how far it is; @what: message id without arguments; @fraction, @seconds_left < 0: not known. FALSE with @error set stops:
 * nothing that was done is lost
 * @rows: (element-type SondeSampleResult): more predictions; lent
 * @map: one more map of sonde_explain_session_compute_maps(); lent
 */
typedef struct
{
  gboolean (*tick) (const char *what, double fraction, double seconds_left, gpointer data,
                    GError **error);
  void (*rows) (GPtrArray *rows, gpointer data);
  void (*map) (const SondeAttributionMap *map, gpointer data);
  gpointer data;
} SondeExplainListener;

/**
 * SondeExplainOptions: what a session is opened with; all lent unless it says otherwise
 * @program: path of `sonde`, which decodes images in a process of its own
 * @cache: (nullable): folder of all sessions; NULL: nothing is kept; @most_cached: bytes of all of
 * them, 0: SONDE_EXPLAIN_CACHE_BYTES
 * @model, @dataset, @split: (nullable) (transfer full): instead of what the settings name, as of a
 * run folder; @model: lent
 * @recorded: (nullable) (transfer full): the preprocessing of the training, to be tried first
 * @listener: (nullable)
 * @measure: measure times of passes for the info
 */
typedef struct
{
  const SondeExplanationSettings *settings;
  const char *program, *cache;
  SondeGraph *model;
  SondeDataset *dataset;
  SondeSplitPart split;
  SondePreprocessing *recorded;
  const SondeExplainListener *listener;
  gboolean measure;
  guint64 most_cached;
} SondeExplainOptions;

/* Errors: of the model, of the data, INVALID when they do not fit, of the settings. Whatever it
 * returns, @opening->dataset, split and recorded are taken. */
SondeExplainSession *sonde_explain_session_open (SondeExplainOptions *opening, GError **error);
void sonde_explain_session_free (SondeExplainSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainSession, sonde_explain_session_free)

void sonde_explain_session_set_listener (SondeExplainSession *session,
                                         const SondeExplainListener *listener);

/* With the notes so far, which are lent until there are more. */
const SondeExplainInfo *sonde_explain_session_get_info (SondeExplainSession *session);
SondeDataset *sonde_explain_session_get_dataset (SondeExplainSession *session);
SondeExplainer *sonde_explain_session_get_explainer (SondeExplainSession *session);
SondeGraph *sonde_explain_session_get_model (SondeExplainSession *session);
/* What was done to images unasked. (element-type SondeMessage) */
GPtrArray *sonde_explain_session_get_notes (SondeExplainSession *session);

/* ---- preprocessing ------------------------------------------------------- */

/* Tries the usual preprocessings on a few hundred labelled images, once, where no mean and std were
 * set: seconds, a batch at a time. Without labels nothing is tried. What came of it is the
 * session's warning, or one of its notes. (transfer none) */
const SondePreprocessingTrial *
sonde_explain_session_try_preprocessings (SondeExplainSession *session, GError **error);

/* Of a trial that was clear: nothing that is computed can be taken for a fact on the model. (nullable)
 * (transfer none) */
const SondeMessage *sonde_explain_session_get_warning (SondeExplainSession *session);

/* ---- predictions --------------------------------------------------------- */

/* All samples that can be read, once; with reasons once they were told. (transfer none)
 * (element-type SondeSampleResult) */
GPtrArray *sonde_explain_session_classify (SondeExplainSession *session, GError **error);
/* Images, readable or not. */
guint sonde_explain_session_get_n_asked (SondeExplainSession *session);

/* (transfer full); @box: (out): width 0: not known. @in_training: of the training data */
SondeImage *sonde_explain_session_dup_image (SondeExplainSession *session, guint sample,
                                             gboolean in_training, SondeBox *box, GError **error);

/* @image: (nullable): an edited image; what is as in the sample's own image keeps the sample's
 * numbers. (transfer full) */
SondeSampleResult *sonde_explain_session_infer (SondeExplainSession *session, guint sample,
                                                const SondeImage *image, GError **error);

/* ---- maps ---------------------------------------------------------------- */

/* @spec: "[LABEL=]name:key=value…"; (transfer full) */
SondeAttributionMap *sonde_explain_session_compute_map (SondeExplainSession *session, guint sample,
                                                        const char *spec, gint64 target,
                                                        GError **error);
/* In batches. (transfer full) (element-type SondeAttributionMap): in the order of @samples */
GPtrArray *sonde_explain_session_compute_maps (SondeExplainSession *session, const guint *samples,
                                               const gint64 *targets, guint n, const char *spec,
                                               GError **error);
/* Maps of @chosen (element-type SondeSampleResult), handed out one by one: what `sonde explain` writes
 * and a report shows; from the cache where it has them. @target_is, @target: see
 * SondeExplainRequest; @channels: with the maps before their channels are reduced, which the cache
 * has not. */
gboolean sonde_explain_session_explain (SondeExplainSession *session, GPtrArray *chosen,
                                        const SondeAttributionSpec *spec, const char *target_is,
                                        gint64 target, gboolean channels, SondeExplainSink sink,
                                        gpointer data, GError **error);
/* Of an edited image; not kept. */
SondeAttributionMap *sonde_explain_session_compute_map_of_image (SondeExplainSession *session,
                                                                 guint sample,
                                                                 const SondeImage *image,
                                                                 const char *spec, gint64 target,
                                                                 GError **error);

/* ---- what a map is worth, and other answers ------------------------------ */

gboolean sonde_explain_session_rate (SondeExplainSession *session, guint sample, const char *spec,
                                     gint64 target, SondeMapRating *rating, GError **error);

/* @spec: of hierarchical occlusion. (transfer full) */
SondeCounterfactual *sonde_explain_session_find_counterfactual (SondeExplainSession *session,
                                                                guint sample, const char *spec,
                                                                gint64 target, GError **error);

/* (transfer full) (element-type SondeNeighbourSample): the @k nearest, and the counterexample */
GPtrArray *sonde_explain_session_find_neighbours (SondeExplainSession *session, guint sample,
                                                  guint k, GError **error);

/* Reasons, told once, with the labels given where there are some. (transfer none) */
const SondeTriage *sonde_explain_session_get_triage (SondeExplainSession *session, GError **error);
/* (transfer full) */
SondeTriageResult *sonde_explain_session_categorise (SondeExplainSession *session, GError **error);

/* What the model in @path says of the same samples. (transfer full) (element-type SondeSampleResult) */
GPtrArray *sonde_explain_session_compare (SondeExplainSession *session, const char *path,
                                          GError **error);

/* @specs: (array zero-terminated=1). (transfer full) (element-type SondeMetricScore) */
GPtrArray *sonde_explain_session_score (SondeExplainSession *session, const char *const *specs,
                                        const char *metrics, guint max_samples, GError **error);

/* @specs: (array zero-terminated=1) (nullable): saliency, or occlusion for a model without
 * gradients */
gboolean sonde_explain_session_write_report (SondeExplainSession *session, const char *path,
                                             const char *const *specs, GError **error);

/* Analytic cases, on nets that are made here. (transfer full) (element-type SondeSelfTestCheck).
 * @listener: (nullable) */
GPtrArray *sonde_self_test (const SondeExplainListener *listener, GError **error);

G_END_DECLS
