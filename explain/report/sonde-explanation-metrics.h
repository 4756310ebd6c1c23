/* SPDX-License-Identifier: Apache-2.0
 * metrics.json: what was counted and measured of a model's predictions and of their maps. Nothing
 * reads it back; the tables of the folder are what is opened again (sonde-explanation-folder.h). */
#pragma once

#include <json-glib/json-glib.h>

#include "explain/metrics/sonde-evaluation.h"
#include "explain/triage/sonde-triage.h"

G_BEGIN_DECLS

/**
 * SondeExplanationMetrics: all lent
 * @predictions: (element-type SondeSampleResult): of @dataset
 * @n_explained: samples with maps; @n_maps: of all methods; @n_unreadable: samples that could not be
 *   read
 * @failed: (element-type utf8): labels of methods that gave no maps
 * @triage: (nullable); @evaluation: (nullable): metrics of the maps
 * @pointing: (element-type SondePointing)
 */
typedef struct
{
  SondeDataset *dataset;
  GPtrArray *predictions;
  guint n_explained, n_maps, n_unreadable;
  GPtrArray *failed;
  const SondeTriage *triage;
  GPtrArray *pointing;
  SondeEvaluation *evaluation;
} SondeExplanationMetrics;

/* An object. (transfer full) */
JsonNode *sonde_explanation_metrics_to_json (const SondeExplanationMetrics *metrics);
/* FOLDER/metrics.json. @metrics: as the function above made it */
gboolean sonde_explanation_metrics_write (const char *folder, JsonNode *metrics, GError **error);

G_END_DECLS
