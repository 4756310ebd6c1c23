/* SPDX-License-Identifier: Apache-2.0
 * Whether one of two classifiers is better on the same samples, or only luckier. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_sign_test:
 * @fixed, @spoiled: samples that only the second, only the first gets right
 *
 * Two-sided p of McNemar's test in its exact form: min(1, 2 Σ_{i ≤ min} C(n, i) / 2ⁿ), n = fixed +
 * spoiled; 1 for n = 0.
 * Source: Q. McNemar, "Note on the sampling error of the difference between correlated proportions"
 * (1947).
 */
double sonde_sign_test (guint fixed, guint spoiled);

G_END_DECLS
