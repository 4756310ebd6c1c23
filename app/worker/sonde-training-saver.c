/* SPDX-License-Identifier: Apache-2.0
 * When checkpoints are written. */
#include "app/worker/sonde-training-saver.h"

#include <math.h>

#include "app/worker/sonde-checkpoint.h"
#include "app/worker/sonde-weights.h"
#include "data/base/sonde-error.h"
#include "data/models/sonde-model-file.h"
#include "engine/nn/sonde-layers.h"
#include "engine/nn/sonde-metric.h"

#define NS_PER_MINUTE 60e9
#define NO_STEP G_MAXUINT64

struct _SondeTrainingSaver
{
  const SondeRecipe *recipe;
  SondeTrainer *trainer;
  SondeSummaryWriter *writer; /* (nullable) borrowed */
  SondeSpanLog *spans;        /* (nullable) borrowed */
  const SondeClock *clock;    /* NULL: the system's */
  char *folder, *format;      /* of weights: ".npz" */
  SondeCheckpointNotes notes;
  guint64 looked_at; /* step of the last look whether a checkpoint is due */
  guint64 rolled_to; /* step of the last roll-back; NO_STEP: a checkpoint was written since */
  gint64 saved_ns;
  gboolean is_due; /* and waits for the evaluation */
  SondeMessage *problem;
  guint64 lost;
};

SondeTrainingSaver *
sonde_training_saver_new (const SondeRecipe *recipe, const char *run, SondeTrainer *trainer)
{
  SondeTrainingSaver *saver = g_new0 (SondeTrainingSaver, 1);
  const char *folder = recipe->checkpoint_directory;

  saver->recipe = recipe;
  saver->trainer = trainer;
  saver->folder
      = g_path_is_absolute (folder) ? g_strdup (folder) : g_build_filename (run, folder, NULL);
  saver->format = g_strconcat (".", recipe->checkpoint_format, NULL);
  saver->notes.best = NAN;
  saver->rolled_to = NO_STEP;
  saver->saved_ns = sonde_clock_monotonic_ns (saver->clock);
  return saver;
}

void
sonde_training_saver_free (SondeTrainingSaver *saver)
{
  if (saver == NULL)
    return;
  g_free (saver->folder);
  g_free (saver->format);
  sonde_message_free (saver->problem);
  g_free (saver);
}

void
sonde_training_saver_set_clock (SondeTrainingSaver *saver, const SondeClock *clock)
{
  saver->clock = clock;
  saver->saved_ns = sonde_clock_monotonic_ns (clock);
}

void
sonde_training_saver_set_writer (SondeTrainingSaver *saver, SondeSummaryWriter *writer)
{
  saver->writer = writer;
}

void
sonde_training_saver_set_spans (SondeTrainingSaver *saver, SondeSpanLog *log)
{
  saver->spans = log;
}

gboolean
sonde_training_saver_has_checkpoint (const SondeTrainingSaver *saver)
{
  return sonde_checkpoint_exists (saver->folder);
}

gboolean
sonde_training_saver_resume (SondeTrainingSaver *saver, GPtrArray *warnings, GError **error)
{
  if (!sonde_checkpoint_resume (NULL, saver->folder, G_MAXUINT64, saver->trainer, &saver->notes,
                                warnings, error))
    return FALSE;
  saver->looked_at = sonde_trainer_get_state (saver->trainer)->step;
  return TRUE;
}

/* Only the first failure is reported, until a checkpoint is written again: a full disk is one
 * message, not one per checkpoint. */
static void
note_result (SondeTrainingSaver *saver, const char *name, GError *error)
{
  if (error == NULL)
    {
      g_clear_pointer (&saver->problem, sonde_message_free);
      return;
    }
  saver->lost++;
  if (saver->problem != NULL)
    return;
  saver->problem = sonde_error_dup_message (error);
  sonde_message_prepend (saver->problem,
                         "Checkpoint “%s” was not written; the previous one is kept: ", name);
}

static gboolean
rolls_back (const SondeTrainingSaver *saver)
{
  return g_str_equal (saver->recipe->train_on_nan, "roll-back");
}

static void
save (SondeTrainingSaver *saver)
{
  guint64 step = sonde_trainer_get_state (saver->trainer)->step;
  g_autofree char *name
      = g_strdup_printf ("%s-%08" G_GUINT64_FORMAT, saver->recipe->checkpoint_prefix, step);
  g_autoptr (GError) error = NULL;
  SondeSpanRing *ring;
  guint64 moment;

  saver->is_due = FALSE;
  saver->saved_ns = sonde_clock_monotonic_ns (saver->clock);
  if (rolls_back (saver) && !sonde_checkpoint_is_finite (saver->trainer))
    return; /* nothing to go back to */
  ring = sonde_span_log_enter (saver->spans);
  moment = ring != NULL ? sonde_ticks_now (&saver->spans->ticks) : 0;
  if (saver->writer != NULL)
    sonde_summary_writer_flush (saver->writer);
  sonde_checkpoint_write (NULL, saver->folder, name, saver->format, saver->trainer, &saver->notes,
                          &error);
  if (ring != NULL)
    sonde_span_log_add (saver->spans, ring, SONDE_SPAN_RECORDING,
                        sonde_span_log_add_label (saver->spans, "checkpoint"), moment, 0);
  note_result (saver, name, error);
  if (error != NULL)
    return;
  saver->rolled_to = NO_STEP;
  sonde_checkpoint_prune (NULL, saver->folder, saver->recipe->checkpoint_prefix,
                          saver->recipe->checkpoint_keep);
}

static gboolean
is_due (const SondeTrainingSaver *saver, guint64 step)
{
  guint64 every = saver->recipe->checkpoint_every;
  double minutes = saver->recipe->checkpoint_minutes;

  return (every > 0 && step / every != saver->looked_at / every)
         || (minutes > 0
             && (double) (sonde_clock_monotonic_ns (saver->clock) - saver->saved_ns)
                    >= minutes * NS_PER_MINUTE);
}

void
sonde_training_saver_step_done (SondeTrainingSaver *saver)
{
  const SondeTrainerState *state = sonde_trainer_get_state (saver->trainer);

  saver->is_due = saver->is_due || is_due (saver, state->step);
  saver->looked_at = state->step;
  if (saver->is_due && state->step % state->steps_per_epoch != 0
      && state->step != state->total_steps)
    save (saver);
}

void
sonde_training_saver_epoch_done (SondeTrainingSaver *saver)
{
  if (saver->is_due)
    save (saver);
}

void
sonde_training_saver_begin (SondeTrainingSaver *saver)
{
  if (rolls_back (saver) && !sonde_checkpoint_exists (saver->folder))
    save (saver);
}

/* A checkpoint from which it came to what is no number once already is no good place: then to the
 * one before, if there is one. */
gboolean
sonde_training_saver_roll_back (SondeTrainingSaver *saver, GError **error)
{
  guint64 before = saver->rolled_to; /* NO_STEP: any */
  SondeTrainer *trainer = saver->trainer;

  saver->is_due = FALSE;
  if (!sonde_checkpoint_resume (NULL, saver->folder, before, trainer, &saver->notes, NULL, NULL)
      && !sonde_checkpoint_resume (NULL, saver->folder, G_MAXUINT64, trainer, &saver->notes, NULL,
                                   error))
    return FALSE;
  saver->looked_at = saver->rolled_to = sonde_trainer_get_state (trainer)->step;
  sonde_checkpoint_remove_after (NULL, saver->folder, saver->recipe->checkpoint_prefix,
                                 saver->rolled_to);
  return TRUE;
}

/* ---- best ---------------------------------------------------------------- */

static double
read_best (const SondeTrainingSaver *saver)
{
  const SondeTrainerState *state = sonde_trainer_get_state (saver->trainer);
  const char *metric = saver->recipe->checkpoint_best;
  g_autoptr (SondeMetric) wanted = NULL;

  if (g_str_equal (metric, "loss"))
    return state->test_loss;
  if (g_str_equal (metric, "accuracy"))
    return state->test_accuracy;
  wanted = sonde_metric_new (metric, TRUE, NULL);
  for (guint i = 0; wanted != NULL && i < state->n_metrics; i++)
    if (g_str_equal (sonde_trainer_get_metric_name (saver->trainer, i),
                     sonde_metric_get_name (wanted)))
      return state->metrics[i];
  return NAN;
}

static gboolean
is_better (const char *metric, double value, double than)
{
  gboolean errors
      = g_str_equal (metric, "loss") || g_str_equal (metric, "mae") || g_str_equal (metric, "rmse");

  return !isnan (value) && (isnan (than) || (errors ? value < than : value > than));
}

void
sonde_training_saver_evaluated (SondeTrainingSaver *saver)
{
  const char *metric = saver->recipe->checkpoint_best;
  double value = metric != NULL ? read_best (saver) : NAN;
  SondeCheckpointNotes notes = { value, sonde_trainer_get_state (saver->trainer)->step };
  g_autoptr (GError) error = NULL;

  if (metric == NULL || !is_better (metric, value, saver->notes.best))
    return;
  saver->notes = notes;
  sonde_checkpoint_write_weights (NULL, saver->folder, "best", saver->format, saver->trainer,
                                  &notes, &error);
  note_result (saver, "best", error);
}

/* ---- end ----------------------------------------------------------------- */

static gboolean
is_used (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value->users->len > 0 || (value->captures != NULL && value->captures->len > 0)
         || g_ptr_array_find (graph->outputs, value, NULL)
         || g_ptr_array_find (graph->inputs, value, NULL);
}

/* Dropout that drops nothing: who reads it reads what it was made from. */
static void
remove_dropout (SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);
      SondeGraphValue *result = node != NULL && sonde_node_is (node, SONDE_OP_ID_DROPOUT)
                                    ? sonde_node_get_output (node, 0)
                                    : NULL;
      SondeGraphValue *ratio, *mask;

      if (result == NULL || g_ptr_array_find (graph->outputs, result, NULL))
        continue;
      ratio = sonde_node_get_input (node, 1);
      mask = sonde_node_get_output (node, 1);
      if (mask != NULL && is_used (graph, mask))
        continue;
      sonde_graph_replace_value (graph, result, sonde_node_get_input (node, 0));
      sonde_graph_remove_node (graph, node);
      if (ratio != NULL && ratio->producer == NULL && !is_used (graph, ratio))
        sonde_graph_remove_value (graph, ratio);
    }
}

/* The model with the trained weights in it, as it is used: running statistics count, nothing is
 * dropped. */
static gboolean
save_model (SondeTrainingSaver *saver, SondeGraph *original, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_copy (original, FALSE);
  g_autofree char *path = g_build_filename (saver->folder, "final.onnx", NULL);
  g_autoptr (SondeNamedTensors) weights = sonde_weights_collect (saver->trainer, error);

  for (gsize i = 0; weights != NULL && i < sonde_named_tensors_get_size (weights); i++)
    {
      SondeGraphValue *value
          = sonde_graph_find_value (graph, sonde_named_tensors_get_name (weights, i));

      if (value == NULL || value->constant == NULL)
        continue;
      sonde_value_unref (value->constant);
      value->constant = sonde_value_new_tensor (sonde_named_tensors_get_tensor (weights, i));
    }
  sonde_layers_for_inference (graph);
  remove_dropout (graph);
  return weights != NULL && sonde_model_save (NULL, path, graph, error);
}

static gboolean
save_final (SondeTrainingSaver *saver, SondeGraph *original, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (!g_str_equal (saver->format, ".npz")
      && !sonde_checkpoint_write_weights (NULL, saver->folder, "final", saver->format,
                                          saver->trainer, NULL, error))
    return FALSE;
  /* A training that failed on what is no number must not be gone on with from there. */
  if (!g_str_equal (saver->recipe->train_on_nan, "warn")
      && !sonde_checkpoint_is_finite (saver->trainer))
    {
      if (!sonde_checkpoint_write_weights (NULL, saver->folder, "final", ".npz", saver->trainer,
                                           NULL, error))
        return FALSE;
    }
  else if (!sonde_checkpoint_write (NULL, saver->folder, "final", ".npz", saver->trainer,
                                    &saver->notes, error))
    return FALSE;
  if (save_model (saver, original, &reason)
      || g_error_matches (reason, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

gboolean
sonde_training_saver_finish (SondeTrainingSaver *saver, SondeGraph *original, GError **error)
{
  g_autoptr (GError) reason = NULL;

  if (save_final (saver, original, &reason))
    {
      g_clear_pointer (&saver->problem, sonde_message_free);
      return TRUE;
    }
  saver->lost++;
  g_clear_pointer (&saver->problem, sonde_message_free);
  saver->problem = sonde_error_dup_message (reason);
  sonde_message_prepend (saver->problem, "Checkpoint “final” was not written: ");
  g_propagate_error (error, g_steal_pointer (&reason));
  return FALSE;
}

SondeMessage *
sonde_training_saver_dup_problem (const SondeTrainingSaver *saver)
{
  return sonde_message_copy (saver->problem);
}

guint64
sonde_training_saver_get_lost (const SondeTrainingSaver *saver)
{
  return saver->lost;
}
