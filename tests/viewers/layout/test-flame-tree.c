/* SPDX-License-Identifier: Apache-2.0
 * Flame trees of very many paths: each is there once, and what finds no room stays with what called it. Their shape
 * beside other sums of the timeline: test-timeline.c. */
#include "viewers/layout/trace/sonde-flame-difference.h"

#include "data/traces/sonde-trace-builder.h"

/* @n_inner calls of as many names in each of @n_outer, all of 1 ns, @n_rounds times. */
static SondeTrace *
make_trace (guint n_outer, guint n_inner, guint n_rounds)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  const guint n_names = MAX (n_outer, n_inner);
  g_autofree guint32 *labels = g_new (guint32, n_names);
  guint32 thread = sonde_trace_builder_add_thread (
      builder, 0, sonde_trace_builder_add_text (builder, "1", 1), 0);
  guint64 place = 0;
  gint64 at = 0;

  for (guint i = 0; i < n_names; i++)
    {
      char name[16];
      int length = g_snprintf (name, sizeof name, "op%u", i);

      labels[i] = sonde_trace_builder_add_label (
          builder, 0, sonde_trace_builder_add_text (builder, name, (gsize) length));
    }
  for (guint r = 0; r < n_rounds; r++)
    for (guint i = 0; i < n_outer; i++, at += n_inner)
      {
        sonde_trace_builder_add_span (builder, thread, labels[i], at, at + n_inner, place++);
        for (guint j = 0; j < n_inner; j++)
          sonde_trace_builder_add_span (builder, thread, labels[j], at + j, at + j + 1, place++);
      }
  return sonde_trace_builder_finish (builder);
}

static SondeFlameTree *
grow (const SondeTrace *trace)
{
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);

  return sonde_flame_tree_new (index, trace->start_ns, trace->end_ns + 1, FALSE, NULL);
}

/* Of the times that are in the tree no nanosecond is lost. */
static void
check_sums (const SondeFlameTree *tree, gint64 total, guint64 n_inner)
{
  gint64 self = sonde_flame_tree_get (tree, 0)->self; /* of calls without room */

  g_assert_cmpint (sonde_flame_tree_get (tree, 0)->total, ==, total);
  for (guint32 i = 1; i < tree->nodes->len; i++)
    {
      const SondeFlameNode *node = sonde_flame_tree_get (tree, i);

      g_assert_cmpuint (node->parent, <, i);
      g_assert_cmpuint (node->depth, ==, sonde_flame_tree_get (tree, node->parent)->depth + 1);
      if (node->depth == 1)
        g_assert_cmpint (node->total, ==, (gint64) (n_inner * node->n));
      self += node->self;
    }
  g_assert_cmpint (self, ==, total);
}

static void
test_many (void)
{
  g_autoptr (SondeTrace) trace = make_trace (300, 200, 3);
  g_autoptr (SondeFlameTree) tree = grow (trace);

  g_assert_cmpuint (tree->nodes->len, ==, 1 + 300 + 300 * 200);
  check_sums (tree, 3 * 300 * 200, 200);
  for (guint32 i = 1; i < tree->nodes->len; i++)
    g_assert_cmpuint (sonde_flame_tree_get (tree, i)->n, ==, 3);
}

static void
test_too_many (void)
{
  g_autoptr (SondeTrace) trace = make_trace (1100, 1000, 1);
  g_autoptr (SondeFlameTree) tree = grow (trace);

  g_assert_cmpuint (tree->nodes->len, ==, SONDE_FLAME_MAX_NODES);
  check_sums (tree, 1100 * 1000, 1000);
}

/* The only node of that name and depth. */
static guint32
find_node (const SondeFlameTree *tree, const char *name, guint32 depth)
{
  guint32 found = SONDE_TRACE_NONE;

  for (guint32 i = 1; i < tree->nodes->len; i++)
    {
      const SondeFlameNode *node = sonde_flame_tree_get (tree, i);

      if (g_str_equal (node->name, name) && node->depth == depth)
        {
          g_assert_cmpuint (found, ==, SONDE_TRACE_NONE);
          found = i;
        }
    }
  g_assert_cmpuint (found, !=, SONDE_TRACE_NONE);
  return found;
}

static void
check_frame (const SondeFlameDifference *difference, const char *name, guint32 depth, double base,
             double other)
{
  const guint32 node = find_node (difference->tree, name, depth);
  const guint64 at = sonde_flame_tree_get (difference->tree, node)->n;

  g_assert_cmpfloat (difference->base_ns[at], ==, base);
  g_assert_cmpfloat (difference->other_ns[at], ==, other);
  g_assert_cmpfloat_with_epsilon (sonde_flame_difference_get_change (difference, node),
                                  (other - base) / MAX (base, other), 1e-9);
}

/* Of one with two outer calls a round and one with three: paths of both, of one side only, divided by the steps. */
static void
test_difference (void)
{
  g_autoptr (SondeTrace) few = make_trace (2, 4, 2), many = make_trace (3, 8, 4);
  g_autoptr (SondeFlameTree) before = grow (few), after = grow (many);
  g_autoptr (GHashTable) sure = g_hash_table_new (g_str_hash, g_str_equal);
  g_autoptr (SondeFlameDifference) difference = NULL;

  g_hash_table_add (sure, (gpointer) "op2");
  difference = sonde_flame_difference_new (&(SondeFlameSide){ before, 2 },
                                           &(SondeFlameSide){ after, 4 }, sure);
  check_frame (difference, "op0", 1, 4, 8);
  check_frame (difference, "op1", 1, 4, 8);
  check_frame (difference, "op2", 1, 0, 8);
  for (guint32 i = 1; i < difference->tree->nodes->len; i++)
    {
      const SondeFlameNode *node = sonde_flame_tree_get (difference->tree, i);

      g_assert_cmpint (difference->is_sure[node->n], ==, g_str_equal (node->name, "op2"));
      g_assert_cmpuint (node->depth, <=, 2);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/flame-tree/many", test_many);
  g_test_add_func ("/viewers/layout/flame-tree/too-many", test_too_many);
  g_test_add_func ("/viewers/layout/flame-tree/difference", test_difference);
  return g_test_run ();
}
