/* SPDX-License-Identifier: Apache-2.0
 * What all steps of reading one ONNX file share: where it comes from, memory budgets, decoding and
 * errors. Messages of protobuf-c do not leave this folder. */
#pragma once

#include "data/base/sonde-budget.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-io.h"
#include "data/models/onnx/onnx.pb-c.h"
#include "data/wire/sonde-wire-arena.h"

G_BEGIN_DECLS

typedef struct _SondeOnnxExternal SondeOnnxExternal;
typedef struct _SondeOnnxFile SondeOnnxFile;

/**
 * SondeOnnxReader: what all steps of reading one file need
 * @io: (nullable): file calls
 * @name: path or name of the file in messages
 * @folder: (nullable): where external data may lie; NULL refuses them
 * @memory: of decoded messages
 * @tensors: memory of tensors out of external files; its limit grows with each file that is opened
 * @dense: memory of what is stored as sparse
 * @strings: memory of strings in tensors
 * @external: (nullable): open external file, see sonde-onnx-external.h
 * @in_function: the nodes read now belong to a function body
 * @source: (nullable): the file that the bytes come from, with gaps where large weights are
 */
typedef struct
{
  const SondeIo *io;
  const char *name;
  const char *folder;
  SondeWireArena memory;
  SondeBudget tensors;
  SondeBudget dense;
  SondeBudget strings;
  SondeOnnxExternal *external;
  gboolean in_function;
  const SondeOnnxFile *source;
} SondeOnnxReader;

void sonde_onnx_reader_init (SondeOnnxReader *reader, const SondeIo *io, const char *name,
                             const char *folder);
void sonde_onnx_reader_clear (SondeOnnxReader *reader);

/* Returns: (transfer none): a message that lives as long as @reader and @data; raw_data may lie in a
 * gap of @source. */
void *sonde_onnx_decode (SondeOnnxReader *reader, const ProtobufCMessageDescriptor *descriptor,
                         const guint8 *data, gsize length, GError **error);

/* "“FILE”: MESSAGE". Returns FALSE. */
gboolean sonde_onnx_fail (const SondeOnnxReader *reader, GError **error, SondeDataError code,
                          const char *format, ...) G_GNUC_PRINTF (4, 5);

/* A name, an operator, a symbol: UTF-8, since it will be shown. @what: N_("the name of a node").
 * @text: (nullable) is fine. */
gboolean sonde_onnx_check_text (const SondeOnnxReader *reader, const char *what, const char *text,
                                GError **error);
/* Documentation: bytes that are no UTF-8 are replaced; NULL when empty. Returns: (transfer full) */
char *sonde_onnx_dup_doc (const char *text);

G_END_DECLS
