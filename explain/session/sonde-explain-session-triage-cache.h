/* SPDX-License-Identifier: Apache-2.0
 * Reasons in the cache: all that was measured of the samples. */
#pragma once

#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

/* As the cache has them, of predictions with their labels as given, which get their categories. With a
 * cache only. (transfer full) (nullable) */
SondeTriage *sonde_explain_session_load_triage (SondeExplainSession *session,
                                                GPtrArray *predictions, GPtrArray *training);
void sonde_explain_session_store_triage (SondeExplainSession *session, GPtrArray *predictions,
                                         const SondeTriage *triage);

G_END_DECLS
