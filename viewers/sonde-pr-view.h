/* SPDX-License-Identifier: Apache-2.0
 * Precision over recall, or the ROC curve of the same thresholds: several runs in a chart, the
 * threshold and its counts under the pointer. */
#pragma once

#include "data/values/sonde-tensor.h"
#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PR_VIEW (sonde_pr_view_get_type ())
G_DECLARE_FINAL_TYPE (SondePrView, sonde_pr_view, SONDE, PR_VIEW, SondeView)

GtkWidget *sonde_pr_view_new (void);

void sonde_pr_view_clear (SondePrView *view);
/**
 * sonde_pr_view_add:
 * @title: of the run; @color_index: of the run; @step: of the record
 * @rows: see sonde_pr_points_make()
 * Returns: FALSE when @rows are no curve; nothing is added then.
 */
gboolean sonde_pr_view_add (SondePrView *view, const char *title, guint color_index, gint64 step,
                            const SondeTensor *rows);
guint sonde_pr_view_get_n_curves (SondePrView *view);
/* FALSE: precision over recall */
void sonde_pr_view_set_roc (SondePrView *view, gboolean roc);
/* Average precision, or the area of the ROC curve; NaN when there is no such curve. */
double sonde_pr_view_get_area (SondePrView *view, guint curve);
/* In place of curves. (nullable) */
void sonde_pr_view_set_message (SondePrView *view, const char *message);

G_END_DECLS
