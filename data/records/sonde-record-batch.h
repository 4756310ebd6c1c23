/* SPDX-License-Identifier: Apache-2.0
 * What a run store needs of the records of a file: the points of scalars, and of everything else
 * what and where it is. A reading of a whole file makes nothing but batches, so that ten million
 * points cost ten million appends; contents are read later, one by one, by their places. */
#pragma once

#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/* Where a record is: the offset of its frame (or line) in the low 48 bits, and which record of that
 * frame it is above: a frame of a foreign file can hold several. */
#define SONDE_RECORD_PLACE_OFFSET_BITS 48
#define SONDE_RECORD_PLACE_MAX_PARTS 65536u

static inline guint64
sonde_record_place (guint64 offset, guint part)
{
  return offset | (guint64) part << SONDE_RECORD_PLACE_OFFSET_BITS;
}

static inline guint64
sonde_record_place_offset (guint64 place)
{
  return place & (((guint64) 1 << SONDE_RECORD_PLACE_OFFSET_BITS) - 1);
}

static inline guint
sonde_record_place_part (guint64 place)
{
  return (guint) (place >> SONDE_RECORD_PLACE_OFFSET_BITS);
}

/* Of a record without a tag: it goes by the name of its kind. */
#define SONDE_RECORD_NO_TAG G_MAXUINT32

/* A record that is no scalar. @tag: id in the decoder's table or NO_TAG; @same: it is of the same
 * step and tag as the one before (the second picture of several) and is not counted */
typedef struct
{
  guint32 tag;
  SondeRecordKind kind;
  gint64 step;
  gint64 wall_time_ns;
  guint64 place;
  guint32 session;
  gboolean same;
} SondeRecordRef;

/**
 * SondeRecordBatch: a reusable buffer; read the members, append by the functions
 * @tags, @steps, @walls, @values, @sessions: (array length=n_points): in record order; tags are ids
 *   in the decoder's table
 * @refs: (element-type SondeRecordRef)
 * @n_lost: records that the file's GAP records count
 * @has_time, @first_time_ns: wall time of the first record of any kind
 * @ended: the last record of any kind says that its writer was closed
 */
typedef struct
{
  gsize n_points, capacity;
  guint32 *tags;
  gint64 *steps;
  gint64 *walls;
  double *values;
  guint32 *sessions;
  GArray *refs;
  guint64 n_lost;
  gboolean has_time;
  gint64 first_time_ns;
  gboolean ended;
} SondeRecordBatch;

void sonde_record_batch_init (SondeRecordBatch *batch);
void sonde_record_batch_clear (SondeRecordBatch *batch); /* frees the members */
void sonde_record_batch_empty (SondeRecordBatch *batch); /* keeps the room */
/* Makes room for at least @n more points. */
void sonde_record_batch_reserve (SondeRecordBatch *batch, gsize n);

static inline void
sonde_record_batch_add_point (SondeRecordBatch *batch, guint32 tag, gint64 step,
                              gint64 wall_time_ns, double value, guint32 session)
{
  gsize i;

  if (G_UNLIKELY (batch->n_points == batch->capacity))
    sonde_record_batch_reserve (batch, 1);
  i = batch->n_points++;
  batch->tags[i] = tag;
  batch->steps[i] = step;
  batch->walls[i] = wall_time_ns;
  batch->values[i] = value;
  batch->sessions[i] = session;
}

void sonde_record_batch_add_ref (SondeRecordBatch *batch, const SondeRecordRef *ref);
/* Of every record, whatever it holds; what it says of its writer is set in @ended afterwards. */
void sonde_record_batch_note_time (SondeRecordBatch *batch, gint64 wall_time_ns);

G_END_DECLS
