/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's explain logs as the saliency records that Sonde writes itself: events of one sample joined, pictures read from beside
 * the log. */
#pragma once

#include "data/images/sonde-image-decoder.h"
#include "data/records/sonde-record.h"

G_BEGIN_DECLS

/**
 * sonde_explained_log_join:
 * @records: (element-type SondeRecord): of kind EXPLAIN in file order; an event that names classes begins another log
 * @folder: of the run, below which the pictures must be
 * @faults: (element-type utf8): a sentence for every picture that cannot be read is added
 *
 * Any thread. The first true class and the most probable predicted one count. Heat maps are 8-bit pictures, each scaled to its own
 * least and largest value when it was written: maps in [0, 1], without sign. A sample without heat map has one record without map.
 * Returns: (transfer full) (element-type SondeRecord): of kind SALIENCY, and COUNTERFACTUAL where boxes were written
 */
GPtrArray *sonde_explained_log_join (GPtrArray         *records,
                                     const char        *folder,
                                     SondeImageDecoder *decoder,
                                     GPtrArray         *faults);

G_END_DECLS
