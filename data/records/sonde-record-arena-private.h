/* SPDX-License-Identifier: Apache-2.0
 * Memory of one decoding by protobuf-c: taken piece by piece up to a limit, given back at once. */
#pragma once

#include <glib.h>
#include <protobuf-c/protobuf-c.h>

G_BEGIN_DECLS

typedef struct _SondeArenaChunk SondeArenaChunk;

/* Zero-initialise. @limit: bytes that the next decoding may take. */
typedef struct
{
  SondeArenaChunk *chunk; /* the one that is filled, linked to the older ones */
  gsize used;             /* of @chunk */
  guint64 taken, limit;
  gboolean failed; /* the system refused memory that the limit allows */
} SondeRecordArena;

/* The allocator for protobuf_c_message_unpack(): NULL beyond the limit, freeing does nothing. */
ProtobufCAllocator sonde_record_arena_begin (SondeRecordArena *arena, guint64 limit);
/* All memory of the decoding is free again; a small chunk is kept for the next. */
void sonde_record_arena_end (SondeRecordArena *arena);
void sonde_record_arena_clear (SondeRecordArena *arena);

G_END_DECLS
