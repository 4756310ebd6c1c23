/* SPDX-License-Identifier: Apache-2.0
 * Predictions of a session's samples and of its training samples, for the files that explain them. */
#pragma once

#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

#define SONDE_EXPLAIN_CHUNK 256u /* predictions of a file of the cache */

/* The prediction of a sample; classifies that one where nothing is classified yet (then owned by
 * @own). Errors: NOT_FOUND for a sample that the data do not have or that cannot be read. */
const SondeSampleResult *sonde_explain_session_find_prediction (SondeExplainSession *session,
                                                                guint sample, GPtrArray **own,
                                                                GError **error);
/* Errors: INVALID for a class that the model does not have. */
gboolean sonde_explain_session_check_target (SondeExplainSession *session, gint64 target,
                                             GError **error);
/* float32 [n, C, H, W]. Errors: NOT_FOUND */
SondeTensor *sonde_explain_session_load (SondeExplainSession *session, const guint *samples,
                                         guint n, GError **error);
/* Classifies with a cache. (transfer full) @prefix: of the keys */
GPtrArray *sonde_explain_session_classify_part (SondeExplainSession *session,
                                                SondeExplainer *explainer, SondeDataset *dataset,
                                                const guint *samples, guint n, const char *prefix,
                                                gboolean tell, GError **error);

/* Samples of the training data, classified; NULL with @error NOT_FOUND when none were named.
 * (transfer none) */
GPtrArray *sonde_explain_session_get_training (SondeExplainSession *session, GError **error);
/* The data they are of. Errors: the same. (transfer none) */
SondeDataset *sonde_explain_session_get_training_data (SondeExplainSession *session,
                                                       GError **error);
/* What reasons depend on beside the session itself: the training data, and the labels given.
 * (transfer full) */
char *sonde_explain_session_hash_labels (SondeExplainSession *session);

G_END_DECLS
