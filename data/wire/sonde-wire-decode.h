/* SPDX-License-Identifier: Apache-2.0
 * Protobuf bytes -> the structs that protoc-c makes of a .proto: the one way to read messages that
 * have a structure. In one pass it checks what protobuf-c's own reader does not (nesting, memory,
 * lengths, types on the wire) and fills the structs; bytes stay where they are and are lent.
 * What need not be in a .proto: fields that nobody reads are stepped over; a message that is read
 * later, or perhaps never, is declared as bytes and decoded then. What is so large that it must not
 * be in memory at once is walked with sonde-wire-cursor.h. */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "data/wire/sonde-wire-arena.h"
#include "data/wire/sonde-wire-cursor.h"

G_BEGIN_DECLS

/**
 * SondeWireLimits: zero-initialise; 0 means the default
 * @nesting: messages inside each other; default SONDE_BUDGET_NESTING
 * @memory: bytes that the message may take; default: the smaller of SONDE_BUDGET_PARSE_BYTES and
 *   64 MiB + 16 × the input
 * @counted: (nullable): a kind of message whose own nesting is limited besides, as graphs inside
 *   graphs; @counted_limit: to how many inside each other, the outermost message not counted
 */
typedef struct
{
  guint nesting;
  guint64 memory;
  const ProtobufCMessageDescriptor *counted;
  guint counted_limit;
} SondeWireLimits;

/**
 * sonde_wire_decode:
 * @descriptor: of the message; its .proto has no required fields and no groups
 * @bytes: (array length=length): hostile; at most 2 GiB
 * @name: (nullable): of the input for errors, as "“a.onnx”"
 * @limits: (nullable)
 * @arena: gets the memory of the message, beside what it holds already
 *
 * As protobuf says: of a field that comes twice the last one holds, messages that come twice are
 * merged (at most 64 times); lists come packed or not; unknown fields are stepped over. Texts
 * ("string") are copied and end with a NUL, one inside is an error; "bytes" are lent from @bytes,
 * NULL when empty. Whether a text is UTF-8 is not looked at.
 *
 * Returns: (transfer none): the message, valid while both @arena and @bytes are. It is not freed
 * with protobuf-c.
 * Errors: SONDE_DATA_ERROR_DAMAGED, LIMIT, NO_MEMORY; the message has @name, the field's path as
 * "ModelProto.graph.node[3].attribute[0]", and the byte offset in @bytes. What @arena was given for
 * it stays taken.
 */
void *sonde_wire_decode (const ProtobufCMessageDescriptor *descriptor, const guint8 *bytes,
                         gsize length, const char *name, const SondeWireLimits *limits,
                         SondeWireArena *arena, GError **error);

/* A message that is a field declared as bytes. */
static inline void *
sonde_wire_decode_field (const ProtobufCMessageDescriptor *descriptor, ProtobufCBinaryData field,
                         SondeWireArena *arena, GError **error)
{
  return sonde_wire_decode (descriptor, field.data, field.len, NULL, NULL, arena, error);
}

/* What the cursor found, as a field of a message is. */
static inline ProtobufCBinaryData
sonde_wire_item_field (const SondeWireItem *item)
{
  return (ProtobufCBinaryData){ item->length, (guint8 *) item->bytes };
}

/* A field of a message that says whether it has it. */
#define SONDE_WIRE_OR(message, field, fallback)                                                    \
  ((message)->has_##field ? (message)->field : (fallback))

/**
 * sonde_wire_decode_copy:
 *
 * As sonde_wire_decode(), of a copy of @bytes: for messages that outlive their bytes.
 * Returns: (transfer full): free with sonde_wire_free(), not with protobuf-c
 */
void *sonde_wire_decode_copy (const ProtobufCMessageDescriptor *descriptor, const guint8 *bytes,
                              gsize length, const char *name, const SondeWireLimits *limits,
                              GError **error);
void sonde_wire_free (void *message); /* (nullable) */

/* Would sonde_wire_decode() have it? Takes no memory, so it says nothing about that limit, nor
 * about packed numbers of more than 64 bits. */
gboolean sonde_wire_check (const ProtobufCMessageDescriptor *descriptor, const guint8 *bytes,
                           gsize length, const char *name, const SondeWireLimits *limits,
                           GError **error);

G_END_DECLS
