/* SPDX-License-Identifier: Apache-2.0
 * Small products of matrices, for loops that cannot afford the start of a primitive: rows of a
 * recurrence. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * sonde_cpu_product: c [m, n] = a [m, k] · b [k, n], rows @a_row, @b_row, @c_row elements apart
 *
 * On the calling thread. The bits of an element depend on @k alone, not on which other rows and
 * columns are asked for; multiply-adds are fused where the processor can.
 */
void sonde_cpu_product (gint64 m, gint64 k, gint64 n, const float *a, gint64 a_row, const float *b,
                        gint64 b_row, float *c, gint64 c_row);

G_END_DECLS
