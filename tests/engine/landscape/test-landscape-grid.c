/* SPDX-License-Identifier: Apache-2.0
 * Losses over a plane against a closed form: of y = x · W + b with squared errors the loss is known everywhere. */
#include "engine/landscape/sonde-landscape-grid.h"

#include <math.h>
#include <string.h>

#include "data/base/sonde-error.h"
#include "engine/ops/sonde-build.h"

#define N_SAMPLES 10 /* batches of 4, 4 and 2 */
#define BATCH 4
#define INPUTS 3

static const float weights[INPUTS] = { 0.5f, -1, 2 }, bias = 0.25f;

static double
input_of (guint sample, guint i)
{
  return sin (1.0 + sample * 3.0 + i);
}

static double
target_of (guint sample)
{
  return cos (2.0 * sample);
}

static gboolean
load (SondeBatchSource *source, gboolean test, guint epoch, guint batch, SondeTensor **inputs,
      SondeTensor **labels, GError **error)
{
  guint first = batch * BATCH, n = MIN (BATCH, N_SAMPLES - first);
  SondeShape shape = sonde_shape_make (2, (int) n, INPUTS),
             label_shape = sonde_shape_make (2, (int) n, 1);

  g_assert_true (test);
  inputs[0] = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  *labels = sonde_tensor_new (SONDE_DTYPE_F32, &label_shape);
  for (guint s = 0; s < n; s++)
    {
      sonde_tensor_set_double (*labels, s, target_of (first + s));
      for (guint i = 0; i < INPUTS; i++)
        sonde_tensor_set_double (inputs[0], s * INPUTS + i, input_of (first + s, i));
    }
  return TRUE;
}

static SondeGraph *
make_model (void)
{
  SondeGraph *graph = sonde_graph_new ("line");
  SondeShape shape = sonde_shape_make (2, INPUTS, 1), one = sonde_shape_make (1, 1);
  SondeType type = { SONDE_VALUE_TENSOR, SONDE_DTYPE_F32, 2, { { -1, NULL }, { INPUTS, NULL } } };
  g_autoptr (SondeTensor) w = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &shape, weights);
  g_autoptr (SondeTensor) b = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &one, &bias);
  SondeGraphValue *x, *product;

  sonde_graph_set_opset (graph, "", 17);
  type.dims[0].symbol = g_intern_static_string ("N");
  x = sonde_graph_add_input (graph, "x", &type);
  product = sonde_build_binary (graph, "MatMul", x,
                                sonde_graph_add_initialiser (graph, "w", w, SONDE_ROLE_PARAMETER));
  sonde_graph_add_output (graph, sonde_build_binary (graph, "Add", product,
                                                     sonde_graph_add_initialiser (
                                                         graph, "b", b, SONDE_ROLE_PARAMETER)));
  return graph;
}

static SondeLossProbe *
make_probe (SondeGraph *model)
{
  static SondeBatchSource source = { 0, N_SAMPLES, load };
  SondeTrainerOptions options = { .loss = "mse", .batch = BATCH, .threads = 1 };
  g_autoptr (GError) error = NULL;
  SondeLossProbe *probe = sonde_loss_probe_new (model, &options, &source, 3, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (sonde_loss_probe_get_n_samples (probe), ==, N_SAMPLES);
  g_assert_cmpuint (sonde_loss_probe_get_space (probe)->n, ==, INPUTS + 1);
  return probe;
}

static double
closed_form (const double *w, double b)
{
  double sum = 0;

  for (guint s = 0; s < N_SAMPLES; s++)
    {
      double y = b;

      for (guint i = 0; i < INPUTS; i++)
        y += input_of (s, i) * w[i];
      sum += (y - target_of (s)) * (y - target_of (s));
    }
  return sum / N_SAMPLES;
}

/* ---- cases --------------------------------------------------------------- */

#define SIDE 5

static gboolean
count_points (guint done, gpointer data)
{
  guint *n = data;

  g_assert_cmpuint (done, ==, *n + 1);
  *n = done;
  return TRUE;
}

static void
test_quadratic (void)
{
  g_autoptr (SondeGraph) model = make_model ();
  g_autoptr (SondeLossProbe) probe = make_probe (model);
  const SondeWeightSpace *space = sonde_loss_probe_get_space (probe);
  float first[] = { 1, 0, 0, 0.5f }, second[] = { 0, 1, -1, 0 }, origin[INPUTS + 1];
  SondeWeightPlane plane = { INPUTS + 1, { first, second }, { 1.25, 0, 2 } };
  double x[SIDE], y[SIDE], losses[SIDE * SIDE];
  guint n_points = 0;
  SondeLandscapeGrid grid = { probe, &plane, origin, x, y, SIDE, count_points, &n_points };
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (space->blocks[0].name, ==, "w"); /* the order of the vectors above */
  sonde_landscape_grid_spread (-2, 2, SIDE, x);
  sonde_landscape_grid_spread (-0.5, 3, SIDE, y);
  g_assert_true (sonde_weight_space_collect (space, model, origin, &error));
  g_assert_true (sonde_landscape_grid_measure (&grid, losses, &error));
  g_assert_no_error (error);
  g_assert_cmpuint (n_points, ==, SIDE * SIDE);
  for (guint i = 0; i < SIDE * SIDE; i++)
    {
      double a = x[i % SIDE], b = y[i / SIDE];
      const double w[] = { weights[0] + a, weights[1] + b, weights[2] - b };

      g_assert_cmpfloat_with_epsilon (losses[i], closed_form (w, bias + 0.5 * a), 1e-5);
    }
}

/* The weights of a model come back after others, to the bit. */
static void
test_return (void)
{
  g_autoptr (SondeGraph) model = make_model ();
  g_autoptr (SondeLossProbe) probe = make_probe (model);
  const float other[] = { 3, 3, 3, 3 };
  const double w[] = { weights[0], weights[1], weights[2] };
  g_autoptr (GError) error = NULL;
  double before, away, after;

  g_assert_true (sonde_loss_probe_measure (probe, &before, &error));
  g_assert_true (sonde_loss_probe_set_weights (probe, other, &error));
  g_assert_true (sonde_loss_probe_measure (probe, &away, &error));
  g_assert_true (sonde_loss_probe_set_model (probe, model, &error));
  g_assert_true (sonde_loss_probe_measure (probe, &after, &error));
  g_assert_no_error (error);
  g_assert_cmpfloat_with_epsilon (before, closed_form (w, bias), 1e-6);
  g_assert_cmpfloat (away, >, before + 1);
  g_assert_cmpfloat (before, ==, after);
}

static gboolean
stop_at_three (guint done, gpointer data)
{
  return done < 3;
}

static void
test_cancel (void)
{
  g_autoptr (SondeGraph) model = make_model ();
  g_autoptr (SondeLossProbe) probe = make_probe (model);
  float axis[INPUTS + 1] = { 1 }, origin[INPUTS + 1] = { 0 };
  SondeWeightPlane plane = { INPUTS + 1, { axis, axis }, { 1, 1, 1 } };
  double places[SIDE] = { 0, 1, 2, 3, 4 }, losses[SIDE * SIDE];
  SondeLandscapeGrid grid = { probe, &plane, origin, places, places, SIDE, stop_at_three, NULL };
  g_autoptr (GError) error = NULL;

  g_assert_false (sonde_landscape_grid_measure (&grid, losses, &error));
  g_assert_error (error, SONDE_DATA_ERROR, SONDE_DATA_ERROR_CANCELLED);
}

/* What is not finite stays so, and the next point is none the worse. */
static void
test_not_finite (void)
{
  g_autoptr (SondeGraph) model = make_model ();
  g_autoptr (SondeLossProbe) probe = make_probe (model);
  float axis[INPUTS + 1] = { 1 }, still[INPUTS + 1] = { 0 }, origin[INPUTS + 1];
  SondeWeightPlane plane = { INPUTS + 1, { axis, still }, { 1, 0, 0 } };
  double x[] = { -1e30, 0, 1e30 }, losses[9];
  SondeLandscapeGrid grid = { probe, &plane, origin, x, x, 3, NULL, NULL };
  const double w[] = { weights[0], weights[1], weights[2] };
  g_autoptr (GError) error = NULL;

  g_assert_true (
      sonde_weight_space_collect (sonde_loss_probe_get_space (probe), model, origin, &error));
  g_assert_true (sonde_landscape_grid_measure (&grid, losses, &error));
  g_assert_false (isfinite (losses[0]));
  g_assert_cmpfloat_with_epsilon (losses[1], closed_form (w, bias), 1e-6);
  g_assert_false (isfinite (losses[2]));
}

static void
test_spread (void)
{
  double places[7];

  sonde_landscape_grid_spread (-0.3, 0.3, 7, places);
  g_assert_cmpfloat (places[0], ==, -0.3);
  g_assert_cmpfloat (places[3], ==, 0);
  for (guint i = 0; i < 7; i++)
    g_assert_cmpfloat (places[i], ==, -places[6 - i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/landscape-grid/quadratic", test_quadratic);
  g_test_add_func ("/landscape-grid/return", test_return);
  g_test_add_func ("/landscape-grid/cancel", test_cancel);
  g_test_add_func ("/landscape-grid/not-finite", test_not_finite);
  g_test_add_func ("/landscape-grid/spread", test_spread);
  return g_test_run ();
}
