/* SPDX-License-Identifier: Apache-2.0
 * One pass over float32 on one core: statistics and histogram, in cache and out of it, without and
 * with NaN. Prints GB/s. */
#include "data/values/sonde-histogram.h"
#include "data/values/sonde-statistics.h"

#include <math.h>

#define ROUNDS 5

static const struct
{
  const char *name;
  gint64 n;
  int repeats;
  int nan_every; /* 0: none */
} cases[] = {
  { "256 KiB", 64 << 10, 400, 0 },
  { "64 MiB", 16 << 20, 2, 0 },
  { "256 KiB, a NaN in 1000", 64 << 10, 400, 1000 },
};

static SondeTensor *
random_tensor (gint64 n, int nan_every)
{
  SondeShape shape = sonde_shape_make (1, n);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  g_autoptr (GRand) random = g_rand_new_with_seed (1);
  float *numbers = (void *) tensor->data;

  for (gint64 i = 0; i < n; i++)
    numbers[i]
        = nan_every > 0 && i % nan_every == 0 ? NAN : (float) g_rand_double_range (random, -2, 2);
  return tensor;
}

static void
run_statistics (SondeTensor *tensor, void *result)
{
  sonde_statistics_compute (tensor, result);
}

static void
run_histogram (SondeTensor *tensor, void *result)
{
  sonde_histogram_add (result, tensor);
}

/* The best of the rounds: the machine has other work, too. */
static double
rate_of (SondeTensor *tensor, int repeats, void (*run) (SondeTensor *, void *), void *result)
{
  double best = 0;

  for (int round = 0; round < ROUNDS; round++)
    {
      gint64 begin = g_get_monotonic_time ();

      for (int i = 0; i < repeats; i++)
        run (tensor, result);
      best = MAX (best, (double) sonde_tensor_n_bytes (tensor) * repeats
                            / (double) MAX (g_get_monotonic_time () - begin, 1) / 1e3);
    }
  return best;
}

int
main (void)
{
  SondeHistogram *histogram = g_new (SondeHistogram, 1);
  SondeStatistics statistics;

  sonde_histogram_init (histogram);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (SondeTensor) tensor = random_tensor (cases[i].n, cases[i].nan_every);

      g_print ("%-24s statistics %5.1f GB/s, histogram %4.1f GB/s\n", cases[i].name,
               rate_of (tensor, cases[i].repeats, run_statistics, &statistics),
               rate_of (tensor, cases[i].repeats / 2, run_histogram, histogram));
    }
  g_free (histogram);
  return 0;
}
