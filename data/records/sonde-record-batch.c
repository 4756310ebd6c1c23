/* SPDX-License-Identifier: Apache-2.0 */
#include "data/records/sonde-record-batch.h"

#define FIRST_CAPACITY 1024

void
sonde_record_batch_init (SondeRecordBatch *batch)
{
  *batch = (SondeRecordBatch){ 0 };
  batch->refs = g_array_new (FALSE, FALSE, sizeof (SondeRecordRef));
}

void
sonde_record_batch_clear (SondeRecordBatch *batch)
{
  g_free (batch->tags);
  g_free (batch->steps);
  g_free (batch->walls);
  g_free (batch->values);
  g_free (batch->sessions);
  g_clear_pointer (&batch->refs, g_array_unref);
  *batch = (SondeRecordBatch){ 0 };
}

void
sonde_record_batch_empty (SondeRecordBatch *batch)
{
  batch->n_points = 0;
  g_array_set_size (batch->refs, 0);
  batch->n_lost = 0;
  batch->has_time = batch->ended = FALSE;
}

void
sonde_record_batch_reserve (SondeRecordBatch *batch, gsize n)
{
  gsize wanted = batch->n_points + n;

  if (wanted <= batch->capacity)
    return;
  batch->capacity = MAX (wanted, MAX (2 * batch->capacity, FIRST_CAPACITY));
  batch->tags = g_renew (guint32, batch->tags, batch->capacity);
  batch->steps = g_renew (gint64, batch->steps, batch->capacity);
  batch->walls = g_renew (gint64, batch->walls, batch->capacity);
  batch->values = g_renew (double, batch->values, batch->capacity);
  batch->sessions = g_renew (guint32, batch->sessions, batch->capacity);
}

void
sonde_record_batch_add_ref (SondeRecordBatch *batch, const SondeRecordRef *ref)
{
  g_array_append_val (batch->refs, *ref);
}

void
sonde_record_batch_note_time (SondeRecordBatch *batch, gint64 wall_time_ns)
{
  batch->ended = FALSE;
  if (batch->has_time)
    return;
  batch->has_time = TRUE;
  batch->first_time_ns = wall_time_ns;
}
