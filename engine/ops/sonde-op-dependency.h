/* SPDX-License-Identifier: Apache-2.0
 * Which elements of its inputs an element of a node's output is made of, by the rule in the
 * operator's row. What does not live here: which of them made it bad
 * (engine/debug/searches/sonde-origin.h). */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/**
 * SondeReach: a box of elements of one input, with gaps
 * @input: of the node
 * @rank: of that input
 * @begin, @count, @step: by dimension: the elements @begin, @begin + @step, …, @count of them; all
 * lie inside
 */
typedef struct
{
  guint input;
  int rank;
  gint64 begin[SONDE_MAX_RANK], count[SONDE_MAX_RANK], step[SONDE_MAX_RANK];
} SondeReach;

/* Every number an output element is made of, when it is NaN, makes that NaN, and an infinite one
 * makes it NaN or infinite: sums, products, copies. Not so where elements are compared, masked or
 * divided by.
 * @klass: (nullable): as of sonde_op_of_node() */
gboolean sonde_dependency_is_strict (const SondeOpClass *klass);

/* The row has no rule nearer than "all elements of all inputs", or there is no row. */
gboolean sonde_dependency_is_whole (const SondeOpClass *klass);

/**
 * sonde_dependency_reach:
 * @inputs: (array length=n_inputs): contents of the node's inputs, NULL for absent ones; those that
 *   choose (indices, conditions) are read
 * @output: which of the node's; @shape: of that output; @element: of it, row-major
 * @reach: (element-type SondeReach): what is found is appended. Never too few elements; more than
 *   there need be for operators with windows of their own making (Resize, recurrent ones,
 *   attention: the whole of the sample)
 *
 * Elements that only choose (integers, conditions) are not among them, nor are inputs of which only
 * the shape counts. A node that nothing is known of reaches everything. Cost: of copying operators
 * one run of the node on numbers.
 */
void sonde_dependency_reach (const SondeNode *node, SondeTensor *const *inputs, guint n_inputs,
                             guint output, const SondeShape *shape, gint64 element, GArray *reach);

/* Number of elements in a box. */
gint64 sonde_reach_count (const SondeReach *reach);

/* Calls @each with the row-major numbers of the elements in @reach, a box of an input of @shape,
 * until that says FALSE. */
typedef gboolean (*SondeReachEach) (gint64 element, gpointer data);
void sonde_reach_foreach (const SondeReach *reach, const SondeShape *shape, SondeReachEach each,
                          gpointer data);

G_END_DECLS
