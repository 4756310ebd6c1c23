/* SPDX-License-Identifier: Apache-2.0
 * The listing of the executed graph as a narrow column shows it: operator, node, what it reads, the shape
 * of what it makes. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/* Bytes [start, end) of a text. */
typedef struct
{
  guint start, end;
} SondeDebugSpan;

/**
 * SondeDebugLine: one line
 * @whole: as the engine lists it: "conv1: y = Conv (x, conv1.weight) {group=1}  # float32 1×6×28×28"
 * @text: "Conv         conv1 ← x  1×6×28×28"
 * @name: (nullable): of the node; NULL: a line of another kind, @text is @whole
 * @op, @label, @type: where they lie in @text; empty where there are none
 */
typedef struct
{
  char *whole, *text, *name;
  SondeDebugSpan op, label, type;
} SondeDebugLine;

/**
 * sonde_debug_lines_new:
 * @listing: lines
 * @graph: (nullable): the executed one: what is read is named by the node that makes it, and parameters and
 *   constants are left out; without it by its own name
 *
 * Returns: (transfer full) (element-type SondeDebugLine)
 */
GPtrArray *sonde_debug_lines_new (const char *listing, const SondeGraph *graph);

G_END_DECLS
