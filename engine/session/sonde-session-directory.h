/* SPDX-License-Identifier: Apache-2.0
 * Where sessions listen, which ones there are, and the environment an engine child is started
 * in. */
#pragma once

#include "data/base/sonde-io.h"
#include "engine/session/sonde-session-entry.h"

G_BEGIN_DECLS

/* XDG_RUNTIME_DIR/sonde, else sonde/sessions below the user's cache, else, where that cannot be
 * written (a container, a service), sonde-UID below the folder for temporary files.
 * Returns: (transfer full) */
char *sonde_session_dup_directory (void);

/**
 * sonde_session_list:
 * @directory: (nullable): instead of sonde_session_dup_directory()
 *
 * Sockets and tokens that a dead process left behind are removed on the way. A directory that is
 * not there is an empty list. Returns: (transfer container) (element-type SondeSessionEntry): by
 * pid, with a free function set. Errors: IO, FORBIDDEN.
 */
GPtrArray *sonde_session_list (const SondeIo *io, const char *directory, GError **error);

/* Connects to a socket of the directory. @token: (out) (transfer full): what stands beside it.
 * Returns: -1 with @error */
int sonde_session_open_socket (const char *path, char **token, GError **error);
/* The same by the process. Errors: also NOT_FOUND: it is gone, another user's, or has none; then naming the
 * sessions there are. */
int sonde_session_open_pid (int pid, const char *directory, char **token, GError **error);

/**
 * sonde_session_dup_environment:
 * @environment: (array zero-terminated=1): as of g_get_environ()
 * @threads: 0: as many as the affinity mask allows
 *
 * libgomp reads its variables when it is loaded, so they must be there before the program that
 * computes starts: GOMP_SPINCOUNT (short, so that a busy neighbour does not stall the pool),
 * OMP_NUM_THREADS, and OMP_PROC_BIND when there are two threads or more (libgomp then binds inside
 * the inherited mask, which is also kept in SONDE_AFFINITY for threads that do not compute, see
 * data/base/sonde-affinity.h). What the user set stays as it is.
 * Returns: (transfer full) (array zero-terminated=1)
 */
char **sonde_session_dup_environment (char **environment, int threads);

G_END_DECLS
