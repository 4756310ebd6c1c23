/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-umap-spectrum.h"

#include <math.h>

#include "data/base/sonde-lapack.h"
#include "data/base/sonde-random.h"
#include "viewers/projection/sonde-lanes.h"

#define MOST_STEPS 300
#define MOST_ENTRIES 60000000u /* of the basis: 240 MB */
#define LOOK 25                /* steps between looks at the residual */
#define RESIDUAL 1e-4
#define PIECE 4096 /* entries */
#define SEED 3

/* @basis: [n_steps + 2, n]: the eigenvector that is known, then Lanczos' vectors; @roots: [n]: of the
 * points' sums of weights, inverse; @parts: [n_steps + 2]: of the next vector along each
 * @alpha, @beta: of the tridiagonal matrix */
typedef struct
{
  const SondeLinks *links;
  gsize n, n_basis, n_steps;
  float *basis, *next;
  double *roots, *parts, *alpha, *beta;
} Lanczos;

static void
lanczos_clear (Lanczos *lanczos)
{
  g_free (lanczos->basis);
  g_free (lanczos->next);
  g_free (lanczos->roots);
  g_free (lanczos->parts);
  g_free (lanczos->alpha);
  g_free (lanczos->beta);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Lanczos, lanczos_clear)

static float *
get_vector (const Lanczos *lanczos, gsize i)
{
  return &lanczos->basis[i * lanczos->n];
}

/* Blocks of floats, their sums as doubles. */
SONDE_LANES_CLONES static double
get_product (const float *x, const float *y, gsize n)
{
  double sum = 0;

  for (gsize at = 0; at < n; at += 1024)
    {
      SondeLanes lanes = { 0 }, a, b;
      gsize end = MIN (at + 1024, n), i = at;

      for (; i + SONDE_LANES <= end; i += SONDE_LANES)
        {
          SONDE_LANES_LOAD (a, &x[i]);
          SONDE_LANES_LOAD (b, &y[i]);
          lanes += a * b;
        }
      for (; i < end; i++)
        sum += (double) x[i] * (double) y[i];
      for (int k = 0; k < SONDE_LANES; k++)
        sum += (double) lanes[k];
    }
  return sum;
}

static void
multiply_piece (void *context, gsize piece)
{
  Lanczos *lanczos = context;
  const SondeLinks *links = lanczos->links;
  const float *x = get_vector (lanczos, lanczos->n_basis - 1);

  for (gsize i = piece * PIECE; i < MIN ((piece + 1) * PIECE, lanczos->n); i++)
    {
      double sum = 0;

      for (gsize e = links->starts[i]; e < links->starts[i + 1]; e++)
        sum += (double) links->weights[e] * lanczos->roots[links->others[e]]
               * (double) x[links->others[e]];
      lanczos->next[i] = (float) (sum * lanczos->roots[i]);
    }
}

static void
measure_part (void *context, gsize piece)
{
  Lanczos *lanczos = context;

  lanczos->parts[piece] = get_product (get_vector (lanczos, piece), lanczos->next, lanczos->n);
}

static void
subtract_piece (void *context, gsize piece)
{
  Lanczos *lanczos = context;
  gsize first = piece * PIECE, end = MIN (first + PIECE, lanczos->n);

  for (gsize v = 0; v < lanczos->n_basis; v++)
    {
      const float *vector = get_vector (lanczos, v), part = (float) lanczos->parts[v];

      for (gsize i = first; i < end; i++)
        lanczos->next[i] -= part * vector[i];
    }
}

/* What of the next vector lies along those there are is taken away. */
static void
orthogonalise (Lanczos *lanczos, SondeWorkTeam *team)
{
  sonde_work_team_run (team, lanczos->n_basis, measure_part, lanczos);
  sonde_work_team_run (team, (lanczos->n + PIECE - 1) / PIECE, subtract_piece, lanczos);
}

/* The next vector, of length 1, becomes one of the basis. Returns: its length before */
static double
append (Lanczos *lanczos)
{
  double length = sqrt (get_product (lanczos->next, lanczos->next, lanczos->n));
  float *vector = get_vector (lanczos, lanczos->n_basis++);

  for (gsize i = 0; i < lanczos->n; i++)
    vector[i] = length > 0 ? (float) ((double) lanczos->next[i] / length) : 0;
  return length;
}

static gboolean
lanczos_init (Lanczos *lanczos, const SondeLinks *links, SondeWorkTeam *team, GError **error)
{
  gsize n = links->n;

  lanczos->links = links;
  lanczos->n = n;
  lanczos->n_steps = CLAMP (MOST_ENTRIES / n, 20, MIN (MOST_STEPS, n - 1));
  lanczos->basis = g_try_new (float, (lanczos->n_steps + 2) * n);
  if (lanczos->basis == NULL)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                       "there is no memory for eigenvectors of %" PRIu64 " points", (guint64) n);
      return FALSE;
    }
  lanczos->next = g_new (float, n);
  lanczos->roots = g_new0 (double, n);
  lanczos->parts = g_new (double, lanczos->n_steps + 2);
  lanczos->alpha = g_new0 (double, lanczos->n_steps + 1);
  lanczos->beta = g_new0 (double, lanczos->n_steps + 1);
  for (gsize i = 0; i < n; i++)
    {
      for (gsize e = links->starts[i]; e < links->starts[i + 1]; e++)
        lanczos->roots[i] += (double) links->weights[e];
      lanczos->next[i] = (float) sqrt (lanczos->roots[i]);
      lanczos->roots[i] = 1 / sqrt (lanczos->roots[i]);
    }
  append (lanczos);
  for (gsize i = 0; i < n; i++)
    lanczos->next[i] = (float) sonde_random_normal (SEED, 0, i);
  orthogonalise (lanczos, team);
  append (lanczos);
  return TRUE;
}

/* Eigenvectors of the tridiagonal matrix so far; @converged: (out): whether they are good enough */
static gboolean
solve (const Lanczos *lanczos, gsize n_steps, int dims, double *vectors, gboolean *converged,
       GError **error)
{
  g_autofree double *a = g_new0 (double, n_steps *n_steps), *values = g_new (double, n_steps);

  for (gsize i = 0; i < n_steps; i++)
    {
      a[i * n_steps + i] = lanczos->alpha[i];
      if (i > 0)
        a[i * n_steps + i - 1] = lanczos->beta[i - 1];
    }
  if (!sonde_lapack_find_eigenvectors (a, (gint64) n_steps, dims, values, vectors, error))
    return FALSE;
  *converged = TRUE;
  for (int v = 0; v < dims; v++)
    *converged = *converged
                 && fabs (lanczos->beta[n_steps - 1] * vectors[(gsize) v * n_steps + n_steps - 1])
                        <= RESIDUAL;
  return TRUE;
}

static void
combine (const Lanczos *lanczos, gsize n_steps, int dims, const double *vectors, float *places)
{
  g_autofree double *sums = g_new0 (double, lanczos->n);

  for (int v = 0; v < dims; v++)
    {
      memset (sums, 0, lanczos->n * sizeof *sums);
      for (gsize s = 0; s < n_steps; s++)
        for (gsize i = 0; i < lanczos->n; i++)
          sums[i] += vectors[(gsize) v * n_steps + s] * (double) get_vector (lanczos, s + 1)[i];
      for (gsize i = 0; i < lanczos->n; i++)
        places[i * (gsize) dims + (gsize) v] = (float) sums[i];
    }
}

gboolean
sonde_umap_find_spectrum (const SondeLinks *links, int dims, float *places, SondeWorkTeam *team,
                          SondeProjectionWatch *watch, GError **error)
{
  g_auto (Lanczos) lanczos = { 0 };
  g_autofree double *vectors = NULL;
  gboolean converged = FALSE;
  gsize step = 0;

  g_return_val_if_fail (links->n > (gsize) dims + 1, FALSE);
  if (!lanczos_init (&lanczos, links, team, error))
    return FALSE;
  vectors = g_new (double, (gsize) dims *lanczos.n_steps);
  while (!converged && step < lanczos.n_steps)
    {
      if (!sonde_projection_watch_goes_on (watch, error))
        return FALSE;
      sonde_work_team_run (team, (lanczos.n + PIECE - 1) / PIECE, multiply_piece, &lanczos);
      orthogonalise (&lanczos, team);
      lanczos.alpha[step] = lanczos.parts[lanczos.n_basis - 1];
      lanczos.beta[step] = step + 1 < lanczos.n_steps ? append (&lanczos) : 0;
      step++;
      if ((step % LOOK == 0 || step == lanczos.n_steps) && step >= (gsize) dims
          && !solve (&lanczos, step, dims, vectors, &converged, error))
        return FALSE;
    }
  combine (&lanczos, step, dims, vectors, places);
  return TRUE;
}
