/* SPDX-License-Identifier: Apache-2.0
 * RNN, GRU, LSTM. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_recurrent[] = {
  { NULL },
};
