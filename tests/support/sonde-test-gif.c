/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/sonde-test-gif.h"

#include <string.h>

#define CODE_BITS 3 /* of two bits of colour; so long until eight codes are in use */
#define CLEAR 4     /* forgets the codes, before they grow */

const guint8 sonde_test_gif_colors[4][3]
    = { { 0, 0, 0 }, { 200, 40, 10 }, { 20, 90, 220 }, { 255, 255, 255 } };

static void
put (GByteArray *gif, const void *bytes, gsize n)
{
  g_byte_array_append (gif, bytes, (guint) n);
}

static void
put_size (GByteArray *gif, int size)
{
  put (gif, (const guint8[]){ (guint8) size, (guint8) (size >> 8) }, 2);
}

GByteArray *
sonde_test_gif_new (int width, int height)
{
  GByteArray *gif = g_byte_array_new ();

  put (gif, "GIF89a", 6);
  put_size (gif, width);
  put_size (gif, height);
  put (gif, (const guint8[]){ 0x80 | 1, 0, 0 }, 3); /* four colours of the whole file */
  put (gif, sonde_test_gif_colors, sizeof sonde_test_gif_colors);
  return gif;
}

typedef struct
{
  GByteArray *bytes;
  guint held, n_bits;
} Codes;

static void
put_code (Codes *codes, guint code)
{
  codes->held |= code << codes->n_bits;
  for (codes->n_bits += CODE_BITS; codes->n_bits >= 8; codes->n_bits -= 8, codes->held >>= 8)
    put (codes->bytes, (const guint8[]){ (guint8) codes->held }, 1);
}

static void
put_pixels (GByteArray *gif, const guint8 *indices, gsize n)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  Codes codes = { bytes, 0, 0 };

  for (gsize i = 0; i < n; i++)
    {
      if (i % 2 == 0)
        put_code (&codes, CLEAR);
      put_code (&codes, indices[i]);
    }
  put_code (&codes, CLEAR + 1);
  put_code (&codes, 0);
  put_code (&codes, 0);
  put (gif, (const guint8[]){ 2 }, 1);
  for (guint at = 0; at < bytes->len; at += 255)
    {
      guint8 length = (guint8) MIN (255u, bytes->len - at);

      put (gif, &length, 1);
      put (gif, bytes->data + at, length);
    }
  put (gif, "", 1);
}

void
sonde_test_gif_add_frame (GByteArray *gif, int x, int y, int width, int height,
                          const guint8 *indices, int centiseconds, int disposal)
{
  put (gif, (const guint8[]){ 0x21, 0xf9, 4, (guint8) (disposal << 2 | 1) }, 4);
  put_size (gif, centiseconds);
  put (gif, (const guint8[]){ SONDE_TEST_GIF_CLEAR, 0, 0x2c }, 3);
  put_size (gif, x);
  put_size (gif, y);
  put_size (gif, width);
  put_size (gif, height);
  put (gif, "", 1);
  put_pixels (gif, indices, (gsize) (width * height));
}

void
sonde_test_gif_end (GByteArray *gif)
{
  put (gif, ";", 1);
}

GBytes *
sonde_test_gif_new_blinking (int width, int height, guint n, int centiseconds)
{
  GByteArray *gif = sonde_test_gif_new (width, height);
  g_autofree guint8 *indices = g_malloc ((gsize) (width * height));

  for (guint i = 0; i < n; i++)
    {
      memset (indices, 1 + (int) (i % 2), (gsize) (width * height));
      sonde_test_gif_add_frame (gif, 0, 0, width, height, indices, centiseconds, 1);
    }
  sonde_test_gif_end (gif);
  return g_byte_array_free_to_bytes (gif);
}
