/* SPDX-License-Identifier: Apache-2.0
 * A folder that MindSpore dumped tensors into, iteration by iteration:
 * DIR/rank_N/NET/GRAPH/ITERATION/…, with graph files and orders beside them. Only names and headers
 * are read to list an iteration; tensors come one by one. One thread. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

typedef struct _SondeDumpFolder SondeDumpFolder;

/**
 * SondeDumpChoice: which of several; NULL or -1: the first there is
 * @net: name of the network's folder
 */
typedef struct
{
  const char *net;
  gint64 rank, graph;
} SondeDumpChoice;

/**
 * SondeDumpEntry: one tensor of an iteration
 * @node: full name of the node, or the parameter's as its file says it; @op: "Parameter" of these
 * @slot: of its outputs, or of its inputs where @is_input
 * @type: unknown where the file is damaged
 * @path: of the file; @part: which tensor in it
 */
typedef struct
{
  char *node, *op, *path;
  gboolean is_input;
  gint64 slot, wall_time_ns;
  guint part;
  SondeType type;
} SondeDumpEntry;

/**
 * sonde_dump_folder_open:
 * @path: the dump's folder, or a folder in it: rank, net, graph, iteration (then only that one)
 * @choice: (nullable)
 *
 * Errors: NOT_FOUND, naming what there is, where the folder is no dump or has not what @choice
 * says.
 */
SondeDumpFolder *sonde_dump_folder_open (const SondeIo *io, const char *path,
                                         const SondeDumpChoice *choice, GError **error);
void sonde_dump_folder_free (SondeDumpFolder *folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDumpFolder, sonde_dump_folder_free)

/* "rank_0/LeNet/0" */
const char *sonde_dump_folder_get_name (SondeDumpFolder *folder);
/* Names of those that were not opened. (array zero-terminated=1) (transfer none) */
const char *const *sonde_dump_folder_get_others (SondeDumpFolder *folder);

guint sonde_dump_folder_get_n_iterations (SondeDumpFolder *folder);
/* The number that its folder has; rising with @index. */
gint64 sonde_dump_folder_get_iteration (SondeDumpFolder *folder, guint index);

/**
 * sonde_dump_folder_list:
 * @index: of the iteration
 *
 * In the order in which they were written, each name once: the last that was written counts.
 * Constants belong to every iteration. Returns: (transfer full) (element-type SondeDumpEntry).
 * Errors: of the folder; LIMIT.
 */
GPtrArray *sonde_dump_folder_list (SondeDumpFolder *folder, guint index, GError **error);

/* Errors: of the file, with its path. Returns: (transfer full) */
SondeTensor *sonde_dump_folder_read (SondeDumpFolder *folder, const SondeDumpEntry *entry,
                                     GError **error);

/* What ran, when a graph file says so. Returns: (transfer full) (nullable): NULL without @error:
 * there is none */
SondeGraph *sonde_dump_folder_read_graph (SondeDumpFolder *folder, GError **error);

G_END_DECLS
