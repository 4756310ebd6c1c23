/* SPDX-License-Identifier: Apache-2.0
 * Sets of time against a bit for each nanosecond; the split of steps and devices of real traces against
 * what an independent reader found (shared/samples/traces). */
#include <math.h>
#include <stdlib.h>

#include <json-glib/json-glib.h>

#include "data/profiles/sonde-intervals.h"
#include "data/profiles/sonde-rank-test.h"
#include "data/profiles/sonde-step-split.h"
#include "data/traces/sonde-trace-file.h"

#define LENGTH 60

static void
fill (GRand *random, SondeIntervals *set, gboolean bits[LENGTH])
{
  sonde_intervals_init (set);
  for (int i = 0; i < 8; i++)
    {
      int start = g_rand_int_range (random, 0, LENGTH);
      int end = g_rand_int_range (random, start, MIN (start + 12, LENGTH) + 1);

      sonde_intervals_add (set, start, end);
      for (int k = start; k < end; k++)
        bits[k] = TRUE;
    }
  sonde_intervals_settle (set);
}

static void
test_intervals (void)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (17);

  for (int round = 0; round < 300; round++)
    {
      g_auto (SondeIntervals) a = { NULL, NULL }, b = { NULL, NULL }, rest = { NULL, NULL };
      gboolean in_a[LENGTH] = { FALSE }, in_b[LENGTH] = { FALSE };
      int start = g_rand_int_range (random, 0, LENGTH), n_a = 0, n_rest = 0;
      int end = g_rand_int_range (random, start, LENGTH + 1);

      fill (random, &a, in_a);
      fill (random, &b, in_b);
      sonde_intervals_init (&rest);
      sonde_intervals_subtract (&a, &b, &rest);
      for (int i = start; i < end; i++)
        {
          n_a += in_a[i];
          n_rest += in_a[i] && !in_b[i];
        }
      g_assert_cmpint (sonde_intervals_measure (&a, start, end), ==, n_a);
      g_assert_cmpint (sonde_intervals_measure (&rest, start, end), ==, n_rest);
    }
}

/* ---- rank test ----------------------------------------------------------- */

static void
test_ranks (void)
{
  const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 };
  const double tied[] = { 1, 1, 2, 2 }, tied_high[] = { 2, 3, 3, 3 };
  g_autofree double *a = g_new (double, 100), *b = g_new (double, 100);
  double p[] = { 0.01, 0.04, 0.03, 0.5 };

  /* 2 of the 252 choices are as far apart */
  g_assert_cmpfloat_with_epsilon (sonde_rank_test (low, 5, high, 5), 2.0 / 252, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_rank_test (low, 5, low, 5), 1, 1e-12);
  /* of 70 choices: doubled ranks 3 3 9 9 9 14 14 14 give sums from 24 (counted by hand: 3 ways, 3 above) */
  g_assert_cmpfloat_with_epsilon (sonde_rank_test (tied, 4, tied_high, 4), 6.0 / 70, 1e-12);
  for (int i = 0; i < 100; i++)
    {
      a[i] = i;
      b[i] = i + 20.5;
    }
  /* scipy.stats.mannwhitneyu (a, b, method="asymptotic"): U = 3160 */
  g_assert_cmpfloat_with_epsilon (sonde_rank_test (a, 100, b, 100), 7.0e-6, 1e-6);
  sonde_rank_test_adjust (p, 4);
  g_assert_cmpfloat_with_epsilon (p[0], 0.04, 1e-12);
  g_assert_cmpfloat_with_epsilon (p[1], 0.16 / 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (p[2], 0.16 / 3, 1e-12);
  g_assert_cmpfloat_with_epsilon (p[3], 0.5, 1e-12);
  g_assert_cmpfloat (sonde_quantile (high, 5, 0.5), ==, 8);
  g_assert_cmpfloat_with_epsilon (sonde_quantile (high, 5, 0.95), 9.8, 1e-12);
}

static int
compare_doubles (const void *a, const void *b)
{
  const double *x = a, *y = b;

  return (*x > *y) - (*x < *y);
}

/* Choosing finds what sorting finds, whatever the order and however many are equal. */
static void
test_quantiles (void)
{
  for (gsize n = 1; n < 200; n++)
    {
      g_autofree double *values = g_new (double, n), *sorted = NULL;
      double q = (double) (n * 37 % 101) / 100, place = q * (double) (n - 1);
      gsize below = (gsize) place, next = MIN (below + 1, n - 1);

      for (gsize i = 0; i < n; i++)
        values[i] = n % 3 == 0 ? (double) (i * 7919 % 11) : (double) (i * 7919 % (n + 5));
      sorted = g_memdup2 (values, n * sizeof *values);
      qsort (sorted, n, sizeof *sorted, compare_doubles);
      g_assert_cmpfloat (sonde_quantile (values, n, q), ==,
                         sorted[below] + (place - (double) below) * (sorted[next] - sorted[below]));
    }
  g_assert_true (isnan (sonde_quantile (NULL, 0, 0.5)));
}

/* ---- goldens ------------------------------------------------------------- */

static void
assert_member (JsonObject *object, const char *name, gint64 value)
{
  g_test_message ("%s", name);
  g_assert_cmpint (value, ==, json_object_get_int_member (object, name));
}

static void
compare_split (JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (GArray) steps = sonde_trace_find_steps (trace, NULL);
  SondeStepSplit split;

  sonde_step_split_compute (trace, steps, NULL, &split);
  assert_member (expected, "steps", split.n_steps);
  assert_member (expected, "wall_ns", split.wall_ns);
  for (guint i = 0; i < SONDE_STEP_N_PARTS; i++)
    {
      g_autofree char *name = g_strconcat (sonde_step_part_get_name (i), "_ns", NULL);

      if (json_object_has_member (expected, name))
        assert_member (expected, name, split.parts_ns[i]);
      else
        g_assert_cmpint (split.parts_ns[i], ==, 0);
    }
}

static void
compare_device (JsonObject *expected, const SondeTrace *trace)
{
  g_autoptr (GArray) steps = sonde_trace_find_steps (trace, NULL);
  SondeDeviceSplit split;

  sonde_device_split_compute (trace, steps, &split);
  assert_member (expected, "steps", split.n_steps);
  assert_member (expected, "devices", split.n_devices);
  assert_member (expected, "wall_ns", split.wall_ns);
  assert_member (expected, "busy_ns", split.busy_ns);
  assert_member (expected, "idle_ns", split.idle_ns);
  assert_member (expected, "compute_ns", split.compute_ns);
  assert_member (expected, "copy_ns", split.copy_ns);
  assert_member (expected, "communication_ns", split.communication_ns);
  assert_member (expected, "exposed_communication_ns", split.exposed_communication_ns);
}

static gboolean
has_object (JsonObject *object, const char *name)
{
  return json_object_has_member (object, name) && !json_object_get_null_member (object, name);
}

static void
test_golden (gconstpointer data)
{
  g_autofree char *expected_path = g_strconcat (data, ".expected.json", NULL);
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeTrace) trace = sonde_trace_file_read (NULL, data, &error);
  JsonObject *expected;

  g_assert_no_error (error);
  json_parser_load_from_file (parser, expected_path, &error);
  g_assert_no_error (error);
  expected = json_node_get_object (json_parser_get_root (parser));
  if (has_object (expected, "split"))
    compare_split (json_object_get_object_member (expected, "split"), trace);
  if (has_object (expected, "device"))
    compare_device (json_object_get_object_member (expected, "device"), trace);
  else
    {
      g_autoptr (GArray) steps = sonde_trace_find_steps (trace, NULL);
      SondeDeviceSplit split;

      sonde_device_split_compute (trace, steps, &split);
      g_assert_cmpint (split.n_devices, ==, 0);
    }
}

static void
test_missing (void)
{
  g_test_skip ("the shared traces are not here");
}

int
main (int argc, char **argv)
{
  const char *shared = g_getenv ("SONDE_SHARED");
  g_autofree char *folder = g_build_filename (shared ? shared : "", "samples", "traces", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/split/intervals", test_intervals);
  g_test_add_func ("/data/profiles/split/ranks", test_ranks);
  g_test_add_func ("/data/profiles/split/quantiles", test_quantiles);
  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if ((g_str_has_prefix (name, "pytorch-") || g_str_has_prefix (name, "gpu-"))
        && (g_str_has_suffix (name, ".gz") || g_str_has_suffix (name, ".json"))
        && !g_str_has_suffix (name, ".expected.json") && !g_str_has_suffix (name, ".table.json"))
      {
        g_autofree char *test = g_strconcat ("/data/profiles/split/", name, NULL);

        g_test_add_data_func_full (test, g_build_filename (folder, name, NULL), test_golden,
                                   g_free);
      }
  if (dir == NULL)
    g_test_add_func ("/data/profiles/split/missing", test_missing);
  return g_test_run ();
}
