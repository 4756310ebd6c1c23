/* SPDX-License-Identifier: Apache-2.0
 * Every call and every allocation fails once, and from then on, while a run is opened and indexed:
 * in the record files, in the database's files, in the database's memory; with an index of the run
 * alone, and with one that it shares with many small ones. Whatever happens then, the same points
 * are there when the fault is gone, in this store and in the next, and none is twice in the index. */
#include <glib/gstdio.h>
#include <sqlite3.h>
#include <string.h>

#include "data/runs/sonde-run-shared-private.h"
#include "tests/data/runs/run-files.h"
#include "tests/support/sonde-test-faults.h"

#define N_POINTS 6000u
#define N_GROWN 500u
#define N_TEXTS 20u
/* Of a run that shares its index. */
#define N_FEW_POINTS 300u
#define N_FEW_GROWN 40u

/* ---- the database's files ------------------------------------------------ */

/* The file of the system's VFS follows. */
typedef struct
{
  sqlite3_file base;
  sqlite3_file real[];
} ShimFile;

#define REAL(file) (((ShimFile *) (file))->real)
#define CALL(file, method, ...) (REAL (file)->pMethods->method (REAL (file), __VA_ARGS__))

static int
fail_or (int fault, int result)
{
  return sonde_test_fault (SONDE_TEST_FAULT_DATABASE) ? fault : result;
}

static int
shim_close (sqlite3_file *file)
{
  return REAL (file)->pMethods->xClose (REAL (file));
}

static int
shim_read (sqlite3_file *file, void *data, int length, sqlite3_int64 offset)
{
  return fail_or (SQLITE_IOERR_READ, SQLITE_OK) != SQLITE_OK
             ? SQLITE_IOERR_READ
             : CALL (file, xRead, data, length, offset);
}

/* A part of the page arrives. */
static int
shim_write (sqlite3_file *file, const void *data, int length, sqlite3_int64 offset)
{
  if (fail_or (SQLITE_FULL, SQLITE_OK) == SQLITE_OK)
    return CALL (file, xWrite, data, length, offset);
  CALL (file, xWrite, data, length / 2, offset);
  return SQLITE_FULL;
}

static int
shim_truncate (sqlite3_file *file, sqlite3_int64 size)
{
  return fail_or (SQLITE_IOERR_TRUNCATE, SQLITE_OK) != SQLITE_OK ? SQLITE_IOERR_TRUNCATE
                                                                 : CALL (file, xTruncate, size);
}

static int
shim_sync (sqlite3_file *file, int flags)
{
  return fail_or (SQLITE_IOERR_FSYNC, SQLITE_OK) != SQLITE_OK ? SQLITE_IOERR_FSYNC
                                                              : CALL (file, xSync, flags);
}

static int
shim_file_size (sqlite3_file *file, sqlite3_int64 *size)
{
  return fail_or (SQLITE_IOERR_FSTAT, SQLITE_OK) != SQLITE_OK ? SQLITE_IOERR_FSTAT
                                                              : CALL (file, xFileSize, size);
}

static int
shim_lock (sqlite3_file *file, int level)
{
  return fail_or (SQLITE_IOERR_LOCK, SQLITE_OK) != SQLITE_OK ? SQLITE_IOERR_LOCK
                                                             : CALL (file, xLock, level);
}

static int
shim_unlock (sqlite3_file *file, int level)
{
  return CALL (file, xUnlock, level);
}

static int
shim_check_reserved (sqlite3_file *file, int *result)
{
  return CALL (file, xCheckReservedLock, result);
}

static int
shim_control (sqlite3_file *file, int operation, void *argument)
{
  return CALL (file, xFileControl, operation, argument);
}

static int
shim_sector_size (sqlite3_file *file)
{
  return REAL (file)->pMethods->xSectorSize (REAL (file));
}

static int
shim_characteristics (sqlite3_file *file)
{
  return REAL (file)->pMethods->xDeviceCharacteristics (REAL (file));
}

static int
shim_shm_map (sqlite3_file *file, int region, int size, int extend, void volatile **memory)
{
  return fail_or (SQLITE_IOERR_SHMMAP, SQLITE_OK) != SQLITE_OK
             ? SQLITE_IOERR_SHMMAP
             : CALL (file, xShmMap, region, size, extend, memory);
}

static int
shim_shm_lock (sqlite3_file *file, int offset, int n, int flags)
{
  return CALL (file, xShmLock, offset, n, flags);
}

static void
shim_shm_barrier (sqlite3_file *file)
{
  REAL (file)->pMethods->xShmBarrier (REAL (file));
}

static int
shim_shm_unmap (sqlite3_file *file, int remove)
{
  return CALL (file, xShmUnmap, remove);
}

static const sqlite3_io_methods shim_methods = {
  .iVersion = 2,
  .xClose = shim_close,
  .xRead = shim_read,
  .xWrite = shim_write,
  .xTruncate = shim_truncate,
  .xSync = shim_sync,
  .xFileSize = shim_file_size,
  .xLock = shim_lock,
  .xUnlock = shim_unlock,
  .xCheckReservedLock = shim_check_reserved,
  .xFileControl = shim_control,
  .xSectorSize = shim_sector_size,
  .xDeviceCharacteristics = shim_characteristics,
  .xShmMap = shim_shm_map,
  .xShmLock = shim_shm_lock,
  .xShmBarrier = shim_shm_barrier,
  .xShmUnmap = shim_shm_unmap,
};

static sqlite3_vfs *system_vfs;

static int
shim_open (sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *out_flags)
{
  int result;

  file->pMethods = NULL;
  if (sonde_test_fault (SONDE_TEST_FAULT_DATABASE))
    return SQLITE_CANTOPEN;
  result = system_vfs->xOpen (system_vfs, name, REAL (file), flags, out_flags);
  if (REAL (file)->pMethods != NULL)
    file->pMethods = &shim_methods;
  return result;
}

static int
shim_delete (sqlite3_vfs *vfs, const char *name, int sync_folder)
{
  return sonde_test_fault (SONDE_TEST_FAULT_DATABASE)
             ? SQLITE_IOERR_DELETE
             : system_vfs->xDelete (system_vfs, name, sync_folder);
}

/* ---- the database's memory ----------------------------------------------- */

static sqlite3_mem_methods system_memory;

static void *
shim_malloc (int bytes)
{
  return sonde_test_fault (SONDE_TEST_FAULT_DATABASE_MEMORY) ? NULL : system_memory.xMalloc (bytes);
}

static void *
shim_realloc (void *memory, int bytes)
{
  return sonde_test_fault (SONDE_TEST_FAULT_DATABASE_MEMORY)
             ? NULL
             : system_memory.xRealloc (memory, bytes);
}

static void
install_shims (void)
{
  static sqlite3_vfs vfs;
  sqlite3_mem_methods memory;

  g_assert_cmpint (sqlite3_config (SQLITE_CONFIG_GETMALLOC, &system_memory), ==, SQLITE_OK);
  memory = system_memory;
  memory.xMalloc = shim_malloc;
  memory.xRealloc = shim_realloc;
  g_assert_cmpint (sqlite3_config (SQLITE_CONFIG_MALLOC, &memory), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_initialize (), ==, SQLITE_OK);
  system_vfs = sqlite3_vfs_find (NULL);
  vfs = *system_vfs;
  vfs.zName = "sonde-faults";
  vfs.szOsFile = (int) sizeof (ShimFile) + system_vfs->szOsFile;
  vfs.pNext = NULL;
  vfs.xOpen = shim_open;
  vfs.xDelete = shim_delete;
  g_assert_cmpint (sqlite3_vfs_register (&vfs, 1), ==, SQLITE_OK);
}

/* ---- rounds -------------------------------------------------------------- */

typedef struct
{
  const char *path;
  SondeTestFault kind;
  gboolean is_shared;
} Case;

/* @index_file, @index_bytes: (nullable): as the index was before the file grew
 * @n: points of the first run; the others have one */
typedef struct
{
  const Case *test;
  char *folder, *runs, *index, *index_file;
  RunFile *file;
  GBytes *index_bytes;
  guint n;
} Fixture;

static guint
count_runs (const Fixture *fixture)
{
  return fixture->test->is_shared ? SONDE_RUN_SHARED_MIN_RUNS : 1;
}

static void
assert_points (const Fixture *fixture, SondeRunStore *store)
{
  guint n = fixture->n;
  SondeRun *run = run_store_item (store, 0);
  SondeSeries *series = sonde_run_get_series (run, "loss");
  g_autofree SondePoint *points = g_new (SondePoint, n + 1);
  g_autoptr (GArray) refs = sonde_run_list_blobs (run, "notes", SONDE_RECORD_TEXT);

  g_assert_nonnull (series);
  g_assert_cmpuint (sonde_series_get_n_points (series), ==, n);
  g_assert_cmpuint (sonde_series_copy_points (series, 0, n + 1, points), ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (points[i].step, ==, i);
      g_assert_cmpfloat (points[i].value, ==, (double) (((gint64) i * i) % 1000));
    }
  g_assert_cmpuint (refs->len, ==, N_TEXTS);
  g_assert_cmpuint (sonde_run_get_damage_count (run), ==, 0);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (store)), ==, count_runs (fixture));
  for (guint i = 1; i < count_runs (fixture); i++)
    g_assert_cmpuint (sonde_series_copy_points (
                          sonde_run_get_series (run_store_item (store, i), "loss"), 0, 2, points),
                      ==, 1);
}

static void
ask_for_points (SondeRunStore *store, guint n)
{
  g_autofree SondePoint *points = g_new (SondePoint, n);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (store)); i++)
    {
      SondeSeries *series = sonde_run_get_series (run_store_item (store, i), "loss");

      if (series != NULL)
        sonde_series_copy_points (series, 0, n, points);
    }
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

static char *
find_index (Fixture *fixture)
{
  g_autoptr (GDir) dir = g_dir_open (fixture->index, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ".sqlite"))
      return g_build_filename (fixture->index, name, NULL);
  return NULL;
}

static void
restore_index (Fixture *fixture)
{
  const char *data;
  gsize length;

  run_folder_remove (g_strdup (fixture->index));
  if (fixture->index_bytes == NULL)
    return;
  data = g_bytes_get_data (fixture->index_bytes, &length);
  g_assert_cmpint (g_mkdir (fixture->index, 0700), ==, 0);
  g_assert_true (g_file_set_contents (fixture->index_file, data, (gssize) length, NULL));
}

static void
assert_next_store (Fixture *fixture)
{
  g_autofree char *path = NULL;

  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    assert_points (fixture, store);
    g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 0);
  }
  path = find_index (fixture);
  g_assert_nonnull (path);
  if (fixture->test->is_shared)
    {
      g_assert_cmpint (ask (path, "SELECT count (*) FROM shared"), ==, count_runs (fixture));
      g_assert_cmpint (ask (path, "SELECT count (*) FROM block_data"), ==,
                       count_runs (fixture) + 1);
      return;
    }
  g_assert_cmpint (ask (path, "SELECT sum (n) FROM blocks"), ==, fixture->n + N_TEXTS);
  g_assert_cmpint (ask (path, "SELECT count (*) FROM block_data"), ==,
                   ask (path, "SELECT count (*) FROM blocks"));
}

static void
open_once (gpointer data)
{
  Fixture *fixture = data;
  const char *paths[] = { fixture->runs, NULL };
  g_autoptr (SondeRunStore) store = NULL;
  g_autoptr (GError) error = NULL;
  gboolean struck;

  restore_index (fixture);
  store = sonde_run_store_new (sonde_test_faults_io (), paths, fixture->index);
  sonde_run_store_start (store);
  sonde_run_store_settle (store, NULL, NULL);
  struck = sonde_test_faults_end ();
  /* a file that cannot be read is said and tried again later, a lost block is noticed when it is
   * asked for */
  ask_for_points (store, fixture->n);
  if (!struck || sonde_run_store_get_problems (store)->len == 0)
    {
      g_assert_true (sonde_run_store_settle (store, NULL, &error));
      g_assert_no_error (error);
      assert_points (fixture, store);
    }
  g_clear_object (&store);
  if (struck)
    assert_next_store (fixture);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  const Case *test = data;

  *fixture = (Fixture){ .test = test,
                        .folder = run_folder_new (),
                        .n = test->is_shared ? N_FEW_POINTS : N_POINTS };
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
  fixture->file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  run_file_add_ramp (fixture->file, 0, fixture->n, "loss");
  for (guint i = 0; i < N_TEXTS; i++)
    run_file_add_text (fixture->file, i, "notes", "text");
  for (guint i = 1; i < count_runs (fixture); i++)
    {
      RunFile *other = run_file_new (1, "%s/run-%03u/records/000001.sonde", fixture->runs, i);

      run_file_add_scalar (other, 0, "loss", i);
      run_file_free (other);
    }
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  run_file_free (fixture->file);
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
  g_free (fixture->index_file);
  g_clear_pointer (&fixture->index_bytes, g_bytes_unref);
}

/* The index is there already, and the file has grown since. */
static void
let_grow (Fixture *fixture)
{
  guint n_grown = fixture->test->is_shared ? N_FEW_GROWN : N_GROWN;
  g_autofree char *bytes = NULL;
  gsize length;

  assert_next_store (fixture);
  fixture->index_file = find_index (fixture);
  g_assert_true (g_file_get_contents (fixture->index_file, &bytes, &length, NULL));
  fixture->index_bytes = g_bytes_new (bytes, length);
  run_file_add_ramp (fixture->file, fixture->n, n_grown, "loss");
  fixture->n += n_grown;
}

static void
test_faults (Fixture *fixture, gconstpointer data)
{
  SondeTestFault kind = fixture->test->kind;

  g_assert_cmpuint (sonde_test_faults_loop (kind, open_once, fixture), >, 0);
  let_grow (fixture);
  g_assert_cmpuint (sonde_test_faults_loop (kind, open_once, fixture), >, 0);
}

int
main (int argc, char **argv)
{
  static const Case tests[] = {
    { "/data/runs/index-faults/files", SONDE_TEST_FAULT_IO, FALSE },
    { "/data/runs/index-faults/memory", SONDE_TEST_FAULT_MEMORY, FALSE },
    { "/data/runs/index-faults/database", SONDE_TEST_FAULT_DATABASE, FALSE },
    { "/data/runs/index-faults/database-memory", SONDE_TEST_FAULT_DATABASE_MEMORY, FALSE },
    { "/data/runs/index-faults/shared-files", SONDE_TEST_FAULT_IO, TRUE },
    { "/data/runs/index-faults/shared-database", SONDE_TEST_FAULT_DATABASE, TRUE },
    { "/data/runs/index-faults/shared-database-memory", SONDE_TEST_FAULT_DATABASE_MEMORY, TRUE },
  };

  g_test_init (&argc, &argv, NULL);
  install_shims ();
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, &tests[i], set_up, test_faults, tear_down);
  return g_test_run ();
}
