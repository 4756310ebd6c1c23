/* SPDX-License-Identifier: Apache-2.0
 * Graph -> ModelProto. The message borrows from the graph wherever it can; what it needs of its own
 * lives in the writer until the bytes are made. */
#include "data/models/onnx/sonde-onnx-write.h"

#include <limits.h>
#include <string.h>

#include "data/base/sonde-text.h"
#include "data/models/onnx/sonde-onnx-notes.h"
#include "data/models/onnx/sonde-onnx.h"
#include "data/models/onnx/sonde-onnx-tensor.h"
#include "data/models/onnx/sonde-onnx-type.h"
#include "data/models/onnx/sonde-onnx-writer.h"

#define IR_VERSION 8            /* reads everywhere Debian 12 reaches */
#define IR_ATTRIBUTE_DEFAULTS 9 /* of functions */
#define IR_OVERLOADS 10
#define EXTERNAL 1 /* data_location */

/* ---- nodes and values ---------------------------------------------------- */

typedef struct
{
  SondeOnnxWriter *writer;
  GPtrArray *texts;
} NoteList;

static void
add_note (const char *key, const char *value, gpointer data)
{
  NoteList *list = data;

  g_ptr_array_add (list->texts, (char *) key);
  g_ptr_array_add (list->texts, sonde_onnx_take_text (list->writer, g_strdup (value)));
}

/* Inside a subgraph a captured value is called what its owner calls it. */
static char *
name_of (const SondeGraphValue *value)
{
  while (value != NULL && value->outer != NULL)
    value = value->outer;
  return value ? value->name : (char *) "";
}

static char **
write_names (SondeOnnxWriter *writer, GPtrArray *values, size_t *n)
{
  char **names = sonde_onnx_alloc (writer, values->len * sizeof (char *));

  *n = values->len;
  for (guint i = 0; i < values->len; i++)
    names[i] = name_of (values->pdata[i]);
  return names;
}

static gboolean
write_node (SondeOnnxWriter *writer, SondeGraph *graph, const SondeNode *node, guint depth,
            Onnx__NodeProto *proto, GError **error)
{
  static const Onnx__AttributeProto init = ONNX__ATTRIBUTE_PROTO__INIT;
  g_autoptr (GPtrArray) notes = g_ptr_array_new ();
  NoteList list = { writer, notes };

  proto->name = node->name;
  proto->op_type = (char *) node->op;
  proto->domain = *node->domain != '\0' ? (char *) node->domain : NULL;
  proto->overload = (char *) node->overload;
  proto->doc_string = node->doc;
  proto->input = write_names (writer, node->inputs, &proto->n_input);
  proto->output = write_names (writer, node->outputs, &proto->n_output);
  sonde_onnx_describe_node (graph, node, add_note, &list);
  proto->metadata_props = sonde_onnx_new_entries (writer, notes, &proto->n_metadata_props);

  proto->n_attribute = node->attributes->len;
  proto->attribute = sonde_onnx_alloc_messages (writer, proto->n_attribute, &init, sizeof init);
  for (guint i = 0; i < node->attributes->len; i++)
    if (!sonde_onnx_write_attribute (writer, node->attributes->pdata[i], depth, proto->attribute[i],
                                     error))
      {
        sonde_prefix_error (error, "node “%s”: ", node->name);
        return FALSE;
      }
  return TRUE;
}

gboolean
sonde_onnx_write_nodes (SondeOnnxWriter *writer, SondeGraph *graph, guint depth,
                        Onnx__NodeProto ***protos, size_t *n, GError **error)
{
  static const Onnx__NodeProto init = ONNX__NODE_PROTO__INIT;
  g_autoptr (GPtrArray) order = sonde_graph_sort (graph, error);

  if (order == NULL)
    return FALSE;
  *n = order->len;
  *protos = sonde_onnx_alloc_messages (writer, order->len, &init, sizeof init);
  for (guint i = 0; i < order->len; i++)
    if (!write_node (writer, graph, order->pdata[i], depth, (*protos)[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
is_initialiser (const SondeGraphValue *value)
{
  return value->constant != NULL && value->producer == NULL;
}

/* Initialisers carry their notes themselves. */
static void
write_value_info (SondeOnnxWriter *writer, SondeGraph *graph, const SondeGraphValue *value,
                  Onnx__ValueInfoProto *proto)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new ();
  NoteList list = { writer, notes };

  proto->name = name_of (value);
  proto->type = sonde_onnx_write_type (writer, &value->type);
  proto->doc_string = value->doc;
  if (!is_initialiser (value))
    sonde_onnx_describe_value (graph, value, add_note, &list);
  proto->metadata_props = sonde_onnx_new_entries (writer, notes, &proto->n_metadata_props);
}

static Onnx__ValueInfoProto **
write_value_infos (SondeOnnxWriter *writer, SondeGraph *graph, GPtrArray *values, size_t *n)
{
  static const Onnx__ValueInfoProto init = ONNX__VALUE_INFO_PROTO__INIT;
  Onnx__ValueInfoProto **protos
      = sonde_onnx_alloc_messages (writer, values->len, &init, sizeof init);

  *n = values->len;
  for (guint i = 0; i < values->len; i++)
    write_value_info (writer, graph, values->pdata[i], protos[i]);
  return protos;
}

static void
add_text (GPtrArray *texts, SondeOnnxWriter *writer, const char *key, char *value)
{
  g_ptr_array_add (texts, (char *) key);
  g_ptr_array_add (texts, sonde_onnx_take_text (writer, value));
}

/* The elements of @proto, which is @tensor's, into the other file. */
static void
move_out (SondeOnnxWriter *writer, SondeTensor *tensor, Onnx__TensorProto *proto)
{
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();
  const guint64 offset = sonde_tensor_blob_add (writer->blob, tensor);

  if (offset == G_MAXUINT64)
    return;
  proto->has_raw_data = FALSE;
  proto->raw_data = (ProtobufCBinaryData){ 0 };
  proto->has_data_location = TRUE;
  proto->data_location = EXTERNAL;
  add_text (texts, writer, "location", g_strdup (writer->blob->location));
  add_text (texts, writer, "offset", g_strdup_printf ("%" PRIu64, offset));
  add_text (texts, writer, "length",
            g_strdup_printf ("%" PRIu64, (guint64) sonde_tensor_n_bytes (tensor)));
  proto->external_data = sonde_onnx_new_entries (writer, texts, &proto->n_external_data);
}

static gboolean
write_initialiser (SondeOnnxWriter *writer, SondeGraph *graph, const SondeGraphValue *value,
                   Onnx__TensorProto *proto, GError **error)
{
  g_autoptr (GPtrArray) notes = g_ptr_array_new ();
  NoteList list = { writer, notes };
  SondeTensor *tensor = sonde_value_get_tensor (value->constant);

  if (tensor == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
                       "initialiser “%s” is not a tensor and has no representation in ONNX",
                       value->name);
      return FALSE;
    }
  sonde_onnx_describe_value (graph, value, add_note, &list);
  proto->metadata_props = sonde_onnx_new_entries (writer, notes, &proto->n_metadata_props);
  proto->doc_string = value->doc;
  if (!sonde_onnx_write_tensor (writer, tensor, value->name, proto, error))
    return FALSE;
  if (writer->blob != NULL && proto->has_raw_data && sonde_dtype_bits (tensor->dtype) >= 8)
    move_out (writer, tensor, proto);
  return TRUE;
}

static gboolean
write_initialisers (SondeOnnxWriter *writer, SondeGraph *graph, GPtrArray *values,
                    Onnx__GraphProto *proto, GError **error)
{
  static const Onnx__TensorProto init = ONNX__TENSOR_PROTO__INIT;

  proto->n_initializer = values->len;
  proto->initializer = sonde_onnx_alloc_messages (writer, values->len, &init, sizeof init);
  for (guint i = 0; i < values->len; i++)
    if (!write_initialiser (writer, graph, values->pdata[i], proto->initializer[i], error))
      return FALSE;
  return TRUE;
}

/* Values that something is known of and that stand in no other list. */
static void
sort_values (SondeGraph *graph, GPtrArray *initialisers, GPtrArray *others)
{
  g_autoptr (GHashTable) listed = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < graph->inputs->len; i++)
    g_hash_table_add (listed, graph->inputs->pdata[i]);
  for (guint i = 0; i < graph->outputs->len; i++)
    g_hash_table_add (listed, graph->outputs->pdata[i]);
  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = graph->values->pdata[i];

      if (value == NULL || value->outer != NULL)
        continue;
      if (is_initialiser (value))
        g_ptr_array_add (initialisers, value);
      else if (!g_hash_table_contains (listed, value) && value->producer != NULL
               && (value->type.kind != SONDE_VALUE_NONE || value->doc != NULL
                   || value->update_of != NULL || value->role != SONDE_ROLE_NORMAL))
        g_ptr_array_add (others, value);
    }
}

gboolean
sonde_onnx_write_graph (SondeOnnxWriter *writer, SondeGraph *graph, guint depth,
                        Onnx__GraphProto *proto, GError **error)
{
  g_autoptr (GPtrArray) initialisers = g_ptr_array_new ();
  g_autoptr (GPtrArray) others = g_ptr_array_new ();

  if (depth > SONDE_BUDGET_SUBGRAPHS)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "graph “%s” lies inside %u others; at most %d can be written",
                       graph->name ? graph->name : "", depth, SONDE_BUDGET_SUBGRAPHS);
      return FALSE;
    }
  sort_values (graph, initialisers, others);
  proto->name = graph->name ? graph->name : (char *) "graph"; /* ONNX wants one */
  proto->doc_string = graph->doc;
  proto->input = write_value_infos (writer, graph, graph->inputs, &proto->n_input);
  proto->output = write_value_infos (writer, graph, graph->outputs, &proto->n_output);
  proto->value_info = write_value_infos (writer, graph, others, &proto->n_value_info);
  return write_initialisers (writer, graph, initialisers, proto, error)
         && sonde_onnx_write_nodes (writer, graph, depth, &proto->node, &proto->n_node, error);
}

/* ---- the model ----------------------------------------------------------- */

/* Opsets that are imported, and with version 1 those that are used without. */
static Onnx__OperatorSetIdProto **
write_opsets (SondeOnnxWriter *writer, SondeGraph *graph, size_t *n)
{
  static const Onnx__OperatorSetIdProto init = ONNX__OPERATOR_SET_ID_PROTO__INIT;
  g_autoptr (GArray) opsets = g_array_new (FALSE, FALSE, sizeof (SondeOpset));
  g_autoptr (GHashTable) known = g_hash_table_new (g_str_hash, g_str_equal);
  Onnx__OperatorSetIdProto **protos = NULL;

  g_array_append_vals (opsets, graph->opsets->data, graph->opsets->len);
  for (guint i = 0; i < opsets->len; i++)
    g_hash_table_add (known, (char *) g_array_index (opsets, SondeOpset, i).domain);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      const SondeNode *node = graph->nodes->pdata[i];

      if (node != NULL && g_hash_table_add (known, (char *) node->domain))
        g_array_append_vals (opsets, &(SondeOpset){ node->domain, MAX (node->version, 1) }, 1);
    }

  *n = opsets->len;
  protos = sonde_onnx_alloc_messages (writer, opsets->len, &init, sizeof init);
  for (guint i = 0; i < opsets->len; i++)
    {
      protos[i]->domain = (char *) g_array_index (opsets, SondeOpset, i).domain;
      protos[i]->has_version = TRUE;
      protos[i]->version = g_array_index (opsets, SondeOpset, i).version;
    }
  return protos;
}

static gboolean
write_function (SondeOnnxWriter *writer, const SondeFunction *function, Onnx__FunctionProto *proto,
                GError **error)
{
  static const Onnx__AttributeProto attribute_init = ONNX__ATTRIBUTE_PROTO__INIT;
  g_autoptr (GPtrArray) initialisers = g_ptr_array_new ();
  g_autoptr (GPtrArray) others = g_ptr_array_new ();

  proto->name = function->name;
  proto->domain = function->domain;
  proto->overload = *function->overload != '\0' ? function->overload : NULL;
  proto->doc_string = function->doc;
  proto->input = write_names (writer, function->body->inputs, &proto->n_input);
  proto->output = write_names (writer, function->body->outputs, &proto->n_output);
  proto->n_attribute = g_strv_length (function->attribute_names);
  proto->attribute = function->attribute_names;
  proto->opset_import = write_opsets (writer, function->body, &proto->n_opset_import);
  proto->n_attribute_proto = function->defaults->len;
  proto->attribute_proto = sonde_onnx_alloc_messages (writer, function->defaults->len,
                                                      &attribute_init, sizeof attribute_init);
  sort_values (function->body, initialisers, others);
  proto->value_info = write_value_infos (writer, function->body, others, &proto->n_value_info);
  if (initialisers->len > 0)
    {
      sonde_set_error (
          error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_UNSUPPORTED,
          "function “%s” has the initialiser “%s”; a function in ONNX can only have Constant "
          "nodes",
          function->name, ((SondeGraphValue *) initialisers->pdata[0])->name);
      return FALSE;
    }
  for (guint i = 0; i < function->defaults->len; i++)
    if (!sonde_onnx_write_attribute (writer, function->defaults->pdata[i], 0,
                                     proto->attribute_proto[i], error))
      return FALSE;
  return sonde_onnx_write_nodes (writer, function->body, 0, &proto->node, &proto->n_node, error);
}

static gboolean
write_functions (SondeOnnxWriter *writer, SondeGraph *graph, Onnx__ModelProto *proto,
                 GError **error)
{
  static const Onnx__FunctionProto init = ONNX__FUNCTION_PROTO__INIT;

  proto->n_functions = graph->functions->len;
  proto->functions = sonde_onnx_alloc_messages (writer, graph->functions->len, &init, sizeof init);
  for (guint i = 0; i < graph->functions->len; i++)
    {
      const SondeFunction *function = graph->functions->pdata[i];

      if (function->defaults->len > 0)
        writer->ir_version = MAX (writer->ir_version, IR_ATTRIBUTE_DEFAULTS);
      if (*function->overload != '\0')
        writer->ir_version = MAX (writer->ir_version, IR_OVERLOADS);
      if (!write_function (writer, function, proto->functions[i], error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
write_model (SondeOnnxWriter *writer, SondeGraph *graph, Onnx__ModelProto *proto, GError **error)
{
  static const Onnx__GraphProto graph_init = ONNX__GRAPH_PROTO__INIT;
  g_autoptr (GPtrArray) texts = g_ptr_array_new ();

  proto->producer_name = graph->producer ? graph->producer : (char *) "Sonde";
  for (guint i = 0; i < graph->metadata->len; i++)
    {
      g_ptr_array_add (texts, g_array_index (graph->metadata, SondeMetadata, i).key);
      g_ptr_array_add (texts, g_array_index (graph->metadata, SondeMetadata, i).value);
    }
  proto->metadata_props = sonde_onnx_new_entries (writer, texts, &proto->n_metadata_props);
  proto->opset_import = write_opsets (writer, graph, &proto->n_opset_import);
  proto->graph = sonde_onnx_alloc (writer, sizeof graph_init);
  *proto->graph = graph_init;
  if (!write_functions (writer, graph, proto, error)
      || !sonde_onnx_write_graph (writer, graph, 0, proto->graph, error))
    return FALSE;

  proto->has_ir_version = TRUE;
  proto->ir_version = writer->ir_version;
  return TRUE;
}

static GBytes *
pack (const Onnx__ModelProto *proto, GError **error)
{
  gsize size = onnx__model_proto__get_packed_size (proto);
  guint8 *data = NULL;

  if (size > INT_MAX)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "the model takes %zu bytes; an ONNX file ends at 2 GiB", size);
      return NULL;
    }
  data = sonde_try_alloc (NULL, size, N_ ("the bytes of a model"), error);
  if (data == NULL)
    return NULL;
  onnx__model_proto__pack (proto, data);
  return g_bytes_new_take (data, size);
}

GBytes *
sonde_onnx_serialise (SondeGraph *graph, SondeTensorBlob *blob, GError **error)
{
  Onnx__ModelProto proto = ONNX__MODEL_PROTO__INIT;
  g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify) sonde_tensor_unref);
  SondeOnnxWriter writer = { blocks, kept, IR_VERSION, blob };

  if (!write_model (&writer, graph, &proto, error))
    return NULL;
  return pack (&proto, error);
}
