/* SPDX-License-Identifier: Apache-2.0
 * The trainer itself, for the files that run it. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "engine/nn/sonde-metric.h"
#include "engine/nn/sonde-trainer-instance-private.h"
#include "engine/nn/sonde-trainer-progress-private.h"

G_BEGIN_DECLS

/**
 * SondeTrainer:
 * @current: holds the newest parameters; @stepped: the last one that made a step holds the states
 * of the optimiser
 * @failed: the step it is in failed and cannot go on
 * @n_batches: of the step that runs; @n_done: of them; @loss_sum, @accuracy_sum: over those
 * @finished: (element-type SondeStepScalars): steps the listener was not told of; @n_told: of them
 * it is told of now
 */
struct _SondeTrainer
{
  SondeGraph *model;
  SondeBatchSource *source;
  SondeTrainerOptions options;
  char *loss, *optimiser, *groups, *clip;
  SondeDevice *device;
  GPtrArray *instances; /* (element-type SondeTrainerInstance) */
  /* (nullable) (element-type GPtrArray): instances of models before sonde_trainer_set_model() */
  GPtrArray *retired;
  GPtrArray *observers; /* (element-type SondeObserver) */
  GPtrArray *metrics;   /* (element-type SondeMetric) */
  SondeTrainerListener *listener;
  SondeTrainerProgress progress;
  SondeTrainerInstance *current, *stepped;
  _Atomic (SondeExecution *) interruptible;
  SondeTensor *labels; /* of the batch being run */
  gboolean in_step, in_batch, failed;
  guint n_batches, n_done;
  double loss_sum, accuracy_sum;
  GArray *finished;
  /* the model's first values were let go; @released_bytes: what there was then */
  gboolean released;
  guint64 released_bytes;
  SondeSpanLog *spans; /* (nullable) */
};

/* What the trainer itself does, from @start (sonde_trainer_get_moment()) until now; nothing happens when that
 * is 0. (sonde-trainer-instance.c) */
void sonde_trainer_add_span (SondeTrainer *trainer, SondeSpanCategory category, const char *name,
                             guint64 start);
/* Now; 0 while nobody wants to know. */
guint64 sonde_trainer_get_moment (const SondeTrainer *trainer);

/* Goes on with a model, and its plans, that was replaced; what trains now is kept in its place.
 * (sonde-trainer-model.c) */
void sonde_trainer_use_model (SondeTrainer *trainer, SondeGraph *model, GPtrArray *instances);

/* "METRIC:patience=3;least=0" against the trainer's metrics. Errors: INVALID */
gboolean sonde_trainer_set_early_stop (SondeTrainer *trainer, const char *text, GError **error);

/* The whole test part; tells the listener, feeds schedule and early stop. */
gboolean sonde_trainer_evaluate (SondeTrainer *trainer, GError **error);

/* The step that is under way is given up: executions are abandoned, evaluations look at the
 * parameters anew. What the step had accumulated stays. (sonde-trainer-instance.c) */
void sonde_trainer_give_up_step (SondeTrainer *trainer);

/* ---- what it takes in memory, and what of it rests (sonde-trainer-memory.c) ---- */

/* The smaller last batch of @n samples; 0: there is none. */
guint sonde_trainer_last_batch (guint n, guint batch);
/* Whether the end of an epoch comes, with a batch of its own size. */
gboolean sonde_trainer_has_last_batch (const SondeTrainer *trainer);
/* Whether gradients of several batches are added up. */
gboolean sonde_trainer_accumulates (const SondeTrainer *trainer);
/* What the training takes when its steps of that many samples run @plan, and others no more than
 * that. */
guint64 sonde_trainer_estimate_bytes (SondeTrainer *trainer, const SondePlan *plan, guint batch);
/* Lets go of first values that executions have by now, where that was asked for. */
void sonde_trainer_release_model (SondeTrainer *trainer);
/* Memory of what does not run while @next does; NULL: of all evaluations. */
void sonde_trainer_rest (SondeTrainer *trainer, SondeTrainerInstance *next);

G_END_DECLS
