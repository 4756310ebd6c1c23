/* SPDX-License-Identifier: Apache-2.0
 * Rows EV8, EV10, EV11, DB3, DB9 and DB10 of the table of bad inputs (docs/limits.md tells where
 * the others are). */
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-clock.h"
#include "data/runs/sonde-run-file-private.h"
#include "data/runs/sonde-run-index-private.h"
#include "tests/data/runs/run-files.h"

typedef struct
{
  char *folder, *runs, *index;
  SondeRunStore *store;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->store);
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
}

static void
settle (Fixture *fixture)
{
  g_autoptr (GError) error = NULL;

  sonde_run_store_settle (fixture->store, NULL, &error);
  g_assert_no_error (error);
}

static guint64
count_points (Fixture *fixture, const char *tag)
{
  SondeSeries *series = sonde_run_get_series (run_store_item (fixture->store, 0), tag);

  return series ? sonde_series_get_n_points (series) : 0;
}

static void
assert_ramp (Fixture *fixture, guint n)
{
  g_autofree SondePoint *points = g_new (SondePoint, n + 1);
  SondeSeries *series = sonde_run_get_series (run_store_item (fixture->store, 0), "loss");

  g_assert_nonnull (series);
  g_assert_cmpuint (sonde_series_copy_points (series, 0, n + 1, points), ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (points[i].step, ==, i);
      g_assert_cmpfloat (points[i].value, ==, (double) (((gint64) i * i) % 1000));
    }
}

/* ---- EV8: many records, one large record --------------------------------- */

static void
test_million_records (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);

  for (guint i = 0; i < 1000000; i += 50000)
    run_file_add_ramp (file, i, 50000, "loss");
  fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
  assert_ramp (fixture, 1000000);
  g_assert_cmpuint (sonde_run_get_damage_count (run_store_item (fixture->store, 0)), ==, 0);
  run_file_free (file);
}

/* A record of @length bytes of nothing: a hole of the disk. Its payload is one field that is not
 * known, so all that can be said about it is that it is a record of no kind. */
static void
write_large_frame (RunFile *file, gsize length)
{
  g_autofree guint8 *frame = g_malloc0 (SONDE_FRAME_HEADER_BYTES + length);
  g_autoptr (GByteArray) head = g_byte_array_new ();
  guint64 size = GUINT64_TO_LE (length);
  guint32 crc;
  guint at = SONDE_FRAME_HEADER_BYTES;

  memcpy (frame, &size, 8);
  crc = GUINT32_TO_LE (sonde_frame_masked_crc (&size, 8));
  memcpy (frame + 8, &crc, 4);
  frame[at++] = 0xfa; /* field 15,999, bytes */
  frame[at++] = 0xe7;
  frame[at++] = 0x07;
  for (guint64 rest = length - 8; rest > 0; rest >>= 7)
    frame[at++] = (guint8) ((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
  g_assert_cmpuint (at, ==, SONDE_FRAME_HEADER_BYTES + 8);
  crc = GUINT32_TO_LE (sonde_frame_masked_crc (frame + SONDE_FRAME_HEADER_BYTES, length));
  g_byte_array_append (head, frame, at);
  run_file_write (file, head->data, head->len);
  g_assert_cmpint (ftruncate (file->fd, lseek (file->fd, 0, SEEK_END) + (off_t) (length - 8)), ==,
                   0);
  run_file_write (file, &crc, 4);
}

static void
test_large_record (Fixture *fixture, gconstpointer data)
{
  for (int over = 0; over < 2; over++)
    {
      RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
      GPtrArray *damage;

      run_file_add_ramp (file, 0, 10, "loss");
      write_large_frame (file, SONDE_BUDGET_RECORD_BYTES + (gsize) over);
      run_file_add_ramp (file, 10, 10, "loss");
      fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
      assert_ramp (fixture, 20);
      damage = ((SondeRunFile *) sonde_run_get_files (run_store_item (fixture->store, 0))->pdata[0])
                   ->damage;
      if (!over)
        g_assert_cmpuint (damage->len, ==, 1);
      else
        g_assert_cmpuint (damage->len, >=, 1); /* the search behind it is noted every 64 MiB */
      g_assert_nonnull (strstr (((SondeFrameDamage *) damage->pdata[0])->reason,
                                over ? "exceeds the budget" : "no kind"));
      g_clear_object (&fixture->store);
      run_file_free (file);
    }
}

/* ---- EV10: a file that grows by a byte ----------------------------------- */

typedef struct
{
  SondeIo io;
  guint64 bytes;
} CountingIo;

static ssize_t
count_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  ssize_t got = sonde_io_system ()->pread (io, fd, data, length, offset);

  __atomic_add_fetch (&((CountingIo *) io)->bytes, MAX (got, 0), __ATOMIC_RELAXED);
  return got;
}

static void
test_byte_by_byte (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  SondeScalar scalar = { "loss", 900 }; /* 30 * 30 */
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS, .step = 30 };
  CountingIo io = { .io = *sonde_io_system () };
  guint64 begin, worst = 0;

  io.io.pread = count_pread;
  run_file_add_ramp (file, 0, 30, "loss");
  run_file_add_ramp (file, 0, 50000, "other");
  fixture->store = run_store_open (&io.io, fixture->runs, fixture->index);
  for (guint n = 30; n < 40; n++)
    {
      g_autoptr (GByteArray) frame = NULL;

      record.step = n;
      record.wall_time_ns = 1000 + n;
      scalar.value = (double) ((n * n) % 1000);
      record.u.scalars.items = &scalar;
      record.u.scalars.n = 1;
      frame = run_file_frame (file, &record);
      for (guint i = 0; i < frame->len; i++)
        {
          g_assert_cmpuint (count_points (fixture, "loss"), ==, n);
          run_file_write (file, frame->data + i, 1);
          begin = io.bytes;
          settle (fixture);
          worst = MAX (worst, io.bytes - begin);
        }
      assert_ramp (fixture, n + 1);
    }
  g_test_message ("at most %" G_GUINT64_FORMAT " bytes read for one more", worst);
  g_assert_cmpuint (worst, <, 1000);
  g_assert_cmpuint (sonde_run_get_damage_count (run_store_item (fixture->store, 0)), ==, 0);
  g_clear_object (&fixture->store); /* before the table of its calls goes */
  run_file_free (file);
}

/* ---- EV11: shrunk and grown between two looks ---------------------------- */

typedef struct
{
  const char *name;
  guint kept;    /* records of the old content that stay */
  guint added;   /* others behind them */
  gboolean aged; /* the time of the file is put back to what it was */
} Regrowth;

/* The same inode, nobody looked in between. */
static void
test_regrown (Fixture *fixture, gconstpointer data)
{
  static const Regrowth rows[] = {
    { "all of it is new", 0, 300, FALSE },    { "longer by one record", 199, 2, FALSE },
    { "half of it stays", 100, 1000, FALSE }, { "the old time", 100, 1000, TRUE },
    { "the same length", 199, 1, FALSE },
  };
  const SondeRecordFormat *format = &sonde_record_format_sonde;

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      RunFile *file = run_file_new (1, "%s/records/%06u.sonde", fixture->runs, (guint) i);
      g_autoptr (GArray) updates = g_array_new (FALSE, TRUE, sizeof (SondeRunBlockUpdate));
      g_autofree char *folder = g_path_get_dirname (file->path),
                      *name = g_path_get_basename (file->path);
      SondeRunFileReader *reader
          = sonde_run_file_reader_new (NULL, format, 0, folder, name, &updates);
      SondeRecordBatch batch;
      struct stat status;
      guint n_open = 0;
      off_t end = 0;

      g_test_message ("%s", rows[i].name);
      reader->n_open = &n_open;
      sonde_record_batch_init (&batch);
      reader->batch = &batch;
      g_array_set_clear_func (updates, (GDestroyNotify) sonde_run_block_update_clear);
      for (guint k = 0; k < 200; k++)
        {
          run_file_add_ramp (file, k, 1, "loss");
          if (k + 1 == rows[i].kept)
            end = lseek (file->fd, 0, SEEK_END);
        }
      g_assert_cmpint (sonde_run_file_reader_look (reader, 0), ==, SONDE_RUN_FILE_RESET);
      while (sonde_run_file_reader_read (reader, G_MAXINT64, 0) == SONDE_RUN_READ_MORE)
        ;
      sonde_run_file_reader_take_anchor (reader);
      g_assert_cmpuint (((SondeRunSegment *) reader->segments->pdata[0])->what.count, ==, 200);

      g_assert_cmpint (fstat (file->fd, &status), ==, 0);
      g_assert_cmpint (ftruncate (file->fd, end), ==, 0);
      run_file_add_ramp (file, 100000, rows[i].added, "loss");
      if (rows[i].aged)
        g_assert_cmpint (futimens (file->fd, (struct timespec[]){ status.st_mtim, status.st_mtim }),
                         ==, 0);
      g_assert_cmpint (sonde_run_file_reader_look (reader, 0), ==, SONDE_RUN_FILE_RESET);
      while (sonde_run_file_reader_read (reader, G_MAXINT64, 0) == SONDE_RUN_READ_MORE)
        ;
      g_assert_cmpuint (reader->damage->len, ==, 0);
      g_assert_cmpuint (((SondeRunSegment *) reader->segments->pdata[0])->what.count, ==,
                        rows[i].kept + rows[i].added);
      g_assert_cmpint (((SondeRunSegment *) reader->segments->pdata[0])->what.last_step, ==,
                       100000 + rows[i].added - 1);
      sonde_run_file_reader_free (reader);
      sonde_record_batch_clear (&batch);
      run_file_free (file);
    }
}

/* ---- DB3: somebody else holds the database ------------------------------- */

#define HOLD "--hold"

/* The child: takes the lock that @sql takes and keeps it until it is killed. */
static int
hold_database (char **arguments)
{
  sqlite3 *database = NULL;

  prctl (PR_SET_PDEATHSIG, SIGKILL); /* a test that fails leaves nobody behind */
  if (sqlite3_open (arguments[0], &database) != SQLITE_OK
      || sqlite3_exec (database, arguments[1], NULL, NULL, NULL) != SQLITE_OK)
    {
      fprintf (stderr, "%s\n", sqlite3_errmsg (database));
      return 1;
    }
  if (write (STDOUT_FILENO, "!", 1) != 1)
    return 1;
  for (;;)
    pause ();
}

static GPid
start_holder (const char *path, const char *sql)
{
  const char *arguments[] = { "/proc/self/exe", HOLD, path, sql, NULL };
  g_autoptr (GError) error = NULL;
  GPid pid;
  int out;
  char byte;

  g_spawn_async_with_pipes (NULL, (char **) arguments, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
                            &pid, NULL, &out, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (read (out, &byte, 1), ==, 1);
  close (out);
  return pid;
}

static void
stop_holder (GPid pid)
{
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  g_assert_cmpint (waitpid (pid, NULL, 0), ==, pid);
}

static char *
find_database (Fixture *fixture, guint *n)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->index, 0, NULL);
  const char *name;
  char *found = NULL;

  *n = 0;
  while (dir && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".sqlite"))
      {
        (*n)++;
        g_free (found);
        found = g_build_filename (fixture->index, name, NULL);
      }
  return found;
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

static gboolean
has_problem (Fixture *fixture, const char *text)
{
  GPtrArray *problems = sonde_run_store_get_problems (fixture->store);

  for (guint i = 0; i < problems->len; i++)
    {
      g_test_message ("%s", (char *) problems->pdata[i]);
      if (strstr (problems->pdata[i], text))
        return TRUE;
    }
  return FALSE;
}

/* Held when it is opened: all points, from the files; the database of others is left alone. */
static void
test_locked_at_opening (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autofree char *path = NULL;
  struct stat before, after;
  gint64 begin;
  guint n;
  GPid pid;

  run_file_add_ramp (file, 0, 10000, "loss");
  fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
  g_clear_object (&fixture->store);
  path = find_database (fixture, &n);
  g_assert_cmpint (g_stat (path, &before), ==, 0);
  pid = start_holder (
      path, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; UPDATE meta SET synced = synced");
  begin = g_get_monotonic_time ();
  fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
  g_test_message ("opened in %.1f s", (double) (g_get_monotonic_time () - begin) / 1e6);
  assert_ramp (fixture, 10000);
  g_assert_true (has_problem (fixture, "locked"));
  g_assert_cmpint (g_stat (path, &after), ==, 0);
  g_assert_cmpuint (before.st_ino, ==, after.st_ino);
  run_file_add_ramp (file, 10000, 10, "loss");
  settle (fixture);
  assert_ramp (fixture, 10010);
  g_clear_object (&fixture->store);
  stop_holder (pid);

  fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
  g_assert_cmpuint (sonde_run_store_get_problems (fixture->store)->len, ==, 0);
  assert_ramp (fixture, 10010);
  g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, 10010);
  run_file_free (file);
}

/* Held, or written, in the middle: BUSY at BEGIN; BUSY at COMMIT for a reader that does not end; a
 * foreign commit. */
static void
test_locked_later (Fixture *fixture, gconstpointer data)
{
  static const char *const holds[] = {
    "BEGIN IMMEDIATE; UPDATE meta SET synced = synced",
    "BEGIN; SELECT * FROM meta",
  };
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autofree char *path = NULL;
  guint n, points = 10000;

  run_file_add_ramp (file, 0, points, "loss");
  fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
  path = find_database (fixture, &n);
  for (gsize i = 0; i < G_N_ELEMENTS (holds); i++)
    {
      GPid pid = start_holder (path, holds[i]);

      run_file_add_ramp (file, points, 5000, "loss");
      points += 5000;
      settle (fixture);
      assert_ramp (fixture, points);
      g_assert_cmpint (has_problem (fixture, "locked"), ==, i == 0);
      stop_holder (pid);
      run_file_add_ramp (file, points, 5000, "loss");
      points += 5000;
      settle (fixture);
      assert_ramp (fixture, points);
      g_assert_cmpuint (sonde_run_store_get_problems (fixture->store)->len, ==, 0);
      g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, points);
    }
  /* whoever wrote it: its rows are not those that are known here */
  g_assert_cmpint (ask (path, "UPDATE meta SET generation = generation + 1 RETURNING generation"),
                   >, 0);
  run_file_add_ramp (file, points, 5000, "loss");
  points += 5000;
  settle (fixture);
  assert_ramp (fixture, points);
  g_clear_object (&fixture->store);
  fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
  assert_ramp (fixture, points);
  run_file_free (file);
}

/* ---- DB9: many rows, tags and runs --------------------------------------- */

static void
write_rows (Fixture *fixture, guint run, guint n_tags, guint n_steps)
{
  RunFile *file = run_file_new (1, "%s/run-%04u/records/000001.sonde", fixture->runs, run);
  g_autofree SondeScalar *scalars = g_new (SondeScalar, n_tags);
  g_autoptr (GRand) rand = g_rand_new_with_seed (run);

  for (guint i = 0; i < n_tags; i++)
    {
      g_autofree char *tag = g_strdup_printf ("layer-%05u/value", i);

      scalars[i].tag = g_intern_string (tag);
    }
  for (guint step = 0; step < n_steps; step++)
    {
      for (guint i = 0; i < n_tags; i++)
        scalars[i].value = (float) g_rand_double (rand);
      run_file_add_scalars (file, step, scalars, n_tags);
    }
  run_file_free (file);
}

/* SONDE_TEST_ROWS=all: 10^7 rows in 10^3 runs and 10^4 tags; a tenth of each otherwise. */
static void
test_many_rows (Fixture *fixture, gconstpointer data)
{
  const gboolean all = g_strcmp0 (g_getenv ("SONDE_TEST_ROWS"), "all") == 0;
  const guint n_runs = all ? 1000 : 100, n_tags = all ? 10000 : 1000, n_steps = 900;
  double first = 0, second = 0, worst = 0;
  guint64 n = 0;

  for (guint i = 0; i < n_runs; i++)
    write_rows (fixture, i, 10, n_steps);
  write_rows (fixture, n_runs, n_tags, 100);
  for (int round = 0; round < 2; round++)
    {
      gint64 begin = sonde_clock_monotonic_ns (NULL);

      fixture->store = run_store_open (NULL, fixture->runs, fixture->index);
      *(round ? &second : &first) = (double) (sonde_clock_monotonic_ns (NULL) - begin) / 1e9;
      n = 0;
      for (guint i = 0; i <= n_runs; i++)
        {
          SondeRun *run = run_store_item (fixture->store, i);
          GPtrArray *tags = sonde_run_get_tags (run);
          const guint n_points = i < n_runs ? n_steps : 100;

          g_assert_cmpuint (tags->len, ==, i < n_runs ? 10 : n_tags);
          for (guint k = 0; k < tags->len; k++)
            {
              SondeSeries *series
                  = sonde_run_get_series (run, ((SondeRunTag *) tags->pdata[k])->tag);
              gint64 start = sonde_clock_monotonic_ns (NULL);
              g_autoptr (GArray) buckets = sonde_series_query (series, 0, n_points, 200);

              worst = MAX (worst, (double) (sonde_clock_monotonic_ns (NULL) - start) / 1e6);
              g_assert_cmpuint (buckets->len, >, 0);
              g_assert_cmpuint (sonde_series_get_n_points (series), ==, n_points);
              n += n_points;
            }
        }
      g_assert_cmpuint (n, ==, (guint64) n_runs * 10 * n_steps + (guint64) n_tags * 100);
      g_clear_object (&fixture->store);
    }
  g_test_message (
      "%" G_GUINT64_FORMAT
      " rows, %u runs, %u tags: %.2f M rows/s in, %.0f ms again, a query at most %.1f ms",
      n, n_runs + 1, n_tags, (double) n / first / 1e6, second * 1000, worst);
}

/* ---- DB10: two names ----------------------------------------------------- */

static void
test_two_names (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/a/records/000001.sonde", fixture->runs);
  g_autofree char *link = g_build_filename (fixture->folder, "link", NULL);
  g_autofree char *run_link = g_build_filename (fixture->folder, "run-link", NULL);
  g_autofree char *run = g_build_filename (fixture->runs, "a", NULL);
  g_autofree char *index_link = g_build_filename (fixture->folder, "index-link", NULL);
  g_autofree char *odd = g_strconcat (fixture->runs, "/./a/..//a/", NULL);
  const char *paths[] = { fixture->runs, link, run_link, run, odd, NULL };
  guint n;

  run_file_add_ramp (file, 0, 10000, "loss");
  g_assert_cmpint (symlink (fixture->runs, link), ==, 0);
  g_assert_cmpint (symlink (run, run_link), ==, 0);
  g_assert_cmpint (symlink (fixture->index, index_link), ==, 0);
  g_assert_cmpint (g_mkdir (fixture->index, 0700), ==, 0);
  for (gsize i = 0; paths[i]; i++)
    {
      g_autofree char *found = NULL;

      fixture->store = run_store_open (NULL, paths[i], i % 2 ? index_link : fixture->index);
      assert_ramp (fixture, 10000);
      g_clear_object (&fixture->store);
      found = find_database (fixture, &n);
      g_assert_cmpuint (n, ==, 1);
    }
  /* all names at once: one run, one writer */
  fixture->store = sonde_run_store_new (NULL, paths, fixture->index);
  settle (fixture);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->store)), ==, 1);
  assert_ramp (fixture, 10000);
  g_assert_cmpuint (sonde_run_store_get_problems (fixture->store)->len, ==, 0);
  run_file_free (file);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/data/records/EV8-million-records", test_million_records },
    { "/data/records/EV8-large-record", test_large_record },
    { "/data/records/EV10-byte-by-byte", test_byte_by_byte },
    { "/data/records/EV11-regrown", test_regrown },
    { "/data/runs/DB3-locked-at-opening", test_locked_at_opening },
    { "/data/runs/DB3-locked-later", test_locked_later },
    { "/data/runs/DB9-many-rows", test_many_rows },
    { "/data/runs/DB10-two-names", test_two_names },
  };

  /* the child of start_holder() */
  if (argc == 4 && g_str_equal (argv[1], HOLD))
    return hold_database (argv + 2);
  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
