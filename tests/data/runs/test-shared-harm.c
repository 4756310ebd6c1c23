/* SPDX-License-Identifier: Apache-2.0
 * What befalls the index that small runs share: it is damaged, of another version, held by another
 * process, cannot be written, its writer is killed. The points must be the same every time. */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/data/runs/shared-runs.h"

static void
test_damaged (SharedRuns *fixture, gconstpointer data)
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
    "UPDATE block_data SET columns_crc = columns_crc + 1 WHERE id % 3 = 0",
    "DROP TABLE shared",
    "UPDATE shared SET id = id + 100000",
  };
  g_autofree char *path = shared_runs_get_path (fixture);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  shared_runs_assert_opens (fixture);
  for (gsize i = 0; i < G_N_ELEMENTS (changes); i++)
    {
      g_test_message ("%s", changes[i]);
      shared_runs_execute (fixture, changes[i]);
      shared_runs_assert_heals (fixture);
      shared_runs_assert_heals (fixture);
    }
  for (int round = 0; round < 20; round++)
    {
      g_autofree char *bytes = NULL;
      gsize length;

      g_test_message ("damage %d", round);
      g_assert_true (g_file_get_contents (path, &bytes, &length, NULL));
      for (guint k = 0; k < 100 && round % 2 == 0; k++)
        bytes[g_rand_int_range (rand, round < 10 ? 0 : 4096, length)] ^= 0x5a;
      if (round % 2 == 1)
        length = g_rand_int_range (rand, 0, length);
      g_assert_true (g_file_set_contents (path, bytes, length, NULL));
      shared_runs_assert_heals (fixture);
      shared_runs_assert_heals (fixture);
    }
}

static void
test_two_stores (SharedRuns *fixture, gconstpointer data)
{
  g_autoptr (SondeRunStore) one = run_store_open (NULL, fixture->runs, fixture->index);
  g_autoptr (SondeRunStore) two = run_store_open (NULL, fixture->runs, fixture->index);
  g_autoptr (GError) error = NULL;

  for (guint round = 0; round < 3; round++)
    {
      for (guint i = 0; i < SHARED_RUNS; i += 3)
        shared_runs_add_points (fixture, i, 10);
      g_assert_true (sonde_run_store_settle (two, NULL, &error));
      g_assert_true (sonde_run_store_settle (one, NULL, &error));
      shared_runs_assert_points (fixture, one);
      shared_runs_assert_points (fixture, two);
    }
  g_clear_object (&one);
  shared_runs_add_points (fixture, 1, 10);
  g_assert_true (sonde_run_store_settle (two, NULL, &error));
  shared_runs_assert_points (fixture, two);
  g_clear_object (&two);
  shared_runs_assert_opens (fixture);
}

/* ---- who may write ------------------------------------------------------- */

static char *
read_database (SharedRuns *fixture, gsize *length)
{
  g_autofree char *path = shared_runs_get_path (fixture);
  char *bytes;

  g_assert_true (g_file_get_contents (path, &bytes, length, NULL));
  return bytes;
}

/* A newer program has it open: it is left alone, and made anew only when nobody holds it. */
static void
test_newer_in_use (SharedRuns *fixture, gconstpointer data)
{
  g_autofree char *path = shared_runs_get_path (fixture);
  g_autofree char *lock = g_strdup (path), *before = NULL, *after = NULL;
  gsize n_before, n_after;
  int fd;

  shared_runs_assert_opens (fixture);
  shared_runs_execute (fixture, "PRAGMA user_version = 999");
  before = read_database (fixture, &n_before);
  strcpy (strrchr (lock, '.'), ".lock");
  fd = open (lock, O_RDWR | O_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (flock (fd, LOCK_EX), ==, 0);
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

      shared_runs_assert_points (fixture, store);
      g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
    }
  after = read_database (fixture, &n_after);
  g_assert_cmpmem (before, n_before, after, n_after);
  close (fd);
  shared_runs_assert_opens (fixture);
  g_assert_cmpint (shared_runs_ask (fixture, "PRAGMA user_version"), ==, SONDE_RUN_INDEX_SCHEMA);
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);
}

static guint n_record_files;

/* A folder of indices on a file system that is mounted for reading. */
static int
open_read_only (const SondeIo *io, int folder, const char *path, int flags, mode_t mode)
{
  if (flags & (O_WRONLY | O_RDWR | O_CREAT))
    {
      errno = EROFS;
      return -1;
    }
  n_record_files += g_str_has_suffix (path, ".sonde");
  return sonde_io_system ()->open (io, folder, path, flags, mode);
}

/* What is in the index is used all the same; the rest is read, each time. */
static void
test_read_only (SharedRuns *fixture, gconstpointer data)
{
  SondeIo io = *sonde_io_system ();
  g_autofree char *before = NULL, *after = NULL;
  gsize n_before, n_after;

  io.open = open_read_only;
  shared_runs_assert_opens (fixture);
  before = read_database (fixture, &n_before);
  shared_runs_add_points (fixture, 2, 30);
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = NULL;

      n_record_files = 0;
      store = run_store_open (&io, fixture->runs, fixture->index);
      g_assert_cmpuint (n_record_files, >, 0);
      g_assert_cmpuint (n_record_files, <, 4);
      shared_runs_assert_points (fixture, store);
    }
  after = read_database (fixture, &n_after);
  g_assert_cmpmem (before, n_before, after, n_after);
}

static void
test_not_writable (SharedRuns *fixture, gconstpointer data)
{
  /* a file where the folder should be */
  g_assert_true (g_file_set_contents (fixture->index, "x", 1, NULL));
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    shared_runs_assert_points (fixture, store);
    g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
    shared_runs_add_points (fixture, 1, 20);
    g_assert_true (sonde_run_store_settle (store, NULL, NULL));
    shared_runs_assert_points (fixture, store);
  }
  g_assert_cmpint (g_unlink (fixture->index), ==, 0);
  shared_runs_assert_opens (fixture);
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);
}

static int
fail_rename (const SondeIo *io, const char *from, const char *to)
{
  errno = ENOSPC;
  return -1;
}

/* A new one cannot be put in place: nothing is left of it. */
static void
test_not_published (SharedRuns *fixture, gconstpointer data)
{
  SondeIo io = *sonde_io_system ();
  g_autofree char *path = shared_runs_get_path (fixture);
  g_autofree char *rest = g_strconcat (path, "-new", NULL);

  io.rename = fail_rename;
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = run_store_open (&io, fixture->runs, fixture->index);

      shared_runs_assert_points (fixture, store);
      g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
      g_assert_false (g_file_test (rest, G_FILE_TEST_EXISTS));
    }
  shared_runs_assert_opens (fixture);
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);
}

/* ---- other processes ----------------------------------------------------- */

/* Every file has one row, every block its file: whatever happened, none is twice or left over. */
static void
assert_clean (SharedRuns *fixture)
{
  g_assert_cmpuint (shared_runs_count_opened (fixture), ==, 0);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM shared"), ==, SHARED_RUNS);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM block_data"), ==,
                   2 * SHARED_RUNS);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM block_data"
                                             " WHERE id >> 32 NOT IN (SELECT id FROM shared)"),
                   ==, 0);
  g_assert_cmpint (shared_runs_ask (fixture, "SELECT count (*) FROM pragma_integrity_check"
                                             " WHERE integrity_check = 'ok'"),
                   ==, 1);
}

/* Prints how many runs and points there are. */
static int
open_and_count (char **arguments)
{
  g_autoptr (SondeRunStore) store = run_store_open (NULL, arguments[0], arguments[1]);
  guint n_runs = g_list_model_get_n_items (G_LIST_MODEL (store));
  guint64 n_points = 0;

  for (guint i = 0; i < n_runs; i++)
    {
      SondeSeries *series = sonde_run_get_series (run_store_item (store, i), "loss");
      guint64 n = sonde_series_get_n_points (series);
      g_autofree SondePoint *points = g_new (SondePoint, n);

      n_points += sonde_series_copy_points (series, 0, n, points);
    }
  g_print ("%u %" PRIu64, n_runs, n_points);
  return 0;
}

static GSubprocess *
start (SharedRuns *fixture, const char *what, const char *moment)
{
  g_autoptr (GError) error = NULL;
  GSubprocess *child = g_subprocess_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE, &error, "/proc/self/exe",
                                         what, fixture->runs, fixture->index, moment, NULL);

  g_assert_no_error (error);
  return child;
}

#define N_CHILDREN 4

/* Several open the same runs at once, one of them is killed; each has all points. */
static void
test_processes (SharedRuns *fixture, gconstpointer data)
{
  g_autofree char *path = shared_runs_get_path (fixture);
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  if (g_getenv ("SONDE_TEST_VALGRIND") != NULL)
    {
      g_test_skip ("the test runs itself again, which valgrind does not follow");
      return;
    }
  for (guint round = 0; round < 6; round++)
    {
      g_autofree char *moment = g_strdup_printf ("%d", g_rand_int_range (rand, 1, 100000));
      g_autoptr (GSubprocess) killed = NULL;
      g_autoptr (GPtrArray) children = g_ptr_array_new_with_free_func (g_object_unref);
      g_autofree char *wanted = NULL;
      guint64 n_points = 0;

      for (guint i = round; i < SHARED_RUNS; i += 4)
        shared_runs_add_points (fixture, i, 5);
      for (guint i = 0; i < SHARED_RUNS; i++)
        n_points += fixture->n_points[i];
      wanted = g_strdup_printf ("%u %" PRIu64, SHARED_RUNS, n_points);
      if (round % 3 == 0)
        g_unlink (path);
      killed = start (fixture, "--open", moment);
      for (guint i = 0; i < N_CHILDREN; i++)
        g_ptr_array_add (children, start (fixture, "--count", ""));
      for (guint i = 0; i < N_CHILDREN; i++)
        {
          g_autofree char *counted = NULL;

          g_assert_true (g_subprocess_communicate_utf8 (g_ptr_array_index (children, i), NULL, NULL,
                                                        &counted, NULL, NULL));
          g_assert_true (g_subprocess_get_successful (g_ptr_array_index (children, i)));
          g_assert_cmpstr (counted, ==, wanted);
        }
      g_assert_true (g_subprocess_wait (killed, NULL, NULL));
    }
  shared_runs_assert_opens (fixture);
  assert_clean (fixture);
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
test_killed (SharedRuns *fixture, gconstpointer data)
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
      g_autofree char *path = shared_runs_get_path (fixture);
      const char *arguments[]
          = { "/proc/self/exe", "--open", fixture->runs, fixture->index, moment, NULL };
      g_autoptr (GError) error = NULL;
      int status;

      for (guint i = round % 5; i < SHARED_RUNS; i += 5)
        {
          shared_runs_add_points (fixture, i, 1);
          run_file_age (fixture->files[i], 1000 - round);
        }
      g_spawn_sync (NULL, (char **) arguments, NULL, 0, NULL, NULL, NULL, NULL, &status, &error);
      g_assert_no_error (error);
      g_assert_true (status == 0 || (WIFSIGNALED (status) && WTERMSIG (status) == SIGALRM));
      n_killed += WIFSIGNALED (status);
      if (round % 7 == 6)
        g_unlink (path);
      if (round % 4 == 3)
        shared_runs_assert_opens (fixture);
    }
  shared_runs_assert_opens (fixture);
  assert_clean (fixture);
  g_assert_cmpuint (n_killed, >, 0);
  g_test_message ("%u kills in %d rounds", n_killed, n_rounds);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (SharedRuns *fixture, gconstpointer data);
  } tests[] = {
    { "/data/runs/shared/damaged", test_damaged },
    { "/data/runs/shared/newer-in-use", test_newer_in_use },
    { "/data/runs/shared/read-only", test_read_only },
    { "/data/runs/shared/not-writable", test_not_writable },
    { "/data/runs/shared/not-published", test_not_published },
    { "/data/runs/shared/two-stores", test_two_stores },
    { "/data/runs/shared/processes", test_processes },
    { "/data/runs/shared/killed", test_killed },
  };

  /* the children of the last two */
  if (argc == 5 && g_str_equal (argv[1], "--open"))
    return open_and_die (argv + 2);
  if (argc == 5 && g_str_equal (argv[1], "--count"))
    return open_and_count (argv + 2);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, SharedRuns, NULL, shared_runs_set_up, tests[i].func,
                shared_runs_tear_down);
  return g_test_run ();
}
