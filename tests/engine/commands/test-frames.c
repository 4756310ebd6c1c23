/* SPDX-License-Identifier: Apache-2.0
 * Commands inside bodies: into, out, up, down, info stack, and what a failure inside one says. */
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

static JsonObject *
ask (Fixture *fixture, const char *line)
{
  g_autofree char *text = say (fixture, line);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);

  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  g_assert_nonnull (strstr (json_object_get_string_member (answer, "error"), said));
}

/* One line, the node it leads to ("end": the end), and the iterations there, as "0,1". */
typedef struct
{
  const char *line;
  const char *node;
  const char *iterations;
} Row;

static char *
join_iterations (JsonObject *stop)
{
  JsonArray *array = json_object_get_array_member (stop, "iteration");
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (array); i++)
    g_string_append_printf (text, "%s%d", i > 0 ? "," : "",
                            (int) json_array_get_int_element (array, i));
  return g_string_free (text, FALSE);
}

static void
walk (Fixture *fixture, const Row *rows, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (JsonObject) stop = ask (fixture, rows[i].line);
      g_autofree char *iterations = NULL;

      g_test_message ("%s", rows[i].line);
      g_assert_true (json_object_get_boolean_member (stop, "ok"));
      if (g_str_equal (rows[i].node, "end"))
        {
          g_assert_cmpstr (json_object_get_string_member (stop, "event"), ==, "ended");
          continue;
        }
      iterations = join_iterations (stop);
      g_assert_cmpstr (json_object_get_string_member (stop, "node"), ==, rows[i].node);
      g_assert_cmpstr (iterations, ==, rows[i].iterations);
    }
}

static void
test_walk (void)
{
  static const Row rows[] = {
    { "step", "outer", "" },       { "into", "twice", "0" },
    { "next", "inner", "0" },      { "into", "cast", "0,0" },
    { "step 3", "cast", "0,1" },   { "out", "after", "0" },
    { "until add", "add", "1,0" }, { "until iteration:1", "cast", "1,1" },
    { "out 2", "rest", "" },       { "step", "end", "" },
  };
  Fixture fixture;

  fixture_init (&fixture, "loops", TRUE);
  walk (&fixture, rows, G_N_ELEMENTS (rows));
  fixture_clear (&fixture);
}

static JsonObject *
frame_of (JsonObject *answer, guint level)
{
  return json_array_get_object_element (json_object_get_array_member (answer, "stack"), level);
}

#define assert_string(object, name, value)                                                         \
  g_assert_cmpstr (json_object_get_string_member ((object), (name)), ==, (value))

static void
test_stack (void)
{
  g_autoptr (JsonObject) stop = NULL, stack = NULL;
  JsonObject *frame;
  Fixture fixture;

  fixture_init (&fixture, "loops", TRUE);
  stop = ask (&fixture, "until mul");
  stack = ask (&fixture, "info stack");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (stop, "stack")), ==, 3);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (stack, "stack")), ==, 3);
  g_assert_cmpint (json_object_get_int_member (stack, "selected"), ==, 0);
  frame = frame_of (stack, 0);
  assert_string (frame, "kind", "body");
  assert_string (frame, "node", "inner");
  assert_string (frame, "op", "Loop");
  assert_string (frame, "body", "body");
  assert_string (frame, "at", "mul");
  g_assert_cmpint (json_object_get_int_member (frame, "iteration"), ==, 0);
  g_assert_cmpint (json_object_get_int_member (frame, "position"), ==, 1);
  g_assert_cmpint (json_object_get_int_member (frame, "steps"), ==, 3);
  g_assert_cmpstr (
      json_array_get_string_element (json_object_get_array_member (frame, "originals"), 0), ==,
      "mul");
  assert_string (frame_of (stack, 1), "node", "outer");
  assert_string (frame_of (stack, 1), "at", "inner");
  assert_string (frame_of (stack, 2), "kind", "graph");
  g_assert_true (json_object_get_null_member (frame_of (stack, 2), "iteration"));
  fixture_clear (&fixture);
}

static char *
current_line (Fixture *fixture)
{
  g_autoptr (JsonObject) list = ask (fixture, "list");
  JsonArray *lines = json_object_get_array_member (list, "lines");

  for (guint i = 0; i < json_array_get_length (lines); i++)
    {
      JsonObject *line = json_array_get_object_element (lines, i);

      if (json_object_get_boolean_member (line, "current"))
        return g_strdup (json_object_get_string_member (line, "text"));
    }
  return NULL;
}

static guint
count_values (Fixture *fixture, const char *line)
{
  g_autoptr (JsonObject) values = ask (fixture, line);

  return json_array_get_length (json_object_get_array_member (values, "values"));
}

/* What is listed and looked up is that of the selected frame. */
static void
test_up_and_down (void)
{
  g_autoptr (JsonObject) stop = NULL, up = NULL, inner = NULL, down = NULL;
  g_autofree char *inside = NULL, *around = NULL;
  Fixture fixture;

  fixture_init (&fixture, "loops", TRUE);
  stop = ask (&fixture, "until add");
  inside = current_line (&fixture);
  g_assert_true (g_str_has_prefix (inside, "add:"));
  g_assert_cmpuint (count_values (&fixture, "info values v_mul"), ==, 1);
  g_assert_cmpuint (count_values (&fixture, "info values v_twice"), ==, 0);
  assert_error (&fixture, "down", "innermost");
  up = ask (&fixture, "up");
  assert_string (up, "node", "outer");
  around = current_line (&fixture);
  g_assert_true (g_str_has_prefix (around, "inner:"));
  g_assert_cmpuint (count_values (&fixture, "info values v_twice"), ==, 1);
  inner = ask (&fixture, "print v_mul"); /* still there */
  g_assert_cmpfloat (json_object_get_double_member (inner, "data"), ==, -3);
  json_object_unref (ask (&fixture, "up 7"));
  assert_error (&fixture, "up", "outermost");
  down = ask (&fixture, "down 2");
  g_assert_cmpint (json_object_get_int_member (down, "level"), ==, 0);
  fixture_clear (&fixture);
}

static void
test_text (void)
{
  g_autofree char *stop = NULL, *stack = NULL;
  Fixture fixture;

  fixture_init (&fixture, "loops", FALSE);
  stop = say (&fixture, "until mul");
  stack = say (&fixture, "info stack");
  g_assert_nonnull (strstr (stop, "iteration 0 of outer, iteration 0 of inner, node 2 of 3"));
  g_assert_nonnull (
      strstr (stack, "=> #0  before mul (Mul), node 2 of 3 in body of inner (Loop), iteration 0"));
  g_assert_nonnull (strstr (stack, "#2  inside outer (Loop), node 2 of 3\n"));
  fixture_clear (&fixture);
}

/* The end says where; everything before can be looked at. */
static void
test_failure (void)
{
  g_autoptr (JsonObject) end = NULL, value = NULL, stack = NULL;
  g_autofree char *iterations = NULL;
  Fixture fixture;

  fixture_init (&fixture, "fails", TRUE);
  end = ask (&fixture, "run");
  assert_string (end, "event", "ended");
  assert_string (end, "status", "failed");
  assert_string (end, "node", "reshape");
  iterations = join_iterations (end);
  g_assert_cmpstr (iterations, ==, "1");
  value = ask (&fixture, "print l_y");
  g_assert_cmpfloat (json_object_get_double_member (value, "data"), ==, -0.75);
  stack = ask (&fixture, "info stack");
  assert_string (frame_of (stack, 0), "node", "loop");
  assert_error (&fixture, "step", "has ended");
  assert_error (&fixture, "print v_total", "not computed yet");
  fixture_clear (&fixture);
}

static void
test_refused (void)
{
  Fixture fixture;

  fixture_init (&fixture, "loops", TRUE);
  assert_error (&fixture, "out", "nothing to leave");
  assert_error (&fixture, "into none", "none");
  assert_error (&fixture, "up", "outermost");
  assert_error (&fixture, "print v_mul", "has not run");
  assert_error (&fixture, "until iteration:-1", "iteration:-1");
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/nest/walk", test_walk);
  g_test_add_func ("/engine/commands/nest/stack", test_stack);
  g_test_add_func ("/engine/commands/nest/up-and-down", test_up_and_down);
  g_test_add_func ("/engine/commands/nest/text", test_text);
  g_test_add_func ("/engine/commands/nest/failure", test_failure);
  g_test_add_func ("/engine/commands/nest/refused", test_refused);
  return g_test_run ();
}
