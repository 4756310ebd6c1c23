/* SPDX-License-Identifier: Apache-2.0
 * What a batch of records says, into the segments of its file. */
#include "data/runs/sonde-run-segment-private.h"

static const char *
name_of_tag (const SondeRunFileReader *file, guint32 id)
{
  const char *name
      = id < file->tags->len ? g_array_index (file->tags, SondeRecordTag, id).name : NULL;
  g_autofree char *made = NULL;

  if (name)
    return name;
  made = g_strdup_printf ("tag#%u", id);
  return g_intern_string (made);
}

static SondeRunSegment *
scalar_segment (SondeRunFileReader *file, guint32 id)
{
  if (id >= file->scalars->len)
    g_ptr_array_set_size (file->scalars, id + 1);
  if (!file->scalars->pdata[id])
    file->scalars->pdata[id]
        = sonde_run_file_reader_ensure_segment (file, name_of_tag (file, id), SONDE_RECORD_SCALARS);
  return file->scalars->pdata[id];
}

/* Neighbours of one tag together. */
static gboolean
absorb_points (SondeRunFileReader *file, const SondeRecordBatch *batch)
{
  gsize from, to;

  for (from = 0; from < batch->n_points; from = to)
    {
      guint32 tag = batch->tags[from];

      for (to = from + 1; to < batch->n_points && batch->tags[to] == tag;)
        to++;
      if (!sonde_run_file_reader_add_points (file, scalar_segment (file, tag), batch, from, to))
        return FALSE;
    }
  if (batch->n_points > 0)
    {
      gint64 last = file->has_scalars ? file->last_scalar_step : batch->steps[0];

      for (gsize i = 0; i < batch->n_points; i++)
        last = MAX (last, batch->steps[i]);
      file->has_scalars = TRUE;
      file->last_scalar_step = last;
    }
  return TRUE;
}

static gboolean
absorb_refs (SondeRunFileReader *file, const SondeRecordBatch *batch)
{
  for (guint i = 0; i < batch->refs->len; i++)
    {
      const SondeRecordRef *ref = &g_array_index (batch->refs, SondeRecordRef, i);
      const char *tag = ref->tag == SONDE_RECORD_NO_TAG
                            ? g_intern_static_string (sonde_record_kind_name (ref->kind))
                            : name_of_tag (file, ref->tag);

      if (!sonde_run_file_reader_add_ref (
              file, sonde_run_file_reader_ensure_segment (file, tag, ref->kind), ref))
        return FALSE;
    }
  return TRUE;
}

gboolean
sonde_run_file_reader_absorb (SondeRunFileReader *file, const SondeRecordBatch *batch)
{
  if (batch->has_time)
    file->ended = batch->ended;
  if (batch->has_time && !file->has_start)
    {
      file->has_start = TRUE;
      file->start_ns = batch->first_time_ns;
    }
  if (__builtin_add_overflow (file->lost_records, batch->n_lost, &file->lost_records))
    file->lost_records = G_MAXUINT64;
  file->n_points += batch->n_points + batch->refs->len;
  return absorb_points (file, batch) && absorb_refs (file, batch);
}
