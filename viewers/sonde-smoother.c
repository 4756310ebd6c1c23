/* SPDX-License-Identifier: Apache-2.0
 * Every BLOCK points the state of the mean is kept, with the extremes of the block; blocks are
 * joined by eights into coarser levels. Wide windows are made of blocks of the level that still has
 * one a bucket, narrow ones of points, from the state before them. */
#include "viewers/sonde-smoother.h"

#include <math.h>

#define BLOCK 64
#define N_LEVELS 3
#define LEVEL_SHIFT 3 /* eight blocks of a level are one of the next */
#define CHUNK 4096    /* points copied at once */

typedef struct
{
  double last;       /* l of the formula */
  double past_power; /* wⁿ: what is missing to a whole weight */
} State;

/* @bucket: of the means in it */
typedef struct
{
  SondeBucket bucket;
  gint64 min_step, max_step;
} Block;

struct _SondeSmoother
{
  SondeSeries *series;
  double weight;
  State state;
  guint64 n;                /* points taken in */
  SondePoint first, latest; /* to see that the series is still the same */
  gboolean sorted;          /* steps never went back: blocks are found by bisection */
  GArray *levels[N_LEVELS]; /* Block */
  GArray *states;           /* State before each block of the first level */
  double *kernel;           /* NULL: exponential; weights from the middle to @reach */
  gsize reach;              /* points on each side */
  guint64 known;            /* points of the series when kernels were last cut off at its end */
  gboolean is_flat;         /* all weights are 1 */
};

SondeSmoother *
sonde_smoother_new (SondeSeries *series, double weight)
{
  SondeSmoother *smoother = g_new0 (SondeSmoother, 1);

  smoother->series = g_object_ref (series);
  smoother->weight = CLAMP (weight, 0, 0.9999);
  smoother->state.past_power = 1;
  smoother->sorted = TRUE;
  smoother->states = g_array_new (FALSE, FALSE, sizeof (State));
  for (int i = 0; i < N_LEVELS; i++)
    smoother->levels[i] = g_array_new (FALSE, FALSE, sizeof (Block));
  return smoother;
}

SondeSmoother *
sonde_smoother_new_kernel (SondeSeries *series, SondeSmootherKernel kernel, double width)
{
  SondeSmoother *smoother = sonde_smoother_new (series, 0);
  double reach = kernel == SONDE_SMOOTHER_RUNNING ? (width - 1) / 2 : ceil (3 * width);

  smoother->reach = (gsize) CLAMP (reach, 0, SONDE_SMOOTHER_MAX_REACH);
  smoother->kernel = g_new (double, smoother->reach + 1);
  for (gsize i = 0; i <= smoother->reach; i++)
    smoother->kernel[i]
        = kernel == SONDE_SMOOTHER_RUNNING ? 1 : exp (-0.5 * (double) (i * i) / (width * width));
  smoother->is_flat = kernel == SONDE_SMOOTHER_RUNNING;
  return smoother;
}

void
sonde_smoother_free (SondeSmoother *smoother)
{
  if (smoother == NULL)
    return;
  g_free (smoother->kernel);
  g_object_unref (smoother->series);
  g_array_unref (smoother->states);
  for (int i = 0; i < N_LEVELS; i++)
    g_array_unref (smoother->levels[i]);
  g_free (smoother);
}

double
sonde_smoother_get_weight (const SondeSmoother *smoother)
{
  return smoother->weight;
}

/* Below it 1 − wⁿ is 1 to the last bit. */
#define NO_POWER 0x1p-54

/* The mean after @value; not finite values pass by. */
static inline double
advance (State *state, double weight, double value)
{
  if (!isfinite (value))
    return value;
  state->last = weight * state->last + (1 - weight) * value;
  if (state->past_power < NO_POWER)
    return state->last;
  state->past_power *= weight;
  return state->last / (1 - state->past_power);
}

static void
add_to_bucket (SondeBucket *bucket, const SondePoint *point, double value)
{
  if (bucket->count == 0)
    {
      *bucket = (SondeBucket){ .first_step = point->step,
                               .first_wall_ns = point->wall_time_ns,
                               .min = NAN,
                               .max = NAN,
                               .first = value,
                               .session = point->session };
    }
  bucket->last_step = point->step;
  bucket->last_wall_ns = point->wall_time_ns;
  bucket->last = value;
  bucket->count++;
  bucket->n_nan += isnan (value);
  if (isfinite (value))
    {
      bucket->min = fmin (bucket->min, value);
      bucket->max = fmax (bucket->max, value);
    }
}

static void
merge_bucket (SondeBucket *into, const SondeBucket *other)
{
  if (into->count == 0)
    {
      *into = *other;
      return;
    }
  into->last_step = other->last_step;
  into->last_wall_ns = other->last_wall_ns;
  into->last = other->last;
  into->min = fmin (into->min, other->min);
  into->max = fmax (into->max, other->max);
  into->count += other->count;
  into->n_nan += other->n_nan;
}

/* ---- kernels ------------------------------------------------------------- */

/* Means of equal weights from sums up to each point: the width costs nothing. */
static void
compute_flat (const SondeSmoother *smoother, const SondePoint *around, gsize n_around, gsize first,
              gsize n, double *means)
{
  g_autofree long double *sums = g_new (long double, n_around + 1);
  g_autofree guint *counts = g_new (guint, n_around + 1);

  sums[0] = 0;
  counts[0] = 0;
  for (gsize i = 0; i < n_around; i++)
    {
      gboolean counted = isfinite (around[i].value);

      sums[i + 1] = sums[i] + (counted ? around[i].value : 0);
      counts[i + 1] = counts[i] + counted;
    }
  for (gsize k = first; k < first + n; k++)
    {
      gsize from = k > smoother->reach ? k - smoother->reach : 0;
      gsize to = MIN (k + smoother->reach + 1, n_around);

      means[k - first] = isfinite (around[k].value)
                             ? (double) ((sums[to] - sums[from]) / (counts[to] - counts[from]))
                             : around[k].value;
    }
}

static double
compute_weighted (const SondeSmoother *smoother, const SondePoint *around, gsize n_around, gsize k)
{
  gsize from = k > smoother->reach ? k - smoother->reach : 0;
  gsize to = MIN (k + smoother->reach + 1, n_around);
  double sum = 0, weights = 0;

  if (!isfinite (around[k].value))
    return around[k].value;
  for (gsize i = from; i < to; i++)
    {
      double weight = smoother->kernel[i > k ? i - k : k - i];

      if (!isfinite (around[i].value))
        continue;
      sum += weight * around[i].value;
      weights += weight;
    }
  return sum / weights;
}

/* At most @n points from @first on into @points and their means. Returns: how many. */
static gsize
compute_means (const SondeSmoother *smoother, guint64 first, gsize n, SondePoint *points,
               double *means)
{
  guint64 from = first > smoother->reach ? first - smoother->reach : 0;
  gsize before = (gsize) (first - from), room = before + n + smoother->reach;
  g_autofree SondePoint *around = g_new (SondePoint, room);
  gsize got = sonde_series_copy_points (smoother->series, from, room, around);

  n = got > before ? MIN (n, got - before) : 0;
  memcpy (points, around + before, n * sizeof *points);
  if (smoother->is_flat)
    compute_flat (smoother, around, got, before, n, means);
  else
    for (gsize k = 0; k < n; k++)
      means[k] = compute_weighted (smoother, around, got, before + k);
  return n;
}

static void
take_in (SondeSmoother *smoother, const SondePoint *point, const State *before, double mean)
{
  Block *block;

  if (smoother->n % BLOCK == 0)
    {
      Block empty = { .min_step = point->step, .max_step = point->step };
      g_array_append_val (smoother->levels[0], empty);
      g_array_append_val (smoother->states, *before);
    }
  block = &g_array_index (smoother->levels[0], Block, smoother->levels[0]->len - 1);
  add_to_bucket (&block->bucket, point, mean);
  block->min_step = MIN (block->min_step, point->step);
  block->max_step = MAX (block->max_step, point->step);
  smoother->sorted = smoother->sorted && (smoother->n == 0 || point->step >= smoother->latest.step);
  smoother->latest = *point;
  smoother->n++;
}

/* Joins the blocks of the level below from block @first on; an unfinished last one is joined
 * anew. */
static void
update_level (GArray *below, GArray *level, guint first)
{
  guint from = first >> LEVEL_SHIFT;

  g_array_set_size (level, from);
  for (guint i = from << LEVEL_SHIFT; i < below->len; i++)
    {
      const Block *child = &g_array_index (below, Block, i);
      Block *block;

      if (i % (1 << LEVEL_SHIFT) == 0)
        g_array_append_val (level, *child);
      block = &g_array_index (level, Block, level->len - 1);
      if (i % (1 << LEVEL_SHIFT) == 0)
        continue;
      merge_bucket (&block->bucket, &child->bucket);
      block->min_step = MIN (block->min_step, child->min_step);
      block->max_step = MAX (block->max_step, child->max_step);
    }
}

static gboolean
is_same_point (SondeSeries *series, guint64 index, const SondePoint *known)
{
  SondePoint point;

  return sonde_series_copy_points (series, index, 1, &point) == 1 && point.step == known->step
         && point.wall_time_ns == known->wall_time_ns
         && memcmp (&point.value, &known->value, sizeof point.value) == 0;
}

static void
restart_if_rebuilt (SondeSmoother *smoother)
{
  if (smoother->n == 0
      || (is_same_point (smoother->series, 0, &smoother->first)
          && is_same_point (smoother->series, smoother->n - 1, &smoother->latest)))
    return;
  smoother->n = 0;
  smoother->sorted = TRUE;
  smoother->state = (State){ .past_power = 1 };
  g_array_set_size (smoother->states, 0);
  for (int i = 0; i < N_LEVELS; i++)
    g_array_set_size (smoother->levels[i], 0);
}

/* The series has grown: points whose kernel was cut off at its end are given up, in whole blocks. */
static void
drop_provisional (SondeSmoother *smoother)
{
  guint64 size = sonde_series_get_n_points (smoother->series);
  guint64 final = smoother->known > smoother->reach ? smoother->known - smoother->reach : 0;
  guint64 kept = MIN (smoother->n, final) / BLOCK;

  if (smoother->known == size)
    return;
  smoother->known = size;
  if (kept * BLOCK >= smoother->n)
    return;
  g_array_set_size (smoother->levels[0], (guint) kept);
  g_array_set_size (smoother->states, (guint) kept);
  smoother->n = kept * BLOCK;
  if (kept > 0)
    sonde_series_copy_points (smoother->series, smoother->n - 1, 1, &smoother->latest);
}

/* The next points and their means; returns how many there were. */
static gsize
take_chunk (SondeSmoother *smoother, gsize max, SondePoint *points, double *means)
{
  gsize got;

  if (smoother->kernel != NULL)
    got = compute_means (smoother, smoother->n, max, points, means);
  else
    got = sonde_series_copy_points (smoother->series, smoother->n, max, points);
  if (smoother->n == 0 && got > 0)
    smoother->first = points[0];
  for (gsize i = 0; i < got; i++)
    {
      /* The state before a block is that before its first point. */
      State before = smoother->state;
      double mean = smoother->kernel != NULL
                        ? means[i]
                        : advance (&smoother->state, smoother->weight, points[i].value);

      take_in (smoother, &points[i], &before, mean);
    }
  return got;
}

gboolean
sonde_smoother_update (SondeSmoother *smoother, guint64 max_points)
{
  g_autofree SondePoint *points = NULL;
  g_autofree double *means = NULL;
  guint64 left = max_points;
  guint first;

  restart_if_rebuilt (smoother);
  if (smoother->kernel != NULL)
    drop_provisional (smoother);
  if (smoother->n == sonde_series_get_n_points (smoother->series))
    return TRUE;
  first = (guint) (smoother->n / BLOCK);
  points = g_new (SondePoint, CHUNK);
  means = g_new (double, CHUNK);
  while (left > 0)
    {
      gsize got = take_chunk (smoother, (gsize) MIN (left, CHUNK), points, means);

      if (got == 0)
        break;
      left -= got;
    }
  for (int i = 1; i < N_LEVELS; i++)
    {
      update_level (smoother->levels[i - 1], smoother->levels[i], first);
      first >>= LEVEL_SHIFT;
    }
  return smoother->n >= sonde_series_get_n_points (smoother->series) || left == max_points;
}

static gboolean
overlaps (const Block *block, gint64 from_step, gint64 to_step)
{
  return block->max_step >= from_step && block->min_step <= to_step;
}

/* The first block that reaches to @step; all before it end earlier. Blocks are sorted. */
static guint
find_first (GArray *blocks, gint64 step)
{
  guint low = 0, high = blocks->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (blocks, Block, middle).max_step < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Blocks outside of [*begin, *end) do not overlap; of those in it some may not, where steps went back. */
static void
find_range (const SondeSmoother *smoother, GArray *blocks, gint64 from_step, gint64 to_step,
            guint *begin, guint *end)
{
  *begin = 0;
  *end = blocks->len;
  if (!smoother->sorted)
    return;
  *begin = find_first (blocks, from_step);
  *end = to_step == G_MAXINT64 ? blocks->len : find_first (blocks, to_step + 1);
  /* a block may reach over both edges */
  if (*end < blocks->len && g_array_index (blocks, Block, *end).min_step <= to_step)
    *end += 1;
}

/* Blocks whole, joined by groups. */
static void
query_blocks (const SondeSmoother *smoother, GArray *blocks, gint64 from_step, gint64 to_step,
              gsize group, GArray *buckets)
{
  SondeBucket current = { 0 };
  gsize taken = 0;
  guint begin, end;

  find_range (smoother, blocks, from_step, to_step, &begin, &end);
  for (guint i = begin; i < end; i++)
    {
      const Block *block = &g_array_index (blocks, Block, i);

      if (!overlaps (block, from_step, to_step))
        continue;
      merge_bucket (&current, &block->bucket);
      if (++taken % group == 0)
        {
          g_array_append_val (buckets, current);
          current = (SondeBucket){ 0 };
        }
    }
  if (current.count > 0)
    g_array_append_val (buckets, current);
}

/* What becomes of the means of single points. */
typedef struct
{
  gint64 from_step, to_step;
  guint64 group; /* points of a bucket */
  SondeBucket current;
  GArray *buckets;
} PointQuery;

static void
end_bucket (PointQuery *query)
{
  if (query->current.count > 0)
    g_array_append_val (query->buckets, query->current);
  query->current = (SondeBucket){ 0 };
}

static void
query_points (PointQuery *query, const SondePoint *points, const double *means, gsize n)
{
  for (gsize k = 0; k < n; k++)
    {
      if (points[k].step < query->from_step || points[k].step > query->to_step)
        continue;
      if (query->current.count >= query->group || query->current.session != points[k].session)
        end_bucket (query);
      add_to_bucket (&query->current, &points[k], means[k]);
    }
}

/* The points of block @i and of those after it again, and their means. Returns: how many */
static gsize
repeat_points (const SondeSmoother *smoother, guint i, gsize n, SondePoint *points, double *means)
{
  State state = g_array_index (smoother->states, State, i);
  guint64 first = (guint64) i * BLOCK;

  n = MIN (n, (gsize) (smoother->n - first));
  if (smoother->kernel != NULL)
    return compute_means (smoother, first, n, points, means);
  n = sonde_series_copy_points (smoother->series, first, n, points);
  for (gsize k = 0; k < n; k++)
    means[k] = advance (&state, smoother->weight, points[k].value);
  return n;
}

/* @n_points: (out): in them */
static gsize
count_overlapping (const SondeSmoother *smoother, GArray *blocks, gint64 from_step, gint64 to_step,
                   guint64 *n_points)
{
  guint begin, end;
  gsize n = 0;

  *n_points = 0;
  find_range (smoother, blocks, from_step, to_step, &begin, &end);
  for (guint i = begin; i < end; i++)
    {
      const Block *block = &g_array_index (blocks, Block, i);

      if (!overlaps (block, from_step, to_step))
        continue;
      n++;
      *n_points += block->bucket.count;
    }
  return n;
}

/* The first block from @begin on that does not overlap the window; @end. */
static guint
find_gap (GArray *blocks, guint begin, guint end, const PointQuery *query)
{
  guint i = begin;

  while (i < end && overlaps (&g_array_index (blocks, Block, i), query->from_step, query->to_step))
    i++;
  return i;
}

/* Blocks one after the other as long as all of them lie in the window; their states follow from each other. */
static void
query_all_points (SondeSmoother *smoother, PointQuery *query)
{
  GArray *blocks = smoother->levels[0];
  g_autofree SondePoint *points = g_new (SondePoint, CHUNK);
  g_autofree double *means = g_new (double, CHUNK);
  guint begin, end, next;

  find_range (smoother, blocks, query->from_step, query->to_step, &begin, &end);
  for (guint i = begin; i < end; i = MAX (next, i + 1))
    {
      next = find_gap (blocks, i, MIN (end, i + CHUNK / BLOCK), query);
      if (next > i)
        query_points (query, points, means,
                      repeat_points (smoother, i, (gsize) (next - i) * BLOCK, points, means));
    }
  end_bucket (query);
}

GArray *
sonde_smoother_query (SondeSmoother *smoother, gint64 from_step, gint64 to_step, guint max_buckets)
{
  GArray *buckets = g_array_new (FALSE, FALSE, sizeof (SondeBucket));
  guint64 n_points = 0;

  max_buckets = MAX (max_buckets, 1);
  for (int i = N_LEVELS - 1; i >= 0; i--)
    {
      gsize n = count_overlapping (smoother, smoother->levels[i], from_step, to_step, &n_points);

      if (n > max_buckets)
        {
          query_blocks (smoother, smoother->levels[i], from_step, to_step,
                        (n + max_buckets - 1) / max_buckets, buckets);
          return buckets;
        }
    }
  query_all_points (smoother, &(PointQuery){ .from_step = from_step,
                                             .to_step = to_step,
                                             .group = (n_points + max_buckets - 1) / max_buckets,
                                             .buckets = buckets });
  return buckets;
}
