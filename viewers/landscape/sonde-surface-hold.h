/* SPDX-License-Identifier: Apache-2.0
 * How a surface in space is held: turned by drag and keys, brought nearer by the wheel. */
#pragma once

#include "viewers/paint/landscape/sonde-surface.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

/* @begin, @begin_x, @begin_y: of the drag */
typedef struct
{
  SondeSurfaceCamera camera, begin;
  double begin_x, begin_y;
} SondeSurfaceHold;

void sonde_surface_hold_init (SondeSurfaceHold *hold);
void sonde_surface_hold_set_camera (SondeSurfaceHold *hold, const SondeSurfaceCamera *camera);
void sonde_surface_hold_turn (SondeSurfaceHold *hold, double yaw, double pitch); /* degrees more */
void sonde_surface_hold_scroll (SondeSurfaceHold *hold, double dy);
void sonde_surface_hold_drag (SondeSurfaceHold *hold, SondeViewDrag phase, double x, double y);

/* The point of the path, its number plus one, or else of the grid (@id 0, and where it is), at a place. */
gboolean sonde_surface_hold_find (const SondeSurfaceHold *hold, const SondeContour *drawing,
                                  int width, int height, double x, double y, gint64 *id,
                                  double *at_x, double *at_y);

G_END_DECLS
