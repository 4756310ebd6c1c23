/* SPDX-License-Identifier: Apache-2.0
 * DatasetGraph -> a graph of the data pipeline: a tree whose leaves are the sources, an operation a
 * node. What Map does to a sample and how a source is sampled are attributes of their nodes. */
#include "data/records/mindspore/sonde-mindspore-items-private.h"

#include "data/base/sonde-error.h"

#define NODE_BYTES 2048

typedef struct
{
  GArray *children, *operations;
  SondeWireItem parameter, sampler;
} Proto;

static const SondeMindsporeField dataset_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (Proto, children), "DatasetGraph.children" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Proto, parameter), "DatasetGraph.parameter" },
  { 3, SONDE_MINDSPORE_ITEMS, offsetof (Proto, operations), "DatasetGraph.operations" },
  { 4, SONDE_MINDSPORE_BYTES, offsetof (Proto, sampler), "DatasetGraph.sampler" },
};

typedef struct
{
  SondeWireItem parameter;
  GArray *sizes, *weights;
} Operation;

static const SondeMindsporeField operation_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Operation, parameter), "Operation.operationParam" },
  { 2, SONDE_MINDSPORE_INTS, offsetof (Operation, sizes), "Operation.size" },
  { 3, SONDE_MINDSPORE_FLOATS, offsetof (Operation, weights), "Operation.weights" },
};

/* Maps of OperationParameter: entries {1 key, 2 value}. */
typedef struct
{
  GArray *maps[5];
} Parameter;

enum
{
  MAP_TEXTS,
  MAP_LISTS,
  MAP_BOOLS,
  MAP_INTS,
  MAP_DOUBLES,
};

static const SondeMindsporeField parameter_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (Parameter, maps[MAP_TEXTS]), "OperationParameter.mapStr" },
  { 2, SONDE_MINDSPORE_ITEMS, offsetof (Parameter, maps[MAP_LISTS]),
    "OperationParameter.mapStrList" },
  { 3, SONDE_MINDSPORE_ITEMS, offsetof (Parameter, maps[MAP_BOOLS]), "OperationParameter.mapBool" },
  { 4, SONDE_MINDSPORE_ITEMS, offsetof (Parameter, maps[MAP_INTS]), "OperationParameter.mapInt" },
  { 5, SONDE_MINDSPORE_ITEMS, offsetof (Parameter, maps[MAP_DOUBLES]),
    "OperationParameter.mapDouble" },
};

typedef struct
{
  SondeWireItem key, value;
  gint64 number;
  double real;
} Entry;

#define ENTRY_KEY                                                                                  \
  {                                                                                                \
    1, SONDE_MINDSPORE_BYTES, offsetof (Entry, key), "the key of an operation's parameter"         \
  }

static const SondeMindsporeField entry_fields[5][2] = {
  { ENTRY_KEY, { 2, SONDE_MINDSPORE_BYTES, offsetof (Entry, value), "an operation's text" } },
  { ENTRY_KEY, { 2, SONDE_MINDSPORE_BYTES, offsetof (Entry, value), "an operation's list" } },
  { ENTRY_KEY, { 2, SONDE_MINDSPORE_INT, offsetof (Entry, number), "an operation's flag" } },
  { ENTRY_KEY, { 2, SONDE_MINDSPORE_INT, offsetof (Entry, number), "an operation's number" } },
  { ENTRY_KEY, { 2, SONDE_MINDSPORE_DOUBLE, offsetof (Entry, real), "an operation's number" } },
};

typedef struct
{
  GArray *texts;
} TextList;

static const SondeMindsporeField list_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (TextList, texts), "StrList.strValue" },
};

typedef struct
{
  SondeGraph *graph;
  SondeBudget budget;
  GArray *items;
} Builder;

static void
parameter_clear (Parameter *parameter)
{
  for (guint i = 0; i < G_N_ELEMENTS (parameter->maps); i++)
    g_clear_pointer (&parameter->maps[i], g_array_unref);
}

static void
proto_clear (Proto *proto)
{
  g_clear_pointer (&proto->children, g_array_unref);
  g_clear_pointer (&proto->operations, g_array_unref);
}

static void
operation_clear (Operation *operation)
{
  g_clear_pointer (&operation->sizes, g_array_unref);
  g_clear_pointer (&operation->weights, g_array_unref);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parameter, parameter_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Proto, proto_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Operation, operation_clear)

static gsize
length_of (GArray *array)
{
  return array != NULL ? array->len : 0;
}

/* ---- parameters ---------------------------------------------------------- */

/* Members are JSON texts; an empty one is null. */
static char *
dup_list (const SondeWireItem *message, GError **error)
{
  TextList list = { NULL };
  gboolean right
      = sonde_mindspore_take (message, list_fields, G_N_ELEMENTS (list_fields), &list, error);
  g_autoptr (GArray) texts = list.texts;
  g_autoptr (GString) text = g_string_new ("[");

  if (!right)
    return NULL;
  for (gsize i = 0; i < length_of (texts); i++)
    {
      g_autofree char *member = sonde_mindspore_dup_text (&g_array_index (texts, SondeWireItem, i));

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", *member != '\0' ? member : "null");
    }
  return g_strdup (g_string_append_c (text, ']')->str);
}

static gboolean
add_entry (const SondeWireItem *message, guint map, const char *prefix, GArray *items,
           GError **error)
{
  g_autofree char *name = NULL, *key = NULL;
  Entry entry = { { 0 } };
  char *text;

  if (!sonde_mindspore_items_check (items, error)
      || !sonde_mindspore_take (message, entry_fields[map], 2, &entry, error))
    return FALSE;
  name = sonde_mindspore_dup_text (&entry.key);
  key = g_strconcat (prefix, name, NULL);
  if (map == MAP_INTS)
    sonde_mindspore_items_add_int (items, key, entry.number);
  else if (map == MAP_DOUBLES)
    sonde_mindspore_items_add_number (items, key, entry.real);
  else if (map == MAP_BOOLS)
    sonde_mindspore_items_add (items, key, g_strdup (entry.number != 0 ? "true" : "false"),
                               SONDE_HPARAM_BOOL);
  else
    {
      text = map == MAP_LISTS ? dup_list (&entry.value, error)
                              : sonde_mindspore_dup_text (&entry.value);
      if (text == NULL)
        return FALSE;
      sonde_mindspore_items_add (items, key, text, SONDE_HPARAM_TEXT);
    }
  return TRUE;
}

/* All entries of all maps, their keys behind @prefix. */
static gboolean
add_parameter (const SondeWireItem *message, const char *prefix, GArray *items, GError **error)
{
  g_auto (Parameter) parameter = { { NULL } };

  if (!sonde_mindspore_take (message, parameter_fields, G_N_ELEMENTS (parameter_fields), &parameter,
                             error))
    return FALSE;
  for (guint map = 0; map < G_N_ELEMENTS (parameter.maps); map++)
    for (gsize i = 0; i < length_of (parameter.maps[map]); i++)
      if (!add_entry (&g_array_index (parameter.maps[map], SondeWireItem, i), map, prefix, items,
                      error))
        return FALSE;
  return TRUE;
}

static void
add_numbers (GArray *numbers, gboolean is_real, const char *key, GArray *items)
{
  g_autoptr (GString) text = g_string_new ("[");

  for (gsize i = 0; i < length_of (numbers); i++)
    {
      g_autofree char *number
          = is_real ? sonde_mindspore_float_text (g_array_index (numbers, double, i))
                    : g_strdup_printf ("%" PRIi64, g_array_index (numbers, gint64, i));

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", number);
    }
  if (length_of (numbers) > 0)
    sonde_mindspore_items_add (items, key, g_strdup (g_string_append_c (text, ']')->str),
                               SONDE_HPARAM_TEXT);
}

static gboolean
add_operation (const SondeWireItem *message, const char *prefix, GArray *items, GError **error)
{
  g_autofree char *sizes = g_strconcat (prefix, "size", NULL),
                  *weights = g_strconcat (prefix, "weights", NULL);
  g_auto (Operation) operation = { { 0 } };

  if (!sonde_mindspore_take (message, operation_fields, G_N_ELEMENTS (operation_fields), &operation,
                             error)
      || !add_parameter (&operation.parameter, prefix, items, error))
    return FALSE;
  add_numbers (operation.sizes, FALSE, sizes, items);
  add_numbers (operation.weights, TRUE, weights, items);
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
take_facts (const Proto *proto, GArray *facts, GError **error)
{
  if (!add_parameter (&proto->parameter, "", facts, error))
    return FALSE;
  for (gsize i = 0; i < length_of (proto->operations); i++)
    {
      g_autofree char *prefix = g_strdup_printf ("operation%zu.", i);

      if (!add_operation (&g_array_index (proto->operations, SondeWireItem, i), prefix, facts,
                          error))
        return FALSE;
    }
  return proto->sampler.number == 0 || add_operation (&proto->sampler, "sampler.", facts, error);
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

/* The children first; their number inside each other is bounded by @depth. Returns: (nullable) */
static SondeNode *
build (Builder *builder, const SondeWireItem *message, guint depth, GError **error)
{
  g_autoptr (GArray) facts = sonde_mindspore_items_new ();
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  g_auto (Proto) proto = { NULL };

  if (depth > SONDE_BUDGET_NESTING)
    {
      sonde_mindspore_damaged (error, "the pipeline is nested more than %d deep",
                               SONDE_BUDGET_NESTING);
      return NULL;
    }
  if (!sonde_budget_take (&builder->budget, NODE_BYTES, "a step of the pipeline", error)
      || !sonde_mindspore_take (message, dataset_fields, G_N_ELEMENTS (dataset_fields), &proto,
                                error))
    return NULL;
  for (gsize i = 0; i < length_of (proto.children); i++)
    {
      SondeNode *child
          = build (builder, &g_array_index (proto.children, SondeWireItem, i), depth + 1, error);

      if (child == NULL)
        return NULL;
      g_ptr_array_add (inputs, sonde_node_get_output (child, 0));
    }
  if (!take_facts (&proto, facts, error) || !sonde_mindspore_items_check (builder->items, error))
    return NULL;
  return add_node (builder, facts, (SondeGraphValue *const *) inputs->pdata, inputs->len);
}

SondeGraph *
sonde_mindspore_pipeline (const SondeWireItem *message, GArray *items, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new ("pipeline");
  Builder builder = { .graph = graph, .items = items };
  SondeNode *last;

  sonde_budget_init (&builder.budget, ((guint64) 64 << 20) + 16 * (guint64) message->length,
                     "data pipeline of a record");
  last = build (&builder, message, 0, error);
  if (last == NULL)
    return NULL;
  sonde_graph_add_output (graph, sonde_node_get_output (last, 0));
  return g_steal_pointer (&graph);
}
