/* SPDX-License-Identifier: Apache-2.0
 * What answers depend on, as one number: when it is the same, what was kept can be used. */
#pragma once

#include "data/datasets/sonde-dataset.h"
#include "data/explanations/sonde-explanation-settings.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* SHA-256 of what answers depend on: model, data as listed, settings. (transfer full) */
char *sonde_explain_session_make_digest (const SondeExplanationSettings *settings,
                                         SondeGraph *model, SondeDataset *dataset,
                                         const SondeSplitPart *split, SondeDataset *training,
                                         GError **error);

/* SHA-256 of texts, in hexadecimal. NULL ends. (transfer full) */
char *sonde_explain_hash_texts (const char *first, ...) G_GNUC_NULL_TERMINATED;

G_END_DECLS
