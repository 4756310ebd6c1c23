/* SPDX-License-Identifier: Apache-2.0
 * Heights between the grid's points, and the levels that tell them apart. */
#include "viewers/paint/landscape/sonde-contour-heights-private.h"

#include <math.h>

#include "data/base/sonde-format.h"
#include "viewers/layout/sonde-axis-ticks.h"
#include "viewers/paint/sonde-color-map.h"

#define LOG_RATIO 30.0
#define LINEAR_LEVELS 10
#define LEVELS_A_DECADE 4
#define LEAST_LEVELS 8 /* of logarithmic ones */
#define MOST_PLAIN 1e6 /* heights above have powers */
#define MOST_DECIMALS 9

gboolean
sonde_contour_find_cell (const double *axis, gsize n, double value, gsize *cell, double *share)
{
  gsize low = 0, high = n - 1;

  if (n < 2 || !(value >= axis[0] && value <= axis[n - 1]))
    return FALSE;
  while (high - low > 1)
    {
      gsize middle = (low + high) / 2;

      if (axis[middle] <= value)
        low = middle;
      else
        high = middle;
    }
  *cell = low;
  *share = axis[high] > axis[low] ? (value - axis[low]) / (axis[high] - axis[low]) : 0;
  return TRUE;
}

double
sonde_contour_height_in (const SondeContour *contour, gsize column, gsize row, double across,
                         double down)
{
  const double *z = contour->z + row * contour->n_x + column;

  return (z[0] * (1 - across) + z[1] * across) * (1 - down)
         + (z[contour->n_x] * (1 - across) + z[contour->n_x + 1] * across) * down;
}

double
sonde_contour_value_at (const SondeContour *contour, double x, double y)
{
  gsize column, row;
  double across, down;

  if (!sonde_contour_find_cell (contour->x, contour->n_x, x, &column, &across)
      || !sonde_contour_find_cell (contour->y, contour->n_y, y, &row, &down))
    return NAN;
  return sonde_contour_height_in (contour, column, row, across, down);
}

static void
add_level (SondeContourLevels *levels, double level)
{
  if (levels->n < SONDE_CONTOUR_MAX_LEVELS && level > levels->low && level < levels->high)
    levels->levels[levels->n++] = level;
}

static void
find_limits (const SondeContour *contour, SondeContourLevels *levels)
{
  *levels = (SondeContourLevels){ .low = INFINITY, .high = -INFINITY };
  for (gsize i = 0; i < contour->n_x * contour->n_y; i++)
    {
      double height = contour->z[i];

      if (!isfinite (height))
        {
          levels->n_unknown++;
          continue;
        }
      if (height < levels->low)
        {
          levels->low = height;
          levels->lowest_x = contour->x[i % contour->n_x];
          levels->lowest_y = contour->y[i / contour->n_x];
        }
      levels->high = fmax (levels->high, height);
    }
}

/* Limits that the caller has for several surfaces. */
static void
share_limits (const SondeContour *contour, SondeContourLevels *levels)
{
  levels->least = levels->low;
  levels->largest = levels->high;
  if (!(contour->level_low < contour->level_high))
    return;
  levels->low = contour->level_low;
  levels->high = contour->level_high;
}

static gboolean
is_logarithmic (const SondeContour *contour, const SondeContourLevels *levels)
{
  return levels->low > 0 && levels->high > levels->low && contour->scale != SONDE_CONTOUR_LINEAR
         && (contour->scale == SONDE_CONTOUR_LOGARITHMIC || levels->high > LOG_RATIO * levels->low);
}

gboolean
sonde_contour_find_levels (const SondeContour *contour, SondeContourLevels *levels)
{
  SondeAxisTicks ticks;

  find_limits (contour, levels);
  if (!(levels->low <= levels->high))
    return FALSE;
  share_limits (contour, levels);
  levels->logarithmic = is_logarithmic (contour, levels);
  levels->decimals = -1;
  if (levels->logarithmic)
    {
      double decades = log10 (levels->high / levels->low);
      int n = (int) fmin (fmax (ceil (decades * LEVELS_A_DECADE), LEAST_LEVELS),
                          SONDE_CONTOUR_MAX_LEVELS);

      for (int i = 1; i < n; i++)
        add_level (levels, levels->low * pow (10, decades * i / n));
      return TRUE;
    }
  ticks = sonde_axis_ticks_linear (levels->low, levels->high, LINEAR_LEVELS);
  for (int i = 0; i < ticks.n; i++)
    add_level (levels, sonde_axis_ticks_get (&ticks, i));
  if (ticks.n > 0 && fmax (fabs (levels->low), fabs (levels->high)) < MOST_PLAIN)
    levels->decimals = (int) fmax (1 - floor (log10 (ticks.step) + 1e-9), 0);
  return TRUE;
}

char *
sonde_contour_format (const SondeContourLevels *levels, double height)
{
  return levels->decimals >= 0 && levels->decimals <= MOST_DECIMALS
             ? g_strdup_printf ("%.*f", levels->decimals, height)
             : sonde_format_number (height);
}

SondeColor
sonde_contour_color (const SondeContourLevels *levels, double height)
{
  int band = 0;

  while (band < levels->n && height >= levels->levels[band])
    band++;
  return sonde_color_map_get (SONDE_COLOR_MAP_VIRIDIS,
                              levels->n > 0 ? (double) band / levels->n : 0.5);
}
