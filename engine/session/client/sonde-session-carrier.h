/* SPDX-License-Identifier: Apache-2.0
 * ssh, which carries a session of another machine: `sonde debug --attach PID --proxy` runs there and
 * is spoken to by its stdin and stdout. No port is opened for it. */
#pragma once

#include "data/base/sonde-message.h"

G_BEGIN_DECLS

/**
 * SondeSessionCarrier:
 * @pid: of ssh; 0 when its end was seen
 * @host: where it goes to; owned
 * @fd: (owned) what it says and hears; a socket, -1 when somebody took it
 * @errors: (private): what it wrote to stderr
 */
typedef struct
{
  int pid;
  char *host;
  int fd;
  int errors;
} SondeSessionCarrier;

/**
 * sonde_session_carrier_new:
 * @host: checked by sonde_session_target_parse()
 * @pid: of the session there; 0: to list them
 * The `ssh` that PATH finds; where it asks for a password it asks on the terminal, or as SSH_ASKPASS
 * says. Returns: (transfer full). Errors: G_SPAWN_ERROR.
 */
SondeSessionCarrier *sonde_session_carrier_new (const char *host, int pid, GError **error);
/* Its end is not waited for; @carrier: (nullable) */
void sonde_session_carrier_free (SondeSessionCarrier *carrier);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeSessionCarrier, sonde_session_carrier_free)

/* Waits for the first byte, as long as somebody may need for a password. FALSE with @error, as
 * below, when it ends before that. */
gboolean sonde_session_carrier_wait (SondeSessionCarrier *carrier, GError **error);

/* All that it says until its end. (transfer full) */
char *sonde_session_carrier_read_all (SondeSessionCarrier *carrier, GError **error);

/* It should be over: waits for it, shortly. Why it is, in words, with what it said last; NULL when it
 * ended well, or because we did not listen any longer. (transfer full) (nullable) */
SondeMessage *sonde_session_carrier_end (SondeSessionCarrier *carrier);

G_END_DECLS
