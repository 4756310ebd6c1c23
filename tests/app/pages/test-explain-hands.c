/* SPDX-License-Identifier: Apache-2.0
 * What hands do on the Explain page, with a real engine child: stop and go on, two models, files
 * dropped, the self-test, a verdict that stays, scores. */
#include <string.h>

#include <glib/gstdio.h>

#include "app/explain/browser/sonde-explain-browser.h"
#include "app/explain/sonde-explain-chooser.h"
#include "app/explain/browser/sonde-comparison-panel.h"
#include "app/explain/sample/sonde-sample-view.h"
#include "app/explain/scores/sonde-scores-view.h"
#include "app/explain/scores/sonde-self-test-view.h"
#include "app/explain/sonde-explain-workspace.h"
#include "app/explain/sonde-job-bar.h"
#include "app/explain/browser/sonde-explain-gallery.h"
#include "app/explain/browser/sonde-explain-tile.h"
#include "app/explain/scores/sonde-metric-chooser.h"
#include "app/explain/sample/sonde-sample-maps.h"
#include "data/explanations/sonde-annotations.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-zoo.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-confusion-view.h"
#include "viewers/sonde-probability-view.h"
#include "viewers/sonde-radar-view.h"

#define DATA "glyphs:count=60"
#define MANY 3000

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

static void *
part (WindowFixture *fixture, GType type)
{
  return window_fixture_find (page_of (fixture), type);
}

static gboolean
says (WindowFixture *fixture, const void *data)
{
  return window_fixture_find_label (page_of (fixture), data) != NULL;
}

static SondeExplainWorkspace *
workspace_of (WindowFixture *fixture)
{
  return part (fixture, SONDE_TYPE_EXPLAIN_WORKSPACE);
}

static SondeExplainWorkspace *
open_study (WindowFixture *fixture, const char *model)
{
  SondePageRequest request = { .data = DATA };

  window_fixture_open_paths (fixture, (const char *const[]){ model, NULL }, "explain", &request);
  return workspace_of (fixture);
}

static guint
count (GtkWidget *widget, GType type)
{
  guint n = G_TYPE_CHECK_INSTANCE_TYPE (widget, type) ? 1 : 0;

  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    n += count (child, type);
  return n;
}

/* ---- stop and go on ------------------------------------------------------ */

static SondeExplanationJobs *
jobs_of (WindowFixture *fixture)
{
  return sonde_explain_workspace_get_jobs (workspace_of (fixture));
}

static GPtrArray *
items_of (WindowFixture *fixture)
{
  return sonde_prediction_list_get_items (
      sonde_explanation_jobs_get_predictions (jobs_of (fixture)));
}

static gboolean
has_some (WindowFixture *fixture, const void *data)
{
  return items_of (fixture)->len > 0;
}

static gboolean
is_idle (WindowFixture *fixture, const void *data)
{
  return !sonde_explanation_jobs_is_running (jobs_of (fixture));
}

static gboolean
has_all (WindowFixture *fixture, const void *data)
{
  return sonde_prediction_list_is_complete (
      sonde_explanation_jobs_get_predictions (jobs_of (fixture)));
}

static char *
dup_answers (WindowFixture *fixture)
{
  GString *text = g_string_new (NULL);
  GPtrArray *items = items_of (fixture);

  for (guint i = 0; i < items->len; i++)
    {
      const SondeSampleResult *facts = sonde_explain_item_get_result (g_ptr_array_index (items, i));

      g_string_append_printf (text, "%u %s %d %d %.9g\n", facts->sample, facts->name,
                              (int) facts->label, (int) facts->predicted, facts->p_predicted);
    }
  return g_string_free (text, FALSE);
}

/* Stopped in the middle, what came stays; Go On comes to what is there when nothing stops it. Lists
 * have few tiles for many. */
static void
test_go_on (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7), *after = NULL, *whole = NULL;
  SondeExplanationSettings settings = { .model = model, .data = (char *) "glyphs:count=3000" };
  SondeExplainWorkspace *workspace;
  guint n;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", NULL);
  workspace = workspace_of (&fixture);
  sonde_explain_workspace_open (workspace, &settings, NULL);
  window_fixture_wait (&fixture, has_some, NULL);
  g_signal_emit_by_name (part (&fixture, SONDE_TYPE_JOB_BAR), "cancelled");
  window_fixture_wait (&fixture, is_idle, NULL);
  n = items_of (&fixture)->len;
  g_assert_cmpuint (n, >, 0);
  if (!has_all (&fixture, NULL))
    {
      g_assert_cmpuint (n, <=, MANY); /* the last rows may have come before the end of the call */
      g_assert_true (says (&fixture, "Stopped after "));
      gtk_widget_activate_action (GTK_WIDGET (workspace), "explain.predict", NULL);
    }
  else
    g_test_message ("all was there before it was stopped");
  window_fixture_wait (&fixture, has_all, NULL);
  g_signal_emit_by_name (part (&fixture, SONDE_TYPE_JOB_BAR), "cancelled"); /* the categories */
  window_fixture_wait (&fixture, is_idle, NULL);
  g_assert_cmpuint (items_of (&fixture)->len, ==, MANY);
  g_assert_cmpuint (count (page_of (&fixture), SONDE_TYPE_EXPLAIN_TILE), <, MANY / 4);
  after = dup_answers (&fixture);
  window_fixture_close (&fixture);
  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", NULL);
  workspace = workspace_of (&fixture);
  settings.threads = 1; /* nothing that was kept is of these settings */
  settings.seed = 5;
  sonde_explain_workspace_open (workspace, &settings, NULL);
  window_fixture_wait (&fixture, has_all, NULL);
  g_assert_cmpuint (sonde_explanation_jobs_get_n_restored (jobs_of (&fixture)), ==, 0);
  whole = dup_answers (&fixture);
  g_assert_cmpstr (after, ==, whole);
  window_fixture_clear (&fixture);
}

/* ---- two models ---------------------------------------------------------- */

/* Of either model. */
static GtkWidget *
shown_view (WindowFixture *fixture)
{
  GtkWidget *first = part (fixture, SONDE_TYPE_SAMPLE_VIEW);

  return gtk_stack_get_visible_child (GTK_STACK (gtk_widget_get_ancestor (first, GTK_TYPE_STACK)));
}

/* The other model's class of the sample; its answer may come later than the view. */
static gboolean
selects_other (WindowFixture *fixture, const void *item)
{
  GtkWidget *view = window_fixture_find (shown_view (fixture), SONDE_TYPE_PROBABILITY_VIEW);

  return sonde_view_get_selection (SONDE_VIEW (view))
         == sonde_explain_item_get_other ((SondeExplainItem *) item, NULL);
}

/* A sample of each list opens, and the sample view has either model. */
static void
test_two_models (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7),
                  *other = make_model (&fixture, "other.onnx", 8);
  SondeExplainWorkspace *workspace = open_study (&fixture, model);
  SondeExplainBrowser *browser = part (&fixture, SONDE_TYPE_EXPLAIN_BROWSER);
  guint n_seen = 0;

  sonde_explanation_jobs_compare (sonde_explain_workspace_get_jobs (workspace), other);
  window_fixture_settle (&fixture);
  for (guint change = 0; change < SONDE_N_EXPLAIN_CHANGES; change++)
    {
      g_autoptr (SondeExplainItem) item = NULL;

      g_signal_emit_by_name (part (&fixture, SONDE_TYPE_COMPARISON_PANEL), "chosen", change);
      item = sonde_explain_gallery_get_shown (part (&fixture, SONDE_TYPE_EXPLAIN_GALLERY), 0);
      if (item == NULL)
        continue;
      n_seen++;
      g_assert_cmpint (sonde_explain_change_of (item), ==, (SondeExplainChange) change);
      g_signal_emit_by_name (part (&fixture, SONDE_TYPE_EXPLAIN_GALLERY), "opened", item);
      g_assert_true (sonde_explain_browser_get_sample (browser) == item);
      g_signal_emit_by_name (browser, "model-switched", TRUE);
      window_fixture_settle (&fixture);
      g_assert_true (shown_view (&fixture) != part (&fixture, SONDE_TYPE_SAMPLE_VIEW));
      window_fixture_wait (&fixture, selects_other, item);
      g_signal_emit_by_name (browser, "model-switched", FALSE);
      g_assert_true (shown_view (&fixture) == part (&fixture, SONDE_TYPE_SAMPLE_VIEW));
      g_assert_cmpint (sonde_view_get_selection (SONDE_VIEW (window_fixture_find (
                           shown_view (&fixture), SONDE_TYPE_PROBABILITY_VIEW))),
                       ==, sonde_explain_item_get_result (item)->predicted);
      window_fixture_settle (&fixture);
    }
  g_assert_cmpuint (n_seen, >=, 1);
  window_fixture_clear (&fixture);
}

/* ---- files --------------------------------------------------------------- */

static gboolean
drop (SondeExplainWorkspace *workspace, const char *path)
{
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (GTK_WIDGET (workspace));
  GSList files = { .data = g_file_new_for_path (path) };
  g_auto (GValue) value = G_VALUE_INIT;
  gboolean taken = FALSE;

  g_value_init (&value, GDK_TYPE_FILE_LIST);
  g_value_set_boxed (&value, &files);
  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_DROP_TARGET (controller))
        g_signal_emit_by_name (controller, "drop", &value, 10.0, 10.0, &taken);
    }
  g_object_unref (files.data);
  return taken;
}

/* A model and a folder dropped on what is shown come into the form. */
static void
test_drop (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7),
                  *other = make_model (&fixture, "other.onnx", 8);
  g_autofree char *folder = g_build_filename (fixture.folder, "pictures", NULL);
  SondeExplainWorkspace *workspace = open_study (&fixture, model);
  g_autoptr (SondeExplanationSettings) settings = NULL;
  GtkWidget *chooser;

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_true (drop (workspace, other));
  g_assert_true (drop (workspace, folder));
  chooser = part (&fixture, SONDE_TYPE_EXPLAIN_CHOOSER);
  g_assert_true (
      gtk_stack_get_visible_child (GTK_STACK (gtk_widget_get_ancestor (chooser, GTK_TYPE_STACK)))
      == chooser);
  settings = sonde_explain_chooser_dup_settings (SONDE_EXPLAIN_CHOOSER (chooser));
  g_assert_cmpstr (settings->model, ==, other);
  g_assert_cmpstr (settings->data, ==, folder);
  /* Not taken: the study is still there. */
  g_signal_emit_by_name (chooser, "cancelled");
  g_assert_true (says (&fixture, "small.onnx on "));
  window_fixture_clear (&fixture);
}

/* ---- the other pages ----------------------------------------------------- */

static void
show_page (WindowFixture *fixture, const char *name)
{
  GtkWidget *scores = part (fixture, SONDE_TYPE_SCORES_VIEW);

  gtk_stack_set_visible_child_name (GTK_STACK (gtk_widget_get_ancestor (scores, GTK_TYPE_STACK)),
                                    name);
}

static gboolean
is_tested (WindowFixture *fixture, const void *data)
{
  return !sonde_self_test_view_is_running (part (fixture, SONDE_TYPE_SELF_TEST_VIEW));
}

static gboolean
is_scored (WindowFixture *fixture, const void *data)
{
  return !sonde_scores_view_is_running (part (fixture, SONDE_TYPE_SCORES_VIEW));
}

/* Scores of two metrics; then the self-test, computed by the same child. */
static void
test_scores (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7), *table = NULL;
  SondeMetricChooser *metrics;
  g_autofree char *list = NULL;

  open_study (&fixture, model);
  metrics = part (&fixture, SONDE_TYPE_METRIC_CHOOSER);
  show_page (&fixture, "scores");
  g_assert_cmpuint (sonde_metric_chooser_get_n (metrics), >, 2);
  list = sonde_metric_chooser_dup_list (metrics);
  for (char **name = g_strsplit (list, ",", -1), **all = name;; name++)
    {
      if (*name == NULL)
        {
          g_strfreev (all);
          break;
        }
      sonde_metric_chooser_set (metrics, *name,
                                g_str_equal (*name, "deletion") || g_str_equal (*name, "gini"));
    }
  g_assert_true (says (&fixture, "24 maps, and two controls on each of 8 samples, take about "));
  sonde_scores_view_run (part (&fixture, SONDE_TYPE_SCORES_VIEW));
  g_assert_true (sonde_scores_view_is_running (part (&fixture, SONDE_TYPE_SCORES_VIEW)));
  window_fixture_wait (&fixture, is_scored, NULL);
  table = sonde_view_dup_table (part (&fixture, SONDE_TYPE_RADAR_VIEW), ',');
  g_assert_true (g_str_has_prefix (table, "method,Deletion,Gini\nGradCAM,"));
  show_page (&fixture, "self-test");
  g_assert_true (says (&fixture, "Not Tested Yet"));
  sonde_self_test_view_run (part (&fixture, SONDE_TYPE_SELF_TEST_VIEW));
  g_assert_false (says (&fixture, "Not Tested Yet"));
  window_fixture_wait (&fixture, is_tested, NULL);
  g_assert_cmpuint (count (part (&fixture, SONDE_TYPE_SELF_TEST_VIEW), GTK_TYPE_LABEL), >, 20);
  window_fixture_clear (&fixture);
}

/* An annotation are there when the window opens again. */
static void
test_verdict (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7), *name = NULL;
  const SondeAnnotation *annotation;

  open_study (&fixture, model);
  {
    g_autoptr (SondeExplainItem) item
        = sonde_explain_gallery_get_shown (part (&fixture, SONDE_TYPE_EXPLAIN_GALLERY), 0);

    name = g_strdup (sonde_explain_item_get_result (item)->name);
  }
  g_assert_true (sonde_explain_browser_go_to (part (&fixture, SONDE_TYPE_EXPLAIN_BROWSER), name));
  sonde_sample_view_show_part (part (&fixture, SONDE_TYPE_SAMPLE_VIEW), "annotation");
  window_fixture_settle (&fixture);
  sonde_annotations_set (
      sonde_sample_view_get_annotations (part (&fixture, SONDE_TYPE_SAMPLE_VIEW)), name,
      SONDE_ANNOTATION_OTHER, (SondeErrorCategory) 4, "the stroke is open");
  window_fixture_close (&fixture);
  open_study (&fixture, model);
  g_assert_true (sonde_explain_browser_go_to (part (&fixture, SONDE_TYPE_EXPLAIN_BROWSER), name));
  window_fixture_settle (&fixture);
  annotation = sonde_annotations_get (
      sonde_sample_view_get_annotations (part (&fixture, SONDE_TYPE_SAMPLE_VIEW)), name);
  g_assert_nonnull (annotation);
  g_assert_cmpint (annotation->kind, ==, SONDE_ANNOTATION_OTHER);
  g_assert_cmpint (annotation->category, ==, 4);
  g_assert_cmpstr (annotation->note, ==, "the stroke is open");
  window_fixture_clear (&fixture);
}

/* ---- keyboard alone ------------------------------------------------------ */

static GtkWidget *
find_row (GtkWidget *widget, const char *title)
{
  if (ADW_IS_PREFERENCES_ROW (widget)
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

static gboolean
has_map (WindowFixture *fixture, const void *data)
{
  return is_idle (fixture, NULL) && says (fixture, "logit ");
}

/* From the form to a map and back without a pointer. */
static void
test_keyboard (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *model = make_model (&fixture, "small.onnx", 7);
  GtkWidget *row, *focus;
  SondeExplainBrowser *browser;
  SondeExplainItem *item;

  window_fixture_open_paths (&fixture, (const char *const[]){ model, NULL }, "explain", NULL);
  row = find_row (page_of (&fixture), "Images");
  window_fixture_tab_to (&fixture, row);
  gtk_editable_set_text (GTK_EDITABLE (row), DATA);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Return, 0));
  window_fixture_wait (&fixture, is_idle, NULL);
  window_fixture_settle (&fixture);
  browser = part (&fixture, SONDE_TYPE_EXPLAIN_BROWSER);
  window_fixture_tab_to (&fixture, part (&fixture, SONDE_TYPE_CONFUSION_VIEW));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Page_Down, 0));
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "“"));
  window_fixture_tab_to (&fixture, part (&fixture, GTK_TYPE_GRID_VIEW));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Return, 0));
  item = sonde_explain_browser_get_sample (browser);
  g_assert_nonnull (item);
  window_fixture_wait (&fixture, has_map, NULL);
  window_fixture_tab_to (&fixture, part (&fixture, SONDE_TYPE_SAMPLE_MAPS));
  focus = gtk_root_get_focus (GTK_ROOT (fixture.window));
  g_assert_true (gtk_widget_is_ancestor (focus, GTK_WIDGET (browser)));
  /* To the pictures, with the focus among them; at last nothing is left to go back from. */
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Escape, 0));
  g_assert_null (sonde_explain_browser_get_sample (browser));
  focus = gtk_root_get_focus (GTK_ROOT (fixture.window));
  g_assert_nonnull (focus);
  g_assert_true (gtk_widget_is_ancestor (focus, part (&fixture, SONDE_TYPE_EXPLAIN_GALLERY)));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Escape, 0));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *runtime = g_dir_make_tmp ("sonde-runtime-XXXXXX", NULL);

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_setenv ("XDG_DATA_HOME", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/explain/hands/go-on", test_go_on);
  g_test_add_func ("/app/explain/hands/keyboard", test_keyboard);
  g_test_add_func ("/app/explain/hands/two-models", test_two_models);
  g_test_add_func ("/app/explain/hands/drop", test_drop);
  g_test_add_func ("/app/explain/hands/scores", test_scores);
  g_test_add_func ("/app/explain/hands/annotation", test_verdict);
  return g_test_run ();
}
