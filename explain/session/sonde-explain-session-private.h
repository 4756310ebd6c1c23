/* SPDX-License-Identifier: Apache-2.0
 * Inside of a session, shared by its files. */
#pragma once

#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

#define SONDE_EXPLAIN_BATCH 64u  /* images that are loaded together */
#define SONDE_EXPLAIN_CHUNK 256u /* predictions of a file of the cache */

/**
 * SondeExplainSession:
 * @predictions: (nullable): once classified; @triage: (nullable): once told; @lacks_maps: for
 *   want of memory perhaps: then it is not kept
 * @training_data, @training: (nullable): opened and classified when first needed, then with
 * @training_digest
 * @order: sample -> position among the predictions + 1
 * @what, @begun, @from, @to: of what is computed now: see sonde_explain_session_begin()
 */
struct _SondeExplainSession
{
  SondeExplanationSettings *settings;
  char *program;
  char *training_digest;
  SondeGraph *model;
  SondeDataset *dataset, *training_data;
  SondeSplitPart split, training_split;
  SondeExplainer *explainer;
  SondeExplainCache *cache; /* (nullable) */
  SondeExplainInfo *info;
  GPtrArray *notes;
  GPtrArray *predictions, *training;
  GHashTable *order;
  SondeTriage *triage;
  gboolean lacks_maps;
  SondeExplainListener listener;
  /* (nullable) (element-type SondeExplainer): the net with permuted layers, stage by stage */
  GPtrArray *randomised;
  SondeNeighbours *neighbours; /* (nullable): of @reference */
  GPtrArray *reference;        /* predictions that neighbours are among; lent */
  const char *what;
  gint64 begun;
  guint64 already; /* that were there when it began */
};

/* Something long begins: @already of it was there before. @what is a literal. */
void sonde_explain_session_begin (SondeExplainSession *session, const char *what, guint64 already);
/* How far it is; FALSE with @error: stop. */
gboolean sonde_explain_session_tick (SondeExplainSession *session, guint64 done, guint64 total,
                                     GError **error);
/* The same as a SondeExplainProgress; @data: the session */
gboolean sonde_explain_session_progress (guint done, guint total, gpointer data, GError **error);

/* The prediction of a sample; classifies that one where nothing is classified yet (then owned by
 * @own). Errors: NOT_FOUND for a sample that the data do not have or that cannot be read. */
const SondePrediction *sonde_explain_session_find_prediction (SondeExplainSession *session,
                                                              guint sample, GPtrArray **own,
                                                              GError **error);
/* float32 [n, C, H, W]. Errors: NOT_FOUND */
SondeTensor *sonde_explain_session_load (SondeExplainSession *session, const guint *samples,
                                         guint n, GError **error);
/* float32 [1, C, H, W] of an edited image. */
SondeTensor *sonde_explain_session_load_image (SondeExplainSession *session, guint sample,
                                               const SondeImage *image, GError **error);
/* One map by @explainer, which may be another one than the session's. @target, @other: see
 * SondeAttributionMap. */
gboolean sonde_explain_session_attribute (SondeExplainSession *session, SondeExplainer *explainer,
                                          const SondeAttributionSpec *spec, guint sample,
                                          gint64 target, gint64 other, SondeTensor *inputs,
                                          SondeAttributionResult *result, GError **error);
gboolean sonde_explain_session_check_target (SondeExplainSession *session, gint64 target,
                                             GError **error);
/* Rows of predictions with reasons where they were told. (transfer full) */
GPtrArray *sonde_explain_session_make_rows (SondeExplainSession *session, GPtrArray *predictions);
/* Samples of the training data, classified; NULL with @error NOT_FOUND when none were named.
 * (transfer none) */
GPtrArray *sonde_explain_session_get_training (SondeExplainSession *session, GError **error);
/* Classifies with a cache. (transfer full) @prefix: of the keys */
GPtrArray *sonde_explain_session_classify_part (SondeExplainSession *session,
                                                SondeExplainer *explainer, SondeDataset *dataset,
                                                const guint *samples, guint n, const char *prefix,
                                                gboolean tell, GError **error);

/* Opens another model on the same images. (transfer full) */
SondeExplainer *sonde_explain_session_open_other (SondeExplainSession *session, const char *path,
                                                  char **digest, GError **error);

/* SHA-256 of what answers depend on: model, data as listed, settings. (transfer full) */
char *sonde_explain_session_make_digest (const SondeExplanationSettings *settings,
                                         SondeGraph *model, SondeDataset *dataset,
                                         const SondeSplitPart *split, SondeDataset *training,
                                         GError **error);

/* What reasons depend on beside the session itself: the training data, and the labels given.
 * (transfer full) */
char *sonde_explain_session_hash_labels (SondeExplainSession *session);
/* Does a parameter name a file? Files may change behind the name: what reads one is computed again
 * each time. */
gboolean sonde_explain_session_reads_file (const SondeAttributionSpec *spec);
/* Reasons as the cache has them, of predictions with their labels as given. With a cache only.
 * (transfer full) (nullable) */
SondeTriage *sonde_explain_session_load_triage (SondeExplainSession *session,
                                                GPtrArray *predictions, GPtrArray *training);
void sonde_explain_session_store_triage (SondeExplainSession *session, const SondeTriage *triage);

/* SHA-256 of texts, in hexadecimal. NULL ends. (transfer full) */
char *sonde_explain_hash_texts (const char *first, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS
