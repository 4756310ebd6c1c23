/* SPDX-License-Identifier: Apache-2.0
 * The node is cut out of the graph, its sources given what they hold now, and runs as a graph of
 * its own. */
#include "engine/debug/changes/sonde-rerun.h"

#include "engine/debug/run/sonde-location-match.h"

#include <string.h>

static SondeDtype
parse_precision (const char *text, GError **error)
{
  SondeDtype dtype = sonde_dtype_from_name (text);

  if (sonde_dtype_is_float (dtype))
    return dtype;
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                   "There is no precision “%s”; there are f64, f32, bf16, f16.", text);
  return SONDE_DTYPE_INVALID;
}

/* ---- the node alone ------------------------------------------------------ */

/* A graph of one node, and what it reads. */
typedef struct
{
  SondeGraph *graph;
  SondeNode *node;
  GPtrArray *names;  /* (element-type utf8): of inputs */
  GPtrArray *values; /* (element-type SondeValue): theirs */
} Cut;

static void
cut_clear (Cut *cut)
{
  g_clear_pointer (&cut->graph, sonde_graph_unref);
  g_clear_pointer (&cut->names, g_ptr_array_unref);
  g_clear_pointer (&cut->values, g_ptr_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cut, cut_clear)

static gboolean
is_needed (const SondeGraphValue *value)
{
  return value->users->len > 0 || (value->captures != NULL && value->captures->len > 0);
}

/* A weight keeps its place and gets the content of the run, anything else becomes an input. */
static gboolean
give_source (Cut *cut, SondeExecution *execution, SondeGraphValue *copy, SondeGraphValue *value,
             GError **error)
{
  SondeValue *content = sonde_execution_read_value (execution, value, error);

  if (content == NULL)
    return FALSE;
  if (copy->constant != NULL)
    {
      sonde_value_unref (copy->constant);
      copy->constant = content;
      return TRUE;
    }
  copy->role = SONDE_ROLE_INPUT;
  copy->type = sonde_type_of_value (content);
  g_ptr_array_add (cut->graph->inputs, copy);
  g_ptr_array_add (cut->names, copy->name);
  g_ptr_array_add (cut->values, content);
  return TRUE;
}

static gboolean
cut_out (Cut *cut, SondeExecution *execution, const SondeNode *node, GError **error)
{
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (execution)), *copy;

  cut->graph = copy = sonde_graph_copy (graph, FALSE);
  cut->names = g_ptr_array_new ();
  cut->values = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_value_unref);
  cut->node = g_ptr_array_index (copy->nodes, node->id);
  g_ptr_array_set_size (copy->inputs, 0);
  g_ptr_array_set_size (copy->outputs, 0);
  for (guint i = 0; i < copy->nodes->len; i++)
    if (g_ptr_array_index (copy->nodes, i) != NULL
        && g_ptr_array_index (copy->nodes, i) != cut->node)
      sonde_graph_remove_node (copy, g_ptr_array_index (copy->nodes, i));
  for (guint k = 0; k < cut->node->outputs->len; k++)
    if (sonde_node_get_output (cut->node, k) != NULL)
      sonde_graph_add_output (copy, sonde_node_get_output (cut->node, k));
  for (guint i = 0; i < copy->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (copy->values, i);

      if (value == NULL)
        continue;
      value->update_of = NULL;
      if (value->producer != NULL)
        continue;
      if (!is_needed (value))
        sonde_graph_remove_value (copy, value);
      else if (!give_source (cut, execution, value, g_ptr_array_index (graph->values, i), error))
        return FALSE;
    }
  return TRUE;
}

/* ---- running it ---------------------------------------------------------- */

static SondeExecution *
plan_cut (const Cut *cut, SondeDevice *device, SondeExecution *like, GError **error)
{
  g_autofree SondeBinding *bindings = g_new0 (SondeBinding, cut->names->len + 1);
  SondePlanOptions options
      = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE, .bindings = bindings };
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;

  for (guint i = 0; i < cut->names->len; i++)
    {
      SondeType type = sonde_type_of_value (g_ptr_array_index (cut->values, i));

      if (type.kind != SONDE_VALUE_TENSOR)
        continue;
      bindings[options.n_bindings].name = g_ptr_array_index (cut->names, i);
      bindings[options.n_bindings++].type = type;
    }
  plan = sonde_plan_new (cut->graph, device, &options, error);
  execution = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  if (execution == NULL || !sonde_execution_copy_inputs (execution, like, error))
    return NULL;
  for (guint i = 0; i < cut->names->len; i++)
    if (!sonde_execution_set_input_value (execution, g_ptr_array_index (cut->names, i),
                                          g_ptr_array_index (cut->values, i), error))
      return NULL;
  return g_steal_pointer (&execution);
}

/* The device asked for, else that of the run; double is the reference kernels' own. */
static SondeDevice *
open_device (const char *name, SondeDtype precision, SondeExecution *like, GError **error)
{
  if (name == NULL && precision == SONDE_DTYPE_F64)
    name = "reference";
  if (name != NULL)
    return sonde_device_open (name, 0, error);
  return sonde_device_ref (sonde_plan_get_device (sonde_execution_get_plan (like)));
}

/* What was computed in another precision, before it was rounded to the value's own type. */
static SondeGraphValue *
find_twin (SondeGraph *graph, const SondeGraphValue *value, SondeDtype precision)
{
  g_autofree char *name = g_strdup_printf ("%s_%s", value->name, sonde_dtype_name (precision));
  SondeGraphValue *twin
      = precision != SONDE_DTYPE_INVALID ? sonde_graph_find_value (graph, name) : NULL;

  return twin;
}

/* ---- comparing ----------------------------------------------------------- */

gboolean
sonde_node_has_body (const SondeNode *node)
{
  for (guint i = 0; i < node->attributes->len; i++)
    if (((const SondeAttribute *) g_ptr_array_index (node->attributes, i))->kind
        == SONDE_ATTRIBUTE_GRAPH)
      return TRUE;
  return FALSE;
}

/* Of the run: what is there, or what the step would make. (transfer full) */
static SondeTensor *
read_own (SondeExecution *execution, SondeNode *node, SondeGraphValue *value, GError **error)
{
  SondePlan *plan = sonde_execution_get_plan (execution);
  int step = sonde_plan_find_step (plan, node);
  g_autoptr (GHashTable) forced = g_hash_table_new (NULL, NULL); /* nothing */
  g_autofree SondeValue **outputs = NULL;
  SondeTensor *tensor = NULL;

  if (sonde_execution_is_available (execution, value))
    return sonde_execution_read (execution, value, error);
  if (sonde_node_has_body (node)) /* the run may stand in it, and would lose its place */
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "The run has not left “%s” (%s) yet; go on until it has, so that there is "
                       "something to compare with.",
                       node->name, node->op);
      return NULL;
    }
  if (step < 0)
    {
      sonde_set_error (
          error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
          "“%s” has no step of its own and the run has not come to “%s”; run on and ask again.",
          node->name, value->name);
      return NULL;
    }
  outputs = g_new0 (SondeValue *, sonde_plan_get_step (plan, (guint) step)->n_outputs + 1);
  if (!sonde_execution_run_alone (execution, (guint) step, forced, outputs, error))
    return NULL;
  for (guint i = 0; i < sonde_plan_get_step (plan, (guint) step)->n_outputs; i++)
    {
      if (outputs[i] != NULL && sonde_plan_get_step (plan, (guint) step)->outputs[i] == value
          && sonde_value_get_tensor (outputs[i]) != NULL)
        tensor = sonde_tensor_contiguous (sonde_value_get_tensor (outputs[i]));
      sonde_value_unref (outputs[i]);
    }
  if (tensor == NULL)
    sonde_set_error (
        error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
        "The run has not come to “%s”, and its step alone does not make it; run on and ask again.",
        value->name);
  return tensor;
}

static gboolean
take (SondeDebugger *debugger, SondeGraphValue *value, SondeTensor *tensor, GPtrArray *edits,
      GError **error)
{
  SondeEdit *edit = sonde_debugger_set (debugger, value->name, tensor, error);

  if (edit == NULL)
    return FALSE;
  edit->kind = sonde_edit_kind ("take");
  g_ptr_array_add (edits, edit);
  return TRUE;
}

static GPtrArray *
compare (SondeDebugger *debugger, gboolean takes, SondeDtype precision, SondeExecution *execution,
         SondeNode *node, SondeExecution *again, GPtrArray *edits, GError **error)
{
  g_autoptr (GPtrArray) differences
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_difference_free);
  SondeGraph *graph = sonde_plan_get_graph (sonde_execution_get_plan (again));

  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeGraphValue *value = sonde_node_get_output (node, k);
      SondeGraphValue *other = value != NULL ? sonde_graph_find_value (graph, value->name) : NULL;
      SondeGraphValue *twin = other != NULL ? find_twin (graph, other, precision) : NULL;
      g_autoptr (SondeTensor) a = NULL, b = NULL;

      if (other == NULL || other->type.kind != SONDE_VALUE_TENSOR)
        continue;
      b = read_own (execution, node, value, error);
      a = b != NULL ? sonde_execution_read (again, twin != NULL ? twin : other, error) : NULL;
      if (a == NULL)
        return NULL;
      g_ptr_array_add (differences, sonde_difference_new (value->name, node->name, node->op, a, b));
      if (takes && !take (debugger, value, a, edits, error))
        return NULL;
    }
  return g_steal_pointer (&differences);
}

/* ---- the whole ----------------------------------------------------------- */

/* In the selected frame, then outwards. */
static SondeNode *
find_node (SondeDebugger *debugger, const char *name, SondeExecution **execution, GError **error)
{
  SondeExecution *outermost = sonde_debugger_get_execution (debugger);
  SondeNode *node = NULL;
  const char *nearest;

  *execution = sonde_debugger_get_selected_execution (debugger);
  while (*execution != NULL
         && (node = sonde_graph_resolve_node (
                 sonde_plan_get_graph (sonde_execution_get_plan (*execution)), name))
                == NULL)
    *execution = sonde_execution_get_parent (*execution);
  if (node != NULL)
    return node;
  nearest = outermost != NULL ? sonde_nearest_in_graph (
                name, sonde_plan_get_graph (sonde_execution_get_plan (outermost)))
                              : NULL;
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no executed node “%s”; the nearest name is “%s”.", name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no executed node “%s”.", name);
  return NULL;
}

static SondeMessage *
describe (SondeDtype precision, const SondeNode *node, SondeDevice *device, SondeExecution *again,
          guint n_cast)
{
  SondePlan *plan = sonde_execution_get_plan (again);
  SondeNode *copy = sonde_graph_find_node (sonde_plan_get_graph (plan), node->name);
  int step = copy != NULL ? sonde_plan_find_step (plan, copy) : -1;
  const char *implementation
      = step >= 0 ? sonde_plan_get_step (plan, (guint) step)->implementation : NULL;
  gboolean other = precision != SONDE_DTYPE_INVALID && precision != SONDE_DTYPE_F32;

  if (implementation == NULL)
    implementation = "folded";
  if (other && n_cast == 0)
    return sonde_message_new (
        "%s cannot be computed in %s: it was computed as in the run, on %s (%s).", node->op,
        sonde_dtype_name (precision), device->klass->name, implementation);
  if (other)
    return sonde_message_new ("Computed in %s on %s (%s).", sonde_dtype_name (precision),
                              device->klass->name, implementation);
  return sonde_message_new ("Computed on %s (%s).", device->klass->name, implementation);
}

GPtrArray *
sonde_debugger_rerun (SondeDebugger *debugger, const SondeRerunOptions *options,
                      SondeMessage **note, GPtrArray **edits, GError **error)
{
  g_autoptr (GPtrArray) cast = g_ptr_array_new ();
  g_autoptr (GPtrArray) taken = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_edit_free),
                        differences = NULL;
  g_autoptr (SondeExecution) again = NULL;
  g_autoptr (SondeDevice) device = NULL;
  SondeExecution *execution = NULL;
  SondeDtype precision = SONDE_DTYPE_INVALID;
  SondeNode *node;
  g_auto (Cut) cut = { NULL };

  if (options->precision != NULL
      && (precision = parse_precision (options->precision, error)) == SONDE_DTYPE_INVALID)
    return NULL;
  node = find_node (debugger, options->node, &execution, error);
  if (node == NULL || !cut_out (&cut, execution, node, error))
    return NULL;
  device = open_device (options->device, precision, execution, error);
  if (device == NULL)
    return NULL;
  if (precision != SONDE_DTYPE_INVALID && precision != SONDE_DTYPE_F32
      && !sonde_pass_insert_casts (cut.graph, precision, NULL, cast, error))
    return NULL;
  again = plan_cut (&cut, device, execution, error);
  if (again == NULL
      || sonde_execution_run_to (again, sonde_plan_get_n_steps (sonde_execution_get_plan (again)),
                                 error)
             != SONDE_RUN_PAUSED)
    return NULL;
  differences = compare (debugger, options->take, precision, execution, node, again, taken, error);
  if (differences == NULL)
    return NULL;
  *note = describe (precision, node, device, again, cast->len);
  *edits = g_steal_pointer (&taken);
  return g_steal_pointer (&differences);
}
