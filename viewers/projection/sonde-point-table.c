/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/projection/sonde-point-table.h"

#include <math.h>

#include "data/base/sonde-checked.h"
#include "data/base/sonde-error.h"
#include "viewers/projection/sonde-lanes.h"

static gboolean
fail (GError **error)
{
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID,
                   "the points are not a table with a finite row");
  return FALSE;
}

static gboolean
is_table (const SondeTensor *points)
{
  return points != NULL && points->shape.rank == 2 && points->dtype != SONDE_DTYPE_STRING
         && points->shape.dims[0] >= 1 && points->shape.dims[1] >= 1;
}

static gboolean
allocate (SondePointTable *table, gsize n, gsize d, GError **error)
{
  gsize entries;

  if (n > G_MAXINT32)
    {
      sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_LIMIT,
                       "%" PRIu64 " points are more than can be projected", (guint64) n);
      return FALSE;
    }
  table->d = d;
  if (sonde_checked_mul (&entries, n, d))
    {
      table->values = g_try_new (float, entries);
      table->squares = g_try_new (float, n);
      table->rows = g_try_new (guint32, n);
    }
  if (table->values != NULL && table->squares != NULL && table->rows != NULL)
    return TRUE;
  sonde_set_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_NO_MEMORY,
                   "there is no memory for %" PRIu64 " points of %" PRIu64 " dimensions",
                   (guint64) n, (guint64) d);
  return FALSE;
}

/* Into @row; FALSE when an entry is not finite. */
static gboolean
read_row (const SondeTensor *points, gsize i, gsize d, float *row)
{
  for (gsize k = 0; k < d; k++)
    {
      row[k] = (float) sonde_tensor_get_double (points, (gint64) (i * d + k));
      if (!isfinite (row[k]))
        return FALSE;
    }
  return TRUE;
}

/* Sizes up to 1, exactly. */
static void
scale_values (SondePointTable *table)
{
  float most = 0;
  int exponent = 0;

  for (gsize i = 0; i < table->n * table->d; i++)
    most = MAX (most, fabsf (table->values[i]));
  frexpf (most, &exponent);
  table->scale = ldexp (1, exponent);
  for (gsize i = 0; i < table->n * table->d; i++)
    table->values[i] = (float) ((double) table->values[i] / table->scale);
}

static void
subtract_means (SondePointTable *table)
{
  g_autofree double *means = g_new0 (double, table->d);

  for (gsize i = 0; i < table->n; i++)
    for (gsize k = 0; k < table->d; k++)
      means[k] += (double) table->values[i * table->d + k];
  for (gsize i = 0; i < table->n; i++)
    for (gsize k = 0; k < table->d; k++)
      table->values[i * table->d + k] -= (float) (means[k] / (double) table->n);
}

static double
sum_squares (const float *row, gsize d)
{
  double sum = 0;

  for (gsize k = 0; k < d; k++)
    sum += (double) row[k] * (double) row[k];
  return sum;
}

static void
scale_rows (SondePointTable *table)
{
  for (gsize i = 0; i < table->n; i++)
    {
      float *row = &table->values[i * table->d];
      double length = sqrt (sum_squares (row, table->d));

      for (gsize k = 0; length > 0 && k < table->d; k++)
        row[k] = (float) ((double) row[k] / length);
    }
}

SondePointTable *
sonde_point_table_new (const SondeTensor *points, SondeNearness nearness, GError **error)
{
  g_autoptr (SondePointTable) table = g_new0 (SondePointTable, 1);
  gsize n;

  if (!is_table (points))
    return fail (error), NULL;
  n = (gsize) points->shape.dims[0];
  if (!allocate (table, n, (gsize) points->shape.dims[1], error))
    return NULL;
  table->nearness = nearness;
  for (gsize i = 0; i < n; i++)
    if (read_row (points, i, table->d, &table->values[table->n * table->d]))
      table->rows[table->n++] = (guint32) i;
  if (table->n == 0)
    return fail (error), NULL;
  scale_values (table);
  if (nearness == SONDE_NEARNESS_EUCLIDEAN)
    subtract_means (table);
  else
    scale_rows (table);
  for (gsize i = 0; i < table->n; i++)
    table->squares[i] = (float) sum_squares (&table->values[i * table->d], table->d);
  return g_steal_pointer (&table);
}

void
sonde_point_table_free (SondePointTable *table)
{
  if (table == NULL)
    return;
  g_free (table->values);
  g_free (table->squares);
  g_free (table->rows);
  g_free (table);
}

SONDE_LANES_CLONES float
sonde_point_table_square (const SondePointTable *table, gsize a, gsize b)
{
  const float *x = &table->values[a * table->d], *y = &table->values[b * table->d];
  SondeLanes sums = { 0 }, p, q;
  float sum = 0;
  gsize k = 0;

  for (; k + SONDE_LANES <= table->d; k += SONDE_LANES)
    {
      SONDE_LANES_LOAD (p, &x[k]);
      SONDE_LANES_LOAD (q, &y[k]);
      sums += (p - q) * (p - q);
    }
  for (; k < table->d; k++)
    sum += (x[k] - y[k]) * (x[k] - y[k]);
  for (int i = 0; i < SONDE_LANES; i++)
    sum += sums[i];
  return sum;
}

double
sonde_point_table_measure (const SondePointTable *table, double square)
{
  return table->nearness == SONDE_NEARNESS_COSINE ? square / 2 : table->scale * sqrt (square);
}
