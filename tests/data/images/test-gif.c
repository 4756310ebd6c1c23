/* SPDX-License-Identifier: Apache-2.0
 * GIF through the helper process: exact pixels of every frame, its limits, damaged and hostile
 * files. */
#include <string.h>

#include "data/base/sonde-error.h"
#include "data/images/sonde-image-decoder.h"
#include "tests/support/sonde-test-gif.h"

static SondeImageDecoder *
new_decoder (void)
{
  return sonde_image_decoder_new ((const char *const[]){ SONDE_TEST_IMAGE_HELPER, NULL });
}

/* Indices in words: "..12" is what the frame shows, '.' nothing. */
static void
assert_frame (const SondeAnimation *animation, guint at, const char *expected)
{
  const SondeImage *image = animation->frames[at];

  g_assert_cmpint (image->channels, ==, 4);
  g_assert_cmpuint (strlen (expected), ==, (gsize) (image->width * image->height));
  for (gsize i = 0; expected[i] != '\0'; i++)
    {
      const guint8 *pixel = image->pixels + 4 * i;

      g_assert_cmpuint (pixel[3], ==, expected[i] == '.' ? 0 : 255);
      if (expected[i] != '.')
        g_assert_cmpmem (pixel, 3, sonde_test_gif_colors[expected[i] - '0'], 3);
    }
}

/* Four frames of 4 × 2: a whole one, one over a part of it that stays, one that is cleared behind itself, one
 * with a hole. */
static GBytes *
make_film (void)
{
  GByteArray *gif = sonde_test_gif_new (4, 2);

  sonde_test_gif_add_frame (gif, 0, 0, 4, 2, (const guint8[]){ 1, 1, 1, 1, 1, 1, 1, 1 }, 5, 1);
  sonde_test_gif_add_frame (gif, 1, 1, 2, 1, (const guint8[]){ 2, 0 }, 20, 1);
  sonde_test_gif_add_frame (gif, 0, 0, 2, 2, (const guint8[]){ 2, 2, 2, 2 }, 7, 2);
  sonde_test_gif_add_frame (gif, 3, 0, 1, 2, (const guint8[]){ 0, SONDE_TEST_GIF_CLEAR }, 100, 1);
  sonde_test_gif_end (gif);
  return g_byte_array_free_to_bytes (gif);
}

static void
test_frames (void)
{
  static const guint durations[] = { 50, 200, 70, 1000 };
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (GBytes) film = make_film ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAnimation) animation
      = sonde_image_decoder_decode_animation (decoder, film, "film.gif", &error);
  g_autoptr (SondeImage) first = sonde_image_decoder_decode (decoder, film, "film.gif", NULL);

  g_assert_no_error (error);
  g_assert_cmpuint (animation->n_frames, ==, 4);
  g_assert_cmpuint (animation->n_recorded, ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpuint (animation->durations[i], ==, durations[i]);
  assert_frame (animation, 0, "11111111");
  assert_frame (animation, 1, "11111201");
  assert_frame (animation, 2, "22112201");
  assert_frame (animation, 3, "..10..01");
  g_assert_cmpmem (first->pixels, 4 * 2 * 4, animation->frames[0]->pixels, 4 * 2 * 4);
}

static void
test_still (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (GBytes) still = sonde_test_gif_new_blinking (3, 3, 1, 0);
  g_autoptr (SondeAnimation) animation
      = sonde_image_decoder_decode_animation (decoder, still, "still.gif", NULL);

  g_assert_cmpuint (animation->n_frames, ==, 1);
  assert_frame (animation, 0, "111111111");
}

static void
test_limits (void)
{
  static const struct
  {
    int side;
    guint n, n_frames;
  } cases[] = {
    { 1, 2000, 2000 },
    { 1, 2001, 2000 }, /* frames */
    { 1024, 17, 16 },  /* 16 Mpx of all */
    { 4500, 2, 1 },    /* the first, however large */
  };
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GBytes) gif
          = sonde_test_gif_new_blinking (cases[i].side, cases[i].side, cases[i].n, 65535);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeAnimation) animation
          = sonde_image_decoder_decode_animation (decoder, gif, "long.gif", &error);
      const SondeImage *last;

      g_assert_no_error (error);
      g_assert_cmpuint (animation->n_frames, ==, cases[i].n_frames);
      g_assert_cmpuint (animation->n_recorded, ==, cases[i].n);
      last = animation->frames[animation->n_frames - 1];
      g_assert_cmpmem (last->pixels, 3, sonde_test_gif_colors[1 + (animation->n_frames - 1) % 2],
                       3);
    }
}

static void
assert_refused (SondeImageDecoder *decoder, GByteArray *gif, int code)
{
  g_autoptr (GBytes) bytes = g_bytes_new (gif->data, gif->len);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeImage) image = sonde_image_decoder_decode (decoder, bytes, "bad.gif", &error);

  g_assert_null (image);
  g_test_message ("%s", error->message);
  g_assert_error (error, SONDE_DATA_ERROR, code);
  g_assert_nonnull (strstr (error->message, "bad.gif"));
}

static void
test_refused (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (GByteArray) empty = sonde_test_gif_new (4, 4), flat = sonde_test_gif_new (0, 4),
                         wide = sonde_test_gif_new (20000, 2), huge = sonde_test_gif_new (4, 4),
                         odd = sonde_test_gif_new (4, 4);
  g_autofree guint8 *pixels = g_malloc0 (20000 * 4);

  assert_refused (decoder, empty, SONDE_DATA_ERROR_DAMAGED); /* no frame */
  sonde_test_gif_add_frame (flat, 0, 0, 4, 4, pixels, 1, 1);
  assert_refused (decoder, flat, SONDE_DATA_ERROR_DAMAGED);
  sonde_test_gif_add_frame (wide, 0, 0, 20000, 2, pixels, 1, 1);
  assert_refused (decoder, wide, SONDE_DATA_ERROR_LIMIT);
  sonde_test_gif_add_frame (huge, 0, 0, 4, 4, pixels, 1, 1);
  memset (huge->data + 13 + 12 + 8 + 5, 0xff, 4); /* a frame of 65,535 × 65,535 on a small screen */
  assert_refused (decoder, huge, SONDE_DATA_ERROR_LIMIT);
  g_byte_array_append (odd, (const guint8 *) "\x99", 1);
  assert_refused (decoder, odd, SONDE_DATA_ERROR_DAMAGED);
}

/* Cut anywhere and with a byte flipped anywhere: an error, or frames of the right size; the helper lives on
 * or is replaced. */
static void
test_mutations (void)
{
  g_autoptr (SondeImageDecoder) decoder = new_decoder ();
  g_autoptr (GBytes) film = make_film ();
  gsize length = g_bytes_get_size (film);
  g_autofree guint8 *data = g_memdup2 (g_bytes_get_data (film, NULL), length);
  g_autoptr (SondeAnimation) good = NULL;

  for (gsize cut = 6; cut < length; cut++)
    {
      g_autoptr (GBytes) part = g_bytes_new_static (data, cut);
      g_autoptr (GError) error = NULL;
      g_autoptr (SondeAnimation) animation
          = sonde_image_decoder_decode_animation (decoder, part, "cut", &error);

      g_assert_true ((animation == NULL) == (error != NULL));
      if (animation != NULL)
        assert_frame (animation, 0, "11111111");
    }
  for (gsize at = 6; at < length; at++)
    for (guint bit = 0; bit < 8; bit++)
      {
        g_autoptr (GBytes) flipped = NULL;
        g_autoptr (GError) error = NULL;
        g_autoptr (SondeAnimation) animation = NULL;

        data[at] ^= (guint8) (1 << bit);
        flipped = g_bytes_new_static (data, length);
        animation = sonde_image_decoder_decode_animation (decoder, flipped, "flipped", &error);
        data[at] ^= (guint8) (1 << bit);
        g_assert_true ((animation == NULL) == (error != NULL));
      }
  good = sonde_image_decoder_decode_animation (decoder, film, "good", NULL);
  g_assert_cmpuint (good->n_frames, ==, 4);
}

/* A helper that claims what it did not send. */
static void
test_lies (void)
{
  static const char *const facts[] = {
    "\\1\\0\\0\\0\\1\\0\\0\\0\\377\\377\\377\\177\\377\\377\\377\\177", /* 2 billion frames */
    "\\0\\100\\0\\0\\0\\100\\0\\0\\2\\0\\0\\0\\2\\0\\0\\0",             /* of 16,384 a side */
    "\\1\\0\\0\\0\\1\\0\\0\\0\\2\\0\\0\\0\\1\\0\\0\\0",                 /* more than there are */
  };
  g_autoptr (GBytes) film = make_film ();

  for (gsize i = 0; i < G_N_ELEMENTS (facts); i++)
    {
      g_autofree char *script
          = g_strdup_printf ("head -c 20 > /dev/null; printf '1HIS\\0\\0\\0\\0%s"
                             "\\20\\0\\0\\0\\0\\0\\0\\0'; cat > /dev/null",
                             facts[i]);
      g_autoptr (SondeImageDecoder) decoder
          = sonde_image_decoder_new ((const char *const[]){ "/bin/sh", "-c", script, NULL });
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_image_decoder_decode_animation (decoder, film, "film.gif", &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_DAMAGED);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/images/gif/frames", test_frames);
  g_test_add_func ("/data/images/gif/still", test_still);
  g_test_add_func ("/data/images/gif/limits", test_limits);
  g_test_add_func ("/data/images/gif/refused", test_refused);
  g_test_add_func ("/data/images/gif/mutations", test_mutations);
  g_test_add_func ("/data/images/gif/lies", test_lies);
  return g_test_run ();
}
