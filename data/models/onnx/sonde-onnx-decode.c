/* SPDX-License-Identifier: Apache-2.0
 * From bytes to messages, within limits. */
#include "data/models/onnx/sonde-onnx-external.h"
#include "data/models/onnx/sonde-onnx-reader.h"
#include "data/wire/sonde-wire-decode.h"

#define EXTERNAL_BASE_BYTES ((guint64) 64 << 20) /* more with each file that is opened */

void
sonde_onnx_reader_init (SondeOnnxReader *reader, const SondeIo *io, const char *name,
                        const char *folder)
{
  *reader = (SondeOnnxReader){ .io = io, .name = name, .folder = folder };
  sonde_budget_init (&reader->tensors, EXTERNAL_BASE_BYTES, name);
  sonde_budget_init (&reader->dense, SONDE_BUDGET_PARSE_BYTES, name);
  sonde_budget_init (&reader->strings, SONDE_BUDGET_PARSE_BYTES, name);
}

void
sonde_onnx_reader_clear (SondeOnnxReader *reader)
{
  if (reader->external != NULL)
    sonde_onnx_external_free (reader->external, reader->io);
  reader->external = NULL;
  sonde_wire_arena_clear (&reader->memory);
}

void *
sonde_onnx_decode (SondeOnnxReader *reader, const ProtobufCMessageDescriptor *descriptor,
                   const guint8 *data, gsize length, GError **error)
{
  g_autofree char *quoted = g_strdup_printf ("“%s”", reader->name);
  /* The main graph is the first one. */
  const SondeWireLimits limits = {
    .counted = &onnx__graph_proto__descriptor,
    .counted_limit = SONDE_BUDGET_SUBGRAPHS + 1,
  };

  return sonde_wire_decode (descriptor, data, length, quoted, &limits, &reader->memory, error);
}
