/* SPDX-License-Identifier: Apache-2.0
 * Studies in the engine child: calls of a session by name, "study.open" and so on. Arguments and
 * results are the variants of explain/study/sonde-study-variant.h; docs/session-protocol.md lists
 * them. */
#pragma once

#include "engine/session/sonde-session-host.h"

G_BEGIN_DECLS

typedef struct _SondeStudyService SondeStudyService;

/* @program: path of `sonde`, which decodes pictures */
SondeStudyService *sonde_study_service_new (const char *program);
void sonde_study_service_free (SondeStudyService *service);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudyService, sonde_study_service_free)

/* As the entry of SondeSessionHost. Errors: NOT_FOUND naming the calls there are; INVALID naming
 * the argument; STATE when nothing is open, or it was cancelled. */
gboolean sonde_study_service_call (SondeStudyService *service, SondeSessionCall *call,
                                   GVariant **result, GPtrArray **tensors, GError **error);

G_END_DECLS
