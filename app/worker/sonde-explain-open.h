/* SPDX-License-Identifier: Apache-2.0
 * Opens sessions as a person names them: a model file with images, or the folder of a run. */
#pragma once

#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

/**
 * sonde_explain_session_open_settings:
 * @program: path of `sonde`; @cache: (nullable): folder of all sessions; @listener: (nullable)
 *
 * As sonde_explain_session_open(), and settings->model may be a run folder: its final model, and where
 * settings->data is NULL the test part of its own data.
 */
SondeExplainSession *sonde_explain_session_open_settings (const SondeExplanationSettings *settings,
                                                          const char *program, const char *cache,
                                                          const SondeExplainListener *listener,
                                                          gboolean measure, GError **error);

G_END_DECLS
