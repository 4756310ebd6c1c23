/* SPDX-License-Identifier: Apache-2.0
 * Patterns of operators, written as text, and where they occur in a graph. What becomes of an
 * occurrence is not decided here. */
#pragma once

#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

#define SONDE_MATCH_MOST_NODES 24
#define SONDE_MATCH_MOST_NAMES 8

/**
 * SondeMatch: one occurrence
 * @nodes: the nodes that the pattern names, the one that makes the result first
 * @names: where each name stands in the pattern; @values: what it stands for
 */
typedef struct
{
  SondeNode *nodes[SONDE_MATCH_MOST_NODES];
  guint n_nodes;
  const char *names[SONDE_MATCH_MOST_NAMES];
  SondeGraphValue *values[SONDE_MATCH_MOST_NAMES];
  guint n_names;
} SondeMatch;

/**
 * sonde_match_read:
 * @pattern: "Mul (Sigmoid (x), x)". Large letter: an operator of ai.onnx, with its first inputs;
 *   those of Add, Mul and Max in any order. Small letter: any value, the same one wherever the name
 *   stands; "d: Sub (x, y)" names what a pattern makes. A number: a constant of one element that is
 *   it, within four roundings of its type. "{A | B}": one or the other; the first that fits is
 *   taken and not tried again, so that what tells more should stand first.
 *
 * Returns: @node is the last node of @pattern, which all lies in forward direction, and nobody but
 * the pattern wants what it makes on the way.
 */
gboolean sonde_match_read (const SondeGraph *graph, SondeNode *node, const char *pattern,
                           SondeMatch *match);

/* What @name stands for, NULL when the pattern was taken without it. (transfer none) */
SondeGraphValue *sonde_match_get (const SondeMatch *match, const char *name);

/* @value is a constant of one number. */
gboolean sonde_match_number (const SondeGraphValue *value, double *number);

/**
 * sonde_match_replace:
 * @inputs: of the new node
 *
 * A node of ai.onnx makes what the match made; it takes the name of the match's last node and has
 * all of them as origins. The nodes before that one are left for sonde_pass_dce(). Returns:
 * (transfer none)
 */
SondeNode *sonde_match_replace (SondeGraph *graph, const SondeMatch *match, const char *op,
                                SondeGraphValue *const *inputs, guint n_inputs);

G_END_DECLS
