/* SPDX-License-Identifier: Apache-2.0
 * The Explain page with a real engine child: a small untrained network on drawn glyphs, so that
 * there are misclassifications. */
#include <signal.h>
#include <string.h>

#include <glib/gstdio.h>

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/sonde-explain-chooser.h"
#include "app/explain/browser/sonde-comparison-panel.h"
#include "app/explain/browser/sonde-confused-pair-list.h"
#include "app/explain/sonde-explain-workspace.h"
#include "app/explain/browser/sonde-explain-gallery.h"
#include "app/explain/sonde-job-bar.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-confusion-view.h"

#define DATA "glyphs:count=60"

static char *
make_model (WindowFixture *fixture, const char *name, guint64 seed)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("lenet", 1, 28, 28, 10, seed, &error);
  char *path;

  if (fixture->folder == NULL)
    fixture->folder = g_dir_make_tmp ("sonde-explain-XXXXXX", NULL);
  path = g_build_filename (fixture->folder, name, NULL);
  g_assert_no_error (error);
  g_assert_true (sonde_model_save (NULL, path, model, &error));
  g_assert_no_error (error);
  return path;
}

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

static void *
part (WindowFixture *fixture, GType type)
{
  return window_fixture_find (page_of (fixture), type);
}

static gboolean
has_pictures (WindowFixture *fixture, const void *data)
{
  SondeExplainGallery *gallery = part (fixture, SONDE_TYPE_EXPLAIN_GALLERY);
  g_autoptr (SondeExplainItem) item = sonde_explain_gallery_get_shown (gallery, 0);

  return item != NULL && sonde_explain_item_get_thumbnail (item) != NULL;
}

static const char *
status_of (WindowFixture *fixture)
{
  return sonde_page_get_status (SONDE_PAGE (page_of (fixture)));
}

/* Model and images → predictions, matrix, images, categories; a cell, a sample, the way back. */
static void
test_study (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7);
  SondePageRequest request = { .data = DATA };
  SondeExplainBrowser *browser;
  g_autofree char *before = NULL;
  guint n_back;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", &request);
  g_assert_true (says (&fixture, "small.onnx on "));
  g_assert_true (says (&fixture, "Misclassified: "));
  g_assert_nonnull (strstr (status_of (&fixture), " of 60 samples"));
  window_fixture_wait (&fixture, has_pictures, NULL);
  /* Reasons were looked for without asking: the data are small. */
  g_assert_true (says (&fixture, "All  "));
  browser = part (&fixture, SONDE_TYPE_EXPLAIN_BROWSER);
  before = g_strdup (status_of (&fixture));
  gtk_widget_grab_focus (part (&fixture, SONDE_TYPE_CONFUSION_VIEW));
  SONDE_VIEW_GET_CLASS (part (&fixture, SONDE_TYPE_CONFUSION_VIEW))
      ->move_cursor (part (&fixture, SONDE_TYPE_CONFUSION_VIEW), G_MININT);
  g_assert_cmpstr (status_of (&fixture), !=, before);
  {
    g_autoptr (SondeExplainItem) item
        = sonde_explain_gallery_get_shown (part (&fixture, SONDE_TYPE_EXPLAIN_GALLERY), 0);

    g_assert_true (
        sonde_explain_browser_go_to (browser, sonde_explain_item_get_result (item)->name));
    g_assert_true (sonde_explain_browser_get_sample (browser) == item);
  }
  window_fixture_settle (&fixture);
  /* To the pictures, to the matrix where only one side has room, to all misclassifications. */
  for (n_back = 0; sonde_explain_browser_back (browser); n_back++)
    window_fixture_settle (&fixture);
  g_assert_cmpuint (n_back, >=, 2);
  g_assert_cmpuint (n_back, <=, 3);
  g_assert_cmpstr (status_of (&fixture), ==, before);
  window_fixture_clear (&fixture);
}

/* ---- a journey ----------------------------------------------------------- */

static GtkWidget *
find_row (GtkWidget *widget, const char *title)
{
  if (ADW_IS_ENTRY_ROW (widget)
      && g_strcmp0 (adw_preferences_row_get_title (ADW_PREFERENCES_ROW (widget)), title) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_row (child, title);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* From a model to the maps of one of its errors: the page, the images and “Explain”, a pair, a sample. */
static void
test_journey (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7);
  SondeConfusedPairList *pairs;
  GtkWidget *list, *grid;
  guint n_clicks = 0;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, NULL, NULL);
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1280, 800);
  g_assert_true (sonde_window_show_page (fixture.window, "explain", NULL));
  n_clicks++;
  window_fixture_settle (&fixture);
  gtk_editable_set_text (GTK_EDITABLE (find_row (page_of (&fixture), "Images")), DATA);
  g_signal_emit_by_name (find_row (page_of (&fixture), "Images"), "entry-activated");
  n_clicks++;
  window_fixture_wait (&fixture, has_pictures, NULL);
  window_fixture_settle (&fixture);
  pairs = part (&fixture, SONDE_TYPE_CONFUSED_PAIR_LIST);
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (pairs)));
  list = window_fixture_find (GTK_WIDGET (pairs), GTK_TYPE_LIST_VIEW);
  gtk_selection_model_select_item (gtk_list_view_get_model (GTK_LIST_VIEW (list)), 0, TRUE);
  n_clicks++;
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "“"));
  grid = window_fixture_find (part (&fixture, SONDE_TYPE_EXPLAIN_GALLERY), GTK_TYPE_GRID_VIEW);
  g_signal_emit_by_name (grid, "activate", 0);
  n_clicks++;
  window_fixture_wait (&fixture, says, "GradCAM");
  g_assert_cmpuint (n_clicks, <=, 5);
  window_fixture_clear (&fixture);
}

/* What was predicted is there at once the next time, and the form remembers. */
static void
test_again (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7);
  SondePageRequest request = { .data = DATA, .mean = "0.25", .std = "0.5" };
  g_autoptr (SondeExplanationSettings) settings = NULL;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", &request);
  window_fixture_close (&fixture);
  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", NULL);
  settings = sonde_explain_chooser_dup_settings (part (&fixture, SONDE_TYPE_EXPLAIN_CHOOSER));
  g_assert_cmpstr (settings->model, ==, model);
  g_assert_cmpstr (settings->data, ==, DATA);
  g_assert_cmpstr (settings->mean, ==, "0.25");
  g_assert_cmpstr (settings->std, ==, "0.5");
  g_signal_emit_by_name (part (&fixture, SONDE_TYPE_EXPLAIN_CHOOSER), "open");
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "Misclassified: "));
  g_assert_cmpuint (sonde_explain_client_get_info (sonde_explain_workspace_get_client (part (
                                                       &fixture, SONDE_TYPE_EXPLAIN_WORKSPACE)))
                        ->n_cached_rows,
                    ==, 60);
  window_fixture_clear (&fixture);
}

/* A folder of explanations whose model is still there is that study again, at the sample that was
 * asked for; relative paths begin where the command ran. */
static void
test_folder (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7),
                  *folder = g_build_filename (fixture.folder, "why", NULL);
  g_autofree char *predictions = g_build_filename (folder, "predictions.tsv", NULL);
  g_autofree char *path = g_build_filename (folder, "settings.json", NULL);
  g_autofree char *settings = g_strdup_printf (
      "{\"folder\":\"%s\",\"model\":\"small.onnx\",\"data\":\"" DATA "\"}", fixture.folder);
  SondePageRequest request = { .at = "sample:0" };

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (g_file_set_contents (
      predictions,
      "file\ttrue\tpredicted\tp_true\tp_predicted\tmargin\treason\na\tb\tc\t0\t1\t1\t\n", -1,
      NULL));
  g_assert_true (g_file_set_contents (path, settings, -1, NULL));
  window_fixture_open_paths (&fixture, (const char *const[]){ folder, NULL }, "explain", &request);
  g_assert_true (says (&fixture, "small.onnx on "));
  g_assert_nonnull (strstr (status_of (&fixture), " of 60 samples"));
  g_assert_nonnull (sonde_explain_browser_get_sample (part (&fixture, SONDE_TYPE_EXPLAIN_BROWSER)));
  window_fixture_clear (&fixture);
}

/* Some label below @widget holds @text. */
static gboolean
contains (GtkWidget *widget, const char *text)
{
  if (GTK_IS_LABEL (widget) && strstr (gtk_label_get_text (GTK_LABEL (widget)), text) != NULL)
    return TRUE;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    if (contains (child, text))
      return TRUE;
  return FALSE;
}

/* Errors are sentences in the form. */
static void
test_errors (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7), *missing = NULL;
  SondeExplanationSettings settings = { 0 };
  SondeExplainWorkspace *workspace;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", NULL);
  g_assert_true (says (&fixture, "Explain Predictions"));
  workspace = part (&fixture, SONDE_TYPE_EXPLAIN_WORKSPACE);
  missing = g_build_filename (fixture.folder, "nowhere", NULL);
  settings.model = model;
  settings.data = missing;
  sonde_explain_workspace_open (workspace, &settings, NULL);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "Explain Predictions"));
  g_assert_true (sonde_explain_workspace_is_empty (workspace));
  g_assert_true (contains (part (&fixture, SONDE_TYPE_EXPLAIN_CHOOSER), "nowhere"));
  window_fixture_clear (&fixture);
}

static gboolean
is_lost (WindowFixture *fixture, const void *data)
{
  return says (fixture, "Reopen");
}

/* The engine is killed: a sentence and a button; then everything is there again. */
static void
test_lost (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7), *before = NULL;
  SondePageRequest request = { .data = DATA };
  SondeExplainWorkspace *workspace;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", &request);
  workspace = part (&fixture, SONDE_TYPE_EXPLAIN_WORKSPACE);
  before = g_strdup (status_of (&fixture));
  kill (sonde_explain_client_get_pid (sonde_explain_workspace_get_client (workspace)), SIGKILL);
  window_fixture_wait (&fixture, is_lost, NULL);
  g_assert_cmpstr (status_of (&fixture), ==, before);
  gtk_widget_activate_action (GTK_WIDGET (workspace), "explain.reopen", NULL);
  window_fixture_settle (&fixture);
  g_assert_false (says (&fixture, "Reopen"));
  g_assert_cmpstr (status_of (&fixture), ==, before);
  window_fixture_clear (&fixture);
}

/* A second model on the same samples, and what both say as a file. */
static void
test_second_model (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7),
                  *other = make_model (&fixture, "other.onnx", 8);
  g_autofree char *report = g_build_filename (fixture.folder, "report.html", NULL), *html = NULL;
  SondePageRequest request = { .data = DATA };
  SondeExplainWorkspace *workspace;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", &request);
  workspace = part (&fixture, SONDE_TYPE_EXPLAIN_WORKSPACE);
  sonde_explanation_jobs_compare (sonde_explain_workspace_get_jobs (workspace), other);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "small.onnx: "));
  g_assert_true (says (&fixture, "Still Wrong"));
  g_signal_emit_by_name (part (&fixture, SONDE_TYPE_COMPARISON_PANEL), "chosen",
                         (guint) SONDE_EXPLAIN_STILL);
  g_assert_true (says (&fixture, "Misclassified by both models"));
  sonde_explanation_jobs_write_report (sonde_explain_workspace_get_jobs (workspace), report);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "The report has been saved."));
  g_assert_true (g_file_get_contents (report, &html, NULL, NULL));
  g_assert_nonnull (strstr (html, "data:image/"));
  window_fixture_clear (&fixture);
}

/* The page goes while its child computes. */
static void
test_finalize (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7);
  SondeExplanationSettings settings = { .model = model, .data = (char *) "glyphs:count=3000" };
  SondePage *page;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", NULL);
  page = sonde_window_get_page (fixture.window);
  g_object_add_weak_pointer (G_OBJECT (page), (gpointer *) &page);
  sonde_explain_workspace_open (part (&fixture, SONDE_TYPE_EXPLAIN_WORKSPACE), &settings, NULL);
  window_fixture_close (&fixture);
  while (page != NULL)
    g_main_context_iteration (NULL, TRUE);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/explain/page/study", test_study);
  g_test_add_func ("/app/explain/page/journey", test_journey);
  g_test_add_func ("/app/explain/page/again", test_again);
  g_test_add_func ("/app/explain/page/folder", test_folder);
  g_test_add_func ("/app/explain/page/errors", test_errors);
  g_test_add_func ("/app/explain/page/lost", test_lost);
  g_test_add_func ("/app/explain/page/second-model", test_second_model);
  g_test_add_func ("/app/explain/page/finalize", test_finalize);
  return g_test_run ();
}
