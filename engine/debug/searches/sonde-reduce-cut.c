/* SPDX-License-Identifier: Apache-2.0
 * Cutting nodes out of a graph into a model of its own, by data flow. */
#include "engine/debug/searches/sonde-reduce-cut-private.h"

#include <limits.h>

#define LEAST_IR_VERSION 8
#define MAX_INSIDE                                                                                 \
  4096 /* elements of an integer input that stays inside: axes, sizes, small indices */

void
sonde_reduced_input_free (void *data)
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

void
sonde_reduce_cut_init (SondeReduceCut *cut, SondeExecution *execution, SondeGraph *original)
{
  *cut = (SondeReduceCut){ .execution = execution, .original = original };
  cut->nodes = g_hash_table_new (NULL, NULL);
  cut->captured = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) sonde_tensor_unref);
}

void
sonde_reduce_cut_clear (SondeReduceCut *cut)
{
  g_clear_pointer (&cut->nodes, g_hash_table_unref);
  g_clear_pointer (&cut->captured, g_hash_table_unref);
}

SondeTensor *
sonde_reduce_cut_capture (SondeReduceCut *cut, SondeGraphValue *value)
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
read_by (const SondeReduceCut *cut, const SondeNode *node)
{
  GPtrArray *values = g_ptr_array_new ();

  for (guint k = 0; k < node->inputs->len; k++)
    if (sonde_node_get_input (node, k) != NULL)
      g_ptr_array_add (values, sonde_node_get_input (node, k));
  add_captures (node, cut->from, values);
  return values;
}

gboolean
sonde_reduce_cut_grow (SondeReduceCut *cut, gboolean all)
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
              && (all || sonde_reduce_cut_capture (cut, value) == NULL))
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
bring (SondeReduceCut *cut, SondeReduction *to, SondeGraphValue *value, GError **error)
{
  SondeGraphValue *copy = sonde_graph_find_value (to->graph, value->name);
  SondeTensor *tensor = copy == NULL ? sonde_reduce_cut_capture (cut, value) : NULL;
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
copy_node (SondeReduceCut *cut, SondeReduction *to, SondeNode *node, GError **error)
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
copy_functions (SondeReduceCut *cut, SondeReduction *to)
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
set_versions (SondeReduceCut *cut, SondeReduction *to)
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

SondeReduction *
sonde_reduce_cut_build (SondeReduceCut *cut, const SondeGraphValue *wanted, GError **error)
{
  g_autoptr (SondeReduction) reduction = g_new0 (SondeReduction, 1);
  g_autoptr (GPtrArray) order = sonde_graph_sort (cut->from, error);
  SondeTensor *known = sonde_reduce_cut_capture (cut, (SondeGraphValue *) wanted);
  SondeGraphValue *output;

  if (order == NULL)
    return NULL;
  reduction->graph = sonde_graph_new (wanted->producer->name);
  reduction->inputs = g_ptr_array_new_with_free_func (sonde_reduced_input_free);
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
