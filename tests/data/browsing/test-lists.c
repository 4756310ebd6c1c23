/* SPDX-License-Identifier: Apache-2.0
 * Which runs and tags there are: trees, subsets, filters. */
#include <string.h>

#include "data/browsing/sonde-run-tree.h"
#include "data/browsing/sonde-tag-names.h"
#include "tests/data/browsing/browsing-fixture.h"

static void
test_tag_filter (void)
{
  static const struct
  {
    const char *tag, *filter;
    gboolean matches;
  } cases[] = {
    { "test/loss", "LOSS", TRUE },  { "test/loss", "loss*", FALSE },
    { "test/loss", "*loss", TRUE }, { "loss", "l?ss", TRUE },
    { "loss", "", TRUE },           { "loss", NULL, TRUE },
    { "accuracy", "loss", FALSE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    g_assert_true (sonde_tag_matches (cases[i].tag, cases[i].filter) == cases[i].matches);
}

/* Of one kind, over all runs, each once. */
static void
test_tag_names (void)
{
  BrowsingFixture fixture;
  g_autoptr (GPtrArray) tags = NULL;

  browsing_fixture_init (&fixture);
  for (int i = 0; i < 2; i++)
    {
      g_autoptr (SondeTestRun) run = browsing_fixture_begin_run (&fixture, i == 0 ? "a" : "b");

      sonde_test_run_scalars (run, 0, i == 0 ? "zeta" : "alpha", 1.0, "loss", 1.0, NULL);
      sonde_test_run_histogram (run, 0, "weights", 0, 1, 10);
      sonde_test_run_flush (run);
    }
  browsing_fixture_settle (&fixture);
  tags = sonde_tag_names_collect (G_LIST_MODEL (fixture.store), SONDE_RECORD_SCALARS);
  g_assert_cmpuint (tags->len, ==, 3);
  g_assert_cmpstr (tags->pdata[0], ==, "alpha");
  g_assert_cmpstr (tags->pdata[1], ==, "loss");
  g_assert_cmpstr (tags->pdata[2], ==, "zeta");
  browsing_fixture_clear (&fixture);
}

/* ---- the tree ------------------------------------------------------------- */

static SondeRunNode *
get_node (GListModel *level, guint i)
{
  SondeRunNode *node = g_list_model_get_item (level, i);

  g_assert_nonnull (node);
  g_object_unref (node);
  return node;
}

static gboolean
contains (SondeRun *run, void *text)
{
  return strstr (sonde_run_get_name (run), text) != NULL;
}

/* A person renamed one of them. */
static const char *
get_title (SondeRun *run, void *text)
{
  const char *name = sonde_run_get_name (run);

  return g_str_equal (name, "group/b") ? "the best" : name;
}

/* Folders of names become nodes; what stays the same stays the same object. */
static void
test_run_tree (void)
{
  BrowsingFixture fixture;
  g_autoptr (GListStore) roots = g_list_store_new (SONDE_TYPE_RUN_NODE);
  GListModel *level = G_LIST_MODEL (roots), *children, *runs;
  SondeRunNode *group;

  browsing_fixture_init (&fixture);
  browsing_fixture_add_run (&fixture, "group/a");
  browsing_fixture_add_run (&fixture, "group/b");
  browsing_fixture_add_run (&fixture, "single");
  browsing_fixture_settle (&fixture);
  runs = G_LIST_MODEL (fixture.store);
  sonde_run_tree_update (roots, runs, contains, get_title, (void *) "");
  g_assert_cmpuint (g_list_model_get_n_items (level), ==, 2);
  group = get_node (level, 0);
  g_assert_cmpstr (sonde_run_node_get_label (group), ==, "group");
  g_assert_null (sonde_run_node_get_run (group));
  children = sonde_run_node_get_children (group);
  g_assert_cmpuint (g_list_model_get_n_items (children), ==, 2);
  g_assert_cmpstr (sonde_run_node_get_label (get_node (children, 0)), ==, "a");
  g_assert_cmpstr (sonde_run_node_get_label (get_node (children, 1)), ==, "the best");
  g_assert_cmpstr (sonde_run_node_get_label (get_node (level, 1)), ==, "single");

  browsing_fixture_add_run (&fixture, "another");
  browsing_fixture_settle (&fixture);
  sonde_run_tree_update (roots, runs, contains, get_title, (void *) "");
  g_assert_cmpuint (g_list_model_get_n_items (level), ==, 3);
  g_assert_true (get_node (level, 1) == group);

  sonde_run_tree_update (roots, runs, contains, get_title, (void *) "single");
  g_assert_cmpuint (g_list_model_get_n_items (level), ==, 1);
  browsing_fixture_clear (&fixture);
}

/* ---- subsets -------------------------------------------------------------- */

typedef struct
{
  guint n_changes;
} Changes;

static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, Changes *changes)
{
  changes->n_changes++;
}

static gboolean
is_wanted (SondeRun *run, void *wanted)
{
  return strstr (sonde_run_get_name (run), *(const char **) wanted) != NULL;
}

/* New runs are looked at, and nothing is said when nothing changes. */
static void
test_subset (void)
{
  BrowsingFixture fixture;
  const char *wanted = "o";
  Changes changes = { 0 };
  SondeRunSubset *subset;
  GListModel *model;

  browsing_fixture_init (&fixture);
  browsing_fixture_add_run (&fixture, "one");
  browsing_fixture_add_run (&fixture, "three");
  browsing_fixture_add_run (&fixture, "two");
  browsing_fixture_settle (&fixture);
  subset = sonde_run_subset_new (G_LIST_MODEL (fixture.store), is_wanted, &wanted);
  model = sonde_run_subset_get_model (subset);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 2);
  g_signal_connect (model, "items-changed", G_CALLBACK (on_items_changed), &changes);
  sonde_run_subset_update (subset);
  g_assert_cmpuint (changes.n_changes, ==, 0);
  wanted = "t";
  sonde_run_subset_update (subset);
  g_assert_cmpuint (changes.n_changes, ==, 1);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 2);
  browsing_fixture_add_run (&fixture, "four");
  browsing_fixture_settle (&fixture);
  g_assert_cmpuint (changes.n_changes, ==, 1);
  browsing_fixture_add_run (&fixture, "eight");
  browsing_fixture_settle (&fixture);
  g_assert_cmpuint (g_list_model_get_n_items (model), ==, 3);
  sonde_run_subset_free (subset);
  browsing_fixture_clear (&fixture);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/tag-filter", test_tag_filter);
  g_test_add_func ("/data/browsing/tag-names", test_tag_names);
  g_test_add_func ("/data/browsing/run-tree", test_run_tree);
  g_test_add_func ("/data/browsing/subset", test_subset);
  return g_test_run ();
}
