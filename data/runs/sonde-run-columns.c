/* SPDX-License-Identifier: Apache-2.0
 * Columns of points and their minima and maxima. In loops over points a comparison with a choice
 * stands for fmin and fmax: it is one instruction, and a NaN loses every comparison. */
#include "data/runs/sonde-run-columns-private.h"

#include <math.h>
#include <string.h>

#define POINT_BYTES (3 * sizeof (gint64) + sizeof (guint32))

SondeColumns *
sonde_columns_new (guint capacity)
{
  SondeColumns *columns = g_malloc (sizeof (SondeColumns) + capacity * POINT_BYTES);

  columns->ref_count = 1;
  columns->capacity = capacity;
  columns->units = NULL;
  columns->steps = (gint64 *) (columns + 1);
  columns->walls = columns->steps + capacity;
  columns->values = (double *) (columns->walls + capacity);
  columns->sessions = (guint32 *) (columns->values + capacity);
  return columns;
}

SondeColumns *
sonde_columns_ref (SondeColumns *columns)
{
  g_atomic_int_inc (&columns->ref_count);
  return columns;
}

void
sonde_columns_unref (SondeColumns *columns)
{
  if (!columns || !g_atomic_int_dec_and_test (&columns->ref_count))
    return;
  g_free (columns->units);
  g_free (columns);
}

SondeColumns *
sonde_columns_copy (const SondeColumns *columns, guint n, guint capacity)
{
  SondeColumns *copy = sonde_columns_new (capacity);

  memcpy (copy->steps, columns->steps, n * sizeof (gint64));
  memcpy (copy->walls, columns->walls, n * sizeof (gint64));
  memcpy (copy->values, columns->values, n * sizeof (double));
  memcpy (copy->sessions, columns->sessions, n * sizeof (guint32));
  return copy;
}

void
sonde_columns_lend (const SondeColumns *columns, guint first, guint n, SondePointSpan *span)
{
  *span = (SondePointSpan){
    .n = n,
    .steps = columns->steps + first,
    .walls = columns->walls + first,
    .values = columns->values + first,
    .sessions = columns->sessions + first,
  };
}

/* As fmin() and fmax(), which are calls: the number when the other is NaN. */
static inline double
lesser (double a, double b)
{
  return b < a || a != a ? b : a;
}

static inline double
greater (double a, double b)
{
  return b > a || a != a ? b : a;
}

#define LANES 8u
#define FEW 24u /* points for which lanes are not worth it */

static guint
find_extremes_of_few (const double *values, guint n, double *min, double *max)
{
  guint n_nan = 0;

  *min = *max = NAN;
  for (guint i = 0; i < n; i++)
    {
      *min = lesser (*min, values[i]);
      *max = greater (*max, values[i]);
      n_nan += values[i] != values[i];
    }
  return n_nan;
}

/* Minimum and maximum over the points that are no NaN; NaN when all are. Lanes that do not depend
 * on each other become vector code. */
static guint
find_extremes (const double *values, guint n, double *min, double *max)
{
  double low[LANES], high[LANES];
  gint64 n_nan[LANES] = { 0 };
  guint i = 0;

  for (guint k = 0; k < LANES; k++)
    {
      low[k] = INFINITY;
      high[k] = -INFINITY;
    }
  for (; i + LANES <= n; i += LANES)
    for (guint k = 0; k < LANES; k++)
      {
        low[k] = values[i + k] < low[k] ? values[i + k] : low[k];
        high[k] = values[i + k] > high[k] ? values[i + k] : high[k];
        n_nan[k] += values[i + k] != values[i + k];
      }
  for (; i < n; i++)
    {
      low[0] = values[i] < low[0] ? values[i] : low[0];
      high[0] = values[i] > high[0] ? values[i] : high[0];
      n_nan[0] += values[i] != values[i];
    }
  for (guint k = 1; k < LANES; k++)
    {
      low[0] = low[k] < low[0] ? low[k] : low[0];
      high[0] = high[k] > high[0] ? high[k] : high[0];
      n_nan[0] += n_nan[k];
    }
  *min = n_nan[0] < n ? low[0] : NAN;
  *max = n_nan[0] < n ? high[0] : NAN;
  return n_nan[0];
}

static SondeBucket
make_bucket (const SondeColumns *columns, guint from, guint to)
{
  SondeBucket next = { 0 };

  next.first_step = columns->steps[from];
  next.last_step = columns->steps[to - 1];
  next.first = columns->values[from];
  next.last = columns->values[to - 1];
  next.first_wall_ns = columns->walls[from];
  next.last_wall_ns = columns->walls[to - 1];
  next.session = columns->sessions[from];
  next.count = to - from;
  if (next.count < FEW)
    next.n_nan = find_extremes_of_few (columns->values + from, next.count, &next.min, &next.max);
  else
    next.n_nan = find_extremes (columns->values + from, next.count, &next.min, &next.max);
  return next;
}

void
sonde_bucket_add_points (SondeBucket *bucket, const SondeColumns *columns, guint from, guint to)
{
  SondeBucket next;

  if (from >= to)
    return;
  next = make_bucket (columns, from, to);
  sonde_bucket_merge (bucket, &next);
}

void
sonde_bucket_merge (SondeBucket *bucket, const SondeBucket *next)
{
  if (next->count == 0)
    return;
  if (bucket->count == 0)
    {
      *bucket = *next;
      return;
    }
  bucket->min = lesser (bucket->min, next->min);
  bucket->max = greater (bucket->max, next->max);
  bucket->last = next->last;
  bucket->last_step = next->last_step;
  bucket->last_wall_ns = next->last_wall_ns;
  bucket->count += next->count;
  bucket->n_nan += next->n_nan;
}

/* Of the @n points that @bucket holds, over finite values only. */
static void
add_finite_extremes (SondeBlockSummary *summary, const SondeBucket *bucket, const double *values,
                     guint n)
{
  if (isfinite (bucket->min) && isfinite (bucket->max))
    {
      summary->finite_min = fmin (summary->finite_min, bucket->min);
      summary->finite_max = fmax (summary->finite_max, bucket->max);
      return;
    }
  for (guint i = 0; i < n; i++)
    if (isfinite (values[i]))
      {
        summary->finite_min = fmin (summary->finite_min, values[i]);
        summary->finite_max = fmax (summary->finite_max, values[i]);
      }
}

gsize
sonde_block_summary_get_size (guint n)
{
  guint n_chunks = (n + SONDE_CHUNK_POINTS - 1) / SONDE_CHUNK_POINTS;

  return offsetof (SondeBlockSummary, chunks) + n_chunks * sizeof (SondeBucket);
}

gboolean
sonde_block_summary_has_points (const SondeBlockSummary *summary, guint n)
{
  guint left = n;

  for (guint i = 0; left > 0; left -= summary->chunks[i++].count)
    if (summary->chunks[i].count != MIN (left, SONDE_CHUNK_POINTS))
      return FALSE;
  return summary->bucket.count == n;
}

void
sonde_block_summary_add_points (SondeBlockSummary *summary, const SondeColumns *columns, guint from,
                                guint to)
{
  if (from >= to)
    return;
  if (summary->bucket.count == 0)
    {
      summary->min_step = summary->max_step = columns->steps[from];
      summary->finite_min = summary->finite_max = NAN;
      summary->sorted = TRUE;
    }
  else if (columns->steps[from] < summary->bucket.last_step)
    summary->sorted = FALSE;
  for (guint i = from; i < to; i++)
    {
      summary->min_step = MIN (summary->min_step, columns->steps[i]);
      summary->max_step = MAX (summary->max_step, columns->steps[i]);
      if (i > from && columns->steps[i] < columns->steps[i - 1])
        summary->sorted = FALSE;
    }
  for (guint begin = from, end; begin < to; begin = end)
    {
      guint chunk = begin / SONDE_CHUNK_POINTS;
      SondeBucket next;

      end = MIN (to, (chunk + 1) * SONDE_CHUNK_POINTS);
      next = make_bucket (columns, begin, end);
      add_finite_extremes (summary, &next, columns->values + begin, end - begin);
      sonde_bucket_merge (&summary->chunks[chunk], &next);
      sonde_bucket_merge (&summary->bucket, &next);
    }
  summary->last_session = columns->sessions[to - 1];
}

void
sonde_units_compute (SondeBucket *units, const SondeColumns *columns, guint from, guint to)
{
  for (guint i = from; i < to; i++)
    {
      memset (&units[i], 0, sizeof (SondeBucket));
      sonde_bucket_add_points (&units[i], columns, i * SONDE_UNIT_POINTS,
                               (i + 1) * SONDE_UNIT_POINTS);
    }
}

void
sonde_columns_compute_units (SondeColumns *columns)
{
  if (columns->units)
    return;
  columns->units = g_new (SondeBucket, SONDE_BLOCK_UNITS);
  sonde_units_compute (columns->units, columns, 0, SONDE_BLOCK_UNITS);
}
