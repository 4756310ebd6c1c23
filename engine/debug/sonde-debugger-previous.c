/* SPDX-License-Identifier: Apache-2.0
 * Copies of values at the end of a run, for the run after it. Two generations: at the end of a run
 * its own values are copied while those of the run before are still the previous ones. */
#include "engine/debug/sonde-debugger-private.h"
#include "engine/debug/sonde-debugger-source.h"

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
find_kept (SondeDebugger *debugger, const char *name, guint *index)
{
  for (guint i = 0; debugger->kept != NULL && i < debugger->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (debugger->kept, i);

      if (index != NULL)
        *index = i;
      if (g_str_equal (kept->name, name))
        return kept;
    }
  return NULL;
}

gboolean
sonde_debugger_reads_steps (const SondeDebugger *debugger)
{
  return debugger->history != NULL && debugger->history->read_before != NULL;
}

gboolean
sonde_debugger_keep_previous (SondeDebugger *debugger, const char *name, GError **error)
{
  Kept *kept = find_kept (debugger, name, NULL);
  g_autofree char *slice = NULL;
  SondeExecution *execution;

  if (kept != NULL)
    {
      kept->users++;
      return TRUE;
    }
  if (sonde_debugger_find_value (debugger, name, &execution, &slice, error) == NULL)
    return FALSE;
  if (debugger->kept == NULL)
    debugger->kept = g_ptr_array_new_with_free_func (kept_free);
  if (debugger->kept->len >= SONDE_DEBUGGER_MAX_KEPT)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_MEMORY,
                   "%u values of the step before are kept already; remove a condition with prev().",
                   debugger->kept->len);
      return FALSE;
    }
  kept = g_new0 (Kept, 1);
  kept->name = g_strdup (name);
  kept->users = 1;
  g_ptr_array_add (debugger->kept, kept);
  return TRUE;
}

void
sonde_debugger_drop_previous (SondeDebugger *debugger, const char *name)
{
  guint index;
  Kept *kept = find_kept (debugger, name, &index);

  if (kept != NULL && --kept->users == 0)
    g_ptr_array_remove_index (debugger->kept, index);
}

gboolean
sonde_debugger_keep_references (SondeDebugger *debugger, const SondeExpression *expression,
                                GError **error)
{
  for (guint k = 0; k < sonde_expression_get_n_references (expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (expression, k);

      if (!reference->previous || reference->glob
          || sonde_debugger_keep_previous (debugger, reference->name, error))
        continue;
      while (k-- > 0)
        {
          reference = sonde_expression_get_reference (expression, k);
          if (reference->previous && !reference->glob)
            sonde_debugger_drop_previous (debugger, reference->name);
        }
      return FALSE;
    }
  return TRUE;
}

void
sonde_debugger_drop_references (SondeDebugger *debugger, const SondeExpression *expression)
{
  for (guint k = 0; k < sonde_expression_get_n_references (expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (expression, k);

      if (reference->previous && !reference->glob)
        sonde_debugger_drop_previous (debugger, reference->name);
    }
}

void
sonde_debugger_forget_previous (SondeDebugger *debugger)
{
  for (guint i = 0; debugger->kept != NULL && i < debugger->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (debugger->kept, i);

      g_clear_pointer (&kept->fresh, sonde_tensor_unref);
      g_clear_pointer (&kept->previous, sonde_tensor_unref);
    }
  g_clear_pointer (&debugger->fresh_all, g_hash_table_unref);
  g_clear_pointer (&debugger->previous_all, g_hash_table_unref);
  debugger->fresh_step = debugger->previous_step = 0;
}

void
sonde_debugger_take_previous (SondeDebugger *debugger)
{
  debugger->stopped_in_run = FALSE;
  /* one more batch of the same step: that before it stays */
  if (debugger->fresh_step == debugger->step)
    return;
  for (guint i = 0; debugger->kept != NULL && i < debugger->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (debugger->kept, i);

      sonde_tensor_unref (kept->previous);
      kept->previous = g_steal_pointer (&kept->fresh);
    }
  g_clear_pointer (&debugger->previous_all, g_hash_table_unref);
  debugger->previous_all = g_steal_pointer (&debugger->fresh_all);
  debugger->previous_step = debugger->fresh_step;
}

/* ---- all values of a run that somebody looked into ----------------------- */

/* Somebody goes from step to step, or comes to the next one by name: then prev() of anything may be
 * asked for. A run that nobody stops costs nothing. */
static gboolean
is_looked_into (const SondeDebugger *debugger)
{
  if (debugger->stopped_in_run)
    return TRUE;
  if (!debugger->going)
    return FALSE;
  if (debugger->resume.kind == SONDE_RESUME_UNTIL)
    return debugger->until_step == debugger->step + 1;
  return debugger->resume.kind != SONDE_RESUME_CONTINUE;
}

/* It has a room of its own: nothing has to be computed to read it. */
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
copy_all (SondeDebugger *debugger, SondeExecution *execution)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  GPtrArray *values = sonde_plan_get_graph (plan)->values;
  gsize left = SONDE_DEBUGGER_KEPT_BYTES;

  debugger->fresh_all = g_hash_table_new_full (g_str_hash, g_str_equal, g_free,
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
      g_hash_table_insert (debugger->fresh_all, g_strdup (value->name), sonde_tensor_copy (tensor));
    }
}

void
sonde_debugger_copy_previous (SondeDebugger *debugger, SondeExecution *execution)
{
  if (sonde_debugger_reads_steps (debugger))
    return;
  debugger->fresh_step = debugger->step;
  g_clear_pointer (&debugger->fresh_all, g_hash_table_unref);
  if (is_looked_into (debugger))
    copy_all (debugger, execution);
  for (guint i = 0; debugger->kept != NULL && i < debugger->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (debugger->kept, i);
      g_autofree char *slice = NULL;
      SondeExecution *inside;
      SondeGraphValue *value
          = sonde_debugger_find_value (debugger, kept->name, &inside, &slice, NULL);
      g_autoptr (SondeTensor) tensor
          = value != NULL ? sonde_execution_read (inside, value, NULL) : NULL;

      g_clear_pointer (&kept->fresh, sonde_tensor_unref);
      if (tensor != NULL) /* what was read may be the run's own memory */
        kept->fresh = sonde_tensor_copy (tensor);
    }
}

/* @name may be that of a node. */
static SondeTensor *
find_in_all (SondeDebugger *debugger, const char *name)
{
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  SondeGraphValue *value = sonde_debugger_find_value (debugger, name, &execution, &slice, NULL);

  if (debugger->previous_all == NULL || value == NULL
      || execution != sonde_debugger_get_execution (debugger))
    return NULL;
  return g_hash_table_lookup (debugger->previous_all, value->name);
}

SondeTensor *
sonde_debugger_get_previous (SondeDebugger *debugger, const char *name, GError **error)
{
  Kept *kept = find_kept (debugger, name, NULL);
  gboolean is_earlier = debugger->previous_step > 0 && debugger->previous_step < debugger->step;
  SondeTensor *found = kept != NULL ? kept->previous : NULL;

  if (sonde_debugger_reads_steps (debugger))
    {
      SondeStop stop;

      sonde_debugger_get_stop (debugger, &stop);
      return debugger->history->read_before (debugger->history_data, stop.step, name, error);
    }
  if (found == NULL)
    found = find_in_all (debugger, name);
  if (found != NULL && is_earlier) /* after a step back it may be of a later one */
    return sonde_tensor_ref (found);
  if (kept == NULL && !sonde_debugger_keep_previous (debugger, name, error))
    return NULL;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
               "“prev(%s)” was not kept of the step before; it is from this step on, so that the "
               "next one knows it.",
               name);
  return NULL;
}
