/* SPDX-License-Identifier: Apache-2.0
 * Trials as lines over axes that can be brushed: by dragging along an axis, or with keys. Left and
 * Right choose the axis, Up and Down move its brush, with Shift its upper end, Delete takes it away,
 * L makes the axis logarithmic, C makes it the colour. */
#pragma once

#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PARALLEL_VIEW (sonde_parallel_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeParallelView, sonde_parallel_view, SONDE, PARALLEL_VIEW, SondeView)

/* Signal "brushed" (): is_in() may answer otherwise. The lines' numbers are the ids of the base's
 * selection and picks. */

GtkWidget *sonde_parallel_view_new (void);

/**
 * sonde_parallel_view_set_lines:
 * @names: (array zero-terminated=1): of the lines
 * @n_lines: how many
 *
 * Takes the old axes away; their brushes and scales come back with axes of the same titles.
 */
void sonde_parallel_view_set_lines (SondeParallelView *view, const char *const *names,
                                    guint n_lines);
/**
 * sonde_parallel_view_add_axis:
 * @values: [n_lines], copied; NaN: the line has none
 * @words: (nullable) (array zero-terminated=1): the values are numbers of these
 */
void sonde_parallel_view_add_axis (SondeParallelView *view, const char *title, const double *values,
                                   const char *const *words);
guint sonde_parallel_view_get_n_axes (SondeParallelView *view);

void sonde_parallel_view_set_color_axis (SondeParallelView *view, int axis); /* -1: none */
/* FALSE: it holds what has no logarithm, and stays linear. */
gboolean sonde_parallel_view_set_log (SondeParallelView *view, guint axis, gboolean log);
/* In values of the axis; from > to: no brush. */
void sonde_parallel_view_set_brush (SondeParallelView *view, guint axis, double from, double to);
gboolean sonde_parallel_view_get_brush (SondeParallelView *view, guint axis, double *from,
                                        double *to);
void sonde_parallel_view_clear_brushes (SondeParallelView *view);
/* Within all brushes. */
gboolean sonde_parallel_view_is_in (SondeParallelView *view, guint line);

G_END_DECLS
