/* SPDX-License-Identifier: Apache-2.0
 * The cheap clock beside the monotonic one. */
#include "data/base/sonde-ticks.h"

/* A stretch of time that both clocks measure: the monotonic one around the other, then inside
 * it. */
static void
test_agrees (void)
{
  SondeTicks ticks;
  gint64 outer, inner;
  guint64 begin, end;
  double ns;

  sonde_ticks_init (&ticks);
  outer = sonde_clock_monotonic_ns (NULL);
  begin = sonde_ticks_now (&ticks);
  inner = sonde_clock_monotonic_ns (NULL);
  while (sonde_clock_monotonic_ns (NULL) - inner < 2000000)
    ;
  inner = sonde_clock_monotonic_ns (NULL) - inner;
  end = sonde_ticks_now (&ticks);
  outer = sonde_clock_monotonic_ns (NULL) - outer;

  ns = (double) (end - begin) * sonde_ticks_get_ns (&ticks);
  g_assert_cmpfloat (ns, >=, 0.99 * (double) inner);
  g_assert_cmpfloat (ns, <=, 1.01 * (double) outer);
}

static void
test_never_goes_back (void)
{
  SondeTicks ticks;
  guint64 last;

  sonde_ticks_init (&ticks);
  last = sonde_ticks_now (&ticks);
  for (int i = 0; i < 10000; i++)
    {
      guint64 now = sonde_ticks_now (&ticks);

      g_assert_true (now >= last);
      last = now;
    }
}

/* Without the counter a tick is a nanosecond. */
static void
test_without_counter (void)
{
  SondeTicks ticks = { .counter = FALSE };
  gint64 before = sonde_clock_monotonic_ns (NULL);
  guint64 now = sonde_ticks_now (&ticks);

  g_assert_true ((gint64) now >= before && (gint64) now <= sonde_clock_monotonic_ns (NULL));
  g_assert_cmpfloat (sonde_ticks_get_ns (&ticks), ==, 1);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/base/ticks/agrees", test_agrees);
  g_test_add_func ("/data/base/ticks/never-goes-back", test_never_goes_back);
  g_test_add_func ("/data/base/ticks/without-counter", test_without_counter);
  return g_test_run ();
}
