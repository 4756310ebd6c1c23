/* SPDX-License-Identifier: Apache-2.0
 * Readers that wait for a value. */
#include "engine/debug/sonde-probes.h"

/* @value: its name; owned */
typedef struct
{
  char *value;
  SondeProbeCallback callback;
  gpointer data;
} SondeProbe;

static void
probe_free (void *data)
{
  SondeProbe *probe = data;

  g_free (probe->value);
  g_free (probe);
}

/* Step that makes the probe's value in @plan, -1 when none does. */
static int
step_of_probe (const SondeProbe *probe, SondePlan *plan)
{
  SondeGraphValue *value = sonde_graph_find_value (sonde_plan_get_graph (plan), probe->value);

  return value != NULL && value->producer != NULL ? sonde_plan_find_step (plan, value->producer)
                                                  : -1;
}

gboolean
sonde_probes_add (SondeProbes *probes, SondeGraphValue *value, SondeProbeCallback callback,
                  gpointer data, GError **error)
{
  SondeExecution *execution = sonde_debuggee_get_execution (probes->debuggee);
  SondeProbe probe = { .value = value->name, .callback = callback, .data = data };

  if (execution == NULL || step_of_probe (&probe, sonde_execution_get_plan (execution)) < 0)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "No step of the run makes “%s”.", value->name);
      return FALSE;
    }
  if (probes->list == NULL)
    probes->list = g_ptr_array_new_with_free_func (probe_free);
  probe.value = g_strdup (value->name);
  g_ptr_array_add (probes->list, g_memdup2 (&probe, sizeof probe));
  sonde_debuggee_refresh (probes->debuggee);
  return TRUE;
}

void
sonde_probes_remove (SondeProbes *probes, gpointer data)
{
  gboolean removed = FALSE;

  for (guint i = probes->list != NULL ? probes->list->len : 0; i > 0; i--)
    if (((SondeProbe *) g_ptr_array_index (probes->list, i - 1))->data == data)
      {
        g_ptr_array_remove_index (probes->list, i - 1);
        removed = TRUE;
      }
  if (removed)
    sonde_debuggee_refresh (probes->debuggee);
}

gboolean
sonde_probes_want (const SondeProbes *probes, SondePlan *plan, guint step)
{
  for (guint i = 0; probes->list != NULL && i < probes->list->len; i++)
    if (step_of_probe (g_ptr_array_index (probes->list, i), plan) == (int) step)
      return TRUE;
  return FALSE;
}

void
sonde_probes_run (SondeProbes *probes, SondeExecution *execution, guint step)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  g_autoptr (GPtrArray) due = NULL;

  for (guint i = probes->list != NULL ? probes->list->len : 0; i > 0; i--)
    if (step_of_probe (g_ptr_array_index (probes->list, i - 1), plan) == (int) step)
      {
        if (due == NULL)
          due = g_ptr_array_new_with_free_func (probe_free);
        g_ptr_array_add (due, g_ptr_array_steal_index (probes->list, i - 1));
      }
  if (due == NULL)
    return;
  for (guint i = due->len; i > 0; i--) /* in the order they were added */
    {
      SondeProbe *probe = g_ptr_array_index (due, i - 1);

      probe->callback (execution,
                       sonde_graph_find_value (sonde_plan_get_graph (plan), probe->value),
                       probe->data);
    }
  sonde_debuggee_refresh (probes->debuggee);
}

void
sonde_probes_give_up (SondeProbes *probes)
{
  g_autoptr (GPtrArray) waiting = g_steal_pointer (&probes->list);

  for (guint i = 0; waiting != NULL && i < waiting->len; i++)
    {
      SondeProbe *probe = g_ptr_array_index (waiting, i);

      probe->callback (NULL, NULL, probe->data);
    }
}

void
sonde_probes_clear (SondeProbes *probes)
{
  g_clear_pointer (&probes->list, g_ptr_array_unref);
}
