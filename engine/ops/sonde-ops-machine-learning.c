/* SPDX-License-Identifier: Apache-2.0
 * The domain ai.onnx.ml: scalers, encoders, linear models, support vectors, trees. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_machine_learning[] = {
  { NULL },
};
