/* SPDX-License-Identifier: Apache-2.0
 * A study of one model on one data source: predictions, maps, counterfactuals, ratings and scores,
 * computed when they are asked for and kept in a cache. Synchronous, one thread; a listener hears
 * how far it is and may stop it. `sonde explain` and the Explain page both go through it. What does
 * not live here: files of the command, sessions, widgets. */
#pragma once

#include "explain/sonde-explain-maps.h"
#include "explain/study/sonde-study-cache.h"
#include "explain/study/sonde-study-types.h"

G_BEGIN_DECLS

typedef struct _SondeStudy SondeStudy;

/**
 * SondeStudyListener: all entries are nullable
 * @tick: how far it is; @fraction, @seconds_left < 0: not known. FALSE with @error set stops:
 * nothing that was done is lost
 * @rows: (element-type SondeSampleResult): more predictions; lent
 * @map: one more map of sonde_study_compute_maps(); lent
 */
typedef struct
{
  gboolean (*tick) (const char *what, double fraction, double seconds_left, gpointer data,
                    GError **error);
  void (*rows) (GPtrArray *rows, gpointer data);
  void (*map) (const SondeAttributionMap *map, gpointer data);
  gpointer data;
} SondeStudyListener;

/**
 * SondeStudyOpening: what a study is opened with; all lent unless it says otherwise
 * @program: path of `sonde`, which decodes pictures in a process of its own
 * @cache: (nullable): folder of all studies; NULL: nothing is kept; @most_cached: bytes of all of
 * them, 0: SONDE_STUDY_CACHE_BYTES
 * @model, @dataset, @split: (nullable) (transfer full): instead of what the settings name, as of a
 * run folder; @model: lent
 * @listener: (nullable)
 * @measure: measure times of passes for the facts
 */
typedef struct
{
  const SondeExplanationSettings *settings;
  const char *program, *cache;
  SondeGraph *model;
  SondeDataset *dataset;
  SondeSplitPart split;
  const SondeStudyListener *listener;
  gboolean measure;
  guint64 most_cached;
} SondeStudyOpening;

/* Errors: of the model, of the data, INVALID when they do not fit, of the settings. Whatever it
 * returns, @opening->dataset and split are taken. */
SondeStudy *sonde_study_open (SondeStudyOpening *opening, GError **error);
void sonde_study_free (SondeStudy *study);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudy, sonde_study_free)

void sonde_study_set_listener (SondeStudy *study, const SondeStudyListener *listener);

/* With the notes so far. Lent, until it is asked for again. */
const SondeStudyFacts *sonde_study_get_facts (SondeStudy *study);
SondeDataset *sonde_study_get_dataset (SondeStudy *study);
SondeExplainer *sonde_study_get_explainer (SondeStudy *study);
SondeGraph *sonde_study_get_model (SondeStudy *study);
/* What was done to pictures unasked. (element-type utf8) */
GPtrArray *sonde_study_get_notes (SondeStudy *study);

/* ---- predictions --------------------------------------------------------- */

/* All samples that can be read, once. (transfer none) (element-type SondePrediction) */
GPtrArray *sonde_study_classify (SondeStudy *study, GError **error);
guint sonde_study_get_n_asked (SondeStudy *study); /* pictures, readable or not */
/* The same as rows, with reasons once they were told. (transfer full) (element-type
 * SondeSampleResult) */
GPtrArray *sonde_study_predict (SondeStudy *study, GError **error);

/* (transfer full); @box: (out): width 0: not known. @in_training: of the training data */
SondeImage *sonde_study_dup_picture (SondeStudy *study, guint sample, gboolean in_training,
                                     SondeBox *box, GError **error);

/* @image: (nullable): an edited picture; what is as in the sample's own picture keeps the sample's
 * numbers. (transfer full) */
SondeStudyAnswer *sonde_study_infer (SondeStudy *study, guint sample, const SondeImage *image,
                                     GError **error);

/* ---- maps ---------------------------------------------------------------- */

/* @spec: "[LABEL=]name:key=value…"; (transfer full) */
SondeAttributionMap *sonde_study_compute_map (SondeStudy *study, guint sample, const char *spec,
                                              gint64 target, GError **error);
/* In batches. (transfer full) (element-type SondeAttributionMap): in the order of @samples */
GPtrArray *sonde_study_compute_maps (SondeStudy *study, const guint *samples, const gint64 *targets,
                                     guint n, const char *spec, GError **error);
/* Maps of @chosen (element-type SondePrediction), handed out one by one: what `sonde explain` writes
 * and a report shows; from the cache where it has them. @target_is, @target: see
 * SondeExplainRequest; @channels: with the maps before their channels are reduced, which the cache
 * has not. */
gboolean sonde_study_explain (SondeStudy *study, GPtrArray *chosen,
                              const SondeAttributionSpec *spec, const char *target_is,
                              gint64 target, gboolean channels, SondeExplainSink sink,
                              gpointer data, GError **error);
/* Of an edited picture; not kept. */
SondeAttributionMap *sonde_study_compute_map_of_image (SondeStudy *study, guint sample,
                                                       const SondeImage *image, const char *spec,
                                                       gint64 target, GError **error);

/* ---- what a map is worth, and other answers ------------------------------ */

gboolean sonde_study_rate (SondeStudy *study, guint sample, const char *spec, gint64 target,
                           SondeMapRating *rating, GError **error);

/* @spec: of hierarchical occlusion. (transfer full) */
SondeCounterfactual *sonde_study_find_boxes (SondeStudy *study, guint sample, const char *spec,
                                             gint64 target, GError **error);

/* (transfer full) (element-type SondeStudyNeighbour): the @k nearest, and the counterexample */
GPtrArray *sonde_study_find_neighbours (SondeStudy *study, guint sample, guint k, GError **error);

/* Reasons, told once, with the labels given where there are some. (transfer none) */
const SondeTriage *sonde_study_get_triage (SondeStudy *study, GError **error);
/* (transfer full) */
SondeStudyTriage *sonde_study_tell_reasons (SondeStudy *study, GError **error);

/* What the model in @path says of the same samples. (transfer full) (element-type SondeSampleResult) */
GPtrArray *sonde_study_compare (SondeStudy *study, const char *path, GError **error);

/* @specs: (array zero-terminated=1). (transfer full) (element-type SondeStudyScore) */
GPtrArray *sonde_study_score (SondeStudy *study, const char *const *specs, const char *metrics,
                              guint max_samples, GError **error);

/* @specs: (array zero-terminated=1) (nullable): saliency, or occlusion for a model without
 * gradients */
gboolean sonde_study_write_report (SondeStudy *study, const char *path, const char *const *specs,
                                   GError **error);

/* Analytic cases, on nets that are made here. (transfer full) (element-type SondeStudyCheck).
 * @listener: (nullable) */
GPtrArray *sonde_study_self_test (const SondeStudyListener *listener, GError **error);

G_END_DECLS
