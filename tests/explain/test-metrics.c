/* SPDX-License-Identifier: Apache-2.0
 * Metrics of maps on nets that are formulas, where every value is known. */
#include <math.h>
#include <string.h>

#include "engine/ops/sonde-build.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/metrics/sonde-deletion.h"
#include "explain/metrics/sonde-evaluation-private.h"
#include "explain/metrics/sonde-localisation.h"
#include "explain/metrics/sonde-map-order.h"
#include "explain/metrics/sonde-scorecard.h"
#include "explain/metrics/sonde-stability.h"
#include "tests/support/sonde-test-tensor.h"

static SondeTensor *
make_tensor (int rank, gint64 first, gint64 height, gint64 width, double value)
{
  SondeShape shape = rank == 3 ? sonde_shape_make (3, first, height, width)
                               : sonde_shape_make (2, height, width);
  SondeTensor *tensor = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < sonde_tensor_n_elements (tensor); i++)
    sonde_tensor_set_double (tensor, i, value);
  return tensor;
}

/* f = Σ w·x of the first channel. */
static gboolean
linear_score (SondeTensor *images, double *scores, gpointer data, GError **error)
{
  SondeTensor *weights = data;
  gint64 n = sonde_tensor_n_elements (weights),
         size = sonde_tensor_n_elements (images) / images->shape.dims[0];

  (void) error;
  for (gint64 i = 0; i < images->shape.dims[0]; i++)
    {
      scores[i] = 0.0;
      for (gint64 k = 0; k < n; k++)
        scores[i] += sonde_tensor_get_double (weights, k)
                     * sonde_tensor_get_double (images, i * size + k);
    }
  return TRUE;
}

static SondeTensor *
make_block (double inside)
{
  SondeTensor *block = make_tensor (2, 0, 8, 8, 0.0);

  for (gint64 y = 2; y <= 4; y++)
    for (gint64 x = 2; x <= 4; x++)
      sonde_tensor_set_double (block, y * 8 + x, inside);
  return block;
}

static double
area_of (SondeTensor *from, SondeTensor *to, const SondeTensor *map, SondeTensor *weights)
{
  g_autofree guint *order = sonde_map_order (map);
  double curve[65];

  g_assert_true (sonde_deletion_curve (from, to, order, 64, linear_score, weights, curve, NULL));
  return sonde_curve_area (curve, 64);
}

/* x = 1 on 8×8, f = mean of a 3×3 block, one pixel a step. */
static void
test_curves (void)
{
  g_autoptr (SondeTensor) ones = make_tensor (3, 1, 8, 8, 1.0),
                          zeros = make_tensor (3, 1, 8, 8, 0.0);
  g_autoptr (SondeTensor) weights = make_block (1.0 / 9.0), map = make_block (1.0),
                          reversed = make_block (-1.0);
  const double curve[] = { 0.9, 0.5, 0.1 }, flat[] = { 0.5, 0.5, 0.5 };

  g_assert_cmpfloat_with_epsilon (area_of (ones, zeros, map, weights), 0.0703125, 1e-6);
  g_assert_cmpfloat_with_epsilon (area_of (zeros, ones, map, weights), 0.9296875, 1e-6);
  g_assert_cmpfloat_with_epsilon (area_of (ones, zeros, reversed, weights), 0.9296875, 1e-6);
  g_assert_cmpfloat_with_epsilon (area_of (zeros, ones, reversed, weights), 0.0703125, 1e-6);
  g_assert_cmpfloat_with_epsilon (sonde_curve_normalised_area (curve, 2, FALSE), 0.5, 1e-12);
  g_assert_true (isnan (sonde_curve_normalised_area (flat, 2, FALSE)));
}

static void
test_random_order (void)
{
  g_autoptr (SondeTensor) ones = make_tensor (3, 1, 8, 8, 1.0),
                          zeros = make_tensor (3, 1, 8, 8, 0.0);
  g_autoptr (SondeTensor) weights = make_block (1.0 / 9.0);
  double sum = 0.0, curve[65];

  for (guint64 seed = 0; seed < 100; seed++)
    {
      g_autofree guint *order = sonde_map_order_random (64, seed);

      g_assert_true (
          sonde_deletion_curve (ones, zeros, order, 64, linear_score, weights, curve, NULL));
      sum += sonde_curve_area (curve, 64);
    }
  g_assert_cmpfloat_with_epsilon (sum / 100, 0.5, 0.04);
}

/* x = 1 on 4×4, weights a ramp: the map that is the weights correlates fully, its opposite not at
 * all. */
static void
test_faithfulness (void)
{
  g_autoptr (SondeTensor) ones = make_tensor (3, 1, 4, 4, 1.0),
                          zeros = make_tensor (3, 1, 4, 4, 0.0);
  g_autoptr (SondeTensor) ramp = make_tensor (2, 0, 4, 4, 0.0),
                          minus = make_tensor (2, 0, 4, 4, 0.0),
                          flat = make_tensor (2, 0, 4, 4, 1.0);
  double value;

  for (gint64 i = 0; i < 16; i++)
    {
      sonde_tensor_set_double (ramp, i, (double) i / 120.0);
      sonde_tensor_set_double (minus, i, (double) -i / 120.0);
    }
  g_assert_true (
      sonde_naive_faithfulness (ones, zeros, ramp, 4, 0.5, linear_score, ramp, &value, NULL));
  g_assert_cmpfloat_with_epsilon (value, 1.0, 1e-6);
  g_assert_true (
      sonde_naive_faithfulness (ones, zeros, minus, 4, 0.5, linear_score, ramp, &value, NULL));
  g_assert_cmpfloat_with_epsilon (value, -1.0, 1e-6);
  g_assert_true (
      sonde_naive_faithfulness (ones, zeros, flat, 4, 0.5, linear_score, ramp, &value, NULL));
  g_assert_true (isnan (value));
  g_assert_true (sonde_faithfulness_correlation (ones, zeros, ramp, 40, 5, 3, linear_score, ramp,
                                                 &value, NULL));
  g_assert_cmpfloat_with_epsilon (value, 1.0, 1e-6);
  g_assert_true (sonde_faithfulness_correlation (ones, zeros, flat, 40, 5, 3, linear_score, ramp,
                                                 &value, NULL));
  g_assert_true (isnan (value));
}

/* A linear net: its gradient has no infidelity, half of it after scaling, the zero map σ²‖w‖². */
static void
test_infidelity (void)
{
  g_autoptr (SondeTensor) image
      = make_tensor (3, 1, 4, 4, 0.5),
      gradient = make_tensor (3, 1, 4, 4, 0.0), half = make_tensor (3, 1, 4, 4, 0.0),
      zero = make_tensor (3, 1, 4, 4, 0.0), product = make_tensor (3, 1, 4, 4, 0.0);
  g_autoptr (SondeTensor) range = make_tensor (3, 1, 4, 4, 0.0), noise = NULL;
  SondeInfidelity result;
  double norm = 0.0;

  sonde_tensor_set_double (range, 0, 1.0);
  noise = sonde_perturbation_normal (range, 4000, 0.1, 7);
  for (gint64 i = 0; i < 16; i++)
    {
      double w = sin ((double) i);

      sonde_tensor_set_double (gradient, i, w);
      sonde_tensor_set_double (half, i, 0.5 * w);
      sonde_tensor_set_double (product, i, 0.5 * w);
      norm += w * w;
    }
  g_assert_true (
      sonde_infidelity (image, gradient, noise, NULL, linear_score, gradient, &result, NULL));
  g_assert_cmpfloat (result.value, <, 1e-10);
  g_assert_true (
      sonde_infidelity (image, product, noise, zero, linear_score, gradient, &result, NULL));
  g_assert_cmpfloat (result.value, <, 1e-10);
  g_assert_true (
      sonde_infidelity (image, half, noise, NULL, linear_score, gradient, &result, NULL));
  g_assert_cmpfloat (result.normalised, <, 1e-10);
  g_assert_cmpfloat_with_epsilon (result.beta, 2.0, 1e-5);
  g_assert_cmpfloat_with_epsilon (result.fit, 1.0, 1e-6);
  g_assert_true (
      sonde_infidelity (image, zero, noise, NULL, linear_score, gradient, &result, NULL));
  g_assert_cmpfloat_with_epsilon (result.value / (0.01 * norm), 1.0, 0.1);
  g_assert_cmpfloat (result.beta, ==, 1.0);
}

/* Of a linear net every map that counts contributions from a base predicts all of the change,
 * wherever that base is. */
static void
test_infidelity_base (void)
{
  static const char *const specs[]
      = { "input-x-gradient", "integrated-gradients:steps=2",
          "integrated-gradients:steps=2:baseline=0.3", "deeplift:baseline=-0.4",
          "integrated-gradients:steps=2:baseline=mean" };
  g_autoptr (GError) error = NULL;
  SondeDatasetOptions options = { .seed = 1 };
  g_autoptr (SondeDataset) dataset
      = sonde_dataset_open ("glyphs:size=12;count=1", &options, &error);
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net");
  g_autoptr (SondeTensor) weights
      = sonde_test_tensor (SONDE_DTYPE_F32, "144x2: 0.5 -0.3 0.8 0.1 -0.6 0.4 0.9");
  SondeShape shape = sonde_shape_make (4, 1, 1, 12, 12);
  SondeType type = sonde_type_tensor (SONDE_DTYPE_F32, &shape);
  SondeGraphValue *x, *y;
  g_autoptr (SondeExplainer) net = NULL;
  SondeSampleResult prediction = { 0 };

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0].size = -1;
  x = sonde_graph_add_input (graph, "x", &type);
  y = sonde_build_op (graph, NULL, "", "MatMul", 2,
                      (SondeGraphValue *[]){ sonde_build_unary (graph, "Flatten", x),
                                             sonde_build_constant (graph, NULL, weights) });
  sonde_graph_add_output (graph, y);
  net = sonde_explainer_new (graph, "cpu", 1, &error);
  g_assert_no_error (error);
  for (gsize i = 0; i < G_N_ELEMENTS (specs); i++)
    {
      g_autoptr (SondeEvaluation) evaluation
          = sonde_evaluation_new ("infidelity", net, dataset, 1, &error);
      g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (specs[i], &error);
      g_autoptr (SondeTensor) image = sonde_tensor_new (SONDE_DTYPE_F32, &shape), channels = NULL,
                              map = NULL;
      gint64 target = 0;
      guint64 sample = 0;
      SondeAttributionMap own = { .other = -1, .target_is = (char *) "true" };
      SondeShape one = sonde_shape_make (3, 1, 12, 12);
      g_autofree char *key = g_strdup_printf ("%s/true", sonde_attribution_spec_get_label (spec));
      g_autoptr (SondeTensor) maps = NULL;
      double fit;

      g_assert_true (sonde_dataset_fill (dataset, 0, image->data, &error));
      maps = sonde_evaluation_compute (net, spec, 1, &sample, image, &target, &target, &error);
      g_assert_no_error (error);
      own.channels = channels = sonde_tensor_reshape (maps, &one);
      own.map = map = sonde_attribution_aggregate (channels, SONDE_AGGREGATE_SUM);
      g_assert_true (sonde_evaluation_add (evaluation, spec, &own, &prediction, &error));
      g_assert_true (sonde_scorecard_find (sonde_evaluation_get_scorecard (evaluation),
                                           sonde_map_metric_find ("infidelity"), key, 0, &fit));
      g_assert_cmpfloat_with_epsilon (fit, 1.0, 1e-4);
    }
}

/* S(x) = data · x (a constant map where data is NULL). */
static SondeTensor *
scaled_maps (SondeTensor *images, gpointer data, GError **error)
{
  SondeTensor *maps = sonde_tensor_copy (images);

  (void) error;
  for (gint64 i = 0; i < sonde_tensor_n_elements (maps); i++)
    ((float *) (void *) maps->data)[i] *= data != NULL ? *(float *) data : 0.0f;
  for (gint64 i = 0; data == NULL && i < sonde_tensor_n_elements (maps); i++)
    ((float *) (void *) maps->data)[i] = 2.0f;
  return maps;
}

/* Two classes; the second wins once an image's first pixel passes 1.05. */
static SondeTensor *
two_classes (SondeTensor *images, gpointer data, GError **error)
{
  SondeShape shape = sonde_shape_make (2, images->shape.dims[0], 2);
  SondeTensor *answers = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  gint64 size = sonde_tensor_n_elements (images) / images->shape.dims[0];

  (void) data;
  (void) error;
  for (gint64 i = 0; i < images->shape.dims[0]; i++)
    {
      gboolean second = sonde_tensor_get_double (images, i * size) > 1.05;

      sonde_tensor_set_double (answers, 2 * i, second ? 0.49 : 0.51);
      sonde_tensor_set_double (answers, 2 * i + 1, second ? 0.51 : 0.49);
    }
  return answers;
}

static void
test_stability (void)
{
  g_autoptr (SondeTensor) image = make_tensor (3, 1, 4, 4, 1.0), noise = NULL, map = NULL,
                          constant = NULL;
  SondeRobustness robustness;
  float two = 2.0f;
  double value, largest = 0.0;

  sonde_tensor_set_double (image, 5, 0.0);
  noise = sonde_perturbation_uniform (image, 10, 0.1, 1);
  for (gint64 k = 0; k < 10; k++)
    {
      double sum = 0.0;

      for (gint64 i = 0; i < 16; i++)
        {
          double change = sonde_tensor_get_double (noise, k * 16 + i);

          g_assert_cmpfloat (fabs (change), <=, 0.1);
          sum += change * change;
        }
      largest = fmax (largest, sqrt (sum / 15.0));
    }
  map = scaled_maps (image, &two, NULL);
  constant = scaled_maps (image, NULL, NULL);
  g_assert_true (sonde_max_sensitivity (image, map, noise, scaled_maps, &two, &value, NULL));
  /* a map that is linear in x: scale leaves it */
  g_assert_cmpfloat_with_epsilon (value, largest, 1e-6);
  g_assert_true (sonde_max_sensitivity (image, constant, noise, scaled_maps, NULL, &value, NULL));
  g_assert_cmpfloat (value, ==, 0);
  g_assert_true (sonde_robustness (image, constant, 10, 0.02, 0, scaled_maps, two_classes, NULL,
                                   &robustness, NULL));
  g_assert_cmpfloat (robustness.value, ==, 1);
  g_assert_cmpuint (robustness.n_rejected, ==, 0);
  g_assert_true (
      sonde_robustness (image, map, 10, 0.2, 0, scaled_maps, two_classes, &two, &robustness, NULL));
  g_assert_cmpuint (robustness.n_rejected, >, 0);
  g_assert_cmpfloat_with_epsilon (robustness.lipschitz, 2.0, 1e-4);
}

static void
test_class_sensitivity (void)
{
  g_autoptr (SondeTensor) one = make_tensor (2, 0, 3, 3, 0.0),
                          other = make_tensor (2, 0, 3, 3, 0.0),
                          flat = make_tensor (2, 0, 3, 3, 0.0);

  for (gint64 i = 0; i < 9; i++)
    {
      sonde_tensor_set_double (one, i, cos ((double) i));
      sonde_tensor_set_double (other, i, -cos ((double) i));
    }
  g_assert_cmpfloat_with_epsilon (sonde_class_sensitivity (one, other), 1.0, 1e-6);
  g_assert_cmpfloat_with_epsilon (sonde_class_sensitivity (one, one), 0.0, 1e-6);
  g_assert_true (isnan (sonde_class_sensitivity (one, flat)));
}

static void
test_sparseness (void)
{
  g_autoptr (SondeTensor) flat = make_tensor (2, 0, 4, 4, -3.0),
                          single = make_tensor (2, 0, 4, 4, 0.0),
                          zero = make_tensor (2, 0, 4, 4, 0.0), bad = make_tensor (2, 0, 4, 4, 1.0);
  g_autofree guint *order = NULL, *none = NULL, *one = NULL, *again = NULL;

  sonde_tensor_set_double (single, 6, -2.0);
  sonde_tensor_set_double (bad, 3, NAN);
  g_assert_cmpfloat_with_epsilon (sonde_map_gini (flat), 0.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_map_gini (single), 15.0 / 16.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_map_entropy (flat), log (16.0), 1e-9);
  g_assert_cmpfloat_with_epsilon (sonde_map_entropy (single), 0.0, 1e-9);
  g_assert_cmpfloat (sonde_map_effective_complexity (flat), ==, 16);
  g_assert_cmpfloat (sonde_map_effective_complexity (single), ==, 1);
  g_assert_cmpfloat (sonde_map_tied_share (flat), ==, 15.0 / 16.0);
  g_assert_cmpfloat (sonde_map_tied_share (single), ==, 14.0 / 16.0);
  g_assert_true (isnan (sonde_map_gini (zero)));
  g_assert_true (isnan (sonde_map_entropy (bad)));
  order = sonde_map_order (single);
  g_assert_cmpuint (order[0], ==, 0);
  g_assert_cmpuint (order[6], ==, 7);
  g_assert_cmpuint (order[15], ==, 6);
  none = sonde_map_order (bad);
  g_assert_null (none);
  one = sonde_map_order_random_ties (single, 4);
  again = sonde_map_order_random_ties (single, 4);
  g_assert_cmpmem (one, 64, again, 64);
  g_assert_cmpuint (one[15], ==, 6);
}

static void
test_similarity (void)
{
  const double a[] = { 1, 2, 2, 3 }, cubes[] = { 1, 8, 8, 27 }, b[] = { 1, 3, 2, 4 },
               flat[] = { 1, 1, 1, 1 };
  g_autoptr (SondeTensor) map = make_tensor (2, 0, 9, 8, 0.0),
                          inverse = make_tensor (2, 0, 9, 8, 0.0),
                          constant = make_tensor (2, 0, 9, 8, 4.0),
                          small = make_tensor (2, 0, 6, 8, 1.0);

  for (gint64 i = 0; i < 72; i++)
    {
      sonde_tensor_set_double (map, i, sin (0.7 * (double) i));
      sonde_tensor_set_double (inverse, i, -sin (0.7 * (double) i));
    }
  g_assert_cmpfloat_with_epsilon (sonde_spearman (a, cubes, 4), 1.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_spearman (a, b, 4), 4.5 / sqrt (4.5 * 5.0), 1e-12);
  g_assert_true (isnan (sonde_spearman (a, flat, 4)));
  g_assert_cmpfloat_with_epsilon (sonde_map_spearman (map, inverse, TRUE), 1.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_map_spearman (map, inverse, FALSE), -1.0, 1e-12);
  g_assert_cmpfloat_with_epsilon (sonde_map_ssim (map, map, FALSE), 1.0, 1e-12);
  g_assert_cmpfloat (sonde_map_ssim (map, inverse, FALSE), <, 0);
  g_assert_cmpfloat_with_epsilon (sonde_map_ssim (constant, constant, FALSE), 1.0, 1e-12);
  g_assert_true (isnan (sonde_map_ssim (small, small, FALSE)));
  g_assert_cmpfloat (sonde_map_top_overlap (map, map, 0.2), ==, 1);
  g_assert_cmpfloat (sonde_map_top_overlap (map, inverse, 0.2), ==, 0);
}

/* The strongest pixel at row 0, column 4, in an image that is not square: swapped axes would
 * show. */
static void
test_localisation (void)
{
  SondeShape shape = sonde_shape_make (2, 5, 9);
  g_autoptr (SondeTensor) map = make_tensor (2, 0, 5, 9, -1.0),
                          constant = make_tensor (2, 0, 5, 9, 1.0),
                          negative = make_tensor (2, 0, 5, 9, -2.0);
  g_autoptr (SondeTensor) here = sonde_tensor_new (SONDE_DTYPE_U8, &shape),
                          there = sonde_tensor_new (SONDE_DTYPE_U8, &shape),
                          nowhere = sonde_tensor_new (SONDE_DTYPE_U8, &shape);

  here->data[4] = 1;
  there->data[4 * 9] = 1;
  sonde_tensor_set_double (map, 4, 2.0);
  sonde_tensor_set_double (negative, 4, -1.0);
  g_assert_cmpint (sonde_localisation_points_near (map, here, 1), ==, 1);
  g_assert_cmpint (sonde_localisation_points_near (map, there, 1), ==, 0);
  g_assert_cmpint (sonde_localisation_points_near (map, there, 5.7), ==, 1);
  g_assert_cmpint (sonde_localisation_points_near (map, there, 5.6), ==, 0);
  g_assert_cmpint (sonde_localisation_points_near (constant, here, 9), ==, 0);
  g_assert_cmpint (sonde_localisation_points_near (negative, here, 1), ==, 1);
  g_assert_cmpint (sonde_localisation_points_near (map, nowhere, 1), ==, -1);
  g_assert_cmpfloat (sonde_localisation_positive_mass (map, here), ==, 1);
  g_assert_true (isnan (sonde_localisation_positive_mass (negative, here)));
  g_assert_true (isnan (sonde_localisation_iosr (negative, here, 0.5)));
  g_assert_cmpfloat_with_epsilon (sonde_localisation_iosr (constant, here, 0.5), 1.0 / 45.0, 1e-12);
  g_assert_cmpfloat (sonde_localisation_iosr (map, here, 0.5), ==, 1);
  g_assert_cmpfloat (sonde_localisation_tolerance (28, 40), ==, 2);
  g_assert_cmpfloat (sonde_localisation_tolerance (5, 5), ==, 1);
}

static void
test_intervals (void)
{
  const double values[] = { 1, 2, NAN, 3, 4, INFINITY };
  SondeInterval wilson = sonde_interval_of_rate (8, 10), none = sonde_interval_of_rate (0, 0), mean,
                again;
  gsize n;

  g_assert_cmpfloat_with_epsilon (wilson.low, 0.49016, 1e-5);
  g_assert_cmpfloat_with_epsilon (wilson.high, 0.94332, 1e-5);
  g_assert_true (isnan (none.value));
  mean = sonde_interval_bootstrap (values, 6, 5, &n);
  again = sonde_interval_bootstrap (values, 6, 5, NULL);
  g_assert_cmpuint (n, ==, 4);
  g_assert_cmpfloat (mean.value, ==, 2.5);
  g_assert_cmpfloat (mean.low, <, 2.0);
  g_assert_cmpfloat (mean.high, >, 3.0);
  g_assert_cmpfloat (mean.low, ==, again.low);
  g_assert_true (isnan (sonde_interval_bootstrap (values + 2, 1, 0, NULL).value));
}

static void
test_scorecard (void)
{
  g_autoptr (SondeScorecard) scorecard = sonde_scorecard_new (0);
  const SondeMapMetric *insertion = sonde_map_metric_find ("insertion"),
                       *pointing = sonde_map_metric_find ("pointing"),
                       *entropy = sonde_map_metric_find ("entropy");
  const SondeMapMetric *chosen[] = { insertion, pointing, entropy };
  const double weights[] = { 3, 1, 1 };
  SondeScoreSummary summary;
  double weight;

  for (guint i = 0; i < 10; i++)
    {
      sonde_scorecard_add (scorecard, insertion, "good", i, i % 2, i == 9 ? NAN : 0.8);
      sonde_scorecard_add (scorecard, insertion, "random", i, i % 2, 0.4);
      sonde_scorecard_add (scorecard, pointing, "good", i, i % 2, i < 5);
      sonde_scorecard_add (scorecard, pointing, "random", i, i % 2, 0);
      sonde_scorecard_add (scorecard, entropy, "good", i, 2, 1.5);
    }
  summary = sonde_scorecard_summarise (scorecard, insertion, "good", -1);
  g_assert_cmpuint (summary.n, ==, 10);
  g_assert_cmpuint (summary.n_valid, ==, 9);
  g_assert_cmpfloat_with_epsilon (summary.interval.value, 0.8, 1e-12);
  g_assert_cmpuint (sonde_scorecard_summarise (scorecard, insertion, "good", 1).n_valid, ==, 4);
  g_assert_cmpuint (sonde_scorecard_summarise (scorecard, insertion, "none", -1).n, ==, 0);
  g_assert_cmpfloat_with_epsilon (sonde_scorecard_class_mean (scorecard, pointing, "good"), 0.5,
                                  1e-12);
  g_assert_true (sonde_scorecard_beats (scorecard, insertion, "good", "random"));
  g_assert_false (sonde_scorecard_beats (scorecard, insertion, "random", "good"));
  g_assert_cmpfloat_with_epsilon (
      sonde_scorecard_composite (scorecard, chosen, weights, 3, "good", "random", &weight),
      (3 * (0.4 / 0.6) + 1 * 0.5) / 4, 1e-9);
  g_assert_cmpfloat_with_epsilon (weight, 0.8, 1e-12); /* entropy has no best and no control */
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/metrics/curves", test_curves);
  g_test_add_func ("/explain/metrics/random-order", test_random_order);
  g_test_add_func ("/explain/metrics/faithfulness", test_faithfulness);
  g_test_add_func ("/explain/metrics/infidelity", test_infidelity);
  g_test_add_func ("/explain/metrics/infidelity-base", test_infidelity_base);
  g_test_add_func ("/explain/metrics/stability", test_stability);
  g_test_add_func ("/explain/metrics/class-sensitivity", test_class_sensitivity);
  g_test_add_func ("/explain/metrics/sparseness", test_sparseness);
  g_test_add_func ("/explain/metrics/likeness", test_similarity);
  g_test_add_func ("/explain/metrics/localisation", test_localisation);
  g_test_add_func ("/explain/metrics/intervals", test_intervals);
  g_test_add_func ("/explain/metrics/scorecard", test_scorecard);
  return g_test_run ();
}
