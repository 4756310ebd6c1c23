/* SPDX-License-Identifier: Apache-2.0
 * GraphDef and its functions -> SondeGraph. Nodes first, then edges: inputs may name nodes that
 * come later. Output 0 of "n" is the value "n", output k "n:k", a control edge the value "^n". */
#include "data/records/tensorboard/sonde-graph-def-private.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/base/sonde-wire.h"
#include "data/records/sonde-record-wire-private.h"

#define MAX_OUTPUTS 65536u
#define MAX_ATTRIBUTES 4096u
#define MAX_GRAPHS 10000u

/* A node whose edges are not made yet.
 * @named: (nullable): in a function: "out:k" -> number of the output, plus 1 */
typedef struct
{
  SondeNode *node;
  SondeBytes message;
  GHashTable *named;
} Draft;

typedef struct
{
  SondeGraph *graph;
  SondeBudget *budget;
  GArray *drafts;       /* of Draft */
  GHashTable *by_name;  /* name in the file, with the prefix -> number of its draft, plus 1 */
  GHashTable *dangling; /* names that nothing makes -> their value */
  const char *prefix;   /* of names: "" or "graph_1/" */
  /* (nullable): names in the file of those that have the prefix, too; lent */
  GHashTable *functions;
  gboolean is_function;
} Import;

static void
draft_clear (gpointer data)
{
  g_clear_pointer (&((Draft *) data)->named, g_hash_table_unref);
}

static void
import_init (Import *import, SondeGraph *graph, SondeBudget *budget, const char *prefix)
{
  *import = (Import){ .graph = graph, .budget = budget, .prefix = prefix };
  import->drafts = g_array_new (FALSE, TRUE, sizeof (Draft));
  g_array_set_clear_func (import->drafts, draft_clear);
  import->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  import->dangling = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
import_clear (Import *import)
{
  g_array_unref (import->drafts);
  g_hash_table_unref (import->by_name);
  g_hash_table_unref (import->dangling);
}

/* ---- values -------------------------------------------------------------- */

static SondeGraphValue *
add_output (Import *import, SondeNode *node, guint index, const char *name, GError **error)
{
  SondeGraphValue *value;
  guint more = index >= node->outputs->len ? index + 1 - node->outputs->len : 0;

  if (!sonde_budget_take (import->budget,
                          SONDE_GRAPH_DEF_VALUE_BYTES + more * sizeof (gpointer) + strlen (name),
                          "values of the graph", error))
    return NULL;
  value = sonde_graph_add_value (import->graph, name, NULL);
  sonde_node_set_output (import->graph, node, index, value);
  return value;
}

/* Output @index, made when it is first asked for. */
static SondeGraphValue *
get_output (Import *import, SondeNode *node, guint index, GError **error)
{
  SondeGraphValue *value = sonde_node_get_output (node, index);
  g_autofree char *name = NULL;

  if (value != NULL)
    return value;
  name = index == 0 ? g_strdup (node->name) : g_strdup_printf ("%s:%u", node->name, index);
  return add_output (import, node, index, name, error);
}

/* The control edge comes behind all outputs of data. */
static SondeGraphValue *
get_control (Import *import, SondeNode *node, GError **error)
{
  guint n = node->outputs->len;
  SondeGraphValue *last = n > 0 ? sonde_node_get_output (node, n - 1) : NULL;
  g_autofree char *name = NULL;

  if (last != NULL && last->name[0] == '^')
    return last;
  name = g_strconcat ("^", node->name, NULL);
  return add_output (import, node, n, name, error);
}

static SondeGraphValue *
get_dangling (Import *import, SondeNode *reader, const char *name, GError **error)
{
  SondeGraphValue *value = g_hash_table_lookup (import->dangling, name);

  if (value != NULL)
    return value;
  if (!sonde_budget_take (import->budget, SONDE_GRAPH_DEF_VALUE_BYTES + strlen (name),
                          "values of the graph", error))
    return NULL;
  sonde_graph_def_note_problem (import->graph, "node “%s” reads “%s”, which no node produces",
                                reader->name, name);
  value = sonde_graph_add_value (import->graph, name, NULL);
  g_hash_table_insert (import->dangling, g_strdup (name), value);
  return value;
}

/* ---- nodes --------------------------------------------------------------- */

typedef struct
{
  Import *import;
  SondeNode *node;
} ShapeTarget;

static gboolean
set_shape (gpointer data, guint index, int rank, const gint64 *dims, GError **error)
{
  ShapeTarget *target = data;
  SondeGraphValue *value;

  if (index >= MAX_OUTPUTS)
    return TRUE;
  value = get_output (target->import, target->node, index, error);
  if (value == NULL)
    return FALSE;
  value->type.kind = SONDE_VALUE_TENSOR;
  value->type.rank = rank <= SONDE_MAX_RANK ? rank : -1;
  for (int i = 0; i < value->type.rank; i++)
    value->type.dims[i] = (SondeDimension){ dims[i], NULL };
  return TRUE;
}

/* An entry of the map: 1 key, 2 value. */
static gboolean
add_attribute (Import *import, SondeNode *node, const SondeWireItem *entry, SondeDtype *dtype,
               GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (entry);
  SondeBytes value = { entry->bytes, 0 };
  SondeWireItem item, key = { 0 };
  g_autofree char *name = NULL;
  SondeAttribute *attribute;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      key = item;
    else if (item.number == 2 && item.type == SONDE_WIRE_BYTES)
      value = (SondeBytes){ item.bytes, item.length };
  name = sonde_record_dup_text (key.bytes, key.length);
  if (g_str_equal (name, "_output_shapes"))
    {
      ShapeTarget target = { import, node };

      return sonde_graph_def_foreach_shape (value, set_shape, &target, error);
    }
  if (g_str_equal (name, "dtype"))
    *dtype = sonde_graph_def_view_type (value);
  if (node->attributes->len >= MAX_ATTRIBUTES)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "Node “%s” has more than %u attributes", node->name, MAX_ATTRIBUTES);
      return FALSE;
    }
  attribute = sonde_graph_def_view_attribute (value, name, import->budget, error);
  if (attribute == NULL)
    return FALSE;
  sonde_node_take_attribute (node, attribute);
  return TRUE;
}

/* One bad attribute, as a tensor of a type that is unknown here, does not cost the graph. */
static gboolean
add_attributes (Import *import, SondeNode *node, SondeBytes message, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.at, message.length);
  SondeDtype dtype = SONDE_DTYPE_INVALID;
  SondeWireItem item;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      g_autoptr (GError) failure = NULL;

      if (item.number != 5 || item.type != SONDE_WIRE_BYTES
          || add_attribute (import, node, &item, &dtype, &failure))
        continue;
      if (g_error_matches (failure, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT))
        {
          g_propagate_error (error, g_steal_pointer (&failure));
          return FALSE;
        }
      sonde_graph_def_note_problem (import->graph, "node “%s”: %s", node->name, failure->message);
    }
  /* of constants, placeholders and variables it is that of what they make */
  for (guint i = 0; dtype != SONDE_DTYPE_INVALID && i < node->outputs->len; i++)
    if (sonde_node_get_output (node, i) != NULL)
      sonde_node_get_output (node, i)->type.dtype = dtype;
  return TRUE;
}

static char *
dup_name (Import *import, const SondeWireItem *item)
{
  g_autofree char *text = sonde_record_dup_text (item->bytes, item->length);

  return g_strconcat (import->prefix, text, NULL);
}

/* A function that came with a prefix is called by that. */
static char *
dup_op (Import *import, const SondeWireItem *item)
{
  g_autofree char *text = sonde_record_dup_text (item->bytes, MIN (item->length, 1024));

  if (text[0] == '\0')
    return g_strdup ("?");
  if (import->functions != NULL && g_hash_table_contains (import->functions, text))
    return g_strconcat (import->prefix, text, NULL);
  return g_steal_pointer (&text);
}

/* NodeDef: 1 name, 2 op, 3 inputs, 4 device, 5 attributes. */
static gboolean
add_node (Import *import, const SondeWireItem *message, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeWireItem item, name = { 0 }, op = { 0 }, device = { 0 };
  g_autofree char *name_text = NULL, *op_text = NULL, *device_text = NULL;
  Draft draft = { .message = { message->bytes, message->length } };
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    {
      if (item.number > 5)
        continue;
      if (item.type != SONDE_WIRE_BYTES)
        return sonde_event_fail (error, "Field %u of node %u has wire type %u", item.number,
                                 import->drafts->len, item.type);
      name = item.number == 1 ? item : name;
      op = item.number == 2 ? item : op;
      device = item.number == 4 ? item : device;
    }
  if (step == SONDE_WIRE_BROKEN)
    return sonde_event_fail (error, "Node %u of the graph is not a valid message",
                             import->drafts->len);
  if (!sonde_budget_take (import->budget,
                          SONDE_GRAPH_DEF_NODE_BYTES + 4 * (name.length + op.length),
                          "nodes of the graph", error))
    return FALSE;
  name_text = dup_name (import, &name);
  op_text = dup_op (import, &op);
  draft.node = sonde_graph_add_node (import->graph, name_text, SONDE_GRAPH_DEF_DOMAIN, op_text,
                                     NULL, 0, 0);
  if (device.length > 0)
    {
      device_text = sonde_record_dup_text (device.bytes, device.length);
      sonde_node_set_string (draft.node, "device", device_text);
    }
  if (g_hash_table_contains (import->by_name, name_text))
    sonde_graph_def_note_problem (import->graph, "several nodes are named “%s”", name_text);
  else
    g_hash_table_insert (import->by_name, g_steal_pointer (&name_text),
                         GUINT_TO_POINTER (import->drafts->len + 1));
  g_array_append_val (import->drafts, draft);
  return add_attributes (import, draft.node, draft.message, error);
}

/* ---- edges --------------------------------------------------------------- */

static Draft *
find_draft (Import *import, const char *name)
{
  guint found = GPOINTER_TO_UINT (g_hash_table_lookup (import->by_name, name));

  return found > 0 ? &g_array_index (import->drafts, Draft, found - 1) : NULL;
}

/* "node:k"; digits only. */
static gboolean
split_index (char *name, guint *index)
{
  char *colon = strrchr (name, ':');
  guint64 number;

  *index = 0;
  if (colon == NULL
      || !g_ascii_string_to_unsigned (colon + 1, 10, 0, MAX_OUTPUTS - 1, &number, NULL))
    return FALSE;
  *colon = '\0';
  *index = (guint) number;
  return TRUE;
}

/* In a function "node:out:k" names an output by its place in the operator's list "out", which we do
 * not have: outputs are numbered as they are met. */
static SondeGraphValue *
get_named_output (Import *import, Draft *draft, const char *full, GError **error)
{
  guint found;

  if (draft->named == NULL)
    draft->named = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  found = GPOINTER_TO_UINT (g_hash_table_lookup (draft->named, full));
  if (found == 0)
    {
      found = g_hash_table_size (draft->named) + 1;
      g_hash_table_insert (draft->named, g_strdup (full), GUINT_TO_POINTER (found));
    }
  return get_output (import, draft->node, found - 1, error);
}

static SondeGraphValue *
resolve (Import *import, SondeNode *reader, const char *full, GError **error)
{
  g_autofree char *name = g_strdup (full);
  gboolean has_index;
  Draft *draft;
  guint index;

  if (import->is_function)
    {
      SondeGraphValue *argument;
      char *colon = strchr (name, ':');

      if (colon != NULL)
        *colon = '\0';
      argument = sonde_graph_find_value (import->graph, name);
      if (argument != NULL && argument->role == SONDE_ROLE_INPUT)
        return argument;
      draft = find_draft (import, name);
      return draft != NULL ? get_named_output (import, draft, full, error)
                           : get_dangling (import, reader, full, error);
    }
  has_index = split_index (name, &index);
  draft = find_draft (import, name);
  if (draft == NULL && has_index)
    {
      index = 0;
      draft = find_draft (import, full);
    }
  return draft != NULL ? get_output (import, draft->node, index, error)
                       : get_dangling (import, reader, full, error);
}

/* Data edges of all nodes come first: the control edges then have their place behind the last
 * output. */
static gboolean
connect_node (Import *import, Draft *draft, gboolean control, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (draft->message.at, draft->message.length);
  SondeNode *node = draft->node;
  SondeWireItem item;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      gboolean is_control = item.length > 0 && item.bytes[0] == '^';
      g_autofree char *name = NULL;
      SondeGraphValue *value;
      Draft *from;

      if (item.number != 3 || is_control != control)
        continue;
      if (!sonde_budget_take (import->budget, 2 * sizeof (gpointer), "edges of the graph", error))
        return FALSE;
      if (is_control)
        {
          item.bytes++;
          item.length--;
        }
      name = dup_name (import, &item);
      if (is_control)
        {
          from = find_draft (import, name);
          value = from != NULL ? get_control (import, from->node, error)
                               : get_dangling (import, node, name, error);
        }
      else
        value = resolve (import, node, name, error);
      if (value == NULL)
        return FALSE;
      sonde_node_set_input (import->graph, node, node->inputs->len, value);
    }
  return TRUE;
}

/* Repeated NodeDefs in field @number of @message. */
static gboolean
import_nodes (Import *import, SondeBytes message, guint32 number, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.at, message.length);
  SondeWireItem item;
  SondeWireStep step;

  while ((step = sonde_wire_next (&cursor, &item)) == SONDE_WIRE_ITEM)
    if (item.number == number && item.type == SONDE_WIRE_BYTES && !add_node (import, &item, error))
      return FALSE;
  if (step == SONDE_WIRE_BROKEN)
    return sonde_event_fail (error, "Graph is not a valid message near byte %zu",
                             (gsize) (cursor.at - message.at));
  for (guint control = 0; control < 2; control++)
    for (guint i = 0; i < import->drafts->len; i++)
      if (!connect_node (import, &g_array_index (import->drafts, Draft, i), control == 1, error))
        return FALSE;
  return TRUE;
}

/* ---- functions ----------------------------------------------------------- */

/* OpDef: 1 name, 2 input_arg { 1 name, 3 type }. */
static gboolean
import_signature (SondeFunction *function, const SondeWireItem *signature, SondeBudget *budget,
                  GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (signature);
  SondeWireItem item, part;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      SondeWireCursor inner = sonde_wire_item_cursor (&item);
      SondeType type = sonde_type_unknown ();
      g_autofree char *name = NULL;

      if (item.number != 2 || item.type != SONDE_WIRE_BYTES)
        continue;
      if (!sonde_budget_take (budget, SONDE_GRAPH_DEF_VALUE_BYTES + item.length,
                              "arguments of a function", error))
        return FALSE;
      while (sonde_wire_next (&inner, &part) == SONDE_WIRE_ITEM)
        if (part.number == 1 && part.type == SONDE_WIRE_BYTES)
          {
            g_free (name);
            name = sonde_record_dup_text (part.bytes, part.length);
          }
        else if (part.number == 3 && part.type == SONDE_WIRE_VARINT)
          type.dtype = sonde_tensor_proto_get_dtype ((guint32) MIN (part.value, G_MAXUINT32), NULL);
      sonde_graph_add_input (function->body, name, &type);
    }
  return TRUE;
}

static char *
name_of_signature (const SondeWireItem *signature)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (signature);
  SondeWireItem item, name = { 0 };

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      name = item;
  return sonde_record_dup_text (name.bytes, name.length);
}

/* Map "ret": 1 name of the output, 2 "node:out:k". */
static gboolean
import_returns (Import *import, SondeBytes message, GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.at, message.length), inner;
  SondeWireItem item, part;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      if (item.number != 4 || item.type != SONDE_WIRE_BYTES)
        continue;
      inner = sonde_wire_item_cursor (&item);
      while (sonde_wire_next (&inner, &part) == SONDE_WIRE_ITEM)
        if (part.number == 2 && part.type == SONDE_WIRE_BYTES)
          {
            g_autofree char *name = sonde_record_dup_text (part.bytes, part.length);
            g_autofree char *node = g_strdup (name);
            SondeGraphValue *value;

            *(strchr (node, ':') != NULL ? strchr (node, ':') : node + strlen (node)) = '\0';
            value = sonde_graph_find_value (import->graph, node);
            if (find_draft (import, node) == NULL
                && (value == NULL || value->role != SONDE_ROLE_INPUT))
              continue;
            value = resolve (import, NULL, name, error);
            if (value == NULL)
              return FALSE;
            sonde_graph_add_output (import->graph, value);
          }
    }
  return TRUE;
}

/* FunctionDef: 1 signature, 3 nodes, 4 ret. */
static gboolean
import_function (SondeGraph *graph, const SondeWireItem *message, const char *prefix,
                 GHashTable *names, SondeBudget *budget, GError **error)
{
  SondeWireCursor cursor = sonde_wire_item_cursor (message);
  SondeBytes bytes = { message->bytes, message->length };
  SondeWireItem item, signature = { 0 };
  g_autofree char *name = NULL, *full = NULL;
  SondeFunction *function;
  Import import;
  gboolean right;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    if (item.number == 1 && item.type == SONDE_WIRE_BYTES)
      signature = item;
  if (!sonde_budget_take (budget, 2 * SONDE_GRAPH_DEF_NODE_BYTES, "functions of the graph", error))
    return FALSE;
  name = name_of_signature (&signature);
  full = g_strconcat (prefix, name, NULL);
  function = sonde_function_new (SONDE_GRAPH_DEF_DOMAIN, full, NULL);
  g_ptr_array_add (graph->functions, function);
  g_hash_table_add (names, g_steal_pointer (&name));
  import_init (&import, function->body, budget, "");
  import.is_function = TRUE;
  right = import_signature (function, &signature, budget, error)
          && import_nodes (&import, bytes, 3, error) && import_returns (&import, bytes, error);
  import_clear (&import);
  return right;
}

/* GraphDef: 1 nodes, 2 library { 1 functions }, 4 versions { 1 producer }. */
static gboolean
import_graph (SondeGraph *graph, SondeBytes message, const char *prefix, SondeBudget *budget,
              GError **error)
{
  SondeWireCursor cursor = sonde_wire_cursor (message.at, message.length), inner;
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  SondeWireItem item, part;
  Import import;
  gboolean right;

  while (sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      if ((item.number != 2 && item.number != 4) || item.type != SONDE_WIRE_BYTES)
        continue;
      inner = sonde_wire_item_cursor (&item);
      while (sonde_wire_next (&inner, &part) == SONDE_WIRE_ITEM)
        if (item.number == 4 && part.number == 1 && part.type == SONDE_WIRE_VARINT)
          sonde_graph_set_opset (graph, SONDE_GRAPH_DEF_DOMAIN, (int) MIN (part.value, G_MAXINT));
        else if (item.number == 2 && part.number == 1 && part.type == SONDE_WIRE_BYTES
                 && !import_function (graph, &part, prefix, names, budget, error))
          return FALSE;
    }
  import_init (&import, graph, budget, prefix);
  import.functions = prefix[0] != '\0' ? names : NULL;
  right = import_nodes (&import, message, 1, error);
  import_clear (&import);
  return right;
}

SondeGraph *
sonde_graph_def_to_graph (SondeBytes message, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeBudget budget;

  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, "a graph");
  return import_graph (graph, message, "", &budget, error) ? g_steal_pointer (&graph) : NULL;
}

/* ---- run metadata -------------------------------------------------------- */

/* Those of RunMetadata: 4 function_graphs { 2 before optimisation }, or else 3 partition_graphs. */
static GArray *
collect_graphs (SondeBytes message)
{
  GArray *traced = g_array_new (FALSE, FALSE, sizeof (SondeBytes));
  g_autoptr (GArray) partitions = g_array_new (FALSE, FALSE, sizeof (SondeBytes));
  SondeWireCursor cursor = sonde_wire_cursor (message.at, message.length), inner;
  SondeWireItem item, part;

  while (traced->len < MAX_GRAPHS && partitions->len < MAX_GRAPHS
         && sonde_wire_next (&cursor, &item) == SONDE_WIRE_ITEM)
    {
      SondeBytes bytes = { item.bytes, item.length };

      if (item.type != SONDE_WIRE_BYTES || (item.number != 3 && item.number != 4))
        continue;
      if (item.number == 3)
        g_array_append_val (partitions, bytes);
      inner = sonde_wire_item_cursor (&item);
      while (item.number == 4 && sonde_wire_next (&inner, &part) == SONDE_WIRE_ITEM)
        if (part.number == 2 && part.type == SONDE_WIRE_BYTES)
          {
            bytes = (SondeBytes){ part.bytes, part.length };
            g_array_append_val (traced, bytes);
          }
    }
  if (traced->len == 0)
    g_array_append_vals (traced, partitions->data, partitions->len);
  return traced;
}

SondeGraph *
sonde_graph_def_of_run_metadata (SondeBytes message, GError **error)
{
  g_autoptr (GArray) graphs = collect_graphs (message);
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeBudget budget;

  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, "a graph");
  for (guint i = 0; i < graphs->len; i++)
    {
      g_autofree char *prefix
          = graphs->len > 1 ? g_strdup_printf ("graph_%u/", i + 1) : g_strdup ("");

      if (!import_graph (graph, g_array_index (graphs, SondeBytes, i), prefix, &budget, error))
        return NULL;
    }
  return g_steal_pointer (&graph);
}

/* ---- records ------------------------------------------------------------- */

gboolean
sonde_event_read_graph (SondeBytes graph_def, SondeRecord *record, GError **error)
{
  record->u.graph.graph = sonde_graph_def_to_graph (graph_def, error);
  return record->u.graph.graph != NULL;
}

gboolean
sonde_plugin_read_graph (const SondePluginValue *value, SondeRecord *record, GError **error)
{
  SondeBytes bytes;

  if (!sonde_plugin_get_string (value, 0, &bytes, error))
    return FALSE;
  if (value->plugin == SONDE_PLUGIN_GRAPHS)
    return sonde_event_read_graph (bytes, record, error);
  record->u.graph.graph = value->plugin == SONDE_PLUGIN_GRAPH_KERAS_MODEL
                              ? sonde_keras_json_to_graph (bytes, error)
                              : sonde_graph_def_of_run_metadata (bytes, error);
  return record->u.graph.graph != NULL;
}
