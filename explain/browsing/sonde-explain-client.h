/* SPDX-License-Identifier: Apache-2.0
 * A session of a model on images, computed by an engine child; the main loop never waits.
 * Everything is asked for with sonde_explain_client_ask_async(), on the thread of the default main
 * context. Results come in the order of the calls: one is computed after the other.
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

#include "explain/session/sonde-explain-call.h"

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
 * - "map" (SondeAttributionMap *map): one more of MAPS; lent
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

/**
 * sonde_explain_client_ask_async:
 * @call: any but OPEN and CLOSE; SELF_TEST needs no open session
 * @arguments: (nullable): what the row of @call names; file names of any kind; all copied
 *
 * What is computed:
 * - PREDICT: all samples, in the order of the data, without those whose image cannot be read
 * - TRIAGE: the category of each error, and like errors of a cell together; predicts first where
 *   that was not done
 * - IMAGE: the image as the network sees it, normalisation undone
 * - MAP, MAPS: maps, MAPS of many samples in batches and in the order of the samples, each told by
 *   "map" as it is there
 * - RATE: whether a map can be trusted
 * - NEIGHBOURS: the nearest, nearest first, and the counterexample; of the training data where
 *   there are some (predicted then), else of the data itself. Errors: UNSUPPORTED for a model
 *   without features
 * - COMPARE: what another model predicts of the same samples with the same settings
 * - SCORES: methods by metrics on errors; target: the predicted class
 * - SELF_TEST: cases whose result is known, computed now by the child
 * - REPORT: a .html or .pdf file with maps of the methods
 */
void sonde_explain_client_ask_async (SondeExplainClient *client, SondeExplainCall call,
                                     const SondeExplainArguments *arguments,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer data);
/* (transfer full): what the codec of the row of @call says, to be freed by its function: a
 * SondeAttributionMap for MAP and so on; of REPORT not NULL when it was written. */
gpointer sonde_explain_client_ask_finish (SondeExplainClient *client, GAsyncResult *result,
                                          SondeExplainCall call, GError **error);

G_END_DECLS
