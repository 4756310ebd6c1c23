/* SPDX-License-Identifier: Apache-2.0
 * Files of weights of Keras -> named tensors. */
#pragma once

#include "data/arrays/sonde-npz.h"
#include "data/base/sonde-io.h"

G_BEGIN_DECLS

/**
 * sonde_keras_weights_read:
 * @path: what model.save() or model.save_weights() wrote: .keras, .h5, .weights.h5
 *
 * Names as a model that is read has them: "dense/kernel", "bi/forward_lstm/lstm_cell/bias"; those of
 * layers whose weights have no name that is known end with their number. Layouts are the file's.
 * Errors: those of sonde_hdf5_read(); DAMAGED for a file without weights.
 */
SondeNamedTensors *sonde_keras_weights_read (const SondeIo *io, const char *path, GError **error);

G_END_DECLS
