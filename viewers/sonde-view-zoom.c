/* SPDX-License-Identifier: Apache-2.0
 * Viewport arithmetic of the base view: its px, fit, zoom at a point, pan, the way back. */
#include "viewers/sonde-view-private.h"

#include <math.h>

#define MAX_HISTORY 64
/* Doubles still distinguish neighbouring pixels at this share of their magnitude. */
#define MIN_RELATIVE_EXTENT 1e-12

double
sonde_view_from_widget (SondeView *view, double length)
{
  return length / sonde_view_get_private (view)->text_scale;
}

double
sonde_view_to_widget (SondeView *view, double length)
{
  return length * sonde_view_get_private (view)->text_scale;
}

int
sonde_view_get_width (SondeView *view)
{
  return (int) sonde_view_from_widget (view, gtk_widget_get_width (GTK_WIDGET (view)));
}

int
sonde_view_get_height (SondeView *view)
{
  return (int) sonde_view_from_widget (view, gtk_widget_get_height (GTK_WIDGET (view)));
}

static gboolean
is_fitted_whole (const SondeViewPrivate *priv)
{
  return priv->fit_x && priv->fit_y;
}

/* The same number of px a unit in both directions; the middle stays. */
static void
make_uniform (const SondeViewPrivate *priv, const SondeViewRect *area, SondeViewport *viewport)
{
  double w = fabs (viewport->x1 - viewport->x0), h = fabs (viewport->y1 - viewport->y0);
  double scale = MIN (area->width / MAX (w, 1e-9), area->height / MAX (h, 1e-9));
  double cx = (viewport->x0 + viewport->x1) / 2, cy = (viewport->y0 + viewport->y1) / 2;
  double max_scale
      = is_fitted_whole (priv) ? MIN (priv->max_fit_scale, priv->max_scale) : priv->max_scale;

  scale = CLAMP (scale, priv->min_scale, max_scale);
  w = area->width / scale / 2;
  h = area->height / scale / 2;
  *viewport = (SondeViewport){ cx - w, cy - h, cx + w, cy + h };
}

void
sonde_view_get_viewport_for (SondeView *view, int width, int height, SondeViewport *viewport)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewRect area;

  *viewport = priv->viewport;
  if (priv->fit_x)
    {
      viewport->x0 = priv->bounds.x0;
      viewport->x1 = priv->bounds.x1;
    }
  if (priv->fit_y)
    {
      viewport->y0 = priv->bounds.y0;
      viewport->y1 = priv->bounds.y1;
    }
  if (priv->zoom == SONDE_VIEW_ZOOM_UNIFORM || priv->zoom == SONDE_VIEW_ZOOM_FIXED)
    {
      sonde_view_get_area (view, width, height, &area);
      make_uniform (priv, &area, viewport);
    }
}

void
sonde_view_get_viewport (SondeView *view, SondeViewport *viewport)
{
  sonde_view_get_viewport_for (view, sonde_view_get_width (view), sonde_view_get_height (view),
                               viewport);
}

void
sonde_view_set_zoom (SondeView *view, SondeViewZoom zoom)
{
  sonde_view_get_private (view)->zoom = zoom;
  sonde_view_invalidate (view);
}

void
sonde_view_set_wheel_needs_control (SondeView *view, gboolean needs_control)
{
  sonde_view_get_private (view)->wheel_needs_control = needs_control;
}

void
sonde_view_set_scale_limits (SondeView *view, double min, double max, double max_fit)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  priv->min_scale = min;
  priv->max_scale = max;
  priv->max_fit_scale = max_fit;
  sonde_view_invalidate (view);
}

void
sonde_view_set_min_extent (SondeView *view, double extent)
{
  sonde_view_get_private (view)->min_extent = extent;
}

void
sonde_view_set_bounds (SondeView *view, const SondeViewport *bounds)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewport b = *bounds;

  if (!(fabs (b.x1 - b.x0) > 0))
    {
      b.x0 -= 0.5;
      b.x1 += 0.5;
    }
  if (!(fabs (b.y1 - b.y0) > 0))
    {
      b.y0 += 0.5;
      b.y1 -= 0.5;
    }
  if (memcmp (&b, &priv->bounds, sizeof b) == 0)
    return;
  priv->bounds = b;
  if (priv->fit_x || priv->fit_y)
    sonde_view_invalidate (view);
}

void
sonde_view_remember_place (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewPlace place = { priv->viewport, priv->fit_x, priv->fit_y };

  if (priv->history->len == MAX_HISTORY)
    g_array_remove_index (priv->history, 0);
  g_array_append_val (priv->history, place);
}

static gboolean
is_usable (double a, double b)
{
  return isfinite (a) && isfinite (b)
         && fabs (b - a) > MIN_RELATIVE_EXTENT * MAX (fabs (a), fabs (b));
}

/* No narrower than may be, no wider than the bounds, and inside them. */
static void
keep_inside (const SondeViewPrivate *priv, SondeViewport *v)
{
  double whole = priv->bounds.x1 - priv->bounds.x0;
  double extent = CLAMP (v->x1 - v->x0, MIN (priv->min_extent, whole), whole);
  double middle = (v->x0 + v->x1) / 2;

  v->x0 = CLAMP (middle - extent / 2, priv->bounds.x0, priv->bounds.x1 - extent);
  v->x1 = v->x0 + extent;
}

/* Takes the x or y limits, or both, and leaves the fitted state in those directions. */
void
sonde_view_change_viewport (SondeView *view, const SondeViewport *viewport, gboolean x, gboolean y)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  gboolean uniform = priv->zoom == SONDE_VIEW_ZOOM_UNIFORM;
  SondeViewport kept = *viewport;

  if (priv->zoom == SONDE_VIEW_ZOOM_ROWS && is_usable (viewport->x0, viewport->x1))
    {
      keep_inside (priv, &kept);
      viewport = &kept;
    }
  if ((x || uniform) && is_usable (viewport->x0, viewport->x1))
    {
      priv->viewport.x0 = viewport->x0;
      priv->viewport.x1 = viewport->x1;
      priv->fit_x = FALSE;
    }
  if ((y || uniform) && is_usable (viewport->y0, viewport->y1))
    {
      priv->viewport.y0 = viewport->y0;
      priv->viewport.y1 = viewport->y1;
      priv->fit_y = FALSE;
    }
  sonde_view_invalidate (view);
  sonde_view_emit_viewport_changed (view);
}

void
sonde_view_set_viewport (SondeView *view, const SondeViewport *viewport)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  sonde_view_remember_place (view);
  sonde_view_change_viewport (view, viewport, TRUE, sonde_view_can_zoom_y (priv));
}

void
sonde_view_zoom_at (SondeView *view, double x, double y, double factor_x, double factor_y)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewport v;
  double wx, wy;

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (!sonde_view_can_zoom (priv) || !(factor_x > 0) || !(factor_y > 0))
    return;
  sonde_view_get_viewport (view, &v);
  sonde_view_view_to_world (view, x, y, &wx, &wy);
  if (priv->zoom == SONDE_VIEW_ZOOM_UNIFORM)
    {
      SondeViewRect area;
      double scale;

      sonde_view_get_area (view, sonde_view_get_width (view), sonde_view_get_height (view), &area);
      scale = area.width / fabs (v.x1 - v.x0);
      factor_x = factor_y = CLAMP (scale * factor_x, priv->min_scale, priv->max_scale) / scale;
    }
  v = (SondeViewport){ wx + (v.x0 - wx) / factor_x, wy + (v.y0 - wy) / factor_y,
                       wx + (v.x1 - wx) / factor_x, wy + (v.y1 - wy) / factor_y };
  sonde_view_change_viewport (view, &v, factor_x != 1,
                              factor_y != 1 && sonde_view_can_zoom_y (priv));
}

void
sonde_view_pan (SondeView *view, double dx, double dy)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewRect area;
  SondeViewport v;
  double wx, wy;

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (!sonde_view_can_zoom (priv))
    return;
  sonde_view_get_area (view, sonde_view_get_width (view), sonde_view_get_height (view), &area);
  sonde_view_get_viewport (view, &v);
  wx = -dx * (v.x1 - v.x0) / area.width;
  wy = -dy * (v.y1 - v.y0) / area.height;
  v = (SondeViewport){ v.x0 + wx, v.y0 + wy, v.x1 + wx, v.y1 + wy };
  sonde_view_change_viewport (view, &v, dx != 0, dy != 0 && sonde_view_can_zoom_y (priv));
}

void
sonde_view_follow_x (SondeView *view, SondeView *leader)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  const SondeViewPrivate *led = sonde_view_get_private (leader);

  g_return_if_fail (SONDE_IS_VIEW (view) && SONDE_IS_VIEW (leader));
  if (priv->fit_x == led->fit_x && priv->viewport.x0 == led->viewport.x0
      && priv->viewport.x1 == led->viewport.x1)
    return;
  priv->fit_x = led->fit_x;
  priv->viewport.x0 = led->viewport.x0;
  priv->viewport.x1 = led->viewport.x1;
  sonde_view_invalidate (view);
}

void
sonde_view_zoom_fit (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  g_return_if_fail (SONDE_IS_VIEW (view));
  if (is_fitted_whole (priv))
    return;
  sonde_view_remember_place (view);
  priv->fit_x = priv->fit_y = TRUE;
  sonde_view_invalidate (view);
  sonde_view_emit_viewport_changed (view);
}

gboolean
sonde_view_zoom_back (SondeView *view)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);
  SondeViewPlace place;

  g_return_val_if_fail (SONDE_IS_VIEW (view), FALSE);
  if (priv->history->len == 0)
    return FALSE;
  place = g_array_index (priv->history, SondeViewPlace, priv->history->len - 1);
  g_array_set_size (priv->history, priv->history->len - 1);
  priv->viewport = place.viewport;
  priv->fit_x = place.fit_x;
  priv->fit_y = place.fit_y;
  sonde_view_invalidate (view);
  sonde_view_emit_viewport_changed (view);
  return TRUE;
}

gboolean
sonde_view_is_fitted (SondeView *view, gboolean *x, gboolean *y)
{
  SondeViewPrivate *priv = sonde_view_get_private (view);

  if (x != NULL)
    *x = priv->fit_x;
  if (y != NULL)
    *y = priv->fit_y;
  return is_fitted_whole (priv);
}

void
sonde_view_reveal (SondeView *view, const SondeViewport *rectangle)
{
  SondeViewport v;
  double w, h, cx = (rectangle->x0 + rectangle->x1) / 2, cy = (rectangle->y0 + rectangle->y1) / 2;

  sonde_view_get_viewport (view, &v);
  w = MAX (fabs (v.x1 - v.x0), fabs (rectangle->x1 - rectangle->x0) * 1.1) / 2;
  h = MAX (fabs (v.y1 - v.y0), fabs (rectangle->y1 - rectangle->y0) * 1.1) / 2;
  sonde_view_set_viewport (view, &(SondeViewport){ cx - w, cy - h, cx + w, cy + h });
}

void
sonde_view_world_to_view (SondeView *view, double wx, double wy, double *x, double *y)
{
  SondeViewRect area;
  SondeViewport v;

  sonde_view_get_area (view, sonde_view_get_width (view), sonde_view_get_height (view), &area);
  sonde_view_get_viewport (view, &v);
  *x = area.x + (wx - v.x0) / (v.x1 - v.x0) * area.width;
  *y = area.y + (wy - v.y0) / (v.y1 - v.y0) * area.height;
}

void
sonde_view_view_to_world (SondeView *view, double x, double y, double *wx, double *wy)
{
  SondeViewRect area;
  SondeViewport v;

  sonde_view_get_area (view, sonde_view_get_width (view), sonde_view_get_height (view), &area);
  sonde_view_get_viewport (view, &v);
  *wx = v.x0 + (x - area.x) / area.width * (v.x1 - v.x0);
  *wy = v.y0 + (y - area.y) / area.height * (v.y1 - v.y0);
}
