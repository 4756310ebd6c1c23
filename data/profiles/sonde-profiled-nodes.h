/* SPDX-License-Identifier: Apache-2.0
 * What a profile tells of the nodes of a graph, by name: who runs a node, how much memory it holds. For
 * graphs that have more nodes than a search of the operators for each of them could bear. */
#pragma once

#include "data/profiles/sonde-profile.h"

G_BEGIN_DECLS

typedef struct _SondeProfiledNodes SondeProfiledNodes;

/* @profile: outlives it. (transfer full) */
SondeProfiledNodes *sonde_profiled_nodes_new (const SondeProfile *profile);
void sonde_profiled_nodes_free (SondeProfiledNodes *nodes); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeProfiledNodes, sonde_profiled_nodes_free)

const SondeProfile *sonde_profiled_nodes_get_profile (const SondeProfiledNodes *nodes);

/* The operator that is the node @name; else one that stands for it (a fused one), of those that of the
 * forward pass, then the one that takes most time. (nullable): no operator does */
const SondeProfileOperator *sonde_profiled_nodes_find (const SondeProfiledNodes *nodes,
                                                       const char *name);

/* Whether the profile knows how long values live. */
gboolean sonde_profiled_nodes_have_memory (const SondeProfiledNodes *nodes);
/* Bytes that what the node @name makes takes in memory; a value that shows another one's memory takes none.
 * @is_shared: (out): they are those of all that the operator makes which stands for it and others. -1: not
 * told */
gint64 sonde_profiled_nodes_get_bytes (const SondeProfiledNodes *nodes, const char *name,
                                       gboolean *is_shared);

G_END_DECLS
