/* SPDX-License-Identifier: Apache-2.0
 * How a classifier's graph ends: where its logits are, and what makes probabilities of them. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/* Does a node of that operator of ai.onnx make the first output? */
gboolean sonde_ending_is (SondeGraph *graph, SondeOpId op);
/* What goes into the Softmax, LogSoftmax or Sigmoid at the end, or the first output itself. (transfer
 * none) */
SondeGraphValue *sonde_ending_find_logits (SondeGraph *graph);
/* The first output, or a Softmax of the logits, which is added to @graph. (transfer none) */
SondeGraphValue *sonde_ending_build_probabilities (SondeGraph *graph);

G_END_DECLS
