/* SPDX-License-Identifier: Apache-2.0
 * The index as a cache: deleted, damaged, of another schema, shared, killed while it is written.
 * The points must be the same every time. */
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

#include "data/runs/sonde-run-index-private.h"
#include "tests/data/runs/run-files.h"

#define N_POINTS 30000u

typedef struct
{
  char *folder, *runs, *index;
  RunFile *file;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
  fixture->file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  run_file_add_ramp (fixture->file, 0, N_POINTS, "loss");
  for (int i = 0; i < 20; i++)
    run_file_add_text (fixture->file, i, "notes", "text");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  run_file_free (fixture->file);
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
}

static void
assert_points (SondeRunStore *store, guint n)
{
  SondeRun *run = run_store_item (store, 0);
  SondeSeries *series = sonde_run_get_series (run, "loss");
  g_autofree SondePoint *points = g_new (SondePoint, n + 1);
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, "notes", SONDE_RECORD_TEXT);

  g_assert_cmpuint (sonde_series_get_n_points (series), ==, n);
  g_assert_cmpuint (sonde_series_copy_points (series, 0, n + 1, points), ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (points[i].step, ==, i);
      g_assert_cmpfloat (points[i].value, ==, (double) (((gint64) i * i) % 1000));
    }
  g_assert_cmpuint (refs->len, ==, 20);
}

static void
assert_opens (Fixture *fixture, guint n)
{
  g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

  assert_points (store, n);
}

/* The only file in the index folder whose name ends so; NULL when there is none. */
static char *
find_index (Fixture *fixture, const char *suffix)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->index, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, suffix))
      return g_build_filename (fixture->index, name, NULL);
  return NULL;
}

static void
test_deleted (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;

  assert_opens (fixture, N_POINTS);
  path = find_index (fixture, ".sqlite");
  g_assert_nonnull (path);
  g_assert_cmpint (g_unlink (path), ==, 0);
  assert_opens (fixture, N_POINTS);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
}

/* Flips bytes in one place of the file. */
static void
damage_file (const char *path, guint64 offset, guint n)
{
  int fd = open (path, O_RDWR | O_CLOEXEC);

  g_assert_cmpint (fd, >=, 0);
  for (guint i = 0; i < n; i++)
    {
      guint8 byte;

      if (pread (fd, &byte, 1, offset + i) != 1)
        break;
      byte ^= 0x5a;
      g_assert_cmpint (pwrite (fd, &byte, 1, offset + i), ==, 1);
    }
  close (fd);
}

static void
test_garbage (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  struct stat status;

  assert_opens (fixture, N_POINTS);
  path = find_index (fixture, ".sqlite");
  g_assert_true (g_file_set_contents (path, "no database at all", -1, NULL));
  assert_opens (fixture, N_POINTS);
  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  assert_opens (fixture, N_POINTS);
  for (int round = 0; round < 60; round++)
    {
      g_assert_cmpint (g_stat (path, &status), ==, 0);
      if (round % 3 == 0)
        g_assert_cmpint (truncate (path, g_rand_int_range (rand, 1, status.st_size)), ==, 0);
      else
        damage_file (path,
                     round < 20 ? g_rand_int_range (rand, 0, 100)
                                : g_rand_int_range (rand, 0, status.st_size),
                     1 + round % 7 * 50);
      {
        /* a lost block is noticed when it is asked for: then the run is read again */
        g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);
        g_autofree SondePoint *points = g_new (SondePoint, N_POINTS);
        g_autoptr (GError) error = NULL;
        g_autoptr (GArray) buckets = NULL, refs = NULL;
        SondeSeries *series = sonde_run_get_series (run_store_item (store, 0), "loss");

        sonde_series_copy_points (series, 0, N_POINTS, points);
        refs = sonde_run_list_blobs (run_store_item (store, 0), "notes", SONDE_RECORD_TEXT);
        g_assert_true (sonde_run_store_settle (store, NULL, &error));
        assert_points (store, N_POINTS);
        buckets = sonde_series_query (series, 0, N_POINTS, 100);
        g_assert_cmpuint (buckets->len, ==, 100);
      }
      assert_opens (fixture, N_POINTS);
    }
}

static void
execute (const char *path, const char *sql)
{
  sqlite3 *database = NULL;

  g_assert_cmpint (sqlite3_open (path, &database), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_exec (database, sql, NULL, NULL, NULL), ==, SQLITE_OK);
  sqlite3_close (database);
}

static gint64
ask (const char *path, const char *sql)
{
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
test_other_contents (Fixture *fixture, gconstpointer data)
{
  static const char *const changes[] = {
    "PRAGMA user_version = 999",
    "UPDATE meta SET key = '/somewhere/else'",
    "UPDATE meta SET layout = 1",
    "DROP TABLE blocks",
    "CREATE TRIGGER t AFTER UPDATE ON meta BEGIN DELETE FROM blocks; END",
    "UPDATE blocks SET n = n + 1 WHERE number = 2",
    "UPDATE blocks SET summary = x'00' WHERE number = 1",
    "DELETE FROM blocks WHERE number = 1",
    "UPDATE files SET position = size + 5",
    "UPDATE segments SET file = 77; UPDATE files SET inode = 0",
    "UPDATE files SET anchor = x'0102030405'; UPDATE files SET mtime_ns = 5",
    "DELETE FROM tags; UPDATE files SET inode = inode + 1",
  };
  g_autofree char *path = NULL;

  assert_opens (fixture, N_POINTS);
  path = find_index (fixture, ".sqlite");
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      execute (path, changes[i]);
      assert_opens (fixture, N_POINTS);
      g_assert_cmpint (ask (path, "SELECT count (*) FROM files"), ==, 1);
      g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, N_POINTS + 20);
    }
}

/* What was left to the kernel before the machine went down may be there in part only. */
static void
test_other_boot (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;
  gint64 epoch;

  assert_opens (fixture, N_POINTS);
  path = find_index (fixture, ".sqlite");
  epoch = ask (path, "SELECT epoch FROM meta");
  assert_opens (fixture, N_POINTS);
  g_assert_cmpint (ask (path, "SELECT epoch FROM meta"), ==, epoch);
  execute (path, "UPDATE meta SET boot = 'another', synced = 1");
  assert_opens (fixture, N_POINTS);
  g_assert_cmpint (ask (path, "SELECT epoch FROM meta"), ==, epoch);
  execute (path, "UPDATE meta SET boot = 'another', synced = 0");
  assert_opens (fixture, N_POINTS);
  g_assert_cmpint (ask (path, "SELECT epoch FROM meta"), !=, epoch);
}

static void
test_not_writable (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeRunStore) store = NULL;

  /* a file where the folder should be */
  g_assert_true (g_file_set_contents (fixture->index, "x", 1, NULL));
  store = run_store_open (NULL, fixture->runs, fixture->index);
  assert_points (store, N_POINTS);
  g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
}

static int
fail_rename (const SondeIo *io, const char *from, const char *to)
{
  errno = ENOSPC;
  return -1;
}

/* The new file cannot be put in place: no index and nothing left of it, all points all the same. */
static void
test_not_published (Fixture *fixture, gconstpointer data)
{
  SondeIo io = *sonde_io_system ();
  g_autofree char *path = NULL, *rest = NULL;

  io.rename = fail_rename;
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = run_store_open (&io, fixture->runs, fixture->index);

      assert_points (store, N_POINTS);
      g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
      g_assert_null (find_index (fixture, ".sqlite"));
      g_assert_null (find_index (fixture, ".sqlite-new"));
    }
  assert_opens (fixture, N_POINTS);
  path = find_index (fixture, ".sqlite");
  g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, N_POINTS + 20);
  /* one that was killed before the rename left this */
  rest = g_strconcat (path, "-new", NULL);
  g_assert_cmpint (g_rename (path, rest), ==, 0);
  damage_file (rest, 5000, 100);
  assert_opens (fixture, N_POINTS);
  g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, N_POINTS + 20);
  g_assert_false (g_file_test (rest, G_FILE_TEST_EXISTS));
}

static void
save_nothing (SondeRunIndex *index, GPtrArray *files)
{
  SondeRunBatch *batch = sonde_run_batch_new (files);
  g_autoptr (GError) error = NULL;

  g_assert_true (sonde_run_index_save (index, batch, &error));
  g_assert_no_error (error);
  sonde_run_batch_finish (batch, TRUE, 0);
}

/* The file appears with the first save, and is synced with and without a log. */
static void
test_syncs (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = sonde_run_index_make_path (fixture->index, "/a/run");
  g_autofree char *file = g_strconcat (path, ".sqlite", NULL),
                  *wal = g_strconcat (file, "-wal", NULL);
  g_autoptr (GPtrArray) files = g_ptr_array_new ();
  SondeRunIndex *index = sonde_run_index_open (NULL, path, "/a/run", 0, NULL);
  gint64 epoch = sonde_run_index_get_epoch (index);

  g_assert_false (sonde_run_index_exists (NULL, path));
  g_assert_false (sonde_run_index_is_orphaned (index));
  save_nothing (index, files);
  g_assert_false (sonde_run_index_is_orphaned (index));
  g_assert_true (sonde_run_index_sync (index));
  g_assert_false (g_file_test (wal, G_FILE_TEST_EXISTS));
  sonde_run_index_close (index);
  g_assert_cmpint (ask (file, "SELECT synced FROM meta"), ==, 1);

  for (int round = 0; round < 2; round++)
    {
      index = sonde_run_index_open (NULL, path, "/a/run", 0, NULL);
      g_assert_cmpint (sonde_run_index_get_epoch (index), ==, epoch);
      g_assert_cmpint (sonde_run_index_get_generation (index), ==, 1 + round);
      save_nothing (index, files);
      g_assert_true (g_file_test (wal, G_FILE_TEST_EXISTS));
      g_assert_cmpint (ask (file, "SELECT synced FROM meta"), ==, 0);
      g_assert_true (sonde_run_index_sync (index));
      sonde_run_index_close (index);
      g_assert_cmpint (ask (file, "SELECT synced FROM meta"), ==, 1);
    }
}

/* What is to hold much has larger pages, and stays as it was made. */
static void
test_pages (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    guint64 bytes;
    gint64 page_bytes;
  } sizes[] = {
    { 0, 4096 },
    { SONDE_RUN_INDEX_LARGE_BYTES - 1, 4096 },
    { SONDE_RUN_INDEX_LARGE_BYTES, 16384 },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *key = g_strdup_printf ("/run %zu", i);
      g_autofree char *path = sonde_run_index_make_path (fixture->index, key);
      g_autofree char *file = g_strconcat (path, ".sqlite", NULL);
      g_autoptr (GPtrArray) files = g_ptr_array_new ();
      SondeRunIndex *index = sonde_run_index_open (NULL, path, key, sizes[i].bytes, NULL);

      save_nothing (index, files);
      save_nothing (index, files);
      g_assert_cmpint (ask (file, "PRAGMA page_size"), ==, sizes[i].page_bytes);
      sonde_run_index_close (index);
      /* it stays as it is, whatever it is opened for */
      index = sonde_run_index_open (NULL, path, key, G_MAXUINT64, NULL);
      save_nothing (index, files);
      sonde_run_index_close (index);
      g_assert_cmpint (ask (file, "PRAGMA page_size"), ==, sizes[i].page_bytes);
      g_assert_cmpint (ask (file, "SELECT generation FROM meta"), ==, 3);
    }
}

static void
test_two_stores (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeRunStore) one = run_store_open (NULL, fixture->runs, fixture->index);
  g_autoptr (SondeRunStore) two = run_store_open (NULL, fixture->runs, fixture->index);
  g_autofree char *path = find_index (fixture, ".sqlite");
  g_autoptr (GError) error = NULL;

  for (guint n = N_POINTS; n < N_POINTS + 10000; n += 2500)
    {
      assert_points (one, n);
      assert_points (two, n);
      run_file_add_ramp (fixture->file, n, 2500, "loss");
      g_assert_true (sonde_run_store_settle (two, NULL, &error));
      g_assert_true (sonde_run_store_settle (one, NULL, &error));
    }
  assert_points (one, N_POINTS + 10000);
  assert_points (two, N_POINTS + 10000);
  g_clear_object (&one);
  run_file_add_ramp (fixture->file, N_POINTS + 10000, 10, "loss");
  g_assert_true (sonde_run_store_settle (two, NULL, &error));
  assert_points (two, N_POINTS + 10010);
  g_clear_object (&two);
  assert_opens (fixture, N_POINTS + 10010);
  g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, N_POINTS + 10010 + 20);
  g_assert_cmpint (ask (path, "SELECT count (*) FROM block_data"), ==,
                   ask (path, "SELECT count (*) FROM blocks"));
}

/* A tag without a name is one like others; a row without one is another's doing. */
static void
test_no_name (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = NULL;

  run_file_add_ramp (fixture->file, 0, 3000, "");
  for (int round = 0; round < 3; round++)
    {
      g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);
      SondeSeries *series = sonde_run_get_series (run_store_item (store, 0), "");

      assert_points (store, N_POINTS);
      g_assert_nonnull (series);
      g_assert_cmpuint (sonde_series_get_n_points (series), ==, 3000);
    }
  path = find_index (fixture, ".sqlite");
  execute (path, "UPDATE segments SET tag = NULL; UPDATE tags SET tag = NULL; UPDATE damage SET "
                 "reason = NULL");
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, 1);
  }
}

/* Blocks that the first store only knows from the index vanish under it. */
static void
test_deleted_while_open (Fixture *fixture, gconstpointer data)
{
  g_autoptr (SondeRunStore) store = NULL;
  g_autofree char *path = NULL;
  g_autofree SondePoint *points = g_new (SondePoint, N_POINTS);
  g_autoptr (GError) error = NULL;

  assert_opens (fixture, N_POINTS);
  store = run_store_open (NULL, fixture->runs, fixture->index);
  path = find_index (fixture, ".sqlite");
  g_assert_cmpint (g_unlink (path), ==, 0);
  sonde_series_copy_points (sonde_run_get_series (run_store_item (store, 0), "loss"), 0, N_POINTS,
                            points);
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  assert_points (store, N_POINTS);
  /* and it writes a new one */
  run_file_add_ramp (fixture->file, N_POINTS, 10, "loss");
  g_assert_true (sonde_run_store_settle (store, NULL, &error));
  assert_points (store, N_POINTS + 10);
  g_clear_object (&store);
  assert_opens (fixture, N_POINTS + 10);
}

static void
test_file_gone_since (Fixture *fixture, gconstpointer data)
{
  RunFile *other = run_file_new (2, "%s/records/000002.sonde", fixture->runs);
  g_autofree char *path = NULL;

  run_file_add_ramp (other, 0, 5000, "loss");
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    g_assert_cmpuint (
        sonde_series_get_n_points (sonde_run_get_series (run_store_item (store, 0), "loss")), ==,
        N_POINTS + 5000);
  }
  g_assert_cmpint (g_unlink (other->path), ==, 0);
  assert_opens (fixture, N_POINTS);
  path = find_index (fixture, ".sqlite");
  g_assert_cmpint (ask (path, "SELECT count (*) FROM files"), ==, 1);
  g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, N_POINTS + 20);
  run_file_free (other);
}

/* Opens the run and dies by its own alarm after so many µs, wherever it is then. */
static int
open_and_die (char **arguments)
{
  struct itimerval alarm = { .it_value.tv_usec = atoi (arguments[2]) };
  SondeRunStore *store;

  setitimer (ITIMER_REAL, &alarm, NULL);
  store = run_store_open (NULL, arguments[0], arguments[1]);
  g_object_unref (store);
  return 0;
}

/* What may befall the files that a killed child has left. */
static void
harm (Fixture *fixture, int round)
{
  g_autofree char *database = find_index (fixture, ".sqlite");
  g_autofree char *wal = find_index (fixture, ".sqlite-wal");

  if (wal && round % 7 == 6)
    g_assert_cmpint (g_unlink (wal), ==, 0);
  else if (wal && round % 7 == 3)
    damage_file (wal, 3000, 100);
  else if (database && round % 5 == 4)
    g_assert_cmpint (g_unlink (database), ==, 0);
}

/* A child opens the run and dies at some moment; whatever it left is right. */
static void
test_killed (Fixture *fixture, gconstpointer data)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  int n_rounds = g_getenv ("SONDE_KILLS") ? atoi (g_getenv ("SONDE_KILLS")) : 40;
  guint n = N_POINTS, n_killed = 0;

  if (g_getenv ("SONDE_TEST_VALGRIND") != NULL)
    {
      g_test_skip ("the test runs itself again, which valgrind does not follow");
      return;
    }
  for (int round = 0; round < n_rounds; round++)
    {
      g_autofree char *moment = g_strdup_printf ("%d", g_rand_int_range (rand, 1, 20000));
      const char *arguments[]
          = { "/proc/self/exe", "--open", fixture->runs, fixture->index, moment, NULL };
      g_autoptr (GError) error = NULL;
      int status;

      run_file_add_ramp (fixture->file, n, 1000, "loss");
      n += 1000;
      g_spawn_sync (NULL, (char **) arguments, NULL, 0, NULL, NULL, NULL, NULL, &status, &error);
      g_assert_no_error (error);
      g_assert_true (status == 0 || (WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM));
      n_killed += WIFSIGNALED (status);
      harm (fixture, round);
      if (round % 4 == 3)
        assert_opens (fixture, n);
    }
  assert_opens (fixture, n);
  g_assert_cmpuint (n_killed, >, 0);
  g_test_message ("%u kills in %d rounds: %u points indexed, 0 lost, 0 doubled", n_killed, n_rounds,
                  n);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/data/runs/index/deleted", test_deleted },
    { "/data/runs/index/garbage", test_garbage },
    { "/data/runs/index/other-contents", test_other_contents },
    { "/data/runs/index/other-boot", test_other_boot },
    { "/data/runs/index/not-writable", test_not_writable },
    { "/data/runs/index/not-published", test_not_published },
    { "/data/runs/index/syncs", test_syncs },
    { "/data/runs/index/pages", test_pages },
    { "/data/runs/index/two-stores", test_two_stores },
    { "/data/runs/index/deleted-while-open", test_deleted_while_open },
    { "/data/runs/index/no-name", test_no_name },
    { "/data/runs/index/file-gone-since", test_file_gone_since },
    { "/data/runs/index/killed", test_killed },
  };

  /* the child of test_killed() */
  if (argc == 5 && g_str_equal (argv[1], "--open"))
    return open_and_die (argv + 2);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
