/* SPDX-License-Identifier: Apache-2.0
 * A training whose model is changed on the way: planned anew, with the parameters and states that
 * it has. */
#include "engine/nn/sonde-trainer-private.h"

/* What a training runs, to be put back when the changed model turns out not to fit. */
typedef struct
{
  SondeGraph *model;
  GPtrArray *instances;
  SondeTrainerInstance *current, *stepped;
} Running;

/* (element-type utf8 SondeTensor) (transfer full) */
static GHashTable *
read_all (SondeTrainer *trainer, GError **error)
{
  g_autoptr (GHashTable) tensors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                                          (GDestroyNotify) sonde_tensor_unref);
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, TRUE);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      SondeTensor *tensor = sonde_trainer_read_parameter (trainer, names[i], error);

      if (tensor == NULL)
        return NULL;
      g_hash_table_insert (tensors, g_strdup (names[i]), tensor);
    }
  return g_steal_pointer (&tensors);
}

/* What the changed model has no longer is left out; what is new in it begins as it says. */
static gboolean
write_all (SondeTrainer *trainer, GHashTable *tensors, GError **error)
{
  g_auto (GStrv) names = sonde_trainer_list_parameters (trainer, TRUE);

  for (gsize i = 0; names[i] != NULL; i++)
    {
      SondeTensor *tensor = g_hash_table_lookup (tensors, names[i]);

      if (tensor != NULL && !sonde_trainer_write_parameter (trainer, names[i], tensor, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
plan_anew (SondeTrainer *trainer, GHashTable *tensors, GError **error)
{
  if (!sonde_trainer_plan_all (trainer, error))
    return FALSE;
  trainer->current
      = sonde_trainer_find_instance (trainer, trainer->options.batch, SONDE_TRAINING_STEP, error);
  trainer->stepped = trainer->current;
  return trainer->current != NULL && write_all (trainer, tensors, error);
}

/* ---- models that were before --------------------------------------------- */

/* Who watches, watches what trains now. */
static void
watch_instances (SondeTrainer *trainer, const GPtrArray *instances, gboolean watch)
{
  for (guint i = 0; i < instances->len; i++)
    {
      const SondeTrainerInstance *instance = g_ptr_array_index (instances, i);

      for (guint k = 0;
           instance->execution != NULL && instance->training->kind != SONDE_TRAINING_EVALUATION
           && k < trainer->observers->len;
           k++)
        {
          sonde_execution_remove_observer (instance->execution,
                                           g_ptr_array_index (trainer->observers, k));
          if (watch)
            sonde_execution_add_observer (instance->execution,
                                          g_ptr_array_index (trainer->observers, k));
        }
    }
}

/* The old ones stay: who debugs compares with them, and goes back to them. Takes @instances. */
static void
retire (SondeTrainer *trainer, GPtrArray *instances)
{
  if (trainer->retired == NULL)
    trainer->retired = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  watch_instances (trainer, instances, FALSE);
  g_ptr_array_add (trainer->retired, instances);
}

void
sonde_trainer_use_model (SondeTrainer *trainer, SondeGraph *model, GPtrArray *instances)
{
  guint index;

  if (instances == trainer->instances)
    return;
  g_ptr_array_ref (instances);
  if (trainer->retired != NULL && g_ptr_array_find (trainer->retired, instances, &index))
    g_ptr_array_remove_index (trainer->retired, index);
  retire (trainer, trainer->instances);
  trainer->instances = instances;
  sonde_graph_ref (model);
  sonde_graph_unref (trainer->model);
  trainer->model = model;
  watch_instances (trainer, instances, TRUE);
  g_clear_pointer (&trainer->labels, sonde_tensor_unref);
}

gboolean
sonde_trainer_set_model (SondeTrainer *trainer, SondeGraph *model, GError **error)
{
  Running old = { trainer->model, trainer->instances, trainer->current, trainer->stepped };
  g_autoptr (GHashTable) tensors = NULL;

  if (trainer->in_step && trainer->n_done > 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "Batches of this step have already been accumulated; change the model "
                       "before the first batch of a step is done.");
      return FALSE;
    }
  tensors = read_all (trainer, error);
  if (tensors == NULL)
    return FALSE;
  trainer->model = sonde_graph_ref (model);
  trainer->instances = g_ptr_array_new_with_free_func (sonde_trainer_instance_free);
  if (!plan_anew (trainer, tensors, error))
    {
      g_ptr_array_unref (trainer->instances);
      sonde_graph_unref (trainer->model);
      trainer->model = old.model;
      trainer->instances = old.instances;
      trainer->current = old.current;
      trainer->stepped = old.stepped;
      return FALSE;
    }
  retire (trainer, old.instances);
  sonde_graph_unref (old.model);
  g_clear_pointer (&trainer->labels, sonde_tensor_unref);
  trainer->in_step = trainer->in_batch = FALSE;
  trainer->interruptible = trainer->current->execution;
  return TRUE;
}
