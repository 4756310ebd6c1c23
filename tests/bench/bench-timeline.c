/* SPDX-License-Identifier: Apache-2.0
 * What a frame of the timeline and of the flame graph costs on a trace of N spans: moving, zooming, pointing.
 * Usage: bench-timeline [N]… (1000000). One line a measurement; times are
 * processor time of the one thread. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "data/base/sonde-random.h"
#include "data/traces/sonde-trace-builder.h"
#include "viewers/layout/trace/sonde-flame-tree.h"
#include "viewers/layout/trace/sonde-span-statistics.h"
#include "viewers/paint/trace/sonde-flame-paint.h"
#include "viewers/paint/trace/sonde-timeline-paint.h"

#define WIDTH 1920
#define HEIGHT 1000
#define FRAMES 60
#define N_THREADS 8
#define N_LABELS 200

/* Processor time of this thread: others may be at work on the machine. */
static double
now_ms (void)
{
  struct timespec time;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &time);
  return (double) time.tv_sec * 1e3 + (double) time.tv_nsec / 1e6;
}

/* Steps of operators of kernels on eight threads, with durations of all sizes. */
static SondeTrace *
make_trace (guint64 n)
{
  g_autoptr (SondeTraceBuilder) builder = sonde_trace_builder_new (SONDE_TRACE_CHROME);
  guint32 labels[N_LABELS], threads[N_THREADS];
  gint64 at[N_THREADS] = { 0 };

  for (guint i = 0; i < N_LABELS; i++)
    {
      g_autofree char *name = g_strdup_printf ("aten::operator_%c%c", 'a' + i % 26, 'a' + i / 26);
      labels[i] = sonde_trace_builder_add_label (
          builder, 0, sonde_trace_builder_add_text (builder, name, strlen (name)));
    }
  for (guint i = 0; i < N_THREADS; i++)
    {
      g_autofree char *tid = g_strdup_printf ("%u", i);
      threads[i] = sonde_trace_builder_add_thread (
          builder, 0, sonde_trace_builder_add_text (builder, tid, strlen (tid)), 0);
    }
  for (guint64 i = 0; i < n;)
    {
      guint t = (guint) (i / 7 % N_THREADS);
      gint64 start = at[t], ns = (gint64) exp (sonde_random_uniform (3, 0, i) * 6) + 100;

      /* One of seven levels inside each other, each a little shorter. */
      for (guint d = 0; d < 7 && i < n; d++, i++)
        {
          guint label = (guint) (sonde_random_uniform (3, 1, i) * N_LABELS);

          sonde_trace_builder_add_span (builder, threads[t], labels[label], start + 5 * d,
                                        start + ns - 5 * d, i);
        }
      at[t] = start + ns + 10;
    }
  return sonde_trace_builder_finish (builder);
}

static int
compare (const void *a, const void *b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
report (guint64 n, const char *what, double *ms)
{
  qsort (ms, FRAMES, sizeof *ms, compare);
  printf ("%" PRIu64 " spans  %-24s median %7.2f ms  95 %% %7.2f ms  most %7.2f ms\n", n, what,
          ms[FRAMES / 2], ms[FRAMES * 95 / 100], ms[FRAMES - 1]);
}

static void
paint (cairo_t *cr, const SondeTimelinePicture *picture)
{
  const SondeTheme *theme = sonde_theme_get (FALSE);

  sonde_paint_set_color (cr, &theme->card);
  cairo_paint (cr);
  sonde_paint_timeline (cr, theme, picture, WIDTH, HEIGHT);
}

static void
measure_timeline (guint64 n, SondeTimelineIndex *index, cairo_t *cr)
{
  g_autoptr (SondeLabelCache) labels = sonde_label_cache_new ();
  g_auto (SondeTimelinePlaces) places = { 0 };
  SondeTimelinePicture picture
      = { .index = index, .places = &places, .end_ns = index->length_ns, .labels = labels };
  SondeTimelineMarks marks = { .selected = 0, .hovered = SONDE_TIMELINE_NONE };
  double ms[FRAMES], extent = index->length_ns / 50;

  sonde_timeline_places_init (&places, index);
  for (int k = 0; k < FRAMES; k++)
    {
      double start = now_ms ();

      paint (cr, &picture);
      ms[k] = now_ms () - start;
    }
  report (n, "whole trace", ms);
  for (int k = 0; k < FRAMES; k++)
    {
      double start = now_ms ();

      picture.start_ns = index->length_ns / 2 + k * extent / 100;
      picture.end_ns = picture.start_ns + extent;
      paint (cr, &picture);
      ms[k] = now_ms () - start;
    }
  report (n, "moving, a 50th of it", ms);
  for (int k = 0; k < FRAMES; k++)
    {
      double start = now_ms (), half = index->length_ns / 2 * pow (0.75, k);

      half = MAX (half, 500);
      picture.start_ns = index->length_ns / 2 - half;
      picture.end_ns = index->length_ns / 2 + half;
      paint (cr, &picture);
      ms[k] = now_ms () - start;
    }
  report (n, "zooming in", ms);
  picture.start_ns = 0;
  picture.end_ns = index->length_ns;
  for (int k = 0; k < FRAMES; k++)
    {
      SondeTimelineHit hit;
      double start = now_ms ();

      marks.pointer = 300 + k * 20;
      sonde_timeline_hit (&picture, WIDTH, HEIGHT, marks.pointer, 80 + k % 7 * 18, &hit);
      marks.hovered = hit.item;
      sonde_paint_timeline_marks (cr, sonde_theme_get (FALSE), &picture, &marks, WIDTH, HEIGHT);
      ms[k] = now_ms () - start;
    }
  report (n, "pointing", ms);
}

static void
measure_flame (guint64 n, SondeTimelineIndex *index, cairo_t *cr)
{
  g_autoptr (SondeLabelCache) labels = sonde_label_cache_new ();
  double start = now_ms (), ms[FRAMES];
  g_autoptr (SondeFlameTree) tree
      = sonde_flame_tree_new (index, index->trace->start_ns, index->trace->end_ns + 1, FALSE, NULL);
  double whole = (double) sonde_flame_tree_get (tree, 0)->total;

  printf ("%" PRIu64 " spans  flame tree of %u nodes: %.0f ms in a thread\n", n, tree->nodes->len,
          now_ms () - start);
  for (int k = 0; k < FRAMES; k++)
    {
      SondeFlamePicture picture = { .tree = tree, .labels = labels };

      start = now_ms ();
      picture.left = whole / 3 * (1 - pow (0.75, k));
      picture.right = picture.left + whole * pow (0.75, k);
      sonde_paint_flame (cr, sonde_theme_get (FALSE), &picture, WIDTH, HEIGHT);
      ms[k] = now_ms () - start;
    }
  report (n, "flame graph, zooming in", ms);
}

static void
measure (guint64 n)
{
  double start = now_ms ();
  g_autoptr (SondeTrace) trace = make_trace (n);
  g_autoptr (SondeTimelineIndex) index = NULL;
  g_autoptr (GArray) sums = NULL;
  cairo_surface_t *image = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (image);
  struct rusage usage;

  printf ("%" PRIu64 " spans  made in %.0f ms\n", n, now_ms () - start);
  start = now_ms ();
  index = sonde_timeline_index_new (trace);
  printf ("%" PRIu64 " spans  index: %.0f ms in a thread; %.1f MB, with the spans %.0f MB\n", n,
          now_ms () - start, (double) sonde_timeline_index_get_bytes (index) / 1e6,
          ((double) sonde_timeline_index_get_bytes (index)
           + (double) trace->n_spans * (sizeof (SondeTraceSpan) + sizeof (SondeTraceNesting)))
              / 1e6);
  start = now_ms ();
  sums = sonde_span_statistics_new (index, trace->start_ns, trace->end_ns + 1, NULL);
  printf ("%" PRIu64 " spans  sums of the whole: %.0f ms in a thread\n", n, now_ms () - start);
  measure_timeline (n, index, cr);
  getrusage (RUSAGE_SELF, &usage);
  printf ("%" PRIu64 " spans  largest memory of the process so far: %.0f MB\n", n,
          (double) usage.ru_maxrss * 1024 / 1e6);
  measure_flame (n, index, cr);
  cairo_destroy (cr);
  cairo_surface_destroy (image);
  getrusage (RUSAGE_SELF, &usage);
  printf ("%" PRIu64 " spans  largest memory with the flame graph: %.0f MB\n", n,
          (double) usage.ru_maxrss * 1024 / 1e6);
}

int
main (int argc, char **argv)
{
  if (argc < 2)
    measure (1000000);
  for (int i = 1; i < argc; i++)
    measure (g_ascii_strtoull (argv[i], NULL, 10));
  return 0;
}
