/* SPDX-License-Identifier: Apache-2.0
 * Which subsets KernelSHAP looks at, and how much each counts. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The usual budget: 2 m + 2048 subsets. */
gint64 sonde_coalitions_budget (gint64 m);

/**
 * sonde_coalitions_new:
 * @m: features, at least 2
 * @budget: most subsets; all of them when that suffices
 * @n: (out): subsets
 * @weights: (out) (array length=n) (transfer full): their sum is 1
 *
 * Sizes k and m − k are taken whole from the outside in while they fit, as each size counts (m − 1)
 * / (k (m − k)) together; the rest of the budget is drawn among the sizes left, each with its
 * complement. The whole and the empty set are not among them.
 * Source: shap 0.51, KernelExplainer.
 * Returns: (transfer full): [n, m], 0 or 1
 */
guint8 *sonde_coalitions_new (gint64 m, gint64 budget, guint64 seed, gint64 *n, double **weights);

G_END_DECLS
