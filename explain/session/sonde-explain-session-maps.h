/* SPDX-License-Identifier: Apache-2.0
 * Maps of a session's samples and of edited images, for the files that rate and score them. */
#pragma once

#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

/* float32 [1, C, H, W] of an edited image. */
SondeTensor *sonde_explain_session_load_image (SondeExplainSession *session, guint sample,
                                               const SondeImage *image, GError **error);
/* One map by @explainer, which may be another one than the session's. @target, @other: see
 * SondeAttributionMap. */
gboolean sonde_explain_session_attribute (SondeExplainSession *session, SondeExplainer *explainer,
                                          const SondeAttributionSpec *spec, guint sample,
                                          gint64 target, gint64 other, SondeTensor *inputs,
                                          SondeAttributionResult *result, GError **error);
/* Does a parameter name a file? Files may change behind the name: what reads one is computed again
 * each time. */
gboolean sonde_explain_session_reads_file (const SondeAttributionSpec *spec);

G_END_DECLS
