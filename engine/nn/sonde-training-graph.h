/* SPDX-License-Identifier: Apache-2.0
 * Forward graph + loss + gradients + updates as one executed graph, for one batch size. */
#pragma once

#include "engine/nn/sonde-loss.h"
#include "engine/nn/sonde-optimiser.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * SondeTrainingGraph:
 * @graph: owned; inputs are the model's, then @labels, @learning_rate, @step
 * @labels: (nullable): NULL when the model computes its own loss
 * @loss: scalar; @logits: the model's first output
 * @gradient_norm: (nullable): L2 over all gradients; NULL in an evaluation graph
 * @parameters, @gradients: (element-type SondeGraphValue): in the same order
 */
typedef struct
{
  SondeGraph *graph;
  SondeGraphValue *labels, *learning_rate, *step;
  SondeGraphValue *loss, *logits, *gradient_norm;
  GPtrArray *parameters, *gradients;
  gboolean has_classes;
} SondeTrainingGraph;

/**
 * sonde_training_graph_build:
 * @model: forward graph as loaded; not changed
 * @batch: size bound to the first symbolic dimension of every input
 * @evaluation: only forward and loss
 *
 * Errors: INVALID (no parameters, no such loss, optimiser, output), UNSUPPORTED, SHAPE.
 */
SondeTrainingGraph *sonde_training_graph_build (SondeGraph                *model,
                                                const SondeTrainerOptions *options,
                                                guint                      batch,
                                                gboolean                   evaluation,
                                                GError                   **error);
void sonde_training_graph_free (SondeTrainingGraph *training);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainingGraph, sonde_training_graph_free)

/* Types of the model's inputs for that batch size, for sonde_plan_new(). (element-type SondeBinding) */
GArray *sonde_training_bind_inputs (SondeGraph *graph,
                                    guint       batch);

G_END_DECLS
