/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain --metrics`: the scorecard as JSON. */
#pragma once

#include <json-glib/json-glib.h>

#include "explain/metrics/sonde-evaluation.h"

G_BEGIN_DECLS

/**
 * sonde_explain_metrics_build:
 * @builder: inside an object: gets the members "weights", "scores" (by method and metric: mean,
 *   interval, counts, by class), "composite" and "samples"
 * @classes: (array length=n_classes): names
 */
void sonde_explain_metrics_build (SondeEvaluation *evaluation, char **classes, guint n_classes,
                                  JsonBuilder *builder);

/* One line a method and metric, for people. (transfer full) */
char *sonde_explain_metrics_to_text (SondeEvaluation *evaluation);

G_END_DECLS
