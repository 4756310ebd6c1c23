/* SPDX-License-Identifier: Apache-2.0
 * Runs debugger commands on a session, one after the other, and keeps what a front end needs
 * between them: displays, the place of the listing. A program without a main loop calls
 * sonde_command_runner_run(); a window or a server with one calls sonde_command_runner_run_async().
 * Several runners may share a client. */
#pragma once

#include <gio/gio.h>

#include "engine/commands/sonde-command-result.h"

G_BEGIN_DECLS

#define SONDE_TYPE_COMMAND_RUNNER (sonde_command_runner_get_type ())
G_DECLARE_FINAL_TYPE (SondeCommandRunner, sonde_command_runner, SONDE, COMMAND_RUNNER, GObject)

/* Where a command that waits for a stop gets the events of the session from. */
typedef enum
{
  /* it takes them itself (sonde_session_client_wait_event()); nobody else may */
  SONDE_COMMAND_EVENTS_TAKEN,
  /* from the client's signals: the main context, on which the client was made, runs */
  SONDE_COMMAND_EVENTS_SIGNALLED,
} SondeCommandEvents;

SondeCommandRunner *sonde_command_runner_new (SondeSessionClient *client,
                                              SondeCommandEvents events);

/**
 * SondeCommandObserver:
 * @event: messages of log points, the engine's own lines (LOG without a node), SILENT and ANSWERS, the PROGRESS
 *   of a comparison with another program;
 *   and with sonde_command_runner_report_events() other events
 * @stop: (nullable): with STOPPED and ENDED that no command waited for: the result
 *
 * What happens while a command runs; called on the thread that runs it. With EVENTS_SIGNALLED the
 * front end sees the same events in the client's signals and needs no observer.
 */
typedef void (*SondeCommandObserver) (const SondeSessionEvent *event,
                                      const SondeCommandResult *stop, gpointer data);
void sonde_command_runner_set_observer (SondeCommandRunner *runner, SondeCommandObserver observer,
                                        gpointer data);

/**
 * sonde_command_runner_run:
 * Blocks until the command is answered; one that resumes until the next stop or end.
 * Errors: of the session. Returns: (transfer full)
 */
SondeCommandResult *sonde_command_runner_run (SondeCommandRunner *runner,
                                              const SondeCommand *command, GError **error);

/**
 * sonde_command_runner_run_async:
 * @command: (transfer full)
 * @cancellable: (nullable): a command that has not begun comes back with G_IO_ERROR_CANCELLED; one
 *   that waits or searches is interrupted, as by sonde_command_runner_interrupt()
 *
 * Commands run in the order in which they were given; @callback comes on the main context that is
 * the thread default of the caller. Progress of a search comes as events of the client.
 */
void sonde_command_runner_run_async (SondeCommandRunner *runner, SondeCommand *command,
                                     GCancellable *cancellable, GAsyncReadyCallback callback,
                                     gpointer data);
SondeCommandResult *sonde_command_runner_run_finish (SondeCommandRunner *runner,
                                                     GAsyncResult *result, GError **error);
/* Which command @result, of sonde_command_runner_run_async(), is of; valid in the callback. */
const SondeCommand *sonde_command_runner_get_command (GAsyncResult *result);

/* The program whose engines work for a session that has none of ours (`diverge` of a step in PyTorch);
 * this one unless another is set. */
void sonde_command_runner_set_program (SondeCommandRunner *runner, const char *program);

gboolean sonde_command_runner_is_busy (SondeCommandRunner *runner); /* a command runs or waits */
/* Any thread: if a command waits for a stop or searches, the run is paused or the search ended, so
 * that the command comes back. */
void sonde_command_runner_interrupt (SondeCommandRunner *runner);
/* The same without blocking the caller, for a main loop. */
void sonde_command_runner_interrupt_async (SondeCommandRunner *runner);
/* The session is over or was left: commands that have not begun come back with CANCELLED. */
void sonde_command_runner_close (SondeCommandRunner *runner);

/* No command can follow: after quit, detach, or when the engine is gone. */
gboolean sonde_command_runner_is_over (SondeCommandRunner *runner);
/* The run or the engine failed. */
gboolean sonde_command_runner_has_failed (SondeCommandRunner *runner);

/* Passes what has happened since the last command to the observer; EVENTS_TAKEN only. */
void sonde_command_runner_report_events (SondeCommandRunner *runner);

/* Sets breakpoints and watches that came with what was opened. @stops: (nullable) (element-type
 * SondeCaptureStop) */
void sonde_command_runner_restore_stops (SondeCommandRunner *runner, const GPtrArray *stops);

/* Ends a session that was launched, leaves one that was attached. Errors: STATE when the engine
 * failed to end well. */
gboolean sonde_command_runner_leave (SondeCommandRunner *runner, GError **error);

/**
 * sonde_command_runner_complete:
 * Names that @text, the end of @line, may be the beginning of: commands, then values.
 * Returns: (transfer full) (array zero-terminated=1)
 */
char **sonde_command_runner_complete (SondeCommandRunner *runner, const char *line,
                                      const char *text);
/* The same for the last word of @line, behind the commands that wait. */
void sonde_command_runner_complete_async (SondeCommandRunner *runner, const char *line,
                                          GAsyncReadyCallback callback, gpointer data);
char **sonde_command_runner_complete_finish (SondeCommandRunner *runner, GAsyncResult *result,
                                             GError **error);

G_END_DECLS
