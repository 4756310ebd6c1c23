/* SPDX-License-Identifier: Apache-2.0
 * What stands behind the curves of a classifier's thresholds. */
#pragma once

#include "viewers/paint/sonde-chart.h"

G_BEGIN_DECLS

/* The diagonal of a ROC chart: what guessing would give. */
void sonde_paint_roc_chance (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart,
                             int width, int height);
/* In a chart of precision over recall the curves on which F1 is 0.2, 0.4, 0.6 and 0.8. */
void sonde_paint_iso_f1 (cairo_t *cr, const SondeTheme *theme, const SondeChart *chart, int width,
                         int height);

G_END_DECLS
