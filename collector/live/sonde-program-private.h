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
  SondeProgramOffers offers;
  SondeOrigin *origin;       /* (nullable): that a hook fills */
  SondeLiveProfile *profile; /* (nullable): likewise */
  GStrvBuilder *sharing;     /* (nullable): likewise */
  void *data;
  pthread_mutex_t lock;
  SondeSessionServer *server;
  SondeLiveLoop *loop;
  GPtrArray *nodes;
  _Atomic unsigned char *flags;
  guint64 arming;
  guint64 step;
  char *problem;
  GArray *listed_nodes; /* (element-type guint32) */
  GPtrArray *listed;    /* (element-type SondeValueInfo) or SondeFrame */
};

/* Sets @error to what the hook said that answered @answer about @name. */
void sonde_live_program_take_problem (SondeProgram *program, int answer, const char *name,
                                      GError **error);

/* ---- sonde-program-offers.c: of what the program offered ------------------ */

gboolean sonde_live_program_check_into (gpointer program, const char *node, GError **error);
gboolean sonde_live_program_go_back (gpointer program, const SondeBack *back, GError **error);
SondeOrigin *sonde_live_program_find_origin (gpointer program, const char *value, GError **error);
gboolean sonde_live_program_save_capture (gpointer program, const char *path,
                                          const char *const *values, gboolean batch,
                                          GError **error);

char **sonde_live_program_list_sharing (gpointer program, const char *value);
gboolean sonde_live_program_profile (gpointer program, SondeLiveProfile *profile, GError **error);

/* What a loop asks for, from the hooks; its data is a SondeProgram. */
extern const SondeLiveHooks sonde_live_hooks_of_program;

G_END_DECLS
