/* SPDX-License-Identifier: Apache-2.0
 * Which curve of a scalar view is whose, above the chart. */
#include "viewers/sonde-scalar-view-private.h"

#define LARGE_HEIGHT 320 /* px from which on there is room for several lines */

/* (transfer full): one an item */
static SondeLegendEntry *
make_legend (SondeScalarView *view)
{
  const SondeTheme *theme = sonde_view_get_theme (SONDE_VIEW (view));
  SondeLegendEntry *entries = g_new0 (SondeLegendEntry, view->items->len + 1);

  for (guint i = 0; i < view->items->len; i++)
    {
      const SondeScalarItem *item = view->items->pdata[i];

      entries[i].label = item->title != NULL ? item->title : "";
      entries[i].stroke = sonde_theme_series (theme, item->color_index);
    }
  return entries;
}

void
sonde_scalar_view_update_legend (SondeScalarView *view, int width, int height)
{
  g_autofree SondeLegendEntry *entries = NULL;
  double room = width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT;
  gsize n_shown;

  view->legend_lines = 0;
  view->legend_height = 0;
  if (view->items->len < 2 || room < 100 || (height < LARGE_HEIGHT && !view->has_legend))
    return;
  entries = make_legend (view);
  view->legend_lines = height < LARGE_HEIGHT ? 1 : (guint) CLAMP (height / 120, 2, 6);
  view->legend_height
      = sonde_legend_measure (entries, view->items->len, room, view->legend_lines, &n_shown);
  if (height < LARGE_HEIGHT && n_shown < view->items->len)
    view->legend_height = 0;
}

void
sonde_scalar_view_paint_legend (SondeScalarView *view, cairo_t *cr, int width)
{
  g_autofree SondeLegendEntry *entries = make_legend (view);

  sonde_paint_legend (cr, sonde_view_get_theme (SONDE_VIEW (view)), entries, view->items->len,
                      SONDE_AXIS_LEFT, 0, width - SONDE_AXIS_LEFT - SONDE_AXIS_RIGHT,
                      view->legend_lines);
}
