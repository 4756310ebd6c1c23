/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/landscape/sonde-surface.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/layout/sonde-axis-ticks.h"
#include "viewers/paint/landscape/sonde-contour-heights-private.h"
#include "viewers/paint/landscape/sonde-surface-space-private.h"
#include "viewers/paint/sonde-text-paint.h"

#define LEAST_CELLS 80 /* on a side, so that bands have smooth edges */
#define MOST_CELLS 96  /* finer than that nobody sees */
#define PIECES 24      /* of a stretch of the path, that bend with the surface */
#define NEAR 14.0      /* px */
#define AWAY 16        /* px from an edge to its numbers */
#define SHADE 0.35     /* of what faces away from the light */
#define TICKS 5
#define STEEP 0.4 /* from nearer to above only the ends of heights have room */

/* ---- the surface --------------------------------------------------------- */

/* Corners of the cells that are drawn: places on the picture, heights, and where they are in space. */
typedef struct
{
  double px, py, height;
  SondeSurfacePoint point;
} Corner;

typedef struct
{
  Corner *corners;
  gsize n_x, n_y;
} Net;

static void
net_init (Net *net, const SondeSurfaceSpace *space)
{
  const SondeContour *contour = space->contour;
  double right = contour->x[contour->n_x - 1], top = contour->y[contour->n_y - 1];

  net->n_x = CLAMP (contour->n_x, LEAST_CELLS + 1, MOST_CELLS + 1);
  net->n_y = CLAMP (contour->n_y, LEAST_CELLS + 1, MOST_CELLS + 1);
  net->corners = g_new (Corner, net->n_x * net->n_y);
  for (gsize i = 0; i < net->n_x * net->n_y; i++)
    {
      double x = contour->x[0]
                 + (right - contour->x[0]) * (double) (i % net->n_x) / (double) (net->n_x - 1);
      double y = contour->y[0]
                 + (top - contour->y[0]) * (double) (i / net->n_x) / (double) (net->n_y - 1);
      Corner *corner = &net->corners[i];

      corner->height = sonde_contour_value_at (contour, MIN (x, right), MIN (y, top));
      corner->point = sonde_surface_space_put (space, x, y, corner->height);
      sonde_surface_space_show (space, &corner->point, &corner->px, &corner->py);
    }
}

/* Light from above, a little from the left. */
static double
shade_of (const Net *net, const Corner *corner)
{
  const SondeSurfacePoint *a = &corner[0].point, *b = &corner[1].point,
                          *c = &corner[net->n_x].point;
  double across = (b->w - a->w) / fmax (b->u - a->u, 1e-9);
  double away = (c->w - a->w) / fmax (c->v - a->v, 1e-9);
  double facing
      = (1 + 0.35 * across + 0.2 * away) / (sqrt (1 + across * across + away * away) * 1.1);

  return 1 - SHADE * (1 - CLAMP (facing, 0, 1));
}

static void
paint_cell (cairo_t *cr, const SondeSurfaceSpace *space, const Net *net, gsize column, gsize row)
{
  const Corner *at = &net->corners[row * net->n_x + column];
  const Corner *ring[4] = { &at[0], &at[1], &at[net->n_x + 1], &at[net->n_x] };
  double height = 0, shade;
  SondeColor color;

  for (int i = 0; i < 4; i++)
    height += ring[i]->height / 4;
  if (!isfinite (height))
    return;
  color = sonde_contour_color (&space->levels, height);
  shade = shade_of (net, at);
  for (int i = 0; i < 4; i++)
    cairo_line_to (cr, ring[i]->px, ring[i]->py);
  cairo_close_path (cr);
  cairo_set_source_rgb (cr, color.red * shade, color.green * shade, color.blue * shade);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_NONE); /* no seams */
  cairo_fill_preserve (cr);
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_DEFAULT);
  cairo_set_source_rgba (cr, 0, 0, 0, 0.18);
  cairo_stroke (cr);
}

/* From the far corner to the near one: what is nearer covers what is behind it. */
static void
paint_cells (cairo_t *cr, const SondeSurfaceSpace *space, const Net *net)
{
  cairo_set_line_width (cr, 0.5);
  for (gsize i = 0; i + 1 < net->n_y; i++)
    for (gsize k = 0; k + 1 < net->n_x; k++)
      paint_cell (cr, space, net, space->sin_yaw > 0 ? net->n_x - 2 - k : k,
                  space->cos_yaw > 0 ? net->n_y - 2 - i : i);
}

/* ---- axes ---------------------------------------------------------------- */

/* A corner of the floor, -0.5 or 0.5 each, or above it. */
static void
show_at (const SondeSurfaceSpace *space, double u, double v, double w, double *px, double *py)
{
  const SondeSurfacePoint point = { u, v, w };

  sonde_surface_space_show (space, &point, px, py);
}

static void
paint_number (cairo_t *cr, double px, double py, double from_x, double from_y, const char *text)
{
  double length = fmax (hypot (px - from_x, py - from_y), 1e-6);
  double x = px + (px - from_x) / length * AWAY, y = py + (py - from_y) / length * AWAY;

  sonde_paint_text (cr, SONDE_FONT_SMALL,
                    x < px - 6   ? SONDE_ALIGN_END
                    : x > px + 6 ? SONDE_ALIGN_START
                                 : SONDE_ALIGN_CENTER,
                    x, y, 0, text);
}

/* The edge of the floor that is nearest to the viewer, with ticks and the title in its middle. */
static void
paint_edge (cairo_t *cr, const SondeTheme *theme, const SondeSurfaceSpace *space, gboolean along_x)
{
  const SondeContour *contour = space->contour;
  const double *axis = along_x ? contour->x : contour->y;
  gsize n = along_x ? contour->n_x : contour->n_y;
  double side = (along_x ? space->cos_yaw : space->sin_yaw) > 0 ? -0.5 : 0.5;
  double floor_w = sonde_surface_space_put (space, contour->x[0], contour->y[0], NAN).w, px, py, fx,
         fy;
  SondeAxisTicks ticks = sonde_axis_ticks_linear (axis[0], axis[n - 1], TICKS);
  const char *title = along_x ? contour->x_title : contour->y_title;

  sonde_paint_set_color (cr, &theme->dim);
  for (int i = 0; i < ticks.n; i++)
    {
      double at = (sonde_axis_ticks_get (&ticks, i) - axis[0]) / (axis[n - 1] - axis[0]) - 0.5;
      g_autofree char *label = sonde_axis_ticks_label (&ticks, i);

      show_at (space, along_x ? at : side, along_x ? side : at, floor_w, &px, &py);
      show_at (space, along_x ? at : 0, along_x ? 0 : at, floor_w, &fx, &fy);
      paint_number (cr, px, py, fx, fy, label);
    }
  if (title == NULL)
    return;
  show_at (space, along_x ? 0 : side * 1.28, along_x ? side * 1.28 : 0, floor_w, &px, &py);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, px, py + 6, 0, title);
}

static void
paint_floor (cairo_t *cr, const SondeTheme *theme, const SondeSurfaceSpace *space)
{
  static const double corners[4][2] = { { -.5, -.5 }, { .5, -.5 }, { .5, .5 }, { -.5, .5 } };
  const SondeContour *contour = space->contour;
  double floor_w = sonde_surface_space_put (space, contour->x[0], contour->y[0], NAN).w, px, py;

  for (int i = 0; i < 4; i++)
    {
      show_at (space, corners[i][0], corners[i][1], floor_w, &px, &py);
      cairo_line_to (cr, px, py);
    }
  cairo_close_path (cr);
  sonde_paint_set_color (cr, &theme->axis);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

/* The corner that is farthest to the left. */
static void
find_left_corner (const SondeSurfaceSpace *space, double *u, double *v)
{
  static const double corners[4][2] = { { -.5, -.5 }, { .5, -.5 }, { .5, .5 }, { -.5, .5 } };
  double left = INFINITY, px, py;

  for (int i = 0; i < 4; i++)
    {
      show_at (space, corners[i][0], corners[i][1], 0, &px, &py);
      if (px < left)
        {
          left = px;
          *u = corners[i][0];
          *v = corners[i][1];
        }
    }
}

static void
paint_height (cairo_t *cr, const SondeContourLevels *levels, double height, double px, double py)
{
  g_autofree char *text = sonde_contour_format (levels, height);

  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_END, px - 8, py, 0, text);
}

/* At the left: the least and the largest height, and between them the levels that have room. */
static void
paint_heights (cairo_t *cr, const SondeTheme *theme, const SondeSurfaceSpace *space)
{
  const SondeContourLevels *levels = &space->levels;
  const SondeContour *contour = space->contour;
  double line = sonde_font_height (SONDE_FONT_SMALL), u = 0, v = 0, px, py, low_y, high_y;

  find_left_corner (space, &u, &v);
  show_at (space, u, v,
           sonde_surface_space_put (space, contour->x[0], contour->y[0], levels->low).w, &px,
           &low_y);
  show_at (space, u, v,
           sonde_surface_space_put (space, contour->x[0], contour->y[0], levels->high).w, &px,
           &high_y);
  sonde_paint_set_color (cr, &theme->dim);
  paint_height (cr, levels, levels->low, px, low_y);
  paint_height (cr, levels, levels->high, px, high_y);
  for (int i = 0; i < levels->n; i += 2)
    {
      double w = sonde_surface_space_put (space, contour->x[0], contour->y[0], levels->levels[i]).w;

      show_at (space, u, v, w, &px, &py);
      if (levels->n <= 2 * TICKS && space->cos_pitch > STEEP && fabs (py - low_y) >= line
          && fabs (py - high_y) >= line)
        paint_height (cr, levels, levels->levels[i], px, py);
    }
  cairo_move_to (cr, px, low_y);
  cairo_line_to (cr, px, high_y);
  sonde_paint_set_color (cr, &theme->axis);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

/* ---- the path ------------------------------------------------------------ */

typedef struct
{
  cairo_t *cr;
  const SondeSurfaceSpace *space;
  gboolean seen, any; /* of the stretch that is being drawn */
} Walk;

static void
end_stretch (Walk *walk)
{
  static const double dashes[] = { 3, 3 };

  if (walk->any && walk->seen)
    {
      cairo_set_source_rgb (walk->cr, 0, 0, 0);
      cairo_set_line_width (walk->cr, 3.5);
      cairo_stroke_preserve (walk->cr);
    }
  cairo_set_source_rgba (walk->cr, 1, 1, 1, walk->seen ? 1 : 0.6);
  cairo_set_line_width (walk->cr, walk->seen ? 1.5 : 1);
  cairo_set_dash (walk->cr, dashes, walk->seen ? 0 : 2, 0);
  cairo_stroke (walk->cr);
  cairo_set_dash (walk->cr, NULL, 0, 0);
  walk->any = FALSE;
}

/* What is behind the surface is dashed. */
static void
walk_to (Walk *walk, double x, double y)
{
  const SondeContour *contour = walk->space->contour;
  double height = sonde_contour_value_at (contour, x, y), px, py;
  SondeSurfacePoint point = sonde_surface_space_put (walk->space, x, y, height);
  gboolean seen = sonde_surface_space_is_seen (walk->space, &point);

  if (!isfinite (height))
    {
      end_stretch (walk);
      return;
    }
  sonde_surface_space_show (walk->space, &point, &px, &py);
  cairo_line_to (walk->cr, px, py);
  if (walk->any && seen != walk->seen)
    {
      end_stretch (walk);
      cairo_move_to (walk->cr, px, py);
    }
  walk->seen = seen;
  walk->any = TRUE;
}

static void
paint_path (cairo_t *cr, const SondeSurfaceSpace *space)
{
  const SondeContour *contour = space->contour;
  Walk walk = { cr, space, FALSE, FALSE };

  cairo_set_line_join (cr, CAIRO_LINE_JOIN_ROUND);
  cairo_new_path (cr);
  for (gsize i = 0; i + 1 < contour->n_path; i++)
    for (int k = i == 0 ? 0 : 1; k <= PIECES; k++)
      {
        double share = (double) k / PIECES;

        walk_to (&walk, contour->path_x[i] + (contour->path_x[i + 1] - contour->path_x[i]) * share,
                 contour->path_y[i] + (contour->path_y[i + 1] - contour->path_y[i]) * share);
      }
  end_stretch (&walk);
}

/* A mark with its words on a card; faint behind the surface. */
static void
paint_mark (cairo_t *cr, const SondeTheme *theme, const SondeSurfaceSpace *space, double x,
            double y, const char *text)
{
  double height = sonde_contour_value_at (space->contour, x, y), px, py, width;
  SondeSurfacePoint point = sonde_surface_space_put (space, x, y, height);
  double alpha = sonde_surface_space_is_seen (space, &point) ? 1 : 0.5;

  if (!isfinite (height))
    return;
  sonde_surface_space_show (space, &point, &px, &py);
  cairo_arc (cr, px, py, 4, 0, 2 * G_PI);
  cairo_set_source_rgba (cr, 1, 1, 1, alpha);
  cairo_fill_preserve (cr);
  cairo_set_source_rgba (cr, 0, 0, 0, alpha);
  cairo_set_line_width (cr, 1.5);
  cairo_stroke (cr);
  if (text == NULL)
    return;
  width = sonde_text_measure (SONDE_FONT_SMALL, text, NULL) + 8;
  sonde_paint_round_rectangle (cr, px + 8, py - 22, width, 17, 4);
  sonde_paint_set_color_alpha (cr, &theme->card, 0.88 * alpha);
  cairo_fill (cr);
  sonde_paint_set_color (cr, &theme->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, px + 12, py - 13.5, 0, text);
}

static void
paint_marks (cairo_t *cr, const SondeTheme *theme, const SondeSurfaceSpace *space)
{
  const SondeContour *contour = space->contour;
  g_autofree char *value = sonde_contour_format (&space->levels, space->levels.least);
  g_autofree char *lowest = g_strdup_printf (_ ("lowest %s"), value);
  gssize chosen = contour->chosen;

  if (contour->n_path > 0)
    paint_mark (cr, theme, space, contour->path_x[0], contour->path_y[0],
                contour->path_labels != NULL ? contour->path_labels[0] : NULL);
  if (chosen >= 0)
    paint_mark (cr, theme, space, contour->path_x[chosen], contour->path_y[chosen],
                contour->path_labels != NULL ? contour->path_labels[chosen] : NULL);
  if (space->levels.largest > space->levels.least)
    paint_mark (cr, theme, space, space->levels.lowest_x, space->levels.lowest_y, lowest);
  paint_mark (cr, theme, space, contour->end_x, contour->end_y, contour->end_label);
}

/* ---- all ----------------------------------------------------------------- */

void
sonde_paint_surface (cairo_t *cr, const SondeTheme *theme, const SondeContour *contour,
                     const SondeSurfaceCamera *camera, int width, int height)
{
  SondeSurfaceSpace space;
  Net net;

  if (contour->message != NULL
      || !sonde_surface_space_init (&space, contour, camera, width, height))
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0, width,
                        contour->message != NULL ? contour->message : _ ("No finite values"));
      return;
    }
  net_init (&net, &space);
  paint_floor (cr, theme, &space);
  paint_cells (cr, &space, &net);
  paint_heights (cr, theme, &space);
  paint_edge (cr, theme, &space, TRUE);
  paint_edge (cr, theme, &space, FALSE);
  paint_path (cr, &space);
  paint_marks (cr, theme, &space);
  g_free (net.corners);
}

gboolean
sonde_surface_place (const SondeContour *contour, const SondeSurfaceCamera *camera, int width,
                     int height, double x, double y, double *px, double *py)
{
  double z = sonde_contour_value_at (contour, x, y);
  SondeSurfaceSpace space;
  SondeSurfacePoint point;

  if (!isfinite (z) || !sonde_surface_space_init (&space, contour, camera, width, height))
    return FALSE;
  point = sonde_surface_space_put (&space, x, y, z);
  sonde_surface_space_show (&space, &point, px, py);
  return sonde_surface_space_is_seen (&space, &point);
}

gboolean
sonde_surface_pick (const SondeContour *contour, const SondeSurfaceCamera *camera, int width,
                    int height, double px, double py, double *x, double *y)
{
  SondeSurfaceSpace space;
  double nearest = NEAR;

  if (!sonde_surface_space_init (&space, contour, camera, width, height))
    return FALSE;
  for (gsize i = 0; i < contour->n_x * contour->n_y; i++)
    {
      double at_x = contour->x[i % contour->n_x], at_y = contour->y[i / contour->n_x], sx, sy;
      SondeSurfacePoint point = sonde_surface_space_put (&space, at_x, at_y, contour->z[i]);

      sonde_surface_space_show (&space, &point, &sx, &sy);
      if (!isfinite (contour->z[i]) || hypot (sx - px, sy - py) >= nearest
          || !sonde_surface_space_is_seen (&space, &point))
        continue;
      nearest = hypot (sx - px, sy - py);
      *x = at_x;
      *y = at_y;
    }
  return nearest < NEAR;
}
