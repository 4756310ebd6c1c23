/* SPDX-License-Identifier: Apache-2.0
 * The store over files that do not change: what it finds, what it says, and how much a second
 * opening reads. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data/base/sonde-error.h"
#include "tests/data/runs/run-files.h"

typedef struct
{
  char *folder, *runs, *index;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = run_folder_new ();
  fixture->runs = g_build_filename (fixture->folder, "runs", NULL);
  fixture->index = g_build_filename (fixture->folder, "index", NULL);
  g_assert_cmpint (g_mkdir (fixture->runs, 0700), ==, 0);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  run_folder_remove (fixture->folder);
  g_free (fixture->runs);
  g_free (fixture->index);
}

static guint
count_runs (SondeRunStore *store)
{
  return g_list_model_get_n_items (G_LIST_MODEL (store));
}

static const SondeRunTag *
find_tag (SondeRun *run, const char *name, SondeRecordKind kind)
{
  GPtrArray *tags = sonde_run_get_tags (run);

  for (guint i = 0; i < tags->len; i++)
    {
      const SondeRunTag *tag = g_ptr_array_index (tags, i);

      if (tag->kind == kind && g_str_equal (tag->tag, name))
        return tag;
    }
  return NULL;
}

static void
add_image (RunFile *file, gint64 step, int index)
{
  SondeRecord record = { .kind = SONDE_RECORD_IMAGE, .step = step, .tag = "samples" };

  record.u.image.encoded = g_bytes_new_static ("\x89PNG", 4);
  record.u.image.width = record.u.image.height = 1;
  record.u.image.index = index;
  record.u.image.note.label = record.u.image.note.predicted = -1;
  run_file_add (file, &record);
  g_bytes_unref (record.u.image.encoded);
}

/* ---- contents ------------------------------------------------------------ */

static void
test_contents (Fixture *fixture, gconstpointer data)
{
  static const SondeScalar pair[] = { { "loss", 0.25 }, { "accuracy", 0.5 } };
  RunFile *file = run_file_new (1, "%s/lenet/records/000001.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;
  SondeRun *run;
  SondeSeries *series;
  SondePoint points[4];
  const SondeRunFile *info;

  run_file_add_scalars (file, 1, pair, 2);
  run_file_add_scalar (file, 2, "loss", NAN);
  run_file_add_scalar (file, 1, "loss", -INFINITY);
  for (int i = 0; i < 6; i++)
    add_image (file, i / 3, i % 3);
  run_file_add_text (file, 9, "notes", "hello");
  run_file_free (file);

  store = run_store_open (NULL, fixture->runs, fixture->index);
  g_assert_cmpuint (count_runs (store), ==, 1);
  run = run_store_item (store, 0);
  g_assert_cmpstr (sonde_run_get_name (run), ==, "lenet");
  g_assert_cmpstr (sonde_run_get_format (run), ==, "sonde");
  g_assert_true (g_str_has_suffix (sonde_run_get_path (run), "/runs/lenet"));
  g_assert_true (sonde_run_is_live (run));
  g_assert_cmpint (sonde_run_get_last_step (run), ==, 2); /* the greatest, not the last */
  g_assert_cmpint (sonde_run_get_start_ns (run), ==, 1000);
  g_assert_cmpuint (sonde_run_get_damage_count (run), ==, 0);

  g_assert_cmpuint (sonde_run_get_files (run)->len, ==, 1);
  info = g_ptr_array_index (sonde_run_get_files (run), 0);
  g_assert_cmpuint (info->read, ==, info->bytes);
  g_assert_cmpfloat (sonde_run_get_progress (run), ==, 1);
  g_assert_cmpstr (info->path, ==, "records/000001.sonde");
  g_assert_cmpuint (info->records, ==, 11);
  g_assert_false (info->waiting);

  g_assert_cmpuint (sonde_run_get_tags (run)->len, ==, 4);
  g_assert_cmpuint (find_tag (run, "loss", SONDE_RECORD_SCALARS)->count, ==, 3);
  g_assert_cmpint (find_tag (run, "loss", SONDE_RECORD_SCALARS)->first_step, ==, 1);
  /* several images of a step are one */
  g_assert_cmpuint (find_tag (run, "samples", SONDE_RECORD_IMAGE)->count, ==, 2);

  series = sonde_run_get_series (run, "loss");
  g_assert_true (series == sonde_run_get_series (run, "loss"));
  g_assert_null (sonde_run_get_series (run, "notes"));
  g_assert_cmpuint (sonde_series_copy_points (series, 0, 4, points), ==, 3);
  g_assert_cmpfloat (points[0].value, ==, 0.25);
  g_assert_true (isnan (points[1].value));
  g_assert_cmpint (points[2].step, ==, 1);
  g_assert_true (isinf (points[2].value));
  g_assert_cmpuint (points[2].session, ==, 1);
}

static void
on_blobs (GObject *source, GAsyncResult *result, gpointer data)
{
  GPtrArray **records = data;

  *records = sonde_run_read_blobs_finish (SONDE_RUN (source), result, NULL);
}

static gboolean
is_set (gpointer data)
{
  return *(gpointer *) data != NULL;
}

static void
test_blobs (Fixture *fixture, gconstpointer data)
{
  RunFile *first = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  RunFile *second = run_file_new (2, "%s/records/000002.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;
  g_autoptr (GArray) refs = NULL;
  g_autoptr (GPtrArray) records = NULL;
  g_autoptr (GError) error = NULL;
  SondeRecord record;
  SondeBlobRef wrong;

  for (int i = 0; i < 5000; i++)
    run_file_add_text (first, i, "notes", "first");
  run_file_add_text (second, 3, "other", "x");
  run_file_add_text (second, 4, "notes", "second");
  store = run_store_open (NULL, fixture->runs, fixture->index);
  refs = sonde_run_list_blobs (run_store_item (store, 0), "notes", SONDE_RECORD_TEXT);
  g_assert_cmpuint (refs->len, ==, 5001);
  g_assert_cmpint (g_array_index (refs, SondeBlobRef, 4999).step, ==, 4999);

  g_assert_true (sonde_run_read_blob (run_store_item (store, 0),
                                      &g_array_index (refs, SondeBlobRef, 5000), &record, &error));
  g_assert_cmpstr (record.u.text, ==, "second");
  g_assert_cmpstr (record.tag, ==, "notes");
  g_assert_cmpuint (record.session, ==, 2);
  sonde_record_clear (&record);

  wrong = g_array_index (refs, SondeBlobRef, 0);
  wrong.place += 3;
  g_assert_false (sonde_run_read_blob (run_store_item (store, 0), &wrong, &record, &error));
  g_assert_nonnull (error);

  g_array_append_val (refs, wrong);
  sonde_run_read_blobs_async (run_store_item (store, 0), refs, NULL, on_blobs, &records);
  run_wait_until (is_set, &records);
  g_assert_cmpuint (records->len, ==, 5001);
  run_file_free (first);
  run_file_free (second);
}

/* Takes down steps; ends after @limit records. */
typedef struct
{
  GArray *steps;
  guint limit;
} Walk;

static gboolean
walk (const SondeRecord *record, void *data, GError **error)
{
  Walk *steps = data;

  g_array_append_val (steps->steps, record->step);
  if (steps->steps->len < steps->limit)
    return TRUE;
  g_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED, "enough");
  return FALSE;
}

static void
test_walk (Fixture *fixture, gconstpointer data)
{
  RunFile *second = run_file_new (2, "%s/records/000002.sonde", fixture->runs);
  RunFile *first = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;
  g_autoptr (GArray) steps = g_array_new (FALSE, FALSE, sizeof (gint64));
  Walk all = { steps, G_MAXUINT }, some = { steps, 12 };
  g_autoptr (GError) error = NULL;

  run_file_add_ramp (second, 200, 10, "loss");
  run_file_add_text (second, 7, "notes", "x");
  run_file_add_ramp (first, 100, 10, "loss");
  run_file_write (first, "an unfinished tail", 18);
  store = run_store_open (NULL, fixture->runs, fixture->index);
  g_assert_true (sonde_run_for_each_record (run_store_item (store, 0), walk, &all, &error));
  g_assert_cmpuint (steps->len, ==, 23);
  g_assert_cmpint (g_array_index (steps, gint64, 1), ==, 100);
  g_assert_cmpint (g_array_index (steps, gint64, 12), ==, 200);
  g_assert_cmpint (g_array_index (steps, gint64, 22), ==, 7);
  g_array_set_size (steps, 0);
  g_assert_false (sonde_run_for_each_record (run_store_item (store, 0), walk, &some, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED);
  g_assert_cmpuint (steps->len, ==, 12);
  run_file_free (first);
  run_file_free (second);
}

/* ---- notes --------------------------------------------------------------- */

static void
add_note (RunFile *file, const char *tag, const char *unit)
{
  SondeRecord record = { .kind = SONDE_RECORD_NOTE, .tag = tag };

  record.u.tag_note.unit = (char *) unit;
  run_file_add (file, &record);
}

/* What is said about a tag is no tag of its own, and the first that is said holds. */
static void
test_notes (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;
  g_autoptr (SondeRunNote) note = NULL;
  GPtrArray *tags;

  run_file_add_scalar (file, 1, "loss", 0.5);
  add_note (file, "loss", "nats");
  add_note (file, "loss", "bits");
  run_file_add_scalar (file, 1, "time", 0.5);
  store = run_store_open (NULL, fixture->runs, fixture->index);
  tags = sonde_run_get_tags (run_store_item (store, 0));
  g_assert_cmpuint (tags->len, ==, 2);
  g_assert_cmpstr (((SondeRunTag *) tags->pdata[0])->tag, ==, "loss");
  g_assert_cmpint (((SondeRunTag *) tags->pdata[0])->kind, ==, SONDE_RECORD_SCALARS);
  note = sonde_run_dup_note (run_store_item (store, 0), "loss");
  g_assert_nonnull (note);
  g_assert_cmpstr (note->unit, ==, "nats");
  g_assert_null (note->display_name);
  g_assert_null (sonde_run_dup_note (run_store_item (store, 0), "time"));
  run_file_free (file);
}

/* ---- which runs ---------------------------------------------------------- */

static void
on_items_changed (GListModel *model, guint position, guint removed, guint added, GPtrArray *mirror)
{
  g_ptr_array_remove_range (mirror, position, removed);
  for (guint i = 0; i < added; i++)
    {
      g_autoptr (SondeRun) run = g_list_model_get_item (model, position + i);

      g_ptr_array_insert (mirror, position + i, g_strdup (sonde_run_get_name (run)));
    }
}

static void
test_layout (Fixture *fixture, gconstpointer data)
{
  static const char *const files[]
      = { "b/records/000001.sonde",        "a.sonde",         "c/deep/er/x.sonde",
          "b/nested/records/000001.sonde", ".hidden/x.sonde", "a/records/1.sonde" };
  static const char *const expected[] = { ".", "a", "b", "b/nested", "c/deep/er", "linked" };
  g_autofree char *fifo = g_build_filename (fixture->runs, "fifo.sonde", NULL);
  g_autofree char *loop = g_build_filename (fixture->runs, "b", "loop", NULL);
  g_autofree char *linked = g_build_filename (fixture->runs, "linked", NULL);
  g_autofree char *link = g_build_filename (linked, "000001.sonde", NULL);
  g_autofree char *nowhere = g_build_filename (linked, "000002.sonde", NULL);
  g_autoptr (GPtrArray) mirror = g_ptr_array_new_with_free_func (g_free);
  const char *paths[] = { fixture->runs, NULL };
  g_autoptr (SondeRunStore) store = NULL;
  g_autoptr (GError) error = NULL;

  for (gsize i = 0; i < G_N_ELEMENTS (files); i++)
    run_file_free (run_file_new (1, "%s/%s", fixture->runs, files[i]));
  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_cmpint (symlink (fixture->runs, loop), ==, 0);
  g_assert_cmpint (g_mkdir (linked, 0700), ==, 0);
  g_assert_cmpint (symlink ("../a.sonde", link), ==, 0);
  g_assert_cmpint (symlink ("../none.sonde", nowhere), ==, 0);
  store = sonde_run_store_new (NULL, paths, fixture->index);
  g_signal_connect (store, "items-changed", G_CALLBACK (on_items_changed), mirror);
  g_assert_true (sonde_run_store_settle (store, NULL, &error));

  g_assert_cmpuint (count_runs (store), ==, G_N_ELEMENTS (expected));
  g_assert_cmpuint (mirror->len, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_assert_cmpstr (sonde_run_get_name (run_store_item (store, i)), ==, expected[i]);
      g_assert_cmpstr (g_ptr_array_index (mirror, i), ==, expected[i]);
    }
  g_assert_true (sonde_run_store_find (store, "b/nested") == run_store_item (store, 3));
  g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
  g_assert_nonnull (
      strstr (g_ptr_array_index (sonde_run_store_get_problems (store), 0), "fifo.sonde"));
}

static void
test_single_file (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;

  run_file_free (run_file_new (2, "%s/records/000002.sonde", fixture->runs));
  run_file_add_scalar (file, 1, "loss", 1);
  store = run_store_open (NULL, file->path, fixture->index);
  g_assert_cmpuint (count_runs (store), ==, 1);
  g_assert_cmpstr (sonde_run_get_name (run_store_item (store, 0)), ==, ".");
  g_assert_cmpuint (sonde_run_get_files (run_store_item (store, 0))->len, ==, 1);
  g_assert_cmpuint (
      sonde_series_get_n_points (sonde_run_get_series (run_store_item (store, 0), "loss")), ==, 1);
  run_file_free (file);
}

static void
test_nothing_there (Fixture *fixture, gconstpointer data)
{
  g_autofree char *missing = g_build_filename (fixture->runs, "not", "yet", NULL);
  const char *paths[] = { missing, NULL };
  g_autoptr (SondeRunStore) store = sonde_run_store_new (NULL, paths, fixture->index);
  g_autoptr (SondeRunStore) empty = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_run_store_settle (store, NULL, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "not/yet"));
  empty = run_store_open (NULL, fixture->runs, fixture->index);
  g_assert_cmpuint (count_runs (empty), ==, 0);
}

static void
test_unreadable (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/closed/records/000001.sonde", fixture->runs);
  g_autofree char *folder = g_build_filename (fixture->runs, "closed", NULL);
  g_autoptr (SondeRunStore) store = NULL;

  run_file_free (file);
  if (geteuid () == 0)
    {
      g_test_skip ("root may read everything");
      return;
    }
  g_assert_cmpint (chmod (folder, 0), ==, 0);
  store = run_store_open (NULL, fixture->runs, fixture->index);
  g_assert_cmpint (chmod (folder, 0700), ==, 0);
  g_assert_cmpuint (count_runs (store), ==, 0);
  g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
}

/* A store whose opening of one file is refused, whoever runs the test. */
typedef struct
{
  SondeIo io;
  const char *refused;
} RefusingIo;

static int
open_or_refuse (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  const RefusingIo *refusing = (const RefusingIo *) io;

  if (g_str_has_suffix (path, refusing->refused))
    {
      errno = EACCES;
      return -1;
    }
  return sonde_io_system ()->open (sonde_io_system (), dirfd, path, flags, mode);
}

static void
test_refused_file (Fixture *fixture, gconstpointer data)
{
  RefusingIo io = { *sonde_io_system (), "000002.sonde" };
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;
  SondeRun *run;

  run_file_add_scalar (file, 1, "loss", 1);
  run_file_free (file);
  run_file_free (run_file_new (2, "%s/records/000002.sonde", fixture->runs));
  io.io.open = open_or_refuse;
  store = run_store_open (&io.io, fixture->runs, fixture->index);
  run = run_store_item (store, 0);
  g_assert_cmpuint (sonde_run_get_files (run)->len, ==, 2);
  g_assert_cmpuint (sonde_series_get_n_points (sonde_run_get_series (run, "loss")), ==, 1);
  g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 1);
  g_assert_nonnull (
      strstr (g_ptr_array_index (sonde_run_store_get_problems (store), 0), "000002.sonde"));
}

/* ---- damage -------------------------------------------------------------- */

static void
test_damage (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;
  const SondeRunFile *info;
  const SondeFrameDamage *damage;
  struct stat middle;
  int fd;

  run_file_add_ramp (file, 0, 100, "loss");
  g_assert_cmpint (fstat (file->fd, &middle), ==, 0);
  run_file_add_ramp (file, 100, 100, "loss");
  fd = open (file->path, O_WRONLY | O_CLOEXEC);
  g_assert_cmpint (pwrite (fd, "\xff\xff\xff", 3, middle.st_size), ==, 3);
  close (fd);
  store = run_store_open (NULL, fixture->runs, fixture->index);
  info = g_ptr_array_index (sonde_run_get_files (run_store_item (store, 0)), 0);
  g_assert_cmpuint (info->damage->len, ==, 1);
  damage = g_ptr_array_index (info->damage, 0);
  g_assert_cmpuint (damage->offset, ==, middle.st_size);
  g_assert_cmpuint (info->records, ==, 200);
  g_assert_cmpuint (sonde_run_get_damage_count (run_store_item (store, 0)), ==, 1);
  g_assert_cmpuint (
      sonde_series_get_n_points (sonde_run_get_series (run_store_item (store, 0), "loss")), ==,
      199);
  run_file_free (file);
}

static void
test_unfinished_tail (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  SondeScalar scalar = { "loss", 7 };
  SondeRecord record = { .kind = SONDE_RECORD_SCALARS, .step = 500 };
  g_autoptr (GByteArray) frame = NULL;
  g_autoptr (GError) error = NULL;
  const SondeRunFile *info;

  run_file_add_ramp (file, 0, 5000, "loss");
  record.u.scalars.items = &scalar;
  record.u.scalars.n = 1;
  frame = run_file_frame (file, &record);
  run_file_write (file, frame->data, frame->len - 5);
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    info = g_ptr_array_index (sonde_run_get_files (run_store_item (store, 0)), 0);
    g_assert_true (info->waiting);
    g_assert_cmpuint (info->damage->len, ==, 0);

    /* nobody goes on writing: the same store says so, and so does the next, from its index */
    run_file_age (file, 100);
    g_assert_true (sonde_run_store_settle (store, NULL, &error));
    info = g_ptr_array_index (sonde_run_get_files (run_store_item (store, 0)), 0);
    g_assert_false (info->waiting);
    g_assert_cmpuint (info->damage->len, ==, 1);
    g_assert_cmpuint (((SondeFrameDamage *) g_ptr_array_index (info->damage, 0))->bytes, ==,
                      frame->len - 5);
    g_assert_false (sonde_run_is_live (run_store_item (store, 0)));
  }
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

      info = g_ptr_array_index (sonde_run_get_files (run_store_item (store, 0)), 0);
      g_assert_cmpuint (info->damage->len, ==, 1);
      g_assert_cmpuint (sonde_run_get_damage_count (run_store_item (store, 0)), ==, 1);
    }
  /* it was only asleep */
  run_file_write (file, frame->data + frame->len - 5, 5);
  {
    g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

    info = g_ptr_array_index (sonde_run_get_files (run_store_item (store, 0)), 0);
    g_assert_cmpuint (info->damage->len, ==, 0);
    g_assert_cmpuint (
        sonde_series_get_n_points (sonde_run_get_series (run_store_item (store, 0), "loss")), ==,
        5001);
  }
  run_file_free (file);
}

/* ---- sessions ------------------------------------------------------------ */

static void
test_resumed (Fixture *fixture, gconstpointer data)
{
  RunFile *first = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  RunFile *second = run_file_new (2, "%s/records/000002.sonde", fixture->runs);
  g_autoptr (SondeRunStore) store = NULL;
  SondePoint points[20];
  SondeRun *run;

  run_file_add_ramp (second, 5, 10, "loss");
  run_file_add_ramp (first, 0, 10, "loss");
  store = run_store_open (NULL, fixture->runs, fixture->index);
  run = run_store_item (store, 0);
  g_assert_cmpuint (sonde_series_copy_points (sonde_run_get_series (run, "loss"), 0, 20, points),
                    ==, 20);
  for (int i = 0; i < 20; i++)
    {
      g_assert_cmpuint (points[i].session, ==, i < 10 ? 1 : 2);
      g_assert_cmpint (points[i].step, ==, i < 10 ? i : i - 5);
    }
  g_assert_cmpuint (find_tag (run, "loss", SONDE_RECORD_SCALARS)->count, ==, 20);
  g_assert_cmpint (find_tag (run, "loss", SONDE_RECORD_SCALARS)->last_step, ==, 14);
  g_assert_cmpint (sonde_run_get_last_step (run), ==, 14);
  run_file_free (first);
  run_file_free (second);
}

/* ---- the second opening -------------------------------------------------- */

typedef struct
{
  SondeIo io;
  guint64 bytes;
} CountingIo;

static ssize_t
counting_pread (const SondeIo *io, int fd, void *data, size_t length, off_t offset)
{
  ssize_t got = sonde_io_system ()->pread (sonde_io_system (), fd, data, length, offset);

  ((CountingIo *) io)->bytes += MAX (got, 0);
  return got;
}

static guint64
count_opening (Fixture *fixture, guint n_points, guint n_texts)
{
  CountingIo io = { *sonde_io_system (), 0 };
  g_autoptr (SondeRunStore) store = NULL;
  g_autoptr (GArray) refs = NULL;
  g_autoptr (GArray) buckets = NULL;
  SondePoint point;
  SondeRun *run;

  io.io.pread = counting_pread;
  store = run_store_open (&io.io, fixture->runs, fixture->index);
  run = run_store_item (store, 0);
  g_assert_cmpuint (sonde_series_get_n_points (sonde_run_get_series (run, "loss")), ==, n_points);
  for (guint i = 0; i < n_points; i += 997)
    {
      g_assert_cmpuint (sonde_series_copy_points (sonde_run_get_series (run, "loss"), i, 1, &point),
                        ==, 1);
      g_assert_cmpint (point.step, ==, i);
      g_assert_cmpfloat (point.value, ==, (double) (((gint64) i * i) % 1000));
    }
  buckets = sonde_series_query (sonde_run_get_series (run, "loss"), 0, G_MAXINT64, 100);
  g_assert_cmpuint (buckets->len, ==, 100);
  refs = sonde_run_list_blobs (run, "notes", SONDE_RECORD_TEXT);
  g_assert_cmpuint (refs->len, ==, n_texts);
  return io.bytes;
}

static void
test_second_opening (Fixture *fixture, gconstpointer data)
{
  RunFile *file = run_file_new (1, "%s/records/000001.sonde", fixture->runs);
  struct stat before, after;
  guint64 bytes;

  for (int i = 0; i < 10; i++)
    run_file_add_text (file, i, "notes", "text");
  run_file_add_ramp (file, 0, 50000, "loss");
  g_assert_cmpint (fstat (file->fd, &before), ==, 0);
  g_assert_cmpuint (count_opening (fixture, 50000, 10), >=, before.st_size);
  /* nothing new: only a look at the file */
  g_assert_cmpuint (count_opening (fixture, 50000, 10), <, 200);
  for (guint round = 1; round < 4; round++)
    {
      run_file_add_ramp (file, 50000 + (round - 1) * 3000, 3000, "loss");
      run_file_add_text (file, round, "notes", "more");
      g_assert_cmpint (fstat (file->fd, &after), ==, 0);
      bytes = count_opening (fixture, 50000 + round * 3000, 10 + round);
      g_assert_cmpuint (bytes, <, (guint64) (after.st_size - before.st_size) + 1000);
      before = after;
    }
  run_file_free (file);
}

static void
test_thousand_runs (Fixture *fixture, gconstpointer data)
{
  gint64 begin;

  for (int i = 0; i < 1000; i++)
    {
      RunFile *file = run_file_new (1, "%s/run-%04d/records/000001.sonde", fixture->runs, i);

      run_file_add_ramp (file, 0, i % 100 == 0 ? 3000 : 5, "loss");
      run_file_free (file);
    }
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = NULL;

      begin = g_get_monotonic_time ();
      store = run_store_open (NULL, fixture->runs, fixture->index);
      g_test_message ("opening %d: %.0f ms", round + 1, (g_get_monotonic_time () - begin) / 1000.0);
      g_assert_cmpuint (count_runs (store), ==, 1000);
      for (guint i = 0; i < 1000; i++)
        {
          SondeRun *run = run_store_item (store, i);
          SondePoint last;

          g_assert_true (sonde_series_get_last (sonde_run_get_series (run, "loss"), &last));
          g_assert_cmpint (last.step, ==, i % 100 == 0 ? 2999 : 4);
        }
    }
}

/* Many runs that are written to, few descriptors. */
static void
test_few_descriptors (Fixture *fixture, gconstpointer data)
{
  struct rlimit before, few;

  if (g_getenv ("SONDE_TEST_VALGRIND") != NULL)
    {
      g_test_skip ("valgrind keeps descriptors for itself");
      return;
    }
  for (int i = 0; i < 100; i++)
    {
      RunFile *file = run_file_new (1, "%s/run-%04d/records/000001.sonde", fixture->runs, i);

      run_file_add_ramp (file, 0, 3000, "loss");
      run_file_free (file);
    }
  g_assert_cmpint (getrlimit (RLIMIT_NOFILE, &before), ==, 0);
  few = before;
  few.rlim_cur = 64;
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &few), ==, 0);
  for (int round = 0; round < 2; round++)
    {
      g_autoptr (SondeRunStore) store = run_store_open (NULL, fixture->runs, fixture->index);

      for (guint i = 0; i < sonde_run_store_get_problems (store)->len; i++)
        g_test_message ("%s", (char *) sonde_run_store_get_problems (store)->pdata[i]);
      g_assert_cmpuint (sonde_run_store_get_problems (store)->len, ==, 0);
      for (guint i = 0; i < 100; i++)
        {
          SondePoint points[1];

          g_assert_cmpuint (
              sonde_series_copy_points (sonde_run_get_series (run_store_item (store, i), "loss"),
                                        2999, 1, points),
              ==, 1);
          g_assert_cmpint (points[0].step, ==, 2999);
        }
    }
  g_assert_cmpint (setrlimit (RLIMIT_NOFILE, &before), ==, 0);
}

int
main (int argc, char **argv)
{
  static const struct
  {
    const char *path;
    void (*func) (Fixture *fixture, gconstpointer data);
  } tests[] = {
    { "/data/runs/store/contents", test_contents },
    { "/data/runs/store/blobs", test_blobs },
    { "/data/runs/store/walk", test_walk },
    { "/data/runs/store/notes", test_notes },
    { "/data/runs/store/layout", test_layout },
    { "/data/runs/store/single-file", test_single_file },
    { "/data/runs/store/nothing-there", test_nothing_there },
    { "/data/runs/store/unreadable", test_unreadable },
    { "/data/runs/store/refused-file", test_refused_file },
    { "/data/runs/store/damage", test_damage },
    { "/data/runs/store/unfinished-tail", test_unfinished_tail },
    { "/data/runs/store/resumed", test_resumed },
    { "/data/runs/store/second-opening", test_second_opening },
    { "/data/runs/store/thousand-runs", test_thousand_runs },
    { "/data/runs/store/few-descriptors", test_few_descriptors },
  };

  g_test_init (&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS (tests); i++)
    g_test_add (tests[i].path, Fixture, NULL, set_up, tests[i].func, tear_down);
  return g_test_run ();
}
