/* SPDX-License-Identifier: Apache-2.0
 * Which nodes run as one step. A group grows from its first node along the readers of what it
 * makes; only the last result is read outside, and nobody asked for the others; where that is not
 * so, it may be a chain. A group stands where its last node stood. */
#include "engine/plan/sonde-plan-build.h"

#define MOST_NODES 12

/* Training keeps values for the gradients, KEEP keeps all of them. */
static gboolean
may_fuse (const SondePlan *plan, GPtrArray *order)
{
  if (plan->no_fusion || plan->memory == SONDE_MEMORY_KEEP || plan->device->klass->can_fuse == NULL)
    return FALSE;

  for (guint i = 0; i < order->len; i++)
    if (((SondeNode *) g_ptr_array_index (order, i))->phase != SONDE_PHASE_FORWARD)
      return FALSE;

  return TRUE;
}

static gboolean
is_inside (SondeNode *const *group, guint n, const SondeNode *node)
{
  for (guint i = 0; i < n; i++)
    if (group[i] == node)
      return TRUE;

  return FALSE;
}

/* The one result of @node, or NULL when it has several or it is wanted for itself. */
static SondeGraphValue *
only_result (const SondePlan *plan, const SondeNode *node)
{
  SondeGraphValue *value = sonde_node_get_output (node, 0);

  for (guint k = 1; k < node->outputs->len; k++)
    if (sonde_node_get_output (node, k) != NULL)
      return NULL;

  return value == NULL || (value->captures != NULL && value->captures->len > 0)
                 || value->update_of != NULL || plan->stays[value->id]
             ? NULL
             : value;
}

/* Every result but the last is read inside only. */
static gboolean
is_closed (SondeNode *const *group, guint n)
{
  for (guint i = 0; i + 1 < n; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (group[i], 0);

      for (guint k = 0; k < value->users->len; k++)
        if (!is_inside (group, n, g_ptr_array_index (value->users, k)))
          return FALSE;
    }

  return TRUE;
}

/* Of the nodes that read what the group makes, the one that comes first. */
static SondeNode *
next_reader (SondeNode *const *group, guint n, const guint *position)
{
  SondeNode *best = NULL;

  for (guint i = 0; i < n; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (group[i], 0);

      for (guint k = 0; k < value->users->len; k++)
        {
          SondeNode *reader = g_ptr_array_index (value->users, k);

          if (!is_inside (group, n, reader)
              && (best == NULL || position[reader->id] < position[best->id]))
            best = reader;
        }
    }

  return best;
}

/* DequantizeLinear that only @next reads comes along with it. */
static guint
pull_operands (const SondePlan *plan, const SondeNode *next, const guint *group_of,
               SondeNode *group[MOST_NODES], guint n)
{
  for (guint k = 0; k < next->inputs->len; k++)
    {
      const SondeGraphValue *value = sonde_node_get_input (next, k);
      SondeNode *node = value != NULL ? value->producer : NULL;

      if (node == NULL || !sonde_node_is (node, SONDE_OP_ID_DEQUANTIZE_LINEAR)
          || is_inside (group, n, node) || group_of[node->id] != SONDE_NEVER
          || value->users->len != 1 || n + 1 >= MOST_NODES || sonde_plan_is_deferred (node)
          || only_result (plan, node) == NULL)
        continue;

      group[n++] = node;
    }

  return n;
}

/* The largest group that begins with @first and that the device takes. */
static guint
find_group (const SondePlan *plan, SondeNode *first, const guint *group_of, const guint *position,
            SondeNode *group[MOST_NODES])
{
  guint n = 1, fits = 1;

  group[0] = first;
  while (n < MOST_NODES && !sonde_plan_is_deferred (first)
         && only_result (plan, group[n - 1]) != NULL)
    {
      SondeNode *next = next_reader (group, n, position);

      if (next == NULL || group_of[next->id] != SONDE_NEVER
          || next->inputs->len > SONDE_MOST_OPERANDS || sonde_plan_is_deferred (next))
        break;

      n = pull_operands (plan, next, group_of, group, n);
      group[n++] = next;
      if (is_closed (group, n) && plan->device->klass->can_fuse (plan->device, group, n))
        fits = n;
    }

  return fits;
}

static GPtrArray *
take_group (SondeNode *const *nodes, guint n, guint index, guint *group_of)
{
  GPtrArray *group = g_ptr_array_new ();

  for (guint i = 0; i < n; i++)
    {
      g_ptr_array_add (group, nodes[i]);
      group_of[nodes[i]->id] = index;
    }

  return group;
}

GPtrArray *
sonde_plan_group_nodes (SondePlan *plan, GPtrArray *order)
{
  g_autoptr (GPtrArray) groups = g_ptr_array_new ();
  GPtrArray *sorted = g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  g_autofree guint *group_of = g_new (guint, plan->graph->nodes->len + 1);
  g_autofree guint *position = g_new0 (guint, plan->graph->nodes->len + 1);
  gboolean fuse = may_fuse (plan, order);
  SondeNode *nodes[MOST_NODES];

  for (guint i = 0; i < plan->graph->nodes->len; i++)
    group_of[i] = SONDE_NEVER;
  for (guint i = 0; i < order->len; i++)
    position[((SondeNode *) g_ptr_array_index (order, i))->id] = i;

  for (guint i = 0; i < order->len; i++)
    {
      SondeNode *node = g_ptr_array_index (order, i);

      guint n = 1;

      if (group_of[node->id] != SONDE_NEVER)
        continue;

      nodes[0] = node;
      if (fuse)
        n = find_group (plan, node, group_of, position, nodes);
      if (fuse && n == 1)
        n = sonde_plan_find_chain (plan, node, group_of, position, nodes, MOST_NODES);
      g_ptr_array_add (groups, take_group (nodes, n, groups->len, group_of));
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
