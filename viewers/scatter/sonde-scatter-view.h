/* SPDX-License-Identifier: Apache-2.0
 * Points in a plane, coloured and shaped by what a label says; all labels of a point under the
 * pointer. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCATTER_VIEW (sonde_scatter_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeScatterView, sonde_scatter_view, SONDE, SCATTER_VIEW, SondeView)

GtkWidget *sonde_scatter_view_new (void);

/**
 * sonde_scatter_view_set_points:
 * @xy: (transfer full) (nullable): [n, 2]; points that are not finite are not drawn
 * @labels: (nullable): [n, m] or [n] STRING, referenced; of another form: as NULL
 * @columns: (nullable) (array zero-terminated=1): names of the m columns, copied
 * @x_title, @y_title: (nullable): of the axes
 */
void sonde_scatter_view_set_points (SondeScatterView *view, double *xy, gsize n,
                                    SondeTensor *labels, const char *const *columns,
                                    const char *x_title, const char *y_title);
/* Which column of the labels says the colour: numbers on a scale, words by kind. -1: none */
void sonde_scatter_view_set_color_column (SondeScatterView *view, int column);

G_END_DECLS
