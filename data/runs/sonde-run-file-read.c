/* SPDX-License-Identifier: Apache-2.0
 * Reads on in a record file on the worker thread, batch by batch, and decides when an unfinished
 * tail is damage. */
#include <string.h>

#include "data/base/sonde-clock.h"
#include "data/base/sonde-error.h"
#include "data/runs/sonde-run-segment-private.h"

/* A batch is absorbed when it has so much: then the clock is looked at. */
#define BATCH_POINTS 8192u
#define BATCH_REFS 1024u
#define BATCH_BYTES ((guint64) 1 << 20)

static gpointer
copy_damage (const SondeFrameDamage *damage)
{
  SondeFrameDamage *copy = g_memdup2 (damage, sizeof *damage);

  copy->reason = g_strdup (damage->reason);
  return copy;
}

/* ---- open and closed ----------------------------------------------------- */

static gboolean
open_reader (SondeRunFileReader *file)
{
  const SondeRecordTag *tags = (const SondeRecordTag *) file->tags->data;
  g_autoptr (GError) error = NULL;

  if (file->frames || file->source)
    return TRUE;
  if (file->format->open)
    file->source
        = file->format->open (file->io, file->path, file->position, tags, file->tags->len, &error);
  else
    file->frames = sonde_frame_reader_open (file->io, file->path, file->position, &error);
  if (!file->frames && !file->source)
    {
      sonde_run_file_reader_set_problem (file, sonde_error_get_text (error));
      return FALSE;
    }
  (*file->n_open)++;
  if (!file->frames)
    return TRUE;
  file->decoder = file->format->decoder_new (tags, file->tags->len);
  file->decoder->session = file->session;
  return TRUE;
}

/* ---- what was scanned ---------------------------------------------------- */

void
sonde_run_file_reader_change_tags (SondeRunFileReader *file)
{
  file->n_tags_saved = 0;
  file->n_tag_changes++;
}

static void
take_tags (SondeRunFileReader *file)
{
  const GArray *tags = file->decoder ? file->decoder->tags : file->format->get_tags (file->source);
  gsize size = sizeof (SondeRecordTag);

  if (tags->len == file->tags->len
      && (tags->len == 0 || memcmp (tags->data, file->tags->data, tags->len * size) == 0))
    return;
  /* those that were known are with the index or on their way there */
  if (file->tags->len > tags->len
      || (file->tags->len > 0
          && memcmp (tags->data, file->tags->data, file->tags->len * size) != 0))
    sonde_run_file_reader_change_tags (file);
  g_array_set_size (file->tags, 0);
  g_array_append_vals (file->tags, tags->data, tags->len);
}

/* The first @n_damage that the reader has noted are before @position for good. */
static void
commit_frames (SondeRunFileReader *file, guint n_damage, guint64 position)
{
  GPtrArray *damage = sonde_frame_reader_get_damage (file->frames);

  for (; file->n_damage_taken < n_damage; file->n_damage_taken++)
    g_ptr_array_add (file->damage, copy_damage (g_ptr_array_index (damage, file->n_damage_taken)));
  file->position = position;
}

static gboolean
absorb_batch (SondeRunFileReader *file)
{
  gboolean kept;

  take_tags (file);
  if (file->decoder)
    file->session = file->decoder->session;
  kept = sonde_run_file_reader_absorb (file, file->batch);
  sonde_record_batch_empty (file->batch);
  return kept;
}

/* ---- scanning ------------------------------------------------------------ */

/* @n_damage, @position: (out): as of the last frame that was right */
static SondeFrameResult
scan_frames (SondeRunFileReader *file, guint *n_damage, guint64 *position, GError **error)
{
  guint64 start = *position;

  while (file->batch->n_points < BATCH_POINTS && file->batch->refs->len < BATCH_REFS
         && *position - start < BATCH_BYTES)
    {
      g_autoptr (GError) problem = NULL;
      const guint8 *payload;
      gsize length;
      guint64 offset;
      SondeFrameResult result
          = sonde_frame_reader_next (file->frames, &payload, &length, &offset, error);

      if (result != SONDE_FRAME_RECORD)
        return result;
      if (file->format->scan (file->decoder, payload, length, offset, file->batch, &problem))
        file->records++;
      else if (g_error_matches (problem, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY))
        {
          g_propagate_error (error, g_steal_pointer (&problem));
          sonde_prefix_error (error, "“%s”, record at byte %" PRIu64 ": ", file->path, offset);
          return SONDE_FRAME_ERROR;
        }
      else
        sonde_frame_reader_add_damage (file->frames, offset, length + SONDE_FRAME_OVERHEAD_BYTES,
                                       g_strdup (problem->message));
      *n_damage = sonde_frame_reader_get_damage (file->frames)->len;
      *position = sonde_frame_reader_get_position (file->frames);
    }
  return SONDE_FRAME_RECORD;
}

/* The next batch, absorbed. FALSE when it cannot be. */
static gboolean
read_batch (SondeRunFileReader *file, SondeFrameResult *result, GError **error)
{
  guint64 position = file->position, n_records = 0;
  guint n_damage = file->n_damage_taken;

  if (file->frames)
    {
      *result = scan_frames (file, &n_damage, &position, error);
      if (!absorb_batch (file))
        return FALSE;
      commit_frames (file, n_damage, position);
      return TRUE;
    }
  *result
      = file->format->next (file->source, file->batch, &position, &n_records, file->damage, error);
  if (!absorb_batch (file))
    return FALSE;
  file->position = position;
  file->records += n_records;
  return TRUE;
}

/* ---- the end ------------------------------------------------------------- */

/* The writer is gone: what is left of a tail without frames. */
static void
give_up_tail (SondeRunFileReader *file)
{
  SondeFrameDamage damage
      = { file->position, file->size - file->position, (char *) "cut off inside a record" };

  g_ptr_array_add (file->tail_damage, copy_damage (&damage));
}

/* No record for now. TRUE: ask again, the tail was given up and there may be records behind it. */
static gboolean
end_of_records (SondeRunFileReader *file, gint64 now_ns)
{
  GPtrArray *damage = file->frames ? sonde_frame_reader_get_damage (file->frames) : NULL;

  if (file->frames && !file->finished)
    commit_frames (file, damage->len, sonde_frame_reader_get_position (file->frames));
  else if (file->frames)
    for (guint i = file->n_damage_taken; i < damage->len; i++)
      g_ptr_array_add (file->tail_damage, copy_damage (g_ptr_array_index (damage, i)));
  file->waiting = !file->finished && file->position < file->size;
  if (!file->waiting || sonde_run_file_reader_is_live (file, now_ns))
    return FALSE;
  file->waiting = FALSE;
  file->finished = TRUE;
  if (file->frames)
    sonde_frame_reader_finish (file->frames);
  else
    give_up_tail (file);
  return file->frames != NULL;
}

static SondeRunReadResult
read_records (SondeRunFileReader *file, gint64 deadline_ns, gint64 now_ns)
{
  while (TRUE)
    {
      g_autoptr (GError) error = NULL;
      SondeFrameResult result;

      if (!read_batch (file, &result, &error))
        return SONDE_RUN_READ_LOST;
      if (result == SONDE_FRAME_ERROR)
        {
          sonde_run_file_reader_set_problem (file, sonde_error_get_text (error));
          return SONDE_RUN_READ_DONE;
        }
      if (result == SONDE_FRAME_WAITING && !end_of_records (file, now_ns))
        return SONDE_RUN_READ_DONE;
      if (sonde_clock_monotonic_ns (NULL) > deadline_ns)
        return SONDE_RUN_READ_MORE;
    }
}

SondeRunReadResult
sonde_run_file_reader_read (SondeRunFileReader *file, gint64 deadline_ns, gint64 now_ns)
{
  SondeRunReadResult result;

  g_clear_pointer (&file->problem, g_free);
  if (file->gone || file->is_copy || !open_reader (file))
    return SONDE_RUN_READ_DONE;
  file->unsaved = TRUE;
  g_ptr_array_set_size (file->tail_damage, 0);
  result = read_records (file, deadline_ns, now_ns);
  if (file->problem)
    sonde_run_file_reader_rest (file);
  sonde_run_file_reader_take_anchor (file);
  return result;
}
