/* SPDX-License-Identifier: Apache-2.0
 * Optimisers: each appends the update nodes of one parameter. Conventions of PyTorch where it has
 * the optimiser. */
#pragma once

#include "engine/nn/sonde-settings.h"
#include "engine/ops/sonde-build.h"

G_BEGIN_DECLS

typedef struct _SondeOptimiser SondeOptimiser;

/**
 * sonde_optimiser_new:
 * @text: "NAME:setting=value;…", g the gradient, η the learning rate, λ the weight decay:
 *   sgd: momentum µ, weight-decay, dampening d, nesterov    g += λ·w; v = µ·v + (1 − d)·g (first v
 *   = g); w −= η·v, or η·(g + µ·v)
 *   adam: beta1 0.9, beta2 0.999, epsilon 1e-8, weight-decay   Kingma and Ba 2015, algorithm 1; g
 *   += λ·w first
 *   adamw: the same, weight-decay 0.01                      w ·= 1 − η·λ first; Loshchilov and
 *   Hutter 2019 rmsprop: alpha 0.99, epsilon 1e-8, weight-decay, momentum, centred adagrad: epsilon
 *   1e-10, weight-decay, rate-decay, initial adadelta: rho 0.9, epsilon 1e-6, weight-decay
 *   lamb: beta1, beta2, epsilon 1e-6, weight-decay 0.01     w −= η·|w|/|u|·u, u = m̂/(√v̂ + ε) +
 *   λ·w
 *   lars: momentum 0.9, weight-decay, trust 0.001, epsilon 1e-8   v = µ·v + η·r·(g + λ·w); w −= v;
 *   r = trust·|w|/(|g| + λ·|w| + ε) lion: beta1 0.9, beta2 0.99, weight-decay Formulas and sources
 *   of the last six: engine/ops/training/sonde-ops-further-updates.c
 * @momentum: of sgd and lars where the text does not give it; NAN: theirs
 * @weight_decay: likewise, of all
 *
 * Errors: INVALID naming the optimisers there are, or the setting.
 */
SondeOptimiser *sonde_optimiser_new (const char *text, double momentum, double weight_decay,
                                     GError **error);
void sonde_optimiser_free (SondeOptimiser *optimiser);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeOptimiser, sonde_optimiser_free)

/**
 * sonde_optimiser_build:
 * @learning_rate: float32 scalar; @step: int64 scalar, 1 at the first update
 * @weight_decay: of this parameter; NAN: the optimiser's
 *
 * Nodes of phase OPTIMISER, "update(P)" the last of them, making "P'" and for every state "state(P,
 * NAME)'", with update_of set.
 * Errors: SHAPE
 */
gboolean sonde_optimiser_build (const SondeOptimiser *optimiser, SondeGraph *graph,
                                SondeGraphValue *parameter, SondeGraphValue *gradient,
                                SondeGraphValue *learning_rate, SondeGraphValue *step,
                                double weight_decay, GError **error);

char *sonde_optimiser_list (void); /* (transfer full) */

G_END_DECLS
