/* SPDX-License-Identifier: Apache-2.0
 * The text debugger: words, abbreviations, and its answers on a real session, as JSON and as
 * text. */
#include <json-glib/json-glib.h>
#include <stdlib.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "engine/commands/sonde-command-words.h"
#include "tests/engine/commands/command-lines.h"
#include "tests/engine/session/session-fixture.h"

/* ---- words --------------------------------------------------------------- */

/* Words of @line, joined by |. */
static void
check_words (const char *line, const char *expected)
{
  g_autoptr (GPtrArray) words = sonde_words_split (line);
  g_autoptr (GString) joined = g_string_new (NULL);

  for (guint i = 0; i < words->len; i++)
    g_string_append_printf (joined, "%s%s", i > 0 ? "|" : "", sonde_words_get (words, i)->text);
  g_assert_cmpstr (joined->str, ==, expected);
}

static void
check_unquoted (const char *text, const char *expected)
{
  g_autofree char *unquoted = sonde_words_unquote (text);

  g_assert_cmpstr (unquoted, ==, expected);
}

static void
check_quoted (const char *text, const char *expected)
{
  g_autofree char *quoted = sonde_words_quote (text), *back = sonde_words_unquote (quoted);

  g_assert_cmpstr (quoted, ==, expected);
  g_assert_cmpstr (back, ==, text);
}

static void
test_words (void)
{
  check_words ("conv1 after", "conv1|after");
  check_words ("state(w, momentum) f.npy", "state(w, momentum)|f.npy");
  check_words ("v \"my file.npy\"", "v|my file.npy");
  check_words ("alone", "alone");
  check_words ("  ", "");
  check_words ("x[0, :4] \"say \\\"it\\\"\"", "x[0, :4]|say \"it\"");
  check_words ("x[0 y", "x[0|y"); /* a bracket that is not closed */
  check_words ("n \"a {f(\"b c\")} d\" e", "n|a {f(\"b c\")} d|e"); /* quotes of an expression */
  check_words ("n \"a { b\" c", "n|a { b|c");                       /* a brace that is not closed */
  check_words ("a\"b c", "a\"b|c");
  check_words ("--node '*conv 1*' P' + Q'", "--node|*conv 1*|P'|+|Q'");
  check_unquoted ("\"a b\"", "a b");
  check_unquoted ("a b", "a b");
  check_unquoted ("\"", "\"");
  check_unquoted ("\"a\" + \"b\"", "\"a\" + \"b\""); /* only begins and ends like one word */
  check_quoted ("conv1", "conv1");
  check_quoted ("a b", "\"a b\"");
  check_quoted ("", "\"\"");
  check_quoted ("C:\\", "C:\\");
  check_quoted ("a \\", "\"a \\\\\"");
  check_quoted ("say \"it\"", "\"say \\\"it\\\"\"");
}

static void
check_command (const char *word, const char *name)
{
  g_autoptr (GError) error = NULL;
  const SondeCommandHelp *help = sonde_command_find (word, &error);

  g_assert_no_error (error);
  g_assert_cmpstr (help->name, ==, name);
}

static void
check_no_command (const char *word, int code, const char *said)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_command_find (word, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, code);
  g_assert_nonnull (strstr (error->message, said));
}

static void
test_commands (void)
{
  const SondeCommandHelp *help;

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
  for (guint k = 0; (help = sonde_command_help (k)) != NULL; k++)
    {
      check_command (help->name, help->name);
      g_assert_nonnull (help->summary);
      g_assert_nonnull (help->arguments);
    }
}

/* ---- a session ----------------------------------------------------------- */

typedef struct
{
  SessionFixture session;
  SondeSessionClient *client;
  CommandLines *lines;
} Fixture;

static void
fixture_init (Fixture *fixture, gboolean json)
{

  memset (fixture, 0, sizeof *fixture);
  session_fixture_init (&fixture->session);
  session_fixture_start (&fixture->session);
  fixture->client = session_fixture_connect (&fixture->session);
  open_subject (fixture->client, "inference");
  fixture->lines = command_lines_new (fixture->client, json);
}

static void
fixture_clear (Fixture *fixture)
{
  command_lines_free (fixture->lines);
  g_object_unref (fixture->client);
  session_fixture_clear (&fixture->session);
}

/* What @line answers, as text. */
static char *
say (Fixture *fixture, const char *line)
{
  return command_lines_say (fixture->lines, line);
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
  g_assert_true (fixture->lines->go_on);
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
  assert_error (&fixture, "step 0", "integer of at least 1");
  assert_error (&fixture, "until", "Missing target");
  assert_ended (&fixture, "c");
  assert_error (&fixture, "continue", "has ended");
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
  assert_error (&fixture, "print", "No value given");
  assert_error (&fixture, "print wrods", "“words”");
  assert_error (&fixture, "print v1[9]", "9");
  assert_error (&fixture, "save v1 here.txt", ".npy");
  fixture_clear (&fixture);
}

/* At n4: n0 to n3 have run and took their time, the others have not. */
static void
check_nodes (Fixture *fixture)
{
  g_autoptr (JsonObject) all = ask (fixture, "info nodes"),
                         some = ask (fixture, "info nodes n[23]"),
                         one = ask (fixture, "info nodes n3");
  JsonArray *nodes = json_object_get_array_member (all, "nodes");

  g_assert_cmpuint (json_array_get_length (nodes), ==, FIXTURE_STEPS);
  for (guint k = 0; k < FIXTURE_STEPS; k++)
    {
      JsonObject *node = json_array_get_object_element (nodes, k);
      JsonArray *outputs = json_object_get_array_member (node, "outputs");

      assert_string (node, "phase", "forward");
      g_assert_cmpint (json_object_get_null_member (node, "last_ns"), ==, k >= 4);
      if (k < 4)
        g_assert_cmpint (json_object_get_int_member (node, "last_ns"), >, 0);
      g_assert_cmpuint (json_array_get_length (outputs), ==, 1);
    }
  nodes = json_object_get_array_member (one, "nodes");
  g_assert_cmpuint (json_array_get_length (nodes), ==, 1);
  assert_string (json_array_get_object_element (nodes, 0), "op", "Mul");
  assert_string (
      json_array_get_object_element (
          json_object_get_array_member (json_array_get_object_element (nodes, 0), "outputs"), 0),
      "type", "float32 3×4");
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (some, "nodes")), ==, 2);
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
  check_nodes (&fixture);
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
  g_assert_true (fixture.lines->go_on);
  assert_error (&fixture, "quit now", "no arguments");
  answer = ask (&fixture, "q");
  assert_string (answer, "command", "quit");
  g_assert_false (fixture.lines->go_on);
  g_assert_false (sonde_command_runner_has_failed (fixture.lines->runner));
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
  g_assert_false (fixture.lines->go_on);
  g_assert_true (sonde_command_runner_has_failed (fixture.lines->runner));
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
  assert_says (&fixture, "tbreak op:Mul after",
               "Breakpoint 1: after op:Mul, temporary, 1 location");
  assert_says (&fixture, "run", "Breakpoint 1: after n3 (Mul), forward, node 5 of 6");
  assert_says (&fixture, "info state", "small.onnx: paused, after n3 (Mul)");
  assert_says (&fixture, "stats v3", "float32 3×4, 12 elements");
  assert_says (&fixture, "print big", "not computed yet");
  assert_says (&fixture, "info nodes n3", "forward   Mul            n3 -> float32 3×4, ");
  assert_says (&fixture, "info nodes none*", "No node matches “none*”");
  assert_says (&fixture, "info nodes N33", "No node matches “N33”; names like it: n3");
  assert_says (&fixture, "info ops none*", "No operator matches “none*”.");
  assert_says (&fixture, "info ops mul", "No operator matches “mul”; names like it: Mul");
  assert_says (&fixture, "next", "before n5");
  assert_says (&fixture, "list", "=>");
  assert_says (&fixture, "list", "ends at line");
  assert_says (&fixture, "c", "Ended (done)");
  assert_says (&fixture, "print big", "..."); /* shortened for people */
  assert_says (&fixture, "print v0[:, :2]", "]\n [");
  assert_says (&fixture, "help", "VALUE[slice]|EXPR FILE.npy");
  fixture_clear (&fixture);
}

static void
test_completion (void)
{
  g_auto (GStrv) commands = NULL, values = NULL, topics = NULL, beyond = NULL;
  Fixture fixture;

  fixture_init (&fixture, FALSE);
  commands = sonde_command_runner_complete (fixture.lines->runner, "un", "un");
  g_assert_cmpuint (g_strv_length (commands), ==, 2);
  values = sonde_command_runner_complete (fixture.lines->runner, "print v", "v");
  g_assert_cmpuint (g_strv_length (values), ==, 6); /* var( too */
  topics = sonde_command_runner_complete (fixture.lines->runner, "pro st", "st");
  g_assert_cmpuint (g_strv_length (topics), ==, 2);
  g_assert_cmpstr (topics[0], ==, "start");
  g_assert_cmpstr (topics[1], ==, "stop");
  beyond = sonde_command_runner_complete (fixture.lines->runner, "info nodes n", "n");
  g_assert_cmpuint (g_strv_length (beyond), ==, 6); /* the nodes */
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/commands/words", test_words);
  g_test_add_func ("/engine/commands/commands", test_commands);
  g_test_add_func ("/engine/commands/running", test_running);
  g_test_add_func ("/engine/commands/values", test_values);
  g_test_add_func ("/engine/commands/looking", test_looking);
  g_test_add_func ("/engine/commands/leaving", test_leaving);
  g_test_add_func ("/engine/commands/engine-goes", test_engine_goes);
  g_test_add_func ("/engine/commands/text", test_text);
  g_test_add_func ("/engine/commands/completion", test_completion);
  return g_test_run ();
}
