/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-what-if.h"

#include <math.h>

#include "data/profiles/sonde-rank-test.h"

#define BLOCKS 10
#define STUDENT_T 2.262 /* 0.975 quantile at BLOCKS - 1 degrees of freedom */
#define SIGNIFICANT 0.01

/* Half the width of the interval around the difference of the medians. */
static double
get_half_width (const double *base, const double *without, guint n)
{
  double differences[BLOCKS], mean = 0, squares = 0;

  for (guint i = 0; i < BLOCKS; i++)
    {
      guint first = (guint) ((guint64) n * i / BLOCKS);
      guint length = (guint) ((guint64) n * (i + 1) / BLOCKS) - first;

      differences[i] = sonde_quantile (base + first, length, 0.5)
                       - sonde_quantile (without + first, length, 0.5);
      mean += differences[i] / BLOCKS;
    }
  for (guint i = 0; i < BLOCKS; i++)
    squares += (differences[i] - mean) * (differences[i] - mean);
  return STUDENT_T * sqrt (squares / (BLOCKS - 1) / BLOCKS);
}

void
sonde_what_if_estimate (SondeWhatIf *what_if, const double *base, const double *without, guint n)
{
  double half, saving;

  g_return_if_fail (n >= SONDE_WHAT_IF_RUNS);

  what_if->n_runs = n;
  what_if->base_ns = sonde_quantile (base, n, 0.5);
  what_if->without_ns = sonde_quantile (without, n, 0.5);
  half = get_half_width (base, without, n);
  saving = what_if->base_ns - what_if->without_ns;
  what_if->low_ns = saving - half;
  what_if->high_ns = saving + half;
  what_if->p = sonde_rank_test (base, n, without, n);
}

gboolean
sonde_what_if_is_narrow (const SondeWhatIf *what_if, double share)
{
  double saving = what_if->base_ns - what_if->without_ns;

  return what_if->high_ns - saving <= share * fabs (saving);
}

gboolean
sonde_what_if_is_significant (const SondeWhatIf *what_if)
{
  return what_if->p < SIGNIFICANT && (what_if->low_ns > 0 || what_if->high_ns < 0);
}
