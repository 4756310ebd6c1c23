/* SPDX-License-Identifier: Apache-2.0
 * PNG: signature, IHDR, one IDAT, IEND. Each row is written as it is, as difference to the left, or
 * as difference to the row above, whichever has the smallest sum of magnitudes.
 * Source: PNG specification (W3C, 2nd edition), chapters 9 (filters), 10 (deflate), 11 (chunks). */
#include "data/images/sonde-png.h"

#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <string.h>

typedef enum
{
  FILTER_NONE,
  FILTER_SUB,
  FILTER_UP,
  N_FILTERS
} Filter;

#define HEADER_BYTES 13
#define CHUNK_OVERHEAD 12 /* length, name, checksum */
#define DEFLATE_LEVEL 1

static void
filter_row (Filter filter, const guint8 *row, const guint8 *above, guint8 *to, gsize n,
            gsize channels)
{
  to[0] = (guint8) filter;
  memcpy (to + 1, row, n);
  if (filter == FILTER_SUB)
    {
      for (gsize i = channels; i < n; i++)
        to[1 + i] = (guint8) (row[i] - row[i - channels]);
    }
  if (filter == FILTER_UP)
    {
      for (gsize i = 0; i < n; i++)
        to[1 + i] = (guint8) (row[i] - above[i]);
    }
}

static guint64
cost_of_row (const guint8 *filtered, gsize n)
{
  guint64 sum = 0;

  for (gsize i = 1; i <= n; i++)
    sum += filtered[i] < 128 ? filtered[i] : 256u - filtered[i];
  return sum;
}

static guint8 *
filter_image (const SondeImage *image, gsize *length)
{
  gsize channels = (gsize) image->channels;
  gsize n = (gsize) image->width * channels;
  g_autofree guint8 *above = g_malloc0 (n);
  g_autofree guint8 *trial = g_malloc (n + 1);
  guint8 *filtered = g_malloc ((n + 1) * (gsize) image->height);

  for (gsize y = 0; y < (gsize) image->height; y++)
    {
      const guint8 *row = image->pixels + y * n;
      guint64 least = G_MAXUINT64;

      for (Filter filter = FILTER_NONE; filter < N_FILTERS; filter++)
        {
          filter_row (filter, row, y > 0 ? row - n : above, trial, n, channels);
          if (cost_of_row (trial, n) < least)
            {
              least = cost_of_row (trial, n);
              memcpy (filtered + y * (n + 1), trial, n + 1);
            }
        }
    }
  *length = (n + 1) * (gsize) image->height;
  return filtered;
}

static void
put_number (guint8 *to, guint32 number)
{
  number = GUINT32_TO_BE (number);
  memcpy (to, &number, sizeof number);
}

/* Wraps @length bytes, which lie at @chunk + 8 already. Returns where the next chunk begins. */
static guint8 *
close_chunk (guint8 *chunk, const char *name, gsize length)
{
  put_number (chunk, (guint32) length);
  memcpy (chunk + 4, name, 4);
  put_number (chunk + 8 + length, crc32_gzip_refl (0, chunk + 4, length + 4));
  return chunk + CHUNK_OVERHEAD + length;
}

static guint8 *
put_header (guint8 *at, const SondeImage *image)
{
  static const guint8 colour_types[] = { [1] = 0, [3] = 2, [4] = 6 };
  guint8 *header = at + 8;

  put_number (header, (guint32) image->width);
  put_number (header + 4, (guint32) image->height);
  header[8] = 8; /* bits */
  header[9] = colour_types[image->channels];
  header[10] = header[11] = header[12] = 0; /* deflate, the five filters, no interlace */
  return close_chunk (at, "IHDR", HEADER_BYTES);
}

/* A zlib stream; the room is for the worst case, in which deflate stores. Returns its length. */
static gsize
compress (guint8 *from, gsize length, guint8 *to, gsize room)
{
  g_autofree guint8 *level_buffer = g_malloc (ISAL_DEF_LVL1_DEFAULT);
  struct isal_zstream stream;

  isal_deflate_stateless_init (&stream);
  stream.gzip_flag = IGZIP_ZLIB;
  stream.level = DEFLATE_LEVEL;
  stream.level_buf = level_buffer;
  stream.level_buf_size = ISAL_DEF_LVL1_DEFAULT;
  stream.end_of_stream = 1;
  stream.next_in = from;
  stream.avail_in = (guint32) length;
  stream.next_out = to;
  stream.avail_out = (guint32) room;
  if (isal_deflate_stateless (&stream) != COMP_OK)
    g_assert_not_reached (); /* only says that the room is too small, which it is not */
  return stream.total_out;
}

GBytes *
sonde_png_encode (const SondeImage *image)
{
  static const guint8 signature[8] = { 0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n' };
  gsize length, room;
  g_autofree guint8 *filtered = filter_image (image, &length);
  guint8 *bytes, *at;

  /* 5 bytes a stored block of at most 65535, and head and tail of zlib; ISA-L wants a little
   * more */
  room = length + 5 * (length / 65535 + 1) + ISAL_DEF_MAX_HDR_SIZE;
  bytes = g_malloc (sizeof signature + HEADER_BYTES + room + 3 * CHUNK_OVERHEAD);
  memcpy (bytes, signature, sizeof signature);
  at = put_header (bytes + sizeof signature, image);
  at = close_chunk (at, "IDAT", compress (filtered, length, at + 8, room));
  at = close_chunk (at, "IEND", 0);
  length = (gsize) (at - bytes);
  return g_bytes_new_take (g_realloc (bytes, length), length);
}
