/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page under a person's hands: forms, branches, differences, a training that goes
 * back. */
#include "app/debugger/panels/sonde-debug-branches.h"
#include "app/debugger/panels/sonde-debug-breakpoints.h"
#include "app/debugger/panels/sonde-debug-console.h"
#include "app/debugger/sonde-debug-input-note.h"
#include "app/debugger/value/sonde-debug-values.h"
#include "app/debugger/value/sonde-debug-viewer.h"
#include "app/pages/sonde-debugger-page.h"
#include "tests/app/pages/debugger-fixture.h"
#include "viewers/sonde-tensor-view.h"

static GtkWidget *
find (WindowFixture *fixture, const char *type)
{
  return window_fixture_find (debugger_page (fixture), g_type_from_name (type));
}

static GtkWidget *
viewer_of (WindowFixture *fixture)
{
  return find (fixture, "SondeDebugViewer");
}

static gboolean
shows (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (viewer_of (fixture), data) != NULL;
}

static void
show_view (WindowFixture *fixture, const char *name)
{
  gtk_stack_set_visible_child_name (
      GTK_STACK (window_fixture_find (viewer_of (fixture), GTK_TYPE_STACK)), name);
  window_fixture_settle (fixture);
}

/* A row of the list of values, as a person would choose it. */
static void
choose_value (WindowFixture *fixture, const char *name)
{
  GtkWidget *label = window_fixture_find_label (find (fixture, "SondeDebugValues"), name);
  GtkWidget *row = label != NULL ? gtk_widget_get_ancestor (label, GTK_TYPE_LIST_BOX_ROW) : NULL;

  g_assert_nonnull (row);
  gtk_list_box_select_row (GTK_LIST_BOX (gtk_widget_get_parent (row)), GTK_LIST_BOX_ROW (row));
  window_fixture_settle (fixture);
}

static gboolean
is_branch (WindowFixture *fixture, const void *data)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (
      sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (fixture))));

  return status != NULL && status->branch == GPOINTER_TO_UINT (data);
}

/* ---- attributes ---------------------------------------------------------- */

static GtkWidget *
open_attributes (WindowFixture *fixture)
{
  debugger_activate (fixture, "debug.attr");
  window_fixture_settle (fixture);
  return find (fixture, "SondeDebugBar");
}

static gboolean
has_no_form (WindowFixture *fixture, const void *data)
{
  return window_fixture_find (find (fixture, "SondeDebugBar"), GTK_TYPE_ENTRY) == NULL;
}

/* An attribute that was not given is, on another branch; what is wrong is said and the form
 * stays. */
static void
test_attributes (void)
{
  WindowFixture fixture;
  GtkWidget *bar, *key, *value, *strides;

  debugger_open_at (&fixture, "conv2");
  bar = open_attributes (&fixture);
  g_assert_nonnull (window_fixture_find_label (bar, "conv2"));
  key = debugger_find_entry (bar, "attribute");
  value = debugger_find_entry (bar, "3, 0.5, [1, 1], SAME_UPPER");
  g_assert_true (gtk_widget_get_mapped (key));
  g_assert_true (gtk_widget_is_ancestor (gtk_root_get_focus (gtk_widget_get_root (key)), bar));
  gtk_editable_set_text (GTK_EDITABLE (key), "strides");
  debugger_enter (value, "[2, 2, 2, 2, 2]");
  window_fixture_wait (&fixture, debugger_says, "node “conv2” (Conv): strides has 5 entries");
  g_assert_true (gtk_widget_get_mapped (key));
  g_assert_true (is_branch (&fixture, GUINT_TO_POINTER (1)));
  debugger_enter (value, "[2, 2]");
  window_fixture_wait (&fixture, is_branch, GUINT_TO_POINTER (2));
  window_fixture_wait (&fixture, has_no_form, NULL);
  window_fixture_settle (&fixture);
  g_assert_true (debugger_says (&fixture, "Paused before conv2"));
  bar = open_attributes (&fixture);
  strides = debugger_find_field (bar, "strides");
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (strides)), ==, "[2, 2]");
  gtk_popover_popdown (GTK_POPOVER (gtk_widget_get_ancestor (strides, GTK_TYPE_POPOVER)));
  window_fixture_wait (&fixture, has_no_form, NULL);
  debugger_activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, debugger_says, "Paused before relu2");
  window_fixture_settle (&fixture);
  choose_value (&fixture, "conv2_output_0");
  g_assert_nonnull (window_fixture_find_label (debugger_page (&fixture), "float32 1×4×2×2"));
  window_fixture_clear (&fixture);
}

/* ---- branches ------------------------------------------------------------ */

static gboolean
has_verdict (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (debugger_find_window ("Compare Values or Branches"), data)
         != NULL;
}

/* Two branches that differ in an element: Δ shows it, “Compare…” names the first node, a click goes
 * back. */
static void
test_branches (void)
{
  WindowFixture fixture;
  GtkWidget *panel, *delta, *dialog, *table;

  debugger_open_at (&fixture, "relu1");
  debugger_activate (&fixture, "debug.branch");
  window_fixture_wait (&fixture, is_branch, GUINT_TO_POINTER (2));
  window_fixture_settle (&fixture);
  choose_value (&fixture, "conv1_output_0");
  show_view (&fixture, "table");
  table = find (&fixture, "SondeTensorTable");
  g_signal_emit_by_name (table, "edit", "[0, 0, 0, 0]", "1000");
  show_view (&fixture, "facts");
  window_fixture_wait (&fixture, shows, "1000");
  delta = window_fixture_find_label (viewer_of (&fixture), "Δ 1");
  g_assert_nonnull (delta);
  gtk_toggle_button_set_active (
      GTK_TOGGLE_BUTTON (gtk_widget_get_ancestor (delta, GTK_TYPE_TOGGLE_BUTTON)), TRUE);
  window_fixture_settle (&fixture);
  window_fixture_wait (&fixture, shows, "143 (99.3 %)"); /* all others are the same: zeros */
  debugger_activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, debugger_says, "Paused before conv2");
  window_fixture_settle (&fixture);

  panel = debugger_show_tab (&fixture, "branches", SONDE_TYPE_DEBUG_BRANCHES);
  debugger_click (window_fixture_find_label (panel, "Compare…"));
  dialog = debugger_find_window ("Compare Values or Branches");
  g_assert_nonnull (dialog);
  debugger_click (window_fixture_find_label (dialog, "Compare"));
  window_fixture_wait (&fixture, has_verdict, "First different node: conv1. 1 of 1 values differ.");
  gtk_window_destroy (GTK_WINDOW (dialog));
  g_signal_emit_by_name (
      gtk_widget_get_ancestor (window_fixture_find_label (panel, "1: "), GTK_TYPE_LIST_BOX),
      "row-activated",
      gtk_widget_get_ancestor (window_fixture_find_label (panel, "1: "), GTK_TYPE_LIST_BOX_ROW));
  window_fixture_wait (&fixture, is_branch, GUINT_TO_POINTER (1));
  window_fixture_wait (&fixture, debugger_says, "Paused before relu1");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* ---- one value ----------------------------------------------------------- */

static gboolean
shows_tiles (WindowFixture *fixture, const void *data)
{
  GtkWidget *view = window_fixture_find (viewer_of (fixture), SONDE_TYPE_TENSOR_VIEW);
  g_autofree char *caption = sonde_tensor_view_dup_caption (SONDE_TENSOR_VIEW (view));

  return g_str_has_prefix (caption, data);
}

/* 4 channels of 6 × 6, or 6 of 4 × … as the last dimension says; the node's input beside its
 * output. */
static void
test_layouts (void)
{
  WindowFixture fixture;
  GtkWidget *layout;

  debugger_open_at (&fixture, "conv2");
  g_assert_true (shows_tiles (&fixture, "4 tiles of 6 × 6"));
  layout = gtk_widget_get_ancestor (window_fixture_find_label (viewer_of (&fixture), "NHWC"),
                                    GTK_TYPE_TOGGLE_BUTTON);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (layout), TRUE);
  window_fixture_wait (&fixture, shows_tiles, "6 tiles of 4 × 6");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (layout), FALSE);
  window_fixture_wait (&fixture, shows_tiles, "4 tiles of 6 × 6");
  window_fixture_settle (&fixture);
  show_view (&fixture, "before-after");
  window_fixture_wait (&fixture, shows, "Input: conv1_output_0");
  g_assert_true (shows (&fixture, "Output: relu1_output_0"));
  window_fixture_wait (&fixture, shows, "4 tiles of 6 × 6");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* ---- one node again ------------------------------------------------------ */

static gboolean
rerun_says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (debugger_find_window ("Re-Run Node"), data) != NULL;
}

static void
test_rerun (void)
{
  WindowFixture fixture;
  GtkWidget *dialog, *node;

  debugger_open_at (&fixture, "relu1");
  debugger_activate (&fixture, "debug.rerun");
  dialog = debugger_find_window ("Re-Run Node");
  g_assert_nonnull (dialog);
  node = debugger_find_entry (dialog, "name of the node");
  /* the last that ran */
  g_assert_cmpstr (gtk_editable_get_text (GTK_EDITABLE (node)), ==, "conv1");
  debugger_enter (node, "conv1");
  window_fixture_wait (&fixture, rerun_says, "conv1_output_0");
  debugger_enter (node, "nowhere");
  window_fixture_wait (&fixture, rerun_says, "There is no executed node “nowhere”.");
  gtk_window_destroy (GTK_WINDOW (dialog));
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

static gboolean
window_says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (GTK_WIDGET (fixture->window), data) != NULL;
}

/* ---- a training ---------------------------------------------------------- */

/* Its updates are values; the recommended set is one click; the menu goes back to before the
 * step. */
static void
test_training (void)
{
  WindowFixture fixture;
  GtkWidget *panel, *bar;
  g_autofree char *batch = NULL;

  debugger_open_training (&fixture, "relu3");
  g_assert_true (debugger_says (&fixture, "Paused at step 1 · before relu3 (Relu)"));
  panel = debugger_show_tab (&fixture, "breakpoints", SONDE_TYPE_DEBUG_BREAKPOINTS);
  debugger_activate (&fixture, "debug.watch");
  bar = find (&fixture, "SondeDebugBar");
  debugger_click (window_fixture_find_label (bar, "Recommended Set"));
  window_fixture_wait (&fixture, has_no_form, NULL);
  window_fixture_settle (&fixture);
  g_assert_nonnull (
      window_fixture_find_label (panel, "preset gradient_vanishing abs_mean_lt=1e-09"));
  g_assert_nonnull (window_fixture_find_label (panel, "preset activation_range"));
  debugger_activate (&fixture, "debug.rewind");
  window_fixture_wait (&fixture, debugger_says, "Paused at step 1 · before conv1");
  window_fixture_settle (&fixture);
  batch = g_build_filename (fixture.folder, "run", "captures", "batch-step00000001.npz", NULL);
  g_assert_true (g_file_test (batch, G_FILE_TEST_IS_REGULAR));
  window_fixture_wait (&fixture, window_says, "The batch of step 1 was written to");
  /* The engine may still be ending: it is not offered. */
  debugger_activate (&fixture, "debug.end");
  window_fixture_wait (&fixture, debugger_says, "Open File…");
  g_assert_false (debugger_says (&fixture, "Attach to “"));
  window_fixture_clear (&fixture);
}

/* Before a node that follows a conversion of layout: it is the node before that is run again. */
static void
test_rerun_node (void)
{
  WindowFixture fixture;
  GtkWidget *dialog;

  debugger_open_training (&fixture, "flatten");
  debugger_activate (&fixture, "debug.rerun");
  dialog = debugger_find_window ("Re-Run Node");
  g_assert_nonnull (dialog);
  g_assert_cmpstr (
      gtk_editable_get_text (GTK_EDITABLE (debugger_find_entry (dialog, "name of the node"))), ==,
      "pool2");
  gtk_window_destroy (GTK_WINDOW (dialog));
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* Also one that is not mapped. (nullable) */
static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, label);
  return found;
}

/* A number typed into the form of the value that is shown, and one of its buttons. */
static void
change_value (WindowFixture *fixture, const char *number, const char *button)
{
  GtkWidget *menu = window_fixture_find (viewer_of (fixture), GTK_TYPE_MENU_BUTTON);
  GtkWidget *form = GTK_WIDGET (gtk_menu_button_get_popover (GTK_MENU_BUTTON (menu)));

  gtk_editable_set_text (GTK_EDITABLE (debugger_find_entry (form, "0.5, nan, -inf")), number);
  g_signal_emit_by_name (find_button (form, button), "clicked");
  window_fixture_settle (fixture);
}

/* A gradient is filled, then scaled: its name is part of an expression there. */
static void
test_scale (void)
{
  WindowFixture fixture;

  debugger_open_training (&fixture, "Gemm_2");
  choose_value (&fixture, "grad(fc3.weight)");
  show_view (&fixture, "facts");
  change_value (&fixture, "2.5", "_Fill");
  window_fixture_wait (&fixture, shows, "2.5");
  change_value (&fixture, "3", "_Scale");
  window_fixture_wait (&fixture, shows, "7.5");
  window_fixture_clear (&fixture);
}

/* Behind its update a weight is listed with its gradient, its update and its state, and each can be
 * looked at. */
static void
test_update (void)
{
  WindowFixture fixture;

  debugger_open_training (&fixture, "relu3");
  debugger_enter (debugger_find_entry (find (&fixture, "SondeDebugConsole"),
                                       "print conv1.weight[0], break op:Relu, help…"),
                  "tbreak fc3.weight' after");
  window_fixture_settle (&fixture);
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, debugger_says, "Paused at step 1 · after ");
  window_fixture_settle (&fixture);
  g_assert_true (sonde_debug_session_focus_name (
      sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (&fixture))), "fc3"));
  window_fixture_settle (&fixture);
  choose_value (&fixture, "fc3.weight'");
  show_view (&fixture, "facts");
  g_assert_true (shows (&fixture, "10×84"));
  choose_value (&fixture, "grad(fc3.weight)");
  window_fixture_wait (&fixture, shows, "10×84");
  choose_value (&fixture, "state(fc3.weight, momentum)");
  window_fixture_wait (&fixture, shows, "10×84");
  window_fixture_settle (&fixture);
  window_fixture_clear (&fixture);
}

/* An inference without an input says that it computes with zeros, until it is dismissed. */
static void
test_input_note (void)
{
  WindowFixture fixture;
  GtkWidget *note, *button;

  debugger_open_at (&fixture, "relu1");
  note = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_INPUT_NOTE);
  g_assert_nonnull (window_fixture_find_label (note, "No input given: “x” is all zeros."));
  g_assert_nonnull (window_fixture_find_label (note, "Load…"));
  g_assert_true (gtk_widget_get_mapped (note));
  button = gtk_widget_get_last_child (note);
  g_signal_emit_by_name (button, "clicked");
  g_assert_false (gtk_widget_get_visible (note));
  debugger_activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, debugger_says, "Paused before conv2");
  g_assert_false (gtk_widget_get_visible (note));
  window_fixture_clear (&fixture);
}

static gboolean
has_input (WindowFixture *fixture, const void *data)
{
  return !gtk_widget_get_visible (
             window_fixture_find (debugger_page (fixture), SONDE_TYPE_DEBUG_INPUT_NOTE))
         && debugger_says (fixture, "Paused before relu1");
}

static void
on_statistics (GObject *client, GAsyncResult *result, gpointer data)
{
  g_autoptr (SondeSessionReply) reply
      = sonde_session_client_send_finish (SONDE_SESSION_CLIENT (client), result, NULL);

  g_assert_nonnull (reply);
  *(SondeStatistics *) data = reply->statistics;
}

static gboolean
has_statistics (WindowFixture *fixture, const void *data)
{
  return ((const SondeStatistics *) data)->count > 0;
}

/* One press computes with random numbers instead, at the same place. */
static void
test_random_input (void)
{
  WindowFixture fixture;
  SondeStatistics statistics = { 0 };
  SondeDebugSession *session;
  GtkWidget *note;

  debugger_open_at (&fixture, "relu1");
  note = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_INPUT_NOTE);
  debugger_click (window_fixture_find_label (note, "Random"));
  window_fixture_wait (&fixture, has_input, NULL);
  window_fixture_settle (&fixture);
  session = SONDE_DEBUG_SESSION (sonde_workspace_get_session (fixture.workspace));
  sonde_debug_session_send (session, sonde_session_request_statistics ("x"), NULL, on_statistics,
                            &statistics);
  window_fixture_wait (&fixture, has_statistics, &statistics);
  g_assert_cmpint (statistics.count, ==, 64);
  g_assert_cmpint (statistics.zeros, ==, 0);
  g_assert_cmpfloat_with_epsilon (statistics.mean, 0, 0.5);
  g_assert_cmpfloat_with_epsilon (statistics.std, 1, 0.4);
  window_fixture_clear (&fixture);
}

/* A training has its batch once a step has begun. */
static void
test_batch_note (void)
{
  WindowFixture fixture;
  GtkWidget *note;

  debugger_open_training (&fixture, "conv1");
  note = window_fixture_find (debugger_page (&fixture), SONDE_TYPE_DEBUG_INPUT_NOTE);
  g_assert_false (gtk_widget_get_visible (note));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE); /* sessions of others stay out of it */
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/debugger-hands/attributes", test_attributes);
  g_test_add_func ("/app/pages/debugger-hands/branches", test_branches);
  g_test_add_func ("/app/pages/debugger-hands/input-note", test_input_note);
  g_test_add_func ("/app/pages/debugger-hands/random-input", test_random_input);
  g_test_add_func ("/app/pages/debugger-hands/batch-note", test_batch_note);
  g_test_add_func ("/app/pages/debugger-hands/layouts", test_layouts);
  g_test_add_func ("/app/pages/debugger-hands/rerun", test_rerun);
  g_test_add_func ("/app/pages/debugger-hands/rerun-node", test_rerun_node);
  g_test_add_func ("/app/pages/debugger-hands/scale", test_scale);
  g_test_add_func ("/app/pages/debugger-hands/training", test_training);
  g_test_add_func ("/app/pages/debugger-hands/update", test_update);
  return g_test_run ();
}
