/* SPDX-License-Identifier: Apache-2.0
 * Every SONDE_MEANS_BLOCK points the state of the mean is kept, with the extremes of the block; blocks are
 * joined by eights into coarser levels. */
#include "viewers/smoothing/sonde-means.h"

#include <math.h>

SondeMeans *
sonde_means_new (void)
{
  SondeMeans *means = g_new0 (SondeMeans, 1);

  means->state = SONDE_MEAN_STATE_START;
  means->sorted = TRUE;
  means->states = g_array_new (FALSE, FALSE, sizeof (SondeMeanState));
  for (int i = 0; i < SONDE_MEANS_LEVELS; i++)
    means->levels[i] = g_array_new (FALSE, FALSE, sizeof (SondeMeanBlock));
  return means;
}

SondeMeans *
sonde_means_new_behind (const SondeMeans *means, guint64 from)
{
  SondeMeans *more = sonde_means_new ();
  guint block = (guint) (MIN (from, means->n) / SONDE_MEANS_BLOCK);

  more->begin = more->n = (guint64) block * SONDE_MEANS_BLOCK;
  more->state = block < means->states->len ? g_array_index (means->states, SondeMeanState, block)
                                           : means->state;
  return more;
}

void
sonde_means_free (SondeMeans *means)
{
  if (means == NULL)
    return;
  g_array_unref (means->states);
  for (int i = 0; i < SONDE_MEANS_LEVELS; i++)
    g_array_unref (means->levels[i]);
  g_free (means);
}

/* ---- buckets ------------------------------------------------------------- */

static void
begin_bucket (SondeBucket *bucket, const SondePointSpan *span, gsize i, double mean)
{
  *bucket = (SondeBucket){ .first_step = span->steps[i],
                           .first_wall_ns = span->walls[i],
                           .min = NAN,
                           .max = NAN,
                           .first = mean,
                           .session = span->sessions[i] };
}

static void
add_extreme (SondeBucket *bucket, double mean)
{
  bucket->n_nan += isnan (mean);
  if (!isfinite (mean))
    return;
  bucket->min = fmin (bucket->min, mean);
  bucket->max = fmax (bucket->max, mean);
}

static void
end_bucket (SondeBucket *bucket, const SondePointSpan *span, gsize i, double mean)
{
  bucket->last_step = span->steps[i];
  bucket->last_wall_ns = span->walls[i];
  bucket->last = mean;
}

void
sonde_mean_bucket_add (SondeBucket *bucket, const SondePointSpan *span, gsize i, double mean)
{
  if (bucket->count == 0)
    begin_bucket (bucket, span, i, mean);
  add_extreme (bucket, mean);
  end_bucket (bucket, span, i, mean);
  bucket->count++;
}

void
sonde_mean_bucket_merge (SondeBucket *into, const SondeBucket *other)
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

/* ---- taking in ----------------------------------------------------------- */

#define LANES 8u

/* Minimum and maximum of @n means. FALSE: one of them is not finite. Lanes that do not depend on each other become
 * vector code; a NaN loses every comparison, so it is looked for by its difference to itself. */
static gboolean
find_extremes (const double *means, gsize n, double *min, double *max)
{
  double low[LANES], high[LANES];
  gint64 odd = 0;

  for (guint k = 0; k < LANES; k++)
    {
      low[k] = INFINITY;
      high[k] = -INFINITY;
    }
  for (gsize i = 0; i + LANES <= n; i += LANES)
    for (guint k = 0; k < LANES; k++)
      {
        low[k] = means[i + k] < low[k] ? means[i + k] : low[k];
        high[k] = means[i + k] > high[k] ? means[i + k] : high[k];
        odd += means[i + k] != means[i + k];
      }
  for (guint k = 1; k < LANES; k++)
    {
      low[0] = low[k] < low[0] ? low[k] : low[0];
      high[0] = high[k] > high[0] ? high[k] : high[0];
    }
  for (gsize i = n - n % LANES; i < n; i++)
    {
      low[0] = means[i] < low[0] ? means[i] : low[0];
      high[0] = means[i] > high[0] ? means[i] : high[0];
      odd += means[i] != means[i];
    }
  *min = low[0];
  *max = high[0];
  return odd == 0 && isfinite (*min) && isfinite (*max);
}

static void
take_steps (SondeMeans *means, SondeMeanBlock *block, const gint64 *steps, gsize n)
{
  gsize n_back = 0;

  for (gsize i = 1; i < n; i++)
    n_back += steps[i] < steps[i - 1];
  means->sorted = means->sorted && n_back == 0
                  && (means->n == means->begin || steps[0] >= means->latest.step);
  if (n_back == 0)
    {
      block->min_step = MIN (block->min_step, steps[0]);
      block->max_step = MAX (block->max_step, steps[n - 1]);
      return;
    }
  for (gsize i = 0; i < n; i++)
    {
      block->min_step = MIN (block->min_step, steps[i]);
      block->max_step = MAX (block->max_step, steps[i]);
    }
}

static SondePoint
point_of (const SondePointSpan *span, gsize i)
{
  return (SondePoint){ span->steps[i], span->walls[i], span->values[i], span->sessions[i] };
}

/* Points [@from, @from + @n) of @span, which are of one block, that is the last one. */
static void
take_part (SondeMeans *means, const SondePointSpan *span, gsize from, gsize n, const double *part)
{
  SondeMeanBlock *block
      = &g_array_index (means->levels[0], SondeMeanBlock, means->levels[0]->len - 1);
  SondeBucket *bucket = &block->bucket;
  double min, max;

  take_steps (means, block, span->steps + from, n);
  if (bucket->count == 0)
    begin_bucket (bucket, span, from, part[0]);
  if (find_extremes (part, n, &min, &max))
    {
      bucket->min = fmin (bucket->min, min);
      bucket->max = fmax (bucket->max, max);
    }
  else
    for (gsize i = 0; i < n; i++)
      add_extreme (bucket, part[i]);
  end_bucket (bucket, span, from + n - 1, part[n - 1]);
  bucket->count += (guint32) n;
  if (means->n == means->begin)
    means->first = point_of (span, from);
  means->latest = point_of (span, from + n - 1);
  means->n += n;
}

static void
begin_block (SondeMeans *means, gint64 step)
{
  SondeMeanBlock empty = { .min_step = step, .max_step = step };

  g_array_append_val (means->levels[0], empty);
  g_array_append_val (means->states, means->state);
}

/* @weighed: (nullable): the means of a kernel; NULL: they follow from the state */
static void
take_span (SondeMeans *means, const SondeSmoothingRule *rule, const SondePointSpan *span,
           const double *weighed)
{
  double advanced[SONDE_MEANS_BLOCK];
  gsize n;

  for (gsize i = 0; i < span->n; i += n)
    {
      gsize in_block = (gsize) (means->n % SONDE_MEANS_BLOCK);

      n = MIN (SONDE_MEANS_BLOCK - in_block, span->n - i);
      /* the state before a block is that before its first point */
      if (in_block == 0)
        begin_block (means, span->steps[i]);
      if (weighed == NULL)
        sonde_smoothing_rule_advance (rule, &means->state, span->values + i, n, advanced);
      take_part (means, span, i, n, weighed != NULL ? weighed + i : advanced);
    }
}

gsize
sonde_means_extend (SondeMeans *means, const SondeSmoothingRule *rule,
                    const SondePointReader *reader, gsize max)
{
  g_autofree double *weighed = NULL;
  SondePointSpan span;
  gsize n = reader->lend (reader->source, means->n, MIN (max, SONDE_MEANS_CHUNK), &span);

  if (n > 0 && rule->kernel != NULL)
    {
      weighed = g_new (double, n);
      n = sonde_smoothing_rule_weigh (rule, reader, means->n, n, weighed);
      /* those around were lent since */
      n = reader->lend (reader->source, means->n, n, &span);
    }
  if (n > 0)
    take_span (means, rule, &span, weighed);
  return n;
}

/* ---- levels -------------------------------------------------------------- */

/* Joins the blocks of the level below from block @first on; an unfinished last one is joined anew. */
static void
join_level (GArray *below, GArray *level, guint first)
{
  guint from = MIN (first >> SONDE_MEANS_SHIFT, level->len);

  g_array_set_size (level, from);
  /* of so few blocks nothing is found sooner in coarser ones */
  if (below->len <= 1 << SONDE_MEANS_SHIFT)
    return;
  for (guint i = from << SONDE_MEANS_SHIFT; i < below->len; i++)
    {
      const SondeMeanBlock *child = &g_array_index (below, SondeMeanBlock, i);
      SondeMeanBlock *block;

      if (i % (1 << SONDE_MEANS_SHIFT) == 0)
        {
          g_array_append_val (level, *child);
          continue;
        }
      block = &g_array_index (level, SondeMeanBlock, level->len - 1);
      sonde_mean_bucket_merge (&block->bucket, &child->bucket);
      block->min_step = MIN (block->min_step, child->min_step);
      block->max_step = MAX (block->max_step, child->max_step);
    }
}

void
sonde_means_join_levels (SondeMeans *means, guint64 from)
{
  guint first = (guint) (from / SONDE_MEANS_BLOCK);

  for (int i = 1; i < SONDE_MEANS_LEVELS; i++)
    {
      join_level (means->levels[i - 1], means->levels[i], first);
      first >>= SONDE_MEANS_SHIFT;
    }
}

void
sonde_means_cut (SondeMeans *means, guint64 n)
{
  guint n_blocks = (guint) (n / SONDE_MEANS_BLOCK);

  if (n >= means->n)
    return;
  if (n_blocks < means->states->len)
    means->state = g_array_index (means->states, SondeMeanState, n_blocks);
  means->n = (guint64) n_blocks * SONDE_MEANS_BLOCK;
  g_array_set_size (means->levels[0], n_blocks);
  g_array_set_size (means->states, n_blocks);
  if (n_blocks == 0)
    means->sorted = TRUE;
  sonde_means_join_levels (means, means->n);
}

void
sonde_means_join (SondeMeans *means, const SondeMeans *more)
{
  gint64 before = G_MININT64;

  sonde_means_cut (means, more->begin);
  if (more->n == more->begin)
    return;
  if (means->n > 0)
    before = g_array_index (means->levels[0], SondeMeanBlock, means->levels[0]->len - 1).max_step;
  else
    means->first = more->first;
  means->sorted = means->sorted && more->sorted && before <= more->first.step;
  g_array_append_vals (means->levels[0], more->levels[0]->data, more->levels[0]->len);
  g_array_append_vals (means->states, more->states->data, more->states->len);
  means->n = more->n;
  means->state = more->state;
  means->latest = more->latest;
  sonde_means_join_levels (means, more->begin);
}
