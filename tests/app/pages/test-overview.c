/* SPDX-License-Identifier: Apache-2.0
 * The Overview of runs that are live: how far, how fast and how long still, where they come from; each
 * number against what was recorded. The steps of the fixture's runs are 10 ms apart. */
#include "app/pages/cards/sonde-graph-card.h"
#include "app/pages/cards/sonde-scalar-card.h"
#include "app/pages/overview/sonde-environment-card.h"
#include "app/pages/overview/sonde-live-runs.h"
#include "app/pages/overview/sonde-run-bar.h"
#include "app/sonde-window.h"
#include "data/models/sonde-model-file.h"
#include "tests/app/pages/window-fixture.h"

#define ITEM(Key, Text)                                                                            \
  {                                                                                                \
    .key = (char *) (Key), .text = (char *) (Text)                                                 \
  }

static void
write_environment (SondeTestRun *run, SondeHparam *items, gsize n)
{
  SondeRecord record = { .kind = SONDE_RECORD_LINEAGE,
                         .session = 1,
                         .tag = g_intern_static_string ("lineage"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };

  record.u.lineage.part = (char *) "environment";
  record.u.lineage.items = items;
  record.u.lineage.n = n;
  sonde_test_run_record (run, &record);
  sonde_test_run_flush (run);
}

static GtkWidget *
find (WindowFixture *fixture, GType type)
{
  GtkWidget *widget
      = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture->window)), type);

  g_assert_nonnull (widget);
  return widget;
}

static void
select_run (WindowFixture *fixture, const char *name)
{
  SondeRun *run = sonde_run_store_find (sonde_workspace_get_store (fixture->workspace), name);

  g_assert_nonnull (run);
  sonde_workspace_set_run (fixture->workspace, run);
  window_fixture_settle (fixture);
}

static void
count_cards (GtkWidget *widget, guint *n)
{
  *n += SONDE_IS_SCALAR_CARD (widget) && gtk_widget_get_mapped (widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    count_cards (child, n);
}

static gboolean
reads (GtkWidget *widget, const char *text)
{
  GtkWidget *label = window_fixture_find_label (widget, text);

  return label != NULL && gtk_widget_get_mapped (label);
}

/* 200 of 400 steps, 100 a second: two seconds are left. */
static void
test_progress (void)
{
  SondeHparam items[]
      = { ITEM ("total_steps", "400"), ITEM ("steps_per_epoch", "80"), ITEM ("epochs", "5") };
  WindowFixture fixture = { 0 };
  GtkWidget *bar, *progress;

  window_fixture_init (&fixture);
  write_environment (fixture.run_a, items, G_N_ELEMENTS (items));
  window_fixture_open (&fixture, "overview");
  select_run (&fixture, "group/a");
  bar = find (&fixture, SONDE_TYPE_RUN_BAR);
  g_assert_true (reads (bar, "live"));
  g_assert_true (reads (bar, "200 of 400"));
  g_assert_true (reads (bar, "100 steps/s"));
  g_assert_true (reads (bar, "2 s"));
  g_assert_true (reads (bar, "3 of 5"));
  g_assert_true (reads (bar, "400"));
  progress = window_fixture_find (bar, GTK_TYPE_PROGRESS_BAR);
  g_assert_true (gtk_widget_get_mapped (progress));
  g_assert_cmpfloat (gtk_progress_bar_get_fraction (GTK_PROGRESS_BAR (progress)), ==, 0.5);

  /* The other says nothing of its end: nothing is made up. */
  select_run (&fixture, "group/b");
  g_assert_true (reads (bar, "199"));
  g_assert_false (reads (bar, "200 of"));
  g_assert_false (reads (bar, "Remaining"));
  g_assert_false (reads (bar, "Epoch"));
  g_assert_false (gtk_widget_get_mapped (progress));
  window_fixture_clear (&fixture);
}

static gboolean
has_more_steps (WindowFixture *fixture, const void *data)
{
  return reads (find (fixture, SONDE_TYPE_RUN_BAR), "300 of 400");
}

/* Progress follows what arrives. */
static void
test_arrival (void)
{
  SondeHparam items[] = { ITEM ("total_steps", "400") };
  WindowFixture fixture = { 0 };

  window_fixture_init (&fixture);
  write_environment (fixture.run_a, items, G_N_ELEMENTS (items));
  window_fixture_open (&fixture, "overview");
  select_run (&fixture, "group/a");
  for (int step = 200; step < 300; step++)
    sonde_test_run_scalars (fixture.run_a, step, "loss", 0.5, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_wait (&fixture, has_more_steps, NULL);
  g_assert_true (reads (find (&fixture, SONDE_TYPE_RUN_BAR), "1 s"));
  window_fixture_clear (&fixture);
}

/* What a run says of where it comes from, and no line for what it does not. */
static void
test_environment (void)
{
  SondeHparam items[] = { ITEM ("device", "cpu"), ITEM ("host", "walnut"),
                          ITEM ("command", "python train.py --lr 0.1") };
  WindowFixture fixture = { 0 };
  GtkWidget *card;

  window_fixture_init (&fixture);
  write_environment (fixture.run_a, items, G_N_ELEMENTS (items));
  window_fixture_open (&fixture, "overview");
  select_run (&fixture, "group/a");
  card = find (&fixture, SONDE_TYPE_ENVIRONMENT_CARD);
  g_assert_true (gtk_widget_get_mapped (card));
  g_assert_true (reads (card, "walnut"));
  g_assert_true (reads (card, "python train.py --lr 0.1"));
  g_assert_false (reads (card, "Git Commit"));
  g_assert_false (reads (card, "Seed"));
  select_run (&fixture, "group/b");
  g_assert_false (gtk_widget_get_mapped (card));
  window_fixture_clear (&fixture);
}

/* The live ones side by side; a press on one selects it. */
static void
test_live_runs (void)
{
  SondeHparam items[] = { ITEM ("total_steps", "800") };
  WindowFixture fixture = { 0 };
  GtkWidget *list, *row;

  window_fixture_init (&fixture);
  write_environment (fixture.run_b, items, G_N_ELEMENTS (items));
  window_fixture_open (&fixture, "overview");
  select_run (&fixture, "group/a");
  list = find (&fixture, SONDE_TYPE_LIVE_RUNS);
  g_assert_true (gtk_widget_get_mapped (list));
  g_assert_true (reads (list, "199"));
  g_assert_true (reads (list, "200 of 800"));
  g_assert_true (reads (list, "6 s left"));
  row = gtk_widget_get_ancestor (window_fixture_find_label (list, "200 of 800"),
                                 GTK_TYPE_LIST_BOX_ROW);
  gtk_widget_activate (row);
  window_fixture_settle (&fixture);
  g_assert_cmpstr (sonde_run_get_name (sonde_workspace_get_run (fixture.workspace)), ==, "group/b");
  /* Of one that is hidden nothing is said, and one alone is no list. */
  sonde_workspace_show_only (fixture.workspace, sonde_workspace_get_run (fixture.workspace));
  window_fixture_settle (&fixture);
  g_assert_false (gtk_widget_get_mapped (list));
  window_fixture_clear (&fixture);
}

/* Its title is a word for people, not the tag of the record. */
static void
test_graph (void)
{
  WindowFixture fixture = { 0 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  SondeShape shape = sonde_shape_make (2, 2, 3);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *value = sonde_graph_add_input (graph, "x", &type);
  g_autoptr (GBytes) model = NULL;
  g_autofree char *path = NULL;
  SondeRecord record = { .kind = SONDE_RECORD_GRAPH,
                         .session = 1,
                         .tag = g_intern_static_string ("graph"),
                         .wall_time_ns = SONDE_TEST_RUN_START_NS };
  GtkWidget *card;

  sonde_graph_set_opset (graph, "", 17);
  sonde_graph_add_output (
      graph,
      sonde_node_get_output (sonde_graph_add_node (graph, "relu", "", "Relu", &value, 1, 1), 0));
  record.u.graph.model = model = sonde_model_serialise (graph, NULL);
  fixture.folder = g_dir_make_tmp ("sonde-overview-XXXXXX", NULL);
  path = g_build_filename (fixture.folder, "runs", NULL);
  fixture.run_a = sonde_test_run_new (path);
  sonde_test_run_record (fixture.run_a, &record);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "overview");
  card = window_fixture_find (GTK_WIDGET (sonde_window_get_page (fixture.window)),
                              SONDE_TYPE_GRAPH_CARD);
  g_assert_cmpstr (sonde_tag_card_get_tag (SONDE_TAG_CARD (card)), ==, "graph");
  g_assert_true (reads (card, "Graph"));
  g_assert_false (reads (card, "graph"));
  window_fixture_clear (&fixture);
}

/* A tag that two cards would take is shown once. */
static void
test_no_tag_twice (void)
{
  WindowFixture fixture = { 0 };
  GtkWidget *page;
  guint n = 0;

  fixture.folder = g_dir_make_tmp ("sonde-overview-XXXXXX", NULL);
  {
    g_autofree char *path = g_build_filename (fixture.folder, "runs", NULL);

    fixture.run_a = sonde_test_run_new (path);
  }
  for (int i = 0; i < 20; i++)
    sonde_test_run_scalars (fixture.run_a, i, "accuracy", i / 20.0, NULL);
  sonde_test_run_flush (fixture.run_a);
  window_fixture_open (&fixture, "overview");
  page = GTK_WIDGET (sonde_window_get_page (fixture.window));
  count_cards (page, &n);
  g_assert_cmpuint (n, ==, 1);
  window_fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!window_fixture_prepare ())
    return 0;
  g_test_add_func ("/app/pages/overview/progress", test_progress);
  g_test_add_func ("/app/pages/overview/arrival", test_arrival);
  g_test_add_func ("/app/pages/overview/environment", test_environment);
  g_test_add_func ("/app/pages/overview/live-runs", test_live_runs);
  g_test_add_func ("/app/pages/overview/graph", test_graph);
  g_test_add_func ("/app/pages/overview/no-tag-twice", test_no_tag_twice);
  return g_test_run ();
}
