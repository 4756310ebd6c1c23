/* SPDX-License-Identifier: Apache-2.0
 * `sonde debug --check EXPR`: runs to a place and evaluates an expression there. */
#pragma once

#include "app/cli/sonde-cli.h"
#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/**
 * sonde_debug_check:
 * @client: something is open in its session, and has not run
 * @at: (nullable): node after which it is looked at, or "step:N"; else after the last node, in
 *   training that of the last step
 *
 * Prints what came out. Returns the exit status: 1 when it holds or something failed (then a
 * message is on stderr), 2 for a text that is no expression.
 */
int sonde_debug_check (const SondeCliCommand *command, SondeSessionClient *client, const char *text,
                       const char *at, gboolean json);

G_END_DECLS
