/* SPDX-License-Identifier: Apache-2.0
 * Waiting is done frame by frame: a tick callback asks whether the page has settled, and the
 * image is taken a few frames after it said so, when layout has come to rest. */
#include "app/sonde-screenshot.h"

#include <ftw.h>
#include <stdio.h>
#include <string.h>

#include "app/pages/graph/sonde-graph-colours.h"
#include "app/pages/projector/sonde-projector-options.h"
#include "app/pages/scalars/sonde-scalar-cursors.h"
#include "app/profiler/sonde-profiler-views.h"
#include "app/sonde-application.h"
#include "app/sonde-window.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-format.h"
#include "data/base/sonde-io.h"
#include "data/base/sonde-text.h"
#include "viewers/sonde-text-scale.h"
#include "viewers/sonde-view.h"

#define CHILD_SECONDS 5
/* Allocation, panes that arrange themselves by it, prepare, bounds of charts, and one to be
 * sure. */
#define CALM_FRAMES 6

typedef struct
{
  GtkWidget *window;
  int calm_frames;
  gboolean done, late;
} Wait;

static gboolean
on_frame (GtkWidget *widget, GdkFrameClock *clock, void *user_data)
{
  Wait *wait = user_data;

  wait->calm_frames = sonde_window_is_settled (SONDE_WINDOW (widget)) ? wait->calm_frames + 1 : 0;
  if (wait->calm_frames == 1)
    sonde_window_look_at_contents (SONDE_WINDOW (widget)); /* which would come a second later */
  wait->done = wait->calm_frames > CALM_FRAMES;
  gtk_widget_queue_draw (widget);
  return wait->done ? G_SOURCE_REMOVE : G_SOURCE_CONTINUE;
}

static gboolean
on_late (void *user_data)
{
  ((Wait *) user_data)->late = TRUE;
  return G_SOURCE_CONTINUE;
}

static gboolean
wait_until_settled (GtkWidget *window, const char *page, int timeout_seconds, GError **error)
{
  Wait wait = { .window = window };
  guint timeout = g_timeout_add_seconds ((guint) timeout_seconds, on_late, &wait);
  guint tick = gtk_widget_add_tick_callback (window, on_frame, &wait, NULL);

  while (!wait.done && !wait.late)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (timeout);
  if (!wait.done)
    {
      gtk_widget_remove_tick_callback (window, tick);
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO,
                       "page “%s” was still loading after %d s; no screenshot was taken", page,
                       timeout_seconds);
    }
  return wait.done;
}

cairo_surface_t *
sonde_screenshot_render (GtkWidget *widget, int scale)
{
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  int width = gtk_widget_get_width (widget), height = gtk_widget_get_height (widget);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  cairo_surface_t *surface
      = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, width * scale, height * scale);
  g_autoptr (GskRenderNode) node = NULL;
  cairo_t *cr = cairo_create (surface);

  gdk_paintable_snapshot (paintable, snapshot, width, height);
  node = gtk_snapshot_free_to_node (snapshot);
  cairo_scale (cr, scale, scale);
  if (node != NULL)
    gsk_render_node_draw (node, cr);
  cairo_destroy (cr);
  return surface;
}

static cairo_status_t
collect (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static gboolean
save (GtkWidget *window, const SondeScreenshotRequest *request, GError **error)
{
  cairo_surface_t *surface = sonde_screenshot_render (window, MAX (request->scale, 1));
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  cairo_status_t status = cairo_surface_write_to_png_stream (surface, collect, bytes);

  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO, "cannot render the window: %s",
                       cairo_status_to_string (status));
      return FALSE;
    }
  return sonde_io_replace_file (NULL, request->output, bytes->data, bytes->len, error);
}

/* The same image everywhere: no animations, the font of the design, and no frame that only a
 * display without a compositor draws around a window. */
static void
make_repeatable (void)
{
  g_autoptr (GtkCssProvider) provider = gtk_css_provider_new ();

  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, "gtk-font-name",
                "Cantarell 11", "gtk-icon-theme-name", "Adwaita", NULL);
  gtk_css_provider_load_from_data (
      provider,
      "window.csd, window.solid-csd { margin: 0; padding: 0; border: none;"
      " box-shadow: none; outline: none; border-radius: 0; }",
      -1);
  gtk_style_context_add_provider_for_display (
      gdk_display_get_default (), GTK_STYLE_PROVIDER (provider), GTK_STYLE_PROVIDER_PRIORITY_USER);
}

/* The exact size, also on a screen that is smaller: nothing is shown to anybody. */
static void
force_size (GtkWidget *window, const SondeScreenshotRequest *request)
{
  gtk_window_unmaximize (GTK_WINDOW (window));
  gtk_window_set_default_size (GTK_WINDOW (window), request->width, request->height);
  gtk_widget_set_size_request (window, request->width, request->height);
}

/* ---- a training for it --------------------------------------------------- */

static int
remove_one (const char *path, const struct stat *status, int kind, struct FTW *place)
{
  return remove (path);
}

/* Where a training records that is gone in a moment concerns nobody. */
static void
keep_quiet (SondeWorkspace *workspace)
{
  g_signal_stop_emission_by_name (workspace, "notice");
}

/* What is debugged in training records into a folder that goes with the image. Returns: (transfer
 * full) (nullable): that folder */
static char *
use_scratch_folder (const SondeScreenshotRequest *request, SondeWorkspace *workspace)
{
  const char *subject = request->paths[0];
  g_autofree char *folder = NULL, *run = NULL;

  if (!g_str_equal (request->page, "debugger") || subject == NULL)
    return NULL;
  if (!g_str_has_suffix (subject, ".recipe") && !g_str_has_suffix (subject, ".ini")
      && (strpbrk (subject, "/.") != NULL || g_file_test (subject, G_FILE_TEST_EXISTS)))
    return NULL;
  folder = g_dir_make_tmp ("sonde-XXXXXX", NULL);
  if (folder == NULL)
    return NULL;
  run = g_build_filename (folder, "run", NULL);
  g_signal_connect (workspace, "notice", G_CALLBACK (keep_quiet), NULL);
  sonde_workspace_set_debug_arguments (
      workspace, (const char *const[]){ "debug", subject, "--run", run, NULL });
  return g_steal_pointer (&folder);
}

static gboolean
on_waited (void *user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_REMOVE;
}

/* Engine children end in their own time, but not later than the program. */
static void
wait_for_children (GApplication *application)
{
  gboolean waited = FALSE;
  guint timeout = g_timeout_add_seconds (CHILD_SECONDS, on_waited, &waited);

  while (g_application_get_is_busy (application) && !waited)
    g_main_context_iteration (NULL, TRUE);
  if (!waited)
    g_source_remove (timeout);
}

static gboolean
is_projection (const SondeScreenshotRequest *request)
{
  SondeProjectionMethod method;
  gboolean space;

  return g_strcmp0 (request->page, "projector") == 0
         && sonde_projector_options_parse (request->view, &method, &space);
}

/* Two steps whose values are compared. */
static gboolean
is_comparison (const SondeScreenshotRequest *request)
{
  gint64 a, b;

  return g_strcmp0 (request->page, "scalars") == 0
         && sonde_scalar_cursors_parse (request->view, &a, &b);
}

/* Whether there is such a view, when one is asked for. */
static gboolean
check_view (const SondeScreenshotRequest *request, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (request->view == NULL || sonde_profiler_view_find (request->view) != NULL
      || is_projection (request) || is_comparison (request)
      || (g_strcmp0 (request->page, "landscape") == 0 && g_str_equal (request->view, "3d"))
      || (g_strcmp0 (request->page, "lineage") == 0
          && (g_str_equal (request->view, "parallel") || g_str_equal (request->view, "scatter"))))
    return TRUE;
  for (const SondeProfilerView *view = sonde_profiler_views; view->name != NULL; view++)
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", view->name);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "there is no view “%s”; available views: %s", request->view, names->str);
  return FALSE;
}

/* Whether there are such colours, when some are asked for. */
static gboolean
check_colour (const SondeScreenshotRequest *request, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (request->colour == NULL || sonde_graph_colour_find (request->colour) != NULL)
    return TRUE;
  for (const SondeGraphColour *colour = sonde_graph_colours; colour->name != NULL; colour++)
    g_string_append_printf (names, "%s%s", names->len > 0 ? ", " : "", colour->name);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "nodes cannot be coloured by “%s”, only by: %s", request->colour, names->str);
  return FALSE;
}

/* The page alone, whatever the last window showed, or beside the other one that is asked for. */
static void
show (SondeWindow *window, const SondeScreenshotRequest *request, const SondePageRequest *page)
{
  sonde_window_forget_habits (window);
  sonde_window_show_page (window, request->page, page);
  if (request->beside == NULL)
    return;
  sonde_window_show_beside (window, request->beside, SONDE_SPLIT_RIGHT);
  sonde_window_show_page (window, request->page, NULL);
}

static gboolean
check_page (const char *name, GError **error)
{
  g_autofree char *names = NULL;

  if (name == NULL || sonde_page_info_find (name) != NULL)
    return TRUE;
  names = g_strjoinv (", ", (char **) sonde_page_names);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "there is no page “%s”; available pages: %s", name, names);
  return FALSE;
}

static gboolean
check_beside (const SondeScreenshotRequest *request, GError **error)
{
  if (g_strcmp0 (request->page, request->beside) != 0)
    return check_page (request->beside, error);
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "page “%s” cannot stand beside itself; choose another one", request->page);
  return FALSE;
}

gboolean
sonde_screenshot_take (const SondeScreenshotRequest *request, int timeout_seconds, GError **error)
{
  g_autoptr (SondeApplication) application = NULL;
  g_autoptr (SondeWorkspace) workspace = NULL;
  SondePageRequest page = { .step = request->step,
                            .has_step = request->has_step,
                            .tag = request->tag,
                            .at = request->at,
                            .data = request->data,
                            .mean = request->mean,
                            .std = request->std,
                            .view = request->view,
                            .colour = request->colour };
  SondeWindow *window;
  g_autofree char *scratch = NULL;
  gboolean done;

  if (!check_page (request->page, error) || !check_beside (request, error)
      || !check_view (request, error) || !check_colour (request, error))
    return FALSE;
  application = sonde_application_new (request->program, request->paths, NULL);
  if (!g_application_register (G_APPLICATION (application), NULL, error))
    return FALSE;
  make_repeatable ();
  sonde_text_scale_set (request->text_scale);
  sonde_view_set_picture_scale ((guint) MAX (request->scale, 1));
  workspace = sonde_workspace_new (NULL, request->program, request->paths, NULL);
  scratch = use_scratch_folder (request, workspace);
  window = g_object_ref (sonde_window_new (ADW_APPLICATION (application), workspace));
  sonde_format_set_style (&SONDE_NUMBER_STYLE_DEFAULT); /* whatever its user prefers */
  adw_style_manager_set_color_scheme (adw_style_manager_get_default (),
                                      request->dark ? ADW_COLOR_SCHEME_FORCE_DARK
                                                    : ADW_COLOR_SCHEME_FORCE_LIGHT);
  force_size (GTK_WIDGET (window), request);
  if (request->has_step)
    sonde_step_cursor_set_step (sonde_workspace_get_cursor (workspace), request->step);
  sonde_workspace_start (workspace);
  show (window, request, &page);
  gtk_window_present (GTK_WINDOW (window));
  done = wait_until_settled (GTK_WIDGET (window), request->page, timeout_seconds, error)
         && save (GTK_WIDGET (window), request, error);
  /* Destroyed, not closed: an image leaves no trace in what the window remembers. */
  gtk_window_destroy (GTK_WINDOW (window));
  g_object_unref (window);
  wait_for_children (G_APPLICATION (application));
  if (scratch != NULL)
    nftw (scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return done;
}
