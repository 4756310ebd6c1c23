/* SPDX-License-Identifier: Apache-2.0
 * A window over means: wide ones are made of blocks of the level that still has one a bucket, narrow ones of points,
 * from the state before them. */
#include "viewers/smoothing/sonde-means.h"

static gboolean
overlaps (const SondeMeanBlock *block, gint64 from_step, gint64 to_step)
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

      if (g_array_index (blocks, SondeMeanBlock, middle).max_step < step)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Blocks outside of [*begin, *end) do not overlap; of those in it some may not, where steps went back. */
static void
find_range (const SondeMeans *means, GArray *blocks, gint64 from_step, gint64 to_step, guint *begin,
            guint *end)
{
  *begin = 0;
  *end = blocks->len;
  if (!means->sorted)
    return;
  *begin = find_first (blocks, from_step);
  *end = to_step == G_MAXINT64 ? blocks->len : find_first (blocks, to_step + 1);
  /* a block may reach over both edges */
  if (*end < blocks->len && g_array_index (blocks, SondeMeanBlock, *end).min_step <= to_step)
    *end += 1;
}

/* Blocks whole, joined by groups. */
static void
query_blocks (const SondeMeans *means, GArray *blocks, gint64 from_step, gint64 to_step,
              gsize group, GArray *buckets)
{
  SondeBucket current = { 0 };
  gsize taken = 0;
  guint begin, end;

  find_range (means, blocks, from_step, to_step, &begin, &end);
  for (guint i = begin; i < end; i++)
    {
      const SondeMeanBlock *block = &g_array_index (blocks, SondeMeanBlock, i);

      if (!overlaps (block, from_step, to_step))
        continue;
      sonde_mean_bucket_merge (&current, &block->bucket);
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
  const SondeMeans *means;
  const SondeSmoothingRule *rule;
  const SondePointReader *reader;
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
take_points (PointQuery *query, const SondePointSpan *span, const double *means)
{
  for (gsize k = 0; k < span->n; k++)
    {
      if (span->steps[k] < query->from_step || span->steps[k] > query->to_step)
        continue;
      if (query->current.count >= query->group || query->current.session != span->sessions[k])
        end_bucket (query);
      sonde_mean_bucket_add (&query->current, span, k, means[k]);
    }
}

/* Points [@first, @end) again, and their means from the state before them. */
static void
repeat_points (PointQuery *query, guint64 first, guint64 end, double *means)
{
  const SondePointReader *reader = query->reader;
  SondeMeanState state
      = g_array_index (query->means->states, SondeMeanState, (guint) (first / SONDE_MEANS_BLOCK));
  SondePointSpan span;

  while (first < end && reader->lend (reader->source, first, (gsize) (end - first), &span) > 0)
    {
      if (query->rule->kernel == NULL)
        sonde_smoothing_rule_advance (query->rule, &state, span.values, span.n, means);
      else if (sonde_smoothing_rule_weigh (query->rule, reader, first, span.n, means) < span.n
               || reader->lend (reader->source, first, span.n, &span) == 0)
        return;
      take_points (query, &span, means);
      first += span.n;
    }
}

/* @n_points: (out): in them */
static gsize
count_overlapping (const SondeMeans *means, GArray *blocks, gint64 from_step, gint64 to_step,
                   guint64 *n_points)
{
  guint begin, end;
  gsize n = 0;

  *n_points = 0;
  find_range (means, blocks, from_step, to_step, &begin, &end);
  for (guint i = begin; i < end; i++)
    {
      const SondeMeanBlock *block = &g_array_index (blocks, SondeMeanBlock, i);

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

  while (i < end
         && overlaps (&g_array_index (blocks, SondeMeanBlock, i), query->from_step, query->to_step))
    i++;
  return i;
}

/* Blocks one after the other as long as all of them lie in the window; their states follow from each other. */
static void
query_points (PointQuery *query)
{
  GArray *blocks = query->means->levels[0];
  g_autofree double *means = g_new (double, MIN (query->means->n, SONDE_MEANS_CHUNK));
  guint begin, end, next;

  find_range (query->means, blocks, query->from_step, query->to_step, &begin, &end);
  for (guint i = begin; i < end; i = MAX (next, i + 1))
    {
      next = find_gap (blocks, i, MIN (end, i + SONDE_MEANS_CHUNK / SONDE_MEANS_BLOCK), query);
      repeat_points (query, (guint64) i * SONDE_MEANS_BLOCK,
                     MIN ((guint64) next * SONDE_MEANS_BLOCK, query->means->n), means);
    }
  end_bucket (query);
}

GArray *
sonde_means_query (const SondeMeans *means, const SondeSmoothingRule *rule,
                   const SondePointReader *reader, gint64 from_step, gint64 to_step,
                   guint max_buckets)
{
  GArray *buckets = g_array_new (FALSE, FALSE, sizeof (SondeBucket));
  guint64 n_points = 0;

  max_buckets = MAX (max_buckets, 1);
  for (int i = SONDE_MEANS_LEVELS - 1; i >= 0; i--)
    {
      gsize n = count_overlapping (means, means->levels[i], from_step, to_step, &n_points);

      if (n > max_buckets)
        {
          query_blocks (means, means->levels[i], from_step, to_step,
                        (n + max_buckets - 1) / max_buckets, buckets);
          return buckets;
        }
    }
  /* room for all of them at once */
  g_array_set_size (buckets, (guint) MIN (max_buckets, n_points));
  g_array_set_size (buckets, 0);
  query_points (&(PointQuery){ .means = means,
                               .rule = rule,
                               .reader = reader,
                               .from_step = from_step,
                               .to_step = to_step,
                               .group = (n_points + max_buckets - 1) / max_buckets,
                               .buckets = buckets });
  return buckets;
}
