/* SPDX-License-Identifier: Apache-2.0
 * back, reverse, restart NODE, rewind as commands on a real session. */
#include <json-glib/json-glib.h>
#include <stdlib.h>
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
fixture_init (Fixture *fixture)
{

  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, "inference");
  fixture->lines = command_lines_new (fixture->client, TRUE);
}

static void
fixture_clear (Fixture *fixture)
{
  command_lines_free (fixture->lines);
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
}

/* What @line answers. (transfer full) */
static JsonObject *
ask (Fixture *fixture, const char *line)
{
  g_autofree char *text = NULL;
  g_autoptr (JsonNode) root = NULL;

  text = command_lines_say (fixture->lines, line);
  root = json_from_string (text, NULL);
  return json_object_ref (json_node_get_object (root));
}

static void
assert_stop (Fixture *fixture, const char *line, const char *reason, const char *node,
             guint position)
{
  g_autoptr (JsonObject) stop = ask (fixture, line);

  if (!json_object_get_boolean_member (stop, "ok"))
    g_error ("%s: %s", line, json_object_get_string_member (stop, "error"));
  g_assert_cmpstr (json_object_get_string_member (stop, "event"), ==, "stopped");
  g_assert_cmpstr (json_object_get_string_member (stop, "reason"), ==, reason);
  g_assert_cmpstr (json_object_get_string_member (stop, "node"), ==, node);
  g_assert_cmpint (json_object_get_int_member (stop, "position"), ==, position);
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  g_assert_nonnull (strstr (json_object_get_string_member (answer, "error"), said));
}

static void
tell (Fixture *fixture, const char *line)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_true (json_object_get_boolean_member (answer, "ok"));
}

static void
test_inference (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  tell (&fixture, "break n1");
  assert_stop (&fixture, "run", "breakpoint", "n1", 1);
  assert_stop (&fixture, "step 3", "step", "n4", 4);
  assert_error (&fixture, "print v4", "not computed yet");
  assert_stop (&fixture, "back", "step", "n3", 3);
  assert_error (&fixture, "print v3", "not computed yet");
  tell (&fixture, "stats v2");
  assert_stop (&fixture, "step", "step", "n4", 4);
  tell (&fixture, "stats v3");
  assert_stop (&fixture, "reverse", "breakpoint", "n1", 1);
  assert_stop (&fixture, "back 7", "beginning", "n0", 0);
  assert_stop (&fixture, "until n3", "breakpoint", "n1", 1);
  assert_stop (&fixture, "until n3", "until", "n3", 3);
  assert_stop (&fixture, "restart n2", "until", "n2", 2);
  assert_error (&fixture, "restart n4", "until n4");
  assert_error (&fixture, "restart nowhere", "nowhere");
  assert_error (&fixture, "back 0", "at least 1");
  assert_error (&fixture, "reverse 2", "no arguments");
  assert_error (&fixture, "rewind", "Only a training");
  tell (&fixture, "continue"); /* to the end, and back from there */
  assert_stop (&fixture, "back 2", "step", "n4", 4);
  tell (&fixture, "continue");
  assert_stop (&fixture, "reverse", "breakpoint", "n1", 1);
  fixture_clear (&fixture);
}

/* Every position of the run, forward and back. */
static void
test_walk (void)
{
  Fixture fixture;

  fixture_init (&fixture);
  tell (&fixture, "tbreak n5 after");
  tell (&fixture, "run");
  for (guint i = FIXTURE_STEPS; i > 0; i--)
    {
      g_autofree char *node = g_strdup_printf ("n%u", i - 1);
      g_autofree char *back = g_strdup_printf ("back %u", FIXTURE_STEPS - i + 1),
                      *on = g_strdup_printf ("step %u", FIXTURE_STEPS - i);
      g_autofree char *value = g_strdup_printf ("print v%u", i - 2),
                      *next = g_strdup_printf ("stats v%u", i - 1);

      assert_stop (&fixture, i == FIXTURE_STEPS ? "back" : back, "step", node, i - 1);
      if (i >= 2)
        tell (&fixture, value);
      assert_error (&fixture, i == FIXTURE_STEPS ? "stats big" : next, "not computed yet");
      if (i < FIXTURE_STEPS)
        assert_stop (&fixture, on, "step", "n5", FIXTURE_STEPS - 1);
      tell (&fixture, "tbreak n5 after");
      tell (&fixture, "continue");
    }
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/back/inference", test_inference);
  g_test_add_func ("/engine/commands/back/walk", test_walk);
  return g_test_run ();
}
