/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/graph/sonde-graph-overview.h"

#include <math.h>

#define SIZE 150  /* px of the longer side */
#define MARGIN 12 /* px to the corner of the view */
#define FRAME 5   /* px around it */

void
sonde_graph_overview_forget (SondeGraphOverview *overview)
{
  g_clear_pointer (&overview->surface, cairo_surface_destroy);
}

static void
make (SondeGraphOverview *overview, const SondeTheme *theme, const SondeGraphScene *scene,
      const guint8 *marks, const SondeGraphShades *shades)
{
  double width, height;
  cairo_t *cr;

  sonde_graph_scene_get_size (scene, &width, &height);
  overview->scale = SIZE / fmax (fmax (width, height), 1);
  overview->surface
      = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, (int) ceil (width * overview->scale) + 1,
                                    (int) ceil (height * overview->scale) + 1);
  cr = cairo_create (overview->surface);
  cairo_scale (cr, overview->scale, overview->scale);
  sonde_paint_graph_overview (cr, theme, scene, marks, shades, overview->scale);
  cairo_destroy (cr);
}

gboolean
sonde_graph_overview_place (SondeGraphOverview *overview, const SondeTheme *theme,
                            const SondeGraphScene *scene, const guint8 *marks,
                            const SondeGraphShades *shades, const cairo_rectangle_t *sight,
                            int width, int height, cairo_rectangle_t *rect)
{
  double graph_width, graph_height;

  if (width < 2 * SIZE || height < 2 * SIZE)
    return FALSE;
  sonde_graph_scene_get_size (scene, &graph_width, &graph_height);
  if (sight->x <= 0 && sight->y <= 0 && sight->x + sight->width >= graph_width
      && sight->y + sight->height >= graph_height)
    return FALSE;
  if (overview->surface == NULL)
    make (overview, theme, scene, marks, shades);
  rect->width = cairo_image_surface_get_width (overview->surface);
  rect->height = cairo_image_surface_get_height (overview->surface);
  rect->x = width - rect->width - MARGIN;
  rect->y = height - rect->height - MARGIN;
  return TRUE;
}

void
sonde_graph_overview_paint (const SondeGraphOverview *overview, cairo_t *cr,
                            const SondeTheme *theme, const cairo_rectangle_t *sight,
                            const cairo_rectangle_t *rect)
{
  sonde_paint_round_rectangle (cr, rect->x - FRAME - 0.5, rect->y - FRAME - 0.5,
                               rect->width + 2 * FRAME + 1, rect->height + 2 * FRAME + 1, 6);
  sonde_paint_set_color_alpha (cr, &theme->card, 0.92);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->grid);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
  cairo_set_source_surface (cr, overview->surface, rect->x, rect->y);
  cairo_paint (cr);
  cairo_rectangle (cr, rect->x - FRAME, rect->y - FRAME, rect->width + 2 * FRAME,
                   rect->height + 2 * FRAME);
  cairo_clip (cr);
  cairo_rectangle (cr, rect->x + sight->x * overview->scale, rect->y + sight->y * overview->scale,
                   sight->width * overview->scale, sight->height * overview->scale);
  sonde_paint_set_color_alpha (cr, &theme->selection, 0.12);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
}
