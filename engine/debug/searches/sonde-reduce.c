/* SPDX-License-Identifier: Apache-2.0
 * Cutting a graph by data flow, and trying what is left. */
#include "engine/debug/searches/sonde-reduce.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "engine/debug/run/sonde-location-match.h"
#include "engine/live/sonde-nearest.h"

#define SAME_ENOUGH 1e-3 /* of the largest number: what is made again of the same inputs */
#define LEAST_IR_VERSION 8
#define MAX_INSIDE                                                                                 \
  4096 /* elements of an integer input that stays inside: axes, sizes, small indices */

/**
 * Cut:
 * @from: the graph that is cut
 * @original: (nullable): as the user wrote it; @from or not
 * @nodes: (element-type SondeNode): what is taken
 * @captured: SondeGraphValue of @from -> SondeTensor
 */
typedef struct
{
  SondeExecution *execution;
  SondeGraph *from, *original;
  GHashTable *nodes;
  GHashTable *captured;
} Cut;

static void
input_free (void *data)
{
  SondeReducedInput *input = data;

  g_free (input->name);
  sonde_tensor_unref (input->tensor);
  g_free (input);
}

void
sonde_reduction_free (SondeReduction *reduction)
{
  if (reduction == NULL)
    return;
  g_clear_pointer (&reduction->graph, sonde_graph_unref);
  g_clear_pointer (&reduction->inputs, g_ptr_array_unref);
  g_free (reduction->node);
  g_free (reduction->value);
  g_free (reduction);
}

static void
cut_clear (Cut *cut)
{
  g_clear_pointer (&cut->nodes, g_hash_table_unref);
  g_clear_pointer (&cut->captured, g_hash_table_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Cut, cut_clear)

static gboolean
is_bad (const SondeTensor *tensor)
{
  const gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n && sonde_dtype_has_fractions (tensor->dtype); i++)
    if (!isfinite (sonde_tensor_get_double (tensor, i)))
      return TRUE;
  return FALSE;
}

/* What @value of the graph that is cut was in the run; NULL: nobody knows. (transfer none) */
static SondeTensor *
capture (Cut *cut, SondeGraphValue *value)
{
  SondeTensor *tensor = g_hash_table_lookup (cut->captured, value);
  SondeGraph *executed = sonde_plan_get_graph (sonde_execution_get_plan (cut->execution));
  SondeGraphValue *there = value;

  if (tensor != NULL)
    return tensor;
  if (cut->from != executed)
    there = sonde_graph_find_value (executed, value->name);
  if (there != NULL && there->producer == NULL
      && (there->role == SONDE_ROLE_PARAMETER || there->role == SONDE_ROLE_STATE))
    {
      g_autoptr (SondeValue) source = sonde_execution_read_source (cut->execution, there, NULL);

      tensor = sonde_value_get_tensor (source);
      tensor = tensor != NULL ? sonde_tensor_contiguous (tensor) : NULL;
    }
  else if (there != NULL)
    tensor = sonde_execution_read (cut->execution, there, NULL);
  if (tensor == NULL && value->producer == NULL && sonde_value_get_tensor (value->constant) != NULL)
    tensor = sonde_tensor_contiguous (sonde_value_get_tensor (value->constant));
  if (tensor != NULL)
    g_hash_table_insert (cut->captured, value, tensor);
  return tensor;
}

/* ---- what is read from outside ------------------------------------------- */

/* Values of @cut->from that the bodies of @node capture. */
static void
add_captures (const SondeNode *node, const SondeGraph *from, GPtrArray *values)
{
  for (guint i = 0; i < from->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (from->values, i);

      for (guint c = 0; value != NULL && value->captures != NULL && c < value->captures->len; c++)
        for (guint a = 0; a < node->attributes->len; a++)
          {
            const SondeAttribute *attribute = g_ptr_array_index (node->attributes, a);
            const SondeGraphValue *inner = g_ptr_array_index (value->captures, c);

            if (attribute->kind == SONDE_ATTRIBUTE_GRAPH
                && sonde_graph_find_value (attribute->u.graph, inner->name) == inner)
              g_ptr_array_add (values, value);
          }
    }
}

/* (element-type SondeGraphValue) (transfer full): what @node reads, captures too */
static GPtrArray *
read_by (const Cut *cut, const SondeNode *node)
{
  GPtrArray *values = g_ptr_array_new ();

  for (guint k = 0; k < node->inputs->len; k++)
    if (sonde_node_get_input (node, k) != NULL)
      g_ptr_array_add (values, sonde_node_get_input (node, k));
  add_captures (node, cut->from, values);
  return values;
}

/* Takes the nodes that make what cannot be read, and, with @all, what makes any input. FALSE: there
 * was nothing to take. */
static gboolean
grow (Cut *cut, gboolean all)
{
  g_autoptr (GPtrArray) joining = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer node;

  g_hash_table_iter_init (&iter, cut->nodes);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    {
      g_autoptr (GPtrArray) values = read_by (cut, node);

      for (guint i = 0; i < values->len; i++)
        {
          SondeGraphValue *value = g_ptr_array_index (values, i);

          if (value->producer != NULL && !g_hash_table_contains (cut->nodes, value->producer)
              && (all || capture (cut, value) == NULL))
            g_ptr_array_add (joining, value->producer);
        }
    }
  for (guint i = 0; i < joining->len; i++)
    g_hash_table_add (cut->nodes, g_ptr_array_index (joining, i));
  return joining->len > 0;
}

/* ---- the small graph ----------------------------------------------------- */

/* What stays as it is: weights, and the integers that shapes depend on. */
static gboolean
stays_inside (const SondeGraphValue *value, const SondeTensor *tensor)
{
  if (value->producer == NULL)
    return value->role == SONDE_ROLE_CONSTANT || value->role == SONDE_ROLE_PARAMETER
           || value->role == SONDE_ROLE_STATE;
  return sonde_dtype_is_integer (tensor->dtype) && sonde_tensor_n_elements (tensor) <= MAX_INSIDE;
}

/* The value of the same name in the small graph, made when it is new; NULL with @error when it
 * cannot be had. */
static SondeGraphValue *
bring (Cut *cut, SondeReduction *to, SondeGraphValue *value, GError **error)
{
  SondeGraphValue *copy = sonde_graph_find_value (to->graph, value->name);
  SondeTensor *tensor = copy == NULL ? capture (cut, value) : NULL;
  SondeReducedInput *input;
  SondeType type;

  if (copy != NULL)
    return copy;
  if (tensor == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "What “%s” was cannot be read here, so that nothing can be cut out.",
                       value->name);
      return NULL;
    }
  if (stays_inside (value, tensor))
    return sonde_graph_add_initialiser (to->graph, value->name, tensor, SONDE_ROLE_CONSTANT);
  type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  input = g_new0 (SondeReducedInput, 1);
  input->name = g_strdup (value->name);
  input->tensor = sonde_tensor_ref (tensor);
  g_ptr_array_add (to->inputs, input);
  return sonde_graph_add_input (to->graph, value->name, &type);
}

static gboolean
copy_node (Cut *cut, SondeReduction *to, SondeNode *node, GError **error)
{
  g_autoptr (GPtrArray) read = read_by (cut, node);
  g_autofree SondeGraphValue **inputs = g_new0 (SondeGraphValue *, node->inputs->len + 1);
  SondeNode *copy;

  for (guint i = 0; i < read->len; i++)
    if (bring (cut, to, g_ptr_array_index (read, i), error) == NULL)
      return FALSE;
  for (guint k = 0; k < node->inputs->len; k++)
    if (sonde_node_get_input (node, k) != NULL)
      inputs[k] = sonde_graph_find_value (to->graph, sonde_node_get_input (node, k)->name);
  copy = sonde_graph_add_node (to->graph, node->name, node->domain, node->op, inputs,
                               node->inputs->len, 0);
  copy->version = node->version;
  copy->overload = node->overload;
  for (guint k = 0; k < node->outputs->len; k++)
    {
      const SondeGraphValue *output = sonde_node_get_output (node, k);

      if (output != NULL)
        sonde_node_set_output (to->graph, copy, k,
                               sonde_graph_add_value (to->graph, output->name, NULL));
    }
  for (guint i = 0; i < node->attributes->len; i++)
    {
      SondeAttribute *attribute = sonde_attribute_copy (g_ptr_array_index (node->attributes, i));

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        sonde_graph_set_parent (attribute->u.graph, to->graph);
      sonde_node_take_attribute (copy, attribute);
    }
  return TRUE;
}

/* Functions of the model, where something in the part may call them. */
static void
copy_functions (Cut *cut, SondeReduction *to)
{
  const GPtrArray *functions = cut->from->functions;
  gboolean called = FALSE;
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, cut->nodes);
  while (functions->len > 0 && !called && g_hash_table_iter_next (&iter, &key, NULL))
    {
      const SondeNode *node = key;

      for (guint i = 0; i < node->attributes->len; i++)
        called = called
                 || ((SondeAttribute *) g_ptr_array_index (node->attributes, i))->kind
                        == SONDE_ATTRIBUTE_GRAPH;
      for (guint i = 0; i < functions->len; i++)
        {
          const SondeFunction *function = g_ptr_array_index (functions, i);

          called = called
                   || (g_str_equal (function->name, node->op)
                       && g_str_equal (function->domain, node->domain));
        }
    }
  for (guint i = 0; called && i < functions->len; i++)
    g_ptr_array_add (to->graph->functions, sonde_function_copy (g_ptr_array_index (functions, i)));
}

/* ---- versions ------------------------------------------------------------ */

static int
newest_import (const SondeGraph *model)
{
  int version = sonde_graph_get_opset (model, "");

  for (guint i = 0; i < model->functions->len; i++)
    version
        = MAX (version, sonde_graph_get_opset (
                            ((SondeFunction *) g_ptr_array_index (model->functions, i))->body, ""));
  return version;
}

static int
version_of_node (const SondeNode *node)
{
  const SondeOpClass *row = *node->domain == '\0' ? sonde_op_table_find ("", node->op) : NULL;

  for (guint i = 0; i < node->attributes->len; i++)
    if (((SondeAttribute *) g_ptr_array_index (node->attributes, i))->kind == SONDE_ATTRIBUTE_GRAPH)
      return INT_MAX;
  if (row != NULL)
    return row->since;
  return *node->domain == '\0' ? INT_MAX : 0;
}

/* Executed nodes are in the newest form, whose version other programs may not know yet: the lowest
 * is said in which these read the same, and never one before the model's. */
static void
set_versions (Cut *cut, SondeReduction *to)
{
  const SondeGraph *original = cut->original;
  int version = original != NULL ? newest_import (original) : 0;
  GHashTableIter iter;
  gpointer node;

  to->graph->ir_version = MAX (LEAST_IR_VERSION, original != NULL ? original->ir_version : 0);
  for (guint i = 0; i < cut->from->opsets->len; i++)
    {
      const SondeOpset *opset = &g_array_index (cut->from->opsets, SondeOpset, i);

      sonde_graph_set_opset (to->graph, opset->domain, opset->version);
    }
  if (cut->from == original || version == 0)
    return;
  g_hash_table_iter_init (&iter, cut->nodes);
  while (g_hash_table_iter_next (&iter, &node, NULL))
    version = MAX (version, version_of_node (node));
  if (version < sonde_graph_get_opset (to->graph, ""))
    sonde_graph_set_opset (to->graph, "", version);
}

/* ---- put together -------------------------------------------------------- */

/* "out" where that is free. */
static void
name_output (SondeReduction *reduction, SondeGraphValue *output)
{
  if (sonde_graph_find_value (reduction->graph, "out") == NULL)
    sonde_graph_rename_value (reduction->graph, output, "out");
}

static SondeReduction *
build (Cut *cut, const SondeGraphValue *wanted, GError **error)
{
  g_autoptr (SondeReduction) reduction = g_new0 (SondeReduction, 1);
  g_autoptr (GPtrArray) order = sonde_graph_sort (cut->from, error);
  SondeTensor *known = capture (cut, (SondeGraphValue *) wanted);
  SondeGraphValue *output;

  if (order == NULL)
    return NULL;
  reduction->graph = sonde_graph_new (wanted->producer->name);
  reduction->inputs = g_ptr_array_new_with_free_func (input_free);
  set_versions (cut, reduction);
  copy_functions (cut, reduction);
  for (guint i = 0; i < order->len; i++)
    if (g_hash_table_contains (cut->nodes, g_ptr_array_index (order, i)))
      {
        if (!copy_node (cut, reduction, g_ptr_array_index (order, i), error))
          return NULL;
        reduction->n_nodes++;
      }
  output = sonde_graph_find_value (reduction->graph, wanted->name);
  if (known != NULL)
    output->type = sonde_type_tensor (known->dtype, &known->shape);
  sonde_graph_add_output (reduction->graph, output);
  name_output (reduction, output);
  reduction->node = g_strdup (wanted->producer->name);
  reduction->value = g_strdup (wanted->name);
  return g_steal_pointer (&reduction);
}

/* ---- trying -------------------------------------------------------------- */

/* As a session would run it. */
static SondeTensor *
run (SondeExecution *like, const SondeReduction *reduction, GError **error)
{
  const SondePlanOptions options = { .memory = SONDE_MEMORY_KEEP, .no_fusion = TRUE };
  g_autoptr (SondeGraph) graph = sonde_prepare_inference (reduction->graph, error);
  g_autoptr (SondePlan) plan = NULL;
  g_autoptr (SondeExecution) execution = NULL;
  SondeGraphValue *output;

  if (graph == NULL)
    return NULL;
  plan = sonde_plan_new (graph, sonde_plan_get_device (sonde_execution_get_plan (like)), &options,
                         error);
  execution = plan != NULL ? sonde_execution_new (plan, error) : NULL;
  if (execution == NULL)
    return NULL;
  for (guint i = 0; i < reduction->inputs->len; i++)
    {
      const SondeReducedInput *input = g_ptr_array_index (reduction->inputs, i);

      if (!sonde_execution_set_input (execution, input->name, input->tensor, error))
        return NULL;
    }
  if (sonde_execution_run (execution, error) != SONDE_RUN_DONE)
    return NULL;
  output = g_ptr_array_index (graph->outputs, 0);
  return sonde_execution_read (execution, output, error);
}

/* Up to the order of sums, which may be another. */
static gboolean
is_near (const SondeTensor *result, const SondeTensor *known)
{
  const gint64 n = sonde_tensor_n_elements (known);
  double largest = 0, apart = 0;

  if (!sonde_shape_equal (&result->shape, &known->shape))
    return FALSE;
  for (gint64 i = 0; i < n; i++)
    {
      const double number = sonde_tensor_get_double (known, i);

      largest = fmax (largest, fabs (number));
      apart = fmax (apart, fabs (number - sonde_tensor_get_double (result, i)));
    }
  return apart <= SAME_ENOUGH * largest;
}

/* @known: (nullable): what a finite output was */
static gboolean
fails (SondeExecution *like, const SondeReduction *reduction, const SondeTensor *known)
{
  g_autoptr (SondeTensor) result = run (like, reduction, NULL);

  return result != NULL
         && (reduction->bad ? is_bad (result) : known != NULL && is_near (result, known));
}

/* ---- shrinking ----------------------------------------------------------- */

/* The same with entry @entry alone of the first dimension of every input. NULL when they do not
 * share it. */
static SondeReduction *
cut_batch (const SondeReduction *whole, gint64 entry)
{
  g_autoptr (SondeReduction) part = g_new0 (SondeReduction, 1);
  SondeGraphValue *output;

  *part = (SondeReduction){ .bad = TRUE,
                            .graph = sonde_graph_copy (whole->graph, FALSE),
                            .n_nodes = whole->n_nodes,
                            .inputs = g_ptr_array_new_with_free_func (input_free),
                            .node = g_strdup (whole->node),
                            .value = g_strdup (whole->value) };
  for (guint i = 0; i < whole->inputs->len; i++)
    {
      const SondeReducedInput *from = g_ptr_array_index (whole->inputs, i);
      g_autofree char *slice = g_strdup_printf ("%d:%d", (int) entry, (int) entry + 1);
      g_autoptr (SondeTensor) view = sonde_tensor_slice (from->tensor, slice, NULL);
      SondeGraphValue *value = sonde_graph_find_value (part->graph, from->name);
      SondeReducedInput *input = g_new0 (SondeReducedInput, 1);

      input->name = g_strdup (from->name);
      input->tensor = view != NULL ? sonde_tensor_contiguous (view) : NULL;
      g_ptr_array_add (part->inputs, input);
      if (view == NULL)
        return NULL;
      value->type = sonde_type_tensor (view->dtype, &view->shape);
    }
  output = g_ptr_array_index (part->graph->outputs, 0);
  if (output->type.rank > 0)
    output->type.dims[0].size = 1;
  return g_steal_pointer (&part);
}

/* Size of the first dimension that all inputs and the output have; 0: they do not. */
static gint64
shared_batch (const SondeReduction *reduction)
{
  const SondeGraphValue *output = g_ptr_array_index (reduction->graph->outputs, 0);
  const gint64 n = output->type.rank > 1 ? output->type.dims[0].size : 0;

  for (guint i = 0; i < reduction->inputs->len; i++)
    {
      const SondeTensor *tensor
          = ((SondeReducedInput *) g_ptr_array_index (reduction->inputs, i))->tensor;

      if (tensor->shape.rank < 2 || tensor->shape.dims[0] != n)
        return 0;
    }
  return reduction->inputs->len > 0 ? n : 0;
}

/* First entry of the output's first dimension that is bad. */
static gint64
bad_entry (const SondeTensor *tensor)
{
  const gint64 each = sonde_tensor_n_elements (tensor) / MAX (tensor->shape.dims[0], 1);
  gint64 i = 0;

  while (isfinite (sonde_tensor_get_double (tensor, i)))
    i++;
  return each > 0 ? i / each : 0;
}

static SondeReduction *
shrink (SondeExecution *like, SondeReduction *reduction) /* (transfer full) */
{
  g_autoptr (SondeReduction) part = NULL;
  g_autoptr (SondeTensor) result = NULL;

  if (!reduction->bad || shared_batch (reduction) < 2)
    return reduction;
  result = run (like, reduction, NULL);
  part = result != NULL && is_bad (result) && result->shape.rank > 1
             ? cut_batch (reduction, bad_entry (result))
             : NULL;
  if (part == NULL || !fails (like, part, NULL))
    return reduction;
  sonde_reduction_free (reduction);
  return g_steal_pointer (&part);
}

/* ---- the question -------------------------------------------------------- */

/* Output of @node that is bad in the run; NULL: none. */
static SondeGraphValue *
find_bad_output (Cut *cut, SondeNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeGraphValue *output = sonde_node_get_output (node, k);
      SondeTensor *tensor = output != NULL ? capture (cut, output) : NULL;

      if (tensor != NULL && is_bad (tensor))
        return output;
    }
  return NULL;
}

static SondeNode *
find_node (Cut *cut, SondeGraph *original, const char *name, GError **error)
{
  SondeGraph *executed = sonde_plan_get_graph (sonde_execution_get_plan (cut->execution));
  SondeNode *node = original != NULL ? sonde_graph_resolve_node (original, name) : NULL;
  const char *nearest;

  cut->from = node != NULL ? original : executed;
  if (node == NULL)
    node = sonde_graph_resolve_node (executed, name);
  if (node != NULL)
    return node;
  nearest = sonde_nearest_in_graph (name, executed);
  if (nearest != NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no node “%s”; the nearest name is “%s”.", name, nearest);
  else
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND,
                     "There is no node “%s”.", name);
  return NULL;
}

SondeReduction *
sonde_reduce (SondeExecution *execution, SondeGraph *original, const char *name, gboolean finite,
              GError **error)
{
  g_auto (Cut) cut = { .execution = execution, .original = original };
  SondeGraphValue *wanted;
  SondeNode *node;
  gboolean bad;

  cut.nodes = g_hash_table_new (NULL, NULL);
  cut.captured = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_tensor_unref);
  node = find_node (&cut, original, name, error);
  if (node == NULL)
    return NULL;
  wanted = find_bad_output (&cut, node);
  bad = wanted != NULL;
  if (!bad && finite)
    wanted = sonde_node_get_output (node, 0);
  if (wanted == NULL)
    {
      sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                       "What “%s” made is finite, or not there: there is no failure to cut out.",
                       node->name);
      return NULL;
    }
  g_hash_table_add (cut.nodes, node);
  do
    {
      g_autoptr (SondeReduction) reduction = NULL;

      while (g_hash_table_size (cut.nodes) <= SONDE_REDUCE_MAX_NODES && grow (&cut, FALSE))
        ;
      reduction = build (&cut, wanted, error);
      if (reduction == NULL)
        return NULL;
      reduction->bad = bad;
      if (fails (execution, reduction, capture (&cut, wanted)))
        return shrink (execution, g_steal_pointer (&reduction));
    }
  while (g_hash_table_size (cut.nodes) <= SONDE_REDUCE_MAX_NODES && grow (&cut, TRUE));
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Neither “%s” alone nor with the %u nodes before it does it again what it did.",
                   node->name, g_hash_table_size (cut.nodes) - 1);
  return NULL;
}
