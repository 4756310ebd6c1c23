/* SPDX-License-Identifier: Apache-2.0
 * What the files that compute an answer of a session need of it: its parts, and how far it is. All
 * lent. What does not live here: the answers (sonde-explain-session.h). */
#pragma once

#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

const SondeExplanationSettings *sonde_explain_session_get_settings (SondeExplainSession *session);
const SondeSplitPart *sonde_explain_session_get_split (SondeExplainSession *session);
SondeExplainCache *sonde_explain_session_get_cache (SondeExplainSession *session); /* (nullable) */
/* (nullable): what the run of the model was trained with */
const SondePreprocessing *sonde_explain_session_get_recorded (SondeExplainSession *session);
/* (nullable): nothing was tried yet */
const SondePreprocessingTrial *sonde_explain_session_get_trial (SondeExplainSession *session);
/* Once; @trial: (transfer full) */
void sonde_explain_session_take_trial (SondeExplainSession *session,
                                       SondePreprocessingTrial *trial);

/* Something long begins: @already of it was there before. @what is a literal. */
void sonde_explain_session_begin (SondeExplainSession *session, const char *what, guint64 already);
/* How far it is; FALSE with @error: stop. */
gboolean sonde_explain_session_tick (SondeExplainSession *session, guint64 done, guint64 total,
                                     GError **error);
/* The same as a SondeExplainProgress; @data: the session */
gboolean sonde_explain_session_progress (guint done, guint total, gpointer data, GError **error);
/* One more map that was asked for. */
void sonde_explain_session_tell_map (SondeExplainSession *session, const SondeAttributionMap *map);

G_END_DECLS
