/* SPDX-License-Identifier: Apache-2.0
 * What all sources of dumps have in common. */
#include "app/worker/dumps/sonde-dump-source.h"

void
sonde_dump_graph_add_end (SondeGraph *graph)
{
  const SondeShape scalar = sonde_shape_scalar ();
  const SondeType type = sonde_type_tensor (SONDE_DTYPE_I64, &scalar);
  SondeGraphValue *input = sonde_graph_add_input (graph, SONDE_DUMP_ITERATION, &type);
  SondeNode *node = sonde_graph_add_node (graph, SONDE_DUMP_END, "", "Identity", &input, 1, 1);

  sonde_graph_set_opset (graph, "", 22);
  sonde_graph_add_output (graph, sonde_node_get_output (node, 0));
}
