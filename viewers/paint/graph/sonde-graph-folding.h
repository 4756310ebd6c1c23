/* SPDX-License-Identifier: Apache-2.0
 * Which scopes of a graph are open: what is inside of them is shown, instead of one box. */
#pragma once

#include "data/graph/sonde-scope-tree.h"

G_BEGIN_DECLS

typedef enum
{
  SONDE_SCOPE_CLOSED, /* one box */
  SONDE_SCOPE_OPEN, /* a frame around what is in it; of a fold, around what is in its first scope */
  SONDE_SCOPE_SPREAD, /* of a fold: all its scopes beside each other, without a frame */
} SondeScopeState;

/* @states: (array): SondeScopeState, by scope; @flops: (nullable) (array): operations in each, NULL: not told */
typedef struct
{
  SondeScopeTree *tree;
  guint8 *states;
  double *flops;
} SondeGraphFolding;

/* @phases: as of sonde_graph_scene_new(). The outer scopes are open as far as a person can take in what is then
 * shown. (transfer full) */
SondeGraphFolding *sonde_graph_folding_new (const SondeGraph *graph, guint phases);
SondeGraphFolding *sonde_graph_folding_copy (const SondeGraphFolding *folding);
void sonde_graph_folding_free (SondeGraphFolding *folding); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeGraphFolding, sonde_graph_folding_free)

gboolean
sonde_graph_folding_is_trivial (const SondeGraphFolding *folding); /* there are no scopes */
void sonde_graph_folding_set (SondeGraphFolding *folding, guint scope, SondeScopeState state);
void sonde_graph_folding_set_all (SondeGraphFolding *folding, gboolean open);
/* Sums of what is known. @flops: by node id, NaN where they are not known */
void sonde_graph_folding_set_flops (SondeGraphFolding *folding, const double *flops);
/* Opens what is around @node, until it is shown. FALSE: it was. */
gboolean sonde_graph_folding_reveal (SondeGraphFolding *folding, const SondeNode *node);

G_END_DECLS
