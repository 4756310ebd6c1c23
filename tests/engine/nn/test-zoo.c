/* SPDX-License-Identifier: Apache-2.0
 * Built-in models: layers, parameter counts, initialisation, errors. */
#include "engine/nn/sonde-zoo.h"

#include <math.h>

static gint64
count_parameters (SondeGraph *graph)
{
  gint64 n = 0;

  for (guint i = 0; i < graph->values->len; i++)
    {
      SondeGraphValue *value = g_ptr_array_index (graph->values, i);

      if (value != NULL && value->role == SONDE_ROLE_PARAMETER)
        n += sonde_tensor_n_elements (sonde_value_get_tensor (value->constant));
    }
  return n;
}

/* 61,706 and 52,650 parameters: models/models.tsv of the samples, written by another program. */
static void
test_counts (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) lenet = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, &error);
  g_autoptr (SondeGraph) mlp = NULL;

  g_assert_no_error (error);
  mlp = sonde_zoo_build ("mlp", 1, 28, 28, 10, 1, &error);
  g_assert_no_error (error);
  g_assert_cmpint (count_parameters (lenet), ==, 61706);
  g_assert_cmpint (count_parameters (mlp), ==, 52650);
  g_assert_cmpuint (sonde_graph_count_nodes (lenet), ==, 12);
}

/* Uniform within ±1/√fan_in: bound kept, nearly reached, mean near 0, another seed gives others. */
static void
test_initialisation (void)
{
  g_autoptr (SondeGraph) a = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, NULL);
  g_autoptr (SondeGraph) b = sonde_zoo_build ("lenet", 1, 28, 28, 10, 1, NULL);
  g_autoptr (SondeGraph) c = sonde_zoo_build ("lenet", 1, 28, 28, 10, 2, NULL);
  SondeTensor *w = sonde_value_get_tensor (sonde_graph_find_value (a, "fc1.weight")->constant);
  double bound = 1.0 / sqrt (400.0), largest = 0, sum = 0;
  gint64 n = sonde_tensor_n_elements (w);

  for (gint64 i = 0; i < n; i++)
    {
      double value = sonde_tensor_get_double (w, i);

      g_assert_cmpfloat (fabs (value), <=, bound * (1 + 1e-6));
      largest = fmax (largest, fabs (value));
      sum += value;
    }
  g_assert_cmpfloat (largest, >, 0.99 * bound);
  /* Deviation of the mean of n uniform numbers is bound / √(3n). */
  g_assert_cmpfloat (fabs (sum / (double) n), <, 5 * bound / sqrt (3.0 * (double) n));
  g_assert_true (sonde_tensor_equal (w, sonde_value_get_tensor (sonde_graph_find_value (b, "fc1.weight")->constant)));
  g_assert_false (sonde_tensor_equal (w, sonde_value_get_tensor (sonde_graph_find_value (c, "fc1.weight")->constant)));
}

static void
test_errors (void)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (sonde_zoo_build ("lenett", 1, 28, 28, 10, 1, &error));
  g_assert_error (error, SONDE_ENGINE_ERROR, SONDE_ENGINE_ERROR_NOT_FOUND);
  g_assert_nonnull (strstr (error->message, "lenet, mlp"));
  g_clear_error (&error);
  g_assert_null (sonde_zoo_build ("lenet", 1, 4, 4, 10, 1, &error));
  g_assert_nonnull (error);
  g_assert_nonnull (strstr (error->message, "1×4×4"));
}

int
main (int    argc,
      char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/nn/zoo/counts", test_counts);
  g_test_add_func ("/engine/nn/zoo/initialisation", test_initialisation);
  g_test_add_func ("/engine/nn/zoo/errors", test_errors);
  return g_test_run ();
}
