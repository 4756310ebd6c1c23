/* SPDX-License-Identifier: Apache-2.0
 * The bytes of a MindIR file. MindSpore wants nodes in order, each constant before its first reader. */
#include "data/models/mindir/write/sonde-mindir-writer.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/mindir/write/sonde-mindir-emit.h"
#include "data/models/mindir/write/sonde-mindir-write.h"
#include "data/wire/sonde-wire-emit.h"

#define TOP "sonde"
#define MINDSPORE_VERSION "2.10.0"
#define MAX_MESSAGE_OPERATORS 12

/* An operator that cannot be written: its first node, and why. */
typedef struct
{
  const SondeNode *node;
  const char *why;
  guint count;
} Missing;

/**
 * Frame: a function that is being written
 * @outer: (nullable): the one around
 * @nodes: (element-type GByteArray): each node's fields; @ports: inputs and parameters, as bytes
 * @constants: contents -> name; @others: names of constants and inputs
 */
typedef struct _Frame Frame;
struct _Frame
{
  Frame *outer;
  const char *name;
  GPtrArray *nodes;
  GByteArray *ports;
  GHashTable *constants, *others;
};

/**
 * SondeMindirWriter:
 * @by_name: name -> fields of those nodes that have no type yet
 * @primitives, @functions: bytes so far; @pending: attributes of the next primitive
 * @names: SondeGraphValue -> name
 * @row, @node: at work
 * @missing: operator -> Missing
 */
struct _SondeMindirWriter
{
  Frame *frame;
  GByteArray *primitives, *functions, *pending;
  GHashTable *names, *by_name;
  GPtrArray *strings;
  GHashTable *missing;
  const SondeMindirWriteRow *row;
  const SondeNode *node;
  guint next;
};

const SondeMindirWriteRow *
sonde_mindir_writer_row (const SondeMindirWriter *w)
{
  return w->row;
}

static void
free_bytes (gpointer bytes)
{
  g_byte_array_unref (bytes);
}

static const char *
keep (SondeMindirWriter *w, char *text)
{
  g_ptr_array_add (w->strings, text);
  return text;
}

/* ---- attributes ---------------------------------------------------------- */

#define ATTRIBUTE 3 /* of a primitive */

void
sonde_mindir_attribute_int (SondeMindirWriter *w, const char *name, gint64 value)
{
  sonde_mindir_emit_int (w->pending, ATTRIBUTE, name, value);
}

void
sonde_mindir_attribute_bool (SondeMindirWriter *w, const char *name, gboolean value)
{
  sonde_mindir_emit_bool (w->pending, ATTRIBUTE, name, value);
}

void
sonde_mindir_attribute_float (SondeMindirWriter *w, const char *name, double value)
{
  sonde_mindir_emit_float (w->pending, ATTRIBUTE, name, value);
}

void
sonde_mindir_attribute_text (SondeMindirWriter *w, const char *name, const char *value)
{
  sonde_mindir_emit_string (w->pending, ATTRIBUTE, name, value);
}

void
sonde_mindir_attribute_ints (SondeMindirWriter *w, const char *name, const gint64 *values, gsize n)
{
  sonde_mindir_emit_ints (w->pending, ATTRIBUTE, name, values, n);
}

/* ---- nodes --------------------------------------------------------------- */

/* @attribute: (nullable): bytes of one more field */
static void
emit_node (SondeMindirWriter *w, const char *name, const char *op, const char *const *inputs,
           guint n, const GByteArray *attribute)
{
  GByteArray *node = g_byte_array_new ();

  for (guint i = 0; i < n; i++)
    sonde_emit_text (node, 1, inputs[i]);
  sonde_emit_text (node, 2, name);
  sonde_emit_text (node, 3, name);
  sonde_emit_text (node, 4, op);
  if (attribute != NULL)
    sonde_emit_raw (node, attribute->data, attribute->len);
  else
    g_hash_table_insert (w->by_name, (gpointer) name, node);
  if (w->node != NULL && w->node->scope != NULL)
    sonde_emit_text (node, 7, w->node->scope);
  g_ptr_array_add (w->frame->nodes, node);
}

/* As people know the node, and a number that nothing else has. */
static const char *
make_name (SondeMindirWriter *w)
{
  const char *label = w->node != NULL ? w->node->name : "node";

  return keep (w, g_strdup_printf (TOP ":%s:%u", label, ++w->next));
}

static const char *
call (SondeMindirWriter *w, const char *primitive, gint64 style, const char *const *inputs, guint n)
{
  g_autofree char *id = g_strdup_printf ("%s:%u", primitive, ++w->next);
  g_autofree char *op = g_strconcat ("REF::", id, NULL);
  const char *name = make_name (w);
  gsize start = sonde_emit_begin (w->primitives, 12);

  sonde_emit_text (w->primitives, 1, id);
  sonde_emit_text (w->primitives, 2, primitive);
  sonde_emit_raw (w->primitives, w->pending->data, w->pending->len);
  sonde_emit_number (w->primitives, 5, style);
  sonde_emit_end (w->primitives, start);
  g_byte_array_set_size (w->pending, 0);
  emit_node (w, name, op, inputs, n, NULL);
  return name;
}

const char *
sonde_mindir_call (SondeMindirWriter *w, const char *primitive, const char *const *inputs, guint n)
{
  return call (w, primitive, 2, inputs, n);
}

const char *
sonde_mindir_call_old (SondeMindirWriter *w, const char *primitive, const char *const *inputs,
                       guint n)
{
  return call (w, primitive, 1, inputs, n);
}

const char *
sonde_mindir_item (SondeMindirWriter *w, const char *tuple, gint64 index)
{
  return call (w, "TupleGetItem", 1, SONDE_NAMES (tuple, sonde_mindir_write_int (w, index)));
}

const char *
sonde_mindir_tuple (SondeMindirWriter *w, const char *const *names, guint n)
{
  return call (w, "MakeTuple", 1, names, n);
}

/* ---- constants ----------------------------------------------------------- */

/* The same contents are one constant. @attribute: (transfer full) */
static const char *
write_constant (SondeMindirWriter *w, GByteArray *attribute)
{
  g_autoptr (GBytes) key = g_byte_array_free_to_bytes (attribute);
  const char *name = g_hash_table_lookup (w->frame->constants, key);
  GByteArray wrapped = { NULL, 0 };
  const SondeNode *node = w->node;
  gsize length;

  if (name != NULL)
    return name;
  wrapped.data = (guint8 *) g_bytes_get_data (key, &length);
  wrapped.len = (guint) length;
  name = keep (w, g_strdup_printf ("constant_%u", ++w->next));
  w->node = NULL;
  emit_node (w, name, "Constant", NULL, 0, &wrapped);
  w->node = node;
  g_hash_table_insert (w->frame->constants, g_bytes_ref (key), (gpointer) name);
  g_hash_table_add (w->frame->others, (gpointer) name);
  return name;
}

#define NODE_ATTRIBUTE 5

const char *
sonde_mindir_write_none (SondeMindirWriter *w)
{
  GByteArray *out = g_byte_array_new ();

  sonde_mindir_emit_none (out, NODE_ATTRIBUTE, "value");
  return write_constant (w, out);
}

const char *
sonde_mindir_write_int (SondeMindirWriter *w, gint64 value)
{
  GByteArray *out = g_byte_array_new ();

  sonde_mindir_emit_int (out, NODE_ATTRIBUTE, "value", value);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_bool (SondeMindirWriter *w, gboolean value)
{
  GByteArray *out = g_byte_array_new ();

  sonde_mindir_emit_bool (out, NODE_ATTRIBUTE, "value", value);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_float (SondeMindirWriter *w, double value)
{
  GByteArray *out = g_byte_array_new ();

  sonde_mindir_emit_float (out, NODE_ATTRIBUTE, "value", value);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_ints (SondeMindirWriter *w, const gint64 *values, gsize n)
{
  GByteArray *out = g_byte_array_new ();

  sonde_mindir_emit_ints (out, NODE_ATTRIBUTE, "value", values, n);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_tensor (SondeMindirWriter *w, const SondeTensor *tensor)
{
  GByteArray *out = g_byte_array_new ();

  sonde_mindir_emit_tensor_attribute (out, NODE_ATTRIBUTE, "value", tensor);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_number (SondeMindirWriter *w, double value, const SondeGraphValue *like)
{
  const SondeShape scalar = { .rank = 0 };
  SondeDtype dtype = like != NULL && like->type.dtype != SONDE_DTYPE_INVALID ? like->type.dtype
                                                                             : SONDE_DTYPE_F32;
  g_autoptr (SondeTensor) tensor = sonde_tensor_new (dtype, &scalar);

  sonde_tensor_set_double (tensor, 0, value);
  return sonde_mindir_write_tensor (w, tensor);
}

/* ---- values -------------------------------------------------------------- */

/* (nullable): what @value is before the net runs */
static SondeTensor *
get_known (const SondeGraphValue *value)
{
  while (value != NULL && value->outer != NULL)
    value = value->outer;
  return value != NULL && value->constant != NULL && value->producer == NULL
             ? sonde_value_get_tensor (value->constant)
             : NULL;
}

SondeTensor *
sonde_mindir_known (const SondeNode *node, guint index)
{
  return get_known (sonde_node_get_input (node, index));
}

void
sonde_mindir_set_name (SondeMindirWriter *w, SondeGraphValue *value, const char *name)
{
  g_hash_table_insert (w->names, value, (gpointer) name);
}

const char *
sonde_mindir_name (SondeMindirWriter *w, SondeGraphValue *value)
{
  const char *name = g_hash_table_lookup (w->names, value);
  SondeTensor *known = get_known (value);

  if (name != NULL)
    return name;
  name = known != NULL ? sonde_mindir_write_tensor (w, known) : "missing";
  sonde_mindir_set_name (w, value, name);
  return name;
}

const char *
sonde_mindir_in (SondeMindirWriter *w, const SondeNode *node, guint index)
{
  SondeGraphValue *value = sonde_node_get_input (node, index);

  return value != NULL ? sonde_mindir_name (w, value) : NULL;
}

/* What a node gives, in the attribute where MindSpore has it. */
void
sonde_mindir_set_type (SondeMindirWriter *w, const char *name, const SondeType *type)
{
  GByteArray *node = g_hash_table_lookup (w->by_name, name);

  if (node == NULL || type->kind != SONDE_VALUE_TENSOR || type->rank < 0
      || type->dtype == SONDE_DTYPE_INVALID)
    return;
  sonde_mindir_emit_type_attribute (node, NODE_ATTRIBUTE, "shape", type);
  g_hash_table_remove (w->by_name, name);
}

void
sonde_mindir_set (SondeMindirWriter *w, const SondeNode *node, guint index, const char *name)
{
  SondeGraphValue *value = sonde_node_get_output (node, index);

  if (value == NULL)
    return;
  sonde_mindir_set_name (w, value, name);
  sonde_mindir_set_type (w, name, &value->type);
}

GArray *
sonde_mindir_known_ints (const SondeNode *node, guint index, const char *name)
{
  g_autoptr (GArray) ints = g_array_new (FALSE, FALSE, sizeof (gint64));
  const SondeTensor *tensor = sonde_mindir_known (node, index);
  gsize n = 0;
  const gint64 *values = name != NULL ? sonde_node_get_ints (node, name, &n) : NULL;

  if (values != NULL)
    g_array_append_vals (ints, values, (guint) n);
  else if (tensor != NULL && sonde_dtype_is_integer (tensor->dtype))
    for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
      {
        const gint64 number = sonde_tensor_get_int (tensor, i);

        g_array_append_val (ints, number);
      }
  else
    return NULL;
  return g_steal_pointer (&ints);
}

GArray *
sonde_mindir_sizes (const SondeGraphValue *value)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (gint64));

  if (value == NULL || value->type.rank < 0)
    return NULL;
  for (int i = 0; i < value->type.rank; i++)
    {
      if (value->type.dims[i].size < 0)
        return NULL;
      g_array_append_val (sizes, value->type.dims[i].size);
    }
  return g_steal_pointer (&sizes);
}

/* ---- the graph ----------------------------------------------------------- */

void
sonde_mindir_cannot (SondeMindirWriter *w, const SondeNode *node, const char *why)
{
  Missing *missing = g_hash_table_lookup (w->missing, node->op);

  if (missing == NULL)
    {
      missing = g_new0 (Missing, 1);
      missing->node = node;
      missing->why = why;
      g_hash_table_insert (w->missing, (gpointer) node->op, missing);
    }
  missing->count++;
  for (guint i = 0; i < node->outputs->len; i++)
    sonde_mindir_set (w, node, i, "missing");
}

static const SondeMindirWriteRow *
find_row (const char *domain, const char *op)
{
  static const SondeMindirWriteRow *const tables[]
      = { sonde_mindir_write_basic_rows,     sonde_mindir_write_layer_rows,
          sonde_mindir_write_shape_rows,     sonde_mindir_write_flow_rows,
          sonde_mindir_write_recurrent_rows, sonde_mindir_write_value_rows,
          sonde_mindir_write_window_rows,    sonde_mindir_write_einsum_rows };

  for (guint t = 0; *domain == '\0' && t < G_N_ELEMENTS (tables); t++)
    for (const SondeMindirWriteRow *row = tables[t]; row->op != NULL; row++)
      if (strcmp (row->op, op) == 0)
        return row;
  return NULL;
}

gboolean
sonde_mindir_writes (const char *domain, const char *op)
{
  return find_row (domain, op) != NULL;
}

static void
write_node (SondeMindirWriter *w, const SondeNode *node)
{
  const SondeMindirWriteRow *row = w->row;
  const SondeNode *outer = w->node;

  w->node = node;
  w->row = find_row (node->domain, node->op);
  if (w->row != NULL)
    w->row->write (w, node);
  else
    sonde_mindir_cannot (w, node, N_ ("there is no primitive for it"));
  w->node = outer;
  w->row = row;
}

void
sonde_mindir_write_body (SondeMindirWriter *w, SondeGraph *body)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) order = sonde_graph_sort (body, &error);

  for (guint i = 0; order != NULL && i < order->len; i++)
    write_node (w, order->pdata[i]);
  if (order == NULL)
    sonde_mindir_cannot (w, w->node, N_ ("nodes of its body wait for each other"));
}

/* ---- functions ----------------------------------------------------------- */

static void
push (SondeMindirWriter *w, const char *name)
{
  Frame *frame = g_new0 (Frame, 1);

  frame->outer = w->frame;
  frame->name = name;
  frame->nodes = g_ptr_array_new_with_free_func (free_bytes);
  frame->ports = g_byte_array_new ();
  frame->constants
      = g_hash_table_new_full (g_bytes_hash, g_bytes_equal, (GDestroyNotify) g_bytes_unref, NULL);
  frame->others = g_hash_table_new (g_str_hash, g_str_equal);
  w->frame = frame;
}

static void
pop (SondeMindirWriter *w)
{
  Frame *frame = w->frame;

  w->frame = frame->outer;
  g_ptr_array_unref (frame->nodes);
  g_byte_array_unref (frame->ports);
  g_hash_table_unref (frame->constants);
  g_hash_table_unref (frame->others);
  g_free (frame);
}

/* Weights are parameters, by their own names; other constants stand in nodes. NULL: no parameter */
static const SondeTensor *
get_parameter (const SondeGraphValue *value)
{
  return value != NULL && value->constant != NULL && value->producer == NULL
                 && (value->role == SONDE_ROLE_PARAMETER || value->role == SONDE_ROLE_STATE)
             ? sonde_value_get_tensor (value->constant)
             : NULL;
}

/* Once, and where they stay: they are most of the file. */
static void
emit_parameters (const SondeGraph *graph, SondeTensorBlob *blob, GByteArray *out)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      const SondeGraphValue *value = graph->values->pdata[i];
      const SondeTensor *tensor = get_parameter (value);
      g_autofree char *name = tensor != NULL ? g_strdup_printf (TOP ":%s", value->name) : NULL;

      if (tensor != NULL)
        sonde_mindir_emit_parameter (out, 3, name, tensor, blob);
    }
}

/* A GraphProto. @type: (nullable): of the result; @graph: (nullable): whose parameters it has, @blob: (nullable):
 * where they go */
static void
emit_frame (const Frame *frame, GByteArray *out, guint field, const char *result,
            const SondeType *type, const SondeGraph *graph, SondeTensorBlob *blob)
{
  const gsize start = sonde_emit_begin (out, field);

  for (guint i = 0; i < frame->nodes->len; i++)
    {
      const GByteArray *node = frame->nodes->pdata[i];

      sonde_emit_bytes (out, 1, node->data, node->len);
    }
  sonde_emit_text (out, 2, frame->name);
  sonde_emit_raw (out, frame->ports->data, frame->ports->len);
  if (graph != NULL)
    emit_parameters (graph, blob, out);
  sonde_mindir_emit_port (out, 6, result, type);
  sonde_emit_end (out, start);
}

const char *
sonde_mindir_function_new (SondeMindirWriter *w, const char *label)
{
  return keep (w, g_strdup_printf (TOP "_%s_%u", label, ++w->next));
}

void
sonde_mindir_function_begin (SondeMindirWriter *w, const char *name)
{
  push (w, name);
}

const char *
sonde_mindir_function_input (SondeMindirWriter *w, const SondeType *type)
{
  const char *name = keep (w, g_strdup_printf ("%s:input_%u", w->frame->name, ++w->next));

  sonde_mindir_emit_port (w->frame->ports, 5, name, type);
  g_hash_table_add (w->frame->others, (gpointer) name);
  return name;
}

/* A function returns one of its nodes, never an input or a constant. */
static const char *
make_result (SondeMindirWriter *w, const char *name)
{
  return g_hash_table_contains (w->frame->others, name)
             ? sonde_mindir_call_old (w, "Depend", SONDE_NAMES (name, name))
             : name;
}

void
sonde_mindir_function_end (SondeMindirWriter *w, const char *const *results, guint n)
{
  const char *result = n == 1 ? make_result (w, results[0]) : sonde_mindir_tuple (w, results, n);

  emit_frame (w->frame, w->functions, 8, result, NULL, NULL, NULL);
  pop (w);
}

const char *
sonde_mindir_call_function (SondeMindirWriter *w, const char *callee, const char *const *inputs,
                            guint n)
{
  g_autofree char *op = g_strconcat ("REF::", callee, NULL);
  const char *name = make_name (w);

  emit_node (w, name, op, inputs, n, NULL);
  return name;
}

const char *
sonde_mindir_partial (SondeMindirWriter *w, const char *function, const char *const *inputs,
                      guint n)
{
  g_autoptr (GPtrArray) all = g_ptr_array_new ();

  g_ptr_array_add (all, (gpointer) function);
  for (guint i = 0; i < n; i++)
    g_ptr_array_add (all, (gpointer) inputs[i]);
  return call (w, "Partial", 1, (const char *const *) all->pdata, all->len);
}

/* ---- the whole ----------------------------------------------------------- */

static void
name_parameters (SondeMindirWriter *w, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (get_parameter (value) != NULL)
        sonde_mindir_set_name (w, value, keep (w, g_strdup_printf (TOP ":%s", value->name)));
    }
}

static void
write_inputs (SondeMindirWriter *w, const SondeGraph *graph)
{
  for (guint i = 0; i < graph->inputs->len; i++)
    {
      SondeGraphValue *value = graph->inputs->pdata[i];
      const char *name;

      if (value->constant != NULL)
        continue;
      name = keep (w, g_strdup_printf (TOP ":%s", value->name));
      sonde_mindir_emit_port (w->frame->ports, 5, name, &value->type);
      sonde_mindir_set_name (w, value, name);
    }
}

/* The net returns one node: a tuple of several outputs. */
static const char *
write_result (SondeMindirWriter *w, const SondeGraph *graph)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < graph->outputs->len; i++)
    g_ptr_array_add (names, (gpointer) sonde_mindir_name (w, graph->outputs->pdata[i]));
  if (names->len == 1)
    return names->pdata[0];
  return sonde_mindir_tuple (w, (const char *const *) names->pdata, names->len);
}

static gint
compare_missing (gconstpointer a, gconstpointer b)
{
  const Missing *one = a, *other = b;

  return (int) one->node->id - (int) other->node->id;
}

static gboolean
check_missing (const SondeMindirWriter *w, GError **error)
{
  g_autoptr (GList) all = g_list_sort (g_hash_table_get_values (w->missing), compare_missing);
  SondeMessage *message;
  guint shown = 0;

  if (all == NULL)
    return TRUE;
  message = sonde_message_new ("MindIR has no form for %u operators of the model",
                               g_hash_table_size (w->missing));
  for (GList *l = all; l != NULL && shown < MAX_MESSAGE_OPERATORS; l = l->next, shown++)
    {
      const Missing *missing = l->data;

      sonde_message_append_format (message, "\n  %s (%u×, first “%s”): %-s", missing->node->op,
                                   missing->count, missing->node->name, missing->why);
    }
  sonde_set_error_message (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED, message);
  return FALSE;
}

static void
emit_head (GByteArray *out)
{
  sonde_emit_text (out, 1, "1.1");
  sonde_emit_text (out, 2, "MindSpore");
  sonde_emit_text (out, 3, " " MINDSPORE_VERSION);
  sonde_emit_text (out, 5, MINDSPORE_VERSION);
}

static GBytes *
write_model (SondeMindirWriter *w, SondeGraph *graph, const GPtrArray *order, SondeTensorBlob *blob,
             GError **error)
{
  GByteArray *out;
  const char *result;

  write_inputs (w, graph);
  name_parameters (w, graph);
  for (guint i = 0; i < order->len; i++)
    write_node (w, order->pdata[i]);
  result = write_result (w, graph);
  if (!check_missing (w, error))
    return NULL;
  out = g_byte_array_new ();
  emit_head (out);
  emit_frame (w->frame, out, 7, result,
              graph->outputs->len == 1 ? &((SondeGraphValue *) graph->outputs->pdata[0])->type
                                       : NULL,
              graph, blob);
  sonde_emit_raw (out, w->functions->data, w->functions->len);
  sonde_emit_number (out, 10, 1);
  sonde_emit_raw (out, w->primitives->data, w->primitives->len);
  sonde_emit_number (out, 13, 3);
  return g_byte_array_free_to_bytes (out);
}

GBytes *
sonde_mindir_serialise (SondeGraph *graph, SondeTensorBlob *blob, GError **error)
{
  SondeMindirWriter w
      = { .by_name = g_hash_table_new (g_str_hash, g_str_equal),
          .primitives = g_byte_array_new (),
          .functions = g_byte_array_new (),
          .pending = g_byte_array_new (),
          .names = g_hash_table_new (NULL, NULL),
          .strings = g_ptr_array_new_with_free_func (g_free),
          .missing = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free) };
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  GBytes *bytes;

  push (&w, TOP);
  bytes = order != NULL ? write_model (&w, graph, order, blob, error) : NULL;
  pop (&w);
  g_hash_table_unref (w.by_name);
  g_byte_array_unref (w.primitives);
  g_byte_array_unref (w.functions);
  g_byte_array_unref (w.pending);
  g_hash_table_unref (w.names);
  g_ptr_array_unref (w.strings);
  g_hash_table_unref (w.missing);
  return bytes;
}
