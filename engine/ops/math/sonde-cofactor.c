/* SPDX-License-Identifier: Apache-2.0
 * Cofactors of a square matrix, which are the derivatives of its determinant. With complete
 * pivoting A = Pᵀ·L·U·Qᵀ they are those of U, times L⁻¹; nothing is divided by the last pivot, so
 * singular matrices have theirs, too. */
#include "engine/ops/math/sonde-cofactor.h"

#include <math.h>
#include <string.h>

/**
 * Factors: of one matrix
 * @lu: n × n, L below the diagonal (its own is ones)
 * @rows, @columns: what stands where after the exchanges
 */
typedef struct
{
  gint64 n;
  double *lu;
  gint64 *rows, *columns;
  double sign;
} Factors;

static void
exchange (Factors *f, gint64 k, gint64 row, gint64 column)
{
  gint64 n = f->n, kept;

  for (gint64 i = 0; i < n && row != k; i++)
    {
      double value = f->lu[k * n + i];

      f->lu[k * n + i] = f->lu[row * n + i];
      f->lu[row * n + i] = value;
    }
  for (gint64 i = 0; i < n && column != k; i++)
    {
      double value = f->lu[i * n + k];

      f->lu[i * n + k] = f->lu[i * n + column];
      f->lu[i * n + column] = value;
    }
  f->sign *= (row != k) != (column != k) ? -1 : 1;
  kept = f->rows[k], f->rows[k] = f->rows[row], f->rows[row] = kept;
  kept = f->columns[k], f->columns[k] = f->columns[column], f->columns[column] = kept;
}

static void
factorise (Factors *f)
{
  gint64 n = f->n;
  double *a = f->lu;

  for (gint64 k = 0; k < n; k++)
    {
      gint64 best = k * n + k;

      for (gint64 i = k; i < n; i++)
        for (gint64 j = k; j < n; j++)
          if (fabs (a[i * n + j]) > fabs (a[best]))
            best = i * n + j;
      exchange (f, k, best / n, best % n);
      for (gint64 i = k + 1; i < n && a[k * n + k] != 0; i++)
        {
          double factor = a[i * n + k] /= a[k * n + k];

          for (gint64 j = k + 1; j < n; j++)
            a[i * n + j] -= factor * a[k * n + j];
        }
    }
}

/* Column @c of the adjugate of U to @x (with stride n): Π·[[d·U₁⁻¹, −U₁⁻¹·u], [0, 1]] where U =
 * [[U₁, u], [0, d]] and Π is the product of U₁'s pivots. */
static void
adjugate_column (const Factors *f, gint64 c, double product, double *x)
{
  gint64 n = f->n, last = n - 1;
  double scale = c == last ? product : product * f->lu[n * n - 1];

  for (gint64 i = 0; i < n; i++)
    x[i * n] = c == last ? (i == last ? product : -scale * f->lu[i * n + last])
               : i == c  ? scale
                         : 0;
  for (gint64 i = last - 1; i >= 0; i--)
    {
      for (gint64 j = i + 1; j < last; j++)
        x[i * n] -= f->lu[i * n + j] * x[j * n];
      x[i * n] /= f->lu[i * n + i];
    }
}

void
sonde_cofactor_compute (const double *matrix, gint64 n, double *cofactors)
{
  g_autofree double *lu = g_new (double, n *n + 1), *adjugate = g_new (double, n *n + 1);
  g_autofree gint64 *rows = g_new (gint64, n + 1), *columns = g_new (gint64, n + 1);
  Factors f = { n, lu, rows, columns, 1 };
  double product = 1;

  memcpy (lu, matrix, (gsize) (n * n) * sizeof *lu);
  memset (cofactors, 0, (gsize) (n * n) * sizeof *cofactors);
  for (gint64 i = 0; i < n; i++)
    rows[i] = columns[i] = i;
  factorise (&f);
  for (gint64 k = 0; k < n - 1; k++)
    product *= lu[k * n + k];
  /* two dimensions or more are missing: all minors are zero */
  if (n == 0 || product == 0)
    return;
  for (gint64 c = 0; c < n; c++)
    adjugate_column (&f, c, product, adjugate + c);
  for (gint64 i = 0; i < n; i++)
    for (gint64 j = n - 1; j >= 0; j--)
      {
        for (gint64 k = j + 1; k < n; k++)
          adjugate[i * n + j] -= adjugate[i * n + k] * lu[k * n + j];
        cofactors[rows[j] * n + columns[i]] = f.sign * adjugate[i * n + j];
      }
}
