/* SPDX-License-Identifier: Apache-2.0
 * A tree over the steps, each node half of the one above it. A node knows which bytes are taken in
 * any of its steps, and which are taken by boxes that cover all of them; a few dozen nodes together
 * then know what is taken in any range of steps. Bytes are kept as spans that do not touch, and as
 * boxes are placed tightly there are few of them. */
#include "engine/plan/sonde-arena.h"

#include <string.h>

#define SPANS_AT_MOST                                                                              \
  512 /* looked at for one box: gaps that nobody fills would else make this quadratic */
#define LISTS_AT_MOST (4 * 33) /* four nodes a level */

typedef struct
{
  gsize begin, end;
} Span;

/* By address, with room between any two. */
typedef struct
{
  Span *spans;
  guint n, allocated;
} Spans;

struct _SondeArena
{
  guint n_leaves;
  Spans *any; /* by node, the root is 1: taken in one step of it at least */
  Spans *all; /* taken from its first to its last step by one box */
};

/* What is taken in the steps of a box: the lists of some nodes, each read up to a place. */
typedef struct
{
  const Spans *lists[LISTS_AT_MOST];
  guint at[LISTS_AT_MOST];
  guint n;
} Taken;

SondeArena *
sonde_arena_new (guint n_steps)
{
  SondeArena *arena = g_new0 (SondeArena, 1);

  for (arena->n_leaves = 1; arena->n_leaves < n_steps;)
    arena->n_leaves *= 2;
  arena->any = g_new0 (Spans, (gsize) arena->n_leaves * 2);
  arena->all = g_new0 (Spans, (gsize) arena->n_leaves * 2);
  return arena;
}

void
sonde_arena_free (SondeArena *arena)
{
  if (arena == NULL)
    return;

  for (gsize i = 0; i < (gsize) arena->n_leaves * 2; i++)
    {
      g_free (arena->any[i].spans);
      g_free (arena->all[i].spans);
    }
  g_free (arena->any);
  g_free (arena->all);
  g_free (arena);
}

/* ---- spans --------------------------------------------------------------- */

/* The first span that ends at @address or behind it. */
static guint
find_span (const Spans *list, gsize address)
{
  guint low = 0, high = list->n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (list->spans[middle].end < address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
add_span (Spans *list, gsize begin, gsize end)
{
  guint from = find_span (list, begin), to = from;

  for (; to < list->n && list->spans[to].begin <= end; to++)
    {
      begin = MIN (begin, list->spans[to].begin);
      end = MAX (end, list->spans[to].end);
    }

  if (list->n + 1 > list->allocated)
    {
      list->allocated = MAX (4, list->allocated * 2);
      list->spans = g_renew (Span, list->spans, list->allocated);
    }
  memmove (list->spans + from + 1, list->spans + to, (list->n - to) * sizeof (Span));
  list->spans[from] = (Span){ begin, end };
  list->n = list->n - (to - from) + 1;
}

/* ---- the tree ------------------------------------------------------------ */

/* Node @index stands for @n steps from @begin. */
static void
take (SondeArena *arena, guint index, guint begin, guint n, const SondeArenaBox *box)
{
  if (box->last < begin || box->first >= begin + n)
    return;

  add_span (&arena->any[index], box->offset, box->offset + box->bytes);
  if (box->first <= begin && begin + n - 1 <= box->last)
    {
      add_span (&arena->all[index], box->offset, box->offset + box->bytes);
      return;
    }
  take (arena, 2 * index, begin, n / 2, box);
  take (arena, 2 * index + 1, begin + n / 2, n / 2, box);
}

static void
gather (const SondeArena *arena, guint index, guint begin, guint n, const SondeArenaBox *box,
        Taken *taken)
{
  gboolean covered = box->first <= begin && begin + n - 1 <= box->last;
  const Spans *list = covered ? &arena->any[index] : &arena->all[index];

  if (box->last < begin || box->first >= begin + n || arena->any[index].n == 0)
    return;

  if (list->n > 0)
    {
      taken->lists[taken->n] = list;
      taken->at[taken->n++] = 0;
    }
  if (covered)
    return;
  gather (arena, 2 * index, begin, n / 2, box, taken);
  gather (arena, 2 * index + 1, begin + n / 2, n / 2, box, taken);
}

/* ---- placing ------------------------------------------------------------- */

/* The lowest span that ends behind @address. */
static const Span *
next_span (Taken *taken, gsize address)
{
  const Span *lowest = NULL;

  for (guint i = 0; i < taken->n; i++)
    {
      const Spans *list = taken->lists[i];

      while (taken->at[i] < list->n && list->spans[taken->at[i]].end <= address)
        taken->at[i]++;
      if (taken->at[i] < list->n
          && (lowest == NULL || list->spans[taken->at[i]].begin < lowest->begin))
        lowest = &list->spans[taken->at[i]];
    }
  return lowest;
}

static gsize
find_end (const Taken *taken)
{
  gsize end = 0;

  for (guint i = 0; i < taken->n; i++)
    end = MAX (end, taken->lists[i]->spans[taken->lists[i]->n - 1].end);
  return end;
}

static gsize
find_gap (Taken *taken, gsize bytes)
{
  gsize end = 0, best = 0, best_size = G_MAXSIZE;
  const Span *span;

  for (guint looked = 0; looked < SPANS_AT_MOST && (span = next_span (taken, end)) != NULL;
       looked++)
    {
      if (span->begin >= end + bytes && span->begin - end < best_size)
        {
          best = end;
          best_size = span->begin - end;
        }
      end = MAX (end, span->end);
    }

  return best_size != G_MAXSIZE ? best : find_end (taken);
}

void
sonde_arena_place (SondeArena *arena, SondeArenaBox *box)
{
  Taken taken = { .n = 0 };

  gather (arena, 1, 0, arena->n_leaves, box, &taken);
  box->offset = find_gap (&taken, box->bytes);
  take (arena, 1, 0, arena->n_leaves, box);
}

/* ---- overwriting --------------------------------------------------------- */

/* Bytes and the step that writes them next. */
typedef struct
{
  gsize begin, end;
  guint writer;
} Written;

static int
compare_ends (gconstpointer a, gconstpointer b, gpointer user_data G_GNUC_UNUSED)
{
  const Written *x = a, *y = b;

  return x->end < y->end ? -1 : x->end > y->end;
}

static void
add_written (GTree *tree, gsize begin, gsize end, guint writer)
{
  Written piece = { begin, end, writer };
  Written *key = g_memdup2 (&piece, sizeof piece);

  if (begin < end)
    g_tree_replace (tree, key, key);
  else
    g_free (key);
}

/* Puts @box over what is written later. Returns: the first of those steps; G_MAXUINT: none */
static guint
write_before (GTree *tree, const SondeArenaBox *box)
{
  const Written reach = { .end = box->offset };
  gsize end = box->offset + box->bytes;
  guint next = G_MAXUINT;

  for (;;)
    {
      GTreeNode *node = g_tree_upper_bound (tree, &reach);
      Written piece;

      if (node == NULL)
        break;
      piece = *(const Written *) g_tree_node_key (node);
      if (piece.begin >= end)
        break;

      next = MIN (next, piece.writer);
      g_tree_remove (tree, &piece);
      add_written (tree, piece.begin, box->offset, piece.writer);
      add_written (tree, end, piece.end, piece.writer);
    }

  add_written (tree, box->offset, end, box->first);
  return next;
}

static int
compare_later (gconstpointer a, gconstpointer b)
{
  const SondeArenaBox *x = a, *y = b;

  return x->first > y->first ? -1 : x->first < y->first;
}

void
sonde_arena_find_overwrites (GArray *boxes, guint *gone)
{
  g_autoptr (GTree) tree = g_tree_new_full (compare_ends, NULL, g_free, NULL);

  g_array_sort (boxes, compare_later);
  for (guint i = 0; i < boxes->len; i++)
    {
      const SondeArenaBox *box = &g_array_index (boxes, SondeArenaBox, i);
      guint next = write_before (tree, box);

      gone[box->slot] = MIN (gone[box->slot], next);
    }
}
