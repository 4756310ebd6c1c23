/* SPDX-License-Identifier: Apache-2.0
 * Sampling at computed places: GridSample, AffineGrid, DeformConv, Col2Im. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_sample[] = {
  { NULL },
};
