/* SPDX-License-Identifier: Apache-2.0
 * Reliability, temperature, confusion; all sums in double. */
#include "explain/triage/sonde-calibration.h"

#include <math.h>

double
sonde_entropy (const float *probabilities, guint classes)
{
  double entropy = 0;

  for (guint c = 0; c < classes; c++)
    if (probabilities[c] > 0)
      entropy -= (double) probabilities[c] * log ((double) probabilities[c]);
  return entropy;
}

double
sonde_log_sum_exp (const float *logits, guint classes)
{
  double largest = -INFINITY, sum = 0;

  for (guint c = 0; c < classes; c++)
    largest = fmax (largest, (double) logits[c]);
  for (guint c = 0; c < classes; c++)
    sum += exp ((double) logits[c] - largest);
  return largest + log (sum);
}

/* The first of the largest. */
static guint
find_largest (const float *numbers, guint n)
{
  guint best = 0;

  for (guint i = 1; i < n; i++)
    if (numbers[i] > numbers[best])
      best = i;
  return best;
}

static void
finish_bins (SondeCalibration *calibration)
{
  calibration->ece = calibration->mce = 0;
  for (guint b = 0; b < calibration->n_bins; b++)
    {
      SondeCalibrationBin *bin = &calibration->bins[b];
      double gap;

      bin->confidence = bin->n > 0 ? bin->confidence / bin->n : NAN;
      bin->accuracy = bin->n > 0 ? bin->accuracy / bin->n : NAN;
      if (bin->n == 0)
        continue;
      gap = fabs (bin->accuracy - bin->confidence);
      calibration->ece += gap * bin->n / calibration->n;
      calibration->mce = fmax (calibration->mce, gap);
    }
}

/* Edges as float32, as the probabilities are: 0.8 is in (0.6, 0.8]. */
static guint
find_bin (float confidence, guint n_bins)
{
  guint b = 0;

  while (b + 1 < n_bins && confidence > (float) ((b + 1) / (double) n_bins))
    b++;
  return b;
}

void
sonde_calibration_measure (SondeCalibration *calibration, const float *probabilities,
                           const gint64 *labels, guint n, guint classes, guint n_bins)
{
  double brier = 0, nll = 0;

  *calibration = (SondeCalibration){ .n_bins = MIN (n_bins, SONDE_CALIBRATION_BINS),
                                     .ece = NAN,
                                     .mce = NAN };
  for (guint i = 0; i < n; i++)
    {
      const float *p = probabilities + (gsize) i * classes;
      guint best = find_largest (p, classes);
      double confidence = (double) p[best];
      SondeCalibrationBin *bin;

      if (labels[i] < 0 || labels[i] >= classes)
        continue;
      bin = &calibration->bins[find_bin (p[best], calibration->n_bins)];
      bin->n++;
      bin->confidence += confidence;
      bin->accuracy += best == labels[i];
      calibration->n++;
      calibration->right += best == labels[i];
      for (guint c = 0; c < classes; c++)
        brier += ((double) p[c] - (c == labels[i])) * ((double) p[c] - (c == labels[i]));
      nll -= log (fmax ((double) p[labels[i]], 1e-12));
    }
  calibration->accuracy = calibration->n > 0 ? (double) calibration->right / calibration->n : NAN;
  calibration->brier = calibration->n > 0 ? brier / calibration->n : NAN;
  calibration->nll = calibration->n > 0 ? nll / calibration->n : NAN;
  sonde_wilson_interval (calibration->right, calibration->n, &calibration->low, &calibration->high);
  if (calibration->n > 0)
    finish_bins (calibration);
}

/* Mean −ln softmax (z / T)_y. */
static double
nll_at (const float *logits, const gint64 *labels, guint n, guint classes, double temperature)
{
  double sum = 0;
  guint known = 0;

  for (guint i = 0; i < n; i++)
    {
      const float *z = logits + (gsize) i * classes;
      double largest = (double) z[find_largest (z, classes)], total = 0;

      if (labels[i] < 0 || labels[i] >= classes)
        continue;
      for (guint c = 0; c < classes; c++)
        total += exp (((double) z[c] - largest) / temperature);
      sum += log (total) - ((double) z[labels[i]] - largest) / temperature;
      known++;
    }
  return known > 0 ? sum / known : NAN;
}

double
sonde_calibration_find_temperature (const float *logits, const gint64 *labels, guint n,
                                    guint classes)
{
  const double ratio = (sqrt (5.0) - 1) / 2;
  double low = log (0.05), high = log (20);
  double a = high - ratio * (high - low), b = low + ratio * (high - low);
  double at_a = nll_at (logits, labels, n, classes, exp (a)),
         at_b = nll_at (logits, labels, n, classes, exp (b));

  if (isnan (at_a))
    return NAN;
  while (high - low > 1e-6)
    {
      if (at_a < at_b)
        {
          high = b;
          b = a;
          at_b = at_a;
          a = high - ratio * (high - low);
          at_a = nll_at (logits, labels, n, classes, exp (a));
        }
      else
        {
          low = a;
          a = b;
          at_a = at_b;
          b = low + ratio * (high - low);
          at_b = nll_at (logits, labels, n, classes, exp (b));
        }
    }
  return exp ((low + high) / 2);
}

void
sonde_calibration_apply_temperature (const float *logits, guint n, guint classes,
                                     double temperature, float *probabilities)
{
  for (guint i = 0; i < n; i++)
    {
      const float *z = logits + (gsize) i * classes;
      double largest = (double) z[find_largest (z, classes)], total = 0;

      for (guint c = 0; c < classes; c++)
        total += exp (((double) z[c] - largest) / temperature);
      for (guint c = 0; c < classes; c++)
        probabilities[(gsize) i * classes + c]
            = (float) (exp (((double) z[c] - largest) / temperature) / total);
    }
}
