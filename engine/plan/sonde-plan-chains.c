/* SPDX-License-Identifier: Apache-2.0
 * Nodes that run as one step although what they make inside is wanted: the step leaves every
 * result. A chain stands where its last node stood, so nobody outside may read one of its values
 * before. */
#include "engine/plan/sonde-plan-build.h"

static gboolean
may_join (const SondePlan *plan, const SondeNode *node, const guint *group_of)
{
  const SondeGraphValue *value = sonde_node_get_output (node, 0);

  return group_of[node->id] == SONDE_NEVER && node->inputs->len <= SONDE_MOST_OPERANDS
         && !sonde_plan_is_deferred (node) && value != NULL
         && (value->captures == NULL || value->captures->len == 0) && value->update_of == NULL;
}

static gboolean
is_inside (SondeNode *const *chain, guint n, const SondeNode *node)
{
  for (guint i = 0; i < n; i++)
    if (chain[i] == node)
      return TRUE;

  return FALSE;
}

/* Of the nodes outside that read what the chain makes, the one that comes first. */
static SondeNode *
first_reader (SondeNode *const *chain, guint n, const guint *position)
{
  SondeNode *best = NULL;

  for (guint i = 0; i < n; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (chain[i], 0);

      for (guint k = 0; k < value->users->len; k++)
        {
          SondeNode *reader = g_ptr_array_index (value->users, k);

          if ((best == NULL || position[reader->id] < position[best->id])
              && !is_inside (chain, n, reader))
            best = reader;
        }
    }

  return best;
}

guint
sonde_plan_find_chain (const SondePlan *plan, SondeNode *first, const guint *group_of,
                       const guint *position, SondeNode **chain, guint most)
{
  const SondeDeviceClass *klass = plan->device->klass;
  guint n = 1;

  chain[0] = first;
  if (klass->can_chain == NULL || !may_join (plan, first, group_of)
      || !klass->can_chain (plan->device, chain, 1))
    return 1;

  while (n < most)
    {
      SondeNode *next = first_reader (chain, n, position);

      if (next == NULL || !may_join (plan, next, group_of))
        break;
      chain[n] = next;
      if (!klass->can_chain (plan->device, chain, n + 1))
        break;
      n++;
    }

  return n;
}
