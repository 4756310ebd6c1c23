/* SPDX-License-Identifier: Apache-2.0
 * Sums are made of pieces that do not depend on the number of threads, in one order. */
#include "viewers/projection/sonde-tsne.h"

#include <math.h>

#include "viewers/projection/sonde-affinities.h"
#include "viewers/projection/sonde-lanes.h"
#include "viewers/projection/sonde-space-tree.h"

#define SPREAD 1e-4
#define EXAGGERATION 12
#define EXPLORING 250 /* iterations with exaggeration */
#define LOOK 50       /* iterations between looks at the divergence */
#define PATIENCE 300
#define LEAST_GRADIENT 1e-7
#define LEAST_GAIN 0.01f
#define LEAST_RATE 50
#define PIECE 256 /* points whose attraction is one piece of work */
#define GROUPS 16 /* of the tree, whose repulsion is one */

/* @pull, @push: [n, dims]; @sums: of q, a group; @logs: Σ p log q, a piece; @own: Σ p log p;
 * @divergence: at the last look; @n_done: of @n_all iterations */
typedef struct
{
  const SondeLinks *links;
  SondeSpaceTree *tree;
  int dims;
  gsize n, n_pull_pieces;
  float *places, *pull, *push, *velocity, *gains;
  float angle, rate;
  double *sums, *logs, own, divergence;
  gboolean looks;
  int n_done, n_all;
} Descent;

static void
descent_clear (Descent *descent)
{
  sonde_space_tree_free (descent->tree);
  g_free (descent->pull);
  g_free (descent->push);
  g_free (descent->velocity);
  g_free (descent->gains);
  g_free (descent->sums);
  g_free (descent->logs);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Descent, descent_clear)

gsize
sonde_tsne_count_neighbours (gsize n, double perplexity)
{
  return CLAMP ((gsize) (3 * perplexity + 1), 1, n - 1);
}

SondeLinks *
sonde_tsne_link (const SondeNearestTable *nearest, double perplexity, GError **error)
{
  g_autofree float *weights = g_try_new (float, nearest->n * nearest->k);
  SondeLinks *links;
  double sum;

  if (weights == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for the links between %" PRIu64 " points",
                       (guint64) nearest->n);
      return NULL;
    }
  sonde_affinities_fit_perplexity (nearest, perplexity, weights);
  links = sonde_links_new (nearest, weights, SONDE_LINKS_SUM, error);
  if (links == NULL)
    return NULL;
  sum = sonde_links_sum (links);
  for (gsize i = 0; i < links->starts[links->n]; i++)
    links->weights[i] = (float) ((double) links->weights[i] / sum);
  return links;
}

/* ---- forces -------------------------------------------------------------- */

/* Adds the pull of at most 16 links from entry @at on, on the point at @place. */
static inline __attribute__ ((always_inline)) void
pull_by (const Descent *descent, const float *place, gsize at, gsize n, int dims, SondeLanes *pull,
         float *distances)
{
  float others[3][SONDE_LANES], weights[SONDE_LANES] = { 0 };
  SondeLanes difference[3] = { 0 }, q = { 0 };

  for (gsize e = 0; e < SONDE_LANES; e++)
    {
      gsize entry = at + MIN (e, n - 1);

      weights[e] = e < n ? descent->links->weights[entry] : 0;
      for (int k = 0; k < dims; k++)
        others[k][e]
            = descent->places[(gsize) descent->links->others[entry] * (gsize) dims + (gsize) k];
    }
  q += 1;
  for (int k = 0; k < dims; k++)
    {
      SONDE_LANES_LOAD (difference[k], others[k]);
      difference[k] = place[k] - difference[k];
      q += difference[k] * difference[k];
    }
  SONDE_LANES_STORE (distances, q);
  SONDE_LANES_LOAD (q, weights);
  {
    SondeLanes squares;

    SONDE_LANES_LOAD (squares, distances);
    q /= squares;
  }
  for (int k = 0; k < dims; k++)
    pull[k] += q * difference[k];
}

/* Returns: Σ p log q of the point's links, when it is asked for. */
static inline __attribute__ ((always_inline)) double
pull_point (const Descent *descent, gsize i, int dims)
{
  const SondeLinks *links = descent->links;
  SondeLanes pull[3] = { { 0 } };
  float distances[SONDE_LANES];
  double logs = 0;

  for (gsize at = links->starts[i]; at < links->starts[i + 1]; at += SONDE_LANES)
    {
      gsize n = MIN (SONDE_LANES, links->starts[i + 1] - at);

      pull_by (descent, &descent->places[i * (gsize) dims], at, n, dims, pull, distances);
      for (gsize e = 0; descent->looks && e < n; e++)
        logs -= (double) links->weights[at + e] * log ((double) distances[e]);
    }
  for (int k = 0; k < dims; k++)
    {
      float sum = 0;

      for (int e = 0; e < SONDE_LANES; e++)
        sum += pull[k][e];
      descent->pull[i * (gsize) dims + (gsize) k] = sum;
    }
  return logs;
}

SONDE_LANES_CLONES static double
pull_points (const Descent *descent, gsize first, gsize end)
{
  double logs = 0;

  if (descent->dims == 2)
    for (gsize i = first; i < end; i++)
      logs += pull_point (descent, i, 2);
  else
    for (gsize i = first; i < end; i++)
      logs += pull_point (descent, i, 3);
  return logs;
}

static void
compute_piece (void *context, gsize piece)
{
  Descent *descent = context;
  gsize first;

  if (piece < descent->n_pull_pieces)
    {
      first = piece * PIECE;
      descent->logs[piece] = pull_points (descent, first, MIN (first + PIECE, descent->n));
      return;
    }
  first = (piece - descent->n_pull_pieces) * GROUPS;
  for (gsize g = first; g < MIN (first + GROUPS, descent->tree->n_groups); g++)
    descent->sums[g] = sonde_space_tree_repel (descent->tree, g, descent->angle, descent->push);
}

/* Returns: Σ q */
static double
compute_forces (Descent *descent, SondeWorkTeam *team)
{
  double sum = 0;

  sonde_space_tree_build (descent->tree, descent->places);
  sonde_work_team_run (team,
                       descent->n_pull_pieces + (descent->tree->n_groups + GROUPS - 1) / GROUPS,
                       compute_piece, descent);
  for (gsize g = 0; g < descent->tree->n_groups; g++)
    sum += descent->sums[g];
  return MAX (sum, G_MINDOUBLE);
}

/* ---- descent ------------------------------------------------------------- */

/* One step for all points. Returns: square of the gradient's length */
static double
move (Descent *descent, double sum, float momentum)
{
  double squares = 0;

  for (gsize i = 0; i < descent->n * (gsize) descent->dims; i++)
    {
      float gradient = 4 * (descent->pull[i] - descent->push[i] / (float) sum),
            gain = descent->gains[i];

      gain = descent->velocity[i] * gradient < 0 ? gain + 0.2f : gain * 0.8f;
      descent->gains[i] = MAX (gain, LEAST_GAIN);
      descent->velocity[i]
          = momentum * descent->velocity[i] - descent->rate * descent->gains[i] * gradient;
      descent->places[i] += descent->velocity[i];
      squares += (double) gradient * (double) gradient;
    }
  return squares;
}

static void
exaggerate (SondeLinks *links, float factor)
{
  for (gsize i = 0; i < links->starts[links->n]; i++)
    links->weights[i] *= factor;
}

static double
sum_own_logs (const SondeLinks *links)
{
  double sum = 0;

  for (gsize i = 0; i < links->starts[links->n]; i++)
    sum += (double) links->weights[i] * log ((double) links->weights[i]);
  return sum;
}

/* Σ p log (p / q): q here is the kernel over @sum, and Σ p is 1. */
static double
get_divergence (const Descent *descent, double sum)
{
  double logs = 0;

  for (gsize piece = 0; piece < descent->n_pull_pieces; piece++)
    logs += descent->logs[piece];
  return descent->own - logs + log (sum);
}

static void
descent_init (Descent *descent, const SondeLinks *links, const SondeTsneSettings *settings,
              int dims, float *places)
{
  gsize n = links->n, n_numbers = n * (gsize) dims;

  *descent = (Descent){ .links = links, .dims = dims, .n = n, .places = places };
  descent->n_pull_pieces = (n + PIECE - 1) / PIECE;
  descent->tree = sonde_space_tree_new (n, dims);
  descent->angle = (float) settings->angle;
  descent->rate = (float) fmax ((double) n / EXAGGERATION / 4, LEAST_RATE);
  descent->pull = g_new0 (float, n_numbers);
  descent->push = g_new0 (float, n_numbers);
  descent->velocity = g_new0 (float, n_numbers);
  descent->gains = g_new (float, n_numbers);
  descent->sums = g_new (double, n);
  descent->logs = g_new (double, descent->n_pull_pieces);
  descent->own = sum_own_logs (links);
  descent->divergence = NAN;
  descent->n_all = MAX (settings->n_iterations, 1);
}

/* From rest. */
static void
start (Descent *descent)
{
  for (gsize i = 0; i < descent->n * (gsize) descent->dims; i++)
    {
      descent->velocity[i] = 0;
      descent->gains[i] = 1;
    }
}

/* Returns: the gradient's length */
static double
iterate (Descent *descent, float momentum, SondeWorkTeam *team)
{
  double sum = compute_forces (descent, team);

  if (descent->looks)
    descent->divergence = get_divergence (descent, sum);
  descent->n_done++;
  return sqrt (move (descent, sum, momentum));
}

/* Goes on until @end, or until nothing is to be gained any more. */
static void
descend (Descent *descent, int end, float momentum, SondeWorkTeam *team,
         SondeProjectionWatch *watch)
{
  double best = INFINITY;
  int best_at = descent->n_done;

  start (descent);
  while (descent->n_done < end && (watch == NULL || !watch->cancelled))
    {
      double gradient;

      descent->looks = (descent->n_done + 1) % LOOK == 0 || descent->n_done + 1 == end;
      gradient = iterate (descent, momentum, team);
      sonde_projection_watch_tell (watch, SONDE_PROJECTION_PLACES,
                                   (double) descent->n_done / descent->n_all);
      if (!descent->looks)
        continue;
      if (descent->divergence < best)
        {
          best = descent->divergence;
          best_at = descent->n_done;
        }
      if (descent->n_done - best_at > PATIENCE || gradient <= LEAST_GRADIENT)
        return;
    }
}

/* To the spread wanted, of the first direction. */
static void
shrink (float *places, gsize n, int dims)
{
  double mean = 0, squares = 0;

  for (gsize i = 0; i < n; i++)
    mean += (double) places[i * (gsize) dims] / (double) n;
  for (gsize i = 0; i < n; i++)
    squares += pow ((double) places[i * (gsize) dims] - mean, 2) / (double) n;
  for (gsize i = 0; squares > 0 && i < n * (gsize) dims; i++)
    places[i] = (float) ((double) places[i] * SPREAD / sqrt (squares));
}

gboolean
sonde_tsne_place (SondeLinks *links, const SondeTsneSettings *settings, int dims, float *places,
                  double *divergence, int *n_done, SondeWorkTeam *team, SondeProjectionWatch *watch,
                  GError **error)
{
  g_auto (Descent) descent = { 0 };

  sonde_projection_watch_tell (watch, SONDE_PROJECTION_PLACES, 0);
  shrink (places, links->n, dims);
  descent_init (&descent, links, settings, dims, places);
  exaggerate (links, EXAGGERATION);
  /* The divergence of an exaggerated P is no more than a number that should fall. */
  descend (&descent, MIN (EXPLORING, descent.n_all), 0.5f, team, watch);
  exaggerate (links, 1.0f / EXAGGERATION);
  descend (&descent, descent.n_all, 0.8f, team, watch);
  *divergence = descent.divergence;
  *n_done = descent.n_done;
  return sonde_projection_watch_goes_on (watch, error);
}
