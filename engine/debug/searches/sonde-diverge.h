/* SPDX-License-Identifier: Apache-2.0
 * Where two executions part: the run that is debugged and a reference, value by value. For each,
 * the error that its node makes itself, and the error it has in the run. */
#pragma once

#include "engine/debug/searches/sonde-replica.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

/**
 * SondeDivergeOptions: zero-initialise
 * @reference: conditions of the reference execution
 * @tensors: (nullable): name -> SondeTensor: the reference is these values instead
 * (sonde_diverge_resolve_name())
 * @optimised: what is judged is the run as it would be optimised (SONDE_REPLICA_OPTIMISED), the
 * reference the run as it is
 * @rtol: tolerance, relative to the largest number of the reference; negative: by element type:
 *   1e-10 of float64, 1e-4 of float32, 2e-2 of smaller floats, 0 of integers, of the coarser side
 * @pattern: (nullable): only nodes and values of this glob are judged
 * @tick: (nullable): asked before each of the @n_steps things to do; TRUE gives up
 */
typedef struct
{
  SondeReplicaOptions reference;
  GHashTable *tensors;
  gboolean optimised;
  double rtol;
  const char *pattern;
  SondeReplicaTick tick;
  gpointer data;
} SondeDivergeOptions;

/**
 * sonde_diverge:
 * @execution: the run that is debugged; may stand anywhere, and is not changed. What it has not
 *   computed yet is computed on a branch of it
 *
 * Errors: of sonde_replica_new() and sonde_replica_run(); NOT_FOUND when not one value has a
 * partner.
 */
SondeDivergence *sonde_diverge (SondeExecution *execution, const SondeDivergeOptions *options,
                                GError **error);
/* By element types of both sides. */
double sonde_diverge_default_rtol (SondeDtype a, SondeDtype b);

/* ---- partners (sonde-diverge-match-graphs.c, -names.c, -modules.c) ------- */

/**
 * sonde_diverge_match_graphs:
 * Values of @other for those of @graph, by name; what is left by structure: outputs of nodes of the
 * same operator, attributes and partners as inputs, in order. Returns: (transfer full): value of
 * @graph -> value of @other
 */
GHashTable *sonde_diverge_match_graphs (const SondeGraph *graph, const SondeGraph *other);

/**
 * sonde_diverge_match_names:
 * @names: (element-type utf8): of a file
 *
 * For each name the value it means: of that name; or, when only one is meant, the one whose name
 * (or whose node's name) agrees in its last parts, whatever separates them and however it is
 * written. Returns: (transfer full): value of @graph -> name, lent by @names
 */
GHashTable *sonde_diverge_match_names (const SondeGraph *graph, const GPtrArray *names);

/**
 * sonde_diverge_match_modules:
 * @names: (element-type utf8): paths of modules, as named_modules() of PyTorch has them
 *
 * For each the value that the last node below it makes for others, in the names of nodes ("/fc/MatMul",
 * "/fc/Add") or in their scopes; nothing is guessed from other names. Of a container and the module
 * whose result it returns the inner one; a normalisation that was folded into the node before it is
 * what that makes. Returns: (transfer full): value of @graph -> name, lent by @names
 */
GHashTable *sonde_diverge_match_modules (const SondeGraph *graph, const GPtrArray *names);
/* The same, added to @partners; names and values that are there already stay as they are. */
void sonde_diverge_add_modules (const SondeGraph *graph, const GPtrArray *names,
                                GHashTable *partners);

G_END_DECLS
