/* SPDX-License-Identifier: Apache-2.0
 * Where two executions part: the run that is debugged and a reference, value by value. For each,
 * the error that its node makes itself, and the error it has in the run. */
#pragma once

#include "engine/debug/sonde-replica.h"

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
 * SondeDivergedValue: one value, with the node of the debugged run that makes it
 * @node, @op, @value: names; owned
 * @reference: (nullable): name on the other side, where it is another
 * @own_error: largest difference that the node makes on the debugged side's kernels and weights
 *   when it reads what the reference read. Where the reference lacks what it reads, that is
 *   computed from the nearest values that it has. Infinity where one side is NaN or infinite and
 *   the other is not, and for other sizes; NaN: cannot be said
 * @inherited_error: largest difference as both ran: of all nodes up to here
 * @largest: largest |number| of the reference
 * @tolerance: rtol × @largest
 * @over: @own_error is above the tolerance; of an own error that cannot be said: the other one is
 * @n_fused: nodes that the step stands for, 1 of one alone
 * @n_nodes: nodes between the nearest reference values and this one, 1 where all that it reads is
 * known
 * @index: row-major index of the element with @own_error, -1: none; @number, @wanted: there
 */
typedef struct
{
  char *node, *op, *value, *reference;
  SondePhase phase;
  double own_error, inherited_error, largest, tolerance;
  gboolean over;
  guint n_fused, n_nodes;
  gint64 index;
  SondeShape shape;
  double number, wanted;
} SondeDivergedValue;

/**
 * SondeDivergence:
 * @values: (element-type SondeDivergedValue): in the order of the debugged run
 * @unmatched: (element-type utf8): nodes of the debugged run of which the reference has no value
 * @unused: (element-type utf8): reference values that belong to none, of @tensors
 * @first: index in @values of the first that is over, -1: none
 */
typedef struct
{
  GPtrArray *values, *unmatched, *unused;
  int first;
} SondeDivergence;

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
SondeDivergence *sonde_divergence_new (void); /* with nothing in it */
void sonde_divergence_free (SondeDivergence *divergence);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeDivergence, sonde_divergence_free)

/* By element types of both sides. */
double sonde_diverge_default_rtol (SondeDtype a, SondeDtype b);

/* ---- partners (sonde-diverge-match.c) ------------------------------------ */

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

G_END_DECLS
