/* SPDX-License-Identifier: Apache-2.0
 * Rows of a times columns of b: a block of the result stays in registers while k runs. Compiled
 * with contraction, which the rest of the folder is not. */
#include "engine/devices/cpu/product/sonde-cpu-product.h"

#include "engine/devices/cpu/sonde-cpu-kernel.h"

/* A vector is a register: GCC keeps one that is wider in memory, which takes fifty times as long. */
typedef float Vector16 __attribute__ ((vector_size (64), aligned (4), may_alias));
typedef float Vector8 __attribute__ ((vector_size (32), aligned (4), may_alias));

/* ROWS rows and VECTORS times WIDTH columns, all constants. */
#define BLOCK(ROWS, VECTORS, WIDTH)                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    Vector##WIDTH sum[ROWS][VECTORS] = { 0 };                                                      \
    for (gint64 p = 0; p < k; p++)                                                                 \
      for (int v = 0; v < (VECTORS); v++)                                                          \
        {                                                                                          \
          const Vector##WIDTH row = *(const Vector##WIDTH *) (b + p * b_row + v * WIDTH);          \
          for (int r = 0; r < (ROWS); r++)                                                         \
            sum[r][v] += row * a[r * a_row + p];                                                   \
        }                                                                                          \
    for (int r = 0; r < (ROWS); r++)                                                               \
      for (int v = 0; v < (VECTORS); v++)                                                          \
        *(Vector##WIDTH *) (c + r * c_row + v * WIDTH) = sum[r][v];                                \
  }                                                                                                \
  G_STMT_END

/* Fewer columns than a vector: through a copy with zeros behind them. */
#define LAST(ROWS, WIDTH)                                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    float sum[ROWS][WIDTH] = { { 0 } };                                                            \
    for (gint64 p = 0; p < k; p++)                                                                 \
      {                                                                                            \
        float row[WIDTH] = { 0 };                                                                  \
        for (gint64 j = 0; j < n; j++)                                                             \
          row[j] = b[p * b_row + j];                                                               \
        for (int r = 0; r < (ROWS); r++)                                                           \
          for (int j = 0; j < WIDTH; j++)                                                          \
            sum[r][j] += row[j] * a[r * a_row + p];                                                \
      }                                                                                            \
    for (int r = 0; r < (ROWS); r++)                                                               \
      for (gint64 j = 0; j < n; j++)                                                               \
        c[r * c_row + j] = sum[r][j];                                                              \
  }                                                                                                \
  G_STMT_END

#define ROWS_LOOP(name, ROWS, VECTORS, WIDTH)                                                      \
  SONDE_CPU_CLONES static void name (gint64 k, gint64 n, const float *a, gint64 a_row,             \
                                     const float *b, gint64 b_row, float *c, gint64 c_row)         \
  {                                                                                                \
    for (; n >= (VECTORS) *WIDTH;                                                                  \
         n -= (VECTORS) *WIDTH, b += (VECTORS) *WIDTH, c += (VECTORS) *WIDTH)                      \
      BLOCK (ROWS, VECTORS, WIDTH);                                                                \
    for (; n >= WIDTH; n -= WIDTH, b += WIDTH, c += WIDTH)                                         \
      BLOCK (ROWS, 1, WIDTH);                                                                      \
    if (n > 0)                                                                                     \
      LAST (ROWS, WIDTH);                                                                          \
  }

ROWS_LOOP (one_wide_row, 1, 4, 16)
ROWS_LOOP (two_wide_rows, 2, 4, 16)
ROWS_LOOP (four_wide_rows, 4, 2, 16)
ROWS_LOOP (one_row, 1, 8, 8)
ROWS_LOOP (two_rows, 2, 4, 8)
ROWS_LOOP (four_rows, 4, 2, 8)

typedef void (*RowsLoop) (gint64 k, gint64 n, const float *a, gint64 a_row, const float *b,
                          gint64 b_row, float *c, gint64 c_row);

void
sonde_cpu_product (gint64 m, gint64 k, gint64 n, const float *a, gint64 a_row, const float *b,
                   gint64 b_row, float *c, gint64 c_row)
{
  gboolean wide = sonde_cpu_has_wide_vectors ();
  RowsLoop four = wide ? four_wide_rows : four_rows, two = wide ? two_wide_rows : two_rows,
           one = wide ? one_wide_row : one_row;

  for (; m >= 4; m -= 4, a += 4 * a_row, c += 4 * c_row)
    four (k, n, a, a_row, b, b_row, c, c_row);
  for (; m >= 2; m -= 2, a += 2 * a_row, c += 2 * c_row)
    two (k, n, a, a_row, b, b_row, c, c_row);
  if (m > 0)
    one (k, n, a, a_row, b, b_row, c, c_row);
}
