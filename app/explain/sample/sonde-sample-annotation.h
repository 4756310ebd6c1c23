/* SPDX-License-Identifier: Apache-2.0
 * Why the answer is wrong, with its evidence, and what the user says to that. */
#pragma once

#include <adwaita.h>

#include "data/explanations/sonde-sample-result.h"
#include "data/explanations/sonde-annotations.h"

G_BEGIN_DECLS

#define SONDE_TYPE_SAMPLE_VERDICT (sonde_sample_verdict_get_type ())
G_DECLARE_FINAL_TYPE (SondeSampleVerdict, sonde_sample_verdict, SONDE, SAMPLE_VERDICT, AdwBin)

GtkWidget *sonde_sample_verdict_new (void);

/* @verdicts: (nullable): lent, until the next call: NULL before it is freed */
void sonde_sample_verdict_set_verdicts (SondeSampleVerdict *verdict, SondeVerdicts *verdicts);
/* (nullable) */
void sonde_sample_verdict_set_row (SondeSampleVerdict *verdict, const SondeSampleResult *row);

G_END_DECLS
