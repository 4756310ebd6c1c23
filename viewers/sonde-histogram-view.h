/* SPDX-License-Identifier: Apache-2.0
 * Histograms of one tag over steps: ridges, heat map or percentile bands; the values of a bin under
 * the pointer, and the step cursor. */
#pragma once

#include "viewers/paint/distribution/sonde-distribution.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_HISTOGRAM_VIEW (sonde_histogram_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeHistogramView, sonde_histogram_view, SONDE, HISTOGRAM_VIEW, SondeView)

/* Signals: "cursor-moved" (gint64 step): by a click or the arrow keys. "step-marked" (gint64 step): by a click with
 * Ctrl, of other kinds than the overlay of runs. */

GtkWidget *sonde_histogram_view_new (void);

void sonde_histogram_view_clear (SondeHistogramView *view);
/* @bins is copied. Any order of steps; a step again replaces the older one (a resumed run). */
void sonde_histogram_view_add (SondeHistogramView *view, gint64 step, const SondeBins *bins);
guint sonde_histogram_view_get_n_rows (SondeHistogramView *view);

/**
 * sonde_histogram_view_add_run:
 * @title: of the run; @color_index: of the run; @bins: copied
 *
 * A histogram of the overlay, which has rows of its own: one a run, each at its own step.
 */
void sonde_histogram_view_add_run (SondeHistogramView *view, const char *title, guint color_index,
                                   gint64 step, const SondeBins *bins);
void sonde_histogram_view_clear_runs (SondeHistogramView *view);
/* The rows of the overlay are steps of one run, in their order. The arrow keys go through all its steps. */
void sonde_histogram_view_set_overlay_of_steps (SondeHistogramView *view, gboolean of_steps);

void sonde_histogram_view_set_kind (SondeHistogramView *view, SondeDistributionKind kind);
/* Densities by their logarithm. */
void sonde_histogram_view_set_log (SondeHistogramView *view, gboolean log);
void sonde_histogram_view_set_color (SondeHistogramView *view, guint color_index); /* of the run */
/* The row at or before @step is strong; G_MININT64: none. */
void sonde_histogram_view_set_cursor (SondeHistogramView *view, gint64 step);
/* In place of the image; (nullable). */
void sonde_histogram_view_set_message (SondeHistogramView *view, const char *message);

G_END_DECLS
