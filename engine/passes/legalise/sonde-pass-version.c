/* SPDX-License-Identifier: Apache-2.0
 * Is it known what the operators of a model mean? A model of a format from tomorrow can be looked
 * at, not run. */
#include "engine/passes/sonde-legalise.h"

#define NEWEST_IR_VERSION 14

/* A graph that a program built has no version of the format, and means the current operators. */
gboolean
sonde_check_versions (const SondeGraph *graph, GError **error)
{
  int opset = sonde_graph_get_opset (graph, "");

  if (graph->ir_version > NEWEST_IR_VERSION || graph->ir_version < 0)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "the model is written in version %" PRIi64
                     " of the ONNX format, but only versions up to %d are supported: export it for "
                     "an older version",
                     graph->ir_version, NEWEST_IR_VERSION);
  else if (opset > SONDE_CURRENT_OPSET)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_UNSUPPORTED,
                     "the model imports version %d of the ai.onnx operators, but only versions up "
                     "to %d are supported: export it for an older version",
                     opset, SONDE_CURRENT_OPSET);
  else if (graph->ir_version > 0 && graph->opsets->len == 0 && graph->parent == NULL)
    sonde_set_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_INVALID,
                     "the model imports no opset, so the meaning of its operators is not known");
  else
    return TRUE;
  return FALSE;
}
