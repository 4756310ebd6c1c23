/* SPDX-License-Identifier: Apache-2.0
 * Activities behind a server: the table of all requests. */
#include "engine/session/activity/sonde-activity-session.h"

#define ROW(body, name, flags)                                                                     \
  [SONDE__SESSION__REQUEST__BODY_##body] = { sonde_serve_##name, flags },

static const SondeServeRow rows[] = { SONDE_SESSION_REQUESTS (ROW) };

static SondeActivitySession *
session_of (SondeSessionService *service)
{
  return (SondeActivitySession *) service;
}

static void
copy_facts (SondeActivity *activity, SondeSessionFacts *facts)
{
  g_free (facts->title);
  activity->klass->get_facts (activity, facts);
  facts->title = g_strdup (facts->title);
  if (facts->run_directory != NULL)
    facts->run_directory = g_canonicalize_filename (facts->run_directory, NULL);
}

static void
fill_status (SondeSessionService *service, SondeSessionStatus *status)
{
  SondeActivitySession *session = session_of (service);

  copy_facts (session->activity, &status->facts);
  status->branch = session->changes != NULL ? sonde_changes_get_current (session->changes) : 0;
}

static void
paused (SondeSessionService *service)
{
  SondeActivity *activity = session_of (service)->activity;

  if (activity->klass->keep_history != NULL)
    activity->klass->keep_history (activity, TRUE);
}

static void
free_session (SondeSessionService *service)
{
  SondeActivitySession *session = session_of (service);

  sonde_activity_session_release (session);
  g_clear_error (&session->failure);
  g_free (session->failed_node);
  g_free (session->failed_comparison);
  g_free (session);
}

static const SondeSessionServiceClass service_class = {
  .rows = rows,
  .n_rows = G_N_ELEMENTS (rows),
  .fill_status = fill_status,
  .paused = paused,
  .free = free_session,
};

SondeActivitySession *
sonde_activity_session_new (SondeSessionServer *server)
{
  SondeActivitySession *session = g_new0 (SondeActivitySession, 1);

  session->service = (SondeSessionService){ &service_class, server };
  return session;
}
