/* SPDX-License-Identifier: Apache-2.0
 * Memory of decoded messages: taken piece by piece up to a limit, given back at once. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _SondeWireChunk SondeWireChunk;

/**
 * SondeWireArena: zero-initialise
 * @limit: bytes that may be taken until the arena is emptied; set by whoever takes
 * @failed: the system refused memory that the limit allows
 */
typedef struct
{
  SondeWireChunk *chunk; /* the one that is filled, linked to the older ones */
  gsize used;            /* of @chunk */
  guint64 taken, limit;
  gboolean failed;
} SondeWireArena;

/* Not cleared, aligned for pointers and numbers, valid until the arena is emptied. NULL beyond the
 * limit, or with @failed. */
void *sonde_wire_arena_alloc (SondeWireArena *arena, gsize bytes);

/* All that was taken is free again; a small chunk is kept for what comes next. */
void sonde_wire_arena_empty (SondeWireArena *arena);
void sonde_wire_arena_clear (SondeWireArena *arena);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (SondeWireArena, sonde_wire_arena_clear)

G_END_DECLS
