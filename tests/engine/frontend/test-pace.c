/* SPDX-License-Identifier: Apache-2.0
 * Steps a second from steps and times. */
#include "engine/frontend/sonde-debug-pace.h"

#include <math.h>

#define SECOND G_USEC_PER_SEC

static void
test_steady (void)
{
  SondeDebugPace pace = { 0 };

  g_assert_true (isnan (sonde_debug_pace_get (&pace)));
  for (guint i = 0; i <= 200; i++) /* ten times a second, five steps each */
    sonde_debug_pace_add (&pace, 1000 + 5 * i, i * SECOND / 10);
  g_assert_cmpfloat_with_epsilon (sonde_debug_pace_get (&pace), 50, 1e-9);
}

/* What was long ago does not count. */
static void
test_slows_down (void)
{
  SondeDebugPace pace = { 0 };

  for (guint i = 0; i <= 50; i++)
    sonde_debug_pace_add (&pace, 10 * i, i * SECOND / 10);
  g_assert_cmpfloat_with_epsilon (sonde_debug_pace_get (&pace), 100, 1e-9);
  for (guint i = 1; i <= 25; i++)
    sonde_debug_pace_add (&pace, 500 + i, 5 * SECOND + i * SECOND / 10);
  g_assert_cmpfloat_with_epsilon (sonde_debug_pace_get (&pace), 10, 1e-9);
}

static void
test_slow_steps (void)
{
  SondeDebugPace pace = { 0 };

  sonde_debug_pace_add (&pace, 7, 0);
  sonde_debug_pace_add (&pace, 7, 3 * SECOND); /* told again */
  g_assert_true (isnan (sonde_debug_pace_get (&pace)));
  sonde_debug_pace_add (&pace, 8, 5 * SECOND);
  g_assert_cmpfloat_with_epsilon (sonde_debug_pace_get (&pace), 0.2, 1e-9);
  sonde_debug_pace_add (&pace, 9, 15 * SECOND);
  g_assert_cmpfloat_with_epsilon (sonde_debug_pace_get (&pace), 0.1, 1e-9);
}

static void
test_begins_anew (void)
{
  SondeDebugPace pace = { 0 };

  sonde_debug_pace_add (&pace, 10, 0);
  sonde_debug_pace_add (&pace, 20, SECOND);
  sonde_debug_pace_add (&pace, 5, 2 * SECOND); /* it went back */
  g_assert_true (isnan (sonde_debug_pace_get (&pace)));
  sonde_debug_pace_add (&pace, 6, 2 * SECOND + SECOND / 10); /* too short to tell */
  g_assert_true (isnan (sonde_debug_pace_get (&pace)));
  sonde_debug_pace_add (&pace, 9, 3 * SECOND);
  g_assert_cmpfloat_with_epsilon (sonde_debug_pace_get (&pace), 4, 1e-9);
  sonde_debug_pace_clear (&pace);
  g_assert_true (isnan (sonde_debug_pace_get (&pace)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/frontend/pace/steady", test_steady);
  g_test_add_func ("/engine/frontend/pace/slows-down", test_slows_down);
  g_test_add_func ("/engine/frontend/pace/slow-steps", test_slow_steps);
  g_test_add_func ("/engine/frontend/pace/begins-anew", test_begins_anew);
  return g_test_run ();
}
