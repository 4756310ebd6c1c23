/* SPDX-License-Identifier: Apache-2.0
 * Models of Keras 2 and 3 -> graph: .keras archives and HDF5 files with their configuration. No code
 * of the file is run: what only code says is refused by name. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* An HDF5 file, or a zip archive with config.json, metadata.json or weights among its first members. */
gboolean sonde_keras_sniff (const guint8 *start, gsize length);
void sonde_keras_read (SondeLowering *lowering, const SondeIo *io, const char *path);

G_END_DECLS
