/* SPDX-License-Identifier: Apache-2.0
 * Which scopes of a tree repeat each other: the last two steps of sonde_scope_tree_new(). */
#pragma once

#include "data/graph/sonde-scope-tree.h"

G_BEGIN_DECLS

/* Fills @structure and @parameters of all scopes. */
void sonde_scope_structure_find (SondeScopeTree *tree, const SondeGraph *graph);

/* Puts a fold around each row of repeated scopes; numbers change. */
void sonde_scope_structure_fold (SondeScopeTree *tree);

G_END_DECLS
