/* SPDX-License-Identifier: Apache-2.0
 * Where a run stands. */
#include "engine/debug/run/sonde-stop-record.h"

#include "engine/debug/run/sonde-step-scope.h"

static void
name_stop (SondeStopRecord *record, const char *node, const char *op, const char *scope)
{
  g_free (record->node);
  g_free (record->op);
  g_free (record->scope);
  record->node = g_strdup (node);
  record->op = g_strdup (op);
  record->scope = g_strdup (scope);
}

void
sonde_stop_record_init (SondeStopRecord *record)
{
  *record = (SondeStopRecord){ .evaluated = SONDE_NO_POSITION };
  record->hits = g_array_new (FALSE, FALSE, sizeof (guint));
  record->iterations = g_array_new (FALSE, FALSE, sizeof (guint64));
}

void
sonde_stop_record_clear (SondeStopRecord *record)
{
  g_clear_pointer (&record->hits, g_array_unref);
  g_clear_pointer (&record->iterations, g_array_unref);
  g_clear_pointer (&record->entered, g_free);
  g_clear_pointer (&record->condition_error, sonde_message_free);
  name_stop (record, NULL, NULL, NULL);
}

gboolean
sonde_stop_record_has_stopped (const SondeStopRecord *record)
{
  return record->stop.reason != SONDE_STOP_NONE;
}

void
sonde_stop_record_set (SondeStopRecord *record, SondeExecution *execution, guint step,
                       SondeMoment moment, const SondeNode *node, SondeStopReason reason,
                       guint64 number)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  const SondeStep *info = sonde_plan_get_step (plan, step);
  SondeStop *stop = &record->stop;

  stop->reason = reason;
  stop->position = moment == SONDE_MOMENT_AFTER ? step + 1 : step;
  stop->n_steps = sonde_plan_get_n_steps (plan);
  stop->moment = moment;
  stop->phase = info->phase;
  stop->step = number;
  if (node != NULL)
    name_stop (record, node->name, node->op, node->scope);
  else
    name_stop (record, info->name, info->op, sonde_step_scope (info));
  sonde_stop_record_set_evaluated (record, execution, stop->position);
  record->stopped_in_run = TRUE;
  sonde_stop_record_leave (record);
}

void
sonde_stop_record_enter_group (SondeStopRecord *record, guint n)
{
  record->in_group = TRUE;
  record->group_node = n;
}

void
sonde_stop_record_forget (SondeStopRecord *record)
{
  record->stop.reason = SONDE_STOP_NONE;
  g_array_set_size (record->hits, 0);
}

void
sonde_stop_record_leave (SondeStopRecord *record)
{
  record->in_group = FALSE;
  record->selected = 0;
  g_clear_pointer (&record->entered, g_free);
}

void
sonde_stop_record_set_evaluated (SondeStopRecord *record, const SondeExecution *execution,
                                 guint position)
{
  record->evaluated = position;
  record->evaluated_in = execution;
  record->evaluated_pass = execution != NULL ? sonde_execution_get_pass (execution) : 0;
}

gboolean
sonde_stop_record_is_evaluated (const SondeStopRecord *record, const SondeExecution *execution,
                                guint position)
{
  return record->evaluated == position && record->evaluated_in == execution
         && record->evaluated_pass == sonde_execution_get_pass (execution);
}

/* A place that was not stopped at: from the execution's position. */
static void
describe_position (const SondeDebuggee *debuggee, SondeStop *stop)
{
  SondeExecution *execution = sonde_debuggee_get_execution (debuggee);
  SondePlan *plan = execution != NULL ? sonde_execution_get_plan (execution) : NULL;
  const SondeStep *info;
  gboolean after_last;

  stop->node = stop->op = (char *) "";
  if (plan == NULL || sonde_plan_get_n_steps (plan) == 0)
    return;
  stop->n_steps = sonde_plan_get_n_steps (plan);
  stop->position
      = debuggee->began ? MIN (sonde_execution_get_position (execution), stop->n_steps) : 0;
  after_last = stop->position == stop->n_steps;
  info = sonde_plan_get_step (plan, after_last ? stop->n_steps - 1 : stop->position);
  stop->moment = after_last ? SONDE_MOMENT_AFTER : SONDE_MOMENT_BEFORE;
  stop->node = (char *) info->name;
  stop->op = (char *) info->op;
  stop->phase = info->phase;
  stop->scope = (char *) sonde_step_scope (info);
}

/* Numbers of the loops it stands in, from the outermost. */
static void
describe_iterations (SondeStopRecord *record, const SondeDebuggee *debuggee, SondeStop *stop)
{
  SondeExecution *execution = sonde_debuggee_get_innermost (debuggee);

  g_array_set_size (record->iterations, 0);
  for (; execution != NULL; execution = sonde_execution_get_parent (execution))
    {
      const SondeNode *node = sonde_execution_get_node (execution);
      guint64 iteration = (guint64) sonde_execution_get_iteration (execution);

      if (node != NULL && !sonde_node_is (node, SONDE_OP_ID_IF))
        g_array_prepend_val (record->iterations, iteration);
    }
  stop->iterations = &g_array_index (record->iterations, guint64, 0);
  stop->n_iterations = record->iterations->len;
}

void
sonde_stop_record_get (SondeStopRecord *record, const SondeDebuggee *debuggee, SondeStop *stop)
{
  *stop = (SondeStop){ 0 };
  if (!sonde_stop_record_has_stopped (record))
    {
      describe_position (debuggee, stop);
      stop->step = sonde_debuggee_get_step (debuggee);
      return;
    }
  *stop = record->stop;
  stop->node = record->node;
  stop->op = record->op;
  stop->scope = record->scope;
  stop->breakpoints = &g_array_index (record->hits, guint, 0);
  stop->n_breakpoints = record->hits->len;
  stop->condition_error = record->hits->len > 0 ? record->condition_error : NULL;
  describe_iterations (record, debuggee, stop);
}

guint64
sonde_stop_record_get_step (const SondeStopRecord *record, const SondeDebuggee *debuggee)
{
  return sonde_stop_record_has_stopped (record) ? record->stop.step
                                                : sonde_debuggee_get_step (debuggee);
}
