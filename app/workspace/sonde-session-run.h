/* SPDX-License-Identifier: Apache-2.0
 * What the session of the Debugger page records, as a run of the window: its folder joins the store as
 * soon as the session names it.
 *
 * Signals: "changed" (): another state of the session, or another folder; while a training runs twice a
 * second. "recording" (char *path): of a run that begins; "found"
 * (SondeRun *run): the store has its run. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "engine/frontend/sonde-debug-session.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SESSION_RUN (sonde_session_run_get_type ())
G_DECLARE_FINAL_TYPE (SondeSessionRun, sonde_session_run, SONDE, SESSION_RUN, GObject)

SondeSessionRun *sonde_session_run_new (SondeRunStore *store, SondeDebugSession *session);

/* What is debugged at the moment. (nullable): nothing is */
const SondeSessionStatus *sonde_session_run_get_status (SondeSessionRun *self);
/* "Running · step 573 · 12.3 steps/s". (transfer full) (nullable): nothing is debugged */
char *sonde_session_run_dup_text (SondeSessionRun *self);
/* Does the session stand? What it records is not being written then. */
gboolean sonde_session_run_is_held (SondeSessionRun *self);
/* Does it stand, and is @run what it records? */
gboolean sonde_session_run_holds (SondeSessionRun *self, SondeRun *run);

G_END_DECLS
