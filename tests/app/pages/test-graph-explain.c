/* SPDX-License-Identifier: Apache-2.0
 * Graph and Explain pages on records and files written by the test. */
#include <string.h>

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/sample/sonde-sample-view.h"
#include "app/pages/graph/sonde-graph-search.h"
#include "data/images/sonde-png.h"
#include "data/models/sonde-model-file.h"
#include "explain/session/sonde-counterfactual-record.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-confusion-view.h"
#include "viewers/sonde-counterfactual-view.h"
#include "viewers/graph/sonde-graph-view.h"
#include "viewers/sonde-saliency-view.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

static SondeGraphView *
graph_view (WindowFixture *fixture)
{
  return SONDE_GRAPH_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_GRAPH_VIEW));
}

static void
make_folder (WindowFixture *fixture)
{
  fixture->folder = g_dir_make_tmp ("sonde-graph-XXXXXX", NULL);
}

/* ---- graph --------------------------------------------------------------- */

/* x → names[0] → names[1] …: Relu each; no shapes but the input's. */
static SondeGraph *
make_graph (const char *const *names)
{
  SondeGraph *graph = sonde_graph_new ("chain");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);

  sonde_graph_set_opset (graph, "", 17);
  for (gsize i = 0; names[i] != NULL; i++)
    value = sonde_node_get_output (sonde_graph_add_node (graph, names[i], "", "Relu", &value, 1, 1),
                                   0);
  sonde_graph_add_output (graph, value);
  return graph;
}

/* A file: the node that was asked for is selected; shapes are inferred; search marks and steps. */
static void
test_file (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeGraph) graph
      = make_graph ((const char *const[]){ "first", "second", "third", NULL });
  SondePageRequest request = { .at = "second" };
  g_autofree char *path = NULL;
  GtkWidget *search;

  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "chain.onnx", NULL);
  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "graph", &request);
  g_assert_cmpstr (sonde_graph_view_get_selected (graph_view (&fixture))->node->name, ==, "second");
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==, "3 of 3 nodes");
  /* In the inspector: an output's type that the file did not hold. */
  g_assert_true (says (&fixture, "float32 2×3"));
  search = window_fixture_find (window_fixture_find (page_of (&fixture), SONDE_TYPE_GRAPH_SEARCH),
                                GTK_TYPE_SEARCH_ENTRY);
  gtk_editable_set_text (GTK_EDITABLE (search), "third");
  window_fixture_wait (&fixture, says, "1 found");
  g_signal_emit_by_name (search, "activate");
  g_assert_cmpstr (sonde_graph_view_get_selected (graph_view (&fixture))->node->name, ==, "third");
  gtk_editable_set_text (GTK_EDITABLE (search), "no such thing");
  window_fixture_wait (&fixture, says, "0 found");
  window_fixture_clear (&fixture);
}

static void
test_broken_file (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;

  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "broken.onnx", NULL);
  g_assert_true (g_file_set_contents (path, "\xff\xff\xff no model", -1, NULL));
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "graph", NULL);
  g_assert_true (says (&fixture, "Model Not Readable"));
  window_fixture_clear (&fixture);
}

static void
add_graph_record (SondeTestRun *run, const char *tag, const char *const *names)
{
  g_autoptr (SondeGraph) graph = make_graph (names);
  g_autoptr (GBytes) bytes = sonde_model_serialise (graph, NULL);
  SondeRecord record = { .kind = SONDE_RECORD_GRAPH,
                         .session = 1,
                         .tag = g_intern_string (tag),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  record.u.graph.model = bytes;
  record.u.graph.executed = g_str_has_suffix (tag, "executed");
  sonde_test_run_record (run, &record);
}

/* A run: as written first, as executed on demand. */
static void
test_run (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  GtkWidget *chooser;

  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  add_graph_record (fixture.run_a, "graph", (const char *const[]){ "a", "b", NULL });
  add_graph_record (fixture.run_a, "graph/executed", (const char *const[]){ "a", "b", "c", NULL });
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "graph", NULL);
  g_assert_true (says (&fixture, "As Written"));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==, "2 of 2 nodes");
  chooser = window_fixture_find (page_of (&fixture), GTK_TYPE_DROP_DOWN);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (chooser), 1);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "As Executed"));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==, "3 of 3 nodes");
  window_fixture_clear (&fixture);
}

/* Of a foreign file: no model's bytes, operators nobody here knows, one tag of several. */
static void
test_foreign (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("foreign");
  SondeGraphValue *value = sonde_node_get_output (
      sonde_graph_add_node (graph, "x", "tensorflow", "Placeholder", NULL, 0, 1), 0);
  SondeRecord record = { .kind = SONDE_RECORD_GRAPH,
                         .session = 1,
                         .tag = g_intern_static_string ("__run_graph__"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS,
                         .u.graph.graph = graph };
  g_autofree char *path = NULL;

  sonde_graph_add_node (graph, "y", "tensorflow", "Nobody'sOp", &value, 1, 1);
  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  sonde_test_run_record (fixture.run_a, &record);
  add_graph_record (fixture.run_a, "keras", (const char *const[]){ "a", "b", "c", NULL });
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "graph", NULL);
  g_assert_true (says (&fixture, "Graph of the Run"));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==, "2 of 2 nodes");
  gtk_drop_down_set_selected (
      GTK_DROP_DOWN (window_fixture_find (page_of (&fixture), GTK_TYPE_DROP_DOWN)), 1);
  window_fixture_settle (&fixture);
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==, "3 of 3 nodes");
  sonde_window_show_page (fixture.window, "overview", NULL);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "2 nodes"));
  window_fixture_clear (&fixture);
}

/* ---- explain ------------------------------------------------------------- */

static void
add_map (SondeTestRun *run, int index, int label, int predicted, gboolean of_label,
         double magnitude)
{
  static const char *const names[] = { "cat", "dog", "emu" };
  SondeShape shape = sonde_shape_make (2, 6, 8);
  g_autoptr (SondeTensor) map = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (SondeTensor) mask = sonde_tensor_new (SONDE_DTYPE_U8, &shape);
  g_autofree char *sample = g_strdup_printf ("sample-%d", index);
  SondeRecord record = { .kind = SONDE_RECORD_SALIENCY,
                         .step = index,
                         .session = 1,
                         .tag = g_intern_static_string ("saliency"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  sonde_tensor_set_double (map, 5, -magnitude);
  sonde_tensor_set_double (mask, 9, 1);
  record.u.saliency.map = map;
  record.u.saliency.mask = mask;
  record.u.saliency.method = (char *) "saliency";
  record.u.saliency.target_is = (char *) (of_label ? "true" : "predicted");
  record.u.saliency.parameters = (char *) "target=logit";
  record.u.saliency.target = of_label ? label : predicted;
  record.u.saliency.score = 1.5;
  record.u.saliency.note = (SondeSampleNote){
    sample, label, predicted, 0.2, 0.7, (char *) names[label], (char *) names[predicted]
  };
  sonde_test_run_record (run, &record);
}

/* One box, found in two steps, that the answer needs. */
static void
add_boxes (SondeTestRun *run)
{
  SondeRecord record = { .kind = SONDE_RECORD_COUNTERFACTUAL,
                         .step = 0,
                         .session = 1,
                         .tag = g_intern_static_string ("counterfactual"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };
  g_autoptr (SondeCounterfactual) boxes = g_new0 (SondeCounterfactual, 1);
  SondeBox large = { 0, 0, 4, 4 }, small = { 1, 1, 2, 2 };
  SondeCounterfactualWindow steps[] = { { 0, -1, large, 0.75 }, { 1, 0, small, 0.625 } };
  g_autoptr (SondeImage) image = sonde_image_new (8, 6, 3);

  boxes->spec = g_strdup ("auto");
  boxes->mask = g_strdup ("gaussian:1");
  boxes->target = 2;
  boxes->threshold = 0.5;
  boxes->original = 0.7;
  boxes->area = 4.0 / 48;
  boxes->layers = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  for (int l = 0; l < 2; l++)
    {
      GArray *list = g_array_new (FALSE, FALSE, sizeof (SondeBox));

      g_array_append_val (list, *(l == 0 ? &large : &small));
      g_ptr_array_add (boxes->layers, list);
      boxes->layer_out[l] = steps[l].after;
    }
  boxes->steps = g_array_new (FALSE, FALSE, sizeof (SondeCounterfactualWindow));
  g_array_append_vals (boxes->steps, steps, 2);
  sonde_counterfactual_fill_record (boxes, &record);
  record.u.counterfactual.image = sonde_png_encode (image);
  record.u.counterfactual.note = (SondeSampleNote){
    g_strdup ("sample-0"), 0, 2, 0.2, 0.7, g_strdup ("cat"), g_strdup ("emu")
  };
  sonde_test_run_record (run, &record);
  sonde_record_clear (&record);
}

static void
show_boxes (WindowFixture *fixture)
{
  sonde_sample_view_show_part (
      SONDE_SAMPLE_VIEW (window_fixture_find (page_of (fixture), SONDE_TYPE_SAMPLE_VIEW)),
      "counterfactual");
}

static guint
count_maps (GtkWidget *widget, double *least, double *largest)
{
  guint n = 0;

  if (SONDE_IS_SALIENCY_VIEW (widget))
    {
      g_autofree char *text = sonde_view_describe (SONDE_VIEW (widget));
      const char *scale = strstr (text, "scale ±");

      if (scale == NULL)
        return 0;
      *least = MIN (*least, g_ascii_strtod (scale + strlen ("scale ±"), NULL));
      *largest = MAX (*largest, g_ascii_strtod (scale + strlen ("scale ±"), NULL));
      return 1;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count_maps (child, least, largest);
  return n;
}

/* All errors; a cell of the matrix leaves its own; both maps of a sample have one scale. */
static void
test_explain (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  double least = G_MAXDOUBLE, largest = 0;
  SondeExplainBrowser *browser;
  SondeView *matrix;

  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 2; k++)
      add_map (fixture.run_a, i, i == 2 ? 1 : 0, 2 - i / 2 * 2, k == 1, 1 + 3 * k + i);
  add_boxes (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "explain", NULL);
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "3 of 3 explained samples");
  /* What needs a model says so, with the way to one. */
  g_assert_true (says (&fixture, "These maps were recorded."));
  g_assert_true (says (&fixture, "Choose Model…"));
  browser = SONDE_EXPLAIN_BROWSER (
      window_fixture_find (page_of (&fixture), SONDE_TYPE_EXPLAIN_BROWSER));
  g_assert_true (sonde_explain_browser_go_to (browser, "sample-0"));
  window_fixture_wait (&fixture, says, "“cat” classified as “emu”");
  g_assert_cmpuint (count_maps (page_of (&fixture), &least, &largest), ==, 2);
  g_assert_cmpfloat (least, ==, 4);
  g_assert_cmpfloat (largest, ==, 4);
  /* its boxes, with the steps that led there */
  show_boxes (&fixture);
  g_assert_true (
      says (&fixture, "8.33 % of the image (1 region) is enough: p(“emu”) = 0.625, threshold 0.5"));
  g_assert_cmpuint (sonde_counterfactual_view_get_n_steps (SONDE_COUNTERFACTUAL_VIEW (
                        window_fixture_find (page_of (&fixture), SONDE_TYPE_COUNTERFACTUAL_VIEW))),
                    ==, 4);
  /* cat, dog, emu: dog taken for cat is row 1, column 0. */
  matrix = SONDE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_CONFUSION_VIEW));
  sonde_view_set_selection (matrix, 3);
  window_fixture_wait (&fixture, says, "“dog” classified as “cat”");
  g_assert_null (sonde_explain_browser_get_sample (browser));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "1 of 3 explained samples");
  sonde_view_set_selection (matrix, SONDE_VIEW_NOTHING);
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "3 of 3 explained samples");
  window_fixture_clear (&fixture);
}

/* ---- MindSpore's explain logs -------------------------------------------- */

/* A grey picture whose only bright pixel is the @bright-th, below the run. */
static void
write_picture (const char *run, const char *name, gsize bright)
{
  g_autoptr (SondeImage) image = sonde_image_new (8, 6, 1);
  g_autofree char *path = g_build_filename (run, name, NULL), *folder = g_path_get_dirname (path);
  g_autoptr (GBytes) png = NULL;

  image->pixels[bright] = 255;
  png = sonde_png_encode (image);
  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, g_bytes_get_data (png, NULL),
                                      (gssize) g_bytes_get_size (png), NULL));
}

static void
add_event (SondeTestRun *run, SondeExplanation *explanation)
{
  SondeRecord record = { .kind = SONDE_RECORD_EXPLAIN,
                         .step = 1,
                         .session = 1,
                         .tag = g_intern_static_string ("explain"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS,
                         .u.explanation = explanation };

  sonde_test_run_record (run, &record);
}

/* The events of MindSpore's writer in its order: classes, pictures, answers, then the maps of each
 * method. */
static void
write_log (SondeTestRun *run)
{
  char *labels[] = { (char *) "cat", (char *) "dog", (char *) "emu", NULL };
  SondeExplanationClass truth = { 1, 0.25, NAN, NAN, NAN };
  SondeExplanationClass answers[] = { { 2, 0.125, NAN, NAN, NAN }, { 0, 0.625, NAN, NAN, NAN } };
  SondeExplanationMap maps[]
      = { { (char *) "GradCAM", 0, (char *) "_explain_1/heatmap/GradCAM/0/0_0.png" },
          { (char *) "GradCAM", 1, (char *) "_explain_1/heatmap/GradCAM/0/0_1.png" } };
  int large[] = { 0, 0, 4, 4 }, small[] = { 0, 0, 2, 2, 2, 2, 2, 2 };
  SondeExplanationLayer layers[] = { { 0.75, large, 1 }, { 0.5, small, 2 } };
  SondeExplanationOcclusion occlusion = { 0, (char *) "gaussian:1", layers, 2 };
  SondeExplanationMap outside = { (char *) "GradCAM", 0, (char *) "../outside.png" };

  add_event (run, &(SondeExplanation){ .labels = labels });
  add_event (run, &(SondeExplanation){ .has_sample = TRUE,
                                       .image = (char *) "_explain_1/origin_images/0/0.png" });
  add_event (run, &(SondeExplanation){ .has_sample = TRUE,
                                       .sample = 1,
                                       .image = (char *) "_explain_1/origin_images/0/1.png" });
  add_event (run, &(SondeExplanation){ .has_sample = TRUE,
                                       .truths = &truth,
                                       .n_truths = 1,
                                       .predictions = answers,
                                       .n_predictions = 2 });
  add_event (run, &(SondeExplanation){ .has_sample = TRUE,
                                       .sample = 1,
                                       .truths = &answers[1],
                                       .n_truths = 1,
                                       .predictions = &answers[1],
                                       .n_predictions = 1 });
  add_event (run, &(SondeExplanation){ .has_sample = TRUE, .maps = &maps[0], .n_maps = 1 });
  add_event (run, &(SondeExplanation){ .has_sample = TRUE, .maps = &maps[1], .n_maps = 1 });
  add_event (run,
             &(SondeExplanation){ .has_sample = TRUE, .sample = 1, .maps = &outside, .n_maps = 1 });
  add_event (
      run, &(SondeExplanation){ .has_sample = TRUE, .occlusions = &occlusion, .n_occlusions = 1 });
}

/* Samples of a log are samples as any: joined from their events, with the more probable answer,
 * pictures from beside the log and from nowhere else. */
static void
test_explain_log (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  double least = G_MAXDOUBLE, largest = 0;
  SondeExplainBrowser *browser;

  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  write_log (fixture.run_a);
  sonde_test_run_flush (fixture.run_a);
  write_picture (path, "_explain_1/origin_images/0/0.png", 3);
  write_picture (path, "_explain_1/origin_images/0/1.png", 4);
  write_picture (path, "_explain_1/heatmap/GradCAM/0/0_0.png", 5);
  write_picture (path, "_explain_1/heatmap/GradCAM/0/0_1.png", 6);
  write_picture (fixture.folder, "outside.png", 7);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "explain", NULL);
  /* the misclassification */
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "1 of 2 explained samples");
  browser = SONDE_EXPLAIN_BROWSER (
      window_fixture_find (page_of (&fixture), SONDE_TYPE_EXPLAIN_BROWSER));
  g_assert_true (sonde_explain_browser_go_to (browser, "_explain_1/origin_images/0/0.png"));
  window_fixture_wait (&fixture, says, "“dog” classified as “cat”");
  window_fixture_settle (&fixture); /* pictures come when they are shown */
  g_assert_cmpuint (count_maps (page_of (&fixture), &least, &largest), ==, 2);
  g_assert_cmpfloat (largest, ==, 1);
  show_boxes (&fixture);
  g_assert_true (says (
      &fixture,
      "16.7 % of the image (2 regions) is enough: p(“cat”) = 0.5; the whole image has 0.625."));
  g_assert_true (sonde_explain_browser_go_to (browser, "_explain_1/origin_images/0/1.png"));
  window_fixture_wait (&fixture, says, "“cat” classified correctly");
  window_fixture_settle (&fixture);
  g_assert_cmpuint (count_maps (page_of (&fixture), &least, &largest), ==, 0);
  g_assert_true (says (&fixture, "no map")); /* it lies outside the run */
  /* by its number; and a sample that is none */
  g_assert_true (sonde_explain_browser_go_to (browser, "sample:0"));
  window_fixture_wait (&fixture, says, "“dog” classified as “cat”");
  g_assert_false (sonde_explain_browser_go_to (browser, "sample:2"));
  g_assert_false (sonde_explain_browser_go_to (browser, "sample:-1"));
  g_assert_true (sonde_explain_browser_go_to (browser, "sample:_explain_1/origin_images/0/1.png"));
  window_fixture_wait (&fixture, says, "“cat” classified correctly");
  window_fixture_clear (&fixture);
}

/* As the screenshot does: the page is told where to go before anything is loaded. */
static void
test_explain_at (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *path = NULL;
  SondePageRequest request = { .at = "sample:1" };

  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "run", NULL);
  fixture.run_a = sonde_test_run_new (path);
  for (int i = 0; i < 3; i++)
    add_map (fixture.run_a, i, i == 2 ? 1 : 0, 2 - i / 2 * 2, FALSE, 1);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "explain", &request);
  window_fixture_wait (&fixture, says, "sample-1 · p(emu)");
  window_fixture_clear (&fixture);
}

static void
test_nothing (void)
{
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  window_fixture_open (&fixture, "explain");
  g_assert_true (says (&fixture, "Explain Predictions"));
  sonde_window_show_page (fixture.window, "graph", NULL);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "No Graph"));
  sonde_window_show_page (fixture.window, "debugger", NULL);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "No Debug Session"));
  window_fixture_clear (&fixture);
}

/* Pages go with their window, also in the middle of loading. */
static void
test_finalize (void)
{
  static const char *const names[] = { "graph", "explain", "debugger" };
  WindowFixture fixture = { 0 };
  g_autoptr (SondeGraph) graph = make_graph ((const char *const[]){ "a", NULL });
  g_autofree char *path = NULL;
  gpointer pages[3];

  make_folder (&fixture);
  path = g_build_filename (fixture.folder, "chain.onnx", NULL);
  g_assert_true (sonde_model_save (NULL, path, graph, NULL));
  window_fixture_open_paths (&fixture, (const char *const[]){ path, NULL }, "overview", NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    {
      SondePageRequest request = { 0 };

      sonde_window_show_page (fixture.window, names[i], &request);
      pages[i] = sonde_window_get_page (fixture.window);
      g_object_add_weak_pointer (pages[i], &pages[i]);
    }
  window_fixture_close (&fixture);
  while (g_application_get_is_busy (g_application_get_default ()) || pages[0] != NULL
         || pages[1] != NULL || pages[2] != NULL)
    g_main_context_iteration (NULL, TRUE);
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
  g_test_add_func ("/app/pages/graph/file", test_file);
  g_test_add_func ("/app/pages/graph/broken-file", test_broken_file);
  g_test_add_func ("/app/pages/graph/foreign", test_foreign);
  g_test_add_func ("/app/pages/graph/run", test_run);
  g_test_add_func ("/app/pages/explain/errors", test_explain);
  g_test_add_func ("/app/pages/explain/mindspore-log", test_explain_log);
  g_test_add_func ("/app/pages/explain/at", test_explain_at);
  g_test_add_func ("/app/pages/nothing", test_nothing);
  g_test_add_func ("/app/pages/finalize", test_finalize);
  return g_test_run ();
}
