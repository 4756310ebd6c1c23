/* SPDX-License-Identifier: Apache-2.0
 * Trainings that are ended while they stand in the middle of a step. */
#include <string.h>

#include "tests/engine/session/session-fixture.h"

/* A training that stands at a breakpoint. (transfer full): the client that holds it */
static SondeSessionClient *
stop_training (SessionFixture *fixture)
{
  SondeSessionClient *client;
  g_autoptr (SondeSessionReply) paused = NULL;
  g_autoptr (SondeSessionEvent) first = NULL, stop = NULL;

  session_fixture_init (fixture);
  fixture->options.client_lost = SONDE_CLIENT_LOST_CONTINUE;
  session_fixture_start (fixture);
  fixture->activity = session_fixture_open (fixture, "training", NULL);
  fixture->run_now = TRUE;
  client = session_fixture_connect (fixture);
  paused = call (client, sonde_session_request_pause ());
  first = wait_for (client, SONDE_SESSION_EVENT_STOPPED);
  add_breakpoint (client, "n3", SONDE_MOMENT_BEFORE);
  add_breakpoint (client, "n4", SONDE_MOMENT_BEFORE);
  stop = resume (client, SONDE_RESUME_UNTIL, 1, "n3", SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpint (stop->status->stop.reason, ==, SONDE_STOP_BREAKPOINT);
  return client;
}

/* The step is done, no breakpoint stops it, and clients are told of all of it. */
static void
test_asked_to_quit (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = stop_training (&fixture);
  g_autoptr (SondeSessionEvent) resumed = NULL, ended = NULL;

  sonde_session_server_quit (fixture.server);
  sonde_session_server_quit (fixture.server); /* nothing more */
  session_fixture_join (&fixture);
  g_assert_no_error (fixture.error);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_STOPPED);
  g_assert_true (fixture.completed);
  g_assert_true (fixture.finished);
  resumed = wait_for (client, SONDE_SESSION_EVENT_RESUMED);
  ended = sonde_session_client_wait_event (client, 20000);
  g_assert_cmpint (ended->kind, ==, SONDE_SESSION_EVENT_ENDED);
  session_fixture_clear (&fixture);
}

/* What there is then is kept all the same, and the reason is the step's. */
static void
test_step_fails (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = stop_training (&fixture);

  fixture.fail_complete = TRUE;
  sonde_session_server_quit (fixture.server);
  session_fixture_join (&fixture);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_FAILED);
  g_assert_cmpstr (fixture.error->message, ==, "The step failed.");
  g_assert_true (fixture.finished);
  session_fixture_clear (&fixture);
}

static void
test_client_quits (void)
{
  SessionFixture fixture;
  g_autoptr (SondeSessionClient) client = stop_training (&fixture);
  g_autoptr (SondeSessionReply) reply = call (client, sonde_session_request_quit ());

  session_fixture_join (&fixture);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_STOPPED);
  g_assert_false (fixture.completed);
  g_assert_true (fixture.finished);
  session_fixture_clear (&fixture);
}

/* The client in control is lost, and the run is nobody else's. */
static void
test_client_lost (void)
{
  SessionFixture fixture;
  SondeSessionClient *client;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  client = session_fixture_connect (&fixture);
  open_subject (client, "training");
  sonde_session_event_free (
      resume (client, SONDE_RESUME_STEP, 2, NULL, SONDE_SESSION_EVENT_STOPPED));
  g_object_unref (client);
  session_fixture_join (&fixture);
  g_assert_cmpint (fixture.result, ==, SONDE_SESSION_STOPPED);
  g_assert_false (fixture.completed);
  g_assert_true (fixture.finished);
  session_fixture_clear (&fixture);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/session/ending/asked-to-quit", test_asked_to_quit);
  g_test_add_func ("/engine/session/ending/step-fails", test_step_fails);
  g_test_add_func ("/engine/session/ending/client-quits", test_client_quits);
  g_test_add_func ("/engine/session/ending/client-lost", test_client_lost);
  return g_test_run ();
}
