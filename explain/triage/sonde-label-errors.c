/* SPDX-License-Identifier: Apache-2.0
 * Thresholds, confident joint, and three scores of suspicion. */
#include "explain/triage/sonde-label-errors.h"

#include <math.h>

#include "explain/triage/sonde-calibration.h"

static gboolean
has_label (const SondeLabelErrors *errors, guint sample)
{
  return errors->labels[sample] >= 0 && errors->labels[sample] < errors->classes;
}

static void
find_thresholds (SondeLabelErrors *errors, const float *probabilities)
{
  g_autofree guint *counts = g_new0 (guint, MAX (errors->classes, 1));

  for (guint i = 0; i < errors->n; i++)
    if (has_label (errors, i))
      {
        errors->thresholds[errors->labels[i]]
            += (double) probabilities[(gsize) i * errors->classes + (gsize) errors->labels[i]];
        counts[errors->labels[i]]++;
        errors->n_labelled++;
      }
  for (guint c = 0; c < errors->classes; c++)
    errors->thresholds[c] = counts[c] > 0 ? errors->thresholds[c] / counts[c] : 1;
}

/* The most likely of the classes that reach their thresholds. */
static gint64
find_confident (const SondeLabelErrors *errors, const float *p)
{
  gint64 best = -1;

  for (guint c = 0; c < errors->classes; c++)
    if ((double) p[c] >= errors->thresholds[c] - 1e-6 && (best < 0 || p[c] > p[best]))
      best = c;
  return best;
}

static void
score_sample (SondeLabelErrors *errors, guint i, const float *p)
{
  double own = (double) p[errors->labels[i]], other = 0, q;

  for (guint c = 0; c < errors->classes; c++)
    if (c != errors->labels[i])
      other = fmax (other, (double) p[c]);
  q = errors->classes > 1 ? sonde_entropy (p, errors->classes) / log (errors->classes) / own : 0;
  errors->self_confidence[i] = own;
  errors->normalised_margin[i] = (own - other + 1) / 2;
  errors->weighted_entropy[i] = q == 0 ? 1 : isinf (q) ? 0 : log1p (q) / q;
}

typedef struct
{
  double score;
  guint sample;
} Ranked;

static int
compare_ranked (const void *a, const void *b)
{
  const Ranked *one = a, *other = b;

  if (isnan (one->score) != isnan (other->score))
    return isnan (one->score) ? 1 : -1;
  if (one->score < other->score || one->score > other->score)
    return one->score < other->score ? -1 : 1;
  return (one->sample > other->sample) - (one->sample < other->sample);
}

guint *
sonde_label_errors_rank (const double *scores, guint n)
{
  g_autofree Ranked *ranked = g_new (Ranked, MAX (n, 1));
  guint *order = g_new (guint, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    ranked[i] = (Ranked){ scores[i], i };
  qsort (ranked, n, sizeof *ranked, compare_ranked);
  for (guint i = 0; i < n; i++)
    order[i] = ranked[i].sample;
  return order;
}

SondeLabelErrors *
sonde_label_errors_new (const float *probabilities, const gint64 *labels, guint n, guint classes)
{
  SondeLabelErrors *errors = g_new0 (SondeLabelErrors, 1);

  errors->n = n;
  errors->classes = classes;
  errors->thresholds = g_new0 (double, MAX (classes, 1));
  errors->joint = g_new0 (guint, MAX ((gsize) classes * classes, 1));
  errors->labels = g_memdup2 (labels, n * sizeof *labels);
  errors->confident = g_new (gint64, MAX (n, 1));
  errors->self_confidence = g_new (double, MAX (n, 1));
  errors->normalised_margin = g_new (double, MAX (n, 1));
  errors->weighted_entropy = g_new (double, MAX (n, 1));
  find_thresholds (errors, probabilities);
  for (guint i = 0; i < n; i++)
    {
      const float *p = probabilities + (gsize) i * classes;

      errors->confident[i] = -1;
      errors->self_confidence[i] = errors->normalised_margin[i] = errors->weighted_entropy[i] = NAN;
      if (!has_label (errors, i))
        continue;
      score_sample (errors, i, p);
      errors->confident[i] = find_confident (errors, p);
      if (errors->confident[i] >= 0)
        errors->joint[(gsize) labels[i] * classes + (gsize) errors->confident[i]]++;
      errors->n_suspects += sonde_label_errors_is_suspect (errors, i);
    }
  errors->order = sonde_label_errors_rank (errors->self_confidence, n);
  return errors;
}

gboolean
sonde_label_errors_is_suspect (const SondeLabelErrors *errors, guint sample)
{
  return errors->confident[sample] >= 0 && errors->confident[sample] != errors->labels[sample];
}

void
sonde_label_errors_free (SondeLabelErrors *errors)
{
  if (errors == NULL)
    return;
  g_free (errors->thresholds);
  g_free (errors->joint);
  g_free (errors->labels);
  g_free (errors->confident);
  g_free (errors->self_confidence);
  g_free (errors->normalised_margin);
  g_free (errors->weighted_entropy);
  g_free (errors->order);
  g_free (errors);
}
