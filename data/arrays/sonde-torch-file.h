/* SPDX-License-Identifier: Apache-2.0
 * What torch.save() wrote (.pt, .pth; zip archives, PyTorch 1.6 and later): tensors, parameters, and
 * dictionaries and lists of them. Names in the pickle that are not of a closed list are refused;
 * nothing in the file is ever run. */
#pragma once

#include "data/arrays/sonde-npz.h"

G_BEGIN_DECLS

/* A file that is one tensor or parameter. Row-major, whatever its strides. Errors: as below; INVALID where
 * it is something else. (transfer full) */
SondeTensor *sonde_torch_file_read_tensor (const SondeIo *io, const char *path, GError **error);

/**
 * sonde_torch_file_read:
 *
 * All tensors in it, by their keys: a state dictionary's as they are, those of dictionaries and lists
 * in it with a dot between: "model.fc.weight", "optimizer.state.0.exp_avg". A file that is one tensor
 * has it as "tensor". Other values (numbers, texts) are left out. Errors: IO; DAMAGED with member
 * and offset; UNSUPPORTED for other names, types, big-endian and older files; LIMIT.
 */
SondeNamedTensors *sonde_torch_file_read (const SondeIo *io, const char *path, GError **error);

G_END_DECLS
