/* SPDX-License-Identifier: Apache-2.0
 * Between the rows of convolution and their gradient rules. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

/* Sizes of the spatial dimensions (at most SONDE_WINDOW_DIMS) of an input and a weight, both of one
 * rank ≥ 3. */
gboolean sonde_conv_spatial_sizes (const SondeType *x, const SondeType *w, gint64 *in,
                                   gint64 *kernel, GError **error);

/* Of the bias, the sum over batch and space. Returns: NULL with @error (UNSUPPORTED) when the rank
 * is not known */
SondeGraphValue *sonde_conv_bias_gradient (SondeGradientContext *context, GError **error);
gboolean sonde_conv_gradient (SondeGradientContext *context, GError **error);
gboolean sonde_conv_gradient_transposed (SondeGradientContext *context, GError **error);
gboolean sonde_conv_gradient_of_input (SondeGradientContext *context, GError **error);
gboolean sonde_conv_gradient_of_weight (SondeGradientContext *context, GError **error);

G_END_DECLS
