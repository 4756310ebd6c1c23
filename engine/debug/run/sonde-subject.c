/* SPDX-License-Identifier: Apache-2.0
 * What is debugged. */
#include "engine/debug/run/sonde-subject.h"

SondeExecution *
sonde_subject_get_execution (const SondeSubject *subject)
{
  if (subject->target == NULL)
    return NULL;
  return subject->current != NULL ? subject->current
                                  : subject->target->get_execution (subject->target_data);
}

SondeExecution *
sonde_subject_get_innermost (const SondeSubject *subject)
{
  SondeExecution *execution = sonde_subject_get_execution (subject);
  SondeExecution *inner;

  while (execution != NULL && (inner = sonde_execution_get_inner (execution)) != NULL)
    execution = inner;
  return execution;
}

void
sonde_subject_set_original (SondeSubject *subject, SondeGraph *original)
{
  SondeGraph *old = subject->original;

  subject->original = original != NULL ? sonde_graph_ref (original) : NULL;
  g_clear_pointer (&old, sonde_graph_unref);
}

SondeGraph *
sonde_subject_original_of (const SondeSubject *subject, SondeExecution *execution)
{
  SondeExecution *parent = sonde_execution_get_parent (execution);
  SondeGraph *around = parent != NULL ? sonde_subject_original_of (subject, parent) : NULL;
  const SondeNode *node = sonde_execution_get_node (execution);
  const SondeNode *original;

  if (parent == NULL)
    return subject->original;
  if (around == NULL)
    return NULL;
  original = sonde_graph_find_node (
      around, node->origins->len > 0 ? g_ptr_array_index (node->origins, 0) : node->name);
  return original != NULL
             ? sonde_node_get_graph (original, sonde_execution_get_body_name (execution))
             : NULL;
}

guint
sonde_subject_position_of (const SondeSubject *subject, SondeExecution *execution)
{
  guint n_steps = sonde_plan_get_n_steps (sonde_execution_get_plan (execution));

  if (sonde_execution_get_parent (execution) == NULL && !subject->began)
    return 0;
  return MIN (sonde_execution_get_position (execution), n_steps);
}

void
sonde_subject_refresh (const SondeSubject *subject)
{
  if (subject->target != NULL)
    subject->target->refresh_observers (subject->target_data);
}

void
sonde_subject_begin_run (SondeSubject *subject, SondeExecution *execution)
{
  subject->current = execution;
  subject->step = subject->step_source != NULL ? subject->step_source (subject->step_data)
                                               : subject->step + 1;
  subject->began = TRUE;
  subject->run = subject->history != NULL ? subject->history->get_run (subject->history_data) : 0;
}

guint64
sonde_subject_get_step (const SondeSubject *subject)
{
  if (subject->began)
    return subject->step;
  return subject->step_source != NULL ? subject->step_source (subject->step_data) : 1;
}

gboolean
sonde_subject_reads_steps (const SondeSubject *subject)
{
  return subject->history != NULL && subject->history->read_before != NULL;
}

gboolean
sonde_subject_is_in_run (const SondeSubject *subject)
{
  SondeExecution *execution = sonde_subject_get_execution (subject);
  gboolean in_place = subject->history == NULL || subject->history->in_place;

  return subject->began
         && (sonde_execution_is_running (execution)
             || (in_place
                 && (sonde_execution_get_position (execution) > 0
                     || sonde_execution_get_inner (execution) != NULL)));
}

gboolean
sonde_subject_is_at_end (const SondeSubject *subject)
{
  SondeExecution *execution = sonde_subject_get_execution (subject);

  return sonde_subject_is_in_run (subject) && !sonde_execution_is_running (execution)
         && sonde_execution_get_position (execution)
                == sonde_plan_get_n_steps (sonde_execution_get_plan (execution));
}
