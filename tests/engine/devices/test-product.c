/* SPDX-License-Identifier: Apache-2.0
 * The cpu device's small product against sums in double, for numbers of rows and columns around the
 * borders of vectors: an element's bits are those of its row and column alone, and nothing beside
 * the result is written. */
#include "engine/devices/cpu/product/sonde-cpu-product.h"

#include <math.h>
#include <string.h>

#define MOST_ROWS 9
#define MOST_COLUMNS 140
#define MOST_INNER 33
#define OUTSIDE 12345.0f

static float a[MOST_ROWS * MOST_INNER], b[MOST_INNER * MOST_COLUMNS];

static void
fill (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (17);

  for (gsize i = 0; i < G_N_ELEMENTS (a); i++)
    a[i] = (float) g_rand_double_range (random, -1, 1);
  for (gsize i = 0; i < G_N_ELEMENTS (b); i++)
    b[i] = (float) g_rand_double_range (random, -1, 1);
}

static void
check_row (gint64 row, gint64 inner, gint64 columns, const float *c)
{
  for (gint64 j = 0; j < columns; j++)
    {
      double exact = 0;
      float alone;

      for (gint64 p = 0; p < inner; p++)
        exact += (double) a[row * MOST_INNER + p] * b[p * MOST_COLUMNS + j];
      g_assert_cmpfloat (fabs (c[j] - exact), <=, 1e-5);

      sonde_cpu_product (1, inner, 1, a + row * MOST_INNER, MOST_INNER, b + j, MOST_COLUMNS, &alone,
                         1);
      g_assert_cmpint (memcmp (&alone, &c[j], sizeof alone), ==, 0);
    }
}

static void
check_product (gint64 rows, gint64 inner, gint64 columns)
{
  /* One row and one column more than are asked for. */
  float c[(MOST_ROWS + 1) * (MOST_COLUMNS + 1)];
  const gint64 c_row = columns + 1;

  for (gsize i = 0; i < G_N_ELEMENTS (c); i++)
    c[i] = OUTSIDE;
  sonde_cpu_product (rows, inner, columns, a, MOST_INNER, b, MOST_COLUMNS, c, c_row);
  for (gint64 r = 0; r < rows; r++)
    {
      check_row (r, inner, columns, c + r * c_row);
      g_assert_cmpfloat (c[r * c_row + columns], ==, OUTSIDE);
    }
  for (gint64 j = 0; j < c_row; j++)
    g_assert_cmpfloat (c[rows * c_row + j], ==, OUTSIDE);
}

static void
test_borders (void)
{
  static const gint64 inner[] = { 0, 1, 7, MOST_INNER };

  for (gint64 rows = 0; rows <= MOST_ROWS; rows++)
    for (gint64 columns = 0; columns <= MOST_COLUMNS; columns += columns < 40 ? 1 : 7)
      for (gsize i = 0; i < G_N_ELEMENTS (inner); i++)
        check_product (rows, inner[i], columns);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  fill ();
  g_test_add_func ("/engine/devices/product/borders", test_borders);
  return g_test_run ();
}
