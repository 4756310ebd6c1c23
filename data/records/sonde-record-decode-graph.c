/* SPDX-License-Identifier: Apache-2.0
 * Message -> graph in no model format. Numbers of values are checked; a name that is taken gets a
 * suffix, as in any graph. Nesting is bounded by the scan before unpacking. */
#include "data/records/sonde-record-decode-private.h"

/* @values: (element-type SondeGraphValue): by number less one */
typedef struct
{
  const Sonde__Records__PlainGraph *message;
  const char *what;
  SondeGraph *graph;
  GPtrArray *values;
} Level;

static SondeGraph *decode_level (const Sonde__Records__PlainGraph *message, const char *what,
                                 SondeGraph *graph, GError **error);

/* ---- values -------------------------------------------------------------- */

static SondeType
decode_type (const Sonde__Records__PlainValue *message)
{
  SondeType type = sonde_type_unknown ();

  if (message->has_kind && message->kind <= SONDE_VALUE_SPARSE)
    type.kind = (SondeValueKind) message->kind;
  if (message->has_dtype)
    type.dtype = sonde_decode_dtype (message->dtype);
  if (!message->has_rank || message->rank > SONDE_MAX_RANK || message->rank != message->n_dims)
    return type;
  type.rank = (int) message->rank;
  for (int i = 0; i < type.rank; i++)
    type.dims[i] = (SondeDimension){ .size = MAX (message->dims[i], -1) };
  return type;
}

static gboolean
decode_values (Level *level, GError **error)
{
  for (gsize i = 0; i < level->message->n_values; i++)
    {
      const Sonde__Records__PlainValue *message = level->message->values[i];
      g_autofree char *name = sonde_record_dup_bytes (message->name);
      g_autofree char *captured = DUP_OPTIONAL (message, outer);
      SondeGraphValue *outer = captured != NULL && level->graph->parent != NULL
                                   ? sonde_graph_find_value (level->graph->parent, captured)
                                   : NULL;
      const SondeType type = decode_type (message);
      const guint32 role = SONDE_WIRE_OR (message, role, SONDE_ROLE_NORMAL);
      g_autoptr (SondeTensor) constant = NULL;
      SondeGraphValue *value;

      if (!sonde_decode_optional_tensor (message->constant, level->what, &constant, error))
        return FALSE;
      if (outer != NULL)
        value = sonde_graph_add_capture (level->graph, name, outer);
      else if (constant != NULL)
        value = sonde_graph_add_initialiser (level->graph, name, constant, SONDE_ROLE_CONSTANT);
      else
        value = sonde_graph_add_value (level->graph, name, &type);
      if (role <= SONDE_ROLE_STATE)
        value->role = (SondeValueRole) role;
      g_ptr_array_add (level->values, value);
    }
  return TRUE;
}

/* *@value is NULL for number 0. */
static gboolean
find_value (const Level *level, guint32 number, SondeGraphValue **value, GError **error)
{
  *value = NULL;
  if (number == 0)
    return TRUE;
  if (number > level->values->len)
    return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                              "%s has %u values but refers to value %u", level->what,
                              level->values->len, number);
  *value = g_ptr_array_index (level->values, number - 1);
  return TRUE;
}

/* ---- attributes ---------------------------------------------------------- */

static SondeAttribute *
decode_numbers (const char *name, const Sonde__Records__PlainAttribute *message)
{
  gboolean many = SONDE_WIRE_OR (message, is_list, FALSE);
  SondeAttribute *attribute;

  if (message->kind == 1)
    {
      attribute = sonde_attribute_new (name, many ? SONDE_ATTRIBUTE_INTS : SONDE_ATTRIBUTE_INT);
      if (many)
        attribute->u.ints = g_memdup2 (message->ints, message->n_ints * sizeof (gint64));
      else
        attribute->u.i = message->n_ints > 0 ? message->ints[0] : 0;
      attribute->n = many ? message->n_ints : 1;
      return attribute;
    }
  attribute = sonde_attribute_new (name, many ? SONDE_ATTRIBUTE_FLOATS : SONDE_ATTRIBUTE_FLOAT);
  if (many)
    attribute->u.floats = g_memdup2 (message->floats, message->n_floats * sizeof (double));
  else
    attribute->u.f = message->n_floats > 0 ? message->floats[0] : 0;
  attribute->n = many ? message->n_floats : 1;
  return attribute;
}

static SondeAttribute *
decode_strings (const char *name, const Sonde__Records__PlainAttribute *message)
{
  gboolean many = SONDE_WIRE_OR (message, is_list, FALSE);
  SondeAttribute *attribute
      = sonde_attribute_new (name, many ? SONDE_ATTRIBUTE_STRINGS : SONDE_ATTRIBUTE_STRING);

  if (!many)
    {
      attribute->u.string
          = message->n_strings > 0 ? sonde_record_dup_bytes (message->strings[0]) : g_strdup ("");
      attribute->n = 1;
      return attribute;
    }
  attribute->u.strings = g_new0 (char *, message->n_strings + 1);
  attribute->n = message->n_strings;
  for (gsize i = 0; i < attribute->n; i++)
    attribute->u.strings[i] = sonde_record_dup_bytes (message->strings[i]);
  return attribute;
}

static SondeAttribute *
decode_tensors (const Level *level, const char *name, const Sonde__Records__PlainAttribute *message,
                GError **error)
{
  gboolean many = SONDE_WIRE_OR (message, is_list, FALSE);
  g_autoptr (GPtrArray) tensors
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeAttribute *attribute;

  for (gsize i = 0; i < message->n_tensors; i++)
    {
      SondeTensor *tensor = sonde_decode_tensor (message->tensors[i], level->what, error);

      if (tensor == NULL)
        return NULL;
      g_ptr_array_add (tensors, tensor);
    }
  if (!many && tensors->len == 0)
    {
      sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED, "attribute “%s” of %s has no tensor",
                         name, level->what);
      return NULL;
    }
  attribute = sonde_attribute_new (name, many ? SONDE_ATTRIBUTE_TENSORS : SONDE_ATTRIBUTE_TENSOR);
  attribute->n = many ? tensors->len : 1;
  if (!many)
    attribute->u.tensor = sonde_tensor_ref (g_ptr_array_index (tensors, 0));
  else
    {
      attribute->u.tensors = g_new0 (SondeTensor *, tensors->len + 1);
      for (guint i = 0; i < tensors->len; i++)
        attribute->u.tensors[i] = sonde_tensor_ref (g_ptr_array_index (tensors, i));
    }
  return attribute;
}

static SondeAttribute *
decode_graphs (const Level *level, const char *name, const Sonde__Records__PlainAttribute *message,
               GError **error)
{
  gboolean many = SONDE_WIRE_OR (message, is_list, FALSE);
  g_autoptr (GPtrArray) graphs
      = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_graph_unref);
  SondeAttribute *attribute;

  for (gsize i = 0; i < message->n_graphs; i++)
    {
      SondeGraph *graph = decode_level (message->graphs[i], level->what,
                                        sonde_graph_new_subgraph (level->graph, NULL), error);

      if (graph == NULL)
        return NULL;
      g_ptr_array_add (graphs, graph);
    }
  if (!many && graphs->len == 0)
    g_ptr_array_add (graphs,
                     sonde_graph_new_subgraph (level->graph, NULL)); /* too deep for the writer */
  attribute = sonde_attribute_new (name, many ? SONDE_ATTRIBUTE_GRAPHS : SONDE_ATTRIBUTE_GRAPH);
  attribute->n = many ? graphs->len : 1;
  if (!many)
    attribute->u.graph = sonde_graph_ref (g_ptr_array_index (graphs, 0));
  else
    {
      attribute->u.graphs = g_new0 (SondeGraph *, graphs->len + 1);
      for (guint i = 0; i < graphs->len; i++)
        attribute->u.graphs[i] = sonde_graph_ref (g_ptr_array_index (graphs, i));
    }
  return attribute;
}

/* FALSE with @error; an attribute of a kind that is not known is stepped over. */
static gboolean
decode_attribute (const Level *level, SondeNode *node,
                  const Sonde__Records__PlainAttribute *message, GError **error)
{
  g_autofree char *name = sonde_record_dup_bytes (message->name);
  const guint32 kind = SONDE_WIRE_OR (message, kind, 0);
  SondeAttribute *attribute = NULL;

  if (kind == 0 || kind > 5)
    return TRUE;
  if (kind <= 2)
    attribute = decode_numbers (name, message);
  else if (kind == 3)
    attribute = decode_strings (name, message);
  else if (kind == 4)
    attribute = decode_tensors (level, name, message, error);
  else
    attribute = decode_graphs (level, name, message, error);
  if (attribute == NULL)
    return FALSE;
  sonde_node_take_attribute (node, attribute);
  return TRUE;
}

/* ---- nodes, graphs ------------------------------------------------------- */

static gboolean
decode_node (const Level *level, const Sonde__Records__PlainNode *message, GError **error)
{
  g_autofree char *name = sonde_record_dup_bytes (message->name);
  g_autofree char *domain = sonde_record_dup_bytes (message->domain);
  g_autofree char *op = sonde_record_dup_bytes (message->op);
  g_autofree char *scope = DUP_OPTIONAL (message, scope);
  SondeNode *node
      = sonde_graph_add_node (level->graph, *name != '\0' ? name : NULL, domain, op, NULL, 0, 0);

  node->scope = scope != NULL ? g_intern_string (scope) : NULL;
  node->phase = (SondePhase) MIN (SONDE_WIRE_OR (message, phase, 0), SONDE_PHASE_OPTIMISER);
  for (gsize i = 0; i < message->n_inputs; i++)
    {
      SondeGraphValue *value;

      if (!find_value (level, message->inputs[i], &value, error))
        return FALSE;
      sonde_node_set_input (level->graph, node, (guint) i, value);
    }
  for (gsize i = 0; i < message->n_outputs; i++)
    {
      SondeGraphValue *value;

      if (!find_value (level, message->outputs[i], &value, error))
        return FALSE;
      if (value != NULL
          && (value->producer != NULL || value->constant != NULL || value->outer != NULL))
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "%s has two nodes with the output “%s”", level->what,
                                  value->name);
      if (value != NULL)
        sonde_node_set_output (level->graph, node, (guint) i, value);
    }
  for (gsize i = 0; i < message->n_attributes; i++)
    if (!decode_attribute (level, node, message->attributes[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
decode_ends (const Level *level, const guint32 *numbers, gsize n, GPtrArray *ends, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      SondeGraphValue *value;

      if (!find_value (level, numbers[i], &value, error))
        return FALSE;
      if (value != NULL)
        g_ptr_array_add (ends, value);
    }
  return TRUE;
}

static gboolean
decode_functions (const Level *level, GError **error)
{
  for (gsize i = 0; i < level->message->n_functions; i++)
    {
      const Sonde__Records__PlainFunction *message = level->message->functions[i];
      g_autofree char *domain = sonde_record_dup_bytes (message->domain);
      g_autofree char *name = sonde_record_dup_bytes (message->name);
      SondeFunction *function;
      SondeGraph *body;

      if (message->body == NULL)
        return sonde_decode_fail (error, SONDE_DATA_ERROR_DAMAGED,
                                  "function “%s” of %s has no body", name, level->what);
      body = decode_level (message->body, level->what, sonde_graph_new (NULL), error);
      if (body == NULL)
        return FALSE;
      function = sonde_function_new (domain, name, NULL);
      g_clear_pointer (&function->body, sonde_graph_unref);
      function->body = body;
      g_ptr_array_add (level->graph->functions, function);
    }
  return TRUE;
}

static gboolean
fill_level (Level *level, GError **error)
{
  const Sonde__Records__PlainGraph *message = level->message;

  level->graph->name = DUP_OPTIONAL (message, name);
  level->graph->producer = DUP_OPTIONAL (message, producer);
  level->graph->doc = DUP_OPTIONAL (message, doc);
  if (!decode_values (level, error))
    return FALSE;
  for (gsize i = 0; i < message->n_nodes; i++)
    if (!decode_node (level, message->nodes[i], error))
      return FALSE;
  return decode_functions (level, error)
         && decode_ends (level, message->inputs, message->n_inputs, level->graph->inputs, error)
         && decode_ends (level, message->outputs, message->n_outputs, level->graph->outputs, error);
}

/* Takes @graph. */
static SondeGraph *
decode_level (const Sonde__Records__PlainGraph *message, const char *what, SondeGraph *graph,
              GError **error)
{
  g_autoptr (GPtrArray) values = g_ptr_array_new ();
  Level level = { message, what, graph, values };

  if (fill_level (&level, error))
    return graph;
  sonde_graph_unref (graph);
  return NULL;
}

gboolean
sonde_decode_plain_graph (const Sonde__Records__PlainGraph *message, const char *what,
                          SondeGraph **graph, GError **error)
{
  *graph = NULL;
  return message == NULL
         || (*graph = decode_level (message, what, sonde_graph_new (NULL), error)) != NULL;
}
