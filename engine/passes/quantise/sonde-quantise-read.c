/* SPDX-License-Identifier: Apache-2.0
 * What the passes on quantised values ask of QuantizeLinear and DequantizeLinear. */
#include "engine/passes/quantise/sonde-quantise-private.h"

gboolean
sonde_quantise_read (const SondeNode *node, SondeGraphValue *q, SondeQuantised *result)
{
  SondeTensor *scale = sonde_quantise_constant (sonde_node_get_input (node, 1));
  SondeTensor *zero = sonde_quantise_constant (sonde_node_get_input (node, 2));

  *result = (SondeQuantised){ q, sonde_node_get_input (node, 1), sonde_node_get_input (node, 2) };
  return q != NULL && (q->type.dtype == SONDE_DTYPE_I8 || q->type.dtype == SONDE_DTYPE_U8)
         && scale != NULL && zero != NULL && scale->dtype == SONDE_DTYPE_F32
         && sonde_tensor_n_elements (scale) == 1 && sonde_tensor_n_elements (zero) == 1
         && zero->dtype == q->type.dtype;
}

SondeNode *
sonde_quantise_only_reader (const SondeGraph *graph, const SondeGraphValue *value)
{
  return value != NULL && value->users->len == 1
                 && (value->captures == NULL || value->captures->len == 0)
                 && !g_ptr_array_find (graph->outputs, value, NULL)
             ? g_ptr_array_index (value->users, 0)
             : NULL;
}

SondeNode *
sonde_quantise_find_weights (const SondeGraph *original, const SondeGraphValue *value)
{
  SondeGraphValue *there
      = value->producer == NULL ? sonde_graph_find_value (original, value->name) : NULL;
  SondeNode *node = value->producer != NULL ? value->producer
                    : there != NULL         ? there->producer
                                            : NULL;

  return sonde_node_is (node, SONDE_OP_ID_DEQUANTIZE_LINEAR)
                 && sonde_quantise_constant (sonde_node_get_input (node, 0)) != NULL
                 && sonde_quantise_constant (sonde_node_get_input (node, 1)) != NULL
             ? node
             : NULL;
}
