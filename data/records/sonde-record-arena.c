/* SPDX-License-Identifier: Apache-2.0
 * A bump allocator with a budget for protobuf-c. */
#include "data/records/sonde-record-arena-private.h"

#define CHUNK_BYTES ((gsize) 4096)
#define KEEP_BYTES ((gsize) 256 << 10)
#define ALIGNMENT 16

struct _SondeArenaChunk
{
  SondeArenaChunk *next;
  gsize bytes;
  _Alignas(ALIGNMENT) guint8 data[];
};

static void
free_chunks (SondeArenaChunk *chunk)
{
  while (chunk != NULL)
    {
      SondeArenaChunk *next = chunk->next;

      g_free (chunk);
      chunk = next;
    }
}

static void *
arena_alloc (void *data, size_t bytes)
{
  SondeRecordArena *arena = data;
  SondeArenaChunk *chunk = arena->chunk;
  void *result;

  if (bytes > arena->limit - arena->taken)
    return NULL;
  bytes = (MAX (bytes, 1) + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);
  if (chunk == NULL || bytes > chunk->bytes - arena->used)
    {
      gsize room = MAX (bytes, chunk != NULL ? MIN (chunk->bytes * 2, KEEP_BYTES) : CHUNK_BYTES);

      chunk = g_try_malloc (sizeof *chunk + room);
      if (chunk == NULL)
        {
          arena->failed = TRUE;
          return NULL;
        }
      chunk->bytes = room;
      chunk->next = arena->chunk;
      arena->chunk = chunk;
      arena->used = 0;
    }
  result = chunk->data + arena->used;
  arena->used += bytes;
  arena->taken += MIN (bytes, arena->limit - arena->taken);
  return result;
}

static void
arena_free (void *data, void *pointer)
{
}

ProtobufCAllocator
sonde_record_arena_begin (SondeRecordArena *arena, guint64 limit)
{
  arena->limit = limit;
  arena->taken = 0;
  arena->failed = FALSE;
  return (ProtobufCAllocator){ .alloc = arena_alloc, .free = arena_free, .allocator_data = arena };
}

void
sonde_record_arena_end (SondeRecordArena *arena)
{
  arena->used = 0;
  if (arena->chunk == NULL)
    return;
  free_chunks (g_steal_pointer (&arena->chunk->next));
  if (arena->chunk->bytes > KEEP_BYTES)
    g_free (g_steal_pointer (&arena->chunk));
}

void
sonde_record_arena_clear (SondeRecordArena *arena)
{
  free_chunks (g_steal_pointer (&arena->chunk));
  arena->used = 0;
}
