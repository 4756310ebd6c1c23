/* SPDX-License-Identifier: Apache-2.0
 * What is attached to, in words: "PID" on this machine, "ssh:HOST" or "ssh:HOST:PID" on another. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeSessionTarget:
 * @host: (nullable): as ssh takes it, "user@machine" too; NULL: this machine; owned
 * @pid: 0: none is named
 */
typedef struct
{
  char *host;
  int pid;
} SondeSessionTarget;

/* Errors: INVALID, naming @text: neither, or a host that could be an option or a word of a shell. */
gboolean sonde_session_target_parse (const char *text, SondeSessionTarget *target, GError **error);
void sonde_session_target_clear (SondeSessionTarget *target);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeSessionTarget, sonde_session_target_clear)

G_END_DECLS
