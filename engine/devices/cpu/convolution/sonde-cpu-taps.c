/* SPDX-License-Identifier: Apache-2.0
 * Inner loops of the direct convolution. Compiled with contraction, which the rest of the folder is
 * not. */
#include "engine/devices/cpu/convolution/sonde-cpu-taps.h"

#include "engine/devices/cpu/sonde-cpu-kernel.h"

#define WIDTH 16

typedef float Vector __attribute__ ((vector_size (4 * WIDTH), aligned (4), may_alias));

/* Sums that stay in registers: 32 of a vector with AVX-512; 16 of half a vector else. */
static gboolean
has_many_registers (void)
{
#if defined(__x86_64__)
  return __builtin_cpu_supports ("avx512f") != 0;
#else
  return FALSE;
#endif
}

typedef void (*RowsLoop) (const SondeCpuTaps *t, const float *x, gint64 n, const float *weights,
                          float *sums, gint64 sums_row);

/* CHANNELS channels of VECTORS times sixteen places, both constants. */
#define ROWS_LOOP(name, CHANNELS, VECTORS)                                                         \
  SONDE_CPU_CLONES static void name (const SondeCpuTaps *t, const float *x, gint64 n,              \
                                     const float *weights, float *sums, gint64 sums_row)           \
  {                                                                                                \
    for (gint64 p = 0; p < n; p += (VECTORS) *WIDTH)                                               \
      {                                                                                            \
        Vector sum[CHANNELS][VECTORS] = { 0 };                                                     \
        const float *w = weights;                                                                  \
        for (gint64 c = 0; c < t->channels; c++)                                                   \
          for (gint64 a = 0; a < t->size[0]; a++)                                                  \
            {                                                                                      \
              const float *from = x + p + c * t->plane + a * t->dilation[0] * t->pitch;            \
              for (gint64 b = 0; b < t->size[1]; b++, from += t->dilation[1], w += t->outputs)     \
                for (int v = 0; v < (VECTORS); v++)                                                \
                  {                                                                                \
                    const Vector places = *(const Vector *) (from + v * WIDTH);                    \
                    for (int o = 0; o < (CHANNELS); o++)                                           \
                      sum[o][v] += places * w[o];                                                  \
                  }                                                                                \
            }                                                                                      \
        for (int o = 0; o < (CHANNELS); o++)                                                       \
          for (int v = 0; v < (VECTORS); v++)                                                      \
            *(Vector *) (sums + o * sums_row + p + v * WIDTH) = sum[o][v];                         \
      }                                                                                            \
  }

ROWS_LOOP (rows_1_4, 1, 4)
ROWS_LOOP (rows_2_4, 2, 4)
ROWS_LOOP (rows_3_4, 3, 4)
ROWS_LOOP (rows_4_4, 4, 4)
ROWS_LOOP (rows_5_4, 5, 4)
ROWS_LOOP (rows_6_4, 6, 4)
ROWS_LOOP (rows_1_2, 1, 2)
ROWS_LOOP (rows_2_2, 2, 2)
ROWS_LOOP (rows_3_2, 3, 2)

void
sonde_cpu_taps_rows (const SondeCpuTaps *taps, const float *x, gint64 n, const float *weights,
                     float *sums, gint64 sums_row)
{
  static const RowsLoop wide[]
      = { NULL, rows_1_4, rows_2_4, rows_3_4, rows_4_4, rows_5_4, rows_6_4 };
  static const RowsLoop narrow[] = { NULL, rows_1_2, rows_2_2, rows_3_2 };
  gboolean many = has_many_registers ();
  gint64 most = many ? G_N_ELEMENTS (wide) - 1 : G_N_ELEMENTS (narrow) - 1;
  gint64 parts = (taps->outputs + most - 1) / most;

  for (gint64 i = 0; i < parts; i++)
    {
      gint64 begin = taps->outputs * i / parts, end = taps->outputs * (i + 1) / parts;

      (many ? wide : narrow)[end - begin](taps, x, n, weights + begin, sums + begin * sums_row,
                                          sums_row);
    }
}
