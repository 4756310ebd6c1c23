/* SPDX-License-Identifier: Apache-2.0
 * Bytes <-> messages of the protocol. Everything that arrives is checked.
 * Shared by server and client; the generated types stay in this folder. */
#pragma once

#include <glib.h>

#include "data/wire/sonde-wire-decode.h"
#include "engine/session/sonde-session.pb-c.h"
#include "engine/ops/sonde-engine-error.h"

G_BEGIN_DECLS

#define SONDE_SESSION_VERSION 2
#define SONDE_SESSION_PREAMBLE_BYTES 8
#define SONDE_SESSION_LENGTH_BYTES 4
#define SONDE_SESSION_INSIDE_BYTES ((gsize) 64 << 10) /* more data than this goes into a memfd */
#define SONDE_SESSION_MESSAGE_BYTES ((gsize) 4 << 20) /* a larger message goes into a memfd whole */
#define SONDE_SESSION_ELSEWHERE_BYTES ((guint64) 1 << 30) /* largest message or data in a memfd */

/* "SONDE", 0, version, newline: what both ends send first. */
extern const guint8 sonde_session_preamble[SONDE_SESSION_PREAMBLE_BYTES];

/* A frame: length and packed message. Returns: (transfer full) */
GBytes *sonde_session_pack (const ProtobufCMessage *message);

/**
 * sonde_session_unpack:
 * @descriptor: of the message that is expected
 * @what: for the error, as "request"
 * Returns: (transfer full): free with sonde_wire_free()
 * Errors: PROTOCOL.
 */
void *sonde_session_unpack (const ProtobufCMessageDescriptor *descriptor, const guint8 *data,
                            gsize length, const char *what, GError **error);

/* A sealed memfd with a copy of @data; its size cannot change any more. Returns: -1 with @error. */
int sonde_session_make_memfd (const void *data, gsize length, GError **error);
/* Maps (privately, writable) what sonde_session_make_memfd() made; refuses what can still shrink.
 * @fd stays open. Free with munmap(). Errors: PROTOCOL. */
void *sonde_session_map_memfd (int fd, guint64 bytes, GError **error);

G_END_DECLS
