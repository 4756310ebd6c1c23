/* SPDX-License-Identifier: Apache-2.0
 * Signals: DFT, STFT, windows, MelWeightMatrix. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_signal[] = {
  { NULL },
};
