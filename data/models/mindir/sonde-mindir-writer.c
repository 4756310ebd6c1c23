/* SPDX-License-Identifier: Apache-2.0
 * The bytes of a MindIR file. MindSpore wants nodes in order, each constant before its first reader. */
#include "data/models/mindir/sonde-mindir-writer.h"

#include <string.h>

#include "data/base/sonde-error.h"
#include "data/models/mindir/sonde-mindir-term.h"
#include "data/models/mindir/sonde-mindir.h"
#include "data/wire/sonde-wire-emit.h"

#define TOP "sonde"
#define MINDSPORE_VERSION "2.10.0"
#define MAX_MESSAGE_OPERATORS 12

/* Numbers of MindIR's attribute types. */
enum
{
  TYPE_FLOAT = 1,
  TYPE_INT64 = 7,
  TYPE_STRING = 8,
  TYPE_BOOL = 9,
  TYPE_TENSORS = 19,
  TYPE_TUPLE = 20,
  TYPE_NONE = 25,
};

/* An operator that cannot be written: its first node, and why. */
typedef struct
{
  const SondeNode *node;
  const char *why;
  guint count;
} Missing;

/**
 * SondeMindirWriter:
 * @nodes: (element-type GByteArray): each node's fields; @by_name: name -> those that have no type yet
 * @primitives: bytes so far; @pending: attributes of the next primitive
 * @names: SondeGraphValue -> name; @constants: contents -> name
 * @row, @node: at work
 * @missing: operator -> Missing
 */
struct _SondeMindirWriter
{
  SondeGraph *graph;
  GPtrArray *nodes;
  GByteArray *primitives, *pending;
  GHashTable *names, *constants, *by_name;
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

static const char *
keep (SondeMindirWriter *w, char *text)
{
  g_ptr_array_add (w->strings, text);
  return text;
}

/* ---- attributes ---------------------------------------------------------- */

static void
emit_int (GByteArray *out, guint field, const char *name, int type, gint64 value)
{
  gsize start = sonde_emit_begin (out, field);

  sonde_emit_text (out, 1, name);
  sonde_emit_number (out, 3, value);
  sonde_emit_number (out, 16, type);
  sonde_emit_end (out, start);
}

static void
emit_ints (GByteArray *out, guint field, const char *name, const gint64 *values, gsize n)
{
  gsize start = sonde_emit_begin (out, field);

  sonde_emit_text (out, 1, name);
  sonde_emit_number (out, 16, TYPE_TUPLE);
  for (gsize i = 0; i < n; i++)
    {
      gsize item = sonde_emit_begin (out, 17);

      sonde_emit_number (out, 10, values[i]);
      sonde_emit_number (out, 16, TYPE_INT64);
      sonde_emit_end (out, item);
    }
  sonde_emit_end (out, start);
}

static void
emit_float (GByteArray *out, guint field, const char *name, double value)
{
  gsize start = sonde_emit_begin (out, field);

  sonde_emit_text (out, 1, name);
  sonde_emit_float (out, 2, value);
  sonde_emit_number (out, 16, TYPE_FLOAT);
  sonde_emit_end (out, start);
}

static void
emit_string (GByteArray *out, guint field, const char *name, const char *value)
{
  gsize start = sonde_emit_begin (out, field);

  sonde_emit_text (out, 1, name);
  sonde_emit_text (out, 5, value);
  sonde_emit_number (out, 16, TYPE_STRING);
  sonde_emit_end (out, start);
}

#define ATTRIBUTE 3 /* of a primitive */

void
sonde_mindir_attribute_int (SondeMindirWriter *w, const char *name, gint64 value)
{
  emit_int (w->pending, ATTRIBUTE, name, TYPE_INT64, value);
}

void
sonde_mindir_attribute_bool (SondeMindirWriter *w, const char *name, gboolean value)
{
  emit_int (w->pending, ATTRIBUTE, name, TYPE_BOOL, value);
}

void
sonde_mindir_attribute_float (SondeMindirWriter *w, const char *name, double value)
{
  emit_float (w->pending, ATTRIBUTE, name, value);
}

void
sonde_mindir_attribute_text (SondeMindirWriter *w, const char *name, const char *value)
{
  emit_string (w->pending, ATTRIBUTE, name, value);
}

void
sonde_mindir_attribute_ints (SondeMindirWriter *w, const char *name, const gint64 *values, gsize n)
{
  emit_ints (w->pending, ATTRIBUTE, name, values, n);
}

/* ---- tensors ------------------------------------------------------------- */

static gint64
get_type_number (SondeDtype dtype)
{
  static const SondeDtype order[]
      = { SONDE_DTYPE_INVALID, SONDE_DTYPE_F32,  SONDE_DTYPE_U8,      SONDE_DTYPE_I8,
          SONDE_DTYPE_U16,     SONDE_DTYPE_I16,  SONDE_DTYPE_I32,     SONDE_DTYPE_I64,
          SONDE_DTYPE_STRING,  SONDE_DTYPE_BOOL, SONDE_DTYPE_F16,     SONDE_DTYPE_F64,
          SONDE_DTYPE_U32,     SONDE_DTYPE_U64,  SONDE_DTYPE_INVALID, SONDE_DTYPE_INVALID,
          SONDE_DTYPE_BF16 };

  for (gsize i = 0; i < G_N_ELEMENTS (order); i++)
    if (order[i] == dtype)
      return (gint64) i;
  return 0;
}

static void
emit_tensor (GByteArray *out, guint field, const char *name, const SondeTensor *tensor)
{
  g_autoptr (SondeTensor) flat = sonde_tensor_contiguous ((SondeTensor *) tensor);
  gsize start = sonde_emit_begin (out, field);

  for (int i = 0; i < flat->shape.rank; i++)
    sonde_emit_number (out, 1, flat->shape.dims[i]);
  sonde_emit_number (out, 2, get_type_number (flat->dtype));
  if (name != NULL)
    sonde_emit_text (out, 7, name);
  sonde_emit_bytes (out, 9, flat->data, sonde_tensor_n_bytes (flat));
  sonde_emit_end (out, start);
}

static void
emit_type (GByteArray *out, guint field, const SondeType *type)
{
  gsize start = sonde_emit_begin (out, field);

  for (int i = 0; i < type->rank; i++)
    sonde_emit_number (out, 1, type->dims[i].size);
  sonde_emit_number (out, 2, get_type_number (type->dtype));
  sonde_emit_end (out, start);
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
  g_ptr_array_add (w->nodes, node);
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
  const char *name = g_hash_table_lookup (w->constants, key);
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
  g_hash_table_insert (w->constants, g_bytes_ref (key), (gpointer) name);
  return name;
}

#define NODE_ATTRIBUTE 5

const char *
sonde_mindir_write_none (SondeMindirWriter *w)
{
  GByteArray *out = g_byte_array_new ();
  gsize start = sonde_emit_begin (out, NODE_ATTRIBUTE);

  sonde_emit_text (out, 1, "value");
  sonde_emit_number (out, 16, TYPE_NONE);
  sonde_emit_end (out, start);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_int (SondeMindirWriter *w, gint64 value)
{
  GByteArray *out = g_byte_array_new ();

  emit_int (out, NODE_ATTRIBUTE, "value", TYPE_INT64, value);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_bool (SondeMindirWriter *w, gboolean value)
{
  GByteArray *out = g_byte_array_new ();

  emit_int (out, NODE_ATTRIBUTE, "value", TYPE_BOOL, value);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_float (SondeMindirWriter *w, double value)
{
  GByteArray *out = g_byte_array_new ();

  emit_float (out, NODE_ATTRIBUTE, "value", value);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_ints (SondeMindirWriter *w, const gint64 *values, gsize n)
{
  GByteArray *out = g_byte_array_new ();

  emit_ints (out, NODE_ATTRIBUTE, "value", values, n);
  return write_constant (w, out);
}

const char *
sonde_mindir_write_tensor (SondeMindirWriter *w, const SondeTensor *tensor)
{
  GByteArray *out = g_byte_array_new ();
  gsize start = sonde_emit_begin (out, NODE_ATTRIBUTE);

  sonde_emit_text (out, 1, "value");
  emit_tensor (out, 12, NULL, tensor);
  sonde_emit_number (out, 16, TYPE_TENSORS);
  sonde_emit_end (out, start);
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

SondeTensor *
sonde_mindir_known (const SondeNode *node, guint index)
{
  const SondeGraphValue *value = sonde_node_get_input (node, index);

  return value != NULL && value->constant != NULL && value->producer == NULL
             ? sonde_value_get_tensor (value->constant)
             : NULL;
}

const char *
sonde_mindir_in (SondeMindirWriter *w, const SondeNode *node, guint index)
{
  SondeGraphValue *value = sonde_node_get_input (node, index);
  const char *name = value != NULL ? g_hash_table_lookup (w->names, value) : NULL;

  if (value == NULL || name != NULL)
    return name;
  name = sonde_mindir_known (node, index) != NULL
             ? sonde_mindir_write_tensor (w, sonde_mindir_known (node, index))
             : "missing";
  g_hash_table_insert (w->names, value, (gpointer) name);
  return name;
}

/* What a node gives, in the attribute where MindSpore has it. */
static void
describe (SondeMindirWriter *w, const char *name, const SondeType *type)
{
  GByteArray *node = g_hash_table_lookup (w->by_name, name);
  gsize start;

  if (node == NULL || type->kind != SONDE_VALUE_TENSOR || type->rank < 0
      || type->dtype == SONDE_DTYPE_INVALID)
    return;
  start = sonde_emit_begin (node, 5);
  sonde_emit_text (node, 1, "shape");
  emit_type (node, 12, type);
  sonde_emit_number (node, 16, TYPE_TENSORS);
  sonde_emit_end (node, start);
  g_hash_table_remove (w->by_name, name);
}

void
sonde_mindir_set (SondeMindirWriter *w, const SondeNode *node, guint index, const char *name)
{
  SondeGraphValue *value = sonde_node_get_output (node, index);

  if (value == NULL)
    return;
  g_hash_table_insert (w->names, value, (gpointer) name);
  describe (w, name, &value->type);
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
find_row (const SondeNode *node)
{
  static const SondeMindirWriteRow *const tables[]
      = { sonde_mindir_write_basic_rows, sonde_mindir_write_layer_rows,
          sonde_mindir_write_shape_rows };

  for (guint t = 0; *node->domain == '\0' && t < G_N_ELEMENTS (tables); t++)
    for (const SondeMindirWriteRow *row = tables[t]; row->op != NULL; row++)
      if (strcmp (row->op, node->op) == 0)
        return row;
  return NULL;
}

static void
write_nodes (SondeMindirWriter *w, const GPtrArray *nodes)
{
  for (guint i = 0; i < nodes->len; i++)
    {
      w->node = nodes->pdata[i];
      w->row = find_row (w->node);
      if (w->row != NULL)
        w->row->write (w, w->node);
      else
        sonde_mindir_cannot (w, w->node, N_ ("there is no primitive for it"));
    }
  w->node = NULL;
}

static void
emit_port (GByteArray *out, guint field, const char *name, const SondeType *type)
{
  gsize start = sonde_emit_begin (out, field);

  sonde_emit_text (out, 1, name);
  if (type != NULL)
    emit_type (out, 2, type);
  sonde_emit_end (out, start);
}

/* Weights are parameters, by their own names; other constants stand in nodes. */
static void
write_parameters (SondeMindirWriter *w, GByteArray *out)
{
  for (guint i = 0; i < w->graph->values->len; i++)
    {
      SondeGraphValue *value = w->graph->values->pdata[i];
      const SondeTensor *tensor = value != NULL && value->constant != NULL
                                      ? sonde_value_get_tensor (value->constant)
                                      : NULL;
      const char *name;

      if (tensor == NULL || value->producer != NULL
          || (value->role != SONDE_ROLE_PARAMETER && value->role != SONDE_ROLE_STATE))
        continue;
      name = keep (w, g_strdup_printf (TOP ":%s", value->name));
      emit_tensor (out, 3, name, tensor);
      g_hash_table_insert (w->names, value, (gpointer) name);
    }
}

static void
write_inputs (SondeMindirWriter *w, GByteArray *out)
{
  for (guint i = 0; i < w->graph->inputs->len; i++)
    {
      SondeGraphValue *value = w->graph->inputs->pdata[i];
      const char *name;

      if (value->constant != NULL)
        continue;
      name = keep (w, g_strdup_printf (TOP ":%s", value->name));
      emit_port (out, 5, name, &value->type);
      g_hash_table_insert (w->names, value, (gpointer) name);
    }
}

/* The net returns one node: a tuple of several outputs. */
static const char *
write_result (SondeMindirWriter *w)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < w->graph->outputs->len; i++)
    {
      SondeGraphValue *value = w->graph->outputs->pdata[i];
      const char *name = g_hash_table_lookup (w->names, value);

      if (name == NULL && value->constant != NULL
          && sonde_value_get_tensor (value->constant) != NULL)
        name = sonde_mindir_write_tensor (w, sonde_value_get_tensor (value->constant));
      g_ptr_array_add (names, (gpointer) (name != NULL ? name : "missing"));
    }
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
write_model (SondeMindirWriter *w, const GPtrArray *order, GError **error)
{
  g_autoptr (GByteArray) ports = g_byte_array_new ();
  GByteArray *out = g_byte_array_new ();
  const char *result;
  const SondeType *type;
  gsize graph;

  write_inputs (w, ports);
  write_parameters (w, ports);
  write_nodes (w, order);
  result = write_result (w);
  if (!check_missing (w, error))
    {
      g_byte_array_unref (out);
      return NULL;
    }
  type = w->graph->outputs->len == 1 ? &((SondeGraphValue *) w->graph->outputs->pdata[0])->type
                                     : NULL;
  emit_head (out);
  graph = sonde_emit_begin (out, 7);
  for (guint i = 0; i < w->nodes->len; i++)
    {
      const GByteArray *node = w->nodes->pdata[i];

      sonde_emit_bytes (out, 1, node->data, node->len);
    }
  sonde_emit_text (out, 2, TOP);
  sonde_emit_raw (out, ports->data, ports->len);
  emit_port (out, 6, result, type);
  sonde_emit_end (out, graph);
  sonde_emit_number (out, 10, 1);
  sonde_emit_raw (out, w->primitives->data, w->primitives->len);
  sonde_emit_number (out, 13, 3);
  return g_byte_array_free_to_bytes (out);
}

static void
free_bytes (gpointer bytes)
{
  g_byte_array_unref (bytes);
}

GBytes *
sonde_mindir_serialise (SondeGraph *graph, GError **error)
{
  SondeMindirWriter w
      = { .graph = graph,
          .nodes = g_ptr_array_new_with_free_func (free_bytes),
          .by_name = g_hash_table_new (g_str_hash, g_str_equal),
          .primitives = g_byte_array_new (),
          .pending = g_byte_array_new (),
          .names = g_hash_table_new (NULL, NULL),
          .constants = g_hash_table_new_full (g_bytes_hash, g_bytes_equal,
                                              (GDestroyNotify) g_bytes_unref, NULL),
          .strings = g_ptr_array_new_with_free_func (g_free),
          .missing = g_hash_table_new_full (g_str_hash, g_str_equal, NULL, g_free) };
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);
  GBytes *bytes = order != NULL ? write_model (&w, order, error) : NULL;

  g_ptr_array_unref (w.nodes);
  g_hash_table_unref (w.by_name);
  g_byte_array_unref (w.primitives);
  g_byte_array_unref (w.pending);
  g_hash_table_unref (w.names);
  g_hash_table_unref (w.constants);
  g_ptr_array_unref (w.strings);
  g_hash_table_unref (w.missing);
  return bytes;
}
