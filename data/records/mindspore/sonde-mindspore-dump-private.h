/* SPDX-License-Identifier: Apache-2.0
 * What name and place of a dumped tensor say. */
#pragma once

#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/**
 * SondeMindsporeDump: what name and place of a dumped tensor say
 * @op: its kind ("Conv2D"); @node: full name with scopes as far as it can be told; @io: "input",
 *   "output", "" when the file has both; @slot: -1 likewise
 * @iteration: 0 of constants; @wall_time_ns: 0 unknown
 */
typedef struct
{
  char *op, *node;
  const char *io;
  gint64 slot, iteration, wall_time_ns;
} SondeMindsporeDump;

/* @needs_io: a name without input or output is not one. */
gboolean sonde_mindspore_dump_parse (const SondeIo *io, const char *path, gboolean needs_io,
                                     SondeMindsporeDump *dump);
void sonde_mindspore_dump_clear (SondeMindsporeDump *dump);
/* "NODE/output/0". Returns: (transfer full) */
char *sonde_mindspore_dump_tag (const SondeMindsporeDump *dump, const char *io, gint64 slot);
/* The node's full name for what a dump writes with underscores. @folder: of the iteration.
 * Returns: (transfer full) */
char *sonde_mindspore_dup_full_name (const SondeIo *io, const char *folder, const char *op,
                                     const char *name);
/* Whether @folder is rank_N/NET/GRAPH/ITERATION or its constants. @iteration: (out) (optional) */
gboolean sonde_mindspore_is_dump_folder (const char *folder, gint64 *iteration);

G_END_DECLS
