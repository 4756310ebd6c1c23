/* SPDX-License-Identifier: Apache-2.0
 * A LeNet with loss, gradients and SGD as one graph, built by hand: what the tests and the
 * benchmark of plan and execution run. */
#pragma once

#include "engine/passes/sonde-passes.h"

/**
 * TrainingNet:
 * @graph: inputs "x" [batch, 1, side, side], "labels" [batch] int64, "rate"; outputs "loss",
 * "logits"
 * @parameters: (element-type SondeGraphValue)
 */
typedef struct
{
  SondeGraph *graph;
  SondeGraphValue *loss, *logits;
  GPtrArray *parameters;
  guint batch, side;
} TrainingNet;

/* @side: 28 is LeNet's; 16 a small one. @optimiser: "sgd" (momentum 0.9) or "adam" */
TrainingNet *training_net_new (guint batch, guint side, const char *optimiser);
void training_net_free (TrainingNet *net);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (TrainingNet, training_net_free)

SondeTensor *training_net_images (const TrainingNet *net, guint32 seed);
SondeTensor *training_net_labels (const TrainingNet *net, guint32 seed);
/* Uniform in ±@bound. */
SondeTensor *random_f32 (const SondeShape *shape, double bound, guint32 seed);
