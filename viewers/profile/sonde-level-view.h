/* SPDX-License-Identifier: Apache-2.0
 * Levels over time, to be zoomed; the values under the pointer, and at a cursor that a click sets and arrows
 * move: property "selection" of SondeView, the index of a point of the first series. */
#pragma once

#include "viewers/paint/profile/sonde-level-paint.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_LEVEL_VIEW (sonde_level_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeLevelView, sonde_level_view, SONDE, LEVEL_VIEW, SondeView)

/* @title: see sonde_view_set_title() */
GtkWidget *sonde_level_view_new (const char *title);

/**
 * sonde_level_view_set:
 * @series: (array length=n): copied; none: @message is shown
 * @origin_ns: zero of the axis of time
 * @axis: (nullable): title of the vertical axis, where @unit gives none
 */
void sonde_level_view_set (SondeLevelView *view, const SondeLevelSeries *series, gsize n,
                           SondeLevelUnit unit, gint64 origin_ns, const char *axis,
                           const char *message);

/* When, and the values of all series then. (transfer full) (nullable) */
char *sonde_level_view_dup_sentence (SondeLevelView *view, gint64 point);

G_END_DECLS
