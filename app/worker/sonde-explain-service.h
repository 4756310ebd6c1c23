/* SPDX-License-Identifier: Apache-2.0
 * Sessions in the engine child: calls of a session by name, "session.open" and so on. Arguments and
 * results are the variants of explain/session/sonde-explain-variant.h; docs/session-protocol.md lists
 * them. */
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
