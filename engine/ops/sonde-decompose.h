/* SPDX-License-Identifier: Apache-2.0
 * Short calls for rules that are written as formulas: what a row's @decompose, and some gradient
 * rules, are made of. All make ordinary nodes that have gradients themselves. */
#pragma once

#include "engine/ops/sonde-op-private.h"

G_BEGIN_DECLS

typedef SondeGradientContext SondeParts;

#define sonde_parts_add(parts, a, b) sonde_rule_binary ((parts), "Add", (a), (b))
#define sonde_parts_sub(parts, a, b) sonde_rule_binary ((parts), "Sub", (a), (b))
#define sonde_parts_mul(parts, a, b) sonde_rule_binary ((parts), "Mul", (a), (b))
#define sonde_parts_div(parts, a, b) sonde_rule_binary ((parts), "Div", (a), (b))

/* A scalar of @like's element type. */
SondeGraphValue *sonde_parts_number (SondeParts *parts, SondeGraphValue *like, double number);
/* x + number, x · number, x to the power of number */
SondeGraphValue *sonde_parts_plus (SondeParts *parts, SondeGraphValue *x, double number);
SondeGraphValue *sonde_parts_times (SondeParts *parts, SondeGraphValue *x, double number);
SondeGraphValue *sonde_parts_power (SondeParts *parts, SondeGraphValue *x, double number);
/* @a + @b; (nullable): the other one */
SondeGraphValue *sonde_parts_sum (SondeParts *parts, SondeGraphValue *a, SondeGraphValue *b);

/* ReduceSum and the like; the reduced dimensions stay with size 1. No axes: @x itself. */
SondeGraphValue *sonde_parts_reduce (SondeParts *parts, const char *op, SondeGraphValue *x,
                                     const gint64 *axes, gsize n);
/* The same over dimensions @first to before @last. */
SondeGraphValue *sonde_parts_reduce_range (SondeParts *parts, const char *op, SondeGraphValue *x,
                                           int first, int last);

SondeGraphValue *sonde_parts_cast (SondeParts *parts, SondeGraphValue *x, SondeDtype dtype);
/* @x in float32 where it is of half precision, as the kernels compute. */
SondeGraphValue *sonde_parts_widen (SondeParts *parts, SondeGraphValue *x);
/* @shape: as Reshape takes it: 0 keeps, -1 is what is left */
SondeGraphValue *sonde_parts_reshape (SondeParts *parts, SondeGraphValue *x, const gint64 *shape,
                                      gsize n);
SondeGraphValue *sonde_parts_reshape_like (SondeParts *parts, SondeGraphValue *x,
                                           SondeGraphValue *like);
SondeGraphValue *sonde_parts_transpose (SondeParts *parts, SondeGraphValue *x, const gint64 *order,
                                        gsize n);
SondeGraphValue *sonde_parts_unsqueeze (SondeParts *parts, SondeGraphValue *x, gint64 axis);
/* Elements @begin to before @end along @axis; negative ones count from the end, G_MAXINT64 is the
 * end. */
SondeGraphValue *sonde_parts_slice (SondeParts *parts, SondeGraphValue *x, gint64 axis,
                                    gint64 begin, gint64 end);
SondeGraphValue *sonde_parts_gather (SondeParts *parts, SondeGraphValue *x,
                                     SondeGraphValue *indices, gint64 axis);
SondeGraphValue *sonde_parts_concat (SondeParts *parts, gint64 axis, SondeGraphValue *a,
                                     SondeGraphValue *b);
SondeGraphValue *sonde_parts_where (SondeParts *parts, SondeGraphValue *condition,
                                    SondeGraphValue *a, SondeGraphValue *b);
/* int64 scalar: @x's size in dimension @axis; a constant where it is known. */
SondeGraphValue *sonde_parts_size (SondeParts *parts, SondeGraphValue *x, int axis);
/* 0, 1, … @n − 1; @n: int64 scalar */
SondeGraphValue *sonde_parts_range (SondeParts *parts, SondeGraphValue *n);
/* Zeros of @shape (int64 list) and @like's element type. */
SondeGraphValue *sonde_parts_zeros (SondeParts *parts, SondeGraphValue *shape,
                                    SondeGraphValue *like);

/* Errors: UNSUPPORTED, naming the node and what has to be known before the run. */
gboolean sonde_parts_fail (SondeParts *parts, const char *what, GError **error);
/* The rank of input @k is known and at least @least. Errors: as above. */
gboolean sonde_parts_need_rank (SondeParts *parts, guint k, int least, GError **error);

G_END_DECLS
