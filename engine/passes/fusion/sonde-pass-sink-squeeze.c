/* SPDX-License-Identifier: Apache-2.0
 * A Squeeze behind a convolution, as exporters write one that has a single spatial dimension, goes
 * behind what is done to each element, so that the convolution can do that, and behind a pool of
 * what is left. */
#include "engine/ops/sonde-build.h"
#include "engine/passes/fusion/sonde-pattern.h"

/* Its results are functions of the elements at their place. */
static gboolean
is_elementwise (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && (klass->flags & SONDE_OP_ELEMENTWISE) != 0;
}

/* Bit d: dimension d of the operand goes. 0: not known, or nothing. */
static guint
squeezed_axes (const SondeNode *node)
{
  const SondeGraphValue *x = sonde_node_get_input (node, 0), *axes = sonde_node_get_input (node, 1);
  SondeTensor *tensor = axes != NULL && sonde_fixed_value (axes) != NULL
                            ? sonde_value_get_tensor (sonde_fixed_value (axes))
                            : NULL;
  guint bits = 0;

  if (tensor == NULL || x->type.rank < 1)
    return 0;
  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    {
      gint64 axis = sonde_tensor_get_int (tensor, i);

      axis += axis < 0 ? x->type.rank : 0;
      if (axis < 0 || axis >= x->type.rank)
        return 0;
      bits |= 1u << axis;
    }
  return bits;
}

/* The one node that reads what @node makes, which nobody else wants. */
static SondeNode *
only_reader (const SondeGraph *graph, const SondeNode *node)
{
  const SondeGraphValue *value = sonde_node_get_output (node, 0);

  return value != NULL && node->outputs->len == 1 && value->users->len == 1
                 && (value->captures == NULL || value->captures->len == 0)
                 && value->update_of == NULL && !g_ptr_array_find (graph->outputs, value, NULL)
             ? g_ptr_array_index (value->users, 0)
             : NULL;
}

/* An operand beside the squeezed value, as it is beside the value itself; NULL: it is none that no
 * run changes, or of more dimensions. */
static SondeGraphValue *
unsqueeze_operand (SondeGraph *graph, SondeGraphValue *operand, const SondeGraphValue *x,
                   guint axes)
{
  SondeTensor *tensor = sonde_fixed_value (operand) != NULL
                            ? sonde_value_get_tensor (sonde_fixed_value (operand))
                            : NULL;
  SondeShape shape = sonde_shape_make (0);
  g_autoptr (SondeTensor) view = NULL;
  int left;

  if (tensor == NULL)
    return NULL;
  left = tensor->shape.rank;
  for (int d = x->type.rank - 1; d >= 0; d--)
    shape.dims[d] = (axes & (1u << d)) != 0 || left == 0 ? 1 : tensor->shape.dims[--left];
  shape.rank = x->type.rank;
  if (left > 0)
    return NULL;

  view = sonde_tensor_reshape (tensor, &shape);
  return sonde_build_constant (graph, operand->name, view);
}

/* Gives @reader the operand of @squeeze, and what it makes to @squeeze. What was between them is
 * another value then. */
static gboolean
change_places (SondeGraph *graph, SondeNode *squeeze, SondeNode *reader, guint k)
{
  SondeGraphValue *x = sonde_node_get_input (squeeze, 0),
                  *between = sonde_node_get_output (squeeze, 0);
  SondeGraphValue *result = sonde_node_get_output (reader, 0),
                  *unsqueezed = sonde_graph_add_value (graph, NULL, NULL);

  sonde_node_set_output (graph, squeeze, 0, NULL);
  sonde_node_set_output (graph, reader, 0, unsqueezed);
  sonde_node_set_input (graph, reader, k, x);
  sonde_node_set_input (graph, squeeze, 0, unsqueezed);
  sonde_node_set_output (graph, squeeze, 0, result);
  sonde_graph_remove_value (graph, between);
  return sonde_build_infer (graph, reader, NULL);
}

/* The operands of @reader that stand beside @between, as they are beside @x; numbers stay. FALSE:
 * nothing was changed. */
static gboolean
unsqueeze_operands (SondeGraph *graph, SondeNode *reader, const SondeGraphValue *between,
                    const SondeGraphValue *x, guint axes, guint *place)
{
  g_autoptr (GPtrArray) operands = g_ptr_array_copy (reader->inputs, NULL, NULL);
  guint n = 0;

  for (guint k = 0; k < operands->len; k++)
    {
      SondeGraphValue *operand = operands->pdata[k];

      if (operand == between)
        {
          n++;
          *place = k;
        }
      else if (operand != NULL && operand->type.rank != 0
               && (operands->pdata[k] = unsqueeze_operand (graph, operand, x, axes)) == NULL)
        return FALSE;
    }
  for (guint k = 0; k < operands->len && n == 1; k++)
    if (operands->pdata[k] != reader->inputs->pdata[k])
      sonde_node_set_input (graph, reader, k, operands->pdata[k]);
  return n == 1;
}

/* One step down. Returns: it was made */
static gboolean
sink (SondeGraph *graph, SondeNode *squeeze)
{
  SondeNode *reader = only_reader (graph, squeeze);
  const SondeGraphValue *between = sonde_node_get_output (squeeze, 0);
  const guint axes = squeezed_axes (squeeze);
  guint k = 0;

  if (reader == NULL || axes == 0 || reader->outputs->len != 1
      || reader->phase != SONDE_PHASE_FORWARD)
    return FALSE;

  if (sonde_node_is (reader, SONDE_OP_ID_GLOBAL_AVERAGE_POOL)
      || sonde_node_is (reader, SONDE_OP_ID_GLOBAL_MAX_POOL))
    return (axes & 3u) == 0 && between->type.rank >= 3 && change_places (graph, squeeze, reader, 0);
  return is_elementwise (reader)
         && unsqueeze_operands (graph, reader, between, sonde_node_get_input (squeeze, 0), axes, &k)
         && change_places (graph, squeeze, reader, k);
}

gboolean
sonde_pass_sink_squeeze (SondeGraph *graph, GError **error)
{
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return FALSE;
  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);
      SondeGraphValue *x = sonde_node_get_input (node, 0);

      if (!sonde_node_is (node, SONDE_OP_ID_SQUEEZE) || x == NULL
          || !sonde_node_is (x->producer, SONDE_OP_ID_CONV))
        continue;
      while (sink (graph, node))
        ;
    }
  sonde_pass_dce (graph);
  return TRUE;
}
