/* SPDX-License-Identifier: Apache-2.0
 * Resize and what it replaces. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_resize[] = {
  { NULL },
};
