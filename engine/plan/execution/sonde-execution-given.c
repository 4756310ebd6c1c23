/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/plan/execution/sonde-execution-given.h"

gboolean
sonde_execution_give (SondeExecution *execution, guint step)
{
  const SondeGivenSteps *given = execution->given;
  const SondePlanStep *planned = sonde_plan_step (execution->plan, step);

  if (!given->of_step[step])
    return FALSE;
  for (guint i = 0; i < given->kept->len; i++)
    {
      const SondeGivenResult *kept = &g_array_index (given->kept, SondeGivenResult, i);

      for (guint k = 0; k < planned->n_output_slots && kept->box != NULL; k++)
        if (planned->output_slots[k] == kept->slot)
          {
            sonde_value_unref (execution->storage.boxes[kept->slot]);
            execution->storage.boxes[kept->slot] = sonde_value_ref (kept->box);
          }
    }
  return TRUE;
}
