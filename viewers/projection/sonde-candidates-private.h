/* SPDX-License-Identifier: Apache-2.0
 * The k nearest of what was offered: a heap with the farthest of them on top. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  float square;
  guint32 other;
} SondeCandidate;

static inline gboolean
sonde_candidate_is_farther (SondeCandidate a, SondeCandidate b)
{
  return a.square > b.square || (a.square == b.square && a.other > b.other);
}

/* @heap: [k], full. The farthest gives way to @new, which is nearer. */
static inline void
sonde_candidates_replace (SondeCandidate *heap, gsize k, SondeCandidate new)
{
  gsize at = 0;

  for (gsize child = 1; child < k; child = 2 * at + 1)
    {
      if (child + 1 < k && sonde_candidate_is_farther (heap[child + 1], heap[child]))
        child++;
      if (!sonde_candidate_is_farther (heap[child], new))
        break;
      heap[at] = heap[child];
      at = child;
    }
  heap[at] = new;
}

/* For qsort(): the nearest first. */
int sonde_candidates_compare (const void *a, const void *b);

G_END_DECLS
