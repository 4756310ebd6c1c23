/* SPDX-License-Identifier: Apache-2.0
 * The overview of a graph that is too large for its view: the whole graph in a corner, with a frame
 * around what is in sight. Made once, painted often. */
#pragma once

#include "viewers/paint/graph/sonde-graph-paint.h"

G_BEGIN_DECLS

/* Zero-initialised: none is made. @scale: px of the overview a unit of the scene */
typedef struct
{
  cairo_surface_t *surface; /* (nullable) */
  double scale;
} SondeGraphOverview;

/* The scene, its marks, its colours or the theme are others: it is made again when it is placed. */
void sonde_graph_overview_forget (SondeGraphOverview *overview);

/**
 * sonde_graph_overview_place:
 * @marks, @shades: as of sonde_paint_graph()
 * @sight: what is in sight, scene px
 * @rect: (out): where it stands in a view of @width × @height px
 *
 * Makes it if need be. FALSE when all of the graph is in sight, or the view is too small for one.
 */
gboolean sonde_graph_overview_place (SondeGraphOverview *overview, const SondeTheme *theme,
                                     const SondeGraphScene *scene, const guint8 *marks,
                                     const SondeGraphShades *shades, const cairo_rectangle_t *sight,
                                     int width, int height, cairo_rectangle_t *rect);
/* As it was placed. */
void sonde_graph_overview_paint (const SondeGraphOverview *overview, cairo_t *cr,
                                 const SondeTheme *theme, const cairo_rectangle_t *sight,
                                 const cairo_rectangle_t *rect);

G_END_DECLS
