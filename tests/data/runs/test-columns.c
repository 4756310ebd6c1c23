/* SPDX-License-Identifier: Apache-2.0
 * Columns: bytes of the index and back, summaries and units against brute force. */
#include <math.h>
#include <string.h>

#include "data/runs/sonde-run-columns-private.h"

typedef double (*ValueFunc) (guint i, GRand *rand);

static double
any_double (guint i, GRand *rand)
{
  guint64 bits = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);
  double value;

  memcpy (&value, &bits, sizeof value);
  return value;
}

static double
any_float (guint i, GRand *rand)
{
  return i % 7 == 0 ? (double) NAN : i % 11 == 0 ? (double) INFINITY : (float) g_rand_double (rand);
}

/* Columns of one kind each: which form is chosen is not seen from outside, only that all come
 * back. */
static SondeColumns *
make_columns (guint n, int kind, ValueFunc value, GRand *rand)
{
  SondeColumns *columns = sonde_columns_new (n);

  for (guint i = 0; i < n; i++)
    {
      columns->steps[i] = kind == 0 ? 10 + 3 * (gint64) i
                          : kind == 1
                              ? (gint64) g_rand_int_range (rand, -1000, 1000)
                              : (gint64) ((guint64) g_rand_int (rand) << 32 | g_rand_int (rand));
      columns->walls[i]
          = kind == 2 && i % 2 ? G_MININT64 : 1700000000000000000 + (gint64) i * 1234567;
      columns->values[i] = value (i, rand);
      columns->sessions[i] = kind == 1 ? g_rand_int (rand) : 7;
    }
  return columns;
}

static void
assert_same (const SondeColumns *one, const SondeColumns *other, guint n)
{
  g_assert_cmpmem (one->steps, n * 8, other->steps, n * 8);
  g_assert_cmpmem (one->walls, n * 8, other->walls, n * 8);
  g_assert_cmpmem (one->values, n * 8, other->values, n * 8);
  g_assert_cmpmem (one->sessions, n * 4, other->sessions, n * 4);
}

static void
test_round_trip (void)
{
  static const guint counts[] = { 1, 2, 3, 64, 65, SONDE_BLOCK_POINTS };
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (gsize c = 0; c < G_N_ELEMENTS (counts); c++)
    for (int kind = 0; kind < 3; kind++)
      for (int floats = 0; floats < 2; floats++)
        {
          guint n = counts[c];
          g_autoptr (SondeColumns) columns
              = make_columns (n, kind, floats ? any_float : any_double, rand);
          g_autoptr (GBytes) bytes = sonde_columns_serialise (columns, n);
          g_autoptr (SondeColumns) back
              = sonde_columns_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), n);
          g_autoptr (SondeColumns) part = NULL;

          g_assert_nonnull (back);
          assert_same (columns, back, n);
          part = sonde_columns_parse (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes),
                                      (n + 1) / 2);
          g_assert_nonnull (part);
          assert_same (columns, part, (n + 1) / 2);
        }
}

static void
test_usual_size (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  g_autoptr (SondeColumns) columns = make_columns (SONDE_BLOCK_POINTS, 0, any_float, rand);
  g_autoptr (GBytes) bytes = sonde_columns_serialise (columns, SONDE_BLOCK_POINTS);

  /* equal distances of steps and times, float32 values: 4 bytes a point */
  g_assert_cmpuint (g_bytes_get_size (bytes), <, SONDE_BLOCK_POINTS * 4 + 100);
}

static void
test_hostile_bytes (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);

  for (int round = 0; round < 2000; round++)
    {
      g_autoptr (SondeColumns) columns = make_columns (20, round % 3, any_float, rand);
      g_autoptr (GBytes) bytes = sonde_columns_serialise (columns, 20);
      gsize size = g_rand_int_range (rand, 0, g_bytes_get_size (bytes));
      g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
      g_autoptr (SondeColumns) back = NULL;

      g_assert_null (sonde_columns_parse (copy, size, 20));
      if (size > 0)
        copy[g_rand_int_range (rand, 0, size)] ^= 1 + g_rand_int_range (rand, 0, 255);
      back = sonde_columns_parse (copy, size, 20);
    }
}

static void
test_summary (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  g_autoptr (SondeColumns) columns = make_columns (1000, 1, any_float, rand);
  SondeBlockSummary summary = { 0 };
  double min = INFINITY, max = -INFINITY, finite_max = -INFINITY;
  gint64 max_step = G_MININT64;
  guint n_nan = 0;

  for (guint from = 0, to; from < 1000; from = to)
    {
      to = MIN (1000, from + (guint) g_rand_int_range (rand, 1, 50));
      sonde_block_summary_add_points (&summary, columns, from, to);
    }
  for (guint i = 0; i < 1000; i++)
    {
      n_nan += isnan (columns->values[i]) != 0;
      min = fmin (min, columns->values[i]);
      max = fmax (max, columns->values[i]);
      if (isfinite (columns->values[i]))
        finite_max = fmax (finite_max, columns->values[i]);
      max_step = MAX (max_step, columns->steps[i]);
    }
  g_assert_cmpfloat (summary.bucket.min, ==, min);
  g_assert_cmpfloat (summary.bucket.max, ==, max);
  g_assert_true (isinf (summary.bucket.max));
  g_assert_cmpfloat (summary.finite_max, ==, finite_max);
  g_assert_cmpuint (summary.bucket.n_nan, ==, n_nan);
  g_assert_cmpuint (summary.bucket.count, ==, 1000);
  g_assert_cmpint (summary.max_step, ==, max_step);
  g_assert_cmpint (summary.bucket.last_step, ==, columns->steps[999]);
  g_assert_cmpuint (summary.last_session, ==, columns->sessions[999]);
  g_assert_false (summary.sorted);
}

/* Chunks do not depend on how many points came at a time, and are what their points say. */
static void
test_chunks (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autoptr (SondeColumns) columns = make_columns (SONDE_BLOCK_POINTS, 1, any_float, rand);
  SondeBlockSummary summary = { 0 };
  guint n = SONDE_BLOCK_POINTS - 300;

  for (guint from = 0, to; from < n; from = to)
    {
      to = MIN (n, from + (guint) g_rand_int_range (rand, 1, 1500));
      sonde_block_summary_add_points (&summary, columns, from, to);
    }
  for (guint i = 0; i < SONDE_BLOCK_CHUNKS; i++)
    {
      SondeBucket whole = { 0 };

      sonde_bucket_add_points (&whole, columns, i * SONDE_CHUNK_POINTS,
                               MIN (n, (i + 1) * SONDE_CHUNK_POINTS));
      /* values of the fixture are no -0, so that equal numbers are equal bytes */
      g_assert_cmpmem (&summary.chunks[i], sizeof whole, &whole, sizeof whole);
    }
  g_assert_cmpuint (summary.bucket.count, ==, n);
  g_assert_cmpuint (sonde_block_summary_get_size (n), ==, sizeof summary);
  g_assert_cmpuint (sonde_block_summary_get_size (513), ==,
                    sizeof summary - 6 * sizeof (SondeBucket));
}

static void
test_all_nan (void)
{
  g_autoptr (SondeColumns) columns = sonde_columns_new (3);
  SondeBlockSummary summary = { 0 };

  for (guint i = 0; i < 3; i++)
    {
      columns->steps[i] = i;
      columns->walls[i] = i;
      columns->values[i] = NAN;
      columns->sessions[i] = 1;
    }
  sonde_block_summary_add_points (&summary, columns, 0, 2);
  g_assert_true (isnan (summary.bucket.min) && isnan (summary.bucket.max)
                 && isnan (summary.finite_min));
  g_assert_true (summary.sorted);
  columns->values[2] = 5;
  sonde_block_summary_add_points (&summary, columns, 2, 3);
  g_assert_cmpfloat (summary.bucket.min, ==, 5);
  g_assert_cmpfloat (summary.finite_max, ==, 5);
  g_assert_cmpuint (summary.bucket.n_nan, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/runs/columns/round-trip", test_round_trip);
  g_test_add_func ("/data/runs/columns/usual-size", test_usual_size);
  g_test_add_func ("/data/runs/columns/hostile-bytes", test_hostile_bytes);
  g_test_add_func ("/data/runs/columns/summary", test_summary);
  g_test_add_func ("/data/runs/columns/chunks", test_chunks);
  g_test_add_func ("/data/runs/columns/all-nan", test_all_nan);
  return g_test_run ();
}
