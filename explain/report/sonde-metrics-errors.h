/* SPDX-License-Identifier: Apache-2.0
 * Members of metrics.json: calibration, confusion and error categories. */
#pragma once

#include <json-glib/json-glib.h>

#include "explain/triage/sonde-triage.h"

G_BEGIN_DECLS

/* Adds the members "calibration", "confusion" and "pairs". @predictions: (element-type
 * SondeSampleResult) */
void sonde_metrics_add_calibration (JsonBuilder *builder, SondeDataset *dataset,
                                    GPtrArray *predictions);

/* Adds the member "triage". */
void sonde_metrics_add_triage (JsonBuilder *builder, SondeDataset *dataset,
                               const SondeTriage *triage);

G_END_DECLS
