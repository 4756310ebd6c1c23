/* SPDX-License-Identifier: Apache-2.0
 * Lines of the text debugger, run beside the main loop on the session that the window has open: the
 * console types them. One line runs at a time, others wait. */
#pragma once

#include "engine/session/sonde-session-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_DEBUG_RUNNER (sonde_debug_runner_get_type ())
G_DECLARE_FINAL_TYPE (SondeDebugRunner, sonde_debug_runner, SONDE, DEBUG_RUNNER, GObject)

SondeDebugRunner *sonde_debug_runner_new (SondeSessionClient *client);

/* The client's events, which the main loop has: a line that waits for a stop needs them. */
void sonde_debug_runner_take_event (SondeDebugRunner *runner, const SondeSessionEvent *event);
/* The session is over or was left: lines that wait come back. */
void sonde_debug_runner_close (SondeDebugRunner *runner);

gboolean sonde_debug_runner_is_busy (SondeDebugRunner *runner); /* a line runs or waits */
/* A line that waits for a stop pauses the run, so that it comes back. */
void sonde_debug_runner_interrupt (SondeDebugRunner *runner);

/**
 * sonde_debug_runner_run:
 * Runs @line on a thread; @callback comes on the main context.
 */
void sonde_debug_runner_run (SondeDebugRunner *runner, const char *line,
                             GAsyncReadyCallback callback, gpointer data);
/* Text: all that was said, errors too. (transfer full) */
char *sonde_debug_runner_run_finish (SondeDebugRunner *runner, GAsyncResult *result,
                                     GError **error);
/* Names that the word before the end of @line may become. (transfer full) (array
 * zero-terminated=1) */
void sonde_debug_runner_complete (SondeDebugRunner *runner, const char *line,
                                  GAsyncReadyCallback callback, gpointer data);
char **sonde_debug_runner_complete_finish (SondeDebugRunner *runner, GAsyncResult *result,
                                           GError **error);

G_END_DECLS
