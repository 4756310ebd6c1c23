/* SPDX-License-Identifier: Apache-2.0
 * MindSpore's checkpoint (.ckpt) -> named tensors. */
#pragma once

#include "data/arrays/sonde-npz.h"

G_BEGIN_DECLS

/**
 * sonde_mindspore_checkpoint_read:
 * @io: (nullable): file calls
 *
 * Names stay MindSpore's ("bn1.gamma", "bn1.moving_mean"). A tensor that is cut into parts is put
 * together. The checksum that some files end with is compared. Tables of a parameter server (map
 * tensors) and encrypted files are refused.
 * Errors: SONDE_DATA_ERROR_DAMAGED (file and offset), UNSUPPORTED (a dtype), LIMIT, NOT_FOUND, IO.
 * Source: mindspore/train/checkpoint.proto, _exec_save() in mindspore/train/serialization.py
 */
SondeNamedTensors *sonde_mindspore_checkpoint_read (const SondeIo *io, const char *path,
                                                    GError **error);

SondeNamedTensors *sonde_mindspore_checkpoint_parse (const guint8 *data, gsize length,
                                                     const char *name, GError **error);

G_END_DECLS
