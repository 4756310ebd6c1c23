/* SPDX-License-Identifier: Apache-2.0
 * A file that is scanned in parts gives what it gives when it is read from the beginning to the
 * end: with tags that come late, frames inside of payloads, damage, and parts of any size. */
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "data/base/sonde-clock.h"
#include "data/runs/worker/sonde-run-work-file-private.h"
#include "data/runs/worker/sonde-run-work-scan-private.h"
#include "tests/data/runs/run-files.h"

typedef struct
{
  char *folder;
  GArray *updates;
  guint n_open;
  SondeRecordBatch batch;
} Fixture;

static void
clear_update (gpointer update)
{
  sonde_run_block_update_clear (update);
}

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = run_folder_new ();
  fixture->updates = g_array_new (FALSE, FALSE, sizeof (SondeRunBlockUpdate));
  g_array_set_clear_func (fixture->updates, clear_update);
  sonde_record_batch_init (&fixture->batch);
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_array_unref (fixture->updates);
  sonde_record_batch_clear (&fixture->batch);
  run_folder_remove (fixture->folder);
}

/* A picture whose bytes are frames of another file: they must not come up. */
static void
add_frames_in_picture (RunFile *file, guint step)
{
  g_autoptr (GByteArray) inner = g_byte_array_new ();
  SondeRecord record = { .kind = SONDE_RECORD_IMAGE, .step = step, .tag = "packed" };

  for (guint i = 0; i < 20; i++)
    {
      g_autoptr (GByteArray) frame
          = run_file_frame (file, &(SondeRecord){ .kind = SONDE_RECORD_SCALARS, .step = -1 });

      g_byte_array_append (inner, frame->data, frame->len);
    }
  record.u.image.encoded = g_bytes_new (inner->data, inner->len);
  record.u.image.width = record.u.image.height = 1;
  run_file_add (file, &record);
  g_bytes_unref (record.u.image.encoded);
}

static void
write_file (Fixture *fixture, guint seed, guint n_flips)
{
  RunFile *file = run_file_new (3, "%s/a.sonde", fixture->folder);
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);
  off_t size;

  for (guint step = 0; step < 12000; step++)
    {
      g_autofree char *late = g_strdup_printf ("late-%u", step / 100);
      SondeScalar scalars[]
          = { { "loss", step }, { late, -(double) step }, { "rate", g_rand_double (rand) } };

      run_file_add_scalars (file, step, scalars, g_rand_int_range (rand, 1, 4));
      if (g_rand_int_range (rand, 0, 40) == 0)
        run_file_add_text (file, step, late, "text");
      if (g_rand_int_range (rand, 0, 200) == 0)
        add_frames_in_picture (file, step);
    }
  size = lseek (file->fd, 0, SEEK_END);
  run_file_free (file);
  for (guint i = 0; i < n_flips; i++)
    {
      g_autofree char *path = g_build_filename (fixture->folder, "a.sonde", NULL);
      int fd = open (path, O_RDWR | O_CLOEXEC);
      guint8 byte;
      off_t at = g_rand_int_range (rand, 2000, size);

      g_assert_cmpint (pread (fd, &byte, 1, at), ==, 1);
      byte ^= 1u << (i % 8);
      g_assert_cmpint (pwrite (fd, &byte, 1, at), ==, 1);
      close (fd);
    }
}

static SondeRunFileReader *
open_file (Fixture *fixture)
{
  SondeRunFileReader *file
      = sonde_run_file_reader_new (NULL, sonde_record_format_find (NULL, "a.sonde"), 0,
                                   fixture->folder, "a.sonde", &fixture->updates);

  file->n_open = &fixture->n_open;
  file->batch = &fixture->batch;
  g_assert_cmpint (sonde_run_file_reader_look (file, sonde_clock_wall_ns (NULL)), ==,
                   SONDE_RUN_FILE_RESET);
  return file;
}

static void
read_rest (SondeRunFileReader *file)
{
  g_assert_cmpint (sonde_run_file_reader_read (file, G_MAXINT64, G_MAXINT64), ==,
                   SONDE_RUN_READ_DONE);
}

/* In parts of @bytes that are scanned before any of them is taken over. Returns how many were
 * wrong. */
static guint
read_in_parts (SondeRunFileReader *file, guint64 bytes)
{
  g_autoptr (GPtrArray) parts = g_ptr_array_new ();
  guint n_wrong = 0;
  gboolean ended = FALSE;

  sonde_run_file_reader_read (file, 0, 0);
  sonde_run_file_reader_rest (file);
  for (guint64 at = file->position; at < file->size; at += bytes)
    g_ptr_array_add (parts, sonde_run_part_new (file, at, MIN (at + bytes, file->size)));
  for (guint i = parts->len; i-- > 0;)
    sonde_run_part_scan (parts->pdata[i]);
  for (guint i = 0; i < parts->len; i++)
    {
      SondeRunPart *part = parts->pdata[i];
      SondeRunPartResult result
          = ended ? SONDE_RUN_PART_TAKEN : sonde_run_file_reader_take_part (file, part);

      n_wrong += result == SONDE_RUN_PART_WRONG;
      if (result == SONDE_RUN_PART_WRONG && file->position < part->end)
        {
          SondeRunPart *again = sonde_run_part_new (file, file->position, part->end);

          sonde_run_part_scan (again);
          g_assert_cmpint (sonde_run_file_reader_take_part (file, again), ==, SONDE_RUN_PART_TAKEN);
          sonde_run_part_free (part);
          part = again;
        }
      ended |= part->is_last;
      sonde_run_part_free (part);
    }
  read_rest (file);
  return n_wrong;
}

static void
assert_same_segment (const SondeRunSegment *one, const SondeRunSegment *other)
{
  g_assert_true (one->what.tag == other->what.tag);
  g_assert_cmpint (one->what.kind, ==, other->what.kind);
  g_assert_cmpuint (one->what.count, ==, other->what.count);
  g_assert_cmpuint (one->n_full, ==, other->n_full);
  g_assert_cmpuint (one->n_tail, ==, other->n_tail);
  g_assert_cmpint (one->what.first_step, ==, other->what.first_step);
  g_assert_cmpint (one->what.last_step, ==, other->what.last_step);
  g_assert_cmpmem (one->tail->steps, one->n_tail * 8, other->tail->steps, other->n_tail * 8);
  g_assert_cmpmem (one->tail->values, one->n_tail * 8, other->tail->values, other->n_tail * 8);
}

static void
assert_same (SondeRunFileReader *one, SondeRunFileReader *other)
{
  g_assert_cmpuint (one->position, ==, other->position);
  g_assert_cmpuint (one->records, ==, other->records);
  g_assert_cmpuint (one->session, ==, other->session);
  g_assert_cmpuint (one->damage->len, ==, other->damage->len);
  for (guint i = 0; i < one->damage->len; i++)
    {
      const SondeFrameDamage *a = one->damage->pdata[i], *b = other->damage->pdata[i];

      g_assert_cmpuint (a->offset, ==, b->offset);
      g_assert_cmpuint (a->bytes, ==, b->bytes);
      g_assert_cmpstr (a->reason, ==, b->reason);
    }
  g_assert_cmpuint (one->segments->len, ==, other->segments->len);
  for (guint i = 0; i < one->segments->len; i++)
    {
      const SondeRunSegment *segment = one->segments->pdata[i];

      assert_same_segment (segment, sonde_run_file_reader_ensure_segment (other, segment->what.tag,
                                                                          segment->what.kind));
    }
}

static void
test_parts (Fixture *fixture, gconstpointer data)
{
  static const guint sizes[] = { 100, 5000, 20000, 70000, 1 << 20 };
  guint n_wrong = 0;

  for (guint round = 0; round < 4; round++)
    {
      SondeRunFileReader *whole;

      write_file (fixture, round, 10 * round);
      whole = open_file (fixture);
      read_rest (whole);
      g_assert_cmpuint (whole->records, >, 11000);
      g_assert_true ((round > 0) == (whole->damage->len + whole->tail_damage->len > 0));
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          SondeRunFileReader *file = open_file (fixture);

          n_wrong += read_in_parts (file, sizes[i]);
          assert_same (file, whole);
          sonde_run_file_reader_free (file);
        }
      sonde_run_file_reader_free (whole);
    }
  /* else nothing was put to the test */
  g_assert_cmpuint (n_wrong, >, 0);
}

/* ---- how many are in memory ---------------------------------------------- */

#define N_PICTURES 12

/* A file of some parts that was begun, of a worker whose thread does not run: this one is it. */
static SondeRunFileReader *
begin_bulk (Fixture *fixture, SondeRunWorker *worker)
{
  RunFile *file = run_file_new (1, "%s/run/a.sonde", fixture->folder);
  g_autofree guint8 *zeros = g_malloc0 (PART_BYTES);
  SondeRecord record = { .kind = SONDE_RECORD_IMAGE, .tag = "picture" };

  record.u.image.encoded = g_bytes_new_static (zeros, PART_BYTES);
  record.u.image.width = record.u.image.height = 1;
  for (guint i = 0; i < N_PICTURES; i++)
    {
      record.step = i;
      run_file_add (file, &record);
    }
  g_bytes_unref (record.u.image.encoded);
  run_file_free (file);
  sonde_work_scan_due_roots (worker, G_MAXINT64);
  sonde_work_run_prepare (g_queue_pop_head (&worker->fresh));
  while (!g_queue_is_empty (&worker->queue))
    sonde_work_read_next (worker, 0);
  g_assert_cmpuint (g_queue_get_length (&worker->bulks), ==, 1);
  return g_queue_peek_head (&worker->bulks);
}

static guint
count_undone (SondeRunFileReader *file)
{
  guint n = 0;

  for (GList *link = file->parts.head; link; link = link->next)
    n += !((SondeRunPart *) link->data)->done;
  return n;
}

/* Until all that was handed out is done; nothing is taken over. */
static void
wait_for_crew (SondeRunWorker *worker, SondeRunFileReader *file)
{
  struct pollfd wakeup = { .fd = worker->wakeup, .events = POLLIN };
  guint64 value;

  sonde_work_advance_bulks (worker, 0);
  while (count_undone (file) > 0)
    {
      g_assert_cmpint (poll (&wakeup, 1, -1), ==, 1);
      g_assert_cmpint (read (worker->wakeup, &value, sizeof value), ==, sizeof value);
      sonde_work_advance_bulks (worker, 0);
    }
}

/* A worker that has no time for what the crew has done: the crew does not run ahead of it. */
static void
test_bounded (Fixture *fixture, gconstpointer data)
{
  g_autofree char *runs = g_build_filename (fixture->folder, "run", NULL);
  g_autofree char *index = g_build_filename (fixture->folder, "index", NULL);
  const char *paths[] = { runs, NULL };
  SondeRunWorker *worker = sonde_run_worker_new (NULL, paths, index);
  SondeRunFileReader *file = begin_bulk (fixture, worker);

  worker->max_parts = 3;
  for (guint round = 0; round < N_PICTURES; round++)
    {
      wait_for_crew (worker, file);
      g_assert_cmpuint (g_queue_get_length (&file->parts), ==, worker->max_parts);
      g_assert_cmpuint (worker->n_parts, ==, worker->max_parts);
    }
  while (!g_queue_is_empty (&worker->bulks))
    {
      sonde_work_advance_bulks (worker, G_MAXINT64);
      g_assert_cmpuint (worker->n_parts, <=, worker->max_parts);
      if (!g_queue_is_empty (&worker->bulks))
        wait_for_crew (worker, file);
    }
  g_assert_cmpuint (worker->n_parts, ==, 0);
  g_assert_cmpuint (file->records, ==, N_PICTURES + 1); /* and the session */
  sonde_run_crew_stop (worker->scanners);
  sonde_run_worker_free (worker);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add ("/data/runs/parts/as-a-whole", Fixture, NULL, set_up, test_parts, tear_down);
  g_test_add ("/data/runs/parts/bounded", Fixture, NULL, set_up, test_bounded, tear_down);
  return g_test_run ();
}
