/* SPDX-License-Identifier: Apache-2.0
 * Shared by the files that lower: names in scopes, calls, loops. */
#pragma once

#include "data/models/mindir/sonde-mindir-flow.h"
#include "data/models/mindir/sonde-mindir-term.h"

G_BEGIN_DECLS

/**
 * SondeMindirScope: one call of a function
 * @terms: name -> SondeMindirTerm; what was lowered so far
 * @parent: (nullable): that of the function around
 * @depth: of the graph that its nodes are lowered into
 */
typedef struct _SondeMindirScope SondeMindirScope;
struct _SondeMindirScope
{
  const SondeMindirFunction *function;
  GHashTable *terms;
  SondeMindirScope *parent;
  guint depth;
};

/**
 * SondeMindirLowering:
 * @names: set of those that are used
 * @repeats: name -> label: of nodes that stand more than once in what is made
 * @seen: set of SondeMindirNode that were lowered
 * @parameters: name -> SondeMindirTerm
 * @tensors: SondeMindirValue -> SondeGraphValue of the outermost graph
 * @calls: how many functions were entered: a bound for files that call without end
 * @depth: subgraphs that are open; @n_open: calls that are not last ones
 * @active: per function: how many calls that are not last ones are open
 */
struct _SondeMindirLowering
{
  const SondeMindirFile *file;
  SondeMindirFlow *flow;
  SondeLowering *l;
  GPtrArray *terms, *scopes, *values;
  GHashTable *names, *repeats, *seen;
  GHashTable *parameters, *tensors;
  guint calls, depth, n_open;
  guint *active;
};

void sonde_mindir_scope_free (gpointer scope);
void sonde_mindir_term_free (gpointer term);

/* A name that nothing has: @label, or one made from it. (transfer none) */
const char *sonde_mindir_unique (SondeMindirLowering *lowering, const char *label);

SondeMindirScope *sonde_mindir_scope_new (SondeMindirLowering *lowering,
                                          const SondeMindirFunction *function,
                                          const SondeMindirTerm *const *arguments, guint n,
                                          SondeMindirScope *parent);
/* Lowers what @name needs, in the current graph. Never NULL. */
const SondeMindirTerm *sonde_mindir_evaluate (SondeMindirLowering *lowering,
                                              SondeMindirScope *scope, const char *name);

/* Opens @node in the report, under a name that nothing has, which is returned. */
const char *sonde_mindir_open (SondeMindirLowering *lowering, const SondeMindirNode *node,
                               const char *op);

/* What a call of @called, a closure or one of two, returns, with @arguments behind those that it
 * holds. @node: the call */
const SondeMindirTerm *sonde_mindir_run (SondeMindirLowering *lowering,
                                         const SondeMindirTerm *called,
                                         const SondeMindirTerm *const *arguments, guint n,
                                         const SondeMindirNode *node);

G_END_DECLS
