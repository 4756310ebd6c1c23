/* SPDX-License-Identifier: Apache-2.0
 * What all steps of reading one ONNX file share: where it comes from, memory budgets, decoding and
 * errors. Messages of protobuf-c do not leave this folder. */
#pragma once

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/models/onnx/onnx.pb-c.h"

G_BEGIN_DECLS

typedef struct _SondeOnnxExternal SondeOnnxExternal;
typedef struct _SondeOnnxFile SondeOnnxFile;

/**
 * SondeOnnxReader: what all steps of reading one file need
 * @io: (nullable): file calls
 * @name: path or name of the file in messages
 * @folder: (nullable): where external data may lie; NULL refuses them
 * @allocator: memory of decoded messages, charged to @parse
 * @tensors: memory of tensors out of external files; its limit grows with each file that is opened
 * @dense: memory of what is stored as sparse
 * @external: (nullable): open external file, see sonde-onnx-external.h
 * @in_function: the nodes read now belong to a function body
 * @source: (nullable): the file that the bytes come from, with gaps where large weights are
 * @file, @file_bytes, @spans: (nullable): see sonde-onnx-large.h
 */
typedef struct
{
  const SondeIo *io;
  const char *name;
  const char *folder;
  ProtobufCAllocator allocator;
  SondeBudget parse;
  SondeBudget tensors;
  SondeBudget dense;
  SondeOnnxExternal *external;
  gboolean in_function;
  SondeOnnxFile *source;
  const guint8 *file;
  gsize file_bytes;
  GArray *spans;
} SondeOnnxReader;

void sonde_onnx_reader_init (SondeOnnxReader *reader, const SondeIo *io, const char *name,
                             const char *folder);
void sonde_onnx_reader_clear (SondeOnnxReader *reader);

/* Scans, then decodes. Returns: a message to be freed with sonde_onnx_free_message(). */
void *sonde_onnx_decode (SondeOnnxReader *reader, const ProtobufCMessageDescriptor *descriptor,
                         const guint8 *data, gsize length, GError **error);
void sonde_onnx_free_message (SondeOnnxReader *reader, void *message); /* (nullable) */

/* Large blocks of @allocator are aligned as tensors are and may be kept: taken out of the message
 * and freed with free(). */
#define SONDE_ONNX_KEEP_BYTES 4096

/* "“FILE”: MESSAGE". Returns FALSE. */
gboolean sonde_onnx_fail (const SondeOnnxReader *reader, GError **error, SondeDataError code,
                          const char *format, ...) G_GNUC_PRINTF (4, 5);

/* A name, an operator, a symbol: UTF-8, since it will be shown. @text: (nullable) is fine. */
gboolean sonde_onnx_check_text (const SondeOnnxReader *reader, const char *what, const char *text,
                                GError **error);
/* Documentation: bytes that are no UTF-8 are replaced; NULL when empty. Returns: (transfer full) */
char *sonde_onnx_dup_doc (const char *text);

G_END_DECLS
