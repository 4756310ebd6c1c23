/* SPDX-License-Identifier: Apache-2.0 */
#include "viewers/smoothing/sonde-smoothing-rule.h"

#include <math.h>

SondeSmoothingRule *
sonde_smoothing_rule_new (double weight)
{
  SondeSmoothingRule *rule = g_new0 (SondeSmoothingRule, 1);

  rule->ref_count = 1;
  rule->weight = CLAMP (weight, 0, 0.9999);
  return rule;
}

SondeSmoothingRule *
sonde_smoothing_rule_new_kernel (SondeSmootherKernel kernel, double width)
{
  SondeSmoothingRule *rule = sonde_smoothing_rule_new (0);
  double reach = kernel == SONDE_SMOOTHER_RUNNING ? (width - 1) / 2 : ceil (3 * width);

  rule->reach = (gsize) CLAMP (reach, 0, SONDE_SMOOTHER_MAX_REACH);
  rule->kernel = g_new (double, rule->reach + 1);
  for (gsize i = 0; i <= rule->reach; i++)
    rule->kernel[i]
        = kernel == SONDE_SMOOTHER_RUNNING ? 1 : exp (-0.5 * (double) (i * i) / (width * width));
  rule->is_flat = kernel == SONDE_SMOOTHER_RUNNING;
  return rule;
}

SondeSmoothingRule *
sonde_smoothing_rule_ref (SondeSmoothingRule *rule)
{
  g_atomic_int_inc (&rule->ref_count);
  return rule;
}

void
sonde_smoothing_rule_unref (SondeSmoothingRule *rule)
{
  if (rule == NULL || !g_atomic_int_dec_and_test (&rule->ref_count))
    return;
  g_free (rule->kernel);
  g_free (rule);
}

/* ---- exponential --------------------------------------------------------- */

/* Below it 1 − wⁿ is 1 to the last bit. */
#define NO_POWER 0x1p-54

/* The mean after @value; not finite values pass by. */
static inline double
advance (SondeMeanState *state, double weight, double value)
{
  if (!isfinite (value))
    return value;
  state->last = weight * state->last + (1 - weight) * value;
  if (state->past_power < NO_POWER)
    return state->last;
  state->past_power *= weight;
  return state->last / (1 - state->past_power);
}

void
sonde_smoothing_rule_advance (const SondeSmoothingRule *rule, SondeMeanState *state,
                              const double *values, gsize n, double *means)
{
  SondeMeanState local = *state;

  for (gsize i = 0; i < n; i++)
    means[i] = advance (&local, rule->weight, values[i]);
  *state = local;
}

/* ---- kernels ------------------------------------------------------------- */

/* Means of equal weights from sums up to each point: the width costs nothing. */
static void
weigh_flat (const SondeSmoothingRule *rule, const double *around, gsize n_around, gsize first,
            gsize n, double *means)
{
  g_autofree long double *sums = g_new (long double, n_around + 1);
  g_autofree guint *counts = g_new (guint, n_around + 1);

  sums[0] = 0;
  counts[0] = 0;
  for (gsize i = 0; i < n_around; i++)
    {
      gboolean counted = isfinite (around[i]);

      sums[i + 1] = sums[i] + (counted ? around[i] : 0);
      counts[i + 1] = counts[i] + counted;
    }
  for (gsize k = first; k < first + n; k++)
    {
      gsize from = k > rule->reach ? k - rule->reach : 0;
      gsize to = MIN (k + rule->reach + 1, n_around);

      means[k - first] = isfinite (around[k])
                             ? (double) ((sums[to] - sums[from]) / (counts[to] - counts[from]))
                             : around[k];
    }
}

static double
weigh_point (const SondeSmoothingRule *rule, const double *around, gsize n_around, gsize k)
{
  gsize from = k > rule->reach ? k - rule->reach : 0;
  gsize to = MIN (k + rule->reach + 1, n_around);
  double sum = 0, weights = 0;

  if (!isfinite (around[k]))
    return around[k];
  for (gsize i = from; i < to; i++)
    {
      double weight = rule->kernel[i > k ? i - k : k - i];

      if (!isfinite (around[i]))
        continue;
      sum += weight * around[i];
      weights += weight;
    }
  return sum / weights;
}

/* Values from point @first on, at most @n. Returns: how many */
static gsize
copy_values (const SondePointReader *reader, guint64 first, gsize n, double *values)
{
  SondePointSpan span;
  gsize got = 0;

  while (got < n && reader->lend (reader->source, first + got, n - got, &span) > 0)
    {
      memcpy (values + got, span.values, span.n * sizeof *values);
      got += span.n;
    }
  return got;
}

gsize
sonde_smoothing_rule_weigh (const SondeSmoothingRule *rule, const SondePointReader *reader,
                            guint64 first, gsize n, double *means)
{
  guint64 from = first > rule->reach ? first - rule->reach : 0;
  gsize before = (gsize) (first - from), room = before + n + rule->reach;
  g_autofree double *around = g_new (double, room);
  gsize got = copy_values (reader, from, room, around);

  n = got > before ? MIN (n, got - before) : 0;
  if (rule->is_flat)
    weigh_flat (rule, around, got, before, n, means);
  else
    for (gsize k = 0; k < n; k++)
      means[k] = weigh_point (rule, around, got, before + k);
  return n;
}
