/* SPDX-License-Identifier: Apache-2.0
 * Computes nodes whose inputs are all constants, once. Their results are initialisers of the same
 * name, so they are still positions that can be looked at. */
#include "engine/passes/sonde-passes.h"
#include "engine/passes/sonde-subgraphs.h"

#include <string.h>

#define MOST_BYTES ((gsize) 64 << 20) /* a result that only repeats its inputs is not worth more */
#define REPEATED 16384                /* elements from which on repeating one is worth it */
#define WEIGHTS 4096                  /* elements from which on quantised constants are weights */

static gboolean
is_fixed (const SondeGraphValue *value)
{
  return value == NULL || sonde_fixed_value (value) != NULL;
}

/* Parameters are trained, inputs with a default may be given: neither is fixed. */
static gboolean
can_fold (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  if (klass == NULL || (klass->compute == NULL && klass->compute_values == NULL)
      || (klass->flags & (SONDE_OP_RANDOM | SONDE_OP_CONTROL)))
    return FALSE;
  for (guint k = 0; k < node->inputs->len; k++)
    if (!is_fixed (node->inputs->pdata[k]))
      return FALSE;
  return TRUE;
}

static SondeTensor *
fixed_tensor (SondeNode *node, guint k)
{
  SondeGraphValue *value = sonde_node_get_input (node, k);

  return value ? sonde_value_get_tensor (sonde_fixed_value (value)) : NULL;
}

/* What the results will take; sizes that only values tell, as a multiple of the inputs. */
static gsize
output_bytes (SondeNode *node)
{
  g_autofree SondeType *types = g_new0 (SondeType, node->outputs->len + 1);
  g_autofree SondeTensor **known = g_new0 (SondeTensor *, node->inputs->len + 1);
  gsize sum = 0, unknown = 0;

  for (guint k = 0; k < node->inputs->len; k++)
    {
      known[k] = fixed_tensor (node, k);
      unknown += known[k] ? 64 * sonde_tensor_n_bytes (known[k]) : 0;
    }
  if (!sonde_op_infer_node (node, known, types, NULL, NULL))
    return G_MAXSIZE;
  for (guint k = 0; k < node->outputs->len; k++)
    {
      SondeShape shape;

      if (sonde_node_get_output (node, k) == NULL)
        continue;
      if (sonde_type_get_shape (&types[k], &shape))
        sum += (gsize) sonde_shape_n_elements (&shape) * sonde_dtype_size (types[k].dtype);
      else
        sum += unknown;
    }
  return sum;
}

/* What cannot be computed stays: the run, or the branch that is not taken, will tell. */
static gboolean
compute_node (SondeNode *node, SondeValue **outputs)
{
  guint n = node->inputs->len;
  g_autofree SondeValue **inputs = g_new0 (SondeValue *, n + 1);
  gboolean good;

  for (guint k = 0; k < n; k++)
    {
      SondeGraphValue *value = sonde_node_get_input (node, k);

      inputs[k] = value ? sonde_fixed_value (value) : NULL;
    }
  good = sonde_op_run_reference_values (node, inputs, n, 0, 0, outputs, node->outputs->len, NULL);
  for (guint k = 0; good && k < node->outputs->len; k++)
    good = sonde_node_get_output (node, k) == NULL || sonde_value_get_tensor (outputs[k]) != NULL;
  return good;
}

/* A large ConstantOfShape is one element read again and again, which takes no memory. */
static gboolean
repeat_element (SondeNode *node, SondeValue **outputs)
{
  g_autoptr (SondeTensor) zero = sonde_tensor_new_f32 (0), view = NULL;
  SondeTensor *element = sonde_node_get_tensor (node, "value"), *shape = fixed_tensor (node, 0);
  const gint64 strides[SONDE_MAX_RANK] = { 0 };
  SondeType type;
  SondeShape size;

  element = element != NULL ? element : zero;
  if (!sonde_node_is (node, SONDE_OP_ID_CONSTANT_OF_SHAPE) || node->outputs->len != 1
      || element->dtype == SONDE_DTYPE_STRING || sonde_tensor_n_elements (element) != 1
      || shape == NULL || !sonde_op_infer_node (node, &shape, &type, NULL, NULL)
      || !sonde_type_get_shape (&type, &size) || sonde_shape_n_elements (&size) < REPEATED)
    return FALSE;

  view = sonde_tensor_view (element, &size, strides, 0);
  outputs[0] = sonde_value_new_tensor (view);
  return TRUE;
}

static gboolean
is_small (SondeNode *node)
{
  return output_bytes (node) <= MOST_BYTES || sonde_node_is (node, SONDE_OP_ID_CONSTANT_OF_SHAPE);
}

/* @outputs: what @node makes, taken; it goes, and its values are constants. */
static void
take_results (SondeGraph *graph, SondeNode *node, SondeValue **outputs)
{
  guint n_outputs = node->outputs->len;
  g_autofree SondeGraphValue **values = g_new0 (SondeGraphValue *, n_outputs + 1);

  for (guint k = 0; k < n_outputs; k++)
    values[k] = sonde_node_get_output (node, k);
  sonde_graph_remove_node (graph, node);
  for (guint k = 0; k < n_outputs; k++)
    {
      if (values[k] != NULL)
        {
          values[k]->constant = sonde_value_ref (outputs[k]);
          values[k]->type = sonde_type_of_value (outputs[k]);
          values[k]->role = SONDE_ROLE_CONSTANT;
        }
      sonde_value_unref (outputs[k]);
    }
}

static void
fold_node (SondeGraph *graph, SondeNode *node)
{
  guint n_outputs = node->outputs->len;
  g_autofree SondeValue **outputs = g_new0 (SondeValue *, n_outputs + 1);

  if (repeat_element (node, outputs) || compute_node (node, outputs))
    {
      take_results (graph, node, outputs);
      return;
    }
  for (guint k = 0; k < n_outputs; k++)
    sonde_value_unref (outputs[k]);
}

/* A Shape or Size of which nobody has to see the operand: one element read again and again stands
 * for it. */
static void
fold_size (SondeGraph *graph, SondeNode *node)
{
  SondeGraphValue *x = sonde_node_get_input (node, 0);
  g_autoptr (SondeTensor) element = sonde_tensor_new_f32 (0), view = NULL;
  const gint64 strides[SONDE_MAX_RANK] = { 0 };
  SondeTensor *result = NULL;
  SondeValue *value;
  SondeShape shape;

  if (x == NULL || node->outputs->len != 1 || sonde_node_get_output (node, 0) == NULL
      || x->type.kind != SONDE_VALUE_TENSOR || !sonde_type_get_shape (&x->type, &shape))
    return;

  view = sonde_tensor_view (element, &shape, strides, 0);
  if (!sonde_op_run_reference (node, &view, 1, &result, 1, NULL))
    return;
  value = sonde_value_new_tensor (result);
  sonde_tensor_unref (result);
  take_results (graph, node, &value);
}

gboolean
sonde_pass_fold_sizes (SondeGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return FALSE;
  for (guint i = 0; i < order->len; i++)
    if (sonde_node_is (order->pdata[i], SONDE_OP_ID_SHAPE)
        || sonde_node_is (order->pdata[i], SONDE_OP_ID_SIZE))
      fold_size (graph, order->pdata[i]);
  return TRUE;
}

static gboolean
makes_weights (SondeNode *node)
{
  SondeTensor *q
      = sonde_node_is (node, SONDE_OP_ID_DEQUANTIZE_LINEAR) ? fixed_tensor (node, 0) : NULL;

  return q != NULL && sonde_tensor_n_elements (q) >= WEIGHTS;
}

/* As deep as graphs lie in each other, which sonde_pass_check() limits. */
static gboolean
fold_graph (SondeGraph *graph, gboolean with_weights, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return FALSE;
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = order->pdata[i];
      g_autoptr (GPtrArray) bodies = sonde_bodies_of (node);

      for (guint b = 0; bodies != NULL && b < bodies->len; b++)
        if (!fold_graph (bodies->pdata[b], with_weights, error))
          return FALSE;
      if (can_fold (node) && is_small (node) && (with_weights || !makes_weights (node)))
        fold_node (graph, node);
    }
  return TRUE;
}

gboolean
sonde_pass_fold (SondeGraph *graph, GError **error)
{
  return fold_graph (graph, TRUE, error);
}

gboolean
sonde_pass_fold_but_weights (SondeGraph *graph, GError **error)
{
  return fold_graph (graph, FALSE, error);
}
