/* SPDX-License-Identifier: Apache-2.0
 * Reads lines for the text debugger: from a file, from stdin, from a terminal with editing, history
 * and completion. */
#pragma once

#include <stdio.h>

#include "engine/commands/sonde-command-runner.h"

G_BEGIN_DECLS

typedef struct _SondeRepl SondeRepl;

/**
 * sonde_repl_new:
 * @json: answers are JSON, one object a line; else text for people
 * @output: for answers; borrowed
 * @messages: (nullable): for messages of the engine (logs, warnings); borrowed
 */
SondeRepl *sonde_repl_new (SondeSessionClient *client, gboolean json, FILE *output, FILE *messages);
void sonde_repl_free (SondeRepl *repl);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeRepl, sonde_repl_free)

SondeCommandRunner *sonde_repl_get_runner (SondeRepl *repl); /* (transfer none) */

/**
 * sonde_repl_execute:
 * Runs one line and writes its answer. An empty line and a comment (#) do nothing. A command that
 * resumes returns at the next stop or end. Returns: FALSE when no line is to follow (quit, detach,
 * engine gone).
 */
gboolean sonde_repl_execute (SondeRepl *repl, const char *line);

/**
 * sonde_repl_run_file:
 * @go_on: (out): FALSE after a quit, a detach, or when the engine is gone
 *
 * Lines of a script file. Errors: of the file.
 */
gboolean sonde_repl_run_file (SondeRepl *repl, const char *path, gboolean *go_on, GError **error);

/**
 * sonde_repl_run:
 * Reads stdin to its end, or until quit. A terminal gets a prompt, line editing and history (kept
 * below the user's state directory); an empty line there repeats the last command. Closed stdin is
 * an empty one.
 */
void sonde_repl_run (SondeRepl *repl);

/* Ends a session that was launched, leaves one that was attached; as `quit`. Returns the exit
 * status: 1 when the run or the engine failed. */
int sonde_repl_close (SondeRepl *repl);

/* Ctrl-C pauses the run while a command waits for it, from new to free. */
typedef struct _SondeReplInterrupts SondeReplInterrupts;

/* Before other threads are made: they inherit the blocked signal. */
void sonde_repl_block_interrupts (void);
SondeReplInterrupts *sonde_repl_interrupts_new (SondeRepl *repl);
void sonde_repl_interrupts_free (SondeReplInterrupts *interrupts);

G_END_DECLS
