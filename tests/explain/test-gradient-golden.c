/* SPDX-License-Identifier: Apache-2.0
 * The gradient family against maps that the original libraries made. */
#include <math.h>

#include "data/arrays/sonde-npy.h"
#include "data/models/sonde-model-file.h"
#include "explain/attribution/sonde-attribution-spec.h"
#include "tests/support/sonde-test-tensor.h"

/* @tolerance: of the map's maximum; @n: images, fewer where each takes many passes; %s stands for
 * the stored noise */
static const struct
{
  const char *spec, *file;
  double tolerance;
  gint64 n;
} cases[] = {
  { "saliency", "saliency", 1e-5, 12 },
  { "input-x-gradient", "input_x_gradient", 1e-5, 12 },
  { "contrast-gradient", "contrast_gradient", 1e-5, 12 },
  { "integrated-gradients", "ig_midpoint50", 1e-2, 4 },
  { "integrated-gradients:rule=gauss-legendre", "ig_gausslegendre50", 1e-2, 4 },
  { "smoothgrad:noise=%s", "smoothgrad", 5e-2, 4 },
  { "smoothgrad-sq:noise=%s", "smoothgrad_sq", 5e-2, 4 },
  { "vargrad:noise=%s", "vargrad", 5e-2, 4 },
  { "guided-backprop", "guided_backprop", 1e-5, 12 },
  { "deconvolution", "deconvolution", 1e-5, 12 },
  { "deeplift", "deeplift", 1e-3, 12 },
};

static SondeTensor *
read_stored (const char *name)
{
  g_autofree char *relative = g_strdup_printf ("golden/explain/maps/%s.npy", name);
  g_autofree char *path = sonde_test_shared_path (relative);
  g_autoptr (GError) error = NULL;
  SondeTensor *tensor = path != NULL ? sonde_npy_read (NULL, path, &error) : NULL;

  g_assert_no_error (error);
  return tensor;
}

static SondeExplainer *
load (const char *model)
{
  g_autofree char *path = sonde_test_shared_path (model);
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeGraph) graph = path != NULL ? sonde_model_load (NULL, path, &error) : NULL;
  SondeExplainer *explainer = graph != NULL ? sonde_explainer_new (graph, "cpu", 0, &error) : NULL;

  g_assert_no_error (error);
  return explainer;
}

/* Column @k of the first @n rows of [N, K]; of pairs [N, 2] all. */
static SondeTensor *
take_targets (SondeTensor *targets, gint64 n, gint64 k, gboolean pairs)
{
  SondeShape shape = sonde_shape_from_array (1, &n);
  SondeTensor *column;

  if (pairs)
    return sonde_tensor_ref (targets);
  column = sonde_tensor_new (SONDE_DTYPE_I64, &shape);
  for (gint64 i = 0; i < n; i++)
    ((gint64 *) (void *) column->data)[i] = sonde_tensor_get_int (targets, 2 * i + k);
  return column;
}

static void
explain (SondeExplainer *explainer, const char *text, SondeTensor *inputs, SondeTensor *targets,
         SondeAttributionResult *result)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (SondeAttributionSpec) spec = sonde_attribution_spec_parse (text, &error);
  SondeAttributionRequest request = { .inputs = inputs, .targets = targets, .spec = spec };

  g_assert_no_error (error);
  sonde_attribution_compute (explainer, &request, result, &error);
  g_assert_no_error (error);
}

/* Largest difference of one sample's map from the stored one, of the stored one's maximum. */
static double
compare (SondeTensor *maps, gint64 i, SondeTensor *stored, gint64 row)
{
  gint64 size = sonde_tensor_n_elements (maps) / maps->shape.dims[0];
  double worst = 0.0, largest = 0.0;

  for (gint64 p = 0; p < size; p++)
    {
      double want = sonde_tensor_get_double (stored, row * size + p);

      worst = fmax (worst, fabs (sonde_tensor_get_double (maps, i * size + p) - want));
      largest = fmax (largest, fabs (want));
    }
  return worst / largest;
}

static void
test_maps (gconstpointer data)
{
  guint k = GPOINTER_TO_UINT (data);
  g_autofree char *noise = sonde_test_shared_path ("golden/explain/random/noise_normal.npy");
  g_autoptr (GString) text = g_string_new (cases[k].spec);
  g_autoptr (SondeExplainer) explainer = load ("models/explain/cifar-resnet20.onnx");
  g_autoptr (SondeTensor) all = read_stored ("inputs"), inputs = NULL,
                          targets = read_stored ("targets"), stored = read_stored (cases[k].file);
  gboolean pairs = g_str_has_prefix (cases[k].spec, "contrast");
  double worst = 0.0;

  if (explainer == NULL || stored == NULL || noise == NULL)
    return;
  g_string_replace (text, "%s", noise, 1);
  inputs = sonde_tensor_slice (all, cases[k].n == 12 ? ":" : "0:4", NULL);
  for (gint64 target = 0; target < (pairs ? 1 : 2); target++)
    {
      g_autoptr (SondeTensor) column = take_targets (targets, cases[k].n, target, pairs);
      g_auto (SondeAttributionResult) result = { 0 };

      explain (explainer, text->str, inputs, column, &result);
      g_assert_cmpint (result.form, ==, SONDE_MAP_CHANNELS);
      for (gint64 i = 0; i < cases[k].n; i++)
        worst = fmax (worst, compare (result.maps, i, stored, pairs ? i : 2 * i + target));
    }
  g_test_message ("%s: %.2e of the map's maximum", cases[k].spec, worst);
  g_assert_cmpfloat (worst, <=, cases[k].tolerance);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint k = 0; k < G_N_ELEMENTS (cases); k++)
    {
      g_autofree char *path = g_strdup_printf ("/explain/gradient/golden/%s", cases[k].file);

      g_test_add_data_func (path, GUINT_TO_POINTER (k), test_maps);
    }
  return g_test_run ();
}
