/* SPDX-License-Identifier: Apache-2.0
 * Curves at two cursors as a table below an image of their chart. */
#pragma once

#include "data/runs/sonde-run-store.h"
#include "viewers/paint/sonde-theme.h"

G_BEGIN_DECLS

/* Nothing is owned. */
typedef struct
{
  SondeSeries *series;
  const char *title;
  guint color_index;
} SondeComparedCurve;

/* Px that the table takes of a drawing @height px high: half of it at most; 0 where there is no room for a single
 * curve. */
int sonde_curve_comparison_measure (guint n_curves, int height);
/* At the bottom of the drawing; says how many curves have no room. */
void sonde_curve_comparison_paint (cairo_t *cr, const SondeTheme *theme,
                                   const SondeComparedCurve *curves, guint n_curves, gint64 a,
                                   gint64 b, int width, int height);

G_END_DECLS
