/* SPDX-License-Identifier: Apache-2.0
 * ResNet-50 as a forward graph with random weights, for benchmarks. */
#pragma once

#include "engine/passes/sonde-passes.h"

/* Input "x" [batch, 3, side, side], output [batch, 1000]. Batch normalisation stands as nodes. */
SondeGraph *resnet_net_new (guint batch, guint side);
