/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/plan/sonde-run-notes.h"

#include "engine/plan/execution/sonde-execution-inner.h"
#include "engine/plan/execution/sonde-run-memory.h"
#include "engine/plan/execution/sonde-step-runner.h"

#include <string.h>

SondeRunNotes *
sonde_run_notes_new (SondePlan *plan)
{
  SondeRunNotes *notes = g_new0 (SondeRunNotes, 1);

  notes->plan = sonde_plan_ref (plan);
  notes->slot_bytes = g_new0 (guint64, plan->slots->len + 1);
  notes->held_bytes = g_new0 (guint64, plan->slots->len + 1);
  notes->left_bytes = g_new0 (guint64, plan->slots->len + 1);
  notes->step_bytes = g_new0 (guint64, plan->steps->len + 1);
  notes->bodies = g_new0 (SondeBodyNotes *, plan->steps->len + 1);
  return notes;
}

void
sonde_run_notes_free (SondeRunNotes *notes)
{
  if (notes == NULL)
    return;
  for (guint k = 0; k < notes->plan->steps->len; k++)
    if (notes->bodies[k] != NULL)
      {
        sonde_run_notes_free (notes->bodies[k]->run);
        g_free (notes->bodies[k]);
      }
  g_free (notes->bodies);
  g_free (notes->slot_bytes);
  g_free (notes->held_bytes);
  g_free (notes->left_bytes);
  g_free (notes->step_bytes);
  sonde_plan_unref (notes->plan);
  g_free (notes);
}

/* Notes of bodies are written over. */
static void
reset_body (SondeBodyNotes *body)
{
  SondeRunNotes *run = body->run;

  *body = (SondeBodyNotes){ .run = run };
}

void
sonde_run_notes_reset (SondeRunNotes *notes)
{
  notes->most = 0;
  memset (notes->slot_bytes, 0, notes->plan->slots->len * sizeof *notes->slot_bytes);
  memset (notes->held_bytes, 0, notes->plan->slots->len * sizeof *notes->held_bytes);
  memset (notes->left_bytes, 0, notes->plan->slots->len * sizeof *notes->left_bytes);
  memset (notes->step_bytes, 0, notes->plan->steps->len * sizeof *notes->step_bytes);
  for (guint k = 0; k < notes->plan->steps->len; k++)
    if (notes->bodies[k] != NULL)
      reset_body (notes->bodies[k]);
}

SondeBodyNotes *
sonde_run_notes_get_body (SondeRunNotes *notes, guint step)
{
  if (notes->bodies[step] == NULL)
    notes->bodies[step] = g_new0 (SondeBodyNotes, 1);
  return notes->bodies[step];
}

/* ---- of executions ------------------------------------------------------------ */

const SondeRunNotes *
sonde_execution_get_run_notes (SondeExecution *execution)
{
  return execution->run_memory != NULL ? execution->run_memory->best : NULL;
}

void
sonde_execution_foreach_body (SondeExecution *execution,
                              void (*visit) (SondeExecution *body, gpointer data), gpointer data)
{
  sonde_execution_foreach_inner (execution, visit, data);
}

guint64
sonde_execution_get_kept_bytes (SondeExecution *execution)
{
  guint64 bytes = execution->scratch_bytes;

  for (guint k = 0; execution->step_state != NULL && k < execution->plan->steps->len; k++)
    {
      const SondeStepRunner *runner = sonde_plan_step (execution->plan, k)->runner;

      if (execution->step_state[k] != NULL && runner->count_kept != NULL)
        bytes += runner->count_kept (execution, execution->step_state[k]);
    }
  return bytes;
}
