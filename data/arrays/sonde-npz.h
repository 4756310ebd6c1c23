/* SPDX-License-Identifier: Apache-2.0
 * NumPy's .npz <-> named tensors, in memory through libarchive; nothing is unpacked to disk. */
#pragma once

#include "data/arrays/sonde-npy.h"

G_BEGIN_DECLS

/* Named tensors in file order; the common result of weight and archive readers. */
typedef struct _SondeNamedTensors SondeNamedTensors;

SondeNamedTensors *sonde_named_tensors_new (void);
void sonde_named_tensors_free (SondeNamedTensors *tensors);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (SondeNamedTensors, sonde_named_tensors_free)

/* Adds, or replaces one of the same name; a reference is taken. */
void sonde_named_tensors_set (SondeNamedTensors *tensors, const char *name, SondeTensor *tensor);
gsize sonde_named_tensors_get_size (const SondeNamedTensors *tensors);
const char *sonde_named_tensors_get_name (const SondeNamedTensors *tensors, gsize index);
SondeTensor *sonde_named_tensors_get_tensor (const SondeNamedTensors *tensors,
                                             gsize index); /* (transfer none) */
SondeTensor *sonde_named_tensors_lookup (const SondeNamedTensors *tensors,
                                         const char *name); /* (transfer none) (nullable) */

/* Member "x.npy" is named "x". Total size is bounded by the parse budget. */
SondeNamedTensors *sonde_npz_read (const SondeIo *io, const char *path, GError **error);

/* Stored (not deflated) members, replaced atomically (temporary file, fsync, rename). */
gboolean sonde_npz_write (const SondeIo *io, const char *path, const SondeNamedTensors *tensors,
                          GError **error);

G_END_DECLS
