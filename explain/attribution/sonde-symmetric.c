/* SPDX-License-Identifier: Apache-2.0
 * Cholesky, and where that ends in nothing, Jacobi's rotations. */
#include "explain/attribution/sonde-symmetric.h"

#include <math.h>
#include <string.h>

#define SMALLEST_PIVOT 1e-11 /* of the largest diagonal entry */
#define SMALLEST_VALUE 1e-11 /* of the largest eigenvalue: below it is nothing */
#define MOST_SWEEPS 60

/* In place, lower triangle. FALSE: a pivot is too small. */
static gboolean
factorise (double *a, gint64 n, double least)
{
  for (gint64 j = 0; j < n; j++)
    {
      double *row = a + j * n, pivot = row[j];

      for (gint64 k = 0; k < j; k++)
        pivot -= row[k] * row[k];
      if (!(pivot > least))
        return FALSE;
      row[j] = sqrt (pivot);
      for (gint64 i = j + 1; i < n; i++)
        {
          double *other = a + i * n, sum = other[j];

          for (gint64 k = 0; k < j; k++)
            sum -= other[k] * row[k];
          other[j] = sum / row[j];
        }
    }
  return TRUE;
}

/* One rotation that makes a[p, q] zero. @v: its columns become eigenvectors */
static void
rotate (double *a, double *v, gint64 n, gint64 p, gint64 q)
{
  double theta = (a[q * n + q] - a[p * n + p]) / (2.0 * a[p * n + q]);
  double t = copysign (1.0, theta) / (fabs (theta) + sqrt (theta * theta + 1.0));
  double c = 1.0 / sqrt (t * t + 1.0), s = t * c;

  for (gint64 k = 0; k < n; k++)
    {
      double x = a[k * n + p], y = a[k * n + q];

      a[k * n + p] = c * x - s * y;
      a[k * n + q] = s * x + c * y;
    }
  for (gint64 k = 0; k < n; k++)
    {
      double x = a[p * n + k], y = a[q * n + k];

      a[p * n + k] = c * x - s * y;
      a[q * n + k] = s * x + c * y;
      x = v[k * n + p];
      y = v[k * n + q];
      v[k * n + p] = c * x - s * y;
      v[k * n + q] = s * x + c * y;
    }
}

static double
off_diagonal (const double *a, gint64 n)
{
  double sum = 0.0;

  for (gint64 i = 0; i < n; i++)
    for (gint64 j = 0; j < i; j++)
      sum += a[i * n + j] * a[i * n + j];
  return sum;
}

/* A⁺ of @a, which is used up. */
static double *
invert (double *a, gint64 n)
{
  g_autofree double *v = g_new0 (double, n *n);
  double *inverse = g_new0 (double, n *n), largest = 0.0, all = off_diagonal (a, n);

  for (gint64 i = 0; i < n; i++)
    {
      v[i * n + i] = 1.0;
      all += a[i * n + i] * a[i * n + i];
    }
  for (int sweep = 0; sweep < MOST_SWEEPS && off_diagonal (a, n) > 1e-30 * all; sweep++)
    for (gint64 p = 0; p < n; p++)
      for (gint64 q = p + 1; q < n; q++)
        if (a[p * n + q] != 0.0)
          rotate (a, v, n, p, q);
  for (gint64 i = 0; i < n; i++)
    largest = fmax (largest, a[i * n + i]);
  for (gint64 k = 0; k < n; k++)
    if (a[k * n + k] > SMALLEST_VALUE * largest)
      for (gint64 i = 0; i < n; i++)
        for (gint64 j = 0; j < n; j++)
          inverse[i * n + j] += v[i * n + k] * v[j * n + k] / a[k * n + k];
  return inverse;
}

void
sonde_symmetric_init (SondeSymmetric *symmetric, double *matrix, gint64 n)
{
  double largest = 0.0;

  symmetric->n = n;
  for (gint64 i = 0; i < n; i++)
    largest = fmax (largest, matrix[i * n + i]);
  symmetric->factor = g_memdup2 (matrix, sizeof (double) * (gsize) (n * n));
  symmetric->singular = n > 0 && !factorise (symmetric->factor, n, SMALLEST_PIVOT * largest);
  if (symmetric->singular)
    {
      g_free (symmetric->factor);
      symmetric->factor = invert (matrix, n);
    }
  g_free (matrix);
}

void
sonde_symmetric_clear (SondeSymmetric *symmetric)
{
  g_clear_pointer (&symmetric->factor, g_free);
}

void
sonde_symmetric_solve (const SondeSymmetric *symmetric, const double *right, double *x)
{
  gint64 n = symmetric->n;
  const double *l = symmetric->factor;
  g_autofree double *y = g_new0 (double, MAX (n, 1));

  for (gint64 i = 0; symmetric->singular && i < n; i++)
    for (gint64 k = 0; k < n; k++)
      y[i] += l[i * n + k] * right[k];
  for (gint64 i = 0; !symmetric->singular && i < n; i++)
    {
      y[i] = right[i];
      for (gint64 k = 0; k < i; k++)
        y[i] -= l[i * n + k] * y[k];
      y[i] /= l[i * n + i];
    }
  for (gint64 i = n; !symmetric->singular && i > 0; i--)
    {
      for (gint64 k = i; k < n; k++)
        y[i - 1] -= l[k * n + i - 1] * y[k];
      y[i - 1] /= l[(i - 1) * n + i - 1];
    }
  memcpy (x, y, sizeof (double) * (gsize) n);
}
