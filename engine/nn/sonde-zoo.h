/* SPDX-License-Identifier: Apache-2.0
 * Built-in models, as graphs with initialised parameters. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/**
 * sonde_zoo_build:
 * @name: "lenet" (input "input" [N, 1, 28, 28]; exactly the layers of models/lenet-mnist: conv 6@5×5 pad 2,
 *   relu, maxpool 2, conv 16@5×5, relu, maxpool 2, flatten, fc 120, relu, fc 84, relu, fc classes) or "mlp"
 *   (flatten, 64 tanh, 32 tanh, classes)
 * @channels, @height, @width: of the input; lenet needs 28×28 for exactly those layers, adapts fc1 else
 * @classes: size of the output "logits"
 * @seed: of the initialiser: uniform ±1/√fan_in for weights and biases (PyTorch's default), counter-based
 *
 * Parameter names are PyTorch's: conv1.weight, conv1.bias, …, fc3.bias.
 * Errors: NOT_FOUND listing the names there are; SHAPE.
 */
SondeGraph *sonde_zoo_build (const char *name,
                             int         channels,
                             int         height,
                             int         width,
                             int         classes,
                             guint64     seed,
                             GError    **error);

/* (array zero-terminated=1) */
const char *const *sonde_zoo_list (void);

G_END_DECLS
