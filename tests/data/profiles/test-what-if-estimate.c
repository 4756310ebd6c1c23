/* SPDX-License-Identifier: Apache-2.0
 * The interval of what a node saves: by hand, how often it holds the truth, and that of nothing. */
#include <math.h>

#include "data/profiles/sonde-what-if.h"

#define N 200
#define SERIES 1000

/* Twenty runs in ten blocks of two, whose differences are 50, 51, …, 59. */
static void
test_by_hand (void)
{
  double base[20], without[20];
  SondeWhatIf what_if = { 0 };

  for (guint i = 0; i < 20; i++)
    {
      base[i] = 100 + i / 2;
      without[i] = 50;
    }
  sonde_what_if_estimate (&what_if, base, without, 20);
  g_assert_cmpuint (what_if.n_runs, ==, 20);
  g_assert_cmpfloat (what_if.base_ns, ==, 104.5);
  g_assert_cmpfloat (what_if.without_ns, ==, 50);
  /* the deviation of ten successive numbers is sqrt(55/6) */
  g_assert_cmpfloat_with_epsilon (what_if.high_ns, 54.5 + 2.262 * sqrt (55.0 / 60), 1e-9);
  g_assert_cmpfloat_with_epsilon (what_if.low_ns, 54.5 - 2.262 * sqrt (55.0 / 60), 1e-9);
  g_assert_true (sonde_what_if_is_significant (&what_if));
  g_assert_true (sonde_what_if_is_narrow (&what_if, 0.05));
  g_assert_false (sonde_what_if_is_narrow (&what_if, 0.03));
}

/* Exponential noise above a floor, as that of times; @drift: of the whole machine from block to block. */
static void
make_series (GRand *random, double floor, double drift, double times[N])
{
  for (guint i = 0; i < N; i++)
    times[i] = floor * (1 + drift * (i / 50)) - 10 * log (1 - g_rand_double (random));
}

typedef struct
{
  double without, drift;
} Case;

/* About 95 of 100 intervals hold the true difference; never less than 92. */
static void
test_coverage (gconstpointer data)
{
  const Case *given = data;
  g_autoptr (GRand) random = g_rand_new_with_seed (11);
  double base[N], without[N];
  guint n_covered = 0, n_significant = 0;

  for (guint k = 0; k < SERIES; k++)
    {
      SondeWhatIf what_if = { 0 };
      double truth = 1000 - given->without;

      make_series (random, 1000, given->drift, base);
      make_series (random, given->without, given->drift, without);
      sonde_what_if_estimate (&what_if, base, without, N);
      if (given->drift > 0) /* the medians lie in the middle of the drift */
        truth *= 1 + given->drift * 1.5;
      n_covered += what_if.low_ns <= truth && truth <= what_if.high_ns;
      n_significant += sonde_what_if_is_significant (&what_if);
    }
  g_test_message ("%u of %u intervals hold it, %u tell a difference", n_covered, SERIES,
                  n_significant);
  g_assert_cmpuint (n_covered, >=, SERIES * 92 / 100);
  if (given->without == 1000)
    g_assert_cmpuint (n_significant, <=, SERIES * 2 / 100);
  else
    g_assert_cmpuint (n_significant, ==, SERIES);
}

int
main (int argc, char **argv)
{
  static const Case third = { 667, 0 }, nothing = { 1000, 0 }, drifting = { 667, 0.02 };

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/profiles/what-if/by-hand", test_by_hand);
  g_test_add_data_func ("/data/profiles/what-if/third", &third, test_coverage);
  g_test_add_data_func ("/data/profiles/what-if/nothing", &nothing, test_coverage);
  g_test_add_data_func ("/data/profiles/what-if/drifting", &drifting, test_coverage);
  return g_test_run ();
}
