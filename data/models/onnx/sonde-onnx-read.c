/* SPDX-License-Identifier: Apache-2.0
 * ModelProto -> root graph: versions, functions, metadata, then the main graph. */
#include "data/models/onnx/sonde-onnx-graph.h"

#include "data/models/onnx/sonde-onnx-reader.h"

static gboolean
read_metadata (SondeOnnxReader *reader, Onnx__ModelProto *proto, SondeGraph *graph, GError **error)
{
  for (gsize i = 0; i < proto->n_metadata_props; i++)
    {
      const Onnx__StringStringEntryProto *entry = proto->metadata_props[i];
      SondeMetadata metadata = {
        g_utf8_make_valid (entry->key ? entry->key : "", -1),
        g_utf8_make_valid (entry->value ? entry->value : "", -1),
      };

      g_array_append_val (graph->metadata, metadata);
    }
  return TRUE;
}

static void
read_producer (const Onnx__ModelProto *proto, SondeGraph *graph)
{
  const char *name = proto->producer_name ? proto->producer_name : "";
  const char *version = proto->producer_version ? proto->producer_version : "";
  g_autofree char *text = g_strdup_printf ("%s%s%s", name, *name && *version ? " " : "", version);

  graph->producer = sonde_onnx_dup_doc (text);
}

/* The file has a text on the model and one on the graph; the graph has room for one. */
static void
join_docs (const Onnx__ModelProto *proto, SondeGraph *graph)
{
  g_autofree char *own = g_steal_pointer (&graph->doc);
  g_autofree char *outer = sonde_onnx_dup_doc (proto->doc_string);

  if (own != NULL && outer != NULL && g_strcmp0 (own, outer) != 0)
    graph->doc = g_strdup_printf ("%s\n\n%s", outer, own);
  else
    graph->doc = g_strdup (own ? own : outer);
}

SondeGraph *
sonde_onnx_read_model (SondeOnnxReader *reader, Onnx__ModelProto *proto, GError **error)
{
  g_autoptr (SondeGraph) graph = sonde_graph_new (NULL);

  if (proto->graph == NULL)
    {
      sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED, "the model holds no graph");
      return NULL;
    }
  graph->ir_version = proto->ir_version;
  read_producer (proto, graph);
  if (!sonde_onnx_read_opsets (reader, proto->opset_import, proto->n_opset_import, graph, error)
      || !read_metadata (reader, proto, graph, error))
    return NULL;
  if (proto->ir_version < 3 && graph->opsets->len == 0)
    sonde_graph_set_opset (graph, "", 1);

  if (!sonde_onnx_read_functions (reader, proto, graph, error)
      || !sonde_onnx_read_graph (reader, proto->graph, graph, error))
    return NULL;
  join_docs (proto, graph);
  return g_steal_pointer (&graph);
}
