/* SPDX-License-Identifier: Apache-2.0
 * Between LinearAttention and its gradient. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

enum
{
  SONDE_LINEAR_Q,
  SONDE_LINEAR_K,
  SONDE_LINEAR_V,
  SONDE_LINEAR_PAST,
  SONDE_LINEAR_DECAY,
  SONDE_LINEAR_BETA,
  SONDE_LINEAR_INPUTS,
};

/* -1: not known */
typedef struct
{
  gboolean gated, delta;
  gint64 batch, steps, q_heads, kv_heads, width, v_width;
} SondeLinearSizes;

extern const SondeAttributeRule sonde_linear_rules[];

void sonde_linear_sizes_init (SondeLinearSizes *sizes, const SondeKernelContext *context);
gboolean sonde_linear_infer (SondeInferContext *context, GError **error);
/* The gradient rule (sonde-ops-linear-attention-gradient-kernels.c). */
gboolean sonde_linear_gradient (SondeGradientContext *context, GError **error);

G_END_DECLS
