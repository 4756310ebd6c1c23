/* SPDX-License-Identifier: Apache-2.0
 * Safetensors files <-> named tensors: eight bytes of length, a JSON header, then the bytes of all
 * tensors. */
#pragma once

#include "data/arrays/sonde-npz.h"

G_BEGIN_DECLS

/**
 * sonde_safetensors_read:
 * @io: (nullable): file calls
 *
 * Dtypes F64 F32 F16 BF16, the integers, BOOL, F8_E4M3 and F8_E5M2. "__metadata__" is stepped over.
 * As the format's own reader: tensors must lie one behind the other and fill the file.
 * Errors: SONDE_DATA_ERROR_DAMAGED (file and tensor), UNSUPPORTED (a dtype), LIMIT, NOT_FOUND, IO.
 */
SondeNamedTensors *sonde_safetensors_read (const SondeIo *io, const char *path, GError **error);

SondeNamedTensors *sonde_safetensors_parse (const guint8 *data, gsize length, const char *name,
                                            GError **error);

/* Replaced atomically. Equal tensors give equal files. Errors: UNSUPPORTED naming a tensor whose
 * dtype the format does not have; IO, NO_SPACE */
gboolean sonde_safetensors_write (const SondeIo *io, const char *path,
                                  const SondeNamedTensors *tensors, GError **error);

G_END_DECLS
