/* SPDX-License-Identifier: Apache-2.0
 * Training: a forward graph, a loss and an optimiser become one graph and one plan; the trainer
 * runs it over batches. Takes batches from a callback: it knows no dataset and no recipe. */
#pragma once

#include "data/base/sonde-span-log.h"
#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

typedef struct _SondeTrainer SondeTrainer;

/**
 * SondeBatchSource: where batches come from
 * @n_samples: training samples an epoch; @n_test: test samples, 0 for none
 * @load: required; fills @inputs[k] (new references, one per model input) and @labels (int64 [n],
 *   or whatever the loss takes; NULL when the model computes its loss) for batch @batch of @epoch
 *   (from 0);
 *   @test: from the test part. Runs on the trainer's thread. FALSE with @error stops the training.
 */
typedef struct _SondeBatchSource SondeBatchSource;
struct _SondeBatchSource
{
  guint n_samples, n_test;
  gboolean (*load) (SondeBatchSource *source, gboolean test, guint epoch, guint batch,
                    SondeTensor **inputs, SondeTensor **labels, GError **error);
};

/* What becomes of a step whose loss or gradients are not finite. */
typedef enum
{
  SONDE_NAN_STOP, /* the training fails, naming what is not finite */
  SONDE_NAN_WARN, /* counted in the state */
  /* the listener's roll_back, half the learning rate from then on; at most 10 times, then as
   * STOP */
  SONDE_NAN_ROLL_BACK,
} SondeNanPolicy;

/**
 * SondeTrainerOptions: zero-initialise
 * @loss: text of sonde_loss_new(), or "output:NAME": the model computes it; NULL: "cross-entropy"
 * @class_weights: (nullable) F32 [C]; referenced
 * @optimiser: text of sonde_optimiser_new(); NULL: "sgd"
 * @momentum, @weight_decay: where the optimiser's text does not say
 * @groups: (nullable): text of sonde_parameter_groups_parse(); frozen parameters get neither
 * gradient nor update
 * @clip: (nullable): text of sonde_clip_parse()
 * @schedule: text of sonde_schedule_new(); NULL: "constant"
 * @epochs or @steps: the other is 0
 * @batch: samples a batch; the last one of an epoch may be smaller
 * @accumulate: 0, 1: a batch is a step. n: gradients of n batches (fewer at the end of an epoch)
 *   are averaged into one step, whose loss and accuracy are the means over its batches
 * @average: d in (0, 1): a moving average of the weights, "state(P, average)" = d·average + (1 −
 * d)·P', which evaluations use. 0: none
 * @metrics: (nullable) (array zero-terminated=1): texts of sonde_metric_new(), computed at every
 * evaluation
 * @early_stop: (nullable): "METRIC:patience=3;least=0": the training ends when METRIC ("loss",
 *   "accuracy" or one of @metrics) is not better by more than @least for that many evaluations
 * @memory_budget: bytes that a step may take, parameters and state included: forward values are
 *   computed again in the backward phase where that is needed (sonde_pass_rematerialise()); 0: any.
 *   With @memory KEEP it is not looked at
 * @update_in_place: with @memory PLAN: a step that nobody watches writes parameters and states
 *   where they lie (sonde-execution.h), and the first values of large parameters that are trained
 *   are let go when the first step begins, by
 *   @model's graph, too: from then on they are read from the trainer
 * @precision: F32 (or INVALID); BF16: sonde_pass_mix() before the gradients, of evaluations too.
 *   Parameters and states stay float32. F16 is refused by devices that have no arithmetic of
 *   float16, which cpu and reference are
 * @sink: steps that run before the listener is told of them, all at once; 0, 1: each. Evaluations
 * and the end cut it short
 */
typedef struct
{
  const char *loss;
  SondeTensor *class_weights;
  const char *optimiser;
  double learning_rate, momentum, weight_decay;
  const char *groups;
  const char *clip;
  const char *schedule;
  guint64 epochs, steps;
  guint batch;
  guint accumulate;
  double average;
  const char *const *metrics;
  const char *early_stop;
  SondeNanPolicy on_nan;
  guint sink;
  guint64 seed;
  SondeDtype precision;
  SondeMemoryMode memory;
  guint64 memory_budget;
  gboolean update_in_place;
  const char *device; /* NULL: "cpu" */
  int threads;
} SondeTrainerOptions;

/* What a finished step left; accuracy NaN when there are no classes. */
typedef struct
{
  guint64 step;
  double loss, accuracy, learning_rate, gradient_norm;
} SondeStepScalars;

/**
 * SondeTrainerState: readable at any time on the trainer's thread
 * @step: finished steps, global (a resumed run goes on counting)
 * @epoch, @batch: of the step that runs or ran last; @batch: in its epoch
 * @measured: there is a last finished step in this process; FALSE: what follows of one is NaN
 * @loss, @accuracy: of the last finished step (accuracy NaN when there are no classes)
 * @gradient_norm: L2 over all parameters' gradients, before clipping
 * @test_loss, @test_accuracy: of the last evaluation, NaN before
 * @metrics: (array length=n_metrics): of the last evaluation, NaN before
 * @n_not_finite: steps whose loss or gradients were not finite; @n_rolled_back: times the training
 * went back
 * @stopped_early: by @early_stop
 */
typedef struct
{
  guint64 step, total_steps;
  guint epoch, batch, batches_per_epoch, steps_per_epoch;
  double loss, accuracy, learning_rate, gradient_norm, test_loss, test_accuracy;
  guint n_metrics;
  double *metrics;
  guint64 n_not_finite, n_rolled_back;
  gboolean stopped_early, measured;
  guint64 samples;    /* trained so far */
  gint64 training_ns; /* loop incl. data and observers, without evaluation */
} SondeTrainerState;

/* What happens around steps; every entry optional. Trainer's thread. */
typedef struct _SondeTrainerListener SondeTrainerListener;
struct _SondeTrainerListener
{
  /* after each step (each @sink of them), scalars of the state are final, updated parameters are in
   * place */
  SondeAnswer (*step_done) (SondeTrainerListener *listener, SondeTrainer *trainer);
  SondeAnswer (*epoch_done) (SondeTrainerListener *listener, SondeTrainer *trainer);
  void (*evaluated) (SondeTrainerListener *listener, SondeTrainer *trainer);
  /* brings back an earlier state by sonde_trainer_write_parameter() and
   * sonde_trainer_set_progress(); FALSE: there is none */
  gboolean (*roll_back) (SondeTrainerListener *listener, SondeTrainer *trainer, GError **error);
};

/**
 * sonde_trainer_new:
 * @model: forward graph as loaded or built; parameters (role PARAMETER) are trained
 *
 * Builds loss, gradients and updates (names "grad(P)", "P'", "state(P, momentum)", "loss"), plans
 * them.
 * Errors: no parameters, operators without gradient, shapes.
 */
SondeTrainer *sonde_trainer_new (SondeGraph *model, SondeBatchSource *source,
                                 const SondeTrainerOptions *options, GError **error);
void sonde_trainer_free (SondeTrainer *trainer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeTrainer, sonde_trainer_free)

void sonde_trainer_set_listener (SondeTrainer *trainer, SondeTrainerListener *listener);

/**
 * sonde_trainer_run:
 * Trains until the end, a pause or a stop; call again to go on after PAUSED. After DONE the test
 * part was evaluated. Evaluation runs after every epoch and at the end.
 */
SondeRunResult sonde_trainer_run (SondeTrainer *trainer, GError **error);

/* The steps finished since the listener was told last, this time's included: (array length=n) */
const SondeStepScalars *sonde_trainer_get_finished (SondeTrainer *trainer, guint *n);

/* One training step (or the rest of a paused one) and what the listener does after it. DONE: the
 * step is done. */
SondeRunResult sonde_trainer_run_step (SondeTrainer *trainer, GError **error);

/**
 * sonde_trainer_complete_step, sonde_trainer_leave_step:
 * Before a training that is paused somewhere is saved or left: afterwards it stands between two
 * steps, and the listener was told of all that are finished. To complete the present step is to run
 * the rest of it and what follows a step (an evaluation at the end of an epoch), whatever pauses it;
 * one that has not begun to compute is given up. To leave it is to give it up, so that it begins
 * again when the training goes on; it is completed only where that is not possible: updates were
 * made in place, or gradients of earlier batches were added up.
 * A step that failed stays as it is. Errors: of the step.
 */
gboolean sonde_trainer_complete_step (SondeTrainer *trainer, GError **error);
gboolean sonde_trainer_leave_step (SondeTrainer *trainer, GError **error);

const SondeTrainerState *sonde_trainer_get_state (SondeTrainer *trainer);
/* The execution of the current batch. A smaller last batch runs on a plan and execution of its own,
 * to which parameters, state and observers are carried over. */
SondeExecution *sonde_trainer_get_execution (SondeTrainer *trainer);
/**
 * sonde_trainer_set_spans:
 * @log: (nullable): referenced
 *
 * While @log records, it gets each training step with what the step consists of: waiting for a batch,
 * steps of the plan (sonde_execution_set_spans()), what the listener does. A step has the number of those
 * finished before it: the first one is 0. A step that pauses is left out. Evaluations stand
 * between steps, as a whole.
 */
void sonde_trainer_set_spans (SondeTrainer *trainer, SondeSpanLog *log);
/* Observers of every training execution (not of evaluations); not owned. */
void sonde_trainer_add_observer (SondeTrainer *trainer, SondeObserver *observer);
void sonde_trainer_remove_observer (SondeTrainer *trainer, SondeObserver *observer);
void sonde_trainer_refresh_observers (SondeTrainer *trainer);
/**
 * sonde_trainer_set_model:
 * @model: as of sonde_trainer_new(); another one, or the present one with nodes changed
 *
 * From here on it trains @model, with the parameters and states of the same names that it has; the
 * step that it stands in is given up and begins again. Executions of before stay as they stood, for
 * whoever looks at them, until the trainer is freed. Errors, with nothing changed: as of
 * sonde_trainer_new(); SHAPE for a parameter of another size; STATE in the middle of an accumulated
 * step.
 */
gboolean sonde_trainer_set_model (SondeTrainer *trainer, SondeGraph *model, GError **error);
/* Any thread: the run pauses before its next plan step. */
void sonde_trainer_interrupt (SondeTrainer *trainer);
/* Bytes of tensors that the training takes at most, as planned before it begins: the model,
 * parameters, states and intermediate values of steps and evaluations; and what it did take so far.
 * Batches are the source's. */
guint64 sonde_trainer_get_planned_bytes (SondeTrainer *trainer);
guint64 sonde_trainer_get_peak_bytes (SondeTrainer *trainer);
/* Whether first values of parameters were let go: the graphs have values in their place that are no
 * numbers. */
gboolean sonde_trainer_has_released_model (SondeTrainer *trainer);
const char *sonde_trainer_get_metric_name (SondeTrainer *trainer, guint index);
/* Counts [true, predicted] of the last evaluation where "confusion-matrix" is among the metrics.
 * (transfer full) (nullable) */
SondeTensor *sonde_trainer_dup_confusion (SondeTrainer *trainer);
/* Goes on as if @step steps had been done (resume): epoch, batch, schedule and random numbers
 * follow. */
void sonde_trainer_seek (SondeTrainer *trainer, guint64 step);
const char *sonde_trainer_get_optimiser (SondeTrainer *trainer); /* its text, as in the options */
/* executed training graph of the current batch */
SondeGraph *sonde_trainer_get_graph (SondeTrainer *trainer);
SondeGraph *sonde_trainer_get_model (SondeTrainer *trainer); /* original forward graph */
/* in the executed graph; the model's first output */
SondeGraphValue *sonde_trainer_get_logits (SondeTrainer *trainer);
/* (element-type SondeGraphValue) (transfer none): trained values in the executed graph */
GPtrArray *sonde_trainer_get_parameters (SondeTrainer *trainer);
SondeGraphValue *sonde_trainer_get_gradient (SondeTrainer *trainer, SondeGraphValue *parameter);

/* Parameters (and state with names "state(P, m)") by name. */
/* (transfer full) (array zero-terminated=1): names of all of them, parameters first */
char **sonde_trainer_list_parameters (SondeTrainer *trainer, gboolean with_state);
SondeTensor *sonde_trainer_read_parameter (SondeTrainer *trainer, const char *name, GError **error);
/* The moving average of a parameter where there is one, else the parameter. */
SondeTensor *sonde_trainer_read_average (SondeTrainer *trainer, const char *name, GError **error);
/**
 * sonde_trainer_dup_progress:
 * What a resumed run needs besides parameters and states: step, schedule, early stop, learning rate
 * after roll-backs. Between steps only.
 * Returns: (transfer full): F64
 */
SondeTensor *sonde_trainer_dup_progress (SondeTrainer *trainer);
/* Seeks, too. Errors: SHAPE for what no trainer wrote. */
gboolean sonde_trainer_set_progress (SondeTrainer *trainer, SondeTensor *progress, GError **error);
gboolean sonde_trainer_write_parameter (SondeTrainer *trainer, const char *name,
                                        SondeTensor *tensor, GError **error);

G_END_DECLS
