/* SPDX-License-Identifier: Apache-2.0
 * The Debugger page on a real engine child, and attached to a training that runs. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <gtksourceview/gtksource.h>

#include "data/models/sonde-model-file.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-graph-view.h"
#include "viewers/sonde-tensor-view.h"

/* ---- a model ---------------------------------------------------------------------------------- */

static SondeGraphValue *
add_parameter (SondeGraph *graph,
               const char *name,
               int         rank,
               int         a,
               int         b,
               int         c)
{
  SondeShape shape = rank == 1 ? sonde_shape_make (1, a) : sonde_shape_make (4, a, b, c, c);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, 0.1 * (double) (i % 7) - 0.2);
  return sonde_graph_add_initialiser (graph, name, tensor, SONDE_ROLE_PARAMETER);
}

/* x → conv1 → relu1 → conv2 → relu2 → y */
static char *
write_model (const char *folder)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("small");
  SondeShape shape = sonde_shape_make (4, 1, 1, 8, 8);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (folder, "small.onnx", NULL);

  sonde_graph_set_opset (graph, "", 17);
  for (int i = 1; i <= 2; i++)
    {
      g_autofree char *conv = g_strdup_printf ("conv%d", i), *relu = g_strdup_printf ("relu%d", i);
      g_autofree char *weight = g_strdup_printf ("conv%d.weight", i), *bias = g_strdup_printf ("conv%d.bias", i);
      SondeGraphValue *inputs[] = { value, add_parameter (graph, weight, 4, 4, i == 1 ? 1 : 4, 3),
                                    add_parameter (graph, bias, 1, 4, 0, 0) };

      value = sonde_node_get_output (sonde_graph_add_node (graph, conv, "", "Conv", inputs, 3, 1), 0);
      value = sonde_node_get_output (sonde_graph_add_node (graph, relu, "", "Relu", &value, 1, 1), 0);
    }
  sonde_graph_add_output (graph, value);
  g_assert_true (sonde_model_save (NULL, path, graph, &error));
  g_assert_no_error (error);
  return path;
}

/* ---- what is seen ----------------------------------------------------------------------------- */

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static gboolean
says (WindowFixture *fixture,
      const void    *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

/* Marks of a category in the listing. */
static guint
count_marks (WindowFixture *fixture,
             const char    *category)
{
  GtkWidget *view = window_fixture_find (page_of (fixture), GTK_SOURCE_TYPE_VIEW);
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (GTK_TEXT_VIEW (view));
  guint n = 0;

  for (int i = 0; i < gtk_text_buffer_get_line_count (buffer); i++)
    {
      GSList *marks = gtk_source_buffer_get_source_marks_at_line (GTK_SOURCE_BUFFER (buffer), i, category);

      n += g_slist_length (marks);
      g_slist_free (marks);
    }
  return n;
}

static gboolean
has_breakpoints (WindowFixture *fixture,
                 const void    *data)
{
  return count_marks (fixture, "sonde-breakpoint") == GPOINTER_TO_UINT (data);
}

static void
activate (WindowFixture *fixture,
          const char    *action)
{
  g_assert_true (gtk_widget_activate_action (page_of (fixture), action, NULL));
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
      if (strstr (text, "(sonde)") == NULL || end == NULL || sscanf (end + 1, " %c %d", &state, &parent) != 2
          || parent != (int) getpid () || state == 'Z')
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
no_engine_is_left (WindowFixture *fixture,
                   const void    *data)
{
  return count_engines () == 0 && !g_application_get_is_busy (g_application_get_default ());
}

/* ---- a model ---------------------------------------------------------------------------------- */

static void
test_model (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = write_model (fixture.folder);
  SondePageRequest request = { .at = "conv2" };
  GtkWidget *view, *graph;
  g_autofree char *caption = NULL;

  window_fixture_open_paths (&fixture, (const char *const[]) { path, NULL }, "debugger", &request);
  g_assert_true (says (&fixture, "Paused before conv2 (Conv) · 2 of"));
  g_assert_cmpuint (count_engines (), ==, 1);
  g_assert_cmpuint (count_marks (&fixture, "sonde-current"), ==, 1);

  /* The value that was made last, as tiles. */
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_TENSOR_VIEW);
  caption = sonde_tensor_view_dup_caption (SONDE_TENSOR_VIEW (view));
  g_assert_true (g_str_has_prefix (caption, "4 tiles of 6 × 6"));
  graph = window_fixture_find (page_of (&fixture), SONDE_TYPE_GRAPH_VIEW);
  g_assert_cmpuint (sonde_graph_scene_get_n_boxes (sonde_graph_view_get_scene (SONDE_GRAPH_VIEW (graph))), >=, 6);

  /* A breakpoint at the selected node; the run stops there. */
  g_assert_true (sonde_graph_view_select_name (SONDE_GRAPH_VIEW (graph), "relu2"));
  activate (&fixture, "debug.breakpoint");
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (1));
  activate (&fixture, "debug.continue");
  window_fixture_wait (&fixture, says, "Paused before relu2");
  activate (&fixture, "debug.breakpoint");
  window_fixture_wait (&fixture, has_breakpoints, GUINT_TO_POINTER (0));

  activate (&fixture, "debug.step");
  window_fixture_wait (&fixture, says, "small.onnx ended");
  activate (&fixture, "debug.restart");
  window_fixture_wait (&fixture, says, "Ready before the first of");
  window_fixture_settle (&fixture);
  window_fixture_close (&fixture);
  window_fixture_wait (&fixture, no_engine_is_left, NULL);
  window_fixture_clear (&fixture);
}

/* Without a node: somewhere in the middle, with a value to see; "End" leads back to what is offered. */
static void
test_middle_and_end (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = write_model (fixture.folder);
  SondePageRequest request = { 0 };

  window_fixture_open_paths (&fixture, (const char *const[]) { path, NULL }, "debugger", &request);
  g_assert_true (says (&fixture, "Paused before "));
  g_assert_false (says (&fixture, "Paused before conv1"));
  /* Another page meanwhile: the session stays. */
  sonde_window_show_page (fixture.window, "graph", NULL);
  window_fixture_settle (&fixture);
  sonde_window_show_page (fixture.window, "debugger", NULL);
  g_assert_true (says (&fixture, "Paused before "));
  activate (&fixture, "debug.end");
  window_fixture_wait (&fixture, says, "Debug “small.onnx”");
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
  window_fixture_open_paths (&fixture, (const char *const[]) { path, NULL }, "debugger", &request);
  g_assert_true (says (&fixture, "It Cannot Be Debugged"));
  window_fixture_wait (&fixture, no_engine_is_left, NULL);
  window_fixture_clear (&fixture);
}

/* A child that is killed is told of; nothing hangs. */
static void
test_killed (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *path = write_model (fixture.folder);
  SondePageRequest request = { 0 };

  window_fixture_open_paths (&fixture, (const char *const[]) { path, NULL }, "debugger", &request);
  g_assert_cmpuint (signal_engines (SIGKILL), ==, 1);
  window_fixture_wait (&fixture, says, "The Session Is Over");
  window_fixture_wait (&fixture, no_engine_is_left, NULL);
  window_fixture_clear (&fixture);
}

/* ---- a training ------------------------------------------------------------------------------- */

static GSubprocess *
start_training (const char *run)
{
  g_autofree char *program = g_build_filename (g_getenv ("SONDE_BUILD"), "app", "sonde", NULL);
  g_autoptr (GError) error = NULL;
  GSubprocess *training = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_SILENCE | G_SUBPROCESS_FLAGS_STDOUT_SILENCE,
                                            &error, program, "train", "lenet", "--set", "data.source=glyphs", "--set",
                                            "data.train=256", "--set", "data.test=32", "--set", "data.batch=16", "--set",
                                            "train.steps=1000000", "--set", "train.threads=1", "--run", run, NULL);

  g_assert_no_error (error);
  return training;
}

static gboolean
has_ended (WindowFixture *fixture,
           const void    *data)
{
  return g_subprocess_get_identifier ((GSubprocess *) data) == NULL;
}

/* Offered while it runs; pausing, leaving, and it goes on. */
static void
test_attach (void)
{
  WindowFixture fixture = { .folder = g_dir_make_tmp ("sonde-debugger-XXXXXX", NULL) };
  g_autofree char *run = g_build_filename (fixture.folder, "run", NULL);
  g_autoptr (GSubprocess) training = start_training (run);
  g_autofree char *title = NULL;
  GtkWidget *label;

  window_fixture_open_paths (&fixture, (const char *const[]) { NULL }, "debugger", NULL);
  window_fixture_wait (&fixture, says, "Attach to ");
  label = window_fixture_find_label (page_of (&fixture), "Attach to ");
  title = g_strdup (gtk_label_get_text (GTK_LABEL (label)));
  g_assert_nonnull (strstr (title, g_subprocess_get_identifier (training)));
  g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
  window_fixture_wait (&fixture, says, "Running ");
  activate (&fixture, "debug.pause");
  window_fixture_wait (&fixture, says, "Paused before ");
  g_assert_nonnull (strstr (gtk_label_get_text (GTK_LABEL (window_fixture_find_label (page_of (&fixture), "Paused "))),
                            "training step"));
  window_fixture_settle (&fixture);
  activate (&fixture, "debug.end");
  window_fixture_wait (&fixture, says, "Nothing Is Being Debugged");
  g_assert_nonnull (g_subprocess_get_identifier (training));
  window_fixture_close (&fixture);
  g_subprocess_send_signal (training, SIGTERM);
  window_fixture_wait (&fixture, has_ended, training);
  g_assert_true (g_subprocess_wait (training, NULL, NULL));
  g_assert_cmpint (g_subprocess_get_if_exited (training) ? g_subprocess_get_exit_status (training) : -1, ==,
                   128 + SIGTERM);
  window_fixture_clear (&fixture);
}

int
main (int    argc,
      char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  /* Sessions of others stay out of it. */
  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/debugger/model", test_model);
  g_test_add_func ("/app/pages/debugger/middle-and-end", test_middle_and_end);
  g_test_add_func ("/app/pages/debugger/unreadable", test_unreadable);
  g_test_add_func ("/app/pages/debugger/killed", test_killed);
  g_test_add_func ("/app/pages/debugger/attach", test_attach);
  return g_test_run ();
}
