/* SPDX-License-Identifier: Apache-2.0
 * Between DeformConv and its gradient. */
#pragma once

#include "engine/ops/sonde-conv-private.h"
#include "engine/ops/sonde-window.h"

G_BEGIN_DECLS

extern const SondeAttributeRule sonde_deform_rules[];

gboolean sonde_deform_infer (SondeInferContext *context, GError **error);
/* The gradient rule (sonde-ops-deform-grad.c). */
gboolean sonde_deform_gradient (SondeGradientContext *context, GError **error);

G_END_DECLS
