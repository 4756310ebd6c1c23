/* SPDX-License-Identifier: Apache-2.0
 * Rows of a times columns of b: a block of the result stays in registers while k runs. Compiled
 * with contraction, which the rest of the folder is not. */
#include "engine/devices/cpu/product/sonde-cpu-product.h"

#include "engine/devices/cpu/sonde-cpu-vectors.h"

/* Where vector @v of VECTORS begins, whose last one begins at LAST. */
#define AT(v, VECTORS, WIDTH, LAST) ((v) + 1 < (VECTORS) ? (v) *WIDTH : (LAST))

/* ROWS rows and VECTORS times WIDTH columns, all constants; columns may be counted twice. */
#define BLOCK(ROWS, VECTORS, WIDTH, LAST)                                                          \
  G_STMT_START                                                                                     \
  {                                                                                                \
    SondeCpuFloats##WIDTH sum[ROWS][VECTORS] = { 0 };                                              \
    for (gint64 p = 0; p < k; p++)                                                                 \
      for (int v = 0; v < (VECTORS); v++)                                                          \
        {                                                                                          \
          const SondeCpuFloats##WIDTH row                                                          \
              = *(const SondeCpuFloats##WIDTH *) (b + p * b_row + AT (v, VECTORS, WIDTH, LAST));   \
          for (int r = 0; r < (ROWS); r++)                                                         \
            sum[r][v] += row * a[r * a_row + p];                                                   \
        }                                                                                          \
    for (int r = 0; r < (ROWS); r++)                                                               \
      for (int v = 0; v < (VECTORS); v++)                                                          \
        *(SondeCpuFloats##WIDTH *) (c + r * c_row + AT (v, VECTORS, WIDTH, LAST)) = sum[r][v];     \
  }                                                                                                \
  G_STMT_END

#define ADVANCE(columns) (n -= (columns), b += (columns), c += (columns))

/* At least WIDTH columns. The last vector ends with the last column, whatever it begins with. */
#define ROWS_LOOP(name, ROWS, VECTORS, WIDTH)                                                      \
  SONDE_CPU_CLONES static void name (gint64 k, gint64 n, const float *a, gint64 a_row,             \
                                     const float *b, gint64 b_row, float *c, gint64 c_row)         \
  {                                                                                                \
    for (; n >= (VECTORS) *WIDTH; ADVANCE ((VECTORS) *WIDTH))                                      \
      BLOCK (ROWS, VECTORS, WIDTH, ((VECTORS) -1) * WIDTH);                                        \
    if ((VECTORS) > 4 && n >= 4 * WIDTH)                                                           \
      {                                                                                            \
        BLOCK (ROWS, 4, WIDTH, 3 * WIDTH);                                                         \
        ADVANCE (4 * WIDTH);                                                                       \
      }                                                                                            \
    if ((VECTORS) > 3 && n > 3 * WIDTH)                                                            \
      BLOCK (ROWS, 4, WIDTH, n - WIDTH);                                                           \
    else if ((VECTORS) > 2 && n > 2 * WIDTH)                                                       \
      BLOCK (ROWS, 3, WIDTH, n - WIDTH);                                                           \
    else if (n > WIDTH)                                                                            \
      BLOCK (ROWS, 2, WIDTH, n - WIDTH);                                                           \
    else if (n > 0)                                                                                \
      BLOCK (ROWS, 1, WIDTH, n - WIDTH);                                                           \
  }

ROWS_LOOP (one_wide_row, 1, 4, 16)
ROWS_LOOP (two_wide_rows, 2, 4, 16)
ROWS_LOOP (four_wide_rows, 4, 2, 16)
ROWS_LOOP (one_row, 1, 8, 8)
ROWS_LOOP (two_rows, 2, 4, 8)
ROWS_LOOP (four_rows, 4, 2, 8)
ROWS_LOOP (one_short_row, 1, 2, 4)
ROWS_LOOP (two_short_rows, 2, 2, 4)
ROWS_LOOP (four_short_rows, 4, 2, 4)

/* COLUMNS columns, fewer than the shortest vector has: the other lanes are zero. A vector all the
 * same, as a number alone would not always be multiplied and added in one. */
#define FEW(ROWS, COLUMNS)                                                                         \
  G_STMT_START                                                                                     \
  {                                                                                                \
    SondeCpuFloats4 sum[ROWS] = { 0 };                                                             \
    for (gint64 p = 0; p < k; p++, b += b_row)                                                     \
      {                                                                                            \
        const SondeCpuFloats4 row                                                                  \
            = { b[0], (COLUMNS) > 1 ? b[1] : 0, (COLUMNS) > 2 ? b[2] : 0, 0 };                     \
        for (int r = 0; r < (ROWS); r++)                                                           \
          sum[r] += row * a[r * a_row + p];                                                        \
      }                                                                                            \
    for (int r = 0; r < (ROWS); r++)                                                               \
      for (int j = 0; j < (COLUMNS); j++)                                                          \
        c[r * c_row + j] = sum[r][j];                                                              \
  }                                                                                                \
  G_STMT_END

#define FEW_LOOP(name, ROWS)                                                                       \
  SONDE_CPU_CLONES static void name (gint64 k, gint64 n, const float *a, gint64 a_row,             \
                                     const float *b, gint64 b_row, float *c, gint64 c_row)         \
  {                                                                                                \
    if (n == 1)                                                                                    \
      FEW (ROWS, 1);                                                                               \
    else if (n == 2)                                                                               \
      FEW (ROWS, 2);                                                                               \
    else                                                                                           \
      FEW (ROWS, 3);                                                                               \
  }

FEW_LOOP (one_thin_row, 1)
FEW_LOOP (two_thin_rows, 2)
FEW_LOOP (four_thin_rows, 4)

typedef void (*RowsLoop) (gint64 k, gint64 n, const float *a, gint64 a_row, const float *b,
                          gint64 b_row, float *c, gint64 c_row);

/* Of four rows, two and one, with vectors that @n columns fill. */
static const RowsLoop *
choose_loops (gint64 n)
{
  static const RowsLoop wide[] = { four_wide_rows, two_wide_rows, one_wide_row },
                        narrow[] = { four_rows, two_rows, one_row },
                        shorter[] = { four_short_rows, two_short_rows, one_short_row },
                        thin[] = { four_thin_rows, two_thin_rows, one_thin_row };

  if (n >= 16 && sonde_cpu_has_wide_vectors ())
    return wide;
  return n >= 8 ? narrow : n >= 4 ? shorter : thin;
}

void
sonde_cpu_product (gint64 m, gint64 k, gint64 n, const float *a, gint64 a_row, const float *b,
                   gint64 b_row, float *c, gint64 c_row)
{
  const RowsLoop *loops = choose_loops (n);

  if (n < 1)
    return;

  for (; m >= 4; m -= 4, a += 4 * a_row, c += 4 * c_row)
    loops[0](k, n, a, a_row, b, b_row, c, c_row);
  for (; m >= 2; m -= 2, a += 2 * a_row, c += 2 * c_row)
    loops[1](k, n, a, a_row, b, b_row, c, c_row);
  if (m > 0)
    loops[2](k, n, a, a_row, b, b_row, c, c_row);
}
