/* SPDX-License-Identifier: Apache-2.0 */
#include "data/browsing/sonde-importance.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define N_TREES 64
#define MIN_LEAF 2
#define MAX_DEPTH 8
#define MAX_NODES (2 << MAX_DEPTH)
#define MIN_SAMPLES 5
#define SEED 20011105u

/* ---- rank correlation ---------------------------------------------------- */

typedef struct
{
  double value;
  guint index;
} Place;

static int
compare_places (const void *a, const void *b)
{
  double x = ((const Place *) a)->value, y = ((const Place *) b)->value;

  return (x > y) - (x < y);
}

/* Mean rank of ties, in place. */
static void
make_ranks (double *values, guint n)
{
  g_autofree Place *places = g_new (Place, MAX (n, 1));

  for (guint i = 0; i < n; i++)
    places[i] = (Place){ values[i], i };
  qsort (places, n, sizeof *places, compare_places);
  for (guint i = 0, end; i < n; i = end)
    {
      for (end = i + 1; end < n && places[end].value == places[i].value; end++)
        ;
      for (guint k = i; k < end; k++)
        values[places[k].index] = (i + end - 1) / 2.0;
    }
}

static double
correlate (const double *a, const double *b, guint n)
{
  double mean = (n - 1) / 2.0, ab = 0, aa = 0, bb = 0;

  for (guint i = 0; i < n; i++)
    {
      ab += (a[i] - mean) * (b[i] - mean);
      aa += (a[i] - mean) * (a[i] - mean);
      bb += (b[i] - mean) * (b[i] - mean);
    }
  return aa > 0 && bb > 0 ? ab / sqrt (aa * bb) : NAN;
}

double
sonde_rank_correlation (const double *x, gsize stride, const double *y, guint n)
{
  g_autofree double *a = g_new (double, MAX (n, 1)), *b = g_new (double, MAX (n, 1));
  guint n_both = 0;

  for (guint i = 0; i < n; i++)
    if (isfinite (x[i * stride]) && isfinite (y[i]))
      {
        a[n_both] = x[i * stride];
        b[n_both++] = y[i];
      }
  if (n_both < 3)
    return NAN;
  make_ranks (a, n_both);
  make_ranks (b, n_both);
  return correlate (a, b, n_both);
}

/* ---- a tree -------------------------------------------------------------- */

typedef struct
{
  const double *x; /* [n, m]; no NaN */
  const double *y;
  guint n, m;
} Samples;

/* @feature: -1: a leaf, which says @value; else left where x ≤ @value */
typedef struct
{
  int feature;
  double value;
  guint left, right;
} Node;

typedef struct
{
  Node nodes[MAX_NODES];
  guint n_nodes;
} Tree;

typedef struct
{
  int feature;
  double threshold, gain;
} Split;

static double
mean_of (const Samples *samples, const guint *members, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += samples->y[members[i]];
  return sum / n;
}

/* The best threshold of one parameter: the largest Σ² / n of both sides. */
static void
try_feature (const Samples *samples, const guint *members, guint n, guint feature, Split *best)
{
  g_autofree Place *places = g_new (Place, n);
  double total = 0, left = 0;

  for (guint i = 0; i < n; i++)
    {
      places[i] = (Place){ samples->x[(gsize) members[i] * samples->m + feature], members[i] };
      total += samples->y[members[i]];
    }
  qsort (places, n, sizeof *places, compare_places);
  for (guint i = 0; i + 1 < n; i++)
    {
      double gain;

      left += samples->y[places[i].index];
      if (i + 1 < MIN_LEAF || n - i - 1 < MIN_LEAF || places[i].value == places[i + 1].value)
        continue;
      gain = left * left / (i + 1) + (total - left) * (total - left) / (n - i - 1)
             - total * total / n;
      if (gain > best->gain + 1e-12 * fabs (best->gain))
        *best = (Split){ (int) feature, (places[i].value + places[i + 1].value) / 2, gain };
    }
}

static guint
part (const Samples *samples, guint *members, guint n, const Split *split)
{
  guint n_left = 0;

  for (guint i = 0; i < n; i++)
    if (samples->x[(gsize) members[i] * samples->m + (guint) split->feature] <= split->threshold)
      {
        guint other = members[n_left];

        members[n_left++] = members[i];
        members[i] = other;
      }
  return n_left;
}

/* A third of the parameters, at least one, is looked at for each split. */
static Split
choose_split (const Samples *samples, const guint *members, guint n, GRand *random)
{
  Split best = { -1, 0, 0 };
  guint wanted = MAX ((samples->m + 2) / 3, 1);

  for (guint k = 0; k < wanted || (best.feature < 0 && k < 4 * samples->m); k++)
    try_feature (samples, members, n, (guint) g_rand_int_range (random, 0, (int) samples->m),
                 &best);
  return best;
}

static guint
grow (Tree *tree, const Samples *samples, guint *members, guint n, guint depth, GRand *random)
{
  guint at = tree->n_nodes++;
  Split split = { -1, 0, 0 };
  guint n_left;

  tree->nodes[at] = (Node){ .feature = -1, .value = mean_of (samples, members, n) };
  if (n >= 2 * MIN_LEAF && depth < MAX_DEPTH)
    split = choose_split (samples, members, n, random);
  if (split.feature < 0)
    return at;
  n_left = part (samples, members, n, &split);
  tree->nodes[at].feature = split.feature;
  tree->nodes[at].value = split.threshold;
  tree->nodes[at].left = grow (tree, samples, members, n_left, depth + 1, random);
  tree->nodes[at].right = grow (tree, samples, members + n_left, n - n_left, depth + 1, random);
  return at;
}

/* What the tree says of a sample whose parameter @feature is @value; -1: its own. */
static double
predict (const Tree *tree, const double *x, int feature, double value)
{
  const Node *node = &tree->nodes[0];

  while (node->feature >= 0)
    node = &tree->nodes[(node->feature == feature ? value : x[node->feature]) <= node->value
                            ? node->left
                            : node->right];
  return node->value;
}

/* ---- the forest ---------------------------------------------------------- */

typedef struct
{
  double *sum, *sum2;   /* [m]: of the growth of the error, over trees */
  double *predicted;    /* [n]: sum of what trees said that had not seen the sample */
  guint *n_predictions; /* [n] */
  guint n_trees;
} Forest;

static void
shuffle (guint *values, guint n, GRand *random)
{
  for (guint i = n; i > 1; i--)
    {
      guint k = (guint) g_rand_int_range (random, 0, (int) i), other = values[i - 1];

      values[i - 1] = values[k];
      values[k] = other;
    }
}

static double
error_of (const Tree *tree, const Samples *samples, const guint *unseen, const guint *from, guint n,
          int feature)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    {
      const double *x = samples->x + (gsize) unseen[i] * samples->m;
      double other = feature >= 0 ? samples->x[(gsize) from[i] * samples->m + (guint) feature] : 0;
      double off = predict (tree, x, feature, other) - samples->y[unseen[i]];

      sum += off * off;
    }
  return sum / n;
}

static void
measure (Forest *forest, const Tree *tree, const Samples *samples, const guint *unseen, guint n,
         GRand *random)
{
  g_autofree guint *from = g_memdup2 (unseen, n * sizeof *unseen);
  double before = error_of (tree, samples, unseen, from, n, -1);

  for (guint i = 0; i < n; i++)
    {
      forest->predicted[unseen[i]]
          += predict (tree, samples->x + (gsize) unseen[i] * samples->m, -1, 0);
      forest->n_predictions[unseen[i]]++;
    }
  for (guint k = 0; k < samples->m; k++)
    {
      double growth;

      shuffle (from, n, random);
      growth = error_of (tree, samples, unseen, from, n, (int) k) - before;
      forest->sum[k] += growth;
      forest->sum2[k] += growth * growth;
    }
  forest->n_trees++;
}

static void
add_tree (Forest *forest, Tree *tree, const Samples *samples, GRand *random)
{
  g_autofree guint *members = g_new (guint, samples->n), *unseen = g_new (guint, samples->n);
  g_autofree guint8 *seen = g_new0 (guint8, samples->n);
  guint n_unseen = 0;

  for (guint i = 0; i < samples->n; i++)
    {
      members[i] = (guint) g_rand_int_range (random, 0, (int) samples->n);
      seen[members[i]] = 1;
    }
  for (guint i = 0; i < samples->n; i++)
    if (!seen[i])
      unseen[n_unseen++] = i;
  tree->n_nodes = 0;
  grow (tree, samples, members, samples->n, 0, random);
  if (n_unseen > 1)
    measure (forest, tree, samples, unseen, n_unseen, random);
}

static double
variance_of (const double *values, guint n)
{
  double mean = 0, sum = 0;

  for (guint i = 0; i < n; i++)
    mean += values[i];
  mean /= n;
  for (guint i = 0; i < n; i++)
    sum += (values[i] - mean) * (values[i] - mean);
  return sum / n;
}

static double
explain (const Forest *forest, const Samples *samples, double variance)
{
  double sum = 0;
  guint n = 0;

  for (guint i = 0; i < samples->n; i++)
    if (forest->n_predictions[i] > 0)
      {
        double off = forest->predicted[i] / forest->n_predictions[i] - samples->y[i];

        sum += off * off;
        n++;
      }
  return n > 0 ? 1 - sum / n / variance : NAN;
}

static void
grow_forest (const Samples *samples, SondeImportance *importances, double *explained)
{
  g_autoptr (GRand) random = g_rand_new_with_seed (SEED);
  g_autofree Tree *tree = g_new (Tree, 1);
  g_autofree double *sums = g_new0 (double, 2 * samples->m + samples->n);
  g_autofree guint *counts = g_new0 (guint, samples->n);
  Forest forest = { sums, sums + samples->m, sums + 2 * samples->m, counts, 0 };
  double variance = variance_of (samples->y, samples->n);

  if (!(variance > 0))
    return;
  for (guint i = 0; i < N_TREES; i++)
    add_tree (&forest, tree, samples, random);
  if (forest.n_trees < 2)
    return;
  *explained = explain (&forest, samples, variance);
  for (guint k = 0; k < samples->m; k++)
    {
      double n = forest.n_trees, mean = forest.sum[k] / n;

      importances[k].permutation = mean / variance;
      importances[k].error = sqrt (fmax (forest.sum2[k] / n - mean * mean, 0) / (n - 1)) / variance;
    }
}

/* ---- all of it ----------------------------------------------------------- */

/* What a sample does not have is below all others; trees only ask for the order. Half of the largest
 * number: means of two are thresholds. */
static double
fill (double x)
{
  return isfinite (x) ? CLAMP (x, -G_MAXDOUBLE / 2, G_MAXDOUBLE / 2)
         : x > 0      ? G_MAXDOUBLE / 2
                      : -G_MAXDOUBLE / 2;
}

guint
sonde_importance_compute (const double *x, guint n, guint m, const double *y,
                          SondeImportance *importances, double *explained)
{
  g_autoptr (GArray) kept = g_array_new (FALSE, FALSE, sizeof (guint));
  guint n_used;
  g_autofree double *filled = NULL, *results = NULL;

  *explained = NAN;
  for (guint k = 0; k < m; k++)
    importances[k] = (SondeImportance){ sonde_rank_correlation (x + k, m, y, n), NAN, NAN };
  for (guint i = 0; i < n; i++)
    if (isfinite (y[i]))
      g_array_append_val (kept, i);
  n_used = MIN (kept->len, SONDE_IMPORTANCE_MAX_SAMPLES);
  if (n_used < MIN_SAMPLES || m == 0)
    return n_used;
  filled = g_new (double, (gsize) n_used *m);
  results = g_new (double, n_used);
  for (guint i = 0; i < n_used; i++)
    {
      guint row = g_array_index (kept, guint, (guint) ((guint64) i * kept->len / n_used));

      results[i] = y[row];
      for (guint k = 0; k < m; k++)
        filled[(gsize) i * m + k] = fill (x[(gsize) row * m + k]);
    }
  grow_forest (&(Samples){ filled, results, n_used, m }, importances, explained);
  return n_used;
}
