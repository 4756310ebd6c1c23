/* SPDX-License-Identifier: Apache-2.0
 * Short calls that the rules of all families share. */
#include "engine/passes/sonde-legalise.h"

void
sonde_legalise_move_ints (SondeGraph *graph, SondeNode *node, const char *name, guint k)
{
  gsize n = 0;
  const gint64 *values = sonde_node_get_ints (node, name, &n);

  if (values == NULL)
    return;
  sonde_node_set_input (graph, node, k, sonde_build_ints (graph, values, n));
  (void) sonde_node_remove_attribute (node, name);
}

SondeDtype
sonde_legalise_dtype (SondeNode *node, guint k)
{
  SondeGraphValue *value = sonde_node_get_input (node, k);
  SondeDtype dtype = value ? value->type.dtype : SONDE_DTYPE_INVALID;

  return dtype == SONDE_DTYPE_INVALID ? SONDE_DTYPE_F32 : dtype;
}

void
sonde_legalise_move_float (SondeGraph *graph, SondeNode *node, const char *name, guint k)
{
  SondeAttribute *attribute = sonde_node_find_attribute (node, name);

  if (attribute == NULL || attribute->kind != SONDE_ATTRIBUTE_FLOAT)
    return;
  sonde_node_set_input (graph, node, k,
                        sonde_build_scalar (graph, sonde_legalise_dtype (node, 0), attribute->u.f));
  (void) sonde_node_remove_attribute (node, name);
}

int
sonde_legalise_rank (SondeNode *node, guint k)
{
  SondeGraphValue *value = sonde_node_get_input (node, k);

  return value ? value->type.rank : -1;
}

SondeGraphValue *
sonde_legalise_take_output (SondeGraph *graph, SondeNode *node, guint k)
{
  SondeGraphValue *output = sonde_node_get_output (node, k);

  if (output != NULL)
    sonde_node_set_output (graph, node, k, NULL);
  return output;
}

SondeNode *
sonde_legalise_add_node (SondeGraph *graph, const char *op, SondeGraphValue *a, SondeGraphValue *b,
                         SondeGraphValue *output)
{
  SondeGraphValue *inputs[] = { a, b };
  SondeNode *node = sonde_graph_add_node (graph, NULL, "", op, inputs, b ? 2 : 1, output ? 0 : 1);

  if (output != NULL)
    sonde_node_set_output (graph, node, 0, output);
  return node;
}
