/* SPDX-License-Identifier: Apache-2.0
 * A piece of work is a block of rows against all others, which stand in panels of 16 columns. */
#include "viewers/projection/sonde-nearest-search.h"

#include <math.h>
#include <stdlib.h>

#include "viewers/projection/sonde-candidates-private.h"
#include "viewers/projection/sonde-lanes.h"
#include "viewers/projection/sonde-nearest-descent.h"

#define GROUP 6   /* rows whose sums stay in registers */
#define BLOCK 96  /* rows of a piece: some hundred kB that stay in the second cache */
#define DEPTH 256 /* dimensions at a time: a panel's share stays in the first cache */
#define MARGIN 8  /* more candidates than are wanted: rounding of products may hide some */

/* @panels: [⌈n / 16⌉, d, 16]; missing columns are zeros */
typedef struct
{
  const SondePointTable *points;
  SondeNearestTable *table;
  SondeProjectionWatch *watch;
  gsize kept; /* candidates of a row */
  float *panels;
  _Atomic gsize done; /* pieces */
} Search;

static gboolean
make_panels (Search *search, GError **error)
{
  const SondePointTable *points = search->points;
  gsize n_panels = (points->n + SONDE_LANES - 1) / SONDE_LANES, d = points->d;

  search->panels = g_try_new0 (float, n_panels *d *SONDE_LANES);
  if (search->panels == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for a copy of the points");
      return FALSE;
    }
  for (gsize i = 0; i < points->n; i++)
    for (gsize k = 0; k < d; k++)
      search->panels[(i / SONDE_LANES * d + k) * SONDE_LANES + i % SONDE_LANES]
          = points->values[i * d + k];
  return TRUE;
}

/* Products of GROUP rows with a panel are added to @sums, over @depth dimensions. */
SONDE_LANES_CLONES static void
add_products (const float *rows, gsize stride, const float *panel, gsize depth, float *sums)
{
  SondeLanes sum[GROUP], column;

  for (int r = 0; r < GROUP; r++)
    SONDE_LANES_LOAD (sum[r], sums + r * SONDE_LANES);
  for (gsize k = 0; k < depth; k++)
    {
      SONDE_LANES_LOAD (column, panel + k * SONDE_LANES);
      for (int r = 0; r < GROUP; r++)
        sum[r] += rows[(gsize) r * stride + k] * column;
    }
  for (int r = 0; r < GROUP; r++)
    SONDE_LANES_STORE (sums + r * SONDE_LANES, sum[r]);
}

/* Candidates of row @row among the columns of a panel; @sums: its products with them */
static void
offer (const Search *search, gsize row, gsize column, const float *sums, SondeCandidate *heap)
{
  const SondePointTable *points = search->points;
  gsize n = MIN (SONDE_LANES, points->n - column);

  for (gsize j = 0; j < n; j++)
    {
      SondeCandidate new = { points->squares[row] + points->squares[column + j] - 2 * sums[j],
                             (guint32) (column + j) };

      if (sonde_candidate_is_farther (heap[0], new) && column + j != row)
        sonde_candidates_replace (heap, search->kept, new);
    }
}

/* @n: rows of the block, padded to whole groups; @heaps: [n, kept] */
static void
search_panel (const Search *search, gsize first, gsize n, const float *rows, gsize column,
              SondeCandidate *heaps)
{
  gsize d = search->points->d;
  const float *panel = &search->panels[column * d];
  float sums[BLOCK * SONDE_LANES] = { 0 };

  for (gsize at = 0; at < d; at += DEPTH)
    for (gsize r = 0; r < n; r += GROUP)
      add_products (&rows[r * d + at], d, &panel[at * SONDE_LANES], MIN (DEPTH, d - at),
                    &sums[r * SONDE_LANES]);
  for (gsize r = 0; r < n; r++)
    offer (search, first + r, column, &sums[r * SONDE_LANES], &heaps[r * search->kept]);
}

/* The nearest of the candidates become a row of the table. */
static void
finish_row (const Search *search, gsize row, SondeCandidate *heap)
{
  SondeNearestTable *table = search->table;

  for (gsize j = 0; j < search->kept; j++)
    if (isfinite (heap[j].square))
      heap[j].square = sonde_point_table_square (search->points, row, heap[j].other);
  qsort (heap, search->kept, sizeof *heap, sonde_candidates_compare);
  for (gsize j = 0; j < table->k; j++)
    {
      table->others[row * table->k + j] = heap[j].other;
      table->squares[row * table->k + j] = heap[j].square;
    }
}

static void
search_block (void *context, gsize piece)
{
  Search *search = context;
  const SondePointTable *points = search->points;
  gsize first = piece * BLOCK, n = MIN (BLOCK, points->n - first), d = points->d;
  g_autofree float *rows = g_new0 (float, BLOCK *d);
  g_autofree SondeCandidate *heaps = g_new (SondeCandidate, BLOCK * search->kept);

  memcpy (rows, &points->values[first * d], n * d * sizeof *rows);
  for (gsize i = 0; i < BLOCK * search->kept; i++)
    heaps[i] = (SondeCandidate){ INFINITY, G_MAXUINT32 };
  for (gsize column = 0; column < points->n; column += SONDE_LANES)
    if (search->watch == NULL || !search->watch->cancelled)
      search_panel (search, first, n, rows, column, heaps);
  for (gsize r = 0; r < n; r++)
    finish_row (search, first + r, &heaps[r * search->kept]);
  search->done++;
  sonde_projection_watch_tell (search->watch, SONDE_PROJECTION_NEIGHBOURS,
                               (double) (search->done * BLOCK) / (double) points->n);
}

static SondeNearestTable *
compare_all (const SondePointTable *points, gsize k, SondeWorkTeam *team,
             SondeProjectionWatch *watch, GError **error)
{
  g_autoptr (SondeNearestTable) table = sonde_nearest_table_alloc (points->n, k, error);
  Search search = {
    .points = points, .table = table, .watch = watch, .kept = MIN (k + MARGIN, points->n - 1)
  };

  if (table == NULL || !make_panels (&search, error))
    return NULL;
  sonde_work_team_run (team, (points->n + BLOCK - 1) / BLOCK, search_block, &search);
  g_free (search.panels);
  return sonde_projection_watch_goes_on (watch, error) ? g_steal_pointer (&table) : NULL;
}

SondeNearestTable *
sonde_nearest_search (const SondePointTable *points, gsize k, SondeWorkTeam *team,
                      SondeProjectionWatch *watch, GError **error)
{
  g_return_val_if_fail (k >= 1 && k < points->n, NULL);
  sonde_projection_watch_tell (watch, SONDE_PROJECTION_NEIGHBOURS, 0);
  if (points->n <= SONDE_NEAREST_EXACT_ROWS)
    return compare_all (points, k, team, watch, error);
  return sonde_nearest_table_descend (points, k, team, watch, error);
}
