/* SPDX-License-Identifier: Apache-2.0
 * Reads a record file as it grows: notices that it was cut, replaced or deleted, keeps what its
 * records say, and decides when an unfinished tail is damage. */
#include "data/runs/sonde-run-file-private.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"

#define RECORDS_PER_LOOK_AT_THE_CLOCK 32

static gpointer
copy_damage (const SondeFrameDamage *damage)
{
  SondeFrameDamage *copy = g_memdup2 (damage, sizeof *damage);

  copy->reason = g_strdup (damage->reason);
  return copy;
}

static void
free_damage (gpointer damage)
{
  sonde_frame_damage_free (damage);
}

static void
free_segment (gpointer segment)
{
  sonde_run_segment_free (segment);
}

SondeRunFileReader *
sonde_run_file_reader_new (const SondeIo        *io,
                           const SondeRunFormat *format,
                           guint                 number,
                           const char           *folder,
                           const char           *relative,
                           GArray              **news)
{
  SondeRunFileReader *file = g_new0 (SondeRunFileReader, 1);

  file->io = io ? io : sonde_io_system ();
  file->format = format;
  file->number = number;
  file->path = g_build_filename (folder, relative, NULL);
  file->relative = g_strdup (relative);
  file->gone = TRUE; /* until the first look */
  file->damage = g_ptr_array_new_with_free_func (free_damage);
  file->tail_damage = g_ptr_array_new_with_free_func (free_damage);
  file->tags = g_ptr_array_new ();
  file->segments = g_ptr_array_new_with_free_func (free_segment);
  file->changed = g_ptr_array_new ();
  file->news = news;
  return file;
}

void
sonde_run_file_reader_rest (SondeRunFileReader *file)
{
  if (file->reader)
    {
      file->format->close (g_steal_pointer (&file->reader));
      (*file->n_open)--;
    }
  file->n_damage_taken = 0;
}

void
sonde_run_file_reader_free (SondeRunFileReader *file)
{
  if (!file)
    return;
  sonde_run_file_reader_rest (file);
  g_clear_pointer (&file->segments_by_key, g_hash_table_unref);
  g_ptr_array_unref (file->changed);
  g_ptr_array_unref (file->segments);
  g_ptr_array_unref (file->damage);
  g_ptr_array_unref (file->tail_damage);
  g_ptr_array_unref (file->tags);
  g_free (file->problem);
  g_free (file->path);
  g_free (file->relative);
  g_free (file);
}

void
sonde_run_file_reader_reset (SondeRunFileReader *file)
{
  SondeRunBlockNews news = { .file = file->number, .order = g_strdup (file->relative) };

  sonde_run_file_reader_rest (file);
  g_array_append_val (*file->news, news);
  g_clear_pointer (&file->segments_by_key, g_hash_table_unref);
  g_ptr_array_set_size (file->changed, 0);
  g_ptr_array_set_size (file->segments, 0);
  g_ptr_array_set_size (file->damage, 0);
  g_ptr_array_set_size (file->tail_damage, 0);
  g_ptr_array_set_size (file->tags, 0);
  g_clear_pointer (&file->problem, g_free);
  file->position = file->records = file->lost_records = 0;
  file->n_anchor = file->n_tags_saved = 0;
  file->waiting = file->finished = FALSE;
  file->has_start = file->has_scalars = FALSE;
  file->unsaved = file->forget = TRUE;
}

gboolean
sonde_run_file_reader_is_live (const SondeRunFileReader *file,
                               gint64                    now_ns)
{
  return !file->gone && now_ns - file->mtime_ns < SONDE_RUN_LIVE_NS;
}

/* ---- is it still the same file -------------------------------------------------------------- */

static void
set_problem (SondeRunFileReader *file,
             const char         *problem)
{
  g_free (file->problem);
  file->problem = g_strdup (problem);
  file->problem_ns = sonde_clock_wall_ns (NULL);
}

/* The bytes before @position; how many there are. */
static guint
read_anchor (SondeRunFileReader *file,
             guint8              bytes[SONDE_RUN_ANCHOR_BYTES])
{
  guint n = MIN (file->position, SONDE_RUN_ANCHOR_BYTES);
  gssize got = 0;
  int fd;

  fd = sonde_io_open_regular (file->io, file->path, NULL, NULL);
  if (fd < 0)
    return 0;
  got = sonde_io_pread_full (file->io, fd, file->path, bytes, n, file->position - n, NULL);
  sonde_io_close (file->io, fd);
  return MAX (got, 0);
}

static gboolean
anchor_holds (SondeRunFileReader *file)
{
  guint8 bytes[SONDE_RUN_ANCHOR_BYTES];

  return file->n_anchor == 0 || (read_anchor (file, bytes) == file->n_anchor &&
                                 memcmp (bytes, file->anchor, file->n_anchor) == 0);
}

static SondeRunFileChange
lose_file (SondeRunFileReader *file,
           int                 reason)
{
  if (reason != ENOENT && reason != ENOTDIR)
    {
      g_autofree char *problem = g_strdup_printf ("cannot look at “%s”: %s", file->path,
                                                  g_strerror (reason));

      set_problem (file, problem);
      return SONDE_RUN_FILE_SAME;
    }
  if (file->gone && file->inode == 0)
    return SONDE_RUN_FILE_SAME;
  sonde_run_file_reader_reset (file);
  file->gone = TRUE;
  file->inode = file->device = file->size = 0;
  return SONDE_RUN_FILE_GONE;
}

SondeRunFileChange
sonde_run_file_reader_look (SondeRunFileReader *file,
                            gint64              now_ns)
{
  struct stat status;
  gint64 mtime_ns;
  gboolean known = file->inode != 0, changed;

  if (file->io->stat (file->io, AT_FDCWD, file->path, &status, 0) != 0)
    return lose_file (file, errno);
  if (!S_ISREG (status.st_mode))
    return lose_file (file, ENOENT);
  mtime_ns = status.st_mtim.tv_sec * (gint64) 1000000000 + status.st_mtim.tv_nsec;
  changed = !known || (guint64) status.st_size != file->size || mtime_ns != file->mtime_ns;
  if (known && (file->inode != status.st_ino || (file->device && file->device != status.st_dev) ||
                (guint64) status.st_size < file->position || (changed && !anchor_holds (file))))
    {
      sonde_run_file_reader_reset (file);
      known = FALSE;
    }
  /* A shorter tail or one that grew after it was given up is read afresh. */
  if ((guint64) status.st_size < file->size || (changed && file->finished))
    sonde_run_file_reader_rest (file);
  if (changed)
    {
      file->finished = FALSE;
      g_ptr_array_set_size (file->tail_damage, 0);
      g_clear_pointer (&file->problem, g_free);
    }
  file->unsaved |= changed;
  file->gone = FALSE;
  file->device = status.st_dev;
  file->inode = status.st_ino;
  file->size = status.st_size;
  file->mtime_ns = mtime_ns;
  if (!known)
    return SONDE_RUN_FILE_RESET;
  if (changed || (file->waiting && !sonde_run_file_reader_is_live (file, now_ns)) ||
      (file->position < file->size && !file->waiting && !file->finished && !file->problem) ||
      (file->problem && now_ns - file->problem_ns > SONDE_RUN_RETRY_NS))
    return SONDE_RUN_FILE_GREW;
  return SONDE_RUN_FILE_SAME;
}

/* ---- reading -------------------------------------------------------------------------------- */

static gboolean
open_reader (SondeRunFileReader *file)
{
  g_autoptr (GError) error = NULL;

  if (file->reader)
    return TRUE;
  file->reader = file->format->open (file->io, file->path, &error);
  if (!file->reader)
    {
      set_problem (file, error->message);
      return FALSE;
    }
  (*file->n_open)++;
  if (file->position > 0)
    file->format->seek (file->reader, file->position, (const char *const *) file->tags->pdata,
                        file->tags->len);
  return TRUE;
}

/* What the reader has noted so far is behind the position for good. */
static void
commit (SondeRunFileReader *file)
{
  SondeFrameReader *frames = file->format->get_frames (file->reader);
  GPtrArray *damage = sonde_frame_reader_get_damage (frames);

  for (; file->n_damage_taken < damage->len; file->n_damage_taken++)
    g_ptr_array_add (file->damage, copy_damage (g_ptr_array_index (damage, file->n_damage_taken)));
  file->position = sonde_frame_reader_get_position (frames);
}

static gboolean
absorb_scalars (SondeRunFileReader *file,
                const SondeRecord  *record)
{
  SondePoint point = {
    .step = record->step,
    .wall_time_ns = record->wall_time_ns,
    .session = record->session,
  };

  for (gsize i = 0; i < record->u.scalars.n; i++)
    {
      const SondeScalar *scalar = &record->u.scalars.items[i];

      point.value = scalar->value;
      if (!sonde_run_file_reader_add_point (
              file, sonde_run_file_reader_ensure_segment (file, scalar->tag, SONDE_RECORD_SCALARS),
              &point))
        return FALSE;
    }
  file->has_scalars |= record->u.scalars.n > 0;
  file->last_scalar_step = record->step;
  return TRUE;
}

static gboolean
absorb_blob (SondeRunFileReader *file,
             const SondeRecord  *record,
             guint64             offset)
{
  const char *tag = record->tag ? record->tag : sonde_record_kind_name (record->kind);

  return sonde_run_file_reader_add_ref (
      file, sonde_run_file_reader_ensure_segment (file, g_intern_string (tag), record->kind), record,
      offset);
}

static gboolean
absorb (SondeRunFileReader *file,
        const SondeRecord  *record,
        guint64             offset)
{
  file->records++;
  if (!file->has_start)
    file->start_ns = record->wall_time_ns;
  file->has_start = TRUE;
  if (record->kind == SONDE_RECORD_SCALARS)
    return absorb_scalars (file, record);
  if (record->kind == SONDE_RECORD_GAP)
    file->lost_records = file->lost_records > G_MAXUINT64 - record->u.gap.records
                             ? G_MAXUINT64
                             : file->lost_records + record->u.gap.records;
  if (record->kind == SONDE_RECORD_GAP || record->kind == SONDE_RECORD_SESSION)
    return TRUE;
  return absorb_blob (file, record, offset);
}

/* Are the names that the index has still the same. */
static gboolean
same_names (const char *const        *tags,
            const SondeRunFileReader *file)
{
  gsize n = file->n_tags_saved;

  return n == 0 || memcmp (tags, file->tags->pdata, n * sizeof *tags) == 0;
}

static void
take_tags (SondeRunFileReader *file)
{
  gsize n;
  const char *const *tags = file->format->get_tags (file->reader, &n);

  if (n == file->tags->len && (n == 0 || memcmp (tags, file->tags->pdata, n * sizeof *tags) == 0))
    return;
  if (file->n_tags_saved > n || !same_names (tags, file))
    file->n_tags_saved = 0;
  g_ptr_array_set_size (file->tags, n);
  for (gsize i = 0; i < n; i++)
    file->tags->pdata[i] = (char *) tags[i];
}

/* No record for now. TRUE: ask again, the tail was given up and there may be records behind it. */
static gboolean
end_of_records (SondeRunFileReader *file,
                gint64              now_ns)
{
  SondeFrameReader *frames = file->format->get_frames (file->reader);
  GPtrArray *damage = sonde_frame_reader_get_damage (frames);

  if (!file->finished)
    commit (file);
  else
    for (guint i = file->n_damage_taken; i < damage->len; i++)
      g_ptr_array_add (file->tail_damage, copy_damage (g_ptr_array_index (damage, i)));
  file->waiting = !file->finished && file->position < file->size;
  if (!file->waiting || sonde_run_file_reader_is_live (file, now_ns))
    return FALSE;
  file->waiting = FALSE;
  file->finished = TRUE;
  sonde_frame_reader_finish (frames);
  return TRUE;
}

static SondeRunReadResult
read_records (SondeRunFileReader *file,
              gint64              deadline_ns,
              gint64              now_ns)
{
  for (guint i = 1;; i++)
    {
      g_autoptr (GError) error = NULL;
      SondeRecord record;
      guint64 offset = 0;
      SondeFrameResult result = file->format->next (file->reader, &record, &offset, &error);
      gboolean kept;

      if (result == SONDE_FRAME_ERROR)
        {
          set_problem (file, error->message);
          return SONDE_RUN_READ_DONE;
        }
      if (result == SONDE_FRAME_WAITING && !end_of_records (file, now_ns))
        return SONDE_RUN_READ_DONE;
      if (result == SONDE_FRAME_WAITING)
        continue;
      kept = absorb (file, &record, offset);
      sonde_record_clear (&record);
      if (!kept)
        return SONDE_RUN_READ_LOST;
      commit (file);
      if (i % RECORDS_PER_LOOK_AT_THE_CLOCK == 0 && sonde_clock_monotonic_ns (NULL) > deadline_ns)
        return SONDE_RUN_READ_MORE;
    }
}

SondeRunReadResult
sonde_run_file_reader_read (SondeRunFileReader *file,
                            gint64              deadline_ns,
                            gint64              now_ns)
{
  SondeRunReadResult result;

  g_clear_pointer (&file->problem, g_free);
  if (file->gone || !open_reader (file))
    return SONDE_RUN_READ_DONE;
  file->unsaved = TRUE;
  g_ptr_array_set_size (file->tail_damage, 0);
  result = read_records (file, deadline_ns, now_ns);
  take_tags (file);
  if (file->problem)
    sonde_run_file_reader_rest (file);
  file->n_anchor = read_anchor (file, file->anchor);
  return result;
}
