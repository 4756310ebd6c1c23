/* SPDX-License-Identifier: Apache-2.0
 * Neighbours, links and pictures against what scikit-learn and umap-learn make of the same points
 * (tests/fixtures/make-projection.py). */
#include <math.h>
#include <string.h>

#include "data/arrays/sonde-npy.h"
#include "data/base/sonde-error.h"
#include "data/base/sonde-random.h"
#include "viewers/projection/sonde-nearest-descent.h"
#include "viewers/projection/sonde-nearest-search.h"
#include "viewers/projection/sonde-point-neighbours.h"
#include "viewers/projection/sonde-projection.h"
#include "viewers/projection/sonde-space-tree.h"
#include "viewers/projection/sonde-trustworthiness.h"
#include "viewers/projection/sonde-umap-curve.h"

#define PERPLEXITY 12
#define NEIGHBOURS 9

static SondeTensor *
load (const char *name)
{
  g_autofree char *path
      = g_strdup_printf ("%s/tests/fixtures/projection/%s.npy", g_getenv ("SONDE_SOURCE"), name);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_npy_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensor;
}

/* Clouds around corners, in more dimensions than a vector has lanes. */
static SondeTensor *
make_clouds (gint64 n, gint64 d)
{
  SondeShape shape = sonde_shape_make (2, n, d);
  SondeTensor *points = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < n * d; i++)
    sonde_tensor_set_double (
        points, i,
        100 + 3 * sonde_random_normal (1, (guint64) (i / d % 7), (guint64) (i % d))
            + sonde_random_normal (2, 0, (guint64) i));
  return points;
}

/* ---- neighbours ---------------------------------------------------------- */

/* How many of the k nearest by plain comparison in doubles are in the table. */
static gsize
count_right (const SondeTensor *points, const SondeNearestTable *table, gsize row)
{
  gsize d = (gsize) points->shape.dims[1], n = table->n, n_right = 0;
  g_autofree double *squares = g_new0 (double, n);

  for (gsize j = 0; j < n; j++)
    for (gsize k = 0; k < d; k++)
      squares[j] += pow (sonde_tensor_get_double (points, (gint64) (row * d + k))
                             - sonde_tensor_get_double (points, (gint64) (j * d + k)),
                         2);
  for (gsize a = 0; a < table->k; a++)
    {
      guint32 other = table->others[row * table->k + a];
      gsize n_nearer = 0;

      g_assert_cmpuint (other, <, n);
      g_assert_cmpuint (other, !=, row);
      for (gsize j = 0; j < n; j++)
        n_nearer += j != row && squares[j] < squares[other] * (1 - 1e-5);
      n_right += n_nearer < table->k;
    }
  return n_right;
}

static void
test_exact (void)
{
  static const gsize ks[] = { 1, 7, 30, 240 };
  g_autoptr (SondeTensor) points = make_clouds (241, 37);
  g_autoptr (SondePointTable) table
      = sonde_point_table_new (points, SONDE_NEARNESS_EUCLIDEAN, NULL);
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);

  for (gsize i = 0; i < G_N_ELEMENTS (ks); i++)
    {
      g_autoptr (SondeNearestTable) nearest = sonde_nearest_search (table, ks[i], team, NULL, NULL);

      g_assert_false (nearest->approximate);
      for (gsize row = 0; row < 241; row++)
        {
          g_assert_cmpuint (count_right (points, nearest, row), ==, ks[i]);
          for (gsize j = 1; j < ks[i]; j++)
            g_assert_cmpfloat (nearest->squares[row * ks[i] + j], >=,
                               nearest->squares[row * ks[i] + j - 1]);
        }
    }
}

static void
test_descent (void)
{
  g_autoptr (SondeTensor) points = make_clouds (3000, 20);
  g_autoptr (SondePointTable) table
      = sonde_point_table_new (points, SONDE_NEARNESS_EUCLIDEAN, NULL);
  g_autoptr (SondeWorkTeam) alone = sonde_work_team_new (1), team = sonde_work_team_new (3);
  g_autoptr (SondeNearestTable) one = sonde_nearest_table_descend (table, 15, alone, NULL, NULL),
                                three = sonde_nearest_table_descend (table, 15, team, NULL, NULL);
  gsize n_right = 0;

  g_assert_true (one->approximate);
  g_assert_cmpmem (one->others, 3000 * 15 * sizeof (guint32), three->others,
                   3000 * 15 * sizeof (guint32));
  for (gsize row = 0; row < 3000; row += 10)
    n_right += count_right (points, one, row);
  g_assert_cmpfloat ((double) n_right, >=, 0.95 * 300 * 15);
}

/* Of each row the same as in the table of all rows, in the measure that people read. */
static void
test_of_a_point (void)
{
  g_autoptr (SondeTensor) points = load ("points");
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);
  gsize n = (gsize) points->shape.dims[0];
  guint32 others[20];
  double distances[20];

  for (guint nearness = 0; nearness < 2; nearness++)
    {
      g_autoptr (SondePointTable) table = sonde_point_table_new (points, nearness, NULL);
      g_autoptr (SondeNearestTable) nearest = sonde_nearest_search (table, 20, team, NULL, NULL);

      for (gsize row = 0; row < n; row++)
        {
          g_assert_cmpuint (
              sonde_point_neighbours_find (points, row, nearness, 20, others, distances), ==, 20);
          for (gsize j = 0; j < 20; j++)
            g_assert_cmpfloat_with_epsilon (
                distances[j],
                sonde_point_table_measure (table, (double) nearest->squares[row * 20 + j]), 2e-5);
        }
    }
  sonde_tensor_set_double (points, 0, NAN);
  g_assert_cmpuint (
      sonde_point_neighbours_find (points, 0, SONDE_NEARNESS_COSINE, 20, others, distances), ==, 0);
  g_assert_cmpuint (
      sonde_point_neighbours_find (points, n, SONDE_NEARNESS_COSINE, 20, others, distances), ==, 0);
}

/* ---- links --------------------------------------------------------------- */

/* NaN: not to be compared */
static void
compare_links (const SondeLinks *links, const char *name, double tolerance)
{
  g_autoptr (SondeTensor) expected = load (name);
  gint64 n = expected->shape.dims[0];
  g_autofree double *dense = g_new0 (double, n *n);

  g_assert_cmpint ((gint64) links->n, ==, n);
  for (gsize i = 0; i < links->n; i++)
    for (gsize e = links->starts[i]; e < links->starts[i + 1]; e++)
      dense[i * links->n + links->others[e]] = (double) links->weights[e];
  for (gint64 i = 0; i < n * n; i++)
    if (!isnan (sonde_tensor_get_double (expected, i)))
      g_assert_cmpfloat_with_epsilon (dense[i], sonde_tensor_get_double (expected, i), tolerance);
}

static void
test_probabilities (void)
{
  g_autoptr (SondeTensor) points = load ("points");
  g_autoptr (SondePointTable) table
      = sonde_point_table_new (points, SONDE_NEARNESS_EUCLIDEAN, NULL);
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);
  g_autoptr (SondeNearestTable) nearest = sonde_nearest_search (
      table, sonde_tsne_count_neighbours (table->n, PERPLEXITY), team, NULL, NULL);
  g_autoptr (SondeLinks) links = sonde_tsne_link (nearest, PERPLEXITY, NULL);

  compare_links (links, "joint-probabilities", 2e-7);
  g_assert_cmpfloat_with_epsilon (sonde_links_sum (links), 1, 1e-6);
}

static void
test_fuzzy_set (void)
{
  static const char *const names[] = { "fuzzy-set", "fuzzy-set-cosine" };
  g_autoptr (SondeTensor) points = load ("points");
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (SondePointTable) table = sonde_point_table_new (points, (SondeNearness) i, NULL);
      g_autoptr (SondeNearestTable) nearest
          = sonde_nearest_search (table, NEIGHBOURS - 1, team, NULL, NULL);
      g_autoptr (SondeLinks) links = sonde_umap_link (table, nearest, NULL);

      compare_links (links, names[i], 2e-4);
    }
}

static void
test_curve (void)
{
  g_autoptr (SondeTensor) curves = load ("curves");

  for (gint64 i = 0; i < curves->shape.dims[0]; i++)
    {
      double a, b;

      sonde_umap_fit_curve (sonde_tensor_get_double (curves, 3 * i), &a, &b);
      g_assert_cmpfloat_with_epsilon (a, sonde_tensor_get_double (curves, 3 * i + 1), 1e-5);
      g_assert_cmpfloat_with_epsilon (b, sonde_tensor_get_double (curves, 3 * i + 2), 1e-5);
    }
}

/* ---- pictures ------------------------------------------------------------ */

static void
test_trustworthiness (void)
{
  g_autoptr (SondeTensor) points = load ("points"), places = load ("tsne-places"),
                          numbers = load ("numbers");
  g_autoptr (SondePointTable) table
      = sonde_point_table_new (points, SONDE_NEARNESS_EUCLIDEAN, NULL);
  g_autoptr (SondeWorkTeam) team = sonde_work_team_new (2);

  /* The two points at one place may be ranked either way. */
  g_assert_cmpfloat_with_epsilon (
      sonde_trustworthiness_measure (table, (const float *) (const void *) places->data, 2,
                                     table->n, team),
      sonde_tensor_get_double (numbers, 1), 2e-4);
}

static SondeProjection *
project (const SondeTensor *points, SondeProjectionMethod method, int dims, guint n_threads)
{
  SondeProjectionSettings settings = SONDE_PROJECTION_DEFAULTS;
  g_autoptr (GError) error = NULL;
  SondeProjection *projection;

  settings.method = method;
  settings.dims = dims;
  settings.n_threads = n_threads;
  settings.tsne.perplexity = PERPLEXITY;
  settings.umap.n_neighbours = NEIGHBOURS;
  projection = sonde_projection_new (points, &settings, NULL, &error);
  g_assert_no_error (error);
  return projection;
}

static void
test_tsne (void)
{
  g_autoptr (SondeTensor) points = load ("points"), numbers = load ("numbers");
  g_autoptr (SondeProjection) flat = project (points, SONDE_PROJECTION_TSNE, 2, 2),
                              space = project (points, SONDE_PROJECTION_TSNE, 3, 2);

  g_assert_cmpfloat (flat->divergence, <=, 1.05 * sonde_tensor_get_double (numbers, 0));
  g_assert_cmpfloat (flat->trustworthiness, >=, sonde_tensor_get_double (numbers, 1) - 0.01);
  g_assert_cmpfloat (space->trustworthiness, >=, sonde_tensor_get_double (numbers, 1) - 0.01);
  g_assert_cmpfloat (space->divergence, <, flat->divergence);
}

static void
test_umap (void)
{
  g_autoptr (SondeTensor) points = load ("points"), numbers = load ("numbers");
  g_autoptr (SondeProjection) flat = project (points, SONDE_PROJECTION_UMAP, 2, 2),
                              space = project (points, SONDE_PROJECTION_UMAP, 3, 2);

  g_assert_cmpfloat (flat->trustworthiness, >=, sonde_tensor_get_double (numbers, 2) - 0.01);
  g_assert_cmpfloat (space->trustworthiness, >=, sonde_tensor_get_double (numbers, 2) - 0.01);
}

/* Bit by bit, whoever computed what. */
static void
test_threads (void)
{
  g_autoptr (SondeTensor) points = make_clouds (700, 21);

  for (guint method = 0; method < 3; method++)
    {
      g_autoptr (SondeProjection) one = project (points, method, 2, 1),
                                  three = project (points, method, 2, 3);

      g_assert_cmpmem (one->places, one->n * (gsize) one->dims * sizeof (double), three->places,
                       one->n * (gsize) one->dims * sizeof (double));
    }
}

/* The force of far cells is near that of all points; of none it is that. */
static void
test_forces (void)
{
  enum
  {
    N = 500
  };

  for (int dims = 2; dims <= 3; dims++)
    {
      g_autoptr (SondeSpaceTree) tree = sonde_space_tree_new (N, dims);
      float places[3 * N], forces[2][3 * N];
      double sums[2] = { 0 }, all = 0, wrong = 0, size = 0;

      for (guint64 i = 0; i < (guint64) (N * dims); i++)
        places[i] = (float) (10 * sonde_random_normal (4, 0, i));
      memcpy (&places[dims], places, (gsize) dims * sizeof (float)); /* two at one place */
      sonde_space_tree_build (tree, places);
      for (gsize g = 0; g < tree->n_groups; g++)
        for (int way = 0; way < 2; way++)
          sums[way] += sonde_space_tree_repel (tree, g, way == 0 ? 0 : 0.5f, forces[way]);
      for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
          if (i != j)
            {
              double square = 0;

              for (int k = 0; k < dims; k++)
                square += pow ((double) places[i * dims + k] - (double) places[j * dims + k], 2);
              all += 1 / (1 + square);
            }
      g_assert_cmpfloat_with_epsilon (sums[0] / all, 1, 1e-5);
      g_assert_cmpfloat_with_epsilon (sums[1] / all, 1, 0.02);
      for (int i = 0; i < N * dims; i++)
        {
          wrong += pow ((double) forces[0][i] - (double) forces[1][i], 2);
          size += pow ((double) forces[0][i], 2);
        }
      g_assert_cmpfloat (sqrt (wrong / size), <, 0.05);
    }
}

/* ---- edges --------------------------------------------------------------- */

/* Rows that are not finite, equal points, huge numbers, few points: a place for each or a reason. */
static void
test_edges (void)
{
  g_autoptr (SondeTensor) points = make_clouds (40, 3);
  SondeShape few = sonde_shape_make (2, 3, 2), same = sonde_shape_make (2, 50, 2);
  g_autoptr (SondeTensor) three = sonde_tensor_new (SONDE_DTYPE_F32, &few),
                          equal = sonde_tensor_new (SONDE_DTYPE_F64, &same);
  SondeProjectionSettings settings = SONDE_PROJECTION_DEFAULTS;
  g_autoptr (GError) error = NULL;

  sonde_tensor_set_double (points, 3, NAN);
  for (gint64 k = 0; k < 3; k++)
    sonde_tensor_set_double (points, 6 + k, k % 2 == 0 ? 3e38 : -3e38);
  for (settings.method = SONDE_PROJECTION_TSNE; settings.method <= SONDE_PROJECTION_UMAP;
       settings.method++)
    {
      g_autoptr (SondeProjection) some = project (points, settings.method, 2, 2),
                                  one = project (equal, settings.method, 3, 2);

      g_assert_true (isnan (some->places[2]) && isnan (some->places[3]));
      for (gsize i = 0; i < 2 * some->n; i++)
        g_assert_true (i / 2 == 1 || isfinite (some->places[i]));
      for (gsize i = 0; i < 3 * one->n; i++)
        g_assert_true (isfinite (one->places[i]));
      g_assert_null (sonde_projection_new (three, &settings, NULL, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
      g_clear_error (&error);
      g_assert_null (sonde_projection_new (NULL, &settings, NULL, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_INVALID);
      g_clear_error (&error);
    }
}

static void
test_cancel (void)
{
  g_autoptr (SondeTensor) points = make_clouds (300, 5);
  SondeProjectionSettings settings = SONDE_PROJECTION_DEFAULTS;

  for (settings.method = SONDE_PROJECTION_PCA; settings.method <= SONDE_PROJECTION_UMAP;
       settings.method++)
    {
      SondeProjectionWatch watch = { .cancelled = TRUE };
      g_autoptr (GError) error = NULL;

      g_assert_null (sonde_projection_new (points, &settings, &watch, &error));
      g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/viewers/projection/nearest/exact", test_exact);
  g_test_add_func ("/viewers/projection/nearest/descent", test_descent);
  g_test_add_func ("/viewers/projection/nearest/of-a-point", test_of_a_point);
  g_test_add_func ("/viewers/projection/tsne/probabilities", test_probabilities);
  g_test_add_func ("/viewers/projection/tsne/forces", test_forces);
  g_test_add_func ("/viewers/projection/tsne/divergence", test_tsne);
  g_test_add_func ("/viewers/projection/umap/fuzzy-set", test_fuzzy_set);
  g_test_add_func ("/viewers/projection/umap/curve", test_curve);
  g_test_add_func ("/viewers/projection/umap/trustworthiness", test_umap);
  g_test_add_func ("/viewers/projection/trustworthiness", test_trustworthiness);
  g_test_add_func ("/viewers/projection/threads", test_threads);
  g_test_add_func ("/viewers/projection/edges", test_edges);
  g_test_add_func ("/viewers/projection/cancel", test_cancel);
  return g_test_run ();
}
