/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/landscape/sonde-surface-hold.h"

#include <math.h>

#define DEGREES_PER_PX 0.4
#define WHEEL_STEP 0.12
#define NEAR 9.0 /* px to a point of the path */

void
sonde_surface_hold_init (SondeSurfaceHold *hold)
{
  *hold = (SondeSurfaceHold){ .camera = { 35, 35, 1 } };
}

void
sonde_surface_hold_set_camera (SondeSurfaceHold *hold, const SondeSurfaceCamera *camera)
{
  hold->camera = (SondeSurfaceCamera){ fmod (camera->yaw, 360), CLAMP (camera->pitch, 0, 90),
                                       CLAMP (camera->zoom, 0.2, 20) };
}

void
sonde_surface_hold_turn (SondeSurfaceHold *hold, double yaw, double pitch)
{
  sonde_surface_hold_set_camera (hold, &(SondeSurfaceCamera){ hold->camera.yaw + yaw,
                                                              hold->camera.pitch + pitch,
                                                              hold->camera.zoom });
}

void
sonde_surface_hold_scroll (SondeSurfaceHold *hold, double dy)
{
  SondeSurfaceCamera camera = hold->camera;

  camera.zoom *= exp (-dy * WHEEL_STEP);
  sonde_surface_hold_set_camera (hold, &camera);
}

void
sonde_surface_hold_drag (SondeSurfaceHold *hold, SondeViewDrag phase, double x, double y)
{
  SondeSurfaceCamera camera = hold->begin;

  if (phase == SONDE_VIEW_DRAG_BEGIN)
    {
      hold->begin = hold->camera;
      hold->begin_x = x;
      hold->begin_y = y;
      return;
    }
  if (phase != SONDE_VIEW_DRAG_CANCEL)
    {
      camera.yaw -= (x - hold->begin_x) * DEGREES_PER_PX;
      camera.pitch += (y - hold->begin_y) * DEGREES_PER_PX;
    }
  sonde_surface_hold_set_camera (hold, &camera);
}

gboolean
sonde_surface_hold_find (const SondeSurfaceHold *hold, const SondeContour *drawing, int width,
                         int height, double x, double y, gint64 *id, double *at_x, double *at_y)
{
  double nearest = NEAR;

  *id = 0;
  for (gsize i = 0; i < drawing->n_path; i++)
    {
      double px, py;

      if (sonde_surface_place (drawing, &hold->camera, width, height, drawing->path_x[i],
                               drawing->path_y[i], &px, &py)
          && hypot (px - x, py - y) < nearest)
        {
          nearest = hypot (px - x, py - y);
          *id = (gint64) i + 1;
        }
    }
  return *id > 0 || sonde_surface_pick (drawing, &hold->camera, width, height, x, y, at_x, at_y);
}
