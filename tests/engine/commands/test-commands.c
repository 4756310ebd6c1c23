/* SPDX-License-Identifier: Apache-2.0
 * The text debugger: words, abbreviations, and its answers on a real session, as JSON and as
 * text. */
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "app/front/sonde-front-private.h"
#include "data/arrays/sonde-npy.h"
#include "tests/engine/session/session-fixture.h"

/* ---- words --------------------------------------------------------------- */

static void
check_split (const char *text, const char *before, const char *last)
{
  g_autofree char *word = NULL;
  g_autofree char *rest = sonde_front_split_last (text, &word);

  g_assert_cmpstr (rest, ==, before);
  g_assert_cmpstr (word, ==, last);
}

static void
test_words (void)
{
  g_autofree char *quoted = sonde_front_unquote ("\"a b\""), *plain = sonde_front_unquote ("a b"),
                  *one = sonde_front_unquote ("\"");

  g_assert_cmpstr (quoted, ==, "a b");
  g_assert_cmpstr (plain, ==, "a b");
  g_assert_cmpstr (one, ==, "\"");
  check_split ("conv1 after", "conv1", "after");
  check_split ("state(w, momentum) f.npy", "state(w, momentum)", "f.npy");
  check_split ("v \"my file.npy\"", "v", "my file.npy");
  check_split ("alone", NULL, "alone");
  check_split ("", NULL, "");
}

static void
check_command (const char *word, const char *name)
{
  g_autoptr (GError) error = NULL;
  const SondeFrontCommand *command = sonde_front_find_command (word, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (command->name, ==, name);
}

static void
check_no_command (const char *word, int code, const char *said)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_front_find_command (word, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
  g_assert_nonnull (strstr (error->message, said));
}

static void
test_commands (void)
{
  guint n;
  const SondeFrontCommand *commands = sonde_front_commands (&n);

  check_command ("c", "continue");
  check_command ("cont", "continue");
  check_command ("s", "step");
  check_command ("p", "print");
  check_command ("u", "until");
  check_command ("und", "undisplay");
  check_command ("q", "quit");
  check_no_command ("re", SONDE_ENGINE_ERROR_NOT_FOUND, "recheck, reverse, restart, rewind");
  check_command ("rest", "restart");
  check_command ("w", "watch");
  check_no_command ("st", SONDE_ENGINE_ERROR_NOT_FOUND, "step, stats");
  check_no_command ("d", SONDE_ENGINE_ERROR_NOT_FOUND, "disable, ");
  check_no_command ("contnue", SONDE_ENGINE_ERROR_NOT_FOUND, "“continue”");
  for (guint i = 0; i < n; i++)
    {
      if (commands[i].run != NULL)
        check_command (commands[i].name, commands[i].name);
      else
        check_no_command (commands[i].name, SONDE_ENGINE_ERROR_UNSUPPORTED, "nearest");
    }
}

/* ---- a session ----------------------------------------------------------- */

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
  SondeFront *front;
  FILE *output;
  char *text;
  size_t length;
  gboolean go_on;
} Fixture;

static void
fixture_init (Fixture *fixture, gboolean json)
{
  SondeFrontOptions options = { .json = json };

  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, "inference");
  fixture->output = open_memstream (&fixture->text, &fixture->length);
  options.output = fixture->output;
  fixture->front = sonde_front_new (fixture->client, &options);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_front_free (fixture->front);
  g_object_unref (fixture->client);
  fclose (fixture->output);
  free (fixture->text);
  session_fixture_clear (&fixture->session);
}

/* What @line answers, as text. */
static char *
say (Fixture *fixture, const char *line)
{
  size_t before = fixture->length;

  fixture->go_on = sonde_front_execute (fixture->front, line);
  fflush (fixture->output); /* the memory is there from the first flush on */
  return g_strndup (fixture->text + before, fixture->length - before);
}

/* What @line answers, as one object on one line. (transfer full) */
static JsonObject *
ask (Fixture *fixture, const char *line)
{
  g_autofree char *text = say (fixture, line);
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (text, &error);
  JsonObject *object;

  g_assert_no_error (error);
  g_assert_true (strchr (text, '\n') == text + strlen (text) - 1); /* the only one, at the end */
  object = json_node_get_object (root);
  g_assert_true (json_object_has_member (object, "ok"));
  g_assert_true (json_object_has_member (object, "command"));
  g_assert_true (json_object_get_boolean_member (object, "ok")
                 != json_object_has_member (object, "error"));
  return json_object_ref (object);
}

#define assert_string(object, name, value)                                                         \
  g_assert_cmpstr (json_object_get_string_member ((object), (name)), ==, (value))

static void
assert_stopped (Fixture *fixture, const char *line, const char *command, const char *reason,
                const char *node)
{
  g_autoptr (JsonObject) stop = ask (fixture, line);

  g_assert_true (json_object_get_boolean_member (stop, "ok"));
  assert_string (stop, "command", command);
  assert_string (stop, "event", "stopped");
  assert_string (stop, "reason", reason);
  assert_string (stop, "node", node);
  assert_string (stop, "phase", "forward");
  g_assert_cmpint (json_object_get_int_member (stop, "step"), ==, 1);
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (stop, "iteration")), ==,
                    0);
  g_assert_true (json_object_has_member (stop, "op"));
}

static void
assert_ended (Fixture *fixture, const char *line)
{
  g_autoptr (JsonObject) end = ask (fixture, line);

  assert_string (end, "event", "ended");
  assert_string (end, "status", "done");
}

static void
assert_error (Fixture *fixture, const char *line, const char *said)
{
  g_autoptr (JsonObject) answer = ask (fixture, line);

  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  g_assert_nonnull (strstr (json_object_get_string_member (answer, "error"), said));
  g_assert_true (fixture->go_on);
}

static void
test_running (void)
{
  g_autoptr (JsonObject) set = NULL, list = NULL, restarted = NULL, state = NULL;
  Fixture fixture;

  fixture_init (&fixture, TRUE);
  set = ask (&fixture, "b n2");
  assert_string (set, "command", "break");
  g_assert_cmpint (json_object_get_int_member (set, "id"), ==, 1);
  assert_string (set, "when", "before");
  assert_stopped (&fixture, "run", "run", "breakpoint", "n2");
  assert_error (&fixture, "run", "continue");
  assert_stopped (&fixture, "s", "step", "step", "n3");
  assert_stopped (&fixture, "step 2", "step", "step", "n5");
  assert_error (&fixture, "step 0", "number from 1");
  assert_error (&fixture, "until", "Until what");
  assert_ended (&fixture, "c");
  assert_error (&fixture, "continue", "over");
  assert_error (&fixture, "continue 3", "no arguments");
  restarted = ask (&fixture, "restart");
  assert_string (restarted, "state", "ready");
  assert_string (restarted, "node", "n0");
  assert_stopped (&fixture, "until v1", "until", "until", "n1");
  assert_stopped (&fixture, "pause", "pause", "until", "n1"); /* it stands there already */
  list = ask (&fixture, "info breakpoints");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (list, "breakpoints")), ==,
                    1);
  assert_error (&fixture, "break n2 if nan(v1", "Column");
  assert_error (&fixture, "disable x", "breakpoint");
  assert_error (&fixture, "ignore 1", "ID COUNT");
  state = ask (&fixture, "info state");
  assert_string (state, "state", "paused");
  assert_string (state, "kind", "inference");
  g_assert_cmpint (json_object_get_int_member (state, "positions"), ==, FIXTURE_STEPS);
  fixture_clear (&fixture);
}

/* The keys of the contract, and the numbers of the value itself. */
static void
test_values (void)
{
  static const char *const keys[]
      = { "min", "max",     "mean",    "std",   "abs_mean", "zeros", "negatives",
          "nan", "pos_inf", "neg_inf", "count", "dtype",    "shape" };
  g_autoptr (SondeTensor) v1 = expected_value ("v1"), read = NULL;
  g_autoptr (JsonObject) stats = NULL, print = NULL, part = NULL, saved = NULL, words = NULL;
  g_autofree char *path = NULL, *line = NULL;
  SondeStatistics statistics;
  JsonArray *rows;
  Fixture fixture;

  fixture_init (&fixture, TRUE);
  assert_ended (&fixture, "run");
  stats = ask (&fixture, "stats v1");
  for (gsize i = 0; i < G_N_ELEMENTS (keys); i++)
    g_assert_true (json_object_has_member (stats, keys[i]));
  sonde_statistics_compute (v1, &statistics);
  g_assert_cmpfloat (json_object_get_double_member (stats, "std"), ==, statistics.std);
  g_assert_cmpfloat (json_object_get_double_member (stats, "abs_mean"), ==, statistics.abs_mean);
  g_assert_cmpint (json_object_get_int_member (stats, "negatives"), ==, statistics.negatives);
  print = ask (&fixture, "print v1");
  assert_string (print, "dtype", "float32");
  rows = json_object_get_array_member (print, "data");
  g_assert_cmpuint (json_array_get_length (rows), ==, 3);
  for (guint i = 0; i < 12; i++)
    g_assert_cmpfloat (
        (float) json_array_get_double_element (json_array_get_array_element (rows, i / 4), i % 4),
        ==, (float) sonde_tensor_get_double (v1, i));
  part = ask (&fixture, "p v1[1, -1]");
  g_assert_cmpfloat ((float) json_object_get_double_member (part, "data"), ==,
                     (float) sonde_tensor_get_double (v1, 7));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (part, "shape")), ==, 0);
  words = ask (&fixture, "print words[:2]");
  g_assert_cmpstr (json_array_get_string_element (json_object_get_array_member (words, "data"), 1),
                   ==, "zwei");
  path = g_build_filename (fixture.session.directory, "v.npy", NULL);
  line = g_strdup_printf ("save v1 \"%s\"", path);
  saved = ask (&fixture, line);
  assert_string (saved, "file", path);
  read = sonde_npy_read (NULL, path, NULL);
  g_assert_true (sonde_tensor_equal (read, v1));
  assert_error (&fixture, "print", "Which value");
  assert_error (&fixture, "print wrods", "“words”");
  assert_error (&fixture, "print v1[9]", "9");
  assert_error (&fixture, "save v1 here.txt", ".npy");
  fixture_clear (&fixture);
}

static void
test_looking (void)
{
  g_autoptr (JsonObject) list = NULL, on = NULL, stop = NULL, values = NULL, stack = NULL,
                         help = NULL;
  JsonArray *lines, *shown;
  guint current = 0;
  Fixture fixture;

  fixture_init (&fixture, TRUE);
  assert_stopped (&fixture, "until n3", "until", "until", "n3");
  list = ask (&fixture, "list");
  lines = json_object_get_array_member (list, "lines");
  for (guint i = 0; i < json_array_get_length (lines); i++)
    {
      JsonObject *line = json_array_get_object_element (lines, i);

      if (!json_object_get_boolean_member (line, "current"))
        continue;
      current++;
      g_assert_true (g_str_has_prefix (json_object_get_string_member (line, "text"), "n3:"));
    }
  g_assert_cmpuint (current, ==, 1);
  assert_error (&fixture, "list nowhere", "nowhere");
  on = ask (&fixture, "display v2[0, 0]");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (on, "display")), ==, 1);
  stop = ask (&fixture, "step");
  shown = json_object_get_array_member (stop, "display");
  assert_string (json_array_get_object_element (shown, 0), "expression", "v2[0, 0]");
  assert_string (json_array_get_object_element (shown, 0), "dtype", "float32");
  assert_error (&fixture, "undisplay 2", "display 2");
  values = ask (&fixture, "info values v*");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (values, "values")), ==, 5);
  stack = ask (&fixture, "info stack");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (stack, "stack")), ==, 1);
  assert_error (&fixture, "info", "breakpoints");
  assert_error (&fixture, "info wetches", "watches, hits");
  help = ask (&fixture, "help pri");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (help, "commands")), ==, 1);
  fixture_clear (&fixture);
}

/* Nothing is said to nothing; and the last word. */
static void
test_leaving (void)
{
  g_autofree char *empty = NULL, *comment = NULL;
  g_autoptr (JsonObject) answer = NULL;
  Fixture fixture;

  fixture_init (&fixture, TRUE);
  empty = say (&fixture, "   ");
  comment = say (&fixture, "# nothing");
  g_assert_cmpstr (empty, ==, "");
  g_assert_cmpstr (comment, ==, "");
  g_assert_true (fixture.go_on);
  assert_error (&fixture, "quit now", "no arguments");
  answer = ask (&fixture, "q");
  assert_string (answer, "command", "quit");
  g_assert_false (fixture.go_on);
  g_assert_cmpint (sonde_front_close (fixture.front), ==, 0);
  fixture_clear (&fixture);
}

/* The engine goes while a command waits: the command says why, and that was it. */
static void
test_engine_goes (void)
{
  g_autoptr (JsonObject) answer = NULL;
  Fixture fixture;

  fixture_init (&fixture, TRUE);
  sonde_session_server_quit (fixture.session.server);
  session_fixture_join (&fixture.session);
  g_clear_pointer (&fixture.session.server, sonde_session_server_free);
  answer = ask (&fixture, "run");
  g_assert_false (json_object_get_boolean_member (answer, "ok"));
  g_assert_false (fixture.go_on);
  g_assert_cmpint (sonde_front_close (fixture.front), ==, 1);
  fixture_clear (&fixture);
}

static void
assert_says (Fixture *fixture, const char *line, const char *said)
{
  g_autofree char *text = say (fixture, line);

  if (strstr (text, said) == NULL)
    g_error ("“%s” said “%s”, not “%s”", line, text, said);
}

static void
test_text (void)
{
  Fixture fixture;

  fixture_init (&fixture, FALSE);
  assert_says (&fixture, "info breakpoints", "No breakpoints.");
  assert_says (&fixture, "tbreak op:Mul after", "Breakpoint 1: after op:Mul (once), 1 place");
  assert_says (&fixture, "run", "Breakpoint 1: after n3 (Mul), forward, node 5 of 6");
  assert_says (&fixture, "info state", "small.onnx: paused, after n3 (Mul)");
  assert_says (&fixture, "stats v3", "float32 3×4, 12 elements");
  assert_says (&fixture, "print big", "not computed yet");
  assert_says (&fixture, "next", "before n5");
  assert_says (&fixture, "list", "=>");
  assert_says (&fixture, "list", "ends at line");
  assert_says (&fixture, "c", "Ended: done");
  assert_says (&fixture, "print big", "..."); /* shortened for people */
  assert_says (&fixture, "print v0[:, :2]", "]\n [");
  assert_says (&fixture, "help", "VALUE[slice]|EXPR FILE.npy");
  fixture_clear (&fixture);
}

static void
test_completion (void)
{
  g_auto (GStrv) commands = NULL, values = NULL;
  Fixture fixture;

  fixture_init (&fixture, FALSE);
  commands = sonde_front_complete (fixture.front, "un", "un");
  g_assert_cmpuint (g_strv_length (commands), ==, 2);
  values = sonde_front_complete (fixture.front, "print v", "v");
  g_assert_cmpuint (g_strv_length (values), ==, 6); /* var( too */
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/front/words", test_words);
  g_test_add_func ("/app/front/commands", test_commands);
  g_test_add_func ("/app/front/running", test_running);
  g_test_add_func ("/app/front/values", test_values);
  g_test_add_func ("/app/front/looking", test_looking);
  g_test_add_func ("/app/front/leaving", test_leaving);
  g_test_add_func ("/app/front/engine-goes", test_engine_goes);
  g_test_add_func ("/app/front/text", test_text);
  g_test_add_func ("/app/front/completion", test_completion);
  return g_test_run ();
}
