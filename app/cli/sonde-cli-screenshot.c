/* SPDX-License-Identifier: Apache-2.0
 * `sonde screenshot`: one page of the real window as a PNG. The window is in a module of its own;
 * where there is no display, a private Xvfb is started for it and ended afterwards. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/sonde-cli.h"
#include "app/sonde-window-module.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-text.h"

#define DEFAULT_WIDTH 1280
#define DEFAULT_HEIGHT 800

gboolean
sonde_cli_parse_size (const char *text, int *width, int *height)
{
  gint64 w, h;
  char *end;

  w = g_ascii_strtoll (text, &end, 10);
  if (end == text || (*end != 'x' && *end != 'X') || !g_ascii_isdigit (end[1]))
    return FALSE;
  h = g_ascii_strtoll (end + 1, &end, 10);
  if (*end != '\0' || w < 1 || h < 1 || w > 16384 || h > 16384)
    return FALSE;
  *width = (int) w;
  *height = (int) h;
  return TRUE;
}

/* ---- a display of our own ------------------------------------------------ */

/* In the child: it must not outlive us, however we end. */
static void
die_with_parent (void *user_data)
{
  prctl (PR_SET_PDEATHSIG, SIGTERM);
}

/* Xvfb writes the number of the display it chose; its end is the end of the file. */
static gboolean
read_display (int fd, char *number, gsize size)
{
  gsize length = 0;

  while (length + 1 < size)
    {
      ssize_t got = read (fd, number + length, 1);

      if (got < 0 && errno == EINTR)
        continue;
      if (got <= 0 || number[length] == '\n')
        break;
      length++;
    }
  number[length] = '\0';
  return length > 0;
}

static gboolean
start_display (int width, int height, GPid *pid, GError **error)
{
  g_autofree char *screen = g_strdup_printf ("%dx%dx24", MAX (width, 640), MAX (height, 480));
  const char *const arguments[]
      = { "Xvfb", "-displayfd", "3", "-screen", "0", screen, "-nolisten", "tcp", NULL };
  g_autoptr (GError) local = NULL;
  int pipe_fds[2];
  const int target = 3;
  char number[16];
  gboolean started;

  if (pipe (pipe_fds) != 0)
    {
      sonde_data_error_set_errno (error, errno, "cannot create a pipe to Xvfb");
      return FALSE;
    }
  started = g_spawn_async_with_pipes_and_fds (
      NULL, arguments, NULL,
      G_SPAWN_SEARCH_PATH | G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL
          | G_SPAWN_STDERR_TO_DEV_NULL,
      die_with_parent, NULL, -1, -1, -1, &pipe_fds[1], &target, 1, pid, NULL, NULL, NULL, &local);
  close (pipe_fds[1]);
  if (!started)
    sonde_set_error (
        error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND,
        "There is no display (DISPLAY and WAYLAND_DISPLAY are unset), and Xvfb cannot be started: "
        "%s. Install the package xvfb, or run this command in a desktop session.",
        local->message);
  else if (!read_display (pipe_fds[0], number, sizeof number))
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                       "There is no display, and Xvfb exited without opening one; “Xvfb -displayfd "
                       "1” shows why.");
      waitpid (*pid, NULL, 0);
      started = FALSE;
    }
  close (pipe_fds[0]);
  if (started)
    {
      g_autofree char *display = g_strdup_printf (":%s", number);
      g_setenv ("DISPLAY", display, TRUE);
      g_setenv ("GDK_BACKEND", "x11", TRUE);
    }
  return started;
}

static void
stop_display (GPid pid)
{
  kill (pid, SIGTERM);
  while (waitpid (pid, NULL, 0) < 0 && errno == EINTR)
    ;
  g_spawn_close_pid (pid);
}

/* ---- the screenshot ------------------------------------------------------ */

static gboolean
take (const SondeScreenshotRequest *request, GError **error)
{
  SondeWindowModuleScreenshot function
      = sonde_cli_find_in_window ("sonde_window_module_screenshot", error);

  if (function == NULL)
    return FALSE;
  /* A screenshot needs neither settings nor assistive technologies, and a bus may be missing. */
  g_setenv ("GTK_A11Y", "none", FALSE);
  g_setenv ("GSETTINGS_BACKEND", "memory", FALSE);
  return function (request, error);
}

static gboolean
take_on_some_display (const SondeScreenshotRequest *request, GError **error)
{
  GPid display;
  gboolean done;

  if (g_getenv ("DISPLAY") != NULL || g_getenv ("WAYLAND_DISPLAY") != NULL)
    return take (request, error);
  if (!start_display (request->width * request->scale, request->height * request->scale, &display,
                      error))
    return FALSE;
  done = take (request, error);
  stop_display (display);
  return done;
}

static int
run (const SondeCliCommand *command, int argc, char **argv)
{
  g_autofree char *output = NULL, *size = NULL, *tag = NULL, *at = NULL, *data = NULL, *mean = NULL,
                  *std = NULL, *step = NULL, *view = NULL, *colour = NULL, *beside = NULL,
                  *program = NULL;
  gboolean dark = FALSE;
  double text_scale = 1;
  int scale = 1, status;
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &output, N_ ("PNG file to write"), "FILE" },
    { "size", 0, 0, G_OPTION_ARG_STRING, &size, N_ ("Window size (default 1280x800)"), N_ ("WxH") },
    { "scale", 0, 0, G_OPTION_ARG_INT, &scale, N_ ("Scale factor: 1 (default) to 4"), "N" },
    { "text-scale", 0, 0, G_OPTION_ARG_DOUBLE, &text_scale,
      N_ ("Size of texts and charts, as the desktop's text scaling: 0.5 to 3 (default 1)"), "N" },
    { "dark", 0, 0, G_OPTION_ARG_NONE, &dark, N_ ("Dark style"), NULL },
    { "step", 0, 0, G_OPTION_ARG_STRING, &step,
      N_ ("Position of the step cursor (default: the last step)"), "N" },
    { "tag", 0, 0, G_OPTION_ARG_STRING, &tag,
      N_ ("Show only matching tags; a single tag fills the page"), "GLOB" },
    { "at", 0, 0, G_OPTION_ARG_STRING, &at,
      N_ ("Page debugger: where to pause (default: the middle of the forward pass); page explain: "
          "a sample by name or "
          "as sample:NUMBER (also of a recorded run), an error category, or a cell as “cat > dog”"),
      "NODE" },
    { "data", 0, 0, G_OPTION_ARG_STRING, &data,
      N_ ("Page explain: images to evaluate the model on"), "DIR" },
    { "mean", 0, 0, G_OPTION_ARG_STRING, &mean,
      N_ ("With --data: channel means, subtracted from the images after division by 255"),
      "R,G,B" },
    { "std", 0, 0, G_OPTION_ARG_STRING, &std,
      N_ ("With --data: channel standard deviations, by which the images are then divided"),
      "R,G,B" },
    { "view", 0, 0, G_OPTION_ARG_STRING, &view,
      N_ ("Page profiler: which view; page projector: pca, tsne or umap, with -3d behind it for "
          "space; page scalars: two steps to compare, as 20..80; page landscape: 3d"),
      N_ ("VIEW") },
    { "colour", 0, 0, G_OPTION_ARG_STRING, &colour,
      N_ ("Page graph: what the colours of the nodes mean: family, time, memory, class, flops, "
          "parameters, health, dtype or device"),
      N_ ("KIND") },
    { "beside", 0, 0, G_OPTION_ARG_STRING, &beside,
      N_ ("Another page, which stands right of PAGE in a split window"), "PAGE" },
    { NULL },
  };
  g_auto (GStrv) operands = NULL;
  g_autoptr (GError) error = NULL;
  SondeScreenshotRequest request = { .width = DEFAULT_WIDTH, .height = DEFAULT_HEIGHT, .step = -1 };

  if (!sonde_cli_parse (command, argc, argv, entries, 1, -1, &operands, &status))
    return status;
  if (output == NULL)
    return sonde_cli_misuse (command, "--output is missing.");
  if (scale < 1 || scale > 4)
    return sonde_cli_misuse (command, "--scale must be 1, 2, 3 or 4, not %d.", scale);
  if (!(text_scale >= 0.5 && text_scale <= 3))
    return sonde_cli_misuse (command, "--text-scale must be from 0.5 to 3, not %g.", text_scale);
  if (size != NULL && !sonde_cli_parse_size (size, &request.width, &request.height))
    return sonde_cli_misuse (command, "--size must have the form 1280x800, not “%s”.", size);
  if (step != NULL
      && !g_ascii_string_to_signed (step, 10, G_MININT64, G_MAXINT64, &request.step, NULL))
    return sonde_cli_misuse (command, "--step must be an integer, not “%s”.", step);
  if ((gint64) request.width * scale > 16384 || (gint64) request.height * scale > 16384)
    return sonde_cli_misuse (command,
                             "--size times --scale must not exceed 16384 pixels per side.");

  program = sonde_cli_dup_program ();
  request.page = operands[0];
  request.paths = (const char *const *) operands + 1;
  request.output = output;
  request.scale = scale;
  request.text_scale = text_scale;
  request.dark = dark;
  request.has_step = step != NULL;
  request.tag = tag;
  request.at = at;
  request.data = data;
  request.mean = mean;
  request.std = std;
  request.view = view;
  request.colour = colour;
  request.beside = beside;
  request.program = program;
  return take_on_some_display (&request, &error) ? SONDE_EXIT_DONE
                                                 : sonde_cli_fail (command, error);
}

const SondeCliCommand sonde_cli_command_screenshot = {
  .name = "screenshot",
  .synopsis = N_ ("PAGE [PATH…] --output FILE.png [--size WxH] [--scale N] [--dark]"),
  .summary = N_ ("Write a screenshot of one page of the window."),
  .details
  = N_ ("PAGE is the lower-case name of a page: overview, runs, scalars, distributions, media, "
        "graph, tensors, pr-curves, debugger, explain, profiler, lineage, landscape, projector, "
        "train, "
        "migration. "
        "The screenshot shows the real window with its header bar, after everything has been read "
        "and drawn. Without a display, Xvfb is used."),
  .run = run,
};
