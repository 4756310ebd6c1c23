/* SPDX-License-Identifier: Apache-2.0
 * DatasetGraph -> a graph of the data pipeline: a tree whose leaves are the sources, an operation a
 * node. What Map does to a sample and how a source is sampled are attributes of their nodes. */
#include "data/records/mindspore/sonde-mindspore-items-private.h"

#include <inttypes.h>

#include "data/base/sonde-budget.h"
#include "data/base/sonde-text.h"
#include "data/records/mindspore.pb-c.h"
#include "data/records/sonde-record-text.h"
#include "data/wire/sonde-wire-decode.h"

#define NODE_BYTES 2048

typedef struct
{
  SondeGraph *graph;
  SondeBudget budget;
  GArray *items;
} Builder;

/* ---- parameters ---------------------------------------------------------- */

static char *
make_key (const char *prefix, ProtobufCBinaryData key)
{
  g_autofree char *name = sonde_record_dup_bytes (key);

  return g_strconcat (prefix, name, NULL);
}

/* Members are JSON texts; an empty one is null. (nullable): @list */
static char *
dup_list (const Mindspore__OperationParameter__TextList *list)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (gsize i = 0; list != NULL && i < list->n_text; i++)
    {
      g_autofree char *member = sonde_record_dup_bytes (list->text[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", *member != '\0' ? member : "null");
    }
  return g_strdup (g_string_append_c (text, ']')->str);
}

static void
add_numbered (const Mindspore__OperationParameter *parameter, const char *prefix, GArray *items)
{
  for (gsize i = 0; i < parameter->n_map_bool; i++)
    {
      g_autofree char *key = make_key (prefix, parameter->map_bool[i]->key);

      sonde_mindspore_items_add (items, key,
                                 g_strdup (parameter->map_bool[i]->value != 0 ? "true" : "false"),
                                 SONDE_HPARAM_BOOL);
    }
  for (gsize i = 0; i < parameter->n_map_int; i++)
    {
      g_autofree char *key = make_key (prefix, parameter->map_int[i]->key);

      sonde_mindspore_items_add_int (items, key, parameter->map_int[i]->value);
    }
  for (gsize i = 0; i < parameter->n_map_double; i++)
    {
      g_autofree char *key = make_key (prefix, parameter->map_double[i]->key);

      sonde_mindspore_items_add_number (items, key, parameter->map_double[i]->value);
    }
}

/* All entries of all maps, their keys behind @prefix. (nullable): @parameter */
static gboolean
add_parameter (const Mindspore__OperationParameter *parameter, const char *prefix, GArray *items,
               GError **error)
{
  if (parameter == NULL)
    return TRUE;
  if (!sonde_mindspore_items_check (items,
                                    parameter->n_map_str + parameter->n_map_str_list
                                        + parameter->n_map_bool + parameter->n_map_int
                                        + parameter->n_map_double,
                                    error))
    return FALSE;
  for (gsize i = 0; i < parameter->n_map_str; i++)
    {
      g_autofree char *key = make_key (prefix, parameter->map_str[i]->key);

      sonde_mindspore_items_add (items, key, sonde_record_dup_bytes (parameter->map_str[i]->value),
                                 SONDE_HPARAM_TEXT);
    }
  for (gsize i = 0; i < parameter->n_map_str_list; i++)
    {
      g_autofree char *key = make_key (prefix, parameter->map_str_list[i]->key);

      sonde_mindspore_items_add (items, key, dup_list (parameter->map_str_list[i]->value),
                                 SONDE_HPARAM_TEXT);
    }
  add_numbered (parameter, prefix, items);
  return TRUE;
}

static void
add_sizes (const Mindspore__Operation *operation, const char *key, GArray *items)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (gsize i = 0; i < operation->n_size; i++)
    g_string_append_printf (text, "%s%" PRIi64, i > 0 ? ", " : "", operation->size[i]);
  if (operation->n_size > 0)
    sonde_mindspore_items_add (items, key, g_strdup (g_string_append_c (text, ']')->str),
                               SONDE_HPARAM_TEXT);
}

static void
add_weights (const Mindspore__Operation *operation, const char *key, GArray *items)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (gsize i = 0; i < operation->n_weights; i++)
    {
      g_autofree char *number = sonde_mindspore_float_text ((double) operation->weights[i]);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", number);
    }
  if (operation->n_weights > 0)
    sonde_mindspore_items_add (items, key, g_strdup (g_string_append_c (text, ']')->str),
                               SONDE_HPARAM_TEXT);
}

static gboolean
add_operation (const Mindspore__Operation *operation, const char *prefix, GArray *items,
               GError **error)
{
  g_autofree char *sizes = g_strconcat (prefix, "size", NULL),
                  *weights = g_strconcat (prefix, "weights", NULL);

  if (!add_parameter (operation->operation_param, prefix, items, error))
    return FALSE;
  add_sizes (operation, sizes, items);
  add_weights (operation, weights, items);
  return TRUE;
}

/* ---- nodes --------------------------------------------------------------- */

static const char *
find_text (GArray *items, const char *key)
{
  for (guint i = 0; i < items->len; i++)
    if (g_str_equal (g_array_index (items, SondeHparam, i).key, key))
      return g_array_index (items, SondeHparam, i).text;
  return NULL;
}

static gboolean
take_facts (const Mindspore__DatasetGraph *proto, GArray *facts, GError **error)
{
  if (!add_parameter (proto->parameter, "", facts, error))
    return FALSE;
  for (gsize i = 0; i < proto->n_operations; i++)
    {
      g_autofree char *prefix = g_strdup_printf ("operation%zu.", i);

      if (!add_operation (proto->operations[i], prefix, facts, error))
        return FALSE;
    }
  return proto->sampler == NULL || add_operation (proto->sampler, "sampler.", facts, error);
}

static SondeNode *
add_node (Builder *builder, GArray *facts, SondeGraphValue *const *inputs, guint n_inputs)
{
  const char *found = find_text (facts, "op_type");
  g_autofree char *op = g_strdup (found != NULL ? found : "Dataset");
  SondeNode *node = sonde_graph_add_node (builder->graph, op, "mindspore", op, inputs, n_inputs, 1);

  for (guint i = 0; i < facts->len; i++)
    {
      const SondeHparam *fact = &g_array_index (facts, SondeHparam, i);
      g_autofree char *key = g_strconcat (node->name, ".", fact->key, NULL);

      if (g_str_equal (fact->key, "op_type"))
        continue;
      sonde_node_set_string (node, fact->key, fact->text);
      sonde_mindspore_items_add (builder->items, key, g_strdup (fact->text), fact->type);
    }
  return node;
}

/* The children first; the decoder bounds how deep they go. Returns: (nullable) */
static SondeNode *
build (Builder *builder, const Mindspore__DatasetGraph *proto, GError **error)
{
  g_autoptr (GArray) facts = sonde_mindspore_items_new ();
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();

  if (!sonde_budget_take (&builder->budget, NODE_BYTES, N_ ("a step of the pipeline"), error))
    return NULL;
  for (gsize i = 0; i < proto->n_children; i++)
    {
      SondeNode *child = build (builder, proto->children[i], error);

      if (child == NULL)
        return NULL;
      g_ptr_array_add (inputs, sonde_node_get_output (child, 0));
    }
  if (!take_facts (proto, facts, error)
      || !sonde_mindspore_items_check (builder->items, facts->len, error))
    return NULL;
  return add_node (builder, facts, (SondeGraphValue *const *) inputs->pdata, inputs->len);
}

SondeGraph *
sonde_mindspore_pipeline (ProtobufCBinaryData message, GArray *items, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Mindspore__DatasetGraph *proto
      = sonde_wire_decode_field (&mindspore__dataset_graph__descriptor, message, &arena, error);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("pipeline");
  Builder builder = { .graph = graph, .items = items };
  SondeNode *last;

  if (proto == NULL)
    return NULL;
  sonde_budget_init (&builder.budget, ((guint64) 64 << 20) + 16 * (guint64) message.len,
                     N_ ("data pipeline of a record"));
  last = build (&builder, proto, error);
  if (last == NULL)
    return NULL;
  sonde_graph_add_output (graph, sonde_node_get_output (last, 0));
  return g_steal_pointer (&graph);
}
