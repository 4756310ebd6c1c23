/* SPDX-License-Identifier: Apache-2.0
 * Which nodes of a run must stay float32 so that the rest may compute in fewer bits: a set of which
 * none can be left out. */
#pragma once

#include "engine/debug/searches/sonde-replica.h"
#include "engine/types/sonde-search-results.h"

G_BEGIN_DECLS

/**
 * SondePrecisionOptions: zero-initialise
 * @precision: BF16 or F16
 * @tolerance: most that a judged value may be off: largest difference / largest number of the
 * float32 run
 * @values: (nullable) (array zero-terminated=1): judged values; NULL: the graph's outputs, of a
 *   training also the gradients of parameters
 * @tick: (nullable): asked before each node that runs; @n_steps is a guess; TRUE gives up
 */
typedef struct
{
  SondeDtype precision;
  double tolerance;
  const char *const *values;
  SondeReplicaTick tick;
  gpointer data;
} SondePrecisionOptions;

/**
 * sonde_precision_search:
 * @execution: where it stands does not matter; it is not changed
 *
 * Errors: INVALID for another precision; NOT_FOUND for a value there is not; of
 * sonde_replica_new(); STATE when given up.
 */
SondePrecisionFound *sonde_precision_search (SondeExecution *execution,
                                             const SondePrecisionOptions *options, GError **error);
/* ---- recipes ------------------------------------------------------------- */

/* "[precision] default, tolerance, reached" and "[keep-f32] nodes". Returns: (transfer full) */
char *sonde_precision_format (const SondePrecisionFound *found);

/**
 * sonde_precision_parse:
 * @kept: (out) (transfer full): names of nodes
 * Errors: INVALID for a text that is no such recipe.
 */
gboolean sonde_precision_parse (const char *text, SondeDtype *precision, char ***kept,
                                GError **error);

/**
 * sonde_precision_apply:
 * @graph: legalised, inferred, folded
 * What a recipe says: sonde_pass_insert_casts(). Errors: NOT_FOUND for a node there is not; of that
 * pass.
 */
gboolean sonde_precision_apply (SondeGraph *graph, SondeDtype precision, const char *const *kept,
                                GError **error);

G_END_DECLS
