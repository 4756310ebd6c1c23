/* SPDX-License-Identifier: Apache-2.0
 * Random numbers, a function of (seed, node, step, element). */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_random[] = {
  { NULL },
};
