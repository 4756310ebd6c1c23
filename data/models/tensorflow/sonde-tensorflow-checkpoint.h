/* SPDX-License-Identifier: Apache-2.0
 * Checkpoints of TensorFlow as weights for any model. */
#pragma once

#include "data/arrays/sonde-npz.h"

G_BEGIN_DECLS

/**
 * sonde_tensorflow_checkpoint_read:
 * @path: NAME.index; NAME.data-K-of-N lie in its folder
 *
 * The variables of a checkpoint, or of a SavedModel, by their keys without what version 2 puts behind
 * them ("dense/kernel"). What a training keeps beside (its optimiser, counters) and texts are left out.
 * Returns: (transfer full)
 * Errors: of the files; DAMAGED, UNSUPPORTED, LIMIT with the variable
 */
SondeNamedTensors *sonde_tensorflow_checkpoint_read (const SondeIo *io, const char *path,
                                                     GError **error);

G_END_DECLS
