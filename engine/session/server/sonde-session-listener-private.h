/* SPDX-License-Identifier: Apache-2.0
 * The socket that a server listens on, and its token. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

#define SONDE_SESSION_TOKEN_CHARS 64

/**
 * SondeSessionListener: socket and token of a server that listens
 * @fd: -1 when it does not; @token_fd: locked as long as the server lives
 * @accept_after_ns: not before: after wrong tokens
 */
typedef struct
{
  int fd, token_fd, directory_fd;
  char *socket_path, *token_path;
  char token[SONDE_SESSION_TOKEN_CHARS + 1];
  guint failures;
  gint64 accept_after_ns;
} SondeSessionListener;

void sonde_session_listener_init (SondeSessionListener *listener);
gboolean sonde_session_listener_open (SondeSessionListener *listener, const SondeIo *io,
                                      const char *directory, const char *title, GError **error);
void sonde_session_listener_close (SondeSessionListener *listener, const SondeIo *io);
/* In a child after a fork(): closed here, and nothing is removed: it is the parent's. */
void sonde_session_listener_abandon (SondeSessionListener *listener);
/* What is said of the session to who looks for one. @title, @run: (nullable): as the facts have them;
 * @step: 0: none */
void sonde_session_listener_describe (SondeSessionListener *listener, const char *title,
                                      const char *run, guint64 step);
/* A connected descriptor of this very user, or -1. */
int sonde_session_listener_accept (SondeSessionListener *listener);
/* In constant time. */
gboolean sonde_session_listener_check_token (const SondeSessionListener *listener,
                                             const char *token);

G_END_DECLS
