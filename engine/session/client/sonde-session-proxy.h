/* SPDX-License-Identifier: Apache-2.0
 * A session of this machine for a client on another: what comes by one descriptor goes to the
 * session's socket, what the session says goes out by another. `sonde debug --attach PID --proxy`. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_session_proxy_run:
 * @directory: (nullable): instead of sonde_session_dup_directory()
 * @input, @output: pipes or sockets to the client; borrowed
 *
 * The token is read here, and put into the client's hello; it goes nowhere else. Data that come as
 * descriptors go on as bytes (sonde-session-carried.h). Returns when either end is gone.
 * Errors: those of attaching, before a byte goes out; PROTOCOL.
 */
gboolean sonde_session_proxy_run (int pid, const char *directory, int input, int output,
                                  GError **error);

G_END_DECLS
