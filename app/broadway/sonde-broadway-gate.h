/* SPDX-License-Identifier: Apache-2.0
 * The door to a display in the browser: an HTTP server on the loopback interface that lets in who has its
 * token, and passes everything on to the display server behind it, which asks nobody for anything.
 *
 * The first request is for "/?token=TOKEN"; the answer gives the browser a cookie, which all others
 * need. Without either the answer is 403. What follows on a connection that was let in is not looked at. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _SondeBroadwayGate SondeBroadwayGate;

/**
 * sonde_broadway_gate_new:
 * @port: of 127.0.0.1; 0: a free one
 * @backend: path of the Unix socket where the display server listens
 *
 * Connections are taken by the main context of the calling thread, and served by threads.
 * Errors: G_IO_ERROR_*: the port is taken; there are no random numbers.
 */
SondeBroadwayGate *sonde_broadway_gate_new (guint16 port, const char *backend, GError **error);
void sonde_broadway_gate_free (SondeBroadwayGate *gate); /* NULL is fine; connections end */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeBroadwayGate, sonde_broadway_gate_free)

guint16 sonde_broadway_gate_get_port (SondeBroadwayGate *gate);
/* 32 hexadecimal digits of 128 random bits. */
const char *sonde_broadway_gate_get_token (SondeBroadwayGate *gate);

G_END_DECLS
