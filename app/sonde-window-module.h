/* SPDX-License-Identifier: Apache-2.0
 * The interface of the window module: the only part that links GTK, loaded by the program when a window
 * or a screenshot is wanted. These symbols are all that it exports. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * SondeScreenshotRequest: of `sonde screenshot`
 * @page: lower-case page name; @paths: (array zero-terminated=1): what to open
 * @output: PNG file; @width, @height: in logical pixels; @scale: 1 or 2
 * @step: -1: the last; @tag: (nullable) glob; @at: (nullable) node for the debugger; sample, reason
 * or cell of explain
 * @text_scale: as the desktop's text scaling has it: 1, 1.25, 2, …
 * @data: (nullable): images that explain studies the model on; @mean, @std: (nullable): of
 * these, as `sonde explain` takes them
 * @view: (nullable): which of the page's views (profiler); @colour: (nullable): what the nodes are
 * coloured by (graph)
 * @beside: (nullable): page that stands right of @page, another one
 * @program: path of the running program, to spawn engine children
 */
typedef struct
{
  const char *page;
  const char *const *paths;
  const char *output;
  int width, height, scale;
  double text_scale;
  gboolean dark;
  gint64 step;
  gboolean has_step;
  const char *tag;
  const char *at;
  const char *data, *mean, *std;
  const char *view, *colour, *beside;
  const char *program;
} SondeScreenshotRequest;

/* What the program and the module have to agree on; another number with another meaning of what follows, or other
 * members of the request. */
#define SONDE_WINDOW_MODULE_INTERFACE (1000u + (guint) sizeof (SondeScreenshotRequest))
guint sonde_window_module_get_interface (void);
typedef guint (*SondeWindowModuleGetInterface) (void);

/* Opens the window on @paths (may be empty) and runs until it is closed. Returns the exit
 * status. */
int sonde_window_module_run (const char *program, const char *const *paths);
typedef int (*SondeWindowModuleRun) (const char *program, const char *const *paths);

/* Opens the real window, waits until the page has loaded and settled, writes the image,
 * closes. */
gboolean sonde_window_module_screenshot (const SondeScreenshotRequest *request, GError **error);
typedef gboolean (*SondeWindowModuleScreenshot) (const SondeScreenshotRequest *request,
                                                 GError **error);

typedef const char *const *(*SondeWindowModuleListPages) (void);

/* `sonde debug` without --repl: opens the Debugger page on a session. @arguments: argv of the debug
 * command */
int sonde_window_module_debug (const char *program, const char *const *arguments);
typedef int (*SondeWindowModuleDebug) (const char *program, const char *const *arguments);

G_END_DECLS
