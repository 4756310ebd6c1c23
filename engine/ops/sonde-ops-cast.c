/* SPDX-License-Identifier: Apache-2.0
 * Changes of the element type: CastLike, BitCast. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_cast[] = {
  { NULL },
};
