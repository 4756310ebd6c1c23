/* SPDX-License-Identifier: Apache-2.0
 * By what the boxes of a graph can be coloured: a row each, with what it needs and the numbers it takes from
 * the graph or from a profile. */
#pragma once

#include "app/pages/graph/sonde-graph-health.h"
#include "data/profiles/sonde-profiled-nodes.h"
#include "engine/frontend/sonde-debug-findings.h"
#include "viewers/paint/graph/sonde-graph-tint.h"

G_BEGIN_DECLS

/**
 * SondeGraphColourSource:
 * @partners: (nullable) (array): by node id, in the graph beside; NULL: there is none
 * @profile: (nullable): what is open; its nodes need not be those of the graph
 * @has_profile: one is open, or could be opened
 * @flops: (nullable) (array): by node id, NaN where they are not known; NULL: not counted
 * @cannot_count: they never will be
 * @has_values: the run recorded values of this graph; @health: (nullable) (array): by node id; NULL: not read
 * @findings: (nullable): of the searches of what is debugged
 */
typedef struct
{
  const SondeGraph *graph;
  const SondeProfiledNodes *profile;
  gboolean has_profile;
  const double *flops;
  gboolean cannot_count;
  gboolean has_values;
  const SondeNodeHealth *health;
  const SondeDebugFindings *findings;
  SondeNode *const *partners;
} SondeGraphColourSource;

typedef enum
{
  SONDE_GRAPH_COLOUR_NEEDS_GRAPH,
  SONDE_GRAPH_COLOUR_NEEDS_PROFILE,
  SONDE_GRAPH_COLOUR_NEEDS_FLOPS,
  SONDE_GRAPH_COLOUR_NEEDS_VALUES,
  SONDE_GRAPH_COLOUR_NEEDS_FINDINGS,
} SondeGraphColourNeed;

/**
 * SondeGraphColour:
 * @name: of `sonde screenshot --colour`; @title: in the list
 * @needs: where its numbers come from
 * @explain: (nullable): why it cannot be shown, a sentence; NULL where it can
 * @make: (nullable): NULL: the families of the nodes, which need no tint
 */
typedef struct
{
  const char *name, *title;
  SondeGraphColourNeed needs;
  const char *(*explain) (const SondeGraphColourSource *source);
  SondeGraphTint *(*make) (const SondeGraphColourSource *source);
} SondeGraphColour;

extern const SondeGraphColour
    sonde_graph_colours[]; /* ended by a NULL name; the first needs nothing */

const SondeGraphColour *sonde_graph_colour_find (const char *name); /* (nullable) */

G_END_DECLS
