/* SPDX-License-Identifier: Apache-2.0
 * The store over files that change under it. Every wait is for a state, with a deadline; nothing
 * sleeps. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "data/runs/worker/sonde-run-tail-private.h"
#include "tests/data/runs/run-files.h"

typedef struct
{
  char *folder, *runs, *index;
  SondeRunStore *store;
  guint64 wanted; /* points of "loss" in the first run */
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  if (data)
    g_setenv ("SONDE_WATCH", data, TRUE);
  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_object (&fixture->store);
  g_unsetenv ("SONDE_WATCH");
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
}

static void
open_store (Fixture *fixture)
{
  const char *paths[] = { fixture->runs, NULL };

  fixture->store = sonde_run_store_new (NULL, paths, fixture->index);
  sonde_run_store_settle (fixture->store, NULL, NULL);
}

static SondeSeries *
find_series (Fixture *fixture)
{
  if (g_list_model_get_n_items (G_LIST_MODEL (fixture->store)) == 0)
    return NULL;
  return sonde_run_get_series (run_store_item (fixture->store, 0), "loss");
}

static gboolean
has_points (gpointer data)
{
  Fixture *fixture = data;
  SondeSeries *series = find_series (fixture);

  return series && sonde_series_get_n_points (series) == fixture->wanted;
}

static gboolean
has_series (gpointer data)
{
  return find_series (data) != NULL;
}

static void
wait_for_points (Fixture *fixture, guint64 n)
{
  fixture->wanted = n;
  run_wait_until (has_points, fixture);
}

/* Every point of the ramp that begins at 0, once and in order. */
static void
assert_ramp (Fixture *fixture, guint n)
{
  g_autofree SondePoint *points = g_new (SondePoint, n + 1);

  g_assert_cmpuint (sonde_series_copy_points (find_series (fixture), 0, n + 1, points), ==, n);
  for (guint i = 0; i < n; i++)
    {
      g_assert_cmpint (points[i].step, ==, i);
      g_assert_cmpfloat (points[i].value, ==, (double) (((gint64) i * i) % 1000));
    }
}

static void
test_grows (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/a/records/000001.sonde", fixture->runs);
  g_autoptr (GTimer) timer = g_timer_new ();
  double worst = 0;

  run_file_add_ramp (file, 0, 100, "loss");
  open_store (fixture);
  for (guint n = 100; n < 130; n++)
    {
      run_file_add_ramp (file, n, 1, "loss");
      g_timer_start (timer);
      wait_for_points (fixture, n + 1);
      worst = MAX (worst, g_timer_elapsed (timer, NULL));
    }
  g_test_message ("worst delay from write to series: %.0f ms", worst * 1000);
  assert_ramp (fixture, 130);
  g_assert_true (sonde_run_is_live (run_store_item (fixture->store, 0)));
  run_file_free (file);
}

typedef struct
{
  RunFile *file;
  guint n;
} Writer;

static void *
write_ramp (void *data)
{
  Writer *writer = data;

  for (guint i = 0; i < writer->n; i += 10)
    run_file_add_ramp (writer->file, i, 10, "loss");
  return NULL;
}

static void
on_changed (SondeSeries *series, guint *count)
{
  (*count)++;
}

static void
test_busy_writer (Fixture *fixture, gconstpointer data)
{
  Writer writer = { run_file_new (1, "%s/records/000001.sonde", fixture->runs), 60000 };
  pthread_t thread;
  guint n_changes = 0;

  run_file_add_scalar (writer.file, -1, "other", 0);
  open_store (fixture);
  g_assert_cmpint (pthread_create (&thread, NULL, write_ramp, &writer), ==, 0);
  run_wait_until (has_series, fixture);
  g_signal_connect (find_series (fixture), "changed", G_CALLBACK (on_changed), &n_changes);
  wait_for_points (fixture, writer.n);
  g_assert_cmpint (pthread_join (thread, NULL), ==, 0);
  assert_ramp (fixture, writer.n);
  run_file_free (writer.file);
}

static void
test_appears (Fixture *fixture, gconstpointer data)
{
  RunFile *file, *other;

  /* the folder itself does not exist yet */
  open_store (fixture);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->store)), ==, 0);
  file = run_file_new (1, "%s/deep/er/b/records/000001.sonde", fixture->runs);
  run_file_add_ramp (file, 0, 10, "loss");
  wait_for_points (fixture, 10);
  /* another one before it, and a second file in it */
  other = run_file_new (2, "%s/deep/er/b/records/000002.sonde", fixture->runs);
  run_file_add_ramp (other, 10, 10, "loss");
  wait_for_points (fixture, 20);
  assert_ramp (fixture, 20);
  run_file_free (other);
  other = run_file_new (1, "%s/a.sonde", fixture->runs);
  run_file_add_ramp (other, 0, 5, "loss");
  wait_for_points (fixture, 5);
  g_assert_cmpstr (sonde_run_get_name (run_store_item (fixture->store, 0)), ==, ".");
  g_assert_cmpuint (sonde_run_get_color_index (run_store_item (fixture->store, 1)), ==, 0);
  g_assert_cmpuint (sonde_run_get_color_index (run_store_item (fixture->store, 0)), ==, 1);
  run_file_free (other);
  run_file_free (file);
}

static gboolean
has_two_runs (gpointer data)
{
  return g_list_model_get_n_items (G_LIST_MODEL (((Fixture *) data)->store)) == 2;
}

/* A path that comes later: its run stands beside the others; what is there already stays one. */
static void
test_path_added (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/a/records/000001.sonde", fixture->runs);
  RunFile *other = run_file_new (2, "%s/elsewhere/b/records/000001.sonde", fixture->folder);
  g_autofree char *known = g_build_filename (fixture->runs, "a", NULL);
  g_autofree char *added = g_build_filename (fixture->folder, "elsewhere", "b", NULL);

  run_file_add_ramp (file, 0, 10, "loss");
  run_file_add_ramp (other, 0, 7, "loss");
  open_store (fixture);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->store)), ==, 1);
  sonde_run_store_add_path (fixture->store, known);
  sonde_run_store_add_path (fixture->store, added);
  sonde_run_store_add_path (fixture->store, added);
  run_wait_until (has_two_runs, fixture);
  g_assert_true (sonde_run_store_settle (fixture->store, NULL, NULL));
  g_assert_true (has_two_runs (fixture));
  g_assert_cmpstr (sonde_run_get_path (run_store_item (fixture->store, 0)), ==, added);
  g_assert_cmpstr (sonde_run_get_name (run_store_item (fixture->store, 0)), ==, ".");
  wait_for_points (fixture, 7);
  run_file_add_ramp (other, 7, 3, "loss");
  wait_for_points (fixture, 10);
  assert_ramp (fixture, 10);
  run_file_free (file);
  run_file_free (other);
}

static void
test_appears_in_empty_folder (Fixture *fixture, gconstpointer data)
{
  RunFile *file;

  g_assert_cmpint (g_mkdir (fixture->runs, 0700), ==, 0);
  open_store (fixture);
  file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  run_file_add_ramp (file, 0, 10, "loss");
  wait_for_points (fixture, 10);
  run_file_free (file);
}

static void
test_moved_in (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/elsewhere/records/000001.sonde", fixture->folder);
  g_autofree char *from = g_build_filename (fixture->folder, "elsewhere", NULL);
  g_autofree char *to = g_build_filename (fixture->runs, "moved", NULL);

  g_assert_cmpint (g_mkdir (fixture->runs, 0700), ==, 0);
  open_store (fixture);
  run_file_add_ramp (file, 0, 10, "loss");
  g_assert_cmpint (g_rename (from, to), ==, 0);
  wait_for_points (fixture, 10);
  run_file_add_ramp (file, 10, 10, "loss");
  wait_for_points (fixture, 20);
  assert_ramp (fixture, 20);
  run_file_free (file);
}

static void
test_truncated (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);

  run_file_add_ramp (file, 0, 5000, "loss");
  open_store (fixture);
  g_assert_true (has_points ((fixture->wanted = 5000, fixture)));
  /* shorter, then longer than ever: other contents either way */
  run_file_free (file);
  file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  run_file_add_ramp (file, 0, 7, "loss");
  wait_for_points (fixture, 7);
  assert_ramp (fixture, 7);
  run_file_free (file);
  file = run_file_new (9, "%s/records/000001.sonde", fixture->runs);
  run_file_add_ramp (file, 0, 9000, "loss");
  wait_for_points (fixture, 9000);
  assert_ramp (fixture, 9000);
  g_assert_cmpuint (sonde_run_get_damage_count (run_store_item (fixture->store, 0)), ==, 0);
  run_file_free (file);
}

static void
test_tail_cut_off (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  SondeScalar scalar = { "loss", 7 };
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS };
  g_autoptr (GByteArray) frame = NULL;
  off_t end;

  run_file_add_ramp (file, 0, 10, "loss");
  end = lseek (file->fd, 0, SEEK_END);
  record.u.scalars.items = &scalar;
  record.u.scalars.n = 1;
  frame = run_file_frame (file, &record);
  /* a writer on a full disk: half a record, taken back, then another one */
  run_file_write (file, frame->data, frame->len / 2);
  open_store (fixture);
  g_assert_cmpint (ftruncate (file->fd, end), ==, 0);
  run_file_add_ramp (file, 10, 10, "loss");
  wait_for_points (fixture, 20);
  assert_ramp (fixture, 20);
  g_assert_cmpuint (sonde_run_get_damage_count (run_store_item (fixture->store, 0)), ==, 0);
  run_file_free (file);
}

static void
test_replaced (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  RunFile *other = run_file_new (1, "%s/other", fixture->folder);

  run_file_add_ramp (file, 0, 50, "loss");
  open_store (fixture);
  /* the same length, even */
  run_file_add_ramp (other, 0, 40, "loss");
  g_assert_cmpint (g_rename (other->path, file->path), ==, 0);
  wait_for_points (fixture, 40);
  assert_ramp (fixture, 40);
  run_file_free (file);
  run_file_free (other);
}

static gboolean
is_empty (gpointer data)
{
  return g_list_model_get_n_items (G_LIST_MODEL (((Fixture *) data)->store)) == 0;
}

static void
test_deleted (Fixture *fixture, gconstpointer data)
{
  RunFile *first = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  RunFile *second = run_file_new (2, "%s/records/000002.sonde", fixture->runs);
  g_autoptr (SondeSeries) series = NULL;
  g_autoptr (SondeRun) run = NULL;

  run_file_add_ramp (first, 0, 10, "loss");
  run_file_add_ramp (second, 0, 5000, "loss");
  open_store (fixture);
  run = g_object_ref (run_store_item (fixture->store, 0));
  series = g_object_ref (find_series (fixture));
  g_assert_cmpint (g_unlink (first->path), ==, 0);
  wait_for_points (fixture, 5000);
  assert_ramp (fixture, 5000);
  g_assert_cmpuint (sonde_run_get_files (run)->len, ==, 1);
  g_assert_cmpint (g_unlink (second->path), ==, 0);
  run_wait_until (is_empty, fixture);
  g_assert_cmpuint (sonde_run_store_get_n_live (fixture->store), ==, 0);
  /* who still holds them gets nothing, but no crash */
  g_assert_cmpuint (sonde_series_get_n_points (series), ==, 0);
  g_assert_null (sonde_series_get_run (series));
  g_assert_null (sonde_run_get_series (run, "loss"));
  run_file_free (second);
  second = run_file_new (3, "%s/records/000002.sonde", fixture->runs);
  run_file_add_ramp (second, 0, 20, "loss");
  wait_for_points (fixture, 20);
  assert_ramp (fixture, 20);
  g_assert_cmpuint (sonde_run_get_color_index (run_store_item (fixture->store, 0)), ==, 0);
  run_file_free (first);
  run_file_free (second);
}

static void
test_moved_away (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/a/records/000001.sonde", fixture->runs);
  g_autofree char *from = g_build_filename (fixture->runs, "a", NULL);
  g_autofree char *to = g_build_filename (fixture->folder, "elsewhere", NULL);
  g_autofree char *back = g_build_filename (fixture->runs, "b", NULL);

  run_file_add_ramp (file, 0, 10, "loss");
  open_store (fixture);
  g_assert_cmpint (g_rename (from, to), ==, 0);
  run_wait_until (is_empty, fixture);
  g_assert_cmpint (g_rename (to, back), ==, 0);
  wait_for_points (fixture, 10);
  g_assert_cmpstr (sonde_run_get_name (run_store_item (fixture->store, 0)), ==, "b");
  run_file_free (file);
}

static void
test_store_goes_first (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autoptr (SondeRun) run = NULL;
  g_autoptr (GArray) buckets = NULL;
  g_autoptr (SondeSeries) series = NULL;

  run_file_add_ramp (file, 0, 10, "loss");
  open_store (fixture);
  run = g_object_ref (run_store_item (fixture->store, 0));
  series = g_object_ref (find_series (fixture));
  g_clear_object (&fixture->store);
  g_assert_cmpstr (sonde_run_get_name (run), ==, ".");
  buckets = sonde_series_query (series, 0, 10, 10);
  g_assert_cmpuint (buckets->len, ==, 0);
  run_file_free (file);
}

/* ---- cut at random while it is read -------------------------------------- */

typedef struct
{
  char *path;
  _Atomic gboolean stop;
} Vandal;

static void *
truncate_at_random (void *data)
{
  Vandal *vandal = data;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (int i = 0; i < 300 && !atomic_load (&vandal->stop); i++)
    {
      RunFile *file = run_file_new (1, "%s", vandal->path);

      run_file_add_ramp (file, 0, g_rand_int_range (rand, 0, 2000), "loss");
      g_assert_cmpint (ftruncate (file->fd, g_rand_int_range (rand, 0, 3000)), ==, 0);
      run_file_free (file);
    }
  return NULL;
}

static void
test_vandal (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  Vandal vandal = { file->path, FALSE };
  g_autoptr (GError) error = NULL;
  pthread_t thread;

  open_store (fixture);
  g_assert_cmpint (pthread_create (&thread, NULL, truncate_at_random, &vandal), ==, 0);
  for (int i = 0; i < 100; i++)
    {
      SondeSeries *series;
      g_autoptr (GArray) buckets = NULL;

      g_assert_true (sonde_run_store_settle (fixture->store, NULL, &error));
      series = find_series (fixture);
      if (series)
        buckets = sonde_series_query (series, 0, 1000, 50);
    }
  atomic_store (&vandal.stop, TRUE);
  g_assert_cmpint (pthread_join (thread, NULL), ==, 0);
  run_file_free (file);
  file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  run_file_add_ramp (file, 0, 3000, "loss");
  wait_for_points (fixture, 3000);
  assert_ramp (fixture, 3000);
  run_file_free (file);
}

/* The first run; what the store counts is what its runs say. */
static gboolean
is_live (gpointer data)
{
  Fixture *fixture = data;
  guint n_live = 0;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (fixture->store)); i++)
    n_live += sonde_run_is_live (run_store_item (fixture->store, i)) ? 1 : 0;
  g_assert_cmpuint (sonde_run_store_get_n_live (fixture->store), ==, n_live);
  return sonde_run_is_live (run_store_item (fixture->store, 0));
}

static gboolean
is_ended (gpointer data)
{
  return !is_live (data);
}

static void
add_end (RunFile *file)
{
  SondeRecord end = { .kind = SONDE_RECORD_END };

  run_file_add (file, &end);
}

/* A run whose writer was closed is not live from that moment on, until somebody goes on with it:
 * in the same file or, after a resume, in another. One without the mark keeps its minute. */
static void
test_ended (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/a/records/000001.sonde", fixture->runs);
  RunFile *resumed;

  run_file_add_ramp (file, 0, 100, "loss");
  open_store (fixture);
  g_assert_true (is_live (fixture));
  add_end (file);
  run_wait_until (is_ended, fixture);
  g_assert_cmpuint (sonde_run_get_tags (run_store_item (fixture->store, 0))->len, ==, 1);

  g_clear_object (&fixture->store);
  open_store (fixture);
  g_assert_false (is_live (fixture));

  run_file_add_ramp (file, 100, 1, "loss");
  run_wait_until (is_live, fixture);
  add_end (file);
  run_wait_until (is_ended, fixture);

  resumed = run_file_new (2, "%s/a/records/000002.sonde", fixture->runs);
  run_file_add_ramp (resumed, 50, 1, "loss");
  run_wait_until (is_live, fixture);
  add_end (resumed);
  run_wait_until (is_ended, fixture);
  run_file_free (resumed);
  run_file_free (file);
}

/* The mark is with the index, too: a large run is not read again. */
static void
test_ended_indexed (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/a/records/000001.sonde", fixture->runs);

  run_file_add_ramp (file, 0, 5000, "loss");
  add_end (file);
  run_file_free (file);
  for (guint round = 0; round < 2; round++)
    {
      open_store (fixture);
      g_assert_false (is_live (fixture));
      assert_ramp (fixture, 5000);
      g_clear_object (&fixture->store);
    }
}

/* Files that other machines write are looked at, those of this one are told. */
static void
test_remote (void)
{
  g_assert_true (sonde_run_tail_is_remote (0x6969));
  g_assert_true (sonde_run_tail_is_remote ((long) (gint32) 0xff534d42));
  g_assert_true (sonde_run_tail_is_remote (0x65735546));
  g_assert_false (sonde_run_tail_is_remote (0xef53));     /* ext4 */
  g_assert_false (sonde_run_tail_is_remote (0x01021994)); /* tmpfs */
}

static guint
count_notice_descriptors (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  const char *name;
  guint n = 0;

  while ((name = g_dir_read_name (folder)) != NULL)
    {
      g_autofree char *path = g_build_filename ("/proc/self/fd", name, NULL);
      g_autofree char *target = g_file_read_link (path, NULL);

      n += g_strcmp0 (target, "anon_inode:inotify") == 0;
    }
  return n;
}

/* A store that looks once asks for no notices, and finds what is new when it is asked again. */
static void
test_not_watching (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/a/records/000001.sonde", fixture->runs), *other;
  const char *paths[] = { fixture->runs, NULL };
  guint before = count_notice_descriptors ();

  run_file_add_ramp (file, 0, 100, "loss");
  fixture->store = sonde_run_store_new (NULL, paths, fixture->index);
  g_assert_cmpuint (count_notice_descriptors (), ==, before + 1);
  sonde_run_store_set_watching (fixture->store, FALSE);
  g_assert_cmpuint (count_notice_descriptors (), ==, before);
  g_assert_true (sonde_run_store_settle (fixture->store, NULL, NULL));
  assert_ramp (fixture, 100);
  run_file_add_ramp (file, 100, 20, "loss");
  other = run_file_new (1, "%s/b/records/000001.sonde", fixture->runs);
  g_assert_true (sonde_run_store_settle (fixture->store, NULL, NULL));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (fixture->store)), ==, 2);
  assert_ramp (fixture, 120);
  run_file_free (file);
  run_file_free (other);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *name;
    void (*func) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "grows", test_grows },
    { "busy-writer", test_busy_writer },
    { "appears", test_appears },
    { "path-added", test_path_added },
    { "appears-in-empty-folder", test_appears_in_empty_folder },
    { "moved-in", test_moved_in },
    { "truncated", test_truncated },
    { "tail-cut-off", test_tail_cut_off },
    { "replaced", test_replaced },
    { "deleted", test_deleted },
    { "moved-away", test_moved_away },
    { "store-goes-first", test_store_goes_first },
    { "vandal", test_vandal },
    { "ended", test_ended },
    { "ended-indexed", test_ended_indexed },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/data/runs/live/", tests[i].name, NULL);

      g_test_add (path, Fixture, NULL, set_up, tests[i].func, tear_down);
    }
  /* the same without the kernel's notices */
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    {
      g_autofree char *path = g_strconcat ("/data/runs/poll/", tests[i].name, NULL);

      if (!g_str_equal (tests[i].name, "grows"))
        g_test_add (path, Fixture, "poll", set_up, tests[i].func, tear_down);
    }
  g_test_add ("/data/runs/live/not-watching", Fixture, NULL, set_up, test_not_watching, tear_down);
  g_test_add_func ("/data/runs/live/remote", test_remote);
  return g_test_run ();
}
