/* SPDX-License-Identifier: Apache-2.0
 * Which nodes run as one step. Chains only: every value inside is read by the next node and by nobody
 * else, and nobody asked for it. A group stands where its last node stood. */
#include "engine/plan/sonde-plan-private.h"

#define MOST_NODES 8

/* Training keeps values for the gradients, KEEP keeps all of them. */
static gboolean
may_fuse (const SondePlan *plan,
          GPtrArray       *order)
{
  if (plan->no_fusion || plan->memory == SONDE_MEMORY_KEEP || plan->device->klass->can_fuse == NULL)
    return FALSE;

  for (guint i = 0; i < order->len; i++)
    if (((SondeNode *) g_ptr_array_index (order, i))->phase != SONDE_PHASE_FORWARD)
      return FALSE;

  return TRUE;
}

/* The one node that reads the one result of @node, or NULL. */
static SondeNode *
only_reader (const SondePlan *plan,
             const SondeNode *node)
{
  SondeGraphValue *value = sonde_node_get_output (node, 0);

  for (guint k = 1; k < node->outputs->len; k++)
    if (sonde_node_get_output (node, k) != NULL)
      return NULL;

  if (value == NULL || value->users->len != 1 || value->captures != NULL || value->update_of != NULL
      || sonde_plan_stays (plan, value))
    return NULL;

  return g_ptr_array_index (value->users, 0);
}

static guint
find_chain (const SondePlan *plan,
            SondeNode       *first,
            const guint     *group_of,
            SondeNode       *chain[MOST_NODES])
{
  guint n = 1, fits = 1;

  chain[0] = first;
  while (n < MOST_NODES && !sonde_plan_is_late (first))
    {
      SondeNode *next = only_reader (plan, chain[n - 1]);

      if (next == NULL || group_of[next->id] != SONDE_NEVER || sonde_plan_is_late (next))
        break;

      chain[n++] = next;
      if (!plan->device->klass->can_fuse (plan->device, chain, n))
        break;
      fits = n;
    }

  return fits;
}

static GPtrArray *
take_chain (SondeNode *const *chain,
            guint             n,
            guint             index,
            guint            *group_of)
{
  GPtrArray *group = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (group, chain[i]);
      group_of[chain[i]->id] = index;
    }

  return group;
}

GPtrArray *
sonde_plan_group_nodes (SondePlan *plan,
                        GPtrArray *order)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new ();
  GPtrArray *sorted = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autofree guint *group_of = g_new (guint, plan->graph->nodes->len + 1);
  gboolean fuse = may_fuse (plan, order);
  SondeNode *chain[MOST_NODES];

  for (guint i = 0; i < plan->graph->nodes->len; i++)
    group_of[i] = SONDE_NEVER;

  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);

      chain[0] = node;
      if (group_of[node->id] == SONDE_NEVER)
        g_ptr_array_add (groups, take_chain (chain, fuse ? find_chain (plan, node, group_of, chain) : 1,
                                             groups->len, group_of));
    }

  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);
      GPtrArray *group = g_ptr_array_index (groups, group_of[node->id]);

      if (g_ptr_array_index (group, group->len - 1) == node)
        g_ptr_array_add (sorted, group);
    }

  return sorted;
}
