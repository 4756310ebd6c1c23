/* SPDX-License-Identifier: Apache-2.0
 * The Debug Adapter Protocol over two descriptors: editors debug a network as they debug a program.
 * What does not live here: the commands that the editor's console takes (engine/commands), the
 * session (engine/session). docs/debugger.md has the mapping. */
#pragma once

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/**
 * SondeDapOptions: zero-initialise
 * @program: path of `sonde`, to start engines with
 * @open: (nullable): what to open when "launch" names no program; borrowed
 * @attach: (nullable): what to attach to when "attach" names none, as
 *   sonde_session_client_attach_target() takes it; borrowed
 * @input, @output: descriptors of the client; borrowed
 */
typedef struct
{
  const char *program;
  const SondeOpenRequest *open;
  const char *attach;
  int input, output;
} SondeDapOptions;

/**
 * sonde_dap_run:
 * Serves one client until it disconnects or its end is closed; engines that were started end with
 * it.
 * Returns: exit status: 1 when what came was no protocol, or the engine was lost.
 */
int sonde_dap_run (const SondeDapOptions *options);

G_END_DECLS
