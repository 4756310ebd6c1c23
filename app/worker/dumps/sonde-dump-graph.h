/* SPDX-License-Identifier: Apache-2.0
 * What was dumped of an iteration as a graph of recorded values, named as people name them. */
#pragma once

#include "data/records/mindspore/sonde-dump-folder.h"

G_BEGIN_DECLS

/**
 * SondeDumpListing: one iteration; immutable
 * @names: (element-type utf8): "NODE:output:0", "NODE:input:1", a parameter's own name; in the
 * order of @entries
 * @entries: (element-type SondeDumpEntry)
 * @by_name: name -> SondeDumpEntry
 */
typedef struct
{
  GPtrArray *names, *entries;
  GHashTable *by_name;
} SondeDumpListing;

/* @ran: (nullable): the graph file's: knows parameters by their names with dots. Errors: of
 * sonde_dump_folder_list() */
SondeDumpListing *sonde_dump_listing_new (SondeDumpFolder *folder, guint index, SondeGraph *ran,
                                          GError **error);
SondeDumpListing *sonde_dump_listing_ref (SondeDumpListing *listing);
void sonde_dump_listing_unref (SondeDumpListing *listing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDumpListing, sonde_dump_listing_unref)

/* Equal for two iterations that have the same values of the same types. (transfer full) */
char *sonde_dump_listing_dup_signature (const SondeDumpListing *listing);

/* Input of the graph, an int64 scalar: the iteration. Its end is the one node that runs. */
#define SONDE_DUMP_ITERATION "iteration"
#define SONDE_DUMP_END "end_of_iteration"

/* "fc1.weight" of "before(fc1.weight)", which a weight updates in the graph. (transfer full)
 * (nullable) */
char *sonde_dump_name_of_previous (const char *name);

/**
 * sonde_dump_graph_new:
 * @ran: (nullable): says what reads what
 *
 * Nodes that were dumped, in the order in which they ran, with phases by their scopes; roles of
 * parameters by their names, as MindInsight tells them. Returns: (transfer full)
 */
SondeGraph *sonde_dump_graph_new (const SondeDumpListing *listing, SondeGraph *ran);

G_END_DECLS
