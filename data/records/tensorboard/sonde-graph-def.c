/* SPDX-License-Identifier: Apache-2.0
 * GraphDef and its functions -> SondeGraph. Nodes first, then edges: inputs may name nodes that
 * come later. Output 0 of "n" is the value "n", output k "n:k", a control edge the value "^n". */
#include "data/records/tensorboard/sonde-graph-def-private.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/records/sonde-record-text.h"
#include "data/records/tensorboard/sonde-graph-def-attribute-private.h"
#include "data/wire/sonde-wire-decode.h"

#define MAX_OUTPUTS 65536u
#define MAX_ATTRIBUTES 4096u
#define MAX_GRAPHS 10000u

/* A node whose edges are not made yet.
 * @named: (nullable): in a function: "out:k" -> number of the output, plus 1 */
typedef struct
{
  SondeNode *node;
  const Tensorboard__NodeDef *message;
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
  SondeWireArena attribute; /* the one that is read */
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
  sonde_wire_arena_clear (&import->attribute);
}

/* ---- values -------------------------------------------------------------- */

static SondeGraphValue *
add_output (Import *import, SondeNode *node, guint index, const char *name, GError **error)
{
  SondeGraphValue *value;
  guint more = index >= node->outputs->len ? index + 1 - node->outputs->len : 0;

  if (!sonde_budget_take (import->budget,
                          SONDE_GRAPH_DEF_VALUE_BYTES + more * sizeof (gpointer) + strlen (name),
                          N_ ("values of the graph"), error))
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
                          N_ ("values of the graph"), error))
    return NULL;
  sonde_graph_def_note_problem (import->graph, "node “%s” reads “%s”, which no node produces",
                                reader->name, name);
  value = sonde_graph_add_value (import->graph, name, NULL);
  g_hash_table_insert (import->dangling, g_strdup (name), value);
  return value;
}

/* ---- nodes --------------------------------------------------------------- */

static gboolean
set_shape (Import *import, SondeNode *node, guint index, ProtobufCBinaryData shape, GError **error)
{
  gint64 dims[SONDE_MAX_RANK];
  SondeGraphValue *value;
  const guint8 *at;
  int rank;

  if (!sonde_tensor_proto_view_shape (shape.data, shape.len, &rank, dims, &at))
    return sonde_record_damaged (error, "Shape of a node's output is not a valid message");
  value = get_output (import, node, index, error);
  if (value == NULL)
    return FALSE;
  value->type.kind = SONDE_VALUE_TENSOR;
  value->type.rank = rank <= SONDE_MAX_RANK ? rank : -1;
  for (int i = 0; i < value->type.rank; i++)
    value->type.dims[i] = (SondeDimension){ dims[i], NULL };
  return TRUE;
}

/* The attribute that says what all outputs are; a shape alone is the first one's. */
static gboolean
set_shapes (Import *import, SondeNode *node, const Tensorboard__AttrValue *value, GError **error)
{
  const gboolean is_list
      = value != NULL && value->value_case == TENSORBOARD__ATTR_VALUE__VALUE_LIST;

  if (value != NULL && value->value_case == TENSORBOARD__ATTR_VALUE__VALUE_SHAPE)
    return set_shape (import, node, 0, value->shape, error);
  for (guint i = 0; is_list && i < MIN (value->list->n_shape, MAX_OUTPUTS); i++)
    if (!set_shape (import, node, i, value->list->shape[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
add_attribute (Import *import, SondeNode *node, ProtobufCBinaryData bytes, SondeDtype *dtype,
               GError **error)
{
  const Tensorboard__AttributeEntry *entry;
  const Tensorboard__AttrValue *value;
  g_autofree char *name = NULL;
  SondeAttribute *attribute;

  sonde_wire_arena_empty (&import->attribute);
  entry = sonde_wire_decode_field (&tensorboard__attribute_entry__descriptor, bytes,
                                   &import->attribute, error);
  if (entry == NULL)
    return FALSE;
  value = entry->value;
  name = sonde_record_dup_bytes (entry->key);
  if (g_str_equal (name, "_output_shapes"))
    return set_shapes (import, node, value, error);
  if (g_str_equal (name, "dtype"))
    *dtype = value != NULL && value->value_case == TENSORBOARD__ATTR_VALUE__VALUE_TYPE
                 ? sonde_tensor_proto_get_dtype ((guint32) MIN (value->type, G_MAXUINT32), NULL)
                 : SONDE_DTYPE_INVALID;
  if (node->attributes->len >= MAX_ATTRIBUTES)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "Node “%s” has more than %u attributes", node->name, MAX_ATTRIBUTES);
      return FALSE;
    }
  attribute = sonde_graph_def_make_attribute (value, name, bytes.len, import->budget, error);
  if (attribute == NULL)
    return FALSE;
  sonde_node_take_attribute (node, attribute);
  return TRUE;
}

/* One bad attribute, as a tensor of a type that is unknown here, does not cost the graph. */
static gboolean
add_attributes (Import *import, SondeNode *node, const Tensorboard__NodeDef *message,
                GError **error)
{
  SondeDtype dtype = SONDE_DTYPE_INVALID;

  for (gsize i = 0; i < message->n_attr; i++)
    {
      g_autoptr (GError) failure = NULL;

      if (add_attribute (import, node, message->attr[i], &dtype, &failure))
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
dup_name (Import *import, ProtobufCBinaryData name)
{
  g_autofree char *text = sonde_record_dup_bytes (name);

  return import->prefix[0] != '\0' ? g_strconcat (import->prefix, text, NULL)
                                   : g_steal_pointer (&text);
}

/* A function that came with a prefix is called by that. */
static char *
dup_op (Import *import, ProtobufCBinaryData op)
{
  g_autofree char *text = sonde_record_dup_text (op.data, MIN (op.len, 1024));

  if (text[0] == '\0')
    return g_strdup ("?");
  if (import->functions != NULL && g_hash_table_contains (import->functions, text))
    return g_strconcat (import->prefix, text, NULL);
  return g_steal_pointer (&text);
}

static gboolean
add_node (Import *import, const Tensorboard__NodeDef *message, GError **error)
{
  g_autofree char *name = NULL, *op = NULL, *device = NULL;
  Draft draft = { .message = message };

  if (!sonde_budget_take (import->budget,
                          SONDE_GRAPH_DEF_NODE_BYTES
                              + 4 * ((guint64) message->name.len + message->op.len),
                          N_ ("nodes of the graph"), error))
    return FALSE;
  name = dup_name (import, message->name);
  op = dup_op (import, message->op);
  draft.node = sonde_graph_add_node (import->graph, name, SONDE_GRAPH_DEF_DOMAIN, op, NULL, 0, 0);
  if (message->device.len > 0)
    {
      device = sonde_record_dup_bytes (message->device);
      sonde_node_set_string (draft.node, "device", device);
    }
  if (g_hash_table_contains (import->by_name, name))
    sonde_graph_def_note_problem (import->graph, "several nodes are named “%s”", name);
  else
    g_hash_table_insert (import->by_name, g_steal_pointer (&name),
                         GUINT_TO_POINTER (import->drafts->len + 1));
  g_array_append_val (import->drafts, draft);
  return add_attributes (import, draft.node, message, error);
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

static SondeGraphValue *
resolve_control (Import *import, SondeNode *reader, const char *name, GError **error)
{
  Draft *from = find_draft (import, name);

  return from != NULL ? get_control (import, from->node, error)
                      : get_dangling (import, reader, name, error);
}

/* Data edges of all nodes come first: the control edges then have their place behind the last
 * output. */
static gboolean
connect_node (Import *import, Draft *draft, gboolean control, GError **error)
{
  const Tensorboard__NodeDef *message = draft->message;
  SondeNode *node = draft->node;

  for (gsize i = 0; i < message->n_input; i++)
    {
      ProtobufCBinaryData input = message->input[i];
      const gboolean is_control = input.len > 0 && input.data[0] == '^';
      g_autofree char *name = NULL;
      SondeGraphValue *value;

      if (is_control != control)
        continue;
      if (!sonde_budget_take (import->budget, 2 * sizeof (gpointer), N_ ("edges of the graph"),
                              error))
        return FALSE;
      if (is_control)
        input = (ProtobufCBinaryData){ input.len - 1, input.data + 1 };
      name = dup_name (import, input);
      value = is_control ? resolve_control (import, node, name, error)
                         : resolve (import, node, name, error);
      if (value == NULL)
        return FALSE;
      sonde_node_set_input (import->graph, node, node->inputs->len, value);
    }
  return TRUE;
}

static gboolean
import_nodes (Import *import, Tensorboard__NodeDef *const *nodes, gsize n, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (!add_node (import, nodes[i], error))
      return FALSE;
  for (guint control = 0; control < 2; control++)
    for (guint i = 0; i < import->drafts->len; i++)
      if (!connect_node (import, &g_array_index (import->drafts, Draft, i), control == 1, error))
        return FALSE;
  return TRUE;
}

/* ---- functions ----------------------------------------------------------- */

static gboolean
import_signature (SondeFunction *function, const Tensorboard__FunctionDef__Signature *signature,
                  SondeBudget *budget, GError **error)
{
  for (gsize i = 0; i < signature->n_input_arg; i++)
    {
      const Tensorboard__FunctionDef__Argument *argument = signature->input_arg[i];
      g_autofree char *name = sonde_record_dup_bytes (argument->name);
      SondeType type = sonde_type_unknown ();

      if (!sonde_budget_take (budget, SONDE_GRAPH_DEF_VALUE_BYTES + argument->name.len,
                              N_ ("arguments of a function"), error))
        return FALSE;
      type.dtype = sonde_tensor_proto_get_dtype ((guint32) MIN (argument->type, G_MAXUINT32), NULL);
      sonde_graph_add_input (function->body, argument->has_name ? name : NULL, &type);
    }
  return TRUE;
}

/* "node:out:k", those of known nodes and arguments. */
static gboolean
import_returns (Import *import, const Tensorboard__FunctionDef *message, GError **error)
{
  for (gsize i = 0; i < message->n_ret; i++)
    {
      g_autofree char *name = sonde_record_dup_bytes (message->ret[i]->value);
      g_autofree char *node = g_strdup (name);
      SondeGraphValue *value;

      *(strchr (node, ':') != NULL ? strchr (node, ':') : node + strlen (node)) = '\0';
      value = sonde_graph_find_value (import->graph, node);
      if (find_draft (import, node) == NULL && (value == NULL || value->role != SONDE_ROLE_INPUT))
        continue;
      value = resolve (import, NULL, name, error);
      if (value == NULL)
        return FALSE;
      sonde_graph_add_output (import->graph, value);
    }
  return TRUE;
}

static gboolean
import_function (SondeGraph *graph, const Tensorboard__FunctionDef *message, const char *prefix,
                 GHashTable *names, SondeBudget *budget, GError **error)
{
  static const Tensorboard__FunctionDef__Signature none
      = TENSORBOARD__FUNCTION_DEF__SIGNATURE__INIT;
  const Tensorboard__FunctionDef__Signature *signature
      = message->signature != NULL ? message->signature : &none;
  g_autofree char *name = sonde_record_dup_bytes (signature->name), *full = NULL;
  SondeFunction *function;
  Import import;
  gboolean right;

  if (!sonde_budget_take (budget, 2 * SONDE_GRAPH_DEF_NODE_BYTES, N_ ("functions of the graph"),
                          error))
    return FALSE;
  full = g_strconcat (prefix, name, NULL);
  function = sonde_function_new (SONDE_GRAPH_DEF_DOMAIN, full, NULL);
  g_ptr_array_add (graph->functions, function);
  g_hash_table_add (names, g_steal_pointer (&name));
  import_init (&import, function->body, budget, "");
  import.is_function = TRUE;
  right = import_signature (function, signature, budget, error)
          && import_nodes (&import, message->node_def, message->n_node_def, error)
          && import_returns (&import, message, error);
  import_clear (&import);
  return right;
}

/* @bytes: a GraphDef */
static gboolean
import_graph (SondeGraph *graph, SondeBytes bytes, const char *prefix, SondeBudget *budget,
              GError **error)
{
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__GraphDef *message = sonde_wire_decode (
      &tensorboard__graph_def__descriptor, bytes.at, bytes.length, NULL, NULL, &arena, error);
  gsize n_functions;
  Import import;
  gboolean right;

  if (message == NULL)
    return FALSE;
  if (message->versions != NULL && message->versions->has_producer)
    sonde_graph_set_opset (graph, SONDE_GRAPH_DEF_DOMAIN,
                           (int) MIN (message->versions->producer, G_MAXINT));
  n_functions = message->library != NULL ? message->library->n_function : 0;
  for (gsize i = 0; i < n_functions; i++)
    if (!import_function (graph, message->library->function[i], prefix, names, budget, error))
      return FALSE;
  import_init (&import, graph, budget, prefix);
  import.functions = prefix[0] != '\0' ? names : NULL;
  right = import_nodes (&import, message->node, message->n_node, error);
  import_clear (&import);
  return right;
}

SondeGraph *
sonde_graph_def_to_graph (SondeBytes message, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  SondeBudget budget;

  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, N_ ("a graph"));
  return import_graph (graph, message, "", &budget, error) ? g_steal_pointer (&graph) : NULL;
}

/* ---- run metadata -------------------------------------------------------- */

/* Graphs before optimisation, or else those of the devices. */
static GArray *
collect_graphs (const Tensorboard__RunMetadata *message)
{
  GArray *graphs = g_array_new (FALSE, FALSE, sizeof (SondeBytes));

  for (gsize i = 0; i < message->n_function_graphs; i++)
    if (message->function_graphs[i]->has_pre_optimization_graph)
      {
        const SondeBytes bytes
            = sonde_bytes_of_field (message->function_graphs[i]->pre_optimization_graph);

        g_array_append_val (graphs, bytes);
      }
  for (gsize i = 0, n = graphs->len == 0 ? message->n_partition_graphs : 0; i < n; i++)
    {
      const SondeBytes bytes = sonde_bytes_of_field (message->partition_graphs[i]);

      g_array_append_val (graphs, bytes);
    }
  return graphs;
}

SondeGraph *
sonde_graph_def_of_run_metadata (SondeBytes message, GError **error)
{
  g_auto (SondeWireArena) arena = { 0 };
  const Tensorboard__RunMetadata *metadata
      = sonde_wire_decode (&tensorboard__run_metadata__descriptor, message.at, message.length, NULL,
                           NULL, &arena, error);
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);
  g_autoptr (GArray) graphs = NULL;
  SondeBudget budget;

  if (metadata == NULL)
    return NULL;
  graphs = collect_graphs (metadata);
  if (graphs->len > MAX_GRAPHS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "Run metadata have %u graphs, the limit is %u", graphs->len, MAX_GRAPHS);
      return NULL;
    }
  sonde_budget_init (&budget, SONDE_BUDGET_PARSE_BYTES, N_ ("a graph"));
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
