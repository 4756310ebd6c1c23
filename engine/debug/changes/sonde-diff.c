/* SPDX-License-Identifier: Apache-2.0
 * Operands of diff and of set, and whole branches side by side. */
#include "engine/debug/changes/sonde-diff.h"

#include <string.h>

#include "engine/debug/changes/sonde-changes-private.h"
#include "engine/debug/sonde-debugger-source.h"

/* ---- one operand --------------------------------------------------------- */

/* "x[0, :]" -> "x", "0, :"; the slice is NULL where there is none. */
static void
split_slice (const char *text, char **name, char **slice)
{
  gsize length = strlen (text);
  const char *open = length > 0 && text[length - 1] == ']' ? strrchr (text, '[') : NULL;

  *slice = open != NULL && open > text
               ? g_strndup (open + 1, (gsize) (text + length - 1 - (open + 1)))
               : NULL;
  *name = *slice != NULL ? g_strchomp (g_strndup (text, (gsize) (open - text))) : g_strdup (text);
}

/* A value of @execution by its name or that of its node. */
static SondeGraphValue *
find_in (SondeExecution *execution, const char *name)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution));
  SondeGraphValue *value = sonde_graph_find_value (graph, name);
  SondeNode *node = value == NULL ? sonde_graph_find_node (graph, name) : NULL;

  return node != NULL ? sonde_node_get_output (node, 0) : value;
}

static SondeTensor *
slice_of (SondeTensor *whole, const char *slice, GError **error)
{
  return whole != NULL ? sonde_tensor_slice (whole, slice, error) : NULL;
}

static SondeTensor *
read_of_branch (const SondeBranchEntry *branch, const char *text, GError **error)
{
  g_autofree char *name = NULL, *slice = NULL;
  SondeGraphValue *value = find_in (branch->execution, text);
  g_autoptr (SondeTensor) whole = NULL;

  if (value == NULL)
    {
      split_slice (text, &name, &slice);
      value = find_in (branch->execution, name);
    }
  if (value == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                       "Branch %u has no value “%s”.", branch->info.number, text);
      return NULL;
    }
  whole = sonde_execution_read (branch->execution, value, error);
  return slice_of (whole, slice, error);
}

/* Where nothing was kept of it, it is from here on. */
static SondeTensor *
read_previous (SondeChanges *changes, const char *text, GError **error)
{
  SondeDebugger *debugger = sonde_changes_get_debugger (changes);
  SondeExecution *execution = NULL;
  g_autofree char *slice = NULL;
  SondeGraphValue *value = sonde_debugger_find_value (debugger, text, &execution, &slice, error);
  g_autoptr (SondeTensor) whole
      = value != NULL ? sonde_debugger_get_previous (debugger, value->name, error) : NULL;

  if (value != NULL && whole == NULL)
    sonde_debugger_keep_previous (debugger, value->name, NULL);
  return slice_of (whole, slice, error);
}

/* NULL without @error where the text does not name a value. */
static SondeTensor *
read_named (SondeChanges *changes, const char *text, GError **error)
{
  SondeExecution *execution = NULL;
  g_autofree char *slice = NULL;
  SondeGraphValue *value = sonde_debugger_find_value (sonde_changes_get_debugger (changes), text,
                                                      &execution, &slice, NULL);
  g_autoptr (SondeTensor) whole
      = value != NULL ? sonde_execution_read (execution, value, error) : NULL;

  return slice_of (whole, slice, error);
}

static SondeTensor *
calculate (SondeChanges *changes, const char *text, GError **error)
{
  g_autoptr (SondeExpression) expression = sonde_expression_parse (text, error);
  g_auto (SondeExpressionResult) result = { NULL };
  SondeValueSource source;
  SondeShape none = sonde_shape_scalar ();
  SondeTensor *number;

  if (expression == NULL)
    return NULL;
  sonde_debugger_source_init (&source, sonde_changes_get_debugger (changes));
  if (!sonde_expression_evaluate (expression, &source.source, &result, error))
    return NULL;
  if (result.tensor != NULL)
    return sonde_tensor_contiguous (result.tensor);
  number = sonde_tensor_new (SONDE_DTYPE_F64, &none);
  sonde_tensor_set_double (number, 0, result.number);
  return number;
}

SondeTensor *
sonde_changes_evaluate (SondeChanges *changes, const char *text, GError **error)
{
  g_autoptr (GError) problem = NULL;
  SondeTensor *tensor = read_named (changes, text, &problem);
  const char *at = strrchr (text, '@');
  g_autofree char *before = at != NULL ? g_strchomp (g_strndup (text, (gsize) (at - text))) : NULL;

  if (tensor == NULL && problem != NULL)
    g_propagate_error (error, g_steal_pointer (&problem));
  if (tensor != NULL || problem != NULL || (error != NULL && *error != NULL))
    return tensor;
  if (at != NULL && g_str_equal (at + 1, "prev"))
    return read_previous (changes, before, error);
  if (at != NULL)
    {
      const SondeBranchEntry *branch = sonde_changes_find (changes, at + 1, error);

      return branch != NULL ? read_of_branch (branch, before, error) : NULL;
    }
  return calculate (changes, text, error);
}

/* ---- branches ------------------------------------------------------------ */

gboolean
sonde_changes_is_branch (SondeChanges *changes, const char *text)
{
  SondeExecution *execution = NULL;
  g_autofree char *slice = NULL;

  return sonde_changes_find (changes, text, NULL) != NULL
         && sonde_debugger_find_value (sonde_changes_get_debugger (changes), text, &execution,
                                       &slice, NULL)
                == NULL;
}

/* NULL where it is not there in both. */
static SondeDifference *
compare_value (SondeExecution *a, const SondeGraphValue *value, SondeExecution *b)
{
  SondeGraphValue *mine = find_in (a, value->name), *other = find_in (b, value->name);
  g_autoptr (SondeTensor) left = NULL, right = NULL;

  if (mine == NULL || other == NULL || !sonde_execution_is_available (a, mine)
      || !sonde_execution_is_available (b, other))
    return NULL;
  left = sonde_execution_read (a, mine, NULL);
  right = left != NULL ? sonde_execution_read (b, other, NULL) : NULL;
  if (right == NULL)
    return NULL;
  return sonde_difference_new (value->name, value->producer != NULL ? value->producer->name : NULL,
                               value->producer != NULL ? value->producer->op : NULL, left, right);
}

static void
add_sources (GPtrArray *differences, SondeExecution *a, SondeExecution *b)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (a));

  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeDifference *difference
          = value != NULL && value->producer == NULL ? compare_value (a, value, b) : NULL;

      if (difference != NULL
          && (difference->problem != NULL || difference->comparison.differing > 0))
        g_ptr_array_add (differences, difference);
      else
        sonde_difference_free (difference);
    }
}

GPtrArray *
sonde_changes_diff_branches (SondeChanges *changes, const char *a, const char *b, GError **error)
{
  const SondeBranchEntry *left = sonde_changes_find (changes, a, error);
  const SondeBranchEntry *right = left == NULL ? NULL
                                  : b != NULL  ? sonde_changes_find (changes, b, error)
                                               : sonde_changes_get_entry (changes);
  GPtrArray *differences;
  SondePlan *plan;

  if (right == NULL)
    return NULL;
  differences = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_difference_free);
  plan = sonde_execution_get_plan (left->execution);
  add_sources (differences, left->execution, right->execution);
  for (guint k = 0; k < sonde_plan_get_n_steps (plan); k++)
    {
      const SondeStep *step = sonde_plan_get_step (plan, k);

      for (guint i = 0; step->n_nodes > 0 && i < step->n_outputs; i++)
        {
          SondeDifference *difference
              = compare_value (left->execution, step->outputs[i], right->execution);

          if (difference != NULL)
            g_ptr_array_add (differences, difference);
        }
    }
  return differences;
}
