/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-umap.h"

#include <math.h>

#include "data/base/sonde-random.h"
#include "viewers/projection/sonde-affinities.h"
#include "viewers/projection/sonde-lanes.h"
#include "viewers/projection/sonde-umap-curve.h"
#include "viewers/projection/sonde-umap-spectrum.h"

#define N_BLOCKS 16 /* of points; even */
#define N_PAIRS (N_BLOCKS * N_BLOCKS)
#define PUSHES 5.0f /* a pull */
#define MOST_STEP 4.0f
#define SOFTENING 0.001f
#define SIDE 10.0f /* of the places at the beginning */
#define NOISE 1e-4
#define FEW 10000
#define STREAM_NOISE G_MAXUINT32

/* A link that pulls every @every epochs, next at @next; counts of pushes in @pushed. */
typedef struct
{
  guint32 from, to;
  float every, next, next_push;
} Pull;

/* @pulls: by pair of blocks, where pair a × N_BLOCKS + b has both directions for a < b;
 * @starts: [N_PAIRS + 1]; @before: places when the epoch began */
typedef struct
{
  gsize n;
  int dims, epoch, round;
  guint64 seed;
  float a, b, rate, *places, *before;
  Pull *pulls;
  gsize starts[N_PAIRS + 1];
} Game;

static void
game_clear (Game *game)
{
  g_free (game->before);
  g_free (game->pulls);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Game, game_clear)

SondeLinks *
sonde_umap_link (const SondePointTable *points, const SondeNearestTable *nearest, GError **error)
{
  g_autofree float *weights = g_try_new (float, nearest->n * nearest->k);

  if (weights == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for the links between %" PRIu64 " points",
                       (guint64) nearest->n);
      return NULL;
    }
  sonde_affinities_fit_neighbours (points, nearest, weights);
  return sonde_links_new (nearest, weights, SONDE_LINKS_UNION, error);
}

/* ---- moves --------------------------------------------------------------- */

static inline __attribute__ ((always_inline)) float
get_square (const float *x, const float *y, int dims)
{
  float square = 0;

  for (int k = 0; k < dims; k++)
    square += (x[k] - y[k]) * (x[k] - y[k]);
  return square;
}

static inline __attribute__ ((always_inline)) float
limit (float step)
{
  return CLAMP (step, -MOST_STEP, MOST_STEP);
}

static inline __attribute__ ((always_inline)) void
pull_together (const Game *game, float *x, float *y, int dims)
{
  float square = get_square (x, y, dims), power, strength;

  if (!(square > 0))
    return;
  power = game->a * powf (square, game->b);
  strength = -2 * game->b * power / (square * (power + 1));
  for (int k = 0; k < dims; k++)
    {
      float step = game->rate * limit (strength * (x[k] - y[k]));

      x[k] += step;
      y[k] -= step;
    }
}

static inline __attribute__ ((always_inline)) void
push_away (const Game *game, float *x, const float *y, int dims)
{
  float square = get_square (x, y, dims), strength;

  if (!(square > 0))
    return;
  strength = 2 * game->b / ((SOFTENING + square) * (game->a * powf (square, game->b) + 1));
  for (int k = 0; k < dims; k++)
    x[k] += game->rate * limit (strength * (x[k] - y[k]));
}

static inline __attribute__ ((always_inline)) void
play_pull (const Game *game, Pull *pull, gsize number, int dims)
{
  float *x = &game->places[pull->from * (gsize) dims], epoch = (float) game->epoch;
  guint64 bits = sonde_random_bits (game->seed, number, (guint64) game->epoch);
  int n_pushes = (int) ((epoch - pull->next_push) * PUSHES / pull->every);

  pull_together (game, x, &game->places[pull->to * (gsize) dims], dims);
  pull->next += pull->every;
  for (int push = 0; push < n_pushes; push++)
    {
      gsize other = (gsize) ((bits >> 32) * game->n >> 32);

      bits = sonde_random_mix (bits + 0x9e3779b97f4a7c15u);
      if (other != pull->from)
        push_away (game, x, &game->before[other * (gsize) dims], dims);
    }
  pull->next_push += (float) n_pushes * pull->every / PUSHES;
}

static inline __attribute__ ((always_inline)) void
play_pair_in (Game *game, int pair, int dims)
{
  for (gsize i = game->starts[pair]; i < game->starts[pair + 1]; i++)
    if (game->pulls[i].next <= (float) game->epoch)
      play_pull (game, &game->pulls[i], i, dims);
}

SONDE_LANES_CLONES static void
play_pair (Game *game, int pair)
{
  if (game->dims == 2)
    play_pair_in (game, pair, 2);
  else
    play_pair_in (game, pair, 3);
}

/* Round 0: each block in itself. Then as in a tournament: each block meets each other one once, and
 * in a round no block is in two pairs. */
static void
play_piece (void *context, gsize piece)
{
  Game *game = context;
  int turn = game->round - 1, seats = N_BLOCKS - 1, p = (int) piece, a = p, b = p;

  if (game->round > 0)
    {
      a = p == 0 ? seats : (turn + p) % seats;
      b = p == 0 ? turn : (turn + seats - p) % seats;
    }
  play_pair (game, MIN (a, b) * N_BLOCKS + MAX (a, b));
}

static void
play_epoch (Game *game, SondeWorkTeam *team)
{
  memcpy (game->before, game->places, game->n * (gsize) game->dims * sizeof (float));
  for (game->round = 0; game->round < N_BLOCKS; game->round++)
    sonde_work_team_run (team, game->round == 0 ? N_BLOCKS : N_BLOCKS / 2, play_piece, game);
}

/* ---- beginning ----------------------------------------------------------- */

static int
get_pair (guint32 from, guint32 to)
{
  int a = (int) (from % N_BLOCKS), b = (int) (to % N_BLOCKS);

  return MIN (a, b) * N_BLOCKS + MAX (a, b);
}

/* Links that would not be drawn once in all epochs are left out. */
static void
make_pulls (Game *game, const SondeLinks *links, int n_epochs)
{
  gsize at[N_PAIRS], n = links->starts[links->n];
  float most = 0;

  for (gsize e = 0; e < n; e++)
    most = MAX (most, links->weights[e]);
  for (int pass = 0; pass < 2; pass++)
    {
      for (guint32 i = 0; i < links->n; i++)
        for (gsize e = links->starts[i]; e < links->starts[i + 1]; e++)
          {
            int pair = get_pair (i, links->others[e]);
            float every = most / links->weights[e];

            if (every > (float) n_epochs)
              continue;
            if (pass == 0)
              game->starts[pair + 1]++;
            else
              game->pulls[at[pair]++] = (Pull){ i, links->others[e], every, every, every / PUSHES };
          }
      if (pass == 1)
        break;
      for (int pair = 0; pair < N_PAIRS; pair++)
        {
          game->starts[pair + 1] += game->starts[pair];
          at[pair] = game->starts[pair];
        }
      game->pulls = g_new (Pull, MAX (game->starts[N_PAIRS], 1));
    }
}

/* Into a square of SIDE, with a little noise against equal places. */
static void
spread_out (float *places, gsize n, int dims, guint64 seed)
{
  double most = 0;

  for (gsize i = 0; i < n * (gsize) dims; i++)
    most = fmax (most, fabs ((double) places[i]));
  for (gsize i = 0; i < n * (gsize) dims; i++)
    places[i] = (float) ((most > 0 ? (double) places[i] * (double) SIDE / most : 0)
                         + NOISE * sonde_random_normal (seed, STREAM_NOISE, i));
  for (int k = 0; k < dims; k++)
    {
      float low = INFINITY, high = -INFINITY;

      for (gsize i = (gsize) k; i < n * (gsize) dims; i += (gsize) dims)
        {
          low = MIN (low, places[i]);
          high = MAX (high, places[i]);
        }
      for (gsize i = (gsize) k; high > low && i < n * (gsize) dims; i += (gsize) dims)
        places[i] = SIDE * (places[i] - low) / (high - low);
    }
}

static gboolean
begin (const SondeLinks *links, int dims, guint64 seed, float *places, SondeWorkTeam *team,
       SondeProjectionWatch *watch, GError **error)
{
  if (links->n > (gsize) dims + 1 && sonde_links_is_connected (links)
      && !sonde_umap_find_spectrum (links, dims, places, team, watch, error))
    return FALSE;
  spread_out (places, links->n, dims, seed);
  return TRUE;
}

gboolean
sonde_umap_place (const SondeLinks *links, const SondeUmapSettings *settings, int dims,
                  float *places, SondeWorkTeam *team, SondeProjectionWatch *watch, GError **error)
{
  int n_epochs = settings->n_epochs > 0 ? settings->n_epochs : links->n <= FEW ? 500 : 200;
  g_auto (Game) game = { .n = links->n, .dims = dims, .seed = settings->seed, .places = places };
  double a, b;

  sonde_projection_watch_tell (watch, SONDE_PROJECTION_PLACES, 0);
  if (!begin (links, dims, settings->seed, places, team, watch, error))
    return FALSE;
  sonde_umap_fit_curve (settings->min_distance, &a, &b);
  game.a = (float) a;
  game.b = (float) b;
  game.before = g_new (float, links->n *(gsize) dims);
  make_pulls (&game, links, n_epochs);
  for (; game.epoch < n_epochs && (watch == NULL || !watch->cancelled); game.epoch++)
    {
      game.rate = 1 - (float) game.epoch / (float) n_epochs;
      play_epoch (&game, team);
      sonde_projection_watch_tell (watch, SONDE_PROJECTION_PLACES,
                                   (double) (game.epoch + 1) / n_epochs);
    }
  return sonde_projection_watch_goes_on (watch, error);
}
