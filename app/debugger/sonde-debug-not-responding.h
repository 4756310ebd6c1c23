/* SPDX-License-Identifier: Apache-2.0
 * A line below the bar while the engine does not answer: why, what helps, and a way to end it. */
#pragma once

#include "app/debugger/sonde-debug-note.h"
#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_NOT_RESPONDING (sonde_debug_not_responding_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugNotResponding, sonde_debug_not_responding, SONDE,
                      DEBUG_NOT_RESPONDING, SondeDebugNote)

void sonde_debug_not_responding_set_session (SondeDebugNotResponding *bar,
                                             SondeDebugSession *session);

G_END_DECLS
