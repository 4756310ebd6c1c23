/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page on a real engine child, and attached to a training that runs. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gtksourceview/gtksource.h>

#include "app/debugger/sonde-debug-actions.h"
#include "app/debugger/panels/sonde-debug-breakpoints.h"
#include "app/debugger/panels/sonde-debug-console.h"
#include "app/debugger/sonde-debug-panel-dock.h"
#include "app/widgets/sonde-tooltip.h"
#include "viewers/layout/sonde-display-slice.h"
#include "app/debugger/value/sonde-debug-viewer.h"
#include "app/pages/sonde-debugger-page.h"
#include "tests/app/pages/debugger-fixture.h"
#include "viewers/graph/sonde-graph-view.h"
#include "viewers/sonde-tensor-view.h"
#include "app/widgets/sonde-tensor-table.h"

/* ---- what is seen -------------------------------------------------------- */

/* Marks of a category in the listing. */
static guint
count_marks (WindowFixture *fixture, const char *category)
{
  GtkWidget *view = window_fixture_find (debugger_page (fixture), GTK_SOURCE_TYPE_VIEW);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  guint n = 0;

  for (int i = 0; i < gtk_text_buffer_get_line_count (buffer); i++)
    {
      GSList *marks
          = gtk_source_buffer_get_source_marks_at_line (GTK_SOURCE_BUFFER (buffer), i, category);

      n += g_slist_length (marks);
      g_slist_free (marks);
    }
  return n;
}

static gboolean
has_breakpoints (WindowFixture *fixture, const void *data)
{
  return count_marks (fixture, "sonde-breakpoint") == GPOINTER_TO_UINT (data);
}

/* Engine children of this process, zombies not counted; each gets @signal unless that is 0. */
static guint
signal_engines (int signal)
{
  g_autoptr (GDir) proc = g_dir_open ("/proc", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (proc)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc", name, "stat", NULL), *text = NULL;
      const char *end;
      char state;
      int parent;

      if (!g_ascii_isdigit (*name) || !g_file_get_contents (path, &text, NULL, NULL))
        continue;
      end = strrchr (text, ')');
      if (strstr (text, "(sonde)") == NULL || end == NULL
          || sscanf (end + 1, " %c %d", &state, &parent) != 2 || parent != (int) getpid ()
          || state == 'Z')
        continue;
      kill (atoi (name), signal);
      n++;
    }
  return n;
}

static guint
count_engines (void)
{
  return signal_engines (0);
}

static gboolean
no_engine_is_left (WindowFixture *fixture, const void *data)
{
  return count_engines () == 0 && !g_application_get_is_busy (g_application_get_default ());
}

/* ---- a model ------------------------------------------------------------- */

static void
test_model (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  GtkWidget *view, *graph;
  g_autofree char *caption = NULL;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  g_assert_true (debugger_says (&fixture, "Paused before conv2 (Conv) · 2 of"));
  g_assert_cmpuint (count_engines (), ==, 1);
  g_assert_cmpuint (count_marks (&fixture, "sonde-current"), ==, 1);

  /* The value that was made last, as tiles. */
  view = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_TENSOR_VIEW);
  caption = sonde_tensor_view_dup_caption (SONDE_TENSOR_VIEW (view));
  g_assert_true (g_str_has_prefix (caption, "4 tiles of 6 × 6"));
  graph = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_GRAPH_VIEW);
  g_assert_cmpuint (
      sonde_graph_scene_get_n_boxes (sonde_graph_view_get_scene (SONDE_GRAPH_VIEW (graph))), >=, 6);

  /* A breakpoint at the selected node; the run stops there. */
  g_assert_true (sonde_graph_view_select_name (SONDE_GRAPH_VIEW (graph), "relu2"));
  debugger_activate (&fixture, "debug.breakpoint");
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (1));
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  debugger_activate (&fixture, "debug.breakpoint");
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (0));

  debugger_activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, debugger_says, "small.onnx finished");
  debugger_activate (&fixture, "debug.restart");
  window_fixture_wait (&fixture, debugger_says, "Ready before the first of");
  window_fixture_settle (&fixture);
  window_fixture_close (&fixture);
  window_fixture_wait (&fixture, no_engine_is_left, NULL);
  window_fixture_clear (&fixture);
}

static gboolean
has_moved_or_ended (WindowFixture *fixture, const void *position)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (
      sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (fixture))));

  return status->state == SONDE_SESSION_ENDED
         || (status->state == SONDE_SESSION_PAUSED
             && status->stop.position > GPOINTER_TO_UINT (position));
}

/* Wherever it stops one line is marked: also on what the plan inserted, which is no node. */
static void
test_inserted (void)
{
  WindowFixture fixture;
  SondeDebugSession *session;
  SondeDebugSteps *steps;
  const SondeSessionStatus *status;

  debugger_open_training (&fixture, "pool2");
  session = sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (&fixture)));
  steps = sonde_debug_session_get_steps (session);
  status = sonde_debug_session_get_status (session);
  while (status->state == SONDE_SESSION_PAUSED
         && !sonde_debug_step_is_inserted (sonde_debug_steps_get (steps, status->stop.position)))
    {
      guint position = status->stop.position;

      g_assert_cmpuint (count_marks (&fixture, "sonde-current"), ==, 1);
      debugger_activate (&fixture, "debug.step");
      window_fixture_wait (&fixture, has_moved_or_ended, GUINT_TO_POINTER (position));
      window_fixture_settle (&fixture);
      status = sonde_debug_session_get_status (session);
    }
  g_assert_true (
      debugger_says (&fixture, "Paused at step 1 · before reorder(pool2_output_0) (Reorder)"));
  g_assert_cmpuint (count_marks (&fixture, "sonde-current"), ==, 1);
  window_fixture_close (&fixture);
  window_fixture_clear (&fixture);
}

/* Without a node: somewhere in the middle, with a value to see; "End" leads back to what is
 * offered. */
static void
test_middle_and_end (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { 0 };

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  g_assert_true (debugger_says (&fixture, "Paused before "));
  g_assert_false (debugger_says (&fixture, "Paused before conv1"));
  /* Another page meanwhile: the session stays. */
  sonde_window_show_page (fixture.window, "graph", NULL);
  window_fixture_settle (&fixture);
  sonde_window_show_page (fixture.window, "debugger", NULL);
  g_assert_true (debugger_says (&fixture, "Paused before "));
  debugger_activate (&fixture, "debug.end");
  window_fixture_wait (&fixture, debugger_says, "Debug “small.onnx”");
  window_fixture_wait (&fixture, no_engine_is_left, NULL);
  window_fixture_clear (&fixture);
}

static void
test_unreadable (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = g_build_filename (fixture.folder, "broken.onnx", NULL);
  SondePageRequest request = { 0 };

  g_assert_true (g_file_set_contents (path, "this is no model", -1, NULL));
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  g_assert_true (debugger_says (&fixture, "Debugging Not Available"));
  window_fixture_wait (&fixture, no_engine_is_left, NULL);
  window_fixture_clear (&fixture);
}

/* A child that is killed is told of; nothing hangs. */
static void
test_killed (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { 0 };

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  g_assert_cmpuint (signal_engines (SIGKILL), ==, 1);
  window_fixture_wait (&fixture, debugger_says, "Session Ended");
  window_fixture_wait (&fixture, no_engine_is_left, NULL);
  window_fixture_clear (&fixture);
}

/* ---- hands --------------------------------------------------------------- */

/* As the window's keyboard does it: the controller that the page has put on the window. */
static void
press (WindowFixture *fixture, guint key, GdkModifierType modifiers)
{
  g_autoptr (GListModel) controllers
      = gtk_widget_observe_controllers (GTK_WIDGET (fixture->window));
  gboolean handled = FALSE;

  for (guint i = 0; !handled && i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller)
          && gtk_event_controller_get_propagation_phase (controller) == GTK_PHASE_CAPTURE)
        g_signal_emit_by_name (controller, "key-pressed", key, 0, modifiers, &handled);
    }
  g_assert_true (handled);
}

static gboolean
is_enabled (WindowFixture *fixture, const char *action)
{
  GtkWidget *bar
      = window_fixture_find (debugger_page (fixture), g_type_from_name ("SondeDebugBar"));

  for (GtkWidget *child = gtk_widget_get_first_child (bar); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (GTK_IS_BUTTON (child)
        && g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (child)), action) == 0)
      {
        /* What cannot be done says why. */
        g_assert_true (gtk_widget_get_sensitive (child)
                       || strstr (gtk_widget_get_tooltip_text (child), "\n") != NULL);
        return gtk_widget_get_sensitive (child);
      }
  g_assert_not_reached ();
}

/* Keys step, run to a place, and go back; what cannot be done is off. */
static void
test_keys (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  g_assert_true (is_enabled (&fixture, "debug.continue"));
  g_assert_true (is_enabled (&fixture, "debug.input"));
  g_assert_true (is_enabled (&fixture, "debug.end"));
  g_assert_false (is_enabled (&fixture, "debug.pause"));
  press (&fixture, GDK_KEY_F11, 0);
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  window_fixture_settle (&fixture);
  press (&fixture, GDK_KEY_F10, GDK_SHIFT_MASK);
  window_fixture_wait (&fixture, debugger_says, "Paused before conv2");
  window_fixture_settle (&fixture);
  press (&fixture, GDK_KEY_F9, 0);
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (1));
  press (&fixture, GDK_KEY_F5, 0);
  window_fixture_wait (&fixture, debugger_says, "small.onnx finished");
  window_fixture_settle (&fixture);
  g_assert_false (is_enabled (&fixture, "debug.continue"));
  press (&fixture, GDK_KEY_F5, GDK_CONTROL_MASK | GDK_SHIFT_MASK);
  window_fixture_wait (&fixture, debugger_says, "Ready before");
  press (&fixture, GDK_KEY_F5, 0);
  window_fixture_wait (&fixture, debugger_says, "Paused before conv2");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* In the window of shortcuts. */
static gboolean
has_shortcut (GtkWidget *widget, const char *wanted)
{
  g_autofree char *keys = NULL;

  if (GTK_IS_SHORTCUTS_SHORTCUT (widget))
    g_object_get (widget, "accelerator", &keys, NULL);
  if (keys != NULL)
    {
      guint key, wanted_key;
      GdkModifierType modifiers, wanted_modifiers;

      gtk_accelerator_parse (keys, &key, &modifiers);
      gtk_accelerator_parse (wanted, &wanted_key, &wanted_modifiers);
      return gdk_keyval_to_lower (key) == gdk_keyval_to_lower (wanted_key)
             && modifiers == wanted_modifiers;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (has_shortcut (child, wanted))
      return TRUE;
  return FALSE;
}

/* Where typing goes: into a form below the bar. (nullable) */
static GtkWidget *
find_form (WindowFixture *fixture)
{
  GtkWidget *bar
      = window_fixture_find (debugger_page (fixture), g_type_from_name ("SondeDebugBar"));
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (fixture->window));

  return GTK_IS_TEXT (focus) && gtk_widget_is_ancestor (focus, bar)
             ? gtk_widget_get_ancestor (focus, GTK_TYPE_POPOVER)
             : NULL;
}

static gboolean
has_form (WindowFixture *fixture, const void *data)
{
  return GPOINTER_TO_INT (data) == (find_form (fixture) != NULL);
}

static void
close_form (WindowFixture *fixture)
{
  gtk_popover_popdown (GTK_POPOVER (find_form (fixture)));
  window_fixture_wait (fixture, has_form, GINT_TO_POINTER (FALSE));
}

/* The rest of the keys: next, out (of nothing: it says so), to a node, forms, searches; each means
 * something, and stands in the help. */
static void
test_all_keys (void)
{
  WindowFixture fixture;
  GtkWidget *graph, *help;
  g_auto (GStrv) keys = sonde_debug_actions_dup_keys ();

  debugger_open_at (&fixture, "relu1");
  press (&fixture, GDK_KEY_F10, 0);
  window_fixture_wait (&fixture, debugger_says, "Paused before conv2");
  window_fixture_settle (&fixture);
  graph = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_GRAPH_VIEW);
  g_assert_true (sonde_graph_view_select_name (SONDE_GRAPH_VIEW (graph), "relu2"));
  press (&fixture, GDK_KEY_F10, GDK_CONTROL_MASK);
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  window_fixture_settle (&fixture);
  press (&fixture, GDK_KEY_F5, GDK_ALT_MASK);
  window_fixture_wait (&fixture, debugger_says, "Paused before conv1");
  window_fixture_settle (&fixture);
  press (&fixture, GDK_KEY_F9, GDK_CONTROL_MASK);
  window_fixture_wait (&fixture, has_form, GINT_TO_POINTER (TRUE));
  close_form (&fixture);
  press (&fixture, GDK_KEY_g, GDK_CONTROL_MASK);
  window_fixture_wait (&fixture, has_form, GINT_TO_POINTER (TRUE));
  close_form (&fixture);
  press (&fixture, GDK_KEY_F11, GDK_SHIFT_MASK);
  window_fixture_settle (&fixture);
  g_assert_true (debugger_says (&fixture, "Paused before conv1")); /* it stands in no scope */
  /* nothing runs: it is the debugger's key all the same */
  press (&fixture, GDK_KEY_F6, 0);
  press (&fixture, GDK_KEY_f, GDK_CONTROL_MASK);
  help = GTK_WIDGET (
      gtk_application_window_get_help_overlay (GTK_APPLICATION_WINDOW (fixture.window)));
  g_assert_nonnull (help);
  for (gsize i = 0; keys[i] != NULL; i++)
    {
      if (!has_shortcut (help, keys[i]))
        g_error ("%s is not in the help", keys[i]);
    }
  press (&fixture, GDK_KEY_F5, GDK_SHIFT_MASK);
  window_fixture_wait (&fixture, debugger_says, "No Debug Session");
  window_fixture_clear (&fixture);
}

/* A click in the gutter sets a breakpoint and takes it away; the panel tells of it. */
static void
test_gutter (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  GtkWidget *panel;
  GtkTextIter iter;
  GtkWidget *view;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  view = window_fixture_find (debugger_page (&fixture), GTK_SOURCE_TYPE_VIEW);
  sonde_debug_panel_dock_show (SONDE_DEBUG_PANEL_DOCK (window_fixture_find (
                                   debugger_page (&fixture), SONDE_TYPE_DEBUG_PANEL_DOCK)),
                               "breakpoints");
  panel = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_BREAKPOINTS);
  g_assert_null (window_fixture_find (panel, GTK_TYPE_SWITCH));
  gtk_text_buffer_get_iter_at_line (gtk_text_view_get_buffer (GTK_TEXT_VIEW (view)), &iter, 3);
  g_signal_emit_by_name (view, "line-mark-activated", &iter, GDK_BUTTON_PRIMARY, 0, 1);
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (1));
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (panel, "relu2"));
  /* Off by its switch: still there, drawn otherwise, and it does not stop. */
  gtk_switch_set_active (GTK_SWITCH (window_fixture_find (panel, GTK_TYPE_SWITCH)), FALSE);
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (0));
  g_assert_cmpuint (count_marks (&fixture, "sonde-breakpoint-off"), ==, 1);
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, debugger_says, "small.onnx finished");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* Ctrl+F9 opens the form; the watch stops the run, and the hit is listed. */
static void
test_watch (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "relu1" };
  GtkWidget *bar;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  bar = window_fixture_find (debugger_page (&fixture), g_type_from_name ("SondeDebugBar"));
  sonde_debug_panel_dock_show (SONDE_DEBUG_PANEL_DOCK (window_fixture_find (
                                   debugger_page (&fixture), SONDE_TYPE_DEBUG_PANEL_DOCK)),
                               "breakpoints");
  press (&fixture, GDK_KEY_F9, GDK_CONTROL_MASK);
  debugger_enter (debugger_find_entry (bar, "nan(x) || absmax(x) > 1e4"), "min(x) <");
  window_fixture_settle (&fixture);
  /* it says what is wrong, and stays */
  g_assert_nonnull (debugger_find_entry (bar, "nan(x) || absmax(x) > 1e4"));
  debugger_enter (debugger_find_entry (bar, "nan(x) || absmax(x) > 1e4"),
                  "min(relu2_output_0) < 100");
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (
      window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_BREAKPOINTS), "min("));
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, debugger_says, "Paused after relu2");
  window_fixture_wait (&fixture, debugger_says, "step 1");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

static gboolean
shows_tiles (WindowFixture *fixture, const void *data)
{
  GtkWidget *view = window_fixture_find (debugger_page (fixture), SONDE_TYPE_TENSOR_VIEW);
  g_autofree char *caption = sonde_tensor_view_dup_caption (SONDE_TENSOR_VIEW (view));

  return g_str_has_prefix (caption, data);
}

/* A slice is typed, the other views are looked at, an element is changed. */
static void
test_views (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  const char *const pages[] = { "table", "histogram", "facts", "before-after", "image" };
  GtkWidget *viewer, *stack, *table;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  viewer = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_VIEWER);
  debugger_enter (debugger_find_entry (viewer, "slice: 0, :, 2:8"), "0, :2, 1:4");
  window_fixture_wait (&fixture, shows_tiles, "2 tiles of 3 × 6");
  debugger_enter (debugger_find_entry (viewer, "slice: 0, :, 2:8"), "0, 99");
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (viewer, "slice “0, 99”"));
  debugger_enter (debugger_find_entry (viewer, "slice: 0, :, 2:8"), "0");
  stack = window_fixture_find (viewer, GTK_TYPE_STACK);
  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      gtk_stack_set_visible_child_name (GTK_STACK (stack), pages[i]);
      window_fixture_settle (&fixture);
      if (g_str_equal (pages[i], "facts"))
        g_assert_nonnull (window_fixture_find_label (viewer, "4×6×6"));
      if (g_str_equal (pages[i], "before-after"))
        g_assert_nonnull (window_fixture_find_label (viewer, "Input: "));
    }
  table = window_fixture_find (viewer, SONDE_TYPE_TENSOR_TABLE);
  g_signal_emit_by_name (table, "edit", "[0, 0, 0, 0]", "12345");
  gtk_stack_set_visible_child_name (GTK_STACK (stack), "facts");
  window_fixture_wait (&fixture, debugger_says, "12.35 k");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

static gboolean
console_says (WindowFixture *fixture, const void *data)
{
  GtkWidget *console = window_fixture_find (debugger_page (fixture), SONDE_TYPE_DEBUG_CONSOLE);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (
      GTK_TEXT_VIEW (window_fixture_find (console, GTK_TYPE_TEXT_VIEW)));
  g_autofree char *text = NULL;

  g_object_get (buffer, "text", &text, NULL);
  return strstr (text, data) != NULL;
}

/* The text debugger in the page: it steps, and the page follows. */
static void
test_console (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  GtkWidget *console, *entry;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  console = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_CONSOLE);
  entry = debugger_find_entry (console, "print conv1.weight[0], break op:Relu, help…");
  debugger_enter (entry, "break relu2");
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (1));
  debugger_enter (entry, "continue");
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  window_fixture_wait (&fixture, console_says, "before relu2");
  debugger_enter (entry, "print conv1.bias");
  window_fixture_wait (&fixture, console_says, "-0.2");
  debugger_enter (entry, "nonsense");
  window_fixture_wait (&fixture, console_says, "Unknown command");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

static gboolean
entry_says (WindowFixture *fixture, const void *data)
{
  GtkWidget *entry = debugger_find_entry (
      window_fixture_find (debugger_page (fixture), SONDE_TYPE_DEBUG_CONSOLE),
      "print conv1.weight[0], break op:Relu, help…");

  return g_str_equal (gtk_editable_get_text (GTK_EDITABLE (entry)), data);
}

static void
press_tab (GtkWidget *entry)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (entry);
  gboolean handled = FALSE;

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_KEY (controller) && !handled)
        g_signal_emit_by_name (controller, "key-pressed", GDK_KEY_Tab, 0, 0, &handled);
    }
  g_assert_true (handled);
}

static void
complete (GtkWidget *entry, const char *text)
{
  gtk_editable_set_text (GTK_EDITABLE (entry), text);
  gtk_editable_set_position (GTK_EDITABLE (entry), -1);
  press_tab (entry);
}

/* Tab completes as in the terminal: commands, then nodes and values; what several begin with, then their list. */
static void
test_console_completion (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  GtkWidget *console, *entry;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  console = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_CONSOLE);
  entry = debugger_find_entry (console, "print conv1.weight[0], break op:Relu, help…");
  complete (entry, "prin");
  window_fixture_wait (&fixture, entry_says, "print ");
  complete (entry, "print conv1.w");
  window_fixture_wait (&fixture, entry_says, "print conv1.weight ");
  complete (entry, "break rel");
  window_fixture_wait (&fixture, entry_says, "break relu");
  press_tab (entry);
  window_fixture_wait (&fixture, console_says, "relu2");
  g_assert_true (console_says (&fixture, "relu1"));
  g_assert_true (entry_says (&fixture, "break relu"));
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

static gboolean
shows_executed (WindowFixture *fixture, const void *data)
{
  GtkWidget *view = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture->window)),
                                         SONDE_TYPE_GRAPH_VIEW);
  SondeGraphScene *scene = sonde_graph_view_get_scene (SONDE_GRAPH_VIEW (view));
  SondeDebugSession *session
      = SONDE_DEBUG_SESSION (sonde_workspace_get_session (fixture->workspace));

  return scene != NULL
         && sonde_graph_scene_get_graph (scene) == sonde_debug_session_get_graph (session);
}

/* The Graph page has what is executed here beside the file that it came from. */
static void
test_executed (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  GtkDropDown *sources;
  const char *title;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  sonde_window_show_page (fixture.window, "graph", NULL);
  window_fixture_settle (&fixture);
  sources = GTK_DROP_DOWN (window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture.window)),
                                                GTK_TYPE_DROP_DOWN));
  title = gtk_string_list_get_string (GTK_STRING_LIST (gtk_drop_down_get_model (sources)), 1);
  g_assert_cmpstr (title, ==, "In the Debugger");
  gtk_drop_down_set_selected (sources, 1);
  window_fixture_wait (&fixture, shows_executed, NULL);
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

static gboolean
has_verdict (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (debugger_find_window ("First Divergent Node"), data) != NULL;
}

static void
assert_compared (WindowFixture *fixture, guint n)
{
  SondeDebugSession *session
      = SONDE_DEBUG_SESSION (sonde_workspace_get_session (fixture->workspace));

  g_assert_cmpuint (g_hash_table_size (sonde_debug_session_get_findings (session)->errors), ==, n);
}

/* A search in its window; its first node leads to its place. */
static void
test_search (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  GtkWidget *dialog;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  debugger_activate (&fixture, "debug.diverge");
  dialog = debugger_find_window ("First Divergent Node");
  g_assert_nonnull (dialog);
  g_signal_emit_by_name (
      gtk_widget_get_ancestor (window_fixture_find_label (dialog, "Search"), GTK_TYPE_BUTTON),
      "clicked");
  window_fixture_wait (&fixture, has_verdict, "All 4 nodes are within the tolerance.");
  g_assert_nonnull (window_fixture_find_label (dialog, "relu2"));
  assert_compared (&fixture, 4);
  gtk_window_destroy (GTK_WINDOW (dialog));
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

static gboolean
precision_says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (debugger_find_window ("Mixed-Precision Search"), data) != NULL;
}

/* The file that a search writes may have a blank in its path. */
static void
test_blank_in_path (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder),
                  *recipe = g_build_filename (fixture.folder, "my recipe.ini", NULL);
  SondePageRequest request = { .at = "conv2" };
  GtkWidget *dialog;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  debugger_activate (&fixture, "debug.precision");
  dialog = debugger_find_window ("Mixed-Precision Search");
  g_assert_nonnull (dialog);
  debugger_enter (debugger_find_entry (dialog, "relative, of the outputs, such as 0.01"), "0.5");
  g_assert_true (precision_says (&fixture, "Fill in “Write to” first."));
  debugger_enter (debugger_find_entry (dialog, "/tmp/precision.ini"), recipe);
  window_fixture_wait (&fixture, precision_says, "0 of 4 nodes stay in float32");
  g_assert_true (g_file_test (recipe, G_FILE_TEST_IS_REGULAR));
  g_assert_nonnull (window_fixture_find_label (dialog, recipe));
  gtk_window_destroy (GTK_WINDOW (dialog));
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* ---- how long it takes --------------------------------------------------- */

static gboolean
is_settled (WindowFixture *fixture, const void *data)
{
  return sonde_page_is_settled (sonde_window_get_page (fixture->window));
}

/* With -m perf: from the stop to all values of the node on screen, where they have ten million
 * elements. */
static void
test_speed (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  /* 4 × 1584² */
  g_autofree char *path = debugger_write_model_of (fixture.folder, g_test_perf () ? 1586 : 64);
  SondePageRequest request = { .at = "conv2" };
  double least = G_MAXDOUBLE;

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "debugger", &request);
  for (int i = 0; i < 5; i++)
    {
      gint64 begin;

      debugger_activate (&fixture, "debug.step");
      window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
      begin = g_get_monotonic_time ();
      window_fixture_wait (&fixture, is_settled, NULL);
      least = MIN (least, (double) (g_get_monotonic_time () - begin) / 1000);
      window_fixture_settle (&fixture);
      debugger_activate (&fixture, "debug.back");
      window_fixture_wait (&fixture, debugger_says, "Paused before conv2");
      window_fixture_settle (&fixture);
    }
  g_assert_nonnull (window_fixture_find_label (debugger_page (&fixture), "relu1_output"));
  g_test_minimized_result (least, "stop to values on screen: %.1f ms", least);
  window_fixture_clear (&fixture);
}

/* ---- which part is fetched ----------------------------------------------- */

static void
check_slice (int rank, const gint64 *dims, gboolean is_data, const char *wanted)
{
  SondeShape shape = sonde_shape_from_array (rank, dims);
  g_autofree char *slice = sonde_display_slice_of_shape (&shape, is_data, FALSE);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTensor) part = sonde_tensor_slice (tensor, slice, &error);

  g_assert_no_error (error);
  g_assert_cmpint (sonde_tensor_n_elements (part), <=, SONDE_DISPLAY_MAX_ELEMENTS);
  g_assert_cmpstr (slice, ==, wanted);
}

static void
test_slices (void)
{
  SondeShape shape = sonde_shape_make (4, 2, 3, 100, 50);
  g_autofree char *window = sonde_display_slice_of_rows (&shape, 3 * 100 + 64, 36, 32, 18);

  check_slice (0, NULL, TRUE, "");
  check_slice (1, (const gint64[]){ 10 }, TRUE, "");
  check_slice (1, (const gint64[]){ 100000 }, TRUE, "::25");
  check_slice (2, (const gint64[]){ 10, 20 }, FALSE, "");
  check_slice (4, (const gint64[]){ 1, 16, 10, 10 }, TRUE, "0");
  check_slice (4, (const gint64[]){ 1, 64, 400, 400 }, TRUE, "0, :, ::8, ::8");
  check_slice (4, (const gint64[]){ 0, 3, 2, 2 }, FALSE, "");
  g_assert_cmpstr (window, ==, "1, 0, 64:100, 32:50");
}

/* ---- a training ---------------------------------------------------------- */

static GSubprocess *
start_training (const char *run)
{
  g_autofree char *program = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  g_autoptr (GError) error = NULL;
  GSubprocess *training = g_subprocess_new (
      G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE, &error, program,
      "train", "lenet", "--set", "data.source=glyphs", "--set", "data.train=256", "--set",
      "data.test=32", "--set", "data.batch=16", "--set", "train.steps=1000000", "--set",
      "train.threads=1", "--run", run, NULL);

  g_assert_no_error (error);
  return training;
}

static gboolean
has_ended (WindowFixture *fixture, const void *data)
{
  return g_subprocess_get_identifier ((GSubprocess *) data) == NULL;
}

static gboolean
has_a_run (WindowFixture *fixture, const void *data)
{
  return g_list_model_get_n_items (G_LIST_MODEL (sonde_workspace_get_store (fixture->workspace)))
         == 1;
}

/* Offered by name and step while it runs, then a run of the window; pausing, leaving, and it goes on. */
static void
test_attach (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *run = g_build_filename (fixture.folder, "run", NULL);
  g_autoptr (GSubprocess) training = start_training (run);
  g_autoptr (SondeRun) recorded = NULL;
  GtkWidget *label, *button;

  window_fixture_open_paths (&fixture, (const char *const[]){ NULL }, "debugger", NULL);
  window_fixture_wait (&fixture, debugger_says, "Attach to “run”, Step ");
  label = window_fixture_find_label (debugger_page (&fixture), "Attach to ");
  button = gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON);
  g_assert_nonnull (strstr (sonde_get_tooltip (button), g_subprocess_get_identifier (training)));
  g_signal_emit_by_name (button, "clicked");
  window_fixture_wait (&fixture, debugger_says, "Running · step ");
  debugger_activate (&fixture, "debug.pause");
  window_fixture_wait (&fixture, debugger_says, "Paused at step ");
  window_fixture_wait (&fixture, has_a_run, NULL);
  recorded
      = g_list_model_get_item (G_LIST_MODEL (sonde_workspace_get_store (fixture.workspace)), 0);
  g_assert_cmpstr (sonde_run_get_path (recorded), ==, run);
  window_fixture_settle (&fixture);
  debugger_activate (&fixture, "debug.end");
  window_fixture_wait (&fixture, debugger_says, "No Debug Session");
  g_assert_nonnull (g_subprocess_get_identifier (training));
  window_fixture_close (&fixture);
  g_subprocess_send_signal (training, SIGTERM);
  window_fixture_wait (&fixture, has_ended, training);
  g_assert_true (g_subprocess_wait (training, NULL, NULL));
  g_assert_cmpint (g_subprocess_get_if_exited (training) ? g_subprocess_get_exit_status (training)
                                                         : -1,
                   ==, 128 + SIGTERM);
  window_fixture_clear (&fixture);
}

/* ---- a journey ----------------------------------------------------------- */

/* A click on what has that label below @widget, counted. */
static void
count_click (GtkWidget *widget, const char *label, guint *n_clicks)
{
  GtkWidget *found = window_fixture_find_label (widget, label), *row, *button;

  g_assert_nonnull (found);
  row = gtk_widget_get_ancestor (found, GTK_TYPE_LIST_BOX_ROW);
  button = gtk_widget_get_ancestor (found, GTK_TYPE_BUTTON);
  if (button != NULL)
    g_signal_emit_by_name (button, "clicked");
  else
    g_signal_emit_by_name (gtk_widget_get_parent (row), "row-activated", row);
  ++*n_clicks;
}

/* From a window of nothing to a value of a training that runs in three clicks: the page, the training, a
 * pause. Its curves are in the window then, too. */
static void
test_journey (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *run = g_build_filename (fixture.folder, "run", NULL);
  g_autoptr (GSubprocess) training = start_training (run);
  GtkWidget *pause;
  guint n_clicks = 0;

  window_fixture_open_paths (&fixture, (const char *const[]){ NULL }, "overview", NULL);
  count_click (GTK_WIDGET (fixture.window), "Debugger", &n_clicks);
  window_fixture_wait (&fixture, debugger_says, "Attach to “run”, Step ");
  count_click (debugger_page (&fixture), "Attach to “run”", &n_clicks);
  window_fixture_wait (&fixture, debugger_says, "Running · step ");
  pause = window_fixture_find (debugger_page (&fixture), g_type_from_name ("SondeDebugBar"));
  for (pause = gtk_widget_get_first_child (pause);
       g_strcmp0 (gtk_actionable_get_action_name (GTK_ACTIONABLE (pause)), "debug.pause") != 0;)
    pause = gtk_widget_get_next_sibling (pause);
  g_signal_emit_by_name (pause, "clicked");
  n_clicks++;
  window_fixture_wait (&fixture, debugger_says, "Paused at step ");
  window_fixture_settle (&fixture);
  g_assert_true (debugger_says (&fixture, "float32 "));
  window_fixture_wait (&fixture, has_a_run, NULL);
  g_assert_cmpuint (n_clicks, ==, 3);
  debugger_activate (&fixture, "debug.end");
  window_fixture_close (&fixture);
  g_subprocess_send_signal (training, SIGTERM);
  window_fixture_wait (&fixture, has_ended, training);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  /* Sessions of others stay out of it. */
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/debugger/model", test_model);
  g_test_add_func ("/app/pages/debugger/inserted", test_inserted);
  g_test_add_func ("/app/pages/debugger/middle-and-end", test_middle_and_end);
  g_test_add_func ("/app/pages/debugger/unreadable", test_unreadable);
  g_test_add_func ("/app/pages/debugger/killed", test_killed);
  g_test_add_func ("/app/pages/debugger/keys", test_keys);
  g_test_add_func ("/app/pages/debugger/all-keys", test_all_keys);
  g_test_add_func ("/app/pages/debugger/gutter", test_gutter);
  g_test_add_func ("/app/pages/debugger/watch", test_watch);
  g_test_add_func ("/app/pages/debugger/views", test_views);
  g_test_add_func ("/app/pages/debugger/executed", test_executed);
  g_test_add_func ("/app/pages/debugger/console", test_console);
  g_test_add_func ("/app/pages/debugger/console/completion", test_console_completion);
  g_test_add_func ("/app/pages/debugger/search", test_search);
  g_test_add_func ("/app/pages/debugger/blank-in-path", test_blank_in_path);
  g_test_add_func ("/app/pages/debugger/slices", test_slices);
  g_test_add_func ("/app/pages/debugger/speed", test_speed);
  g_test_add_func ("/app/pages/debugger/attach", test_attach);
  g_test_add_func ("/app/pages/debugger/journey", test_journey);
  return g_test_run ();
}
