/* SPDX-License-Identifier: Apache-2.0
 * anf_ir GraphProto -> SondeGraph: of summaries, of graph files and of dumps.
 * Nodes name their inputs by numbers that are unique in a graph; parameters and constants go by
 * names in the same list. Nothing promises that the order is one or that names are there. */
#include "data/records/mindspore/sonde-mindspore-graph-private.h"

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"
#include "data/wire/sonde-wire-decode.h"

/* About what these take in memory; taken from a budget by the size of the input. */
#define NODE_BYTES 1024
#define EDGE_BYTES 64
#define ATTRIBUTE_BYTES 256

/* @values: name in the file -> value; @by_number: node of each NodeProto; @scratch: of one of them at
 * a time */
typedef struct
{
  const Mindspore__GraphProto *proto;
  SondeWireArena scratch;
  SondeGraph *graph;
  SondeBudget budget;
  GHashTable *values;
  GPtrArray *by_number;
} Builder;

static void
builder_clear (Builder *builder)
{
  g_clear_pointer (&builder->graph, sonde_graph_unref);
  sonde_wire_arena_clear (&builder->scratch);
  g_hash_table_unref (builder->values);
  g_ptr_array_unref (builder->by_number);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Builder, builder_clear)

/* The first value of a name keeps it. */
static void
remember (Builder *builder, ProtobufCBinaryData name, SondeGraphValue *value)
{
  g_autofree char *key = sonde_record_dup_bytes (name);

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

static void
add_parameters (Builder *builder)
{
  for (gsize i = 0; i < builder->proto->n_parameters; i++)
    {
      const Mindspore__GraphProto__Parameter *parameter = builder->proto->parameters[i];
      const SondeType type = sonde_mindspore_type (parameter->type);
      g_autofree char *name = sonde_record_dup_bytes (parameter->name);
      SondeGraphValue *value = sonde_graph_add_input (builder->graph, name, &type);

      value->role = role_of_parameter (name);
      remember (builder, parameter->name, value);
    }
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
add_constants (Builder *builder, GError **error)
{
  for (gsize i = 0; i < builder->proto->n_const_vals; i++)
    {
      const Mindspore__NamedValue *constant = builder->proto->const_vals[i];
      g_autofree char *name = sonde_record_dup_bytes (constant->name);
      SondeAttribute *attribute = sonde_mindspore_attribute (name, constant->value, error);
      SondeGraphValue *value;

      if (attribute == NULL)
        return FALSE;
      value = sonde_graph_add_value (builder->graph, name, NULL);
      value->role = SONDE_ROLE_CONSTANT;
      set_constant_attribute (value, attribute);
      sonde_attribute_free (attribute);
      remember (builder, constant->name, value);
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
add_attributes (SondeNode *node, const Mindspore__NodeProto *proto, GError **error)
{
  for (gsize i = 0; i < proto->n_attribute; i++)
    {
      g_autofree char *name = sonde_record_dup_bytes (proto->attribute[i]->name);
      SondeAttribute *attribute
          = sonde_mindspore_attribute (name, proto->attribute[i]->value, error);

      if (attribute == NULL)
        return FALSE;
      sonde_node_take_attribute (node, attribute);
    }
  return TRUE;
}

static char *
dup_node_name (const Mindspore__NodeProto *proto)
{
  g_autofree char *number = sonde_record_dup_bytes (proto->name);
  g_autofree char *op = sonde_record_dup_bytes (proto->op_type);
  g_autofree char *scope = sonde_record_dup_bytes (proto->scope);

  if (proto->full_name.len > 0)
    return sonde_record_dup_bytes (proto->full_name);
  return g_strdup_printf ("%s%s%s-op%s", scope, *scope != '\0' ? "/" : "", op, number);
}

static gboolean
add_node (Builder *builder, const Mindspore__NodeProto *proto, GError **error)
{
  g_autofree char *name = dup_node_name (proto);
  g_autofree char *number = sonde_record_dup_bytes (proto->name);
  g_autofree char *op = sonde_record_dup_bytes (proto->op_type);
  g_autofree char *scope = sonde_record_dup_bytes (proto->scope);
  g_autofree char *instance = sonde_record_dup_bytes (proto->instance_name);
  SondeNode *node = sonde_graph_add_node (builder->graph, name, "mindspore", op, NULL, 0, 1);
  SondeGraphValue *value = sonde_node_get_output (node, 0);

  g_ptr_array_add (builder->by_number, node);
  if (*number != '\0')
    sonde_graph_rename_value (builder->graph, value, number);
  remember (builder, proto->name, value);
  node->scope = *scope != '\0' ? g_intern_string (scope) : NULL;
  node->phase = phase_of (scope);
  if (proto->source_address.len > 0)
    node->doc = sonde_record_dup_bytes (proto->source_address);
  if (*instance != '\0')
    sonde_node_set_string (node, "instance_name", instance);
  value->type = sonde_mindspore_type (proto->output_type);
  return add_attributes (node, proto, error);
}

static gboolean
add_nodes (Builder *builder, GError **error)
{
  for (gsize i = 0; i < builder->proto->n_node; i++)
    {
      const Mindspore__NodeProto *proto;

      sonde_wire_arena_empty (&builder->scratch);
      proto = sonde_wire_decode_field (&mindspore__node_proto__descriptor, builder->proto->node[i],
                                       &builder->scratch, error);
      if (proto == NULL
          || !sonde_budget_take (&builder->budget,
                                 NODE_BYTES + EDGE_BYTES * proto->n_input
                                     + ATTRIBUTE_BYTES * proto->n_attribute,
                                 N_ ("a node"), error)
          || !add_node (builder, proto, error))
        {
          sonde_prefix_error (error, "node %zu of the graph: ", i);
          return FALSE;
        }
    }
  return TRUE;
}

/* ---- edges --------------------------------------------------------------- */

static SondeGraphValue *
find_value (Builder *builder, ProtobufCBinaryData name)
{
  g_autofree char *key = sonde_record_dup_bytes (name);
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
find_control (Builder *builder, ProtobufCBinaryData name)
{
  SondeGraphValue *data = find_value (builder, name), *value;
  g_autofree char *text = sonde_record_dup_bytes (name), *key = g_strconcat ("^", text, NULL);

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
connect_node (Builder *builder, gsize i, GError **error)
{
  SondeNode *node = builder->by_number->pdata[i];
  const Mindspore__NodeInputs *proto;

  sonde_wire_arena_empty (&builder->scratch);
  proto = sonde_wire_decode_field (&mindspore__node_inputs__descriptor, builder->proto->node[i],
                                   &builder->scratch, error);
  for (gsize k = 0; proto != NULL && k < proto->n_input; k++)
    sonde_node_set_input (builder->graph, node, (guint) k,
                          proto->input[k]->type == 1 ? find_control (builder, proto->input[k]->name)
                                                     : find_value (builder, proto->input[k]->name));
  return proto != NULL;
}

static gboolean
connect_all (Builder *builder, GError **error)
{
  for (gsize i = 0; i < builder->proto->n_node; i++)
    if (!connect_node (builder, i, error))
      return FALSE;
  for (gsize i = 0; i < builder->proto->n_outputs; i++)
    sonde_graph_add_output (builder->graph, find_value (builder, builder->proto->outputs[i]->name));
  return TRUE;
}

SondeGraph *
sonde_mindspore_graph (ProtobufCBinaryData message, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  g_auto (Builder) builder = {
    .proto = sonde_wire_decode_field (&mindspore__graph_proto__descriptor, message, &arena, error),
    .values = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL),
    .by_number = g_ptr_array_new (),
  };
  g_autofree char *name = NULL;
  gsize n_values;

  if (builder.proto == NULL)
    return NULL;
  name = sonde_record_dup_bytes (builder.proto->name);
  builder.graph = sonde_graph_new (name);
  builder.graph->producer = g_strdup ("MindSpore");
  sonde_budget_init (
      &builder.budget,
      MIN (SONDE_BUDGET_PARSE_BYTES, ((guint64) 64 << 20) + 16 * (guint64) message.len),
      N_ ("graph of a record"));
  n_values = builder.proto->n_parameters + builder.proto->n_const_vals + builder.proto->n_outputs;
  if (!sonde_budget_take (&builder.budget, n_values * (NODE_BYTES / 2), N_ ("values"), error))
    return NULL;
  add_parameters (&builder);
  if (!add_constants (&builder, error) || !add_nodes (&builder, error)
      || !connect_all (&builder, error))
    return NULL;
  return g_steal_pointer (&builder.graph);
}
