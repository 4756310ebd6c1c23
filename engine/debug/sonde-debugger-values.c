/* SPDX-License-Identifier: Apache-2.0
 * Values by the names that a user gives them, and probes that wait for one. */
#include "engine/debug/sonde-debugger-private.h"

#include <string.h>

static SondeGraph *
executed_graph (SondeDebugger *debugger)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);

  return execution != NULL ? sonde_plan_get_graph (sonde_execution_get_plan (execution)) : NULL;
}

/* A value's name, or a node's, meaning its first output. */
static SondeGraphValue *
find_named (const SondeGraph *graph,
            const char       *name)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  const SondeNode *node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;

  return node != NULL ? sonde_node_get_output (node, 0) : value;
}

/* "x[0, :]" -> "x" and "0, :"; FALSE when @text does not end in brackets. */
static gboolean
split_slice (const char *text,
             char      **name,
             char      **slice)
{
  gsize length = strlen (text);
  const char *open = strrchr (text, '[');

  if (open == NULL || open == text || text[length - 1] != ']')
    return FALSE;
  *name = g_strchomp (g_strndup (text, (gsize) (open - text)));
  *slice = g_strndup (open + 1, (gsize) (text + length - 1 - (open + 1)));
  return TRUE;
}

static void
set_value_error (SondeDebugger *debugger,
                 SondeGraph    *graph,
                 const char    *name,
                 GError       **error)
{
  const char *nearest;

  if (debugger->original != NULL && find_named (debugger->original, name) != NULL)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "“%s” is in the model, but no executed node makes it: it was optimised away.", name);
      return;
    }
  nearest = sonde_nearest_in_graph (name, graph);
  if (nearest != NULL)
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no value “%s”; the nearest is “%s”.", name, nearest);
  else
    g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                 "There is no value “%s”; info values lists them.", name);
}

SondeGraphValue *
sonde_debugger_find_value (SondeDebugger *debugger,
                           const char    *text,
                           char         **slice,
                           GError       **error)
{
  g_autofree char *trimmed = g_strstrip (g_strdup (text));
  g_autofree char *name = NULL, *inside = NULL;
  SondeGraph *graph = executed_graph (debugger);
  SondeGraphValue *value;

  *slice = NULL;
  if (graph == NULL || *trimmed == '\0')
    {
      g_set_error (error, SONDE_ENGINE_ERROR,
                   graph == NULL ? SONDE_ENGINE_ERROR_STATE : SONDE_ENGINE_ERROR_NOT_FOUND, "%s",
                   graph == NULL ? "Nothing is open that has values." : "Name a value.");
      return NULL;
    }
  value = find_named (graph, trimmed); /* the whole text first: names may end in brackets */
  if (value != NULL)
    return value;
  if (!split_slice (trimmed, &name, &inside))
    name = g_strdup (trimmed);
  value = find_named (graph, name);
  if (value == NULL)
    set_value_error (debugger, graph, name, error);
  else
    *slice = g_steal_pointer (&inside);
  return value;
}

/* ---- probes --------------------------------------------------------------------------------- */

static void
probe_free (void *data)
{
  SondeProbe *probe = data;

  g_free (probe->value);
  g_free (probe);
}

/* Step that makes the probe's value in @plan, -1 when none does. */
static int
step_of_probe (const SondeProbe *probe,
               SondePlan        *plan)
{
  SondeGraphValue *value = sonde_graph_find_value (sonde_plan_get_graph (plan), probe->value);

  return value != NULL && value->producer != NULL ? sonde_plan_find_step (plan, value->producer) : -1;
}

gboolean
sonde_debugger_add_probe (SondeDebugger     *debugger,
                          SondeGraphValue   *value,
                          SondeProbeCallback callback,
                          gpointer           data,
                          GError           **error)
{
  SondeExecution *execution = sonde_debugger_get_execution (debugger);
  SondeProbe probe = { .value = value->name, .callback = callback, .data = data };

  if (execution == NULL || step_of_probe (&probe, sonde_execution_get_plan (execution)) < 0)
    {
      g_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "No step of the run makes “%s”.", value->name);
      return FALSE;
    }
  if (debugger->probes == NULL)
    debugger->probes = g_ptr_array_new_with_free_func (probe_free);
  probe.value = g_strdup (value->name);
  g_ptr_array_add (debugger->probes, g_memdup2 (&probe, sizeof probe));
  sonde_debugger_refresh (debugger);
  return TRUE;
}

void
sonde_debugger_remove_probes (SondeDebugger *debugger,
                              gpointer       data)
{
  gboolean removed = FALSE;

  for (guint i = debugger->probes != NULL ? debugger->probes->len : 0; i > 0; i--)
    if (((SondeProbe *) g_ptr_array_index (debugger->probes, i - 1))->data == data)
      {
        g_ptr_array_remove_index (debugger->probes, i - 1);
        removed = TRUE;
      }
  if (removed)
    sonde_debugger_refresh (debugger);
}

gboolean
sonde_debugger_wants_probe (SondeDebugger *debugger,
                            SondePlan     *plan,
                            guint          step)
{
  for (guint i = 0; debugger->probes != NULL && i < debugger->probes->len; i++)
    if (step_of_probe (g_ptr_array_index (debugger->probes, i), plan) == (int) step)
      return TRUE;
  return FALSE;
}

void
sonde_debugger_run_probes (SondeDebugger  *debugger,
                           SondeExecution *execution,
                           guint           step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (GPtrArray) due = NULL;

  for (guint i = debugger->probes != NULL ? debugger->probes->len : 0; i > 0; i--)
    if (step_of_probe (g_ptr_array_index (debugger->probes, i - 1), plan) == (int) step)
      {
        if (due == NULL)
          due = g_ptr_array_new_with_free_func (probe_free);
        g_ptr_array_add (due, g_ptr_array_steal_index (debugger->probes, i - 1));
      }
  if (due == NULL)
    return;
  for (guint i = due->len; i > 0; i--) /* in the order they were added */
    {
      SondeProbe *probe = g_ptr_array_index (due, i - 1);

      probe->callback (execution, sonde_graph_find_value (sonde_plan_get_graph (plan), probe->value), probe->data);
    }
  sonde_debugger_refresh (debugger);
}

void
sonde_debugger_give_up_probes (SondeDebugger *debugger)
{
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&debugger->probes);

  for (guint i = 0; waiting != NULL && i < waiting->len; i++)
    {
      SondeProbe *probe = g_ptr_array_index (waiting, i);

      probe->callback (NULL, NULL, probe->data);
    }
}
