/* SPDX-License-Identifier: Apache-2.0
 * Chosen metrics of explained maps as they come, with two controls: a random map, and one that
 * always points at the centre. What does not live here: metrics themselves, files. */
#pragma once

#include "explain/metrics/sonde-scorecard.h"
#include "explain/sonde-explain-maps.h"

G_BEGIN_DECLS

#define SONDE_EVALUATION_RANDOM "random-map"
#define SONDE_EVALUATION_CENTRE "centre-map"
#define SONDE_EVALUATION_CHECKED 12 /* maps of a method whose randomisation is checked: the first */

typedef struct _SondeEvaluation SondeEvaluation;

/**
 * sonde_evaluation_new:
 * @list: "all", or names between commas, each with a weight in the composite:
 * "deletion,insertion=2"
 *
 * Errors: SONDE_DATA_ERROR_INVALID naming the metric and those there are.
 */
SondeEvaluation *sonde_evaluation_new (const char *list, SondeExplainer *explainer,
                                       SondeDataset *dataset, guint64 seed, GError **error);
void sonde_evaluation_free (SondeEvaluation *evaluation);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeEvaluation, sonde_evaluation_free)

/**
 * sonde_evaluation_add:
 * @spec: by which @map of @sample was computed
 *
 * Takes the metrics of one map; its method goes by "LABEL/TARGET" in the scorecard, the controls by
 * "random-map/TARGET" and "centre-map/TARGET". Orders and places are taken from |map| where the
 * method's channels were joined by magnitude, else from the signed map. What a map cannot have
 * (infidelity without channels, pointing without a known object) is not added; what it has but
 * cannot be told is NaN. Errors: of the network.
 */
gboolean sonde_evaluation_add (SondeEvaluation *evaluation, const SondeAttributionSpec *spec,
                               const SondeAttributionMap *map, const SondeSampleResult *sample,
                               GError **error);

/* Notes a map for the randomisation check without taking its metrics, as one whose metrics are
 * known already. @spec: lent until then;
 * @target_is: as in SondeAttributionMap. */
void sonde_evaluation_add_checked (SondeEvaluation *evaluation, const SondeAttributionSpec *spec,
                                   const char *target_is, const SondeSampleResult *prediction,
                                   gint64 target);

/**
 * sonde_evaluation_randomise:
 * @model: as loaded; not changed
 *
 * The randomisation check, when it was chosen: for the first maps of each method, similarity to the
 * maps of nets whose layers were permuted from the output downward, in at most sixteen stages; the
 * mean over the last half is the value.
 */
gboolean sonde_evaluation_randomise (SondeEvaluation *evaluation, SondeGraph *model,
                                     const char *device, int threads, GError **error);

SondeScorecard *sonde_evaluation_get_scorecard (SondeEvaluation *evaluation);
/* (array length=n) */
const SondeMapMetric *const *sonde_evaluation_get_metrics (SondeEvaluation *evaluation,
                                                           const double **weights, guint *n);

G_END_DECLS
