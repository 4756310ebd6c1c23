/* SPDX-License-Identifier: Apache-2.0
 * A model file in memory, without the large raw_data of its initialisers. */
#pragma once

#include "data/models/onnx/sonde-onnx-reader.h"

G_BEGIN_DECLS

/* Bytes that were not read. */
typedef struct
{
  gsize offset, length;
} SondeOnnxGap;

/**
 * SondeOnnxFile: a file without its large weights (sonde-onnx-file.c)
 * @data: its bytes, each at its offset
 * @gaps: SondeOnnxGap, in the order of the file: raw_data of initialisers of the main graph
 * @filled, @window: how far reading came, and how much the next step reads at least
 */
struct _SondeOnnxFile
{
  const SondeIo *io;
  const char *path;
  int fd;
  guint8 *data;
  gsize length;
  GArray *gaps;
  gsize filled, window;
};

/* @io: (nullable); @path is borrowed. Close it after a failure too. */
gboolean sonde_onnx_file_open (SondeOnnxFile *file, const SondeIo *io, const char *path,
                               GError **error);
void sonde_onnx_file_close (SondeOnnxFile *file);
/* Whether a gap is at @place in @data. */
gboolean sonde_onnx_file_has_gap (const SondeOnnxFile *file, const guint8 *place);
/* @place: where in @data the bytes would be. */
gboolean sonde_onnx_file_read (const SondeOnnxFile *file, const guint8 *place, gsize length,
                               void *to, GError **error);

G_END_DECLS
