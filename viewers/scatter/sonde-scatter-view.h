/* SPDX-License-Identifier: Apache-2.0
 * Points in a plane or in space, coloured and shaped by what a label says. One of them is selected
 * by a click or by arrow keys; many are marked with a box (Shift + drag), with a lasso (Ctrl + drag,
 * or any drag in the mode for it) or by who uses the view. In space a drag turns, as Ctrl + arrow
 * keys do. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/paint/sonde-sprite.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SCATTER_VIEW (sonde_scatter_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeScatterView, sonde_scatter_view, SONDE, SCATTER_VIEW, SondeView)

/* Signals: "marks-changed" (): by a gesture or a key, or by set_marks(). */
GtkWidget *sonde_scatter_view_new (void);

/**
 * sonde_scatter_view_set_points:
 * @places: (transfer full) (nullable): [n, @dims]; points that are not finite are not drawn
 * @dims: 2 or 3
 * @labels: (nullable): [n, m] or [n] STRING, referenced; of another form: as NULL
 * @columns: (nullable) (array zero-terminated=1): names of the m columns, copied
 * @titles: (nullable) (array length=dims): of the axes
 *
 * Marks and selection stay when there are as many points as before.
 */
void sonde_scatter_view_set_points (SondeScatterView *view, double *places, gsize n, int dims,
                                    SondeTensor *labels, const char *const *columns,
                                    const char *const *titles);
/* Which column of the labels says the colour: numbers on a scale, words by kind. -1: none */
void sonde_scatter_view_set_color_column (SondeScatterView *view, int column);
/* Which column is written beside points, where there is room: beside marked ones, or all. -1: none */
void sonde_scatter_view_set_name_column (SondeScatterView *view, int column);

/* A picture a point, drawn beside it: of the marked ones, or of all, as far as there is room. @sprite:
 * (transfer full) (nullable) */
void sonde_scatter_view_set_sprite (SondeScatterView *view, SondeSprite *sprite);
void sonde_scatter_view_set_show_sprite (SondeScatterView *view, gboolean show);
guint sonde_scatter_view_get_n_pictures (SondeScatterView *view); /* drawn last */

/* Others become pale. @points: (array length=n) (nullable): copied; none: nothing is pale */
void sonde_scatter_view_set_marks (SondeScatterView *view, const guint32 *points, gsize n);
/* (transfer none) (array length=n): ascending, until the next change */
const guint32 *sonde_scatter_view_get_marks (SondeScatterView *view, gsize *n);
void sonde_scatter_view_set_lasso (SondeScatterView *view, gboolean lasso);

/* In space: by so many radians to the right and upwards. */
void sonde_scatter_view_turn (SondeScatterView *view, double right, double up);

gsize sonde_scatter_view_get_n_points (SondeScatterView *view);
guint sonde_scatter_view_get_n_columns (SondeScatterView *view); /* of labels */
/* Where it is in the widget, px. */
void sonde_scatter_view_get_place (SondeScatterView *view, gsize point, double *x, double *y);
/* The cell of the labels; "" where there is none. (transfer none) */
const char *sonde_scatter_view_get_label (SondeScatterView *view, gsize point, gint64 column);

/* Rows of sonde_view_dup_table() of these points only, with its head. @distances: (nullable)
 * (array length=n): a last column. (transfer full) */
char *sonde_scatter_view_dup_rows (SondeScatterView *view, const guint32 *points,
                                   const double *distances, gsize n, char separator);

G_END_DECLS
