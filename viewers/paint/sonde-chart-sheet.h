/* SPDX-License-Identifier: Apache-2.0
 * Charts on a page of their own, for files: a title above each, one legend below all. */
#pragma once

#include "viewers/paint/sonde-chart.h"
#include "viewers/paint/sonde-legend.h"

G_BEGIN_DECLS

/* Not owned. */
typedef struct
{
  const char *title;
  SondeChart chart;
} SondeChartPanel;

/**
 * SondeChartSheet:
 * @entries: of the legend; it is left out when there is one entry or none
 */
typedef struct
{
  const SondeChartPanel *panels;
  gsize n_panels;
  const SondeLegendEntry *entries;
  gsize n_entries;
} SondeChartSheet;

/* The place of the chart of panel @i, without its title. FALSE when it is too small to be read
 * (less than 140 × 100 px). */
gboolean sonde_chart_sheet_place (const SondeChartSheet *sheet, gsize i, int width, int height,
                                  cairo_rectangle_t *place);

void sonde_paint_chart_sheet (cairo_t *cr, const SondeTheme *theme, const SondeChartSheet *sheet,
                              int width, int height);

G_END_DECLS
