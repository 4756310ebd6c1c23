/* SPDX-License-Identifier: Apache-2.0
 * Values for expressions, by name, at the debugger's present position. */
#include "engine/debug/run/sonde-value-source.h"

#include <fnmatch.h>
#include <string.h>

#include "data/values/sonde-value.h"
#include "engine/debug/run/sonde-named-kind.h"

static SondeValueSource *
source_of (SondeExpressionSource *source)
{
  return (SondeValueSource *) source;
}

static SondeTensor *
read_value (SondeExecution *execution, SondeGraphValue *value, GError **error)
{
  g_autoptr (SondeValue) strings = NULL;
  SondeTensor *tensor;

  if (value->type.dtype != SONDE_DTYPE_STRING)
    return sonde_execution_read (execution, value, error);
  strings = sonde_execution_read_value (execution, value, error);
  tensor = strings != NULL ? sonde_value_get_tensor (strings) : NULL;
  if (tensor != NULL)
    return sonde_tensor_ref (tensor);
  if (strings != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID, "“%s” is not a tensor.",
                     value->name);
  return NULL;
}

/* A name that means nothing here and something in another branch. */
static gboolean
is_elsewhere (SondeValueSource *source, const char *name)
{
  g_autofree char *slice = NULL;
  SondeExecution *execution;

  return source->get_elsewhere != NULL && strchr (name, '@') != NULL
         && sonde_value_lookup_find (source->lookup, name, &execution, &slice, NULL) == NULL;
}

static SondeTensor *
get_tensor (SondeExpressionSource *base, const SondeReference *reference, GError **error)
{
  SondeValueSource *source = source_of (base);
  g_autofree char *slice = NULL;
  g_autoptr (SondeTensor) whole = NULL;
  SondeExecution *execution;
  SondeGraphValue *value;

  if (!reference->previous && is_elsewhere (source, reference->name))
    return source->get_elsewhere (source->data, reference->name, error);
  value = sonde_value_lookup_find (source->lookup, reference->name, &execution, &slice, error);
  if (value == NULL)
    return NULL;
  if (reference->previous)
    whole = sonde_previous_values_get (source->previous, reference->name, error);
  else
    whole = read_value (execution, value, error);
  return whole != NULL ? sonde_tensor_slice (whole, slice, error) : NULL;
}

static gboolean
get_statistics (SondeExpressionSource *base, const SondeReference *reference,
                SondeStatistics *statistics, GError **error)
{
  SondeValueSource *source = source_of (base);
  g_autofree char *slice = NULL;
  SondeExecution *execution;
  gboolean elsewhere = !reference->previous && is_elsewhere (source, reference->name);
  SondeGraphValue *value = elsewhere ? NULL
                                     : sonde_value_lookup_find (source->lookup, reference->name,
                                                                &execution, &slice, error);
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape shape;

  if (value == NULL && !elsewhere)
    return FALSE;
  if (value != NULL && !reference->previous && slice == NULL
      && value->type.dtype != SONDE_DTYPE_STRING && sonde_type_get_shape (&value->type, &shape))
    return sonde_execution_read_statistics (execution, value, statistics, error);
  tensor = get_tensor (base, reference, error);
  if (tensor == NULL)
    return FALSE;
  if (tensor->dtype == SONDE_DTYPE_STRING)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                       "“%s” holds strings, which have no statistics.", reference->name);
      return FALSE;
    }
  sonde_statistics_compute (tensor, statistics);
  return TRUE;
}

static gboolean
get_number (SondeExpressionSource *base, const char *name, double *number)
{
  SondeValueSource *source = source_of (base);
  const SondeDebuggee *debuggee = source->lookup->debuggee;
  SondeExecution *execution = sonde_debuggee_get_execution (debuggee);

  if (!g_str_equal (name, "step") || execution == NULL
      || sonde_graph_find_value (sonde_plan_get_graph (sonde_execution_get_plan (execution)), name)
             != NULL)
    return FALSE;
  *number = (double) sonde_stop_record_get_step (source->lookup->record, debuggee);
  return TRUE;
}

/* ---- globs --------------------------------------------------------------- */

static gboolean
matches (const SondeGraph *graph, const SondeGraphValue *value, const char *glob)
{
  const SondeNamedKind *kind
      = g_str_has_prefix (glob, "kind:") ? sonde_named_kind_find (glob + strlen ("kind:")) : NULL;

  if (kind != NULL)
    return kind->is (graph, value);
  if (g_str_has_prefix (glob, "op:"))
    return value->producer != NULL && fnmatch (glob + strlen ("op:"), value->producer->op, 0) == 0;
  return fnmatch (glob, value->name, 0) == 0;
}

static gboolean
is_floating_tensor (const SondeGraphValue *value)
{
  return value->type.kind <= SONDE_VALUE_TENSOR && sonde_dtype_has_fractions (value->type.dtype);
}

GPtrArray *
sonde_debuggee_match_values (const SondeDebuggee *debuggee, const char *glob, GError **error)
{
  SondeExecution *execution = sonde_debuggee_get_execution (debuggee);
  SondeGraph *graph
      = execution != NULL ? sonde_plan_get_graph (sonde_execution_get_plan (execution)) : NULL;
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  SondeGraphValue *exact = graph != NULL ? sonde_graph_find_value (graph, glob) : NULL;
  const SondeNode *node
      = graph != NULL && exact == NULL ? sonde_graph_find_node (graph, glob) : NULL;

  if (node != NULL)
    exact = sonde_node_get_output (node, 0);
  if (exact != NULL)
    g_ptr_array_add (found, exact);
  for (guint i = 0; graph != NULL && exact == NULL && i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && is_floating_tensor (value) && matches (graph, value, glob))
        g_ptr_array_add (found, value);
    }
  if (found->len > 0)
    return g_steal_pointer (&found);
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                   "No floating value matches “%s”; info values lists the names.", glob);
  return NULL;
}

static char **
list_values (SondeExpressionSource *base, const char *glob, GError **error)
{
  g_autoptr (GPtrArray) values
      = sonde_debuggee_match_values (source_of (base)->lookup->debuggee, glob, error);
  char **names;

  if (values == NULL)
    return NULL;
  names = g_new0 (char *, values->len + 1);
  for (guint i = 0; i < values->len; i++)
    names[i] = g_strdup (((SondeGraphValue *) g_ptr_array_index (values, i))->name);
  return names;
}

void
sonde_value_source_init (SondeValueSource *source, const SondeValueLookup *lookup,
                         SondePreviousValues *previous)
{
  *source = (SondeValueSource){ .lookup = lookup, .previous = previous };
  source->source = (SondeExpressionSource){ get_tensor, get_statistics, get_number, list_values };
}
