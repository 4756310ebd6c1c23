/* SPDX-License-Identifier: Apache-2.0
 * Between DeformConv and its gradient. */
#pragma once

#include "engine/ops/nn/sonde-conv-private.h"
#include "engine/ops/nn/sonde-window-geometry.h"

G_BEGIN_DECLS

extern const SondeAttributeRule sonde_deform_rules[];

gboolean sonde_deform_infer (SondeInferContext *context, GError **error);
/* The gradient rule (sonde-ops-deform-conv-gradient-kernels.c). */
gboolean sonde_deform_gradient (SondeGradientContext *context, GError **error);

G_END_DECLS
