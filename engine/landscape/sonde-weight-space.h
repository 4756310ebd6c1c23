/* SPDX-License-Identifier: Apache-2.0
 * The trained parameters of a model as one vector of float32, and what of it is a filter. */
#pragma once

#include "data/graph/sonde-graph.h"

G_BEGIN_DECLS

/**
 * SondeWeightBlock: one parameter
 * @name: owned
 * @first: of its numbers in the vector, which lie there in the parameter's order
 * @outer, @filters, @inner: number k of filter f is at (k / @inner · @filters + f) · @inner + k mod @inner
 * @is_plain: a bias, or scale and shift of a normalisation: it has no filters
 */
typedef struct
{
  char *name;
  SondeDtype dtype;
  SondeShape shape;
  gsize first, n;
  gsize outer, filters, inner;
  gboolean is_plain;
} SondeWeightBlock;

/* @n: of all numbers */
typedef struct
{
  SondeWeightBlock *blocks;
  guint n_blocks;
  gsize n;
} SondeWeightSpace;

/**
 * sonde_weight_space_new:
 * @parameters: (element-type SondeGraphValue): with constants, of a graph whose nodes say what is a
 *   filter: the weights of one output of a convolution, a product or a recurrent cell; with others
 *   an entry of the first dimension
 */
SondeWeightSpace *sonde_weight_space_new (const GPtrArray *parameters);
void sonde_weight_space_free (SondeWeightSpace *space); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeWeightSpace, sonde_weight_space_free)

/**
 * sonde_weight_space_collect:
 * @model: holds a constant of the same shape for each block
 * @vector: (out caller-allocates): [n]
 *
 * Errors: NOT_FOUND, SHAPE naming the parameter.
 */
gboolean sonde_weight_space_collect (const SondeWeightSpace *space, const SondeGraph *model,
                                     float *vector, GError **error);

G_END_DECLS
