/* SPDX-License-Identifier: Apache-2.0
 * A snapshot has the points of its moment, on another thread, whatever becomes of the series. */
#include <string.h>

#include "data/runs/sonde-series-snapshot.h"
#include "tests/data/runs/run-files.h"

#define N_POINTS 9001u /* two blocks and a part of one */

typedef struct
{
  char *folder, *index;
  RunFile *file;
  SondeRunStore *store;
} Fixture;

static void
set_up (Fixture *fixture)
{
  fixture->folder = run_folder_new ();
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
  fixture->file = run_file_new (1, "%s/run/records/000001.sonde", fixture->folder);
  run_file_add_ramp (fixture->file, 0, N_POINTS, "loss");
  fixture->store = run_store_open (NULL, fixture->folder, fixture->index);
}

static void
tear_down (Fixture *fixture)
{
  g_clear_object (&fixture->store);
  run_file_free (fixture->file);
  run_folder_remove (fixture->folder);
  g_free (fixture->index);
}

static SondeSeries *
get_series (Fixture *fixture)
{
  return sonde_run_get_series (run_store_item (fixture->store, 0), "loss");
}

static void
check_span (const SondePointSpan *span, guint64 first)
{
  for (gsize i = 0; i < span->n; i++)
    {
      guint64 at = first + i;

      g_assert_cmpint (span->steps[i], ==, (gint64) at);
      g_assert_true (span->values[i] == (double) (at * at % 1000));
      g_assert_cmpuint (span->sessions[i], ==, 1);
    }
}

/* Reads all from point @from on in parts of a size that fits no block. */
static void
check_points (SondeSeriesSnapshot *snapshot, guint64 from, guint64 n_points)
{
  SondePointSpan span;
  guint64 at = from;

  g_assert_cmpuint (sonde_series_snapshot_get_n_points (snapshot), ==, n_points);
  while (sonde_series_snapshot_lend_points (snapshot, at, 1000, &span) > 0)
    {
      g_assert_cmpuint (span.n, <=, 1000);
      check_span (&span, at);
      at += span.n;
    }
  g_assert_cmpuint (at, ==, n_points);
}

static gpointer
check_in_thread (gpointer data)
{
  check_points (data, 0, N_POINTS);
  sonde_series_snapshot_free (data);
  return NULL;
}

static void
check_on_other_thread (SondeSeriesSnapshot *snapshot)
{
  g_thread_join (g_thread_new ("snapshot", check_in_thread, snapshot));
}

/* Points of a store that read the records are in memory, those of one that opened the index are not. */
static void
test_points (void)
{
  Fixture fixture;

  set_up (&fixture);
  check_on_other_thread (sonde_series_snapshot_new (get_series (&fixture), 0));
  g_clear_object (&fixture.store);
  fixture.store = run_store_open (NULL, fixture.folder, fixture.index);
  check_on_other_thread (sonde_series_snapshot_new (get_series (&fixture), 0));
  tear_down (&fixture);
}

/* Going back and forth, from a point on that is not the first. */
static void
test_part (void)
{
  Fixture fixture;
  g_autoptr (SondeSeriesSnapshot) snapshot = NULL;
  SondePointSpan span;

  set_up (&fixture);
  snapshot = sonde_series_snapshot_new (get_series (&fixture), 5000);
  check_points (snapshot, 5000, N_POINTS);
  check_points (snapshot, 8999, N_POINTS);
  check_points (snapshot, 5000, N_POINTS);
  g_assert_cmpuint (sonde_series_snapshot_lend_points (snapshot, N_POINTS, 1, &span), ==, 0);
  g_assert_cmpuint (sonde_series_snapshot_lend_points (snapshot, 0, 1, &span), ==, 0);
  g_assert_cmpuint (sonde_series_snapshot_lend_points (snapshot, 5000, 0, &span), ==, 0);
  tear_down (&fixture);
}

/* The run grows, then its file is cut: the snapshot is of the moment before. */
static void
test_changes (void)
{
  Fixture fixture;
  g_autoptr (SondeSeriesSnapshot) before = NULL, after = NULL;
  g_autoptr (GError) error = NULL;

  set_up (&fixture);
  before = sonde_series_snapshot_new (get_series (&fixture), 0);
  run_file_add_ramp (fixture.file, N_POINTS, 500, "loss");
  sonde_run_store_settle (fixture.store, NULL, &error);
  g_assert_no_error (error);
  after = sonde_series_snapshot_new (get_series (&fixture), 0);
  g_clear_object (&fixture.store);
  check_points (before, 0, N_POINTS);
  check_points (after, 0, N_POINTS + 500);
  tear_down (&fixture);
}

static void
test_lending (void)
{
  Fixture fixture;
  SondePointSpan span;
  guint64 at = 0;

  set_up (&fixture);
  while (sonde_series_lend_points (get_series (&fixture), at, 3000, &span) > 0)
    {
      check_span (&span, at);
      at += span.n;
    }
  g_assert_cmpuint (at, ==, N_POINTS);
  tear_down (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/runs/snapshot/points", test_points);
  g_test_add_func ("/data/runs/snapshot/part", test_part);
  g_test_add_func ("/data/runs/snapshot/changes", test_changes);
  g_test_add_func ("/data/runs/snapshot/lending", test_lending);
  return g_test_run ();
}
