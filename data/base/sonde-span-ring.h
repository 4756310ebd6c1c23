/* SPDX-License-Identifier: Apache-2.0
 * Where one thread puts down what it did and when, while another may collect it: a ring of spans with
 * one producer and one consumer, which share no lock. What finds no room is counted and lost. */
#pragma once

#include <glib.h>

#include <stdatomic.h>

G_BEGIN_DECLS

/* Spans in a ring: 2 MiB, of which only what is used is ever touched. */
#define SONDE_SPAN_RING_LENGTH (1u << 16)

/* Numbers are those of records: never renumber. */
typedef enum
{
  SONDE_SPAN_STEP = 0,      /* a training step, or a run; @value: its number */
  SONDE_SPAN_SCOPE = 1,     /* a part of the program or of the graph */
  SONDE_SPAN_OP = 2,        /* a step of a plan */
  SONDE_SPAN_KERNEL = 3,    /* what a device ran for it, or a part of it on one of its threads */
  SONDE_SPAN_COPY = 4,      /* inputs and outputs on their way; @value: bytes */
  SONDE_SPAN_DATA = 5,      /* a stage of the data pipeline; @value: samples */
  SONDE_SPAN_WAIT = 6,      /* for a batch */
  SONDE_SPAN_RECORDING = 7, /* of values, checkpoints; @value: bytes, 0 where nobody counts */
  /* no spans: */
  SONDE_SPAN_COUNTER = 8, /* @number at the moment @start */
  SONDE_SPAN_STAGE = 9,   /* @value: ticks that a stage took between @start and @end, summed up */
  SONDE_SPAN_ALLOCATION
  = 10, /* memory taken or given back; @value: bytes, less than 0: given back */
  SONDE_SPAN_N_CATEGORIES,
} SondeSpanCategory;

static inline gboolean
sonde_span_category_is_span (guint32 category)
{
  return category < SONDE_SPAN_COUNTER || category == SONDE_SPAN_ALLOCATION;
}

/**
 * SondeSpan:
 * @start, @end: moments of sonde_ticks_now()
 * @label: of the log
 * @category: SondeSpanCategory
 */
typedef struct
{
  guint64 start, end;
  union
  {
    gint64 value;
    double number;
  };
  guint32 label;
  guint32 category;
} SondeSpan;

G_STATIC_ASSERT (sizeof (SondeSpan) == 32);

/**
 * SondeSpanRing:
 * @head: spans put down so far; @dropped: those that found no room; of the producer
 * @tail_seen: what the producer knows of @tail
 * @tail: spans taken away so far; of the consumer
 */
typedef struct
{
  SondeSpan *spans;
  guint64 mask;
  guint64 tail_seen;
  _Atomic guint64 head;
  _Atomic guint64 dropped;
  /* away from what the producer writes */
  _Alignas(64) _Atomic guint64 tail;
} SondeSpanRing;

/* @length: a power of two */
void sonde_span_ring_init (SondeSpanRing *ring, guint64 length);
void sonde_span_ring_clear (SondeSpanRing *ring);

/* The ring is full as far as the producer knows: looks again, and counts a loss if it still is. TRUE: there
 * is room. */
gboolean sonde_span_ring_look_again (SondeSpanRing *ring, guint64 head);

/* The producer alone; a few ns. */
static inline void
sonde_span_ring_add (SondeSpanRing *ring, SondeSpan span)
{
  guint64 head = atomic_load_explicit (&ring->head, memory_order_relaxed);

  if (G_UNLIKELY (head - ring->tail_seen > ring->mask) && !sonde_span_ring_look_again (ring, head))
    return;
  ring->spans[head & ring->mask] = span;
  atomic_store_explicit (&ring->head, head + 1, memory_order_release);
}

/* The consumer alone. How many wait; @first: the oldest of them, which with those behind it up to the end of
 * the memory makes the returned number: call again for the rest. */
gsize sonde_span_ring_peek (SondeSpanRing *ring, const SondeSpan **first);
/* @n spans were taken away. */
void sonde_span_ring_take (SondeSpanRing *ring, gsize n);

G_END_DECLS
