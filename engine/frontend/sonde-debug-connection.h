/* SPDX-License-Identifier: Apache-2.0
 * Starting and ending the other side of a session, in threads: these calls block. Main thread
 * only. */
#pragma once

#include "engine/session/client/sonde-session-client.h"

G_BEGIN_DECLS

/**
 * SondeDebugConnecting: what is connected to
 * @program: of a child; owned
 * @target: (nullable): attach to it, as sonde_session_client_attach_target() takes it; NULL: start a
 *   child; owned
 * @request: what the child opens; its strings are owned, its inputs are @inputs
 */
typedef struct
{
  char *program;
  char *target;
  SondeOpenRequest request;
  SondeSessionInput *inputs;
} SondeDebugConnecting;

SondeDebugConnecting *sonde_debug_connecting_new (const SondeOpenRequest *request); /* copied */
void sonde_debug_connecting_free (SondeDebugConnecting *connecting);

/* @connecting: (transfer full): the task's data. The task gives a SondeSessionClient (transfer
 * full). */
void sonde_debug_connect_async (gpointer source, SondeDebugConnecting *connecting,
                                GCancellable *cancellable, GAsyncReadyCallback callback);

/* Lets a child finish; the program stays until then, also without a window. */
void sonde_debug_end_child (SondeSessionClient *client);
/* Whether that process is such a child. */
gboolean sonde_debug_is_ending (int pid);

G_END_DECLS
