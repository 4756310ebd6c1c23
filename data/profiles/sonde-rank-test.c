/* SPDX-License-Identifier: Apache-2.0 */
#include "data/profiles/sonde-rank-test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_MAX 60

typedef struct
{
  double value;
  gboolean in_a;
  guint doubled_rank; /* twice the midrank: a whole number */
} Entry;

static int
compare_entries (const void *a, const void *b)
{
  const Entry *x = a, *y = b;

  return (x->value > y->value) - (x->value < y->value);
}

/* Sorts and ranks. Returns the sum of t³ − t over the groups of ties. */
static double
rank (Entry *entries, gsize n)
{
  double ties = 0;

  qsort (entries, n, sizeof *entries, compare_entries);
  for (gsize i = 0, j; i < n; i = j)
    {
      double t;

      for (j = i + 1; j < n && entries[j].value == entries[i].value; j++)
        ;
      t = (double) (j - i);
      ties += t * t * t - t;
      for (gsize k = i; k < j; k++)
        entries[k].doubled_rank = i + 1 + j; /* (i + 1) + j are the first and the last rank */
    }
  return ties;
}

/* How many choices of n_a of the entries have each doubled rank sum; the share that is at least as far
 * from the middle as @sum. */
static double
count_exactly (const Entry *entries, gsize n, gsize n_a, guint sum)
{
  const gsize n_sums = n * (n + 1) + 1;
  const double middle = (double) n_a * (double) (n + 1), far = fabs (sum - middle);
  g_autofree double *ways = g_new0 (double, (n_a + 1) * n_sums);
  double all = 0, beyond = 0;

  ways[0] = 1;
  for (gsize i = 0; i < n; i++)
    for (gsize k = MIN (i + 1, n_a); k > 0; k--)
      for (gsize s = n_sums - 1; s >= entries[i].doubled_rank && s < n_sums; s--)
        ways[k * n_sums + s] += ways[(k - 1) * n_sums + s - entries[i].doubled_rank];
  for (gsize s = 0; s < n_sums; s++)
    {
      all += ways[n_a * n_sums + s];
      if (fabs ((double) s - middle) >= far - 1e-9)
        beyond += ways[n_a * n_sums + s];
    }
  return MIN (beyond / all, 1);
}

static double
approximate (gsize n_a, gsize n_b, guint64 doubled_sum, double ties)
{
  double n = (double) (n_a + n_b), a = (double) n_a, b = (double) n_b;
  double u = (double) doubled_sum / 2 - a * (a + 1) / 2;
  double variance = a * b / 12 * (n + 1 - ties / (n * (n - 1)));
  double z;

  if (variance <= 0)
    return 1;
  z = MAX (fabs (u - a * b / 2) - 0.5, 0) / sqrt (variance);
  return erfc (z / sqrt (2));
}

double
sonde_rank_test (const double *a, gsize n_a, const double *b, gsize n_b)
{
  gsize n = n_a + n_b;
  g_autofree Entry *entries = g_new (Entry, MAX (n, 1));
  guint64 sum = 0;
  double ties;

  if (n_a == 0 || n_b == 0)
    return 1;
  for (gsize i = 0; i < n; i++)
    entries[i] = (Entry){ i < n_a ? a[i] : b[i - n_a], i < n_a, 0 };
  ties = rank (entries, n);
  for (gsize i = 0; i < n; i++)
    sum += entries[i].in_a ? entries[i].doubled_rank : 0;
  return n <= EXACT_MAX ? count_exactly (entries, n, n_a, (guint) sum)
                        : approximate (n_a, n_b, sum, ties);
}

static int
compare_by_p (gconstpointer a, gconstpointer b, gpointer data)
{
  const double *p = data, x = p[*(const gsize *) a], y = p[*(const gsize *) b];

  return (x > y) - (x < y);
}

void
sonde_rank_test_adjust (double *p, gsize n)
{
  g_autofree gsize *order = g_new (gsize, MAX (n, 1));
  double least = 1;

  for (gsize i = 0; i < n; i++)
    order[i] = i;
  g_qsort_with_data (order, n, sizeof *order, compare_by_p, p);
  for (gsize i = n; i > 0; i--)
    {
      least = MIN (least, p[order[i - 1]] * (double) n / (double) i);
      p[order[i - 1]] = least;
    }
}

/* Moves the value of rank @k to its place, less before it and greater behind it (Hoare). */
static void
put_in_place (double *values, gsize n, gsize k)
{
  gsize low = 0, high = n - 1;

  while (low < high)
    {
      double pivot = values[low + (high - low) / 2];
      gsize i = low, j = high;

      for (;; i++, j--)
        {
          double kept;

          while (values[i] < pivot)
            i++;
          while (values[j] > pivot)
            j--;
          if (i >= j)
            break;
          kept = values[i];
          values[i] = values[j];
          values[j] = kept;
        }
      /* [low, j] are not more, [j + 1, high] not less than the pivot */
      if (k <= j)
        high = j;
      else
        low = j + 1;
    }
}

double
sonde_quantile_take (double *values, gsize n, double q)
{
  double place, next;
  gsize below;

  if (n == 0)
    return NAN;
  place = q * (double) (n - 1);
  below = MIN ((gsize) place, n - 1);
  put_in_place (values, n, below);
  if (below + 1 == n || place == (double) below)
    return values[below];
  next = values[below + 1];
  for (gsize i = below + 2; i < n; i++)
    next = MIN (next, values[i]);
  return values[below] + (place - (double) below) * (next - values[below]);
}

double
sonde_quantile (const double *values, gsize n, double q)
{
  g_autofree double *own = g_memdup2 (values, n * sizeof *values);

  return sonde_quantile_take (own, n, q);
}
