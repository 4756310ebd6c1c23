/* SPDX-License-Identifier: Apache-2.0
 * Scattered writes and reads: ScatterElements, ScatterND, GatherElements, GatherND, TensorScatter, OneHot. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_scatter[] = {
  { NULL },
};
