/* SPDX-License-Identifier: Apache-2.0
 * Inside of libsonde-live: shared by its files. */
#pragma once

#include <pthread.h>

#include "collector/live/sonde-program.h"
#include "engine/session/server/sonde-session-live.h"

G_BEGIN_DECLS

/* A node that was added; everything is owned. @looks: (nullable) (element-type SondeLiveLook): by output,
 * where its flag is set. */
typedef struct
{
  SondeLiveNode live;
  char **functions, **inputs, **outputs, **types;
  GPtrArray *looks;
} ProgramNode;

/**
 * SondeProgram:
 * @lock: one thread is inside; recursive, as hooks may come back
 * @nodes: (element-type ProgramNode): by number, NULL at 0
 * @flags: by number; see sonde_program_get_flags()
 * @arming: for which they hold
 * @problem: (nullable): what a hook said last
 * @listed: (nullable): what the hook that runs fills
 */
struct _SondeProgram
{
  SondeProgramHooks hooks;
  void *data;
  pthread_mutex_t lock;
  SondeSessionServer *server;
  SondeLiveLoop *loop;
  GPtrArray *nodes;
  _Atomic unsigned char *flags;
  guint64 arming;
  char *problem;
  GArray *listed_nodes; /* (element-type guint32) */
  GPtrArray *listed;    /* (element-type SondeValueInfo) or SondeFrame */
};

/* What a loop asks for, from the hooks; its data is a SondeProgram. */
extern const SondeLiveHooks sonde_live_hooks_of_program;

G_END_DECLS
