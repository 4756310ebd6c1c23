/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/writer/sonde-writer-raw-private.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define HUGE_PAGE ((gsize) 2 << 20)

/* Fresh memory costs a fault a page, which for a large array is more than the copy: large pages
 * have few. */
SondeWriterRaw *
sonde_writer_raw_new (gsize bytes)
{
  SondeWriterRaw *raw = g_new0 (SondeWriterRaw, 1);
  void *memory = NULL;

  raw->room = bytes;
  if (bytes >= HUGE_PAGE
      && posix_memalign (&memory, HUGE_PAGE, (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1)) == 0)
    {
      raw->room = (bytes + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
      /* a wish: without it the memory is as any other */
      madvise (memory, raw->room, MADV_HUGEPAGE);
    }
  raw->data = memory != NULL ? memory : g_malloc (MAX (bytes, 1));
  return raw;
}

void
sonde_writer_raw_free (SondeWriterRaw *raw)
{
  if (raw == NULL)
    return;
  free (raw->data); /* of posix_memalign() or g_malloc(), which is malloc() */
  g_free (raw);
}

SondeHistogram *
sonde_writer_raw_count (const SondeWriterRaw *raw)
{
  const SondeShape shape = { .rank = 1, .dims = { (gint64) raw->n } };
  SondeHistogram *histogram = g_new (SondeHistogram, 1);
  g_autoptr (SondeTensor) tensor
      = sonde_tensor_new_take (raw->dtype, &shape, raw->data, NULL, NULL);

  sonde_histogram_init (histogram);
  sonde_histogram_add (histogram, tensor);
  return histogram;
}

/* ---- pictures ------------------------------------------------------------ */

/* Source: torch.utils.tensorboard: [0, 1] times 255, cut at both ends, rounded down. NaN is 0. */
static void
bytes_of_floats (const float *numbers, guint8 *bytes, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      float x = numbers[i] * 255;

      x = x > 0 ? x : 0;
      bytes[i] = (guint8) (x < 255 ? x : 255);
    }
}

/* 8 bits a number, in the order of the caller. (transfer full) */
static guint8 *
bytes_of (const SondeWriterRaw *raw)
{
  g_autofree float *numbers = NULL;
  guint8 *bytes = g_malloc (raw->n);

  if (raw->dtype == SONDE_DTYPE_U8)
    memcpy (bytes, raw->data, raw->n);
  else if (raw->dtype == SONDE_DTYPE_F32)
    bytes_of_floats ((const float *) (const void *) raw->data, bytes, raw->n);
  else
    {
      numbers = g_new (float, raw->n);
      sonde_dtype_convert (raw->dtype, raw->data, SONDE_DTYPE_F32, numbers, raw->n);
      /* whole numbers are levels already */
      if (!sonde_dtype_is_float (raw->dtype) && raw->dtype != SONDE_DTYPE_BOOL)
        for (gsize i = 0; i < raw->n; i++)
          numbers[i] /= 255;
      bytes_of_floats (numbers, bytes, raw->n);
    }
  return bytes;
}

SondeImage *
sonde_writer_raw_picture (const SondeWriterRaw *raw)
{
  const gsize plane = (gsize) raw->width * (gsize) raw->height, channels = (gsize) raw->channels;
  SondeImage *image = sonde_image_new (raw->width, raw->height, raw->channels);
  g_autofree guint8 *bytes = bytes_of (raw);

  if (raw->layout == SONDE_PIXELS_HWC || channels == 1)
    memcpy (image->pixels, bytes, raw->n);
  else
    for (gsize c = 0; c < channels; c++)
      for (gsize i = 0; i < plane; i++)
        image->pixels[i * channels + c] = bytes[c * plane + i];
  return image;
}

/* ---- memory that is used again ------------------------------------------- */

SondeWriterRaw *
sonde_writer_pool_take (SondeWriterPool *pool, gsize bytes)
{
  for (guint i = 0; i < SONDE_WRITER_POOL_BLOCKS; i++)
    if (pool->spare[i] != NULL && pool->spare[i]->room >= bytes
        && pool->spare[i]->room / 2 <= bytes)
      {
        pool->bytes -= pool->spare[i]->room;
        return g_steal_pointer (&pool->spare[i]);
      }
  return NULL;
}

void
sonde_writer_pool_give (SondeWriterPool *pool, SondeWriterRaw *raw)
{
  for (guint i = 0; i < SONDE_WRITER_POOL_BLOCKS && pool->bytes + raw->room <= pool->limit; i++)
    if (pool->spare[i] == NULL)
      {
        pool->spare[i] = raw;
        pool->bytes += raw->room;
        return;
      }
  /* The oldest goes: what is recorded changes its size with the network, not from call to call. */
  if (raw->room <= pool->limit / 2 && pool->spare[0] != NULL)
    {
      pool->bytes -= pool->spare[0]->room;
      sonde_writer_raw_free (pool->spare[0]);
      memmove (pool->spare, pool->spare + 1,
               (SONDE_WRITER_POOL_BLOCKS - 1) * sizeof pool->spare[0]);
      pool->spare[SONDE_WRITER_POOL_BLOCKS - 1] = NULL;
    }
  sonde_writer_raw_free (raw);
}

void
sonde_writer_pool_clear (SondeWriterPool *pool)
{
  for (guint i = 0; i < SONDE_WRITER_POOL_BLOCKS; i++)
    sonde_writer_raw_free (pool->spare[i]);
  memset (pool, 0, sizeof *pool);
}
