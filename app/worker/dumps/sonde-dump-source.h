/* SPDX-License-Identifier: Apache-2.0
 * Where the iterations of a dump come from: a folder of MindSpore, or one of msprobe. */
#pragma once

#include "app/worker/dumps/sonde-dump-listing.h"

G_BEGIN_DECLS

typedef struct _SondeDumpSource SondeDumpSource;

/**
 * SondeDumpSourceClass: every entry is required unless said otherwise; iterations by index
 * @has_steps: what ran are steps of the run, between which it can stand; else an iteration is one
 * @get_name: which part of the dump it is: "rank_0/LeNet/0", "proc1234"
 * @get_others: names of those that were not opened. (array zero-terminated=1) (transfer none)
 * @get_iteration: its number, rising with @index
 * @list: (transfer full). Errors: of the folder and its files; LIMIT
 * @make_graph: what ran, with the values of @listing; sonde_dump_graph_add_end() last. (transfer
 *   full)
 * @read: (transfer full). Errors: of the value's file
 * @list_frames: (optional): the lines of the program that called @node, from the innermost outwards.
 *   (element-type SondeFrame) (transfer full)
 */
typedef struct
{
  gboolean has_steps;
  const char *(*get_name) (SondeDumpSource *source);
  const char *const *(*get_others) (SondeDumpSource *source);
  guint (*get_n_iterations) (SondeDumpSource *source);
  gint64 (*get_iteration) (SondeDumpSource *source, guint index);
  SondeDumpListing *(*list) (SondeDumpSource *source, guint index, GError **error);
  SondeGraph *(*make_graph) (SondeDumpSource *source, const SondeDumpListing *listing);
  SondeTensor *(*read) (SondeDumpSource *source, const SondeDumpListing *listing,
                        const SondeDumpItem *item, GError **error);
  GPtrArray *(*list_frames) (SondeDumpSource *source, const SondeDumpListing *listing,
                             const char *node);
  void (*free) (SondeDumpSource *source);
} SondeDumpSourceClass;

/* First member of every source. */
struct _SondeDumpSource
{
  const SondeDumpSourceClass *klass;
};

/* Input of the graph, an int64 scalar: the iteration. Its end is the last node that runs. */
#define SONDE_DUMP_ITERATION "iteration"
#define SONDE_DUMP_END "end_of_iteration"

/* While the end has not run, the iteration is the present one. */
void sonde_dump_graph_add_end (SondeGraph *graph);

/**
 * sonde_dump_mindspore_open:
 * @sets: (nullable) (array zero-terminated=1): rank=N, net=NAME and graph=N choose where there are
 *   several
 *
 * (transfer full). Errors: INVALID for other @sets; NOT_FOUND; of the folder. (sonde-dump-mindspore.c)
 */
SondeDumpSource *sonde_dump_mindspore_open (const char *path, const char *const *sets,
                                            GError **error);

/**
 * sonde_dump_msprobe_open:
 * @sets: (nullable) (array zero-terminated=1): rank=N chooses where there are several
 *
 * (transfer full) (nullable): NULL without @error: msprobe dumped nothing into @path. Errors: INVALID for
 * other @sets; NOT_FOUND. (sonde-dump-msprobe.c)
 */
SondeDumpSource *sonde_dump_msprobe_open (const char *path, const char *const *sets,
                                          GError **error);

G_END_DECLS
