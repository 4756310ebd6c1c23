/* SPDX-License-Identifier: Apache-2.0
 * The sessions that can be attached to, on this machine or another, and what is said of each. */
#pragma once

#include <gio/gio.h>

#include "engine/session/sonde-session-entry.h"

G_BEGIN_DECLS

/**
 * sonde_debug_sessions_find_async:
 * @host: (nullable): another machine, as sonde_session_target_parse() gives it; NULL: this one
 *
 * In a thread: another machine is asked by ssh, which may take its time. A cancelled search gives nothing.
 */
void sonde_debug_sessions_find_async (const char *host, GCancellable *cancellable,
                                      GAsyncReadyCallback callback, gpointer data);
/* By process; children of this program that are ending are left out. Errors: as of
 * sonde_session_list() and sonde_session_list_of_host(). Returns: (transfer full) (element-type
 * SondeSessionEntry) */
GPtrArray *sonde_debug_sessions_find_finish (GAsyncResult *result, GError **error);

/* "Process 12 · step 340 · since 14:03 · python3 train.py": as much of it as is known.
 * (transfer full) */
char *sonde_debug_sessions_describe (const SondeSessionEntry *entry);

G_END_DECLS
