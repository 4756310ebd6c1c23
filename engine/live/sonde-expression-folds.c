/* SPDX-License-Identifier: Apache-2.0
 * Functions that make one number of a tensor: those of its statistics, and those that go over its
 * elements. */
#include "engine/live/sonde-expression-function-private.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-text.h"

/* ---- of statistics ------------------------------------------------------- */

#define STATISTIC(name, expression)                                                                \
  static double name (const SondeStatistics *s) { return (double) (expression); }

static double
share (gint64 part, const SondeStatistics *s)
{
  return s->count > 0 ? (double) part / (double) s->count : NAN;
}

static gint64
n_finite (const SondeStatistics *s)
{
  return s->count - s->nan - s->pos_inf - s->neg_inf;
}

STATISTIC (get_min, s->min)
STATISTIC (get_max, s->max)
STATISTIC (get_absmax, s->pos_inf + s->neg_inf > 0 ? INFINITY : fmax (fabs (s->min), fabs (s->max)))
STATISTIC (get_mean, s->mean)
STATISTIC (get_std, s->std)
STATISTIC (get_var, s->std * s->std)
STATISTIC (get_absmean, s->abs_mean)
STATISTIC (get_count, s->count)
STATISTIC (get_nan, s->nan)
STATISTIC (get_inf, s->pos_inf + s->neg_inf)
STATISTIC (get_posinf, s->pos_inf)
STATISTIC (get_neginf, s->neg_inf)
STATISTIC (get_finite, n_finite (s))
STATISTIC (get_count_zeros, s->zeros)
STATISTIC (get_count_negatives, s->negatives)
STATISTIC (get_count_positives, n_finite (s) - s->zeros - s->negatives)
STATISTIC (get_zeros, share (s->zeros, s))
STATISTIC (get_negatives, share (s->negatives, s))
STATISTIC (get_positives, share (n_finite (s) - s->zeros - s->negatives, s))

/* ---- over elements ------------------------------------------------------- */

#define LANES 8 /* sums side by side, so that they need not wait for each other */

static void
add_lanes (SondeFold *fold, const double *lanes)
{
  fold->sum[0] += ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
                  + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

#define SUM(name, expression)                                                                      \
  SONDE_BLOCK_TARGET static gboolean name (SondeFold *fold, const double *const *in, gint64 index, \
                                           gsize n)                                                \
  {                                                                                                \
    const double *a = in[0];                                                                       \
    double lanes[LANES] = { 0 };                                                                   \
    gsize i = 0;                                                                                   \
                                                                                                   \
    for (; i + LANES <= n; i += LANES, a += LANES)                                                 \
      for (gsize k = 0; k < LANES; k++)                                                            \
        lanes[k] += (expression);                                                                  \
    for (gsize k = 0; i + k < n; k++)                                                              \
      lanes[k] += (expression);                                                                    \
    add_lanes (fold, lanes);                                                                       \
    return TRUE;                                                                                   \
  }

SUM (add_sum, a[k])
SUM (add_l1, fabs (a[k]))
SUM (add_squares, a[k] * a[k])

static double
finish_sum (SondeFold *fold)
{
  return fold->sum[0];
}

static double
finish_root (SondeFold *fold)
{
  return sqrt (fold->sum[0]);
}

/* The first finite element that is better: @sign 1 the greater, -1 the lesser. */
static void
find_best (SondeFold *fold, const double *a, gint64 index, gsize n, double sign)
{
  for (gsize i = 0; i < n; i++)
    if (isfinite (a[i]) && (fold->empty || sign * a[i] > sign * fold->sum[0]))
      {
        fold->empty = FALSE;
        fold->sum[0] = a[i];
        fold->at = index + (gint64) i;
      }
}

static gboolean
find_greatest (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  find_best (fold, in[0], index, n, 1);
  return TRUE;
}

static gboolean
find_least (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  find_best (fold, in[0], index, n, -1);
  return TRUE;
}

static gboolean
find_least_magnitude (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  double least = fold->empty ? INFINITY : fold->sum[0];

  for (gsize i = 0; i < n; i++)
    least = fabs (in[0][i]) < least ? fabs (in[0][i]) : least;
  fold->empty = fold->empty && isinf (least);
  fold->sum[0] = least;
  return TRUE;
}

static double
finish_value (SondeFold *fold)
{
  return fold->empty ? NAN : fold->sum[0];
}

static double
finish_index (SondeFold *fold)
{
  return fold->empty ? NAN : (double) fold->at;
}

static gboolean
look_for_any (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  for (gsize i = 0; i < n && fold->sum[0] == 0; i++)
    fold->sum[0] = sonde_number_holds (in[0][i]);
  return fold->sum[0] == 0;
}

static gboolean
look_for_other (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  for (gsize i = 0; i < n && fold->sum[0] == 0; i++)
    fold->sum[0] = !sonde_number_holds (in[0][i]);
  return fold->sum[0] == 0;
}

static double
finish_all (SondeFold *fold)
{
  return fold->sum[0] == 0;
}

/* ---- quantiles ----------------------------------------------------------- */

static gboolean
keep_finite (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  guint kept = fold->kept != NULL ? fold->kept->len : 0;

  if (fold->kept == NULL)
    fold->kept = g_array_new (FALSE, FALSE, sizeof (double));
  g_array_set_size (fold->kept, kept + (guint) n);
  for (gsize i = 0; i < n; i++)
    {
      g_array_index (fold->kept, double, kept) = in[0][i];
      kept += isfinite (in[0][i]) != 0;
    }
  g_array_set_size (fold->kept, kept);
  return TRUE;
}

/* Puts the element with rank @k of [@first, @last] at its place, smaller ones before it (Hoare's
 * selection). */
static void
select_rank (double *a, gsize first, gsize last, gsize k)
{
  while (first < last)
    {
      double pivot = a[first + (last - first) / 2];
      gsize i = first, j = last;

      while (i <= j)
        {
          while (a[i] < pivot)
            i++;
          while (pivot < a[j])
            j--;
          if (i <= j)
            {
              double swapped = a[i];

              a[i++] = a[j];
              a[j] = swapped;
              if (j == 0)
                break;
              j--;
            }
        }
      if (k <= j)
        last = j;
      else if (k >= i)
        first = i;
      else
        return;
    }
}

/* Between the two ranks around it, linearly, as NumPy. */
static double
quantile_of (SondeFold *fold, double share_below)
{
  double *a = fold->kept != NULL ? (double *) fold->kept->data : NULL;
  gsize n = fold->kept != NULL ? fold->kept->len : 0, k;
  double place, above;

  if (n == 0 || !(share_below >= 0 && share_below <= 1))
    return NAN;
  place = share_below * (double) (n - 1);
  k = (gsize) place;
  select_rank (a, 0, n - 1, k);
  if (k + 1 >= n || place == (double) k)
    return a[k];
  above = a[k + 1];
  for (gsize i = k + 2; i < n; i++)
    above = MIN (above, a[i]);
  return a[k] + (place - (double) k) * (above - a[k]);
}

static double
finish_median (SondeFold *fold)
{
  return quantile_of (fold, 0.5);
}

static double
finish_quantile (SondeFold *fold)
{
  return quantile_of (fold, fold->options[0]);
}

/* ---- of two tensors ------------------------------------------------------ */

static gboolean
look_for_far (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  for (gsize i = 0; i < n && fold->sum[0] == 0; i++)
    {
      double a = in[0][i], b = in[1][i];
      gboolean near = a == b
                      || (isfinite (a) && isfinite (b)
                          && fabs (a - b) <= fold->options[1] + fold->options[0] * fabs (b));

      fold->sum[0] = !near;
    }
  return fold->sum[0] == 0;
}

SONDE_BLOCK_TARGET static gboolean
add_products (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  double ab = 0, aa = 0, bb = 0;

  for (gsize i = 0; i < n; i++)
    {
      ab += in[0][i] * in[1][i];
      aa += in[0][i] * in[0][i];
      bb += in[1][i] * in[1][i];
    }
  fold->sum[0] += ab;
  fold->sum[1] += aa;
  fold->sum[2] += bb;
  return TRUE;
}

static double
finish_cosine (SondeFold *fold)
{
  return fold->sum[0] / (sqrt (fold->sum[1]) * sqrt (fold->sum[2]));
}

/* NaN on both sides, or the same infinity, is no difference; on one side it is an infinite one. */
SONDE_BLOCK_TARGET static gboolean
find_difference (SondeFold *fold, const double *const *in, gint64 index, gsize n)
{
  double greatest = fold->sum[0];

  for (gsize i = 0; i < n; i++)
    {
      double a = in[0][i], b = in[1][i], difference = fabs (a - b);

      if (isnan (difference))
        difference = a == b || (isnan (a) && isnan (b)) ? 0 : INFINITY;
      greatest = difference > greatest ? difference : greatest;
    }
  fold->sum[0] = greatest;
  return TRUE;
}

/* ---- the table ----------------------------------------------------------- */

#define OF_STATISTICS(name, second, most_, getter, usage, summary)                                 \
  {                                                                                                \
    .help = { name, usage, summary }, .alias = second, .klass = SONDE_CALL_STATISTIC, .least = 1,  \
    .most = most_, .statistic = getter, .globs = TRUE                                              \
  }
#define OVER(name, second, block_, finish_, glob, truth, usage, summary)                           \
  {                                                                                                \
    .help = { name, usage, summary }, .alias = second, .klass = SONDE_CALL_FOLD, .least = 1,       \
    .most = 1, .n_folded = 1, .block = block_, .finish = finish_, .globs = glob, .is_truth = truth \
  }
#define FACT(name, least_, most_, usage, summary)                                                  \
  {                                                                                                \
    .help = { name, usage, summary }, .klass = SONDE_CALL_FACT, .least = least_, .most = most_     \
  }

static const SondeCallable folds[] = {
  OF_STATISTICS ("min", NULL, 2, get_min, "min(x) or min(a, b)",
                 N_ ("Smallest finite element; with two arguments the element-wise minimum.")),
  OF_STATISTICS ("max", NULL, 2, get_max, "max(x) or max(a, b)",
                 N_ ("Largest finite element; with two arguments the element-wise maximum.")),
  OF_STATISTICS ("absmax", "abs_max", 1, get_absmax, "absmax(x)",
                 N_ ("Largest absolute value; inf if x contains an infinity.")),
  OVER ("absmin", "abs_min", find_least_magnitude, finish_value, TRUE, FALSE, "absmin(x)",
        N_ ("Smallest finite absolute value.")),
  OF_STATISTICS ("mean", NULL, 1, get_mean, "mean(x)", N_ ("Mean of the finite elements.")),
  OF_STATISTICS ("std", NULL, 1, get_std, "std(x)",
                 N_ ("Population standard deviation of the finite elements.")),
  OF_STATISTICS ("var", NULL, 1, get_var, "var(x)", N_ ("Variance: std(x) ** 2.")),
  OVER ("sum", NULL, add_sum, finish_sum, TRUE, FALSE, "sum(x)",
        N_ ("Sum of all elements, including nan and inf.")),
  OF_STATISTICS ("absmean", "abs_mean", 1, get_absmean, "absmean(x)",
                 N_ ("Mean absolute value of the finite elements.")),
  OVER ("l1", NULL, add_l1, finish_sum, TRUE, FALSE, "l1(x)",
        N_ ("Sum of the absolute values of all elements.")),
  OVER ("l2", "norm", add_squares, finish_root, TRUE, FALSE, "l2(x) or norm(x)",
        N_ ("Square root of the sum of squares of all elements.")),
  OVER ("median", NULL, keep_finite, finish_median, TRUE, FALSE, "median(x)",
        N_ ("Median of the finite elements.")),
  { .help = { "quantile", "quantile(x, q)",
              N_ ("Quantile q of the finite elements, with linear interpolation.") },
    .klass = SONDE_CALL_FOLD,
    .least = 2,
    .most = 2,
    .n_folded = 1,
    .block = keep_finite,
    .finish = finish_quantile,
    .globs = TRUE },
  OVER ("argmin", NULL, find_least, finish_index, FALSE, FALSE, "argmin(x)",
        N_ ("Flat index of the first smallest finite element.")),
  OVER ("argmax", NULL, find_greatest, finish_index, FALSE, FALSE, "argmax(x)",
        N_ ("Flat index of the first largest finite element.")),
  OF_STATISTICS ("count", "size", 1, get_count, "count(x) or size(x)", N_ ("Number of elements.")),
  OF_STATISTICS ("nan", NULL, 1, get_nan, "nan(x)", N_ ("Number of nan elements.")),
  OF_STATISTICS ("inf", NULL, 1, get_inf, "inf(x)", N_ ("Number of inf and -inf elements.")),
  OF_STATISTICS ("posinf", "pos_inf", 1, get_posinf, "posinf(x)", N_ ("Number of inf elements.")),
  OF_STATISTICS ("neginf", "neg_inf", 1, get_neginf, "neginf(x)", N_ ("Number of -inf elements.")),
  OF_STATISTICS ("finite", NULL, 1, get_finite, "finite(x)", N_ ("Number of finite elements.")),
  OF_STATISTICS ("zeros", NULL, 1, get_zeros, "zeros(x)",
                 N_ ("Fraction of the elements that are 0.")),
  OF_STATISTICS ("negatives", NULL, 1, get_negatives, "negatives(x)",
                 N_ ("Fraction of the elements that are finite and negative.")),
  OF_STATISTICS ("positives", NULL, 1, get_positives, "positives(x)",
                 N_ ("Fraction of the elements that are finite and positive.")),
  OF_STATISTICS ("count_zeros", NULL, 1, get_count_zeros, "count_zeros(x)",
                 N_ ("Number of elements that are 0.")),
  OF_STATISTICS ("count_negatives", NULL, 1, get_count_negatives, "count_negatives(x)",
                 N_ ("Number of elements that are finite and negative.")),
  OF_STATISTICS ("count_positives", NULL, 1, get_count_positives, "count_positives(x)",
                 N_ ("Number of elements that are finite and positive.")),
  OF_STATISTICS ("stats", NULL, 1, get_count, "stats(x).FIELD",
                 N_ ("The statistic FIELD of “stats x”: min, abs_mean, zeros …")),
  OVER ("any", NULL, look_for_any, finish_sum, TRUE, TRUE, "any(c)",
        N_ ("True if c is true for any element.")),
  OVER ("all", NULL, look_for_other, finish_all, TRUE, TRUE, "all(c)",
        N_ ("True if c is true for every element.")),
  { .help
    = { "allclose", "allclose(a, b, rtol=1e-5, atol=1e-8)",
        N_ ("True if |a - b| <= atol + rtol * |b| for every element; nan is close to nothing.") },
    .klass = SONDE_CALL_FOLD,
    .least = 2,
    .most = 4,
    .n_folded = 2,
    .defaults = { 1e-5, 1e-8 },
    .block = look_for_far,
    .finish = finish_all,
    .is_truth = TRUE },
  { .help = { "cosine", "cosine(a, b)", N_ ("Cosine similarity of a and b as vectors.") },
    .klass = SONDE_CALL_FOLD,
    .least = 2,
    .most = 2,
    .n_folded = 2,
    .block = add_products,
    .finish = finish_cosine },
  { .help = { "maxdiff", "maxdiff(a, b)",
              N_ ("Largest |a - b|; inf if only one of them is nan or the infinities differ.") },
    .klass = SONDE_CALL_FOLD,
    .least = 2,
    .most = 2,
    .n_folded = 2,
    .block = find_difference,
    .finish = finish_sum },
  FACT ("shape", 1, 2, "shape(x) or shape(x, i)",
        N_ ("Shape, or the size of dimension i (counted from the end if negative).")),
  FACT ("rank", 1, 1, "rank(x)", N_ ("Number of dimensions.")),
  FACT ("dtype", 1, 1, "dtype(x)",
        N_ ("Name of the dtype for comparisons: dtype(x) == \"float32\".")),
};

const SondeCallable *
sonde_callable_folds (guint *n)
{
  *n = G_N_ELEMENTS (folds);
  return folds;
}

/* ---- both tables --------------------------------------------------------- */

const SondeCallable *
sonde_callable_get (guint k)
{
  guint n;
  const SondeCallable *rows = sonde_callable_folds (&n);

  if (k < n)
    return &rows[k];
  k -= n;
  rows = sonde_callable_elements (&n);
  return k < n ? &rows[k] : NULL;
}

const SondeCallable *
sonde_callable_find (const char *name)
{
  const SondeCallable *function;

  for (guint k = 0; (function = sonde_callable_get (k)) != NULL; k++)
    if (g_str_equal (function->help.name, name) || g_strcmp0 (function->alias, name) == 0)
      return function;
  return NULL;
}

/* Forms that are no rows: they name values. */
static const SondeExpressionHelp forms[] = {
  { "prev", "prev(x)", N_ ("A value or expression at the end of the previous step.") },
  { "grad", "grad(V)", N_ ("Gradient of V.") },
  { "update", "update(P)", N_ ("P' - P: the change of parameter P in this step.") },
  { "state", "state(P, m)", N_ ("Optimiser state m of parameter P.") },
};

const SondeExpressionHelp *
sonde_expression_help (guint k)
{
  const SondeCallable *function;

  for (guint i = 0; (function = sonde_callable_get (i)) != NULL; i++)
    if (function->help.usage != NULL && k-- == 0)
      return &function->help;
  return k < G_N_ELEMENTS (forms) ? &forms[k] : NULL;
}
