/* SPDX-License-Identifier: Apache-2.0
 * Two images compared: values worked out by hand, forms that differ, equal ones. */
#include <math.h>
#include <string.h>

#include "data/values/sonde-image-difference.h"

static SondeImage *
make_image (int width, int height, int channels, const char *levels)
{
  SondeImage *image = sonde_image_new (width, height, channels);

  memcpy (image->pixels, levels, (gsize) width * (gsize) height * (gsize) channels);
  return image;
}

static void
test_numbers (void)
{
  g_autoptr (SondeImage) a = make_image (2, 1, 3, "\x0a\x14\x1e\xff\x00\x07"),
                         b = make_image (2, 1, 3, "\x0a\x12\x22\xff\x00\x07");
  g_autoptr (SondeTensor) plain = NULL, magnitude = NULL;
  SondeImageDifference difference;

  /* 0, +2, -4 in the first pixel, nothing in the second */
  g_assert_true (sonde_image_compare (a, b, &difference));
  g_assert_cmpfloat (difference.mean_absolute, ==, 1);
  g_assert_cmpint (difference.largest, ==, 4);
  g_assert_cmpint (difference.n_pixels, ==, 2);
  g_assert_cmpint (difference.n_different, ==, 1);
  g_assert_cmpfloat_with_epsilon (difference.psnr, 10 * log10 (65025.0 / (20.0 / 6)), 1e-9);
  plain = sonde_image_difference_map (a, b, FALSE);
  g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (plain, 0), -2 / 3.0, 1e-6);
  g_assert_cmpfloat (sonde_tensor_get_double (plain, 1), ==, 0);
  magnitude = sonde_image_difference_map (a, b, TRUE);
  g_assert_cmpfloat (sonde_tensor_get_double (magnitude, 0), ==, 2);
}

/* Grey beside colour, opaque beside alpha. */
static void
test_channels (void)
{
  g_autoptr (SondeImage) grey = make_image (1, 1, 1, "\x64"),
                         same = make_image (1, 1, 3, "\x64\x64\x64"),
                         clear = make_image (1, 1, 4, "\x64\x64\x64\x9b");
  SondeImageDifference difference;

  g_assert_true (sonde_image_compare (grey, same, &difference));
  g_assert_cmpint (difference.largest, ==, 0);
  g_assert_cmpint (difference.n_different, ==, 0);
  g_assert_true (isinf (difference.psnr));
  g_assert_true (sonde_image_compare (grey, clear, &difference));
  g_assert_cmpint (difference.largest, ==, 100);
  g_assert_cmpfloat (difference.mean_absolute, ==, 25);
}

static void
test_sizes (void)
{
  g_autoptr (SondeImage) a = make_image (2, 1, 1, "ab"), b = make_image (1, 2, 1, "ab");
  SondeImageDifference difference;

  g_assert_false (sonde_image_compare (a, b, &difference));
  g_assert_cmpint (difference.n_pixels, ==, 0);
  g_assert_null (sonde_image_difference_map (a, b, FALSE));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/values/images/numbers", test_numbers);
  g_test_add_func ("/data/values/images/channels", test_channels);
  g_test_add_func ("/data/values/images/sizes", test_sizes);
  return g_test_run ();
}
