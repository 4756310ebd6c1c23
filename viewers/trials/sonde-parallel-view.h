/* SPDX-License-Identifier: Apache-2.0
 * Trials as lines over axes that can be brushed: by dragging along an axis, or with keys. Left and
 * Right choose the axis, Up and Down move its brush, with Shift its upper end, Delete takes it away,
 * L makes the axis logarithmic, C makes it the colour. */
#pragma once

#include "viewers/trials/sonde-trial-view.h"

G_BEGIN_DECLS

#define SONDE_TYPE_PARALLEL_VIEW (sonde_parallel_view_get_type ())
G_DECLARE_FINAL_TYPE (SondeParallelView, sonde_parallel_view, SONDE, PARALLEL_VIEW, SondeTrialView)

GtkWidget *sonde_parallel_view_new (void);

G_END_DECLS
