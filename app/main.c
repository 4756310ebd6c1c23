/* SPDX-License-Identifier: Apache-2.0
 * First word a command -> cli/, which needs no display; else the window. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib-unix.h>

#include "app/broadway/sonde-broadway.h"
#include "app/cli/sonde-cli-locale.h"
#include "app/cli/sonde-cli.h"
#include "app/sonde-window-module.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"
#include "engine/live/sonde-nearest.h"
#include "engine/session/sonde-session-directory.h"

static void
print_help (void)
{
  g_print ("%s",
           _ ("Usage:\n"
              "  sonde [PATH…]            Open the window on runs, models or recipes\n"
              "  sonde --broadway[=PORT] [PATH…]\n"
              "                           Open the window in a browser, by a port of this machine\n"
              "  sonde COMMAND [OPTION…]  Run a command without the window\n\nCommands:\n"));
  for (const SondeCliCommand *const *command = sonde_cli_list (); *command != NULL; command++)
    if (!(*command)->hidden)
      g_print ("  %-12s %s\n", (*command)->name, _ ((*command)->summary));
  g_print ("\n%s\n",
           _ ("See “sonde COMMAND --help” for the options of a command and “sonde --version” "
              "for the version."));
}

/* libgomp reads its variables when it is loaded, before main(): a command that computes runs itself
 * again once with them set. SONDE_OPENMP_READY guards against a loop. */
static void
prepare_openmp (char **argv)
{
  g_autofree char *program = sonde_cli_dup_program ();
  g_auto (GStrv) here = g_get_environ ();
  g_auto (GStrv) environment = NULL;

  if (g_getenv ("SONDE_OPENMP_READY") != NULL)
    return;
  environment
      = g_environ_setenv (sonde_session_dup_environment (here, 0), "SONDE_OPENMP_READY", "1", TRUE);
  execve (program, argv, environment);
  /* Running on without the variables is slower, not wrong. */
  g_debug ("cannot run %s again: %s", program, g_strerror (errno));
}

/* What was printed and did not arrive is no success; a reader who has seen enough (| head) is not
 * told. */
static int
close_output (int status)
{
  gboolean lost = fflush (stdout) != 0 || ferror (stdout) != 0;

  if (!lost || status != SONDE_EXIT_DONE)
    return status;
  if (errno != EPIPE)
    g_printerr (_ ("sonde: Cannot write to standard output: %s\n"), g_strerror (errno));
  return SONDE_EXIT_FAILED;
}

static int
run_window (const char *const *paths)
{
  g_autofree char *program = sonde_cli_dup_program ();
  g_autoptr (GError) error = NULL;
  SondeWindowModuleRun run = sonde_cli_find_in_window ("sonde_window_module_run", &error);

  if (run == NULL)
    {
      g_printerr (_ ("sonde: Cannot open the window: %s\n"
                     "Commands work without it; see “sonde --help”.\n"),
                  sonde_error_get_text (error));
      return SONDE_EXIT_FAILED;
    }
  return run (program, paths);
}

/* Windows are closed, not dropped: the display server and its folder go with the program. */
static gboolean
on_end_signal (gpointer unused)
{
  GApplication *application = g_application_get_default ();

  if (application != NULL)
    g_action_group_activate_action (G_ACTION_GROUP (application), "quit", NULL);
  return G_SOURCE_CONTINUE;
}

/* @option: "--broadway" or "--broadway=PORT" */
static int
run_in_browser (const char *option, const char *const *paths)
{
  const char *text = strchr (option, '=');
  g_autoptr (SondeBroadway) broadway = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *advice = NULL;
  guint16 port;

  if (!sonde_broadway_parse_port (text != NULL ? text + 1 : NULL, &port))
    {
      g_printerr (_ ("sonde: “%s” is no port for --broadway; choose one from 1024 to 65535\n"),
                  text + 1);
      return SONDE_EXIT_USAGE;
    }
  broadway = sonde_broadway_start (port, &error);
  if (broadway == NULL)
    {
      g_printerr (_ ("sonde: Cannot open the window in a browser: %s\n"), error->message);
      return SONDE_EXIT_FAILED;
    }
  advice = sonde_broadway_dup_advice (broadway);
  g_print ("%s", advice);
  fflush (stdout);
  g_unix_signal_add (SIGINT, on_end_signal, NULL);
  g_unix_signal_add (SIGTERM, on_end_signal, NULL);
  return run_window (paths);
}

/* Descriptors 0 to 2 that came closed would be given to the next file or socket that is opened,
 * which would then be read as stdin or written over by messages. A closed stdout stays closed to
 * write to: what is lost there is an error. */
static void
fill_standard_descriptors (void)
{
  int fd;

  do
    fd = open ("/dev/null", O_RDONLY);
  while (fd >= 0 && fd <= STDERR_FILENO);
  if (fd > STDERR_FILENO)
    close (fd);
}

static const char *
get_command (guint k, gpointer data)
{
  const SondeCliCommand *command = sonde_cli_list ()[k];

  return command->hidden ? NULL : command->name;
}

/* Most likely a command that was mistyped. A folder that is still to come is written with a slash. */
static int
refuse_word (const char *word)
{
  const char *nearest;
  guint n = 0;

  while (sonde_cli_list ()[n] != NULL)
    n++;
  nearest = sonde_nearest_name (word, get_command, n, NULL);
  if (nearest != NULL)
    g_printerr (_ ("sonde: “%s” is neither a command nor an existing path; did you mean “sonde "
                   "%s”?\n"),
                word, nearest);
  else
    g_printerr (_ ("sonde: “%s” is neither a command nor an existing path; see “sonde --help”.\n"),
                word);
  g_printerr (_ ("To watch a folder that does not exist yet, add a slash: sonde %s/\n"), word);
  return SONDE_EXIT_USAGE;
}

int
main (int argc, char **argv)
{
  g_autofree char *program = sonde_cli_dup_program ();
  const SondeCliCommand *command;

  fill_standard_descriptors ();
  /* OpenBLAS with threads would start them when it is loaded (data/base/sonde-lapack.h). */
  g_setenv ("OPENBLAS_NUM_THREADS", "1", TRUE);
  sonde_cli_start_locale (program);
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
  g_set_prgname ("sonde");
  if (argc > 1
      && (g_str_equal (argv[1], "--help") || g_str_equal (argv[1], "-h")
          || g_str_equal (argv[1], "help")))
    return print_help (), SONDE_EXIT_DONE;
  if (argc > 1 && g_str_equal (argv[1], "--version"))
    return g_print ("sonde %s\n", SONDE_VERSION), SONDE_EXIT_DONE;
  command = argc > 1 ? sonde_cli_find (argv[1]) : NULL;
  if (command != NULL)
    {
      if (command->computes)
        prepare_openmp (argv);
      return close_output (command->run (command, argc - 1, argv + 1));
    }
  if (argc > 1
      && (g_str_equal (argv[1], "--broadway") || g_str_has_prefix (argv[1], "--broadway=")))
    return run_in_browser (argv[1], (const char *const *) argv + 2);
  if (argc > 1 && argv[1][0] == '-')
    {
      g_printerr (_ ("sonde: Unknown option “%s”. See “sonde --help”.\n"), argv[1]);
      return SONDE_EXIT_USAGE;
    }
  if (argc > 1 && strchr (argv[1], '/') == NULL && strchr (argv[1], '.') == NULL
      && !g_file_test (argv[1], G_FILE_TEST_EXISTS))
    return refuse_word (argv[1]);
  return run_window ((const char *const *) argv + 1);
}
