/* SPDX-License-Identifier: Apache-2.0
 * Inside of the session; for its files. */
#pragma once

#include "engine/frontend/sonde-debug-pace.h"
#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

struct _SondeDebugSession
{
  GObject parent_instance;

  char *program;
  SondeGraphParser parse;
  SondeSessionClient *client;
  GCancellable *cancellable; /* of everything asked of this client */
  SondeSessionStatus *status;
  SondeDebugPace pace;
  gint64 progress_us; /* when "changed" told of progress last, monotonic */
  SondeGraph *graph;
  SondeDebugSteps *steps;
  GPtrArray *breakpoints, *watches, *hits, *values, *branches;
  SondeDebugFindings findings;
  char *listing;
  char *silence; /* (nullable): it does not answer */
  char *at;      /* (nullable): where to stop once loaded */
  guint breakpoints_serial;
  guint focus;
  SondeCommandRunner *console; /* (nullable) */
  guint n_asked;               /* requests under way */
  guint shown_listing;         /* SondeStop.listing of what was asked for */
  guint n_facts;               /* of graph, steps, listing: how many are there */
  gboolean is_loaded;          /* they all have been there */
  gboolean going;              /* on the way to @at: a stop or the end will come */
};

/* ---- sonde-debug-session-ask.c ------------------------------------------- */

/* What becomes of an answer. */
typedef void (*SondeDebugTake) (SondeDebugSession *self, SondeSessionReply *reply);

/* @take: (nullable); @goes: it makes the run go on. Failures are reported. */
void sonde_debug_session_ask (SondeDebugSession *self, SondeSessionRequest *request,
                              SondeDebugTake take, gboolean goes);
/* One request less is under way: "idle" after the last. */
void sonde_debug_session_answered (SondeDebugSession *self);

/* ---- sonde-debug-session-content.c --------------------------------------- */

/* @status: (transfer full): another one; what follows from it is asked for. */
void sonde_debug_session_set_status (SondeDebugSession *self, SondeSessionStatus *status);
void sonde_debug_session_ask_hits (SondeDebugSession *self);
/* What replies carry becomes the session's. */
void sonde_debug_session_take_breakpoints (SondeDebugSession *self, SondeSessionReply *reply);
void sonde_debug_session_take_hits (SondeDebugSession *self, SondeSessionReply *reply);
void sonde_debug_session_take_status (SondeDebugSession *self, SondeSessionReply *reply);

G_END_DECLS
