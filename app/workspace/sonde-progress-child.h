/* SPDX-License-Identifier: Apache-2.0
 * A command of the program in a child that says on stderr how far it is, as lines {"WORD":DONE,"of":N}. One at a time.
 *
 * Signals: "changed" (): it runs, or how far it is; "done" (char *output): what it wrote to stdout; "failed" (char
 * *sentence). A child that is cancelled says nothing. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define SONDE_TYPE_PROGRESS_CHILD (sonde_progress_child_get_type ())
G_DECLARE_FINAL_TYPE (SondeProgressChild, sonde_progress_child, SONDE, PROGRESS_CHILD, GObject)

/* @program: path of `sonde` */
SondeProgressChild *sonde_progress_child_new (const char *program);

/* @arguments: (array zero-terminated=1): of the program, the command first. Result: "done" or "failed". Nothing
 * happens while one runs. */
void sonde_progress_child_start (SondeProgressChild *child, const char *const *arguments);
/* Killed: a command that is started like this leaves nothing that it would have to save. @gone: (nullable):
 * gets @data once the process is no more, at once when none runs */
void sonde_progress_child_cancel (SondeProgressChild *child, GDestroyNotify gone, gpointer data);
gboolean sonde_progress_child_is_running (SondeProgressChild *child);
/* FALSE: nothing is known yet. */
gboolean sonde_progress_child_get_progress (SondeProgressChild *child, guint *done, guint *n);

G_END_DECLS
