/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/scatter/sonde-scatter-view-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "viewers/paint/sonde-axis.h"
#include "viewers/paint/sonde-text-paint.h"

#define MOST_RINGS 200
#define NEAR 12.0                  /* px to a point */
#define SONDE_SCATTER_WORLD 1000.0 /* units of the larger side, whatever the numbers are */
#define AIR 0.04                   /* of it, around the points */
#define MAX_LEGEND 0.4             /* of the width */

enum
{
  MARKS_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (SondeScatterView, sonde_scatter_view, SONDE_TYPE_VIEW)

/* ---- where things are ------------------------------------------------------ */

static void
sonde_scatter_view_prepare (SondeView *base, int width, int height)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  double legend = sonde_scatter_view_measure_legend (view);

  /* In a narrow view it lies on the points rather than takes the room of them all. */
  view->legend_width = legend <= width * MAX_LEGEND ? legend : 0;
  sonde_view_set_bounds (base, &view->bounds);
}

static void
sonde_scatter_view_area (SondeView *base, int width, int height, SondeViewRect *area)
{
  if (SONDE_SCATTER_VIEW (base)->dims == 3)
    *area = (SondeViewRect){ SONDE_SCATTER_MARGIN, SONDE_SCATTER_MARGIN,
                             width - 2 * SONDE_SCATTER_MARGIN, height - 2 * SONDE_SCATTER_MARGIN };
  else
    *area = (SondeViewRect){ SONDE_AXIS_LEFT, SONDE_AXIS_TOP,
                             width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT,
                             height - SONDE_AXIS_TOP - SONDE_AXIS_BOTTOM };
  area->width -= SONDE_SCATTER_VIEW (base)->legend_width;
}

/* ---- under the pointer --------------------------------------------------- */

static gboolean
sonde_scatter_view_pick (SondeView *base, double x, double y, SondeViewPick *pick)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);
  double nearest = NEAR;

  for (gsize i = 0; i < view->n; i++)
    {
      double px, py;

      sonde_scatter_view_get_place (view, i, &px, &py);
      if (!(hypot (px - x, py - y) < nearest))
        continue;
      nearest = hypot (px - x, py - y);
      pick->id = (gint64) i;
      pick->area = (SondeViewRect){ px - 4, py - 4, 8, 8 };
    }
  return nearest < NEAR;
}

static void
paint_ring (SondeScatterView *view, cairo_t *cr, gint64 point)
{
  double x, y;

  if (point < 0 || (gsize) point >= view->n || !isfinite (view->world[2 * point]))
    return;
  sonde_scatter_view_get_place (view, (gsize) point, &x, &y);
  sonde_paint_scatter_ring (cr, sonde_view_get_theme (SONDE_VIEW (view)), x, y);
}

static void
paint_outline (SondeScatterView *view, cairo_t *cr)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (view));

  if (view->outline->len == 0)
    return;
  cairo_new_path (cr);
  for (guint i = 0; i < view->outline->len; i += 2)
    cairo_line_to (cr, g_array_index (view->outline, double, i),
                   g_array_index (view->outline, double, i + 1));
  cairo_close_path (cr);
  sonde_paint_set_color_alpha (cr, &theme->selection, 0.15);
  cairo_fill_preserve (cr);
  sonde_paint_set_color (cr, &theme->selection);
  cairo_set_line_width (cr, 1);
  cairo_stroke (cr);
}

static void
sonde_scatter_view_paint_overlay (SondeView *base, cairo_t *cr, int width, int height)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (base);

  paint_ring (view, cr, sonde_view_get_hovered (base));
  paint_ring (view, cr, sonde_view_get_selection (base));
  if (view->marks->len <= MOST_RINGS)
    for (guint i = 0; i < view->marks->len; i++)
      paint_ring (view, cr, g_array_index (view->marks, guint32, i));
  paint_outline (view, cr);
}

/* ---- data ---------------------------------------------------------------- */

static void
clear_points (SondeScatterView *view)
{
  sonde_scatter_view_clear_colors (view);
  g_clear_pointer (&view->places, g_free);
  g_clear_pointer (&view->world, g_free);
  g_clear_pointer (&view->depths, g_free);
  g_clear_pointer (&view->labels, sonde_tensor_unref);
  g_clear_pointer (&view->columns, g_strfreev);
  for (int k = 0; k < 3; k++)
    g_clear_pointer (&view->titles[k], g_free);
  view->n = 0;
  view->n_columns = 0;
}

static void
measure_points (SondeScatterView *view)
{
  for (int k = 0; k < 3; k++)
    {
      view->low[k] = INFINITY;
      view->high[k] = -INFINITY;
    }
  for (gsize i = 0; i < view->n * (gsize) view->dims; i++)
    if (isfinite (view->places[i]))
      {
        gsize k = i % (gsize) view->dims;

        view->low[k] = fmin (view->low[k], view->places[i]);
        view->high[k] = fmax (view->high[k], view->places[i]);
      }
  view->range = 0;
  for (int k = 0; k < 3; k++)
    {
      if (!(view->low[k] <= view->high[k]))
        view->low[k] = view->high[k] = 0;
      view->range = fmax (view->range, view->high[k] - view->low[k]);
    }
  if (!(view->range > 0) || !isfinite (view->range))
    view->range = 1;
}

/* In space there is room for every turn, so that nothing jumps. */
static void
scale_points (SondeScatterView *view)
{
  double half = 0, air = SONDE_SCATTER_WORLD * AIR;

  measure_points (view);
  for (int k = 0; k < 3; k++)
    half += pow ((view->high[k] - view->low[k]) / view->range / 2, 2);
  half = SONDE_SCATTER_WORLD * (sqrt (half) + AIR);
  view->world = g_new (double, 2 * MAX (view->n, 1));
  if (view->dims == 3)
    {
      view->depths = g_new (double, MAX (view->n, 1));
      view->bounds = (SondeViewport){ -half, -half, half, half };
      sonde_scatter_view_turn_points (view);
      return;
    }
  for (gsize i = 0; i < view->n; i++)
    {
      view->world[2 * i] = (view->places[2 * i] - view->low[0]) / view->range * SONDE_SCATTER_WORLD;
      view->world[2 * i + 1]
          = (view->high[1] - view->places[2 * i + 1]) / view->range * SONDE_SCATTER_WORLD;
    }
  view->bounds
      = (SondeViewport){ -air, -air,
                         (view->high[0] - view->low[0]) / view->range * SONDE_SCATTER_WORLD + air,
                         (view->high[1] - view->low[1]) / view->range * SONDE_SCATTER_WORLD + air };
}

static gboolean
fits (const SondeTensor *labels, gsize n, const char *const *columns)
{
  gint64 n_columns;

  if (labels == NULL || labels->dtype != SONDE_DTYPE_STRING || labels->shape.rank < 1
      || labels->shape.rank > 2 || labels->shape.dims[0] != (gint64) n
      || !sonde_tensor_is_contiguous (labels))
    return FALSE;
  n_columns = labels->shape.rank == 2 ? labels->shape.dims[1] : 1;
  return n_columns > 0
         && (columns == NULL || (gint64) g_strv_length ((char **) columns) == n_columns);
}

void
sonde_scatter_view_set_points (SondeScatterView *view, double *places, gsize n, int dims,
                               SondeTensor *labels, const char *const *columns,
                               const char *const *titles)
{
  gsize before = view->n;
  int dims_before = view->dims;

  g_return_if_fail (SONDE_IS_SCATTER_VIEW (view) && (dims == 2 || dims == 3));
  clear_points (view);
  view->places = places;
  view->n = places != NULL ? n : 0;
  view->dims = dims;
  for (int k = 0; titles != NULL && k < dims; k++)
    view->titles[k] = g_strdup (titles[k]);
  if (fits (labels, n, columns))
    {
      view->labels = sonde_tensor_ref (labels);
      view->n_columns = labels->shape.rank == 2 ? labels->shape.dims[1] : 1;
      view->columns = g_strdupv ((char **) columns);
    }
  scale_points (view);
  if (view->n != before)
    {
      sonde_scatter_view_set_marks (view, NULL, 0);
      sonde_view_set_selection (SONDE_VIEW (view), SONDE_VIEW_NOTHING);
    }
  if (dims != dims_before)
    sonde_view_zoom_fit (SONDE_VIEW (view));
  sonde_scatter_view_set_color_column (view, view->color_column);
}

void
sonde_scatter_view_set_name_column (SondeScatterView *view, int column)
{
  g_return_if_fail (SONDE_IS_SCATTER_VIEW (view));
  view->name_column = column;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scatter_view_set_sprite (SondeScatterView *view, SondeSprite *sprite)
{
  g_return_if_fail (SONDE_IS_SCATTER_VIEW (view));
  g_clear_pointer (&view->sprite, sonde_sprite_free);
  view->sprite = sprite;
  sonde_view_invalidate (SONDE_VIEW (view));
}

void
sonde_scatter_view_set_show_sprite (SondeScatterView *view, gboolean show)
{
  g_return_if_fail (SONDE_IS_SCATTER_VIEW (view));
  view->show_sprite = show;
  sonde_view_invalidate (SONDE_VIEW (view));
}

guint
sonde_scatter_view_get_n_pictures (SondeScatterView *view)
{
  g_return_val_if_fail (SONDE_IS_SCATTER_VIEW (view), 0);
  return view->n_pictures;
}

gsize
sonde_scatter_view_get_n_points (SondeScatterView *view)
{
  g_return_val_if_fail (SONDE_IS_SCATTER_VIEW (view), 0);
  return view->n;
}

guint
sonde_scatter_view_get_n_columns (SondeScatterView *view)
{
  g_return_val_if_fail (SONDE_IS_SCATTER_VIEW (view), 0);
  return (guint) view->n_columns;
}

/* ---- class --------------------------------------------------------------- */

static void
on_picked (SondeView *base, gint64 id, int n_presses, double x, double y)
{
  if (n_presses == 1)
    sonde_view_set_selection (base, id);
}

static void
sonde_scatter_view_finalize (GObject *object)
{
  SondeScatterView *view = SONDE_SCATTER_VIEW (object);

  clear_points (view);
  g_ptr_array_unref (view->names);
  g_array_unref (view->marks);
  sonde_sprite_free (view->sprite);
  g_array_unref (view->outline);
  G_OBJECT_CLASS (sonde_scatter_view_parent_class)->finalize (object);
}

static void
sonde_scatter_view_class_init (SondeScatterViewClass *klass)
{
  SondeViewClass *view_class = SONDE_VIEW_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = sonde_scatter_view_finalize;
  view_class->prepare = sonde_scatter_view_prepare;
  view_class->paint = sonde_scatter_view_paint;
  view_class->paint_overlay = sonde_scatter_view_paint_overlay;
  view_class->area = sonde_scatter_view_area;
  view_class->pick = sonde_scatter_view_pick;
  view_class->drag = sonde_scatter_view_drag;
  view_class->move_cursor = sonde_scatter_view_move_cursor;
  view_class->dup_tooltip = sonde_scatter_view_dup_tooltip;
  view_class->describe = sonde_scatter_view_describe;
  view_class->dup_table = sonde_scatter_view_dup_table;
  sonde_scatter_view_add_keys (GTK_WIDGET_CLASS (klass));
  signals[MARKS_CHANGED] = g_signal_new ("marks-changed", SONDE_TYPE_SCATTER_VIEW,
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
sonde_scatter_view_init (SondeScatterView *view)
{
  view->names = g_ptr_array_new_with_free_func (g_free);
  view->marks = g_array_new (FALSE, FALSE, sizeof (guint32));
  view->outline = g_array_new (FALSE, FALSE, sizeof (double));
  view->dims = 2;
  view->color_column = view->name_column = -1;
  view->yaw = 0.6;
  view->pitch = 0.4;
  view->bounds = (SondeViewport){ 0, 0, SONDE_SCATTER_WORLD, SONDE_SCATTER_WORLD };
  sonde_view_set_zoom (SONDE_VIEW (view), SONDE_VIEW_ZOOM_UNIFORM);
  sonde_view_set_scale_limits (SONDE_VIEW (view), 0.02, 200, 10);
  sonde_view_set_minimum_size (SONDE_VIEW (view), 240, 200);
  g_signal_connect (view, "picked", G_CALLBACK (on_picked), NULL);
  g_signal_connect (view, "notify::selection", G_CALLBACK (sonde_view_invalidate), NULL);
}

GtkWidget *
sonde_scatter_view_new (void)
{
  return g_object_new (SONDE_TYPE_SCATTER_VIEW, NULL);
}
