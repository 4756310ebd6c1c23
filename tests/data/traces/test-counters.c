/* SPDX-License-Identifier: Apache-2.0
 * Units of counters: known of what Sonde records, and of nobody else's. */
#include <math.h>

#include "data/base/sonde-span-counters.h"
#include "data/traces/sonde-counter-unit.h"

static void
test_unit (void)
{
  static const struct
  {
    const char *producer, *name;
    SondeCounterUnit unit;
  } cases[] = {
    { "sonde", SONDE_COUNTER_PROCESS, SONDE_COUNTER_BYTES },
    { "sonde", SONDE_COUNTER_DEVICE, SONDE_COUNTER_BYTES },
    { "sonde", SONDE_COUNTER_UNWRITTEN, SONDE_COUNTER_BYTES },
    { "sonde", SONDE_COUNTER_FREQUENCY, SONDE_COUNTER_MEGAHERTZ },
    { "sonde", "memory reserved", SONDE_COUNTER_BYTES },
    { "sonde", "data/ready", SONDE_COUNTER_PLAIN },
    { "pytorch", "memory reserved", SONDE_COUNTER_PLAIN },
    { NULL, SONDE_COUNTER_FREQUENCY, SONDE_COUNTER_PLAIN },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      const SondeTrace trace = { .producer = cases[i].producer };
      const SondeTraceCounter counter = { .name = cases[i].name };

      g_assert_cmpint (sonde_counter_get_unit (&trace, &counter), ==, cases[i].unit);
    }
}

static void
test_format (void)
{
  static const struct
  {
    SondeCounterUnit unit;
    double value;
    const char *text;
  } cases[] = {
    { SONDE_COUNTER_BYTES, 1536, "1.5 KiB" },  { SONDE_COUNTER_BYTES, -1536, "−1.5 KiB" },
    { SONDE_COUNTER_BYTES, 0, "0 B" },         { SONDE_COUNTER_BYTES, 1e300, "1e+300" },
    { SONDE_COUNTER_BYTES, NAN, "nan" },       { SONDE_COUNTER_MEGAHERTZ, 2600, "2600 MHz" },
    { SONDE_COUNTER_PLAIN, 12345, "12.35 k" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *text = sonde_counter_format (cases[i].unit, cases[i].value);

      g_assert_cmpstr (text, ==, cases[i].text);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/data/traces/counters/unit", test_unit);
  g_test_add_func ("/data/traces/counters/format", test_format);
  return g_test_run ();
}
