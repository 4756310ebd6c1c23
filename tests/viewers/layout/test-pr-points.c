/* SPDX-License-Identifier: Apache-2.0
 * PR curves of made-up predictions: the areas against a count over all pairs and over single
 * samples. */
#include <math.h>

#include "data/base/sonde-random.h"
#include "viewers/layout/sonde-pr-points.h"

#define N_SAMPLES 400
#define N_THRESHOLDS 101

typedef struct
{
  double score[N_SAMPLES];
  gboolean positive[N_SAMPLES];
} Predictions;

/* Scores lie in the middles of the first 80 of 100 buckets: the last thresholds are reached by
 * none. */
static void
predict (Predictions *p)
{
  for (guint64 i = 0; i < N_SAMPLES; i++)
    {
      double raw;

      p->positive[i] = sonde_random_uniform (3, 0, i) < 0.4;
      raw = 0.35 * sonde_random_uniform (3, 1, i)
            + (p->positive[i] ? 0.44 : 0.2) * sonde_random_uniform (3, 2, i) + 0.01;
      p->score[i] = (floor (raw * 100) + 0.5) / 100;
    }
}

/* (transfer full): the rows that TensorBoard records of them */
static SondeTensor *
make_rows (const Predictions *p)
{
  SondeShape shape = sonde_shape_make (2, 6, N_THRESHOLDS);
  SondeTensor *rows = sonde_tensor_new (SONDE_DTYPE_F64, &shape);

  for (int t = 0; t < N_THRESHOLDS; t++)
    {
      double n[4] = { 0 }; /* TP, FP, TN, FN */

      for (int i = 0; i < N_SAMPLES; i++)
        n[p->score[i] * (N_THRESHOLDS - 1) >= t ? (p->positive[i] ? 0 : 1)
                                                : (p->positive[i] ? 3 : 2)]++;
      for (int r = 0; r < 4; r++)
        sonde_tensor_set_double (rows, r * N_THRESHOLDS + t, n[r]);
      sonde_tensor_set_double (rows, 4 * N_THRESHOLDS + t, n[0] / fmax (1e-7, n[0] + n[1]));
      sonde_tensor_set_double (rows, 5 * N_THRESHOLDS + t, n[0] / fmax (1e-7, n[0] + n[3]));
    }
  return rows;
}

static void
test_areas (void)
{
  Predictions p;
  g_autoptr (SondeTensor) rows = NULL;
  g_autofree SondePrPoint *points = NULL;
  double wins = 0, pairs = 0, average = 0, n_positive = 0, last = 0;
  gsize n;

  predict (&p);
  rows = make_rows (&p);
  points = sonde_pr_points_make (rows, &n);
  for (int i = 0; i < N_SAMPLES; i++)
    {
      n_positive += p.positive[i];
      last = fmax (last, p.score[i]);
      for (int k = 0; k < N_SAMPLES; k++)
        if (p.positive[i] && !p.positive[k])
          {
            pairs++;
            wins += p.score[i] > p.score[k] ? 1 : p.score[i] == p.score[k] ? 0.5 : 0;
          }
    }
  /* Behind the largest score nothing is left. */
  g_assert_cmpuint (n, ==, (gsize) (floor (last * 100) + 1));
  g_assert_cmpuint (n, <, N_THRESHOLDS);
  g_assert_cmpfloat (points[0].recall, ==, 1);
  g_assert_cmpfloat (points[0].false_rate, ==, 1);
  g_assert_cmpfloat_with_epsilon (points[n - 1].threshold, (double) (n - 1) / 100, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_pr_points_roc_area (points, n), wins / pairs, 1e-9);
  /* Each positive brings the precision of the threshold at its score. */
  for (int i = 0; i < N_SAMPLES; i++)
    {
      double above[2] = { 0, 0 };

      for (int k = 0; p.positive[i] && k < N_SAMPLES; k++)
        above[p.positive[k]] += p.score[k] >= p.score[i];
      average += p.positive[i] ? above[1] / (above[0] + above[1]) / n_positive : 0;
    }
  g_assert_cmpfloat_with_epsilon (sonde_pr_points_average_precision (points, n), average, 1e-9);
}

/* F1 by its counts, 2 TP / (2 TP + FP + FN), and on its curve; the best is the best of all. */
static void
test_f1 (void)
{
  Predictions p;
  g_autoptr (SondeTensor) rows = NULL;
  g_autofree SondePrPoint *points = NULL;
  gsize n, best;

  predict (&p);
  rows = make_rows (&p);
  points = sonde_pr_points_make (rows, &n);
  best = sonde_pr_points_best_f1 (points, n);
  for (gsize i = 0; i < n; i++)
    {
      const SondePrPoint *point = &points[i];

      g_assert_cmpfloat_with_epsilon (
          point->f1,
          2 * point->true_positives
              / (2 * point->true_positives + point->false_positives + point->false_negatives),
          1e-6);
      g_assert_cmpfloat (point->f1, <=, points[best].f1);
      if (point->f1 > 0)
        g_assert_cmpfloat_with_epsilon (sonde_pr_iso_f1 (point->f1, point->recall),
                                        point->precision, 1e-6);
    }
  g_assert_true (isnan (sonde_pr_iso_f1 (0.8, 0.3)));
  g_assert_cmpfloat_with_epsilon (sonde_pr_iso_f1 (0.5, 1), 1.0 / 3, 1e-12);
}

static void
test_refused (void)
{
  SondeShape shapes[] = { sonde_shape_make (1, 6), sonde_shape_make (2, 5, 7),
                          sonde_shape_make (2, 6, 0), sonde_shape_make (2, 6, 4) };

  for (gsize i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autoptr (SondeTensor) rows = sonde_tensor_new (SONDE_DTYPE_F32, &shapes[i]);
      gsize n;

      g_assert_null (sonde_pr_points_make (rows, &n));
      g_assert_cmpuint (n, ==, 0);
    }
  g_assert_true (isnan (sonde_pr_points_roc_area (NULL, 0)));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/layout/pr-points/areas", test_areas);
  g_test_add_func ("/viewers/layout/pr-points/f1", test_f1);
  g_test_add_func ("/viewers/layout/pr-points/refused", test_refused);
  return g_test_run ();
}
