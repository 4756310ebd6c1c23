/* SPDX-License-Identifier: Apache-2.0
 * Windows over a track against brute force over all its points, with blocks in memory and with
 * blocks that have to be fetched. */
#include <math.h>
#include <string.h>

#include "data/runs/sonde-run-track-private.h"

/* All points in order, and a track of them; rows of the "index" are numbers into @stored. */
typedef struct
{
  GArray *points;    /* element-type SondePoint */
  GPtrArray *stored; /* element-type SondeColumns */
  guint n_columns_loaded, n_units_loaded, n_lost;
  gboolean broken;
  SondeRunCache cache;
  SondeRunTrack *track;
} Fixture;

static SondeColumns *
load_columns (gpointer owner, gint64 row, guint n)
{
  Fixture *fixture = owner;

  fixture->n_columns_loaded++;
  return fixture->broken ? NULL
                         : sonde_columns_copy (g_ptr_array_index (fixture->stored, row - 1), n, n);
}

static gboolean
load_units (gpointer owner, gint64 row, SondeBucket *units, guint n)
{
  Fixture *fixture = owner;

  fixture->n_units_loaded++;
  if (!fixture->broken)
    sonde_units_compute (units, g_ptr_array_index (fixture->stored, row - 1), 0, n);
  return !fixture->broken;
}

static void
lose (gpointer owner)
{
  ((Fixture *) owner)->n_lost++;
}

static const SondeRunBlockSource source = { load_columns, load_units, .lost = lose };

static void
fixture_init (Fixture *fixture, gsize cache_bytes)
{
  memset (fixture, 0, sizeof *fixture);
  fixture->points = g_array_new (FALSE, FALSE, sizeof (SondePoint));
  fixture->stored = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_columns_unref);
  sonde_run_cache_init (&fixture->cache, cache_bytes);
  fixture->track
      = sonde_run_track_new (g_intern_string ("loss"), &fixture->cache, &source, fixture);
}

static void
fixture_clear (Fixture *fixture)
{
  sonde_run_track_free (fixture->track);
  g_assert_cmpuint (fixture->cache.bytes, ==, 0);
  g_ptr_array_unref (fixture->stored);
  g_array_unref (fixture->points);
}

/* @columns: (nullable). @row: of the stored block, or 0 */
static void
put_block (Fixture *fixture, guint file, const char *path, guint number, SondeColumns *columns,
           guint n, const SondeBlockSummary *summary, gint64 row)
{
  GRefString *order = g_ref_string_new (path);
  g_autoptr (SondeRunBlock) block
      = sonde_run_block_new (number, n, columns, summary, row, row ? n : 0);

  sonde_run_track_put_block (fixture->track, file, order, block);
  g_ref_string_release (order);
}

/* @n points of one file with sorted steps from @first_step, some equal, or wild ones. */
static void
add_file (Fixture *fixture, guint file, guint n, gint64 first_step, gboolean wild, gboolean stored,
          GRand *rand)
{
  g_autofree char *order = g_strdup_printf ("%06u.sonde", file);
  gint64 step = first_step;

  for (guint number = 0; number * SONDE_BLOCK_POINTS < n; number++)
    {
      guint count = MIN (SONDE_BLOCK_POINTS, n - number * SONDE_BLOCK_POINTS);
      g_autoptr (SondeColumns) columns = sonde_columns_new (count);
      SondeBlockSummary summary = { 0 };

      for (guint i = 0; i < count; i++)
        {
          SondePoint point = {
            .step = wild ? g_rand_int_range (rand, 0, 5000) : step,
            .wall_time_ns = step * 10,
            .value
            = g_rand_int_range (rand, 0, 100) == 0 ? (double) NAN : g_rand_double (rand) * 2 - 1,
            .session = file + 1,
          };

          step += g_rand_int_range (rand, 0, 3);
          columns->steps[i] = point.step;
          columns->walls[i] = point.wall_time_ns;
          columns->values[i] = point.value;
          columns->sessions[i] = point.session;
          g_array_append_val (fixture->points, point);
        }
      sonde_block_summary_add_points (&summary, columns, 0, count);
      if (stored)
        g_ptr_array_add (fixture->stored, sonde_columns_ref (columns));
      put_block (fixture, file, order, number, stored ? NULL : columns, count, &summary,
                 stored ? fixture->stored->len : 0);
    }
}

/* The window's points, in order. */
static GArray *
points_in_window (Fixture *fixture, gint64 from, gint64 to)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (SondePoint));

  for (guint i = 0; i < fixture->points->len; i++)
    {
      const SondePoint *point = &g_array_index (fixture->points, SondePoint, i);

      if (point->step >= from && point->step <= to)
        g_array_append_vals (points, point, 1);
    }
  return points;
}

static void
check_bucket (const SondeBucket *bucket, const SondePoint *points)
{
  double min = NAN, max = NAN;
  guint n_nan = 0;

  for (guint i = 0; i < bucket->count; i++)
    {
      min = fmin (min, points[i].value);
      max = fmax (max, points[i].value);
      n_nan += isnan (points[i].value) != 0;
    }
  g_assert_true (bucket->min == min || (isnan (bucket->min) && isnan (min)));
  g_assert_true (bucket->max == max || (isnan (bucket->max) && isnan (max)));
  g_assert_cmpuint (bucket->n_nan, ==, n_nan);
  g_assert_cmpint (bucket->first_step, ==, points[0].step);
  g_assert_cmpint (bucket->last_step, ==, points[bucket->count - 1].step);
  g_assert_cmpint (bucket->first_wall_ns, ==, points[0].wall_time_ns);
  g_assert_cmpint (bucket->last_wall_ns, ==, points[bucket->count - 1].wall_time_ns);
  g_assert_cmpmem (&bucket->first, 8, &points[0].value, 8);
  g_assert_cmpmem (&bucket->last, 8, &points[bucket->count - 1].value, 8);
  g_assert_cmpuint (bucket->session, ==, points[0].session);
}

/* Stretches follow each other, cover the window, and say the truth about it. Returns how many. */
static guint
check_query (Fixture *fixture, gint64 from, gint64 to, guint max_buckets)
{
  g_autoptr (GArray) points = points_in_window (fixture, from, to);
  g_autoptr (GArray) buckets = sonde_run_track_query (fixture->track, from, to, max_buckets);
  guint at = 0;

  g_assert_cmpuint (buckets->len, <=, max_buckets);
  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);

      g_assert_cmpuint (bucket->count, >, 0);
      g_assert_cmpuint (at + bucket->count, <=, points->len);
      check_bucket (bucket, &g_array_index (points, SondePoint, at));
      at += bucket->count;
    }
  g_assert_cmpuint (at, ==, points->len);
  if (points->len <= max_buckets)
    g_assert_cmpuint (buckets->len, ==, points->len);
  return buckets->len;
}

static void
check_random_windows (Fixture *fixture, GRand *rand, int rounds)
{
  for (int round = 0; round < rounds; round++)
    {
      gint64 span = fixture->points->len * 2;
      gint64 from = g_rand_double_range (rand, -100, span);
      gint64 to = from + (gint64) (pow (g_rand_double (rand), 3) * span);

      check_query (fixture, from, to, g_rand_int_range (rand, 1, 2000));
    }
  check_query (fixture, G_MININT64, G_MAXINT64, 1);
  check_query (fixture, G_MININT64, G_MAXINT64, 1000);
  check_query (fixture, G_MAXINT64, G_MININT64, 1000);
  check_query (fixture, 0, 0, 1000);
}

static void
test_million (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);
  Fixture fixture;

  fixture_init (&fixture, SONDE_RUN_CACHE_BYTES);
  add_file (&fixture, 0, 1000000, 0, FALSE, FALSE, rand);
  check_random_windows (&fixture, rand, 60);
  g_assert_cmpuint (check_query (&fixture, G_MININT64, G_MAXINT64, 1000), ==, 1000);
  g_assert_cmpuint (check_query (&fixture, 1000, 100000, 1000), ==, 1000);
  fixture_clear (&fixture);
}

/* Five million points in blocks of the index, a cache too small for them. */
static void
test_fetched_blocks (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);
  Fixture fixture;
  g_autoptr (GArray) buckets = NULL;

  fixture_init (&fixture, 1 << 20);
  add_file (&fixture, 0, 5000000, 0, FALSE, TRUE, rand);
  buckets = sonde_run_track_query (fixture.track, G_MININT64, G_MAXINT64, 600);
  /* a picture of everything needs the summaries and at most an edge */
  g_assert_cmpuint (buckets->len, ==, 600);
  g_assert_cmpuint (fixture.n_columns_loaded, <=, 1);
  g_assert_cmpuint (fixture.n_units_loaded, <=, 1);
  /* chunks are in the summaries: a window of many blocks reads no more than its two edges */
  g_assert_cmpuint (check_query (&fixture, 3, 4990000, 2000), ==, 2000);
  g_assert_cmpuint (check_query (&fixture, 1234567, 2789012, 1000), ==, 1000);
  g_assert_cmpuint (fixture.n_columns_loaded, <=, 5);
  g_assert_cmpuint (fixture.n_units_loaded, ==, 0);
  check_random_windows (&fixture, rand, 15);
  g_assert_cmpuint (fixture.cache.bytes, <=, 1 << 20);
  g_assert_cmpuint (fixture.n_lost, ==, 0);
  fixture_clear (&fixture);
}

static void
test_wild_steps_and_files (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (3);
  Fixture fixture;

  fixture_init (&fixture, SONDE_RUN_CACHE_BYTES);
  add_file (&fixture, 0, 9000, 0, FALSE, FALSE, rand);
  add_file (&fixture, 1, 10000, 0, TRUE, TRUE, rand);
  add_file (&fixture, 2, 1, 4000, FALSE, FALSE, rand);
  add_file (&fixture, 3, 5000, 4000, FALSE, TRUE, rand);
  check_random_windows (&fixture, rand, 100);
  fixture_clear (&fixture);
}

static void
test_sessions_apart (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (4);
  g_autoptr (GArray) buckets = NULL;
  Fixture fixture;

  fixture_init (&fixture, SONDE_RUN_CACHE_BYTES);
  add_file (&fixture, 0, 3000, 0, FALSE, FALSE, rand);
  add_file (&fixture, 1, 70000, 100, FALSE, FALSE, rand);
  buckets = sonde_run_track_query (fixture.track, G_MININT64, G_MAXINT64, 100);
  for (guint i = 0, at = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);

      at += bucket->count;
      g_assert_cmpuint (g_array_index (fixture.points, SondePoint, at - 1).session, ==,
                        bucket->session);
    }
  fixture_clear (&fixture);
}

static void
test_copy_and_ends (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (5);
  g_autofree SondePoint *copy = g_new (SondePoint, 20000);
  Fixture fixture;
  SondePoint last;
  gint64 first_step, last_step;
  double min, max;

  fixture_init (&fixture, SONDE_RUN_CACHE_BYTES);
  g_assert_false (sonde_run_track_get_last (fixture.track, &last));
  g_assert_false (sonde_run_track_get_range (fixture.track, &first_step, &last_step, &min, &max));
  add_file (&fixture, 0, 5000, 10, FALSE, TRUE, rand);
  add_file (&fixture, 1, 5000, 0, FALSE, FALSE, rand);
  g_assert_cmpuint (sonde_run_track_copy_points (fixture.track, 0, 20000, copy), ==, 10000);
  g_assert_cmpuint (sonde_run_track_copy_points (fixture.track, 4000, 3000, copy), ==, 3000);
  for (guint i = 0; i < 3000; i++)
    {
      const SondePoint *point = &g_array_index (fixture.points, SondePoint, 4000 + i);

      g_assert_cmpint (copy[i].step, ==, point->step);
      g_assert_cmpuint (copy[i].session, ==, point->session);
      g_assert_cmpmem (&copy[i].value, 8, &point->value, 8);
    }
  g_assert_true (sonde_run_track_get_last (fixture.track, &last));
  g_assert_cmpint (last.step, ==, g_array_index (fixture.points, SondePoint, 9999).step);
  g_assert_cmpuint (last.session, ==, 2);
  g_assert_true (sonde_run_track_get_range (fixture.track, &first_step, &last_step, &min, &max));
  g_assert_cmpint (first_step, ==, 0);
  g_assert_cmpfloat (min, >=, -1);
  sonde_run_track_drop_file (fixture.track, 0);
  g_assert_cmpuint (sonde_run_track_get_n_points (fixture.track), ==, 5000);
  fixture_clear (&fixture);
}

static void
test_lost_blocks (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (6);
  g_autoptr (GArray) buckets = NULL;
  Fixture fixture;
  SondePoint points[10];

  fixture_init (&fixture, SONDE_RUN_CACHE_BYTES);
  add_file (&fixture, 0, 50000, 0, FALSE, TRUE, rand);
  fixture.broken = TRUE;
  g_assert_cmpuint (sonde_run_track_copy_points (fixture.track, 5, 10, points), ==, 0);
  buckets = sonde_run_track_query (fixture.track, 3, 90000, 100);
  g_assert_cmpuint (fixture.n_lost, >, 0);
  fixture_clear (&fixture);
}

/* A tail that grows in place, then in a larger copy. */
static void
test_growing_tail (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  g_autoptr (SondeColumns) columns = sonde_columns_new (16);
  SondeBlockSummary summary = { 0 };
  Fixture fixture;

  fixture_init (&fixture, SONDE_RUN_CACHE_BYTES);
  for (guint n = 0; n < 3000; n++)
    {
      SondePoint point
          = { .step = n, .wall_time_ns = n, .value = g_rand_double (rand), .session = 1 };

      if (n == columns->capacity)
        {
          SondeColumns *larger = sonde_columns_copy (columns, n, 2 * n);

          sonde_columns_unref (columns);
          columns = larger;
        }
      columns->steps[n] = columns->walls[n] = n;
      columns->values[n] = point.value;
      columns->sessions[n] = 1;
      g_array_append_val (fixture.points, point);
      sonde_block_summary_add_points (&summary, columns, n, n + 1);
      put_block (&fixture, 0, "a", 0, columns, n + 1, &summary, 0);
      if (n % 50 == 0)
        {
          check_query (&fixture, n / 3, n, 10);
          check_query (&fixture, 0, n, 2);
          check_query (&fixture, 0, n, 1);
        }
    }
  fixture_clear (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/runs/query/million", test_million);
  g_test_add_func ("/data/runs/query/fetched-blocks", test_fetched_blocks);
  g_test_add_func ("/data/runs/query/wild-steps-and-files", test_wild_steps_and_files);
  g_test_add_func ("/data/runs/query/sessions-apart", test_sessions_apart);
  g_test_add_func ("/data/runs/query/copy-and-ends", test_copy_and_ends);
  g_test_add_func ("/data/runs/query/lost-blocks", test_lost_blocks);
  g_test_add_func ("/data/runs/query/growing-tail", test_growing_tail);
  return g_test_run ();
}
