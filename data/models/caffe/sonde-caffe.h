/* SPDX-License-Identifier: Apache-2.0
 * Caffe 1.0: .prototxt with .caffemodel -> graph. Everything is NCHW and float32. */
#pragma once

#include "data/base/sonde-io.h"
#include "data/models/lowering/sonde-lowering.h"

G_BEGIN_DECLS

/* A text that names fields of a net, or bytes that are layers. */
gboolean sonde_caffe_sniff (const guint8 *start, gsize length);
void sonde_caffe_read (SondeLowering *lowering, const SondeIo *io, const char *path);

G_END_DECLS
