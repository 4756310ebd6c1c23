/* SPDX-License-Identifier: Apache-2.0
 * The engine behind a server: all requests. */
#include "engine/session/server/sonde-serve-engine.h"

#include "engine/session/server/sonde-serve-table.h"

/* ---- the table ----------------------------------------------------------- */

#define ROW(body, name, flags)                                                                     \
  [SONDE__SESSION__REQUEST__BODY_##body] = { sonde_serve_##name, flags },

static const SondeServeRow rows[] = { SONDE_SESSION_REQUESTS (ROW) };

static void
copy_facts (SondeActivity *activity, SondeSessionFacts *facts)
{
  g_free (facts->title);
  activity->klass->get_facts (activity, facts);
  facts->title = g_strdup (facts->title);
  facts->run_directory = g_strdup (facts->run_directory);
}

static void
fill_status (SondeSessionServer *server, SondeSessionStatus *status)
{
  copy_facts (server->activity, &status->facts);
  status->branch = server->changes != NULL ? sonde_changes_get_current (server->changes) : 0;
}

static void
paused (SondeSessionServer *server)
{
  if (server->activity->klass->keep_history != NULL)
    server->activity->klass->keep_history (server->activity, TRUE);
}

const SondeSessionService sonde_session_engine = {
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .fill_status = fill_status,
  .paused = paused,
};
