/* SPDX-License-Identifier: Apache-2.0
 * Threads find pairs for a batch of meetings with the heaps as they were, then each offers all of
 * them, in order, to the points of its own share. */
#include "viewers/projection/sonde-nearest-descent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "data/base/sonde-random.h"
#include "viewers/projection/sonde-candidates-private.h"

#define N_TREES 8
#define LEAF 48        /* points of a tree's leaf at most */
#define MOST_HALVES 64 /* depth of a tree; equal points are cut anywhere */
#define MOST_ROUNDS 12
#define SAMPLE 24    /* neighbours of a point that meet, of new ones and of old ones */
#define ENOUGH 0.001 /* changed entries of all */
#define BATCH 4096   /* meetings */
#define N_SHARES 64  /* of points */
#define SEED 17

typedef struct
{
  guint32 a, b;
  float square;
} Pair;

/* @new: [n, k]: entries that have not met yet; @met: [n, 2, SAMPLE] with @n_met: [n, 2]: who meets, new
 * and old; @order: [n]: of a tree; @starts: (element-type gsize): of its leaves
 * @pairs: [BATCH] (element-type Pair) */
typedef struct
{
  const SondePointTable *points;
  gsize n, k, batch, n_meetings;
  SondeCandidate *heaps;
  guint8 *new;
  guint32 *met, *order;
  guint16 *n_met;
  GArray *starts, **pairs;
  gboolean of_leaves;
  _Atomic gsize n_changed;
} Search;

static void
search_clear (Search *search)
{
  g_free (search->heaps);
  g_free (search->new);
  g_free (search->met);
  g_free (search->n_met);
  g_free (search->order);
  g_clear_pointer (&search->starts, g_array_unref);
  for (gsize i = 0; search->pairs != NULL && i < BATCH; i++)
    g_array_unref (search->pairs[i]);
  g_free (search->pairs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Search, search_clear)

static gboolean
search_init (Search *search, GError **error)
{
  gsize n = search->n, k = search->k;

  search->heaps = g_try_new (SondeCandidate, n * k);
  search->new = g_try_new0 (guint8, n * k);
  search->met = g_try_new (guint32, n * 2 * SAMPLE);
  search->n_met = g_try_new0 (guint16, n * 2);
  search->order = g_try_new (guint32, n);
  search->starts = g_array_new (FALSE, FALSE, sizeof (gsize));
  if (search->heaps == NULL || search->new == NULL || search->met == NULL || search->n_met == NULL
      || search->order == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for %" PRIu64 " neighbours of each of %" PRIu64
                       " points",
                       (guint64) k, (guint64) n);
      return FALSE;
    }
  search->pairs = g_new (GArray *, BATCH);
  for (gsize i = 0; i < BATCH; i++)
    search->pairs[i] = g_array_new (FALSE, FALSE, sizeof (Pair));
  for (gsize i = 0; i < n * k; i++)
    search->heaps[i] = (SondeCandidate){ INFINITY, G_MAXUINT32 };
  return TRUE;
}

/* ---- meetings ------------------------------------------------------------ */

static void
try_pair (const Search *search, GArray *pairs, guint32 a, guint32 b)
{
  Pair pair = { a, b, 0 };

  if (a == b)
    return;
  pair.square = sonde_point_table_square (search->points, a, b);
  if (pair.square < search->heaps[a * search->k].square
      || pair.square < search->heaps[b * search->k].square)
    g_array_append_val (pairs, pair);
}

/* All points of a leaf meet; or the new neighbours of a point each other and the old ones. */
static void
hold_meeting (void *context, gsize piece)
{
  Search *search = context;
  gsize meeting = search->batch * BATCH + piece, n_new, n_old = 0;
  const guint32 *new, *old = NULL;
  GArray *pairs = search->pairs[piece];

  g_array_set_size (pairs, 0);
  if (search->of_leaves)
    {
      const gsize *starts = &g_array_index (search->starts, gsize, meeting);

      new = &search->order[starts[0]];
      n_new = starts[1] - starts[0];
    }
  else
    {
      new = &search->met[meeting * 2 * SAMPLE];
      old = new + SAMPLE;
      n_new = search->n_met[2 * meeting];
      n_old = search->n_met[2 * meeting + 1];
    }
  for (gsize i = 0; i < n_new; i++)
    {
      for (gsize j = i + 1; j < n_new; j++)
        try_pair (search, pairs, new[i], new[j]);
      for (gsize j = 0; j < n_old; j++)
        try_pair (search, pairs, new[i], old[j]);
    }
}

/* The heap of a point with its flags: the flag moves with its entry. */
static void
replace_farthest (Search *search, guint32 point, SondeCandidate candidate)
{
  SondeCandidate *heap = &search->heaps[point * search->k];
  guint8 *new = &search->new[point * search->k];
  gsize at = 0, k = search->k;

  for (gsize child = 1; child < k; child = 2 * at + 1)
    {
      if (child + 1 < k && sonde_candidate_is_farther (heap[child + 1], heap[child]))
        child++;
      if (!sonde_candidate_is_farther (heap[child], candidate))
        break;
      heap[at] = heap[child];
      new[at] = new[child];
      at = child;
    }
  heap[at] = candidate;
  new[at] = TRUE;
}

static gboolean
offer (Search *search, guint32 point, SondeCandidate candidate)
{
  const SondeCandidate *heap = &search->heaps[point * search->k];

  if (!sonde_candidate_is_farther (heap[0], candidate))
    return FALSE;
  for (gsize i = 0; i < search->k; i++)
    if (heap[i].other == candidate.other)
      return FALSE;
  replace_farthest (search, point, candidate);
  return TRUE;
}

static void
offer_share (void *context, gsize share)
{
  Search *search = context;
  gsize n_pieces = MIN (BATCH, search->n_meetings - search->batch * BATCH), n_changed = 0;

  for (gsize piece = 0; piece < n_pieces; piece++)
    for (guint i = 0; i < search->pairs[piece]->len; i++)
      {
        Pair pair = g_array_index (search->pairs[piece], Pair, i);

        if (pair.a % N_SHARES == share)
          n_changed += offer (search, pair.a, (SondeCandidate){ pair.square, pair.b });
        if (pair.b % N_SHARES == share)
          n_changed += offer (search, pair.b, (SondeCandidate){ pair.square, pair.a });
      }
  search->n_changed += n_changed;
}

/* Returns: FALSE when cancelled */
static gboolean
hold_meetings (Search *search, gsize n_meetings, SondeWorkTeam *team,
               const SondeProjectionWatch *watch, GError **error)
{
  search->n_meetings = n_meetings;
  search->n_changed = 0;
  for (search->batch = 0; search->batch * BATCH < n_meetings; search->batch++)
    {
      if (!sonde_projection_watch_goes_on (watch, error))
        return FALSE;
      sonde_work_team_run (team, MIN (BATCH, n_meetings - search->batch * BATCH), hold_meeting,
                           search);
      sonde_work_team_run (team, N_SHARES, offer_share, search);
    }
  return TRUE;
}

/* ---- trees --------------------------------------------------------------- */

/* Where @row lies between rows @a and @b: positive nearer to @b. */
static double
get_side (const SondePointTable *points, guint32 row, guint32 a, guint32 b)
{
  return (double) sonde_point_table_square (points, row, a)
         - (double) sonde_point_table_square (points, row, b);
}

/* The range of @order is cut in two, by which of two random points is nearer. Returns: where */
static gsize
cut (Search *search, gsize first, gsize end, guint64 bits)
{
  guint32 *order = search->order;
  guint32 a = order[first + (bits >> 32) % (end - first)],
          b = order[first + (bits & G_MAXUINT32) % (end - first)];
  gsize low = first, high = end;

  while (low < high)
    if (get_side (search->points, order[low], a, b) > 0)
      {
        guint32 other = order[--high];

        order[high] = order[low];
        order[low] = other;
      }
    else
      low++;
  /* All on one side: equal points. */
  return low == first || low == end ? (first + end) / 2 : low;
}

static void
grow (Search *search, gsize first, gsize end, int depth, guint64 bits)
{
  gsize middle;

  if (end - first <= LEAF || depth == MOST_HALVES)
    {
      /* Leaves that are too large are many equal points: a part of them will do. */
      for (gsize at = first; at < end; at += LEAF)
        g_array_append_val (search->starts, at);
      return;
    }
  bits = sonde_random_mix (bits + 0x9e3779b97f4a7c15u);
  middle = cut (search, first, end, bits);
  grow (search, first, middle, depth + 1, sonde_random_mix (bits ^ 1));
  grow (search, middle, end, depth + 1, sonde_random_mix (bits ^ 2));
}

static gboolean
plant (Search *search, guint tree, SondeWorkTeam *team, SondeProjectionWatch *watch, GError **error)
{
  g_array_set_size (search->starts, 0);
  for (gsize i = 0; i < search->n; i++)
    search->order[i] = (guint32) i;
  grow (search, 0, search->n, 0, sonde_random_bits (SEED, 0, tree));
  g_array_append_val (search->starts, search->n);
  search->of_leaves = TRUE;
  return hold_meetings (search, search->starts->len - 1, team, watch, error);
}

/* ---- neighbours of neighbours --------------------------------------------- */

static void
invite (Search *search, guint32 host, guint32 guest, gboolean old)
{
  guint16 *n = &search->n_met[2 * host + old];
  guint32 *guests = &search->met[(2 * (gsize) host + old) * SAMPLE];

  for (guint16 i = 0; i < *n; i++)
    if (guests[i] == guest)
      return;
  if (*n < SAMPLE)
    guests[(*n)++] = guest;
}

/* Each point invites its neighbours and who has it as one, as far as there is room; the order in which
 * points are asked differs by round. New ones that come are no longer new. */
static void
send_invitations (Search *search, int round)
{
  gsize k = search->k, begin = (gsize) sonde_random_bits (SEED, 1, (guint64) round) % search->n;

  memset (search->n_met, 0, search->n * 2 * sizeof *search->n_met);
  for (gsize at = 0; at < search->n; at++)
    {
      guint32 i = (guint32) ((begin + at) % search->n);

      for (gsize j = 0; j < k; j++)
        {
          guint32 other = search->heaps[i * k + j].other;
          guint8 *new = &search->new[i * k + j];

          if (other == G_MAXUINT32 || (*new && search->n_met[2 * i] == SAMPLE))
            continue;
          invite (search, i, other, !*new);
          invite (search, other, i, !*new);
          *new = FALSE;
        }
    }
}

static SondeNearestTable *
make_table (Search *search, GError **error)
{
  g_autoptr (SondeNearestTable) table = sonde_nearest_table_alloc (search->n, search->k, error);

  if (table == NULL)
    return NULL;
  table->approximate = TRUE;
  for (gsize i = 0; i < search->n; i++)
    {
      SondeCandidate *heap = &search->heaps[i * search->k];

      qsort (heap, search->k, sizeof *heap, sonde_candidates_compare);
      for (gsize j = 0; j < search->k; j++)
        {
          /* Too few were met: neighbours in the list, which are some points, too. */
          guint32 other
              = heap[j].other < search->n ? heap[j].other : (guint32) ((i + 1 + j) % search->n);

          table->others[i * search->k + j] = other;
          table->squares[i * search->k + j] = sonde_point_table_square (search->points, i, other);
        }
    }
  return g_steal_pointer (&table);
}

SondeNearestTable *
sonde_nearest_table_descend (const SondePointTable *points, gsize k, SondeWorkTeam *team,
                             SondeProjectionWatch *watch, GError **error)
{
  g_auto (Search) search = { .points = points, .n = points->n, .k = k };
  gsize least = (gsize) (ENOUGH * (double) points->n * (double) k);

  if (!search_init (&search, error))
    return NULL;
  for (guint tree = 0; tree < N_TREES; tree++)
    {
      sonde_projection_watch_tell (watch, SONDE_PROJECTION_NEIGHBOURS, 0.5 * tree / N_TREES);
      if (!plant (&search, tree, team, watch, error))
        return NULL;
    }
  search.of_leaves = FALSE;
  search.n_changed = G_MAXSIZE;
  for (int round = 0; round < MOST_ROUNDS && search.n_changed > least; round++)
    {
      sonde_projection_watch_tell (watch, SONDE_PROJECTION_NEIGHBOURS,
                                   0.5 + 0.5 * round / MOST_ROUNDS);
      send_invitations (&search, round);
      if (!hold_meetings (&search, search.n, team, watch, error))
        return NULL;
    }
  return make_table (&search, error);
}
