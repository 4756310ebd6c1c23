/* SPDX-License-Identifier: Apache-2.0
 * Histograms. A bin is the exponent and how many of the seven edges inside an octave the mantissa
 * has reached; edges and bins use the same table, so they agree to the last bit. */
#include "data/values/sonde-histogram.h"

#include "data/values/sonde-moments-private.h"

#include <math.h>
#include <string.h>

#define BINS SONDE_HISTOGRAM_N_BINS
#define OCTAVE SONDE_HISTOGRAM_BINS_PER_OCTAVE

/* 2^(k/8), rounded to double. */
static const double octave_edges[OCTAVE] = {
  0x1p+0,
  0x1.172b83c7d517bp+0,
  0x1.306fe0a31b715p+0,
  0x1.4bfdad5362a27p+0,
  0x1.6a09e667f3bcdp+0,
  0x1.8ace5422aa0dbp+0,
  0x1.ae89f995ad3adp+0,
  0x1.d5818dcfba487p+0,
};

/* The same edges as mantissas of a float32: the smallest that reaches the edge. */
static const gint32 octave_mantissas[OCTAVE] = {
  0, 0x0b95c2, 0x1837f1, 0x25fed7, 0x3504f4, 0x45672b, 0x5744fd, 0x6ac0c7,
};

void
sonde_histogram_init (SondeHistogram *histogram)
{
  memset (histogram, 0, sizeof *histogram);
  histogram->min = histogram->max = NAN;
}

int
sonde_histogram_bin_of (double magnitude)
{
  int exponent, part = OCTAVE - 1;
  double mantissa = 2 * frexp (magnitude, &exponent);

  if (!(magnitude < INFINITY))
    return BINS - 1;
  while (mantissa < octave_edges[part])
    {
      if (part == 0) /* 0 */
        return 0;
      part--;
    }
  return CLAMP ((exponent - 1 - SONDE_HISTOGRAM_MIN_EXPONENT) * OCTAVE + part, 0, BINS - 1);
}

void
sonde_histogram_bin_edges (int bin, double *lower, double *upper)
{
  int exponent = SONDE_HISTOGRAM_MIN_EXPONENT + bin / OCTAVE;
  int next = SONDE_HISTOGRAM_MIN_EXPONENT + (bin + 1) / OCTAVE;

  g_return_if_fail (bin >= 0 && bin < BINS);

  *lower = ldexp (octave_edges[bin % OCTAVE], exponent);
  *upper = ldexp (octave_edges[(bin + 1) % OCTAVE], next);
}

/* Slots of the small counters: both signs, then what has no bin. */
enum
{
  SLOT_POSITIVE = 0,
  SLOT_NEGATIVE = BINS,
  SLOT_ZERO = 2 * BINS,
  SLOT_NAN,
  SLOT_POS_INF,
  SLOT_NEG_INF,
  N_SLOTS
};

/* Neighbouring elements often fall into the same bin; two rows of counters halve the time that an
 * increment waits for the one before. */
#define ROWS 2
#define CHUNK 256

typedef struct
{
  SondeMoments moments;
  guint64 counts[ROWS][N_SLOTS];
} Accumulator;

SONDE_BEST_TARGET
__attribute__ ((optimize ("O3"))) static void
slots_of_f32 (const float *data, gint32 *slots, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      gint32 bits, magnitude, mantissa, bin, slot, special;

      memcpy (&bits, data + i, sizeof bits);
      magnitude = bits & 0x7fffffff;
      mantissa = bits & 0x7fffff;
      bin = ((magnitude >> 23) - 127 - SONDE_HISTOGRAM_MIN_EXPONENT) * OCTAVE;
      for (int k = 1; k < OCTAVE; k++)
        bin += mantissa >= octave_mantissas[k];
      bin = bin < 0 ? 0 : bin;
      bin = bin > BINS - 1 ? BINS - 1 : bin;
      slot = bin + (bits < 0 ? SLOT_NEGATIVE : SLOT_POSITIVE);
      special = bits < 0 ? SLOT_NEG_INF : SLOT_POS_INF;
      special = magnitude > 0x7f800000 ? SLOT_NAN : special;
      slot = magnitude >= 0x7f800000 ? special : slot;
      slots[i] = magnitude == 0 ? SLOT_ZERO : slot;
    }
}

static void
slots_of_f64 (const double *data, gint32 *slots, gsize n)
{
  for (gsize i = 0; i < n; i++)
    {
      double x = data[i];

      if (isnan (x))
        slots[i] = SLOT_NAN;
      else if (isinf (x))
        slots[i] = x > 0 ? SLOT_POS_INF : SLOT_NEG_INF;
      else if (x == 0)
        slots[i] = SLOT_ZERO;
      else
        slots[i] = sonde_histogram_bin_of (fabs (x)) + (x > 0 ? SLOT_POSITIVE : SLOT_NEGATIVE);
    }
}

static void
count_slots (Accumulator *accumulator, const gint32 *slots, gsize n)
{
  gsize i = 0;

  for (; i + ROWS <= n; i += ROWS)
    {
      accumulator->counts[0][slots[i]]++;
      accumulator->counts[1][slots[i + 1]]++;
    }
  for (; i < n; i++)
    accumulator->counts[0][slots[i]]++;
}

static guint64
take_slot (Accumulator *accumulator, int slot)
{
  guint64 count = 0;

  for (int row = 0; row < ROWS; row++)
    {
      count += accumulator->counts[row][slot];
      accumulator->counts[row][slot] = 0;
    }
  return count;
}

static void
add_f32 (void *user_data, const float *data, gsize n)
{
  Accumulator *accumulator = user_data;
  gint32 slots[CHUNK];

  for (gsize start = 0; start < n; start += CHUNK)
    {
      gsize part = MIN (n - start, CHUNK);

      sonde_moments_add_f32 (&accumulator->moments, data + start, part);
      slots_of_f32 (data + start, slots, part);
      count_slots (accumulator, slots, part);
    }
}

static void
add_f64 (void *user_data, const double *data, gsize n)
{
  Accumulator *accumulator = user_data;
  gint32 slots[CHUNK];

  for (gsize start = 0; start < n; start += CHUNK)
    {
      gsize part = MIN (n - start, CHUNK);

      sonde_moments_add_f64 (&accumulator->moments, data + start, part);
      slots_of_f64 (data + start, slots, part);
      count_slots (accumulator, slots, part);
    }
}

static void
add_range (double *min, double *max, double other_min, double other_max)
{
  if (isnan (*min) || other_min < *min)
    *min = other_min;
  if (isnan (*max) || other_max > *max)
    *max = other_max;
}

static void
flush (Accumulator *accumulator, SondeHistogram *histogram)
{
  const SondeMoments *moments = &accumulator->moments;
  double n = (double) (moments->count - moments->nan - moments->pos_inf - moments->neg_inf);

  for (int i = 0; i < BINS; i++)
    {
      histogram->positive[i] += take_slot (accumulator, SLOT_POSITIVE + i);
      histogram->negative[i] += take_slot (accumulator, SLOT_NEGATIVE + i);
    }
  histogram->zero += take_slot (accumulator, SLOT_ZERO);
  histogram->nan += take_slot (accumulator, SLOT_NAN);
  histogram->pos_inf += take_slot (accumulator, SLOT_POS_INF);
  histogram->neg_inf += take_slot (accumulator, SLOT_NEG_INF);

  if (n > 0)
    {
      double pivot = moments->pivot;

      add_range (&histogram->min, &histogram->max, moments->min, moments->max);
      histogram->sum += moments->sum + n * pivot;
      histogram->sum_squares += moments->sum_squares + 2 * pivot * moments->sum + n * pivot * pivot;
    }
}

void
sonde_histogram_add (SondeHistogram *histogram, const SondeTensor *tensor)
{
  Accumulator accumulator;

  g_return_if_fail (tensor->dtype != SONDE_DTYPE_STRING);

  memset (&accumulator.counts, 0, sizeof accumulator.counts);
  sonde_moments_init (&accumulator.moments);
  sonde_blocks_of_tensor (tensor, add_f32, add_f64, &accumulator);
  flush (&accumulator, histogram);
}

void
sonde_histogram_merge (SondeHistogram *into, const SondeHistogram *other)
{
  for (int i = 0; i < BINS; i++)
    {
      into->negative[i] += other->negative[i];
      into->positive[i] += other->positive[i];
    }
  into->zero += other->zero;
  into->nan += other->nan;
  into->pos_inf += other->pos_inf;
  into->neg_inf += other->neg_inf;
  if (!isnan (other->min))
    add_range (&into->min, &into->max, other->min, other->max);
  into->sum += other->sum;
  into->sum_squares += other->sum_squares;
}

guint64
sonde_histogram_count (const SondeHistogram *histogram)
{
  guint64 count = histogram->zero + histogram->nan + histogram->pos_inf + histogram->neg_inf;

  for (int i = 0; i < BINS; i++)
    count += histogram->negative[i] + histogram->positive[i];
  return count;
}

/* Walks the bins from the most negative to the most positive; bin -1 stands for zero. */
static guint64
bin_at (const SondeHistogram *histogram, int position, double *lower, double *upper)
{
  int bin = position < BINS ? BINS - 1 - position : position - BINS - 1;

  *lower = *upper = 0;
  if (position == BINS)
    return histogram->zero;

  sonde_histogram_bin_edges (bin, lower, upper);
  if (position > BINS)
    return histogram->positive[bin];

  double swap = *lower;

  *lower = -*upper;
  *upper = -swap;
  return histogram->negative[bin];
}

double
sonde_histogram_quantile (const SondeHistogram *histogram, double q)
{
  guint64 n = sonde_histogram_count (histogram) - histogram->nan - histogram->pos_inf
              - histogram->neg_inf;
  double wanted = CLAMP (q, 0.0, 1.0) * (double) n, before = 0;

  if (n == 0)
    return NAN;
  for (int position = 0; position < 2 * BINS + 1; position++)
    {
      double lower, upper;
      double count = (double) bin_at (histogram, position, &lower, &upper);

      if (count > 0 && before + count >= wanted)
        {
          double value = lower + (upper - lower) * ((wanted - before) / count);

          return CLAMP (value, histogram->min, histogram->max);
        }
      before += count;
    }
  return histogram->max;
}
