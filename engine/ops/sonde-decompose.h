/* SPDX-License-Identifier: Apache-2.0
 * Short calls for rules that are written as formulas: what a row's @decompose, and some gradient
 * rules, are made of. All make ordinary nodes that have gradients themselves. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

typedef SondeGradientContext SondeDecomposition;

#define sonde_decompose_add(parts, a, b) sonde_rule_binary ((parts), "Add", (a), (b))
#define sonde_decompose_sub(parts, a, b) sonde_rule_binary ((parts), "Sub", (a), (b))
#define sonde_decompose_mul(parts, a, b) sonde_rule_binary ((parts), "Mul", (a), (b))
#define sonde_decompose_div(parts, a, b) sonde_rule_binary ((parts), "Div", (a), (b))

/* A scalar of @like's element type. */
SondeGraphValue *sonde_decompose_number (SondeDecomposition *parts, SondeGraphValue *like,
                                         double number);
/* x + number, x · number, x to the power of number */
SondeGraphValue *sonde_decompose_plus (SondeDecomposition *parts, SondeGraphValue *x,
                                       double number);
SondeGraphValue *sonde_decompose_times (SondeDecomposition *parts, SondeGraphValue *x,
                                        double number);
SondeGraphValue *sonde_decompose_power (SondeDecomposition *parts, SondeGraphValue *x,
                                        double number);
/* @a + @b; (nullable): the other one */
SondeGraphValue *sonde_decompose_sum (SondeDecomposition *parts, SondeGraphValue *a,
                                      SondeGraphValue *b);

/* ReduceSum and the like; the reduced dimensions stay with size 1. No axes: @x itself. */
SondeGraphValue *sonde_decompose_reduce (SondeDecomposition *parts, const char *op,
                                         SondeGraphValue *x, const gint64 *axes, gsize n);
/* The same over dimensions @first to before @last. */
SondeGraphValue *sonde_decompose_reduce_range (SondeDecomposition *parts, const char *op,
                                               SondeGraphValue *x, int first, int last);

SondeGraphValue *sonde_decompose_cast (SondeDecomposition *parts, SondeGraphValue *x,
                                       SondeDtype dtype);
/* @x in float32 where it is of half precision, as the kernels compute. */
SondeGraphValue *sonde_decompose_upcast (SondeDecomposition *parts, SondeGraphValue *x);
/* @shape: as Reshape takes it: 0 keeps, -1 is what is left */
SondeGraphValue *sonde_decompose_reshape (SondeDecomposition *parts, SondeGraphValue *x,
                                          const gint64 *shape, gsize n);
SondeGraphValue *sonde_decompose_reshape_like (SondeDecomposition *parts, SondeGraphValue *x,
                                               SondeGraphValue *like);
SondeGraphValue *sonde_decompose_transpose (SondeDecomposition *parts, SondeGraphValue *x,
                                            const gint64 *order, gsize n);
SondeGraphValue *sonde_decompose_unsqueeze (SondeDecomposition *parts, SondeGraphValue *x,
                                            gint64 axis);
/* Elements @begin to before @end along @axis; negative ones count from the end, G_MAXINT64 is the
 * end. */
SondeGraphValue *sonde_decompose_slice (SondeDecomposition *parts, SondeGraphValue *x, gint64 axis,
                                        gint64 begin, gint64 end);
SondeGraphValue *sonde_decompose_gather (SondeDecomposition *parts, SondeGraphValue *x,
                                         SondeGraphValue *indices, gint64 axis);
SondeGraphValue *sonde_decompose_concat (SondeDecomposition *parts, gint64 axis, SondeGraphValue *a,
                                         SondeGraphValue *b);
SondeGraphValue *sonde_decompose_where (SondeDecomposition *parts, SondeGraphValue *condition,
                                        SondeGraphValue *a, SondeGraphValue *b);
/* int64 scalar: @x's size in dimension @axis; a constant where it is known. */
SondeGraphValue *sonde_decompose_size (SondeDecomposition *parts, SondeGraphValue *x, int axis);
/* 0, 1, … @n − 1; @n: int64 scalar */
SondeGraphValue *sonde_decompose_range (SondeDecomposition *parts, SondeGraphValue *n);
/* Zeros of @shape (int64 list) and @like's element type. */
SondeGraphValue *sonde_decompose_zeros (SondeDecomposition *parts, SondeGraphValue *shape,
                                        SondeGraphValue *like);

/* Errors: UNSUPPORTED, naming the node and what has to be known before the run. */
gboolean sonde_decompose_fail (SondeDecomposition *parts, const char *what, GError **error);
/* The rank of input @k is known and at least @least. Errors: as above. */
gboolean sonde_decompose_need_rank (SondeDecomposition *parts, guint k, int least, GError **error);

G_END_DECLS
