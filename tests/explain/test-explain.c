/* SPDX-License-Identifier: Apache-2.0
 * Gradient maps against central differences of the logit, aggregation, pointing, and the report's
 * counts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <glib/gstdio.h>

#include "engine/nn/sonde-zoo.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "explain/metrics/sonde-localisation.h"
#include "explain/report/sonde-explain-report.h"

static SondeTensor *
make_inputs (gint64 n)
{
  SondeShape shape = sonde_shape_make (4, n, 1, 28, 28);
  SondeTensor *inputs = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < n * 784; i++)
    sonde_tensor_set_double (inputs, i, sin (0.37 * (double) i) + 0.2 * cos (0.011 * (double) i));
  return inputs;
}

static gboolean
explain (SondeExplainer *explainer, const char *text, SondeTensor *inputs, SondeTensor *targets,
         SondeAttributionResult *result, GError **error)
{
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, error);
  SondeAttributionRequest request = { .inputs = inputs, .targets = targets, .spec = spec };

  return spec != NULL && sonde_attribution_compute (explainer, &request, result, error);
}

/* ∂z_c/∂x of the built-in mlp (smooth: tanh) against (z (x + h) − z (x − h)) / 2h, for two targets
 * at once. */
static void
test_gradient (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("mlp", 1, 28, 28, 10, 5, &error);
  g_autoptr (SondeExplainer) explainer = sonde_explainer_new (model, "reference", 1, &error);
  g_autoptr (SondeTensor) inputs = make_inputs (2), targets = NULL;
  g_auto (SondeAttributionResult) result = { 0 };
  SondeShape shape = sonde_shape_make (1, 2);
  const double h = 0.01;

  g_assert_no_error (error);
  targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  ((gint64 *) (void *) targets->data)[0] = 3;
  ((gint64 *) (void *) targets->data)[1] = 7;
  explain (explainer, "saliency", inputs, targets, &result, &error);
  g_assert_no_error (error);
  for (gint64 row = 0; row < 2; row++)
    for (gint64 pixel = 0; pixel < 784; pixel += 97)
      {
        gint64 at = row * 784 + pixel, target = sonde_tensor_get_int (targets, row);
        double x = sonde_tensor_get_double (inputs, at), z[2];

        for (int side = 0; side < 2; side++)
          {
            g_autoptr (SondeTensor) logits = NULL;

            sonde_tensor_set_double (inputs, at, x + (side == 0 ? h : -h));
            logits = sonde_explainer_forward (explainer, inputs, &error);
            g_assert_no_error (error);
            z[side] = sonde_tensor_get_double (logits, row * 10 + target);
          }
        sonde_tensor_set_double (inputs, at, x);
        g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result.maps, at),
                                        (z[0] - z[1]) / (2 * h), 2e-4);
      }
}

static void
test_targets_out_of_range (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = sonde_zoo_build ("mlp", 1, 28, 28, 10, 5, NULL);
  g_autoptr (SondeExplainer) explainer = sonde_explainer_new (model, "reference", 1, NULL);
  g_autoptr (SondeTensor) inputs = make_inputs (1), targets = NULL;
  g_auto (SondeAttributionResult) result = { 0 };
  SondeShape shape = sonde_shape_make (1, 1);

  targets = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  ((gint64 *) (void *) targets->data)[0] = 10;
  g_assert_false (explain (explainer, "saliency", inputs, targets, &result, &error));
  g_assert_nonnull (strstr (error->message, "10"));
}

/* The largest magnitude of the channels, with its sign; the first of equals. */
static void
test_aggregate (void)
{
  const float values[] = { 1, -2, 0.5f, 0, /**/ -3, 2, 0.25f, 0, /**/ 2, 1, -0.75f, 0 };
  const float expected[] = { -3, -2, -0.75f, 0 };
  SondeShape shape = sonde_shape_make (3, 3, 2, 2);
  g_autoptr (SondeTensor) channels = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
  g_autoptr (SondeTensor) map = sonde_attribution_aggregate (channels, SONDE_AGGREGATE_LARGEST);

  for (int i = 0; i < 4; i++)
    g_assert_cmpfloat (sonde_tensor_get_double (map, i), ==, expected[i]);
}

static void
test_pointing (void)
{
  const float values[] = { 0, -4, 1, 3 };
  const guint8 hit[] = { 0, 1, 0, 0 }, miss[] = { 1, 0, 1, 1 };
  SondeShape shape = sonde_shape_make (2, 2, 2);
  g_autoptr (SondeTensor) map = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, values);
  g_autoptr (SondeTensor) inside = sonde_tensor_new_from_data (SONDE_DTYPE_U8, &shape, hit);
  g_autoptr (SondeTensor) outside = sonde_tensor_new_from_data (SONDE_DTYPE_U8, &shape, miss);
  g_autoptr (SondeTensor) zero = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  g_assert_cmpint (sonde_localisation_points (map, inside), ==, 1);
  g_assert_cmpint (sonde_localisation_points (map, outside), ==, 0);
  g_assert_cmpint (sonde_localisation_points (zero, inside), ==, -1);
  g_assert_cmpfloat (sonde_localisation_mass (map, inside), ==, 0.5);
  g_assert_true (isnan (sonde_localisation_mass (zero, inside)));
  g_assert_true (sonde_localisation_centre_points (outside));
}

/* Every count of the matrix once: 5 of class "a" right, 2 of them taken for "b". */
static void
test_report_counts (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("sonde-report-XXXXXX", &error);
  g_autofree char *path = g_build_filename (folder, "r.html", NULL);
  g_autofree char *text = NULL;
  char *classes[] = { (char *) "a<b", (char *) "b", NULL };
  SondeDataset dataset
      = { .n = 7, .channels = 1, .height = 1, .width = 1, .classes = classes, .n_classes = 2 };
  g_autoptr (GPtrArray) predictions = g_ptr_array_new ();
  float probabilities[] = { 0.6f, 0.4f };
  SondeSampleResult right
      = { .sample = 0, .name = (char *) "x", .probabilities = probabilities, .n_classes = 2 },
      wrong = { .sample = 1,
                .name = (char *) "y",
                .predicted = 1,
                .probabilities = probabilities,
                .n_classes = 2 };
  g_autoptr (SondeExplainReport) report = sonde_explain_report_new ("t", "m", &dataset);

  for (int i = 0; i < 5; i++)
    g_ptr_array_add (predictions, &right);
  for (int i = 0; i < 2; i++)
    g_ptr_array_add (predictions, &wrong);
  sonde_explain_report_set_predictions (report, predictions);
  g_assert_true (sonde_explain_report_write (report, NULL, path, &error));
  g_assert_true (g_file_get_contents (path, &text, NULL, &error));
  g_assert_nonnull (strstr (text, ">5</td>"));
  g_assert_nonnull (strstr (text, ">2</td>"));
  g_assert_nonnull (strstr (text, "<b>7</b> images"));
  g_assert_nonnull (strstr (text, "a&lt;b"));
  g_assert_null (strstr (text, "a<b"));
  g_unlink (path);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/explain/saliency/central-differences", test_gradient);
  g_test_add_func ("/explain/saliency/target-out-of-range", test_targets_out_of_range);
  g_test_add_func ("/explain/attribution/aggregate", test_aggregate);
  g_test_add_func ("/explain/localisation/pointing", test_pointing);
  g_test_add_func ("/explain/report/counts", test_report_counts);
  return g_test_run ();
}
