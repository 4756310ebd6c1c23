/* SPDX-License-Identifier: Apache-2.0
 * A study of a model on pictures, computed by an engine child; the main loop never waits.
 * Everything is asked for with NAME_async() and taken with NAME_finish(), on the thread of the
 * default main context. Answers come in the order of the questions: one is computed after the
 * other.
 *
 * Cancelling the GCancellable ends the computation in the child within a batch; what was done by
 * then is in the cache and not done again. The cache lies below the user's cache folder
 * (sonde/studies/DIGEST), by the content of the model, the listing of the data and the settings: a
 * study that is opened again goes on where the last one ended, however that ended.
 *
 * Errors of all: what the engine says (a sentence); G_IO_ERROR_CANCELLED; SONDE_ENGINE_ERROR_STATE
 * when nothing is open, also after "lost". What does not live here: widgets (no GTK), the
 * computation (explain/study). */
#pragma once

#include <gio/gio.h>

#include "data/datasets/sonde-dataset.h"
#include "explain/study/sonde-study-types.h"

G_BEGIN_DECLS

#define SONDE_TYPE_STUDY_CLIENT (sonde_study_client_get_type ())
G_DECLARE_FINAL_TYPE (SondeStudyClient, sonde_study_client, SONDE, STUDY_CLIENT, GObject)

/**
 * sonde_study_client_new:
 * No child runs before open.
 *
 * Signals:
 * - "progress" (const char *what, double fraction, double seconds_left): of what is computed now;
 *   fraction and seconds are < 0 while they are not known; what is NULL when nothing is computed
 *   any more
 * - "rows" (GPtrArray *rows): (element-type SondeSampleResult): some more while it predicts; lent
 * - "map" (SondeAttributionMap *map): one more of sonde_study_client_maps_async(); lent
 * - "lost" (const char *why): the child is gone, in words: everything that was asked fails; open it
 * again and go on
 */
SondeStudyClient *sonde_study_client_new (void);

/* For tests: another program than this one, another cache folder than the user's. (nullable) */
void sonde_study_client_set_program (SondeStudyClient *client, const char *program);
void sonde_study_client_set_cache (SondeStudyClient *client, const char *folder);

/* What is computed is cancelled (G_IO_ERROR_CANCELLED) and the child ends; it is killed when it
 * does not. Does not block; open may follow. */
void sonde_study_client_close (SondeStudyClient *client);
gboolean sonde_study_client_is_open (SondeStudyClient *client);
gboolean sonde_study_client_is_busy (SondeStudyClient *client);
int sonde_study_client_get_pid (SondeStudyClient *client); /* of the child; 0: none */
/* (nullable): NULL when nothing is open; lent until it is opened again */
const SondeStudyFacts *sonde_study_client_get_facts (SondeStudyClient *client);
const SondeExplanationSettings *sonde_study_client_get_settings (SondeStudyClient *client);

/* Another study in the place of the one that is open. Progress comes as signals. @settings: copied.
 * finish: lent, as get_facts(). */
void sonde_study_client_open_async (SondeStudyClient *client,
                                    const SondeExplanationSettings *settings,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer data);
const SondeStudyFacts *sonde_study_client_open_finish (SondeStudyClient *client,
                                                       GAsyncResult *result, GError **error);

/* All samples, in the order of the data, without those whose picture cannot be read. finish:
 * (transfer full) (element-type SondeSampleResult) */
void sonde_study_client_predict_async (SondeStudyClient *client, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer data);
GPtrArray *sonde_study_client_predict_finish (SondeStudyClient *client, GAsyncResult *result,
                                              GError **error);

/* A reason for each error, and like errors of a cell together. Predicts first where that was not
 * done. */
void sonde_study_client_triage_async (SondeStudyClient *client, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data);
SondeStudyTriage *sonde_study_client_triage_finish (SondeStudyClient *client, GAsyncResult *result,
                                                    GError **error);

/* The picture as the network sees it, normalisation undone. @in_training: a sample of the training
 * data. finish: (transfer full);
 * @box: (out) (optional): where the object is, width 0: not known */
void sonde_study_client_picture_async (SondeStudyClient *client, guint sample, gboolean in_training,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data);
SondeImage *sonde_study_client_picture_finish (SondeStudyClient *client, GAsyncResult *result,
                                               SondeBox *box, GError **error);

/* @spec: "[LABEL=]name:key=value…" (sonde-attribution-spec.h). @target: class; of methods that take
 * pairs it is less the true label (of an edited picture and of right answers: less the
 * runner-up) */
void sonde_study_client_map_async (SondeStudyClient *client, guint sample, const char *spec,
                                   gint64 target, GCancellable *cancellable,
                                   GAsyncReadyCallback callback, gpointer data);
SondeAttributionMap *sonde_study_client_map_finish (SondeStudyClient *client, GAsyncResult *result,
                                                    GError **error);

/* The same of many samples, in batches. @targets: (array length=n). "map" tells each as it is
 * there. finish: (transfer full) (element-type SondeAttributionMap), in the order of @samples */
void sonde_study_client_maps_async (SondeStudyClient *client, const guint *samples,
                                    const gint64 *targets, guint n, const char *spec,
                                    GCancellable *cancellable, GAsyncReadyCallback callback,
                                    gpointer data);
GPtrArray *sonde_study_client_maps_finish (SondeStudyClient *client, GAsyncResult *result,
                                           GError **error);

/* Whether that map can be trusted. */
void sonde_study_client_rate_async (SondeStudyClient *client, guint sample, const char *spec,
                                    gint64 target, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer data);
gboolean sonde_study_client_rate_finish (SondeStudyClient *client, GAsyncResult *result,
                                         SondeMapRating *rating, GError **error);

/* @spec: of hierarchical occlusion (sonde-occlusion-settings.h): "auto", "by=flip:prune=yes". The
 * first threshold counts. */
void sonde_study_client_boxes_async (SondeStudyClient *client, guint sample, const char *spec,
                                     gint64 target, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
SondeCounterfactual *sonde_study_client_boxes_finish (SondeStudyClient *client,
                                                      GAsyncResult *result, GError **error);

/* The @k nearest, and the counterexample. Of the training data where there are some (predicted
 * then), else of the data itself. finish: (transfer full) (element-type SondeStudyNeighbour),
 * nearest first. Errors: UNSUPPORTED for a model without features */
void sonde_study_client_neighbours_async (SondeStudyClient *client, guint sample, guint k,
                                          GCancellable *cancellable, GAsyncReadyCallback callback,
                                          gpointer data);
GPtrArray *sonde_study_client_neighbours_finish (SondeStudyClient *client, GAsyncResult *result,
                                                 GError **error);

/* @image: (nullable): an edited picture of the size of sonde_study_client_picture_async(), instead
 * of @sample; copied */
void sonde_study_client_infer_async (SondeStudyClient *client, guint sample,
                                     const SondeImage *image, GCancellable *cancellable,
                                     GAsyncReadyCallback callback, gpointer data);
SondeStudyAnswer *sonde_study_client_infer_finish (SondeStudyClient *client, GAsyncResult *result,
                                                   GError **error);
/* A map of an edited picture; not cached. @sample: by which random numbers are drawn */
void sonde_study_client_map_of_image_async (SondeStudyClient *client, guint sample,
                                            const SondeImage *image, const char *spec,
                                            gint64 target, GCancellable *cancellable,
                                            GAsyncReadyCallback callback, gpointer data);
SondeAttributionMap *sonde_study_client_map_of_image_finish (SondeStudyClient *client,
                                                             GAsyncResult *result, GError **error);

/* What another model says of the same samples, with the same settings of pictures and labels.
 * finish: as of predict */
void sonde_study_client_compare_async (SondeStudyClient *client, const char *model,
                                       GCancellable *cancellable, GAsyncReadyCallback callback,
                                       gpointer data);
GPtrArray *sonde_study_client_compare_finish (SondeStudyClient *client, GAsyncResult *result,
                                              GError **error);

/* Methods by metrics on the first @max_samples errors (all samples where there are fewer errors
 * than 8), target: the predicted class.
 * @specs: (array zero-terminated=1); @metrics: "all", or names between commas. finish: (transfer
 * full) (element-type SondeStudyScore) */
void sonde_study_client_scores_async (SondeStudyClient *client, const char *const *specs,
                                      const char *metrics, guint max_samples,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer data);
GPtrArray *sonde_study_client_scores_finish (SondeStudyClient *client, GAsyncResult *result,
                                             GError **error);

/* Cases whose answer is known, computed now by the child; nothing need be open. finish: (transfer
 * full) (element-type SondeStudyCheck) */
void sonde_study_client_self_test_async (SondeStudyClient *client, GCancellable *cancellable,
                                         GAsyncReadyCallback callback, gpointer data);
GPtrArray *sonde_study_client_self_test_finish (SondeStudyClient *client, GAsyncResult *result,
                                                GError **error);

/* @path: .html or .pdf, absolute. @specs: (array zero-terminated=1) (nullable): methods of its
 * maps; NULL: saliency, or occlusion for a model without gradients */
void sonde_study_client_report_async (SondeStudyClient *client, const char *path,
                                      const char *const *specs, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data);
gboolean sonde_study_client_report_finish (SondeStudyClient *client, GAsyncResult *result,
                                           GError **error);

G_END_DECLS
