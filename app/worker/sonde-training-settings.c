/* SPDX-License-Identifier: Apache-2.0
 * A recipe's keys as the trainer's options. */
#include "app/worker/sonde-training-settings.h"

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "engine/nn/sonde-clip.h"
#include "engine/nn/sonde-loss.h"
#include "engine/nn/sonde-metric.h"
#include "engine/nn/sonde-optimiser.h"
#include "engine/nn/sonde-parameter-group.h"
#include "engine/nn/sonde-schedule.h"

/* What stays as it is goes before the groups: of several that match, the first counts. (transfer
 * full) (nullable) */
static char *
dup_groups (const SondeRecipe *recipe)
{
  GString *text = g_string_new (NULL);

  for (gsize i = 0; recipe->train_freeze[i] != NULL; i++)
    g_string_append_printf (text, "%s%s frozen", text->len > 0 ? "; " : "",
                            recipe->train_freeze[i]);
  if (recipe->train_groups != NULL)
    g_string_append_printf (text, "%s%s", text->len > 0 ? "; " : "", recipe->train_groups);
  return g_string_free (text, text->len == 0);
}

/* (transfer full) (nullable): there are none, or @error is set */
static SondeTensor *
load_class_weights (const SondeRecipe *recipe, GError **error)
{
  char **list = recipe->train_class_weights;
  const SondeShape shape = { 1, { g_strv_length (list) } };
  g_autoptr (SondeTensor) read = NULL;
  SondeTensor *weights;

  if (list[0] == NULL)
    return NULL;
  if (g_str_has_suffix (list[0], ".npy"))
    {
      read = sonde_npy_read (NULL, list[0], error);
      if (read == NULL || read->dtype == SONDE_DTYPE_STRING || read->shape.rank != 1)
        {
          if (read != NULL)
            sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                             "“%s” does not contain a list of numbers.", list[0]);
          return sonde_prefix_error (error, "train.class-weights: "), NULL;
        }
      return sonde_tensor_cast (read, SONDE_DTYPE_F32);
    }
  weights = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; list[i] != NULL; i++)
    sonde_tensor_set_double (weights, i, g_ascii_strtod (list[i], NULL));
  return weights;
}

/* Those of the recipe, and the one that checkpoint.best and train.early-stop look at. (transfer
 * full) */
static char **
dup_metrics (const SondeRecipe *recipe)
{
  g_autoptr (GStrvBuilder) list = g_strv_builder_new ();
  const char *best = recipe->checkpoint_best;

  g_strv_builder_addv (list, (const char **) recipe->train_metrics);
  if (best != NULL && !g_str_equal (best, "loss") && !g_str_equal (best, "accuracy")
      && !g_strv_contains ((const char *const *) recipe->train_metrics, best))
    g_strv_builder_add (list, best);
  return g_strv_builder_end (list);
}

static SondeNanPolicy
find_policy (const SondeRecipe *recipe)
{
  return g_str_equal (recipe->train_on_nan, "warn")        ? SONDE_NAN_WARN
         : g_str_equal (recipe->train_on_nan, "roll-back") ? SONDE_NAN_ROLL_BACK
                                                           : SONDE_NAN_STOP;
}

/* The recipe's names are the usual ones. */
static SondeDtype
find_precision (const char *name)
{
  return g_str_equal (name, "bf16")  ? SONDE_DTYPE_BF16
         : g_str_equal (name, "f16") ? SONDE_DTYPE_F16
                                     : SONDE_DTYPE_F32;
}

gboolean
sonde_training_settings_init (SondeTrainingSettings *settings, const SondeRecipe *recipe,
                              GError **error)
{
  SondeTrainerOptions *trainer = &settings->trainer;
  GError *reason = NULL;

  settings->groups = dup_groups (recipe);
  settings->metrics = dup_metrics (recipe);
  settings->class_weights = load_class_weights (recipe, &reason);
  trainer->loss = recipe->train_loss;
  trainer->class_weights = settings->class_weights;
  trainer->optimiser = recipe->train_optimiser;
  trainer->learning_rate = recipe->train_learning_rate;
  trainer->momentum = recipe->train_momentum;
  trainer->weight_decay = recipe->train_weight_decay;
  trainer->groups = settings->groups;
  trainer->clip = recipe->train_clip;
  trainer->schedule = recipe->train_schedule;
  trainer->epochs = recipe->train_epochs;
  trainer->steps = recipe->train_steps;
  trainer->accumulate = recipe->train_accumulate;
  trainer->average = recipe->train_average;
  trainer->metrics = (const char *const *) settings->metrics;
  trainer->early_stop = recipe->train_early_stop;
  trainer->on_nan = find_policy (recipe);
  trainer->sink = recipe->train_sink;
  trainer->seed = recipe->train_seed;
  trainer->precision = find_precision (recipe->train_precision);
  trainer->memory_budget = recipe->train_memory;
  trainer->threads = (int) recipe->train_threads;
  if (reason != NULL)
    g_propagate_error (error, reason);
  return reason == NULL;
}

void
sonde_training_settings_clear (SondeTrainingSettings *settings)
{
  g_clear_pointer (&settings->groups, g_free);
  g_clear_pointer (&settings->metrics, g_strfreev);
  g_clear_pointer (&settings->class_weights, sonde_tensor_unref);
}

static gboolean
check_metrics (const SondeRecipe *recipe, GError **error)
{
  g_auto (GStrv) metrics = dup_metrics (recipe);

  for (gsize i = 0; metrics[i] != NULL; i++)
    {
      g_autoptr (SondeMetric) metric = sonde_metric_new (metrics[i], TRUE, error);

      if (metric == NULL)
        return sonde_prefix_error (
                   error,
                   "%s: ", recipe->train_metrics[0] != NULL ? "train.metrics" : "checkpoint.best"),
               FALSE;
    }
  return TRUE;
}

/* The recipe knows names, only the engine knows their settings; asked before anything is
 * written. */
gboolean
sonde_training_settings_check (const SondeRecipe *recipe, GError **error)
{
  g_autoptr (SondeOptimiser) optimiser = NULL;
  g_autoptr (SondeSchedule) schedule = NULL;
  g_autoptr (SondeLoss) loss = NULL;
  g_autoptr (GArray) groups = NULL;
  g_autofree char *text = dup_groups (recipe);
  SondeClip clip;

  if (!g_str_has_prefix (recipe->train_loss, "output:"))
    {
      loss = sonde_loss_new (recipe->train_loss, NULL, error);
      if (loss == NULL)
        return sonde_prefix_error (error, "train.loss: "), FALSE;
    }
  optimiser = sonde_optimiser_new (recipe->train_optimiser, recipe->train_momentum,
                                   recipe->train_weight_decay, error);
  if (optimiser == NULL)
    return sonde_prefix_error (error, "train.optimiser: "), FALSE;
  schedule = sonde_schedule_new (recipe->train_schedule, error);
  if (schedule == NULL)
    return sonde_prefix_error (error, "train.schedule: "), FALSE;
  if (!sonde_clip_parse (recipe->train_clip, &clip, error))
    return sonde_prefix_error (error, "train.clip: "), FALSE;
  groups = text != NULL ? sonde_parameter_groups_parse (text, error) : NULL;
  if (text != NULL && groups == NULL)
    return sonde_prefix_error (error, "train.groups: "), FALSE;
  return check_metrics (recipe, error);
}
