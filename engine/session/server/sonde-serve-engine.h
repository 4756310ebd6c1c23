/* SPDX-License-Identifier: Apache-2.0
 * The engine behind a server: all requests, and its debugger as what is debugged. */
#pragma once

#include "engine/session/server/sonde-serve.h"

G_BEGIN_DECLS

extern const SondeSessionService sonde_session_engine;

/* The server's debugger; freed with g_free(). (transfer full) */
SondeLiveTarget *sonde_session_engine_target_new (SondeSessionServer *server);

G_END_DECLS
