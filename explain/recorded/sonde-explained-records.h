/* SPDX-License-Identifier: Apache-2.0
 * Saliency and counterfactual records of a run as samples of the Explain page. */
#pragma once

#include "data/records/sonde-record.h"
#include "explain/recorded/sonde-explained-sample.h"

G_BEGIN_DECLS

/**
 * sonde_explained_records_list:
 * @records: (element-type SondeRecord): saliency and counterfactual records in file order; boxes
 * that cannot be are left out
 * @files: of their images
 *
 * Any thread. Groups by sample name; of two maps of one method and target, or boxes of one goal and
 * target, the later counts. Nothing is decoded. Returns: (transfer full) (element-type
 * SondeExplainedSample)
 */
GPtrArray *sonde_explained_records_list (GPtrArray *records, SondeExplainedFiles *files);

G_END_DECLS
