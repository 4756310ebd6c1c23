/* SPDX-License-Identifier: Apache-2.0
 * From the map's axes into space and onto the picture. */
#pragma once

#include "viewers/paint/landscape/sonde-surface.h"

G_BEGIN_DECLS

/* A surface ready to be looked at. @scale: px a unit; the surface is one wide, one deep and TALL high */
typedef struct
{
  const SondeContour *contour;
  SondeContourLevels levels;
  double sin_yaw, cos_yaw, sin_pitch, cos_pitch;
  double middle_x, middle_y, scale;
} SondeSurfaceSpace;

/* In space: right, away from the viewer at yaw 0, up. */
typedef struct
{
  double u, v, w;
} SondeSurfacePoint;

/* FALSE: no height is finite. */
gboolean sonde_surface_space_init (SondeSurfaceSpace *space, const SondeContour *contour,
                                   const SondeSurfaceCamera *camera, int width, int height);
/* @height: NaN: on the floor */
SondeSurfacePoint sonde_surface_space_put (const SondeSurfaceSpace *space, double x, double y,
                                           double height);
void sonde_surface_space_show (const SondeSurfaceSpace *space, const SondeSurfacePoint *point,
                               double *px, double *py);
/* How far away from the viewer. */
double sonde_surface_space_depth (const SondeSurfaceSpace *space, const SondeSurfacePoint *point);
/* Nothing of the surface lies between the viewer and the point. */
gboolean sonde_surface_space_is_seen (const SondeSurfaceSpace *space,
                                      const SondeSurfacePoint *point);

G_END_DECLS
