/* SPDX-License-Identifier: Apache-2.0
 * NumPy's .npy <-> tensor. Versions 1.0 to 3.0; object arrays (pickle) are refused with the
 * reason. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/values/sonde-tensor.h"

G_BEGIN_DECLS

/**
 * sonde_npy_read:
 * @io: (nullable): file calls
 *
 * Little- and big-endian, C and Fortran order (made row-major), b1 i1…i8 u1…u8 f2 f4 f8,
 * MindSpore's T2 (bf16), 'S' and 'U' as STRING; structured types are refused. The header may be at
 * most 64 KiB; its shape is compared with the bytes present before anything is allocated.
 * Errors: SONDE_DATA_ERROR_*, with file and byte offset.
 */
SondeTensor *sonde_npy_read (const SondeIo *io, const char *path, GError **error);

/* Whether @path is a whole array, by its header and its size; its elements are not read. Errors as
 * above. */
gboolean sonde_npy_check (const SondeIo *io, const char *path, GError **error);

/* The same, and what is in it. @dtype, @shape: (out) (optional): as sonde_npy_read() gives it */
gboolean sonde_npy_look (const SondeIo *io, const char *path, SondeDtype *dtype, SondeShape *shape,
                         GError **error);

/* The same from memory; @name is used in messages. */
SondeTensor *sonde_npy_parse (const guint8 *data, gsize length, const char *name, GError **error);

/* Bytes of a version 1.0 file, C order, little-endian. bf16 is written as float32, the only dtype
 * that changes; STRING as 'U', or as 'S' when it is no UTF-8. */
GBytes *sonde_npy_serialise (SondeTensor *tensor);

/* Replaces @path atomically. */
gboolean sonde_npy_write (const SondeIo *io, const char *path, SondeTensor *tensor, GError **error);

G_END_DECLS
