/* SPDX-License-Identifier: Apache-2.0
 * What is known of a session before anybody attaches to it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeSessionEntry: one session that listens
 * @pid: of the engine's process
 * @title: what it runs; owned
 * @run: (nullable): folder in which it records, absolute; owned
 * @step: of a training, at most some seconds ago; 0: not known
 * @since: when it began to listen, seconds since 1970; 0: not known
 * @command: (nullable): the words that its process was started with, spaces between; owned
 * @path: (nullable): of its socket; NULL: on another machine; owned
 */
typedef struct
{
  int pid;
  char *title;
  char *run;
  guint64 step;
  gint64 since;
  char *command;
  char *path;
} SondeSessionEntry;

void sonde_session_entry_free (SondeSessionEntry *entry);

/* As one line without its end, for another machine: process, title, step, since and command with tabs
 * between; what is missing is empty or 0. (transfer full) */
char *sonde_session_entry_to_line (const SondeSessionEntry *entry);
/* NULL: it is none, as what a shell says at its start. After the title everything may be missing.
 * (transfer full) (nullable) */
SondeSessionEntry *sonde_session_entry_from_line (const char *line);

G_END_DECLS
