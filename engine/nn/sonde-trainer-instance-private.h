/* SPDX-License-Identifier: Apache-2.0
 * Instances of a trainer: what runs batches of one size. */
#pragma once

#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-training-graph.h"

G_BEGIN_DECLS

/* Graph, plan and execution for one batch size and purpose. */
typedef struct
{
  guint batch;
  SondeTrainingGraph *training;
  SondePlan *plan;
  SondeExecution *execution; /* NULL: not yet needed */
  guint64 shared_at;         /* evaluation: step whose parameters it holds */
} SondeTrainerInstance;

void sonde_trainer_instance_free (gpointer instance);

/* That of the current batch, with the newest parameters; lent. */
SondeTrainerInstance *sonde_trainer_get_instance (SondeTrainer *trainer);

/* The plan alone, made where there is none yet. */
SondeTrainerInstance *sonde_trainer_plan_instance (SondeTrainer *trainer, guint batch,
                                                   SondeTrainingKind kind, GError **error);

/* Plans whatever the training will run, so that its memory is known before it begins. */
gboolean sonde_trainer_plan_all (SondeTrainer *trainer, GError **error);

SondeTrainerInstance *sonde_trainer_find_instance (SondeTrainer *trainer, guint batch,
                                                   SondeTrainingKind kind, GError **error);

/* Loads a batch and sets inputs and labels of the instance for its size. @labels: (out) (transfer
 * full) (nullable) */
SondeTrainerInstance *sonde_trainer_load_batch (SondeTrainer *trainer, SondeTrainingKind kind,
                                                guint epoch, guint batch, SondeTensor **labels,
                                                GError **error);

gboolean sonde_trainer_read_scalar (SondeTrainerInstance *instance, SondeGraphValue *value,
                                    double *result, GError **error);

/* Share of right answers, NaN where labels are no classes. */
gboolean sonde_trainer_read_accuracy (SondeTrainerInstance *instance, SondeTensor *labels,
                                      double *accuracy, GError **error);

/* STATE: loss or gradients of the step that @instance ran are not finite; names the first parameter
 * that they reached. (sonde-trainer-not-finite.c) */
void sonde_trainer_set_not_finite_error (const SondeTrainerInstance *instance,
                                         const SondeTrainerState *state, GError **error);

G_END_DECLS
