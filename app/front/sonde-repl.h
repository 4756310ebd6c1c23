/* SPDX-License-Identifier: Apache-2.0
 * Reads lines for the text debugger: from a file, from stdin, from a terminal with editing, history
 * and completion. */
#pragma once

#include "app/front/sonde-front.h"

G_BEGIN_DECLS

/**
 * sonde_repl_run_file:
 * @go_on: (out): FALSE after a quit, a detach, or when the engine is gone
 *
 * Lines of a script file. Errors: of the file.
 */
gboolean sonde_repl_run_file (SondeFront *front, const char *path, gboolean *go_on, GError **error);

/**
 * sonde_repl_run:
 * Reads stdin to its end, or until quit. A terminal gets a prompt, line editing and history (kept
 * below the user's state directory); an empty line there repeats the last command. Closed stdin is
 * an empty one.
 */
void sonde_repl_run (SondeFront *front);

/* Ctrl-C pauses the run while a command waits for it, from new to free. */
typedef struct _SondeReplInterrupts SondeReplInterrupts;

/* Before other threads are made: they inherit the blocked signal. */
void sonde_repl_block_interrupts (void);
SondeReplInterrupts *sonde_repl_interrupts_new (SondeFront *front);
void sonde_repl_interrupts_free (SondeReplInterrupts *interrupts);

G_END_DECLS
