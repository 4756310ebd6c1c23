/* SPDX-License-Identifier: Apache-2.0
 * anf_ir GraphProto -> SondeGraph: of summaries, of graph files and of dumps.
 * Nodes name their inputs by numbers that are unique in a graph; parameters and constants go by
 * names in the same list. Nothing promises that the order is one or that names are there. */
#include "data/records/mindspore/sonde-mindspore-graph-private.h"

#include "data/base/sonde-error.h"

/* About what these take in memory; taken from a budget by the size of the input. */
#define NODE_BYTES 1024
#define EDGE_BYTES 64
#define ATTRIBUTE_BYTES 256

typedef struct
{
  SondeWireItem name;
  GArray *nodes, *parameters, *outputs, *constants;
} Proto;

static const SondeMindsporeField graph_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (Proto, nodes), "GraphProto.node" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Proto, name), "GraphProto.name" },
  { 3, SONDE_MINDSPORE_ITEMS, offsetof (Proto, parameters), "GraphProto.parameters" },
  { 4, SONDE_MINDSPORE_ITEMS, offsetof (Proto, outputs), "GraphProto.outputs" },
  { 5, SONDE_MINDSPORE_ITEMS, offsetof (Proto, constants), "GraphProto.const_vals" },
};

typedef struct
{
  GArray *inputs, *attributes;
  SondeWireItem name, op, scope, type, full_name, source, instance;
} Node;

static const SondeMindsporeField node_fields[] = {
  { 1, SONDE_MINDSPORE_ITEMS, offsetof (Node, inputs), "NodeProto.input" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Node, name), "NodeProto.name" },
  { 3, SONDE_MINDSPORE_BYTES, offsetof (Node, op), "NodeProto.op_type" },
  { 4, SONDE_MINDSPORE_BYTES, offsetof (Node, scope), "NodeProto.scope" },
  { 5, SONDE_MINDSPORE_ITEMS, offsetof (Node, attributes), "NodeProto.attribute" },
  { 6, SONDE_MINDSPORE_BYTES, offsetof (Node, type), "NodeProto.output_type" },
  { 8, SONDE_MINDSPORE_BYTES, offsetof (Node, full_name), "NodeProto.full_name" },
  { 9, SONDE_MINDSPORE_BYTES, offsetof (Node, source), "NodeProto.source_address" },
  { 10, SONDE_MINDSPORE_BYTES, offsetof (Node, instance), "NodeProto.instance_name" },
};

/* ParameterProto, OutputProto, InputProto, AttributeProto and NamedValueProto: a name and two
 * more. */
typedef struct
{
  SondeWireItem name, content;
  gint64 edge;
} Named;

static const SondeMindsporeField named_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Named, name), "the name of a graph's part" },
  { 2, SONDE_MINDSPORE_BYTES, offsetof (Named, content), "the content of a graph's part" },
}, input_fields[] = {
  { 1, SONDE_MINDSPORE_BYTES, offsetof (Named, name), "InputProto.name" },
  { 2, SONDE_MINDSPORE_INT, offsetof (Named, edge), "InputProto.type" },
};

/* @values: name in the file -> value; @by_number: node of each NodeProto */
typedef struct
{
  SondeGraph *graph;
  SondeBudget budget;
  GHashTable *values;
  GPtrArray *by_number;
} Builder;

static void
node_clear (Node *node)
{
  g_clear_pointer (&node->inputs, g_array_unref);
  g_clear_pointer (&node->attributes, g_array_unref);
}

static void
proto_clear (Proto *proto)
{
  g_clear_pointer (&proto->nodes, g_array_unref);
  g_clear_pointer (&proto->parameters, g_array_unref);
  g_clear_pointer (&proto->outputs, g_array_unref);
  g_clear_pointer (&proto->constants, g_array_unref);
}

static void
builder_clear (Builder *builder)
{
  g_clear_pointer (&builder->graph, sonde_graph_unref);
  g_hash_table_unref (builder->values);
  g_ptr_array_unref (builder->by_number);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Node, node_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Proto, proto_clear)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Builder, builder_clear)

static gsize
length_of (GArray *array)
{
  return array != NULL ? array->len : 0;
}

static const SondeWireItem *
item_of (GArray *array, gsize i)
{
  return &g_array_index (array, SondeWireItem, i);
}

static gboolean
take_named (const SondeWireItem *message, Named *named, GError **error)
{
  *named = (Named){ { 0 } };
  return sonde_mindspore_take (message, named_fields, G_N_ELEMENTS (named_fields), named, error);
}

/* The first value of a name keeps it. */
static void
remember (Builder *builder, const SondeWireItem *name, SondeGraphValue *value)
{
  g_autofree char *key = sonde_mindspore_dup_text (name);

  if (!g_hash_table_contains (builder->values, key))
    g_hash_table_insert (builder->values, g_steal_pointer (&key), value);
}

/* ---- parameters and constants -------------------------------------------- */

/* Moments and the like are named after the parameter they belong to. */
static SondeValueRole
role_of_parameter (const char *name)
{
  if (g_str_has_prefix (name, "moment") || g_str_has_prefix (name, "accum"))
    return SONDE_ROLE_STATE;
  return strchr (name, '.') != NULL ? SONDE_ROLE_PARAMETER : SONDE_ROLE_INPUT;
}

static gboolean
add_parameters (Builder *builder, GArray *parameters, GError **error)
{
  for (gsize i = 0; i < length_of (parameters); i++)
    {
      g_autofree char *name = NULL;
      SondeGraphValue *value;
      SondeType type;
      Named named;

      if (!take_named (item_of (parameters, i), &named, error)
          || !sonde_mindspore_type (&named.content, &type, error))
        return FALSE;
      name = sonde_mindspore_dup_text (&named.name);
      value = sonde_graph_add_input (builder->graph, name, &type);
      value->role = role_of_parameter (name);
      remember (builder, &named.name, value);
    }
  return TRUE;
}

static void
set_constant (SondeGraphValue *value, SondeTensor *tensor)
{
  value->constant = sonde_value_new_tensor (tensor);
  value->type = sonde_type_of_value (value->constant);
}

/* A number is a tensor of its own; what has no form as a tensor is told in words. */
static void
set_constant_attribute (SondeGraphValue *value, SondeAttribute *attribute)
{
  g_autoptr (SondeTensor) tensor = NULL;
  SondeShape list = sonde_shape_make (1, (gint64) attribute->n);

  if (attribute->kind == SONDE_ATTRIBUTE_TENSOR)
    tensor = sonde_tensor_ref (attribute->u.tensor);
  else if (attribute->kind == SONDE_ATTRIBUTE_INT)
    tensor = sonde_tensor_new_i64 (attribute->u.i);
  else if (attribute->kind == SONDE_ATTRIBUTE_FLOAT)
    tensor = sonde_tensor_new_f32 ((float) attribute->u.f);
  else if (attribute->kind == SONDE_ATTRIBUTE_INTS)
    tensor = sonde_tensor_new_from_data (SONDE_DTYPE_I64, &list, attribute->u.ints);
  else if (attribute->kind == SONDE_ATTRIBUTE_FLOATS)
    tensor = sonde_tensor_new_from_data (SONDE_DTYPE_F64, &list, attribute->u.floats);
  if (tensor != NULL)
    set_constant (value, tensor);
  else if (attribute->kind == SONDE_ATTRIBUTE_STRING)
    value->doc = g_strdup (attribute->u.string);
}

static gboolean
add_constants (Builder *builder, GArray *constants, GError **error)
{
  for (gsize i = 0; i < length_of (constants); i++)
    {
      g_autofree char *name = NULL;
      SondeAttribute *attribute;
      SondeGraphValue *value;
      Named named;

      if (!take_named (item_of (constants, i), &named, error))
        return FALSE;
      name = sonde_mindspore_dup_text (&named.name);
      attribute = sonde_mindspore_attribute (name, &named.content, error);
      if (attribute == NULL)
        return FALSE;
      value = sonde_graph_add_value (builder->graph, name, NULL);
      value->role = SONDE_ROLE_CONSTANT;
      set_constant_attribute (value, attribute);
      sonde_attribute_free (attribute);
      remember (builder, &named.name, value);
    }
  return TRUE;
}

/* ---- nodes --------------------------------------------------------------- */

static SondePhase
phase_of (const char *scope)
{
  if (g_str_has_prefix (scope, "Gradients"))
    return SONDE_PHASE_BACKWARD;
  return strstr (scope, "optimizer") != NULL ? SONDE_PHASE_OPTIMISER : SONDE_PHASE_FORWARD;
}

static gboolean
add_attributes (SondeNode *node, GArray *attributes, GError **error)
{
  for (gsize i = 0; i < length_of (attributes); i++)
    {
      g_autofree char *name = NULL;
      SondeAttribute *attribute;
      Named named;

      if (!take_named (item_of (attributes, i), &named, error))
        return FALSE;
      name = sonde_mindspore_dup_text (&named.name);
      attribute = sonde_mindspore_attribute (name, &named.content, error);
      if (attribute == NULL)
        return FALSE;
      sonde_node_take_attribute (node, attribute);
    }
  return TRUE;
}

static char *
dup_node_name (const Node *proto)
{
  g_autofree char *number = sonde_mindspore_dup_text (&proto->name);
  g_autofree char *op = sonde_mindspore_dup_text (&proto->op);
  g_autofree char *scope = sonde_mindspore_dup_text (&proto->scope);

  if (proto->full_name.length > 0)
    return sonde_mindspore_dup_text (&proto->full_name);
  return g_strdup_printf ("%s%s%s-op%s", scope, *scope != '\0' ? "/" : "", op, number);
}

static gboolean
add_node (Builder *builder, const Node *proto, GError **error)
{
  g_autofree char *name = dup_node_name (proto);
  g_autofree char *number = sonde_mindspore_dup_text (&proto->name);
  g_autofree char *op = sonde_mindspore_dup_text (&proto->op);
  g_autofree char *scope = sonde_mindspore_dup_text (&proto->scope);
  g_autofree char *instance = sonde_mindspore_dup_text (&proto->instance);
  SondeNode *node = sonde_graph_add_node (builder->graph, name, "mindspore", op, NULL, 0, 1);
  SondeGraphValue *value = sonde_node_get_output (node, 0);

  g_ptr_array_add (builder->by_number, node);
  if (*number != '\0')
    sonde_graph_rename_value (builder->graph, value, number);
  remember (builder, &proto->name, value);
  node->scope = *scope != '\0' ? g_intern_string (scope) : NULL;
  node->phase = phase_of (scope);
  if (proto->source.length > 0)
    node->doc = sonde_mindspore_dup_text (&proto->source);
  if (*instance != '\0')
    sonde_node_set_string (node, "instance_name", instance);
  return sonde_mindspore_type (&proto->type, &value->type, error)
         && add_attributes (node, proto->attributes, error);
}

static gboolean
add_nodes (Builder *builder, GArray *nodes, GError **error)
{
  for (gsize i = 0; i < length_of (nodes); i++)
    {
      g_auto (Node) proto = { 0 };

      if (!sonde_mindspore_take (item_of (nodes, i), node_fields, G_N_ELEMENTS (node_fields),
                                 &proto, error)
          || !sonde_budget_take (&builder->budget,
                                 NODE_BYTES + EDGE_BYTES * length_of (proto.inputs)
                                     + ATTRIBUTE_BYTES * length_of (proto.attributes),
                                 "a node", error)
          || !add_node (builder, &proto, error))
        {
          sonde_prefix_error (error, "node %zu of the graph: ", i);
          return FALSE;
        }
    }
  return TRUE;
}

/* ---- edges --------------------------------------------------------------- */

static SondeGraphValue *
find_value (Builder *builder, const SondeWireItem *name)
{
  g_autofree char *key = sonde_mindspore_dup_text (name);
  SondeGraphValue *value = g_hash_table_lookup (builder->values, key);

  if (value == NULL)
    {
      value = sonde_graph_add_value (builder->graph, key, NULL);
      g_hash_table_insert (builder->values, g_steal_pointer (&key), value);
    }
  return value;
}

/* The order behind a node is an output of its own, as in TensorFlow's graphs: "^" before the
 * name. */
static SondeGraphValue *
find_control (Builder *builder, const SondeWireItem *name)
{
  SondeGraphValue *data = find_value (builder, name), *value;
  g_autofree char *text = sonde_mindspore_dup_text (name), *key = g_strconcat ("^", text, NULL);

  value = g_hash_table_lookup (builder->values, key);
  if (value != NULL)
    return value;
  value = sonde_graph_add_value (builder->graph, key, NULL);
  if (data->producer != NULL)
    sonde_node_set_output (builder->graph, data->producer, 1, value);
  g_hash_table_insert (builder->values, g_steal_pointer (&key), value);
  return value;
}

static gboolean
connect_node (Builder *builder, SondeNode *node, GArray *inputs, GError **error)
{
  for (gsize i = 0; i < length_of (inputs); i++)
    {
      Named input = { { 0 } };

      if (!sonde_mindspore_take (item_of (inputs, i), input_fields, G_N_ELEMENTS (input_fields),
                                 &input, error))
        return FALSE;
      sonde_node_set_input (builder->graph, node, (guint) i,
                            input.edge == 1 ? find_control (builder, &input.name)
                                            : find_value (builder, &input.name));
    }
  return TRUE;
}

static gboolean
connect_all (Builder *builder, const Proto *proto, GError **error)
{
  for (gsize i = 0; i < length_of (proto->nodes); i++)
    {
      g_auto (Node) node = { 0 };

      if (!sonde_mindspore_take (item_of (proto->nodes, i), node_fields, 1, &node, error)
          || !connect_node (builder, builder->by_number->pdata[i], node.inputs, error))
        return FALSE;
    }
  for (gsize i = 0; i < length_of (proto->outputs); i++)
    {
      Named output;

      if (!take_named (item_of (proto->outputs, i), &output, error))
        return FALSE;
      sonde_graph_add_output (builder->graph, find_value (builder, &output.name));
    }
  return TRUE;
}

SondeGraph *
sonde_mindspore_graph (const SondeWireItem *message, GError **error)
{
  g_auto (Proto) proto = { { 0 } };
  g_auto (Builder) builder = {
    .values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .by_number = g_ptr_array_new (),
  };
  g_autofree char *name = NULL;
  gsize n_values;

  if (!sonde_mindspore_take (message, graph_fields, G_N_ELEMENTS (graph_fields), &proto, error))
    return NULL;
  name = sonde_mindspore_dup_text (&proto.name);
  builder.graph = sonde_graph_new (name);
  builder.graph->producer = g_strdup ("MindSpore");
  sonde_budget_init (
      &builder.budget,
      MIN (SONDE_BUDGET_PARSE_BYTES, ((guint64) 64 << 20) + 16 * (guint64) message->length),
      "graph of a record");
  n_values = length_of (proto.parameters) + length_of (proto.constants) + length_of (proto.outputs);
  if (!sonde_budget_take (&builder.budget, n_values * (NODE_BYTES / 2), "values", error)
      || !add_parameters (&builder, proto.parameters, error)
      || !add_constants (&builder, proto.constants, error)
      || !add_nodes (&builder, proto.nodes, error) || !connect_all (&builder, &proto, error))
    return NULL;
  return g_steal_pointer (&builder.graph);
}
