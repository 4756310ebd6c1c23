/* SPDX-License-Identifier: Apache-2.0
 * The index that the small runs of a folder share: they change, grow out of it, vanish; it is
 * deleted. The points must be the same every time. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/runs/worker/sonde-run-work-file-private.h"
#include "data/runs/worker/sonde-run-work-save-private.h"
#include "data/runs/worker/sonde-run-work-scan-private.h"
#include "tests/data/runs/shared-runs.h"

static void
test_changed (SharedRuns *fixture, gconstpointer data)
{
  g_assert_cmpuint (shared_runs_count_opened (fixture), >=, SHARED_RUNS);
  g_assert_cmpuint (shared_runs_count_indices (fixture), ==, 1);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM shared"), ==, SHARED_RUNS);
  g_assert_cmpint (shared_runs_ask (fixture, "PRAGMA page_size"), ==, 16384);
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);

  /* grown, replaced by another, gone */
  shared_runs_add_points (fixture, 3, 100);
  run_file_free (fixture->files[5]);
  fixture->files[5] = run_file_new (1, "%s/run-005/records/new", fixture->runs);
  fixture->n_points[5] = 0;
  shared_runs_add_points (fixture, 5, 44);
  for (guint k = 0; k < SHARED_TEXTS; k++)
    run_file_add_text (fixture->files[5], k, "notes", "text");
  {
    g_autofree char *place = g_build_filename (fixture->runs, "run-005/records/000001.sonde", NULL);

    g_assert_cmpint (g_rename (fixture->files[5]->path, place), ==, 0);
  }
  g_assert_cmpint (g_unlink (fixture->files[7]->path), ==, 0);
  fixture->n_points[7] = 0;
  g_assert_cmpuint (shared_runs_count_opened (fixture), >, 0);
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM block_data"), ==,
                   2 * SHARED_RUNS);
}

/* ---- a file that looks the same ------------------------------------------ */

#define N_EXTRA 40u

/* A record file of so many values step + @shift, whose length does not depend on them. */
static void
write_extra (SharedRuns *fixture, const char *place, double shift)
{
  RunFile *file = run_file_new (1, "%s/%s", fixture->folder, place);

  for (guint i = 0; i < N_EXTRA; i++)
    run_file_add_scalar (file, i, "loss", i + shift);
  run_file_free (file);
}

/* Its size and time are those of @status from here on. */
static void
make_look_like (const char *path, const struct stat *status)
{
  const struct timespec times[] = { status->st_mtim, status->st_mtim };
  struct stat now;

  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
  g_assert_cmpint (stat (path, &now), ==, 0);
  g_assert_cmpint (now.st_size, ==, status->st_size);
  g_assert_cmpmem (&now.st_mtim, sizeof now.st_mtim, &status->st_mtim, sizeof now.st_mtim);
}

/* In a store that reads the file, and in one that has it in its index. */
static void
assert_extra (SharedRuns *fixture, double shift)
{
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);
      SondeSeries *series = sonde_run_get_series (sonde_run_store_find (store, "extra"), "loss");
      SondePoint points[N_EXTRA + 1];

      g_assert_cmpuint (sonde_series_copy_points (series, 0, N_EXTRA + 1, points), ==, N_EXTRA);
      for (guint i = 0; i < N_EXTRA; i++)
        g_assert_cmpfloat (points[i].value, ==, i + shift);
    }
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM shared"), ==, SHARED_RUNS + 1);
}

/* Another file of the same size and time, with another inode or with the same. */
static void
test_replaced (SharedRuns *fixture, gconstpointer data)
{
  g_autofree char *place
      = g_build_filename (fixture->folder, "runs/extra/records/000001.sonde", NULL);
  g_autofree char *other = g_build_filename (fixture->folder, "other", NULL);
  struct stat status, now;

  write_extra (fixture, "runs/extra/records/000001.sonde", 0.25);
  g_assert_cmpint (stat (place, &status), ==, 0);
  status.st_mtim.tv_sec -= 1000;
  make_look_like (place, &status);
  assert_extra (fixture, 0.25);

  write_extra (fixture, "other", 0.5);
  make_look_like (other, &status);
  g_assert_cmpint (g_rename (other, place), ==, 0);
  assert_extra (fixture, 0.5);

  g_assert_cmpint (stat (place, &now), ==, 0);
  g_assert_cmpint (now.st_ino, !=, status.st_ino);
  status.st_ino = now.st_ino;
  write_extra (fixture, "runs/extra/records/000001.sonde", 0.75);
  make_look_like (place, &status);
  g_assert_cmpint (stat (place, &now), ==, 0);
  g_assert_cmpint (now.st_ino, ==, status.st_ino);
  assert_extra (fixture, 0.75);
}

/* Runs of an open store grow, one of them out of the index. */
static void
test_growing (SharedRuns *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  shared_runs_assert_opens (fixture);
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    for (guint round = 0; round < 4; round++)
      {
        for (guint i = 0; i < 10; i++)
          shared_runs_add_points (fixture, i, i == 4 ? 5000 : 20);
        g_assert_true (sonde_run_store_settle (store, NULL, &error));
        shared_runs_assert_points (fixture, store);
      }
    for (guint i = 0; i < 10; i++)
      run_file_age (fixture->files[i], 500);
    g_assert_true (sonde_run_store_settle (store, NULL, &error));
    shared_runs_assert_points (fixture, store);
  }
  g_assert_cmpuint (shared_runs_count_indices (fixture), ==, 2);
  shared_runs_assert_opens (fixture);
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);
}

/* While the saver has the index, runs that were read wait, and reading waits with them. The worker's
 * thread does not run: this one is it. */
static void
test_waits (SharedRuns *fixture, gconstpointer data)
{
  const char *paths[] = { fixture->runs, NULL };
  SondeRunWorker *worker = sonde_run_worker_new (NULL, paths, fixture->index);
  WorkRoot *root = g_ptr_array_index (worker->roots, 0);
  guint64 n_points = 0;

  sonde_work_scan_due_roots (worker, G_MAXINT64);
  while (!g_queue_is_empty (&worker->fresh))
    sonde_work_run_prepare (g_queue_pop_head (&worker->fresh));
  while (!g_queue_is_empty (&worker->queue))
    sonde_work_read_next (worker, G_MAXINT64);
  root->saving = TRUE;
  worker->n_saving_points = 2 * SAVE_POINTS - 1000;
  for (guint i = 0; i < SHARED_RUNS; i++)
    {
      g_assert_cmpint (sonde_work_must_wait_for_saver (worker), ==, n_points >= 1000);
      sonde_work_run_save_index (g_ptr_array_index (worker->runs, i));
      n_points += fixture->n_points[i] + SHARED_TEXTS;
      g_assert_cmpuint (worker->n_waiting_points, ==, n_points);
    }
  g_assert_cmpuint (root->to_save->len, ==, 0);

  root->saving = FALSE;
  worker->n_saving_points = 0;
  for (guint i = 0; i < SHARED_RUNS; i++)
    sonde_work_run_save_index (g_ptr_array_index (worker->runs, i));
  g_assert_cmpuint (worker->n_waiting_points, ==, n_points);
  sonde_work_root_save_index (root);
  g_assert_cmpuint (worker->n_saving_points, ==, n_points);
  sonde_work_wait_for_saves (worker);
  g_assert_cmpuint (worker->n_saving_points, ==, 0);
  sonde_run_crew_stop (worker->saver);
  sonde_run_worker_free (worker);
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);
}

/* Most of it is about files that are gone: it is made anew. */
static void
test_gone (SharedRuns *fixture, gconstpointer data)
{
  gint64 epoch;

  shared_runs_assert_opens (fixture);
  epoch = shared_runs_ask (fixture, "SELECT epoch FROM meta");
  for (guint i = 0; i + SONDE_RUN_SHARED_MIN_RUNS < SHARED_RUNS; i++)
    {
      g_assert_cmpint (g_unlink (fixture->files[i]->path), ==, 0);
      fixture->n_points[i] = 0;
    }
  shared_runs_assert_opens (fixture);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT epoch FROM meta"), ==, epoch);
  shared_runs_execute (
      fixture, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
               " INSERT INTO shared (path, crc, state) SELECT i, 0, x'00' FROM n");
  shared_runs_assert_opens (fixture);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT epoch FROM meta"), !=, epoch);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM shared"), ==,
                   SONDE_RUN_SHARED_MIN_RUNS);
}

/* Bytes whose checksum is right and that say something impossible. */
static void
test_codec (SharedRuns *fixture, gconstpointer data)
{
  g_autoptr (GArray) updates = g_array_new (FALSE, FALSE, sizeof (SondeRunBlockUpdate));
  g_autoptr (GPtrArray) files = g_ptr_array_new (), names = g_ptr_array_new ();
  g_autofree char *folder = g_path_get_dirname (fixture->files[9]->path);
  const SondeRecordFormat *format = &sonde_record_format_sonde;
  SondeRunFileReader *file
      = sonde_run_file_reader_new (NULL, format, 0, folder, "000001.sonde", &updates);
  g_autoptr (GByteArray) bytes = NULL;
  SondeRecordBatch records;
  SondeRunBatch *batch;
  guint n_open = 0;

  g_array_set_clear_func (updates, (GDestroyNotify) sonde_run_block_update_clear);
  sonde_record_batch_init (&records);
  file->batch = &records;
  file->n_open = &n_open;
  g_assert_cmpint (sonde_run_file_reader_look (file, 0), ==, SONDE_RUN_FILE_RESET);
  g_assert_cmpint (sonde_run_file_reader_read (file, G_MAXINT64, 0), ==, SONDE_RUN_READ_DONE);
  g_ptr_array_add (files, file);
  batch = sonde_run_batch_new (files);
  bytes = sonde_run_shared_encode (g_ptr_array_index (batch->files, 0));
  sonde_run_batch_finish (batch, FALSE, 0);
  sonde_run_file_reader_reset (file);
  g_assert_true (sonde_run_shared_decode (file, 1, bytes->data, bytes->len, names));
  g_assert_cmpuint (file->segments->len, ==, 2);
  for (guint length = 0; length < bytes->len; length++)
    {
      sonde_run_file_reader_reset (file);
      g_assert_false (sonde_run_shared_decode (file, 1, bytes->data, length, names));
    }
  /* no reading past the end, whatever stands in it */
  for (guint i = 0; i < bytes->len; i++)
    {
      bytes->data[i] ^= 0xff;
      sonde_run_file_reader_reset (file);
      sonde_run_shared_decode (file, 1, bytes->data, bytes->len, names);
      bytes->data[i] ^= 0xff;
    }
  sonde_run_file_reader_free (file);
  sonde_record_batch_clear (&records);
}

static void
test_deleted_while_open (SharedRuns *fixture, gconstpointer data)
{
  g_autofree char *path = shared_runs_get_path (fixture);
  g_autoptr (GError) error = NULL;

  shared_runs_assert_opens (fixture);
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    g_assert_cmpint (g_unlink (path), ==, 0);
    shared_runs_touch (store);
    g_assert_true (sonde_run_store_settle (store, NULL, &error));
    shared_runs_assert_points (fixture, store);
    shared_runs_add_points (fixture, 2, 30);
    g_assert_true (sonde_run_store_settle (store, NULL, &error));
    shared_runs_assert_points (fixture, store);
  }
  shared_runs_assert_opens (fixture);
}

/* ---- connections --------------------------------------------------------- */

/* Open files of this process whose name ends so. */
static guint
count_open (const char *suffix)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/fd", name, NULL);
      g_autofree char *target = g_file_read_link (path, NULL);

      n += target != NULL && g_str_has_suffix (target, suffix);
    }
  return n;
}

/* All runs of the index are read through one connection of the owner's thread. */
static void
test_connections (SharedRuns *fixture, gconstpointer data)
{
  shared_runs_assert_opens (fixture);
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);
    guint before = count_open (".sqlite");

    shared_runs_assert_points (fixture, store);
    g_assert_cmpuint (count_open (".sqlite"), ==, before + 1);
  }
  g_assert_cmpuint (count_open (".sqlite"), ==, 0);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (SharedRuns *fixture, gconstpointer data);
  } tests[] = {
    { "/data/runs/shared/changed", test_changed },
    { "/data/runs/shared/replaced", test_replaced },
    { "/data/runs/shared/growing", test_growing },
    { "/data/runs/shared/waits", test_waits },
    { "/data/runs/shared/gone", test_gone },
    { "/data/runs/shared/codec", test_codec },
    { "/data/runs/shared/deleted-while-open", test_deleted_while_open },
    { "/data/runs/shared/connections", test_connections },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, SharedRuns, NULL, shared_runs_set_up, tests[i].func,
                shared_runs_tear_down);
  return g_test_run ();
}
