/* SPDX-License-Identifier: Apache-2.0
 * The smallest part of a run that still fails: cut out by data flow, with the numbers it really
 * had, and run again to see that it does. What does not live here: files (the session's host writes
 * them). */
#pragma once

#include "engine/plan/sonde-execution.h"

G_BEGIN_DECLS

#define SONDE_REDUCE_MAX_NODES 256 /* upstream of the node, until it fails again */

/**
 * SondeReducedInput: an input of the small model
 * @name: owned; @tensor: what it was; owned
 */
typedef struct
{
  char *name;
  SondeTensor *tensor;
} SondeReducedInput;

/**
 * SondeReduction:
 * @graph: a model of its own: constants inside, what was computed before as inputs; its first
 * output is the bad value, "out"
 * @inputs: (element-type SondeReducedInput): in the order of its inputs
 * @bad: the output holds NaN or infinities; FALSE: it only parts from a reference
 * @node, @value: names of the node that fails and of its bad output, as in the model they were cut
 * from
 */
typedef struct
{
  SondeGraph *graph;
  GPtrArray *inputs;
  guint n_nodes;
  gboolean bad;
  char *node, *value;
} SondeReduction;

void sonde_reduction_free (SondeReduction *reduction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeReduction, sonde_reduction_free)

/**
 * sonde_reduce:
 * @original: (nullable): the model as the user wrote it: the part is cut from it, where it has the
 *   node, and else from the executed graph, whose nodes are of the newest opset and, in backward
 *   and optimiser, partly of Sonde's own domain
 * @name: of a node, or of a value it makes
 * @finite: its values need not be bad: it parts from a reference (sonde-diverge.h), and the part
 * must make again what the run made
 *
 * Begins with the node alone and what it read. Where that runs well (it was bad only together with
 * others), the nodes that made its inputs join, a layer at a time. Then leading dimensions that all
 * inputs share are cut to the one entry that fails, where that still does.
 *
 * Errors: NOT_FOUND; STATE when the node's values are all finite, cannot be read, or nothing that
 * fails is found; of running.
 */
SondeReduction *sonde_reduce (SondeExecution *execution, SondeGraph *original, const char *name,
                              gboolean finite, GError **error);

G_END_DECLS
