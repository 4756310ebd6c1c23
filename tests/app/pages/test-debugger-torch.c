/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page on a training in PyTorch that knows nothing of Sonde, by keys and by what is read on it.
 * Skipped without PyTorch; see scripts/test --torch. */
#include <glib/gstdio.h>
#include <signal.h>

#include "app/debugger/panels/sonde-debug-breakpoints.h"
#include "app/debugger/panels/sonde-debug-console.h"
#include "app/debugger/panels/sonde-debug-stack.h"
#include "app/debugger/sonde-debug-listing.h"
#include "app/debugger/value/sonde-debug-values.h"
#include "app/debugger/value/sonde-debug-viewer.h"
#include "app/pages/graph/sonde-graph-colour-choice.h"
#include "app/pages/sonde-debugger-page.h"
#include "app/widgets/sonde-record-panel.h"
#include "tests/app/pages/debugger-fixture.h"
#include "tests/support/sonde-test-hands.h"
#include "tests/support/sonde-test-program.h"

#define ORIGIN "First bad node: %s ("
#define DIALOG "Attach to a Process"
#define DIVERGENT "First Divergent Node"
#define START_SECONDS 180 /* far more than PyTorch needs to load */

typedef struct
{
  WindowFixture fixture;
  SondeTestHands *hands;
  GPid training;
} Training;

/* (nullable): a Python that has PyTorch */
static const char *
find_python (void)
{
  const char *python = g_getenv ("SONDE_TORCH_PYTHON");
  const char *const arguments[] = { python, "-c", "import torch, numpy", NULL };
  int status = -1;

  if (python == NULL
      || !g_spawn_sync (NULL, (char **) arguments, NULL,
                        G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL,
                        NULL, &status, NULL)
      || !g_spawn_check_wait_status (status, NULL))
    return NULL;
  return python;
}

/* ---- the training -------------------------------------------------------- */

/* @script: below the sources; @words: for it. Stands before its first operator until a debugger says run; what it writes
 * goes to @folder. */
static GPid
spawn_training (const char *python, const char *folder, const char *script,
                const char *const words[2])
{
  g_autofree char *path = g_build_filename (g_getenv ("SONDE_SOURCE"), script, NULL);
  g_autofree char *modules = g_build_filename (g_getenv ("SONDE_BUILD"), "python", NULL);
  const char *const arguments[]
      = { python, "-m", "sonde.debug", path, words[0], words[0] != NULL ? words[1] : NULL, NULL };
  g_auto (GStrv) environment = g_get_environ ();
  g_autoptr (GError) error = NULL;
  GPid pid;

  environment = g_environ_setenv (environment, "PYTHONPATH", modules, TRUE);
  environment = g_environ_setenv (environment, "SONDE_DEBUG", "wait", TRUE);
  environment = g_environ_setenv (environment, "OMP_NUM_THREADS", "1", TRUE);
  environment = g_environ_unsetenv (environment, "LD_LIBRARY_PATH");
  environment = g_environ_unsetenv (environment, "MALLOC_PERTURB_");
  g_spawn_async (folder, (char **) arguments, environment, G_SPAWN_STDOUT_TO_DEV_NULL, NULL, NULL,
                 &pid, &error);
  g_assert_no_error (error);
  return pid;
}

static void
wait_for_session (GPid training)
{
  g_autofree char *socket
      = g_strdup_printf ("%s/sonde/%d.sock", g_getenv ("XDG_RUNTIME_DIR"), training);
  gint64 end = g_get_monotonic_time () + START_SECONDS * G_TIME_SPAN_SECOND;

  while (!g_file_test (socket, G_FILE_TEST_EXISTS))
    {
      g_assert_cmpint (kill (training, 0), ==, 0);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_main_context_iteration (NULL, FALSE);
    }
}

static gboolean
is_listed (WindowFixture *fixture, const void *data)
{
  GtkWidget *dialog = debugger_find_window (DIALOG);

  return dialog != NULL && window_fixture_find_label (dialog, data) != NULL;
}

static gboolean
is_closed (WindowFixture *fixture, const void *data)
{
  return debugger_find_window (DIALOG) == NULL;
}

/* As it is found in the list of what can be attached to; Return takes it. */
static void
attach (Training *training, const char *title)
{
  g_autofree char *detail = g_strdup_printf ("Process %d · ", training->training);

  g_assert_true (
      gtk_widget_activate_action (GTK_WIDGET (training->fixture.window), "win.attach", NULL));
  window_fixture_wait (&training->fixture, is_listed, title);
  g_assert_true (is_listed (&training->fixture, detail));
  sonde_test_hands_focus (training->hands, GTK_WINDOW (debugger_find_window (DIALOG)));
  sonde_test_hands_key (training->hands, GDK_KEY_Return, TRUE);
  sonde_test_hands_key (training->hands, GDK_KEY_Return, FALSE);
  window_fixture_wait (&training->fixture, is_closed, NULL);
  sonde_test_hands_focus (training->hands, GTK_WINDOW (training->fixture.window));
}

static void
begin (Training *training, const char *python, const char *script, const char *const words[2])
{
  g_autofree char *title = g_path_get_basename (script);

  training->fixture = (WindowFixture){ .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  training->training = spawn_training (python, training->fixture.folder, script, words);
  wait_for_session (training->training);
  window_fixture_open_paths (&training->fixture, (const char *const[]){ NULL }, "graph", NULL);
  training->hands = sonde_test_hands_new ();
  if (training->hands != NULL)
    attach (training, title);
}

static void
end (Training *training)
{
  window_fixture_clear (&training->fixture);
  g_clear_pointer (&training->hands, sonde_test_hands_free);
  kill (training->training, SIGKILL);
  g_spawn_close_pid (training->training);
}

/* ---- hands and eyes ------------------------------------------------------ */

static void
press (Training *training, guint key)
{
  sonde_test_hands_key (training->hands, key, TRUE);
  sonde_test_hands_key (training->hands, key, FALSE);
}

static void
see (Training *training, const char *words)
{
  window_fixture_wait (&training->fixture, debugger_says, words);
  window_fixture_settle (&training->fixture);
}

static GtkWidget *
find (Training *training, GType type)
{
  return window_fixture_find (debugger_page (&training->fixture), type);
}

static void
command (Training *training, const char *line)
{
  debugger_enter (debugger_find_entry (find (training, SONDE_TYPE_DEBUG_CONSOLE),
                                       "print conv1.weight[0], break op:Relu, help…"),
                  line);
  window_fixture_settle (&training->fixture);
}

/* Of the text view in a part of the page. (transfer full) */
static char *
dup_text (WindowFixture *fixture, GType part)
{
  GtkWidget *view = window_fixture_find (window_fixture_find (debugger_page (fixture), part),
                                         GTK_TYPE_TEXT_VIEW);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  GtkTextIter start, stop;

  gtk_text_buffer_get_bounds (buffer, &start, &stop);
  return gtk_text_buffer_get_text (buffer, &start, &stop, FALSE);
}

static gboolean
lists (WindowFixture *fixture, const void *data)
{
  g_autofree char *listing = dup_text (fixture, SONDE_TYPE_DEBUG_LISTING);

  return strstr (listing, data) != NULL;
}

/* In the console. */
static gboolean
answers (WindowFixture *fixture, const void *data)
{
  g_autofree char *text = dup_text (fixture, SONDE_TYPE_DEBUG_CONSOLE);

  return strstr (text, data) != NULL;
}

static const SondeStop *
get_stop (WindowFixture *fixture)
{
  const SondeSessionStatus *status = sonde_debug_session_get_status (
      sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (fixture))));

  return status->state == SONDE_SESSION_PAUSED ? &status->stop : NULL;
}

static gboolean
is_watched (WindowFixture *fixture, const void *data)
{
  const SondeStop *stop = get_stop (fixture);

  return stop != NULL && stop->watchpoints != NULL && stop->watchpoints->len > 0;
}

/* The line where it stands can be seen: it begins with an operator in the module @data. */
static gboolean
shows_line (WindowFixture *fixture, const void *data)
{
  GtkWidget *listing = window_fixture_find (debugger_page (fixture), SONDE_TYPE_DEBUG_LISTING);
  guint line = sonde_debug_listing_get_line (SONDE_DEBUG_LISTING (listing)), first, last;
  g_autofree char *name = sonde_debug_listing_dup_name (SONDE_DEBUG_LISTING (listing), line);

  sonde_debug_listing_get_visible (SONDE_DEBUG_LISTING (listing), &first, &last);
  return name != NULL && g_str_has_prefix (name, data) && first <= line && line <= last;
}

static gboolean
is_valued (WindowFixture *fixture, const void *data)
{
  GtkWidget *viewer = window_fixture_find (debugger_page (fixture), SONDE_TYPE_DEBUG_VIEWER);

  return window_fixture_find_label (viewer, data) != NULL;
}

static void
show_view (Training *training, const char *name)
{
  GtkWidget *viewer = find (training, SONDE_TYPE_DEBUG_VIEWER);

  gtk_stack_set_visible_child_name (GTK_STACK (window_fixture_find (viewer, GTK_TYPE_STACK)), name);
  window_fixture_settle (&training->fixture);
}

/* ---- what a user does ---------------------------------------------------- */

/* The space bar starts nothing: the keyboard is the listing's. */
static void
look_at_beginning (Training *training)
{
  see (training, "Ready to run torch-glyphs.py");
  g_assert_true (debugger_says (&training->fixture, "Nothing has run yet."));
  press (training, GDK_KEY_space);
  press (training, GDK_KEY_F11);
  see (training, "Paused at step 1 · before outside/uniform_ ");
  window_fixture_wait (&training->fixture, lists, "uniform_");
}

/* A module of the third step: what ran once is not listed, what the step made is, in its scopes. */
static void
look_at_module (Training *training)
{
  g_autofree char *listing = NULL;

  command (training, "until step:3");
  see (training, "Paused at step 3 · before outside/randint");
  command (training, "tbreak head");
  press (training, GDK_KEY_F5);
  see (training, "Paused at step 3 · before head (Linear)");
  window_fixture_wait (&training->fixture, shows_line, "head");
  listing = dup_text (&training->fixture, SONDE_TYPE_DEBUG_LISTING);
  g_assert_null (strstr (listing, "uniform_"));
  g_assert_nonnull (strstr (listing, "head ← head.weight  200×4"));
  g_assert_nonnull (strstr (listing, "features.0 ← outside  "));
  press (training, GDK_KEY_F10);
  see (training, "Paused at step 3 · before outside/_softmax");
  press (training, GDK_KEY_F11);
  see (training, "Paused at step 3 · before outside/arange_1");
  g_assert_nonnull (window_fixture_find_label (
      debugger_show_tab (&training->fixture, "stack", SONDE_TYPE_DEBUG_STACK),
      "torch-glyphs.py:45 in loss_of"));
}

/* F9 at the node that is next; it is there again in the next step. */
static void
set_breakpoint (Training *training)
{
  press (training, GDK_KEY_F9);
  debugger_show_tab (&training->fixture, "breakpoints", SONDE_TYPE_DEBUG_BREAKPOINTS);
  see (training, "outside/arange_1");
  press (training, GDK_KEY_F5);
  see (training, "Paused at step 4 · before outside/arange_1");
}

/* The shares of 32 samples in 4 kinds, as numbers, picture and distribution. */
static void
look_at_value (Training *training)
{
  show_view (training, "facts");
  g_assert_true (debugger_says (&training->fixture, "outside/_softmax"));
  window_fixture_wait (&training->fixture, is_valued, "32×4");
  window_fixture_wait (&training->fixture, is_valued, "0.25");
  show_view (training, "table");
  show_view (training, "image");
}

/* A number is changed, the run goes on with it, and stops at the operator that makes the first infinity. */
static void
find_infinity (Training *training)
{
  g_autofree char *question = NULL, *found = NULL;

  command (training, "set head.bias = 0.25");
  command (training, "print head.bias[1]");
  window_fixture_wait (&training->fixture, answers, "0.25");
  command (training, "clear");
  command (training, "watch preset tensor_overflow");
  press (training, GDK_KEY_F5);
  window_fixture_wait (&training->fixture, is_watched, NULL);
  window_fixture_settle (&training->fixture);
  question = g_strdup_printf ("origin %s", get_stop (&training->fixture)->node);
  found = g_strdup_printf (ORIGIN, get_stop (&training->fixture)->node);
  command (training, question);
  window_fixture_wait (&training->fixture, answers, found);
}

static void
test_training (void)
{
  const char *python = find_python ();
  Training training = { 0 };

  if (python == NULL)
    {
      g_test_skip ("SONDE_TORCH_PYTHON names no Python that has PyTorch and NumPy.");
      return;
    }
  begin (&training, python, "examples/torch-glyphs.py", (const char *const[]){ NULL, NULL });
  if (training.hands == NULL)
    g_test_skip ("There is no libXtst.");
  else
    {
      look_at_beginning (&training);
      look_at_module (&training);
      set_breakpoint (&training);
      look_at_value (&training);
      find_infinity (&training);
    }
  end (&training);
}

/* ---- a comparison with its export ---------------------------------------- */

#define NETS "tests/collector/python/torch-nets.py"
#define NODE "norm/native_layer_norm"

/* "attention-older.onnx" and others in the folder; FALSE: the module onnx is not there. */
static gboolean
export_net (const char *python, const char *folder)
{
  g_autofree char *script = g_build_filename (g_getenv ("SONDE_SOURCE"), NETS, NULL);
  g_autofree char *model = g_build_filename (folder, "attention-older.onnx", NULL);
  const char *const arguments[] = { python, script, "attention", "export", folder, NULL };
  int status = -1;

  g_spawn_sync (NULL, (char **) arguments, NULL,
                G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL, NULL, NULL, NULL, NULL,
                &status, NULL);
  return g_file_test (model, G_FILE_TEST_EXISTS);
}

static gboolean
found (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (debugger_find_window (DIVERGENT), data) != NULL;
}

static void
choose_gradients (GtkWidget *dialog)
{
  GtkWidget *passes = debugger_find_field (dialog, "Passes");

  gtk_drop_down_set_selected (GTK_DROP_DOWN (passes), 1);
}

/* Its normalisation has another epsilon: that is named, a click goes there, and the graph can show it. */
static void
find_divergent (Training *training, const char *model)
{
  SondeDebugSession *session
      = sonde_debugger_page_get_session (SONDE_DEBUGGER_PAGE (debugger_page (&training->fixture)));
  SondeDebugSteps *steps = sonde_debug_session_get_steps (session);
  const SondeNodeError *error;
  GtkWidget *dialog, *row;

  debugger_activate (&training->fixture, "debug.diverge");
  dialog = debugger_find_window (DIVERGENT);
  choose_gradients (dialog);
  debugger_enter (debugger_find_entry (dialog, "path"), model);
  window_fixture_wait (&training->fixture, found, "First divergent module: norm (");
  row = gtk_widget_get_ancestor (window_fixture_find_label (dialog, "norm"), GTK_TYPE_LIST_BOX_ROW);
  g_assert_true (gtk_widget_activate (row));
  window_fixture_settle (&training->fixture);
  g_assert_cmpstr (sonde_debug_steps_get_name (steps, sonde_debug_session_get_focus (session)), ==,
                   NODE);
  error = g_hash_table_lookup (sonde_debug_session_get_findings (session)->errors, NODE);
  g_assert_cmpfloat (error->own, >, error->tolerance);
  gtk_window_close (GTK_WINDOW (dialog));
}

/* What is executed is a graph of the Graph page, coloured by what was found. */
static void
look_at_graph (Training *training)
{
  const SondePageRequest request = { .colour = "error" };
  GtkWidget *choice;

  g_assert_true (sonde_window_show_page (training->fixture.window, "graph", &request));
  window_fixture_settle (&training->fixture);
  choice
      = window_fixture_find (GTK_WIDGET (training->fixture.window), SONDE_TYPE_GRAPH_COLOUR_CHOICE);
  g_assert_cmpstr (sonde_graph_colour_choice_get (SONDE_GRAPH_COLOUR_CHOICE (choice)), ==, "error");
}

static void
test_divergence (void)
{
  const char *python = find_python ();
  g_autofree char *folder = g_dir_make_tmp ("sonde-nets-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (folder, "attention-older.onnx", NULL);
  Training training = { 0 };

  if (python == NULL || !export_net (python, folder))
    g_test_skip ("SONDE_TORCH_PYTHON names no Python that has PyTorch, NumPy and onnx.");
  else
    {
      begin (&training, python, NETS, (const char *const[]){ "attention", "eps=0.01" });
      if (training.hands != NULL)
        {
          see (&training, "Ready to run torch-nets.py");
          command (&training, "until phase:optimiser");
          see (&training, "Paused at step 1 · before optimiser");
          find_divergent (&training, model);
          look_at_graph (&training);
        }
      end (&training);
    }
  sonde_test_remove (folder);
}

/* ---- a profile ----------------------------------------------------------- */

static SondeTraceDocument *
document_of (WindowFixture *fixture)
{
  return sonde_profile_sources_get_document (sonde_workspace_get_profiles (fixture->workspace));
}

/* The Profiler page has opened what was recorded. */
static gboolean
shows_profile (WindowFixture *fixture, const void *data)
{
  SondeTraceDocument *document = document_of (fixture);

  return document != NULL && sonde_trace_document_get_state (document) == SONDE_TRACE_DOCUMENT_READY
         && sonde_window_get_page (fixture->window)
                == sonde_window_peek_page (fixture->window, "profiler");
}

static gboolean
is_recording (WindowFixture *fixture, const void *data)
{
  return sonde_debug_recording_is_on (
      sonde_profile_recorder_get_recording (sonde_workspace_get_recorder (fixture->workspace)));
}

/* In its place, by the pointer. */
static void
click (Training *training, GtkWidget *widget)
{
  g_assert_true (gtk_widget_is_sensitive (widget));
  sonde_test_hands_point (training->hands, widget, gtk_widget_get_width (widget) / 2.0,
                          gtk_widget_get_height (widget) / 2.0);
  sonde_test_hands_button (training->hands, 1, TRUE);
  sonde_test_hands_button (training->hands, 1, FALSE);
  window_fixture_settle (&training->fixture);
}

/* Of exactly that label. (nullable) */
static GtkWidget *
find_button (GtkWidget *widget, const char *words)
{
  GtkWidget *found = NULL;

  if (GTK_IS_BUTTON (widget) && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), words) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL && found == NULL;
       child = gtk_widget_get_next_sibling (child))
    found = find_button (child, words);
  return found;
}

static gboolean
is_mapped (WindowFixture *fixture, const void *widget)
{
  return gtk_widget_get_mapped ((GtkWidget *) widget);
}

/* Two steps, by the button of the bar; the training goes on meanwhile. */
static void
record (Training *training)
{
  GtkWidget *button = find (training, SONDE_TYPE_RECORD_BUTTON), *panel;

  click (training, gtk_widget_get_first_child (button));
  panel = window_fixture_find (button, SONDE_TYPE_RECORD_PANEL);
  window_fixture_wait (&training->fixture, is_mapped, panel);
  gtk_spin_button_set_value (GTK_SPIN_BUTTON (window_fixture_find (panel, GTK_TYPE_SPIN_BUTTON)),
                             2);
  click (training, find_button (panel, "Record"));
  window_fixture_wait (&training->fixture, is_recording, NULL);
  debugger_activate (&training->fixture, "debug.continue");
  window_fixture_wait (&training->fixture, shows_profile, NULL);
  g_assert_cmpuint (sonde_trace_document_get_profile (document_of (&training->fixture))->n_steps,
                    ==, 2);
  g_assert_true (g_str_has_suffix (sonde_trace_document_get_path (document_of (&training->fixture)),
                                   ".pt.trace.json.gz"));
}

static void
test_profile (void)
{
  const char *python = find_python ();
  Training training = { 0 };

  if (python == NULL)
    {
      g_test_skip ("SONDE_TORCH_PYTHON names no Python that has PyTorch and NumPy.");
      return;
    }
  begin (&training, python, "examples/torch-glyphs.py", (const char *const[]){ NULL, NULL });
  if (training.hands != NULL)
    {
      see (&training, "Ready to run torch-glyphs.py");
      command (&training, "until step:2");
      see (&training, "Paused at step 2 ");
      record (&training);
    }
  end (&training);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);
  int status;

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE); /* sessions of others stay out of it */
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/debugger-torch/training", test_training);
  g_test_add_func ("/app/pages/debugger-torch/divergence", test_divergence);
  g_test_add_func ("/app/pages/debugger-torch/profile", test_profile);
  status = g_test_run ();
  g_rmdir (runtime);
  return status;
}
