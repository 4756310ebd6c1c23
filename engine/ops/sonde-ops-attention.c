/* SPDX-License-Identifier: Apache-2.0
 * Attention and its parts: Attention, FlexAttention, LinearAttention, RotaryEmbedding. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_attention[] = {
  { NULL },
};
