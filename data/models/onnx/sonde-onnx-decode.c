/* SPDX-License-Identifier: Apache-2.0
 * From bytes to protobuf-c messages: the scan first, then an allocator with a budget. */
#include "data/models/onnx/sonde-onnx-reader.h"

#include <malloc.h>
#include <stdlib.h>

#include "data/base/sonde-wire.h"
#include "data/models/onnx/sonde-onnx-external.h"
#include "data/models/onnx/sonde-onnx-file.h"
#include "data/models/onnx/sonde-onnx-large.h"

#define TENSOR_ALIGNMENT 64
#define PARSE_BASE_BYTES ((guint64) 64 << 20)
#define PARSE_BYTES_PER_BYTE 16
#define EXTERNAL_BASE_BYTES ((guint64) 64 << 20) /* more with each file that is opened */

/* ---- memory -------------------------------------------------------------- */

static void *
budget_alloc (void *data, size_t size)
{
  SondeBudget *budget = data;
  void *block = NULL;

  if (size >= SONDE_ONNX_KEEP_BYTES)
    block = aligned_alloc (TENSOR_ALIGNMENT,
                           (size + TENSOR_ALIGNMENT - 1) & ~(size_t) (TENSOR_ALIGNMENT - 1));
  else
    block = malloc (size);
  if (block == NULL || sonde_budget_take (budget, malloc_usable_size (block), "message", NULL))
    return block;
  free (block);
  return NULL;
}

static void
budget_free (void *data, void *block)
{
  SondeBudget *budget = data;

  if (block == NULL)
    return;
  sonde_budget_give_back (budget, malloc_usable_size (block));
  free (block);
}

void
sonde_onnx_reader_init (SondeOnnxReader *reader, const SondeIo *io, const char *name,
                        const char *folder)
{
  *reader = (SondeOnnxReader){ .io = io, .name = name, .folder = folder };
  reader->allocator = (ProtobufCAllocator){ budget_alloc, budget_free, &reader->parse };
  sonde_budget_init (&reader->parse, 0, name);
  sonde_budget_init (&reader->tensors, EXTERNAL_BASE_BYTES, name);
  sonde_budget_init (&reader->dense, SONDE_BUDGET_PARSE_BYTES, name);
}

void
sonde_onnx_reader_clear (SondeOnnxReader *reader)
{
  if (reader->external != NULL)
    sonde_onnx_external_free (reader->external, reader->io);
  reader->external = NULL;
  g_clear_pointer (&reader->spans, g_array_unref);
}

/* ---- the schema as the scan sees it -------------------------------------- */

/* By ProtobufCType: how it stands on the wire, and the room of one entry of a repeated field. */
static const struct
{
  SondeWireType wire;
  gsize bytes;
} field_types[] = {
  [PROTOBUF_C_TYPE_INT32] = { SONDE_WIRE_VARINT, 4 },
  [PROTOBUF_C_TYPE_SINT32] = { SONDE_WIRE_VARINT, 4 },
  [PROTOBUF_C_TYPE_SFIXED32] = { SONDE_WIRE_FIXED32, 4 },
  [PROTOBUF_C_TYPE_INT64] = { SONDE_WIRE_VARINT, 8 },
  [PROTOBUF_C_TYPE_SINT64] = { SONDE_WIRE_VARINT, 8 },
  [PROTOBUF_C_TYPE_SFIXED64] = { SONDE_WIRE_FIXED64, 8 },
  [PROTOBUF_C_TYPE_UINT32] = { SONDE_WIRE_VARINT, 4 },
  [PROTOBUF_C_TYPE_FIXED32] = { SONDE_WIRE_FIXED32, 4 },
  [PROTOBUF_C_TYPE_UINT64] = { SONDE_WIRE_VARINT, 8 },
  [PROTOBUF_C_TYPE_FIXED64] = { SONDE_WIRE_FIXED64, 8 },
  [PROTOBUF_C_TYPE_FLOAT] = { SONDE_WIRE_FIXED32, 4 },
  [PROTOBUF_C_TYPE_DOUBLE] = { SONDE_WIRE_FIXED64, 8 },
  [PROTOBUF_C_TYPE_BOOL] = { SONDE_WIRE_VARINT, sizeof (protobuf_c_boolean) },
  [PROTOBUF_C_TYPE_ENUM] = { SONDE_WIRE_VARINT, 4 },
  [PROTOBUF_C_TYPE_STRING] = { SONDE_WIRE_BYTES, sizeof (char *) },
  [PROTOBUF_C_TYPE_BYTES] = { SONDE_WIRE_BYTES, sizeof (ProtobufCBinaryData) },
  [PROTOBUF_C_TYPE_MESSAGE] = { SONDE_WIRE_BYTES, sizeof (void *) },
};

static gboolean
find_field (const void *message, guint32 number, SondeWireField *field)
{
  const ProtobufCFieldDescriptor *found = protobuf_c_message_descriptor_get_field (message, number);
  const ProtobufCMessageDescriptor *inner = NULL;

  if (found == NULL)
    return FALSE;
  if (found->type == PROTOBUF_C_TYPE_MESSAGE)
    inner = found->descriptor;
  *field = (SondeWireField){
    .name = found->name,
    .type = field_types[found->type].wire,
    .repeated = found->label == PROTOBUF_C_LABEL_REPEATED,
    .text = found->type == PROTOBUF_C_TYPE_STRING,
    .element_bytes = found->label == PROTOBUF_C_LABEL_REPEATED ? field_types[found->type].bytes : 0,
    .message = inner,
    .message_bytes = inner ? inner->sizeof_message : 0,
  };
  return TRUE;
}

/* ---- decoding ------------------------------------------------------------ */

/* What was not read is left out too; if not, it is read now. (transfer full) (nullable): in
 * @rest */
static gboolean
leave_out (SondeOnnxReader *reader, const guint8 *data, gsize length, GByteArray **rest,
           GError **error)
{
  *rest = sonde_onnx_large_leave_out (reader, data, length);
  if (reader->source == NULL || sonde_onnx_file_has_gaps_only_at (reader->source, reader->spans))
    return TRUE;

  g_clear_pointer (rest, g_byte_array_unref);
  g_clear_pointer (&reader->spans, g_array_unref);
  if (!sonde_onnx_file_fill (reader->source, error))
    return FALSE;
  *rest = sonde_onnx_large_leave_out (reader, data, length);
  return TRUE;
}

void *
sonde_onnx_decode (SondeOnnxReader *reader, const ProtobufCMessageDescriptor *descriptor,
                   const guint8 *data, gsize length, GError **error)
{
  g_autofree char *quoted = g_strdup_printf ("“%s”", reader->name);
  guint64 limit
      = MIN (SONDE_BUDGET_PARSE_BYTES, PARSE_BASE_BYTES + PARSE_BYTES_PER_BYTE * (guint64) length);
  const SondeWireSchema schema
      = { find_field, descriptor, descriptor->short_name, descriptor->sizeof_message };
  /* The main graph is the first one. */
  const SondeWireLimits limits = {
    .heap_bytes = limit,
    .counted_message = &onnx__graph_proto__descriptor,
    .counted_limit = SONDE_BUDGET_SUBGRAPHS + 1,
  };
  g_autoptr (GByteArray) rest = NULL;
  void *message = NULL;

  if (!sonde_wire_scan (data, length, &schema, quoted, &limits, NULL, error))
    return NULL;

  /* The scan's bound knows nothing of how malloc rounds; the budget is the wall behind it. */
  sonde_budget_init (&reader->parse, 2 * limit, reader->name);
  if (descriptor == &onnx__model_proto__descriptor
      && !leave_out (reader, data, length, &rest, error))
    return NULL;
  message = protobuf_c_message_unpack (descriptor, &reader->allocator, rest ? rest->len : length,
                                       rest ? rest->data : data);
  if (message != NULL && rest != NULL && !sonde_onnx_large_lend (reader, message))
    {
      sonde_onnx_free_message (reader, message);
      message = NULL;
    }
  if (message == NULL)
    sonde_onnx_fail (reader, error, SONDE_DATA_ERROR_DAMAGED,
                     "%s of %zu bytes cannot be decoded, or no memory is left for it",
                     descriptor->short_name, length);
  return message;
}

void
sonde_onnx_free_message (SondeOnnxReader *reader, void *message)
{
  if (message == NULL)
    return;
  if (reader->spans != NULL)
    sonde_onnx_large_take_back (reader, message);
  protobuf_c_message_free_unpacked (message, &reader->allocator);
}
