/* SPDX-License-Identifier: Apache-2.0
 * The state of a session in messages, and the requests that the thread of the socket answers. */
#pragma once

#include "engine/session/codec/sonde-codec.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_STATUS(X) X (STATUS, status, SONDE_GIVES_STATUS)

SondeSessionRequest *sonde_session_request_hello (const char *token, gboolean control);
SondeSessionRequest *sonde_session_request_detach (void);
SondeSessionRequest *sonde_session_request_alive (void);
SondeSessionRequest *sonde_session_request_ping (void);
SondeSessionRequest *sonde_session_request_taken (guint64 bytes);

Sonde__Session__Status *
sonde_codec_write_status (GPtrArray *memory, const SondeSessionStatus *status, gboolean in_control);
/* (transfer full) */
SondeSessionStatus *sonde_codec_read_status (const Sonde__Session__Status *message);

G_END_DECLS
