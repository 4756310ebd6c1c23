/* SPDX-License-Identifier: Apache-2.0
 * Facts block by block: a block stays in the first cache while one loop after another looks at it,
 * so that memory is read once, whatever is asked. Blocks that hold NaN or infinity, known by their
 * sum of magnitudes, go the way of statistics. */
#include "data/values/sonde-facts.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "data/values/sonde-moments-private.h"

/* Of float sums: 64 additions one after another in each of 16 lanes. */
#define QUICK_BLOCK 1024

void
sonde_facts_init (SondeFacts *facts)
{
  memset (facts, 0, sizeof *facts);
  facts->min = INFINITY;
  facts->max = -INFINITY;
}

/* The ends of a range as floats that let the same floats through: rounded inwards. */
static float
float_from (double low)
{
  float rounded = (float) low;

  return rounded < low ? nextafterf (rounded, INFINITY) : rounded;
}

static float
float_to (double high)
{
  float rounded = (float) high;

  return rounded > high ? nextafterf (rounded, -INFINITY) : rounded;
}

/* ---- sums and counts ----------------------------------------------------- */

typedef struct
{
  float sum, abs_sum, min, max;
  gint32 zeros, inside;
} QuickSums;

/* With @ranged a range is counted on the way: memory is slower than both. */
static inline __attribute__ ((always_inline)) void
quick_block (QuickSums *sums, const float *data, gsize n, gboolean ranged, float low, float high)
{
  float sum = 0, abs_sum = 0, min = INFINITY, max = -INFINITY;
  gint32 zeros = 0, inside = 0;

/* clang-format off */
#pragma omp simd reduction(+ : sum, abs_sum, zeros, inside) \
    reduction(min : min) reduction(max : max)
  /* clang-format on */
  for (gsize i = 0; i < n; i++)
    {
      float x = data[i];

      sum += x;
      abs_sum += fabsf (x);
      min = x < min ? x : min;
      max = x > max ? x : max;
      zeros += x == 0;
      if (ranged)
        inside += (x >= low) & (x <= high);
    }
  *sums = (QuickSums){ sum, abs_sum, min, max, zeros, inside };
}

SONDE_BEST_TARGET static void
add_quick_block (QuickSums *sums, const float *data, gsize n)
{
  quick_block (sums, data, n, FALSE, 0, 0);
}

SONDE_BEST_TARGET static void
add_ranged_block (QuickSums *sums, const float *data, gsize n, float low, float high)
{
  quick_block (sums, data, n, TRUE, low, high);
}

static void
take_moments (SondeFacts *facts, const SondeMoments *moments)
{
  gint64 n_finite = moments->count - moments->nan - moments->pos_inf - moments->neg_inf;

  facts->count += moments->count;
  facts->zeros += moments->zeros;
  facts->nan += moments->nan;
  facts->pos_inf += moments->pos_inf;
  facts->neg_inf += moments->neg_inf;
  facts->sum += moments->sum + moments->pivot * (double) n_finite;
  facts->abs_sum += moments->abs_sum;
  facts->min = MIN (facts->min, moments->min);
  facts->max = MAX (facts->max, moments->max);
}

static void
add_sums_f64 (SondeFacts *facts, const double *data, gsize n)
{
  SondeMoments moments;

  sonde_moments_init (&moments);
  sonde_moments_add_f64 (&moments, data, n);
  take_moments (facts, &moments);
}

static void
add_sums_f32 (SondeFacts *facts, const float *data, gsize n)
{
  SondeMoments moments;

  sonde_moments_init (&moments);
  sonde_moments_add_f32 (&moments, data, n);
  take_moments (facts, &moments);
}

/* ---- ranges and change --------------------------------------------------- */

#define DEFINE_COUNTS(type, suffix)                                                                \
  SONDE_BEST_TARGET static gint64 count_range_##suffix (const type *data, gsize n, type low,       \
                                                        type high)                                 \
  {                                                                                                \
    gint32 inside = 0;                                                                             \
    _Pragma ("omp simd reduction(+ : inside)") for (gsize i = 0; i < n; i++) inside                \
        += (data[i] >= low) & (data[i] <= high);                                                   \
    return inside;                                                                                 \
  }                                                                                                \
  SONDE_BEST_TARGET static void add_change_##suffix (SondeFacts *facts, const type *data,          \
                                                     const type *old, gsize n)                     \
  {                                                                                                \
    double change = 0, before = 0;                                                                 \
    _Pragma ("omp simd reduction(+ : change, before)") for (gsize i = 0; i < n; i++)               \
    {                                                                                              \
      change += fabs ((double) data[i] - (double) old[i]);                                         \
      before += fabs ((double) old[i]);                                                            \
    }                                                                                              \
    facts->abs_change += change;                                                                   \
    facts->abs_old += before;                                                                      \
  }                                                                                                \
  SONDE_BEST_TARGET static gint64 count_within_##suffix (                                          \
      const type *data, const type *old, gsize n, double relative, double absolute)                \
  {                                                                                                \
    gint32 within = 0;                                                                             \
    _Pragma ("omp simd reduction(+ : within)") for (gsize i = 0; i < n; i++)                       \
    {                                                                                              \
      double was = (double) old[i];                                                                \
      within += fabs ((double) data[i] - was) <= absolute + relative * fabs (was);                 \
    }                                                                                              \
    return within;                                                                                 \
  }

DEFINE_COUNTS (float, f32)
DEFINE_COUNTS (double, f64)

static void
take_quick_sums (SondeFacts *facts, const QuickSums *sums, gsize n)
{
  facts->count += (gint64) n;
  facts->zeros += sums->zeros;
  facts->sum += sums->sum;
  facts->abs_sum += sums->abs_sum;
  facts->min = MIN (facts->min, (double) sums->min);
  facts->max = MAX (facts->max, (double) sums->max);
}

/* How many of a block of finite numbers lie in @range, by its ends alone; -1: some do. */
static gint64
inside_by_ends (const QuickSums *sums, const SondeFactsRange *range, gsize n)
{
  if (sums->min >= range->low && sums->max <= range->high)
    return (gint64) n;
  return sums->min > range->high || sums->max < range->low ? 0 : -1;
}

/* Sums and ranges. @crosses: the block before lay across the first range's ends, so that this one
 * may, too, and is counted on the way. */
static void
add_quick_f32 (SondeFacts *facts, const SondeFactsRequest *request, const float *data, gsize n,
               gboolean *crosses)
{
  const gboolean ranged = *crosses && request->n_ranges > 0;
  gboolean finite;
  QuickSums sums;

  if (ranged)
    add_ranged_block (&sums, data, n, float_from (request->ranges[0].low),
                      float_to (request->ranges[0].high));
  else
    add_quick_block (&sums, data, n);
  finite = sums.abs_sum <= FLT_MAX;
  if (finite)
    take_quick_sums (facts, &sums, n);
  else
    add_sums_f32 (facts, data, n);
  for (guint k = 0; k < request->n_ranges; k++)
    {
      const SondeFactsRange *range = &request->ranges[k];
      gint64 inside = finite ? inside_by_ends (&sums, range, n) : -1;

      if (k == 0)
        *crosses = inside < 0;
      if (inside < 0)
        inside = k == 0 && ranged
                     ? sums.inside
                     : count_range_f32 (data, n, float_from (range->low), float_to (range->high));
      facts->in_range[k] += inside;
    }
}

static void
add_exact_f32 (SondeFacts *facts, const SondeFactsRequest *request, const float *data, gsize n)
{
  add_sums_f32 (facts, data, n);
  for (guint k = 0; k < request->n_ranges; k++)
    facts->in_range[k] += count_range_f32 (data, n, float_from (request->ranges[k].low),
                                           float_to (request->ranges[k].high));
}

static void
add_block_f32 (SondeFacts *facts, const SondeFactsRequest *request, const float *data,
               const float *previous, gsize n, gboolean *crosses)
{
  if (request->exact)
    add_exact_f32 (facts, request, data, n);
  else
    add_quick_f32 (facts, request, data, n, crosses);
  if (previous == NULL)
    return;
  add_change_f32 (facts, data, previous, n);
  for (guint k = 0; k < request->n_tolerances; k++)
    facts->within[k] += count_within_f32 (data, previous, n, request->tolerances[k].relative,
                                          request->tolerances[k].absolute);
}

static void
add_block_f64 (SondeFacts *facts, const SondeFactsRequest *request, const double *data,
               const double *previous, gsize n)
{
  add_sums_f64 (facts, data, n);
  for (guint k = 0; k < request->n_ranges; k++)
    facts->in_range[k]
        += count_range_f64 (data, n, request->ranges[k].low, request->ranges[k].high);
  if (previous == NULL)
    return;
  add_change_f64 (facts, data, previous, n);
  for (guint k = 0; k < request->n_tolerances; k++)
    facts->within[k] += count_within_f64 (data, previous, n, request->tolerances[k].relative,
                                          request->tolerances[k].absolute);
}

/* Elements @start… as doubles, in @block where they are not. */
static const double *
as_doubles (SondeDtype dtype, const void *data, gsize start, gsize n, double *block)
{
  if (data == NULL)
    return NULL;
  if (dtype == SONDE_DTYPE_F64)
    return (const double *) data + start;
  sonde_dtype_convert (dtype, (const guint8 *) data + start * sonde_dtype_size (dtype),
                       SONDE_DTYPE_F64, block, n);
  return block;
}

void
sonde_facts_add (SondeFacts *facts, const SondeFactsRequest *request, SondeDtype dtype,
                 const void *data, const void *previous, gsize n)
{
  gsize step = dtype == SONDE_DTYPE_F32 && !request->exact ? QUICK_BLOCK : SONDE_MOMENTS_BLOCK;
  gboolean crosses = FALSE;

  facts->has_change = facts->has_change || previous != NULL;
  for (gsize start = 0; start < n; start += step)
    {
      gsize part = MIN (n - start, step);
      double now[SONDE_MOMENTS_BLOCK], before[SONDE_MOMENTS_BLOCK];

      if (dtype == SONDE_DTYPE_F32)
        add_block_f32 (facts, request, (const float *) data + start,
                       previous != NULL ? (const float *) previous + start : NULL, part, &crosses);
      else
        add_block_f64 (facts, request, as_doubles (dtype, data, start, part, now),
                       as_doubles (dtype, previous, start, part, before), part);
    }
}

void
sonde_facts_merge (SondeFacts *into, const SondeFacts *other)
{
  into->count += other->count;
  into->zeros += other->zeros;
  into->nan += other->nan;
  into->pos_inf += other->pos_inf;
  into->neg_inf += other->neg_inf;
  into->sum += other->sum;
  into->abs_sum += other->abs_sum;
  into->min = MIN (into->min, other->min);
  into->max = MAX (into->max, other->max);
  into->has_change = into->has_change || other->has_change;
  into->abs_change += other->abs_change;
  into->abs_old += other->abs_old;
  for (guint k = 0; k < SONDE_FACTS_MAX; k++)
    {
      into->in_range[k] += other->in_range[k];
      into->within[k] += other->within[k];
    }
}

double
sonde_facts_mean (const SondeFacts *facts)
{
  gint64 n = sonde_facts_n_finite (facts);

  return n > 0 ? facts->sum / (double) n : NAN;
}

double
sonde_facts_abs_mean (const SondeFacts *facts)
{
  gint64 n = sonde_facts_n_finite (facts);

  return n > 0 ? facts->abs_sum / (double) n : NAN;
}
