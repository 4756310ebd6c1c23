/* SPDX-License-Identifier: Apache-2.0
 * Between reductions and their gradients. */
#pragma once

#include "engine/ops/sonde-op-implement.h"
#include "engine/ops/sonde-strided.h"

G_BEGIN_DECLS

/* @marks: (out): which of @rank dimensions the axes name; no axes mean all, or none with
 * @empty_is_none. */
gboolean sonde_reduce_mark_axes (const gint64 *axes, gsize n, gboolean empty_is_none, int rank,
                                 gboolean *marks, GError **error);

/* @x without its marked dimensions, or with ones in their places. */
SondeType sonde_reduce_type (const SondeType *x, const gboolean *marks, gboolean keep);

/* Rows over @shape; operand 1 is the reduced tensor, with stride 0 along marked dimensions. */
void sonde_reduce_rows (const SondeShape *shape, const gboolean *marks, SondeStrided *rows);

/* y = Σ x over the marked dimensions, or the mean; float types. */
void sonde_reduce_sum (SondeTensor *x, const gboolean *marks, gboolean mean, SondeTensor *y);

void sonde_reduce_cost (const SondeInferContext *context, SondeCost *cost);

G_END_DECLS
