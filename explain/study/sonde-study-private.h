/* SPDX-License-Identifier: Apache-2.0
 * Inside of a study, shared by its files. */
#pragma once

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/study/sonde-study.h"

G_BEGIN_DECLS

#define SONDE_STUDY_BATCH 64u  /* pictures that are loaded together */
#define SONDE_STUDY_CHUNK 256u /* predictions of a file of the cache */

/**
 * SondeStudy:
 * @predictions: (nullable): once classified; @triage: (nullable): once told; @lacks_maps: for
 *   want of memory perhaps: then it is not kept
 * @training_data, @training: (nullable): opened and classified when first needed, then with
 * @training_digest
 * @order: sample -> position among the predictions + 1
 * @what, @begun, @from, @to: of what is computed now: see sonde_study_begin()
 */
struct _SondeStudy
{
  SondeExplanationSettings *settings;
  char *program;
  char *training_digest;
  SondeGraph *model;
  SondeDataset *dataset, *training_data;
  SondeSplitPart split, training_split;
  SondeExplainer *explainer;
  SondeStudyCache *cache; /* (nullable) */
  SondeStudyFacts *facts;
  GPtrArray *notes;
  GPtrArray *predictions, *training;
  GHashTable *order;
  SondeTriage *triage;
  gboolean lacks_maps;
  SondeStudyListener listener;
  /* (nullable) (element-type SondeExplainer): the net with permuted layers, stage by stage */
  GPtrArray *randomised;
  SondeNeighbours *neighbours; /* (nullable): of @reference */
  GPtrArray *reference;        /* predictions that neighbours are among; lent */
  const char *what;
  gint64 begun;
  guint64 already; /* that were there when it began */
};

/* Something long begins: @already of it was there before. @what is a literal. */
void sonde_study_begin (SondeStudy *study, const char *what, guint64 already);
/* How far it is; FALSE with @error: stop. */
gboolean sonde_study_tick (SondeStudy *study, guint64 done, guint64 total, GError **error);
/* The same as a SondeExplainProgress; @data: the study */
gboolean sonde_study_progress (guint done, guint total, gpointer data, GError **error);

/* The prediction of a sample; classifies that one where nothing is classified yet (then owned by
 * @own). Errors: NOT_FOUND for a sample that the data do not have or that cannot be read. */
const SondePrediction *sonde_study_find_prediction (SondeStudy *study, guint sample,
                                                    GPtrArray **own, GError **error);
/* float32 [n, C, H, W]. Errors: NOT_FOUND */
SondeTensor *sonde_study_load (SondeStudy *study, const guint *samples, guint n, GError **error);
/* float32 [1, C, H, W] of an edited picture. */
SondeTensor *sonde_study_load_image (SondeStudy *study, guint sample, const SondeImage *image,
                                     GError **error);
/* One map by @explainer, which may be another one than the study's. @target, @other: see
 * SondeAttributionMap. */
gboolean sonde_study_attribute (SondeStudy *study, SondeExplainer *explainer,
                                const SondeAttributionSpec *spec, guint sample, gint64 target,
                                gint64 other, SondeTensor *inputs, SondeAttributionResult *result,
                                GError **error);
gboolean sonde_study_check_target (SondeStudy *study, gint64 target, GError **error);
/* Rows of predictions with reasons where they were told. (transfer full) */
GPtrArray *sonde_study_make_rows (SondeStudy *study, GPtrArray *predictions);
/* Samples of the training data, classified; NULL with @error NOT_FOUND when none were named.
 * (transfer none) */
GPtrArray *sonde_study_get_training (SondeStudy *study, GError **error);
/* Classifies with a cache. (transfer full) @prefix: of the keys */
GPtrArray *sonde_study_classify_part (SondeStudy *study, SondeExplainer *explainer,
                                      SondeDataset *dataset, const guint *samples, guint n,
                                      const char *prefix, gboolean tell, GError **error);

/* Opens another model on the same pictures. (transfer full) */
SondeExplainer *sonde_study_open_other (SondeStudy *study, const char *path, char **digest,
                                        GError **error);

/* SHA-256 of what answers depend on: model, data as listed, settings. (transfer full) */
char *sonde_study_make_digest (const SondeExplanationSettings *settings, SondeGraph *model,
                               SondeDataset *dataset, const SondeSplitPart *split,
                               SondeDataset *training, GError **error);

/* What reasons depend on beside the study itself: the training data, and the labels given.
 * (transfer full) */
char *sonde_study_hash_labels (SondeStudy *study);
/* Does a parameter name a file? Files may change behind the name: what reads one is computed again
 * each time. */
gboolean sonde_study_reads_file (const SondeAttributionSpec *spec);
/* Reasons as the cache has them, of predictions with their labels as given. With a cache only.
 * (transfer full) (nullable) */
SondeTriage *sonde_study_load_triage (SondeStudy *study, GPtrArray *predictions,
                                      GPtrArray *training);
void sonde_study_store_triage (SondeStudy *study, const SondeTriage *triage);

/* SHA-256 of texts, in hexadecimal. NULL ends. (transfer full) */
char *sonde_study_hash_texts (const char *first, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS
