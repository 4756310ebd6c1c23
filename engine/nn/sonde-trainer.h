/* SPDX-License-Identifier: Apache-2.0
 * Training: a forward graph, a loss and an optimiser become one graph and one plan; the trainer runs
 * it over batches. Takes batches from a callback: it knows no dataset and no recipe. */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef struct _SondeTrainer SondeTrainer;

/**
 * SondeBatchSource: where batches come from
 * @n_samples: training samples an epoch; @n_test: test samples, 0 for none
 * @load: required; fills @inputs[k] (new references, one per model input) and @labels (int64 [n], or
 *   whatever the loss takes; NULL when the model computes its loss) for batch @batch of @epoch (from 0);
 *   @test: from the test part. Runs on the trainer's thread. FALSE with @error stops the training.
 */
typedef struct _SondeBatchSource SondeBatchSource;
struct _SondeBatchSource
{
  guint n_samples, n_test;
  gboolean (*load) (SondeBatchSource *source, gboolean test, guint epoch, guint batch,
                    SondeTensor **inputs, SondeTensor **labels, GError **error);
};

/**
 * SondeTrainerOptions: zero-initialise
 * @loss: "cross-entropy", "mse", or "output:NAME": the model computes it
 * @optimiser: "sgd" or "adam"
 * @learning_rate, @momentum, @weight_decay: conventions of PyTorch: g += wd·w; v = m·v + g (first v = g);
 *   w −= lr·v. Adam: β 0.9, 0.999, ε 1e-8, wd added to g
 * @schedule: "constant"; further names with their rows
 * @epochs or @steps: the other is 0
 * @batch: samples a step; the last one of an epoch may be smaller
 * @memory_budget: bytes that a step may take, parameters and state included: forward values are computed again in the
 *   backward phase where that is needed (sonde_pass_recompute()); 0: any. With @memory KEEP it is not looked at
 */
typedef struct
{
  const char *loss;
  const char *optimiser;
  double learning_rate, momentum, weight_decay;
  const char *schedule;
  guint64 epochs, steps;
  guint batch;
  guint64 seed;
  SondeMemoryMode memory;
  guint64 memory_budget;
  const char *device; /* NULL: "cpu" */
  int threads;
} SondeTrainerOptions;

/**
 * SondeTrainerState: readable at any time on the trainer's thread
 * @step: finished steps, global (a resumed run goes on counting)
 * @loss, @accuracy: of the last finished step's batch (accuracy NaN when there are no classes)
 * @gradient_norm: L2 over all parameters' gradients
 * @test_loss, @test_accuracy: of the last evaluation, NaN before
 */
typedef struct
{
  guint64 step, total_steps;
  guint epoch, batch, batches_per_epoch;
  double loss, accuracy, learning_rate, gradient_norm, test_loss, test_accuracy;
  guint64 samples;        /* trained so far */
  gint64 training_ns;     /* loop incl. data and observers, without evaluation */
} SondeTrainerState;

/* What happens around steps; every entry optional. Trainer's thread. */
typedef struct _SondeTrainerListener SondeTrainerListener;
struct _SondeTrainerListener
{
  /* after each step, scalars of the state are final, updated parameters are in place */
  SondeAnswer (*step_done) (SondeTrainerListener *listener, SondeTrainer *trainer);
  SondeAnswer (*epoch_done) (SondeTrainerListener *listener, SondeTrainer *trainer);
  void (*evaluated) (SondeTrainerListener *listener, SondeTrainer *trainer);
};

/**
 * sonde_trainer_new:
 * @model: forward graph as loaded or built; parameters (role PARAMETER) are trained
 *
 * Builds loss, gradients and updates (names "grad(P)", "P'", "state(P, momentum)", "loss"), plans them.
 * Errors: no parameters, operators without gradient, shapes.
 */
SondeTrainer *sonde_trainer_new (SondeGraph                *model,
                                 SondeBatchSource          *source,
                                 const SondeTrainerOptions *options,
                                 GError                   **error);
void sonde_trainer_free (SondeTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainer, sonde_trainer_free)

void sonde_trainer_set_listener (SondeTrainer *trainer, SondeTrainerListener *listener);

/**
 * sonde_trainer_run:
 * Trains until the end, a pause or a stop; call again to go on after PAUSED. After DONE the test part
 * was evaluated. Evaluation runs after every epoch and at the end.
 */
SondeRunResult sonde_trainer_run (SondeTrainer *trainer,
                                  GError      **error);

/* One training step (or the rest of a paused one) and what the listener does after it. DONE: the step is done. */
SondeRunResult sonde_trainer_run_step (SondeTrainer *trainer,
                                       GError      **error);

const SondeTrainerState *sonde_trainer_get_state (SondeTrainer *trainer);
/* The execution of the current batch. A smaller last batch runs on a plan and execution of its own, to which
 * parameters, state and observers are carried over. */
SondeExecution *sonde_trainer_get_execution (SondeTrainer *trainer);
/* Observers of every training execution (not of evaluations); not owned. */
void sonde_trainer_add_observer (SondeTrainer *trainer, SondeObserver *observer);
void sonde_trainer_remove_observer (SondeTrainer *trainer, SondeObserver *observer);
void sonde_trainer_refresh_observers (SondeTrainer *trainer);
/* Any thread: the run pauses before its next plan step. */
void sonde_trainer_interrupt (SondeTrainer *trainer);
/* Goes on as if @step steps had been done (resume): epoch, batch, schedule and random numbers follow. */
void sonde_trainer_seek (SondeTrainer *trainer, guint64 step);
SondeGraph *sonde_trainer_get_graph (SondeTrainer *trainer);      /* executed training graph of the current batch */
SondeGraph *sonde_trainer_get_model (SondeTrainer *trainer);      /* original forward graph */
SondeGraphValue *sonde_trainer_get_logits (SondeTrainer *trainer); /* in the executed graph; the model's first output */
/* (element-type SondeGraphValue) (transfer none): trained values in the executed graph */
GPtrArray *sonde_trainer_get_parameters (SondeTrainer *trainer);
SondeGraphValue *sonde_trainer_get_gradient (SondeTrainer *trainer, SondeGraphValue *parameter);

/* Parameters (and state with names "state(P, m)") by name. */
/* (transfer full) (array zero-terminated=1): names of all of them, parameters first */
char **sonde_trainer_list_parameters (SondeTrainer *trainer, gboolean with_state);
SondeTensor *sonde_trainer_read_parameter (SondeTrainer *trainer, const char *name, GError **error);
gboolean sonde_trainer_write_parameter (SondeTrainer *trainer, const char *name, SondeTensor *tensor, GError **error);

G_END_DECLS
