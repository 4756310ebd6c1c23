/* SPDX-License-Identifier: Apache-2.0
 * Scanning a part, and whether what it found can be believed. */
#include "data/runs/sonde-run-part-private.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/runs/sonde-run-segment-private.h"

static void
free_damage (gpointer damage)
{
  sonde_frame_damage_free (damage);
}

SondeRunPart *
sonde_run_part_new (SondeRunFileReader *file, guint64 start, guint64 end)
{
  SondeRunPart *part = g_new0 (SondeRunPart, 1);

  part->file = file;
  part->n_resets = file->n_resets;
  part->io = file->io;
  part->format = file->format;
  part->path = file->path;
  part->start = start;
  part->end = end;
  part->exact = start == file->position;
  part->tags = g_array_copy (file->tags);
  part->session = file->session;
  part->damage = g_ptr_array_new_with_free_func (free_damage);
  sonde_record_batch_init (&part->batch);
  return part;
}

void
sonde_run_part_free (SondeRunPart *part)
{
  if (part->decoder)
    part->format->decoder_free (part->decoder);
  g_array_unref (part->tags);
  g_ptr_array_unref (part->damage);
  sonde_record_batch_clear (&part->batch);
  g_free (part);
}

/* ---- scanning ------------------------------------------------------------ */

/* What the reader has noted before the frame that was right. */
static void
take_damage (SondeRunPart *part, SondeFrameReader *frames)
{
  GPtrArray *damage = sonde_frame_reader_get_damage (frames);

  for (guint i = part->damage->len; i < damage->len; i++)
    {
      SondeFrameDamage *copy = g_memdup2 (g_ptr_array_index (damage, i), sizeof *copy);

      copy->reason = g_strdup (copy->reason);
      g_ptr_array_add (part->damage, copy);
    }
}

/* The next frame. FALSE when it is no more of this part. */
static gboolean
scan_frame (SondeRunPart *part, SondeFrameReader *frames)
{
  g_autoptr (GError) problem = NULL;
  const guint8 *payload;
  gsize length;
  guint64 offset;

  if (sonde_frame_reader_next (frames, &payload, &length, &offset, NULL) != SONDE_FRAME_RECORD)
    {
      part->is_last = TRUE;
      return FALSE;
    }
  if (!part->found)
    part->first = part->exact ? part->start : offset;
  part->found = TRUE;
  part->stop = offset;
  take_damage (part, frames);
  if (offset >= part->end)
    return FALSE;
  if (part->format->scan (part->decoder, payload, length, offset, &part->batch, &problem))
    part->n_records++;
  else if (g_error_matches (problem, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY))
    {
      part->is_last = TRUE; /* the file is read from here on in order, which says so */
      return FALSE;
    }
  else
    sonde_frame_reader_add_damage (frames, offset, length + SONDE_FRAME_OVERHEAD_BYTES,
                                   g_strdup (problem->message));
  take_damage (part, frames);
  part->stop = sonde_frame_reader_get_position (frames);
  return TRUE;
}

void
sonde_run_part_scan (gpointer data)
{
  SondeRunPart *part = data;
  g_autoptr (SondeFrameReader) frames
      = sonde_frame_reader_open (part->io, part->path, part->start, NULL);

  part->first = part->stop = part->start;
  if (!frames)
    {
      part->is_last = TRUE;
      return;
    }
  /* inside of a large payload there is none */
  if (!part->exact && !sonde_frame_reader_find (frames, part->end))
    return;
  part->decoder
      = part->format->decoder_new ((const SondeRecordTag *) part->tags->data, part->tags->len);
  part->decoder->session = part->session;
  while (sonde_frame_reader_get_position (frames) < part->end && scan_frame (part, frames))
    ;
}

/* ---- taking over --------------------------------------------------------- */

/* What the file's tag of this name says, NULL when there is none. */
static const SondeRecordTag *
find_tag (GHashTable *ids, const GArray *tags, const char *name)
{
  gpointer id;

  return g_hash_table_lookup_extended (ids, name, NULL, &id)
             ? &g_array_index (tags, SondeRecordTag, GPOINTER_TO_UINT (id))
             : NULL;
}

static GHashTable *
index_tags (const GArray *tags)
{
  GHashTable *ids = g_hash_table_new (NULL, NULL); /* names are interned */

  for (guint i = 0; i < tags->len; i++)
    if (g_array_index (tags, SondeRecordTag, i).name)
      g_hash_table_insert (ids, (gpointer) g_array_index (tags, SondeRecordTag, i).name,
                           GUINT_TO_POINTER (i));
  return ids;
}

/* A record may mean something else under another state of its tag: each tag of the part must have
 * begun as the file has it now. */
static gboolean
began_right (const SondeRunPart *part, const GArray *tags, GHashTable *ids)
{
  const GArray *found = part->decoder->tags;

  for (guint i = 0; i < found->len; i++)
    {
      const char *name = g_array_index (found, SondeRecordTag, i).name;
      const char *began
          = i < part->tags->len ? g_array_index (part->tags, SondeRecordTag, i).state : NULL;
      const SondeRecordTag *now = name ? find_tag (ids, tags, name) : NULL;

      if (now && now->state != began)
        return FALSE;
    }
  return TRUE;
}

/* The part's tags into the file's. @ids_now: (out): the file's id for each of the part's */
static void
merge_tags (SondeRunFileReader *file, const SondeRunPart *part, GHashTable *ids, guint32 *ids_now)
{
  const GArray *found = part->decoder->tags;
  gboolean own_ids = !file->format->ids_are_of_file;

  for (guint i = 0; i < found->len; i++)
    {
      const SondeRecordTag *tag = &g_array_index (found, SondeRecordTag, i);
      gpointer id = GUINT_TO_POINTER (i);

      if (own_ids && i >= part->tags->len
          && !g_hash_table_lookup_extended (ids, tag->name, NULL, &id))
        {
          id = GUINT_TO_POINTER (file->tags->len);
          g_hash_table_insert (ids, (gpointer) tag->name, id);
        }
      ids_now[i] = GPOINTER_TO_UINT (id);
      if (ids_now[i] >= file->tags->len)
        {
          g_array_set_size (file->tags, ids_now[i] + 1);
          g_array_index (file->tags, SondeRecordTag, ids_now[i]) = *tag;
        }
      else if (tag->name
               && memcmp (&g_array_index (file->tags, SondeRecordTag, ids_now[i]), tag, sizeof *tag)
                      != 0)
        {
          g_array_index (file->tags, SondeRecordTag, ids_now[i]) = *tag;
          sonde_run_file_reader_change_tags (file);
        }
    }
}

static void
translate (SondeRecordBatch *batch, const guint32 *ids)
{
  for (gsize i = 0; i < batch->n_points; i++)
    batch->tags[i] = ids[batch->tags[i]];
  for (guint i = 0; i < batch->refs->len; i++)
    {
      SondeRecordRef *ref = &g_array_index (batch->refs, SondeRecordRef, i);

      if (ref->tag != SONDE_RECORD_NO_TAG)
        ref->tag = ids[ref->tag];
    }
}

static gboolean
same_tags (const GArray *one, const GArray *other)
{
  return one->len == other->len
         && (one->len == 0
             || memcmp (one->data, other->data, one->len * sizeof (SondeRecordTag)) == 0);
}

/* FALSE when they do not fit. */
static gboolean
take_tags (SondeRunFileReader *file, SondeRunPart *part)
{
  g_autoptr (GHashTable) ids = NULL;
  g_autofree guint32 *ids_now = NULL;

  if (same_tags (part->decoder->tags, file->tags) && same_tags (part->tags, file->tags))
    return TRUE;
  ids = index_tags (file->tags);
  if (!began_right (part, file->tags, ids))
    return FALSE;
  ids_now = g_new (guint32, part->decoder->tags->len);
  merge_tags (file, part, ids, ids_now);
  if (!file->format->ids_are_of_file)
    translate (&part->batch, ids_now);
  return TRUE;
}

SondeRunPartResult
sonde_run_file_reader_take_part (SondeRunFileReader *file, SondeRunPart *part)
{
  /* all of it lies in a frame that began before */
  if (!part->found && !part->is_last)
    return file->position >= part->end ? SONDE_RUN_PART_TAKEN : SONDE_RUN_PART_WRONG;
  if (!part->found)
    return SONDE_RUN_PART_TAKEN;
  if (part->first != file->position || part->session != file->session || !take_tags (file, part))
    return SONDE_RUN_PART_WRONG;
  if (!sonde_run_file_reader_absorb (file, &part->batch))
    return SONDE_RUN_PART_LOST;
  file->session = part->decoder->session;
  file->records += part->n_records;
  file->position = part->stop;
  file->unsaved = TRUE;
  while (part->damage->len > 0)
    g_ptr_array_add (file->damage, g_ptr_array_steal_index (part->damage, 0));
  return SONDE_RUN_PART_TAKEN;
}
