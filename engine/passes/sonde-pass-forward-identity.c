/* SPDX-License-Identifier: Apache-2.0
 * Forwards identities: what reads the output of a node that changes nothing (its row says when)
 * reads the node's input instead, so that what follows sees constants and neighbours through it.
 * The node stays: its output is still a value to look at. */
#include "engine/passes/sonde-passes.h"

static gboolean
changes_nothing (const SondeNode *node)
{
  const SondeOpClass *klass = sonde_op_of_node (node);

  return klass != NULL && klass->changes_nothing != NULL && node->phase == SONDE_PHASE_FORWARD
         && klass->changes_nothing (node);
}

static gboolean
is_same_type (const SondeType *a, const SondeType *b)
{
  if (a->kind != SONDE_VALUE_TENSOR || b->kind != SONDE_VALUE_TENSOR || a->dtype != b->dtype
      || a->rank != b->rank)
    return FALSE;
  for (int d = 0; d < a->rank; d++)
    if (a->dims[d].size != b->dims[d].size)
      return FALSE;
  return a->rank >= 0;
}

void
sonde_pass_forward_identity (SondeGraph *graph)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);
      SondeGraphValue *from = node != NULL ? sonde_node_get_input (node, 0) : NULL;
      SondeGraphValue *to = from != NULL ? sonde_node_get_output (node, 0) : NULL;
      g_autoptr (GPtrArray) users = NULL;

      if (to == NULL || to->update_of != NULL || from->update_of != NULL
          || !is_same_type (&from->type, &to->type) || !changes_nothing (node))
        continue;

      users = g_ptr_array_copy (to->users, NULL, NULL);
      for (guint u = 0; u < users->len; u++)
        {
          SondeNode *user = g_ptr_array_index (users, u);

          for (guint k = 0; k < user->inputs->len; k++)
            if (sonde_node_get_input (user, k) == to)
              sonde_node_set_input (graph, user, k, from);
        }
    }
}
