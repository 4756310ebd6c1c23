/* SPDX-License-Identifier: Apache-2.0
 * Evaluation of a training: the test part through the newest weights (or their moving average),
 * metrics, the early end. */
#include "engine/nn/sonde-trainer-private.h"

#include <math.h>

/* Gives the trained parameters to an evaluation, once a step. */
static gboolean
share_for_evaluation (SondeTrainer *trainer, SondeTrainerInstance *instance, GError **error)
{
  SondeTrainingGraph *from = trainer->current->training;

  if (instance->shared_at == trainer->progress.state.step)
    return TRUE;
  instance->shared_at = trainer->progress.state.step;
  if (!sonde_execution_share_parameters (instance->execution, trainer->current->execution, error))
    return FALSE;
  for (guint i = 0; from->averages != NULL && i < from->averages->len; i++)
    {
      SondeGraphValue *parameter = g_ptr_array_index (from->parameters, i);
      SondeGraphValue *target = sonde_graph_find_value (instance->training->graph, parameter->name);
      g_autoptr (SondeTensor) average = sonde_execution_read (
          trainer->current->execution, g_ptr_array_index (from->averages, i), error);

      if (average == NULL
          || (target != NULL
              && !sonde_execution_write (instance->execution, target, average, error)))
        return FALSE;
    }
  return TRUE;
}

static gboolean
feed_metrics (SondeTrainer *trainer, SondeTrainerInstance *instance, SondeTensor *labels,
              GError **error)
{
  g_autoptr (SondeTensor) prediction = NULL;

  if (trainer->metrics->len == 0 || labels == NULL)
    return TRUE;
  prediction = sonde_execution_read (instance->execution, instance->training->logits, error);
  for (guint i = 0; prediction != NULL && i < trainer->metrics->len; i++)
    if (!sonde_metric_add (g_ptr_array_index (trainer->metrics, i), prediction, labels, error))
      return FALSE;
  return prediction != NULL;
}

/* Sums over one batch, by samples. Returns: samples; 0 with @error set. */
static guint
evaluate_batch (SondeTrainer *trainer, guint batch, double *loss, double *right, GError **error)
{
  g_autoptr (SondeTensor) labels = NULL;
  SondeTrainerInstance *instance = sonde_trainer_load_batch (
      trainer, SONDE_TRAINING_EVALUATION, trainer->progress.state.epoch, batch, &labels, error);
  double batch_loss, batch_accuracy;

  if (instance == NULL || !share_for_evaluation (trainer, instance, error)
      || sonde_execution_run (instance->execution, error) != SONDE_RUN_DONE
      || !sonde_trainer_read_scalar (instance, instance->training->loss, &batch_loss, error)
      || !sonde_trainer_read_accuracy (instance, labels, &batch_accuracy, error)
      || !feed_metrics (trainer, instance, labels, error))
    return 0;
  *loss += batch_loss * instance->batch;
  *right += batch_accuracy * instance->batch;
  return MAX (instance->batch, 1);
}

/* ---- early end ----------------------------------------------------------- */

gboolean
sonde_trainer_set_early_stop (SondeTrainer *trainer, const char *text, GError **error)
{
  static const SondeSettingRule rules[]
      = { { "patience", 3, 1, 1e9 }, { "least", 0, 0, 1e12 }, { NULL } };
  g_auto (SondeSettings) settings = { 0 };
  SondeEarlyStop *stop = &trainer->progress.early_stop;
  GString *names;

  if (!sonde_settings_parse (N_ ("early stop"), text, rules, &settings, error))
    return FALSE;
  *stop = (SondeEarlyStop){ TRUE, -1, settings.values[0], settings.values[1], NAN, 0 };
  if (g_str_equal (settings.name, "loss"))
    return TRUE;
  stop->watches = -2;
  if (g_str_equal (settings.name, "accuracy"))
    return TRUE;
  names = g_string_new ("loss, accuracy");
  for (guint i = 0; i < trainer->metrics->len; i++)
    {
      const char *name = sonde_metric_get_name (g_ptr_array_index (trainer->metrics, i));

      stop->watches = (int) i;
      if (g_str_equal (name, settings.name))
        {
          g_string_free (names, TRUE);
          return TRUE;
        }
      g_string_append_printf (names, ", %s", name);
    }
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "The training cannot stop early by “%s”, which is not computed; the available "
                   "metrics are: %s.",
                   settings.name, names->str);
  g_string_free (names, TRUE);
  return FALSE;
}

/* @value, turned so that larger is better. */
static double
goodness (const SondeTrainer *trainer)
{
  int watches = trainer->progress.early_stop.watches;
  double value = watches == -1   ? -trainer->progress.state.test_loss
                 : watches == -2 ? trainer->progress.state.test_accuracy
                                 : trainer->progress.state.metrics[watches];

  return watches >= 0
                 && sonde_metric_is_better (g_ptr_array_index (trainer->metrics, (guint) watches),
                                            0.0, 1.0)
             ? -value
             : value;
}

static void
look_for_early_end (SondeTrainer *trainer)
{
  SondeEarlyStop *stop = &trainer->progress.early_stop;
  double value;

  if (!stop->is_set)
    return;
  value = goodness (trainer);
  if (!isnan (value) && (isnan (stop->best) || value > stop->best + stop->least))
    {
      stop->best = value;
      stop->n_worse = 0;
    }
  else if (++stop->n_worse >= stop->patience)
    trainer->progress.state.stopped_early = TRUE;
}

/* ---- evaluation ---------------------------------------------------------- */

gboolean
sonde_trainer_evaluate (SondeTrainer *trainer, GError **error)
{
  guint n = trainer->source->n_test, most = n / MAX (trainer->options.batch, 1) + 1;
  double loss = 0.0, right = 0.0;

  trainer->progress.evaluated_at = trainer->progress.state.step;
  if (n == 0)
    return TRUE;
  for (guint i = 0; i < trainer->metrics->len; i++)
    sonde_metric_reset (g_ptr_array_index (trainer->metrics, i));
  for (guint batch = 0, done = 0; done < n && batch <= most; batch++)
    {
      guint samples = evaluate_batch (trainer, batch, &loss, &right, error);

      if (samples == 0)
        return FALSE;
      done += samples;
    }
  sonde_trainer_rest (trainer, NULL);
  trainer->progress.state.test_loss = loss / n;
  trainer->progress.state.test_accuracy = right / n;
  for (guint i = 0; i < trainer->metrics->len; i++)
    trainer->progress.state.metrics[i]
        = sonde_metric_get_value (g_ptr_array_index (trainer->metrics, i));
  sonde_schedule_observe (trainer->progress.schedule, trainer->progress.state.test_loss);
  look_for_early_end (trainer);
  if (trainer->listener != NULL && trainer->listener->evaluated != NULL)
    trainer->listener->evaluated (trainer->listener, trainer);
  return TRUE;
}

const char *
sonde_trainer_get_metric_name (SondeTrainer *trainer, guint index)
{
  return sonde_metric_get_name (g_ptr_array_index (trainer->metrics, index));
}

SondeTensor *
sonde_trainer_dup_confusion (SondeTrainer *trainer)
{
  SondeTensor *table = NULL;

  for (guint i = 0; i < trainer->metrics->len && table == NULL; i++)
    table = sonde_metric_dup_table (g_ptr_array_index (trainer->metrics, i));
  return table;
}
