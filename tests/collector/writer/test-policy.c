/* SPDX-License-Identifier: Apache-2.0 */
#include "collector/writer/sonde-policy.h"

#define MS 1000000

static guint
count (gint64 every, double per_second, gint64 n_steps, gint64 step_ns)
{
  SondePolicy policy;
  guint n = 0;

  sonde_policy_init (&policy, every, per_second);
  for (gint64 step = 0; step < n_steps; step++)
    n += (guint) sonde_policy_wants (&policy, step, 5 + step * step_ns);
  return n;
}

static void
test_every (void)
{
  g_assert_cmpuint (count (0, 0, 100, MS), ==, 0);
  g_assert_cmpuint (count (1, 0, 100, MS), ==, 100);
  g_assert_cmpuint (count (10, 0, 100, MS), ==, 10);
  g_assert_cmpuint (count (1000, 0, 100, MS), ==, 1);
}

/* 1000 steps of 1 ms: one second. */
static void
test_rate (void)
{
  g_assert_cmpuint (count (1, 1, 1000, MS), ==, 1);
  g_assert_cmpuint (count (1, 10, 1000, MS), ==, 10);
  g_assert_cmpuint (count (1, 1000, 1000, MS), ==, 1000);
  g_assert_cmpuint (count (300, 10, 1000, MS), ==, 4);
  /* Refused steps do not push the next one away. */
  g_assert_cmpuint (count (7, 10, 1000, MS), ==, 10);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/collector/policy/every", test_every);
  g_test_add_func ("/collector/policy/rate", test_rate);
  return g_test_run ();
}
