/* SPDX-License-Identifier: Apache-2.0
 * Boxes and regions: RoiAlign, MaxRoiPool, NonMaxSuppression. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_region[] = {
  { NULL },
};
