/* SPDX-License-Identifier: Apache-2.0
 * Recordings of a run that is debugged: the commands in JSON and for people, and the requests while it runs. */
#include <json-glib/json-glib.h>
#include <math.h>
#include <string.h>

#include "tests/engine/commands/command-lines.h"
#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
  CommandLines *lines;
} Fixture;

/* A training of @n_runs steps; 0: without end. */
static void
fixture_init (Fixture *fixture, guint64 n_runs, gboolean json)
{
  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  fixture->session.n_runs = n_runs;
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, "training");
  fixture->lines = command_lines_new (fixture->client, json);
}

static void
fixture_clear (Fixture *fixture)
{
  command_lines_free (fixture->lines);
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
}

/* (transfer full) */
static JsonObject *
ask (Fixture *fixture, const char *line)
{
  g_autofree char *text = command_lines_say (fixture->lines, line);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static void
assert_refused (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("“%s” said “%s”", line, json_object_get_string_member (answer, "error"));
}

/* Every key is there, and @steps are kept. */
static void
assert_status (Fixture *fixture, const char *line, gboolean recording, gint64 steps)
{
  static const char *const counts[] = { "spans", "bytes", "dropped" };
  g_autoptr (JsonObject) answer = ask (fixture, line);

  if (!json_object_get_boolean_member (answer, "ok"))
    g_error ("“%s”: %s", line, json_object_get_string_member (answer, "error"));
  g_assert_true (json_object_get_boolean_member (answer, "recording") == recording);
  g_assert_cmpint (json_object_get_int_member (answer, "steps"), ==, steps);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    g_assert_cmpint (json_object_get_int_member (answer, counts[i]), >=, 0);
  g_assert_cmpint (json_object_get_int_member (answer, "dropped"), ==, 0);
  g_assert_cmpfloat (json_object_get_double_member (answer, "overhead_ms"), >=, 0);
  if (steps > 0) /* a span for each step at least, of 32 bytes or less */
    {
      gint64 spans = json_object_get_int_member (answer, "spans");

      g_assert_cmpint (spans, >=, steps);
      g_assert_cmpint (json_object_get_int_member (answer, "bytes"), >, 0);
      g_assert_cmpfloat (json_object_get_double_member (answer, "overhead_ms"), >, 0);
    }
}

static void
say (Fixture *fixture, const char *line)
{
  g_autofree char *text = command_lines_say (fixture->lines, line);
}

/* It ends by itself behind the last of the steps that were asked for. */
static void
test_count (void)
{
  Fixture fixture;

  fixture_init (&fixture, 8, TRUE);
  assert_status (&fixture, "info profile", FALSE, 0);
  assert_refused (&fixture, "profile stop", "No profile is being recorded");
  assert_status (&fixture, "profile start 3", TRUE, 0);
  assert_refused (&fixture, "profile start", "already being recorded");
  say (&fixture, "run");
  assert_status (&fixture, "info profile", FALSE, 3);
  assert_refused (&fixture, "profile stop", "No profile is being recorded");
  assert_status (&fixture, "profile start", TRUE, 0); /* what was recorded is forgotten */
  fixture_clear (&fixture);
}

/* Until it is stopped; a step that was held up is none of them. */
static void
test_stop (void)
{
  Fixture fixture;

  fixture_init (&fixture, 8, TRUE);
  assert_status (&fixture, "profile start", TRUE, 0);
  say (&fixture, "tbreak n2 if step == 5");
  say (&fixture, "run");
  assert_status (&fixture, "info profile", TRUE, 4);
  say (&fixture, "until n4");
  say (&fixture, "tbreak n0 if step == 7");
  say (&fixture, "continue");
  assert_status (&fixture, "profile stop", FALSE, 5); /* 1 to 4, and 6 */
  assert_status (&fixture, "info profile", FALSE, 5);
  say (&fixture, "continue");
  assert_status (&fixture, "info profile", FALSE, 5);
  fixture_clear (&fixture);
}

/* Only slow steps, from the sixth on: every step takes more than nothing, none a million times the others. */
static void
test_slower (void)
{
  Fixture fixture;

  fixture_init (&fixture, 12, TRUE);
  say (&fixture, "profile start when step_ms > 1000000*median");
  say (&fixture, "run");
  assert_status (&fixture, "profile stop", FALSE, 0);
  fixture_clear (&fixture);

  fixture_init (&fixture, 12, TRUE);
  say (&fixture, "profile start 2 kernels when step_ms > 0.000001*median");
  say (&fixture, "run");
  assert_status (&fixture, "info profile", FALSE, 2);
  fixture_clear (&fixture);
}

static void
assert_says (Fixture *fixture, const char *line, const char *said)
{
  g_autofree char *text = command_lines_say (fixture->lines, line);

  if (strstr (text, said) == NULL)
    g_error ("“%s” says “%s”", line, text);
}

static void
test_text (void)
{
  Fixture fixture;

  fixture_init (&fixture, 4, FALSE);
  assert_says (&fixture, "info profile", "No profile is being recorded.\n");
  assert_says (&fixture, "profile start 2", "Recording a profile: 0 steps, ");
  say (&fixture, "run");
  assert_says (&fixture, "info profile", "Profile recorded: 2 steps, ");
  assert_says (&fixture, "profile stop", "No profile is being recorded.");
  assert_says (&fixture, "help profile",
               "profile start [N] [kernels] [when step_ms > K*median]|stop");
  fixture_clear (&fixture);
}

/* While it runs: the status is told without a pause, and who only watches may ask for it. */
static void
test_running (void)
{
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  const SondeSpanLogOptions twenty = { .n_steps = 20 };
  const SondeSpanLogOptions wrong[]
      = { { .slower = -1 }, { .slower = NAN }, { .slower = INFINITY } };
  Fixture fixture;
  g_autoptr (SondeSessionClient) watcher = NULL;
  g_autoptr (SondeSessionReply) started = NULL;
  gboolean recording = TRUE;

  fixture_init (&fixture, 0, TRUE);
  watcher = session_fixture_connect (&fixture.session);
  sonde_session_reply_free (call (fixture.client, sonde_session_request_resume (&on)));
  call_fails (watcher, sonde_session_request_profile_start (&twenty), SONDE_ENGINE_ERROR_STATE);
  call_fails (watcher, sonde_session_request_profile_stop (), SONDE_ENGINE_ERROR_STATE);
  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    call_fails (fixture.client, sonde_session_request_profile_start (&wrong[i]),
                SONDE_ENGINE_ERROR_INVALID);
  started = call (fixture.client, sonde_session_request_profile_start (&twenty));
  g_assert_cmpint (started->kind, ==, SONDE_SESSION_REPLY_PROFILE);
  while (recording)
    {
      g_autoptr (SondeSessionReply) reply = call (watcher, sonde_session_request_profile_status ());

      g_assert_cmpint (reply->state, ==, SONDE_SESSION_RUNNING);
      g_assert_cmpuint (reply->profile.steps, <=, 20);
      recording = reply->profile.recording;
      if (!recording)
        g_assert_cmpuint (reply->profile.steps, ==, 20);
    }
  call_fails (fixture.client, sonde_session_request_profile_stop (), SONDE_ENGINE_ERROR_STATE);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/profile/count", test_count);
  g_test_add_func ("/engine/commands/profile/stop", test_stop);
  g_test_add_func ("/engine/commands/profile/slower", test_slower);
  g_test_add_func ("/engine/commands/profile/text", test_text);
  g_test_add_func ("/engine/commands/profile/running", test_running);
  return g_test_run ();
}
