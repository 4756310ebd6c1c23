/* SPDX-License-Identifier: Apache-2.0 */
#include "explain/sonde-explainer-ending.h"

#include "engine/ops/sonde-build.h"

gboolean
sonde_ending_is (SondeGraph *graph, SondeOpId op)
{
  const SondeGraphValue *output = g_ptr_array_index (graph->outputs, 0);

  return sonde_node_is (output->producer, op);
}

/* A target behind one of these saturates. */
SondeGraphValue *
sonde_ending_find_logits (SondeGraph *graph)
{
  static const SondeOpId endings[]
      = { SONDE_OP_ID_SOFTMAX, SONDE_OP_ID_LOG_SOFTMAX, SONDE_OP_ID_SIGMOID };
  SondeGraphValue *output = g_ptr_array_index (graph->outputs, 0);

  for (gsize i = 0; i < G_N_ELEMENTS (endings); i++)
    if (sonde_ending_is (graph, endings[i]))
      return sonde_node_get_input (output->producer, 0);
  return output;
}

SondeGraphValue *
sonde_ending_build_probabilities (SondeGraph *graph)
{
  if (sonde_ending_is (graph, SONDE_OP_ID_SOFTMAX) || sonde_ending_is (graph, SONDE_OP_ID_SIGMOID))
    return g_ptr_array_index (graph->outputs, 0);
  return sonde_build_unary (graph, "Softmax", sonde_ending_find_logits (graph));
}
