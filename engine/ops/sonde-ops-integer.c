/* SPDX-License-Identifier: Apache-2.0
 * Operators of bits and integers: BitShift, BitwiseAnd, … */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_integer[] = {
  { NULL },
};
