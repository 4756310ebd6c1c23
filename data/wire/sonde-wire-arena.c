/* SPDX-License-Identifier: Apache-2.0
 * A bump allocator with a limit. */
#include "data/wire/sonde-wire-arena.h"

#define CHUNK_BYTES ((gsize) 4096)
#define KEEP_BYTES ((gsize) 256 << 10)
#define LARGE_BYTES ((gsize) 64 << 10)
#define ALIGNMENT 8

struct _SondeWireChunk
{
  SondeWireChunk *next;
  gsize bytes;
  _Alignas(16) guint8 data[];
};

static void
free_chunks (SondeWireChunk *chunk)
{
  while (chunk != NULL)
    {
      SondeWireChunk *next = chunk->next;

      g_free (chunk);
      chunk = next;
    }
}

static SondeWireChunk *
make_chunk (SondeWireArena *arena, gsize bytes, SondeWireChunk *next)
{
  SondeWireChunk *chunk = g_try_malloc (sizeof *chunk + bytes);

  arena->failed = chunk == NULL;
  if (chunk != NULL)
    *chunk = (SondeWireChunk){ next, bytes };
  return chunk;
}

/* What is large stands alone, behind the chunk that goes on being filled. */
static void *
take_alone (SondeWireArena *arena, gsize bytes)
{
  SondeWireChunk *chunk = make_chunk (arena, bytes, arena->chunk->next);

  if (chunk == NULL)
    return NULL;
  arena->chunk->next = chunk;
  return chunk->data;
}

/* Chunks grow, so that there are few of them. */
static void *
take (SondeWireArena *arena, gsize bytes)
{
  SondeWireChunk *last = arena->chunk;
  void *result;

  if (last == NULL || bytes > last->bytes - arena->used)
    {
      gsize more = last != NULL ? MIN (2 * last->bytes, KEEP_BYTES) : CHUNK_BYTES;
      SondeWireChunk *chunk = make_chunk (arena, MAX (bytes, more), last);

      if (chunk == NULL)
        return NULL;
      arena->chunk = chunk;
      arena->used = 0;
    }
  result = arena->chunk->data + arena->used;
  arena->used += bytes;
  return result;
}

void *
sonde_wire_arena_alloc (SondeWireArena *arena, gsize bytes)
{
  void *result;

  if (bytes > arena->limit - MIN (arena->taken, arena->limit))
    return NULL;
  bytes = (MAX (bytes, 1) + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);
  result = arena->chunk != NULL && bytes >= LARGE_BYTES ? take_alone (arena, bytes)
                                                        : take (arena, bytes);
  if (result != NULL)
    arena->taken += bytes;
  return result;
}

void
sonde_wire_arena_empty (SondeWireArena *arena)
{
  arena->used = 0;
  arena->taken = 0;
  arena->failed = FALSE;
  if (arena->chunk == NULL)
    return;
  free_chunks (g_steal_pointer (&arena->chunk->next));
  if (arena->chunk->bytes > KEEP_BYTES)
    g_free (g_steal_pointer (&arena->chunk));
}

void
sonde_wire_arena_clear (SondeWireArena *arena)
{
  free_chunks (g_steal_pointer (&arena->chunk));
  *arena = (SondeWireArena){ 0 };
}
