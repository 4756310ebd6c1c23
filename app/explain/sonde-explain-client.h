/* SPDX-License-Identifier: Apache-2.0
 * A session of a model on images, computed by an engine child; the main loop never waits.
 * Everything is asked for with NAME_async() and taken with NAME_finish(), on the thread of the
 * default main context. Answers come in the order of the questions: one is computed after the
 * other.
 *
 * Cancelling the GCancellable ends the computation in the child within a batch; what was done by
 * then is in the cache and not done again. The cache lies below the user's cache folder
 * (sonde/sessions/DIGEST), by the content of the model, the listing of the data and the settings: a
 * session that is opened again goes on where the last one ended, however that ended.
 *
 * Errors of all: what the engine says (a sentence); G_IO_ERROR_CANCELLED; SONDE_ENGINE_ERROR_STATE
 * when nothing is open, also after "lost". What does not live here: widgets (no GTK), the
 * computation (explain/session). */
#pragma once

#include <gio/gio.h>

#include "data/datasets/sonde-dataset.h"
#include "explain/session/sonde-explain-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_EXPLAIN_CLIENT (sonde_explain_client_get_type ())
G_DECLARE_FINAL_TYPE (SondeExplainClient, sonde_explain_client, SONDE, EXPLAIN_CLIENT, GObject)

/**
 * sonde_explain_client_new:
 * No child runs before open.
 *
 * Signals:
 * - "progress" (const char *what, double fraction, double seconds_left): of what is computed now;
 *   fraction and seconds are < 0 while they are not known; what is NULL when nothing is computed
 *   any more
 * - "rows" (GPtrArray *rows): (element-type SondeSampleResult): some more while it predicts; lent
 * - "map" (SondeAttributionMap *map): one more of sonde_explain_client_maps_async(); lent
 * - "lost" (const char *why): the child is gone, in words: everything that was asked fails; open it
 * again and go on
 */
SondeExplainClient *sonde_explain_client_new (void);

/* For tests: another program than this one, another cache folder than the user's. (nullable) */
void sonde_explain_client_set_program (SondeExplainClient *client, const char *program);
void sonde_explain_client_set_cache (SondeExplainClient *client, const char *folder);

/* What is computed is cancelled (G_IO_ERROR_CANCELLED) and the child ends; it is killed when it
 * does not. Does not block; open may follow. */
void sonde_explain_client_close (SondeExplainClient *client);
gboolean sonde_explain_client_is_open (SondeExplainClient *client);
gboolean sonde_explain_client_is_busy (SondeExplainClient *client);
int sonde_explain_client_get_pid (SondeExplainClient *client); /* of the child; 0: none */
/* (nullable): NULL when nothing is open; lent until it is opened again */
const SondeExplainInfo *sonde_explain_client_get_info (SondeExplainClient *client);
const SondeExplanationSettings *sonde_explain_client_get_settings (SondeExplainClient *client);

/* Another session in the place of the one that is open. Progress comes as signals. @settings: copied.
 * finish: lent, as get_info(). */
void sonde_explain_client_open_async (SondeExplainClient *client,
                                      const SondeExplanationSettings *settings,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data);
const SondeExplainInfo *sonde_explain_client_open_finish (SondeExplainClient *client,
                                                          GAsyncResult *result, GError **error);

/* All samples, in the order of the data, without those whose image cannot be read. finish:
 * (transfer full) (element-type SondeSampleResult) */
void sonde_explain_client_predict_async (SondeExplainClient *client, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer data);
GPtrArray *sonde_explain_client_predict_finish (SondeExplainClient *client, GAsyncResult *result,
                                                GError **error);

/* A reason for each error, and like errors of a cell together. Predicts first where that was not
 * done. */
void sonde_explain_client_triage_async (SondeExplainClient *client, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer data);
SondeTriageResult *sonde_explain_client_triage_finish (SondeExplainClient *client,
                                                       GAsyncResult *result, GError **error);

/* The image as the network sees it, normalisation undone. @in_training: a sample of the training
 * data. finish: (transfer full);
 * @box: (out) (optional): where the object is, width 0: not known */
void sonde_explain_client_image_async (SondeExplainClient *client, guint sample,
                                       gboolean in_training, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer data);
SondeImage *sonde_explain_client_image_finish (SondeExplainClient *client, GAsyncResult *result,
                                               SondeBox *box, GError **error);

/* @spec: "[LABEL=]name:key=value…" (sonde-attribution-spec.h). @target: class; of methods that take
 * pairs it is less the true label (of an edited image and of right answers: less the
 * runner-up) */
void sonde_explain_client_map_async (SondeExplainClient *client, guint sample, const char *spec,
                                     gint64 target, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
SondeAttributionMap *sonde_explain_client_map_finish (SondeExplainClient *client,
                                                      GAsyncResult *result, GError **error);

/* The same of many samples, in batches. @targets: (array length=n). "map" tells each as it is
 * there. finish: (transfer full) (element-type SondeAttributionMap), in the order of @samples */
void sonde_explain_client_maps_async (SondeExplainClient *client, const guint *samples,
                                      const gint64 *targets, guint n, const char *spec,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data);
GPtrArray *sonde_explain_client_maps_finish (SondeExplainClient *client, GAsyncResult *result,
                                             GError **error);

/* Whether that map can be trusted. */
void sonde_explain_client_rate_async (SondeExplainClient *client, guint sample, const char *spec,
                                      gint64 target, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data);
gboolean sonde_explain_client_rate_finish (SondeExplainClient *client, GAsyncResult *result,
                                           SondeMapRating *rating, GError **error);

/* @spec: of hierarchical occlusion (sonde-occlusion-settings.h): "auto", "by=flip:prune=yes". The
 * first threshold counts. */
void sonde_explain_client_counterfactual_async (SondeExplainClient *client, guint sample,
                                                const char *spec, gint64 target,
                                                GCancellable *cancellable,
                                                GAsyncReadyCallback callback, gpointer data);
SondeCounterfactual *sonde_explain_client_counterfactual_finish (SondeExplainClient *client,
                                                                 GAsyncResult *result,
                                                                 GError **error);

/* The @k nearest, and the counterexample. Of the training data where there are some (predicted
 * then), else of the data itself. finish: (transfer full) (element-type SondeNeighbourSample),
 * nearest first. Errors: UNSUPPORTED for a model without features */
void sonde_explain_client_neighbours_async (SondeExplainClient *client, guint sample, guint k,
                                            GCancellable *cancellable, GAsyncReadyCallback callback,
                                            gpointer data);
GPtrArray *sonde_explain_client_neighbours_finish (SondeExplainClient *client, GAsyncResult *result,
                                                   GError **error);

/* @image: (nullable): an edited image of the size of sonde_explain_client_image_async(), instead
 * of @sample; copied */
void sonde_explain_client_infer_async (SondeExplainClient *client, guint sample,
                                       const SondeImage *image, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer data);
SondeImagePrediction *sonde_explain_client_infer_finish (SondeExplainClient *client,
                                                         GAsyncResult *result, GError **error);
/* A map of an edited image; not cached. @sample: by which random numbers are drawn */
void sonde_explain_client_map_of_image_async (SondeExplainClient *client, guint sample,
                                              const SondeImage *image, const char *spec,
                                              gint64 target, GCancellable *cancellable,
                                              GAsyncReadyCallback callback, gpointer data);
SondeAttributionMap *sonde_explain_client_map_of_image_finish (SondeExplainClient *client,
                                                               GAsyncResult *result,
                                                               GError **error);

/* What another model says of the same samples, with the same settings of images and labels.
 * finish: as of predict */
void sonde_explain_client_compare_async (SondeExplainClient *client, const char *model,
                                         GCancellable *cancellable, GAsyncReadyCallback callback,
                                         gpointer data);
GPtrArray *sonde_explain_client_compare_finish (SondeExplainClient *client, GAsyncResult *result,
                                                GError **error);

/* Methods by metrics on the first @max_samples errors (all samples where there are fewer errors
 * than 8), target: the predicted class.
 * @specs: (array zero-terminated=1); @metrics: "all", or names between commas. finish: (transfer
 * full) (element-type SondeMetricScore) */
void sonde_explain_client_scores_async (SondeExplainClient *client, const char *const *specs,
                                        const char *metrics, guint max_samples,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer data);
GPtrArray *sonde_explain_client_scores_finish (SondeExplainClient *client, GAsyncResult *result,
                                               GError **error);

/* Cases whose answer is known, computed now by the child; nothing need be open. finish: (transfer
 * full) (element-type SondeSelfTestCheck) */
void sonde_explain_client_self_test_async (SondeExplainClient *client, GCancellable *cancellable,
                                           GAsyncReadyCallback callback, gpointer data);
GPtrArray *sonde_explain_client_self_test_finish (SondeExplainClient *client, GAsyncResult *result,
                                                  GError **error);

/* @path: .html or .pdf, absolute. @specs: (array zero-terminated=1) (nullable): methods of its
 * maps; NULL: saliency, or occlusion for a model without gradients */
void sonde_explain_client_report_async (SondeExplainClient *client, const char *path,
                                        const char *const *specs, GCancellable *cancellable,
                                        GAsyncReadyCallback callback, gpointer data);
gboolean sonde_explain_client_report_finish (SondeExplainClient *client, GAsyncResult *result,
                                             GError **error);

G_END_DECLS
