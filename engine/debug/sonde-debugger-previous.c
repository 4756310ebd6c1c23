/* SPDX-License-Identifier: Apache-2.0
 * Copies of values at the end of a run, for the run after it. Two generations: at the end of a run its own values are
 * copied while those of the run before are still the previous ones. */
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
find_kept (SondeDebugger *debugger,
           const char    *name,
           guint         *index)
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
sonde_debugger_keep_previous (SondeDebugger *debugger,
                              const char    *name,
                              GError       **error)
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
                   "%u values of the step before are kept already; remove a condition with prev().", debugger->kept->len);
      return FALSE;
    }
  kept = g_new0 (Kept, 1);
  kept->name = g_strdup (name);
  kept->users = 1;
  g_ptr_array_add (debugger->kept, kept);
  return TRUE;
}

void
sonde_debugger_drop_previous (SondeDebugger *debugger,
                              const char    *name)
{
  guint index;
  Kept *kept = find_kept (debugger, name, &index);

  if (kept != NULL && --kept->users == 0)
    g_ptr_array_remove_index (debugger->kept, index);
}

gboolean
sonde_debugger_keep_references (SondeDebugger         *debugger,
                                const SondeExpression *expression,
                                GError               **error)
{
  for (guint k = 0; k < sonde_expression_get_n_references (expression); k++)
    {
      const SondeReference *reference = sonde_expression_get_reference (expression, k);

      if (!reference->previous || reference->glob || sonde_debugger_keep_previous (debugger, reference->name, error))
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
sonde_debugger_drop_references (SondeDebugger         *debugger,
                                const SondeExpression *expression)
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
}

void
sonde_debugger_take_previous (SondeDebugger *debugger)
{
  for (guint i = 0; debugger->kept != NULL && i < debugger->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (debugger->kept, i);

      sonde_tensor_unref (kept->previous);
      kept->previous = g_steal_pointer (&kept->fresh);
    }
}

void
sonde_debugger_copy_previous (SondeDebugger *debugger)
{
  for (guint i = 0; debugger->kept != NULL && i < debugger->kept->len; i++)
    {
      Kept *kept = g_ptr_array_index (debugger->kept, i);
      g_autofree char *slice = NULL;
      SondeExecution *execution;
      SondeGraphValue *value = sonde_debugger_find_value (debugger, kept->name, &execution, &slice, NULL);
      g_autoptr (SondeTensor) tensor = value != NULL ? sonde_execution_read (execution, value, NULL) : NULL;

      g_clear_pointer (&kept->fresh, sonde_tensor_unref);
      if (tensor != NULL) /* what was read may be the run's own memory */
        kept->fresh = sonde_tensor_copy (tensor);
    }
}

SondeTensor *
sonde_debugger_get_previous (SondeDebugger *debugger,
                             const char    *name,
                             GError       **error)
{
  Kept *kept = find_kept (debugger, name, NULL);

  if (kept != NULL && kept->previous != NULL)
    return sonde_tensor_ref (kept->previous);
  if (kept == NULL && !sonde_debugger_keep_previous (debugger, name, error))
    return NULL;
  g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
               kept == NULL ? "“prev(%s)” was not kept of the step before; it is from here on."
                            : "There is no step before of which “prev(%s)” was kept.",
               name);
  return NULL;
}
