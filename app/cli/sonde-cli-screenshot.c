/* SPDX-License-Identifier: Apache-2.0
 * `sonde screenshot`: one page of the real window as PNG. Without a display it starts a private X server. */
#include <fcntl.h>
#include <gmodule.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/sonde-cli.h"
#include "app/sonde-window-module.h"
#include "data/base/sonde-error.h"

typedef struct
{
  char *output, *size, *tag, *at, *step;
  int scale;
  gboolean dark;
} ScreenshotOptions;

/* ---- a private X server ----------------------------------------------------------------------- */

/* Starts Xvfb on a free display and sets DISPLAY. Returns its pid, 0 when a display is there already, -1 with @error. */
static GPid
start_display (GError **error)
{
  const char *arguments[] = { "Xvfb", "-displayfd", "3", "-screen", "0", "2560x1600x24", "-nolisten", "tcp", NULL };
  int target = 3, source, pipe_fds[2];
  char number[16] = "";
  gsize length = 0;
  GPid pid;
  g_autofree char *display = NULL;

  if (g_getenv ("DISPLAY") != NULL || g_getenv ("WAYLAND_DISPLAY") != NULL)
    return 0;
  if (pipe2 (pipe_fds, O_CLOEXEC) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot make a pipe");
      return -1;
    }
  source = pipe_fds[1];
  if (!g_spawn_async_with_pipes_and_fds (NULL, arguments, NULL,
                                         G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDERR_TO_DEV_NULL,
                                         NULL, NULL, -1, -1, -1, &source, &target, 1, &pid, NULL, NULL, NULL, error))
    {
      g_prefix_error (error, "There is no display, and Xvfb (Debian package xvfb) cannot be started: ");
      close (pipe_fds[0]);
      close (pipe_fds[1]);
      return -1;
    }
  close (pipe_fds[1]);
  /* It writes its number and a newline when it is ready. */
  while (length + 1 < sizeof number && memchr (number, '\n', length) == NULL)
    {
      ssize_t n = read (pipe_fds[0], number + length, sizeof number - 1 - length);

      if (n <= 0)
        break;
      length += (gsize) n;
    }
  close (pipe_fds[0]);
  if (length == 0)
    {
      kill (pid, SIGTERM);
      waitpid (pid, NULL, 0);
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "There is no display, and Xvfb did not start.");
      return -1;
    }
  display = g_strdup_printf (":%s", g_strstrip (number));
  g_setenv ("DISPLAY", display, TRUE);
  g_setenv ("GDK_BACKEND", "x11", TRUE);
  return pid;
}

static void
stop_display (GPid pid)
{
  if (pid <= 0)
    return;
  kill (pid, SIGTERM);
  waitpid (pid, NULL, 0);
}

/* ---- the picture ------------------------------------------------------------------------------ */

static gboolean
take (const SondeScreenshotRequest *request,
      GError                      **error)
{
  g_autofree char *path = sonde_cli_dup_window_module ();
  GModule *module = g_module_open (path, G_MODULE_BIND_LOCAL);
  SondeWindowModuleScreenshot screenshot = NULL;

  if (module == NULL || !g_module_symbol (module, "sonde_window_module_screenshot", (gpointer *) &screenshot))
    {
      g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND, "The window cannot be loaded: %s",
                   g_module_error ());
      return FALSE;
    }
  return screenshot (request, error);
}

/* "1280x800" */
static gboolean
parse_size (const char *text,
            int        *width,
            int        *height)
{
  char end;

  return sscanf (text, "%dx%d%c", width, height, &end) == 2 && *width >= 200 && *height >= 150 && *width <= 8192
         && *height <= 8192;
}

static int
run (const SondeCommand      *command,
     const ScreenshotOptions *options,
     char                   **operands)
{
  g_autofree char *program = sonde_cli_dup_program ();
  SondeScreenshotRequest request = { .page = operands[0], .output = options->output, .width = 1280, .height = 800,
                                     .scale = options->scale, .dark = options->dark, .step = -1, .tag = options->tag,
                                     .at = options->at, .program = program };
  g_autoptr (GError) error = NULL;
  gboolean good;
  GPid display;

  request.paths = (const char *const *) operands + 1;
  if (options->output == NULL)
    return sonde_cli_misuse (command, "--output F.png is missing.");
  if (options->size != NULL && !parse_size (options->size, &request.width, &request.height))
    return sonde_cli_misuse (command, "--size %s: write WIDTHxHEIGHT, as 1280x800.", options->size);
  if (options->scale < 1 || options->scale > 4)
    return sonde_cli_misuse (command, "--scale takes 1 to 4.");
  request.has_step = options->step != NULL;
  if (options->step != NULL
      && !g_ascii_string_to_signed (options->step, 10, G_MININT64, G_MAXINT64, &request.step, NULL))
    return sonde_cli_misuse (command, "--step %s is no whole number.", options->step);
  display = start_display (&error);
  good = display >= 0 && take (&request, &error);
  stop_display (display);
  return good ? SONDE_EXIT_DONE : sonde_cli_fail (command, error);
}

static int
run_screenshot (const SondeCommand *command,
                int                 argc,
                char              **argv)
{
  ScreenshotOptions options = { .scale = 1 };
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &options.output, "Picture to write", "F.png" },
    { "size", 0, 0, G_OPTION_ARG_STRING, &options.size, "Size of the window (default 1280x800)", "WxH" },
    { "scale", 0, 0, G_OPTION_ARG_INT, &options.scale, "Pixels a unit, 1 to 4", "N" },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &options.dark, "Dark colours", NULL },
    { "step", 0, 0, G_OPTION_ARG_STRING, &options.step, "Where the step cursor stands (default: the last)", "N" },
    { "tag", 0, 0, G_OPTION_ARG_STRING, &options.tag, "Tags to show", "GLOB" },
    { "at", 0, 0, G_OPTION_ARG_STRING, &options.at, "Node where the debugger pauses (default: the middle)", "NODE" },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  int status = SONDE_EXIT_DONE;

  if (sonde_cli_parse (command, argc, argv, entries, 2, -1, &operands, &status))
    status = run (command, &options, operands);
  g_free (options.output);
  g_free (options.size);
  g_free (options.tag);
  g_free (options.at);
  g_free (options.step);
  return status;
}

const SondeCommand sonde_command_screenshot = {
  .name = "screenshot",
  .synopsis = "PAGE PATH… --output F.png",
  .summary = "Writes a picture of one page of the window.",
  .details = "PAGE is overview, runs, scalars, distributions, media, graph, debugger or explain. The debugger page "
             "starts a real engine and pauses at --at.",
  .run = run_screenshot,
};
