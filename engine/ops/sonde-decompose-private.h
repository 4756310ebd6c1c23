/* SPDX-License-Identifier: Apache-2.0
 * What the rows' @decompose point to. */
#pragma once

#include "engine/ops/sonde-decompose.h"

G_BEGIN_DECLS

#define SONDE_PARTS_OF(name)                                                                       \
  gboolean sonde_parts_of_##name (SondeParts *parts, SondeGraphValue **outputs, GError **error)

/* sonde-decompose-normalisation.c */
SONDE_PARTS_OF (rms);
SONDE_PARTS_OF (lp);
SONDE_PARTS_OF (lrn);
SONDE_PARTS_OF (instance);
SONDE_PARTS_OF (group);
SONDE_PARTS_OF (batch_grad);
SONDE_PARTS_OF (layer_grad);
SONDE_PARTS_OF (softmax_grad);
SONDE_PARTS_OF (log_softmax_grad);

/* sonde-ops-batch-layer-normalisation-gradient-rules.c */
gboolean sonde_batch_normalisation_gradient (SondeGradientContext *context, GError **error);
gboolean sonde_layer_normalisation_gradient (SondeGradientContext *context, GError **error);

/* sonde-decompose-attention.c */
SONDE_PARTS_OF (attention);
SONDE_PARTS_OF (causal_conv);
SONDE_PARTS_OF (rotary);
gboolean sonde_rotary_gradient (SondeGradientContext *context, GError **error);

/* sonde-decompose-loss.c */
SONDE_PARTS_OF (cross_entropy);
SONDE_PARTS_OF (cross_entropy_grad);
SONDE_PARTS_OF (likelihood);
SONDE_PARTS_OF (likelihood_grad);
SONDE_PARTS_OF (squares_grad);

G_END_DECLS
