/* SPDX-License-Identifier: Apache-2.0 */
#include "data/records/sonde-record-title.h"

#include "data/base/sonde-text.h"

static const char *const titles[] = {
  [SONDE_RECORD_UNKNOWN] = N_ ("other"),
  [SONDE_RECORD_SCALARS] = N_ ("scalar"),
  [SONDE_RECORD_HISTOGRAM] = N_ ("histogram"),
  [SONDE_RECORD_IMAGE] = N_ ("image"),
  [SONDE_RECORD_AUDIO] = N_ ("audio"),
  [SONDE_RECORD_TEXT] = N_ ("text"),
  [SONDE_RECORD_TENSOR] = N_ ("tensor"),
  [SONDE_RECORD_STATISTICS] = N_ ("tensor statistics"),
  [SONDE_RECORD_GRAPH] = N_ ("graph"),
  [SONDE_RECORD_HPARAMS] = N_ ("hyper-parameters"),
  [SONDE_RECORD_LINEAGE] = N_ ("lineage"),
  [SONDE_RECORD_PR_CURVE] = N_ ("PR curve"),
  [SONDE_RECORD_EMBEDDING] = N_ ("embedding"),
  [SONDE_RECORD_LANDSCAPE] = N_ ("loss landscape"),
  [SONDE_RECORD_SALIENCY] = N_ ("saliency map"),
  [SONDE_RECORD_COUNTERFACTUAL] = N_ ("counterfactual"),
  [SONDE_RECORD_METRIC] = N_ ("metric"),
  [SONDE_RECORD_SPAN] = N_ ("time span"),
  [SONDE_RECORD_MEMORY] = N_ ("memory"),
  [SONDE_RECORD_DEBUG_HIT] = N_ ("watchpoint hit"),
  [SONDE_RECORD_GAP] = N_ ("lost records"),
  [SONDE_RECORD_MESH] = N_ ("mesh"),
  [SONDE_RECORD_CUSTOM_SCALARS] = N_ ("chart layout"),
  [SONDE_RECORD_RUN_METADATA] = N_ ("run metadata"),
  [SONDE_RECORD_SESSION_LOG] = N_ ("session log"),
  [SONDE_RECORD_EXPLAIN] = N_ ("explanation"),
  [SONDE_RECORD_NOTE] = N_ ("note"),
};

const char *
sonde_record_kind_get_title (SondeRecordKind kind)
{
  gsize at = (gsize) kind;

  return _ (at < G_N_ELEMENTS (titles) && titles[at] != NULL ? titles[at]
                                                             : titles[SONDE_RECORD_UNKNOWN]);
}
