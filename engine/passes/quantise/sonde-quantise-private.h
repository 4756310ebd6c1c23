/* SPDX-License-Identifier: Apache-2.0
 * What the passes on quantised values share. */
#pragma once

#include "engine/passes/sonde-passes.h"

G_BEGIN_DECLS

/* With fewer output channels than fill a vector floats are faster. */
#define SONDE_QUANTISE_FEWEST 16

/* One scale and zero point. */
typedef struct
{
  SondeGraphValue *q, *scale, *zero;
} SondeQuantised;

static inline SondeTensor *
sonde_quantise_constant (const SondeGraphValue *value)
{
  return value != NULL && value->role == SONDE_ROLE_CONSTANT && value->constant != NULL
             ? sonde_value_get_tensor (value->constant)
             : NULL;
}

/* Scale and zero point of @node, which quantises to or dequantises 8-bit @q, are one constant
 * number each. */
gboolean sonde_quantise_read (const SondeNode *node, SondeGraphValue *q, SondeQuantised *result);

/* The one node that reads @value, which nobody else wants. */
SondeNode *sonde_quantise_only_reader (const SondeGraph *graph, const SondeGraphValue *value);

/* The node that makes @value or made it, in the original, before it was computed: a
 * DequantizeLinear of constants. NULL: none */
SondeNode *sonde_quantise_find_weights (const SondeGraph *original, const SondeGraphValue *value);

/* MatMul or Gemm of dequantised matrices → MatMulInteger, Cast, Mul, perhaps Add. */
void sonde_quantise_product (SondeGraph *graph, const SondeGraph *original, SondeNode *node);

/* Weights @w [outputs, channels a group, …] of @conv are of groups for which there is no integer
 * primitive but products of small matrices, slower than floats. */
gboolean sonde_quantise_has_small_groups (const SondeNode *conv, const SondeShape *w);

/* QLinearConv and ConvInteger that devices do not compute in integers → Conv of floats. */
void sonde_quantise_to_floats (SondeGraph *graph, SondeNode *node);

/* DequantizeLinear, an operator that only moves elements, QuantizeLinear with the same numbers →
 * the operator. */
void sonde_quantise_move (SondeGraph *graph, SondeNode *node);

G_END_DECLS
