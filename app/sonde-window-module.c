/* SPDX-License-Identifier: Apache-2.0
 * The exported symbols of the module. Nothing else of it can be seen from outside. */
#include "app/sonde-window-module.h"

#include <adwaita.h>
#include <gmodule.h>

#include "app/widgets/sonde-page.h"
#include "app/sonde-application.h"
#include "app/sonde-screenshot.h"
#include "data/base/sonde-error.h"

#define SETTLE_SECONDS 120 /* a large run, a slow disk, a debugger that starts its child */

static gboolean
start_toolkit (GError **error)
{
  /* main() chose: numbers with a point, UTF-8 */
  gtk_disable_setlocale ();
  if (gtk_init_check ())
    {
      adw_init ();
      return TRUE;
    }
  sonde_set_error (
      error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
      "cannot open a display (DISPLAY is “%s”, WAYLAND_DISPLAY is “%s”): run this in a "
      "desktop session or under xvfb-run",
      g_getenv ("DISPLAY") != NULL ? g_getenv ("DISPLAY") : "",
      g_getenv ("WAYLAND_DISPLAY") != NULL ? g_getenv ("WAYLAND_DISPLAY") : "");
  return FALSE;
}

static int
run (const char *program, const char *const *paths, const char *const *debug_arguments)
{
  g_autoptr (SondeApplication) application = NULL;
  g_autoptr (GError) error = NULL;

  if (!start_toolkit (&error))
    {
      g_printerr ("sonde: %s\n", sonde_error_get_text (error));
      return 1;
    }
  application = sonde_application_new (program, paths, debug_arguments);
  return g_application_run (G_APPLICATION (application), 0, NULL);
}

G_MODULE_EXPORT guint
sonde_window_module_get_interface (void)
{
  return SONDE_WINDOW_MODULE_INTERFACE;
}

G_MODULE_EXPORT int
sonde_window_module_run (const char *program, const char *const *paths)
{
  return run (program, paths, NULL);
}

G_MODULE_EXPORT int
sonde_window_module_debug (const char *program, const char *const *arguments)
{
  return run (program, (const char *const[]){ NULL }, arguments);
}

G_MODULE_EXPORT gboolean
sonde_window_module_screenshot (const SondeScreenshotRequest *request, GError **error)
{
  /* Icons are drawn for the scale of the image; a software renderer is the same everywhere. */
  if (request->scale > 1)
    {
      g_autofree char *scale = g_strdup_printf ("%d", request->scale);
      g_setenv ("GDK_SCALE", scale, TRUE);
    }
  g_setenv ("GSK_RENDERER", "cairo", FALSE);
  return start_toolkit (error) && sonde_screenshot_take (request, SETTLE_SECONDS, error);
}
