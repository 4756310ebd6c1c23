/* SPDX-License-Identifier: Apache-2.0
 * What msprobe dumped of a step as a graph of recorded values. */
#pragma once

#include "app/worker/dumps/sonde-dump-listing.h"
#include "data/records/msprobe/sonde-msprobe-dump.h"

G_BEGIN_DECLS

/**
 * sonde_dump_msprobe_graph_new:
 * @listing: of @dump: names and types of its tensors, in their order
 *
 * A node an entry, in the order in which they ran, in scopes of the modules that their paths name;
 * functions in those of the modules that called them. A module's path is an alias of its first forward
 * call. The dump does not say what read what: an input is taken for the last output before it
 * that has its type, shape and statistics (or its checksum). Returns: (transfer full)
 */
SondeGraph *sonde_dump_msprobe_graph_new (const SondeMsprobeDump *dump,
                                          const SondeDumpListing *listing);

G_END_DECLS
