/* SPDX-License-Identifier: Apache-2.0
 * The base of the pictures of trials: lines (runs) with a number on each axis (column), brushes on axes, the axis that
 * makes the colour. The lines' numbers are the ids of picks and of the selection. */
#pragma once

#include "viewers/paint/trials/sonde-parallel.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_TRIAL_VIEW (sonde_trial_view_get_type ())
G_DECLARE_DERIVABLE_TYPE (SondeTrialView, sonde_trial_view, SONDE, TRIAL_VIEW, SondeView)

/**
 * SondeTrialViewClass:
 * @list_focused: required: the axes that keys are for, the first of which L and C change. Returns: how many, at most 2
 */
struct _SondeTrialViewClass
{
  SondeViewClass parent_class;

  guint (*list_focused) (SondeTrialView *view, guint *axes);

  gpointer padding[4];
};

/* Signal "brushed" (): is_in() may answer otherwise. */

/**
 * sonde_trial_view_set_lines:
 * @names: (array zero-terminated=1): of the lines
 * @n_lines: how many
 *
 * Takes the old axes away; their brushes and scales come back with axes of the same titles.
 */
void sonde_trial_view_set_lines (SondeTrialView *view, const char *const *names, guint n_lines);
/**
 * sonde_trial_view_add_axis:
 * @values: [n_lines], copied; NaN: the line has none
 * @words: (nullable) (array zero-terminated=1): the values are numbers of these
 */
void sonde_trial_view_add_axis (SondeTrialView *view, const char *title, const double *values,
                                const char *const *words);
guint sonde_trial_view_get_n_axes (SondeTrialView *view);

void sonde_trial_view_set_color_axis (SondeTrialView *view, int axis); /* -1: none */
/* FALSE: it holds what has no logarithm, and stays linear. */
gboolean sonde_trial_view_set_log (SondeTrialView *view, guint axis, gboolean log);
/* In values of the axis; from > to: no brush. */
void sonde_trial_view_set_brush (SondeTrialView *view, guint axis, double from, double to);
gboolean sonde_trial_view_get_brush (SondeTrialView *view, guint axis, double *from, double *to);
void sonde_trial_view_clear_brushes (SondeTrialView *view);
/* Within all brushes. */
gboolean sonde_trial_view_is_in (SondeTrialView *view, guint line);
guint sonde_trial_view_count_in (SondeTrialView *view);

/* For a child: what there is to draw, with no axis focused. (transfer none): until the next call or change */
const SondeParallel *sonde_trial_view_get_drawing (SondeTrialView *view);

G_END_DECLS
