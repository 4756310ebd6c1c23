/* SPDX-License-Identifier: Apache-2.0
 * The commands about watches, in JSON and for people, on a real session; also while it runs. */

#include <json-glib/json-glib.h>
#include <string.h>

#include "tests/engine/commands/command-lines.h"
#include "tests/engine/session/session-fixture.h"

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
  CommandLines *lines;
} Fixture;

static void
fixture_init (Fixture *fixture, const char *subject, gboolean json)
{

  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, subject);
  fixture->lines = command_lines_new (fixture->client, json);
}

static void
fixture_clear (Fixture *fixture)
{
  command_lines_free (fixture->lines);
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
}

static char *
say (Fixture *fixture, const char *line)
{
  return command_lines_say (fixture->lines, line);
}

/* (transfer full) */
static JsonObject *
ask (Fixture *fixture, const char *line)
{
  g_autofree char *text = say (fixture, line);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static JsonObject *
ask_well (Fixture *fixture, const char *line)
{
  JsonObject *object = ask (fixture, line);

  if (!json_object_get_boolean_member (object, "ok"))
    g_error ("“%s”: %s", line, json_object_get_string_member (object, "error"));
  return object;
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("“%s” said “%s”, not “%s”", line, json_object_get_string_member (answer, "error"),
             said);
}

static guint
length_of (JsonObject *object, const char *name)
{
  return json_array_get_length (json_object_get_array_member (object, name));
}

static JsonObject *
element (JsonObject *object, const char *name, guint k)
{
  return json_array_get_object_element (json_object_get_array_member (object, name), k);
}

static void
assert_text (JsonObject *object, const char *name, const char *text)
{
  g_assert_cmpstr (json_object_get_string_member (object, name), ==, text);
}

static void
test_stop (void)
{
  Fixture fixture;
  g_autoptr (JsonObject) watch = NULL, stop = NULL, stats = NULL, list = NULL, end = NULL,
                         hits = NULL;
  JsonObject *hit, *last;

  fixture_init (&fixture, "inference", TRUE);
  watch = ask_well (&fixture, "watch preset tensor_too_large max_gt=-100 on n2");
  assert_text (watch, "watch", "preset tensor_too_large max_gt=-100");
  assert_text (watch, "on", "n2");
  g_assert_cmpint (json_object_get_int_member (watch, "id"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (watch, "values"), ==, 1);
  g_assert_true (json_object_get_null_member (watch, "last"));
  g_assert_cmpuint (length_of (watch, "watches"), ==, 1);

  stop = ask_well (&fixture, "run");
  assert_text (stop, "event", "stopped");
  assert_text (stop, "reason", "watchpoint");
  assert_text (stop, "node", "n2");
  assert_text (stop, "when", "after");
  g_assert_cmpuint (length_of (stop, "breakpoints"), ==, 0);
  g_assert_cmpuint (length_of (stop, "watchpoints"), ==, 1);
  hit = element (stop, "watchpoints", 0);
  assert_text (hit, "value", "v2");
  assert_text (hit, "parameter", "max_gt");
  g_assert_cmpint (json_object_get_int_member (hit, "id"), ==, 1);
  g_assert_cmpfloat (json_object_get_double_member (hit, "threshold"), ==, -100);
  stats = ask_well (&fixture, "stats v2");
  g_assert_cmpfloat (json_object_get_double_member (hit, "actual"), ==,
                     json_object_get_double_member (stats, "max"));

  list = ask_well (&fixture, "info watches");
  last = json_object_get_object_member (element (list, "watches", 0), "last");
  assert_text (last, "value", "v2");
  assert_text (last, "node", "n2");
  g_assert_cmpint (json_object_get_int_member (last, "step"), ==, 1);
  end = ask_well (&fixture, "continue");
  assert_text (end, "event", "ended");
  hits = ask_well (&fixture, "info hits 1");
  g_assert_cmpuint (length_of (hits, "hits"), ==, 1);
  fixture_clear (&fixture);
}

static void
test_expression (void)
{
  Fixture fixture;
  g_autoptr (JsonObject) watch = NULL, stop = NULL, both = NULL;
  JsonObject *hit;

  fixture_init (&fixture, "inference", TRUE);
  watch = ask_well (&fixture, "watch absmax(v1) > 1e-6 && min(v3) > -1e9");
  stop = ask_well (&fixture, "run");
  assert_text (stop, "reason", "watchpoint");
  assert_text (stop, "node", "n3"); /* when v3 is there, too */
  hit = element (stop, "watchpoints", 0);
  g_assert_nonnull (json_object_get_string_member (hit, "explanation"));

  both = ask_well (&fixture, "watch max(x) > -1e9 on op:Relu nostop");
  g_assert_false (json_object_get_boolean_member (both, "stops"));
  fixture_clear (&fixture);
}

/* Ids, enabling, ignoring and clearing are shared with breakpoints. */
static void
test_changing (void)
{
  Fixture fixture;
  g_autoptr (JsonObject) breakpoint = NULL, watch = NULL, off = NULL, stop = NULL, ended = NULL,
                         cleared = NULL, left = NULL;

  fixture_init (&fixture, "inference", TRUE);
  breakpoint = ask_well (&fixture, "break n4");
  watch = ask_well (&fixture, "watch preset TL max_gt=-100 on v0");
  g_assert_cmpint (json_object_get_int_member (watch, "id"), ==,
                   json_object_get_int_member (breakpoint, "id") + 1);
  off = ask_well (&fixture, "disable 2");
  g_assert_cmpuint (length_of (off, "breakpoints"), ==, 0);
  g_assert_cmpuint (length_of (off, "watches"), ==, 1);
  g_assert_false (json_object_get_boolean_member (element (off, "watches", 0), "enabled"));
  stop = ask_well (&fixture, "run");
  assert_text (stop, "reason", "breakpoint");
  g_assert_cmpuint (length_of (stop, "watchpoints"), ==, 0);
  cleared = ask_well (&fixture, "clear 2");
  g_assert_cmpuint (length_of (cleared, "watches"), ==, 0);
  g_assert_cmpuint (length_of (cleared, "breakpoints"), ==, 1);
  left = ask_well (&fixture, "info watches");
  g_assert_cmpuint (length_of (left, "watches"), ==, 0);
  assert_error (&fixture, "disable 2", "no breakpoint 2");
  ended = ask_well (&fixture, "continue");
  assert_text (ended, "event", "ended");
  fixture_clear (&fixture);
}

static void
test_recheck (void)
{
  Fixture fixture;
  g_autoptr (JsonObject) none = NULL, found = NULL, past = NULL, run = NULL, set = NULL,
                         watch = NULL;

  fixture_init (&fixture, "inference", TRUE);
  set = ask_well (&fixture, "watch preset recommended nostop");
  g_assert_cmpuint (length_of (set, "watches"), >=, 4);
  assert_error (&fixture, "recheck", "Nothing has run yet");
  run = ask_well (&fixture, "run");
  assert_text (run, "event", "ended");
  none = ask_well (&fixture, "recheck");
  watch = ask_well (&fixture, "watch preset tensor_range max_min_gt=0 on v3");
  found = ask_well (&fixture, "recheck");
  g_assert_cmpuint (length_of (found, "hits"), ==, length_of (none, "hits") + 1);
  past = ask_well (&fixture, "recheck step:1");
  g_assert_cmpuint (length_of (past, "hits"), ==, length_of (found, "hits"));
  assert_error (&fixture, "recheck step:9", "Nothing is kept of step 9");
  assert_error (&fixture, "recheck step:x", "not a valid training step");
  fixture_clear (&fixture);
}

static void
test_errors (void)
{
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  assert_error (&fixture, "watch", "Nothing to watch");
  assert_error (&fixture, "watch preset", "Which condition?");
  assert_error (&fixture, "watch preset tensor_to_large max_gt=1", "“tensor_too_large”");
  assert_error (&fixture, "watch preset tensor_too_large", "at least one of its parameters");
  assert_error (&fixture, "watch nan(v7) > 0", "no value “v7”");
  assert_error (&fixture, "watch preset gradient_exploding", "no gradient here");
  assert_error (&fixture, "info hits x", "not a valid watchpoint number");
  fixture_clear (&fixture);
}

static void
test_text (void)
{
  Fixture fixture;
  g_autofree char *watch = NULL, *stop = NULL, *list = NULL;

  fixture_init (&fixture, "inference", FALSE);
  watch = say (&fixture, "watch preset TS max_lt=1e9 on v2");
  g_assert_nonnull (strstr (watch, "Watchpoint 1: preset TS max_lt=1e9 on v2, 1 value, 0 hits"));
  stop = say (&fixture, "run");
  g_assert_nonnull (strstr (stop, "Stopped (watchpoint): after n2"));
  g_assert_nonnull (
      strstr (stop, "Watchpoint 1: v2 (n2), step 1: tensor_too_small max_lt = 1e+09, actual "));
  list = say (&fixture, "info watches");
  g_assert_nonnull (strstr (list, "1 hit\n   last hit: v2 (n2)"));
  fixture_clear (&fixture);
}

/* Set while a training without end runs: the next step stops. */
static void
test_while_running (void)
{
  Fixture fixture;
  const SondeResume on = { .kind = SONDE_RESUME_CONTINUE };
  g_autoptr (SondeSessionReply) resumed = NULL, added = NULL;
  g_autoptr (SondeSessionEvent) stopped = NULL;
  const SondeStop *stop;

  fixture_init (&fixture, "training", TRUE);
  resumed = call (fixture.client, sonde_session_request_resume (&on));
  while (atomic_load (&fixture.session.runs) < 3)
    g_thread_yield ();
  added = call (fixture.client,
                sonde_session_request_add_watch ("preset tensor_too_large max_gt=-100 on v2"));
  g_assert_cmpuint (added->watches->len, ==, 1);
  stopped = wait_for (fixture.client, SONDE_SESSION_EVENT_STOPPED);
  stop = &stopped->status->stop;
  g_assert_cmpint (stop->reason, ==, SONDE_STOP_WATCHPOINT);
  g_assert_cmpstr (stop->node, ==, "n2");
  g_assert_cmpuint (stop->watchpoints->len, ==, 1);
  g_assert_cmpuint (((SondeWatchHit *) g_ptr_array_index (stop->watchpoints, 0))->step, >=, 3);
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/watch/stop", test_stop);
  g_test_add_func ("/engine/commands/watch/expression", test_expression);
  g_test_add_func ("/engine/commands/watch/changing", test_changing);
  g_test_add_func ("/engine/commands/watch/recheck", test_recheck);
  g_test_add_func ("/engine/commands/watch/errors", test_errors);
  g_test_add_func ("/engine/commands/watch/text", test_text);
  g_test_add_func ("/engine/commands/watch/while-running", test_while_running);
  return g_test_run ();
}
