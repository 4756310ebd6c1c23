/* SPDX-License-Identifier: Apache-2.0
 * Quantised arithmetic: QuantizeLinear, DequantizeLinear, QLinear…, …Integer. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_quantise[] = {
  { NULL },
};
