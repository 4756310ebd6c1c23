/* SPDX-License-Identifier: Apache-2.0
 * What bodies carry and collect, told to who counts the memory of a run. */
#include "engine/plan/control/sonde-control.h"

#include "engine/plan/execution/sonde-execution-run.h"

void
sonde_control_count_carried (SondeControl *control, const SondeDeferredRun *run)
{
  for (guint k = 0; k < control->n_carried; k++)
    sonde_run_memory_take (run->memory, control->carried[k]);
}

void
sonde_control_count_stacks (SondeControl *control, const SondeDeferredRun *run)
{
  guint64 bytes = 0;

  if (run->memory == NULL)
    return;
  for (guint k = 0; k < control->n_stacks; k++)
    bytes += sonde_stack_get_bytes (control->stacks[k]);
  for (guint k = 0; control->gathered != NULL && k < control->gathered->len; k++)
    bytes += sonde_stack_get_bytes (g_ptr_array_index (control->gathered, k));
  sonde_run_memory_add (run->memory, (gint64) bytes - (gint64) control->counted);
  control->counted = bytes;
}

void
sonde_control_forget_memory (SondeControl *control, SondeExecution *execution)
{
  SondeRunMemory *memory = control->silent ? NULL : sonde_run_memory_get (execution);

  for (guint k = 0; k < control->n_carried; k++)
    sonde_run_memory_give_back (memory, control->carried[k]);
  sonde_run_memory_add (memory, -(gint64) control->counted);
  control->counted = 0;
}

/* ---- one run of a body ---------------------------------------------------------- */

/* Bytes of what is carried that is not what the node was given: what is there beyond that when the first body
 * began. */
static guint64
count_carried (SondeControl *control, const SondeDeferredRun *run)
{
  const guint64 now = run->memory->live - control->counted;

  if (sonde_run_notes_get_body (run->execution->notes, run->index)->n_runs == 0)
    control->live_before = now;
  return now > control->live_before ? now - control->live_before : 0;
}

void
sonde_control_begin_body (SondeControl *control, const SondeDeferredRun *run)
{
  if (run->memory == NULL)
    return;
  /* they would go in a moment, and are not to count for this run of the body */
  sonde_execution_drop_results (control->current);
  control->carried_before = count_carried (control, run);
  control->collected_before = control->counted;
  sonde_run_memory_begin_body (run->memory, control->current);
}

void
sonde_control_end_body (SondeControl *control, const SondeDeferredRun *run)
{
  SondeBodyNotes *notes;

  if (run->memory == NULL || !sonde_run_memory_end_body (run->memory, control->current, run->index))
    return;
  notes = sonde_run_notes_get_body (run->execution->notes, run->index);
  notes->carried = control->carried_before;
  notes->collected_before = control->collected_before;
}

void
sonde_control_begin_results (SondeControl *control, const SondeDeferredRun *run)
{
  if (run->memory == NULL)
    return;
  sonde_run_notes_get_body (run->execution->notes, run->index)->collected = control->counted;
  sonde_run_memory_mark (run->memory);
}
