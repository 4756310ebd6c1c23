/* SPDX-License-Identifier: Apache-2.0
 * Cutting a graph until it still fails, and making what is left smaller. */
#include "engine/debug/searches/sonde-reduce-cut-private.h"

#include <math.h>

#include "engine/debug/run/sonde-location-match.h"
#include "engine/live/sonde-nearest.h"

#define SAME_ENOUGH 1e-3 /* of the largest number: what is made again of the same inputs */

static gboolean
is_bad (const SondeTensor *tensor)
{
  const gint64 n = sonde_tensor_n_elements (tensor);

  for (gint64 i = 0; i < n && sonde_dtype_has_fractions (tensor->dtype); i++)
    if (!isfinite (sonde_tensor_get_double (tensor, i)))
      return TRUE;
  return FALSE;
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
                            .inputs = g_ptr_array_new_with_free_func (sonde_reduced_input_free),
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
find_bad_output (SondeReduceCut *cut, SondeNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeGraphValue *output = sonde_node_get_output (node, k);
      SondeTensor *tensor = output != NULL ? sonde_reduce_cut_capture (cut, output) : NULL;

      if (tensor != NULL && is_bad (tensor))
        return output;
    }
  return NULL;
}

static SondeNode *
find_node (SondeReduceCut *cut, SondeGraph *original, const char *name, GError **error)
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
  g_auto (SondeReduceCut) cut;
  SondeGraphValue *wanted;
  SondeNode *node;
  gboolean bad;

  sonde_reduce_cut_init (&cut, execution, original);
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

      while (g_hash_table_size (cut.nodes) <= SONDE_REDUCE_MAX_NODES
             && sonde_reduce_cut_grow (&cut, FALSE))
        ;
      reduction = sonde_reduce_cut_build (&cut, wanted, error);
      if (reduction == NULL)
        return NULL;
      reduction->bad = bad;
      if (fails (execution, reduction, sonde_reduce_cut_capture (&cut, wanted)))
        return shrink (execution, g_steal_pointer (&reduction));
    }
  while (g_hash_table_size (cut.nodes) <= SONDE_REDUCE_MAX_NODES
         && sonde_reduce_cut_grow (&cut, TRUE));
  sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_STATE,
                   "Neither “%s” alone nor with the %u nodes before it does it again what it did.",
                   node->name, g_hash_table_size (cut.nodes) - 1);
  return NULL;
}
