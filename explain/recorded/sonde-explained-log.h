/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's explain logs as explained samples: events of one sample joined; images and maps lie
 * beside the log. */
#pragma once

#include "data/records/sonde-record.h"
#include "explain/recorded/sonde-explained-sample.h"

G_BEGIN_DECLS

/**
 * sonde_explained_log_join:
 * @records: (element-type SondeRecord): of kind EXPLAIN in file order; an event that names classes
 * begins another log
 * @files: of the run's folder
 * @faults: (element-type utf8): a sentence for boxes that cannot be, and for maps that are too
 * many, is added
 *
 * Any thread; no image is read. The first true class and the most probable predicted one count.
 * Heat maps are 8-bit images, each scaled to its own least and largest value when it was written:
 * maps in [0, 1], without sign.
 * Returns: (transfer full) (element-type SondeExplainedSample)
 */
GPtrArray *sonde_explained_log_join (GPtrArray *records, SondeExplainedFiles *files,
                                     GPtrArray *faults);

G_END_DECLS
