/* SPDX-License-Identifier: Apache-2.0
 * Loss of power: the calls of a session are written down, then each moment of it is played back as
 * a disk may look after it: what was fsynced is there, of the rest any part, in any order. No
 * record that was acknowledged by a sync may be missing, and nothing may be read that was not
 * written. */
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "collector/writer/sonde-summary-writer.h"
#include "tests/collector/writer/run-folder.h"

#define SECTOR 512
#define N_STEPS 120
#define VARIANTS 6

typedef enum
{
  CALL_OPEN, /* a file was made */
  CALL_SYNC_FOLDER,
  CALL_WRITE,
  CALL_SYNC,
  CALL_ACKNOWLEDGE, /* the caller knows of all steps up to @step */
} CallKind;

/* @offset, @data: of a write */
typedef struct
{
  CallKind kind;
  gsize offset;
  GBytes *data;
  gint64 step;
} Call;

/* @fd: of the record file */
typedef struct
{
  SondeIo io;
  pthread_mutex_t mutex;
  GArray *calls;
  int fd;
  gsize end;
} LoggingIo;

static void
note (const SondeIo *io, Call call)
{
  LoggingIo *logging = (LoggingIo *) io;

  pthread_mutex_lock (&logging->mutex);
  if (call.kind == CALL_WRITE)
    {
      call.offset = logging->end;
      logging->end += g_bytes_get_size (call.data);
    }
  g_array_append_val (logging->calls, call);
  pthread_mutex_unlock (&logging->mutex);
}

static int
logging_open (const SondeIo *io, int dirfd, const char *path, int flags, mode_t mode)
{
  int fd = sonde_io_system ()->open (io, dirfd, path, flags, mode);

  if (fd >= 0 && (flags & O_CREAT))
    {
      ((LoggingIo *) io)->fd = fd;
      note (io, (Call){ .kind = CALL_OPEN });
    }
  return fd;
}

static ssize_t
logging_write (const SondeIo *io, int fd, const void *data, size_t length)
{
  ssize_t written = sonde_io_system ()->write (io, fd, data, length);

  if (written > 0)
    note (io, (Call){ .kind = CALL_WRITE, .data = g_bytes_new (data, (gsize) written) });
  return written;
}

/* The disk takes none of it: a sync is what is promised by it. */
static int
logging_fsync (const SondeIo *io, int fd)
{
  note (io, (Call){ .kind = fd == ((LoggingIo *) io)->fd ? CALL_SYNC : CALL_SYNC_FOLDER });
  return 0;
}

static void
clear_call (gpointer data)
{
  g_clear_pointer (&((Call *) data)->data, g_bytes_unref);
}

static void
logging_init (LoggingIo *logging)
{
  *logging = (LoggingIo){ .io = *sonde_io_system (), .fd = -1 };
  pthread_mutex_init (&logging->mutex, NULL);
  logging->io.open = logging_open;
  logging->io.write = logging_write;
  logging->io.fsync = logging_fsync;
  logging->calls = g_array_new (FALSE, FALSE, sizeof (Call));
  g_array_set_clear_func (logging->calls, clear_call);
}

/* Scalars of a step are a function of it, and so is the text. */
static void
record_session (const char *run, LoggingIo *logging)
{
  const SondeSummaryWriterOptions options = { .io = &logging->io };
  g_autoptr (GError) error = NULL;
  SondeSummaryWriter *writer = sonde_summary_writer_open (run, &options, &error);

  g_assert_no_error (error);
  for (gint64 step = 0; step < N_STEPS; step++)
    {
      const SondeScalar scalars[]
          = { { "loss", sqrt ((double) step) }, { "rate", (double) -step } };

      sonde_summary_writer_add_scalars (writer, step, scalars, 2);
      if (step % 9 == 4)
        {
          g_autofree char *text = g_strnfill ((gsize) step * 40, 'a' + (char) (step % 26));

          sonde_summary_writer_add_text (writer, "text", step, text);
        }
      if (step % 5 == 2)
        sonde_summary_writer_flush (writer);
      if (step % 17 == 11)
        {
          g_assert_true (sonde_summary_writer_sync (writer, NULL));
          note (&logging->io, (Call){ .kind = CALL_ACKNOWLEDGE, .step = step });
        }
    }
  g_assert_true (sonde_summary_writer_close (writer, &error));
  note (&logging->io, (Call){ .kind = CALL_ACKNOWLEDGE, .step = N_STEPS - 1 });
}

/* ---- the disk after the loss --------------------------------------------- */

/* Some of @data at @offset, by sectors of the disk: variant 0 nothing, 1 all, else any part. */
static void
keep_part (GByteArray *disk, GRand *random, guint variant, gsize offset, GBytes *data)
{
  gsize length;
  const guint8 *bytes = g_bytes_get_data (data, &length);

  if (variant == 0)
    return;
  for (gsize at = 0; at < length;)
    {
      gsize part = MIN (length - at, SECTOR - (offset + at) % SECTOR);

      if (variant == 1 || g_rand_boolean (random))
        {
          if (disk->len < offset + at + part)
            {
              gsize before = disk->len;

              g_byte_array_set_size (disk, (guint) (offset + at + part));
              memset (disk->data + before, 0, disk->len - before);
            }
          memcpy (disk->data + offset + at, bytes + at, part);
        }
      at += part;
    }
}

/* The file after the first @n calls, and which step is acknowledged then (-1: none). */
static GByteArray *
play_back (const GArray *calls, guint n, guint variant, GRand *random, gint64 *acknowledged)
{
  GByteArray *disk = g_byte_array_new ();
  guint synced = 0;

  *acknowledged = -1;
  for (guint i = 0; i < n; i++)
    {
      if (g_array_index (calls, Call, i).kind == CALL_SYNC)
        synced = i;
      if (g_array_index (calls, Call, i).kind == CALL_ACKNOWLEDGE)
        *acknowledged = g_array_index (calls, Call, i).step;
    }
  for (guint i = 0; i < n; i++)
    {
      const Call *call = &g_array_index (calls, Call, i);

      if (call->kind == CALL_WRITE)
        keep_part (disk, random, i < synced ? 1 : variant, call->offset, call->data);
    }
  return disk;
}

static void
assert_readable (const char *path, const GByteArray *disk, gint64 acknowledged)
{
  g_autoptr (GPtrArray) records = NULL;
  g_autoptr (GHashTable) steps = g_hash_table_new (g_direct_hash, g_direct_equal);
  guint n_damage;

  g_assert_true (g_file_set_contents (path, (const char *) disk->data, (gssize) disk->len, NULL));
  records = read_records (path, &n_damage);
  for (guint i = 0; i < records->len; i++)
    {
      const SondeRecord *record = records->pdata[i];

      g_assert_cmpint (record->step, >=, 0);
      g_assert_cmpint (record->step, <, N_STEPS);
      if (record->kind == SONDE_RECORD_TEXT)
        g_assert_cmpuint (strlen (record->u.text), ==, record->step * 40);
      if (record->kind != SONDE_RECORD_SCALARS)
        continue;
      g_assert_cmpfloat (record->u.scalars.items[0].value, ==, sqrt ((double) record->step));
      /* no step twice */
      g_assert_true (g_hash_table_add (steps, GINT_TO_POINTER (record->step + 1)));
    }
  for (gint64 step = 0; step <= acknowledged; step++)
    g_assert_true (g_hash_table_contains (steps, GINT_TO_POINTER (step + 1)));
}

static void
test_every_moment (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (3);
  g_autofree char *path = NULL;
  gboolean is_made = FALSE;
  guint n_folders = 0;
  LoggingIo logging;
  RunFolder run;

  run_folder_init (&run);
  logging_init (&logging);
  record_session (run.run, &logging);
  path = g_build_filename (run.folder, "after.sonde", NULL);
  for (guint n = 0; n <= logging.calls->len; n++)
    for (guint variant = 0; variant < VARIANTS; variant++)
      {
        gint64 acknowledged;
        g_autoptr (GByteArray) disk = play_back (logging.calls, n, variant, random, &acknowledged);

        assert_readable (path, disk, acknowledged);
      }

  /* The names were synced, too, before the first word was given: records/, the run, its parent. */
  for (guint i = 0; i < logging.calls->len; i++)
    {
      const Call *call = &g_array_index (logging.calls, Call, i);

      is_made = is_made || call->kind == CALL_OPEN;
      n_folders += is_made && call->kind == CALL_SYNC_FOLDER;
      if (call->kind == CALL_ACKNOWLEDGE)
        g_assert_cmpuint (n_folders, ==, 3);
    }
  g_test_message ("%u calls, %u disks", logging.calls->len, (logging.calls->len + 1) * VARIANTS);
  g_array_unref (logging.calls);
  pthread_mutex_destroy (&logging.mutex);
  run_folder_clear (&run);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collector/writer/power-loss/every-moment", test_every_moment);
  return g_test_run ();
}
