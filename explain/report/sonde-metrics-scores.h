/* SPDX-License-Identifier: Apache-2.0
 * Members of metrics.json: what the metrics say of the maps. */
#pragma once

#include <json-glib/json-glib.h>

#include "explain/metrics/sonde-evaluation.h"

G_BEGIN_DECLS

/* Adds the members "weights", "scores" (by method and metric: mean, interval, counts, by class),
 * "composite" and "samples". @classes: (array length=n_classes): names */
void sonde_metrics_add_scores (JsonBuilder *builder, SondeEvaluation *evaluation, char **classes,
                               guint n_classes);

G_END_DECLS
