/* SPDX-License-Identifier: Apache-2.0
 * Which runs and tags there are: trees, subsets, filters. */
#include <string.h>

#include "data/browsing/sonde-point-count.h"
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

/* After each message the same as all runs would say. */
static void
check_count (BrowsingFixture *fixture, SondePointCount *count, const char *filter, guint64 expected)
{
  browsing_fixture_settle (fixture);
  g_assert_cmpuint (sonde_point_count_get (count, G_LIST_MODEL (fixture->store),
                                           sonde_run_store_get_structure (fixture->store), filter),
                    ==, expected);
}

static void
test_point_count (void)
{
  BrowsingFixture fixture;
  g_autoptr (SondeTestRun) run = NULL;
  SondePointCount *count;

  browsing_fixture_init (&fixture);
  browsing_fixture_add_run (&fixture, "a");
  run = browsing_fixture_begin_run (&fixture, "b");
  sonde_test_run_scalars (run, 0, "loss", 1.0, "rate", 1.0, NULL);
  sonde_test_run_flush (run);
  browsing_fixture_settle (&fixture);
  count = sonde_point_count_new (fixture.store);
  check_count (&fixture, count, "", 3);
  for (int i = 1; i < 5; i++)
    {
      sonde_test_run_scalars (run, i, "loss", 1.0, "rate", 1.0, NULL);
      sonde_test_run_flush (run);
      check_count (&fixture, count, "", 3 + 2 * (guint64) i);
    }
  check_count (&fixture, count, "rate", 5);
  browsing_fixture_add_run (&fixture, "c");
  check_count (&fixture, count, "rate", 5);
  check_count (&fixture, count, "", 12);
  sonde_point_count_free (count);
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

/* All but those that end with "b". */
static gboolean
is_not_b (SondeRun *run, void *text)
{
  return !g_str_has_suffix (sonde_run_get_name (run), "b");
}

static gboolean
is_single (SondeRun *run, void *text)
{
  return g_str_equal (sonde_run_get_name (run), "single");
}

/* A person renamed one of them. */
static const char *
get_title (SondeRun *run, void *text)
{
  const char *name = sonde_run_get_name (run);

  return g_str_equal (name, "group/b") ? "the best" : name;
}

static void
update_tree (GListStore *roots, BrowsingFixture *fixture, const char *text, SondeRunFunc pinned)
{
  const SondeRunTreeLook look = { contains, is_not_b, pinned, get_title, (void *) text };

  browsing_fixture_settle (fixture);
  sonde_run_tree_update (roots, G_LIST_MODEL (fixture->store), &look);
}

/* "label(children)" of each node, "*" before one that is a run, "shown/runs" behind. */
static void
describe (GString *text, GListModel *level)
{
  for (guint i = 0; i < g_list_model_get_n_items (level); i++)
    {
      SondeRunNode *node = get_node (level, i);

      g_string_append_printf (text, "%s%s%s", i > 0 ? " " : "",
                              sonde_run_node_get_run (node) != NULL ? "*" : "",
                              sonde_run_node_get_label (node));
      if (g_list_model_get_n_items (sonde_run_node_get_children (node)) > 0)
        {
          g_string_append_printf (text, " %u/%u(", sonde_run_node_get_n_shown (node),
                                  sonde_run_node_get_n_runs (node));
          describe (text, sonde_run_node_get_children (node));
          g_string_append_c (text, ')');
        }
    }
}

static void
check_tree (GListStore *roots, const char *expected)
{
  g_autoptr (GString) text = g_string_new (NULL);

  describe (text, G_LIST_MODEL (roots));
  g_assert_cmpstr (text->str, ==, expected);
}

static void
on_node_changed (SondeRunNode *node, guint *n)
{
  ++*n;
}

/* Folders of names become nodes; what stays the same stays the same object. */
static void
test_run_tree (void)
{
  BrowsingFixture fixture;
  g_autoptr (GListStore) roots = g_list_store_new (SONDE_TYPE_RUN_NODE);
  SondeRunNode *group;
  guint n_changes = 0;

  browsing_fixture_init (&fixture);
  browsing_fixture_add_run (&fixture, "group/a");
  browsing_fixture_add_run (&fixture, "group/b");
  browsing_fixture_add_run (&fixture, "single");
  update_tree (roots, &fixture, "", NULL);
  check_tree (roots, "group 1/2(*a *the best) *single");
  group = get_node (G_LIST_MODEL (roots), 0);
  g_signal_connect (group, "changed", G_CALLBACK (on_node_changed), &n_changes);

  browsing_fixture_add_run (&fixture, "another");
  update_tree (roots, &fixture, "", NULL);
  check_tree (roots, "*another group 1/2(*a *the best) *single");
  g_assert_true (get_node (G_LIST_MODEL (roots), 1) == group);
  g_assert_cmpuint (n_changes, ==, 0);
  browsing_fixture_add_run (&fixture, "group/c");
  update_tree (roots, &fixture, "", NULL);
  check_tree (roots, "*another group 2/3(*a *the best *c) *single");
  g_assert_true (get_node (G_LIST_MODEL (roots), 1) == group);
  g_assert_cmpuint (n_changes, ==, 1);

  update_tree (roots, &fixture, "single", NULL);
  check_tree (roots, "*single");
  browsing_fixture_clear (&fixture);
}

/* A run that is also a folder stands once, numbers count as numbers, what is pinned stands first. */
static void
test_run_tree_order (void)
{
  BrowsingFixture fixture;
  g_autoptr (GListStore) roots = g_list_store_new (SONDE_TYPE_RUN_NODE);
  g_autoptr (GPtrArray) runs = g_ptr_array_new_with_free_func (g_object_unref);

  browsing_fixture_init (&fixture);
  browsing_fixture_add_run (&fixture, "lr-2");
  browsing_fixture_add_run (&fixture, "lr-10");
  browsing_fixture_add_run (&fixture, "dump");
  update_tree (roots, &fixture, "", NULL);
  check_tree (roots, "*dump *lr-2 *lr-10");
  browsing_fixture_add_run (&fixture, "dump/step-10");
  browsing_fixture_add_run (&fixture, "dump/step-9");
  browsing_fixture_add_run (&fixture, "single");
  update_tree (roots, &fixture, "", is_single);
  check_tree (roots, "*single *dump 3/3(*step-9 *step-10) *lr-2 *lr-10");

  sonde_run_node_collect (get_node (G_LIST_MODEL (roots), 1), runs);
  g_assert_cmpuint (runs->len, ==, 3);
  g_assert_cmpstr (sonde_run_get_name (runs->pdata[0]), ==, "dump");
  g_assert_cmpstr (sonde_run_get_name (runs->pdata[2]), ==, "dump/step-10");
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

static void
test_pairs (void)
{
  static const char *const names[]
      = { "gradients/a.bias", "gradients/b", "loss", "weights/a.bias", "weights/b", "weights/c" };
  static const char *const paired[]
      = { "gradients/a.bias", "weights/a.bias", "gradients/b", "weights/b", "weights/c", "loss" };
  g_autoptr (GPtrArray) tags = g_ptr_array_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (names); i++)
    g_ptr_array_add (tags, (gpointer) names[i]);
  sonde_tag_names_pair (tags);
  for (gsize i = 0; i < G_N_ELEMENTS (paired); i++)
    g_assert_cmpstr (tags->pdata[i], ==, paired[i]);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/browsing/tag-filter", test_tag_filter);
  g_test_add_func ("/data/browsing/tag-names", test_tag_names);
  g_test_add_func ("/data/browsing/tag-pairs", test_pairs);
  g_test_add_func ("/data/browsing/point-count", test_point_count);
  g_test_add_func ("/data/browsing/run-tree", test_run_tree);
  g_test_add_func ("/data/browsing/run-tree/order", test_run_tree_order);
  g_test_add_func ("/data/browsing/subset", test_subset);
  return g_test_run ();
}
