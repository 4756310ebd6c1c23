/* SPDX-License-Identifier: Apache-2.0
 * The index that the small runs of a folder share: they change, grow out of it, vanish; it is
 * deleted, damaged, held by another store, killed while it is written. The points must be the same
 * every time. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/runs/sonde-run-shared-private.h"
#include "tests/data/runs/run-files.h"

#define N_RUNS (SONDE_RUN_SHARED_MIN_RUNS + 16)
#define N_TEXTS 3

/* @n_points: of each run, as the files have them */
typedef struct
{
  char *folder, *runs, *index;
  RunFile *files[N_RUNS];
  guint n_points[N_RUNS];
} Fixture;

static void
add_points (Fixture *fixture, guint run, guint n)
{
  run_file_add_ramp (fixture->files[run], fixture->n_points[run], n, "loss");
  fixture->n_points[run] += n;
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
  for (guint i = 0; i < N_RUNS; i++)
    {
      fixture->files[i] = run_file_new (1, "%s/run-%03u/records/000001.sonde", fixture->runs, i);
      fixture->n_points[i] = 0;
      add_points (fixture, i, 10 + i * 7);
      for (guint k = 0; k < N_TEXTS; k++)
        run_file_add_text (fixture->files[i], k, "notes", "text");
      run_file_age (fixture->files[i], 1000);
    }
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < N_RUNS; i++)
    run_file_free (fixture->files[i]);
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
}

/* Asks for all points, whether they can be had or not. */
static void
touch_points (SondeRunStore *store)
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
  g_assert_cmpuint (((SondeRunTag *) sonde_run_get_tags (run)->pdata[1])->count, ==, N_TEXTS);
  g_assert_cmpuint (file->damage->len, ==, 0);
  g_assert_cmpuint (sonde_series_get_n_points (series), ==, n);
  g_assert_cmpuint (sonde_series_copy_points (series, 0, n + 1, points), ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (points[i].step, ==, i);
      g_assert_cmpfloat (points[i].value, ==, (double) (((gint64) i * i) % 1000));
    }
  g_assert_cmpuint (refs->len, ==, N_TEXTS);
}

/* Runs without points are gone. */
static void
assert_points (Fixture *fixture, SondeRunStore *store)
{
  guint at = 0;

  for (guint i = 0; i < N_RUNS; i++)
    if (fixture->n_points[i] > 0)
      assert_run (run_store_item (store, at++), fixture->n_points[i]);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, at);
}

static void
assert_opens (Fixture *fixture)
{
  g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

  assert_points (fixture, store);
}

static char *
shared_path (Fixture *fixture)
{
  g_autofree char *key = g_strdup_printf ("the small runs of %s", fixture->runs);
  g_autofree char *path = sonde_run_index_make_path (fixture->index, key);

  return g_strconcat (path, ".sqlite", NULL);
}

static guint
count_indices (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->index, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_suffix (name, ".sqlite");
  return n;
}

static gint64
ask (Fixture *fixture, const char *sql)
{
  g_autofree char *path = shared_path (fixture);
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

static void
execute (Fixture *fixture, const char *sql)
{
  g_autofree char *path = shared_path (fixture);
  sqlite3 *database = NULL;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (database);
}

/* ---- what is read again -------------------------------------------------- */

static guint n_opened;

static int
count_open (const SondeIo *io, int folder, const char *path, int flags, mode_t mode)
{
  n_opened += g_str_has_suffix (path, ".sonde");
  return sonde_io_system ()->open (io, folder, path, flags, mode);
}

/* How many record files are opened for a store; its points are right. */
static guint
count_opened (Fixture *fixture)
{
  SondeIo io = *sonde_io_system ();
  g_autoptr (SondeRunStore) store = NULL;
  guint n;

  io.open = count_open;
  n_opened = 0;
  store = run_store_open (&io, fixture->runs, fixture->index);
  n = n_opened;
  assert_points (fixture, store);
  return n;
}

static void
test_changed (Fixture *fixture, gconstpointer data)
{
  g_assert_cmpuint (count_opened (fixture), >=, N_RUNS);
  g_assert_cmpuint (count_indices (fixture), ==, 1);
  g_assert_cmpint (ask (fixture, "SELECT count (*) FROM shared"), ==, N_RUNS);
  g_assert_cmpuint (count_opened (fixture), ==, 0);

  /* grown, replaced by another, gone */
  add_points (fixture, 3, 100);
  run_file_free (fixture->files[5]);
  fixture->files[5] = run_file_new (1, "%s/run-005/records/new", fixture->runs);
  fixture->n_points[5] = 0;
  add_points (fixture, 5, 44);
  for (guint k = 0; k < N_TEXTS; k++)
    run_file_add_text (fixture->files[5], k, "notes", "text");
  {
    g_autofree char *place = g_build_filename (fixture->runs, "run-005/records/000001.sonde", NULL);

    g_assert_cmpint (g_rename (fixture->files[5]->path, place), ==, 0);
  }
  g_assert_cmpint (g_unlink (fixture->files[7]->path), ==, 0);
  fixture->n_points[7] = 0;
  g_assert_cmpuint (count_opened (fixture), >, 0);
  g_assert_cmpuint (count_opened (fixture), ==, 0);
  g_assert_cmpint (ask (fixture, "SELECT count (*) FROM block_data"), ==, 2 * N_RUNS);
}

/* Runs of an open store grow, one of them out of the index. */
static void
test_growing (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  assert_opens (fixture);
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    for (guint round = 0; round < 4; round++)
      {
        for (guint i = 0; i < 10; i++)
          add_points (fixture, i, i == 4 ? 5000 : 20);
        g_assert_true (sonde_run_store_settle (store, NULL, &error));
        assert_points (fixture, store);
      }
    for (guint i = 0; i < 10; i++)
      run_file_age (fixture->files[i], 500);
    g_assert_true (sonde_run_store_settle (store, NULL, &error));
    assert_points (fixture, store);
  }
  g_assert_cmpuint (count_indices (fixture), ==, 2);
  assert_opens (fixture);
  g_assert_cmpuint (count_opened (fixture), ==, 0);
}

/* Most of it is about files that are gone: it is made anew. */
static void
test_gone (Fixture *fixture, gconstpointer data)
{
  gint64 epoch;

  assert_opens (fixture);
  epoch = ask (fixture, "SELECT epoch FROM meta");
  for (guint i = 0; i + SONDE_RUN_SHARED_MIN_RUNS < N_RUNS; i++)
    {
      g_assert_cmpint (g_unlink (fixture->files[i]->path), ==, 0);
      fixture->n_points[i] = 0;
    }
  assert_opens (fixture);
  g_assert_cmpint (ask (fixture, "SELECT epoch FROM meta"), ==, epoch);
  execute (fixture, "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)"
                    " INSERT INTO shared (path, crc, state) SELECT i, 0, x'00' FROM n");
  assert_opens (fixture);
  g_assert_cmpint (ask (fixture, "SELECT epoch FROM meta"), !=, epoch);
  g_assert_cmpint (ask (fixture, "SELECT count (*) FROM shared"), ==, SONDE_RUN_SHARED_MIN_RUNS);
}

/* ---- what befalls the index ---------------------------------------------- */

/* A lost block is noticed when it is asked for: then the run is read again. */
static void
assert_heals (Fixture *fixture)
{
  g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);
  g_autoptr (GError) error = NULL;

  touch_points (store);
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  assert_points (fixture, store);
}

static void
test_damaged (Fixture *fixture, gconstpointer data)
{
  static const char *const changes[] = {
    "PRAGMA user_version = 999",
    "DROP TABLE block_data",
    "DROP TABLE shared; CREATE TABLE shared (x)",
    "UPDATE shared SET crc = crc + 1",
    "UPDATE shared SET state = NULL",
    "UPDATE shared SET path = NULL WHERE id = 0; DELETE FROM shared WHERE id % 2 = 0",
    "DELETE FROM block_data WHERE id % 2 = 0",
    "UPDATE block_data SET columns = x'00'",
    "UPDATE shared SET id = id + 100000",
  };
  g_autofree char *path = shared_path (fixture);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  assert_opens (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_test_message ("%s", changes[i]);
      execute (fixture, changes[i]);
      assert_heals (fixture);
      assert_heals (fixture);
    }
  for (int round = 0; round < 20; round++)
    {
      g_autofree char *bytes = NULL;
      gsize length;

      g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
      for (guint k = 0; k < 100 && round % 2 == 0; k++)
        bytes[g_rand_int_range (rand, round < 10 ? 0 : 4096, length)] ^= 0x5a;
      if (round % 2 == 1)
        length = g_rand_int_range (rand, 0, length);
      g_assert_true (g_file_set_contents (path, bytes, length, NULL));
      assert_heals (fixture);
      assert_heals (fixture);
    }
}

/* Bytes whose checksum is right and that say something impossible. */
static void
test_codec (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GArray) updates = g_array_new (FALSE, FALSE, sizeof (SondeRunBlockUpdate));
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
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
  g_assert_true (sonde_run_shared_decode (file, 1, bytes->data, bytes->len));
  g_assert_cmpuint (file->segments->len, ==, 2);
  for (guint length = 0; length < bytes->len; length++)
    {
      sonde_run_file_reader_reset (file);
      g_assert_false (sonde_run_shared_decode (file, 1, bytes->data, length));
    }
  /* no reading past the end, whatever stands in it */
  for (guint i = 0; i < bytes->len; i++)
    {
      bytes->data[i] ^= 0xff;
      sonde_run_file_reader_reset (file);
      sonde_run_shared_decode (file, 1, bytes->data, bytes->len);
      bytes->data[i] ^= 0xff;
    }
  sonde_run_file_reader_free (file);
  sonde_record_batch_clear (&records);
}

static void
test_deleted_while_open (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = shared_path (fixture);
  g_autoptr (GError) error = NULL;

  assert_opens (fixture);
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    g_assert_cmpint (g_unlink (path), ==, 0);
    touch_points (store);
    g_assert_true (sonde_run_store_settle (store, NULL, &error));
    assert_points (fixture, store);
    add_points (fixture, 2, 30);
    g_assert_true (sonde_run_store_settle (store, NULL, &error));
    assert_points (fixture, store);
  }
  assert_opens (fixture);
}

static void
test_two_stores (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeRunStore) one = run_store_open (NULL, fixture->runs, fixture->index);
  g_autoptr (SondeRunStore) two = run_store_open (NULL, fixture->runs, fixture->index);
  g_autoptr (GError) error = NULL;

  for (guint round = 0; round < 3; round++)
    {
      for (guint i = 0; i < N_RUNS; i += 3)
        add_points (fixture, i, 10);
      g_assert_true (sonde_run_store_settle (two, NULL, &error));
      g_assert_true (sonde_run_store_settle (one, NULL, &error));
      assert_points (fixture, one);
      assert_points (fixture, two);
    }
  g_clear_object (&one);
  add_points (fixture, 1, 10);
  g_assert_true (sonde_run_store_settle (two, NULL, &error));
  assert_points (fixture, two);
  g_clear_object (&two);
  assert_opens (fixture);
}

/* Opens the runs and dies by its own alarm after so many µs, wherever it is then. */
static int
open_and_die (char **arguments)
{
  struct itimerval alarm = { .it_value.tv_usec = atoi (arguments[2]) };

  setitimer (ITIMER_REAL, &alarm, NULL);
  g_object_unref (run_store_open (NULL, arguments[0], arguments[1]));
  return 0;
}

static void
test_killed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  int n_rounds = g_getenv ("SONDE_KILLS") ? atoi (g_getenv ("SONDE_KILLS")) : 30;
  guint n_killed = 0;

  if (g_getenv ("SONDE_TEST_VALGRIND") != NULL)
    {
      g_test_skip ("the test runs itself again, which valgrind does not follow");
      return;
    }
  for (int round = 0; round < n_rounds; round++)
    {
      g_autofree char *moment = g_strdup_printf ("%d", g_rand_int_range (rand, 1, 100000));
      g_autofree char *path = shared_path (fixture);
      const char *arguments[]
          = { "/proc/self/exe", "--open", fixture->runs, fixture->index, moment, NULL };
      g_autoptr (GError) error = NULL;
      int status;

      for (guint i = round % 5; i < N_RUNS; i += 5)
        {
          add_points (fixture, i, 1);
          run_file_age (fixture->files[i], 1000 - round);
        }
      g_spawn_sync (NULL, (char **) arguments, NULL, 0, NULL, NULL, NULL, NULL, &status, &error);
      g_assert_no_error (error);
      g_assert_true (status == 0 || (WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM));
      n_killed += WIFSIGNALED (status);
      if (round % 7 == 6)
        g_unlink (path);
      if (round % 4 == 3)
        assert_opens (fixture);
    }
  assert_opens (fixture);
  g_assert_cmpuint (n_killed, >, 0);
  g_test_message ("%u kills in %d rounds", n_killed, n_rounds);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/data/runs/shared/changed", test_changed },
    { "/data/runs/shared/growing", test_growing },
    { "/data/runs/shared/gone", test_gone },
    { "/data/runs/shared/damaged", test_damaged },
    { "/data/runs/shared/codec", test_codec },
    { "/data/runs/shared/deleted-while-open", test_deleted_while_open },
    { "/data/runs/shared/two-stores", test_two_stores },
    { "/data/runs/shared/killed", test_killed },
  };

  /* the child of test_killed() */
  if (argc == 5 && g_str_equal (argv[1], "--open"))
    return open_and_die (argv + 2);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
