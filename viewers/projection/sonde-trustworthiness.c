/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-trustworthiness.h"

#include <math.h>

#include "viewers/projection/sonde-candidates-private.h"

#define K SONDE_TRUSTED_NEIGHBOURS

/* @losses: [n_asked]: of each row asked */
typedef struct
{
  const SondePointTable *points;
  const float *places;
  int dims;
  gsize n_asked;
  double *losses;
} Inquiry;

/* The K others that are nearest to @row in the picture. */
static void
find_shown (const Inquiry *inquiry, gsize row, SondeCandidate heap[K])
{
  gsize dims = (gsize) inquiry->dims;

  for (int i = 0; i < K; i++)
    heap[i] = (SondeCandidate){ INFINITY, G_MAXUINT32 };
  for (gsize j = 0; j < inquiry->points->n; j++)
    {
      SondeCandidate other = { 0, (guint32) j };

      for (gsize k = 0; k < dims; k++)
        {
          float step = inquiry->places[row * dims + k] - inquiry->places[j * dims + k];

          other.square += step * step;
        }
      if (j != row && sonde_candidate_is_farther (heap[0], other))
        sonde_candidates_replace (heap, K, other);
    }
}

static void
ask_row (void *context, gsize piece)
{
  const Inquiry *inquiry = context;
  gsize n = inquiry->points->n, row = piece * n / inquiry->n_asked;
  SondeCandidate shown[K];
  gsize ranks[K] = { 0 };

  find_shown (inquiry, row, shown);
  for (int i = 0; i < K; i++)
    shown[i].square = sonde_point_table_square (inquiry->points, row, shown[i].other);
  for (gsize j = 0; j < n; j++)
    {
      SondeCandidate other = { sonde_point_table_square (inquiry->points, row, j), (guint32) j };

      for (int i = 0; i < K; i++)
        ranks[i] += j != row && !sonde_candidate_is_farther (other, shown[i]);
    }
  inquiry->losses[piece] = 0;
  for (int i = 0; i < K; i++)
    inquiry->losses[piece] += ranks[i] > K ? (double) (ranks[i] - K) : 0;
}

double
sonde_trustworthiness_measure (const SondePointTable *points, const float *places, int dims,
                               gsize n_asked, SondeWorkTeam *team)
{
  g_autofree double *losses = g_new (double, MAX (n_asked, 1));
  Inquiry inquiry = { points, places, dims, MIN (n_asked, points->n), losses };
  double sum = 0, n = (double) points->n;

  if (points->n <= 2 * K || inquiry.n_asked == 0)
    return NAN;
  sonde_work_team_run (team, inquiry.n_asked, ask_row, &inquiry);
  for (gsize i = 0; i < inquiry.n_asked; i++)
    sum += losses[i];
  return 1 - sum * 2 / ((double) inquiry.n_asked * K * (2 * n - 3 * K - 1));
}
