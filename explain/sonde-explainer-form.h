/* SPDX-License-Identifier: Apache-2.0
 * Samples that are no images. Feature columns are explained as images of one row and one
 * channel, token sequences as images of one row whose channels are the embedding's: methods see
 * images alone. */
#pragma once

#include "explain/sonde-explainer.h"

G_BEGIN_DECLS

/**
 * sonde_explainer_form_adapt:
 * @graph: changed: an input float32 [N, F] becomes [N, 1, 1, F]; one of tokens int64 or int32 [N,
 *   T] becomes what the embedding makes of them, [N, D, 1, T]
 * @input: its input
 * @table: (out) (transfer full) (nullable): of tokens the embedding [V, D]
 *
 * Other inputs stay as they are: images.
 * Errors: UNSUPPORTED where tokens are read by something else than one embedding, naming the node.
 */
gboolean sonde_explainer_form_adapt (SondeGraph *graph, SondeGraphValue *input,
                                     SondeExplainerForm *form, SondeTensor **table, GError **error);

/* @samples as the adapted network takes them. (transfer full). Errors: SHAPE for another type or
 * shape, INVALID for a token that the embedding has not. */
SondeTensor *sonde_explainer_form_convert (SondeExplainerForm form, SondeTensor *table,
                                           SondeTensor *samples, GError **error);

G_END_DECLS
