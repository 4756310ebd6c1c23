/* SPDX-License-Identifier: Apache-2.0
 * Triangles or points in space, as they look from some side: into an image with a depth for each
 * pixel, so that any number of them in any order is drawn right. */
#pragma once

#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/**
 * SondeMesh:
 * @vertices: [n_vertices, 3]; one that is not finite is left out, with its faces
 * @faces: (nullable): [n_faces, 3] of indices of vertices; a face with others is left out. NULL:
 * points
 * @colors: (nullable): [n_vertices, 3], 0…255
 * @yaw, @pitch: degrees: around the axis that points up, then towards the viewer
 * @zoom: 1: all of it is seen from any side
 * @message: (nullable): a sentence in place of it
 */
typedef struct
{
  const float *vertices;
  gsize n_vertices;
  const gint32 *faces;
  gsize n_faces;
  const guint8 *colors;
  double yaw, pitch, zoom;
  const char *message;
} SondeMesh;

/* Smallest and largest of each axis over finite vertices; FALSE when there are none. */
gboolean sonde_mesh_get_bounds (const SondeMesh *mesh, double low[3], double high[3]);

void sonde_paint_mesh (cairo_t *cr, const SondeTheme *theme, const SondeMesh *mesh, int width,
                       int height);

G_END_DECLS
