/* SPDX-License-Identifier: Apache-2.0
 * Expressions in the text debugger: looking, conditions, texts, scopes, and what they say when
 * something is wrong. */
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
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

/* The answer: the last line; @events: (out) (optional): those before it. (transfer full) */
static JsonObject *
ask_with_events (Fixture *fixture, const char *line, GPtrArray **events)
{
  g_autofree char *text = say (fixture, line);
  g_auto (GStrv) lines = g_strsplit (g_strchomp (text), "\n", -1);
  g_autoptr (JsonNode) answer = NULL;
  guint n = g_strv_length (lines);

  if (events != NULL)
    *events = g_ptr_array_new_with_free_func ((GDestroyNotify) json_object_unref);
  for (guint i = 0; i + 1 < n; i++)
    {
      g_autoptr (JsonNode) event = json_from_string (lines[i], NULL);

      g_assert_nonnull (events);
      g_ptr_array_add (*events, json_object_ref (json_node_get_object (event)));
    }
  answer = json_from_string (lines[n - 1], NULL);
  return json_object_ref (json_node_get_object (answer));
}

static JsonObject *
ask (Fixture *fixture, const char *line)
{
  JsonObject *object = ask_with_events (fixture, line, NULL);

  if (!json_object_get_boolean_member (object, "ok"))
    g_error ("%s: %s", line, json_object_get_string_member (object, "error"));
  return object;
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask_with_events (fixture, line, NULL);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  if (strstr (json_object_get_string_member (answer, "error"), said) == NULL)
    g_error ("%s: %s", line, json_object_get_string_member (answer, "error"));
}

#define assert_string(object, name, value)                                                         \
  g_assert_cmpstr (json_object_get_string_member ((object), (name)), ==, (value))

static double
number_of (Fixture *fixture, const char *expression)
{
  g_autofree char *line = g_strconcat ("print ", expression, NULL);
  g_autoptr (JsonObject) answer = ask (fixture, line);

  assert_string (answer, "name", expression);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (answer, "shape")), ==, 0);
  return json_object_get_double_member (answer, "data");
}

/* ---- looking ------------------------------------------------------------- */

static void
test_print (void)
{
  g_autoptr (JsonObject) end = NULL, plain = NULL, difference = NULL, statistics = NULL,
                         truth = NULL, of_plain = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  assert_error (&fixture, "print max(v4) > 0", "v4");
  end = ask (&fixture, "run");
  g_assert_cmpfloat (number_of (&fixture, "1 + 2 * 3"), ==, 7);
  g_assert_cmpfloat (number_of (&fixture, "sum(v4)"), <=, 3 + 1e-5); /* three rows of a softmax */
  g_assert_cmpfloat (number_of (&fixture, "sum(v4)"), >=, 3 - 1e-5);
  g_assert_cmpfloat (number_of (&fixture, "maxdiff(v1, v0 + x)"), <=, 1e-6);
  g_assert_cmpfloat (number_of (&fixture, "nan(\"v*\") + inf(\"v*\")"), ==, 0);
  g_assert_cmpfloat (number_of (&fixture, "zeros(v0)"), >, 0);
  plain = ask (&fixture, "print v1[0]");
  assert_string (plain, "name", "v1"); /* as ever */
  assert_string (plain, "dtype", "float32");
  difference = ask (&fixture, "print v1[0] - x[0]");
  assert_string (difference, "dtype", "float64");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (difference, "data")), ==,
                    4);
  truth = ask (&fixture, "print all(v4 > 0)");
  assert_string (truth, "dtype", "bool");
  statistics = ask (&fixture, "stats v1 * 2");
  of_plain = ask (&fixture, "stats v1");
  g_assert_cmpfloat (fabs (json_object_get_double_member (statistics, "max")
                           - 2 * json_object_get_double_member (of_plain, "max")),
                     <=, 1e-5);
  g_assert_cmpuint (json_object_get_size (statistics), ==,
                    json_object_get_size (of_plain)); /* the same keys */
  fixture_clear (&fixture);
}

static void
test_wrong (void)
{
  g_autoptr (JsonObject) end = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  end = ask (&fixture, "run");
  assert_error (&fixture, "print max(v1", "Column");
  assert_error (&fixture, "print v11", "nearest");
  assert_error (&fixture, "print maxx(v1)", "“max”");
  assert_error (&fixture, "print v1 + big", "do not fit");
  assert_error (&fixture, "print v1[9]", "");
  assert_error (&fixture, "stats mean(nosuch)", "nosuch");
  assert_error (&fixture, "print prev(v1)", "step before");
  assert_error (&fixture, "print \"no such name\"", "no such name");
  fixture_clear (&fixture);
}

static void
test_save_and_display (void)
{
  g_autofree char *directory = g_dir_make_tmp ("sonde-commands-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (directory, "d.npy", NULL),
                  *line = g_strdup_printf ("save v1 - x %s", path);
  g_autoptr (JsonObject) end = NULL, saved = NULL, shown = NULL;
  g_autoptr (SondeTensor) read = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *display;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  end = ask (&fixture, "run");
  saved = ask (&fixture, line);
  assert_string (saved, "name", "v1 - x");
  read = sonde_npy_read (sonde_io_system (), path, &error);
  g_assert_no_error (error);
  g_assert_cmpint (sonde_tensor_n_elements (read), ==, 12);
  shown = ask (&fixture, "display mean(v1) > 100");
  display = json_array_get_object_element (json_object_get_array_member (shown, "display"), 0);
  assert_string (display, "expression", "mean(v1) > 100");
  assert_string (display, "dtype", "bool");
  g_remove (path);
  g_rmdir (directory);
  fixture_clear (&fixture);
}

/* ---- breakpoints --------------------------------------------------------- */

static void
test_conditions (void)
{
  g_autoptr (JsonObject) never = NULL, holds = NULL, stop = NULL, list = NULL, end = NULL,
                         temporary = NULL;
  JsonObject *first;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  never = ask (&fixture, "break n1 if max(v1) > 1e9");
  assert_string (never, "when", "after"); /* it reads what n1 makes */
  assert_string (never, "condition", "max(v1) > 1e9");
  holds = ask (&fixture, "break op:Sigmoid if(max(v1) < 1e9)");
  assert_string (holds, "when", "before");
  temporary = ask (&fixture, "tbreak n3 after if nan(v3) == 0");
  stop = ask (&fixture, "run");
  assert_string (stop, "node", "n2");
  g_assert_false (json_object_has_member (stop, "condition_error"));
  list = ask (&fixture, "info breakpoints");
  first = json_array_get_object_element (json_object_get_array_member (list, "breakpoints"), 0);
  g_assert_cmpint (json_object_get_int_member (first, "hits"), ==, 1);
  assert_error (&fixture, "break n1 if max(nosuch) > 1", "nosuch");
  assert_error (&fixture, "break n1 if max(v1", "Column");
  assert_error (&fixture, "break scope:nosuch", "scope:nosuch");
  end = ask (&fixture, "continue");
  assert_string (end, "node", "n3");
  fixture_clear (&fixture);
}

static void
test_condition_error (void)
{
  g_autoptr (JsonObject) set = NULL, stop = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  set = ask (&fixture, "break n2 if any(v1 > wide)");
  stop = ask (&fixture, "run");
  assert_string (stop, "node", "n2");
  g_assert_nonnull (strstr (json_object_get_string_member (stop, "condition_error"), "do not fit"));
  fixture_clear (&fixture);
}

static void
test_log (void)
{
  g_autoptr (JsonObject) set = NULL, end = NULL, list = NULL;
  g_autoptr (GPtrArray) events = NULL;
  JsonObject *event;
  Fixture fixture;

  fixture_init (&fixture, "inference", TRUE);
  set = ask (&fixture, "log n1 \"max {max(v1) == max(\"v1\")} of {count(v1)} {stats(v1).nan}\"");
  assert_string (set, "log", "max {max(v1) == max(\"v1\")} of {count(v1)} {stats(v1).nan}");
  set = (json_object_unref (set), ask (&fixture, "log n2 after \"never\" if 0"));
  end = ask_with_events (&fixture, "run", &events);
  assert_string (end, "event", "ended");
  g_assert_cmpuint (events->len, ==, 1);
  event = g_ptr_array_index (events, 0);
  assert_string (event, "event", "log");
  assert_string (event, "node", "n1");
  assert_string (event, "when", "after");
  assert_string (event, "text", "max true of 12 0");
  g_assert_cmpint (json_object_get_int_member (event, "breakpoint"), ==, 1);
  assert_error (&fixture, "log n1 max {max(v1)}", "quoted message");
  assert_error (&fixture, "log n1 \"{max(v1\"", "");
  fixture_clear (&fixture);
}

static void
test_text (void)
{
  g_autofree char *log = NULL, *run = NULL, *number = NULL, *list = NULL, *help = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", FALSE);
  log = say (&fixture, "log n1 \"n1 made {count(v1)}\"");
  run = say (&fixture, "run");
  g_assert_true (g_str_has_prefix (run, "n1 made 12\n"));
  number = say (&fixture, "print count(v1)");
  g_assert_nonnull (strstr (number, "12"));
  list = say (&fixture, "info breakpoints");
  g_assert_nonnull (strstr (list, "prints \"n1 made {count(v1)}\""));
  help = say (&fixture, "help expressions");
  g_assert_nonnull (strstr (help, "absmax(x)"));
  fixture_clear (&fixture);
}

static void
test_completion (void)
{
  g_auto (GStrv) functions = NULL, inside = NULL, condition = NULL;
  Fixture fixture;

  fixture_init (&fixture, "inference", FALSE);
  functions = sonde_command_runner_complete (fixture.lines->runner, "print absm", "absm");
  g_assert_true (g_strv_contains ((const char *const *) functions, "absmax("));
  inside = sonde_command_runner_complete (fixture.lines->runner, "print max(v", "max(v");
  g_assert_true (g_strv_contains ((const char *const *) inside, "max(v1"));
  g_assert_true (g_strv_contains ((const char *const *) inside, "max(var("));
  condition = sonde_command_runner_complete (fixture.lines->runner, "break n1 if quan", "quan");
  g_assert_true (g_strv_contains ((const char *const *) condition, "quantile("));
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/expressions/print", test_print);
  g_test_add_func ("/engine/commands/expressions/wrong", test_wrong);
  g_test_add_func ("/engine/commands/expressions/save-and-display", test_save_and_display);
  g_test_add_func ("/engine/commands/expressions/conditions", test_conditions);
  g_test_add_func ("/engine/commands/expressions/condition-error", test_condition_error);
  g_test_add_func ("/engine/commands/expressions/log", test_log);
  g_test_add_func ("/engine/commands/expressions/text", test_text);
  g_test_add_func ("/engine/commands/expressions/completion", test_completion);
  return g_test_run ();
}
