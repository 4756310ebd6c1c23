/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/sonde-time-ticks.h"

#include <math.h>

#include "data/base/sonde-text.h"

#define MINUTE 60.0
#define HOUR 3600.0
#define DAY 86400.0

SondeAxisTicks
sonde_axis_ticks_duration (double low, double high, int max_ticks, const char **unit,
                           double *unit_seconds)
{
  static const struct
  {
    double from, size;
    const char *name;
  } units[] = {
    { 3 * DAY, DAY, N_ ("days") },
    { 3 * HOUR, HOUR, "h" },
    { 5 * MINUTE, MINUTE, "min" },
    { 0, 1, "s" },
  };
  double largest = MAX (fabs (low), fabs (high));
  gsize i = 0;

  while (i + 1 < G_N_ELEMENTS (units) && !(largest >= units[i].from))
    i++;
  *unit = _ (units[i].name);
  *unit_seconds = units[i].size;
  return sonde_axis_ticks_linear (low / units[i].size, high / units[i].size, max_ticks);
}

/* Steps of clocks, in seconds. */
static const double clock_steps[] = {
  1,          2,           5,           10,          15,       30,       MINUTE,   2 * MINUTE,
  5 * MINUTE, 10 * MINUTE, 15 * MINUTE, 30 * MINUTE, HOUR,     2 * HOUR, 3 * HOUR, 6 * HOUR,
  12 * HOUR,  DAY,         2 * DAY,     7 * DAY,     14 * DAY, 30 * DAY, 90 * DAY, 365 * DAY,
};

static double
zone_offset (double seconds, GTimeZone *zone)
{
  g_autoptr (GTimeZone) local = zone != NULL ? g_time_zone_ref (zone) : g_time_zone_new_local ();
  int interval = g_time_zone_find_interval (local, G_TIME_TYPE_UNIVERSAL, (gint64) seconds);

  return interval < 0 ? 0 : g_time_zone_get_offset (local, interval);
}

SondeAxisTicks
sonde_axis_ticks_clock (double low, double high, int max_ticks, GTimeZone *zone)
{
  SondeAxisTicks ticks = { 0 };
  double a = MIN (low, high), b = MAX (low, high), offset;

  if (!isfinite (a) || !isfinite (b) || !(b > a) || fabs (a) > 1e11 || fabs (b) > 1e11)
    return ticks;
  max_ticks = CLAMP (max_ticks, 2, SONDE_MAX_TICKS);
  if (b - a < 2)
    return sonde_axis_ticks_linear (a, b, max_ticks);
  offset = zone_offset (a, zone);
  for (gsize i = 0; i < G_N_ELEMENTS (clock_steps); i++)
    {
      double step = clock_steps[i], first = ceil ((a + offset) / step),
             last = floor ((b + offset) / step);

      if (last - first + 1 > max_ticks && i + 1 < G_N_ELEMENTS (clock_steps))
        continue;
      ticks.step = step;
      ticks.first = first * step - offset;
      ticks.n = (int) CLAMP (last - first + 1, 0, max_ticks);
      break;
    }
  return ticks;
}

static char *
format_time (double seconds, const char *format, GTimeZone *zone)
{
  g_autoptr (GDateTime) utc = g_date_time_new_from_unix_utc ((gint64) floor (seconds + 1e-6));
  g_autoptr (GTimeZone) local = zone != NULL ? g_time_zone_ref (zone) : g_time_zone_new_local ();
  g_autoptr (GDateTime) time = utc != NULL ? g_date_time_to_timezone (utc, local) : NULL;

  return time != NULL ? g_date_time_format (time, format) : g_strdup ("?");
}

char *
sonde_axis_ticks_clock_label (const SondeAxisTicks *ticks, int i, GTimeZone *zone)
{
  double seconds = sonde_axis_ticks_get (ticks, i);

  if (ticks->step < 1)
    {
      g_autofree char *whole = format_time (seconds, "%H:%M:%S", zone);
      return g_strdup_printf ("%s.%d", whole, (int) ((seconds - floor (seconds)) * 10 + 0.5) % 10);
    }
  if (ticks->step < MINUTE)
    return format_time (seconds, "%H:%M:%S", zone);
  if (ticks->step < DAY)
    return format_time (seconds, "%H:%M", zone);
  /* Translators: day and month on the axis of a chart, as of g_date_time_format() */
  return format_time (seconds, C_ ("axis label", "%-d %b"), zone);
}
