/* SPDX-License-Identifier: Apache-2.0
 * MNIST's file format IDX, plain or .gz. */
#pragma once

#include "data/base/sonde-io.h"

/**
 * sonde_idx_read:
 * @rank: 1 for labels [n], 3 for images [n, h, w]; the file must agree
 * @sizes: (out): @rank sizes
 *
 * Source: http://yann.lecun.com/exdb/mnist (big-endian; magic 0, 0, type, rank; type 8: bytes).
 * Returns: (transfer full) (nullable): the elements, row-major.
 * Errors: DAMAGED with file and offset, LIMIT (1 GiB; sides of 1 to 4096), those of reading a file.
 */
guint8 *sonde_idx_read (const SondeIo *io, const char *path, int rank, guint32 *sizes,
                        GError **error);
