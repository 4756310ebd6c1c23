/* SPDX-License-Identifier: Apache-2.0
 * Counts every use anew and compares with the lists the graph keeps. */
#include "tests/data/graph/check-graph.h"

static guint
count_entries (GPtrArray *array, gconstpointer entry)
{
  guint n = 0;

  for (guint i = 0; array != NULL && i < array->len; i++)
    n += array->pdata[i] == entry;
  return n;
}

static void
check_value (SondeGraph *graph, SondeGraphValue *value)
{
  guint n_uses = 0;

  g_assert_true (sonde_graph_find_value (graph, value->name) == value);
  g_assert_true (value->name[0] != '\0');
  if (value->producer != NULL)
    {
      g_assert_true (graph->nodes->pdata[value->producer->id] == value->producer);
      g_assert_true (sonde_node_get_output (value->producer, value->producer_output) == value);
    }
  if (value->outer != NULL)
    {
      g_assert_nonnull (graph->parent);
      g_assert_true (graph->parent->values->pdata[value->outer->id] == value->outer);
      g_assert_cmpuint (count_entries (value->outer->captures, value), ==, 1);
      g_assert_true (value->outer->captures->pdata[value->capture_index] == value);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];

      if (node == NULL)
        continue;
      g_assert_cmpuint (count_entries (node->inputs, value), ==,
                        count_entries (value->users, node));
      n_uses += count_entries (node->inputs, value);
    }
  g_assert_cmpuint (n_uses, ==, value->users->len);
}

static void
check_node (SondeGraph *graph, SondeNode *node)
{
  g_assert_true (sonde_graph_find_node (graph, node->name) == node);
  for (guint i = 0; i < node->inputs->len; i++)
    if (node->inputs->pdata[i] != NULL)
      {
        SondeGraphValue *value = node->inputs->pdata[i];

        g_assert_true (graph->values->pdata[value->id] == value);
      }
  for (guint i = 0; i < node->outputs->len; i++)
    if (node->outputs->pdata[i] != NULL)
      {
        SondeGraphValue *value = node->outputs->pdata[i];

        g_assert_true (value->producer == node && value->producer_output == i);
      }
  for (guint i = 0; i < node->attributes->len; i++)
    {
      SondeAttribute *attribute = node->attributes->pdata[i];

      if (attribute->kind == SONDE_ATTRIBUTE_GRAPH)
        {
          g_assert_true (attribute->u.graph->parent == graph);
          check_graph (attribute->u.graph);
        }
    }
}

void
check_graph (SondeGraph *graph)
{
  guint n_values = 0, n_nodes = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value == NULL)
        continue;
      n_values++;
      g_assert_cmpuint (value->id, ==, i);
      check_value (graph, value);
    }
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      SondeNode *node = graph->nodes->pdata[i];

      if (node == NULL)
        continue;
      n_nodes++;
      g_assert_cmpuint (node->id, ==, i);
      check_node (graph, node);
    }
  g_assert_cmpuint (g_hash_table_size (graph->value_names), ==, n_values);
  g_assert_cmpuint (sonde_graph_count_nodes (graph), ==, n_nodes);
}
