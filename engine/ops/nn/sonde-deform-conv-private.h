/* SPDX-License-Identifier: Apache-2.0
 * Between DeformConv and its gradient. */
#pragma once

#include "engine/ops/nn/sonde-conv-private.h"
#include "engine/ops/nn/sonde-window-geometry.h"

G_BEGIN_DECLS

/* DeformConvGrad: (x, w, offset, bias?, mask?, dy) → dx, dw, doffset, dmask */
enum
{
  SONDE_DEFORM_X,
  SONDE_DEFORM_W,
  SONDE_DEFORM_OFFSET,
  SONDE_DEFORM_BIAS,
  SONDE_DEFORM_MASK,
  SONDE_DEFORM_DY,
  SONDE_DEFORM_N_INPUTS,
};

extern const SondeAttributeRule sonde_deform_rules[];

gboolean sonde_deform_infer (SondeInferContext *context, GError **error);

G_END_DECLS
