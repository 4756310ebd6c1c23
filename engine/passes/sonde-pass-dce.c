/* SPDX-License-Identifier: Apache-2.0
 * Removes nodes that nobody needs. */
#include "engine/passes/sonde-passes.h"
#include "engine/passes/sonde-subgraphs.h"

/* @outputs: set of the graph's outputs */
static gboolean
value_is_needed (GHashTable *outputs, const SondeGraphValue *value)
{
  return value != NULL
         && (value->users->len > 0 || value->update_of != NULL
             || (value->captures != NULL && value->captures->len > 0)
             || g_hash_table_contains (outputs, value));
}

static gboolean
node_is_needed (GHashTable *outputs, const SondeNode *node)
{
  for (guint k = 0; k < node->outputs->len; k++)
    if (value_is_needed (outputs, node->outputs->pdata[k]))
      return TRUE;
  return FALSE;
}

static gboolean
appears_after (const GPtrArray *array, guint k, gconstpointer value)
{
  for (guint i = k + 1; i < array->len; i++)
    if (array->pdata[i] == value)
      return TRUE;
  return FALSE;
}

/* Who makes what the bodies of @node read may not be needed without it. */
static void
add_captured (const SondeNode *node, GArray *candidates)
{
  g_autoptr (GPtrArray) bodies = sonde_bodies_of (node);

  for (guint b = 0; bodies != NULL && b < bodies->len; b++)
    {
      const SondeGraph *body = bodies->pdata[b];

      for (guint i = 0; i < body->values->len; i++)
        {
          const SondeGraphValue *value = body->values->pdata[i];

          if (value != NULL && value->outer != NULL && value->outer->producer != NULL)
            g_array_append_val (candidates, value->outer->producer->id);
        }
    }
}

/* Outputs go with their node; constants that it alone read go too. */
static void
remove_node (SondeGraph *graph, GHashTable *kept, SondeNode *node, GArray *candidates)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_copy (node->inputs, NULL, NULL);
  g_autoptr (GPtrArray) outputs = g_ptr_array_copy (node->outputs, NULL, NULL);

  add_captured (node, candidates);
  sonde_graph_remove_node (graph, node);
  for (guint k = 0; k < outputs->len; k++)
    if (outputs->pdata[k] != NULL)
      sonde_graph_remove_value (graph, outputs->pdata[k]);
  for (guint k = 0; k < inputs->len; k++)
    {
      SondeGraphValue *value = inputs->pdata[k];

      if (value == NULL || appears_after (inputs, k, value) || value_is_needed (kept, value))
        continue;
      if (value->producer != NULL)
        g_array_append_val (candidates, value->producer->id);
      else if (value->role == SONDE_ROLE_CONSTANT && !g_ptr_array_find (graph->inputs, value, NULL))
        sonde_graph_remove_value (graph, value);
    }
}

/* Captures that a body does not read any more would keep alive what they capture. */
static void
remove_captures (SondeGraph *body)
{
  g_autoptr (GHashTable) outputs = sonde_outputs_of (body);

  for (guint i = 0; i < body->values->len; i++)
    {
      SondeGraphValue *value = body->values->pdata[i];

      if (value != NULL && value->outer != NULL && !value_is_needed (outputs, value)
          && !g_ptr_array_find (body->inputs, value, NULL))
        sonde_graph_remove_value (body, value);
    }
}

static void
remove_from_bodies (const SondeNode *node)
{
  g_autoptr (GPtrArray) bodies = sonde_bodies_of (node);

  for (guint b = 0; bodies != NULL && b < bodies->len; b++)
    {
      sonde_pass_dce (bodies->pdata[b]);
      remove_captures (bodies->pdata[b]);
    }
}

/* @outputs: set of what is needed. Ids, since a node may be named twice and be gone the second
 * time. */
static void
remove_dead (SondeGraph *graph, GHashTable *outputs)
{
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      if (graph->nodes->pdata[i] != NULL)
        remove_from_bodies (graph->nodes->pdata[i]);
      g_array_append_val (candidates, i);
    }
  while (candidates->len > 0)
    {
      guint id = g_array_index (candidates, guint, candidates->len - 1);
      SondeNode *node = graph->nodes->pdata[id];

      g_array_set_size (candidates, candidates->len - 1);
      if (node != NULL && !node_is_needed (outputs, node))
        remove_node (graph, outputs, node, candidates);
    }
}

void
sonde_pass_dce (SondeGraph *graph)
{
  g_autoptr (GHashTable) outputs = sonde_outputs_of (graph);

  remove_dead (graph, outputs);
}

void
sonde_pass_dce_keeping (SondeGraph *graph, GPtrArray *names)
{
  g_autoptr (GHashTable) outputs = sonde_outputs_of (graph);

  for (guint i = 0; i < names->len; i++)
    {
      SondeGraphValue *value = sonde_graph_find_value (graph, names->pdata[i]);

      if (value != NULL)
        g_hash_table_add (outputs, value);
    }
  remove_dead (graph, outputs);
}
