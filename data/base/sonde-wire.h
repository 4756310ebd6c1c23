/* SPDX-License-Identifier: Apache-2.0
 * A look at protobuf bytes before protobuf-c sees them: it has no limit of its own for nesting,
 * memory or repeated merging. One iterative pass without allocation; knows no message, asks a
 * schema. What does not live here: decoding. Records, model files and session frames bring their
 * schemas. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Numbers are protobuf's. */
typedef enum
{
  SONDE_WIRE_VARINT = 0,
  SONDE_WIRE_FIXED64 = 1,
  SONDE_WIRE_BYTES = 2, /* strings, bytes, messages */
  SONDE_WIRE_FIXED32 = 5,
} SondeWireType;

/**
 * SondeWireField: what a schema says about one field
 * @name: for messages; lent, static
 * @type: wire type of one element
 * @repeated: several elements are expected; those of VARINT and FIXED may come packed
 * @element_bytes: memory the decoder takes for one element besides the bytes of its content: size
 *   of a number or of a pointer or of a length and pointer
 * @text: decoded to a C string: a NUL byte in it is an error, what is behind it would be overlooked
 * @message: (nullable): the schema's key of the message inside; NULL when it holds no message
 * @message_bytes: size of that message's struct
 */
typedef struct
{
  const char *name;
  SondeWireType type;
  gboolean repeated;
  gboolean text;
  gsize element_bytes;
  const void *message;
  gsize message_bytes;
} SondeWireField;

/**
 * SondeWireSchema:
 * @find_field: required; fills @field for field @number of the message with key @message; FALSE
 *   when the message has no such field (it is stepped over and counted as unknown)
 * @root: key of the outermost message; @root_name: its name for errors; @root_bytes: its struct
 *
 * With protobuf-c the key is a ProtobufCMessageDescriptor, and @find_field a call of
 * protobuf_c_message_descriptor_get_field(): no table has to be kept in step with the .proto.
 */
typedef struct
{
  gboolean (*find_field) (const void *message, guint32 number, SondeWireField *field);
  const void *root;
  const char *root_name;
  gsize root_bytes;
} SondeWireSchema;

/**
 * SondeWireLimits: zero-initialise; 0 means the default
 * @nesting: messages inside each other; default SONDE_BUDGET_NESTING
 * @heap_bytes: memory the decoded message may take; default: the smaller of
 *   SONDE_BUDGET_PARSE_BYTES and 64 MiB + 16 × the input
 * @counted_message: (nullable): key of a message whose own nesting is limited besides, as graphs
 *   inside graphs; @counted_limit: to how many inside each other
 */
typedef struct
{
  guint nesting;
  guint64 heap_bytes;
  const void *counted_message;
  guint counted_limit;
} SondeWireLimits;

/**
 * sonde_wire_scan:
 * @name: of the input for errors, as "“a.onnx”" or "record at byte 1234"
 * @limits: (nullable)
 * @heap_bytes: (out) (optional): upper bound of the decoder's memory, its bookkeeping included
 *
 * Walks all bytes and checks: varints of at most 10 bytes without overflow, field numbers, lengths
 * inside their parent, wire types of known fields (packed and unpacked), whole packed elements, no
 * groups, nesting, memory, at most 64 singular submessages in one message (a decoder merges each
 * with the ones before, which is quadratic). Inputs of 2 GiB and more are refused.
 *
 * Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT; the message has @name, the field path as
 * "Record.tensor.dims" or "ModelProto.graph.node[3].attribute[0]", and the byte offset in @data.
 */
gboolean sonde_wire_scan (const guint8 *data, gsize length, const SondeWireSchema *schema,
                          const char *name, const SondeWireLimits *limits, guint64 *heap_bytes,
                          GError **error);

G_END_DECLS
