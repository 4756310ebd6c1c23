/* SPDX-License-Identifier: Apache-2.0 */
#include "data/base/sonde-span-ring.h"

void
sonde_span_ring_init (SondeSpanRing *ring, guint64 length)
{
  g_assert (length > 0 && (length & (length - 1)) == 0);
  /* The system gives pages of zeros when they are touched. */
  ring->spans = g_new0 (SondeSpan, length);
  ring->mask = length - 1;
  ring->tail_seen = 0;
  atomic_init (&ring->head, 0);
  atomic_init (&ring->dropped, 0);
  atomic_init (&ring->tail, 0);
}

void
sonde_span_ring_clear (SondeSpanRing *ring)
{
  g_clear_pointer (&ring->spans, g_free);
}

gboolean
sonde_span_ring_look_again (SondeSpanRing *ring, guint64 head)
{
  ring->tail_seen = atomic_load_explicit (&ring->tail, memory_order_acquire);
  if (head - ring->tail_seen <= ring->mask)
    return TRUE;
  /* Nobody else writes it: no need for an addition that is atomic as a whole. */
  atomic_store_explicit (&ring->dropped,
                         atomic_load_explicit (&ring->dropped, memory_order_relaxed) + 1,
                         memory_order_relaxed);
  return FALSE;
}

gsize
sonde_span_ring_peek (SondeSpanRing *ring, const SondeSpan **first)
{
  guint64 tail = atomic_load_explicit (&ring->tail, memory_order_relaxed);
  guint64 n = atomic_load_explicit (&ring->head, memory_order_acquire) - tail;

  *first = &ring->spans[tail & ring->mask];
  return MIN (n, ring->mask + 1 - (tail & ring->mask));
}

void
sonde_span_ring_take (SondeSpanRing *ring, gsize n)
{
  guint64 tail = atomic_load_explicit (&ring->tail, memory_order_relaxed);

  /* Release: what was read is read before the producer writes there again. */
  atomic_store_explicit (&ring->tail, tail + n, memory_order_release);
}
