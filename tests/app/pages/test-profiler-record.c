/* SPDX-License-Identifier: Apache-2.0
 * Profiles that are recorded from the window: of an inference and a training that are debugged, and of a model in a
 * child; what was recorded opens by itself. */
#include <glib/gstdio.h>

#include "app/profiler/sonde-operators-pane.h"
#include "app/widgets/sonde-record-panel.h"
#include "tests/app/pages/debugger-fixture.h"

static SondeTraceDocument *
document_of (WindowFixture *fixture)
{
  return sonde_profile_sources_get_document (sonde_workspace_get_profiles (fixture->workspace));
}

static SondeDebugRecording *
recording_of (WindowFixture *fixture)
{
  return sonde_profile_recorder_get_recording (sonde_workspace_get_recorder (fixture->workspace));
}

/* The page shows a recording of so many steps. */
static gboolean
shows_steps (WindowFixture *fixture, const void *n)
{
  SondeTraceDocument *document = document_of (fixture);

  if (document == NULL || sonde_trace_document_get_state (document) != SONDE_TRACE_DOCUMENT_READY)
    return FALSE;
  g_assert_cmpuint (sonde_trace_document_get_profile (document)->n_steps, ==, GPOINTER_TO_UINT (n));
  return sonde_window_get_page (fixture->window)
         == sonde_window_peek_page (fixture->window, "profiler");
}

static gboolean
is_on (WindowFixture *fixture, const void *data)
{
  return sonde_debug_recording_is_on (recording_of (fixture));
}

/* The panel of the record button on the page. */
static GtkWidget *
panel_of (WindowFixture *fixture)
{
  GtkWidget *button = window_fixture_find (debugger_page (fixture), SONDE_TYPE_RECORD_BUTTON);

  g_assert_true (gtk_widget_get_visible (button));
  gtk_menu_button_popup (GTK_MENU_BUTTON (gtk_widget_get_first_child (button)));
  return window_fixture_find (button, SONDE_TYPE_RECORD_PANEL);
}

/* The visible button of exactly that label. (nullable) */
static GtkWidget *
find_button (GtkWidget *widget, const char *words)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (widget) && gtk_widget_get_child_visible (widget)
      && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), words) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, words);
  return found;
}

static void
click (GtkWidget *panel, const char *words)
{
  GtkWidget *button = find_button (panel, words);

  g_assert_nonnull (button);
  g_assert_true (gtk_widget_is_sensitive (button));
  g_signal_emit_by_name (button, "clicked");
}

static void
close_window (WindowFixture *fixture)
{
  window_fixture_close (fixture);
  window_fixture_clear (fixture);
}

static const SondeRecordingEntry *
entry_of (WindowFixture *fixture)
{
  return sonde_recording_list_get (sonde_trace_document_get_recordings (document_of (fixture)), 0);
}

static gboolean
shows_operators (WindowFixture *fixture, const void *data)
{
  GtkWidget *pane = window_fixture_find (debugger_page (fixture), SONDE_TYPE_OPERATORS_PANE);

  return pane != NULL && gtk_widget_get_mapped (pane);
}

/* From the debugger's menu to the table of the operators. */
static void
assert_link (WindowFixture *fixture)
{
  SondeDebugSession *session = sonde_debug_recording_get_session (recording_of (fixture));

  sonde_window_show_page (fixture->window, "debugger", NULL);
  g_assert_true (sonde_debug_session_focus_name (session, "conv2"));
  window_fixture_settle (fixture);
  debugger_activate (fixture, "debug.to-profiler");
  window_fixture_wait (fixture, shows_operators, NULL);
}

/* It is run until there are as many runs as were asked for, also from the middle of one. */
static void
test_inference (void)
{
  WindowFixture fixture;
  GtkWidget *panel;

  debugger_open_at (&fixture, "relu1");
  panel = panel_of (&fixture);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (window_fixture_find (panel, GTK_TYPE_SPIN_BUTTON)),
                             3);
  click (panel, "Record");
  window_fixture_wait (&fixture, shows_steps, GUINT_TO_POINTER (3));
  g_assert_true (entry_of (&fixture)->of_runs);
  g_assert_cmpuint (sonde_trace_document_find_operator (document_of (&fixture), "conv2"), !=,
                    SONDE_TRACE_DOCUMENT_NONE);
  assert_link (&fixture);
  close_window (&fixture);
}

/* Until it is stopped; the profile is that of the training's own run. */
static void
test_training (void)
{
  const SondeSpanLogOptions two = { .n_steps = 2 };
  WindowFixture fixture = { 0 };

  fixture.folder = g_dir_make_tmp ("sonde-record-XXXXXX", NULL);
  debugger_open_training (&fixture, "");
  sonde_debug_recording_start (recording_of (&fixture), &two);
  window_fixture_wait (&fixture, is_on, NULL);
  debugger_activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, shows_steps, GUINT_TO_POINTER (2));
  g_assert_false (entry_of (&fixture)->of_runs);
  g_assert_true (
      g_str_has_prefix (sonde_trace_document_get_path (document_of (&fixture)), fixture.folder));
  close_window (&fixture);
}

static gboolean
is_offered (WindowFixture *fixture, const void *data)
{
  return debugger_says (fixture, "Profile the model");
}

static WindowFixture
open_model (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-record-XXXXXX", NULL) };
  g_autofree char *path = debugger_write_model (fixture.folder);

  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "profiler", NULL);
  window_fixture_wait (&fixture, is_offered, NULL);
  return fixture;
}

/* Without a session the page offers the model that is open. */
static void
test_model (void)
{
  WindowFixture fixture = open_model ();
  SondeProfileRecorder *recorder = sonde_workspace_get_recorder (fixture.workspace);

  click (window_fixture_find (debugger_page (&fixture), SONDE_TYPE_RECORD_PANEL), "Profile");
  g_assert_true (sonde_profile_recorder_is_on (recorder));
  window_fixture_wait (&fixture, shows_steps, GUINT_TO_POINTER (20));
  g_assert_false (sonde_profile_recorder_is_on (recorder));
  close_window (&fixture);
}

static void
on_problem (SondeWorkspace *workspace, const char *sentence, char **told)
{
  g_free (*told);
  *told = g_strdup (sentence);
}

static gboolean
is_told (WindowFixture *fixture, const void *told)
{
  return *(char *const *) told != NULL;
}

/* A child that is cancelled leaves nothing; one that fails says why. */
static void
test_failures (void)
{
  WindowFixture fixture = open_model ();
  SondeProfileRecorder *recorder = sonde_workspace_get_recorder (fixture.workspace);
  g_autofree char *told = NULL, *model = g_build_filename (fixture.folder, "small.onnx", NULL);

  g_signal_connect (fixture.workspace, "problem", G_CALLBACK (on_problem), &told);
  click (window_fixture_find (debugger_page (&fixture), SONDE_TYPE_RECORD_PANEL), "Profile");
  sonde_profile_recorder_stop (recorder);
  g_assert_false (sonde_profile_recorder_is_on (recorder));
  g_assert_null (document_of (&fixture));
  g_assert_null (told);
  g_assert_true (g_file_set_contents (model, "\x08\x07rubbish", -1, NULL));
  click (window_fixture_find (debugger_page (&fixture), SONDE_TYPE_RECORD_PANEL), "Profile");
  window_fixture_wait (&fixture, is_told, &told);
  g_assert_nonnull (strstr (told, "small.onnx"));
  g_assert_null (document_of (&fixture));
  close_window (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/profiler-record/inference", test_inference);
  g_test_add_func ("/app/pages/profiler-record/training", test_training);
  g_test_add_func ("/app/pages/profiler-record/model", test_model);
  g_test_add_func ("/app/pages/profiler-record/failures", test_failures);
  return g_test_run ();
}
