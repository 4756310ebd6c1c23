/* SPDX-License-Identifier: Apache-2.0
 * Sequences and optionals. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_sequence[] = {
  { NULL },
};
