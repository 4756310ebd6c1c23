/* SPDX-License-Identifier: Apache-2.0
 * What waits to be written, bounded by bytes. Scalars lie packed in chunks of fixed size that are
 * used again, so that adding one is a copy of a few bytes; everything else is a list of records. No
 * lock: the writer's mutex is held around every call. */
#pragma once

#include "collector/writer/sonde-writer-raw-private.h"
#include "data/records/sonde-record.h"
#include "data/values/sonde-image.h"

G_BEGIN_DECLS

typedef struct _SondeWriterChunk SondeWriterChunk;
typedef struct _SondeWriterItem SondeWriterItem;

/* A record that waits. @image, @raw: (nullable): still to be made its content. */
struct _SondeWriterItem
{
  SondeWriterItem *next;
  guint64 sequence;
  gsize bytes;
  SondeRecord record;
  SondeImage *image;
  SondeWriterRaw *raw;
};

/* What was dropped. */
typedef struct
{
  guint64 records, bytes;
  gint64 first_step, last_step;
} SondeWriterLoss;

void sonde_writer_loss_add (SondeWriterLoss *loss, const SondeWriterLoss *more);

/**
 * SondeWriterQueue: zero-initialise, set @limit
 * @bytes: memory held by what waits or is being written
 * @sequence: of the last entry added; entries are written in its order
 * @loss: dropped since the owner last emptied it; @all_loss: since the beginning
 */
typedef struct
{
  gsize bytes, limit;
  guint64 sequence;
  SondeWriterLoss loss, all_loss;
  SondeWriterChunk *first_chunk, *last_chunk;
  SondeWriterItem *first_item, *last_item;
  SondeWriterChunk *spare;
  guint n_spare;
  gboolean is_open; /* the last chunk takes further scalars */
  gsize last_entry; /* offset in it of the entry added last */
} SondeWriterQueue;

void sonde_writer_queue_clear (SondeWriterQueue *queue);

/* Counts a loss. */
void sonde_writer_queue_lose (SondeWriterQueue *queue, const SondeWriterLoss *loss);

/* Scalars of one step; joined with the ones before when those are of the same step and millisecond.
 * FALSE: dropped and counted. */
gboolean sonde_writer_queue_add_scalars (SondeWriterQueue *queue, gint64 step, gint64 wall_time_ns,
                                         const SondeScalar *scalars, gsize n);

/* Takes @item with its content. When the queue is full, the oldest items make room; scalars
 * stay. */
gboolean sonde_writer_queue_add_item (SondeWriterQueue *queue, SondeWriterItem *item);
void sonde_writer_item_free (SondeWriterItem *item);

/* Makes the record whole from @image or @raw. FALSE: the picture could not be encoded. No lock is
 * needed. */
gboolean sonde_writer_item_finish (SondeWriterItem *item);
/* Frees what the item holds but @raw, which is the caller's then: (transfer full) (nullable). No
 * lock is needed. */
SondeWriterRaw *sonde_writer_item_empty (SondeWriterItem *item);

/**
 * sonde_writer_queue_take:
 *
 * The oldest entry: a chunk of scalars or an item; the other is NULL. It counts as memory of the
 * queue until it is given to one of the release functions. FALSE when nothing waits.
 */
gboolean sonde_writer_queue_take (SondeWriterQueue *queue, SondeWriterChunk **chunk,
                                  SondeWriterItem **item);
void sonde_writer_queue_release_chunk (SondeWriterQueue *queue, SondeWriterChunk *chunk);
void sonde_writer_queue_release_item (SondeWriterQueue *queue, SondeWriterItem *item);

guint64 sonde_writer_chunk_get_sequence (const SondeWriterChunk *chunk); /* of its last entry */

/* The steps of a taken chunk, one after the other; *@position starts at 0. @scalars: (element-type
 * SondeScalar): emptied and filled, tags live as long as the chunk. */
gboolean sonde_writer_chunk_next (const SondeWriterChunk *chunk, gsize *position, gint64 *step,
                                  gint64 *wall_time_ns, GArray *scalars);

G_END_DECLS
