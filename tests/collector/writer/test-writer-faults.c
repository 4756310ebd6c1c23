/* SPDX-License-Identifier: Apache-2.0
 * A disk that is full, slow, short or broken: the trainer does not notice, the losses are
 * counted. */
#include <errno.h>
#include <string.h>

#include "collector/writer/sonde-summary-writer-private.h"
#include "data/base/sonde-error.h"
#include "tests/collector/writer/disk-io.h"
#include "tests/collector/writer/run-folder.h"

typedef struct
{
  RunFolder run;
  DiskIo disk;
  SondeSummaryWriter *writer;
  char *path;
} Fixture;

static void
set_up (Fixture *fixture, gsize queue_bytes)
{
  SondeSummaryWriterOptions options = { .queue_bytes = queue_bytes };
  g_autoptr (GError) error = NULL;

  run_folder_init (&fixture->run);
  disk_io_init (&fixture->disk);
  options.io = &fixture->disk.io;
  fixture->writer = sonde_summary_writer_open (fixture->run.run, &options, &error);
  g_assert_no_error (error);
  fixture->path = g_strdup (sonde_summary_writer_get_path (fixture->writer));
  sonde_summary_writer_flush (fixture->writer);
}

static void
tear_down (Fixture *fixture)
{
  g_free (fixture->path);
  run_folder_clear (&fixture->run);
}

static SondeSummaryWriterState
get_state (Fixture *fixture)
{
  SondeSummaryWriterState state;

  sonde_summary_writer_get_state (fixture->writer, &state);
  return state;
}

/* Steps @from to @to, one record each. */
static void
add_steps (Fixture *fixture, gint64 from, gint64 to)
{
  for (gint64 step = from; step < to; step++)
    sonde_summary_writer_add_scalar (fixture->writer, "loss", step, (double) step);
}

/* Which steps are in the file; each at most once and in order. */
static guint
count_steps (GPtrArray *records)
{
  gint64 last = -1;
  guint n = 0;

  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      if (record->kind != SONDE_RECORD_SCALARS)
        continue;
      g_assert_cmpint (record->step, >, last);
      g_assert_cmpfloat (record->u.scalars.items[0].value, ==, (double) record->step);
      g_assert_cmpstr (record->u.scalars.items[0].tag, ==, "loss");
      last = record->step;
      n++;
    }
  return n;
}

/* ---- full disk ----------------------------------------------------------- */

/* T20, EN10: full for a while. Nothing is lost while the queue has room. */
static void
test_full_for_a_while (void)
{
  g_autoptr (GPtrArray) records = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeMessage) failure = NULL;
  const char *const *arguments;
  Fixture fixture;

  set_up (&fixture, 0);
  add_steps (&fixture, 0, 10);
  sonde_summary_writer_flush (fixture.writer);
  fixture.disk.room = 0;
  add_steps (&fixture, 10, 500);
  sonde_summary_writer_flush (fixture.writer);
  g_assert_true (get_state (&fixture).failing);
  failure = sonde_summary_writer_dup_failure (fixture.writer);
  g_assert_cmpuint (sonde_message_get_n_parts (failure), ==, 2);
  g_assert_true (g_str_has_prefix (sonde_message_get_part (failure, 0, &arguments), "cannot "));
  g_assert_true (g_str_has_prefix (arguments[0], fixture.path));
  g_assert_cmpstr (sonde_message_get_part (failure, 1, &arguments), ==, ": %-s");
  g_assert_cmpstr (arguments[0], ==, g_strerror (ENOSPC));
  fixture.disk.room = G_MAXINT64;
  sonde_summary_writer_flush (fixture.writer);
  g_assert_false (get_state (&fixture).failing);
  add_steps (&fixture, 500, 600);
  g_assert_true (sonde_summary_writer_close (fixture.writer, &error));
  g_assert_no_error (error);
  records = read_records (fixture.path, NULL);
  g_assert_cmpuint (count_steps (records), ==, 600);
  g_assert_cmpuint (count_gaps (records), ==, 0);
  tear_down (&fixture);
}

/* With a small queue: what does not fit is counted, to the record; the rest is there. */
static void
test_full_and_lost (void)
{
  g_autoptr (GPtrArray) records = NULL;
  g_autoptr (GError) error = NULL;
  const SondeRecord *gap;
  guint64 lost;
  Fixture fixture;

  set_up (&fixture, 64 << 10);
  add_steps (&fixture, 0, 100);
  sonde_summary_writer_flush (fixture.writer);
  fixture.disk.room = 17; /* in the middle of a record */
  add_steps (&fixture, 100, 20000);
  sonde_summary_writer_flush (fixture.writer);
  lost = get_state (&fixture).lost_records;
  g_assert_cmpuint (lost, >, 10000);
  fixture.disk.room = G_MAXINT64;
  sonde_summary_writer_flush (fixture.writer);
  add_steps (&fixture, 20000, 20100);
  sonde_summary_writer_flush (fixture.writer);
  g_assert_cmpuint (get_state (&fixture).lost_records, ==, lost);
  g_assert_false (sonde_summary_writer_close (fixture.writer, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE);
  g_assert_nonnull (strstr (error->message, fixture.path));

  records = read_records (fixture.path, NULL);
  g_assert_cmpuint (count_gaps (records), ==, lost);
  g_assert_cmpuint (count_steps (records) + lost, ==, 20100);
  gap = find_kind (records, SONDE_RECORD_GAP);
  g_assert_cmpint (gap->u.gap.first_step, >, 100);
  g_assert_cmpint (gap->u.gap.last_step, ==, 19999);
  g_assert_cmpuint (gap->u.gap.bytes, >, lost * 8);
  g_assert_nonnull (strstr (gap->u.gap.reason, g_strerror (ENOSPC)));
  tear_down (&fixture);
}

/* The start of a record that did not fit is cut off. */
static void
test_partial_record_is_cut_off (void)
{
  guint truncates = 0;

  for (gint64 room = 1; room < 60; room++)
    {
      g_autoptr (GPtrArray) before = NULL;
      g_autoptr (GPtrArray) after = NULL;
      Fixture fixture;

      set_up (&fixture, 0);
      add_steps (&fixture, 0, 3);
      sonde_summary_writer_flush (fixture.writer);
      fixture.disk.room = room;
      add_steps (&fixture, 3, 10);
      sonde_summary_writer_flush (fixture.writer);
      truncates += fixture.disk.truncates > 0;
      before = read_records (fixture.path, NULL);
      g_assert_cmpuint (count_steps (before), >=, 3);
      fixture.disk.room = G_MAXINT64;
      g_assert_true (sonde_summary_writer_close (fixture.writer, NULL));
      after = read_records (fixture.path, NULL);
      g_assert_cmpuint (count_steps (after), ==, 10);
      tear_down (&fixture);
    }
  /* All but the room that whole records fill. */
  g_assert_cmpuint (truncates, >=, 56);
}

/* Not even that works: readers step over the torn part. */
static void
test_torn_part_stays (void)
{
  g_autoptr (GPtrArray) records = NULL;
  guint n_damage;
  Fixture fixture;

  set_up (&fixture, 0);
  add_steps (&fixture, 0, 3);
  sonde_summary_writer_flush (fixture.writer);
  fixture.disk.truncate_error = EIO;
  fixture.disk.room = 20;
  add_steps (&fixture, 3, 10);
  sonde_summary_writer_flush (fixture.writer);
  fixture.disk.room = G_MAXINT64;
  g_assert_true (sonde_summary_writer_close (fixture.writer, NULL));
  records = read_records (fixture.path, &n_damage);
  g_assert_cmpuint (n_damage, ==, 1);
  g_assert_cmpuint (count_steps (records), ==, 10);
  tear_down (&fixture);
}

/* A large record that does not fit is dropped, so that small ones are not kept waiting. Its tag was
 * declared in it, so the next use declares it again. */
static void
test_large_record_is_dropped (void)
{
  const SondeShape shape = sonde_shape_make (1, 100000);
  const SondeShape small = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) large = sonde_tensor_new (SONDE_DTYPE_I32, &shape);
  g_autoptr (SondeTensor) tiny = sonde_tensor_new (SONDE_DTYPE_I32, &small);
  g_autoptr (GPtrArray) records = NULL;
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  for (gint64 i = 0; i < 100000; i++)
    sonde_tensor_set_double (large, i, (double) ((i * 2654435761u) % 4294967291u));
  set_up (&fixture, 0);
  fixture.disk.room = 2000;
  sonde_summary_writer_add_tensor (fixture.writer, "large", 1, large);
  add_steps (&fixture, 2, 5);
  sonde_summary_writer_flush (fixture.writer);
  fixture.disk.room = G_MAXINT64;
  sonde_summary_writer_add_tensor (fixture.writer, "large", 6, tiny);
  g_assert_false (sonde_summary_writer_close (fixture.writer, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_SPACE);
  records = read_records (fixture.path, NULL);
  g_assert_cmpuint (count_steps (records), ==, 3);
  g_assert_cmpuint (count_gaps (records), ==, 1);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_TENSOR), ==, 1);
  g_assert_cmpstr (find_kind (records, SONDE_RECORD_TENSOR)->tag, ==, "large");
  g_assert_cmpint (find_kind (records, SONDE_RECORD_GAP)->u.gap.first_step, ==, 1);
  tear_down (&fixture);
}

/* ---- broken disk --------------------------------------------------------- */

static void
test_short_writes (void)
{
  g_autoptr (GPtrArray) records = NULL;
  Fixture fixture;

  set_up (&fixture, 0);
  fixture.disk.max_bytes = 3;
  fixture.disk.interrupt = TRUE;
  add_steps (&fixture, 0, 2000);
  g_assert_true (sonde_summary_writer_close (fixture.writer, NULL));
  records = read_records (fixture.path, NULL);
  g_assert_cmpuint (count_steps (records), ==, 2000);
  tear_down (&fixture);
}

/* Closing ends, and says how much is missing. */
static void
test_broken_for_ever (void)
{
  static const int errors[] = { EIO, EROFS, ENOSPC, EDQUOT, ESTALE, EBADF };

  for (guint i = 0; i < G_N_ELEMENTS (errors); i++)
    {
      g_autoptr (GPtrArray) records = NULL;
      g_autoptr (GError) error = NULL;
      gint64 start;
      Fixture fixture;

      set_up (&fixture, 0);
      add_steps (&fixture, 0, 5);
      sonde_summary_writer_flush (fixture.writer);
      fixture.disk.write_error = errors[i];
      add_steps (&fixture, 5, 1005);
      sonde_summary_writer_add_text (fixture.writer, "t", 1005, "text");
      start = g_get_monotonic_time ();
      g_assert_false (sonde_summary_writer_close (fixture.writer, &error));
      g_assert_cmpint (g_get_monotonic_time () - start, <, 5 * G_USEC_PER_SEC);
      g_assert_nonnull (error);
      g_assert_true (g_str_has_prefix (error->message, "1001 records"));
      g_assert_nonnull (strstr (error->message, g_strerror (errors[i])));
      g_assert_nonnull (strstr (error->message, "steps 5 to 1005"));
      records = read_records (fixture.path, NULL);
      g_assert_cmpuint (count_steps (records), ==, 5);
      tear_down (&fixture);
    }
}

/* A failed fsync is not simply asked again: what was written since the last one counts as lost. */
static void
test_fsync_error (void)
{
  g_autoptr (GPtrArray) records = NULL;
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  set_up (&fixture, 0);
  add_steps (&fixture, 0, 5);
  fixture.disk.fsync_error = EIO;
  g_assert_false (sonde_summary_writer_close (fixture.writer, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
  g_assert_true (g_str_has_prefix (error->message, "6 records"));
  records = read_records (fixture.path, NULL);
  g_assert_cmpuint (count_steps (records), ==, 5);
  tear_down (&fixture);
}

/* Some file systems cannot do it. */
static void
test_no_fsync (void)
{
  Fixture fixture;

  set_up (&fixture, 0);
  fixture.disk.fsync_error = EINVAL;
  add_steps (&fixture, 0, 5);
  g_assert_true (sonde_summary_writer_close (fixture.writer, NULL));
  tear_down (&fixture);
}

/* EN9: somebody deletes the run while it is trained. */
static void
test_deleted_file (void)
{
  g_autoptr (GError) error = NULL;
  Fixture fixture;

  set_up (&fixture, 0);
  add_steps (&fixture, 0, 5);
  sonde_summary_writer_flush (fixture.writer);
  g_assert_cmpint (g_remove (fixture.path), ==, 0);
  g_assert_false (sonde_summary_writer_close (fixture.writer, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NOT_FOUND);
  tear_down (&fixture);
}

/* ---- slow disk ----------------------------------------------------------- */

/* T21: the trainer does not wait, memory is bounded, pictures go before scalars, oldest first. */
static void
test_slow_disk (void)
{
  const gsize limit = 1 << 20;
  g_autoptr (GPtrArray) records = NULL;
  g_autoptr (SondeImage) image = sonde_image_new (100, 100, 1);
  g_autoptr (GError) error = NULL;
  const SondeRecord *gap;
  guint64 lost;
  Fixture fixture;

  set_up (&fixture, limit);
  pthread_mutex_lock (&fixture.disk.gate);
  for (int i = 0; i < 300; i++)
    {
      sonde_summary_writer_add_image (fixture.writer, "samples", i, 0, image, NULL);
      pthread_mutex_lock (&fixture.writer->mutex);
      g_assert_cmpuint (fixture.writer->queue.bytes, <=, limit);
      pthread_mutex_unlock (&fixture.writer->mutex);
    }
  lost = get_state (&fixture).lost_records;
  g_assert_cmpuint (lost, >, 150);
  add_steps (&fixture, 1000, 15000);
  pthread_mutex_lock (&fixture.writer->mutex);
  g_assert_cmpuint (fixture.writer->queue.bytes, <=, limit);
  pthread_mutex_unlock (&fixture.writer->mutex);
  g_assert_cmpuint (get_state (&fixture).lost_records, >, lost);
  pthread_mutex_unlock (&fixture.disk.gate);
  g_assert_false (sonde_summary_writer_close (fixture.writer, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT);

  records = read_records (fixture.path, NULL);
  g_assert_cmpuint (count_steps (records), ==, 14000);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_IMAGE) + count_gaps (records), ==, 300);
  gap = find_kind (records, SONDE_RECORD_GAP);
  g_assert_nonnull (strstr (gap->u.gap.reason, "the queue of 1048576 bytes was full"));
  /* The first picture may have been taken already; of the others the oldest are gone. */
  g_assert_cmpint (gap->u.gap.first_step, <=, 1);
  tear_down (&fixture);
}

/* Larger than the whole queue: lost at once, and nothing else with it. */
static void
test_larger_than_queue (void)
{
  const SondeShape shape = sonde_shape_make (1, 1000000);
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GPtrArray) records = NULL;
  Fixture fixture;

  set_up (&fixture, 1 << 20);
  add_steps (&fixture, 0, 100);
  sonde_summary_writer_add_text (fixture.writer, "t", 100, "stays");
  sonde_summary_writer_add_tensor (fixture.writer, "t", 101, tensor);
  add_steps (&fixture, 102, 200);
  g_assert_false (sonde_summary_writer_close (fixture.writer, NULL));
  records = read_records (fixture.path, NULL);
  g_assert_cmpuint (count_steps (records), ==, 198);
  g_assert_cmpuint (count_kind (records, SONDE_RECORD_TEXT), ==, 1);
  g_assert_cmpuint (count_gaps (records), ==, 1);
  tear_down (&fixture);
}

/* ---- folders ------------------------------------------------------------- */

static int
refuse_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  errno = EACCES;
  return -1;
}

static void
test_unwritable_folder (void)
{
  g_autoptr (GError) error = NULL;
  SondeSummaryWriterOptions options = { 0 };
  SondeIo io = *sonde_io_system ();
  RunFolder run;

  io.open = refuse_open;
  options.io = &io;
  run_folder_init (&run);
  g_assert_null (sonde_summary_writer_open (run.run, &options, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "000001.sonde"));
  g_assert_nonnull (strstr (error->message, g_strerror (EACCES)));
  run_folder_clear (&run);
}

/* The k-th write fails, once, for every k: nothing is lost and no step comes twice. */
static void
test_every_write_fails (void)
{
  for (guint k = 1; k <= 12; k++)
    {
      SondeSummaryWriterOptions options = { 0 };
      g_autoptr (GPtrArray) records = NULL;
      g_autofree char *path = NULL;
      SondeSummaryWriter *writer;
      guint n_damage;
      gint64 next = 0;
      DiskIo disk;
      RunFolder run;

      run_folder_init (&run);
      disk_io_init (&disk);
      disk.failing_write = k;
      disk.max_bytes = k % 3 == 0 ? 7 : 0; /* also inside of records */
      options.io = &disk.io;
      writer = sonde_summary_writer_open (run.run, &options, NULL);
      path = g_strdup (sonde_summary_writer_get_path (writer));
      for (gint64 step = 0; step < 10; step++)
        {
          sonde_summary_writer_add_scalar (writer, "x", step, (double) step);
          sonde_summary_writer_flush (writer);
        }
      g_assert_true (sonde_summary_writer_close (writer, NULL));
      records = read_records (path, &n_damage);
      g_assert_cmpuint (n_damage, ==, 0);
      for (guint i = 1; i + 1 < records->len; i++)
        g_assert_cmpint (((SondeRecord *) records->pdata[i])->step, ==, next++);
      g_assert_cmpint (next, ==, 10);
      g_assert_cmpint (((SondeRecord *) records->pdata[records->len - 1])->kind, ==,
                       SONDE_RECORD_END);
      run_folder_clear (&run);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collector/writer/faults/full-for-a-while", test_full_for_a_while);
  g_test_add_func ("/collector/writer/faults/full-and-lost", test_full_and_lost);
  g_test_add_func ("/collector/writer/faults/partial-record", test_partial_record_is_cut_off);
  g_test_add_func ("/collector/writer/faults/torn-part-stays", test_torn_part_stays);
  g_test_add_func ("/collector/writer/faults/large-record", test_large_record_is_dropped);
  g_test_add_func ("/collector/writer/faults/every-write-fails", test_every_write_fails);
  g_test_add_func ("/collector/writer/faults/short-writes", test_short_writes);
  g_test_add_func ("/collector/writer/faults/broken-for-ever", test_broken_for_ever);
  g_test_add_func ("/collector/writer/faults/fsync-error", test_fsync_error);
  g_test_add_func ("/collector/writer/faults/no-fsync", test_no_fsync);
  g_test_add_func ("/collector/writer/faults/deleted-file", test_deleted_file);
  g_test_add_func ("/collector/writer/faults/slow-disk", test_slow_disk);
  g_test_add_func ("/collector/writer/faults/larger-than-queue", test_larger_than_queue);
  g_test_add_func ("/collector/writer/faults/unwritable-folder", test_unwritable_folder);
  return g_test_run ();
}
