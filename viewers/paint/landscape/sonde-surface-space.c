/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/landscape/sonde-surface-space-private.h"

#include <math.h>

#define TALL 0.6
#define ROOM 1.75  /* of the picture's smaller side, in units of the surface */
#define MARCH 160  /* steps from one end of the surface to the other */
#define LIFT 0.008 /* that a point on the surface is not hidden by itself */

gboolean
sonde_surface_space_init (SondeSurfaceSpace *space, const SondeContour *contour,
                          const SondeSurfaceCamera *camera, int width, int height)
{
  double yaw = camera->yaw * G_PI / 180, pitch = camera->pitch * G_PI / 180;

  *space = (SondeSurfaceSpace){
    .contour = contour,
    .sin_yaw = sin (yaw),
    .cos_yaw = cos (yaw),
    .sin_pitch = sin (pitch),
    .cos_pitch = cos (pitch),
    .middle_x = width / 2.0,
    .middle_y = height / 2.0,
    .scale = fmin (width, height * 1.2) / ROOM * camera->zoom,
  };
  return contour->n_x >= 2 && contour->n_y >= 2
         && sonde_contour_find_levels (contour, &space->levels);
}

static double
share_of (double low, double high, double value)
{
  return high > low ? (value - low) / (high - low) : 0.5;
}

static double
height_share (const SondeContourLevels *levels, double height)
{
  return levels->logarithmic ? share_of (log (levels->low), log (levels->high), log (height))
                             : share_of (levels->low, levels->high, height);
}

SondeSurfacePoint
sonde_surface_space_put (const SondeSurfaceSpace *space, double x, double y, double height)
{
  const SondeContour *contour = space->contour;
  double share = isfinite (height) ? height_share (&space->levels, height) : 0;

  return (SondeSurfacePoint){ share_of (contour->x[0], contour->x[contour->n_x - 1], x) - 0.5,
                              share_of (contour->y[0], contour->y[contour->n_y - 1], y) - 0.5,
                              (share - 0.5) * TALL };
}

double
sonde_surface_space_depth (const SondeSurfaceSpace *space, const SondeSurfacePoint *point)
{
  return space->sin_yaw * point->u + space->cos_yaw * point->v;
}

void
sonde_surface_space_show (const SondeSurfaceSpace *space, const SondeSurfacePoint *point,
                          double *px, double *py)
{
  double across = space->cos_yaw * point->u - space->sin_yaw * point->v;
  double up
      = point->w * space->cos_pitch + sonde_surface_space_depth (space, point) * space->sin_pitch;

  *px = space->middle_x + across * space->scale;
  *py = space->middle_y - up * space->scale;
}

/* The height of the surface there in space; NaN beside it. */
static double
height_at (const SondeSurfaceSpace *space, double u, double v)
{
  const SondeContour *contour = space->contour;
  double right = contour->x[contour->n_x - 1], top = contour->y[contour->n_y - 1];
  double height
      = sonde_contour_value_at (contour, contour->x[0] + (u + 0.5) * (right - contour->x[0]),
                                contour->y[0] + (v + 0.5) * (top - contour->y[0]));

  return isfinite (height) ? (height_share (&space->levels, height) - 0.5) * TALL : NAN;
}

gboolean
sonde_surface_space_is_seen (const SondeSurfaceSpace *space, const SondeSurfacePoint *point)
{
  /* Towards the viewer, a step on the floor at a time. */
  double rise = space->cos_pitch > 1e-3 ? space->sin_pitch / space->cos_pitch / MARCH : INFINITY;

  for (int i = 1; i <= MARCH * 3 / 2 && isfinite (rise); i++)
    {
      double u = point->u - space->sin_yaw * i / MARCH, v = point->v - space->cos_yaw * i / MARCH;

      if (fabs (u) > 0.5 || fabs (v) > 0.5)
        return TRUE;
      if (height_at (space, u, v) > point->w + LIFT + rise * i)
        return FALSE;
    }
  return TRUE;
}
