/* SPDX-License-Identifier: Apache-2.0
 * All records of a run with their contents, one after the other, as commands want them. */
#include "data/records/sonde-record-format.h"
#include "data/runs/sonde-run-private.h"

typedef struct
{
  const SondeIo *io;
  const SondeRunSlot *slot;
  SondeRecordBatch batch;
  SondeRunRecordFunc func;
  void *data;
  GError **error;
} Walk;

static gboolean
give (Walk *walk, SondeRecord *record)
{
  gboolean kept = walk->func (record, walk->data, walk->error);

  sonde_record_clear (record);
  return kept;
}

static const char *
name_of_tag (const GArray *tags, guint32 id)
{
  const char *name = id < tags->len ? g_array_index (tags, SondeRecordTag, id).name : NULL;
  g_autofree char *made = name ? NULL : g_strdup_printf ("tag#%u", id);

  return name ? name : g_intern_string (made);
}

/* Points [from, to), which are of one step. */
static gboolean
give_scalars (Walk *walk, const GArray *tags, gsize from, gsize to)
{
  const SondeRecordBatch *batch = &walk->batch;
  SondeRecord record = {
    .kind = SONDE_RECORD_SCALARS,
    .step = batch->steps[from],
    .wall_time_ns = batch->walls[from],
    .session = batch->sessions[from],
  };

  record.u.scalars.n = to - from;
  record.u.scalars.items = g_new (SondeScalar, to - from);
  for (gsize i = from; i < to; i++)
    record.u.scalars.items[i - from]
        = (SondeScalar){ name_of_tag (tags, batch->tags[i]), batch->values[i] };
  return give (walk, &record);
}

static gboolean
give_points (Walk *walk, const GArray *tags)
{
  const SondeRecordBatch *batch = &walk->batch;
  gsize from, to;

  for (from = 0; from < batch->n_points; from = to)
    {
      for (to = from + 1; to < batch->n_points && batch->steps[to] == batch->steps[from]
                          && batch->walls[to] == batch->walls[from]
                          && batch->sessions[to] == batch->sessions[from];)
        to++;
      if (!give_scalars (walk, tags, from, to))
        return FALSE;
    }
  return TRUE;
}

/* ---- framed formats ------------------------------------------------------ */

static gboolean
give_part (Walk *walk, SondeRecordDecoder *decoder, const guint8 *payload, gsize length, guint part)
{
  SondeRecord record;

  return !walk->slot->format->read (decoder, payload, length, part, &record, NULL)
         || give (walk, &record);
}

static gboolean
give_payload (Walk *walk, SondeRecordDecoder *decoder, const guint8 *payload, gsize length,
              guint64 offset)
{
  SondeRecordBatch *batch = &walk->batch;

  sonde_record_batch_empty (batch);
  if (!walk->slot->format->scan (decoder, payload, length, offset, batch, NULL))
    return TRUE;
  if (!give_points (walk, decoder->tags))
    return FALSE;
  for (guint i = 0; i < batch->refs->len; i++)
    if (!give_part (walk, decoder, payload, length,
                    sonde_record_place_part (g_array_index (batch->refs, SondeRecordRef, i).place)))
      return FALSE;
  /* neither points nor contents: a session, a gap */
  return batch->n_points > 0 || batch->refs->len > 0
         || give_part (walk, decoder, payload, length, 0);
}

static gboolean
walk_frames (Walk *walk)
{
  const SondeRecordFormat *format = walk->slot->format;
  g_autoptr (SondeFrameReader) frames
      = sonde_frame_reader_open (walk->io, walk->slot->path, 0, NULL);
  SondeRecordDecoder *decoder = frames ? format->decoder_new (NULL, 0) : NULL;
  gboolean finished = FALSE, kept = TRUE;

  while (frames && kept)
    {
      const guint8 *payload;
      gsize length;
      guint64 offset;
      SondeFrameResult result = sonde_frame_reader_next (frames, &payload, &length, &offset, NULL);

      if (result == SONDE_FRAME_ERROR || (result == SONDE_FRAME_WAITING && finished))
        break;
      if (result == SONDE_FRAME_RECORD)
        kept = give_payload (walk, decoder, payload, length, offset);
      else
        {
          /* there may be records behind a stretch that does not end */
          finished = TRUE;
          sonde_frame_reader_finish (frames);
        }
    }
  if (decoder)
    format->decoder_free (decoder);
  return kept;
}

/* ---- other formats ------------------------------------------------------- */

static gboolean
give_batch (Walk *walk, const GArray *tags)
{
  if (!give_points (walk, tags))
    return FALSE;
  for (guint i = 0; i < walk->batch.refs->len; i++)
    {
      guint64 place = g_array_index (walk->batch.refs, SondeRecordRef, i).place;
      SondeRecord record;

      if (sonde_record_format_read (walk->slot->format, walk->io, walk->slot->path, place,
                                    (const SondeRecordTag *) tags->data, tags->len, &record, NULL)
          && !give (walk, &record))
        return FALSE;
    }
  return TRUE;
}

static gboolean
walk_source (Walk *walk)
{
  const SondeRecordFormat *format = walk->slot->format;
  g_autoptr (GPtrArray) damage
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_frame_damage_free);
  gpointer source = format->open (walk->io, walk->slot->path, 0, NULL, 0, NULL);
  SondeFrameResult result = source ? SONDE_FRAME_RECORD : SONDE_FRAME_ERROR;
  gboolean kept = TRUE;

  while (result == SONDE_FRAME_RECORD && kept)
    {
      guint64 position, n_records;

      sonde_record_batch_empty (&walk->batch);
      result = format->next (source, &walk->batch, &position, &n_records, damage, NULL);
      kept = give_batch (walk, format->get_tags (source));
    }
  if (source)
    format->close (source);
  return kept;
}

/* ---- a run --------------------------------------------------------------- */

static int
compare_slots (gconstpointer a, gconstpointer b)
{
  const SondeRunSlot *one = *(gconstpointer *) a, *other = *(gconstpointer *) b;

  return g_strcmp0 (one->path, other->path);
}

gboolean
sonde_run_for_each_record (SondeRun *run, SondeRunRecordFunc func, void *data, GError **error)
{
  g_autoptr (SondeRunInfo) info = NULL;
  g_autoptr (GPtrArray) slots = g_ptr_array_new ();
  Walk walk = { .func = func, .data = data, .error = error };
  gboolean kept = TRUE;

  g_return_val_if_fail (SONDE_IS_RUN (run), FALSE);

  info = sonde_run_info_ref (sonde_run_get_info (run));
  for (guint i = 0; i < info->slots->len; i++)
    if (((const SondeRunSlot *) g_ptr_array_index (info->slots, i))->path)
      g_ptr_array_add (slots, g_ptr_array_index (info->slots, i));
  g_ptr_array_sort (slots, compare_slots);
  walk.io = sonde_run_get_io (run);
  sonde_record_batch_init (&walk.batch);
  for (guint i = 0; i < slots->len && kept; i++)
    {
      walk.slot = g_ptr_array_index (slots, i);
      kept = walk.slot->format->open ? walk_source (&walk) : walk_frames (&walk);
    }
  sonde_record_batch_clear (&walk.batch);
  return kept;
}
