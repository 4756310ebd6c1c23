/* SPDX-License-Identifier: Apache-2.0
 * One curve of several: their mean or median at each step, and a band around it. Pure arithmetic. */
#pragma once

#include "data/charts/sonde-chart-setup.h"
#include "data/runs/sonde-run-store.h"

G_BEGIN_DECLS

/**
 * SondeCurveGroup: three curves of as many points; (element-type SondePoint)
 * @lower, @upper: NULL without a band; where only one member has a value, or for the error and the interval of a
 *   single one, they are the centre
 */
typedef struct
{
  GArray *centre, *lower, *upper;
} SondeCurveGroup;

/**
 * sonde_curve_group_compute:
 * @members: (array length=n_members) (element-type SondePoint): of each its points in any order
 *
 * At each step that any member has: of the members that have it, the last finite value of each. Nothing is
 * interpolated. Times are the means of theirs.
 *   deviation s = sqrt (Σ (x - mean)² / (n - 1)); error s / sqrt n; interval ± t(0.975, n - 1) s / sqrt n; around a
 *   median the bands are of the mean's width, extremes are what they are.
 */
void sonde_curve_group_compute (GArray *const *members, guint n_members, SondeChartCentre centre,
                                SondeChartBand band, SondeCurveGroup *group);
void sonde_curve_group_clear (SondeCurveGroup *group);

/* Student's t at 0.975 with @n degrees of freedom, ≥ 1: half the width of a 95 % interval, in errors. */
double sonde_curve_group_student (guint n);

G_END_DECLS
