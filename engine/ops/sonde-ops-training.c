/* SPDX-License-Identifier: Apache-2.0
 * The domain ai.onnx.preview.training: Adagrad, Adam, Momentum. */
#include "engine/ops/sonde-op-private.h"

const SondeOpClass sonde_ops_training[] = {
  { NULL },
};
