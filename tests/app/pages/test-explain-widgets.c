/* SPDX-License-Identifier: Apache-2.0
 * The parts of the Explain page on made data: real widgets, no engine. */
#include <math.h>
#include <string.h>

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/browser/sonde-gallery-header.h"
#include "app/explain/sonde-explain-chooser.h"
#include "app/explain/browser/sonde-comparison-panel.h"
#include "app/explain/browser/sonde-explain-gallery.h"
#include "app/explain/sonde-job-bar.h"
#include "app/explain/browser/sonde-error-category-list.h"
#include "explain/browsing/sonde-explain-table.h"
#include "app/explain/browser/sonde-explain-tile.h"
#include "explain/browsing/sonde-explain-text.h"
#include "app/explain/sonde-explain-widgets.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-confusion-view.h"

static char *classes[] = { "cat", "dog", "emu" };

static void
row_free (void *data)
{
  SondeSampleResult *row = data;

  g_free (row->name);
  sonde_message_free (row->evidence);
  g_free (row);
}

/* Twelve samples: label i % 3; every second one is taken for the next class, by turns near the
 * border and surely. */
static GPtrArray *
make_rows (gboolean categories)
{
  GPtrArray *rows = g_ptr_array_new_with_free_func (row_free);

  for (guint i = 0; i < 12; i++)
    {
      SondeSampleResult *row = g_new0 (SondeSampleResult, 1);
      gboolean error = i % 2 == 1;

      row->sample = 100 + i;
      row->name = g_strdup_printf ("%s/%02u.png", classes[i % 3], i);
      row->label = i % 3;
      row->predicted = error ? (i % 3 + 1) % 3 : i % 3;
      row->p_predicted = 0.5 + 0.04 * i;
      row->p_label = error ? 0.4 - 0.02 * i : row->p_predicted;
      row->margin = row->p_predicted - 0.3;
      row->category = !error || !categories ? SONDE_N_CATEGORIES
                      : i < 6               ? SONDE_CATEGORY_BOUNDARY
                                            : SONDE_CATEGORY_CONFIDENT_WRONG;
      row->evidence = error && categories ? sonde_message_new ("evidence %u", i) : NULL;
      g_ptr_array_add (rows, row);
    }
  return rows;
}

static GPtrArray *
make_items (GPtrArray *rows)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < rows->len; i++)
    g_ptr_array_add (items, sonde_explain_item_new (rows, g_ptr_array_index (rows, i), classes, 3));
  return items;
}

static GtkWidget *
in_window (GtkWidget *widget, int width, int height)
{
  GtkWidget *window = gtk_window_new ();

  gtk_window_set_default_size (GTK_WINDOW (window), width, height);
  gtk_window_set_child (GTK_WINDOW (window), widget);
  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static void
iterate (void)
{
  for (int i = 0; i < 60 && g_main_context_iteration (NULL, FALSE); i++)
    ;
}

static GtkWidget *
find (GtkWidget *widget, GType type)
{
  return window_fixture_find (widget, type);
}

/* ---- table --------------------------------------------------------------- */

static void
test_table (void)
{
  g_autoptr (GPtrArray) rows = make_rows (FALSE), items = make_items (rows);
  g_autoptr (SondeExplainTable) table = sonde_explain_table_new (items, classes, 3, 1000);
  g_autoptr (SondeExplainTable) small = sonde_explain_table_new (items, classes, 3, 2);
  g_autoptr (GArray) pairs = sonde_confusion_list_cells (table->counts);
  guint sum = 0;

  g_assert_cmpuint (table->n, ==, 3);
  g_assert_cmpuint (table->n_errors, ==, 6);
  g_assert_cmpuint (table->n_labelled, ==, 12);
  for (guint i = 0; i < 9; i++)
    sum += table->counts->counts[i];
  g_assert_cmpuint (sum, ==, 12);
  g_assert_cmpuint (table->counts->counts[0 * 3 + 1], ==, 2);
  g_assert_cmpuint (pairs->len, ==, 3);
  g_assert_cmpint (sonde_explain_table_find (table, g_ptr_array_index (items, 1)), ==, 1 * 3 + 2);
  g_assert_cmpuint (small->n, ==, 2);
  g_assert_cmpuint (small->n_errors, ==, 6);
}

/* ---- gallery ------------------------------------------------------------- */

static void
assert_first (SondeExplainGallery *gallery, guint sample)
{
  g_autoptr (SondeExplainItem) item = sonde_explain_gallery_get_shown (gallery, 0);

  g_assert_nonnull (item);
  g_assert_cmpuint (sonde_explain_item_get_result (item)->sample, ==, sample);
}

static void
on_opened (SondeExplainGallery *gallery, SondeExplainItem *item, guint *sample)
{
  *sample = sonde_explain_item_get_result (item)->sample;
}

static void
test_gallery (void)
{
  g_autoptr (GPtrArray) rows = make_rows (TRUE), items = make_items (rows);
  GtkWidget *widget = sonde_explain_gallery_new (), *window = in_window (widget, 500, 600);
  SondeExplainGallery *gallery = SONDE_EXPLAIN_GALLERY (widget);
  g_autoptr (SondeExplainItem) second = NULL, first = NULL;
  guint place = 0, opened = 0;

  sonde_explain_gallery_set_empty (gallery, "Nothing is wrong & all is well.", NULL, NULL);
  iterate ();
  g_assert_nonnull (window_fixture_find_label (window, "Nothing is wrong & all"));
  sonde_explain_gallery_set_items (gallery, items);
  iterate ();
  g_assert_cmpuint (sonde_explain_gallery_get_n_shown (gallery), ==, 12);
  /* Reasons in their order, those without last; the surest first among equals. */
  assert_first (gallery, 105);
  sonde_explain_gallery_set_order (gallery, SONDE_EXPLAIN_ORDER_CONFIDENT);
  assert_first (gallery, 111);
  sonde_explain_gallery_set_order (gallery, SONDE_EXPLAIN_ORDER_LABEL);
  assert_first (gallery, 111);
  sonde_explain_gallery_set_order (gallery, SONDE_EXPLAIN_ORDER_MARGIN);
  assert_first (gallery, 100);
  sonde_explain_gallery_set_order (gallery, SONDE_EXPLAIN_ORDER_NAME);
  assert_first (gallery, 100);
  /* A category, then text besides; the way out of both. */
  sonde_explain_gallery_set_category (gallery, SONDE_CATEGORY_CONFIDENT_WRONG);
  g_assert_cmpuint (sonde_explain_gallery_get_n_shown (gallery), ==, 3);
  sonde_explain_gallery_set_text (gallery, "EVIDENCE 11");
  g_signal_emit_by_name (find (widget, GTK_TYPE_SEARCH_ENTRY), "search-changed");
  g_assert_cmpuint (sonde_explain_gallery_get_n_shown (gallery), ==, 1);
  sonde_explain_gallery_set_text (gallery, "no such thing");
  g_signal_emit_by_name (find (widget, GTK_TYPE_SEARCH_ENTRY), "search-changed");
  iterate ();
  g_assert_nonnull (window_fixture_find_label (window, "No sample matches"));
  gtk_widget_activate_action (widget, "gallery.clear", NULL);
  g_assert_cmpuint (sonde_explain_gallery_get_n_shown (gallery), ==, 12);
  /* Steps follow the order that is shown. */
  first = sonde_explain_gallery_get_shown (gallery, 0);
  second = sonde_explain_gallery_step (gallery, first, 1, &place);
  g_assert_nonnull (second);
  g_assert_cmpuint (place, ==, 1);
  g_assert_null (sonde_explain_gallery_step (gallery, first, -1, NULL));
  /* Enter opens. */
  g_signal_connect (gallery, "opened", G_CALLBACK (on_opened), &opened);
  g_signal_emit_by_name (find (widget, GTK_TYPE_GRID_VIEW), "activate", 0);
  g_assert_cmpuint (opened, ==, sonde_explain_item_get_result (first)->sample);
  /* The list tells the evidence. */
  sonde_explain_gallery_set_list (gallery, TRUE);
  iterate ();
  while (window_fixture_find_label (window, "Boundary case") == NULL
         || window_fixture_find_label (window, "evidence") == NULL)
    g_main_context_iteration (NULL, TRUE);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* ---- browser ------------------------------------------------------------- */

static void
on_sample (SondeExplainBrowser *browser, SondeExplainItem *item, guint *sample)
{
  *sample = item != NULL ? sonde_explain_item_get_result (item)->sample : 0;
}

static SondeErrorCluster *
make_cluster (guint first, guint second, float value)
{
  SondeErrorCluster *cluster = g_new0 (SondeErrorCluster, 1);
  SondeShape shape = sonde_shape_make (2, 4, 4);

  cluster->label = 0;
  cluster->predicted = 1;
  cluster->members = g_array_new (FALSE, FALSE, sizeof (guint));
  g_array_append_val (cluster->members, first);
  if (second > 0)
    g_array_append_val (cluster->members, second);
  cluster->medoid = first;
  cluster->mean = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  sonde_tensor_set_double (cluster->mean, 3, value);
  return cluster;
}

static void
cluster_free (void *data)
{
  SondeErrorCluster *cluster = data;

  g_array_unref (cluster->members);
  sonde_tensor_unref (cluster->mean);
  g_free (cluster);
}

static void
assert_status (SondeExplainBrowser *browser, const char *expected)
{
  g_autofree char *status = sonde_explain_browser_dup_status (browser);

  g_assert_cmpstr (status, ==, expected);
}

/* Matrix → cell → group → sample → next → back, back, back. */
static void
test_browser (void)
{
  g_autoptr (GPtrArray) rows = make_rows (FALSE), items = make_items (rows),
                        told = make_rows (TRUE);
  g_autoptr (GPtrArray) clusters = g_ptr_array_new_with_free_func (cluster_free);
  GtkWidget *widget = sonde_explain_browser_new (), *window = in_window (widget, 1000, 700);
  SondeExplainBrowser *browser = SONDE_EXPLAIN_BROWSER (widget);
  GtkWidget *group;
  SondeView *matrix;
  guint sample = 0;

  sonde_explain_browser_set_sample_view (browser, gtk_label_new ("the sample"));
  g_signal_connect (browser, "sample-shown", G_CALLBACK (on_sample), &sample);
  sonde_explain_browser_set_items (browser, items, classes, 3);
  iterate ();
  assert_status (browser, "6 of 12 samples");
  g_assert_nonnull (
      window_fixture_find_label (window, "Misclassified: 6 of 12, 50.0 % (95 % interval 25.4"));
  /* Samples 3 and 9 are cats taken for dogs. */
  matrix = SONDE_VIEW (find (widget, SONDE_TYPE_CONFUSION_VIEW));
  sonde_view_set_selection (matrix, 1);
  iterate ();
  assert_status (browser, "2 of 12 samples");
  g_assert_nonnull (window_fixture_find_label (window, "“cat” classified as “dog”"));
  /* Reasons and groups come later and keep the cell. */
  for (guint i = 0; i < items->len; i++)
    sonde_explain_item_set_row (g_ptr_array_index (items, i), told, g_ptr_array_index (told, i));
  g_ptr_array_add (clusters, make_cluster (103, 0, 1));
  g_ptr_array_add (clusters, make_cluster (109, 0, -1));
  sonde_explain_browser_set_triage (browser, clusters, NULL);
  iterate ();
  assert_status (browser, "2 of 12 samples");
  g_assert_nonnull (window_fixture_find_label (window, "Mean map of 2"));
  group = find (find (widget, SONDE_TYPE_GALLERY_HEADER), GTK_TYPE_TOGGLE_BUTTON);
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (group), TRUE);
  assert_status (browser, "1 of 12 samples");
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (group), FALSE);
  assert_status (browser, "2 of 12 samples");
  /* One sample, the next, no further; then the way back. */
  g_assert_true (sonde_explain_browser_go_to (browser, "cat/03.png"));
  g_assert_cmpuint (sample, ==, 103);
  g_assert_true (sonde_explain_browser_step (browser, 1));
  g_assert_cmpuint (sample, ==, 109);
  g_assert_false (sonde_explain_browser_step (browser, 1));
  g_assert_true (sonde_explain_browser_back (browser));
  g_assert_cmpuint (sample, ==, 0);
  g_assert_true (sonde_explain_browser_back (browser));
  assert_status (browser, "6 of 12 samples");
  g_assert_cmpint (sonde_view_get_selection (matrix), ==, SONDE_VIEW_NOTHING);
  g_assert_false (sonde_explain_browser_back (browser));
  /* A category is a place to go to as well; a cell of correct predictions too. */
  g_assert_true (sonde_explain_browser_go_to (browser, "confident-wrong"));
  assert_status (browser, "3 of 12 samples");
  g_assert_true (sonde_explain_browser_go_to (browser, "cat > cat"));
  assert_status (browser, "2 of 12 samples");
  g_assert_false (sonde_explain_browser_go_to (browser, "cat > yak"));
  gtk_window_destroy (GTK_WINDOW (window));
}

/* What two models say, and what of it is chance. */
static void
test_compare (void)
{
  g_autoptr (GPtrArray) rows = make_rows (FALSE), items = make_items (rows);
  GtkWidget *widget = sonde_explain_browser_new (), *window = in_window (widget, 1000, 700);
  SondeExplainBrowser *browser = SONDE_EXPLAIN_BROWSER (widget);
  const SondeModelChanges many = { .counts = { 12, 1 } }, few = { .counts = { 4, 1 } };
  g_autofree char *better = sonde_model_changes_dup_sentence (&many), *luck = NULL;

  /* Of the six errors (odd ones) the second model fixes four; it spoils sample 0. */
  for (guint i = 0; i < items->len; i++)
    {
      SondeExplainItem *item = g_ptr_array_index (items, i);
      gint64 label = sonde_explain_item_get_result (item)->label;
      gint64 other = i == 0 || i >= 9 ? (label + 1) % 3 : label;

      sonde_explain_item_set_other (item, i % 2 == 0 && i > 0 ? label : other, classes[other]);
    }
  g_assert_cmpint (sonde_explain_change_of (g_ptr_array_index (items, 0)), ==, SONDE_EXPLAIN_NEW);
  g_assert_cmpint (sonde_explain_change_of (g_ptr_array_index (items, 1)), ==, SONDE_EXPLAIN_FIXED);
  g_assert_cmpint (sonde_explain_change_of (g_ptr_array_index (items, 2)), ==,
                   SONDE_N_EXPLAIN_CHANGES);
  g_assert_cmpint (sonde_explain_change_of (g_ptr_array_index (items, 11)), ==,
                   SONDE_EXPLAIN_STILL);
  sonde_explain_browser_set_items (browser, items, classes, 3);
  sonde_explain_browser_set_models (browser, "one.onnx", "two.onnx");
  sonde_explain_browser_show_side (browser, "models");
  iterate ();
  g_assert_nonnull (
      window_fixture_find_label (window, "one.onnx: 50.0 % correct\ntwo.onnx: 75.0 % correct"));
  luck = sonde_model_changes_dup_sentence (&few);
  g_assert_nonnull (window_fixture_find_label (window, luck));
  g_assert_true (g_str_has_prefix (luck, "The difference may be due to chance: 4 fixed, 1 new."));
  g_assert_nonnull (strstr (luck, "p = 0.3"));
  g_assert_true (g_str_has_prefix (better, "The second model is better: 12 fixed, 1 new."));
  g_signal_emit_by_name (find (widget, SONDE_TYPE_COMPARISON_PANEL), "chosen",
                         (guint) SONDE_EXPLAIN_FIXED);
  assert_status (browser, "4 of 12 samples");
  sonde_explain_browser_set_models (browser, NULL, NULL);
  assert_status (browser, "6 of 12 samples");
  gtk_window_destroy (GTK_WINDOW (window));
}

static void
test_mean_map (void)
{
  g_autoptr (GPtrArray) clusters = g_ptr_array_new_with_free_func (cluster_free);
  g_autoptr (SondeTensor) mean = NULL;

  g_assert_null (sonde_explain_mean_map (clusters));
  g_ptr_array_add (clusters, make_cluster (1, 2, 1));
  g_ptr_array_add (clusters, make_cluster (3, 0, -0.5));
  mean = sonde_explain_mean_map (clusters);
  g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (mean, 3), 0.5, 1e-6);
}

/* ---- chooser, job -------------------------------------------------------- */

static void
count_up (GtkWidget *widget, guint *n)
{
  (*n)++;
}

static void
assert_problem (SondeExplanationSettings settings, const char *part)
{
  g_autofree char *problem = sonde_explain_chooser_dup_problem (&settings);

  if (part == NULL)
    g_assert_null (problem);
  else
    g_assert_nonnull (strstr (problem, part));
}

static void
test_chooser (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-chooser-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (folder, "m.onnx", NULL),
                  *run = g_build_filename (folder, "run", NULL);
  g_autofree char *record = g_build_filename (run, "events.sonde", NULL),
                  *odd = g_build_filename (folder, "x.doc", NULL);
  GtkWidget *widget = sonde_explain_chooser_new (), *window = in_window (widget, 600, 700);
  SondeExplainChooser *chooser = SONDE_EXPLAIN_CHOOSER (widget);
  SondeExplanationSettings settings
      = { .model = model, .data = folder, .mean = (char *) "0,0,0", .size = (char *) "8x8" };
  g_autoptr (SondeExplanationSettings) again = NULL;
  g_autoptr (GFile) model_file = g_file_new_for_path (model), run_file = g_file_new_for_path (run);
  g_autoptr (GFile) folder_file = g_file_new_for_path (folder),
                    odd_file = g_file_new_for_path (odd);
  guint n = 0;

  g_assert_true (g_file_set_contents (model, "x", 1, NULL));
  g_mkdir_with_parents (run, 0700);
  g_assert_true (g_file_set_contents (record, "x", 1, NULL));
  assert_problem ((SondeExplanationSettings){ 0 }, "Choose a model");
  assert_problem ((SondeExplanationSettings){ .model = odd }, "There is no model");
  assert_problem ((SondeExplanationSettings){ .model = (char *) "a.recipe" }, "describes training");
  assert_problem ((SondeExplanationSettings){ .model = model }, "Choose the images");
  assert_problem ((SondeExplanationSettings){ .model = run }, NULL);
  assert_problem ((SondeExplanationSettings){ .model = model, .data = odd }, "There are no images");
  assert_problem ((SondeExplanationSettings){ .model = model, .data = (char *) "glyphs:count=8" },
                  NULL);
  assert_problem ((SondeExplanationSettings){ .model = model, .data = folder, .labels = odd },
                  "no file of class names");
  assert_problem (settings, "Mean and std");
  /* What is typed comes back; a problem is said, not opened. */
  g_signal_connect (chooser, "open", G_CALLBACK (count_up), &n);
  sonde_explain_chooser_set_settings (chooser, &settings);
  again = sonde_explain_chooser_dup_settings (chooser);
  g_assert_cmpstr (again->model, ==, model);
  g_assert_cmpstr (again->size, ==, "8x8");
  g_assert_null (again->training);
  g_signal_emit_by_name (find (widget, ADW_TYPE_ENTRY_ROW), "entry-activated");
  g_assert_cmpuint (n, ==, 0);
  iterate ();
  g_assert_nonnull (window_fixture_find_label (window, "Mean and std belong together"));
  settings.mean = NULL;
  sonde_explain_chooser_set_settings (chooser, &settings);
  g_signal_emit_by_name (find (widget, ADW_TYPE_ENTRY_ROW), "entry-activated");
  g_assert_cmpuint (n, ==, 1);
  /* Dropped files go where they belong. */
  settings.model = settings.data = NULL;
  sonde_explain_chooser_set_settings (chooser, &settings);
  g_assert_true (sonde_explain_chooser_take_file (chooser, model_file));
  g_assert_true (sonde_explain_chooser_take_file (chooser, folder_file));
  g_assert_false (sonde_explain_chooser_take_file (chooser, odd_file));
  g_clear_pointer (&again, sonde_explanation_settings_free);
  again = sonde_explain_chooser_dup_settings (chooser);
  g_assert_cmpstr (again->model, ==, model);
  g_assert_cmpstr (again->data, ==, folder);
  g_assert_true (sonde_explain_chooser_take_file (chooser, run_file));
  g_clear_pointer (&again, sonde_explanation_settings_free);
  again = sonde_explain_chooser_dup_settings (chooser);
  g_assert_cmpstr (again->model, ==, run);
  gtk_window_destroy (GTK_WINDOW (window));
  {
    WindowFixture fixture = { .folder = g_steal_pointer (&folder) };

    window_fixture_clear (&fixture);
  }
}

static void
test_job (void)
{
  static const struct
  {
    double seconds;
    const char *text;
  } durations[] = { { NAN, "" },      { -1, "" },       { 0.01, "10 ms" }, { 0.42, "0.4 s" },
                    { 3.2, "3.2 s" }, { 12.4, "12 s" }, { 180, "3 min" },  { 9000, "2.5 h" } };
  GtkWidget *widget = sonde_job_bar_new (), *window = in_window (widget, 600, 60);
  SondeJobBar *job = SONDE_JOB_BAR (widget);
  guint n = 0;
  int idle, running;

  for (gsize i = 0; i < G_N_ELEMENTS (durations); i++)
    {
      g_autofree char *text = sonde_explain_duration_text (durations[i].seconds);

      g_assert_cmpstr (text, ==, durations[i].text);
    }
  sonde_job_bar_say (job, "446 maps, about 12 s", "Compute", NULL);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &idle, NULL, NULL, NULL);
  g_assert_nonnull (window_fixture_find_label (window, "Compute"));
  /* Late progress of what was ended changes nothing. */
  sonde_job_bar_progress (job, "Predicting", 0.5, 3);
  g_assert_nonnull (window_fixture_find_label (window, "446 maps"));
  sonde_job_bar_begin (job, "Predicting");
  sonde_job_bar_progress (job, "Predicting 50 of 100", 0.5, 3);
  gtk_widget_measure (widget, GTK_ORIENTATION_VERTICAL, -1, &running, NULL, NULL, NULL);
  g_assert_cmpint (idle, ==, running);
  g_assert_nonnull (window_fixture_find_label (window, "3.0 s left"));
  g_assert_null (window_fixture_find_label (window, "Compute"));
  g_signal_connect (job, "cancelled", G_CALLBACK (count_up), &n);
  g_signal_emit_by_name (find (widget, GTK_TYPE_BUTTON), "clicked");
  g_assert_cmpuint (n, ==, 1);
  gtk_window_destroy (GTK_WINDOW (window));
}

/* Nothing of them stays. */
static void
test_finalize (void)
{
  GtkWidget *(*const makers[]) (void)
      = { sonde_explain_browser_new, sonde_explain_gallery_new, sonde_gallery_header_new,
          sonde_explain_chooser_new, sonde_job_bar_new,         sonde_error_category_list_new,
          sonde_comparison_panel_new };

  for (gsize i = 0; i < G_N_ELEMENTS (makers); i++)
    {
      GtkWidget *widget = makers[i]();
      gpointer weak = widget;

      g_object_add_weak_pointer (G_OBJECT (widget), &weak);
      gtk_window_destroy (GTK_WINDOW (in_window (widget, 400, 400)));
      while (g_main_context_iteration (NULL, FALSE))
        ;
      g_assert_null (weak);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/explain/table", test_table);
  g_test_add_func ("/app/explain/gallery", test_gallery);
  g_test_add_func ("/app/explain/browser", test_browser);
  g_test_add_func ("/app/explain/compare", test_compare);
  g_test_add_func ("/app/explain/mean-map", test_mean_map);
  g_test_add_func ("/app/explain/chooser", test_chooser);
  g_test_add_func ("/app/explain/job", test_job);
  g_test_add_func ("/app/explain/finalize", test_finalize);
  return g_test_run ();
}
