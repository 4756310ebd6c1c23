/* SPDX-License-Identifier: Apache-2.0 */
#include "data/traces/sonde-counter-unit.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "data/base/sonde-span-counters.h"

#define MOST_BYTES 9e18 /* beyond them a size is no size */

SondeCounterUnit
sonde_counter_get_unit (const SondeTrace *trace, const SondeTraceCounter *counter)
{
  if (g_strcmp0 (trace->producer, "sonde") != 0)
    return SONDE_COUNTER_PLAIN;
  if (g_str_equal (counter->name, SONDE_COUNTER_FREQUENCY))
    return SONDE_COUNTER_MEGAHERTZ;
  /* “memory” by kind, “memory reserved”, “memory of the process” and “of the device”. */
  if (g_str_has_prefix (counter->name, "memory")
      || g_str_equal (counter->name, SONDE_COUNTER_UNWRITTEN))
    return SONDE_COUNTER_BYTES;
  return SONDE_COUNTER_PLAIN;
}

char *
sonde_counter_format (SondeCounterUnit unit, double value)
{
  g_autofree char *text = NULL;

  if (unit == SONDE_COUNTER_BYTES && fabs (value) < MOST_BYTES)
    {
      text = sonde_format_bytes ((guint64) fabs (value));
      return g_strconcat (value < 0 ? "−" : "", text, NULL);
    }
  text = sonde_format_number (value);
  return g_strconcat (text, unit == SONDE_COUNTER_MEGAHERTZ ? " MHz" : "", NULL);
}
