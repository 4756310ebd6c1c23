/* SPDX-License-Identifier: Apache-2.0
 * Inner loops of the direct convolution. Compiled with contraction, which the rest of the folder is
 * not. */
#include "engine/devices/cpu/convolution/sonde-cpu-taps.h"

#include "engine/devices/cpu/sonde-cpu-vectors.h"

typedef void (*RowsLoop) (const SondeCpuTaps *t, const float *x, gint64 n, const float *weights,
                          float *sums, gint64 sums_row);

/* CHANNELS channels of VECTORS times WIDTH places, all constants. */
#define ROWS_LOOP(name, CHANNELS, VECTORS, WIDTH)                                                  \
  SONDE_CPU_CLONES static void name (const SondeCpuTaps *t, const float *x, gint64 n,              \
                                     const float *weights, float *sums, gint64 sums_row)           \
  {                                                                                                \
    for (gint64 p = 0; p < n; p += (VECTORS) *WIDTH)                                               \
      {                                                                                            \
        SondeCpuFloats##WIDTH sum[CHANNELS][VECTORS] = { 0 };                                      \
        const float *w = weights;                                                                  \
        for (gint64 c = 0; c < t->channels; c++)                                                   \
          for (gint64 a = 0; a < t->size[0]; a++)                                                  \
            {                                                                                      \
              const float *from = x + p + c * t->plane + a * t->dilation[0] * t->pitch;            \
              for (gint64 b = 0; b < t->size[1]; b++, from += t->dilation[1], w += t->outputs)     \
                for (int v = 0; v < (VECTORS); v++)                                                \
                  {                                                                                \
                    const SondeCpuFloats##WIDTH places                                             \
                        = *(const SondeCpuFloats##WIDTH *) (from + v * WIDTH);                     \
                    for (int o = 0; o < (CHANNELS); o++)                                           \
                      sum[o][v] += places * w[o];                                                  \
                  }                                                                                \
            }                                                                                      \
        for (int o = 0; o < (CHANNELS); o++)                                                       \
          for (int v = 0; v < (VECTORS); v++)                                                      \
            *(SondeCpuFloats##WIDTH *) (sums + o * sums_row + p + v * WIDTH) = sum[o][v];          \
      }                                                                                            \
  }

ROWS_LOOP (wide_1, 1, 4, 16)
ROWS_LOOP (wide_2, 2, 4, 16)
ROWS_LOOP (wide_3, 3, 4, 16)
ROWS_LOOP (wide_4, 4, 4, 16)
ROWS_LOOP (wide_5, 5, 4, 16)
ROWS_LOOP (wide_6, 6, 4, 16)
ROWS_LOOP (narrow_1, 1, 4, 8)
ROWS_LOOP (narrow_2, 2, 4, 8)
ROWS_LOOP (narrow_3, 3, 4, 8)

void
sonde_cpu_taps_rows (const SondeCpuTaps *taps, const float *x, gint64 n, const float *weights,
                     float *sums, gint64 sums_row)
{
  static const RowsLoop wide[] = { NULL, wide_1, wide_2, wide_3, wide_4, wide_5, wide_6 };
  static const RowsLoop narrow[] = { NULL, narrow_1, narrow_2, narrow_3 };
  gboolean wide_vectors = sonde_cpu_has_wide_vectors ();
  gint64 most = wide_vectors ? G_N_ELEMENTS (wide) - 1 : G_N_ELEMENTS (narrow) - 1;
  gint64 parts = (taps->outputs + most - 1) / most;

  for (gint64 i = 0; i < parts; i++)
    {
      gint64 begin = taps->outputs * i / parts, end = taps->outputs * (i + 1) / parts;

      (wide_vectors ? wide : narrow)[end - begin](taps, x, n, weights + begin,
                                                  sums + begin * sums_row, sums_row);
    }
}
