/* SPDX-License-Identifier: Apache-2.0
 * Running sums and products, reversal along an axis: CumSum, CumProd, ReverseSequence. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_scan[] = {
  { NULL },
};
