/* SPDX-License-Identifier: Apache-2.0
 * Forward graph + loss + gradients + updates as one executed graph, for one batch size. */
#pragma once

#include "engine/nn/sonde-loss.h"
#include "engine/nn/sonde-optimiser.h"
#include "engine/nn/sonde-trainer.h"

G_BEGIN_DECLS

/**
 * SondeTrainingKind: what a graph does with a batch
 * @STEP: loss, gradients, updates. Where gradients are accumulated: of the last batch of a step,
 * with the sums of those before
 * @ACCUMULATE: loss, gradients, added to "state(P, accumulated)": of every batch of a step but the
 * last
 * @EVALUATION: forward and loss, in the form of sonde_layers_for_inference()
 */
typedef enum
{
  SONDE_TRAINING_STEP,
  SONDE_TRAINING_ACCUMULATE,
  SONDE_TRAINING_EVALUATION,
} SondeTrainingKind;

/**
 * SondeTrainingGraph:
 * @graph: owned; inputs are the model's, then @labels, @learning_rate, @step, @scale
 * @labels: (nullable): NULL when the model computes its own loss
 * @scale: (nullable): one over the batches of a step, where gradients are accumulated
 * @loss: scalar; @logits: the model's first output
 * @gradient_norm: (nullable): L2 over all gradients, before clipping; only of STEP
 * @parameters, @gradients: (element-type SondeGraphValue): those that train, in the same order; a
 * gradient is that of the batch
 * @frozen: (element-type SondeGraphValue): those that do not
 * @averages: (nullable) (element-type SondeGraphValue): "state(P, average)", in the order of
 * @parameters
 */
typedef struct
{
  SondeTrainingKind kind;
  SondeGraph *graph;
  SondeGraphValue *labels, *learning_rate, *step, *scale;
  SondeGraphValue *loss, *logits, *gradient_norm;
  GPtrArray *parameters, *gradients, *frozen, *averages;
  gboolean has_classes;
} SondeTrainingGraph;

/**
 * sonde_training_graph_build:
 * @model: forward graph as loaded; not changed
 * @batch: size bound to the first symbolic dimension of every input
 *
 * Errors: INVALID (no parameters, no such loss, optimiser, output, setting), UNSUPPORTED, SHAPE.
 */
SondeTrainingGraph *sonde_training_graph_build (SondeGraph *model,
                                                const SondeTrainerOptions *options, guint batch,
                                                SondeTrainingKind kind, GError **error);
void sonde_training_graph_free (SondeTrainingGraph *training);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainingGraph, sonde_training_graph_free)

/* Types of the model's inputs for that batch size, for sonde_plan_new(). (element-type
 * SondeBinding) */
GArray *sonde_training_bind_inputs (SondeGraph *graph, guint batch);

/**
 * sonde_training_lets_go:
 * @value: of a graph of the training
 * @plan: (nullable): of the steps; NULL: not made yet, parameters count
 *
 * Whether its first value need not be kept once an execution of @plan has taken it: it is large,
 * and @plan updates it.
 */
gboolean sonde_training_lets_go (const SondeGraphValue *value, SondePlan *plan);
/* Puts values of the same types in their place, which take no memory and are no numbers. @graph:
 * the model, or one made of it */
void sonde_training_let_go (SondeGraph *graph, SondePlan *plan);

G_END_DECLS
