/* SPDX-License-Identifier: Apache-2.0
 * Operands and sizes of Attention, for its shape rule and its kernel. */
#pragma once

#include "engine/ops/sonde-op-implement.h"

G_BEGIN_DECLS

enum
{
  SONDE_ATTENTION_Q,
  SONDE_ATTENTION_K,
  SONDE_ATTENTION_V,
  SONDE_ATTENTION_MASK,
  SONDE_ATTENTION_PAST_K,
  SONDE_ATTENTION_PAST_V,
  SONDE_ATTENTION_LENGTHS,
};

/* An attribute that no file may have: a query all of whose scores are -infinity has NaN as weights,
 * as a Softmax makes them, in place of zeros. For nodes that stand for a chain of others. */
#define SONDE_ATTENTION_UNDEFINED "sonde_undefined_weights"

/**
 * SondeAttentionSizes: q [B, Hq, L, E] or packed [B, L, Hq·E], k [B, Hkv, S, E], v [B, Hkv, S, F];
 * T = P + S keys with a past of P. -1: not known
 */
typedef struct
{
  gboolean packed; /* three dimensions */
  gint64 batch, q_heads, kv_heads, queries, keys, past, total, width, v_width;
} SondeAttentionSizes;

/* @types: of q, k, v; @past: (nullable): of the past keys. Errors: SHAPE. */
gboolean sonde_attention_read_sizes (SondeAttentionSizes *sizes, const SondeNode *node,
                                     const SondeType *const types[3], const SondeType *past,
                                     GError **error);

gboolean sonde_attention_infer (SondeInferContext *context, GError **error);
void sonde_attention_cost (const SondeInferContext *context, SondeCost *cost);

G_END_DECLS
