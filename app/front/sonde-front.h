/* SPDX-License-Identifier: Apache-2.0
 * The text debugger on a session client: one command table, which REPL and DAP share. What does not
 * live here: reading lines (sonde-repl.h), the session itself (engine/session). No GTK. */
#pragma once

#include <stdio.h>

#include "app/front/sonde-json-text.h"
#include "engine/session/sonde-session-client.h"

G_BEGIN_DECLS

typedef struct _SondeFront SondeFront;
typedef struct _SondeFrontCommand SondeFrontCommand;

/**
 * SondeFrontOptions: zero-initialise
 * @json: answers are JSON, one object a line; else text for people
 * @output: where answers go; lent
 * @messages: (nullable): where the engine's own lines go (logs, warnings); lent
 * @wait_event: (nullable): in place of sonde_session_client_wait_event(), with @events: for a
 *   program whose main loop takes the client's events
 */
typedef struct
{
  gboolean json;
  FILE *output;
  FILE *messages;
  SondeSessionEvent *(*wait_event) (gpointer events, int timeout_ms);
  gpointer events;
} SondeFrontOptions;

/**
 * SondeFrontAnswer: what a command says
 * @json: an object that is open; filled only with options.json
 * @text: whole lines; filled only without
 */
typedef struct
{
  SondeJsonText json;
  GString *text;
} SondeFrontAnswer;

/**
 * SondeFrontCommand: one row of the table
 * @name: the word
 * @alias: (nullable): its gdb habit, which wins over other abbreviations
 * @arguments: for help, as in "NODE [before|after]"
 * @summary: one sentence for help
 * @run: fills @answer; @arguments: the rest of the line, without spaces around. NULL: not in this
 * version yet
 * @instead: of one without @run: what comes nearest
 */
struct _SondeFrontCommand
{
  const char *name;
  const char *alias;
  const char *arguments;
  const char *summary;
  gboolean (*run) (SondeFront *front, const char *arguments, SondeFrontAnswer *answer,
                   GError **error);
  const char *instead;
};

/* (array length=n) */
const SondeFrontCommand *sonde_front_commands (guint *n);

/**
 * sonde_front_find_command:
 * @word: name, alias, or the beginning of exactly one name
 * Errors: NOT_FOUND with the nearest name, or the names that fit; UNSUPPORTED for one that is not
 * there yet, with what comes nearest.
 */
const SondeFrontCommand *sonde_front_find_command (const char *word, GError **error);

/* @client: a reference is taken */
SondeFront *sonde_front_new (SondeSessionClient *client, const SondeFrontOptions *options);
void sonde_front_free (SondeFront *front);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeFront, sonde_front_free)

/**
 * sonde_front_execute:
 * Does one line and writes its answer. An empty line and one that begins with # do nothing. A
 * command that resumes comes back at the next stop or end. Returns: FALSE when no line is to follow
 * (quit, detach, engine gone).
 */
gboolean sonde_front_execute (SondeFront *front, const char *line);

/* Sets breakpoints and watches that came with what was opened; says nothing. @stops: (nullable)
 * (element-type SondeCaptureStop) */
void sonde_front_restore_stops (SondeFront *front, const GPtrArray *stops);

/* Stops and ends that nobody waited for (another client's doing), written as they are. */
void sonde_front_show_events (SondeFront *front);

/* Any thread: if a command waits for a stop, the run is paused. For Ctrl-C. */
void sonde_front_interrupt (SondeFront *front);

/* Ends a session that was launched, leaves one that was attached; as `quit`. Returns the exit
 * status: 1 when the run or the engine failed. */
int sonde_front_close (SondeFront *front);

/* Names that @text may be the beginning of: commands, then values. (transfer full) (array
 * zero-terminated=1) */
char **sonde_front_complete (SondeFront *front, const char *line, const char *text);

G_END_DECLS
