/* SPDX-License-Identifier: Apache-2.0
 * Calls of the program's own in messages: arguments, results and parts of results. Both ends use
 * this; whatever arrives is checked. */
#pragma once

#include "engine/session/codec/sonde-codec-tensor.h"

G_BEGIN_DECLS

#define SONDE_SESSION_REQUESTS_CALL(X) X (CALL, call, SONDE_NEEDS_CONTROL)

SondeSessionRequest *sonde_session_request_cancel (guint32 id);

/* @message: filled. @variant: floating is taken. @memory: gets what it points to. Errors: MEMORY for
 * more than @limit bytes */
gboolean sonde_codec_write_call (GVariant *variant, GPtrArray *tensors, guint64 limit,
                                 GPtrArray *memory, Sonde__Session__CallResult *message,
                                 GError **error);
/* @what: for the error. @result: a{sv}. Errors: PROTOCOL */
gboolean sonde_codec_read_call (const Sonde__Session__CallResult *message, const char *what,
                                GVariant **result, GPtrArray **tensors, GError **error);

G_END_DECLS
