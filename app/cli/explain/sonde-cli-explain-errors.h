/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain`: calibration, confusion and error categories as JSON. */
#pragma once

#include <json-glib/json-glib.h>

#include "explain/triage/sonde-triage.h"

G_BEGIN_DECLS

/* Adds the members "calibration" and "confusion". */
void sonde_explain_add_calibration (JsonBuilder *builder, SondeDataset *dataset,
                                    GPtrArray *predictions);

/* Adds the member "triage". */
void sonde_explain_add_triage (JsonBuilder *builder, SondeDataset *dataset, GPtrArray *predictions,
                               const SondeTriage *triage);

G_END_DECLS
