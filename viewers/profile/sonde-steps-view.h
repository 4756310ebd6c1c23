/* SPDX-License-Identifier: Apache-2.0
 * How long each step took: a column a step, slow ones in another colour, a line at the median. */
#pragma once

#include "viewers/sonde-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_STEPS_VIEW (sonde_steps_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeStepsView, sonde_steps_view, SONDE, STEPS_VIEW, SondeView)

/* The selection is a step (its index); arrow keys choose it. Signal: "activated" (guint step): Enter or a
 * click on a step. */

GtkWidget *sonde_steps_view_new (void);

/* @ns: (array length=n): copied; @first: number of the first; steps longer than @slow_ns are slow */
void sonde_steps_view_set (SondeStepsView *view, const double *ns, guint n, guint first,
                           double median_ns, double slow_ns);

G_END_DECLS
