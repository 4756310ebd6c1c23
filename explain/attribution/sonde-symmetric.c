/* SPDX-License-Identifier: Apache-2.0
 * Cholesky, and where that ends in nothing, the eigenvectors. */
#include "explain/attribution/sonde-symmetric.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-lapack.h"

#define SMALLEST_PIVOT 1e-11 /* of the largest diagonal entry */
#define SMALLEST_VALUE 1e-11 /* of the largest eigenvalue: below it is nothing */

/* @a: used up */
static gboolean
find_eigenvectors (SondeSymmetric *symmetric, double *a, GError **error)
{
  gint64 n = symmetric->n;

  symmetric->singular = TRUE;
  symmetric->values = g_new (double, n);
  if (!sonde_lapack_find_eigenvectors (a, n, n, symmetric->values, symmetric->factor, error))
    return FALSE;
  while (symmetric->rank < n
         && symmetric->values[symmetric->rank] > SMALLEST_VALUE * symmetric->values[0])
    symmetric->rank++;
  return TRUE;
}

gboolean
sonde_symmetric_init (SondeSymmetric *symmetric, double *matrix, gint64 n, GError **error)
{
  g_autofree double *a = matrix;
  double largest = 0.0;
  gboolean regular;

  *symmetric = (SondeSymmetric){ .n = n };
  for (gint64 i = 0; i < n; i++)
    largest = fmax (largest, a[i * n + i]);
  symmetric->factor = g_memdup2 (a, sizeof (double) * (gsize) (n * n));
  if (!sonde_lapack_factorise (symmetric->factor, n, SMALLEST_PIVOT * largest, &regular, error))
    return FALSE;
  return regular || find_eigenvectors (symmetric, a, error);
}

void
sonde_symmetric_clear (SondeSymmetric *symmetric)
{
  g_clear_pointer (&symmetric->factor, g_free);
  g_clear_pointer (&symmetric->values, g_free);
}

/* x = Σ (v·b / λ) v. @right and @x are apart. */
static void
solve_singular (const SondeSymmetric *symmetric, const double *right, double *x)
{
  gint64 n = symmetric->n;

  memset (x, 0, sizeof (double) * (gsize) n);
  for (gint64 k = 0; k < symmetric->rank; k++)
    {
      const double *v = symmetric->factor + k * n;
      double part = 0.0;

      for (gint64 i = 0; i < n; i++)
        part += v[i] * right[i];
      part /= symmetric->values[k];
      for (gint64 i = 0; i < n; i++)
        x[i] += part * v[i];
    }
}

void
sonde_symmetric_solve (const SondeSymmetric *symmetric, const double *right, double *x)
{
  gsize size = sizeof (double) * (gsize) symmetric->n;
  g_autofree double *copy = symmetric->singular ? g_memdup2 (right, size) : NULL;

  if (symmetric->singular)
    solve_singular (symmetric, copy, x);
  else if (symmetric->n > 0)
    {
      memmove (x, right, size);
      sonde_lapack_solve (symmetric->factor, symmetric->n, x);
    }
}
