/* SPDX-License-Identifier: Apache-2.0
 * The Graph page on a run whose profile is known: what its colours say, and what cannot be told; search and
 * menu. */
#include <math.h>
#include <string.h>

#include "app/pages/graph/sonde-graph-actions.h"
#include "app/pages/graph/sonde-graph-beside.h"
#include "app/pages/graph/sonde-graph-colour-choice.h"
#include "app/pages/graph/sonde-graph-colours.h"
#include "app/pages/graph/sonde-graph-progress.h"
#include "app/pages/graph/sonde-graph-search.h"
#include "app/widgets/sonde-choice.h"
#include "data/models/sonde-model-file.h"
#include "tests/app/pages/profile-fixture.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/paint/sonde-color-map.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static SondeGraphView *
view_of (WindowFixture *fixture)
{
  return SONDE_GRAPH_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_GRAPH_VIEW));
}

static GtkDropDown *
colours_of (WindowFixture *fixture)
{
  GtkWidget *choice = window_fixture_find (page_of (fixture), SONDE_TYPE_GRAPH_COLOUR_CHOICE);

  return GTK_DROP_DOWN (window_fixture_find (choice, GTK_TYPE_DROP_DOWN));
}

/* ---- a run --------------------------------------------------------------- */

/* A chain of nodes. @ops: (nullable): also their names, else @names of Relu */
static void
write_chain (SondeTestRun *run, const char *const *ops, const char *const *names, gsize n)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);
  SondeRecord record = { .kind = SONDE_RECORD_GRAPH,
                         .session = 1,
                         .tag = g_intern_static_string ("graph"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };
  g_autoptr (GBytes) bytes = NULL;

  sonde_graph_set_opset (graph, "", 17);
  for (gsize i = 0; i < n; i++)
    value = sonde_node_get_output (
        sonde_graph_add_node (graph, names[i], "", ops != NULL ? ops[i] : "Relu", &value, 1, 1), 0);
  sonde_graph_add_output (graph, value);
  bytes = sonde_model_serialise (graph, NULL);
  record.u.graph.model = bytes;
  sonde_test_run_record (run, &record);
}

/* conv → relu → fc → other: the profile knows the first three. */
static void
write_graph (SondeTestRun *run)
{
  static const char *const names[] = { "conv", "relu", "fc", "other" };

  write_chain (run, NULL, names, G_N_ELEMENTS (names));
}

static void
open_run (WindowFixture *fixture, gboolean with_profile, const char *colour)
{
  const SondePageRequest request = { .colour = colour };
  g_autofree char *path = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-graph-XXXXXX", NULL);
  path = g_build_filename (fixture->folder, "run", NULL);
  fixture->run_a = sonde_test_run_new (path);
  write_graph (fixture->run_a);
  if (with_profile)
    profile_fixture_write (fixture->run_a, 1, 1);
  sonde_test_run_flush (fixture->run_a);
  window_fixture_open_paths (fixture, (const char *const[]){ path, NULL }, "graph", &request);
}

/* ---- colours ------------------------------------------------------------- */

static double
shade_of (WindowFixture *fixture, const char *name)
{
  SondeGraphView *view = view_of (fixture);
  int box = sonde_graph_scene_find (sonde_graph_view_get_scene (view), name);

  g_assert_cmpint (box, >=, 0);
  return sonde_graph_view_get_shades (view)->values[box];
}

static const SondeProfiledNodes *
profile_of (WindowFixture *fixture)
{
  return sonde_trace_document_get_nodes (
      sonde_profile_sources_get_document (sonde_workspace_get_profiles (fixture->workspace)));
}

static double
time_of (WindowFixture *fixture, const char *name)
{
  return sonde_profiled_nodes_find (profile_of (fixture), name)->mean_self_ns;
}

/* The request has the profile read; what is drawn are its numbers, and what it does not know is grey. */
static void
test_time (void)
{
  WindowFixture fixture = { 0 };
  SondeGraphView *view;
  SondeColor ink, fill, full = sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS, 0);
  const SondeGraphShades *shades;
  g_autofree char *words = NULL;

  open_run (&fixture, TRUE, "time");
  view = view_of (&fixture);
  shades = sonde_graph_view_get_shades (view);
  g_assert_nonnull (shades);
  g_assert_cmpfloat (shade_of (&fixture, "conv"), ==, time_of (&fixture, "conv"));
  g_assert_cmpfloat_with_epsilon (shade_of (&fixture, "conv"), 1e6, 3e4);
  g_assert_cmpfloat (shade_of (&fixture, "relu"), ==, time_of (&fixture, "relu+fc"));
  g_assert_cmpfloat (shade_of (&fixture, "fc"), ==, time_of (&fixture, "relu+fc"));
  g_assert_true (isnan (shade_of (&fixture, "other")));
  g_assert_cmpfloat (shades->high, ==, time_of (&fixture, "conv"));
  fill = sonde_graph_shades_get_fill (
      shades, sonde_theme_get (FALSE),
      (guint) sonde_graph_scene_find (sonde_graph_view_get_scene (view), "conv"), &ink);
  g_assert_cmpfloat (fabs (fill.red - full.red) + fabs (fill.green - full.green), <, 0.01);
  g_assert_cmpuint (gtk_drop_down_get_selected (colours_of (&fixture)), ==, 1);
  words = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (words, "Time in a mean step, 0 ns to 1."));
  window_fixture_clear (&fixture);
}

static void
choose (WindowFixture *fixture, const char *name)
{
  gtk_drop_down_set_selected (
      colours_of (fixture),
      sonde_choice_find (gtk_drop_down_get_model (colours_of (fixture)), name));
  window_fixture_settle (fixture);
}

static gboolean
shows_kind (WindowFixture *fixture, const char *node, const char *kind)
{
  const SondeGraphTint *tint = sonde_graph_view_get_shades (view_of (fixture))->tint;

  return g_str_equal (
      g_array_index (tint->kinds, SondeGraphKind, (guint) shade_of (fixture, node)).title, kind);
}

/* By hand, one after the other. */
static void
test_choices (void)
{
  WindowFixture fixture = { 0 };

  open_run (&fixture, TRUE, NULL);
  g_assert_null (sonde_graph_view_get_shades (view_of (&fixture)));
  choose (&fixture, "memory");
  g_assert_cmpfloat (shade_of (&fixture, "conv"), ==, 4096);
  g_assert_cmpfloat (shade_of (&fixture, "fc"), ==, 1024);
  g_assert_true (isnan (shade_of (&fixture, "other")));
  choose (&fixture, "class");
  g_assert_true (shows_kind (&fixture, "conv", "compute"));
  g_assert_true (shows_kind (&fixture, "relu", "bandwidth"));
  choose (&fixture, "dtype");
  g_assert_true (shows_kind (&fixture, "other", "float32"));
  choose (&fixture, "flops");
  g_assert_cmpfloat (shade_of (&fixture, "other"), ==, 6); /* one for each of 2 × 3 elements */
  choose (&fixture, "family");
  g_assert_null (sonde_graph_view_get_shades (view_of (&fixture)));
  window_fixture_clear (&fixture);
}

static void
record_tensor (SondeTestRun *run, const char *tag, guint n_zeros, double rest)
{
  SondeShape shape = sonde_shape_make (1, 8);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeHistogram histogram;
  SondeRecord record = { .kind = SONDE_RECORD_HISTOGRAM,
                         .session = 1,
                         .step = 1,
                         .tag = g_intern_string (tag),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  for (guint i = n_zeros; i < 8; i++)
    sonde_tensor_set_double (tensor, i, rest);
  sonde_histogram_init (&histogram);
  sonde_histogram_add (&histogram, tensor);
  record.u.histogram = &histogram;
  sonde_test_run_record (run, &record);
}

static double
share_of (WindowFixture *fixture, const char *name)
{
  SondeGraphView *view = view_of (fixture);
  int box = sonde_graph_scene_find (sonde_graph_view_get_scene (view), name);

  return sonde_graph_view_get_shades (view)->shares[box];
}

/* Of the values that nodes make, as they were recorded last. */
static void
test_health (void)
{
  WindowFixture fixture = { 0 };
  const SondePageRequest request = { .colour = "health" };
  g_autofree char *path = NULL;

  fixture.folder = g_dir_make_tmp ("sonde-graph-XXXXXX", NULL);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  write_graph (fixture.run_a);
  record_tensor (fixture.run_a, "activations/conv_output_0", 0, 1);
  record_tensor (fixture.run_a, "activations/conv_output_0", 0, NAN);
  record_tensor (fixture.run_a, "activations/relu_output_0", 6, 1);
  record_tensor (fixture.run_a, "activations/fc_output_0", 0, 2);
  record_tensor (fixture.run_a, "activations/nobody", 5, 2);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "graph", &request);
  g_assert_true (shows_kind (&fixture, "conv", "NaN or infinite"));
  g_assert_cmpfloat (share_of (&fixture, "conv"), ==, 1);
  g_assert_true (shows_kind (&fixture, "relu", "zero"));
  g_assert_cmpfloat (share_of (&fixture, "relu"), ==, 0.75);
  g_assert_true (shows_kind (&fixture, "fc", "finite, none zero"));
  g_assert_true (isnan (share_of (&fixture, "fc")));
  g_assert_true (isnan (shade_of (&fixture, "other")));
  window_fixture_clear (&fixture);
}

static void
record_numbers (SondeTestRun *run, const char *tag, const float *numbers, guint n, gboolean whole)
{
  SondeShape shape = sonde_shape_make (1, n);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  SondeHistogram histogram;
  SondeRecord record = { .kind = whole ? SONDE_RECORD_TENSOR : SONDE_RECORD_HISTOGRAM,
                         .session = 1,
                         .step = 1,
                         .tag = g_intern_string (tag),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  for (guint i = 0; i < n; i++)
    sonde_tensor_set_double (tensor, i, numbers[i]);
  sonde_histogram_init (&histogram);
  sonde_histogram_add (&histogram, tensor);
  if (whole)
    record.u.tensor = tensor;
  else
    record.u.histogram = &histogram;
  sonde_test_run_record (run, &record);
}

/* What Sigmoid and Tanh make near their ends is saturated, and is counted alike in a histogram and in the tensor
 * itself. */
static void
test_saturated (gconstpointer whole)
{
  static const char *const ops[] = { "Sigmoid", "Tanh", "Relu" };
  static const float sigmoid[] = { 0.001f, 0.08f, 0.0811f, 0.5f, 0.9169f, 0.9171f, 1, 0.3f };
  static const float tanh[] = { -1, -0.9171f, -0.9169f, 0, 0.05f, 0.9171f, 0.3f, 0.2f };
  WindowFixture fixture = { 0 };
  const SondePageRequest request = { .colour = "health" };
  g_autofree char *path = NULL;

  fixture.folder = g_dir_make_tmp ("sonde-graph-XXXXXX", NULL);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  write_chain (fixture.run_a, ops, ops, G_N_ELEMENTS (ops));
  record_numbers (fixture.run_a, "activations/Sigmoid_output_0", sigmoid, 8, whole != NULL);
  record_numbers (fixture.run_a, "activations/Tanh_output_0", tanh, 8, whole != NULL);
  record_numbers (fixture.run_a, "activations/Relu_output_0", sigmoid, 8, whole != NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "graph", &request);
  g_assert_true (shows_kind (&fixture, "Sigmoid", "saturated"));
  g_assert_cmpfloat (share_of (&fixture, "Sigmoid"), ==, 0.5);
  g_assert_true (shows_kind (&fixture, "Tanh", "saturated"));
  g_assert_cmpfloat (share_of (&fixture, "Tanh"), ==, 0.375);
  g_assert_true (shows_kind (&fixture, "Relu", "finite, none zero"));
  window_fixture_clear (&fixture);
}

static const char *
reason_of (WindowFixture *fixture, const char *name)
{
  GListModel *model = gtk_drop_down_get_model (colours_of (fixture));
  g_autoptr (SondeChoice) choice = g_list_model_get_item (model, sonde_choice_find (model, name));

  return sonde_choice_get_reason (choice);
}

/* Without a profile the list says what is missing, and asking for it all the same leaves the families. */
static void
test_reasons (void)
{
  WindowFixture fixture = { 0 };

  open_run (&fixture, FALSE, NULL);
  g_assert_null (reason_of (&fixture, "family"));
  g_assert_null (reason_of (&fixture, "dtype"));
  g_assert_true (g_str_has_prefix (reason_of (&fixture, "time"), "There is no profile"));
  g_assert_true (g_str_has_prefix (reason_of (&fixture, "device"), "This graph names no"));
  g_assert_true (g_str_has_prefix (reason_of (&fixture, "parameters"), "This graph has no"));
  g_assert_true (g_str_has_prefix (reason_of (&fixture, "health"), "The run recorded no"));
  choose (&fixture, "time");
  g_assert_null (sonde_graph_view_get_shades (view_of (&fixture)));
  g_assert_cmpuint (gtk_drop_down_get_selected (colours_of (&fixture)), ==, 0);
  window_fixture_clear (&fixture);
}

/* ---- what the debugger found --------------------------------------------- */

static void
add_error (SondeDivergence *divergence, const char *node, double own, double inherited)
{
  SondeDivergedValue *value = g_new0 (SondeDivergedValue, 1);

  value->node = g_strdup (node);
  value->own_error = own;
  value->inherited_error = inherited;
  value->tolerance = 1;
  g_ptr_array_add (divergence->values, value);
}

/* Errors of nodes are there once something was compared, and no longer than the session. */
static void
test_errors (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeDivergence) divergence = sonde_divergence_new ();
  SondeDebugSession *session;

  open_run (&fixture, FALSE, NULL);
  g_assert_true (g_str_has_prefix (reason_of (&fixture, "error"), "Nothing was compared"));
  sonde_window_show_page (fixture.window, "debugger", NULL);
  sonde_window_show_page (fixture.window, "graph", NULL);
  window_fixture_settle (&fixture);
  session = SONDE_DEBUG_SESSION (sonde_workspace_get_session (fixture.workspace));
  add_error (divergence, "nobody", 2, 3);
  sonde_debug_session_take_divergence (session, divergence);
  g_assert_cmpstr (reason_of (&fixture, "error"), ==, "No node of this graph was compared.");
  add_error (divergence, "conv", 0, 0);
  add_error (divergence, "relu", 0.5, 0.5);
  add_error (divergence, "fc", 1.5, 20);
  sonde_debug_session_take_divergence (session, divergence);
  g_assert_null (reason_of (&fixture, "error"));
  choose (&fixture, "error");
  g_assert_true (shows_kind (&fixture, "conv", "equal"));
  g_assert_true (shows_kind (&fixture, "relu", "within the tolerance"));
  g_assert_true (shows_kind (&fixture, "fc", "above the tolerance"));
  g_assert_true (isnan (shade_of (&fixture, "other")));
  choose (&fixture, "inherited-error");
  g_assert_true (shows_kind (&fixture, "fc", "10 × the tolerance or more"));
  sonde_debug_session_close (session);
  g_assert_null (sonde_graph_view_get_shades (view_of (&fixture)));
  g_assert_nonnull (reason_of (&fixture, "inherited-error"));
  window_fixture_clear (&fixture);
}

static void
test_precision (void)
{
  WindowFixture fixture = { 0 };
  SondePrecisionFound *found = sonde_precision_found_new ();
  SondeDebugSession *session;

  open_run (&fixture, FALSE, NULL);
  g_assert_nonnull (reason_of (&fixture, "precision"));
  sonde_window_show_page (fixture.window, "debugger", NULL);
  sonde_window_show_page (fixture.window, "graph", NULL);
  window_fixture_settle (&fixture);
  session = SONDE_DEBUG_SESSION (sonde_workspace_get_session (fixture.workspace));
  found->precision = SONDE_DTYPE_F16;
  g_ptr_array_add (found->kept, g_strdup ("relu"));
  sonde_debug_session_take_precision (session, found);
  sonde_precision_found_free (found);
  choose (&fixture, "precision");
  g_assert_true (shows_kind (&fixture, "relu", "needs float32"));
  g_assert_true (shows_kind (&fixture, "fc", "not needed in float32 (float16 where possible)"));
  window_fixture_clear (&fixture);
}

/* ---- search -------------------------------------------------------------- */

static gboolean
says (WindowFixture *fixture, const void *text)
{
  return window_fixture_find_label (page_of (fixture), text) != NULL;
}

static const char *
selected_name (WindowFixture *fixture)
{
  const SondeGraphBox *box = sonde_graph_view_get_selected (view_of (fixture));

  return box != NULL && box->node != NULL ? box->node->name : NULL;
}

/* Return steps through the matches and around, Shift+Return back; the list has all of them. */
static void
test_search (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *search, *entry;

  open_run (&fixture, FALSE, NULL);
  search = window_fixture_find (page_of (&fixture), SONDE_TYPE_GRAPH_SEARCH);
  entry = window_fixture_find (search, GTK_TYPE_SEARCH_ENTRY);
  sonde_graph_search_set_text (SONDE_GRAPH_SEARCH (search), "RELU");
  window_fixture_wait (&fixture, says, "4 found");
  g_assert_null (selected_name (&fixture));
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpstr (selected_name (&fixture), ==, "conv");
  g_assert_true (says (&fixture, "1 of 4"));
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpstr (selected_name (&fixture), ==, "relu");
  g_assert_true (says (&fixture, "2 of 4"));
  g_signal_emit_by_name (entry, "previous-match");
  g_signal_emit_by_name (entry, "previous-match");
  g_assert_cmpstr (selected_name (&fixture), ==, "other");
  g_assert_true (says (&fixture, "4 of 4"));
  g_signal_emit_by_name (window_fixture_find (search, GTK_TYPE_LIST_VIEW), "activate", 2);
  g_assert_cmpstr (selected_name (&fixture), ==, "fc");
  sonde_graph_search_set_text (SONDE_GRAPH_SEARCH (search), "nobody");
  window_fixture_wait (&fixture, says, "0 found");
  g_signal_emit_by_name (entry, "activate");
  g_assert_cmpstr (selected_name (&fixture), ==, "fc");
  window_fixture_clear (&fixture);
}

/* A neighbour in the inspector leads to its node. */
static void
test_neighbours (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *link;

  open_run (&fixture, FALSE, NULL);
  sonde_graph_view_select_name (view_of (&fixture), "fc");
  link = window_fixture_find_label (page_of (&fixture), "← relu (Relu)");
  g_assert_nonnull (link);
  g_signal_emit_by_name (gtk_widget_get_parent (link), "clicked");
  g_assert_cmpstr (selected_name (&fixture), ==, "relu");
  g_assert_true (says (&fixture, "→ fc (Relu)"));
  window_fixture_clear (&fixture);
}

/* From the menu of what stands for @node; NULL: of what is selected. */
static void
act (WindowFixture *fixture, const char *node, const char *action)
{
  SondeGraphView *view = view_of (fixture);

  if (node != NULL)
    g_signal_emit_by_name (
        view, "menu", (gint64) sonde_graph_scene_find (sonde_graph_view_get_scene (view), node));
  g_assert_true (gtk_widget_activate_action (GTK_WIDGET (view), action, NULL));
}

/* ---- layout -------------------------------------------------------------- */

static void
add_relu (SondeGraph *graph, const char *name, SondeGraphValue **value)
{
  *value = sonde_node_get_output (sonde_graph_add_node (graph, name, "", "Relu", value, 1, 1), 0);
}

static void
open_model (WindowFixture *fixture, SondeGraph *graph)
{
  g_autofree char *path = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-graph-XXXXXX", NULL);
  path = g_build_filename (fixture->folder, "net.onnx", NULL);
  sonde_graph_set_opset (graph, "", 17);
  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
  window_fixture_open_paths (fixture, (const char *const[]){ path, NULL }, "graph", NULL);
}

static gboolean
is_status (WindowFixture *fixture, const void *text)
{
  return g_strcmp0 (sonde_page_get_status (SONDE_PAGE (page_of (fixture))), text) == 0;
}

/* What is hidden in scopes is found, and its scopes open for it; counts have separators. */
static void
test_scopes (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);

  for (guint i = 0; i < 24; i++)
    for (guint k = 0; k < 50; k++)
      {
        g_autofree char *name = g_strdup_printf ("/layer.%u/n%u", i, k);

        add_relu (graph, name, &value);
      }
  sonde_graph_add_output (graph, value);
  open_model (&fixture, graph);
  g_assert_true (is_status (&fixture, "50 of 1,200 nodes"));
  act (&fixture, NULL, "graph.close-all");
  window_fixture_wait (&fixture, is_status, "0 of 1,200 nodes");
  sonde_graph_view_select_name (view_of (&fixture), "/layer.7/n3");
  window_fixture_wait (&fixture, is_status, "50 of 1,200 nodes");
  g_assert_cmpstr (selected_name (&fixture), ==, "/layer.7/n3");
  act (&fixture, "/layer.8/n0", "graph.toggle");
  window_fixture_wait (&fixture, is_status, "100 of 1,200 nodes");
  g_assert_true (says (&fixture, "layer.8")); /* the scope in the inspector */
  act (&fixture, "/layer.8/n0", "graph.close-around");
  window_fixture_wait (&fixture, is_status, "50 of 1,200 nodes");
  window_fixture_clear (&fixture);
}

static gboolean
is_ready (WindowFixture *fixture, const void *data)
{
  return sonde_graph_view_get_scene (view_of (fixture)) != NULL
         && sonde_graph_view_is_ready (view_of (fixture));
}

/* Given up and begun again. */
static void
test_cancel (void)
{
  WindowFixture fixture = { 0 };
  SondeGraphProgress *progress;
  GtkWidget *button;

  open_run (&fixture, FALSE, NULL);
  progress
      = SONDE_GRAPH_PROGRESS (window_fixture_find (page_of (&fixture), SONDE_TYPE_GRAPH_PROGRESS));
  button = window_fixture_find (GTK_WIDGET (progress), GTK_TYPE_BUTTON);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (progress)));
  /* As if it took long. */
  sonde_graph_progress_start (progress, 12345);
  window_fixture_wait (&fixture, says, "Laying out 12,345 nodes…");
  g_signal_emit_by_name (button, "clicked");
  g_assert_true (says (&fixture, "The layout was cancelled."));
  g_assert_true (sonde_page_is_settled (SONDE_PAGE (page_of (&fixture))));
  g_signal_emit_by_name (button, "clicked");
  window_fixture_wait (&fixture, is_ready, NULL);
  window_fixture_settle (&fixture);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (progress)));
  window_fixture_clear (&fixture);
}

/* ---- beside -------------------------------------------------------------- */

static GtkDropDown *
beside_choice (WindowFixture *fixture)
{
  GtkWidget *sources = window_fixture_find (page_of (fixture), GTK_TYPE_DROP_DOWN);

  return GTK_DROP_DOWN (gtk_widget_get_next_sibling (sources));
}

static SondeGraphBeside *
beside_of (WindowFixture *fixture)
{
  return SONDE_GRAPH_BESIDE (window_fixture_find (page_of (fixture), SONDE_TYPE_GRAPH_BESIDE));
}

static gboolean
has_beside (WindowFixture *fixture, const void *data)
{
  return sonde_graph_beside_get_partners (beside_of (fixture)) != NULL
         && sonde_graph_view_get_scene (sonde_graph_beside_get_view (beside_of (fixture))) != NULL;
}

/* Two models: one without "relu", and with another attribute in "fc". */
static void
test_beside (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *one = NULL, *two = NULL;
  SondeGraphView *second;

  fixture.folder = g_dir_make_tmp ("sonde-graph-XXXXXX", NULL);
  one = g_build_filename (fixture.folder, "one.onnx", NULL);
  two = g_build_filename (fixture.folder, "two.onnx", NULL);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
      SondeGraphValue *value = sonde_graph_add_input (graph, "x", NULL);

      sonde_graph_set_opset (graph, "", 17);
      add_relu (graph, "conv", &value);
      if (i == 0)
        add_relu (graph, "relu", &value);
      add_relu (graph, "fc", &value);
      if (i == 1)
        sonde_node_set_op (value->producer, "", "Exp");
      sonde_graph_add_output (graph, value);
      g_assert_true (sonde_model_save (NULL, i == 0 ? one : two, graph, NULL));
    }
  window_fixture_open_paths (&fixture, (const char *const[]){ one, two, NULL }, "graph", NULL);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (beside_of (&fixture))));
  g_assert_nonnull (reason_of (&fixture, "difference"));
  gtk_drop_down_set_selected (beside_choice (&fixture), 2);
  window_fixture_wait (&fixture, has_beside, NULL);
  g_assert_null (reason_of (&fixture, "difference"));
  choose (&fixture, "difference");
  g_assert_true (shows_kind (&fixture, "conv", "the same"));
  g_assert_true (shows_kind (&fixture, "relu", "only here"));
  g_assert_true (shows_kind (&fixture, "fc", "another operator or attributes"));
  second = sonde_graph_beside_get_view (beside_of (&fixture));
  sonde_graph_view_select_name (view_of (&fixture), "fc");
  g_assert_cmpstr (sonde_graph_view_get_selected (second)->node->name, ==, "fc");
  sonde_graph_view_select_name (second, "conv");
  g_assert_cmpstr (selected_name (&fixture), ==, "conv");
  gtk_drop_down_set_selected (beside_choice (&fixture), 0);
  g_assert_false (gtk_widget_get_visible (GTK_WIDGET (beside_of (&fixture))));
  g_assert_null (sonde_graph_view_get_shades (view_of (&fixture)));
  window_fixture_clear (&fixture);
}

static gboolean
is_partner (SondeGraphView *view, const char *name)
{
  int box = sonde_graph_scene_find (sonde_graph_view_get_scene (view), name);

  return (sonde_graph_view_get_marks (view)[box] & SONDE_GRAPH_MARK_PARTNER) != 0;
}

/* What one node executes of several: each of them selects it, it selects the first and marks them all, and what is
 * selected of them stays. */
static void
test_fused (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeGraph) written = sonde_graph_new ("net"), executed = sonde_graph_new ("net");
  SondeGraphValue *value = sonde_graph_add_input (written, "x", NULL);
  SondeGraphView *second;

  add_relu (written, "conv", &value);
  add_relu (written, "relu", &value);
  add_relu (written, "fc", &value);
  sonde_graph_add_output (written, value);
  value = sonde_graph_add_input (executed, "x", NULL);
  add_relu (executed, "conv+relu", &value);
  sonde_node_add_origin (value->producer, sonde_graph_find_node (written, "conv"),
                         SONDE_ORIGIN_FUSED);
  sonde_node_add_origin (value->producer, sonde_graph_find_node (written, "relu"),
                         SONDE_ORIGIN_FUSED);
  add_relu (executed, "fc", &value);
  sonde_graph_add_output (executed, value);
  open_model (&fixture, written);
  sonde_graph_beside_set_graphs (
      beside_of (&fixture),
      sonde_graph_scene_get_graph (sonde_graph_view_get_scene (view_of (&fixture))), executed,
      SONDE_GRAPH_SCENE_FORWARD);
  window_fixture_wait (&fixture, has_beside, NULL);
  second = sonde_graph_beside_get_view (beside_of (&fixture));
  sonde_graph_view_select_name (view_of (&fixture), "relu");
  g_assert_cmpstr (sonde_graph_view_get_selected (second)->node->name, ==, "conv+relu");
  g_assert_cmpstr (selected_name (&fixture), ==, "relu");
  g_assert_true (is_partner (second, "conv+relu"));
  g_assert_true (is_partner (view_of (&fixture), "conv"));
  g_assert_true (is_partner (view_of (&fixture), "relu"));
  g_assert_false (is_partner (view_of (&fixture), "fc"));
  sonde_graph_view_select_name (second, "fc");
  g_assert_cmpstr (selected_name (&fixture), ==, "fc");
  sonde_graph_view_select_name (second, "conv+relu");
  g_assert_cmpstr (selected_name (&fixture), ==, "conv");
  g_assert_false (is_partner (view_of (&fixture), "fc"));
  window_fixture_clear (&fixture);
}

/* ---- the menu ------------------------------------------------------------ */

static void
assert_lit (WindowFixture *fixture, const char *expected)
{
  const guint8 *lit = sonde_graph_view_get_lit (view_of (fixture));
  SondeGraph *graph = sonde_graph_scene_get_graph (sonde_graph_view_get_scene (view_of (fixture)));
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; lit != NULL && i < graph->nodes->len; i++)
    if (lit[i])
      g_string_append_printf (text, "%s ", ((SondeNode *) graph->nodes->pdata[i])->name);
  g_assert_cmpstr (text->str, ==, expected);
}

static void
test_menu (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  g_autoptr (SondeGraph) part = NULL;
  g_autoptr (SondeGraphActions) actions = NULL;

  open_run (&fixture, FALSE, NULL);
  act (&fixture, "fc", "graph.upstream");
  g_assert_cmpstr (selected_name (&fixture), ==, "fc");
  assert_lit (&fixture, "conv relu fc ");
  act (&fixture, "fc", "graph.downstream");
  assert_lit (&fixture, "fc other ");
  act (&fixture, NULL, "graph.all");
  assert_lit (&fixture, "");
  act (&fixture, "other", "graph.path-from");
  act (&fixture, "relu", "graph.path-to");
  assert_lit (&fixture, "relu fc other ");
  path = g_build_filename (fixture.folder, "part.onnx", NULL);
  actions = sonde_graph_actions_new (SONDE_PAGE (page_of (&fixture)), view_of (&fixture));
  g_assert_true (sonde_graph_actions_export (actions, path, NULL));
  part = sonde_model_load (NULL, path, NULL);
  g_assert_nonnull (part);
  g_assert_cmpuint (sonde_graph_count_nodes (part), ==, 3);
  g_assert_cmpuint (part->inputs->len, ==, 1);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/graph-page/time", test_time);
  g_test_add_func ("/app/pages/graph-page/choices", test_choices);
  g_test_add_func ("/app/pages/graph-page/health", test_health);
  g_test_add_data_func ("/app/pages/graph-page/saturated/histogram", NULL, test_saturated);
  g_test_add_data_func ("/app/pages/graph-page/saturated/tensor", "whole", test_saturated);
  g_test_add_func ("/app/pages/graph-page/errors", test_errors);
  g_test_add_func ("/app/pages/graph-page/precision", test_precision);
  g_test_add_func ("/app/pages/graph-page/reasons", test_reasons);
  g_test_add_func ("/app/pages/graph-page/search", test_search);
  g_test_add_func ("/app/pages/graph-page/neighbours", test_neighbours);
  g_test_add_func ("/app/pages/graph-page/menu", test_menu);
  g_test_add_func ("/app/pages/graph-page/scopes", test_scopes);
  g_test_add_func ("/app/pages/graph-page/cancel", test_cancel);
  g_test_add_func ("/app/pages/graph-page/beside", test_beside);
  g_test_add_func ("/app/pages/graph-page/fused", test_fused);
  return g_test_run ();
}
