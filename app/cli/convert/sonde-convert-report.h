/* SPDX-License-Identifier: Apache-2.0
 * What `sonde convert` says of a model: as JSON, as a table, as a page. */
#pragma once

#include <json-glib/json-glib.h>

#include "app/cli/convert/sonde-convert-run.h"
#include "app/cli/models/sonde-cli-model-options.h"
#include "data/base/sonde-message.h"
#include "data/models/lowering/sonde-conversion.h"

G_BEGIN_DECLS

/**
 * SondeConvertReport: everything a report tells
 * @to: "onnx", "mindir", "npz", …; @output: (nullable): the file, NULL when none was written
 * @weights: (nullable): what became of a file of weights
 * @verification: (nullable)
 */
typedef struct
{
  const char *path, *to, *output;
  SondeGraph *graph;
  const SondeConversion *conversion;
  SondeConvertCheck check;
  const SondeConvertVerification *verification;
  const SondeWeightReport *weights;
  guint64 bytes;
  double milliseconds;
  guint n_nodes_out;
} SondeConvertReport;

/* (transfer full) */
JsonNode *sonde_convert_report_to_json (const SondeConvertReport *report);
void sonde_convert_report_print (const SondeConvertReport *report);
/* A page by itself. (transfer full) */
char *sonde_convert_report_to_html (const SondeConvertReport *report);

/* Operators of the source with count and what became of them, the worst first. (transfer full)
 * (element-type SondeConvertOperator) */
typedef struct
{
  const char *op;
  guint count;
  SondeLoweredHow how;
  GPtrArray *to; /* (element-type utf8): operators */
} SondeConvertOperator;
GPtrArray *sonde_convert_report_list_operators (const SondeConvertReport *report);

G_END_DECLS
