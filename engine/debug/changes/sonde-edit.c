/* SPDX-License-Identifier: Apache-2.0
 * Values set by hand. */
#include "engine/debug/changes/sonde-edit.h"

#include "engine/live/sonde-assign.h"

#include <string.h>

gboolean
sonde_edit_split (const char *text, char **target, char **what)
{
  int depth = 0;

  for (const char *at = text; *at != '\0'; at++)
    {
      depth += *at == '[' || *at == '(';
      depth -= *at == ']' || *at == ')';
      if (*at != '=' || depth > 0)
        continue;
      *target = g_strstrip (g_strndup (text, (gsize) (at - text)));
      *what = g_strstrip (g_strdup (at + 1));
      if (**target != '\0' && **what != '\0' && **what != '=')
        return TRUE;
      g_clear_pointer (target, g_free);
      g_clear_pointer (what, g_free);
      return FALSE;
    }
  return FALSE;
}

/* ---- who reads it -------------------------------------------------------- */

static gboolean
reads (const SondeStep *step, const SondeGraphValue *value)
{
  for (guint i = 0; i < step->n_inputs; i++)
    if (step->inputs[i] == value)
      return TRUE;
  return FALSE;
}

/* Names of the steps from @first to before @end that read @value, but for inserted ones: those who
 * read these are named. */
static char **
list_readers (SondePlan *plan, const SondeGraphValue *value, guint first, guint end)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint k = first; k < end; k++)
    if (sonde_plan_get_step (plan, k)->n_nodes > 0 && reads (sonde_plan_get_step (plan, k), value))
      g_ptr_array_add (names, g_strdup (sonde_plan_get_step (plan, k)->name));
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}

/* The value that takes its place when a run is done. */
static const SondeGraphValue *
find_update (const SondeGraph *graph, const SondeGraphValue *value)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *other = g_ptr_array_index (graph->values, i);

      if (other != NULL && other->update_of == value)
        return other;
    }
  return NULL;
}

/* Another run follows this one, with the same parameters and states. */
static gboolean
is_trained (const SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    if (g_ptr_array_index (graph->values, i) != NULL
        && ((const SondeGraphValue *) g_ptr_array_index (graph->values, i))->update_of != NULL)
      return TRUE;
  return FALSE;
}

/* Nobody reads @value in what is left of the run: whether it counts all the same, and what there is
 * to say. */
static void
judge_unread (SondeEdit *edit, const SondeGraph *graph, const SondeGraphValue *value)
{
  const SondeGraphValue *update = value->producer == NULL ? find_update (graph, value) : NULL;

  edit->effect = value->update_of != NULL || g_ptr_array_find (graph->outputs, value, NULL)
                 || (value->producer == NULL && value->role != SONDE_ROLE_INPUT && update == NULL
                     && is_trained (graph));
  if (edit->effect)
    return;
  if (update != NULL)
    edit->warning = sonde_message_new (
        "No later step of this run reads “%s”, and at the end of the run it is replaced by “%s”: "
        "set that one instead.",
        value->name, update->name);
  else if (value->producer == NULL)
    edit->warning = sonde_message_new (
        "No later step of this run reads “%s”; the change takes effect in the next run.",
        value->name);
  else
    edit->warning = sonde_message_new (
        "No later step reads “%s”: the change has no effect on this run.", value->name);
}

static void
judge (SondeEdit *edit, SondeExecution *execution, const SondeGraphValue *value)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  guint n_steps = sonde_plan_get_n_steps (plan);
  gboolean running = sonde_execution_is_running (execution);
  guint position = running ? MIN (sonde_execution_get_position (execution), n_steps) : 0;

  edit->readers = list_readers (plan, value, position, n_steps);
  edit->stale = list_readers (plan, value, 0, position);
  edit->effect = *edit->readers != NULL;
  if (!edit->effect)
    judge_unread (edit, sonde_plan_get_graph (plan), value);
  else if (!running && sonde_execution_get_position (execution) > 0
           && !is_trained (sonde_plan_get_graph (plan)))
    edit->warning = sonde_message_new ("The run is over: the change takes effect after a restart.");
  if (edit->warning == NULL && edit->truncated > 0)
    edit->warning
        = sonde_message_new ("The fractional part of %" PRIu64 " elements was lost: the value has "
                             "the type %s.",
                             edit->truncated, sonde_dtype_name (edit->dtype));
}

/* ---- setting ------------------------------------------------------------- */

static void
fill_place (SondeEdit *edit, SondeDebugger *debugger)
{
  SondeStop stop;

  sonde_debugger_get_stop (debugger, &stop);
  edit->step = stop.step;
  edit->position = stop.position;
  edit->node = g_strdup (stop.node);
}

/* The only element of the part, where it is one. */
static void
fill_number (SondeEdit *edit, SondeTensor *whole, double *number)
{
  g_autoptr (SondeTensor) part = sonde_tensor_slice (whole, edit->slice, NULL);

  edit->is_single
      = part != NULL && sonde_tensor_n_elements (part) == 1 && whole->dtype != SONDE_DTYPE_STRING;
  if (edit->is_single)
    *number = sonde_tensor_get_double (part, 0);
}

SondeEdit *
sonde_debugger_set (SondeDebugger *debugger, const char *target, SondeTensor *source,
                    GError **error)
{
  g_autoptr (SondeEdit) edit = g_new0 (SondeEdit, 1);
  SondeExecution *execution = NULL;
  SondeGraphValue *value
      = sonde_debugger_find_value (debugger, target, &execution, &edit->slice, error);
  g_autoptr (SondeTensor) read
      = value != NULL ? sonde_execution_read (execution, value, error) : NULL;
  g_autoptr (SondeTensor) whole = read != NULL ? sonde_tensor_copy (read) : NULL;
  SondeAssignment assignment;

  if (whole == NULL)
    return NULL;
  if (sonde_execution_get_parent (execution) != NULL && !sonde_execution_is_running (execution))
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
          "“%s” is in a body that has run: it can be looked at, and be set where the run "
          "stands inside that body.",
          value->name);
      return NULL;
    }
  sonde_statistics_compute (whole, &edit->before);
  fill_number (edit, whole, &edit->before_number);
  if (!sonde_assign_slice (whole, edit->slice, source, &assignment, error)
      || !sonde_execution_write (execution, value, whole, error))
    return NULL;
  edit->kind = sonde_edit_kind ("set");
  edit->value = g_strdup (value->name);
  edit->dtype = whole->dtype;
  edit->shape = whole->shape;
  edit->count = assignment.count;
  edit->changed = assignment.changed;
  edit->truncated = assignment.truncated;
  edit->has_statistics = TRUE;
  sonde_statistics_compute (whole, &edit->after);
  fill_number (edit, whole, &edit->after_number);
  fill_place (edit, debugger);
  judge (edit, execution, value);
  return g_steal_pointer (&edit);
}
