/* SPDX-License-Identifier: Apache-2.0
 * Points, names, axes. */
#include "viewers/scatter/sonde-scatter-view-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-axis.h"
#include "viewers/paint/sonde-text-paint.h"

#define MOST_LABELS 400
#define PICTURE_SIDE 28.0
#define PICTURE_AIR 5.0 /* above its point */
#define NAME_WIDTH 160
#define TITLE_X 9  /* of the title that reads upwards */
#define PALE 0.82  /* points that are not marked */
#define N_SLICES 4 /* of space, the farthest drawn first */

/* (transfer full): [n, 2] px for an image of that size */
static double *
place_points (SondeScatterView *view, const SondeViewRect *area, const SondeViewport *v)
{
  double *px = g_new (double, 2 * MAX (view->n, 1));

  for (gsize i = 0; i < view->n; i++)
    {
      px[2 * i] = area->x + (view->world[2 * i] - v->x0) / (v->x1 - v->x0) * area->width;
      px[2 * i + 1] = area->y + (view->world[2 * i + 1] - v->y0) / (v->y1 - v->y0) * area->height;
    }
  return px;
}

/* ---- points -------------------------------------------------------------- */

static SondeScatter
describe_drawing (SondeScatterView *view, const double *px)
{
  return (SondeScatter){ .xy = px,
                         .n_points = view->n,
                         .kinds = view->kinds,
                         .n_kinds = (int) view->names->len,
                         .names = (const char *const *) view->names->pdata,
                         .numbers = view->numbers,
                         .low = view->color_low,
                         .high = view->color_high };
}

/* Those of @slice of space (-1: all), and of them the marked ones or the others. */
static void
paint_some (SondeScatterView *view, cairo_t *cr, const double *px, int slice, gboolean marked,
            double pale)
{
  g_autofree double *some = g_memdup2 (px, 2 * MAX (view->n, 1) * sizeof *px);
  SondeScatter scatter = describe_drawing (view, some);
  guint at = 0;

  for (gsize i = 0; i < view->n; i++)
    {
      gboolean is_marked = at < view->marks->len && g_array_index (view->marks, guint32, at) == i;

      at += is_marked;
      if ((view->marks->len > 0 && is_marked != marked)
          || (slice >= 0 && (int) CLAMP (view->depths[i] * N_SLICES, 0, N_SLICES - 1) != slice))
        some[2 * i] = NAN;
    }
  scatter.pale = pale;
  sonde_paint_scatter (cr, sonde_view_get_theme (SONDE_VIEW (view)), &scatter);
}

static void
paint_points (SondeScatterView *view, cairo_t *cr, const double *px)
{
  gboolean space = view->dims == 3;

  if (view->marks->len > 0)
    paint_some (view, cr, px, -1, FALSE, PALE);
  for (int slice = 0; slice < (space ? N_SLICES : 1); slice++)
    paint_some (view, cr, px, space ? slice : -1, TRUE,
                space ? 0.6 * (N_SLICES - 1 - slice) / (N_SLICES - 1) : 0);
}

/* ---- names --------------------------------------------------------------- */

static gboolean
has_room (GArray *taken, const SondeViewRect *wanted)
{
  for (guint i = 0; i < taken->len; i++)
    {
      SondeViewRect other = g_array_index (taken, SondeViewRect, i);

      if (wanted->x < other.x + other.width && other.x < wanted->x + wanted->width
          && wanted->y < other.y + other.height && other.y < wanted->y + wanted->height)
        return FALSE;
    }
  return TRUE;
}

static void
paint_name (SondeScatterView *view, cairo_t *cr, gsize point, double x, double y, GArray *taken)
{
  g_autofree char *name
      = sonde_text_make_visible (sonde_scatter_view_get_label (view, point, view->name_column));
  double height, width = MIN (sonde_text_measure (SONDE_FONT_SMALL, name, &height), NAME_WIDTH);
  SondeViewRect wanted = { x + 7, y - height / 2, width, height };

  if (*name == '\0' || !has_room (taken, &wanted))
    return;
  g_array_append_val (taken, wanted);
  sonde_paint_set_color (cr, &sonde_view_get_theme (SONDE_VIEW (view))->foreground);
  sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_START, wanted.x, y, NAME_WIDTH, name);
}

/* Returns: FALSE when there is no room */
static gboolean
paint_picture (SondeScatterView *view, cairo_t *cr, gsize point, double x, double y, GArray *taken)
{
  SondeViewRect wanted
      = { x - PICTURE_SIDE / 2, y - PICTURE_AIR - PICTURE_SIDE, PICTURE_SIDE, PICTURE_SIDE };

  if (point >= sonde_sprite_get_n_tiles (view->sprite) || !has_room (taken, &wanted))
    return FALSE;
  g_array_append_val (taken, wanted);
  sonde_paint_sprite (cr, sonde_view_get_theme (SONDE_VIEW (view)), view->sprite, point, x,
                      y - PICTURE_AIR, PICTURE_SIDE);
  return TRUE;
}

/* Pictures and names beside the marked points, or beside all; until there are so many that nothing
 * could be seen. */
static void
paint_labels (SondeScatterView *view, cairo_t *cr, const double *px, const SondeViewRect *area)
{
  g_autoptr (GArray) taken = g_array_new (FALSE, FALSE, sizeof (SondeViewRect));
  gsize n = view->marks->len > 0 ? view->marks->len : view->n;
  gboolean pictures = view->sprite != NULL && view->show_sprite;

  view->n_pictures = 0;
  if (view->name_column < 0 && !pictures)
    return;
  for (gsize i = 0; i < n && taken->len < MOST_LABELS; i++)
    {
      gsize point = view->marks->len > 0 ? g_array_index (view->marks, guint32, i) : i;
      double x = px[2 * point], y = px[2 * point + 1];

      if (!(x >= area->x && x <= area->x + area->width && y >= area->y
            && y <= area->y + area->height))
        continue;
      if (pictures)
        view->n_pictures += paint_picture (view, cr, point, x, y, taken);
      if (view->name_column >= 0)
        paint_name (view, cr, point, x, y, taken);
    }
}

/* ---- axes ---------------------------------------------------------------- */

static void
paint_flat_axes (SondeScatterView *view, cairo_t *cr, const SondeViewRect *area,
                 const SondeViewport *v)
{
  double unit = view->range / SONDE_SCATTER_WORLD;
  SondeAxis x = { .low = view->low[0] + v->x0 * unit,
                  .high = view->low[0] + v->x1 * unit,
                  .title = view->titles[0] },
            y = { .low = view->high[1] - v->y1 * unit, .high = view->high[1] - v->y0 * unit };
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (view));

  sonde_paint_axes (cr, theme, area, &x, &y);
  sonde_paint_set_color (cr, &theme->grid);
  cairo_set_line_width (cr, 1);
  cairo_rectangle (cr, area->x + 0.5, area->y + 0.5, area->width - 1, area->height - 1);
  cairo_stroke (cr);
  sonde_paint_set_color (cr, &theme->dim);
  if (view->titles[1] != NULL)
    sonde_paint_text_upwards (cr, SONDE_FONT_SMALL, TITLE_X, area->y + area->height / 2,
                              area->height, view->titles[1]);
}

static void
place_corner (SondeScatterView *view, const double unit[3], const SondeViewRect *area,
              const SondeViewport *v, double *x, double *y)
{
  double a, b;

  sonde_scatter_view_turn_place (view, unit, &a, &b);
  *x = area->x + (a - v->x0) / (v->x1 - v->x0) * area->width;
  *y = area->y + (b - v->y0) / (v->y1 - v->y0) * area->height;
}

/* The edges of the box of all points, with the titles at the ends of three of them. */
static void
paint_box (SondeScatterView *view, cairo_t *cr, const SondeViewRect *area, const SondeViewport *v)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (view));
  double half[3], x, y;

  for (int k = 0; k < 3; k++)
    half[k] = (view->high[k] - view->low[k]) / view->range / 2;
  sonde_paint_set_color_alpha (cr, &theme->dim, 0.4);
  cairo_set_line_width (cr, 1);
  for (int corner = 0; corner < 8; corner++)
    for (int k = 0; k < 3; k++)
      {
        double unit[3];

        if (corner & 1 << k)
          continue;
        for (int j = 0; j < 3; j++)
          unit[j] = corner & 1 << j ? half[j] : -half[j];
        place_corner (view, unit, area, v, &x, &y);
        cairo_move_to (cr, x, y);
        unit[k] = half[k];
        place_corner (view, unit, area, v, &x, &y);
        cairo_line_to (cr, x, y);
      }
  cairo_stroke (cr);
  sonde_paint_set_color (cr, &theme->dim);
  for (int k = 0; k < 3; k++)
    {
      double unit[3] = { -half[0], -half[1], -half[2] };

      unit[k] = half[k] + 0.02;
      place_corner (view, unit, area, v, &x, &y);
      if (view->titles[k] != NULL)
        sonde_paint_text (cr, SONDE_FONT_SMALL, SONDE_ALIGN_CENTER, x, y, NAME_WIDTH,
                          view->titles[k]);
    }
}

double
sonde_scatter_view_measure_legend (SondeScatterView *view)
{
  SondeScatter scatter = describe_drawing (view, NULL);

  return view->n > 0 ? sonde_measure_scatter_legend (&scatter) : 0;
}

void
sonde_scatter_view_paint (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeScatterView *view = (SondeScatterView *) base;
  const SondeTheme *theme = sonde_view_get_theme (base);
  g_autofree double *px = NULL;
  SondeViewRect area;
  SondeViewport v;
  SondeScatter scatter;

  sonde_view_get_area (base, width, height, &area);
  sonde_view_get_viewport_for (base, width, height, &v);
  if (view->n == 0)
    {
      sonde_paint_set_color (cr, &theme->dim);
      sonde_paint_text (cr, SONDE_FONT_LABEL, SONDE_ALIGN_CENTER, width / 2.0, height / 2.0, width,
                        _ ("No points"));
      return;
    }
  if (view->dims == 2)
    paint_flat_axes (view, cr, &area, &v);
  px = place_points (view, &area, &v);
  cairo_save (cr);
  cairo_rectangle (cr, area.x, area.y, area.width, area.height);
  cairo_clip (cr);
  if (view->dims == 3)
    paint_box (view, cr, &area, &v);
  paint_points (view, cr, px);
  paint_labels (view, cr, px, &area);
  cairo_restore (cr);
  scatter = describe_drawing (view, px);
  sonde_paint_scatter_legend (cr, theme, &scatter, width - SONDE_SCATTER_MARGIN,
                              SONDE_SCATTER_MARGIN);
}
