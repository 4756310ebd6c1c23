/* SPDX-License-Identifier: Apache-2.0
 * The scopes of a graph as a tree: which of its nodes lie in which one, as the paths in their names say, and
 * which scopes repeat each other. For pictures that show a scope as one thing, and for sums over scopes.
 *
 * Left out are scopes around a single node, which say nothing that its name does not, and one around
 * everything; a scope that holds nothing but another one is joined with it. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

#define SONDE_SCOPE_ROOT 0
#define SONDE_SCOPE_NONE G_MAXUINT
#define SONDE_SCOPE_LEAST_REPEATS 3 /* scopes in a row that become a fold */

/**
 * SondeGraphScope:
 * @name: relative to @parent: "layer0", joined ones "encoder/layer0"; of a fold those of its first and last
 *   scope with “…” between them; owned
 * @parent: its number; SONDE_SCOPE_NONE of the root
 * @end: the scopes in it have the numbers after its own up to this one, which is the first not in it
 * @depth: 0 of the root
 * @n_repeats: of a fold: how many scopes of one structure stand in it, one after the other; 0: a scope
 * @n_nodes: in it and all scopes in it
 * @first_node: the least id of them
 * @parameters: elements of the parameters that its nodes are the first to read
 * @structure: equal where operators, their attributes, weights' types and the edges between them are
 */
typedef struct
{
  char *name;
  guint parent, end, depth;
  guint n_repeats;
  guint n_nodes, first_node;
  guint64 parameters;
  guint64 structure;
} SondeGraphScope;

/**
 * SondeScopeTree:
 * @scopes: SondeGraphScope: a scope comes before those in it, scopes of one parent by @first_node
 * @scope_of_node: by node id: the innermost one; SONDE_SCOPE_NONE of a node that does not count
 */
typedef struct
{
  GArray *scopes;
  guint *scope_of_node;
  guint n_nodes;
} SondeScopeTree;

/* @counts: (nullable) (array): by node id: whether it is in the tree; NULL: every node is. (transfer full):
 * constant, counts its references from any thread */
SondeScopeTree *sonde_scope_tree_new (const SondeGraph *graph, const guint8 *counts);
SondeScopeTree *sonde_scope_tree_ref (SondeScopeTree *tree);
void sonde_scope_tree_unref (SondeScopeTree *tree); /* (nullable) */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeScopeTree, sonde_scope_tree_unref)

static inline const SondeGraphScope *
sonde_scope_tree_get (const SondeScopeTree *tree, guint scope)
{
  return &g_array_index (tree->scopes, SondeGraphScope, scope);
}

/* Whether @inner is @scope or lies in it. */
static inline gboolean
sonde_scope_tree_contains (const SondeScopeTree *tree, guint scope, guint inner)
{
  return inner >= scope && inner < sonde_scope_tree_get (tree, scope)->end;
}

/* Where it stands, from the root: "encoder/layer0"; "" of the root. (transfer full) */
char *sonde_scope_tree_dup_path (const SondeScopeTree *tree, guint scope);

G_END_DECLS
