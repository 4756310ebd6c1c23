/* SPDX-License-Identifier: Apache-2.0
 * Short calls for rules that are written as formulas: what a row's @decompose, and some gradient
 * rules, are made of. All make ordinary nodes that have gradients themselves. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

typedef SondeGradientContext SondeDecomposition;

#define sonde_decompose_add(context, a, b) sonde_rule_binary ((context), "Add", (a), (b))
#define sonde_decompose_sub(context, a, b) sonde_rule_binary ((context), "Sub", (a), (b))
#define sonde_decompose_mul(context, a, b) sonde_rule_binary ((context), "Mul", (a), (b))
#define sonde_decompose_div(context, a, b) sonde_rule_binary ((context), "Div", (a), (b))

/* A scalar of @like's element type. */
SondeGraphValue *sonde_decompose_number (SondeDecomposition *context, SondeGraphValue *like,
                                         double number);
/* x + number, x · number, x to the power of number */
SondeGraphValue *sonde_decompose_plus (SondeDecomposition *context, SondeGraphValue *x,
                                       double number);
SondeGraphValue *sonde_decompose_times (SondeDecomposition *context, SondeGraphValue *x,
                                        double number);
SondeGraphValue *sonde_decompose_power (SondeDecomposition *context, SondeGraphValue *x,
                                        double number);
/* @a + @b; (nullable): the other one */
SondeGraphValue *sonde_decompose_sum (SondeDecomposition *context, SondeGraphValue *a,
                                      SondeGraphValue *b);

/* ReduceSum and the like; the reduced dimensions stay with size 1. No axes: @x itself. */
SondeGraphValue *sonde_decompose_reduce (SondeDecomposition *context, const char *op,
                                         SondeGraphValue *x, const gint64 *axes, gsize n);
/* The same over dimensions @first to before @last. */
SondeGraphValue *sonde_decompose_reduce_range (SondeDecomposition *context, const char *op,
                                               SondeGraphValue *x, int first, int last);

SondeGraphValue *sonde_decompose_cast (SondeDecomposition *context, SondeGraphValue *x,
                                       SondeDtype dtype);
/* @x in float32 where it is of half precision, as the kernels compute. */
SondeGraphValue *sonde_decompose_upcast (SondeDecomposition *context, SondeGraphValue *x);
/* @shape: as Reshape takes it: 0 keeps, -1 is what is left */
SondeGraphValue *sonde_decompose_reshape (SondeDecomposition *context, SondeGraphValue *x,
                                          const gint64 *shape, gsize n);
SondeGraphValue *sonde_decompose_reshape_like (SondeDecomposition *context, SondeGraphValue *x,
                                               SondeGraphValue *like);
SondeGraphValue *sonde_decompose_transpose (SondeDecomposition *context, SondeGraphValue *x,
                                            const gint64 *order, gsize n);
SondeGraphValue *sonde_decompose_unsqueeze (SondeDecomposition *context, SondeGraphValue *x,
                                            gint64 axis);
/* Elements @begin to before @end along @axis; negative ones count from the end, G_MAXINT64 is the
 * end. */
SondeGraphValue *sonde_decompose_slice (SondeDecomposition *context, SondeGraphValue *x,
                                        gint64 axis, gint64 begin, gint64 end);
SondeGraphValue *sonde_decompose_gather (SondeDecomposition *context, SondeGraphValue *x,
                                         SondeGraphValue *indices, gint64 axis);
SondeGraphValue *sonde_decompose_concat (SondeDecomposition *context, gint64 axis,
                                         SondeGraphValue *a, SondeGraphValue *b);
SondeGraphValue *sonde_decompose_where (SondeDecomposition *context, SondeGraphValue *condition,
                                        SondeGraphValue *a, SondeGraphValue *b);
/* int64 scalar: @x's size in dimension @axis; a constant where it is known. */
SondeGraphValue *sonde_decompose_size (SondeDecomposition *context, SondeGraphValue *x, int axis);
/* 0, 1, … @n − 1; @n: int64 scalar */
SondeGraphValue *sonde_decompose_range (SondeDecomposition *context, SondeGraphValue *n);
/* Zeros of @shape (int64 list) and @like's element type. */
SondeGraphValue *sonde_decompose_zeros (SondeDecomposition *context, SondeGraphValue *shape,
                                        SondeGraphValue *like);

/* Errors: UNSUPPORTED, naming the node and what has to be known before the run. */
gboolean sonde_decompose_fail (SondeDecomposition *context, const char *what, GError **error);
/* The rank of input @k is known and at least @least. Errors: as above. */
gboolean sonde_decompose_need_rank (SondeDecomposition *context, guint k, int least,
                                    GError **error);

G_END_DECLS
