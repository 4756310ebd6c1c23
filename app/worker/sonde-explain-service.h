/* SPDX-License-Identifier: Apache-2.0
 * Explanation sessions in the engine child: the calls of explain/session/sonde-explain-call.h. Names,
 * arguments and results: docs/explain.md. What does not live here: how they cross (engine/session). */
#pragma once

#include "engine/session/server/sonde-session-host.h"

G_BEGIN_DECLS

typedef struct _SondeExplainService SondeExplainService;

/* @program: path of `sonde`, which decodes images */
SondeExplainService *sonde_explain_service_new (const char *program);
void sonde_explain_service_free (SondeExplainService *service);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeExplainService, sonde_explain_service_free)

/* As the entry of SondeSessionHost. Errors: NOT_FOUND naming the calls there are; INVALID naming
 * the argument; STATE when nothing is open, or it was cancelled. */
gboolean sonde_explain_service_call (SondeExplainService *service, SondeSessionCall *call,
                                     GVariant **result, GPtrArray **tensors, GError **error);

G_END_DECLS
