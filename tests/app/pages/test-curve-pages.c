/* SPDX-License-Identifier: Apache-2.0
 * PR Curves and Projector on records written by the test. */
#include <math.h>
#include <string.h>

#include "app/pages/cards/sonde-contents-card.h"
#include "app/pages/runs/sonde-contents-table.h"
#include "app/pages/cards/sonde-pr-card.h"
#include "tests/app/pages/window-fixture.h"
#include "viewers/sonde-scalar-view.h"
#include "viewers/scatter/sonde-scatter-view.h"

static GtkWidget *
page_of (WindowFixture *fixture)
{
  return GTK_WIDGET (sonde_window_get_page (fixture->window));
}

static const char *
status_of (WindowFixture *fixture)
{
  return sonde_page_get_status (SONDE_PAGE (page_of (fixture)));
}

/* Three thresholds: 4 positives, 4 negatives; @hits of the positives are above the middle one. */
static void
add_pr (SondeTestRun *run, gint64 step, double hits)
{
  const double rows[6][3] = {
    { 4, hits, 0 },    { 4, 1, 0 }, { 0, 3, 4 }, { 0, 4 - hits, 4 }, { 0.5, hits / (hits + 1), 0 },
    { 1, hits / 4, 0 }
  };
  SondeShape shape = sonde_shape_make (2, 6, 3);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &shape, rows);
  SondeRecord record = { .kind = SONDE_RECORD_PR_CURVE,
                         .session = 1,
                         .step = step,
                         .tag = g_intern_static_string ("digit 7"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS + step,
                         .u.pr_curve.rows = tensor };

  sonde_test_run_record (run, &record);
}

/* Six points on a line through five dimensions, two kinds. */
static void
add_embedding (SondeTestRun *run)
{
  SondeShape shape = sonde_shape_make (2, 6, 5), label_shape = sonde_shape_make (2, 6, 2);
  g_autoptr (SondeTensor) points = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  char *texts[] = { (char *) "cat", (char *) "1", (char *) "dog", (char *) "2",
                    (char *) "cat", (char *) "3", (char *) "dog", (char *) "4",
                    (char *) "cat", (char *) "5", (char *) "dog", (char *) "6" };
  g_autoptr (SondeTensor) labels
      = sonde_tensor_new_from_data (SONDE_DTYPE_STRING, &label_shape, texts);
  char *columns[] = { (char *) "animal", (char *) "number", NULL };
  SondeRecord record = { .kind = SONDE_RECORD_EMBEDDING,
                         .session = 1,
                         .tag = g_intern_static_string ("features"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  for (int i = 0; i < 30; i++)
    sonde_tensor_set_double (points, i, (i / 5) * (i % 5 + 1));
  record.u.embedding.points = points;
  record.u.embedding.labels = labels;
  record.u.embedding.columns = columns;
  sonde_test_run_record (run, &record);
}

static void
make_runs (WindowFixture *fixture)
{
  g_autofree char *a = NULL, *b = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-curves-XXXXXX", NULL);
  a = g_build_filename (fixture->folder, "runs", "a", NULL);
  b = g_build_filename (fixture->folder, "runs", "b", NULL);
  fixture->run_a = sonde_test_run_new (a);
  fixture->run_b = sonde_test_run_new (b);
  add_pr (fixture->run_a, 0, 2);
  add_pr (fixture->run_a, 10, 3);
  add_pr (fixture->run_b, 5, 4);
  add_embedding (fixture->run_a);
  sonde_test_run_flush (fixture->run_a);
  sonde_test_run_flush (fixture->run_b);
}

static char *
describe (WindowFixture *fixture, GType type)
{
  return sonde_view_describe (SONDE_VIEW (window_fixture_find (page_of (fixture), type)));
}

static GtkWidget *
find_toggle (GtkWidget *widget, const char *label)
{
  if (GTK_IS_TOGGLE_BUTTON (widget)
      && g_strcmp0 (gtk_button_get_label (GTK_BUTTON (widget)), label) == 0)
    return widget;
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = find_toggle (child, label);

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The point that the keys are at. */
static void
assert_reads (GtkWidget *view, const char *words)
{
  g_autofree char *text = sonde_view_describe (SONDE_VIEW (view));

  if (strstr (text, words) == NULL)
    g_error ("“%s” is not in “%s”", words, text);
}

static void
test_pr_curves (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *last = NULL, *early = NULL, *roc = NULL, *table = NULL;
  GtkWidget *view;

  make_runs (&fixture);
  window_fixture_open (&fixture, "pr-curves");
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 10);
  window_fixture_settle (&fixture);
  /* The threshold that nothing reaches is left out; 0.25 × 0.5 + 0.75 × 0.75. */
  last = describe (&fixture, SONDE_TYPE_PR_VIEW);
  g_assert_cmpstr (
      last, ==,
      "digit 7: precision over recall. a at step 10: 2 thresholds, average precision 0.6875, "
      "greatest F1 0.75 at threshold 0.5. b at step 5: 2 thresholds, average precision 0.8, "
      "greatest F1 0.8889 at threshold 0.5.");
  sonde_step_cursor_set_step (sonde_workspace_get_cursor (fixture.workspace), 7);
  window_fixture_settle (&fixture);
  early = describe (&fixture, SONDE_TYPE_PR_VIEW);
  g_assert_nonnull (strstr (early, "a at step 0: 2 thresholds"));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (find_toggle (page_of (&fixture), "ROC")), TRUE);
  window_fixture_settle (&fixture);
  roc = describe (&fixture, SONDE_TYPE_PR_VIEW);
  g_assert_nonnull (strstr (roc, "b at step 5: 2 thresholds, area 0.875, greatest F1 0.8889"));
  view = window_fixture_find (page_of (&fixture), SONDE_TYPE_PR_VIEW);
  table = sonde_view_dup_table (SONDE_VIEW (view), '\t');
  g_assert_nonnull (strstr (
      table, "\nb\t5\t0.5\t4\t1\t3\t0\t0.80000000000000004\t1\t0.25\t0.88888888888888895\n"));
  g_assert_nonnull (strstr (status_of (&fixture), "tags: 1 · steps: 3"));
  /* Keys: the threshold of the best F1, the next one and back, the same of the next curve. */
  gtk_widget_grab_focus (view);
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, 0));
  assert_reads (view, "a, step 0\nthreshold 0\n");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Right, 0));
  assert_reads (view, "a, step 0\nthreshold 0.5\n");
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Left, 0));
  g_assert_true (window_fixture_press (&fixture, GDK_KEY_Down, 0));
  assert_reads (view, "b, step 5\nthreshold 0\n");
  window_fixture_clear (&fixture);
}

static void
test_projector (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *text = NULL, *table = NULL;

  make_runs (&fixture);
  window_fixture_open (&fixture, "projector");
  g_assert_cmpstr (status_of (&fixture), ==,
                   "6 points of 5 dimensions, 100.0 % of the variance in this plane");
  text = describe (&fixture, SONDE_TYPE_SCATTER_VIEW);
  g_assert_cmpstr (
      text, ==,
      "features: 6 points, component 1 (100.0 % of the variance) and component 2 (0.0 % of the "
      "variance), coloured by animal.");
  table = sonde_view_dup_table (
      SONDE_VIEW (window_fixture_find (page_of (&fixture), SONDE_TYPE_SCATTER_VIEW)), ',');
  g_assert_true (g_str_has_prefix (table, "point,x,y,animal,number\n0,-18.54"));
  window_fixture_clear (&fixture);
}

/* Two charts: all losses by an expression, a margin; and what is said about one of the tags. */
static void
add_layout (SondeTestRun *run)
{
  char *losses[] = { (char *) "loss/.*", NULL };
  char *margin[] = { (char *) "mean", (char *) "low", (char *) "high", NULL };
  SondeChartPlan plans[] = { { (char *) "Losses", (char *) "both", FALSE, losses },
                             { (char *) "Losses", (char *) "margin", TRUE, margin } };
  SondeRecord layout = { .kind = SONDE_RECORD_CUSTOM_SCALARS,
                         .session = 1,
                         .tag = g_intern_static_string ("layout"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS,
                         .u.custom_scalars = { plans, 2 } };
  SondeRecord note = { .kind = SONDE_RECORD_NOTE,
                       .session = 1,
                       .tag = g_intern_static_string ("mean"),
                       .wall_time_ns = SONDE_TEST_RUN_START_NS,
                       .u.tag_note = { .display_name = (char *) "Mean of all",
                                       .description = (char *) "over seeds" } };

  sonde_test_run_record (run, &layout);
  sonde_test_run_record (run, &note);
  for (int i = 0; i < 20; i++)
    sonde_test_run_scalars (run, i, "loss/a", 1.0 / (i + 1), "loss/b", 2.0 / (i + 1), "my/loss/c",
                            1.0, "mean", 1.0 * i, "low", i - 1.0, "high", i + 1.0, NULL);
}

static void
start_layout (WindowFixture *fixture)
{
  g_autofree char *a = NULL;

  fixture->folder = g_dir_make_tmp ("sonde-layout-XXXXXX", NULL);
  a = g_build_filename (fixture->folder, "runs", "a", NULL);
  fixture->run_a = sonde_test_run_new (a);
  add_layout (fixture->run_a);
  sonde_test_run_flush (fixture->run_a);
}

static SondeScalarView *
find_chart (GtkWidget *widget, const char *title)
{
  if (SONDE_IS_SCALAR_VIEW (widget)
      && g_strcmp0 (sonde_view_get_title (SONDE_VIEW (widget)), title) == 0)
    return SONDE_SCALAR_VIEW (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      SondeScalarView *found = find_chart (child, title);

      if (found != NULL)
        return found;
    }
  return NULL;
}

static void
test_layout (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *toggle;

  start_layout (&fixture);
  window_fixture_open (&fixture, "scalars");
  g_assert_cmpuint (
      sonde_scalar_view_get_n_series (find_chart (page_of (&fixture), "Losses: both")), ==, 2);
  g_assert_cmpuint (
      sonde_scalar_view_get_n_series (find_chart (page_of (&fixture), "Losses: margin")), ==, 3);
  /* What the layout leaves out is not lost. */
  g_assert_cmpuint (sonde_scalar_view_get_n_series (find_chart (page_of (&fixture), "my/loss/c")),
                    ==, 1);
  g_assert_null (find_chart (page_of (&fixture), "loss/a"));
  g_assert_cmpstr (status_of (&fixture), ==,
                   "120 of 120 points shown · tags: 6 · charts: 3, of the layout: 2");
  toggle = find_toggle (page_of (&fixture), "Layout");
  g_assert_true (gtk_widget_get_visible (toggle));
  gtk_toggle_button_set_active (GTK_TOGGLE_BUTTON (toggle), FALSE);
  window_fixture_settle (&fixture);
  g_assert_cmpstr (status_of (&fixture), ==, "120 of 120 points shown · tags: 6 of 6");
  g_assert_null (find_chart (page_of (&fixture), "Losses: both"));
  /* The display name is the title of its card. */
  g_assert_cmpuint (sonde_scalar_view_get_n_series (find_chart (page_of (&fixture), "Mean of all")),
                    ==, 1);
  window_fixture_clear (&fixture);
}

static void
test_holdings (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (GBytes) content = g_bytes_new_static ("0123456789", 10);
  SondeRecord other
      = { .kind = SONDE_RECORD_OTHER,
          .session = 1,
          .tag = g_intern_static_string ("secret"),
          .wall_time_ns = SONDE_TEST_RUN_START_NS,
          .u.other = { .plugin = (char *) "nobody's", .content = content, .bytes = 3000 } };
  GtkWidget *contents, *label;

  start_layout (&fixture);
  sonde_test_run_record (fixture.run_a, &other);
  sonde_test_run_record (fixture.run_a, &other);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "runs");
  gtk_window_set_default_size (GTK_WINDOW (fixture.window), 1000, 800); /* eight lines */
  window_fixture_settle (&fixture);
  contents = window_fixture_find (page_of (&fixture), SONDE_TYPE_CONTENTS_TABLE);
  g_assert_nonnull (window_fixture_find_label (contents, "Contents of a"));
  g_assert_cmpuint (sonde_contents_table_get_n_lines (SONDE_CONTENTS_TABLE (contents)), ==, 8);
  g_assert_nonnull (window_fixture_find_label (contents, "0 – 19"));
  g_assert_nonnull (window_fixture_find_label (contents, "chart layout"));
  g_assert_nonnull (window_fixture_find_label (contents, "5.859 KiB"));
  label = window_fixture_find_label (contents, "mean");
  g_assert_nonnull (strstr (gtk_widget_get_tooltip_text (label), "over seeds"));
  window_fixture_clear (&fixture);
}

/* Whatever a run holds is a door on the overview; what has no page of its own is a line. */
static void
test_contents (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (GBytes) content = g_bytes_new_static ("0123456789", 10);
  SondeRecord other
      = { .kind = SONDE_RECORD_OTHER,
          .session = 1,
          .tag = g_intern_static_string ("secret"),
          .wall_time_ns = SONDE_TEST_RUN_START_NS,
          .u.other = { .plugin = (char *) "nobody's", .content = content, .bytes = 3000 } };
  GtkWidget *card, *line;

  start_layout (&fixture);
  sonde_test_run_record (fixture.run_a, &other);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "overview");
  card = window_fixture_find (page_of (&fixture), SONDE_TYPE_CONTENTS_CARD);
  g_assert_nonnull (window_fixture_find_label (card, "120 in 6 tags"));
  g_assert_null (
      gtk_widget_get_ancestor (window_fixture_find_label (card, "other"), GTK_TYPE_BUTTON));
  line
      = gtk_widget_get_ancestor (window_fixture_find_label (card, "chart layout"), GTK_TYPE_BUTTON);
  g_assert_nonnull (line);
  g_signal_emit_by_name (line, "clicked");
  window_fixture_settle (&fixture);
  g_assert_nonnull (find_chart (page_of (&fixture), "Losses: both"));
  window_fixture_clear (&fixture);
}

static GtkWidget *
find_button (GtkWidget *widget, const char *label)
{
  GtkWidget *found = window_fixture_find_label (widget, label);

  return found != NULL ? gtk_widget_get_ancestor (found, GTK_TYPE_BUTTON) : NULL;
}

/* A page without anything in the run that nobody chose shows one that has something; a run that was
 * chosen stays, and the page offers the other. */
static void
test_elsewhere (void)
{
  WindowFixture fixture = { 0 };
  g_autofree char *b = NULL;
  SondeTestRun *run_b;
  SondeWorkspace *workspace;
  SondeRecord text = { .kind = SONDE_RECORD_TEXT,
                       .session = 1,
                       .tag = g_intern_static_string ("words"),
                       .wall_time_ns = SONDE_TEST_RUN_START_NS,
                       .u.text = (char *) "said by b" };
  SondeRun *first;

  start_layout (&fixture);
  b = g_build_filename (fixture.folder, "runs", "b", NULL);
  run_b = sonde_test_run_new (b);
  sonde_test_run_record (run_b, &text);
  sonde_test_run_flush (run_b);
  sonde_test_run_free (run_b);
  window_fixture_open (&fixture, "overview");
  workspace = sonde_window_get_workspace (fixture.window);
  first = sonde_workspace_get_run (workspace);
  sonde_window_show_page (fixture.window, "media", NULL);
  window_fixture_settle (&fixture);
  g_assert_cmpstr (sonde_run_get_name (sonde_workspace_get_run (workspace)), ==, "b");
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "said by b"));
  sonde_workspace_set_run (workspace, first);
  window_fixture_settle (&fixture);
  g_assert_true (sonde_workspace_get_run (workspace) == first);
  g_signal_emit_by_name (find_button (page_of (&fixture), "Show “b”"), "clicked");
  window_fixture_settle (&fixture);
  g_assert_nonnull (window_fixture_find_label (page_of (&fixture), "said by b"));
  window_fixture_clear (&fixture);
}

static void
test_nothing (void)
{
  static const char *const pages[] = { "pr-curves", "projector" };

  for (gsize i = 0; i < G_N_ELEMENTS (pages); i++)
    {
      WindowFixture fixture = { 0 };

      window_fixture_init (&fixture);
      window_fixture_open (&fixture, pages[i]);
      g_assert_nonnull (
          window_fixture_find_label (page_of (&fixture), i == 0 ? "No PR Curves" : "No Embedding"));
      window_fixture_clear (&fixture);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/pr-curves", test_pr_curves);
  g_test_add_func ("/app/pages/projector", test_projector);
  g_test_add_func ("/app/pages/scalars/layout", test_layout);
  g_test_add_func ("/app/pages/runs/contents", test_holdings);
  g_test_add_func ("/app/pages/overview/contents", test_contents);
  g_test_add_func ("/app/pages/elsewhere", test_elsewhere);
  g_test_add_func ("/app/pages/curves/nothing", test_nothing);
  return g_test_run ();
}
