/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/paint/sonde-mesh.h"

#include <math.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-text-paint.h"

#define SAMPLES 2       /* a pixel a side */
#define MAX_RASTER 4096 /* px a side */
#define MARGIN 12
#define AXES_PX 28
#define FADE 0.65 /* of a point at the back */

static const double light[3] = { 0.36, 0.56, 0.75 };

typedef struct
{
  double x, y, z; /* px, px, towards the viewer */
} Place;

typedef struct
{
  guint32 *pixels;
  float *depth;
  int width, height, stride; /* of @pixels in pixels */
} Raster;

static gboolean
is_finite (const float *vertex)
{
  return isfinite (vertex[0]) && isfinite (vertex[1]) && isfinite (vertex[2]);
}

gboolean
sonde_mesh_get_bounds (const SondeMesh *mesh, double low[3], double high[3])
{
  gboolean any = FALSE;

  for (gsize i = 0; i < mesh->n_vertices; i++)
    {
      const float *vertex = &mesh->vertices[3 * i];

      if (!is_finite (vertex))
        continue;
      for (int k = 0; k < 3; k++)
        {
          low[k] = any ? fmin (low[k], vertex[k]) : vertex[k];
          high[k] = any ? fmax (high[k], vertex[k]) : vertex[k];
        }
      any = TRUE;
    }
  return any;
}

static void
turn (const SondeMesh *mesh, const double from[3], double to[3])
{
  const double yaw = mesh->yaw * G_PI / 180, pitch = mesh->pitch * G_PI / 180;
  const double x = cos (yaw) * from[0] + sin (yaw) * from[2],
               z = -sin (yaw) * from[0] + cos (yaw) * from[2];

  to[0] = x;
  to[1] = cos (pitch) * from[1] - sin (pitch) * z;
  to[2] = sin (pitch) * from[1] + cos (pitch) * z;
}

/* ---- pixels -------------------------------------------------------------- */

static guint32
make_pixel (const double color[3], double shade)
{
  guint32 pixel = 0xff;

  for (int k = 0; k < 3; k++)
    pixel = pixel << 8 | (guint32) (CLAMP (color[k] * shade, 0, 1) * 255 + 0.5);
  return pixel;
}

static void
put (Raster *raster, int x, int y, double depth, guint32 pixel)
{
  float *there = &raster->depth[(gsize) y * (gsize) raster->width + (gsize) x];

  if ((float) depth <= *there)
    return;
  *there = (float) depth;
  raster->pixels[(gsize) y * (gsize) raster->stride + (gsize) x] = pixel;
}

static double
cross (const Place *a, const Place *b, double x, double y)
{
  return (b->x - a->x) * (y - a->y) - (b->y - a->y) * (x - a->x);
}

/* Colours of the corners run into each other. */
static void
fill_triangle (Raster *raster, const Place p[3], double (*colors)[3], double shade)
{
  const double area = cross (&p[0], &p[1], p[2].x, p[2].y);
  const int x0 = (int) fmax (floor (fmin (p[0].x, fmin (p[1].x, p[2].x))), 0),
            x1 = (int) fmin (ceil (fmax (p[0].x, fmax (p[1].x, p[2].x))), raster->width - 1),
            y0 = (int) fmax (floor (fmin (p[0].y, fmin (p[1].y, p[2].y))), 0),
            y1 = (int) fmin (ceil (fmax (p[0].y, fmax (p[1].y, p[2].y))), raster->height - 1);

  if (!(fabs (area) > 1e-9))
    return;
  for (int y = y0; y <= y1; y++)
    for (int x = x0; x <= x1; x++)
      {
        const double cx = x + 0.5, cy = y + 0.5;
        const double a = cross (&p[1], &p[2], cx, cy) / area,
                     b = cross (&p[2], &p[0], cx, cy) / area, c = 1 - a - b;
        double color[3];

        if (a < 0 || b < 0 || c < 0)
          continue;
        for (int k = 0; k < 3; k++)
          color[k] = a * colors[0][k] + b * colors[1][k] + c * colors[2][k];
        put (raster, x, y, a * p[0].z + b * p[1].z + c * p[2].z, make_pixel (color, shade));
      }
}

static void
fill_disc (Raster *raster, const Place *place, double radius, const double color[3])
{
  const guint32 pixel = make_pixel (color, 1);

  for (int y = (int) fmax (floor (place->y - radius), 0);
       y <= fmin (place->y + radius, raster->height - 1); y++)
    for (int x = (int) fmax (floor (place->x - radius), 0);
         x <= fmin (place->x + radius, raster->width - 1); x++)
      if (hypot (x + 0.5 - place->x, y + 0.5 - place->y) <= radius)
        put (raster, x, y, place->z, pixel);
}

/* ---- the mesh ------------------------------------------------------------ */

static void
get_color (const SondeMesh *mesh, const SondeTheme *theme, gsize i, double color[3])
{
  const SondeColor plain = sonde_theme_series (theme, 0).color;

  color[0] = mesh->colors != NULL ? mesh->colors[3 * i] / 255.0 : plain.red;
  color[1] = mesh->colors != NULL ? mesh->colors[3 * i + 1] / 255.0 : plain.green;
  color[2] = mesh->colors != NULL ? mesh->colors[3 * i + 2] / 255.0 : plain.blue;
}

/* How much light falls on it; both sides are seen alike. */
static double
find_shade (const Place p[3])
{
  const double u[3] = { p[1].x - p[0].x, p[0].y - p[1].y, p[1].z - p[0].z };
  const double v[3] = { p[2].x - p[0].x, p[0].y - p[2].y, p[2].z - p[0].z };
  double n[3] = { u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0] };
  const double length = sqrt (n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
  double dot = 0;

  for (int k = 0; k < 3; k++)
    dot += n[k] * light[k] * (n[2] < 0 ? -1 : 1);
  return length > 0 ? 0.45 + 0.55 * fmax (dot / length, 0) : 1;
}

static void
fill_face (Raster *raster, const SondeTheme *theme, const SondeMesh *mesh, const Place *places,
           const gint32 *face)
{
  Place corners[3];
  double colors[3][3];

  for (int k = 0; k < 3; k++)
    {
      if (face[k] < 0 || (gsize) face[k] >= mesh->n_vertices || isnan (places[face[k]].x))
        return;
      corners[k] = places[face[k]];
      get_color (mesh, theme, (gsize) face[k], colors[k]);
    }
  fill_triangle (raster, corners, colors, find_shade (corners));
}

static Place *
place_vertices (const SondeMesh *mesh, const double low[3], const double high[3],
                const Raster *raster)
{
  const double radius
      = sqrt ((high[0] - low[0]) * (high[0] - low[0]) + (high[1] - low[1]) * (high[1] - low[1])
              + (high[2] - low[2]) * (high[2] - low[2]))
        / 2;
  const double room = MAX (MIN (raster->width, raster->height) / 2.0 - MARGIN * SAMPLES, 1);
  const double scale = (radius > 0 ? room / radius : 1) * mesh->zoom;
  Place *places = g_new (Place, MAX (mesh->n_vertices, 1));

  for (gsize i = 0; i < mesh->n_vertices; i++)
    {
      const float *vertex = &mesh->vertices[3 * i];
      double from[3], to[3];

      for (int k = 0; k < 3; k++)
        from[k] = vertex[k] - (low[k] + high[k]) / 2;
      turn (mesh, from, to);
      places[i] = (Place){ is_finite (vertex) ? raster->width / 2.0 + to[0] * scale : NAN,
                           raster->height / 2.0 - to[1] * scale, to[2] * scale };
    }
  return places;
}

static void
fill (Raster *raster, const SondeTheme *theme, const SondeMesh *mesh, const double low[3],
      const double high[3])
{
  g_autofree Place *places = place_vertices (mesh, low, high, raster);
  const double radius = SAMPLES
                        * (mesh->n_vertices < 500     ? 3
                           : mesh->n_vertices < 20000 ? 1.75
                                                      : 1);

  for (gsize i = 0; mesh->faces != NULL && i < mesh->n_faces; i++)
    fill_face (raster, theme, mesh, places, &mesh->faces[3 * i]);
  for (gsize i = 0; mesh->faces == NULL && i < mesh->n_vertices; i++)
    {
      const double far
          = CLAMP (0.5 - places[i].z / MIN (raster->width, raster->height), 0, 1) * FADE;
      double color[3];

      get_color (mesh, theme, i, color);
      color[0] += (theme->card.red - color[0]) * far;
      color[1] += (theme->card.green - color[1]) * far;
      color[2] += (theme->card.blue - color[2]) * far;
      if (!isnan (places[i].x))
        fill_disc (raster, &places[i], radius, color);
    }
}

/* Which way the axes point, in the corner. */
static void
paint_axes (cairo_t *cr, const SondeTheme *theme, const SondeMesh *mesh, int height)
{
  static const char *const names[] = { "x", "y", "z" };
  const double x = MARGIN + AXES_PX, y = height - MARGIN - AXES_PX;

  cairo_set_line_width (cr, 1.5);
  for (int k = 0; k < 3; k++)
    {
      const double from[3] = { k == 0, k == 1, k == 2 };
      double to[3];

      turn (mesh, from, to);
      sonde_paint_set_color (cr, &theme->dim);
      cairo_move_to (cr, x, y);
      cairo_line_to (cr, x + to[0] * AXES_PX * 0.7, y - to[1] * AXES_PX * 0.7);
      cairo_stroke (cr);
      sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x + to[0] * AXES_PX,
                        y - to[1] * AXES_PX, 0, names[k]);
    }
}

void
sonde_paint_mesh (cairo_t *cr, const SondeTheme *theme, const SondeMesh *mesh, int width,
                  int height)
{
  const int w = CLAMP (width * SAMPLES, 1, MAX_RASTER), h = CLAMP (height * SAMPLES, 1, MAX_RASTER);
  Raster raster = { .width = w, .height = h };
  cairo_surface_t *surface;
  double low[3] = { 0 }, high[3] = { 0 };

  if (mesh->message != NULL || !sonde_mesh_get_bounds (mesh, low, high))
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0, width,
                        mesh->message != NULL ? mesh->message : _ ("No points."));
      return;
    }
  surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, w, h);
  if (cairo_surface_status (surface) == CAIRO_STATUS_SUCCESS)
    {
      raster.pixels = (guint32 *) (void *) cairo_image_surface_get_data (surface);
      raster.stride = cairo_image_surface_get_stride (surface) / 4;
      raster.depth = g_new (float, (gsize) w *(gsize) h);
      for (gsize i = 0; i < (gsize) w * (gsize) h; i++)
        raster.depth[i] = -INFINITY;
      fill (&raster, theme, mesh, low, high);
      g_free (raster.depth);
      cairo_surface_mark_dirty (surface);
      cairo_save (cr);
      cairo_scale (cr, (double) width / w, (double) height / h);
      cairo_set_source_surface (cr, surface, 0, 0);
      cairo_pattern_set_filter (cairo_get_source (cr), CAIRO_FILTER_GOOD);
      cairo_paint (cr);
      cairo_restore (cr);
    }
  cairo_surface_destroy (surface);
  paint_axes (cr, theme, mesh, height);
}
