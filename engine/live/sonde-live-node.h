/* SPDX-License-Identifier: Apache-2.0
 * What a loop that is not ours comes to, and which patterns mean it. */
#pragma once

#include "data/graph/sonde-graph.h"
#include "engine/live/sonde-condition.h"

G_BEGIN_DECLS

/* What the loop comes to. */
typedef enum
{
  SONDE_LIVE_OPERATOR, /* is computed; step counts these */
  SONDE_LIVE_MODULE,   /* operators in a scope: before the first, after the last of one call */
  SONDE_LIVE_VALUE,    /* a weight or gradient that is complete; only AFTER */
} SondeLiveNodeKind;

/**
 * SondeLiveNode: a node that the loop comes to; everything is lent for the call
 * @name: "layer1.conv/convolution"; in the second call of a module "layer1.conv#2/convolution"
 * @op: its operator
 * @functions: (nullable) (array zero-terminated=1): what it is called by in programs: "linear" of
 * an addmm; op:NAME means these, too
 * @scope: (nullable): the module it lies in, of a module itself; with #2 in its second call
 * @begins: (nullable): the outermost scope of which this is the first operator
 * @outputs: (array zero-terminated=1): names of the values that it makes
 * @target: what the outputs are, for conditions on weights and gradients: TENSOR of operators
 * @unjudged: a view, or memory without numbers yet: no watch looks at it
 * @source: (nullable): place in the user's program: "train.py:12 in forward"
 * @thread: (nullable): name of the thread that comes to it
 */
typedef struct
{
  const char *name;
  const char *op;
  const char *const *functions;
  const char *scope;
  const char *begins;
  SondePhase phase;
  SondeLiveNodeKind kind;
  SondeConditionTarget target;
  const char *const *outputs;
  gboolean unjudged;
  const char *source;
  const char *thread;
} SondeLiveNode;

/* "cell#1/addmm" -> "cell/addmm": how the first call of a module is called in patterns and names of values, which has no
 * number in names of nodes. (transfer full) */
char *sonde_live_name_without_first (const char *name);

/* @pattern means @node: its name, a glob, op:, scope: (a module), phase:, a value that it makes. */
gboolean sonde_live_node_matches (const SondeLiveNode *node, const char *pattern);

/* @pattern may mean an operator, or what one makes. FALSE: only modules and values that are no operator's,
 * as "layers.3", "conv#*", "grad(fc.weight)": names of operators have a "/". */
gboolean sonde_live_pattern_reaches_operators (const char *pattern);

G_END_DECLS
