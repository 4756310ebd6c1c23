/* SPDX-License-Identifier: Apache-2.0
 * Short calls that append ordinary nodes to a graph, for gradient rules, losses, layers and tests.
 * Each infers the type of its result at once (unknown stays unknown). Names: NULL makes one. */
#pragma once

#include "engine/ops/sonde-op.h"

G_BEGIN_DECLS

/* One node with one output and no attributes. Returns: (transfer none): output 0 */
SondeGraphValue *sonde_build_op (SondeGraph *graph, const char *name, const char *domain,
                                 const char *op, guint n_inputs, SondeGraphValue *const *inputs);
SondeGraphValue *sonde_build_unary (SondeGraph *graph, const char *op, SondeGraphValue *x);
SondeGraphValue *sonde_build_binary (SondeGraph *graph, const char *op, SondeGraphValue *a,
                                     SondeGraphValue *b);
/* @x itself where it has that type already. */
SondeGraphValue *sonde_build_cast (SondeGraph *graph, SondeGraphValue *x, SondeDtype dtype);
/* A CONSTANT initialiser; the tensor is referenced. */
SondeGraphValue *sonde_build_constant (SondeGraph *graph, const char *name, SondeTensor *tensor);
/* float32 where @dtype is none of numbers. */
SondeGraphValue *sonde_build_scalar (SondeGraph *graph, SondeDtype dtype, double value);
/* int64 [n] */
SondeGraphValue *sonde_build_ints (SondeGraph *graph, const gint64 *values, gsize n);

/* Runs the node's shape rule now and stores the output types; used after setting attributes. */
gboolean sonde_build_infer (SondeGraph *graph, SondeNode *node, GError **error);

G_END_DECLS
