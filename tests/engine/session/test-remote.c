/* SPDX-License-Identifier: Apache-2.0
 * Sessions of another machine. In place of ssh stands a script that runs this program as the proxy;
 * the name of the host says what happens. */
#include <glib/gstdio.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/ops/sonde-engine-error.h"
#include "engine/session/client/sonde-session-client-private.h"
#include "engine/session/client/sonde-session-proxy.h"
#include "engine/session/client/sonde-session-target.h"
#include "engine/session/sonde-session-directory.h"
#include "tests/engine/session/session-fixture.h"

/* What a shell at the other end would be given is kept in WORDS. */
#define SCRIPT                                                                                     \
  "#!/bin/sh\n"                                                                                    \
  "printf '%s\\n' \"$@\" > \"$SONDE_TEST_FOLDER/words\"\n"                                         \
  "while [ \"$1\" != -- ]; do shift; done\n"                                                       \
  "case $2 in\n"                                                                                   \
  "nowhere) echo 'a banner' >&2; echo 'Could not resolve hostname nowhere' >&2; exit 255 ;;\n"     \
  "bare) echo 'sh: 1: sonde: not found' >&2; exit 127 ;;\n"                                        \
  "old) echo 'sonde debug: Unknown option --proxy' >&2; exit 2 ;;\n"                               \
  "silent) exit 0 ;;\n"                                                                            \
  "chatty) echo 'Welcome to this machine.'; cat; exit 0 ;;\n"                                      \
  "future) printf 'SONDE\\0\\011\\n'; cat; exit 0 ;;\n"                                            \
  "list) printf 'Welcome.\\n7\\tnet on mlp\\n12\\ttrain.py\\t4\\t99\\tpython a b\\n'; exit 0 ;;\n" \
  "esac\n"                                                                                         \
  "pid=${3#sonde debug --attach }\n"                                                               \
  "exec \"$SONDE_TEST_PROGRAM\" --proxy \"${pid% --proxy}\"\n"

typedef struct
{
  char *folder;
  SessionFixture session;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  g_autofree char *ssh = NULL, *path = NULL;
  g_autoptr (GError) error = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-remote-XXXXXX", NULL);
  ssh = g_build_filename (fixture->folder, "ssh", NULL);
  g_assert_true (
      g_file_set_contents_full (ssh, SCRIPT, -1, G_FILE_SET_CONTENTS_NONE, 0755, &error));
  path = g_strconcat (fixture->folder, ":/usr/bin:/bin", NULL);
  session_fixture_init (&fixture->session);
  fixture->session.options.client_lost = SONDE_CLIENT_LOST_CONTINUE;
  fixture->session.options.listen = TRUE;
  session_fixture_start (&fixture->session);
  fixture->session.activity = session_fixture_open (&fixture->session, "training", &error);
  g_assert_no_error (error);
  fixture->session.run_now = TRUE;
  g_object_unref (session_fixture_connect (&fixture->session)); /* starts the thread */
  g_setenv ("PATH", path, TRUE);
  g_setenv ("SONDE_TEST_FOLDER", fixture->folder, TRUE);
  g_setenv ("SONDE_TEST_DIRECTORY", fixture->session.directory, TRUE);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_autofree char *ssh = g_build_filename (fixture->folder, "ssh", NULL);
  g_autofree char *words = g_build_filename (fixture->folder, "words", NULL);

  session_fixture_clear (&fixture->session);
  g_unlink (ssh);
  g_unlink (words);
  g_assert_cmpint (g_rmdir (fixture->folder), ==, 0);
  g_free (fixture->folder);
}

static SondeSessionClient *
attach (GError **error)
{
  g_autofree char *target = g_strdup_printf ("ssh:me@there:%d", getpid ());

  return sonde_session_client_attach_target (target, error);
}

/* ---- words --------------------------------------------------------------- */

static void
test_targets (void)
{
  static const struct
  {
    const char *text, *host;
    int pid;
  } good[] = { { "12", NULL, 12 },
               { "ssh:box", "box", 0 },
               { "ssh:box:12", "box", 12 },
               { "ssh:me@box.example.org:1", "me@box.example.org", 1 },
               { "ssh:[::1]:9", "::1", 9 },
               { "ssh:me@10.0.0.1", "me@10.0.0.1", 0 },
               { "ssh:[fe80::1%eth0]", "fe80::1%eth0", 0 } };
  static const char *const bad[] = { "",          "0",          "-1",          "x",
                                     "12 ",       "ssh:",       "ssh::1",      "ssh:-oX=y:1",
                                     "ssh:-v",    "ssh:a b",    "ssh:a;b",     "ssh:$(b):1",
                                     "ssh:me@-x", "ssh:@x",     "ssh:a:0",     "ssh:a:x",
                                     "ssh:a:1:2", "ssh:[::1",   "ssh:[]:1",    "ssh:[-a]:1",
                                     "ssh:me@",   "ssh:a\nb:1", "ssh:[::1]x1", "ssh:`a`" };

  for (gsize i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_auto (SondeSessionTarget) target = { 0 };

      g_assert_true (sonde_session_target_parse (good[i].text, &target, NULL));
      g_assert_cmpstr (target.host, ==, good[i].host);
      g_assert_cmpint (target.pid, ==, good[i].pid);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_auto (SondeSessionTarget) target = { 0 };
      g_autoptr (GError) error = NULL;

      if (sonde_session_target_parse (bad[i], &target, &error))
        g_error ("“%s” is taken as a target", bad[i]);
      g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID);
      g_assert_null (target.host);
    }
}

/* ---- a session ----------------------------------------------------------- */

/* What ssh is given: nothing that is not ours can be an option, and no port is forwarded. */
static void
check_words (Fixture *fixture)
{
  g_autofree char *path = g_build_filename (fixture->folder, "words", NULL);
  g_autofree char *wanted
      = g_strdup_printf ("-T\n-a\n-x\n-o\nClearAllForwardings=yes\n--\nme@there\n"
                         "sonde debug --attach %d --proxy\n",
                         getpid ());
  g_autofree char *words = NULL;

  g_assert_true (g_file_get_contents (path, &words, NULL, NULL));
  g_assert_cmpstr (words, ==, wanted);
}

static void
test_session (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) far = attach (&error), near = NULL;
  g_autoptr (SondeSessionReply) paused = NULL, here = NULL, there = NULL, again = NULL;
  g_autoptr (SondeSessionEvent) stop = NULL, made = NULL, next = NULL;

  g_assert_no_error (error);
  check_words (fixture);
  g_assert_true (sonde_session_client_is_attached (far));
  g_assert_cmpint (sonde_session_client_get_pid (far), ==, getpid ());
  paused = call (far, sonde_session_request_pause ());
  stop = wait_for (far, SONDE_SESSION_EVENT_STOPPED);
  g_assert_true (stop->status->in_control);
  add_breakpoint (far, "n5", SONDE_MOMENT_AFTER);
  made = resume (far, SONDE_RESUME_CONTINUE, 0, NULL, SONDE_SESSION_EVENT_STOPPED);
  near = sonde_session_client_attach (getpid (), fixture->session.directory, &error);
  g_assert_no_error (error);
  here = call (near, sonde_session_request_tensor ("big")); /* 1.4 MB: by a descriptor */
  there = call (far, sonde_session_request_tensor ("big"));
  g_assert_cmpuint (sonde_tensor_n_bytes (there->tensor), ==, 600 * 600 * 4);
  g_assert_cmpmem (there->tensor->data, 600 * 600 * 4, here->tensor->data, 600 * 600 * 4);
  again = call (far, sonde_session_request_tensor ("v3"));
  next = resume (far, SONDE_RESUME_STEP, 1, NULL, SONDE_SESSION_EVENT_STOPPED);
  g_assert_cmpint (next->status->stop.reason, ==, SONDE_STOP_STEP);
}

/* ssh is killed: this end says so, the other lets the run go on without the breakpoints. */
static void
test_lost (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeSessionClient) far = attach (&error), near = NULL;
  g_autoptr (SondeSessionEvent) stop = NULL, closed = NULL;
  g_autoptr (SondeSessionReply) list = NULL, reply = NULL;

  g_assert_no_error (error);
  add_breakpoint (far, "n3", SONDE_MOMENT_BEFORE);
  stop = wait_for (far, SONDE_SESSION_EVENT_STOPPED);
  near = sonde_session_client_attach (getpid (), fixture->session.directory, &error);
  g_assert_no_error (error);
  kill (far->carrier->pid, SIGTERM);
  closed = wait_for (far, SONDE_SESSION_EVENT_CLOSED);
  g_assert_nonnull (strstr (closed->text, "ssh to “me@there” was ended by signal 15"));
  sonde_session_event_free (wait_for (near, SONDE_SESSION_EVENT_RESUMED));
  list = call (near, sonde_session_request_list_breakpoints ());
  g_assert_cmpuint (list->breakpoints->len, ==, 0);
  g_assert_null (sonde_session_client_call (far, sonde_session_request_status (), -1, &error));
  g_assert_nonnull (strstr (error->message, "signal 15"));
}

/* ---- what can be wrong --------------------------------------------------- */

static void
test_errors (Fixture *fixture, gconstpointer data)
{
  static const char *const said[][2]
      = { { "ssh:nowhere:1", "ssh does not reach “nowhere”: Could not resolve hostname nowhere" },
          { "ssh:bare:1", "On “bare” no program “sonde” is found" },
          { "ssh:old:1", "The Sonde on “old” does not know sessions over ssh" },
          { "ssh:silent:1", "Sonde on “silent” ended without a word." },
          { "ssh:chatty:1", "does not speak Sonde's session protocol" },
          { "ssh:future:1", "speaks version 9 of the session protocol" },
          { "ssh:there:1", "Process 1 has no session." },
          { "ssh:there", "names no process" },
          { "ssh:-oProxyCommand=x:1", "names no session" } };

  for (gsize i = 0; i < G_N_ELEMENTS (said); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_session_client_attach_target (said[i][0], &error));
      if (strstr (error->message, said[i][1]) == NULL)
        g_error ("%s: %s", said[i][0], error->message);
    }
}

static void
test_no_ssh (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  g_setenv ("PATH", "/nowhere", TRUE);
  g_assert_null (sonde_session_client_attach_target ("ssh:there:1", &error));
  g_assert_nonnull (strstr (error->message, "Cannot start ssh"));
}

static void
test_list (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = sonde_session_list_of_host ("list", &error);
  const SondeSessionEntry *entry;

  g_assert_no_error (error);
  g_assert_cmpuint (list->len, ==, 2);
  entry = g_ptr_array_index (list, 1);
  g_assert_cmpint (entry->pid, ==, 12);
  g_assert_cmpstr (entry->title, ==, "train.py");
  g_assert_cmpuint (entry->step, ==, 4);
  g_assert_cmpint (entry->since, ==, 99);
  g_assert_cmpstr (entry->command, ==, "python a b");
  entry = g_ptr_array_index (list, 0);
  g_assert_cmpstr (entry->title, ==, "net on mlp");
  g_assert_null (entry->command);
  g_assert_null (sonde_session_list_of_host ("nowhere", &error));
  g_assert_nonnull (strstr (error->message, "does not reach"));
}

/* ---- bytes in place of descriptors --------------------------------------- */

static void
put (int fd, guint32 head, gsize n)
{
  g_autofree guint8 *bytes = g_malloc0 (n + sizeof head);
  guint32 little = GUINT32_TO_LE (head);

  memcpy (bytes, &little, sizeof little);
  g_assert_cmpint (write (fd, bytes, n + sizeof little), ==, (gssize) (n + sizeof little));
}

/* What a channel makes of a head and @n bytes: NULL, or its error. (transfer full) */
static GError *
take (gboolean carries, guint32 head, gsize n, gsize *got)
{
  SondeSessionChannel channel;
  GError *error = NULL;
  const guint8 *data;
  gsize length;
  int ends[2], fd;

  g_assert_cmpint (socketpair (AF_UNIX, SOCK_STREAM, 0, ends), ==, 0);
  sonde_session_channel_init (&channel, NULL, ends[0]);
  channel.carries_in = carries;
  g_assert_cmpint (write (ends[1], sonde_session_preamble, SONDE_SESSION_PREAMBLE_BYTES), ==,
                   SONDE_SESSION_PREAMBLE_BYTES);
  put (ends[1], head, n);
  put (ends[1], 5, 5);
  g_assert_true (sonde_session_channel_receive (&channel, NULL));
  *got = 0;
  if (sonde_session_channel_next (&channel, &data, &length, &error) && data != NULL)
    {
      g_assert_cmpuint (length, ==, 5);
      fd = sonde_session_channel_take_fd (&channel);
      g_assert_cmpint (fd, >=, 0);
      *got = (gsize) lseek (fd, 0, SEEK_END);
      close (fd);
    }
  sonde_session_channel_clear (&channel);
  close (ends[1]);
  return error;
}

static void
test_carried (void)
{
  const guint32 bit = (guint32) 1 << 31;
  g_autoptr (GError) unexpected = NULL, large = NULL;
  gsize got;

  g_assert_null (take (TRUE, bit | 3000, 3000, &got));
  g_assert_cmpuint (got, ==, 3000);
  g_assert_null (take (TRUE, bit | 3000, 2000, &got)); /* the rest is still to come */
  g_assert_cmpuint (got, ==, 0);
  unexpected = take (FALSE, bit | 3000, 3000, &got);
  g_assert_error (unexpected, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL);
  large = take (TRUE, bit | (1u << 30) | 1, 10, &got);
  g_assert_error (large, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_PROTOCOL);
  g_assert_nonnull (strstr (large->message, "more data than it may"));
}

/* ---- the other machine --------------------------------------------------- */

static int
be_proxy (int pid)
{
  g_autoptr (GError) error = NULL;

  if (sonde_session_proxy_run (pid, g_getenv ("SONDE_TEST_DIRECTORY"), STDIN_FILENO, STDOUT_FILENO,
                               &error))
    return 0;
  g_printerr ("sonde debug: %s\n", error->message);
  return 1;
}

int
main (int argc, char *argv[])
{
  g_autofree char *program = g_file_read_link ("/proc/self/exe", NULL);

  if (argc == 3 && g_str_equal (argv[1], "--proxy"))
    return be_proxy (atoi (argv[2]));
  g_test_init (&argc, &argv, NULL);
  g_setenv ("SONDE_TEST_PROGRAM", program, TRUE);
  g_test_add_func ("/engine/session/remote/targets", test_targets);
  g_test_add_func ("/engine/session/remote/carried", test_carried);
#define ADD(name, function)                                                                        \
  g_test_add ("/engine/session/remote/" name, Fixture, NULL, set_up, function, tear_down)
  ADD ("session", test_session);
  ADD ("lost", test_lost);
  ADD ("errors", test_errors);
  ADD ("no-ssh", test_no_ssh);
  ADD ("list", test_list);
#undef ADD
  return g_test_run ();
}
