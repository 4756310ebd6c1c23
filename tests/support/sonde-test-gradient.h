/* SPDX-License-Identifier: Apache-2.0
 * Graphs in tests: evaluated node by node by the reference kernels, and gradients against central
 * differences. */
#pragma once

#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

/**
 * sonde_test_evaluate:
 * @feeds: (element-type utf8 SondeTensor): tensors by name of graph inputs (or of any value without
 *   producer, for which it wins over the initialiser)
 *
 * Runs all nodes in topological order with sonde_op_run_reference_values(). Types that the graph
 * holds are not looked at.
 * Returns: (transfer full) (element-type SondeGraphValue SondeTensor): all that are tensors, or
 * NULL with @error
 */
GHashTable *sonde_test_evaluate (SondeGraph *graph, GHashTable *feeds, GError **error);

/* An empty table for @feeds. */
GHashTable *sonde_test_feeds_new (void);
void sonde_test_feeds_set (GHashTable *feeds, const char *name,
                           SondeTensor *tensor); /* takes a reference */

/**
 * sonde_test_check_gradient:
 * @graph: its inputs are @feeds, float ones in float64; it is extended by the gradient
 * @names: (array length=n): inputs to differentiate with respect to
 *
 * The target is Σ rₖ·yₖ over all float outputs of the graph with fixed random r, so that every
 * element of every output counts. Each element of each named input is moved by ±h and the
 * difference of targets compared with the gradient that sonde_pass_gradient() builds.
 * Returns: (transfer full) (nullable): NULL when all agree within 1e-6 of the larger of 1 and the
 * slope, else a sentence
 */
char *sonde_test_check_gradient (SondeGraph *graph, GHashTable *feeds, const char *const *names,
                                 guint n);

/* The same for the gradients themselves: of Σ rₖ·grad(nameₖ), r random again, the gradient with
 * respect to all names is compared with differences. */
char *sonde_test_check_second_gradient (SondeGraph *graph, GHashTable *feeds,
                                        const char *const *names, guint n);

G_END_DECLS
