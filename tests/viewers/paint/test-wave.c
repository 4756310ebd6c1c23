/* SPDX-License-Identifier: Apache-2.0
 * Ranges of sounds through their blocks against a plain loop; the curve is where the sound is. */
#include <math.h>

#include "data/base/sonde-random.h"
#include "tests/support/sonde-test-image.h"
#include "viewers/paint/sonde-wave.h"

#define N 5000
#define CHANNELS 2

static void
fill (float *samples)
{
  for (int i = 0; i < N * CHANNELS; i++)
    samples[i] = (float) (sonde_random_uniform (7, 0, (guint64) i) * 2 - 1);
  samples[11] = NAN;
}

static void
test_range (void)
{
  static float samples[N * CHANNELS];
  g_autofree float *blocks = NULL;
  SondeWave wave = { .samples = samples, .n_frames = N, .n_channels = CHANNELS, .rate = 1 };

  fill (samples);
  blocks = sonde_wave_make_blocks (samples, N, CHANNELS);
  for (int k = 0; k < 300; k++)
    {
      gint64 first = (gint64) (sonde_random_uniform (8, 0, (guint64) k) * N);
      gint64 last = (gint64) (sonde_random_uniform (8, 1, (guint64) k) * (N + 500));
      guint channel = (guint) k % CHANNELS;
      float min[2], max[2];
      gboolean found[2];

      for (int b = 0; b < 2; b++)
        {
          wave.blocks = b == 1 ? blocks : NULL;
          found[b] = sonde_wave_find_range (&wave, channel, first, last, &min[b], &max[b]);
        }
      g_assert_cmpint (found[0], ==, found[1]);
      g_assert_cmpint (found[0], ==, first < MIN (last, N));
      if (found[0])
        {
          g_assert_cmpfloat (min[0], ==, min[1]);
          g_assert_cmpfloat (max[0], ==, max[1]);
        }
    }
}

/* Loud on the left, silent on the right: ink follows. */
static void
test_paint (void)
{
  static float samples[N];
  SondeWave wave = { .samples = samples,
                     .n_frames = N,
                     .n_channels = 1,
                     .rate = 1000,
                     .low = 0,
                     .high = 5,
                     .color = sonde_theme_series (sonde_theme_get (FALSE), 0).color };
  cairo_surface_t *picture = sonde_test_image_new (400, 200);
  cairo_t *cr = cairo_create (picture);

  for (int i = 0; i < N / 2; i++)
    samples[i] = i % 2 == 0 ? 1 : -1;
  sonde_paint_wave (cr, sonde_theme_get (FALSE), &wave, 400, 200);
  cairo_destroy (cr);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 60, 10, 150, 140), >, 15000);
  g_assert_cmpint (sonde_test_image_count_ink (picture, 240, 10, 140, 140), <, 3000);
  cairo_surface_destroy (picture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/paint/wave/range", test_range);
  g_test_add_func ("/viewers/paint/wave/paint", test_paint);
  return g_test_run ();
}
