/* SPDX-License-Identifier: Apache-2.0
 * Ticks at 1-2-5 steps. Source of the rule: Heckbert, "Nice numbers for graph labels", Graphics
 * Gems, 1990, with the step never rounded to fewer ticks than fit. */
#include "viewers/layout/sonde-axis-ticks.h"

#include "data/base/sonde-format.h"

#include <math.h>

static SondeAxisTicks
ticks_with_floor (double low, double high, int max_ticks, double min_step)
{
  static const double nice[] = { 1, 2, 5, 10 };
  double a = MIN (low, high), b = MAX (low, high), magnitude;
  SondeAxisTicks ticks = { 0 };

  if (!isfinite (a) || !isfinite (b) || !(b > a) || !(b - a < G_MAXDOUBLE))
    return ticks;
  max_ticks = CLAMP (max_ticks, 2, SONDE_MAX_TICKS);
  magnitude = pow (10, floor (log10 ((b - a) / max_ticks)));
  for (gsize i = 0; i < G_N_ELEMENTS (nice); i++)
    {
      double step = MAX (nice[i] * magnitude, min_step), slack = step * 1e-9;
      double first = ceil ((a - slack) / step), last = floor ((b + slack) / step);

      if (last - first + 1 > max_ticks && i + 1 < G_N_ELEMENTS (nice))
        continue;
      ticks.step = step;
      ticks.first = first * step;
      ticks.n = (int) CLAMP (last - first + 1, 0, SONDE_MAX_TICKS);
      break;
    }
  ticks.decimals = (int) CLAMP (ceil (-log10 (ticks.step) - 1e-9), 0, 20);
  return ticks;
}

SondeAxisTicks
sonde_axis_ticks_linear (double low, double high, int max_ticks)
{
  return ticks_with_floor (low, high, max_ticks, 0);
}

SondeAxisTicks
sonde_axis_ticks_integer (double low, double high, int max_ticks)
{
  return ticks_with_floor (low, high, max_ticks, 1);
}

SondeAxisTicks
sonde_axis_ticks_decades (double low, double high, int max_ticks)
{
  double whole = floor (MAX (low, high) + 1e-9) - ceil (MIN (low, high) - 1e-9) + 1;
  SondeAxisTicks ticks = whole >= 2 ? sonde_axis_ticks_integer (low, high, max_ticks)
                                    : sonde_axis_ticks_linear (low, high, MIN (max_ticks, 4));

  ticks.decimals = -1;
  return ticks;
}

double
sonde_axis_ticks_get (const SondeAxisTicks *ticks, int i)
{
  double value = ticks->first + i * ticks->step;

  return fabs (value) < ticks->step * 1e-9 ? 0 : value;
}

/* A power of ten large enough that all labels share it. */
static const struct
{
  double size;
  const char *unit;
} units[] = { { 1e12, " T" }, { 1e9, " G" }, { 1e6, " M" }, { 1e3, " k" } };

/* Where sonde_format_number() writes a power of ten, so do the labels, all of them. */
static gboolean
is_scientific (double largest, double step, SondeNotation notation)
{
  double least = notation == SONDE_NOTATION_PLAIN ? 1e-8 : 1e-4;

  return notation == SONDE_NOTATION_SCIENTIFIC || largest >= 1e15
         || (largest < least && step < least);
}

char *
sonde_axis_ticks_label (const SondeAxisTicks *ticks, int i)
{
  double value = sonde_axis_ticks_get (ticks, i);
  double largest = MAX (fabs (ticks->first), fabs (sonde_axis_ticks_get (ticks, ticks->n - 1)));
  SondeNotation notation = sonde_format_get_style ().notation;

  if (value == 0)
    return g_strdup ("0");
  if (is_scientific (largest, ticks->step, notation))
    {
      /* Digits from the first of the largest to the first of the step. */
      double digits = floor (log10 (largest) + 1e-9) - floor (log10 (ticks->step) + 1e-9);
      return g_strdup_printf ("%.*e", (int) CLAMP (digits, 0, 6), value);
    }
  for (gsize k = 0;
       notation == SONDE_NOTATION_AUTOMATIC && largest >= 1e4 && k < G_N_ELEMENTS (units); k++)
    if (largest >= units[k].size)
      {
        int decimals = (int) CLAMP (ceil (-log10 (ticks->step / units[k].size) - 1e-9), 0, 9);
        return g_strdup_printf ("%.*f%s", decimals, value / units[k].size, units[k].unit);
      }
  return g_strdup_printf ("%.*f", MAX (ticks->decimals, 0), value);
}

/* Digits behind the first one that @value needs, to a share of the step. */
static int
count_digits (double value, double step)
{
  for (int digits = 0; digits < 6; digits++)
    {
      char text[32];

      g_snprintf (text, sizeof text, "%.*e", digits, value);
      if (fabs (g_ascii_strtod (text, NULL) - value) < step * 1e-3)
        return digits;
    }
  return 6;
}

char *
sonde_axis_ticks_short_label (const SondeAxisTicks *ticks, int i)
{
  double value = sonde_axis_ticks_get (ticks, i);
  int digits = 0;

  if (value == 0)
    return g_strdup ("0");
  for (int k = 0; k < ticks->n; k++)
    digits = MAX (digits, count_digits (sonde_axis_ticks_get (ticks, k), ticks->step));
  return g_strdup_printf ("%.*e", digits, value);
}

int
sonde_axis_ticks_within_decades (double low, double high, double *values)
{
  static const double nice[] = { 1, 2, 5 };
  int n = 0;

  for (double decade = floor (low); decade <= high; decade++)
    for (gsize i = 0; i < G_N_ELEMENTS (nice) && n < SONDE_MAX_TICKS; i++)
      {
        double value = nice[i] * pow (10, decade), place = log10 (value);
        if (place >= low - 1e-9 && place <= high + 1e-9)
          values[n++] = value;
      }
  return n;
}

char *
sonde_axis_ticks_decade_label (const SondeAxisTicks *ticks, int i)
{
  double exponent = sonde_axis_ticks_get (ticks, i);
  SondeNotation notation = sonde_format_get_style ().notation;
  int widest = notation == SONDE_NOTATION_PLAIN ? 8 : 4;

  if (exponent != round (exponent))
    return sonde_format_number (pow (10, exponent));
  if (notation != SONDE_NOTATION_SCIENTIFIC && exponent >= 1 - widest && exponent <= widest)
    return g_strdup_printf ("%.*f", (int) MAX (-exponent, 0), pow (10, exponent));
  return g_strdup_printf ("1e%+03d", (int) exponent);
}
