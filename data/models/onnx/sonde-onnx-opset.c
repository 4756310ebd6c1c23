/* SPDX-License-Identifier: Apache-2.0
 * The operator sets that a model or a function imports. */
#include "data/models/onnx/sonde-onnx-graph.h"

#include "data/models/onnx/sonde-onnx-reader.h"

gboolean
sonde_onnx_read_opsets (SondeOnnxReader *reader, Onnx__OperatorSetIdProto **protos, gsize n,
                        SondeGraph *graph, GError **error)
{
  for (gsize i = 0; i < n; i++)
    {
      const char *domain = protos[i]->domain ? protos[i]->domain : "";
      int before;

      if (!sonde_onnx_check_text (reader, N_ ("the domain of an opset"), domain, error))
        return FALSE;
      if (protos[i]->version < 1 || protos[i]->version > G_MAXINT)
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "opset “%s” has the version %" PRIi64, domain,
                                (gint64) protos[i]->version);
      before = sonde_graph_get_opset (graph, domain);
      if (before == protos[i]->version) /* skl2onnx writes some twice */
        continue;
      if (before != 0)
        return sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                                "opset “%s” is imported twice, as version %d and as %" PRIi64,
                                domain, before, (gint64) protos[i]->version);
      sonde_graph_set_opset (graph, domain, (int) protos[i]->version);
    }
  return TRUE;
}
