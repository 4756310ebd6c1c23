/* SPDX-License-Identifier: Apache-2.0
 * What a model predicts of the samples of a dataset. Their maps: sonde-explain-maps.h. */
#pragma once

#include "collector/writer/sonde-summary-writer.h"
#include "data/datasets/sonde-dataset.h"
#include "data/explanations/sonde-sample-result.h"
#include "explain/attribution/sonde-attribution-spec.h"

G_BEGIN_DECLS

/* Sets what row @row of float32 [n, classes] says: logits, probabilities, prediction, and what follows
 * from them with the label. */
void sonde_explain_take_outputs (SondeSampleResult *result, SondeTensor *logits,
                                 SondeTensor *probabilities, gint64 row);

/* float32 [n, C, H, W] as the network takes them. @samples: (array length=n). Errors: of reading
 * the first that cannot be read. */
SondeTensor *sonde_explain_load (SondeDataset *dataset, const guint *samples, guint n,
                                 GError **error);
/* Are the dataset's images of the model's size? Errors: INVALID naming both. */
gboolean sonde_explain_check_size (SondeExplainer *explainer, SondeDataset *dataset,
                                   GError **error);
/**
 * sonde_explain_classify:
 * @samples: (array length=n)
 * @progress: (nullable)
 * Returns: (transfer full) (element-type SondeSampleResult): in the order of @samples, with
 *   logits, probabilities and features, not categorised; without those
 *   whose image cannot be read, which are faults of the dataset.
 * Errors: INVALID when the dataset's images do not fit the model's input, naming both sizes.
 */
GPtrArray *sonde_explain_classify (SondeExplainer *explainer, SondeDataset *dataset,
                                   const guint *samples, guint n, SondeExplainProgress progress,
                                   gpointer data, GError **error);

/* What the prediction says, as a record's note; texts are the caller's to free. */
void sonde_explain_fill_note (const SondeSampleResult *prediction, const SondeDataset *dataset,
                              SondeSampleNote *note);

G_END_DECLS
