/* SPDX-License-Identifier: Apache-2.0
 * Parameters, states and progress of a training, kept in memory. */
#include "engine/nn/sonde-trainer-history.h"

#include <string.h>

#include "data/base/sonde-clock.h"
#include "engine/nn/sonde-trainer-private.h"

#define LEAST_STATES 2
#define SHARE 4   /* of the training's memory, states take one part in so many */
#define COST 0.01 /* of its time */

/**
 * Snapshot: the training between two steps
 * @stepped: the instance whose graph has all of @names
 * @finished: (element-type SondeStepScalars): steps the listener had not been told of
 * @metrics: of the state, which has no memory of its own here
 * @pinned: what was set by hand before it could not be made again
 * @model, @instances: that the training had
 */
typedef struct
{
  SondeTrainerState state;
  SondeTrainerInstance *stepped;
  GPtrArray *values;  /* (element-type SondeGraphValue): borrowed from the graph of @stepped */
  GPtrArray *tensors; /* (element-type SondeTensor) */
  SondeTensor *schedule;
  GArray *finished;
  SondeEarlyStop early_stop;
  double rate_factor;
  guint64 evaluated_at;
  double *metrics;
  gsize bytes;
  gboolean pinned;
  SondeGraph *model;
  GPtrArray *instances;
} Snapshot;

/**
 * SondeTrainerHistory:
 * @snapshots: (element-type Snapshot): by steps that were finished
 * @target: step that is gone back to; on the way there, states close to it are kept
 * @edited: (or 0): the state from this step on is to be pinned
 * @snapshot_ns: what keeping the last one took
 */
struct _SondeTrainerHistory
{
  SondeObserver observer; /* first member */
  SondeTrainer *trainer;
  guint64 budget, bytes;
  GPtrArray *snapshots;
  guint64 target, edited;
  gint64 snapshot_ns;
};

static void
snapshot_free (void *data)
{
  Snapshot *snapshot = data;

  g_ptr_array_unref (snapshot->values);
  g_ptr_array_unref (snapshot->tensors);
  g_clear_pointer (&snapshot->schedule, sonde_tensor_unref);
  g_array_unref (snapshot->finished);
  g_ptr_array_unref (snapshot->instances);
  sonde_graph_unref (snapshot->model);
  g_free (snapshot->metrics);
  g_free (snapshot);
}

/* ---- numbers of batches -------------------------------------------------- */

static guint64
first_batch (const SondeTrainer *trainer, guint64 finished)
{
  const SondeTrainerState *state = &trainer->progress.state;

  return finished / state->steps_per_epoch * state->batches_per_epoch
         + finished % state->steps_per_epoch * MAX (trainer->options.accumulate, 1);
}

guint64
sonde_trainer_get_batch (SondeTrainer *trainer)
{
  return first_batch (trainer, trainer->progress.state.step)
         + (trainer->in_step ? trainer->n_done : 0);
}

guint64
sonde_trainer_first_batch_of_step (SondeTrainer *trainer, guint64 step)
{
  return first_batch (trainer, MAX (step, 1) - 1);
}

guint64
sonde_trainer_step_of_batch (SondeTrainer *trainer, guint64 batch)
{
  const SondeTrainerState *state = &trainer->progress.state;

  return batch / state->batches_per_epoch * state->steps_per_epoch
         + batch % state->batches_per_epoch / MAX (trainer->options.accumulate, 1);
}

/* ---- keeping ------------------------------------------------------------- */

/* What the batch that begins has is the newest; optimiser states are where the last step was. */
static SondeTensor *
read_newest (SondeTrainer *trainer, SondeGraphValue *value, GError **error)
{
  SondeGraphValue *newest = sonde_graph_find_value (trainer->current->training->graph, value->name);

  if (newest != NULL && newest->producer == NULL)
    return sonde_execution_read (trainer->current->execution, newest, error);
  return sonde_execution_read (trainer->stepped->execution, value, error);
}

static gboolean
is_kept (const SondeGraphValue *value)
{
  return value != NULL && value->producer == NULL
         && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE);
}

static Snapshot *
snapshot_new (SondeTrainer *trainer)
{
  Snapshot *snapshot = g_new0 (Snapshot, 1);
  GPtrArray *values = trainer->stepped->training->graph->values;

  snapshot->state = trainer->progress.state;
  snapshot->model = sonde_graph_ref (trainer->model);
  snapshot->instances = g_ptr_array_ref (trainer->instances);
  snapshot->stepped = trainer->stepped;
  snapshot->values = g_ptr_array_new ();
  snapshot->tensors = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  snapshot->schedule = sonde_schedule_dup_state (trainer->progress.schedule);
  snapshot->finished = g_array_copy (trainer->finished);
  snapshot->early_stop = trainer->progress.early_stop;
  snapshot->rate_factor = trainer->progress.rate_factor;
  snapshot->evaluated_at = trainer->progress.evaluated_at;
  snapshot->metrics = g_memdup2 (trainer->progress.state.metrics,
                                 MAX (trainer->progress.state.n_metrics, 1) * sizeof (double));
  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      SondeTensor *tensor = is_kept (value) ? read_newest (trainer, value, NULL) : NULL;

      if (tensor == NULL) /* one that no step reads: it never changes */
        continue;
      g_ptr_array_add (snapshot->values, value);
      g_ptr_array_add (snapshot->tensors, tensor);
      snapshot->bytes += sonde_tensor_n_bytes (tensor);
    }
  return snapshot;
}

static Snapshot *
nth (const SondeTrainerHistory *history, guint index)
{
  return g_ptr_array_index (history->snapshots, index);
}

static void
drop (SondeTrainerHistory *history, guint index)
{
  history->bytes -= nth (history, index)->bytes;
  g_ptr_array_remove_index (history->snapshots, index);
}

/* Neither the first nor the last: the one whose neighbours lie closest to each other, as seen from
 * @now. 0: none. */
static guint
find_least_wanted (const SondeTrainerHistory *history, guint64 now)
{
  guint least = 0;
  double smallest = G_MAXDOUBLE;

  for (guint i = 1; i + 1 < history->snapshots->len; i++)
    {
      double before = (double) nth (history, i - 1)->state.step,
             next = (double) nth (history, i + 1)->state.step;
      double far = next > (double) now ? next - before + 1.0 : (double) now - before + 1.0;

      if (!nth (history, i)->pinned && (next - before) / far < smallest)
        {
          smallest = (next - before) / far;
          least = i;
        }
    }
  return least;
}

/* Where a snapshot of @step is, or would be. */
static guint
find_index (const SondeTrainerHistory *history, guint64 step)
{
  guint index = 0;

  while (index < history->snapshots->len && nth (history, index)->state.step < step)
    index++;
  return index;
}

static gboolean
is_due (const SondeTrainerHistory *history, guint64 step)
{
  guint n = history->snapshots->len, index = find_index (history, step);
  const SondeTrainerState *state = &history->trainer->progress.state;
  guint64 left = history->target > step ? history->target - step : 0;
  double step_ns = state->step > 0 ? (double) state->training_ns / (double) state->step : 0.0;

  if (index < n && nth (history, index)->state.step == step)
    return FALSE;
  if (n == 0 || (history->edited > 0 && step >= history->edited)
      || (step <= history->target && (left & (left - 1)) == 0))
    return TRUE;
  return index == n
         && (double) (step - nth (history, n - 1)->state.step) * step_ns * COST
                >= (double) history->snapshot_ns;
}

static void
keep (SondeTrainerHistory *history)
{
  gint64 start = sonde_clock_monotonic_ns (NULL);
  Snapshot *snapshot = snapshot_new (history->trainer);
  guint least = 1;

  snapshot->pinned = history->edited > 0 && snapshot->state.step >= history->edited;
  history->edited = snapshot->pinned ? 0 : history->edited;
  g_ptr_array_insert (history->snapshots, (int) find_index (history, snapshot->state.step),
                      snapshot);
  history->bytes += snapshot->bytes;
  while (least > 0 && history->bytes > history->budget && history->snapshots->len > LEAST_STATES)
    {
      least = find_least_wanted (history,
                                 MAX (history->target, history->trainer->progress.state.step));
      if (least > 0)
        drop (history, least);
    }
  history->snapshot_ns = sonde_clock_monotonic_ns (NULL) - start;
}

/* ---- the observer: wants no step, only to know when one begins ----------- */

static guint
wants (SondeObserver *observer, SondeExecution *execution, guint step)
{
  return SONDE_WANT_NOTHING;
}

static SondeAnswer
run_begins (SondeObserver *observer, SondeExecution *execution)
{
  SondeTrainerHistory *history = (SondeTrainerHistory *) observer;

  if (history->trainer->n_done == 0 && is_due (history, history->trainer->progress.state.step))
    keep (history);
  return SONDE_ANSWER_CONTINUE;
}

/* ---- life ---------------------------------------------------------------- */

SondeTrainerHistory *
sonde_trainer_history_new (SondeTrainer *trainer, guint64 budget)
{
  SondeTrainerHistory *history = g_new0 (SondeTrainerHistory, 1);

  history->observer.wants = wants;
  history->observer.run_begins = run_begins;
  history->trainer = trainer;
  history->budget = budget > 0 ? budget : sonde_trainer_get_planned_bytes (trainer) / SHARE;
  history->snapshots = g_ptr_array_new_with_free_func (snapshot_free);
  sonde_trainer_add_observer (trainer, &history->observer);
  if (!trainer->in_step || trainer->n_done == 0) /* parameters change when the run is done */
    keep (history);
  return history;
}

void
sonde_trainer_history_free (SondeTrainerHistory *history)
{
  if (history == NULL)
    return;
  sonde_trainer_remove_observer (history->trainer, &history->observer);
  g_ptr_array_unref (history->snapshots);
  g_free (history);
}

gboolean
sonde_trainer_history_get_first (SondeTrainerHistory *history, guint64 *step)
{
  if (history->snapshots->len == 0)
    return FALSE;
  *step = nth (history, 0)->state.step;
  return TRUE;
}

void
sonde_trainer_history_forget_after (SondeTrainerHistory *history, guint64 step)
{
  for (guint i = history->snapshots->len; i > 0; i--)
    if (nth (history, i - 1)->state.step > step)
      drop (history, i - 1);
}

void
sonde_trainer_history_note_edit (SondeTrainerHistory *history)
{
  guint64 step = history->trainer->progress.state.step;

  sonde_trainer_history_forget_after (history, step);
  history->edited = step + 1;
}

void
sonde_trainer_history_clear (SondeTrainerHistory *history)
{
  g_ptr_array_set_size (history->snapshots, 0);
  history->bytes = 0;
  history->target = history->edited = 0;
}

void
sonde_trainer_history_note_model (SondeTrainerHistory *history)
{
  guint64 step = history->trainer->progress.state.step;
  guint index = find_index (history, step);

  sonde_trainer_history_forget_after (history, step);
  if (index < history->snapshots->len) /* with the model of before */
    drop (history, index);
  history->edited = 0;
  keep (history); /* the last one stays */
  nth (history, find_index (history, step))->pinned = TRUE;
}

/* ---- going back ---------------------------------------------------------- */

/* The time that was spent is not given back. */
static void
restore_state (SondeTrainer *trainer, const Snapshot *snapshot)
{
  double *metrics = trainer->progress.state.metrics;
  gint64 training_ns = trainer->progress.state.training_ns;
  double share = trainer->progress.state.samples > 0
                     ? (double) snapshot->state.samples / (double) trainer->progress.state.samples
                     : 0.0;

  trainer->progress.state = snapshot->state;
  trainer->progress.state.metrics = metrics;
  /* so that the speed stays */
  trainer->progress.state.training_ns = (gint64) ((double) training_ns * MIN (share, 1.0));
  memcpy (metrics, snapshot->metrics, MAX (snapshot->state.n_metrics, 1) * sizeof (double));
  trainer->progress.early_stop = snapshot->early_stop;
  trainer->progress.rate_factor = snapshot->rate_factor;
  trainer->progress.evaluated_at = snapshot->evaluated_at;
  g_array_set_size (trainer->finished, 0);
  g_array_append_vals (trainer->finished, snapshot->finished->data, snapshot->finished->len);
}

static gboolean
write_values (SondeTrainer *trainer, const Snapshot *snapshot, GError **error)
{
  for (guint i = 0; i < snapshot->values->len; i++)
    {
      g_autoptr (GError) reason = NULL;

      if (sonde_execution_write (trainer->current->execution,
                                 g_ptr_array_index (snapshot->values, i),
                                 g_ptr_array_index (snapshot->tensors, i), &reason)
          || g_error_matches (reason, SONDE_ENGINE_ERROR,
                              SONDE_ENGINE_ERROR_STATE)) /* no step reads it: it never changed */
        continue;
      g_propagate_error (error, g_steal_pointer (&reason));
      return FALSE;
    }
  return TRUE;
}

gboolean
sonde_trainer_history_restore (SondeTrainerHistory *history, guint64 step, GError **error)
{
  SondeTrainer *trainer = history->trainer;
  const Snapshot *snapshot = NULL;

  for (guint i = 0; i < history->snapshots->len && nth (history, i)->state.step <= step; i++)
    snapshot = nth (history, i);
  if (snapshot == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "No state of the training at or before step %" PRIu64 " has been kept.",
                       step + 1);
      return FALSE;
    }
  sonde_trainer_give_up_step (trainer);
  if (snapshot->instances != trainer->instances)
    {
      sonde_trainer_use_model (trainer, snapshot->model, snapshot->instances);
      sonde_trainer_give_up_step (trainer); /* what was under way when the model was changed */
    }
  history->target = step;
  history->edited = 0; /* it was in a step that is given up */
  trainer->current = trainer->stepped = snapshot->stepped;
  trainer->interruptible = snapshot->stepped->execution;
  if (!write_values (trainer, snapshot, error))
    return FALSE;
  restore_state (trainer, snapshot);
  return sonde_schedule_set_state (trainer->progress.schedule, snapshot->schedule, error);
}
