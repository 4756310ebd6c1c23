/* SPDX-License-Identifier: Apache-2.0
 * How sure a share is that was counted. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Wilson's interval of @k successes in @n at z = 1.96; NaN, NaN for n = 0.
 * Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference"
 * (1927). */
void sonde_wilson_interval (guint k, guint n, double *low, double *high);

G_END_DECLS
