/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/layout/trace/sonde-timeline-axis.h"

#include <math.h>

/* More digits than these before the point, and a base is split off. */
#define LONG 10000.0

static const struct
{
  const char *name;
  double ns;
} units[] = { { "ns", 1 }, { "µs", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };

SondeTimelineAxis
sonde_timeline_axis_new (double start_ns, double end_ns, int max_ticks)
{
  SondeTimelineAxis axis = { .unit = units[0].name, .unit_ns = 1 };
  double extent = end_ns - start_ns;

  for (gsize i = 1; i < G_N_ELEMENTS (units); i++)
    if (extent >= 2 * units[i].ns)
      {
        axis.unit = units[i].name;
        axis.unit_ns = units[i].ns;
      }
  if (fabs (start_ns) >= LONG * axis.unit_ns && axis.unit_ns < 1e9)
    {
      double grain = 1000 * axis.unit_ns;

      while (grain * 10 <= extent)
        grain *= 10;
      axis.base_ns = floor (start_ns / grain) * grain;
    }
  axis.ticks = sonde_axis_ticks_linear ((start_ns - axis.base_ns) / axis.unit_ns,
                                        (end_ns - axis.base_ns) / axis.unit_ns, max_ticks);
  return axis;
}

char *
sonde_timeline_axis_dup_label (const SondeTimelineAxis *axis, int i)
{
  return g_strdup_printf ("%s%.*f %s", axis->base_ns != 0 ? "+" : "", axis->ticks.decimals,
                          sonde_axis_ticks_get (&axis->ticks, i), axis->unit);
}

char *
sonde_timeline_dup_time (double since_ns)
{
  double magnitude = fabs (since_ns);
  gsize unit = 0;
  int decimals;
  char *text, *end;

  while (unit + 1 < G_N_ELEMENTS (units) && magnitude >= units[unit + 1].ns)
    unit++;
  decimals = (int) (3 * unit);
  text = g_strdup_printf ("%.*f", decimals, since_ns / units[unit].ns);
  end = text + strlen (text);
  while (decimals > 0 && end[-1] == '0')
    *--end = '\0';
  if (end > text && end[-1] == '.')
    end[-1] = '\0';
  {
    g_autofree char *digits = text;

    return g_strdup_printf ("%s %s", digits, units[unit].name);
  }
}

char *
sonde_timeline_axis_dup_base (const SondeTimelineAxis *axis)
{
  g_autofree char *time = NULL;

  if (axis->base_ns == 0)
    return NULL;
  time = sonde_timeline_dup_time (axis->base_ns);
  return g_strdup_printf ("%s +", time);
}
