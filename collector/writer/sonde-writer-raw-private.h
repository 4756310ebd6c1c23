/* SPDX-License-Identifier: Apache-2.0
 * Numbers that the caller handed in and that the writing thread makes a record of: values to be
 * counted into a histogram, pixels to be encoded. The caller pays for one copy, into memory that is
 * used again. */
#pragma once

#include "data/values/sonde-histogram.h"
#include "data/values/sonde-image.h"

#include "collector/writer/sonde-summary-writer.h"

G_BEGIN_DECLS

/* @room: bytes that @data has; @channels, @layout: of pixels */
typedef struct
{
  SondeDtype dtype;
  gsize n, room;
  int width, height, channels;
  SondePixelLayout layout;
  guint8 *data;
} SondeWriterRaw;

/* With room for @bytes. */
SondeWriterRaw *sonde_writer_raw_new (gsize bytes);
void sonde_writer_raw_free (SondeWriterRaw *raw); /* NULL is fine */

/* Counts the values. (transfer full) */
SondeHistogram *sonde_writer_raw_count (const SondeWriterRaw *raw);
/* (transfer full): 8-bit and interleaved */
SondeImage *sonde_writer_raw_picture (const SondeWriterRaw *raw);

#define SONDE_WRITER_POOL_BLOCKS 4

/* Memory of raw numbers that have been dealt with. Zero-initialise; @limit bytes are kept at most.
 * Its owner's lock is held around every call. */
typedef struct
{
  gsize limit, bytes;
  SondeWriterRaw *spare[SONDE_WRITER_POOL_BLOCKS];
} SondeWriterPool;

/* (nullable): a block of at least @bytes, not much larger; NULL when there is none */
SondeWriterRaw *sonde_writer_pool_take (SondeWriterPool *pool, gsize bytes);
void sonde_writer_pool_give (SondeWriterPool *pool, SondeWriterRaw *raw);
void sonde_writer_pool_clear (SondeWriterPool *pool);

G_END_DECLS
