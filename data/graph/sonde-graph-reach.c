/* SPDX-License-Identifier: Apache-2.0 */
#include "data/graph/sonde-graph-reach.h"

/* ---- walking ------------------------------------------------------------- */

/* Nodes that were reached; those whose neighbours have not been looked at yet. */
typedef struct
{
  guint8 *reached;
  GPtrArray *waiting;
} Walk;

static void
reach (Walk *walk, SondeNode *node)
{
  if (node == NULL || walk->reached[node->id])
    return;
  walk->reached[node->id] = TRUE;
  g_ptr_array_add (walk->waiting, node);
}

static void
reach_captured (Walk *walk, const SondeNode *node)
{
  for (guint i = 0; i < node->attributes->len; i++)
    {
      const SondeAttribute *attribute = g_ptr_array_index (node->attributes, i);
      const SondeGraph *body = attribute->kind == SONDE_ATTRIBUTE_GRAPH ? attribute->u.graph : NULL;

      for (guint k = 0; body != NULL && k < body->values->len; k++)
        {
          const SondeGraphValue *value = g_ptr_array_index (body->values, k);

          if (value != NULL && value->outer != NULL)
            reach (walk, value->outer->producer);
        }
    }
}

static void
reach_makers (Walk *walk, const SondeGraph *graph, const SondeNode *node)
{
  for (guint i = 0; i < node->inputs->len; i++)
    if (sonde_node_get_input (node, i) != NULL)
      reach (walk, sonde_node_get_input (node, i)->producer);
  reach_captured (walk, node);
}

/* The node of @graph whose attribute is the graph that captured a value. */
static SondeNode *
find_owner (const SondeGraph *graph, const SondeGraphValue *inner)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = g_ptr_array_index (graph->nodes, i);

      for (guint a = 0; node != NULL && a < node->attributes->len; a++)
        {
          const SondeAttribute *attribute = g_ptr_array_index (node->attributes, a);

          if (attribute->kind == SONDE_ATTRIBUTE_GRAPH
              && sonde_graph_find_value (attribute->u.graph, inner->name) == inner)
            return node;
        }
    }
  return NULL;
}

static void
reach_readers (Walk *walk, const SondeGraph *graph, const SondeNode *node)
{
  for (guint i = 0; i < node->outputs->len; i++)
    {
      const SondeGraphValue *value = sonde_node_get_output (node, i);

      for (guint k = 0; value != NULL && k < value->users->len; k++)
        reach (walk, g_ptr_array_index (value->users, k));
      for (guint k = 0; value != NULL && value->captures != NULL && k < value->captures->len; k++)
        reach (walk, find_owner (graph, g_ptr_array_index (value->captures, k)));
    }
}

static guint8 *
walk_from (const SondeGraph *graph, const SondeNode *node,
           void (*next) (Walk *walk, const SondeGraph *graph, const SondeNode *node))
{
  Walk walk = { g_new0 (guint8, graph->nodes->len + 1), g_ptr_array_new () };

  reach (&walk, (SondeNode *) node);
  while (walk.waiting->len > 0)
    next (&walk, graph, g_ptr_array_steal_index_fast (walk.waiting, walk.waiting->len - 1));
  g_ptr_array_unref (walk.waiting);
  return walk.reached;
}

guint8 *
sonde_graph_find_upstream (const SondeGraph *graph, const SondeNode *node)
{
  return walk_from (graph, node, reach_makers);
}

guint8 *
sonde_graph_find_downstream (const SondeGraph *graph, const SondeNode *node)
{
  return walk_from (graph, node, reach_readers);
}

guint8 *
sonde_graph_find_between (const SondeGraph *graph, const SondeNode *from, const SondeNode *to)
{
  g_autofree guint8 *after = sonde_graph_find_downstream (graph, from);
  g_autofree guint8 *before = sonde_graph_find_upstream (graph, to);

  if (!after[to->id])
    return NULL;
  for (guint i = 0; i < graph->nodes->len; i++)
    after[i] = after[i] && before[i];
  return g_steal_pointer (&after);
}

/* ---- cutting out --------------------------------------------------------- */

/* Whether it stays as it is: what is trained or written in the file. */
static gboolean
is_kept (const SondeGraphValue *value)
{
  return value->producer == NULL
         && (value->constant != NULL || value->role == SONDE_ROLE_PARAMETER
             || value->role == SONDE_ROLE_CONSTANT || value->role == SONDE_ROLE_STATE);
}

static gboolean
is_read (const SondeGraphValue *value)
{
  return value->users->len > 0 || (value->captures != NULL && value->captures->len > 0);
}

static void
remove_others (SondeGraph *graph, const guint8 *nodes)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_ptr_array_index (graph->nodes, i) != NULL && !nodes[i])
      sonde_graph_remove_node (graph, g_ptr_array_index (graph->nodes, i));
}

/* Whether it leaves the part: by value id, which a copy keeps. */
static gboolean
leaves (const SondeGraph *graph, const SondeGraphValue *value, const guint8 *nodes)
{
  if (value->producer == NULL || !nodes[value->producer->id])
    return FALSE;
  if (!is_read (value) || g_ptr_array_find (graph->outputs, value, NULL))
    return TRUE;
  for (guint i = 0; i < value->users->len; i++)
    if (!nodes[((const SondeNode *) g_ptr_array_index (value->users, i))->id])
      return TRUE;
  for (guint i = 0; value->captures != NULL && i < value->captures->len; i++)
    {
      const SondeNode *owner = find_owner (graph, g_ptr_array_index (value->captures, i));

      if (owner == NULL || !nodes[owner->id])
        return TRUE;
    }
  return FALSE;
}

static void
take_value (SondeGraph *part, const SondeGraph *graph, guint id, const guint8 *nodes)
{
  SondeGraphValue *value = g_ptr_array_index (part->values, id);
  const SondeGraphValue *original = g_ptr_array_index (graph->values, id);

  if (value == NULL)
    return;
  if (leaves (graph, original, nodes))
    sonde_graph_add_output (part, value);
  else if (value->producer == NULL && is_read (value) && !is_kept (value))
    {
      value->role = SONDE_ROLE_INPUT;
      g_ptr_array_add (part->inputs, value);
    }
  else if (value->producer == NULL && !is_read (value))
    sonde_graph_remove_value (part, value);
}

SondeGraph *
sonde_graph_extract (SondeGraph *graph, const guint8 *nodes)
{
  SondeGraph *part = sonde_graph_copy (graph, FALSE);
  guint n = part->values->len;

  g_ptr_array_set_size (part->inputs, 0);
  g_ptr_array_set_size (part->outputs, 0);
  remove_others (part, nodes);
  for (guint i = 0; i < n; i++)
    take_value (part, graph, i, nodes);
  return part;
}
