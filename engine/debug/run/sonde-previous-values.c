/* SPDX-License-Identifier: Apache-2.0
 * Values of the step before. */
#include "engine/debug/run/sonde-previous-values.h"

typedef struct
{
  char *name;
  guint users;
  SondeTensor *fresh;    /* (nullable): of the run that ended last */
  SondeTensor *previous; /* (nullable): of the run before the present one */
} Kept;

static void
kept_free (void *data)
{
  Kept *kept = data;

  g_free (kept->name);
  sonde_tensor_unref (kept->fresh);
  sonde_tensor_unref (kept->previous);
  g_free (kept);
}

static Kept *
find_kept (SondePreviousValues *previous, const char *name, guint *index)
{
  for (guint i = 0; previous->kept != NULL && i < previous->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (previous->kept, i);

      if (index != NULL)
        *index = i;
      if (g_str_equal (kept->name, name))
        return kept;
    }
  return NULL;
}

gboolean
sonde_previous_values_keep (SondePreviousValues *previous, const char *name, GError **error)
{
  Kept *kept = find_kept (previous, name, NULL);
  g_autofree char *slice = NULL;
  SondeExecution *execution;

  if (kept != NULL)
    {
      kept->users++;
      return TRUE;
    }
  if (sonde_value_lookup_find (previous->lookup, name, &execution, &slice, error) == NULL)
    return FALSE;
  if (previous->kept == NULL)
    previous->kept = g_ptr_array_new_with_free_func (kept_free);
  if (previous->kept->len >= SONDE_DEBUGGER_MAX_KEPT)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
          "%u values of the step before are kept already; remove a condition with prev().",
          previous->kept->len);
      return FALSE;
    }
  kept = g_new0 (Kept, 1);
  kept->name = g_strdup (name);
  kept->users = 1;
  g_ptr_array_add (previous->kept, kept);
  return TRUE;
}

void
sonde_previous_values_drop (SondePreviousValues *previous, const char *name)
{
  guint index;
  Kept *kept = find_kept (previous, name, &index);

  if (kept != NULL && --kept->users == 0)
    g_ptr_array_remove_index (previous->kept, index);
}

gboolean
sonde_previous_values_keep_references (SondePreviousValues *previous,
                                       const SondeExpression *expression, GError **error)
{
  for (guint k = 0; k < sonde_expression_get_n_references (expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (expression, k);

      if (!reference->previous || reference->glob
          || sonde_previous_values_keep (previous, reference->name, error))
        continue;
      while (k-- > 0)
        {
          reference = sonde_expression_get_reference (expression, k);
          if (reference->previous && !reference->glob)
            sonde_previous_values_drop (previous, reference->name);
        }
      return FALSE;
    }
  return TRUE;
}

void
sonde_previous_values_drop_references (SondePreviousValues *previous,
                                       const SondeExpression *expression)
{
  for (guint k = 0; k < sonde_expression_get_n_references (expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (expression, k);

      if (reference->previous && !reference->glob)
        sonde_previous_values_drop (previous, reference->name);
    }
}

void
sonde_previous_values_forget (SondePreviousValues *previous)
{
  for (guint i = 0; previous->kept != NULL && i < previous->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (previous->kept, i);

      g_clear_pointer (&kept->fresh, sonde_tensor_unref);
      g_clear_pointer (&kept->previous, sonde_tensor_unref);
    }
  g_clear_pointer (&previous->fresh_all, g_hash_table_unref);
  g_clear_pointer (&previous->previous_all, g_hash_table_unref);
  previous->fresh_step = previous->previous_step = 0;
}

void
sonde_previous_values_begin_run (SondePreviousValues *previous)
{
  /* one more batch of the same step: that before it stays */
  if (previous->fresh_step == previous->debuggee->step)
    return;
  for (guint i = 0; previous->kept != NULL && i < previous->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (previous->kept, i);

      sonde_tensor_unref (kept->previous);
      kept->previous = g_steal_pointer (&kept->fresh);
    }
  g_clear_pointer (&previous->previous_all, g_hash_table_unref);
  previous->previous_all = g_steal_pointer (&previous->fresh_all);
  previous->previous_step = previous->fresh_step;
}

/* ---- all values of a run that somebody looked into ----------------------- */

/* It has memory of its own: nothing has to be computed to read it. */
static gboolean
lies_apart (SondePlan *plan, const SondeGraphValue *value)
{
  int k = value->producer != NULL ? sonde_plan_find_step (plan, value->producer) : -1;
  const SondeStep *step = k >= 0 ? sonde_plan_get_step (plan, (guint) k) : NULL;

  if (value->producer == NULL)
    return value->role != SONDE_ROLE_CONSTANT;
  for (guint i = 0; step != NULL && i < step->n_outputs; i++)
    if (step->outputs[i] == value)
      return TRUE;
  return FALSE;
}

static void
copy_all (SondePreviousValues *previous, SondeExecution *execution)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  GPtrArray *values = sonde_plan_get_graph (plan)->values;
  gsize left = SONDE_DEBUGGER_KEPT_BYTES;

  previous->fresh_all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
                                               (GDestroyNotify) sonde_tensor_unref);
  for (guint i = 0; i < values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (values, i);
      g_autoptr (SondeTensor) tensor = NULL;

      if (value == NULL || value->type.dtype == SONDE_DTYPE_STRING || !lies_apart (plan, value))
        continue;
      tensor = sonde_execution_read (execution, value, NULL);
      if (tensor == NULL || sonde_tensor_n_bytes (tensor) > left)
        continue;
      left -= sonde_tensor_n_bytes (tensor);
      g_hash_table_insert (previous->fresh_all, g_strdup (value->name), sonde_tensor_copy (tensor));
    }
}

void
sonde_previous_values_end_run (SondePreviousValues *previous, SondeExecution *execution,
                               gboolean all)
{
  if (sonde_debuggee_reads_steps (previous->debuggee))
    return;
  previous->fresh_step = previous->debuggee->step;
  g_clear_pointer (&previous->fresh_all, g_hash_table_unref);
  if (all)
    copy_all (previous, execution);
  for (guint i = 0; previous->kept != NULL && i < previous->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (previous->kept, i);
      g_autofree char *slice = NULL;
      SondeExecution *inside;
      SondeGraphValue *value
          = sonde_value_lookup_find (previous->lookup, kept->name, &inside, &slice, NULL);
      g_autoptr (SondeTensor) tensor
          = value != NULL ? sonde_execution_read (inside, value, NULL) : NULL;

      g_clear_pointer (&kept->fresh, sonde_tensor_unref);
      if (tensor != NULL) /* what was read may be the run's own memory */
        kept->fresh = sonde_tensor_copy (tensor);
    }
}

/* @name may be that of a node. */
static SondeTensor *
find_in_all (SondePreviousValues *previous, const char *name)
{
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  SondeGraphValue *value
      = sonde_value_lookup_find (previous->lookup, name, &execution, &slice, NULL);

  if (previous->previous_all == NULL || value == NULL
      || execution != sonde_debuggee_get_execution (previous->debuggee))
    return NULL;
  return g_hash_table_lookup (previous->previous_all, value->name);
}

SondeTensor *
sonde_previous_values_get (SondePreviousValues *previous, const char *name, GError **error)
{
  Kept *kept = find_kept (previous, name, NULL);
  gboolean is_earlier
      = previous->previous_step > 0 && previous->previous_step < previous->debuggee->step;
  SondeTensor *found = kept != NULL ? kept->previous : NULL;

  if (sonde_debuggee_reads_steps (previous->debuggee))
    return previous->debuggee->history->read_before (
        previous->debuggee->history_data,
        sonde_stop_record_get_step (previous->lookup->record, previous->debuggee), name, error);
  if (found == NULL)
    found = find_in_all (previous, name);
  if (found != NULL && is_earlier) /* after a step back it may be of a later one */
    return sonde_tensor_ref (found);
  if (kept == NULL && !sonde_previous_values_keep (previous, name, error))
    return NULL;
  sonde_set_error (
      error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
      "“prev(%s)” was not kept of the step before; it is from this step on, so that the "
      "next one knows it.",
      name);
  return NULL;
}

void
sonde_previous_values_clear (SondePreviousValues *previous)
{
  sonde_previous_values_forget (previous);
  g_clear_pointer (&previous->kept, g_ptr_array_unref);
}
