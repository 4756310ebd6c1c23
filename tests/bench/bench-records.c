/* SPDX-License-Identifier: Apache-2.0
 * What a user of the run store waits for, one JSON object a call:
 *   bench-records open PATH INDEX     until the first chart and until everything is read and
 *                                     indexed, memory, and windows of 2,000 pixels over the longest
 *                                     series
 *   bench-records tail FOLDER N       from the write of a point until the store has told it
 * Generators of large runs and the peers are called by tests/bench/records-peers.py. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "data/base/sonde-clock.h"
#include "tests/data/runs/run-files.h"

#define PIXELS 2000
#define WINDOWS 60

/* ---- open ---------------------------------------------------------------- */

static SondeRun *
get_run (SondeRunStore *store, guint i)
{
  return run_store_item (store, i);
}

static gboolean
has_chart (SondeRunStore *store)
{
  return g_list_model_get_n_items (G_LIST_MODEL (store)) > 0
         && sonde_run_get_tags (get_run (store, 0))->len > 0;
}

static double
seconds_since (gint64 start)
{
  return (double) (sonde_clock_monotonic_ns (NULL) - start) / 1e9;
}

typedef struct
{
  guint64 points, blobs, records, damage;
  SondeSeries *longest;
} Sums;

static void
sum_up (SondeRun *run, Sums *sums)
{
  GPtrArray *tags = sonde_run_get_tags (run), *files = sonde_run_get_files (run);

  sums->damage += sonde_run_get_damage_count (run);
  for (guint i = 0; i < files->len; i++)
    sums->records += ((SondeRunFile *) files->pdata[i])->records;
  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = tags->pdata[i];
      SondeSeries *series
          = tag->kind == SONDE_RECORD_SCALARS ? sonde_run_get_series (run, tag->tag) : NULL;

      sums->points += series ? sonde_series_get_n_points (series) : 0;
      sums->blobs += series ? 0 : tag->count;
      if (series
          && (!sums->longest
              || sonde_series_get_n_points (series) > sonde_series_get_n_points (sums->longest)))
        sums->longest = series;
    }
}

/* Windows of every zoom, from all of it down to one point a pixel. @median, @worst: ms */
static void
measure_views (SondeSeries *series, double *first, double *worst)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  gint64 first_step, last_step;
  double min, max;

  *first = *worst = 0;
  if (!series || !sonde_series_get_range (series, &first_step, &last_step, &min, &max))
    return;
  for (int i = 0; i < WINDOWS; i++)
    {
      double width = (double) (last_step - first_step) / (double) (1 << (i % 13));
      gint64 from = first_step
                    + (gint64) (g_rand_double (rand) * ((double) (last_step - first_step) - width));
      gint64 start = sonde_clock_monotonic_ns (NULL);
      g_autoptr (GArray) buckets = sonde_series_query (series, from, from + (gint64) width, PIXELS);
      double ms = 1000 * seconds_since (start);

      if (i == 0)
        *first = ms;
      *worst = MAX (*worst, ms);
    }
}

static int
measure_open (const char *path, const char *index)
{
  const char *paths[] = { path, NULL };
  gint64 start = sonde_clock_monotonic_ns (NULL);
  g_autoptr (SondeRunStore) store = sonde_run_store_new (NULL, paths, index);
  g_autoptr (GError) error = NULL;
  double chart, all, first_view, worst_view;
  struct rusage used;
  Sums sums = { 0 };

  sonde_run_store_start (store);
  while (!has_chart (store) && seconds_since (start) < 60)
    g_main_context_iteration (NULL, TRUE);
  chart = seconds_since (start);
  if (!sonde_run_store_settle (store, NULL, &error))
    {
      fprintf (stderr, "%s\n", error->message);
      return 1;
    }
  all = seconds_since (start);
  getrusage (RUSAGE_SELF, &used);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    sum_up (get_run (store, i), &sums);
  measure_views (sums.longest, &first_view, &worst_view);
  printf ("{\"seconds\": %.4f, \"first_chart\": %.4f, \"cpu\": %.3f, \"peak_mb\": %.0f, \"runs\": "
          "%u, \"points\": %" G_GUINT64_FORMAT ", \"blobs\": %" G_GUINT64_FORMAT
          ", \"records\": %" G_GUINT64_FORMAT ", \"damage\": %" G_GUINT64_FORMAT
          ", \"view_first_ms\": %.2f, \"view_worst_ms\": %.2f}\n",
          all, chart,
          (double) (used.ru_utime.tv_sec + used.ru_stime.tv_sec)
              + (double) (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6,
          (double) used.ru_maxrss / 1024, g_list_model_get_n_items (G_LIST_MODEL (store)),
          sums.points, sums.blobs, sums.records, sums.damage, first_view, worst_view);
  return 0;
}

/* ---- tail ---------------------------------------------------------------- */

/* @written: when each step was written, 0 before; under the mutex */
typedef struct
{
  RunFile *file;
  guint n;
  pthread_mutex_t mutex;
  gint64 *written;
  GArray *delays; /* element-type double: ms */
} Tail;

static void *
write_points (void *data)
{
  Tail *tail = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint i = 1; i < tail->n; i++)
    {
      g_usleep (g_rand_int_range (rand, 20000, 90000));
      pthread_mutex_lock (&tail->mutex);
      tail->written[i] = sonde_clock_monotonic_ns (NULL);
      pthread_mutex_unlock (&tail->mutex);
      run_file_add_scalar (tail->file, i, "loss", i);
    }
  return NULL;
}

static void
on_changed (SondeRunStore *store, Tail *tail)
{
  SondeRun *run = g_list_model_get_n_items (G_LIST_MODEL (store)) > 0 ? get_run (store, 0) : NULL;
  SondeSeries *series = run ? sonde_run_get_series (run, "loss") : NULL;
  gint64 now = sonde_clock_monotonic_ns (NULL);

  while (series && tail->delays->len < sonde_series_get_n_points (series))
    {
      double ms;

      pthread_mutex_lock (&tail->mutex);
      ms = (double) (now - tail->written[tail->delays->len]) / 1e6;
      pthread_mutex_unlock (&tail->mutex);
      g_array_append_val (tail->delays, ms);
    }
}

static int
compare_doubles (gconstpointer a, gconstpointer b)
{
  double one = *(const double *) a, other = *(const double *) b;

  return (one > other) - (one < other);
}

static int
measure_tail (const char *folder, guint n)
{
  g_autofree char *index = g_build_filename (folder, "index", NULL);
  g_autofree char *runs = g_build_filename (folder, "runs", NULL);
  const char *paths[] = { runs, NULL };
  Tail tail = { .n = n,
                .written = g_new0 (gint64, n),
                .delays = g_array_new (FALSE, FALSE, sizeof (double)) };
  SondeRunStore *store;
  pthread_t writer;

  pthread_mutex_init (&tail.mutex, NULL);
  tail.file = run_file_new (1, "%s/records/000001.sonde", runs);
  tail.written[0] = sonde_clock_monotonic_ns (NULL);
  run_file_add_scalar (tail.file, 0, "loss", 0);
  store = sonde_run_store_new (NULL, paths, index);
  g_signal_connect (store, "changed", G_CALLBACK (on_changed), &tail);
  sonde_run_store_settle (store, NULL, NULL);
  if (pthread_create (&writer, NULL, write_points, &tail) != 0)
    return 1;
  while (tail.delays->len < n)
    g_main_context_iteration (NULL, TRUE);
  pthread_join (writer, NULL);
  g_object_unref (store);
  g_array_remove_index (tail.delays, 0); /* that of the first opening */
  g_array_sort (tail.delays, compare_doubles);
  printf ("{\"n\": %u, \"median_ms\": %.1f, \"p99_ms\": %.1f, \"worst_ms\": %.1f}\n",
          tail.delays->len, g_array_index (tail.delays, double, tail.delays->len / 2),
          g_array_index (tail.delays, double, tail.delays->len * 99 / 100),
          g_array_index (tail.delays, double, tail.delays->len - 1));
  run_file_free (tail.file);
  g_array_unref (tail.delays);
  g_free (tail.written);
  return 0;
}

int
main (int argc, char **argv)
{
  if (argc == 4 && strcmp (argv[1], "open") == 0)
    return measure_open (argv[2], argv[3]);
  if (argc == 4 && strcmp (argv[1], "tail") == 0 && atoi (argv[3]) > 1)
    return measure_tail (argv[2], (guint) atoi (argv[3]));
  fprintf (stderr, "usage: bench-records open PATH INDEX | tail FOLDER N\n");
  return 2;
}
