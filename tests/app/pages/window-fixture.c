/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/app/pages/window-fixture.h"

#include <math.h>

#include <glib/gstdio.h>

#define DEADLINE_SECONDS 30

gboolean
window_fixture_prepare (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-window-XXXXXX", NULL);
  g_autofree char *config = g_build_filename (folder, "config", NULL);
  g_autofree char *cache = g_build_filename (folder, "cache", NULL);
  g_autofree char *data = g_build_filename (folder, "data", NULL);

  g_setenv ("XDG_CONFIG_HOME", config, TRUE);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_setenv ("XDG_DATA_HOME", data, TRUE);
  /* The trash of a folder is that of its home when both are on one device. */
  g_setenv ("HOME", folder, TRUE);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP there is no display\n");
      return FALSE;
    }
  adw_init ();
  g_object_set (gtk_settings_get_default (), "gtk-enable-animations", FALSE, NULL);
  return TRUE;
}

static SondeTestRun *
make_run (WindowFixture *fixture, const char *name, double rate)
{
  g_autofree char *path = g_build_filename (fixture->folder, "runs", "group", name, NULL);
  SondeTestRun *run = sonde_test_run_new (path);

  for (int i = 0; i < 200; i++)
    {
      sonde_test_run_scalars (run, i, "loss", exp (-i * rate), "accuracy", 1 - exp (-i * rate),
                              NULL);
      if (i % 50 == 0)
        sonde_test_run_histogram (run, i, "weights/fc", 0, 1 + i * rate, 500);
    }
  sonde_test_run_flush (run);
  return run;
}

void
window_fixture_init (WindowFixture *fixture)
{
  fixture->folder = g_dir_make_tmp ("sonde-pages-XXXXXX", NULL);
  fixture->run_a = make_run (fixture, "a", 0.02);
  fixture->run_b = make_run (fixture, "b", 0.05);
}

void
window_fixture_present (WindowFixture *fixture, const char *const *paths, const char *name,
                        const SondePageRequest *request)
{
  g_autofree char *index = g_build_filename (fixture->folder, "index", NULL);
  g_autofree char *program = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  g_autoptr (GError) error = NULL;

  /* A process has one application. */
  if (g_application_get_default () == NULL)
    {
      SondeApplication *application = sonde_application_new (program, paths, NULL);

      g_application_register (G_APPLICATION (application), NULL, &error);
      g_assert_no_error (error);
      g_application_set_default (G_APPLICATION (application));
    }
  fixture->workspace = sonde_workspace_new (fixture->io, program, paths, index);
  fixture->window = g_object_ref (
      sonde_window_new (ADW_APPLICATION (g_application_get_default ()), fixture->workspace));
  gtk_window_set_default_size (GTK_WINDOW (fixture->window), 1000, 700);
  if (name != NULL)
    g_assert_true (sonde_window_show_page (fixture->window, name, request));
  gtk_window_present (GTK_WINDOW (fixture->window));
}

void
window_fixture_open_paths (WindowFixture *fixture, const char *const *paths, const char *name,
                           const SondePageRequest *request)
{
  window_fixture_present (fixture, paths, name, request);
  sonde_workspace_start (fixture->workspace);
  window_fixture_settle (fixture);
}

void
window_fixture_open (WindowFixture *fixture, const char *name)
{
  g_autofree char *runs = g_build_filename (fixture->folder, "runs", NULL);

  window_fixture_open_paths (fixture, (const char *const[]){ runs, NULL }, name, NULL);
}

static gboolean
is_gone (WindowFixture *fixture, const void *data)
{
  return !gtk_widget_get_realized (GTK_WIDGET (fixture->window));
}

void
window_fixture_close (WindowFixture *fixture)
{
  gtk_window_close (GTK_WINDOW (fixture->window));
  window_fixture_wait (fixture, is_gone, NULL);
  g_clear_object (&fixture->window);
  g_clear_object (&fixture->workspace);
}

static void
remove_tree (const char *path)
{
  g_autoptr (GDir) folder = g_dir_open (path, 0, NULL);
  const char *name;

  while (folder != NULL && (name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *child = g_build_filename (path, name, NULL);

      if (g_file_test (child, G_FILE_TEST_IS_DIR))
        remove_tree (child);
      else
        g_unlink (child);
    }
  g_rmdir (path);
}

void
window_fixture_clear (WindowFixture *fixture)
{
  if (fixture->window != NULL)
    window_fixture_close (fixture);
  g_clear_pointer (&fixture->run_a, sonde_test_run_free);
  g_clear_pointer (&fixture->run_b, sonde_test_run_free);
  remove_tree (fixture->folder);
  g_clear_pointer (&fixture->folder, g_free);
}

/* What can be read, on stderr, which the runner prints: for whoever asks why a test failed. */
static void
tell_labels (GtkWidget *widget)
{
  if (GTK_IS_LABEL (widget) && gtk_widget_get_mapped (widget)
      && *gtk_label_get_text (GTK_LABEL (widget)) != '\0')
    g_printerr ("reads “%s”\n", gtk_label_get_text (GTK_LABEL (widget)));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    tell_labels (child);
}

static void
tell_windows (void)
{
  g_autoptr (GListModel) windows = g_object_ref (gtk_window_get_toplevels ());

  for (guint i = 0; i < g_list_model_get_n_items (windows); i++)
    {
      g_autoptr (GtkWidget) window = g_list_model_get_item (windows, i);

      tell_labels (window);
    }
}

static gboolean
on_deadline (void *user_data)
{
  *(gboolean *) user_data = TRUE;
  return G_SOURCE_CONTINUE;
}

void
window_fixture_wait (WindowFixture *fixture, WindowCondition condition, const void *data)
{
  gboolean late = FALSE;
  guint deadline = g_timeout_add_seconds (DEADLINE_SECONDS, on_deadline, &late);

  while (!condition (fixture, data) && !late)
    g_main_context_iteration (NULL, TRUE);
  g_source_remove (deadline);
  if (late)
    {
      g_printerr ("%s waits in vain; the windows\n", g_test_get_path ());
      tell_windows ();
    }
  g_assert_false (late);
}

static gboolean
on_frame (GtkWidget *widget, GdkFrameClock *clock, void *user_data)
{
  int *frames = user_data;

  *frames = sonde_window_is_settled (SONDE_WINDOW (widget)) ? *frames + 1 : 0;
  gtk_widget_queue_draw (widget);
  return *frames < 4 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

static gboolean
has_frames (WindowFixture *fixture, const void *data)
{
  return *(const int *) data >= 4;
}

void
window_fixture_settle (WindowFixture *fixture)
{
  int frames = 0;

  gtk_widget_add_tick_callback (GTK_WIDGET (fixture->window), on_frame, &frames, NULL);
  window_fixture_wait (fixture, has_frames, &frames);
}

GtkWidget *
window_fixture_find (GtkWidget *widget, GType type)
{
  if (G_TYPE_CHECK_INSTANCE_TYPE (widget, type))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = window_fixture_find (child, type);
      if (found != NULL)
        return found;
    }
  return NULL;
}

GtkWidget *
window_fixture_find_label (GtkWidget *widget, const char *prefix)
{
  if (!gtk_widget_get_child_visible (widget) || !gtk_widget_get_visible (widget))
    return NULL;
  if (GTK_IS_LABEL (widget) && g_str_has_prefix (gtk_label_get_text (GTK_LABEL (widget)), prefix))
    return widget;
  if (GTK_IS_INSCRIPTION (widget) && gtk_inscription_get_text (GTK_INSCRIPTION (widget)) != NULL
      && g_str_has_prefix (gtk_inscription_get_text (GTK_INSCRIPTION (widget)), prefix))
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = window_fixture_find_label (child, prefix);
      if (found != NULL)
        return found;
    }
  return NULL;
}

/* ---- keys ---------------------------------------------------------------- */

static gboolean
is_trigger (GtkShortcutTrigger *trigger, guint key, GdkModifierType modifiers)
{
  if (GTK_IS_ALTERNATIVE_TRIGGER (trigger))
    return is_trigger (gtk_alternative_trigger_get_first (GTK_ALTERNATIVE_TRIGGER (trigger)), key,
                       modifiers)
           || is_trigger (gtk_alternative_trigger_get_second (GTK_ALTERNATIVE_TRIGGER (trigger)),
                          key, modifiers);
  return GTK_IS_KEYVAL_TRIGGER (trigger)
         && gtk_keyval_trigger_get_keyval (GTK_KEYVAL_TRIGGER (trigger)) == key
         && gtk_keyval_trigger_get_modifiers (GTK_KEYVAL_TRIGGER (trigger)) == modifiers;
}

static gboolean
press_on (GtkWidget *widget, guint key, GdkModifierType modifiers, gboolean capturing)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (widget);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);
      gboolean in_phase
          = capturing
            == (gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_CAPTURE);
      guint n = GTK_IS_SHORTCUT_CONTROLLER (controller) && in_phase
                    ? g_list_model_get_n_items (G_LIST_MODEL (controller))
                    : 0;

      for (guint k = 0; k < n; k++)
        {
          g_autoptr (GtkShortcut) shortcut = g_list_model_get_item (G_LIST_MODEL (controller), k);

          if (is_trigger (gtk_shortcut_get_trigger (shortcut), key, modifiers)
              && gtk_shortcut_action_activate (gtk_shortcut_get_action (shortcut), 0, widget,
                                               gtk_shortcut_get_arguments (shortcut)))
            return TRUE;
        }
    }
  return FALSE;
}

/* From the window down, as a key comes. */
static gboolean
capture_above (GtkWidget *widget, guint key, GdkModifierType modifiers)
{
  GtkWidget *parent = gtk_widget_get_parent (widget);

  return (parent != NULL && capture_above (parent, key, modifiers))
         || press_on (widget, key, modifiers, TRUE);
}

gboolean
window_fixture_press (WindowFixture *fixture, guint key, GdkModifierType modifiers)
{
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (fixture->window));

  if (key == GDK_KEY_Tab)
    return gtk_widget_child_focus (GTK_WIDGET (fixture->window), modifiers & GDK_SHIFT_MASK
                                                                     ? GTK_DIR_TAB_BACKWARD
                                                                     : GTK_DIR_TAB_FORWARD);
  if (focus != NULL && capture_above (focus, key, modifiers))
    return TRUE;
  for (; focus != NULL; focus = gtk_widget_get_parent (focus))
    if (press_on (focus, key, modifiers, FALSE))
      return TRUE;
  return FALSE;
}

void
window_fixture_tab_to (WindowFixture *fixture, GtkWidget *widget)
{
  for (guint i = 0; i < 200; i++)
    {
      GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (fixture->window));

      if (focus != NULL && gtk_widget_get_mapped (focus)
          && (focus == widget || gtk_widget_is_ancestor (focus, widget)))
        return;
      window_fixture_press (fixture, GDK_KEY_Tab, 0);
    }
  g_error ("the focus never gets to %s", G_OBJECT_TYPE_NAME (widget));
}
