/* SPDX-License-Identifier: Apache-2.0
 * The Lineage page on runs written by the test: what the table says against what was written. */
#include <math.h>
#include <string.h>

#include "app/widgets/sonde-column-chooser.h"
#include "app/pages/sonde-record-chooser.h"
#include "app/pages/lineage/sonde-trial-difference.h"
#include "app/pages/lineage/sonde-trial-influence.h"
#include "app/pages/lineage/sonde-trial-query.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/trials/sonde-parallel-view.h"
#include "viewers/trials/sonde-scatter-matrix-view.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static SondeTrialTable *
table_of (WindowFixture *fixture)
{
  GtkWidget *table = window_fixture_find (page_of (fixture), SONDE_TYPE_TRIAL_TABLE);

  g_assert_nonnull (table);
  return SONDE_TRIAL_TABLE (table);
}

static gboolean
says (WindowFixture *fixture, const char *text)
{
  return window_fixture_find_label (page_of (fixture), text) != NULL;
}

static void
add_hparams (SondeTestRun *run, const char *rate, const char *optimiser)
{
  SondeHparam items[] = { { (char *) "learning rate", (char *) rate, SONDE_HPARAM_NUMBER },
                          { (char *) "optimiser", (char *) optimiser, SONDE_HPARAM_TEXT },
                          { (char *) "model", (char *) "lenet", SONDE_HPARAM_TEXT } };
  SondeRecord record = { .kind = SONDE_RECORD_HPARAMS,
                         .session = 1,
                         .tag = g_intern_static_string ("hparams"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS,
                         .u.hparams = { .items = items, .n = G_N_ELEMENTS (items), .time = NAN } };

  sonde_test_run_record (run, &record);
}

/* Losses from 1 (2 for b) down; the last but one is the least. */
static void
add_losses (SondeTestRun *run, double scale)
{
  for (int i = 0; i < 20; i++)
    sonde_test_run_scalars (run, i, "test/loss", scale / (i == 19 ? 10 : i + 1), NULL);
}

static void
make_runs (WindowFixture *fixture)
{
  g_autofree char *a = NULL, *b = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-lineage-XXXXXX", NULL);
  a = g_build_filename (fixture->folder, "runs", "a", NULL);
  b = g_build_filename (fixture->folder, "runs", "b", NULL);
  fixture->run_a = sonde_test_run_new (a);
  fixture->run_b = sonde_test_run_new (b);
  add_hparams (fixture->run_a, "0.30000000000000004", "sgd");
  add_hparams (fixture->run_b, "0.001", "adam");
  add_losses (fixture->run_a, 1);
  add_losses (fixture->run_b, 2);
  sonde_test_run_flush (fixture->run_a);
  sonde_test_run_flush (fixture->run_b);
}

static const char *
row_name (SondeTrialTable *table, guint i)
{
  g_autoptr (SondeTrial) trial = g_list_model_get_item (sonde_trial_table_get_rows (table), i);

  return trial != NULL ? sonde_run_get_name (sonde_trial_get_run (trial)) : NULL;
}

static void
test_table (void)
{
  WindowFixture fixture = { 0 };
  SondeTrialTable *table;
  SondeTrialColumn model = { .rank = SONDE_TRIAL_SAME, .name = (char *) "model" };

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  table = table_of (&fixture);
  g_assert_cmpuint (sonde_trial_table_get_n_trials (table), ==, 2);
  g_assert_cmpuint (sonde_trial_table_get_n_parameters (table), ==, 3);
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "adam"));
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "0.3"));
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "0.1"));
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "test/loss"));
  g_assert_null (window_fixture_find_label (GTK_WIDGET (table), "lenet"));
  g_assert_false (sonde_trial_table_is_shown (table, &model));
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "Columns (3 of 4)"));
  sonde_trial_table_set_shown (table, "model", TRUE);
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "lenet"));
  g_assert_cmpstr (sonde_page_get_status (SONDE_PAGE (page_of (&fixture))), ==,
                   "2 runs, 3 hyper-parameters and properties");
  window_fixture_clear (&fixture);
}

static void
test_statistics (void)
{
  WindowFixture fixture = { 0 };
  SondeTrialTable *table;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  table = table_of (&fixture);
  sonde_trial_table_set_statistic (table, SONDE_TRIAL_BEST, 1);
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "test/loss (best, least)"));
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "0.05263")); /* 1 / 19 */
  sonde_trial_table_set_statistic (table, SONDE_TRIAL_MEAN, 2);
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (GTK_WIDGET (table), "0.07632")); /* and 1 / 10 */
  window_fixture_clear (&fixture);
}

/* A row that is chosen is the run of all pages, and the other way round. */
static void
test_selection (void)
{
  WindowFixture fixture = { 0 };
  GtkSingleSelection *rows;
  SondeRun *run;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  rows = GTK_SINGLE_SELECTION (sonde_trial_table_get_rows (table_of (&fixture)));
  run = sonde_workspace_get_run (fixture.workspace);
  g_assert_cmpstr (sonde_run_get_name (run), ==, "a");
  g_assert_cmpuint (gtk_single_selection_get_selected (rows), ==, 0);
  gtk_single_selection_set_selected (rows, 1);
  g_assert_cmpstr (sonde_run_get_name (sonde_workspace_get_run (fixture.workspace)), ==, "b");
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "0.001"));
  sonde_workspace_set_run (fixture.workspace, run);
  window_fixture_settle (&fixture);
  g_assert_cmpuint (gtk_single_selection_get_selected (rows), ==, 0);
  window_fixture_clear (&fixture);
}

static void
test_sort (void)
{
  WindowFixture fixture = { 0 };
  SondeTrialTable *table;
  GtkColumnView *view;
  g_autoptr (GtkColumnViewColumn) rate = NULL;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  table = table_of (&fixture);
  view = GTK_COLUMN_VIEW (window_fixture_find (GTK_WIDGET (table), GTK_TYPE_COLUMN_VIEW));
  g_assert_false (sonde_trial_table_is_sorted (table));
  rate = g_list_model_get_item (gtk_column_view_get_columns (view), 1);
  gtk_column_view_sort_by_column (view, rate, GTK_SORT_ASCENDING);
  g_assert_true (sonde_trial_table_is_sorted (table));
  g_assert_cmpstr (row_name (table, 0), ==, "b");
  g_assert_true (says (&fixture, "Undo Sort"));
  /* Other columns come and go: the order stays. */
  sonde_trial_table_set_shown (table, "model", TRUE);
  sonde_trial_table_set_shown (table, "optimiser", FALSE);
  window_fixture_settle (&fixture);
  g_assert_true (says (&fixture, "lenet"));
  g_assert_null (window_fixture_find_label (GTK_WIDGET (view), "optimiser"));
  g_assert_true (sonde_trial_table_is_sorted (table));
  g_assert_cmpstr (row_name (table, 0), ==, "b");
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_z, GDK_CONTROL_MASK));
  g_assert_false (sonde_trial_table_is_sorted (table));
  g_assert_cmpstr (row_name (table, 0), ==, "a");
  window_fixture_clear (&fixture);
}

static void
test_filter (void)
{
  WindowFixture fixture = { 0 };
  SondeTrialTable *table;
  g_autoptr (GError) error = NULL;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  table = table_of (&fixture);
  g_assert_true (sonde_trial_table_set_filter (table, "optimiser=AD", &error));
  g_assert_cmpuint (g_list_model_get_n_items (sonde_trial_table_get_rows (table)), ==, 1);
  g_assert_cmpstr (row_name (table, 0), ==, "b");
  g_assert_false (sonde_trial_table_set_filter (table, "(", &error));
  g_assert_nonnull (error);
  g_assert_cmpuint (g_list_model_get_n_items (sonde_trial_table_get_rows (table)), ==, 1);
  g_assert_true (sonde_trial_table_set_filter (table, "", NULL));
  g_assert_cmpuint (g_list_model_get_n_items (sonde_trial_table_get_rows (table)), ==, 2);
  window_fixture_clear (&fixture);
}

static void
test_query (void)
{
  static const struct
  {
    const char *text;
    guint n; /* rows; G_MAXUINT: an error */
  } cases[] = {
    { "learning_rate < 0.01", 1 },
    { "loss < 0.15 and learning_rate > 0.01", 1 },
    { "loss.best < 0.06", 1 },
    { "test/loss.max >= 1", 2 },
    { "optimiser == \"adam\"", 1 },
    { "optimiser != \"adam\" or loss > 1", 1 },
    { "\"learning rate\" > 0", 2 },
    { "learning_rat < 0.01", G_MAXUINT },
    { "loss <", G_MAXUINT },
    { "loss*", G_MAXUINT },
    { "", 2 },
  };
  WindowFixture fixture = { 0 };
  SondeTrialTable *table;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  table = table_of (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;
      gboolean taken = sonde_trial_table_set_query (table, cases[i].text, &error);

      g_test_message ("%s", cases[i].text);
      g_assert_true (taken == (cases[i].n != G_MAXUINT));
      g_assert_true (taken == (error == NULL));
      g_assert_null (sonde_trial_table_get_problem (table));
      if (taken)
        g_assert_cmpuint (g_list_model_get_n_items (sonde_trial_table_get_rows (table)), ==,
                          cases[i].n);
    }
  g_assert_true (sonde_trial_table_set_query (table, "optimiser + 1 > 0", NULL));
  g_assert_nonnull (sonde_trial_table_get_problem (table));
  window_fixture_clear (&fixture);
}

static guint
count_shown (WindowFixture *fixture)
{
  g_autoptr (GPtrArray) shown = sonde_trial_table_list_shown (table_of (fixture));

  return shown->len;
}

/* What a person chose is there in the next window, and gone when it is undone. */
static void
test_columns_remembered (void)
{
  WindowFixture fixture = { 0 };
  guint n;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  n = count_shown (&fixture);
  sonde_trial_table_set_shown (table_of (&fixture), "learning rate", FALSE);
  g_assert_cmpuint (count_shown (&fixture), ==, n - 1);
  window_fixture_close (&fixture);
  window_fixture_open (&fixture, "lineage");
  g_assert_cmpuint (count_shown (&fixture), ==, n - 1);
  sonde_column_choices_reset (sonde_trial_table_get_choices (table_of (&fixture)));
  window_fixture_close (&fixture);
  window_fixture_open (&fixture, "lineage");
  g_assert_cmpuint (count_shown (&fixture), ==, n);
  window_fixture_clear (&fixture);
}

/* What is brushed stays in the table; by keys, and by the filter before it. */
static void
test_parallel (void)
{
  WindowFixture fixture = { 0 };
  SondePageRequest request = { .view = "parallel" };
  g_autofree char *runs = NULL, *text = NULL;
  SondeTrialView *view;
  GListModel *rows;
  double from, to;

  make_runs (&fixture);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_open_paths (&fixture, (const char *const[]){ runs, NULL }, "lineage", &request);
  view = SONDE_TRIAL_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_PARALLEL_VIEW));
  rows = sonde_trial_table_get_rows (table_of (&fixture));
  g_assert_cmpuint (sonde_trial_view_get_n_axes (view), ==, 3);
  sonde_trial_view_set_brush (view, 0, 0, 0.1);
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 1);
  g_assert_cmpstr (row_name (table_of (&fixture), 0), ==, "b");
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "1 of 2 runs over 3 axes"));
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Delete, 0));
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 2);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, 0));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Up, 0));
  g_assert_false (sonde_trial_view_get_brush (view, 0, &from, &to));
  g_assert_true (sonde_trial_view_get_brush (view, 1, &from, &to));
  g_assert_cmpstr (row_name (table_of (&fixture), 0), ==, "a"); /* sgd is above adam */
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 1);
  g_signal_emit_by_name (view, "picked", (gint64) 1, 1, 0.0, 0.0);
  g_assert_cmpstr (sonde_run_get_name (sonde_workspace_get_run (fixture.workspace)), ==, "b");
  window_fixture_clear (&fixture);
}

/* A box in a cell brushes both of its columns; a click beside the points lets go; keys choose the cell. */
static void
test_scatter_matrix (void)
{
  WindowFixture fixture = { 0 };
  SondePageRequest request = { .view = "scatter" };
  g_autofree char *runs = NULL, *text = NULL;
  SondeTrialView *view;
  GListModel *rows;
  double from, to;

  make_runs (&fixture);
  runs = g_build_filename (fixture.folder, "runs", NULL);
  window_fixture_open_paths (&fixture, (const char *const[]){ runs, NULL }, "lineage", &request);
  view
      = SONDE_TRIAL_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_SCATTER_MATRIX_VIEW));
  g_assert_true (gtk_widget_get_mapped (GTK_WIDGET (view)));
  g_assert_cmpuint (sonde_trial_view_get_n_axes (view), ==, 3);
  rows = sonde_trial_table_get_rows (table_of (&fixture));
  sonde_trial_view_set_brush (view, 0, 0, 0.1);
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 1);
  gtk_widget_grab_focus (GTK_WIDGET (view));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Down, 0));
  text = sonde_view_describe (SONDE_VIEW (view));
  g_assert_nonnull (strstr (text, "1 of 2 runs over 3 columns"));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Delete, 0));
  g_assert_false (sonde_trial_view_get_brush (view, 0, &from, &to));
  g_assert_cmpuint (g_list_model_get_n_items (rows), ==, 2);
  window_fixture_clear (&fixture);
}

static gboolean
is_computed (WindowFixture *fixture, const void *influence)
{
  return window_fixture_find_label (GTK_WIDGET ((gpointer) influence), "Only 2 runs") != NULL;
}

/* Two runs say nothing, and it is said. */
static void
test_importance (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *influence;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  influence = window_fixture_find (page_of (&fixture), SONDE_TYPE_TRIAL_INFLUENCE);
  sonde_trial_influence_open (SONDE_TRIAL_INFLUENCE (influence));
  window_fixture_wait (&fixture, is_computed, influence);
  g_assert_nonnull (window_fixture_find_label (influence, "optimiser"));
  g_assert_nonnull (window_fixture_find_label (influence, "learning rate"));
  g_assert_null (window_fixture_find_label (influence, "model"));
  window_fixture_clear (&fixture);
}

static gboolean
is_compared (WindowFixture *fixture, const void *difference)
{
  return window_fixture_find_label (GTK_WIDGET ((gpointer) difference), "3 columns differ") != NULL;
}

/* The chosen run a beside the only other one: what differs, and by how much. */
static void
test_difference (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *difference;

  make_runs (&fixture);
  window_fixture_open (&fixture, "lineage");
  difference = window_fixture_find (page_of (&fixture), SONDE_TYPE_TRIAL_DIFFERENCE);
  sonde_trial_difference_open (SONDE_TRIAL_DIFFERENCE (difference));
  window_fixture_wait (&fixture, is_compared, difference);
  g_assert_nonnull (window_fixture_find_label (difference, "-0.299")); /* 0.001 - 0.3 */
  g_assert_nonnull (window_fixture_find_label (difference, "sgd"));
  g_assert_nonnull (window_fixture_find_label (difference, "adam"));
  g_assert_null (window_fixture_find_label (difference, "lenet"));
  window_fixture_clear (&fixture);
}

/* The table is there as long as any shown run has something to say; a run that says nothing has one
 * sentence and nothing to choose. */
static void
test_quiet_run (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *quiet = NULL;
  g_autoptr (SondeTestRun) run = NULL;

  make_runs (&fixture);
  quiet = g_build_filename (fixture.folder, "runs", "0-quiet", NULL);
  run = sonde_test_run_new (quiet);
  sonde_test_run_scalars (run, 0, "test/loss", 1.0, NULL);
  sonde_test_run_flush (run);
  window_fixture_open (&fixture, "lineage");
  g_assert_cmpstr (sonde_run_get_name (sonde_workspace_get_run (fixture.workspace)), ==, "0-quiet");
  g_assert_true (says (&fixture, "No properties recorded in the selected run"));
  g_assert_true (says (&fixture, "adam"));
  g_assert_false (
      gtk_widget_get_visible (window_fixture_find (page_of (&fixture), SONDE_TYPE_RECORD_CHOOSER)));
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/lineage/table", test_table);
  g_test_add_func ("/lineage/statistics", test_statistics);
  g_test_add_func ("/lineage/selection", test_selection);
  g_test_add_func ("/lineage/sort", test_sort);
  g_test_add_func ("/lineage/filter", test_filter);
  g_test_add_func ("/lineage/query", test_query);
  g_test_add_func ("/lineage/columns-remembered", test_columns_remembered);
  g_test_add_func ("/lineage/parallel", test_parallel);
  g_test_add_func ("/lineage/scatter-matrix", test_scatter_matrix);
  g_test_add_func ("/lineage/importance", test_importance);
  g_test_add_func ("/lineage/difference", test_difference);
  g_test_add_func ("/lineage/quiet-run", test_quiet_run);
  return g_test_run ();
}
