/* SPDX-License-Identifier: Apache-2.0
 * Golden maps and golden nets. */
#include "tests/explain/golden.h"

#include <math.h>

#include "data/arrays/sonde-npy.h"
#include "data/models/sonde-model-file.h"

static char *
find_shared (const char *name)
{
  const char *shared = g_getenv ("SONDE_SHARED");

  return shared != NULL ? g_build_filename (shared, name, NULL) : NULL;
}

SondeExplainer *
golden_open (void)
{
  g_autofree char *path = find_shared ("models/explain/cifar-resnet20.onnx");
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) model = NULL;
  SondeExplainer *explainer;

  if (path == NULL || !g_file_test (path, G_FILE_TEST_EXISTS))
    {
      g_test_skip ("the shared models and golden maps are not here");
      return NULL;
    }
  model = sonde_model_load (NULL, path, &error);
  g_assert_no_error (error);
  explainer = sonde_explainer_new (model, "cpu", 1, &error);
  g_assert_no_error (error);
  return explainer;
}

SondeTensor *
golden_read (const char *name)
{
  g_autofree char *inside = g_strdup_printf ("golden/explain/%s", name),
                  *path = find_shared (inside);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = sonde_npy_read (NULL, path, &error);

  g_assert_no_error (error);
  return tensor;
}

void
golden_run (SondeExplainer *explainer, SondeTensor *inputs, const gint64 *targets, const char *spec,
            SondeAttributionResult *result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) parsed = sonde_attribution_spec_parse (spec, &error);
  SondeShape shape = sonde_shape_make (1, inputs->shape.dims[0]);
  g_autoptr (SondeTensor) classes = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  SondeAttributionRequest request = { .inputs = inputs, .targets = classes, .spec = parsed };

  g_assert_no_error (error);
  for (gint64 i = 0; targets != NULL && i < shape.dims[0]; i++)
    ((gint64 *) (void *) classes->data)[i] = targets[i];
  sonde_attribution_compute (explainer, &request, result, &error);
  g_assert_no_error (error);
}

/* Each image twice, with its two targets. */
void
golden_compute (SondeExplainer *explainer, const char *spec, gint64 images,
                SondeAttributionResult *result)
{
  g_autoptr (SondeTensor) inputs = golden_read ("maps/inputs.npy"),
                          targets = golden_read ("maps/targets.npy"), pairs = NULL;
  SondeShape shape = inputs->shape;
  gint64 size = 3 * 32 * 32;

  shape.dims[0] = 2 * images;
  pairs = sonde_tensor_new (SONDE_DTYPE_F32, &shape);
  for (gint64 i = 0; i < shape.dims[0] * size; i++)
    ((float *) (void *) pairs->data)[i]
        = ((const float *) (const void *) inputs->data)[i / size / 2 * size + i % size];
  golden_run (explainer, pairs, (const gint64 *) (const void *) targets->data, spec, result);
}

void
golden_check (SondeExplainer *explainer, const Golden *golden)
{
  g_autofree char *folder = find_shared ("golden/explain/random"),
                  *name = g_strdup_printf ("maps/%s.npy", golden->file);
  g_auto (GStrv) parts = g_strsplit (golden->spec, "%s", -1);
  g_autofree char *spec = g_strjoinv (folder, parts);
  g_autoptr (SondeTensor) expected = golden_read (name);
  g_auto (SondeAttributionResult) result = { 0 };
  gint64 n = sonde_tensor_n_elements (expected) / 24,
         rows = golden->images > 0 ? 2 * golden->images : 24;
  double worst = 0.0;

  golden_compute (explainer, spec, rows / 2, &result);
  g_assert_cmpint (sonde_tensor_n_elements (result.maps), ==, rows * n);
  for (gint64 row = 0; row < rows; row++)
    {
      double largest = 0.0, difference[2] = { 0.0, 0.0 }, found;

      for (gint64 i = row * n; i < (row + 1) * n; i++)
        {
          double ours = sonde_tensor_get_double (result.maps, i),
                 theirs = sonde_tensor_get_double (expected, i);

          g_assert_true (isfinite (ours));
          largest = fmax (largest, fabs (theirs));
          difference[0] = fmax (difference[0], fabs (ours - theirs));
          difference[1] = fmax (difference[1], fabs (ours + theirs));
        }
      found = golden->any_sign ? fmin (difference[0], difference[1]) : difference[0];
      if (found > fmax (golden->relative * largest, golden->absolute))
        g_test_message ("row %d: differs by %g, largest is %g", (int) row, found, largest);
      g_assert_cmpfloat (found, <=, fmax (golden->relative * largest, golden->absolute));
      worst = fmax (worst, found / largest);
    }
  g_test_message ("%s: %.2g of the map's maximum", golden->file, worst);
}

SondeExplainer *
golden_new_net_b (void)
{
  static const float bias[] = { -50.0f, -75.0f }, row[] = { 1, 1, 1, 1, 1, -1, -1, -1 };
  g_autoptr (SondeGraph) graph = sonde_graph_new ("net-b");
  g_autoptr (GError) error = NULL;
  SondeType type
      = { .kind = SONDE_VALUE_TENSOR,
          .dtype = SONDE_DTYPE_F32,
          .rank = 4,
          .dims = { { -1, g_intern_static_string ("N") }, { 1, NULL }, { 4, NULL }, { 4, NULL } } };
  SondeShape kernel_shape = sonde_shape_make (4, 2, 1, 3, 3), bias_shape = sonde_shape_make (1, 2),
             row_shape = sonde_shape_make (2, 8, 1);
  g_autoptr (SondeTensor) kernel = sonde_tensor_new (SONDE_DTYPE_F32, &kernel_shape);
  g_autoptr (SondeTensor) biases = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &bias_shape, bias);
  g_autoptr (SondeTensor) dense = sonde_tensor_new_from_data (SONDE_DTYPE_F32, &row_shape, row);
  SondeGraphValue *inputs[3], *value;
  SondeExplainer *explainer;

  for (gint64 i = 0; i < 18; i++)
    sonde_tensor_set_double (kernel, i, 1.0);
  sonde_graph_set_opset (graph, "", 17);
  inputs[0] = sonde_graph_add_input (graph, "x", &type);
  inputs[1] = sonde_graph_add_initialiser (graph, "kernel", kernel, SONDE_ROLE_PARAMETER);
  inputs[2] = sonde_graph_add_initialiser (graph, "bias", biases, SONDE_ROLE_PARAMETER);
  value = sonde_node_get_output (sonde_graph_add_node (graph, "c", "", "Conv", inputs, 3, 1), 0);
  sonde_graph_rename_value (graph, value, "conv");
  value = sonde_node_get_output (sonde_graph_add_node (graph, "r", "", "Relu", &value, 1, 1), 0);
  sonde_graph_rename_value (graph, value, "relu");
  inputs[0]
      = sonde_node_get_output (sonde_graph_add_node (graph, "f", "", "Flatten", &value, 1, 1), 0);
  inputs[1] = sonde_graph_add_initialiser (graph, "dense", dense, SONDE_ROLE_PARAMETER);
  value = sonde_node_get_output (sonde_graph_add_node (graph, "d", "", "MatMul", inputs, 2, 1), 0);
  value = sonde_node_get_output (sonde_graph_add_node (graph, "o", "", "Relu", &value, 1, 1), 0);
  sonde_graph_add_output (graph, value);
  explainer = sonde_explainer_new (graph, "cpu", 1, &error);
  g_assert_no_error (error);
  return explainer;
}

SondeExplainer *
golden_new_linear (gint64 height, gint64 width, const double *weights, double offset)
{
  gint64 size = height * width;
  g_autoptr (SondeGraph) graph = sonde_graph_new ("linear");
  g_autoptr (GError) error = NULL;
  SondeType type = {
    .kind = SONDE_VALUE_TENSOR,
    .dtype = SONDE_DTYPE_F32,
    .rank = 4,
    .dims = { { -1, g_intern_static_string ("N") }, { 1, NULL }, { height, NULL }, { width, NULL } }
  };
  SondeShape matrix_shape = sonde_shape_make (2, size, 2), offset_shape = sonde_shape_make (1, 2);
  g_autoptr (SondeTensor) matrix = sonde_tensor_new (SONDE_DTYPE_F32, &matrix_shape);
  g_autoptr (SondeTensor) offsets = sonde_tensor_new (SONDE_DTYPE_F32, &offset_shape);
  SondeGraphValue *inputs[3], *x;
  SondeExplainer *explainer;

  for (gint64 i = 0; i < 2 * size; i++)
    sonde_tensor_set_double (matrix, i, i % 2 == 0 ? weights[i / 2] : -weights[i / 2]);
  sonde_tensor_set_double (offsets, 0, offset);
  sonde_tensor_set_double (offsets, 1, -offset);
  sonde_graph_set_opset (graph, "", 17);
  x = sonde_graph_add_input (graph, "x", &type);
  inputs[0] = sonde_node_get_output (sonde_graph_add_node (graph, "f", "", "Flatten", &x, 1, 1), 0);
  inputs[1] = sonde_graph_add_initialiser (graph, "matrix", matrix, SONDE_ROLE_PARAMETER);
  inputs[2] = sonde_graph_add_initialiser (graph, "offsets", offsets, SONDE_ROLE_PARAMETER);
  sonde_graph_add_output (
      graph,
      sonde_node_get_output (sonde_graph_add_node (graph, "g", "", "Gemm", inputs, 3, 1), 0));
  explainer = sonde_explainer_new (graph, "cpu", 1, &error);
  g_assert_no_error (error);
  return explainer;
}

SondeTensor *
golden_new_ramp (gint64 n)
{
  SondeShape shape = sonde_shape_make (4, n, 1, 4, 4);
  SondeTensor *ramp = sonde_tensor_new (SONDE_DTYPE_F32, &shape);

  for (gint64 i = 0; i < 16 * n; i++)
    sonde_tensor_set_double (ramp, i, (double) (i % 16));
  return ramp;
}

void
golden_assert_map (const SondeAttributionResult *result, gint64 row, const double *expected,
                   gint64 n, double tolerance)
{
  g_assert_cmpint (sonde_tensor_n_elements (result->maps) / result->maps->shape.dims[0], ==, n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat_with_epsilon (sonde_tensor_get_double (result->maps, row * n + i),
                                    expected[i], tolerance);
}
