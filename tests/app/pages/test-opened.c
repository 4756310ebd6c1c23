/* SPDX-License-Identifier: Apache-2.0
 * A window on paths that hold no runs: a model, a file that is none, a path that is not there. */
#include "data/models/sonde-model-file.h"
#include "tests/app/pages/window-fixture.h"
#include "tests/support/sonde-test-program.h"

#define DAMAGED "no model at all"

/* The pages that show runs, and nothing else. */
static const char *const run_pages[]
    = { "runs", "scalars", "distributions", "media", "lineage", NULL };

static void
open_in_folder (WindowFixture *fixture, const char *path, const char *page)
{
  window_fixture_open_paths (fixture, (const char *const[]){ path, NULL }, page, NULL);
}

static GtkWidget *
find_label (WindowFixture *fixture, const char *prefix)
{
  return window_fixture_find_label (GTK_WIDGET (sonde_window_get_page (fixture->window)), prefix);
}

/* A Gemm of 3 × 4 weights and a Relu. (transfer full) */
static SondeGraph *
make_model (void)
{
  SondeGraph *graph = sonde_graph_new ("small");
  SondeShape in = sonde_shape_make (2, 2, 3), weights = sonde_shape_make (2, 3, 4);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &in);
  g_autoptr (SondeTensor) w = sonde_tensor_new (SONDE_DTYPE_F32, &weights);
  SondeGraphValue *inputs[2] = { sonde_graph_add_input (graph, "x", &type) };
  SondeGraphValue *product;

  sonde_graph_set_opset (graph, "", 17);
  inputs[1] = sonde_graph_add_initialiser (graph, "w", w, SONDE_ROLE_PARAMETER);
  product = sonde_node_get_output (
      sonde_graph_add_node (graph, "product", "", "MatMul", inputs, 2, 1), 0);
  sonde_graph_add_output (
      graph,
      sonde_node_get_output (sonde_graph_add_node (graph, "relu", "", "Relu", &product, 1, 1), 0));
  return graph;
}

/* Graph comes first; Overview counts what the model holds; pages of runs say what was opened. */
static void
test_model (void)
{
  WindowFixture fixture = { .folder = sonde_test_folder_new () };
  g_autofree char *path = g_build_filename (fixture.folder, "small.onnx", NULL);
  g_autoptr (SondeGraph) graph = make_model ();

  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
  open_in_folder (&fixture, path, NULL);
  g_assert_true (sonde_window_get_page (fixture.window)
                 == sonde_window_peek_page (fixture.window, "graph"));

  sonde_window_show_page (fixture.window, "overview", NULL);
  window_fixture_settle (&fixture);
  g_assert_nonnull (find_label (&fixture, "small.onnx"));
  g_assert_nonnull (find_label (&fixture, "nodes: 2 · parameters: 12"));
  g_assert_nonnull (find_label (&fixture, "float32 2×3"));

  for (guint i = 0; run_pages[i] != NULL; i++)
    {
      sonde_window_show_page (fixture.window, run_pages[i], NULL);
      window_fixture_settle (&fixture);
      g_test_message ("%s", run_pages[i]);
      g_assert_nonnull (find_label (&fixture, "“small.onnx” is a model"));
    }
  window_fixture_close (&fixture);
  sonde_test_folder_free (fixture.folder);
}

/* The buttons under the model lead to its pages. */
static void
test_actions (void)
{
  static const char *const names[] = { "graph", "debugger", "explain", "profiler" };
  WindowFixture fixture = { .folder = sonde_test_folder_new () };
  g_autofree char *path = g_build_filename (fixture.folder, "small.onnx", NULL);
  g_autoptr (SondeGraph) graph = make_model ();

  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
  open_in_folder (&fixture, path, "overview");
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      static const char *const labels[] = { "Graph", "Debug", "Explain", "Profile" };
      GtkWidget *label = find_label (&fixture, labels[i]);

      g_assert_nonnull (label);
      window_fixture_tab_to (&fixture, gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON));
      g_signal_emit_by_name (gtk_widget_get_ancestor (label, GTK_TYPE_BUTTON), "clicked");
      g_assert_true (sonde_window_get_page (fixture.window)
                     == sonde_window_peek_page (fixture.window, names[i]));
      sonde_window_show_page (fixture.window, "overview", NULL);
      window_fixture_settle (&fixture);
    }
  window_fixture_close (&fixture);
  sonde_test_folder_free (fixture.folder);
}

/* The same words on the page of its graph, which is there before the file was read. */
static void
test_damaged_graph (void)
{
  WindowFixture fixture = { .folder = sonde_test_folder_new () };
  g_autofree char *path = g_build_filename (fixture.folder, "broken.onnx", NULL);
  g_autofree char *start = g_strdup_printf ("“%s”", path);

  g_assert_true (g_file_set_contents (path, DAMAGED, -1, NULL));
  open_in_folder (&fixture, path, "graph");
  g_assert_nonnull (find_label (&fixture, "Model Not Readable"));
  g_assert_nonnull (find_label (&fixture, start));
  window_fixture_close (&fixture);
  sonde_test_folder_free (fixture.folder);
}

/* Bytes that are no model: every page that would show runs says why there is nothing. */
static void
test_damaged (void)
{
  WindowFixture fixture = { .folder = sonde_test_folder_new () };
  g_autofree char *path = g_build_filename (fixture.folder, "broken.onnx", NULL);
  g_autofree char *start = g_strdup_printf ("“%s”", path);

  g_assert_true (g_file_set_contents (path, DAMAGED, -1, NULL));
  open_in_folder (&fixture, path, "overview");
  g_assert_nonnull (find_label (&fixture, "Model Not Readable"));
  g_assert_nonnull (find_label (&fixture, start));
  for (guint i = 0; run_pages[i] != NULL; i++)
    {
      sonde_window_show_page (fixture.window, run_pages[i], NULL);
      window_fixture_settle (&fixture);
      g_test_message ("%s", run_pages[i]);
      g_assert_nonnull (find_label (&fixture, start));
      g_assert_nonnull (find_label (&fixture, "Model Not Readable"));
    }
  window_fixture_close (&fixture);
  sonde_test_folder_free (fixture.folder);
}

static void
test_missing (void)
{
  WindowFixture fixture = { .folder = sonde_test_folder_new () };
  g_autofree char *path = g_build_filename (fixture.folder, "not", "there", NULL);
  g_autofree char *start = g_strdup_printf ("“%s” does not exist.", path);

  open_in_folder (&fixture, path, "overview");
  g_assert_nonnull (find_label (&fixture, "Path Not Found"));
  g_assert_nonnull (find_label (&fixture, start));
  window_fixture_close (&fixture);
  sonde_test_folder_free (fixture.folder);
}

/* ---- stderr -------------------------------------------------------------- */

static gboolean
on_tick (gpointer data)
{
  return G_SOURCE_CONTINUE;
}

/* The window goes on until it is closed: what it wrote is looked at until @text is there. */
static void
wait_for_message (const SondeTestProgram *program, const char *text)
{
  gint64 end = g_get_monotonic_time () + 60 * G_TIME_SPAN_SECOND;
  guint ticks = g_timeout_add (20, on_tick, NULL);

  for (;;)
    {
      g_autofree char *said = NULL;

      if (g_file_get_contents (program->err_path, &said, NULL, NULL) && strstr (said, text) != NULL)
        break;
      g_test_message ("waiting for “%s”; so far: %s", text, said);
      g_assert_cmpint (g_get_monotonic_time (), <, end);
      g_main_context_iteration (NULL, TRUE);
    }
  g_source_remove (ticks);
}

static void
test_said_in_terminal (void)
{
  g_autofree char *folder = sonde_test_folder_new ();
  g_autofree char *broken = g_build_filename (folder, "broken.onnx", NULL);
  g_autofree char *missing = g_build_filename (folder, "missing.onnx", NULL);
  g_autofree char *first = g_strdup_printf ("sonde: “%s”", broken);
  g_autofree char *second = g_strdup_printf ("sonde: “%s” does not exist", missing);

  g_assert_true (g_file_set_contents (broken, DAMAGED, -1, NULL));
  {
    g_autoptr (SondeTestProgram) program
        = sonde_test_start (folder, NULL, (const char *const[]){ broken, NULL });

    wait_for_message (program, first);
  }
  {
    g_autoptr (SondeTestProgram) program
        = sonde_test_start (folder, NULL, (const char *const[]){ missing, NULL });

    wait_for_message (program, second);
  }
  sonde_test_remove (folder);
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
  g_test_add_func ("/app/pages/opened/model", test_model);
  g_test_add_func ("/app/pages/opened/model-actions", test_actions);
  g_test_add_func ("/app/pages/opened/damaged-model", test_damaged);
  g_test_add_func ("/app/pages/opened/damaged-model-graph", test_damaged_graph);
  g_test_add_func ("/app/pages/opened/missing-path", test_missing);
  g_test_add_func ("/app/pages/opened/said-in-terminal", test_said_in_terminal);
  return g_test_run ();
}
