/* SPDX-License-Identifier: Apache-2.0
 * The timeline's index, bars, statistics, search and flame tree: of random traces against plain loops, of
 * real ones against the sums that the reader made by other means. */
#include <math.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "data/traces/sonde-trace-builder.h"
#include "data/traces/sonde-trace-file.h"
#include "viewers/layout/trace/sonde-flame-tree.h"
#include "viewers/layout/trace/sonde-span-statistics.h"
#include "viewers/layout/trace/sonde-timeline-axis.h"
#include "viewers/layout/trace/sonde-timeline-bars.h"
#include "viewers/layout/trace/sonde-timeline-places.h"

#define N_SPANS 6000

static guint64
draw (guint64 k, guint64 below)
{
  return (guint64) (sonde_random_uniform (5, 0, k) * (double) below);
}

/* Nested and overlapping spans of 9 names on 3 threads, some empty, and asynchronous ones. */
static SondeTrace *
make_trace (guint64 seed)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint64 k = seed << 32;
  guint32 labels[9], threads[3];

  for (guint i = 0; i < 9; i++)
    {
      g_autofree char *name = g_strdup_printf ("op%c", 'A' + (int) i);
      labels[i] = sonde_trace_builder_add_label (
          builder, 0, sonde_trace_builder_add_text (builder, name, strlen (name)));
    }
  for (guint i = 0; i < 3; i++)
    {
      g_autofree char *tid = g_strdup_printf ("%u", i);
      guint32 text = sonde_trace_builder_add_text (builder, tid, strlen (tid));
      threads[i] = sonde_trace_builder_add_thread (builder, 0, text, 0);
    }
  for (guint i = 0; i < N_SPANS; i++)
    {
      gint64 start = (gint64) draw (k++, 100000);
      gint64 ns = (gint64) exp (sonde_random_uniform (6, 0, k++) * 9) - 1;

      guint32 thread = threads[draw (k++, 3)], label = labels[draw (k++, 9)];

      sonde_trace_builder_add_span (builder, thread, label, start, start + ns, i);
    }
  for (guint i = 0; i < 200; i++)
    {
      g_autofree char *id = g_strdup_printf ("a%u", i);
      guint32 text = sonde_trace_builder_add_text (builder, id, strlen (id));
      gint64 start = (gint64) draw (k++, 100000);

      sonde_trace_builder_add_async (builder, TRUE, 'b', threads[0], labels[0], text,
                                     SONDE_TRACE_NONE, start, N_SPANS + 2 * i);
      sonde_trace_builder_add_async (builder, FALSE, 'b', threads[0], labels[0], text,
                                     SONDE_TRACE_NONE, start + 500, N_SPANS + 2 * i + 1);
    }
  return sonde_trace_builder_finish (builder);
}

/* ---- rows ---------------------------------------------------------------- */

static void
check_rows (const SondeTimelineIndex *index)
{
  g_autofree guint8 *seen = g_new0 (guint8, (gsize) index->n_items + 1);
  guint32 n = 0;

  for (guint r = 0; r < index->rows->len; r++)
    {
      const SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);
      gint64 end = G_MININT64;

      for (guint32 i = 0; i < row->n; i++)
        {
          guint32 item = index->order[row->first + i], track, found;
          SondeTimelineItem it = sonde_timeline_index_get_item (index, item);

          g_assert_cmpint (it.start_ns, >=, end);
          end = it.end_ns;
          g_assert_cmpint (seen[item]++, ==, 0);
          n++;
          if (i % 97 == 0)
            {
              g_assert_true (sonde_timeline_index_find (index, item, &track, &found));
              g_assert_cmpuint (found, ==, r);
            }
        }
    }
  g_assert_cmpuint (n, ==, index->n_items);
}

/* Everything that overlaps the window is in one bar, and the longest stands for it. */
static void
check_bars (const SondeTimelineIndex *index, const SondeTimelineWindow *window)
{
  g_autoptr (GArray) bars = g_array_new (FALSE, FALSE, sizeof (SondeTimelineBar));
  double scale = window->width / (window->end_ns - window->start_ns);

  for (guint r = 0; r < index->rows->len; r++)
    {
      const SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);
      guint32 first = sonde_timeline_row_find_end (index, r, window->start_ns);
      guint32 at = first;

      sonde_timeline_row_cut (index, r, window, bars);
      g_assert_cmpuint (bars->len, <=, (guint) window->width + 2);
      for (guint b = 0; b < bars->len; b++)
        {
          const SondeTimelineBar *bar = &g_array_index (bars, SondeTimelineBar, b);
          double busy = 0, most = -1, longest;
          SondeTimelineItem of = sonde_timeline_index_get_item (index, bar->item);

          longest = (double) (of.end_ns - of.start_ns);
          for (guint32 k = 0; k < bar->n; k++)
            {
              SondeTimelineItem it
                  = sonde_timeline_index_get_item (index, index->order[row->first + at++]);
              double ns = (double) (it.end_ns - it.start_ns);

              busy += ns;
              most = MAX (most, ns);
            }
          if (bar->n > 1)
            {
              /* summaries are rounded */
              g_assert_cmpfloat (longest, <=, most);
              g_assert_cmpfloat (longest, >=, most * 0.998);
              g_assert_cmpfloat_with_epsilon (bar->cover, MIN (busy * scale, 1), 0.005);
            }
          else
            g_assert_cmpfloat (most, ==, longest);
          g_assert_cmpfloat (bar->x0, >=, 0);
          g_assert_cmpfloat (bar->x1, <=, window->width);
        }
      if (at < row->n)
        g_assert_cmpfloat (
            sonde_timeline_since (
                index,
                sonde_timeline_index_get_item (index, index->order[row->first + at]).start_ns),
            >=, window->end_ns);
    }
}

static void
check_pick (const SondeTimelineIndex *index, const SondeTimelineWindow *window, guint64 seed)
{
  double pixel = (window->end_ns - window->start_ns) / window->width;

  for (guint k = 0; k < 200; k++)
    {
      guint32 r = (guint32) draw (seed + 2 * k, index->rows->len);
      const SondeTimelineRow *row = &g_array_index (index->rows, SondeTimelineRow, r);
      double x = (double) draw (seed + 2 * k + 1, 1000) / 1000 * window->width;
      double at = window->start_ns + x * pixel, most = -1;
      guint32 wide = SONDE_TIMELINE_NONE;
      guint32 picked = sonde_timeline_row_pick (index, r, window, x);

      for (guint32 i = 0; i < row->n; i++)
        {
          guint32 item = index->order[row->first + i];
          SondeTimelineItem it = sonde_timeline_index_get_item (index, item);
          double start = sonde_timeline_since (index, it.start_ns);
          double end = sonde_timeline_since (index, it.end_ns);

          if (start <= at && at <= end && end - start >= 2 * pixel && wide == SONDE_TIMELINE_NONE)
            wide = item;
          if (end >= at - 1.5 * pixel && start < at + 1.5 * pixel)
            most = MAX (most, end - start);
        }
      if (wide != SONDE_TIMELINE_NONE)
        {
          g_assert_cmpuint (picked, ==, wide);
          continue;
        }
      g_assert_cmpint (picked != SONDE_TIMELINE_NONE, ==, most >= 0);
      if (most >= 0)
        {
          SondeTimelineItem it = sonde_timeline_index_get_item (index, picked);
          g_assert_cmpfloat ((double) (it.end_ns - it.start_ns), ==, most);
        }
    }
}

static void
test_rows (void)
{
  for (guint64 seed = 1; seed <= 3; seed++)
    {
      g_autoptr (SondeTrace) trace = make_trace (seed);
      g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
      const SondeTimelineWindow windows[] = { { 0, index->length_ns, 50 },
                                              { 0, index->length_ns, 1200 },
                                              { 40000, 41000, 300 },
                                              { -500, 3000, 700 },
                                              { 99999, 200000, 64 } };

      check_rows (index);
      for (gsize w = 0; w < G_N_ELEMENTS (windows); w++)
        {
          check_bars (index, &windows[w]);
          check_pick (index, &windows[w], (seed << 40) + (w << 32));
        }
    }
}

/* Blocks and blocks of blocks: 200,000 equal spans and a long one among them. */
static void
test_dense (void)
{
  enum
  {
    N = 200000,
    ODD = 123456
  };
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  g_autoptr (SondeTrace) trace = NULL;
  g_autoptr (SondeTimelineIndex) index = NULL;
  g_autoptr (GArray) bars = g_array_new (FALSE, FALSE, sizeof (SondeTimelineBar));
  guint32 label = sonde_trace_builder_add_label (builder, 0, 0);
  guint32 thread = sonde_trace_builder_add_thread (builder, 0, 0, 0);
  guint64 n = 0;
  gboolean found = FALSE;

  for (guint i = 0; i < N; i++)
    sonde_trace_builder_add_span (builder, thread, label, i * 10, i * 10 + (i == ODD ? 9 : 5), i);
  trace = sonde_trace_builder_finish (builder);
  index = sonde_timeline_index_new (trace);
  g_assert_cmpuint (sonde_timeline_index_get_bytes (index), <, N * 10);
  sonde_timeline_row_cut (index, 0, &(SondeTimelineWindow){ 0, N * 10, 20 }, bars);
  g_assert_cmpuint (bars->len, ==, 20);
  for (guint b = 0; b < bars->len; b++)
    {
      const SondeTimelineBar *bar = &g_array_index (bars, SondeTimelineBar, b);

      n += bar->n;
      found = found || bar->item == ODD;
      g_assert_cmpfloat_with_epsilon (bar->cover, 0.5, 0.06);
    }
  g_assert_cmpuint (n, ==, N);
  g_assert_true (found);
}

/* ---- sums ---------------------------------------------------------------- */

/* By a loop over all ancestors. */
static void
sum_plainly (const SondeTrace *trace, gint64 start, gint64 end, SondeSpanStatistic *sums)
{
  for (gsize i = 0; i < trace->n_spans; i++)
    {
      const SondeTraceSpan *span = &trace->spans[i];
      gint64 ns = MIN (span->end_ns, end) - MAX (span->start_ns, start);
      gboolean inner = FALSE;

      if (span->start_ns >= end || (span->end_ns <= start && span->start_ns < start))
        continue;
      for (guint32 p = trace->nesting[i].parent; p != SONDE_TRACE_NONE;
           p = trace->nesting[p].parent)
        inner = inner || trace->spans[p].label == span->label;
      sums[span->label].n++;
      sums[span->label].self_ns += ns;
      sums[span->label].total_ns += inner ? 0 : ns;
      if (trace->nesting[i].parent != SONDE_TRACE_NONE)
        sums[trace->spans[trace->nesting[i].parent].label].self_ns -= ns;
    }
}

static void
compare_sums (const SondeTrace *trace, const GArray *list, const SondeSpanStatistic *plain)
{
  guint n = 0;

  for (guint i = 0; i < list->len; i++)
    {
      const SondeSpanStatistic *sum = &g_array_index (list, SondeSpanStatistic, i);

      g_assert_cmpuint (sum->n, ==, plain[sum->label].n);
      g_assert_cmpint (sum->total_ns, ==, plain[sum->label].total_ns);
      g_assert_cmpint (sum->self_ns, ==, plain[sum->label].self_ns);
    }
  for (guint l = 0; l < trace->labels->len; l++)
    n += plain[l].n > 0;
  g_assert_cmpuint (list->len, ==, n);
}

static void
test_statistics (void)
{
  static const gint64 ranges[][2]
      = { { 0, 100000000 }, { 5000, 5001 }, { 30000, 60000 }, { 99000, 99500 }, { -5, 0 } };

  for (guint64 seed = 1; seed <= 3; seed++)
    {
      g_autoptr (SondeTrace) trace = make_trace (seed);
      g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);

      for (gsize k = 0; k < G_N_ELEMENTS (ranges); k++)
        {
          g_autofree SondeSpanStatistic *plain
              = g_new0 (SondeSpanStatistic, trace->labels->len + 1);
          g_autoptr (GArray) list
              = sonde_span_statistics_new (index, ranges[k][0], ranges[k][1], NULL);

          sum_plainly (trace, ranges[k][0], ranges[k][1], plain);
          compare_sums (trace, list, plain);
        }
    }
}

static void
check_tree (const SondeFlameTree *tree)
{
  for (guint32 i = 0; i < tree->nodes->len; i++)
    {
      const SondeFlameNode *node = sonde_flame_tree_get (tree, i);
      const SondeFlameNode *parent;

      if (node->total > 0)
        g_assert_cmpuint (sonde_flame_tree_find (tree, node->depth, (double) node->start), ==, i);
      if (i == 0)
        continue;
      parent = sonde_flame_tree_get (tree, node->parent);
      g_assert_cmpuint (node->parent, <, i);
      g_assert_cmpuint (node->depth, ==, parent->depth + 1);
      g_assert_cmpint (node->start, >=, parent->start);
      g_assert_cmpint (node->start + node->total, <=, parent->start + parent->total);
    }
}

static void
compare_tree (const SondeTrace *trace, const SondeFlameTree *tree, const GArray *list)
{
  gint64 self = 0;

  check_tree (tree);
  for (guint i = 0; i < list->len; i++)
    {
      const SondeSpanStatistic *sum = &g_array_index (list, SondeSpanStatistic, i);
      gint64 found = 0;
      guint64 n = 0;

      for (guint32 k = 1; k < tree->nodes->len; k++)
        if (sonde_flame_tree_get (tree, k)->name == sonde_trace_get_label (trace, sum->label)->name)
          {
            found += sonde_flame_tree_get (tree, k)->self;
            n += sonde_flame_tree_get (tree, k)->n;
          }
      g_assert_cmpint (found, ==, sum->self_ns);
      g_assert_cmpuint (n, ==, sum->n);
      self += sum->self_ns;
    }
  g_assert_cmpint (sonde_flame_tree_get (tree, 0)->total, ==, self);
}

static void
test_flame (void)
{
  g_autoptr (SondeTrace) trace = make_trace (4);
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);

  for (int by_thread = 0; by_thread < 2; by_thread++)
    {
      g_autoptr (SondeFlameTree) tree = sonde_flame_tree_new (index, 20000, 50000, by_thread, NULL);
      g_autoptr (GArray) list = sonde_span_statistics_new (index, 20000, 50000, NULL);

      compare_tree (trace, tree, list);
    }
}

/* Frames of one kind are one, others are left out with what is inside them; nothing else changes. */
static void
test_flame_kinds (void)
{
  g_autoptr (SondeTrace) trace = make_trace (4);
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_autoptr (SondeFlameTree) plain = sonde_flame_tree_new (index, 20000, 50000, FALSE, NULL);
  g_autoptr (SondeFlameTree) steps = NULL, none = NULL;
  g_autofree guint8 *kinds = g_new0 (guint8, trace->labels->len);
  guint n_first = 0;

  memset (kinds, SONDE_FLAME_STEP, trace->labels->len);
  steps = sonde_flame_tree_new_of_kinds (index, 20000, 50000, FALSE, kinds, NULL);
  g_assert_cmpint (sonde_flame_tree_get (steps, 0)->total, ==,
                   sonde_flame_tree_get (plain, 0)->total);
  for (guint32 i = 1; i < steps->nodes->len; i++)
    {
      g_assert_cmpstr (sonde_flame_tree_get (steps, i)->name, ==, "step");
      n_first += sonde_flame_tree_get (steps, i)->depth == 1;
    }
  g_assert_cmpuint (n_first, ==, 1);
  memset (kinds, SONDE_FLAME_LEFT_OUT, trace->labels->len);
  none = sonde_flame_tree_new_of_kinds (index, 20000, 50000, FALSE, kinds, NULL);
  g_assert_cmpuint (none->nodes->len, ==, 1);
  g_assert_cmpint (sonde_flame_tree_get (none, 0)->total, ==, 0);
}

static void
test_cancel (void)
{
  g_autoptr (SondeTrace) trace = make_trace (4);
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  const int cancelled = 1;
  g_autofree guint8 *found = NULL;
  guint64 n;

  g_assert_null (sonde_flame_tree_new (index, 0, 50000, FALSE, &cancelled));
  g_assert_null (sonde_span_statistics_new (index, 0, 50000, &cancelled));
  g_assert_null (sonde_span_search (index, "op", 10, &found, &n, &cancelled));
}

static void
test_search (void)
{
  g_autoptr (SondeTrace) trace = make_trace (2);
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_autofree guint8 *found = NULL, *none = NULL;
  guint64 n, expected = 0, n_none;
  g_autoptr (GArray) hits = sonde_span_search (index, "Pa", 1u << 20, &found, &n, NULL);
  g_autoptr (GArray) nothing = sonde_span_search (index, "", 10, &none, &n_none, NULL);
  gint64 last = G_MININT64;

  for (guint32 i = 0; i < index->n_items; i++)
    expected += g_str_equal (
        sonde_trace_get_label (trace, sonde_timeline_index_get_item (index, i).label)->name, "opA");
  g_assert_cmpuint (n, ==, expected);
  g_assert_cmpuint (hits->len, ==, expected);
  for (guint i = 0; i < hits->len; i++)
    {
      SondeTimelineItem it
          = sonde_timeline_index_get_item (index, g_array_index (hits, guint32, i));

      g_assert_cmpint (it.start_ns, >=, last);
      g_assert_cmpint (found[it.label], ==, 1);
      last = it.start_ns;
    }
  g_assert_cmpuint (n_none, ==, 0);
}

/* ---- places, axis -------------------------------------------------------- */

static void
test_places (void)
{
  g_autoptr (SondeTrace) trace = make_trace (1);
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_auto (SondeTimelinePlaces) places = { 0 };
  gint64 open;
  guint track;

  sonde_timeline_places_init (&places, index);
  g_assert_cmpuint (places.n_tracks, ==, 5); /* the process, three threads, asynchronous */
  open = places.tops[places.n_tracks];
  for (gint64 y = 0; y < open; y++)
    {
      g_assert_true (sonde_timeline_places_find (&places, (double) y, &track));
      g_assert_cmpint (places.tops[track], <=, y);
      g_assert_cmpint (places.tops[track + 1], >, y);
    }
  g_assert_false (sonde_timeline_places_find (&places, (double) open, &track));
  sonde_timeline_places_fold_all (&places, TRUE);
  g_assert_cmpint (places.tops[places.n_tracks], <, open);
  sonde_timeline_places_fold (&places, 0, TRUE);
  g_assert_cmpint (places.tops[places.n_tracks], ==, SONDE_TIMELINE_HEAD);
  sonde_timeline_places_reveal (&places, 2);
  g_assert_cmpint (places.tops[3] - places.tops[2], >, 2 * SONDE_TIMELINE_ROW);
}

/* Pinned above all, hidden and shown again, in other orders: each place of the height is of one track. */
static void
test_order (void)
{
  g_autoptr (SondeTrace) trace = make_trace (1);
  g_autoptr (SondeTimelineIndex) index = sonde_timeline_index_new (trace);
  g_auto (SondeTimelinePlaces) places = { 0 };
  gint64 all, last = G_MAXINT64;
  guint track;

  sonde_timeline_places_init (&places, index);
  all = places.tops[places.n_tracks];
  sonde_timeline_places_pin (&places, 3, TRUE);
  sonde_timeline_places_pin (&places, 1, TRUE);
  sonde_timeline_places_pin (&places, 0, TRUE); /* a process stays */
  g_assert_cmpuint (places.order[0], ==, 3);
  g_assert_cmpuint (places.order[1], ==, 1);
  g_assert_cmpuint (places.order[2], ==, 0);
  g_assert_cmpint (places.tops[places.n_tracks], ==, all);
  for (gint64 y = 0; y < all; y++)
    {
      g_assert_true (sonde_timeline_places_find (&places, (double) y, &track));
      g_assert_cmpint (places.tops[track], <=, y);
      g_assert_cmpint (places.tops[track] + places.heights[track], >, y);
    }
  sonde_timeline_places_hide (&places, 0);
  g_assert_cmpint (places.tops[places.n_tracks], ==, places.heights[3] + places.heights[1]);
  sonde_timeline_places_reveal (&places, 2);
  g_assert_cmpint (places.heights[2], >, 0);
  sonde_timeline_places_hide (&places, 1);
  g_assert_cmpuint (sonde_timeline_places_count_hidden (&places), ==, 1);
  g_assert_cmpint (places.heights[1], ==, 0);
  sonde_timeline_places_show_all (&places);
  g_assert_cmpint (places.tops[places.n_tracks], ==, all);
  sonde_timeline_places_pin (&places, 3, FALSE);
  sonde_timeline_places_pin (&places, 1, FALSE);
  sonde_timeline_places_sort (&places, SONDE_TIMELINE_BY_BUSY);
  for (guint k = 1; k < 4; k++)
    {
      const SondeTimelineTrack *one
          = &g_array_index (index->tracks, SondeTimelineTrack, places.order[k]);
      gint64 busy = sonde_trace_get_thread (trace, one->source)->busy_ns;

      g_assert_cmpint (busy, <=, last);
      last = busy;
    }
  g_assert_cmpuint (places.order[4], ==, 4); /* asynchronous spans at the end */
  sonde_timeline_places_sort (&places, SONDE_TIMELINE_BY_NAME);
  for (guint k = 2; k < 5; k++)
    g_assert_cmpint (
        g_utf8_collate (g_array_index (index->tracks, SondeTimelineTrack, places.order[k - 1]).name,
                        g_array_index (index->tracks, SondeTimelineTrack, places.order[k]).name),
        <=, 0);
}

static void
test_axis (void)
{
  static const struct
  {
    double start, end;
    const char *first, *base;
  } cases[] = {
    { 0, 1e9, "0 ms", NULL },
    { 0, 5e9, "0 s", NULL },
    { 3.2e9, 3.2e9 + 1000, "+0 ns", "3.2 s +" },
    { 0, 1500, "0 ns", NULL },
    { 61e9 + 5e6, 61e9 + 6e6, "+0 µs", "61.005 s +" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      SondeTimelineAxis axis = sonde_timeline_axis_new (cases[i].start, cases[i].end, 6);
      g_autofree char *first = sonde_timeline_axis_dup_label (&axis, 0);
      g_autofree char *base = sonde_timeline_axis_dup_base (&axis);

      g_assert_cmpstr (first, ==, cases[i].first);
      g_assert_cmpstr (base, ==, cases[i].base);
    }
  for (gsize i = 0; i < 2; i++)
    {
      g_autofree char *text = sonde_timeline_dup_time (i == 0 ? 1234567891.0 : 1500.0);

      g_assert_cmpstr (text, ==, i == 0 ? "1.234567891 s" : "1.5 µs");
    }
}

/* ---- real files ---------------------------------------------------------- */

static void
check_file (const char *path)
{
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, path, NULL);
  g_autoptr (SondeTimelineIndex) index = NULL;
  g_autoptr (GArray) list = NULL;
  g_autoptr (SondeFlameTree) tree = NULL, samples = NULL;

  gint64 end;

  if (trace == NULL)
    return;
  end = trace->end_ns < G_MAXINT64 ? trace->end_ns + 1 : G_MAXINT64;
  index = sonde_timeline_index_new (trace);
  check_rows (index);
  samples = sonde_flame_tree_new_from_samples (trace);
  check_tree (samples);
  g_assert_cmpuint (sonde_flame_tree_get (samples, 0)->total, ==, trace->weight);
  list = sonde_span_statistics_new (index, trace->start_ns, end, NULL);
  g_assert_cmpuint (list->len, ==, trace->n_labels_with_spans);
  for (guint i = 0; i < list->len; i++)
    {
      const SondeSpanStatistic *sum = &g_array_index (list, SondeSpanStatistic, i);
      const SondeTraceLabel *label = sonde_trace_get_label (trace, sum->label);

      g_assert_cmpuint (sum->n, ==, label->n);
      g_assert_cmpint (sum->total_ns, ==, label->total_ns);
      g_assert_cmpint (sum->self_ns, ==, label->self_ns);
    }
  tree = sonde_flame_tree_new (index, trace->start_ns, end, FALSE, NULL);
  check_tree (tree);
}

static void
test_files (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder
      = g_build_filename (shared != NULL ? shared : "", "samples", "traces", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  if (dir == NULL)
    {
      g_test_skip ("no samples");
      return;
    }
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_str_has_suffix (name, ".expected.json") || g_str_has_suffix (name, ".md")
          || g_str_has_prefix (name, "bad-bomb"))
        continue;
      g_test_message ("%s", name);
      check_file (path);
      n++;
    }
  g_assert_cmpuint (n, >, 40);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/timeline/rows", test_rows);
  g_test_add_func ("/viewers/layout/timeline/dense", test_dense);
  g_test_add_func ("/viewers/layout/timeline/statistics", test_statistics);
  g_test_add_func ("/viewers/layout/timeline/flame", test_flame);
  g_test_add_func ("/viewers/layout/timeline/flame-kinds", test_flame_kinds);
  g_test_add_func ("/viewers/layout/timeline/cancel", test_cancel);
  g_test_add_func ("/viewers/layout/timeline/search", test_search);
  g_test_add_func ("/viewers/layout/timeline/places", test_places);
  g_test_add_func ("/viewers/layout/timeline/order", test_order);
  g_test_add_func ("/viewers/layout/timeline/axis", test_axis);
  g_test_add_func ("/viewers/layout/timeline/files", test_files);
  return g_test_run ();
}
