/* SPDX-License-Identifier: Apache-2.0
 * What the files of the trainer share. */
#pragma once

#include "engine/nn/sonde-metric.h"
#include "engine/nn/sonde-schedule.h"
#include "engine/nn/sonde-trainer.h"
#include "engine/nn/sonde-training-graph.h"

/* Graph, plan and execution for one batch size and purpose. */
typedef struct
{
  guint batch;
  SondeTrainingGraph *training;
  SondePlan *plan;
  SondeExecution *execution; /* NULL: not yet needed */
  guint64 shared_at;         /* evaluation: step whose parameters it holds */
} SondeTrainerInstance;

/**
 * SondeEarlyStop:
 * @watches: metric looked at: -1 the loss, -2 the accuracy, else an index; @is_set: at all
 * @n_worse: evaluations since @best
 */
typedef struct
{
  gboolean is_set;
  int watches;
  double patience, least, best;
  guint64 n_worse;
} SondeEarlyStop;

/**
 * SondeTrainer:
 * @current: holds the newest parameters; @stepped: the last one that made a step holds the states
 * of the optimiser
 * @n_batches: of the step that runs; @n_done: of them; @loss_sum, @accuracy_sum: over those
 * @rate_factor: of the learning rate, below 1 after roll-backs
 * @finished: (element-type SondeStepScalars): steps the listener was not told of; @n_told: of them
 * it is told of now
 */
struct _SondeTrainer
{
  SondeGraph *model;
  SondeBatchSource *source;
  SondeTrainerOptions options;
  char *loss, *optimiser, *groups, *clip;
  SondeSchedule *schedule;
  SondeDevice *device;
  GPtrArray *instances; /* (element-type SondeTrainerInstance) */
  /* (nullable) (element-type GPtrArray): instances of models before sonde_trainer_set_model() */
  GPtrArray *retired;
  GPtrArray *observers; /* (element-type SondeObserver) */
  GPtrArray *metrics;   /* (element-type SondeMetric) */
  SondeTrainerListener *listener;
  SondeTrainerState state;
  SondeEarlyStop early_stop;
  SondeTrainerInstance *current, *stepped;
  _Atomic (SondeExecution *) interruptible;
  SondeTensor *labels; /* of the batch being run */
  gboolean in_step, in_batch;
  guint n_batches, n_done;
  double loss_sum, accuracy_sum;
  double rate_factor;
  GArray *finished;
  guint64 evaluated_at; /* step of the last evaluation */
  /* the model's first values were let go; @released_bytes: what there was then */
  gboolean released;
  guint64 released_bytes;
};

void sonde_trainer_instance_free (gpointer instance);

/* Goes on with a model, and its plans, that was replaced; what trains now is kept in its place.
 * (sonde-trainer-model.c) */
void sonde_trainer_use_model (SondeTrainer *trainer, SondeGraph *model, GPtrArray *instances);

/* The plan alone, made where there is none yet. */
SondeTrainerInstance *sonde_trainer_plan_instance (SondeTrainer *trainer, guint batch,
                                                   SondeTrainingKind kind, GError **error);

/* Plans whatever the training will run, so that its memory is known before it begins. */
gboolean sonde_trainer_plan_all (SondeTrainer *trainer, GError **error);

/* The smaller last batch of @n samples; 0: there is none. (sonde-trainer-memory.c) */
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

/* "METRIC:patience=3;least=0" against the trainer's metrics. Errors: INVALID */
gboolean sonde_trainer_set_early_stop (SondeTrainer *trainer, const char *text, GError **error);

/* The whole test part; tells the listener, feeds schedule and early stop. */
gboolean sonde_trainer_evaluate (SondeTrainer *trainer, GError **error);

/* A loss or gradient of the finished step that is not finite. FALSE: the training ends. */
gboolean sonde_trainer_meet_not_finite (SondeTrainer *trainer, GError **error);
