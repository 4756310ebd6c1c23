/* SPDX-License-Identifier: Apache-2.0
 * The runner's members, for its four files. */
#pragma once

#include <stdatomic.h>

#include "engine/commands/sonde-command-class.h"

G_BEGIN_DECLS

/**
 * SondeCommandRunner:
 * @events: (nullable): with EVENTS_SIGNALLED: copies of SondeSessionEvent for the command's thread
 * @waiting: a command waits for the engine
 * @over: no command can follow
 * @failed: the run or the engine failed
 * @listed: last line that `list` showed, 0: begin at the current one
 * @displays: (element-type utf8): shown at every stop, NULL where one was removed
 * @queue: (element-type GTask): asynchronous commands that have not begun
 * @running: one of them runs; main context only
 * @told_ns: when progress was told last; monotonic
 * @program: (nullable): NULL is this one
 * @lock: of @helper: (nullable): an engine that works for the command that runs
 * @interrupted: the command that runs is to come back
 */
struct _SondeCommandRunner
{
  GObject parent_instance;

  SondeSessionClient *client;
  GAsyncQueue *events;
  SondeCommandObserver observer;
  gpointer observer_data;
  gint64 told_ns;
  _Atomic gboolean waiting, over, failed;
  guint listed;
  GPtrArray *displays;
  GQueue queue;
  gboolean running;
  char *program;
  GMutex lock;
  SondeSessionClient *helper;
  _Atomic gboolean interrupted;
};

/* To the observer. @stop: (nullable) */
void sonde_command_runner_tell (SondeCommandRunner *self, const SondeSessionEvent *event,
                                const SondeCommandResult *stop);
/* The session is gone: no command can follow, and it failed. */
void sonde_command_runner_set_lost (SondeCommandRunner *self);
/* Drops what has come since the last command. */
void sonde_command_runner_forget_events (SondeCommandRunner *self);

G_END_DECLS
