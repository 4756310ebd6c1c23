/* SPDX-License-Identifier: Apache-2.0
 * Sockets by path, and the directory that holds them: both ends of a session use this. A path that
 * is longer than a socket address holds is reached through the directory's descriptor. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/* An own directory of mode 0700, or an error. Returns: its descriptor (O_PATH) */
int sonde_session_open_directory (const SondeIo *io, const char *path, gboolean make,
                                  GError **error);
/* A socket that listens on @path (mode 0600), which lies in @directory_fd. Returns: -1 with @error */
int sonde_session_listen_path (const SondeIo *io, const char *path, int directory_fd, int backlog,
                               GError **error);
/* Connects to a socket below a directory. Returns: -1 with @error */
int sonde_session_connect_path (const char *path, GError **error);

G_END_DECLS
