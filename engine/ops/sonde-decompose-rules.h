/* SPDX-License-Identifier: Apache-2.0
 * What the rows' @decompose point to. */
#pragma once

#include "engine/ops/sonde-decompose.h"

G_BEGIN_DECLS

#define SONDE_DECOMPOSE(name)                                                                      \
  gboolean sonde_decompose_##name (SondeDecomposition *context, SondeGraphValue **outputs,         \
                                   GError **error)

/* sonde-decompose-normalisation.c */
SONDE_DECOMPOSE (rms);
SONDE_DECOMPOSE (lp);
SONDE_DECOMPOSE (lrn);
SONDE_DECOMPOSE (instance);
SONDE_DECOMPOSE (group);
SONDE_DECOMPOSE (batch_grad);
SONDE_DECOMPOSE (layer_grad);
SONDE_DECOMPOSE (softmax_grad);
SONDE_DECOMPOSE (log_softmax_grad);

/* sonde-ops-batch-layer-normalisation-gradient-rules.c */
gboolean sonde_batch_normalisation_gradient (SondeGradientContext *context, GError **error);
gboolean sonde_layer_normalisation_gradient (SondeGradientContext *context, GError **error);

/* sonde-decompose-attention.c */
SONDE_DECOMPOSE (attention);
SONDE_DECOMPOSE (causal_conv);
SONDE_DECOMPOSE (rotary);
gboolean sonde_rotary_gradient (SondeGradientContext *context, GError **error);

/* sonde-decompose-loss.c */
SONDE_DECOMPOSE (cross_entropy);
SONDE_DECOMPOSE (cross_entropy_grad);
SONDE_DECOMPOSE (likelihood);
SONDE_DECOMPOSE (likelihood_grad);
SONDE_DECOMPOSE (squares_grad);

G_END_DECLS
