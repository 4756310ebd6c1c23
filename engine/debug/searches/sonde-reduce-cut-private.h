/* SPDX-License-Identifier: Apache-2.0
 * Nodes that are cut out of a graph, and the model that is made of them. */
#pragma once

#include "engine/debug/searches/sonde-reduce.h"

G_BEGIN_DECLS

/**
 * SondeReduceCut: begin with sonde_reduce_cut_init()
 * @execution: the run, lent
 * @from: the graph that is cut, lent
 * @original: (nullable): as the user wrote it; @from or not
 * @nodes: (element-type SondeNode): what is taken
 * @captured: SondeGraphValue of @from -> SondeTensor
 */
typedef struct
{
  SondeExecution *execution;
  SondeGraph *from, *original;
  GHashTable *nodes;
  GHashTable *captured;
} SondeReduceCut;

/* @from is for the caller to say, and the first of @nodes. */
void sonde_reduce_cut_init (SondeReduceCut *cut, SondeExecution *execution, SondeGraph *original);
void sonde_reduce_cut_clear (SondeReduceCut *cut);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeReduceCut, sonde_reduce_cut_clear)

/* What @value of the graph that is cut was in the run; NULL: nobody knows. (transfer none) */
SondeTensor *sonde_reduce_cut_capture (SondeReduceCut *cut, SondeGraphValue *value);
/* Takes the nodes that make what cannot be read, and, with @all, what makes any input. FALSE: there
 * was nothing to take. */
gboolean sonde_reduce_cut_grow (SondeReduceCut *cut, gboolean all);
/* The model of the nodes that were taken; its output is @wanted, which one of them makes. @bad is
 * not set. Errors: what cannot be read, or sorted */
SondeReduction *sonde_reduce_cut_build (SondeReduceCut *cut, const SondeGraphValue *wanted,
                                        GError **error);

void sonde_reduced_input_free (void *input);

G_END_DECLS
