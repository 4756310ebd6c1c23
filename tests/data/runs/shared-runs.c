/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/data/runs/shared-runs.h"

#include <sqlite3.h>
#include <string.h>

void
shared_runs_add_points (SharedRuns *fixture, guint run, guint n)
{
  run_file_add_ramp (fixture->files[run], fixture->n_points[run], n, "loss");
  fixture->n_points[run] += n;
}

void
shared_runs_set_up (SharedRuns *fixture, gconstpointer data)
{
  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
  for (guint i = 0; i < SHARED_RUNS; i++)
    {
      fixture->files[i] = run_file_new (1, "%s/run-%03u/records/000001.sonde", fixture->runs, i);
      fixture->n_points[i] = 0;
      shared_runs_add_points (fixture, i, 10 + i * 7);
      for (guint k = 0; k < SHARED_TEXTS; k++)
        run_file_add_text (fixture->files[i], k, "notes", "text");
      run_file_age (fixture->files[i], 1000);
    }
}

void
shared_runs_tear_down (SharedRuns *fixture, gconstpointer data)
{
  for (guint i = 0; i < SHARED_RUNS; i++)
    run_file_free (fixture->files[i]);
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
}

void
shared_runs_touch (SondeRunStore *store)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      SondeRun *run = run_store_item (store, i);
      SondeSeries *series = sonde_run_get_series (run, "loss");
      g_autoptr (GArray) refs = sonde_run_list_blobs (run, "notes", SONDE_RECORD_TEXT);
      guint64 n = series ? sonde_series_get_n_points (series) : 0;
      g_autofree SondePoint *points = g_new (SondePoint, n);

      if (series)
        sonde_series_copy_points (series, 0, n, points);
    }
}

static void
assert_run (SondeRun *run, guint n)
{
  SondeSeries *series = sonde_run_get_series (run, "loss");
  g_autofree SondePoint *points = g_new (SondePoint, n + 1);
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, "notes", SONDE_RECORD_TEXT);
  const SondeRunFile *file = g_ptr_array_index (sonde_run_get_files (run), 0);

  g_assert_cmpuint (sonde_run_get_tags (run)->len, ==, 2);
  g_assert_cmpuint (((SondeRunTag *) sonde_run_get_tags (run)->pdata[0])->count, ==, n);
  g_assert_cmpuint (((SondeRunTag *) sonde_run_get_tags (run)->pdata[1])->count, ==, SHARED_TEXTS);
  g_assert_cmpuint (file->damage->len, ==, 0);
  g_assert_cmpuint (sonde_series_get_n_points (series), ==, n);
  g_assert_cmpuint (sonde_series_copy_points (series, 0, n + 1, points), ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (points[i].step, ==, i);
      g_assert_cmpfloat (points[i].value, ==, (double) (((gint64) i * i) % 1000));
    }
  g_assert_cmpuint (refs->len, ==, SHARED_TEXTS);
}

void
shared_runs_assert_points (SharedRuns *fixture, SondeRunStore *store)
{
  guint at = 0;

  for (guint i = 0; i < SHARED_RUNS; i++)
    if (fixture->n_points[i] > 0)
      assert_run (run_store_item (store, at++), fixture->n_points[i]);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, at);
}

void
shared_runs_assert_opens (SharedRuns *fixture)
{
  g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

  shared_runs_assert_points (fixture, store);
}

char *
shared_runs_get_path (SharedRuns *fixture)
{
  g_autofree char *key = g_strdup_printf ("the small runs of %s", fixture->runs);
  g_autofree char *path = sonde_run_index_make_path (fixture->index, key);

  return g_strconcat (path, ".sqlite", NULL);
}

guint
shared_runs_count_indices (SharedRuns *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->index, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_suffix (name, ".sqlite");
  return n;
}

gint64
shared_runs_ask (SharedRuns *fixture, const char *sql)
{
  g_autofree char *path = shared_runs_get_path (fixture);
  sqlite3 *database = NULL;
  sqlite3_stmt *statement = NULL;
  gint64 result;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (database, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  result = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (database);
  return result;
}

void
shared_runs_execute (SharedRuns *fixture, const char *sql)
{
  g_autofree char *path = shared_runs_get_path (fixture);
  sqlite3 *database = NULL;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (database);
}

static guint n_opened;

static int
count_open (const SondeIo *io, int folder, const char *path, int flags, mode_t mode)
{
  n_opened += g_str_has_suffix (path, ".sonde");
  return sonde_io_system ()->open (io, folder, path, flags, mode);
}

guint
shared_runs_count_opened (SharedRuns *fixture)
{
  SondeIo io = *sonde_io_system ();
  g_autoptr (SondeRunStore) store = NULL;
  guint n;

  io.open = count_open;
  n_opened = 0;
  store = run_store_open (&io, fixture->runs, fixture->index);
  n = n_opened;
  shared_runs_assert_points (fixture, store);
  return n;
}

void
shared_runs_assert_heals (SharedRuns *fixture)
{
  g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);
  g_autoptr (GError) error = NULL;

  shared_runs_touch (store);
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  shared_runs_assert_points (fixture, store);
}
