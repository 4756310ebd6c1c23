/* SPDX-License-Identifier: Apache-2.0
 * The debugger and the engine as two real processes, of which one is killed, stopped or deaf: what
 * the other says, and what becomes of the run. */
#include <gio/gio.h>
#include <gio/gunixsocketaddress.h>
#include <string.h>
#include <unistd.h>

#include "tests/app/cli/training-fixture.h"

#define STEPS "train.steps=30"
#define NET "mlp", TRAINING_SMALL, "--set", STEPS, "--set", "checkpoint.every=5"
#define SILENT "its process is stopped"

/* ---- a debugger that is talked to line by line --------------------------- */

typedef struct
{
  GSubprocess *program;
  GDataInputStream *out;
  GOutputStream *in;
} Talk;

static void
talk_init (Talk *talk, const char *folder, const char *const *arguments)
{
  g_autoptr (GSubprocessLauncher) launcher
      = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE
                                   | G_SUBPROCESS_FLAGS_STDERR_SILENCE);
  g_autofree char *path = sonde_test_program_dup_path (),
                  *runtime = g_build_filename (folder, "xdg_runtime_dir", NULL);
  g_autofree char *cache = g_build_filename (folder, "xdg_cache_home", NULL);
  g_autoptr (GPtrArray) all = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;

  g_ptr_array_add (all, path);
  g_ptr_array_add (all, (char *) "debug");
  for (gsize i = 0; arguments[i] != NULL; i++)
    g_ptr_array_add (all, (char *) arguments[i]);
  g_ptr_array_add (all, (char *) "--repl");
  g_ptr_array_add (all, NULL);
  g_subprocess_launcher_set_cwd (launcher, folder);
  g_subprocess_launcher_setenv (launcher, "XDG_RUNTIME_DIR", runtime, TRUE);
  g_subprocess_launcher_setenv (launcher, "XDG_CACHE_HOME", cache, TRUE);
  talk->program = g_subprocess_launcher_spawnv (launcher, (const char *const *) all->pdata, &error);
  g_assert_no_error (error);
  talk->in = g_subprocess_get_stdin_pipe (talk->program);
  talk->out = g_data_input_stream_new (g_subprocess_get_stdout_pipe (talk->program));
}

static void
say (Talk *talk, const char *line)
{
  g_autofree char *whole = g_strconcat (line, "\n", NULL);
  g_autoptr (GError) error = NULL;

  g_output_stream_write_all (talk->in, whole, strlen (whole), NULL, NULL, &error);
  g_assert_no_error (error);
}

/* The next line that has @part in it. */
static char *
hear (GDataInputStream *stream, const char *part)
{
  char *line;

  while ((line = g_data_input_stream_read_line (stream, NULL, NULL, NULL)) != NULL
         && strstr (line, part) == NULL)
    g_free (line);
  if (line == NULL)
    g_error ("“%s” was never said", part);
  return line;
}

static void
ask (Talk *talk, const char *line, const char *part)
{
  say (talk, line);
  g_free (hear (talk->out, part));
}

/* Everything up to its end is read. */
static void
talk_end (Talk *talk, int status)
{
  g_autoptr (GError) error = NULL;

  g_output_stream_close (talk->in, NULL, NULL);
  g_subprocess_wait (talk->program, NULL, &error);
  g_assert_no_error (error);
  if (status >= 0)
    g_assert_cmpint (g_subprocess_get_exit_status (talk->program), ==, status);
  g_object_unref (talk->out);
  g_object_unref (talk->program);
}

static int
pid_of (const Talk *talk)
{
  return atoi (g_subprocess_get_identifier (talk->program));
}

/* The only child of a debugger that launched its engine. */
static int
engine_of (const Talk *talk)
{
  g_autofree char *path
      = g_strdup_printf ("/proc/%d/task/%d/children", pid_of (talk), pid_of (talk));
  g_autofree char *text = sonde_test_read_text (path);
  int pid = atoi (text);

  g_assert_cmpint (pid, >, 1);
  return pid;
}

/* ---- the run ------------------------------------------------------------- */

static void
check_as_whole (const char *folder)
{
  g_autoptr (SondeTestProgram) program
      = sonde_test_run (folder, NULL, "train", NET, "--run", "whole");
  g_autoptr (SondeNamedTensors) whole = NULL, got = NULL;
  g_autoptr (GPtrArray) points = NULL, losses = NULL;

  sonde_test_assert_status (program, 0);
  whole = training_weights (folder, "whole", "final");
  got = training_weights (folder, "r", "final");
  training_assert_equal_weights (got, whole);
  points = training_export (folder, "r");
  losses = training_points (points, "loss");
  g_assert_cmpuint (losses->len, >=, 30); /* steps after the last checkpoint may be there twice */
}

/* ---- the engine goes ----------------------------------------------------- */

/* Killed while it stands: a sentence, exit status 1, a run that can be read, and that goes on bit
 * for bit. */
static void
test_engine_killed (gconstpointer command)
{
  char *folder = sonde_test_folder_new ();
  const char *const arguments[] = { NET, "--run", "r", NULL };
  g_autoptr (SondeTestProgram) inspect = NULL, resume = NULL;
  Talk talk;

  talk_init (&talk, folder, arguments);
  ask (&talk, "until step:13", "step 13");
  kill (engine_of (&talk), SIGKILL);
  ask (&talk, command, "killed by signal 9 (Killed)");
  talk_end (&talk, 1);
  inspect = sonde_test_run (folder, NULL, "inspect", "r", "--json");
  sonde_test_assert_status (inspect, 0);
  sonde_test_assert_contains (inspect->out, "\"loss\"");
  resume = sonde_test_run (folder, NULL, "train", NET, "--run", "r", "--resume");
  sonde_test_assert_status (resume, 0);
  check_as_whole (folder);
  sonde_test_folder_free (folder);
}

/* Stopped, it is said while a command waits; continued, the command is answered and nothing is
 * lost. */
static void
test_engine_stopped (gconstpointer command)
{
  char *folder = sonde_test_folder_new ();
  const char *const arguments[] = { NET, "--run", "r", NULL };
  Talk talk;
  int engine;

  talk_init (&talk, folder, arguments);
  ask (&talk, "until step:13", "step 13");
  engine = engine_of (&talk);
  kill (engine, SIGSTOP);
  say (&talk, command);
  g_free (hear (talk.out, SILENT));
  kill (engine, SIGCONT);
  g_free (hear (talk.out, "responding again"));
  ask (&talk, "until step:15", "step 15");
  ask (&talk, "continue", "Ended");
  talk_end (&talk, 0);
  check_as_whole (folder);
  sonde_test_folder_free (folder);
}

/* ---- the debugger goes --------------------------------------------------- */

static SondeTestProgram *
start_training (const char *folder, const char *lost)
{
  const char *const arguments[]
      = { "train", "mlp", TRAINING_SMALL,    "--set", "train.steps=100000000",
          "--run", "r",   "--debugger-lost", lost,    NULL };

  return sonde_test_start (folder, NULL, arguments);
}

/* A session that listens has a socket in its folder. */
static char *
wait_for_socket (const char *folder, int pid)
{
  char *path = g_strdup_printf ("%s/xdg_runtime_dir/sonde/%d.sock", folder, pid);

  for (gint64 end = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND; access (path, F_OK) != 0;)
    {
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_thread_yield ();
    }
  return path;
}

static void
attach (Talk *talk, const char *folder, int pid)
{
  g_autofree char *number = g_strdup_printf ("%d", pid);
  g_autofree char *path = wait_for_socket (folder, pid);
  const char *const arguments[] = { "--attach", number, NULL };

  talk_init (talk, folder, arguments);
}

/* A breakpoint that was set while it runs is reached between two commands. */
static void
ask_until_paused (Talk *talk)
{
  gboolean paused = FALSE;

  while (!paused)
    {
      g_autofree char *line = NULL;

      say (talk, "info state");
      line = hear (talk->out, "mlp · glyphs");
      paused = strstr (line, "paused") != NULL;
    }
}

/* It holds the run in a breakpoint and is killed: the run goes on, or stands until somebody else
 * comes, as was chosen. */
static void
test_debugger_killed (gconstpointer lost)
{
  gboolean waits = g_str_equal (lost, "wait");
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = start_training (folder, lost);
  Talk first, second;

  attach (&first, folder, program->pid);
  ask (&first, "break op:Gemm before", "op:Gemm");
  ask_until_paused (&first); /* what runs cannot go on */
  ask (&first, "continue", ", step ");
  kill (pid_of (&first), SIGKILL);
  talk_end (&first, -1);
  attach (&second, folder, program->pid);
  if (waits)
    {
      ask (&second, "info state", "paused");
      ask (&second, "info breakpoints", "op:Gemm");
      ask (&second, "clear", "No breakpoints");
    }
  else
    {
      ask (&second, "info breakpoints", "No breakpoints");
      ask (&second, "pause", "Stopped (pause)");
    }
  ask (&second, "until phase:backward", "backward");
  ask (&second, "detach", "etached");
  talk_end (&second, 0);
  kill (program->pid, SIGINT);
  sonde_test_wait (program, 60);
  sonde_test_assert_status (program, 130);
  sonde_test_folder_free (folder);
}

/* ---- who is turned away -------------------------------------------------- */

/* What the training answers to bytes of a stranger: nothing but the greeting and why, then the
 * end. */
static void
knock (const char *path, const char *bytes, gsize length)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  g_autoptr (GSocketClient) client = g_socket_client_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GSocketConnection) connection
      = g_socket_client_connect (client, G_SOCKET_CONNECTABLE (address), NULL, &error);
  GOutputStream *out;
  char answer[4096];
  gsize n = 0;

  g_assert_no_error (error);
  out = g_io_stream_get_output_stream (G_IO_STREAM (connection));
  /* it may be closed before all is written */
  g_output_stream_write_all (out, bytes, length, NULL, NULL, NULL);
  g_input_stream_read_all (g_io_stream_get_input_stream (G_IO_STREAM (connection)), answer,
                           sizeof answer, &n, NULL, NULL);
  g_assert_cmpuint (n, <, sizeof answer);
}

static void
test_strangers (void)
{
  static const char *const greetings[]
      = { "GET / HTTP/1.1\r\nHost: localhost\r\nOrigin: http://a.example\r\n\r\n",
          "POST /x HTTP/1.0\r\n\r\n",
          "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
          "*1\r\n$4\r\nPING\r\n",
          "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
          "SONDE\001\001\n        ",
          "SONDE" };
  char *folder = sonde_test_folder_new ();
  g_autoptr (SondeTestProgram) program = start_training (folder, "continue");
  g_autofree char *path = wait_for_socket (folder, program->pid);
  g_autofree char *token = g_strndup (path, strlen (path) - strlen (".sock")), *other = NULL,
                  *right = NULL;
  g_autofree char *number = g_strdup_printf ("%d", program->pid);
  g_autoptr (SondeTestProgram) refused = NULL;

  for (gsize i = 0; i + 1 < G_N_ELEMENTS (greetings); i++)
    knock (path, greetings[i], strlen (greetings[i]));
  other = g_strconcat (token, ".token", NULL);
  right = sonde_test_read_text (other);
  right[0] = right[0] == '0' ? '1' : '0';
  g_assert_true (g_file_set_contents (other, right, -1, NULL));
  refused = sonde_test_run (folder, "info state\n", "debug", "--attach", number, "--repl");
  sonde_test_assert_status (refused, 1);
  kill (program->pid, SIGINT);
  sonde_test_wait (program, 60);
  sonde_test_assert_status (program, 130);
  sonde_test_folder_free (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/app/cli/debug-lost/engine-killed/looking", "stats fc1.weight",
                        test_engine_killed);
  g_test_add_data_func ("/app/cli/debug-lost/engine-killed/running", "continue",
                        test_engine_killed);
  g_test_add_data_func ("/app/cli/debug-lost/DP11/engine-stopped/looking", "stats fc1.weight",
                        test_engine_stopped);
  g_test_add_data_func ("/app/cli/debug-lost/DP11/engine-stopped/running", "until step:14",
                        test_engine_stopped);
  g_test_add_data_func ("/app/cli/debug-lost/T29/continue", "continue", test_debugger_killed);
  g_test_add_data_func ("/app/cli/debug-lost/T29/wait", "wait", test_debugger_killed);
  g_test_add_func ("/app/cli/debug-lost/DP3/strangers", test_strangers);
  return g_test_run ();
}
