/* SPDX-License-Identifier: Apache-2.0
 * Chunks of packed scalars and a list of records, in the order in which they were added. */
#include "collector/writer/sonde-writer-queue-private.h"

#include <string.h>

#include "data/images/sonde-png.h"

#define CHUNK_BYTES ((gsize) 8192)
#define MAX_SPARE 64
#define JOIN_NS 1000000

/* @sequence: of the entry added last */
struct _SondeWriterChunk
{
  SondeWriterChunk *next;
  guint64 sequence;
  gsize room, used;
  _Alignas(8) guint8 data[];
};

/* Head of the scalars of one step; the scalars follow. */
typedef struct
{
  gint64 step, wall_time_ns;
  gsize n;
} Entry;

/* Head of one scalar; its tag follows with its NUL, padded to 8 bytes. */
typedef struct
{
  double value;
  gsize padded;
} Packed;

static gsize
pad (gsize bytes)
{
  return (bytes + 7) & ~(gsize) 7;
}

/* ---- losses -------------------------------------------------------------- */

void
sonde_writer_loss_add (SondeWriterLoss *loss, const SondeWriterLoss *more)
{
  if (more->records == 0)
    return;
  loss->first_step
      = loss->records == 0 ? more->first_step : MIN (loss->first_step, more->first_step);
  loss->last_step = loss->records == 0 ? more->last_step : MAX (loss->last_step, more->last_step);
  loss->records += more->records;
  loss->bytes += more->bytes;
}

void
sonde_writer_queue_lose (SondeWriterQueue *queue, const SondeWriterLoss *loss)
{
  sonde_writer_loss_add (&queue->loss, loss);
  sonde_writer_loss_add (&queue->all_loss, loss);
}

static void
lose_one (SondeWriterQueue *queue, gsize bytes, gint64 step)
{
  const SondeWriterLoss loss = { 1, bytes, step, step };

  sonde_writer_queue_lose (queue, &loss);
}

static void
drop_first_item (SondeWriterQueue *queue)
{
  SondeWriterItem *item = queue->first_item;

  queue->first_item = item->next;
  if (queue->first_item == NULL)
    queue->last_item = NULL;
  lose_one (queue, item->bytes, item->record.step);
  sonde_writer_queue_release_item (queue, item);
}

static gboolean
make_room (SondeWriterQueue *queue, gsize bytes)
{
  while (queue->first_item != NULL && bytes <= queue->limit && queue->bytes > queue->limit - bytes)
    drop_first_item (queue);
  return bytes <= queue->limit && queue->bytes <= queue->limit - bytes;
}

/* ---- scalars ------------------------------------------------------------- */

static gboolean
add_chunk (SondeWriterQueue *queue, gsize bytes)
{
  gsize room = MAX (bytes, CHUNK_BYTES);
  SondeWriterChunk *chunk;

  if (!make_room (queue, sizeof *chunk + room))
    return FALSE;
  if (room == CHUNK_BYTES && queue->spare != NULL)
    {
      chunk = queue->spare;
      queue->spare = chunk->next;
      queue->n_spare--;
    }
  else
    chunk = g_malloc (sizeof *chunk + room);
  chunk->next = NULL;
  chunk->room = room;
  chunk->used = 0;
  chunk->sequence = queue->sequence + 1;
  queue->bytes += sizeof *chunk + room;
  if (queue->last_chunk != NULL)
    queue->last_chunk->next = chunk;
  else
    queue->first_chunk = chunk;
  queue->last_chunk = chunk;
  queue->is_open = TRUE;
  return TRUE;
}

static guint8 *
pack_scalar (guint8 *at, const SondeScalar *scalar, gsize tag_bytes)
{
  Packed packed = { scalar->value, pad (tag_bytes) };

  memcpy (at, &packed, sizeof packed);
  memcpy (at + sizeof packed, scalar->tag, tag_bytes);
  return at + sizeof packed + packed.padded;
}

/* The entry that further scalars of this step may join; NULL when a new one is needed. */
static Entry *
joinable_entry (SondeWriterQueue *queue, gint64 step, gint64 wall_time_ns)
{
  Entry *entry;

  if (!queue->is_open || queue->last_chunk->used == 0)
    return NULL;
  entry = (Entry *) (void *) (queue->last_chunk->data + queue->last_entry);
  return entry->step == step && wall_time_ns - entry->wall_time_ns < JOIN_NS
                 && wall_time_ns >= entry->wall_time_ns
             ? entry
             : NULL;
}

gboolean
sonde_writer_queue_add_scalars (SondeWriterQueue *queue, gint64 step, gint64 wall_time_ns,
                                const SondeScalar *scalars, gsize n)
{
  Entry *entry = joinable_entry (queue, step, wall_time_ns);
  gsize bytes = 0;
  guint8 *at;

  for (gsize i = 0; i < n; i++)
    bytes += sizeof (Packed) + pad (strlen (scalars[i].tag) + 1);

  if (entry == NULL || bytes > queue->last_chunk->room - queue->last_chunk->used)
    {
      entry = NULL;
      if ((!queue->is_open
           || bytes + sizeof (Entry) > queue->last_chunk->room - queue->last_chunk->used)
          && !add_chunk (queue, bytes + sizeof (Entry)))
        {
          lose_one (queue, bytes, step);
          return FALSE;
        }
      queue->last_entry = queue->last_chunk->used;
      entry = (Entry *) (void *) (queue->last_chunk->data + queue->last_entry);
      *entry = (Entry){ step, wall_time_ns, 0 };
      queue->last_chunk->used += sizeof *entry;
    }

  at = queue->last_chunk->data + queue->last_chunk->used;
  for (gsize i = 0; i < n; i++)
    at = pack_scalar (at, &scalars[i], strlen (scalars[i].tag) + 1);
  queue->last_chunk->used += bytes;
  entry->n += n;
  queue->last_chunk->sequence = ++queue->sequence;
  return TRUE;
}

guint64
sonde_writer_chunk_get_sequence (const SondeWriterChunk *chunk)
{
  return chunk->sequence;
}

gboolean
sonde_writer_chunk_next (const SondeWriterChunk *chunk, gsize *position, gint64 *step,
                         gint64 *wall_time_ns, GArray *scalars)
{
  Entry entry;

  if (*position >= chunk->used)
    return FALSE;
  memcpy (&entry, chunk->data + *position, sizeof entry);
  *position += sizeof entry;
  *step = entry.step;
  *wall_time_ns = entry.wall_time_ns;
  g_array_set_size (scalars, (guint) entry.n);
  for (gsize i = 0; i < entry.n; i++)
    {
      Packed packed;

      memcpy (&packed, chunk->data + *position, sizeof packed);
      *position += sizeof packed;
      g_array_index (scalars, SondeScalar, i) = (SondeScalar){
        .tag = (const char *) chunk->data + *position,
        .value = packed.value,
      };
      *position += packed.padded;
    }
  return TRUE;
}

/* ---- items --------------------------------------------------------------- */

void
sonde_writer_item_free (SondeWriterItem *item)
{
  if (item == NULL)
    return;
  sonde_writer_raw_free (sonde_writer_item_empty (item));
  g_free (item);
}

SondeWriterRaw *
sonde_writer_item_empty (SondeWriterItem *item)
{
  sonde_record_clear (&item->record);
  g_clear_pointer (&item->image, sonde_image_unref);
  return g_steal_pointer (&item->raw);
}

gboolean
sonde_writer_item_finish (SondeWriterItem *item)
{
  if (item->raw != NULL && item->record.kind == SONDE_RECORD_HISTOGRAM)
    item->record.u.histogram = sonde_writer_raw_count (item->raw);
  else if (item->raw != NULL)
    item->image = sonde_writer_raw_picture (item->raw);
  if (item->image == NULL)
    return TRUE;
  item->record.u.image.encoded = sonde_png_encode (item->image);
  return item->record.u.image.encoded != NULL;
}

gboolean
sonde_writer_queue_add_item (SondeWriterQueue *queue, SondeWriterItem *item)
{
  if (!make_room (queue, item->bytes))
    {
      lose_one (queue, item->bytes, item->record.step);
      sonde_writer_item_free (item);
      return FALSE;
    }
  /* Scalars that come later must not get in front of it. */
  queue->is_open = FALSE;
  item->next = NULL;
  item->sequence = ++queue->sequence;
  queue->bytes += item->bytes;
  if (queue->last_item != NULL)
    queue->last_item->next = item;
  else
    queue->first_item = item;
  queue->last_item = item;
  return TRUE;
}

/* ---- taking -------------------------------------------------------------- */

gboolean
sonde_writer_queue_take (SondeWriterQueue *queue, SondeWriterChunk **chunk, SondeWriterItem **item)
{
  *chunk = NULL;
  *item = NULL;
  if (queue->first_chunk == NULL && queue->first_item == NULL)
    return FALSE;
  if (queue->first_item == NULL
      || (queue->first_chunk != NULL && queue->first_chunk->sequence < queue->first_item->sequence))
    {
      *chunk = queue->first_chunk;
      queue->first_chunk = (*chunk)->next;
      if (queue->first_chunk == NULL)
        {
          queue->last_chunk = NULL;
          queue->is_open = FALSE;
        }
      return TRUE;
    }
  *item = queue->first_item;
  queue->first_item = (*item)->next;
  if (queue->first_item == NULL)
    queue->last_item = NULL;
  return TRUE;
}

void
sonde_writer_queue_release_chunk (SondeWriterQueue *queue, SondeWriterChunk *chunk)
{
  queue->bytes -= sizeof *chunk + chunk->room;
  if (chunk->room != CHUNK_BYTES || queue->n_spare == MAX_SPARE)
    {
      g_free (chunk);
      return;
    }
  chunk->next = queue->spare;
  queue->spare = chunk;
  queue->n_spare++;
}

void
sonde_writer_queue_release_item (SondeWriterQueue *queue, SondeWriterItem *item)
{
  queue->bytes -= item->bytes;
  sonde_writer_item_free (item);
}

static void
free_chunks (SondeWriterChunk *chunk)
{
  while (chunk != NULL)
    {
      SondeWriterChunk *next = chunk->next;

      g_free (chunk);
      chunk = next;
    }
}

void
sonde_writer_queue_clear (SondeWriterQueue *queue)
{
  while (queue->first_item != NULL)
    {
      SondeWriterItem *next = queue->first_item->next;

      sonde_writer_item_free (queue->first_item);
      queue->first_item = next;
    }
  free_chunks (queue->first_chunk);
  free_chunks (queue->spare);
  memset (queue, 0, sizeof *queue);
}
