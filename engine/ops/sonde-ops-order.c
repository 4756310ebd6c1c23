/* SPDX-License-Identifier: Apache-2.0
 * What depends on the values or their order: TopK, Unique, NonZero, Compress. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_order[] = {
  { NULL },
};
