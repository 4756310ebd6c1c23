/* SPDX-License-Identifier: Apache-2.0
 * Images of a report: samples, maps in colour, the reliability diagram. */
#pragma once

#include "data/values/sonde-image.h"
#include "explain/triage/sonde-calibration.h"

G_BEGIN_DECLS

/* The sample as RGB, no side over 160 pixels: means of whole blocks. @image: (transfer full)
 * (nullable) */
SondeImage *sonde_report_shrink (SondeImage *image);

/* Diverging colours, @limit the largest magnitude shown; 0: a constant map. */
SondeImage *sonde_report_colour_map (SondeTensor *map, double limit);

/* Accuracy over confidence in bins, with the diagonal, 340 × 340. */
SondeImage *sonde_report_draw_reliability (const SondeCalibration *calibration);

G_END_DECLS
