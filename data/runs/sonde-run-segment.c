/* SPDX-License-Identifier: Apache-2.0
 * The worker's side of a tag in a file: appends points to the block that is being filled, seals full
 * blocks, and notes what the owner's thread has to be told. */
#include "data/runs/sonde-run-file-private.h"

#include <string.h>

#define FIRST_CAPACITY 16u

static void
clear_sealed (gpointer data)
{
  SondeRunSealedBlock *block = data;

  sonde_columns_unref (block->columns);
}

typedef struct
{
  const char *tag;
  SondeRecordKind kind;
} Key;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return g_direct_hash (key->tag) * 31 + key->kind;
}

static gboolean
key_equal (gconstpointer a,
           gconstpointer b)
{
  const Key *one = a, *other = b;

  return one->tag == other->tag && one->kind == other->kind;
}

void
sonde_run_segment_free (SondeRunSegment *segment)
{
  g_array_unref (segment->sealed);
  sonde_columns_unref (segment->tail);
  g_free (segment);
}

SondeRunSegment *
sonde_run_file_reader_ensure_segment (SondeRunFileReader *file,
                                      const char         *tag,
                                      SondeRecordKind     kind)
{
  /* the segment begins with its key, so that it is its own key in the table */
  G_STATIC_ASSERT (G_STRUCT_OFFSET (SondeRunSegment, tag) == G_STRUCT_OFFSET (Key, tag));
  G_STATIC_ASSERT (G_STRUCT_OFFSET (SondeRunSegment, kind) == G_STRUCT_OFFSET (Key, kind));
  Key key = { tag, kind };
  SondeRunSegment *segment;

  if (!file->segments_by_key)
    file->segments_by_key = g_hash_table_new (key_hash, key_equal);
  segment = g_hash_table_lookup (file->segments_by_key, &key);
  if (segment)
    return segment;
  segment = g_new0 (SondeRunSegment, 1);
  segment->tag = tag;
  segment->kind = kind;
  segment->sealed = g_array_new (FALSE, FALSE, sizeof (SondeRunSealedBlock));
  g_array_set_clear_func (segment->sealed, clear_sealed);
  g_ptr_array_add (file->segments, segment);
  g_hash_table_add (file->segments_by_key, segment);
  return segment;
}

void
sonde_run_segment_summarise (SondeRunSegment *segment)
{
  if (segment->n_summarised == segment->n_tail)
    return;
  sonde_block_summary_add_points (&segment->tail_summary, segment->tail, segment->n_summarised,
                                  segment->n_tail);
  segment->n_summarised = segment->n_tail;
}

/* Makes room for one more point in the tail. */
static gboolean
prepare_tail (SondeRunFileReader *file,
              SondeRunSegment    *segment)
{
  SondeColumns *larger;

  if (!segment->tail && segment->n_tail > 0)
    segment->tail = file->load_tail (file->owner, segment->tail_row, segment->n_tail);
  if (!segment->tail && segment->n_tail > 0)
    return FALSE;
  if (!segment->tail)
    segment->tail = sonde_columns_new (FIRST_CAPACITY);
  if (segment->n_tail < segment->tail->capacity)
    return TRUE;
  larger = sonde_columns_copy (segment->tail, segment->n_tail,
                               MIN (MAX (2 * segment->n_tail, FIRST_CAPACITY), SONDE_BLOCK_POINTS));
  sonde_columns_unref (segment->tail);
  segment->tail = larger;
  return TRUE;
}

static void
tell (SondeRunFileReader      *file,
      SondeRunSegment         *segment,
      guint                    number,
      SondeColumns            *columns,
      guint                    n,
      const SondeBlockSummary *summary,
      gint64                   row)
{
  SondeRunBlockNews news = {
    .file = file->number,
    .order = g_strdup (file->relative),
    .tag = segment->tag,
    .kind = segment->kind,
    .number = number,
    .n = n,
    .columns = columns ? sonde_columns_ref (columns) : NULL,
    .summary = *summary,
    .row = row,
  };

  g_array_append_val (*file->news, news);
}

static void
seal (SondeRunFileReader *file,
      SondeRunSegment    *segment)
{
  SondeRunSealedBlock block = {
    .number = segment->n_sealed,
    .row = segment->tail_row,
  };

  sonde_run_segment_summarise (segment);
  if (segment->kind == SONDE_RECORD_SCALARS)
    sonde_columns_compute_units (segment->tail);
  block.summary = segment->tail_summary;
  block.columns = g_steal_pointer (&segment->tail);
  g_array_append_val (segment->sealed, block);
  tell (file, segment, block.number, block.columns, SONDE_BLOCK_POINTS, &block.summary, 0);
  segment->n_sealed++;
  segment->n_tail = segment->n_summarised = segment->n_tail_saved = 0;
  segment->tail_row = 0;
  memset (&segment->tail_summary, 0, sizeof segment->tail_summary);
}

static void
note_change (SondeRunFileReader *file,
             SondeRunSegment    *segment)
{
  segment->unsaved = TRUE;
  if (segment->changed)
    return;
  segment->changed = TRUE;
  g_ptr_array_add (file->changed, segment);
}

/* A place for one more point: the caller fills value or offset. NULL when the tail is lost. */
static SondeColumns *
append (SondeRunFileReader *file,
        SondeRunSegment    *segment,
        gint64              step,
        gint64              wall_time_ns,
        guint32             session)
{
  if (!prepare_tail (file, segment))
    return NULL;
  segment->tail->steps[segment->n_tail] = step;
  segment->tail->walls[segment->n_tail] = wall_time_ns;
  segment->tail->sessions[segment->n_tail] = session;
  if (segment->count == 0)
    segment->first_step = step;
  segment->last_step = step;
  segment->last_session = session;
  note_change (file, segment);
  return segment->tail;
}

gboolean
sonde_run_file_reader_add_point (SondeRunFileReader *file,
                                 SondeRunSegment    *segment,
                                 const SondePoint   *point)
{
  SondeColumns *tail = append (file, segment, point->step, point->wall_time_ns, point->session);

  if (!tail)
    return FALSE;
  segment->count++;
  tail->values[segment->n_tail++] = point->value;
  if (segment->n_tail == SONDE_BLOCK_POINTS)
    seal (file, segment);
  return TRUE;
}

gboolean
sonde_run_file_reader_add_ref (SondeRunFileReader *file,
                               SondeRunSegment    *segment,
                               const SondeRecord  *record,
                               guint64             offset)
{
  gboolean same_step = segment->count > 0 && segment->last_step == record->step &&
                       segment->last_session == record->session;
  SondeColumns *tail = append (file, segment, record->step, record->wall_time_ns, record->session);

  if (!tail)
    return FALSE;
  if (record->kind != SONDE_RECORD_IMAGE || !same_step)
    segment->count++;
  tail->offsets[segment->n_tail++] = offset;
  if (segment->n_tail == SONDE_BLOCK_POINTS)
    seal (file, segment);
  return TRUE;
}

void
sonde_run_file_reader_collect_news (SondeRunFileReader *file)
{
  for (guint i = 0; i < file->changed->len; i++)
    {
      SondeRunSegment *segment = g_ptr_array_index (file->changed, i);

      segment->changed = FALSE;
      if (segment->n_tail == 0)
        continue;
      sonde_run_segment_summarise (segment);
      tell (file, segment, segment->n_sealed, segment->tail, segment->n_tail, &segment->tail_summary,
            segment->n_tail_saved == segment->n_tail ? segment->tail_row : 0);
    }
  g_ptr_array_set_size (file->changed, 0);
}

void
sonde_run_file_reader_tell_saved (SondeRunFileReader      *file,
                                  SondeRunSegment         *segment,
                                  guint                    number,
                                  guint                    n,
                                  const SondeBlockSummary *summary,
                                  gint64                   row)
{
  tell (file, segment, number, NULL, n, summary, row);
}

void
sonde_run_block_news_clear (SondeRunBlockNews *news)
{
  g_free ((char *) news->order);
  sonde_columns_unref (news->columns);
}
