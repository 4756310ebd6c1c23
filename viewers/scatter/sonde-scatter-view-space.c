/* SPDX-License-Identifier: Apache-2.0
 * Where points are: in space as it is turned, and in the widget. */
#include "viewers/scatter/sonde-scatter-view-private.h"

#include <math.h>

double
sonde_scatter_view_turn_place (const SondeScatterView *view, const double unit[3], double *x,
                               double *y)
{
  double a = unit[0] * cos (view->yaw) + unit[2] * sin (view->yaw),
         b = unit[2] * cos (view->yaw) - unit[0] * sin (view->yaw);

  *x = a * SONDE_SCATTER_WORLD;
  *y = -(unit[1] * cos (view->pitch) - b * sin (view->pitch)) * SONDE_SCATTER_WORLD;
  return b * cos (view->pitch) + unit[1] * sin (view->pitch);
}

void
sonde_scatter_view_turn_points (SondeScatterView *view)
{
  for (gsize i = 0; i < view->n; i++)
    {
      double unit[3];

      for (int k = 0; k < 3; k++)
        unit[k]
            = (view->places[3 * i + (gsize) k] - (view->low[k] + view->high[k]) / 2) / view->range;
      view->depths[i]
          = sonde_scatter_view_turn_place (view, unit, &view->world[2 * i], &view->world[2 * i + 1])
                / sqrt (3)
            + 0.5;
    }
}

void
sonde_scatter_view_get_place (SondeScatterView *view, gsize point, double *x, double *y)
{
  g_return_if_fail (view != NULL && point < view->n);
  sonde_view_world_to_view (SONDE_VIEW (view), view->world[2 * point], view->world[2 * point + 1],
                            x, y);
}
