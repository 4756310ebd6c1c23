/* SPDX-License-Identifier: Apache-2.0
 * A second model on the samples of a session: its predictions, and, to look into it, a session of its
 * own that is opened when it is first asked for. */
#pragma once

#include "explain/browsing/sonde-explain-client.h"

G_BEGIN_DECLS

#define SONDE_TYPE_MODEL_COMPARISON (sonde_model_comparison_get_type ())
G_DECLARE_FINAL_TYPE (SondeModelComparison, sonde_model_comparison, SONDE, MODEL_COMPARISON,
                      GObject)

/* @program: of the engine child; (nullable). Signals: "changed" (): a second model came or went;
 * "opened" (): its session is open; "failed" (const char *text): why it is not. */
SondeModelComparison *sonde_model_comparison_new (const char *program);

/* @rows: (element-type SondeSampleResult): of the model in the file @model; referenced.
 * @settings: of the first model's session; copied */
void sonde_model_comparison_set (SondeModelComparison *comparison, const char *model,
                                 GPtrArray *rows, const SondeExplanationSettings *settings);
/* No second model any more; its session is closed. */
void sonde_model_comparison_clear (SondeModelComparison *comparison);

/* Path. (nullable): there is none */
const char *sonde_model_comparison_get_model (SondeModelComparison *comparison);
/* What the second model predicts of a sample. (nullable) (transfer none) */
const SondeSampleResult *sonde_model_comparison_find (SondeModelComparison *comparison,
                                                      guint sample);
/* Of its session, which this opens where it is not: its answers may come after "opened". (nullable):
 * there is no second model (transfer none) */
SondeExplainClient *sonde_model_comparison_get_client (SondeModelComparison *comparison);

G_END_DECLS
