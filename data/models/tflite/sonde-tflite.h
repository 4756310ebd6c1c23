/* SPDX-License-Identifier: Apache-2.0
 * .tflite files -> graph. What is read and how: docs/models.md. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* Do the first bytes of a file say that it is one? */
gboolean sonde_tflite_sniff (const guint8 *start, gsize length);

/**
 * sonde_tflite_read:
 *
 * Emits the model at @path; failures stay in @lowering. Weights lie in the bytes of the file, which
 * is read once. Errors: IO, NOT_FOUND, DAMAGED, LIMIT, UNSUPPORTED.
 */
void sonde_tflite_read (SondeLowering *lowering, const SondeIo *io, const char *path);
/* The same of bytes. */
void sonde_tflite_parse (SondeLowering *lowering, GBytes *bytes, const char *name);

G_END_DECLS
