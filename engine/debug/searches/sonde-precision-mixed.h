/* SPDX-License-Identifier: Apache-2.0
 * Runs in which each node is float32 or in fewer bits, made of two executions: one of each. Inside
 * of the precision search. */
#pragma once

#include "engine/debug/searches/sonde-precision.h"

G_BEGIN_DECLS

/**
 * SondeMixedNode: a step of the float32 plan
 * @low_step: the step of the other plan that is the same node in fewer bits, -1: it has none
 */
typedef struct
{
  guint step;
  int low_step;
} SondeMixedNode;

/**
 * SondeMixed:
 * @wide, @low: both have run to their ends
 * @nodes: (element-type SondeMixedNode): in order
 * @singles: value of the low graph -> value of the wide graph that it is the same of
 * @n_node_runs: nodes that were run
 */
typedef struct
{
  SondeReplica *wide, *low;
  GArray *nodes;
  GHashTable *singles;
  guint64 n_node_runs;
  SondeReplicaTick tick;
  gpointer data;
} SondeMixed;

gboolean sonde_mixed_init (SondeMixed *mixed, SondeExecution *execution,
                           const SondePrecisionOptions *options, GError **error);
void sonde_mixed_clear (SondeMixed *mixed);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeMixed, sonde_mixed_clear)

/**
 * SondeMixedState: one choice and what it comes to
 * @is_low: by index in nodes
 * @values: value of the wide graph -> SondeValue: all that nodes make
 */
typedef struct
{
  gboolean *is_low;
  GHashTable *values;
} SondeMixedState;

void sonde_mixed_state_free (SondeMixedState *state);
/* All nodes float32, or all that can in fewer bits: as they ran. */
SondeMixedState *sonde_mixed_state_new (SondeMixed *mixed, gboolean low, GError **error);
/* Another choice: of @base only the nodes run again that are others, or read what is another.
 * Returns: (transfer full) */
SondeMixedState *sonde_mixed_state_change (SondeMixed *mixed, const SondeMixedState *base,
                                           const gboolean *is_low, GError **error);
/* Node @k alone in fewer bits: the largest relative error that this makes in the next few nodes
 * behind it. */
double sonde_mixed_felt_error (SondeMixed *mixed, const SondeMixedState *base, guint k);

G_END_DECLS
