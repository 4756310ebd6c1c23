/* SPDX-License-Identifier: Apache-2.0
 * A graph that is in no model format -> message: pipelines of data, graphs of foreign files.
 * Everything is kept but provenance. Subgraphs go as deep as a reader allows; what is deeper is
 * left out. */
#include "data/records/sonde-record-encode-private.h"

/* Messages inside each other have a limit of SONDE_BUDGET_NESTING; a graph in a graph takes
 * three. */
#define MAX_DEPTH 24

static Sonde__Records__PlainGraph *encode_level (SondeRecordEncoder *encoder,
                                                 const SondeGraph *graph, int depth);

/* ---- values -------------------------------------------------------------- */

/* Numbers of the values by id: those that are left, in order, from 1. */
static guint32 *
number_values (SondeRecordEncoder *encoder, const SondeGraph *graph, guint32 *n)
{
  guint32 *numbers = sonde_encode_hold (encoder, g_new0 (guint32, MAX (graph->values->len, 1)));

  *n = 0;
  for (guint i = 0; i < graph->values->len; i++)
    if (g_ptr_array_index (graph->values, i) != NULL)
      numbers[i] = ++*n;
  return numbers;
}

static void
encode_type (SondeRecordEncoder *encoder, Sonde__Records__PlainValue *message,
             const SondeType *type)
{
  if (type->kind != SONDE_VALUE_NONE)
    SET (message, kind, type->kind);
  for (gsize i = 0; i < G_N_ELEMENTS (sonde_record_dtypes); i++)
    if (sonde_record_dtypes[i].dtype == type->dtype)
      SET (message, dtype, sonde_record_dtypes[i].number);
  if (type->rank < 0)
    return;
  SET (message, rank, (guint32) type->rank);
  message->n_dims = (gsize) type->rank;
  message->dims = sonde_encode_hold (encoder, g_new (gint64, MAX (type->rank, 1)));
  for (int i = 0; i < type->rank; i++)
    message->dims[i] = type->dims[i].size;
}

static void
encode_value (SondeRecordEncoder *encoder, Sonde__Records__PlainValue *message,
              const SondeGraphValue *value)
{
  sonde__records__plain_value__init (message);
  SET_TEXT (message, name, value->name);
  encode_type (encoder, message, &value->type);
  if (value->role != SONDE_ROLE_NORMAL)
    SET (message, role, value->role);
  if (value->outer != NULL)
    SET_TEXT (message, outer, value->outer->name);
  if (value->constant != NULL)
    message->constant = sonde_encode_tensor (encoder, sonde_value_get_tensor (value->constant));
}

static void
encode_values (SondeRecordEncoder *encoder, Sonde__Records__PlainGraph *message,
               const SondeGraph *graph, guint32 n)
{
  void **list;
  Sonde__Records__PlainValue *values = sonde_encode_list (encoder, n, sizeof *values, &list);
  guint32 next = 0;

  for (guint i = 0; i < graph->values->len; i++)
    if (g_ptr_array_index (graph->values, i) != NULL)
      encode_value (encoder, &values[next++], g_ptr_array_index (graph->values, i));
  message->n_values = n;
  message->values = (Sonde__Records__PlainValue **) list;
}

static guint32 *
list_values (SondeRecordEncoder *encoder, const guint32 *numbers, const GPtrArray *values, gsize *n)
{
  guint32 *list = sonde_encode_hold (encoder, g_new (guint32, MAX (values->len, 1)));

  *n = values->len;
  for (guint i = 0; i < values->len; i++)
    {
      const SondeGraphValue *value = g_ptr_array_index (values, i);

      list[i] = value != NULL ? numbers[value->id] : 0;
    }
  return list;
}

/* ---- attributes ---------------------------------------------------------- */

/* Which list of the message holds a kind, and whether the kind is a list. */
typedef enum
{
  LIST_NONE,
  LIST_INTS,
  LIST_FLOATS,
  LIST_STRINGS,
  LIST_TENSORS,
  LIST_GRAPHS,
} List;

static const struct
{
  List list;
  gboolean is_list;
} lists[] = {
  [SONDE_ATTRIBUTE_INT] = { LIST_INTS, FALSE },
  [SONDE_ATTRIBUTE_INTS] = { LIST_INTS, TRUE },
  [SONDE_ATTRIBUTE_FLOAT] = { LIST_FLOATS, FALSE },
  [SONDE_ATTRIBUTE_FLOATS] = { LIST_FLOATS, TRUE },
  [SONDE_ATTRIBUTE_STRING] = { LIST_STRINGS, FALSE },
  [SONDE_ATTRIBUTE_STRINGS] = { LIST_STRINGS, TRUE },
  [SONDE_ATTRIBUTE_TENSOR] = { LIST_TENSORS, FALSE },
  [SONDE_ATTRIBUTE_TENSORS] = { LIST_TENSORS, TRUE },
  [SONDE_ATTRIBUTE_GRAPH] = { LIST_GRAPHS, FALSE },
  [SONDE_ATTRIBUTE_GRAPHS] = { LIST_GRAPHS, TRUE },
  [SONDE_ATTRIBUTE_TYPE] = { LIST_NONE, FALSE },
  [SONDE_ATTRIBUTE_REFERENCE] = { LIST_NONE, FALSE },
};

static void
fill_strings (SondeRecordEncoder *encoder, Sonde__Records__PlainAttribute *message, char **strings,
              gsize n)
{
  message->n_strings = n;
  message->strings = sonde_encode_hold (encoder, g_new (ProtobufCBinaryData, MAX (n, 1)));
  for (gsize i = 0; i < n; i++)
    message->strings[i] = sonde_encode_binary (strings[i] != NULL ? strings[i] : "",
                                               strings[i] != NULL ? strlen (strings[i]) : 0);
}

static void
fill_tensors (SondeRecordEncoder *encoder, Sonde__Records__PlainAttribute *message,
              SondeTensor **tensors, gsize n)
{
  message->n_tensors = n;
  message->tensors = sonde_encode_hold (encoder, g_new (Sonde__Records__Tensor *, MAX (n, 1)));
  for (gsize i = 0; i < n; i++)
    message->tensors[i] = sonde_encode_tensor (encoder, tensors[i]);
}

static void
fill_graphs (SondeRecordEncoder *encoder, Sonde__Records__PlainAttribute *message,
             SondeGraph **graphs, gsize n, int depth)
{
  if (depth == MAX_DEPTH)
    return;
  message->n_graphs = n;
  message->graphs = sonde_encode_hold (encoder, g_new (Sonde__Records__PlainGraph *, MAX (n, 1)));
  for (gsize i = 0; i < n; i++)
    message->graphs[i] = encode_level (encoder, graphs[i], depth + 1);
}

static void
encode_attribute (SondeRecordEncoder *encoder, Sonde__Records__PlainAttribute *message,
                  const SondeAttribute *attribute, int depth)
{
  gboolean many = lists[attribute->kind].is_list;
  gsize n = many ? attribute->n : 1;

  sonde__records__plain_attribute__init (message);
  SET_TEXT (message, name, attribute->name);
  SET (message, kind, lists[attribute->kind].list);
  if (many)
    SET (message, is_list, TRUE);
  switch (lists[attribute->kind].list)
    {
    case LIST_INTS:
      message->n_ints = n;
      message->ints = many ? attribute->u.ints : (gint64 *) &attribute->u.i;
      break;
    case LIST_FLOATS:
      message->n_floats = n;
      message->floats = many ? attribute->u.floats : (double *) &attribute->u.f;
      break;
    case LIST_STRINGS:
      fill_strings (encoder, message, many ? attribute->u.strings : (char **) &attribute->u.string,
                    n);
      break;
    case LIST_TENSORS:
      fill_tensors (encoder, message,
                    many ? attribute->u.tensors : (SondeTensor **) &attribute->u.tensor, n);
      break;
    case LIST_GRAPHS:
      fill_graphs (encoder, message,
                   many ? attribute->u.graphs : (SondeGraph **) &attribute->u.graph, n, depth);
      break;
    default:
      break;
    }
}

/* ---- nodes, functions, graphs -------------------------------------------- */

static void
encode_node (SondeRecordEncoder *encoder, Sonde__Records__PlainNode *message, const SondeNode *node,
             const guint32 *numbers, int depth)
{
  void **list;
  Sonde__Records__PlainAttribute *attributes
      = sonde_encode_list (encoder, node->attributes->len, sizeof *attributes, &list);

  sonde__records__plain_node__init (message);
  SET_TEXT (message, name, node->name);
  if (*node->domain != '\0')
    SET_TEXT (message, domain, node->domain);
  SET_TEXT (message, op, node->op);
  SET_TEXT (message, scope, node->scope);
  if (node->phase != SONDE_PHASE_FORWARD)
    SET (message, phase, node->phase);
  message->inputs = list_values (encoder, numbers, node->inputs, &message->n_inputs);
  message->outputs = list_values (encoder, numbers, node->outputs, &message->n_outputs);
  message->n_attributes = node->attributes->len;
  message->attributes = (Sonde__Records__PlainAttribute **) list;
  for (guint i = 0; i < node->attributes->len; i++)
    encode_attribute (encoder, &attributes[i], g_ptr_array_index (node->attributes, i), depth);
}

static void
encode_nodes (SondeRecordEncoder *encoder, Sonde__Records__PlainGraph *message,
              const SondeGraph *graph, const guint32 *numbers, int depth)
{
  guint n = sonde_graph_count_nodes (graph);
  void **list;
  Sonde__Records__PlainNode *nodes = sonde_encode_list (encoder, n, sizeof *nodes, &list);
  guint next = 0;

  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_ptr_array_index (graph->nodes, i) != NULL)
      encode_node (encoder, &nodes[next++], g_ptr_array_index (graph->nodes, i), numbers, depth);
  message->n_nodes = n;
  message->nodes = (Sonde__Records__PlainNode **) list;
}

static void
encode_functions (SondeRecordEncoder *encoder, Sonde__Records__PlainGraph *message,
                  const SondeGraph *graph, int depth)
{
  guint n = graph->functions != NULL && depth == 0 ? graph->functions->len : 0;
  void **list;
  Sonde__Records__PlainFunction *functions
      = sonde_encode_list (encoder, n, sizeof *functions, &list);

  for (guint i = 0; i < n; i++)
    {
      const SondeFunction *function = g_ptr_array_index (graph->functions, i);

      sonde__records__plain_function__init (&functions[i]);
      SET_TEXT (&functions[i], domain, function->domain);
      SET_TEXT (&functions[i], name, function->name);
      functions[i].body = encode_level (encoder, function->body, depth + 1);
    }
  message->n_functions = n;
  message->functions = (Sonde__Records__PlainFunction **) list;
}

static Sonde__Records__PlainGraph *
encode_level (SondeRecordEncoder *encoder, const SondeGraph *graph, int depth)
{
  Sonde__Records__PlainGraph *message
      = sonde_encode_hold (encoder, g_new (Sonde__Records__PlainGraph, 1));
  guint32 n_values;
  const guint32 *numbers = number_values (encoder, graph, &n_values);

  sonde__records__plain_graph__init (message);
  SET_TEXT (message, name, graph->name);
  SET_TEXT (message, producer, graph->producer);
  SET_TEXT (message, doc, graph->doc);
  encode_values (encoder, message, graph, n_values);
  encode_nodes (encoder, message, graph, numbers, depth);
  encode_functions (encoder, message, graph, depth);
  message->inputs = list_values (encoder, numbers, graph->inputs, &message->n_inputs);
  message->outputs = list_values (encoder, numbers, graph->outputs, &message->n_outputs);
  return message;
}

Sonde__Records__PlainGraph *
sonde_encode_plain_graph (SondeRecordEncoder *encoder, const SondeGraph *graph)
{
  return graph != NULL ? encode_level (encoder, graph, 0) : NULL;
}
