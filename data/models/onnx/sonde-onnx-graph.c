/* SPDX-License-Identifier: Apache-2.0
 * GraphProto -> graph: values first, then nodes, so that the order in the file does not matter.
 * Graphs inside graphs recurse through attributes; the scan has bounded how deep. */
#include "data/models/onnx/sonde-onnx-graph.h"

#include "data/base/sonde-message-nest.h"
#include "data/models/onnx/sonde-onnx-notes.h"
#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/models/onnx/sonde-onnx-tensor.h"
#include "data/models/onnx/sonde-onnx-type.h"

static const char *
text_or_empty (const char *text)
{
  return text ? text : "";
}

SondeGraphValue *
sonde_onnx_find_value (SondeGraph *graph, const char *name)
{
  return sonde_graph_capture_value (graph, name);
}

/* ---- values -------------------------------------------------------------- */

static gboolean
check_new_name (SondeOnnxReader *reader, SondeGraph *graph, const char *kind, const char *name,
                GError **error)
{
  if (!sonde_onnx_check_text (reader, N_ ("the name of a value"), name, error))
    return FALSE;
  if (name == NULL || *name == '\0')
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "graph “%s” has %-s without a name", text_or_empty (graph->name), kind);
  if (sonde_graph_find_value (graph, name) != NULL)
    return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                            "graph “%s” defines the value “%s” a second time, as %-s",
                            text_or_empty (graph->name), name, kind);
  return TRUE;
}

static gboolean
read_value_type (SondeOnnxReader *reader, const Onnx__ValueInfoProto *proto, SondeType *type,
                 GError **error)
{
  g_autofree char *what = sonde_message_nest ("value “%s”", text_or_empty (proto->name));

  return sonde_onnx_read_type (reader, proto->type, what, type, error);
}

static gboolean
read_inputs (SondeOnnxReader *reader, Onnx__GraphProto *proto, SondeGraph *graph, GError **error)
{
  for (gsize i = 0; i < proto->n_input; i++)
    {
      Onnx__ValueInfoProto *info = proto->input[i];
      SondeGraphValue *value = NULL;
      SondeType type;

      if (!check_new_name (reader, graph, N_ ("an input"), info->name, error)
          || !read_value_type (reader, info, &type, error))
        return FALSE;
      value = sonde_graph_add_input (graph, info->name, &type);
      value->doc = sonde_onnx_dup_doc (info->doc_string);
    }
  return TRUE;
}

/* An initialiser with the name of an input is that input's default.
 * @values: the message with its name; @sparse: (nullable): around it */
static gboolean
read_initialiser (SondeOnnxReader *reader, Onnx__TensorProto *values,
                  Onnx__SparseTensorProto *sparse, SondeGraph *graph, GError **error)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, values->name);
  g_autoptr (SondeTensor) tensor = NULL;

  if ((value == NULL || value->constant != NULL)
      && !check_new_name (reader, graph, N_ ("an initialiser"), values->name, error))
    return FALSE;
  tensor = sparse != NULL ? sonde_onnx_read_sparse (reader, sparse, N_ ("sparse tensor"), error)
                          : sonde_onnx_read_tensor (reader, values, N_ ("tensor"), error);
  if (tensor == NULL)
    return FALSE;

  if (value == NULL)
    value = sonde_graph_add_initialiser (graph, values->name, tensor, SONDE_ROLE_CONSTANT);
  else
    value->constant = sonde_value_new_tensor (tensor);
  value->type = sonde_type_tensor (tensor->dtype, &tensor->shape);
  if (value->doc == NULL)
    value->doc = sonde_onnx_dup_doc (values->doc_string);
  return TRUE;
}

static gboolean
read_initialisers (SondeOnnxReader *reader, Onnx__GraphProto *proto, SondeGraph *graph,
                   GError **error)
{
  for (gsize i = 0; i < proto->n_initializer; i++)
    if (!read_initialiser (reader, proto->initializer[i], NULL, graph, error))
      return FALSE;
  for (gsize i = 0; i < proto->n_sparse_initializer; i++)
    {
      Onnx__SparseTensorProto *sparse = proto->sparse_initializer[i];

      if (sparse->values == NULL)
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "sparse initialiser number %zu of graph “%s” has no values", i,
                                text_or_empty (graph->name));
      if (!read_initialiser (reader, sparse->values, sparse, graph, error))
        return FALSE;
    }
  return TRUE;
}

/* Notes on values that exist already: type where it is unknown, documentation, our own facts. */
gboolean
sonde_onnx_read_value_infos (SondeOnnxReader *reader, Onnx__ValueInfoProto **protos, gsize n,
                             SondeGraph *graph, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      Onnx__ValueInfoProto *info = protos[i];
      SondeGraphValue *value = sonde_graph_find_value (graph, info->name);

      if (value == NULL)
        continue;
      if (value->type.kind == SONDE_VALUE_NONE
          && !read_value_type (reader, info, &value->type, error))
        return FALSE;
      if (value->doc == NULL)
        value->doc = sonde_onnx_dup_doc (info->doc_string);
      sonde_onnx_apply_to_value (graph, value, info->metadata_props, info->n_metadata_props);
    }
  return TRUE;
}

static gboolean
read_outputs (SondeOnnxReader *reader, Onnx__GraphProto *proto, SondeGraph *graph, GError **error)
{
  for (gsize i = 0; i < proto->n_output; i++)
    {
      const char *name = text_or_empty (proto->output[i]->name);
      SondeGraphValue *value = sonde_onnx_find_value (graph, name);

      if (!sonde_onnx_check_text (reader, N_ ("the name of an output"), name, error))
        return FALSE;
      if (value == NULL)
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "output “%s” of graph “%s” is made by no node", name,
                                text_or_empty (graph->name));
      sonde_graph_add_output (graph, value);
    }
  return sonde_onnx_read_value_infos (reader, proto->output, proto->n_output, graph, error);
}

static void
set_role (const Onnx__TensorProto *tensor, SondeGraph *graph)
{
  SondeGraphValue *value = sonde_graph_find_value (graph, tensor->name);

  value->role = sonde_graph_initialiser_role (value);
  sonde_onnx_apply_to_value (graph, value, tensor->metadata_props, tensor->n_metadata_props);
}

static void
set_roles (Onnx__GraphProto *proto, SondeGraph *graph)
{
  for (gsize i = 0; i < proto->n_initializer; i++)
    set_role (proto->initializer[i], graph);
  for (gsize i = 0; i < proto->n_sparse_initializer; i++)
    set_role (proto->sparse_initializer[i]->values, graph);
}

/* ---- nodes --------------------------------------------------------------- */

static gboolean
declare_outputs (SondeOnnxReader *reader, Onnx__NodeProto *proto, SondeGraph *graph, GError **error)
{
  for (gsize i = 0; i < proto->n_output; i++)
    {
      if (*proto->output[i] == '\0')
        continue;
      if (!check_new_name (reader, graph, N_ ("the output of a node"), proto->output[i], error))
        return FALSE;
      sonde_graph_add_value (graph, proto->output[i], NULL);
    }
  return TRUE;
}

/* "Conv_y" from the operator and the first output; without one the graph counts: "Conv",
 * "Conv_1". */
static char *
name_for (const Onnx__NodeProto *proto)
{
  if (proto->name != NULL && *proto->name != '\0')
    return g_strdup (proto->name);
  for (gsize i = 0; i < proto->n_output; i++)
    if (*proto->output[i] != '\0')
      return g_strdup_printf ("%s_%s", proto->op_type, proto->output[i]);
  return NULL;
}

static gboolean
check_node_texts (SondeOnnxReader *reader, Onnx__NodeProto *proto, SondeGraph *graph, gsize number,
                  GError **error)
{
  if (!sonde_onnx_check_text (reader, N_ ("the name of a node"), proto->name, error)
      || !sonde_onnx_check_text (reader, N_ ("the operator"), proto->op_type, error)
      || !sonde_onnx_check_text (reader, N_ ("the domain"), proto->domain, error)
      || !sonde_onnx_check_text (reader, N_ ("the overload"), proto->overload, error))
    return FALSE;
  if (proto->op_type != NULL && *proto->op_type != '\0')
    return TRUE;
  return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                          "node “%s” (number %zu of graph “%s”) has no operator",
                          text_or_empty (proto->name), number, text_or_empty (graph->name));
}

static gboolean
connect_inputs (SondeOnnxReader *reader, Onnx__NodeProto *proto, SondeGraph *graph, SondeNode *node,
                GError **error)
{
  for (gsize i = 0; i < proto->n_input; i++)
    {
      SondeGraphValue *value = NULL;

      if (*proto->input[i] != '\0')
        {
          value = sonde_onnx_find_value (graph, proto->input[i]);
          if (value == NULL)
            {
              g_autofree char *shown = g_utf8_make_valid (proto->input[i], -1);

              return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                      "input %zu of node “%s” is “%s”, which no "
                                      "node makes",
                                      i, node->name, shown);
            }
        }
      sonde_node_set_input (graph, node, (guint) i, value);
    }
  return TRUE;
}

static gboolean
read_attributes (SondeOnnxReader *reader, Onnx__NodeProto *proto, SondeGraph *graph,
                 SondeNode *node, GError **error)
{
  g_autoptr (GHashTable) seen = NULL;

  if (proto->n_attribute > 1)
    seen = g_hash_table_new (g_str_hash, g_str_equal);
  for (gsize i = 0; i < proto->n_attribute; i++)
    {
      SondeAttribute *attribute = sonde_onnx_read_attribute (reader, proto->attribute[i],
                                                             N_ ("node"), node->name, graph, error);

      if (attribute == NULL)
        return FALSE;
      /* The table of names instead of sonde_node_take_attribute(): a hostile node has very many. */
      g_ptr_array_add (node->attributes, attribute);
      if (seen != NULL && !g_hash_table_add (seen, attribute->name))
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "node “%s” has the attribute “%s” twice", node->name,
                                attribute->name);
    }
  return TRUE;
}

static gboolean
read_node (SondeOnnxReader *reader, Onnx__NodeProto *proto, SondeGraph *graph, gsize number,
           GError **error)
{
  g_autofree char *name = NULL;
  SondeNode *node = NULL;

  if (!check_node_texts (reader, proto, graph, number, error))
    return FALSE;
  name = name_for (proto);
  node = sonde_graph_add_node (graph, name, proto->domain, proto->op_type, NULL, 0, 0);
  node->doc = sonde_onnx_dup_doc (proto->doc_string);
  if (proto->overload != NULL && *proto->overload != '\0')
    node->overload = g_intern_string (proto->overload);

  for (gsize i = 0; i < proto->n_output; i++)
    sonde_node_set_output (graph, node, (guint) i,
                           sonde_graph_find_value (graph, proto->output[i]));
  if (!connect_inputs (reader, proto, graph, node, error)
      || !read_attributes (reader, proto, graph, node, error))
    return FALSE;
  sonde_onnx_apply_to_node (node, proto->metadata_props, proto->n_metadata_props);
  return TRUE;
}

gboolean
sonde_onnx_read_nodes (SondeOnnxReader *reader, Onnx__NodeProto **protos, gsize n,
                       SondeGraph *graph, GError **error)
{
  for (gsize i = 0; i < n; i++)
    if (!declare_outputs (reader, protos[i], graph, error))
      return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!read_node (reader, protos[i], graph, i, error))
      return FALSE;
  return TRUE;
}

gboolean
sonde_onnx_read_graph (SondeOnnxReader *reader, Onnx__GraphProto *proto, SondeGraph *graph,
                       GError **error)
{
  if (!sonde_onnx_check_text (reader, N_ ("the name of a graph"), proto->name, error))
    return FALSE;
  g_free (graph->name);
  graph->name = g_strdup (proto->name);
  graph->doc = sonde_onnx_dup_doc (proto->doc_string);

  if (!read_inputs (reader, proto, graph, error) || !read_initialisers (reader, proto, graph, error)
      || !sonde_onnx_read_nodes (reader, proto->node, proto->n_node, graph, error)
      || !sonde_onnx_read_value_infos (reader, proto->value_info, proto->n_value_info, graph, error)
      || !read_outputs (reader, proto, graph, error))
    return FALSE;
  set_roles (proto, graph);
  return sonde_onnx_read_value_infos (reader, proto->input, proto->n_input, graph, error);
}
