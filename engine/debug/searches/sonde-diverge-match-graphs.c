/* SPDX-License-Identifier: Apache-2.0
 * Which value of another graph is which of this one. */
#include "engine/debug/searches/sonde-diverge.h"

#include <string.h>

static char *
describe_input (const SondeGraphValue *value, GHashTable *names)
{
  const char *name = value != NULL ? g_hash_table_lookup (names, value) : NULL;

  if (value == NULL)
    return g_strdup ("-");
  if (name != NULL)
    return g_strdup_printf ("=%s", name);
  return sonde_type_to_string (&value->type);
}

static char *
describe_attribute (const SondeAttribute *attribute)
{
  if (attribute->kind == SONDE_ATTRIBUTE_INT)
    return g_strdup_printf ("%s=%" PRIi64, attribute->name, attribute->u.i);
  if (attribute->kind == SONDE_ATTRIBUTE_STRING)
    return g_strdup_printf ("%s=%s", attribute->name, attribute->u.string);
  return g_strdup (attribute->name); /* numbers may be what differs */
}

/* Operator and inputs of @node; FALSE for one of which an input has no partner yet. @names: value
 * -> common name */
static gboolean
describe_node (const SondeNode *node, GHashTable *names, GString *text)
{
  gboolean anchored = FALSE;

  g_string_printf (text, "%s:%s/%u", node->domain, node->op, node->outputs->len);
  for (guint i = 0; i < node->inputs->len; i++)
    {
      const SondeGraphValue *input = g_ptr_array_index (node->inputs, i);
      g_autofree char *described = describe_input (input, names);

      if (input != NULL && input->producer != NULL && !g_hash_table_contains (names, input))
        return FALSE;
      anchored |= *described == '=';
      g_string_append_printf (text, "|%s", described);
    }
  for (guint i = 0; i < node->attributes->len; i++)
    {
      g_autofree char *described = describe_attribute (g_ptr_array_index (node->attributes, i));

      g_string_append_printf (text, ";%s", described);
    }
  return anchored;
}

static GPtrArray *
order_of (const SondeGraph *graph)
{
  GPtrArray *order = sonde_graph_sort (graph, NULL);

  return order != NULL ? order : g_ptr_array_new ();
}

typedef struct
{
  GHashTable *partners;       /* value -> value of the other graph */
  GHashTable *taken;          /* set of values of the other graph */
  GHashTable *names, *others; /* value -> the name both have: of this graph's value */
} Matching;

static void
pair (Matching *matching, SondeGraphValue *value, SondeGraphValue *other)
{
  g_hash_table_insert (matching->partners, value, other);
  g_hash_table_add (matching->taken, other);
  g_hash_table_insert (matching->names, value, value->name);
  g_hash_table_insert (matching->others, other, value->name);
}

static void
pair_by_name (Matching *matching, const SondeGraph *graph, const SondeGraph *other)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);
      SondeGraphValue *partner = value != NULL ? sonde_graph_find_value (other, value->name) : NULL;

      if (partner != NULL)
        pair (matching, value, partner);
    }
  for (guint i = 0; i < graph->inputs->len && graph->inputs->len == other->inputs->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->inputs, i),
                      *partner = g_ptr_array_index (other->inputs, i);

      if (!g_hash_table_contains (matching->partners, value)
          && !g_hash_table_contains (matching->taken, partner))
        pair (matching, value, partner);
    }
}

static void
pair_outputs (Matching *matching, const SondeNode *node, const SondeNode *other)
{
  for (guint k = 0; k < node->outputs->len && k < other->outputs->len; k++)
    {
      SondeGraphValue *value = g_ptr_array_index (node->outputs, k),
                      *partner = g_ptr_array_index (other->outputs, k);

      if (value != NULL && partner != NULL && !g_hash_table_contains (matching->partners, value)
          && !g_hash_table_contains (matching->taken, partner))
        pair (matching, value, partner);
    }
}

/* Of those of @others (in their order) the first that looks as @node does. */
static SondeNode *
find_alike (Matching *matching, const SondeNode *node, GPtrArray *others)
{
  g_autoptr (GString) wanted = g_string_new (NULL), text = g_string_new (NULL);

  if (!describe_node (node, matching->names, wanted))
    return NULL;
  for (guint i = 0; i < others->len; i++)
    {
      SondeNode *other = g_ptr_array_index (others, i);

      if (other->op == node->op && describe_node (other, matching->others, text)
          && g_str_equal (text->str, wanted->str))
        return other;
    }
  return NULL;
}

static gboolean
has_free_output (const SondeNode *node, GHashTable *set)
{
  for (guint k = 0; k < node->outputs->len; k++)
    if (node->outputs->pdata[k] != NULL && !g_hash_table_contains (set, node->outputs->pdata[k]))
      return TRUE;
  return FALSE;
}

static GPtrArray *
list_free (GPtrArray *order, GHashTable *set)
{
  GPtrArray *list = g_ptr_array_new ();

  for (guint i = 0; i < order->len; i++)
    if (has_free_output (order->pdata[i], set))
      g_ptr_array_add (list, order->pdata[i]);
  return list;
}

GHashTable *
sonde_diverge_match_graphs (const SondeGraph *graph, const SondeGraph *other)
{
  g_autoptr (GHashTable) taken = g_hash_table_new (NULL, NULL),
                         names = g_hash_table_new (NULL, NULL),
                         others = g_hash_table_new (NULL, NULL);
  Matching matching = { g_hash_table_new (NULL, NULL), taken, names, others };
  g_autoptr (GPtrArray) order = order_of (graph), other_order = order_of (other);
  g_autoptr (GPtrArray) left = NULL, other_left = NULL;

  pair_by_name (&matching, graph, other);
  left = list_free (order, matching.partners);
  other_left = list_free (other_order, taken);
  for (guint i = 0; i < left->len && other_left->len > 0; i++)
    {
      SondeNode *alike = find_alike (&matching, left->pdata[i], other_left);

      if (alike == NULL)
        continue;
      pair_outputs (&matching, left->pdata[i], alike);
      g_ptr_array_remove (other_left, alike);
    }
  return matching.partners;
}
