/* SPDX-License-Identifier: Apache-2.0
 * `sonde explain`: calibration, confusion, triage and label errors as JSON and tables. */
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

/* DIR/triage.tsv: each error with its reason, what else spoke for, evidence, neighbours and
 * influences. */
gboolean sonde_explain_write_triage (const char *directory, SondeDataset *dataset,
                                     GPtrArray *predictions, const SondeTriage *triage,
                                     GError **error);

/* DIR/NAME.tsv: all labelled samples, the most suspect first. @names: (array length=errors->n);
 * @suspicion: (nullable): order by it instead of by self-confidence. */
gboolean sonde_explain_write_label_errors (const char *directory, const char *name,
                                           const char *const *names, SondeDataset *dataset,
                                           const SondeLabelErrors *errors, const double *suspicion,
                                           GError **error);

G_END_DECLS
