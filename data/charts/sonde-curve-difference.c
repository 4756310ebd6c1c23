/* SPDX-License-Identifier: Apache-2.0 */
#include "data/charts/sonde-curve-difference.h"

#include <math.h>

#define SESSIONS 64           /* stretches looked through for the nearest point: resumed runs */
#define MANY_POINTS (1 << 16) /* fetched one by one at once */
#define MAX_ADDED (1 << 21)   /* points of a series that is read through for a mean */
#define CHUNK 4096

/* ---- one step ------------------------------------------------------------ */

/* The point of the greatest step up to @step, of several the one recorded last. */
static gboolean
find_before (SondeSeries *series, gint64 step, SondePoint *point)
{
  g_autoptr (GArray) buckets = sonde_series_query (series, G_MININT64, step, SESSIONS);
  gboolean found = FALSE;

  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);

      if (found && bucket->last_step < point->step)
        continue;
      *point
          = (SondePoint){ bucket->last_step, bucket->last_wall_ns, bucket->last, bucket->session };
      found = TRUE;
    }
  return found;
}

/* The point of the smallest step from @step on, of several the one recorded first. */
static gboolean
find_after (SondeSeries *series, gint64 step, SondePoint *point)
{
  g_autoptr (GArray) buckets = sonde_series_query (series, step, G_MAXINT64, SESSIONS);
  gboolean found = FALSE;

  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);

      if (found && bucket->first_step >= point->step)
        continue;
      *point = (SondePoint){ bucket->first_step, bucket->first_wall_ns, bucket->first,
                             bucket->session };
      found = TRUE;
    }
  return found;
}

gboolean
sonde_curve_value_at (SondeSeries *series, gint64 step, SondeCurveValue *value)
{
  SondePoint before, after;
  gboolean has_before = find_before (series, step, &before), has_after;

  if (has_before && before.step == step)
    {
      *value = (SondeCurveValue){ SONDE_READING_THERE, before };
      return TRUE;
    }
  has_after = find_after (series, step, &after);
  if (has_before && has_after)
    {
      /* As unsigned numbers: steps may lie farther apart than the greatest signed one. */
      gboolean is_first
          = (guint64) step - (guint64) before.step <= (guint64) after.step - (guint64) step;

      *value = (SondeCurveValue){ SONDE_READING_BESIDE, is_first ? before : after };
    }
  else if (has_before)
    *value = (SondeCurveValue){ SONDE_READING_ENDED, before };
  else if (has_after)
    *value = (SondeCurveValue){ SONDE_READING_NOT_BEGUN, after };
  return has_before || has_after;
}

/* ---- between two --------------------------------------------------------- */

typedef struct
{
  double sum, lost; /* Kahan: what the sum has not taken */
  guint64 n;
} Sum;

static void
add (Sum *sum, double value)
{
  double rest = value - sum->lost, next = sum->sum + rest;

  if (!isfinite (value))
    return;
  sum->lost = next - sum->sum - rest;
  sum->sum = next;
  sum->n++;
}

static void
add_points (SondeSeries *series, gint64 low, gint64 high, Sum *sum)
{
  SondePoint points[CHUNK];
  gsize n;

  for (guint64 first = 0; (n = sonde_series_copy_points (series, first, CHUNK, points)) > 0;
       first += n)
    for (gsize i = 0; i < n; i++)
      if (points[i].step >= low && points[i].step <= high)
        add (sum, points[i].value);
}

static void
take_range (SondeCurveDifference *difference, const SondeBucket *bucket)
{
  /* fmin gives the number when the other is NaN */
  difference->min = fmin (difference->min, bucket->min);
  difference->max = fmax (difference->max, bucket->max);
}

static void
sum_up (SondeSeries *series, gint64 low, gint64 high, SondeCurveDifference *difference)
{
  g_autoptr (GArray) buckets = sonde_series_query (series, low, high, MANY_POINTS);
  gboolean one_by_one = TRUE;
  Sum sum = { 0 };

  difference->n = 0;
  difference->min = difference->max = difference->mean = NAN;
  for (guint i = 0; i < buckets->len; i++)
    {
      const SondeBucket *bucket = &g_array_index (buckets, SondeBucket, i);

      difference->n += bucket->count;
      one_by_one = one_by_one && bucket->count == 1;
      take_range (difference, bucket);
      if (one_by_one)
        add (&sum, bucket->last);
    }
  difference->is_long = !one_by_one && sonde_series_get_n_points (series) > MAX_ADDED;
  if (difference->is_long)
    return;
  if (!one_by_one)
    {
      sum = (Sum){ 0 };
      add_points (series, low, high, &sum);
    }
  if (sum.n > 0)
    difference->mean = sum.sum / (double) sum.n;
}

gboolean
sonde_curve_difference_compute (SondeSeries *series, gint64 a, gint64 b,
                                SondeCurveDifference *difference)
{
  if (!sonde_curve_value_at (series, a, &difference->a)
      || !sonde_curve_value_at (series, b, &difference->b))
    return FALSE;
  sum_up (series, MIN (a, b), MAX (a, b), difference);
  return TRUE;
}

/* ---- what follows -------------------------------------------------------- */

static gboolean
has_both (const SondeCurveDifference *difference)
{
  return sonde_curve_value_is_known (&difference->a) && sonde_curve_value_is_known (&difference->b);
}

double
sonde_curve_difference_get_change (const SondeCurveDifference *difference)
{
  return has_both (difference) ? difference->b.point.value - difference->a.point.value : NAN;
}

double
sonde_curve_difference_get_rate (const SondeCurveDifference *difference)
{
  double steps = (double) difference->b.point.step - (double) difference->a.point.step;

  return steps != 0 ? sonde_curve_difference_get_change (difference) / steps : NAN;
}

double
sonde_curve_difference_get_ratio (const SondeCurveDifference *difference)
{
  return has_both (difference) && difference->a.point.value != 0
             ? difference->b.point.value / difference->a.point.value
             : NAN;
}
