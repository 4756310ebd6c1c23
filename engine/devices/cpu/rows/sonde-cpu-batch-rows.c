/* SPDX-License-Identifier: Apache-2.0
 * Loops over rows of channels. Two elements of bfloat16 are one word: the even one shifted up, the
 * odd one as it lies there are floats, so that nothing is moved between lanes. Rows of factors
 * therefore have the even columns first. */
#include "engine/devices/cpu/rows/sonde-cpu-batch-rows.h"

#include "engine/devices/cpu/sonde-cpu-math.h"
#include "engine/devices/cpu/sonde-cpu-vectors.h"

#define WIDE SONDE_CPU_BATCH_WIDE
/* Columns whose sums fit into the registers where these are short. */
#define NARROW 32

void
sonde_cpu_batch_spread (SondeDtype dtype, gint64 channels, gint64 width, const float *given,
                        float *row)
{
  const gboolean pairs = dtype == SONDE_DTYPE_BF16;

  for (gint64 c = 0; c < width; c++)
    row[pairs ? c % 2 * (width / 2) + c / 2 : c] = given[c % channels];
}

/* ---- sums ---------------------------------------------------------------- */

/* Of floats in double. */
SONDE_CPU_CLONES static void
sum_f32 (gint64 rows, gint64 width, const float *dy, const float *x, const float *from,
         double *restrict sums, double *restrict products)
{
  for (gint64 r = 0; r < rows && dy != NULL; r++)
    for (gint64 c = 0; c < width; c++)
      {
        const double g = (double) dy[r * width + c];

        sums[c] += g;
        products[c] += g * ((double) x[r * width + c] - (double) from[c]);
      }
  for (gint64 r = 0; r < rows && dy == NULL; r++)
    for (gint64 c = 0; c < width; c++)
      {
        const double distance = (double) x[r * width + c] - (double) from[c];

        sums[c] += distance;
        products[c] += distance * distance;
      }
}

/* Words of WIDTH lanes at @from; the floats of their even and their odd halves. */
#define WORDS(WIDTH, from) (*(const SondeCpuWords##WIDTH *) (from))
#define EVEN(WIDTH, words) ((SondeCpuFloats##WIDTH) ((words) << 16))
#define ODD(WIDTH, words) ((SondeCpuFloats##WIDTH) ((words) &0xffff0000u))

/* COLUMNS columns in registers of WIDTH lanes, of bfloat16 in float: a block has few rows. */
#define SUM_COLUMNS(name, WIDTH, COLUMNS)                                                          \
  SONDE_CPU_CLONES static void name (gint64 rows, gint64 width, const guint16 *dy,                 \
                                     const guint16 *x, const float *from, double *restrict sums,   \
                                     double *restrict products)                                    \
  {                                                                                                \
    SondeCpuFloats##WIDTH zero[COLUMNS / WIDTH], sum[COLUMNS / WIDTH] = { 0 },                     \
                                                               product[COLUMNS / WIDTH] = { 0 };   \
    for (int v = 0; v < COLUMNS / WIDTH; v++)                                                      \
      zero[v] = SONDE_CPU_LOAD (WIDTH, from + v % 2 * (width / 2) + v / 2 * WIDTH);                \
    for (gint64 r = 0; r < rows && dy != NULL; r++)                                                \
      for (int v = 0; v < COLUMNS / WIDTH; v += 2)                                                 \
        {                                                                                          \
          const SondeCpuWords##WIDTH words = WORDS (WIDTH, x + r * width + v * WIDTH);             \
          const SondeCpuWords##WIDTH gradients = WORDS (WIDTH, dy + r * width + v * WIDTH);        \
          const SondeCpuFloats##WIDTH g0 = EVEN (WIDTH, gradients), g1 = ODD (WIDTH, gradients);   \
          sum[v] += g0;                                                                            \
          product[v] += g0 * (EVEN (WIDTH, words) - zero[v]);                                      \
          sum[v + 1] += g1;                                                                        \
          product[v + 1] += g1 * (ODD (WIDTH, words) - zero[v + 1]);                               \
        }                                                                                          \
    for (gint64 r = 0; r < rows && dy == NULL; r++)                                                \
      for (int v = 0; v < COLUMNS / WIDTH; v += 2)                                                 \
        {                                                                                          \
          const SondeCpuWords##WIDTH words = WORDS (WIDTH, x + r * width + v * WIDTH);             \
          const SondeCpuFloats##WIDTH d0 = EVEN (WIDTH, words) - zero[v],                          \
                                      d1 = ODD (WIDTH, words) - zero[v + 1];                       \
          sum[v] += d0;                                                                            \
          product[v] += d0 * d0;                                                                   \
          sum[v + 1] += d1;                                                                        \
          product[v + 1] += d1 * d1;                                                               \
        }                                                                                          \
    for (int v = 0; v < COLUMNS / WIDTH; v++)                                                      \
      for (int i = 0; i < WIDTH; i++)                                                              \
        {                                                                                          \
          const int c = v / 2 * 2 * WIDTH + 2 * i + v % 2;                                         \
          sums[c] += (double) sum[v][i];                                                           \
          products[c] += (double) product[v][i];                                                   \
        }                                                                                          \
  }
SUM_COLUMNS (sum_wide_columns, 16, WIDE)
SUM_COLUMNS (sum_narrow_columns, 8, NARROW)

/* WIDE columns. */
static void
sum_wide_bf16 (gint64 rows, gint64 width, const guint16 *dy, const guint16 *x, const float *from,
               double *restrict sums, double *restrict products)
{
  if (sonde_cpu_has_wide_vectors ())
    sum_wide_columns (rows, width, dy, x, from, sums, products);
  else
    for (gint64 c = 0; c < WIDE; c += NARROW)
      sum_narrow_columns (rows, width, dy != NULL ? dy + c : NULL, x + c, from + c / 2, sums + c,
                          products + c);
}

/* Columns from @first on. */
SONDE_CPU_CLONES static void
sum_rest_bf16 (gint64 rows, gint64 first, gint64 width, const guint16 *dy, const guint16 *x,
               const float *from, double *sums)
{
  for (gint64 r = 0; r < rows; r++)
    for (gint64 c = first; c < width; c++)
      {
        const float distance
            = sonde_cpu_bf16_to_f32 (x[r * width + c]) - from[c % 2 * (width / 2) + c / 2];
        const float g = dy != NULL ? sonde_cpu_bf16_to_f32 (dy[r * width + c]) : distance;

        sums[c] += (double) g;
        sums[width + c] += (double) (g * distance);
      }
}

void
sonde_cpu_batch_sum (SondeDtype dtype, gint64 rows, gint64 width, const void *dy, const void *x,
                     const float *from, double *sums)
{
  const guint16 *narrow = x, *gradients = dy;
  gint64 c = 0;

  if (dtype != SONDE_DTYPE_BF16)
    {
      sum_f32 (rows, width, dy, x, from, sums, sums + width);
      return;
    }

  for (; c + WIDE <= width; c += WIDE)
    sum_wide_bf16 (rows, width, gradients != NULL ? gradients + c : NULL, narrow + c, from + c / 2,
                   sums + c, sums + width + c);
  if (c < width)
    sum_rest_bf16 (rows, c, width, gradients, narrow, from, sums);
}

/* ---- factors ------------------------------------------------------------- */

SONDE_CPU_CLONES static void
scale_f32 (gint64 rows, gint64 width, const float *x, const float *a, const float *b, float *y)
{
  for (gint64 r = 0; r < rows; r++)
    {
#pragma GCC ivdep
      for (gint64 c = 0; c < width; c++)
        y[r * width + c] = x[r * width + c] * a[c] + b[c];
    }
}

void
sonde_cpu_scale_rows (gint64 rows, gint64 channels, const float *x, const float *a, const float *b,
                      float *y)
{
  scale_f32 (rows, channels, x, a, b, y);
}

SONDE_CPU_CLONES static void
scale_bf16 (gint64 rows, gint64 half, const SondeCpuPair *x, const float *a, const float *b,
            SondeCpuPair *y)
{
  for (gint64 r = 0; r < rows; r++)
    {
#pragma GCC ivdep
      for (gint64 c = 0; c < half; c++)
        {
          const guint32 word = x[r * half + c];

          y[r * half + c]
              = sonde_cpu_pair_join (sonde_cpu_pair_even (word) * a[c] + b[c],
                                     sonde_cpu_pair_odd (word) * a[half + c] + b[half + c]);
        }
    }
}

SONDE_CPU_CLONES static void
combine_f32 (gint64 rows, gint64 width, const float *dy, const float *x, const float *a,
             const float *b, const float *d, float *dx)
{
  for (gint64 r = 0; r < rows; r++)
    {
#pragma GCC ivdep
      for (gint64 c = 0; c < width; c++)
        dx[r * width + c] = dy[r * width + c] * a[c] + x[r * width + c] * b[c] + d[c];
    }
}

SONDE_CPU_CLONES static void
combine_bf16 (gint64 rows, gint64 half, const SondeCpuPair *dy, const SondeCpuPair *x,
              const float *a, const float *b, const float *d, SondeCpuPair *dx)
{
  for (gint64 r = 0; r < rows; r++)
    {
#pragma GCC ivdep
      for (gint64 c = 0; c < half; c++)
        {
          const guint32 word = x[r * half + c], g = dy[r * half + c];

          dx[r * half + c] = sonde_cpu_pair_join (
              sonde_cpu_pair_even (g) * a[c] + sonde_cpu_pair_even (word) * b[c] + d[c],
              sonde_cpu_pair_odd (g) * a[half + c] + sonde_cpu_pair_odd (word) * b[half + c]
                  + d[half + c]);
        }
    }
}

void
sonde_cpu_batch_combine (SondeDtype dtype, gint64 rows, gint64 width, const void *dy, const void *x,
                         const float *a, const float *b, const float *d, void *y)
{
  if (dtype == SONDE_DTYPE_BF16 && dy != NULL)
    combine_bf16 (rows, width / 2, dy, x, a, b, d, y);
  else if (dtype == SONDE_DTYPE_BF16)
    scale_bf16 (rows, width / 2, x, a, b, y);
  else if (dy != NULL)
    combine_f32 (rows, width, dy, x, a, b, d, y);
  else
    scale_f32 (rows, width, x, a, b, y);
}
