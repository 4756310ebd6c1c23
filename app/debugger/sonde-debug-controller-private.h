/* SPDX-License-Identifier: Apache-2.0
 * Inside of the controller; for its files. */
#pragma once

#include "app/debugger/sonde-debug-controller.h"

G_BEGIN_DECLS

struct _SondeDebugController
{
  GObject parent_instance;

  char *program;
  SondeSessionClient *client;
  GCancellable *cancellable; /* of everything asked of this client */
  SondeSessionStatus *status;
  SondeGraph *graph;
  GPtrArray *steps, *breakpoints, *watches, *hits, *values, *branches;
  char *listing;
  guint *lines;
  guint n_lines;
  char *silence; /* (nullable): it does not answer */
  char *at;      /* (nullable): where to stop once loaded */
  guint breakpoints_serial;
  guint focus;
  SondeCommandRunner *console; /* (nullable) */
  guint n_asked;               /* requests under way */
  guint n_facts;               /* of graph, steps, listing: how many are there */
  gboolean is_loaded;          /* they all have been there */
  gboolean going;              /* on the way to @at: a stop or the end will come */
};

/* What becomes of an answer. */
typedef void (*SondeDebugTake) (SondeDebugController *self, SondeSessionReply *reply);

/* @take: (nullable); @goes: it makes the run go on. Failures are reported. */
void sonde_debug_controller_ask (SondeDebugController *self, SondeSessionRequest *request,
                                 SondeDebugTake take, gboolean goes);
void sonde_debug_controller_answered (SondeDebugController *self);
void sonde_debug_controller_take_breakpoints (SondeDebugController *self, SondeSessionReply *reply);
void sonde_debug_controller_take_hits (SondeDebugController *self, SondeSessionReply *reply);
void sonde_debug_controller_take_status (SondeDebugController *self, SondeSessionReply *reply);

G_END_DECLS
