/* SPDX-License-Identifier: Apache-2.0
 * Operators that run subgraphs: If, Loop, Scan. The plan runs them; here are their shape rules. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_control[] = {
  { NULL },
};
