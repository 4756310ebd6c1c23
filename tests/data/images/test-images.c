/* SPDX-License-Identifier: Apache-2.0
 * Images through the helper process: exact pixels, damaged and hostile files, helpers that die,
 * lie or are not there. PNG written here is read back by the decoder. */
#include "data/base/sonde-error.h"
#include "data/images/sonde-image-decoder.h"
#include "data/images/sonde-png.h"

#include <gdk-pixbuf/gdk-pixbuf.h>
#include <gio/gio.h>
#include <glib/gstdio.h>
#include <isa-l/crc.h>
#include <stdlib.h>
#include <string.h>

static SondeImageDecoder *
new_decoder (void)
{
  return sonde_image_decoder_new ((const char *const[]){ SONDE_TEST_IMAGE_HELPER, NULL });
}

static SondeImageDecoder *
new_script (const char *script)
{
  return sonde_image_decoder_new ((const char *const[]){ "/bin/sh", "-c", script, NULL });
}

/* Smooth, with noise in a corner, so that every filter is chosen somewhere. */
static SondeImage *
some_image (int width, int height, int channels)
{
  SondeImage *image = sonde_image_new (width, height, channels);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  guint8 *pixel = image->pixels;

  for (int y = 0; y < height; y++)
    for (int x = 0; x < width; x++)
      for (int c = 0; c < channels; c++)
        *pixel++ = (guint8) (x < 16 && y < 16 ? g_rand_int_range (random, 0, 256)
                                              : x * 3 + y * 5 + c * 40);
  return image;
}

static void
test_png_round_trip (void)
{
  static const int sizes[][2] = { { 1, 1 }, { 1, 300 }, { 300, 1 }, { 31, 17 }, { 400, 300 } };
  static const int channels[] = { 1, 3, 4 };
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();

  for (gsize s = 0; s < G_N_ELEMENTS (sizes); s++)
    for (gsize k = 0; k < G_N_ELEMENTS (channels); k++)
      {
        g_autoptr (GError) error = NULL;
        g_autoptr (SondeImage) image = some_image (sizes[s][0], sizes[s][1], channels[k]);
        g_autoptr (GBytes) bytes = sonde_png_encode (image);
        g_autoptr (SondeImage) back = sonde_image_decoder_decode (decoder, bytes, "x.png", &error);
        gsize n = (gsize) image->width * (gsize) image->height;
        int step = channels[k];

        g_assert_no_error (error);
        g_assert_true (back->width == image->width && back->height == image->height);
        g_assert_cmpint (back->channels, ==, step == 1 ? 3 : step); /* grey comes back as RGB */
        for (gsize i = 0; i < n * (gsize) back->channels; i++)
          g_assert_cmpuint (back->pixels[i], ==, image->pixels[step == 1 ? i / 3 : i]);
      }
}

static void
test_png_small (void)
{
  g_autoptr (SondeImage) image = sonde_image_new (1000, 1000, 3);
  g_autoptr (GBytes) bytes = sonde_png_encode (image);
  g_autoptr (GBytes) again = sonde_png_encode (image);

  g_assert_cmpuint (g_bytes_get_size (bytes), <, 40000); /* of 3 million */
  g_assert_true (g_bytes_equal (bytes, again));
}

static GBytes *
some_jpeg (int width, int height)
{
  g_autoptr (GdkPixbuf) pixbuf = gdk_pixbuf_new (GDK_COLORSPACE_RGB, FALSE, 8, width, height);
  char *buffer;
  gsize length;

  gdk_pixbuf_fill (pixbuf, 0x3060c0ff);
  g_assert_true (gdk_pixbuf_save_to_buffer (pixbuf, &buffer, &length, "jpeg", NULL, NULL));
  return g_bytes_new_take (buffer, length);
}

static void
test_jpeg (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (GBytes) bytes = some_jpeg (50, 40);
  g_autoptr (SondeImage) image = sonde_image_decoder_decode (decoder, bytes, "x.jpg", &error);

  g_assert_no_error (error);
  g_assert_true (image->width == 50 && image->height == 40 && image->channels == 3);
  g_assert_cmpint (ABS (image->pixels[0] - 0x30), <=, 2);
  g_assert_cmpint (ABS (image->pixels[2] - 0xc0), <=, 2);
}

static void
assert_refused (SondeImageDecoder *decoder, const void *data, gsize length, int code)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, length);

  g_assert_null (sonde_image_decoder_decode (decoder, bytes, "bad.png", &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_nonnull (strstr (error->message, "bad.png"));
}

/* What the helper says is an id and its arguments, for any language. */
static void
assert_said (SondeImageDecoder *decoder, const guint8 *png, gsize length, const char *expected_id,
             const char *first_argument)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_bytes_new_static (png, length);
  const SondeMessage *message;
  const char *const *arguments;

  g_assert_null (sonde_image_decoder_decode (decoder, bytes, "bad.png", &error));
  message = sonde_error_get_message (error);
  g_assert_cmpuint (sonde_message_get_n_parts (message), ==, 2);
  g_assert_cmpstr (sonde_message_get_part (message, 0, &arguments), ==, "“%s”: ");
  g_assert_cmpstr (sonde_message_get_part (message, 1, &arguments), ==, expected_id);
  g_assert_cmpstr (arguments[0], ==, first_argument);
}

static void
put_size (guint8 *png, guint32 width, guint32 height)
{
  guint32 numbers[2] = { GUINT32_TO_BE (width), GUINT32_TO_BE (height) };
  guint32 checksum;

  memcpy (png + 16, numbers, 8);
  checksum = GUINT32_TO_BE (crc32_gzip_refl (0, png + 12, 17));
  memcpy (png + 29, &checksum, 4);
}

static void
test_limits (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (SondeImage) small = some_image (40, 30, 3);
  g_autoptr (GBytes) good = sonde_png_encode (small);
  gsize length = g_bytes_get_size (good);
  g_autofree guint8 *png = g_memdup2 (g_bytes_get_data (good, NULL), length);
  g_autoptr (SondeImage) image = NULL;

  put_size (png, 60000, 10);
  assert_refused (decoder, png, length, SONDE_DATA_ERROR_LIMIT);
  assert_said (decoder, png, length, "%d×%d pixels; at most %d a side and %d million are decoded",
               "60000");
  put_size (png, 10, 16385);
  assert_refused (decoder, png, length, SONDE_DATA_ERROR_LIMIT);
  put_size (png, 16384, 16384);
  assert_refused (decoder, png, length, SONDE_DATA_ERROR_LIMIT);
  put_size (png, 8000, 8000); /* allowed, but the pixels are not there */
  assert_refused (decoder, png, length, SONDE_DATA_ERROR_DAMAGED);
  put_size (png, 0, 10);
  assert_refused (decoder, png, length, SONDE_DATA_ERROR_DAMAGED);

  image = sonde_image_decoder_decode (decoder, good, "good.png", NULL);
  g_assert_nonnull (image);
}

static void
test_unsupported (void)
{
  g_autoptr (SondeImageDecoder) decoder
      = sonde_image_decoder_new ((const char *const[]){ "/none", NULL });

  /* refused before a helper is started */
  assert_refused (decoder, "", 0, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "GIF88a..........", 16, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "<svg xmlns=''/>", 15, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "\xff\xd8", 2, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "BM\x3a\0\0\0\0\0\0\0\x36\0\0\0\x28\0", 16,
                  SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "II*\0\x08\0\0\0\0\0\0\0\0\0\0\0", 16, SONDE_DATA_ERROR_UNSUPPORTED);
  assert_refused (decoder, "RIFF\x10\0\0\0WEBPVP8 ", 16, SONDE_DATA_ERROR_UNSUPPORTED);
}

/* ---- made by hand: row IM2 of the table of bad inputs -------------------- */

static void
put_chunk (GByteArray *png, const char *type, const void *data, gsize length)
{
  guint32 number = GUINT32_TO_BE ((guint32) length);
  guint start = png->len;

  g_byte_array_append (png, (const guint8 *) &number, 4);
  g_byte_array_append (png, (const guint8 *) type, 4);
  g_byte_array_append (png, data, (guint) length);
  number = GUINT32_TO_BE (crc32_gzip_refl (0, png->data + start + 4, length + 4));
  g_byte_array_append (png, (const guint8 *) &number, 4);
}

/* @n equal bytes behind @head, as zlib has them. */
static GByteArray *
deflate (const char *head, gsize length, guint8 byte, gsize n)
{
  g_autoptr (GZlibCompressor) zlib = g_zlib_compressor_new (G_ZLIB_COMPRESSOR_FORMAT_ZLIB, 9);
  g_autoptr (GOutputStream) memory = g_memory_output_stream_new_resizable ();
  g_autoptr (GOutputStream) stream = g_converter_output_stream_new (memory, G_CONVERTER (zlib));
  GByteArray *out = g_byte_array_new ();
  g_autofree guint8 *bytes = g_malloc (n);

  memset (bytes, byte, n);
  g_assert_true (g_output_stream_write_all (stream, bytes, n, NULL, NULL, NULL));
  g_assert_true (g_output_stream_close (stream, NULL, NULL));
  g_byte_array_append (out, (const guint8 *) head, (guint) length);
  return g_byte_array_append (
      out, g_memory_output_stream_get_data (G_MEMORY_OUTPUT_STREAM (memory)),
      (guint) g_memory_output_stream_get_data_size (G_MEMORY_OUTPUT_STREAM (memory)));
}

/* 8 × 8 with @depth bits; a palette of two colours when @color is 3. Rows are filled with @byte. */
static GByteArray *
make_png (guint8 depth, guint8 color, guint8 byte, gsize row_bytes, gsize idat_bytes)
{
  guint8 head[13] = { 0, 0, 0, 8, 0, 0, 0, 8, depth, color, 0, 0, 0 };
  GByteArray *png = g_byte_array_new ();
  g_autoptr (GByteArray) data = deflate ("", 0, byte, 8 * (row_bytes + 1));

  g_byte_array_append (png, (const guint8 *) "\x89PNG\r\n\x1a\n", 8);
  put_chunk (png, "IHDR", head, sizeof head);
  if (color == 3)
    put_chunk (png, "PLTE", "\1\2\3\4\5\6", 6);
  for (gsize at = 0; idat_bytes > 0 && at < data->len; at += idat_bytes)
    put_chunk (png, "IDAT", data->data + at, MIN (idat_bytes, data->len - at));
  return png;
}

static void
test_png_rows (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (GByteArray) text = deflate ("Comment\0\0", 9, 'a', 100 << 20);
  g_autoptr (GByteArray) profile = deflate ("name\0\0", 6, 0, 100 << 20);
  static const struct
  {
    const char *name;
    guint8 depth, color, byte;
    gsize row_bytes, idat_bytes;
    int code; /* -1: an image; -2: an image or an error */
  } rows[] = {
    { "plain", 8, 2, 0, 24, 1000, -1 },
    { "no IDAT", 8, 2, 0, 24, 0, SONDE_DATA_ERROR_DAMAGED },
    { "IDAT of a byte", 8, 2, 0, 24, 1, -1 },
    { "many empty IDAT", 8, 2, 0, 24, 1000, -1 },
    { "16 bits", 16, 6, 0, 64, 1000, -1 },
    { "palette index", 8, 3, 1, 8, 1000, -2 },
    { "depth 3", 3, 2, 0, 24, 1000, SONDE_DATA_ERROR_DAMAGED },
    { "zTXt bomb", 8, 2, 0, 24, 1000, -2 },
    { "iCCP bomb", 8, 2, 0, 24, 1000, -2 },
    { "filter 9", 8, 2, 9, 24, 1000, SONDE_DATA_ERROR_DAMAGED },
    { "IDAT checksum", 8, 2, 0, 24, 1000, SONDE_DATA_ERROR_DAMAGED },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GByteArray) png = make_png (rows[i].depth, rows[i].color, rows[i].byte,
                                             rows[i].row_bytes, rows[i].idat_bytes);
      g_autoptr (GByteArray) whole = g_byte_array_new ();
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeImage) image = NULL;
      g_autoptr (GBytes) bytes = NULL;

      /* between IHDR and what follows */
      g_byte_array_append (whole, png->data, 33);
      if (g_str_equal (rows[i].name, "zTXt bomb"))
        put_chunk (whole, "zTXt", text->data, text->len);
      if (g_str_equal (rows[i].name, "iCCP bomb"))
        put_chunk (whole, "iCCP", profile->data, profile->len);
      g_byte_array_append (whole, png->data + 33, png->len - 33);
      for (guint k = 0; g_str_equal (rows[i].name, "many empty IDAT") && k < 100000; k++)
        put_chunk (whole, "IDAT", "", 0);
      if (g_str_equal (rows[i].name, "IDAT checksum"))
        whole->data[whole->len - 1] ^= 1;
      put_chunk (whole, "IEND", "", 0);
      bytes = g_bytes_new (whole->data, whole->len);
      image = sonde_image_decoder_decode (decoder, bytes, rows[i].name, &error);
      g_test_message ("%s: %s", rows[i].name, error != NULL ? error->message : "an image");
      g_assert_true ((image == NULL) == (error != NULL));
      if (rows[i].code == -1)
        g_assert_no_error (error);
      if (rows[i].code >= 0)
        g_assert_error (error, SONDE_DATA_ERROR, rows[i].code);
      if (image != NULL)
        g_assert_true (image->width == 8 && image->height == 8);
    }
}

/* ---- made by hand: row IM3 ----------------------------------------------- */

static void
put_segment (GByteArray *jpeg, guint8 marker, const guint8 *data, gsize length)
{
  const guint8 head[] = { 0xff, marker, (guint8) ((length + 2) >> 8), (guint8) (length + 2) };

  g_byte_array_append (jpeg, head, sizeof head);
  g_byte_array_append (jpeg, data, (guint) length);
}

/* A progressive grey image of 1,024 × 1,024: one scan of the means, @n scans that all say
 * "nothing here". */
static GByteArray *
make_progressive (guint n)
{
  static const guint8 frame[] = { 8, 4, 0, 4, 0, 1, 1, 0x11, 0 }, means[] = { 1, 1, 0, 0, 0, 0 },
                      rest[] = { 1, 1, 0, 1, 63, 0 };
  /* one code of one bit each: no difference; the block ends */
  static const guint8 huffman[2][18] = { { 0, 1 }, { 0x10, 1 } };
  guint8 table[65], zeros[128 * 128 / 8 + 1] = { 0 };
  GByteArray *jpeg = g_byte_array_new ();

  memset (table, 1, sizeof table);
  table[0] = 0;
  g_byte_array_append (jpeg, (const guint8 *) "\xff\xd8", 2);
  put_segment (jpeg, 0xdb, table, sizeof table);
  put_segment (jpeg, 0xc2, frame, sizeof frame);
  put_segment (jpeg, 0xc4, huffman[0], sizeof huffman[0]);
  put_segment (jpeg, 0xc4, huffman[1], sizeof huffman[1]);
  put_segment (jpeg, 0xda, means, sizeof means);
  g_byte_array_append (jpeg, zeros, sizeof zeros);
  for (guint i = 0; i < n; i++)
    {
      put_segment (jpeg, 0xda, rest, sizeof rest);
      g_byte_array_append (jpeg, zeros, sizeof zeros);
    }
  g_byte_array_append (jpeg, (const guint8 *) "\xff\xd9", 2);
  return jpeg;
}

/* Where @marker's segment has its contents. */
static guint8 *
find_segment (GByteArray *jpeg, guint8 marker)
{
  for (guint at = 2; at + 4 < jpeg->len;
       at += 2u + ((guint) jpeg->data[at + 2] << 8 | jpeg->data[at + 3]))
    if (jpeg->data[at + 1] == marker)
      return jpeg->data + at + 4;
  g_assert_not_reached ();
}

static void
insert_segment (GByteArray *jpeg, guint8 marker, const guint8 *data, gsize length)
{
  g_autoptr (GByteArray) rest = g_byte_array_new ();

  g_byte_array_append (rest, jpeg->data + 2, jpeg->len - 2);
  g_byte_array_set_size (jpeg, 2);
  put_segment (jpeg, marker, data, length);
  g_byte_array_append (jpeg, rest->data, rest->len);
}

static void
damage_jpeg (GByteArray *jpeg, int row)
{
  /* a directory of one entry, "more of it is here", whose next directory is itself */
  static const guint8 loop[] = "Exif\0\0II*\0\10\0\0\0\1\0\x69\x87\4\0\1\0\0\0\10\0\0\0\10\0\0";
  static const guint8 restart[] = { 0xff, 0xff };

  if (row == 0)
    g_byte_array_set_size (jpeg, jpeg->len / 2);
  else if (row == 1)
    find_segment (jpeg, 0xc0)[5] = 0; /* components */
  else if (row == 2)
    find_segment (jpeg, 0xc0)[5] = 4; /* of which there are three */
  else if (row == 3)
    find_segment (jpeg, 0xc0)[0] = 12; /* bits */
  else if (row == 4)
    insert_segment (jpeg, 0xdd, restart, sizeof restart);
  else if (row == 5)
    insert_segment (jpeg, 0xe1, loop, sizeof loop);
  else if (row == 6)
    find_segment (jpeg, 0xc0)[6 + 1] = 0; /* sampling of the first component */
  else
    find_segment (jpeg, 0xc4)[1] = 255; /* codes of one bit */
}

static void
test_jpeg_rows (void)
{
  static const struct
  {
    const char *name;
    int code; /* -1: an image */
  } rows[] = {
    { "cut", SONDE_DATA_ERROR_DAMAGED },
    { "no components", SONDE_DATA_ERROR_DAMAGED },
    { "four of three components", SONDE_DATA_ERROR_DAMAGED },
    { "12 bits", SONDE_DATA_ERROR_DAMAGED },
    { "restart every 65,535", -1 },
    { "EXIF loop", -1 },
    { "sampling 0", SONDE_DATA_ERROR_DAMAGED },
    { "255 codes of a bit", SONDE_DATA_ERROR_DAMAGED },
  };
  static const struct
  {
    guint n;
    int code;
  } scans[] = {
    { 1, -1 }, { 99, -1 }, { 100, SONDE_DATA_ERROR_LIMIT }, { 10000, SONDE_DATA_ERROR_LIMIT }
  };
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();

  for (gsize i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GBytes) good = some_jpeg (60, 40);
      g_autoptr (GByteArray) jpeg = g_byte_array_new ();
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeImage) image = NULL;

      g_byte_array_append (jpeg, g_bytes_get_data (good, NULL), (guint) g_bytes_get_size (good));
      damage_jpeg (jpeg, (int) i);
      bytes = g_bytes_new (jpeg->data, jpeg->len);
      image = sonde_image_decoder_decode (decoder, bytes, rows[i].name, &error);
      g_test_message ("%s: %s", rows[i].name, error != NULL ? error->message : "an image");
      if (rows[i].code == -1)
        g_assert_true (image != NULL && image->width == 60 && image->height == 40);
      else
        g_assert_error (error, SONDE_DATA_ERROR, rows[i].code);
    }
  for (gsize i = 0; i < G_N_ELEMENTS (scans); i++)
    {
      g_autoptr (GByteArray) jpeg = make_progressive (scans[i].n);
      g_autoptr (GBytes) bytes = g_bytes_new (jpeg->data, jpeg->len);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeImage) image
          = sonde_image_decoder_decode (decoder, bytes, "progressive", &error);

      g_test_message ("%u scans: %s", scans[i].n + 1, error != NULL ? error->message : "an image");
      if (scans[i].code == -1)
        g_assert_true (image != NULL && image->width == 1024);
      else
        g_assert_error (error, SONDE_DATA_ERROR, scans[i].code);
    }
}

/* Cut and flipped files: an error or an image of the right size; the helper lives on or is
 * replaced. */
static void
test_mutations (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (SondeImage) image = some_image (40, 30, 3);
  g_autoptr (GBytes) png = sonde_png_encode (image), jpeg = some_jpeg (40, 30);
  GBytes *files[] = { png, jpeg };

  for (gsize f = 0; f < 2; f++)
    {
      gsize length = g_bytes_get_size (files[f]);
      g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (files[f], NULL), length);
      g_autoptr (SondeImage) good = NULL;

      for (gsize cut = 0; cut < length; cut += 29)
        {
          g_autoptr (GBytes) part = g_bytes_new_static (data, cut);
          g_autoptr (GError) error = NULL;
          g_autoptr (SondeImage) back = sonde_image_decoder_decode (decoder, part, "cut", &error);

          g_assert_true ((back == NULL) == (error != NULL));
          if (f == 0 && back != NULL) /* only the tail behind the last row may be missing */
            {
              g_assert_cmpuint (cut + 40, >, length);
              g_assert_cmpmem (back->pixels, 40 * 30 * 3, image->pixels, 40 * 30 * 3);
            }
        }
      for (gsize at = 0; at < length; at += 7)
        {
          g_autoptr (GBytes) part = g_bytes_new_static (data, length);
          g_autoptr (GError) error = NULL;
          g_autoptr (SondeImage) back = NULL;

          data[at] ^= 0x55;
          back = sonde_image_decoder_decode (decoder, part, "flipped", &error);
          data[at] ^= 0x55;
          g_assert_true ((back == NULL) == (error != NULL));
        }
      good = sonde_image_decoder_decode (decoder, files[f], "good", NULL);
      g_assert_nonnull (good);
    }
}

static void
test_bad_helpers (void)
{
  static const struct
  {
    const char *script;
    int code;
  } cases[] = {
    /* or IO: the race is the test's, see below */
    { "exec /none/such 2> /dev/null", SONDE_DATA_ERROR_DAMAGED },
    { "head -c 20 > /dev/null; exit 1", SONDE_DATA_ERROR_DAMAGED },
    { "head -c 20 > /dev/null; kill -9 $$", SONDE_DATA_ERROR_DAMAGED },
    { "exec cat", SONDE_DATA_ERROR_DAMAGED },
    { "head -c 20 > /dev/null; head -c 1000 /dev/zero", SONDE_DATA_ERROR_DAMAGED },
    /* an image of 1 GiB that is not there */
    { "head -c 20 > /dev/null; printf "
      "'1HIS\\0\\0\\0\\0\\0\\100\\0\\0\\0\\100\\0\\0\\4\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\100\\0\\0\\0"
      "\\0'",
      SONDE_DATA_ERROR_DAMAGED },
    { "head -c 20 > /dev/null; printf "
      "'1HIS\\377\\377\\377\\377\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\\1\\0\\0\\0\\0\\0"
      "\\0\\0x'",
      SONDE_DATA_ERROR_DAMAGED },
  };
  g_autoptr (SondeImage) image = some_image (20, 20, 3);
  g_autoptr (GBytes) bytes = sonde_png_encode (image);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeImageDecoder) decoder = new_script (cases[i].script);

      for (int k = 0; k < 2; k++)
        {
          g_autoptr (GError) error = NULL;

          g_assert_null (sonde_image_decoder_decode (decoder, bytes, "x.png", &error));
          g_assert_true (error->domain == SONDE_DATA_ERROR);
          if (i > 0) /* a shell that ends at once may be gone before the request is written */
            g_assert_error (error, SONDE_DATA_ERROR, cases[i].code);
        }
    }
}

static void
test_no_helper (void)
{
  g_autoptr (SondeImageDecoder) decoder
      = sonde_image_decoder_new ((const char *const[]){ "/none/such", NULL });
  g_autoptr (SondeImage) image = some_image (20, 20, 3);
  g_autoptr (GBytes) bytes = sonde_png_encode (image);
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_image_decoder_decode (decoder, bytes, "x.png", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_IO);
  g_assert_nonnull (strstr (error->message, "/none/such"));
}

/* The first helper dies with the first image; the second image is decoded by the second
 * helper. */
static void
test_recovers (void)
{
  g_autofree char *folder = g_dir_make_tmp ("sonde-images-XXXXXX", NULL);
  g_autofree char *flag = g_build_filename (folder, "flag", NULL);
  g_autofree char *script = g_strdup_printf ("if [ -e '%s' ]; then exec '%s'; fi; : > '%s'; "
                                             "head -c 20 > /dev/null; kill -9 $$",
                                             flag, SONDE_TEST_IMAGE_HELPER, flag);
  g_autoptr (SondeImageDecoder) decoder = new_script (script);
  g_autoptr (SondeImage) image = some_image (20, 20, 3), back = NULL;
  g_autoptr (GBytes) bytes = sonde_png_encode (image);
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_image_decoder_decode (decoder, bytes, "evil.png", &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
  g_assert_nonnull (strstr (error->message, "evil.png"));
  g_clear_error (&error);
  back = sonde_image_decoder_decode (decoder, bytes, "good.png", &error);
  g_assert_no_error (error);
  g_unlink (flag);
  g_rmdir (folder);
}

/* The helper as it runs can open nothing and leaves no core, and its stdout is not the socket. */
static void
test_confined (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (SondeImage) image = some_image (20, 20, 3), back = NULL;
  g_autoptr (GBytes) bytes = sonde_png_encode (image);
  g_autofree char *children = NULL, *limits = NULL, *output = NULL;
  g_autoptr (GRegex) files = g_regex_new ("Max open files +0 +0 ", 0, 0, NULL);
  g_autoptr (GRegex) core = g_regex_new ("Max core file size +0 +0 ", 0, 0, NULL);

  back = sonde_image_decoder_decode (decoder, bytes, "x.png", NULL);
  g_assert_nonnull (back);
  if (!g_file_get_contents ("/proc/thread-self/children", &children, NULL, NULL))
    {
      g_test_skip ("/proc does not list children here");
      return;
    }
  g_autofree char *limits_path = g_strdup_printf ("/proc/%d/limits", atoi (children));
  g_autofree char *output_path = g_strdup_printf ("/proc/%d/fd/1", atoi (children));

  g_assert_true (g_file_get_contents (limits_path, &limits, NULL, NULL));
  g_assert_true (g_regex_match (files, limits, 0, NULL));
  g_assert_true (g_regex_match (core, limits, 0, NULL));
  g_assert_null (strstr (limits, "Max address space         unlimited"));
  output = g_file_read_link (output_path, NULL);
  g_assert_cmpstr (output, ==, "/dev/null");
}

static void
test_big (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (SondeImage) image = some_image (5000, 3000, 4), back = NULL;
  g_autoptr (GBytes) bytes = sonde_png_encode (image);
  g_autoptr (GError) error = NULL;

  back = sonde_image_decoder_decode (decoder, bytes, "big.png", &error);
  g_assert_no_error (error);
  g_assert_cmpmem (back->pixels, 5000 * 3000 * 4, image->pixels, 5000 * 3000 * 4);
}

static void *
decode_some (void *data)
{
  g_autoptr (SondeImage) image = some_image (64, 48, 3);
  g_autoptr (GBytes) bytes = sonde_png_encode (image);

  for (int i = 0; i < 50; i++)
    {
      g_autoptr (SondeImage) back = sonde_image_decoder_decode (data, bytes, "x.png", NULL);

      g_assert_cmpmem (back->pixels, 64 * 48 * 3, image->pixels, 64 * 48 * 3);
    }
  return NULL;
}

static void
test_threads (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  GThread *threads[4];

  for (int i = 0; i < 4; i++)
    threads[i] = g_thread_new ("decode", decode_some, decoder);
  for (int i = 0; i < 4; i++)
    g_thread_join (threads[i]);
}

/* Pixels of the shared CIFAR images, by the checksums in predictions.tsv. */
static void
test_shared_cifar (void)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *table
      = g_build_filename (shared != NULL ? shared : "", "models/explain/predictions.tsv", NULL);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();

  if (!g_file_get_contents (table, &text, NULL, NULL))
    {
      g_test_skip ("SONDE_SHARED is not there");
      return;
    }
  lines = g_strsplit (g_strchomp (text), "\n", -1);
  for (int i = 1; lines[i] != NULL; i += 5) /* 400 of 2,000 */
    {
      g_auto (GStrv) cells = g_strsplit (lines[i], "\t", -1);
      g_autofree char *path = g_build_filename (shared, "datasets/cifar10", cells[0], NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = sonde_io_read_file (NULL, path, G_MAXUINT64, &error);
      g_autoptr (SondeImage) image = NULL;

      g_assert_no_error (error);
      image = sonde_image_decoder_decode (decoder, bytes, path, &error);
      g_assert_no_error (error);
      g_assert_cmphex (crc32_gzip_refl (0, image->pixels, 32 * 32 * 3), ==,
                       g_ascii_strtoull (cells[g_strv_length (cells) - 1], NULL, 16));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/images/png/round-trip", test_png_round_trip);
  g_test_add_func ("/data/images/png/small", test_png_small);
  g_test_add_func ("/data/images/decoder/jpeg", test_jpeg);
  g_test_add_func ("/data/images/decoder/limits", test_limits);
  g_test_add_func ("/data/images/decoder/unsupported", test_unsupported);
  g_test_add_func ("/data/images/IM2-png-rows", test_png_rows);
  g_test_add_func ("/data/images/IM3-jpeg-rows", test_jpeg_rows);
  g_test_add_func ("/data/images/decoder/mutations", test_mutations);
  g_test_add_func ("/data/images/decoder/bad-helpers", test_bad_helpers);
  g_test_add_func ("/data/images/decoder/no-helper", test_no_helper);
  g_test_add_func ("/data/images/decoder/recovers", test_recovers);
  g_test_add_func ("/data/images/decoder/confined", test_confined);
  g_test_add_func ("/data/images/decoder/big", test_big);
  g_test_add_func ("/data/images/decoder/threads", test_threads);
  g_test_add_func ("/data/images/decoder/shared-cifar", test_shared_cifar);
  return g_test_run ();
}
