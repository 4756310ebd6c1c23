/* SPDX-License-Identifier: Apache-2.0
 * What metrics say of the maps of chosen samples, by method and by control: kept map by map, so
 * that scoring goes on where it was stopped, and a method more costs only its own maps. */
#pragma once

#include "explain/metrics/sonde-evaluation.h"
#include "explain/session/sonde-explain-session.h"

G_BEGIN_DECLS

typedef struct _SondeMetricValues SondeMetricValues;

/* @chosen: (element-type SondeSampleResult); @specs: (element-type SondeAttributionSpec);
 * @evaluation: what is measured, and by what; all lent. Reads what is kept. */
SondeMetricValues *sonde_metric_values_new (SondeExplainSession *session, GPtrArray *chosen,
                                            GPtrArray *specs, SondeEvaluation *evaluation);
void sonde_metric_values_free (SondeMetricValues *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeMetricValues, sonde_metric_values_free)

/* Measures what is missing, and keeps it. */
gboolean sonde_metric_values_complete (SondeMetricValues *values, GError **error);
/* All values in one order, whatever was kept before. (transfer full) */
SondeScorecard *sonde_metric_values_make_scorecard (SondeMetricValues *values);

G_END_DECLS
