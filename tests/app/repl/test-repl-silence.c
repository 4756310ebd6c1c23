/* SPDX-License-Identifier: Apache-2.0
 * The text debugger on a real engine that stands still: it says so, with what helps, and goes on
 * when the engine does. */
#include <json-glib/json-glib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/repl/sonde-repl.h"
#include "tests/engine/session/session-fixture.h"
#include "tests/support/sonde-test-silence.h"

/* The test program itself, started as the engine. */
static int
run_child (int fd)
{
  SessionFixture fixture;

  session_fixture_init (&fixture);
  session_fixture_start (&fixture);
  if (!sonde_session_server_add_fd (fixture.server, fd, NULL))
    return 1;
  session_fixture_join (&fixture);
  session_fixture_clear (&fixture);
  return 0;
}

/* What was said. The engine goes on as soon as its silence was told. */
typedef struct
{
  GString *said;
  const char *word;
  SondeTestSilence *silence; /* (nullable) */
} Hearer;

static ssize_t
hear (void *cookie, const char *text, size_t length)
{
  Hearer *hearer = cookie;

  g_string_append_len (hearer->said, text, (gssize) length);
  if (hearer->silence != NULL && strstr (hearer->said->str, hearer->word) != NULL)
    sonde_test_silence_end (g_steal_pointer (&hearer->silence));
  return (ssize_t) length;
}

/* What is said at "run" while the engine stands still. (transfer full) */
static char *
run_on_a_stopped_engine (gboolean json, const char *word, int *pid)
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) client = sonde_session_client_spawn (program, 1, &error);
  SondeTestSilence silence = { 0 };
  Hearer hearer = { g_string_new (NULL), word, &silence };
  g_autoptr (SondeRepl) repl = NULL;
  FILE *output;

  g_assert_no_error (error);
  *pid = sonde_session_client_get_pid (client);
  open_subject (client, "inference");
  output = fopencookie (&hearer, "w", (cookie_io_functions_t){ .write = hear });
  repl = sonde_repl_new (client, json, output, NULL);
  sonde_test_silence_begin (&silence, client);
  g_assert_true (sonde_repl_execute (repl, "run"));
  g_assert_null (hearer.silence);
  sonde_test_silence_clear (&silence);
  g_assert_false (sonde_repl_execute (repl, "quit"));
  g_assert_cmpint (sonde_repl_close (repl), ==, 0);
  fclose (output);
  return g_string_free (hearer.said, FALSE);
}

static JsonObject *
parse_line (const char *line)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (JsonNode) root = json_from_string (line, &error);

  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (root));
}

static void
test_json (void)
{
  int pid;
  g_autofree char *said = run_on_a_stopped_engine (TRUE, "\"silent\"", &pid);
  g_autofree char *help = g_strdup_printf ("kill -CONT %d", pid);
  g_auto (GStrv) lines = g_strsplit (said, "\n", -1);
  g_autoptr (JsonObject) silent = NULL, answers = NULL, end = NULL;

  g_assert_cmpuint (g_strv_length (lines), ==, 5); /* the last two: of quit, and nothing */
  silent = parse_line (lines[0]);
  answers = parse_line (lines[1]);
  end = parse_line (lines[2]);
  g_assert_cmpstr (json_object_get_string_member (silent, "event"), ==, "silent");
  g_assert_false (json_object_has_member (silent, "ok")); /* no answer to a command */
  g_assert_cmpint (json_object_get_int_member (silent, "pid"), ==, pid);
  g_assert_nonnull (strstr (json_object_get_string_member (silent, "text"), help));
  g_assert_cmpstr (json_object_get_string_member (answers, "event"), ==, "answers");
  g_assert_cmpstr (json_object_get_string_member (end, "event"), ==, "ended");
  g_assert_cmpstr (json_object_get_string_member (end, "command"), ==, "run");
}

static void
test_text (void)
{
  int pid;
  g_autofree char *said = run_on_a_stopped_engine (FALSE, "has not responded", &pid);
  const char *silent
      = strstr (said, "The engine has not responded for five seconds: its process is stopped.");
  const char *answers = strstr (said, "The engine is responding again.\n");

  g_assert_true (silent != NULL && answers != NULL && silent < answers
                 && answers < strstr (said, "Ended (done)"));
}

int
main (int argc, char **argv)
{
  if (argc == 4 && g_str_equal (argv[1], "engine"))
    return run_child (atoi (argv[3]));
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/app/repl/silence/json", test_json);
  g_test_add_func ("/app/repl/silence/text", test_text);
  return g_test_run ();
}
