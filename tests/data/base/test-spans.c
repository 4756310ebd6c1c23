/* SPDX-License-Identifier: Apache-2.0
 * Rings under load, what a log keeps, and the running median. */
#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "data/base/sonde-running-median.h"
#include "data/base/sonde-span-counters.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* ---- rings ------------------------------------------------------------------ */

#define N_PUT 400000

static void *
put_down (void *data)
{
  SondeSpanRing *ring = data;

  for (gint64 i = 0; i < N_PUT; i++)
    sonde_span_ring_add (ring,
                         (SondeSpan){ (guint64) i, (guint64) i * 2, { i }, 7, SONDE_SPAN_OP });
  return NULL;
}

/* All that is in the ring; what comes is whole and in order. */
static guint64
take_all (SondeSpanRing *ring, gint64 *last)
{
  const SondeSpan *first;
  guint64 all = 0;
  gsize n;

  while ((n = sonde_span_ring_peek (ring, &first)) > 0)
    {
      for (gsize i = 0; i < n; i++)
        {
          g_assert_cmpint (first[i].value, >, *last);
          g_assert_cmpuint (first[i].end, ==, 2 * (guint64) first[i].value);
          g_assert_cmpuint (first[i].label, ==, 7);
          *last = first[i].value;
        }
      sonde_span_ring_take (ring, n);
      all += n;
    }
  return all;
}

/* Four threads, each with its ring, and one that collects from all of them while they write. */
static void
test_ring_load (void)
{
  enum
  {
    N = 4
  };
  SondeSpanRing *rings = g_aligned_alloc0 (N, sizeof *rings, 64);
  pthread_t threads[N];
  guint64 taken[N] = { 0 };
  gint64 last[N] = { -1, -1, -1, -1 };
  gboolean more = TRUE;

  for (guint i = 0; i < N; i++)
    {
      sonde_span_ring_init (&rings[i], 256); /* small: some will find no room */
      g_assert_cmpint (pthread_create (&threads[i], NULL, put_down, &rings[i]), ==, 0);
    }
  while (more)
    {
      more = FALSE;
      for (guint i = 0; i < N; i++)
        {
          taken[i] += take_all (&rings[i], &last[i]);
          more = more || taken[i] + atomic_load (&rings[i].dropped) < N_PUT;
        }
    }
  for (guint i = 0; i < N; i++)
    {
      pthread_join (threads[i], NULL);
      g_assert_cmpuint (take_all (&rings[i], &last[i]), ==, 0);
      g_assert_cmpuint (taken[i] + atomic_load (&rings[i].dropped), ==, N_PUT);
      g_assert_cmpuint (taken[i], >=, 256);
      sonde_span_ring_clear (&rings[i]);
    }
  g_aligned_free (rings);
}

/* Nobody collects: the oldest stay, the others are counted one by one. */
static void
test_ring_full (void)
{
  SondeSpanRing ring;
  gint64 last = -1;

  sonde_span_ring_init (&ring, 8);
  put_down (&ring);
  g_assert_cmpuint (atomic_load (&ring.dropped), ==, N_PUT - 8);
  g_assert_cmpuint (take_all (&ring, &last), ==, 8);
  g_assert_cmpint (last, ==, 7);
  sonde_span_ring_add (&ring, (SondeSpan){ 0, 20, { 10 }, 7, SONDE_SPAN_OP });
  g_assert_cmpuint (take_all (&ring, &last), ==, 1);
  sonde_span_ring_clear (&ring);
}

/* ---- the log ------------------------------------------------------------------ */

static void
add_ops (SondeSpanLog *log, guint n)
{
  SondeSpanRing *ring = sonde_span_log_enter (log);
  guint64 since = ring != NULL ? sonde_ticks_now (&log->ticks) : 0;

  for (guint i = 0; ring != NULL && i < n; i++)
    since = sonde_span_log_add (log, ring, SONDE_SPAN_OP, 1, since, i);
}

/* @n steps from number @first on with @n_ops spans each. */
static void
run_steps (SondeSpanLog *log, guint64 first, guint n, guint n_ops)
{
  for (guint i = 0; i < n; i++)
    {
      sonde_span_log_begin_step (log, first + i);
      add_ops (log, n_ops);
      sonde_span_log_end_step (log);
    }
}

static guint
count (SondeSpanLog *log, SondeSpanCategory category, gint64 *first, gint64 *last)
{
  guint n = 0;

  for (guint t = 0; t < sonde_span_log_get_n_threads (log); t++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, t, &thread);
      for (guint64 i = 0; i < thread.n_spans; i++)
        {
          const SondeSpan *span = sonde_span_log_get_span (log, t, i);

          g_assert_cmpuint (span->start, <=, span->end);
          if (span->category != category)
            continue;
          if (n++ == 0 && first != NULL)
            *first = span->value;
          if (last != NULL)
            *last = span->value;
        }
    }
  return n;
}

static void
test_window (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  SondeSpanLogOptions options = { .first = 5, .n_steps = 3 };
  SondeSpanLogStatus status;
  gint64 first = -1, last = -1;

  run_steps (log, 0, 4, 10); /* off: nothing */
  add_ops (NULL, 1);
  g_assert_cmpuint (sonde_span_log_get_n_threads (log), ==, 0);

  sonde_span_log_start (log, &options);
  run_steps (log, 0, 5, 10);
  sonde_span_log_get_status (log, &status);
  g_assert_true (status.recording);
  g_assert_cmpuint (status.steps, ==, 0);
  g_assert_cmpuint (status.spans, ==, 0);
  run_steps (log, 5, 20, 10);
  sonde_span_log_get_status (log, &status);
  g_assert_false (status.recording);
  g_assert_cmpuint (status.steps, ==, 3);
  g_assert_cmpuint (status.spans, ==, 33);
  g_assert_cmpuint (status.bytes, ==, 33 * sizeof (SondeSpan));
  g_assert_cmpuint (status.dropped, ==, 0);
  g_assert_cmpfloat (status.overhead_ms, >, 0);
  g_assert_cmpuint (count (log, SONDE_SPAN_STEP, &first, &last), ==, 3);
  g_assert_cmpint (first, ==, 5);
  g_assert_cmpint (last, ==, 7);
  g_assert_cmpuint (count (log, SONDE_SPAN_OP, NULL, NULL), ==, 30);

  /* A second recording forgets the first; one that is stopped in a step has whole steps. */
  sonde_span_log_start (log, NULL);
  run_steps (log, 100, 2, 4);
  sonde_span_log_begin_step (log, 102);
  add_ops (log, 3);
  sonde_span_log_stop (log);
  add_ops (log, 3);
  sonde_span_log_end_step (log);
  g_assert_cmpuint (count (log, SONDE_SPAN_STEP, &first, NULL), ==, 2);
  g_assert_cmpint (first, ==, 100);
  g_assert_cmpuint (count (log, SONDE_SPAN_OP, NULL, NULL), ==, 8);
}

/* A step that was left is no measurement; the next one is. */
static void
test_left (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  gint64 first = -1;

  sonde_span_log_start (log, NULL);
  run_steps (log, 1, 1, 2);
  sonde_span_log_begin_step (log, 2);
  add_ops (log, 5);
  sonde_span_log_leave_step (log);
  add_ops (log, 5); /* the rest of it */
  sonde_span_log_end_step (log);
  run_steps (log, 3, 1, 2);
  sonde_span_log_stop (log);
  g_assert_cmpuint (count (log, SONDE_SPAN_STEP, &first, NULL), ==, 2);
  g_assert_cmpuint (count (log, SONDE_SPAN_OP, NULL, NULL), ==, 4);
}

/* Steps of equal work, of which some do a thousand times as much: those alone stay. */
static void
test_slower (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  SondeSpanLogOptions options = { .slower = 20, .n_steps = 2 };
  SondeSpanLogStatus status;
  gint64 first = -1, last = -1;

  sonde_span_log_start (log, &options);
  run_steps (log, 1, 1, 20000); /* among the first few none is called slow */
  run_steps (log, 2, 20, 20);
  sonde_span_log_get_status (log, &status);
  g_assert_cmpuint (status.steps, ==, status.spans / 21);
  if (status.steps > 0)
    return g_test_skip ("the machine was too busy: an ordinary step took 20 times as long");
  run_steps (log, 22, 1, 20000);
  run_steps (log, 23, 5, 20);
  run_steps (log, 28, 1, 20000);
  g_assert_cmpuint (count (log, SONDE_SPAN_STEP, &first, &last), ==, 2);
  g_assert_cmpuint (count (log, SONDE_SPAN_OP, NULL, NULL), >=, 20000);
}

static void
test_memory_bound (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  SondeSpanLogOptions options = { .max_bytes = 20000 * sizeof (SondeSpan) };
  SondeSpanLogStatus status;

  sonde_span_log_start (log, &options);
  run_steps (log, 1, 4, 20000);
  sonde_span_log_stop (log);
  sonde_span_log_get_status (log, &status);
  g_assert_cmpuint (status.spans, <=, 20000);
  g_assert_cmpuint (status.spans, >, 10000);
  g_assert_cmpuint (status.spans + status.dropped, ==, 4 * 20001);

  /* more than a ring in one step: the rest is dropped, not waited for */
  sonde_span_log_start (log, NULL);
  run_steps (log, 1, 1, SONDE_SPAN_RING_LENGTH + 100);
  sonde_span_log_stop (log);
  sonde_span_log_get_status (log, &status);
  g_assert_cmpuint (status.spans, ==, SONDE_SPAN_RING_LENGTH);
  g_assert_cmpuint (status.dropped, ==, 101);
}

/* ---- threads -------------------------------------------------------------------- */

typedef struct
{
  SondeSpanLog *log;
  _Atomic int stop;
  _Atomic guint64 put;
} Worker;

static void *
work (void *data)
{
  Worker *worker = data;

  pthread_setname_np (pthread_self (), "worker");
  while (atomic_load (&worker->stop) == 0)
    {
      SondeSpanRing *ring = sonde_span_log_enter (worker->log);

      if (ring == NULL)
        continue;
      sonde_span_log_add (worker->log, ring, SONDE_SPAN_DATA, 1,
                          sonde_ticks_now (&worker->log->ticks), 1);
      atomic_fetch_add (&worker->put, 1);
    }
  return NULL;
}

/* Two threads put down as fast as they can while a third drives steps and a recording starts and stops. */
static void
test_threads (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  Worker worker = { .log = log };
  pthread_t threads[2];
  SondeSpanLogStatus status;

  for (guint round = 0; round < 3; round++)
    {
      atomic_store (&worker.stop, 0);
      atomic_store (&worker.put, 0);
      for (guint i = 0; i < 2; i++)
        g_assert_cmpint (pthread_create (&threads[i], NULL, work, &worker), ==, 0);
      sonde_span_log_start (log, NULL);
      for (guint step = 0; atomic_load (&worker.put) < 100000; step++)
        run_steps (log, step, 1, 50);
      atomic_store (&worker.stop, 1);
      for (guint i = 0; i < 2; i++)
        pthread_join (threads[i], NULL);
      run_steps (log, 1000000, 1, 0); /* behind all that they did */
      sonde_span_log_stop (log);
      sonde_span_log_get_status (log, &status);
      g_assert_cmpuint (count (log, SONDE_SPAN_DATA, NULL, NULL) + status.dropped, ==,
                        atomic_load (&worker.put));
    }
  /* rings of threads that ended are used again: the driver's and two more */
  g_assert_cmpuint (sonde_span_log_get_n_threads (log), ==, 3);
}

static void
test_labels (void)
{
  static const char *const texts[] = { "conv", "relu" };
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  guint32 one = sonde_span_log_add_label (log, "tap"), first, n_labels;
  gpointer source = g_strdup ("owned");
  const char *kind;
  guint n;

  g_assert_cmpuint (one, !=, SONDE_SPAN_NO_LABEL);
  g_assert_cmpuint (sonde_span_log_add_label (log, "tap"), ==, one);
  first = sonde_span_log_add_source (log, texts, 2, "text", source, g_free);
  g_assert_cmpstr (sonde_span_log_get_label (log, first + 1), ==, "relu");
  g_assert_cmpstr (sonde_span_log_get_label (log, one), ==, "tap");
  g_assert_cmpstr (sonde_span_log_get_label (log, SONDE_SPAN_NO_LABEL), ==, "");
  n_labels = sonde_span_log_get_n_labels (log);
  g_assert_cmpstr (sonde_span_log_get_label (log, n_labels + 1), ==, "");
  g_assert_cmpuint (sonde_span_log_get_n_sources (log), ==, 1);
  g_assert_true (sonde_span_log_get_source (log, 0, &kind, &one, &n) == source);
  g_assert_cmpstr (kind, ==, "text");
  g_assert_cmpuint (one, ==, first);
  g_assert_cmpuint (n, ==, 2);
}

/* ---- median ----------------------------------------------------------------------- */

static int
compare (const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

static void
test_median (void)
{
  SondeRunningMedian median = { 0 };
  double numbers[300], sorted[300];

  g_assert_true (isnan (sonde_running_median_get (&median)));
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      numbers[i] = (double) (sonde_random_bits (1, 2, i) >> 58); /* with many that are equal */
      sonde_running_median_add (&median, numbers[i]);
      for (guint j = 0; j <= i; j++)
        sorted[j] = numbers[j];
      qsort (sorted, i + 1, sizeof *sorted, compare);
      g_assert_cmpuint (sonde_running_median_get_count (&median), ==, i + 1);
      g_assert_cmpfloat (sonde_running_median_get (&median), ==,
                         (sorted[i / 2] + sorted[(i + 1) / 2]) / 2);
    }
  sonde_running_median_clear (&median);
}

/* ---- counters ---------------------------------------------------------------- */

/* The counters of @label that were recorded; *@last: the latest. */
static guint
count_numbers (SondeSpanLog *log, const char *label, double *last)
{
  guint n = 0;

  for (guint i = 0; i < sonde_span_log_get_n_threads (log); i++)
    {
      SondeSpanThread thread;

      sonde_span_log_get_thread (log, i, &thread);
      for (guint64 k = 0; k < thread.n_spans; k++)
        {
          const SondeSpan *span = sonde_span_log_get_span (log, i, k);

          if (span->category == SONDE_SPAN_COUNTER
              && g_str_equal (sonde_span_log_get_label (log, span->label), label))
            {
              *last = span->number;
              n++;
            }
        }
    }
  return n;
}

static double
get_number (gpointer data)
{
  return *(const double *) data;
}

static volatile guint64 sum; /* is not left out */

static void
run_busy_steps (SondeSpanLog *log, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      sonde_span_log_begin_step (log, i);
      for (guint k = 0; k < 100000; k++)
        sum += k;
      sonde_span_log_end_step (log);
    }
}

/* What the system and others tell is put down with the first step, and nothing of it where nothing is
 * recorded or nobody tells any more. */
static void
test_counters (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeSpanCounters) counters = sonde_span_counters_new (log);
  double gauge = 7, unknown = NAN, last = NAN;

  sonde_span_counters_add (counters, "gauge", get_number, &gauge);
  sonde_span_counters_add (counters, "unknown", get_number, &unknown);
  run_busy_steps (log, 2);
  g_assert_cmpuint (count_numbers (log, "gauge", &last), ==, 0);
  sonde_span_log_start (log, NULL);
  run_busy_steps (log, 3);
  sonde_span_log_stop (log);
  g_assert_cmpuint (count_numbers (log, "gauge", &last), >=, 1);
  g_assert_cmpfloat (last, ==, 7);
  g_assert_cmpuint (count_numbers (log, "unknown", &last), ==, 0);
  g_assert_cmpuint (count_numbers (log, SONDE_COUNTER_PROCESS, &last), >=, 1);
  g_assert_cmpfloat (last, >, 1e6);
  g_assert_cmpfloat (last, <, 1e12);
  g_clear_pointer (&counters, sonde_span_counters_free);
  sonde_span_log_start (log, NULL);
  run_busy_steps (log, 3);
  sonde_span_log_stop (log);
  g_assert_cmpuint (count_numbers (log, "gauge", &last), ==, 0);
}

/* What is looked at beforehand is kept, and no short step is kept waiting by it. */
static void
test_sample_now (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeSpanCounters) counters = sonde_span_counters_new (log);
  double gauge = 7, last = NAN;

  sonde_span_counters_add (counters, "gauge", get_number, &gauge);
  sonde_span_log_sample_now (log); /* nobody records */
  sonde_span_log_start (log, NULL);
  g_assert_cmpuint (count_numbers (log, "gauge", &last), ==, 0);
  sonde_span_log_sample_now (log);
  sonde_span_log_begin_step (log, 0);
  sonde_span_log_leave_step (log);
  sonde_span_log_stop (log);
  g_assert_cmpuint (count_numbers (log, "gauge", &last), ==, 1);
  g_assert_cmpfloat (last, ==, 7);
  /* inside of a step it is the step's business */
  sonde_span_log_start (log, NULL);
  sonde_span_log_begin_step (log, 0);
  sonde_span_log_sample_now (log);
  sonde_span_log_leave_step (log);
  sonde_span_log_stop (log);
  g_assert_cmpuint (count_numbers (log, "gauge", &last), ==, 0);
}

/* Where the machine permits it: a loop has at least its own instructions in each step but the first. */
static void
test_hardware (void)
{
  g_autoptr (SondeSpanLog) log = sonde_span_log_new ();
  g_autoptr (SondeSpanCounters) counters = sonde_span_counters_new (log);
  g_autoptr (GError) error = NULL;
  double last = NAN;

  if (!sonde_span_counters_use_hardware (counters, &error))
    {
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED);
      g_test_skip (error->message);
      return;
    }
  sonde_span_log_start (log, NULL);
  run_busy_steps (log, 4);
  sonde_span_log_stop (log);
  g_assert_cmpuint (count_numbers (log, "instructions", &last), ==, 3);
  g_assert_cmpfloat (last, >, 100000);
  g_assert_cmpfloat (last, <, 100000 * 1000.0);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/spans/ring-load", test_ring_load);
  g_test_add_func ("/data/base/spans/ring-full", test_ring_full);
  g_test_add_func ("/data/base/spans/window", test_window);
  g_test_add_func ("/data/base/spans/left", test_left);
  g_test_add_func ("/data/base/spans/slower", test_slower);
  g_test_add_func ("/data/base/spans/memory-bound", test_memory_bound);
  g_test_add_func ("/data/base/spans/threads", test_threads);
  g_test_add_func ("/data/base/spans/labels", test_labels);
  g_test_add_func ("/data/base/spans/median", test_median);
  g_test_add_func ("/data/base/spans/counters", test_counters);
  g_test_add_func ("/data/base/spans/sample-now", test_sample_now);
  g_test_add_func ("/data/base/spans/hardware", test_hardware);
  return g_test_run ();
}
