/* SPDX-License-Identifier: Apache-2.0
 * Optimisers: each appends the update nodes of one parameter. Conventions of PyTorch. */
#pragma once

#include "engine/ops/sonde-build.h"

G_BEGIN_DECLS

/**
 * SondeOptimiserSettings:
 * @momentum: of sgd
 * @weight_decay: added to the gradient (L2)
 * @beta1, @beta2, @epsilon: of adam
 */
typedef struct
{
  double momentum, weight_decay, beta1, beta2, epsilon;
} SondeOptimiserSettings;

/**
 * SondeOptimiser:
 * @build: parameter P, its gradient, scalar inputs learning-rate (float32) and step (int64, from 1) ->
 *   node of phase OPTIMISER making "P'" (and "state(P, m)'"), with update_of set. Errors: SHAPE
 */
typedef struct
{
  const char *name;
  gboolean (*build) (SondeGraph                   *graph,
                     const SondeOptimiserSettings *settings,
                     SondeGraphValue              *parameter,
                     SondeGraphValue              *gradient,
                     SondeGraphValue              *learning_rate,
                     SondeGraphValue              *step,
                     GError                      **error);
} SondeOptimiser;

/* "sgd": g += wd·w; v = m·v + g; w −= lr·v.
 * "adam": g += wd·w; m = β₁m + (1−β₁)g; v = β₂v + (1−β₂)g²; w −= lr·m̂ / (√v̂ + ε), m̂ = m/(1−β₁ᵗ),
 * v̂ = v/(1−β₂ᵗ). Source: Kingma and Ba 2015, algorithm 1, as PyTorch's Adam.
 * (nullable) */
const SondeOptimiser *sonde_optimiser_find (const char *name);
char *sonde_optimiser_list (void); /* (transfer full) */

G_END_DECLS
