/* SPDX-License-Identifier: Apache-2.0
 * What metrics say of the maps of chosen samples, by method and by control: kept map by map, so
 * that scoring goes on where it was stopped, and a method more costs only its own maps. */
#pragma once

#include "explain/metrics/sonde-evaluation.h"
#include "explain/study/sonde-study-private.h"

G_BEGIN_DECLS

typedef struct _SondeStudyValues SondeStudyValues;

/* @chosen: (element-type SondePrediction); @specs: (element-type SondeAttributionSpec);
 * @evaluation: what is measured, and by what; all lent. Reads what is kept. */
SondeStudyValues *sonde_study_values_new (SondeStudy *study, GPtrArray *chosen, GPtrArray *specs,
                                          SondeEvaluation *evaluation);
void sonde_study_values_free (SondeStudyValues *values);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeStudyValues, sonde_study_values_free)

/* Measures what is missing, and keeps it. */
gboolean sonde_study_values_complete (SondeStudyValues *values, GError **error);
/* All values in one order, whatever was kept before. (transfer full) */
SondeScorecard *sonde_study_values_make_scorecard (SondeStudyValues *values);

G_END_DECLS
