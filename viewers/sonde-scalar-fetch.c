/* SPDX-License-Identifier: Apache-2.0
 * What a scalar view takes from its series for an image, and what of it is kept. */
#include "viewers/sonde-scalar-view-private.h"

#include "data/base/sonde-format.h"
#include "data/base/sonde-text.h"

/* Points whose means are computed in a frame, of all curves: about 2 ms. Of more they are on other threads. */
#define SMOOTH_BUDGET 200000
#define PROGRESS_MS 100 /* between two looks at how far they are */
/* Points of a series that has a mean: two points are no course, and would only be faded. */
#define MIN_SMOOTHED 3
/* Curves from which on what was fetched is forgotten when it is drawn: 10,000 runs in ten charts would be 2 GB. */
#define MANY_CURVES 500

static void
on_means (void *user_data)
{
  sonde_view_invalidate (SONDE_VIEW (user_data));
}

/* Said over the picture, which stays as it is. */
static gboolean
on_progress (void *user_data)
{
  SondeScalarView *view = user_data;

  view->tells_progress = !view->smoothed;
  sonde_view_invalidate_overlay (SONDE_VIEW (view));
  if (!view->smoothed)
    return G_SOURCE_CONTINUE;
  view->smoothing_source = 0;
  return G_SOURCE_REMOVE;
}

char *
sonde_scalar_view_dup_smoothing_progress (SondeScalarView *view)
{
  guint64 n_done = 0, n_all = 0;
  g_autofree char *count = NULL;

  for (guint i = 0; i < view->items->len; i++)
    {
      const SondeScalarItem *item = view->items->pdata[i];
      guint64 done, all;

      if (item->smoother == NULL || !sonde_smoother_get_progress (item->smoother, &done, &all))
        continue;
      n_done += done;
      n_all += all;
    }
  if (n_all == 0)
    return NULL;
  count = sonde_format_count ((gint64) n_all);
  return g_strdup_printf (
      P_ ("Smoothing %s point… %d %%", "Smoothing %s points… %d %%", (gulong) n_all), count,
      (int) (100 * n_done / n_all));
}

static SondeSmoother *
make_smoother (SondeScalarView *view, SondeSeries *series)
{
  if (view->method == SONDE_SCALAR_SMOOTH_EXPONENTIAL)
    return sonde_smoother_new (series, view->smoothing);
  return sonde_smoother_new_kernel (series,
                                    view->method == SONDE_SCALAR_SMOOTH_RUNNING
                                        ? SONDE_SMOOTHER_RUNNING
                                        : SONDE_SMOOTHER_GAUSSIAN,
                                    view->smoothing);
}

/* The raw curve is there meanwhile. */
void
sonde_scalar_view_update_smoothers (SondeScalarView *view)
{
  gboolean done = TRUE;

  for (guint i = 0; i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];

      if (item->smoother != NULL && item->smoothing_number != view->smoothing_number)
        g_clear_pointer (&item->smoother, sonde_smoother_free);
      if (item->smoother == NULL && view->smoothing > 0
          && sonde_series_get_n_points (item->series) >= MIN_SMOOTHED)
        {
          item->smoother = make_smoother (view, item->series);
          item->smoothing_number = view->smoothing_number;
        }
      if (item->smoother != NULL)
        done &= sonde_smoother_catch_up (item->smoother,
                                         MAX (SMOOTH_BUDGET / view->items->len, SONDE_SCALAR_SHORT),
                                         on_means, view);
    }
  if (!done && view->smoothing_source == 0)
    view->smoothing_source = g_timeout_add (PROGRESS_MS, on_progress, view);
  view->smoothed = done;
}

/* Of very many curves nothing is kept but the image, as long as nobody points at them. */
static gboolean
keeps_nothing (SondeScalarView *view)
{
  double x, y;

  return view->items->len >= MANY_CURVES && !sonde_view_get_pointer (SONDE_VIEW (view), &x, &y);
}

static void
fetch_all (SondeScalarView *view, const SondeViewport *viewport, double width, gboolean for_image)
{
  for (guint i = 0; i < view->items->len; i++)
    {
      SondeScalarItem *item = view->items->pdata[i];

      sonde_scalar_item_fetch (item, view->x, sonde_scalar_view_x_from_world (view, viewport->x0),
                               sonde_scalar_view_x_from_world (view, viewport->x1), (int) width);
      if (for_image)
        g_clear_pointer (&item->window, g_array_unref);
    }
}

void
sonde_scalar_view_fetch (SondeScalarView *view, const SondeViewport *viewport, double width)
{
  fetch_all (view, viewport, width, keeps_nothing (view));
}

void
sonde_scalar_view_forget (SondeScalarView *view)
{
  if (view->forgotten || !keeps_nothing (view))
    return;
  for (guint i = 0; i < view->items->len; i++)
    sonde_scalar_item_forget (view->items->pdata[i]);
  view->forgotten = TRUE;
}

void
sonde_scalar_view_remember (SondeScalarView *view)
{
  int width = sonde_view_get_width (SONDE_VIEW (view)),
      height = sonde_view_get_height (SONDE_VIEW (view));
  SondeViewport viewport;
  SondeViewRect area;

  if (!view->forgotten)
    return;
  view->forgotten = FALSE;
  sonde_scalar_view_update_smoothers (view);
  sonde_view_get_area (SONDE_VIEW (view), width, height, &area);
  sonde_view_get_viewport_for (SONDE_VIEW (view), width, height, &viewport);
  fetch_all (view, &viewport, area.width, FALSE);
}
